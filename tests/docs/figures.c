/* Keeps lists that cannot be made from the table of measures when the plugin is built equal to it:
 * the tables of docs/result.md, and _TABLE of the Python module.
 *
 *   figures [--update] FILE...
 *   figures --list
 *
 * Each list lies between two lines of its file. Without --update the program compares, prints the
 * lists that should be there, and exits with 1 if one is another.
 *
 * --list prints a line for each measure that docs/measures.md must name: its group, its name, and
 * the standard or program that has it, with tabs between them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <string.h>

#include "cudahisto/cudahisto.h"

/* ---- The tables of docs/result.md --------------------------------------------------------- */

static const gchar *const type_names[] = {
  [HISTO_FIGURE_UINT64] = "guint64",
  [HISTO_FIGURE_UINT] = "uint",
  [HISTO_FIGURE_DOUBLE] = "double",
  [HISTO_FIGURE_CHOICE] = "string",
};

/* Adds a cell, in which | has a meaning. */
static void
add_cell (GString * table, const gchar * format, ...)
{
  gchar *text, **parts, *escaped;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  parts = g_strsplit (text, "|", -1);
  escaped = g_strjoinv ("\\|", parts);
  g_string_append_printf (table, "| %s ", escaped);
  g_free (escaped);
  g_strfreev (parts);
  g_free (text);
}

/* @type: of the field */
static void
add_figure (GString * table, const HistoFigureInfo * figure,
    const gchar * type)
{
  add_cell (table, "`%s`", figure->name);
  add_cell (table, "%s", type);
  add_cell (table, "%s", figure->unit);
  add_cell (table, "%s", figure->definition);
  g_string_append (table, "|\n");
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

static const gchar *
name_formats (guint formats)
{
  switch (formats) {
    case HISTO_HAS_ANY:
      return "all";
    case HISTO_HAS_YUV | HISTO_HAS_RGB:
      return "YUV, RGB";
    case HISTO_HAS_YUV | HISTO_HAS_GRAY:
      return "YUV, grey";
    case HISTO_HAS_RGB:
      return "RGB";
  }
  g_error ("no words for the formats %u", formats);
}

/* Group by group. The components of `basic` have a chapter of their own. */
static void
add_components (GString * table)
{
  g_string_append (table, "| group | component | formats | unit | definition |\n"
      "|---|---|---|---|---|\n");
  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
    for (guint s = 0; s < HISTO_N_SOURCES; s++) {
      const HistoComponentInfo *info = &histo_components[s];

      if (info->group != g)
        continue;
      add_cell (table, "`%s`", histo_groups[g].name);
      add_cell (table, info->name != NULL ? "`%s`" :
          "one for each component of the format, with its name", info->name);
      add_cell (table, "%s", name_formats (info->formats));
      add_cell (table, "%s", info->unit);
      add_cell (table, "%s", info->definition);
      g_string_append (table, "|\n");
    }
  }
}

/* Of joint components. */
static void
add_joints (GString * table)
{
  g_string_append (table, "| component | formats | `x` | `y` | counts |\n"
      "|---|---|---|---|---|\n");
  for (guint j = 0; j < HISTO_N_JOINTS; j++) {
    const HistoJointInfo *info = &histo_joints[j];

    add_cell (table, "`%s`", info->name);
    add_cell (table, info->formats_with_color != 0 ?
        "%s; YUV if `color` is on, too" : "%s", name_formats (info->formats));
    add_cell (table, "`%s`", info->x);
    add_cell (table, "`%s`", info->y);
    add_cell (table, "%s", info->definition);
    g_string_append (table, "|\n");
  }
}

static void
add_group_figures (GString * table)
{
  g_string_append (table, "| group | field | type | unit | definition |\n"
      "|---|---|---|---|---|\n");
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const HistoGroupFigureInfo *info = &histo_group_figures[i];

    add_cell (table, "`%s`", histo_groups[info->group].name);
    add_cell (table, "`%s`", info->name);
    add_cell (table, "%s", type_names[info->type]);
    add_cell (table, "%s", info->unit);
    add_cell (table, "%s%s", info->window == HISTO_WINDOW_SUMS ? "" : "* ",
        info->definition);
    g_string_append (table, "|\n");
  }
}

static void
add_level (GString * table)
{
  add_figures (table, histo_level_figures, HISTO_N_LEVEL_FIGURES);
}

static void
add_pairs (GString * table)
{
  add_figures (table, histo_pair_figures, HISTO_N_PAIR_FIGURES);
}

