/* Makes plans: regions × components → offsets of counters.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/plan.h"

static void
add_region (HistoPlan * plan, GArray * components, guint region)
{
  const guint first = components->len;

  histo_measures_list_components (plan->format, components);
  for (guint i = first; i < components->len; i++) {
    HistoComponent *component = &g_array_index (components, HistoComponent, i);

    component->region = region;
    plan->has_source[component->source] = TRUE;
    component->first_bin = plan->n_counters;
    plan->n_counters += histo_plan_component_counters (plan, component);
  }
}

/* The kernels count the samples of video at the format's offsets, so the plan's must be the same. */
static void
check_native_offsets (const HistoPlan * plan)
{
  if (plan->format->is_audio)
    return;
  for (guint i = 0; i < plan->format->n_components; i++)
    g_assert (plan->components[i].first_bin ==
        plan->format->components[i].first_bin);
}

/**
 * histo_plan_new:
 * @format: referenced
 * @settings: valid ones
 *
 * Returns: (transfer full): the plan for buffers of this format
 */
HistoPlan *
histo_plan_new (HistoFormat * format, const HistoBinSettings * settings)
{
  HistoPlan *plan = g_new0 (HistoPlan, 1);
  GArray *components = g_array_new (FALSE, TRUE, sizeof (HistoComponent));

  plan->ref_count = 1;
  plan->format = histo_format_ref (format);
  plan->n_regions = 1;
  plan->regions = g_new0 (HistoRegion, plan->n_regions);
  plan->regions[0].width = format->width;
  plan->regions[0].height = format->height;
  if (format->is_audio) {
    plan->n_bin_sets = 1;
    plan->bins = g_new0 (HistoBins, 1);
    histo_bins_init (plan->bins, format, 0, settings);
  }
  for (guint region = 0; region < plan->n_regions; region++)
    add_region (plan, components, region);
  plan->n_components = components->len;
  plan->components = (HistoComponent *) g_array_free (components, FALSE);
  check_native_offsets (plan);
  if (!format->is_audio) {
    plan->n_bin_sets = plan->n_components;
    plan->bins = g_new0 (HistoBins, plan->n_bin_sets);
    for (guint i = 0; i < plan->n_components; i++)
      histo_bins_init (&plan->bins[i], format, plan->components[i].depth,
          settings);
  }
  return plan;
}

HistoPlan *
histo_plan_ref (HistoPlan * plan)
{
  g_atomic_int_inc (&plan->ref_count);
  return plan;
}

void
histo_plan_unref (HistoPlan * plan)
{
  if (!g_atomic_int_dec_and_test (&plan->ref_count))
    return;
  for (guint i = 0; i < plan->n_bin_sets; i++)
    histo_bins_clear (&plan->bins[i]);
  g_free (plan->bins);
  g_free (plan->regions);
  g_free (plan->components);
  histo_format_unref (plan->format);
  g_free (plan);
}
