/* The result of the element cudahistocompare: its fields; see comparison.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/comparison.h"

#include <math.h>

void
histo_comparison_clear (HistoComparison * comparison)
{
  if (comparison == NULL)
    return;
  for (guint r = 0; r < comparison->n_regions; r++)
    g_free (comparison->regions[r].name);
  g_free (comparison->regions);
  g_free (comparison->format);
  for (guint c = 0; c < HISTO_MAX_COMPONENTS; c++)
    g_free (comparison->own_names[c]);
  memset (comparison, 0, sizeof *comparison);
}

/* ---- Writing ------------------------------------------------------------------------------------- */

static GstStructure *
write_component (const HistoComparedComponent * component, guint measures)
{
  GstStructure *structure = gst_structure_new ("component", "count", G_TYPE_UINT64, component->count, NULL);

  if (HISTO_COMPARES (measures, DIFFERENCE))
    gst_structure_set (structure, "different", G_TYPE_UINT64, component->different,
        "max-difference", G_TYPE_UINT, component->max_difference, NULL);
  if (HISTO_COMPARES (measures, PSNR))
    gst_structure_set (structure, "sse", G_TYPE_UINT64, component->sse, "mse", G_TYPE_DOUBLE, component->mse,
        "psnr", G_TYPE_DOUBLE, component->psnr, NULL);
  if (HISTO_COMPARES (measures, SSIM) && !isnan (component->ssim))
    gst_structure_set (structure, "ssim", G_TYPE_DOUBLE, component->ssim, NULL);
  if (HISTO_COMPARES (measures, XPSNR) && !isnan (component->xpsnr))
    gst_structure_set (structure, "xpsnr", G_TYPE_DOUBLE, component->xpsnr, NULL);
  return structure;
}

static void
write_region (const HistoComparedRegion * region, guint measures, GstStructure * structure)
{
  GstStructure *components = gst_structure_new_empty ("components");

  for (guint c = 0; c < region->n_components; c++) {
    GValue value = G_VALUE_INIT;

    g_value_init (&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&value, write_component (&region->components[c], measures));
    gst_structure_take_value (components, region->components[c].name, &value);
  }
  gst_structure_set (structure, "components", GST_TYPE_STRUCTURE, components, NULL);
  gst_structure_free (components);
  if (HISTO_COMPARES (measures, PSNR))
    gst_structure_set (structure, "psnr", G_TYPE_DOUBLE, region->psnr, NULL);
  if (HISTO_COMPARES (measures, SSIM) && !isnan (region->ssim))
    gst_structure_set (structure, "ssim", G_TYPE_DOUBLE, region->ssim, NULL);
  if (!HISTO_COMPARES (measures, DIFFERENCE))
    return;
  gst_structure_set (structure, "equal", G_TYPE_UINT, region->equal ? 1 : 0, NULL);
  if (!region->equal)
    gst_structure_set (structure, "x", G_TYPE_UINT, region->x, "y", G_TYPE_UINT, region->y,
        "width", G_TYPE_UINT, region->width, "height", G_TYPE_UINT, region->height, NULL);
}

void
histo_comparison_write (const HistoComparison * comparison, GstStructure * structure)
{
  GValue regions = G_VALUE_INIT;

  g_return_if_fail (comparison != NULL && comparison->n_regions > 0 && structure != NULL);
  gst_structure_set (structure, "schema", G_TYPE_UINT, HISTO_COMPARISON_SCHEMA,
      "format", G_TYPE_STRING, comparison->format, "picture-width", G_TYPE_UINT, comparison->width,
      "picture-height", G_TYPE_UINT, comparison->height, NULL);
  if (GST_CLOCK_TIME_IS_VALID (comparison->reference_timestamp))
    gst_structure_set (structure, "reference-timestamp", G_TYPE_UINT64, comparison->reference_timestamp, NULL);
  write_region (&comparison->regions[0], comparison->measures, structure);
  if (comparison->n_regions < 2)
    return;
  gst_value_array_init (&regions, comparison->n_regions - 1);
  for (guint r = 1; r < comparison->n_regions; r++) {
    GValue value = G_VALUE_INIT;
    GstStructure *region = gst_structure_new ("region", "name", G_TYPE_STRING, comparison->regions[r].name, NULL);

    write_region (&comparison->regions[r], comparison->measures, region);
    g_value_init (&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&value, region);
    gst_value_array_append_and_take_value (&regions, &value);
  }
  gst_structure_take_value (structure, "regions", &regions);
}

