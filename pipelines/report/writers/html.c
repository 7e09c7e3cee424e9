/* The page: collects the views, and writes one HTML file at the end; see formats.h.
 *
 * html/page.html has places that are filled in: see html-template.h. Everything is in the file: the style, the scripts with
 * dygraphs and its licence, and the numbers (see html-view.c). A policy in the page forbids every request.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "writers/formats.h"

#include "summary/alerts.h"
#include "summary/answers.h"
#include "base/describe.h"
#include "writers/html-template.h"
#include "writers/html-view.h"
#include "summary/json.h"

typedef struct
{
  ReportWriter parent;
  gchar *title;
  guint n_streams[2];           /* of video; of audio */
  GPtrArray *views;             /* (element-type ReportView) */
} HtmlWriter;

/* ---- The writer ------------------------------------------------------------------------------ */

static gboolean
html_begin (ReportWriter * writer, const ReportInput * input, GError ** error)
{
  HtmlWriter *html = (HtmlWriter *) writer;

  html->title = g_utf8_make_valid (input->name, -1);
  for (guint i = 0; i < input->n_streams; i++)
    html->n_streams[input->streams[i].is_audio ? 1 : 0]++;
  return TRUE;
}

/* Makes the views of a stream, whose first result this is. Video comes before sound, whichever arrives
 * first. */
static void
add_views (HtmlWriter * html, const ReportStream * stream,
    const HistoResult * result)
{
  const guint n = result->is_audio ? 1 : result->n_regions;

  const guint n_streams = html->n_streams[result->is_audio ? 1 : 0];
  guint place = 0;

  while (place < html->views->len) {
    const ReportView *view = html->views->pdata[place];

    if (view->is_audio != result->is_audio ? view->is_audio :
        view->stream > stream->index)
      break;
    place++;
  }
  for (guint r = 0; r < n; r++)
    g_ptr_array_insert (html->views, place + r, report_view_new (stream,
            result, r, MAX (n_streams, 1) * n));
}

static gboolean
html_frame (ReportWriter * writer, const ReportStream * stream,
    const HistoResult * result, const HistoTimes * times, GError ** error)
{
  HtmlWriter *html = (HtmlWriter *) writer;
  gboolean is_known = FALSE;

  for (guint v = 0; v < html->views->len && !is_known; v++)
    is_known = ((ReportView *) g_ptr_array_index (html->views, v))->stream
        == stream->index;
  if (!is_known)
    add_views (html, stream, result);
  for (guint v = 0; v < html->views->len; v++) {
    ReportView *view = g_ptr_array_index (html->views, v);

    if (view->stream == stream->index)
      report_view_add (view, stream, result, times);
  }
  return TRUE;
}

/* ---- The page -------------------------------------------------------------------------------- */

/* Adds for each region whether its dark edges are bars. */
static void
add_edges (ReportJson * json, const GPtrArray * regions)
{
  report_json_begin_array (json, "constant-edges");
  for (guint i = 0; i < regions->len; i++) {
    const ReportRegion *region = regions->pdata[i];

    report_json_put_boolean (json,
        report_area_is_constant (&region->area, region->width,
            region->height));
  }
  report_json_end_array (json);
}

/* Adds for each region its answers, as pairs of a label and a text. @needs_scale: only those of a part */
static void
add_region_answers (ReportJson * json, const ReportSummary * whole,
    const ReportStream * stream, const GPtrArray * regions,
    gboolean needs_scale)
{
  report_json_begin_array (json, "region-answers");
  for (guint i = 0; i < regions->len; i++) {
    report_json_begin_array (json, NULL);
    for (guint k = 0; k < REPORT_N_REGION_ANSWERS; k++) {
      const ReportRegionAnswer *row = &report_region_answers[k];
      g_autofree gchar *answer = row->needs_scale || !needs_scale ?
          row->answer (whole, stream, regions->pdata[i]) : NULL;

      if (answer == NULL)
        continue;
      report_json_begin_array (json, NULL);
      report_json_put_text (json, row->label);
      report_json_put_text (json, answer);
      report_json_end_array (json);
    }
    report_json_end_array (json);
  }
  report_json_end_array (json);
}

/* Adds pairs of a label and a text. */
static void
add_answers (ReportJson * json, const ReportStreamSummary * summary)
{
  g_autoptr (GPtrArray) answers = report_answers_find (summary);

  report_json_begin_array (json, "answers");
  for (guint i = 0; i < answers->len; i++) {
    const ReportAnswer *answer = answers->pdata[i];
    g_autofree gchar *text = report_notice_spans_join (answer->text,
        answer->spans, answer->n_more);

    report_json_begin_array (json, NULL);
    report_json_put_text (json, answer->label);
    report_json_put_text (json, text);
    report_json_end_array (json);
  }
  report_json_end_array (json);
}

