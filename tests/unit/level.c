/* The group `level`, compared with the plain reference.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "harness.h"
#include "reference-level.h"

#include <float.h>
#include <math.h>

#include "measures/level-loops.h"
#include "measures/level-totals.h"
#include "measures/level.h"

#define MAX_CHANNELS 5
#define MAX_PAIRS (MAX_CHANNELS / 2)
#define MAX_SAMPLES 30000

/* ---- Signals ------------------------------------------------------------------------------- */

typedef enum
{
  SIGNAL_NOISE,
  SIGNAL_QUIET,                 /* a few of the lowest steps of 16 bits, many zeros */
  SIGNAL_SINE,
  SIGNAL_CLIPPED,
  SIGNAL_SILENCE,
  SIGNAL_CONSTANT,
  SIGNAL_SQUARE,                /* full scale, runs of random length */
  SIGNAL_PLATEAUS,              /* the same, runs of about a piece */
  SIGNAL_IMPULSES,              /* zeros, sometimes a sample */
  SIGNAL_BROKEN,                /* floating point: NaN, infinities, subnormal numbers, more than 1 */
  N_SIGNALS
} Signal;

static const gdouble odd_numbers[] = {
  NAN, INFINITY, -INFINITY, 1e-40, -1e-40, 1e-310, -0.0, 0, 1, -1, 1.5, -3e6,
  FLT_MIN, FLT_MAX / 1e20
};

static gdouble
next_sample (Signal signal, GRand * random, guint i, gdouble * held)
{
  switch (signal) {
    case SIGNAL_NOISE:
      return g_rand_double_range (random, -1, 1);
    case SIGNAL_QUIET:
      return g_rand_int_range (random, -3, 4) / 32768.;
    case SIGNAL_SINE:
      return 0.7 * sin (i * 0.13);
    case SIGNAL_CLIPPED:
      return CLAMP (3 * sin (i * 0.13), -1, 1);
    case SIGNAL_SILENCE:
      return 0;
    case SIGNAL_SQUARE:
      if (g_rand_int_range (random, 0, 3) == 0)
        *held = g_rand_int_range (random, -1, 2);
      return *held;
    case SIGNAL_PLATEAUS:
      if ((i % HISTO_LEVEL_PIECE == 0 && g_rand_boolean (random))
          || g_rand_int_range (random, 0, 1000) == 0)
        *held = g_rand_int_range (random, -1, 2);
      return *held;
    case SIGNAL_IMPULSES:
      return g_rand_int_range (random, 0, 50) == 0 ?
          g_rand_double_range (random, -1, 1) : 0;
    case SIGNAL_BROKEN:
      return g_rand_boolean (random) ? 0.1 * sin (i * 0.2) :
          odd_numbers[g_rand_int_range (random, 0, G_N_ELEMENTS (odd_numbers))];
    default:                   /* SIGNAL_CONSTANT */
      return *held;
  }
}

/* How the second channel of a pair follows from the first one. */
typedef enum
{
  RELATION_NONE,
  RELATION_ALIKE,
  RELATION_OPPOSITE,
  RELATION_HALF,                /* opposite, and half as loud */
  N_RELATIONS
} Relation;

static gdouble
relate (Relation relation, gdouble first, gdouble other)
{
  switch (relation) {
    case RELATION_ALIKE:
      return first;
    case RELATION_OPPOSITE:
      return -first;
    case RELATION_HALF:
      return first / -2;
    default:
      return other;
  }
}

/* Writes a sample as the format has it. */
static void
write_sample (const GstAudioFormatInfo * info, gdouble value, guint8 * data)
{
  gint32 integer;

  if (GST_AUDIO_FORMAT_INFO_IS_FLOAT (info)) {
    test_write_float (info, value, data);
    return;
  }
  value = isfinite (value) ? CLAMP (value, -1, 1) : 0;
  integer = (gint32) MIN (rint (value * 2147483648.), 2147483647.);
  info->pack_func (info, 0, &integer, data, 1);
}

/* ---- Streams ------------------------------------------------------------------------------- */

/* A stream, and all its samples since the last restart. */
typedef struct
{
  GRand *random;
  GstAudioInfo info;
  HistoFormat *format;
  HistoLevel *level;
  guint clipping_samples;
  gsize n, window_start;
  gdouble *samples[MAX_CHANNELS];
  ReferenceDecay decay[MAX_CHANNELS];
  Relation relation;
  ReferencePairRun runs[MAX_PAIRS];
  ReferencePair window_pairs[MAX_PAIRS];        /* inverted and dual_mono: the greatest ones */
} Stream;

static void
stream_open (Stream * stream, GstAudioFormat format, guint channels,
    guint rate, GstAudioLayout layout, GRand * random)
{
  GstAudioChannelPosition positions[MAX_CHANNELS];
  GstCaps *caps;

  memset (stream, 0, sizeof *stream);
  for (guint c = 0; c < channels; c++)
    positions[c] = GST_AUDIO_CHANNEL_POSITION_NONE;
  gst_audio_info_set_format (&stream->info, format, rate, channels, positions);
  stream->info.layout = layout;
  caps = gst_audio_info_to_caps (&stream->info);
  stream->random = random;
  stream->format = histo_format_new (caps, NULL);
  fail_unless (stream->format != NULL, "%" GST_PTR_FORMAT, caps);
  gst_caps_unref (caps);
  stream->level = histo_level_new (stream->format);
  stream->clipping_samples = HISTO_LEVEL_CLIPPING_SAMPLES;
  for (guint c = 0; c < channels; c++)
    stream->samples[c] = g_new (gdouble, MAX_SAMPLES);
}

static void
stream_close (Stream * stream)
{
  histo_level_free (stream->level);
  histo_format_unref (stream->format);
  for (guint c = 0; c < MAX_CHANNELS; c++)
    g_free (stream->samples[c]);
}

static void
stream_restart (Stream * stream)
{
  histo_level_restart (stream->level);
  stream->n = stream->window_start = 0;
  memset (stream->decay, 0, sizeof stream->decay);
  memset (stream->runs, 0, sizeof stream->runs);
}

static void
stream_begin_window (Stream * stream)
{
  histo_level_begin_window (stream->level);
  stream->window_start = stream->n;
  memset (stream->window_pairs, 0, sizeof stream->window_pairs);
}

