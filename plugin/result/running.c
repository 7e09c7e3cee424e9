/* Running values; see running.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/running.h"

#include <math.h>

/* @running: (out): no buffer has passed */
void
histo_running_init (HistoRunning * running)
{
  memset (running, 0, sizeof *running);
}

/* Frees what the running values hold and leaves them as after histo_running_init(). */
void
histo_running_clear (HistoRunning * running)
{
  g_clear_pointer (&running->plan, histo_plan_unref);
  g_free (running->regions);
  g_free (running->histograms);
  histo_running_init (running);
}

/* ---- Restarts ------------------------------------------------------------------------- */

/* The next buffer has no previous one. */
static void
forget_previous (HistoRunning * running)
{
  running->has_histograms = FALSE;
  for (guint r = 0; r < running->n_regions; r++)
    running->regions[r].previous_mafd = 0;
}

static void
forget_maxima (HistoRunning * running)
{
  for (guint r = 0; r < running->n_regions; r++) {
    HistoRunningValues *values = &running->regions[r];

    values->max_cll = values->max_fall = NAN;
    values->max_cll_p9999 = values->max_fall_p9999 = NAN;
  }
}

/**
 * histo_running_restart:
 * @reason: the greatest reason since the previous buffer
 *
 * Every reason makes the next buffer one without a previous buffer. Other caps and a flush also
 * begin the maxima of light anew. A discontinuity does not: the programme goes on.
 */
void
histo_running_restart (HistoRunning * running, HistoRestart reason)
{
  if (reason >= HISTO_RESTART_DISCONTINUITY)
    forget_previous (running);
  if (reason >= HISTO_RESTART_CAPS)
    forget_maxima (running);
}

/* ---- Another plan --------------------------------------------------------------------- */

/* Makes room for the histograms of @plan that are compared. Without the group `motion` none
 * is. Returns: FALSE if there is no memory */
static gboolean
prepare_histograms (HistoRunning * running, const HistoPlan * plan)
{
  const HistoFormat *format = plan->format;

  running->n_compared = 0;
  running->n_counters = 0;
  if (histo_plan_has_group (plan, HISTO_GROUP_MOTION))
    running->n_compared = histo_format_n_luma (format);
  g_assert (running->n_compared <= format->n_components);
  for (guint i = 0; i < running->n_compared; i++)
    running->n_counters += plan->components[i].n_values;
  g_free (running->histograms);
  running->histograms =
      g_try_new (guint32, running->n_counters * running->n_regions);
  return running->histograms != NULL || running->n_counters == 0;
}

/* The settings may change without other caps. The maxima go on if the regions are the same. */
static gboolean
set_plan (HistoRunning * running, const HistoPlan * plan, GError ** error)
{
  HistoPlan *old = running->plan;
  gboolean ok;
  const gboolean goes_on = old != NULL && histo_plan_has_same_regions (old, plan);

  running->plan = histo_plan_ref ((HistoPlan *) plan);
  if (!goes_on) {
    running->n_regions = 1 + plan->n_fixed;
    g_free (running->regions);
    running->regions = g_new0 (HistoRunningValues, running->n_regions);
    forget_maxima (running);
  }
  forget_previous (running);
  ok = prepare_histograms (running, plan);
  g_clear_pointer (&old, histo_plan_unref);
  if (ok)
    return TRUE;
  histo_running_clear (running);
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "No memory for the histograms of the previous frame");
  return FALSE;
}

/* ---- One buffer ----------------------------------------------------------------------- */

/* FFmpeg's scdet (libavfilter/vf_scdet.c): a scene change is a large difference that the previous
 * frame did not have. In percent. */
static gdouble
scene_score (gdouble mafd, gdouble previous_mafd)
{
  return CLAMP (MIN (mafd, fabs (mafd - previous_mafd)), 0, 100);
}

