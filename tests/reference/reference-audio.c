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
  const gchar *name;            /* GStreamer's */
  guint bytes;                  /* a sample's size in memory */
  guint depth;                  /* its low bits that count */
  enum
  { UNSIGNED, SIGNED, FLOAT } kind;
  gboolean big_endian;
} Layout;

#define BOTH(name, bytes, depth, kind) \
  { name "LE", bytes, depth, kind, FALSE }, { name "BE", bytes, depth, kind, TRUE }

static const Layout layouts[] = {
  /* *INDENT-OFF* */
  { "S8", 1, 8, SIGNED, FALSE },
  { "U8", 1, 8, UNSIGNED, FALSE },
  BOTH ("S16", 2, 16, SIGNED),
  BOTH ("U16", 2, 16, UNSIGNED),
  BOTH ("S18", 3, 18, SIGNED),
  BOTH ("U18", 3, 18, UNSIGNED),
  BOTH ("S20", 3, 20, SIGNED),
  BOTH ("U20", 3, 20, UNSIGNED),
  BOTH ("S24", 3, 24, SIGNED),
  BOTH ("U24", 3, 24, UNSIGNED),
  BOTH ("S24_32", 4, 24, SIGNED),
  BOTH ("U24_32", 4, 24, UNSIGNED),
  BOTH ("S32", 4, 32, SIGNED),
  BOTH ("U32", 4, 32, UNSIGNED),
  BOTH ("F32", 4, 32, FLOAT),
  BOTH ("F64", 8, 64, FLOAT),
  /* *INDENT-ON* */
};

static const Layout *
find_layout (GstAudioFormat format)
{
  const gchar *name = gst_audio_format_to_string (format);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (layouts); i++)
    if (g_strcmp0 (layouts[i].name, name) == 0)
      return &layouts[i];

  return NULL;
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
  const Layout *layout = find_layout (format);
  gsize i;

  if (layout == NULL)
    return FALSE;

  for (i = 0; i < n_samples; i++)
    samples[i] = sample_value (layout, data + i * stride_bytes);

  return TRUE;
}

/* Totals */

void
reference_sum_add (ReferenceSum * s, long double x)
{
  long double t = s->sum + x;

  if (fabsl (s->sum) >= fabsl (x))
    s->correction += (s->sum - t) + x;
  else
    s->correction += (x - t) + s->sum;
  s->sum = t;
  s->magnitude += fabsl (x);
}

static void
add_finite (ReferenceTotals * out, gdouble x, gboolean is_float)
{
  if (out->n_finite == 0)
    out->min = out->max = x;
  out->min = MIN (out->min, x);
  out->max = MAX (out->max, x);
  out->n_finite++;
  if (is_float) {
    reference_sum_add (&out->float_sum, x);
    reference_sum_add (&out->float_squares, (long double) x * x);
  } else {
    out->sum += (gint64) x;
    out->squares += (ReferenceUint128) ((ReferenceInt128) (gint64) x * (gint64) x);
  }
}

void
reference_audio_totals (const gdouble * samples, gsize n, gboolean is_float,
    const gdouble * edges, guint bins, ReferenceTotals * out)
{
  gsize i;

  memset (out, 0, sizeof (*out));
  out->min = out->max = NAN;
  out->histogram = g_new0 (guint64, bins);
  for (i = 0; i < n; i++) {
    if (isfinite (samples[i]))
      add_finite (out, samples[i], is_float);
    else if (isinf (samples[i]))
      out->inf++;

    if (isnan (samples[i]))
      out->nan++;
    else if (samples[i] < edges[0])
      out->underflow++;
    else if (samples[i] >= edges[bins])
      out->overflow++;
    else
      out->histogram[reference_bin_of (edges, bins, samples[i])]++;
  }
}

/* Statistics */

/* Sum, mean and variance of whole numbers, exact until the last step:
 * variance = (n * sum of squares - square of the sum) / n^2 */
static void
integer_moments (const ReferenceTotals * totals, ReferenceStatistics * out)
{
  const ReferenceUint128 n = totals->n_finite;
  ReferenceUint128 magnitude =
      (ReferenceUint128) (totals->sum < 0 ? -totals->sum : totals->sum);

  out->sum = (gdouble) totals->sum;
  out->mean = reference_ratio (magnitude, n);
  if (totals->sum < 0)
    out->mean = -out->mean;
  out->variance = reference_ratio (n * totals->squares - magnitude * magnitude,
      n * n);
}

/* Floating point samples: the variance is the mean of the squared
 * distances from the mean */
static void
float_moments (const gdouble * samples, gsize n, const ReferenceTotals * totals,
    ReferenceStatistics * out)
{
  const ReferenceSum *sum = &totals->float_sum;
  const long double mean = (sum->sum + sum->correction) / totals->n_finite;
  ReferenceSum squares = { 0.0L, 0.0L, 0.0L };
  gsize i;

  for (i = 0; i < n; i++)
    if (isfinite (samples[i]))
      reference_sum_add (&squares, (samples[i] - mean) * (samples[i] - mean));

  out->sum = (gdouble) (sum->sum + sum->correction);
  out->mean = (gdouble) mean;
  out->variance =
      (gdouble) ((squares.sum + squares.correction) / totals->n_finite);
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
  const Layout *layout = find_layout (format);
  ReferenceTotals totals;
  gdouble *edges;
  guint i;

  if (layout == NULL)
    return FALSE;

  memset (out, 0, sizeof (*out));
  out->count = n;
  out->bins = bins != 0 ? bins : 256;
  out->range_min = range_min;
  out->range_max = range_max;
  default_range (layout, out);
  edges = reference_set_bins (out);
  reference_audio_totals (samples, n, layout->kind == FLOAT, edges, out->bins,
      &totals);
  out->underflow = totals.underflow;
  out->overflow = totals.overflow;
  out->nan = totals.nan;
  out->inf = totals.inf;
  out->histogram = totals.histogram;
  out->min = totals.min;
  out->max = totals.max;

  out->mean = out->variance = out->std_dev = NAN;
  if (totals.n_finite > 0) {
    if (layout->kind == FLOAT)
      float_moments (samples, n, &totals, out);
    else
      integer_moments (&totals, out);
    out->std_dev = sqrt (out->variance);
  }
  reference_order_statistics (out->histogram, out->bins, edges, out->underflow,
      n - out->nan, out);
  for (i = 0; i < 5 && totals.n_finite > 0; i++)
    *percentiles[i] = CLAMP (*percentiles[i], out->min, out->max);

  g_free (edges);
  return TRUE;
}