/* The samples in memory, with room between them. */
static guint8 *
stream_make_buffer (Stream * stream, Signal signal, guint n,
    HistoAudioLayout * layout)
{
  const guint channels = GST_AUDIO_INFO_CHANNELS (&stream->info);
  const guint bytes = GST_AUDIO_INFO_WIDTH (&stream->info) / 8;
  const gboolean is_planar =
      GST_AUDIO_INFO_LAYOUT (&stream->info) == GST_AUDIO_LAYOUT_NON_INTERLEAVED;
  guint8 *data = g_malloc0 ((gsize) n * channels * bytes + 1);
  gdouble *first = g_new (gdouble, n + 1);

  layout->data = data;
  layout->n_samples = n;
  layout->sample_stride = is_planar ? bytes : channels * bytes;
  layout->channel_offsets = g_new (gsize, channels);
  for (guint c = 0; c < channels; c++) {
    gdouble held = g_rand_double_range (stream->random, -1, 1);

    layout->channel_offsets[c] = is_planar ? (gsize) c * n * bytes : c * bytes;
    for (guint i = 0; i < n; i++) {
      const gdouble sample = next_sample (signal, stream->random, i + c, &held);

      if (c % 2 == 0)
        first[i] = sample;
      write_sample (stream->info.finfo, c % 2 == 0 ? sample :
          relate (stream->relation, first[i], sample),
          data + layout->channel_offsets[c] + i * layout->sample_stride);
    }
  }
  g_free (first);
  return data;
}

/* ---- Comparing ----------------------------------------------------------------------------- */

static gboolean
is_near (gdouble a, gdouble b, gdouble tolerance)
{
  if (isnan (b) || isinf (b))
    return isnan (b) ? isnan (a) : a == b;
  return fabs (a - b) <= tolerance;
}

