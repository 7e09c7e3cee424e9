/* How a launch is shaped: threads, blocks and copies of the counters.
 *
 * The copies follow from the shared memory; the rest from the table, whose rows say
 * what they were measured on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cuda/tuning.h"

#include <string.h>

#include "media/format.h"

#define FIELD(name) guint name;
typedef struct
{
  gint compute_capability;      /* and all above it, up to the next row's */
  HISTO_TUNING_FIELDS (FIELD)
  const gchar *measured;
} TuningRow;
#undef FIELD

/* In descending order. */
static const TuningRow rows[] = {
  {100, 5, 16384, 5, 256, 512, 8192, 56 * 1024, 1, 256, 1024, "not measured"},
  {90, 5, 16384, 5, 256, 512, 8192, 56 * 1024, 1, 256, 1024, "NVIDIA H200, 2026-11-22: 8-bit planes 0.96, "
        "16-bit words 0.92 to 0.96, 65536 bins 0.70 to 0.81, audio 0.83 to 0.93 "
        "of the roofline"},
  {89, 5, 16384, 5, 256, 512, 8192, 56 * 1024, 1, 256, 1024, "not measured"},
  {86, 5, 16384, 5, 256, 512, 8192, 56 * 1024, 1, 256, 1024, "not measured"},
  {80, 5, 16384, 5, 256, 512, 8192, 56 * 1024, 1, 256, 1024, "not measured"},
  {0, 5, 16384, 5, 256, 512, 8192, 56 * 1024, 1, 256, 1024, "not measured"},
};

#define WARP_SIZE 32
#define MAX_COPIES_LOG2 5       /* one per lane */

/* What is not the table's; what is has HISTO_TUNING_BY_TABLE here. */
#define BY_TABLE(name) .name = HISTO_TUNING_BY_TABLE,
static TuningRow forced = { HISTO_TUNING_FIELDS (BY_TABLE) };

#undef BY_TABLE

static TuningRow
row_for (const HistoDeviceLimits * limits)
{
#define FORCE(name) \
  if (forced.name != HISTO_TUNING_BY_TABLE) \
    row.name = forced.name;
  const TuningRow *found = rows;
  TuningRow row;

  while (limits->compute_capability < found->compute_capability)
    found++;
  row = *found;
  HISTO_TUNING_FIELDS (FORCE)
  return row;
#undef FORCE
}

/* For benches and tests, before anything is allocated for launches: from now on the field has
 * this value for all devices, or the table's again if that is HISTO_TUNING_BY_TABLE. Whether the
 * value makes sense is for the caller to know. FALSE if there is no such field. */
