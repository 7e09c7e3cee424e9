/* Reads a result from the GstStructure of a meta or a message; see read.h.
 *
 * No text is interned: interned texts are never freed.
 *
 * The structure of the whole picture decides which components and groups there are. All regions
 * must have the same.
 *
 * Unless it says otherwise, each function here returns FALSE, or NULL, with a
 * %GST_STREAM_ERROR_FORMAT that names the field, if the field is missing or has another type.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/read.h"

#include <math.h>
#include <string.h>

#include "cudahisto/figures.h"
#include "cudahisto/fields.h"

/* Those of the property `regions`, and those of a buffer's metas. */
#define MOST_REGIONS (2 * HISTO_MAX_REGIONS)

/* Longer texts are none of the element's, of any version. */
#define MOST_TEXT_BYTES 256

#define FIELD(identifier) histo_field_names[HISTO_FIELD_##identifier]

/* The components of a region, with everything but figures and histograms. */
typedef struct
{
  guint n_native, n;
  HistoComponentResult *components;     /* n; the native ones first */
} Layout;

/* ---- Fields ------------------------------------------------------------------------------- */

/* Returns: whether there is a structure; if not, with an error */
static gboolean
check_structure (const GstStructure * structure, GError ** error)
{
  if (structure == NULL)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "Not a result of cudahisto: there is no structure");
  return structure != NULL;
}

/* @text: what is wrong with the field @name. Returns: FALSE */
static gboolean
fail (const GstStructure * structure, const gchar * name,
    const gchar * text, GError ** error)
{
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "Not a result of cudahisto: field \"%s\" of \"%s\" %s", name,
      gst_structure_get_name (structure), text);
  return FALSE;
}

/* Returns: (transfer none) (nullable): the field's value if it has this type */
static const GValue *
read_value (const GstStructure * structure, const gchar * name,
    GType type, GError ** error)
{
  const GValue *value = gst_structure_get_value (structure, name);

  if (value != NULL && G_VALUE_HOLDS (value, type))
    return value;
  fail (structure, name,
      value == NULL ? "is missing" : "has another type", error);
  return NULL;
}

/* Returns: (transfer none) (nullable): the structure in the field */
static const GstStructure *
read_structure (const GstStructure * structure, const gchar * name,
    GError ** error)
{
  const GValue *value = read_value (structure, name, GST_TYPE_STRUCTURE, error);

  if (value == NULL)
    return NULL;
  if (gst_value_get_structure (value) == NULL)
    fail (structure, name, "is NULL", error);
  return gst_value_get_structure (value);
}

/* Returns: (transfer none) (nullable): the text in the field */
static const gchar *
read_text (const GstStructure * structure, const gchar * name, GError ** error)
{
  const GValue *value = read_value (structure, name, G_TYPE_STRING, error);

  if (value == NULL)
    return NULL;
  if (g_value_get_string (value) == NULL)
    fail (structure, name, "is NULL", error);
  return g_value_get_string (value);
}

/* Returns: (transfer none) (nullable): the field's array, which has a value for each of the @n native
 * components */
static const GValue *
read_array (const GstStructure * structure, const gchar * name, guint n,
    GError ** error)
{
  const GValue *array = read_value (structure, name, GST_TYPE_ARRAY, error);

  if (array == NULL || gst_value_array_get_size (array) == n)
    return array;
  fail (structure, name, "has another size than \"components\"", error);
  return NULL;
}

#define READER(type, TYPE) \
  static gboolean \
  read_##type (const GstStructure * structure, const gchar * name, g##type * number, GError ** error) \
  { \
    const GValue *value = read_value (structure, name, G_TYPE_##TYPE, error); \
  \
    if (value != NULL) \
      *number = g_value_get_##type (value); \
    return value != NULL; \
  }
READER (int, INT)
READER (uint, UINT)
READER (uint64, UINT64)
READER (double, DOUBLE)
#undef READER

/* Returns: (transfer none) (nullable): structure @i of the array, which is the field @name */
static const GstStructure *
read_item (const GstStructure * structure, const gchar * name, const GValue * array, guint i, GError ** error)
{
  const GValue *value = gst_value_array_get_value (array, i);

  if (GST_VALUE_HOLDS_STRUCTURE (value) && gst_value_get_structure (value) != NULL)
    return gst_value_get_structure (value);
  fail (structure, name, "holds something else than structures", error);
  return NULL;
}

/* @figures: (out): the struct that has the members of @infos */
static gboolean
read_figures (const GstStructure * structure,
    const HistoFigureInfo * infos, guint n, gpointer figures, GError ** error)
{
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < n; i++) {
    gpointer member = G_STRUCT_MEMBER_P (figures, infos[i].offset);

    switch (infos[i].type) {
      case HISTO_FIGURE_UINT64:
        ok = read_uint64 (structure, infos[i].name, member, error);
        break;
      case HISTO_FIGURE_UINT:
        ok = read_uint (structure, infos[i].name, member, error);
        break;
      case HISTO_FIGURE_DOUBLE:
      case HISTO_FIGURE_CHOICE:
        ok = read_double (structure, infos[i].name, member, error);
        break;
    }
  }
  return ok;
}

