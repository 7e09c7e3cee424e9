/* Reads a result from the GstStructure of a meta or a message; see read.h. The structure says which components, groups,
 * regions and pairs there are; histo_result_visit() then goes through the places and the figures to be read.
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

#include "cudahisto/fields.h"
#include "cudahisto/figures.h"
#include "cudahisto/inner.h"
#include "cudahisto/visit.h"

/* Those of the property `regions`, and those of a buffer's metas. */
#define MOST_REGIONS (2 * HISTO_MAX_REGIONS)

/* Longer texts are none of the element's, of any version. */
#define MOST_TEXT_BYTES 256

#define FIELD(identifier) histo_field_names[HISTO_FIELD_##identifier]

/* Of a component with edges. */
#define IS_RANGE(row) ((row)->info == &histo_figures[HISTO_FIGURE_NUMBER_range_min] \
    || (row)->info == &histo_figures[HISTO_FIGURE_NUMBER_range_max])

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

/* Returns: (transfer none) (nullable): structure @i of the field @name, which is an array */
static const GstStructure *
read_item (const GstStructure * structure, const gchar * name, guint i, GError ** error)
{
  const GValue *value = gst_value_array_get_value (gst_structure_get_value (structure, name), i);

  if (GST_VALUE_HOLDS_STRUCTURE (value) && gst_value_get_structure (value) != NULL)
    return gst_value_get_structure (value);
  fail (structure, name, "holds something else than structures", error);
  return NULL;
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
  g_autofree const gchar **names = NULL;
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

/* Programs divide by widths, and look values up. */
static gboolean
read_edges (const GstStructure * structure, HistoComponentResult * component, GError ** error)
{
  const GValue *value = read_value (structure, FIELD (edges), G_TYPE_BYTES, error);

  if (value == NULL)
    return FALSE;
  if (!histo_edges_are_valid (g_value_get_boxed (value), component->figures.bins))
    return fail (structure, FIELD (edges), "has other numbers than one more than \"bins\", finite and ascending", error);
  component->edges = g_bytes_ref (g_value_get_boxed (value));
  return TRUE;
}

/* What a component has beside its figures, which are known. */
static gboolean
read_details (const GstStructure * fields, HistoComponentResult * component, gboolean is_lenient,
    gboolean may_have_edges, GError ** error)
{
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
  /* Nobody can read the counts without their number. */
  if (is_lenient && !gst_structure_has_field (fields, histo_figures[HISTO_FIGURE_NUMBER_bins].name))
    return TRUE;
  if (may_have_edges && gst_structure_has_field (fields, FIELD (edges)) && !read_edges (fields, component, error))
    return FALSE;
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
      || !read_uint64 (fields, histo_figures[HISTO_FIGURE_NUMBER_count].name, &joint->figures.count, error)
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

/* ---- What is there ------------------------------------------------------------------------ */

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

/* @n: (out): length of the array in a field; 0: there is no such field */
static gboolean
count_items (const GstStructure * structure, const gchar * name, guint most,
    guint * n, GError ** error)
{
  const GValue *array;

  *n = 0;
  if (!gst_structure_has_field (structure, name))
    return TRUE;
  array = read_value (structure, name, GST_TYPE_ARRAY, error);
  if (array != NULL)
    *n = gst_value_array_get_size (array);
  return array != NULL && (*n <= most || fail (structure, name, "has too many", error));
}

static gboolean
prepare_video (const GstStructure * structure, HistoResult * result,
    const Layout * layout, GError ** error)
{
  guint n;

  if (!count_items (structure, FIELD (regions), MOST_REGIONS, &n, error))
    return FALSE;
  histo_result_set_n_components (result, (1 + n) * layout->n);
  histo_result_set_n_regions (result, 1 + n);
  result->regions[0].region.width = result->width;
  result->regions[0].region.height = result->height;
  for (guint r = 0; r <= n; r++) {
    for (guint i = 0; i < layout->n; i++)
      histo_result_region_components (result, r)[i] = layout->components[i];
    histo_groups_clear (&result->regions[r].figures);
    result->regions[r].has_motion = histo_result_has_group (result, HISTO_GROUP_MOTION);
  }
  return TRUE;
}

/* Results of one channel have no pairs, which belong to the group `level`. */
static gboolean
prepare_audio (const GstStructure * structure, HistoResult * result,
    const Layout * layout, GError ** error)
{
  const guint n = layout->n;
  guint n_pairs = 0;

  histo_result_set_n_components (result, n);
  histo_result_set_n_regions (result, 0);
  for (guint i = 0; i < n; i++)
    result->components[i] = layout->components[i];
  /* Programs may use either number as the size of what they allocate. */
  if (result->channels < 0 || (guint) result->channels != n)
    return fail (structure, FIELD (channels),
        "is not the number of \"components\"", error);
  if (n > 0 && has_level (gst_value_get_structure (gst_structure_get_value (structure, layout->components[0].name)))) {
    result->groups |= HISTO_GROUP_FLAG (HISTO_GROUP_LEVEL);
    histo_result_set_n_levels (result, n);
    if (!count_items (structure, FIELD (pairs), n / 2, &n_pairs, error))
      return FALSE;
  }
  histo_result_set_n_pairs (result, n_pairs);
  for (guint i = 0; i < n_pairs; i++)
    result->pairs[i].first = result->pairs[i].second = 2 * i;
  if (gst_structure_has_field (structure, histo_groups[HISTO_GROUP_LOUDNESS].name)) {
    result->groups |= HISTO_GROUP_FLAG (HISTO_GROUP_LOUDNESS);
    g_free (result->peaks);
    result->peaks = g_new (gdouble, MAX (HISTO_N_LOUDNESS_ARRAYS * n, 1));
    for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++)
      G_STRUCT_MEMBER (const gdouble *, &result->loudness, histo_loudness_arrays[i].offset) = result->peaks + i * n;
  }
  return TRUE;
}

/* ---- The walk ----------------------------------------------------------------------------- */

typedef struct
{
  HistoResult *result;          /* prepared */
  const Layout *layout;
  const GstStructure *structures[HISTO_MOST_STEPS + 1]; /* of the result, and of the places entered */
  guint n;                      /* number of the last one */
  const GValue *array;          /* of the place: of numbers */
  gboolean are_zones_known;     /* FALSE: the state of one is a choice of another version */
  gboolean is_lenient;          /* a figure may be missing */
  gboolean may_have_edges;      /* by its schema */
  gboolean ok;                  /* FALSE: the error is set, and no more is read */
  GError **error;
} Reader;

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

/* The place of a region, and what says that it has the same components as the picture. */
static gboolean
read_region (Reader * self, const GstStructure * structure, guint number)
{
  HistoRegionResult *region = &self->result->regions[number];
  const gchar *name = read_text (structure, FIELD (name), self->error);

  if (name == NULL)
    return FALSE;
  region->region.name = region->name = g_strdup (name);
  return read_rectangle (structure, self->result, &region->region, self->error)
      && check_names (structure, self->layout, self->error);
}

static gboolean
read_area (Reader * self, const GstStructure * structure, HistoGroupFigures * figures)
{
  HistoRegion area;

  if (!read_rectangle (structure, self->result, &area, self->error))
    return FALSE;
  figures->area_x = area.x;
  figures->area_y = area.y;
  figures->area_width = area.width;
  figures->area_height = area.height;
  return TRUE;
}

/* @member: (nullable): of a figure; NULL: it is absent already */
static void
add_absent (HistoResult * result, gconstpointer member)
{
  if (member == NULL)
    return;
  if (result->absent == NULL)
    result->absent = g_hash_table_new (NULL, NULL);
  g_hash_table_add (result->absent, (gpointer) member);
}

/* Whether another version wrote the result, which has no such place. @structure: (nullable): in which it should be */
static gboolean
is_missing (const HistoVisit * visit, const GstStructure * structure)
{
  const gchar *step = visit->steps[visit->n_steps - 1];

  if (structure == NULL)
    return TRUE;
  if (visit->place != HISTO_PLACE_GROUP && visit->place != HISTO_PLACE_COMPONENT
      && visit->place != HISTO_PLACE_BITS_USED && visit->place != HISTO_PLACE_ARRAY)
    return FALSE;
  if (!gst_structure_has_field (structure, step))
    return TRUE;
  if (visit->place != HISTO_PLACE_GROUP || visit->group != HISTO_GROUP_AREA)
    return FALSE;
  structure = read_structure (structure, step, NULL);
  return structure != NULL && (!gst_structure_has_field (structure, FIELD (x))
      || !gst_structure_has_field (structure, FIELD (y)) || !gst_structure_has_field (structure, FIELD (width))
      || !gst_structure_has_field (structure, FIELD (height)));
}

/* Of a HistoVisitor. */
static gboolean
enter (const HistoVisit * visit, gpointer data)
{
  Reader *self = data;
  HistoResult *result = self->result;
  HistoGroupFigures *figures = result->is_audio ? NULL : &result->regions[visit->region].figures;
  const GstStructure *structure = self->structures[self->n], *own = structure;
  const gchar *step = visit->steps[visit->n_steps - 1];
  guint n;

  if (!self->ok)
    return FALSE;
  if (self->is_lenient && is_missing (visit, structure)) {
    self->structures[++self->n] = NULL;
    return TRUE;
  }
  switch (visit->place) {
    case HISTO_PLACE_REGIONS:
    case HISTO_PLACE_PAIRS:
      break;
    case HISTO_PLACE_REGION:
      own = read_item (structure, FIELD (regions), visit->region - 1, self->error);
      self->ok = own != NULL && read_region (self, own, visit->region);
      break;
    case HISTO_PLACE_GROUP:
      own = read_structure (structure, step, self->error);
      self->ok = own != NULL && (visit->region > 0 || read_joints (own, result, visit->group, self->error))
          && (visit->group != HISTO_GROUP_AREA || read_area (self, own, figures));
      break;
    case HISTO_PLACE_COMPONENT:
      own = read_structure (structure, step, self->error);
      self->ok = own != NULL;
      break;
    case HISTO_PLACE_JOINT:
      return FALSE;
    case HISTO_PLACE_BITS_USED:
      n = self->layout->n_native;
      if (n == 0)
        return FALSE;
      self->array = read_array (structure, step, n, self->error);
      self->ok = self->array != NULL;
      figures->n_bits_used = n;
      break;
    case HISTO_PLACE_ZONES:
      self->ok = count_items (structure, step, G_MAXUINT, &n, self->error);
      /* Without zones no transitions were looked for. */
      if (self->ok && !gst_structure_has_field (structure, step))
        return FALSE;
      if (self->ok && n != HISTO_N_ZONES)
        self->ok = fail (structure, step, "has another size than 25", self->error);
      figures->n_zones = HISTO_N_ZONES;
      self->are_zones_known = TRUE;
      break;
    case HISTO_PLACE_ZONE:
      own = read_item (structure, FIELD (zones), visit->index, self->error);
      self->ok = own != NULL;
      break;
    case HISTO_PLACE_PAIR:
      own = read_item (structure, FIELD (pairs), visit->index, self->error);
      self->ok = own != NULL
          && read_channel (own, FIELD (first), result, &result->pairs[visit->index].first, self->error)
          && read_channel (own, FIELD (second), result, &result->pairs[visit->index].second, self->error);
      break;
    case HISTO_PLACE_ARRAY:
      self->array = read_array (structure, step, result->n_components, self->error);
      self->ok = self->array != NULL;
      break;
  }
  if (self->ok)
    self->structures[++self->n] = own;
  return self->ok;
}

/* A choice of another version, which this one does not know, is absent. */
static gboolean
read_choice (Reader * self, const HistoFigureRow * row, gpointer member)
{
  const gchar *name = read_text (self->structures[self->n], row->name, self->error);
  const gint choice = name != NULL ? histo_choice_find (row->group_info, name) : -1;

  if (row->in != HISTO_IN_ZONE)
    *(gdouble *) member = choice >= 0 ? choice : NAN;
  else if (choice >= 0)
    *(guint *) member = choice;
  else
    self->are_zones_known = FALSE;
  return name != NULL;
}

/* Figures of `level` that results of version 0.1.0 do not have. */
static gboolean
is_later (const HistoFigureRow * row)
{
  for (guint i = HISTO_LEVEL_FIGURE_holes; row->group == HISTO_GROUP_LEVEL && i < HISTO_N_LEVEL_FIGURES; i++) {
    if (g_str_equal (row->name, histo_level_figures[i].name))
      return TRUE;
  }
  return FALSE;
}

/* Of a HistoVisitor. Figures of groups of video, doubles of pairs, and later figures, are absent if they are missing. */
static void
read_figure (const HistoVisit * visit, gpointer data)
{
  Reader *self = data;
  const HistoFigureRow *row = visit->figure.row;
  const HistoFigureType type = row->group_info != NULL ? row->group_info->type : row->type;
  const GstStructure *structure = self->structures[self->n];
  const GValue *item;
  /* It is the result's own. */
  gpointer member = (gpointer) visit->member;
  guint number;

  if (!self->ok)
    return;
  if (self->may_have_edges && structure != NULL && IS_RANGE (row) && gst_structure_has_field (structure, FIELD (edges))) {
    *(gdouble *) member = NAN;
    return;
  }
  if (self->is_lenient && (structure == NULL || (row->in != HISTO_IN_BITS_USED && row->in != HISTO_IN_ARRAY
              && !gst_structure_has_field (structure, row->name)))) {
    add_absent (self->result, member);
    return;
  }
  if (is_later (row) && !gst_structure_has_field (structure, row->name)) {
    if (type == HISTO_FIGURE_DOUBLE)
      *(gdouble *) member = NAN;
    add_absent (self->result, member);
    return;
  }
  if (row->group == HISTO_GROUP_AREA && row->group_info == NULL)
    return;
  if (row->in == HISTO_IN_BITS_USED || row->in == HISTO_IN_ARRAY) {
    item = gst_value_array_get_value (self->array, visit->figure.index);
    if (!G_VALUE_HOLDS (item, type == HISTO_FIGURE_UINT ? G_TYPE_UINT : G_TYPE_DOUBLE))
      self->ok = fail (structure, visit->steps[visit->n_steps - 2], "holds something else than numbers", self->error);
    else if (type == HISTO_FIGURE_UINT)
      *(guint *) member = g_value_get_uint (item);
    else
      *(gdouble *) member = g_value_get_double (item);
    return;
  }
  if ((row->in == HISTO_IN_GROUP || (row->in == HISTO_IN_PAIR && type == HISTO_FIGURE_DOUBLE))
      && !gst_structure_has_field (structure, row->name)) {
    *(gdouble *) member = NAN;
    return;
  }
  switch (type) {
    case HISTO_FIGURE_UINT64:
      self->ok = read_uint64 (structure, row->name, member, self->error);
      break;
    case HISTO_FIGURE_DOUBLE:
      self->ok = read_double (structure, row->name, member, self->error);
      break;
    case HISTO_FIGURE_UINT:
      self->ok = read_uint (structure, row->name, &number, self->error);
      if (self->ok && row->type == HISTO_FIGURE_UINT)
        *(guint *) member = number;
      else if (self->ok)
        *(gdouble *) member = number;
      break;
    case HISTO_FIGURE_CHOICE:
      self->ok = read_choice (self, row, member);
      break;
  }
}

/* Of a HistoVisitor. */
static void
leave (const HistoVisit * visit, gpointer data)
{
  Reader *self = data;
  const GstStructure *structure = self->structures[self->n--];

  if (self->ok && visit->place == HISTO_PLACE_COMPONENT && structure != NULL)
    self->ok = read_details (structure, &self->result->components[visit->index], self->is_lenient,
        self->may_have_edges, self->error);
  if (visit->place == HISTO_PLACE_ZONES && !self->are_zones_known)
    self->result->regions[0].figures.n_zones = 0;
}

/* Reads the components, the groups and the regions.
 *
 * @result: (inout): its medium and size are known */
static gboolean
read_figures (const GstStructure * structure, HistoResult * result, guint schema, gboolean is_lenient,
    GError ** error)
{
  static const HistoVisitor visitor = { enter, read_figure, leave };
  Layout layout;
  Reader reader = {.result = result,.layout = &layout,.structures = {structure},.is_lenient = is_lenient,
    .may_have_edges = schema >= HISTO_RESULT_SCHEMA_EDGES,.error = error
  };

  reader.ok = read_layout (structure, result, &layout, error);
  if (reader.ok) {
    result->n_region_components = layout.n;
    reader.ok = (result->is_audio ? prepare_audio : prepare_video) (structure, result, &layout, error);
  }
  if (reader.ok)
    histo_result_visit (result, 0, NULL, &visitor, &reader);
  g_free (layout.components);
  return reader.ok;
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
  g_clear_pointer (&result->absent, g_hash_table_unref);
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

/* Only results with a mask have these. */
static gboolean
read_mask (const GstStructure * structure, HistoResult * result, GError ** error)
{
  result->mask = NULL;
  result->mask_pixels = 0;
  return !gst_structure_has_field (structure, FIELD (mask))
      || (read_own_text (structure, FIELD (mask), &result->own_mask, &result->mask, error)
      && read_uint64 (structure, FIELD (mask_pixels), &result->mask_pixels, error));
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
  result->colorimetry = result->mask = NULL;
  if (gst_structure_has_field (structure, FIELD (colorimetry))
      && !read_own_text (structure, FIELD (colorimetry),
          &result->own_colorimetry, &result->colorimetry, error))
    return FALSE;
  if (result->is_audio)
    return read_int (structure, FIELD (rate), &result->rate, error)
        && read_int (structure, FIELD (channels), &result->channels, error)
        && read_uint64 (structure, FIELD (samples), &result->n_samples, error);
  return read_size (structure, FIELD (width), &result->width, error)
      && read_size (structure, FIELD (height), &result->height, error)
      && read_mask (structure, result, error);
}

static gboolean
read_result (const GstStructure * structure, HistoResult * result, gboolean is_lenient, GError ** error)
{
  const GValue *schema;
  gboolean ok;

  g_return_val_if_fail (result != NULL, FALSE);
  forget (result);
  schema = !check_structure (structure, error) ? NULL :
      read_value (structure, FIELD (schema), G_TYPE_UINT, error);
  ok = schema != NULL;
  if (ok && g_value_get_uint (schema) != HISTO_RESULT_SCHEMA
      && g_value_get_uint (schema) != HISTO_RESULT_SCHEMA_EDGES)
    ok = fail (structure, FIELD (schema), "is another version", error);
  ok = ok && read_own_text (structure, FIELD (format), &result->own_format,
      &result->format, error)
      && read_own_text (structure, FIELD (backend), &result->own_backend,
      &result->backend, error)
      && read_media (structure, result, error)
      && read_figures (structure, result, g_value_get_uint (schema), is_lenient, error);
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
histo_read_result (const GstStructure * structure, HistoResult * result,
    GError ** error)
{
  return read_result (structure, result, FALSE, error);
}

gboolean
histo_read_known (const GstStructure * structure, HistoResult * result, GError ** error)
{
  return read_result (structure, result, TRUE, error);
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
    const GstStructure *alert = read_item (structure, FIELD (alerts), i, error);
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
