/* Watches decoders and streams; see watch.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/watch.h"

#include <math.h>
#include <string.h>

#include "base/describe.h"

/* The first buffers after a new segment may be marked as a discontinuity. */
#define FIRST_BUFFERS 5
/* A decoder holds fewer frames than this. If more do not leave it, their times are others. */
#define MOST_PENDING 100000
/* So many places are kept. */
#define MOST_PLACES 10000
/* A gap in sound is longer than this, and than this share of a buffer. */
#define LEAST_SOUND_GAP (4 * GST_MSECOND)
#define SOUND_GAP_SHARE 0.4
/* An overlap is longer than this share of a buffer: it is a packet that is there twice. Encoders shift the times by less. */
#define SOUND_OVERLAP_SHARE 0.9
/* Decoders of sound need some packets before they give all samples, and containers cut those off. */
#define FIRST_SOUND 3
/* The times of so many buffers are ahead of the samples after a gap. */
#define ENOUGH_AHEAD 8
/* The usual distance of the times from the samples follows each one by 1/SLOWNESS. */
#define SLOWNESS 32

/* @has_own_times: atomic: timestamps are times whatever the segment says
 * Returns: GST_CLOCK_TIME_NONE: unknown, or outside of the segment */
static guint64
time_of (const GstSegment * segment, gint * has_own_times, guint64 timestamp)
{
  if (segment->format != GST_FORMAT_TIME
      || !GST_CLOCK_TIME_IS_VALID (timestamp))
    return GST_CLOCK_TIME_NONE;
  if (g_atomic_int_get (has_own_times))
    return timestamp;
  return gst_segment_to_stream_time (segment, GST_FORMAT_TIME, timestamp);
}

static void
take_segment (GstEvent * event, GstSegment * segment)
{
  const GstSegment *new_one;

  gst_event_parse_segment (event, &new_one);
  gst_segment_copy_into (new_one, segment);
}

static void
add_probe (GstPad * pad, GstPadProbeCallback callback, gpointer data)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, callback, data, NULL);
}

static void
add_place (GArray * places, guint64 start, guint64 end, guint64 count)
{
  const ReportSpan place = { start, end, count };

  if (places->len < MOST_PLACES)
    g_array_append_val (places, place);
}

/* ---- Decoders --------------------------------------------------------------------------------- */

