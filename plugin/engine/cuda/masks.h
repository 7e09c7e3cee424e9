/* What the CUDA engine has for the mask of its plan: device memory, and the launches.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_MASKS_H
#define HISTO_CUDA_MASKS_H

#include "engine/cuda/driver.h"
#include "engine/cuda/launch.h"
#include "engine/cuda/page-lock.h"
#include "measures/masked.h"

G_BEGIN_DECLS

/* What all slots share. All zero at first. */
typedef struct
{
  const HistoDevice *device;    /* borrowed */
  const HistoCudaKernels *kernels;      /* borrowed */
  const HistoPlan *plan;        /* borrowed; NULL: it has no mask, and no function here calls the driver */
  gboolean copies;              /* see plan-mask.h: the first way; else the second one */
  CUdeviceptr files[HISTO_MOST_MASK_FRAMES];    /* 1st: the mask file as each sort of frames needs it; 0: none has come yet */
  CUdeviceptr pixels, chroma_table, hlg;        /* 2nd: the mask file, and tables; 0: there is none */
} HistoCudaMasks;

/* What a slot has for itself. All zero at first. */
typedef struct
{
  CUdeviceptr copy;             /* 1st: room for a packed frame */
  CUdeviceptr counters, tallies;        /* 2nd: the plan's; 0: it has no tallies */
  HistoPinned host_tallies;
  guint64 *n_pixels;            /* see HistoCounts */
  /* Of the slot's frame: */
  HistoFrameInfo info;
  const HistoMaskFrame *file;   /* 1st; NULL with a mask of alpha */
} HistoCudaMasksSlot;

/* Whether frames are measured by histo_cuda_masks_measure(), and by nothing else. */
static inline gboolean
histo_cuda_masks_measure_all (const HistoCudaMasks * masks)
{
  return masks->plan != NULL && !masks->copies;
}

/* The context must be current in all calls, apart from the last one. @stream: the functions that allocate return when
 * their work on it has ended. */

/* Allocates nothing. @plan: borrowed until histo_cuda_masks_clear() */
void histo_cuda_masks_init (HistoCudaMasks * masks, const HistoDevice * device,
    const HistoCudaKernels * kernels, const HistoPlan * plan);
/* Clear the masks also after a failure. */
gboolean histo_cuda_masks_alloc (HistoCudaMasks * masks, CUstream stream,
    GError ** error);
void histo_cuda_masks_clear (HistoCudaMasks * masks);

/* Clear the slot also after a failure. */
gboolean histo_cuda_masks_init_slot (const HistoCudaMasks * masks,
    HistoCudaMasksSlot * slot, GError ** error);
void histo_cuda_masks_clear_slot (const HistoCudaMasks * masks,
    HistoCudaMasksSlot * slot);

/* Makes sure that the mask is on the device as the frame needs it. @info: of the frame; its regions are kept by the caller
 * until histo_cuda_masks_finish() */
gboolean histo_cuda_masks_begin (HistoCudaMasks * masks,
    HistoCudaMasksSlot * slot, const HistoFrameInfo * info, CUstream stream,
    GError ** error);

/* The first way: where the copy of the frame is. @planes: (inout): of the frame, then of the copy */
void histo_cuda_masks_locate (const HistoCudaMasks * masks,
    const HistoCudaMasksSlot * slot, HistoPlane * planes);
/* The first way: enqueues the launch that writes the copy. @planes: of the frame */
gboolean histo_cuda_masks_copy (const HistoCudaMasks * masks,
    const HistoCudaMasksSlot * slot, const HistoPlane * planes,
    CUstream stream, GError ** error);

/* The second way: enqueues all that measures the frame. @counters: of the host: the plan's */
gboolean histo_cuda_masks_measure (const HistoCudaMasks * masks,
    HistoCudaMasksSlot * slot, const HistoPlane * planes, guint32 * counters,
    CUstream stream, GError ** error);

/* Completes the counts of the frame, whose launches have ended. */
void histo_cuda_masks_finish (const HistoCudaMasks * masks,
    HistoCudaMasksSlot * slot, HistoCounts * counts);

G_END_DECLS

#endif /* HISTO_CUDA_MASKS_H */
