/* Compares the sound of two streams while it is decoded; see sound-compare.h.
 *
 * Samples of A and of B that lie beside each other are compared. As long as they are equal, or alike, this goes on.
 * Where they are not, the delays around are searched for one with which they fit better. So a delay, samples that are
 * missing and samples that were added are found by one means, and no more than some seconds are kept. Where the times of
 * one side jump, the delay after which times are equal again is tried first: it may be longer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/sound-compare.h"

#include <math.h>
#include <string.h>

#include "compare/sound-delay.h"
#include "compare/sound-side.h"

/* A search looks at so many seconds, and for delays up to so many. */
#define LOOK 4
#define REACH 3
/* Blocks of this share of a second are judged: 1/10. */
#define BLOCKS_PER_SECOND 10
/* With a larger share of their power that has nothing in common, sounds do not lie beside each other. */
#define MOST_UNLIKE 0.5
/* Another delay leaves at most such a part of what has nothing in common: at first (3 dB), and later (6 dB). */
#define LEAST_GAIN_AT_FIRST 2
#define LEAST_GAIN_LATER 4
/* A block is searched for if it has a larger share than this, and than so many times that of the search before. */
#define SUSPICIOUS 0.1
#define SUSPICIOUS_RISE 4
/* A smaller share than this is a good fit in any case. */
#define LEAST_UNLIKE 1e-4
/* What comes later has at least this share of the power. */
#define LEAST_LATER_POWER 0.01
/* Blocks with a smaller share of the mean power are not: what codecs leave of low sound has little in common. */
#define LEAST_BLOCK_POWER 1e-3
/* After so many searches without a finding the next ones wait, twice as long each time, up to so many seconds. */
#define EAGER_SEARCHES 4
#define LONGEST_WAIT 16
/* After so many jumps there is no order in them. */
#define MOST_JUMPS 1000
/* A side is silent where all its samples are below this (-80 dBFS), and the power of the other one is above that
 * (-60 dBFS), for this share of a second: 1/100. */
#define SILENT_PEAK 1e-4
#define LOUD_POWER 1e-6
#define SILENCES_PER_SECOND 100
/* So many spans are told of each kind. */
#define MOST_SPANS 16
/* A side may be so many seconds ahead of the other one, and keep so many bytes. */
#define MOST_AHEAD (LOOK + REACH + 5)
#define MOST_BYTES (G_GUINT64_CONSTANT (512) << 20)
/* Jumps of the times of both sides that are nearer than this share of a second are one: 1/20. */
#define JUMPS_PER_SECOND 20
/* Nothing is searched in this share of a second before: 1/2. */
#define SEARCHES_BEFORE_JUMP 2

/* A buffer that waits until both formats are known. */
typedef struct
{
  GstBuffer *buffer;
  guint64 time;
} Waiting;

/* Samples of a side below SILENT_PEAK that follow each other, up to the next one */
typedef struct
{
  guint64 start, n;             /* the first frame in A */
  gdouble other, difference;    /* Σ x² of the other side, Σ (B − A)² */
} Silence;

struct _ReportSoundCompare
{
  ReportSoundSide sides[2];
  Silence silences[2];
  GArray *waiting[2];           /* (element-type Waiting): while the format of the other side is unknown */
  guint64 n_waiting[2];         /* frames in them */
  gchar *problem;
  gboolean is_ready;            /* both formats are known */
  gint rate;
  gint64 begin;                 /* ns: the time in B at which A begins */
  gint *same_place;
  gint *sources;                /* of each channel of B, as the latest search found them */
  gdouble unlike;               /* that it found */
  gboolean has_matched;         /* sound was found to fit */
  gboolean is_exact;            /* the latest samples were equal */
  gboolean has_searched;
  guint n_fruitless;            /* searches */
  guint64 next_search;          /* frame of A */
  gboolean has_shift;
  gint64 shift;
  gboolean has_time_shift;
  gint64 time_shift;            /* ns: the same as shift, of the latest frames */
  guint64 n_extra;              /* frames by which a side may be farther ahead than usual */
  guint64 first;                /* ns: the first difference; GST_CLOCK_TIME_NONE: none so far */
  guint64 n_different;
  gdouble largest;
  /* The second that is being counted, and the worst one */
  GArray *seconds;              /* (element-type gfloat): see ReportSoundDifference */
  guint64 block_time, block_n;
  gdouble block_power, block_a;
  guint64 worst_time;           /* ns; GST_CLOCK_TIME_NONE: there was none */
  gdouble worst_power, worst_a;
  guint64 worst_n;
  gint64 delay;
  gboolean is_delay_open;
  ReportSoundSums block, other; /* for judging */
  ReportSoundCounts counts;
};

/* ---- Counting ------------------------------------------------------------------------------------- */

/* Returns: the time of a frame of A in ns from the start of A */
static guint64
time_from_start (const ReportSoundCompare * compare, guint64 frame)
{
  const ReportSoundSide *a = &compare->sides[0];
  const guint64 start = report_sound_side_time (a, 0), time = report_sound_side_time (a, frame);
  const guint64 left_out = report_sound_side_to_time (a, a->n_left_out);

  if (GST_CLOCK_TIME_IS_VALID (time) && time >= start)
    return time - start + left_out;
  return (guint64) report_sound_side_to_time (a, frame) + left_out;
}

static gboolean
is_equal (gdouble a, gdouble b)
{
  return a == b || (isnan (a) && isnan (b));
}

/* Returns: how many of the next frames are equal */
static gsize
count_equal (const ReportSoundCompare * compare, gsize n)
{
  for (guint j = 0; j < compare->counts.sums.n_b; j++) {
    const gdouble *a, *b;
    gsize k = 0;

    if (compare->same_place[j] < 0)
      continue;
    a = report_sound_side_at (&compare->sides[0], compare->same_place[j], 0);
    b = report_sound_side_at (&compare->sides[1], j, 0);
    while (k < n && is_equal (a[k], b[k]))
      k++;
    n = k;
  }
  return n;
}

static void
add_span (GArray * spans, guint64 * n_spans, ReportSoundStretch span)
{

  ++*n_spans;
  if (spans->len < MOST_SPANS)
    g_array_append_val (spans, span);
}

