/* Makes a page about a comparison: the verdict, PSNR and SSIM over time, the worst frames as pictures, and all that the text
 * says. It needs no network and no scripts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/compare-page.h"

#include <math.h>
#include <string.h>

#include "base/describe.h"
#include "base/stream.h"
#include "compare/still.h"

/* Columns and rows of a still. */
#define MOST_PIXELS 480
/* A chart, in units of its picture; so many points it has at most. */
#define CHART_WIDTH 1000
#define CHART_HEIGHT 160
#define MOST_POINTS 1000
/* Sound that differs by less is drawn here, in dBFS. */
#define LEAST_LEVEL -120
/* A greater PSNR, as that of equal frames, is drawn here, in dB. */
#define MOST_PSNR 80

static const gchar head[] = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Comparison</title>\n<style>\n"
    "body { font: 15px sans-serif; margin: 1em auto; max-width: 1500px; padding: 0 1em; color: #222; background: #fff }\n"
    "h1 { font-size: 1.3em } h2 { font-size: 1.1em; margin-top: 2em }\n"
    ".different { color: #a00 } .same { color: #060 }\n"
    "svg { width: 100%; height: 12em; background: #f6f6f6 } svg text { font-size: 12px }\n"
    "figure { display: inline-block; margin: 0 1em 1em 0; max-width: 32% } figure img { max-width: 100% }\n"
    "pre { overflow-x: auto; background: #f6f6f6; padding: 1em }\n"
    "@media (prefers-color-scheme: dark) { body { color: #ddd; background: #111 } svg, pre { background: #222 } "
    ".different { color: #f88 } .same { color: #8d8 } svg text { fill: #ddd } }\n"
    "</style>\n</head>\n<body>\n";

/* Appends text of any kind. */
static void
append_escaped (GString * page, const gchar * text)
{
  g_autofree gchar *escaped = g_markup_escape_text (text, -1);

  g_string_append (page, escaped);
}

/* The same without what people cannot see. */
static void
append_clean (GString * page, const gchar * text)
{
  g_autofree gchar *clean = report_clean_text (g_strdup (text));

  append_escaped (page, clean);
}

/* ---- Charts -------------------------------------------------------------------------------------- */

typedef struct
{
  const gchar *title;
  gdouble least, most;          /* of the axis */
  gboolean is_ssim;
} Chart;

static gdouble
value_of (const ReportFramePair * pair, const Chart * chart)
{
  const gdouble value = chart->is_ssim ? pair->ssim : pair->psnr;

  return isnan (value) ? value : CLAMP (value, chart->least, chart->most);
}

/* The least value of each of the groups of pairs that become a point. A place without a value is a gap. */
static void
append_line (GString * page, const ReportPicturesResult * result, const Chart * chart)
{
  const guint n = result->pairs->len, n_points = MIN (n, MOST_POINTS);
  const gchar *command = "M";

  g_string_append (page, "<path fill=\"none\" stroke=\"#06c\" stroke-width=\"1.5\" vector-effect=\"non-scaling-stroke\" d=\"");
  for (guint i = 0; i < n_points; i++) {
    const guint first = (guint) ((guint64) i * n / n_points), after = (guint) ((guint64) (i + 1) * n / n_points);
    gdouble least = NAN;

    for (guint k = first; k < after; k++)
      least = fmin (least, value_of (&g_array_index (result->pairs, ReportFramePair, k), chart));
    if (isnan (least)) {
      command = "M";
      continue;
    }
    g_string_append_printf (page, "%s%.1f %.1f", command, CHART_WIDTH * (first + 0.5) / n,
        CHART_HEIGHT * (chart->most - least) / (chart->most - chart->least));
    command = "L";
  }
  g_string_append (page, "\"/>");
}

