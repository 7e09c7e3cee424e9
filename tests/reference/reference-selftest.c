/* reference-selftest.c: checks the reference against GStreamer's own unpack
 * functions and against small cases computed by hand.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Random bytes, seed 1. Planes are allocated with not a byte more than the
 * caps need, so that the address sanitizer sees a read past the end;
 * GStreamer, which does read past it, works on a copy with room behind it.
 */

#include <float.h>
#include <math.h>
#include <string.h>

#include "reference.h"

#define ROOM 256

static guint n_passed;
static guint n_failed;

static void
report (gboolean passed, const gchar * text, ...)
{
  va_list args;
  gchar *what;

  if (passed)
    n_passed++;
  else
    n_failed++;

  va_start (args, text);
  what = g_strdup_vprintf (text, args);
  va_end (args);
  g_print ("%s %s\n", passed ? "ok    " : "FAILED", what);
  g_free (what);
}

static guint8 *
random_bytes (GRand * random, gsize size)
{
  guint8 *bytes = g_malloc (size);
  gsize i;

  for (i = 0; i < size; i++)
    bytes[i] = g_rand_int_range (random, 0, 256);

  return bytes;
}

/* Video samples */

typedef struct
{
  GstVideoInfo info;
  gint stride[4];
  guint8 *exact[4];             /* for the reference */
  guint8 *roomy[4];             /* the same bytes, for GStreamer */
} Frame;

static gsize
plane_size (const GstVideoInfo * info, const gint stride[4], guint plane)
{
  gint component[GST_VIDEO_MAX_COMPONENTS];

  if (GST_VIDEO_FORMAT_INFO_IS_TILED (info->finfo))
    return (gsize) GST_VIDEO_TILE_X_TILES (stride[plane])
        * GST_VIDEO_TILE_Y_TILES (stride[plane])
        * info->finfo->tile_info[plane].size;
  if (GST_VIDEO_INFO_FORMAT (info) == GST_VIDEO_FORMAT_RGB8P && plane == 1)
    return 256 * 4;

  gst_video_format_info_component (info->finfo, plane, component);
  return (gsize) stride[plane] * GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT
      (info->finfo, component[0], GST_VIDEO_INFO_HEIGHT (info));
}

static gboolean
frame_init (Frame * frame, GstVideoFormat format, guint width, guint height,
    gint padding, GRand * random)
{
  guint plane;

  memset (frame, 0, sizeof (*frame));
  if (!gst_video_info_set_format (&frame->info, format, width, height))
    return FALSE;

  for (plane = 0; plane < GST_VIDEO_INFO_N_PLANES (&frame->info); plane++) {
    gsize size;

    frame->stride[plane] = GST_VIDEO_INFO_PLANE_STRIDE (&frame->info, plane);
    frame->stride[plane] += padding;
    size = plane_size (&frame->info, frame->stride, plane);
    frame->roomy[plane] = random_bytes (random, size + ROOM);
    frame->exact[plane] = g_memdup2 (frame->roomy[plane], size);
  }

  return TRUE;
}

static void
frame_clear (Frame * frame)
{
  guint plane;

  for (plane = 0; plane < 4; plane++) {
    g_free (frame->exact[plane]);
    g_free (frame->roomy[plane]);
  }
}

/* See ReferenceShape: whether the bits of the last V, with those of the samples
 * before it, fit into the row that gst_video_info_set_format() gives */
static gboolean
last_v_has_room (GstVideoFormat format, guint width)
{
  guint even_width = (width + 1) / 2 * 2;
  guint groups = (width - 1) / 2;

  switch (format) {
    case GST_VIDEO_FORMAT_NV12_10LE32:
    case GST_VIDEO_FORMAT_NV16_10LE32:
      /* three samples in a word */
      return even_width <= (width + 2) / 3 * 3;
    case GST_VIDEO_FORMAT_NV12_10BE_8L128:
      /* tiles of 64 bits in a row */
      return 10 * even_width <= (10 * width + 63) / 64 * 64;
    case GST_VIDEO_FORMAT_UYVP:
      /* groups of 5 bytes; the last V ends in the fourth byte of the last */
      return 5 * groups + 4 <= GST_ROUND_UP_4 ((10 * width + 3) / 4);
    default:
      return TRUE;
  }
}

