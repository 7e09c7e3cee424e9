/* The sound of two streams that are made here: whether it is equal, and which change explains the difference.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/sound-compare.h"

#include <gst/check/gstcheck.h>
#include <math.h>
#include <string.h>

#define RATE 8000

typedef struct
{
  guint channels, n;
  gdouble *samples;             /* interleaved */
} Sound;

typedef enum
{ NOISE, TONE, LOW_NOISE, N_KINDS } Kind;

static Sound *
sound_new (guint channels, guint n)
{
  Sound *sound = g_new (Sound, 1);

  *sound = (Sound) { channels, n, g_new0 (gdouble, (gsize) MAX (n, 1) * channels) };
  return sound;
}

static void
sound_free (Sound * sound)
{
  g_free (sound->samples);
  g_free (sound);
}

static gdouble *
at (const Sound * sound, guint k, guint channel)
{
  return &sound->samples[(gsize) k * sound->channels + channel];
}

/* Every channel has its own sound. */
static Sound *
sound_make (GRand * random, Kind kind, guint channels, guint n)
{
  Sound *sound = sound_new (channels, n);

  for (guint c = 0; c < channels; c++) {
    gdouble memory = 0;

    for (guint k = 0; k < n; k++) {
      const gdouble noise = g_rand_double_range (random, -0.4, 0.4);

      memory = 0.9 * memory + 0.2 * noise;
      *at (sound, k, c) = kind == NOISE ? noise : kind == TONE ? 0.4 * sin (2 * G_PI * (100 + 60 * c) * k / RATE) : memory;
    }
  }
  return sound;
}

/* B: from the sample `from` of A on, with a gain and zeros before. */
static Sound *
sound_copy (const Sound * sound, gint delay, gdouble gain)
{
  Sound *copy = sound_new (sound->channels, sound->n + delay);

  for (guint k = 0; k < copy->n; k++) {
    for (guint c = 0; c < sound->channels; c++)
      *at (copy, k, c) = (gint) k < delay ? 0 : gain * *at (sound, k - delay, c);
  }
  return copy;
}

/* Without `n` samples from `from` on; n < 0: with so many zeros there. */
static Sound *
sound_cut (const Sound * sound, guint from, gint n)
{
  Sound *cut = sound_new (sound->channels, sound->n - n);

  for (guint k = 0; k < cut->n; k++) {
    for (guint c = 0; c < sound->channels; c++)
      *at (cut, k, c) = k < from ? *at (sound, k, c) : n < 0 && k < from - n ? 0 : *at (sound, k + n, c);
  }
  return cut;
}

static GstBuffer *
make_buffer (const Sound * sound, const GstAudioInfo * info, guint from, guint n)
{
  const gsize samples = (gsize) n * sound->channels;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, (gsize) n * GST_AUDIO_INFO_BPF (info), NULL);
  const gboolean is_float = info->finfo->unpack_format == GST_AUDIO_FORMAT_F64;
  g_autofree gdouble *floats = g_new (gdouble, MAX (samples, 1));
  g_autofree gint32 *integers = g_new (gint32, MAX (samples, 1));
  GstMapInfo map;

  for (gsize i = 0; i < samples; i++) {
    floats[i] = sound->samples[(gsize) from * sound->channels + i];
    if (!is_float)
      integers[i] = (gint32) (CLAMP (rint (floats[i] * 32768), -32768, 32767) * 65536);
  }
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  info->finfo->pack_func (info->finfo, 0, is_float ? (gpointer) floats : (gpointer) integers, map.data, samples);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

typedef struct
{
  GstAudioFormat formats[2];
  gint rates[2];
  gint64 times[2];              /* ns of the first samples; -1: none */
  gint64 begin;                 /* ns: the time in B at which A begins */
  guint jumps_at[2];            /* samples: where the times jump */
  gint64 jumps[2];              /* ns */
} Form;

static const Form usual = { {GST_AUDIO_FORMAT_F64, GST_AUDIO_FORMAT_F64}, {RATE, RATE}, {-1, -1}, 0, {0, 0}, {0, 0} };

/* Gives buffers of any lengths in any order. */
static ReportSoundDifference *
compare_form (GRand * random, const Sound * a, const Sound * b, const Form * form)
{
  g_autoptr (ReportSoundCompare) compare = report_sound_compare_new (form->begin);
  const Sound *sounds[2] = { a, b };
  GstAudioInfo infos[2];
  GstCaps *caps[2];
  guint done[2] = { 0, 0 };
  gboolean has_ended[2] = { FALSE, FALSE };

  for (guint s = 0; s < 2; s++) {
    gst_audio_info_set_format (&infos[s], form->formats[s], form->rates[s], sounds[s]->channels, NULL);
    caps[s] = gst_audio_info_to_caps (&infos[s]);
  }
  while (!has_ended[0] || !has_ended[1]) {
    guint side = g_rand_int_range (random, 0, 2), n;
    GstBuffer *buffer;

    if (has_ended[side] || report_sound_compare_is_ahead (compare, side))
      side = 1 - side;
    fail_if (has_ended[side] || report_sound_compare_is_ahead (compare, side), "both sides wait");
    n = g_rand_int_range (random, 1, 3000);
    n = MIN (n, sounds[side]->n - done[side]);
    if (done[side] < form->jumps_at[side])
      n = MIN (n, form->jumps_at[side] - done[side]);
    if (n == 0) {
      report_sound_compare_end (compare, side);
      has_ended[side] = TRUE;
      continue;
    }
    buffer = make_buffer (sounds[side], &infos[side], done[side], n);
    report_sound_compare_push (compare, side, buffer, caps[side], form->times[side] < 0 ? GST_CLOCK_TIME_NONE :
        form->times[side] + (done[side] >= form->jumps_at[side] ? form->jumps[side] : 0) + gst_util_uint64_scale (done[side], GST_SECOND, form->rates[side]));
    gst_buffer_unref (buffer);
    done[side] += n;
  }
  for (guint s = 0; s < 2; s++)
    gst_caps_unref (caps[s]);
  return report_sound_compare_finish (compare);
}

