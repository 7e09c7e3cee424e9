/* The result that users see: a structure, on the buffer and on the bus.
 *
 * The names of fields are a contract with applications (docs/result.md): they are
 * added to, never changed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/write.h"

#include <math.h>

/* Names, as the numbers that structures keep: looking them up by their text, frame after
 * frame, would take longer than the figures do. Constant after histo_result_register(). */
#define FIELDS(field) \
  field (schema, "schema") \
  field (media, "media") \
  field (format, "format") \
  field (width, "width") \
  field (height, "height") \
  field (colorimetry, "colorimetry") \
  field (rate, "rate") \
  field (channels, "channels") \
  field (samples, "samples") \
  field (backend, "backend") \
  field (components, "components") \
  field (count, "count") \
  field (min, "min") \
  field (max, "max") \
  field (sum, "sum") \
  field (mean, "mean") \
  field (variance, "variance") \
  field (std_dev, "std-dev") \
  field (p1, "p1") \
  field (p10, "p10") \
  field (p50, "p50") \
  field (p90, "p90") \
  field (p99, "p99") \
  field (mode, "mode") \
  field (entropy, "entropy") \
  field (bins, "bins") \
  field (range_min, "range-min") \
  field (range_max, "range-max") \
  field (histogram, "histogram") \
  field (underflow, "underflow") \
  field (overflow, "overflow") \
  field (nan, "nan") \
  field (inf, "inf")

static struct
{
#define DECLARE(field, name) GQuark field;
  FIELDS (DECLARE)
#undef DECLARE
  GValue a_double, a_uint64;    /* for most fields, to be copied */
} names;

static const GstMetaInfo *meta_info;

static void
make_names (void)
{
#define LOOK_UP(field, name) names.field = g_quark_from_static_string (name);
  FIELDS (LOOK_UP)
#undef LOOK_UP
  if (G_IS_VALUE (&names.a_double))
    return;
  g_value_init (&names.a_double, G_TYPE_DOUBLE);
  g_value_init (&names.a_uint64, G_TYPE_UINT64);
}

/* ---- Fields -------------------------------------------------------------------------- */

/* The structure takes the value as it is, where gst_structure_set() would copy it. */

static void
set_uint (GstStructure * structure, GQuark name, guint number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT);
  g_value_set_uint (&value, number);
  gst_structure_id_take_value (structure, name, &value);
}

static void
set_int (GstStructure * structure, GQuark name, gint number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT);
  g_value_set_int (&value, number);
  gst_structure_id_take_value (structure, name, &value);
}

/* @text: not copied, so it lives for ever */
static void
set_string (GstStructure * structure, GQuark name, const gchar * text)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_static_string (&value, text);
  gst_structure_id_take_value (structure, name, &value);
}

static void
set_boxed (GstStructure * structure, GQuark name, GType type, gpointer boxed)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, type);
  g_value_take_boxed (&value, boxed);
  gst_structure_id_take_value (structure, name, &value);
}

static inline void
set_double (GstStructure * structure, GQuark name, gdouble number)
{
  GValue value = names.a_double;

  g_value_set_double (&value, number);
  gst_structure_id_take_value (structure, name, &value);
}

static inline void
set_uint64 (GstStructure * structure, GQuark name, guint64 number)
{
  GValue value = names.a_uint64;

  g_value_set_uint64 (&value, number);
  gst_structure_id_take_value (structure, name, &value);
}

/* Makes the names known, before anything else here is called. The meta has no tags: a meta
 * without tags is kept by video and by audio converters alike, which drop those that say
 * "size" or "colorspace". */
