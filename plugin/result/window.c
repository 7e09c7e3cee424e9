/* A window: the sum of the counts of its buffers; see window.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/window.h"

#include <math.h>

#include "result/fill.h"

/* @window: (out): no window is open */
void
histo_window_init (HistoWindow * window)
{
  memset (window, 0, sizeof *window);
}

/* Drops the open window, if there is one. */
void
histo_window_clear (HistoWindow * window)
{
  g_clear_pointer (&window->plan, histo_plan_unref);
  g_free (window->counters);
  g_free (window->joints);
  g_free (window->tallies);
  g_free (window->wide_tallies);
  g_free (window->totals);
  g_free (window->wide_sums);
  g_free (window->n_pixels);
  g_free (window->running);
  histo_window_init (window);
}

gboolean
histo_window_is_open (const HistoWindow * window)
{
  return window->plan != NULL;
}

/* There is a segment before the next buffer: if that one lies before the latest one, it begins another
 * window. */
void
histo_window_interrupt (HistoWindow * window)
{
  window->is_interrupted = TRUE;
}

/* ---- Which buffers belong to a window ------------------------------------------------- */

static guint64
index_of (guint64 stream_time, guint64 length)
{
  return GST_CLOCK_TIME_IS_VALID (stream_time) ? stream_time / length :
      HISTO_NO_INDEX;
}

/* A seek or a segment has gone back. Reverse playback goes back without a segment. */
static gboolean
has_gone_back (const HistoWindow * window, guint64 stream_time)
{
  return window->is_interrupted && GST_CLOCK_TIME_IS_VALID (stream_time)
      && GST_CLOCK_TIME_IS_VALID (window->latest)
      && stream_time < window->latest;
}

/**
 * histo_window_has_place:
 * @length: the setting, in ns; 0: there are to be no windows
 *
 * A buffer without stream time belongs to the open window. So does a buffer that is the first one
 * with stream time.
 *
 * Returns: whether no other window is open. If one is, it must be finished before the buffer is
 * added.
 */
gboolean
histo_window_has_place (const HistoWindow * window,
    const HistoPassing * buffer, guint64 length)
{
  const guint64 stream_time = buffer->times->stream_time;
  guint64 index;

  if (!histo_window_is_open (window))
    return TRUE;
  if (length != window->length || has_gone_back (window, stream_time)
      || (buffer->plan != window->plan
          && !histo_plan_is_alike (buffer->plan, window->plan)))
    return FALSE;
  index = index_of (stream_time, length);
  return index == window->index || index == HISTO_NO_INDEX
      || window->index == HISTO_NO_INDEX;
}

/* ---- Opening -------------------------------------------------------------------------- */

/* The regions that metas describe come last, so that their counters and tallies do, too. */
static void
count_sums (HistoWindow * window)
{
  const HistoPlan *plan = window->plan;

  window->n_regions = plan->format->is_audio ? 0 : 1 + plan->n_fixed;
  window->n_counters = plan->n_counters;
  window->n_tallies = plan->n_tallies;
  if (plan->n_rois == 0)
    return;
  window->n_counters =
      histo_plan_region_components (plan, window->n_regions)->first_bin;
  if (plan->n_tallies > 0)
    window->n_tallies = plan->first_tally[window->n_regions];
}

/* Makes room for the sums. */
static gboolean
allocate (HistoWindow * window)
{
  const gsize n_counters = window->n_counters, n_tallies = window->n_tallies;
  const gsize n_joints = histo_plan_joint_counters (window->plan);

  window->counters = g_try_new0 (guint64, n_counters);
  window->joints = g_try_new0 (guint64, n_joints);
  window->tallies = g_try_new0 (guint64, n_tallies);
  window->wide_tallies =
      g_new0 (unsigned __int128, window->n_regions * HISTO_N_TALLIES);
  if (window->plan->mask != NULL)
    window->n_pixels = g_new0 (guint64, window->n_regions);
  return (n_counters == 0 || window->counters != NULL)
      && (n_joints == 0 || window->joints != NULL)
      && (n_tallies == 0 || window->tallies != NULL);
}

