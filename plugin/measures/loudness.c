/* The group `loudness`; see loudness.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "measures/loudness.h"

#include <math.h>

#ifdef HAVE_EBUR128
#include <ebur128.h>
#endif

#include "measures/loudness-blocks.h"
#include "measures/samples.h"
#include "measures/true-peak.h"

/**
 * histo_loudness_is_available:
 *
 * Returns: whether the plugin was built with libebur128
 */
gboolean
histo_loudness_is_available (void)
{
#ifdef HAVE_EBUR128
  return TRUE;
#else
  return FALSE;
#endif
}

#ifdef HAVE_EBUR128

/* ---- State ---------------------------------------------------------------------------- */

/* The library filters and finds the peaks of the samples. The loudness of its last 10 ms is all that is taken of it beside
 * these: from these steps follow the blocks, which it would look at only each 100 ms, and gate in steps of 0.1 LU. Its true
 * peak is that of another filter than the one of BS.1770. */
#define MODE (EBUR128_MODE_S | EBUR128_MODE_SAMPLE_PEAK)

#define STEP_MS 10
#define STEPS_IN_PERIOD 10      /* there is a block each 100 ms */
#define MOMENTARY 40            /* 400 ms, in steps */
#define SHORT_TERM 300          /* 3 s */

/* Frames (a sample of each channel) that are given to the library at once. */
#define PIECE 512

/* Samples beyond this multiple of full scale are cut to it (180 dB), because the library's filters
 * do not recover from an overflow. */
#define HIGHEST 1e9

struct _HistoLoudness
{
  HistoFormat *format;
  guint n_channels;
  ebur128_state *state;
  guint period;                 /* 100 ms, in frames */
  guint n_in_period;            /* frames since the last multiple of 100 ms */
  guint64 n_steps;              /* complete ones */
  gdouble energies[SHORT_TERM]; /* of the last steps; [n_steps % SHORT_TERM] is the oldest one */
  HistoLoudnessBlocks *momentary, *short_term;
  HistoLoudnessFigures figures;
  gdouble *true_peak, *sample_peak;
  gdouble *frames;              /* PIECE frames, interleaved */
  gboolean is_interpolated;     /* the true peak may be that between samples */
  gfloat *between;              /* the greatest magnitude between the samples of each channel so far */
  gfloat *history;              /* the last HISTO_TRUE_PEAK_HISTORY samples of each channel */
};

/* Where BS.1770 has the channel. The library weights the channels at ±60°, ±90° and ±110° with
 * 1.41, all others with 1. LFE channels are not part of the loudness. The rear channels are at
 * ±110° if there are no side channels, as in 5.1, else at ±135°, as in 7.1. Channels without a
 * position have the weight 1. */
static int
find_position (GstAudioChannelPosition position, gboolean has_sides)
{
  switch (position) {
    case GST_AUDIO_CHANNEL_POSITION_FRONT_LEFT:
      return EBUR128_LEFT;
    case GST_AUDIO_CHANNEL_POSITION_FRONT_RIGHT:
      return EBUR128_RIGHT;
    case GST_AUDIO_CHANNEL_POSITION_LFE1:
    case GST_AUDIO_CHANNEL_POSITION_LFE2:
      return EBUR128_UNUSED;
    case GST_AUDIO_CHANNEL_POSITION_REAR_LEFT:
      return has_sides ? EBUR128_Mp135 : EBUR128_Mp110;
    case GST_AUDIO_CHANNEL_POSITION_REAR_RIGHT:
      return has_sides ? EBUR128_Mm135 : EBUR128_Mm110;
    case GST_AUDIO_CHANNEL_POSITION_SURROUND_LEFT:
      return EBUR128_Mp110;
    case GST_AUDIO_CHANNEL_POSITION_SURROUND_RIGHT:
      return EBUR128_Mm110;
    case GST_AUDIO_CHANNEL_POSITION_SIDE_LEFT:
      return EBUR128_Mp090;
    case GST_AUDIO_CHANNEL_POSITION_SIDE_RIGHT:
      return EBUR128_Mm090;
    case GST_AUDIO_CHANNEL_POSITION_WIDE_LEFT:
      return EBUR128_Mp060;
    case GST_AUDIO_CHANNEL_POSITION_WIDE_RIGHT:
      return EBUR128_Mm060;
    default:
      return EBUR128_CENTER;
  }
}