/* What GStreamer says about the shape, in its own words */
static gboolean
shape_is_as_gstreamer_has_it (const Frame * frame, const ReferenceShape * shape)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  guint i;

  /* the index and the palette are GStreamer's components of RGB8P */
  if (finfo->format == GST_VIDEO_FORMAT_RGB8P)
    return shape->n_components == 4 && finfo->n_components == 2;

  if (shape->n_components != finfo->n_components)
    return FALSE;
  for (i = 0; i < shape->n_components; i++) {
    guint width = GST_VIDEO_FORMAT_INFO_SCALE_WIDTH (finfo, i,
        frame->info.width);
    guint height = GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT (finfo, i,
        frame->info.height);

    if (i == 2 && !last_v_has_room (finfo->format, frame->info.width))
      width -= 1;
    if (shape->depths[i] != finfo->depth[i] || shape->widths[i] != width
        || shape->heights[i] != height)
      return FALSE;
  }

  return TRUE;
}

/* All lines unpacked by GStreamer: four values (A Y U V or A R G B) a pixel,
 * each moved up to 16 bits */
static guint16 *
unpack_frame (const Frame * frame)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  const GstVideoFormatInfo *unpacked =
      gst_video_format_get_info (finfo->unpack_format);
  gsize line_values = 4 * (gsize) frame->info.width;
  gpointer line = g_malloc (line_values * 2 + ROOM);
  guint16 *values = g_new (guint16, line_values * frame->info.height);
  gint width = frame->info.width;
  gpointer data[4];
  gint y;
  gsize i;

#if GST_CHECK_VERSION (1, 24, 0)
  /* GStreamer (1.26.2) unpacks no pixel of a last tile that is not full */
  if (finfo->format == GST_VIDEO_FORMAT_MT2110T
      || finfo->format == GST_VIDEO_FORMAT_MT2110R)
    width = GST_ROUND_UP_16 (width);
#endif
  for (i = 0; i < 4; i++)
    data[i] = frame->roomy[i];

  for (y = 0; y < frame->info.height; y++) {
    guint16 *to = values + y * line_values;

    finfo->unpack_func (finfo, GST_VIDEO_PACK_FLAG_NONE, line, data,
        frame->stride, 0, y, width);
    for (i = 0; i < line_values; i++)
      to[i] = unpacked->depth[0] == 16 ? ((guint16 *) line)[i]
          : ((guint8 *) line)[i] << 8;
  }

  g_free (line);
  return values;
}

/* Where GStreamer's unpack function is known to be wrong (1.22.0): at an odd
 * width unpack_VYUY takes the last pixel's U and V from each other's place; all
 * other pixels, and VYUY's description, have V first. */
static guint
unpacked_place (const Frame * frame, guint component, guint x)
{
  gboolean is_last = (gint) x == frame->info.width - 1;

  if (GST_VIDEO_INFO_FORMAT (&frame->info) == GST_VIDEO_FORMAT_VYUY
      && component > 0 && is_last && frame->info.width % 2 == 1)
    component = 3 - component;

  return (component + 1) % 4;
}