/* Adds for each pair the names of its channels, and its figures. */
static void
add_pairs (ReportJson * json, const ReportStreamSummary * summary)
{
  report_json_begin_array (json, "pairs");
  for (guint i = 0; i < summary->pairs->len; i++) {
    const ReportPair *pair = summary->pairs->pdata[i];
    g_autofree gchar *figures = report_answer_pair (pair);
    g_autofree gchar *name = g_strdup_printf ("%s, %s",
        report_name_place (summary->stream, pair->first), report_name_place (summary->stream, pair->second));

    report_json_begin_array (json, NULL);
    report_json_put_text (json, name);
    report_json_put_text (json, figures);
    report_json_end_array (json);
  }
  report_json_end_array (json);
}

/* Adds what the summary has as codes, in words, and what follows from it: as the text has them. */
static void
add_words (ReportJson * json, const ReportSummary * whole,
    const ReportStreamSummary * summary)
{
  const ReportStream *stream = summary->stream;
  g_autofree gchar *format = stream->is_audio ?
      report_name_sample_format (stream) : g_strdup (stream->format);
  g_autofree gchar *colorimetry = report_name_colorimetry (stream);
  g_autofree gchar *order = report_answer_field_order (summary);
  g_autofree gchar *all = report_answer_facts (summary);

  report_json_begin_object (json, NULL);
  report_json_add_text (json, "facts", all);
  report_json_add_text (json, "format", format);
  report_json_add_text (json, "colorimetry", colorimetry);
  report_json_add_text (json, "field-order", order);
  report_json_set_key (json, "tagged");
  report_json_put_boolean (json,
      report_stream_range (stream) == GST_VIDEO_COLOR_RANGE_16_235);
  report_json_set_key (json, "limited");
  report_json_put_boolean (json, report_stream_is_limited (stream));
  report_json_set_key (json, "has-short-term");
  report_json_put_boolean (json, report_alerts_can_check (whole, summary,
          HISTO_ALERT_LOUDNESS));
  add_edges (json, summary->regions);
  add_region_answers (json, whole, stream, summary->regions, FALSE);
  add_answers (json, summary);
  add_pairs (json, summary);
  report_json_begin_array (json, "parts");
  for (guint i = 0; i < summary->parts->len; i++) {
    const ReportPart *part = summary->parts->pdata[i];
    const ReportPart *before = i > 0 ? summary->parts->pdata[i - 1] : NULL;
    g_autoptr (GString) from = g_string_new ("From ");
    g_autofree gchar *facts = report_stream_facts (part->stream, NULL);
    g_autofree gchar *changes = report_stream_facts (part->stream,
        before != NULL ? before->stream : NULL);

    report_append_time (from, part->start);
    report_json_begin_object (json, NULL);
    report_json_add_text (json, "from", from->str);
    report_json_add_text (json, "facts", facts);
    report_json_add_text (json, "changes", changes);
    add_edges (json, part->regions);
    add_region_answers (json, whole, part->stream, part->regions, TRUE);
    report_json_end_object (json);
  }
  report_json_end_array (json);
  report_json_end_object (json);
}

/* Adds an object with a member for each type of which there are alerts. */
static void
add_alert_totals (ReportJson * json, const ReportSummary * summary)
{
  report_json_begin_object (json, "alertTotals");
  for (guint type = 0; type <= HISTO_ALERT_RULE; type++) {
    const ReportAlertTotal total = report_alerts_add_up (summary, NULL, type);

    if (total.n == 0)
      continue;
    report_json_begin_object (json, histo_alert_names[type]);
    report_json_add_int (json, "count", total.n);
    report_json_add_double (json, "seconds",
        (gdouble) total.time / GST_SECOND);
    report_json_end_object (json);
  }
  report_json_end_object (json);
}

/* Adds for each policy, each of its rules and each finding a text. */
static void
add_policy_words (ReportJson * json, const GPtrArray * policies)
{
  report_json_begin_array (json, "policyWords");
  for (guint p = 0; p < policies->len; p++) {
    const ReportPolicyResult *policy = policies->pdata[p];

    report_json_begin_array (json, NULL);
    for (guint r = 0; r < policy->rules->len; r++) {
      const ReportRuleResult *rule = policy->rules->pdata[r];

      report_json_begin_array (json, NULL);
      for (guint f = 0; f < rule->findings->len; f++) {
        g_autofree gchar *text =
            report_finding_tell (rule->findings->pdata[f], rule);

        report_json_put_text (json, text);
      }
      report_json_end_array (json);
    }
    report_json_end_array (json);
  }
  report_json_end_array (json);
}

/* The summary as --json has it, and what the page knows beside it. @texts: (out): the figures and the histograms of
 * each view, in turn; histograms may be NULL */
