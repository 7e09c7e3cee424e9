/* The element cudahistooverlay: draws the results of cudahisto into the picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_ELEMENT_H
#define HISTO_OVERLAY_ELEMENT_H

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_CUDA_HISTO_OVERLAY (gst_cuda_histo_overlay_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaHistoOverlay, gst_cuda_histo_overlay, GST,
    CUDA_HISTO_OVERLAY, GstBaseTransform)
GST_ELEMENT_REGISTER_DECLARE (cudahistooverlay);

G_END_DECLS

#endif /* HISTO_OVERLAY_ELEMENT_H */
