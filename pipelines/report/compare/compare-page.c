/* Makes a page about a comparison: the verdict, PSNR and SSIM over time, the worst frames as pictures, and all that the text
 * says. html/compare.js draws it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "compare/compare-page.h"

#include <math.h>
#include <string.h>

#include "base/describe.h"
#include "base/stream.h"
#include "base/thumbnail.h"
#include "compare/pictures-writer.h"
#include "summary/json.h"
#include "writers/html-template.h"

/* Columns and rows of a picture. */
#define MOST_PIXELS 480
/* So many points a chart has at most. */
#define MOST_POINTS 2000
/* Frames without a counterpart are marked so often. */
#define MOST_UNPAIRED 1000
/* Sound that differs by less is drawn here, in dBFS. */
#define LEAST_LEVEL -120
/* A greater PSNR, as that of equal frames, is drawn here, in dB. */
#define MOST_PSNR 80

/* In the order of ReportVerdict. */
const gchar *const report_comparison_verdict_words[REPORT_N_COMPARISON_VERDICTS] = {
  "SAME", "WITHIN TOLERANCE", "EQUAL FIGURES", "DIFFERENT"
};

/* ---- Charts -------------------------------------------------------------------------------------- */

/* Adds the members that say where a frame is in A. */
static void
add_place (ReportJson * json, const ReportPlace * place)
{
  report_json_add_int (json, "frame", place->number);
  report_json_add_time (json, "time", place->time);
}

/* Of each group of neighbouring pairs the one with the least value becomes a point. */
static void
add_points (ReportJson * json, const gchar * key, const ReportPicturesResult * result, gsize offset)
{
  const guint n = result->pairs->len, n_points = MIN (n, MOST_POINTS);

  report_json_begin_array (json, key);
  for (guint i = 0; i < n_points; i++) {
    const guint first = (guint) ((guint64) i * n / n_points), after = (guint) ((guint64) (i + 1) * n / n_points);
    const ReportFramePair *least = &g_array_index (result->pairs, ReportFramePair, first);

    for (guint k = first + 1; k < after; k++) {
      const ReportFramePair *pair = &g_array_index (result->pairs, ReportFramePair, k);
      const gfloat value = G_STRUCT_MEMBER (gfloat, pair, offset), best = G_STRUCT_MEMBER (gfloat, least, offset);

      if (value < best || isnan (best))
        least = pair;
    }
    report_json_begin_object (json, NULL);
    add_place (json, &least->a);
    report_json_set_key (json, "value");
    report_json_add_number (json, G_STRUCT_MEMBER (gfloat, least, offset));
    report_json_end_object (json);
  }
  report_json_end_array (json);
}

/* The first pair from a frame of one film on; NULL: there is none */
static const ReportFramePair *
find_pair (const ReportPicturesResult * result, guint side, guint64 number)
{
  guint low = 0, high = result->pairs->len;

  while (low < high) {
    const guint middle = (low + high) / 2;
    const ReportFramePair *pair = &g_array_index (result->pairs, ReportFramePair, middle);

    if ((side == 0 ? pair->a.number : pair->b.number) < number)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == result->pairs->len)
    return low > 0 ? &g_array_index (result->pairs, ReportFramePair, low - 1) : NULL;
  return &g_array_index (result->pairs, ReportFramePair, low);
}

/* Where frames have no counterpart, as a place in A. */
static void
add_unpaired (ReportJson * json, const ReportPicturesResult * result)
{
  report_json_begin_array (json, "unpaired");
  for (guint i = 0; result != NULL && i < MIN (result->unpaired->len, MOST_UNPAIRED); i++) {
    const ReportUnpaired *unpaired = &g_array_index (result->unpaired, ReportUnpaired, i);
    const ReportFramePair *pair = find_pair (result, unpaired->side, unpaired->first.number);
    g_autofree gchar *text = g_strdup_printf ("%" G_GUINT64_FORMAT " frame%s only in %s", unpaired->n,
        report_plural (unpaired->n), unpaired->side == 0 ? "A" : "B");

    if (pair == NULL)
      continue;
    report_json_begin_object (json, NULL);
    add_place (json, &pair->a);
    report_json_add_text (json, "text", text);
    report_json_end_object (json);
  }
  report_json_end_array (json);
}

