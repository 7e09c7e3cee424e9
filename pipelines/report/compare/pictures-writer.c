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
add_place (JsonBuilder * builder, const gchar * key, const ReportPlace * place)
{
  report_json_begin_object (builder, key);
  report_json_add_int (builder, "frame", place->number);
  report_json_add_time (builder, "time", place->time);
  json_builder_end_object (builder);
}

static void
add_rectangle (JsonBuilder * builder, guint x, guint y, guint width, guint height)
{
  report_json_add_int (builder, "x", x);
  report_json_add_int (builder, "y", y);
  report_json_add_int (builder, "width", width);
  report_json_add_int (builder, "height", height);
}

static void
add_difference (JsonBuilder * builder, const ReportFrameDifference * difference)
{
  add_place (builder, "a", &difference->pair.a);
  add_place (builder, "b", &difference->pair.b);
  report_json_add_double (builder, "psnr", difference->pair.psnr);
  report_json_add_double (builder, "ssim", difference->pair.ssim);
  add_rectangle (builder, difference->x, difference->y, difference->width, difference->height);
}

static void
add_components (JsonBuilder * builder, const ReportPicturesResult * result)
{
  report_json_begin_object (builder, "components");
  for (guint c = 0; c < result->n_components; c++) {
    const ReportPicturesComponent *component = &result->components[c];

    report_json_begin_object (builder, component->name);
    report_json_add_int (builder, "count", component->count);
    report_json_add_int (builder, "different", component->different);
    report_json_add_int (builder, "max-difference", component->max_difference);
    report_json_add_int (builder, "sse", component->sse);
    report_json_add_double (builder, "psnr", report_pictures_psnr (component));
    report_json_add_double (builder, "least-psnr", component->least_psnr);
    report_json_add_double (builder, "ssim", component->ssim / (gdouble) result->pairs->len);
    report_json_add_double (builder, "least-ssim", component->least_ssim);
    if (component->n_xpsnr > 0)
      report_json_add_double (builder, "xpsnr", component->xpsnr / (gdouble) component->n_xpsnr);
    json_builder_end_object (builder);
  }
  json_builder_end_object (builder);
}

static void
add_unpaired (JsonBuilder * builder, const ReportPicturesResult * result)
{
  report_json_begin_array (builder, "unpaired");
  for (guint i = 0; i < result->unpaired->len; i++) {
    const ReportUnpaired *unpaired = &g_array_index (result->unpaired, ReportUnpaired, i);

    json_builder_begin_object (builder);
    report_json_add_text (builder, "in", unpaired->side == 0 ? "a" : "b");
    report_json_add_int (builder, "frames", unpaired->n);
    report_json_add_int (builder, "repeated", unpaired->n_repeated);
    report_json_add_int (builder, "first", unpaired->first.number);
    report_json_add_int (builder, "last", unpaired->last.number);
    report_json_add_time (builder, "start", unpaired->first.time);
    if (GST_CLOCK_TIME_IS_VALID (unpaired->first.time))
      report_json_add_time (builder, "end", unpaired->end);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void
add_shifts (JsonBuilder * builder, const ReportPicturesResult * result)
{
  report_json_begin_array (builder, "shifts");
  for (guint i = 0; i < result->shifts->len; i++) {
    const ReportTimeShift *shift = &g_array_index (result->shifts, ReportTimeShift, i);

    json_builder_begin_object (builder);
    add_place (builder, "from", &shift->from);
    json_builder_set_member_name (builder, "shift");
    json_builder_add_int_value (builder, shift->shift);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void
add_moments (JsonBuilder * builder, const ReportPicturesResult * result)
{
  report_json_begin_array (builder, "moments");
  for (guint i = 0; i < result->moments->len; i++) {
    const ReportMoment *moment = &g_array_index (result->moments, ReportMoment, i);

    json_builder_begin_object (builder);
    report_json_add_text (builder, "is", report_moment_names[moment->kind]);
    if (moment->kind != REPORT_MOMENT_MISFIT)
      report_json_add_text (builder, "in", moment->side == 0 ? "a" : "b");
    report_json_add_int (builder, "frames", moment->n);
    report_json_add_int (builder, "first", moment->first.number);
    report_json_add_int (builder, "last", moment->last.number);
    report_json_add_time (builder, "start", moment->first.time);
    report_json_add_time (builder, "end", moment->last.time);
    report_json_add_double (builder, "least-psnr", moment->least_psnr);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void
add_explanation (JsonBuilder * builder, const ReportExplanation * explanation)
{
  report_json_begin_object (builder, "explanation");
  report_json_add_text (builder, "change", report_change_names[explanation->change]);
  report_json_add_text (builder, "text", explanation->text);
  if (explanation->change == REPORT_CHANGE_SHIFTED) {
    json_builder_set_member_name (builder, "dx");
    json_builder_add_int_value (builder, explanation->dx);
    json_builder_set_member_name (builder, "dy");
    json_builder_add_int_value (builder, explanation->dy);
  }
  report_json_add_double (builder, "psnr-before", explanation->before);
  report_json_add_double (builder, "psnr-after", explanation->after);
  report_json_add_int (builder, "frames", explanation->n_frames);
  report_json_add_int (builder, "tried", explanation->n_tried);
  report_json_add_int (builder, "fit", explanation->n_fit);
  json_builder_end_object (builder);
}

/* Adds the members of an object. */
void
report_pictures_write_json (const ReportPicturesResult * result, JsonBuilder * builder)
{
  report_json_begin_object (builder, "frames");
  report_json_add_int (builder, "a", result->n_frames[0]);
  report_json_add_int (builder, "b", result->n_frames[1]);
  json_builder_end_object (builder);
  report_json_add_int (builder, "pairs", result->pairs->len);
  report_json_add_int (builder, "equal", result->n_equal);
  report_json_add_text (builder, "cut", result->cut);
  report_json_add_text (builder, "format", result->format);
  report_json_add_double (builder, "psnr", report_pictures_total_psnr (result));
  report_json_add_double (builder, "ssim", report_pictures_total_ssim (result));
  add_unpaired (builder, result);
  add_shifts (builder, result);
  add_components (builder, result);
  if (result->worst->len == 0)
    return;
  report_json_begin_object (builder, "first");
  add_difference (builder, &result->first);
  json_builder_end_object (builder);
  report_json_begin_array (builder, "worst");
  for (guint i = 0; i < result->worst->len; i++) {
    json_builder_begin_object (builder);
    add_difference (builder, &g_array_index (result->worst, ReportFrameDifference, i));
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  report_json_begin_object (builder, "rectangle");
  add_rectangle (builder, result->x, result->y, result->width_all, result->height_all);
  json_builder_end_object (builder);
  add_moments (builder, result);
  if (result->is_explained)
    add_explanation (builder, &result->explanation);
}
