/* reference-audio.c: every raw audio format's samples, and their statistics, as
 * plainly as C can say it.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Formats: the comments of GstAudioFormat in gst/audio/audio-format.h and
 * GStreamer's design document "Raw Audio Media Types".
 */

#include <math.h>
#include <string.h>

#include "reference.h"

typedef struct
{
  guint bytes;                  /* a sample's size in memory */
  guint depth;                  /* its low bits that count */
  enum
  { UNSIGNED, SIGNED, FLOAT } kind;
  gboolean big_endian;
} Layout;

static gboolean
get_layout (GstAudioFormat format, Layout * layout)
{
#define IS(bytes, depth, kind, big_endian) \
  *layout = (Layout) { bytes, depth, kind, big_endian }; return TRUE
  switch (format) {
    case GST_AUDIO_FORMAT_S8:
      IS (1, 8, SIGNED, FALSE);
    case GST_AUDIO_FORMAT_U8:
      IS (1, 8, UNSIGNED, FALSE);
    case GST_AUDIO_FORMAT_S16LE:
      IS (2, 16, SIGNED, FALSE);
    case GST_AUDIO_FORMAT_S16BE:
      IS (2, 16, SIGNED, TRUE);
    case GST_AUDIO_FORMAT_U16LE:
      IS (2, 16, UNSIGNED, FALSE);
    case GST_AUDIO_FORMAT_U16BE:
      IS (2, 16, UNSIGNED, TRUE);
    case GST_AUDIO_FORMAT_S24_32LE:
      IS (4, 24, SIGNED, FALSE);
    case GST_AUDIO_FORMAT_S24_32BE:
      IS (4, 24, SIGNED, TRUE);
    case GST_AUDIO_FORMAT_U24_32LE:
      IS (4, 24, UNSIGNED, FALSE);
    case GST_AUDIO_FORMAT_U24_32BE:
      IS (4, 24, UNSIGNED, TRUE);
    case GST_AUDIO_FORMAT_S32LE:
      IS (4, 32, SIGNED, FALSE);
    case GST_AUDIO_FORMAT_S32BE:
      IS (4, 32, SIGNED, TRUE);
    case GST_AUDIO_FORMAT_U32LE:
      IS (4, 32, UNSIGNED, FALSE);
    case GST_AUDIO_FORMAT_U32BE:
      IS (4, 32, UNSIGNED, TRUE);
    case GST_AUDIO_FORMAT_S24LE:
      IS (3, 24, SIGNED, FALSE);
    case GST_AUDIO_FORMAT_S24BE:
      IS (3, 24, SIGNED, TRUE);
    case GST_AUDIO_FORMAT_U24LE:
      IS (3, 24, UNSIGNED, FALSE);
    case GST_AUDIO_FORMAT_U24BE:
      IS (3, 24, UNSIGNED, TRUE);
    case GST_AUDIO_FORMAT_S20LE:
      IS (3, 20, SIGNED, FALSE);
    case GST_AUDIO_FORMAT_S20BE:
      IS (3, 20, SIGNED, TRUE);
    case GST_AUDIO_FORMAT_U20LE:
      IS (3, 20, UNSIGNED, FALSE);
    case GST_AUDIO_FORMAT_U20BE:
      IS (3, 20, UNSIGNED, TRUE);
    case GST_AUDIO_FORMAT_S18LE:
      IS (3, 18, SIGNED, FALSE);
    case GST_AUDIO_FORMAT_S18BE:
      IS (3, 18, SIGNED, TRUE);
    case GST_AUDIO_FORMAT_U18LE:
      IS (3, 18, UNSIGNED, FALSE);
    case GST_AUDIO_FORMAT_U18BE:
      IS (3, 18, UNSIGNED, TRUE);
    case GST_AUDIO_FORMAT_F32LE:
      IS (4, 32, FLOAT, FALSE);
    case GST_AUDIO_FORMAT_F32BE:
      IS (4, 32, FLOAT, TRUE);
    case GST_AUDIO_FORMAT_F64LE:
      IS (8, 64, FLOAT, FALSE);
    case GST_AUDIO_FORMAT_F64BE:
      IS (8, 64, FLOAT, TRUE);
    default:
      return FALSE;
  }
#undef IS
}

static gdouble
sample_value (const Layout * layout, const guint8 * data)
{
  guint64 word = 0;
  guint i;

  for (i = 0; i < layout->bytes; i++)
    word |= (guint64) data[layout->big_endian ? layout->bytes - 1 - i : i]
        << (8 * i);

  if (layout->kind == FLOAT && layout->bytes == 4) {
    guint32 bits = (guint32) word;
    gfloat value;

    memcpy (&value, &bits, 4);
    return value;
  }
  if (layout->kind == FLOAT) {
    gdouble value;

    memcpy (&value, &word, 8);
    return value;
  }

  word &= (G_GUINT64_CONSTANT (1) << layout->depth) - 1;
  if (layout->kind == SIGNED && (word >> (layout->depth - 1)) == 1)
    return (gdouble) word - ldexp (1.0, layout->depth);
  return (gdouble) word;
}

gboolean
reference_audio_samples (GstAudioFormat format, const guint8 * data,
    gsize n_samples, gsize stride_bytes, gdouble * samples)
{
  Layout layout;
  gsize i;

  if (!get_layout (format, &layout))
    return FALSE;

  for (i = 0; i < n_samples; i++)
    samples[i] = sample_value (&layout, data + i * stride_bytes);

  return TRUE;
}

