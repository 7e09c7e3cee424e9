/* Random results for unit tests; see results.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "results.h"

#include "frames.h"

#include <math.h>

#include "cudahisto/figures.h"
#include "result/write.h"

/* ---- Random results ------------------------------------------------------------------- */

static gdouble
random_double (GRand * random)
{
  guint64 bits = (guint64) g_rand_int (random) << 32 | g_rand_int (random);
  gdouble number;

  memcpy (&number, &bits, sizeof number);
  /* No NaN signals: functions of i386 return numbers in the x87 unit, which makes such ones quiet. */
  if (isnan (number)) {
    bits |= G_GUINT64_CONSTANT (1) << 51;
    memcpy (&number, &bits, sizeof number);
  }
  return number;
}

/* @figures: the struct that has the members of @infos */
static void
fill_figures (GRand * random, const HistoFigureInfo * infos, guint n,
    gpointer figures)
{
  for (guint i = 0; i < n; i++) {
    gpointer member = G_STRUCT_MEMBER_P (figures, infos[i].offset);

    switch (infos[i].type) {
      case HISTO_FIGURE_UINT64:
        *(guint64 *) member = (guint64) g_rand_int (random) << 20;
        break;
      case HISTO_FIGURE_UINT:
        *(guint *) member = g_rand_int_range (random, 1, 300);
        break;
      case HISTO_FIGURE_DOUBLE:
      case HISTO_FIGURE_CHOICE:        /* never one of these */
        *(gdouble *) member = random_double (random);
        break;
    }
  }
}

static void
fill_component (GRand * random, HistoComponentResult * component,
    const gchar * name, HistoGroup group, HistoSource source, guint native)
{
  component->quark = g_quark_from_string (name);
  component->name = g_quark_to_string (component->quark);
  component->group = group;
  component->source = source;
  component->native = native;
  fill_figures (random, histo_figures, HISTO_N_FIGURES, &component->figures);
  /* Floats have none. */
  component->depth = group == HISTO_GROUP_BASIC ? component->figures.bins % (HISTO_MAX_DEPTH + 1) : 0;
  if (g_rand_boolean (random)) {
    const gsize size = component->figures.bins
        * (g_rand_boolean (random) ? sizeof (guint32) : sizeof (guint64));
    guint8 *data = g_malloc (size);

    test_fill_random (random, data, size);
    component->histogram = g_bytes_new_take (data, size);
  }
}

/* The native components of video, and the flag of such formats. */
static const struct
{
  const gchar *format;
  const gchar *names[HISTO_MAX_COMPONENTS];
  guint n, flag;
} formats[] = {
  {"NV12", {"Y", "U", "V"}, 3, HISTO_HAS_YUV},
  {"AYUV", {"Y", "U", "V", "A"}, 4, HISTO_HAS_YUV},
  {"GBR", {"R", "G", "B"}, 3, HISTO_HAS_RGB},
  {"RGBA", {"R", "G", "B", "A"}, 4, HISTO_HAS_RGB},
  {"GRAY8", {"Y"}, 1, HISTO_HAS_GRAY}
};

/* Fills the components of a region, or counts them if @components is NULL. */
static guint
fill_components (GRand * random, guint format, guint groups,
    HistoComponentResult * components)
{
  guint n = 0;

  for (guint g = 0; g < HISTO_N_GROUPS; g++) {
    if ((groups & HISTO_GROUP_FLAG (g)) == 0)
      continue;
    for (guint s = 0; s < HISTO_N_SOURCES; s++) {
      const HistoComponentInfo *info = &histo_components[s];
      const guint n_of_source = info->name != NULL ? 1 : formats[format].n;

      if (info->group != g || (info->formats & formats[format].flag) == 0)
        continue;
      for (guint c = 0; c < n_of_source; c++) {
        if (components != NULL)
          fill_component (random, &components[n], info->name != NULL ?
              info->name : formats[format].names[c], g, s, c);
        n++;
      }
    }
  }
  return n;
}

