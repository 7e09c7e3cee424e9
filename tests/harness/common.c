/* What the element's tests share; see common.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

const gchar *
test_backend (void)
{
  const gchar *backend = g_getenv ("CUDAHISTO_TEST_BACKEND");

  return backend != NULL ? backend : "cpu";
}

GstHarness *
test_harness_new (const gchar * properties)
{
  gchar *launch = g_strdup_printf ("cudahisto backend=%s %s", test_backend (),
      properties != NULL ? properties : "");
  GError *error = NULL;
  GstElement *bin = gst_parse_launch (launch, &error);
  GstHarness *harness;
  GstBus *bus = gst_bus_new ();

  fail_unless (bin != NULL && error == NULL, "%s: %s", launch,
      error != NULL ? error->message : "");
  gst_element_set_bus (bin, bus);
  gst_object_unref (bus);
  harness = gst_harness_new_with_element (bin, "sink", "src");
  gst_object_unref (bin);
  g_free (launch);
  return harness;
}

void
test_harness_free (GstHarness * harness)
{
  gst_element_set_bus (harness->element, NULL);
  gst_harness_teardown (harness);
}

void
test_set_alarm (void)
{
  const gchar *multiplier = g_getenv ("CK_TIMEOUT_MULTIPLIER");

  alarm (5 * (multiplier != NULL ? MAX (atoi (multiplier), 1) : 1));
}

GstMessage *
test_pop_message (GstHarness * harness, GstMessageType type)
{
  GstBus *bus = gst_element_get_bus (harness->element);
  GstMessage *message = gst_bus_pop_filtered (bus, type);

  gst_object_unref (bus);
  return message;
}

GstMessage *
test_wait_message (GstHarness * harness, GstMessageType type)
{
  GstBus *bus = gst_element_get_bus (harness->element);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      type);

  gst_object_unref (bus);
  return message;
}

GRand *
test_random (void)
{
  const gchar *given = g_getenv ("CUDAHISTO_TEST_SEED");
  guint32 seed = given != NULL ? g_ascii_strtoull (given, NULL, 0) :
      g_random_int ();

  g_print ("seed: CUDAHISTO_TEST_SEED=%u\n", seed);
  return g_rand_new_with_seed (seed);
}

void
test_fill_random (GRand * random, guint8 * data, gsize size)
{
  gsize i = 0;

  for (; i + 4 <= size; i += 4)
    GST_WRITE_UINT32_LE (data + i, g_rand_int (random));
  for (; i < size; i++)
    data[i] = g_rand_int (random);
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
      "no component %s", name);
  return gst_value_get_structure (value);
}

/* As equal as two ways of rounding once or twice may leave the same number. */
#define FEW_ROUNDINGS 1e-14
/* What the contract allows for sums of floats. */
#define FLOAT_SUMS 1e-12

gdouble
test_get_double (const GstStructure * s, const gchar * field)
{
  gdouble value = 0;

  fail_unless (gst_structure_get_double (s, field, &value), "no double %s",
      field);
  return value;
}

guint64
test_get_uint64 (const GstStructure * s, const gchar * field)
{
  guint64 value = 0;

  fail_unless (gst_structure_get_uint64 (s, field, &value), "no guint64 %s",
      field);
  return value;
}

static void
compare_double (const GstStructure * s, const gchar * field, gdouble expected,
    gdouble tolerance, const gchar * label)
{
  gdouble value = test_get_double (s, field);
  gdouble difference = fabs (value - expected);

  if (isnan (expected) ? isnan (value) : value == expected)
    return;
  fail_unless (difference <= tolerance * fabs (expected),
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
  /* Each fail_unless() writes to a file, also when it holds: not one per bin. */
  for (guint i = 0; i < bins; i++) {
    if (GST_READ_UINT32_LE (data + 4 * i) != r->histogram[i])
      ck_abort_msg ("%s: histogram[%u] is %u, not %u", label, i,
          GST_READ_UINT32_LE (data + 4 * i), r->histogram[i]);
  }
  g_bytes_unref (bytes);
}

void
test_compare (const GstStructure * s, const ReferenceStatistics * r,
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
  /* Thousands of logarithms, in whatever order. */
  compare_double (s, "entropy", r->entropy, 1e-11, label);
  compare_double (s, "range-min", r->range_min, 0, label);
  compare_double (s, "range-max", r->range_max, 0, label);
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
    test_compare (test_component (result, shape.names[c]), &reference, FALSE,
        label);
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
  /* Not GST_AUDIO_INFO_BPS, which counts the depth. */
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
    test_compare (test_component (result, name), &reference,
        GST_AUDIO_INFO_IS_FLOAT (info), label);
    reference_statistics_clear (&reference);
    g_free (samples);
    g_free (name);
    g_free (label);
  }
}