static gboolean
component_agrees (const Frame * frame, const ReferenceShape * shape,
    guint component, const guint16 * unpacked)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  guint w_sub = component < finfo->n_components ? finfo->w_sub[component] : 0;
  guint h_sub = component < finfo->n_components ? finfo->h_sub[component] : 0;
  guint width = shape->widths[component];
  gsize n = (gsize) width * shape->heights[component];
  guint32 *samples = g_new (guint32, n);
  gboolean agrees;
  gsize i;

  agrees = reference_video_samples (finfo->format, frame->info.width,
      frame->info.height, (const guint8 * const *) frame->exact,
      frame->stride, component, samples);
  for (i = 0; agrees && i < n; i++) {
    guint x = (guint) (i % width) << w_sub;
    guint y = (guint) (i / width) << h_sub;
    gsize pixel = (gsize) y * frame->info.width + x;
    guint16 value = unpacked[4 * pixel + unpacked_place (frame, component, x)];

    agrees = samples[i] == (guint) value >> (16 - shape->depths[component]);
    if (!agrees)
      g_print ("       %s %dx%d %s at %u, %u: %u, GStreamer has %u\n",
          finfo->name, frame->info.width, frame->info.height,
          shape->names[component], (guint) (i % width), (guint) (i / width),
          samples[i], (guint) value >> (16 - shape->depths[component]));
  }

  g_free (samples);
  return agrees;
}

static gboolean
frame_agrees (GstVideoFormat format, guint width, guint height, gint padding,
    GRand * random)
{
  ReferenceShape shape;
  Frame frame;
  guint16 *unpacked;
  gboolean agrees;
  guint i;

  if (!reference_video_shape (format, width, height, &shape)
      || !frame_init (&frame, format, width, height, padding, random))
    return FALSE;

  agrees = shape_is_as_gstreamer_has_it (&frame, &shape);
  if (!agrees)
    g_print ("       shape of %ux%u differs\n", width, height);
  unpacked = unpack_frame (&frame);
  for (i = 0; i < shape.n_components; i++)
    agrees = component_agrees (&frame, &shape, i, unpacked) && agrees;

  g_free (unpacked);
  frame_clear (&frame);
  return agrees;
}

/* The larger ones have tiles in odd and in even numbers of rows */
static const guint sizes[][2] = {
  {1, 1}, {2, 2}, {7, 5}, {16, 16}, {33, 18}, {130, 70}, {200, 97}, {129, 129},
  {270, 300}
};

/* Beside the sizes, every width from 1 to this, for the ends of rows */
#define N_WIDTHS 100

/* With GStreamer's strides and, unless they count tiles, with longer ones */
static gboolean
size_agrees (GstVideoFormat format, guint width, guint height, GRand * random)
{
  const GstVideoFormatInfo *finfo = gst_video_format_get_info (format);

  return frame_agrees (format, width, height, 0, random)
      && (GST_VIDEO_FORMAT_INFO_IS_TILED (finfo)
      || frame_agrees (format, width, height, 64, random));
}

static void
test_video_format (GstVideoFormat format, GRand * random)
{
  gboolean agrees = TRUE;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (sizes); i++)
    agrees = size_agrees (format, sizes[i][0], sizes[i][1], random) && agrees;
  for (i = 1; i <= N_WIDTHS; i++)
    agrees = size_agrees (format, i, 3, random) && agrees;

  report (agrees, "video %s", gst_video_format_to_string (format));
}

/* Whether the list in a caps string has @n formats */
static gboolean
caps_list_has (const gchar * caps_string, guint n)
{
  GstCaps *caps = gst_caps_from_string (caps_string);
  const GValue *list =
      gst_structure_get_value (gst_caps_get_structure (caps, 0), "format");
  gboolean has = gst_value_list_get_size (list) == n;

  gst_caps_unref (caps);
  return has;
}

static void
test_video_formats (void)
{
  GRand *random = g_rand_new_with_seed (1);
  guint n_formats;
  const GstVideoFormat *formats = gst_video_formats_raw (&n_formats);
  guint n_covered = 0;
  guint i;

  for (i = 0; i < n_formats; i++) {
    ReferenceShape shape;

    if (reference_video_shape (formats[i], 16, 16, &shape)) {
      test_video_format (formats[i], random);
      n_covered++;
    } else {
      g_print ("       not covered: %s\n",
          gst_video_format_to_string (formats[i]));
    }
  }

  report (n_covered == n_formats, "video formats covered: %u of %u", n_covered,
      n_formats);
  report (caps_list_has ("video/x-raw, format = " GST_VIDEO_FORMATS_ALL,
          n_formats), "GST_VIDEO_FORMATS_ALL has as many");
  g_rand_free (random);
}

