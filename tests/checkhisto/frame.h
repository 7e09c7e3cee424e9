/* Frames for the kernels to count: planes laid out in poisoned memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CHECKHISTO_FRAME_H
#define CHECKHISTO_FRAME_H

#include "checkhisto.h"
#include "reference-measures.h"

G_BEGIN_DECLS

/* The content of a plane. Each kind is difficult for some of the kernels. */
typedef enum
{
  CONTENT_RANDOM,
  CONTENT_ZERO,
  CONTENT_ONES,
  CONTENT_CONSTANT,             /* one 16-bit word */
  CONTENT_PAIRS,                /* runs of two 16-bit words that take turns */
  CONTENT_RUNS,                 /* of one 16-bit word, from 16-byte boundaries on */
  CONTENT_ONE_BANK,             /* bytes that are multiples of 32 */
  CONTENT_FEW,                  /* four bytes */
  CONTENT_RARE,                 /* a constant with exceptions */
  N_CONTENTS
} Content;

void fill_content (guint8 * data, gsize size, Content content);

/* The memory of a plane. The bytes that belong to no row are random. */
typedef struct
{
  guint8 *host;
  CUdeviceptr device;
  gsize size;
  gsize first;                  /* offset of row 0 */
} Slab;

typedef struct
{
  HistoFormat format;           /* its planes have no data */
  HistoPlane planes[HISTO_MAX_PLANES];  /* these have data */
  Slab slabs[HISTO_MAX_PLANES];
} Frame;

/* The strides that a frame may have. */
typedef enum
{
  STRIDES_ANY,
  STRIDES_NONE                  /* rows without gaps, aligned */
} Strides;

void frame_init (Frame * frame, const HistoFormat * format, Strides strides);
void frame_fill (Frame * frame, Content content);
void frame_upload (Frame * frame);
void frame_clear (Frame * frame);
/* Reads a frame of a format of GStreamer. @picture: (out): free with reference_picture_clear() */
void frame_read (const Frame * frame, ReferencePicture * picture);
/* Counts what the planes describe, byte by byte; n_bins counters. */
guint32 *frame_count (const Frame * frame);
void frame_describe (const Frame * frame, GString * text);

/* Counts a random frame of a format of GStreamer under the limits, and compares with the reference.
 * @format: (transfer full) */
CheckOutcome check_video_format (CheckCase * c, HistoFormat * format,
    Strides strides, const HistoCudaLimits * limits);

G_END_DECLS

#endif /* CHECKHISTO_FRAME_H */
