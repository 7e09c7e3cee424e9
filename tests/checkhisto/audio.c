/* Tests of the kernels that measure audio.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "checkhisto.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "binning.h"
#include "reference.h"

/* ---- Samples ---------------------------------------------------------------------------- */

typedef struct
{
  HistoFormat *format;
  HistoBinning binning;         /* edges: in device memory */
  gdouble *edges;
  guint64 n_samples;
  gint64 channel_stride, sample_stride;
  guint8 *host;                 /* random around the samples */
  gsize size;
  gsize first;                  /* where channel 0's sample 0 is */
  CUdeviceptr device;
} Sound;

typedef enum
{
  SOUND_RANDOM,                 /* bits; floats of every kind by that */
  SOUND_USUAL,                  /* floats from -1.1 to 1.1 */
  SOUND_WIDE,                   /* floats of many magnitudes */
  SOUND_CANCELLING,             /* floats whose sum is far smaller than they are */
  SOUND_SPECIAL,                /* floats that are no numbers, zeros, denormals */
  SOUND_HUGE,                   /* floats whose squares, or sums, overflow */
  SOUND_CONSTANT,
  SOUND_LEAST,                  /* the ends of what integers can be */
  SOUND_GREATEST,
  N_SOUNDS
} SoundContent;

static gdouble
random_unit (void)
{
  return (gint64) check_random64 () * 0x1p-63;
}

static gdouble
random_float (SoundContent content, gboolean is_double, guint64 number)
{
  static const gdouble specials[] = {
    NAN, INFINITY, -INFINITY, 0.0, -0.0, 0x1p-149, -0x1p-149, 0x1p-1074, 1.0,
    -1.0, 0x1.fffffep-1, -0x1.000002p+0, FLT_MAX, -FLT_MAX
  };
  const gdouble x = random_unit ();

  switch (content) {
    case SOUND_WIDE:
      return ldexp (x, (gint) check_random (120) - 80);
    case SOUND_CANCELLING:
      return number % 2 == 0 ? 1e6 + x : -1e6 + x * 0x1p-20;
    case SOUND_SPECIAL:
      return check_chance (4) ? x :
          specials[check_random (G_N_ELEMENTS (specials))];
    case SOUND_HUGE:
      return is_double ? (check_chance (2) ? ldexp (x, 1022) : ldexp (x, 500))
          : ldexp (x, 127);
    default:
      return 1.1 * x;
  }
}

/* A double as the format's own bytes. */
static void
write_float (const HistoAudioSample * sample, guint8 * p, gdouble value)
{
  guint8 bytes[8];

  if (sample->bytes == 4) {
    gfloat narrow = value;

    memcpy (bytes, &narrow, 4);
  } else {
    memcpy (bytes, &value, 8);
  }
  for (guint i = 0; i < sample->bytes; i++)
    p[i] = bytes[sample->big_endian == (G_BYTE_ORDER == G_LITTLE_ENDIAN) ?
        sample->bytes - 1 - i : i];
}

/* An integer of extreme value; the bits that do not count are random. */
static void
write_extreme (const HistoAudioSample * sample, guint8 * p, gboolean least)
{
  guint64 bits = (G_GUINT64_CONSTANT (1) << sample->depth) - 1, word;

  if (sample->kind == HISTO_AUDIO_SIGNED)
    word = least ? bits / 2 + 1 : bits / 2;
  else
    word = least ? 0 : bits;
  word |= check_random64 () & ~bits;
  for (guint i = 0; i < sample->bytes; i++)
    p[sample->big_endian ? sample->bytes - 1 - i : i] = word >> 8 * i & 0xff;
}

static guint8 *
sample_at (const Sound * sound, guint channel, guint64 i)
{
  return sound->host + sound->first + channel * sound->channel_stride
      + (gint64) i * sound->sample_stride;
}

