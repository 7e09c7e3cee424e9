/* What the figures of a stream say; see answers.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "answers.h"

#include <math.h>
#include <string.h>

#include "describe.h"
#include "hdr.h"

/* Returns: how many results have the choice, all names together */
static guint64
count_choices (const ReportRegion * region, guint figure)
{
  guint64 n = 0;

  for (guint i = 0; i < REPORT_MOST_NAMES; i++)
    n += region->choices[figure][i];
  return n;
}

/* ---- Field order ------------------------------------------------------------------------------ */

/* Of 24 frames that are shown as 60 fields, each 5th frame repeats the top field of the one before it, and each 5th
 * one the bottom field. Still pictures repeat none, so fewer do; in other streams hardly any frame repeats only one. */
#define LEAST_OF_TELECINE 0.1
#define MOST_OF_TELECINE 0.3
/* Of fewer frames nothing follows. */
#define FEW_FRAMES 10

/* A field order is that of at least this share of the frames that have one. Fine moving patterns show either one. */
#define LEAST_OF_ORDER 0.75
/* And of this share of the frames that show one by themselves: several frames have to agree before another order is
 * taken, so that one of few frames may last. */
#define LEAST_OF_SINGLE 0.5

/* Returns: whether, of the frames that have an order by this figure, so many have this one */
static gboolean
is_order (const ReportRegion * region, guint figure, guint order, gdouble least)
{
  const guint64 *counts = region->choices[figure];
  const guint64 determined =
      count_choices (region, figure) - counts[HISTO_FIELD_UNDETERMINED];

  return determined > 0 && counts[order] >= least * determined;
}

static gboolean
is_telecine (const ReportRegion * region)
{
  const guint figure = HISTO_GROUP_FIGURE_FIELD_repeated;
  const guint64 *counts = region->choices[figure];
  const gdouble n = count_choices (region, figure);
  const gdouble top = counts[HISTO_REPEATED_TOP];
  const gdouble bottom = counts[HISTO_REPEATED_BOTTOM];

  return n >= FEW_FRAMES && MIN (top, bottom) >= LEAST_OF_TELECINE * n
      && MAX (top, bottom) <= MOST_OF_TELECINE * n;
}

/**
 * report_answers_field_order:
 *
 * Returns: (nullable): what the frames show: "progressive", "top-field-first", "bottom-field-first", "telecine" or
 * "undetermined"; NULL: it was not measured, or buffers are single fields, in which no rows of two fields are compared
 */
const gchar *
report_answers_field_order (const ReportStreamSummary * stream)
{
  static const gchar *const names[] = {
    [HISTO_FIELD_TFF] = "top-field-first",
    [HISTO_FIELD_BFF] = "bottom-field-first",
    [HISTO_FIELD_PROGRESSIVE] = "progressive",
    [HISTO_FIELD_UNDETERMINED] = "undetermined",
  };
  const guint multi = HISTO_GROUP_FIGURE_FIELD_multi;
  const guint single = HISTO_GROUP_FIGURE_FIELD_single;
  const ReportRegion *picture = report_first_region (stream->regions);

  if (picture == NULL || count_choices (picture, multi) == 0
      || g_strcmp0 (stream->field_order, REPORT_ALTERNATE) == 0)
    return NULL;
  if (is_telecine (picture))
    return "telecine";
  for (guint i = 0; i < HISTO_FIELD_UNDETERMINED; i++) {
    if (is_order (picture, multi, i, LEAST_OF_ORDER)
        && (count_choices (picture, single) == 0
            || is_order (picture, single, i, LEAST_OF_SINGLE)))
      return names[i];
  }
  return names[HISTO_FIELD_UNDETERMINED];
}

/* Streams that are declared interlaced may well have telecine. */
static gboolean
do_agree (const gchar * declared, const gchar * measured)
{
  if (g_str_equal (measured, "telecine"))
    return !g_str_equal (declared, "progressive");
  return g_str_equal (measured, "undetermined")
      || g_str_equal (declared, "mixed") || g_str_equal (declared, measured);
}

