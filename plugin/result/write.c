/* The result as applications see it: a GstStructure on the buffer and on the bus.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "result/write.h"

#include "media/region.h"
#include "result/mtds.h"

#include <math.h>

/* ---- Names ---------------------------------------------------------------------------- */

/* Looking names up by their text for each buffer would take longer than computing the figures.
 * GStreamer 1.26 brought functions that keep a static string, and later versions deprecate those
 * that take a quark. */
#ifdef HAVE_GST_STRUCTURE_STATIC_STR
typedef const gchar *FieldName;
#define FIELD_NAME(text) (text)
#define COMPONENT_NAME(component) ((component)->name)
#define new_structure gst_structure_new_static_str_empty
#define take_value gst_structure_take_value_static_str
#else
typedef GQuark FieldName;
#define FIELD_NAME(text) g_quark_from_static_string (text)
/* A result that was read has no quarks. */
#define COMPONENT_NAME(component) ((component)->quark != 0 ? \
    (component)->quark : g_quark_from_string ((component)->name))
#define new_structure gst_structure_new_id_empty
#define take_value gst_structure_id_take_value
#endif

/* What writing a figure needs, in few bytes: at low frame rates the table of figures has left the
 * processor's caches. */
typedef struct
{
  FieldName name;
  guint16 offset;               /* of the member */
  guint8 type;                  /* HistoFigureType */
} FigureField;

/* Constant after histo_write_init(). */
static FieldName field_names[HISTO_N_FIELDS];   /* of HISTO_RESULT_FIELDS */
static FieldName group_names[HISTO_N_GROUPS];
static FigureField figure_fields[HISTO_N_FIGURES];
static FigureField level_fields[HISTO_N_LEVEL_FIGURES];
static FigureField pair_fields[HISTO_N_PAIR_FIGURES];
static FigureField loudness_fields[HISTO_N_LOUDNESS_FIGURES];
static FigureField loudness_array_fields[HISTO_N_LOUDNESS_ARRAYS];
static struct
{
  HistoGroup group;
  FieldName name;
  guint16 offset;
  guint8 type;
  const gchar *const *names;    /* of a choice */
} group_fields[HISTO_N_GROUP_FIGURES];

/* Most fields have one of these types: copying an initialised value is quicker than
 * initialising one. */
static GValue double_value, uint64_value;

#define FIELD(identifier) field_names[HISTO_FIELD_##identifier]

/* @fields: (out) (array length=n)
 * @figures: (array length=n): their offsets fit in 16 bits */
static void
init_figure_fields (FigureField * fields, const HistoFigureInfo * figures,
    guint n)
{
  for (guint i = 0; i < n; i++) {
    fields[i].name = FIELD_NAME (figures[i].name);
    fields[i].offset = figures[i].offset;
    fields[i].type = figures[i].type;
  }
}

/* Makes the names known. To be called before all others here. A second call changes nothing. */
void
histo_write_init (void)
{
  static gsize is_ready = 0;

  if (!g_once_init_enter (&is_ready))
    return;
  for (guint f = 0; f < HISTO_N_FIELDS; f++)
    field_names[f] = FIELD_NAME (histo_field_names[f]);
  for (guint g = 0; g < HISTO_N_GROUPS; g++)
    group_names[g] = FIELD_NAME (histo_groups[g].name);
  init_figure_fields (figure_fields, histo_figures, HISTO_N_FIGURES);
  init_figure_fields (level_fields, histo_level_figures, HISTO_N_LEVEL_FIGURES);
  init_figure_fields (pair_fields, histo_pair_figures, HISTO_N_PAIR_FIGURES);
  init_figure_fields (loudness_fields, histo_loudness_figures,
      HISTO_N_LOUDNESS_FIGURES);
  init_figure_fields (loudness_array_fields, histo_loudness_arrays,
      HISTO_N_LOUDNESS_ARRAYS);
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    group_fields[i].group = histo_group_figures[i].group;
    group_fields[i].name = FIELD_NAME (histo_group_figures[i].name);
    group_fields[i].offset = histo_group_figures[i].offset;
    group_fields[i].type = histo_group_figures[i].type;
    if (histo_group_figures[i].type == HISTO_FIGURE_CHOICE)
      group_fields[i].names = histo_choice_names (&histo_group_figures[i]);
  }
  g_value_init (&double_value, G_TYPE_DOUBLE);
  g_value_init (&uint64_value, G_TYPE_UINT64);
  g_once_init_leave (&is_ready, 1);
}