/* A rectangle inside the picture. */
static HistoRegion
fill_rectangle (GRand * random, const HistoResult * result)
{
  HistoRegion rect = {
    .x = g_rand_int_range (random, 0, result->width + 1),
    .y = g_rand_int_range (random, 0, result->height + 1),
  };

  rect.width = g_rand_int_range (random, 0, result->width - rect.x + 1);
  rect.height = g_rand_int_range (random, 0, result->height - rect.y + 1);
  return rect;
}

static gdouble
random_group_figure (GRand * random, const HistoGroupFigureInfo * info)
{
  gchar **names;
  gdouble number;

  switch (info->type) {
    case HISTO_FIGURE_UINT:
      return g_rand_int (random);
    case HISTO_FIGURE_CHOICE:
      names = g_strsplit (info->unit, ", ", -1);
      number = g_rand_int_range (random, 0, g_strv_length (names));
      g_strfreev (names);
      return number;
    default:
      return g_rand_int_range (random, 0, 10) == 0 ? INFINITY :
          g_rand_double_range (random, -1000, 1000);
  }
}

static void
fill_zones (GRand * random, HistoGroupFigures * figures)
{
  figures->n_zones = HISTO_N_ZONES;
  for (guint z = 0; z < HISTO_N_ZONES; z++) {
    figures->zones[z].transitions = g_rand_int (random);
    figures->zones[z].red_transitions = g_rand_int_range (random, 0, 100);
    figures->zones[z].state = g_rand_int_range (random, HISTO_FLASH_PASS,
        HISTO_FLASH_FAIL + 1);
  }
}

/* The figures of groups that are not measured are NaN. */
static void
fill_group_figures (GRand * random, const HistoResult * result, guint n_native,
    HistoGroupFigures * figures)
{
  const guint groups = result->groups;

  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const HistoGroupFigureInfo *info = &histo_group_figures[i];
    gdouble *figure = G_STRUCT_MEMBER_P (figures, info->offset);

    *figure = NAN;
    if ((groups & HISTO_GROUP_FLAG (info->group)) != 0
        && g_rand_int_range (random, 0, 4) > 0)
      *figure = random_group_figure (random, info);
  }
  if ((groups & HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL)) != 0) {
    figures->n_bits_used = n_native;
    for (guint c = 0; c < n_native; c++)
      figures->bits_used[c] = g_rand_int_range (random, 0, 17);
  }
  if ((groups & HISTO_GROUP_FLAG (HISTO_GROUP_AREA)) != 0) {
    const HistoRegion area = fill_rectangle (random, result);

    figures->area_x = area.x;
    figures->area_y = area.y;
    figures->area_width = area.width;
    figures->area_height = area.height;
  }
}

static void
fill_regions (GRand * random, guint format, HistoResult * result)
{
  static const gchar *const names[] = { "face", "left half", "Ω", "" };

  for (guint r = 0; r < result->n_regions; r++) {
    HistoRegionResult *region = &result->regions[r];

    region->has_motion = histo_result_has_group (result, HISTO_GROUP_MOTION);
    region->region.width = result->width;
    region->region.height = result->height;
    if (r > 0) {
      region->region = fill_rectangle (random, result);
      region->region.name = names[g_rand_int_range (random, 0, 4)];
    }
    fill_group_figures (random, result, formats[format].n, &region->figures);
    if (r == 0 && histo_result_has_group (result, HISTO_GROUP_FLASH))
      fill_zones (random, &region->figures);
    fill_components (random, format, result->groups,
        histo_result_region_components (result, r));
  }
}

static void
fill_joints (GRand * random, guint flag, HistoResult * result)
{
  for (guint j = 0; j < HISTO_N_JOINTS; j++) {
    HistoComponentResult *joint;

    if (!histo_joint_is_measured (j, result->groups, flag))
      continue;
    joint = histo_result_add_joint (result, j);
    joint->figures.count = g_rand_int (random);
    /* They are large. */
    if (g_rand_int_range (random, 0, 8) == 0) {
      guint8 *data = g_malloc (HISTO_SCOPE_BINS * sizeof (guint32));

      test_fill_random (random, data, HISTO_SCOPE_BINS * sizeof (guint32));
      joint->histogram = g_bytes_new_take (data, HISTO_SCOPE_BINS * sizeof (guint32));
    }
  }
}

