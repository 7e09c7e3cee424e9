/* The figures that rules can name; see rule-figures.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/rule-figures.h"

#include <gst/video/video.h>
#include <math.h>
#include <string.h>

#include "cudahisto/depth.h"

/* How the paths of comparisons begin, which are facts without "fact.". */
#define COMPARE "compare"

const HistoFactInfo histo_facts[HISTO_N_FACT_PATHS] = {
#define NUMBER(identifier, name, unit, definition) { name, FALSE, unit, definition, FALSE },
#define AT_END(identifier, name, unit, definition) { name, FALSE, unit, definition, TRUE },
#define WORD(identifier, name, unit, definition) { name, TRUE, unit, definition, FALSE },
  HISTO_FACTS (NUMBER, AT_END, WORD)
#undef WORD
#undef AT_END
#undef NUMBER
#define SOURCE(identifier, name, unit, definition) \
  { name ".source", TRUE, "", "who says it: container, bitstream, caps or guess", FALSE },
  HISTO_FACTS (SOURCE, SOURCE, SOURCE)
#undef SOURCE
#define COMPARED(identifier, name, unit, definition) { COMPARE "." name, FALSE, unit, definition, TRUE },
  HISTO_COMPARED (COMPARED)
#undef COMPARED
};

/* ---- The paths ---------------------------------------------------------------------------- */

#define CHANNELS "ch*"
#define REGIONS "regions"
#define PAIRS "pairs"

static const gchar *const space_names[] = {
  [HISTO_RULE_OF_WHOLE] = "whole",
  [HISTO_RULE_OF_FACTS] = "fact",
};

/* What `whole.` figures may end with. */
static const struct
{
  const gchar *name;
  HistoWhole whole;
} endings[] = {
  {"min", HISTO_WHOLE_LEAST}, {"mean", HISTO_WHOLE_MEAN}, {"max", HISTO_WHOLE_GREATEST}
};

/* Returns: how the figure of a whole stream comes from those of its results. An extreme of a result has the extreme of
 * all results: the element forgets the extremes so far where the format changes. */
HistoWhole
histo_rule_whole_of (const HistoGroupFigureInfo * info)
{
  g_return_val_if_fail (info != NULL, HISTO_WHOLE_MEAN);
  if (info->window == HISTO_WINDOW_GREATEST || g_str_equal (info->name, "max") || g_str_has_prefix (info->name, "max-")
      || g_str_has_suffix (info->name, "-max"))
    return HISTO_WHOLE_GREATEST;
  if (info->window == HISTO_WINDOW_LATEST)
    return HISTO_WHOLE_LATEST;
  return g_str_has_suffix (info->name, "-min") ? HISTO_WHOLE_LEAST : HISTO_WHOLE_MEAN;
}

static HistoWhole
whole_of (const HistoFigureRow * row)
{
  switch (row->in) {
    case HISTO_IN_GROUP:
    case HISTO_IN_ZONE:
      return row->group_info != NULL ? histo_rule_whole_of (row->group_info) : HISTO_WHOLE_MEAN;
    case HISTO_IN_BITS_USED:
      return HISTO_WHOLE_GREATEST;
    case HISTO_IN_LOUDNESS:
    case HISTO_IN_ARRAY:
      return HISTO_WHOLE_LATEST;
    case HISTO_IN_FACTS:
    case HISTO_IN_COMPONENT:
    case HISTO_IN_LEVEL:
    case HISTO_IN_PAIR:
    case HISTO_IN_COMPARED:
    case HISTO_IN_COMPARED_COMPONENT:
      break;
  }
  return HISTO_WHOLE_OF_SAMPLES;
}

/* The rows that rules can name. */
typedef struct
{
  const HistoFigureRow *rows;
  guint n;
} Rows;

static Rows
get_rows (HistoRuleSpace space, gboolean is_of_comparison)
{
  static HistoFigureRow facts[HISTO_N_FACT_PATHS];
  static gsize is_made;
  Rows all;

  if (g_once_init_enter (&is_made)) {
    for (guint i = 0; i < HISTO_N_FACT_PATHS; i++)
      facts[i] = (HistoFigureRow) {.path = histo_facts[i].name,.unit = histo_facts[i].unit,.offset = i };
    g_once_init_leave (&is_made, 1);
  }
  if (space == HISTO_RULE_OF_FACTS)
    return (Rows) { facts, HISTO_N_FACT_PATHS };
  if (is_of_comparison) {
    all.rows = histo_comparison_rows (&all.n);
    return all;
  }
  all.rows = histo_figure_rows (&all.n);
  while (all.rows[all.n - 1].path == NULL)
    all.n--;
  return all;
}

