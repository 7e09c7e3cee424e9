/* What a colorimetry says. cudahisto measures by it, cudahistooverlay and cudahisto-report draw its limits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_COLORIMETRY_H
#define HISTO_COLORIMETRY_H

#include <gst/video/video.h>

G_BEGIN_DECLS

gboolean histo_colorimetry_read (const gchar * text, gboolean is_rgb,
    GstVideoColorimetry * colorimetry);
gboolean histo_colorimetry_is_limited (const GstVideoColorimetry * colorimetry,
    gboolean is_rgb);
gboolean histo_colorimetry_is_hdr (const GstVideoColorimetry * colorimetry);
void histo_luma_weights (const GstVideoColorimetry * colorimetry, gint height,
    gdouble * red, gdouble * blue);

G_END_DECLS

#endif /* HISTO_COLORIMETRY_H */
