/* Tests of the kernels that measure audio.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "checkhisto.h"

#include <math.h>
#include <string.h>

#include "engine/cuda/tuning.h"
#include "sound.h"

/* ---- A launch --------------------------------------------------------------------------------- */

/* Of sounds that are alike. */
typedef struct
{
  const Sound *sounds;
  guint n_sounds;
  HistoCudaKernels kernels;     /* with the limits of the case */
  CheckResult counters[HISTO_MAX_GATHERED], totals[HISTO_MAX_GATHERED];
  CUdeviceptr scratch, partials;
  gsize scratch_size;
  HistoAudioLaunch parameters;  /* the last one */
  gboolean is_gathered;         /* all sounds had one launch */
} Launch;

/* For each third case the last block ends the launch. */
static guint
last_block_counters_of (const CheckCase * c)
{
  return c->number % 3 == 2 ? G_MAXINT : 0;
}

static void
launch_init (Launch * launch, const Sound * sounds, guint n_sounds,
    const HistoCudaLimits * limits, guint last_block_counters)
{
  const guint channels = sounds->format->n_components;
  const guint n_bins = sounds->binning.n_bins;

  launch->sounds = sounds;
  launch->n_sounds = n_sounds;
  launch->kernels = check_device.kernels;
  launch->kernels.limits = *limits;
  histo_cuda_tuning_force ("audio_last_block_counters",
      last_block_counters);
  launch->scratch_size =
      histo_cuda_plan_audio_scratch (channels, n_bins);
  launch->scratch = check_alloc_zeroed (launch->scratch_size);
  launch->partials =
      check_alloc_poisoned (histo_cuda_plan_audio_partials
          (&launch->kernels.limits, channels, n_bins));
  for (guint i = 0; i < n_sounds; i++) {
    check_result_init (&launch->counters[i],
        (gsize) channels * n_bins * sizeof (guint32));
    check_result_init (&launch->totals[i], channels * sizeof (HistoTotals));
  }
  check_device_wait ();
}

static void
launch_clear (Launch * launch)
{
  check_device_wait ();
  check_free (launch->scratch);
  check_free (launch->partials);
  for (guint i = 0; i < launch->n_sounds; i++) {
    check_result_clear (&launch->counters[i]);
    check_result_clear (&launch->totals[i]);
  }
}

/* n of the sounds, from the one that is the first; FALSE if they are too large for that. */
static gboolean
launch_some (Launch * launch, guint first, guint n)
{
  const Sound *alike = launch->sounds;
  HistoAudioLaunch parameters = {
    .n_buffers = n,
    .sample_stride = alike->sample_stride,
    .n_channels = alike->format->n_components,
    .sample = alike->format->sample,
    .binning = alike->binning,
    .scratch = launch->scratch,
    .partials = launch->partials,
  };
  GError *error = NULL;

  for (guint i = 0; i < n; i++) {
    const Sound *sound = &launch->sounds[first + i];

    parameters.buffers[i] = (HistoAudioBuffer) {
      sound->device + sound->first, sound->channel_stride, sound->n_samples,
      launch->counters[first + i].device, launch->totals[first + i].device
    };
  }
  launch->is_gathered = histo_cuda_launch_audio (&launch->kernels, &parameters,
      check_device.stream, &error);
  launch->parameters = parameters;
  if (!launch->is_gathered && n == 1)
    g_error ("%s", error->message);
  g_clear_error (&error);
  return launch->is_gathered;
}

static void
launch_once (Launch * launch)
{
  if (launch_some (launch, 0, launch->n_sounds))
    return;
  for (guint i = 0; i < launch->n_sounds; i++)
    launch_some (launch, i, 1);
  launch->is_gathered = FALSE;
}