/* ---- Steps -------------------------------------------------------------------------------- */

/* A part of a path between two dots. */
typedef struct
{
  const gchar *text;
  gsize length;
} Step;

/* @text: (inout): behind the step and its dot; NULL: it was the last one */
static Step
next_step (const gchar ** text)
{
  const gchar *dot = strchr (*text, '.');
  const Step step = { *text, dot != NULL ? (gsize) (dot - *text) : strlen (*text) };

  *text = dot != NULL ? dot + 1 : NULL;
  return step;
}

static gboolean
is_text (Step step, const gchar * text)
{
  return strlen (text) == step.length && strncmp (step.text, text, step.length) == 0;
}

static gboolean
is_number (const gchar * text, gsize length, guint64 below)
{
  guint64 number = 0;

  if (length == 0 || length > 9)
    return FALSE;
  for (gsize i = 0; i < length; i++) {
    if (!g_ascii_isdigit (text[i]))
      return FALSE;
    number = 10 * number + (text[i] - '0');
  }
  return number < below && (length == 1 || text[0] != '0');
}

static gboolean
is_channel (const gchar * text, gsize length)
{
  return length > 2 && strncmp (text, CHANNELS, 2) == 0 && is_number (text + 2, length - 2, HISTO_MAX_CHANNELS);
}

/* @separator: between the channels: '+', or '-' in an earlier name */
static gboolean
is_pair (Step step, gchar separator)
{
  const gchar *between = memchr (step.text, separator, step.length);

  return between != NULL && is_channel (step.text, between - step.text)
      && is_channel (between + 1, step.length - (between + 1 - step.text));
}

/* Whether the step names one item of this kind. */
static gboolean
is_item (HistoFigureItem item, Step step)
{
  static const gchar *const native_names[] = { HISTO_YUV_NAMES, HISTO_RGB_NAMES, HISTO_BAYER_NAMES };

  switch (item) {
    case HISTO_ITEM_CHANNEL:
      return is_channel (step.text, step.length);
    case HISTO_ITEM_PAIR:
      return is_pair (step, '+');
    case HISTO_ITEM_ZONE:
      return is_number (step.text, step.length, HISTO_N_ZONES);
    case HISTO_ITEM_COMPONENT:
      for (guint i = 0; i < G_N_ELEMENTS (native_names); i++) {
        if (is_text (step, native_names[i]))
          return TRUE;
      }
      return FALSE;
    case HISTO_ITEM_NONE:
      break;
  }
  return FALSE;
}

/* @pattern: a step of a path: a name, "ch*" or "*" */
static gboolean
fits (const HistoFigureRow * row, Step pattern, Step step)
{
  const gboolean is_each = is_text (pattern, HISTO_EACH) || is_text (pattern, CHANNELS);

  if (step.length == pattern.length && strncmp (step.text, pattern.text, step.length) == 0)
    return TRUE;
  return is_each && is_item (row->item, step);
}

/* Whether the steps of @text are the first ones of the path.
 *
 * @text: (inout): (nullable): behind them; NULL if all of the text was used
 * @n: (out): how many steps are equal
 * @item: (out) (nullable): the step that the `*` of the path stands for
 *
 * Returns: whether the path ends there, and not before or behind */
static gboolean
compare (const HistoFigureRow * row, const gchar ** text, guint * n, Step * item)
{
  const gchar *pattern = row->path;

  for (*n = 0; pattern != NULL && *text != NULL; (*n)++) {
    const gchar *rest = *text;
    const Step step = next_step (&rest);
    const Step of_path = next_step (&pattern);

    if (!fits (row, of_path, step))
      return FALSE;
    if (is_text (of_path, HISTO_EACH) || is_text (of_path, CHANNELS))
      *item = step;
    *text = rest;
  }
  return pattern == NULL;
}

/* ---- What is wrong ------------------------------------------------------------------------ */

#define MOST_NEAREST 3
#define MOST_LISTED 64
/* Longer names are like no figure. */
#define MOST_COMPARED 64

/* The least number of characters that are to be added, removed or replaced, and of neighbours that are to be swapped.
 * Lower and upper case are alike. */
