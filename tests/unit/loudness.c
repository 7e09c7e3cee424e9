/* The group `loudness`: the synthetic cases of EBU Tech 3341 and 3342, and a plain reference.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "harness.h"
#include "reference-loudness.h"

#include <math.h>

#include "measures/loudness.h"

/* ---- Streams ------------------------------------------------------------------------------- */

#define MAX_CHANNELS 8

typedef struct
{
  GstAudioInfo info;
  HistoFormat *format;
  HistoLoudness *loudness;
  HistoLoudnessFigures figures;
  GRand *random;
  guint64 n;                    /* frames so far */
} Stream;

static HistoFormat *
format_new (GstAudioInfo * info)
{
  GstCaps *caps = gst_audio_info_to_caps (info);
  HistoFormat *format = histo_format_new (caps, NULL);

  fail_unless (format != NULL, "%" GST_PTR_FORMAT, caps);
  gst_caps_unref (caps);
  return format;
}

/* @mask: of the channels' positions; 0: channels without positions */
static void
stream_open (Stream * stream, GstAudioFormat format, guint rate,
    guint channels, guint64 mask, GRand * random)
{
  GstAudioChannelPosition positions[MAX_CHANNELS];
  GError *error = NULL;

  memset (stream, 0, sizeof *stream);
  for (guint c = 0; c < channels; c++)
    positions[c] = GST_AUDIO_CHANNEL_POSITION_NONE;
  if (mask != 0)
    gst_audio_channel_positions_from_mask (channels, mask, positions);
  else if (channels == 1)
    positions[0] = GST_AUDIO_CHANNEL_POSITION_MONO;
  gst_audio_info_set_format (&stream->info, format, rate, channels, positions);
  stream->format = format_new (&stream->info);
  stream->loudness = histo_loudness_new (stream->format, &error);
  fail_unless (stream->loudness != NULL && error == NULL);
  stream->random = random;
}

static void
stream_close (Stream * stream)
{
  histo_loudness_free (stream->loudness);
  histo_format_unref (stream->format);
}

/* @frames: interleaved, full scale 1. Measures them in buffers of random lengths. */
static void
stream_measure (Stream * stream, const gdouble * frames, guint n)
{
  const guint channels = GST_AUDIO_INFO_CHANNELS (&stream->info);
  const guint bytes = GST_AUDIO_INFO_WIDTH (&stream->info) / 8;
  const gboolean is_float = GST_AUDIO_INFO_IS_FLOAT (&stream->info);
  guint8 *data = g_malloc ((gsize) n * channels * bytes);
  gsize offsets[MAX_CHANNELS];

  for (gsize i = 0; i < (gsize) n * channels; i++) {
    const gint32 integer =
        is_float ? 0 : (gint32) rint (CLAMP (frames[i] * 2147483648.,
            -2147483648., 2147483647.));

    stream->info.finfo->pack_func (stream->info.finfo, 0,
        is_float ? (gpointer) & frames[i] : (gpointer) & integer,
        data + i * bytes, 1);
  }
  for (guint c = 0; c < channels; c++)
    offsets[c] = c * bytes;
  for (guint i = 0, part; i < n; i += part) {
    HistoAudioLayout layout = { data + (gsize) i * channels * bytes, 0,
      channels * bytes, offsets
    };

    part = g_rand_int_range (stream->random, 0, 6000);
    part = MIN (part, n - i);
    layout.n_samples = part;
    histo_loudness_measure (stream->loudness, &layout, &stream->figures);
  }
  g_free (data);
}

/* A sine of 1 kHz with a peak level in dBFS for each channel. */
static void
stream_measure_sine (Stream * stream, gdouble seconds, const gdouble * levels)
{
  const guint channels = GST_AUDIO_INFO_CHANNELS (&stream->info);
  const guint rate = GST_AUDIO_INFO_RATE (&stream->info);
  const guint n = (guint) rint (seconds * rate);
  gdouble *frames = g_new (gdouble, (gsize) n * channels);

  for (guint i = 0; i < n; i++, stream->n++)
    for (guint c = 0; c < channels; c++)
      frames[i * channels + c] = pow (10, levels[c] / 20)
          * sin (2 * G_PI * 1000 * stream->n / rate);
  stream_measure (stream, frames, n);
  g_free (frames);
}

