/* The differences between two streams; see differences.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/differences.h"

#include <math.h>
#include <string.h>

#include "cudahisto/rule-figures.h"
#include "summary/json.h"

/* A file may name any figures: beyond this they are left out. All channels have fewer. */
#define MOST_FIGURES (1u << 18)

struct _ReportDifferences
{
  const ReportToleranceSettings *settings;
  gboolean is_audio;
  GHashTable *found;            /* region, line feed, figure → ReportDifference */
  GPtrArray *all;               /* (element-type ReportDifference) */
  GPtrArray *compared;          /* (element-type ReportDifference): at the end */
  /* What the next figures are of: */
  const gchar *region;          /* NULL: the whole picture */
  GString *key;                 /* of the figure: its beginning stays */
  gsize region_length, prefix_length;
  HistoGroup group;
  gboolean is_whole;
  gboolean has_frames;          /* some were compared */
  guint64 time;
};

/* From the values of a component of the second stream to those of the first one. */
typedef struct
{
  gdouble slope, offset;
  gdouble range;                /* of the first stream */
  gdouble samples_a, samples_b;
} Scale;

/* Both have the same size and range. */
static const Scale one_scale = { 1, 0, 1, 1, 1 };

static void
difference_free (gpointer data)
{
  ReportDifference *difference = data;

  g_free (difference->region);
  g_free (difference->figure);
  g_free (difference->path);
  g_free (difference);
}

/* Returns: (transfer full): of streams of one medium. @settings stays the caller's */
ReportDifferences *
report_differences_new (const ReportToleranceSettings * settings,
    gboolean is_audio)
{
  ReportDifferences *self = g_new0 (ReportDifferences, 1);

  self->settings = settings;
  self->is_audio = is_audio;
  self->found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->all = g_ptr_array_new_with_free_func (difference_free);
  self->compared = g_ptr_array_new ();
  self->key = g_string_new (NULL);
  return self;
}

void
report_differences_free (ReportDifferences * self)
{
  g_hash_table_unref (self->found);
  g_ptr_array_unref (self->all);
  g_ptr_array_unref (self->compared);
  g_string_free (self->key, TRUE);
  g_free (self);
}

/* ---- Names of figures --------------------------------------------------------------------------- */

static void
enter_region (ReportDifferences * self, const gchar * region)
{
  self->region = region;
  g_string_assign (self->key, region != NULL ? region : "");
  g_string_append_c (self->key, '\n');
  self->region_length = self->key->len;
}

/* @first, @second: (nullable): what stands before the name of the next figures, each with its point: the group, the
 * component */
static void
enter (ReportDifferences * self, HistoGroup group, const gchar * first,
    const gchar * second)
{
  self->group = group;
  g_string_truncate (self->key, self->region_length);
  if (self->is_whole)
    g_string_append (self->key, "whole.");
  if (first != NULL) {
    g_string_append (self->key, first);
    g_string_append_c (self->key, '.');
  }
  if (second != NULL) {
    g_string_append (self->key, second);
    g_string_append_c (self->key, '.');
  }
  self->prefix_length = self->key->len;
}

/* @group: a group of video. Its figures have its name before them */
static void
enter_group (ReportDifferences * self, HistoGroup group,
    const gchar * component)
{
  enter (self, group, group != HISTO_GROUP_BASIC ? histo_groups[group].name :
      NULL, component);
}

/* Returns: (transfer none) (nullable): the figure; NULL if it is not to be compared.
 * @unit: as the tables have it; NULL: names */
