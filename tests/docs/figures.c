/* Keeps the table of figures in docs/result.md equal to the one in measures/measures.h.
 *
 *   figures [--update] docs/result.md
 *
 * The table lies between the lines `<!-- figures -->` and `<!-- /figures -->`. Without
 * --update the program compares, prints the table that should be there, and exits with 1 if
 * another one is there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "measures/measures.h"

#define BEGIN "<!-- figures -->\n"
#define END "<!-- /figures -->\n"

static const gchar *const type_names[] = {
  [HISTO_FIGURE_UINT64] = "guint64",
  [HISTO_FIGURE_UINT] = "uint",
  [HISTO_FIGURE_DOUBLE] = "double",
};

static GString *
make_table (void)
{
  GString *table = g_string_new ("\n| field | type | unit | definition |\n"
      "|---|---|---|---|\n");

  for (guint i = 0; i < HISTO_N_FIGURES; i++)
    g_string_append_printf (table, "| `%s` | %s | %s | %s |\n",
        histo_figures[i].name, type_names[histo_figures[i].type],
        histo_figures[i].unit, histo_figures[i].definition);
  g_string_append (table, "\n");
  return table;
}

int
main (int argc, char **argv)
{
  const gboolean update = argc > 2 && g_str_equal (argv[1], "--update");
  const gchar *path = argv[argc - 1];
  gchar *page, *begin = NULL, *end = NULL;
  GString *table = make_table ();
  GError *error = NULL;
  gboolean is_same;

  if (argc < 2 || !g_file_get_contents (path, &page, NULL, &error)) {
    g_printerr ("usage: figures [--update] docs/result.md: %s\n",
        error != NULL ? error->message : "no file");
    return 2;
  }
  begin = strstr (page, BEGIN);
  end = begin != NULL ? strstr (begin, END) : NULL;
  if (end == NULL) {
    g_printerr ("%s has no place for the table of figures\n", path);
    return 2;
  }
  begin += strlen (BEGIN);
  is_same = strlen (table->str) == (gsize) (end - begin)
      && memcmp (begin, table->str, end - begin) == 0;
  if (!is_same && update) {
    g_string_prepend_len (table, page, begin - page);
    g_string_append (table, end);
    if (!g_file_set_contents (path, table->str, table->len, &error)) {
      g_printerr ("%s\n", error->message);
      return 2;
    }
    is_same = TRUE;
  } else if (!is_same) {
    g_print ("The table of figures in %s must be:\n%s", path, table->str);
  }
  g_string_free (table, TRUE);
  g_free (page);
  return is_same ? 0 : 1;
}
