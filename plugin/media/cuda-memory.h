/* CUDA memory as far as mapping a buffer needs to know it, also in builds without CUDA.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_MEMORY_H
#define HISTO_CUDA_MEMORY_H

#include <gst/video/video.h>

G_BEGIN_DECLS

gboolean histo_is_cuda_buffer (GstBuffer * buffer);
gboolean histo_is_in_cuda_memory (GstBuffer * buffer);
gboolean histo_cuda_memory_update_info (GstBuffer * buffer,
    GstVideoInfo * info, GError ** error);

G_END_DECLS

#endif /* HISTO_CUDA_MEMORY_H */