/* ---- Values --------------------------------------------------------------------------- */

/* The structure takes each value as it is; gst_structure_set() would copy it. */

static void
set_uint (GstStructure * structure, FieldName name, guint number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT);
  g_value_set_uint (&value, number);
  take_value (structure, name, &value);
}

static void
set_int (GstStructure * structure, FieldName name, gint number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT);
  g_value_set_int (&value, number);
  take_value (structure, name, &value);
}

/* @text: static or interned; it is not copied */
static void
set_string (GstStructure * structure, FieldName name, const gchar * text)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_static_string (&value, text);
  take_value (structure, name, &value);
}

/* @text: (nullable): copied; NULL: the structure gets no such field */
static void
set_copied_string (GstStructure * structure, FieldName name, const gchar * text)
{
  GValue value = G_VALUE_INIT;

  if (text == NULL)
    return;
  g_value_init (&value, G_TYPE_STRING);
  g_value_set_string (&value, text);
  take_value (structure, name, &value);
}

/* @boxed: (transfer full) */
static void
set_boxed (GstStructure * structure, FieldName name, GType type, gpointer boxed)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, type);
  g_value_take_boxed (&value, boxed);
  take_value (structure, name, &value);
}

static void
set_double (GstStructure * structure, FieldName name, gdouble number)
{
  GValue value = double_value;

  g_value_set_double (&value, number);
  take_value (structure, name, &value);
}

static void
set_uint64 (GstStructure * structure, FieldName name, guint64 number)
{
  GValue value = uint64_value;

  g_value_set_uint64 (&value, number);
  take_value (structure, name, &value);
}

/* @figures: the struct that has the field's member */
static void
set_figure (GstStructure * structure, const FigureField * field,
    gconstpointer figures)
{
  gconstpointer member = G_STRUCT_MEMBER_P (figures, field->offset);

  switch ((HistoFigureType) field->type) {
    case HISTO_FIGURE_UINT64:
      set_uint64 (structure, field->name, *(const guint64 *) member);
      break;
    case HISTO_FIGURE_UINT:
      set_uint (structure, field->name, *(const guint *) member);
      break;
    case HISTO_FIGURE_DOUBLE:
    case HISTO_FIGURE_CHOICE:  /* never one of these */
      set_double (structure, field->name, *(const gdouble *) member);
      break;
  }
}

/* @item: (transfer full) */
static void
append_structure (GValue * array, GstStructure * item)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, item);
  gst_value_array_append_and_take_value (array, &value);
}

static void
set_rectangle (GstStructure * structure, gint x, gint y, gint width, gint height)
{
  set_int (structure, FIELD (x), x);
  set_int (structure, FIELD (y), y);
  set_int (structure, FIELD (width), width);
  set_int (structure, FIELD (height), height);
}

static void
set_doubles (GstStructure * structure, FieldName name,
    const gdouble * numbers, guint n)
{
  GValue array = G_VALUE_INIT;

  gst_value_array_init (&array, n);
  for (guint i = 0; i < n; i++) {
    GValue number = double_value;

    g_value_set_double (&number, numbers[i]);
    gst_value_array_append_and_take_value (&array, &number);
  }
  take_value (structure, name, &array);
}

/* ---- Components ----------------------------------------------------------------------- */

static GstStructure *
make_component (const HistoComponentResult * component)
{
  GstStructure *structure = new_structure (COMPONENT_NAME (component));

  for (guint i = 0; i < HISTO_N_FIGURES; i++) {
    if (component->edges == NULL || (i != HISTO_FIGURE_NUMBER_range_min && i != HISTO_FIGURE_NUMBER_range_max))
      set_figure (structure, &figure_fields[i], &component->figures);
  }
  if (component->edges != NULL)
    set_boxed (structure, FIELD (edges), G_TYPE_BYTES, g_bytes_ref (component->edges));
  if (component->depth > 0)
    set_uint (structure, FIELD (depth), component->depth);
  if (component->histogram != NULL)
    set_boxed (structure, FIELD (histogram),
        G_TYPE_BYTES, g_bytes_ref (component->histogram));
  return structure;
}

