/* Adds summaries of several inputs up; see summary.h.
 *
 * Streams are matched by their place among the streams of their medium: the first video of an input
 * with the first video of the others.
 *
 * The summaries may come from anywhere, so a sum may be too large. Sums are at most G_MAXINT64, the
 * greatest integer that JSON has here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gio/gio.h>
#include <math.h>

#include "summary.h"

/* @sum: (inout): at most %G_MAXINT64 */
static gboolean
add (guint64 * sum, guint64 number, const gchar * what, GError ** error)
{
  if (*sum > G_MAXINT64 || number > G_MAXINT64 - *sum) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "the sum of the %s is too large", what);
    return FALSE;
  }
  *sum += number;
  return TRUE;
}

static gboolean
merge_range (ReportRange * all, const ReportRange * range, GError ** error)
{
  if (range->n == 0)
    return TRUE;
  all->min = all->n == 0 ? range->min : MIN (all->min, range->min);
  all->max = all->n == 0 ? range->max : MAX (all->max, range->max);
  all->sum += range->sum;
  all->last = range->last;
  return add (&all->n, range->n, "results", error);
}

/* No counter of a component is greater than its number of samples. */
static gboolean
check_counts (const HistoFigures * all, const HistoFigures * figures,
    GError ** error)
{
  guint64 count = all->count;

  return add (&count, figures->count, "samples", error);
}

static gboolean
merge_component (ReportRegion * all, const ReportComponent * component,
    guint hint, GError ** error)
{
  ReportComponent *found = report_region_find_bins (all, component->name,
      component->group, &component->figures, hint);

  if (found == NULL)
    found = report_region_add_component (all, component->name,
        component->group, component->figures.bins,
        component->figures.range_min, component->figures.range_max);
  if (!check_counts (&found->figures, &component->figures, error))
    return FALSE;
  report_component_add_figures (found, &component->figures);
  for (guint i = 0; i < component->figures.bins; i++)
    found->counts[i] += component->counts[i];
  return merge_range (&found->means, &component->means, error);
}

/* Inputs may have been measured with other regions.
 *
 * @hint: where it probably is
 * Returns: (nullable): the region with this name; NULL of the whole picture is one, too */
static ReportRegion *
find_region (const ReportStreamSummary * all, const gchar * name, guint hint)
{
  for (guint i = 0; i < all->regions->len; i++) {
    ReportRegion *region = all->regions->pdata[(hint + i) % all->regions->len];

    if (g_strcmp0 (region->name, name) == 0)
      return region;
  }
  return NULL;
}

static gboolean
merge_region (ReportStreamSummary * all, const ReportRegion * region, guint r,
    GError ** error)
{
  ReportRegion *found = find_region (all, region->name, r);

  if (found == NULL) {
    found = report_stream_summary_add_region (all, region->name);
    found->x = region->x;
    found->y = region->y;
    found->width = region->width;
    found->height = region->height;
  }
  for (guint i = 0; i < region->components->len; i++) {
    if (!merge_component (found, region->components->pdata[i], i, error))
      return FALSE;
  }
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    if (!merge_range (&found->figures[i], &region->figures[i], error))
      return FALSE;
  }
  found->n_bits_used = MAX (found->n_bits_used, region->n_bits_used);
  for (guint i = 0; i < region->n_bits_used; i++)
    found->bits_used[i] = MAX (found->bits_used[i], region->bits_used[i]);
  report_region_add_area (found, region->area_x, region->area_y,
      region->area_width, region->area_height);
  return TRUE;
}

static gboolean
merge_channel (ReportChannel * all, const ReportChannel * channel,
    GError ** error)
{
  for (guint i = 0; i < HISTO_N_LEVEL_FIGURES; i++) {
    if (!merge_range (&all->levels[i], &channel->levels[i], error))
      return FALSE;
  }
  for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++)
    all->arrays[i] = fmax (all->arrays[i], channel->arrays[i]);
  return TRUE;
}

static gboolean
merge_sound (ReportStreamSummary * all, const ReportStreamSummary * summary,
    GError ** error)
{
  report_stream_summary_set_channels (all, summary->n_channels);
  for (guint c = 0; c < MIN (all->n_channels, summary->n_channels); c++) {
    if (!merge_channel (&all->channels[c], &summary->channels[c], error))
      return FALSE;
  }
  for (guint i = 0; i < HISTO_N_LOUDNESS_FIGURES; i++) {
    if (!merge_range (&all->loudness[i], &summary->loudness[i], error))
      return FALSE;
  }
  for (guint i = 0; summary->momentary != NULL && i < REPORT_N_LOUDNESS_BINS;
      i++) {
    if (!add (&all->momentary[i], summary->momentary[i], "blocks", error)
        || !add (&all->short_term[i], summary->short_term[i], "blocks", error))
      return FALSE;
  }
  return TRUE;
}

