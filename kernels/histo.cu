/* The kernels: one launch measures one buffer.
 *
 * Each launch leaves its scratch memory zero, as it found it: who adds the last share of a
 * sum, or the last block to finish, hands it to page-locked host memory and clears it.
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
  uint32_t p = 0;

  while (blockIdx.x >= task.first_block[p + 1])
    p++;

  const HistoPlane &plane = task.planes[p];
  const PlaneBlock block = { blockIdx.x - task.first_block[p],
    task.first_block[p + 1] - task.first_block[p] };
  const uint32_t copies_log2 = task.copies_log2[p];
  /* Worked out where they are needed: counting has no registers to spare. */
#define SUMS ((unsigned long long *) task.scratch + plane.first_bin)
#define RESULT ((uint32_t *) task.result + plane.first_bin)

  if (copies_log2 < HISTO_PACKED_COPY) {
    const SharedCounters counters (copies_log2);

    clear_counters (plane.n_bins, copies_log2);
    count_plane (plane, block, counters);

    const AddAndPublishSum publisher = { SUMS, RESULT, block.count };

    fold_counters (plane.n_bins, copies_log2, publisher);
    return;
  }

  if (copies_log2 == HISTO_PACKED_COPY) {
    const PackedCounters counters = { (uint32_t *) SUMS };

    clear_counters (plane.n_bins / 2, 0);
    count_plane (plane, block, counters);
    fold_packed_counters (plane.n_bins, (uint32_t *) SUMS);
  } else {
    const GlobalCounters counters = { (uint32_t *) SUMS };

    count_plane (plane, block, counters);
  }
  /* After the counters of 64 bits, a ticket for each plane. */
  if (is_last_block ((uint32_t *) ((unsigned long long *) task.scratch + task.n_bins) + p,
          block.count))
    publish_counters ((uint32_t *) SUMS, plane.n_bins, RESULT);
#undef SUMS
#undef RESULT
}

/* Measures the channels of an audio buffer.
 * Grid: (blocks, 1) where each block has all channels, else (blocks per channel,
 * channels); dynamic shared memory: the counters of a block's channels, and no less than
 * the totals of its threads. */
extern "C" __global__ void __launch_bounds__ (512)
cudahisto_measure_audio (const __grid_constant__ HistoAudioTask task)
{
  switch (task.sample.bytes) {
    case 1: measure_audio<IntegerSample<1>> (task); return;
    case 2: measure_audio<IntegerSample<2>> (task); return;
    case 3: measure_audio<IntegerSample<3>> (task); return;
    case 8: measure_audio<FloatSample<8>> (task); return;
  }
  if (task.sample.kind == HISTO_AUDIO_FLOAT)
    measure_audio<FloatSample<4>> (task);
  else
    measure_audio<IntegerSample<4>> (task);
}
