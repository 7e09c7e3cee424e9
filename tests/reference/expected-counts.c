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

static void
add_tallies (const HistoPlan * plan, const ReferenceMeasures * measures,
    guint most_rows, guint64 * tallies)
{
  tallies[HISTO_TALLY_BRNG] = measures->signal.n_out_of_range;
  tallies[HISTO_TALLY_TOUT] = measures->signal.n_outliers;
  tallies[HISTO_TALLY_VREP] = measures->signal.n_repeated;
  tallies[HISTO_TALLY_GRADIENT_SUM] = measures->detail.gradient_sum;
  tallies[HISTO_TALLY_GRADIENT_SQUARES] = measures->detail.gradient_squares;
  tallies[HISTO_TALLY_TI_SUM] = measures->detail.ti_sum;
  tallies[HISTO_TALLY_TI_SQUARES] = measures->detail.ti_squares;
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
    guint32 * counters, guint64 * tallies)
{
  const HistoComponent *components = histo_plan_region_components (plan, r);
  const ReferenceRectangle rectangle =
      { region->x, region->y, region->width, region->height };
  ReferenceMeasures measures;

  reference_count (current, previous, &rectangle, groups_of (plan), &measures);
  for (guint i = 0; i < plan->n_region_components; i++) {
    const ReferenceComponent *numbers = numbers_of (&measures, &components[i]);

    g_assert (numbers->counts == NULL || numbers->n_values == components[i].n_values);
    for (guint v = 0; v < numbers->n_values; v++)
      counters[components[i].first_bin + v] += numbers->counts[v];
  }
  if (tallies != NULL)
    add_tallies (plan, &measures, plan->regions[r].height,
        tallies + plan->first_tally[r]);
  reference_measures_clear (&measures);
}

static void
read_tallies (const HistoPlan * plan, guint most_rows, const guint64 * tallies,
    ReferenceMeasures * out)
{
  out->signal.n_out_of_range = tallies[HISTO_TALLY_BRNG];
  out->signal.n_outliers = tallies[HISTO_TALLY_TOUT];
  out->signal.n_repeated = tallies[HISTO_TALLY_VREP];
  out->detail.gradient_sum = tallies[HISTO_TALLY_GRADIENT_SUM];
  out->detail.gradient_squares = tallies[HISTO_TALLY_GRADIENT_SQUARES];
  out->detail.ti_sum = tallies[HISTO_TALLY_TI_SUM];
  out->detail.ti_squares = tallies[HISTO_TALLY_TI_SQUARES];
  if (!histo_plan_has_group (plan, HISTO_GROUP_AREA))
    return;

  tallies += HISTO_N_TALLIES;
  out->area.row_sums = g_memdup2 (tallies, (out->region.height + 1) * sizeof *tallies);
  out->area.column_sums =
      g_memdup2 (tallies + most_rows, out->region.width * sizeof *tallies);
}

void
counted_measures (const HistoPlan * plan, guint r, const HistoRegion * region,
    const HistoCounts * counts, ReferenceMeasures * out)
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
    for (guint v = 0; v < numbers->n_values; v++) {
      const gsize place = components[i].first_bin + v;

      numbers->counts[v] = counts->wide_counters != NULL ?
          counts->wide_counters[place] : counts->counters[place];
      numbers->n += numbers->counts[v];
    }
  }
  if (plan->n_tallies > 0)
    read_tallies (plan, plan->regions[r].height,
        counts->tallies + plan->first_tally[r], out);
}
