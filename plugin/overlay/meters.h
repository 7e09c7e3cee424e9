/* The meters of one audio stream: how the bars, the peak marks and the loudness follow from the
 * results of the buffers.
 *
 * - The bar of a channel rises at once to the peak of a buffer, and falls by `peak-falloff`.
 * - The mark of a channel is the highest peak. It stays for `peak-ttl`, then it falls as the bar.
 * - The clip lamp of a channel is lit for CLIP_TIME after a buffer with samples at full scale.
 * - The bar of a pair of channels is the correlation of the latest buffer, until PAIR_TIME after its end.
 * - Loudness that needs more sound than there has been is not known.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_METERS_H
#define HISTO_OVERLAY_METERS_H

#include "cudahisto/result.h"
#include "overlay/settings.h"

G_BEGIN_DECLS

/* Channels that are shown; the others are only counted. */
#define HISTO_MOST_METERS 32

/* The lowest level, in dB of full scale; silence has it. */
#define HISTO_METER_FLOOR (-100.0)

/* A channel is called "L", or by its number from 1 on. */
typedef gchar HistoChannelName[8];

/* Two channels that are shown. */
typedef struct
{
  guint8 first, second;         /* numbers of the channels, below HISTO_MOST_METERS */
  gboolean is_inverted;
  gfloat correlation;           /* NaN: there is none */
} HistoPairMeter;

/* What one buffer of audio says. Levels in dB of full scale, at least HISTO_METER_FLOOR. */
typedef struct
{
  guint64 start, end;           /* running time in ns; GST_CLOCK_TIME_NONE: unknown */
  guint n_channels;             /* may be more than HISTO_MOST_METERS */
  struct
  {
    gfloat peak, rms;
    gboolean is_clipped;
    HistoChannelName name;
  } channels[HISTO_MOST_METERS];
  guint n_pairs;
  HistoPairMeter pairs[HISTO_MOST_METERS / 2];
  guint64 n_samples;            /* of one channel */
  gint rate;
  gboolean has_loudness;
  gdouble momentary, short_term, integrated, range;     /* LUFS, LU; may be -inf */
  gdouble true_peak;            /* of all channels, in dBTP; may be -inf */
} HistoSoundResult;

typedef struct
{
  gdouble bar, rms, mark;
  guint64 mark_time, clip_time; /* GST_CLOCK_TIME_NONE: unknown, or there is none */
} HistoMeter;

typedef struct
{
  HistoMeter meters[HISTO_MOST_METERS];
  HistoSoundResult latest;      /* n_channels 0: there has been none */
  guint64 time;                 /* running time in ns of what the meters show */
  guint64 n_samples_of_loudness;        /* since it began to be measured */
} HistoMeters;

/* What the panel shows of the loudness; NaN: not known yet. Units as in HistoSoundResult. */
typedef struct
{
  gdouble momentary, short_term, integrated, range, true_peak;
} HistoLoudnessMeter;

void histo_sound_result_set (HistoSoundResult * sound,
    const HistoResult * result, gchar ** names);

void histo_meters_reset (HistoMeters * meters);
void histo_meters_add (HistoMeters * meters, const HistoSoundResult * sound,
    const HistoOverlaySettings * settings);
void histo_meters_advance (HistoMeters * meters, guint64 time,
    const HistoOverlaySettings * settings);
gfloat histo_meters_get_correlation (const HistoMeters * meters, guint pair);
HistoLoudnessMeter histo_meters_get_loudness (const HistoMeters * meters);
gboolean histo_meter_is_clipped (const HistoMeters * meters, guint channel);

G_END_DECLS

#endif /* HISTO_OVERLAY_METERS_H */
