/* What the figures of a stream say; see answers.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "summary/answers.h"

#include <math.h>
#include <string.h>

#include "base/describe.h"
#include "facts/programmes.h"
#include "facts/words.h"
#include "summary/hdr.h"

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

/* If 24 frames are shown as 60 fields, each 5th frame repeats the top field of the one before it, and each 5th
 * one the bottom field. Still pictures repeat none, so fewer do; in other streams hardly any frame repeats only one. */
#define LEAST_OF_TELECINE 0.1
#define MOST_OF_TELECINE 0.3
/* Fewer frames show nothing. */
#define FEW_FRAMES 10

/* A field order is that of at least this share of the frames that have one. Fine moving patterns show either one. */
#define LEAST_OF_ORDER 0.75
/* And of this share of the frames that show one by themselves: several frames have to agree before another order is
 * taken, so that one of few frames may last. */
#define LEAST_OF_SINGLE 0.5
/* The same of a film that says it is progressive. Nearly all frames of interlaced films show their order, and few of them the other
 * one; of fine moving patterns some always do. */
#define LEAST_AGAINST_PROGRESSIVE 0.97

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
  gdouble least;

  if (picture == NULL || count_choices (picture, multi) == 0
      || g_strcmp0 (stream->field_order, REPORT_ALTERNATE) == 0)
    return NULL;
  if (is_telecine (picture))
    return "telecine";
  for (guint i = 0; i < HISTO_FIELD_UNDETERMINED; i++) {
    least = i != HISTO_FIELD_PROGRESSIVE && g_strcmp0 (stream->field_order, names[HISTO_FIELD_PROGRESSIVE]) == 0 ?
        LEAST_AGAINST_PROGRESSIVE : LEAST_OF_SINGLE;
    if (is_order (picture, multi, i, LEAST_OF_ORDER)
        && (count_choices (picture, single) == 0
            || is_order (picture, single, i, least)))
      return names[i];
  }
  return names[HISTO_FIELD_UNDETERMINED];
}

/* Streams that are declared interlaced may well have telecine. */
gboolean
report_field_orders_agree (const gchar * declared, const gchar * measured)
{
  if (g_str_equal (measured, "telecine"))
    return !g_str_equal (declared, "progressive");
  if (g_str_equal (declared, "interlaced"))
    return !g_str_equal (measured, "progressive");
  return g_str_equal (measured, "undetermined")
      || g_str_equal (declared, "mixed") || g_str_equal (declared, measured);
}

/* Returns: (transfer full) (nullable): see report_facts_words() */
gchar *
report_answer_facts (const ReportStreamSummary * stream)
{
  return report_facts_words (stream->facts, stream->stream->is_audio,
      stream->timestamps.distances.n > 0);
}

/**
 * report_answer_field_order:
 *
 * Returns: (transfer full) (nullable): what the caps and flags say, and what the frames show; NULL: there is nothing to
 * report
 */
gchar *
report_answer_field_order (const ReportStreamSummary * stream)
{
  const gchar *declared = stream->field_order;
  const gchar *measured = report_answers_field_order (stream);
  g_autofree gchar *look = NULL;

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
    return g_strconcat ("not said; ", look, NULL);
  return g_strdup_printf (report_field_orders_agree (declared, measured) ?
      "%s; %s" : "declared %s, but %s", report_name_field_order (declared),
      look);
}

/* ---- Regions ---------------------------------------------------------------------------------- */

/* Digits behind the point of a share of pixels in per cent. */
#define SHARE_DIGITS 3
/* Means of frames that differ by less are the same number. */
#define LEAST_MEAN 0.05

/* The levels show it for a single frame. */
static gchar *
answer_brightness (const ReportSummary * summary, const ReportStream * stream,
    const ReportRegion * region)
{
  const ReportComponent *y = report_region_find (region, HISTO_GROUP_BASIC,
      "Y");

  if (y == NULL || y->means.n < 2)
    return NULL;
  if (y->means.max - y->means.min < LEAST_MEAN)
    return g_strdup_printf ("mean of Y: %.1f in each frame", y->means.max);
  return g_strdup_printf ("mean of Y: darkest frame %.1f, brightest %.1f",
      y->means.min, y->means.max);
}