static void
add_loudness (GString * table)
{
  add_figures (table, histo_loudness_figures, HISTO_N_LOUDNESS_FIGURES);
  for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++)
    add_figure (table, &histo_loudness_arrays[i], "GST_TYPE_ARRAY of double");
}

/* ---- The table of the Python module ------------------------------------------------------- */

/* Longer lines are divided. */
#define MOST_COLUMNS 99

/* Adds a name to the line that begins with the word @begin. The line is the last one, or a new one. */
static void
add_word (GString * table, const gchar * begin, const gchar * word)
{
  const gchar *end = strrchr (table->str, '\n');
  const gchar *line = end != NULL ? end + 1 : table->str;
  const gsize n = strlen (line);

  if (!g_str_has_prefix (line, begin) || line[strlen (begin)] != ' '
      || n + 1 + strlen (word) > MOST_COLUMNS)
    g_string_append_printf (table, "%s%s", n > 0 ? "\n" : "", begin);
  g_string_append_printf (table, " %s", word);
}

static const gchar *const python_types[] = {
  [HISTO_FIGURE_UINT64] = "UINT64",[HISTO_FIGURE_UINT] = "UINT",
  [HISTO_FIGURE_DOUBLE] = "DOUBLE",[HISTO_FIGURE_CHOICE] = "CHOICE"
};

static void
add_python_figures (GString * table, const gchar * place,
    const HistoFigureInfo * figures, guint n)
{
  for (guint type = 0; type < G_N_ELEMENTS (python_types); type++) {
    gchar *begin = g_strdup_printf ("%s %s", place, python_types[type]);

    for (guint i = 0; i < n; i++) {
      if (figures[i].type == type)
        add_word (table, begin, figures[i].name);
    }
    g_free (begin);
  }
}

static void
add_python_groups (GString * table)
{
  for (gint is_audio = 0; is_audio < 2; is_audio++) {
    for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
      if (histo_groups[g].is_audio == is_audio)
        add_word (table, is_audio ? "groups audio" : "groups video",
            histo_groups[g].name);
    }
  }
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const HistoGroupFigureInfo *info = &histo_group_figures[i];
    gchar *begin = g_strdup_printf ("%s %s", histo_groups[info->group].name,
        python_types[info->type]);

    add_word (table, begin, info->name);
    g_free (begin);
  }
  for (guint s = 0; s < HISTO_N_SOURCES; s++) {
    const HistoComponentInfo *info = &histo_components[s];
    gchar *begin = g_strdup_printf ("components %s %s%s%s",
        histo_groups[info->group].name,
        info->formats & HISTO_HAS_RGB ? "R" : "",
        info->formats & HISTO_HAS_YUV ? "U" : "",
        info->formats & HISTO_HAS_GRAY ? "Y" : "");

    if (info->name != NULL)
      add_word (table, begin, info->name);
    g_free (begin);
  }
  for (guint j = 0; j < HISTO_N_JOINTS; j++) {
    const HistoJointInfo *info = &histo_joints[j];

    g_string_append_printf (table, "\njoint %s %s %s %s", histo_groups[info->group].name, info->name, info->x, info->y);
  }
}

static void
add_python (GString * table)
{
  add_python_figures (table, "component", histo_figures, HISTO_N_FIGURES);
  add_python_figures (table, "level", histo_level_figures,
      HISTO_N_LEVEL_FIGURES);
  add_python_figures (table, "pair", histo_pair_figures, HISTO_N_PAIR_FIGURES);
  add_python_figures (table, "loudness", histo_loudness_figures,
      HISTO_N_LOUDNESS_FIGURES);
  for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++)
    add_word (table, "loudness DOUBLES", histo_loudness_arrays[i].name);
  add_python_groups (table);
  for (guint i = 0; i < HISTO_N_ALERTS; i++)
    add_word (table, "alerts", histo_alert_names[i]);
  g_string_append_printf (table, "\nmost bins %d\nmost components %d\n"
      "most channels %d\nmost regions %d\nmost zones %d\nmost depth %d\n", HISTO_MAX_BINS,
      HISTO_MAX_COMPONENTS, HISTO_MAX_CHANNELS, 2 * HISTO_MAX_REGIONS, HISTO_N_ZONES, HISTO_MAX_DEPTH);
}

/* ---- The lists ---------------------------------------------------------------------------- */

static const struct
{
  const gchar *file;            /* the end of its name */
  const gchar *begin, *end;     /* the lines before and after the list */
  void (*add) (GString * list);
} lists[] = {
#define TABLE(name, add) {"result.md", "<!-- " name " -->\n\n", "\n<!-- /" name " -->\n", add}
  TABLE ("figures", add_component_figures),
  TABLE ("groups", add_groups),
  TABLE ("components", add_components),
  TABLE ("joints", add_joints),
  TABLE ("group-figures", add_group_figures),
  TABLE ("level", add_level),
  TABLE ("pairs", add_pairs),
  TABLE ("loudness", add_loudness),
#undef TABLE
  {"__init__.py", "_TABLE = \"\"\"\\\n", "\"\"\"\n", add_python},
};