/* The samples after the silent ones are not. */
static void
end_silence (ReportSoundCompare * compare, guint s)
{
  Silence *silence = &compare->silences[s];
  ReportSoundCounts *counts = &compare->counts;

  if (silence->n * SILENCES_PER_SECOND >= (guint64) compare->rate
      && silence->other > silence->n * LOUD_POWER) {
    add_span (counts->silences[s], &counts->n_silences[s], (ReportSoundStretch) {
        time_from_start (compare, silence->start), silence->n, 0, 0, FALSE});
    counts->silent_power[s] += silence->difference;
  }
  silence->n = 0;
  silence->other = silence->difference = 0;
}

/* Looks for frames in which one side is silent. */
static void
follow_silence (ReportSoundCompare * compare, const gdouble * const *a, const gdouble * const *b, gsize n)
{
  const guint n_b = compare->counts.sums.n_b;

  for (gsize k = 0; k < n; k++) {
    gdouble peaks[2] = { 0, 0 }, powers[2] = { 0, 0 }, difference = 0;

    for (guint j = 0; j < n_b; j++) {
      gdouble x, y;

      if (compare->same_place[j] < 0)
        continue;
      x = a[compare->same_place[j]][k];
      y = b[j][k];
      peaks[0] = MAX (peaks[0], fabs (x));
      peaks[1] = MAX (peaks[1], fabs (y));
      powers[0] += x * x;
      powers[1] += y * y;
      difference += (y - x) * (y - x);
    }
    for (guint s = 0; s < 2; s++) {
      Silence *silence = &compare->silences[s];

      if (peaks[s] >= SILENT_PEAK) {
        if (silence->n > 0)
          end_silence (compare, s);
        continue;
      }
      if (silence->n == 0)
        silence->start = compare->sides[0].place + k;
      silence->n++;
      silence->other += powers[1 - s];
      silence->difference += difference;
    }
  }
}

/* Returns: the difference in dB of a power */
static gdouble
to_decibels (gdouble power, gdouble of)
{
  if (power <= 0)
    return -INFINITY;
  return of > 0 ? 10 * log10 (power / of) : INFINITY;
}

static guint
count_channels (const ReportSoundCompare * compare)
{
  guint n = 0;

  for (guint j = 0; j < compare->counts.sums.n_b; j++)
    n += compare->same_place[j] >= 0;
  return n;
}

/* The second has ended, or the sound. */
static void
end_block (ReportSoundCompare * compare)
{
  gfloat level;

  const gboolean is_short = compare->block_n * BLOCKS_PER_SECOND < (guint64) compare->rate;

  if (compare->block_n == 0)
    return;
  level = to_decibels (compare->block_power, (gdouble) compare->block_n * count_channels (compare));
  g_array_append_val (compare->seconds, level);
  compare->counts.n_blocks += compare->block_a > 0 || compare->block_power > 0;
  compare->counts.n_different_blocks += compare->block_power > 0;
  if (!GST_CLOCK_TIME_IS_VALID (compare->worst_time) || (!is_short
          && compare->block_power * compare->worst_n > compare->worst_power * compare->block_n)) {
    compare->worst_time = compare->block_time;
    compare->worst_n = compare->block_n;
    compare->worst_power = compare->block_power;
    compare->worst_a = compare->block_a;
  }
  compare->block_n = 0;
  compare->block_power = compare->block_a = 0;
}

static void
note_difference (ReportSoundCompare * compare, guint64 frame)
{
  compare->first = MIN (compare->first, time_from_start (compare, frame));
}

/* Counts the samples that differ. */
static void
count_differences (ReportSoundCompare * compare, gsize n)
{
  gsize first = n;

  for (guint j = 0; j < compare->counts.sums.n_b; j++) {
    const gdouble *a, *b;

    if (compare->same_place[j] < 0)
      continue;
    a = report_sound_side_at (&compare->sides[0], compare->same_place[j], 0);
    b = report_sound_side_at (&compare->sides[1], j, 0);
    for (gsize k = 0; k < n; k++) {
      if (is_equal (a[k], b[k]))
        continue;
      first = MIN (first, k);
      compare->n_different++;
    }
  }
  if (first < n && !GST_CLOCK_TIME_IS_VALID (compare->first))
    note_difference (compare, compare->sides[0].place + first);
}

/* Adds to the power of the difference. */
static void
add_powers (ReportSoundCompare * compare, const gdouble * const *a, const gdouble * const *b, gsize n, gboolean are_equal)
{
  gdouble power = 0, of_a = 0;

  for (guint j = 0; j < compare->counts.sums.n_b; j++) {
    const gdouble *x, *y = b[j];

    if (compare->same_place[j] < 0)
      continue;
    x = a[compare->same_place[j]];
    for (gsize k = 0; k < n; k++)
      of_a += x[k] * x[k];
    if (are_equal)
      continue;
    for (gsize k = 0; k < n; k++) {
      const gdouble apart = y[k] - x[k];

      power += apart * apart;
      compare->largest = MAX (compare->largest, fabs (apart));
    }
  }
  compare->counts.power += power;
  compare->block_power += power;
  compare->block_a += of_a;
}

/* @ahead: frames
 * Returns: whether both sides have times. @shift: (out): ns by which B has later ones */
static gboolean
get_shift (const ReportSoundCompare * compare, guint64 ahead, gint64 * shift)
{
  const guint64 a = report_sound_side_time (&compare->sides[0], compare->sides[0].place + ahead);
  const guint64 b = report_sound_side_time (&compare->sides[1], compare->sides[1].place + ahead);

  *shift = GST_CLOCK_TIME_IS_VALID (a) && GST_CLOCK_TIME_IS_VALID (b) ? (gint64) (b - a) : 0;
  return GST_CLOCK_TIME_IS_VALID (a) && GST_CLOCK_TIME_IS_VALID (b);
}

static void
note_shift (ReportSoundCompare * compare)
{
  compare->has_shift = get_shift (compare, 0, &compare->shift);
}

