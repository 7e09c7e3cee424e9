/* Reads results and compares them with the reference; see compare.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"

#include <math.h>

/* ---- Reading ------------------------------------------------------------------------------- */

gboolean
test_has_result (GstBuffer * buffer)
{
  return gst_buffer_get_custom_meta (buffer, "cudahisto") != NULL;
}

const GstStructure *
test_result (GstBuffer * buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "cudahisto");

  fail_unless (meta != NULL, "the buffer has no result");
  return gst_custom_meta_get_structure (meta);
}

const GstStructure *
test_component (const GstStructure * result, const gchar * name)
{
  const GValue *value = gst_structure_get_value (result, name);

  fail_unless (value != NULL && GST_VALUE_HOLDS_STRUCTURE (value),
      "the result has no component %s", name);
  return gst_value_get_structure (value);
}

gint
test_get_int (const GstStructure * s, const gchar * field)
{
  gint value = 0;

  fail_unless (gst_structure_get_int (s, field, &value),
      "there is no field %s of type gint", field);
  return value;
}

guint64
test_get_uint64 (const GstStructure * s, const gchar * field)
{
  guint64 value = 0;

  fail_unless (gst_structure_get_uint64 (s, field, &value),
      "there is no field %s of type guint64", field);
  return value;
}

gdouble
test_get_double (const GstStructure * s, const gchar * field)
{
  gdouble value = 0;

  fail_unless (gst_structure_get_double (s, field, &value),
      "there is no field %s of type gdouble", field);
  return value;
}

/* ---- Comparing ----------------------------------------------------------------------------- */

/* Relative difference of two results that were rounded once or twice in different places. */
#define FEW_ROUNDINGS 1e-14
/* The relative difference that docs/result.md allows for sums of floats. */
#define FLOAT_SUMS 1e-12
/* The entropy adds thousands of logarithms, and their order is not fixed. */
#define ENTROPY 1e-11

static void
compare_double (const GstStructure * s, const gchar * field, gdouble expected,
    gdouble tolerance, const gchar * label)
{
  gdouble value = test_get_double (s, field);
  gdouble difference = fabs (value - expected);

  if (isnan (expected) ? isnan (value) : value == expected)
    return;
  fail_unless (isfinite (expected) && difference <= tolerance * fabs (expected),
      "%s: %s is %.17g, not %.17g", label, field, value, expected);
}

static void
compare_uint64 (const GstStructure * s, const gchar * field, guint64 expected,
    const gchar * label)
{
  guint64 value = test_get_uint64 (s, field);

  fail_unless (value == expected, "%s: %s is %" G_GUINT64_FORMAT ", not %"
      G_GUINT64_FORMAT, label, field, value, expected);
}

/* Instead of a range. */
static void
compare_edges (const GstStructure * s, const ReferenceStatistics * r,
    const gchar * label)
{
  g_autoptr (GBytes) bytes = NULL;
  const guint8 *data;
  gsize size;

  fail_if (gst_structure_has_field (s, "range-min")
      || gst_structure_has_field (s, "range-max"), "%s: there is a range", label);
  fail_unless (gst_structure_get (s, "edges", G_TYPE_BYTES, &bytes, NULL),
      "%s: no edges", label);
  data = g_bytes_get_data (bytes, &size);
  fail_unless_equals_int (size, (r->bins + 1) * 8);
  for (guint i = 0; i <= r->bins; i++) {
    if (GST_READ_DOUBLE_LE (data + 8 * i) != r->edges[i])
      ck_abort_msg ("%s: edge %u is %g, not %g", label, i, GST_READ_DOUBLE_LE (data + 8 * i), r->edges[i]);
  }
}

static void
check_schema (const GstStructure * result, const ReferenceStatistics * r)
{
  guint schema = 0;

  fail_unless (gst_structure_get_uint (result, "schema", &schema));
  fail_unless_equals_int (schema, r->edges != NULL ? 2 : 1);
}