static void
compare (const HistoLevelFigures * figures, const ReferenceLevel * reference,
    const gchar * label)
{
  /* The sum of positive and negative samples may be near 0, with the errors of the samples. */
  const gdouble of_sum = 1e-10 * pow (10, reference->peak / 20);

#define EXPECT_DOUBLE(member, tolerance) \
  fail_unless (is_near (figures->member, reference->member, tolerance), \
      "%s: " #member " is %.17g, not %.17g", label, figures->member, reference->member);
#define EXPECT_INTEGER(member) \
  fail_unless (figures->member == reference->member, \
      "%s: " #member " is %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT, label, \
      (guint64) figures->member, (guint64) reference->member);
  /* Below this the mean square is so small that only some ways of adding give more than 0. */
#define EXPECT_QUIET(member) \
  if (!(figures->member < -3000 && reference->member < -3000)) \
    EXPECT (member)
#define EXPECT(member) \
  EXPECT_DOUBLE (member, 1e-9 * fmax (1, fabs (reference->member)))
  EXPECT (rms);
  EXPECT (peak);
  EXPECT_DOUBLE (dc_offset, of_sum);
  EXPECT (crest_factor);
  EXPECT (flat_factor);
  EXPECT_INTEGER (peak_count);
  EXPECT_INTEGER (clipped);
  EXPECT_INTEGER (clipped_runs);
  EXPECT_INTEGER (zero_crossings);
  EXPECT (min_difference);
  EXPECT (max_difference);
  EXPECT (mean_difference);
  EXPECT (rms_difference);
  EXPECT (rms_peak);
  EXPECT_QUIET (rms_trough);
  EXPECT (dynamic_range);
  EXPECT (noise_floor);
  EXPECT_INTEGER (bit_depth);
  EXPECT_INTEGER (denormals);
  EXPECT (level_entropy);
  EXPECT_INTEGER (silent);
#undef EXPECT
#undef EXPECT_INTEGER
#undef EXPECT_DOUBLE
}

static void
compare_channel (Stream * stream, guint channel, gsize start,
    const HistoLevelFigures * figures, gdouble decay, const gchar * what,
    const gchar * signal)
{
  const GstAudioFormat format = GST_AUDIO_INFO_FORMAT (&stream->info);
  ReferenceLevel reference;
  gchar *label = g_strdup_printf ("%s %s, channel %u, samples %" G_GSIZE_FORMAT
      " to %" G_GSIZE_FORMAT " at %d Hz, %s", what,
      gst_audio_format_to_string (format), channel, start, stream->n,
      GST_AUDIO_INFO_RATE (&stream->info), signal);

  reference_level (stream->samples[channel], start, stream->n, format,
      GST_AUDIO_INFO_RATE (&stream->info), stream->clipping_samples,
      &reference);
  compare (figures, &reference, label);
  fail_unless (is_near (figures->decay, decay, 1e-9),
      "%s: decay is %.17g, not %.17g", label, figures->decay, decay);
  g_free (label);
}

static void
compare_pair (const HistoPairResult * pair, const ReferencePair * reference,
    guint number, const gchar * what)
{
  const HistoPairFigures *figures = &pair->figures;

  fail_unless_equals_int (pair->first, 2 * number);
  fail_unless_equals_int (pair->second, 2 * number + 1);
#define EXPECT(member, value, expected, tolerance) \
  fail_unless (is_near (value, expected, tolerance), \
      "%s, pair %u: " #member " is %.17g, not %.17g", what, number, \
      figures->member, reference->member);
  if (reference->is_subnormal)
    return;
  EXPECT (correlation, figures->correlation, reference->correlation, 1e-12);
  /* Of nearly opposite channels next to nothing is left. */
  EXPECT (mono_loss, pow (10, figures->mono_loss / 10),
      pow (10, reference->mono_loss / 10), 1e-12);
  EXPECT (balance, figures->balance, reference->balance, 1e-10);
  EXPECT (inverted, figures->inverted, reference->inverted, 0);
  EXPECT (dual_mono, figures->dual_mono, reference->dual_mono, 0);
#undef EXPECT
}

/* @n: samples of the latest buffer */
static void
compare_pairs (Stream * stream, guint n, const HistoPairResult * buffer,
    const HistoPairResult * window, const gchar * what)
{
  const GstAudioFormat format = GST_AUDIO_INFO_FORMAT (&stream->info);
  const guint rate = GST_AUDIO_INFO_RATE (&stream->info);
  const guint n_pairs = GST_AUDIO_INFO_CHANNELS (&stream->info) / 2;

  fail_unless_equals_int (histo_level_count_pairs (stream->level), n_pairs);
  for (guint i = 0; i < n_pairs; i++) {
    gdouble *x = stream->samples[2 * i], *y = stream->samples[2 * i + 1];
    ReferencePair reference, *greatest = &stream->window_pairs[i];

    reference_pair (x + stream->n - n, y + stream->n - n, n, format, rate,
        &stream->runs[i], &reference);
    compare_pair (&buffer[i], &reference, i, what);
    greatest->inverted = MAX (greatest->inverted, reference.inverted);
    greatest->dual_mono = MAX (greatest->dual_mono, reference.dual_mono);
    if (window == NULL)
      continue;
    reference_pair (x + stream->window_start, y + stream->window_start,
        stream->n - stream->window_start, format, rate, NULL, &reference);
    reference.inverted = greatest->inverted;
    reference.dual_mono = greatest->dual_mono;
    compare_pair (&window[i], &reference, i, what);
  }
}

/* Measures a buffer and the window up to it. */
static void
stream_check_buffer (Stream * stream, Signal signal, guint n,
    gboolean has_window)
{
  const guint channels = GST_AUDIO_INFO_CHANNELS (&stream->info);
  const GstAudioFormat format = GST_AUDIO_INFO_FORMAT (&stream->info);
  HistoLevelFigures figures[MAX_CHANNELS], window[MAX_CHANNELS];
  HistoPairResult pairs[MAX_PAIRS], window_pairs[MAX_PAIRS];
  HistoAudioLayout layout;
  guint8 *data = stream_make_buffer (stream, signal, n, &layout);
  gchar *name = g_strdup_printf ("signal %d, relation %d", signal,
      stream->relation);

  histo_level_measure (stream->level, &layout, figures, pairs);
  if (has_window)
    histo_level_finish_window (stream->level, window, window_pairs);
  stream->n += n;
  fail_unless (stream->n <= MAX_SAMPLES);
  for (guint c = 0; c < channels; c++) {
    gdouble *samples = stream->samples[c] + stream->n - n;
    gdouble decay;

    fail_unless (reference_audio_samples (format,
            data + layout.channel_offsets[c], n, layout.sample_stride,
            samples));
    decay = reference_decay (&stream->decay[c], samples, n, format,
        GST_AUDIO_INFO_RATE (&stream->info));
    compare_channel (stream, c, stream->n - n, &figures[c], decay, "buffer",
        name);
    if (has_window)
      compare_channel (stream, c, stream->window_start, &window[c], decay,
          "window", name);
  }
  compare_pairs (stream, n, pairs, has_window ? window_pairs : NULL, name);
  g_free (name);
  g_free (layout.channel_offsets);
  g_free (data);
}

/* ---- Tests --------------------------------------------------------------------------------- */

/* Buffers of random signals and lengths, with and without windows, and restarts. */
static void
check_stream (GstAudioFormat format, GRand * random)
{
  static const guint rates[] = { 1, 400, 8000, 8000, 11025 };
  static const guint sizes[] = { 0, 1, 2, 3, 5, 64, 399, 400, 401, 1023, 1024, 1025, 2600 };
  const guint rate = rates[g_rand_int_range (random, 0, G_N_ELEMENTS (rates))];
  const guint channels = g_rand_int_range (random, 1, MAX_CHANNELS + 1);
  gboolean has_window = FALSE;
  Stream stream;

  stream_open (&stream, format, channels, rate,
      g_rand_boolean (random) ? GST_AUDIO_LAYOUT_INTERLEAVED :
      GST_AUDIO_LAYOUT_NON_INTERLEAVED, random);
  if (g_rand_boolean (random)) {
    stream.clipping_samples = g_rand_int_range (random, 1, 9);
    histo_level_set_clipping_samples (stream.level, stream.clipping_samples);
  }
  for (guint i = 0; i < 10; i++) {
    const gint choice = g_rand_int_range (random, 0, 8);

    if (choice == 0) {
      stream_restart (&stream);
      has_window = FALSE;
    }
    if (choice <= 2) {
      stream_begin_window (&stream);
      has_window = TRUE;
    }
    if (g_rand_boolean (random))
      stream.relation = g_rand_int_range (random, 0, N_RELATIONS);
    stream_check_buffer (&stream, g_rand_int_range (random, 0, N_SIGNALS),
        sizes[g_rand_int_range (random, 0, G_N_ELEMENTS (sizes))], has_window);
  }
  stream_close (&stream);
}

TEST (test_formats)
{
  GRand *random = test_random ();
  guint n_formats = 0;

  for (guint i = GST_AUDIO_FORMAT_S8; i <= GST_AUDIO_FORMAT_F64BE; i++) {
    if (gst_audio_format_get_info (i) == NULL)
      continue;
    n_formats++;
    for (guint k = 0; k < 3; k++)
      check_stream (i, random);
  }
  fail_unless_equals_int (n_formats, 30);
  g_rand_free (random);
}

/* Each signal in the usual formats, in buffers of the usual length. */
TEST (test_signals)
{
  static const GstAudioFormat formats[] = { GST_AUDIO_FORMAT_F32LE,
    GST_AUDIO_FORMAT_S16LE, GST_AUDIO_FORMAT_U8, GST_AUDIO_FORMAT_F64LE
  };
  GRand *random = test_random ();

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    for (Signal signal = 0; signal < N_SIGNALS; signal++) {
      Stream stream;

      stream_open (&stream, formats[f], 2, 48000,
          GST_AUDIO_LAYOUT_INTERLEAVED, random);
      for (guint i = 0; i < 2; i++)
        stream_check_buffer (&stream, signal, 1024, FALSE);
      stream_begin_window (&stream);
      for (guint i = 0; i < 3; i++)
        stream_check_buffer (&stream, signal, 1024, TRUE);
      stream_close (&stream);
    }
  }
  g_rand_free (random);
}

/* Runs of the highest and the lowest sample that go on in the next piece of HISTO_LEVEL_PIECE samples
 * or in the next buffer, or end there. */
TEST (test_runs)
{
  static const Signal signals[] = { SIGNAL_SQUARE, SIGNAL_PLATEAUS };
  static const guint sizes[] = { 1, 2, HISTO_LEVEL_PIECE, HISTO_LEVEL_PIECE + 1, 2600 };
  GRand *random = test_random ();

  for (guint k = 0; k < 20; k++) {
    Stream stream;

    stream_open (&stream, GST_AUDIO_FORMAT_S16LE, 1, 48000, GST_AUDIO_LAYOUT_INTERLEAVED, random);
    stream_begin_window (&stream);
    for (guint i = 0; i < 6; i++)
      stream_check_buffer (&stream, signals[g_rand_int_range (random, 0, G_N_ELEMENTS (signals))],
          sizes[g_rand_int_range (random, 0, G_N_ELEMENTS (sizes))], TRUE);
    stream_close (&stream);
  }
  g_rand_free (random);
}