/* Returns: where the time is, or would be, in @times, which is sorted */
static guint
find_place (const GArray * times, guint64 time)
{
  guint from = 0, to = times->len;

  while (from < to) {
    const guint middle = (from + to) / 2;

    if (g_array_index (times, guint64, middle) < time)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

/* What enters a decoder. Times are GST_CLOCK_TIME_NONE if they are unknown. */
typedef struct
{
  guint64 time, decoding_time, duration;
  gsize n_bytes;
  gboolean is_lost, is_discontinuous;   /* something was lost before it; it may have been */
  gboolean is_key, is_shown;
} Entering;

static void
follow_decoding (ReportDecoderWatch * watch, const Entering * entering)
{
  const guint64 dts = entering->decoding_time;

  if (!GST_CLOCK_TIME_IS_VALID (dts))
    return;
  if (GST_CLOCK_TIME_IS_VALID (watch->next_dts)) {
    if (ABS (GST_CLOCK_DIFF (watch->next_dts, dts)) <= REPORT_ROUNDING)
      watch->n_followed++;
    else
      watch->n_breaks++;
  }
  watch->next_dts = GST_CLOCK_TIME_IS_VALID (entering->duration) ?
      dts + entering->duration : GST_CLOCK_TIME_NONE;
}

static void
take_entering (ReportDecoderWatch * watch, const Entering * entering)
{
  const guint64 time = entering->time;

  watch->n_in++;
  watch->n_bytes += entering->n_bytes;
  if (entering->is_lost)
    add_place (watch->lost_data, watch->last_in, time, 0);
  else if (entering->is_discontinuous && watch->n_in_segment >= FIRST_BUFFERS) {
    watch->n_discontinuous++;
    add_place (watch->discontinuities, watch->last_in, time, 0);
  }
  watch->n_in_segment++;
  follow_decoding (watch, entering);
  if (!GST_CLOCK_TIME_IS_VALID (time) || !entering->is_shown)
    return;
  watch->n_timed++;
  if (entering->is_key && !GST_CLOCK_TIME_IS_VALID (watch->first_key))
    watch->first_key = time;
  if (!GST_CLOCK_TIME_IS_VALID (watch->last_in) || time > watch->last_in)
    watch->last_in = time;
  if (watch->is_video && watch->pending->len < MOST_PENDING) {
    const guint place = find_place (watch->pending, time);

    if (place == watch->pending->len
        || g_array_index (watch->pending, guint64, place) != time)
      g_array_insert_val (watch->pending, place, time);
  }
}

static void
take_entering_buffer (ReportDecoderWatch * watch, GstBuffer * buffer)
{
  const GstBufferFlags flags = GST_BUFFER_FLAGS (buffer);
  const Entering entering = {
    .time = time_of (&watch->in_segment, watch->has_own_times,
        GST_BUFFER_PTS (buffer)),
    .decoding_time = GST_BUFFER_DTS (buffer),
    .duration = GST_BUFFER_DURATION (buffer),
    .n_bytes = gst_buffer_get_size (buffer),
    .is_lost = (flags & GST_BUFFER_FLAG_CORRUPTED) != 0,
    .is_discontinuous = (flags & GST_BUFFER_FLAG_DISCONT) != 0
        && (flags & GST_BUFFER_FLAG_HEADER) == 0,
    .is_key = (flags & GST_BUFFER_FLAG_DELTA_UNIT) == 0,
    .is_shown = (flags & GST_BUFFER_FLAG_DECODE_ONLY) == 0
  };

  take_entering (watch, &entering);
}

static guint64
known_time (gint64 time)
{
  return time < 0 ? GST_CLOCK_TIME_NONE : (guint64) time;
}

/* Called in the thread that decodes. */
void
report_decoder_watch_take_packet (ReportDecoderWatch * watch,
    const ReportPacket * packet)
{
  const Entering entering = {
    .time = known_time (packet->time),
    .decoding_time = known_time (packet->decoding_time),
    .duration = packet->duration > 0 ? (guint64) packet->duration :
        GST_CLOCK_TIME_NONE,
    .n_bytes = packet->n_bytes,.is_lost = packet->is_damaged,
    .is_key = packet->is_key,.is_shown = !packet->is_hidden
  };

  g_mutex_lock (&watch->lock);
  take_entering (watch, &entering);
  g_mutex_unlock (&watch->lock);
}

/* @time: of the stream; GST_CLOCK_TIME_NONE: unknown */
static void
take_leaving (ReportDecoderWatch * watch, guint64 time)
{
  guint place;

  watch->n_out++;
  if (!GST_CLOCK_TIME_IS_VALID (time))
    return;
  place = find_place (watch->pending, time);
  if (place < watch->pending->len
      && g_array_index (watch->pending, guint64, place) == time)
    g_array_remove_index (watch->pending, place);
  else
    watch->n_unknown++;
}

/* Called in the thread that decodes. */
void
report_decoder_watch_take_frame (ReportDecoderWatch * watch, guint64 time)
{
  g_mutex_lock (&watch->lock);
  take_leaving (watch, time);
  g_mutex_unlock (&watch->lock);
}

static GstPadProbeReturn
on_entering (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  ReportDecoderWatch *watch = data;

  g_mutex_lock (&watch->lock);
  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
    take_entering_buffer (watch, GST_PAD_PROBE_INFO_BUFFER (info));
  } else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
      == GST_EVENT_SEGMENT) {
    take_segment (GST_PAD_PROBE_INFO_EVENT (info), &watch->in_segment);
    watch->n_in_segment = 0;
    watch->next_dts = GST_CLOCK_TIME_NONE;
  }
  g_mutex_unlock (&watch->lock);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_leaving (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  ReportDecoderWatch *watch = data;

  g_mutex_lock (&watch->lock);
  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) != 0)
    take_leaving (watch, time_of (&watch->out_segment, watch->has_own_times,
            GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info))));
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
      == GST_EVENT_SEGMENT)
    take_segment (GST_PAD_PROBE_INFO_EVENT (info), &watch->out_segment);
  g_mutex_unlock (&watch->lock);
  return GST_PAD_PROBE_OK;
}

static ReportDecoderWatch *
decoder_watch_new (gboolean is_video)
{
  ReportDecoderWatch *watch = g_new0 (ReportDecoderWatch, 1);

  watch->is_video = is_video;
  g_mutex_init (&watch->lock);
  gst_segment_init (&watch->in_segment, GST_FORMAT_UNDEFINED);
  gst_segment_init (&watch->out_segment, GST_FORMAT_UNDEFINED);
  watch->first_key = watch->last_in = watch->next_dts = GST_CLOCK_TIME_NONE;
  watch->pending = g_array_new (FALSE, FALSE, sizeof (guint64));
  watch->lost_data = g_array_new (FALSE, FALSE, sizeof (ReportSpan));
  watch->discontinuities = g_array_new (FALSE, FALSE, sizeof (ReportSpan));
  return watch;
}