static ReportDifference *
find (ReportDifferences * self, const gchar * figure, const gchar * unit)
{
  ReportDifference *found;

  g_string_truncate (self->key, self->prefix_length);
  g_string_append (self->key, figure);
  found = g_hash_table_lookup (self->found, self->key->str);
  if (found == NULL) {
    if (self->all->len >= MOST_FIGURES)
      return NULL;
    found = g_new0 (ReportDifference, 1);
    found->region = g_strdup (self->region);
    found->figure = g_strdup (self->key->str + self->region_length);
    found->path = report_tolerance_path (self->region, found->figure);
    found->unit = unit != NULL ? report_tolerance_find_unit (unit) : NULL;
    found->kind = unit == NULL ? REPORT_TOLERANCE_NAME :
        found->unit != NULL ? found->unit->kind : REPORT_TOLERANCE_NUMBER;
    if (found->kind == REPORT_TOLERANCE_SAMPLE && g_str_equal (figure, "mean"))
      found->kind = REPORT_TOLERANCE_MEAN;
    else if (g_str_equal (figure, "correlation"))
      found->kind = REPORT_TOLERANCE_CORRELATION;
    found->is_wanted = (unit == NULL || found->unit != NULL)
        && report_tolerance_wants (self->settings, self->is_audio, self->group,
        self->region, found->figure, self->is_whole, self->has_frames);
    g_ptr_array_add (self->all, found);
    g_hash_table_insert (self->found, g_strdup (self->key->str), found);
  }
  return found->is_wanted ? found : NULL;
}

/* ---- Comparing ---------------------------------------------------------------------------------- */

static void
count (ReportDifferences * self, ReportDifference * figure,
    const ReportDifference * now)
{
  figure->n++;
  if (now->weight > 1) {
    if (figure->n_over++ == 0)
      figure->first = figure->last = self->time;
    figure->first = MIN (figure->first, self->time);
    figure->last = MAX (figure->last, self->time);
  }
  figure->sum += now->difference;
  if (figure->n > 1 && !(now->weight > figure->weight))
    return;
  figure->weight = now->weight;
  figure->a = now->a;
  figure->b = now->b;
  figure->difference = now->difference;
  figure->allowed = now->allowed;
  figure->name_a = now->name_a;
  figure->name_b = now->name_b;
  figure->time = self->is_whole ? GST_CLOCK_TIME_NONE : self->time;
}

/* @name, @unit: see find()
 * @is_distance: of samples: a difference of two, which has no offset. A figure that one of both does not have, NaN, is
 * not compared */
static void
compare (ReportDifferences * self, const gchar * name, const gchar * unit,
    gdouble a, gdouble b, gboolean is_distance, const Scale * scale)
{
  ReportDifference *figure = find (self, name, unit), now = { 0 };

  if (figure == NULL || isnan (a) || isnan (b))
    return;
  now.allowed = self->settings->limits[figure->kind];
  switch (figure->kind) {
    case REPORT_TOLERANCE_MEAN:
    case REPORT_TOLERANCE_SAMPLE:
    case REPORT_TOLERANCE_SIZE:
      b = b * scale->slope + (is_distance ? 0 : scale->offset);
      now.allowed = now.allowed / 100 * scale->range;
      break;
    case REPORT_TOLERANCE_SHARE:
      b *= scale->samples_a / scale->samples_b;
      now.allowed *= scale->samples_a;
      break;
    case REPORT_TOLERANCE_LIGHT:
      now.allowed = now.allowed / 100 * MAX (MAX (fabs (a), fabs (b)), 1);
      break;
    case REPORT_TOLERANCE_PERCENT:
    case REPORT_TOLERANCE_LEVEL:
    case REPORT_TOLERANCE_CORRELATION:
    case REPORT_TOLERANCE_DEGREE:
    case REPORT_TOLERANCE_BIT:
    case REPORT_TOLERANCE_NUMBER:
    case REPORT_TOLERANCE_TIME:
    case REPORT_TOLERANCE_PSNR:
    case REPORT_TOLERANCE_SSIM:
    case REPORT_TOLERANCE_SOUND:
    case REPORT_TOLERANCE_NAME:
      break;
  }
  now.a = a;
  now.b = b;
  /* Infinities that are equal have no difference. */
  if (a != b)
    now.difference = CLAMP (b, figure->unit->floor, figure->unit->ceiling)
        - CLAMP (a, figure->unit->floor, figure->unit->ceiling);
  if (figure->kind == REPORT_TOLERANCE_DEGREE)
    now.difference = remainder (now.difference, 360);
  if (now.allowed > 0)
    now.weight = fabs (now.difference) / now.allowed;
  else if (now.difference != 0)
    now.weight = 1 + fabs (now.difference);
  count (self, figure, &now);
}

