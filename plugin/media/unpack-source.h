/* How much memory GStreamer's unpack functions read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_UNPACK_SOURCE_H
#define HISTO_UNPACK_SOURCE_H

#include <gst/video/video.h>

G_BEGIN_DECLS

gboolean histo_unpack_source_bytes (const GstVideoInfo * video, guint p,
    gint stride, guint64 * bytes, GError ** error);

G_END_DECLS

#endif /* HISTO_UNPACK_SOURCE_H */