/* ---- Reading ------------------------------------------------------------------------------------- */

static gboolean
fail (const gchar * field, GError ** error)
{
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "The comparison has no field \"%s\", or one of another type", field);
  return FALSE;
}

/* Which measures the fields of the picture tell. */
static guint
find_measures (const GstStructure * structure)
{
  return (gst_structure_has_field (structure, "equal") ? 1u << HISTO_COMPARISON_INDEX_DIFFERENCE : 0)
      | (gst_structure_has_field (structure, "psnr") ? 1u << HISTO_COMPARISON_INDEX_PSNR : 0)
      | (gst_structure_has_field (structure, "ssim") ? 1u << HISTO_COMPARISON_INDEX_SSIM : 0);
}

/* @number: (out): NaN if there is no such field */
static void
read_ratio (const GstStructure * structure, const gchar * field, gdouble * number)
{
  if (!gst_structure_get_double (structure, field, number))
    *number = NAN;
}

static gboolean
read_component (const GstStructure * structure, guint measures, HistoComparedComponent * component, GError ** error)
{
  if (!gst_structure_get_uint64 (structure, "count", &component->count))
    return fail ("count", error);
  if (HISTO_COMPARES (measures, DIFFERENCE)
      && (!gst_structure_get_uint64 (structure, "different", &component->different)
          || !gst_structure_get_uint (structure, "max-difference", &component->max_difference)))
    return fail ("different", error);
  if (HISTO_COMPARES (measures, PSNR) && (!gst_structure_get_uint64 (structure, "sse", &component->sse)
          || !gst_structure_get_double (structure, "mse", &component->mse)
          || !gst_structure_get_double (structure, "psnr", &component->psnr)))
    return fail ("psnr", error);
  read_ratio (structure, "ssim", &component->ssim);
  read_ratio (structure, "xpsnr", &component->xpsnr);
  return TRUE;
}

/* @comparison: gets the names of the components with the first region */
static gboolean
read_region (const GstStructure * structure, HistoComparison * comparison, HistoComparedRegion * region, GError ** error)
{
  const GValue *value = gst_structure_get_value (structure, "components");
  const GstStructure *components =
      value != NULL && GST_VALUE_HOLDS_STRUCTURE (value) ? gst_value_get_structure (value) : NULL;
  guint equal = 0;

  if (components == NULL || gst_structure_n_fields (components) > HISTO_MAX_COMPONENTS)
    return fail ("components", error);
  for (gint c = 0; c < gst_structure_n_fields (components); c++) {
    const gchar *name = gst_structure_nth_field_name (components, c);
    const GValue *of = gst_structure_get_value (components, name);

    if (!GST_VALUE_HOLDS_STRUCTURE (of) || gst_value_get_structure (of) == NULL)
      return fail (name, error);
    if (comparison->own_names[c] == NULL)
      comparison->own_names[c] = g_strdup (name);
    else if (!g_str_equal (comparison->own_names[c], name))
      return fail (comparison->own_names[c], error);
    if (!read_component (gst_value_get_structure (of), comparison->measures, &region->components[c], error))
      return FALSE;
    region->components[c].name = comparison->own_names[c];
    region->n_components++;
  }
  for (guint c = 0; c < region->n_components; c++)
    if (!isnan (region->components[c].xpsnr))
      comparison->measures |= 1u << HISTO_COMPARISON_INDEX_XPSNR;
  read_ratio (structure, "psnr", &region->psnr);
  read_ratio (structure, "ssim", &region->ssim);
  if (!HISTO_COMPARES (comparison->measures, DIFFERENCE))
    return TRUE;
  if (!gst_structure_get_uint (structure, "equal", &equal))
    return fail ("equal", error);
  region->equal = equal != 0;
  if (!region->equal && !gst_structure_get (structure, "x", G_TYPE_UINT, &region->x, "y", G_TYPE_UINT, &region->y,
          "width", G_TYPE_UINT, &region->width, "height", G_TYPE_UINT, &region->height, NULL))
    return fail ("x", error);
  return TRUE;
}