guint
histo_rule_distance (const gchar * a, const gchar * b)
{
  guint rows[3][MOST_COMPARED + 1];     /* of the last three characters of a */
  guint n, m;

  g_return_val_if_fail (a != NULL && b != NULL, G_MAXUINT);
  n = strlen (a);
  m = strlen (b);
  if (n > MOST_COMPARED || m > MOST_COMPARED)
    return G_MAXUINT;
  for (guint i = 0; i <= n; i++) {
    guint *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

    row[0] = i;
    for (guint k = 1; k <= m; k++) {
      const gchar x = i > 0 ? g_ascii_tolower (a[i - 1]) : 0, y = g_ascii_tolower (b[k - 1]);

      row[k] = row[k - 1] + 1;
      if (i > 0)
        row[k] = MIN (row[k], MIN (above[k] + 1, above[k - 1] + (x != y)));
      if (i > 1 && k > 1 && x == g_ascii_tolower (b[k - 2]) && y == g_ascii_tolower (a[i - 2]))
        row[k] = MIN (row[k], before[k - 2] + 1);
    }
  }
  return rows[n % 3][m];
}

/* @names: (element-type utf8): appended to, once each */
static void
add_name (GPtrArray * names, gchar * name)
{
  if (g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
    g_free (name);
  else
    g_ptr_array_add (names, name);
}

static gchar *
join (const GPtrArray * names)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < MIN (names->len, MOST_LISTED); i++)
    g_string_append_printf (text, "%s%s", i == 0 ? "" : ", ", (const gchar *) names->pdata[i]);
  if (names->len > MOST_LISTED)
    g_string_append (text, ", …");
  return g_string_free (text, FALSE);
}

typedef struct
{
  guint distance;
  const gchar *path;
} Near;

static gint
compare_near (gconstpointer a, gconstpointer b)
{
  const Near *first = a, *second = b;

  return first->distance < second->distance ? -1 : first->distance > second->distance;
}

/* Returns: the paths of the rows that are most like the text; "" if none is */
static gchar *
find_nearest (Rows rows, const gchar * text)
{
  g_autoptr (GArray) near = g_array_sized_new (FALSE, FALSE, sizeof (Near), rows.n);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const guint most = MAX (strlen (text) / 2, 2);

  for (guint i = 0; i < rows.n; i++) {
    const Near candidate = { histo_rule_distance (text, rows.rows[i].path), rows.rows[i].path };

    if (candidate.distance <= most)
      g_array_append_val (near, candidate);
  }
  g_array_sort (near, compare_near);
  for (guint i = 0; i < MIN (near->len, MOST_NEAREST); i++)
    add_name (names, g_strdup (g_array_index (near, Near, i).path));
  return join (names);
}

static gboolean
can_be_in_region (const HistoFigureRow * row)
{
  return !row->is_audio && row->in != HISTO_IN_ZONE;
}

/* Says what is wrong with a path that leads to no figure.
 *
 * @figure: its space is known
 * @text: of the path, without the space and the region
 * @in_region: a region was before it
 * @place: (out): the offset in @text of the first step that is wrong */
static void
refuse_path (const HistoRuleFigure * figure, const gchar * text, gboolean in_region, gsize * place, GError ** error)
{
  const HistoRuleSpace space = figure->space;
  const Rows rows = get_rows (space, figure->is_of_comparison);
  g_autoptr (GPtrArray) following = g_ptr_array_new_with_free_func (g_free);
  const gchar *what = space == HISTO_RULE_OF_FACTS ? "fact" : "figure";
  g_autofree gchar *allowed = NULL, *nearest = NULL, *known = NULL;
  const gchar *begin = text;
  const Step first = next_step (&begin);
  guint most = 0;

  *place = 0;
  for (guint round = 0; round < 2; round++) {
    for (guint i = 0; i < rows.n; i++) {
      const gchar *rest = text, *pattern = rows.rows[i].path;
      Step item;
      guint n;

      if (in_region && !can_be_in_region (&rows.rows[i]))
        continue;
      /* What a comparison says is listed if that is meant. */
      if (space == HISTO_RULE_OF_FACTS && (rows.rows[i].offset >= HISTO_FIRST_COMPARED) != is_text (first, COMPARE))
        continue;
      compare (&rows.rows[i], &rest, &n, &item);
      if (round == 0 && n > most)
        most = n;
      if (round == 0 || n < most)
        continue;
      *place = rest != NULL ? (gsize) (rest - text) : strlen (text);
      for (guint k = 0; k < n && pattern != NULL; k++)
        next_step (&pattern);
      if (pattern != NULL) {
        const Step step = next_step (&pattern);

        add_name (following, g_strndup (step.text, step.length));
      } else if (space == HISTO_RULE_OF_WHOLE) {
        for (guint k = 0; k < G_N_ELEMENTS (endings); k++)
          add_name (following, g_strdup (endings[k].name));
      }
    }
  }
  if (space != HISTO_RULE_OF_FACTS && most == 0 && !in_region)
    add_name (following, g_strdup (REGIONS));
  allowed = join (following);
  nearest = find_nearest (rows, text);
  known = g_strndup (text, *place > 0 && text[*place] != '\0' ? *place - 1 : *place);
  if (*text == '\0')
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "a %s is expected, which begins with: %s", what, allowed);
  else if (following->len == 0)
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "nothing may follow \"%s\"", known);
  else if (*place == strlen (text))
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "\"%s\" is no %s; after \"%s.\" there may be: %s", text, what, known, allowed);
  else if (most > 0)
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "\"%s\" is no %s%s%s; after \"%s.\" there may be: %s", text, what, *nearest != '\0' ? "; the nearest: " : "",
        nearest, known, allowed);
  else
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "\"%s\" is no %s%s%s; a %s begins with: %s", text, what, *nearest != '\0' ? "; the nearest: " : "", nearest, what,
        allowed);
}