static void
measure_floats (Stream * stream, const gfloat * samples, guint n,
    HistoLevelFigures * figures)
{
  gsize offset = 0;
  const HistoAudioLayout layout = { (const guint8 *) samples, n, 4, &offset };

  histo_level_measure (stream->level, &layout, figures, NULL);
}

/* A sine of amplitude 0.5, two periods of 48 samples: the figures are known. */
TEST (test_known_figures)
{
  HistoLevelFigures figures;
  gfloat samples[96];
  Stream stream;

  for (guint i = 0; i < 96; i++)
    samples[i] = 0.5 * sin (2 * G_PI * (i + 0.5) / 48);
  stream_open (&stream, GST_AUDIO_FORMAT_F32LE, 1, 48000,
      GST_AUDIO_LAYOUT_INTERLEAVED, NULL);
  measure_floats (&stream, samples, 96, &figures);
  fail_unless (is_near (figures.rms, -9.0309, 1e-4));
  fail_unless (is_near (figures.peak, 20 * log10 (samples[11]), 1e-6));
  fail_unless (figures.decay == figures.peak);
  fail_unless (is_near (figures.dc_offset, 0, 1e-8));
  fail_unless (is_near (figures.crest_factor, M_SQRT2, 1e-2));
  /* Two runs of two samples at the highest value, and two at the lowest one. */
  fail_unless_equals_uint64 (figures.peak_count, 8);
  fail_unless (is_near (figures.flat_factor, 20 * log10 (16 / 8.), 1e-9));
  /* From the negative signal before, then each half period. */
  fail_unless_equals_uint64 (figures.zero_crossings, 4);
  fail_unless_equals_uint64 (figures.clipped, 0);
  fail_unless (isnan (figures.noise_floor));
  fail_unless (is_near (figures.rms_peak, figures.rms, 1e-9));
  fail_unless (is_near (figures.rms_trough, figures.rms, 1e-9));
  fail_unless (is_near (figures.dynamic_range,
          20 * log10 (2 * samples[11] / samples[0]), 1e-6));
  stream_close (&stream);
}

/* A window goes on after a restart, but runs and differences do not go over it. */
TEST (test_window_over_restart)
{
  static const gfloat a[] = { -1, 0, 1, 1 }, b[] = { 1, 1 }, c[] = { 1, 0.5 };
  HistoLevelFigures figures;
  Stream stream;

  stream_open (&stream, GST_AUDIO_FORMAT_F32LE, 1, 48000,
      GST_AUDIO_LAYOUT_INTERLEAVED, NULL);
  histo_level_begin_window (stream.level);
  measure_floats (&stream, a, G_N_ELEMENTS (a), &figures);
  histo_level_restart (stream.level);
  measure_floats (&stream, b, G_N_ELEMENTS (b), &figures);
  measure_floats (&stream, c, G_N_ELEMENTS (c), &figures);
  histo_level_finish_window (stream.level, &figures, NULL);
  /* Runs of 1 sample at the lowest value, of 2 and of 3 at the highest one. */
  fail_unless_equals_uint64 (figures.peak_count, 6);
  fail_unless (is_near (figures.flat_factor,
          20 * log10 ((1 * 1 + 2 * 2 + 3 * 3) / 6.), 1e-9));
  /* 1, 1, 0 before it, 0, 0, 0.5 after it */
  fail_unless (is_near (figures.mean_difference, 2.5 / 6, 1e-9));
  stream_close (&stream);
}

/* The peak holds 300 ms, then falls by 5 dB a second. */
TEST (test_decay)
{
  const gfloat loud = 1;
  gfloat *quiet = g_new0 (gfloat, 48000);
  HistoLevelFigures figures;
  Stream stream;

  stream_open (&stream, GST_AUDIO_FORMAT_F32LE, 1, 48000,
      GST_AUDIO_LAYOUT_INTERLEAVED, NULL);
  measure_floats (&stream, &loud, 1, &figures);
  fail_unless (is_near (figures.decay, 0, 1e-9));
  measure_floats (&stream, quiet, 14400, &figures);
  fail_unless (is_near (figures.decay, 0, 1e-9));
  fail_unless (is_near (figures.peak, -350, 1e-6));
  fail_unless (is_near (figures.rms, -700, 1e-6));
  measure_floats (&stream, quiet, 24000, &figures);
  fail_unless (is_near (figures.decay, -2.5, 1e-6));
  measure_floats (&stream, quiet, 24000, &figures);
  fail_unless (is_near (figures.decay, -5, 1e-6));
  histo_level_restart (stream.level);
  measure_floats (&stream, quiet, 0, &figures);
  fail_unless (is_near (figures.decay, -350, 1e-6));
  fail_unless (isnan (figures.rms) && isnan (figures.peak));
  stream_close (&stream);
  g_free (quiet);
}

/* A run of clipped samples goes on in the next buffer, but not after a restart. A window goes on
 * after a restart, and its runs do not. */
TEST (test_runs_across_buffers)
{
  const gfloat samples[] = { 0.5, 1, 1, 1, -1, -1, 0.25 };
  HistoLevelFigures figures;
  Stream stream;

  stream_open (&stream, GST_AUDIO_FORMAT_F32LE, 1, 48000,
      GST_AUDIO_LAYOUT_INTERLEAVED, NULL);
  histo_level_begin_window (stream.level);
  measure_floats (&stream, samples, 3, &figures);
  fail_unless_equals_uint64 (figures.clipped, 2);
  fail_unless_equals_uint64 (figures.clipped_runs, 0);
  measure_floats (&stream, samples + 3, 4, &figures);
  fail_unless_equals_uint64 (figures.clipped, 3);
  fail_unless_equals_uint64 (figures.clipped_runs, 1);
  fail_unless (is_near (figures.max_difference, 2, 0));
  fail_unless (is_near (figures.min_difference, 0, 0));
  /* The run of three samples at 1, and that of two at -1. */
  histo_level_finish_window (stream.level, &figures, NULL);
  fail_unless_equals_uint64 (figures.clipped_runs, 1);
  fail_unless (is_near (figures.flat_factor, 20 * log10 ((9 + 4) / 5.), 1e-9));

  histo_level_restart (stream.level);
  histo_level_begin_window (stream.level);
  measure_floats (&stream, samples, 3, &figures);
  histo_level_restart (stream.level);
  measure_floats (&stream, samples + 3, 4, &figures);
  fail_unless_equals_uint64 (figures.clipped_runs, 1);
  fail_unless_equals_uint64 (figures.zero_crossings, 3);
  histo_level_restart (stream.level);
  measure_floats (&stream, samples + 3, 1, &figures);
  fail_unless (isnan (figures.max_difference));
  fail_unless_equals_uint64 (figures.clipped_runs, 0);
  /* The runs of two and of one at 1; the last one does not end. */
  histo_level_finish_window (stream.level, &figures, NULL);
  fail_unless_equals_uint64 (figures.clipped, 6);
  fail_unless (is_near (figures.flat_factor, 20 * log10 ((4 + 1 + 4) / 6.),
          1e-9));
  stream_close (&stream);
}