/* A joint component has only one figure: the count. */
static GstStructure *
make_joint (const HistoComponentResult * joint)
{
  GstStructure *structure = new_structure (COMPONENT_NAME (joint));

  set_figure (structure, &figure_fields[HISTO_FIGURE_NUMBER_count],
      &joint->figures);
  set_uint (structure, FIELD (columns), joint->columns);
  set_uint (structure, FIELD (rows), joint->rows);
  set_string (structure, FIELD (x), joint->x);
  set_string (structure, FIELD (y), joint->y);
  if (joint->histogram != NULL)
    set_boxed (structure, FIELD (histogram),
        G_TYPE_BYTES, g_bytes_ref (joint->histogram));
  return structure;
}

static void
write_names (const HistoComponentResult * components, guint n,
    GstStructure * structure)
{
  GValue array = G_VALUE_INIT;

  gst_value_array_init (&array, n);
  for (guint i = 0; i < n; i++) {
    GValue name = G_VALUE_INIT;

    g_value_init (&name, G_TYPE_STRING);
    g_value_set_static_string (&name, components[i].name);
    gst_value_array_append_and_take_value (&array, &name);
  }
  take_value (structure, FIELD (components), &array);
}

/* ---- Groups ----------------------------------------------------------------------------- */

static void
write_bits_used (const HistoGroupFigures * figures, GstStructure * structure)
{
  GValue array = G_VALUE_INIT;

  gst_value_array_init (&array, figures->n_bits_used);
  for (guint i = 0; i < figures->n_bits_used; i++) {
    GValue bits = G_VALUE_INIT;

    g_value_init (&bits, G_TYPE_UINT);
    g_value_set_uint (&bits, figures->bits_used[i]);
    gst_value_array_append_and_take_value (&array, &bits);
  }
  take_value (structure, FIELD (bits_used), &array);
}

/* @figure: of the row @i of the table; not NaN */
static void
write_group_figure (GstStructure * structure, guint i, gdouble figure)
{
  switch ((HistoFigureType) group_fields[i].type) {
    case HISTO_FIGURE_UINT:
      set_uint (structure, group_fields[i].name, figure);
      break;
    case HISTO_FIGURE_CHOICE:
      set_string (structure, group_fields[i].name, group_fields[i].names[(guint) figure]);
      break;
    default:
      set_double (structure, group_fields[i].name, figure);
  }
}

static void
write_zones (const HistoGroupFigures * figures, GstStructure * structure)
{
  GValue array = G_VALUE_INIT;

  gst_value_array_init (&array, figures->n_zones);
  for (guint i = 0; i < figures->n_zones; i++) {
    GstStructure *fields = new_structure (FIELD (zone));

    for (guint f = 0; f < HISTO_N_ZONE_FIGURES; f++)
      write_group_figure (fields, histo_zone_figures[f].figure,
          G_STRUCT_MEMBER (guint, &figures->zones[i], histo_zone_figures[f].offset));
    append_structure (&array, fields);
  }
  take_value (structure, FIELD (zones), &array);
}

static GstStructure *
make_group (const HistoResult * result, guint region, HistoGroup group)
{
  const HistoComponentResult *components =
      histo_result_region_components (result, region);
  const HistoGroupFigures *figures = &result->regions[region].figures;
  GstStructure *structure = new_structure (group_names[group]);

  for (guint i = 0; i < result->n_region_components; i++) {
    if (components[i].group == group)
      set_boxed (structure, COMPONENT_NAME (&components[i]),
          GST_TYPE_STRUCTURE, make_component (&components[i]));
  }
  for (guint i = 0; region == 0 && i < result->n_joints; i++) {
    if (result->joints[i].group == group)
      set_boxed (structure, COMPONENT_NAME (&result->joints[i]),
          GST_TYPE_STRUCTURE, make_joint (&result->joints[i]));
  }
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const gdouble figure = *(const gdouble *)
        G_STRUCT_MEMBER_P (figures, group_fields[i].offset);

    if (group_fields[i].group == group && !isnan (figure))
      write_group_figure (structure, i, figure);
  }
  if (group == HISTO_GROUP_FLASH && figures->n_zones > 0)
    write_zones (figures, structure);
  if (group == HISTO_GROUP_SIGNAL && figures->n_bits_used > 0)
    write_bits_used (figures, structure);
  if (group == HISTO_GROUP_AREA)
    set_rectangle (structure, figures->area_x, figures->area_y, figures->area_width, figures->area_height);
  return structure;
}

