/* Sample patterns: where the samples of one period of a plane lie.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_PATTERNS_H
#define HISTO_PATTERNS_H

#include <gst/video/video.h>

#include "kernels/planes.h"

G_BEGIN_DECLS

/* One sample of a period: the `bytes` bytes (1, 2 or 4) at byte `offset` of the period hold
 * a word in the plane's byte order; the sample is the `depth` bits of it from bit `shift` on,
 * counted from the lowest. */
typedef struct
{
  guint8 component;             /* its index in GstVideoFormatInfo */
  guint8 offset, bytes, shift, depth;
} HistoPatternSample;

/* A plane's samples repeat after every `period_bytes` bytes. A component's samples come in
 * the order of the picture, from left to right. For example, 4:2:2 video as UYVY has periods
 * of 4 bytes with 4 samples: U at offset 0, Y at 1, V at 2, Y at 3. */
typedef struct
{
  GstVideoFormat format;
  guint8 plane;
  guint8 period_bytes;
  gboolean big_endian;
  guint8 n_samples;
  HistoPatternSample samples[HISTO_MAX_SAMPLES];
} HistoPattern;

gboolean histo_pattern_of_plane (const GstVideoFormatInfo * info, guint plane,
    HistoPattern * pattern);
void histo_pattern_of_unpacked (guint component, guint depth,
    HistoPattern * pattern);

G_END_DECLS

#endif /* HISTO_PATTERNS_H */
