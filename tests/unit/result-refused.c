/* Structures that are no results: reading them fails with an error that names the field.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "results.h"

#include "cudahisto/read.h"
#include "result/write.h"

#include <math.h>

#define ALL_GROUPS ((1u << HISTO_N_GROUPS) - 1)

/* Reading @structure must fail with an error that names @name, and leave an empty result.
 * Takes the structure. */
static void
check_refused (GstStructure * structure, const gchar * name)
{
  HistoResult result = { 0, };
  GError *error = NULL;

  fail_if (histo_read_result (structure, &result, &error),
      "%s was accepted: %" GST_PTR_FORMAT, name, structure);
  fail_unless (g_error_matches (error, GST_STREAM_ERROR,
          GST_STREAM_ERROR_FORMAT));
  fail_unless (strstr (error->message, name) != NULL, "%s", error->message);
  fail_unless_equals_int (result.n_components, 0);
  fail_unless (result.components == NULL);
  fail_unless_equals_int (result.n_regions, 0);
  fail_unless (result.regions == NULL);
  g_clear_error (&error);
  gst_structure_free (structure);
}

static void
check_accepted (GstStructure * structure)
{
  HistoResult result = { 0, };
  GError *error = NULL;

  fail_unless (histo_read_result (structure, &result, &error), "%s",
      error != NULL ? error->message : "");
  histo_result_clear (&result);
  gst_structure_free (structure);
}

/* ---- Structures inside of structures ---------------------------------------------------- */

/* Where a structure lies: NULL ends the names. "regions" stands for the first one of the
 * array. */
typedef const gchar *Path[4];

static const GstStructure *
find_inner (const GstStructure * structure, const gchar *const *path)
{
  for (guint i = 0; path[i] != NULL; i++) {
    const GValue *value = gst_structure_get_value (structure, path[i]);

    if (GST_VALUE_HOLDS_ARRAY (value))
      value = gst_value_array_get_value (value, 0);
    structure = gst_value_get_structure (value);
  }
  return structure;
}

/* Returns: a copy of @structure in which @inner lies at @path. @inner: (transfer full) */
static GstStructure *
replace_inner (const GstStructure * structure, const gchar *const *path,
    GstStructure * inner)
{
  GstStructure *copy, *below;
  const GValue *old;
  GValue value = G_VALUE_INIT;

  if (path[0] == NULL)
    return inner;
  copy = gst_structure_copy (structure);
  old = gst_structure_get_value (copy, path[0]);
  if (!GST_VALUE_HOLDS_ARRAY (old)) {
    below = replace_inner (gst_value_get_structure (old), path + 1, inner);
    g_value_init (&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&value, below);
  } else {
    GValue region = G_VALUE_INIT;

    below = replace_inner (gst_value_get_structure (gst_value_array_get_value
            (old, 0)), path + 1, inner);
    gst_value_array_init (&value, 1);
    g_value_init (&region, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&region, below);
    gst_value_array_append_and_take_value (&value, &region);
    for (guint i = 1; i < gst_value_array_get_size (old); i++)
      gst_value_array_append_value (&value, gst_value_array_get_value (old,
              i));
  }
  gst_structure_take_value (copy, path[0], &value);
  return copy;
}

/* ---- Fields that are missing or have another type ---------------------------------------- */

static gboolean
is_optional (const gchar *const *path, const gchar * name)
{
  if (g_str_equal (name, "colorimetry") || g_str_equal (name, "histogram") || g_str_equal (name, "depth"))
    return TRUE;
  /* Results of version 0.1.0 do not have them. */
  for (guint i = HISTO_LEVEL_FIGURE_holes; i < HISTO_N_LEVEL_FIGURES; i++) {
    if (g_str_equal (name, histo_level_figures[i].name))
      return TRUE;
  }
  /* Groups of the picture may be missing; its regions must have the groups that it has. */
  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
    if (path[0] == NULL && g_str_equal (name, histo_groups[g].name))
      return TRUE;
  }
  if (path[0] == NULL && g_str_equal (name, "regions"))
    return TRUE;
  if (g_str_equal (name, "zones") || g_str_equal (name, "pairs"))
    return TRUE;
  /* Which scopes there are depends on the format and on other groups. */
  if (g_strcmp0 (path[0], "scopes") == 0 && path[1] == NULL)
    return TRUE;
  for (guint i = 0; i < HISTO_N_PAIR_FIGURES; i++) {
    if (g_strcmp0 (path[0], "pairs") == 0
        && histo_pair_figures[i].type == HISTO_FIGURE_DOUBLE
        && g_str_equal (name, histo_pair_figures[i].name))
      return TRUE;
  }
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const gchar *group = histo_groups[histo_group_figures[i].group].name;

    for (guint p = 0; path[p] != NULL; p++) {
      if (path[p + 1] == NULL && g_str_equal (path[p], group)
          && g_str_equal (name, histo_group_figures[i].name))
        return TRUE;
    }
  }
  return FALSE;
}