/* ---- EBU Tech 3341 and 3342 ---------------------------------------------------------------- */

#define STEREO 3

/* The same level in both channels, one after the other; ends with 0 seconds. */
typedef struct
{
  struct
  {
    gdouble seconds, level;
  } parts[6];
  gdouble integrated, range;    /* NaN: not checked */
} Case;

static const Case cases[] = {
  /* Tech 3341, cases 1 to 5 */
  {{{20, -23}}, -23, NAN},
  {{{20, -33}}, -33, NAN},
  {{{10, -36}, {60, -23}, {10, -36}}, -23, NAN},
  {{{10, -72}, {10, -36}, {60, -23}, {10, -36}, {10, -72}}, -23, NAN},
  {{{20, -26}, {20.1, -20}, {20, -26}}, -23, NAN},
  /* Tech 3342, cases 1 to 4 */
  {{{20, -20}, {20, -30}}, NAN, 10},
  {{{20, -20}, {20, -15}}, NAN, 5},
  {{{20, -40}, {20, -20}}, NAN, 20},
  {{{20, -50}, {20, -35}, {20, -20}, {20, -35}, {20, -50}}, NAN, 15},
};

TEST_LOOP (test_ebu, 0,
    histo_loudness_is_available ()? G_N_ELEMENTS (cases) : 0)
{
  const Case *expected = &cases[__i__];
  GRand *random = test_random ();
  Stream stream;

  stream_open (&stream, GST_AUDIO_FORMAT_F32LE, 48000, 2, STEREO, random);
  for (guint i = 0; expected->parts[i].seconds > 0; i++) {
    const gdouble levels[] =
        { expected->parts[i].level, expected->parts[i].level };

    stream_measure_sine (&stream, expected->parts[i].seconds, levels);
  }
  if (!isnan (expected->integrated))
    fail_unless (fabs (stream.figures.integrated - expected->integrated) < 0.1,
        "integrated: %f", stream.figures.integrated);
  if (!isnan (expected->range))
    fail_unless (fabs (stream.figures.range - expected->range) < 0.5,
        "range: %f", stream.figures.range);
  if (__i__ < 2) {
    fail_unless (fabs (stream.figures.momentary - expected->integrated) < 0.1);
    fail_unless (fabs (stream.figures.short_term - expected->integrated) < 0.1);
    for (guint c = 0; c < 2; c++) {
      fail_unless (fabs (stream.figures.true_peak[c] - expected->integrated)
          < 0.2);
      fail_unless (fabs (stream.figures.sample_peak[c] - expected->integrated)
          < 0.01);
    }
  }
  stream_close (&stream);
  g_rand_free (random);
}

/* Tech 3341, case 6: 5.0, in the order L, R, C, Ls, Rs. With an LFE channel nothing changes. As
 * 7.1 the rear channels have the weight 1, and the side channels have 1.41. */
TEST_IF (test_surround, histo_loudness_is_available ())
{
  const gdouble levels[] = { -28, -28, -24, -30, -30 };
  const gdouble with_lfe[] = { -28, -28, -24, 0, -30, -30 };
  const gdouble with_rear[] = { -28, -28, -24, 0, -200, -200, -30, -30 };
  GRand *random = test_random ();
  Stream stream;

  stream_open (&stream, GST_AUDIO_FORMAT_S24LE, 48000, 5, 0x37, random);
  stream_measure_sine (&stream, 20, levels);
  fail_unless (fabs (stream.figures.integrated + 23) < 0.1, "5.0: %f",
      stream.figures.integrated);
  stream_close (&stream);

  stream_open (&stream, GST_AUDIO_FORMAT_S16LE, 48000, 6, 0x3f, random);
  stream_measure_sine (&stream, 5, with_lfe);
  fail_unless (fabs (stream.figures.integrated + 23) < 0.1, "5.1: %f",
      stream.figures.integrated);
  fail_unless (fabs (stream.figures.sample_peak[3]) < 0.01);
  stream_close (&stream);

  stream_open (&stream, GST_AUDIO_FORMAT_F64LE, 48000, 8, 0xc3f, random);
  stream_measure_sine (&stream, 5, with_rear);
  fail_unless (fabs (stream.figures.integrated + 23) < 0.1, "7.1: %f",
      stream.figures.integrated);
  stream_close (&stream);
  g_rand_free (random);
}