/* NaN and infinities change nothing but the time. */
TEST (test_samples_that_are_not_finite)
{
  const gfloat with[] = { NAN, 0.5, INFINITY, -INFINITY, 0.25, NAN, -0.5 };
  const gfloat without[] = { 0.5, 0.25, -0.5 };
  HistoLevelFigures a, b;
  Stream stream;

  stream_open (&stream, GST_AUDIO_FORMAT_F32LE, 1, 48000,
      GST_AUDIO_LAYOUT_INTERLEAVED, NULL);
  measure_floats (&stream, with, G_N_ELEMENTS (with), &a);
  histo_level_restart (stream.level);
  measure_floats (&stream, without, G_N_ELEMENTS (without), &b);
  a.noise_floor = b.noise_floor = 0;
  fail_unless (memcmp (&a, &b, sizeof a) == 0);
  measure_floats (&stream, with, 1, &a);
  fail_unless (isnan (a.rms) && isnan (a.level_entropy));
  fail_unless_equals_uint64 (a.peak_count, 0);
  measure_floats (&stream, without, 1, &a);
  fail_unless (is_near (a.min_difference, 1, 0));
  stream_close (&stream);
}

/* ---- Holes --------------------------------------------------------------------------------- */

#define RATE 48000
/* 20 ms, 2 s, 0.1 s and 5 ms. */
#define LEAST_HOLE 960
#define MOST_HOLE 96000
#define LEAST_SOUND 4800
#define CLOSE 240

static gboolean
is_loud (const gfloat * x, gsize from, gsize to)
{
  for (gsize i = from; i < to; i++) {
    if (fabsf (x[i]) >= 0.01f)
      return TRUE;
  }
  return FALSE;
}

/* Finds the holes of a stream that are known when its first @n samples are.
 *
 * @start, @length: (out): of the last one
 *
 * Returns: how many there are */
static guint
find_holes (const gfloat * x, gsize n, gsize * start, gsize * length)
{
  gsize end_before = 0, run = 0, run_end = 0;   /* the sound before begins; a run */
  guint count = 0;

  for (gsize i = 0, from; i <= n; i = from + 1) {
    gsize behind;

    from = i;
    while (from < n && x[from] == 0)
      from++;
    /* What is 0 at the end is no sound yet. */
    behind = from < n || from - i >= LEAST_HOLE ? i : n - (from - i);
    if (from - i < LEAST_HOLE && from < n)
      continue;
    if (run_end > 0 && run_end - run < MOST_HOLE && run - end_before > MAX (LEAST_SOUND, run_end - run)
        && behind - run_end > MAX (LEAST_SOUND, run_end - run) && is_loud (x, run - CLOSE, run)
        && is_loud (x, run_end, run_end + CLOSE)) {
      count++;
      *start = run;
      *length = run_end - run;
    }
    end_before = run_end;
    run = i;
    run_end = from;
  }
  return count;
}

/* Appends noise, or zeros with the amplitude 0. */
static void
append_noise (GArray * samples, gfloat amplitude, guint n, GRand * random)
{
  for (guint i = 0; i < n; i++) {
    gfloat x = (gfloat) (amplitude * g_rand_double_range (random, 0.5, 1)) * (i % 2 == 0 ? 1 : -1);

    /* Some samples are 0, the outermost ones are not. */
    if (i > 0 && i + 1 < n && g_rand_int_range (random, 0, 8) == 0)
      x = 0;
    g_array_append_val (samples, x);
  }
}

/* Measures in buffers of any lengths, and a window that goes on.
 *
 * Returns: the number of holes, those that are not 2 s long */
static guint
check_holes (const GArray * samples, GRand * random, const gchar * label)
{
  const gfloat *x = (const gfloat *) samples->data;
  guint count = 0;
  Stream stream;

  stream_open (&stream, GST_AUDIO_FORMAT_F32LE, 1, RATE, GST_AUDIO_LAYOUT_INTERLEAVED, NULL);
  histo_level_begin_window (stream.level);
  for (gsize at = 0; at < samples->len;) {
    const guint n = MIN (samples->len - at, (guint) g_rand_int_range (random, 1, 5000));
    gsize start = 0, length = 0;
    HistoLevelFigures figures;
    guint known;

    measure_floats (&stream, x + at, n, &figures);
    at += n;
    known = find_holes (x, at, &start, &length);
    fail_unless (figures.holes == known - count, "%s: %u holes at %" G_GSIZE_FORMAT ", not %u", label,
        (guint) figures.holes, at, known - count);
    fail_unless (is_near (figures.hole_length, known > count ? (gdouble) length / RATE : NAN, 1e-12), "%s", label);
    fail_unless (is_near (figures.hole_age, known > count ? (gdouble) (at - start) / RATE : NAN, 1e-12), "%s", label);
    count = known;
    histo_level_finish_window (stream.level, &figures, NULL);
    fail_unless (figures.holes == count, "%s", label);
    fail_unless (is_near (figures.hole_length, count > 0 ? (gdouble) length / RATE : NAN, 1e-12), "%s", label);
    fail_unless (is_near (figures.hole_age, count > 0 ? (gdouble) (at - start) / RATE : NAN, 1e-12), "%s", label);
  }
  stream_close (&stream);
  return count;
}

