/* From the counts of a buffer to its result, in plain C.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/fill.h"

#include "measures/groups.h"

/* ---- One component --------------------------------------------------------------------- */

/* @counts: (transfer full): n_bins counts in the host's byte order
 * @is_wide: whether they have 64 bits. If none needs them, the histogram has 32 bits for each */
static GBytes *
histogram_bytes (gpointer counts, guint n_bins, gboolean is_wide)
{
  guint64 *wide = counts;
  guint32 *narrow = counts;
  guint64 any = 0;

  if (is_wide) {
    for (guint i = 0; i < n_bins; i++)
      any |= wide[i];
    if (any > G_MAXUINT32) {
      for (guint i = 0; i < n_bins; i++)
        wide[i] = GUINT64_TO_LE (wide[i]);
      return g_bytes_new_take (wide, n_bins * sizeof *wide);
    }
    narrow = g_new (guint32, n_bins);
    for (guint i = 0; i < n_bins; i++)
      narrow[i] = (guint32) wide[i];
    g_free (wide);
  }
  for (guint i = 0; i < n_bins; i++)
    narrow[i] = GUINT32_TO_LE (narrow[i]);
  return g_bytes_new_take (narrow, n_bins * sizeof *narrow);
}

static void
fill_component (HistoComponentResult * result, const HistoPlan * plan,
    guint number, const HistoCounts * counts, gboolean with_histogram)
{
  const HistoComponent *component = &plan->components[number];
  const HistoBins *bins = histo_plan_bins (plan, number);
  const guint n_bins = bins->binning.n_bins;
  const gboolean is_wide = counts->wide_counters != NULL;
  gpointer binned = !with_histogram ? NULL :
      g_malloc_n (n_bins, is_wide ? sizeof (guint64) : sizeof (guint32));
  HistoHistogram histogram;

  histo_plan_open_histogram (plan, component, counts, &histogram);
  if (plan->format->is_audio) {
    histo_statistics_from_totals (&result->figures, &counts->totals[number],
        counts->wide_sums != NULL ? &counts->wide_sums[number] : NULL,
        plan->format->sample.kind == HISTO_AUDIO_FLOAT, &histogram, bins);
    histo_histogram_sort (&histogram, bins, binned, NULL, NULL);
  } else {
    histo_statistics_from_native (&result->figures, &histogram, bins, binned);
  }
  if (with_histogram)
    result->histogram = histogram_bytes (binned, n_bins, is_wide);
  if (bins->given_edges != NULL)
    result->edges = g_bytes_ref (bins->given_edges);
}

/* ---- All components and regions ----------------------------------------------------------- */

static gboolean
has_histogram (const HistoComponent * component, HistoHistograms histograms)
{
  return histograms == HISTO_HISTOGRAMS_ALL
      || (histograms == HISTO_HISTOGRAMS_PICTURE && component->region == 0);
}

/* Returns: the bytes of all histograms of a buffer's result. Of the regions that metas describe it
 * counts those for which the plan has room */
guint64
histo_result_histogram_bytes (const HistoPlan * plan,
    HistoHistograms histograms)
{
  guint64 n_bins = 0;

  for (guint i = 0; i < plan->n_components; i++) {
    if (has_histogram (&plan->components[i], histograms))
      n_bins += histo_plan_bins (plan, i)->binning.n_bins;
  }
  if (histograms != HISTO_HISTOGRAMS_NONE)
    n_bins += histo_plan_joint_counters (plan);
  return n_bins * sizeof (guint32);
}

static void
fill_components (HistoResult * result, const HistoPlan * plan,
    const HistoCounts * counts, guint n_regions, HistoHistograms histograms)
{
  result->n_region_components = plan->n_region_components;
  histo_result_set_n_components (result, n_regions * plan->n_region_components);
  for (guint i = 0; i < result->n_components; i++) {
    const HistoComponent *component = &plan->components[i];
    HistoComponentResult *filled = &result->components[i];
    const gboolean with_histogram = has_histogram (component, histograms);

    filled->name = component->name;
    filled->quark = component->quark;
    filled->group = component->group;
    filled->source = component->source;
    filled->native = component->native;
    /* Floats have none, nor have components of groups. */
    if (component->group != HISTO_GROUP_BASIC)
      filled->depth = 0;
    else if (!plan->format->is_audio)
      filled->depth = component->depth;
    else
      filled->depth = plan->format->sample.kind == HISTO_AUDIO_FLOAT ? 0 : plan->format->sample.depth;
    if (component->group == HISTO_GROUP_MOTION && counts->n_with_previous == 0)
      memset (&filled->figures, 0, sizeof filled->figures);
    else
      fill_component (filled, plan, i, counts, with_histogram);
  }
}

