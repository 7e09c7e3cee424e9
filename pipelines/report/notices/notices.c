/* What a person acts on, from the summary of an input and from what its policies say.
 *
 * Each function here looks for one fault, and says it in one sentence.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "notices/notices.h"

#include "notices/verdict-line.h"

#include <math.h>
#include <string.h>

#include "base/describe.h"
#include "cudahisto/alert-words.h"
#include "facts/programmes.h"
#include "result/alerts.h"
#include "summary/alerts.h"
#include "summary/answers.h"
#include "summary/hdr.h"
#include "summary/notice.h"

typedef struct
{
  const ReportSummary *summary;
  GPtrArray *notices;           /* (element-type ReportNotice) */
  const ReportStreamSummary *stream;    /* the one that is looked at */
  gint index;                   /* of it */
  gchar *lead;                  /* names the stream, if there are others of its medium; else empty */
  const gchar *region;          /* the one that is looked at; NULL: the whole picture, or no picture */
  guint watched;                /* flags of what was looked for */
  gboolean goes_on;             /* the input has not ended: what only its end can show is not looked for */
} Finder;

/* The severity of what figures show and no other part of the report has: a warning. */
#define HINT REPORT_N_SEVERITIES
/* So many changes of a stream are named. */
#define MOST_CHANGES 3

static ReportNotice *add (Finder * finder, ReportCheck check,
    ReportSeverity severity, const gchar * format, ...) G_GNUC_PRINTF (4, 5);

/* Adds a notice of the stream. @format: of its text */
static ReportNotice *
add (Finder * finder, ReportCheck check, ReportSeverity severity,
    const gchar * format, ...)
{
  g_autofree gchar *text = NULL;
  ReportNotice *notice;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  notice = report_notices_add (finder->notices, check,
      severity == HINT ? REPORT_SEVERITY_WARN : severity, finder->index,
      g_strconcat (finder->lead, finder->region != NULL ? finder->region : "",
          finder->region != NULL ? ": " : "", text, NULL));
  notice->region = g_strdup (finder->region);
  if (severity == HINT)
    notice->hint = notice->text + strlen (finder->lead);
  return notice;
}

static void set_brief (Finder * finder, ReportNotice * notice, const gchar * format, ...) G_GNUC_PRINTF (3, 4);

/* Says the notice in a few words, without its times. @format: of them */
static void
set_brief (Finder * finder, ReportNotice * notice, const gchar * format, ...)
{
  g_autofree gchar *words = NULL;
  va_list arguments;

  va_start (arguments, format);
  words = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  notice->brief = g_strconcat (finder->lead, finder->region != NULL ? finder->region : "",
      finder->region != NULL ? ": " : "", words, NULL);
}

/* A fault of this kind would have been found. */
static void
watch (Finder * finder, ReportCheck check)
{
  finder->watched |= REPORT_CHECK_FLAG (check);
}

/* @spans: (transfer full): the first of those whose time is known become those of the notice */
static void
take_spans (ReportNotice * notice, GPtrArray * spans)
{
  for (guint i = spans->len; i-- > 0;) {
    const ReportNoticeSpan *span = spans->pdata[i];

    if (!GST_CLOCK_TIME_IS_VALID (span->start))
      g_ptr_array_remove_index (spans, i);
  }
  if (spans->len > REPORT_MOST_NOTICE_SPANS)
    g_ptr_array_set_size (spans, REPORT_MOST_NOTICE_SPANS);
  g_ptr_array_unref (notice->spans);
  notice->spans = spans;
}

static void
set_value (ReportNotice * notice, gdouble value, gdouble limit,
    const gchar * unit)
{
  notice->value = value;
  notice->limit = limit;
  notice->unit = unit;
}

/* Sets the only span of a notice whose words say the time. */
static void
set_told_span (ReportNotice * notice, guint64 start, guint64 end)
{
  report_notice_spans_add (notice->spans, NULL, start, end);
  notice->tells_time = TRUE;
}

/* ---- Sound ------------------------------------------------------------------------------------ */

/* A DC offset that is reported, as a share of full scale: -40 dB. */
#define LEAST_OFFSET 0.01
/* Pairs of channels below this are called opposite. Those of music are mostly above 0. */
#define OPPOSITE -0.5

static gboolean
is_watched (const Finder * finder, HistoAlert type)
{
  return (finder->summary->alerts & HISTO_ALERT_FLAG (type)) != 0
      || report_alerts_add_up (finder->summary, finder->stream, type).n > 0;
}

/* Channels that are silent from begin to end. The alert is for all channels together; this is for some of them. */
static void
look_for_silence (Finder * finder)
{
  const ReportStreamSummary *stream = finder->stream;
  const ReportRegion *region = report_first_region (stream->regions);
  const guint n = region != NULL ? region->components->len : 0;
  const gdouble most = pow (10, report_alerts_find_setting (finder->summary,
          "silence-level", HISTO_SILENCE_LEVEL) / 20);
  g_autoptr (GString) names = g_string_new (NULL);
  guint silent = 0;

  if (finder->stream->is_spare || n == 0)
    return;
  for (guint c = 0; c < n; c++) {
    const ReportComponent *component = region->components->pdata[c];

    if (!report_answers_is_dead (stream, c) && !(report_figures_peak (&component->figures) <= most))
      continue;
    g_string_append_printf (names, "%s%s", silent > 0 ? ", " : "",
        report_name_place (stream->stream, component->name));
    silent++;
  }
  if (silent > 0 && (silent < n || !is_watched (finder, HISTO_ALERT_SILENCE)))
    add (finder, silent < n ? REPORT_CHECK_DEAD_CHANNELS : REPORT_CHECK_SILENCE,
        HINT, "%s %s silent from begin to end", names->str,
        silent == 1 ? "is" : "are");
}

/* Channels that are silent for a while beside others that are not: one notice for all. */
static void
look_for_silent_sections (Finder * finder)
{
  const ReportStreamSummary *stream = finder->stream;
  g_autoptr (GPtrArray) sections = NULL;
  g_autofree gchar *channels = NULL;
  g_autoptr (GString) names = g_string_new (NULL);
  g_autoptr (GPtrArray) named = g_ptr_array_new ();
  GPtrArray *spans;
  ReportNotice *notice;
  guint64 longest = 0;

  if (stream->is_spare || !report_answers_know_channels (stream))
    return;
  if (stream->channels->len > 1)
    watch (finder, REPORT_CHECK_DEAD_CHANNELS);
  sections = report_answers_list_sound (stream, REPORT_SILENT, finder->goes_on);
  if (sections->len == 0)
    return;
  channels = report_answers_add_up_sound (stream->stream, sections);
  spans = report_notice_spans_new ();
  for (guint i = 0; i < sections->len; i++) {
    const ReportSoundSpan *section = sections->pdata[i];

    report_notice_spans_add (spans, section->input, section->start, section->end)->what =
        g_strdup (report_name_place (stream->stream, section->first));
    longest = MAX (longest, section->end - section->start);
    if (g_ptr_array_find_with_equal_func (named, section->first, g_str_equal, NULL))
      continue;
    g_string_append_printf (names, "%s%s", named->len > 0 ? ", " : "", report_name_place (stream->stream, section->first));
    g_ptr_array_add (named, section->first);
  }
  notice = add (finder, REPORT_CHECK_DEAD_CHANNELS, REPORT_SEVERITY_WARN, "silent beside channels that are not: %s", channels);
  set_value (notice, (gdouble) longest / GST_SECOND, HISTO_PAIR_SECONDS, "s");
  set_brief (finder, notice, "%s silent", names->str);
  take_spans (notice, spans);
}

