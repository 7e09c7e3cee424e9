/* The shape of the launches for audio: by vector or by sample, blocks and copies, and whether
 * the last block or a second kernel sums what the blocks leave.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cuda/plan.h"

#include <string.h>

#include "engine/cuda/tuning.h"

#define WARP_SIZE 32

static guint64
divide_up (guint64 n, guint64 by)
{
  return (n + by - 1) / by;
}

static gboolean
is_power_of_two (guint n)
{
  return (n & (n - 1)) == 0;
}

static guint
greatest_common_divisor (guint a, guint b)
{
  return b == 0 ? a : greatest_common_divisor (b, a % b);
}

/* ---- Memory --------------------------------------------------------------------------- */

/* Larger tables are not worth their memory. */
#define MOST_TABLE_BYTES (32 << 20)

/* The most blocks of a channel. Many channels get fewer blocks each, which limits the memory
 * for what the blocks leave. */
static guint
most_blocks (const HistoCudaLimits * limits, guint n_channels)
{
  const guint few_channels = 64;
  guint most = 4 * limits->n_multiprocessors;

  return n_channels <= few_channels ? most :
      MAX (1, most * few_channels / n_channels);
}

/* The most blocks of a launch by vector. */
static guint
most_vector_blocks (const HistoCudaLimits * limits,
    const HistoCudaTuning * tuning, guint n_channels)
{
  return MIN (most_blocks (limits, n_channels),
      limits->n_multiprocessors * tuning->audio_blocks);
}

/* The number of blocks of a channel for whose tables there is memory: for the most blocks, or
 * else for the most blocks of a launch by vector, or else for none. */
static guint
table_blocks (const HistoCudaLimits * limits, const HistoCudaTuning * tuning,
    guint n_channels, guint n_bins)
{
  const guint64 most =
      MOST_TABLE_BYTES / histo_audio_table_bytes (n_channels, n_bins);
  const guint any = most_blocks (limits, n_channels);
  const guint by_vector = most_vector_blocks (limits, tuning, n_channels);

  return any <= most ? any : by_vector <= most ? by_vector : 0;
}

/**
 * histo_cuda_plan_audio_scratch:
 *
 * Returns: bytes of scratch memory in device memory: a table of counters, and the ticket of
 * the last block. It must be zero before the first launch; launches that may overlap need
 * scratch memory of their own
 */
gsize
histo_cuda_plan_audio_scratch (guint n_channels, guint n_bins)
{
  return histo_audio_table_bytes (n_channels, n_bins)
      + histo_cuda_plan_align (sizeof (guint32));
}

/* Bytes for the totals of all blocks. */
static gsize
totals_of_blocks_bytes (const HistoCudaLimits * limits, guint n_channels)
{
  return histo_cuda_plan_align ((guint64) n_channels *
      most_blocks (limits, n_channels) * sizeof (HistoTotals));
}

/**
 * histo_cuda_plan_audio_partials:
 *
 * Returns: bytes of device memory, of any content, for the totals and the tables that the
 * blocks leave
 */
gsize
histo_cuda_plan_audio_partials (const HistoCudaLimits * limits,
    guint n_channels, guint n_bins)
{
  HistoCudaTuning tuning;

  histo_cuda_tuning_get (limits, &tuning);
  return totals_of_blocks_bytes (limits, n_channels) +
      histo_audio_table_bytes (n_channels, n_bins) *
      table_blocks (limits, &tuning, n_channels, n_bins);
}

/* ---- Buffers -------------------------------------------------------------------------- */

/* Whether the samples of all channels lie side by side. */
static gboolean
is_interleaved (const HistoAudioLaunch * launch)
{
  return launch->buffers[0].channel_stride == launch->sample.bytes
      && launch->sample_stride ==
      (gint64) launch->sample.bytes * launch->n_channels;
}

