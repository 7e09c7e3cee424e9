/* Reads the samples of a channel of audio; see samples.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/samples.h"

#include <math.h>

#include "media/load.h"

gdouble
histo_samples_full_scale (const HistoAudioSample * sample)
{
  return sample->kind == HISTO_AUDIO_FLOAT ? 1 : ldexp (1, sample->depth - 1);
}

/* Unsigned samples become signed: their highest bit is inverted. */
HISTO_SPECIALISED void
read_integers (const guint8 * p, gsize stride, guint n,
    const HistoAudioSample * sample, guint bytes, gboolean big_endian,
    gdouble * samples)
{
  const guint unused = 32 - sample->depth;
  const guint32 inverted =
      sample->kind == HISTO_AUDIO_UNSIGNED ? 0x80000000 : 0;

  for (guint i = 0; i < n; i++) {
    const guint32 word =
        histo_load_word (p + i * stride, bytes, big_endian) << unused;

    samples[i] = (gint32) (word ^ inverted) >> unused;
  }
}

HISTO_SPECIALISED void
read_floats (const guint8 * p, gsize stride, guint n, guint bytes,
    gboolean big_endian, gdouble * samples)
{
  for (guint i = 0; i < n; i++)
    samples[i] = histo_load_float (p + i * stride, bytes, big_endian);
}

/**
 * histo_samples_read:
 * @data: the channel's first sample
 * @stride: bytes from one sample of the channel to the next
 * @n: number of samples
 * @samples: (out) (array length=n): integers from -2^(depth-1) to 2^(depth-1) - 1, unsigned
 * ones less 2^(depth-1); floating point as it is
 */
void
histo_samples_read (const HistoAudioSample * sample, const guint8 * data,
    gsize stride, guint n, gdouble * samples)
{
  const gboolean big_endian = sample->big_endian;

/* The usual formats have loops for a constant stride, which the compiler vectorises. */
#define BY_STRIDE(read, bytes, ...) \
  if (stride == bytes) \
    read (data, bytes, n, __VA_ARGS__, samples); \
  else if (stride == 2 * bytes) \
    read (data, 2 * bytes, n, __VA_ARGS__, samples); \
  else \
    read (data, stride, n, __VA_ARGS__, samples)
#define INTEGERS(bytes) \
  if (big_endian) \
    read_integers (data, stride, n, sample, bytes, TRUE, samples); \
  else \
    read_integers (data, stride, n, sample, bytes, FALSE, samples)
#define FLOATS(bytes) \
  if (big_endian) \
    read_floats (data, stride, n, bytes, TRUE, samples); \
  else \
    read_floats (data, stride, n, bytes, FALSE, samples)

  if (sample->kind == HISTO_AUDIO_FLOAT && sample->bytes == 4 && !big_endian) {
    BY_STRIDE (read_floats, 4, 4, FALSE);
  } else if (sample->kind == HISTO_AUDIO_FLOAT && sample->bytes == 4) {
    FLOATS (4);
  } else if (sample->kind == HISTO_AUDIO_FLOAT) {
    FLOATS (8);
  } else if (sample->bytes == 1) {
    read_integers (data, stride, n, sample, 1, FALSE, samples);
  } else if (sample->bytes == 2 && !big_endian) {
    BY_STRIDE (read_integers, 2, sample, 2, FALSE);
  } else if (sample->bytes == 2) {
    INTEGERS (2);
  } else if (sample->bytes == 3) {
    INTEGERS (3);
  } else {
    INTEGERS (4);
  }
#undef FLOATS
#undef INTEGERS
#undef BY_STRIDE
}