/**
 * report_answer_field_order:
 *
 * Returns: (transfer full) (nullable): what the caps and flags say, and what the frames show; NULL: there is nothing to
 * tell
 */
gchar *
report_answer_field_order (const ReportStreamSummary * stream)
{
  const gchar *declared = stream->field_order;
  const gchar *measured = report_answers_field_order (stream);
  gchar *look, *text;

  if (measured == NULL)
    return declared == NULL ? NULL :
        g_strdup (report_name_field_order (declared));
  if (g_str_equal (measured, "undetermined"))
    look = g_strdup ("the frames show no clear order");
  else
    look = g_strconcat ("the frames look ", g_str_equal (measured, "telecine") ?
        "telecine: fields are repeated in the pattern 2:3" :
        report_name_field_order (measured), NULL);
  if (declared == NULL)
    return look;
  text = g_strdup_printf (do_agree (declared, measured) ? "%s; %s" :
      "declared %s, but %s", report_name_field_order (declared), look);
  g_free (look);
  return text;
}

/* ---- Gamut ------------------------------------------------------------------------------------ */

/* A smaller share is 0.000 % when it is rounded. */
#define LEAST_SHARE 0.000005

/**
 * report_answer_gamut:
 * @region: of a stream of @summary
 *
 * Returns: (transfer full) (nullable): NULL: it was not measured
 */
gchar *
report_answer_gamut (const ReportSummary * summary, const ReportRegion * region)
{
  const HistoRange *any =
      &region->figures[HISTO_GROUP_FIGURE_GAMUT_FILTER_any];
  const ReportR103 *r103 = &region->r103;
  GString *text;

  if (any->n == 0)
    return NULL;
  if (any->max == 0)
    return g_strdup ("no pixel is outside of EBU R 103");
  text = g_string_new (NULL);
  if (r103->n_above == 0)
    g_string_append (text, "no frame has");
  else
    g_string_append_printf (text, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
        " frame%s ha%s", r103->n_above, any->n, report_plural (any->n),
        r103->n_above == 1 ? "s" : "ve");
  g_string_append_printf (text, " more than %g %% of %s pixels outside of EBU R "
      "103; the most is ", 100 * HISTO_R103_ALLOWED,
      r103->n_above > 1 ? "their" : "its");
  if (any->max < LEAST_SHARE)
    g_string_append (text, "less than 0.001 %");
  else
    g_string_append_printf (text, "%.3f %%", 100 * any->max);
  if (r103->has_worst && summary->n_inputs == 1) {
    g_string_append_printf (text, ", in frame %" G_GUINT64_FORMAT " (",
        r103->worst_frame);
    report_append_time (text, r103->worst_time);
    g_string_append_c (text, ')');
  }
  return g_string_free (text, FALSE);
}

/* ---- Answers ---------------------------------------------------------------------------------- */

static void
answer_free (gpointer data)
{
  ReportAnswer *answer = data;

  g_free (answer->text);
  g_ptr_array_unref (answer->items);
  g_free (answer);
}

/* @text: (transfer full) */
static ReportAnswer *
add_answer (GPtrArray * answers, const gchar * label, gchar * text)
{
  ReportAnswer *answer = g_new0 (ReportAnswer, 1);

  answer->label = label;
  answer->text = text;
  answer->items = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (answers, answer);
  return answer;
}

/* Begins an item. @input: (nullable) */
static GString *
new_item (const gchar * input)
{
  GString *item = g_string_new (NULL);

  if (input != NULL)
    g_string_append_printf (item, "%s ", input);
  return item;
}

/* ---- Flashes ---------------------------------------------------------------------------------- */

#define NOT_CERTIFIED "a screening aid, not certified"

static guint
worst_of (const guint64 * states)
{
  guint worst = HISTO_FLASH_FAIL;

  while (worst > HISTO_FLASH_PASS && states[worst] == 0)
    worst--;
  return worst;
}