/* Each field of the structure at @path in turn is missing, or has another type. */
static void
check_fields (const GstStructure * structure, const gchar *const *path)
{
  const GstStructure *fields = find_inner (structure, path);

  for (gint i = 0; i < gst_structure_n_fields (fields); i++) {
    const gchar *name = gst_structure_nth_field_name (fields, i);
    GstStructure *inner = gst_structure_copy (fields);

    gst_structure_set (inner, name, GST_TYPE_FRACTION, 1, 2, NULL);
    check_refused (replace_inner (structure, path, inner), name);
    inner = gst_structure_copy (fields);
    gst_structure_remove_field (inner, name);
    if (!is_optional (path, name))
      check_refused (replace_inner (structure, path, inner), name);
    else
      check_accepted (replace_inner (structure, path, inner));
  }
}

/* Fills the result of a random picture with all groups and with a region. */
static GstStructure *
fill_full_result (GRand * random, HistoResult * result)
{
  do {
    histo_result_clear (result);
    test_fill_result (random, FALSE, ALL_GROUPS, result);
  } while (result->n_regions < 3 || result->components[0].histogram == NULL);
  return test_write_result (result);
}

TEST (test_fields)
{
  static const gchar *const groups[] = { "signal", "motion", "color", "hdr",
    "detail", "area", "gamut", "gamut-filter", "flash", "field"
  };
  GRand *random = test_random ();
  HistoResult result = { 0, };
  GstStructure *structure = fill_full_result (random, &result);
  const gchar *native = result.components[0].name;

  check_fields (structure, (Path) { NULL });
  check_fields (structure, (Path) { native, NULL });
  check_fields (structure, (Path) { "regions", NULL });
  check_fields (structure, (Path) { "regions", native, NULL });
  for (guint g = 0; g < G_N_ELEMENTS (groups); g++) {
    check_fields (structure, (Path) { groups[g], NULL });
    check_fields (structure, (Path) { "regions", groups[g], NULL });
  }
  check_fields (structure, (Path) { "scopes", NULL });
  check_fields (structure, (Path) { "scopes", "waveform", NULL });
  check_fields (structure, (Path) { "motion", native, NULL });
  check_fields (structure, (Path) { "hdr", "maxrgb", NULL });
  check_fields (structure, (Path) { "flash", "zones", NULL });
  check_fields (structure, (Path) { "regions", "detail", "gradient", NULL });
  gst_structure_free (structure);
  histo_result_clear (&result);
  g_rand_free (random);
}

/* ---- Values that no result has ------------------------------------------------------------ */

/* The field at @path has another value. Takes the value. */
static void
check_value (const GstStructure * structure, const gchar *const *path,
    const gchar * name, GValue * value)
{
  GstStructure *inner = gst_structure_copy (find_inner (structure, path));

  gst_structure_take_value (inner, name, value);
  check_refused (replace_inner (structure, path, inner), name);
}

static void
check_text (const GstStructure * structure, const gchar *const *path,
    const gchar * name, const gchar * text)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_string (&value, text);
  check_value (structure, path, name, &value);
}

static void
check_int (const GstStructure * structure, const gchar *const *path,
    const gchar * name, gint number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT);
  g_value_set_int (&value, number);
  check_value (structure, path, name, &value);
}

/* The rectangle at @path lies outside of the picture, or reaches out of it. */
static void
check_rectangle (const GstStructure * structure, const gchar *const *path,
    const HistoResult * result)
{
  const GstStructure *fields = find_inner (structure, path);
  gint x, y;

  fail_unless (gst_structure_get_int (fields, "x", &x));
  fail_unless (gst_structure_get_int (fields, "y", &y));
  check_int (structure, path, "x", -1);
  check_int (structure, path, "x", result->width + 1);
  check_int (structure, path, "x", G_MAXINT);
  check_int (structure, path, "width", -1);
  check_int (structure, path, "width", result->width - x + 1);
  check_int (structure, path, "width", G_MAXINT);
  check_int (structure, path, "y", G_MININT);
  check_int (structure, path, "y", result->height + 1);
  check_int (structure, path, "height", G_MININT);
  check_int (structure, path, "height", result->height - y + 1);
}

