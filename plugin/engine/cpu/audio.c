/* Measuring channels of audio on the CPU.
 *
 * A channel is measured in blocks, which stay in the first cache. The loops over a block have no
 * branch, so that the compiler makes vectors of them. A block with a sample outside of the bins is
 * sorted sample by sample.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/count.h"

#include <math.h>

#include "measures/samples.h"
#include "media/load.h"

/* Samples of a channel that are measured at a time. */
#define BLOCK 256

/* Each function with this mark is compiled twice: for every processor, and for those with long
 * vectors. Both do the same operations in the same order, so both give the same bits. */
#ifdef __x86_64__
#define HAS_LONG_VECTORS \
    (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
#define LONG_VECTORS __attribute__ ((target ("avx2,fma")))
#else
#define HAS_LONG_VECTORS FALSE
#define LONG_VECTORS
#endif

/* ---- Bins ----------------------------------------------------------------------------------- */

/* One sample that is no NaN.
 *
 * @bin: (nullable): the one that search_bins() has found for it */
HISTO_SPECIALISED void
count_value (const HistoBinning * binning, const gdouble * edges,
    gdouble value, const guint32 * bin, guint32 * counters, HistoTotals * totals)
{
  if (value < binning->range_min)
    totals->underflow++;
  else if (value >= binning->range_max)
    totals->overflow++;
  else
    counters[bin != NULL ? *bin : histo_bin_by_edges (binning, edges, value)]++;
}

/* Samples that are searched at the same time: each step of one waits for the step before. */
#define SEARCHES 8
/* The search begins with one of so many runs of bins, which a loop without look-ups finds. */
#define RUNS 8

/* Bins of any widths: finds the bins of those samples that lie in one; that of others is any.
 *
 * Returns: whether all samples lie inside of the bins. A NaN does not
 * @samples: (inout) (array): room for BLOCK; those behind the first @n change
 * @bins: (out) (array): room for BLOCK */
HISTO_SPECIALISED gboolean
search_bins (gdouble * samples, guint n, const HistoBinning * binning,
    const gdouble * edges, guint32 * bins)
{
  const gdouble min = binning->range_min, max = binning->range_max;
  const guint run = (binning->n_bins + RUNS - 1) / RUNS;
  guint32 firsts[RUNS];
  gdouble begins[RUNS];
  gint64 runs[BLOCK];
  guint64 n_outside = 0;

  /* They overlap if the number of bins is no multiple. */
  for (guint r = 0; r < RUNS; r++) {
    firsts[r] = (guint64) (binning->n_bins - run) * r / (RUNS - 1);
    begins[r] = edges[firsts[r]];
  }
  for (guint i = n; i % SEARCHES != 0; i++)
    samples[i] = min;
  for (guint i = 0; i < n; i++) {
    n_outside += samples[i] >= min ? 0 : 1;
    n_outside += samples[i] < max ? 0 : 1;
  }
  for (guint i = 0; i < (n + SEARCHES - 1) / SEARCHES * SEARCHES; i++) {
    gint64 r = 0;

#pragma GCC unroll 8
    for (guint k = 1; k < RUNS; k++)
      r += samples[i] >= begins[k] ? 1 : 0;
    runs[i] = r;
  }
  for (guint i = 0; i < n; i += SEARCHES) {
    guint32 found[SEARCHES];

#pragma GCC unroll 8
    for (guint k = 0; k < SEARCHES; k++)
      found[k] = firsts[runs[i + k]];
    for (guint rest = run; rest > 1; rest -= rest / 2) {
#pragma GCC unroll 8
      for (guint k = 0; k < SEARCHES; k++)
        found[k] = histo_search_step (edges, found[k], rest / 2, samples[i + k]);
    }
    memcpy (&bins[i], found, sizeof found);
  }
  return n_outside == 0;
}

/* @bins: (array length=n): below the number of counters */
HISTO_SPECIALISED void
count_bins (const guint32 * bins, guint n, guint32 * counters)
{
  for (guint i = 0; i < n; i++)
    counters[bins[i]]++;
}

/* ---- Integers ------------------------------------------------------------------------------- */

/* @words: (out) (array length=n): the samples; signed ones with their sign in the highest bit */
HISTO_SPECIALISED void
read_words (const guint8 * p, gsize stride, guint n,
    const HistoAudioSample * sample, guint bytes, gboolean big_endian,
    guint32 * words)
{
  const guint unused = 32 - sample->depth;

  if (sample->kind == HISTO_AUDIO_SIGNED) {
    for (guint i = 0; i < n; i++)
      words[i] = (gint32) (histo_load_word (p + i * stride, bytes,
              big_endian) << unused) >> unused;
  } else {
    for (guint i = 0; i < n; i++)
      words[i] = histo_load_word (p + i * stride, bytes,
          big_endian) << unused >> unused;
  }
}

/* The usual formats have loops for a constant stride, which the compiler vectorises. */
HISTO_SPECIALISED void
read_integers (const guint8 * p, gsize stride, guint n,
    const HistoAudioSample * sample, guint32 * words)
{
#define BY_ORDER(bytes) \
  if (sample->big_endian) \
    read_words (p, stride, n, sample, bytes, TRUE, words); \
  else if (stride == bytes) \
    read_words (p, bytes, n, sample, bytes, FALSE, words); \
  else if (stride == 2 * bytes) \
    read_words (p, 2 * bytes, n, sample, bytes, FALSE, words); \
  else \
    read_words (p, stride, n, sample, bytes, FALSE, words); \
  break

  switch (sample->bytes) {
    case 1:
      BY_ORDER (1);
    case 2:
      BY_ORDER (2);
    case 3:
      BY_ORDER (3);
    default:
      BY_ORDER (4);
  }
#undef BY_ORDER
}

HISTO_SPECIALISED gint64
value_of_word (guint32 word, gboolean is_signed)
{
  return is_signed ? (gint64) (gint32) word : (gint64) word;
}

HISTO_SPECIALISED void
add_integers (const guint32 * words, guint n, gboolean is_signed,
    HistoTotals * totals)
{
  gint64 sum = 0;
  guint64 low = 0, high = 0;
  gint32 min = G_MAXINT32, max = G_MININT32;
  /* Unsigned numbers are compared as signed ones. */
  const guint32 inverted = is_signed ? 0 : 0x80000000;

  for (guint i = 0; i < n; i++) {
    const gint64 value = value_of_word (words[i], is_signed);
    const guint64 square = is_signed ?
        (guint64) ((gint64) (gint32) words[i] * (gint32) words[i]) :
        (guint64) words[i] * words[i];
    const gint32 comparable = words[i] ^ inverted;

    sum += value;
    low += (guint32) square;
    high += square >> 32;
    min = MIN (min, comparable);
    max = MAX (max, comparable);
  }
  totals->sum += sum;
  totals->square_low += low;
  totals->square_high += high;
  totals->min =
      MIN (totals->min, value_of_word ((guint32) min ^ inverted, is_signed));
  totals->max =
      MAX (totals->max, value_of_word ((guint32) max ^ inverted, is_signed));
}

/* Returns: whether all samples lie inside of the bins, so that all of @bins are valid
 * @bins: (out) (array length=n) */
HISTO_SPECIALISED gboolean
find_bins_of_integers (const guint32 * words, guint n, gboolean is_signed,
    const HistoBinning * binning, guint32 * bins)
{
  const gint64 offset = binning->offset;
  const guint64 n_bins = binning->n_bins;
  const guint shift = binning->shift;
  guint64 n_outside = 0;

  for (guint i = 0; i < n; i++) {
    /* Huge if the sample lies below the bins; at most 32 bits are shifted out. */
    const guint64 distance =
        (guint64) (value_of_word (words[i], is_signed) - offset);
    const guint64 bin = distance >> shift;

    n_outside += bin >= n_bins;
    bins[i] = (guint32) bin;
  }
  return n_outside == 0;
}

/* A block, in bins of any widths. */
HISTO_SPECIALISED void
count_by_search (const guint32 * words, guint n, gboolean is_signed,
    const HistoBinning * binning, const gdouble * edges, guint32 * counters,
    HistoTotals * totals)
{
  gdouble samples[BLOCK];
  guint32 bins[BLOCK];

  for (guint i = 0; i < n; i++)
    samples[i] = is_signed ? (gdouble) (gint32) words[i] : (gdouble) words[i];
  if (search_bins (samples, n, binning, edges, bins)) {
    count_bins (bins, n, counters);
    return;
  }
  for (guint i = 0; i < n; i++)
    count_value (binning, edges, samples[i], &bins[i], counters, totals);
}

HISTO_SPECIALISED void
measure_integers (const guint8 * p, gsize stride, guint64 n_samples,
    const HistoAudioSample * sample, gboolean is_signed,
    const HistoBinning * binning, const gdouble * edges, guint32 * counters,
    HistoTotals * totals)
{
  guint32 words[BLOCK], bins[BLOCK];

  for (guint64 begin = 0; begin < n_samples; begin += BLOCK) {
    const guint n = MIN (BLOCK, n_samples - begin);

    read_integers (p + begin * stride, stride, n, sample, words);
    add_integers (words, n, is_signed, totals);
    if (binning->kind == HISTO_BINNING_SEARCH) {
      count_by_search (words, n, is_signed, binning, edges, counters, totals);
      continue;
    }
    if (binning->kind == HISTO_BINNING_SHIFT
        && find_bins_of_integers (words, n, is_signed, binning, bins)) {
      count_bins (bins, n, counters);
      continue;
    }
    for (guint i = 0; i < n; i++)
      count_value (binning, edges, value_of_word (words[i], is_signed),
          NULL, counters, totals);
  }
}

/* ---- Floating point --------------------------------------------------------------------------- */

/* Sums that are kept side by side. The finite samples of a block are added to the lanes in turn. */
#define LANES 8

typedef struct
{
  gdouble sums[LANES], sum_errors[LANES];
  gdouble squares[LANES], square_errors[LANES];
  gdouble min[LANES], max[LANES];
} Lanes;

/* histo_add_compensated() for numbers that lie in two arrays. */
HISTO_SPECIALISED void
add_compensated (gdouble * sum, gdouble * error, gdouble x)
{
  gdouble total[2] = { *sum, *error };

  histo_add_compensated (total, x);
  *sum = total[0];
  *error = total[1];
}

/* @n: at most LANES. @is_wide: samples of 64 bits, whose squares are rounded */
HISTO_SPECIALISED void
add_to_lanes (Lanes * lanes, const gdouble * samples, guint n,
    gboolean is_wide)
{
  /* GCC makes vectors of a loop, but not of the same loop unrolled. */
#pragma GCC unroll 1
  for (guint i = 0; i < n; i++) {
    const gdouble x = samples[i], square = x * x;

    add_compensated (&lanes->sums[i], &lanes->sum_errors[i], x);
    add_compensated (&lanes->squares[i], &lanes->square_errors[i], square);
    if (is_wide)
      lanes->square_errors[i] += fma (x, x, -square);
    lanes->min[i] = x < lanes->min[i] ? x : lanes->min[i];
    lanes->max[i] = x > lanes->max[i] ? x : lanes->max[i];
  }
}

HISTO_SPECIALISED void
add_floats (Lanes * lanes, const gdouble * samples, guint n, gboolean is_wide)
{
  Lanes copy = *lanes;
  guint done = 0;

  for (; done + LANES <= n; done += LANES)
    add_to_lanes (&copy, samples + done, LANES, is_wide);
  add_to_lanes (&copy, samples + done, n - done, is_wide);
  *lanes = copy;
}

/* Does what find_bins_of_integers() does. A NaN is not inside. */
HISTO_SPECIALISED gboolean
find_bins_of_floats (const gdouble * samples, guint n,
    const HistoBinning * binning, guint32 * bins)
{
  const gdouble min = binning->range_min, max = binning->range_max;
  const gdouble scale = binning->scale, offset = binning->offset;
  guint64 n_outside = 0;

  for (guint i = 0; i < n; i++) {
    const gdouble x = samples[i];
    /* So that every number can be converted. */
    const gdouble above = x > min ? x : min;
    const gdouble within = above < max ? above : max;

    n_outside += x >= min ? 0 : 1;
    n_outside += x < max ? 0 : 1;
    bins[i] = (guint32) (gint32) (floor (within * scale) - offset);
  }
  return n_outside == 0;
}

/* Counts the samples one by one. Moves the finite ones to the front; returns their number.
 *
 * @bins: (nullable) (array length=n): of search_bins() */
HISTO_SPECIALISED guint
sort_floats (gdouble * samples, guint n, const guint32 * bins, const HistoBinning * binning,
    const gdouble * edges, guint32 * counters, HistoTotals * totals)
{
  guint n_finite = 0;

  for (guint i = 0; i < n; i++) {
    const gdouble value = samples[i];

    if (isnan (value)) {
      totals->nan++;
      continue;
    }
    count_value (binning, edges, value, bins != NULL ? &bins[i] : NULL, counters, totals);
    if (isinf (value))
      totals->inf++;
    else
      samples[n_finite++] = value;
  }
  return n_finite;
}

HISTO_SPECIALISED void
measure_floats (const guint8 * p, gsize stride, guint64 n_samples,
    const HistoAudioSample * sample, gboolean is_wide,
    const HistoBinning * binning, const gdouble * edges, guint32 * counters,
    HistoTotals * totals)
{
  const gboolean is_search = binning->kind == HISTO_BINNING_SEARCH;
  gdouble samples[BLOCK];
  guint32 bins[BLOCK];
  Lanes lanes;

  memset (&lanes, 0, sizeof lanes);
  for (guint i = 0; i < LANES; i++) {
    lanes.min[i] = INFINITY;
    lanes.max[i] = -INFINITY;
  }
  for (guint64 begin = 0; begin < n_samples; begin += BLOCK) {
    guint n = MIN (BLOCK, n_samples - begin);

    histo_samples_read (sample, p + begin * stride, stride, n, samples);
    if ((binning->kind == HISTO_BINNING_SCALE
            && find_bins_of_floats (samples, n, binning, bins))
        || (is_search && search_bins (samples, n, binning, edges, bins)))
      count_bins (bins, n, counters);
    else if (is_search)
      n = sort_floats (samples, n, bins, binning, edges, counters, totals);
    else
      n = sort_floats (samples, n, NULL, binning, edges, counters, totals);
    add_floats (&lanes, samples, n, is_wide);
  }
  for (guint i = 0; i < LANES; i++) {
    histo_add_compensated (totals->float_sum, lanes.sums[i]);
    histo_add_compensated (totals->float_square, lanes.squares[i]);
    totals->float_sum[1] += lanes.sum_errors[i];
    totals->float_square[1] += lanes.square_errors[i];
    totals->float_min = MIN (totals->float_min, lanes.min[i]);
    totals->float_max = MAX (totals->float_max, lanes.max[i]);
  }
}

/* ---- A channel -------------------------------------------------------------------------------- */

HISTO_SPECIALISED void
measure_any (const guint8 * data, gsize stride, guint64 n_samples,
    const HistoAudioSample * sample, const HistoBinning * binning,
    const gdouble * edges, guint32 * counters, HistoTotals * totals)
{
  if (sample->kind == HISTO_AUDIO_SIGNED)
    measure_integers (data, stride, n_samples, sample, TRUE, binning, edges,
        counters, totals);
  else if (sample->kind == HISTO_AUDIO_UNSIGNED)
    measure_integers (data, stride, n_samples, sample, FALSE, binning, edges,
        counters, totals);
  else if (sample->bytes == 4)
    measure_floats (data, stride, n_samples, sample, FALSE, binning, edges,
        counters, totals);
  else
    measure_floats (data, stride, n_samples, sample, TRUE, binning, edges,
        counters, totals);
}

LONG_VECTORS static void
measure_in_long_vectors (const guint8 * data, gsize stride, guint64 n_samples,
    const HistoAudioSample * sample, const HistoBinning * binning,
    const gdouble * edges, guint32 * counters, HistoTotals * totals)
{
  measure_any (data, stride, n_samples, sample, binning, edges, counters,
      totals);
}

/**
 * histo_cpu_audio_measure_channel:
 * @data: the channel's first sample
 * @sample_stride: bytes from one sample of the channel to the next
 * @edges: (array): the n_bins + 1 edges of @binning
 * @counters: (array): n_bins counters, to which the samples are added
 * @totals: (out): of these samples
 *
 * Measures one channel of one buffer.
 */
void
histo_cpu_audio_measure_channel (const guint8 * data, gsize sample_stride,
    guint64 n_samples, const HistoAudioSample * sample,
    const HistoBinning * binning, const gdouble * edges, guint32 * counters,
    HistoTotals * totals)
{
  memset (totals, 0, sizeof *totals);
  totals->min = G_MAXINT64;
  totals->max = G_MININT64;
  totals->float_min = INFINITY;
  totals->float_max = -INFINITY;

  if (HAS_LONG_VECTORS)
    measure_in_long_vectors (data, sample_stride, n_samples, sample, binning,
        edges, counters, totals);
  else
    measure_any (data, sample_stride, n_samples, sample, binning, edges,
        counters, totals);
}