static const gchar *
state_name (guint state)
{
  return histo_choice_name (&histo_group_figures
      [HISTO_GROUP_FIGURE_FLASH_state], state);
}

/**
 * report_answers_flashes:
 * @picture, @zones: (out): the worst state of all frames: HISTO_FLASH_PASS, …
 *
 * Returns: FALSE: it was not measured
 */
gboolean
report_answers_flashes (const ReportStreamSummary * stream, guint * picture,
    guint * zones)
{
  const guint figure = HISTO_GROUP_FIGURE_FLASH_state;
  const ReportRegion *region = report_first_region (stream->regions);

  if (region == NULL || count_choices (region, figure) == 0)
    return FALSE;
  *picture = worst_of (region->choices[figure]);
  *zones = worst_of (stream->zone_states);
  return TRUE;
}

static void
add_flashes (GPtrArray * answers, const ReportStreamSummary * stream)
{
  ReportAnswer *answer;
  guint picture, zones, n;

  if (!report_answers_flashes (stream, &picture, &zones))
    return;
  answer = add_answer (answers, "flashes", g_strdup_printf ("picture: %s, "
          "zones: %s (" NOT_CERTIFIED ")", state_name (picture),
          state_name (zones)));
  n = MIN (stream->flashes->len, REPORT_MOST_TOLD);
  for (guint i = 0; i < n; i++) {
    const ReportFlashes *flashes = stream->flashes->pdata[i];
    GString *item = new_item (flashes->input);

    report_append_time (item, flashes->start);
    g_string_append (item, " - ");
    report_append_time (item, flashes->end);
    g_string_append_printf (item, " %s",
        state_name (MAX (flashes->state, flashes->zones_state)));
    g_ptr_array_add (answer->items, g_string_free (item, FALSE));
  }
  answer->n_more = stream->flashes->len - n;
}

/* ---- Repeats ---------------------------------------------------------------------------------- */

/* So many periods of frames must have a cadence, beside those that it takes to know it: a few frames may recur by
 * chance. */
#define LEAST_PERIODS 4

/* Cadences that have a name. */
static const struct
{
  guint period, unique;
  const gchar *name;
} cadence_names[] = {
  {2, 1, "2:2"},
  {5, 2, "2:3"},
};

/* Returns: the number of results with the most frequent cadence; 0: none has one */
static guint64
find_cadence (const ReportRepeats * repeats, guint * period, guint * unique)
{
  guint64 most = 0;

  for (guint p = 1; p <= REPORT_MOST_PERIOD; p++) {
    for (guint u = 0; u <= p; u++) {
      if (repeats->cadences[p][u] <= most)
        continue;
      most = repeats->cadences[p][u];
      *period = p;
      *unique = u;
    }
  }
  return most;
}

static void
append_cadence (GString * text, const ReportStreamSummary * stream,
    guint64 n_frames)
{
  const gdouble rate = stream->stream->frame_rate;
  guint period = 0, unique = 0;
  const guint64 n = find_cadence (&stream->repeats, &period, &unique);

  if (n == 0 || n < LEAST_PERIODS * period
      || (period == 1 && unique == 1)) {
    g_string_append (text, "; no steady cadence");
    return;
  }
  g_string_append_printf (text, "; cadence: %u unique of %u", unique, period);
  for (guint i = 0; i < G_N_ELEMENTS (cadence_names); i++) {
    if (cadence_names[i].period == period && cadence_names[i].unique == unique)
      g_string_append_printf (text, " (%s)", cadence_names[i].name);
  }
  if (rate > 0)
    g_string_append_printf (text, ", %.6g in %.6g frames/s",
        rate * unique / period, rate);
  g_string_append_printf (text, ", at %" G_GUINT64_FORMAT " of %"
      G_GUINT64_FORMAT " frames", n, n_frames);
}

