/* Adds results and alerts up to the summary of an input; see summary.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "summary/summary.h"

#include <math.h>
#include <string.h>

#include "measures/statistics.h"
#include "base/names.h"
#include "base/sorted.h"

/* ---- Problems -------------------------------------------------------------------------------- */

/* Returns: (transfer full) (nullable): one line for all; NULL if there is none */
gchar *
report_problems_text (GPtrArray * problems)
{
  const ReportProblem *first = problems->len > 0 ? problems->pdata[0] : NULL;

  if (problems->len < 2)
    return first != NULL ? g_strdup (first->text) : NULL;
  return g_strdup_printf ("%s (and %u more problem%s; --json-summary lists all)",
      first->text,
      problems->len - 1, problems->len > 2 ? "s" : "");
}

/* Returns: (transfer full): all of them on one line */
gchar *
report_problems_join (GPtrArray * problems)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < problems->len; i++) {
    const ReportProblem *problem = problems->pdata[i];

    g_string_append_printf (text, "%s%s", i > 0 ? "; " : "", problem->text);
  }
  return report_clean_text (g_string_free (text, FALSE));
}

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
  for (guint j = 0; j < HISTO_N_JOINTS; j++)
    g_free (region->joints[j]);
  g_free (region);
}

/* @stream: (nullable): the description, of which what belongs to a part is copied */
ReportPart *
report_part_new (const ReportStream * stream)
{
  ReportPart *part = g_new0 (ReportPart, 1);

  part->start = part->end = GST_CLOCK_TIME_NONE;
  part->regions = g_ptr_array_new_with_free_func (region_free);
  part->channels = report_objects_new ();
  part->pairs = report_objects_new ();
  if (stream == NULL)
    return part;
  part->stream = report_stream_copy (stream);
  g_clear_pointer (&part->stream->title, g_free);
  g_clear_pointer (&part->stream->codec, g_free);
  g_clear_pointer (&part->stream->decoder, g_free);
  return part;
}

void
report_part_free (ReportPart * part)
{
  g_clear_pointer (&part->stream, report_stream_free);
  g_ptr_array_unref (part->regions);
  g_ptr_array_unref (part->channels);
  g_ptr_array_unref (part->pairs);
  g_free (part);
}

/* Returns: (transfer none): the new region, which is the last one */
ReportRegion *
report_part_add_region (ReportPart * part, const gchar * name)
{
  ReportRegion *region = g_new0 (ReportRegion, 1);

  region->name = g_strdup (name);
  region->has_place = TRUE;
  region->r103.worst_frame = region->r103.worst_time = GST_CLOCK_TIME_NONE;
  region->worst_range.frame = region->worst_range.time = GST_CLOCK_TIME_NONE;
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
  if (part->channels->len > 0)
    return;
  for (guint c = 0; c < n_channels; c++)
    report_objects_add (part->channels, &report_channel_shape);
}

/* ---- Descriptions ----------------------------------------------------------------------- */

/* Whether the results of both can be added up: what a part describes is the same. */
static gboolean
is_alike (const ReportStream * a, const ReportStream * b)
{
  /* An unknown rate is 0, or NaN of a summary that was read. */
  const gboolean have_rate = a->frame_rate > 0 || b->frame_rate > 0;
  /* The shape of the pixels is 0/0 in a summary of an earlier version. */
  const gboolean have_one_shape = a->par_d == 0 || b->par_d == 0
      || (a->par_n == b->par_n && a->par_d == b->par_d);

  return a->is_audio == b->is_audio && a->width == b->width
      && a->height == b->height && have_one_shape && a->rate == b->rate
      && a->channels == b->channels
      && (a->frame_rate == b->frame_rate || !have_rate)
      && g_strcmp0 (a->format, b->format) == 0
      && g_strcmp0 (a->colorimetry, b->colorimetry) == 0;
}

/* How a stream is alike to another one: in all, with the shape of its pixels; in all, whatever the shape; in all, and the
 * other one's shape is unknown. */
typedef enum
{
  WITH_SHAPE = 's',
  ANY_SHAPE = 'a',
  UNKNOWN_SHAPE = 'u'
} Likeness;

/* Returns: (transfer full): equal texts are alike, see is_alike() */
static gchar *
describe (const ReportStream * stream, Likeness likeness)
{
  const gboolean has_shape = likeness == WITH_SHAPE;
  const gchar *format = stream->format, *colorimetry = stream->colorimetry;

  return g_strdup_printf ("%c %d %d %d %d %d %d %d %.17g %d %d%s %s",
      likeness, stream->is_audio, stream->width, stream->height,
      has_shape ? stream->par_n : 0, has_shape ? stream->par_d : 0,
      stream->rate, stream->channels,
      stream->frame_rate > 0 ? stream->frame_rate : 0.,
      colorimetry != NULL, format != NULL ? (gint) strlen (format) : -1,
      format != NULL ? format : "", colorimetry != NULL ? colorimetry : "");
}

/* Returns: the index, plus 1, of the first part; 0: there is none */
static guint
find_first (const ReportStreamSummary * summary, const ReportStream * stream,
    Likeness likeness)
{
  g_autofree gchar *key = describe (stream, likeness);

  return GPOINTER_TO_UINT (g_tree_lookup (summary->first_parts, key));
}

static void
note_part (ReportStreamSummary * summary, const ReportStream * stream,
    Likeness likeness)
{
  if (find_first (summary, stream, likeness) == 0)
    g_tree_insert (summary->first_parts, describe (stream, likeness), GUINT_TO_POINTER (summary->parts->len));
}

/* Returns: (transfer none) (nullable): the first part that was added with this description. A sum may have one of each
 * input. */
ReportPart *
report_stream_summary_find_part (const ReportStreamSummary * summary,
    const ReportStream * stream)
{
  guint found[] = {
    find_first (summary, stream, stream->par_d == 0 ? ANY_SHAPE : WITH_SHAPE),
    find_first (summary, stream, UNKNOWN_SHAPE)
  };

  if (found[0] == 0 || (found[1] != 0 && found[1] < found[0]))
    found[0] = found[1];
  return found[0] != 0 ? summary->parts->pdata[found[0] - 1] : NULL;
}