/* The next frames fit each other, which was unknown so far. */
static void
note_match (ReportSoundCompare * compare)
{
  if (compare->has_matched)
    return;
  compare->has_matched = TRUE;
  compare->delay = (gint64) (compare->sides[1].place - compare->sides[0].place);
  note_shift (compare);
}

/* Counts the next frames of both sides, which lie beside each other. */
static void
compare_frames (ReportSoundCompare * compare, guint64 n, gboolean are_equal)
{
  ReportSoundSums *sums = &compare->counts.sums;
  g_autofree const gdouble **a = g_new (const gdouble *, sums->n_a), **b = g_new (const gdouble *, sums->n_b);

  while (n > 0) {
    const gsize step = MIN (MIN (n, REPORT_SOUND_CHUNK), compare->rate - compare->block_n);

    if (compare->block_n == 0)
      compare->block_time = time_from_start (compare, compare->sides[0].place);
    for (guint i = 0; i < sums->n_a; i++)
      a[i] = report_sound_side_clean (&compare->sides[0], i, 0, step, compare->sides[0].clean[i]);
    for (guint j = 0; j < sums->n_b; j++)
      b[j] = report_sound_side_clean (&compare->sides[1], j, 0, step, compare->sides[1].clean[j]);
    report_sound_sums_add (sums, a, b, step);
    report_sound_ceiling_add (&compare->counts.ceiling, a, b, step);
    add_powers (compare, a, b, step, are_equal);
    follow_silence (compare, a, b, step);
    if (!are_equal)
      count_differences (compare, step);
    for (guint i = 0; are_equal && !compare->has_matched && i < sums->n_a; i++) {
      if (sums->aa[i] > 0)
        note_match (compare);
    }
    report_sound_side_pass (&compare->sides[0], step);
    report_sound_side_pass (&compare->sides[1], step);
    compare->block_n += step;
    if (compare->block_n == (guint64) compare->rate)
      end_block (compare);
    n -= step;
  }
}

/* ---- Finding the delay ---------------------------------------------------------------------------- */

/* Sums over frames that are not counted yet. */
static void
sum_ahead (ReportSoundCompare * compare, guint64 skip_a, guint64 skip_b, guint64 n, ReportSoundSums * sums)
{
  g_autofree const gdouble **a = g_new (const gdouble *, sums->n_a), **b = g_new (const gdouble *, sums->n_b);

  report_sound_sums_reset (sums);
  for (guint64 done = 0; done < n;) {
    const gsize step = MIN (n - done, REPORT_SOUND_CHUNK);

    for (guint i = 0; i < sums->n_a; i++)
      a[i] = report_sound_side_clean (&compare->sides[0], i, skip_a + done, step, compare->sides[0].clean[i]);
    for (guint j = 0; j < sums->n_b; j++)
      b[j] = report_sound_side_clean (&compare->sides[1], j, skip_b + done, step, compare->sides[1].clean[j]);
    report_sound_sums_add (sums, a, b, step);
    done += step;
  }
}

/* Returns: the frames that lie beside each other with a delay, of those that a search looks at */
static guint64
overlap (guint64 n_a, guint64 n_b, gint64 delay)
{
  const gint64 of_a = (gint64) n_a - MAX (-delay, 0), of_b = (gint64) n_b - MAX (delay, 0);

  return MAX (MIN (of_a, of_b), 0);
}

/* Returns: the share that has nothing in common with this delay. @sources: (out): the channels that belong together */
static gdouble
try_delay (ReportSoundCompare * compare, guint64 n_a, guint64 n_b, gint64 delay, gint * sources)
{
  sum_ahead (compare, MAX (-delay, 0), MAX (delay, 0), overlap (n_a, n_b, delay), &compare->block);
  report_sound_sums_match (&compare->block, compare->same_place, sources);
  return report_sound_sums_unlike (&compare->block, sources);
}

/* Whether a channel of A is one of those that belong to channels of B, as far as this is known. */
static gboolean
is_source (const ReportSoundCompare * compare, guint channel)
{
  gboolean is_known = compare->has_matched && compare->unlike < MOST_UNLIKE;

  for (guint j = 0; is_known && j < compare->counts.sums.n_b; j++) {
    if (compare->sources[j] == (gint) channel)
      return TRUE;
  }
  return !is_known;
}

/* Returns: the loudest channel of A in the next frames; -1: there is no sound */
static gint
find_loudest (const ReportSoundCompare * compare, guint64 skipped, guint64 n)
{
  gint loudest = -1;
  gdouble most = 0;

  for (guint i = 0; i < compare->counts.sums.n_a; i++) {
    const gdouble *samples = report_sound_side_at (&compare->sides[0], i, skipped);
    gdouble power = 0;

    if (!is_source (compare, i))
      continue;
    for (guint64 k = 0; k < n; k++)
      power += REPORT_SOUND_IS_FINITE (samples[k]) ? samples[k] * samples[k] : 0;
    if (power > most) {
      most = power;
      loudest = i;
    }
  }
  return loudest;
}

/* Returns: the delay after which the times of the next frames are equal */
static gint64
delay_of_times (const ReportSoundCompare * compare)
{
  gint64 shift;

  get_shift (compare, 0, &shift);
  return -report_sound_side_to_frames (&compare->sides[0], shift);
}

/* @skip_a, @skip_b: frames that are left out before. The delays that are scored come on top of those. */
static void
score_delays (ReportSoundCompare * compare, guint64 skip_a, guint64 skip_b, guint64 n_a, guint64 n_b,
    ReportSoundScores * scores)
{
  const gint loudest = find_loudest (compare, skip_a, n_a);
  g_autofree gdouble *for_a = g_new (gdouble, n_a), *for_b = g_new (gdouble, n_b);
  const gdouble *a;

  if (loudest < 0)
    return;
  a = report_sound_side_clean (&compare->sides[0], loudest, skip_a, n_a, for_a);
  for (guint j = 0; j < compare->block.n_b; j++) {
    /* Later searches know which channel it is. */
    if (!compare->has_matched || compare->unlike >= MOST_UNLIKE || compare->sources[j] == loudest)
      report_sound_scores_add (scores, a, n_a, report_sound_side_clean (&compare->sides[1], j, skip_b, n_b, for_b), n_b);
  }
}