/* Samples of a channel in the longest buffer. */
static guint64
most_samples (const HistoAudioLaunch * launch)
{
  guint64 most = 0;

  for (guint i = 0; i < launch->n_buffers; i++)
    most = MAX (most, launch->buffers[i].n_samples);
  return most;
}

/* Whether all channels of all buffers begin at multiples of a vector's bytes and have no
 * gaps between their samples. */
static gboolean
buffers_are_aligned (const HistoAudioLaunch * launch, guint vector_bytes)
{
  const gboolean interleaved = is_interleaved (launch);

  if (!interleaved && launch->sample_stride != launch->sample.bytes)
    return FALSE;
  for (guint i = 0; i < launch->n_buffers; i++) {
    const HistoAudioBuffer *buffer = &launch->buffers[i];

    if (buffer->data % vector_bytes != 0
        || (!interleaved && buffer->channel_stride % vector_bytes != 0))
      return FALSE;
  }
  return TRUE;
}

/* All counters of @n_channels channels. */
static guint
n_counters (const HistoAudioLaunch * launch, guint n_channels)
{
  return n_channels * (launch->binning.n_bins + HISTO_OUTSIDE_ROWS);
}

/* ---- By vector ------------------------------------------------------------------------ */

/* Whether a kernel by vectors knows the samples and the bins, see HISTO_AUDIO_BY_VECTOR. */
static gboolean
vectors_fit_format (const HistoAudioLaunch * launch)
{
  const HistoAudioSample *sample = &launch->sample;
  const HistoBinning *binning = &launch->binning;
  const gint64 few_floats = 1 << 22, few_integers = 1 << 30;
  const gint64 end = binning->offset +
      ((gint64) binning->n_bins << (binning->shift & 31));

  if (sample->kind == HISTO_AUDIO_FLOAT)
    return sample->bytes == 4 && binning->kind == HISTO_BINNING_SCALE
        && binning->scale <= G_MAXFLOAT && ABS (binning->offset) < few_floats / 2
        && binning->n_bins < few_floats / 2;
  return sample->kind == HISTO_AUDIO_SIGNED && sample->bytes == 2
      && sample->depth == 16 && binning->kind == HISTO_BINNING_SHIFT
      && ABS (binning->offset) < few_integers && binning->shift < 16
      /* A sample outside is counted as the value next to the bins, which must have 16
       * bits. */
      && binning->offset <= G_MAXINT16 + 1 && end >= G_MININT16;
}

/* The number of copies of @counters counters, a multiple of @period; 0 if not even that
 * fits: a copy for each lane of a warp, and for the lanes by which later warps are shifted.
 * Fewer if it would take longer to clear and add them than to count @n_samples samples. */
static guint
choose_lane_copies (const HistoCudaLimits * limits, guint64 counters,
    guint period, guint64 n_samples)
{
  guint64 copies =
      MIN (histo_cuda_plan_shared_room (limits) / sizeof (guint32),
      2 * n_samples + counters * period) / counters;

  copies = MIN (copies, WARP_SIZE + period - 1 + period - 1) / period * period;
  /* If halves of a warp have equal channels, a power of two makes a cheaper index. */
  if (copies > 0 && is_power_of_two (period)) {
    copies = MIN (copies, WARP_SIZE);
    while (!is_power_of_two (copies))
      copies &= copies - 1;
  }
  return copies;
}

/* Bytes of shared memory for the totals of a block, after each warp has summed what it can
 * (reduce_lanes() in kernels/audio/totals.cuh). */
static gsize
totals_bytes (guint threads, guint period, guint channels_of_thread)
{
  return (gsize) (threads / WARP_SIZE) *
      (is_power_of_two (period) ? period : WARP_SIZE) * channels_of_thread *
      HISTO_TOTALS_OF_THREAD;
}

/* Plans a launch by vectors. Returns FALSE, with parts of launch and plan changed, if there
 * is no kernel for it or its counters do not fit. */
