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
add_explanation (ReportJson * json, const ReportSoundExplanation * explanation)
{
  report_json_begin_object (json, NULL);
  report_json_add_text (json, "change", report_sound_change_names[explanation->change]);
  report_json_add_text (json, "text", explanation->text);
  report_json_set_key (json, "guess");
  report_json_put_boolean (json, explanation->is_guess);
  report_json_add_double (json, "value", explanation->value);
  report_json_add_double (json, "before", explanation->before);
  report_json_add_double (json, "after", explanation->after);
  report_json_add_time (json, "start", explanation->start);
  report_json_add_time (json, "end", explanation->end);
  report_json_end_object (json);
}

static void
add_two (ReportJson * json, const gchar * key, const guint64 numbers[2])
{
  report_json_begin_object (json, key);
  for (guint s = 0; s < 2; s++)
    report_json_add_int (json, side_keys[s], numbers[s]);
  report_json_end_object (json);
}

/* Adds members. @difference: of sound that was compared */
void
report_sound_write_json (const ReportSoundDifference * difference, ReportJson * json)
{
  report_json_set_key (json, "equal");
  report_json_put_boolean (json, difference->is_equal);
  report_json_add_int (json, "rate", difference->rate);
  report_json_add_int (json, "channels", difference->n_channels);
  add_two (json, "samples", difference->n);
  report_json_add_int (json, "compared", difference->n_compared);
  add_two (json, "unpaired", difference->n_unpaired);
  add_two (json, "not-finite", difference->n_not_finite);
  report_json_add_int (json, "different", difference->n_different);
  report_json_add_time (json, "first", difference->first);
  report_json_add_double (json, "largest", difference->largest);
  report_json_add_double (json, "relative", difference->relative);
  report_json_add_double (json, "absolute", difference->absolute);
  report_json_add_time (json, "worst", difference->worst);
  report_json_add_double (json, "worst-relative", difference->worst_relative);
  report_json_add_double (json, "worst-absolute", difference->worst_absolute);
  report_json_set_key (json, "delay");
  report_json_put_int (json, difference->delay);
  report_json_set_key (json, "delay-open");
  report_json_put_boolean (json, difference->is_delay_open);
  report_json_begin_array (json, "explanations");
  for (guint i = 0; i < difference->explanations->len; i++)
    add_explanation (json, difference->explanations->pdata[i]);
  report_json_end_array (json);
}