/* Adds the squares of what is left of B after the channels of A, with their gains. */
static void
add_left (const ReportSoundCompare * compare, const gint * sources, const gdouble * gains, guint64 skip_a, guint64 skip_b,
    guint64 n, gdouble * squares)
{
  memset (squares, 0, n * sizeof *squares);
  for (guint j = 0; j < compare->counts.sums.n_b; j++) {
    const gdouble *a, *b;

    if (sources[j] < 0)
      continue;
    a = report_sound_side_at (&compare->sides[0], sources[j], skip_a);
    b = report_sound_side_at (&compare->sides[1], j, skip_b);
    for (guint64 k = 0; k < n; k++) {
      const gdouble left = (REPORT_SOUND_IS_FINITE (b[k]) ? b[k] : 0) - gains[j] * (REPORT_SOUND_IS_FINITE (a[k]) ? a[k] : 0);

      squares[k] += left * left;
    }
  }
}

/* Returns: after how many frames the delay changes: what is left of B is the least there. compare->block has the sums with
 * the new delay. */
static guint64
find_jump (const ReportSoundCompare * compare, guint64 n_a, guint64 n_b, gint64 delay, const gint * sources)
{
  const guint64 n = MIN (overlap (n_a, n_b, delay), overlap (n_a, n_b, 0));
  g_autofree gdouble *before = g_new (gdouble, n + 1), *after = g_new (gdouble, n + 1);
  g_autofree gdouble *gains = g_new0 (gdouble, compare->block.n_b);
  gdouble left = 0, least;
  guint64 place = 0;

  for (guint j = 0; j < compare->block.n_b; j++) {
    ReportSoundPair pair;
    gdouble offset;

    if (sources[j] < 0)
      continue;
    pair = report_sound_sums_pair (&compare->block, sources[j], j);
    report_sound_pair_fit (&pair, REPORT_SOUND_FIT_GAIN | REPORT_SOUND_FIT_POLARITY, &gains[j], &offset);
  }
  add_left (compare, sources, gains, 0, 0, n, before);
  add_left (compare, sources, gains, MAX (-delay, 0), MAX (delay, 0), n, after);
  for (guint64 k = 0; k < n; k++)
    left += after[k];
  least = left;
  for (guint64 k = 0; k < n; k++) {
    left += before[k] - after[k];
    if (left < least * (1 - 1e-9)) {
      least = left;
      place = k + 1;
    }
  }
  return place;
}

/* The next frames of one side have no partner. */
static void
skip (ReportSoundCompare * compare, guint side, guint64 n)
{
  note_difference (compare, compare->sides[0].place);
  for (guint s = 0; s < 2; s++)
    end_silence (compare, s);
  report_sound_side_pass (&compare->sides[side], n);
}

/* Goes on with another delay, which fits better. */
static void
jump (ReportSoundCompare * compare, guint64 n_a, guint64 n_b, gint64 delay, gdouble before, gdouble after,
    gboolean is_open, const gint * sources)
{
  const guint side = delay > 0 ? 1 : 0;
  ReportSoundCounts *counts = &compare->counts;
  ReportSoundStretch span = { 0, ABS (delay), before, after, is_open };

  if (compare->has_matched)
    compare_frames (compare, find_jump (compare, n_a, n_b, delay, sources), FALSE);
  span.time = time_from_start (compare, compare->sides[0].place);
  if (compare->has_matched)
    add_span (counts->jumps[side], &counts->n_jumps[side], span);
  else
    counts->delay = span;
  skip (compare, side, span.n);
  compare->has_time_shift = get_shift (compare, 0, &compare->time_shift);
}

/* Whether the sound fits again later with the delay that it has: then other sound took its place for a time. Sound that
 * repeats itself might fit with another delay, too. */
static gboolean
fits_later (ReportSoundCompare * compare, guint64 n_a, guint64 n_b)
{
  const guint64 n = overlap (n_a, n_b, 0), half = n / 2;
  gdouble whole = 0, later = 0;

  if (!compare->has_matched || half == 0)
    return FALSE;
  sum_ahead (compare, 0, 0, n, &compare->block);
  for (guint i = 0; i < compare->block.n_a; i++)
    whole += compare->block.aa[i];
  sum_ahead (compare, half, half, n - half, &compare->block);
  for (guint i = 0; i < compare->block.n_a; i++)
    later += compare->block.aa[i];
  return later > whole * LEAST_LATER_POWER && report_sound_sums_unlike (&compare->block, compare->sources)
      <= MAX (compare->unlike * SUSPICIOUS_RISE, LEAST_UNLIKE);
}

/* Looks for a delay with which the next frames fit better.
 *
 * Returns: whether there is one, with which the comparison goes on */
static gboolean
search (ReportSoundCompare * compare, guint64 n_a, guint64 n_b)
{
  const gint64 reach = (gint64) compare->rate * REACH;
  const gint64 nearest = compare->has_matched ? 0 : CLAMP (delay_of_times (compare), -reach, reach);
  g_autofree gint *sources = g_new (gint, compare->counts.sums.n_b), *best_sources = g_new (gint,
      compare->counts.sums.n_b);
  gint64 delays[REPORT_SOUND_MOST_DELAYS], best_delay = 0;
  gdouble now, best, most;
  gboolean is_open;
  ReportSoundScores scores;
  guint n;

  best = now = try_delay (compare, n_a, n_b, 0, best_sources);
  most = MIN (now / (compare->has_matched ? LEAST_GAIN_LATER : LEAST_GAIN_AT_FIRST), MOST_UNLIKE);
  report_sound_scores_init (&scores, -MIN (reach, (gint64) n_a), MIN (reach, (gint64) n_b));
  score_delays (compare, 0, 0, n_a, n_b, &scores);
  n = report_sound_scores_choose (&scores, nearest, delays);
  for (guint i = 0; i < n && best > 0; i++) {
    const gdouble unlike = try_delay (compare, n_a, n_b, delays[i], sources);

    /* Those with the best scores come first. */
    if (delays[i] == 0 || unlike >= most || (best_delay != 0 && unlike >= best * 0.99 - 1e-12))
      continue;
    best = unlike;
    best_delay = delays[i];
    memcpy (best_sources, sources, compare->counts.sums.n_b * sizeof *sources);
  }
  is_open = best < MOST_UNLIKE && report_sound_scores_repeat (&scores, best_delay);
  if (!compare->has_matched)
    compare->is_delay_open = is_open;
  report_sound_scores_clear (&scores);
  if (best_delay != 0) {
    try_delay (compare, n_a, n_b, best_delay, best_sources);
    jump (compare, n_a, n_b, best_delay, now, best, is_open, best_sources);
  }
  compare->has_searched = TRUE;
  compare->unlike = best;
  if (best < MOST_UNLIKE) {
    memcpy (compare->sources, best_sources, compare->counts.sums.n_b * sizeof *best_sources);
    note_match (compare);
  }
  return best_delay != 0;
}

