/* Segments of Matroska; see segment.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SEGMENT_H
#define REPORT_SEGMENT_H

#include <gst/gst.h>

G_BEGIN_DECLS

gboolean report_segment_get (GstEvent * event, GstSegment * segment);
GstPadProbeReturn report_segment_correct (GstPad * pad, GstPadProbeInfo * info);

G_END_DECLS

#endif /* REPORT_SEGMENT_H */