/* Returns: (nullable): NULL if the library cannot measure so many channels or such a rate */
static ebur128_state *
make_state (const HistoLoudness * loudness)
{
  const GstAudioInfo *info = &loudness->format->audio;
  const gboolean is_positioned = !GST_AUDIO_INFO_IS_UNPOSITIONED (info);
  gboolean has_sides = FALSE;
  ebur128_state *state = ebur128_init (loudness->n_channels,
      GST_AUDIO_INFO_RATE (info), MODE);

  if (state == NULL)
    return NULL;
  for (guint c = 0; is_positioned && c < MIN (loudness->n_channels, G_N_ELEMENTS (info->position)); c++)
    has_sides |= info->position[c] == GST_AUDIO_CHANNEL_POSITION_SIDE_LEFT
        || info->position[c] == GST_AUDIO_CHANNEL_POSITION_SIDE_RIGHT;
  for (guint c = 0; c < loudness->n_channels; c++) {
    const GstAudioChannelPosition position =
        is_positioned && c < G_N_ELEMENTS (info->position) ?
        info->position[c] : GST_AUDIO_CHANNEL_POSITION_NONE;

    ebur128_set_channel (state, c, find_position (position, has_sides));
  }
  return state;
}

/* Sets the figures of silence. */
static void
reset_figures (HistoLoudness * loudness)
{
  HistoLoudnessFigures *figures = &loudness->figures;

  loudness->n_in_period = 0;
  loudness->n_steps = 0;
  memset (loudness->energies, 0, sizeof loudness->energies);
  memset (loudness->between, 0,
      loudness->n_channels * sizeof *loudness->between);
  memset (loudness->history, 0, (gsize) HISTO_TRUE_PEAK_HISTORY
      * loudness->n_channels * sizeof *loudness->history);
  histo_loudness_blocks_clear (loudness->momentary);
  histo_loudness_blocks_clear (loudness->short_term);
  figures->momentary = figures->short_term = figures->integrated = -INFINITY;
  figures->momentary_max = figures->short_term_max = -INFINITY;
  figures->range = 0;
  figures->true_peak = loudness->true_peak;
  figures->sample_peak = loudness->sample_peak;
}

/**
 * histo_loudness_new:
 * @format: of audio
 *
 * Errors: GST_LIBRARY_ERROR_INIT: the plugin was built without libebur128.
 * GST_STREAM_ERROR_FORMAT: libebur128 cannot measure so many channels (1.2.6: 64) or such a
 * rate (1.2.6: 16 Hz to 2822400 Hz).
 *
 * Returns: (transfer full) (nullable): a state as after a restart
 */
HistoLoudness *
histo_loudness_new (const HistoFormat * format, GError ** error)
{
  HistoLoudness *loudness = g_new0 (HistoLoudness, 1);
  const gint rate = GST_AUDIO_INFO_RATE (&format->audio);

  loudness->format = histo_format_ref ((HistoFormat *) format);
  loudness->n_channels = format->n_components;
  loudness->state = make_state (loudness);
  if (loudness->state == NULL) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "libebur128 cannot measure the loudness of %u channels at %d Hz",
        loudness->n_channels, rate);
    histo_loudness_free (loudness);
    return NULL;
  }
  /* The library rounds it so. */
  loudness->period = (rate + 5) / 10;
  loudness->momentary = histo_loudness_blocks_new ();
  loudness->short_term = histo_loudness_blocks_new ();
  loudness->true_peak = g_new (gdouble, loudness->n_channels);
  loudness->sample_peak = g_new (gdouble, loudness->n_channels);
  loudness->frames = g_new (gdouble, (gsize) PIECE * loudness->n_channels);
  loudness->is_interpolated = rate < HISTO_TRUE_PEAK_ENOUGH;
  loudness->between = g_new (gfloat, loudness->n_channels);
  loudness->history = g_new (gfloat,
      (gsize) HISTO_TRUE_PEAK_HISTORY * loudness->n_channels);
  reset_figures (loudness);
  return loudness;
}

