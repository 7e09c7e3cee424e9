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

static void
forget_flashes (HistoRunning * running)
{
  for (guint r = 0; r < running->n_regions; r++)
    histo_counter_flash_forget (&running->regions[r].counter_flash);
  for (guint q = 0; q < HISTO_N_FLASHES; q++) {
    for (guint r = 0; r < running->n_regions; r++)
      histo_flash_forget (&running->regions[r].flashes[q]);
    for (guint z = 0; z < HISTO_N_ZONES; z++)
      histo_flash_forget (&running->zones[z][q]);
  }
}

/* Frees what the running values hold and leaves them as after histo_running_init(). */
void
histo_running_clear (HistoRunning * running)
{
  forget_flashes (running);
  g_clear_pointer (&running->plan, histo_plan_unref);
  g_free (running->regions);
  g_free (running->histograms);
  histo_running_init (running);
}

/* ---- Restarts ------------------------------------------------------------------------- */

/* What is counted by time begins anew. */
static void
forget_times (HistoRunning * running)
{
  forget_flashes (running);
  for (guint r = 0; r < running->n_regions; r++)
    histo_cadence_forget (&running->regions[r].cadence);
}

/* What follows from a row of frames begins anew. */
static void
forget_neighbours (HistoRunning * running)
{
  running->clock.is_running = FALSE;
  forget_times (running);
  for (guint r = 0; r < running->n_regions; r++)
    histo_fields_forget (&running->regions[r].fields);
}