/* Where frames have no counterpart. */
static void
append_unpaired (GString * page, const ReportPicturesResult * result)
{
  const guint n = result->pairs->len;

  for (guint i = 0; i < MIN (result->unpaired->len, MOST_POINTS); i++) {
    const ReportUnpaired *unpaired = &g_array_index (result->unpaired, ReportUnpaired, i);
    guint low = 0, high = n;

    while (low < high) {
      const guint middle = (low + high) / 2;
      const ReportFramePair *pair = &g_array_index (result->pairs, ReportFramePair, middle);

      if ((unpaired->side == 0 ? pair->a.number : pair->b.number) < unpaired->first.number)
        low = middle + 1;
      else
        high = middle;
    }
    g_string_append_printf (page, "<path stroke=\"#c00\" stroke-dasharray=\"4 3\" vector-effect=\"non-scaling-stroke\" "
        "d=\"M%.1f 0V%d\"><title>%" G_GUINT64_FORMAT " frames only in %s</title></path>",
        CHART_WIDTH * (gdouble) low / MAX (n, 1), CHART_HEIGHT, unpaired->n, unpaired->side == 0 ? "A" : "B");
  }
}

static void
append_chart (GString * page, const ReportPicturesResult * result, const Chart * chart)
{
  const ReportFramePair *pairs = (const ReportFramePair *) result->pairs->data;
  g_autoptr (GString) from = g_string_new (NULL), to = g_string_new (NULL);

  if (GST_CLOCK_TIME_IS_VALID (pairs[0].a.time))
    report_append_time (from, pairs[0].a.time);
  if (GST_CLOCK_TIME_IS_VALID (pairs[result->pairs->len - 1].a.time))
    report_append_time (to, pairs[result->pairs->len - 1].a.time);
  g_string_append_printf (page, "<h3>%s, from %s to %s, axis %g to %g</h3>\n<svg role=\"img\" aria-label=\"%s\" "
      "viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\">", chart->title, from->str, to->str, chart->least, chart->most,
      chart->title, CHART_WIDTH, CHART_HEIGHT);
  append_line (page, result, chart);
  append_unpaired (page, result);
  g_string_append (page, "</svg>\n");
}

static void
append_charts (GString * page, const ReportPicturesResult * result)
{
  const Chart psnr = { "PSNR in dB of each pair of frames", 0, MOST_PSNR, FALSE };
  Chart ssim = { "SSIM of each pair of frames", 1, 1, TRUE };

  if (result->pairs->len == 0)
    return;
  for (guint i = 0; i < result->pairs->len; i++)
    ssim.least = fmin (ssim.least, g_array_index (result->pairs, ReportFramePair, i).ssim);
  ssim.least = floor (ssim.least * 20 - 0.01) / 20;
  append_chart (page, result, &psnr);
  append_chart (page, result, &ssim);
}

/* The difference of sound in each second. */
static void
append_sound (GString * page, const ReportSoundDifference * sound)
{
  const guint n = sound->seconds->len, n_points = MIN (n, MOST_POINTS);

  if (sound->n_different == 0 || n == 0)
    return;
  g_string_append_printf (page, "<h3>Difference of the sound in dBFS, of each second, axis %d to 0</h3>\n<svg role=\"img\" "
      "aria-label=\"Difference of the sound\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\"><path fill=\"none\" "
      "stroke=\"#06c\" stroke-width=\"1.5\" vector-effect=\"non-scaling-stroke\" d=\"", LEAST_LEVEL, CHART_WIDTH, CHART_HEIGHT);
  for (guint i = 0; i < n_points; i++) {
    const guint first = (guint) ((guint64) i * n / n_points), after = (guint) ((guint64) (i + 1) * n / n_points);
    gdouble most = LEAST_LEVEL;

    for (guint k = first; k < after; k++)
      most = MAX (most, MIN (g_array_index (sound->seconds, gfloat, k), 0));
    g_string_append_printf (page, "%s%.1f %.1fH%.1f", i == 0 ? "M" : "L", (gdouble) CHART_WIDTH * first / n,
        CHART_HEIGHT * most / LEAST_LEVEL, (gdouble) CHART_WIDTH * after / n);
  }
  g_string_append (page, "\"/></svg>\n");
}