static void
fill_channel (const Sound * sound, guint channel, SoundContent content)
{
  const HistoAudioSample *sample = &sound->format->sample;
  guint8 constant[8];

  check_random_fill (constant, sizeof constant);
  for (guint64 i = 0; i < sound->n_samples; i++) {
    guint8 *p = sample_at (sound, channel, i);

    if (content == SOUND_CONSTANT)
      memcpy (p, constant, sample->bytes);
    else if (content == SOUND_RANDOM)
      check_random_fill (p, sample->bytes);
    else if (sample->kind == HISTO_AUDIO_FLOAT)
      write_float (sample, p, random_float (content, sample->bytes == 8, i));
    else if (content == SOUND_LEAST || content == SOUND_GREATEST)
      write_extreme (sample, p, content == SOUND_LEAST);
    else
      check_random_fill (p, sample->bytes);
  }
}

static void
sound_fill (Sound * sound)
{
  for (guint channel = 0; channel < sound->format->n_components; channel++)
    fill_channel (sound, channel, check_chance (3) ? SOUND_USUAL
        : check_random (N_SOUNDS));
  check_copy_to (sound->device, sound->host, sound->size);
  check_device_wait ();
}

/* ---- Layout ------------------------------------------------------------------------------- */

static HistoFormat *
new_format (GstAudioFormat format, guint channels)
{
  GstCaps *caps = gst_caps_new_simple ("audio/x-raw",
      "format", G_TYPE_STRING, gst_audio_format_to_string (format),
      "layout", G_TYPE_STRING, "interleaved",
      "rate", G_TYPE_INT, 48000, "channels", G_TYPE_INT, channels,
      "channel-mask", GST_TYPE_BITMASK, G_GUINT64_CONSTANT (0), NULL);
  HistoFormat *result;

  if (channels == 1)
    gst_structure_remove_field (gst_caps_get_structure (caps, 0),
        "channel-mask");
  result = histo_format_new (caps, NULL);
  gst_caps_unref (caps);
  return result;
}

/* Samples of every layout begin at multiples of their size, but those of three bytes. */
static void
choose_strides (Sound * sound)
{
  const gint64 bytes = sound->format->sample.bytes;
  const gint64 channels = sound->format->n_components;

  if (check_chance (2)) {
    sound->channel_stride = bytes;
    sound->sample_stride = bytes * channels;
    if (check_chance (6))
      sound->sample_stride += bytes * check_random_range (1, 5);
  } else {
    sound->sample_stride = bytes;
    if (check_chance (6))
      sound->sample_stride += bytes * check_random_range (1, 5);
    sound->channel_stride = sound->sample_stride * (gint64) sound->n_samples
        + bytes * check_random (9);
  }
  if (check_chance (12))
    sound->sample_stride = -sound->sample_stride;
  if (check_chance (12))
    sound->channel_stride = -sound->channel_stride;
}

static void
allocate (Sound * sound)
{
  const gint64 bytes = sound->format->sample.bytes;
  const gint64 to_last_channel =
      sound->channel_stride * (sound->format->n_components - 1);
  const gint64 to_last_sample =
      sound->n_samples > 0 ? sound->sample_stride *
      ((gint64) sound->n_samples - 1) : 0;
  const gsize before = bytes * check_random (9);
  const gsize after = check_chance (2) ? 0 : check_random (64);

  sound->first = before - MIN (to_last_channel, 0) - MIN (to_last_sample, 0);
  sound->size = before + ABS (to_last_channel) + ABS (to_last_sample)
      + (sound->n_samples > 0 ? bytes : 0) + after;
  sound->host = g_malloc (MAX (sound->size, 1));
  check_random_fill (sound->host, sound->size);
  sound->device = check_alloc (sound->size);
}

/* ---- Bins ---------------------------------------------------------------------------------- */

/* The format's own range, or a part of it, or one that reaches beyond; powers of two and
 * others. */
static HistoBinSettings
random_bins (const HistoFormat * format)
{
  const gboolean is_float = format->sample.kind == HISTO_AUDIO_FLOAT;
  const gdouble span = is_float ? 2 : ldexp (1, format->sample.depth);
  const gdouble least = format->sample.kind == HISTO_AUDIO_UNSIGNED ? 0 : -span / 2;
  HistoBinSettings settings = { 0, 0, 0 };

  if (check_chance (3))
    settings.bins = 1u << check_random (format->n_components > 16 ? 8 : 15);
  else if (check_chance (2))
    settings.bins = check_random_range (1,
        check_chance (3) ? 60000 / format->n_components : 300);
  switch (check_random (4)) {
    case 0:
      settings.range_min = least + span / 4;
      settings.range_max = settings.range_min + span / 8;
      break;
    case 1:
      settings.range_min = least + span * random_unit () / 3;
      settings.range_max = settings.range_min
          + span * (0.01 + fabs (random_unit ()));
      break;
  }
  /* Edges closer than doubles are, which must not be a loop. */
  if (is_float && check_chance (20)) {
    settings.range_min = 0.5;
    settings.range_max = 0.5 + 0x1p-52;
  }
  return settings;
}