static gboolean
plan_vectors (const HistoCudaLimits * limits, const HistoCudaTuning * tuning,
    HistoAudioLaunch * launch, HistoCudaAudioPlan * plan)
{
#define THREADS(name, threads) threads,
  static const guint kernel_threads[] = { HISTO_VECTOR_KERNELS (THREADS) };
#undef THREADS
  HistoCudaGrid *grid = &plan->measure;
  const guint64 room = histo_cuda_plan_shared_room (limits);
  const gboolean interleaved = is_interleaved (launch);
  const guint channels = interleaved ? launch->n_channels : 1;  /* of a block */
  const guint samples = histo_audio_vector_samples (launch->sample.bytes,
      channels);
  const guint of_thread = histo_audio_thread_channels (channels);
  const guint period = channels / greatest_common_divisor (channels, samples);
  const guint64 counters = n_counters (launch, of_thread);
  const guint64 n_samples = most_samples (launch) * channels;

  if (!vectors_fit_format (launch) || period > WARP_SIZE
      || !buffers_are_aligned (launch, samples * launch->sample.bytes)
      || n_samples / samples >= G_MAXUINT32 / 2)
    return FALSE;

  launch->lane_period = period;
  launch->n_copies = choose_lane_copies (limits, counters, period, n_samples);
  if (launch->n_copies == 0)
    return FALSE;
  launch->path = HISTO_AUDIO_BY_VECTOR;
  launch->by_row = interleaved;

  plan->vector_kernel = launch->sample.kind == HISTO_AUDIO_FLOAT ?
      HISTO_VECTOR_KERNEL (float_1, of_thread) :
      HISTO_VECTOR_KERNEL (short_1, of_thread);
  grid->threads = kernel_threads[plan->vector_kernel];
  grid->blocks = MIN (n_samples / tuning->audio_samples_per_block + 1,
      most_vector_blocks (limits, tuning, launch->n_channels));
  /* All lengths that one block measures have one number, so that the sums of a buffer
   * are equal to the last bit whether it shares a launch or not. */
  if (grid->blocks == 1)
    grid->threads = CLAMP (tuning->audio_small_threads,
        WARP_SIZE * (1 + divide_up (channels, WARP_SIZE)), grid->threads);
  /* Fewer threads if there is no room for all of their totals; but fold_lanes() needs a
   * thread for each channel. */
  while (grid->threads >= channels + WARP_SIZE
      && totals_bytes (grid->threads, period, of_thread) > room)
    grid->threads -= WARP_SIZE;
  launch->n_threads = grid->threads / period * period;
  grid->channel_blocks = interleaved ? 1 : launch->n_channels;
  grid->shared_bytes = histo_cuda_plan_align
      (MAX (counters * launch->n_copies * sizeof (guint32),
          totals_bytes (grid->threads, period, of_thread)));
  return grid->shared_bytes <= room;
}

/* ---- By sample ------------------------------------------------------------------------ */

/* Whether all channels are measured by the same blocks: interleaved channels whose counters
 * fit in shared memory. */
static gboolean
channels_share_blocks (const HistoCudaLimits * limits,
    const HistoAudioLaunch * launch, guint threads)
{
  return is_interleaved (launch) && launch->n_channels <= threads
      && (guint64) launch->n_channels * n_counters (launch, 1) *
      sizeof (guint32) <= histo_cuda_plan_shared_room (limits);
}

