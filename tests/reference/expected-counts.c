/* What the counters and tallies of a plan must be, by the reference; see expected-counts.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "expected-counts.h"

/* The numbers that a component of the plan counts. */
static ReferenceComponent *
numbers_of (ReferenceMeasures * measures, const HistoComponent * component)
{
  switch (component->source) {
    case HISTO_SOURCE_SAMPLE:
      return &measures->native[component->native];
    case HISTO_SOURCE_DIFFERENCE:
      return &measures->motion.difference[component->native];
    case HISTO_SOURCE_SATURATION:
      return &measures->signal.saturation;
    case HISTO_SOURCE_HUE:
      return &measures->signal.hue;
    case HISTO_SOURCE_LUMA:
      return &measures->color[0];
    case HISTO_SOURCE_RED:
    case HISTO_SOURCE_GREEN:
    case HISTO_SOURCE_BLUE:
      return &measures->color[component->source - HISTO_SOURCE_RED];
    case HISTO_SOURCE_MAXRGB:
      return &measures->hdr.maxrgb;
    case HISTO_SOURCE_GRADIENT:
      return &measures->detail.gradient;
  }
  g_assert_not_reached ();
}

/* What a joint component counts. */
static ReferenceComponent *
scope_of (ReferenceMeasures * measures, HistoJoint joint)
{
  switch (joint) {
    case HISTO_JOINT_WAVEFORM:
      return &measures->scopes.waveform;
    case HISTO_JOINT_VECTORSCOPE:
      return &measures->scopes.vectorscope;
    case HISTO_JOINT_WAVEFORM_R:
    case HISTO_JOINT_WAVEFORM_G:
    case HISTO_JOINT_WAVEFORM_B:
      return &measures->scopes.parade[joint - HISTO_JOINT_WAVEFORM_R];
    case HISTO_N_JOINTS:
      break;
  }
  g_assert_not_reached ();
}

/* ---- Tallies ----------------------------------------------------------------------------------- */