/* Samples that are no numbers: what is computed from them is none, either. */
static void
look_for_numbers (Finder * finder)
{
  const ReportRegion *region = report_first_region (finder->stream->regions);
  g_autoptr (GString) names = g_string_new (NULL);
  guint64 n = 0;

  for (guint c = 0; region != NULL && c < region->components->len; c++) {
    const ReportComponent *component = region->components->pdata[c];
    const guint64 wrong = component->figures.nan + component->figures.inf;

    if (component->group != HISTO_GROUP_BASIC || wrong == 0)
      continue;
    g_string_append_printf (names, "%s%s", n > 0 ? ", " : "",
        report_name_place (finder->stream->stream, component->name));
    n += wrong;
  }
  if (n > 0)
    set_value (add (finder, REPORT_CHECK_NUMBERS, REPORT_SEVERITY_WARN, "%s: %" G_GUINT64_FORMAT " sample%s NaN or infinite",
            names->str, n, n == 1 ? " is" : "s are"), (gdouble) n, 0, "samples");
}

static void
look_for_offset (Finder * finder)
{
  const ReportStream *stream = finder->stream->stream;
  const ReportRegion *region = report_first_region (finder->stream->regions);

  for (guint c = 0; region != NULL && c < region->components->len; c++) {
    const ReportComponent *component = region->components->pdata[c];
    const gdouble offset = report_figures_share (&component->figures,
        component->figures.mean);

    if (fabs (offset) >= LEAST_OFFSET)
      set_value (add (finder, REPORT_CHECK_OFFSETS, HINT, "%s has a DC offset of "
              "%.1f %% of full scale", report_name_place (stream,
                  component->name), 100 * offset), offset, LEAST_OFFSET, "share");
  }
}

/* Returns: (transfer full) (element-type ReportNoticeSpan): when the pair is inverted */
static GPtrArray *
list_inverted (const ReportSoundSpans * all, const ReportPair * pair)
{
  GPtrArray *spans = report_notice_spans_new ();

  for (guint i = 0; i < all->spans->len; i++) {
    const ReportSoundSpan *span = all->spans->pdata[i];

    if (report_sound_span_is (span, REPORT_INVERTED, pair->first, pair->second))
      report_notice_spans_add (spans, span->input, span->start, span->end);
  }
  return spans;
}

/* Pairs that are opposite as a whole, or in sections. That a channel is silent, or that two are the same, may be meant. */
static void
look_for_opposite_phase (Finder * finder)
{
  const ReportStreamSummary *stream = finder->stream;

  if (stream->pairs->len > 0)
    watch (finder, REPORT_CHECK_INVERTED_CHANNELS);
  for (guint i = 0; i < stream->pairs->len; i++) {
    const ReportPair *pair = stream->pairs->pdata[i];
    g_autofree gchar *names =
        report_name_channels (stream->stream, pair->first, pair->second);
    GPtrArray *spans = list_inverted (&stream->sound_spans, pair);
    ReportNotice *notice = NULL;
    HistoPairFigures figures;

    report_pair_get_whole (pair, &figures);
    if (!finder->goes_on && figures.correlation < OPPOSITE) {
      notice = add (finder, REPORT_CHECK_INVERTED_CHANNELS, HINT, "%s are opposite in "
          "phase: their correlation is %.2f", names, figures.correlation);
      set_value (notice, figures.correlation, OPPOSITE, NULL);
      set_brief (finder, notice, "%s opposite in phase", names);
    } else if (spans->len > 0) {
      notice = add (finder, REPORT_CHECK_INVERTED_CHANNELS, REPORT_SEVERITY_WARN,
          "%s are inverted in %u section%s", names, spans->len,
          report_plural (spans->len));
      set_brief (finder, notice, "%s inverted", names);
    }
    if (notice != NULL) {
      notice->which = g_strdup (names);
      take_spans (notice, spans);
    } else {
      g_ptr_array_unref (spans);
    }
  }
}

static void
look_for_clipping (Finder * finder)
{
  gdouble runs = 0;

  if (is_watched (finder, HISTO_ALERT_CLIPPING))
    return;
  for (guint i = 0; i < finder->stream->parts->len; i++) {
    const ReportPart *part = finder->stream->parts->pdata[i];

    for (guint c = 0; c < part->channels->len; c++) {
      const HistoRange *clipped = &((const ReportChannel *) part->channels->pdata[c])->levels[HISTO_LEVEL_FIGURE_clipped_runs];

      runs += clipped->sum;
      if (clipped->n > 0)
        watch (finder, REPORT_CHECK_CLIPPING);
    }
  }
  if (runs > 0)
    set_brief (finder, add (finder, REPORT_CHECK_CLIPPING, HINT, "%.0f run%s of samples at full "
            "scale; --alerts=clipping tells when", runs, runs == 1 ? "" : "s"), "%.0f clipped run%s", runs,
        runs == 1 ? "" : "s");
}

/* Holes of several channels at one time are one.
 *
 * Returns: (transfer none): the span that the hole belongs to */
static ReportNoticeSpan *
find_hole (GPtrArray * spans, const ReportShortFault * fault)
{
  for (guint i = spans->len; i-- > 0;) {
    ReportNoticeSpan *span = spans->pdata[i];

    if (span->start < fault->end && fault->start < span->end && g_strcmp0 (span->input, fault->input) == 0)
      return span;
  }
  return report_notice_spans_add (spans, fault->input, fault->start, fault->end);
}

/* Adds the channels' names to the span, unless all have the hole. */
static void
name_hole (const Finder * finder, ReportNoticeSpan * span)
{
  const GPtrArray *faults = finder->stream->short_faults.faults;
  const ReportRegion *region = report_first_region (finder->stream->regions);
  g_autoptr (GPtrArray) channels = g_ptr_array_new ();
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < faults->len; i++) {
    const ReportShortFault *fault = faults->pdata[i];

    if (fault->kind != REPORT_HOLE || fault->channel == NULL || span->start >= fault->end || fault->start >= span->end
        || g_strcmp0 (fault->input, span->input) != 0
        || g_ptr_array_find_with_equal_func (channels, fault->channel, g_str_equal, NULL))
      continue;
    g_string_append_printf (names, "%s%s", channels->len > 0 ? ", " : "",
        report_name_place (finder->stream->stream, fault->channel));
    g_ptr_array_add (channels, fault->channel);
  }
  if (channels->len > 0 && region != NULL && channels->len < region->components->len)
    span->what = g_strdup (names->str);
}

