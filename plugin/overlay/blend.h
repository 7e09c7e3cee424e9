/* Blends an overlay into a frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_BLEND_H
#define HISTO_OVERLAY_BLEND_H

#include <gst/video/video.h>

G_BEGIN_DECLS

gboolean histo_blend (GstVideoOverlayComposition * composition,
    GstVideoFrame * frame);

G_END_DECLS

#endif /* HISTO_OVERLAY_BLEND_H */
