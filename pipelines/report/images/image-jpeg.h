/* Decodes JPEG with libjpeg-turbo, as most libraries for images do: R, G and B of the exact transform, with the chroma samples
 * interpolated.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_IMAGE_JPEG_H
#define REPORT_IMAGE_JPEG_H

#include <gst/video/video.h>

G_BEGIN_DECLS

gboolean report_image_jpeg_is_built (void);
gchar *report_image_jpeg_decode (const guint8 * bytes, gsize n,
    gint64 max_pixels, GstVideoInfo * info, GstMemory ** memory);

G_END_DECLS

#endif /* REPORT_IMAGE_JPEG_H */