/* Any text: other versions know other formats, engines and colorimetries.
 *
 * @own: (inout): keeps the copy for the result
 * @text: (out): the same */
static gboolean
read_own_text (const GstStructure * structure, const gchar * name, gchar ** own,
    const gchar ** text, GError ** error)
{
  const gchar *found = read_text (structure, name, error);

  if (found == NULL)
    return FALSE;
  if (strlen (found) > MOST_TEXT_BYTES || !g_utf8_validate (found, -1, NULL))
    return fail (structure, name, "is no short UTF-8 text", error);
  if (g_strcmp0 (*own, found) != 0) {
    g_free (*own);
    *own = g_strdup (found);
  }
  *text = *own;
  return TRUE;
}

/* ---- Which components there are --------------------------------------------------------- */

static void
set_component (HistoComponentResult * component, const gchar * name,
    HistoGroup group, HistoSource source, guint native)
{
  component->quark = 0;
  component->name = name;
  component->group = group;
  component->source = source;
  component->native = native;
  component->depth = 0;
}

static void
add_group (Layout * layout, HistoGroup group)
{
  const guint format = histo_components_format (layout->components, layout->n_native);

  for (guint s = 0; s < HISTO_N_SOURCES; s++) {
    const HistoComponentInfo *info = &histo_components[s];

    if (info->group != group || (info->formats & format) == 0)
      continue;
    if (info->name != NULL)
      set_component (&layout->components[layout->n++], info->name, group, s, 0);
    else
      for (guint i = 0; i < layout->n_native; i++)
        set_component (&layout->components[layout->n++],
            layout->components[i].name, group, s, i);
  }
}