static void
add_repeats (GPtrArray * answers, const ReportStreamSummary * stream)
{
  const ReportRegion *picture = report_first_region (stream->regions);
  const HistoRange *repeat, *near_repeat;
  GString *text;
  guint64 n, n_near;

  if (picture == NULL)
    return;
  repeat = &picture->figures[HISTO_GROUP_FIGURE_MOTION_repeat];
  near_repeat = &picture->figures[HISTO_GROUP_FIGURE_MOTION_near_repeat];
  if (repeat->n == 0)
    return;
  n = (guint64) repeat->sum;
  n_near = near_repeat->sum > repeat->sum ?
      (guint64) (near_repeat->sum - repeat->sum) : 0;
  text = g_string_new (NULL);
  if (n == 0)
    g_string_append (text, "none");
  else
    g_string_append_printf (text, "%" G_GUINT64_FORMAT " frame%s equal%s the "
        "one before, at most %" G_GUINT64_FORMAT " in a row", n, report_plural (n),
        n == 1 ? "s" : "", stream->repeats.longest);
  if (n > 0 && GST_CLOCK_TIME_IS_VALID (stream->repeats.longest_start)) {
    g_string_append (text, " at ");
    report_append_time (text, stream->repeats.longest_start);
  }
  if (n_near > 0)
    g_string_append_printf (text, "; %" G_GUINT64_FORMAT " %s nearly equal to %s",
        n_near, n == 0 ? (n_near == 1 ? "frame is" : "frames are") :
        n_near == 1 ? "more is" : "more are",
        n == 0 ? "the one before" : "it");
  if (n > 0)
    append_cadence (text, stream, repeat->n);
  add_answer (answers, "repeats", g_string_free (text, FALSE));
}

/* ---- Sound ------------------------------------------------------------------------------------ */

static void
append_channels (GString * text, const ReportStream * stream,
    const gchar * first, const gchar * second)
{
  g_string_append (text, report_name_place (stream, first));
  if (second != NULL)
    g_string_append_printf (text, " and %s", report_name_place (stream,
            second));
}

/* Returns: how long these channels have the state, in ns */
static guint64
total_of (const ReportStreamSummary * stream, ReportSoundState state,
    const gchar * first, const gchar * second)
{
  const GPtrArray *spans = stream->sound_spans.spans;
  guint64 total = 0;

  for (guint i = 0; i < spans->len; i++) {
    const ReportSoundSpan *span = spans->pdata[i];

    if (span->state == state && g_str_equal (span->first, first)
        && g_strcmp0 (span->second, second) == 0)
      total += MIN (span->end - span->start, G_MAXINT64 - total);
  }
  return total;
}

/* Whether all windows are silent. */
static gboolean
is_dead (const ReportChannel * channel)
{
  const HistoRange *silent = &channel->levels[HISTO_LEVEL_FIGURE_silent];

  return silent->n > 0 && silent->min == 1;
}

static void
append_dead_channels (GString * text, const ReportStreamSummary * stream)
{
  guint n = 0;

  for (guint c = 0; c < stream->n_channels; c++)
    n += is_dead (&stream->channels[c]) ? 1 : 0;
  if (n == 0)
    return;
  if (n == stream->n_channels) {
    g_string_append (text, n == 1 ? "silent" : "all channels are silent");
    return;
  }
  for (guint c = 0; c < stream->n_channels; c++) {
    gchar *name = g_strdup_printf ("ch%u", c);

    if (is_dead (&stream->channels[c]))
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "",
          report_name_place (stream->stream, name));
    g_free (name);
  }
  g_string_append (text, n == 1 ? " is silent" : " are silent");
}

static void
append_inverted_pair (GString * text, const ReportStreamSummary * stream,
    const ReportPair * pair)
{
  const guint64 total = total_of (stream, REPORT_INVERTED, pair->first,
      pair->second);
  HistoPairFigures figures;
  gboolean is_whole;

  report_pair_get_whole (pair, &figures);
  is_whole = figures.correlation <= HISTO_PAIR_INVERTED;
  if (!is_whole && total == 0)
    return;
  if (text->len > 0)
    g_string_append (text, "; ");
  append_channels (text, stream->stream, pair->first, pair->second);
  g_string_append (text, " are inverted");
  if (!is_whole)
    g_string_append_printf (text, " for %.1f s", (gdouble) total / GST_SECOND);
}

