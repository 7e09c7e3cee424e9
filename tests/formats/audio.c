/* Every audio format compared with the reference: 1 to 8 channels, both layouts, default and other
 * bins, and floats that are NaN or infinite.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "frames.h"

#include <math.h>

/* Random integers. Floats are random from -1.25 to 1.25, and one in 20 is a value that is easy to
 * get wrong. */
static void
fill (const GstAudioFormatInfo * info, guint8 * data, gsize size,
    gdouble range_min, gdouble range_max, GRand * random)
{
  static const gdouble odd[] = {
    NAN, INFINITY, -INFINITY, -1e-30, 1e-30, -0.0, 1.0, -1.0, 0.9999999,
    -4.9e-324, 1e10, -1e10, 0.25, -0.0078125
  };
  gsize bytes = GST_AUDIO_FORMAT_INFO_WIDTH (info) / 8;

  test_fill_random (random, data, size);
  if (!GST_AUDIO_FORMAT_INFO_IS_FLOAT (info))
    return;
  for (gsize at = 0; at + bytes <= size; at += bytes) {
    gdouble value = g_rand_double_range (random, -1.25, 1.25);

    /* In the bins, or near them. */
    if (range_min < range_max && g_rand_boolean (random))
      value = range_min + (range_max - range_min) * value;
    if (g_rand_int_range (random, 0, 20) == 0)
      value = odd[g_rand_int_range (random, 0, G_N_ELEMENTS (odd))];
    test_write_float (info, value, data + at);
  }
}

/* Measures one buffer of n random samples per channel. */
static void
check_one (GstHarness * harness, GstAudioFormat format, gint channels,
    GstAudioLayout layout, guint n, guint bins, gdouble range_min,
    gdouble range_max, GRand * random)
{
  GstAudioInfo info;
  GstBuffer *buffer;
  GstMapInfo map;

  gst_audio_info_set_format (&info, format, 48000, channels, NULL);
  info.layout = layout;
  gst_harness_set_src_caps (harness, gst_audio_info_to_caps (&info));

  buffer = gst_buffer_new_allocate (NULL, (gsize) n * info.bpf, NULL);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  fill (info.finfo, map.data, map.size, range_min, range_max, random);
  gst_buffer_unmap (buffer, &map);
  if (layout == GST_AUDIO_LAYOUT_NON_INTERLEAVED)
    gst_buffer_add_audio_meta (buffer, &info, n, NULL);

  buffer = gst_harness_push_and_pull (harness, buffer);
  fail_unless (buffer != NULL);
  test_compare_audio_buffer (buffer, &info, bins, range_min, range_max);
  gst_buffer_unref (buffer);
}

/* Each format with 1 to 8 channels, in both layouts, with the default bins. */
TEST (test_every_format)
{
  static const guint lengths[] = { 1, 31, 1024, 3001 };
  GRand *random = test_random ();
  GPtrArray *formats = test_format_names (GST_AUDIO_CAPS_MAKE
      (GST_AUDIO_FORMATS_ALL));
  guint n_checked = 0, n_known = 0;

  for (guint i = 0; i < formats->len; i++) {
    GstHarness *harness = test_harness_new (NULL);
    GstAudioFormat format = gst_audio_format_from_string (formats->pdata[i]);

    for (gint channels = 1; channels <= 8; channels++) {
      guint n = lengths[(i + channels) % G_N_ELEMENTS (lengths)];

      check_one (harness, format, channels, GST_AUDIO_LAYOUT_INTERLEAVED, n,
          0, 0, 0, random);
      check_one (harness, format, channels, GST_AUDIO_LAYOUT_NON_INTERLEAVED,
          n, 0, 0, 0, random);
    }
    test_harness_free (harness);
    n_checked++;
  }
  for (gint f = GST_AUDIO_FORMAT_ENCODED + 1; f <= GST_AUDIO_FORMAT_F64BE; f++)
    n_known++;
  g_print ("%u of %u audio formats\n", n_checked, n_known);
  fail_unless_equals_int (n_checked, n_known);
  g_ptr_array_unref (formats);
  g_rand_free (random);
}