/* Sum, mean and variance of whole numbers, exact until the last step:
 * variance = (n * sum of squares - square of the sum) / n^2 */
static void
integer_moments (const gdouble * samples, gsize n, ReferenceStatistics * out)
{
  ReferenceInt128 sum = 0;
  ReferenceUint128 squares = 0;
  ReferenceUint128 magnitude;
  gsize i;

  for (i = 0; i < n; i++) {
    gint64 x = (gint64) samples[i];

    sum += x;
    squares += (ReferenceUint128) ((ReferenceInt128) x * x);
  }

  magnitude = (ReferenceUint128) (sum < 0 ? -sum : sum);
  out->sum = (gdouble) sum;
  out->mean = reference_ratio (magnitude, n);
  if (sum < 0)
    out->mean = -out->mean;
  out->variance = reference_ratio (n * squares - magnitude * magnitude,
      (ReferenceUint128) n * n);
}

/* A sum whose rounding errors are collected and added at the end:
 * A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher
 * Summen", ZAMM 54 (1974) */
typedef struct
{
  long double sum;
  long double correction;
} NeumaierSum;

static void
neumaier_add (NeumaierSum * s, long double x)
{
  long double t = s->sum + x;

  if (fabsl (s->sum) >= fabsl (x))
    s->correction += (s->sum - t) + x;
  else
    s->correction += (x - t) + s->sum;
  s->sum = t;
}

/* Sum, mean and variance of the finite ones of floating point samples */
static void
float_moments (const gdouble * samples, gsize n, gsize n_finite,
    ReferenceStatistics * out)
{
  NeumaierSum sum = { 0.0L, 0.0L };
  NeumaierSum squares = { 0.0L, 0.0L };
  long double mean;
  gsize i;

  for (i = 0; i < n; i++)
    if (isfinite (samples[i]))
      neumaier_add (&sum, samples[i]);
  mean = (sum.sum + sum.correction) / n_finite;

  for (i = 0; i < n; i++)
    if (isfinite (samples[i]))
      neumaier_add (&squares, (samples[i] - mean) * (samples[i] - mean));

  out->sum = (gdouble) (sum.sum + sum.correction);
  out->mean = (gdouble) mean;
  out->variance = (gdouble) ((squares.sum + squares.correction) / n_finite);
}

static void
min_max_and_moments (const gdouble * samples, gsize n, gboolean is_float,
    ReferenceStatistics * out)
{
  gsize n_finite = 0;
  gsize i;

  out->min = out->max = out->mean = out->variance = out->std_dev = NAN;
  out->sum = 0.0;
  for (i = 0; i < n; i++) {
    if (!isfinite (samples[i]))
      continue;
    if (n_finite == 0 || samples[i] < out->min)
      out->min = samples[i];
    if (n_finite == 0 || samples[i] > out->max)
      out->max = samples[i];
    n_finite++;
  }
  if (n_finite == 0)
    return;

  if (is_float)
    float_moments (samples, n, n_finite, out);
  else
    integer_moments (samples, n, out);
  out->std_dev = sqrt (out->variance);
}

static void
default_range (const Layout * layout, ReferenceStatistics * out)
{
  if (out->range_min != 0.0 || out->range_max != 0.0)
    return;

  switch (layout->kind) {
    case UNSIGNED:
      out->range_max = ldexp (1.0, layout->depth);
      break;
    case SIGNED:
      out->range_min = -ldexp (1.0, layout->depth - 1);
      out->range_max = ldexp (1.0, layout->depth - 1);
      break;
    case FLOAT:
      out->range_min = -1.0;
      out->range_max = 1.0;
      break;
  }
}

gboolean
reference_audio_statistics (const gdouble * samples, gsize n,
    GstAudioFormat format, guint bins, gdouble range_min, gdouble range_max,
    ReferenceStatistics * out)
{
  /* neither below the smallest finite sample nor above the largest one */
  gdouble *percentiles[5] = { &out->p1, &out->p10, &out->p50, &out->p90,
    &out->p99
  };
  Layout layout;
  gdouble *edges;
  gsize i;

  if (!get_layout (format, &layout))
    return FALSE;

  memset (out, 0, sizeof (*out));
  out->count = n;
  out->bins = bins != 0 ? bins : 256;
  out->range_min = range_min;
  out->range_max = range_max;
  default_range (&layout, out);
  out->histogram = g_new0 (guint64, out->bins);
  edges = g_new (gdouble, (gsize) out->bins + 1);
  reference_bin_edges (out->range_min, out->range_max, out->bins, edges);

  for (i = 0; i < n; i++) {
    if (isinf (samples[i]))
      out->inf++;

    if (isnan (samples[i]))
      out->nan++;
    else if (samples[i] < out->range_min)
      out->underflow++;
    else if (samples[i] >= out->range_max)
      out->overflow++;
    else
      out->histogram[reference_bin_of (edges, out->bins, samples[i])]++;
  }

  min_max_and_moments (samples, n, layout.kind == FLOAT, out);
  reference_order_statistics (out->histogram, out->bins, edges, out->underflow,
      n - out->nan, out);
  for (i = 0; i < 5 && !isnan (out->min); i++)
    *percentiles[i] = CLAMP (*percentiles[i], out->min, out->max);

  g_free (edges);
  return TRUE;
}
