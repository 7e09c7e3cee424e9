/* The shape of the launches that evaluate the maps of a frame: which planes they read, the
 * counters, and how blocks are divided among the regions.
 *
 * All functions are pure: they call no driver.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_PLAN_MAPS_H
#define HISTO_CUDA_PLAN_MAPS_H

#include "engine/cuda/plan.h"
#include "kernels/maps-launch.h"
#include "measures/plan.h"

G_BEGIN_DECLS

/* What is the same for all frames of a plan. */
typedef struct
{
  const HistoPlan *plan;        /* borrowed */
  HistoCudaLimits limits;
  gboolean extracts;            /* the planes are extracted; else the maps read the buffer's */
  gsize picture_bytes;          /* device memory for what is extracted or copied; 0: nothing is */
  gsize sums_bytes;             /* device memory for sums of tallies, zero between launches */
  gboolean counts_samples;      /* these launches count the picture's samples, too */
  guint first_region;           /* 1 if the maps of the whole picture have nothing to measure */
  guint kernel;                 /* of HISTO_MAPS_KERNELS */
  /* Templates. The addresses in views of extracted planes and of copies are offsets in the memory
   * of a picture. Those of the buffer's planes are offsets in plane native_planes[c]. */
  HistoExtractLaunch extract;
  HistoMapsLaunch launch;
  guint native_planes[HISTO_MAX_COMPONENTS];
} HistoCudaMapsPlan;

/* Where a frame's planes and the memory for its results are. */
typedef struct
{
  const HistoPlane *planes;     /* of the buffer, with data and strides */
  const HistoFrameInfo *info;
  guint64 picture;              /* picture_bytes bytes; 0: do not copy */
  guint64 previous;             /* the picture of the previous frame; 0: there is none */
  guint64 scratch, result;      /* see HistoVideoLaunch */
  guint64 sums;                 /* sums_bytes bytes */
  guint64 tallies;              /* page-locked: n_tallies of the plan */
  guint64 chroma_table;         /* the plan's, in device memory; 0 if the plan has none */
} HistoCudaMapsFrame;

void histo_cuda_plan_views (HistoCudaMapsPlan * maps);
void histo_cuda_plan_maps (const HistoCudaLimits * limits,
    const HistoPlan * plan, HistoCudaMapsPlan * maps);

gboolean histo_cuda_plan_extract_frame (const HistoCudaMapsPlan * maps,
    const HistoCudaMapsFrame * frame, HistoExtractLaunch * launch,
    HistoCudaGrid * grid);
void histo_cuda_plan_maps_frame (const HistoCudaMapsPlan * maps,
    const HistoCudaMapsFrame * frame, guint first_region,
    HistoMapsLaunch * launch, HistoCudaGrid * grid);

G_END_DECLS

#endif /* HISTO_CUDA_PLAN_MAPS_H */