static ReportSoundDifference *
compare (GRand * random, const Sound * a, const Sound * b)
{
  return compare_form (random, a, b, &usual);
}

static const ReportSoundExplanation *
find (const ReportSoundDifference * difference, ReportSoundChange change)
{
  for (guint i = 0; i < difference->explanations->len; i++) {
    const ReportSoundExplanation *explanation = difference->explanations->pdata[i];

    if (explanation->change == change)
      return explanation;
  }
  return NULL;
}

static gchar *
print (const ReportSoundDifference * difference)
{
  GString *text = g_string_new (difference->problem);

  g_string_append_printf (text, "[%" G_GUINT64_FORMAT " different, %.1f dB, delay %" G_GINT64_FORMAT "]",
      difference->n_different, difference->relative, difference->delay);
  for (guint i = 0; i < difference->explanations->len; i++) {
    const ReportSoundExplanation *explanation = difference->explanations->pdata[i];

    g_string_append_printf (text, " %s: %s (%.1f to %.1f dB);", report_sound_change_names[explanation->change],
        explanation->text, explanation->before, explanation->after);
  }
  return g_string_free (text, FALSE);
}

/* Exactly these changes are named. Ends with -1. */
static void
expect_only (const ReportSoundDifference * difference, ...)
{
  g_autofree gchar *text = print (difference);
  guint wanted = 0, found = 0;
  va_list changes;

  va_start (changes, difference);
  for (gint change = va_arg (changes, gint); change >= 0; change = va_arg (changes, gint))
    wanted |= 1u << change;
  va_end (changes);
  for (guint i = 0; i < difference->explanations->len; i++)
    found |= 1u << ((ReportSoundExplanation *) difference->explanations->pdata[i])->change;
  fail_unless (difference->problem == NULL, "%s", text);
  fail_unless (found == wanted, "%s", text);
}

/* ---- Equal sounds --------------------------------------------------------------------------------- */

GST_START_TEST (test_equal)
{
  static const GstAudioFormat formats[] = {
    GST_AUDIO_FORMAT_F64, GST_AUDIO_FORMAT_F32BE, GST_AUDIO_FORMAT_S16, GST_AUDIO_FORMAT_S24BE, GST_AUDIO_FORMAT_S32,
    GST_AUDIO_FORMAT_U16, GST_AUDIO_FORMAT_S24_32
  };
  GRand *random = g_rand_new_with_seed (1);

  for (guint round = 0; round < 40; round++) {
    const guint n = g_rand_boolean (random) ? g_rand_int_range (random, 1, 200) : g_rand_int_range (random, 1, 40000);
    Sound *a = sound_make (random, round % N_KINDS, 1 + round % 6, n);
    g_autoptr (ReportSoundDifference) difference = NULL;
    Form form = usual;

    /* Values that all formats have. */
    for (guint i = 0; i < n * a->channels; i++)
      a->samples[i] = rint (a->samples[i] * 32768) / 32768;
    for (guint s = 0; s < 2; s++)
      form.formats[s] = formats[g_rand_int_range (random, 0, G_N_ELEMENTS (formats))];
    difference = compare_form (random, a, a, &form);
    expect_only (difference, -1);
    fail_unless (difference->is_equal && difference->n_different == 0 && difference->n_compared == n);
    fail_unless (difference->relative == -INFINITY && !GST_CLOCK_TIME_IS_VALID (difference->first));
    sound_free (a);
  }
  g_rand_free (random);
}

GST_END_TEST;

/* NaN is equal to NaN, and a sound without samples to another one is not compared. */
GST_START_TEST (test_not_finite)
{
  GRand *random = g_rand_new_with_seed (2);
  Sound *a = sound_make (random, NOISE, 2, 20000), *b, *none = sound_new (2, 0);
  g_autoptr (ReportSoundDifference) same = NULL, changed = NULL, empty = NULL;

  *at (a, 100, 0) = NAN;
  *at (a, 101, 1) = INFINITY;
  *at (a, 102, 1) = -INFINITY;
  *at (a, 103, 1) = 1e300;
  same = compare (random, a, a);
  fail_unless (same->is_equal && same->n_not_finite[0] == 4 && same->relative == -INFINITY);
  b = sound_copy (a, 0, 1);
  *at (b, 100, 0) = 0.25;
  *at (b, 15000, 1) = NAN;
  changed = compare (random, a, b);
  fail_unless_equals_uint64 (changed->n_different, 2);
  fail_unless_equals_uint64 (changed->first, gst_util_uint64_scale_round (100, GST_SECOND, RATE));
  fail_unless (isfinite (changed->relative) && isfinite (changed->absolute) && isfinite (changed->largest));
  empty = compare (random, a, none);
  fail_unless_equals_string (empty->problem, "B has no samples");
  sound_free (a);
  sound_free (b);
  sound_free (none);
  g_rand_free (random);
}

