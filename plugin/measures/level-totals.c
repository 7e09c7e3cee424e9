/* The totals of the group `level`; see level-totals.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/level-totals.h"

#include <float.h>
#include <math.h>

#include "measures/samples.h"

void
histo_level_scale_init (HistoLevelScale * scale,
    const HistoAudioSample * sample)
{
  scale->full_scale = scale->highest = histo_samples_full_scale (sample);
  scale->integer_bits = sample->depth;
  if (sample->kind == HISTO_AUDIO_FLOAT) {
    scale->integer_scale = ldexp (1, sample->depth - 1);
    scale->smallest_normal = sample->bytes == 4 ? FLT_MIN : DBL_MIN;
  } else {
    scale->highest -= 1;
    scale->integer_scale = 1;
    scale->smallest_normal = 0;
  }
}

void
histo_level_totals_clear (HistoLevelTotals * totals)
{
  memset (totals, 0, sizeof *totals);
  totals->differences.min = INFINITY;
  totals->min_non_zero = DBL_MAX;
  totals->all_bits = G_MAXUINT64;
}

/* ---- Measuring a few samples ---------------------------------------------------------- */

/* The counts are set. Mostly all runs have one sample. */
static void
find_runs (HistoLevelTotals * totals, const gdouble * x, guint n,
    const HistoLevelLoops * loops)
{
  HistoLevelPeak *min = &totals->min, *max = &totals->max;

  if (min->value == max->value) {
    min->runs = max->runs = 0;
  } else if ((min->count > 1 && loops->count_repeats (x, n, min->value) > 0)
      || (max->count > 1 && loops->count_repeats (x, n, max->value) > 0)) {
    loops->add_up_runs (x, n, min->value, max->value, &min->runs, &max->runs);
  } else {
    min->runs = min->count - (x[n - 1] == min->value ? 1 : 0);
    max->runs = max->count - (x[n - 1] == max->value ? 1 : 0);
  }
}

static void
find_head_and_tail (HistoLevelTotals * totals, const gdouble * x, guint n)
{
  totals->first = x[0];
  totals->last = x[n - 1];
  if (totals->min.value == totals->max.value) {
    totals->head = totals->tail = n;
    return;
  }
  /* Both loops end before n: two samples differ, because min and max are the exact extrema of these
   * samples. */
  for (totals->head = 1; x[totals->head] == x[0];)
    totals->head++;
  for (totals->tail = 1; x[n - 1 - totals->tail] == x[n - 1];)
    totals->tail++;
}

/* Moves the finite samples to the begin. Returns their number. */
static guint
keep_finite (gdouble * x, guint n)
{
  guint n_finite = 0;

  for (guint i = 0; i < n; i++) {
    if (isfinite (x[i]))
      x[n_finite++] = x[i];
  }
  return n_finite;
}

static void
add_up (HistoLevelSums * sums, gdouble * x, guint n,
    const HistoLevelLoops * loops, const HistoLevelHistory * history)
{
  x[-1] = history->has_last ? history->last : x[0];
  loops->add_up (x, n, sums);
  if (!history->has_last) {
    /* The first sample has no difference. */
    HistoLevelSums others = { 0, };

    others.differences.min = INFINITY;
    if (n > 1)
      loops->add_up (x + 1, n - 1, &others);
    sums->differences = others.differences;
  }
}

/* Copies the samples that are not 0. Returns their number. */
static guint
copy_non_zero (gdouble * copy, const gdouble * x, guint n)
{
  guint n_copied = 0;

  for (guint i = 0; i < n; i++) {
    copy[n_copied] = x[i];
    n_copied += x[i] != 0;
  }
  return n_copied;
}

/* Zero crossings, and the least magnitude but 0. @min_magnitude is the least one. */
static void
find_zero_crossings (HistoLevelTotals * totals, const gdouble * x, guint n,
    gdouble min_magnitude, const HistoLevelLoops * loops,
    HistoLevelHistory * history)
{
  gdouble non_zero[HISTO_LEVEL_PIECE];

  totals->min_non_zero = min_magnitude;
  if (totals->min.value == 0 && totals->max.value == 0) {
    totals->min_non_zero = DBL_MAX;
    return;
  }
  if (min_magnitude == 0) {
    totals->min_non_zero = loops->find_min_non_zero (x, n);
    n = copy_non_zero (non_zero, x, n);
    x = non_zero;
  }
  totals->zero_crossings = (history->is_positive != (x[0] > 0))
      + loops->count_sign_changes (x, n);
  history->is_positive = x[n - 1] > 0;
}

static void
find_clipped (HistoLevelTotals * totals, const gdouble * x, guint n,
    const HistoLevelLoops * loops, const HistoLevelScale * scale,
    guint clipping_samples, HistoLevelHistory * history)
{
  if (totals->min.value > -scale->full_scale
      && totals->max.value < scale->highest) {
    history->clipped_run = 0;
    return;
  }
  loops->find_clipped (x, n, -scale->full_scale, scale->highest,
      clipping_samples, &history->clipped_run, &totals->clipped,
      &totals->clipped_runs);
}