/* Other numbers of bins and other ranges. */
TEST (test_bins)
{
  static const GstAudioFormat formats[] = {
    GST_AUDIO_FORMAT_S8, GST_AUDIO_FORMAT_S16LE, GST_AUDIO_FORMAT_U16BE,
    GST_AUDIO_FORMAT_S24LE, GST_AUDIO_FORMAT_S32LE, GST_AUDIO_FORMAT_F32LE,
    GST_AUDIO_FORMAT_F64BE
  };
  static const struct
  {
    guint bins;
    gdouble min, max;
  } settings[] = {
    /* *INDENT-OFF* */
    { 10, 0, 0 },
    { 1, 0, 0 },
    { 65536, 0, 0 },
    { 3, -0.3, 0.7 },
    { 100, -1000, 1000 },
    { 4096, -0.5, 0.5 },
    { 16, -256, 256 },
    { 7, 0, 1e300 },
    { 4, -65536, -65280 },              /* all values of 16 bits are above */
    { 4, 65536, 65792 },                /* … below */
    { 65536, -0x1p31, 0 },              /* far from 16 bits */
    { 2, 0x1p54, 0x1p54 + 0x1p21 },     /* doubles have no odd integers there */
    { 4, 0.5, 0.5 + 0x1p-22 },          /* floats are as far apart as the bins are wide */
    { 16, 0, 0x1p-130 },                /* 1 divided by the width is too large for a float */
    /* *INDENT-ON* */
  };
  GRand *random = test_random ();

  for (guint s = 0; s < G_N_ELEMENTS (settings); s++) {
    gdouble min = settings[s].min, max = settings[s].max;
    gchar *properties = g_strdup_printf ("bins=%u range-min=%.17g "
        "range-max=%.17g", settings[s].bins, min, max);
    GstHarness *harness = test_harness_new (properties);

    for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
      check_one (harness, formats[i], 2, GST_AUDIO_LAYOUT_INTERLEAVED, 1999,
          settings[s].bins, min, max, random);
    test_harness_free (harness);
    g_free (properties);
  }
  g_rand_free (random);
}

/* ---- Bins of any widths --------------------------------------------------------------------- */

/* An integer that fits in the format. */
static void
write_integer (const GstAudioFormatInfo * info, gint64 value, guint8 * p)
{
  const guint bytes = GST_AUDIO_FORMAT_INFO_WIDTH (info) / 8;
  const gboolean is_little = GST_AUDIO_FORMAT_INFO_ENDIANNESS (info) != G_BIG_ENDIAN;

  for (guint b = 0; b < bytes; b++)
    p[is_little ? b : bytes - 1 - b] = (guint64) value >> (8 * b);
}

/* Makes every fourth sample one at an edge, or next to it. */
static void
fill_edges (const GstAudioFormatInfo * info, guint8 * data, gsize size,
    const gdouble * edges, guint n_edges, GRand * random)
{
  const gsize bytes = GST_AUDIO_FORMAT_INFO_WIDTH (info) / 8;
  const guint depth = GST_AUDIO_FORMAT_INFO_DEPTH (info);
  const gdouble least = GST_AUDIO_FORMAT_INFO_IS_SIGNED (info) ? -ldexp (1, depth - 1) : 0;

  for (gsize at = 0; at + bytes <= size; at += 4 * bytes) {
    const gdouble any = edges[g_rand_int_range (random, 0, n_edges)];
    /* The sums have an end. */
    const gdouble edge = fabs (any) < 1e100 ? any : 0;
    const gint step = g_rand_int_range (random, -1, 2);

    if (GST_AUDIO_FORMAT_INFO_IS_FLOAT (info))
      test_write_float (info, step == 0 ? edge : nextafter (edge, step * INFINITY), data + at);
    else
      write_integer (info, CLAMP (floor (edge) + step, least, least + ldexp (1, depth) - 1), data + at);
  }
}

