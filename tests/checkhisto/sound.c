/* Sounds for the kernels to measure: samples laid out in poisoned memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sound.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Samples ---------------------------------------------------------------------------- */

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

/* The bits that do not count are random. */
static void
write_integer (const HistoAudioSample * sample, guint8 * p, gint64 value)
{
  const guint64 bits = (G_GUINT64_CONSTANT (1) << sample->depth) - 1;
  const guint64 word = (value & bits) | (check_random64 () & ~bits);

  for (guint i = 0; i < sample->bytes; i++)
    p[sample->big_endian ? sample->bytes - 1 - i : i] = word >> 8 * i & 0xff;
}

static gint64
extreme_integer (const HistoAudioSample * sample, gboolean least)
{
  const gint64 half = G_GINT64_CONSTANT (1) << (sample->depth - 1);

  if (sample->kind == HISTO_AUDIO_SIGNED)
    return least ? -half : half - 1;
  return least ? 0 : 2 * half - 1;
}

/* An edge of the bins, or the number below or above it. */
static void
write_edge (const Sound * sound, guint8 * p)
{
  const HistoAudioSample *sample = &sound->format->sample;
  const gdouble edge = sound->edges[check_random (sound->binning.n_bins + 1)];
  const gint aside = (gint) check_random (3) - 1;

  if (sample->kind != HISTO_AUDIO_FLOAT) {
    const gdouble value = CLAMP (ceil (edge) + aside,
        extreme_integer (sample, TRUE), extreme_integer (sample, FALSE));

    write_integer (sample, p, (gint64) value);
  } else if (sample->bytes == 4) {
    write_float (sample, p, aside == 0 ? (gfloat) edge :
        nextafterf ((gfloat) edge, aside * INFINITY));
  } else {
    write_float (sample, p, aside == 0 ? edge :
        nextafter (edge, aside * INFINITY));
  }
}

guint8 *
sound_sample (const Sound * sound, guint channel, guint64 i)
{
  return sound->host + sound->first + channel * sound->channel_stride
      + (gint64) i * sound->sample_stride;
}

void
sound_fill_channel (const Sound * sound, guint channel, SoundContent content)
{
  const HistoAudioSample *sample = &sound->format->sample;
  guint8 constant[8];

  check_random_fill (constant, sizeof constant);
  for (guint64 i = 0; i < sound->n_samples; i++) {
    guint8 *p = sound_sample (sound, channel, i);

    if (content == SOUND_CONSTANT)
      memcpy (p, constant, sample->bytes);
    else if (content == SOUND_RANDOM)
      check_random_fill (p, sample->bytes);
    else if (content == SOUND_EDGES)
      write_edge (sound, p);
    else if (sample->kind == HISTO_AUDIO_FLOAT)
      write_float (sample, p, random_float (content, sample->bytes == 8, i));
    else if (content == SOUND_LEAST || content == SOUND_GREATEST)
      write_integer (sample, p,
          extreme_integer (sample, content == SOUND_LEAST));
    else
      check_random_fill (p, sample->bytes);
  }
}

void
sound_fill (Sound * sound, SoundContent content)
{
  for (guint channel = 0; channel < sound->format->n_components; channel++)
    sound_fill_channel (sound, channel,
        content == N_SOUNDS ? check_random (N_SOUNDS) : content);
  check_copy_to (sound->device, sound->host, sound->size);
  check_device_wait ();
}

/* ---- Layout ------------------------------------------------------------------------------- */

HistoFormat *
sound_format (GstAudioFormat format, guint channels)
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

/* With n_samples known. */
void
sound_choose_channel_stride (Sound * sound)
{
  const gint64 bytes = sound->format->sample.bytes;

  if (!sound->is_planar)
    return;
  sound->channel_stride = ABS (sound->sample_stride) * (gint64) sound->n_samples
      + bytes * check_random_range (sound->n_samples == 0 ? 2 : 0, 9);
  if (sound->is_aligned)
    sound->channel_stride = (sound->channel_stride + 15) / 16 * 16;
  if (check_chance (12))
    sound->channel_stride = -sound->channel_stride;
}

void
sound_set_dense_strides (Sound * sound, gboolean is_planar)
{
  const gint64 bytes = sound->format->sample.bytes;

  sound->is_planar = is_planar;
  sound->channel_stride = bytes;
  sound->sample_stride =
      is_planar ? bytes : bytes * sound->format->n_components;
  sound_choose_channel_stride (sound);
}

/* Samples of every layout begin at multiples of their size, but those of three bytes. */
void
sound_choose_strides (Sound * sound)
{
  const gint64 bytes = sound->format->sample.bytes;

  sound->is_aligned = check_chance (2);
  sound_set_dense_strides (sound, check_chance (2));
  if (check_chance (6))
    sound->sample_stride += bytes * check_random_range (1, 5);
  if (check_chance (12))
    sound->sample_stride = -sound->sample_stride;
  if (!sound->is_planar && check_chance (12))
    sound->channel_stride = -sound->channel_stride;
  sound_choose_channel_stride (sound);
}

void
sound_init_alike (Sound * sound, const Sound * other)
{
  *sound = *other;
  sound->is_alike = TRUE;
}

void
sound_allocate (Sound * sound)
{
  const gint64 bytes = sound->format->sample.bytes;
  const gint64 to_last_channel =
      sound->channel_stride * (sound->format->n_components - 1);
  const gint64 to_last_sample =
      sound->n_samples > 0 ? sound->sample_stride *
      ((gint64) sound->n_samples - 1) : 0;
  const gsize before = sound->is_aligned ? 16 * check_random (4) : bytes * check_random (9);
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
HistoBinSettings
sound_random_bins (const HistoFormat * format)
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
  if (check_device.is_slow)
    settings.bins = settings.bins % 1200;
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

/* Makes of bins of one width such of different ones, with the same ends. */
static void
make_unequal (Sound * sound)
{
  const guint n = sound->binning.n_bins;
  const gdouble begin = sound->edges[0], range = sound->edges[n] - begin;

  for (guint i = 1; i < n; i++)
    sound->edges[i] = begin + range * ((gdouble) i / n) * ((gdouble) i / n);
  sound->binning.kind = HISTO_BINNING_SEARCH;
  sound->binning.scale = NAN;
}

void
sound_set_bins (Sound * sound, const HistoBinSettings * settings)
{
  g_free (histo_binning_init (&sound->binning, sound->format, 0, settings));
  sound->edges = g_new (gdouble, sound->binning.n_bins + 1);
  reference_bin_edges (sound->binning.range_min, sound->binning.range_max,
      sound->binning.n_bins, sound->edges);
  if (sound->binning.kind == HISTO_BINNING_EDGES && check_chance (2))
    make_unequal (sound);
  sound->binning.edges = check_upload (sound->edges,
      (sound->binning.n_bins + 1) * sizeof (gdouble));
  check_device_wait ();
}

void
sound_clear (Sound * sound)
{
  check_device_wait ();
  check_free (sound->device);
  g_free (sound->host);
  if (sound->is_alike)
    return;
  check_free (sound->binning.edges);
  g_free (sound->edges);
  histo_format_unref (sound->format);
}

/* The reference steps forward only; reading backwards is done a sample at a time. */
void
sound_read_channel (const Sound * sound, guint channel, gdouble * values)
{
  const GstAudioFormat format = GST_AUDIO_INFO_FORMAT (&sound->format->audio);

  for (guint64 i = 0; i < sound->n_samples; i++)
    reference_audio_samples (format, sound_sample (sound, channel, i), 1,
        sound->format->sample.bytes, &values[i]);
}