static void
test_zigzag (void)
{
  /* the first rows of tiles of the table in gst_video_tile_get_index (), and
   * a last odd row */
  static const guint expected[3][4] = {
    {0, 1, 6, 7}, {2, 3, 4, 5}, {8, 9, 10, 11}
  };
  GstVideoInfo info;
  guint8 *planes[4] = { NULL, };
  gint stride[4] = { 0, };
  guint32 *samples = g_new (guint32, 256 * 96);
  gboolean right;
  guint i;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12_64Z32, 256, 96);
  for (i = 0; i < 2; i++) {
    stride[i] = GST_VIDEO_INFO_PLANE_STRIDE (&info, i);
    planes[i] = g_malloc0 (plane_size (&info, stride, i));
  }
  for (i = 0; i < 12; i++)
    memset (planes[0] + i * 64 * 32, i, 64 * 32);

  right = reference_video_samples (GST_VIDEO_FORMAT_NV12_64Z32, 256, 96,
      (const guint8 * const *) planes, stride, 0, samples);
  for (i = 0; i < 12; i++)
    right = right && samples[i / 4 * 32 * 256 + i % 4 * 64]
        == expected[i / 4][i % 4];
  report (right, "tiles of NV12_64Z32 with an odd number of rows");

  g_free (samples);
  g_free (planes[0]);
  g_free (planes[1]);
}

/* Statistics of video samples */

static void
report_numbers (const gchar * name, const gdouble * is,
    const gdouble * expected, guint n)
{
  gboolean same = TRUE;
  guint i;

  for (i = 0; i < n; i++) {
    gboolean agrees = is[i] == expected[i]
        || (isnan (is[i]) && isnan (expected[i]));

    if (!agrees)
      g_print ("       %s, number %u: %.17g, expected %.17g\n", name, i, is[i],
          expected[i]);
    same = same && agrees;
  }
  report (same, "%s", name);
}

/* min max sum mean variance std-dev p1 p10 p50 p90 p99 mode entropy */
static void
report_statistics (const gchar * name, const ReferenceStatistics * s,
    const gdouble expected[13])
{
  const gdouble is[13] = { s->min, s->max, s->sum, s->mean, s->variance,
    s->std_dev, s->p1, s->p10, s->p50, s->p90, s->p99, s->mode, s->entropy
  };

  report_numbers (name, is, expected, 13);
}

/* count underflow overflow nan inf bins range-min range-max, histogram */
static void
report_bins (const gchar * name, const ReferenceStatistics * s,
    const gdouble * expected, guint n)
{
  gdouble *is = g_new (gdouble, n);
  guint i;

  is[0] = s->count;
  is[1] = s->underflow;
  is[2] = s->overflow;
  is[3] = s->nan;
  is[4] = s->inf;
  is[5] = s->bins;
  is[6] = s->range_min;
  is[7] = s->range_max;
  for (i = 8; i < n; i++)
    is[i] = s->histogram[i - 8];

  report_numbers (name, is, expected, n);
  g_free (is);
}

static void
test_video_statistics (void)
{
  static const guint32 samples[4] = { 3, 0, 3, 2 };
  static const gdouble expected[13] = { 0, 3, 8, 2, 1.5, 1.224744871391589,
    0, 0, 2, 3, 3, 3, 1.5
  };
  static const gdouble native[12] = { 4, 0, 0, 0, 0, 4, 0, 4, 1, 0, 1, 2 };
  static const gdouble ranged[10] = { 4, 1, 2, 0, 0, 2, 1, 3, 0, 1 };
  static const gdouble thirds[11] = { 4, 0, 0, 0, 0, 3, 0, 4, 1, 1, 2 };
  ReferenceStatistics s;

  reference_video_statistics (samples, 4, 2, 0, 0, 0, &s);
  report_statistics ("video statistics", &s, expected);
  report_bins ("video histogram", &s, native, 12);
  reference_statistics_clear (&s);

  reference_video_statistics (samples, 4, 2, 2, 1, 3, &s);
  report_statistics ("video statistics with a range", &s, expected);
  report_bins ("video histogram with a range", &s, ranged, 10);
  reference_statistics_clear (&s);

  /* edges 0, 1.33, 2.67, 4 */
  reference_video_statistics (samples, 4, 2, 3, 0, 0, &s);
  report_bins ("video histogram with three bins", &s, thirds, 11);
  reference_statistics_clear (&s);
}

