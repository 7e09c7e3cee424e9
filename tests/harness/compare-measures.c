/* Compares the groups of a result with the reference's measures; see compare-measures.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare-measures.h"

#include <math.h>

/* ---- Fields ---------------------------------------------------------------------------- */

/* Relative difference of doubles that are computed in another order. */
#define FEW_ROUNDINGS 1e-9
/* Relative difference of sums of squares in floating point. */
#define SQUARES 1e-12

static void
check_absent (const GstStructure * s, const gchar * field, const gchar * label)
{
  if (gst_structure_has_field (s, field))
    ck_abort_msg ("%s: there is a field %s", label, field);
}

/* A double; if NaN is expected, the field must be absent. @tolerance: beside FEW_ROUNDINGS */
static void
check_double (const GstStructure * s, const gchar * field, gdouble expected,
    gdouble tolerance, const gchar * label)
{
  gdouble found = 0;

  if (isnan (expected)) {
    check_absent (s, field, label);
    return;
  }
  if (!gst_structure_get_double (s, field, &found))
    ck_abort_msg ("%s: there is no double %s; it should be %.17g", label, field,
        expected);
  if (found == expected)
    return;
  if (!(isfinite (expected) && fabs (found - expected) <=
          tolerance + FEW_ROUNDINGS * fabs (expected)))
    ck_abort_msg ("%s: %s is %.17g, not %.17g", label, field, found, expected);
}

/* A standard deviation. It is the root of the difference of the mean of the squares and the
 * square of the mean, which may be nearly equal. */
static void
check_deviation (const GstStructure * s, const gchar * field, gdouble expected,
    gdouble mean_of_squares, const gchar * label)
{
  gdouble found = 0;

  if (isnan (expected)) {
    check_absent (s, field, label);
    return;
  }
  if (!gst_structure_get_double (s, field, &found))
    ck_abort_msg ("%s: there is no double %s; it should be %.17g", label, field,
        expected);
  if (!(fabs (found * found - expected * expected) <=
          SQUARES * mean_of_squares + FEW_ROUNDINGS * expected * expected))
    ck_abort_msg ("%s: %s is %.17g, not %.17g", label, field, found, expected);
}

static void
check_int (const GstStructure * s, const gchar * field, gint expected,
    const gchar * label)
{
  gint found = 0;

  if (!gst_structure_get_int (s, field, &found))
    ck_abort_msg ("%s: there is no int %s; it should be %d", label, field,
        expected);
  if (found != expected)
    ck_abort_msg ("%s: %s is %d, not %d", label, field, found, expected);
}

static void
check_uint (const GstStructure * s, const gchar * field, guint expected,
    const gchar * label)
{
  guint found = 0;

  if (!gst_structure_get_uint (s, field, &found))
    ck_abort_msg ("%s: there is no uint %s; it should be %u", label, field,
        expected);
  if (found != expected)
    ck_abort_msg ("%s: %s is %u, not %u", label, field, found, expected);
}

static void
check_string (const GstStructure * s, const gchar * field,
    const gchar * expected, const gchar * label)
{
  const gchar *found = gst_structure_get_string (s, field);

  if (g_strcmp0 (found, expected) != 0)
    ck_abort_msg ("%s: %s is %s, not %s", label, field, found, expected);
}

/* An angle. The shorter the mean vector, the more do roundings turn it. */
static void
check_angle (const GstStructure * s, const gchar * field, gdouble expected,
    gdouble vector, const gchar * label)
{
  gdouble found = 0, difference;

  if (isnan (expected)) {
    check_absent (s, field, label);
    return;
  }
  if (!gst_structure_get_double (s, field, &found))
    ck_abort_msg ("%s: there is no double %s; it should be %.17g", label, field,
        expected);
  difference = fabs (found - expected);
  difference = MIN (difference, 360 - difference);
  if (!(found >= 0 && found < 360 && difference <= FEW_ROUNDINGS / vector))
    ck_abort_msg ("%s: %s is %.17g, not %.17g", label, field, found, expected);
}