/* @has_own_times: atomic: see time_of(); must live as long as the watch
 * Returns: (transfer full): to be freed when the decoder has stopped */
ReportDecoderWatch *
report_decoder_watch_new (GstElement * decoder, gint * has_own_times)
{
  ReportDecoderWatch *watch = decoder_watch_new (strstr
      (gst_element_get_metadata (decoder, GST_ELEMENT_METADATA_KLASS),
          "Audio") == NULL);
  g_autoptr (GstPad) sink = gst_element_get_static_pad (decoder, "sink");
  g_autoptr (GstPad) source = gst_element_get_static_pad (decoder, "src");

  watch->element = gst_object_ref (decoder);
  watch->has_own_times = has_own_times;
  if (sink != NULL)
    add_probe (sink, on_entering, watch);
  if (source != NULL)
    add_probe (source, on_leaving, watch);
  return watch;
}

/* Of a decoder that is no element: report_decoder_watch_take_packet() and report_decoder_watch_take_frame() are called.
 *
 * Returns: (transfer full): to be freed when the decoder has stopped */
ReportDecoderWatch *
report_decoder_watch_new_of_libav (gboolean is_video)
{
  return decoder_watch_new (is_video);
}

/* Some parsers mark each buffer as a discontinuity (jpeg2000parse 1.22): such a mark means nothing. One that has lost data marks
 * the next buffer alone.
 *
 * Returns: whether discontinuities show that data is missing */
gboolean
report_discontinuities_tell (const ReportDecoderWatch * watch)
{
  return watch->n_discontinuous <= watch->n_in / 2;
}

void
report_decoder_watch_free (ReportDecoderWatch * watch)
{
  g_clear_object (&watch->element);
  g_array_unref (watch->pending);
  g_array_unref (watch->lost_data);
  g_array_unref (watch->discontinuities);
  g_mutex_clear (&watch->lock);
  g_free (watch);
}

/* ---- Streams ---------------------------------------------------------------------------------- */

static void
take_caps (ReportStreamWatch * watch, GstEvent * event)
{
  GstCaps *caps;
  const GstStructure *structure;
  gint numerator, denominator;

  gst_event_parse_caps (event, &caps);
  structure = gst_caps_get_structure (caps, 0);
  watch->is_audio = report_caps_are_audio (caps);
  gst_audio_info_init (&watch->audio);
  if (watch->is_audio && gst_audio_info_from_caps (&watch->audio, caps)) {
    watch->rate = watch->audio.rate;
    watch->frame_bytes = watch->audio.bpf;
  }
  if (!watch->is_audio && !gst_video_info_from_caps (&watch->video, caps))
    gst_video_info_init (&watch->video);
  watch->frame_rate = 0;
  if (gst_structure_get_fraction (structure, "framerate", &numerator,
          &denominator) && numerator > 0 && denominator > 0)
    watch->frame_rate = (gdouble) numerator / denominator;
}

static void
add_distance (ReportStreamWatch * watch, guint64 time)
{
  const guint64 distance = time - watch->last;
  ReportRun new_one = { watch->last, distance, 1 };

  if (watch->runs->len > 0) {
    ReportRun *run = &g_array_index (watch->runs, ReportRun,
        watch->runs->len - 1);
    const guint64 mean = run->sum / run->count;

    if (ABS (GST_CLOCK_DIFF (mean, distance)) <= REPORT_ROUNDING) {
      run->sum += distance;
      run->count++;
      return;
    }
  }
  g_array_append_val (watch->runs, new_one);
}

/* Returns: 0: unknown */
static guint64
samples_of (const ReportStreamWatch * watch, GstBuffer * buffer)
{
  const GstAudioMeta *meta = gst_buffer_get_audio_meta (buffer);

  if (!watch->is_audio || watch->rate == 0 || watch->frame_bytes == 0)
    return 0;
  return meta != NULL ? meta->samples :
      gst_buffer_get_size (buffer) / watch->frame_bytes;
}

static guint64
duration_of (const ReportStreamWatch * watch, GstBuffer * buffer)
{
  if (watch->is_audio && watch->rate > 0 && watch->frame_bytes > 0)
    return gst_util_uint64_scale (samples_of (watch, buffer), GST_SECOND,
        watch->rate);
  return GST_BUFFER_DURATION_IS_VALID (buffer) ?
      GST_BUFFER_DURATION (buffer) : 0;
}

static void
add_to_span (ReportSpan * span, guint64 start, guint64 end)
{
  if (span->count++ == 0)
    span->start = start;
  span->end = end;
}

