/* Writes what is measured of one region: its components and its groups.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/write-region.h"

#include "result/write-audio.h"
#include "result/write-fields.h"

#include <math.h>

/* Constant after histo_write_region_init(). */
static HistoFigureField figure_fields[HISTO_N_FIGURES];
static FieldName group_names[HISTO_N_GROUPS];
static struct
{
  HistoGroup group;
  FieldName name;
  guint16 offset;
} group_fields[HISTO_N_GROUP_FIGURES];

/* To be called once, before all else here. */
void
histo_write_region_init (void)
{
  histo_write_fields_of_figures (figure_fields, histo_figures,
      HISTO_N_FIGURES);
  for (guint g = 0; g < HISTO_N_GROUPS; g++)
    group_names[g] = FIELD_NAME (histo_groups[g].name);
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    group_fields[i].group = histo_group_figures[i].group;
    group_fields[i].name = FIELD_NAME (histo_group_figures[i].name);
    group_fields[i].offset = histo_group_figures[i].offset;
  }
}

/* ---- Components ----------------------------------------------------------------------- */

static GstStructure *
make_component (const HistoComponentResult * component)
{
  GstStructure *structure = new_structure (COMPONENT_NAME (component));

  for (guint i = 0; i < HISTO_N_FIGURES; i++)
    set_figure (structure, &figure_fields[i], &component->figures);
  if (component->histogram != NULL)
    set_boxed (structure, FIELD (histogram),
        G_TYPE_BYTES, g_bytes_ref (component->histogram));
  return structure;
}

static void
write_component (const HistoComponentResult * component,
    GstStructure * structure)
{
  set_boxed (structure, COMPONENT_NAME (component), GST_TYPE_STRUCTURE,
      make_component (component));
}

static void
write_channel (const HistoResult * result, guint channel,
    GstStructure * structure)
{
  const HistoComponentResult *component = &result->components[channel];
  GstStructure *made = make_component (component);

  histo_write_level (result, channel, made);
  set_boxed (structure, COMPONENT_NAME (component), GST_TYPE_STRUCTURE, made);
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

static void
write_area (const HistoGroupFigures * figures, GstStructure * structure)
{
  set_int (structure, FIELD (x), figures->area_x);
  set_int (structure, FIELD (y), figures->area_y);
  set_int (structure, FIELD (width),
      figures->area_width);
  set_int (structure, FIELD (height),
      figures->area_height);
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
      write_component (&components[i], structure);
  }
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const gdouble figure = *(const gdouble *)
        G_STRUCT_MEMBER_P (figures, group_fields[i].offset);

    if (group_fields[i].group == group && !isnan (figure))
      set_double (structure, group_fields[i].name, figure);
  }
  if (group == HISTO_GROUP_SIGNAL && figures->n_bits_used > 0)
    write_bits_used (figures, structure);
  if (group == HISTO_GROUP_AREA)
    write_area (figures, structure);
  return structure;
}

/* The group `motion` is absent without a previous frame. */
static void
write_groups (const HistoResult * result, guint region,
    GstStructure * structure)
{
  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
    if (histo_result_has_group (result, g) && !histo_groups[g].is_audio
        && (g != HISTO_GROUP_MOTION || result->regions[region].has_motion))
      set_boxed (structure, group_names[g], GST_TYPE_STRUCTURE,
          make_group (result, region, g));
  }
}

/* ---- Regions ------------------------------------------------------------------------------ */

/* Writes the names of the components, their structures, and the groups of a region. Audio has
 * one region, which has all channels. */
void
histo_write_region (const HistoResult * result, guint region,
    GstStructure * structure)
{
  const HistoComponentResult *components =
      histo_result_region_components (result, region);
  guint n_native = 0;

  while (n_native < result->n_region_components
      && components[n_native].group == HISTO_GROUP_BASIC)
    n_native++;
  write_names (components, n_native, structure);
  for (guint i = 0; i < n_native; i++) {
    if (histo_result_has_group (result, HISTO_GROUP_LEVEL))
      write_channel (result, i, structure);
    else
      write_component (&components[i], structure);
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

  set_copied_string (structure, FIELD (name),
      region->name);
  set_int (structure, FIELD (x), region->x);
  set_int (structure, FIELD (y), region->y);
  set_int (structure, FIELD (width), region->width);
  set_int (structure, FIELD (height), region->height);
  histo_write_region (result, number, structure);
  return structure;
}

/* Writes the array of all regions but the whole picture. There is one at least. */
void
histo_write_regions (const HistoResult * result, GstStructure * structure)
{
  GValue array = G_VALUE_INIT;

  gst_value_array_init (&array, result->n_regions - 1);
  for (guint r = 1; r < result->n_regions; r++) {
    GValue region = G_VALUE_INIT;

    g_value_init (&region, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&region, make_region (result, r));
    gst_value_array_append_and_take_value (&array, &region);
  }
  take_value (structure, FIELD (regions), &array);
}