/* Returns: (transfer none): the new part, which is the last one */
ReportPart *
report_stream_summary_add_part (ReportStreamSummary * summary,
    const ReportStream * stream)
{
  ReportPart *part = report_part_new (stream);

  g_ptr_array_add (summary->parts, part);
  note_part (summary, stream, WITH_SHAPE);
  note_part (summary, stream, ANY_SHAPE);
  if (stream->par_d == 0)
    note_part (summary, stream, UNKNOWN_SHAPE);
  return part;
}

/* ---- Summaries and streams ------------------------------------------------------------------- */

/* The picture flashes between two results, these included. Times from the start of the stream. */
typedef struct
{
  guint64 first, last;
} FlashTime;

static void
stream_summary_free (gpointer data)
{
  ReportStreamSummary *summary = data;

  g_free (summary->compared);
  g_free (summary->backend);
  g_free (summary->field_order);
  g_free (summary->timecode);
  report_stream_free (summary->stream);
  report_stream_free (summary->next);
  g_ptr_array_unref (summary->parts);
  g_tree_unref (summary->first_parts);
  g_ptr_array_unref (summary->regions);
  g_ptr_array_unref (summary->tracks);
  g_ptr_array_unref (summary->facts);
  g_ptr_array_unref (summary->alerts);
  g_ptr_array_unref (summary->flashes);
  g_array_unref (summary->flash_times);
  g_array_unref (summary->held);
  g_ptr_array_unref (summary->timestamps.places);
  g_ptr_array_unref (summary->channels);
  g_ptr_array_unref (summary->pairs);
  report_sound_spans_clear (&summary->sound_spans);
  report_short_faults_clear (&summary->short_faults);
  g_ptr_array_unref (summary->thumbnails);
  histo_loudness_blocks_free (summary->momentary);
  histo_loudness_blocks_free (summary->short_term);
  g_free (summary);
}

/**
 * report_summary_new:
 * @name: of the input, UTF-8
 *
 * Returns: (transfer full): a summary of no stream; to be freed with report_summary_free()
 */
ReportSummary *
report_summary_new (const gchar * name)
{
  ReportSummary *summary = g_new0 (ReportSummary, 1);

  summary->name = g_strdup (name);
  summary->n_inputs = 1;
  summary->duration = GST_CLOCK_TIME_NONE;
  summary->input_size = summary->input_mtime = GST_CLOCK_TIME_NONE;
  summary->problems = report_objects_new ();
  summary->notices = report_notices_new ();
  summary->policies = report_objects_new ();
  summary->streams = g_ptr_array_new_with_free_func (stream_summary_free);
  return summary;
}

/**
 * report_summary_new_unmeasured:
 * @input: as the user wrote it
 * @type: of the problem: REPORT_PROBLEM_…
 *
 * Returns: (transfer full): of an input of which nothing is known
 */
ReportSummary *
report_summary_new_unmeasured (const gchar * input, const gchar * type,
    const gchar * problem)
{
  g_autofree gchar *name = report_name_for_people (input);
  ReportSummary *summary = report_summary_new (name);

  report_summary_complain (summary, type, 0, "%s", problem);
  return summary;
}

void
report_summary_free (ReportSummary * summary)
{
  if (summary == NULL)
    return;
  g_free (summary->name);
  g_free (summary->uri);
  g_free (summary->settings);
  g_free (summary->problem);
  g_ptr_array_unref (summary->notices);
  g_free (summary->verdict_line);
  g_ptr_array_unref (summary->problems);
  g_ptr_array_unref (summary->policies);
  g_ptr_array_unref (summary->streams);
  g_free (summary);
}

/* @problem: is copied */
void
report_summary_add_problem (ReportSummary * summary,
    const ReportProblem * problem)
{
  if (summary->problem == NULL)
    summary->problem = g_strdup (problem->text);
  report_objects_add_copy (summary->problems, &report_problem_shape, problem);
}

/* Adds a problem of the whole input. */
void
report_summary_complain (ReportSummary * summary, const gchar * type,
    guint64 count, const gchar * format, ...)
{
  ReportProblem problem = { type, -1, GST_CLOCK_TIME_NONE,
    GST_CLOCK_TIME_NONE, count, NULL
  };
  va_list arguments;

  va_start (arguments, format);
  problem.text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  report_summary_add_problem (summary, &problem);
  g_free (problem.text);
}

/**
 * report_summary_add_stream:
 * @stream: is copied
 *
 * Returns: (transfer none): the summary of the new stream
 */
ReportStreamSummary *
report_summary_add_stream (ReportSummary * summary, const ReportStream * stream)
{
  ReportStreamSummary *added = g_new0 (ReportStreamSummary, 1);

  added->stream = report_stream_copy (stream);
  added->start = added->end = GST_CLOCK_TIME_NONE;
  added->next = report_stream_copy (stream);
  added->correlation = NAN;
  added->parts =
      g_ptr_array_new_with_free_func ((GDestroyNotify) report_part_free);
  added->first_parts = report_texts_new ();
  added->regions = g_ptr_array_new ();
  added->channels = report_objects_new ();
  added->pairs = report_objects_new ();
  report_sound_spans_init (&added->sound_spans);
  report_short_faults_init (&added->short_faults);
  added->thumbnails = report_thumbnails_new ();
  added->tracks = report_objects_new ();
  added->facts = report_objects_new ();
  added->alerts = report_objects_new ();
  added->flashes = report_objects_new ();
  added->flash_times = g_array_new (FALSE, FALSE, sizeof (FlashTime));
  added->held = g_array_new (FALSE, FALSE, sizeof (guint64));
  added->latest = GST_CLOCK_TIME_NONE;
  added->repeats.longest_start = GST_CLOCK_TIME_NONE;
  added->timestamps.places = report_objects_new ();
  g_ptr_array_add (summary->streams, added);
  return added;
}

/* ---- Times ------------------------------------------------------------------------------------ */

