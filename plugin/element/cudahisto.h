/* The element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_CUDA_HISTO_H
#define GST_CUDA_HISTO_H

#include <gst/gst.h>

#include "element/flow.h"
#include "element/settings.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_HISTO (gst_cuda_histo_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaHisto, gst_cuda_histo, GST, CUDA_HISTO, GstElement)
GST_ELEMENT_REGISTER_DECLARE (cudahisto);

struct _GstCudaHisto
{
  GstElement parent;

  HistoSharedSettings settings;
  HistoMeter *meter;
  HistoFlow flow;
};

G_END_DECLS

#endif /* GST_CUDA_HISTO_H */
