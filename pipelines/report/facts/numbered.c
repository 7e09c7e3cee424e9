/* The files that a pattern names; see numbered.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "facts/numbered.h"

#include <string.h>

#include "base/interrupt.h"

/* Numbers have at most so many digits. */
#define MOST_DIGITS 18

/* Appends text up to the next conversion, in which %% is a %.
 * Returns: the conversion, or the end */
static const gchar *
take_text (const gchar * from, GString * text)
{
  while (*from != '\0' && (*from != '%' || from[1] == '%')) {
    g_string_append_c (text, *from);
    from += *from == '%' ? 2 : 1;
  }
  return from;
}

/* Returns: FALSE if it is no name with one number, such as "frame-%04d.png" */
static gboolean
parse (const gchar * name, ReportNumbered * numbered)
{
  GString *before = g_string_new (NULL), *after = g_string_new (NULL);
  const gchar *p = take_text (name, before);
  gboolean ok = FALSE;

  if (*p == '%') {
    p++;
    numbered->n_digits = 1;
    if (*p == '0' && g_ascii_isdigit (p[1]) && p[1] != '0') {
      numbered->n_digits = p[1] - '0';
      p += 2;
    }
    ok = *p == 'd' && *take_text (p + 1, after) == '\0';
  }
  numbered->before = g_string_free (before, FALSE);
  numbered->after = g_string_free (after, FALSE);
  return ok;
}

/* Returns: FALSE: printf() does not write the name so */
static gboolean
read_number (const ReportNumbered * numbered, const gchar * name,
    guint64 * number)
{
  const gsize n_before = strlen (numbered->before), n_after = strlen (numbered->after);
  const gsize n = strlen (name);
  const gchar *digits = name + n_before;
  gsize n_digits;

  if (n <= n_before + n_after || !g_str_has_prefix (name, numbered->before)
      || !g_str_has_suffix (name, numbered->after))
    return FALSE;
  n_digits = n - n_before - n_after;
  *number = 0;
  for (gsize i = 0; i < n_digits; i++) {
    if (n_digits > MOST_DIGITS || !g_ascii_isdigit (digits[i]))
      return FALSE;
    *number = 10 * *number + (digits[i] - '0');
  }
  return n_digits == numbered->n_digits || (n_digits > numbered->n_digits && digits[0] != '0');
}

static gint
compare_numbers (gconstpointer a, gconstpointer b)
{
  const guint64 one = *(const guint64 *) a, other = *(const guint64 *) b;

  return one < other ? -1 : one > other;
}

/**
 * report_numbered_find:
 * @numbered: (out): to be cleared, whatever is returned
 *
 * A pattern names its files, and so follows links. Hidden files and folders are none of them.
 *
 * Returns: whether the last part of the name is a pattern; @error is set if its folder cannot be read
 */
gboolean
report_numbered_find (ReportNumbered * numbered, const gchar * pattern,
    GError ** error)
{
  g_autofree gchar *base = g_path_get_basename (pattern);
  g_autoptr (GDir) folder = NULL;
  const gchar *name;
  guint64 number;

  *numbered = (ReportNumbered) {
    .folder = g_path_get_dirname (pattern),.numbers = g_array_new (FALSE, FALSE, sizeof number)
  };
  if (!parse (base, numbered))
    return FALSE;
  folder = g_dir_open (numbered->folder, 0, error);
  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL && report_interrupt_signal () == 0) {
    g_autofree gchar *path = g_build_filename (numbered->folder, name, NULL);

    if (name[0] != '.' && read_number (numbered, name, &number) && !g_file_test (path, G_FILE_TEST_IS_DIR))
      g_array_append_val (numbered->numbers, number);
  }
  g_array_sort (numbered->numbers, compare_numbers);
  return TRUE;
}

void
report_numbered_clear (ReportNumbered * numbered)
{
  g_free (numbered->folder);
  g_free (numbered->before);
  g_free (numbered->after);
  g_array_unref (numbered->numbers);
}

/* Returns: (transfer full): the path of the i-th file, from 0 on */
gchar *
report_numbered_path (const ReportNumbered * numbered, guint i)
{
  g_autofree gchar *name = g_strdup_printf ("%s%0*" G_GUINT64_FORMAT "%s", numbered->before,
      (gint) numbered->n_digits, g_array_index (numbered->numbers, guint64, i), numbered->after);

  return g_build_filename (numbered->folder, name, NULL);
}

/* Returns: (transfer full) (nullable): which numbers are missing between the i-th file and the one before it; NULL: none */
gchar *
report_numbered_gap (const ReportNumbered * numbered, guint i)
{
  const guint64 number = g_array_index (numbered->numbers, guint64, i);
  const guint64 next = i > 0 ? g_array_index (numbered->numbers, guint64, i - 1) + 1 : number;

  if (next >= number)
    return NULL;
  return number - next == 1 ? g_strdup_printf ("image %" G_GUINT64_FORMAT " is missing", next) :
      g_strdup_printf ("images %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT " are missing", next, number - 1);
}