/**
 * report_stream_summary_count:
 * @stream_time: of the container, in ns; the first one that is known is the start of the stream
 *
 * Returns: the time from the start of the stream; 0 before it; GST_CLOCK_TIME_NONE if it is unknown
 */
guint64
report_stream_summary_count (ReportStreamSummary * summary,
    guint64 stream_time)
{
  if (!GST_CLOCK_TIME_IS_VALID (stream_time))
    return GST_CLOCK_TIME_NONE;
  if (!GST_CLOCK_TIME_IS_VALID (summary->start))
    summary->start = summary->end = stream_time;
  return stream_time > summary->start ? stream_time - summary->start : 0;
}

/* Returns: in ns; GST_CLOCK_TIME_NONE: unknown */
guint64
report_stream_summary_length (const ReportStreamSummary * summary)
{
  return GST_CLOCK_TIME_IS_VALID (summary->start) ?
      summary->end - summary->start : GST_CLOCK_TIME_NONE;
}

/* Returns: from the first start of a stream to the last end; GST_CLOCK_TIME_NONE: unknown */
guint64
report_summary_length (const ReportSummary * summary)
{
  guint64 start = GST_CLOCK_TIME_NONE, end = 0;

  for (guint i = 0; i < summary->streams->len; i++) {
    const ReportStreamSummary *stream = summary->streams->pdata[i];

    if (!GST_CLOCK_TIME_IS_VALID (stream->start))
      continue;
    start = MIN (start, stream->start);
    end = MAX (end, stream->end);
  }
  return GST_CLOCK_TIME_IS_VALID (start) ? end - start : GST_CLOCK_TIME_NONE;
}

/**
 * report_summary_delay:
 * @stream: of @summary
 * @first: (out) (optional): the stream that starts first
 *
 * Returns: how much later than the first stream this one starts, in ns; GST_CLOCK_TIME_NONE: unknown, or of
 * several inputs
 */
guint64
report_summary_delay (const ReportSummary * summary,
    const ReportStreamSummary * stream, const ReportStreamSummary ** first)
{
  const ReportStreamSummary *earliest = stream;

  if (summary->n_inputs != 1 || !GST_CLOCK_TIME_IS_VALID (stream->start))
    return GST_CLOCK_TIME_NONE;
  for (guint i = 0; i < summary->streams->len; i++) {
    const ReportStreamSummary *other = summary->streams->pdata[i];

    /* GST_CLOCK_TIME_NONE is the greatest number. */
    if (other->start < earliest->start)
      earliest = other;
  }
  if (first != NULL)
    *first = earliest;
  return stream->start - earliest->start;
}

/* Returns: (transfer container) (element-type utf8): the hints of the notices of the stream. Names may have any characters if the stream was read */
GPtrArray *
report_summary_hints (const ReportSummary * summary,
    const ReportStreamSummary * stream)
{
  GPtrArray *hints = g_ptr_array_new ();

  for (guint i = 0; i < summary->notices->len; i++) {
    const ReportNotice *notice = summary->notices->pdata[i];

    if (notice->hint != NULL
        && summary->streams->pdata[notice->stream] == stream)
      g_ptr_array_add (hints, (gpointer) notice->hint);
  }
  return hints;
}

/**
 * report_summary_early_end:
 * @stream: of @summary
 * @last: (out) (optional): the stream that ends last
 *
 * Returns: how much earlier than the last stream this one ends, in ns; GST_CLOCK_TIME_NONE: unknown, or of several
 * inputs
 */
guint64
report_summary_early_end (const ReportSummary * summary,
    const ReportStreamSummary * stream, const ReportStreamSummary ** last)
{
  const ReportStreamSummary *latest = stream;

  if (summary->n_inputs != 1 || !GST_CLOCK_TIME_IS_VALID (stream->end))
    return GST_CLOCK_TIME_NONE;
  for (guint i = 0; i < summary->streams->len; i++) {
    const ReportStreamSummary *other = summary->streams->pdata[i];

    if (GST_CLOCK_TIME_IS_VALID (other->end) && other->end > latest->end)
      latest = other;
  }
  if (last != NULL)
    *last = latest;
  return latest->end - stream->end;
}

/* GST_CLOCK_TIME_NONE is the greatest number. A sum that would be too large is the greatest time. */
static guint64
add_time (guint64 time, guint64 distance)
{
  return !GST_CLOCK_TIME_IS_VALID (distance) ? time :
      time + MIN (distance, GST_CLOCK_TIME_NONE - 1 - time);
}

/* ---- Figures that follow from histograms --------------------------------------------------------- */

/* The lower edge of a bin, inside the extremes of the samples. */
static gdouble
edge (const HistoFigures * figures, gint64 bin)
{
  const gdouble width =
      (figures->range_max - figures->range_min) / figures->bins;

  return CLAMP (figures->range_min + MAX (bin, 0) * width, figures->min,
      figures->max);
}

/* Audio: percentiles, mode and entropy follow from the bins. */
static void
finish_audio (ReportComponent * component, const HistoHistogram * histogram)
{
  HistoFigures *figures = &component->figures;
  const gdouble n = report_figures_finite (figures);
  const guint64 ordered =
      histogram->count + figures->underflow + figures->overflow;
  gint64 indices[HISTO_N_PERCENTILES];

  histo_histogram_find_percentiles (histogram, figures->underflow, ordered,
      indices);
  for (guint i = 0; i < HISTO_N_PERCENTILES; i++)
    figures->percentiles[i] = n > 0 ? edge (figures, indices[i]) : NAN;
  figures->mode = n > 0 && histogram->count > 0 ?
      edge (figures, histo_histogram_find_mode (histogram)) : NAN;
  figures->entropy = histo_histogram_entropy (histogram);
  figures->mean = n > 0 ? figures->sum / n : NAN;
  figures->variance = n > 0 ? component->squares / n : NAN;
  figures->std_dev = sqrt (figures->variance);
}

/**
 * component_finish:
 * @component: (inout): its sums, extremes and counts are set; the figures that follow from them are
 * computed
 */