/* Returns: the number of names in the array of the native components; -1: there is no array */
static gint
count_names (const GstStructure * structure, GError ** error)
{
  const GValue *array = read_value (structure, FIELD (components),
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
  fail (structure, FIELD (components),
      "holds something else than names", error);
  return NULL;
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
  if (n < 0)
    return FALSE;
  if (n > (result->is_audio ? HISTO_MAX_CHANNELS : HISTO_MAX_COMPONENTS))
    return fail (structure, FIELD (components), "has too many", error);
  layout->n = layout->n_native = n;
  layout->components = g_new0 (HistoComponentResult, 2 * n + HISTO_N_SOURCES);
  names = g_new0 (const gchar *, n + 1);
  for (gint i = 0; ok && i < n; i++) {
    names[i] = read_name (structure, i, error);
    ok = names[i] != NULL
        && read_structure (structure, names[i], error) != NULL;
  }
  /* The next results have the same names. */
  if (ok && (result->own_names == NULL
          || !g_strv_equal ((const gchar * const *) result->own_names,
              names))) {
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
  value = read_value (structure, FIELD (histogram), G_TYPE_BYTES, error);
  if (value == NULL)
    return FALSE;
  bytes = g_value_get_boxed (value);
  if (bytes == NULL || (g_bytes_get_size (bytes) != n * sizeof (guint32)
          && g_bytes_get_size (bytes) != n * sizeof (guint64)))
    return fail (structure, FIELD (histogram),
        "has another size than the number of bins", error);
  component->histogram = g_bytes_ref (bytes);
  return TRUE;
}

static gboolean
read_component (const GstStructure * structure,
    HistoComponentResult * component, GError ** error)
{
  const GstStructure *fields =
      read_structure (structure, component->name, error);

  if (fields == NULL
      || !read_figures (fields, histo_figures, HISTO_N_FIGURES,
          &component->figures, error))
    return FALSE;
  /* Also without a histogram: programs allocate as many counters. */
  if (component->figures.bins > HISTO_MAX_BINS)
    return fail (fields, "bins", "is above "
        G_STRINGIFY (HISTO_MAX_BINS), error);
  /* Programs shift by it. Earlier versions have none. */
  if (component->group == HISTO_GROUP_BASIC && gst_structure_has_field (fields, FIELD (depth))) {
    if (!read_uint (fields, FIELD (depth), &component->depth, error))
      return FALSE;
    if (component->depth == 0 || component->depth > HISTO_MAX_DEPTH)
      return fail (fields, FIELD (depth), "is not 1 to " G_STRINGIFY (HISTO_MAX_DEPTH), error);
  }
  return read_histogram (fields, component, error);
}

/* What columns or rows are. @known: of the joint component; the result keeps this text */
static gboolean
read_axis (const GstStructure * structure, const gchar * name,
    const gchar * known, GError ** error)
{
  const gchar *found = read_text (structure, name, error);

  return found != NULL && (g_str_equal (found, known)
      || fail (structure, name, "has an unknown value", error));
}

static gboolean
read_joint (const GstStructure * structure, HistoComponentResult * joint,
    GError ** error)
{
  const GstStructure *fields = read_structure (structure, joint->name, error);
  guint64 n;

  if (fields == NULL
      || !read_figures (fields, &histo_figures[HISTO_FIGURE_NUMBER_count], 1,
          &joint->figures, error)
      || !read_uint (fields, FIELD (columns), &joint->columns, error)
      || !read_uint (fields, FIELD (rows), &joint->rows, error)
      || !read_axis (fields, FIELD (x), joint->x, error)
      || !read_axis (fields, FIELD (y), joint->y, error))
    return FALSE;
  n = (guint64) joint->columns * joint->rows;
  if (n == 0 || n > HISTO_MAX_BINS)
    return fail (fields, FIELD (columns), "is 0, or times \"rows\" above "
        G_STRINGIFY (HISTO_MAX_BINS), error);
  joint->figures.bins = n;
  return read_histogram (fields, joint, error);
}

/* The joint components of the picture that the structure of a group has. */
static gboolean
read_joints (const GstStructure * structure, HistoResult * result,
    HistoGroup group, GError ** error)
{
  for (guint j = 0; j < HISTO_N_JOINTS; j++) {
    if (histo_joints[j].group == group
        && gst_structure_has_field (structure, histo_joints[j].name)
        && !read_joint (structure, histo_result_add_joint (result, j), error))
      return FALSE;
  }
  return TRUE;
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

  if (!read_int (structure, begin_name, &first, error)
      || !read_int (structure, length_name, &n, error))
    return FALSE;
  if (first < 0 || first > size)
    return fail (structure, begin_name, "lies outside of the picture", error);
  if (n < 0 || n > size - first)
    return fail (structure, length_name,
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

/* ---- Groups of video ----------------------------------------------------------------------- */

static gboolean
read_bits_used (const GstStructure * structure, guint n_native,
    HistoGroupFigures * figures, GError ** error)
{
  const GValue *array;

  if (n_native == 0)
    return TRUE;
  array = read_array (structure, FIELD (bits_used), n_native, error);
  if (array == NULL)
    return FALSE;
  for (guint i = 0; i < n_native; i++) {
    const GValue *bits = gst_value_array_get_value (array, i);

    if (!G_VALUE_HOLDS_UINT (bits))
      return fail (structure, FIELD (bits_used),
          "holds something else than numbers", error);
    figures->bits_used[i] = g_value_get_uint (bits);
  }
  figures->n_bits_used = n_native;
  return TRUE;
}

/* A choice of another version, which this one does not know, is absent. @figure: (out): */
static gboolean
read_group_figure (const GstStructure * structure,
    const HistoGroupFigureInfo * info, gdouble * figure, GError ** error)
{
  const gchar *name;
  guint number;
  gint choice;

  if (info->type == HISTO_FIGURE_DOUBLE)
    return read_double (structure, info->name, figure, error);
  if (info->type == HISTO_FIGURE_UINT) {
    if (!read_uint (structure, info->name, &number, error))
      return FALSE;
    *figure = number;
    return TRUE;
  }
  name = read_text (structure, info->name, error);
  if (name == NULL)
    return FALSE;
  choice = histo_choice_find (info, name);
  if (choice >= 0)
    *figure = choice;
  return TRUE;
}

/* @is_known: (inout): FALSE: the state is a choice of another version */
static gboolean
read_zone (const GstStructure * structure, HistoZone * zone,
    gboolean * is_known, GError ** error)
{
  for (guint i = 0; i < HISTO_N_ZONE_FIGURES; i++) {
    gdouble number = NAN;

    if (!read_group_figure (structure, &histo_group_figures[histo_zone_figures[i].figure], &number, error))
      return FALSE;
    if (isnan (number))
      *is_known = FALSE;
    else
      G_STRUCT_MEMBER (guint, zone, histo_zone_figures[i].offset) = number;
  }
  return TRUE;
}

/* Without zones the structure is no picture's, or no transitions were looked for. All zones are absent if the state of
 * one is not known. */
static gboolean
read_zones (const GstStructure * structure, HistoGroupFigures * figures,
    GError ** error)
{
  const GValue *array;
  gboolean is_known = TRUE;

  if (!gst_structure_has_field (structure, FIELD (zones)))
    return TRUE;
  array = read_value (structure, FIELD (zones), GST_TYPE_ARRAY, error);
  if (array == NULL)
    return FALSE;
  if (gst_value_array_get_size (array) != HISTO_N_ZONES)
    return fail (structure, FIELD (zones), "has another size than 25", error);
  for (guint i = 0; i < HISTO_N_ZONES; i++) {
    const GstStructure *zone = read_item (structure, FIELD (zones), array, i, error);

    if (zone == NULL || !read_zone (zone, &figures->zones[i], &is_known, error))
      return FALSE;
  }
  figures->n_zones = is_known ? HISTO_N_ZONES : 0;
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
        && !read_group_figure (structure, info,
            G_STRUCT_MEMBER_P (figures, info->offset), error))
      return FALSE;
  }
  if (group == HISTO_GROUP_SIGNAL)
    return read_bits_used (structure, n_native, figures, error);
  if (group == HISTO_GROUP_FLASH)
    return read_zones (structure, figures, error);
  if (group == HISTO_GROUP_AREA) {
    HistoRegion area;

    if (!read_rectangle (structure, result, &area, error))
      return FALSE;
    figures->area_x = area.x;
    figures->area_y = area.y;
    figures->area_width = area.width;
    figures->area_height = area.height;
  }
  return TRUE;
}

static gboolean
read_groups (const GstStructure * structure, HistoResult * result,
    const Layout * layout, guint number, GError ** error)
{
  HistoRegionResult *region = &result->regions[number];

  histo_groups_clear (&region->figures);
  region->has_motion = histo_result_has_group (result, HISTO_GROUP_MOTION);
  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
    const GstStructure *group;

    if (!histo_result_has_group (result, g)
        || (g == HISTO_GROUP_SCOPES && number > 0))
      continue;
    group = read_structure (structure, histo_groups[g].name, error);
    if (group == NULL
        || !read_group_figures (group, result, g, layout->n_native,
            &region->figures, error)
        || (number == 0 && !read_joints (group, result, g, error)))
      return FALSE;
  }
  return TRUE;
}

/* ---- Groups of audio ---------------------------------------------------------------------- */

/* Whether a channel has the figures of the group `level`: one of them stands for all. */
static gboolean
has_level (const GstStructure * channel)
{
  for (guint i = 0; i < HISTO_N_LEVEL_FIGURES; i++) {
    if (gst_structure_has_field (channel, histo_level_figures[i].name))
      return TRUE;
  }
  return FALSE;
}

static gboolean
read_level (const GstStructure * structure, HistoResult * result,
    GError ** error)
{
  const GstStructure *channel;

  for (guint c = 0; c < result->n_components; c++) {
    channel = read_structure (structure, result->components[c].name, error);
    if (channel == NULL)
      return FALSE;
    if (c == 0 && !has_level (channel))
      return TRUE;
    if (c == 0) {
      result->groups |= HISTO_GROUP_FLAG (HISTO_GROUP_LEVEL);
      histo_result_set_n_levels (result, result->n_components);
    }
    if (!read_figures (channel, histo_level_figures,
            HISTO_N_LEVEL_FIGURES, &result->levels[c], error))
      return FALSE;
  }
  return TRUE;
}

/* @channel: (inout): where to look first; number of the channel whose name is in the field */
static gboolean
read_channel (const GstStructure * structure, const gchar * name,
    const HistoResult * result, guint * channel, GError ** error)
{
  const gchar *found = read_text (structure, name, error);
  const guint n = result->n_components;

  for (guint i = 0; found != NULL && i < n; i++) {
    const guint c = (*channel + i) % n;

    if (g_str_equal (found, result->components[c].name)) {
      *channel = c;
      return TRUE;
    }
  }
  return found != NULL && fail (structure, name, "is no channel", error);
}

/* A double that is missing is absent. */
static gboolean
read_pair (const GstStructure * structure, const HistoResult * result,
    HistoPairResult * pair, GError ** error)
{
  if (!read_channel (structure, FIELD (first), result, &pair->first, error)
      || !read_channel (structure, FIELD (second), result, &pair->second,
          error))
    return FALSE;
  for (guint i = 0; i < HISTO_N_PAIR_FIGURES; i++) {
    const HistoFigureInfo *info = &histo_pair_figures[i];

    if (info->type == HISTO_FIGURE_DOUBLE
        && !gst_structure_has_field (structure, info->name))
      G_STRUCT_MEMBER (gdouble, &pair->figures, info->offset) = NAN;
    else if (!read_figures (structure, info, 1, &pair->figures, error))
      return FALSE;
  }
  return TRUE;
}

/* They belong to the group `level`. Results of one channel have none. */
static gboolean
read_pairs (const GstStructure * structure, HistoResult * result,
    GError ** error)
{
  const GValue *array;
  guint n;

  if (!histo_result_has_group (result, HISTO_GROUP_LEVEL)
      || !gst_structure_has_field (structure, FIELD (pairs)))
    return TRUE;
  array = read_value (structure, FIELD (pairs), GST_TYPE_ARRAY, error);
  if (array == NULL)
    return FALSE;
  n = gst_value_array_get_size (array);
  if (n > result->n_components / 2)
    return fail (structure, FIELD (pairs), "has too many", error);
  histo_result_set_n_pairs (result, n);
  for (guint i = 0; i < n; i++) {
    const GstStructure *pair = read_item (structure, FIELD (pairs), array, i, error);

    result->pairs[i].first = result->pairs[i].second = 2 * i;
    if (pair == NULL || !read_pair (pair, result, &result->pairs[i], error))
      return FALSE;
  }
  return TRUE;
}

/* @numbers: (out): one for each channel */
static gboolean
read_doubles (const GstStructure * structure, const gchar * name, guint n,
    gdouble * numbers, GError ** error)
{
  const GValue *array = read_array (structure, name, n, error);

  if (array == NULL)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    const GValue *number = gst_value_array_get_value (array, i);

    if (!G_VALUE_HOLDS_DOUBLE (number))
      return fail (structure, name, "holds something else than numbers", error);
    numbers[i] = g_value_get_double (number);
  }
  return TRUE;
}

