/* Decodes JPEG with libjpeg-turbo, as PIL and torchvision do: to R, G and B, with the exact transform, and with interpolated
 * chroma samples.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_IMAGE_JPEG_H
#define REPORT_IMAGE_JPEG_H

#include <gst/video/video.h>

G_BEGIN_DECLS

/* What gets the picture: its format and size, without colours, and then its rows. */
typedef struct
{
  void (*begin) (const GstVideoInfo * info, gpointer data);
  void (*take_rows) (gconstpointer rows, gint stride, guint n_rows, gpointer data);
  gpointer data;
} ReportImageSink;

gboolean report_image_jpeg_is_built (void);
gchar *report_image_jpeg_decode (const guint8 * bytes, gsize n,
    gint64 max_pixels, const ReportImageSink * sink);

G_END_DECLS

#endif /* REPORT_IMAGE_JPEG_H */