static gboolean
open_window (HistoWindow * window, const HistoPlan * plan, guint64 length,
    GError ** error)
{
  window->plan = histo_plan_ref ((HistoPlan *) plan);
  window->length = length;
  window->index = HISTO_NO_INDEX;
  window->times.timestamp = window->times.stream_time =
      window->times.running_time = GST_CLOCK_TIME_NONE;
  window->latest = window->end = GST_CLOCK_TIME_NONE;
  count_sums (window);
  if (!allocate (window)) {
    histo_window_clear (window);
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "No memory for the sums of a window");
    return FALSE;
  }
  window->running = g_new (HistoGroupFigures, window->n_regions);
  for (guint r = 0; r < window->n_regions; r++)
    histo_groups_clear (&window->running[r]);
  return TRUE;
}

/* ---- Adding --------------------------------------------------------------------------- */

/* Blocks of a constant length are added in vectors. */
#define BLOCK 32

static void
add_counters (guint64 * restrict sums, const guint32 * restrict counters,
    gsize n)
{
  gsize i = 0;

  for (; i + BLOCK <= n; i += BLOCK) {
    for (guint j = 0; j < BLOCK; j++)
      sums[i + j] += counters[i + j];
  }
  for (; i < n; i++)
    sums[i] += counters[i];
}

/* The counters of differences of a frame without a previous one are not valid. */
static void
add_histograms (HistoWindow * window, const HistoCounts * counts)
{
  const HistoPlan *plan = window->plan;
  const guint n_components = window->n_regions * plan->n_region_components;

  histo_plan_join_halves (plan, counts);
  for (guint j = 0; j < plan->n_joints; j++)
    add_counters (window->joints + (gsize) j * HISTO_SCOPE_BINS,
        histo_plan_join_joint (counts, j), HISTO_SCOPE_BINS);
  if (plan->format->is_audio || counts->n_with_previous > 0
      || !histo_plan_has_group (plan, HISTO_GROUP_MOTION)) {
    add_counters (window->counters, counts->counters, window->n_counters);
    return;
  }
  for (guint i = 0; i < n_components; i++) {
    const HistoComponent *component = &plan->components[i];

    if (component->source != HISTO_SOURCE_DIFFERENCE)
      add_counters (window->counters + component->first_bin,
          counts->counters + component->first_bin, component->n_values);
  }
  for (guint r = 0; r < window->n_regions && plan->n_light_bins > 0; r++) {
    const gsize first = histo_plan_first_light_bin (plan, r);

    add_counters (window->counters + first, counts->counters + first, plan->n_light_bins);
  }
}

static void
add_lines (guint64 * restrict sums, const guint64 * restrict added, gsize n)
{
  gsize i = 0;

  for (; i + BLOCK <= n; i += BLOCK) {
    for (guint j = 0; j < BLOCK; j++)
      sums[i + j] += added[i + j];
  }
  for (; i < n; i++)
    sums[i] += added[i];
}

static void
add_tallies (HistoWindow * window, const HistoCounts * counts)
{
  const HistoPlan *plan = window->plan;

  if (window->n_tallies == 0)
    return;
  for (guint r = 0; r < window->n_regions; r++) {
    const gsize first = plan->first_tally[r];
    const gsize lines = first + HISTO_N_TALLIES;
    const gsize end = r + 1 < window->n_regions ? plan->first_tally[r + 1] :
        window->n_tallies;

    for (guint tally = 0; tally < HISTO_N_TALLIES; tally++) {
      unsigned __int128 *sum =
          &window->wide_tallies[r * HISTO_N_TALLIES + tally];
      const guint64 value = counts->tallies[first + tally];

      if (histo_tallies[tally].needs_previous && counts->n_with_previous == 0)
        continue;
      if (histo_tallies[tally].kind == HISTO_TALLY_IS_GREATEST)
        *sum = MAX (*sum, value);
      else if (histo_tallies[tally].kind == HISTO_TALLY_IS_SIGNED)
        *sum += (__int128) (gint64) value;
      else
        *sum += value;
    }
    add_lines (window->tallies + lines, counts->tallies + lines, end - lines);
  }
}