static void
fill_video (GRand * random, guint groups, HistoResult * result)
{
  const guint format = g_rand_int_range (random, 0, G_N_ELEMENTS (formats));

  result->format = formats[format].format;
  result->width = g_rand_int_range (random, 1, 100000);
  result->height = g_rand_int_range (random, 1, 100000);
  result->groups = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC);
  for (guint g = 0; g < HISTO_N_GROUPS; g++) {
    if (!histo_groups[g].is_audio
        && ((groups & HISTO_GROUP_FLAG (g)) != 0 || g_rand_boolean (random)))
      result->groups |= HISTO_GROUP_FLAG (g);
  }
  result->n_region_components =
      fill_components (random, format, result->groups, NULL);
  histo_result_set_n_regions (result, 1 + g_rand_int_range (random, 0, 4));
  histo_result_set_n_components (result,
      result->n_regions * result->n_region_components);
  fill_regions (random, format, result);
  fill_joints (random, formats[format].flag, result);
}

#define LEVEL HISTO_GROUP_FLAG (HISTO_GROUP_LEVEL)
#define LOUDNESS HISTO_GROUP_FLAG (HISTO_GROUP_LOUDNESS)

/* Figures that are NaN are absent. */
static void
fill_pairs (GRand * random, HistoResult * result)
{
  histo_result_set_n_pairs (result, g_rand_int_range (random, 0,
          result->n_components / 2 + 1));
  for (guint i = 0; i < result->n_pairs; i++) {
    HistoPairResult *pair = &result->pairs[i];

    pair->first = g_rand_int_range (random, 0, result->n_components);
    pair->second = g_rand_int_range (random, 0, result->n_components);
    fill_figures (random, histo_pair_figures, HISTO_N_PAIR_FIGURES,
        &pair->figures);
    /* What is absent is read as NAN, of which there are several. */
    for (guint k = 0; k < HISTO_N_PAIR_FIGURES; k++) {
      if (histo_pair_figures[k].type == HISTO_FIGURE_DOUBLE
          && isnan (G_STRUCT_MEMBER (gdouble, &pair->figures, histo_pair_figures[k].offset)))
        G_STRUCT_MEMBER (gdouble, &pair->figures, histo_pair_figures[k].offset) = NAN;
    }
    if (g_rand_boolean (random))
      pair->figures.correlation = NAN;
  }
}

static void
fill_levels (GRand * random, HistoResult * result)
{
  result->groups |= LEVEL;
  histo_result_set_n_levels (result, result->n_components);
  for (guint c = 0; c < result->n_components; c++)
    fill_figures (random, histo_level_figures, HISTO_N_LEVEL_FIGURES,
        &result->levels[c]);
  fill_pairs (random, result);
}

static void
fill_loudness (GRand * random, HistoResult * result)
{
  const guint n = result->n_components;

  result->groups |= LOUDNESS;
  fill_figures (random, histo_loudness_figures, HISTO_N_LOUDNESS_FIGURES,
      &result->loudness);
  /* Freed with the result. */
  result->peaks = g_new (gdouble, 2 * n + 1);
  for (guint i = 0; i < 2 * n; i++)
    result->peaks[i] = random_double (random);
  result->loudness.true_peak = result->peaks;
  result->loudness.sample_peak = result->peaks + n;
}

static void
fill_audio (GRand * random, guint groups, HistoResult * result)
{
  static const gchar *const names[] = { "ch0", "ch1", "ch2", "ch10" };

  result->format = "F32LE";
  result->rate = g_rand_int_range (random, 1, 192000);
  result->n_samples = (guint64) g_rand_int (random) << 8;
  result->groups = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC);
  result->n_region_components = g_rand_int_range (random, 0, 5);
  result->channels = (gint) result->n_region_components;
  histo_result_set_n_components (result, result->n_region_components);
  for (guint i = 0; i < result->n_components; i++)
    fill_component (random, &result->components[i], names[i],
        HISTO_GROUP_BASIC, HISTO_SOURCE_SAMPLE, i);
  /* Without channels nothing tells of the group. */
  if (result->n_components > 0 && ((groups & LEVEL) != 0
          || g_rand_boolean (random)))
    fill_levels (random, result);
  if ((groups & LOUDNESS) != 0 || g_rand_boolean (random))
    fill_loudness (random, result);
}

