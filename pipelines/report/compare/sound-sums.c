/* Sums over the channels of two sounds; see sound-sums.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/sound-sums.h"

#include <math.h>
#include <string.h>

/* With more products only channels of the same number are compared. */
#define MOST_PRODUCTS 256
/* Channels with a lower square of their correlation have nothing in common. */
#define LEAST_LIKENESS 0.25
/* Another channel than that of the same place leaves at most a quarter of what this one does (6 dB). */
#define SAME_PLACE 4
/* A variance that is a smaller share of the power is rounding. */
#define ROUNDING 1e-12
/* The least width of a ceiling (0.002 dB): dither moves what was clipped by some steps. */
#define CEILING (1.0 / 4096)

void
report_sound_sums_init (ReportSoundSums * sums, guint n_a, guint n_b)
{
  memset (sums, 0, sizeof *sums);
  sums->n_a = n_a;
  sums->n_b = n_b;
  sums->a = g_new0 (gdouble, n_a);
  sums->aa = g_new0 (gdouble, n_a);
  sums->b = g_new0 (gdouble, n_b);
  sums->bb = g_new0 (gdouble, n_b);
  sums->ab = g_new0 (gdouble, n_a * n_b);
}

void
report_sound_sums_clear (ReportSoundSums * sums)
{
  g_free (sums->a);
  g_free (sums->aa);
  g_free (sums->b);
  g_free (sums->bb);
  g_free (sums->ab);
}

void
report_sound_sums_reset (ReportSoundSums * sums)
{
  report_sound_sums_clear (sums);
  report_sound_sums_init (sums, sums->n_a, sums->n_b);
}

static gboolean
has_product (const ReportSoundSums * sums, guint i, guint j)
{
  return i == j || sums->n_a * sums->n_b <= MOST_PRODUCTS;
}

/* Adds the sums of one channel. */
static void
add_channel (const gdouble * x, gsize n, gdouble * sum, gdouble * squares)
{
  gdouble s = 0, ss = 0;

  for (gsize k = 0; k < n; k++) {
    s += x[k];
    ss += x[k] * x[k];
  }
  *sum += s;
  *squares += ss;
}

/* @a, @b: the samples of each channel, all of them finite */
void
report_sound_sums_add (ReportSoundSums * sums, const gdouble * const *a, const gdouble * const *b, gsize n)
{
  for (guint i = 0; i < sums->n_a; i++)
    add_channel (a[i], n, &sums->a[i], &sums->aa[i]);
  for (guint j = 0; j < sums->n_b; j++)
    add_channel (b[j], n, &sums->b[j], &sums->bb[j]);
  for (guint i = 0; i < sums->n_a; i++) {
    for (guint j = 0; j < sums->n_b; j++) {
      const gdouble *x = a[i], *y = b[j];
      gdouble products = 0;

      if (!has_product (sums, i, j))
        continue;
      for (gsize k = 0; k < n; k++)
        products += x[k] * y[k];
      sums->ab[i * sums->n_b + j] += products;
    }
  }
  sums->n += n;
}

/* The sum of the squares less that of the mean. */
static gdouble
centre (gdouble squares, gdouble x, gdouble y, guint64 n)
{
  return n > 0 ? squares - x * y / n : 0;
}

/* Returns: the square of the correlation of two channels; 0: it is unknown */
static gdouble
likeness (const ReportSoundSums * sums, guint i, guint j)
{
  const gdouble of_a = centre (sums->aa[i], sums->a[i], sums->a[i], sums->n);
  const gdouble of_b = centre (sums->bb[j], sums->b[j], sums->b[j], sums->n);
  const gdouble both = centre (sums->ab[i * sums->n_b + j], sums->a[i], sums->b[j], sums->n);

  if (!has_product (sums, i, j) || !(of_a > sums->aa[i] * ROUNDING) || !(of_b > sums->bb[j] * ROUNDING))
    return 0;
  return MIN (both * both / (of_a * of_b), 1);
}

/**
 * report_sound_sums_match:
 * @same_place: of each channel of B: the channel of A that has the same place; -1: none
 * @sources: (out): of each channel of B: the channel of A from which it comes; -1: unknown
 */
