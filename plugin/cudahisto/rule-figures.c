/* The figures that rules can name; see rule-figures.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/rule-figures.h"

#include <gst/video/video.h>
#include <math.h>
#include <string.h>

#include "cudahisto/depth.h"
#include "cudahisto/fields.h"

const HistoFactInfo histo_facts[HISTO_N_FACTS] = {
#define NUMBER(identifier, name, unit, definition) { name, FALSE, unit, definition, FALSE },
#define AT_END(identifier, name, unit, definition) { name, FALSE, unit, definition, TRUE },
#define WORD(identifier, name, unit, definition) { name, TRUE, unit, definition, FALSE },
  HISTO_FACTS (NUMBER, AT_END, WORD)
#undef WORD
#undef AT_END
#undef NUMBER
};

/* ---- The paths ---------------------------------------------------------------------------- */

#define CHANNELS "ch*"
#define REGIONS "regions"

static const gchar *const field_names[HISTO_N_FIELDS] = {
#define NAME(identifier, name) name,
  HISTO_RESULT_FIELDS (NAME)
#undef NAME
};

#define FIELD(identifier) field_names[HISTO_FIELD_##identifier]

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

static const gchar *const native_names[] = { HISTO_YUV_NAMES, HISTO_RGB_NAMES, HISTO_BAYER_NAMES };

static gboolean
is_first_of_its_name (guint i)
{
  for (guint k = 0; k < i; k++) {
    if (g_str_equal (native_names[k], native_names[i]))
      return FALSE;
  }
  return TRUE;
}

static HistoRulePath *
add_path (GArray * paths, HistoFigurePlace place, HistoGroup group, const gchar * const *steps)
{
  HistoRulePath path = { 0, };

  path.path = g_strjoinv (".", (gchar **) steps);
  path.place = place;
  path.group = group;
  path.unit = "1";
  g_array_append_val (paths, path);
  return &g_array_index (paths, HistoRulePath, paths->len - 1);
}

