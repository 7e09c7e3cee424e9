/* The figures of a result, one after the other: each has one path, by which the result, its structure and rules find it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "results.h"

#include <math.h>
#include <string.h>

#include "cudahisto/rule-figures.h"
#include "result/write.h"

#define MOTION HISTO_GROUP_FLAG (HISTO_GROUP_MOTION)

/* Names that are twice in the list are those of several regions. Rules can write all but the last ones. */
static const gchar *const region_names[] = {
  "logo", "logo", "logo#2", "logo#1", "a", "a.motion", "motion", "Y", "signal", "a.b.Y", "regions", "x#", "ch0", "pairs",
  "left half", "", "Ω:", "*"
};

/* Random, with regions of those names. */
static void
fill (GRand * random, gboolean is_audio, guint groups, HistoResult * result)
{
  test_fill_result (random, is_audio, groups, result);
  for (guint r = 1; r < result->n_regions; r++)
    result->regions[r].region.name = region_names[g_rand_int_range (random, 0, G_N_ELEMENTS (region_names))];
  /* No two pairs have the same channels. */
  result->n_pairs = MIN (result->n_pairs, result->n_components / 2);
  for (guint i = 0; i < result->n_pairs; i++) {
    result->pairs[i].first = 2 * i + 1;
    result->pairs[i].second = 2 * i;
  }
}

/* ---- Figures ------------------------------------------------------------------------------ */

/* Figures by their paths. */
typedef struct
{
  GHashTable *paths;
  GPtrArray *in_order;          /* of paths */
  const GstStructure *structure;        /* of the result; NULL: it is not looked at */
  guint n_written;              /* figures that the structure has */
} Figures;

static void
init (Figures * figures, const GstStructure * structure)
{
  figures->paths = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  figures->in_order = g_ptr_array_new ();
  figures->structure = structure;
  figures->n_written = 0;
}

static void
clear (Figures * figures)
{
  g_ptr_array_unref (figures->in_order);
  g_hash_table_unref (figures->paths);
}

static gdouble
to_double (const GValue * value, const HistoFigureRow * row)
{
  GValue number = G_VALUE_INIT;

  if (G_VALUE_HOLDS_STRING (value))
    return histo_choice_find (row->choice, g_value_get_string (value));
  g_value_init (&number, G_TYPE_DOUBLE);
  fail_unless (g_value_transform (value, &number), "%s", row->name);
  return g_value_get_double (&number);
}

/* Returns: (nullable): the figure in the structure, which the steps of its path lead to */
static const GValue *
find_in_structure (const HistoVisit * visit, const GstStructure * structure)
{
  const GValue *value = NULL;

  for (guint i = 0; i < visit->n_steps && structure != NULL; i++) {
    guint number = visit->figure.index;

    value = gst_structure_get_value (structure, visit->steps[i]);
    structure = NULL;
    if (value != NULL && GST_VALUE_HOLDS_ARRAY (value)) {
      if (i == 0 && visit->region > 0)
        number = visit->region - 1;
      value = number < gst_value_array_get_size (value) ? gst_value_array_get_value (value, number) : NULL;
      i++;
    }
    if (value != NULL && GST_VALUE_HOLDS_STRUCTURE (value))
      structure = gst_value_get_structure (value);
  }
  return value;
}

static void
add_figure (const HistoVisit * visit, gpointer data)
{
  Figures *figures = data;
  const HistoFigureAt *figure = &visit->figure;
  const gdouble number = histo_result_get_figure (visit->result, figure);
  const GValue *written = figures->structure != NULL ? find_in_structure (visit, figures->structure) : NULL;
  gchar *path = histo_visit_path (visit);

  fail_unless (visit->member == histo_result_member (visit->result, figure), "%s", path);
  if (written != NULL) {
    const gdouble there = to_double (written, figure->row);

    fail_unless (there == number || (isnan (there) && isnan (number)), "%s: %g and %g", path, there, number);
    figures->n_written++;
  } else {
    fail_unless (figures->structure == NULL || isnan (number), "%s is not in the structure", path);
  }
  g_ptr_array_add (figures->in_order, path);
  fail_unless (g_hash_table_insert (figures->paths, path, g_memdup2 (figure, sizeof *figure)), "two figures have the path %s",
      path);
}