/* Sound, zeros, sound: the limits of each. */
TEST (test_holes)
{
  static const struct
  {
    const gchar *what;
    gfloat before;
    guint n_before, n_zeros;
    gfloat behind;
    guint n_behind;
    guint expected;
  } rows[] = {
    {"20 ms", 0.1, 9600, 960, 0.1, 9600, 1},
    {"less", 0.1, 9600, 959, 0.1, 9600, 0},
    {"almost 2 s", 0.1, 96000, 95999, 0.1, 96000, 1},
    {"2 s", 0.1, 100000, 96000, 0.1, 100000, 0},
    {"short before", 0.1, 4800, 960, 0.1, 9600, 0},
    {"long enough before", 0.1, 4801, 960, 0.1, 9600, 1},
    {"short behind", 0.1, 9600, 960, 0.1, 4800, 0},
    {"long enough behind", 0.1, 9600, 960, 0.1, 4801, 1},
    {"shorter than the zeros", 0.1, 9600, 9600, 0.1, 20000, 0},
    {"longer than the zeros", 0.1, 9601, 9600, 0.1, 9601, 1},
    {"quiet before", 0.0099, 9600, 2400, 0.1, 9600, 0},
    {"quiet behind", 0.1, 9600, 2400, 0.0099, 9600, 0},
    {"-34 dBFS", 0.02, 9600, 2400, 0.02, 9600, 1},
  };
  GRand *random = g_rand_new_with_seed (3);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (gfloat));

    append_noise (samples, rows[i].before, rows[i].n_before, random);
    append_noise (samples, 0, rows[i].n_zeros, random);
    append_noise (samples, rows[i].behind, rows[i].n_behind, random);
    fail_unless_equals_int (check_holes (samples, random, rows[i].what), rows[i].expected);
  }
  g_rand_free (random);
}

/* Sound and zeros of any lengths in turn. */
TEST (test_any_holes)
{
  static const guint lengths[] = { 240, 700, 959, 960, 1200, 4800, 4801, 6000, 12000 };
  static const gfloat amplitudes[] = { 0.3, 0.1, 0.008 };
  GRand *random = g_rand_new_with_seed (4);
  guint n = 0;

  for (guint i = 0; i < 20; i++) {
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (gfloat));

    for (guint k = 0; k < 12; k++)
      append_noise (samples, k % 2 == 0 ? 0 : amplitudes[g_rand_int_range (random, 0, G_N_ELEMENTS (amplitudes))],
          lengths[g_rand_int_range (random, 0, G_N_ELEMENTS (lengths))], random);
    n += check_holes (samples, random, "any lengths");
  }
  fail_unless (n > 1, "%u holes", n);
  g_rand_free (random);
}

/* Sound before a restart is not that before a hole. A window keeps the hole. */
TEST (test_holes_and_restarts)
{
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (gfloat));
  GRand *random = g_rand_new_with_seed (5);
  HistoLevelFigures figures;
  Stream stream;

  append_noise (samples, 0.1, 9600, random);
  append_noise (samples, 0, 960, random);
  append_noise (samples, 0.1, 9600, random);
  stream_open (&stream, GST_AUDIO_FORMAT_F32LE, 1, RATE, GST_AUDIO_LAYOUT_INTERLEAVED, NULL);
  histo_level_begin_window (stream.level);
  measure_floats (&stream, (gfloat *) samples->data, 9600, &figures);
  histo_level_restart (stream.level);
  measure_floats (&stream, (gfloat *) samples->data + 9600, 960 + 9600, &figures);
  fail_unless_equals_uint64 (figures.holes, 0);
  measure_floats (&stream, (gfloat *) samples->data, 20160, &figures);
  fail_unless_equals_uint64 (figures.holes, 1);
  histo_level_restart (stream.level);
  measure_floats (&stream, (gfloat *) samples->data, 4800, &figures);
  fail_unless_equals_uint64 (figures.holes, 0);
  histo_level_finish_window (stream.level, &figures, NULL);
  fail_unless_equals_uint64 (figures.holes, 1);
  fail_unless (is_near (figures.hole_age, (960 + 9600 + 4800) / 48000., 1e-12));
  stream_close (&stream);
  g_rand_free (random);
}

/* ---- Pairs --------------------------------------------------------------------------------- */

/* Stereo of 32-bit floats at 48 kHz, of two constants, half a second. The channels may have an offset. */
static void
measure_constants (HistoLevel * level, gfloat x, gfloat y,
    HistoPairResult * pair)
{
  gfloat *samples = g_new (gfloat, 48000);
  gsize offsets[] = { 0, sizeof (gfloat) };
  const HistoAudioLayout layout = { (const guint8 *) samples, 24000,
    2 * sizeof (gfloat), offsets
  };
  HistoLevelFigures figures[2];

  for (guint i = 0; i < 24000; i++) {
    samples[2 * i] = i % 2 == 0 ? x : -x;
    samples[2 * i + 1] = i % 2 == 0 ? y : -y;
  }
  histo_level_measure (level, &layout, figures, pair);
  g_free (samples);
}

static HistoLevel *
new_level (const gchar * text)
{
  GstCaps *caps = gst_caps_from_string (text);
  HistoFormat *format = histo_format_new (caps, NULL);
  HistoLevel *level;

  fail_unless (format != NULL, "%s", text);
  level = histo_level_new (format);
  histo_format_unref (format);
  gst_caps_unref (caps);
  return level;
}

#define STEREO "audio/x-raw, format=F32LE, layout=interleaved, rate=48000, " \
    "channels=2, channel-mask=(bitmask)0x3"

TEST (test_known_pairs)
{
  static const struct
  {
    gfloat x, y;
    gdouble correlation, mono_loss, balance;
  } rows[] = {
    {0.5, -0.25, -1, -10, 6.0205999},
    {0.5, 0, NAN, -3.0103, INFINITY},
    {0, 0.5, NAN, -3.0103, -INFINITY},
    {0.5, 0.5, 1, 0, 0},
    {0.5, 0.25, 1, -0.4575749, 6.0205999},
    {0.5, -0.5, -1, -INFINITY, 0},
    {0, 0, NAN, NAN, NAN},
    /* The products of the sums of squares are too small, or too large, for a double only in 64 bits. */
    {1e-38, -1e-38, -1, -INFINITY, 0},
    {3e38, 3e38, 1, 0, 0},
  };
  HistoLevel *level = new_level (STEREO);

  fail_unless_equals_int (histo_level_count_pairs (level), 1);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    HistoPairResult pair;

    measure_constants (level, rows[i].x, rows[i].y, &pair);
    fail_unless (is_near (pair.figures.correlation, rows[i].correlation,
            1e-15), "%u: %g", i, pair.figures.correlation);
    fail_unless (is_near (pair.figures.mono_loss, rows[i].mono_loss, 1e-5),
        "%u: %g", i, pair.figures.mono_loss);
    fail_unless (is_near (pair.figures.balance, rows[i].balance, 1e-5),
        "%u: %g", i, pair.figures.balance);
  }
  histo_level_free (level);
}

