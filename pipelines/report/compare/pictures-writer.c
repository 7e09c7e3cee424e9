/* Writes the comparison of pictures; see pictures-writer.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/pictures-writer.h"

#include <math.h>

#include "base/describe.h"
#include "summary/json.h"

/* The text lists so many places where frames have no counterpart. JSON has all. */
#define MOST_LISTED 10

/* ---- Text ---------------------------------------------------------------------------------------- */

static void
append_time (GString * text, guint64 time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    report_append_time (text, time);
  else
    g_string_append (text, "an unknown time");
}

static void
append_place (GString * text, const ReportPlace * place)
{
  g_string_append_printf (text, "frame %" G_GUINT64_FORMAT " at ", place->number);
  append_time (text, place->time);
}

static void
append_number (GString * text, const gchar * format, gdouble number)
{
  if (isnan (number))
    g_string_append (text, "-");
  else if (isinf (number))
    g_string_append (text, "inf");
  else
    g_string_append_printf (text, format, number);
}

/* A line for each component: PSNR and SSIM, of all frames and the least of a frame. */
static void
append_components (GString * text, const ReportPicturesResult * result, const gchar * label)
{
  for (guint c = 0; c < result->n_components; c++) {
    const ReportPicturesComponent *component = &result->components[c];

    g_string_append_printf (text, label, component->name);
    g_string_append (text, "PSNR ");
    append_number (text, "%.2f", report_pictures_psnr (component));
    g_string_append (text, " dB (least ");
    append_number (text, "%.2f", component->least_psnr);
    g_string_append (text, "), SSIM ");
    append_number (text, "%.5f", component->ssim / (gdouble) result->pairs->len);
    g_string_append (text, " (least ");
    append_number (text, "%.5f", component->least_ssim);
    g_string_append (text, ")");
    if (component->n_xpsnr > 0) {
      g_string_append (text, ", XPSNR ");
      append_number (text, "%.2f", component->xpsnr / (gdouble) component->n_xpsnr);
      g_string_append (text, " dB");
    }
    g_string_append_printf (text, ", largest difference %u\n", component->max_difference);
  }
}

static void
append_difference (GString * text, const gchar * label, const gchar * what, const ReportFrameDifference * difference)
{
  g_string_append_printf (text, label, what);
  append_place (text, &difference->pair.a);
  g_string_append_printf (text, ": %u x %u pixels at (%u, %u), PSNR ", difference->width, difference->height,
      difference->x, difference->y);
  append_number (text, "%.2f", difference->pair.psnr);
  g_string_append (text, " dB, SSIM ");
  append_number (text, "%.5f", difference->pair.ssim);
  g_string_append_c (text, '\n');
}

/* Returns: (transfer full): "B is black at 0:00:02.000" */
gchar *
report_moment_describe (const ReportPicturesResult * result, const ReportMoment * moment)
{
  GString *text = g_string_new (NULL);

  if (moment->kind == REPORT_MOMENT_MISFIT)
    g_string_append_printf (text, "%" G_GUINT64_FORMAT " frame%s %s", moment->n, report_plural (moment->n), result->is_explained ?
        moment->n == 1 ? "does not fit the explanation" : "do not fit the explanation" :
        moment->n == 1 ? "differs far more," : "differ far more,");
  else
    g_string_append_printf (text, "%s %s", moment->side == 0 ? "A" : "B", report_moment_texts[moment->kind]);
  g_string_append (text, moment->n == 1 ? " at " : " from ");
  append_time (text, moment->first.time);
  if (moment->n > 1) {
    g_string_append (text, " to ");
    append_time (text, moment->last.time);
  }
  if (moment->kind == REPORT_MOMENT_MISFIT)
    g_string_append_printf (text, " (%s%.1f dB", moment->n == 1 ? "" : "least ", moment->least_psnr);
  else if (moment->n > 1)
    g_string_append_printf (text, " (%" G_GUINT64_FORMAT " frames)", moment->n);
  if (moment->kind == REPORT_MOMENT_MISFIT && result->is_explained)
    g_string_append (text, " after it)");
  else if (moment->kind == REPORT_MOMENT_MISFIT)
    g_string_append_printf (text, ", the others about %.0f dB)", result->usual_psnr);
  return g_string_free (text, FALSE);
}

