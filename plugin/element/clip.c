/* Which part of a buffer lies inside of the segment; see clip.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/clip.h"

#include "cudahisto/inner.h"

/* Returns: the samples of each channel. A buffer that contradicts its caps is refused when it is measured. */
static guint64
count_samples (const GstAudioInfo * info, GstBuffer * buffer)
{
  const GstAudioMeta *meta = gst_buffer_get_audio_meta (buffer);

  return meta != NULL ? meta->samples :
      gst_buffer_get_size (buffer) / GST_AUDIO_INFO_BPF (info);
}

/* How long sound lasts, or a picture is shown by the rule of sinks. Returns: GST_CLOCK_TIME_NONE: unknown */
static GstClockTime
find_duration (const HistoFormat * format, GstBuffer * buffer,
    guint64 n_samples)
{
  GstClockTime of_caps;

  if (format->is_audio)
    return gst_util_uint64_scale (n_samples, GST_SECOND,
        GST_AUDIO_INFO_RATE (&format->audio));
  if (GST_BUFFER_DURATION_IS_VALID (buffer))
    return GST_BUFFER_DURATION (buffer);
  of_caps = histo_format_frame_duration (format);
  return of_caps > 0 ? of_caps : GST_CLOCK_TIME_NONE;
}

/* Times are rounded to ns, so the nearest sample is the one that is meant. */
static guint64
samples_in (const HistoFormat * format, GstClockTime time)
{
  return gst_util_uint64_scale_round (time,
      GST_AUDIO_INFO_RATE (&format->audio), GST_SECOND);
}

/**
 * histo_clip_buffer:
 * @times: (out): the buffer's timestamp; the duration, stream time and running time of the part inside
 * @trim: (out): of sound: the samples outside
 *
 * Inside is what a sink renders that synchronises: a picture if it is shown for a time in the segment, of
 * sound each sample in it. All of a buffer is inside if it has no timestamp, or the segment is not in time.
 *
 * Returns: whether something of the buffer is inside
 */
gboolean
histo_clip_buffer (const HistoFormat * format, GstBuffer * buffer,
    const GstSegment * segment, HistoTimes * times, HistoTrim * trim)
{
  const GstClockTime start = GST_BUFFER_PTS (buffer);
  const guint64 n_samples =
      format->is_audio ? count_samples (&format->audio, buffer) : 0;
  guint64 end, inside_start, inside_end;

  histo_times_from_buffer (times, buffer, segment);
  *trim = (HistoTrim) { 0, };
  if (segment->format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (start))
    return TRUE;
  if (!histo_times_clip (times, find_duration (format, buffer, n_samples), segment, &inside_start, &inside_end))
    return FALSE;
  if (!format->is_audio)
    return TRUE;
  end = MIN (samples_in (format, inside_end - start), n_samples);
  trim->begin = MIN (samples_in (format, inside_start - start), end);
  trim->end = n_samples - end;
  return trim->begin < end || n_samples == 0;
}