GST_END_TEST;

/* ---- One change ----------------------------------------------------------------------------------- */

/* The difference is what a plain loop counts. */
GST_START_TEST (test_figures)
{
  GRand *random = g_rand_new_with_seed (3);

  for (guint round = 0; round < 10; round++) {
    Sound *a = sound_make (random, NOISE, 2, 30000), *b = sound_copy (a, 0, 1);
    const guint from = g_rand_int_range (random, 0, 20000), n = g_rand_int_range (random, 1, 3000);
    gdouble power = 0, of_a = 0, worst = 0, in_second = 0;
    g_autoptr (ReportSoundDifference) difference = NULL;

    for (guint k = from; k < from + n; k++)
      *at (b, k, 1) += g_rand_double_range (random, 0.001, 0.02);
    for (guint k = 0; k < a->n; k++) {
      for (guint c = 0; c < 2; c++) {
        power += pow (*at (b, k, c) - *at (a, k, c), 2);
        of_a += pow (*at (a, k, c), 2);
        in_second += pow (*at (b, k, c) - *at (a, k, c), 2);
      }
      if (k % RATE == RATE - 1 || k == a->n - 1) {
        worst = MAX (worst, in_second / (k % RATE + 1));
        in_second = 0;
      }
    }
    difference = compare (random, a, b);
    fail_unless_equals_uint64 (difference->n_different, n);
    fail_unless_equals_uint64 (difference->first, gst_util_uint64_scale_round (from, GST_SECOND, RATE));
    fail_unless (fabs (difference->relative - 10 * log10 (power / of_a)) < 1e-6);
    fail_unless (fabs (difference->absolute - 10 * log10 (power / 2 / a->n)) < 1e-6);
    fail_unless (fabs (difference->worst_absolute - 10 * log10 (worst / 2)) < 1e-6);
    fail_unless_equals_int (difference->seconds->len, 4);
    sound_free (a);
    sound_free (b);
  }
  g_rand_free (random);
}

GST_END_TEST;

GST_START_TEST (test_delay)
{
  static const gint delays[] = { 1, 7, 333, 7999, -1, -13, -1024, -7777 };
  GRand *random = g_rand_new_with_seed (4);

  for (guint i = 0; i < G_N_ELEMENTS (delays); i++) {
    for (guint with_more = 0; with_more < 3; with_more++) {
      Sound *a = sound_make (random, i % 2 == 0 ? NOISE : LOW_NOISE, 2, 30000);
      const gdouble gain = with_more == 0 ? 1 : with_more == 1 ? -0.5 : 1.5;
      Sound *b = sound_copy (a, delays[i], gain);
      g_autoptr (ReportSoundDifference) difference = compare (random, a, b);
      g_autofree gchar *text = print (difference);
      const ReportSoundExplanation *delay = find (difference, REPORT_SOUND_DELAY);

      if (with_more == 0)
        expect_only (difference, REPORT_SOUND_DELAY, -1);
      else if (with_more == 1)
        expect_only (difference, REPORT_SOUND_DELAY, REPORT_SOUND_INVERTED, REPORT_SOUND_GAIN, -1);
      else
        expect_only (difference, REPORT_SOUND_DELAY, REPORT_SOUND_GAIN, -1);
      fail_unless (difference->delay == delays[i] && !difference->is_delay_open && !difference->is_equal, "%s", text);
      fail_unless (delay->before > -10 && delay->after < -100, "%s", text);
      fail_unless (with_more > 0 || (difference->n_different == 0 && delay->after == -INFINITY), "%s", text);
      fail_unless_equals_uint64 (difference->n_unpaired[delays[i] > 0 ? 1 : 0], ABS (delays[i]));
      fail_unless_equals_uint64 (difference->n_unpaired[delays[i] > 0 ? 0 : 1], 0);
      sound_free (a);
      sound_free (b);
    }
  }
  g_rand_free (random);
}

GST_END_TEST;

/* The sound begins after silence, at another time. */
GST_START_TEST (test_late_sound)
{
  GRand *random = g_rand_new_with_seed (5);
  Sound *a = sound_make (random, NOISE, 1, 60000), *later, *earlier;
  g_autoptr (ReportSoundDifference) one = NULL, other = NULL;

  for (guint k = 0; k < 20000; k++)
    *at (a, k, 0) = 0;
  later = sound_copy (a, 1234, 1);
  earlier = sound_copy (a, -1234, 1);
  one = compare (random, a, later);
  expect_only (one, REPORT_SOUND_DELAY, -1);
  fail_unless_equals_int64 (one->delay, 1234);
  fail_unless_equals_uint64 (one->n_different, 0);
  other = compare (random, a, earlier);
  expect_only (other, REPORT_SOUND_DELAY, -1);
  fail_unless_equals_int64 (other->delay, -1234);
  fail_unless_equals_uint64 (other->n_different, 0);
  sound_free (a);
  sound_free (later);
  sound_free (earlier);
  g_rand_free (random);
}

GST_END_TEST;

