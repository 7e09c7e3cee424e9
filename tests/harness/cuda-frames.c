/* Video frames in CUDA memory; see cuda-frames.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cuda-frames.h"

#include "frames.h"
#include "mock.h"

gboolean
test_cuda_init (gboolean needs_mock)
{
  if (!test_backend_is_cuda () || !gst_cuda_load_library ()) {
    g_print ("skipped: no CUDA\n");
    return FALSE;
  }
  if (needs_mock && test_mock () == NULL) {
    g_print ("skipped: libcuda.so.1 is not the mock\n");
    return FALSE;
  }
  gst_cuda_memory_init_once ();
  return TRUE;
}

/* The function has got an argument. This program may run with another libgstcuda than it was built
 * with. */
typedef GstMemory *(*Alloc) (GstCudaAllocator *, GstCudaContext *,
    const GstVideoInfo *);
typedef GstMemory *(*AllocWithStream) (GstCudaAllocator *, GstCudaContext *,
    gpointer, const GstVideoInfo *);

GstMemory *
test_cuda_memory_new (GstCudaContext * context, gpointer stream,
    const GstVideoInfo * info)
{
  GstAllocator *allocator = gst_allocator_find (GST_CUDA_MEMORY_TYPE_NAME);
  gpointer function = gst_cuda_allocator_alloc;
  GstMemory *memory;
  guint major, minor, micro, nano;

  gst_version (&major, &minor, &micro, &nano);
  if (minor >= 23)
    memory = ((AllocWithStream) function) (GST_CUDA_ALLOCATOR_CAST (allocator),
        context, stream, info);
  else
    memory = ((Alloc) function) (GST_CUDA_ALLOCATOR_CAST (allocator), context,
        info);
  gst_object_unref (allocator);
  return memory;
}

GstBuffer *
test_cuda_buffer_new (GstCudaContext * context, GstVideoInfo * info,
    gboolean with_meta, GRand * random)
{
  GstMemory *memory = test_cuda_memory_new (context, NULL, info);
  GstBuffer *buffer;
  GstMapInfo map;

  if (memory == NULL)
    return NULL;
  *info = GST_CUDA_MEMORY_CAST (memory)->info;
  buffer = gst_buffer_new ();
  gst_buffer_append_memory (buffer, memory);
  if (with_meta)
    test_add_video_meta (buffer, info);

  test_fill_buffer (buffer, random);
  /* This uploads it. */
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ | GST_MAP_CUDA));
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

GstCaps *
test_cuda_caps (const GstVideoInfo * info)
{
  GstCaps *caps = gst_video_info_to_caps (info);

  gst_caps_set_features_simple (caps,
      gst_caps_features_new ("memory:CUDAMemory", NULL));
  return caps;
}