static void
check_edges (GstHarness * harness, GstAudioFormat format, gint channels,
    GstAudioLayout layout, const GArray * edges, GRand * random)
{
  const guint n = 300;
  GstAudioInfo info;
  GstBuffer *buffer;
  GstMapInfo map;

  gst_audio_info_set_format (&info, format, 48000, channels, NULL);
  info.layout = layout;
  gst_harness_set_src_caps (harness, gst_audio_info_to_caps (&info));
  buffer = gst_buffer_new_allocate (NULL, (gsize) n * info.bpf, NULL);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  fill (info.finfo, map.data, map.size, 0, 0, random);
  fill_edges (info.finfo, map.data, map.size, (const gdouble *) edges->data, edges->len, random);
  gst_buffer_unmap (buffer, &map);
  if (layout == GST_AUDIO_LAYOUT_NON_INTERLEAVED)
    gst_buffer_add_audio_meta (buffer, &info, n, NULL);
  buffer = gst_harness_push_and_pull (harness, buffer);
  test_compare_audio_buffer (buffer, &info, 0, 0, 0);
  gst_buffer_unref (buffer);
}

/* With AddressSanitizer g_strsplit() takes minutes for a text of 1 MB.
 *
 * @text: of the property. Returns: (transfer full) (element-type gdouble) */
static GArray *
parse_edges (const gchar * text)
{
  GArray *edges = g_array_new (FALSE, FALSE, sizeof (gdouble));

  while (TRUE) {
    gchar *end;
    const gdouble edge = g_ascii_strtod (text, &end);

    g_array_append_val (edges, edge);
    if (*end != ',')
      return edges;
    text = end + 1;
  }
}

/* Ascending numbers near @from, whose distances differ. Returns: (transfer full) */
static gchar *
random_edges (guint n, gdouble from, gdouble distance, GRand * random)
{
  GString *text = g_string_new (NULL);
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < n; i++) {
    g_string_append_printf (text, "%s%s", i > 0 ? "," : "", g_ascii_dtostr (digits, sizeof digits, from));
    from += distance * (0.01 + g_rand_double (random));
  }
  return g_string_free (text, FALSE);
}

/* Each format, with numbers at, between and outside of the edges. */
TEST (test_edges)
{
  GRand *random = test_random ();
  GPtrArray *formats = test_format_names (GST_AUDIO_CAPS_MAKE (GST_AUDIO_FORMATS_ALL));
  gchar *texts[] = {
    g_strdup ("-0.9,-0.5,-0.1,-1e-30,0,1e-30,0.01,0.3,0.7,1"),
    g_strdup ("-3e9,-2147483648,-8388608,-32768.5,-1000,-128,-5,0.5,1,2,100,128,255,32767,65535,8388607,2147483647,"
        "4294967295,1e300"),
    g_strdup ("0,1"),
    /* Neighbours, and numbers whose difference is no finite number. */
    g_strdup ("-1.7e308,-4.9e-324,0,4.9e-324,1e-320,1,1.0000000000000002,1.0000000000000004,1.7e308"),
    random_edges (101, -1, 0.04, random),
    random_edges (65537, -32768, 2, random),
  };

  for (guint i = 0; i < formats->len; i++) {
    const GstAudioFormat format = gst_audio_format_from_string (formats->pdata[i]);
    GstHarness *harness = test_harness_new (NULL);

    for (guint t = 0; t < G_N_ELEMENTS (texts); t++) {
      g_autoptr (GArray) edges = parse_edges (texts[t]);

      if (edges->len > 65536 && format != GST_AUDIO_FORMAT_S16LE && format != GST_AUDIO_FORMAT_F32LE)
        continue;
      reference_use_edges ((const gdouble *) edges->data, edges->len - 1);
      g_object_set (harness->element, "bin-edges", texts[t], NULL);
      check_edges (harness, format, 2, GST_AUDIO_LAYOUT_INTERLEAVED, edges, random);
      if (t == i % 5)
        check_edges (harness, format, 3, GST_AUDIO_LAYOUT_NON_INTERLEAVED, edges, random);
      reference_use_edges (NULL, 0);
    }
    /* And back: the result is as without the property. */
    g_object_set (harness->element, "bin-edges", NULL, NULL);
    check_one (harness, format, 2, GST_AUDIO_LAYOUT_INTERLEAVED, 100, 0, 0, 0, random);
    test_harness_free (harness);
  }
  for (guint t = 0; t < G_N_ELEMENTS (texts); t++)
    g_free (texts[t]);
  g_ptr_array_unref (formats);
  g_rand_free (random);
}