static void
describe (CheckCase * c, const Launch * launch)
{
  const Sound *sound = launch->sounds;
  const HistoCudaLimits *limits = &launch->kernels.limits;
  const HistoAudioLaunch *parameters = &launch->parameters;

  g_string_append_printf (c->text,
      "\n      sm_%d, %d multiprocessors, %d bytes of shared memory"
      "\n      %s, %u channels, %u buffers%s, samples %" G_GINT64_FORMAT
      " bytes apart, %u bins (kind %u) from %.17g to %.17g"
      "\n      path %u, %u blocks, 2^%u or %u copies, tables %d, last block %d",
      limits->compute_capability, limits->n_multiprocessors,
      limits->shared_memory_per_block, histo_format_name (sound->format),
      sound->format->n_components, launch->n_sounds,
      launch->is_gathered ? " at once" : "", sound->sample_stride,
      sound->binning.n_bins, sound->binning.kind, sound->binning.range_min,
      sound->binning.range_max, parameters->path, parameters->n_blocks,
      parameters->copies_log2, parameters->n_copies, parameters->tables != 0, parameters->ticket != 0);
  for (guint i = 0; i < launch->n_sounds; i++, sound++)
    g_string_append_printf (c->text,
        "\n      buffer %u: %" G_GUINT64_FORMAT " samples, channels %"
        G_GINT64_FORMAT " bytes apart, data %% 16 = %u", i, sound->n_samples,
        sound->channel_stride, (guint) ((sound->device + sound->first) % 16));
}

/* ---- The check of a launch ----------------------------------------------------------- */

/* The pair (sum, what it lacks) against the long sum. Sums that overflow anywhere, in one
 * order or another, are only asked to say so where each order does. */
