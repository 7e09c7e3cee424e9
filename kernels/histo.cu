/* The kernels: one launch measures one buffer, or two.
 *
 * Each leaves its scratch memory zero, as it found it: who adds the last share of a sum
 * hands it to page-locked host memory and clears it. Where blocks have many counters, a
 * second launch adds them up.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels/portable.cuh"
#include "kernels/audio/measure.cuh"
#include "kernels/audio/vectors.cuh"
#include "kernels/tables.cuh"
#include "kernels/video/planes.cuh"

/* ---- Video ---------------------------------------------------------------------------- */

__device__ __forceinline__ unsigned long long *
sums_of (const HistoVideoTask &task, const HistoPlane &plane)
{
  return (unsigned long long *) task.scratch + (plane.first_bin << task.spread_log2);
}

__device__ __forceinline__ uint32_t *
result_of (const HistoVideoTask &task, const HistoPlane &plane)
{
  return (uint32_t *) task.result + plane.first_bin;
}

__device__ __forceinline__ uint4 *
packed_table (const HistoVideoTask &task, uint32_t block)
{
  return (uint4 *) (task.tables
      + (uint64_t) block * HISTO_PACKED_TABLE_BYTES);
}

/* A plane, and which of its blocks this one is. */
struct BlockOfFrame
{
  const HistoVideoTask &task;
  uint32_t p;
  PlaneBlock block;

  __device__ __forceinline__
  explicit BlockOfFrame (const HistoVideoTask &frame) : task (frame)
  {
    p = 0;
    while (blockIdx.x >= task.first_block[p + 1])
      p++;
    block.index = blockIdx.x - task.first_block[p];
    block.count = task.first_block[p + 1] - task.first_block[p];
  }

  __device__ __forceinline__ bool
  is_for (uint32_t kernel) const
  {
    return task.kernels[p] == kernel;
  }

  /* Counts in copies of 32-bit counters in shared memory, which reach the host in this
   * launch. count (plane, units, block, counters) does the counting. */
  template <typename Counters, bool IS_PERMUTED, typename Count>
  __device__ __forceinline__ void
  count_in_copies (const Count &count) const
  {
    const HistoPlane &plane = task.planes[p];
    const uint32_t copies_log2 = task.copies_log2[p];
    Counters counters (plane.n_bins, copies_log2);

    count (plane, task.units[p], block, counters);

    /* Worked out where they are needed: counting has no registers to spare. */
    const AddAndPublishSum publisher = { sums_of (task, plane), result_of (task, plane),
      block.count, task.spread_log2 };

    fold_counters<IS_PERMUTED> (plane.n_bins, copies_log2, publisher);
  }
};

/* These count the native histograms of all components of a frame, each of its own planes.
 * Grid: task.first_block[n_planes] blocks; dynamic shared memory: the most that the counters
 * of any of the kernel's planes take. */
extern "C" __global__ void __launch_bounds__ (1024)
cudahisto_count_bytes (const __grid_constant__ HistoVideoTask task)
{
  fetch_parameters (task);

  const BlockOfFrame block (task);

  if (block.is_for (HISTO_COUNT_bytes))
    block.count_in_copies<SharedCounters, false> ([] (const auto &... of) {
      count_bytes (of...);
    });
}

extern "C" __global__ void __launch_bounds__ (1024)
cudahisto_count_pixels (const __grid_constant__ HistoVideoTask task)
{
  fetch_parameters (task);

  const BlockOfFrame block (task);

  if (block.is_for (HISTO_COUNT_pixels))
    block.count_in_copies<SharedCounters, false> ([] (const auto &... of) {
      count_pixels (of...);
    });
}

extern "C" __global__ void __launch_bounds__ (1024)
cudahisto_count_shorts (const __grid_constant__ HistoVideoTask task)
{
  fetch_parameters (task);

  const BlockOfFrame block (task);

  if (!block.is_for (HISTO_COUNT_shorts))
    return;
  if (HISTO_ARE_PERMUTED (HISTO_PLANE_WORDS, task.copies_log2[block.p]))
    block.count_in_copies<PermutedCounters, true> ([] (const auto &... of) {
      count_shorts (of...);
    });
  else
    block.count_in_copies<SharedCounters, false> ([] (const auto &... of) {
      count_shorts (of...);
    });
}