/* ---- What comes next ------------------------------------------------------------------------------ */

static gboolean
has_enough (const ReportSoundSide * side, guint64 n)
{
  return side->has_ended || report_sound_side_available (side) >= n;
}

/* Whether the block that is @skip frames ahead does not fit. */
static gboolean
is_suspicious (ReportSoundCompare * compare, guint64 skip, guint64 n)
{
  const ReportSoundSums *all = &compare->counts.sums;
  gdouble power = 0, mean = 0, unlike;

  if (n == 0)
    return FALSE;
  sum_ahead (compare, skip, skip, n, &compare->other);
  for (guint i = 0; i < all->n_a; i++) {
    power = MAX (power, compare->other.aa[i] / n);
    mean = MAX (mean, all->n > 0 ? all->aa[i] / all->n : 0);
  }
  for (guint j = 0; j < all->n_b; j++)
    power = MAX (power, compare->other.bb[j] / n);
  unlike = report_sound_sums_unlike (&compare->other, compare->sources);
  return power > mean * LEAST_BLOCK_POWER && (unlike > MOST_UNLIKE
      || (unlike > SUSPICIOUS && unlike > compare->unlike * SUSPICIOUS_RISE));
}

/* Whether most of the next frames differ. */
static gboolean
are_most_different (const ReportSoundCompare * compare, guint64 n)
{
  guint64 n_different = 0;

  for (guint64 k = 0; k < n; k++) {
    for (guint j = 0; j < compare->counts.sums.n_b; j++) {
      if (compare->same_place[j] >= 0 && !is_equal (report_sound_side_at (&compare->sides[0], compare->same_place[j], 0)[k],
              report_sound_side_at (&compare->sides[1], j, 0)[k])) {
        n_different++;
        break;
      }
    }
  }
  return n_different * 2 > n;
}

/* Returns: whether something may be found in the next frames, which differ */
static gboolean
must_search (ReportSoundCompare * compare, guint64 n, guint64 n_next)
{
  if (compare->sides[0].place < compare->next_search
      || compare->counts.n_jumps[0] + compare->counts.n_jumps[1] >= MOST_JUMPS)
    return FALSE;
  if ((!compare->has_searched || compare->is_exact) && are_most_different (compare, n + n_next))
    return TRUE;
  return is_suspicious (compare, 0, n) || is_suspicious (compare, n, n_next);
}

static void
count_searches (ReportSoundCompare * compare, gboolean has_found)
{
  const guint beyond = compare->n_fruitless - MIN (compare->n_fruitless, EAGER_SEARCHES);

  if (has_found) {
    compare->n_fruitless = 0;
    return;
  }
  if (compare->sides[0].place > compare->next_search + (guint64) compare->rate * LONGEST_WAIT * 4)
    compare->n_fruitless = 0;
  compare->n_fruitless++;
  compare->next_search = compare->sides[0].place + (guint64) compare->rate / BLOCKS_PER_SECOND;
  if (beyond > 0)
    compare->next_search += (guint64) compare->rate * MIN (1u << MIN (beyond, 8), LONGEST_WAIT);
}

/* What comes after the end of the other side has no partner. */
static void
drop_tails (ReportSoundCompare * compare)
{
  for (guint s = 0; s < 2; s++) {
    ReportSoundSide *side = &compare->sides[s];
    ReportSoundStretch *tail = &compare->counts.tails[s];
    const guint64 n = report_sound_side_available (side);

    if (n == 0 || !compare->sides[1 - s].has_ended)
      continue;
    if (tail->n == 0) {
      *tail = (ReportSoundStretch) { time_from_start (compare, compare->sides[0].place), 0, NAN, NAN, FALSE };
      note_difference (compare, compare->sides[0].place);
    }
    tail->n += n;
    report_sound_side_pass (side, n);
  }
}

/* ---- Times that jump ------------------------------------------------------------------------------ */

/* Returns: how many frames come before the times of a side jump */
static guint64
frames_before_jump (const ReportSoundCompare * compare)
{
  guint64 n = G_MAXUINT64;

  for (guint s = 0; s < 2; s++) {
    const ReportSoundSide *side = &compare->sides[s];
    const ReportSoundTime *point = report_sound_side_next_jump (side);

    if (point != NULL)
      n = MIN (n, point->frame - MIN (point->frame, side->place));
  }
  return n;
}

/* Returns: the delay, near the one that the times have, with which the sound fits. Times are rounded.
 * @sources: changed */
static gint64
refine_delay (ReportSoundCompare * compare, guint64 n_a, guint64 n_b, gint64 delay, gint * sources, gdouble * unlike)
{
  const guint64 skip_a = MAX (-delay, 0), skip_b = MAX (delay, 0);
  const gint64 reach = MIN ((guint64) compare->rate / JUMPS_PER_SECOND, MIN (n_a - skip_a, n_b - skip_b));
  gint64 delays[REPORT_SOUND_MOST_DELAYS], best = delay;
  ReportSoundScores scores;
  guint n;

  *unlike = try_delay (compare, n_a, n_b, delay, sources);
  report_sound_scores_init (&scores, -reach, reach);
  score_delays (compare, skip_a, skip_b, n_a - skip_a, n_b - skip_b, &scores);
  n = report_sound_scores_choose (&scores, 0, delays);
  for (guint i = 0; i < n; i++) {
    const gdouble other = try_delay (compare, n_a, n_b, delay + delays[i], sources);

    if (other >= *unlike * 0.99 - 1e-12)
      continue;
    *unlike = other;
    best = delay + delays[i];
  }
  report_sound_scores_clear (&scores);
  return best;
}