/* One notice for all holes. */
static void
look_for_holes (Finder * finder)
{
  const GPtrArray *faults = finder->stream->short_faults.faults;
  GPtrArray *spans = report_notice_spans_new ();
  const ReportShortFault *longest = NULL;
  const gchar *names = NULL;    /* of all spans */
  g_autofree gchar *what = NULL;
  ReportNotice *notice;
  guint n;

  for (guint i = 0; i < finder->stream->parts->len; i++) {
    const GPtrArray *channels = ((const ReportPart *) finder->stream->parts->pdata[i])->channels;

    if (channels->len > 0 && ((const ReportChannel *) channels->pdata[0])->levels[HISTO_LEVEL_FIGURE_holes].n > 0)
      watch (finder, REPORT_CHECK_HOLES);
  }
  for (guint i = 0; i < faults->len; i++) {
    const ReportShortFault *fault = faults->pdata[i];
    ReportNoticeSpan *span;

    if (fault->kind != REPORT_HOLE)
      continue;
    span = find_hole (spans, fault);
    span->start = MIN (span->start, fault->start);
    span->end = MAX (span->end, fault->end);
    if (longest == NULL || fault->end - fault->start > longest->end - longest->start)
      longest = fault;
  }
  n = spans->len;
  if (n == 0) {
    g_ptr_array_unref (spans);
    return;
  }
  for (guint i = 0; i < MIN (n, REPORT_MOST_NOTICE_SPANS); i++) {
    ReportNoticeSpan *span = spans->pdata[i];

    name_hole (finder, span);
    names = i == 0 || g_strcmp0 (names, span->what) == 0 ? span->what : NULL;
  }
  what = g_strdup_printf ("%u hole%s in the sound%s%s", n, report_plural (n), names != NULL ? " of " : "",
      names != NULL ? names : "");
  notice = add (finder, REPORT_CHECK_HOLES, REPORT_SEVERITY_WARN, "%s: samples are exactly 0 for %.3f s%s, between sound "
      "above -40 dBFS", what, (gdouble) (longest->end - longest->start) / GST_SECOND, n > 1 ? " at most" : "");
  set_value (notice, (gdouble) (longest->end - longest->start) / GST_SECOND, NAN, "s");
  notice->value_time = longest->input != NULL ? GST_CLOCK_TIME_NONE : longest->start;
  set_brief (finder, notice, "%s", what);
  notice->n_told = n;
  take_spans (notice, spans);
}

/* How tracks were joined. */
static void
look_at_programme (Finder * finder)
{
  g_autofree gchar *programme = report_answer_programme (finder->stream);
  g_autofree gchar *padding = report_answer_padding (finder->stream);

  if (programme != NULL && g_strcmp0 (finder->stream->stream->programme_source, REPORT_BY_GUESS) == 0)
    add (finder, REPORT_CHECK_PROGRAMMES, REPORT_SEVERITY_NOTE, "measured together: %s", programme);
  if (padding != NULL)
    add (finder, REPORT_CHECK_PADDING, HINT, "%s", padding);
}

static void
look_at_positions (Finder * finder)
{
  if (report_stream_is_unplaced (finder->stream->stream)
      && finder->stream->loudness[HISTO_LOUDNESS_FIGURE_integrated].n > 0)
    set_brief (finder, add (finder, REPORT_CHECK_POSITIONS, HINT, "the loudness is uncertain: nobody says where "
            "the %d channels stand", finder->stream->stream->channels), "loudness uncertain, positions unknown");
}

/* Between its samples the signal is above full scale: a converter, or a lossy encoder, clips it. */
static void
look_at_true_peak (Finder * finder)
{
  const ReportStreamSummary *stream = finder->stream;
  g_autoptr (GString) names = g_string_new (NULL);
  gdouble most = 0;
  ReportNotice *notice;

  for (guint c = 0; c < stream->channels->len; c++) {
    const gdouble peak =
        ((const ReportChannel *) stream->channels->pdata[c])->arrays[HISTO_LOUDNESS_FIGURE_true_peak];
    g_autofree gchar *name = g_strdup_printf ("ch%u", c);

    if (!isnan (peak))
      watch (finder, REPORT_CHECK_TRUE_PEAK);
    if (!(peak > 0))
      continue;
    g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "",
        report_name_place (stream->stream, name));
    most = fmax (most, peak);
  }
  if (!(most > 0))
    return;
  notice = add (finder, REPORT_CHECK_TRUE_PEAK, REPORT_SEVERITY_WARN,
      "%s: the true peak is above full scale, at most %.2f dBTP", names->str, most);
  set_value (notice, most, 0, "dBTP");
  set_brief (finder, notice, "true peak %.2f dBTP", most);
}

/* ---- Picture ---------------------------------------------------------------------------------- */

/* The element's default: this says what its alert `range` would say. */
#define RANGE_RATIO 0.01

static void
look_for_flashes (Finder * finder)
{
  const ReportStreamSummary *stream = finder->stream;
  g_autofree gchar *names = NULL;
  guint32 where = 0;
  guint picture, zones;
  ReportNotice *notice;

  if (!report_answers_flashes (stream, &picture, &zones))
    return;
  watch (finder, REPORT_CHECK_FLASHES);
  if (MAX (picture, zones) == HISTO_FLASH_PASS)
    return;
  for (guint i = 0; i < stream->flashes->len && zones >= picture; i++) {
    const ReportFlashes *flashes = stream->flashes->pdata[i];

    where |= flashes->zones_state == zones ? flashes->zones : 0;
  }
  names = report_describe_zones (where);
  if (zones == picture || where == 0)
    notice = add (finder, REPORT_CHECK_FLASHES, HINT, "%s flashes: %s (" REPORT_NOT_CERTIFIED ")",
        zones > picture ? "a part of the picture" : "the picture", report_flash_state_name (MAX (picture, zones)));
  else
    notice = add (finder, REPORT_CHECK_FLASHES, HINT, "a part of the picture (%s) flashes: %s (" REPORT_NOT_CERTIFIED ")",
        names, report_flash_state_name (zones));
  notice->zones = where;
  set_brief (finder, notice, "flashes%s: %s", zones > picture ? " in a part of the picture" : "",
      report_flash_state_name (MAX (picture, zones)));
  take_spans (notice, report_answers_list_flashes (stream));
}

