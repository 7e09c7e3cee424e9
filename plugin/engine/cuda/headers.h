/* The headers of libgstcuda and of the driver, with the macros that they need.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_HEADERS_H
#define HISTO_CUDA_HEADERS_H

#define GST_USE_UNSTABLE_API
#include <cuda.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

#endif /* HISTO_CUDA_HEADERS_H */
