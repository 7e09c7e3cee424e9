/* The kernels: one launch measures one buffer.
 *
 * Each launch leaves its scratch memory zero, as it found it: the last block to finish
 * hands the sums to page-locked host memory and clears them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels/portable.cuh"
#include "kernels/audio.cuh"
#include "kernels/video.cuh"

/* Counts the native histograms of all components of a frame.
 * Grid: task.first_block[n_planes] blocks; dynamic shared memory: the most that any
 * plane's counters take. */
extern "C" __global__ void __launch_bounds__ (1024)
cudahisto_count_frame (const __grid_constant__ HistoVideoTask task)
{
  uint32_t *scratch = (uint32_t *) task.scratch;
  uint32_t p = 0;

  while (blockIdx.x >= task.first_block[p + 1])
    p++;

  const HistoPlane &plane = task.planes[p];
  const PlaneBlock block = { blockIdx.x - task.first_block[p],
    task.first_block[p + 1] - task.first_block[p] };
  const uint32_t copies_log2 = task.copies_log2[p];

  if (copies_log2 == HISTO_NO_COPIES) {
    const GlobalCounters counters = { scratch + plane.first_bin };

    count_plane (plane, block, counters);
  } else if (copies_log2 == HISTO_PACKED_COPY) {
    const PackedCounters counters = { scratch + plane.first_bin };

    clear_counters (plane.n_bins / 2, 0);
    count_plane (plane, block, counters);
    fold_packed_counters (plane.n_bins, counters.sums);
  } else {
    const SharedCounters counters (copies_log2);

    clear_counters (plane.n_bins, copies_log2);
    count_plane (plane, block, counters);
    fold_counters (plane.n_bins, copies_log2, scratch + plane.first_bin);
  }

  if (is_last_block (scratch + task.n_bins, gridDim.x))
    publish_counters (scratch, task.n_bins, (uint32_t *) task.result);
}

/* Measures the channels of an audio buffer.
 * Grid: (blocks per channel, channels); dynamic shared memory: one channel's counters. */
extern "C" __global__ void __launch_bounds__ (256)
cudahisto_measure_audio (const __grid_constant__ HistoAudioTask task)
{
  const uint32_t channel = blockIdx.y;
  const uint32_t n_bins = task.binning.n_bins;
  const uint8_t *data =
      (const uint8_t *) (task.data + (int64_t) channel * task.channel_stride);
  uint32_t *scratch = (uint32_t *) task.scratch;
  uint32_t *sums = scratch + (uint64_t) channel * n_bins;
  uint32_t *ticket = scratch + (uint64_t) task.n_channels * n_bins + channel;
  HistoTotals *partials =
      (HistoTotals *) task.partials + (uint64_t) channel * gridDim.x;
  HistoTotals totals = no_totals ();

  if (task.copies_log2 == HISTO_NO_COPIES) {
    const GlobalCounters counters = { sums };

    measure_channel (task, data, counters, totals);
  } else {
    const SharedCounters counters (task.copies_log2);

    clear_counters (n_bins, task.copies_log2);
    __syncthreads ();
    measure_channel (task, data, counters, totals);
    fold_counters (n_bins, task.copies_log2, sums);
  }

  reduce_block (totals);
  if (threadIdx.x == 0)
    partials[blockIdx.x] = totals;

  if (!is_last_block (ticket, gridDim.x))
    return;
  publish_counters (sums, n_bins,
      (uint32_t *) task.result + (uint64_t) channel * n_bins);
  if (threadIdx.x < HISTO_WARP_SIZE) {
    totals = no_totals ();
    for (uint32_t i = threadIdx.x; i < gridDim.x; i += HISTO_WARP_SIZE)
      add_totals (totals, partials[i]);
    reduce_warp (totals);
    if (threadIdx.x == 0)
      ((HistoTotals *) task.totals)[channel] = totals;
  }
}
