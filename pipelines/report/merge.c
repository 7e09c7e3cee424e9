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
#include "summary.h"

#include <gio/gio.h>

static gboolean
merge_blocks (HistoLoudnessBlocks * all, const HistoLoudnessBlocks * blocks,
    GError ** error)
{
  for (guint bin = 0; bin < HISTO_N_LOUDNESS_BINS; bin++) {
    const guint64 count = histo_loudness_blocks_get_count (blocks, bin);

    if (count > 0 && !histo_loudness_blocks_add_count (all, bin, count)) {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
          "the sum of the blocks is too large");
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
merge_loudness (ReportStreamSummary * all, const ReportStreamSummary * summary,
    GError ** error)
{
  if (summary->momentary == NULL)
    return TRUE;
  report_stream_summary_need_blocks (all);
  for (guint i = 0; i < HISTO_N_LOUDNESS_FIGURES; i++) {
    if (!report_range_merge (&all->loudness[i], &summary->loudness[i], error))
      return FALSE;
  }
  return merge_blocks (all->momentary, summary->momentary, error)
      && merge_blocks (all->short_term, summary->short_term, error);
}

/* Parts with one description are added up, whatever input they are of. */
static gboolean
merge_parts (ReportStreamSummary * all, const ReportStreamSummary * summary,
    GError ** error)
{
  for (guint i = 0; i < summary->parts->len; i++) {
    const ReportPart *part = summary->parts->pdata[i];
    ReportPart *found;

    /* Nothing was measured. */
    if (part->n_results == 0 && part->regions->len == 0
        && part->n_channels == 0)
      continue;
    found = report_stream_summary_find_part (all, part->stream);
    if (found == NULL)
      found = report_stream_summary_add_part (all, part->stream);
    if (!report_part_merge (found, part, error))
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
  return report_sum_add (&all->end, summary->end - summary->start, "lengths", error);
}

static gboolean
merge_stream (ReportStreamSummary * all, const ReportStreamSummary * summary,
    const gchar * input, GError ** error)
{
  all->is_merged = TRUE;
  all->groups |= summary->groups;
  if (summary->backend != NULL) {
    g_free (all->backend);
    all->backend = g_strdup (summary->backend);
  }
  if (all->n_results == 0)
    all->field_order = g_strdup (summary->field_order);
  else if (g_strcmp0 (all->field_order, summary->field_order) != 0)
    g_clear_pointer (&all->field_order, g_free);
  if (!report_sum_add (&all->n_results, summary->n_results, "results", error)
      || !report_sum_add (&all->n_samples, summary->n_samples, "samples", error)
      || !merge_times (all, summary, error))
    return FALSE;
  if (!merge_parts (all, summary, error)
      || !merge_loudness (all, summary, error))
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
  if (!report_sum_add (&all->n_inputs, summary->n_inputs, "inputs", error))
    return FALSE;
  all->seconds += summary->seconds;
  if (!GST_CLOCK_TIME_IS_VALID (summary->duration))
    all->duration = GST_CLOCK_TIME_NONE;
  return !GST_CLOCK_TIME_IS_VALID (all->duration)
      || report_sum_add (&all->duration, summary->duration, "lengths", error);
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

  if (!all->is_sum) {
    all->is_sum = TRUE;
    all->n_inputs = 0;
    all->is_complete = TRUE;
    all->duration = 0;
    all->settings = g_strdup (summary->settings);
  } else if (g_strcmp0 (all->settings, summary->settings) != 0) {
    g_clear_pointer (&all->settings, g_free);
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