static const GstStructure *
structure_of (const GstStructure * s, const gchar * field, const gchar * label)
{
  const GValue *value = gst_structure_get_value (s, field);

  if (value == NULL || !GST_VALUE_HOLDS_STRUCTURE (value))
    ck_abort_msg ("%s: there is no structure %s", label, field);
  return gst_value_get_structure (value);
}

/* ---- Components -------------------------------------------------------------------------- */

/* No sample: all bins are 0. Which doubles there are is left open. */
static void
check_empty (const GstStructure * s, const gchar * label)
{
  GBytes *bytes = NULL;

  if (test_get_uint64 (s, "count") != 0)
    ck_abort_msg ("%s: count is not 0", label);
  if (!gst_structure_get (s, "histogram", G_TYPE_BYTES, &bytes, NULL))
    return;
  for (gsize i = 0; i < g_bytes_get_size (bytes); i++) {
    if (((const guint8 *) g_bytes_get_data (bytes, NULL))[i] != 0)
      ck_abort_msg ("%s: the histogram is not empty", label);
  }
  g_bytes_unref (bytes);
}

/* @depth: as test_compare_depth()
 * @bins: 0 for one for each value */
static void
check_component (const GstStructure * s, const ReferenceComponent * expected,
    guint depth, guint bins, const gchar * label)
{
  ReferenceStatistics statistics;
  const GstStructure *found;
  gchar *name;

  if (expected->name == NULL)
    return;
  name = g_strdup_printf ("%s, %s", label, expected->name);
  found = structure_of (s, expected->name, label);
  test_compare_depth (found, depth, name);
  if (expected->n == 0) {
    check_empty (found, name);
  } else {
    reference_value_statistics (expected->counts, expected->n_values, bins, 0,
        0, &statistics);
    test_compare_component (found, &statistics, FALSE, name);
    reference_statistics_clear (&statistics);
  }
  g_free (name);
}

/* ---- Groups ------------------------------------------------------------------------------ */

static void
check_each_share (const GstStructure * s, const ReferenceShares * shares, const gchar * label)
{
  for (guint i = 0; i < shares->n; i++)
    check_double (s, shares->list[i].name, shares->list[i].share, 0, label);
}

static void
check_signal (const GstStructure * s, const ReferenceMeasures * expected,
    guint bins, const gchar * label)
{
  const ReferenceSignal *signal = &expected->signal;
  const GValue *bits = gst_structure_get_value (s, "bits-used");

  check_component (s, &signal->saturation, 0, bins, label);
  check_component (s, &signal->hue, 0, bins, label);
  if (signal->hue.name == NULL) {
    check_absent (s, "saturation", label);
    check_absent (s, "hue", label);
  }
  check_angle (s, "hue-circular-mean", signal->hue_circular_mean,
      signal->hue_vector, label);
  check_each_share (s, &signal->shares, label);

  if (bits == NULL || !GST_VALUE_HOLDS_ARRAY (bits)
      || gst_value_array_get_size (bits) != expected->n_native)
    ck_abort_msg ("%s: bits-used is no array of %u", label, expected->n_native);
  for (guint c = 0; c < expected->n_native; c++) {
    const GValue *found = gst_value_array_get_value (bits, c);

    if (!G_VALUE_HOLDS_UINT (found)
        || g_value_get_uint (found) != signal->bits_used[c])
      ck_abort_msg ("%s: bits-used[%u] is not %u", label, c,
          signal->bits_used[c]);
  }
}

static void
check_motion (const GstStructure * s, const ReferenceMeasures * expected,
    guint bins, const gchar * label)
{
  const ReferenceMotion *motion = &expected->motion;
  const gdouble n_values = motion->difference[0].n_values;

  for (guint c = 0; c < expected->n_native; c++)
    check_component (s, &motion->difference[c], 0, bins, label);
  check_double (s, "mafd", motion->mafd, 0, label);
  /* A difference of two numbers up to 100. */
  check_double (s, "scene-score", motion->scene_score, 1e-10, label);
  check_double (s, "psnr", motion->psnr, 1e-9, label);
  check_double (s, "freeze", motion->freeze, 0, label);
  check_double (s, "histogram-chi2", motion->chi2, 1e-12, label);
  /* The root of a number that is 0 but for roundings. */
  check_double (s, "histogram-bhattacharyya", motion->bhattacharyya, 1e-7,
      label);
  check_double (s, "histogram-emd", motion->emd, 1e-11 * n_values, label);
  if (isnan (motion->freeze)) {
    check_absent (s, "repeat", label);
    check_absent (s, "near-repeat", label);
  } else {
    check_uint (s, "repeat", motion->repeat, label);
    check_uint (s, "near-repeat", motion->near_repeat, label);
  }
}

