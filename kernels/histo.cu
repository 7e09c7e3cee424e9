/* The kernels. One launch measures one frame, or one buffer of audio or several; some need
 * a second launch on the same stream, which sums what the blocks of the first one left.
 *
 * Scratch memory is zero before and after: the block that adds the last share of a sum
 * writes the sum to page-locked host memory and sets it to zero.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels/audio/samples.cuh"
#include "kernels/audio/vectors.cuh"
#include "kernels/compare/compare.cuh"
#include "kernels/compare/extract.cuh"
#include "kernels/compare/xpsnr.cuh"
#include "kernels/launch.h"
#include "kernels/portable.cuh"
#include "kernels/strip/checks.cuh"
#include "kernels/strip/extract.cuh"
#include "kernels/strip/masked.cuh"
#include "kernels/strip/owners.cuh"
#include "kernels/strip/samples.cuh"
#include "kernels/strip/scopes.cuh"
#include "kernels/strip/strip.cuh"
#include "kernels/tables.cuh"
#include "kernels/video/mask.cuh"
#include "kernels/video/planes.cuh"

/* What a launch can pass to a kernel on every device. */
static_assert (sizeof (HistoVideoLaunch) <= 4096 && sizeof (HistoExtractLaunch) <= 4096
    && sizeof (HistoStripLaunch) <= 4096 && sizeof (HistoAudioLaunch) <= 4096
    && sizeof (HistoMaskLaunch) <= 4096 && sizeof (HistoMaskedLaunch) <= 4096
    && sizeof (HistoXpsnrLaunch) <= 4096
    && sizeof (HistoCompareLaunch) <= 4096 && sizeof (HistoExtractPlanesLaunch) <= 4096,
    "launch parameters have at most 4 KiB");

/* ---- Video ---------------------------------------------------------------------------- */

/* Each counts the native histograms of its own planes of a frame.
 * Grid: launch.first_block[n_planes] blocks. Dynamic shared memory: the largest size of the
 * counters of one of the kernel's planes. */
#define COUNT_KERNEL(name, threads) \
  extern "C" __global__ void __launch_bounds__ (threads) \
  cudahisto_count_##name (const __grid_constant__ HistoVideoLaunch launch) \
  { \
    fetch_parameters (launch); \
    count_planes<HISTO_COUNT_##name> (BlockOfFrame (launch)); \
  }
HISTO_COUNT_KERNELS (COUNT_KERNEL)

/* The second kernel for a frame: completes planes with a packed copy, and planes that were
 * counted in global memory.
 * Grid: (HISTO_N_HALVES_GROUPS, n_planes). */
extern "C" __global__ void __launch_bounds__ (HISTO_PACKED_SUM_THREADS)
cudahisto_sum_frame (const __grid_constant__ HistoVideoLaunch launch)
{
  fetch_parameters (launch);

  const uint32_t p = blockIdx.y;
  const HistoPlane &plane = launch.planes[p];
  uint32_t *sums = (uint32_t *) sums_of (launch, plane);

  wait_for_previous_launch ();
  if (launch.copies_log2[p] == HISTO_PACKED_COPY)
    sum_packed_tables (packed_table (launch, launch.first_block[p]),
        launch.first_block[p + 1] - launch.first_block[p], launch.ranges_log2,
        launch.n_samples[p], sums, (HistoHalves *) launch.halves + plane.samples[0].component);
  else if (launch.copies_log2[p] == HISTO_NO_COPIES)
    publish_sums (sums, plane.n_bins, result_of (launch, plane));
}

/* Writes a copy of a frame in which the samples that take no part are 0. Grid: launch.first_block[n_planes] blocks. */
extern "C" __global__ void __launch_bounds__ (HISTO_MASK_THREADS, HISTO_MASK_BLOCKS)
cudahisto_mask (const __grid_constant__ HistoMaskLaunch launch)
{
  fetch_parameters (launch);
  mask_frame (launch);
}

/* Counts what a plan has of samples and pixels that take part. Grid: (blocks of a region, regions). Dynamic shared memory: with
 * launch.is_shared the counters of a region. */