gboolean
histo_tuning_force (const gchar * field, guint value)
{
#define FORCE(name) \
  if (g_str_equal (field, #name)) { \
    forced.name = value; \
    return TRUE; \
  }
  HISTO_TUNING_FIELDS (FORCE)
#undef FORCE
  return FALSE;
}

static guint64
shared_room (const HistoDeviceLimits * limits)
{
  return MAX (limits->shared_memory_per_block - HISTO_SHARED_RESERVE, 0);
}

static guint64
divide_up (guint64 n, guint64 by)
{
  return (n + by - 1) / by;
}

/* As many copies of n_bins counters as a block's shared memory holds. */
static guint8
choose_copies (const HistoDeviceLimits * limits, guint32 n_bins)
{
  const TuningRow row = row_for (limits);

  for (gint log2 = MIN (row.most_copies_log2, MAX_COPIES_LOG2); log2 >= 0; log2--) {
    if (((guint64) n_bins * sizeof (guint32)) << log2 <= shared_room (limits))
      return log2;
  }
  return HISTO_NO_COPIES;
}

/* Whether 16-bit counters fit where 32-bit ones do not: those of 16-bit samples. */
static gboolean
packed_copy_fits (const HistoDeviceLimits * limits, guint32 n_bins)
{
  return n_bins == HISTO_PACKED_BINS
      && n_bins * sizeof (guint16) <= shared_room (limits);
}

static guint
counters_bytes (guint32 n_bins, guint copies_log2)
{
  if (copies_log2 == HISTO_NO_COPIES)
    return 0;
  if (copies_log2 == HISTO_PACKED_COPY)
    return n_bins * sizeof (guint16);
  /* Cleared by 16-byte stores. */
  return (((n_bins * sizeof (guint32)) << copies_log2) + 15) & ~15u;
}

/* Components that share a plane share its blocks' counters, so that the plane is read
 * once. Where these do not fit, each component is counted by blocks of its own. */
static void
split_planes (const HistoDeviceLimits * limits, HistoVideoTask * task)
{
  HistoPlane whole[HISTO_MAX_PLANES];
  guint n_whole = task->n_planes, n = 0;

  memcpy (whole, task->planes, sizeof whole);
  for (guint p = 0; p < n_whole; p++) {
    guint components = 0;       /* a bit for each */

    if (choose_copies (limits, whole[p].n_bins) != HISTO_NO_COPIES) {
      task->planes[n++] = whole[p];
      continue;
    }
    for (guint i = 0; i < whole[p].n_samples; i++)
      components |= 1u << whole[p].samples[i].component;
    for (guint c = 0; c < HISTO_MAX_COMPONENTS; c++) {
      if (components & 1u << c)
        histo_plane_select_component (&whole[p], c, &task->planes[n++]);
    }
  }
  task->n_planes = n;
}

static guint8
choose_counters (const HistoDeviceLimits * limits, guint32 n_bins)
{
  guint8 copies = choose_copies (limits, n_bins);

  if (copies == HISTO_NO_COPIES && packed_copy_fits (limits, n_bins))
    return HISTO_PACKED_COPY;
  return copies;
}

/* Of the bytes from bin to bin, while they are counted. */
static guint
bin_log2 (guint copies_log2)
{
  if (copies_log2 == HISTO_PACKED_COPY)
    return 1;
  return copies_log2 == HISTO_NO_COPIES ? 2 : copies_log2 + 2;
}

/* Where the counters of a component of the plane begin, in bytes. */
static guint32
base_offset (const HistoPlane * plane, const HistoSample * sample,
    guint copies_log2)
{
  guint32 bin = sample->first_bin - plane->first_bin;

  if (HISTO_ARE_PERMUTED (plane->kind, copies_log2))
    bin = histo_permute_bin (bin, copies_log2);
  return bin << bin_log2 (copies_log2);
}

static gboolean
is_one_of (guint n_words, guint a, guint b, guint c)
{
  return n_words == a || n_words == b || n_words == c;
}

/* The number of each sample's field in its word: the fields are those of the words of all
 * samples, in the order in which the samples have them. FALSE if there are too many. */
static gboolean
find_fields (const HistoPlane * plane, guint fields[HISTO_MAX_SAMPLES])
{
  guint8 shifts[4];
  guint n = 0;

  for (guint i = 0; i < plane->n_samples; i++) {
    guint field = 0;

    while (field < n && shifts[field] != plane->samples[i].shift)
      field++;
    if (field == G_N_ELEMENTS (shifts))
      return FALSE;
    if (field == n)
      shifts[n++] = plane->samples[i].shift;
    fields[i] = field;
  }
  return TRUE;
}

/* Whether the plane's samples are fields of 32-bit words, to be found by four rotations and
 * four masks: those of 10 bits, of which a word has three, and one of two bits. */
static gboolean
has_fields (const HistoPlane * plane)
{
  guint32 masks[4] = { 0, };
  guint taken = 0;              /* a bit for each field of each word */
  guint end = 0, fields[HISTO_MAX_SAMPLES];

  if (plane->kind != HISTO_PLANE_PACKED
      || !is_one_of (plane->period_bytes, 4, 8, 16)
      || !find_fields (plane, fields))
    return FALSE;
  for (guint i = 0; i < plane->n_samples; i++) {
    const HistoSample *sample = &plane->samples[i];
    const guint32 bin = sample->first_bin - plane->first_bin;
    const guint field = fields[i];
    guint bit;

    if (sample->bytes != 4 || sample->offset % 4 != 0)
      return FALSE;
    bit = 1u << (sample->offset / 4 * 4 + field);
    /* The counters' addresses are made of disjoint bits. */
    if ((taken & bit) != 0 || (bin & sample->mask) != 0
        || (masks[field] != 0 && masks[field] != sample->mask))
      return FALSE;
    masks[field] = sample->mask;
    taken |= bit;
    end = MAX (end, sample->offset + 4u);
  }
  /* A row ends with its last sample: that must be in the last word. */
  return end == plane->period_bytes;
}

/* Of HISTO_COUNT_KERNELS. */
static guint8
choose_kernel (const HistoPlane * plane, guint copies_log2)
{
  if (copies_log2 == HISTO_PACKED_COPY)
    return HISTO_COUNT_packed;
  if (copies_log2 == HISTO_NO_COPIES)
    return HISTO_COUNT_any;
  if (plane->kind == HISTO_PLANE_BYTES) {
    if (is_one_of (plane->n_words, 1, 2, 2))
      return HISTO_COUNT_bytes;
    if (is_one_of (plane->n_words, 3, 4, 6))
      return HISTO_COUNT_pixels;
  } else if (plane->kind == HISTO_PLANE_WORDS
      && is_one_of (plane->n_words, 1, 2, 4)) {
    return HISTO_COUNT_shorts;
  } else if (has_fields (plane)) {
    return HISTO_COUNT_fields;
  }
  return HISTO_COUNT_any;
}

static void
fill_fields (const HistoPlane * plane, guint copies_log2, HistoUnits * units)
{
  guint fields[HISTO_MAX_SAMPLES];

  find_fields (plane, fields);
  units->byte_order = plane->big_endian ? 0x0123 : 0x3210;
  for (guint i = 0; i < plane->n_samples; i++) {
    const HistoSample *sample = &plane->samples[i];
    const guint field = fields[i];
    const guint place = sample->offset / 4 * 4 + field;

    units->rotations[field] = (sample->shift - bin_log2 (copies_log2)) & 31;
    units->masks[field] = sample->mask << bin_log2 (copies_log2);
    units->bases[place] = base_offset (plane, sample, copies_log2);
    units->present |= 1u << place;
  }
}

static void
fill_words (const HistoPlane * plane, guint copies_log2, HistoUnits * units)
{
  const guint word_bits = plane->kind == HISTO_PLANE_BYTES ? 8 : 16;

  units->byte_order = plane->big_endian ? 0x2301 : 0x3210;
  units->mask = plane->samples[0].mask << bin_log2 (copies_log2);
  for (guint k = 0; k < 32 / word_bits; k++)
    units->rotations[k] = (word_bits * k + plane->samples[0].shift -
        bin_log2 (copies_log2)) & 31;
  for (guint w = 0; w < plane->n_words && w < HISTO_MAX_WORDS; w++) {
    if (plane->word_sample[w] == HISTO_NO_SAMPLE)
      continue;
    units->present |= 1u << w;
    units->bases[w] = base_offset (plane,
        &plane->samples[plane->word_sample[w]], copies_log2);
  }
}

/* 16-bit words have them in all counters. */
static gboolean
has_units (const HistoPlane * plane, guint8 kernel)
{
  /* These two are for planes of any kind. */
  return (kernel != HISTO_COUNT_any && kernel != HISTO_COUNT_packed)
      || (plane->kind == HISTO_PLANE_WORDS
      && is_one_of (plane->n_words, 1, 2, 4));
}

/* How so many threads go through the plane by units; not at all where rows do not begin on
 * 16 bytes, and where the plane has no fast path. */
static void
fill_units (const HistoPlane * plane, guint8 kernel, guint copies_log2,
    guint n_threads, HistoUnits * units)
{
  const guint unit_bytes = histo_unit_bytes (plane->period_bytes);
  guint64 total;

  memset (units, 0, sizeof *units);
  if (!has_units (plane, kernel)
      || ((plane->data | (guint64) plane->stride) & 15) != 0
      || plane->full_periods < unit_bytes / plane->period_bytes)
    return;

  units->columns = plane->full_periods / (unit_bytes / plane->period_bytes);
  total = (guint64) units->columns * plane->rows;
  if (total > G_MAXUINT32) {
    units->columns = 0;
    return;
  }
  units->data = plane->data;
  units->stride = plane->stride;
  units->columns_reciprocal =
      MIN ((G_GUINT64_CONSTANT (1) << 32) / units->columns, G_MAXUINT32);
  units->step_columns = n_threads % units->columns;
  units->step_bytes = (gint64) (n_threads / units->columns) * plane->stride +
      (gint64) units->step_columns * unit_bytes;
  units->wrap_bytes = plane->stride - (gint64) units->columns * unit_bytes;
  units->n_steps = total / n_threads;
  units->n_more = total % n_threads;
  if (plane->kind == HISTO_PLANE_PACKED)
    fill_fields (plane, copies_log2, units);
  else
    fill_words (plane, copies_log2, units);
}

/* Of planes that are not complete without it. */
static void
tune_video_sum (const HistoVideoTask * task, HistoLaunch * launch)
{
  for (guint p = 0; p < task->n_planes; p++) {
    if (HISTO_NEEDS_SUMMING (task->copies_log2[p]))
      launch->blocks = HISTO_N_HALVES_GROUPS;
  }
  launch->channel_blocks = task->n_planes;
  launch->buffers = 1;
  launch->threads = HISTO_PACKED_SUM_THREADS;
}

static guint
spread_log2 (const TuningRow * row, guint32 n_bins)
{
  return n_bins <= row->video_spread_bins ? row->video_spread_log2 : 0;
}

/* Bytes for the sums of a frame of so many bins. */
gsize
histo_tune_video_sums (const HistoDeviceLimits * limits, guint32 n_bins)
{
  const TuningRow row = row_for (limits);

  return (n_bins * sizeof (guint64)) << spread_log2 (&row, n_bins);
}

/* Shapes the launches for task's planes, splits them if need be, and sets first_block and
 * copies_log2.
 * The planes share the multiprocessors in proportion to their bytes. */
void
histo_tune_video (const HistoDeviceLimits * limits, HistoVideoTask * task,
    HistoVideoLaunches * launches)
{
#define THREADS(name, threads) threads,
  static const guint threads[] = { HISTO_COUNT_KERNELS (THREADS) };
#undef THREADS
  const TuningRow row = row_for (limits);
  guint64 bytes[HISTO_MAX_PLANES], total = 0, before = 0, begin = 0;
  guint blocks = 0;

  memset (launches, 0, sizeof *launches);
  split_planes (limits, task);
  for (guint p = 0; p < task->n_planes; p++) {
    const HistoPlane *plane = &task->planes[p];

    bytes[p] = (guint64) plane->rows * plane->periods * plane->period_bytes;
    total += bytes[p];
  }
  for (guint p = 0; p < task->n_planes; p++) {
    const HistoPlane *plane = &task->planes[p];
    guint64 worth = bytes[p] / row.video_bytes_per_block + 1;
    guint64 share, end;
    HistoLaunch *launch;

    /* Boundaries are rounded, not shares: a block more than there are multiprocessors
     * would wait for all others. */
    before += bytes[p];
    end = total == 0 ? 0 :
        (before * limits->n_multiprocessors + total / 2) / total;
    share = end - begin;
    begin = end;

    task->first_block[p] = blocks;
    blocks += MAX (1, MIN (share, worth));
    task->copies_log2[p] = choose_counters (limits, plane->n_bins);
    task->kernels[p] = choose_kernel (plane, task->copies_log2[p]);
    launch = &launches->count[task->kernels[p]];
    launch->channel_blocks = launch->buffers = 1;
    launch->threads = threads[task->kernels[p]];
    launch->shared_bytes = MAX (launch->shared_bytes,
        counters_bytes (plane->n_bins, task->copies_log2[p]));
  }
  for (guint p = task->n_planes; p <= HISTO_MAX_PLANES; p++)
    task->first_block[p] = blocks;
  for (guint p = 0; p < task->n_planes; p++) {
    fill_units (&task->planes[p], task->kernels[p], task->copies_log2[p],
        (task->first_block[p + 1] - task->first_block[p]) *
        threads[task->kernels[p]], &task->units[p]);
    launches->count[task->kernels[p]].blocks = blocks;
  }
  task->spread_log2 = spread_log2 (&row, task->n_bins);
  tune_video_sum (task, &launches->sum);
}

/* Whether the component is counted in packed counters, by blocks of its own. */
gboolean
histo_tune_is_packed (const HistoDeviceLimits * limits,
    const HistoFormat * format, guint component)
{
  return choose_counters (limits, 1u << format->components[component].depth) ==
      HISTO_PACKED_COPY;
}

/* Bytes of memory for the tables that a frame's blocks leave for a second launch, if they
 * may. */
gsize
histo_tune_video_tables (const HistoDeviceLimits * limits,
    const HistoFormat * format)
{
  for (guint c = 0; c < format->n_components; c++) {
    if (histo_tune_is_packed (limits, format, c))
      return (gsize) HISTO_PACKED_TABLE_BYTES *
          (limits->n_multiprocessors + HISTO_MAX_PLANES);
  }
  return 0;
}

/* ---- Audio ---------------------------------------------------------------------------- */

/* Tables of more than this are not worth their memory. */
#define MOST_TABLE_BYTES (32 << 20)

/* The most blocks that histo_tune_audio() gives a channel; fewer where there are many
 * channels, which bounds the memory for what the blocks hand on. */
guint
histo_tune_audio_max_blocks (const HistoDeviceLimits * limits, guint n_channels)
{
  const guint few_channels = 64;
  guint most = 4 * limits->n_multiprocessors;

  return n_channels <= few_channels ? most :
      MAX (1, most * few_channels / n_channels);
}

static guint
most_vector_blocks (const HistoDeviceLimits * limits, guint of_multiprocessor)
{
  return limits->n_multiprocessors * of_multiprocessor;
}

/* For how many blocks of a channel there is room to leave tables of their counters: for as many
 * as there can be, or for those of a launch by vectors, or for none where these would be too
 * large. */
static guint
table_blocks (const HistoDeviceLimits * limits, guint n_channels,
    guint n_bins)
{
  const guint64 most =
      MOST_TABLE_BYTES / histo_audio_table_bytes (n_channels, n_bins);
  const guint any = histo_tune_audio_max_blocks (limits, n_channels);
  const guint by_vector =
      MIN (any, most_vector_blocks (limits, row_for (limits).audio_blocks));

  return any <= most ? any : by_vector <= most ? by_vector : 0;
}

/* Bytes for these tables. */
gsize
histo_tune_audio_tables (const HistoDeviceLimits * limits, guint n_channels,
    guint n_bins)
{
  return histo_audio_table_bytes (n_channels, n_bins) *
      table_blocks (limits, n_channels, n_bins);
}

/* Whether all channels are measured by the same blocks: interleaved ones, whose samples
 * lie side by side, as far as their counters fit. */
static gboolean
is_interleaved (const HistoAudioTask * task)
{
  return task->buffers[0].channel_stride == task->sample.bytes
      && task->sample_stride == (gint64) task->sample.bytes * task->n_channels;
}

/* Samples of a channel in the longest of the buffers. */
static guint64
most_samples (const HistoAudioTask * task)
{
  guint64 most = 0;

  for (guint i = 0; i < task->n_buffers; i++)
    most = MAX (most, task->buffers[i].n_samples);
  return most;
}

static gboolean
channels_share_blocks (const HistoDeviceLimits * limits,
    const HistoAudioTask * task, guint threads)
{
  return is_interleaved (task) && task->n_channels <= threads
      && (guint64) task->n_channels * (task->binning.n_bins +
      HISTO_OUTSIDE_ROWS) * sizeof (guint32) <= shared_room (limits);
}

/* Whether all channels of all buffers can be read by vectors of so many bytes. */
static gboolean
buffers_are_aligned (const HistoAudioTask * task, guint vector_bytes)
{
  const gboolean interleaved = is_interleaved (task);

  if (!interleaved && task->sample_stride != task->sample.bytes)
    return FALSE;
  for (guint i = 0; i < task->n_buffers; i++) {
    const HistoAudioBuffer *buffer = &task->buffers[i];

    if (buffer->data % vector_bytes != 0
        || (!interleaved && buffer->channel_stride % vector_bytes != 0))
      return FALSE;
  }
  return TRUE;
}

/* Whether the kernels by vectors know the samples and the bins. */
static gboolean
vectors_fit_format (const HistoAudioTask * task)
{
  const HistoAudioSample *sample = &task->sample;
  const HistoBinning *binning = &task->binning;
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
      /* What is outside is counted as the value next to the bins: 16 bits have it. */
      && binning->offset <= G_MAXINT16 + 1 && end >= G_MININT16;
}

static guint
greatest_common_divisor (guint a, guint b)
{
  return b == 0 ? a : greatest_common_divisor (b, a % b);
}

/* Whether the bins take in all there is, so that a sample's bits are its bin. */
static gboolean
bins_are_whole (const HistoBinning * binning)
{
  return binning->offset == G_MININT16
      && (guint64) binning->n_bins << binning->shift == 65536;
}

/* The kernel for so many channels of a thread, and its threads. */
static guint
choose_vector_kernel (const HistoAudioTask * task, guint channels,
    HistoLaunch * launch)
{
#define THREADS(name, vectors, threads) threads,
  static const guint threads[] = { HISTO_VECTOR_KERNELS (THREADS) };
#undef THREADS
  guint kernel;

  if (task->sample.kind == HISTO_AUDIO_FLOAT)
    kernel = HISTO_VECTOR_KERNEL (float_1, channels);
  else if (bins_are_whole (&task->binning))
    kernel = task->n_copies == WARP_SIZE ?
        HISTO_VECTOR_KERNEL (whole_short_by_32_1, channels) :
        HISTO_VECTOR_KERNEL (whole_short_1, channels);
  else
    kernel = HISTO_VECTOR_KERNEL (short_1, channels);
  launch->threads = threads[kernel];
  return kernel;
}

static gboolean
is_power_of_two (guint n)
{
  return (n & (n - 1)) == 0;
}

/* Of a block: its warps add up what they can beforehand, see reduce_block(). */
static gsize
totals_bytes (guint threads, guint period, guint channels_of_thread)
{
  return (gsize) (threads / WARP_SIZE) *
      (is_power_of_two (period) ? period : WARP_SIZE) * channels_of_thread *
      HISTO_TOTALS_OF_THREAD;
}

/* Shapes a launch by vectors; FALSE if that is not possible. */
static gboolean
tune_vectors (const HistoDeviceLimits * limits, const TuningRow * row,
    HistoAudioTask * task, HistoAudioLaunches * launches)
{
  HistoLaunch *launch = &launches->measure;
  const gboolean interleaved = is_interleaved (task);
  const guint channels = interleaved ? task->n_channels : 1;    /* of a block */
  const guint samples = histo_audio_vector_samples (task->sample.bytes,
      channels);
  const guint of_thread = histo_audio_thread_channels (channels);
  const guint period = channels / greatest_common_divisor (channels, samples);
  const guint n_rows = task->binning.n_bins + HISTO_OUTSIDE_ROWS;
  const guint64 n_samples = most_samples (task) * channels;
  guint64 counters, copies;

  if (!vectors_fit_format (task) || period > WARP_SIZE
      || !buffers_are_aligned (task, samples * task->sample.bytes)
      || n_samples / samples >= G_MAXUINT32 / 2)
    return FALSE;

  task->lane_period = period;
  counters = (guint64) n_rows * of_thread;
  /* One for each lane of a warp, and for those of other warps in front of it; fewer copies
   * where clearing and adding them would take longer than counting. */
  copies = MIN (shared_room (limits) / sizeof (guint32),
      2 * n_samples + counters * period) / counters;
  copies = MIN (copies, WARP_SIZE + period - 1 + period - 1) / period * period;
  if (copies == 0)
    return FALSE;
  /* Halves of a warp: a power of two is found at less cost. */
  if (is_power_of_two (period)) {
    copies = MIN (copies, WARP_SIZE);
    while (!is_power_of_two (copies))
      copies &= copies - 1;
  }
  task->n_copies = copies;
  task->path = HISTO_AUDIO_BY_VECTOR;
  task->by_row = interleaved;

  launches->vector_kernel = choose_vector_kernel (task, of_thread, launch);
  launch->blocks = MIN (n_samples / row->audio_samples_per_block + 1,
      MIN (histo_tune_audio_max_blocks (limits, task->n_channels),
          most_vector_blocks (limits, row->audio_blocks)));
  /* As many for all lengths of one block, so that a buffer's sums are the same to the last bit
   * with others in a launch and alone. */
  if (launch->blocks == 1)
    launch->threads = CLAMP (row->audio_small_threads,
        WARP_SIZE * (1 + divide_up (channels, WARP_SIZE)), launch->threads);
  /* Where all threads' totals have no room, fewer threads; but each channel's counters
   * are added up by one. */
  while (launch->threads >= channels + WARP_SIZE
      && totals_bytes (launch->threads, period, of_thread) >
      shared_room (limits))
    launch->threads -= WARP_SIZE;
  task->n_threads = launch->threads / period * period;
  launch->channel_blocks = interleaved ? 1 : task->n_channels;
  launch->shared_bytes = MAX (counters * copies * sizeof (guint32),
      totals_bytes (launch->threads, period, of_thread));
  launch->shared_bytes = (launch->shared_bytes + 15) & ~15u;
  return launch->shared_bytes <= shared_room (limits);
}

/* Whether all the block's counters fit. */
static gboolean
tune_samples (const HistoDeviceLimits * limits, const TuningRow * row,
    HistoAudioTask * task, HistoLaunch * launch)
{
  guint channels = 1;           /* of a block */
  guint64 worth;
  guint n_rows;

  task->path = HISTO_AUDIO_BY_SAMPLE;
  task->by_row = FALSE;
  launch->threads = row->audio_threads;
  launch->channel_blocks = task->n_channels;
  if (channels_share_blocks (limits, task, launch->threads)) {
    channels = task->n_channels;
    launch->channel_blocks = 1;
  }
  worth = most_samples (task) * channels / row->audio_samples_per_block + 1;
  launch->blocks = MIN (worth, histo_tune_audio_max_blocks (limits,
          task->n_channels));

  n_rows = channels * (task->binning.n_bins + HISTO_OUTSIDE_ROWS);
  task->copies_log2 = choose_copies (limits, n_rows);
  /* Several blocks to a multiprocessor hide more latency than more copies save. */
  while (task->copies_log2 != HISTO_NO_COPIES && task->copies_log2 > 2
      && counters_bytes (n_rows, task->copies_log2) > row->audio_shared_bytes)
    task->copies_log2--;
  launch->shared_bytes = MAX (counters_bytes (n_rows, task->copies_log2),
      launch->threads * HISTO_TOTALS_OF_THREAD);
  return task->copies_log2 != HISTO_NO_COPIES;
}

/* Of all channels. */
static guint64
audio_counters (const HistoAudioTask * task)
{
  return task->n_channels * (task->binning.n_bins + HISTO_OUTSIDE_ROWS);
}

/* More threads where there are more tables to share. */
static guint
sum_threads (guint n_tables)
{
  guint threads = MAX (HISTO_SUM_COLUMNS, WARP_SIZE);

  while (threads < HISTO_SUM_THREADS && threads / HISTO_SUM_COLUMNS < n_tables)
    threads *= 2;
  return threads;
}

static void
tune_audio_sum (const HistoAudioTask * task, HistoLaunch * launch)
{
  guint warps;

  launch->threads = sum_threads (task->n_blocks);
  warps = launch->threads / WARP_SIZE;
  launch->blocks = histo_audio_sum_blocks (task->by_row, task->n_channels,
      task->binning.n_bins) + divide_up (task->n_channels, warps);
  launch->channel_blocks = launch->buffers = 1;
}

/* Shapes the launches for task's channels, and sets its path and what belongs to that.
 * Several buffers can share a launch only if each would be measured by one block to a
 * channel whose counters fit: launches->can_gather. */
void
histo_tune_audio (const HistoDeviceLimits * limits, HistoAudioTask * task,
    HistoAudioLaunches * launches)
{
  const TuningRow row = row_for (limits);
  gboolean counters_fit = TRUE;

  memset (launches, 0, sizeof *launches);
  if (!tune_vectors (limits, &row, task, launches)) {
    memset (launches, 0, sizeof *launches);
    counters_fit = tune_samples (limits, &row, task, &launches->measure);
  }
  launches->measure.buffers = task->n_buffers;
  task->n_blocks = launches->measure.blocks;
  launches->can_gather = counters_fit && task->n_blocks == 1;
  launches->ends_in_one = counters_fit && task->n_blocks > 1
      && audio_counters (task) <= row.audio_last_block_counters;
  launches->leaves_tables = counters_fit && !launches->ends_in_one
      && task->n_blocks <= table_blocks (limits, task->n_channels,
      task->binning.n_bins);
  if (!launches->ends_in_one && (task->n_blocks > 1 || !counters_fit))
    tune_audio_sum (task, &launches->sum);
}