/**
 * report_answer_sound:
 * @stream: after report_summary_finish()
 *
 * Returns: (transfer full) (nullable): channels that are silent throughout, and pairs that are inverted; NULL: there are
 * none
 */
gchar *
report_answer_sound (const ReportStreamSummary * stream)
{
  GString *text = g_string_new (NULL);

  append_dead_channels (text, stream);
  for (guint i = 0; i < stream->pairs->len; i++)
    append_inverted_pair (text, stream, stream->pairs->pdata[i]);
  return g_string_free (text, text->len == 0);
}

static void
append_figure (GString * text, const gchar * format, gdouble number)
{
  if (isnan (number))
    return;
  if (text->len > 0)
    g_string_append (text, "   ");
  /* Without the sign that a rounded negative number would keep. */
  g_string_append_printf (text, format, rint (number * 100) / 100 + 0.0);
}

/* Returns: (transfer full): the figures of all windows together */
gchar *
report_answer_pair (const ReportPair * pair)
{
  GString *text = g_string_new (NULL);
  HistoPairFigures figures;

  report_pair_get_whole (pair, &figures);
  append_figure (text, "correlation %.2f", figures.correlation);
  append_figure (text, "mono loss %.2f dB", figures.mono_loss);
  append_figure (text, "balance %.2f dB", figures.balance);
  if (text->len == 0)
    g_string_append (text, "silent");
  return g_string_free (text, FALSE);
}

/* Spans of the same time have the same text. (transfer full) */
static gchar *
time_of (const ReportSoundSpan * span)
{
  return g_strdup_printf ("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %s",
      span->start, span->end, span->input != NULL ? span->input : "");
}

/* Returns: (transfer full): how many channels are silent at a time, by time_of() */
static GTree *
count_silent (const GPtrArray * spans)
{
  GTree *counts = report_texts_new ();

  for (guint i = 0; i < spans->len; i++) {
    const ReportSoundSpan *span = spans->pdata[i];
    gchar *time = time_of (span);
    const guint n = GPOINTER_TO_UINT (g_tree_lookup (counts, time));

    if (span->state == REPORT_SILENT)
      g_tree_insert (counts, time, GUINT_TO_POINTER (n + 1));
    else
      g_free (time);
  }
  return counts;
}

/* Whether the first line of the stream tells of the span. */
static gboolean
is_in_headline (const ReportStreamSummary * stream,
    const ReportSoundSpan * span)
{
  return span->state != REPORT_DUAL_MONO && span->start == 0
      && span->end + GST_MSECOND >= report_stream_summary_length (stream);
}

/* Returns: (transfer full) (element-type ReportSoundSpan): those of the state. Times in which all channels are silent are
 * left out: the alert `silence` tells of them. */
static GPtrArray *
find_spans (const ReportStreamSummary * stream, ReportSoundState state)
{
  const GPtrArray *spans = stream->sound_spans.spans;
  GTree *counts = count_silent (spans);
  GPtrArray *found = g_ptr_array_new ();

  for (guint i = 0; i < spans->len; i++) {
    ReportSoundSpan *span = spans->pdata[i];
    gchar *time = time_of (span);

    if (span->state == state && !is_in_headline (stream, span)
        && (state != REPORT_SILENT
            || GPOINTER_TO_UINT (g_tree_lookup (counts, time))
            < stream->n_channels))
      g_ptr_array_add (found, span);
    g_free (time);
  }
  g_tree_unref (counts);
  return found;
}

