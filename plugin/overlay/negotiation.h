/* Negotiation: whether downstream draws the overlay, or this element does.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_NEGOTIATION_H
#define HISTO_OVERLAY_NEGOTIATION_H

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

GstCaps *histo_negotiation_transform (GstPadDirection direction,
    const GstCaps * caps, GstCaps * filter);
GstCaps *histo_negotiation_choose (GstBaseTransform * transform,
    const GstCaps * caps, GstCaps * choices);
gboolean histo_negotiation_has_feature (const GstCaps * caps);
gboolean histo_negotiation_propose (GstBaseTransform * transform,
    GstQuery * query);

G_END_DECLS

#endif /* HISTO_OVERLAY_NEGOTIATION_H */
