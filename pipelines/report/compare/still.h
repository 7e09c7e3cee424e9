/* Small still pictures of frames, as PNG.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_STILL_H
#define REPORT_STILL_H

#include <gst/video/video.h>

G_BEGIN_DECLS

typedef struct
{
  guint width, height;
  guint8 *pixels;               /* R, G, B of each pixel, row by row, without gaps */
} ReportStill;

ReportStill *report_still_new (GstBuffer * buffer, GstCaps * caps, guint most);
ReportStill *report_still_new_difference (const ReportStill * a, const ReportStill * b, guint * factor);
GBytes *report_still_encode (const ReportStill * still);
void report_still_free (ReportStill * still);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReportStill, report_still_free)

G_END_DECLS

#endif /* REPORT_STILL_H */
