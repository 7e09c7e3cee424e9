/* Decodes streams of sound of a file with libav, for what GStreamer's demuxers and decoders lose, and joins tracks of one
 * channel. Part of the module.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "facts/libav-reader.h"

/* ---- A stream ----------------------------------------------------------------------------------- */

/* Reads sound frame by frame. */
typedef struct
{
  LibavReader reader;
  guint8 *samples;              /* interleaved */
  guint n_bytes;                /* that have room there */
} Reader;

static const gchar *
format_of (enum AVSampleFormat format)
{
  switch (av_get_packed_sample_fmt (format)) {
    case AV_SAMPLE_FMT_U8:
      return "U8";
    case AV_SAMPLE_FMT_S16:
      return G_BYTE_ORDER == G_LITTLE_ENDIAN ? "S16LE" : "S16BE";
    case AV_SAMPLE_FMT_S32:
      return G_BYTE_ORDER == G_LITTLE_ENDIAN ? "S32LE" : "S32BE";
    case AV_SAMPLE_FMT_FLT:
      return G_BYTE_ORDER == G_LITTLE_ENDIAN ? "F32LE" : "F32BE";
    case AV_SAMPLE_FMT_DBL:
      return G_BYTE_ORDER == G_LITTLE_ENDIAN ? "F64LE" : "F64BE";
    default:
      return NULL;
  }
}

/* @sound: (out): the samples of all channels in turn, until the next call
 *
 * Returns: FALSE: there is no room for them */
static gboolean
interleave (Reader * reader, ReportSound * sound)
{
  const AVFrame *frame = reader->reader.frame;
  const guint size = av_get_bytes_per_sample (frame->format);
  const guint channels = frame->ch_layout.nb_channels;

  sound->n_bytes = (gsize) size *channels * frame->nb_samples;
  sound->samples = frame->extended_data[0];
  if (!av_sample_fmt_is_planar (frame->format) || channels == 1)
    return TRUE;
  av_fast_malloc (&reader->samples, &reader->n_bytes, sound->n_bytes);
  if (reader->samples == NULL)
    return FALSE;
  for (guint c = 0; c < channels; c++) {
    for (gint i = 0; i < frame->nb_samples; i++)
      memcpy (reader->samples + ((gsize) i * channels + c) * size,
          frame->extended_data[c] + (gsize) i * size, size);
  }
  sound->samples = reader->samples;
  return TRUE;
}

/* @sound: (out): the next frame, until the next call
 *
 * Returns: FALSE: there is none */
static gboolean
reader_read (Reader * self, ReportSound * sound)
{
  LibavReader *reader = &self->reader;
  const AVFrame *frame = reader->frame;

  do {
    if (!libav_reader_receive (reader))
      return FALSE;
  } while (frame->nb_samples <= 0);
  *sound = (ReportSound) {
    .format = format_of (frame->format),.rate = frame->sample_rate,
    .channels = frame->ch_layout.nb_channels,.time = reader->next,
    .n_samples = frame->nb_samples,.is_damaged = reader->has_lost
  };
  if (sound->format == NULL || sound->rate <= 0 || sound->channels <= 0)
    return FALSE;
  sound->channel_mask = libav_channel_mask (&frame->ch_layout);
  if (reader->has_times && frame->best_effort_timestamp != AV_NOPTS_VALUE)
    sound->time = MAX (0, libav_reader_time (reader, frame->best_effort_timestamp));
  reader->has_lost = FALSE;
  reader->next = sound->time + av_rescale (frame->nb_samples, SECOND,
      sound->rate);
  return interleave (self, sound);
}

static void
reader_close (Reader * reader)
{
  av_freep (&reader->samples);
  libav_reader_close (&reader->reader);
}

__attribute__((visibility ("default")))
void report_libav_decode_sound (gint fd, gint index, ReportMustStop must_stop,
    ReportTakePacket take_packet, ReportTakeSound take, gpointer data);

void
report_libav_decode_sound (gint fd, gint index, ReportMustStop must_stop,
    ReportTakePacket take_packet, ReportTakeSound take, gpointer data)
{
  const LibavReading reading = { must_stop, take_packet, data, 1 };
  ReportSound sound;
  Reader reader = { 0 };

  libav_reader_open (&reader.reader, fd, index, &reading);
  while (reader_read (&reader, &sound) && take (&sound, data));
  reader_close (&reader);
}

/* ---- Tracks that are joined ---------------------------------------------------------------------- */