void
histo_loudness_free (HistoLoudness * loudness)
{
  if (loudness == NULL)
    return;
  if (loudness->state != NULL)
    ebur128_destroy (&loudness->state);
  histo_format_unref (loudness->format);
  histo_loudness_blocks_free (loudness->momentary);
  histo_loudness_blocks_free (loudness->short_term);
  g_free (loudness->true_peak);
  g_free (loudness->sample_peak);
  g_free (loudness->frames);
  g_free (loudness->between);
  g_free (loudness->history);
  g_free (loudness);
}

/**
 * histo_loudness_restart:
 *
 * A new programme begins: all samples so far are forgotten.
 */
void
histo_loudness_restart (HistoLoudness * loudness)
{
  ebur128_destroy (&loudness->state);
  loudness->state = make_state (loudness);
  /* These parameters were accepted before. GLib ends the process, too. */
  if (loudness->state == NULL)
    g_error ("no memory for the loudness of %u channels",
        loudness->n_channels);
  reset_figures (loudness);
}

/* ---- Measuring ------------------------------------------------------------------------ */

/* Looks for the peak between the next samples of a channel. Single precision is enough: it is off by less than 1e-5 dB. */
static void
look_between (HistoLoudness * loudness, guint channel, const gdouble * samples,
    guint stride, guint n)
{
  gfloat *history = loudness->history
      + (gsize) HISTO_TRUE_PEAK_HISTORY * channel;
  gfloat x[HISTO_TRUE_PEAK_HISTORY + PIECE];

  memcpy (x, history, HISTO_TRUE_PEAK_HISTORY * sizeof *x);
  for (guint i = 0; i < n; i++)
    x[HISTO_TRUE_PEAK_HISTORY + i] = (gfloat) samples[(gsize) i * stride];
  loudness->between[channel] = histo_true_peak_find (x
      + HISTO_TRUE_PEAK_HISTORY, n, loudness->between[channel]);
  memcpy (history, x + n, HISTO_TRUE_PEAK_HISTORY * sizeof *x);
}

/* Frames as the library wants them. Samples that are not finite become 0. */
static void
read_frames (HistoLoudness * loudness, const HistoAudioLayout * layout,
    guint64 first, guint n)
{
  const HistoAudioSample *sample = &loudness->format->sample;
  const gdouble scale = 1 / histo_samples_full_scale (sample);
  gdouble samples[PIECE];

  for (guint c = 0; c < loudness->n_channels; c++) {
    gdouble *out = loudness->frames + c;

    histo_samples_read (sample, layout->data + layout->channel_offsets[c]
        + first * layout->sample_stride, layout->sample_stride, n, samples);
    for (guint i = 0; i < n; i++, out += loudness->n_channels)
      *out = isfinite (samples[i]) ?
          CLAMP (samples[i] * scale, -HIGHEST, HIGHEST) : 0;
    if (loudness->is_interpolated)
      look_between (loudness, c, loudness->frames + c, loudness->n_channels, n);
  }
}

/* BS.1770, equation 2. end_step() has its inverse. */
static gdouble
loudness_of (gdouble energy)
{
  return energy > 0 ? -0.691 + 10 * log10 (energy) : -INFINITY;
}