/* The next buffer has no previous one. */
static void
forget_previous (HistoRunning * running)
{
  running->has_histograms = FALSE;
  for (guint r = 0; r < running->n_regions; r++)
    running->regions[r].previous_mafd = 0;
  forget_neighbours (running);
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
    forget_flashes (running);
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

/* ---- The clock ------------------------------------------------------------------------ */

/* More than any figure looks back. */
#define MOST_STEP (10 * GST_SECOND)

static guint64
distance (guint64 a, guint64 b)
{
  return a > b ? a - b : b - a;
}

/* The time between two buffers: by stream time, else by timestamp, else by the frame rate. In reverse playback times go
 * back. Returns: FALSE if it is unknown */
static gboolean
find_step (const HistoPlan * plan, const HistoTimes * a, const HistoTimes * b, guint64 * step)
{
  if (GST_CLOCK_TIME_IS_VALID (a->stream_time)
      && GST_CLOCK_TIME_IS_VALID (b->stream_time))
    *step = distance (a->stream_time, b->stream_time);
  else if (GST_CLOCK_TIME_IS_VALID (a->timestamp)
      && GST_CLOCK_TIME_IS_VALID (b->timestamp))
    *step = distance (a->timestamp, b->timestamp);
  else
    return (*step = histo_format_frame_duration (plan->format)) > 0;
  *step = MIN (*step, MOST_STEP);
  return TRUE;
}

/* Returns: FALSE if it is not known how much time has passed: nothing can be counted by time */
static gboolean
advance_clock (HistoClock * clock, const HistoPlan * plan, const HistoTimes * times)
{
  const gboolean ok = find_step (plan, times,
      clock->is_running ? &clock->previous : times, &clock->step);

  if (!ok || !clock->is_running)
    clock->step = 0;
  clock->time += clock->step;
  clock->previous = *times;
  clock->is_running = TRUE;
  return ok;
}

/* ---- One buffer ----------------------------------------------------------------------- */

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
    /* FFmpeg's scdet (libavfilter/vf_scdet.c): a scene change is a large difference that the previous frame did not have.
     * In percent. */
    figures->MOTION_scene_score = CLAMP (MIN (figures->MOTION_mafd,
            fabs (figures->MOTION_mafd - values->previous_mafd)), 0, 100);
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

static void
pass_cadence (HistoCadence * cadence, const HistoClock * clock,
    HistoGroupFigures * figures)
{
  guint period, n_unique;

  figures->MOTION_cadence_period = figures->MOTION_cadence_unique = NAN;
  if (isnan (figures->MOTION_repeat))
    return;
  period = histo_cadence_pass (cadence, figures->MOTION_repeat != 0, clock->time,
      clock->step, &n_unique);
  if (period == 0)
    return;
  figures->MOTION_cadence_period = period;
  figures->MOTION_cadence_unique = n_unique;
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

/* ---- Flashes -------------------------------------------------------------------------- */

/* @areas: of luminance and of red
 * @zone: (out): what follows for both */
static void
pass_areas (HistoFlash * flashes, const HistoFlashArea * areas,
    const HistoClock * clock, HistoZone * zone)
{
  for (guint q = 0; q < HISTO_N_FLASHES; q++)
    histo_flash_pass (&flashes[q], q, &areas[q], clock->time, clock->step);
  zone->transitions = flashes[HISTO_FLASHES_OF_LUMINANCE].n_transitions;
  zone->red_transitions = flashes[HISTO_FLASHES_OF_RED].n_transitions;
  zone->state = MAX (flashes[HISTO_FLASHES_OF_LUMINANCE].state,
      flashes[HISTO_FLASHES_OF_RED].state);
}

static void
pass_flash (HistoRunning * running, guint r, const HistoCounts * counts,
    HistoGroupFigures * figures)
{
  const HistoPlan *plan = running->plan;
  const HistoRegion *rect = &plan->regions[r];
  const guint64 n_pixels = (guint64) rect->width * rect->height;
  const guint64 *tallies = &counts->tallies[plan->first_tally[r]];
  const HistoFlashArea areas[HISTO_N_FLASHES] = {
    [HISTO_FLASHES_OF_LUMINANCE] = {n_pixels, tallies[HISTO_TALLY_LUMINANCE_SUM],
        tallies[HISTO_TALLY_LUMINANCE_AREA]},
    [HISTO_FLASHES_OF_RED] = {n_pixels, tallies[HISTO_TALLY_RED_SUM],
        tallies[HISTO_TALLY_RED_AREA]},
  };
  HistoZone all;

  if (n_pixels == 0)
    return;
  pass_areas (running->regions[r].flashes, areas, &running->clock, &all);
  figures->FLASH_transitions = all.transitions;
  figures->FLASH_red_transitions = all.red_transitions;
  figures->FLASH_state = all.state;
  figures->FLASH_counter = histo_counter_flash_pass (&running->regions[r].counter_flash, figures->FLASH_up,
      figures->FLASH_down, running->clock.time, running->clock.step);
}

static void
add_cell (HistoFlashArea * areas, const guint64 * cell)
{
  HistoFlashArea *luminance = &areas[HISTO_FLASHES_OF_LUMINANCE];
  HistoFlashArea *red = &areas[HISTO_FLASHES_OF_RED];

  luminance->n_pixels += cell[HISTO_CELL_PIXELS];
  luminance->sum += cell[HISTO_CELL_LUMINANCE];
  luminance->n_changed += cell[HISTO_CELL_LUMINANCE_AREA];
  red->n_pixels += cell[HISTO_CELL_PIXELS];
  red->sum += cell[HISTO_CELL_RED];
  red->n_changed += cell[HISTO_CELL_RED_AREA];
}

/* Zone @z has 2 x 2 cells, and each zone has two cells in common with its neighbours. */
static void
pass_zone (HistoRunning * running, guint z, const guint64 * cells,
    HistoZone * zone)
{
  const guint first = z / HISTO_ZONES_ACROSS * HISTO_CELLS_ACROSS + z % HISTO_ZONES_ACROSS;
  HistoFlashArea areas[HISTO_N_FLASHES] = { {0,} };

  for (guint i = 0; i < 2; i++) {
    const guint64 *cell =
        &cells[(first + i * HISTO_CELLS_ACROSS) * HISTO_N_CELL_TALLIES];

    add_cell (areas, cell);
    add_cell (areas, cell + HISTO_N_CELL_TALLIES);
  }
  pass_areas (running->zones[z], areas, &running->clock, zone);
}

/* ---- Fields --------------------------------------------------------------------------- */

static void
set_sums (HistoGroupFigures * figures, const HistoFieldSums * sums)
{
  figures->FIELD_previous_even = sums->previous[0];
  figures->FIELD_previous_odd = sums->previous[1];
  figures->FIELD_next_even = sums->next[0];
  figures->FIELD_next_odd = sums->next[1];
  figures->FIELD_current_even = sums->current[0];
  figures->FIELD_current_odd = sums->current[1];
  figures->FIELD_change_even = sums->change[0];
  figures->FIELD_change_odd = sums->change[1];
}

/* The result has no sums of fields and no decisions. */
static void
drop_field (HistoGroupFigures * figures)
{
  static const HistoFieldSums none = {
    {NAN, NAN}, {NAN, NAN}, {NAN, NAN}, {NAN, NAN}
  };

  set_sums (figures, &none);
  figures->FIELD_single = figures->FIELD_multi = figures->FIELD_repeated = NAN;
}

/* A frame is decided when the next one has come: so the result has the sums of the frame before. */
static void
pass_field (HistoFields * fields, HistoGroupFigures * figures)
{
  HistoFieldSums sums = fields->sums;
  HistoFieldDecision decision;

  fields->sums = (HistoFieldSums) {
    .previous = {figures->FIELD_previous_even, figures->FIELD_previous_odd},
    .next = {figures->FIELD_next_even, figures->FIELD_next_odd},
    .current = {figures->FIELD_current_even, figures->FIELD_current_odd},
    .change = {figures->FIELD_change_even, figures->FIELD_change_odd},
  };
  if (isnan (figures->FIELD_current_even) || !fields->has_sums) {
    fields->has_sums = !isnan (figures->FIELD_current_even);
    drop_field (figures);
    return;
  }
  memcpy (sums.next, fields->sums.next, sizeof sums.next);
  histo_fields_decide (fields, &sums, &decision);
  set_sums (figures, &sums);
  figures->FIELD_single = decision.single;
  figures->FIELD_multi = decision.multi;
  figures->FIELD_repeated = decision.repeated;
}

/* ---- All ------------------------------------------------------------------------------ */

/**
 * histo_running_pass:
 * @buffer: the next one. The running values of its result are set for the picture and the fixed regions; its plan is
 * referenced
 *
 * The regions that the buffer's metas describe have no running values: nothing connects those
 * of one buffer with those of the next one.
 *
 * Returns: FALSE if there is no memory. The next buffer is then as the first one of a stream
 */
gboolean
histo_running_pass (HistoRunning * running, const HistoPassing * buffer,
    GError ** error)
{
  const HistoPlan *plan = buffer->plan;
  const HistoCounts *counts = buffer->counts;
  HistoResult *result = buffer->result;
  gboolean has_time;

  if ((plan->groups & HISTO_RUNNING_GROUPS) == 0)
    return TRUE;
  if (running->plan != plan && !set_plan (running, plan, error))
    return FALSE;
  if (histo_plan_has_group (plan, HISTO_GROUP_MOTION))
    histo_plan_join_halves (plan, counts);
  if (counts->n_with_previous == 0)
    forget_neighbours (running);
  has_time = advance_clock (&running->clock, plan, buffer->times);
  if (!has_time)
    forget_times (running);
  for (guint r = 0; r < running->n_regions; r++) {
    HistoRunningValues *values = &running->regions[r];
    HistoGroupFigures *figures = &result->regions[r].figures;

    if (histo_plan_has_group (plan, HISTO_GROUP_MOTION)) {
      pass_motion (running, r, counts->counters, &result->regions[r]);
      if (has_time)
        pass_cadence (&values->cadence, &running->clock, figures);
    }
    if (histo_plan_has_group (plan, HISTO_GROUP_HDR))
      pass_hdr (values, figures);
    if (histo_plan_has_group (plan, HISTO_GROUP_FIELD))
      pass_field (&values->fields, figures);
  }
  if (has_time && histo_plan_has_group (plan, HISTO_GROUP_FLASH)) {
    HistoGroupFigures *picture = &result->regions[0].figures;

    for (guint r = 0; r < running->n_regions; r++)
      pass_flash (running, r, counts, &result->regions[r].figures);
    for (guint z = 0; z < HISTO_N_ZONES; z++)
      pass_zone (running, z, &counts->tallies[plan->first_cell], &picture->zones[z]);
    picture->n_zones = HISTO_N_ZONES;
  }
  for (guint r = running->n_regions; r < result->n_regions; r++)
    drop_field (&result->regions[r].figures);
  running->has_histograms = running->n_compared > 0;
  return TRUE;
}