/* The times of a side jump here. If samples are missing there, those of the other side have no partner.
 *
 * Returns: FALSE: more frames are needed */
static gboolean
pass_jump (ReportSoundCompare * compare)
{
  ReportSoundSide *a = &compare->sides[0], *b = &compare->sides[1];
  ReportSoundCounts *counts = &compare->counts;
  const guint64 look = (guint64) compare->rate * LOOK, near = compare->rate / JUMPS_PER_SECOND;
  g_autofree gint *sources = g_new (gint, counts->sums.n_b);
  gint64 shift, delay;
  guint64 n_a, n_b;

  if (!has_enough (a, look) || !has_enough (b, look))
    return FALSE;
  delay = get_shift (compare, near, &shift) && compare->has_time_shift ?
      -report_sound_side_to_frames (&compare->sides[0], shift - compare->time_shift) : 0;
  n_a = look + MAX (-delay, 0);
  n_b = look + MAX (delay, 0);
  if (ABS (delay) >= (gint64) (compare->rate / JUMPS_PER_SECOND)
      && MAX (n_a, n_b) * MAX (a->n_channels, b->n_channels) * sizeof (gdouble) <= MOST_BYTES / 4) {
    compare->n_extra = MAX (compare->n_extra, (guint64) ABS (delay));
    if (!has_enough (a, n_a) || !has_enough (b, n_b))
      return FALSE;
    n_a = MIN (n_a, report_sound_side_available (a));
    n_b = MIN (n_b, report_sound_side_available (b));
    if (overlap (n_a, n_b, delay) > 0) {
      const guint side = delay > 0 ? 1 : 0;
      const gdouble now = try_delay (compare, n_a, n_b, 0, sources);
      gdouble after;

      delay = refine_delay (compare, n_a, n_b, delay, sources, &after);
      if (after <= MAX (now, MAX (compare->unlike * SUSPICIOUS_RISE, LEAST_UNLIKE)) && after < MOST_UNLIKE) {
        const gboolean is_proof = now > LEAST_UNLIKE && after * LEAST_GAIN_LATER < now;

        add_span (counts->jumps[side], &counts->n_jumps[side], (ReportSoundStretch) {
            time_from_start (compare, a->place), ABS (delay), is_proof ? now : NAN, is_proof ? after : NAN, FALSE});
        skip (compare, side, ABS (delay));
      }
    }
  }
  compare->has_time_shift = get_shift (compare, near, &compare->time_shift);
  a->passed = a->place + near;
  b->passed = b->place + near;
  return TRUE;
}

/* Compares what both sides have. */
static void
work (ReportSoundCompare * compare)
{
  const guint64 usual = MAX (compare->rate / BLOCKS_PER_SECOND, 1);
  ReportSoundSide *a = &compare->sides[0], *b = &compare->sides[1];

  for (;;) {
    const guint64 both = MIN (report_sound_side_available (a), report_sound_side_available (b));
    const guint64 n = MIN (both, frames_before_jump (compare));
    guint64 n_equal, n_block, n_next;

    if (!compare->has_time_shift && n > 0)
      compare->has_time_shift = get_shift (compare, 0, &compare->time_shift);
    if (n == 0 && both > 0) {
      if (!pass_jump (compare))
        return;
      continue;
    }
    n_equal = count_equal (compare, n);

    if (n_equal > 0) {
      compare_frames (compare, n_equal, TRUE);
      if (n_equal >= usual)
        compare->is_exact = TRUE;
      continue;
    }
    if (n == 0) {
      drop_tails (compare);
      return;
    }
    if (n < 2 * usual && n < frames_before_jump (compare) && (!has_enough (a, 2 * usual) || !has_enough (b, 2 * usual)))
      return;
    n_block = MIN (n, usual);
    n_next = MIN (n - n_block, usual);
    if (must_search (compare, n_block, n_next)) {
      guint64 n_a, n_b;
      gboolean has_found;

      if (!has_enough (a, (guint64) compare->rate * LOOK)
          || !has_enough (b, (guint64) compare->rate * (LOOK + REACH)))
        return;
      n_a = MIN (report_sound_side_available (a), (guint64) compare->rate * LOOK);
      n_b = MIN (report_sound_side_available (b), (guint64) compare->rate * (LOOK + REACH));
      /* What differs just before the times jump is how the decoder begins and ends. */
      if (frames_before_jump (compare) < (guint64) compare->rate / SEARCHES_BEFORE_JUMP || fits_later (compare, n_a, n_b)) {
        compare->is_exact = FALSE;
        compare_frames (compare, n_block, FALSE);
        continue;
      }
      has_found = search (compare, n_a, n_b);
      count_searches (compare, has_found);
      compare->is_exact = compare->is_exact && has_found;
      if (has_found)
        continue;
    }
    compare->is_exact = compare->is_exact && !are_most_different (compare, n_block);
    compare_frames (compare, n_block, FALSE);
  }
}

/* ---- Input ---------------------------------------------------------------------------------------- */

static void
give_up (ReportSoundCompare * compare, gchar * problem)
{
  if (compare->problem == NULL)
    compare->problem = problem;
  else
    g_free (problem);
}

/* Whether a channel of A has a place among those of B. */
static gboolean
is_same_place (const ReportSoundCompare * compare, guint n_b, guint channel)
{
  for (guint j = 0; j < n_b; j++) {
    if (compare->same_place[j] == (gint) channel)
      return TRUE;
  }
  return FALSE;
}