extern "C" __global__ void __launch_bounds__ (1024)
cudahisto_count_packed (const __grid_constant__ HistoVideoTask task)
{
  fetch_parameters (task);

  const BlockOfFrame block (task);

  if (!block.is_for (HISTO_COUNT_packed))
    return;

  const HistoPlane &plane = task.planes[block.p];
  const PackedCounters counters = { (uint32_t *) sums_of (task, plane) };

  count_packed_shorts (plane, task.units[block.p], block.block, counters);
  store_packed_counters (counters, packed_table (task, blockIdx.x));
}

extern "C" __global__ void __launch_bounds__ (512)
cudahisto_count_fields (const __grid_constant__ HistoVideoTask task)
{
  fetch_parameters (task);

  const BlockOfFrame block (task);

  if (block.is_for (HISTO_COUNT_fields))
    block.count_in_copies<SharedCounters, false> ([] (const auto &... of) {
      count_words_of_fields (of...);
    });
}

extern "C" __global__ void __launch_bounds__ (1024)
cudahisto_count_any (const __grid_constant__ HistoVideoTask task)
{
  fetch_parameters (task);

  const BlockOfFrame block (task);
  const HistoPlane &plane = task.planes[block.p];

  if (!block.is_for (HISTO_COUNT_any))
    return;
  if (task.copies_log2[block.p] != HISTO_NO_COPIES) {
    block.count_in_copies<SharedCounters, false> ([] (const HistoPlane &of,
        const HistoUnits &, const PlaneBlock &share, const SharedCounters &counters) {
      count_any (of, share, counters);
    });
    return;
  }

  const GlobalCounters counters = { (uint32_t *) sums_of (task, plane) };

  if (task.units[block.p].columns > 0)
    count_shorts (plane, task.units[block.p], block.block, counters);
  else
    count_any (plane, block.block, counters);
}

/* The second launch, for planes that need it.
 * Grid: (HISTO_N_HALVES_GROUPS; n_planes); block: HISTO_PACKED_SUM_THREADS. */
extern "C" __global__ void __launch_bounds__ (HISTO_PACKED_SUM_THREADS)
cudahisto_sum_frame (const __grid_constant__ HistoVideoTask task)
{
  fetch_parameters (task);

  const uint32_t p = blockIdx.y;
  const HistoPlane &plane = task.planes[p];
  uint32_t *sums = (uint32_t *) sums_of (task, plane);

  wait_for_previous_launch ();
  if (task.copies_log2[p] == HISTO_PACKED_COPY)
    sum_packed_tables (packed_table (task, task.first_block[p]),
        task.first_block[p + 1] - task.first_block[p], sums,
        (HistoHalves *) task.halves + plane.samples[0].component);
  else if (task.copies_log2[p] == HISTO_NO_COPIES)
    hand_over (sums, plane.n_bins, result_of (task, plane));
}

/* ---- Audio ---------------------------------------------------------------------------- */

/* Measures the channels of an audio buffer.
 * Grid: (blocks, 1) where each block has all channels, else (blocks per channel,
 * channels); dynamic shared memory: the counters of a block's channels, and no less than
 * the totals of its threads, or those that reduce_lanes() leaves of them. */
extern "C" __global__ void __launch_bounds__ (512)
cudahisto_measure_samples (const __grid_constant__ HistoAudioTask task)
{
  fetch_parameters (task);
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
    fetch_parameters (task); \
    measure_by_vector<WITHOUT_PARENTHESES vectors> (task); \
  }
HISTO_VECTOR_KERNELS (MEASURE_VECTORS)

/* The second launch, where several blocks share a channel or no block could have all its
 * counters.
 * Grid: histo_audio_sum_blocks(), and a warp for each channel. */
extern "C" __global__ void __launch_bounds__ (HISTO_SUM_THREADS, 1)
cudahisto_sum_audio (const __grid_constant__ HistoAudioTask task)
{
  fetch_parameters (task);
  wait_for_previous_launch ();
  if (task.sample.kind == HISTO_AUDIO_FLOAT)
    sum_audio<FloatTotals> (task);
  else
    sum_audio<IntegerTotals> (task);
}