static void
check_color (const GstStructure * s, const ReferenceMeasures * expected,
    guint bins, const gchar * label)
{
  for (guint i = 0; i < G_N_ELEMENTS (expected->color); i++)
    check_component (s, &expected->color[i], 0, bins, label);
}

static void
check_hdr (const GstStructure * s, const ReferenceMeasures * expected,
    guint bins, const gchar * label)
{
  const ReferenceHdr *hdr = &expected->hdr;

  check_component (s, &hdr->maxrgb, 0, bins, label);
  check_double (s, "max", hdr->max, 0, label);
  check_double (s, "fall", hdr->fall, 0, label);
  check_double (s, "p99", hdr->p99, 0, label);
  check_double (s, "p999", hdr->p999, 0, label);
  check_double (s, "p9999", hdr->p9999, 0, label);
  check_double (s, "r-max", hdr->r_max, 0, label);
  check_double (s, "g-max", hdr->g_max, 0, label);
  check_double (s, "b-max", hdr->b_max, 0, label);
  check_double (s, "max-cll", hdr->max_cll, 0, label);
  check_double (s, "max-fall", hdr->max_fall, 0, label);
  check_double (s, "max-cll-p9999", hdr->max_cll_p9999, 0, label);
  check_double (s, "max-fall-p9999", hdr->max_fall_p9999, 0, label);
}

static void
check_detail (const GstStructure * s, const ReferenceMeasures * expected,
    guint bins, const gchar * label)
{
  const ReferenceDetail *detail = &expected->detail;
  const gdouble n = MAX (detail->gradient.n, 1);
  const gdouble one = (gdouble) 65536 / detail->gradient.n_values;
  const gdouble pixels =
      MAX (1.0, (gdouble) expected->region.width * expected->region.height);

  check_component (s, &detail->gradient, 0, bins, label);
  check_deviation (s, "si", detail->si,
      (gdouble) detail->gradient_squares / n / (one * one), label);
  check_deviation (s, "ti", detail->ti, (gdouble) detail->ti_squares / pixels,
      label);
  check_double (s, "sharpness", detail->sharpness, 0, label);
}

static void
check_area (const GstStructure * s, const ReferenceMeasures * expected,
    guint bins, const gchar * label)
{
  check_int (s, "x", expected->area.x, label);
  check_int (s, "y", expected->area.y, label);
  check_int (s, "width", expected->area.width, label);
  check_int (s, "height", expected->area.height, label);
}