/* Times that differ while the samples are equal, and the reverse. */
GST_START_TEST (test_times)
{
  GRand *random = g_rand_new_with_seed (6);
  Sound *a = sound_make (random, NOISE, 2, 20000), *b = sound_copy (a, 800, 1);
  Form form = usual;
  g_autoptr (ReportSoundDifference) shifted = NULL, delayed = NULL, later = NULL, earlier = NULL;

  form.times[0] = GST_SECOND;
  form.times[1] = GST_SECOND + 20 * GST_MSECOND;
  shifted = compare_form (random, a, a, &form);
  fail_unless (shifted->is_equal && shifted->has_shift);
  fail_unless_equals_int64 (shifted->shift, 20 * GST_MSECOND);
  form.times[1] = GST_SECOND - 100 * GST_MSECOND;
  delayed = compare_form (random, a, b, &form);
  fail_unless_equals_int64 (delayed->delay, 800);
  fail_unless_equals_int64 (delayed->shift, 0);
  /* What is before the begin is left out. */
  form.begin = 100 * GST_MSECOND;
  later = compare_form (random, a, b, &form);
  fail_unless (later->is_equal);
  fail_unless_equals_int64 (later->shift, 0);
  form.begin = -100 * (gint64) GST_MSECOND;
  form.times[0] = form.times[1];
  *at (a, 1000, 0) += 0.1;
  earlier = compare_form (random, b, a, &form);
  fail_unless_equals_uint64 (earlier->n_different, 1);
  fail_unless_equals_uint64 (earlier->first, 225 * GST_MSECOND);
  sound_free (a);
  sound_free (b);
  g_rand_free (random);
}

GST_END_TEST;

GST_START_TEST (test_gain_and_polarity)
{
  GRand *random = g_rand_new_with_seed (7);

  for (guint kind = 0; kind < N_KINDS; kind++) {
    Sound *a = sound_make (random, kind, 2, 30000), *louder = sound_copy (a, 0, 1.25), *inverted = sound_copy (a, 0, -1);
    Sound *one = sound_copy (a, 0, 1), *each = sound_copy (a, 0, 1), *higher = sound_copy (a, 0, 1);
    g_autoptr (ReportSoundDifference) gain = compare (random, a, louder), polarity = compare (random, a, inverted);
    g_autoptr (ReportSoundDifference) channel = NULL, gains = NULL, offset = NULL;

    expect_only (gain, REPORT_SOUND_GAIN, -1);
    fail_unless (fabs (find (gain, REPORT_SOUND_GAIN)->value - 20 * log10 (1.25)) < 1e-6);
    fail_unless (fabs (gain->relative - 20 * log10 (.25)) < 1e-6 && find (gain, REPORT_SOUND_GAIN)->after < -100);
    expect_only (polarity, REPORT_SOUND_INVERTED, -1);
    fail_unless_equals_string (find (polarity, REPORT_SOUND_INVERTED)->text, "B is inverted");
    for (guint k = 0; k < one->n; k++) {
      *at (one, k, 1) *= -1;
      *at (each, k, 0) *= 2;
      *at (each, k, 1) /= 2;
      *at (higher, k, 1) += 0.1;
    }
    channel = compare (random, a, one);
    expect_only (channel, REPORT_SOUND_INVERTED, -1);
    fail_unless (strstr (find (channel, REPORT_SOUND_INVERTED)->text, " of B is inverted") != NULL);
    gains = compare (random, a, each);
    expect_only (gains, REPORT_SOUND_GAIN, -1);
    fail_unless (isnan (find (gains, REPORT_SOUND_GAIN)->value));
    offset = compare (random, a, higher);
    expect_only (offset, REPORT_SOUND_OFFSET, -1);
    fail_unless (fabs (find (offset, REPORT_SOUND_OFFSET)->value - 0.1) < 1e-6);
    sound_free (a);
    sound_free (louder);
    sound_free (inverted);
    sound_free (one);
    sound_free (each);
    sound_free (higher);
  }
  g_rand_free (random);
}

GST_END_TEST;

GST_START_TEST (test_channels)
{
  static const guint orders[][6] = { {1, 0}, {2, 0, 1}, {1, 0, 2, 3, 4, 5}, {0, 1, 4, 5, 2, 3} };
  static const guint counts[] = { 2, 3, 6, 6 };
  GRand *random = g_rand_new_with_seed (8);

  for (guint i = 0; i < G_N_ELEMENTS (orders); i++) {
    Sound *a = sound_make (random, NOISE, counts[i], 20000), *b = sound_copy (a, 0, 1), *silent = sound_copy (a, 0, 1);
    g_autoptr (ReportSoundDifference) swapped = NULL, without = NULL;
    g_autofree gchar *text = NULL;

    for (guint k = 0; k < b->n; k++) {
      for (guint c = 0; c < counts[i]; c++)
        *at (b, k, c) = *at (a, k, orders[i][c]);
      *at (silent, k, 1) = 0;
    }
    swapped = compare (random, a, b);
    text = print (swapped);
    expect_only (swapped, REPORT_SOUND_SWAPPED, -1);
    fail_unless (find (swapped, REPORT_SOUND_SWAPPED)->after < -100, "%s", text);
    without = compare (random, a, silent);
    expect_only (without, REPORT_SOUND_SILENT_CHANNEL, -1);
    sound_free (a);
    sound_free (b);
    sound_free (silent);
  }
  g_rand_free (random);
}

GST_END_TEST;