static gboolean
read_loudness (const GstStructure * structure, HistoResult * result,
    GError ** error)
{
  const gchar *name = histo_groups[HISTO_GROUP_LOUDNESS].name;
  const guint n = result->n_components;
  const GstStructure *group;

  if (!gst_structure_has_field (structure, name))
    return TRUE;
  group = read_structure (structure, name, error);
  if (group == NULL
      || !read_figures (group, histo_loudness_figures,
          HISTO_N_LOUDNESS_FIGURES, &result->loudness, error))
    return FALSE;
  g_free (result->peaks);
  result->peaks = g_new (gdouble, MAX (HISTO_N_LOUDNESS_ARRAYS * n, 1));
  for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++) {
    const HistoFigureInfo *info = &histo_loudness_arrays[i];

    if (!read_doubles (group, info->name, n, result->peaks + i * n, error))
      return FALSE;
    *(const gdouble **) G_STRUCT_MEMBER_P (&result->loudness, info->offset) =
        result->peaks + i * n;
  }
  result->groups |= HISTO_GROUP_FLAG (HISTO_GROUP_LOUDNESS);
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
    return fail (structure, FIELD (components),
        "has another size than that of the picture", error);
  for (gint i = 0; i < n; i++) {
    const gchar *name = read_name (structure, i, error);

    if (name == NULL)
      return FALSE;
    if (!g_str_equal (name, layout->components[i].name))
      return fail (structure, FIELD (components),
          "has another name than that of the picture", error);
  }
  return TRUE;
}

