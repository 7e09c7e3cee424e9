/* Reads what is measured of the regions: their components and their groups.
 *
 * The structure of the whole picture decides which components and groups there are. All regions
 * must have the same.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/read-region.h"

#include "cudahisto/components.h"
#include "cudahisto/read-fields.h"

/* Those of the property `regions`, and those of a buffer's metas. */
#define MOST_REGIONS (2 * HISTO_MAX_REGIONS)

/* ---- Which components there are --------------------------------------------------------- */

/* The components of a region, with everything but figures and histograms. */
typedef struct
{
  guint n_native, n;
  HistoComponentResult *components;     /* n; the native ones first */
} Layout;

static void
set_component (HistoComponentResult * component, const gchar * name,
    HistoGroup group, HistoSource source, guint native)
{
  component->quark = 0;
  component->name = name;
  component->group = group;
  component->source = source;
  component->native = native;
}

/* The flag of the HistoColors of these native components. */
static guint
find_colors (const Layout * layout)
{
  guint colors = HISTO_HAS_GRAY;

  for (guint i = 0; i < layout->n_native; i++) {
    if (g_str_equal (layout->components[i].name, "R"))
      colors = HISTO_HAS_RGB;
    else if (g_str_equal (layout->components[i].name, "U"))
      colors = HISTO_HAS_YUV;
  }
  return colors;
}

static void
add_group (Layout * layout, HistoGroup group)
{
  const guint colors = find_colors (layout);

  for (guint i = 0; group == HISTO_GROUP_MOTION && i < layout->n_native; i++)
    set_component (&layout->components[layout->n++],
        layout->components[i].name, group, HISTO_SOURCE_DIFFERENCE, i);
  for (guint i = 0; i < HISTO_N_DERIVED; i++) {
    const HistoDerivedInfo *info = &histo_derived_components[i];

    if (info->group == group && (info->colors & colors) != 0)
      set_component (&layout->components[layout->n++], info->name, group,
          info->source, 0);
  }
}

/* Returns: the number of names in the array of the native components; -1: there is no array */
static gint
count_names (const GstStructure * structure, GError ** error)
{
  const GValue *array = histo_read_value (structure, FIELD (components),
      GST_TYPE_ARRAY, error);

  return array != NULL ? (gint) gst_value_array_get_size (array) : -1;
}

/* Returns: (nullable): the name of native component @i */
static const gchar *
read_name (const GstStructure * structure, guint i, GError ** error)
{
  const GValue *array = gst_structure_get_value (structure, FIELD (components));
  const GValue *name = gst_value_array_get_value (array, i);

  if (G_VALUE_HOLDS_STRING (name) && g_value_get_string (name) != NULL)
    return g_value_get_string (name);
  histo_read_fail (structure, FIELD (components),
      "holds something else than names", error);
  return NULL;
}

/* Whether there can be so many native components, or channels. */
static gboolean
check_number (const GstStructure * structure, const HistoResult * result,
    gint n, GError ** error)
{
  if (n < 0)
    return FALSE;
  if (n > (result->is_audio ? HISTO_MAX_CHANNELS : HISTO_MAX_COMPONENTS))
    return histo_read_fail (structure, FIELD (components), "has too many",
        error);
  return TRUE;
}

/* Whether the names are those of the latest result. */
static gboolean
are_own_names (const HistoResult * result, const gchar * const *names)
{
  return result->own_names != NULL
      && g_strv_equal ((const gchar * const *) result->own_names, names);
}

/* Finds the components and the groups.
 *
 * @layout: (out): to be freed also after an error */
static gboolean
read_layout (const GstStructure * structure, HistoResult * result,
    Layout * layout, GError ** error)
{
  const gint n = count_names (structure, error);
  const gchar **names;
  gboolean ok = TRUE;

  layout->components = NULL;
  if (!check_number (structure, result, n, error))
    return FALSE;
  layout->n = layout->n_native = n;
  layout->components = g_new0 (HistoComponentResult, 2 * n + HISTO_N_DERIVED);
  names = g_new0 (const gchar *, n + 1);
  for (gint i = 0; ok && i < n; i++) {
    names[i] = read_name (structure, i, error);
    ok = names[i] != NULL
        && histo_read_structure (structure, names[i], error) != NULL;
  }
  if (ok && !are_own_names (result, names)) {
    g_strfreev (result->own_names);
    result->own_names = g_strdupv ((gchar **) names);
  }
  g_free (names);
  if (!ok)
    return FALSE;
  for (gint i = 0; i < n; i++)
    set_component (&layout->components[i], result->own_names[i],
        HISTO_GROUP_BASIC, HISTO_SOURCE_SAMPLE, i);
  result->groups = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC);
  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
    if (histo_groups[g].is_audio || result->is_audio
        || !gst_structure_has_field (structure, histo_groups[g].name))
      continue;
    result->groups |= HISTO_GROUP_FLAG (g);
    add_group (layout, g);
  }
  return TRUE;
}