static void
choose_bins (Sound * sound, const HistoBinSettings * settings)
{
  g_free (histo_binning_init (&sound->binning, sound->format, 0, settings));
  sound->edges = g_new (gdouble, sound->binning.n_bins + 1);
  reference_bin_edges (sound->binning.range_min, sound->binning.range_max,
      sound->binning.n_bins, sound->edges);
  sound->binning.edges = check_upload (sound->edges,
      (sound->binning.n_bins + 1) * sizeof (gdouble));
  check_device_wait ();
}

static void
sound_clear (Sound * sound)
{
  check_device_wait ();
  check_free (sound->device);
  check_free (sound->binning.edges);
  g_free (sound->edges);
  g_free (sound->host);
  histo_format_unref (sound->format);
}

/* ---- A launch --------------------------------------------------------------------------------- */

typedef struct
{
  const Sound *sound;
  HistoKernels kernels;         /* with the limits of the case */
  CheckResult counters, totals;
  CUdeviceptr scratch, partials;
  gsize scratch_size;
} Launch;

static void
launch_init (Launch * launch, const Sound * sound,
    const HistoDeviceLimits * limits)
{
  const guint channels = sound->format->n_components;
  const guint n_bins = sound->binning.n_bins;

  launch->sound = sound;
  launch->kernels = check_device.kernels;
  launch->kernels.limits = *limits;
  launch->scratch_size =
      histo_kernels_audio_scratch (&launch->kernels, channels, n_bins);
  launch->scratch = check_alloc_zeroed (launch->scratch_size);
  launch->partials =
      check_alloc (histo_kernels_audio_partials (&launch->kernels, channels));
  check_result_init (&launch->counters,
      (gsize) channels * n_bins * sizeof (guint32));
  check_result_init (&launch->totals, channels * sizeof (HistoTotals));
  check_device_wait ();
}

static void
launch_clear (Launch * launch)
{
  check_device_wait ();
  check_free (launch->scratch);
  check_free (launch->partials);
  check_result_clear (&launch->counters);
  check_result_clear (&launch->totals);
}

static void
launch_once (const Launch * launch)
{
  const Sound *sound = launch->sound;
  HistoAudioTask task = {
    .data = sound->device + sound->first,
    .channel_stride = sound->channel_stride,
    .sample_stride = sound->sample_stride,
    .n_samples = sound->n_samples,
    .n_channels = sound->format->n_components,
    .sample = sound->format->sample,
    .binning = sound->binning,
    .scratch = launch->scratch,
    .partials = launch->partials,
    .result = launch->counters.device,
    .totals = launch->totals.device,
  };
  GError *error = NULL;

  if (histo_kernels_launch_audio (&launch->kernels, &task, check_device.stream,
          &error))
    return;
  g_error ("%s", error->message);
}

static void
describe (CheckCase * c, const Launch * launch)
{
  const Sound *sound = launch->sound;
  const HistoDeviceLimits *limits = &launch->kernels.limits;

  g_string_append_printf (c->text,
      "\n      sm_%d, %d multiprocessors, %d bytes of shared memory"
      "\n      %s, %u channels %" G_GINT64_FORMAT " bytes apart, %"
      G_GUINT64_FORMAT " samples %" G_GINT64_FORMAT
      " bytes apart, %u bins (kind %u) from %.17g to %.17g",
      limits->compute_capability, limits->n_multiprocessors,
      limits->shared_memory_per_block, histo_format_name (sound->format),
      sound->format->n_components, sound->channel_stride, sound->n_samples,
      sound->sample_stride, sound->binning.n_bins, sound->binning.kind,
      sound->binning.range_min, sound->binning.range_max);
}

