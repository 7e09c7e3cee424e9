/* Parts of a stream: what lies between two changes of its format, size or rate; and what is valid for all
 * parts together.
 *
 * Summaries may come from anywhere, so a sum may be too large. Sums are at most G_MAXINT64, the greatest
 * integer that JSON has here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "summary.h"

#include <gio/gio.h>
#include <math.h>

#include "figures.h"

/* ---- Making and freeing ----------------------------------------------------------------- */

static void
component_free (gpointer data)
{
  ReportComponent *component = data;

  g_free (component->name);
  g_free (component->counts);
  g_free (component);
}

static void
region_free (gpointer data)
{
  ReportRegion *region = data;

  g_free (region->name);
  g_ptr_array_unref (region->components);
  g_free (region);
}

/* @stream: (nullable): the description, of which what belongs to a part is copied */
static ReportPart *
part_new (const ReportStream * stream)
{
  ReportPart *part = g_new0 (ReportPart, 1);

  part->start = part->end = GST_CLOCK_TIME_NONE;
  part->regions = g_ptr_array_new_with_free_func (region_free);
  if (stream == NULL)
    return part;
  part->stream = report_stream_copy (stream);
  g_clear_pointer (&part->stream->title, g_free);
  g_clear_pointer (&part->stream->codec, g_free);
  return part;
}

void
report_part_free (ReportPart * part)
{
  g_clear_pointer (&part->stream, report_stream_free);
  g_ptr_array_unref (part->regions);
  g_clear_pointer (&part->channels, g_rc_box_release);
  g_free (part);
}

/* Returns: (transfer none): the new part, which is the last one */
ReportPart *
report_stream_summary_add_part (ReportStreamSummary * summary,
    const ReportStream * stream)
{
  ReportPart *part = part_new (stream);

  g_ptr_array_add (summary->parts, part);
  return part;
}

/* Returns: (transfer none): the new region, which is the last one */
ReportRegion *
report_part_add_region (ReportPart * part, const gchar * name)
{
  ReportRegion *region = g_new0 (ReportRegion, 1);

  region->name = g_strdup (name);
  region->has_place = TRUE;
  region->components = g_ptr_array_new_with_free_func (component_free);
  g_ptr_array_add (part->regions, region);
  return region;
}

/* Returns: (transfer none): the new component, which has no samples */
ReportComponent *
report_region_add_component (ReportRegion * region, const gchar * name,
    HistoGroup group, guint bins, gdouble range_min, gdouble range_max)
{
  ReportComponent *component = g_new0 (ReportComponent, 1);

  component->name = g_strdup (name);
  component->group = group;
  component->figures.bins = bins;
  component->figures.range_min = range_min;
  component->figures.range_max = range_max;
  component->figures.min = component->figures.max = NAN;
  component->counts = g_new0 (guint64, bins);
  g_ptr_array_add (region->components, component);
  return component;
}

/* Makes room for the channels, unless there is some already. */
void
report_part_set_channels (ReportPart * part, guint n_channels)
{
  if (part->channels != NULL || n_channels == 0)
    return;
  part->n_channels = n_channels;
  part->channels = g_rc_box_alloc0 (n_channels * sizeof *part->channels);
  for (guint c = 0; c < n_channels; c++) {
    for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++)
      part->channels[c].arrays[i] = NAN;
  }
}

/* ---- Descriptions ----------------------------------------------------------------------- */

/* An unknown rate is 0, or NaN of a summary that was read. */
static gboolean
rates_are_equal (gdouble a, gdouble b)
{
  return a == b || (!(a > 0) && !(b > 0));
}

/* Whether the results of both can be added up: what a part describes is the same. */
gboolean
report_stream_is_alike (const ReportStream * a, const ReportStream * b)
{
  return a->is_audio == b->is_audio && a->width == b->width
      && a->height == b->height && a->par_n == b->par_n
      && a->par_d == b->par_d && a->rate == b->rate
      && a->channels == b->channels
      && rates_are_equal (a->frame_rate, b->frame_rate)
      && g_strcmp0 (a->format, b->format) == 0
      && g_strcmp0 (a->colorimetry, b->colorimetry) == 0;
}

/* Returns: (transfer none) (nullable): the part with this description */
ReportPart *
report_stream_summary_find_part (const ReportStreamSummary * summary,
    const ReportStream * stream)
{
  for (guint i = 0; i < summary->parts->len; i++) {
    ReportPart *part = summary->parts->pdata[i];

    if (report_stream_is_alike (part->stream, stream))
      return part;
  }
  return NULL;
}

