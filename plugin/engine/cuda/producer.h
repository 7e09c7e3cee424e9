/* The stream on which somebody fills CUDA memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_PRODUCER_H
#define HISTO_CUDA_PRODUCER_H

#include "engine/cuda/headers.h"

G_BEGIN_DECLS

CUstream histo_producer_stream_of (GstMemory * memory);

G_END_DECLS

#endif /* HISTO_CUDA_PRODUCER_H */
