/* Sounds for the kernels to measure, and what they must come to.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CHECKHISTO_SOUND_H
#define CHECKHISTO_SOUND_H

#include "checkhisto.h"

#include "measures/binning.h"
#include "reference.h"

G_BEGIN_DECLS

typedef struct
{
  HistoFormat *format;
  HistoBinning binning;         /* edges: in device memory */
  gdouble *edges;
  guint64 n_samples;
  gint64 channel_stride, sample_stride;
  gboolean is_planar;
  guint8 *host;                 /* random around the samples */
  gsize size;
  gsize first;                  /* where channel 0's sample 0 is */
  CUdeviceptr device;
  gboolean is_aligned;          /* each channel, to 16 bytes */
  gboolean is_alike;            /* format and bins are another sound's */
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
  SOUND_EDGES,                  /* the edges of the bins, and next to them */
  SOUND_LEAST,                  /* the ends of what integers can be */
  SOUND_GREATEST,
  N_SOUNDS
} SoundContent;

HistoFormat *sound_format (GstAudioFormat format, guint channels);
/* A sound is made step by step: format and n_samples, bins, strides, memory, samples. */
HistoBinSettings sound_random_bins (const HistoFormat * format);
void sound_set_bins (Sound * sound, const HistoBinSettings * settings);
void sound_choose_strides (Sound * sound);
/* No gaps, but those between the channels of planar layouts. */
void sound_set_dense_strides (Sound * sound, gboolean is_planar);
/* Instead: format, bins and layout of another sound, which must outlive this one; then
 * n_samples and the channels' stride. */
void sound_init_alike (Sound * sound, const Sound * other);
void sound_choose_channel_stride (Sound * sound);
void sound_allocate (Sound * sound);
void sound_fill_channel (const Sound * sound, guint channel,
    SoundContent content);
/* All channels with this content, or each with another for N_SOUNDS; to the device, too. */
void sound_fill (Sound * sound, SoundContent content);
void sound_clear (Sound * sound);
guint8 *sound_sample (const Sound * sound, guint channel, guint64 i);
/* The channel's samples, as doubles. */
void sound_read_channel (const Sound * sound, guint channel, gdouble * values);

/* ---- What a channel comes to ----------------------------------------------------------- */

/* Sum of doubles in more digits than they have: what is lost in each step is added up by
 * itself (A. Neumaier, 1974). */
typedef struct
{
  long double sum, lost, magnitude;
} LongSum;

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

/* @values: from sound_read_channel(). The counters are to be freed. */
void expect_channel (Expected * expected, const Sound * sound,
    const gdouble * values);
gboolean check_totals (CheckCase * c, const HistoTotals * totals,
    const Expected * expected, gboolean is_float);

G_END_DECLS

#endif /* CHECKHISTO_SOUND_H */