/* @sum, @other: a sum and what rounding has left out of it */
static void
add_float_sum (gdouble sum[2], const gdouble other[2])
{
  histo_add_compensated (sum, other[0]);
  sum[1] += other[1];
}

/* The sums of integers are in the wide sums. */
static void
add_channel (HistoTotals * sum, const HistoTotals * totals)
{
  sum->min = MIN (sum->min, totals->min);
  sum->max = MAX (sum->max, totals->max);
  add_float_sum (sum->float_sum, totals->float_sum);
  add_float_sum (sum->float_square, totals->float_square);
  sum->float_min = MIN (sum->float_min, totals->float_min);
  sum->float_max = MAX (sum->float_max, totals->float_max);
  sum->underflow += totals->underflow;
  sum->overflow += totals->overflow;
  sum->nan += totals->nan;
  sum->inf += totals->inf;
}

static void
add_totals (HistoWindow * window, const HistoCounts * counts)
{
  const guint n = window->plan->format->n_components;

  if (!window->plan->format->is_audio)
    return;
  if (window->totals == NULL) {
    window->totals = g_memdup2 (counts->totals, n * sizeof *counts->totals);
    window->wide_sums = g_new0 (HistoWideSums, n);
  } else {
    for (guint c = 0; c < n; c++)
      add_channel (&window->totals[c], &counts->totals[c]);
  }
  for (guint c = 0; c < n; c++)
    histo_wide_sums_add (&window->wide_sums[c], &counts->totals[c]);
}

/* The figures that do not follow from the sums. fmax() leaves NaN out. */
static void
add_running (HistoWindow * window, const HistoResult * result)
{
  if (result == NULL || (window->plan->groups & HISTO_RUNNING_GROUPS) == 0)
    return;
  for (guint r = 0; r < window->n_regions; r++) {
    for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
      const HistoGroupFigureInfo *info = &histo_group_figures[i];
      const gdouble figure =
          G_STRUCT_MEMBER (gdouble, &result->regions[r].figures, info->offset);
      gdouble *running =
          &G_STRUCT_MEMBER (gdouble, &window->running[r], info->offset);

      switch (info->window) {
        case HISTO_WINDOW_SUMS:
          break;
        case HISTO_WINDOW_GREATEST:
          *running = fmax (*running, figure);
          break;
        case HISTO_WINDOW_LATEST:
          *running = figure;
          break;
      }
    }
    for (guint z = 0; z < result->regions[r].figures.n_zones; z++) {
      for (guint f = 0; f < HISTO_N_ZONE_FIGURES; f++) {
        const gsize offset = histo_zone_figures[f].offset;
        guint *greatest = &G_STRUCT_MEMBER (guint, &window->running[r].zones[z], offset);

        *greatest = MAX (*greatest, G_STRUCT_MEMBER (guint, &result->regions[r].figures.zones[z], offset));
      }
    }
    window->running[r].n_zones = MAX (window->running[r].n_zones, result->regions[r].figures.n_zones);
  }
}

static void
add_times (HistoWindow * window, const HistoPassing * buffer)
{
  const HistoTimes *times = buffer->times;

  if (window->n_buffers == 0
      || (GST_CLOCK_TIME_IS_VALID (times->stream_time)
          && (!GST_CLOCK_TIME_IS_VALID (window->times.stream_time)
              || times->stream_time < window->times.stream_time)))
    window->times = *times;
  if (GST_CLOCK_TIME_IS_VALID (times->stream_time))
    window->latest = GST_CLOCK_TIME_IS_VALID (window->latest) ?
        MAX (window->latest, times->stream_time) : times->stream_time;
  if (GST_CLOCK_TIME_IS_VALID (buffer->end))
    window->end = GST_CLOCK_TIME_IS_VALID (window->end) ?
        MAX (window->end, buffer->end) : buffer->end;
  /* An unknown duration is the greatest number. So is a sum that would be too large. */
  window->duration = times->duration < GST_CLOCK_TIME_NONE - window->duration ?
      window->duration + times->duration : GST_CLOCK_TIME_NONE;
}