/* ---- Sums --------------------------------------------------------------------------------------- */

/* @sum: (inout): at most %G_MAXINT64 */
gboolean
report_sum_add (guint64 * sum, guint64 number, const gchar * what,
    GError ** error)
{
  if (*sum > G_MAXINT64 || number > G_MAXINT64 - *sum) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "the sum of the %s is too large", what);
    return FALSE;
  }
  *sum += number;
  return TRUE;
}

gboolean
report_range_merge (ReportRange * all, const ReportRange * range,
    GError ** error)
{
  if (range->n == 0)
    return TRUE;
  all->min = all->n == 0 ? range->min : MIN (all->min, range->min);
  all->max = all->n == 0 ? range->max : MAX (all->max, range->max);
  all->sum += range->sum;
  all->last = range->last;
  return report_sum_add (&all->n, range->n, "results", error);
}

/* No counter of a component is greater than its number of samples. */
static gboolean
check_counts (const HistoFigures * all, const HistoFigures * figures,
    GError ** error)
{
  guint64 count = all->count;

  return report_sum_add (&count, figures->count, "samples", error);
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
  return report_range_merge (&found->means, &component->means, error);
}

/* Inputs may have been measured with other regions.
 *
 * @hint: where it probably is
 * Returns: (nullable): the region with this name; NULL of the whole picture is one, too */
static ReportRegion *
find_region (const ReportPart * all, const gchar * name, guint hint)
{
  for (guint i = 0; i < all->regions->len; i++) {
    ReportRegion *region = all->regions->pdata[(hint + i) % all->regions->len];

    if (g_strcmp0 (region->name, name) == 0)
      return region;
  }
  return NULL;
}

/* What two parts have in common: figures that need more of it are not added up. */
typedef enum
{
  SAME_SCALE = 1,               /* a sample has the same meaning: histograms, means and bits */
  SAME_SIZE = 2                 /* a pixel has the same place: rectangles */
} Common;

static gboolean
merge_region (ReportPart * all, const ReportRegion * region, guint r,
    Common common, GError ** error)
{
  ReportRegion *found = find_region (all, region->name, r);

  if (found == NULL) {
    found = report_part_add_region (all, region->name);
    found->has_place = (common & SAME_SIZE) != 0 && region->has_place;
    if (found->has_place) {
      found->x = region->x;
      found->y = region->y;
      found->width = region->width;
      found->height = region->height;
    }
  }
  /* The figures of `detail` are differences of samples; those of the other groups are shares, or light. */
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    if (((common & SAME_SCALE) != 0
            || histo_group_figures[i].group != HISTO_GROUP_DETAIL)
        && !report_range_merge (&found->figures[i], &region->figures[i],
            error))
      return FALSE;
  }
  if ((common & SAME_SIZE) != 0)
    report_area_merge (&found->area, &region->area);
  if ((common & SAME_SCALE) == 0)
    return TRUE;
  for (guint i = 0; i < region->components->len; i++) {
    if (!merge_component (found, region->components->pdata[i], i, error))
      return FALSE;
  }
  found->n_bits_used = MAX (found->n_bits_used, region->n_bits_used);
  for (guint i = 0; i < region->n_bits_used; i++)
    found->bits_used[i] = MAX (found->bits_used[i], region->bits_used[i]);
  return TRUE;
}

static gboolean
merge_channel (ReportChannel * all, const ReportChannel * channel,
    GError ** error)
{
  for (guint i = 0; i < HISTO_N_LEVEL_FIGURES; i++) {
    if (!report_range_merge (&all->levels[i], &channel->levels[i], error))
      return FALSE;
  }
  for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++)
    all->arrays[i] = fmax (all->arrays[i], channel->arrays[i]);
  return TRUE;
}