static gchar *
answer_legal_range (const ReportSummary * summary, const ReportStream * stream,
    const ReportRegion * region)
{
  const HistoRange *brng = &region->figures[HISTO_GROUP_FIGURE_SIGNAL_brng];
  g_autoptr (GString) most = g_string_new (NULL);
  GString *text;

  if (brng->n == 0)
    return NULL;
  if (brng->max == 0)
    return g_strdup ("no pixel is outside");
  text = g_string_new (NULL);
  report_append_share (text, histo_range_mean (brng), SHARE_DIGITS);
  report_append_share (most, brng->max, SHARE_DIGITS);
  if (g_string_equal (text, most))
    g_string_append_printf (text, " of the pixels are outside%s", brng->n > 1
        && brng->min == brng->max ? ", in each frame" : "");
  else
    g_string_append_printf (text, " of the pixels are outside; in a frame at most "
        "%s", most->str);
  if (!report_stream_is_limited (stream))
    g_string_append (text, ". This is no fault: the video has full range");
  return g_string_free (text, FALSE);
}

static gchar *
answer_gamut (const ReportSummary * summary, const ReportStream * stream,
    const ReportRegion * region)
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
  report_append_share (text, any->max, SHARE_DIGITS);
  if (r103->worst_frame != G_MAXUINT64 && summary->n_inputs == 1) {
    g_string_append_printf (text, ", in frame %" G_GUINT64_FORMAT " (",
        r103->worst_frame);
    report_append_time (text, r103->worst_time);
    g_string_append_c (text, ')');
  }
  return g_string_free (text, FALSE);
}

static gchar *
answer_saturation (const ReportSummary * summary, const ReportStream * stream,
    const ReportRegion * region)
{
  const ReportComponent *saturation = report_region_find (region,
      HISTO_GROUP_SIGNAL, "saturation");

  if (saturation == NULL)
    return NULL;
  if (saturation->figures.max == 0)
    return g_strdup ("none: all pixels are gray");
  return g_strdup_printf ("mean %.1f   99 %% %g   max %g",
      saturation->figures.mean, saturation->figures.percentiles[HISTO_P99],
      saturation->figures.max);
}

static gchar *
answer_light (const ReportSummary * summary, const ReportStream * stream,
    const ReportRegion * region)
{
  const HistoRange *max = &region->figures[HISTO_GROUP_FIGURE_HDR_max];
  const HistoRange *fall = &region->figures[HISTO_GROUP_FIGURE_HDR_fall];
  const HistoRange *p9999 = &region->figures[HISTO_GROUP_FIGURE_HDR_p9999];

  return max->n == 0 ? NULL : g_strdup_printf ("MaxCLL %.0f, MaxFALL %.0f cd/m2; "
      "99.99 %% of each frame: at most %.0f cd/m2", max->max, fall->max,
      p9999->max);
}

const ReportRegionAnswer report_region_answers[REPORT_N_REGION_ANSWERS] = {
  {"brightness", TRUE, TRUE, answer_brightness},
  {"legal range", FALSE, TRUE, answer_legal_range},
  {"gamut", FALSE, TRUE, answer_gamut},
  {"saturation", TRUE, TRUE, answer_saturation},
  {"light", FALSE, FALSE, answer_light},
};

/* ---- Answers ---------------------------------------------------------------------------------- */

static void
answer_free (gpointer data)
{
  ReportAnswer *answer = data;

  g_free (answer->text);
  g_ptr_array_unref (answer->spans);
  g_free (answer);
}

/* @text: (transfer full)
 * @spans: (transfer full) */