static void
component_finish (ReportComponent * component, gboolean is_audio)
{
  HistoFigures *figures = &component->figures;
  /* All figures of video follow from the histogram, which has a bin for each value. */
  const HistoBins bins = {
    .binning = {
          .n_bins = figures->bins,
          .range_min = figures->range_min,
          .range_max = figures->range_max,
        },
  };
  g_autofree HistoHistogram *histogram = g_new (HistoHistogram, 1);

  histo_histogram_init_wide (histogram, component->counts, figures->bins);
  if (is_audio)
    finish_audio (component, histogram);
  else
    histo_statistics_from_native (figures, histogram, &bins, NULL);
}

/* Computes the figures that follow from all results of the part. */
void
report_part_finish (const ReportPart * part, gboolean is_audio)
{
  for (guint r = 0; r < part->regions->len; r++) {
    const ReportRegion *region = part->regions->pdata[r];

    for (guint i = 0; i < region->components->len; i++)
      component_finish (region->components->pdata[i], is_audio);
  }
}

/* ---- Components ----------------------------------------------------------------------------- */

/* Finds the component with this name, group and these bins. If the format of a stream changes,
 * there may be several of one name.
 *
 * @hint: where it probably is
 * Returns: (nullable) */
ReportComponent *
report_region_find_bins (const ReportRegion * region, const gchar * name,
    HistoGroup group, const HistoFigures * figures, guint hint)
{
  for (guint i = 0; i < region->components->len; i++) {
    const guint at = (hint + i) % region->components->len;
    ReportComponent *component = region->components->pdata[at];

    if (component->group == group && g_str_equal (component->name, name)
        && component->figures.bins == figures->bins
        && component->figures.range_min == figures->range_min
        && component->figures.range_max == figures->range_max)
      return component;
  }
  return NULL;
}

/* No samples, with the bins that it has. */
void
report_component_clear_figures (ReportComponent * component)
{
  component->figures = (HistoFigures) {
    .bins = component->figures.bins,
    .range_min = component->figures.range_min,
    .range_max = component->figures.range_max,
    .min = NAN,
    .max = NAN,
  };
}

/* Adds the samples that @figures describe. Mean, variance and what follows from the histogram are
 * computed at the end. */
void
report_component_add_figures (ReportComponent * component,
    const HistoFigures * figures)
{
  HistoFigures *all = &component->figures;
  const gdouble n = report_figures_finite (all);
  const gdouble added = report_figures_finite (figures);

  if (added > 0) {
    /* Chan's formula: the squares around the mean of both. */
    if (n > 0) {
      const gdouble distance = figures->mean - all->sum / n;

      component->squares += distance * distance * n * added / (n + added);
    }
    component->squares += figures->variance * added;
    all->min = isnan (all->min) ? figures->min : MIN (all->min, figures->min);
    all->max = isnan (all->max) ? figures->max : MAX (all->max, figures->max);
  }
  all->sum += figures->sum;
  all->count += figures->count;
  all->underflow += figures->underflow;
  all->overflow += figures->overflow;
  all->nan += figures->nan;
  all->inf += figures->inf;
}

static void
add_component (ReportRegion * region, const HistoComponentResult * result,
    guint hint)
{
  ReportComponent *component;

  if (result->figures.count == 0)
    return;
  component = report_region_find_bins (region, result->name, result->group,
      &result->figures, hint);
  if (component == NULL)
    component = report_region_add_component (region, result->name,
        result->group, result->figures.bins, result->figures.range_min,
        result->figures.range_max);
  report_component_add_figures (component, &result->figures);
  /* A result may have no bins. */
  if (component->counts != NULL)
    histo_component_add_counts (result, component->counts);
  histo_range_add (&component->means, result->figures.mean);
}

/**
 * report_stream_summary_find_region:
 * @name: (nullable): %NULL: the whole picture
 *
 * Returns: (nullable): %NULL: there is no such region
 */
const ReportRegion *
report_stream_summary_find_region (const ReportStreamSummary * summary,
    const gchar * name)
{
  for (guint r = 0; r < summary->regions->len; r++) {
    const ReportRegion *region = summary->regions->pdata[r];

    if (g_strcmp0 (region->name, name) == 0)
      return region;
  }
  return NULL;
}

/**
 * report_region_find:
 *
 * Returns: (transfer none) (nullable): the first component with this name and group
 */
const ReportComponent *
report_region_find (const ReportRegion * region, HistoGroup group,
    const gchar * name)
{
  for (guint i = 0; i < region->components->len; i++) {
    const ReportComponent *component = region->components->pdata[i];

    if (component->group == group && g_str_equal (component->name, name))
      return component;
  }
  return NULL;
}

/* ---- Regions ---------------------------------------------------------------------------------- */

/* The positions of the sides, so that a greater number lies further inside. */
static void
list_sides (const ReportArea * area, gint * sides)
{
  sides[REPORT_LEFT] = area->x;
  sides[REPORT_TOP] = area->y;
  sides[REPORT_RIGHT] = -(area->x + area->width);
  sides[REPORT_BOTTOM] = -(area->y + area->height);
}

/* Adds counts to those of a box whose side lies @inside pixels further outside. */
static void
add_near (guint64 * all, const guint64 * counts, gint inside)
{
  for (gint i = inside; i < REPORT_NEAR; i++)
    all[i] += counts[i - inside];
}

/* Makes the box so large that it also has the other one. */
void
report_area_merge (ReportArea * all, const ReportArea * area)
{
  const ReportArea old = *all;
  gint of_all[REPORT_N_SIDES], of_area[REPORT_N_SIDES], sides[REPORT_N_SIDES];

  if (area->width <= 0 || area->height <= 0)
    return;
  if (old.width == 0) {
    *all = *area;
    return;
  }
  list_sides (&old, of_all);
  list_sides (area, of_area);
  memset (all, 0, sizeof *all);
  all->n = old.n + area->n;
  for (guint i = 0; i < REPORT_N_SIDES; i++) {
    sides[i] = MIN (of_all[i], of_area[i]);
    add_near (all->near[i], old.near[i], of_all[i] - sides[i]);
    add_near (all->near[i], area->near[i], of_area[i] - sides[i]);
  }
  all->x = sides[REPORT_LEFT];
  all->y = sides[REPORT_TOP];
  all->width = -sides[REPORT_RIGHT] - all->x;
  all->height = -sides[REPORT_BOTTOM] - all->y;
}