/* Reads what is measured of region @number: 0 is the whole picture, or all channels. */
static gboolean
read_region (const GstStructure * structure, HistoResult * result,
    const Layout * layout, guint number, GError ** error)
{
  HistoComponentResult *components =
      histo_result_region_components (result, number);

  for (guint i = 0; i < layout->n; i++) {
    const HistoGroup group = layout->components[i].group;
    const GstStructure *place = group == HISTO_GROUP_BASIC ? structure :
        read_structure (structure, histo_groups[group].name, error);

    components[i] = layout->components[i];
    if (place == NULL || !read_component (place, &components[i], error))
      return FALSE;
  }
  return result->is_audio
      || read_groups (structure, result, layout, number, error);
}

/* Reads region @number of the array; 1 is the first. */
static gboolean
read_named_region (const GValue * array, guint number,
    const GstStructure * structure, HistoResult * result,
    const Layout * layout, GError ** error)
{
  const GstStructure *fields = read_item (structure, FIELD (regions), array, number - 1, error);
  HistoRegionResult *region = &result->regions[number];
  const gchar *name = fields != NULL ? read_text (fields, FIELD (name), error) : NULL;

  if (name == NULL)
    return FALSE;
  region->name = g_strdup (name);
  region->region.name = region->name;
  return read_rectangle (fields, result, &region->region, error)
      && check_names (fields, layout, error)
      && read_region (fields, result, layout, number, error);
}