static gboolean
read_regions (const GstStructure * structure, HistoComparison * comparison, GError ** error)
{
  const GValue *array = gst_structure_get_value (structure, "regions");
  guint n = 0;

  if (array != NULL && !GST_VALUE_HOLDS_ARRAY (array))
    return fail ("regions", error);
  if (array != NULL)
    n = gst_value_array_get_size (array);
  if (n > HISTO_MAX_REGIONS)
    return fail ("regions", error);
  comparison->regions = g_new0 (HistoComparedRegion, n + 1);
  comparison->n_regions = n + 1;
  if (!read_region (structure, comparison, &comparison->regions[0], error))
    return FALSE;
  for (guint r = 0; r < n; r++) {
    const GValue *value = gst_value_array_get_value (array, r);
    const GstStructure *region = GST_VALUE_HOLDS_STRUCTURE (value) ? gst_value_get_structure (value) : NULL;
    const gchar *name = region != NULL ? gst_structure_get_string (region, "name") : NULL;

    if (name == NULL)
      return fail ("regions", error);
    comparison->regions[r + 1].name = g_strdup (name);
    if (!read_region (region, comparison, &comparison->regions[r + 1], error))
      return FALSE;
  }
  return TRUE;
}

gboolean
histo_comparison_read (const GstStructure * structure, HistoComparison * comparison, GError ** error)
{
  guint schema;

  g_return_val_if_fail (comparison != NULL, FALSE);
  memset (comparison, 0, sizeof *comparison);
  if (structure == NULL || !gst_structure_get_uint (structure, "schema", &schema)
      || schema != HISTO_COMPARISON_SCHEMA)
    return fail ("schema", error);
  comparison->format = g_strdup (gst_structure_get_string (structure, "format"));
  comparison->measures = find_measures (structure);
  if (!gst_structure_get_uint64 (structure, "reference-timestamp", &comparison->reference_timestamp))
    comparison->reference_timestamp = GST_CLOCK_TIME_NONE;
  if (comparison->format == NULL || !gst_structure_get (structure, "picture-width", G_TYPE_UINT, &comparison->width,
          "picture-height", G_TYPE_UINT, &comparison->height, NULL)) {
    histo_comparison_clear (comparison);
    return fail ("format", error);
  }
  if (read_regions (structure, comparison, error))
    return TRUE;
  histo_comparison_clear (comparison);
  return FALSE;
}

/* ---- Figures --------------------------------------------------------------------------------------- */