/* Of R, G, B and Y, and of any of them. */
static void
check_shares (const GstStructure * s, const gdouble shares[5],
    const gchar * label)
{
  static const gchar *const names[] = { "r", "g", "b", "y", "any" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    check_double (s, names[i], shares[i], 0, label);
}

static void
check_gamut (const GstStructure * s, const ReferenceMeasures * expected,
    guint bins, const gchar * label)
{
  static const gchar *const least[] = { "r-min", "g-min", "b-min", "y-min" };
  static const gchar *const greatest[] = { "r-max", "g-max", "b-max", "y-max" };

  check_shares (s, expected->gamut.out, label);
  for (guint i = 0; i < G_N_ELEMENTS (least); i++) {
    check_double (s, least[i], expected->gamut.min[i], 0, label);
    check_double (s, greatest[i], expected->gamut.max[i], 0, label);
  }
}

static void
check_gamut_filter (const GstStructure * s, const ReferenceMeasures * expected,
    guint bins, const gchar * label)
{
  check_shares (s, expected->gamut_filter.out, label);
}

/* All but the transitions of the last second. */
static void
check_flash (const GstStructure * s, const ReferenceMeasures * expected,
    guint bins, const gchar * label)
{
  const ReferenceFlashes *luminance = &expected->flash.luminance;
  const ReferenceFlashes *red = &expected->flash.red;

  check_double (s, "luminance", luminance->mean, 0, label);
  check_double (s, "area", luminance->area, 0, label);
  check_double (s, "up", luminance->up, 0, label);
  check_double (s, "down", luminance->down, 0, label);
  check_double (s, "red", red->mean, 0, label);
  check_double (s, "red-area", red->area, 0, label);
  check_double (s, "red-up", red->up, 0, label);
  check_double (s, "red-down", red->down, 0, label);
}

/* Of even and of odd rows; if @sums is NULL, the fields must be absent. */
static void
check_field_sums (const GstStructure * s, const gchar * name,
    const guint64 sums[2], const gchar * label)
{
  static const gchar *const rows[] = { "even", "odd" };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    gchar *field = g_strdup_printf ("%s-%s", name, rows[i]);

    /* NAN is a float, and without the cast the sum would be one, too. */
    check_double (s, field, sums != NULL ? (gdouble) sums[i] : NAN, 0, label);
    g_free (field);
  }
}

static void
check_field (const GstStructure * s, const ReferenceMeasures * expected,
    guint bins, const gchar * label)
{
  static const gchar *const orders[] = { "tff", "bff", "progressive", "undetermined" };
  static const gchar *const repeated[] = { "neither", "top", "bottom" };
  const ReferenceField *field = &expected->field;
  const ReferenceFieldSums *sums = field->has_result ? &field->sums : NULL;

  check_each_share (s, &field->shares, label);
  check_field_sums (s, "previous", sums != NULL ? sums->previous : NULL, label);
  check_field_sums (s, "next", sums != NULL ? sums->next : NULL, label);
  check_field_sums (s, "current", sums != NULL ? sums->current : NULL, label);
  check_field_sums (s, "change", sums != NULL ? sums->change : NULL, label);
  check_string (s, "single", sums != NULL ? orders[field->single] : NULL, label);
  check_string (s, "multi", sums != NULL ? orders[field->multi] : NULL, label);
  check_string (s, "repeated", sums != NULL ? repeated[field->repeated] : NULL, label);
}

static void
check_joint (const GstStructure * s, const gchar * name,
    const ReferenceComponent * expected, const gchar * x, const gchar * y,
    const gchar * label)
{
  const GstStructure *found;
  GBytes *bytes = NULL;
  const guint8 *data;

  if (expected->name == NULL) {
    check_absent (s, name, label);
    return;
  }
  found = structure_of (s, name, label);
  check_uint (found, "columns", 256, label);
  check_uint (found, "rows", 256, label);
  check_string (found, "x", x, label);
  check_string (found, "y", y, label);
  fail_unless_equals_uint64 (test_get_uint64 (found, "count"), expected->n);
  fail_unless_equals_int (gst_structure_n_fields (found), 6);
  fail_unless (gst_structure_get (found, "histogram", G_TYPE_BYTES, &bytes,
          NULL));
  fail_unless_equals_int (g_bytes_get_size (bytes),
      expected->n_values * sizeof (guint32));
  data = g_bytes_get_data (bytes, NULL);
  for (guint i = 0; i < expected->n_values; i++) {
    const guint32 count = GST_READ_UINT32_LE (data + 4 * i);

    if (count != expected->counts[i])
      ck_abort_msg ("%s, %s: column %u, row %u is %u, not %" G_GUINT64_FORMAT,
          label, name, i % 256, i / 256, count, expected->counts[i]);
  }
  g_bytes_unref (bytes);
}

static void
check_scopes (const GstStructure * s, const ReferenceMeasures * expected,
    guint bins, const gchar * label)
{
  const ReferenceScopes *scopes = &expected->scopes;

  check_joint (s, "waveform", &scopes->waveform, "column", "Y", label);
  check_joint (s, "vectorscope", &scopes->vectorscope, "U", "V", label);
  check_joint (s, "waveform-r", &scopes->parade[0], "column", "R", label);
  check_joint (s, "waveform-g", &scopes->parade[1], "column", "G", label);
  check_joint (s, "waveform-b", &scopes->parade[2], "column", "B", label);
}

