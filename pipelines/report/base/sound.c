/* Pairs of channels, and times of silent channels, inverted pairs and dual mono; see sound.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/sound.h"

#include <math.h>

#include "base/members.h"

/* Shorter times are not reported. The figures `inverted` and `dual-mono` say so after this time. */
#define LEAST_SPAN (HISTO_PAIR_SECONDS * GST_SECOND)

/* Windows that follow each other with less between them, or over each other, are one run: their times are rounded. */
#define MOST_GAP (GST_SECOND / 10)

static const gchar *const state_names[REPORT_N_SOUND_STATES] = {
  [REPORT_SILENT] = "silent",
  [REPORT_INVERTED] = "inverted",
  [REPORT_DUAL_MONO] = "dual-mono",
};

/* ---- Pairs ------------------------------------------------------------------------------------ */

static gboolean
find_whole (const ReportWalk * walk, gconstpointer owner, gpointer made)
{
  report_pair_get_whole (owner, made);
  return TRUE;
}

static const ReportShape whole_shape = {
  .text = "Of the whole stream.",
  .size = sizeof (HistoPairFigures),
  /* Those before `inverted` follow from the sums. */
  .members = (const ReportMember[]) {
      {"", FIGURES, .infos = histo_pair_figures, .n = HISTO_PAIR_FIGURE_inverted}, NO_MEMBER},
  .find = find_whole
};

const ReportShape report_pair_shape = {
  .name = "merged-pair",
  .size = sizeof (ReportPair),
  .members = (const ReportMember[]) {
      {"first", TEXT, AT (ReportPair, first), NEEDED, KEY},
      {"second", TEXT, AT (ReportPair, second), NEEDED, KEY},
      {"first-squares", NUMBER, AT (ReportPair, sums.first_squares), 0, SUM},
      {"second-squares", NUMBER, AT (ReportPair, sums.second_squares), 0, SUM},
      {"products", NUMBER, AT (ReportPair, sums.products), 0, SUM},
      {"sum-squares", NUMBER, AT (ReportPair, sums.sum_squares), 0, SUM},
      {"whole", OBJECT, .flags = WRITTEN | ALWAYS, .shape = &whole_shape},
      {"", RANGES, AT (ReportPair, figures), 0, SUM, .infos = histo_pair_figures, .n = HISTO_N_PAIR_FIGURES},
      NO_MEMBER},
  .most = MOST_SEARCHED
};

/* @hint: where it probably is
 * Returns: (transfer none): the pair of these channels, which may be a new one */
static ReportPair *
find_pair (GPtrArray * pairs, const gchar * first, const gchar * second,
    guint hint)
{
  ReportPair *pair;

  for (guint i = 0; i < pairs->len; i++) {
    pair = pairs->pdata[(hint + i) % pairs->len];
    if (g_str_equal (pair->first, first) && g_str_equal (pair->second, second))
      return pair;
  }
  pair = report_objects_add (pairs, &report_pair_shape);
  pair->first = g_strdup (first);
  pair->second = g_strdup (second);
  return pair;
}

/* Returns: Σx² of a channel, x: the samples as shares of full scale, which is that of the bins */
static gdouble
squares_of (const HistoFigures * figures)
{
  const gdouble n = report_figures_finite (figures);

  return n > 0 ? n * report_figures_power (figures) : 0;
}

/* The figures of a window are ratios. With the squares of the channels they give the other sums. Figures are absent where
 * these sums are 0. */
static void
add_window (ReportPair * pair, const HistoPairFigures * figures,
    gdouble first_squares, gdouble second_squares)
{
  HistoLevelPairSums *sums = &pair->sums;

  sums->first_squares += first_squares;
  sums->second_squares += second_squares;
  if (!isnan (figures->correlation))
    sums->products += figures->correlation
        * sqrt (first_squares) * sqrt (second_squares);
  if (!isnan (figures->mono_loss))
    sums->sum_squares += 2 * (first_squares + second_squares)
        * pow (10, figures->mono_loss / 10);
  for (guint i = 0; i < HISTO_N_PAIR_FIGURES; i++)
    histo_range_add (&pair->figures[i], histo_figure_get (&histo_pair_figures[i], figures));
}

/* @result: of a window */
void
report_pairs_add_result (GPtrArray * pairs, const HistoResult * result)
{
  for (guint i = 0; i < result->n_pairs; i++) {
    const HistoPairResult *pair = &result->pairs[i];
    const HistoComponentResult *first = &result->components[pair->first];
    const HistoComponentResult *second = &result->components[pair->second];

    add_window (find_pair (pairs, first->name, second->name, i),
        &pair->figures, squares_of (&first->figures),
        squares_of (&second->figures));
  }
}

/* The figures of all windows together. @figures: (out): inverted and dual_mono are not set */
void
report_pair_get_whole (const ReportPair * pair, HistoPairFigures * figures)
{
  histo_level_pair_fill (figures, &pair->sums);
}

/* ---- Spans ------------------------------------------------------------------------------------ */