/* 64-bit floats whose squares, or the products of whose sums, are out of a double's range. */
TEST (test_extreme_pairs)
{
  static const gdouble scales[] = { 1e-160, 1e-100, 1e100, 1e150, 1e300 };
  HistoLevel *level = new_level ("audio/x-raw, format=F64LE, layout=interleaved, "
      "rate=48000, channels=2, channel-mask=(bitmask)0x3");

  for (guint i = 0; i < G_N_ELEMENTS (scales); i++) {
    gdouble samples[] = { scales[i], -scales[i] / 2, -scales[i], scales[i] / 2 };
    gsize offsets[] = { 0, sizeof (gdouble) };
    const HistoAudioLayout layout = { (const guint8 *) samples, 2,
      2 * sizeof (gdouble), offsets
    };
    HistoLevelFigures figures[2];
    HistoPairResult pair;

    histo_level_measure (level, &layout, figures, &pair);
    if (scales[i] == 1e300)
      fail_unless (isnan (pair.figures.correlation));
    else
      fail_unless (is_near (pair.figures.correlation, -1, 1e-3), "%g: %g",
          scales[i], pair.figures.correlation);
    fail_unless (pair.figures.correlation >= -1
        || isnan (pair.figures.correlation));
  }
  histo_level_free (level);
}

/* Buffers of half a second: after four of them the pair is inverted, or dual mono. */
TEST (test_running_pairs)
{
  static const struct
  {
    gfloat x, y;
    gboolean restart;
    guint inverted, dual_mono;
  } rows[] = {
    {0.5, -0.1, FALSE, 0, 0}, {0.5, -0.5, FALSE, 0, 0}, {0.5, -0.5, FALSE, 0, 0},
    {0.5, -0.5, FALSE, 1, 0}, {0.5, -0.5, FALSE, 1, 0},
    /* Silence says nothing. */
    {0, 0, FALSE, 0, 0}, {0.5, 0, FALSE, 0, 0}, {0.5, -0.5, FALSE, 1, 0},
    /* A restart, and a buffer that is not inverted, begin anew. */
    {0.5, -0.5, TRUE, 0, 0}, {0.5, -0.5, FALSE, 0, 0}, {0.5, -0.5, FALSE, 0, 0},
    {0.5, 0.5, FALSE, 0, 0}, {0.5, -0.5, FALSE, 0, 0}, {0.5, 0.5, FALSE, 0, 0},
    {0.5, 0.5, FALSE, 0, 0}, {0, 0, FALSE, 0, 0}, {0.0009, 0.0009, FALSE, 0, 0},
    {0.5, 0.5, FALSE, 0, 0}, {0.5, 0.5, FALSE, 0, 1}, {0.001, 0.001, FALSE, 0, 1},
    {0.0009, 0.0009, FALSE, 0, 0}, {0.5, 0.5, FALSE, 0, 1},
    /* Silent, and not equal. */
    {0.0009, 0.0008, FALSE, 0, 0}, {0.5, 0.5, FALSE, 0, 0},
  };
  HistoLevel *level = new_level (STEREO);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    HistoPairResult pair;

    if (rows[i].restart)
      histo_level_restart (level);
    measure_constants (level, rows[i].x, rows[i].y, &pair);
    fail_unless (pair.figures.inverted == rows[i].inverted, "buffer %u", i);
    fail_unless (pair.figures.dual_mono == rows[i].dual_mono, "buffer %u", i);
  }
  histo_level_free (level);
}

/* @expected: the numbers of the channels: "0 1, 4 5" */
static void
check_layout (const gchar * channels, const gchar * expected)
{
  gchar *caps = g_strconcat ("audio/x-raw, format=S16LE, layout=interleaved, "
      "rate=48000, ", channels, NULL);
  HistoLevel *level = new_level (caps);
  const guint n = histo_level_count_pairs (level);
  HistoPairResult *pairs = g_new0 (HistoPairResult, n + 1);
  HistoLevelFigures *figures = g_new (HistoLevelFigures, HISTO_MAX_CHANNELS);
  gsize *offsets = g_new0 (gsize, HISTO_MAX_CHANNELS);
  const HistoAudioLayout nothing = {.data = (const guint8 *) "",.channel_offsets = offsets };
  GString *found = g_string_new (NULL);

  histo_level_measure (level, &nothing, figures, pairs);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (found, "%s%u %u", i > 0 ? ", " : "",
        pairs[i].first, pairs[i].second);
  fail_unless_equals_string (found->str, expected);
  g_string_free (found, TRUE);
  g_free (offsets);
  g_free (figures);
  g_free (pairs);
  histo_level_free (level);
  g_free (caps);
}

static gchar *
mask_of (const GstAudioChannelPosition * positions, guint n)
{
  guint64 mask = 0;

  for (guint i = 0; i < n; i++)
    mask |= G_GUINT64_CONSTANT (1) << positions[i];
  return g_strdup_printf ("channels=%u, channel-mask=(bitmask)0x%"
      G_GINT64_MODIFIER "x", n, mask);
}

TEST (test_layouts)
{
#define BOTH(name) GST_AUDIO_CHANNEL_POSITION_##name##_LEFT, GST_AUDIO_CHANNEL_POSITION_##name##_RIGHT
  static const GstAudioChannelPosition all[] = { BOTH (FRONT), BOTH (REAR),
    GST_AUDIO_CHANNEL_POSITION_FRONT_LEFT_OF_CENTER,
    GST_AUDIO_CHANNEL_POSITION_FRONT_RIGHT_OF_CENTER, BOTH (SIDE),
    BOTH (TOP_FRONT), BOTH (TOP_REAR), BOTH (TOP_SIDE), BOTH (BOTTOM_FRONT),
    BOTH (WIDE), BOTH (SURROUND)
  };
  gchar *mask = mask_of (all, G_N_ELEMENTS (all));
  GString *neighbours = g_string_new ("0 1");

  check_layout ("channels=1", "");
  check_layout ("channels=1, channel-mask=(bitmask)0x1", "");
  check_layout ("channels=2", "0 1");
  check_layout ("channels=2, channel-mask=(bitmask)0x3", "0 1");
  /* Left and centre; left, right, centre. */
  check_layout ("channels=2, channel-mask=(bitmask)0x5", "");
  check_layout ("channels=3, channel-mask=(bitmask)0x7", "0 1");
  /* 5.1 with rear or side channels, 7.1, 5.1 with front sides. */
  check_layout ("channels=6, channel-mask=(bitmask)0x3f", "0 1, 4 5");
  check_layout ("channels=6, channel-mask=(bitmask)0xc0f", "0 1, 4 5");
  check_layout ("channels=8, channel-mask=(bitmask)0xc3f", "0 1, 4 5, 6 7");
  check_layout ("channels=8, channel-mask=(bitmask)0xff", "0 1, 4 5, 6 7");
  check_layout ("channels=3, channel-mask=(bitmask)0", "0 1");
  check_layout ("channels=5, channel-mask=(bitmask)0", "0 1, 2 3");
  check_layout (mask, "0 1, 2 3, 6 7, 4 5, 8 9, 10 11, 12 13, 16 17, 18 19, 14 15");
  for (guint c = 2; c < 64; c += 2)
    g_string_append_printf (neighbours, ", %u %u", c, c + 1);
  check_layout ("channels=64, channel-mask=(bitmask)0", neighbours->str);
  for (guint c = 64; c < HISTO_MAX_CHANNELS; c += 2)
    g_string_append_printf (neighbours, ", %u %u", c, c + 1);
  check_layout ("channels=4096, channel-mask=(bitmask)0", neighbours->str);
  g_string_free (neighbours, TRUE);
  g_free (mask);
#undef BOTH
}