static ReportAnswer *
add_answer (GPtrArray * answers, const gchar * label, gchar * text,
    GPtrArray * spans)
{
  ReportAnswer *answer = g_new0 (ReportAnswer, 1);

  answer->label = label;
  answer->text = text;
  answer->spans = spans;
  g_ptr_array_add (answers, answer);
  return answer;
}

/* @text: (transfer full) (nullable) */
static void
add_text (GPtrArray * answers, const gchar * label, gchar * text, gboolean is_quiet)
{
  if (text != NULL)
    add_answer (answers, label, text, report_notice_spans_new ())->is_quiet = is_quiet;
}

/* ---- Flashes ---------------------------------------------------------------------------------- */

static guint
worst_of (const guint64 * states)
{
  guint worst = HISTO_FLASH_FAIL;

  while (worst > HISTO_FLASH_PASS && states[worst] == 0)
    worst--;
  return worst;
}

const gchar *
report_flash_state_name (guint state)
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

/* Returns: (transfer full) (element-type ReportNoticeSpan): when there are flashes, and their worst state */
GPtrArray *
report_answers_list_flashes (const ReportStreamSummary * stream)
{
  GPtrArray *spans = report_notice_spans_new ();

  for (guint i = 0; i < stream->flashes->len; i++) {
    const ReportFlashes *flashes = stream->flashes->pdata[i];

    report_notice_spans_add (spans, flashes->input, flashes->start,
        flashes->end)->word =
        report_flash_state_name (MAX (flashes->state, flashes->zones_state));
  }
  return spans;
}

static void
add_flashes (GPtrArray * answers, const ReportStreamSummary * stream)
{
  guint picture, zones;

  ReportAnswer *answer;

  if (!report_answers_flashes (stream, &picture, &zones))
    return;
  answer = add_answer (answers, "flashes", g_strdup_printf ("picture: %s, zones: %s (" REPORT_NOT_CERTIFIED ")",
          report_flash_state_name (picture), report_flash_state_name (zones)), report_answers_list_flashes (stream));
  answer->is_quiet = MAX (picture, zones) == HISTO_FLASH_PASS;
}

/* ---- Repeats ---------------------------------------------------------------------------------- */

/* So many periods of frames must have a cadence, beside those that it takes to know it: a few frames may recur by
 * chance. */
#define LEAST_PERIODS 4
/* It takes so long to know it. */
#define CADENCE_SECONDS 2

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

/* Returns: (transfer full) (nullable): "cadence: …", or "no steady cadence". NULL: no frames are repeated, or all are the same
 * and have none, or it is not known, of a short stream or of a few repeats */
gchar *
report_answer_cadence (const ReportStreamSummary * stream)
{
  const ReportRegion *picture = report_first_region (stream->regions);
  const HistoRange *repeat = picture != NULL ?
      &picture->figures[HISTO_GROUP_FIGURE_MOTION_repeat] : NULL;
  const gdouble rate = stream->stream->frame_rate;
  guint period = 0, unique = 0;
  const guint64 n = find_cadence (&stream->repeats, &period, &unique);
  GString *text;

  if (repeat == NULL || repeat->n == 0 || repeat->sum < 1 || (unique == 0 && n > 0))
    return NULL;
  if (n == 0 || n < LEAST_PERIODS * period || (period == 1 && unique == 1))
    return repeat->sum >= LEAST_PERIODS && repeat->sum < repeat->n && repeat->n >= CADENCE_SECONDS * rate ?
        g_strdup ("no steady cadence") : NULL;
  text = g_string_new (NULL);
  g_string_append_printf (text, "cadence: %u unique of %u", unique, period);
  for (guint i = 0; i < G_N_ELEMENTS (cadence_names); i++) {
    if (cadence_names[i].period == period && cadence_names[i].unique == unique)
      g_string_append_printf (text, " (%s)", cadence_names[i].name);
  }
  if (rate > 0)
    g_string_append_printf (text, ", %.6g in %.6g frames/s",
        rate * unique / period, rate);
  g_string_append_printf (text, ", at %" G_GUINT64_FORMAT " of %"
      G_GUINT64_FORMAT " frames", n, repeat->n);
  return g_string_free (text, FALSE);
}