#define OF_REGION(measure, text, member, figure_type, figure_unit) \
  {.path = text,.name = text,.in = HISTO_IN_COMPARED,.group = (HistoGroup) HISTO_COMPARISON_INDEX_##measure, \
    .type = HISTO_FIGURE_##figure_type,.offset = G_STRUCT_OFFSET (HistoComparedRegion, member),.unit = figure_unit},
#define OF_COMPONENT(measure, text, member, figure_type, figure_unit) \
  {.path = "*." text,.name = text,.in = HISTO_IN_COMPARED_COMPONENT,.item = HISTO_ITEM_COMPONENT, \
    .group = (HistoGroup) HISTO_COMPARISON_INDEX_##measure,.type = HISTO_FIGURE_##figure_type, \
    .offset = G_STRUCT_OFFSET (HistoComparedComponent, member),.unit = figure_unit},

/* *INDENT-OFF* */
static const HistoFigureRow rows[] = {
  OF_REGION (DIFFERENCE, "equal", equal, UINT, "1")
  OF_REGION (DIFFERENCE, "x", x, UINT, "pixels")
  OF_REGION (DIFFERENCE, "y", y, UINT, "pixels")
  OF_REGION (DIFFERENCE, "width", width, UINT, "pixels")
  OF_REGION (DIFFERENCE, "height", height, UINT, "pixels")
  OF_REGION (PSNR, "psnr", psnr, DOUBLE, "dB")
  OF_REGION (SSIM, "ssim", ssim, DOUBLE, "1")
  OF_COMPONENT (DIFFERENCE, "different", different, UINT64, "samples")
  OF_COMPONENT (DIFFERENCE, "max-difference", max_difference, UINT, "sample")
  OF_COMPONENT (PSNR, "sse", sse, UINT64, "sample²")
  OF_COMPONENT (PSNR, "mse", mse, DOUBLE, "sample²")
  OF_COMPONENT (PSNR, "psnr", psnr, DOUBLE, "dB")
  OF_COMPONENT (SSIM, "ssim", ssim, DOUBLE, "1")
  OF_COMPONENT (XPSNR, "xpsnr", xpsnr, DOUBLE, "dB")
};
/* *INDENT-ON* */

/* `equal` is read as one. */
G_STATIC_ASSERT (sizeof (gboolean) == sizeof (guint));

const HistoFigureRow *
histo_comparison_rows (guint * n)
{
  g_return_val_if_fail (n != NULL, NULL);
  *n = G_N_ELEMENTS (rows);
  return rows;
}

gboolean
histo_comparison_find_figure (const HistoComparison * comparison, const HistoFigureRow * row, const gchar * region,
    const gchar * component, HistoFigureAt * figure)
{
  guint r = 0, c = 0;

  g_return_val_if_fail (comparison != NULL && row != NULL && figure != NULL, FALSE);
  *figure = (HistoFigureAt) {.row = row,.is_absent = TRUE };
  while (region != NULL && (r == 0 || (r < comparison->n_regions
              && g_strcmp0 (comparison->regions[r].name, region) != 0)))
    r++;
  if (r >= comparison->n_regions || (row->in == HISTO_IN_COMPARED_COMPONENT) != (component != NULL))
    return FALSE;
  while (component != NULL && c < comparison->regions[r].n_components
      && g_strcmp0 (comparison->regions[r].components[c].name, component) != 0)
    c++;
  if (component != NULL && c == comparison->regions[r].n_components)
    return FALSE;
  figure->region = r;
  figure->index = c;
  figure->is_absent = (comparison->measures >> row->group & 1) == 0;
  return TRUE;
}

gdouble
histo_comparison_get_figure (const HistoComparison * comparison, const HistoFigureAt * figure)
{
  const HistoComparedRegion *region;
  const HistoFigureRow *row;

  g_return_val_if_fail (comparison != NULL && figure != NULL, NAN);
  row = figure->row;
  if (figure->is_absent || row == NULL || figure->region >= comparison->n_regions)
    return NAN;
  region = &comparison->regions[figure->region];
  if (row->in == HISTO_IN_COMPARED_COMPONENT)
    return figure->index >= region->n_components ? NAN :
        histo_figure_read (row->type, G_STRUCT_MEMBER_P (&region->components[figure->index], row->offset));
  /* Equal pictures have no rectangle. */
  if (region->equal && row->group == (HistoGroup) HISTO_COMPARISON_INDEX_DIFFERENCE
      && row->offset != G_STRUCT_OFFSET (HistoComparedRegion, equal))
    return NAN;
  return histo_figure_read (row->type, G_STRUCT_MEMBER_P (region, row->offset));
}