void
histo_result_register (void)
{
  static const gchar *no_tags[] = { NULL };

  make_names ();
  meta_info = gst_meta_get_info (HISTO_RESULT_NAME);
  if (meta_info == NULL)
    meta_info =
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

/* @name: the component's
 * @histogram: (transfer full) (nullable) */
static GstStructure *
component_structure (GQuark name, const HistoStatistics * statistics,
    const HistoBinning * binning, GBytes * histogram)
{
  const GQuark percentiles[HISTO_N_PERCENTILES] = {
    names.p1, names.p10, names.p50, names.p90, names.p99
  };
  GstStructure *structure = gst_structure_new_id_empty (name);

  set_uint64 (structure, names.count, statistics->count);
  set_double (structure, names.min, statistics->min);
  set_double (structure, names.max, statistics->max);
  set_double (structure, names.sum, statistics->sum);
  set_double (structure, names.mean, statistics->mean);
  set_double (structure, names.variance, statistics->variance);
  set_double (structure, names.std_dev, sqrt (statistics->variance));
  for (guint i = 0; i < HISTO_N_PERCENTILES; i++)
    set_double (structure, percentiles[i], statistics->percentiles[i]);
  set_double (structure, names.mode, statistics->mode);
  set_double (structure, names.entropy, statistics->entropy);
  set_uint (structure, names.bins, binning->n_bins);
  set_double (structure, names.range_min, binning->range_min);
  set_double (structure, names.range_max, binning->range_max);
  set_uint64 (structure, names.underflow, statistics->underflow);
  set_uint64 (structure, names.overflow, statistics->overflow);
  set_uint64 (structure, names.nan, statistics->nan);
  set_uint64 (structure, names.inf, statistics->inf);
  if (histogram != NULL)
    set_boxed (structure, names.histogram, G_TYPE_BYTES, histogram);
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
  return component_structure (format->names[component], &statistics,
      &bins->binning, bytes);
}

/* The array of the components' names is there before them. */
static void
set_components (GstStructure * result, const HistoFormat * format,
    const HistoBins * bins, const HistoCounts * counts, gboolean with_histogram)
{
  GValue array = G_VALUE_INIT;

  gst_value_array_init (&array, format->n_components);
  for (guint c = 0; c < format->n_components; c++) {
    GValue name = G_VALUE_INIT;

    g_value_init (&name, G_TYPE_STRING);
    g_value_set_static_string (&name, g_quark_to_string (format->names[c]));
    gst_value_array_append_and_take_value (&array, &name);
  }
  gst_structure_id_take_value (result, names.components, &array);

  for (guint c = 0; c < format->n_components; c++)
    set_boxed (result, format->names[c], GST_TYPE_STRUCTURE,
        measure_component (format, c, &bins[format->is_audio ? 0 : c], counts,
            with_histogram));
}

/**
 * histo_result_fill:
 * @result: an empty structure named "cudahisto"
 * @bins: (array): one per component of video, one for all channels of audio
 * @backend: who counted; a static string
 */
void
histo_result_fill (GstStructure * result, const HistoFormat * format,
    const HistoBins * bins, const HistoCounts * counts,
    const gchar * backend, gboolean with_histogram)
{
  set_uint (result, names.schema, HISTO_RESULT_SCHEMA);
  set_string (result, names.media, format->is_audio ? "audio" : "video");
  set_string (result, names.format, histo_format_name (format));
  if (format->is_audio) {
    set_int (result, names.rate, GST_AUDIO_INFO_RATE (&format->audio));
    set_int (result, names.channels, format->n_components);
    set_uint64 (result, names.samples, counts->n_samples);
  } else {
    set_int (result, names.width, format->width);
    set_int (result, names.height, format->height);
  }
  if (format->colorimetry != NULL)
    set_string (result, names.colorimetry, format->colorimetry);
  set_string (result, names.backend, backend);
  set_components (result, format, bins, counts, with_histogram);
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
  GstMeta *meta;

  *buffer = gst_buffer_make_writable (*buffer);
  while ((meta = gst_buffer_get_meta (*buffer, meta_info->api))) {
    if (!gst_buffer_remove_meta (*buffer, meta))
      break;
  }
  /* As gst_buffer_add_custom_meta(), which looks the name up. */
  meta = gst_buffer_add_meta (*buffer, meta_info, NULL);
  return gst_custom_meta_get_structure ((GstCustomMeta *) meta);
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
