/* reference-level.c: the group `level`, as plainly as C can say it.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sources: gst/level/gstlevel.c of GStreamer 1.22 for rms, peak and decay, libavfilter/af_astats.c
 * of FFmpeg 5.1 for the others.
 */

#include "reference-level.h"

#include <float.h>
#include <math.h>

#define BINS 8192

/* What the format's samples are divided by, and what of them is looked at. */
typedef struct
{
  gboolean is_float;
  gdouble offset;               /* subtracted from unsigned samples */
  gdouble full_scale;           /* of level */
  gdouble highest;              /* of astats */
} Scale;

static Scale
get_scale (GstAudioFormat format)
{
  const GstAudioFormatInfo *info = gst_audio_format_get_info (format);
  Scale scale = { GST_AUDIO_FORMAT_INFO_IS_FLOAT (info), 0.0, 1.0, 1.0 };

  if (!scale.is_float) {
    scale.full_scale = ldexp (1.0, GST_AUDIO_FORMAT_INFO_DEPTH (info) - 1);
    scale.highest = scale.full_scale - 1.0;
    if (!GST_AUDIO_FORMAT_INFO_IS_SIGNED (info))
      scale.offset = scale.full_scale;
  }
  return scale;
}

/* The finite samples, signed. Returns their number; @start becomes that of the ones before. */
static gsize
keep_finite (const gdouble * samples, gsize n, const Scale * scale,
    gsize * start, gdouble * x)
{
  gsize n_finite = 0, n_before = 0;
  gsize i;

  for (i = 0; i < n; i++) {
    if (isfinite (samples[i]))
      x[n_finite++] = samples[i] - scale->offset;
    if (i < *start)
      n_before = n_finite;
  }
  *start = n_before;
  return n_finite;
}

static long double
sum_of_squares (const gdouble * x, gsize n)
{
  long double sum = 0.0L;
  gsize i;

  for (i = 0; i < n; i++)
    sum += (long double) x[i] * x[i];
  return sum;
}

static void
levels (const gdouble * x, gsize n, const Scale * scale, ReferenceLevel * out)
{
  const gdouble power = (gdouble) (sum_of_squares (x, n) / n);
  long double sum = 0.0L;
  gdouble greatest = 0.0, least = DBL_MAX;
  gsize i;

  for (i = 0; i < n; i++) {
    sum += x[i];
    greatest = fmax (greatest, fabs (x[i]));
    if (x[i] != 0.0)
      least = fmin (least, fabs (x[i]));
  }

  out->rms = 20.0 * log10 (sqrt (power) / scale->full_scale + 1e-35f);
  out->peak = 10.0 * log10 (pow (greatest / scale->full_scale, 2.0) + 1e-35f);
  out->dc_offset = (gdouble) (sum / n) / scale->highest;
  out->crest_factor = power != 0.0 ? greatest / sqrt (power) : 1.0;
  out->dynamic_range = 20.0 * log10 (2.0 * greatest / least);
  out->silent = greatest / scale->full_scale < 0.001;
}

/* The runs of samples equal to the lowest or the highest one, as astats finds them: it starts anew
 * at each sample that is beyond all before. */
static void
add_extreme (const gdouble * x, gsize n, gdouble sign, gdouble * runs,
    guint64 * count)
{
  gdouble extreme = INFINITY, run = 0.0, squares = 0.0;
  guint64 equal = 0;
  gsize i;

  for (i = 0; i < n; i++) {
    const gdouble value = sign * x[i];

    if (value < extreme) {
      extreme = value;
      run = 1.0;
      squares = 0.0;
      equal = 1;
    } else if (value == extreme) {
      equal++;
      run = i > 0 && sign * x[i - 1] == value ? run + 1.0 : 1.0;
    } else if (i > 0 && sign * x[i - 1] == extreme) {
      squares += run * run;
    }
  }
  *runs += squares;
  *count += equal;
}

static gboolean
is_full_scale (gdouble x, const Scale * scale)
{
  return x <= -scale->full_scale || x >= scale->highest;
}

/* Runs are counted where they reach the length. */
static void
clipping (const gdouble * x, gsize start, gsize n, const Scale * scale,
    guint clipping_samples, ReferenceLevel * out)
{
  guint64 run = 0;
  gsize i;

  for (i = 0; i < n; i++) {
    run = is_full_scale (x[i], scale) ? run + 1 : 0;
    if (i >= start && run > 0)
      out->clipped++;
    if (i >= start && run == clipping_samples)
      out->clipped_runs++;
  }
}

