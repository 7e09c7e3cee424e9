/* Finds by how many samples one sound is later than another; see sound-delay.h.
 *
 * The products of all delays come from one Fourier transform. Each is divided by the powers of the samples that lie beside
 * each other: the score is the square of their correlation.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/sound-delay.h"

#include <gst/fft/gstfftf64.h>
#include <math.h>
#include <string.h>

/* A delay counts if at least this share of the samples of A, and of their power, lies beside samples of B. */
#define LEAST_OVERLAP 0.25
#define LEAST_POWER 0.1
/* Where B has less than this share of its power, rounding makes scores. */
#define LEAST_SHARE 1e-9
/* Scores that differ by less are equal: the transform rounds. */
#define EQUAL 1e-6
/* Another delay whose score is a maximum, and lower by less than this, may be meant as well. */
#define ALIKE 1e-3

/* @first, @last: the range of delays, in samples */
void
report_sound_scores_init (ReportSoundScores * scores, gint64 first, gint64 last)
{
  scores->first = first;
  scores->n = last - first + 1;
  scores->values = g_new0 (gdouble, scores->n);
}

void
report_sound_scores_clear (ReportSoundScores * scores)
{
  g_clear_pointer (&scores->values, g_free);
}

/* Returns: (transfer full): the samples less their mean, with zeros behind them */
static gdouble *
pad (const gdouble * samples, gsize n, gsize length)
{
  gdouble *padded = g_new0 (gdouble, length);
  gdouble sum = 0, most = 0;

  for (gsize i = 0; i < n; i++) {
    sum += samples[i];
    most = MAX (most, fabs (samples[i]));
  }
  for (gsize i = 0; i < n; i++) {
    padded[i] = samples[i] - sum / n;
    /* What is left of a constant is its rounding. */
    if (fabs (padded[i]) < most * 1e-12)
      padded[i] = 0;
  }
  return padded;
}

/* Returns: (transfer full): the powers of the first 0, 1, … n samples */
static gdouble *
add_up_powers (const gdouble * samples, gsize n)
{
  gdouble *powers = g_new (gdouble, n + 1);

  powers[0] = 0;
  for (gsize i = 0; i < n; i++)
    powers[i + 1] = powers[i] + samples[i] * samples[i];
  return powers;
}

/* Returns: (transfer full): element k, or k + @length if k is negative: Σ a[n] b[n + k] */
static gdouble *
correlate (const gdouble * a, const gdouble * b, gsize length)
{
  GstFFTF64 *forward = gst_fft_f64_new (length, FALSE);
  GstFFTF64 *backward = gst_fft_f64_new (length, TRUE);
  GstFFTF64Complex *of_a = g_new (GstFFTF64Complex, length / 2 + 1);
  GstFFTF64Complex *of_b = g_new (GstFFTF64Complex, length / 2 + 1);
  gdouble *products = g_new (gdouble, length);

  gst_fft_f64_fft (forward, a, of_a);
  gst_fft_f64_fft (forward, b, of_b);
  for (gsize i = 0; i <= length / 2; i++) {
    const GstFFTF64Complex x = of_a[i], y = of_b[i];

    of_a[i].r = x.r * y.r + x.i * y.i;
    of_a[i].i = x.r * y.i - x.i * y.r;
  }
  gst_fft_f64_inverse_fft (backward, of_a, products);
  for (gsize i = 0; i < length; i++)
    products[i] /= length;
  gst_fft_f64_free (forward);
  gst_fft_f64_free (backward);
  g_free (of_a);
  g_free (of_b);
  return products;
}

/**
 * report_sound_scores_add:
 * @a, @b: samples of one channel of each sound: without delay the first ones lie beside each other
 *
 * Each delay keeps the best of its scores.
 */
void
report_sound_scores_add (ReportSoundScores * scores, const gdouble * a, gsize n_a, const gdouble * b, gsize n_b)
{
  const gsize length = gst_fft_next_fast_length (n_a + n_b);
  g_autofree gdouble *padded_a = pad (a, n_a, length), *padded_b = pad (b, n_b, length);
  g_autofree gdouble *powers_a = add_up_powers (padded_a, n_a), *powers_b = add_up_powers (padded_b, n_b);
  g_autofree gdouble *products = correlate (padded_a, padded_b, length);

  for (gsize i = 0; i < scores->n; i++) {
    const gint64 delay = scores->first + (gint64) i;
    const gint64 from = MAX (0, -delay), to = MIN ((gint64) n_a, (gint64) n_b - delay);
    gdouble power_a, power_b, product;

    if (to - from < (gint64) ceil (n_a * LEAST_OVERLAP))
      continue;
    power_a = powers_a[to] - powers_a[from];
    power_b = powers_b[to + delay] - powers_b[from + delay];
    product = products[delay < 0 ? delay + (gint64) length : delay];
    if (power_a > powers_a[n_a] * LEAST_POWER && power_b > powers_b[n_b] * LEAST_SHARE)
      scores->values[i] = MAX (scores->values[i], MIN (product * product / (power_a * power_b), 1));
  }
}

static gboolean
is_maximum (const ReportSoundScores * scores, gsize i)
{
  return (i == 0 || scores->values[i] >= scores->values[i - 1])
      && (i == scores->n - 1 || scores->values[i] >= scores->values[i + 1]);
}

/* Puts a delay in among those that are better. @n: (inout): how many there are */
static void
insert (const ReportSoundScores * scores, gint64 nearest, gint64 * delays, guint * n, gint64 delay)
{
  const gdouble score = scores->values[delay - scores->first];
  guint place = *n;

  for (; place > 0; place--) {
    const gdouble better = scores->values[delays[place - 1] - scores->first];

    if (better > score + EQUAL || (better > score - EQUAL && ABS (delays[place - 1] - nearest) <= ABS (delay - nearest)))
      break;
  }
  if (place == REPORT_SOUND_MOST_DELAYS)
    return;
  *n = MIN (*n + 1, REPORT_SOUND_MOST_DELAYS);
  memmove (&delays[place + 1], &delays[place], (*n - place - 1) * sizeof *delays);
  delays[place] = delay;
}

/**
 * report_sound_scores_choose:
 * @nearest: of delays with equal scores, that which is the nearest to this one comes first
 * @delays: (out): the best ones first
 *
 * Returns: how many there are: 0: the sounds have nothing in common
 */
guint
report_sound_scores_choose (const ReportSoundScores * scores, gint64 nearest, gint64 delays[REPORT_SOUND_MOST_DELAYS])
{
  guint n = 0;

  for (gsize i = 0; i < scores->n; i++) {
    if (scores->values[i] > 0 && is_maximum (scores, i))
      insert (scores, nearest, delays, &n, scores->first + (gint64) i);
  }
  return n;
}

/* Whether other delays fit as well as @delay, because the sound repeats itself. */
gboolean
report_sound_scores_repeat (const ReportSoundScores * scores, gint64 delay)
{
  const gint64 place = delay - scores->first;

  if (place < 0 || place >= (gint64) scores->n)
    return FALSE;
  for (gsize i = 0; i < scores->n; i++) {
    const gdouble less = scores->values[place] - scores->values[i];

    if (ABS ((gint64) i - place) > 1 && (less < EQUAL || (less < ALIKE && is_maximum (scores, i))))
      return TRUE;
  }
  return FALSE;
}
