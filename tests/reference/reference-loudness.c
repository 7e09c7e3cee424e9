/* reference-loudness.c: loudness of ITU-R BS.1770-4 and EBU Tech 3341 and 3342, as plainly as C
 * can say it.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "reference-loudness.h"

#include <math.h>
#include <stdlib.h>

/* A second-order filter: b / a, a[0] = 1. */
typedef struct
{
  gdouble b[3], a[3];
  gdouble x[2], y[2];
} Filter;

/* The filters of BS.1770 are given at 48 kHz. These analog prototypes give the same coefficients
 * there, and those of other rates: B. De Man, "Evaluation of implementations of the EBU R128
 * loudness measurement" (2018). */
static Filter
high_shelf (guint rate)
{
  const gdouble k = tan (G_PI * 1681.974450955533 / rate);
  const gdouble q = 0.7071752369554196;
  const gdouble vh = pow (10.0, 3.999843853973347 / 20.0);
  const gdouble vb = pow (vh, 0.4996667741545416);
  const gdouble a0 = 1.0 + k / q + k * k;

  return (Filter) {
    {(vh + vb * k / q + k * k) / a0, 2.0 * (k * k - vh) / a0,
        (vh - vb * k / q + k * k) / a0},
    {1.0, 2.0 * (k * k - 1.0) / a0, (1.0 - k / q + k * k) / a0},
    {0.0, 0.0}, {0.0, 0.0}
  };
}

static Filter
high_pass (guint rate)
{
  const gdouble k = tan (G_PI * 38.13547087602444 / rate);
  const gdouble q = 0.5003270373238773;
  const gdouble a0 = 1.0 + k / q + k * k;

  return (Filter) {
    {1.0, -2.0, 1.0},
    {1.0, 2.0 * (k * k - 1.0) / a0, (1.0 - k / q + k * k) / a0},
    {0.0, 0.0}, {0.0, 0.0}
  };
}

static gdouble
run_filter (Filter * f, gdouble x)
{
  const gdouble y = f->b[0] * x + f->b[1] * f->x[0] + f->b[2] * f->x[1]
      - f->a[1] * f->y[0] - f->a[2] * f->y[1];

  f->x[1] = f->x[0];
  f->x[0] = x;
  f->y[1] = f->y[0];
  f->y[0] = y;
  return y;
}

/* The weighted energy of all channels in each 10 ms. */
static gdouble *
find_energies (const gdouble * samples, gsize n_steps, guint channels,
    const gdouble * weights, guint rate)
{
  gdouble *energies = g_new0 (gdouble, n_steps + 1);
  const gsize step = rate / 100;
  gsize i;
  guint c;

  for (c = 0; c < channels; c++) {
    Filter shelf = high_shelf (rate), pass = high_pass (rate);

    for (i = 0; i < n_steps * step; i++) {
      const gdouble y = run_filter (&pass,
          run_filter (&shelf, samples[i * channels + c]));

      energies[i / step] += weights[c] * y * y / step;
    }
  }
  return energies;
}

static gdouble
loudness_of (gdouble energy)
{
  return -0.691 + 10.0 * log10 (energy);
}

/* The mean of the @length steps before step @end; steps before the start are silent. */
static gdouble
mean_energy (const gdouble * energies, gsize end, gsize length)
{
  gdouble sum = 0.0;
  gsize i;

  for (i = end > length ? end - length : 0; i < end; i++)
    sum += energies[i];
  return sum / length;
}

/* The energies of the blocks of @length steps, one each 100 ms, that are louder than -70 LUFS and than
 * @gate LU below the mean of those. */
static GArray *
find_loud_blocks (const gdouble * energies, gsize n_steps, gsize length,
    gdouble gate)
{
  GArray *blocks = g_array_new (FALSE, FALSE, sizeof (gdouble));
  gdouble sum = 0.0, threshold;
  gsize end;
  guint i;

  for (end = length; end <= n_steps; end += 10) {
    const gdouble energy = mean_energy (energies, end, length);

    if (loudness_of (energy) > -70.0) {
      g_array_append_val (blocks, energy);
      sum += energy;
    }
  }
  /* The mean is that of all of them, also of those that are removed. */
  threshold = loudness_of (sum / blocks->len) - gate;
  for (i = blocks->len; i-- > 0;)
    if (loudness_of (g_array_index (blocks, gdouble, i)) <= threshold)
      g_array_remove_index (blocks, i);
  return blocks;
}