/* The weight of each position in BS.1770: a sine in one channel, the others are silent. With side
 * channels those at the rear are further back, where they count less. */
TEST_IF (test_positions, histo_loudness_is_available ())
{
#define POSITION(name) (G_GUINT64_CONSTANT (1) << GST_AUDIO_CHANNEL_POSITION_##name)
  static const struct
  {
    guint64 mask;
    gdouble weights[MAX_CHANNELS];      /* in the order of the positions; 0: not measured */
  } layouts[] = {
    {POSITION (FRONT_LEFT) | POSITION (FRONT_RIGHT) | POSITION (LFE2)
          | POSITION (WIDE_LEFT) | POSITION (WIDE_RIGHT)
          | POSITION (SURROUND_LEFT) | POSITION (SURROUND_RIGHT),
        {1, 1, 0, 1.41, 1.41, 1.41, 1.41}},
    {POSITION (FRONT_CENTER) | POSITION (REAR_LEFT) | POSITION (REAR_RIGHT)
          | POSITION (SIDE_LEFT) | POSITION (SIDE_RIGHT),
        {1, 1, 1, 1.41, 1.41}},
    {POSITION (LFE1) | POSITION (REAR_LEFT) | POSITION (REAR_RIGHT)
          | POSITION (REAR_CENTER),
        {0, 1.41, 1.41, 1}},
  };
#undef POSITION
  GRand *random = test_random ();

  for (guint l = 0; l < G_N_ELEMENTS (layouts); l++) {
    const guint n = __builtin_popcountll (layouts[l].mask);

    for (guint c = 0; c < n; c++) {
      const gdouble weight = layouts[l].weights[c];
      const gdouble expected = -23 + 10 * log10 (weight);
      gdouble levels[MAX_CHANNELS];
      Stream stream;

      for (guint i = 0; i < n; i++)
        levels[i] = i == c ? -20 : -200;
      stream_open (&stream, GST_AUDIO_FORMAT_F32LE, 48000, n,
          layouts[l].mask, random);
      stream_measure_sine (&stream, 1, levels);
      fail_unless (weight == 0 ? stream.figures.integrated == -INFINITY :
          fabs (stream.figures.integrated - expected) < 0.1,
          "layout %u, channel %u: %f instead of %f", l, c,
          stream.figures.integrated, expected);
      stream_close (&stream);
    }
  }
  g_rand_free (random);
}

/* One channel is not counted twice: 3 dB less than two. */
TEST_IF (test_mono, histo_loudness_is_available ())
{
  const gdouble level = -20;
  GRand *random = test_random ();
  Stream stream;

  stream_open (&stream, GST_AUDIO_FORMAT_U8, 44100, 1, 0, random);
  stream_measure_sine (&stream, 5, &level);
  fail_unless (fabs (stream.figures.integrated + 23) < 0.15, "%f",
      stream.figures.integrated);
  stream_close (&stream);
  g_rand_free (random);
}

/* Tech 3341, case 16: a quarter of the rate, 45°: the peaks lie between the samples. */
TEST_IF (test_true_peak, histo_loudness_is_available ())
{
  GRand *random = test_random ();
  gdouble frames[4800];
  Stream stream;

  for (guint i = 0; i < 4800; i++)
    frames[i] = 0.5 * sin (G_PI / 2 * i + G_PI / 4);
  stream_open (&stream, GST_AUDIO_FORMAT_F32BE, 48000, 1, 0, random);
  stream_measure (&stream, frames, 4800);
  fail_unless (fabs (stream.figures.sample_peak[0] + 9.03) < 0.01);
  fail_unless (stream.figures.true_peak[0] > -6.4
      && stream.figures.true_peak[0] < -5.8, "%f",
      stream.figures.true_peak[0]);
  stream_close (&stream);
  g_rand_free (random);
}