static void
look_at_field_order (Finder * finder)
{
  const gchar *declared = finder->stream->field_order;
  const gchar *order = report_answers_field_order (finder->stream);
  g_autofree gchar *answer = report_answer_field_order (finder->stream);

  if (order == NULL || declared == NULL)
    return;
  watch (finder, REPORT_CHECK_FIELD_ORDER);
  if (!report_field_orders_agree (declared, order))
    set_brief (finder, add (finder, REPORT_CHECK_FIELD_ORDER, HINT, "the field order is %s", answer),
        "looks %s, declared %s", order, declared);
}

/* Faults of single frames: one notice for all of a kind. */
static void
look_at_short_faults (Finder * finder)
{
  static const struct
  {
    const gchar *one, *several;
  } words[REPORT_HOLE] = {
    [REPORT_BLACK_FRAMES] = {"black frame", "black frames"},
    [REPORT_WHITE_FRAMES] = {"white frame", "white frames"},
    [REPORT_ODD_FRAME] = {"frame unlike its neighbours, which are alike", "frames unlike their neighbours, which are alike"},
    [REPORT_LONE_REPEAT] = {"frame equals the one before, and no other near it does",
        "frames equal the one before, and no other near them does"}
  };
  static const gchar *const briefs[REPORT_HOLE] = { "black frame", "white frame", "odd frame", "lone repeat" };
  const GPtrArray *faults = finder->stream->short_faults.faults;
  const ReportRegion *region = report_first_region (finder->stream->regions);

  if (region != NULL && region->figures[HISTO_GROUP_FIGURE_MOTION_repeat].n > 0)
    watch (finder, REPORT_CHECK_SHORT_FAULTS);
  for (guint kind = 0; kind < REPORT_HOLE; kind++) {
    GPtrArray *spans = report_notice_spans_new ();
    guint64 n = 0;

    for (guint i = 0; i < faults->len; i++) {
      const ReportShortFault *fault = faults->pdata[i];

      if (fault->kind != kind)
        continue;
      n += fault->count;
      report_notice_spans_add (spans, fault->input, fault->start, fault->end);
    }
    if (n > 0) {
      ReportNotice *notice = add (finder, REPORT_CHECK_SHORT_FAULTS, REPORT_SEVERITY_WARN, "%" G_GUINT64_FORMAT " %s", n,
          n == 1 ? words[kind].one : words[kind].several);

      set_value (notice, (gdouble) n, NAN, "frames");
      set_brief (finder, notice, "%" G_GUINT64_FORMAT " %s%s", n, briefs[kind], report_plural (n));
      notice->n_told = n;
      notice->which = g_strdup (briefs[kind]);
      take_spans (notice, spans);
    } else {
      g_ptr_array_unref (spans);
    }
  }
}

/* Repeated frames with a steady cadence come from another frame rate; without one, frames may have been lost. */
static void
look_at_repeats (Finder * finder)
{
  const ReportRepeats *repeats = &finder->stream->repeats;
  g_autofree gchar *answer = report_answer_repeats (finder->stream);
  g_autofree gchar *cadence = report_answer_cadence (finder->stream);
  ReportNotice *notice;

  if (cadence == NULL)
    return;
  notice = add (finder, g_str_has_prefix (cadence, "no") ? REPORT_CHECK_REPEATS :
      REPORT_CHECK_CADENCES, REPORT_SEVERITY_NOTE, "%s", answer);
  set_value (notice, repeats->longest, NAN, "frames");
  notice->value_time = repeats->longest_start;
}

/* The rate is all that is known of what a file says twice. Gaps are faults of their own, and make the rate by the times
 * lower. */
static void
look_at_rate (Finder * finder)
{
  const guint64 *faults = finder->stream->timestamps.n;
  const gdouble said = finder->stream->stream->frame_rate;
  const gdouble mean = report_answers_mean_rate (finder->stream);
  ReportNotice *notice;

  if (!(said > 0 && mean > 0)
      || faults[REPORT_GAP] + faults[REPORT_OVERLAP] + faults[REPORT_JUMP_BACK] > 0)
    return;
  notice = add (finder, REPORT_CHECK_CONTRADICTIONS, REPORT_SEVERITY_WARN,
      "the stream says %.6g frames/s, and by the times of its frames it has %.6g", said, mean);
  set_value (notice, mean, said, "frames/s");
  set_brief (finder, notice, "%.6g frames/s, declared %.6g", mean, said);
}

/* Container and bitstream say two things of one fact; the stream is measured by the second. */
static void
look_at_facts (Finder * finder)
{
  const GPtrArray *facts = finder->stream->facts;

  for (guint i = 0; i < facts->len; i++) {
    const ReportFact *fact = facts->pdata[i];

    if (fact->container != NULL && fact->bitstream != NULL)
      set_brief (finder, add (finder, REPORT_CHECK_CONTRADICTIONS, HINT,
              "%s: the container says %s, the bitstream %s, by which it was measured",
              fact->name, fact->container, fact->bitstream), "%s: container %s, bitstream %s", fact->name,
          fact->container, fact->bitstream);
  }
}

static void
look_at_gamut (Finder * finder, const ReportRegion * region)
{
  ReportNotice *notice;

  if (region->figures[HISTO_GROUP_FIGURE_GAMUT_FILTER_any].n > 0)
    watch (finder, REPORT_CHECK_GAMUT);
  if (region->r103.n_above == 0)
    return;
  notice = add (finder, REPORT_CHECK_GAMUT, HINT, "in the worst frame %.1f %% of "
      "the pixels are outside of EBU R 103, which allows %g %%",
      100 * region->r103.worst, 100 * HISTO_R103_ALLOWED);
  set_value (notice, region->r103.worst, HISTO_R103_ALLOWED, "share of pixels");
  if (region->r103.worst_frame == G_MAXUINT64 || finder->summary->n_inputs != 1) {
    set_brief (finder, notice, "R 103 gamut %.1f %% of a frame", 100 * region->r103.worst);
    return;
  }
  notice->value_time = region->r103.worst_time;
  set_brief (finder, notice, "R 103 gamut %.1f %% of frame %" G_GUINT64_FORMAT, 100 * region->r103.worst,
      region->r103.worst_frame);
}

static void
look_at_range (Finder * finder, const ReportRegion * region)
{
  const gdouble least = report_alerts_find_setting (finder->summary,
      "range-ratio", RANGE_RATIO);
  const HistoRange *brng = &region->figures[HISTO_GROUP_FIGURE_SIGNAL_brng];
  const ReportWorst *worst = &region->worst_range;
  g_autoptr (GString) text = g_string_new (NULL);
  ReportNotice *notice;

  if (is_watched (finder, HISTO_ALERT_RANGE)
      || !report_stream_is_limited (finder->stream->stream) || brng->n == 0)
    return;
  watch (finder, REPORT_CHECK_RANGE);
  if (brng->max < least)
    return;
  report_append_share (text, histo_range_mean (brng), 1);
  g_string_append (text, " of the pixels are out of the limited range");
  if (brng->n > 1) {
    g_string_append (text, ", in a frame at most ");
    report_append_share (text, brng->max, 1);
  }
  notice = add (finder, REPORT_CHECK_RANGE, HINT, "%s; --alerts=range tells when", text->str);
  set_value (notice, brng->max, least, "share of pixels");
  if (worst->frame == G_MAXUINT64 || finder->summary->n_inputs != 1) {
    set_brief (finder, notice, "out of the limited range: %.1f %% of %s", 100 * brng->max,
        brng->n > 1 ? "a frame" : "the pixels");
    return;
  }
  notice->value_time = worst->time;
  set_brief (finder, notice, "out of the limited range: %.1f %% of frame %" G_GUINT64_FORMAT, 100 * brng->max, worst->frame);
}