/* Writes the groups of video. The group `motion` is absent without a previous frame, and `scopes` is the picture's
 * alone. */
static void
write_groups (const HistoResult * result, guint region,
    GstStructure * structure)
{
  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
    if (histo_result_has_group (result, g) && !histo_groups[g].is_audio
        && (g != HISTO_GROUP_MOTION || result->regions[region].has_motion)
        && (g != HISTO_GROUP_SCOPES || region == 0))
      set_boxed (structure, group_names[g], GST_TYPE_STRUCTURE,
          make_group (result, region, g));
  }
}

/* Makes the structure of a pair. A double that is NaN is absent. */
static GstStructure *
make_pair (const HistoResult * result, const HistoPairResult * pair)
{
  GstStructure *structure = new_structure (FIELD (pair));

  set_string (structure, FIELD (first), result->components[pair->first].name);
  set_string (structure, FIELD (second), result->components[pair->second].name);
  for (guint i = 0; i < HISTO_N_PAIR_FIGURES; i++) {
    gconstpointer member =
        G_STRUCT_MEMBER_P (&pair->figures, pair_fields[i].offset);

    if (pair_fields[i].type != HISTO_FIGURE_DOUBLE
        || !isnan (*(const gdouble *) member))
      set_figure (structure, &pair_fields[i], &pair->figures);
  }
  return structure;
}

/* Writes the array of the pairs of channels. There is one at least. */
static void
write_pairs (const HistoResult * result, GstStructure * structure)
{
  GValue array = G_VALUE_INIT;

  gst_value_array_init (&array, result->n_pairs);
  for (guint i = 0; i < result->n_pairs; i++)
    append_structure (&array, make_pair (result, &result->pairs[i]));
  take_value (structure, FIELD (pairs), &array);
}

/* Adds the structure of the group `loudness`. */
static void
write_loudness (const HistoResult * result, GstStructure * structure)
{
  const FieldName name = group_names[HISTO_GROUP_LOUDNESS];
  GstStructure *group;

  if (result->loudness.true_peak == NULL
      || result->loudness.sample_peak == NULL)
    return;
  group = new_structure (name);
  for (guint i = 0; i < HISTO_N_LOUDNESS_FIGURES; i++)
    set_figure (group, &loudness_fields[i], &result->loudness);
  for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++)
    set_doubles (group, loudness_array_fields[i].name,
        *(const gdouble * const *) G_STRUCT_MEMBER_P (&result->loudness,
            loudness_array_fields[i].offset), result->n_components);
  set_boxed (structure, name, GST_TYPE_STRUCTURE, group);
}

/* ---- Regions ------------------------------------------------------------------------------ */

/* Writes the names of the components, their structures, and the groups of a region. Audio has
 * one region, which has all channels. */
static void
write_region (const HistoResult * result, guint region,
    GstStructure * structure)
{
  const HistoComponentResult *components =
      histo_result_region_components (result, region);
  const gboolean has_level = histo_result_has_group (result, HISTO_GROUP_LEVEL);
  guint n_native = 0;

  while (n_native < result->n_region_components
      && components[n_native].group == HISTO_GROUP_BASIC)
    n_native++;
  write_names (components, n_native, structure);
  for (guint i = 0; i < n_native; i++) {
    GstStructure *component = make_component (&components[i]);

    if (has_level) {
      for (guint f = 0; f < HISTO_N_LEVEL_FIGURES; f++)
        set_figure (component, &level_fields[f], &result->levels[i]);
    }
    set_boxed (structure, COMPONENT_NAME (&components[i]), GST_TYPE_STRUCTURE,
        component);
  }
  if (result->groups != HISTO_GROUP_FLAG (HISTO_GROUP_BASIC)
      && !result->is_audio)
    write_groups (result, region, structure);
}

