/* How a difference of sound is written; see sound-writer.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/sound-writer.h"

#include <math.h>

#include "base/describe.h"
#include "summary/json.h"

static const gchar *const side_keys[] = { "a", "b" };

/* Appends dB with one digit: never "-0.0". */
static void
append_decibels (GString * text, const gchar * before, gdouble decibels, const gchar * behind)
{
  g_string_append_printf (text, "%s%.1f %s", before, rint (decibels * 10) / 10 + 0.0, behind);
}

/* @label: see report_sound_write_text() */
static void
append_explanation (GString * text, const ReportSoundExplanation * explanation, const gchar * label)
{
  g_string_append_printf (text, label, explanation->is_guess ? "a guess" : "explained by");
  g_string_append (text, explanation->text);
  if (!isnan (explanation->before))
    append_decibels (text, ": ", explanation->before, isnan (explanation->after) ? "dB of A" : "dB of A without it");
  if (explanation->after == -INFINITY)
    g_string_append (text, ", nothing with it");
  else if (!isnan (explanation->after))
    append_decibels (text, ", ", explanation->after, "dB with it");
  g_string_append_c (text, '\n');
}

static void
append_count (GString * text, const ReportSoundDifference * difference)
{
  const guint64 n = difference->n_compared * difference->n_channels;

  if (difference->n_different > 0)
    g_string_append_printf (text, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " samples differ", difference->n_different,
        n);
  else
    g_string_append_printf (text, "%s %" G_GUINT64_FORMAT " samples of %u channel%s are equal", difference->is_equal ?
        "all" : "the", n, difference->n_channels, report_plural (difference->n_channels));
  if (GST_CLOCK_TIME_IS_VALID (difference->first)) {
    g_string_append (text, "; the first difference is at ");
    report_append_time (text, difference->first);
  }
}

/* @difference: of sound that was compared
 * @label: how the begin of a line is printed: of a word */
void
report_sound_write_text (const ReportSoundDifference * difference, GString * text, const gchar * label)
{
  g_string_append_printf (text, label, "sound");
  append_count (text, difference);
  g_string_append_c (text, '\n');
  if (difference->n_different > 0 && isfinite (difference->absolute)) {
    g_string_append_printf (text, label, "difference");
    append_decibels (text, "", difference->relative, "dB of A");
    append_decibels (text, ", ", difference->absolute, "dBFS");
    append_decibels (text, "; in the worst second ", difference->worst_relative, "dB of A");
    append_decibels (text, ", ", difference->worst_absolute, "dBFS, at ");
    report_append_time (text, difference->worst);
    g_string_append_c (text, '\n');
  }
  for (guint i = 0; i < difference->explanations->len; i++)
    append_explanation (text, difference->explanations->pdata[i], label);
}

static void
add_explanation (JsonBuilder * builder, const ReportSoundExplanation * explanation)
{
  json_builder_begin_object (builder);
  report_json_add_text (builder, "change", report_sound_change_names[explanation->change]);
  report_json_add_text (builder, "text", explanation->text);
  json_builder_set_member_name (builder, "guess");
  json_builder_add_boolean_value (builder, explanation->is_guess);
  report_json_add_double (builder, "value", explanation->value);
  report_json_add_double (builder, "before", explanation->before);
  report_json_add_double (builder, "after", explanation->after);
  report_json_add_time (builder, "start", explanation->start);
  report_json_add_time (builder, "end", explanation->end);
  json_builder_end_object (builder);
}

static void
add_two (JsonBuilder * builder, const gchar * key, const guint64 numbers[2])
{
  report_json_begin_object (builder, key);
  for (guint s = 0; s < 2; s++)
    report_json_add_int (builder, side_keys[s], numbers[s]);
  json_builder_end_object (builder);
}

/* Adds members. @difference: of sound that was compared */
void
report_sound_write_json (const ReportSoundDifference * difference, JsonBuilder * builder)
{
  json_builder_set_member_name (builder, "equal");
  json_builder_add_boolean_value (builder, difference->is_equal);
  report_json_add_int (builder, "rate", difference->rate);
  report_json_add_int (builder, "channels", difference->n_channels);
  add_two (builder, "samples", difference->n);
  report_json_add_int (builder, "compared", difference->n_compared);
  add_two (builder, "unpaired", difference->n_unpaired);
  add_two (builder, "not-finite", difference->n_not_finite);
  report_json_add_int (builder, "different", difference->n_different);
  report_json_add_time (builder, "first", difference->first);
  report_json_add_double (builder, "largest", difference->largest);
  report_json_add_double (builder, "relative", difference->relative);
  report_json_add_double (builder, "absolute", difference->absolute);
  report_json_add_time (builder, "worst", difference->worst);
  report_json_add_double (builder, "worst-relative", difference->worst_relative);
  report_json_add_double (builder, "worst-absolute", difference->worst_absolute);
  json_builder_set_member_name (builder, "delay");
  json_builder_add_int_value (builder, difference->delay);
  json_builder_set_member_name (builder, "delay-open");
  json_builder_add_boolean_value (builder, difference->is_delay_open);
  report_json_begin_array (builder, "explanations");
  for (guint i = 0; i < difference->explanations->len; i++)
    add_explanation (builder, difference->explanations->pdata[i]);
  json_builder_end_array (builder);
}