GST_START_TEST (test_channel_counts)
{
  GRand *random = g_rand_new_with_seed (9);
  Sound *mono = sound_make (random, NOISE, 1, 20000), *both = sound_new (2, 20000), *stereo =
      sound_make (random, NOISE, 2, 20000);
  Sound *mix = sound_new (1, 20000), *wide = sound_make (random, NOISE, 6, 20000), *left = sound_new (2, 20000);
  g_autoptr (ReportSoundDifference) doubled = NULL, halved = NULL, mixed = NULL, narrow = NULL, twice = NULL;

  for (guint k = 0; k < 20000; k++) {
    *at (both, k, 0) = *at (both, k, 1) = *at (mono, k, 0);
    *at (mix, k, 0) = (*at (stereo, k, 0) + *at (stereo, k, 1)) / 2;
    *at (left, k, 0) = *at (left, k, 1) = *at (stereo, k, 0);
    for (guint c = 0; c < 2; c++)
      *at (wide, k, c) = *at (stereo, k, c);
  }
  doubled = compare (random, mono, both);
  expect_only (doubled, REPORT_SOUND_DUAL_MONO, REPORT_SOUND_ADDED_CHANNEL, -1);
  fail_if (doubled->is_equal);
  fail_unless_equals_uint64 (doubled->n_different, 0);
  halved = compare (random, both, mono);
  expect_only (halved, REPORT_SOUND_MISSING_CHANNEL, -1);
  mixed = compare (random, stereo, mix);
  fail_unless (find (mixed, REPORT_SOUND_MIX) != NULL && find (mixed, REPORT_SOUND_MIX)->after < -100);
  narrow = compare (random, wide, stereo);
  expect_only (narrow, REPORT_SOUND_MISSING_CHANNEL, -1);
  fail_unless_equals_int (narrow->explanations->len, 4);
  fail_unless_equals_uint64 (narrow->n_different, 0);
  twice = compare (random, stereo, left);
  fail_unless (find (twice, REPORT_SOUND_DUAL_MONO) != NULL);
  sound_free (mono);
  sound_free (both);
  sound_free (stereo);
  sound_free (mix);
  sound_free (wide);
  sound_free (left);
  g_rand_free (random);
}

GST_END_TEST;

/* Both channels are nearly the same, as in most films. */
GST_START_TEST (test_near_channels)
{
  GRand *random = g_rand_new_with_seed (18);
  Sound *a = sound_make (random, LOW_NOISE, 2, 30000), *b = sound_copy (a, 0, 1), *left = sound_copy (a, 0, 1);
  Sound *mix = sound_new (1, 30000), *coded = sound_copy (a, 0, 1);
  g_autoptr (ReportSoundDifference) swapped = NULL, twice = NULL, mixed = NULL, loss = NULL;

  for (guint k = 0; k < a->n; k++) {
    *at (a, k, 1) = *at (a, k, 0) + 0.003 * *at (a, k, 1);
    *at (b, k, 0) = *at (a, k, 1);
    *at (b, k, 1) = *at (a, k, 0);
    *at (left, k, 1) = *at (a, k, 0);
    *at (mix, k, 0) = (*at (a, k, 0) + *at (a, k, 1)) / 2;
    *at (coded, k, 0) = *at (a, k, 0) + g_rand_double_range (random, -0.01, 0.01);
    *at (coded, k, 1) = *at (a, k, 1) + g_rand_double_range (random, -0.01, 0.01);
  }
  swapped = compare (random, a, b);
  expect_only (swapped, REPORT_SOUND_SWAPPED, -1);
  twice = compare (random, a, left);
  expect_only (twice, REPORT_SOUND_DUAL_MONO, -1);
  mixed = compare (random, a, mix);
  expect_only (mixed, REPORT_SOUND_MIX, REPORT_SOUND_MISSING_CHANNEL, -1);
  loss = compare (random, a, coded);
  expect_only (loss, REPORT_SOUND_LOSS, -1);
  sound_free (a);
  sound_free (b);
  sound_free (left);
  sound_free (mix);
  sound_free (coded);
  g_rand_free (random);
}

GST_END_TEST;

/* ---- Holes ---------------------------------------------------------------------------------------- */

GST_START_TEST (test_missing_and_added)
{
  static const gint cuts[] = { 1, 160, 1600, 17000, -1, -160, -1600, -17000 };
  GRand *random = g_rand_new_with_seed (10);

  for (guint i = 0; i < G_N_ELEMENTS (cuts); i++) {
    const guint from = 20000 + g_rand_int_range (random, 0, 40000);
    Sound *a = sound_make (random, i % 2 == 0 ? NOISE : LOW_NOISE, 2, 120000), *b = sound_cut (a, from, cuts[i]);
    const ReportSoundChange change = cuts[i] > 0 ? REPORT_SOUND_MISSING : REPORT_SOUND_ADDED;
    const ReportSoundExplanation *found;

    for (guint is_coded = 0; is_coded < 2; is_coded++) {
      g_autoptr (ReportSoundDifference) difference = NULL;
      g_autofree gchar *text = NULL;

      for (guint k = 0; is_coded && k < b->n * 2; k++)
        b->samples[k] = 0.9 * b->samples[k] + g_rand_double_range (random, -0.01, 0.01);
      difference = compare (random, a, b);
      text = print (difference);
      if (!is_coded)
        expect_only (difference, change, -1);
      found = find (difference, change);
      fail_unless (found != NULL && !difference->is_equal, "%u, %d: %s", from, cuts[i], text);
      fail_unless (is_coded || difference->n_different == 0, "%s", text);
      fail_unless (fabs (found->value - ABS (cuts[i]) * 1000.0 / RATE) < 1e-6, "%u, %d: %s", from, cuts[i], text);
      fail_unless (fabs ((gdouble) found->start * RATE / GST_SECOND - from) <= (is_coded ? 3 : 1), "%u: %s", from, text);
      fail_unless_equals_uint64 (difference->n_unpaired[cuts[i] > 0 ? 0 : 1], ABS (cuts[i]));
      fail_unless_equals_uint64 (difference->n_unpaired[cuts[i] > 0 ? 1 : 0], 0);
    }
    sound_free (a);
    sound_free (b);
  }
  g_rand_free (random);
}

