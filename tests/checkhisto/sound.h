/* Sounds for the kernels to measure.
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
  gsize first;                  /* offset of channel 0's sample 0 */
  CUdeviceptr device;
  gboolean is_aligned;          /* each channel begins at a multiple of 16 bytes */
  gboolean is_alike;            /* format and bins belong to another sound */
} Sound;

typedef enum
{
  SOUND_RANDOM,                 /* random bits, which give floats of every kind */
  SOUND_USUAL,                  /* floats from -1.1 to 1.1 */
  SOUND_WIDE,                   /* floats of many magnitudes */
  SOUND_CANCELLING,             /* floats whose sum is far smaller than each of them */
  SOUND_SPECIAL,                /* NaN, infinities, zeros, denormals */
  SOUND_HUGE,                   /* floats whose squares, or sums, overflow */
  SOUND_CONSTANT,
  SOUND_EDGES,                  /* the edges of the bins, and their neighbours */
  SOUND_LEAST,                  /* the least integer of the format */
  SOUND_GREATEST,               /* the greatest one */
  N_SOUNDS
} SoundContent;

HistoFormat *sound_format (GstAudioFormat format, guint channels);
/* To make a sound:
 * 1. set format and n_samples;
 * 2. sound_set_bins();
 * 3. sound_choose_strides() or sound_set_dense_strides();
 * 4. sound_allocate();
 * 5. sound_fill(). */
HistoBinSettings sound_random_bins (const HistoFormat * format);
void sound_set_bins (Sound * sound, const HistoBinSettings * settings);
void sound_choose_strides (Sound * sound);
/* The strides leave no gaps, except between the channels of planar layouts. */
void sound_set_dense_strides (Sound * sound, gboolean is_planar);
/* Replaces steps 1 to 3: gives the sound the format, bins and layout of @other, which must outlive
 * it. The caller sets n_samples and calls sound_choose_channel_stride(). */
void sound_init_alike (Sound * sound, const Sound * other);
void sound_choose_channel_stride (Sound * sound);
void sound_allocate (Sound * sound);
void sound_fill_channel (const Sound * sound, guint channel,
    SoundContent content);
/* Fills all channels with this content, or each channel with another one if @content is N_SOUNDS.
 * Copies the samples to the device. */
void sound_fill (Sound * sound, SoundContent content);
void sound_clear (Sound * sound);
guint8 *sound_sample (const Sound * sound, guint channel, guint64 i);
/* Reads the channel's samples as doubles. */
void sound_read_channel (const Sound * sound, guint channel, gdouble * values);

G_END_DECLS

#endif /* CHECKHISTO_SOUND_H */