/* ---- Parsing ------------------------------------------------------------------------------ */

/* Finds the path.
 *
 * @figure: (inout): its space and region are set
 * Returns: whether there is one */
static gboolean
find_path (HistoRuleFigure * figure, const gchar * text)
{
  const Rows rows = get_rows (figure->space, figure->is_of_comparison);

  for (guint i = 0; i < rows.n; i++) {
    const gchar *rest = text;
    HistoWhole whole = whole_of (&rows.rows[i]);
    const gchar *ending = NULL;
    Step item = { NULL, 0 };
    gboolean ends;
    guint n;

    if (figure->region != NULL && !can_be_in_region (&rows.rows[i]))
      continue;
    ends = compare (&rows.rows[i], &rest, &n, &item);
    for (guint k = 0; ends && rest != NULL && figure->space == HISTO_RULE_OF_WHOLE && k < G_N_ELEMENTS (endings); k++) {
      if (g_str_equal (rest, endings[k].name)) {
        whole = endings[k].whole;
        ending = endings[k].name;
        rest = NULL;
      }
    }
    if (!ends || rest != NULL)
      continue;
    figure->row = &rows.rows[i];
    figure->whole = whole;
    figure->ending = ending;
    if (item.text != NULL) {
      const gboolean is_each = is_text (item, HISTO_EACH) || is_text (item, CHANNELS);

      figure->item = is_each ? g_strdup (HISTO_EACH) : g_strndup (item.text, item.length);
    }
    return TRUE;
  }
  return FALSE;
}

/* A region's name may have dots: the first one that leaves a figure ends it.
 *
 * @text: the name, a dot and the figure
 * Returns: whether there is such a figure. If not, there is no region either */
static gboolean
find_in_region (HistoRuleFigure * figure, const gchar * text)
{
  for (const gchar * dot = strchr (text, '.'); dot != NULL; dot = strchr (dot + 1, '.')) {
    figure->region = g_strndup (text, dot - text);
    if (*figure->region != '\0' && find_path (figure, dot + 1))
      return TRUE;
    g_clear_pointer (&figure->region, g_free);
  }
  return FALSE;
}

static gboolean
is_group (const gchar * name)
{
  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
    if (g_str_equal (histo_groups[g].name, name))
      return TRUE;
  }
  return FALSE;
}

/* Whether the name without its first step is a figure of what the first step nearly names: a group ("moton.Y.mean"), regions
 * ("region.logo.Y.mean"), the whole ("wole.Y.mean"). Then that was meant, not a region with this name. */
static gboolean
is_misspelt (const HistoRuleFigure * figure, const gchar * text)
{
  const gchar *rest = text;
  const Step step = next_step (&rest);
  g_autofree gchar *first = g_strndup (step.text, step.length);
  HistoRuleFigure meant = {.space = figure->space };
  gboolean is_found = FALSE;

  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS && !is_found; g++) {
    if (histo_rule_distance (first, histo_groups[g].name) == 1) {
      g_autofree gchar *path = g_strconcat (histo_groups[g].name, ".", rest, NULL);

      is_found = find_path (&meant, path);
    }
  }
  if (!is_found && histo_rule_distance (first, REGIONS) == 1)
    is_found = find_in_region (&meant, rest);
  if (!is_found && histo_rule_distance (first, space_names[HISTO_RULE_OF_WHOLE]) == 1)
    is_found = find_path (&meant, rest);
  g_free (meant.region);
  g_free (meant.item);
  return is_found;
}