GST_END_TEST;

/* More than one hole, and the lengths differ. */
GST_START_TEST (test_many_holes)
{
  GRand *random = g_rand_new_with_seed (11);
  Sound *a = sound_make (random, NOISE, 1, 300000), *b = sound_cut (a, 250000, 400), *c = sound_cut (b, 150000, -300);
  Sound *d = sound_cut (c, 50000, 200), *shorter = sound_cut (d, d->n - 5000, 5000);
  g_autoptr (ReportSoundDifference) difference = compare (random, a, shorter);
  g_autofree gchar *text = print (difference);

  expect_only (difference, REPORT_SOUND_MISSING, REPORT_SOUND_ADDED, -1);
  fail_unless (difference->explanations->len == 4 && difference->n_different == 0, "%s", text);
  fail_unless (strstr (text, "A has 5000 samples (625 ms) more at the end") != NULL, "%s", text);
  fail_unless_equals_uint64 (difference->n_unpaired[0], 5600);
  fail_unless_equals_uint64 (difference->n_unpaired[1], 300);
  sound_free (a);
  sound_free (b);
  sound_free (c);
  sound_free (d);
  sound_free (shorter);
  g_rand_free (random);
}

GST_END_TEST;

/* Five seconds are lost, and the times say so: this is found also where the sound repeats itself, or is silent. */
GST_START_TEST (test_lost)
{
  GRand *random = g_rand_new_with_seed (20);

  for (guint round = 0; round < 6; round++) {
    Sound *a = sound_make (random, round % 3 == 0 ? NOISE : TONE, 2, 160000), *b;
    Form form = usual;
    g_autoptr (ReportSoundDifference) lost = NULL, reverse = NULL, equal = NULL, wrong = NULL;
    const ReportSoundExplanation *found;

    for (guint i = 0; round % 3 == 2 && i < a->n * 2; i++)
      a->samples[i] = 0;
    b = sound_cut (a, 60000, 40000);
    for (guint s = 0; s < 2; s++) {
      form.times[s] = 0;
      form.jumps_at[s] = 60000;
    }
    /* Times are rounded. */
    form.jumps[1] = 5 * GST_SECOND + (round % 3 == 2 ? 0 : (round / 3) * GST_MSECOND / 2);
    lost = compare_form (random, a, b, &form);
    expect_only (lost, REPORT_SOUND_MISSING, -1);
    found = find (lost, REPORT_SOUND_MISSING);
    fail_unless (found->start == 7500 * GST_MSECOND && found->end == 12500 * GST_MSECOND && found->value == 5000);
    fail_unless (lost->n_different == 0 && lost->n_unpaired[0] == 40000 && lost->n_unpaired[1] == 0);
    fail_unless (isnan (found->before) == (round % 3 != 0));
    /* Both have lost it. */
    form.jumps[0] = 5 * GST_SECOND;
    equal = compare_form (random, b, b, &form);
    fail_unless (equal->is_equal);
    form.jumps[1] = 0;
    reverse = compare_form (random, b, a, &form);
    expect_only (reverse, REPORT_SOUND_ADDED, -1);
    fail_unless_equals_uint64 (reverse->n_unpaired[1], 40000);
    /* Times that jump though nothing is lost. */
    if (round % 3 == 0) {
      wrong = compare_form (random, a, a, &form);
      fail_unless (wrong->is_equal);
    }
    sound_free (a);
    sound_free (b);
  }
  g_rand_free (random);
}

GST_END_TEST;

/* Zeros in place of sound. */
GST_START_TEST (test_silences)
{
  GRand *random = g_rand_new_with_seed (12);
  Sound *a = sound_make (random, NOISE, 2, 80000), *b = sound_copy (a, 0, 1), *none = sound_copy (a, 0, 0);
  g_autoptr (ReportSoundDifference) difference = NULL, reverse = NULL, silent = NULL;
  const ReportSoundExplanation *found;

  for (guint k = 40000; k < 42000; k++)
    *at (b, k, 0) = *at (b, k, 1) = 0;
  difference = compare (random, a, b);
  expect_only (difference, REPORT_SOUND_SILENT, -1);
  found = find (difference, REPORT_SOUND_SILENT);
  fail_unless_equals_uint64 (found->start, 5 * GST_SECOND);
  fail_unless_equals_uint64 (found->end, 5250 * GST_MSECOND);
  fail_unless_equals_string (found->text, "B is silent from 0:00:05.000 to 0:00:05.250");
  reverse = compare (random, b, a);
  expect_only (reverse, REPORT_SOUND_SILENT, -1);
  silent = compare (random, a, none);
  expect_only (silent, REPORT_SOUND_SILENT, -1);
  fail_unless_equals_string (find (silent, REPORT_SOUND_SILENT)->text, "B is silent");
  sound_free (a);
  sound_free (b);
  sound_free (none);
  g_rand_free (random);
}

