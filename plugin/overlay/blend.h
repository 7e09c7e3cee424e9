/* Maps frames, and blends an overlay into them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_BLEND_H
#define HISTO_OVERLAY_BLEND_H

#include <gst/video/video.h>

G_BEGIN_DECLS

gboolean histo_overlay_map_frame (GstVideoFrame * frame,
    const GstVideoInfo * info, GstBuffer * buffer);

gboolean histo_blend (GstVideoOverlayComposition * composition,
    GstVideoFrame * frame);

G_END_DECLS

#endif /* HISTO_OVERLAY_BLEND_H */
