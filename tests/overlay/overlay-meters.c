/* The meters: how bars, peak marks and clip lamps follow from the results of the buffers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "harness.h"

#include "cudahisto/read.h"
#include "overlay/meters.h"
#include "overlay/settings.h"

#include <gst/audio/audio.h>

#include <math.h>

static HistoOverlaySettings settings;

/* Adds a buffer of one channel. @ms: running time, < 0: unknown */
static void
add (HistoMeters * meters, gint ms, gdouble peak, gboolean is_clipped)
{
  HistoSoundResult sound = { 0 };

  sound.start = sound.end = GST_CLOCK_TIME_NONE;
  if (ms >= 0) {
    sound.start = ms * GST_MSECOND;
    sound.end = (ms + 20) * GST_MSECOND;
  }
  sound.n_channels = 1;
  sound.channels[0].peak = peak;
  sound.channels[0].rms = peak - 3;
  sound.channels[0].is_clipped = is_clipped;
  histo_meters_add (meters, &sound, &settings);
}

static void
check (HistoMeters * meters, gint ms, gdouble bar, gdouble mark)
{
  histo_meters_advance (meters, ms * GST_MSECOND, &settings);
  fail_unless (fabs (meters->meters[0].bar - bar) < 1e-3, "bar %f, not %f",
      meters->meters[0].bar, bar);
  fail_unless (fabs (meters->meters[0].mark - mark) < 1e-3, "mark %f, not %f",
      meters->meters[0].mark, mark);
}

/* A bar rises at once and falls by 20 dB/s; its mark stays for a second. */
TEST (test_fall)
{
  HistoMeters meters;

  histo_meters_reset (&meters);
  add (&meters, 0, -10, FALSE);
  check (&meters, 0, -10, -10);
  check (&meters, 500, -20, -10);
  check (&meters, 1000, -30, -10);
  check (&meters, 1500, -40, -20);
  add (&meters, 1500, -35, FALSE);
  check (&meters, 1500, -35, -20);
  add (&meters, 1520, -5, FALSE);
  check (&meters, 1520, -5, -5);
  check (&meters, 2520, -25, -5);
  /* Time that goes back changes nothing. */
  check (&meters, 100, -25, -5);
  /* After the end of the sound the RMS falls with its peak. */
  fail_unless_equals_float (meters.meters[0].rms, meters.meters[0].bar);
  /* Nothing falls below the floor. */
  check (&meters, 60000, HISTO_METER_FLOOR, HISTO_METER_FLOOR);
}

/* Without times the bars show the latest peaks that are higher. */
TEST (test_no_times)
{
  HistoMeters meters;

  histo_meters_reset (&meters);
  add (&meters, -1, -20, FALSE);
  add (&meters, -1, -10, TRUE);
  add (&meters, -1, -30, FALSE);
  fail_unless_equals_float (meters.meters[0].bar, -10);
  fail_unless_equals_float (meters.meters[0].rms, -33);
  fail_if (histo_meter_is_clipped (&meters, 0));
}

TEST (test_clip_lamp)
{
  HistoMeters meters;

  histo_meters_reset (&meters);
  add (&meters, 0, 0, FALSE);
  fail_if (histo_meter_is_clipped (&meters, 0));
  add (&meters, 20, 0, TRUE);
  fail_unless (histo_meter_is_clipped (&meters, 0));
  check (&meters, 1900, 0 - 20 * 1.88, -20 * .88);
  fail_unless (histo_meter_is_clipped (&meters, 0));
  check (&meters, 2020, -40, -20);
  fail_if (histo_meter_is_clipped (&meters, 0));
}

/* Other channels begin anew. */
TEST (test_channels)
{
  HistoMeters meters;
  HistoSoundResult sound = { 0 };

  histo_meters_reset (&meters);
  add (&meters, 0, -3, TRUE);
  sound.n_channels = 64;
  for (guint c = 0; c < HISTO_MOST_METERS; c++)
    sound.channels[c].peak = -40 - (gint) c;
  histo_meters_add (&meters, &sound, &settings);
  fail_unless_equals_float (meters.meters[0].bar, -40);
  fail_unless_equals_float (meters.meters[0].mark, -40);
  fail_if (histo_meter_is_clipped (&meters, 0));
  fail_unless_equals_float (meters.meters[31].bar, -71);
}

/* The sound that a pipeline measures of these bytes. */
static void
measure (HistoSoundResult * sound, const gchar * caps, const gchar * measures,
    GBytes * samples)
{
  gchar *description =
      g_strdup_printf ("cudahisto backend=cpu measures=%s", measures);
  GstHarness *harness = gst_harness_new_parse (description);
  HistoResult result = { 0 };
  GstBuffer *buffer;

  gst_harness_set_src_caps_str (harness, caps);
  buffer = gst_harness_push_and_pull (harness,
      gst_buffer_new_wrapped_bytes (samples));
  fail_unless (histo_read_result (gst_custom_meta_get_structure
          (gst_buffer_get_custom_meta (buffer, "cudahisto")), &result, NULL));
  histo_sound_result_set (sound, &result, NULL);
  histo_result_clear (&result);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
  g_free (description);
}