/* @a, @b: the numbers of the choices; NaN: absent */
static void
compare_choices (ReportDifferences * self, const HistoGroupFigureInfo * info,
    gdouble a, gdouble b)
{
  ReportDifference *figure = find (self, info->name, NULL), now = { 0 };

  if (figure == NULL || isnan (a) || isnan (b))
    return;
  now.name_a = histo_choice_name (info, (guint) a);
  now.name_b = histo_choice_name (info, (guint) b);
  /* Two tolerances: other names stand between small and large differences. */
  now.weight = a == b ? 0 : 2;
  count (self, figure, &now);
}

/* ---- Figures of structures ----------------------------------------------------------------------- */

/* Reads row @i of a table. */
typedef gdouble (*GetFigure) (gconstpointer side, const HistoFigureInfo * info, guint i);
typedef gdouble (*GetGroupFigure) (gconstpointer side, const HistoGroupFigureInfo * info, guint i);

/* Returns: FALSE if the components cannot be compared */
static gboolean
find_scale (Scale * scale, GetFigure get, gconstpointer a, gconstpointer b)
{
#define OF(side, figure) \
  get (side, &histo_figures[HISTO_FIGURE_NUMBER_##figure], HISTO_FIGURE_NUMBER_##figure)
  const gdouble range_b = OF (b, range_max) - OF (b, range_min);

  scale->range = OF (a, range_max) - OF (a, range_min);
  scale->slope = scale->range / range_b;
  scale->offset = OF (a, range_min) - OF (b, range_min) * scale->slope;
  scale->samples_a = OF (a, count);
  scale->samples_b = OF (b, count);
#undef OF
  return scale->range > 0 && isfinite (scale->range) && range_b > 0 && isfinite (range_b)
      && scale->samples_a > 0 && scale->samples_b > 0;
}

/* @own_unit: (nullable): of what the table has in samples */
static void
compare_figures (ReportDifferences * self, const HistoFigureInfo * infos, guint n, GetFigure get, gconstpointer a,
    gconstpointer b, const gchar * own_unit, const Scale * scale)
{
  /* These describe the samples, or follow from others. */
  static const gchar *const left_out[] = { "count", "sum", "variance", "range-min", "range-max", NULL };

  for (guint i = 0; i < n; i++) {
    const HistoFigureInfo *info = &infos[i];
    const gboolean is_distance = g_str_equal (info->name, "std-dev") || g_str_has_suffix (info->name, "-difference");
    const gchar *unit = own_unit != NULL && g_str_equal (info->unit, "sample") ? own_unit : info->unit;

    if (!g_strv_contains (left_out, info->name))
      compare (self, info->name, unit, get (a, info, i), get (b, info, i), is_distance, scale);
  }
}

/* Returns: (nullable): the unit of the values of a component, if they are no samples */
static const gchar *
unit_of_values (HistoGroup group, const gchar * component)
{
  for (guint i = 0; i < HISTO_N_SOURCES; i++) {
    const HistoComponentInfo *info = &histo_components[i];

    if (info->group == group && g_strcmp0 (info->name, component) == 0
        && !g_str_equal (info->unit, "sample"))
      return info->unit;
  }
  return NULL;
}

/* @scale: (out): from the samples of B to those of A. Returns: FALSE if they cannot be compared */
static gboolean
compare_component (ReportDifferences * self, HistoGroup group, const gchar * name, GetFigure get, gconstpointer a,
    gconstpointer b, Scale * scale)
{
  if (!find_scale (scale, get, a, b))
    return FALSE;
  enter_group (self, group, name);
  /* The values of hue are degrees, and their number is no range. */
  compare_figures (self, histo_figures, HISTO_N_FIGURES, get, a, b, unit_of_values (group, name), scale);
  return TRUE;
}

/* @get: gives of a choice its number; NaN: it is absent
 * @scale: (nullable): of the first native component; NULL: there is none in both */
static void
compare_group_figures (ReportDifferences * self, HistoGroup group, GetGroupFigure get, gconstpointer a, gconstpointer b,
    const Scale * scale)
{
  enter_group (self, group, NULL);
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const HistoGroupFigureInfo *info = &histo_group_figures[i];
    const gboolean is_sample = g_str_equal (info->unit, "sample");

    /* What is in samples in the group `field` belongs to no component. */
    if (info->group != group || (is_sample && (group == HISTO_GROUP_FIELD || scale == NULL)))
      continue;
    if (info->type == HISTO_FIGURE_CHOICE)
      compare_choices (self, info, get (a, info, i), get (b, info, i));
    else
      compare (self, info->name, info->unit, get (a, info, i), get (b, info, i), is_sample,
          is_sample ? scale : &one_scale);
  }
}

static void
compare_pair (ReportDifferences * self, const gchar * first, const gchar * second, GetFigure get, gconstpointer a,
    gconstpointer b)
{
  g_autofree gchar *name = g_strdup_printf ("%s+%s", first, second);

  enter (self, HISTO_GROUP_LEVEL, "pairs", name);
  compare_figures (self, histo_pair_figures, HISTO_N_PAIR_FIGURES, get, a, b, NULL, &one_scale);
}

static void
compare_loudness (ReportDifferences * self, GetFigure get, gconstpointer a, gconstpointer b)
{
  enter (self, HISTO_GROUP_LOUDNESS, histo_groups[HISTO_GROUP_LOUDNESS].name, NULL);
  compare_figures (self, histo_loudness_figures, HISTO_N_LOUDNESS_FIGURES, get, a, b, NULL, &one_scale);
}

/* Compares a figure of loudness of a channel. */
static void
compare_array (ReportDifferences * self, guint i, const gchar * channel,
    gdouble a, gdouble b)
{
  const HistoFigureInfo *info = &histo_loudness_arrays[i];

  enter (self, HISTO_GROUP_LOUDNESS, histo_groups[HISTO_GROUP_LOUDNESS].name, info->name);
  compare (self, channel, info->unit, a, b, FALSE, &one_scale);
}

/* ---- Frames -------------------------------------------------------------------------------------- */

static JsonObject *
get_object (JsonObject * object, const gchar * key)
{
  JsonNode *node = json_object_get_member (object, key);

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ?
      json_node_get_object (node) : NULL;
}

static JsonArray *
get_array (JsonObject * object, const gchar * key)
{
  JsonNode *node = json_object_get_member (object, key);

  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ?
      json_node_get_array (node) : NULL;
}

static const gchar *
get_text (JsonObject * object, const gchar * key)
{
  return report_json_to_text (json_object_get_member (object, key));
}

static gdouble
get_number (JsonObject * object, const gchar * key)
{
  return report_json_to_number (json_object_get_member (object, key));
}

/* @i: of an element that may be anything */
static JsonObject *
get_element (JsonArray * array, guint i)
{
  JsonNode *node = json_array_get_element (array, i);

  return JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

/* A GetFigure of JSON. A whole number counts as 0 if it is none in the file, or too large. */
static gdouble
get_of_frame (gconstpointer object, const HistoFigureInfo * info, guint i)
{
  const gdouble number = get_number ((JsonObject *) object, info->name);

  if (info->type == HISTO_FIGURE_DOUBLE)
    return number;
  return !(number >= 0 && number < (gdouble) G_MAXINT64) ? 0 :
      info->type == HISTO_FIGURE_UINT ? MIN (trunc (number), G_MAXUINT) : trunc (number);
}

/* A GetGroupFigure of JSON. */
static gdouble
get_of_group (gconstpointer object, const HistoGroupFigureInfo * info, guint i)
{
  gint choice;

  if (info->type != HISTO_FIGURE_CHOICE)
    return get_number ((JsonObject *) object, info->name);
  choice = histo_choice_find (info, get_text ((JsonObject *) object, info->name));
  return choice >= 0 ? choice : NAN;
}

/* @scale: (nullable): of the first native component; NULL: there is none in both */
static void
compare_group (ReportDifferences * self, HistoGroup group, JsonObject * a,
    JsonObject * b, const Scale * scale)
{
  JsonObjectIter iter;
  const gchar *name;
  Scale own_scale;
  JsonNode *node;

  compare_group_figures (self, group, get_of_group, a, b, scale);
  json_object_iter_init (&iter, a);
  while (json_object_iter_next (&iter, &name, &node)) {
    JsonObject *other = get_object (b, name);

    if (JSON_NODE_HOLDS_OBJECT (node) && other != NULL)
      compare_component (self, group, name, get_of_frame, json_node_get_object (node), other, &own_scale);
  }
}

/* @names: of the native components of the frame of A */
static void
compare_region (ReportDifferences * self, const gchar * region,
    JsonArray * names, JsonObject * a, JsonObject * b)
{
  Scale first = { 0 }, scale;
  gboolean has_scale = FALSE;

  enter_region (self, region);
  for (guint i = 0; names != NULL && i < json_array_get_length (names); i++) {
    JsonNode *node = json_array_get_element (names, i);
    const gchar *name = report_json_to_text (node);
    JsonObject *one = name != NULL ? get_object (a, name) : NULL;
    JsonObject *other = name != NULL ? get_object (b, name) : NULL;

    if (one == NULL || other == NULL
        || !compare_component (self, HISTO_GROUP_BASIC, name, get_of_frame, one, other, &scale))
      continue;
    /* The figures of the group `level` are those of a component, too. */
    if (self->is_audio && json_object_has_member (one, histo_level_figures[0].name)
        && json_object_has_member (other, histo_level_figures[0].name)) {
      enter (self, HISTO_GROUP_LEVEL, name, NULL);
      compare_figures (self, histo_level_figures, HISTO_N_LEVEL_FIGURES, get_of_frame, one, other, NULL, &scale);
    }
    if (!has_scale)
      first = scale;
    has_scale = TRUE;
  }
  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
    JsonObject *one = get_object (a, histo_groups[g].name);
    JsonObject *other = get_object (b, histo_groups[g].name);

    if (!histo_groups[g].is_audio && one != NULL && other != NULL)
      compare_group (self, g, one, other, has_scale ? &first : NULL);
  }
}

/* The regions of one name, which mostly have the same place. */
static void
compare_regions (ReportDifferences * self, JsonArray * names, JsonArray * a,
    JsonArray * b)
{
  /* The element writes no more; a file may have any number. */
  const guint n_a = MIN (json_array_get_length (a), HISTO_MAX_REGIONS);
  const guint n_b = MIN (json_array_get_length (b), HISTO_MAX_REGIONS);

  for (guint i = 0; i < n_a; i++) {
    JsonObject *one = get_element (a, i), *other = NULL;
    const gchar *name = one != NULL ? get_text (one, "name") : NULL;

    for (guint k = 0; name != NULL && other == NULL && k < n_b; k++) {
      JsonObject *object = get_element (b, (i + k) % n_b);

      if (object != NULL && g_strcmp0 (get_text (object, "name"), name) == 0)
        other = object;
    }
    if (other != NULL)
      compare_region (self, name, names, one, other);
  }
}

static void
compare_arrays (ReportDifferences * self, JsonArray * names, JsonObject * a,
    JsonObject * b)
{
  for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++) {
    JsonArray *one = get_array (a, histo_loudness_arrays[i].name);
    JsonArray *other = get_array (b, histo_loudness_arrays[i].name);
    guint n = names != NULL ? json_array_get_length (names) : 0;

    n = one != NULL && other != NULL ? MIN (n, MIN (json_array_get_length (one), json_array_get_length (other))) : 0;
    for (guint c = 0; c < n; c++) {
      const gchar *name = report_json_to_text (json_array_get_element (names, c));

      if (name != NULL)
        compare_array (self, i, name, report_json_to_number (json_array_get_element (one, c)),
            report_json_to_number (json_array_get_element (other, c)));
    }
  }
}