static void
compare_histogram (const GstStructure * s, const ReferenceStatistics * r,
    const gchar * label)
{
  GBytes *bytes = NULL;
  const guint8 *data;
  gsize size;
  guint bins = 0;

  fail_unless (gst_structure_get_uint (s, "bins", &bins));
  fail_unless_equals_int (bins, r->bins);
  fail_unless (gst_structure_get (s, "histogram", G_TYPE_BYTES, &bytes, NULL),
      "%s: no histogram", label);
  data = g_bytes_get_data (bytes, &size);
  fail_unless_equals_int (size, bins * 4);
  /* Not fail_unless() for each bin: it writes to a file even when the condition holds. */
  for (guint i = 0; i < bins; i++) {
    if (GST_READ_UINT32_LE (data + 4 * i) != r->histogram[i])
      ck_abort_msg ("%s: histogram[%u] is %u, not %" G_GUINT64_FORMAT, label, i,
          GST_READ_UINT32_LE (data + 4 * i), r->histogram[i]);
  }
  g_bytes_unref (bytes);
}

void
test_compare_depth (const GstStructure * s, guint depth, const gchar * label)
{
  guint found = 0;

  if (depth == 0 && gst_structure_has_field (s, "depth"))
    ck_abort_msg ("%s: there is a depth", label);
  if (depth > 0 && (!gst_structure_get_uint (s, "depth", &found) || found != depth))
    ck_abort_msg ("%s: depth is %u, not %u", label, found, depth);
}

void
test_compare_component (const GstStructure * s, const ReferenceStatistics * r,
    gboolean is_float, const gchar * label)
{
  const gdouble sums = is_float ? FLOAT_SUMS : 0;
  const gdouble derived = is_float ? FLOAT_SUMS : FEW_ROUNDINGS;

  compare_uint64 (s, "count", r->count, label);
  compare_double (s, "min", r->min, 0, label);
  compare_double (s, "max", r->max, 0, label);
  compare_double (s, "sum", r->sum, sums, label);
  compare_double (s, "mean", r->mean, derived, label);
  compare_double (s, "variance", r->variance, derived, label);
  compare_double (s, "std-dev", r->std_dev, derived, label);
  compare_double (s, "p1", r->p1, 0, label);
  compare_double (s, "p10", r->p10, 0, label);
  compare_double (s, "p50", r->p50, 0, label);
  compare_double (s, "p90", r->p90, 0, label);
  compare_double (s, "p99", r->p99, 0, label);
  compare_double (s, "mode", r->mode, 0, label);
  compare_double (s, "entropy", r->entropy, ENTROPY, label);
  if (r->edges != NULL) {
    compare_edges (s, r, label);
  } else {
    compare_double (s, "range-min", r->range_min, 0, label);
    compare_double (s, "range-max", r->range_max, 0, label);
    fail_if (gst_structure_has_field (s, "edges"), "%s: there are edges", label);
  }
  compare_uint64 (s, "underflow", r->underflow, label);
  compare_uint64 (s, "overflow", r->overflow, label);
  compare_uint64 (s, "nan", r->nan, label);
  compare_uint64 (s, "inf", r->inf, label);
  compare_histogram (s, r, label);
}

void
test_compare_video (const GstStructure * result, const GstVideoInfo * info,
    const guint8 * const data[4], guint bins, gdouble range_min,
    gdouble range_max)
{
  const GstVideoFormat format = GST_VIDEO_INFO_FORMAT (info);
  ReferenceShape shape;

  fail_unless_equals_string (gst_structure_get_string (result, "format"),
      GST_VIDEO_INFO_NAME (info));
  fail_unless (reference_video_shape (format, info->width, info->height,
          &shape));
  for (guint c = 0; c < shape.n_components; c++) {
    gsize n = (gsize) shape.widths[c] * shape.heights[c];
    guint32 *samples = g_new (guint32, n + 1);
    ReferenceStatistics reference;
    gchar *label = g_strdup_printf ("%s %dx%d stride %d, %s",
        GST_VIDEO_INFO_NAME (info), info->width, info->height,
        info->stride[0], shape.names[c]);

    fail_unless (reference_video_samples (format, info->width, info->height,
            data, info->stride, c, samples));
    reference_video_statistics (samples, n, shape.depths[c], bins, range_min,
        range_max, &reference);
    test_compare_component (test_component (result, shape.names[c]), &reference,
        FALSE, label);
    test_compare_depth (test_component (result, shape.names[c]), shape.depths[c], label);
    check_schema (result, &reference);
    reference_statistics_clear (&reference);
    g_free (samples);
    g_free (label);
  }
}