static void
test_video_percentiles (void)
{
  static const gdouble expected[13] = { 0, 99, 4950, 49.5, 833.25,
    28.866070047722118, 0, 9, 49, 89, 98, 0, 6.6438561897747244
  };
  static const gdouble none[13] = { NAN, NAN, 0, NAN, NAN, NAN, NAN, NAN, NAN,
    NAN, NAN, NAN, 0
  };
  guint32 samples[100];
  ReferenceStatistics s;
  guint i;

  /* each value once: p10 is the tenth smallest; the lowest of equals is mode */
  for (i = 0; i < 100; i++)
    samples[i] = 99 - i;
  reference_video_statistics (samples, 100, 8, 0, 0, 0, &s);
  report_statistics ("video percentiles", &s, expected);
  reference_statistics_clear (&s);

  reference_video_statistics (samples, 0, 8, 0, 0, 0, &s);
  report_statistics ("video statistics of nothing", &s, none);
  reference_statistics_clear (&s);
}

static void
test_edges (void)
{
  static const gdouble tenths[11] = { 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8,
    0.9, 1
  };
  static const gdouble expected_bins[4] = { 3, 2, 0, 9 };
  gdouble edges[11];
  gdouble bins[4];

  reference_bin_edges (0, 1, 10, edges);
  report_numbers ("edges of tenths", edges, tenths, 11);

  bins[0] = reference_bin_of (edges, 10, 0.3);
  bins[1] = reference_bin_of (edges, 10, nextafter (0.3, 0));
  bins[2] = reference_bin_of (edges, 10, 0);
  bins[3] = reference_bin_of (edges, 10, nextafter (1, 0));
  report_numbers ("bins of tenths", bins, expected_bins, 4);
}

static void
test_ratio (void)
{
  const ReferenceUint128 one = 1;
  const gdouble is[8] = {
    reference_ratio (0, 3), reference_ratio (1, 3), reference_ratio (22, 7),
    reference_ratio (255, 256),
    /* 2^53 + 1 lies between two doubles and goes to the even one, but with
     * anything behind it to the upper one */
    reference_ratio ((one << 53) + 1, 1),
    reference_ratio ((((one << 53) + 1) << 40) + 1, one << 40),
    reference_ratio (1, one << 80),
    reference_ratio (((one << 64) - 1) << 20, one << 20)
  };
  const gdouble expected[8] = { 0, 1.0 / 3.0, 22.0 / 7.0, 0.99609375,
    9007199254740992.0, 9007199254740994.0, ldexp (1, -80), ldexp (1, 64)
  };

  report_numbers ("exact division", is, expected, 8);
}

/* Audio samples */

static gdouble
unpacked_value (const GstAudioFormatInfo * finfo, gconstpointer unpacked,
    gsize i)
{
  gint64 value;

  if (GST_AUDIO_FORMAT_INFO_IS_FLOAT (finfo))
    return ((const gdouble *) unpacked)[i];

  value = ((const gint32 *) unpacked)[i] >> (32 - finfo->depth);
  if (!GST_AUDIO_FORMAT_INFO_IS_SIGNED (finfo))
    value += G_GINT64_CONSTANT (1) << (finfo->depth - 1);
  return value;
}

