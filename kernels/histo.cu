/* The kernels: one launch measures one buffer, or two.
 *
 * Each leaves its scratch memory zero, as it found it: who adds the last share of a sum
 * hands it to page-locked host memory and clears it. Where blocks have many counters, a
 * second launch adds them up.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels/portable.cuh"
#include "kernels/audio.cuh"
#include "kernels/audio-vectors.cuh"
#include "kernels/tables.cuh"
#include "kernels/video.cuh"

/* ---- Video ---------------------------------------------------------------------------- */

__device__ __forceinline__ unsigned long long *
sums_of (const HistoVideoTask &task, const HistoPlane &plane)
{
  return (unsigned long long *) task.scratch + plane.first_bin;
}

__device__ __forceinline__ uint32_t *
result_of (const HistoVideoTask &task, const HistoPlane &plane)
{
  return (uint32_t *) task.result + plane.first_bin;
}

/* Copies of 32-bit counters in shared memory, which reach the host in this launch. */
template <bool IS_PERMUTED, typename Counters>
__device__ __forceinline__ void
count_in_copies (const HistoVideoTask &task, const HistoPlane &plane,
    const HistoUnits &units, const PlaneBlock &block, uint32_t copies_log2)
{
  Counters counters (plane.n_bins, copies_log2);

  count_plane (plane, units, block, counters);

  /* Worked out where they are needed: counting has no registers to spare. */
  const AddAndPublishSum publisher = { sums_of (task, plane), result_of (task, plane),
    block.count };

  fold_counters<IS_PERMUTED> (plane.n_bins, copies_log2, publisher);
}

/* The plane of this block, and which of the plane's blocks it is. */
__device__ __forceinline__ uint32_t
find_plane (const HistoVideoTask &task, PlaneBlock *block)
{
  uint32_t p = 0;

  while (blockIdx.x >= task.first_block[p + 1])
    p++;
  block->index = blockIdx.x - task.first_block[p];
  block->count = task.first_block[p + 1] - task.first_block[p];
  return p;
}

/* Counts the native histograms of all components of a frame, but for planes with a packed
 * copy.
 * Grid: task.first_block[n_planes] blocks; dynamic shared memory: the most that any
 * plane's counters take. */
extern "C" __global__ void __launch_bounds__ (1024)
cudahisto_count_frame (const __grid_constant__ HistoVideoTask task)
{
  PlaneBlock block;
  const uint32_t p = find_plane (task, &block);
  const HistoPlane &plane = task.planes[p];
  const uint32_t copies_log2 = task.copies_log2[p];

  if (copies_log2 == HISTO_PACKED_COPY)
    return;
  if (copies_log2 == HISTO_NO_COPIES) {
    GlobalCounters counters = { (uint32_t *) sums_of (task, plane) };

    count_plane (plane, task.units[p], block, counters);
  } else if (HISTO_ARE_PERMUTED (plane.kind, copies_log2)) {
    count_in_copies<true, PermutedCounters> (task, plane, task.units[p], block, copies_log2);
  } else {
    count_in_copies<false, SharedCounters> (task, plane, task.units[p], block, copies_log2);
  }
}

/* The planes with a packed copy; the same grid. */
extern "C" __global__ void __launch_bounds__ (HISTO_PACKED_THREADS)
cudahisto_count_packed (const __grid_constant__ HistoVideoTask task)
{
  PlaneBlock block;
  const uint32_t p = find_plane (task, &block);
  const HistoPlane &plane = task.planes[p];

  if (task.copies_log2[p] != HISTO_PACKED_COPY)
    return;

  PackedCounters counters = { (uint32_t *) sums_of (task, plane), plane.n_bins, 0 };

  count_plane (plane, task.units[p], block, counters);
  allow_next_launch ();
  store_packed_counters (plane.n_bins, (uint4 *) (task.tables
          + (uint64_t) blockIdx.x * HISTO_PACKED_TABLE_BYTES (plane.n_bins)));
}

/* The second launch, for planes that need it.
 * Grid: (n_bins / (HISTO_SUM_COLUMNS * 8), rounded up, of the plane that has the most;
 * n_planes). */
extern "C" __global__ void __launch_bounds__ (HISTO_SUM_THREADS)
cudahisto_sum_frame (const __grid_constant__ HistoVideoTask task)
{
  const uint32_t p = blockIdx.y;
  const HistoPlane &plane = task.planes[p];
  const bool is_packed = task.copies_log2[p] == HISTO_PACKED_COPY;
  const uint64_t table_bytes = HISTO_PACKED_TABLE_BYTES (plane.n_bins);

  if (!HISTO_NEEDS_SUMMING (task.copies_log2[p]))
    return;
  wait_for_previous_launch ();
  sum_tables<8> ((const uint4 *) (task.tables + task.first_block[p] * table_bytes),
      table_bytes / 16, is_packed ? task.first_block[p + 1] - task.first_block[p] : 0,
      (uint32_t *) sums_of (task, plane), plane.n_bins, blockIdx.x * HISTO_SUM_COLUMNS,
      StoreSum { result_of (task, plane) });
}

/* ---- Audio ---------------------------------------------------------------------------- */

/* Measures the channels of an audio buffer.
 * Grid: (blocks, 1) where each block has all channels, else (blocks per channel,
 * channels); dynamic shared memory: the counters of a block's channels, and no less than
 * the totals of its threads. */
extern "C" __global__ void __launch_bounds__ (512)
cudahisto_measure_samples (const __grid_constant__ HistoAudioTask task)
{
  switch (task.sample.bytes) {
    case 1: measure_by_sample<IntegerSample<1>> (task); return;
    case 2: measure_by_sample<IntegerSample<2>> (task); return;
    case 3: measure_by_sample<IntegerSample<3>> (task); return;
    case 8: measure_by_sample<FloatSample<8>> (task); return;
  }
  if (task.sample.kind == HISTO_AUDIO_FLOAT)
    measure_by_sample<FloatSample<4>> (task);
  else
    measure_by_sample<IntegerSample<4>> (task);
}

/* The same, by vectors: kernels of their own, for each needs as many registers as there
 * are for its threads. */
#define WITHOUT_PARENTHESES(...) __VA_ARGS__
#define MEASURE_VECTORS(name, vectors, threads) \
  extern "C" __global__ void __launch_bounds__ (threads) \
  cudahisto_measure_##name (const __grid_constant__ HistoAudioTask task) \
  { \
    measure_by_vector<WITHOUT_PARENTHESES vectors> (task); \
  }
HISTO_VECTOR_KERNELS (MEASURE_VECTORS)

/* The second launch, where several blocks share a channel or no block could have all its
 * counters.
 * Grid: counters / (HISTO_SUM_COLUMNS * 4), rounded up, and a warp for each channel. */
extern "C" __global__ void __launch_bounds__ (HISTO_SUM_THREADS)
cudahisto_sum_audio (const __grid_constant__ HistoAudioTask task)
{
  if (task.sample.kind == HISTO_AUDIO_FLOAT)
    sum_audio<FloatTotals> (task);
  else
    sum_audio<IntegerTotals> (task);
}