/* Which channel of A stands at the place of each one of B: that of the same position, or else of the same number. */
static void
find_same_places (ReportSoundCompare * compare)
{
  const GstAudioInfo *a = &compare->sides[0].info, *b = &compare->sides[1].info;
  const guint n_a = GST_AUDIO_INFO_CHANNELS (a), n_b = GST_AUDIO_INFO_CHANNELS (b);
  gboolean has_any = FALSE;

  compare->same_place = g_new (gint, n_b);
  for (guint j = 0; j < n_b; j++) {
    compare->same_place[j] = -1;
    for (guint i = 0; i < MIN (n_a, 64) && j < 64; i++) {
      if (!GST_AUDIO_INFO_IS_UNPOSITIONED (a) && !GST_AUDIO_INFO_IS_UNPOSITIONED (b)
          && a->position[i] == b->position[j] && a->position[i] >= 0)
        compare->same_place[j] = i;
    }
    has_any |= compare->same_place[j] >= 0;
  }
  /* Other positions, such as those of another layout: what is left over is in the same order. */
  for (guint j = 0, i = 0; j < n_b && (n_a == n_b || !has_any); j++) {
    if (compare->same_place[j] >= 0)
      continue;
    while (i < n_a && is_same_place (compare, n_b, i))
      i++;
    if (i < n_a)
      compare->same_place[j] = i;
  }
}

static void
append (ReportSoundCompare * compare, guint s, GstBuffer * buffer, guint64 time)
{
  if (!report_sound_side_append (&compare->sides[s], buffer, time))
    give_up (compare, g_strdup_printf ("the samples of %s cannot be read", s == 0 ? "A" : "B"));
}

/* Both formats are known. */
static void
begin (ReportSoundCompare * compare)
{
  ReportSoundSide *a = &compare->sides[0], *b = &compare->sides[1];
  const guint n_a = GST_AUDIO_INFO_CHANNELS (&a->info), n_b = GST_AUDIO_INFO_CHANNELS (&b->info);

  if (GST_AUDIO_INFO_RATE (&a->info) != GST_AUDIO_INFO_RATE (&b->info)) {
    give_up (compare, g_strdup_printf ("A has %d samples per second, and B has %d", GST_AUDIO_INFO_RATE (&a->info),
            GST_AUDIO_INFO_RATE (&b->info)));
    return;
  }
  compare->is_ready = TRUE;
  compare->rate = GST_AUDIO_INFO_RATE (&a->info);
  find_same_places (compare);
  report_sound_side_prepare (a, n_b == 1 && n_a > 1);
  report_sound_side_prepare (b, FALSE);
  report_sound_sums_init (&compare->counts.sums, a->n_channels, b->n_channels);
  report_sound_ceiling_init (&compare->counts.ceiling, a->n_channels, b->n_channels,
      GST_AUDIO_INFO_IS_INTEGER (&b->info) ? pow (2, 1 - GST_AUDIO_INFO_DEPTH (&b->info)) : 0);
  report_sound_sums_init (&compare->block, a->n_channels, b->n_channels);
  report_sound_sums_init (&compare->other, a->n_channels, b->n_channels);
  compare->sides[compare->begin > 0 ? 1 : 0].n_before = gst_util_uint64_scale_round (ABS (compare->begin), compare->rate,
      GST_SECOND);
  compare->sources = g_memdup2 (compare->same_place, n_b * sizeof (gint));
  for (guint s = 0; s < 2; s++) {
    GArray *waiting = compare->waiting[s];

    for (guint i = 0; i < waiting->len; i++) {
      Waiting *item = &g_array_index (waiting, Waiting, i);

      append (compare, s, item->buffer, item->time);
    }
    g_array_set_size (waiting, 0);
    compare->n_waiting[s] = 0;
  }
}

/* @compare: not ready
 * Returns: FALSE: the format of the side is no longer the same */
static gboolean
set_caps (ReportSoundCompare * compare, guint s, const GstCaps * caps)
{
  ReportSoundSide *side = &compare->sides[s];
  GstAudioInfo info;

  if (side->caps == caps)
    return TRUE;
  if (!gst_audio_info_from_caps (&info, caps)) {
    give_up (compare, g_strdup_printf ("the format of %s is unknown", s == 0 ? "A" : "B"));
    return FALSE;
  }
  if (side->has_info && (GST_AUDIO_INFO_RATE (&info) != GST_AUDIO_INFO_RATE (&side->info)
          || GST_AUDIO_INFO_CHANNELS (&info) != GST_AUDIO_INFO_CHANNELS (&side->info)
          || (!compare->is_ready && !gst_audio_info_is_equal (&info, &side->info)))) {
    give_up (compare, g_strdup_printf ("the format of %s changes", s == 0 ? "A" : "B"));
    return FALSE;
  }
  side->info = info;
  side->has_info = TRUE;
  gst_caps_replace (&side->caps, (GstCaps *) caps);
  return TRUE;
}

static void
waiting_clear (gpointer data)
{
  gst_buffer_unref (((Waiting *) data)->buffer);
}

/**
 * report_sound_compare_new:
 * @begins: the time in B at which A begins, in ns from the start of B: what is before is left out. Negative: the reverse
 */
ReportSoundCompare *
report_sound_compare_new (gint64 begins)
{
  ReportSoundCompare *compare = g_new0 (ReportSoundCompare, 1);

  compare->first = compare->worst_time = GST_CLOCK_TIME_NONE;
  compare->begin = begins;
  compare->seconds = g_array_new (FALSE, FALSE, sizeof (gfloat));
  for (guint s = 0; s < 2; s++) {
    report_sound_side_init (&compare->sides[s]);
    compare->waiting[s] = g_array_new (FALSE, FALSE, sizeof (Waiting));
    g_array_set_clear_func (compare->waiting[s], waiting_clear);
    compare->counts.jumps[s] = g_array_new (FALSE, FALSE, sizeof (ReportSoundStretch));
    compare->counts.silences[s] = g_array_new (FALSE, FALSE, sizeof (ReportSoundStretch));
  }
  return compare;
}