/* Times of sound may jitter: where a container has packets of bytes, the time of a packet is that of some
 * sample near its begin. So what counts is by how much the times are ahead of the samples that have
 * come, and for how long: after a gap they stay ahead. */
static void
accept_gap (ReportStreamWatch * watch)
{
  ReportAhead *ahead = &watch->ahead;
  const guint64 length = ahead->least - ahead->usual;

  add_place (watch->gaps, ahead->place, ahead->place + length,
      gst_util_uint64_scale_round (length, watch->rate, GST_SECOND));
  ahead->usual = ahead->least;
  ahead->n = 0;
}

static void
take_sound (ReportStreamWatch * watch, guint64 time, guint64 duration)
{
  const gint64 tolerance = MAX (LEAST_SOUND_GAP,
      (guint64) (SOUND_GAP_SHARE * duration));
  const gint64 overlap = MAX (tolerance,
      (gint64) (SOUND_OVERLAP_SHARE * duration));
  ReportAhead *ahead = &watch->ahead;
  gint64 now;

  if (watch->n_buffers <= FIRST_SOUND) {
    ahead->first = time;
    ahead->sum = duration;
    return;
  }
  now = GST_CLOCK_DIFF (ahead->first + ahead->sum, time);
  ahead->sum += duration;
  if (now > ahead->usual + tolerance) {
    if (ahead->n++ == 0) {
      ahead->place = watch->end;
      ahead->least = now;
    }
    ahead->least = MIN (ahead->least, now);
    if (ahead->n >= ENOUGH_AHEAD)
      accept_gap (watch);
    return;
  }
  ahead->n = 0;
  if (now >= ahead->usual - overlap) {
    ahead->n_behind = 0;
    /* Clocks drift. */
    ahead->usual += (now - ahead->usual) / SLOWNESS;
  } else if (++ahead->n_behind >= ENOUGH_AHEAD) {
    add_to_span (&watch->backwards, time, watch->end);
    add_place (watch->overlaps, time, watch->end, 1);
    ahead->usual = now;
    ahead->n_behind = 0;
  }
}

/* Containers and decoders say for each frame whether it is interlaced, or for all of them. */
static void
count_fields (ReportStreamWatch * watch, GstBuffer * buffer)
{
  const GstVideoInterlaceMode mode =
      GST_VIDEO_INFO_INTERLACE_MODE (&watch->video);
  const gboolean is_interlaced = mode == GST_VIDEO_INTERLACE_MODE_MIXED ?
      GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED) :
      GST_VIDEO_INFO_IS_INTERLACED (&watch->video);

  if (mode == GST_VIDEO_INTERLACE_MODE_ALTERNATE) {
    watch->n_fields++;
    return;
  }
  if (!is_interlaced)
    return;
  watch->n_interlaced++;
  /* The flag of a frame says it only if there are both kinds, or if the decoder reads it from the data. */
  watch->has_order = watch->has_order || mode == GST_VIDEO_INTERLACE_MODE_MIXED
      || GST_VIDEO_INFO_FIELD_ORDER (&watch->video) != GST_VIDEO_FIELD_ORDER_UNKNOWN
      || (watch->said != NULL && watch->said->tells_fields);
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_TFF)
      || (mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED
          && GST_VIDEO_INFO_FIELD_ORDER (&watch->video) ==
          GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST))
    watch->n_top++;
}

static void
take_buffer (ReportStreamWatch * watch, GstBuffer * buffer)
{
  const guint64 time = time_of (&watch->segment,
      watch->has_own_times, GST_BUFFER_PTS (buffer));
  const guint64 duration = duration_of (watch, buffer);
  const ReportSpan corrupted = { time, GST_CLOCK_TIME_IS_VALID (time) ?
        time + duration : GST_CLOCK_TIME_NONE, 1
  };

  if (watch->n_buffers++ == 0) {
    const GstVideoTimeCodeMeta *meta =
        gst_buffer_get_video_time_code_meta (buffer);

    if (meta != NULL && gst_video_time_code_is_valid (&meta->tc))
      watch->timecode = gst_video_time_code_to_string (&meta->tc);
  }
  watch->n_bytes += gst_buffer_get_size (buffer);
  watch->n_samples += samples_of (watch, buffer);
  if (!watch->is_audio)
    count_fields (watch, buffer);
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_CORRUPTED)
      && watch->corrupted->len < MOST_PLACES)
    g_array_append_val (watch->corrupted, corrupted);
  if (!GST_BUFFER_PTS_IS_VALID (buffer)) {
    watch->n_untimed++;
    watch->is_untimed = TRUE;
  }
  if (!GST_CLOCK_TIME_IS_VALID (time))
    return;
  if (!GST_CLOCK_TIME_IS_VALID (watch->first))
    watch->first = time;
  if (watch->is_audio) {
    take_sound (watch, time, duration);
  } else if (GST_CLOCK_TIME_IS_VALID (watch->last)) {
    if (time < watch->last) {
      add_place (watch->jumps_back, time, watch->last, 1);
      add_to_span (&watch->backwards, time, watch->last);
    } else if (!watch->is_untimed) {
      add_distance (watch, time);
    }
  }
  watch->last = time;
  watch->end = time + duration;
  watch->is_untimed = FALSE;
  watch->latest_timestamp = GST_BUFFER_PTS (buffer) + duration;
}