static void
fill_joints (HistoResult * result, const HistoPlan * plan,
    const HistoCounts * counts, HistoHistograms histograms)
{
  for (guint j = 0; j < plan->n_joints; j++) {
    HistoComponentResult *filled =
        histo_result_add_joint (result, plan->joints[j]);
    const guint64 *wide = counts->wide_joints == NULL ? NULL :
        counts->wide_joints + (gsize) j * HISTO_SCOPE_BINS;
    const guint32 *narrow =
        wide != NULL ? NULL : histo_plan_join_joint (counts, j);
    guint64 count = 0;

    /* Each in a loop of its own, of which the compiler makes vectors. */
    for (guint bin = 0; wide != NULL && bin < HISTO_SCOPE_BINS; bin++)
      count += wide[bin];
    for (guint bin = 0; narrow != NULL && bin < HISTO_SCOPE_BINS; bin++)
      count += narrow[bin];
    filled->figures.count = count;
    if (histograms == HISTO_HISTOGRAMS_NONE)
      continue;
    filled->histogram = histogram_bytes (wide != NULL ?
        g_memdup2 (wide, HISTO_SCOPE_BINS * sizeof *wide) :
        g_memdup2 (narrow, HISTO_SCOPE_BINS * sizeof *narrow),
        HISTO_SCOPE_BINS, wide != NULL);
  }
}

static void
fill_regions (HistoResult * result, const HistoPlan * plan,
    const HistoCounts * counts, const HistoFrameInfo * info, guint n_regions)
{
  histo_result_set_n_regions (result, n_regions);
  for (guint r = 0; r < n_regions; r++) {
    HistoRegionResult *region = &result->regions[r];

    region->region = *histo_plan_region (plan, info, r);
    region->is_roi = r > plan->n_fixed;
    region->has_motion = histo_plan_has_group (plan, HISTO_GROUP_MOTION)
        && counts->n_with_previous > 0;
    histo_groups_fill (&region->figures, plan, counts, r, &region->region);
  }
}

/**
 * histo_result_fill:
 * @result: all zero, or of an earlier buffer
 * @counts: of one buffer, or the sums of a window, counted by this @plan
 * @info: (nullable): the regions of the buffer's metas; NULL: none
 * @backend: static string: which engine counted
 *
 * Figures that depend on earlier buffers are left out: the temporal stage adds them. It also sets
 * the levels and the loudness. Loudness that is not set is not written.
 */
void
histo_result_fill (HistoResult * result, const HistoPlan * plan,
    const HistoCounts * counts, const HistoFrameInfo * info,
    const gchar * backend, HistoHistograms histograms)
{
  static const HistoFrameInfo no_info = { 0, };
  const HistoFormat *format = plan->format;
  guint n_regions = 1;

  if (info == NULL)
    info = &no_info;
  result->is_audio = format->is_audio;
  result->format = histo_format_name (format);
  result->colorimetry = format->colorimetry;
  result->backend = backend;
  result->groups = plan->groups;
  result->mask = NULL;
  histo_result_set_n_pairs (result, 0);
  if (format->is_audio) {
    result->rate = GST_AUDIO_INFO_RATE (&format->audio);
    result->channels = format->n_components;
    result->n_samples = counts->n_samples;
    histo_result_set_n_regions (result, 0);
    if (histo_plan_has_group (plan, HISTO_GROUP_LEVEL))
      histo_result_set_n_levels (result, format->n_components);
    if (histo_plan_has_group (plan, HISTO_GROUP_LOUDNESS))
      memset (&result->loudness, 0, sizeof result->loudness);
  } else {
    result->width = format->width;
    result->height = format->height;
    if (plan->mask != NULL) {
      result->mask = plan->mask->is_alpha ? HISTO_MASK_ALPHA : HISTO_MASK_FILE;
      result->mask_pixels = counts->n_pixels[0];
    }
    n_regions = histo_plan_used_regions (plan, info);
    fill_regions (result, plan, counts, info, n_regions);
  }
  fill_components (result, plan, counts, n_regions, histograms);
  fill_joints (result, plan, counts, histograms);
}