/* ---- Components --------------------------------------------------------------------------- */

static gboolean
read_histogram (const GstStructure * structure,
    HistoComponentResult * component, GError ** error)
{
  const gsize n = component->figures.bins;
  const GValue *value;
  GBytes *bytes;

  if (!gst_structure_has_field (structure, FIELD (histogram)))
    return TRUE;
  value = histo_read_value (structure, FIELD (histogram), G_TYPE_BYTES, error);
  if (value == NULL)
    return FALSE;
  bytes = g_value_get_boxed (value);
  if (bytes == NULL || (g_bytes_get_size (bytes) != n * sizeof (guint32)
          && g_bytes_get_size (bytes) != n * sizeof (guint64)))
    return histo_read_fail (structure, FIELD (histogram),
        "has another size than \"bins\" says", error);
  component->histogram = g_bytes_ref (bytes);
  return TRUE;
}

static gboolean
read_component (const GstStructure * structure,
    HistoComponentResult * component, GError ** error)
{
  const GstStructure *fields =
      histo_read_structure (structure, component->name, error);

  if (fields == NULL
      || !histo_read_figures (fields, histo_figures, HISTO_N_FIGURES,
          &component->figures, error))
    return FALSE;
  /* Also without a histogram: programs allocate as many counters. */
  if (component->figures.bins > HISTO_MAX_BINS)
    return histo_read_fail (fields, "bins", "is above "
        G_STRINGIFY (HISTO_MAX_BINS), error);
  return read_histogram (fields, component, error);
}

/* ---- Rectangles --------------------------------------------------------------------------- */

/* One direction of a rectangle: programs add the two numbers up.
 *
 * @size: of the picture */
static gboolean
read_extent (const GstStructure * structure, const gchar * begin_name,
    const gchar * length_name, gint size, guint * begin, guint * length,
    GError ** error)
{
  gint first, n;

  if (!histo_read_int (structure, begin_name, &first, error)
      || !histo_read_int (structure, length_name, &n, error))
    return FALSE;
  if (first < 0 || first > size)
    return histo_read_fail (structure, begin_name,
        "lies outside of the picture", error);
  if (n < 0 || n > size - first)
    return histo_read_fail (structure, length_name,
        "is negative or reaches out of the picture", error);
  *begin = first;
  *length = n;
  return TRUE;
}

static gboolean
read_rectangle (const GstStructure * structure, const HistoResult * result,
    HistoRegion * rect, GError ** error)
{
  return read_extent (structure, FIELD (x), FIELD (width), result->width,
      &rect->x, &rect->width, error)
      && read_extent (structure, FIELD (y), FIELD (height), result->height,
      &rect->y, &rect->height, error);
}

/* ---- Groups ------------------------------------------------------------------------------- */

static gboolean
read_area (const GstStructure * structure, const HistoResult * result,
    HistoGroupFigures * figures, GError ** error)
{
  HistoRegion area;

  if (!read_rectangle (structure, result, &area, error))
    return FALSE;
  figures->area_x = area.x;
  figures->area_y = area.y;
  figures->area_width = area.width;
  figures->area_height = area.height;
  return TRUE;
}

static gboolean
read_bits_used (const GstStructure * structure, guint n_native,
    HistoGroupFigures * figures, GError ** error)
{
  const GValue *array;

  if (n_native == 0)
    return TRUE;
  array =
      histo_read_value (structure, FIELD (bits_used), GST_TYPE_ARRAY, error);
  if (array == NULL)
    return FALSE;
  if (gst_value_array_get_size (array) != n_native)
    return histo_read_fail (structure, FIELD (bits_used),
        "has another size than \"components\"", error);
  for (guint i = 0; i < n_native; i++) {
    const GValue *bits = gst_value_array_get_value (array, i);

    if (!G_VALUE_HOLDS_UINT (bits))
      return histo_read_fail (structure, FIELD (bits_used),
          "holds something else than numbers", error);
    figures->bits_used[i] = g_value_get_uint (bits);
  }
  figures->n_bits_used = n_native;
  return TRUE;
}

/* The figures of a group. One that is missing is absent. */
static gboolean
read_group_figures (const GstStructure * structure, const HistoResult * result,
    HistoGroup group, guint n_native, HistoGroupFigures * figures,
    GError ** error)
{
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const HistoGroupFigureInfo *info = &histo_group_figures[i];

    if (info->group == group && gst_structure_has_field (structure, info->name)
        && !histo_read_double (structure, info->name,
            G_STRUCT_MEMBER_P (figures, info->offset), error))
      return FALSE;
  }
  if (group == HISTO_GROUP_SIGNAL)
    return read_bits_used (structure, n_native, figures, error);
  if (group == HISTO_GROUP_AREA)
    return read_area (structure, result, figures, error);
  return TRUE;
}

