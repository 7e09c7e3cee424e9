/* The samples of one side of a comparison; see sound-side.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/sound-side.h"

#include <string.h>

/* Times of buffers that differ by less from those of their samples are rounded, in ns. */
#define TIME_ROUNDING GST_MSECOND
/* Times that jump by less are jitter. */
#define LEAST_JUMP (50 * GST_MSECOND)

void
report_sound_side_init (ReportSoundSide * side)
{
  memset (side, 0, sizeof *side);
  gst_audio_info_init (&side->info);
  side->times = g_array_new (FALSE, FALSE, sizeof (ReportSoundTime));
}

void
report_sound_side_clear (ReportSoundSide * side)
{
  for (guint c = 0; c < side->n_channels; c++) {
    g_free (side->data[c]);
    g_free (side->clean[c]);
  }
  g_free (side->data);
  g_free (side->clean);
  g_free (side->unpacked);
  gst_clear_caps (&side->caps);
  g_array_unref (side->times);
}

/* The format is known. @has_mean: the mean of all channels is one more */
void
report_sound_side_prepare (ReportSoundSide * side, gboolean has_mean)
{
  side->n_channels = GST_AUDIO_INFO_CHANNELS (&side->info) + (has_mean ? 1 : 0);
  side->data = g_new0 (gdouble *, side->n_channels);
  side->clean = g_new0 (gdouble *, side->n_channels);
  for (guint c = 0; c < side->n_channels; c++)
    side->clean[c] = g_new (gdouble, REPORT_SOUND_CHUNK);
}

/* ---- Times --------------------------------------------------------------------------------------- */

/* @frames: may be negative. Returns: ns */
gint64
report_sound_side_to_time (const ReportSoundSide * side, gint64 frames)
{
  const gint64 time = gst_util_uint64_scale_round (ABS (frames), GST_SECOND, GST_AUDIO_INFO_RATE (&side->info));

  return frames < 0 ? -time : time;
}

/* @time: ns; may be negative */
gint64
report_sound_side_to_frames (const ReportSoundSide * side, gint64 time)
{
  const gint64 frames = gst_util_uint64_scale_round (ABS (time), GST_AUDIO_INFO_RATE (&side->info), GST_SECOND);

  return time < 0 ? -frames : frames;
}

/* Returns: the time of a frame in ns; GST_CLOCK_TIME_NONE: the stream has none */
guint64
report_sound_side_time (const ReportSoundSide * side, guint64 frame)
{
  const ReportSoundTime *point = NULL;

  for (guint i = 0; i < side->times->len; i++) {
    const ReportSoundTime *next = &g_array_index (side->times, ReportSoundTime, i);

    if (point == NULL || next->frame <= frame)
      point = next;
  }
  return point == NULL ? GST_CLOCK_TIME_NONE :
      point->time + report_sound_side_to_time (side, (gint64) (frame - point->frame));
}

/* Returns: (nullable): the next point at which the times jump */
const ReportSoundTime *
report_sound_side_next_jump (const ReportSoundSide * side)
{
  for (guint i = 0; i < side->times->len; i++) {
    const ReportSoundTime *point = &g_array_index (side->times, ReportSoundTime, i);

    if (point->frame > side->passed && point->jump >= LEAST_JUMP)
      return point;
  }
  return NULL;
}

/* @time: of the next frame that comes */
static void
note_time (ReportSoundSide * side, guint64 time)
{
  const guint64 expected = report_sound_side_time (side, side->n);
  const ReportSoundTime point = { side->n, time, MAX (time, expected) - MIN (time, expected) };

  if (!GST_CLOCK_TIME_IS_VALID (time) || (GST_CLOCK_TIME_IS_VALID (expected) && point.jump <= TIME_ROUNDING))
    return;
  /* The first one stays: times count from there. Those before the next frame are passed. */
  while (side->times->len > 2 && g_array_index (side->times, ReportSoundTime, 2).frame <= side->place)
    g_array_remove_index (side->times, 1);
  g_array_append_val (side->times, point);
}

/* ---- Samples ------------------------------------------------------------------------------------- */

static void
reserve (ReportSoundSide * side, gsize n)
{
  if (side->length + n <= side->capacity)
    return;
  for (guint c = 0; c < side->n_channels && side->length > side->start; c++)
    memmove (side->data[c], side->data[c] + side->start, (side->length - side->start) * sizeof (gdouble));
  side->length -= side->start;
  side->start = 0;
  if (side->length + n <= side->capacity / 2)
    return;
  side->capacity = MAX (side->capacity * 2, side->length + n);
  for (guint c = 0; c < side->n_channels; c++)
    side->data[c] = g_renew (gdouble, side->data[c], side->capacity);
}

