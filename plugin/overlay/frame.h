/* Maps frames to draw into them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_FRAME_H
#define HISTO_OVERLAY_FRAME_H

#include <gst/video/video.h>

G_BEGIN_DECLS

gboolean histo_overlay_map_frame (GstVideoFrame * frame,
    const GstVideoInfo * info, GstBuffer * buffer);

G_END_DECLS

#endif /* HISTO_OVERLAY_FRAME_H */