void
test_fill_result (GRand * random, gboolean is_audio, guint groups,
    HistoResult * result)
{
  result->is_audio = is_audio;
  result->colorimetry = g_rand_boolean (random) ? "bt709" : NULL;
  result->backend = g_rand_boolean (random) ? "cuda" : "cpu";
  if (is_audio)
    fill_audio (random, groups, result);
  else
    fill_video (random, groups, result);
}

/* ---- Comparison ------------------------------------------------------------------------- */

static gboolean
same_figures (const HistoFigureInfo * infos, guint n, gconstpointer a,
    gconstpointer b)
{
  for (guint i = 0; i < n; i++) {
    static const gsize sizes[] = {
      [HISTO_FIGURE_UINT64] = sizeof (guint64),
      [HISTO_FIGURE_UINT] = sizeof (guint),
      [HISTO_FIGURE_DOUBLE] = sizeof (gdouble),
    };
    const gsize offset = infos[i].offset;

    if (memcmp (G_STRUCT_MEMBER_P (a, offset), G_STRUCT_MEMBER_P (b, offset),
            sizes[infos[i].type]) != 0)
      return FALSE;
  }
  return TRUE;
}

static void
check_components (const HistoResult * a, const HistoResult * b)
{
  fail_unless_equals_int (a->n_components, b->n_components);
  fail_unless_equals_int (a->n_region_components, b->n_region_components);
  for (guint i = 0; i < a->n_components; i++) {
    const HistoComponentResult *x = &a->components[i], *y = &b->components[i];

    fail_unless_equals_string (x->name, y->name);
    fail_unless_equals_int (x->group, y->group);
    fail_unless_equals_int (x->source, y->source);
    fail_unless_equals_int (x->native, y->native);
    fail_unless_equals_int (x->depth, y->depth);
    fail_unless (same_figures (histo_figures, HISTO_N_FIGURES, &x->figures,
            &y->figures));
    fail_unless ((x->histogram == NULL) == (y->histogram == NULL));
    fail_unless (x->histogram == NULL
        || g_bytes_equal (x->histogram, y->histogram));
  }
}

static void
check_joints (const HistoResult * a, const HistoResult * b)
{
  fail_unless_equals_int (a->n_joints, b->n_joints);
  for (guint i = 0; i < a->n_joints; i++) {
    const HistoComponentResult *x = &a->joints[i], *y = &b->joints[i];

    fail_unless_equals_string (x->name, y->name);
    fail_unless_equals_int (x->group, y->group);
    fail_unless_equals_uint64 (x->figures.count, y->figures.count);
    fail_unless_equals_int (x->figures.bins, y->figures.bins);
    fail_unless_equals_int (x->columns, y->columns);
    fail_unless_equals_int (x->rows, y->rows);
    fail_unless_equals_string (x->x, y->x);
    fail_unless_equals_string (x->y, y->y);
    fail_unless ((x->histogram == NULL) == (y->histogram == NULL));
    fail_unless (x->histogram == NULL
        || g_bytes_equal (x->histogram, y->histogram));
    fail_unless (histo_result_find_component (b, 0, y->group, y->name) == y);
  }
}

static void
check_group_figures (const HistoGroupFigures * a, const HistoGroupFigures * b)
{
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const gsize offset = histo_group_figures[i].offset;
    const gdouble x = *(const gdouble *) G_STRUCT_MEMBER_P (a, offset);
    const gdouble y = *(const gdouble *) G_STRUCT_MEMBER_P (b, offset);

    fail_unless (isnan (x) ? isnan (y) : x == y, "%s is %g, not %g",
        histo_group_figures[i].name, y, x);
  }
  fail_unless_equals_int (a->n_bits_used, b->n_bits_used);
  for (guint c = 0; c < a->n_bits_used; c++)
    fail_unless_equals_int (a->bits_used[c], b->bits_used[c]);
  fail_unless_equals_int (a->area_x, b->area_x);
  fail_unless_equals_int (a->area_y, b->area_y);
  fail_unless_equals_int (a->area_width, b->area_width);
  fail_unless_equals_int (a->area_height, b->area_height);
  fail_unless_equals_int (a->n_zones, b->n_zones);
  for (guint z = 0; z < a->n_zones; z++) {
    fail_unless_equals_uint64 (a->zones[z].transitions, b->zones[z].transitions);
    fail_unless_equals_int (a->zones[z].red_transitions,
        b->zones[z].red_transitions);
    fail_unless_equals_int (a->zones[z].state, b->zones[z].state);
  }
}