static gboolean
read_groups (const GstStructure * structure, const HistoResult * result,
    const Layout * layout, guint number, GError ** error)
{
  HistoRegionResult *region = &result->regions[number];

  histo_groups_clear (&region->figures);
  region->has_motion = histo_result_has_group (result, HISTO_GROUP_MOTION);
  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
    const GstStructure *group;

    if (!histo_result_has_group (result, g))
      continue;
    group = histo_read_structure (structure, histo_groups[g].name, error);
    if (group == NULL
        || !read_group_figures (group, result, g, layout->n_native,
            &region->figures, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- Regions ------------------------------------------------------------------------------ */

/* Whether the names of the native components are those of the whole picture. */
static gboolean
check_names (const GstStructure * structure, const Layout * layout,
    GError ** error)
{
  const gint n = count_names (structure, error);

  if (n < 0)
    return FALSE;
  if ((guint) n != layout->n_native)
    return histo_read_fail (structure, FIELD (components),
        "has another size than that of the picture", error);
  for (gint i = 0; i < n; i++) {
    const gchar *name = read_name (structure, i, error);

    if (name == NULL)
      return FALSE;
    if (!g_str_equal (name, layout->components[i].name))
      return histo_read_fail (structure, FIELD (components),
          "has another name than that of the picture", error);
  }
  return TRUE;
}

/* Reads what is measured of region @number: 0 is the whole picture, or all channels. */
static gboolean
read_region (const GstStructure * structure, const HistoResult * result,
    const Layout * layout, guint number, GError ** error)
{
  HistoComponentResult *components =
      histo_result_region_components (result, number);

  for (guint i = 0; i < layout->n; i++) {
    const HistoGroup group = layout->components[i].group;
    const GstStructure *place = group == HISTO_GROUP_BASIC ? structure :
        histo_read_structure (structure, histo_groups[group].name, error);

    components[i] = layout->components[i];
    if (place == NULL || !read_component (place, &components[i], error))
      return FALSE;
  }
  return result->is_audio
      || read_groups (structure, result, layout, number, error);
}

static gboolean
read_place (const GstStructure * structure, const HistoResult * result,
    HistoRegionResult * region, GError ** error)
{
  const gchar *name = histo_read_text (structure, FIELD (name), error);

  if (name == NULL)
    return FALSE;
  region->name = g_strdup (name);
  region->region.name = region->name;
  return read_rectangle (structure, result, &region->region, error);
}

/* @array: (nullable): of the regions
 * Returns: (nullable): the structure of region @number, which is not 0 */
static const GstStructure *
find_region (const GstStructure * structure, const GValue * array,
    guint number, GError ** error)
{
  const GValue *value = gst_value_array_get_value (array, number - 1);

  if (GST_VALUE_HOLDS_STRUCTURE (value)
      && gst_value_get_structure (value) != NULL)
    return gst_value_get_structure (value);
  histo_read_fail (structure, FIELD (regions),
      "holds something else than structures", error);
  return NULL;
}

static gboolean
read_all (const GstStructure * structure, const GValue * array,
    HistoResult * result, const Layout * layout, GError ** error)
{
  const guint n = array != NULL ? gst_value_array_get_size (array) : 0;

  result->n_region_components = layout->n;
  histo_result_set_n_components (result, (1 + n) * layout->n);
  histo_result_set_n_regions (result, result->is_audio ? 0 : 1 + n);
  if (!result->is_audio) {
    result->regions[0].region.width = result->width;
    result->regions[0].region.height = result->height;
  }
  if (!read_region (structure, result, layout, 0, error))
    return FALSE;
  for (guint r = 1; r <= n; r++) {
    const GstStructure *region = find_region (structure, array, r, error);

    if (region == NULL
        || !read_place (region, result, &result->regions[r], error)
        || !check_names (region, layout, error)
        || !read_region (region, result, layout, r, error))
      return FALSE;
  }
  return TRUE;
}

/**
 * histo_read_regions:
 * @structure: of the result
 * @result: (inout): its medium and size are known
 *
 * Reads the components, the groups and the regions.
 *
 * Returns: FALSE with a %GST_STREAM_ERROR_FORMAT if a field is missing or has another type,
 *   or if a rectangle reaches out of the picture
 */
gboolean
histo_read_regions (const GstStructure * structure, HistoResult * result,
    GError ** error)
{
  const GValue *array = NULL;
  Layout layout;
  gboolean ok;

  ok = read_layout (structure, result, &layout, error);
  if (ok && !result->is_audio
      && gst_structure_has_field (structure, FIELD (regions))) {
    array =
        histo_read_value (structure, FIELD (regions), GST_TYPE_ARRAY, error);
    ok = array != NULL;
    if (ok && gst_value_array_get_size (array) > MOST_REGIONS)
      ok = histo_read_fail (structure, FIELD (regions), "has too many", error);
  }
  ok = ok && read_all (structure, array, result, &layout, error);
  g_free (layout.components);
  return ok;
}