static GstStructure *
make_region (const HistoResult * result, guint number)
{
  const HistoRegion *region = &result->regions[number].region;
  GstStructure *structure = gst_structure_new_empty (HISTO_REGION_NAME);

  set_copied_string (structure, FIELD (name), region->name);
  set_rectangle (structure, region->x, region->y, region->width, region->height);
  write_region (result, number, structure);
  return structure;
}

/* Writes the array of all regions but the whole picture. There is one at least. */
static void
write_regions (const HistoResult * result, GstStructure * structure)
{
  GValue array = G_VALUE_INIT;

  gst_value_array_init (&array, result->n_regions - 1);
  for (guint r = 1; r < result->n_regions; r++)
    append_structure (&array, make_region (result, r));
  take_value (structure, FIELD (regions), &array);
}

/* ---- The result ------------------------------------------------------------------------- */

/* All native components have edges, or none has. */
static gboolean
has_edges (const HistoResult * result)
{
  return result->n_components > 0 && result->components[0].edges != NULL;
}

/**
 * histo_write_result:
 * @result: of the element itself, not one that was read: its texts must live for ever, because the structure refers to
 *   them
 * @structure: empty, named "cudahisto"
 *
 * Writes all fields but the times.
 */
void
histo_write_result (const HistoResult * result, GstStructure * structure)
{
  set_uint (structure, FIELD (schema), has_edges (result) ? HISTO_RESULT_SCHEMA_EDGES : HISTO_RESULT_SCHEMA);
  set_string (structure, FIELD (media),
      result->is_audio ? HISTO_MEDIA_AUDIO : HISTO_MEDIA_VIDEO);
  set_string (structure, FIELD (format), result->format);
  if (result->is_audio) {
    set_int (structure, FIELD (rate), result->rate);
    set_int (structure, FIELD (channels), result->channels);
    set_uint64 (structure, FIELD (samples), result->n_samples);
  } else {
    set_int (structure, FIELD (width), result->width);
    set_int (structure, FIELD (height), result->height);
  }
  set_copied_string (structure, FIELD (colorimetry), result->colorimetry);
  if (result->mask != NULL) {
    set_string (structure, FIELD (mask), result->mask);
    set_uint64 (structure, FIELD (mask_pixels), result->mask_pixels);
  }
  set_string (structure, FIELD (backend), result->backend);
  write_region (result, 0, structure);
  if (result->n_regions > 1)
    write_regions (result, structure);
  if (result->n_pairs > 0)
    write_pairs (result, structure);
  if (histo_result_has_group (result, HISTO_GROUP_LOUDNESS))
    write_loudness (result, structure);
}

/* ---- The metas -------------------------------------------------------------------------- */

/**
 * histo_meta_register:
 *
 * Registers a custom meta for results, once for a process. It has no tags. Video and audio converters both keep a meta
 * without tags; they drop those that are tagged "size" or "colorspace".
 *
 * Returns: (nullable): NULL: another plugin has a meta of this name, which is none
 */
const GstMetaInfo *
histo_meta_register (const gchar * name)
{
  static const gchar *no_tags[] = { NULL };
  const GstMetaInfo *info = gst_meta_get_info (name);

  if (info == NULL)
    return gst_meta_register_custom (name, no_tags, NULL, NULL, NULL);
  return gst_meta_info_is_custom (info) ? info : NULL;
}

/* @buffer: a writable one
 * Returns: (transfer none) (nullable): a meta of that name that is locked, and so cannot be removed */
static GstMeta *
remove_earlier (const GstMetaInfo * info, GstBuffer * buffer)
{
  GstMeta *meta;

  while ((meta = gst_buffer_get_meta (buffer, info->api)) != NULL
      && !GST_META_FLAG_IS_SET (meta, GST_META_FLAG_LOCKED))
    gst_buffer_remove_meta (buffer, meta);
  return meta;
}

/* Removes the parameter of that name. */
static void
remove_param (GstVideoRegionOfInterestMeta * meta, const gchar * name)
{
  GstStructure *param;

  while ((param = gst_video_region_of_interest_meta_get_param (meta, name)) != NULL) {
    meta->params = g_list_remove (meta->params, param);
    gst_structure_free (param);
  }
}