/* @channels interleaved; 1 also stands for planar */
static gboolean
audio_agrees (const GstAudioFormatInfo * finfo, guint channels, GRand * random)
{
  const gsize n = 501;
  guint bytes = finfo->width / 8;
  guint8 *data = random_bytes (random, n * channels * bytes);
  gpointer unpacked = g_malloc (n * channels * 8);
  gdouble *samples = g_new (gdouble, n);
  gboolean agrees = TRUE;
  guint channel;
  gsize i;

  finfo->unpack_func (finfo, GST_AUDIO_PACK_FLAG_TRUNCATE_RANGE, unpacked, data,
      n * channels);
  for (channel = 0; channel < channels; channel++) {
    agrees = reference_audio_samples (finfo->format, data + channel * bytes, n,
        channels * bytes, samples) && agrees;
    for (i = 0; agrees && i < n; i++) {
      gdouble value = unpacked_value (finfo, unpacked, i * channels + channel);

      /* Where Orc compiles nothing, its loops make denormal numbers of 32 bits 0. */
      agrees = samples[i] == value || (isnan (samples[i]) && isnan (value))
          || (finfo->format == GST_AUDIO_FORMAT_F32LE || finfo->format == GST_AUDIO_FORMAT_F32BE ?
          value == 0 && fabs (samples[i]) < FLT_MIN : FALSE);
      if (!agrees)
        g_print ("       sample %u: %.17g, GStreamer has %.17g\n", (guint) i,
            samples[i], value);
    }
  }

  g_free (samples);
  g_free (unpacked);
  g_free (data);
  return agrees;
}

static void
test_audio_formats (void)
{
  GRand *random = g_rand_new_with_seed (1);
  guint n_formats;
  const GstAudioFormat *formats = gst_audio_formats_raw (&n_formats);
  guint n_covered = 0;
  guint i;

  for (i = 0; i < n_formats; i++) {
    const GstAudioFormatInfo *finfo = gst_audio_format_get_info (formats[i]);
    guint8 byte[8] = { 0, };
    gdouble sample;

    if (reference_audio_samples (formats[i], byte, 1, 8, &sample)) {
      report (audio_agrees (finfo, 1, random)
          && audio_agrees (finfo, 3, random), "audio %s", finfo->name);
      n_covered++;
    } else {
      g_print ("       not covered: %s\n", finfo->name);
    }
  }

  report (n_covered == n_formats, "audio formats covered: %u of %u", n_covered,
      n_formats);
  report (caps_list_has ("audio/x-raw, format = " GST_AUDIO_FORMATS_ALL,
          n_formats), "GST_AUDIO_FORMATS_ALL has as many");
  g_rand_free (random);
}

/* Written out, so that a misunderstanding shared with GStreamer's unpack
 * functions would show */
static void
test_audio_samples (void)
{
  static const guint8 bytes[4] = { 0x12, 0x34, 0xf6, 0x78 };
  static const gdouble expected[8] = { 0x3412, 0x1234, -0x9cbee, 0xf63412,
    0x234f6 - 0x40000, 0x78f63412, 0x12, -0x9cbee
  };
  gdouble is[8];

  reference_audio_samples (GST_AUDIO_FORMAT_S16LE, bytes, 1, 2, &is[0]);
  reference_audio_samples (GST_AUDIO_FORMAT_U16BE, bytes, 1, 2, &is[1]);
  reference_audio_samples (GST_AUDIO_FORMAT_S24LE, bytes, 1, 3, &is[2]);
  reference_audio_samples (GST_AUDIO_FORMAT_U24_32LE, bytes, 1, 4, &is[3]);
  reference_audio_samples (GST_AUDIO_FORMAT_S18BE, bytes, 1, 3, &is[4]);
  reference_audio_samples (GST_AUDIO_FORMAT_S32LE, bytes, 1, 4, &is[5]);
  reference_audio_samples (GST_AUDIO_FORMAT_S8, bytes, 1, 1, &is[6]);
  reference_audio_samples (GST_AUDIO_FORMAT_S24_32LE, bytes, 1, 4, &is[7]);
  report_numbers ("audio samples", is, expected, 8);
}

/* Statistics of audio samples */