static gboolean
merge_figures (ReportPart * all, const ReportPart * part, Common common,
    GError ** error)
{
  for (guint r = 0; r < part->regions->len; r++) {
    if (!merge_region (all, part->regions->pdata[r], r, common, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
merge_channels (ReportPart * all, const ReportPart * part, GError ** error)
{
  report_part_set_channels (all, part->n_channels);
  for (guint c = 0; c < MIN (all->n_channels, part->n_channels); c++) {
    if (!merge_channel (&all->channels[c], &part->channels[c], error))
      return FALSE;
  }
  return TRUE;
}

/**
 * report_part_merge:
 * @all: (inout): with the same description
 * @part: finished
 *
 * Returns: FALSE with a %G_IO_ERROR if a sum is too large
 */
gboolean
report_part_merge (ReportPart * all, const ReportPart * part, GError ** error)
{
  return report_sum_add (&all->n_results, part->n_results, "results", error)
      && report_sum_add (&all->n_samples, part->n_samples, "samples", error)
      && merge_figures (all, part, SAME_SCALE | SAME_SIZE, error)
      && merge_channels (all, part, error);
}

/* ---- All parts together ------------------------------------------------------------------------- */

/* Returns: (nullable): the whole picture, or all channels */
static const ReportRegion *
first_region (const ReportPart * part)
{
  return part->regions->len > 0 ? part->regions->pdata[0] : NULL;
}

/* Whether all components of the samples themselves in @a are in @b, with the same bins. */
static gboolean
has_components (const ReportRegion * b, const ReportRegion * a)
{
  for (guint i = 0; i < a->components->len; i++) {
    const ReportComponent *component = a->components->pdata[i];

    if (component->group == HISTO_GROUP_BASIC
        && report_region_find_bins (b, component->name, component->group,
            &component->figures, i) == NULL)
      return FALSE;
  }
  return TRUE;
}

static Common
find_common (const ReportStreamSummary * summary)
{
  const ReportPart *first = summary->parts->pdata[0];
  Common common = SAME_SCALE | SAME_SIZE;

  for (guint i = 1; i < summary->parts->len; i++) {
    const ReportPart *part = summary->parts->pdata[i];
    const ReportRegion *one = first_region (first);
    const ReportRegion *other = first_region (part);

    if (first->stream->width != part->stream->width
        || first->stream->height != part->stream->height)
      common &= ~SAME_SIZE;
    if (one == NULL || other == NULL || !has_components (one, other)
        || !has_components (other, one))
      common &= ~SAME_SCALE;
  }
  return common;
}

static gboolean
have_same_channels (const ReportStreamSummary * summary)
{
  const ReportPart *first = summary->parts->pdata[0];
  gboolean are_same = TRUE;

  for (guint i = 1; i < summary->parts->len; i++)
    are_same = are_same && first->n_channels
        == ((const ReportPart *) summary->parts->pdata[i])->n_channels;
  return are_same;
}

/* Returns: (transfer full): what is valid for all parts; without figures if a sum is too large */
static ReportPart *
join (const ReportStreamSummary * summary)
{
  const Common common = find_common (summary);
  const gboolean has_channels = have_same_channels (summary);
  ReportPart *whole = part_new (NULL);
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < summary->parts->len; i++) {
    const ReportPart *part = summary->parts->pdata[i];

    ok = merge_figures (whole, part, common, NULL)
        && (!has_channels || merge_channels (whole, part, NULL));
  }
  if (ok)
    return whole;
  report_part_free (whole);
  return part_new (NULL);
}

static void
finish_components (const ReportPart * part, gboolean is_audio)
{
  for (guint r = 0; r < part->regions->len; r++) {
    const ReportRegion *region = part->regions->pdata[r];

    for (guint i = 0; i < region->components->len; i++)
      report_component_finish (region->components->pdata[i], is_audio);
  }
}

/**
 * report_stream_summary_join_parts:
 *
 * Computes the figures that follow from all results of each part, and what is valid for all parts.
 */
void
report_stream_summary_join_parts (ReportStreamSummary * summary)
{
  const gboolean is_audio = summary->stream->is_audio;
  ReportPart *whole, *joined = NULL;

  for (guint i = 0; i < summary->parts->len; i++)
    finish_components (summary->parts->pdata[i], is_audio);
  if (summary->parts->len == 0)
    return;
  whole = summary->parts->pdata[0];
  if (summary->parts->len > 1) {
    whole = joined = join (summary);
    finish_components (whole, is_audio);
  }
  g_ptr_array_unref (summary->regions);
  g_clear_pointer (&summary->channels, g_rc_box_release);
  summary->regions = g_ptr_array_ref (whole->regions);
  summary->n_channels = whole->n_channels;
  if (whole->channels != NULL)
    summary->channels = g_rc_box_acquire (whole->channels);
  g_clear_pointer (&joined, report_part_free);
}
