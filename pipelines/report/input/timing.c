/* How the times of a stream's frames follow each other; see timing.h.
 *
 * Two things look like gaps and are none:
 *
 * - A decoder may give a frame the time of another one, as of AVI files with B-frames. Such a time is a whole frame too
 *   early or too late, and a few frames on the times are right again.
 * - A variable rate has distances of any length, throughout the stream.
 *
 * Gaps and overlaps are what is left.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/timing.h"

#include <math.h>

#include "base/sorted.h"

/* Times that are shifted are right again after so many frames: codecs reorder no more. */
#define MOST_SHIFTED 16
/* So few distances that are others make no variable rate. */
#define FEW_OTHERS 5
/* At a variable rate this share of the distances are no gaps, however long they are. */
#define ORDINARY_SHARE 0.98

/* ---- Rates ------------------------------------------------------------------------------------ */

static gdouble
mean_of (const ReportRun * run)
{
  return (gdouble) run->sum / run->count;
}

static gint
compare_runs (gconstpointer a, gconstpointer b)
{
  const gdouble one = mean_of (a), other = mean_of (b);

  return one < other ? -1 : one > other;
}

static gboolean
is_near (gdouble distance, gdouble usual)
{
  return fabs (distance - usual) <= REPORT_ROUNDING;
}

gboolean
report_rate_is_gap (const ReportRate * rate, const ReportRun * run)
{
  return mean_of (run) > REPORT_GAP_FRAMES * rate->usual;
}

/* Returns: whether a distance is one of whole frames */
gboolean
report_rate_is_whole (const ReportRate * rate, gdouble distance)
{
  const gdouble frames = distance / rate->usual;

  return fabs (frames - floor (frames + 0.5)) * rate->usual
      <= 2 * REPORT_ROUNDING;
}

/**
 * report_rate_measure:
 * @rate: (out): with the most frequent distance: that around which most others are
 */
void
report_rate_measure (ReportRate * rate, const ReportStreamWatch * stream)
{
  g_autoptr (GArray) runs = g_array_copy (stream->runs);
  guint64 best = 0, count = 0, sum = 0;

  *rate = (ReportRate) { 0 };
  g_array_sort (runs, compare_runs);
  for (guint from = 0, to = 0; to < runs->len; to++) {
    const ReportRun *last = &g_array_index (runs, ReportRun, to);
    const ReportRun *first = &g_array_index (runs, ReportRun, from);

    count += last->count;
    sum += last->sum;
    while (mean_of (last) - mean_of (first) >
        2 * REPORT_ROUNDING) {
      count -= first->count;
      sum -= first->sum;
      first = &g_array_index (runs, ReportRun, ++from);
    }
    if (count > best) {
      best = count;
      rate->usual = (gdouble) sum / count;
    }
  }
  for (guint i = 0; i < runs->len; i++) {
    const ReportRun *run = &g_array_index (runs, ReportRun, i);

    rate->n += run->count;
    if (is_near (mean_of (run), rate->usual))
      rate->n_usual += run->count;
    else if (report_rate_is_gap (rate, run))
      rate->n_gaps += run->count;
  }
}

static ReportTiming *
timing_new (void)
{
  ReportTiming *timing = g_new0 (ReportTiming, 1);

  timing->gaps = g_array_new (FALSE, FALSE, sizeof (ReportSpan));
  timing->overlaps = g_array_new (FALSE, FALSE, sizeof (ReportSpan));
  return timing;
}

void
report_timing_free (ReportTiming * timing)
{
  g_array_unref (timing->gaps);
  g_array_unref (timing->overlaps);
  g_free (timing);
}

/* ---- Distances in the order of time ----------------------------------------------------------- */

/* The distance from a frame to the next one. The runs hold those of hours in little memory. */
typedef struct
{
  const GArray *runs;
  guint run;
  guint64 k;                    /* in the run */
} Distance;

static const ReportRun *
run_of (const Distance * distance)
{
  return &g_array_index (distance->runs, ReportRun, distance->run);
}

static gboolean
is_end (const Distance * distance)
{
  return distance->run == distance->runs->len;
}

static void
go_on (Distance * distance)
{
  if (++distance->k < run_of (distance)->count)
    return;
  distance->k = 0;
  distance->run++;
}

static gdouble
length_of (const Distance * distance)
{
  return mean_of (run_of (distance));
}

/* Returns: the time of the frame at its begin */
static guint64
start_of (const Distance * distance)
{
  return run_of (distance)->start + (guint64) (distance->k * length_of (distance));
}

/* Returns: whether it follows the distance before: else the time jumped back, or a frame between them has none */
static gboolean
does_follow (const Distance * distance)
{
  const ReportRun *run = run_of (distance);

  return distance->k > 0 || (distance->run > 0
      && run[-1].start + run[-1].sum == run->start);
}

static void
add_span (GArray * spans, guint64 start, guint64 end, guint64 count)
{
  const ReportSpan span = { start, end, count };

  g_array_append_val (spans, span);
}

