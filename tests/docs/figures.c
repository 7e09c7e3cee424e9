/* Keeps the tables of figures in docs/result.md equal to those of the code.
 *
 *   figures [--update] docs/result.md
 *
 * Each table lies between two lines: `<!-- NAME -->` and `<!-- /NAME -->`. Without --update the
 * program compares, prints the tables that should be there, and exits with 1 if one is another.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "measures/level.h"
#include "measures/loudness.h"

static const gchar *const type_names[] = {
  [HISTO_FIGURE_UINT64] = "guint64",
  [HISTO_FIGURE_UINT] = "uint",
  [HISTO_FIGURE_DOUBLE] = "double",
};

/* ---- The tables ------------------------------------------------------------------------- */

/* Returns: (transfer full): the text for a cell, in which | has a meaning */
static gchar *
escape (const gchar * text)
{
  gchar **parts = g_strsplit (text, "|", -1);
  gchar *escaped = g_strjoinv ("\\|", parts);

  g_strfreev (parts);
  return escaped;
}

/* @type: of the field */
static void
add_figure (GString * table, const HistoFigureInfo * figure,
    const gchar * type)
{
  gchar *definition = escape (figure->definition);

  g_string_append_printf (table, "| `%s` | %s | %s | %s |\n", figure->name,
      type, figure->unit, definition);
  g_free (definition);
}

static void
add_figures (GString * table, const HistoFigureInfo * figures, guint n)
{
  g_string_append (table, "| field | type | unit | definition |\n"
      "|---|---|---|---|\n");
  for (guint i = 0; i < n; i++)
    add_figure (table, &figures[i], type_names[figures[i].type]);
}

static void
add_component_figures (GString * table)
{
  add_figures (table, histo_figures, HISTO_N_FIGURES);
}

static void
add_groups (GString * table)
{
  g_string_append (table, "| group | media | what it measures |\n"
      "|---|---|---|\n");
  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++)
    g_string_append_printf (table, "| `%s` | %s | %s |\n",
        histo_groups[g].name, histo_groups[g].is_audio ? "audio" : "video",
        histo_groups[g].description);
}

static void
add_group_figures (GString * table)
{
  g_string_append (table, "| group | field | unit | definition |\n"
      "|---|---|---|---|\n");
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++)
    g_string_append_printf (table, "| `%s` | `%s` | %s | %s |\n",
        histo_groups[histo_group_figures[i].group].name,
        histo_group_figures[i].name, histo_group_figures[i].unit,
        histo_group_figures[i].definition);
}

static void
add_level (GString * table)
{
  add_figures (table, histo_level_figures, HISTO_N_LEVEL_FIGURES);
}

static void
add_loudness (GString * table)
{
  add_figures (table, histo_loudness_figures, HISTO_N_LOUDNESS_FIGURES);
  for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++)
    add_figure (table, &histo_loudness_arrays[i], "GST_TYPE_ARRAY of double");
}

static const struct
{
  const gchar *name;
  void (*add) (GString * table);
} tables[] = {
  {"figures", add_component_figures},
  {"groups", add_groups},
  {"group-figures", add_group_figures},
  {"level", add_level},
  {"loudness", add_loudness},
};

/* ---- The page --------------------------------------------------------------------------- */

/* Replaces one table.
 *
 * @page: (transfer full)
 * Returns: (transfer full) (nullable): the page with the table; %NULL if it has no place */
static gchar *
replace_table (gchar * page, const gchar * name, const gchar * table)
{
  gchar *begin = g_strdup_printf ("<!-- %s -->\n", name);
  gchar *end = g_strdup_printf ("<!-- /%s -->\n", name);
  gchar *from = strstr (page, begin), *to = NULL, *replaced = NULL;

  if (from != NULL) {
    from += strlen (begin);
    to = strstr (from, end);
  }
  if (to != NULL)
    replaced = g_strdup_printf ("%.*s\n%s\n%s", (int) (from - page), page,
        table, to);
  else
    g_printerr ("the page has no place for the table \"%s\"\n", name);
  g_free (begin);
  g_free (end);
  g_free (page);
  return replaced;
}

/* @is_update: whether nothing is printed
 * Returns: (transfer full) (nullable): the page with all tables */
static gchar *
replace_tables (const gchar * page, gboolean is_update)
{
  gchar *replaced = g_strdup (page);

  for (guint i = 0; replaced != NULL && i < G_N_ELEMENTS (tables); i++) {
    GString *table = g_string_new (NULL);
    gchar *before = g_strdup (replaced);

    tables[i].add (table);
    replaced = replace_table (replaced, tables[i].name, table->str);
    if (!is_update && replaced != NULL && !g_str_equal (before, replaced))
      g_print ("The table \"%s\" must be:\n\n%s", tables[i].name, table->str);
    g_string_free (table, TRUE);
    g_free (before);
  }
  return replaced;
}

int
main (int argc, char **argv)
{
  const gboolean is_update = argc > 2 && g_str_equal (argv[1], "--update");
  const gchar *path = argv[argc - 1];
  gchar *page, *replaced;
  GError *error = NULL;
  gboolean is_same;

  if (argc < 2 || !g_file_get_contents (path, &page, NULL, &error)) {
    g_printerr ("usage: figures [--update] docs/result.md: %s\n",
        error != NULL ? error->message : "no file");
    return 2;
  }
  replaced = replace_tables (page, is_update);
  if (replaced == NULL)
    return 2;
  is_same = g_str_equal (page, replaced);
  if (!is_same && is_update) {
    if (!g_file_set_contents (path, replaced, -1, &error)) {
      g_printerr ("%s\n", error->message);
      return 2;
    }
    is_same = TRUE;
  }
  g_free (page);
  g_free (replaced);
  return is_same ? 0 : 1;
}
