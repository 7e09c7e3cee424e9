/* The element cudahistocompare.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_CUDA_HISTO_COMPARE_H
#define GST_CUDA_HISTO_COMPARE_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_CUDA_HISTO_COMPARE (gst_cuda_histo_compare_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaHistoCompare, gst_cuda_histo_compare, GST, CUDA_HISTO_COMPARE, GstElement)
GST_ELEMENT_REGISTER_DECLARE (cudahistocompare);

G_END_DECLS

#endif /* GST_CUDA_HISTO_COMPARE_H */
