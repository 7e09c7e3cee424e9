/* Video frames in CUDA memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_CUDA_FRAMES_H
#define TESTS_CUDA_FRAMES_H

#include "harness.h"

#ifndef GST_USE_UNSTABLE_API
#define GST_USE_UNSTABLE_API
#endif
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>
#include <gst/video/video.h>

/* Prepares libgstcuda for the tests of a suite; to be called before they run, because some of its
 * work is done only once in a process. Returns FALSE and prints a line if the suite is to be skipped:
 * if the engine under test is not CUDA, if there is no driver, or if @needs_mock and the driver is
 * not the mock. */
gboolean test_cuda_init (gboolean needs_mock);

/* Memory for a frame. @stream: (nullable): a GstCudaStream; ignored before GStreamer 1.24 */
GstMemory *test_cuda_memory_new (GstCudaContext * context, gpointer stream,
    const GstVideoInfo * info);

/* A frame of random samples, uploaded to memory of this context. @info gets the strides and offsets
 * of that memory. Returns NULL if libgstcuda has no memory for the format. */
GstBuffer *test_cuda_buffer_new (GstCudaContext * context, GstVideoInfo * info,
    gboolean with_meta, GRand * random);

/* The caps of such frames. */
GstCaps *test_cuda_caps (const GstVideoInfo * info);

#endif /* TESTS_CUDA_FRAMES_H */