/* Finds the figure by the name that CSV gave it before it took the paths: "ch0-ch1.balance", "ch0.true-peak",
 * "logo.Y.mean". */
static gboolean
find_old_path (HistoRuleFigure * figure, const gchar * text)
{
  const gchar *rest = text;
  const Step first = next_step (&rest);
  const gboolean is_each = is_text (first, CHANNELS);
  g_autofree gchar *path = NULL;
  gboolean is_found;

  if (rest == NULL)
    return FALSE;
  if (is_pair (first, '-')) {
    path = g_strconcat (PAIRS ".", text, NULL);
    *strchr (path, '-') = '+';
  }
  for (guint i = 0; (is_each || is_channel (first.text, first.length)) && i < HISTO_N_LOUDNESS_ARRAYS; i++) {
    const gchar *name = histo_loudness_arrays[i].name, *after = rest;

    if (is_text (next_step (&after), name))
      path = g_strdup_printf ("%s.%s.%.*s%s%s", histo_groups[HISTO_GROUP_LOUDNESS].name, name,
          is_each ? 1 : (gint) first.length, is_each ? HISTO_EACH : first.text, after != NULL ? "." : "",
          after != NULL ? after : "");
  }
  is_found = path != NULL ? find_path (figure, path) : find_in_region (figure, text);
  /* A misspelt figure of a group is none of a region that has the group's name: this never had such columns. */
  if (is_found && figure->region != NULL && (is_group (figure->region) || histo_is_each (figure->region)
          || is_misspelt (figure, text))) {
    g_clear_pointer (&figure->region, g_free);
    return FALSE;
  }
  return is_found;
}

/**
 * histo_rule_figure_parse:
 * @text: of @length bytes
 * @place: (out): the offset of what is wrong
 *
 * Returns: (transfer full) (nullable): the figure; %NULL with a %GST_LIBRARY_ERROR_SETTINGS
 */
HistoRuleFigure *
histo_rule_figure_parse (const gchar * text, gsize length, HistoRulesKind kind, gsize * place, GError ** error)
{
  g_autoptr (HistoRuleFigure) figure = NULL;
  const gchar *rest, *after;
  gboolean in_region;
  Step step;

  g_return_val_if_fail (text != NULL && place != NULL, NULL);
  figure = g_new0 (HistoRuleFigure, 1);
  figure->text = g_strndup (text, length);
  figure->is_of_comparison = kind == HISTO_RULES_OF_COMPARISON;
  rest = after = figure->text;
  step = next_step (&after);
  for (guint s = HISTO_RULE_OF_WHOLE; s <= HISTO_RULE_OF_FACTS; s++) {
    if (!is_text (step, space_names[s]))
      continue;
    figure->space = s;
    rest = after != NULL ? after : step.text + step.length;
    if (kind != HISTO_RULES_OF_POLICY) {
      *place = 0;
      g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
          "the property has no figures \"%s.\", which are only known at the end; a policy has them", space_names[s]);
      return NULL;
    }
  }
  if (kind == HISTO_RULES_OF_POLICY && figure->space == HISTO_RULE_OF_FRAMES && is_text (step, COMPARE))
    figure->space = HISTO_RULE_OF_FACTS;
  after = rest;
  step = next_step (&after);
  in_region = figure->space != HISTO_RULE_OF_FACTS && is_text (step, REGIONS);
  if (in_region)
    rest = after != NULL ? after : step.text + step.length;
  if (in_region ? find_in_region (figure, rest) :
      find_path (figure, rest) || (figure->space != HISTO_RULE_OF_FACTS && !figure->is_of_comparison
          && find_old_path (figure, rest)))
    return g_steal_pointer (&figure);
  if (in_region) {
    const gboolean has_name = *rest != '\0' && *rest != '.';

    rest += strcspn (rest, ".");
    rest += *rest == '.' ? 1 : 0;
    if (!has_name) {
      *place = rest - figure->text;
      g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
          "the name of a region is expected, or *, and then a figure");
      return NULL;
    }
  }
  refuse_path (figure, rest, in_region, place, error);
  *place += rest - figure->text;
  return NULL;
}

void
histo_rule_figure_free (HistoRuleFigure * figure)
{
  if (figure == NULL)
    return;
  g_free (figure->text);
  g_free (figure->region);
  g_free (figure->item);
  g_free (figure);
}