static const struct
{
  ReferenceGroups group;
  const gchar *name;
  void (*check) (const GstStructure * s, const ReferenceMeasures * expected,
      guint bins, const gchar * label);
} groups_by_name[] = {
  {REFERENCE_GROUP_SIGNAL, "signal", check_signal},
  {REFERENCE_GROUP_MOTION, "motion", check_motion},
  {REFERENCE_GROUP_COLOR, "color", check_color},
  {REFERENCE_GROUP_HDR, "hdr", check_hdr},
  {REFERENCE_GROUP_DETAIL, "detail", check_detail},
  {REFERENCE_GROUP_AREA, "area", check_area},
  {REFERENCE_GROUP_GAMUT, "gamut", check_gamut},
  {REFERENCE_GROUP_GAMUT_FILTER, "gamut-filter", check_gamut_filter},
  {REFERENCE_GROUP_FLASH, "flash", check_flash},
  {REFERENCE_GROUP_FIELD, "field", check_field},
  {REFERENCE_GROUP_SCOPES, "scopes", check_scopes},
};

gchar *
test_groups_to_string (ReferenceGroups groups)
{
  GString *text = g_string_new ("basic");

  for (guint i = 0; i < G_N_ELEMENTS (groups_by_name); i++) {
    if ((groups & groups_by_name[i].group) != 0)
      g_string_append_printf (text, "+%s", groups_by_name[i].name);
  }
  return g_string_free (text, FALSE);
}

/* ---- Regions ----------------------------------------------------------------------------- */

void
test_compare_measures (const GstStructure * s,
    const ReferenceMeasures * expected, guint bins, const gchar * label)
{
  for (guint c = 0; c < expected->n_native; c++)
    check_component (s, &expected->native[c], g_bit_storage (expected->native[c].n_values - 1), bins, label);
  for (guint i = 0; i < G_N_ELEMENTS (groups_by_name); i++) {
    const gchar *name = groups_by_name[i].name;
    gchar *group_label = g_strdup_printf ("%s, %s", label, name);

    if ((expected->groups & groups_by_name[i].group) != 0)
      groups_by_name[i].check (structure_of (s, name, label), expected, bins,
          group_label);
    else
      check_absent (s, name, label);
    g_free (group_label);
  }
}

guint
test_n_regions (const GstStructure * result)
{
  const GValue *regions = gst_structure_get_value (result, "regions");

  if (regions == NULL)
    return 0;
  fail_unless (GST_VALUE_HOLDS_ARRAY (regions), "regions is no array");
  return gst_value_array_get_size (regions);
}

void
test_compare_region (const GstStructure * result, guint index,
    const gchar * name, const ReferenceMeasures * expected, guint bins,
    const gchar * label)
{
  const ReferenceRectangle *rectangle = &expected->region;
  gchar *region_label = g_strdup_printf ("%s, region %s", label, name);
  const GValue *value;
  const GstStructure *s;

  if (index >= test_n_regions (result))
    ck_abort_msg ("%s: there are %u regions", region_label,
        test_n_regions (result));
  value = gst_value_array_get_value (gst_structure_get_value (result,
          "regions"), index);
  fail_unless (GST_VALUE_HOLDS_STRUCTURE (value));
  s = gst_value_get_structure (value);
  if (g_strcmp0 (gst_structure_get_string (s, "name"), name) != 0)
    ck_abort_msg ("%s: the name is %s", region_label,
        gst_structure_get_string (s, "name"));
  if (rectangle->width > 0 && rectangle->height > 0) {
    check_int (s, "x", rectangle->x, region_label);
    check_int (s, "y", rectangle->y, region_label);
  }
  check_int (s, "width", rectangle->width, region_label);
  check_int (s, "height", rectangle->height, region_label);
  test_compare_measures (s, expected, bins, region_label);
  g_free (region_label);
}