/* Replaces one list.
 *
 * @text: (transfer full)
 * Returns: (transfer full) (nullable): the text with the list; %NULL if it has no place */
static gchar *
replace_list (gchar * text, guint number, const gchar * list)
{
  gchar *from = strstr (text, lists[number].begin), *to = NULL, *replaced = NULL;

  if (from != NULL) {
    from += strlen (lists[number].begin);
    to = strstr (from, lists[number].end);
  }
  if (to != NULL)
    replaced = g_strdup_printf ("%.*s%s%s", (int) (from - text), text, list,
        to);
  else
    g_printerr ("%s has no lines %s … %s\n", lists[number].file,
        lists[number].begin, lists[number].end);
  g_free (text);
  return replaced;
}

/* @is_update: whether nothing is printed
 * Returns: (transfer full) (nullable): the file's text with all its lists */
static gchar *
replace_lists (const gchar * path, const gchar * text, gboolean is_update)
{
  gchar *replaced = g_strdup (text);

  for (guint i = 0; replaced != NULL && i < G_N_ELEMENTS (lists); i++) {
    GString *list = g_string_new (NULL);
    gchar *before = g_strdup (replaced);

    if (g_str_has_suffix (path, lists[i].file)) {
      lists[i].add (list);
      replaced = replace_list (replaced, i, list->str);
    }
    if (!is_update && replaced != NULL && !g_str_equal (before, replaced))
      printf ("In %s this must be after %s\n%s", path, lists[i].begin,
          list->str);
    g_string_free (list, TRUE);
    g_free (before);
  }
  return replaced;
}

/* Returns: whether the file has the lists, or has them now */
static gboolean
check_file (const gchar * path, gboolean is_update)
{
  gchar *text = NULL, *replaced = NULL;
  GError *error = NULL;
  gboolean ok = g_file_get_contents (path, &text, NULL, &error);

  if (ok) {
    replaced = replace_lists (path, text, is_update);
    ok = replaced != NULL && (g_str_equal (text, replaced) || (is_update
            && g_file_set_contents (path, replaced, -1, &error)));
  }
  if (error != NULL)
    g_printerr ("%s\n", error->message);
  g_clear_error (&error);
  g_free (text);
  g_free (replaced);
  return ok;
}

/* ---- What docs/measures.md must name ------------------------------------------------------ */

static void
list_figures (const gchar * group, const HistoFigureInfo * figures, guint n)
{
  for (guint i = 0; i < n; i++)
    printf ("%s\t%s\t%s\n", group, figures[i].name, figures[i].origin);
}

static void
list_measures (void)
{
  for (guint s = 0; s < HISTO_N_SOURCES; s++) {
    const HistoComponentInfo *info = &histo_components[s];

    if (info->name != NULL)
      printf ("%s\t%s\t%s\n", histo_groups[info->group].name, info->name,
          info->origin);
  }
  for (guint j = 0; j < HISTO_N_JOINTS; j++)
    printf ("%s\t%s\t%s\n", histo_groups[histo_joints[j].group].name,
        histo_joints[j].name, histo_joints[j].origin);
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++)
    printf ("%s\t%s\t%s\n", histo_groups[histo_group_figures[i].group].name,
        histo_group_figures[i].name, histo_group_figures[i].origin);
  list_figures ("level", histo_level_figures, HISTO_N_LEVEL_FIGURES);
  list_figures ("level", histo_pair_figures, HISTO_N_PAIR_FIGURES);
  list_figures ("loudness", histo_loudness_figures, HISTO_N_LOUDNESS_FIGURES);
  list_figures ("loudness", histo_loudness_arrays, HISTO_N_LOUDNESS_ARRAYS);
}

int
main (int argc, char **argv)
{
  const gboolean is_update = argc > 2 && g_str_equal (argv[1], "--update");
  gboolean ok = TRUE;

  if (argc == 2 && g_str_equal (argv[1], "--list")) {
    list_measures ();
    return 0;
  }
  if (argc < 2) {
    g_printerr ("usage: figures [--update] FILE... | --list\n");
    return 2;
  }
  for (gint i = is_update ? 2 : 1; i < argc; i++)
    ok &= check_file (argv[i], is_update);
  return ok ? 0 : 1;
}