/* Plans a launch by samples. Returns whether a block's counters fit in shared memory. */
static gboolean
plan_samples (const HistoCudaLimits * limits, const HistoCudaTuning * tuning,
    HistoAudioLaunch * launch, HistoCudaGrid * grid)
{
  guint channels = 1;           /* of a block */
  guint64 worth;
  guint counters;

  launch->path = HISTO_AUDIO_BY_SAMPLE;
  launch->by_row = FALSE;
  grid->threads = MIN (tuning->audio_threads, HISTO_SAMPLES_THREADS);
  grid->channel_blocks = launch->n_channels;
  if (channels_share_blocks (limits, launch, grid->threads)) {
    channels = launch->n_channels;
    grid->channel_blocks = 1;
  }
  worth = most_samples (launch) * channels / tuning->audio_samples_per_block + 1;
  grid->blocks = MIN (worth, most_blocks (limits, launch->n_channels));

  counters = n_counters (launch, channels);
  launch->copies_log2 = histo_cuda_plan_copies (limits,
      tuning->most_copies_log2, counters);
  /* Several blocks on a multiprocessor hide more latency than more copies save. */
  while (launch->copies_log2 != HISTO_NO_COPIES && launch->copies_log2 > 2
      && histo_cuda_plan_counters_bytes (counters, launch->copies_log2) >
      tuning->audio_shared_bytes)
    launch->copies_log2--;
  grid->shared_bytes =
      MAX (histo_cuda_plan_counters_bytes (counters, launch->copies_log2),
      grid->threads * HISTO_TOTALS_OF_THREAD);
  return launch->copies_log2 != HISTO_NO_COPIES;
}

/* ---- The second launch ---------------------------------------------------------------- */

/* More threads for more tables. */
static guint
sum_threads (guint n_tables)
{
  guint threads = MAX (HISTO_SUM_COLUMNS, WARP_SIZE);

  while (threads < HISTO_SUM_THREADS && threads / HISTO_SUM_COLUMNS < n_tables)
    threads *= 2;
  return threads;
}

static void
plan_sum (const HistoAudioLaunch * launch, HistoCudaGrid * grid)
{
  guint warps;

  grid->threads = sum_threads (launch->n_blocks);
  warps = grid->threads / WARP_SIZE;
  grid->blocks = histo_audio_sum_blocks (launch->by_row, launch->n_channels,
      launch->binning.n_bins) + divide_up (launch->n_channels, warps);
  grid->channel_blocks = grid->buffers = 1;
}

/* ---- One launch ----------------------------------------------------------------------- */

/**
 * histo_cuda_plan_audio:
 * @launch: has buffers, n_buffers, sample_stride, n_channels, sample, binning, scratch and
 *   partials; this fills in the rest
 * @plan: (out):
 *
 * If there are several buffers, the launch is possible only if @plan says can_gather: each
 * buffer is measured by one block, or by one block for each channel, whose counters fit in
 * shared memory.
 */
void
histo_cuda_plan_audio (const HistoCudaLimits * limits,
    HistoAudioLaunch * launch, HistoCudaAudioPlan * plan)
{
  HistoCudaTuning tuning;
  gboolean counters_fit = TRUE;

  histo_cuda_tuning_get (limits, &tuning);
  memset (plan, 0, sizeof *plan);
  if (!plan_vectors (limits, &tuning, launch, plan)) {
    memset (plan, 0, sizeof *plan);
    counters_fit = plan_samples (limits, &tuning, launch, &plan->measure);
  }
  plan->measure.buffers = launch->n_buffers;
  launch->n_blocks = plan->measure.blocks;
  plan->can_gather = counters_fit && launch->n_blocks == 1;
  plan->last_block_sums = counters_fit && launch->n_blocks > 1
      && n_counters (launch, launch->n_channels) <=
      tuning.audio_last_block_counters;
  plan->leaves_tables = counters_fit && !plan->last_block_sums
      && launch->n_blocks <= table_blocks (limits, &tuning,
      launch->n_channels, launch->binning.n_bins);
  if (!plan->last_block_sums && (launch->n_blocks > 1 || !counters_fit))
    plan_sum (launch, &plan->sum);
  launch->tables = plan->leaves_tables ? launch->partials +
      totals_of_blocks_bytes (limits, launch->n_channels) : 0;
  launch->ticket = plan->last_block_sums ? launch->scratch +
      histo_audio_table_bytes (launch->n_channels, launch->binning.n_bins) : 0;
}