/* Sets what the notice of light compares: that is measured, and what the stream says. @what: it says */
static void
set_light (Finder * finder, ReportNotice * notice, gdouble value, gdouble limit, const gchar * what)
{
  set_value (notice, value, limit, "cd/m²");
  set_brief (finder, notice, "%s %g, measured %.0f cd/m²", what, limit, value);
}

static void
look_at_hdr (Finder * finder)
{
  ReportHdr hdr;

  if (!report_hdr_find (finder->stream, &hdr))
    return;
  watch (finder, REPORT_CHECK_LIGHT);
  if (hdr.is_pq && hdr.carried->changes > 0)
    add (finder, REPORT_CHECK_LIGHT, HINT, "what the stream says of its light "
        "changes");
  if (hdr.is_cll_low)
    set_light (finder, add (finder, REPORT_CHECK_LIGHT, HINT, "MaxCLL is too low: it says %" G_GUINT64_FORMAT
            " cd/m2, and the brightest pixel has %.1f (99.99 %% of each frame: at most %.1f)", hdr.carried->max_cll,
            hdr.max_cll, hdr.p9999), hdr.max_cll, hdr.carried->max_cll, "MaxCLL");
  if (hdr.is_fall_low)
    set_light (finder, add (finder, REPORT_CHECK_LIGHT, HINT, "MaxFALL is too low: it says %" G_GUINT64_FORMAT
            " cd/m2, and the mean of the brightest frame is %.1f", hdr.carried->max_fall, hdr.max_fall), hdr.max_fall,
        hdr.carried->max_fall, "MaxFALL");
  if (hdr.is_above_mastering)
    set_light (finder, add (finder, REPORT_CHECK_LIGHT, HINT, "the brightest pixel has %.1f cd/m2, and the mastering "
            "display only %g", hdr.max_cll, hdr.carried->mastering_max), hdr.max_cll, hdr.carried->mastering_max,
        "mastering display");
}

/* ---- Any stream ------------------------------------------------------------------------------- */

/* Returns: how much later than the other one a stream may start without a word */
static guint64
find_least_delay (const ReportStream * stream, const ReportStream * other)
{
  const gdouble rates[] = { stream->frame_rate, other->frame_rate };
  guint64 least = REPORT_LEAST_LATE_START;

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    if (rates[i] > 0)
      least = MAX (least, (guint64) (REPORT_LATE_FRAMES * GST_SECOND / rates[i]));
  }
  return least;
}

/* Returns: the stream as the verdict line names it where its title does not */
static const gchar *
name_medium (const Finder * finder)
{
  return *finder->lead != '\0' ? "" : finder->stream->stream->is_audio ? "sound " : "picture ";
}

/* In both directions: sound may be late, and pictures. */
static void
look_at_start (Finder * finder)
{
  const ReportStreamSummary *first;
  const guint64 delay =
      report_summary_delay (finder->summary, finder->stream, &first);
  const gdouble seconds = (gdouble) delay / GST_SECOND;
  ReportNotice *notice;
  guint64 least;

  if (!GST_CLOCK_TIME_IS_VALID (delay))
    return;
  if (finder->summary->streams->len > 1)
    watch (finder, REPORT_CHECK_LATE_STARTS);
  least = find_least_delay (finder->stream->stream, first->stream);
  if (delay <= least)
    return;
  notice = add (finder, REPORT_CHECK_LATE_STARTS, HINT, "this stream starts %.3f s after %s", seconds, first->stream->title);
  set_value (notice, seconds, (gdouble) least / GST_SECOND, "s");
  set_brief (finder, notice, "%sstarts %.2f s late", name_medium (finder), seconds);
  /* The stream has no time before its own start: this is that of the first one. */
  set_told_span (notice, 0, delay);
}

static void
look_at_length (Finder * finder)
{
  const ReportStreamSummary *last;
  const guint64 early =
      report_summary_early_end (finder->summary, finder->stream, &last);
  const guint64 length = report_stream_summary_length (finder->stream);
  const gdouble seconds = (gdouble) early / GST_SECOND;
  ReportNotice *notice;

  if (!GST_CLOCK_TIME_IS_VALID (early))
    return;
  if (finder->summary->streams->len > 1)
    watch (finder, REPORT_CHECK_EARLY_ENDS);
  if (early < REPORT_LEAST_EARLY_END)
    return;
  notice = add (finder, REPORT_CHECK_EARLY_ENDS, HINT, "the streams differ in length: this "
      "one ends %.3f s before %s", seconds, last->stream->title);
  set_value (notice, seconds, (gdouble) REPORT_LEAST_EARLY_END / GST_SECOND, "s");
  set_brief (finder, notice, "%sends %.2f s early", name_medium (finder), seconds);
  if (GST_CLOCK_TIME_IS_VALID (length))
    set_told_span (notice, length, length + early);
}

/* Whether the input is not complete because of this place, or was found damaged there. */
static gboolean
is_problem (const Finder * finder, const ReportTimePlace * place)
{
  const guint64 end = GST_CLOCK_TIME_IS_VALID (place->end) ? place->end : place->start;

  for (guint i = 0; i < finder->summary->problems->len; i++) {
    const ReportProblem *problem = finder->summary->problems->pdata[i];

    if (problem->stream == finder->index && (g_str_equal (problem->type, REPORT_PROBLEM_MISSING)
            || g_str_equal (problem->type, REPORT_PROBLEM_DAMAGED))
        && (!GST_CLOCK_TIME_IS_VALID (problem->start) || !GST_CLOCK_TIME_IS_VALID (problem->end)
            || (problem->start <= end && place->start <= problem->end)))
      return TRUE;
  }
  return FALSE;
}

/* Of a stream of pictures: a single frame that is missing is a smaller fault than a longer time. */
typedef enum
{
  ANY_LENGTH,
  ONE_FRAME,
  LONGER
} Length;