/* Before the first sample, the signal counts as negative. */
static void
zero_crossings (const gdouble * x, gsize start, gsize n, ReferenceLevel * out)
{
  gboolean positive = FALSE;
  gsize i;

  for (i = 0; i < n; i++) {
    if (x[i] == 0.0)
      continue;
    if (i >= start && positive != (x[i] > 0.0))
      out->zero_crossings++;
    positive = x[i] > 0.0;
  }
}

static void
differences (const gdouble * x, gsize start, gsize n, ReferenceLevel * out)
{
  long double sum = 0.0L, squares = 0.0L;
  gsize pairs = 0;
  gsize i;

  for (i = MAX (start, 1); i < n; i++) {
    const gdouble difference = fabs (x[i] - x[i - 1]);

    if (pairs == 0 || difference < out->min_difference)
      out->min_difference = difference;
    if (pairs == 0 || difference > out->max_difference)
      out->max_difference = difference;
    sum += difference;
    squares += (long double) difference * difference;
    pairs++;
  }
  if (pairs > 0) {
    out->mean_difference = (gdouble) (sum / pairs);
    out->rms_difference = (gdouble) sqrtl (squares / pairs);
  }
}

static guint
bin_of (gdouble x, const Scale * scale)
{
  return (guint) lrint (fmin (fabs (x / scale->highest), 1.0) * (BINS - 1));
}

static void
entropy (const gdouble * x, gsize n, const Scale * scale, ReferenceLevel * out)
{
  guint64 *counts = g_new0 (guint64, BINS);
  long double sum = 0.0L;
  guint b;
  gsize i;

  for (i = 0; i < n; i++)
    counts[bin_of (x[i], scale)]++;
  for (b = 0; b < BINS; b++) {
    const long double p = (long double) counts[b] / n;

    if (counts[b] > 0)
      sum -= p * log2l (p);
  }
  out->level_entropy = (gdouble) (sum / 13.0L);
  g_free (counts);
}

/* Running power and noise floor, over 50 ms. */
static void
envelope (const gdouble * x, gsize n, guint rate, const Scale * scale,
    ReferenceLevel * out)
{
  const gsize span = (gsize) fmax (0.05 * rate + 0.5, 1.0);
  const gdouble factor = exp (-1.0 / 0.05 / rate);
  gdouble average = 0.0, min = DBL_MAX, max = 0.0;
  guint floor = BINS;
  gsize i, k;

  for (i = 0; i < n; i++) {
    const gdouble y = x[i] / scale->highest;

    average = average * factor + (1.0 - factor) * y * y;
    if (i >= span) {
      min = fmin (min, average);
      max = fmax (max, average);
    }
  }
  if (n <= span)
    min = max = (gdouble) (sum_of_squares (x, n) / n)
        / scale->highest / scale->highest;
  out->rms_peak = 20.0 * log10 (sqrt (max));
  out->rms_trough = 20.0 * log10 (sqrt (min));

  for (i = span; i <= n; i++) {
    guint highest = 0;

    for (k = i - span; k < i; k++)
      highest = MAX (highest, bin_of (x[k], scale));
    floor = MIN (floor, highest);
  }
  if (floor < BINS)
    out->noise_floor = 20.0 * log10 (floor / (BINS - 1.0));
}

/* The integer whose bits astats looks at. */
static guint64
integer_of (gdouble x, gdouble scale)
{
  if (fabs (x) >= ldexp (1.0, 63) / scale)
    return G_GUINT64_CONSTANT (1) << 63;
  return (guint64) (gint64) rint (x * scale);
}

static void
bits (const gdouble * x, gsize n, GstAudioFormat format, const Scale * scale,
    ReferenceLevel * out)
{
  const guint depth =
      GST_AUDIO_FORMAT_INFO_DEPTH (gst_audio_format_get_info (format));
  const gdouble factor = scale->is_float ? ldexp (1.0, depth - 1) : 1.0;
  guint bit;
  gsize i;

  for (bit = 0; bit < depth; bit++) {
    gboolean is_set = FALSE, is_clear = FALSE;

    for (i = 0; i < n; i++) {
      if (integer_of (x[i], factor) >> bit & 1)
        is_set = TRUE;
      else
        is_clear = TRUE;
    }
    if (is_set && is_clear)
      out->bit_depth++;
  }

  for (i = 0; scale->is_float && i < n; i++) {
    if (depth == 32 && fpclassify ((gfloat) x[i]) == FP_SUBNORMAL)
      out->denormals++;
    if (depth == 64 && fpclassify (x[i]) == FP_SUBNORMAL)
      out->denormals++;
  }
}