/* So many samples of a channel are given at once. */
#define MOST_SAMPLES 4096
/* Times of a container are rounded, and may jitter. A frame that is this late, or later by this share of its length, comes
 * behind a gap: frames before it are missing. */
#define LEAST_GAP (4 * SECOND / 1000)
#define GAP_SHARE 0.9

/* A track of which the next samples are known, if it is not over: silence, and then those that are ready. */
typedef struct
{
  Reader reader;
  ReportJoined *joined;
  gboolean is_over;
  gboolean has_begun;           /* a sample was given */
  gint64 next;                  /* number of the sample behind the latest frame, in the time of the file */
  gint64 silence;               /* samples */
  const guint8 *ready;
  gint n_ready;
  gboolean is_damaged;          /* those that are ready, or what comes before them */
  const gchar *format;          /* of those that are ready */
  gboolean has_24_bits;         /* of 32 bits: the lower ones are empty */
} Track;

typedef struct
{
  Track *tracks;
  guint n_tracks;
  gint rate;                    /* that of the first frame of all */
  const gchar *format;          /* of what is given */
  guint size;                   /* of a sample of it */
  gint64 position;              /* number of the next sample, in the time of the file */
  guint8 *samples;              /* interleaved: MOST_SAMPLES of each channel */
} Join;

/* Gets the next frame, if nothing is left of the one before. A track that becomes something else ends there. */
static void
fill (Join * join, Track * track)
{
  ReportSound sound;
  gint64 start;

  if (track->is_over || track->n_ready > 0)
    return;
  if (!reader_read (&track->reader, &sound) || sound.channels != 1
      || (join->rate > 0 && sound.rate != join->rate)
      || (track->format != NULL && sound.format != track->format)) {
    track->is_over = TRUE;
    return;
  }
  join->rate = sound.rate;
  start = av_rescale (sound.time, sound.rate, SECOND);
  if (track->format == NULL || start - track->next > av_rescale (MAX (LEAST_GAP,
              (gint64) (GAP_SHARE * SECOND * sound.n_samples / sound.rate)), sound.rate, SECOND)) {
    track->silence = start - track->next;
    track->next = start;
  }
  track->next += sound.n_samples;
  track->format = sound.format;
  track->has_24_bits = track->reader.reader.decoder->bits_per_raw_sample == 24
      && av_get_packed_sample_fmt (track->reader.reader.frame->format) == AV_SAMPLE_FMT_S32;
  track->ready = sound.samples;
  track->n_ready = sound.n_samples;
  track->is_damaged = sound.is_damaged;
}

static guint
size_of (const gchar * format)
{
  return format[0] == 'U' ? 1 : (guint) g_ascii_strtoull (format + 1, NULL, 10) / 8;
}

/* What is given has the format of the tracks; if they differ, one that holds all values. */
static void
choose_format (Join * join)
{
  const Track *first = NULL;
  gboolean is_same = TRUE;

  for (guint t = 0; t < join->n_tracks; t++) {
    const Track *track = &join->tracks[t];

    if (track->format == NULL)
      continue;
    if (first == NULL)
      first = track;
    is_same = is_same && track->format == first->format
        && track->has_24_bits == first->has_24_bits;
  }
  if (first == NULL)
    return;
  join->format = !is_same ? format_of (AV_SAMPLE_FMT_DBL) :
      first->has_24_bits ? "S24LE" : first->format;
  join->size = size_of (join->format);
}

/* Returns: a sample as a share of full scale */
static gdouble
value_of (const gchar * format, const guint8 * sample)
{
  union
  {
    gint16 of_16;
    gint32 of_32;
    gfloat single;
    gdouble number;
  } value;

  memcpy (&value, sample, size_of (format));
  if (format[0] == 'F')
    return size_of (format) == sizeof value.single ? value.single : value.number;
  switch (size_of (format)) {
    case 1:
      return (*sample - 128) / 128.;
    case 2:
      return value.of_16 / 32768.;
    default:
      return value.of_32 / 2147483648.;
  }
}

/* Writes samples of a track to its channel. @to: where the first one belongs */
static void
write_samples (const Join * join, const Track * track, guint8 * to, gint n)
{
  const guint size = size_of (track->format), step = join->n_tracks * join->size;
  const guint8 *from = track->ready;

  for (gint i = 0; i < n; i++, from += size, to += step) {
    if (join->size == 3) {
      gint32 value;

      memcpy (&value, from, sizeof value);
      to[0] = (guint8) (value >> 8);
      to[1] = (guint8) (value >> 16);
      to[2] = (guint8) (value >> 24);
    } else if (join->format == track->format) {
      memcpy (to, from, size);
    } else {
      const gdouble value = value_of (track->format, from);

      memcpy (to, &value, sizeof value);
    }
  }
}