/* Reads the components, the groups and the regions.
 *
 * @result: (inout): its medium and size are known */
static gboolean
read_regions (const GstStructure * structure, HistoResult * result,
    GError ** error)
{
  const GValue *array = NULL;
  guint n = 0;
  Layout layout;
  gboolean ok;

  ok = read_layout (structure, result, &layout, error);
  if (ok && !result->is_audio
      && gst_structure_has_field (structure, FIELD (regions))) {
    array = read_value (structure, FIELD (regions), GST_TYPE_ARRAY, error);
    ok = array != NULL;
    if (ok)
      n = gst_value_array_get_size (array);
    if (n > MOST_REGIONS)
      ok = fail (structure, FIELD (regions), "has too many", error);
  }
  if (ok) {
    result->n_region_components = layout.n;
    histo_result_set_n_components (result, (1 + n) * layout.n);
    histo_result_set_n_regions (result, result->is_audio ? 0 : 1 + n);
    if (!result->is_audio) {
      result->regions[0].region.width = result->width;
      result->regions[0].region.height = result->height;
    }
    ok = read_region (structure, result, &layout, 0, error);
  }
  for (guint r = 1; ok && r <= n; r++)
    ok = read_named_region (array, r, structure, result, &layout, error);
  g_free (layout.components);
  return ok;
}

/* ---- The result ----------------------------------------------------------------------- */

/* Of an earlier result, which may be of the other medium, nothing is left but memory that can be used again. What is not
 * measured is NaN, NULL or, of whole numbers, 0. */
static void
forget (HistoResult * result)
{
  result->width = result->height = result->rate = result->channels = 0;
  result->n_samples = 0;
  histo_result_set_n_pairs (result, 0);
  memset (&result->loudness, 0, sizeof result->loudness);
  for (guint i = 0; i < HISTO_N_LOUDNESS_FIGURES; i++)
    G_STRUCT_MEMBER (gdouble, &result->loudness, histo_loudness_figures[i].offset) = NAN;
}

/* Reads the width or the height of the picture. */
static gboolean
read_size (const GstStructure * structure, const gchar * name, gint * size,
    GError ** error)
{
  return read_int (structure, name, size, error)
      && (*size >= 0 || fail (structure, name, "is negative", error));
}