/* Returns: (transfer full) (nullable): how many frames equal the one before; NULL: it was not measured */
gchar *
report_answer_repeats (const ReportStreamSummary * stream)
{
  g_autofree gchar *cadence = report_answer_cadence (stream);
  const ReportRegion *picture = report_first_region (stream->regions);
  const guint64 longest = stream->repeats.longest;
  const HistoRange *repeat, *near_repeat;
  GString *text;
  guint64 n, n_near;

  if (picture == NULL)
    return NULL;
  repeat = &picture->figures[HISTO_GROUP_FIGURE_MOTION_repeat];
  near_repeat = &picture->figures[HISTO_GROUP_FIGURE_MOTION_near_repeat];
  if (repeat->n == 0)
    return NULL;
  n = (guint64) repeat->sum;
  n_near = near_repeat->sum > repeat->sum ?
      (guint64) (near_repeat->sum - repeat->sum) : 0;
  text = g_string_new (NULL);
  if (n == 0)
    g_string_append (text, "none");
  else
    g_string_append_printf (text, "%" G_GUINT64_FORMAT " frame%s equal%s the "
        "one before", n, report_plural (n), n == 1 ? "s" : "");
  if (n > 1 && longest > 1)
    g_string_append_printf (text, ", at most %" G_GUINT64_FORMAT " in a row",
        longest);
  if (n > 0 && GST_CLOCK_TIME_IS_VALID (stream->repeats.longest_start)) {
    g_string_append (text, n == 1 || longest > 1 ? " at " : ", the first at ");
    report_append_time (text, stream->repeats.longest_start);
  }
  if (n_near > 0)
    g_string_append_printf (text, "; %" G_GUINT64_FORMAT " %s nearly equal to %s",
        n_near, n == 0 ? (n_near == 1 ? "frame is" : "frames are") :
        n_near == 1 ? "more is" : "more are",
        n == 0 ? "the one before" : "it");
  if (cadence != NULL)
    g_string_append_printf (text, "; %s", cadence);
  return g_string_free (text, FALSE);
}

/* ---- Sound ------------------------------------------------------------------------------------ */

/* @second: (nullable). Returns: (transfer full): "L and R" */
gchar *
report_name_channels (const ReportStream * stream, const gchar * first,
    const gchar * second)
{
  return g_strconcat (report_name_place (stream, first), second != NULL ?
      " and " : NULL, report_name_place (stream, second), NULL);
}

gboolean
report_sound_span_is (const ReportSoundSpan * span, ReportSoundState state,
    const gchar * first, const gchar * second)
{
  return span->state == state && g_str_equal (span->first, first)
      && g_strcmp0 (span->second, second) == 0;
}

/* Returns: how long these channels have the state, in seconds */
static gdouble
total_of (const GPtrArray * spans, ReportSoundState state, const gchar * first,
    const gchar * second)
{
  gdouble total = 0;

  for (guint i = 0; i < spans->len; i++) {
    const ReportSoundSpan *span = spans->pdata[i];

    if (report_sound_span_is (span, state, first, second))
      total += (gdouble) (span->end - span->start) / GST_SECOND;
  }
  return total;
}

static void
append_dead_channels (GString * text, const ReportStreamSummary * stream)
{
  guint n = 0;

  for (guint c = 0; c < stream->channels->len; c++) {
    g_autofree gchar *name = g_strdup_printf ("ch%u", c);

    if (report_answers_is_dead (stream, c))
      g_string_append_printf (text, "%s%s", n++ > 0 ? ", " : "", report_name_place (stream->stream, name));
  }
  if (n > 0 && n == stream->channels->len)
    g_string_assign (text, n == 1 ? "silent" : "all channels are silent");
  else if (n > 0)
    g_string_append (text, n == 1 ? " is silent" : " are silent");
}