static const HistoVisitor collector = { NULL, add_figure, NULL };

/* Returns: how many figures a structure of a result has: all fields but those that describe what was measured */
static guint
count_fields (const GstStructure * structure)
{
  static const gchar *const others[] = { "schema", "media", "format", "colorimetry", "backend", "rate", "channels", "samples",
    "components", "name", "first", "second", "depth", "histogram", "columns", "rows"
  };
  const gboolean has_size = gst_structure_has_field (structure, "components");
  const gboolean is_joint = gst_structure_has_field (structure, "columns");
  guint n = 0;

  for (gint i = 0; i < gst_structure_n_fields (structure); i++) {
    const gchar *name = gst_structure_nth_field_name (structure, i);
    const GValue *value = gst_structure_get_value (structure, name);
    gboolean is_other = is_joint;

    for (guint k = 0; k < G_N_ELEMENTS (others); k++)
      is_other |= g_str_equal (others[k], name);
    /* Of the picture, or of a region. */
    is_other |= has_size && G_VALUE_HOLDS_INT (value);
    if (is_other)
      continue;
    if (GST_VALUE_HOLDS_STRUCTURE (value)) {
      n += count_fields (gst_value_get_structure (value));
    } else if (GST_VALUE_HOLDS_ARRAY (value)) {
      for (guint k = 0; k < gst_value_array_get_size (value); k++) {
        const GValue *item = gst_value_array_get_value (value, k);

        n += GST_VALUE_HOLDS_STRUCTURE (item) ? count_fields (gst_value_get_structure (item)) : 1;
      }
    } else {
      n++;
    }
  }
  return n;
}

/* A rule that names the figure finds it, by its path and by its old one. */
static void
check_rule (const HistoResult * result, const gchar * path, const HistoFigureAt * figure)
{
  gchar *text = g_strdup_printf ("rule: %s %s", path, figure->row->choice != NULL ? "= \"-\"" : "<= 0");
  HistoFigureAt found;
  HistoRuleFigure *parsed;
  HistoRules *rules;
  GError *error = NULL;
  gsize place;

  parsed = histo_rule_figure_parse (path, strlen (path), HISTO_RULES_OF_POLICY, &place, &error);
  fail_unless (parsed != NULL, "%s: %s", path, error != NULL ? error->message : "");
  if (!histo_is_each (parsed->region)) {
    fail_unless (histo_rule_figure_find (parsed, result, parsed->region, parsed->item, &found), "%s", path);
    fail_unless (found.row == figure->row && found.region == figure->region && found.index == figure->index, "%s", path);
  }
  histo_rule_figure_free (parsed);
  if (figure->row->choice == NULL) {
    rules = histo_rules_parse (text, HISTO_RULES_OF_ELEMENT, NULL, NULL, &error);
    fail_unless (rules != NULL, "%s: %s", text, error != NULL ? error->message : "");
    histo_rules_unref (rules);
  }
  g_free (text);
}

static gboolean
can_be_in_rule (const HistoResult * result, const HistoFigureAt * figure)
{
  const gchar *name = figure->region > 0 ? result->regions[figure->region].region.name : "logo";

  return figure->row->path != NULL && *name != '\0' && strpbrk (name, " :*") == NULL;
}

typedef struct
{
  GHashTable *paths;
  gboolean with_rules;
} OldPaths;