static gboolean
read_media (const GstStructure * structure, HistoResult * result,
    GError ** error)
{
  const gchar *media = read_text (structure, FIELD (media), error);

  if (media == NULL)
    return FALSE;
  result->is_audio = g_str_equal (media, HISTO_MEDIA_AUDIO);
  if (!result->is_audio && !g_str_equal (media, HISTO_MEDIA_VIDEO))
    return fail (structure, FIELD (media), "has an unknown value", error);
  result->colorimetry = NULL;
  if (gst_structure_has_field (structure, FIELD (colorimetry))
      && !read_own_text (structure, FIELD (colorimetry),
          &result->own_colorimetry, &result->colorimetry, error))
    return FALSE;
  if (result->is_audio)
    return read_int (structure, FIELD (rate), &result->rate, error)
        && read_int (structure, FIELD (channels), &result->channels, error)
        && read_uint64 (structure, FIELD (samples), &result->n_samples, error);
  return read_size (structure, FIELD (width), &result->width, error)
      && read_size (structure, FIELD (height), &result->height, error);
}

gboolean
histo_read_result (const GstStructure * structure, HistoResult * result,
    GError ** error)
{
  const GValue *schema;
  gboolean ok;

  g_return_val_if_fail (result != NULL, FALSE);
  forget (result);
  schema = !check_structure (structure, error) ? NULL :
      read_value (structure, FIELD (schema), G_TYPE_UINT, error);
  ok = schema != NULL;
  if (ok && g_value_get_uint (schema) != HISTO_RESULT_SCHEMA)
    ok = fail (structure, FIELD (schema), "is another version", error);
  ok = ok && read_own_text (structure, FIELD (format), &result->own_format,
      &result->format, error)
      && read_own_text (structure, FIELD (backend), &result->own_backend,
      &result->backend, error)
      && read_media (structure, result, error)
      && read_regions (structure, result, error);
  /* Programs may use either number as the size of what they allocate. */
  if (ok && result->is_audio && (result->channels < 0
          || (guint) result->channels != result->n_components))
    ok = fail (structure, FIELD (channels),
        "is not the number of \"components\"", error);
  if (ok && result->is_audio)
    ok = read_level (structure, result, error)
        && read_pairs (structure, result, error)
        && read_loudness (structure, result, error);
  if (!ok) {
    histo_result_clear (result);
    forget (result);
  } else if (!histo_result_has_group (result, HISTO_GROUP_LEVEL)) {
    g_clear_pointer (&result->levels, g_free);
    result->n_levels_allocated = 0;
  }
  return ok;
}

gboolean
histo_read_times (const GstStructure * structure, HistoTimes * times)
{
  g_return_val_if_fail (times != NULL, FALSE);
  return structure != NULL
      && read_uint64 (structure, FIELD (timestamp), &times->timestamp, NULL)
      && read_uint64 (structure, FIELD (stream_time), &times->stream_time, NULL)
      && read_uint64 (structure, FIELD (running_time), &times->running_time,
      NULL)
      && read_uint64 (structure, FIELD (duration), &times->duration, NULL);
}

gboolean
histo_read_buffers (const GstStructure * structure, guint64 * n_buffers)
{
  g_return_val_if_fail (n_buffers != NULL, FALSE);
  return structure != NULL
      && read_uint64 (structure, FIELD (buffers), n_buffers, NULL);
}

/* ---- Alerts ----------------------------------------------------------------------------- */

static gboolean
read_alert_type (const GstStructure * structure, HistoAlert * alert,
    GError ** error)
{
  const gchar *type = read_text (structure, FIELD (type), error);

  if (type == NULL)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (histo_alert_names); i++) {
    if (g_str_equal (histo_alert_names[i], type)) {
      *alert = i;
      return TRUE;
    }
  }
  return fail (structure, FIELD (type), "has an unknown value", error);
}

static gboolean
read_alert_state (const GstStructure * structure, gboolean * is_end,
    GError ** error)
{
  const gchar *state = read_text (structure, FIELD (state), error);

  if (state == NULL)
    return FALSE;
  *is_end = g_str_equal (state, HISTO_STATE_END);
  if (!*is_end && !g_str_equal (state, HISTO_STATE_BEGIN))
    return fail (structure, FIELD (state), "has an unknown value", error);
  return TRUE;
}

/* @text: (out): NULL if there is no such field */
static gboolean
read_optional_text (const GstStructure * structure, const gchar * name,
    const gchar ** text, GError ** error)
{
  *text = NULL;
  if (!gst_structure_has_field (structure, name))
    return TRUE;
  *text = read_text (structure, name, error);
  return *text != NULL;
}