/* Returns: (transfer full): the channels, and how long they have the state */
static gchar *
add_up_spans (const ReportStream * stream, const GPtrArray * spans)
{
  GTree *totals = report_texts_new ();
  GPtrArray *names = g_ptr_array_new ();
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < spans->len; i++) {
    const ReportSoundSpan *span = spans->pdata[i];
    GString *name = g_string_new (NULL);
    gdouble *total;
    gboolean is_new;

    append_channels (name, stream, span->first, span->second);
    total = g_tree_lookup (totals, name->str);
    is_new = total == NULL;
    if (is_new) {
      total = g_new0 (gdouble, 1);
      g_ptr_array_add (names, name->str);
      g_tree_insert (totals, name->str, total);
    }
    *total += (gdouble) (span->end - span->start) / GST_SECOND;
    g_string_free (name, !is_new);
  }
  for (guint i = 0; i < names->len; i++) {
    gdouble *total = g_tree_lookup (totals, names->pdata[i]);

    g_string_append_printf (text, "%s%s for %.1f s", i > 0 ? ", " : "",
        (const gchar *) names->pdata[i], *total);
    g_free (total);
  }
  g_tree_unref (totals);
  g_ptr_array_unref (names);
  return g_string_free (text, FALSE);
}

/* A line for a state: which channels have it how long, and when. */
static void
add_sound (GPtrArray * answers, const ReportStreamSummary * stream,
    ReportSoundState state, const gchar * label)
{
  GPtrArray *spans = find_spans (stream, state);
  ReportAnswer *answer;
  guint n;

  if (spans->len > 0) {
    answer = add_answer (answers, label, add_up_spans (stream->stream, spans));
    n = MIN (spans->len, REPORT_MOST_TOLD);
    for (guint i = 0; i < n; i++) {
      const ReportSoundSpan *span = spans->pdata[i];
      GString *item = new_item (span->input);

      append_channels (item, stream->stream, span->first, span->second);
      g_string_append_c (item, ' ');
      report_append_time (item, span->start);
      g_string_append (item, " - ");
      report_append_time (item, span->end);
      g_ptr_array_add (answer->items, g_string_free (item, FALSE));
    }
    answer->n_more = spans->len - n;
  }
  g_ptr_array_unref (spans);
}

/* ---- Timestamps ------------------------------------------------------------------------------- */

/* Begins the next part of a list. */
static void
append_count (GString * text, guint64 n, const gchar * what)
{
  g_string_append_printf (text, "%s%" G_GUINT64_FORMAT " %s",
      text->len > 0 ? ", " : "", n, what);
}

/* Some decoders give a frame the time of the one before it. Then there is an overlap, and a gap behind it, but no frame is
 * missing: the stream is as long as its frames. The difference may be this share of the frames in gaps, and half of one. */
#define MOST_NOT_CANCELLED 0.05

gboolean
report_answers_do_cancel (const ReportStreamSummary * stream)
{
  const ReportTimestamps *timestamps = &stream->timestamps;
  const guint64 length = report_stream_summary_length (stream);
  const gdouble rate = stream->stream->frame_rate;

  if (stream->stream->is_audio || stream->is_merged || rate <= 0
      || !GST_CLOCK_TIME_IS_VALID (length) || timestamps->n[REPORT_GAP] == 0
      || timestamps->n[REPORT_OVERLAP] + timestamps->n[REPORT_JUMP_BACK] == 0)
    return FALSE;
  return fabs ((gdouble) length * rate / GST_SECOND - timestamps->n_buffers)
      <= 0.5 + MOST_NOT_CANCELLED * timestamps->gap_length;
}