static void
compare_pairs (ReportDifferences * self, JsonArray * a, JsonArray * b)
{
  for (guint i = 0; i < json_array_get_length (a)
      && i < json_array_get_length (b); i++) {
    JsonObject *one = get_element (a, i), *other = get_element (b, i);
    const gchar *first = one != NULL ? get_text (one, "first") : NULL;
    const gchar *second = one != NULL ? get_text (one, "second") : NULL;

    if (first != NULL && second != NULL && other != NULL
        && g_strcmp0 (get_text (other, "first"), first) == 0
        && g_strcmp0 (get_text (other, "second"), second) == 0)
      compare_pair (self, first, second, get_of_frame, one, other);
  }
}

/**
 * report_differences_add_frames:
 * @a, @b: objects of frames or windows, as --json writes them; any others have nothing in common
 * @time: ns from the start of the first stream
 *
 * Compares two results.
 */
void
report_differences_add_frames (ReportDifferences * self, JsonObject * a,
    JsonObject * b, guint64 time)
{
  JsonArray *names = get_array (a, "components");
  JsonObject *loudness_a = get_object (a, "loudness");
  JsonObject *loudness_b = get_object (b, "loudness");
  JsonArray *of_a, *of_b;

  self->is_whole = FALSE;
  self->has_frames = TRUE;
  self->time = time;
  compare_region (self, NULL, names, a, b);
  if (self->is_audio && loudness_a != NULL && loudness_b != NULL) {
    compare_loudness (self, get_of_frame, loudness_a, loudness_b);
    compare_arrays (self, names, loudness_a, loudness_b);
  }
  of_a = get_array (a, "pairs");
  of_b = get_array (b, "pairs");
  if (self->is_audio && of_a != NULL && of_b != NULL)
    compare_pairs (self, of_a, of_b);
  of_a = get_array (a, "regions");
  of_b = get_array (b, "regions");
  if (of_a != NULL && of_b != NULL)
    compare_regions (self, names, of_a, of_b);
}