/* Signals whose peaks between the samples differ most from filter to filter. */
static gdouble
peak_signal (guint kind, guint64 i, GRand * random)
{
  switch (kind) {
    case 0:
      /* White noise. */
      return g_rand_double_range (random, -0.5, 0.5);
    case 1:
      /* Treble: the difference of neighbours of noise, nearly. */
      return (i % 2 == 0 ? 1 : -1) * g_rand_double_range (random, 0.1, 0.6);
    case 2:
      /* Clipped sound. */
      return CLAMP (2 * sin (0.7 * i), -0.9, 0.9);
    case 3:
      /* Steps. */
      return i / 37 % 2 == 0 ? 0.7 : -0.7;
    default:
      /* Close to half of the rate. */
      return 0.8 * sin (3.0 * i);
  }
}

#define N_PEAK_SIGNALS 5

/* The filter of the annex, in any format and rate, in buffers of any length. Each channel has its own. */
TEST_LOOP (test_true_peak_reference, 0,
    histo_loudness_is_available ()? N_PEAK_SIGNALS : 0)
{
  static const struct
  {
    GstAudioFormat format;
    guint rate, channels;
    guint64 mask;
  } streams[] = {
    {GST_AUDIO_FORMAT_F64LE, 48000, 2, STEREO},
    {GST_AUDIO_FORMAT_S24BE, 44100, 6, 0x3f},
    {GST_AUDIO_FORMAT_F32LE, 8000, 1, 0},
    {GST_AUDIO_FORMAT_S32LE, 96000, 3, 0},
    {GST_AUDIO_FORMAT_F64BE, 191999, 1, 0},
    {GST_AUDIO_FORMAT_F64LE, 192000, 2, STEREO},
  };
  GRand *random = test_random ();

  for (guint s = 0; s < G_N_ELEMENTS (streams); s++) {
    const guint channels = streams[s].channels;
    const guint n = g_rand_int_range (random, 20000, 30000);
    gdouble *frames = g_new (gdouble, (gsize) n * channels);
    Stream stream;

    for (gsize i = 0; i < (gsize) n * channels; i++)
      frames[i] = peak_signal ((__i__ + i % channels) % N_PEAK_SIGNALS,
          i / channels, random) / (1 + i % channels);
    stream_open (&stream, streams[s].format, streams[s].rate, channels,
        streams[s].mask, random);
    stream_measure (&stream, frames, n);
    for (guint c = 0; c < channels; c++) {
      const gdouble expected = streams[s].rate < 192000 ?
          20 * log10 (reference_true_peak (frames + c, n, channels)) :
          stream.figures.sample_peak[c];

      fail_unless (fabs (stream.figures.true_peak[c] - expected) < 0.0005,
          "%u Hz, channel %u: %f instead of %f", streams[s].rate, c,
          stream.figures.true_peak[c], expected);
    }
    stream_close (&stream);
    g_free (frames);
  }
  g_rand_free (random);
}

/* It is the same to the last bit in one buffer, in many, and sample by sample. */
TEST_IF (test_true_peak_of_parts, histo_loudness_is_available ())
{
  GRand *random = test_random ();
  gdouble frames[2 * 3000];
  gdouble whole[2] = { 0, 0 };
  gsize offsets[] = { 0, sizeof (gdouble) };

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    frames[i] = peak_signal (1, i / 2, random);
  for (guint most = 3000; most > 0; most = most == 3000 ? 600 : most == 600 ? 1 : 0) {
    HistoAudioLayout layout = { NULL, 0, 2 * sizeof (gdouble), offsets };
    Stream stream;

    stream_open (&stream, GST_AUDIO_FORMAT_F64, 48000, 2, STEREO, random);
    for (guint i = 0; i < 3000; i += layout.n_samples) {
      /* MIN() would draw twice. */
      const guint drawn = g_rand_int_range (random, 1, most + 1);

      layout.data = (const guint8 *) (frames + 2 * i);
      layout.n_samples = most == 3000 ? 3000 : MIN (3000 - i, drawn);
      histo_loudness_measure (stream.loudness, &layout, &stream.figures);
    }
    for (guint c = 0; c < 2; c++) {
      if (most == 3000)
        whole[c] = stream.figures.true_peak[c];
      fail_unless (stream.figures.true_peak[c] == whole[c], "%.17g and %.17g",
          stream.figures.true_peak[c], whole[c]);
    }
    stream_close (&stream);
  }
  g_rand_free (random);
}