/* Whether what lies outside of the box are bars, and not only parts that are dark in each frame: at each side that has
 * one, the active picture of at least half of the results ends there, give or take two pixels.
 *
 * @width, @height: of the picture, or of the region */
gboolean
report_area_is_constant (const ReportArea * area, guint width, guint height)
{
  const gboolean has_bar[REPORT_N_SIDES] = {
    area->x > 0, area->y > 0, area->x + area->width < (gint) width,
    area->y + area->height < (gint) height
  };

  for (guint i = 0; i < REPORT_N_SIDES; i++) {
    guint64 n = 0;

    for (guint k = 0; k < REPORT_NEAR; k++)
      n += area->near[i][k];
    if (has_bar[i] && (n == 0 || n < area->n - area->n / 2))
      return FALSE;
  }
  return TRUE;
}

/* If two worst frames are alike, the first one counts. */
void
report_r103_merge (ReportR103 * all, const ReportR103 * r103)
{
  const guint64 n_above = all->n_above + r103->n_above;

  if (r103->worst_frame != G_MAXUINT64 && (all->worst_frame == G_MAXUINT64 || r103->worst > all->worst))
    *all = *r103;
  else
    all->worst = MAX (all->worst, r103->worst);
  all->n_above = n_above;
}

/* The same. */
void
report_worst_merge (ReportWorst * all, const ReportWorst * worst)
{
  if (worst->frame != G_MAXUINT64 && (all->frame == G_MAXUINT64 || worst->value > all->value))
    *all = *worst;
}

static void
add_group_figures (ReportRegion * region, const HistoResult * result,
    const HistoGroupFigures * figures)
{
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const gdouble figure = G_STRUCT_MEMBER (gdouble, figures,
        histo_group_figures[i].offset);

    if (histo_group_figures[i].type != HISTO_FIGURE_CHOICE)
      histo_range_add (&region->figures[i], figure);
    else if (figure >= 0 && figure < REPORT_MOST_NAMES)
      region->choices[i][(guint) figure]++;
  }
  region->n_bits_used = MAX (region->n_bits_used, figures->n_bits_used);
  for (guint i = 0; i < figures->n_bits_used; i++)
    region->bits_used[i] = MAX (region->bits_used[i], figures->bits_used[i]);
  if (histo_result_has_group (result, HISTO_GROUP_AREA)) {
    ReportArea area = { figures->area_x, figures->area_y, figures->area_width,
      figures->area_height, 1, {{0}}
    };

    for (guint i = 0; i < REPORT_N_SIDES; i++)
      area.near[i][0] = 1;
    report_area_merge (&region->area, &area);
  }
}

/* Returns: the counts of a joint component, which are 0 at first */
guint64 *
report_region_find_joint (ReportRegion * region, HistoJoint joint)
{
  if (region->joints[joint] == NULL)
    region->joints[joint] = g_new0 (guint64, HISTO_SCOPE_BINS);
  return region->joints[joint];
}

static void
add_joints (ReportRegion * region, const HistoResult * result)
{
  for (guint i = 0; i < result->n_joints; i++) {
    const HistoComponentResult *joint = &result->joints[i];

    for (guint j = 0; j < HISTO_N_JOINTS; j++) {
      if (g_str_equal (histo_joints[j].name, joint->name) && joint->figures.bins == HISTO_SCOPE_BINS)
        histo_component_add_counts (joint, report_region_find_joint (region, j));
    }
  }
}

/* @frame: number of the result in the stream
 * @time: from its start */
static void
add_region (ReportPart * part, const HistoResult * result, guint r,
    guint64 frame, guint64 time)
{
  const HistoComponentResult *components =
      histo_result_region_components (result, r);
  const HistoRegionResult *measured =
      r < result->n_regions ? &result->regions[r] : NULL;
  ReportRegion *region;

  if (r < part->regions->len) {
    region = part->regions->pdata[r];
  } else {
    region = report_part_add_region (part,
        measured != NULL ? measured->region.name : NULL);
    if (measured != NULL) {
      region->x = measured->region.x;
      region->y = measured->region.y;
      region->width = measured->region.width;
      region->height = measured->region.height;
    }
  }
  for (guint i = 0; i < result->n_region_components; i++)
    add_component (region, &components[i], i);
  if (r == 0)
    add_joints (region, result);
  if (measured == NULL)
    return;
  add_group_figures (region, result, &measured->figures);
  if (!isnan (measured->figures.SIGNAL_brng))
    report_worst_merge (&region->worst_range, &(ReportWorst) {measured->figures.SIGNAL_brng, frame, time});
  if (!isnan (measured->figures.GAMUT_FILTER_any))
    report_r103_merge (&region->r103, &(ReportR103) {
        measured->figures.GAMUT_FILTER_any > HISTO_R103_ALLOWED, measured->figures.GAMUT_FILTER_any, frame, time});
}

/* ---- Flashes ---------------------------------------------------------------------------------- */

/* A change of the scene at a frame with so many transitions in its last second is the edge of a flash. */
#define TRANSITIONS_OF_FLASHES 2

/* Returns: the worst state and the most transitions of all zones, which may be of different ones */
HistoZone
report_find_worst_zone (const HistoGroupFigures * figures)
{
  HistoZone worst = { 0, 0, HISTO_FLASH_PASS };

  for (guint i = 0; i < figures->n_zones; i++) {
    const HistoZone *zone = &figures->zones[i];

    worst.transitions = MAX (worst.transitions, zone->transitions);
    worst.red_transitions = MAX (worst.red_transitions, zone->red_transitions);
    worst.state = MAX (worst.state, MIN (zone->state, HISTO_FLASH_FAIL));
  }
  return worst;
}

