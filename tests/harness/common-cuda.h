/* What the tests of CUDA memory share, and those that steer the libcuda made for tests.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_COMMON_CUDA_H
#define TESTS_COMMON_CUDA_H

#include "common.h"

#ifndef GST_USE_UNSTABLE_API
#define GST_USE_UNSTABLE_API
#endif
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

#include "mock-cuda.h"

/* The mock's controls, or NULL where libcuda.so.1 is another or none. */
const MockCuda *test_mock (void);

/* Fails the test with @label unless as much is alive in the mock as before. */
void test_check_live (const MockCudaLive * before, const gchar * label);

/* A frame of random samples in the context's memory, uploaded; NULL where libgstcuda has
 * no memory for the format. @info gets the strides and offsets of the memory. */
GstBuffer *test_cuda_buffer_new (GstCudaContext * context, GstVideoInfo * info,
    gboolean with_meta, GRand * random);
GstCaps *test_cuda_caps (const GstVideoInfo * info);

#endif /* TESTS_COMMON_CUDA_H */