/* ---- Stills -------------------------------------------------------------------------------------- */

static void
append_still (GString * page, const ReportStill * still, const gchar * caption)
{
  g_autoptr (GBytes) png = report_still_encode (still);
  g_autofree gchar *text = g_base64_encode (g_bytes_get_data (png, NULL), g_bytes_get_size (png));

  g_string_append_printf (page, "<figure><img alt=\"%s\" src=\"data:image/png;base64,%s\"><figcaption>%s</figcaption></figure>\n",
      caption, text, caption);
}

static void
append_stills (GString * page, const ReportFrameDifference * difference)
{
  g_autoptr (ReportStill) a = report_still_new (difference->buffers[0], difference->caps[0], MOST_PIXELS);
  g_autoptr (ReportStill) b = report_still_new (difference->buffers[1], difference->caps[1], MOST_PIXELS);

  g_string_append_printf (page, "<h3>Frame %" G_GUINT64_FORMAT " at ", difference->pair.a.number);
  if (GST_CLOCK_TIME_IS_VALID (difference->pair.a.time))
    report_append_time (page, difference->pair.a.time);
  g_string_append_printf (page, ": PSNR %.2f dB, SSIM %.5f, differences in %u x %u at (%u, %u)</h3>\n", difference->pair.psnr,
      difference->pair.ssim, difference->width, difference->height, difference->x, difference->y);
  if (a == NULL || b == NULL)
    return;
  append_still (page, a, "A");
  append_still (page, b, "B");
  if (a->width == b->width && a->height == b->height) {
    guint factor;
    g_autoptr (ReportStill) still = report_still_new_difference (a, b, &factor);
    g_autofree gchar *caption = g_strdup_printf ("difference of R, G and B, times %u", factor);

    append_still (page, still, caption);
  }
}

/**
 * report_comparison_make_page:
 * @text: what the text says
 *
 * Returns: (transfer full): HTML
 */
gchar *
report_comparison_make_page (const ReportComparison * comparison, const gchar * text)
{
  GString *page = g_string_new (head);
  const gchar *line = strchr (text, '\n');
  g_autofree gchar *verdict = g_strndup (text, line != NULL ? (gsize) (line - text) : strlen (text));

  g_string_append_printf (page, "<h1 class=\"%s\">", comparison->verdict == REPORT_VERDICT_DIFFERENT ? "different" : "same");
  append_clean (page, verdict);
  g_string_append (page, "</h1>\n<p>A: ");
  append_clean (page, comparison->inputs[0]->name);
  g_string_append (page, "<br>B: ");
  append_clean (page, comparison->inputs[1]->name);
  g_string_append (page, "</p>\n");
  for (guint i = 0; i < comparison->streams->len; i++) {
    const ReportStreamComparison *compared = comparison->streams->pdata[i];
    const ReportPicturesResult *pictures = compared->pictures;

    if (pictures == NULL && compared->sound == NULL)
      continue;
    g_string_append (page, "<h2>");
    append_clean (page, compared->streams[0]->stream->title);
    g_string_append (page, "</h2>\n");
    if (compared->sound != NULL)
      append_sound (page, compared->sound);
    if (pictures == NULL)
      continue;
    append_charts (page, pictures);
    if (pictures->worst->len > 0)
      g_string_append (page, "<h2>Worst frames</h2>\n");
    for (guint k = 0; k < pictures->worst->len; k++)
      append_stills (page, &g_array_index (pictures->worst, ReportFrameDifference, k));
  }
  g_string_append (page, "<h2>All that differs</h2>\n<pre>");
  append_escaped (page, text);
  g_string_append (page, "</pre>\n</body>\n</html>\n");
  return g_string_free (page, FALSE);
}