void
report_sound_sums_match (const ReportSoundSums * sums, const gint * same_place, gint * sources)
{
  for (guint j = 0; j < sums->n_b; j++) {
    gdouble least = INFINITY;

    sources[j] = same_place[j];
    for (guint i = 0; i < sums->n_a; i++) {
      const gdouble like = likeness (sums, i, j);
      const gdouble unlike = MAX (1 - like, ROUNDING) / (same_place[j] == (gint) i ? SAME_PLACE : 1);

      if (like >= LEAST_LIKENESS && unlike < least) {
        least = unlike;
        sources[j] = i;
      }
    }
  }
}

/* Returns: the sums of two channels */
ReportSoundPair
report_sound_sums_pair (const ReportSoundSums * sums, gint source, guint channel)
{
  return (ReportSoundPair) {
    sums->n, sums->a[source], sums->b[channel], sums->aa[source], sums->bb[channel], sums->ab[source * sums->n_b + channel]
  };
}

/**
 * report_sound_pair_fit:
 * @changes: which of #ReportSoundFit are allowed
 * @gain, @offset: (out): B is most like gain × A + offset
 *
 * Returns: Σ (B − gain × A − offset)²
 */
gdouble
report_sound_pair_fit (const ReportSoundPair * pair, guint changes, gdouble * gain, gdouble * offset)
{
  const gboolean has_offset = (changes & REPORT_SOUND_FIT_OFFSET) != 0;
  const gdouble aa = has_offset ? centre (pair->aa, pair->a, pair->a, pair->n) : pair->aa;
  const gdouble bb = has_offset ? centre (pair->bb, pair->b, pair->b, pair->n) : pair->bb;
  const gdouble ab = has_offset ? centre (pair->ab, pair->a, pair->b, pair->n) : pair->ab;

  *gain = 1;
  if (aa > pair->aa * ROUNDING) {
    if ((changes & REPORT_SOUND_FIT_GAIN) != 0)
      *gain = fabs (ab / aa);
    if (ab < 0)
      *gain *= (changes & REPORT_SOUND_FIT_POLARITY) != 0 ? -1 : (changes & REPORT_SOUND_FIT_GAIN) != 0 ? 0 : 1;
  }
  *offset = has_offset && pair->n > 0 ? (pair->b - *gain * pair->a) / pair->n : 0;
  return MAX (bb - 2 * *gain * ab + *gain * *gain * aa, 0);
}

/* Returns: which share of the power of the channels that belong together has nothing in common: 0: none; 1: all. The
 * channels may have any gains. */
gdouble
report_sound_sums_unlike (const ReportSoundSums * sums, const gint * sources)
{
  gdouble of_a = 0, of_b = 0, explained_a = 0, explained_b = 0;

  for (guint j = 0; j < sums->n_b; j++) {
    const gdouble aa = sources[j] < 0 ? 0 : sums->aa[sources[j]], bb = sums->bb[j];
    const gdouble ab = sources[j] < 0 ? 0 : sums->ab[sources[j] * sums->n_b + j];

    if (sources[j] < 0)
      continue;
    of_a += aa;
    of_b += bb;
    if (aa > 0 && bb > 0) {
      explained_a += ab * ab / bb;
      explained_b += ab * ab / aa;
    }
  }
  if (of_a <= 0 && of_b <= 0)
    return 0;
  if (of_a <= 0 || of_b <= 0)
    return 1;
  return CLAMP (1 - MIN (explained_a / of_a, explained_b / of_b), 0, 1);
}

/* ---- The ceiling ---------------------------------------------------------------------------------- */

/* @step: of the samples of B; 0: they are floats. Integers have one step less above 0 than below it. */
void
report_sound_ceiling_init (ReportSoundCeiling * ceiling, guint n_a, guint n_b, gdouble step)
{
  ceiling->width = MAX (CEILING, 2 * step);
  ceiling->n_a = n_a;
  ceiling->n_b = n_b;
  ceiling->floors = g_new0 (gdouble, n_b);
  ceiling->peaks = g_new0 (gdouble, n_b);
  ceiling->pairs = g_new0 (ReportSoundPair, n_a * n_b);
  ceiling->least = g_new0 (gdouble, n_a * n_b);
  ceiling->most = g_new0 (gdouble, n_a * n_b);
}

