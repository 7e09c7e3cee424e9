/* The weights of red and blue in luma.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LUMA_WEIGHTS_H
#define HISTO_LUMA_WEIGHTS_H

#include <gst/video/video.h>

G_BEGIN_DECLS

void histo_luma_weights (const GstVideoColorimetry * colorimetry, gint height,
    gdouble * red, gdouble * blue);

G_END_DECLS

#endif /* HISTO_LUMA_WEIGHTS_H */