GST_END_TEST;

/* ---- What cannot be told -------------------------------------------------------------------------- */

/* A tone fits after each period: the smallest delay is taken, and that there are others is said. */
GST_START_TEST (test_tone)
{
  static const gint delays[][2] = { {83, 3}, {5, 5}, {-5, -5}, {-83, -3}, {80, 0} };
  GRand *random = g_rand_new_with_seed (13);

  for (guint i = 0; i < G_N_ELEMENTS (delays); i++) {
    Sound *a = sound_make (random, TONE, 1, 40000), *b = sound_new (1, 40000);
    g_autoptr (ReportSoundDifference) difference = NULL;
    g_autofree gchar *text = NULL;

    for (gint k = 0; k < 40000; k++)
      *at (b, k, 0) = 0.4 * sin (2 * G_PI * 100 * ((k - delays[i][0] + 8000) % 80) / RATE);
    for (gint k = 0; k < 40000; k++)
      *at (a, k, 0) = 0.4 * sin (2 * G_PI * 100 * (k % 80) / RATE);
    difference = compare (random, a, b);
    text = print (difference);
    fail_unless (difference->delay == delays[i][1], "%s", text);
    if (delays[i][1] == 0)
      fail_unless (difference->is_equal, "%s", text);
    else
      fail_unless (difference->is_delay_open && strstr (text, "repeats itself") != NULL, "%s", text);
    sound_free (a);
    sound_free (b);
  }
  g_rand_free (random);
}

GST_END_TEST;

/* A rhythm that is louder for a while: it is not taken for another bar. */
GST_START_TEST (test_rhythm)
{
  GRand *random = g_rand_new_with_seed (19);
  Sound *bar = sound_make (random, NOISE, 1, RATE), *a = sound_new (1, 10 * RATE), *b, *other;
  g_autoptr (ReportSoundDifference) louder = NULL, changed = NULL;

  for (guint k = 0; k < a->n; k++)
    *at (a, k, 0) = *at (bar, k % RATE, 0);
  b = sound_copy (a, 0, 1);
  other = sound_copy (a, 0, 1);
  for (guint k = 3 * RATE; k < 4 * RATE; k++) {
    *at (b, k, 0) *= 1.5;
    *at (other, k, 0) = g_rand_double_range (random, -0.4, 0.4);
  }
  louder = compare (random, a, b);
  expect_only (louder, -1);
  fail_unless_equals_uint64 (louder->n_different, RATE);
  changed = compare (random, a, other);
  expect_only (changed, -1);
  fail_unless_equals_uint64 (changed->n_different, RATE);
  sound_free (bar);
  sound_free (a);
  sound_free (b);
  sound_free (other);
  g_rand_free (random);
}

GST_END_TEST;

/* A constant has no delay. */
GST_START_TEST (test_constants)
{
  GRand *random = g_rand_new_with_seed (14);
  Sound *a = sound_new (1, 20000), *b = sound_new (1, 20000), *silence = sound_new (1, 20000), *longer = sound_new (1, 25000);
  g_autoptr (ReportSoundDifference) level = NULL, nothing = NULL, more = NULL, end = NULL;

  for (guint k = 0; k < 20000; k++) {
    *at (a, k, 0) = 0.5;
    *at (b, k, 0) = 0.25;
  }
  level = compare (random, a, b);
  expect_only (level, REPORT_SOUND_GAIN, -1);
  fail_unless_equals_int64 (level->delay, 0);
  nothing = compare (random, silence, silence);
  fail_unless (nothing->is_equal);
  more = compare (random, silence, b);
  fail_unless (!more->is_equal && more->relative == INFINITY && isfinite (more->absolute));
  expect_only (more, REPORT_SOUND_SILENT, -1);
  end = compare (random, silence, longer);
  expect_only (end, REPORT_SOUND_ADDED, -1);
  sound_free (a);
  sound_free (b);
  sound_free (silence);
  sound_free (longer);
  g_rand_free (random);
}

GST_END_TEST;

/* Other noise has nothing to do with this one, however loud it is. */
GST_START_TEST (test_strangers)
{
  GRand *random = g_rand_new_with_seed (15);

  for (guint round = 0; round < 12; round++) {
    const guint n = round < 6 ? 3 + round * 20 : 40000;
    Sound *a = sound_make (random, round % 2 == 0 ? NOISE : LOW_NOISE, 2, n), *b =
        sound_make (random, round % 2 == 0 ? NOISE : LOW_NOISE, 2, n);
    g_autoptr (ReportSoundDifference) difference = NULL;

    for (guint k = 0; k < n * 2; k++)
      b->samples[k] *= round % 3 == 0 ? 1 : round % 3 == 1 ? 0.01 : 2;
    difference = compare (random, a, b);
    fail_if (difference->is_equal);
    if (n > 1000)
      expect_only (difference, -1);
    sound_free (a);
    sound_free (b);
  }
  g_rand_free (random);
}

GST_END_TEST;