static void
test_audio_statistics (void)
{
  static const gdouble integers[5] = { -128, -1, 0, 1, 127 };
  static const gdouble integer_expected[13] = { -128, 127, -1, -0.2, 6502.96,
    80.64093253429056, -128, -128, 0, 64, 64, 0, 1.9219280948873623
  };
  static const gdouble integer_bins[12] = { 5, 0, 0, 0, 0, 4, -128, 128,
    1, 1, 2, 1
  };
  static const gdouble floats[8] = { NAN, -INFINITY, INFINITY, -0.5, 0.25, 1,
    -1, 0.25
  };
  static const gdouble float_expected[13] = { -1, 1, 0, 0, 0.475,
    0.689202437604511, -1, -1, 0, 1, 1, -1, 1
  };
  static const gdouble float_bins[10] = { 8, 1, 2, 1, 2, 2, -1, 1, 2, 2 };
  ReferenceStatistics s;

  reference_audio_statistics (integers, 5, GST_AUDIO_FORMAT_S8, 4, 0, 0, &s);
  report_statistics ("audio statistics of integers", &s, integer_expected);
  report_bins ("audio histogram of integers", &s, integer_bins, 12);
  reference_statistics_clear (&s);

  reference_audio_statistics (floats, 8, GST_AUDIO_FORMAT_F32LE, 2, 0, 0, &s);
  report_statistics ("audio statistics of floats", &s, float_expected);
  report_bins ("audio histogram of floats", &s, float_bins, 10);
  reference_statistics_clear (&s);
}

static void
test_audio_extremes (void)
{
  static const gdouble outside[3] = { -2, INFINITY, NAN };
  static const gdouble outside_expected[13] = { -2, -2, -2, -2, 0, 0, -2, -2,
    -2, -2, -2, NAN, 0
  };
  static const gdouble none_expected[13] = { NAN, NAN, 0, NAN, NAN, NAN, NAN,
    NAN, NAN, NAN, NAN, NAN, 0
  };
  static const gdouble cancelling[4] = { 1, 1e300, 1, -1e300 };
  static const gdouble ranges[6] = { 0, 0, 0, 4294967296, -131072, 131072 };
  gdouble is[6];
  ReferenceStatistics s;

  reference_audio_statistics (outside, 3, GST_AUDIO_FORMAT_F64LE, 0, 0, 0, &s);
  report_statistics ("audio samples outside the bins", &s, outside_expected);
  is[0] = s.bins == 256 ? 0 : 1;
  is[1] = s.count == 3 && s.nan == 1 && s.underflow == 1 && s.overflow == 1 ?
      0 : 1;
  reference_statistics_clear (&s);

  reference_audio_statistics (outside + 2, 1, GST_AUDIO_FORMAT_F64LE, 0, 0, 0,
      &s);
  report_statistics ("audio without a number", &s, none_expected);
  reference_statistics_clear (&s);

  reference_audio_statistics (outside, 0, GST_AUDIO_FORMAT_U32LE, 0, 0, 0, &s);
  report_statistics ("audio statistics of nothing", &s, none_expected);
  is[2] = s.range_min;
  is[3] = s.range_max;
  reference_statistics_clear (&s);

  reference_audio_statistics (outside, 0, GST_AUDIO_FORMAT_S18BE, 0, 0, 0, &s);
  is[4] = s.range_min;
  is[5] = s.range_max;
  reference_statistics_clear (&s);
  report_numbers ("audio defaults", is, ranges, 6);

  reference_audio_statistics (cancelling, 4, GST_AUDIO_FORMAT_F64LE, 0, 0, 0,
      &s);
  report (s.sum == 2 && s.mean == 0.5, "compensated sum");
  reference_statistics_clear (&s);
}

gint
main (gint argc, gchar ** argv)
{
  gst_init (&argc, &argv);

  test_video_formats ();
  test_zigzag ();
  test_video_statistics ();
  test_video_percentiles ();
  test_edges ();
  test_ratio ();
  test_audio_formats ();
  test_audio_samples ();
  test_audio_statistics ();
  test_audio_extremes ();

  g_print ("%u passed, %u failed\n", n_passed, n_failed);
  return n_failed == 0 ? 0 : 1;
}