static gboolean
check_float_sum (CheckCase * c, const gchar * what, const gdouble * pair,
    const ReferenceSum * sum, gboolean is_positive, guint64 n)
{
  const long double expected = sum->sum + sum->correction;
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

/* Extremes of the other kind, or without samples, are where they began. */
static gboolean
check_totals (CheckCase * c, const HistoTotals * totals,
    const ReferenceTotals * expected, gboolean is_float)
{
  const gboolean has_floats = is_float && expected->n_finite > 0;
  const gboolean has_integers = !is_float && expected->n_finite > 0;
  const ReferenceUint128 squares = ((ReferenceUint128) totals->square_high << 32)
      + totals->square_low;

  return CHECK_TOTAL (underflow, expected->underflow, G_GUINT64_FORMAT)
      && CHECK_TOTAL (overflow, expected->overflow, G_GUINT64_FORMAT)
      && CHECK_TOTAL (nan, expected->nan, G_GUINT64_FORMAT)
      && CHECK_TOTAL (inf, expected->inf, G_GUINT64_FORMAT)
      && CHECK_TOTAL (sum, (gint64) expected->sum, G_GINT64_FORMAT)
      && CHECK_TOTAL (min, has_integers ? (gint64) expected->min : G_MAXINT64, G_GINT64_FORMAT)
      && CHECK_TOTAL (max, has_integers ? (gint64) expected->max : G_MININT64, G_GINT64_FORMAT)
      && CHECK_TOTAL (float_min, has_floats ? expected->min : INFINITY, ".17g")
      && CHECK_TOTAL (float_max, has_floats ? expected->max : -INFINITY, ".17g")
      && (squares == expected->squares
      || check_fail (c, "the sum of the squares is %.20g, not %.20g",
          (gdouble) squares, (gdouble) expected->squares))
      && check_float_sum (c, "samples", totals->float_sum,
      &expected->float_sum, FALSE, expected->n_finite)
      && check_float_sum (c, "squares", totals->float_square,
      &expected->float_squares, is_float, expected->n_finite);
}

#undef CHECK_TOTAL

/* @values: from sound_read_channel() */
static gboolean
channel_is_right (CheckCase * c, const Launch * launch, guint number,
    guint channel, const gdouble * values)
{
  const Sound *sound = &launch->sounds[number];
  const guint n_bins = sound->binning.n_bins;
  const gboolean is_float = sound->format->sample.kind == HISTO_AUDIO_FLOAT;
  guint32 *counters = g_new (guint32, n_bins);
  ReferenceTotals expected;
  gboolean ok;

  reference_audio_totals (values, sound->n_samples, is_float, sound->edges,
      n_bins, &expected);
  for (guint i = 0; i < n_bins; i++)
    counters[i] = expected.histogram[i];
  ok = check_equal_counters (c, "the channel",
      (guint32 *) launch->counters[number].host + (gsize) channel * n_bins,
      counters, n_bins)
      && check_totals (c, (HistoTotals *) launch->totals[number].host + channel,
      &expected, is_float);
  if (!ok)
    check_fail (c, "in channel %u of buffer %u", channel, number);
  g_free (expected.histogram);
  g_free (counters);
  return ok;
}

static gboolean
memory_is_right (CheckCase * c, const Launch * launch)
{
  check_device_wait ();
  for (guint i = 0; i < launch->n_sounds; i++) {
    if (!check_result_intact (&launch->counters[i])
        || !check_result_intact (&launch->totals[i]))
      return check_fail (c, "the memory around a result was written to");
  }
  return check_is_zero (c, "the scratch memory", launch->scratch,
      launch->scratch_size);
}

static gboolean
launch_is_right (CheckCase * c, const Launch * launch)
{
  gboolean ok = memory_is_right (c, launch);

  for (guint number = 0; ok && number < launch->n_sounds; number++) {
    const Sound *sound = &launch->sounds[number];
    gdouble *values = g_new (gdouble, sound->n_samples + 1);

    for (guint i = 0; ok && i < sound->format->n_components; i++) {
      sound_read_channel (sound, i, values);
      ok = channel_is_right (c, launch, number, i, values);
    }
    g_free (values);
  }
  if (!ok)
    describe (c, launch);
  return ok;
}

/* Sounds that are alike, under some limits: launched once, or twice in a row; and freed.
 * @must_gather: they are so small that one launch is enough */
static CheckOutcome
check_sounds (CheckCase * c, Sound * sounds, guint n_sounds,
    const HistoCudaLimits * limits, gboolean must_gather)
{
  Launch launch;
  gboolean ok;

  launch_init (&launch, sounds, n_sounds, limits, last_block_counters_of (c));
  launch_once (&launch);
  if (check_chance (4))
    launch_once (&launch);
  ok = launch_is_right (c, &launch);
  if (ok && must_gather && !launch.is_gathered) {
    ok = check_fail (c, "not by one launch");
    describe (c, &launch);
  }
  launch_clear (&launch);
  for (guint i = n_sounds; i-- > 0;)
    sound_clear (&sounds[i]);
  return ok ? CHECK_OK : CHECK_FAILED;
}

/* ---- Formats -------------------------------------------------------------------------------- */

static guint
random_channels (void)
{
  static const guint usual[] = { 1, 1, 2, 2, 3, 5, 6, 8, 16, 31, 32, 33, 64 };

  if (check_device.is_slow)
    return check_random_range (1, 3);
  if (check_chance (12))
    return check_random_range (1, check_device.is_simulated ? 100 : 700);
  return usual[check_random (G_N_ELEMENTS (usual))];
}

static guint64
random_n_samples (guint channels)
{
  const guint most = (check_device.is_slow ? 20000 : 60000) / channels + 1;

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

/* More sounds like the first, each with another length, of up to `most`, and place. */
static void
add_sounds (Sound * sounds, guint n_sounds, guint64 most)
{
  for (guint i = 1; i < n_sounds; i++) {
    sound_init_alike (&sounds[i], &sounds[0]);
    sounds[i].n_samples = check_chance (5) ? 0 : check_random (most + 1);
    sound_choose_channel_stride (&sounds[i]);
    sound_allocate (&sounds[i]);
    sound_fill (&sounds[i], N_SOUNDS);
  }
}

static CheckOutcome
run_format (CheckCase * c)
{
  HistoCudaLimits limits = check_random_limits ();
  const guint n = check_chance (3) ? check_random_range (2, 5) : 1;
  Sound sounds[5];

  sound_init (&sounds[0], GPOINTER_TO_UINT (c->data));
  add_sounds (sounds, n, sounds[0].n_samples);
  return check_sounds (c, sounds, n, &limits, FALSE);
}

/* ---- By vectors ---------------------------------------------------------------------------------- */

static GstAudioFormat
random_vector_format (void)
{
  static const GstAudioFormat formats[] = {
    GST_AUDIO_FORMAT_F32LE, GST_AUDIO_FORMAT_F32BE, GST_AUDIO_FORMAT_S16LE,
    GST_AUDIO_FORMAT_S16BE,
  };

  return formats[check_random (G_N_ELEMENTS (formats))];
}

/* Whole powers of two, on their grid: all that the format can be, a part of it, more, or
 * none. */
static HistoBinSettings
random_vector_bins (const HistoFormat * format)
{
  const gdouble half =
      format->sample.kind == HISTO_AUDIO_FLOAT ? 1 : ldexp (1, 15);
  const gdouble ranges[][2] = {
    {-half, half}, {-half, half}, {-half, half}, {-half, half},
    {-half / 2, half / 2}, {half / 4, half / 2}, {0, half}, {-half, 0},
    {-2 * half, 2 * half}, {half, 2 * half}, {-2 * half, -half},
    {2 * half, 4 * half}, {-4 * half, -2 * half}, {-half / 4, 3 * half / 4},
  };
  const gdouble *range = ranges[check_random (G_N_ELEMENTS (ranges))];
  HistoBinSettings settings = {
    1u << check_random (check_device.is_slow ? 7 :
        format->n_components > 4 ? 8 : 13), range[0], range[1]
  };

  /* No power of two of them, but bins that are. */
  if (check_chance (6)) {
    settings.bins = check_random_range (1, 100);
    settings.range_max = range[0] + settings.bins * half / 128;
  }
  return settings;
}

/* Channels that repeat within a warp, and others. */
static guint
random_vector_channels (void)
{
  static const guint usual[] = {
    1, 1, 1, 2, 2, 2, 3, 4, 4, 5, 6, 8, 8, 12, 16, 20, 24, 31, 32, 33, 64, 128
  };

  return usual[check_random (check_device.is_slow ? 9 :
          G_N_ELEMENTS (usual))];
}

/* Now and then so many for one multiprocessor that all the loads are on their way again and
 * again. */
static CheckOutcome
run_vectors (CheckCase * c)
{
  HistoCudaLimits limits = check_chance (2) ? check_random_limits ()
      : check_limits (90, check_random_range (1, 3), 227 * 1024);
  const guint channels = random_vector_channels ();
  const guint most = (check_chance (4)
      && !check_device.is_slow ? 150000 : 30000) / channels;
  HistoBinSettings bins;
  Sound sound = { NULL };

  sound.format = sound_format (random_vector_format (), channels);
  sound.n_samples = check_chance (4) ? check_random (64) : check_random (most);
  sound.is_aligned = TRUE;
  bins = random_vector_bins (sound.format);
  sound_set_bins (&sound, &bins);
  sound_set_dense_strides (&sound, check_chance (3));
  sound_allocate (&sound);
  sound_fill (&sound, check_chance (3) ? SOUND_USUAL : N_SOUNDS);
  return check_sounds (c, &sound, 1, &limits, FALSE);
}

/* Rows of many channels, which the second launch adds up in tiles, where their number allows:
 * whole ones, and such as the rows do not fill. */
static CheckOutcome
run_tiles (CheckCase * c)
{
  static const guint channels[] = { 16, 24, 12, 64 };
  static const guint bins[] = { 28, 29, 256 };
  /* One in three of all cases has its sums from the last block. */
  const guint number = c->number / 3, n_channels = channels[number % 4];
  const gboolean is_float = number / 4 % 2;
  const gdouble half = is_float ? 1 : 32768;
  HistoBinSettings settings = { bins[number / 8], -half, 0 };
  HistoCudaLimits limits = check_limits (90, 3, 227 * 1024);
  Sound sound = { NULL };

  /* By vectors: widths are powers of two. */
  settings.range_max = -half + settings.bins * half / 128;
  sound.format = sound_format (is_float ? GST_AUDIO_FORMAT_F32LE :
      GST_AUDIO_FORMAT_S16BE, n_channels);
  sound.n_samples = 30000 / n_channels;
  sound.is_aligned = TRUE;
  sound_set_bins (&sound, &settings);
  sound_set_dense_strides (&sound, FALSE);
  sound_allocate (&sound);
  sound_fill (&sound, SOUND_USUAL);
  return check_sounds (c, &sound, 1, &limits, FALSE);
}

/* Each kernel with so much for its one block that the ring of loads goes round again; those of
 * floats (the first N_FLOAT_VECTORS) once more with batches of too many magnitudes, and with
 * such that have no sum. */
#define N_FLOAT_VECTORS 3

static CheckOutcome
run_long_vectors (CheckCase * c)
{
  static const struct
  {
    GstAudioFormat format;
    guint channels, bins, kernel;
  } cases[] = {
    {GST_AUDIO_FORMAT_F32LE, 1, 256, HISTO_VECTOR_KERNEL_float_1},
    {GST_AUDIO_FORMAT_F32BE, 2, 256, HISTO_VECTOR_KERNEL_float_2},
    {GST_AUDIO_FORMAT_F32LE, 6, 64, HISTO_VECTOR_KERNEL_float_4},
    {GST_AUDIO_FORMAT_S16LE, 1, 4096, HISTO_VECTOR_KERNEL_short_1},
    {GST_AUDIO_FORMAT_S16BE, 2, 4096, HISTO_VECTOR_KERNEL_short_2},
    {GST_AUDIO_FORMAT_S16LE, 5, 256, HISTO_VECTOR_KERNEL_short_4},
    {GST_AUDIO_FORMAT_S16BE, 1, 256, HISTO_VECTOR_KERNEL_short_1},
    {GST_AUDIO_FORMAT_S16LE, 2, 512, HISTO_VECTOR_KERNEL_short_2},
    {GST_AUDIO_FORMAT_S16BE, 4, 256, HISTO_VECTOR_KERNEL_short_4},
    {GST_AUDIO_FORMAT_S16LE, 1, 4096, HISTO_VECTOR_KERNEL_short_1},
    {GST_AUDIO_FORMAT_S16BE, 2, 4096, HISTO_VECTOR_KERNEL_short_2},
    {GST_AUDIO_FORMAT_S16LE, 4, 1024, HISTO_VECTOR_KERNEL_short_4},
  };
  static const SoundContent contents[] = {
    SOUND_USUAL, SOUND_WIDE, SOUND_SPECIAL
  };
  const guint n = G_N_ELEMENTS (cases);
  const guint again = c->number < n ? 0 : c->number - n;
  const guint number = c->number < n ? c->number : again % N_FLOAT_VECTORS;
  const SoundContent content =
      contents[c->number < n ? 0 : 1 + again / N_FLOAT_VECTORS];
  HistoCudaLimits limits = check_limits (90, 1, 227 * 1024);
  HistoBinSettings bins = { cases[number].bins, 0, 0 };
  const gboolean is_part = number >= 3 && number < 6;
  HistoCudaAudioPlan plan;
  HistoAudioLaunch parameters;
  Sound sound = { NULL };

  /* Not each has a smaller device. */
  if (limits.shared_memory_per_block < 227 * 1024)
    return CHECK_SKIPPED;
  sound.format = sound_format (cases[number].format, cases[number].channels);
  sound.n_samples =
      check_random_range (100000, 110000) / cases[number].channels;
  sound.is_aligned = TRUE;
  if (is_part) {
    /* Not the bins that take in all there is. */
    bins.range_min = -16384;
    bins.range_max = 16384;
  }
  sound_set_bins (&sound, &bins);
  sound_set_dense_strides (&sound, FALSE);
  sound_allocate (&sound);
  sound_fill (&sound, content);

  parameters = (HistoAudioLaunch) {
    .n_buffers = 1,.sample_stride = sound.sample_stride,
    .n_channels = cases[number].channels,.sample = sound.format->sample,
    .binning = sound.binning
  };
  parameters.buffers[0].data = sound.device + sound.first;
  parameters.buffers[0].channel_stride = sound.channel_stride;
  parameters.buffers[0].n_samples = sound.n_samples;
  histo_cuda_plan_audio (&limits, &parameters, &plan);
  if (parameters.path != HISTO_AUDIO_BY_VECTOR
      || plan.vector_kernel != cases[number].kernel) {
    check_fail (c, "path %u, vector kernel %u, not %u", parameters.path,
        plan.vector_kernel, cases[number].kernel);
    sound_clear (&sound);
    return CHECK_FAILED;
  }
  return check_sounds (c, &sound, 1, &limits, FALSE);
}

/* Several blocks for a channel: a second launch adds up what they leave, or the last of them. */
static CheckOutcome
run_endings (CheckCase * c)
{
  static const struct
  {
    GstAudioFormat format;
    guint channels;
    gboolean is_planar;
  } kinds[] = {
    {GST_AUDIO_FORMAT_F32LE, 8, FALSE},
    {GST_AUDIO_FORMAT_S16BE, 5, FALSE},
    {GST_AUDIO_FORMAT_S16LE, 2, TRUE},
    {GST_AUDIO_FORMAT_F64BE, 3, FALSE},
  };
  const guint kind = c->number % G_N_ELEMENTS (kinds);
  const HistoCudaLimits limits = check_limits (90, 3, 227 * 1024);
  const HistoBinSettings bins = { check_device.is_slow ? 32 : 0, 0, 0 };
  const guint last_block_counters = last_block_counters_of (c);
  Launch launch;
  Sound sound;
  gboolean ok;

  memset (&sound, 0, sizeof sound);
  sound.format = sound_format (kinds[kind].format, kinds[kind].channels);
  sound.n_samples = check_random_range (30000, 40000) / kinds[kind].channels;
  sound.is_aligned = TRUE;
  sound_set_bins (&sound, &bins);
  sound_set_dense_strides (&sound, kinds[kind].is_planar);
  sound_allocate (&sound);
  sound_fill (&sound, N_SOUNDS);
  launch_init (&launch, &sound, 1, &limits, last_block_counters);
  launch_once (&launch);
  launch_once (&launch);
  ok = launch_is_right (c, &launch);
  if (ok && (launch.parameters.n_blocks < 2
          || (launch.parameters.ticket != 0) != (last_block_counters > 0))) {
    check_fail (c, "not the ending that was to be tested");
    describe (c, &launch);
    ok = FALSE;
  }
  launch_clear (&launch);
  sound_clear (&sound);
  return ok ? CHECK_OK : CHECK_FAILED;
}

/* ---- Several at once ------------------------------------------------------------------------------- */

/* As many buffers as there may be, so small that one launch does; empty ones among them;
 * where all are aligned, by vectors. */
static CheckOutcome
run_gathered (CheckCase * c)
{
  static const GstAudioFormat others[] = {
    GST_AUDIO_FORMAT_U8, GST_AUDIO_FORMAT_S24LE, GST_AUDIO_FORMAT_U32BE,
    GST_AUDIO_FORMAT_F64LE, GST_AUDIO_FORMAT_F32LE
  };
  HistoCudaLimits limits =
      check_limits (90, check_random_range (1, 8), 227 * 1024);
  const guint n = 1 + c->number % HISTO_MAX_GATHERED;
  const guint channels = check_chance (3) ? 1 : check_random_range (1, 8);
  const guint most = 8000 / channels;
  HistoBinSettings bins = { 0, 0, 0 };
  Sound sounds[HISTO_MAX_GATHERED] = { {NULL} };
  Sound *sound = &sounds[0];

  if (c->number % 3 == 0)
    sound->format = sound_format (others[check_random (G_N_ELEMENTS (others))],
        channels);
  else
    sound->format = sound_format (random_vector_format (), channels);
  bins.bins = check_chance (3) ? check_random_range (1, 300) : 1u << check_random (9);
  sound->n_samples = check_chance (6) ? 0 : check_random (most);
  sound->is_aligned = !check_chance (4);
  sound_set_bins (sound, &bins);
  sound_set_dense_strides (sound, check_chance (2));
  sound_allocate (sound);
  sound_fill (sound, N_SOUNDS);
  add_sounds (sounds, n, check_chance (2) ? most : 50);
  return check_sounds (c, sounds, n, &limits, TRUE);
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
  HistoCudaLimits limits = check_random_limits ();
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

  launch_init (&launch, &sound, 1, &limits, last_block_counters_of (c));
  {
    Sound spread = sound;

    spread.channel_stride = by_channel ? far : sound.format->sample.bytes;
    spread.sample_stride = by_channel ? sound.format->sample.bytes : far;
    launch.sounds = &spread;
    launch_once (&launch);
    launch.sounds = &sound;
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
  HistoCudaLimits limits = check_random_limits ();
  HistoBinSettings bins = { c->number % 3 == 0 ? 1 : 5, 0, 0 };
  Sound sound;

  memset (&sound, 0, sizeof sound);
  sound.format = sound_format (c->number % 2 ? GST_AUDIO_FORMAT_F32LE :
      GST_AUDIO_FORMAT_S16BE, c->number < 2 && !check_device.is_simulated ? HISTO_MAX_CHANNELS :
      check_random_range (513, 600));
  sound.n_samples = check_random (20);
  sound_set_bins (&sound, &bins);
  sound_choose_strides (&sound);
  sound_allocate (&sound);
  sound_fill (&sound, N_SOUNDS);
  return check_sounds (c, &sound, 1, &limits, FALSE);
}

/* As many bins as there may be: counters of which shared memory has few copies, or none, in
 * one block or in many. */
static CheckOutcome
run_many_bins (CheckCase * c)
{
  static const guint bins[] = { 65536, 65535, 20000, 12000 };
  /* With so many that the blocks' tables would be too large. */
  static const guint multiprocessors[] = { 1, 132 };
  const HistoBinSettings settings = { bins[c->number / 2 % 4], 0, 0 };
  HistoCudaLimits limits = check_limits (90,
      multiprocessors[c->number % 2], c->number < 8 ? 64 * 1024 : 227 * 1024);
  Sound sound;

  memset (&sound, 0, sizeof sound);
  sound.format = sound_format (c->number % 3 ? GST_AUDIO_FORMAT_F32LE :
      GST_AUDIO_FORMAT_S24LE, check_random_range (1, 3));
  sound.n_samples = c->number % 2 ? 20000 : 2000;
  sound_set_bins (&sound, &settings);
  sound_choose_strides (&sound);
  sound_allocate (&sound);
  sound_fill (&sound, N_SOUNDS);
  return check_sounds (c, &sound, 1, &limits, FALSE);
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
  HistoCudaLimits limits = check_random_limits ();
  Sound sound;

  memset (&sound, 0, sizeof sound);
  sound.format = sound_format (formats[c->number % 4], check_random_range (1,
          2));
  sound.n_samples = check_random_range (1000, 3000);
  sound_set_bins (&sound, &settings[check_random (G_N_ELEMENTS (settings))]);
  sound_choose_strides (&sound);
  sound_allocate (&sound);
  sound_fill (&sound, c->number / 4);
  return check_sounds (c, &sound, 1, &limits, FALSE);
}

/* ---- Repeated launches ----------------------------------------------------------------------------- */

/* Every launch gives the same bits, also for floats, in any order of its threads. */
static CheckOutcome
run_repeats (CheckCase * c)
{
  static const GstAudioFormat formats[] = {
    GST_AUDIO_FORMAT_F32LE, GST_AUDIO_FORMAT_F64LE, GST_AUDIO_FORMAT_F32BE,
    GST_AUDIO_FORMAT_F64BE, GST_AUDIO_FORMAT_S16LE, GST_AUDIO_FORMAT_S24LE,
  };
  HistoCudaLimits limits = check_random_limits ();
  gpointer counters, totals;
  gboolean ok;
  Launch launch;
  Sound sound;

  sound_init (&sound, formats[c->number % G_N_ELEMENTS (formats)]);
  launch_init (&launch, &sound, 1, &limits, last_block_counters_of (c));
  launch_once (&launch);
  ok = launch_is_right (c, &launch);
  counters = g_memdup2 (launch.counters[0].host, launch.counters[0].size);
  totals = g_memdup2 (launch.totals[0].host, launch.totals[0].size);
  for (guint i = 1; ok && i < c->repeats; i++) {
    check_device_set_schedule (i);
    check_result_poison (&launch.counters[0]);
    check_result_poison (&launch.totals[0]);
    launch_once (&launch);
    ok = memory_is_right (c, &launch)
        && (memcmp (counters, launch.counters[0].host, launch.counters[0].size) == 0
        || check_fail (c, "other counters in launch %u", i))
        && (memcmp (totals, launch.totals[0].host, launch.totals[0].size) == 0
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
  launch_init (&bench->launch, sound, 1, &check_device.kernels.limits,
      HISTO_CUDA_TUNING_BY_TABLE);
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
    {.name = (gchar *) "audio.vectors", .n_cases = 100, .run = run_vectors},
    {.name = (gchar *) "audio.long-vectors", .n_cases = 12 + 2 * N_FLOAT_VECTORS, .all_cases = TRUE,
        .run = run_long_vectors},
    {.name = (gchar *) "audio.tiles", .n_cases = 72, .all_cases = TRUE,
        .run = run_tiles},
    {.name = (gchar *) "audio.endings", .n_cases = 12, .all_cases = TRUE,
        .run = run_endings},
    {.name = (gchar *) "audio.gathered", .n_cases = 48, .run = run_gathered},
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