static void
add_flash_time (ReportStreamSummary * summary, guint64 time)
{
  const FlashTime new_one = { time, time };

  if (!GST_CLOCK_TIME_IS_VALID (time))
    return;
  if (!summary->is_flashing)
    g_array_append_val (summary->flash_times, new_one);
  g_array_index (summary->flash_times, FlashTime,
      summary->flash_times->len - 1).last = time;
  summary->is_flashing = TRUE;
}

static void
add_flashes (ReportStreamSummary * summary, const HistoGroupFigures * figures,
    const HistoTimes * times)
{
  const HistoZone zone = report_find_worst_zone (figures);
  const guint state = (guint) figures->FLASH_state;
  ReportFlashes *flashes;

  if (state != HISTO_FLASH_PASS
      || figures->FLASH_transitions >= TRANSITIONS_OF_FLASHES)
    add_flash_time (summary, times->stream_time);
  else
    summary->is_flashing = FALSE;
  if (figures->n_zones > 0)
    summary->zone_states[zone.state]++;
  if (state == HISTO_FLASH_PASS && zone.state == HISTO_FLASH_PASS) {
    summary->has_flashes = FALSE;
    return;
  }
  if (!summary->has_flashes)
    ((ReportFlashes *) report_objects_add (summary->flashes, &report_flashes_shape))->start = times->stream_time;
  summary->has_flashes = TRUE;
  flashes = summary->flashes->pdata[summary->flashes->len - 1];
  /* Both times are known, or none. */
  if (GST_CLOCK_TIME_IS_VALID (flashes->start)
      && GST_CLOCK_TIME_IS_VALID (times->stream_time))
    flashes->end =
        MAX (add_time (times->stream_time, times->duration), flashes->start);
  flashes->state = MAX (flashes->state, state);
  if (zone.state > flashes->zones_state)
    flashes->zones = 0;
  flashes->zones_state = MAX (flashes->zones_state, zone.state);
  for (guint i = 0; i < figures->n_zones && flashes->zones_state > HISTO_FLASH_PASS; i++)
    flashes->zones |= (guint32) (figures->zones[i].state >= flashes->zones_state) << i;
  flashes->transitions = MAX (flashes->transitions,
      MAX ((guint64) fmax (figures->FLASH_transitions, 0), zone.transitions));
  flashes->red_transitions = MAX (flashes->red_transitions,
      MAX ((guint64) fmax (figures->FLASH_red_transitions, 0),
          zone.red_transitions));
}

/* Sorts the times. Where time jumps back they may overlap: these become one. */
static void
sort_flash_times (GArray * times)
{
  guint n = 0;

  g_array_sort (times, report_sorted_compare);
  for (guint i = 0; i < times->len; i++) {
    const FlashTime *span = &g_array_index (times, FlashTime, i);
    FlashTime *last = n > 0 ? &g_array_index (times, FlashTime, n - 1) : NULL;

    if (last != NULL && span->first <= last->last)
      last->last = MAX (last->last, span->last);
    else
      g_array_index (times, FlashTime, n++) = *span;
  }
  g_array_set_size (times, n);
}

/* For g_array_binary_search(): a time in a span equals it. */
static gint
compare_with_flash_time (gconstpointer span, gconstpointer time)
{
  const FlashTime *flashes = span;
  const guint64 wanted = *(const guint64 *) time;

  return flashes->last < wanted ? -1 : flashes->first > wanted;
}

/* An alert may come before the result with which it begins, so it is counted at the end. */
void
report_stream_summary_leave_out_scenes (ReportStreamSummary * summary)
{
  GPtrArray *alerts = summary->alerts;
  guint n = 0;

  sort_flash_times (summary->flash_times);
  for (guint i = 0; i < alerts->len; i++) {
    ReportAlert *kept = alerts->pdata[i];

    if (kept->alert == HISTO_ALERT_SCENE && GST_CLOCK_TIME_IS_VALID (kept->start)
        && g_array_binary_search (summary->flash_times, &kept->start, compare_with_flash_time, NULL))
      continue;
    /* The one that is left out is freed with the last ones. */
    alerts->pdata[i] = alerts->pdata[n];
    alerts->pdata[n++] = kept;
  }
  summary->n_scenes_in_flashes += alerts->len - n;
  g_ptr_array_set_size (alerts, n);
}

/* ---- Spare tracks ----------------------------------------------------------------------------- */

/* Whether all windows of all channels are silent. */
gboolean
report_stream_summary_is_silent (const ReportStreamSummary * summary)
{
  for (guint c = 0; c < summary->channels->len; c++) {
    const HistoRange *silent =
        &((const ReportChannel *) summary->channels->pdata[c])->levels[HISTO_LEVEL_FIGURE_silent];

    if (silent->n == 0 || silent->min < 1)
      return FALSE;
  }
  return summary->channels->len > 0;
}

/**
 * report_summary_leave_out_spares:
 * @summary: of one input, finished
 *
 * Broadcast files have mono tracks that nobody uses. Such a track has no language, is in no programme, and is silent while
 * other sound is not. That it is silent is no fault: it is marked, and its alerts of silence are left out.
 */
void
report_summary_leave_out_spares (ReportSummary * summary)
{
  gboolean has_sound = FALSE;

  for (guint s = 0; s < summary->streams->len; s++) {
    const ReportStreamSummary *stream = summary->streams->pdata[s];

    has_sound = has_sound || (stream->stream->is_audio && stream->channels->len > 0
        && !report_stream_summary_is_silent (stream));
  }
  for (guint s = 0; has_sound && s < summary->streams->len; s++) {
    ReportStreamSummary *stream = summary->streams->pdata[s];

    stream->is_spare = stream->stream->is_audio && stream->stream->channels == 1
        && stream->stream->programme == NULL && report_facts_find (stream->facts, HISTO_FACT_LANGUAGE) == NULL
        && report_stream_summary_is_silent (stream);
    for (guint i = stream->alerts->len; stream->is_spare && i-- > 0;) {
      if (((const ReportAlert *) stream->alerts->pdata[i])->alert == HISTO_ALERT_SILENCE)
        g_ptr_array_remove_index (stream->alerts, i);
    }
  }
}

