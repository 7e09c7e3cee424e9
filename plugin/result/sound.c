/* Level and loudness in stream order; see sound.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/sound.h"

/* Seconds of sound that the short-term loudness needs. */
#define SHORT_TERM 3

/* @sound: (out): no buffer has passed */
void
histo_sound_init (HistoSound * sound)
{
  memset (sound, 0, sizeof *sound);
}

/* Frees what it holds and leaves it as after histo_sound_init(). */
void
histo_sound_clear (HistoSound * sound)
{
  g_clear_pointer (&sound->format, histo_format_unref);
  g_clear_pointer (&sound->level, histo_level_free);
  g_clear_pointer (&sound->loudness, histo_loudness_free);
  histo_sound_init (sound);
}

/* Whether it holds something of earlier buffers. */
gboolean
histo_sound_is_in_use (const HistoSound * sound)
{
  return sound->format != NULL;
}

/**
 * histo_sound_restart:
 * @reason: the greatest reason since the previous buffer
 *
 * Every reason makes the next buffer no continuation of the previous one for `level`. `loudness`
 * begins anew with other caps and at a flush. At a discontinuity the programme goes on.
 */
void
histo_sound_restart (HistoSound * sound, HistoRestart reason)
{
  if (reason >= HISTO_RESTART_DISCONTINUITY && sound->level != NULL)
    histo_level_restart (sound->level);
  if (reason >= HISTO_RESTART_CAPS && sound->loudness != NULL) {
    histo_loudness_restart (sound->loudness);
    sound->n_samples = 0;
  }
}

/**
 * histo_sound_prepare:
 * @plan: of the next buffer
 * @clipping_samples: setting for the next buffer
 *
 * Makes or frees what the plan's groups need. A window must have been finished if the next buffer
 * does not belong to it.
 *
 * Returns: %FALSE if the loudness of this format cannot be measured
 */
gboolean
histo_sound_prepare (HistoSound * sound, const HistoPlan * plan,
    guint clipping_samples, GError ** error)
{
  const gboolean has_level = histo_plan_has_group (plan, HISTO_GROUP_LEVEL);

  if (sound->format != plan->format) {
    histo_sound_clear (sound);
    sound->format = histo_format_ref (plan->format);
  }
  if (!has_level)
    g_clear_pointer (&sound->level, histo_level_free);
  else if (sound->level == NULL)
    sound->level = histo_level_new (sound->format);
  if (has_level)
    histo_level_set_clipping_samples (sound->level, clipping_samples);
  if (!histo_plan_has_group (plan, HISTO_GROUP_LOUDNESS)) {
    g_clear_pointer (&sound->loudness, histo_loudness_free);
  } else if (sound->loudness == NULL) {
    sound->n_samples = 0;
    sound->loudness = histo_loudness_new (sound->format, error);
    return sound->loudness != NULL;
  }
  return TRUE;
}

/* @samples: of the next buffer, after histo_sound_prepare()
 * @result: (inout): of the buffer. The arrays of its loudness are valid until the next call. */
void
histo_sound_measure (HistoSound * sound, const HistoAudioLayout * samples,
    HistoResult * result)
{
  if (sound->level != NULL) {
    histo_result_set_n_pairs (result, histo_level_count_pairs (sound->level));
    histo_level_measure (sound->level, samples, result->levels, result->pairs);
  }
  if (sound->loudness != NULL) {
    histo_loudness_measure (sound->loudness, samples, &sound->figures);
    result->loudness = sound->figures;
    sound->n_samples += samples->n_samples;
  }
}

/* Whether the short-term loudness is of sound alone, not of the time before the start. */
gboolean
histo_sound_has_short_term (const HistoSound * sound)
{
  return sound->loudness != NULL && sound->n_samples / SHORT_TERM
      >= (guint64) GST_AUDIO_INFO_RATE (&sound->format->audio);
}

/* ---- Windows ---------------------------------------------------------------------------- */

/* The next buffer is the first one of a window. */
void
histo_sound_begin_window (HistoSound * sound)
{
  if (sound->level != NULL)
    histo_level_begin_window (sound->level);
}

/* @result: (inout): of a window with the latest buffer at its end. The loudness is as of that
 * buffer. */
void
histo_sound_finish_window (HistoSound * sound, HistoResult * result)
{
  if (sound->level != NULL
      && histo_result_has_group (result, HISTO_GROUP_LEVEL)) {
    histo_result_set_n_pairs (result, histo_level_count_pairs (sound->level));
    histo_level_finish_window (sound->level, result->levels, result->pairs);
  }
  if (sound->loudness != NULL
      && histo_result_has_group (result, HISTO_GROUP_LOUDNESS))
    result->loudness = sound->figures;
}
