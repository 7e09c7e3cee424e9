/* CUDA memory as far as mapping a buffer needs to know it, also in builds without CUDA.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "media/cuda-memory.h"

#ifdef HAVE_CUDA
#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudamemory.h>
#endif

/* The name that libgstcuda gives its memory type. The name is known also where libgstcuda is
 * not installed. */
#define CUDA_MEMORY_TYPE "gst.cuda.memory"

/* Whether the buffer's first memory is CUDA memory. */
gboolean
histo_is_cuda_buffer (GstBuffer * buffer)
{
  return gst_buffer_n_memory (buffer) > 0
      && gst_memory_is_type (gst_buffer_peek_memory (buffer, 0),
      CUDA_MEMORY_TYPE);
}

/* Whether a device can read the whole buffer in place: all its memories are CUDA memory, and a
 * video meta says which planes are in which memory if there are several. */
gboolean
histo_is_in_cuda_memory (GstBuffer * buffer)
{
  const guint n = gst_buffer_n_memory (buffer);

  for (guint i = 0; i < n; i++) {
    if (!gst_memory_is_type (gst_buffer_peek_memory (buffer, i),
            CUDA_MEMORY_TYPE))
      return FALSE;
  }
  return n == 1 || (n > 1 && gst_buffer_get_video_meta (buffer) != NULL);
}

#ifdef HAVE_CUDA
static gboolean
copy_memory_info (const GstVideoInfo * memory_info, GstVideoInfo * info,
    GError ** error)
{
  if (GST_VIDEO_INFO_FORMAT (memory_info) != GST_VIDEO_INFO_FORMAT (info)
      || GST_VIDEO_INFO_WIDTH (memory_info) < GST_VIDEO_INFO_WIDTH (info)
      || GST_VIDEO_INFO_HEIGHT (memory_info) < GST_VIDEO_INFO_HEIGHT (info)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The buffer's CUDA memory was allocated for %s %dx%d, its caps say %s "
        "%dx%d", GST_VIDEO_INFO_NAME (memory_info),
        GST_VIDEO_INFO_WIDTH (memory_info),
        GST_VIDEO_INFO_HEIGHT (memory_info), GST_VIDEO_INFO_NAME (info),
        GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info));
    return FALSE;
  }
  memcpy (info->stride, memory_info->stride, sizeof info->stride);
  memcpy (info->offset, memory_info->offset, sizeof info->offset);
  info->size = memory_info->size;
  return TRUE;
}
#endif

/**
 * histo_cuda_memory_update_info:
 * @buffer: one without a video meta
 * @info: (inout): what the caps say; gets the strides, offsets and size with which the
 *   buffer's CUDA memory was allocated. Left as it is if the buffer has other memory.
 *
 * Returns: FALSE with a %GST_STREAM_ERROR_FORMAT if the strides cannot be known
 */
gboolean
histo_cuda_memory_update_info (GstBuffer * buffer, GstVideoInfo * info,
    GError ** error)
{
  if (!histo_is_cuda_buffer (buffer))
    return TRUE;
#ifdef HAVE_CUDA
  return copy_memory_info (&GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory
          (buffer, 0))->info, info, error);
#else
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "CUDA memory without a video meta: built without CUDA, cudahisto cannot "
      "tell its pitch");
  return FALSE;
#endif
}
