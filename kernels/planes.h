/* How samples lie in memory: planes of video and channels of audio.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_KERNEL_PLANES_H
#define HISTO_KERNEL_PLANES_H

#include <stdint.h>

#include "plugin/cudahisto/measures.h"

/* ---- Video ----------------------------------------------------------------------- */

#define HISTO_MAX_PLANES 4
/* Samples of a period. v210 has the longest period: 12 samples in 16 bytes. */
#define HISTO_MAX_SAMPLES 12
/* Words of a period that HistoPlane.word_sample has room for. */
#define HISTO_MAX_WORDS 8

/* One sample of a period. `bytes` bytes at `offset`, in the plane's byte order, form a
 * word; the sample is (word >> shift) & mask. */
typedef struct
{
  uint8_t component;            /* index in the frame */
  uint8_t offset;               /* bytes from the start of the period */
  uint8_t bytes;                /* 1, 2 or 4 */
  uint8_t shift;                /* bits */
  uint32_t mask;                /* 2^depth - 1 */
  uint32_t first_bin;           /* the component's first counter among the frame's */
  uint32_t count;               /* periods of a row that contain this sample */
} HistoSample;

/* How the samples of a period lie. Every plane can be counted as HISTO_PLANE_PACKED. The
 * other kinds have at most one sample in each word. */
typedef enum
{
  HISTO_PLANE_PACKED,           /* samples anywhere in the period */
  HISTO_PLANE_BYTES,            /* a period is n_words bytes; depth 8 */
  HISTO_PLANE_WORDS             /* a period is n_words 16-bit words; one depth and shift */
} HistoPlaneKind;

/* The samples of a component in the periods of its plane, from left to right. */
typedef struct
{
  uint8_t plane;
  uint8_t n_samples;            /* in a period */
  uint8_t samples[HISTO_MAX_SAMPLES];   /* places in HistoPlane.samples */
  uint32_t width, height;       /* samples of a row; rows */
} HistoComponentSamples;

/* One plane: `rows` rows, `stride` bytes apart. A row is `periods` periods of
 * `period_bytes` bytes. The first `full_periods` periods of a row contain all samples;
 * the last period may lack some (odd widths). */
typedef struct
{
  uint64_t data;                /* address of row 0, in host or device memory */
  int64_t stride;               /* bytes; negative if rows go upwards */
  uint32_t rows;
  uint32_t periods;
  uint32_t full_periods;
  uint32_t first_bin;           /* the plane's components use the frame's counters */
  uint32_t n_bins;              /* [first_bin, first_bin + n_bins) */
  uint16_t period_bytes;
  uint8_t kind;                 /* HistoPlaneKind */
  uint8_t big_endian;           /* byte order of the words */
  uint8_t n_samples;
  uint8_t n_words;              /* of a period; 0 for HISTO_PLANE_PACKED */
  /* For each word of the period its index in samples[], or HISTO_NO_SAMPLE (the x of
   * RGBx). Not set for HISTO_PLANE_PACKED. */
  uint8_t word_sample[HISTO_MAX_WORDS];
  HistoSample samples[HISTO_MAX_SAMPLES];
} HistoPlane;

#define HISTO_NO_SAMPLE 0xff

/* ---- Audio ----------------------------------------------------------------------- */

typedef enum
{
  HISTO_AUDIO_SIGNED,
  HISTO_AUDIO_UNSIGNED,
  HISTO_AUDIO_FLOAT
} HistoAudioKind;

/* One sample in memory. */
typedef struct
{
  uint8_t kind;                 /* HistoAudioKind */
  uint8_t bytes;                /* 1 to 4, or 8 */
  uint8_t depth;                /* bits of the value: the lowest ones */
  uint8_t big_endian;
} HistoAudioSample;

#endif /* HISTO_KERNEL_PLANES_H */