/* Adds a notice for the faults of this kind, if there are some that no problem tells. */
static void
add_time_faults (Finder * finder, ReportTimeFault fault, Length which)
{
  const ReportStream *stream = finder->stream->stream;
  const GPtrArray *places = finder->stream->timestamps.places;
  const gchar *what = stream->is_audio ? "sound" : "picture", *unit = stream->is_audio ? "sample" : "frame";
  GPtrArray *spans = report_notice_spans_new ();
  guint64 n = 0, longest = 0;
  ReportNotice *notice;

  for (guint i = 0; i < places->len; i++) {
    const ReportTimePlace *place = places->pdata[i];
    ReportNoticeSpan *span;

    if (place->fault != fault || !place->is_fault || (which != ANY_LENGTH && (place->count == 1) != (which == ONE_FRAME))
        || is_problem (finder, place))
      continue;
    span = report_notice_spans_add (spans, place->input, place->start, place->end);
    span->is_moment = !GST_CLOCK_TIME_IS_VALID (place->end);
    n += place->count;
    longest = MAX (longest, place->count);
  }
  if (spans->len == 0) {
    g_ptr_array_unref (spans);
    return;
  }
  if (which == ONE_FRAME) {
    notice = add (finder, REPORT_CHECK_MISSING_TIME, REPORT_SEVERITY_WARN, "%u %s missing, at an otherwise constant rate",
        spans->len, spans->len == 1 ? "frame is" : "single frames are");
    set_brief (finder, notice, "%u %s missing", spans->len, spans->len == 1 ? "frame" : "single frames");
    notice->n_told = spans->len;
  } else if (fault == REPORT_GAP) {
    notice = add (finder, REPORT_CHECK_MISSING_TIME, REPORT_SEVERITY_WARN, "%s is missing for %" G_GUINT64_FORMAT " %s%s%s%s",
        what, n, unit, report_plural (n), spans->len > 1 ? ", in several places" : "",
        stream->is_audio ? "" : ", at an otherwise constant rate");
    set_brief (finder, notice, "%s missing", what);
    notice->behind = g_strdup_printf (", %" G_GUINT64_FORMAT " %s%s", n, unit, report_plural (n));
    set_value (notice, (gdouble) longest, NAN, stream->is_audio ? "samples" : "frames");
  } else {
    notice = add (finder, REPORT_CHECK_MISSING_TIME, REPORT_SEVERITY_WARN, "the times of the %s %s", what,
        fault == REPORT_OVERLAP ? "overlap" : "jump back");
    set_brief (finder, notice, "%s times %s", what, fault == REPORT_OVERLAP ? "overlap" : "jump back");
  }
  notice->which = g_strdup_printf ("%s%s", report_time_fault_names[fault], which == ONE_FRAME ? " of a frame" : "");
  take_spans (notice, spans);
}

/* Faults are warnings; what a variable rate explains is a note. */
static void
look_at_timestamps (Finder * finder)
{
  const ReportTimestamps *timestamps = &finder->stream->timestamps;
  const gboolean is_audio = finder->stream->stream->is_audio;

  if (!is_audio && report_answers_know_rate (finder->stream))
    watch (finder, REPORT_CHECK_MISSING_TIME);
  for (guint fault = 0; fault < REPORT_N_TIME_FAULTS; fault++) {
    const guint n_before = finder->notices->len;
    g_autofree gchar *words = report_answer_time_fault (finder->stream, fault);
    ReportNotice *notice;

    if (timestamps->n[fault] == 0)
      continue;
    add_time_faults (finder, fault, fault == REPORT_GAP && !is_audio ? LONGER : ANY_LENGTH);
    if (fault == REPORT_GAP && !is_audio)
      add_time_faults (finder, fault, ONE_FRAME);
    if (finder->notices->len > n_before)
      continue;
    notice = add (finder, REPORT_CHECK_MISSING_TIME, REPORT_SEVERITY_NOTE, "the timestamps have %s", words);
    set_brief (finder, notice, "%s", words);
    take_spans (notice, report_answers_list_times (finder->stream, fault));
  }
  if (timestamps->n_untimed > 0)
    set_value (add (finder, REPORT_CHECK_MISSING_TIME, REPORT_SEVERITY_NOTE, "%" G_GUINT64_FORMAT " timestamp%s missing",
            timestamps->n_untimed, timestamps->n_untimed == 1 ? " is" : "s are"), (gdouble) timestamps->n_untimed, 0, "buffers");
}

/* Gives the notice the alerts of a type, or those of a rule at a place: their times, and the value that is farthest from its
 * threshold, also in the sentence. An alert without an end lasts until the stream ends.
 *
 * @of: (nullable): an alert that has the rule and the place */
static void
take_alerts (const Finder * finder, ReportNotice * notice, HistoAlert type,
    const ReportAlert * of, const gchar * unit)
{
  const GPtrArray *alerts = finder->stream->alerts;
  GPtrArray *spans = report_alerts_list (finder->stream, type, of);
  /* The value of an alert that must last is that of a later buffer, of which the time is unknown. A freeze begins with the
   * frame before. */
  const gboolean is_at_start = type != HISTO_ALERT_RULE && type != HISTO_ALERT_FREEZE
      && !(report_alerts_least (finder->summary, type) > 0);
  g_autoptr (GString) text = g_string_new (notice->text);
  gchar value[40];
  guint n = 0;

  for (guint i = 0; i < alerts->len; i++) {
    const ReportAlert *alert = alerts->pdata[i];
    /* Clipped runs are counted: the alert's threshold is how many samples make one. */
    const gdouble limit = type == HISTO_ALERT_CLIPPING ? 0 : alert->threshold;
    ReportNoticeSpan *span;

    if (!report_alert_is (alert, type, of))
      continue;
    if (isnan (notice->value) || fabs (alert->value - limit) > fabs (notice->value - notice->limit)) {
      set_value (notice, alert->value, limit, unit);
      notice->value_time = alert->input != NULL ? GST_CLOCK_TIME_NONE : is_at_start ? alert->start : alert->value_time;
    }
    span = spans->pdata[n++];
    if (!GST_CLOCK_TIME_IS_VALID (span->end) && span->input == NULL)
      span->end = report_stream_summary_length (finder->stream);
  }
  take_spans (notice, spans);
  if (*histo_alert_print_value (value, sizeof value, type, notice->value) == '\0')
    return;
  g_string_append_printf (text, "; worst %s", value);
  if (GST_CLOCK_TIME_IS_VALID (notice->value_time)) {
    g_string_append (text, " at ");
    report_append_time (text, notice->value_time);
  }
  g_free (notice->text);
  notice->text = g_strdup (text->str);
}