#define ADD(paths, place, group, ...) \
    add_path (paths, HISTO_IN_##place, group, (const gchar *const[]) { __VA_ARGS__, NULL })

static HistoRulePath *
set_figure (HistoRulePath * path, const HistoFigureInfo * info)
{
  path->offset = info->offset;
  path->type = info->type;
  path->unit = info->unit;
  return path;
}

/* @prefix: the group's name; NULL of a native component, which is at the top */
static void
add_component (GArray * paths, HistoGroup group, const gchar * prefix, const gchar * name)
{
  for (guint i = 0; i < HISTO_N_FIGURES; i++) {
    HistoRulePath *path = prefix == NULL ? ADD (paths, COMPONENT, group, name, histo_figures[i].name) :
        ADD (paths, COMPONENT, group, prefix, name, histo_figures[i].name);

    set_figure (path, &histo_figures[i])->component = name;
  }
}

static void
add_components (GArray * paths, HistoGroup group)
{
  for (guint s = 0; s < HISTO_N_SOURCES; s++) {
    if (histo_components[s].group != group)
      continue;
    if (histo_components[s].name != NULL)
      add_component (paths, group, histo_groups[group].name, histo_components[s].name);
    for (guint i = 0; histo_components[s].name == NULL && i < G_N_ELEMENTS (native_names); i++) {
      if (is_first_of_its_name (i))
        add_component (paths, group, group == HISTO_GROUP_BASIC ? NULL : histo_groups[group].name, native_names[i]);
    }
  }
}

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

static HistoRulePath *
set_group_figure (HistoRulePath * path, const HistoGroupFigureInfo * info)
{
  path->offset = info->offset;
  path->type = HISTO_FIGURE_DOUBLE;     /* the member */
  path->unit = info->unit;
  path->whole = histo_rule_whole_of (info);
  if (info->type == HISTO_FIGURE_CHOICE)
    path->choice = info;
  return path;
}

static void
add_zones (GArray * paths)
{
  static const struct
  {
    guint figure;
    gsize offset;
  } figures[] = {
    {HISTO_GROUP_FIGURE_FLASH_transitions, G_STRUCT_OFFSET (HistoZone, transitions)},
    {HISTO_GROUP_FIGURE_FLASH_red_transitions, G_STRUCT_OFFSET (HistoZone, red_transitions)},
    {HISTO_GROUP_FIGURE_FLASH_state, G_STRUCT_OFFSET (HistoZone, state)},
  };

  for (guint i = 0; i < G_N_ELEMENTS (figures); i++) {
    const HistoGroupFigureInfo *info = &histo_group_figures[figures[i].figure];
    HistoRulePath *path = ADD (paths, ZONE, HISTO_GROUP_FLASH, histo_groups[HISTO_GROUP_FLASH].name, FIELD (zones),
        HISTO_EACH, info->name);

    set_group_figure (path, info);
    path->offset = figures[i].offset;
    path->type = HISTO_FIGURE_UINT;
    path->item = HISTO_ITEM_ZONE;
  }
}

static void
add_group (GArray * paths, HistoGroup group)
{
  const gchar *name = histo_groups[group].name;

  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    if (histo_group_figures[i].group == group)
      set_group_figure (ADD (paths, GROUP, group, name, histo_group_figures[i].name), &histo_group_figures[i]);
  }
  add_components (paths, group);
  if (group == HISTO_GROUP_FLASH)
    add_zones (paths);
  if (group == HISTO_GROUP_SIGNAL) {
    HistoRulePath *path = ADD (paths, BITS_USED, group, name, FIELD (bits_used), HISTO_EACH);

    path->item = HISTO_ITEM_COMPONENT;
    path->type = HISTO_FIGURE_UINT;
    path->unit = "bit";
    path->whole = HISTO_WHOLE_GREATEST;
  }
  if (group == HISTO_GROUP_AREA) {
    const struct
    {
      const gchar *name;
      gsize offset;
    } sides[] = {
      {FIELD (x), G_STRUCT_OFFSET (HistoGroupFigures, area_x)},
      {FIELD (y), G_STRUCT_OFFSET (HistoGroupFigures, area_y)},
      {FIELD (width), G_STRUCT_OFFSET (HistoGroupFigures, area_width)},
      {FIELD (height), G_STRUCT_OFFSET (HistoGroupFigures, area_height)},
    };

    for (guint i = 0; i < G_N_ELEMENTS (sides); i++) {
      HistoRulePath *path = ADD (paths, AREA, group, name, sides[i].name);

      path->offset = sides[i].offset;
      path->type = HISTO_FIGURE_UINT;   /* an int that is not negative */
      path->unit = "pixels";
      path->whole = HISTO_WHOLE_MEAN;
    }
  }
}

static void
add_sound (GArray * paths)
{
  const guint first = paths->len;
  const gchar *loudness = histo_groups[HISTO_GROUP_LOUDNESS].name;

  for (guint i = 0; i < HISTO_N_FIGURES; i++)
    set_figure (ADD (paths, CHANNEL, HISTO_GROUP_BASIC, CHANNELS, histo_figures[i].name), &histo_figures[i])->item =
        HISTO_ITEM_CHANNEL;
  for (guint i = 0; i < HISTO_N_LEVEL_FIGURES; i++)
    set_figure (ADD (paths, LEVEL, HISTO_GROUP_LEVEL, CHANNELS, histo_level_figures[i].name),
        &histo_level_figures[i])->item = HISTO_ITEM_CHANNEL;
  for (guint i = 0; i < HISTO_N_PAIR_FIGURES; i++)
    set_figure (ADD (paths, PAIR, HISTO_GROUP_LEVEL, FIELD (pairs), HISTO_EACH, histo_pair_figures[i].name),
        &histo_pair_figures[i])->item = HISTO_ITEM_PAIR;
  for (guint i = 0; i < HISTO_N_LOUDNESS_FIGURES; i++)
    set_figure (ADD (paths, LOUDNESS, HISTO_GROUP_LOUDNESS, loudness, histo_loudness_figures[i].name),
        &histo_loudness_figures[i])->whole = HISTO_WHOLE_LATEST;
  for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++) {
    HistoRulePath *path = set_figure (ADD (paths, PEAKS, HISTO_GROUP_LOUDNESS, loudness,
            histo_loudness_arrays[i].name, HISTO_EACH), &histo_loudness_arrays[i]);

    path->item = HISTO_ITEM_CHANNEL;
    path->whole = HISTO_WHOLE_LATEST;
  }
  for (guint i = first; i < paths->len; i++)
    g_array_index (paths, HistoRulePath, i).is_audio = TRUE;
}