/* ---- Loops --------------------------------------------------------------------------------- */

static void
compare_sums (const gdouble * x, guint n)
{
  HistoLevelSums a, b;

  histo_level_loops_plain.add_up (x, n, &a);
  histo_level_loops_for_cpu ()->add_up (x, n, &b);
  fail_unless (is_near (a.sum, b.sum, 1e-12 * n));
  fail_unless (is_near (a.squares, b.squares, 1e-12 * n));
  fail_unless (a.min == b.min && a.max == b.max);
  fail_unless (a.min_magnitude == b.min_magnitude);
  fail_unless (a.differences.n == b.differences.n);
  fail_unless (a.differences.min == b.differences.min);
  fail_unless (a.differences.max == b.differences.max);
  fail_unless (is_near (a.differences.sum, b.differences.sum, 1e-12 * n));
  fail_unless (is_near (a.differences.squares, b.differences.squares,
          1e-12 * n));
}

static void
compare_pair_sums (const gdouble * x, const gdouble * y, guint n)
{
  HistoLevelPairSums a, b;

  histo_level_loops_plain.add_up_pair (x, y, n, &a);
  histo_level_loops_for_cpu ()->add_up_pair (x, y, n, &b);
  fail_unless (is_near (a.first_squares, b.first_squares, 1e-12 * n));
  fail_unless (is_near (a.second_squares, b.second_squares, 1e-12 * n));
  fail_unless (is_near (a.products, b.products, 1e-12 * n));
  fail_unless (is_near (a.sum_squares, b.sum_squares, 1e-12 * n));
  fail_unless (a.max_difference == b.max_difference);
}

static void
compare_counts (const gdouble * x, guint n)
{
  const HistoLevelLoops *plain = &histo_level_loops_plain;
  const HistoLevelLoops *fast = histo_level_loops_for_cpu ();
  guint64 a[3] = { 2, 0, 0 }, b[3] = { 2, 0, 0 };
  gdouble runs_a[2], runs_b[2];

  plain->count_equal (x, n, -0.5, 0, &a[0], &a[1]);
  fast->count_equal (x, n, -0.5, 0, &b[0], &b[1]);
  fail_unless (memcmp (a, b, sizeof a) == 0);
  fail_unless_equals_uint64 (plain->count_repeats (x, n, -0.5),
      fast->count_repeats (x, n, -0.5));
  plain->add_up_runs (x, n, -0.5, 0, &runs_a[0], &runs_a[1]);
  fast->add_up_runs (x, n, -0.5, 0, &runs_b[0], &runs_b[1]);
  fail_unless (memcmp (runs_a, runs_b, sizeof runs_a) == 0);
  plain->find_clipped (x, n, -0.5, 1, 2, &a[0], &a[1], &a[2]);
  fast->find_clipped (x, n, -0.5, 1, 2, &b[0], &b[1], &b[2]);
  fail_unless (memcmp (a, b, sizeof a) == 0);
  fail_unless_equals_uint64 (plain->count_sign_changes (x, n),
      fast->count_sign_changes (x, n));
  fail_unless (plain->find_min_non_zero (x, n)
      == fast->find_min_non_zero (x, n));
}

static void
compare_bins_and_bits (const gdouble * x, guint n, gdouble full_scale,
    gdouble scale)
{
  const HistoLevelLoops *plain = &histo_level_loops_plain;
  const HistoLevelLoops *fast = histo_level_loops_for_cpu ();
  guint64 a[2] = { 0, G_MAXUINT64 }, b[2] = { 0, G_MAXUINT64 };
  guint16 *bins_a = g_new0 (guint16, n), *bins_b = g_new0 (guint16, n);

  plain->find_bins (x, n, full_scale, bins_a);
  fast->find_bins (x, n, full_scale, bins_b);
  fail_unless (memcmp (bins_a, bins_b, n * sizeof *bins_a) == 0);
  plain->find_bits (x, n, scale, 1, &a[0], &a[1]);
  fast->find_bits (x, n, scale, 1, &b[0], &b[1]);
  fail_unless (memcmp (a, b, sizeof a) == 0);
  g_free (bins_a);
  g_free (bins_b);
}

static void
compare_averages (const gdouble * x, guint n)
{
  gdouble a[3] = { 0, 9, 0 }, b[3] = { 0, 9, 0 };

  a[0] = histo_level_loops_plain.average (x, n, 0.9, 0.1, &a[1], &a[2]);
  b[0] = histo_level_loops_for_cpu ()->average (x, n, 0.9, 0.1, &b[1], &b[2]);
  for (guint i = 0; i < 3; i++)
    fail_unless (is_near (a[i], b[i], 1e-12));
}

/* The loops for this CPU give the same as the plain ones. */
TEST (test_loops)
{
  GRand *random = test_random ();
  gdouble x[301];

  for (guint k = 0; k < 200; k++) {
    const guint n = g_rand_int_range (random, 1, 300);

    for (guint i = 0; i <= n; i++)
      x[i] = g_rand_boolean (random) ? g_rand_int_range (random, -2, 3) / 2. :
          g_rand_double_range (random, -1, 1);
    compare_sums (x + 1, n);
    compare_pair_sums (x + 1, x, n);
    compare_counts (x + 1, n);
    compare_bins_and_bits (x + 1, n, 1, 0x1p31);
    compare_bins_and_bits (x + 1, n, 0.7, 0x1p63);
    compare_averages (x + 1, n);
  }
  g_rand_free (random);
}

/* No samples have no totals. As with g_free(), nothing is freed. */
TEST (test_nothing)
{
  HistoLevelTotals totals;

  fail_unless_equals_int (histo_level_totals_measure (&totals, NULL, 0, NULL,
          NULL, 3, NULL), 0);
  histo_level_free (NULL);
}

TEST_MAIN (60)