/**
 * histo_write_rois:
 * @written: what histo_write_result() has written of @result
 * @name: of the parameters
 * @buffer: writable, with the metas of which histo_rois_new() made the regions of @result
 *
 * Each GstVideoRegionOfInterestMeta of these gets a copy of its region as a parameter, in place of an earlier one of this
 * name. Each GstAnalyticsODMtd gets another Mtd: see mtds.h.
 */
void
histo_write_rois (const HistoResult * result, const GstStructure * written, const gchar * name, GstBuffer * buffer)
{
  const GValue *regions = gst_structure_get_value (written, histo_field_names[HISTO_FIELD_regions]);
  HistoRoiState state = { 0, };
  HistoRoi roi;

  for (guint r = 1; r < result->n_regions; r++) {
    GstStructure *param;

    if (!result->regions[r].is_roi)
      continue;
    if (!histo_rois_next (buffer, &state, &roi))
      break;
    if (roi.meta == NULL) {
      /* So are all that follow. */
      histo_mtds_write (result, name, buffer);
      break;
    }
    remove_param (roi.meta, name);
    param = gst_structure_copy (gst_value_get_structure (gst_value_array_get_value (regions, r - 1)));
    gst_structure_set_name (param, name);
    gst_video_region_of_interest_meta_add_param (roi.meta, param);
  }
}

/**
 * histo_meta_detach:
 * @info: (nullable): of histo_meta_register()
 * @buffer: (inout) (transfer full): not mapped; becomes a copy that shares its memory if it has a
 * result, and others hold the buffer too
 *
 * Removes the results of elements upstream. One that is locked becomes empty.
 */
void
histo_meta_detach (const GstMetaInfo * info, GstBuffer ** buffer)
{
  GstMeta *meta;

  if (info == NULL || gst_buffer_get_meta (*buffer, info->api) == NULL)
    return;
  *buffer = gst_buffer_make_writable (*buffer);
  meta = remove_earlier (info, *buffer);
  if (meta != NULL && gst_meta_info_is_custom (meta->info))
    gst_structure_remove_all_fields (gst_custom_meta_get_structure (
            (GstCustomMeta *) meta));
}

/**
 * histo_meta_attach:
 * @info: (nullable): of histo_meta_register()
 * @buffer: (inout) (transfer full): not mapped; becomes a copy that shares its memory if
 * others hold the buffer too
 *
 * Adds the meta. A meta of the same name from an element upstream is removed, so that
 * gst_buffer_get_custom_meta() finds the new one. An earlier result that is locked cannot be
 * removed; its structure is emptied and used again.
 *
 * Returns: (transfer none) (nullable): the meta's structure, empty; %NULL if nobody could find
 * the result, because another plugin has registered a meta of this name, or has locked a meta
 * of this API that is no #GstCustomMeta
 */
GstStructure *
histo_meta_attach (const GstMetaInfo * info, GstBuffer ** buffer)
{
  GstStructure *structure;
  GstMeta *meta;

  if (info == NULL)
    return NULL;
  *buffer = gst_buffer_make_writable (*buffer);
  meta = remove_earlier (info, *buffer);
  /* gst_buffer_add_custom_meta() does the same, but looks the name up. */
  if (meta == NULL)
    meta = gst_buffer_add_meta (*buffer, info, NULL);
  if (!gst_meta_info_is_custom (meta->info))
    return NULL;
  structure = gst_custom_meta_get_structure ((GstCustomMeta *) meta);
  gst_structure_remove_all_fields (structure);
  return structure;
}

/**
 * histo_write_meta:
 * @name: (nullable): a result-name that can be used
 *
 * Returns: as histo_meta_register()
 */
const GstMetaInfo *
histo_write_meta (const gchar * name)
{
  g_autofree gchar *full = histo_result_meta_name (name);

  return histo_meta_register (full);
}

/* ---- Messages --------------------------------------------------------------------------- */

static void
set_times (GstStructure * structure, const HistoTimes * times)
{
  set_uint64 (structure, FIELD (timestamp), times->timestamp);
  set_uint64 (structure, FIELD (stream_time), times->stream_time);
  set_uint64 (structure, FIELD (running_time), times->running_time);
  set_uint64 (structure, FIELD (duration), times->duration);
}

