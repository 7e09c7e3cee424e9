/* Writes JSON as text; see json-text.h. The form is that of json-glib: one line without spaces, or pretty with an indentation of two.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/json-text.h"

#include <math.h>
#include <string.h>

/* Whole numbers below this are written exactly by their digits. */
#define MOST_WHOLE 1e15

struct _ReportJson
{
  GString *text;
  gboolean is_pretty;
  gboolean has_key;             /* of what is put next */
  gboolean is_empty;            /* the innermost array or object that has begun */
  guint depth;
};

/* Returns: (transfer full): */
ReportJson *
report_json_new (gboolean is_pretty)
{
  ReportJson *json = g_new0 (ReportJson, 1);

  json->text = g_string_new (NULL);
  json->is_pretty = is_pretty;
  json->is_empty = TRUE;
  return json;
}

void
report_json_free (ReportJson * json)
{
  if (json->text != NULL)
    g_string_free (json->text, TRUE);
  g_free (json);
}

static void
begin_line (ReportJson * json)
{
  if (!json->is_pretty)
    return;
  g_string_append_c (json->text, '\n');
  for (guint i = 0; i < json->depth; i++)
    g_string_append (json->text, "  ");
}

/* What stands before a value, or before the key of one. */
static void
begin_item (ReportJson * json)
{
  if (!json->is_empty)
    g_string_append_c (json->text, ',');
  if (json->depth > 0)
    begin_line (json);
  json->is_empty = FALSE;
}

static void
begin_value (ReportJson * json)
{
  if (!json->has_key)
    begin_item (json);
  json->has_key = FALSE;
}

/* Writes a text between quotation marks. */
static void
append_text (GString * to, const gchar * text)
{
  static const gchar letters[] = "btnvfr";      /* of '\b' to '\r' */

  g_string_append_c (to, '"');
  for (;;) {
    const gchar *plain = text;

    while (*text != '"' && *text != '\\' && *text != '\177' && ((guchar) *text >= 0x20))
      text++;
    g_string_append_len (to, plain, text - plain);
    if (*text == '\0')
      break;
    if (*text == '"' || *text == '\\')
      g_string_append_printf (to, "\\%c", *text);
    else if (*text >= '\b' && *text <= '\r' && *text != '\v')
      g_string_append_printf (to, "\\%c", letters[*text - '\b']);
    else
      g_string_append_printf (to, "\\u%04x", (guint) (guchar) * text);
    text++;
  }
  g_string_append_c (to, '"');
}

void
report_json_set_key (ReportJson * json, const gchar * key)
{
  begin_item (json);
  append_text (json->text, key);
  g_string_append (json->text, json->is_pretty ? " : " : ":");
  json->has_key = TRUE;
}

static void
begin (ReportJson * json, const gchar * key, gchar bracket)
{
  if (key != NULL)
    report_json_set_key (json, key);
  begin_value (json);
  g_string_append_c (json->text, bracket);
  json->is_empty = TRUE;
  json->depth++;
}

static void
end (ReportJson * json, gchar bracket)
{
  json->depth--;
  if (!json->is_empty)
    begin_line (json);
  g_string_append_c (json->text, bracket);
  json->is_empty = FALSE;
}

void
report_json_begin_object (ReportJson * json, const gchar * key)
{
  begin (json, key, '{');
}

void
report_json_end_object (ReportJson * json)
{
  end (json, '}');
}

void
report_json_begin_array (ReportJson * json, const gchar * key)
{
  begin (json, key, '[');
}

void
report_json_end_array (ReportJson * json)
{
  end (json, ']');
}

static void
append_int (GString * to, gint64 number)
{
  gchar digits[20];
  guint64 rest = number < 0 ? -(guint64) number : (guint64) number;
  guint n = 0;

  do
    digits[sizeof digits - ++n] = '0' + (gchar) (rest % 10);
  while ((rest /= 10) > 0);
  if (number < 0)
    g_string_append_c (to, '-');
  g_string_append_len (to, digits + sizeof digits - n, n);
}

void
report_json_put_int (ReportJson * json, gint64 number)
{
  begin_value (json);
  append_int (json->text, number);
}

/* @number: null if it is infinite or NaN, which JSON has not
 *
 * 17 digits tell each number from all others. A whole one gets a point, so that it is no int when it is read again. */
void
report_json_put_double (ReportJson * json, gdouble number)
{
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (number)) {
    report_json_put_null (json);
    return;
  }
  begin_value (json);
  if (fabs (number) < MOST_WHOLE && number == trunc (number) && !(number == 0 && signbit (number))) {
    append_int (json->text, (gint64) number);
    g_string_append (json->text, ".0");
    return;
  }
  g_string_append (json->text, g_ascii_dtostr (digits, sizeof digits, number));
  if (strpbrk (digits, ".e") == NULL)
    g_string_append (json->text, ".0");
}

/* @number: null if it is infinite or NaN; @n_decimals: digits behind the point, 1 or more */
void
report_json_put_rounded (ReportJson * json, gdouble number, guint n_decimals)
{
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE], format[8];

  /* Of a larger number no digit is behind the point, and all digits would not fit. */
  if (!isfinite (number) || fabs (number) >= MOST_WHOLE) {
    report_json_put_double (json, number);
    return;
  }
  begin_value (json);
  g_snprintf (format, sizeof format, "%%.%uf", n_decimals);
  g_string_append (json->text, g_ascii_formatd (digits, sizeof digits, format, number));
}

/* @text: (nullable): UTF-8; NULL: null */
void
report_json_put_text (ReportJson * json, const gchar * text)
{
  if (text == NULL) {
    report_json_put_null (json);
    return;
  }
  begin_value (json);
  append_text (json->text, text);
}

void
report_json_put_boolean (ReportJson * json, gboolean is_true)
{
  begin_value (json);
  g_string_append (json->text, is_true ? "true" : "false");
}

void
report_json_put_null (ReportJson * json)
{
  begin_value (json);
  g_string_append (json->text, "null");
}

/* Returns: (transfer none): what has been written */
GString *
report_json_get_text (ReportJson * json)
{
  return json->text;
}

/* Takes out what has been written. */
void
report_json_clear (ReportJson * json)
{
  g_string_truncate (json->text, 0);
  json->is_empty = TRUE;
}

/* @json: (transfer full):
 *
 * Returns: (transfer full): what has been written */
GString *
report_json_finish (ReportJson * json)
{
  GString *text = g_steal_pointer (&json->text);

  report_json_free (json);
  return text;
}