extern "C" __global__ void __launch_bounds__ (HISTO_MASKED_THREADS, 2)
cudahisto_masked (const __grid_constant__ HistoMaskedLaunch launch)
{
  fetch_parameters (launch);
  measure_masked (launch);
}

/* ---- Groups and regions ----------------------------------------------------------------- */

/* Writes a regular picture. Grid: any number of blocks. */
extern "C" __global__ void __launch_bounds__ (HISTO_EXTRACT_THREADS)
cudahisto_extract (const __grid_constant__ HistoExtractLaunch launch)
{
  fetch_parameters (launch);
  if (launch.bytes == 1)
    extract_quads<Bytes> (launch);
  else
    extract_quads<Words> (launch);
}

/* Each measures regions.
 * Grid: launch.first_block[HISTO_STRIP_REGIONS] blocks. Dynamic shared memory: the counters. */
#define STRIP_KERNEL(name, quad, counters, form, all, threads) \
  extern "C" __global__ void __launch_bounds__ (threads) \
  cudahisto_strip_##name (const __grid_constant__ HistoStripLaunch launch) \
  { \
    fetch_parameters (launch); \
    measure_strips<quad, counters, form, all> (launch); \
  }
HISTO_STRIP_KERNELS (STRIP_KERNEL)

/* The checks. The same grid; dynamic shared memory: the table of linear light, and the counters of HLG's light. */
#define CHECK_KERNEL(name, quad, form, checks, all, threads) \
  extern "C" __global__ void __launch_bounds__ (threads) \
  cudahisto_strip_##name (const __grid_constant__ HistoStripLaunch launch) \
  { \
    fetch_parameters (launch); \
    checks<quad, form>::run (launch); \
  }
HISTO_CHECK_KERNELS (CHECK_KERNEL)

/* The scopes. Grid: launch.n_waveform_blocks + n_vector_blocks blocks. Dynamic shared memory: the counters of a block. */
#define SCOPE_KERNEL(name, quad, form, unused, all, threads) \
  extern "C" __global__ void __launch_bounds__ (threads, 1) \
  cudahisto_strip_##name (const __grid_constant__ HistoStripLaunch launch) \
  { \
    fetch_parameters (launch); \
    Scopes<quad, form>::run (launch); \
  }
HISTO_SCOPE_KERNELS (SCOPE_KERNEL)

/* The second kernel for the scopes. Grid: (HISTO_N_HALVES_GROUPS, joint components). The launch after it need not wait while
 * its results are on their way to the host. */
extern "C" __global__ void __launch_bounds__ (HISTO_PACKED_SUM_THREADS)
cudahisto_sum_scopes (const __grid_constant__ HistoStripLaunch launch)
{
  fetch_parameters (launch);
  let_next_launch_begin ();
  wait_for_previous_launch ();
  sum_scopes (launch);
}

/* The owners of components. Grid: launch.first_block[HISTO_STRIP_REGIONS] blocks. Dynamic shared memory: 16-bit counters
 * of a range of the bins. */
#define OWNER_KERNEL(name, quad, known, unused, all, threads) \
  extern "C" __global__ void __launch_bounds__ (threads, 1) \
  cudahisto_strip_##name (const __grid_constant__ HistoStripLaunch launch) \
  { \
    fetch_parameters (launch); \
    Owners<quad, known>::run (launch); \
  }
HISTO_OWNER_KERNELS (OWNER_KERNEL)

/* The second kernel for owned components. Grid: (HISTO_N_HALVES_GROUPS, components, regions). The launch after it need
 * not wait while its results are on their way to the host. */
extern "C" __global__ void __launch_bounds__ (HISTO_PACKED_SUM_THREADS)
cudahisto_sum_owned (const __grid_constant__ HistoStripLaunch launch)
{
  fetch_parameters (launch);
  let_next_launch_begin ();
  wait_for_previous_launch ();
  sum_owned (launch);
}

/* Counts the samples of regions. The same grid and shared memory. */
extern "C" __global__ void __launch_bounds__ (HISTO_REGION_THREADS_samples)
cudahisto_strip_samples (const __grid_constant__ HistoStripLaunch launch)
{
  fetch_parameters (launch);
  count_regions (launch);
}