/* ---- Summaries ----------------------------------------------------------------------------------- */

/* A GetFigure of a struct. */
static gdouble
get_of_struct (gconstpointer figures, const HistoFigureInfo * info, guint i)
{
  return histo_figure_get (info, figures);
}

/* A GetFigure of an array of ranges. */
static gdouble
get_latest (gconstpointer ranges, const HistoFigureInfo * info, guint i)
{
  return histo_range_whole ((const HistoRange *) ranges + i, HISTO_WHOLE_LATEST);
}

/* A GetGroupFigure of a ReportRegion: of a choice the worst one, or the one that most results have, as rules have it. */
static gdouble
get_of_region (gconstpointer side, const HistoGroupFigureInfo * info, guint i)
{
  const ReportRegion *region = side;
  const HistoWhole whole = histo_rule_whole_of (info);
  const guint64 *choices = region->choices[i];
  gint best = -1;

  if (info->type != HISTO_FIGURE_CHOICE)
    return histo_range_whole (&region->figures[i], whole);
  for (gint k = 0; k < REPORT_MOST_NAMES; k++) {
    if (choices[k] > 0 && (best < 0 || whole == HISTO_WHOLE_GREATEST || choices[k] > choices[best]))
      best = k;
  }
  return best >= 0 ? best : NAN;
}