/* Where frames are otherwise than most, as the first line tells it. */
static void
add_moments (ReportJson * json, const ReportPicturesResult * result)
{
  report_json_begin_array (json, "moments");
  for (guint i = 0; result != NULL && i < MIN (result->moments->len, MOST_UNPAIRED); i++) {
    const ReportMoment *moment = &g_array_index (result->moments, ReportMoment, i);
    g_autofree gchar *text = report_moment_describe (result, moment);

    report_json_begin_object (json, NULL);
    add_place (json, &moment->first);
    report_json_add_text (json, "text", text);
    report_json_end_object (json);
  }
  report_json_end_array (json);
}

/* The difference of sound in each second, or the greatest of several. */
static void
add_sound (ReportJson * json, const ReportSoundDifference * sound)
{
  const guint n = sound->seconds->len, step = (n + MOST_POINTS - 1) / MOST_POINTS;

  if (sound->n_different == 0 || n == 0)
    return;
  report_json_add_int (json, "step", step);
  report_json_begin_array (json, "seconds");
  for (guint i = 0; i < n; i += step) {
    gdouble most = -INFINITY;

    for (guint k = i; k < MIN (i + step, n); k++)
      most = MAX (most, g_array_index (sound->seconds, gfloat, k));
    report_json_add_number (json, most);
  }
  report_json_end_array (json);
}

/* ---- Pictures ------------------------------------------------------------------------------------ */

static void
add_picture (ReportJson * json, const gchar * key, const ReportReduced * picture)
{
  g_autoptr (GBytes) jpeg = report_reduced_encode (picture, 0);
  g_autofree gchar *text = g_base64_encode (g_bytes_get_data (jpeg, NULL), g_bytes_get_size (jpeg));

  report_json_add_text (json, key, text);
}

/* Returns: (transfer full) (nullable): a frame of B, with the shape of A's pixels, so that both have one size */
static ReportReduced *
reduce (const ReportFrameDifference * difference, guint side)
{
  const GstStructure *a = gst_caps_get_structure (difference->caps[0], 0);
  GstCaps *caps = gst_caps_copy (difference->caps[side]);
  const GValue *shape = gst_structure_get_value (a, "pixel-aspect-ratio");
  ReportReduced *picture;

  if (shape != NULL)
    gst_caps_set_value (caps, "pixel-aspect-ratio", shape);
  else
    gst_structure_remove_field (gst_caps_get_structure (caps, 0), "pixel-aspect-ratio");
  picture = report_reduced_new (difference->buffers[side], caps, MOST_PIXELS, FALSE);
  gst_caps_unref (caps);
  return picture;
}

/* So many of all samples stay below white where pictures differ: 99 %. */
#define VISIBLE(n) ((n) - (n) / 100)

/* Adds the absolute differences of R, G and B, multiplied so that they are seen. */
static void
add_difference (ReportJson * json, ReportReduced * a, const ReportReduced * b)
{
  const gsize n = (gsize) a->width * a->height * REPORT_REDUCED_BYTES;
  gsize counts[256] = { 0 }, n_below = 0;
  guint most = 0, seen = 0, factor;

  for (gsize i = 0; i < n; i++) {
    a->pixels[i] = (guint8) ABS (a->pixels[i] - b->pixels[i]);
    counts[a->pixels[i]]++;
    most = MAX (most, a->pixels[i]);
  }
  /* The marks are no samples; there are none. */
  counts[0] -= n / REPORT_REDUCED_BYTES;
  while (n_below + counts[seen] < VISIBLE (n - n / REPORT_REDUCED_BYTES))
    n_below += counts[seen++];
  /* Differences in a small part of the picture are as bright as the largest one allows. */
  factor = MAX (255 / MAX (seen > 0 ? seen : most, 1), 1);
  for (gsize i = 0; i < n; i++)
    a->pixels[i] = (guint8) MIN (a->pixels[i] * factor, 255);
  report_json_add_int (json, "factor", factor);
  add_picture (json, "difference", a);
}

static void
add_pictures (ReportJson * json, const ReportFrameDifference * difference)
{
  g_autoptr (ReportReduced) a = NULL, b = NULL;

  if (!report_thumbnails_are_built () || difference->buffers[0] == NULL || difference->buffers[1] == NULL)
    return;
  a = reduce (difference, 0);
  b = reduce (difference, 1);
  if (a == NULL || b == NULL)
    return;
  add_picture (json, "a", a);
  add_picture (json, "b", b);
  if (a->width == b->width && a->height == b->height)
    add_difference (json, a, b);
}