/* ---- Two pictures ----------------------------------------------------------------------- */

/* Writes a plane for each component. Grid: any number of blocks. */
extern "C" __global__ void __launch_bounds__ (HISTO_EXTRACT_PLANES_THREADS)
cudahisto_extract_planes (const __grid_constant__ HistoExtractPlanesLaunch launch)
{
  fetch_parameters (launch);
  extract_planes (launch);
}

/* Each compares planes of two pictures. Grid: launch.first_block[n_planes] blocks; a multiprocessor has room for two. */
#define COMPARE_KERNEL(name, samples) \
  extern "C" __global__ void __launch_bounds__ (HISTO_COMPARE_THREADS, 2) \
  cudahisto_compare_##name (const __grid_constant__ HistoCompareLaunch launch) \
  { \
    fetch_parameters (launch); \
    compare_pictures<samples> (launch); \
  }
HISTO_COMPARE_KERNELS (COMPARE_KERNEL)

/* Count the blocks of XPSNR of samples in bytes or words. Grid: (grid.columns, grid.rows) blocks. */
extern "C" __global__ void __launch_bounds__ (HISTO_XPSNR_THREADS)
cudahisto_xpsnr_bytes (const __grid_constant__ HistoXpsnrLaunch launch)
{
  fetch_parameters (launch);
  count_xpsnr_block<1> (launch);
}

extern "C" __global__ void __launch_bounds__ (HISTO_XPSNR_THREADS)
cudahisto_xpsnr_words (const __grid_constant__ HistoXpsnrLaunch launch)
{
  fetch_parameters (launch);
  count_xpsnr_block<2> (launch);
}

/* ---- Audio ---------------------------------------------------------------------------- */

/* Measures the channels of one or several buffers, sample by sample.
 * Grid: (blocks, 1, buffers) if each block has all channels, else (blocks of a channel,
 * channels, buffers). Dynamic shared memory: the counters of a block's channels, and at
 * least the totals of its threads. */
extern "C" __global__ void __launch_bounds__ (HISTO_SAMPLES_THREADS)
cudahisto_measure_samples (const __grid_constant__ HistoAudioLaunch launch)
{
  fetch_parameters (launch);
  switch (launch.sample.bytes) {
    case 1: measure_by_sample<IntegerSample<1>> (launch); return;
    case 2: measure_by_sample<IntegerSample<2>> (launch); return;
    case 3: measure_by_sample<IntegerSample<3>> (launch); return;
    case 8: measure_by_sample<FloatSample<8>> (launch); return;
  }
  if (launch.sample.kind == HISTO_AUDIO_FLOAT)
    measure_by_sample<FloatSample<4>> (launch);
  else
    measure_by_sample<IntegerSample<4>> (launch);
}

/* Kernels that measure by vectors. Each is a kernel of its own, with as many registers as its threads
 * leave to each of them. Dynamic shared memory: at least the totals that reduce_lanes()
 * leaves. */
#define MEASURE_KERNEL(name, threads) \
  extern "C" __global__ void __launch_bounds__ (threads) \
  cudahisto_measure_##name (const __grid_constant__ HistoAudioLaunch launch) \
  { \
    fetch_parameters (launch); \
    measure_by_vector<VectorKernel<HISTO_VECTOR_KERNEL_##name>::Vectors> (launch); \
  }
HISTO_VECTOR_KERNELS (MEASURE_KERNEL)

/* The second kernel for audio: if several blocks share a channel and the last of them does
 * not sum what they left, or if a block's counters did not fit in shared memory.
 * Grid: histo_audio_sum_blocks (), and a warp for each channel. */
extern "C" __global__ void __launch_bounds__ (HISTO_SUM_THREADS, 1)
cudahisto_sum_audio (const __grid_constant__ HistoAudioLaunch launch)
{
  fetch_parameters (launch);
  wait_for_previous_launch ();
  if (launch.sample.kind == HISTO_AUDIO_FLOAT)
    sum_audio<FloatTotals> (launch);
  else
    sum_audio<IntegerTotals> (launch);
}