typedef struct
{
  const HistoRulePath *paths;
  guint n;
} Paths;

/* Returns: the paths of results, or of facts; made once, and kept for ever */
static Paths
get_paths (HistoRuleSpace space)
{
  static gsize is_made;
  static GArray *figures, *facts;
  GArray *paths;

  if (g_once_init_enter (&is_made)) {
    figures = g_array_new (FALSE, FALSE, sizeof (HistoRulePath));
    facts = g_array_new (FALSE, FALSE, sizeof (HistoRulePath));
    add_components (figures, HISTO_GROUP_BASIC);
    for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
      if (!histo_groups[g].is_audio)
        add_group (figures, g);
    }
    add_sound (figures);
    for (guint i = 0; i < HISTO_N_FACTS; i++) {
      HistoRulePath *path = ADD (facts, FACTS, HISTO_GROUP_BASIC, histo_facts[i].name);

      path->is_word = histo_facts[i].is_word;
      path->unit = histo_facts[i].unit;
      path->fact = i;
    }
    g_once_init_leave (&is_made, 1);
  }
  paths = space == HISTO_RULE_OF_FACTS ? facts : figures;
  return (Paths) { (const HistoRulePath *) paths->data, paths->len };
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

/* Whether the step names one item of this kind. */
static gboolean
is_item (HistoItem item, Step step)
{
  const gchar *plus;

  switch (item) {
    case HISTO_ITEM_CHANNEL:
      return is_channel (step.text, step.length);
    case HISTO_ITEM_PAIR:
      plus = memchr (step.text, '+', step.length);
      return plus != NULL && is_channel (step.text, plus - step.text)
          && is_channel (plus + 1, step.length - (plus + 1 - step.text));
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
fits (const HistoRulePath * path, Step pattern, Step step)
{
  const gboolean is_each = is_text (pattern, HISTO_EACH) || is_text (pattern, CHANNELS);

  if (step.length == pattern.length && strncmp (step.text, pattern.text, step.length) == 0)
    return TRUE;
  return is_each && is_item (path->item, step);
}

/* Whether the steps of @text are the first ones of the path.
 *
 * @text: (inout): (nullable): behind them; NULL if all of the text was used
 * @n: (out): how many steps are equal
 * @item: (out) (nullable): the step that the `*` of the path stands for
 *
 * Returns: whether the path ends there, and not before or behind */
static gboolean
compare (const HistoRulePath * path, const gchar ** text, guint * n, Step * item)
{
  const gchar *pattern = path->path;

  for (*n = 0; pattern != NULL && *text != NULL; (*n)++) {
    const gchar *rest = *text;
    const Step step = next_step (&rest);
    const Step of_path = next_step (&pattern);

    if (!fits (path, of_path, step))
      return FALSE;
    if (is_text (of_path, HISTO_EACH) || is_text (of_path, CHANNELS))
      *item = step;
    *text = rest;
  }
  return pattern == NULL;
}

/* ---- What is wrong ------------------------------------------------------------------------ */

#define MOST_NEAREST 3
#define MOST_LISTED 40
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
  for (guint i = 0; i < names->len; i++) {
    if (g_str_equal (names->pdata[i], name)) {
      g_free (name);
      return;
    }
  }
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

/* Returns: the paths of the space that are most like the text; "" if none is */
static gchar *
find_nearest (HistoRuleSpace space, const gchar * text)
{
  const Paths paths = get_paths (space);
  GArray *near = g_array_sized_new (FALSE, FALSE, sizeof (Near), paths.n);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  const guint most = MAX (strlen (text) / 2, 2);
  gchar *joined;

  for (guint i = 0; i < paths.n; i++) {
    const Near candidate = { histo_rule_distance (text, paths.paths[i].path), paths.paths[i].path };

    if (candidate.distance <= most)
      g_array_append_val (near, candidate);
  }
  g_array_sort (near, compare_near);
  for (guint i = 0; i < MIN (near->len, MOST_NEAREST); i++)
    add_name (names, g_strdup (g_array_index (near, Near, i).path));
  joined = join (names);
  g_ptr_array_unref (names);
  g_array_unref (near);
  return joined;
}

static gboolean
can_be_in_region (const HistoRulePath * path)
{
  return !path->is_audio && path->place != HISTO_IN_ZONE;
}

/* Says what is wrong with a path that leads to no figure.
 *
 * @text: of the path, without the space and the region
 * @in_region: a region was before it
 * @place: (out): the offset in @text of the first step that is wrong */
static void
refuse_path (HistoRuleSpace space, const gchar * text, gboolean in_region, gsize * place, GError ** error)
{
  const Paths paths = get_paths (space);
  GPtrArray *following = g_ptr_array_new_with_free_func (g_free);
  const gchar *what = space == HISTO_RULE_OF_FACTS ? "fact" : "figure";
  gchar *allowed, *nearest, *known;
  guint most = 0;

  *place = 0;
  for (guint round = 0; round < 2; round++) {
    for (guint i = 0; i < paths.n; i++) {
      const gchar *rest = text, *pattern = paths.paths[i].path;
      Step item;
      guint n;

      if (in_region && !can_be_in_region (&paths.paths[i]))
        continue;
      compare (&paths.paths[i], &rest, &n, &item);
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
  nearest = find_nearest (space, text);
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
  g_free (known);
  g_free (nearest);
  g_free (allowed);
  g_ptr_array_unref (following);
}

/* ---- Parsing ------------------------------------------------------------------------------ */

/* Finds the path.
 *
 * @figure: (inout): its space and region are set
 * Returns: whether there is one */
static gboolean
find_path (HistoRuleFigure * figure, const gchar * text)
{
  const Paths paths = get_paths (figure->space);

  for (guint i = 0; i < paths.n; i++) {
    const gchar *rest = text;
    HistoWhole whole = paths.paths[i].whole;
    const gchar *ending = NULL;
    Step item = { NULL, 0 };
    gboolean ends;
    guint n;

    if (figure->region != NULL && !can_be_in_region (&paths.paths[i]))
      continue;
    ends = compare (&paths.paths[i], &rest, &n, &item);
    for (guint k = 0; ends && rest != NULL && figure->space == HISTO_RULE_OF_WHOLE && k < G_N_ELEMENTS (endings); k++) {
      if (g_str_equal (rest, endings[k].name)) {
        whole = endings[k].whole;
        ending = endings[k].name;
        rest = NULL;
      }
    }
    if (!ends || rest != NULL)
      continue;
    figure->path = &paths.paths[i];
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
 * @text: behind "regions."
 * Returns: the rest, which is a figure if it can be */
static const gchar *
parse_region (HistoRuleFigure * figure, const gchar * text)
{
  const gchar *first = strchr (text, '.');

  for (const gchar * dot = first; dot != NULL; dot = strchr (dot + 1, '.')) {
    g_free (figure->region);
    figure->region = g_strndup (text, dot - text);
    if (*figure->region != '\0' && find_path (figure, dot + 1))
      return dot + 1;
  }
  g_free (figure->region);
  figure->region = g_strndup (text, first != NULL ? (gsize) (first - text) : strlen (text));
  return first != NULL ? first + 1 : text + strlen (text);
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
  HistoRuleFigure *figure;
  const gchar *rest;
  const gchar *after;
  Step step;

  g_return_val_if_fail (text != NULL && place != NULL, NULL);
  figure = g_new0 (HistoRuleFigure, 1);
  figure->text = g_strndup (text, length);
  rest = after = figure->text;
  step = next_step (&after);
  for (guint s = HISTO_RULE_OF_WHOLE; s <= HISTO_RULE_OF_FACTS; s++) {
    if (!is_text (step, space_names[s]))
      continue;
    figure->space = s;
    rest = after != NULL ? after : step.text + step.length;
    if (kind == HISTO_RULES_OF_ELEMENT) {
      *place = 0;
      g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
          "the property has no figures \"%s.\", which are only known at the end; a policy has them", space_names[s]);
      histo_rule_figure_free (figure);
      return NULL;
    }
  }
  after = rest;
  step = next_step (&after);
  if (figure->space != HISTO_RULE_OF_FACTS && is_text (step, REGIONS))
    rest = parse_region (figure, after != NULL ? after : step.text + step.length);
  if (figure->region != NULL && *figure->region == '\0') {
    *place = rest - figure->text;
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "the name of a region is expected, or *, and then a figure");
    histo_rule_figure_free (figure);
    return NULL;
  }
  if (figure->path == NULL && !find_path (figure, rest)) {
    refuse_path (figure->space, rest, figure->region != NULL, place, error);
    *place += rest - figure->text;
    histo_rule_figure_free (figure);
    return NULL;
  }
  return figure;
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

/* Returns: (transfer full): the path at a place, without the space: "ch1.rms" */
gchar *
histo_rule_figure_at (const HistoRuleFigure * figure, const gchar * region, const gchar * item)
{
  GString *text;
  const gchar *pattern;

  g_return_val_if_fail (figure != NULL, NULL);
  text = g_string_new (NULL);
  pattern = figure->path->path;
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
  if (figure->ending != NULL)
    g_string_append_printf (text, ".%s", figure->ending);
  return g_string_free (text, FALSE);
}

/* ---- In a result -------------------------------------------------------------------------- */

static gint
find_region (const HistoResult * result, const gchar * name)
{
  if (name == NULL)
    return 0;
  for (guint r = 1; r < result->n_regions; r++) {
    if (!result->regions[r].is_roi && g_strcmp0 (result->regions[r].region.name, name) == 0)
      return r;
  }
  return -1;
}

static gint
find_pair (const HistoResult * result, const gchar * name)
{
  for (guint i = 0; name != NULL && i < result->n_pairs; i++) {
    const gchar *first = result->components[result->pairs[i].first].name;
    const gsize length = strlen (first);

    if (strncmp (name, first, length) == 0 && name[length] == '+'
        && g_str_equal (name + length + 1, result->components[result->pairs[i].second].name))
      return i;
  }
  return -1;
}

/* Returns: the number of the component of the region; -1: there is none */
static gint
find_component (const HistoResult * result, guint region, HistoGroup group, const gchar * name)
{
  const HistoComponentResult *component = histo_result_find_component (result, region, group, name);

  return component != NULL ? (gint) (component - result->components) : -1;
}

/**
 * histo_accessor_find:
 * @accessor: (out):
 * @region: (nullable): name of the region
 * @item: (nullable): name of the channel, pair, zone or component
 *
 * Returns: whether the result has such a place. The figure may be absent there
 */
gboolean
histo_accessor_find (HistoAccessor * accessor, const HistoRuleFigure * figure, const HistoResult * result,
    const gchar * region, const gchar * item)
{
  const HistoRulePath *path;
  gint r, index;

  g_return_val_if_fail (accessor != NULL && figure != NULL && result != NULL, FALSE);
  path = figure->path;
  index = r = find_region (result, region);
  memset (accessor, 0, sizeof *accessor);
  accessor->place = path->place;
  accessor->offset = path->offset;
  accessor->type = path->type;
  accessor->is_absent = TRUE;
  if (path->is_audio != result->is_audio || r < 0 || path->place == HISTO_IN_FACTS)
    return FALSE;
  accessor->region = r;
  accessor->of_motion = path->group == HISTO_GROUP_MOTION;
  switch (path->place) {
    case HISTO_IN_COMPONENT:
      index = find_component (result, r, path->group, path->component);
      break;
    case HISTO_IN_CHANNEL:
    case HISTO_IN_LEVEL:
    case HISTO_IN_PEAKS:
      index = find_component (result, 0, HISTO_GROUP_BASIC, item);
      break;
    case HISTO_IN_PAIR:
      index = find_pair (result, item);
      break;
    case HISTO_IN_BITS_USED:
      index = find_component (result, r, HISTO_GROUP_BASIC, item);
      if (index >= 0) {
        accessor->sub = result->components[index].native;
        index = r;
      }
      break;
    case HISTO_IN_ZONE:
      if (item == NULL)
        index = -1;
      else
        accessor->sub = g_ascii_strtoull (item, NULL, 10);
      break;
    case HISTO_IN_LOUDNESS:
      index = 0;
      break;
    case HISTO_IN_GROUP:
    case HISTO_IN_AREA:
    case HISTO_IN_FACTS:
      break;
  }
  accessor->index = MAX (index, 0);
  accessor->is_absent = index < 0 || !histo_result_has_group (result, path->group);
  return index >= 0;
}

static inline gdouble
get_member (const HistoAccessor * accessor, gconstpointer figures)
{
  return histo_figure_read (accessor->type, G_STRUCT_MEMBER_P (figures, accessor->offset));
}

/**
 * histo_accessor_get:
 * @result: with the places of that of histo_accessor_find()
 *
 * Returns: the figure; NaN: it is absent
 */
gdouble
histo_accessor_get (const HistoAccessor * accessor, const HistoResult * result)
{
  const HistoGroupFigures *figures;
  const gdouble *peaks;
  guint i;

  g_return_val_if_fail (accessor != NULL && result != NULL, NAN);
  i = accessor->index;
  if (accessor->is_absent || (accessor->of_motion && !result->regions[accessor->region].has_motion))
    return NAN;
  switch (accessor->place) {
    case HISTO_IN_COMPONENT:
    case HISTO_IN_CHANNEL:
      return get_member (accessor, &result->components[i].figures);
    case HISTO_IN_GROUP:
    case HISTO_IN_AREA:
      return get_member (accessor, &result->regions[i].figures);
    case HISTO_IN_BITS_USED:
      figures = &result->regions[i].figures;
      return accessor->sub < figures->n_bits_used ? figures->bits_used[accessor->sub] : NAN;
    case HISTO_IN_ZONE:
      figures = &result->regions[0].figures;
      return accessor->sub < figures->n_zones ? get_member (accessor, &figures->zones[accessor->sub]) : NAN;
    case HISTO_IN_LEVEL:
      return get_member (accessor, &result->levels[i]);
    case HISTO_IN_PAIR:
      return get_member (accessor, &result->pairs[i].figures);
    case HISTO_IN_LOUDNESS:
      return result->loudness.true_peak != NULL ? get_member (accessor, &result->loudness) : NAN;
    case HISTO_IN_PEAKS:
      peaks = *(const gdouble *const *) G_STRUCT_MEMBER_P (&result->loudness, accessor->offset);
      return peaks != NULL ? peaks[i] : NAN;
    case HISTO_IN_FACTS:
      break;
  }
  return NAN;
}

/* Returns: 2^(depth - 8) of the figure's samples */
gdouble
histo_rule_figure_code8 (const HistoRuleFigure * figure, const HistoResult * result, const HistoAccessor * accessor)
{
  gint native = -1;
  guint depth;

  g_return_val_if_fail (figure != NULL && result != NULL && accessor != NULL, NAN);
  if (figure->path->place == HISTO_IN_COMPONENT && !accessor->is_absent) {
    const HistoComponentResult *component = &result->components[accessor->index];

    if (component->source == HISTO_SOURCE_SAMPLE || component->source == HISTO_SOURCE_DIFFERENCE)
      native = component->native;
  }
  depth = histo_format_depth (result->format, native);
  if (native < 0 || depth == 0)
    depth = MAX (depth, 8);
  return ldexp (1, (gint) depth - 8);
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
  return figure->path->choice != NULL ? "" : figure->path->unit;
}

const gchar *
histo_rule_figure_word (const HistoRuleFigure * figure, gdouble number)
{
  const gchar *const *names;

  g_return_val_if_fail (figure != NULL, NULL);
  if (figure->path->choice == NULL || !(number >= 0))
    return NULL;
  names = histo_choice_names (figure->path->choice);
  for (guint i = 0; names[i] != NULL; i++) {
    if (i == number)
      return names[i];
  }
  return NULL;
}