static void
check_regions (const HistoResult * a, const HistoResult * b)
{
  fail_unless_equals_int (a->n_regions, b->n_regions);
  for (guint r = 0; r < a->n_regions; r++) {
    const HistoRegionResult *x = &a->regions[r], *y = &b->regions[r];

    fail_unless (g_strcmp0 (x->region.name, y->region.name) == 0);
    fail_unless_equals_int (x->region.x, y->region.x);
    fail_unless_equals_int (x->region.y, y->region.y);
    fail_unless_equals_int (x->region.width, y->region.width);
    fail_unless_equals_int (x->region.height, y->region.height);
    fail_unless_equals_int (x->has_motion, y->has_motion);
    check_group_figures (&x->figures, &y->figures);
  }
}

static void
check_audio (const HistoResult * a, const HistoResult * b)
{
  const gsize size = a->n_components * sizeof (gdouble);

  /* What was not measured does not read as a figure. */
  fail_unless ((a->groups & LEVEL) != 0 || (a->levels == NULL && b->levels == NULL));
  for (guint i = 0; (a->groups & LOUDNESS) == 0 && i < HISTO_N_LOUDNESS_FIGURES; i++)
    fail_unless (isnan (histo_figure_get (&histo_loudness_figures[i], &b->loudness)), "%s",
        histo_loudness_figures[i].name);
  for (guint c = 0; (a->groups & LEVEL) != 0 && c < a->n_components; c++)
    fail_unless (same_figures (histo_level_figures, HISTO_N_LEVEL_FIGURES,
            &a->levels[c], &b->levels[c]));
  fail_unless_equals_int (a->n_pairs, b->n_pairs);
  for (guint i = 0; i < a->n_pairs; i++) {
    fail_unless_equals_int (a->pairs[i].first, b->pairs[i].first);
    fail_unless_equals_int (a->pairs[i].second, b->pairs[i].second);
    fail_unless (same_figures (histo_pair_figures, HISTO_N_PAIR_FIGURES,
            &a->pairs[i].figures, &b->pairs[i].figures));
  }
  if ((a->groups & LOUDNESS) == 0)
    return;
  fail_unless (same_figures (histo_loudness_figures,
          HISTO_N_LOUDNESS_FIGURES, &a->loudness, &b->loudness));
  fail_unless (memcmp (a->loudness.true_peak, b->loudness.true_peak,
          size) == 0);
  fail_unless (memcmp (a->loudness.sample_peak, b->loudness.sample_peak,
          size) == 0);
}

void
test_check_results_equal (const HistoResult * a, const HistoResult * b)
{
  fail_unless_equals_int (a->is_audio, b->is_audio);
  fail_unless_equals_string (a->format, b->format);
  fail_unless (g_strcmp0 (a->colorimetry, b->colorimetry) == 0);
  fail_unless_equals_string (a->backend, b->backend);
  fail_unless_equals_int (a->width, b->width);
  fail_unless_equals_int (a->height, b->height);
  fail_unless_equals_int (a->rate, b->rate);
  fail_unless_equals_int (a->channels, b->channels);
  fail_unless_equals_uint64 (a->n_samples, b->n_samples);
  fail_unless_equals_int (a->groups, b->groups);
  check_joints (a, b);
  check_components (a, b);
  check_regions (a, b);
  if (a->is_audio)
    check_audio (a, b);
}

GstStructure *
test_write_result (const HistoResult * result)
{
  GstStructure *structure = gst_structure_new_empty (HISTO_RESULT_NAME);

  histo_write_result (result, structure);
  return structure;
}