/* ---- What it must give --------------------------------------------------------------------- */

/* Sum of doubles in more digits than they have: what is lost in each step is added up by
 * itself (A. Neumaier, 1974). */
typedef struct
{
  long double sum, lost, magnitude;
} LongSum;

static void
long_sum_add (LongSum * s, long double x)
{
  long double sum = s->sum + x;

  s->lost += fabsl (s->sum) >= fabsl (x) ? (s->sum - sum) + x : (x - sum) + s->sum;
  s->sum = sum;
  s->magnitude += fabsl (x);
}

typedef struct
{
  guint32 *counters;
  gint64 sum;
  ReferenceUint128 squares;
  gint64 min, max;
  LongSum float_sum, float_squares;
  gdouble float_min, float_max;
  guint64 n, underflow, overflow, nan, inf;
} Expected;

static void
expect_sample (Expected * expected, const Sound * sound, gdouble x)
{
  const gboolean is_float = sound->format->sample.kind == HISTO_AUDIO_FLOAT;

  expected->n++;
  if (isnan (x)) {
    expected->nan++;
    return;
  }
  if (isinf (x)) {
    expected->inf++;
  } else if (is_float) {
    long_sum_add (&expected->float_sum, x);
    long_sum_add (&expected->float_squares, (long double) x * x);
    expected->float_min = MIN (expected->float_min, x);
    expected->float_max = MAX (expected->float_max, x);
  } else {
    const gint64 value = (gint64) x;

    expected->sum += value;
    expected->squares += (ReferenceUint128) ((ReferenceInt128) value * value);
    expected->min = MIN (expected->min, value);
    expected->max = MAX (expected->max, value);
  }
  if (x < sound->binning.range_min)
    expected->underflow++;
  else if (x >= sound->binning.range_max)
    expected->overflow++;
  else
    expected->counters[reference_bin_of (sound->edges, sound->binning.n_bins,
            x)]++;
}

/* @values: the channel's samples, as doubles */
static void
expect_channel (Expected * expected, const Sound * sound,
    const gdouble * values)
{
  memset (expected, 0, sizeof *expected);
  expected->counters = g_new0 (guint32, sound->binning.n_bins);
  expected->min = G_MAXINT64;
  expected->max = G_MININT64;
  expected->float_min = INFINITY;
  expected->float_max = -INFINITY;
  for (guint64 i = 0; i < sound->n_samples; i++)
    expect_sample (expected, sound, values[i]);
}

/* The pair (sum, what it lacks) against the long sum. Sums that overflow anywhere, in one
 * order or another, are only asked to say so where each order does. */
static gboolean
check_float_sum (CheckCase * c, const gchar * what, const gdouble * pair,
    const LongSum * sum, gboolean is_positive, guint64 n)
{
  const long double expected = sum->sum + sum->lost;
  /* An error of 2^-100 for each step, and what denormal squares lose. */
  const long double tolerance = 1e-12L * fabsl (expected)
      + 0x1p-100L * n * sum->magnitude + n * 0x1p-1073L;

  if (sum->magnitude >= DBL_MAX) {
    return !is_positive || isinf (pair[0])
        || check_fail (c, "the sum of the %s is %.17g, not infinite", what,
        pair[0]);
  }
  return fabsl ((long double) pair[0] + pair[1] - expected) <= tolerance
      || check_fail (c, "the sum of the %s is %.17g + %.17g, not %.20Lg", what,
      pair[0], pair[1], expected);
}