/* The distances to the previous histograms: of RGB the mean of those of R, G and B. */
static void
set_distances (const HistoRunning * running, guint r, const guint32 * counters,
    HistoGroupFigures * figures)
{
  const HistoComponent *components =
      histo_plan_region_components (running->plan, r);
  const guint32 *previous = &running->histograms[r * running->n_counters];
  HistoDistances sum = { 0, };

  for (guint i = 0; i < running->n_compared; i++) {
    HistoDistances distances;

    histo_distances_find (&distances, counters + components[i].first_bin,
        previous, components[i].n_values);
    sum.chi2 += distances.chi2;
    sum.bhattacharyya += distances.bhattacharyya;
    sum.emd += distances.emd;
    previous += components[i].n_values;
  }
  figures->MOTION_histogram_chi2 = sum.chi2 / running->n_compared;
  figures->MOTION_histogram_bhattacharyya =
      sum.bhattacharyya / running->n_compared;
  figures->MOTION_histogram_emd = sum.emd / running->n_compared;
}

static void
pass_motion (HistoRunning * running, guint r, const guint32 * counters,
    HistoRegionResult * result)
{
  const HistoComponent *first = histo_plan_region_components (running->plan, r);
  HistoRunningValues *values = &running->regions[r];
  HistoGroupFigures *figures = &result->figures;

  figures->MOTION_scene_score = figures->MOTION_histogram_chi2 = NAN;
  figures->MOTION_histogram_bhattacharyya = figures->MOTION_histogram_emd = NAN;
  /* Without pixels mafd is NaN. */
  if (result->has_motion && !isnan (figures->MOTION_mafd)) {
    figures->MOTION_scene_score =
        scene_score (figures->MOTION_mafd, values->previous_mafd);
    values->previous_mafd = figures->MOTION_mafd;
    if (running->has_histograms)
      set_distances (running, r, counters, figures);
  } else {
    values->previous_mafd = 0;
  }
  /* The compared components are the first ones of a region, so their counters are adjacent. */
  memcpy (&running->histograms[r * running->n_counters],
      counters + first->first_bin,
      running->n_counters * sizeof *running->histograms);
}

/* fmax() leaves NaN out. */
static void
pass_hdr (HistoRunningValues * values, HistoGroupFigures * figures)
{
  values->max_cll = fmax (values->max_cll, figures->HDR_max);
  values->max_fall = fmax (values->max_fall, figures->HDR_fall);
  values->max_cll_p9999 = fmax (values->max_cll_p9999, figures->HDR_p9999);
  values->max_fall_p9999 = fmax (values->max_fall_p9999, figures->fall_p9999);
  figures->HDR_max_cll = values->max_cll;
  figures->HDR_max_fall = values->max_fall;
  figures->HDR_max_cll_p9999 = values->max_cll_p9999;
  figures->HDR_max_fall_p9999 = values->max_fall_p9999;
}

/**
 * histo_running_pass:
 * @plan: by which @counts and @result were made; referenced
 * @result: (inout): of the next buffer; its running values are set for the picture and the fixed
 * regions
 *
 * The regions that the buffer's metas describe have no running values: nothing connects those
 * of one buffer with those of the next one.
 *
 * Returns: FALSE if there is no memory. The next buffer is then as the first one of a stream
 */
gboolean
histo_running_pass (HistoRunning * running, const HistoPlan * plan,
    const HistoCounts * counts, HistoResult * result, GError ** error)
{
  if ((plan->groups & HISTO_RUNNING_GROUPS) == 0)
    return TRUE;
  if (running->plan != plan && !set_plan (running, plan, error))
    return FALSE;
  if (histo_plan_has_group (plan, HISTO_GROUP_MOTION))
    histo_plan_join_halves (plan, counts);
  for (guint r = 0; r < running->n_regions; r++) {
    if (histo_plan_has_group (plan, HISTO_GROUP_MOTION))
      pass_motion (running, r, counts->counters, &result->regions[r]);
    if (histo_plan_has_group (plan, HISTO_GROUP_HDR))
      pass_hdr (&running->regions[r], &result->regions[r].figures);
  }
  running->has_histograms = running->n_compared > 0;
  return TRUE;
}
