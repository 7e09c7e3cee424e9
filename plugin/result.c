/* The result that users see: a structure, on the buffer and on the bus.
 *
 * The names of fields are a contract with applications (docs/result.md): they are
 * added to, never changed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result.h"

#include <math.h>

static const gchar *const percentile_names[HISTO_N_PERCENTILES] = {
  "p1", "p10", "p50", "p90", "p99"
};

/* Makes the meta's name known. It has no tags: a meta without tags is kept by video
 * and by audio converters alike, which drop those that say "size" or "colorspace". */
void
histo_result_register (void)
{
  static const gchar *no_tags[] = { NULL };

  if (gst_meta_get_info (HISTO_RESULT_NAME) == NULL)
    gst_meta_register_custom (HISTO_RESULT_NAME, no_tags, NULL, NULL, NULL);
}

/* @histogram: n_bins counts, taken over, in the host's byte order. */
static GBytes *
histogram_bytes (guint32 * histogram, guint n_bins)
{
  for (guint i = 0; i < n_bins; i++)
    histogram[i] = GUINT32_TO_LE (histogram[i]);
  return g_bytes_new_take (histogram, n_bins * sizeof *histogram);
}

static GstStructure *
component_structure (const gchar * name, const HistoStatistics * statistics,
    const HistoBinning * binning, GBytes * histogram)
{
  GstStructure *structure = gst_structure_new (name,
      "count", G_TYPE_UINT64, statistics->count,
      "min", G_TYPE_DOUBLE, statistics->min,
      "max", G_TYPE_DOUBLE, statistics->max,
      "sum", G_TYPE_DOUBLE, statistics->sum,
      "mean", G_TYPE_DOUBLE, statistics->mean,
      "variance", G_TYPE_DOUBLE, statistics->variance,
      "std-dev", G_TYPE_DOUBLE, sqrt (statistics->variance), NULL);

  for (guint i = 0; i < HISTO_N_PERCENTILES; i++)
    gst_structure_set (structure, percentile_names[i], G_TYPE_DOUBLE,
        statistics->percentiles[i], NULL);
  gst_structure_set (structure,
      "mode", G_TYPE_DOUBLE, statistics->mode,
      "entropy", G_TYPE_DOUBLE, statistics->entropy,
      "bins", G_TYPE_UINT, binning->n_bins,
      "range-min", G_TYPE_DOUBLE, binning->range_min,
      "range-max", G_TYPE_DOUBLE, binning->range_max,
      "underflow", G_TYPE_UINT64, statistics->underflow,
      "overflow", G_TYPE_UINT64, statistics->overflow,
      "nan", G_TYPE_UINT64, statistics->nan,
      "inf", G_TYPE_UINT64, statistics->inf, NULL);
  if (histogram != NULL)
    gst_structure_set (structure, "histogram", G_TYPE_BYTES, histogram, NULL);
  return structure;
}

static GstStructure *
measure_component (const HistoFormat * format, guint component,
    const HistoBins * bins, const HistoCounts * counts,
    gboolean with_histogram)
{
  const guint n_bins = bins->binning.n_bins;
  guint32 *histogram = NULL;
  GBytes *bytes = NULL;
  HistoStatistics statistics;
  GstStructure *structure;

  if (with_histogram)
    histogram = g_new (guint32, n_bins);

  if (format->is_audio) {
    const guint32 *counters = counts->counters + (gsize) component * n_bins;

    histo_statistics_from_totals (&statistics, &counts->totals[component],
        format->sample.kind == HISTO_AUDIO_FLOAT, counters, bins);
    if (with_histogram)
      memcpy (histogram, counters, n_bins * sizeof *histogram);
  } else {
    histo_statistics_from_native (&statistics,
        counts->counters + format->first_bins[component],
        1u << format->depths[component], bins, histogram);
  }

  if (with_histogram)
    bytes = histogram_bytes (histogram, n_bins);
  structure = component_structure (format->names[component], &statistics,
      &bins->binning, bytes);
  g_clear_pointer (&bytes, g_bytes_unref);
  return structure;
}

