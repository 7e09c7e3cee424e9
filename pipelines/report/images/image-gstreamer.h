/* Decodes images with GStreamer, if nothing better is built.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_IMAGE_GSTREAMER_H
#define REPORT_IMAGE_GSTREAMER_H

#include <gst/gst.h>

#include "facts/image-formats.h"

G_BEGIN_DECLS

/* How reports name it. */
#define REPORT_DECODER_GSTREAMER "GStreamer"

gchar *report_image_gstreamer_decode (const ReportImageFormat * format,
    const guint8 * bytes, gsize n, gint64 max_pixels, GstBuffer ** picture,
    GstCaps ** caps);

G_END_DECLS

#endif /* REPORT_IMAGE_GSTREAMER_H */