/* ---- Repeats ---------------------------------------------------------------------------------- */

static void
add_repeats (ReportRepeats * repeats, const HistoGroupFigures * figures,
    guint64 time)
{
  const gdouble period = figures->MOTION_cadence_period;
  const gdouble unique = figures->MOTION_cadence_unique;

  /* A figure that is absent is NaN, and ends a run. */
  if (!(figures->MOTION_repeat > 0))
    repeats->run = 0;
  else if (repeats->run++ == 0)
    repeats->run_start = time;
  if (repeats->run > repeats->longest) {
    repeats->longest = repeats->run;
    repeats->longest_start = repeats->run_start;
  }
  if (period >= 1 && period <= REPORT_MOST_PERIOD && unique >= 0
      && unique <= period)
    repeats->cadences[(guint) period][(guint) unique]++;
}

/* A frame comes late if it is so much farther from the one before than that is from its own. */
#define LATE_FRAMES 1.5
/* So many are kept. */
#define MOST_HELD 10000

/* @time: from the start of the stream */
static void
add_held (ReportStreamSummary * summary, const HistoGroupFigures * figures, guint64 time)
{
  const guint64 stream_time = summary->start + time;
  const guint64 distance = GST_CLOCK_TIME_IS_VALID (summary->latest) && stream_time > summary->latest ?
      stream_time - summary->latest : 0;

  if (figures->MOTION_near_repeat > 0 && summary->latest_distance > 0 && distance > LATE_FRAMES * summary->latest_distance
      && summary->held->len < MOST_HELD)
    g_array_append_val (summary->held, stream_time);
  summary->latest = stream_time;
  summary->latest_distance = distance;
}

/* ---- Sound ------------------------------------------------------------------------------------ */

/* Blocks of 400 ms and of 3 s begin each 100 ms, which are so many samples as libebur128 rounds it. */
#define SAMPLES_OF_STEP(rate) (MAX (((guint64) MAX (rate, 0) + 5) / 10, 1))
#define MOMENTARY_STEPS 4
#define SHORT_TERM_STEPS 30

/* A block counts once, with the window in which it becomes whole: a shorter window repeats the loudness of
 * the one before. */
static void
add_blocks (ReportStreamSummary * summary, const HistoResult * result)
{
  const guint64 step = SAMPLES_OF_STEP (result->rate);
  const guint64 before = summary->n_samples_of_loudness / step;
  guint64 now;

  summary->n_samples_of_loudness += MIN (result->n_samples,
      G_MAXINT64 - summary->n_samples_of_loudness);
  now = summary->n_samples_of_loudness / step;
  if (now == before)
    return;
  if (now >= MOMENTARY_STEPS)
    histo_loudness_blocks_add (summary->momentary,
        result->loudness.momentary);
  if (now >= SHORT_TERM_STEPS)
    histo_loudness_blocks_add (summary->short_term,
        result->loudness.short_term);
}

static void
add_loudness (ReportStreamSummary * summary, ReportPart * part,
    const HistoResult * result)
{
  const HistoLoudnessFigures *figures = &result->loudness;
  const HistoRange *integrated =
      &summary->loudness[HISTO_LOUDNESS_FIGURE_integrated];

  /* The element has begun to measure the loudness anew: for other caps, or for the next file of a chain. The integrated
   * loudness is infinite until the first block is whole, and then never again. */
  if (integrated->n > 0 && isfinite (integrated->last)
      && !isfinite (figures->integrated)) {
    summary->n_samples_of_loudness = 0;
    summary->is_merged = TRUE;
  }
  if (summary->momentary == NULL) {
    summary->momentary = histo_loudness_blocks_new ();
    summary->short_term = histo_loudness_blocks_new ();
  }
  add_blocks (summary, result);
  for (guint i = 0; i < HISTO_N_LOUDNESS_FIGURES; i++)
    histo_range_add (&summary->loudness[i],
        G_STRUCT_MEMBER (gdouble, figures, histo_loudness_figures[i].offset));
  for (guint c = 0; c < MIN (part->channels->len, result->n_components); c++) {
    gdouble *arrays = ((ReportChannel *) part->channels->pdata[c])->arrays;

    for (guint i = 0; i < HISTO_N_LOUDNESS_ARRAYS; i++)
      arrays[i] = fmax (arrays[i], G_STRUCT_MEMBER (const gdouble *, figures, histo_loudness_arrays[i].offset)[c]);
  }
}

/* ---- Results and alerts ------------------------------------------------------------------------- */

static void
add_times (ReportStreamSummary * summary, ReportPart * part,
    const HistoTimes * times)
{
  guint64 end;

  if (!GST_CLOCK_TIME_IS_VALID (times->stream_time))
    return;
  if (!GST_CLOCK_TIME_IS_VALID (summary->start))
    summary->start = 0;
  /* From the first frame to the last one there is one distance less than there are frames. */
  if (!summary->stream->is_audio && times->stream_time > 0)
    summary->mean_frame_rate = (summary->n_results - 1)
        * (gdouble) GST_SECOND / times->stream_time;
  end = add_time (times->stream_time, times->duration);
  if (part != NULL && !GST_CLOCK_TIME_IS_VALID (part->start)) {
    part->start = times->stream_time;
    part->end = end;
  }
  if (part != NULL)
    part->end = MAX (part->end, end);
  end = add_time (summary->start, end);
  if (!GST_CLOCK_TIME_IS_VALID (summary->end) || end > summary->end)
    summary->end = end;
}

/* What the result and its caps say of the stream. The texts are not copied. Where caps name no colorimetry the
 * result has a default one, which is no fact of the stream. */