/* @label: how the begin of a line is printed: of a word */
void
report_pictures_write_text (const ReportPicturesResult * result, GString * text, const gchar * label)
{
  const guint n = result->pairs->len;

  g_string_append_printf (text, label, "pictures");
  g_string_append_printf (text, "%u of %u pairs of frames are equal\n", (guint) result->n_equal, n);
  for (guint i = 0; i < MIN (result->unpaired->len, MOST_LISTED); i++) {
    const ReportUnpaired *unpaired = &g_array_index (result->unpaired, ReportUnpaired, i);

    g_string_append_printf (text, label, unpaired->side == 0 ? "only in A" : "only in B");
    g_string_append_printf (text, "%" G_GUINT64_FORMAT " frame%s from ", unpaired->n, report_plural (unpaired->n));
    append_place (text, &unpaired->first);
    if (unpaired->n_repeated > 0)
      g_string_append_printf (text, ", %" G_GUINT64_FORMAT " of them repeated", unpaired->n_repeated);
    g_string_append_c (text, '\n');
  }
  if (result->unpaired->len > MOST_LISTED)
    g_string_append_printf (text, "    and %u more places; --json lists all\n", result->unpaired->len - MOST_LISTED);
  if (result->worst->len == 0)
    return;
  g_string_append_printf (text, label, "all components");
  g_string_append (text, "PSNR ");
  append_number (text, "%.2f", report_pictures_total_psnr (result));
  g_string_append (text, " dB, SSIM ");
  append_number (text, "%.5f", report_pictures_total_ssim (result));
  g_string_append_c (text, '\n');
  append_components (text, result, label);
  append_difference (text, label, "first", &result->first);
  append_difference (text, label, "worst", &g_array_index (result->worst, ReportFrameDifference, 0));
  if (!result->is_explained)
    return;
  g_string_append_printf (text, label, "explained by");
  g_string_append_printf (text, "%s: PSNR%s ", result->explanation.text,
      result->explanation.is_luma ? " of luma" : "");
  append_number (text, "%.1f", result->explanation.after);
  g_string_append (text, " dB after it, ");
  append_number (text, "%.1f", result->explanation.before);
  g_string_append_printf (text, " dB without it, in the %u frame%s looked at; it fits %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
      " frames with which it was tried\n", result->explanation.n_frames, report_plural (result->explanation.n_frames),
      result->explanation.n_fit, result->explanation.n_tried);
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static void
add_place (ReportJson * json, const gchar * key, const ReportPlace * place)
{
  report_json_begin_object (json, key);
  report_json_add_int (json, "frame", place->number);
  report_json_add_time (json, "time", place->time);
  report_json_end_object (json);
}

static void
add_rectangle (ReportJson * json, guint x, guint y, guint width, guint height)
{
  report_json_add_int (json, "x", x);
  report_json_add_int (json, "y", y);
  report_json_add_int (json, "width", width);
  report_json_add_int (json, "height", height);
}

static void
add_difference (ReportJson * json, const ReportFrameDifference * difference)
{
  add_place (json, "a", &difference->pair.a);
  add_place (json, "b", &difference->pair.b);
  report_json_add_double (json, "psnr", difference->pair.psnr);
  report_json_add_double (json, "ssim", difference->pair.ssim);
  add_rectangle (json, difference->x, difference->y, difference->width, difference->height);
}

static void
add_components (ReportJson * json, const ReportPicturesResult * result)
{
  report_json_begin_object (json, "components");
  for (guint c = 0; c < result->n_components; c++) {
    const ReportPicturesComponent *component = &result->components[c];

    report_json_begin_object (json, component->name);
    report_json_add_int (json, "count", component->count);
    report_json_add_int (json, "different", component->different);
    report_json_add_int (json, "max-difference", component->max_difference);
    report_json_add_int (json, "sse", component->sse);
    report_json_add_double (json, "psnr", report_pictures_psnr (component));
    report_json_add_double (json, "least-psnr", component->least_psnr);
    report_json_add_double (json, "ssim", component->ssim / (gdouble) result->pairs->len);
    report_json_add_double (json, "least-ssim", component->least_ssim);
    if (component->n_xpsnr > 0)
      report_json_add_double (json, "xpsnr", component->xpsnr / (gdouble) component->n_xpsnr);
    report_json_end_object (json);
  }
  report_json_end_object (json);
}

static void
add_unpaired (ReportJson * json, const ReportPicturesResult * result)
{
  report_json_begin_array (json, "unpaired");
  for (guint i = 0; i < result->unpaired->len; i++) {
    const ReportUnpaired *unpaired = &g_array_index (result->unpaired, ReportUnpaired, i);

    report_json_begin_object (json, NULL);
    report_json_add_text (json, "in", unpaired->side == 0 ? "a" : "b");
    report_json_add_int (json, "frames", unpaired->n);
    report_json_add_int (json, "repeated", unpaired->n_repeated);
    report_json_add_int (json, "first", unpaired->first.number);
    report_json_add_int (json, "last", unpaired->last.number);
    report_json_add_time (json, "start", unpaired->first.time);
    if (GST_CLOCK_TIME_IS_VALID (unpaired->first.time))
      report_json_add_time (json, "end", unpaired->end);
    report_json_end_object (json);
  }
  report_json_end_array (json);
}

static void
add_shifts (ReportJson * json, const ReportPicturesResult * result)
{
  report_json_begin_array (json, "shifts");
  for (guint i = 0; i < result->shifts->len; i++) {
    const ReportTimeShift *shift = &g_array_index (result->shifts, ReportTimeShift, i);

    report_json_begin_object (json, NULL);
    add_place (json, "from", &shift->from);
    report_json_set_key (json, "shift");
    report_json_put_int (json, shift->shift);
    report_json_end_object (json);
  }
  report_json_end_array (json);
}

static void
add_moments (ReportJson * json, const ReportPicturesResult * result)
{
  report_json_begin_array (json, "moments");
  for (guint i = 0; i < result->moments->len; i++) {
    const ReportMoment *moment = &g_array_index (result->moments, ReportMoment, i);

    report_json_begin_object (json, NULL);
    report_json_add_text (json, "is", report_moment_names[moment->kind]);
    if (moment->kind != REPORT_MOMENT_MISFIT)
      report_json_add_text (json, "in", moment->side == 0 ? "a" : "b");
    report_json_add_int (json, "frames", moment->n);
    report_json_add_int (json, "first", moment->first.number);
    report_json_add_int (json, "last", moment->last.number);
    report_json_add_time (json, "start", moment->first.time);
    report_json_add_time (json, "end", moment->last.time);
    report_json_add_double (json, "least-psnr", moment->least_psnr);
    report_json_end_object (json);
  }
  report_json_end_array (json);
}

static void
add_explanation (ReportJson * json, const ReportExplanation * explanation)
{
  report_json_begin_object (json, "explanation");
  report_json_add_text (json, "change", report_change_names[explanation->change]);
  report_json_add_text (json, "text", explanation->text);
  if (explanation->change == REPORT_CHANGE_SHIFTED) {
    report_json_set_key (json, "dx");
    report_json_put_int (json, explanation->dx);
    report_json_set_key (json, "dy");
    report_json_put_int (json, explanation->dy);
  }
  report_json_add_double (json, "psnr-before", explanation->before);
  report_json_add_double (json, "psnr-after", explanation->after);
  report_json_add_int (json, "frames", explanation->n_frames);
  report_json_add_int (json, "tried", explanation->n_tried);
  report_json_add_int (json, "fit", explanation->n_fit);
  report_json_end_object (json);
}

/* Adds the members of an object. */
void
report_pictures_write_json (const ReportPicturesResult * result, ReportJson * json)
{
  report_json_begin_object (json, "frames");
  report_json_add_int (json, "a", result->n_frames[0]);
  report_json_add_int (json, "b", result->n_frames[1]);
  report_json_end_object (json);
  report_json_add_int (json, "pairs", result->pairs->len);
  report_json_add_int (json, "equal", result->n_equal);
  report_json_add_text (json, "cut", result->cut);
  report_json_add_text (json, "format", result->format);
  report_json_add_double (json, "psnr", report_pictures_total_psnr (result));
  report_json_add_double (json, "ssim", report_pictures_total_ssim (result));
  add_unpaired (json, result);
  add_shifts (json, result);
  add_components (json, result);
  if (result->worst->len == 0)
    return;
  report_json_begin_object (json, "first");
  add_difference (json, &result->first);
  report_json_end_object (json);
  report_json_begin_array (json, "worst");
  for (guint i = 0; i < result->worst->len; i++) {
    report_json_begin_object (json, NULL);
    add_difference (json, &g_array_index (result->worst, ReportFrameDifference, i));
    report_json_end_object (json);
  }
  report_json_end_array (json);
  report_json_begin_object (json, "rectangle");
  add_rectangle (json, result->x, result->y, result->width_all, result->height_all);
  report_json_end_object (json);
  add_moments (json, result);
  if (result->is_explained)
    add_explanation (json, &result->explanation);
}