/* More channels than any common layout has; more than a block of a device has threads. */
TEST (test_many_channels)
{
  static const struct
  {
    GstAudioFormat format;
    gint channels;
    GstAudioLayout layout;
    guint n, bins;
  } streams[] = {
    { GST_AUDIO_FORMAT_S16LE, 64, GST_AUDIO_LAYOUT_INTERLEAVED, 500, 0 },
    { GST_AUDIO_FORMAT_F32LE, 200, GST_AUDIO_LAYOUT_NON_INTERLEAVED, 77, 0 },
    { GST_AUDIO_FORMAT_S24LE, 513, GST_AUDIO_LAYOUT_INTERLEAVED, 20, 4 }
  };
  GRand *random = test_random ();

  for (guint i = 0; i < G_N_ELEMENTS (streams); i++) {
    gchar *properties = g_strdup_printf ("bins=%u", streams[i].bins);
    GstHarness *harness = test_harness_new (properties);

    check_one (harness, streams[i].format, streams[i].channels,
        streams[i].layout, streams[i].n, streams[i].bins, 0, 0, random);
    test_harness_free (harness);
    g_free (properties);
  }
  g_rand_free (random);
}

/* Large samples whose sum is near zero, and squares near 2^62. Rounding errors would show here. */
TEST (test_hard_sums)
{
  const guint n = 200001;
  GstHarness *harness = test_harness_new (NULL);
  GstAudioInfo info;
  GstBuffer *buffer;
  GstMapInfo map;

  gst_audio_info_set_format (&info, GST_AUDIO_FORMAT_F64LE, 48000, 1, NULL);
  gst_harness_set_src_caps (harness, gst_audio_info_to_caps (&info));
  buffer = gst_buffer_new_allocate (NULL, n * 8, NULL);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < n; i++)
    GST_WRITE_DOUBLE_LE (map.data + 8 * i,
        i == n / 2 ? 1e-9 : (i % 2 ? 1e9 : -1e9) * (1 + (i / 2) * 1e-7));
  gst_buffer_unmap (buffer, &map);
  buffer = gst_harness_push_and_pull (harness, buffer);
  test_compare_audio_buffer (buffer, &info, 0, 0, 0);
  gst_buffer_unref (buffer);

  gst_audio_info_set_format (&info, GST_AUDIO_FORMAT_S32LE, 48000, 1, NULL);
  gst_harness_set_src_caps (harness, gst_audio_info_to_caps (&info));
  buffer = gst_buffer_new_allocate (NULL, n * 4, NULL);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < n; i++)
    GST_WRITE_UINT32_LE (map.data + 4 * i, i % 3 ? 0x80000000u : 0x7fffffffu);
  gst_buffer_unmap (buffer, &map);
  buffer = gst_harness_push_and_pull (harness, buffer);
  test_compare_audio_buffer (buffer, &info, 0, 0, 0);
  gst_buffer_unref (buffer);
  test_harness_free (harness);
}

TEST_MAIN (600)
