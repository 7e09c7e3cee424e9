/* The meters of one audio stream; see meters.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/meters.h"

#include <gst/audio/audio.h>

#include <math.h>

/* How long the clip lamp stays lit. */
#define CLIP_TIME (2 * GST_SECOND)

/* ---- From a result to levels ------------------------------------------------------- */

static gdouble
limit (gdouble level)
{
  return level > HISTO_METER_FLOOR ? MIN (level, 100) : HISTO_METER_FLOOR;
}

static gdouble
to_decibels (gdouble share)
{
  return limit (20 * log10 (share));
}

/* The full scale and the middle of the format's samples. */
static void
find_scale (const gchar * format, gdouble * scale, gdouble * middle)
{
  const GstAudioFormatInfo *info =
      gst_audio_format_get_info (gst_audio_format_from_string (format));

  *scale = 1;
  *middle = 0;
  if (!GST_AUDIO_FORMAT_INFO_IS_INTEGER (info))
    return;
  *scale = ldexp (1, GST_AUDIO_FORMAT_INFO_DEPTH (info) - 1);
  if (!GST_AUDIO_FORMAT_INFO_IS_SIGNED (info))
    *middle = *scale;
}

/* Without the group `level`, the peak and the RMS follow from the figures of the component. */
static void
set_channel (HistoSoundResult * sound, const HistoResult * result, guint c)
{
  const HistoFigures *figures = &result->components[c].figures;
  gdouble scale, middle, mean;

  if (histo_result_has_group (result, HISTO_GROUP_LEVEL)) {
    sound->channels[c].peak = limit (result->levels[c].peak);
    sound->channels[c].rms = limit (result->levels[c].rms);
    sound->channels[c].is_clipped = result->levels[c].clipped_runs > 0;
    return;
  }
  find_scale (result->format, &scale, &middle);
  mean = figures->mean - middle;
  sound->channels[c].peak = to_decibels (fmax (fabs (figures->min - middle),
          fabs (figures->max - middle)) / scale);
  sound->channels[c].rms =
      to_decibels (sqrt (figures->variance + mean * mean) / scale);
  sound->channels[c].is_clipped = FALSE;
}

static void
set_loudness (HistoSoundResult * sound, const HistoResult * result)
{
  const HistoLoudnessFigures *loudness = &result->loudness;

  sound->has_loudness = TRUE;
  sound->momentary = loudness->momentary;
  sound->short_term = loudness->short_term;
  sound->integrated = loudness->integrated;
  sound->range = loudness->range;
  sound->true_peak = -INFINITY;
  for (guint c = 0; loudness->true_peak != NULL && c < result->n_components;
      c++)
    sound->true_peak = fmax (sound->true_peak, loudness->true_peak[c]);
}

/**
 * histo_sound_result_set:
 * @sound: (out): everything but the times
 * @result: of audio
 */
void
histo_sound_result_set (HistoSoundResult * sound, const HistoResult * result)
{
  memset (sound, 0, sizeof *sound);
  sound->start = sound->end = GST_CLOCK_TIME_NONE;
  sound->n_channels = result->n_components;
  for (guint c = 0; c < MIN (sound->n_channels, HISTO_MOST_METERS); c++)
    set_channel (sound, result, c);
  if (histo_result_has_group (result, HISTO_GROUP_LOUDNESS))
    set_loudness (sound, result);
}

/* ---- The meters -------------------------------------------------------------------- */

/* No buffer has come. */
void
histo_meters_reset (HistoMeters * meters)
{
  memset (meters, 0, sizeof *meters);
  meters->time = GST_CLOCK_TIME_NONE;
  for (guint c = 0; c < HISTO_MOST_METERS; c++) {
    HistoMeter *meter = &meters->meters[c];

    meter->bar = meter->rms = meter->mark = HISTO_METER_FLOOR;
    meter->mark_time = meter->clip_time = GST_CLOCK_TIME_NONE;
  }
}

/* Nanoseconds from @since to @time; 0 if one is unknown or time goes back. */
static guint64
elapsed (guint64 since, guint64 time)
{
  if (!GST_CLOCK_TIME_IS_VALID (since) || !GST_CLOCK_TIME_IS_VALID (time)
      || time < since)
    return 0;
  return time - since;
}

/* Lets the bar and the mark of a meter fall until @time. */
static void
fall (HistoMeter * meter, guint64 from, guint64 time,
    const HistoOverlaySettings * settings)
{
  const gdouble rate = settings->peak_falloff / GST_SECOND;
  guint64 age;

  meter->bar = MAX (meter->bar - rate * elapsed (from, time),
      HISTO_METER_FLOOR);
  /* The time of the mark is unknown if the sound had no times. Its age counts from now. */
  if (!GST_CLOCK_TIME_IS_VALID (meter->mark_time))
    meter->mark_time = time;
  age = elapsed (meter->mark_time, time);
  if (age > settings->peak_ttl)
    meter->mark = MAX (meter->mark - rate * MIN (age - settings->peak_ttl,
            elapsed (from, time)), meter->bar);
}

/**
 * histo_meters_advance:
 * @time: running time in ns that the meters shall show; GST_CLOCK_TIME_NONE: unknown
 *
 * The bars and marks fall until then. After the end of the sound the RMS is never above its bar. If time
 * goes back, nothing changes.
 */
void
histo_meters_advance (HistoMeters * meters, guint64 time,
    const HistoOverlaySettings * settings)
{
  if (!GST_CLOCK_TIME_IS_VALID (time)
      || (GST_CLOCK_TIME_IS_VALID (meters->time) && time <= meters->time))
    return;
  for (guint c = 0; c < MIN (meters->latest.n_channels, HISTO_MOST_METERS); c++) {
    HistoMeter *meter = &meters->meters[c];

    fall (meter, meters->time, time, settings);
    if (GST_CLOCK_TIME_IS_VALID (meters->latest.end)
        && time > meters->latest.end)
      meter->rms = MIN (meter->rms, meter->bar);
  }
  meters->time = time;
}

static void
add_channel (HistoMeter * meter, const HistoSoundResult * sound, guint c,
    guint64 time)
{
  const gdouble peak = sound->channels[c].peak;

  meter->bar = MAX (meter->bar, peak);
  meter->rms = sound->channels[c].rms;
  if (meter->bar >= meter->mark) {
    meter->mark = meter->bar;
    meter->mark_time = time;
  }
  if (sound->channels[c].is_clipped)
    meter->clip_time = time;
}

/**
 * histo_meters_add:
 * @sound: the next buffer
 *
 * If the number of channels changes, the meters begin anew.
 */
void
histo_meters_add (HistoMeters * meters, const HistoSoundResult * sound,
    const HistoOverlaySettings * settings)
{
  if (meters->latest.n_channels != sound->n_channels)
    histo_meters_reset (meters);
  histo_meters_advance (meters, sound->start, settings);
  meters->latest = *sound;
  if (!GST_CLOCK_TIME_IS_VALID (meters->time))
    meters->time = sound->start;
  for (guint c = 0; c < MIN (sound->n_channels, HISTO_MOST_METERS); c++)
    add_channel (&meters->meters[c], sound, c, meters->time);
}

gboolean
histo_meter_is_clipped (const HistoMeters * meters, guint channel)
{
  const guint64 since = meters->meters[channel].clip_time;

  return GST_CLOCK_TIME_IS_VALID (since)
      && elapsed (since, meters->time) < CLIP_TIME;
}