static const struct
{
  HistoGroup group;
  guint tally, figure;
} tallies_of_pixels[] = {
#define PIXELS(group, tally, figure, ...) \
  {HISTO_GROUP_##group, HISTO_TALLY_##tally, HISTO_GROUP_FIGURE_##group##_##figure},
  HISTO_TALLIES (PIXELS, HISTO_NO_TALLY, HISTO_NO_TALLY, HISTO_NO_TALLY, HISTO_NO_TALLY, HISTO_NO_TALLY)
#undef PIXELS
};

/* Returns: (nullable): the group's shares, if the reference keeps them as a list */
static ReferenceShares *
shares_of (ReferenceMeasures * measures, HistoGroup group)
{
  return group == HISTO_GROUP_SIGNAL ? &measures->signal.shares :
      group == HISTO_GROUP_FIELD ? &measures->field.shares : NULL;
}

/* The reference must count each. */
static void
add_shares (const HistoPlan * plan, ReferenceMeasures * measures, guint64 * tallies)
{
  for (guint i = 0; i < G_N_ELEMENTS (tallies_of_pixels); i++) {
    ReferenceShares *shares = shares_of (measures, tallies_of_pixels[i].group);
    const gchar *name = histo_group_figures[tallies_of_pixels[i].figure].name;
    const guint n = shares != NULL ? shares->n : 0;

    if (shares == NULL || !histo_plan_has_group (plan, tallies_of_pixels[i].group))
      continue;
    tallies[tallies_of_pixels[i].tally] = reference_share (shares, name)->n;
    if (shares->n > n)
      g_error ("the reference does not count %s", name);
  }
}

static void
read_shares (const guint64 * tallies, ReferenceMeasures * out)
{
  for (guint i = 0; i < G_N_ELEMENTS (tallies_of_pixels); i++) {
    ReferenceShares *shares = shares_of (out, tallies_of_pixels[i].group);

    if (shares != NULL)
      reference_share (shares, histo_group_figures[tallies_of_pixels[i].figure].name)->n =
          tallies[tallies_of_pixels[i].tally];
  }
}

#define FIRST_OUT HISTO_TALLY_GAMUT_R
#define FIRST_FILTERED_OUT HISTO_TALLY_FILTERED_R

/* GREATEST_R, LEAST_R, GREATEST_G, … */
#define GREATEST_OF(i) (HISTO_TALLY_GREATEST_R + 2 * (i))
#define LEAST_OF(i) (HISTO_TALLY_LEAST_R + 2 * (i))

static void
add_gamut (const ReferenceMeasures * measures, guint64 * tallies)
{
  for (guint i = 0; i < 5; i++) {
    tallies[FIRST_OUT + i] = measures->gamut.n_out[i];
    tallies[FIRST_FILTERED_OUT + i] = measures->gamut_filter.n_out[i];
  }
  if ((measures->groups & REFERENCE_GROUP_GAMUT) == 0 || measures->region.width == 0
      || measures->region.height == 0)
    return;
  for (guint i = 0; i < 4; i++) {
    tallies[GREATEST_OF (i)] = measures->gamut.greatest[i] + HISTO_GAMUT_BIAS;
    tallies[LEAST_OF (i)] = HISTO_GAMUT_BIAS - measures->gamut.least[i];
  }
}

static void
read_gamut (const guint64 * tallies, ReferenceMeasures * out)
{
  for (guint i = 0; i < 5; i++) {
    out->gamut.n_out[i] = tallies[FIRST_OUT + i];
    out->gamut_filter.n_out[i] = tallies[FIRST_FILTERED_OUT + i];
  }
  for (guint i = 0; i < 4; i++) {
    out->gamut.greatest[i] = (gint64) tallies[GREATEST_OF (i)] - HISTO_GAMUT_BIAS;
    out->gamut.least[i] = HISTO_GAMUT_BIAS - (gint64) tallies[LEAST_OF (i)];
  }
}

static void
add_flash (const ReferenceFlash * flash, guint64 * tallies)
{
  tallies[HISTO_TALLY_LUMINANCE_SUM] = flash->luminance.sum;
  tallies[HISTO_TALLY_LUMINANCE_AREA] = flash->luminance.n_area;
  tallies[HISTO_TALLY_LUMINANCE_UP] = flash->luminance.n_up;
  tallies[HISTO_TALLY_LUMINANCE_DOWN] = flash->luminance.n_down;
  tallies[HISTO_TALLY_RED_SUM] = flash->red.sum;
  tallies[HISTO_TALLY_RED_AREA] = flash->red.n_area;
  tallies[HISTO_TALLY_RED_UP] = flash->red.n_up;
  tallies[HISTO_TALLY_RED_DOWN] = flash->red.n_down;
}

static void
read_flash (const guint64 * tallies, ReferenceFlash * out)
{
  out->luminance.sum = tallies[HISTO_TALLY_LUMINANCE_SUM];
  out->luminance.n_area = tallies[HISTO_TALLY_LUMINANCE_AREA];
  out->luminance.n_up = tallies[HISTO_TALLY_LUMINANCE_UP];
  out->luminance.n_down = tallies[HISTO_TALLY_LUMINANCE_DOWN];
  out->red.sum = tallies[HISTO_TALLY_RED_SUM];
  out->red.n_area = tallies[HISTO_TALLY_RED_AREA];
  out->red.n_up = tallies[HISTO_TALLY_RED_UP];
  out->red.n_down = tallies[HISTO_TALLY_RED_DOWN];
}

static void
add_cells (const ReferenceFlash * flash, guint64 * numbers)
{
  G_STATIC_ASSERT (G_N_ELEMENTS (flash->cells) == HISTO_N_CELLS);

  for (guint i = 0; i < HISTO_N_CELLS; i++, numbers += HISTO_N_CELL_TALLIES) {
    numbers[HISTO_CELL_PIXELS] = flash->cells[i].n_pixels;
    numbers[HISTO_CELL_LUMINANCE] = flash->cells[i].luminance;
    numbers[HISTO_CELL_LUMINANCE_AREA] = flash->cells[i].luminance_area;
    numbers[HISTO_CELL_RED] = flash->cells[i].red;
    numbers[HISTO_CELL_RED_AREA] = flash->cells[i].red_area;
  }
}

static void
add_field (const ReferenceField * field, guint64 * tallies)
{
  for (guint odd = 0; odd < 2; odd++) {
    tallies[HISTO_TALLY_PREVIOUS_EVEN + odd] = field->previous[odd];
    tallies[HISTO_TALLY_NEXT_EVEN + odd] = field->next[odd];
    tallies[HISTO_TALLY_CURRENT_EVEN + odd] = field->current[odd];
    tallies[HISTO_TALLY_CHANGE_EVEN + odd] = field->change[odd];
  }
}

static void
read_field (const guint64 * tallies, ReferenceField * out)
{
  for (guint odd = 0; odd < 2; odd++) {
    out->previous[odd] = tallies[HISTO_TALLY_PREVIOUS_EVEN + odd];
    out->next[odd] = tallies[HISTO_TALLY_NEXT_EVEN + odd];
    out->current[odd] = tallies[HISTO_TALLY_CURRENT_EVEN + odd];
    out->change[odd] = tallies[HISTO_TALLY_CHANGE_EVEN + odd];
  }
}

/* Whether tallies have the greatest R, G and B. Those of HLG are light, which no component has; of other RGB the samples
 * have them, and of other YUV the components of the group color. */
static gboolean
keeps_greatest (const HistoPlan * plan)
{
  const GstVideoInfo *info = &plan->format->video;

  return histo_plan_has_group (plan, HISTO_GROUP_HDR)
      && (info->colorimetry.transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67
      || (!GST_VIDEO_INFO_IS_RGB (info) && !histo_plan_has_group (plan, HISTO_GROUP_COLOR)));
}

static void
add_greatest (const HistoPlan * plan, const ReferenceHdr * hdr, guint64 * tallies)
{
  for (guint i = 0; i < 3 && keeps_greatest (plan); i++)
    tallies[HISTO_TALLY_GREATEST_RED + i] = hdr->greatest[i] + 1;
}

/* The components must have been read. */
static void
read_greatest (const HistoPlan * plan, const ReferenceColor * color, const guint64 * tallies, ReferenceMeasures * out)
{
  if (!histo_plan_has_group (plan, HISTO_GROUP_HDR) || out->hdr.maxrgb.n == 0)
    return;
  for (guint i = 0; i < 3; i++) {
    const ReferenceComponent *counted = color->family == REFERENCE_RGB ? &out->native[i] : &out->color[i];
    gint64 *greatest = &out->hdr.greatest[i];

    if (keeps_greatest (plan)) {
      *greatest = (gint64) tallies[HISTO_TALLY_GREATEST_RED + i] - 1;
      continue;
    }
    *greatest = reference_component_highest (counted);
    if (color->family == REFERENCE_RGB)
      *greatest = reference_color_full_range (color,
          reference_color_scale (color, *greatest, plan->format->components[i].depth));
  }
}

static void
add_tallies (const HistoPlan * plan, ReferenceMeasures * measures,
    guint most_rows, guint64 * tallies)
{
  add_shares (plan, measures, tallies);
  tallies[HISTO_TALLY_GRADIENT_SUM] = measures->detail.gradient_sum;
  tallies[HISTO_TALLY_GRADIENT_SQUARES] = measures->detail.gradient_squares;
  tallies[HISTO_TALLY_TI_SUM] = measures->detail.ti_sum;
  tallies[HISTO_TALLY_TI_SQUARES] = measures->detail.ti_squares;
  add_greatest (plan, &measures->hdr, tallies);
  add_gamut (measures, tallies);
  add_flash (&measures->flash, tallies);
  add_field (&measures->field, tallies);
  if (!histo_plan_has_group (plan, HISTO_GROUP_AREA))
    return;

  tallies += HISTO_N_TALLIES;
  for (guint y = 0; y < measures->region.height; y++)
    tallies[y] = measures->area.row_sums[y];
  for (guint x = 0; x < measures->region.width; x++)
    tallies[most_rows + x] = measures->area.column_sums[x];
}

static ReferenceGroups
groups_of (const HistoPlan * plan)
{
  static const struct
  {
    HistoGroup plans;
    ReferenceGroups references;
  } groups[] = {
    {HISTO_GROUP_SIGNAL, REFERENCE_GROUP_SIGNAL},
    {HISTO_GROUP_MOTION, REFERENCE_GROUP_MOTION},
    {HISTO_GROUP_COLOR, REFERENCE_GROUP_COLOR},
    {HISTO_GROUP_HDR, REFERENCE_GROUP_HDR},
    {HISTO_GROUP_DETAIL, REFERENCE_GROUP_DETAIL},
    {HISTO_GROUP_AREA, REFERENCE_GROUP_AREA},
    {HISTO_GROUP_GAMUT, REFERENCE_GROUP_GAMUT},
    {HISTO_GROUP_GAMUT_FILTER, REFERENCE_GROUP_GAMUT_FILTER},
    {HISTO_GROUP_FLASH, REFERENCE_GROUP_FLASH},
    {HISTO_GROUP_FIELD, REFERENCE_GROUP_FIELD},
    {HISTO_GROUP_SCOPES, REFERENCE_GROUP_SCOPES},
  };
  ReferenceGroups flags = 0;

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    if (histo_plan_has_group (plan, groups[i].plans))
      flags |= groups[i].references;
  return flags;
}

void
expected_counts (const HistoPlan * plan, guint r, const HistoRegion * region,
    const ReferencePicture * current, const ReferencePicture * previous,
    guint32 * counters, guint64 * tallies, guint32 * joints)
{
  const ReferenceGroups groups = groups_of (plan);
  const HistoComponent *components = histo_plan_region_components (plan, r);
  const ReferenceRectangle rectangle =
      { region->x, region->y, region->width, region->height };
  ReferenceMeasures measures;

  reference_count (current, previous, &rectangle,
      r == 0 ? groups : groups & ~REFERENCE_GROUP_SCOPES, &measures);
  for (guint j = 0; r == 0 && j < plan->n_joints; j++) {
    const ReferenceComponent *numbers = scope_of (&measures, plan->joints[j]);

    g_assert (numbers->n_values == HISTO_SCOPE_BINS);
    for (guint v = 0; v < numbers->n_values; v++)
      joints[j * HISTO_SCOPE_BINS + v] += numbers->counts[v];
  }
  for (guint i = 0; i < plan->n_region_components; i++) {
    const ReferenceComponent *numbers = numbers_of (&measures, &components[i]);

    g_assert (numbers->counts == NULL || numbers->n_values == components[i].n_values);
    for (guint v = 0; v < numbers->n_values; v++)
      counters[components[i].first_bin + v] += numbers->counts[v];
  }
  g_assert (measures.hdr.light.n_values == plan->n_light_bins);
  for (guint bin = 0; bin < plan->n_light_bins; bin++)
    counters[histo_plan_first_light_bin (plan, r) + bin] += measures.hdr.light.counts[bin];
  if (tallies != NULL)
    add_tallies (plan, &measures, plan->regions[r].height,
        tallies + plan->first_tally[r]);
  if (r == 0 && histo_plan_has_group (plan, HISTO_GROUP_FLASH))
    add_cells (&measures.flash, tallies + plan->first_cell);
  reference_measures_clear (&measures);
}

static void
read_tallies (const HistoPlan * plan, const ReferenceColor * color, guint most_rows, const guint64 * tallies,
    ReferenceMeasures * out)
{
  read_shares (tallies, out);
  out->detail.gradient_sum = tallies[HISTO_TALLY_GRADIENT_SUM];
  out->detail.gradient_squares = tallies[HISTO_TALLY_GRADIENT_SQUARES];
  out->detail.ti_sum = tallies[HISTO_TALLY_TI_SUM];
  out->detail.ti_squares = tallies[HISTO_TALLY_TI_SQUARES];
  read_greatest (plan, color, tallies, out);
  read_gamut (tallies, out);
  read_flash (tallies, &out->flash);
  read_field (tallies, &out->field);
  if (!histo_plan_has_group (plan, HISTO_GROUP_AREA))
    return;

  tallies += HISTO_N_TALLIES;
  out->area.row_sums = g_memdup2 (tallies, (out->region.height + 1) * sizeof *tallies);
  out->area.column_sums =
      g_memdup2 (tallies + most_rows, out->region.width * sizeof *tallies);
}

static void
read_counters (const HistoCounts * counts, gsize first, ReferenceComponent * numbers)
{
  for (guint v = 0; v < numbers->n_values; v++) {
    numbers->counts[v] = counts->wide_counters != NULL ?
        counts->wide_counters[first + v] : counts->counters[first + v];
    numbers->n += numbers->counts[v];
  }
}

void
counted_measures (const HistoPlan * plan, guint r, const HistoRegion * region,
    const ReferenceColor * color, const HistoCounts * counts, ReferenceMeasures * out)
{
  const HistoComponent *components = histo_plan_region_components (plan, r);

  memset (out, 0, sizeof *out);
  out->region = (ReferenceRectangle) { region->x, region->y, region->width, region->height };
  out->groups = groups_of (plan);
  if (counts->n_with_previous == 0)
    out->groups &= ~REFERENCE_GROUP_MOTION;
  out->n_frames = counts->n_frames;
  out->n_with_previous = counts->n_with_previous;
  out->n_native = plan->format->n_components;
  for (guint i = 0; i < plan->n_region_components; i++) {
    ReferenceComponent *numbers = numbers_of (out, &components[i]);

    reference_component_init (numbers, components[i].name, components[i].n_values);
    read_counters (counts, components[i].first_bin, numbers);
  }
  if (plan->n_light_bins > 0) {
    reference_component_init (&out->hdr.light, NULL, REFERENCE_N_LIGHT_BINS);
    read_counters (counts, histo_plan_first_light_bin (plan, r), &out->hdr.light);
  }
  if (plan->n_tallies > 0)
    read_tallies (plan, color, plan->regions[r].height,
        counts->tallies + plan->first_tally[r], out);
}