static void
add_worst (ReportJson * json, const ReportPicturesResult * result)
{
  report_json_begin_array (json, "worst");
  for (guint k = 0; result != NULL && k < result->worst->len; k++) {
    const ReportFrameDifference *difference = &g_array_index (result->worst, ReportFrameDifference, k);

    report_json_begin_object (json, NULL);
    add_place (json, &difference->pair.a);
    report_json_set_key (json, "psnr");
    report_json_add_number (json, difference->pair.psnr);
    report_json_set_key (json, "ssim");
    report_json_add_number (json, difference->pair.ssim);
    report_json_add_int (json, "x", difference->x);
    report_json_add_int (json, "y", difference->y);
    report_json_add_int (json, "width", difference->width);
    report_json_add_int (json, "height", difference->height);
    add_pictures (json, difference);
    report_json_end_object (json);
  }
  report_json_end_array (json);
}

/* ---- The page ------------------------------------------------------------------------------------ */

static void
add_stream (ReportJson * json, const ReportStreamComparison * compared)
{
  const ReportStreamSummary *stream = compared->streams[0] != NULL ? compared->streams[0] : compared->streams[1];

  report_json_begin_object (json, NULL);
  report_json_add_text (json, "title", stream->stream->title);
  report_json_add_text (json, "verdict", report_comparison_verdict_words[compared->verdict]);
  report_json_begin_array (json, "reasons");
  for (guint i = 0; i < compared->reasons->len; i++)
    report_json_put_text (json, compared->reasons->pdata[i]);
  report_json_end_array (json);
  if (compared->pictures != NULL) {
    report_json_begin_object (json, "pairs");
    add_points (json, "psnr", compared->pictures, G_STRUCT_OFFSET (ReportFramePair, psnr));
    add_points (json, "ssim", compared->pictures, G_STRUCT_OFFSET (ReportFramePair, ssim));
    report_json_end_object (json);
  }
  if (compared->sound != NULL)
    add_sound (json, compared->sound);
  add_unpaired (json, compared->pictures);
  add_moments (json, compared->pictures);
  add_worst (json, compared->pictures);
  report_json_end_object (json);
}

static gchar *
describe (const ReportComparison * comparison)
{
  ReportJson *json = report_json_new (FALSE);

  report_json_begin_object (json, NULL);
  report_json_add_text (json, "generator", "cudahisto-report " PACKAGE_VERSION);
  report_json_add_int (json, "mostPsnr", MOST_PSNR);
  report_json_add_double (json, "leastLevel", LEAST_LEVEL);
  report_json_begin_array (json, "streams");
  for (guint i = 0; i < comparison->streams->len; i++)
    add_stream (json, comparison->streams->pdata[i]);
  report_json_end_array (json);
  report_json_end_object (json);
  return report_template_json (json);
}

typedef struct
{
  const ReportComparison *comparison;
  const gchar *text;
} Places;

static gboolean
put_place (const gchar * place, gpointer data, GOutputStream * to, GError ** error)
{
  const Places *places = data;
  const ReportComparison *comparison = places->comparison;
  g_autofree gchar *text = NULL;

  if (g_str_equal (place, "description")) {
    text = describe (comparison);
    return report_template_put (to, text, error);
  }
  if (g_str_equal (place, "class"))
    text = g_strdup (comparison->verdict == REPORT_VERDICT_DIFFERENT ? "bad" : "good");
  else if (g_str_equal (place, "line"))
    text = g_strndup (places->text, strcspn (places->text, "\n"));
  else if (g_str_equal (place, "text"))
    text = g_strdup (places->text);
  else
    text = report_clean_text (g_strdup (comparison->inputs[g_str_equal (place, "b") ? 1 : 0]->name));
  return report_template_put_escaped (to, text, error);
}

/**
 * report_comparison_write_page:
 * @text: what the text says
 *
 * Returns: FALSE with an error if the page could not be written
 */
gboolean
report_comparison_write_page (const ReportComparison * comparison, const gchar * text, GOutputStream * to, GError ** error)
{
  Places places = { comparison, text };

  return report_template_write ("compare.html", put_place, &places, to, error);
}