static void
find_old_path (const HistoVisit * visit, gpointer data)
{
  OldPaths *old = data;
  gchar *new_path = histo_visit_path (visit), *path = histo_figure_old_path (new_path);
  const gchar *name = visit->region > 0 ? visit->result->regions[visit->region].region.name : NULL;

  /* As CSV had it, "regions.a.Y.mean" was a figure of the region "regions.a", too. */
  if (old->with_rules && can_be_in_rule (visit->result, &visit->figure) && g_strcmp0 (name, "regions") != 0)
    check_rule (visit->result, path, &visit->figure);
  g_free (new_path);
  fail_unless (g_hash_table_add (old->paths, path), "two figures have the old path %s", path);
}

/* Visits by the names that CSV had first. */
static void
check_old_paths (const HistoResult * result, gboolean with_rules)
{
  static const HistoVisitor visitor = { NULL, find_old_path, NULL };
  OldPaths old = { g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), with_rules };
  const gchar *names[HISTO_MAX_REGIONS];
  gchar **steps;

  for (guint r = 1; r < result->n_regions; r++)
    names[r - 1] = result->regions[r].region.name;
  steps = histo_region_steps (names, MAX (result->n_regions, 1) - 1, TRUE);
  histo_result_visit (result, 0, (const gchar * const *) steps, &visitor, &old);
  g_strfreev (steps);
  g_hash_table_unref (old.paths);
}

/* Each path leads to the figure that has it; each figure of the structure is visited once; a rule takes the path, and the
 * name that CSV had first. */
TEST (test_each_path)
{
  GRand *random = test_random ();

  for (guint i = 0; i < 60; i++) {
    HistoResult result = { 0, };
    GstStructure *structure;
    Figures figures;

    fill (random, i % 3 == 0, i % 2 == 0 ? G_MAXUINT : 0, &result);
    structure = test_write_result (&result);
    init (&figures, structure);
    histo_result_visit (&result, 0, NULL, &collector, &figures);
    fail_unless_equals_int (figures.n_written, count_fields (structure));
    for (guint k = 0; k < figures.in_order->len; k++) {
      const gchar *path = figures.in_order->pdata[k];
      const HistoFigureAt *figure = g_hash_table_lookup (figures.paths, path);
      HistoFigureAt found;

      /* All of some results would take long. */
      if (g_rand_int_range (random, 0, 8) > 0)
        continue;
      fail_unless (histo_result_find_figure (&result, NULL, path, 0, &found), "%s", path);
      fail_unless (found.row == figure->row && found.region == figure->region && found.index == figure->index
          && found.is_absent == figure->is_absent, "%s", path);
      if (can_be_in_rule (&result, figure))
        check_rule (&result, path, figure);
    }
    check_old_paths (&result, i % 8 == 0);
    clear (&figures);
    gst_structure_free (structure);
    histo_result_clear (&result);
  }
  g_rand_free (random);
}