/* After a restart, samples before it take no part. */
TEST_IF (test_true_peak_after_restart, histo_loudness_is_available ())
{
  GRand *random = test_random ();
  gdouble frames[] = { 0, 0, 0, 1, 0, 0, 0, 0.001 };
  Stream stream;

  stream_open (&stream, GST_AUDIO_FORMAT_F64LE, 48000, 1, 0, random);
  stream_measure (&stream, frames, 4);
  fail_unless (stream.figures.true_peak[0] == 0);
  histo_loudness_restart (stream.loudness);
  stream_measure (&stream, frames + 4, 4);
  fail_unless (fabs (stream.figures.true_peak[0] + 60) < 1e-6, "%f",
      stream.figures.true_peak[0]);
  stream_close (&stream);
  g_rand_free (random);
}

/* ---- Reference ----------------------------------------------------------------------------- */

/* Noise whose level changes, in several formats and rates. */
static void
check_noise (GstAudioFormat format, guint rate, guint channels, guint64 mask,
    const gdouble * weights, GRand * random)
{
  const guint n = 25 * rate + g_rand_int_range (random, 0, rate);
  gdouble *frames = g_new (gdouble, (gsize) n * channels);
  gdouble level = 0;
  ReferenceLoudness reference;
  Stream stream;

  for (gsize i = 0; i < (gsize) n * channels; i++) {
    if (i % (rate / 2) == 0)
      level = pow (10, g_rand_double_range (random, -2.5, -0.2));
    frames[i] = g_rand_double_range (random, -level, level);
  }
  stream_open (&stream, format, rate, channels, mask, random);
  stream_measure (&stream, frames, n);
  reference_loudness (frames, n, channels, weights, rate, &reference);
#define EXPECT(member, tolerance) \
  fail_unless (fabs (stream.figures.member - reference.member) < tolerance, \
      "%s, %u Hz: " #member " is %f, not %f", gst_audio_format_to_string (format), rate, \
      stream.figures.member, reference.member)
  EXPECT (momentary, 1e-4);
  EXPECT (short_term, 1e-4);
  EXPECT (momentary_max, 1e-4);
  EXPECT (short_term_max, 1e-4);
  /* Integers are rounded. */
  fail_unless (stream.figures.integrated > reference.integrated_least - 0.01
      && stream.figures.integrated < reference.integrated_most + 0.01,
      "%s, %u Hz: integrated is %f, not %f to %f", gst_audio_format_to_string (format), rate,
      stream.figures.integrated, reference.integrated_least, reference.integrated_most);
  EXPECT (range, 0.01);
#undef EXPECT
  stream_close (&stream);
  g_free (frames);
}

TEST_IF (test_reference, histo_loudness_is_available ())
{
  const gdouble weights[] = { 1, 1, 1, 0, 1.41, 1.41 };
  const gdouble equal[] = { 1, 1, 1 };
  GRand *random = test_random ();

  check_noise (GST_AUDIO_FORMAT_F64LE, 48000, 2, STEREO, weights, random);
  check_noise (GST_AUDIO_FORMAT_S32BE, 44100, 1, 0, equal, random);
  check_noise (GST_AUDIO_FORMAT_U16LE, 32000, 3, 0, equal, random);
  check_noise (GST_AUDIO_FORMAT_F32LE, 16000, 6, 0x3f, weights, random);
  g_rand_free (random);
}

/* ---- Special cases ------------------------------------------------------------------------- */