static void
append_inverted_pair (GString * text, const ReportStreamSummary * stream,
    const ReportPair * pair)
{
  const gdouble total = total_of (stream->sound_spans.spans, REPORT_INVERTED,
      pair->first, pair->second);
  g_autofree gchar *names = NULL;
  HistoPairFigures figures;
  gboolean is_whole;

  report_pair_get_whole (pair, &figures);
  is_whole = figures.correlation <= HISTO_PAIR_INVERTED;
  if (!is_whole && total == 0)
    return;
  names = report_name_channels (stream->stream, pair->first, pair->second);
  g_string_append_printf (text, "%s%s are inverted",
      text->len > 0 ? "; " : "", names);
  if (!is_whole) {
    g_string_append (text, " for ");
    report_append_seconds (text, total);
  }
}

/* Returns: (transfer full) (nullable): which tracks are heard together, and who says it; NULL: it is one track, and heard */
gchar *
report_answer_programme (const ReportStreamSummary * stream)
{
  static const struct
  {
    const gchar *source, *text;
  } words[] = {
    {REPORT_BY_OPTION, "by --programme"},
    {REPORT_BY_CONTAINER, "by the positions that the file says"},
    {REPORT_BY_GUESS, "a guess: these are the only mono tracks, and have one rate and one length"},
  };
  const gchar *source = stream->stream->programme_source;
  const gchar *text = source;

  if (stream->is_spare)
    return g_strdup ("none: a spare track, silent from begin to end");
  if (stream->stream->programme == NULL)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    if (g_strcmp0 (source, words[i].source) == 0)
      text = words[i].text;
  }
  return g_strdup_printf ("track%s %s%s%s", strchr (stream->stream->programme, '+') != NULL ? "s" : "",
      stream->stream->programme, text != NULL ? ", " : "", text != NULL ? text : "");
}

static void
append_padding (GString * text, const ReportStreamSummary * stream,
    const ReportTrack * track, guint64 n, const gchar * what)
{
  if (n == 0)
    return;
  g_string_append_printf (text, "%strack %" G_GUINT64_FORMAT " %s %.3f s (%" G_GUINT64_FORMAT " sample%s)",
      text->len > 0 ? ", " : "", track->number, what,
      stream->stream->rate > 0 ? (gdouble) n / stream->stream->rate : 0, n, report_plural (n));
}

/* Returns: (transfer full) (nullable): where silence is in place of what a track of a programme does not hold; NULL: nowhere */
gchar *
report_answer_padding (const ReportStreamSummary * stream)
{
  GString *text = g_string_new (NULL);

  for (guint t = 0; t < stream->tracks->len; t++) {
    const ReportTrack *track = stream->tracks->pdata[t];

    append_padding (text, stream, track, track->n_before, "begins later by");
    append_padding (text, stream, track, track->n_between, "has gaps of");
    append_padding (text, stream, track, track->n_behind, "ends earlier by");
  }
  if (text->len > 0)
    g_string_append (text, ": silence is in its place");
  return g_string_free (text, text->len == 0);
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
  GString *text;

  /* That it is silent is no news. */
  if (stream->is_spare)
    return NULL;
  text = g_string_new (NULL);
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

/* Whether the first line of the stream reports the span. */
static gboolean
is_in_headline (const ReportStreamSummary * stream,
    const ReportSoundSpan * span)
{
  return span->state != REPORT_DUAL_MONO && span->start == 0
      && span->end + GST_MSECOND >= report_stream_summary_length (stream);
}

/* Returns: whether all windows of the channel are silent */
gboolean
report_answers_is_dead (const ReportStreamSummary * stream, guint channel)
{
  const HistoRange *silent = channel < stream->channels->len ?
      &((const ReportChannel *) stream->channels->pdata[channel])->levels[HISTO_LEVEL_FIGURE_silent] : NULL;

  return silent != NULL && silent->n > 0 && silent->min == 1;
}

/* Returns: whether it is known when which channel is silent */
gboolean
report_answers_know_channels (const ReportStreamSummary * stream)
{
  return stream->channels->len > 0
      && ((const ReportChannel *) stream->channels->pdata[0])->levels[HISTO_LEVEL_FIGURE_silent].n > 0;
}

/* A part of a span. */
typedef struct
{
  guint64 start, end;
} Piece;

/* Returns: (transfer full) (element-type Piece): when all channels are silent while this one is, in the order of time */
static GArray *
find_all_silent (const ReportStreamSummary * stream, const ReportSoundSpan * span)
{
  const Piece whole = { span->start, span->end };
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Piece));

  g_array_append_val (all, whole);
  for (guint c = 0; c < stream->channels->len && all->len > 0; c++) {
    GArray *both = g_array_new (FALSE, FALSE, sizeof (Piece));
    g_autofree gchar *name = g_strdup_printf ("ch%u", c);

    for (guint i = 0; i < all->len; i++) {
      const Piece *piece = &g_array_index (all, Piece, i);

      for (guint k = 0; k < stream->sound_spans.spans->len; k++) {
        const ReportSoundSpan *other = stream->sound_spans.spans->pdata[k];
        const Piece common = { MAX (piece->start, other->start), MIN (piece->end, other->end) };

        if (report_sound_span_is (other, REPORT_SILENT, name, NULL) && g_strcmp0 (other->input, span->input) == 0
            && common.start < common.end)
          g_array_append_val (both, common);
      }
    }
    g_array_unref (all);
    all = both;
  }
  return all;
}