/* What only a rule has. */
static gboolean
read_rule (const GstStructure * structure, HistoAlertEvent * event,
    GError ** error)
{
  if (event->alert != HISTO_ALERT_RULE)
    return TRUE;
  event->rule = read_text (structure, FIELD (rule), error);
  return event->rule != NULL
      && read_optional_text (structure, FIELD (pair), &event->pair, error)
      && read_optional_text (structure, FIELD (zone), &event->zone, error)
      && read_uint64 (structure, FIELD (value_time), &event->value_time, error);
}

/* The event's texts, which are the structure's, become its own. */
static void
own_texts (HistoAlertEvent * event)
{
  const gchar **const texts[] = { &event->component, &event->channel, &event->region, &event->rule, &event->pair,
    &event->zone
  };
  gsize size = 0;
  gchar *end;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    size += *texts[i] != NULL ? strlen (*texts[i]) + 1 : 0;
  if (size == 0)
    return;
  end = event->own = g_malloc (size);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    const gchar *text = *texts[i];

    if (text == NULL)
      continue;
    *texts[i] = end;
    end = g_stpcpy (end, text) + 1;
  }
}

gboolean
histo_read_alert (const GstStructure * structure, HistoAlertEvent * event,
    GError ** error)
{
  gboolean ok;

  g_return_val_if_fail (event != NULL, FALSE);
  memset (event, 0, sizeof *event);
  event->value_time = GST_CLOCK_TIME_NONE;
  ok = check_structure (structure, error)
      && read_alert_type (structure, &event->alert, error)
      && read_alert_state (structure, &event->is_end, error)
      && read_optional_text (structure, FIELD (component), &event->component, error)
      && read_optional_text (structure, FIELD (channel), &event->channel, error)
      && read_optional_text (structure, FIELD (region), &event->region, error)
      && read_uint64 (structure, FIELD (start), &event->start, error)
      && read_uint64 (structure, FIELD (end), &event->end, error)
      && read_double (structure, FIELD (value), &event->value, error)
      && read_double (structure, FIELD (threshold), &event->threshold, error)
      && read_rule (structure, event, error);
  if (ok)
    own_texts (event);
  else
    memset (event, 0, sizeof *event);
  return ok;
}

void
histo_alert_event_clear (gpointer event)
{
  if (event == NULL)
    return;
  g_free (((HistoAlertEvent *) event)->own);
  memset (event, 0, sizeof (HistoAlertEvent));
}

void
histo_alert_write_place (const HistoAlertEvent * event, gchar * text, gsize size)
{
  const gchar *place = NULL, *end;

  g_return_if_fail (text != NULL && size > 0);
  text[0] = '\0';
  g_return_if_fail (event != NULL);
  const gchar *const places[] = { event->region, event->channel, event->pair, event->zone, event->component };

  for (guint i = 0; place == NULL && i < G_N_ELEMENTS (places); i++)
    place = places[i];
  if (place == NULL)
    return;
  g_snprintf (text, size, "%s%s", place == event->zone ? "zone " : "", place);
  if (!g_utf8_validate (text, -1, &end))
    text[end - text] = '\0';
}

gboolean
histo_read_alerts (const GstStructure * structure, GArray * alerts,
    GError ** error)
{
  const GValue *array;
  g_autoptr (GArray) read = NULL;
  gboolean ok = TRUE;

  g_return_val_if_fail (alerts != NULL
      && g_array_get_element_size (alerts) == sizeof (HistoAlertEvent), FALSE);
  if (!check_structure (structure, error))
    return FALSE;
  if (!gst_structure_has_field (structure, FIELD (alerts)))
    return TRUE;
  array = read_value (structure, FIELD (alerts), GST_TYPE_ARRAY, error);
  if (array == NULL)
    return FALSE;
  read = g_array_new (FALSE, FALSE, sizeof (HistoAlertEvent));
  g_array_set_clear_func (read, histo_alert_event_clear);
  for (guint i = 0; ok && i < gst_value_array_get_size (array); i++) {
    const GstStructure *alert = read_item (structure, FIELD (alerts), array, i, error);
    HistoAlertEvent event;

    ok = alert != NULL && histo_read_alert (alert, &event, error);
    if (ok)
      g_array_append_val (read, event);
  }
  if (ok) {
    g_array_append_vals (alerts, read->data, read->len);
    g_array_set_clear_func (read, NULL);
  }
  return ok;
}