static void
measure_finite (HistoLevelTotals * totals, const gdouble * x, guint n,
    const HistoLevelSums * sums, const HistoLevelLoops * loops,
    const HistoLevelScale * scale, guint clipping_samples,
    HistoLevelHistory * history)
{
  totals->n = n;
  totals->sum = sums->sum;
  totals->squares = sums->squares;
  totals->differences = sums->differences;
  totals->min.value = sums->min;
  totals->max.value = sums->max;
  loops->count_equal (x, n, sums->min, sums->max, &totals->min.count,
      &totals->max.count);
  find_runs (totals, x, n, loops);
  find_head_and_tail (totals, x, n);
  find_zero_crossings (totals, x, n, sums->min_magnitude, loops, history);
  find_clipped (totals, x, n, loops, scale, clipping_samples, history);
  for (guint i = 0; i < n && totals->min_non_zero < scale->smallest_normal; i++)
    totals->denormals += x[i] != 0 && fabs (x[i]) < scale->smallest_normal;
  loops->find_bits (x, n, scale->integer_scale, MAX (-sums->min, sums->max),
      &totals->any_bits, &totals->all_bits);
  history->has_last = TRUE;
  history->last = x[n - 1];
}

/**
 * histo_level_totals_measure:
 * @totals: (out)
 * @x: (inout): samples; those that are not finite are removed; x[-1] can be written
 * @n: number of samples, at most HISTO_LEVEL_PIECE
 * @clipping_samples: length of a clipped run
 * @history: (inout): becomes that of the next samples
 *
 * Returns: the number of finite samples
 */
guint
histo_level_totals_measure (HistoLevelTotals * totals, gdouble * x, guint n,
    const HistoLevelLoops * loops, const HistoLevelScale * scale,
    guint clipping_samples, HistoLevelHistory * history)
{
  HistoLevelSums sums;

  histo_level_totals_clear (totals);
  if (n == 0)
    return 0;
  add_up (&sums, x, n, loops, history);
  /* A sample that is not finite makes the sum so. */
  if (!isfinite (sums.sum)) {
    n = keep_finite (x, n);
    if (n == 0)
      return 0;
    add_up (&sums, x, n, loops, history);
  }
  measure_finite (totals, x, n, &sums, loops, scale, clipping_samples,
      history);
  return n;
}

/* ---- Adding --------------------------------------------------------------------------- */

/* @is_beyond: whether the value of @next is lower than that of the minimum @peak, or higher
 * than that of the maximum @peak
 * @tail: length of the run of the value of @peak at the end of the first totals
 * @head: length of the run of the value of @next at the begin of the next totals
 * @is_whole: whether that run is all that the next totals have
 * @adjoins: whether the two runs are one if their values are equal */
static void
add_peak (HistoLevelPeak * peak, const HistoLevelPeak * next,
    gboolean is_beyond, gdouble tail, gdouble head, gboolean is_whole,
    gboolean adjoins)
{
  if (is_beyond) {
    *peak = *next;
    return;
  }
  if (next->value != peak->value) {
    peak->runs += tail * tail;
    return;
  }
  peak->count += next->count;
  peak->runs += next->runs;
  if (!adjoins)
    peak->runs += tail * tail;
  else if (!is_whole)
    peak->runs += (tail + head) * (tail + head) - head * head;
}

static guint64
length_if_equal (gdouble a, gdouble b, guint64 length)
{
  return a == b ? length : 0;
}

/* Before the other members of @totals change. */
static void
add_peaks (HistoLevelTotals * totals, const HistoLevelTotals * next,
    gboolean adjoins)
{
  const gboolean is_whole = next->head == next->n;

  add_peak (&totals->min, &next->min, next->min.value < totals->min.value,
      length_if_equal (totals->last, totals->min.value, totals->tail),
      length_if_equal (next->first, next->min.value, next->head), is_whole,
      adjoins);
  add_peak (&totals->max, &next->max, next->max.value > totals->max.value,
      length_if_equal (totals->last, totals->max.value, totals->tail),
      length_if_equal (next->first, next->max.value, next->head), is_whole,
      adjoins);
}

/* What does not need any sample. */
static void
add_counts (HistoLevelTotals * totals, const HistoLevelTotals * next)
{
  HistoLevelDifferences *differences = &totals->differences;

  differences->n += next->differences.n;
  differences->min = MIN (differences->min, next->differences.min);
  differences->max = MAX (differences->max, next->differences.max);
  differences->sum += next->differences.sum;
  differences->squares += next->differences.squares;
  totals->min_non_zero = MIN (totals->min_non_zero, next->min_non_zero);
  totals->any_bits |= next->any_bits;
  totals->all_bits &= next->all_bits;
  totals->zero_crossings += next->zero_crossings;
  totals->clipped += next->clipped;
  totals->clipped_runs += next->clipped_runs;
  totals->denormals += next->denormals;
}

/**
 * histo_level_totals_add:
 * @totals: (inout): become those of all samples
 * @next: the totals of later samples
 * @adjoins: whether the first sample of @next follows the last one of @totals, so that a run
 * can go on
 */
void
histo_level_totals_add (HistoLevelTotals * totals,
    const HistoLevelTotals * next, gboolean adjoins)
{
  if (next->n == 0)
    return;
  if (totals->n == 0) {
    *totals = *next;
    return;
  }
  add_peaks (totals, next, adjoins);
  if (adjoins && totals->head == totals->n && totals->first == next->first)
    totals->head += next->head;
  if (adjoins && next->tail == next->n && totals->last == next->last)
    totals->tail += next->tail;
  else
    totals->tail = next->tail;
  totals->last = next->last;
  totals->n += next->n;
  totals->sum += next->sum;
  totals->squares += next->squares;
  add_counts (totals, next);
}