void
report_sound_compare_free (ReportSoundCompare * compare)
{
  for (guint s = 0; s < 2; s++) {
    report_sound_side_clear (&compare->sides[s]);
    g_array_unref (compare->waiting[s]);
    g_array_unref (compare->counts.jumps[s]);
    g_array_unref (compare->counts.silences[s]);
  }
  report_sound_sums_clear (&compare->counts.sums);
  report_sound_ceiling_clear (&compare->counts.ceiling);
  report_sound_sums_clear (&compare->block);
  report_sound_sums_clear (&compare->other);
  g_array_unref (compare->seconds);
  g_free (compare->same_place);
  g_free (compare->sources);
  g_free (compare->problem);
  g_free (compare);
}

/**
 * report_sound_compare_push:
 * @side: 0: A; 1: B
 * @buffer: the next samples of this side; (transfer none)
 * @caps: of the buffer: raw sound
 * @time: stream time in ns; GST_CLOCK_TIME_NONE: unknown
 *
 * One thread may be here at a time.
 */
void
report_sound_compare_push (ReportSoundCompare * compare, guint side, GstBuffer * buffer, const GstCaps * caps,
    guint64 time)
{
  ReportSoundSide *to = &compare->sides[side];

  if (compare->problem != NULL || !set_caps (compare, side, caps))
    return;
  if (!compare->is_ready && compare->sides[1 - side].has_info)
    begin (compare);
  if (compare->problem != NULL)
    return;
  if (!compare->is_ready) {
    const Waiting item = { gst_buffer_ref (buffer), time };

    /* The other side has no sound. */
    if (compare->sides[1 - side].has_ended) {
      gst_buffer_unref (item.buffer);
      return;
    }

    g_array_append_val (compare->waiting[side], item);
    compare->n_waiting[side] += gst_buffer_get_size (buffer) / GST_AUDIO_INFO_BPF (&to->info);
    return;
  }
  append (compare, side, buffer, time);
  if (report_sound_side_available (to) * to->n_channels * sizeof (gdouble) > MOST_BYTES) {
    give_up (compare, g_strdup_printf ("the sound of %s is too far ahead of the other one", side == 0 ? "A" : "B"));
    return;
  }
  work (compare);
}

/* No more samples of this side come. */
void
report_sound_compare_end (ReportSoundCompare * compare, guint side)
{
  compare->sides[side].has_ended = TRUE;
  if (compare->is_ready && compare->problem == NULL)
    work (compare);
}

/* Whether this side should wait for the other one. Nothing is lost if it does not, unless this takes too much memory. */
gboolean
report_sound_compare_is_ahead (const ReportSoundCompare * compare, guint side)
{
  const ReportSoundSide *one = &compare->sides[side], *other = &compare->sides[1 - side];
  const gint rate = GST_AUDIO_INFO_RATE (&one->info);

  if (compare->problem != NULL || other->has_ended)
    return FALSE;
  return compare->n_waiting[side] + report_sound_side_available (one) > (guint64) rate * MOST_AHEAD + compare->n_extra;
}

/**
 * report_sound_compare_finish:
 *
 * Ends both sides.
 *
 * Returns: (transfer full): what differs
 */
ReportSoundDifference *
report_sound_compare_finish (ReportSoundCompare * compare)
{
  ReportSoundDifference *difference = g_new0 (ReportSoundDifference, 1);
  ReportSoundCounts *counts = &compare->counts;
  const ReportSoundSums *sums = &counts->sums;
  gdouble of_a = 0;
  gboolean are_all = TRUE;

  difference->explanations = g_ptr_array_new_with_free_func (report_sound_explanation_free);
  for (guint s = 0; s < 2; s++)
    report_sound_compare_end (compare, s);
  if (compare->problem == NULL && !compare->is_ready)
    give_up (compare, g_strdup (compare->sides[0].has_info ? "B has no samples" : compare->sides[1].has_info ?
            "A has no samples" : "A and B have no samples"));
  if (compare->problem == NULL && compare->counts.sums.n == 0)
    give_up (compare, g_strdup ("no samples of one have the times of the other one"));
  difference->problem = g_strdup (compare->problem);
  difference->seconds = g_array_ref (compare->seconds);
  difference->first = difference->worst = GST_CLOCK_TIME_NONE;
  difference->relative = difference->absolute = difference->worst_relative = difference->worst_absolute = NAN;
  if (compare->problem != NULL)
    return difference;
  end_block (compare);
  if (!compare->has_matched)
    note_shift (compare);
  for (guint s = 0; s < 2; s++) {
    end_silence (compare, s);
    difference->n[s] = compare->sides[s].n;
    difference->n_unpaired[s] = compare->sides[s].n - sums->n;
    difference->n_not_finite[s] = compare->sides[s].n_not_finite;
    counts->caps[s] = compare->sides[s].caps;
  }
  difference->rate = compare->rate;
  difference->n_compared = sums->n;
  for (guint j = 0; j < sums->n_b; j++) {
    are_all = are_all && compare->same_place[j] >= 0;
    if (compare->same_place[j] < 0)
      continue;
    of_a += sums->aa[compare->same_place[j]];
  }
  difference->n_channels = count_channels (compare);
  are_all = are_all && difference->n_channels == (guint) GST_AUDIO_INFO_CHANNELS (&compare->sides[0].info);
  difference->are_all_channels = are_all;
  difference->is_equal = are_all && compare->n_different == 0 && difference->n_unpaired[0] == 0
      && difference->n_unpaired[1] == 0;
  difference->n_different = compare->n_different;
  difference->largest = compare->largest;
  difference->relative = to_decibels (counts->power, of_a);
  difference->absolute = to_decibels (counts->power, (gdouble) sums->n * difference->n_channels);
  difference->first = compare->first;
  if (GST_CLOCK_TIME_IS_VALID (compare->worst_time) && compare->worst_power > 0) {
    difference->worst = compare->worst_time;
    difference->worst_relative = to_decibels (compare->worst_power, compare->worst_a);
    difference->worst_absolute = to_decibels (compare->worst_power,
        (gdouble) compare->worst_n * difference->n_channels);
  }
  difference->delay = compare->delay;
  difference->is_delay_open = compare->is_delay_open;
  difference->has_shift = compare->has_shift;
  difference->shift = compare->shift;
  counts->same_place = compare->same_place;
  report_sound_explain (difference, counts);
  return difference;
}
