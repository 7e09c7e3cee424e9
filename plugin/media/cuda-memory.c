/* What of CUDA memory must be known to map a buffer, also where CUDA is not built.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "media/cuda-memory.h"

#ifdef HAVE_CUDA
#include "engine/cuda/headers.h"
#endif

/* As libgstcuda names its memory; it need not be built with us, or be installed. */
#define CUDA_MEMORY_TYPE "gst.cuda.memory"

gboolean
histo_is_cuda_buffer (GstBuffer * buffer)
{
  return gst_buffer_n_memory (buffer) > 0
      && gst_memory_is_type (gst_buffer_peek_memory (buffer, 0),
      CUDA_MEMORY_TYPE);
}

/* Whether a device can read the whole buffer where it lies. */
gboolean
histo_is_in_cuda_memory (GstBuffer * buffer)
{
  guint n = gst_buffer_n_memory (buffer);

  for (guint i = 0; i < n; i++) {
    if (!gst_memory_is_type (gst_buffer_peek_memory (buffer, i),
            CUDA_MEMORY_TYPE))
      return FALSE;
  }
  /* Several memories are told apart by a video meta alone. */
  return n == 1 || (n > 1 && gst_buffer_get_video_meta (buffer) != NULL);
}

/* Takes over the strides, offsets and size that the buffer's CUDA memory was
 * allocated with. TRUE also for a buffer of other memory, where the caps' are right;
 * FALSE where they cannot be known. */
gboolean
histo_cuda_memory_update_info (GstBuffer * buffer, GstVideoInfo * info)
{
  if (!histo_is_cuda_buffer (buffer))
    return TRUE;
#ifdef HAVE_CUDA
  {
    const GstVideoInfo *own =
        &GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (buffer, 0))->info;

    memcpy (info->stride, own->stride, sizeof info->stride);
    memcpy (info->offset, own->offset, sizeof info->offset);
    info->size = own->size;
    return TRUE;
  }
#else
  return FALSE;
#endif
}