/* Sections that alerts have found; those of rules are apart. */
static void
look_at_alerts (Finder * finder, HistoAlert type)
{
  static const struct
  {
    ReportCheck check;
    gboolean is_sound;
    const gchar *what;          /* NULL: it is no fault */
    const gchar *unit;          /* of its value */
  } kinds[HISTO_N_ALERTS] = {
    [HISTO_ALERT_BLACK] = {REPORT_CHECK_BLACK, FALSE, "black", "share of pixels"},
    [HISTO_ALERT_FREEZE] = {REPORT_CHECK_FREEZES, FALSE, "frozen", NULL},
    [HISTO_ALERT_RANGE] = {REPORT_CHECK_RANGE, FALSE, "out of the limited range", "share of pixels"},
    [HISTO_ALERT_SILENCE] = {REPORT_CHECK_SILENCE, TRUE, "silent", "dB"},
    [HISTO_ALERT_CLIPPING] = {REPORT_CHECK_CLIPPING, TRUE, "clipped", "runs"},
    [HISTO_ALERT_LOUDNESS] = {REPORT_CHECK_LOUDNESS, TRUE, "off the target loudness", "LUFS"}
  };
  const ReportAlertTotal total =
      report_alerts_add_up (finder->summary, finder->stream, type);

  ReportNotice *notice;

  if (kinds[type].what == NULL)
    return;
  if ((finder->summary->alerts & HISTO_ALERT_FLAG (type)) != 0 && kinds[type].is_sound == finder->stream->stream->is_audio
      && !finder->stream->is_spare && report_alerts_can_check (finder->summary, finder->stream, type))
    watch (finder, kinds[type].check);
  if (total.n == 0)
    return;
  notice = add (finder, kinds[type].check, REPORT_SEVERITY_WARN, "%" G_GUINT64_FORMAT " section%s %s %s, %.3f s in all",
      total.n, report_plural (total.n), total.n == 1 ? "is" : "are", kinds[type].what,
      (gdouble) total.time / GST_SECOND);
  take_alerts (finder, notice, type, NULL, kinds[type].unit);
  set_brief (finder, notice, "%s", kinds[type].what);
}

/* Sections in which one of the element's own rules does not hold. All of a rule at a place are one notice. */
static void
look_at_broken_rules (Finder * finder)
{
  const GPtrArray *alerts = finder->stream->alerts;

  for (guint i = 0; i < alerts->len; i++) {
    const ReportAlert *alert = alerts->pdata[i];
    const gchar *place;
    ReportNotice *notice;
    guint first = 0;

    if (alert->alert != HISTO_ALERT_RULE || alert->rule == NULL)
      continue;
    while (!report_alert_is (alerts->pdata[first], HISTO_ALERT_RULE, alert))
      first++;
    if (first < i)
      continue;
    place = alert->place != NULL ? report_name_place (finder->stream->stream, alert->place) : "";
    notice = add (finder, REPORT_CHECK_RULES, REPORT_SEVERITY_WARN, "the rule %s is broken%s%s", alert->rule,
        *place != '\0' ? ": " : "", place);
    take_alerts (finder, notice, HISTO_ALERT_RULE, alert, NULL);
    notice->which = g_strdup_printf ("%s %s", alert->rule, place);
    set_brief (finder, notice, "rule %s broken%s%s", alert->rule, *place != '\0' ? ": " : "", place);
  }
}

/* Of an input that goes on, each change is told when it comes. */
static void
add_change (Finder * finder, const ReportPart * part, const ReportPart * before)
{
  g_autofree gchar *to = report_stream_facts (part->stream, before->stream);
  ReportNotice *notice = add (finder, REPORT_CHECK_CHANGES, REPORT_SEVERITY_WARN, "the stream changes to %s", to);

  set_brief (finder, notice, "%s changes to %s", finder->stream->stream->is_audio ? "sound" : "picture", to);
  report_notice_spans_add (notice->spans, NULL, part->start, part->start)->is_moment = TRUE;
  notice->which = g_steal_pointer (&to);
}

/* A stream that changes, as its description says: another size, rate, format or number of channels. Parts of several inputs have
 * no times. */
static void
look_at_changes (Finder * finder)
{
  const GPtrArray *parts = finder->stream->parts;
  g_autoptr (GString) facts = g_string_new (NULL), time = g_string_new (NULL);
  GPtrArray *spans = report_notice_spans_new ();
  ReportNotice *notice;

  for (guint i = 1; i < parts->len; i++) {
    const ReportPart *part = parts->pdata[i], *before = parts->pdata[i - 1];
    g_autofree gchar *to = NULL;

    if (!GST_CLOCK_TIME_IS_VALID (part->start))
      continue;
    if (finder->goes_on) {
      add_change (finder, part, before);
      continue;
    }
    report_notice_spans_add (spans, NULL, part->start, part->end);
    if (spans->len == 1)
      report_append_short_time (time, part->start);
    if (spans->len > MOST_CHANGES)
      continue;
    to = report_stream_facts (part->stream, before->stream);
    g_string_append_printf (facts, "%s%s", spans->len > 1 ? ", then to " : "", to);
  }
  if (spans->len == 0) {
    g_ptr_array_unref (spans);
    return;
  }
  if (spans->len > MOST_CHANGES)
    g_string_append_printf (facts, ", and %u time%s more", spans->len - MOST_CHANGES, report_plural (spans->len - MOST_CHANGES));
  notice = add (finder, REPORT_CHECK_CHANGES, REPORT_SEVERITY_WARN, "the stream changes to %s", facts->str);
  set_brief (finder, notice, "%s changes at %s to %s", finder->stream->stream->is_audio ? "sound" : "picture", time->str, facts->str);
  notice->tells_time = TRUE;
  take_spans (notice, spans);
}

static void
look_at_stream (Finder * finder)
{
  const ReportStream *stream = finder->stream->stream;
  g_autofree gchar *lead = NULL;
  guint n = 0;

  for (guint i = 0; i < finder->summary->streams->len; i++)
    n += ((const ReportStreamSummary *) finder->summary->streams->pdata[i])
        ->stream->is_audio == stream->is_audio;
  finder->lead = lead = n > 1 ? g_strconcat (stream->title, ": ", NULL) :
      g_strdup ("");
  if (finder->stream->n_results == 0 && finder->summary->is_complete && !finder->goes_on)
    add (finder, REPORT_CHECK_COMPLETENESS, REPORT_SEVERITY_WARN, "%s gives nothing "
        "to measure", stream->is_audio ? "the sound" : "the video");
  for (guint type = 0; type < HISTO_N_ALERTS; type++)
    look_at_alerts (finder, type);
  look_at_broken_rules (finder);
  if (stream->is_audio) {
    look_at_programme (finder);
    if (!finder->goes_on) {
      look_for_silence (finder);
      look_for_offset (finder);
    }
    look_for_silent_sections (finder);
    look_for_holes (finder);
    look_for_opposite_phase (finder);
    look_for_clipping (finder);
    look_at_true_peak (finder);
    look_at_positions (finder);
  } else {
    look_for_flashes (finder);
    if (!finder->goes_on) {
      look_at_field_order (finder);
      look_at_repeats (finder);
      look_at_rate (finder);
    }
    look_at_short_faults (finder);
    look_at_hdr (finder);
    for (guint r = 0; r < finder->stream->regions->len; r++) {
      const ReportRegion *region = finder->stream->regions->pdata[r];

      finder->region = region->name;
      look_at_gamut (finder, region);
      look_at_range (finder, region);
    }
    finder->region = NULL;
  }
  look_for_numbers (finder);
  look_at_facts (finder);
  if (!finder->goes_on) {
    look_at_start (finder);
    look_at_length (finder);
  }
  look_at_timestamps (finder);
  look_at_changes (finder);
}

