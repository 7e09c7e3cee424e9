/* The kernels that count planes, and the table of the planes that each of them counts.
 *
 * These files read the table:
 * - media/format.c: which planes have a fast path;
 * - engine/cuda/plan-video.c: which kernel counts a plane, and in what units;
 * - kernels/video/planes.cuh: the code of each kernel;
 * - engine/cpu/pixels.c: which loops count a plane.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_KERNEL_FAMILIES_H
#define HISTO_KERNEL_FAMILIES_H

#include <stddef.h>

#include "kernels/planes.h"
#include "kernels/shared.h"

/* ---- Kernels ----------------------------------------------------------------------- */

/* X (name, threads of a block).
 *
 * A kernel contains only the code of its own planes. In a kernel with the code of all planes,
 * fetching the instructions takes as long as counting a small frame. If the planes of a frame
 * need several kernels, each kernel is launched with all blocks and skips the other kernels'
 * blocks. */
#define HISTO_COUNT_KERNELS(X) \
  X (bytes, 1024)               /* the families of this name below, likewise */ \
  X (pixels, 1024) \
  X (shorts, 1024) \
  X (packed, 1024)              /* planes of `shorts` in one copy of 16-bit counters */ \
  X (ranges, 1024)              /* the same; each block counts a range of the bins */ \
  X (fields, 512) \
  X (tens, 1024)                /* planes of `fields` in HISTO_TENS_LAYOUTS */ \
  X (any, 1024)                 /* all other planes, and counters in global memory */

#define HISTO_COUNT_KERNEL_ID(name, threads) HISTO_COUNT_##name,
enum
{
  HISTO_COUNT_KERNELS (HISTO_COUNT_KERNEL_ID)
  HISTO_N_COUNT_KERNELS
};

/* ---- Families ------------------------------------------------------------------------ */

/* Which word of a period holds no sample: its index, or one of these. */
enum
{
  HISTO_GAP_FIRST = 0,          /* xRGB */
  HISTO_GAP_FOURTH = 3,         /* RGBx */
  HISTO_GAP_NONE = -1,          /* each word holds a sample */
  HISTO_GAP_ANY = -2            /* any words, even several; tested for each word */
};

/* X (kernel, kind, word_bytes, n_words, depth, gap, unit_bytes, n_coupled)
 *
 * kernel: counts the family's planes; `packed`, `ranges` and `any` count some planes of
 *   `shorts`, `tens` counts some of `fields`.
 * kind: HistoPlaneKind. Of HISTO_PLANE_PACKED only planes whose samples are fields of
 *   32-bit words have families, and only for the kernels.
 * word_bytes, n_words: a period is n_words words of word_bytes bytes.
 * depth: the bits of each sample, which fill the word; 0: any.
 * gap: the words without a sample.
 * unit_bytes: what a thread loads at once: whole periods, in whole 16-byte vectors.
 * n_coupled: the histograms of couples, two neighbouring bytes as one number, that the CPU uses for
 *   large planes; 0: none.
 *
 * The loops of the CPU limit the rows; engine/cpu/pixels.c checks these limits:
 * - all: n_words is at most HISTO_MAX_WORDS;
 * - BYTES: word_bytes is 1, depth is 8, and unit_bytes is 16 or 48;
 * - BYTES, n_coupled above 0: n_coupled is 1 or 2, unit_bytes is 16, and n_words divides
 *   2 * n_coupled;
 * - WORDS: word_bytes is 2, unit_bytes is 16, and n_coupled is 0.
 * If n_words does not divide the loops' copies of the counters, the CPU counts the planes
 * sample by sample.
 *
 * A kernel tests its rows in this order and does not test the last one. So each plane given
 * to it must match one of its rows. */
#define HISTO_PLANE_FAMILIES(X) \
  X (bytes, BYTES, 1, 1, 8, NONE, 16, 1)        /* Y of NV12 */ \
  X (bytes, BYTES, 1, 2, 8, NONE, 16, 1)        /* UV of NV12 */ \
  X (pixels, BYTES, 1, 3, 8, NONE, 48, 0)       /* RGB */ \
  X (pixels, BYTES, 1, 6, 8, NONE, 48, 0)       /* IYU1 */ \
  X (pixels, BYTES, 1, 4, 8, FIRST, 16, 2)      /* xRGB */ \
  X (pixels, BYTES, 1, 4, 8, FOURTH, 16, 2)     /* RGBx */ \
  X (pixels, BYTES, 1, 4, 8, NONE, 16, 2)       /* RGBA, YUY2 */ \
  X (shorts, WORDS, 2, 1, 0, NONE, 16, 0)       /* Y of P010 */ \
  X (shorts, WORDS, 2, 2, 0, ANY, 16, 0)        /* UV of P010 */ \
  X (shorts, WORDS, 2, 4, 0, ANY, 16, 0)        /* ARGB64, Y210 */ \
  X (fields, PACKED, 4, 1, 0, ANY, 16, 0)       /* RGB10A2_LE */ \
  X (fields, PACKED, 4, 2, 0, ANY, 16, 0)       /* UV of NV12_10LE32 */ \
  X (fields, PACKED, 4, 4, 0, ANY, 16, 0)       /* v210 */