void
report_sound_ceiling_clear (ReportSoundCeiling * ceiling)
{
  g_free (ceiling->floors);
  g_free (ceiling->peaks);
  g_free (ceiling->pairs);
  g_free (ceiling->least);
  g_free (ceiling->most);
}

static gdouble
find_peak (const gdouble * x, gsize n)
{
  gdouble peak = 0;

  for (gsize k = 0; k < n; k++)
    peak = fabs (x[k]) > peak ? fabs (x[k]) : peak;
  return peak;
}

/* Adds the samples of two channels that are at the ceiling of the second one. */
static void
add_at_ceiling (ReportSoundCeiling * ceiling, guint i, guint j, const gdouble * x, const gdouble * y, gsize n)
{
  const guint place = i * ceiling->n_b + j;
  ReportSoundPair *pair = &ceiling->pairs[place];

  for (gsize k = 0; k < n; k++) {
    const gdouble with_sign = y[k] < 0 ? -x[k] : x[k];

    if (fabs (y[k]) < ceiling->floors[j])
      continue;
    ceiling->least[place] = pair->n == 0 ? with_sign : MIN (ceiling->least[place], with_sign);
    ceiling->most[place] = pair->n == 0 ? with_sign : MAX (ceiling->most[place], with_sign);
    pair->n++;
    pair->a += x[k];
    pair->b += y[k];
    pair->aa += x[k] * x[k];
    pair->bb += y[k] * y[k];
    pair->ab += x[k] * y[k];
  }
}

/* @a, @b: the samples of each channel, all of them finite */
void
report_sound_ceiling_add (ReportSoundCeiling * ceiling, const gdouble * const *a, const gdouble * const *b, gsize n)
{
  for (guint j = 0; j < ceiling->n_b; j++) {
    const gdouble peak = find_peak (b[j], n);

    if (peak == 0 || peak < ceiling->floors[j])
      continue;
    ceiling->peaks[j] = MAX (ceiling->peaks[j], peak);
    /* A ceiling is as wide below the peak with which it began as above it. The samples at a lower one do not count. */
    if (peak * (1 - ceiling->width) > ceiling->floors[j] * (1 + ceiling->width)) {
      ceiling->floors[j] = peak * (1 - ceiling->width);
      for (guint i = 0; i < ceiling->n_a; i++)
        ceiling->pairs[i * ceiling->n_b + j] = (ReportSoundPair) { 0 };
    }
    for (guint i = 0; i < ceiling->n_a; i++) {
      if (i == j || ceiling->n_a * ceiling->n_b <= MOST_PRODUCTS)
        add_at_ceiling (ceiling, i, j, a[i], b[j], n);
    }
  }
}

/* @sums: of the same samples. Returns: the sums of two channels without the samples at the ceiling */
ReportSoundPair
report_sound_ceiling_below (const ReportSoundCeiling * ceiling, const ReportSoundSums * sums, gint source, guint channel)
{
  ReportSoundPair pair = report_sound_sums_pair (sums, source, channel);
  const ReportSoundPair *top = &ceiling->pairs[source * sums->n_b + channel];

  pair.n -= top->n;
  pair.a -= top->a;
  pair.b -= top->b;
  pair.aa -= top->aa;
  pair.bb -= top->bb;
  pair.ab -= top->ab;
  return pair;
}

/* Whether gain × A + offset reaches the ceiling wherever B is at it. The offset may help on both sides: the ceiling is the same above
 * and below 0. */
gboolean
report_sound_ceiling_is_reached (const ReportSoundCeiling * ceiling, gint source, guint channel, gdouble gain,
    gdouble offset)
{
  const guint place = source * ceiling->n_b + channel;
  const gdouble least = gain * (gain < 0 ? ceiling->most[place] : ceiling->least[place]);

  return ceiling->pairs[place].n > 0 && least + fabs (offset) >= ceiling->floors[channel] * (1 - ceiling->width);
}