/* What a rule names by the names that CSV had first, and what is none of these. */
TEST (test_old_paths)
{
  static const struct
  {
    const gchar *text, *path;   /* NULL: it is refused */
  } cases[] = {
    {"logo.Y.mean", "regions.logo.Y.mean"}, {"logo.signal.brng", "regions.logo.signal.brng"},
    {"logo#2.Y.mean", "regions.logo#2.Y.mean"}, {"Y.Y.mean", "regions.Y.Y.mean"}, {"a.b.Y.mean", "regions.a.b.Y.mean"},
    {"ch0-ch1.balance", "pairs.ch0+ch1.balance"}, {"ch10-ch11.dual-mono", "pairs.ch10+ch11.dual-mono"},
    {"ch0.true-peak", "loudness.true-peak.ch0"}, {"ch*.sample-peak", "loudness.sample-peak.*"},
    {"whole.logo.Y.mean", "regions.logo.Y.mean"}, {"whole.ch0-ch1.balance.max", "pairs.ch0+ch1.balance.max"},
    {"whole.ch*.true-peak.max", "loudness.true-peak.*.max"},
    {"signal.Y.mean", NULL}, {"*.Y.mean", NULL}, {".Y.mean", NULL}, {"logo.mean", NULL}, {"ch0-ch1.mean", NULL},
    {"ch0-x.balance", NULL}, {"ch0.true-peaks", NULL}, {"x.true-peak", NULL}, {"ch0.true-peak.ch0", NULL},
    {"moton.Y.mean", NULL}, {"region.logo.Y.mean", NULL}, {"wole.Y.mean", NULL}, {"area1.Y.mean", "regions.area1.Y.mean"},
    {"region.Y.mean", "regions.region.Y.mean"}, {"ch0-ch1", NULL}, {"ch0.ch0.mean", NULL}, {"logo.flash.zones.1.state", NULL}, {"fact.logo.width", NULL},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GError *error = NULL;
    gsize place;
    HistoRuleFigure *figure = histo_rule_figure_parse (cases[i].text, strlen (cases[i].text), HISTO_RULES_OF_POLICY, &place,
        &error);
    gchar *path = figure != NULL ? histo_rule_figure_at (figure, figure->region, figure->item) : NULL;

    fail_unless (g_strcmp0 (path, cases[i].path) == 0, "%s: %s", cases[i].text, path);
    fail_unless ((figure == NULL) == (error != NULL));
    g_clear_error (&error);
    histo_rule_figure_free (figure);
    g_free (path);
  }
}

/* Native components may have any names. */
TEST (test_unknown_components)
{
  GRand *random = test_random ();
  HistoResult result = { 0, };
  HistoFigureAt figure;
  Figures figures;

  fill (random, FALSE, MOTION, &result);
  for (guint i = 0; i < result.n_components; i++) {
    if (result.components[i].native == 0 && (result.components[i].source == HISTO_SOURCE_SAMPLE
            || result.components[i].source == HISTO_SOURCE_DIFFERENCE))
      result.components[i].name = "infrared";
  }
  init (&figures, NULL);
  histo_result_visit (&result, 0, NULL, &collector, &figures);
  fail_unless (g_hash_table_contains (figures.paths, "infrared.mean"));
  fail_unless (g_hash_table_contains (figures.paths, "motion.infrared.mean"));
  fail_unless (histo_result_find_figure (&result, NULL, "motion.infrared.mean", 0, &figure));
  fail_unless (figure.row->path == NULL && figure.row->group == HISTO_GROUP_MOTION);
  fail_if (histo_result_find_figure (&result, NULL, "motion.ultraviolet.mean", 0, &figure));
  clear (&figures);
  histo_result_clear (&result);
  g_rand_free (random);
}

static gboolean
is_not_zones (const HistoVisit * visit, gpointer n)
{
  *(guint *) n += visit->place == HISTO_PLACE_ZONES ? 1 : 0;
  return visit->place != HISTO_PLACE_ZONES;
}

static void
leave (const HistoVisit * visit, gpointer n)
{
  fail_if (visit->place == HISTO_PLACE_ZONES || visit->place == HISTO_PLACE_ZONE);
}

static void
no_zone (const HistoVisit * visit, gpointer n)
{
  fail_if (visit->figure.row->in == HISTO_IN_ZONE);
}

/* What is in a place that is not entered is left out. */
TEST (test_places)
{
  static const HistoVisitor visitor = { is_not_zones, no_zone, leave };
  GRand *random = test_random ();
  HistoResult result = { 0, };
  guint n = 0;

  fill (random, FALSE, HISTO_GROUP_FLAG (HISTO_GROUP_FLASH), &result);
  histo_result_visit (&result, 0, NULL, &visitor, &n);
  fail_unless_equals_int (n, 1);
  histo_result_clear (&result);
  g_rand_free (random);
}