static int
compare_numbers (const void *a, const void *b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

/* Tech 3342: from the 10th to the 95th percentile of the blocks of 3 s that are louder than the gate. */
static gdouble
find_range (const gdouble * energies, gsize n_steps)
{
  GArray *blocks = find_loud_blocks (energies, n_steps, 300, 20.0);
  gdouble range = 0.0;

  if (blocks->len > 0) {
    const guint last = blocks->len - 1;

    g_array_sort (blocks, compare_numbers);
    range = loudness_of (g_array_index (blocks, gdouble, (guint) floor (0.95 * last + 0.5))) -
        loudness_of (g_array_index (blocks, gdouble, (guint) floor (0.10 * last + 0.5)));
  }
  g_array_unref (blocks);
  return range;
}

/* The mean of the blocks of 400 ms that are louder than the gate. */
static gdouble
find_integrated (const gdouble * energies, gsize n_steps, gdouble gate)
{
  GArray *blocks = find_loud_blocks (energies, n_steps, 40, gate);
  const guint n = blocks->len;
  gdouble sum = 0.0;

  for (guint i = 0; i < n; i++)
    sum += g_array_index (blocks, gdouble, i);
  g_array_unref (blocks);
  return n > 0 ? loudness_of (sum / n) : -INFINITY;
}

void
reference_loudness (const gdouble * samples, gsize n, guint channels,
    const gdouble * weights, guint rate, ReferenceLoudness * out)
{
  const gsize n_steps = n / (rate / 100);
  gdouble *energies = find_energies (samples, n_steps, channels, weights, rate);
  gsize end;

  out->momentary = loudness_of (mean_energy (energies, n_steps, 40));
  out->short_term = loudness_of (mean_energy (energies, n_steps, 300));
  out->momentary_max = out->short_term_max = -INFINITY;
  for (end = 1; end <= n_steps; end++) {
    out->momentary_max = fmax (out->momentary_max,
        loudness_of (mean_energy (energies, end, 40)));
    out->short_term_max = fmax (out->short_term_max,
        loudness_of (mean_energy (energies, end, 300)));
  }

  out->integrated = find_integrated (energies, n_steps, 10.0);
  out->integrated_least = fmin (out->integrated, find_integrated (energies, n_steps, 10.1));
  out->integrated_most = fmax (out->integrated, find_integrated (energies, n_steps, 9.9));
  out->range = find_range (energies, n_steps);
  g_free (energies);
}

/* BS.1770-4, annex 2, as it prints them: a column for each phase. */
static const gdouble annex[12][4] = {
  {0.0017089843750, -0.0291748046875, -0.0189208984375, -0.0083007812500},
  {0.0109863281250, 0.0292968750000, 0.0330810546875, 0.0148925781250},
  {-0.0196533203125, -0.0517578125000, -0.0582275390625, -0.0266113281250},
  {0.0332031250000, 0.0891113281250, 0.1015625000000, 0.0476074218750},
  {-0.0594482421875, -0.1665039062500, -0.2003173828125, -0.1022949218750},
  {0.1373291015625, 0.4650878906250, 0.7797851562500, 0.9721679687500},
  {0.9721679687500, 0.7797851562500, 0.4650878906250, 0.1373291015625},
  {-0.1022949218750, -0.2003173828125, -0.1665039062500, -0.0594482421875},
  {0.0476074218750, 0.1015625000000, 0.0891113281250, 0.0332031250000},
  {-0.0266113281250, -0.0582275390625, -0.0517578125000, -0.0196533203125},
  {0.0148925781250, 0.0330810546875, 0.0292968750000, 0.0109863281250},
  {-0.0083007812500, -0.0189208984375, -0.0291748046875, 0.0017089843750},
};

gdouble
reference_true_peak (const gdouble * samples, gsize n, guint stride)
{
  gdouble peak = 0.0;
  gsize i;
  guint phase, k;

  for (i = 0; i < n; i++) {
    peak = fmax (peak, fabs (samples[i * stride]));
    for (phase = 0; phase < 4; phase++) {
      gdouble sum = 0.0;

      for (k = 0; k < 12 && k <= i; k++)
        sum += annex[k][phase] * samples[(i - k) * stride];
      peak = fmax (peak, fabs (sum));
    }
  }
  return peak;
}
