/* Transfer functions: cudahisto measures light by them, cudahistooverlay draws the scale of light.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LIGHT_H
#define HISTO_LIGHT_H

#include <gst/video/video.h>

G_BEGIN_DECLS

/* The white of HLG, in cd/m²: that of the display of which BT.2100's OOTF has the gamma 1.2. */
#define HISTO_HLG_WHITE 1000
/* HDR reference white, in cd/m²: ITU-R BT.2408. With PQ it is 58 % of the signal, with HLG 75 %. */
#define HISTO_HDR_WHITE 203
/* The greatest light of PQ, in cd/m². */
#define HISTO_PQ_MOST 10000

gdouble histo_light_of_signal (GstVideoTransferFunction transfer,
    gdouble signal);
gdouble histo_pq_of_light (gdouble light);
gdouble histo_signal_of_light (GstVideoTransferFunction transfer,
    gdouble light);
gdouble histo_linear_of_srgb (gdouble signal);

G_END_DECLS

#endif /* HISTO_LIGHT_H */
