/* What the CUDA engine has for the mask of its plan: which masks it measures, device memory, and the launch.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_MASKS_H
#define HISTO_CUDA_MASKS_H

#include "engine/cuda/driver.h"
#include "engine/cuda/launch.h"
#include "measures/masked.h"

G_BEGIN_DECLS

/* What all slots share. All zero at first. */
typedef struct
{
  const HistoDevice *device;    /* borrowed */
  const HistoCudaKernels *kernels;      /* borrowed */
  const HistoPlan *plan;        /* borrowed; NULL: it has no mask, and no function here calls the driver */
  CUdeviceptr files[HISTO_MOST_MASK_FRAMES];    /* the mask file as each sort of frames needs it; 0: none has come yet */
} HistoCudaMasks;

/* What a slot has for itself. All zero at first. */
typedef struct
{
  CUdeviceptr copy;             /* room for a packed frame */
  guint64 *n_pixels;            /* see HistoCounts */
  /* Of the slot's frame: */
  HistoFrameInfo info;
  const HistoMaskFrame *file;   /* NULL with a mask of alpha */
} HistoCudaMasksSlot;

gboolean histo_cuda_masks_suit (const HistoPlan * plan);

/* The context must be current in all other calls, apart from the last one. */

/* Allocates nothing. @plan: borrowed until histo_cuda_masks_clear() */
void histo_cuda_masks_init (HistoCudaMasks * masks, const HistoDevice * device,
    const HistoCudaKernels * kernels, const HistoPlan * plan);
void histo_cuda_masks_clear (HistoCudaMasks * masks);

/* Clear the slot also after a failure. */
gboolean histo_cuda_masks_init_slot (const HistoCudaMasks * masks,
    HistoCudaMasksSlot * slot, GError ** error);
void histo_cuda_masks_clear_slot (const HistoCudaMasks * masks,
    HistoCudaMasksSlot * slot);

/* Makes sure that the mask is on the device as the frame needs it. When this returns its own work on @stream has ended.
 * @info: of the frame; its regions are kept by the caller until histo_cuda_masks_finish() */
gboolean histo_cuda_masks_begin (HistoCudaMasks * masks,
    HistoCudaMasksSlot * slot, const HistoFrameInfo * info, CUstream stream,
    GError ** error);

/* Where the copy of the frame is. @planes: (inout): of the frame, then of the copy */
void histo_cuda_masks_locate (const HistoCudaMasks * masks,
    const HistoCudaMasksSlot * slot, HistoPlane * planes);

/* Enqueues the launch that writes the copy. @planes: of the frame */
gboolean histo_cuda_masks_launch (const HistoCudaMasks * masks,
    const HistoCudaMasksSlot * slot, const HistoPlane * planes,
    CUstream stream, GError ** error);

/* Completes the counts of the frame, whose launches have ended: samples that take no part are not counted. */
void histo_cuda_masks_finish (const HistoCudaMasks * masks,
    HistoCudaMasksSlot * slot, HistoCounts * counts);

G_END_DECLS

#endif /* HISTO_CUDA_MASKS_H */
