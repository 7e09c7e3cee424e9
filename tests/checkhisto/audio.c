/* Tests of the kernels that measure audio.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "checkhisto.h"

#include <string.h>

#include "sound.h"

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

/* ---- What it must leave ----------------------------------------------------------- */

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

static gboolean
launch_is_right (CheckCase * c, const Launch * launch)
{
  const Sound *sound = launch->sound;
  gdouble *values = g_new (gdouble, sound->n_samples + 1);
  gboolean ok = memory_is_right (c, launch);

  for (guint i = 0; ok && i < sound->format->n_components; i++) {
    sound_read_channel (sound, i, values);
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
  sound->format = sound_format (format, channels);
  sound->n_samples = random_n_samples (channels);
  bins = sound_random_bins (sound->format);
  sound_set_bins (sound, &bins);
  sound_choose_strides (sound);
  sound_allocate (sound);
  sound_fill (sound, N_SOUNDS);
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
  gboolean ok = TRUE;
  Launch launch;
  Sound sound;

  if (check_device_free_memory () < size + (size >> 4))
    return CHECK_SKIPPED;
  /* Filled close to each other, then spread. */
  memset (&sound, 0, sizeof sound);
  sound.format = sound_format (formats[c->number % G_N_ELEMENTS (formats)],
      channels);
  sound.n_samples = n;
  sound.sample_stride = sound.format->sample.bytes;
  sound.channel_stride = sound.sample_stride * n;
  sound_set_bins (&sound, &bins);
  sound_allocate (&sound);
  sound_fill (&sound, N_SOUNDS);
  check_free (sound.device);

  sound.device = check_alloc (size);
  for (guint channel = 0; channel < channels; channel++) {
    for (guint i = 0; i < n; i++)
      check_copy_to (sound.device + sound.first + (by_channel ?
              channel * far + i * sound.format->sample.bytes :
              i * far + channel * sound.format->sample.bytes),
          sound_sample (&sound, channel, i), sound.format->sample.bytes);
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
  sound.format = sound_format (c->number % 2 ? GST_AUDIO_FORMAT_F32LE :
      GST_AUDIO_FORMAT_S16BE, c->number < 2 && !check_device.is_simulated ? HISTO_MAX_CHANNELS :
      check_random_range (513, 600));
  sound.n_samples = check_random (20);
  sound_set_bins (&sound, &bins);
  sound_choose_strides (&sound);
  sound_allocate (&sound);
  sound_fill (&sound, N_SOUNDS);
  launch_init (&launch, &sound, &limits);
  launch_once (&launch);
  ok = launch_is_right (c, &launch);
  launch_clear (&launch);
  sound_clear (&sound);
  return ok ? CHECK_OK : CHECK_FAILED;
}

/* As many bins as there may be: counters of which shared memory has few copies, or none, in
 * one block or in many. */
static CheckOutcome
run_many_bins (CheckCase * c)
{
  static const guint bins[] = { 65536, 65535, 20000, 12000 };
  static const guint multiprocessors[] = { 1, 4 };
  const HistoBinSettings settings = { bins[c->number / 2 % 4], 0, 0 };
  HistoDeviceLimits limits = check_limits (90,
      multiprocessors[c->number % 2], c->number < 8 ? 64 * 1024 : 227 * 1024);
  Launch launch;
  Sound sound;
  gboolean ok;

  memset (&sound, 0, sizeof sound);
  sound.format = sound_format (c->number % 3 ? GST_AUDIO_FORMAT_F32LE :
      GST_AUDIO_FORMAT_S24LE, check_random_range (1, 3));
  sound.n_samples = c->number % 2 ? 20000 : 2000;
  sound_set_bins (&sound, &settings);
  sound_choose_strides (&sound);
  sound_allocate (&sound);
  sound_fill (&sound, N_SOUNDS);
  launch_init (&launch, &sound, &limits);
  launch_once (&launch);
  ok = launch_is_right (c, &launch);
  launch_clear (&launch);
  sound_clear (&sound);
  return ok ? CHECK_OK : CHECK_FAILED;
}

/* Each content by itself, in bins that fit it and in bins that do not. */
static CheckOutcome
run_contents (CheckCase * c)
{
  static const GstAudioFormat formats[] = {
    GST_AUDIO_FORMAT_F32LE, GST_AUDIO_FORMAT_F64BE, GST_AUDIO_FORMAT_S16LE,
    GST_AUDIO_FORMAT_U32BE,
  };
  static const HistoBinSettings settings[] = {
    {0, 0, 0}, {1000, -0.3, 0.7}, {300, 0.1, 1}, {77, 0, 0}, {7, 0.5, 0.5 + 0x1p-52}
  };
  HistoDeviceLimits limits = check_random_limits ();
  Launch launch;
  Sound sound;
  gboolean ok;

  memset (&sound, 0, sizeof sound);
  sound.format = sound_format (formats[c->number % 4], check_random_range (1,
          2));
  sound.n_samples = check_random_range (1000, 3000);
  sound_set_bins (&sound, &settings[check_random (G_N_ELEMENTS (settings))]);
  sound_choose_strides (&sound);
  sound_allocate (&sound);
  sound_fill (&sound, c->number / 4);
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

  sound->format = sound_format (GPOINTER_TO_UINT (data), 2);
  sound->n_samples = check_device.is_simulated ? 1000 : 4800000;
  sound->channel_stride = sound->format->sample.bytes;
  sound->sample_stride = 2 * sound->channel_stride;
  sound_set_bins (sound, &bins);
  sound_allocate (sound);
  for (guint channel = 0; channel < 2; channel++)
    sound_fill_channel (sound, channel, SOUND_USUAL);
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
    {.name = (gchar *) "audio.many-bins", .n_cases = 16, .all_cases = TRUE,
        .run = run_many_bins},
    {.name = (gchar *) "audio.contents", .n_cases = 4 * N_SOUNDS,
        .all_cases = TRUE, .run = run_contents},
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