/* A group that a result lacks is visited as if the result had it, where this is asked for: all its figures are absent. */
TEST (test_absent_groups)
{
  GRand *random = test_random ();

  for (guint i = 0; i < 20; i++) {
    const gboolean is_audio = i % 2;
    HistoResult result = { 0, };
    guint groups, n_basic = 0, n_of_region;
    Figures with, without;

    fill (random, is_audio, G_MAXUINT, &result);
    for (guint r = 1; r < result.n_regions; r++)
      result.regions[r].region.name = "logo";
    groups = result.groups;
    init (&with, NULL);
    histo_result_visit (&result, 0, NULL, &collector, &with);
    /* The other components are gone, as in a result that was read. */
    n_of_region = result.n_region_components;
    while (n_basic < n_of_region && result.components[n_basic].group == HISTO_GROUP_BASIC)
      n_basic++;
    for (guint r = 0; r < result.n_regions; r++) {
      for (guint c = 0; c < n_basic; c++) {
        HistoComponentResult *to = &result.components[r * n_basic + c], *from = &result.components[r * n_of_region + c];

        if (to == from)
          continue;
        g_clear_pointer (&to->histogram, g_bytes_unref);
        *to = *from;
        from->histogram = NULL;
      }
    }
    result.n_region_components = n_basic;
    result.groups = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC);
    init (&without, NULL);
    histo_result_visit (&result, groups, NULL, &collector, &without);
    fail_unless_equals_int (with.in_order->len, without.in_order->len);
    for (guint k = 0; k < with.in_order->len; k++) {
      const gchar *path = with.in_order->pdata[k];
      const HistoFigureAt *figure = g_hash_table_lookup (without.paths, path);
      HistoFigureAt found;

      assert_equals_string (without.in_order->pdata[k], path);
      fail_unless (figure->is_absent == (figure->row->group != HISTO_GROUP_BASIC), "%s", path);
      fail_unless (!figure->is_absent || isnan (histo_result_get_figure (&result, figure)), "%s", path);
      if (k % 16 == 0)
        fail_unless (histo_result_find_figure (&result, NULL, path, 0, &found) != figure->is_absent
            || figure->row->in == HISTO_IN_PAIR, "%s", path);
    }
    clear (&with);
    clear (&without);
    histo_result_clear (&result);
  }
  g_rand_free (random);
}

/* ---- Names of regions --------------------------------------------------------------------- */

TEST (test_region_steps)
{
  static const gchar *const names[] = { "logo", "logo", "motion", "a.motion", "logo#2", "logo", "#", "" };
  static const gchar *const steps[] = { "logo", "logo#2", "motion", "a.motion#4", "logo#2#5", "logo#6", "#", "" };
  static const gchar *const bare[] = { "logo", "logo#2", "motion#3", "a.motion#4", "logo#2#5", "logo#6", "#", "" };

  for (guint is_bare = 0; is_bare < 2; is_bare++) {
    gchar **found = histo_region_steps (names, G_N_ELEMENTS (names), is_bare);

    for (guint i = 0; i < G_N_ELEMENTS (names); i++)
      assert_equals_string (found[i], is_bare ? bare[i] : steps[i]);
    fail_unless_equals_int (g_strv_length (found), G_N_ELEMENTS (names));
    g_strfreev (found);
  }
}