static void
set_component_names (GstStructure * result, const HistoFormat * format)
{
  GValue array = G_VALUE_INIT;

  g_value_init (&array, GST_TYPE_ARRAY);
  for (guint c = 0; c < format->n_components; c++) {
    GValue name = G_VALUE_INIT;

    g_value_init (&name, G_TYPE_STRING);
    g_value_set_string (&name, format->names[c]);
    gst_value_array_append_and_take_value (&array, &name);
  }
  gst_structure_take_value (result, "components", &array);
}

/**
 * histo_result_fill:
 * @result: an empty structure named "cudahisto"
 * @bins: (array): one per component of video, one for all channels of audio
 * @backend: who counted
 */
void
histo_result_fill (GstStructure * result, const HistoFormat * format,
    const HistoBins * bins, const HistoCounts * counts,
    const gchar * backend, gboolean with_histogram)
{
  gst_structure_set (result,
      "schema", G_TYPE_UINT, HISTO_RESULT_SCHEMA,
      "media", G_TYPE_STRING, format->is_audio ? "audio" : "video",
      "format", G_TYPE_STRING, histo_format_name (format), NULL);
  if (format->is_audio)
    gst_structure_set (result,
        "rate", G_TYPE_INT, GST_AUDIO_INFO_RATE (&format->audio),
        "channels", G_TYPE_INT, (gint) format->n_components,
        "samples", G_TYPE_UINT64, counts->n_samples, NULL);
  else
    gst_structure_set (result, "width", G_TYPE_INT, (gint) format->width,
        "height", G_TYPE_INT, (gint) format->height, NULL);
  if (format->colorimetry != NULL)
    gst_structure_set (result, "colorimetry", G_TYPE_STRING,
        format->colorimetry, NULL);
  gst_structure_set (result, "backend", G_TYPE_STRING, backend, NULL);
  set_component_names (result, format);

  for (guint c = 0; c < format->n_components; c++) {
    GValue value = G_VALUE_INIT;

    g_value_init (&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&value, measure_component (format, c,
            &bins[format->is_audio ? 0 : c], counts, with_histogram));
    gst_structure_take_value (result, format->names[c], &value);
  }
}

/**
 * histo_result_attach:
 * @buffer: (inout) (transfer full): mapped by nobody any more; becomes a copy that
 * shares its memory if others hold the buffer too
 *
 * Adds the meta, in place of one that an element before this one added, so that
 * gst_buffer_get_custom_meta() finds the newest.
 *
 * Returns: (transfer none): the meta's structure, empty
 */
GstStructure *
histo_result_attach (GstBuffer ** buffer)
{
  GstCustomMeta *old;

  *buffer = gst_buffer_make_writable (*buffer);
  while ((old = gst_buffer_get_custom_meta (*buffer, HISTO_RESULT_NAME))) {
    if (!gst_buffer_remove_meta (*buffer, &old->meta))
      break;
  }
  return gst_custom_meta_get_structure (gst_buffer_add_custom_meta (*buffer,
          HISTO_RESULT_NAME));
}

/**
 * histo_result_to_message:
 * @result: (transfer full): becomes the message's structure
 * @buffer: which was measured, for its times
 *
 * Returns: (transfer full): an element message with the same fields, and the four
 * times (ns, GST_CLOCK_TIME_NONE where unknown) that `level` has in its messages
 */
GstMessage *
histo_result_to_message (GstStructure * result, GstObject * source,
    GstBuffer * buffer, const GstSegment * segment)
{
  GstClockTime timestamp = GST_BUFFER_PTS (buffer);
  GstClockTime running_time = GST_CLOCK_TIME_NONE;
  GstClockTime stream_time = GST_CLOCK_TIME_NONE;

  if (segment->format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID (timestamp)) {
    running_time =
        gst_segment_to_running_time (segment, GST_FORMAT_TIME, timestamp);
    stream_time =
        gst_segment_to_stream_time (segment, GST_FORMAT_TIME, timestamp);
  }
  gst_structure_set (result,
      "timestamp", G_TYPE_UINT64, timestamp,
      "stream-time", G_TYPE_UINT64, stream_time,
      "running-time", G_TYPE_UINT64, running_time,
      "duration", G_TYPE_UINT64, GST_BUFFER_DURATION (buffer), NULL);
  return gst_message_new_element (source, result);
}