/* Fields of a 32-bit word, and words of a period, in the families of the kernel `fields`. */
#define HISTO_MAX_FIELDS 4
#define HISTO_MAX_FIELD_WORDS 4

/* ---- Words of three fields of ten bits ------------------------------------------------- */

/* X (n_words, big_endian, has_two_bits, n_parts, splits_lowest, most, parts)
 *
 * Planes of `fields` whose words all have samples of ten bits at bits 0, 10 and 20. The kernel
 * `tens` has code for each of these layouts (kernels/video/tens.cuh).
 *
 * n_words: a period is n_words 32-bit words.
 * has_two_bits: the highest two bits are a sample, too.
 * n_parts: components of ten bits. Each is a part of the counters: 0, 1 or 2.
 * splits_lowest: the lowest bit of a value of part 2 selects the half of a word; else the highest
 *   bit does. The lowest bit is faster for a field at bit 0, and works nowhere else.
 * most: samples of one component in 16 bytes. Planes of one part have 32-bit counters, so that
 *   it does not matter.
 * parts: of the period's fields, in hexadecimal digits; the first field has the last digit. */
#define HISTO_TENS_LAYOUTS(X) \
  X (1, 0, 1, 3, 1, 4, 0x102)   /* RGB10A2_LE, BGR10A2_LE, Y410 */ \
  X (1, 1, 0, 3, 1, 4, 0x102)   /* r210 */ \
  X (1, 0, 0, 1, 0, 12, 0x000)  /* GRAY10_LE32, Y of NV12_10LE32 */ \
  X (2, 0, 0, 2, 0, 6, 0x101010)        /* UV of NV12_10LE32 */ \
  X (4, 0, 0, 3, 0, 6, 0x020102010201)  /* v210 */

typedef struct
{
  uint8_t n_words, big_endian, has_two_bits, n_parts, splits_lowest, most;
  uint64_t parts;
} HistoTensLayout;

#define HISTO_TENS_LAYOUT(...) { __VA_ARGS__ },
HISTO_SHARED_TABLE HistoTensLayout histo_tens_layouts[] = {
  HISTO_TENS_LAYOUTS (HISTO_TENS_LAYOUT)
};
#undef HISTO_TENS_LAYOUT

#define HISTO_N_TENS_LAYOUTS (sizeof histo_tens_layouts / sizeof histo_tens_layouts[0])

/* Values of ten bits. A part of the counters has so many rows. */
#define HISTO_TENS_ROWS 1024

/* Rows of counters for so many parts. */
HISTO_SHARED_CONSTANT uint32_t
histo_tens_rows (uint32_t n_parts, uint32_t has_two_bits)
{
  return HISTO_TENS_ROWS + (n_parts > 2 ? HISTO_TENS_ROWS / 2 : 0) + (has_two_bits ? 4 : 0);
}

/* ---- A row of the families ---------------------------------------------------------------- */

typedef struct
{
  uint8_t kernel;               /* of HISTO_COUNT_KERNELS */
  uint8_t kind;                 /* HistoPlaneKind */
  uint8_t word_bytes;
  uint8_t n_words;
  uint8_t depth;
  int8_t gap;
  uint8_t unit_bytes;
  uint8_t n_coupled;
} HistoFamily;

#define HISTO_FAMILY_ROW(kernel, kind, word_bytes, n_words, depth, gap, unit_bytes, \
    n_coupled) \
  { HISTO_COUNT_##kernel, HISTO_PLANE_##kind, word_bytes, n_words, depth, \
    HISTO_GAP_##gap, unit_bytes, n_coupled },
HISTO_SHARED_TABLE HistoFamily histo_families[] = {
  HISTO_PLANE_FAMILIES (HISTO_FAMILY_ROW)
};
#undef HISTO_FAMILY_ROW

#define HISTO_N_FAMILIES (sizeof histo_families / sizeof histo_families[0])

#ifndef __cplusplus

/* Whether a period whose words with samples are the bits of `present` has the family's
 * gaps. */
static inline int
histo_family_has_gaps (const HistoFamily *family, uint32_t present)
{
  const uint32_t all = (1u << family->n_words) - 1;

  if (family->gap == HISTO_GAP_ANY)
    return 1;
  return present == (family->gap == HISTO_GAP_NONE ? all : all & ~(1u << family->gap));
}

/* The family of the planes of a kind whose periods have so many bytes, or NULL.
 * present: a bit for each word of the period that holds a sample */
static inline const HistoFamily *
histo_family_find (uint32_t kind, uint32_t period_bytes, uint32_t present)
{
  for (size_t i = 0; i < HISTO_N_FAMILIES; i++) {
    const HistoFamily *family = &histo_families[i];

    if (family->kind == kind && family->word_bytes * family->n_words == period_bytes
        && histo_family_has_gaps (family, present))
      return family;
  }
  return NULL;
}

/* The family of a plane of bytes or words, or NULL. */
static inline const HistoFamily *
histo_family_of_words (const HistoPlane *plane)
{
  uint32_t present = 0;

  for (uint32_t w = 0; w < plane->n_words; w++) {
    if (plane->word_sample[w] != HISTO_NO_SAMPLE)
      present |= 1u << w;
  }
  return histo_family_find (plane->kind, plane->period_bytes, present);
}

#endif /* !__cplusplus */

#endif /* HISTO_KERNEL_FAMILIES_H */