static void
take_event (ReportStreamWatch * watch, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    take_segment (event, &watch->segment);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
    take_caps (watch, event);
}

/* One that has passed before. */
static void
take_sticky_event (ReportStreamWatch * watch, GstEventType type)
{
  g_autoptr (GstEvent) event = gst_pad_get_sticky_event (watch->pad, type, 0);

  if (event == NULL)
    return;
  g_mutex_lock (&watch->lock);
  take_event (watch, event);
  g_mutex_unlock (&watch->lock);
}

static GstPadProbeReturn
on_stream (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  ReportStreamWatch *watch = data;

  g_mutex_lock (&watch->lock);
  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) != 0)
    take_buffer (watch, GST_PAD_PROBE_INFO_BUFFER (info));
  else
    take_event (watch, GST_PAD_PROBE_INFO_EVENT (info));
  g_mutex_unlock (&watch->lock);
  return GST_PAD_PROBE_OK;
}

/* Sound that has ended: what is ahead stays so.
 *
 * @has_times: the times of sound are those of the container, not estimated */
void
report_stream_watch_finish (ReportStreamWatch * watch, gboolean has_times)
{
  g_mutex_lock (&watch->lock);
  if (watch->ahead.n > 0 && has_times)
    accept_gap (watch);
  if (watch->timecode == NULL && !watch->is_audio)
    watch->timecode = report_pad_find_timecode (watch->pad);
  g_mutex_unlock (&watch->lock);
}

/* @pad: which gives what is measured
 * @id: (transfer full) (nullable): of the stream
 * @has_own_times: as above
 * Returns: (transfer full): to be freed when the pad has stopped */
ReportStreamWatch *
report_stream_watch_new (GstPad * pad, gchar * id, gint * has_own_times)
{
  ReportStreamWatch *watch = g_new0 (ReportStreamWatch, 1);

  watch->pad = gst_object_ref (pad);
  watch->id = id;
  watch->has_own_times = has_own_times;
  g_mutex_init (&watch->lock);
  gst_segment_init (&watch->segment, GST_FORMAT_UNDEFINED);
  gst_audio_info_init (&watch->audio);
  gst_video_info_init (&watch->video);
  watch->first = watch->last = watch->end = GST_CLOCK_TIME_NONE;
  watch->runs = g_array_new (FALSE, FALSE, sizeof (ReportRun));
  watch->gaps = g_array_new (FALSE, FALSE, sizeof (ReportSpan));
  watch->overlaps = g_array_new (FALSE, FALSE, sizeof (ReportSpan));
  watch->jumps_back = g_array_new (FALSE, FALSE, sizeof (ReportSpan));
  watch->corrupted = g_array_new (FALSE, FALSE, sizeof (ReportSpan));
  add_probe (pad, on_stream, watch);
  take_sticky_event (watch, GST_EVENT_CAPS);
  take_sticky_event (watch, GST_EVENT_SEGMENT);
  return watch;
}

/* Whether frames that are not interlaced are said to be progressive: by the data, or by the file. If nobody could read the
 * file, GStreamer is believed. */
gboolean
report_stream_watch_knows_fields (const ReportStreamWatch * watch)
{
  const ReportSaidStream *said = watch->said;

  return said == NULL || said->tells_fields
      || said->container.field_order != REPORT_ORDER_UNSAID
      || said->bitstream.field_order != REPORT_ORDER_UNSAID;
}

void
report_stream_watch_free (ReportStreamWatch * watch)
{
  gst_object_unref (watch->pad);
  g_array_unref (watch->runs);
  g_array_unref (watch->gaps);
  g_array_unref (watch->overlaps);
  g_array_unref (watch->jumps_back);
  g_array_unref (watch->corrupted);
  g_clear_pointer (&watch->decoder, report_decoder_watch_free);
  g_free (watch->timecode);
  g_free (watch->id);
  g_mutex_clear (&watch->lock);
  g_free (watch);
}