/**
 * histo_write_message:
 * @structure: (transfer full): a written result; becomes the message's structure
 * @source: of the message
 *
 * Returns: (transfer full): an element message with the fields of the result and the times
 */
GstMessage *
histo_write_message (GstStructure * structure, const HistoTimes * times,
    GstObject * source)
{
  set_times (structure, times);
  return gst_message_new_element (source, structure);
}

/**
 * histo_write_name:
 * @message: of a result, a window or an alert; not posted yet
 * @name: the result-name
 *
 * Writes whose results the message is about.
 */
void
histo_write_name (GstMessage * message, const gchar * name)
{
  set_copied_string (gst_message_writable_structure (message), FIELD (result_name), name);
}

/**
 * histo_write_window:
 * @result: of a window
 * @times: begin and duration of the window
 * @n_buffers: that were measured in the window
 * @source: of the message
 *
 * Returns: (transfer full): an element message with the fields of the result, the number of
 *   buffers, and the times
 */
GstMessage *
histo_write_window (const HistoResult * result, const HistoTimes * times,
    guint64 n_buffers, GstObject * source)
{
  GstStructure *structure = gst_structure_new_empty (HISTO_WINDOW_NAME);

  histo_write_result (result, structure);
  set_times (structure, times);
  set_uint64 (structure, FIELD (buffers), n_buffers);
  return gst_message_new_element (source, structure);
}

/* ---- Alerts ----------------------------------------------------------------------------- */

/* All fields but the times. @alert: (out): empty */
static void
write_event (const HistoAlertEvent * event, GstStructure * alert)
{
  set_string (alert, FIELD (type), histo_alert_names[event->alert]);
  set_string (alert, FIELD (state),
      event->is_end ? HISTO_STATE_END : HISTO_STATE_BEGIN);
  set_copied_string (alert, FIELD (component), event->component);
  set_copied_string (alert, FIELD (channel), event->channel);
  set_copied_string (alert, FIELD (region), event->region);
  set_uint64 (alert, FIELD (start), event->start);
  set_uint64 (alert, FIELD (end), event->end);
  set_double (alert, FIELD (value), event->value);
  set_double (alert, FIELD (threshold), event->threshold);
  if (event->alert != HISTO_ALERT_RULE)
    return;
  set_copied_string (alert, FIELD (rule), event->rule);
  set_copied_string (alert, FIELD (pair), event->pair);
  set_copied_string (alert, FIELD (zone), event->zone);
  set_uint64 (alert, FIELD (value_time), event->value_time);
}

/**
 * histo_write_alerts:
 * @alerts: (element-type HistoAlertEvent) (nullable): those that the buffer of the result has
 * @structure: (inout): of a result; gets no field if there is no alert
 */
void
histo_write_alerts (const GArray * alerts, GstStructure * structure)
{
  GValue array = G_VALUE_INIT;

  if (alerts == NULL || alerts->len == 0)
    return;
  gst_value_array_init (&array, alerts->len);
  for (guint i = 0; i < alerts->len; i++) {
    GstStructure *alert = gst_structure_new_empty (HISTO_ALERT_NAME);

    write_event (&g_array_index (alerts, HistoAlertEvent, i), alert);
    append_structure (&array, alert);
  }
  take_value (structure, FIELD (alerts), &array);
}

/**
 * histo_write_alert:
 * @times: of the buffer with which the alert begins or ends; its duration is not written
 * @source: of the message
 *
 * Returns: (transfer full): an element message about the alert. `duration` is that of the alert
 */
GstMessage *
histo_write_alert (const HistoAlertEvent * event, const HistoTimes * times,
    GstObject * source)
{
  GstStructure *structure = gst_structure_new_empty (HISTO_ALERT_NAME);
  HistoTimes message_times = *times;

  write_event (event, structure);
  message_times.duration = GST_CLOCK_TIME_NONE;
  if (GST_CLOCK_TIME_IS_VALID (event->start)
      && GST_CLOCK_TIME_IS_VALID (event->end) && event->end >= event->start)
    message_times.duration = event->end - event->start;
  set_times (structure, &message_times);
  return gst_message_new_element (source, structure);
}