/* @to: where the first sample belongs */
static void
write_silence (const Join * join, guint8 * to, gint n)
{
  for (gint i = 0; i < n; i++, to += join->n_tracks * join->size)
    memset (to, join->format[0] == 'U' ? 128 : 0, join->size);
}

/* Gives what all tracks have for the next samples: @n of each. */
static void
write_channels (const Join * join, gint n, gboolean * is_damaged)
{
  *is_damaged = FALSE;
  for (guint t = 0; t < join->n_tracks; t++) {
    Track *track = &join->tracks[t];
    guint8 *to = join->samples + t * join->size;

    if (track->is_over || track->silence > 0) {
      write_silence (join, to, n);
      *(track->is_over ? &track->joined->n_behind : track->has_begun ?
          &track->joined->n_between : &track->joined->n_before) += n;
      track->silence -= track->is_over ? 0 : n;
      continue;
    }
    write_samples (join, track, to, n);
    *is_damaged = *is_damaged || track->is_damaged;
    track->is_damaged = FALSE;
    track->has_begun = TRUE;
    track->ready += (gsize) n *size_of (track->format);
    track->n_ready -= n;
    track->joined->n_samples += n;
  }
}

/* Returns: samples for which no track that goes on has anything but silence: there the times of all of them jump */
static gint64
find_jump (const Join * join)
{
  gint64 least = G_MAXINT64;

  for (guint t = 0; t < join->n_tracks; t++) {
    if (!join->tracks[t].is_over)
      least = MIN (least, join->tracks[t].silence);
  }
  return least;
}

/* @n: (out): samples for which each track has either silence or a sample
 *
 * Returns: FALSE: all tracks are over */
static gboolean
find_step (Join * join, gint * n)
{
  gboolean goes_on = FALSE;

  *n = MOST_SAMPLES;
  for (guint t = 0; t < join->n_tracks; t++) {
    Track *track = &join->tracks[t];

    fill (join, track);
    if (track->is_over)
      continue;
    goes_on = TRUE;
    *n = (gint) MIN ((gint64) * n, track->silence > 0 ? track->silence : track->n_ready);
  }
  return goes_on;
}

static void
join_tracks (Join * join, guint64 channel_mask, ReportTakeSound take,
    gpointer data)
{
  ReportSound sound = {.channels = (gint) join->n_tracks,.channel_mask = channel_mask };
  gint n;

  do {
    if (!find_step (join, &n))
      return;
    if (find_jump (join) > 0) {
      const gint64 jump = find_jump (join);

      for (guint t = 0; t < join->n_tracks; t++)
        join->tracks[t].silence -= join->tracks[t].is_over ? 0 : jump;
      join->position += jump;
      find_step (join, &n);
    }
    if (join->format == NULL) {
      choose_format (join);
      join->samples = g_malloc ((gsize) MOST_SAMPLES * join->n_tracks * join->size);
    }
    write_channels (join, n, &sound.is_damaged);
    sound.format = join->format;
    sound.rate = join->rate;
    sound.time = av_rescale (join->position, SECOND, join->rate);
    sound.n_samples = n;
    sound.samples = join->samples;
    sound.n_bytes = (gsize) n *join->n_tracks * join->size;
    join->position += n;
  } while (take (&sound, data));
}

__attribute__((visibility ("default")))
void report_libav_join_sound (ReportJoined * tracks, guint n_tracks, guint64 channel_mask,
    ReportMustStop must_stop, ReportTakeSound take, gpointer data);

/* Each track is read by itself: where one has nothing for long, the others wait for it, and nothing is kept. */
void
report_libav_join_sound (ReportJoined * tracks, guint n_tracks, guint64 channel_mask,
    ReportMustStop must_stop, ReportTakeSound take, gpointer data)
{
  const LibavReading reading = { must_stop, NULL, data, 1 };
  Join join = {.tracks = g_new0 (Track, n_tracks),.n_tracks = n_tracks };

  for (guint t = 0; t < n_tracks; t++) {
    join.tracks[t].joined = &tracks[t];
    libav_reader_open (&join.tracks[t].reader.reader, tracks[t].fd, tracks[t].index, &reading);
  }
  join_tracks (&join, channel_mask, take, data);
  for (guint t = 0; t < n_tracks; t++)
    reader_close (&join.tracks[t].reader);
  g_free (join.samples);
  g_free (join.tracks);
}