/* The loudness of the last @n steps. */
static gdouble
loudness_of_steps (const HistoLoudness * loudness, guint n)
{
  guint step = (loudness->n_steps + SHORT_TERM - n) % SHORT_TERM;
  gdouble energy = 0;

  for (guint i = 0; i < n; i++) {
    energy += loudness->energies[step];
    step = step + 1 == SHORT_TERM ? 0 : step + 1;
  }
  return loudness_of (energy / n);
}

/* A step is complete. */
static void
end_step (HistoLoudness * loudness)
{
  HistoLoudnessFigures *figures = &loudness->figures;
  gdouble of_step = -INFINITY;

  ebur128_loudness_window (loudness->state, STEP_MS, &of_step);
  loudness->energies[loudness->n_steps % SHORT_TERM] = pow (10, (of_step + 0.691) / 10);
  loudness->n_steps++;
  figures->momentary = loudness_of_steps (loudness, MOMENTARY);
  figures->short_term = loudness_of_steps (loudness, SHORT_TERM);
  figures->momentary_max = MAX (figures->momentary_max, figures->momentary);
  figures->short_term_max =
      MAX (figures->short_term_max, figures->short_term);
}

/**
 * histo_loudness_measure:
 * @layout: the next buffer of the stream
 * @figures: (out): as of this buffer. The arrays have one number for each channel; they belong to
 * @loudness and change with its next call.
 */
void
histo_loudness_measure (HistoLoudness * loudness,
    const HistoAudioLayout * layout, HistoLoudnessFigures * figures)
{
  for (guint64 i = 0; i < layout->n_samples;) {
    /* The steps of a period are as even as the rate allows. */
    const guint step = loudness->n_steps % STEPS_IN_PERIOD + 1;
    const guint end_of_step = (guint) ((guint64) loudness->period * step
        / STEPS_IN_PERIOD);
    const guint most = MIN (PIECE, end_of_step - loudness->n_in_period);
    const guint n = MIN (layout->n_samples - i, most);

    read_frames (loudness, layout, i, n);
    ebur128_add_frames_double (loudness->state, loudness->frames, n);
    loudness->n_in_period += n;
    i += n;
    if (loudness->n_in_period == end_of_step)
      end_step (loudness);
    if (loudness->n_in_period == loudness->period) {
      loudness->n_in_period = 0;
      /* Only complete blocks count. */
      if (loudness->n_steps >= MOMENTARY)
        histo_loudness_blocks_add (loudness->momentary, loudness->figures.momentary);
      if (loudness->n_steps >= SHORT_TERM)
        histo_loudness_blocks_add (loudness->short_term, loudness->figures.short_term);
      loudness->figures.integrated = histo_loudness_blocks_integrated (loudness->momentary);
      loudness->figures.range = histo_loudness_blocks_range (loudness->short_term);
    }
  }
  for (guint c = 0; c < loudness->n_channels; c++) {
    gdouble sample_peak = 0;

    ebur128_sample_peak (loudness->state, c, &sample_peak);
    /* The filter gives no signal at the samples themselves: the nearest ones are 1/8 of a distance away. */
    loudness->true_peak[c] = 20 * log10 (MAX (loudness->between[c], sample_peak));
    loudness->sample_peak[c] = 20 * log10 (sample_peak);
  }
  *figures = loudness->figures;
}

#else /* HAVE_EBUR128 */

HistoLoudness *
histo_loudness_new (const HistoFormat * format, GError ** error)
{
  g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
      "The group loudness needs libebur128, and this plugin was built without it "
      "(Meson option loudness)");
  return NULL;
}

void
histo_loudness_free (HistoLoudness * loudness)
{
  g_assert (loudness == NULL);
}

void
histo_loudness_restart (HistoLoudness * loudness)
{
  g_assert_not_reached ();
}

void
histo_loudness_measure (HistoLoudness * loudness,
    const HistoAudioLayout * layout, HistoLoudnessFigures * figures)
{
  g_assert_not_reached ();
}

#endif /* HAVE_EBUR128 */