static void
add_section (GPtrArray * sections, const ReportSoundSpan * span, guint64 start, guint64 end)
{
  ReportSoundSpan *section;

  if (end < start || end - start < (guint64) (HISTO_PAIR_SECONDS * GST_SECOND))
    return;
  section = report_objects_add_copy (sections, &report_sound_span_shape, span);
  section->start = start;
  section->end = end;
}

/**
 * report_answers_list_sound:
 * @has_whole: also those of the whole stream
 *
 * Returns: (transfer full) (element-type ReportSoundSpan): the times of at least 2 s with the state. A channel is silent for itself
 * only while another one is not: the alert `silence` reports the rest. The channel of low effects has nothing to say most of the
 * time.
 */
GPtrArray *
report_answers_list_sound (const ReportStreamSummary * stream, ReportSoundState state, gboolean has_whole)
{
  const GPtrArray *spans = stream->sound_spans.spans;
  GPtrArray *sections = report_objects_new ();

  for (guint i = 0; i < spans->len; i++) {
    const ReportSoundSpan *span = spans->pdata[i];
    g_autoptr (GArray) all = NULL;
    guint64 from = span->start;

    if (span->state != state || (!has_whole && is_in_headline (stream, span))
        || (state == REPORT_SILENT && g_str_has_prefix (report_name_place (stream->stream, span->first), "LFE")))
      continue;
    if (state == REPORT_SILENT)
      all = find_all_silent (stream, span);
    for (guint k = 0; all != NULL && k < all->len; k++) {
      const Piece *piece = &g_array_index (all, Piece, k);

      add_section (sections, span, from, piece->start);
      from = piece->end;
    }
    add_section (sections, span, from, span->end);
  }
  return sections;
}

/* Returns: (transfer full): the channels, and how long they have the state */
gchar *
report_answers_add_up_sound (const ReportStream * stream, const GPtrArray * spans)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < spans->len; i++) {
    const ReportSoundSpan *span = spans->pdata[i];
    g_autofree gchar *name = NULL;
    guint first = 0;

    while (!report_sound_span_is (spans->pdata[first], span->state, span->first,
            span->second))
      first++;
    if (first < i)
      continue;
    name = report_name_channels (stream, span->first, span->second);
    g_string_append_printf (text, "%s%s for ", i > 0 ? ", " : "", name);
    report_append_seconds (text, total_of (spans, span->state, span->first,
            span->second));
  }
  return g_string_free (text, FALSE);
}