/* A channel or a pair that has the state. */
typedef struct
{
  gboolean is_running;
  guint64 start;                /* of the first window */
  ReportSoundSpan *span;        /* NULL: it has not lasted long enough so far */
} Run;

const ReportShape report_sound_span_shape = {
  .size = sizeof (ReportSoundSpan),
  .members = (const ReportMember[]) {
      {"state", NAME, AT (ReportSoundSpan, state), NEEDED, NAMED (state_names)},
      {"first", TEXT, AT (ReportSoundSpan, first), NEEDED},
      {"second", TEXT, AT (ReportSoundSpan, second)},
      {"start", TIME, AT (ReportSoundSpan, start), NEEDED},
      {"end", END, AT (ReportSoundSpan, end), NEEDED},
      {"input", TEXT, AT (ReportSoundSpan, input)},
      NO_MEMBER}
};

void
report_sound_spans_init (ReportSoundSpans * spans)
{
  spans->spans = report_objects_new ();
  spans->runs = g_array_new (FALSE, TRUE, sizeof (Run));
}

void
report_sound_spans_clear (ReportSoundSpans * spans)
{
  g_ptr_array_unref (spans->spans);
  g_array_unref (spans->runs);
}

static void
add_span (ReportSoundSpans * spans, Run * run, ReportSoundState state,
    const gchar * first, const gchar * second)
{
  run->span = report_objects_add (spans->spans, &report_sound_span_shape);
  run->span->state = state;
  run->span->first = g_strdup (first);
  run->span->second = g_strdup (second);
  run->span->start = run->start;
}

/* @run: (inout): that of a channel: 1 says that this window is silent */
static void
follow_channel (ReportSoundSpans * spans, Run * run, gboolean is_silent,
    const gchar * name, guint64 start, guint64 end)
{
  if (!is_silent) {
    *run = (Run) { FALSE, 0, NULL };
    return;
  }
  if (!run->is_running)
    *run = (Run) { TRUE, start, NULL };
  if (run->span == NULL && end - run->start >= LEAST_SPAN)
    add_span (spans, run, REPORT_SILENT, name, NULL);
  if (run->span != NULL)
    run->span->end = end;
}

/* @run: (inout): that of a state of a pair: 1 says that it has lasted for 2 s at the end of this window
 * @is_known: whether the window says something of it */
static void
follow_pair (ReportSoundSpans * spans, Run * run, ReportSoundState state,
    gboolean is_met, gboolean is_known, const gchar * first,
    const gchar * second, guint64 end)
{
  if (!is_met) {
    if (is_known)
      *run = (Run) { FALSE, 0, NULL };
    return;
  }
  if (run->span == NULL) {
    run->start = end - MIN (end, LEAST_SPAN);
    add_span (spans, run, state, first, second);
  }
  run->span->end = end;
}

static Run *
run_of (ReportSoundSpans * spans, guint i)
{
  return &g_array_index (spans->runs, Run, i);
}

/* With other channels, and where the time jumps, the runs begin anew. */
static void
prepare_runs (ReportSoundSpans * spans, const HistoResult * result,
    guint64 start)
{
  const gboolean goes_on = start <= spans->end + MOST_GAP
      && start + MOST_GAP >= spans->end;

  if (spans->n_channels == result->n_components
      && spans->n_pairs == result->n_pairs && goes_on)
    return;
  spans->n_channels = result->n_components;
  spans->n_pairs = result->n_pairs;
  g_array_set_size (spans->runs, 0);
  g_array_set_size (spans->runs, result->n_components + 2 * result->n_pairs);
}

/**
 * report_sound_spans_add_result:
 * @result: of the next window
 * @times: from report_stream_summary_count()
 *
 * A pair is inverted or dual mono from 2 s before the window that says so first.
 */
void
report_sound_spans_add_result (ReportSoundSpans * spans,
    const HistoResult * result, const HistoTimes * times)
{
  const guint64 start = times->stream_time;
  guint64 end;

  if (!GST_CLOCK_TIME_IS_VALID (start) || result->n_samples == 0
      || result->rate <= 0)
    return;
  end = start + gst_util_uint64_scale (result->n_samples, GST_SECOND,
      result->rate);
  if (end < start)
    return;
  prepare_runs (spans, result, start);
  spans->end = end;
  for (guint c = 0; c < result->n_components; c++)
    follow_channel (spans, run_of (spans, c), result->levels[c].silent != 0,
        result->components[c].name, start, end);
  for (guint i = 0; i < result->n_pairs; i++) {
    const HistoPairResult *pair = &result->pairs[i];
    const gchar *first = result->components[pair->first].name;
    const gchar *second = result->components[pair->second].name;
    const gboolean is_silent = result->levels[pair->first].silent
        && result->levels[pair->second].silent;
    const guint at = result->n_components + 2 * i;

    follow_pair (spans, run_of (spans, at), REPORT_INVERTED,
        pair->figures.inverted != 0, !isnan (pair->figures.correlation), first,
        second, end);
    follow_pair (spans, run_of (spans, at + 1), REPORT_DUAL_MONO,
        pair->figures.dual_mono != 0, !is_silent, first, second, end);
  }
}