/* The array @name at @path has elements of another type, or too many. */
static void
check_array (const GstStructure * structure, const gchar *const *path,
    const gchar * name)
{
  const GValue *old =
      gst_structure_get_value (find_inner (structure, path), name);
  const guint n = gst_value_array_get_size (old);
  GValue array = G_VALUE_INIT, number = G_VALUE_INIT;

  g_value_init (&number, G_TYPE_INT);
  gst_value_array_init (&array, n);
  for (guint i = 0; i < n; i++)
    gst_value_array_append_value (&array, &number);
  check_value (structure, path, name, &array);

  memset (&array, 0, sizeof array);
  gst_value_array_init (&array, n);
  for (guint i = 0; i < 200; i++)
    gst_value_array_append_value (&array, gst_value_array_get_value (old, 0));
  check_value (structure, path, name, &array);
}

/* The last region is a value of the type GstStructure that holds NULL. */
static void
check_null_region (const GstStructure * structure)
{
  static const Path top = { NULL };
  const GValue *old = gst_structure_get_value (structure, "regions");
  const guint n = gst_value_array_get_size (old);
  GValue array = G_VALUE_INIT, region = G_VALUE_INIT;

  g_value_init (&region, GST_TYPE_STRUCTURE);
  gst_value_array_init (&array, n);
  for (guint i = 0; i + 1 < n; i++)
    gst_value_array_append_value (&array, gst_value_array_get_value (old, i));
  gst_value_array_append_value (&array, &region);
  check_value (structure, top, "regions", &array);
}

/* Other versions write other texts. They belong to the result: nothing of them stays. */
TEST (test_unknown_texts)
{
  static const gchar *const names[] = { "format", "colorimetry", "backend" };
  GRand *random = test_random ();
  HistoResult filled = { 0, }, result = { 0, };
  GstStructure *structure = fill_full_result (random, &filled);
  GQuark before;

  /* The first reading may intern names of fields that this result does not have. */
  fail_unless (histo_read_result (structure, &result, NULL));
  before = g_quark_from_string ("before unknown texts");
  for (guint i = 0; i < 1000; i++) {
    gchar *text = g_strdup_printf ("unknown %u", i % 999);

    for (guint n = 0; n < G_N_ELEMENTS (names); n++)
      gst_structure_set (structure, names[n], G_TYPE_STRING, text, NULL);
    fail_unless (histo_read_result (structure, &result, NULL));
    fail_unless_equals_string (result.format, text);
    fail_unless_equals_string (result.colorimetry, text);
    fail_unless_equals_string (result.backend, text);
    g_free (text);
  }
  fail_unless_equals_int (g_quark_from_string ("after unknown texts"),
      before + 1);
  /* The result outlives the structure, with the names of its components. */
  gst_structure_free (structure);
  fail_unless_equals_string (result.backend, "unknown 0");
  fail_unless_equals_string (result.components[0].name,
      filled.components[0].name);
  histo_result_clear (&result);
  histo_result_clear (&filled);
  g_rand_free (random);
}

/* A later version has other states: the figure is absent, and so are the zones. */
TEST (test_unknown_choices)
{
  static const Path paths[] = {
    {"flash", NULL}, {"field", NULL}, {"flash", "zones", NULL}
  };
  static const gchar *const names[] = { "state", "single", "state" };
  GRand *random = test_random ();
  HistoResult filled = { 0, }, result = { 0, };
  GstStructure *structure = fill_full_result (random, &filled);

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    GstStructure *inner = gst_structure_copy (find_inner (structure, paths[i]));

    gst_structure_set (inner, names[i], G_TYPE_STRING, "another", NULL);
    inner = replace_inner (structure, paths[i], inner);
    gst_structure_free (structure);
    structure = inner;
  }
  fail_unless (histo_read_result (structure, &result, NULL));
  fail_unless (isnan (result.regions[0].figures.FLASH_state));
  fail_unless (isnan (result.regions[0].figures.FIELD_single));
  fail_unless_equals_int (filled.regions[0].figures.n_zones, HISTO_N_ZONES);
  fail_unless_equals_int (result.regions[0].figures.n_zones, 0);
  gst_structure_free (structure);
  histo_result_clear (&result);
  histo_result_clear (&filled);
  g_rand_free (random);
}