/* Silence is -inf, its range is 0. So is the time before the first 100 ms. A restart forgets. */
TEST_IF (test_silence_and_restart, histo_loudness_is_available ())
{
  GRand *random = test_random ();
  gdouble *frames = g_new0 (gdouble, 2 * 48000);
  const gdouble levels[] = { -23, -23 };
  Stream stream;

  stream_open (&stream, GST_AUDIO_FORMAT_S16LE, 48000, 2, STEREO, random);
  for (guint k = 0; k < 2; k++) {
    stream_measure (&stream, frames, k == 0 ? 0 : 48000);
    stream_measure (&stream, frames, 4799);
    fail_unless (stream.figures.momentary == -INFINITY);
    fail_unless (stream.figures.short_term == -INFINITY);
    fail_unless (stream.figures.integrated == -INFINITY);
    fail_unless (stream.figures.range == 0);
    for (guint c = 0; c < 2; c++) {
      fail_unless (stream.figures.true_peak[c] == -INFINITY);
      fail_unless (stream.figures.sample_peak[c] == -INFINITY);
    }
    stream_measure_sine (&stream, 1, levels);
    fail_unless (fabs (stream.figures.momentary + 23) < 0.1);
    /* The first blocks are partly silent. */
    fail_unless (fabs (stream.figures.integrated + 23) < 1);
    fail_unless (fabs (stream.figures.sample_peak[1] + 23) < 0.1);
    histo_loudness_restart (stream.loudness);
  }
  stream_close (&stream);
  g_free (frames);
  g_rand_free (random);
}

/* NaN and infinities count as 0, and huge samples do no lasting harm. */
TEST_IF (test_samples_that_are_not_finite, histo_loudness_is_available ())
{
  GRand *random = test_random ();
  const gdouble levels[] = { -23, -23 };
  gdouble frames[] = { NAN, INFINITY, -INFINITY, NAN, 1e300, -1e300 };
  Stream stream;

  stream_open (&stream, GST_AUDIO_FORMAT_F64LE, 48000, 2, STEREO, random);
  stream_measure (&stream, frames, 2);
  stream_measure_sine (&stream, 5, levels);
  fail_unless (fabs (stream.figures.integrated + 23) < 0.1);
  fail_unless (fabs (stream.figures.sample_peak[0] + 23) < 0.1);
  stream_measure (&stream, frames + 4, 1);
  stream_measure_sine (&stream, 10, levels);
  fail_unless (fabs (stream.figures.momentary + 23) < 0.1, "%f",
      stream.figures.momentary);
  fail_unless (fabs (stream.figures.short_term + 23) < 0.1, "%f",
      stream.figures.short_term);
  fail_unless (isfinite (stream.figures.integrated));
  fail_unless (fabs (stream.figures.sample_peak[0] - 180) < 0.1);
  stream_close (&stream);
  g_rand_free (random);
}

/* What the library cannot measure is refused with an error. */
TEST_IF (test_refused, histo_loudness_is_available ())
{
  static const struct
  {
    guint rate, channels;
  } bad[] = { {48000, 65}, {15, 2}, {4000000, 2} };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    GstCaps *caps = gst_caps_new_simple ("audio/x-raw",
        "format", G_TYPE_STRING, "S16LE",
        "layout", G_TYPE_STRING, "interleaved",
        "rate", G_TYPE_INT, bad[i].rate,
        "channels", G_TYPE_INT, bad[i].channels,
        "channel-mask", GST_TYPE_BITMASK,
        (guint64) (bad[i].channels == 2 ? STEREO : 0), NULL);
    HistoFormat *format = histo_format_new (caps, NULL);
    GError *error = NULL;

    fail_unless (format != NULL);
    fail_unless (histo_loudness_new (format, &error) == NULL);
    fail_unless (g_error_matches (error, GST_STREAM_ERROR,
            GST_STREAM_ERROR_FORMAT));
    g_clear_error (&error);
    histo_format_unref (format);
    gst_caps_unref (caps);
  }
}

/* Without libebur128 the group is refused, and says why. */
TEST_IF (test_not_available, !histo_loudness_is_available ())
{
  GstAudioInfo info;
  HistoFormat *format;
  GError *error = NULL;

  gst_audio_info_set_format (&info, GST_AUDIO_FORMAT_S16LE, 48000, 2, NULL);
  format = format_new (&info);
  fail_unless (histo_loudness_new (format, &error) == NULL);
  fail_unless (g_error_matches (error, GST_LIBRARY_ERROR,
          GST_LIBRARY_ERROR_INIT));
  fail_unless (strstr (error->message, "libebur128") != NULL);
  g_clear_error (&error);
  histo_loudness_free (NULL);
  histo_format_unref (format);
}

TEST_MAIN (60)