static gchar *
describe (const HtmlWriter * html, const ReportSummary * summary,
    GPtrArray * texts)
{
  ReportJson *json = report_json_new (FALSE);

  report_json_begin_object (json, NULL);
  report_json_add_text (json, "generator", "cudahisto-report " PACKAGE_VERSION);
  report_json_begin_object (json, "summary");
  report_json_add_summary (json, summary, TRUE);
  report_json_end_object (json);
  report_json_begin_array (json, "words");
  for (guint i = 0; i < summary->streams->len; i++)
    add_words (json, summary, summary->streams->pdata[i]);
  report_json_end_array (json);
  add_policy_words (json, summary->policies);
  report_json_add_double (json, "leastDelay",
      (gdouble) REPORT_LEAST_DELAY / GST_SECOND);
  report_json_add_double (json, "leastEarlyEnd",
      (gdouble) REPORT_LEAST_EARLY_END / GST_SECOND);
  add_alert_totals (json, summary);
  report_json_begin_array (json, "views");
  for (guint v = 0; v < html->views->len; v++) {
    gchar *heat;

    g_ptr_array_add (texts,
        report_view_finish (g_ptr_array_index (html->views, v), json, &heat));
    g_ptr_array_add (texts, heat);
  }
  report_json_end_array (json);
  report_json_end_object (json);
  return report_template_json (json);
}

static void
add_jpeg (ReportJson * json, const gchar * name, GBytes * jpeg)
{
  g_autofree gchar *text = NULL;

  if (jpeg == NULL)
    return;
  text = g_base64_encode (g_bytes_get_data (jpeg, NULL), g_bytes_get_size (jpeg));
  report_json_set_key (json, name);
  report_json_put_text (json, text);
}

/* Returns: (transfer full): an array of the pictures of all streams. Times are in seconds */
static gchar *
describe_thumbnails (const ReportSummary * summary)
{
  ReportJson *json = report_json_new (FALSE);

  report_json_begin_array (json, NULL);
  for (guint s = 0; s < summary->streams->len; s++) {
    const ReportStreamSummary *stream = summary->streams->pdata[s];

    for (guint i = 0; i < stream->thumbnails->len; i++) {
      const ReportThumbnail *thumbnail = stream->thumbnails->pdata[i];

      report_json_begin_object (json, NULL);
      report_json_add_int (json, "stream", stream->stream->index);
      report_json_add_text (json, "why", report_kept_names[thumbnail->why]);
      report_json_add_double (json, "time", (gdouble) thumbnail->time / GST_SECOND);
      report_json_add_int (json, "width", thumbnail->width);
      report_json_add_int (json, "height", thumbnail->height);
      add_jpeg (json, "jpeg", thumbnail->jpeg);
      add_jpeg (json, "marked", thumbnail->marked);
      report_json_end_object (json);
    }
  }
  report_json_end_array (json);
  return report_template_json (json);
}

/* What stands at the places of page.html. */
typedef struct
{
  const HtmlWriter *html;
  const gchar *description, *thumbnails;
  const GPtrArray *texts;
} Places;

static gboolean
put_numbers (const GPtrArray * texts, GOutputStream * to, GError ** error)
{
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < texts->len; i++) {
    g_autofree gchar *tag = NULL;

    if (g_ptr_array_index (texts, i) == NULL)
      continue;
    tag = g_strdup_printf ("<script type=\"text/plain\" id=\"%s-%u\">",
        i % 2 == 0 ? "figures" : "histograms", i / 2);
    ok = report_template_put (to, tag, error)
        && report_template_put (to, g_ptr_array_index (texts, i), error)
        && report_template_put (to, "</script>\n", error);
  }
  return ok;
}

static gboolean
put_place (const gchar * place, gpointer data, GOutputStream * to,
    GError ** error)
{
  const Places *places = data;

  if (g_str_equal (place, "title"))
    return report_template_put_escaped (to, places->html->title, error);
  if (g_str_equal (place, "description"))
    return report_template_put (to, places->description, error);
  if (g_str_equal (place, "thumbnails"))
    return report_template_put (to, places->thumbnails, error);
  g_assert (g_str_equal (place, "numbers"));
  return put_numbers (places->texts, to, error);
}

static gboolean
html_end (ReportWriter * writer, const ReportSummary * summary,
    GError ** error)
{
  HtmlWriter *html = (HtmlWriter *) writer;
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  g_autofree gchar *description = describe (html, summary, texts);
  g_autofree gchar *thumbnails = describe_thumbnails (summary);
  Places places = { html, description, thumbnails, texts };

  return report_template_write ("page.html", put_place, &places, writer->to, error);
}

static void
html_clear (ReportWriter * writer)
{
  HtmlWriter *html = (HtmlWriter *) writer;

  g_free (html->title);
  g_ptr_array_unref (html->views);
}

/**
 * report_html_writer_new:
 *
 * The page is written by `end`. Until then the numbers are in memory: up to about 80 MB.
 *
 * Returns: (transfer full): the writer
 */
ReportWriter *
report_html_writer_new (GOutputStream * to)
{
  HtmlWriter *html = report_writer_new (sizeof *html, to);

  html->parent.begin = html_begin;
  html->parent.frame = html_frame;
  html->parent.end = html_end;
  html->parent.clear = html_clear;
  html->parent.tells_unreadable = TRUE;
  html->views =
      g_ptr_array_new_with_free_func ((GDestroyNotify) report_view_free);
  return &html->parent;
}