void
test_compare_audio (const GstStructure * result, const GstAudioInfo * info,
    const guint8 * data, gsize n_samples, guint bins, gdouble range_min,
    gdouble range_max)
{
  const GstAudioFormat format = GST_AUDIO_INFO_FORMAT (info);
  const gboolean interleaved = info->layout == GST_AUDIO_LAYOUT_INTERLEAVED;
  /* Not GST_AUDIO_INFO_BPS: it is computed from the depth. */
  const gsize bytes = GST_AUDIO_INFO_WIDTH (info) / 8;

  fail_unless_equals_string (gst_structure_get_string (result, "format"),
      GST_AUDIO_INFO_NAME (info));
  fail_unless_equals_uint64 (test_get_uint64 (result, "samples"), n_samples);
  for (gint c = 0; c < info->channels; c++) {
    gdouble *samples = g_new (gdouble, n_samples + 1);
    gchar *name = g_strdup_printf ("ch%d", c);
    gchar *label = g_strdup_printf ("%s %s, %d channels, %s",
        GST_AUDIO_INFO_NAME (info), interleaved ? "interleaved" : "planar",
        info->channels, name);
    ReferenceStatistics reference;

    fail_unless (reference_audio_samples (format,
            data + c * bytes * (interleaved ? 1 : n_samples), n_samples,
            interleaved ? (gsize) info->bpf : bytes, samples));
    reference_audio_statistics (samples, n_samples, format, bins, range_min,
        range_max, &reference);
    test_compare_component (test_component (result, name), &reference,
        GST_AUDIO_INFO_IS_FLOAT (info), label);
    test_compare_depth (test_component (result, name),
        GST_AUDIO_INFO_IS_FLOAT (info) ? 0 : GST_AUDIO_INFO_DEPTH (info), label);
    check_schema (result, &reference);
    reference_statistics_clear (&reference);
    g_free (samples);
    g_free (name);
    g_free (label);
  }
}

void
test_compare_video_buffer (GstBuffer * buffer, const GstVideoInfo * info,
    guint bins, gdouble range_min, gdouble range_max)
{
  const guint8 *data[4] = { NULL, };
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++)
    data[p] = map.data + info->offset[p];
  test_compare_video (test_result (buffer), info, data, bins, range_min,
      range_max);
  gst_buffer_unmap (buffer, &map);
}

void
test_check_video (GstHarness * harness, GstBuffer * buffer,
    const GstVideoInfo * info, guint bins, gdouble range_min,
    gdouble range_max)
{
  GstBuffer *out = gst_harness_push_and_pull (harness, buffer);

  fail_unless (out != NULL, "%s %dx%d: no buffer", GST_VIDEO_INFO_NAME (info),
      info->width, info->height);
  test_compare_video_buffer (out, info, bins, range_min, range_max);
  gst_buffer_unref (out);
}

void
test_compare_audio_buffer (GstBuffer * buffer, const GstAudioInfo * info,
    guint bins, gdouble range_min, gdouble range_max)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  test_compare_audio (test_result (buffer), info, map.data,
      map.size / info->bpf, bins, range_min, range_max);
  gst_buffer_unmap (buffer, &map);
}

void
test_compare_frame (GstBuffer * buffer, GstCaps * caps, const gchar * backend)
{
  const GstStructure *result = test_result (buffer);
  const guint8 *planes[4] = { NULL, };
  GstVideoFrame frame;
  GstVideoInfo info;

  fail_unless_equals_string (gst_structure_get_string (result, "backend"),
      backend);
  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&info); p++)
    planes[p] = frame.data[p];
  test_compare_video (result, &frame.info, planes, 0, 0, 0);
  gst_video_frame_unmap (&frame);
}