/* The active pictures, if both streams have one size. */
static void
compare_areas (ReportDifferences * self, const ReportRegion * a,
    const ReportRegion * b)
{
  const struct
  {
    const gchar *name;
    gint a, b;
    guint size_a, size_b;
  } sides[] = {
    {"x", a->area.x, b->area.x, a->width, b->width},
    {"y", a->area.y, b->area.y, a->height, b->height},
    {"width", a->area.width, b->area.width, a->width, b->width},
    {"height", a->area.height, b->area.height, a->height, b->height}
  };

  if (a->area.width == 0 || b->area.width == 0 || !a->has_place
      || !b->has_place)
    return;
  enter_group (self, HISTO_GROUP_AREA, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (sides); i++) {
    const Scale scale = {
      (gdouble) sides[i].size_a / sides[i].size_b, 0, sides[i].size_a, 1, 1
    };

    compare (self, sides[i].name, "pixels", sides[i].a, sides[i].size_b > 0 ? sides[i].b : NAN, FALSE, &scale);
  }
}

static void
compare_whole_region (ReportDifferences * self, const ReportRegion * a,
    const ReportRegion * b)
{
  Scale first = { 0 };
  gboolean has_scale = FALSE;

  enter_region (self, a->name);
  for (guint i = 0; i < a->components->len; i++) {
    const ReportComponent *one = a->components->pdata[i];
    const ReportComponent *other = report_region_find (b, one->group,
        one->name);
    Scale scale;

    if (other == NULL
        || !compare_component (self, one->group, one->name, get_of_struct, &one->figures, &other->figures, &scale))
      continue;
    if (!has_scale && one->group == HISTO_GROUP_BASIC) {
      first = scale;
      has_scale = TRUE;
    }
  }
  if (self->is_audio)
    return;
  for (guint group = 0; group < HISTO_N_GROUPS; group++)
    compare_group_figures (self, group, get_of_region, a, b, has_scale ? &first : NULL);
  compare_areas (self, a, b);
}