/**
 * histo_window_add:
 * @buffer: histo_window_has_place() for it
 * @length: of the window, in ns; not 0
 *
 * Adds the counts of a buffer to the open window. Opens one if none is open.
 *
 * Returns: FALSE if there is no memory to open one
 */
gboolean
histo_window_add (HistoWindow * window, const HistoPassing * buffer,
    guint64 length, GError ** error)
{
  const HistoCounts *counts = buffer->counts;

  if (!histo_window_is_open (window)
      && !open_window (window, buffer->plan, length, error))
    return FALSE;
  if (window->index == HISTO_NO_INDEX)
    window->index = index_of (buffer->times->stream_time, length);
  window->is_interrupted = FALSE;
  add_histograms (window, counts);
  add_tallies (window, counts);
  add_totals (window, counts);
  add_running (window, buffer->result);
  add_times (window, buffer);
  for (guint r = 0; r < window->n_regions && window->n_pixels != NULL; r++)
    window->n_pixels[r] += counts->n_pixels[r];
  window->n_frames += counts->n_frames;
  window->n_with_previous += counts->n_with_previous;
  window->n_samples += counts->n_samples;
  window->backend = buffer->backend;
  window->n_buffers++;
  return TRUE;
}

/* ---- Finishing ------------------------------------------------------------------------ */

static void
set_running (const HistoWindow * window, HistoResult * result)
{
  for (guint r = 0; r < window->n_regions; r++) {
    HistoGroupFigures *figures = &result->regions[r].figures;

    for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
      const HistoGroupFigureInfo *info = &histo_group_figures[i];
      const gdouble value =
          G_STRUCT_MEMBER (gdouble, &window->running[r], info->offset);

      if (!isnan (value))
        G_STRUCT_MEMBER (gdouble, figures, info->offset) = value;
    }
    figures->n_zones = window->running[r].n_zones;
    memcpy (figures->zones, window->running[r].zones, sizeof figures->zones);
  }
}

/**
 * histo_window_finish:
 * @window: an open one; closed
 * @histograms: which regions carry histograms
 * @result: (inout): as for histo_result_fill(). Its texts are those of the window's plan, to which the caller
 *   must have a reference
 * @times: (out): of the earliest buffer; the duration reaches to the end of the latest one. Without
 *   stream time it is the sum of the buffers' durations.
 * @n_buffers: (out): in the window
 *
 * The scene score, the distances of histograms, and transitions and states of flashes, also of the zones, are the
 * greatest ones of the window. The greatest light values so far, the cadence and the decisions about fields are those
 * of the latest buffer. Regions that metas describe are not part of windows.
 */
void
histo_window_finish (HistoWindow * window, HistoHistograms histograms,
    HistoResult * result, HistoTimes * times, guint64 * n_buffers)
{
  const HistoCounts counts = {
    .wide_counters = window->counters,
    .wide_joints = window->joints,
    .tallies = window->tallies,
    .wide_tallies = window->wide_tallies,
    .n_pixels = window->n_pixels,
    .n_frames = window->n_frames,
    .n_with_previous = window->n_with_previous,
    .totals = window->totals,
    .wide_sums = window->wide_sums,
    .n_samples = window->n_samples,
  };

  histo_result_fill (result, window->plan, &counts, NULL, window->backend,
      histograms);
  set_running (window, result);
  *times = window->times;
  times->duration = window->duration;
  if (GST_CLOCK_TIME_IS_VALID (times->stream_time)
      && GST_CLOCK_TIME_IS_VALID (window->end)
      && window->end >= times->stream_time)
    times->duration = window->end - times->stream_time;
  *n_buffers = window->n_buffers;
  histo_window_clear (window);
}