/* @frame: how long a frame lasts, in ns */
static void
add_gap (ReportTiming * timing, const Distance * distance, gdouble frame)
{
  const guint64 start = start_of (distance);
  const gdouble length = length_of (distance);

  add_span (timing->gaps, start + (guint64) frame, start + (guint64) length,
      MAX (2, (guint64) (length / frame + 0.5)) - 1);
}

static void
add_overlap (ReportTiming * timing, const Distance * distance, gdouble frame)
{
  const guint64 start = start_of (distance);

  add_span (timing->overlaps, start + (guint64) length_of (distance),
      start + (guint64) frame, 1);
}

/* ---- A constant rate -------------------------------------------------------------------------- */

/* Returns: the median of the distances, in ns, without frames that have the same time; 0: all have */
static gdouble
find_median (const GArray * runs)
{
  g_autoptr (GArray) sorted = g_array_copy ((GArray *) runs);
  guint64 n = 0, count = 0;
  gdouble median = 0;
  guint first = 0;

  g_array_sort (sorted, compare_runs);
  while (first < sorted->len && mean_of (&g_array_index (sorted, ReportRun,
              first)) <= REPORT_ROUNDING)
    first++;
  for (guint i = first; i < sorted->len; i++)
    n += g_array_index (sorted, ReportRun, i).count;
  for (guint i = first; i < sorted->len && 2 * count < n; i++) {
    median = mean_of (&g_array_index (sorted, ReportRun, i));
    count += g_array_index (sorted, ReportRun, i).count;
  }
  return median;
}

/* Returns: how many distances, from the first one on, lead back to where the times should be, while none of them is more
 * than a frame away; 0: they do not */
static guint
count_shifted (Distance distance, gdouble frame)
{
  const ReportRate rate = {.usual = frame };
  gint ahead = 0;

  for (guint n = 1; n <= MOST_SHIFTED && !is_end (&distance); n++) {
    const gdouble length = length_of (&distance);

    if ((n > 1 && !does_follow (&distance)) || length > 4 * frame
        || !report_rate_is_whole (&rate, length))
      return 0;
    ahead += (gint) (length / frame + 0.5) - 1;
    if (ABS (ahead) > 1)
      return 0;
    if (ahead == 0)
      return n;
    go_on (&distance);
  }
  return 0;
}

/* Distances that are not the one of a constant rate, without those of shifted times. */
typedef struct
{
  guint64 n;
  guint64 n_off;                /* by more than half a frame */
} Others;

/* Finds what breaks a constant rate. */
static Others
follow_constant_rate (ReportTiming * timing, const GArray * runs, gdouble frame)
{
  const ReportRate rate = {.usual = frame };
  Distance distance = {.runs = runs };
  Others others = { 0 };

  while (!is_end (&distance)) {
    const gdouble length = length_of (&distance);
    const gboolean is_off = fabs (length - frame) > frame / 2;
    const guint n_shifted = is_off ? count_shifted (distance, frame) : 0;
    const gboolean is_last = distance.run + 1 == runs->len
        && distance.k + 1 == run_of (&distance)->count;

    if (n_shifted > 0) {
      timing->n_shifted += n_shifted - 1;
      for (guint i = 0; i < n_shifted; i++)
        go_on (&distance);
      continue;
    }
    others.n += is_near (length, frame) ? 0 : 1;
    others.n_off += is_off ? 1 : 0;
    if (!is_off)
      histo_range_add (&timing->distances, length);
    else if (length > frame)
      add_gap (timing, &distance, frame);
    else if (is_last && timing->n_shifted > 0
        && report_rate_is_whole (&rate, length))
      /* The stream ends before the times are right again. */
      timing->n_shifted++;
    else
      add_overlap (timing, &distance, frame);
    go_on (&distance);
  }
  return others;
}

/* Returns: the distance of a constant rate that explains most of the stream, in ns; 0: unknown. If many times are shifted, it
 * need not be the most frequent one. */
static gdouble
find_frame (const ReportStreamWatch * stream, const ReportRate * rate)
{
  const gdouble said = stream->frame_rate > 0 ? GST_SECOND / stream->frame_rate
      : 0;
  const gdouble candidates[] = { rate->usual, said, find_median (stream->runs) };
  Others least = { G_MAXUINT64, G_MAXUINT64 };
  gdouble best = 0;

  if (rate->n < REPORT_FEW_DISTANCES)
    return said;
  for (guint i = 0; i < G_N_ELEMENTS (candidates); i++) {
    ReportTiming *attempt;
    Others others;

    if (candidates[i] <= REPORT_ROUNDING)
      continue;
    attempt = timing_new ();
    others = follow_constant_rate (attempt, stream->runs, candidates[i]);
    if (others.n_off < least.n_off || (others.n_off == least.n_off
            && others.n < least.n)) {
      least = others;
      best = candidates[i];
    }
    report_timing_free (attempt);
  }
  return best;
}

/* ---- A variable rate -------------------------------------------------------------------------- */