/* Rounding to fewer bits, and noise as of a codec. */
GST_START_TEST (test_loss)
{
  GRand *random = g_rand_new_with_seed (16);
  Sound *a = sound_make (random, LOW_NOISE, 2, 60000), *b = sound_copy (a, 0, 1), *quiet = sound_copy (a, 0, 0.7);
  Form form = usual;
  g_autoptr (ReportSoundDifference) rounded = NULL, both = NULL, coded = NULL;

  form.formats[1] = GST_AUDIO_FORMAT_S16;
  rounded = compare_form (random, a, a, &form);
  expect_only (rounded, REPORT_SOUND_ROUNDING, -1);
  both = compare_form (random, a, quiet, &form);
  expect_only (both, REPORT_SOUND_GAIN, REPORT_SOUND_ROUNDING, -1);
  for (guint k = 0; k < b->n * 2; k++)
    b->samples[k] += g_rand_double_range (random, -0.005, 0.005);
  coded = compare (random, a, b);
  expect_only (coded, REPORT_SOUND_LOSS, -1);
  fail_unless (find (coded, REPORT_SOUND_LOSS)->is_guess);
  sound_free (quiet);
  sound_free (a);
  sound_free (b);
  g_rand_free (random);
}

GST_END_TEST;

GST_START_TEST (test_problems)
{
  GRand *random = g_rand_new_with_seed (17);
  Sound *a = sound_make (random, NOISE, 1, 2000);
  Form form = usual;
  g_autoptr (ReportSoundDifference) difference = NULL;

  form.rates[1] = 16000;
  difference = compare_form (random, a, a, &form);
  fail_unless_equals_string (difference->problem, "A has 8000 samples per second, and B has 16000");
  fail_if (difference->is_equal);
  sound_free (a);
  g_rand_free (random);
}

GST_END_TEST;

/* Any changes together: what is counted adds up, and all figures are numbers. */
GST_START_TEST (test_chaos)
{
  static const GstAudioFormat formats[] = { GST_AUDIO_FORMAT_F64, GST_AUDIO_FORMAT_S16, GST_AUDIO_FORMAT_U8 };

  for (guint round = 0; round < 40; round++) {
    GRand *random = g_rand_new_with_seed (1000 + round);
    const guint n = g_rand_int_range (random, 1, g_rand_boolean (random) ? 300 : 60000);
    Sound *a = sound_make (random, round % N_KINDS, g_rand_int_range (random, 1, 4), n), *b = sound_copy (a, 0, 1);
    g_autoptr (ReportSoundDifference) difference = NULL;
    g_autofree gchar *text = NULL;
    Form form = usual;

    for (guint i = g_rand_int_range (random, 0, 5); i > 0; i--) {
      Sound *before = b;
      const guint place = g_rand_int_range (random, 0, b->n + 1);
      const gint length = MIN ((gint) (b->n - place), 3000);

      if (g_rand_boolean (random))
        b = sound_cut (b, place, g_rand_boolean (random) ? length : -length);
      else
        b = sound_copy (b, 0, g_rand_double_range (random, -2, 2));
      sound_free (before);
      if (b->n > 0 && g_rand_boolean (random))
        b->samples[g_rand_int_range (random, 0, b->n)] = g_rand_boolean (random) ? NAN : INFINITY;
    }
    for (guint s = 0; s < 2; s++) {
      form.formats[s] = formats[g_rand_int_range (random, 0, G_N_ELEMENTS (formats))];
      form.times[s] = g_rand_int_range (random, -1, 3) * (gint64) GST_SECOND / 10;
    }
    form.begin = g_rand_int_range (random, -1, 2) * (gint64) GST_MSECOND;
    difference = compare_form (random, a, b, &form);
    text = print (difference);
    if (difference->problem == NULL) {
      for (guint s = 0; s < 2; s++)
        fail_unless_equals_uint64 (difference->n_compared + difference->n_unpaired[s], difference->n[s]);
      fail_unless (difference->is_equal == (difference->n_different == 0 && difference->n_unpaired[0] == 0
              && difference->n_unpaired[1] == 0), "%u: %s", round, text);
      fail_unless (difference->is_equal != GST_CLOCK_TIME_IS_VALID (difference->first), "%u: %s", round, text);
      fail_if (difference->is_equal && difference->explanations->len > 0, "%u: %s", round, text);
      fail_if (isnan (difference->relative) || isnan (difference->absolute) || isnan (difference->largest), "%u: %s", round,
          text);
    } else {
      fail_unless (strstr (difference->problem, "no samples") != NULL, "%s", text);
    }
    sound_free (a);
    sound_free (b);
    g_rand_free (random);
  }
}

GST_END_TEST;

static Suite *
sound_suite (void)
{
  Suite *suite = suite_create ("sound");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_set_timeout (tests, 120);
  tcase_add_test (tests, test_equal);
  tcase_add_test (tests, test_not_finite);
  tcase_add_test (tests, test_figures);
  tcase_add_test (tests, test_delay);
  tcase_add_test (tests, test_late_sound);
  tcase_add_test (tests, test_times);
  tcase_add_test (tests, test_gain_and_polarity);
  tcase_add_test (tests, test_channels);
  tcase_add_test (tests, test_channel_counts);
  tcase_add_test (tests, test_near_channels);
  tcase_add_test (tests, test_missing_and_added);
  tcase_add_test (tests, test_many_holes);
  tcase_add_test (tests, test_lost);
  tcase_add_test (tests, test_silences);
  tcase_add_test (tests, test_tone);
  tcase_add_test (tests, test_rhythm);
  tcase_add_test (tests, test_constants);
  tcase_add_test (tests, test_strangers);
  tcase_add_test (tests, test_loss);
  tcase_add_test (tests, test_problems);
  tcase_add_test (tests, test_chaos);
  return suite;
}

GST_CHECK_MAIN (sound);