/* Returns: (transfer full): the path at a place, without the space and the ending */
static gchar *
make_path (const HistoRuleFigure * figure, const gchar * region, const gchar * item)
{
  GString *text = g_string_new (NULL);
  const gchar *pattern = figure->row->path;

  if (region != NULL)
    g_string_append_printf (text, REGIONS ".%s.", region);
  while (pattern != NULL) {
    const Step step = next_step (&pattern);

    if (item != NULL && (is_text (step, HISTO_EACH) || is_text (step, CHANNELS)))
      g_string_append (text, item);
    else
      g_string_append_len (text, step.text, step.length);
    if (pattern != NULL)
      g_string_append_c (text, '.');
  }
  return g_string_free (text, FALSE);
}

/* Returns: (transfer full): the path at a place, without the space: "ch1.rms" */
gchar *
histo_rule_figure_at (const HistoRuleFigure * figure, const gchar * region, const gchar * item)
{
  g_autofree gchar *path = NULL;

  g_return_val_if_fail (figure != NULL, NULL);
  path = make_path (figure, region, item);
  return figure->ending == NULL ? g_steal_pointer (&path) : g_strconcat (path, ".", figure->ending, NULL);
}

/* ---- In a result -------------------------------------------------------------------------- */

/**
 * histo_rule_figure_find:
 * @region: (nullable): name of the region
 * @item: (nullable): name of the channel, pair, zone or component
 * @at: (out): where the figure is in results of this shape
 *
 * Returns: whether the result has such a place. The figure may be absent there
 */
gboolean
histo_rule_figure_find (const HistoRuleFigure * figure, const HistoResult * result, const gchar * region,
    const gchar * item, HistoFigureAt * at)
{
  gboolean is_found = FALSE;

  g_return_val_if_fail (figure != NULL && result != NULL && at != NULL, FALSE);
  *at = (HistoFigureAt) {.is_absent = TRUE };
  if (figure->row->in != HISTO_IN_FACTS && figure->row->is_audio == result->is_audio) {
    g_autofree gchar *path = make_path (figure, NULL, item);

    is_found = histo_result_find_figure (result, region, path, HISTO_GROUP_FLAG (figure->row->group), at)
        && at->row == figure->row;
  }
  at->is_absent |= !is_found;
  return is_found;
}

/* @native: number of the native component; -1: of the formulas */
static gdouble
code8_of (const gchar * format, gint native)
{
  guint depth = histo_format_depth (format, native);

  if (native < 0 || depth == 0)
    depth = MAX (depth, 8);
  return ldexp (1, (gint) depth - 8);
}

/* Returns: 2^(depth - 8) of the figure's samples */
gdouble
histo_rule_figure_code8_of_comparison (const HistoComparison * comparison, const HistoFigureAt * at)
{
  g_return_val_if_fail (comparison != NULL && at != NULL, NAN);
  return code8_of (comparison->format, (gint) at->index);
}

/* Returns: 2^(depth - 8) of the figure's samples */
gdouble
histo_rule_figure_code8 (const HistoResult * result, const HistoFigureAt * at)
{
  gint native = -1;

  g_return_val_if_fail (result != NULL && at != NULL, NAN);
  if (!at->is_absent && at->row->in == HISTO_IN_COMPONENT) {
    const HistoComponentResult *component = &result->components[at->index];

    if (component->source == HISTO_SOURCE_SAMPLE || component->source == HISTO_SOURCE_DIFFERENCE)
      native = component->native;
  }
  return code8_of (result->format, native);
}

/* ---- Figures, for others ------------------------------------------------------------------ */

const gchar *
histo_rule_figure_path (const HistoRuleFigure * figure)
{
  g_return_val_if_fail (figure != NULL, NULL);
  return figure->text;
}

HistoRuleSpace
histo_rule_figure_space (const HistoRuleFigure * figure)
{
  g_return_val_if_fail (figure != NULL, HISTO_RULE_OF_FRAMES);
  return figure->space;
}

const gchar *
histo_rule_figure_unit (const HistoRuleFigure * figure)
{
  g_return_val_if_fail (figure != NULL, NULL);
  return figure->row->choice != NULL ? "" : figure->row->unit;
}

const gchar *
histo_rule_figure_word (const HistoRuleFigure * figure, gdouble number)
{
  g_return_val_if_fail (figure != NULL, NULL);
  return figure->row->choice != NULL && number >= 0 && number < G_MAXUINT && number == (guint) number ?
      histo_choice_name (figure->row->choice, (guint) number) : NULL;
}
