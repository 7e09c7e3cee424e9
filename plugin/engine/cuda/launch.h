/* The kernels, loaded and launched: from a task to blocks on a stream.
 *
 * Shared by the engine and by the programs that test and time the kernels, so that
 * what is measured is what runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_KERNELS_H
#define HISTO_CUDA_KERNELS_H

#include "engine/cuda/driver.h"
#include "engine/cuda/tuning.h"
#include "media/format.h"

G_BEGIN_DECLS

/* In one context. */
typedef struct
{
  const HistoDriver *driver;
  CUmodule module;
  CUfunction count[HISTO_N_COUNT_KERNELS], sum_frame;
  CUfunction measure_samples, sum_audio;
  CUfunction measure_vectors[HISTO_N_VECTOR_KERNELS];
  HistoDeviceLimits limits;
  gboolean sums_wait;           /* by themselves for the launch before: see kernels/portable.cuh */
} HistoKernels;

gboolean histo_kernels_load (HistoKernels * kernels,
    const HistoDriver * driver, GError ** error);
void histo_kernels_unload (HistoKernels * kernels);

gsize histo_kernels_video_scratch (const HistoKernels * kernels,
    const HistoFormat * format);
gsize histo_kernels_video_counters (const HistoKernels * kernels,
    const HistoFormat * format);
gsize histo_kernels_video_result (const HistoKernels * kernels,
    const HistoFormat * format);
gsize histo_kernels_audio_scratch (const HistoKernels * kernels,
    guint n_channels, guint n_bins);
gsize histo_kernels_audio_partials (const HistoKernels * kernels,
    guint n_channels, guint n_bins);

gboolean histo_kernels_launch_video (const HistoKernels * kernels,
    HistoVideoTask * task, CUstream stream, GError ** error);
void histo_kernels_finish_video (const HistoKernels * kernels,
    const HistoFormat * format, guint32 * result);
gboolean histo_kernels_can_gather (const HistoKernels * kernels,
    HistoAudioTask * task);
gboolean histo_kernels_launch_audio (const HistoKernels * kernels,
    HistoAudioTask * task, CUstream stream, GError ** error);

G_END_DECLS

#endif /* HISTO_CUDA_KERNELS_H */