/* A line for a state: which channels have it how long, and when. */
static void
add_sound (GPtrArray * answers, const ReportStreamSummary * stream,
    ReportSoundState state, const gchar * label)
{
  g_autoptr (GPtrArray) found = report_answers_list_sound (stream, state, FALSE);
  GPtrArray *spans;

  if (found->len == 0)
    return;
  spans = report_notice_spans_new ();
  for (guint i = 0; i < found->len; i++) {
    const ReportSoundSpan *span = found->pdata[i];

    report_notice_spans_add (spans, span->input, span->start, span->end)->what =
        report_name_channels (stream->stream, span->first, span->second);
  }
  add_answer (answers, label, report_answers_add_up_sound (stream->stream, found), spans);
}

/* ---- Timestamps ------------------------------------------------------------------------------- */

/* Three digits, but no exponent. */
static void
append_frame_rate (GString * text, const gchar * lead, gdouble distance)
{
  const gdouble rate = GST_SECOND / distance;

  g_string_append_printf (text, rate < 999.5 ? "%s%.3g" : "%s%.0f", lead, rate);
}

/* What the distances of timestamps are, and is no fault. */
static void
append_frame_rates (GString * text, const ReportTimestamps * timestamps)
{
  const HistoRange *distances = &timestamps->distances;

  if (distances->n > 0) {
    append_frame_rate (text, "variable frame rate: ", distances->max);
    append_frame_rate (text, " to ", distances->min);
    append_frame_rate (text, ", mean ", histo_range_mean (distances));
  }
  if (timestamps->n_shifted > 0)
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT " time%s shifted by at "
        "most one frame", text->len > 0 ? "; " : "", timestamps->n_shifted,
        timestamps->n_shifted == 1 ? " is" : "s are");
}

/* So few times show no rate. */
#define LEAST_TIMES 10
/* A constant rate that is not the one of the caps, by more than this share. */
#define MOST_WRONG_RATE 0.01

/* Returns: whether pictures have a constant rate, at which it shows that one is missing */
gboolean
report_answers_know_rate (const ReportStreamSummary * stream)
{
  const ReportTimestamps *timestamps = &stream->timestamps;

  return timestamps->n_buffers > LEAST_TIMES && timestamps->n_untimed == 0 && timestamps->distances.n == 0;
}

/* Returns: the rate by the times of the frames, if it is constant and another one than that of the caps; else 0 */
gdouble
report_answers_mean_rate (const ReportStreamSummary * stream)
{
  const gdouble mean = stream->mean_frame_rate;

  return mean > 0 && stream->timestamps.distances.n == 0
      && fabs (mean - stream->stream->frame_rate) > MOST_WRONG_RATE * mean ? mean : 0;
}

/* Returns: (transfer full): "2 gaps of 14 frames" */
gchar *
report_answer_time_fault (const ReportStreamSummary * stream, ReportTimeFault fault)
{
  static const gchar *const words[REPORT_N_TIME_FAULTS][2] = {
    [REPORT_GAP] = {"gap", "gaps"},
    [REPORT_OVERLAP] = {"overlap", "overlaps"},
    [REPORT_JUMP_BACK] = {"jump back", "jumps back"}
  };
  const ReportTimestamps *timestamps = &stream->timestamps;
  const guint64 n = timestamps->n[fault], length = timestamps->gap_length;

  return fault != REPORT_GAP ? g_strdup_printf ("%" G_GUINT64_FORMAT " %s", n, words[fault][n != 1]) :
      g_strdup_printf ("%" G_GUINT64_FORMAT " %s of %" G_GUINT64_FORMAT " %s%s", n, words[fault][n != 1], length,
      stream->stream->is_audio ? "sample" : "frame", report_plural (length));
}

/**
 * report_answers_list_times:
 * @fault: REPORT_N_TIME_FAULTS: all of them
 *
 * Returns: (transfer full) (element-type ReportNoticeSpan): the first times, each with the name of its fault
 */