static gdouble
sample_of (gconstpointer unpacked, gboolean is_float, gsize i)
{
  return is_float ? ((const gdouble *) unpacked)[i] : ((const gint32 *) unpacked)[i] / 2147483648.0;
}

/* Unpacks samples that follow each other, which are exact in a double. */
static void
unpack (ReportSoundSide * side, gconstpointer from, gsize n)
{
  const GstAudioFormatInfo *format = side->info.finfo;

  if (side->unpacked_bytes < n * sizeof (gdouble)) {
    side->unpacked_bytes = n * sizeof (gdouble);
    side->unpacked = g_realloc (side->unpacked, side->unpacked_bytes);
  }
  format->unpack_func (format, GST_AUDIO_PACK_FLAG_TRUNCATE_RANGE, side->unpacked, from, n);
}

static gboolean
unpacks_to_floats (const ReportSoundSide * side)
{
  return side->info.finfo->unpack_format == GST_AUDIO_FORMAT_F64;
}

/* @skipped: frames of the buffer that are left out */
static void
append_samples (ReportSoundSide * side, GstAudioBuffer * buffer, gsize skipped)
{
  const guint n_channels = GST_AUDIO_INFO_CHANNELS (&side->info);
  const gboolean is_float = unpacks_to_floats (side);
  const gsize n = buffer->n_samples - skipped;
  const gsize frame_bytes = GST_AUDIO_INFO_BPF (&side->info);

  reserve (side, n);
  if (GST_AUDIO_BUFFER_LAYOUT (buffer) == GST_AUDIO_LAYOUT_INTERLEAVED) {
    unpack (side, (guint8 *) buffer->planes[0] + skipped * frame_bytes, n * n_channels);
    for (guint c = 0; c < n_channels; c++)
      for (gsize k = 0; k < n; k++)
        side->data[c][side->length + k] = sample_of (side->unpacked, is_float, k * n_channels + c);
  } else {
    for (guint c = 0; c < n_channels; c++) {
      unpack (side, (guint8 *) buffer->planes[c] + skipped * frame_bytes / n_channels, n);
      for (gsize k = 0; k < n; k++)
        side->data[c][side->length + k] = sample_of (side->unpacked, is_float, k);
    }
  }
  if (side->n_channels > n_channels) {
    for (gsize k = side->length; k < side->length + n; k++) {
      side->data[n_channels][k] = 0;
      for (guint c = 0; c < n_channels; c++)
        side->data[n_channels][k] += side->data[c][k] / n_channels;
    }
  }
  if (is_float) {
    for (guint c = 0; c < n_channels; c++)
      for (gsize k = side->length; k < side->length + n; k++)
        side->n_not_finite += !REPORT_SOUND_IS_FINITE (side->data[c][k]);
  }
  side->length += n;
  side->n += n;
}

/**
 * report_sound_side_append:
 * @buffer: of the format of the side, which is prepared
 * @time: ns; GST_CLOCK_TIME_NONE: unknown
 *
 * Returns: FALSE: the buffer cannot be read
 */
gboolean
report_sound_side_append (ReportSoundSide * side, GstBuffer * buffer, guint64 time)
{
  GstAudioBuffer mapped;
  guint64 skipped;

  if (!gst_audio_buffer_map (&mapped, &side->info, buffer, GST_MAP_READ))
    return FALSE;
  skipped = MIN (mapped.n_samples, side->n_before - side->n_left_out);
  side->n_left_out += skipped;
  if (skipped < mapped.n_samples) {
    note_time (side, GST_CLOCK_TIME_IS_VALID (time) ? time + report_sound_side_to_time (side, skipped) : time);
    append_samples (side, &mapped, skipped);
  }
  gst_audio_buffer_unmap (&mapped);
  return TRUE;
}

/* Returns: the samples of a channel, all of them finite. @to: where they are made if they are not */
const gdouble *
report_sound_side_clean (const ReportSoundSide * side, guint channel, guint64 skipped, gsize n, gdouble * to)
{
  const gdouble *samples = report_sound_side_at (side, channel, skipped);

  if (side->n_not_finite == 0)
    return samples;
  for (gsize k = 0; k < n; k++)
    to[k] = REPORT_SOUND_IS_FINITE (samples[k]) ? samples[k] : 0;
  return to;
}
