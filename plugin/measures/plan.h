/* What to count where: regions × components → offsets of counters.
 *
 * A plan is made once for each format and its settings. Both engines allocate their
 * counters from it and fill one array of counters, which statistics.h reads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_PLAN_H
#define HISTO_PLAN_H

#include "measures/binning.h"
#include "measures/measures.h"
#include "media/region.h"

G_BEGIN_DECLS

/* Constant once made; shared between threads by reference counts.
 *
 * Component i has its counters at counters[components[i].first_bin]: of video one for each
 * value, 2^depth; of audio one for each bin of the settings. Of audio component i has
 * totals[i] as well. */
typedef struct
{
  gint ref_count;
  HistoFormat *format;

  /* The bins of the result: one HistoBins for each component of video, a single one for all
   * channels of audio. See histo_plan_bins(). */
  guint n_bin_sets;
  HistoBins *bins;

  guint n_regions;
  HistoRegion *regions;         /* regions[0] is the whole picture */
  guint n_components;
  HistoComponent *components;   /* region by region; the native ones of the picture first */
  gboolean has_source[HISTO_N_SOURCES]; /* whether any component has this source */
  gsize n_counters;             /* guint32 each */
} HistoPlan;

/* The raw counts of one buffer, as the plan describes them. */
typedef struct
{
  const guint32 *counters;      /* n_counters */
  const HistoTotals *totals;    /* audio only: one for each channel */
  guint64 n_samples;            /* audio only: of one channel */
} HistoCounts;

HistoPlan *histo_plan_new (HistoFormat * format,
    const HistoBinSettings * settings);
HistoPlan *histo_plan_ref (HistoPlan * plan);
void histo_plan_unref (HistoPlan * plan);

/* The bins of the component's result. */
static inline const HistoBins *
histo_plan_bins (const HistoPlan * plan, guint component)
{
  return &plan->bins[plan->format->is_audio ? 0 : component];
}

/* The counters that one component has. */
static inline guint
histo_plan_component_counters (const HistoPlan * plan,
    const HistoComponent * component)
{
  return plan->format->is_audio ? plan->bins->binning.n_bins :
      1u << component->depth;
}

G_END_DECLS

#endif /* HISTO_PLAN_H */