static void
describe_result (ReportStream * stream, const ReportStreamSummary * summary,
    const HistoResult * result)
{
  *stream = (ReportStream) {
    .is_audio = result->is_audio,
    .format = (gchar *) result->format,
  };
  if (result->is_audio) {
    stream->rate = result->rate;
    stream->channels = result->channels;
    /* The result does not say where the channels are. */
    if (result->channels == summary->stream->channels)
      stream->channel_names = summary->stream->channel_names;
  } else {
    stream->width = result->width;
    stream->height = result->height;
    stream->colorimetry = summary->next->colorimetry;
    stream->frame_rate = summary->next->frame_rate;
    stream->par_n = summary->next->par_n;
    stream->par_d = summary->next->par_d;
  }
}

/* The caps may have changed before the stream was described: the first result shows how it begins. */
static void
correct_description (ReportStream * stream, const ReportStream * first)
{
  if (is_alike (stream, first))
    return;
  g_free (stream->format);
  g_free (stream->colorimetry);
  stream->format = g_strdup (first->format);
  stream->colorimetry = g_strdup (first->colorimetry);
  stream->width = first->width;
  stream->height = first->height;
  stream->frame_rate = first->frame_rate;
  stream->par_n = first->par_n;
  stream->par_d = first->par_d;
  stream->rate = first->rate;
  if (stream->channels != first->channels)
    g_clear_pointer (&stream->channel_names, g_strfreev);
  stream->channels = first->channels;
}

/* Returns: (nullable): the part to which the result belongs: the last one, or a new one after a change;
 * NULL: there are too many */
static ReportPart *
find_part (ReportStreamSummary * summary, const HistoResult * result)
{
  const guint n = summary->parts->len;
  ReportStream stream;
  ReportPart *last = n > 0 ? summary->parts->pdata[n - 1] : NULL;

  describe_result (&stream, summary, result);
  if (last != NULL && is_alike (last->stream, &stream))
    return last;
  if (n >= REPORT_MOST_PARTS)
    return report_stream_summary_find_part (summary, &stream);
  if (n == 0)
    correct_description (summary->stream, &stream);
  /* The element measures loudness anew. */
  summary->is_merged = summary->is_merged || summary->momentary != NULL;
  summary->n_samples_of_loudness = 0;
  return report_stream_summary_add_part (summary, &stream);
}

/* What a stream says of its light is compared with all of its light, so that only one saying can be compared. */
static void
follow_light (ReportStreamSummary * summary)
{
  const ReportCarried *light = &summary->next->carried;

  if (summary->n_results == 0)
    summary->stream->carried = *light;
  else if (memcmp (light, &summary->latest_light, sizeof *light) != 0)
    summary->stream->carried.changes++;
  summary->latest_light = *light;
}

/**
 * report_summary_add_result:
 * @result: of the next frame, or of the next window of sound
 * @times: from report_stream_summary_count()
 */
void
report_summary_add_result (ReportStreamSummary * summary,
    const HistoResult * result, const HistoTimes * times)
{
  const guint n_regions = MAX (result->n_regions, 1);
  ReportPart *part = find_part (summary, result);

  if (!result->is_audio)
    follow_light (summary);
  summary->groups |= result->groups;
  if (g_strcmp0 (summary->backend, result->backend) != 0) {
    g_free (summary->backend);
    summary->backend = g_strdup (result->backend);
  }
  summary->n_results++;
  summary->n_samples += result->is_audio ? result->n_samples : 0;
  add_times (summary, part, times);
  if (result->n_regions > 0) {
    const HistoGroupFigures *figures = &result->regions[0].figures;

    if (!isnan (figures->FLASH_state))
      add_flashes (summary, figures, times);
    add_repeats (&summary->repeats, figures, times->stream_time);
    if (GST_CLOCK_TIME_IS_VALID (times->stream_time))
      add_held (summary, figures, times->stream_time);
  }
  if (part == NULL)
    return;
  part->n_results++;
  for (guint r = 0; r < n_regions; r++)
    add_region (part, result, r, summary->n_results - 1, times->stream_time);
  if (!result->is_audio)
    return;
  part->n_samples += result->n_samples;
  report_part_set_channels (part, result->n_components);
  if (histo_result_has_group (result, HISTO_GROUP_LEVEL)) {
    for (guint c = 0; c < MIN (part->channels->len, result->n_components); c++) {
      ReportChannel *channel = part->channels->pdata[c];

      for (guint i = 0; i < HISTO_N_LEVEL_FIGURES; i++)
        histo_range_add (&channel->levels[i], histo_figure_get (&histo_level_figures[i], &result->levels[c]));
    }
    report_pairs_add_result (part->pairs, result);
    report_sound_spans_add_result (&summary->sound_spans, result, times);
  }
  /* Without channels there are no blocks to be counted. */
  if (histo_result_has_group (result, HISTO_GROUP_LOUDNESS)
      && part->channels->len > 0)
    add_loudness (summary, part, result);
}

/**
 * report_summary_add_alert:
 * @event: the next begin or end; its times are those of report_stream_summary_count()
 */
void
report_summary_add_alert (ReportStreamSummary * summary,
    const HistoAlertEvent * event)
{
  gchar text[256];
  const gchar *place = text;
  ReportAlert *alert;

  histo_alert_write_place (event, text, sizeof text);
  if (text[0] == '\0')
    place = NULL;
  if (!event->is_end) {
    alert = report_objects_add (summary->alerts, &report_alert_shape);
    alert->alert = event->alert;
    alert->place = g_strdup (place);
    alert->rule = g_strdup (event->rule);
    alert->start = event->start;
    alert->value = event->value;
    alert->value_time = event->value_time;
    alert->threshold = event->threshold;
    return;
  }
  for (guint i = summary->alerts->len; i > 0; i--) {
    alert = summary->alerts->pdata[i - 1];
    if (alert->alert == event->alert && g_strcmp0 (alert->place, place) == 0
        && g_strcmp0 (alert->rule, event->rule) == 0) {
      /* It may have been unknown when the alert began. */
      alert->start = event->start;
      alert->end = event->end;
      if (event->alert == HISTO_ALERT_RULE) {
        alert->value = event->value;
        alert->value_time = event->value_time;
        alert->threshold = event->threshold;
      }
      return;
    }
  }
}