GPtrArray *
report_answers_list_times (const ReportStreamSummary * stream,
    ReportTimeFault fault)
{
  const GPtrArray *places = stream->timestamps.places;
  GPtrArray *spans = report_notice_spans_new ();

  for (guint i = 0; i < places->len; i++) {
    const ReportTimePlace *place = places->pdata[i];
    ReportNoticeSpan *span;

    if (fault != REPORT_N_TIME_FAULTS && fault != place->fault)
      continue;
    span = report_notice_spans_add (spans, place->input, place->start,
        place->end);
    span->is_moment = !GST_CLOCK_TIME_IS_VALID (place->end);
    span->what = g_strdup (report_time_fault_names[place->fault]);
  }
  return spans;
}

static void
add_timestamps (GPtrArray * answers, const ReportStreamSummary * stream)
{
  const ReportTimestamps *timestamps = &stream->timestamps;
  const guint64 *n = timestamps->n;
  /* Some decoders do not pass times on. */
  const gboolean has_no_times = !stream->stream->is_audio && !stream->is_merged
      && n[REPORT_OVERLAP] > 1 && n[REPORT_OVERLAP] + 1 == timestamps->n_buffers
      && n[REPORT_GAP] + n[REPORT_JUMP_BACK] + timestamps->n_untimed == 0
      && stream->end - stream->start <= 2 * GST_SECOND / MAX (1,
      stream->stream->frame_rate);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) faults = g_string_new (NULL);
  ReportAnswer *answer;
  guint64 n_faults = 0;

  append_frame_rates (text, timestamps);
  for (guint i = 0; i < REPORT_N_TIME_FAULTS; i++) {
    g_autofree gchar *fault = report_answer_time_fault (stream, i);

    n_faults += n[i];
    if (n[i] > 0)
      g_string_append_printf (faults, "%s%s", faults->len > 0 ? ", " : "",
          has_no_times ? "all frames have the same time" : fault);
  }
  if (timestamps->n_untimed > 0)
    g_string_append_printf (faults, "%s%" G_GUINT64_FORMAT " missing",
        faults->len > 0 ? ", " : "", timestamps->n_untimed);
  if (faults->len > 0)
    g_string_append_printf (text, "%s%s", text->len > 0 ? "; " : "", faults->str);
  if (text->len == 0)
    return;
  answer = add_answer (answers, "timestamps", g_strdup (text->str),
      has_no_times ? report_notice_spans_new () :
      report_answers_list_times (stream, REPORT_N_TIME_FAULTS));
  if (!has_no_times)
    answer->n_more = n_faults - MIN (n_faults, answer->spans->len);
}

/**
 * report_answers_find:
 *
 * Returns: (transfer full) (element-type ReportAnswer): what there is to report of the whole stream beside its field order
 */
GPtrArray *
report_answers_find (const ReportStreamSummary * stream)
{
  GPtrArray *answers = g_ptr_array_new_with_free_func (answer_free);

  if (!stream->stream->is_audio) {
    const gdouble mean = report_answers_mean_rate (stream);
    g_autofree gchar *cadence = report_answer_cadence (stream);

    add_text (answers, "HDR metadata", report_hdr_answer (stream), FALSE);
    add_flashes (answers, stream);
    add_text (answers, "repeats", report_answer_repeats (stream), cadence == NULL);
    add_text (answers, "frame rate", mean == 0 ? NULL : g_strdup_printf ("mean %.6g "
            "frames/s, by the times of the frames", mean), FALSE);
  } else {
    add_text (answers, "programme", report_answer_programme (stream), FALSE);
    add_sound (answers, stream, REPORT_SILENT, "silent");
    add_sound (answers, stream, REPORT_INVERTED, "inverted");
    add_sound (answers, stream, REPORT_DUAL_MONO, "dual mono");
  }
  add_timestamps (answers, stream);
  return answers;
}