/* 120 samples of two channels, of which one is louder. */
static GBytes *
make_samples (const gchar * format)
{
  guint8 bytes[240 * 8] = { 0 };
  gsize size = 240;

  for (guint i = 0; i < 240; i++) {
    const gdouble value = sin (i) * (i % 2 ? 0.5 : 0.25);

    if (g_str_equal (format, "F32LE"))
      GST_WRITE_FLOAT_LE (bytes + 4 * i, value);
    else if (g_str_equal (format, "F64BE"))
      GST_WRITE_DOUBLE_BE (bytes + 8 * i, value);
    else
      bytes[i] = 128 + 100 * sin (i);
  }
  if (format[0] == 'F')
    size *= g_str_equal (format, "F32LE") ? 4 : 8;
  return g_bytes_new (bytes, size);
}

/* Without the group `level` the levels follow from the figures, and are the same. */
TEST (test_formats)
{
  static const gchar *const formats[] = { "U8", "S8", "S16LE", "U16LE",
    "S24LE", "U24_32BE", "S32LE", "F32LE", "F64BE"
  };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    gchar *caps = g_strdup_printf ("audio/x-raw, format=%s, rate=48000, "
        "channels=2, layout=interleaved", formats[i]);
    GBytes *samples = make_samples (formats[i]);
    HistoSoundResult basic, level;

    measure (&basic, caps, "basic", samples);
    measure (&level, caps, "level", samples);
    fail_unless_equals_int (basic.n_channels, 2);
    fail_if (basic.has_loudness);
    for (guint c = 0; c < 2; c++) {
      fail_unless (basic.channels[c].peak > -60);
      fail_unless (fabs (basic.channels[c].peak - level.channels[c].peak)
          < 1e-3, "%s: peak %f, %f", formats[i], basic.channels[c].peak,
          level.channels[c].peak);
      fail_unless (fabs (basic.channels[c].rms - level.channels[c].rms)
          < 1e-3, "%s: rms %f, %f", formats[i], basic.channels[c].rms,
          level.channels[c].rms);
    }
    g_bytes_unref (samples);
    g_free (caps);
  }
}

/* More channels than there are meters: the first ones are shown. */
TEST (test_many_channels)
{
  enum
  { N = 100, N_SAMPLES = 48 };
  gint16 *samples = g_new0 (gint16, N * N_SAMPLES);
  HistoSoundResult sound;

  for (guint i = 0; i < N * N_SAMPLES; i++)
    samples[i] = GINT16_TO_LE ((gint16) ((i % N + 1) * 100));
  measure (&sound, "audio/x-raw, format=S16LE, rate=48000, "
      "layout=interleaved, channels=100, channel-mask=(bitmask)0", "level",
      g_bytes_new_take (samples, N * N_SAMPLES * sizeof *samples));
  fail_unless_equals_int (sound.n_channels, N);
  for (guint c = 0; c < HISTO_MOST_METERS; c++) {
    const gdouble peak = 20 * log10 ((c + 1) * 100 / 32768.0);

    fail_unless (fabs (sound.channels[c].peak - peak) < 1e-3, "%u: %f, not %f",
        c, sound.channels[c].peak, peak);
  }
}

/* Pairs of which a channel has no meter are left out. 300 ms after the end of the sound there is no
 * correlation any more: until then, live sound may only be late. */
TEST (test_pairs)
{
  HistoResult result = { 0 };
  HistoSoundResult sound;
  HistoMeters meters;

  histo_result_set_n_pairs (&result, 3);
  result.pairs[0] = (HistoPairResult) { 0, 1, { -0.5, 0, 0, 1, 0 } };
  result.pairs[1] = (HistoPairResult) { 2, HISTO_MOST_METERS, { 1, 0, 0, 0, 0 } };
  result.pairs[2] = (HistoPairResult) { 3, 2, { NAN, NAN, NAN, 0, 0 } };
  histo_sound_result_set (&sound, &result, NULL);
  histo_result_clear (&result);
  fail_unless_equals_int (sound.n_pairs, 2);
  fail_unless (sound.pairs[0].is_inverted && !sound.pairs[1].is_inverted);
  fail_unless (sound.pairs[1].first == 3 && sound.pairs[1].second == 2);
  sound.start = 0;
  sound.end = 20 * GST_MSECOND;
  histo_meters_reset (&meters);
  histo_meters_add (&meters, &sound, &settings);
  fail_unless_equals_float (histo_meters_get_correlation (&meters, 0), -0.5);
  fail_unless (isnan (histo_meters_get_correlation (&meters, 1)));
  histo_meters_advance (&meters, 320 * GST_MSECOND, &settings);
  fail_unless_equals_float (histo_meters_get_correlation (&meters, 0), -0.5);
  histo_meters_advance (&meters, 321 * GST_MSECOND, &settings);
  fail_unless (isnan (histo_meters_get_correlation (&meters, 0)));
}