TEST (test_values)
{
  static const Path top = { NULL }, in_region = { "regions", NULL };
  static const Path in_signal = { "signal", NULL }, in_area = { "area", NULL };
  static const Path in_flash = { "flash", NULL }, in_waveform = { "scopes", "waveform", NULL };
  static const Path in_region_area = { "regions", "area", NULL };
  static const gchar *const texts[] = { "format", "colorimetry", "backend" };
  GRand *random = test_random ();
  HistoResult result = { 0, };
  GstStructure *structure = fill_full_result (random, &result);
  const Path native = { result.components[0].name, NULL };
  GstStructure *inner;
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT);
  g_value_set_uint (&value, HISTO_RESULT_SCHEMA_EDGES + 1);
  check_value (structure, top, "schema", &value);
  check_text (structure, top, "media", "text");
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    gchar *huge = g_strnfill (100000, 'x');

    check_text (structure, top, texts[i], NULL);
    check_text (structure, top, texts[i], huge);
    g_free (huge);
  }
  check_text (structure, in_region, "name", NULL);

  check_array (structure, top, "components");
  check_array (structure, top, "regions");
  check_null_region (structure);
  check_array (structure, in_region, "components");
  check_array (structure, in_signal, "bits-used");
  check_array (structure, in_flash, "zones");

  /* Joint components of other sizes, and of other numbers. */
  for (guint i = 0; i < 2; i++) {
    memset (&value, 0, sizeof value);
    g_value_init (&value, G_TYPE_UINT);
    g_value_set_uint (&value, i == 0 ? 0 : 65536);
    check_value (structure, in_waveform, "columns", &value);
  }
  check_text (structure, in_waveform, "x", "row");
  check_text (structure, in_waveform, "y", NULL);

  /* Depths that no sample has. */
  for (guint i = 0; i < 3; i++) {
    memset (&value, 0, sizeof value);
    g_value_init (&value, G_TYPE_UINT);
    g_value_set_uint (&value, ((const guint[]) { 0, HISTO_MAX_DEPTH + 1, G_MAXUINT })[i]);
    check_value (structure, native, "depth", &value);
  }

  /* A histogram of another size, a structure that is none, and rectangles. */
  memset (&value, 0, sizeof value);
  g_value_init (&value, G_TYPE_BYTES);
  g_value_take_boxed (&value, g_bytes_new_static ("abc", 3));
  check_value (structure, native, "histogram", &value);
  /* More bins than there can be, and no histogram, whose size would tell. */
  memset (&value, 0, sizeof value);
  g_value_init (&value, G_TYPE_UINT);
  g_value_set_uint (&value, HISTO_MAX_BINS + 1);
  inner = gst_structure_copy (find_inner (structure, native));
  gst_structure_remove_field (inner, "histogram");
  gst_structure_take_value (inner, "bins", &value);
  check_refused (replace_inner (structure, native, inner), "bins");
  memset (&value, 0, sizeof value);
  g_value_init (&value, GST_TYPE_STRUCTURE);
  check_value (structure, top, "signal", &value);
  check_int (structure, top, "height", -1);
  check_rectangle (structure, in_region, &result);
  check_rectangle (structure, in_area, &result);
  check_rectangle (structure, in_region_area, &result);

  gst_structure_free (structure);
  histo_result_clear (&result);
  g_rand_free (random);
}

TEST (test_audio_fields)
{
  GRand *random = test_random ();
  HistoResult result = { 0, };
  GstStructure *structure;

  do {
    histo_result_clear (&result);
    test_fill_result (random, TRUE, ALL_GROUPS, &result);
  } while (result.n_pairs == 0 || result.components[0].histogram == NULL);
  structure = test_write_result (&result);
  check_fields (structure, (Path) { "pairs", NULL });
  check_text (structure, (Path) { "pairs", NULL }, "first", "ch99");
  check_text (structure, (Path) { "pairs", NULL }, "second", "");
  check_array (structure, (Path) { NULL }, "pairs");
  check_fields (structure, (Path) { NULL });
  check_fields (structure, (Path) { result.components[0].name, NULL });
  check_fields (structure, (Path) { "loudness", NULL });
  check_array (structure, (Path) { "loudness", NULL }, "true-peak");
  check_array (structure, (Path) { "loudness", NULL }, "sample-peak");
  /* Another number of channels than of components. */
  for (gint off = -1; off <= 1; off += 2) {
    GValue channels = G_VALUE_INIT;

    g_value_init (&channels, G_TYPE_INT);
    g_value_set_int (&channels, result.channels + off);
    check_value (structure, (Path) { NULL }, "channels", &channels);
  }
  gst_structure_free (structure);
  histo_result_clear (&result);
  g_rand_free (random);
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  histo_write_init ();
  return test_run (__FILE__, 5, TRUE);
}