#define CHECK_TOTAL(field, value, as) \
  (totals->field == (value) \
      || check_fail (c, #field " is %" as ", not %" as, totals->field, (value)))

static gboolean
check_totals (CheckCase * c, const HistoTotals * totals,
    const Expected * expected, gboolean is_float)
{
  const ReferenceUint128 squares = ((ReferenceUint128) totals->square_high << 32)
      + totals->square_low;

  return CHECK_TOTAL (underflow, expected->underflow, G_GUINT64_FORMAT)
      && CHECK_TOTAL (overflow, expected->overflow, G_GUINT64_FORMAT)
      && CHECK_TOTAL (nan, expected->nan, G_GUINT64_FORMAT)
      && CHECK_TOTAL (inf, expected->inf, G_GUINT64_FORMAT)
      && CHECK_TOTAL (sum, expected->sum, G_GINT64_FORMAT)
      && CHECK_TOTAL (min, expected->min, G_GINT64_FORMAT)
      && CHECK_TOTAL (max, expected->max, G_GINT64_FORMAT)
      && CHECK_TOTAL (float_min, expected->float_min, ".17g")
      && CHECK_TOTAL (float_max, expected->float_max, ".17g")
      && (squares == expected->squares
      || check_fail (c, "the sum of the squares is %.20g, not %.20g",
          (gdouble) squares, (gdouble) expected->squares))
      && check_float_sum (c, "samples", totals->float_sum,
      &expected->float_sum, FALSE, expected->n)
      && check_float_sum (c, "squares", totals->float_square,
      &expected->float_squares, is_float, expected->n);
}

/* @values: as in expect_channel() */
static gboolean
channel_is_right (CheckCase * c, const Launch * launch, guint channel,
    const gdouble * values)
{
  const Sound *sound = launch->sound;
  const guint n_bins = sound->binning.n_bins;
  Expected expected;
  gboolean ok;

  expect_channel (&expected, sound, values);
  ok = check_equal_counters (c, "the channel",
      (guint32 *) launch->counters.host + (gsize) channel * n_bins,
      expected.counters, n_bins)
      && check_totals (c, (HistoTotals *) launch->totals.host + channel,
      &expected, sound->format->sample.kind == HISTO_AUDIO_FLOAT);
  if (!ok)
    check_fail (c, "in channel %u", channel);
  g_free (expected.counters);
  return ok;
}

static gboolean
memory_is_right (CheckCase * c, const Launch * launch)
{
  check_device_wait ();
  return (check_result_intact (&launch->counters)
      && check_result_intact (&launch->totals)
      ? TRUE : check_fail (c, "the memory around a result was written to"))
      && check_is_zero (c, "the scratch memory", launch->scratch,
      launch->scratch_size);
}

/* The reference steps forward only; reading backwards is done a sample at a time. */
static void
read_channel (const Sound * sound, guint channel, gdouble * values)
{
  const GstAudioFormat format = GST_AUDIO_INFO_FORMAT (&sound->format->audio);

  for (guint64 i = 0; i < sound->n_samples; i++)
    reference_audio_samples (format, sample_at (sound, channel, i), 1,
        sound->format->sample.bytes, &values[i]);
}

static gboolean
launch_is_right (CheckCase * c, const Launch * launch)
{
  const Sound *sound = launch->sound;
  gdouble *values = g_new (gdouble, sound->n_samples + 1);
  gboolean ok = memory_is_right (c, launch);

  for (guint i = 0; ok && i < sound->format->n_components; i++) {
    read_channel (sound, i, values);
    ok = channel_is_right (c, launch, i, values);
  }
  g_free (values);
  if (!ok)
    describe (c, launch);
  return ok;
}

/* ---- Formats -------------------------------------------------------------------------------- */

static guint
random_channels (void)
{
  static const guint usual[] = { 1, 1, 2, 2, 3, 5, 6, 8, 16, 31, 32, 33, 64 };

  if (check_chance (12))
    return check_random_range (1, check_device.is_simulated ? 100 : 700);
  return usual[check_random (G_N_ELEMENTS (usual))];
}

static guint64
random_n_samples (guint channels)
{
  const guint most = 60000 / channels + 1;

  switch (check_random (8)) {
    case 0:
      return check_random (4);
    case 1:
      return check_random (MIN (most, 1000));
    case 2:
      return check_random (most);
    default:
      return check_random (most / 6 + 1);
  }
}

static void
sound_init (Sound * sound, GstAudioFormat format)
{
  const guint channels = random_channels ();
  HistoBinSettings bins;

  memset (sound, 0, sizeof *sound);
  sound->format = new_format (format, channels);
  sound->n_samples = random_n_samples (channels);
  bins = random_bins (sound->format);
  choose_bins (sound, &bins);
  choose_strides (sound);
  allocate (sound);
  sound_fill (sound);
}

static CheckOutcome
run_format (CheckCase * c)
{
  HistoDeviceLimits limits = check_random_limits ();
  Launch launch;
  Sound sound;
  gboolean ok;

  sound_init (&sound, GPOINTER_TO_UINT (c->data));
  launch_init (&launch, &sound, &limits);
  launch_once (&launch);
  if (check_chance (4))
    launch_once (&launch);
  ok = launch_is_right (c, &launch);
  launch_clear (&launch);
  sound_clear (&sound);
  return ok ? CHECK_OK : CHECK_FAILED;
}

/* ---- Sizes ------------------------------------------------------------------------------------ */

/* More than 4 G bytes from the first sample to the last, or from channel to channel; only
 * the samples are filled. */
static CheckOutcome
run_far_samples (CheckCase * c)
{
  static const GstAudioFormat formats[] = {
    GST_AUDIO_FORMAT_S16LE, GST_AUDIO_FORMAT_F32LE, GST_AUDIO_FORMAT_S24BE,
    GST_AUDIO_FORMAT_F64BE
  };
  const gboolean by_channel = c->number % 2 == 1;
  HistoDeviceLimits limits = check_random_limits ();
  HistoBinSettings bins = { 0, 0, 0 };
  const guint channels = by_channel ? 4 : 2, n = by_channel ? 700 : 6;
  const gint64 far = G_GINT64_CONSTANT (1200000000);
  const gsize size = far * 5 + 8192;
  gdouble *values = g_new (gdouble, n);
  gboolean ok = TRUE;
  Launch launch;
  Sound sound;

  if (check_device_free_memory () < size + (size >> 4)) {
    g_free (values);
    return CHECK_SKIPPED;
  }
  /* Filled close to each other, then spread. */
  memset (&sound, 0, sizeof sound);
  sound.format = new_format (formats[c->number % G_N_ELEMENTS (formats)],
      channels);
  sound.n_samples = n;
  sound.sample_stride = sound.format->sample.bytes;
  sound.channel_stride = sound.sample_stride * n;
  choose_bins (&sound, &bins);
  allocate (&sound);
  sound_fill (&sound);
  check_free (sound.device);

  sound.device = check_alloc (size);
  for (guint channel = 0; channel < channels; channel++) {
    for (guint i = 0; i < n; i++)
      check_copy_to (sound.device + sound.first + (by_channel ?
              channel * far + i * sound.format->sample.bytes :
              i * far + channel * sound.format->sample.bytes),
          sample_at (&sound, channel, i), sound.format->sample.bytes);
  }
  check_device_wait ();

  launch_init (&launch, &sound, &limits);
  {
    Sound spread = sound;

    spread.channel_stride = by_channel ? far : sound.format->sample.bytes;
    spread.sample_stride = by_channel ? sound.format->sample.bytes : far;
    launch.sound = &spread;
    launch_once (&launch);
    launch.sound = &sound;
    ok = launch_is_right (c, &launch);
  }
  launch_clear (&launch);
  sound_clear (&sound);
  g_free (values);
  return ok ? CHECK_OK : CHECK_FAILED;
}

/* As many channels as there may be; fewer, but many, on the mock, which takes long for
 * blocks. */
static CheckOutcome
run_many_channels (CheckCase * c)
{
  HistoDeviceLimits limits = check_random_limits ();
  HistoBinSettings bins = { c->number % 3 == 0 ? 1 : 5, 0, 0 };
  Launch launch;
  Sound sound;
  gboolean ok;

  memset (&sound, 0, sizeof sound);
  sound.format = new_format (c->number % 2 ? GST_AUDIO_FORMAT_F32LE :
      GST_AUDIO_FORMAT_S16BE, c->number < 2 && !check_device.is_simulated ? HISTO_MAX_CHANNELS :
      check_random_range (513, 600));
  sound.n_samples = check_random (20);
  choose_bins (&sound, &bins);
  choose_strides (&sound);
  allocate (&sound);
  sound_fill (&sound);
  launch_init (&launch, &sound, &limits);
  launch_once (&launch);
  ok = launch_is_right (c, &launch);
  launch_clear (&launch);
  sound_clear (&sound);
  return ok ? CHECK_OK : CHECK_FAILED;
}

/* ---- The same again ----------------------------------------------------------------------------- */

/* Every launch gives the same bits, floats' too, whatever the order of its threads. */
static CheckOutcome
run_repeats (CheckCase * c)
{
  static const GstAudioFormat formats[] = {
    GST_AUDIO_FORMAT_F32LE, GST_AUDIO_FORMAT_F64LE, GST_AUDIO_FORMAT_F32BE,
    GST_AUDIO_FORMAT_F64BE, GST_AUDIO_FORMAT_S16LE, GST_AUDIO_FORMAT_S24LE,
  };
  HistoDeviceLimits limits = check_random_limits ();
  gpointer counters, totals;
  gboolean ok;
  Launch launch;
  Sound sound;

  sound_init (&sound, formats[c->number % G_N_ELEMENTS (formats)]);
  launch_init (&launch, &sound, &limits);
  launch_once (&launch);
  ok = launch_is_right (c, &launch);
  counters = g_memdup2 (launch.counters.host, launch.counters.size);
  totals = g_memdup2 (launch.totals.host, launch.totals.size);
  for (guint i = 1; ok && i < c->repeats; i++) {
    check_device_set_schedule (i);
    check_result_poison (&launch.counters);
    check_result_poison (&launch.totals);
    launch_once (&launch);
    ok = memory_is_right (c, &launch)
        && (memcmp (counters, launch.counters.host, launch.counters.size) == 0
        || check_fail (c, "other counters in launch %u", i))
        && (memcmp (totals, launch.totals.host, launch.totals.size) == 0
        || check_fail (c, "other totals in launch %u", i));
    if (!ok)
      describe (c, &launch);
  }
  g_free (counters);
  g_free (totals);
  launch_clear (&launch);
  sound_clear (&sound);
  return ok ? CHECK_OK : CHECK_FAILED;
}

/* ---- Timing -------------------------------------------------------------------------------------- */

typedef struct
{
  Sound sound;
  Launch launch;
} Bench;

static gpointer
bench_new (gconstpointer data, guint64 * bytes)
{
  HistoBinSettings bins = { 0, 0, 0 };
  Bench *bench = g_new0 (Bench, 1);
  Sound *sound = &bench->sound;

  sound->format = new_format (GPOINTER_TO_UINT (data), 2);
  sound->n_samples = check_device.is_simulated ? 1000 : 4800000;
  sound->channel_stride = sound->format->sample.bytes;
  sound->sample_stride = 2 * sound->channel_stride;
  choose_bins (sound, &bins);
  allocate (sound);
  for (guint channel = 0; channel < 2; channel++)
    fill_channel (sound, channel, SOUND_USUAL);
  check_copy_to (sound->device, sound->host, sound->size);
  launch_init (&bench->launch, sound, &check_device.kernels.limits);
  *bytes = 2 * sound->n_samples * sound->format->sample.bytes;
  return bench;
}

static void
bench_launch (gpointer data)
{
  launch_once (&((Bench *) data)->launch);
}

static void
bench_free (gpointer data)
{
  Bench *bench = data;

  launch_clear (&bench->launch);
  sound_clear (&bench->sound);
  g_free (bench);
}

/* ---- All of them ---------------------------------------------------------------------------------- */

void
check_add_audio_tests (void)
{
  static const CheckTest others[] = {
    {.name = (gchar *) "audio.far-samples", .n_cases = 4, .run = run_far_samples},
    {.name = (gchar *) "audio.many-channels", .n_cases = 3, .run = run_many_channels},
    {.name = (gchar *) "audio.repeats", .n_cases = 12, .run = run_repeats},
  };
  guint n;
  const GstAudioFormat *formats = gst_audio_formats_raw (&n);

  for (guint i = 0; i < n; i++) {
    CheckTest test = {
      .name = g_strdup_printf ("audio.%s",
          gst_audio_format_to_string (formats[i])),
      .n_cases = 16, .run = run_format, .bench_new = bench_new,
      .bench_launch = bench_launch, .bench_free = bench_free,
      .data = GUINT_TO_POINTER (formats[i]),
    };

    check_add_test (&test);
  }
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    check_add_test (&others[i]);
}
