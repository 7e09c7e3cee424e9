/* The shape of the launches of masked frames: there are two ways.
 *
 * 1. The kernel `mask` writes a copy of the frame in which the samples that take no part are 0, and the kernels of frames
 *    without a mask count the samples of the copy.
 * 2. The kernel `masked` counts everything, of the samples and pixels alone that take part.
 *
 * All functions are pure: they call no driver.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_PLAN_MASK_H
#define HISTO_CUDA_PLAN_MASK_H

#include "engine/cuda/plan.h"
#include "kernels/strip-launch.h"
#include "measures/plan.h"

G_BEGIN_DECLS

/* Of a copy: its vectors of 16 bytes are numbered with 32 bits. */
#define HISTO_CUDA_MOST_MASKED_BYTES ((guint64) G_MAXUINT32 * 16)

gboolean histo_cuda_plan_copies_masked (const HistoPlan * plan);

/* A frame of which a copy is written. */
typedef struct
{
  const HistoPlane *planes;     /* of the frame, where the kernel reads them */
  guint64 copy;                 /* device memory: histo_packed_size() bytes */
  /* Device memory, of a mask file: histo_packed_size() bytes of histo_mask_make_planes(); if histo_mask_is_of_bytes(), the
   * histo_mask_pack_bits() of these. */
  guint64 mask;
} HistoCudaMaskFrame;

void histo_cuda_plan_mask (const HistoFormat * format, gint alpha,
    const HistoCudaMaskFrame * frame, HistoMaskLaunch * launch,
    HistoCudaGrid * grid);

/* A frame whose samples and pixels are measured where they lie. The rest is device memory. */
typedef struct
{
  const HistoPlane *planes;     /* where the kernel reads them */
  const HistoFrameInfo *info;
  guint64 pixels;               /* of a mask file: those of HistoMask; else 0 */
  guint64 chroma_table, hlg;    /* the tables of the plan, if it has them */
  guint64 counters, tallies;    /* the plan's, zero before the launches */
} HistoCudaMaskedFrame;

void histo_cuda_plan_masked (const HistoCudaLimits * limits,
    const HistoPlan * plan, const HistoCudaMaskedFrame * frame,
    guint first_region, HistoMaskedLaunch * launch, HistoCudaGrid * grid);

G_END_DECLS

#endif /* HISTO_CUDA_PLAN_MASK_H */