/* A region is found by its name, too, though its paths have another step; one of a meta is found by neither. */
TEST (test_regions_by_name)
{
  static const struct
  {
    const gchar *path;
    gint region;                /* -1: none */
  } cases[] = {
    {"regions.a.motion.Y.mean", 1}, {"regions.a.motion.Y.p1", 1}, {"regions.a.motion.Y.max", 1},
    {"regions.a.motion#2.Y.mean", 2}, {"regions.motion.Y.mean", 3}, {"regions.motion#3.Y.mean", 3},
    {"regions.logo#6.Y.mean", 6}, {"regions.logo#6#4.Y.mean", 4}, {"regions.logo.Y.mean", 5}, {"regions.face.Y.mean", -1},
    {"regions.Y.mean", -1}, {"regions", -1}, {"regions.", -1}, {".", -1}, {"Y.mean.", -1}, {"Y", -1},
  };
  const gchar *const names[] = { NULL, "a", "a.motion", "motion", "logo#6", "logo", "logo", "face" };
  HistoResult result = {.groups = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC) | MOTION,.n_region_components = 2 };
  const guint n = G_N_ELEMENTS (names);
  HistoFigureAt figure;

  histo_result_set_n_regions (&result, n);
  histo_result_set_n_components (&result, 2 * n);
  for (guint r = 0; r < n; r++) {
    result.regions[r].region.name = names[r];
    for (guint c = 0; c < 2; c++)
      result.components[2 * r + c] = (HistoComponentResult) {.name = "Y",.group = c == 0 ? HISTO_GROUP_BASIC : HISTO_GROUP_MOTION };
  }
  result.regions[n - 1].is_roi = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    fail_unless (histo_result_find_figure (&result, NULL, cases[i].path, 0, &figure) == (cases[i].region >= 0), "%s",
        cases[i].path);
    fail_unless (cases[i].region < 0 || figure.region == (guint) cases[i].region, "%s: %u", cases[i].path, figure.region);
  }
  fail_unless (histo_result_find_figure (&result, "a.motion", "Y.mean", 0, &figure) && figure.region == 2
      && figure.row->group == HISTO_GROUP_BASIC);
  fail_unless (histo_result_find_figure (&result, "a", "motion.Y.mean", 0, &figure) && figure.region == 1);
  fail_if (histo_result_find_figure (&result, "face", "Y.mean", 0, &figure));
  fail_if (histo_result_find_figure (&result, "a", "regions.a.Y.mean", 0, &figure));
  fail_if (histo_result_find_figure (&result, "", "Y.mean", 0, &figure));
  histo_result_clear (&result);
}

/* ---- Shapes ------------------------------------------------------------------------------- */

/* A result fits its shape; a result with any other shape does not, though its figures may be the same. */
TEST (test_shapes)
{
  GRand *random = test_random ();

  for (guint i = 0; i < 40; i++) {
    HistoResult result = { 0, };
    HistoShape shape = { 0, };

    fill (random, i % 2, G_MAXUINT, &result);
    fail_if (histo_shape_fits (&shape, &result));
    histo_shape_set (&shape, &result);
    fail_unless (histo_shape_fits (&shape, &result));
    result.format = "another";
    fail_if (histo_shape_fits (&shape, &result));
    histo_shape_set (&shape, &result);
    for (guint k = 0; k < 4; k++) {
      guint *const counts[] = { &result.n_components, &result.n_region_components, &result.n_regions, &result.n_pairs };

      if (*counts[k] == 0)
        continue;
      --*counts[k];
      fail_if (histo_shape_fits (&shape, &result), "count %u", k);
      ++*counts[k];
    }
    result.is_audio = !result.is_audio;
    fail_if (histo_shape_fits (&shape, &result));
    result.is_audio = !result.is_audio;
    result.groups ^= MOTION;
    fail_if (histo_shape_fits (&shape, &result));
    histo_shape_set (&shape, &result);
    if (result.n_components > 0) {
      result.components[0].name = "another";
      fail_if (histo_shape_fits (&shape, &result));
      histo_shape_set (&shape, &result);
    }
    if (result.n_pairs > 0) {
      result.pairs[0].second = result.pairs[0].first;
      fail_if (histo_shape_fits (&shape, &result));
      histo_shape_set (&shape, &result);
    }
    if (result.n_regions > 1) {
      result.regions[1].region.name = "another";
      fail_if (histo_shape_fits (&shape, &result));
      histo_shape_set (&shape, &result);
    }
    fail_unless (histo_shape_fits (&shape, &result));
    histo_shape_clear (&shape);
    fail_if (histo_shape_fits (&shape, &result));
    histo_result_clear (&result);
  }
  g_rand_free (random);
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  histo_write_init ();
  return test_run (__FILE__, 60, TRUE);
}