/* ---- The input -------------------------------------------------------------------------------- */

/* Mono tracks that nobody has joined, and those that nobody uses. */
static void
look_at_tracks (Finder * finder)
{
  g_autoptr (GString) spares = g_string_new (NULL);
  gboolean is_asked = FALSE;
  guint n_mono = 0, n_spares = 0;

  for (guint s = 0; s < finder->summary->streams->len; s++) {
    const ReportStreamSummary *summary = finder->summary->streams->pdata[s];
    const ReportStream *stream = summary->stream;

    is_asked = is_asked || g_strcmp0 (stream->programme_source, REPORT_BY_OPTION) == 0;
    if (summary->is_spare)
      g_string_append_printf (spares, "%s%s", n_spares++ > 0 ? ", " : "", stream->title);
    else if (stream->is_audio && stream->channels == 1 && stream->programme == NULL)
      n_mono++;
  }
  if (n_mono > 1 && !is_asked)
    report_notices_add (finder->notices, REPORT_CHECK_PROGRAMMES, REPORT_SEVERITY_WARN, -1,
        g_strdup ("mono tracks: loudness is that of each track; use --programme"));
  if (n_spares > 0)
    report_notices_add (finder->notices, REPORT_CHECK_PROGRAMMES, REPORT_SEVERITY_NOTE, -1,
        g_strdup_printf ("spare track%s: %s %s silent from begin to end, and in no programme",
            report_plural (n_spares), spares->str, n_spares == 1 ? "is" : "are"));
}

static void
look_at_problems (Finder * finder)
{
  for (guint i = 0; i < finder->summary->problems->len; i++) {
    const ReportProblem *problem = finder->summary->problems->pdata[i];
    GPtrArray *spans = report_notice_spans_new ();
    ReportNotice *notice = report_notices_add (finder->notices, REPORT_CHECK_COMPLETENESS,
        finder->summary->is_complete ? REPORT_SEVERITY_NOTE : REPORT_SEVERITY_FAIL, problem->stream, g_strdup (problem->text));

    notice->which = g_strdup (problem->type);
    report_notice_spans_add (spans, NULL, problem->start, problem->end);
    take_spans (notice, spans);
  }
  /* Of a file that was read. */
  if (!finder->summary->is_complete && finder->summary->problems->len == 0)
    report_notices_add (finder->notices, REPORT_CHECK_COMPLETENESS,
        REPORT_SEVERITY_FAIL, -1, g_strdup ("not measured completely"));
}

static void
look_at_finding (Finder * finder, const ReportPolicyResult * policy,
    const ReportRuleResult * rule, const ReportFinding * finding)
{
  g_autofree gchar *how = NULL;
  GPtrArray *spans;
  ReportNotice *notice;

  if (finding->verdict < HISTO_RULE_WARNED)
    return;
  how = report_finding_tell (finding, rule);
  notice = report_notices_add (finder->notices, REPORT_CHECK_RULES,
      finding->verdict == HISTO_RULE_FAILED ? REPORT_SEVERITY_FAIL :
      REPORT_SEVERITY_WARN, finding->stream, g_strdup_printf ("%s, %s: %s: %s",
          policy->name, rule->id, rule->text, how));
  spans = report_notice_spans_new ();
  for (guint i = 0; i < finding->breaches->len; i++) {
    const ReportBreach *breach = finding->breaches->pdata[i];

    report_notice_spans_add (spans, breach->input, breach->start, breach->end);
  }
  take_spans (notice, spans);
  notice->is_of_policy = TRUE;
  notice->brief = report_finding_tell_briefly (finding, rule);
  notice->value = finding->worst;
  notice->limit = finding->limit;
  notice->unit = rule->unit;
  notice->value_time = finding->worst_time;
  notice->zones = finding->zones;
  notice->which = g_strdup_printf ("%s, %s %s", policy->name, rule->id, finding->place != NULL ? finding->place : "");
}

static void
look_at_policies (Finder * finder)
{
  for (guint p = 0; p < finder->summary->policies->len; p++) {
    const ReportPolicyResult *policy = finder->summary->policies->pdata[p];

    for (guint r = 0; r < policy->rules->len; r++) {
      const ReportRuleResult *rule = policy->rules->pdata[r];

      for (guint i = 0; i < rule->findings->len; i++)
        look_at_finding (finder, policy, rule, rule->findings->pdata[i]);
    }
  }
}

/* Those of one severity are in the order of their kinds, and those of one kind in the order in which they were found. */
static gint
compare (gconstpointer a, gconstpointer b)
{
  const ReportNotice *one = *(ReportNotice * const *) a;
  const ReportNotice *other = *(ReportNotice * const *) b;

  return one->severity != other->severity ? (gint) one->severity -
      (gint) other->severity : (gint) one->kind - (gint) other->kind;
}

static void
find (ReportSummary * summary, gboolean goes_on)
{
  Finder finder = {.summary = summary,.notices = report_notices_new (),.index = -1,.goes_on = goes_on };

  g_ptr_array_unref (summary->notices);
  summary->notices = finder.notices;
  look_at_problems (&finder);
  look_at_policies (&finder);
  if (!goes_on)
    look_at_tracks (&finder);
  for (guint i = 0; i < summary->streams->len; i++) {
    finder.stream = summary->streams->pdata[i];
    finder.index = (gint) i;
    look_at_stream (&finder);
  }
  for (guint i = 0; i < summary->notices->len; i++) {
    ReportNotice *notice = summary->notices->pdata[i];

    if (notice->stream >= 0 && (guint) notice->stream < summary->streams->len)
      notice->programme = g_strdup (((const ReportStreamSummary *) summary->streams->pdata[notice->stream])->stream->programme);
  }
  /* GPtrArray sorts stably. */
  g_ptr_array_sort (summary->notices, compare);
  summary->watched = finder.watched;
  g_free (summary->verdict_line);
  summary->verdict_line = report_verdict_line_make (summary, REPORT_VERDICT_LINE_NOTICES);
}

/**
 * report_notices_find:
 * @summary: finished, with the results of its policies; also one that was read or added up
 *
 * Makes @summary's notices anew, the worst one first.
 */
void
report_notices_find (ReportSummary * summary)
{
  find (summary, FALSE);
}

/**
 * report_notices_find_so_far:
 * @summary: of an input that goes on, finished so far; its problems are those of the moment
 *
 * Makes @summary's notices anew, but for those that only the end of an input can show: what is so from begin to end, which stream
 * is longer, rates and orders that need many frames.
 */
void
report_notices_find_so_far (ReportSummary * summary)
{
  find (summary, TRUE);
}