static void
compare_whole_channel (ReportDifferences * self, guint number,
    const ReportChannel * a, const ReportChannel * b)
{
  /* Sums of windows, and code values, need the samples. */
  static const gchar *const of_samples[] = { "sample", "samples", "crossings", NULL };
  g_autofree gchar *name = g_strdup_printf ("ch%u", number);

  enter (self, HISTO_GROUP_LEVEL, name, NULL);
  for (guint i = 0; i < HISTO_N_LEVEL_FIGURES; i++) {
    const HistoFigureInfo *info = &histo_level_figures[i];

    if (!g_strv_contains (of_samples, info->unit))
      compare (self, info->name, info->unit, histo_range_mean (&a->levels[i]), histo_range_mean (&b->levels[i]), FALSE,
          &one_scale);
  }
  for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++)
    compare_array (self, i, name, a->arrays[i], b->arrays[i]);
}

static void
compare_whole_sound (ReportDifferences * self, const ReportStreamSummary * a,
    const ReportStreamSummary * b)
{
  for (guint c = 0; c < MIN (a->channels->len, b->channels->len); c++)
    compare_whole_channel (self, c, a->channels->pdata[c], b->channels->pdata[c]);
  for (guint i = 0; i < a->pairs->len; i++) {
    const ReportPair *one = a->pairs->pdata[i];
    HistoPairFigures figures_a = { 0 }, figures_b = { 0 };

    for (guint k = 0; k < b->pairs->len; k++) {
      const ReportPair *other = b->pairs->pdata[k];

      if (g_strcmp0 (one->first, other->first) != 0
          || g_strcmp0 (one->second, other->second) != 0)
        continue;
      report_pair_get_whole (one, &figures_a);
      report_pair_get_whole (other, &figures_b);
      compare_pair (self, one->first, one->second, get_of_struct, &figures_a, &figures_b);
    }
  }
  compare_loudness (self, get_latest, a->loudness, b->loudness);
}

static guint
count_alerts (const ReportStreamSummary * stream, HistoAlert type)
{
  guint n = 0;

  for (guint i = 0; i < stream->alerts->len; i++)
    n += ((ReportAlert *) stream->alerts->pdata[i])->alert == type ? 1 : 0;
  return n;
}

/**
 * report_differences_add_summaries:
 * @a, @b: finished
 * @alerts: flags of the alerts that were watched in both
 *
 * Compares the figures of the whole streams. Their names begin with "whole."
 */