void
reference_level (const gdouble * samples, gsize start, gsize n,
    GstAudioFormat format, guint rate, guint clipping_samples,
    ReferenceLevel * out)
{
  const Scale scale = get_scale (format);
  gdouble *x = g_new (gdouble, n + 1);
  gdouble runs = 0.0;

  *out = (ReferenceLevel) {
    NAN, NAN, NAN, NAN, NAN, 0, 0, 0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
    NAN, 0, 0, NAN, 0
  };
  n = keep_finite (samples, n, &scale, &start, x);
  if (start < n) {
    levels (x + start, n - start, &scale, out);
    add_extreme (x + start, n - start, 1.0, &runs, &out->peak_count);
    add_extreme (x + start, n - start, -1.0, &runs, &out->peak_count);
    out->flat_factor = 20.0 * log10 (runs / out->peak_count);
    clipping (x, start, n, &scale, clipping_samples, out);
    zero_crossings (x, start, n, out);
    differences (x, start, n, out);
    entropy (x + start, n - start, &scale, out);
    envelope (x + start, n - start, rate, &scale, out);
    bits (x + start, n - start, format, &scale, out);
  }
  g_free (x);
}

static gboolean
is_silent (const gdouble * x, gsize n, const Scale * scale)
{
  gdouble greatest = -1.0;
  gsize i;

  for (i = 0; i < n; i++) {
    if (isfinite (x[i]))
      greatest = fmax (greatest, fabs (x[i] - scale->offset));
  }
  return greatest >= 0.0 && greatest / scale->full_scale < 0.001;
}

/* A condition of the last two seconds. Buffers that are neither for nor against it are skipped. */
static guint
lasts (gboolean is_for, gboolean is_against, gsize n, guint rate, guint64 * run)
{
  if (is_against)
    *run = 0;
  if (!is_for)
    return 0;
  *run += n;
  return *run >= 2 * (guint64) rate;
}

void
reference_pair (const gdouble * x, const gdouble * y, gsize n,
    GstAudioFormat format, guint rate, ReferencePairRun * run,
    ReferencePair * out)
{
  const Scale scale = get_scale (format);
  long double xx = 0.0L, yy = 0.0L, xy = 0.0L;
  gboolean is_equal = TRUE;
  gsize i;

  for (i = 0; i < n; i++) {
    const long double a = x[i] - scale.offset, b = y[i] - scale.offset;

    if (!isfinite (x[i]) || !isfinite (y[i]))
      continue;
    xx += a * a;
    yy += b * b;
    xy += a * b;
    if (x[i] != y[i])
      is_equal = FALSE;
  }

  *out = (ReferencePair) { NAN, NAN, NAN, 0, 0, FALSE };
  out->is_subnormal = (xx > 0 && xx < DBL_MIN) || (yy > 0 && yy < DBL_MIN);
  /* The code's sums are doubles, in which the square of 1e-310 is 0. */
  if ((gdouble) xx > 0 && (gdouble) yy > 0)
    out->correlation = (gdouble) (xy / (sqrtl (xx) * sqrtl (yy)));
  if ((gdouble) (xx + yy) > 0) {
    out->mono_loss =
        (gdouble) (10.0L * log10l (fmaxl (xx + yy + 2.0L * xy, 0.0L) / (2.0L * (xx + yy))));
    out->balance = (gdouble) (10.0L * log10l (xx / yy));
  }
  if (run != NULL) {
    const gdouble limit = cos (170.0 * G_PI / 180.0);
    const gboolean is_heard = xx + yy > 0.0L
        && !(is_silent (x, n, &scale) && is_silent (y, n, &scale));

    out->inverted = lasts (out->correlation <= limit, out->correlation > limit,
        n, rate, &run->inverted);
    out->dual_mono = lasts (is_equal && is_heard, !is_equal, n, rate, &run->dual_mono);
  }
}

gdouble
reference_decay (ReferenceDecay * decay, const gdouble * samples, gsize n,
    GstAudioFormat format, guint rate)
{
  const Scale scale = get_scale (format);
  const guint64 ttl = 300 * GST_MSECOND;
  gdouble peak = 0.0;
  gsize i;

  for (i = 0; i < n; i++) {
    const gdouble y = (samples[i] - scale.offset) / scale.full_scale;

    if (isfinite (samples[i]) && y * y > peak)
      peak = y * y;
  }
  if (n > 0) {
    decay->age += GST_FRAMES_TO_CLOCK_TIME (n, rate);
    if (decay->age > ttl)
      decay->power = decay->base *
          pow (10.0, 10.0 * ((gdouble) (decay->age - ttl) / GST_SECOND) / -20.0);
    if (peak >= decay->power) {
      decay->power = decay->base = peak;
      decay->age = 0;
    }
  }
  return 10.0 * log10 (decay->power + 1e-35f);
}
