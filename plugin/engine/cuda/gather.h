/* Audio buffers on their way to the device: alone, or several in one launch.
 *
 * A buffer of audio may be much less work than a launch. So a small buffer that arrives while
 * others are in flight is only staged: it is copied beside the small buffers before it. One
 * launch measures all of them, each into the memory of its own slot.
 *
 * The staged buffers are launched as soon as one of these holds:
 * - a thread waits for one of them;
 * - there are as many as one launch, or max-in-flight, allows;
 * - a buffer arrives that is too large to be staged with them, or finds no room;
 * - no other buffer is in flight.
 *
 * This delays no result, because the element waits for the oldest buffer in flight: the staged
 * buffers wait only while the device measures earlier ones.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_GATHER_H
#define HISTO_CUDA_GATHER_H

#include "engine/cuda/slot.h"

G_BEGIN_DECLS

typedef struct
{
  HistoSlots *slots;
  HistoSlot *first;             /* of the staged buffers; NULL without any. Under the lock */
} HistoGather;

/* Stages or launches an audio buffer. The buffer is not needed any more afterwards. On success
 * the slot is in use, in any state. On failure it is free. The context must be current. */
gboolean histo_gather_start (HistoGather * gather, HistoSlot * slot,
    GstBuffer * buffer, const HistoFrameInfo * info, GError ** error);

/* Launches the staged buffers, of which there must be some. Their slots are LAUNCHED then, or
 * FINISHED with an error. Call it under the lock. */
void histo_gather_launch (HistoGather * gather);

/* Finishes a GATHERED slot without measuring its buffer. Call it under the lock. */
void histo_gather_leave (HistoGather * gather, HistoSlot * slot);

G_END_DECLS

#endif /* HISTO_CUDA_GATHER_H */