/* Returns: the longest distance that is no gap, in ns: a gap is much longer than each one that is none, and there are few */
static gdouble
find_longest (const GArray * runs, guint64 n)
{
  const guint64 n_ordinary = MAX (1, (guint64) (ORDINARY_SHARE * n));
  g_autoptr (GArray) sorted = g_array_copy ((GArray *) runs);
  gdouble longest = 0;
  guint64 count = 0;

  g_array_sort (sorted, compare_runs);
  for (guint i = 0; i < sorted->len; i++) {
    const ReportRun *run = &g_array_index (sorted, ReportRun, i);

    if (count >= n_ordinary && mean_of (run) > REPORT_GAP_FRAMES * longest)
      break;
    longest = mean_of (run);
    count += run->count;
  }
  return longest;
}

/* Frames overlap only if they have the same time, but for rounding: they may last as short as they like. If all of them
 * have, there is no rate, and what follow_constant_rate() has found stays. */
static void
follow_variable_rate (ReportTiming * timing, const GArray * runs, guint64 n)
{
  const gdouble longest = find_longest (runs, n);
  HistoRange distances = { 0 };

  for (Distance distance = {.runs = runs }; !is_end (&distance);
      go_on (&distance)) {
    const gdouble length = length_of (&distance);

    if (length > REPORT_ROUNDING && length <= longest)
      histo_range_add (&distances, length);
  }
  if (distances.n == 0)
    return;
  timing->distances = distances;
  timing->n_shifted = 0;
  g_array_set_size (timing->gaps, 0);
  g_array_set_size (timing->overlaps, 0);
  for (Distance distance = {.runs = runs }; !is_end (&distance);
      go_on (&distance)) {
    if (length_of (&distance) <= REPORT_ROUNDING)
      add_overlap (timing, &distance, histo_range_mean (&distances));
    else if (length_of (&distance) > longest)
      add_gap (timing, &distance, histo_range_mean (&distances));
  }
}

/* ---- Both ------------------------------------------------------------------------------------- */

/* A program that records a screen leaves out the frames in which nothing has changed: what follows several such gaps hardly
 * differs from what is before them, or they are longer than the rest of the film. One gap shows nothing.
 *
 * @n_frames: the film has
 * @held: (element-type guint64): times of frames that nearly equal the one before */
static gboolean
holds_picture (const GArray * gaps, guint64 n_frames, const GArray * held)
{
  guint64 n_left_out = 0;
  guint n = 0;

  for (guint i = 0; i < gaps->len; i++) {
    const ReportSpan *gap = &g_array_index (gaps, ReportSpan, i);
    const guint next = report_sorted_find (held, gap->end - MIN (gap->end, REPORT_ROUNDING), NULL);

    n += next < held->len && g_array_index (held, guint64, next) <= gap->end + REPORT_ROUNDING;
    n_left_out += gap->count;
  }
  return gaps->len > 1 && ((n > 1 && 2 * n >= gaps->len) || n_left_out > n_frames);
}

/* Returns: whether frames are missing in the gap: fields that are shown once more make gaps of half a frame */
gboolean
report_timing_misses (const ReportTiming * timing, const ReportSpan * gap)
{
  return timing->are_missing && gap->end - gap->start > (REPORT_GAP_FRAMES - 1) * timing->frame;
}

/* @n: how many distances are others than those of a constant rate */
static gboolean
is_variable (guint64 n, const ReportRate * rate)
{
  return rate->n >= REPORT_FEW_DISTANCES && n >= FEW_OTHERS
      && n > (1 - REPORT_CONSTANT_SHARE) * rate->n;
}

/**
 * report_timing_new:
 * @stream: of video, locked
 * @held: (element-type guint64): times of frames that come late, and nearly equal the one before; sorted
 *
 * Returns: (transfer full): to be freed with report_timing_free()
 */
ReportTiming *
report_timing_new (const ReportStreamWatch * stream, const GArray * held)
{
  ReportTiming *timing = timing_new ();
  ReportRate rate;
  Others others;
  gdouble frame;

  report_rate_measure (&rate, stream);
  frame = find_frame (stream, &rate);
  if (frame <= 0)
    return timing;
  /* A rate that wobbles by less than half a frame is a variable one, and has the gaps of a constant one. */
  others = follow_constant_rate (timing, stream->runs, frame);
  /* The caps may say another rate than the few frames have. */
  if (rate.n < REPORT_FEW_DISTANCES && 2 * others.n_off > rate.n)
    g_array_set_size (timing->gaps, 0);
  if (is_variable (others.n_off, &rate))
    follow_variable_rate (timing, stream->runs, rate.n);
  else if (!is_variable (others.n, &rate))
    timing->distances = (HistoRange) { 0 };
  timing->frame = timing->distances.n == 0 ? frame : 0;
  timing->are_missing = timing->frame > 0 && rate.n >= REPORT_FEW_DISTANCES && !holds_picture (timing->gaps, stream->n_buffers, held);
  return timing;
}