static void
merge_alerts (ReportStreamSummary * all, const ReportStreamSummary * summary,
    const gchar * input)
{
  for (guint i = 0; i < summary->alerts->len; i++) {
    const ReportAlert *alert = summary->alerts->pdata[i];
    ReportAlert *added = report_stream_summary_add_alert (all, alert->alert,
        alert->place);

    added->start = alert->start;
    added->end = alert->end;
    added->value = alert->value;
    added->threshold = alert->threshold;
    added->input = g_strdup (alert->input != NULL ? alert->input : input);
  }
}

/* The times of several inputs: from 0 on, one after the other. */
static gboolean
merge_times (ReportStreamSummary * all, const ReportStreamSummary * summary,
    GError ** error)
{
  if (!GST_CLOCK_TIME_IS_VALID (summary->start))
    return TRUE;
  if (!GST_CLOCK_TIME_IS_VALID (all->start))
    all->start = all->end = 0;
  return add (&all->end, summary->end - summary->start, "lengths", error);
}

static gboolean
merge_stream (ReportStreamSummary * all, const ReportStreamSummary * summary,
    const gchar * input, GError ** error)
{
  all->is_merged = TRUE;
  all->groups |= summary->groups;
  all->backend = summary->backend != NULL ? summary->backend : all->backend;
  if (!add (&all->n_results, summary->n_results, "results", error)
      || !add (&all->n_samples, summary->n_samples, "samples", error)
      || !merge_times (all, summary, error))
    return FALSE;
  for (guint r = 0; r < summary->regions->len; r++) {
    if (!merge_region (all, summary->regions->pdata[r], r, error))
      return FALSE;
  }
  if (summary->stream->is_audio && !merge_sound (all, summary, error))
    return FALSE;
  merge_alerts (all, summary, input);
  return TRUE;
}

/* Returns: the summary of the stream with this place among those of its medium */
static ReportStreamSummary *
find_stream (ReportSummary * all, const ReportStreamSummary * summary,
    guint place)
{
  guint before = 0;

  for (guint i = 0; i < all->streams->len; i++) {
    ReportStreamSummary *found = all->streams->pdata[i];

    if (found->stream->is_audio == summary->stream->is_audio
        && before++ == place)
      return found;
  }
  return report_summary_add_stream (all, summary->stream);
}

static gboolean
merge_lengths (ReportSummary * all, const ReportSummary * summary,
    GError ** error)
{
  if (!add (&all->n_inputs, summary->n_inputs, "inputs", error))
    return FALSE;
  all->seconds += summary->seconds;
  if (!GST_CLOCK_TIME_IS_VALID (summary->duration))
    all->duration = GST_CLOCK_TIME_NONE;
  return !GST_CLOCK_TIME_IS_VALID (all->duration)
      || add (&all->duration, summary->duration, "lengths", error);
}

/**
 * report_summary_merge:
 * @all: (inout): from report_summary_new(), and its earlier calls; to be finished at the end
 * @summary: of an input, finished; or of merged inputs
 *
 * Returns: FALSE with a %G_IO_ERROR if a sum is too large; then @all is of no use any more
 */
gboolean
report_summary_merge (ReportSummary * all, const ReportSummary * summary,
    GError ** error)
{
  guint n_of_medium[2] = { 0, 0 };

  if (all->streams->len == 0) {
    all->n_inputs = 0;
    all->is_complete = TRUE;
    all->duration = 0;
  }
  all->is_complete = all->is_complete && summary->is_complete;
  all->alerts |= summary->alerts;
  for (guint i = 0; i < summary->problems->len; i++) {
    ReportProblem problem = *(ReportProblem *) summary->problems->pdata[i];

    problem.text = g_strdup_printf ("%s: %s", summary->name, problem.text);
    report_summary_add_problem (all, &problem);
    g_free (problem.text);
  }
  if (!merge_lengths (all, summary, error))
    return FALSE;
  for (guint i = 0; i < summary->streams->len; i++) {
    const ReportStreamSummary *stream = summary->streams->pdata[i];
    const guint place = n_of_medium[stream->stream->is_audio ? 1 : 0]++;

    if (!merge_stream (find_stream (all, stream, place), stream,
            summary->name, error))
      return FALSE;
  }
  return TRUE;
}