static void
add_timestamps (GPtrArray * answers, const ReportStreamSummary * stream)
{
  const ReportTimestamps *timestamps = &stream->timestamps;
  const guint64 *n = timestamps->n;
  GString *text = g_string_new (NULL);
  ReportAnswer *answer;
  guint64 n_faults = 0;

  for (guint i = 0; i < REPORT_N_TIME_FAULTS; i++)
    n_faults += n[i];
  if (n[REPORT_GAP] > 0) {
    append_count (text, n[REPORT_GAP], n[REPORT_GAP] == 1 ? "gap" : "gaps");
    g_string_append_printf (text, " of %" G_GUINT64_FORMAT " %s%s",
        timestamps->gap_length, stream->stream->is_audio ? "sample" : "frame",
        report_plural (timestamps->gap_length));
  }
  if (n[REPORT_OVERLAP] > 0)
    append_count (text, n[REPORT_OVERLAP],
        n[REPORT_OVERLAP] == 1 ? "overlap" : "overlaps");
  if (n[REPORT_JUMP_BACK] > 0)
    append_count (text, n[REPORT_JUMP_BACK],
        n[REPORT_JUMP_BACK] == 1 ? "jump back" : "jumps back");
  if (timestamps->n_untimed > 0)
    append_count (text, timestamps->n_untimed, "missing");
  if (text->len == 0) {
    g_string_free (text, TRUE);
    return;
  }
  if (report_answers_do_cancel (stream))
    g_string_append (text, "; they cancel out: the stream is as long as its frames");
  answer = add_answer (answers, "timestamps", g_string_free (text, FALSE));
  for (guint i = 0; i < timestamps->places->len
      && answer->items->len < REPORT_MOST_TOLD; i++) {
    const ReportTimePlace *place = timestamps->places->pdata[i];
    GString *item = new_item (place->input);

    g_string_append_printf (item, "%s ", report_time_fault_names[place->fault]);
    report_append_time (item, place->start);
    g_ptr_array_add (answer->items, g_string_free (item, FALSE));
  }
  answer->n_more = n_faults - MIN (n_faults, answer->items->len);
}

/**
 * report_answers_find:
 *
 * Returns: (transfer full) (element-type ReportAnswer): what there is to tell of the whole stream beside its field order
 */
GPtrArray *
report_answers_find (const ReportStreamSummary * stream)
{
  GPtrArray *answers = g_ptr_array_new_with_free_func (answer_free);

  if (!stream->stream->is_audio) {
    gchar *light = report_hdr_answer (stream);

    if (light != NULL)
      add_answer (answers, "HDR metadata", light);
    add_flashes (answers, stream);
    add_repeats (answers, stream);
  } else {
    add_sound (answers, stream, REPORT_SILENT, "silent");
    add_sound (answers, stream, REPORT_INVERTED, "inverted");
    add_sound (answers, stream, REPORT_DUAL_MONO, "dual mono");
  }
  add_timestamps (answers, stream);
  return answers;
}

/* ---- Hints ------------------------------------------------------------------------------------ */

static void
add_gamut_hints (GPtrArray * hints, const ReportStreamSummary * stream)
{
  for (guint r = 0; r < stream->regions->len; r++) {
    const ReportRegion *region = stream->regions->pdata[r];

    if (region->r103.n_above > 0)
      g_ptr_array_add (hints, g_strdup_printf ("%s%sin the worst frame %.1f %% "
              "of the pixels are outside of EBU R 103, which allows %g %%",
              region->name != NULL ? region->name : "",
              region->name != NULL ? ": " : "", 100 * region->r103.worst,
              100 * HISTO_R103_ALLOWED));
  }
}

/**
 * report_answers_add_hints:
 * @hints: (element-type utf8): gets what of the answers is a fault, in short
 * @stream: of video
 */
void
report_answers_add_hints (GPtrArray * hints, const ReportStreamSummary * stream)
{
  const gchar *order = report_answers_field_order (stream);
  guint picture, zones;

  if (report_answers_flashes (stream, &picture, &zones)
      && MAX (picture, zones) != HISTO_FLASH_PASS)
    g_ptr_array_add (hints, g_strdup_printf ("%s flashes: %s (" NOT_CERTIFIED ")",
            zones > picture ? "a part of the picture" : "the picture",
            state_name (MAX (picture, zones))));
  if (order != NULL && stream->field_order != NULL
      && !do_agree (stream->field_order, order))
    g_ptr_array_add (hints, g_strdup ("the frames do not have the field order "
            "that is declared"));
  add_gamut_hints (hints, stream);
}