static void
add_loudness (HistoMeters * meters, guint64 n_samples, gdouble integrated)
{
  HistoSoundResult sound = { 0 };

  sound.start = sound.end = GST_CLOCK_TIME_NONE;
  sound.n_channels = 1;
  sound.rate = 1000;
  sound.n_samples = n_samples;
  sound.has_loudness = TRUE;
  sound.momentary = -20;
  sound.short_term = -21;
  sound.integrated = integrated;
  sound.range = 5;
  sound.true_peak = -2;
  histo_meters_add (meters, &sound, &settings);
}

static void
check_loudness (const HistoMeters * meters, gboolean has_momentary, gboolean has_short_term, gboolean has_range)
{
  const HistoLoudnessMeter loudness = histo_meters_get_loudness (meters);

  fail_unless_equals_int (loudness.momentary == -20, has_momentary);
  fail_unless_equals_int (isnan (loudness.momentary), !has_momentary);
  fail_unless_equals_int (loudness.short_term == -21, has_short_term);
  fail_unless_equals_int (isnan (loudness.short_term), !has_short_term);
  fail_unless_equals_int (loudness.range == 5, has_range);
  fail_unless_equals_int (isnan (loudness.range), !has_range);
  fail_unless_equals_float (loudness.true_peak, -2);
}

/* The momentary loudness is known after 400 ms, the short-term loudness and the range after 3 s, of silence no range. They
 * begin anew with the loudness. */
TEST (test_time_of_loudness)
{
  HistoMeters meters;

  histo_meters_reset (&meters);
  add_loudness (&meters, 399, -INFINITY);
  check_loudness (&meters, FALSE, FALSE, FALSE);
  add_loudness (&meters, 1, -20);
  check_loudness (&meters, TRUE, FALSE, FALSE);
  add_loudness (&meters, 2599, -20);
  check_loudness (&meters, TRUE, FALSE, FALSE);
  add_loudness (&meters, 1, -20);
  check_loudness (&meters, TRUE, TRUE, TRUE);
  /* Measured anew. */
  add_loudness (&meters, 400, -INFINITY);
  check_loudness (&meters, TRUE, FALSE, FALSE);
  add_loudness (&meters, 2600, -INFINITY);
  check_loudness (&meters, TRUE, TRUE, FALSE);
  add_loudness (&meters, G_MAXUINT64, -20);
  add_loudness (&meters, G_MAXUINT64, -20);
  check_loudness (&meters, TRUE, TRUE, TRUE);
  /* A buffer without loudness. */
  add (&meters, -1, -20, FALSE);
  add_loudness (&meters, 400, -20);
  check_loudness (&meters, TRUE, FALSE, FALSE);
}

/* Channels have the names of their positions, and numbers if these are unknown. */
TEST (test_names)
{
  gchar *names[] = { (gchar *) "L", (gchar *) "R", (gchar *) "LFE", NULL };
  HistoResult result = { 0 };
  HistoSoundResult sound;

  result.format = "S16LE";
  histo_result_set_n_components (&result, 3);
  histo_sound_result_set (&sound, &result, names);
  for (guint c = 0; c < 3; c++)
    fail_unless_equals_string (sound.channels[c].name, names[c]);
  histo_sound_result_set (&sound, &result, NULL);
  fail_unless_equals_string (sound.channels[2].name, "3");
  /* Those of other caps. */
  histo_result_set_n_components (&result, 2);
  histo_sound_result_set (&sound, &result, names);
  fail_unless_equals_string (sound.channels[0].name, "1");
  histo_result_clear (&result);
}

/* Sound without times that came before the first frame: its bar and its mark fall from that frame on. */
TEST (test_times_of_frames)
{
  HistoMeters meters;

  histo_meters_reset (&meters);
  add (&meters, -1, -10, FALSE);
  check (&meters, 500, -10, -10);
  check (&meters, 1000, -20, -10);
  check (&meters, 1500, -30, -10);
  check (&meters, 2000, -40, -20);
  check (&meters, 2500, -50, -30);
}

/* Floats may be far above the full scale: the levels end at 100 dB. */
TEST (test_highest_level)
{
  gfloat *samples = g_new (gfloat, 48);
  HistoSoundResult sound;

  for (guint i = 0; i < 48; i++)
    GST_WRITE_FLOAT_LE ((guint8 *) &samples[i], i % 2 ? 1e10f : -1e10f);
  measure (&sound, "audio/x-raw, format=F32LE, rate=48000, "
      "layout=interleaved, channels=1", "basic",
      g_bytes_new_take (samples, 48 * sizeof *samples));
  fail_unless_equals_float (sound.channels[0].peak, 100);
  fail_unless_equals_float (sound.channels[0].rms, 100);
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  histo_overlay_settings_init (&settings);
  settings.peak_falloff = 20;
  settings.peak_ttl = GST_SECOND;
  return test_run (__FILE__, 20, TRUE);
}