void
report_differences_add_summaries (ReportDifferences * self,
    const ReportStreamSummary * a, const ReportStreamSummary * b, guint alerts)
{
  const guint64 length_a = report_stream_summary_length (a);
  const guint64 length_b = report_stream_summary_length (b);
  const gboolean has_length = GST_CLOCK_TIME_IS_VALID (length_a) && GST_CLOCK_TIME_IS_VALID (length_b);

  self->is_whole = TRUE;
  enter_region (self, NULL);
  enter (self, HISTO_GROUP_BASIC, NULL, NULL);
  compare (self, "duration", "s", has_length ? (gdouble) length_a / GST_SECOND : NAN,
      (gdouble) length_b / GST_SECOND, FALSE, &one_scale);
  enter (self, HISTO_GROUP_BASIC, "alerts", NULL);
  for (guint i = 0; i < HISTO_N_ALERTS; i++) {
    const guint n_a = count_alerts (a, i), n_b = count_alerts (b, i);

    /* Those that neither stream can have are not worth a row. */
    if ((alerts & 1u << i) != 0 && n_a + n_b > 0)
      compare (self, histo_alert_names[i], "alerts", n_a, n_b, FALSE, &one_scale);
  }
  for (guint r = 0; r < a->regions->len; r++) {
    const ReportRegion *one = a->regions->pdata[r];

    for (guint k = 0; k < b->regions->len; k++) {
      const guint place = (r + k) % b->regions->len;
      const ReportRegion *other = b->regions->pdata[place];

      if (g_strcmp0 (one->name, other->name) == 0) {
        compare_whole_region (self, one, other);
        break;
      }
    }
  }
  enter_region (self, NULL);
  if (self->is_audio)
    compare_whole_sound (self, a, b);
}

/* ---- The list ------------------------------------------------------------------------------------ */

/* Where a figure stands: 0: it differs; 1: it differs, and is about a limit; 2: it does not differ. */
static gint
place_of (const ReportDifference * figure)
{
  return figure->n_over == 0 ? 2 : report_tolerance_is_limit[figure->kind];
}

/* The worst first; equal ones by their names. */
static gint
by_weight (gconstpointer a, gconstpointer b)
{
  const ReportDifference *one = *(ReportDifference * const *) a;
  const ReportDifference *other = *(ReportDifference * const *) b;
  gint order = place_of (one) - place_of (other);

  if (order == 0)
    order = one->weight > other->weight ? -1 : one->weight < other->weight;
  if (order == 0)
    order = g_strcmp0 (one->region, other->region);
  return order != 0 ? order : strcmp (one->figure, other->figure);
}

/**
 * report_differences_sort:
 * @n_different: (out): how many figures differ by more than their tolerance. They come first
 *
 * To be called once, at the end.
 *
 * Returns: (transfer none) (element-type ReportDifference): all figures that were compared, the worst first
 */
const GPtrArray *
report_differences_sort (ReportDifferences * self, guint * n_different)
{
  const GPtrArray *compared = self->compared;

  for (guint i = 0; i < self->all->len; i++) {
    if (((ReportDifference *) self->all->pdata[i])->n > 0)
      g_ptr_array_add (self->compared, self->all->pdata[i]);
  }
  g_ptr_array_sort (self->compared, by_weight);
  *n_different = 0;
  while (*n_different < compared->len && ((ReportDifference *) compared->pdata[*n_different])->n_over > 0)
    ++*n_different;
  return compared;
}

/* ---- Names that were asked for ------------------------------------------------------------------- */

/* Returns: whether both streams have a figure of this name */
gboolean
report_differences_have (const ReportDifferences * self,
    const gchar * pattern)
{
  for (guint i = 0; i < self->all->len; i++) {
    const ReportDifference *figure = self->all->pdata[i];

    if (report_tolerance_matches (pattern, figure->region, figure->figure))
      return TRUE;
  }
  return FALSE;
}

/* Returns: whether there is a figure to compare, though it may have had no value */
gboolean
report_differences_want_any (const ReportDifferences * self)
{
  for (guint i = 0; i < self->all->len; i++) {
    const ReportDifference *figure = self->all->pdata[i];

    if (figure->is_wanted)
      return TRUE;
  }
  return FALSE;
}

/* @distance: (inout): of the nearest one so far
 * Returns: (nullable): a name that is nearer; NULL: none is */
const gchar *
report_differences_nearest (const ReportDifferences * self,
    const gchar * name, guint * distance)
{
  const gchar *nearest = NULL;

  for (guint i = 0; i < self->all->len; i++) {
    const ReportDifference *figure = self->all->pdata[i];
    g_autofree gchar *old = histo_figure_old_path (figure->path);
    const guint now = MIN (MIN (histo_rule_distance (name, figure->path), histo_rule_distance (name, old)),
        histo_rule_distance (name, figure->figure));

    if (now < *distance) {
      *distance = now;
      nearest = figure->path;
    }
  }
  return nearest;
}
