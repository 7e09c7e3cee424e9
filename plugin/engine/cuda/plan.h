/* The shape of launches: from a device's limits and launch parameters to grids, copies of
 * the counters, and sizes of memory.
 *
 * All functions are pure: they call no driver, and depend on their arguments and on the
 * tuning table (tuning.h) only.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_PLAN_H
#define HISTO_CUDA_PLAN_H

#include "kernels/launch.h"
#include "media/format.h"

G_BEGIN_DECLS

/* ---- A device and a grid -------------------------------------------------------------- */

/* Attributes of a device. */
typedef struct
{
  gint compute_capability;      /* 90 for 9.0 */
  gint n_multiprocessors;
  gint shared_memory_per_block; /* bytes that a block can have on request, all for counters */
  gint threads_per_multiprocessor;
  gint shared_memory_per_multiprocessor;        /* bytes of all blocks together */
  gint shared_memory_of_system; /* bytes of each block that the system needs besides */
  gint is_integrated;           /* its memory is the host's memory */
  gint uses_host_page_tables;   /* it reads the host's memory at the host's addresses */
} HistoCudaLimits;

/* The grid of one kernel. Without blocks the kernel is not launched. */
typedef struct
{
  guint blocks;                 /* gridDim.x */
  guint channel_blocks;         /* gridDim.y */
  guint buffers;                /* gridDim.z */
  guint threads;                /* of a block */
  guint shared_bytes;           /* dynamic shared memory of a block */
} HistoCudaGrid;

guint64 histo_cuda_plan_shared_room (const HistoCudaLimits * limits);
guint8 histo_cuda_plan_copies (const HistoCudaLimits * limits,
    guint most_copies_log2, guint32 n_bins);
guint histo_cuda_plan_counters_bytes (guint32 n_bins, guint copies_log2);
guint64 histo_cuda_plan_align (guint64 size);

/* ---- Video ---------------------------------------------------------------------------- */

/* The kernels for one frame, in this order on one stream. */
typedef struct
{
  HistoCudaGrid count[HISTO_N_COUNT_KERNELS];
  HistoCudaGrid sum;
} HistoCudaVideoPlan;

void histo_cuda_plan_video (const HistoCudaLimits * limits,
    HistoVideoLaunch * launch, HistoCudaVideoPlan * plan);
guint histo_cuda_plan_ranges_log2 (const HistoCudaLimits * limits);
gboolean histo_cuda_plan_is_packed (const HistoCudaLimits * limits,
    const HistoFormat * format, guint component);

/* @n_bins: counters of all components of a frame: those of the format come first. */
gsize histo_cuda_plan_video_counters (const HistoCudaLimits * limits,
    guint32 n_bins);
gsize histo_cuda_plan_video_scratch (const HistoCudaLimits * limits,
    const HistoFormat * format, guint32 n_bins);
gsize histo_cuda_plan_video_result (const HistoCudaLimits * limits,
    const HistoFormat * format, guint32 n_bins);
gsize histo_cuda_plan_halves_offset (guint32 n_bins);

/* ---- Audio ---------------------------------------------------------------------------- */

/* The kernels for one buffer or several, in this order on one stream. */
typedef struct
{
  HistoCudaGrid measure;
  HistoCudaGrid sum;
  guint vector_kernel;          /* of HISTO_VECTOR_KERNELS, for HISTO_AUDIO_BY_VECTOR */
  gboolean leaves_tables;       /* the blocks store tables for the second kernel */
  gboolean last_block_sums;     /* the last block sums; there is no second launch */
  gboolean can_gather;          /* several such buffers can share the launch */
} HistoCudaAudioPlan;

void histo_cuda_plan_audio (const HistoCudaLimits * limits,
    HistoAudioLaunch * launch, HistoCudaAudioPlan * plan);

gsize histo_cuda_plan_audio_scratch (guint n_channels, guint n_bins);
gsize histo_cuda_plan_audio_partials (const HistoCudaLimits * limits,
    guint n_channels, guint n_bins);

G_END_DECLS

#endif /* HISTO_CUDA_PLAN_H */
