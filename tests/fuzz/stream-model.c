/* What the stream fuzzer expects of the element; see stream-model.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stream-model.h"

#include "reference.h"

const gchar *const stream_caps[N_STREAM_CAPS] = {
  "video/x-raw, format=GRAY8, width=16, height=8, framerate=25/1",
  "video/x-raw, format=NV12, width=18, height=6, framerate=25/1",
  "video/x-raw, format=RGBA, width=5, height=3, framerate=0/1",
  "video/x-raw, format=GRAY10_LE32, width=7, height=3, framerate=25/1",
  "audio/x-raw, format=U8, channels=1, rate=8000, layout=interleaved",
  "audio/x-raw, format=S16LE, channels=2, rate=48000, layout=interleaved, "
      "channel-mask=(bitmask)3",
  "audio/x-raw, format=F32LE, channels=3, rate=44100, layout=non-interleaved, "
      "channel-mask=(bitmask)0",
};

typedef struct
{
  gboolean is_video;
  GstVideoInfo video;
  GstAudioInfo audio;
  gsize size;
} CapsInfo;

static const CapsInfo *
get_info (guint caps)
{
  static CapsInfo infos[N_STREAM_CAPS];
  static gsize is_ready = 0;

  if (g_once_init_enter (&is_ready)) {
    for (guint i = 0; i < N_STREAM_CAPS; i++) {
      GstCaps *parsed = gst_caps_from_string (stream_caps[i]);
      CapsInfo *info = &infos[i];

      info->is_video = g_str_has_prefix (stream_caps[i], "video");
      fuzz_check (info->is_video ? gst_video_info_from_caps (&info->video,
              parsed) : gst_audio_info_from_caps (&info->audio, parsed), "%s",
          stream_caps[i]);
      info->size = info->is_video ? GST_VIDEO_INFO_SIZE (&info->video) :
          (gsize) 24 * GST_AUDIO_INFO_BPF (&info->audio);
      gst_caps_unref (parsed);
    }
    g_once_init_leave (&is_ready, 1);
  }
  return &infos[caps];
}

gsize
stream_buffer_size (guint caps)
{
  return get_info (caps)->size;
}

/* The middle of a sample must lie between the edges; in units of 1/rate of a nanosecond. */
static void
clip_sound (StreamBuffer * buffer, const GstAudioInfo * info,
    const GstSegment * segment)
{
  const guint n = buffer->size / GST_AUDIO_INFO_BPF (info);

  buffer->first = n;
  buffer->end = 0;
  for (guint i = 0; i < n; i++) {
    const guint64 time = buffer->pts * info->rate + i * GST_SECOND
        + GST_SECOND / 2;

    if (time > segment->start * info->rate
        && (!GST_CLOCK_TIME_IS_VALID (segment->stop)
            || time <= segment->stop * info->rate)) {
      buffer->first = MIN (buffer->first, i);
      buffer->end = i + 1;
    }
  }
}

gboolean
stream_clip (StreamBuffer * buffer, const GstSegment * segment)
{
  const CapsInfo *info = get_info (buffer->caps);
  const GstClockTime start = buffer->pts;
  gboolean is_before_stop;

  if (!info->is_video && buffer->size > 0) {
    clip_sound (buffer, &info->audio, segment);
    return buffer->first < buffer->end;
  }
  buffer->first = buffer->end = 0;
  /* A segment of one moment has a begin that is inside. */
  is_before_stop = !GST_CLOCK_TIME_IS_VALID (segment->stop)
      || start < segment->stop || (start == segment->stop
      && segment->start == segment->stop);
  return is_before_stop && (start >= segment->start || (info->is_video
          && start + GST_MSECOND > segment->start));
}

/* ---- Results ------------------------------------------------------------------------------------ */

static void
compare_component (const GstStructure * result, const gchar * name,
    const ReferenceStatistics * expected, const StreamBuffer * buffer)
{
  const GValue *value = gst_structure_get_value (result, name);
  const GstStructure *fields;
  guint64 count = 0;
  gdouble min = 0, max = 0;
  GBytes *bytes = NULL;

  fuzz_check (value != NULL && GST_VALUE_HOLDS_STRUCTURE (value),
      "buffer %" G_GUINT64_FORMAT " has no %s", buffer->id, name);
  fields = gst_value_get_structure (value);
  gst_structure_get (fields, "count", G_TYPE_UINT64, &count, "min",
      G_TYPE_DOUBLE, &min, "max", G_TYPE_DOUBLE, &max, NULL);
  fuzz_check (count == expected->count && (count == 0
          || expected->min != expected->min
          || (min == expected->min && max == expected->max)),
      "buffer %" G_GUINT64_FORMAT " %s: count %" G_GUINT64_FORMAT ", %g to %g",
      buffer->id, name, count, min, max);
  gst_structure_get (fields, "histogram", G_TYPE_BYTES, &bytes, NULL);
  if (!buffer->has_histogram)
    g_clear_pointer (&bytes, g_bytes_unref);
  else
    fuzz_check (bytes != NULL && g_bytes_get_size (bytes) ==
        4 * expected->bins, "buffer %" G_GUINT64_FORMAT " %s: no histogram",
        buffer->id, name);
  for (guint i = 0; bytes != NULL && i < expected->bins; i++)
    fuzz_check (GST_READ_UINT32_LE ((const guint8 *) g_bytes_get_data (bytes,
                NULL) + 4 * i) == expected->histogram[i],
        "buffer %" G_GUINT64_FORMAT " %s: bin %u", buffer->id, name, i);
  g_clear_pointer (&bytes, g_bytes_unref);
}

static void
compare_video (const GstStructure * result, const GstVideoInfo * info,
    const guint8 * bytes, const StreamBuffer * buffer)
{
  const guint8 *data[4] = { NULL, };
  ReferenceShape shape;
  guint32 samples[256];

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++)
    data[p] = bytes + info->offset[p];
  reference_video_shape (GST_VIDEO_INFO_FORMAT (info), info->width,
      info->height, &shape);
  for (guint c = 0; c < shape.n_components; c++) {
    ReferenceStatistics expected;

    reference_video_samples (GST_VIDEO_INFO_FORMAT (info), info->width,
        info->height, data, info->stride, c, samples);
    reference_video_statistics (samples, shape.widths[c] * shape.heights[c],
        shape.depths[c], 0, 0, 0, &expected);
    compare_component (result, shape.names[c], &expected, buffer);
    reference_statistics_clear (&expected);
  }
}

static void
compare_audio (const GstStructure * result, const GstAudioInfo * info,
    const guint8 * bytes, const StreamBuffer * buffer)
{
  const gboolean is_planar = info->layout == GST_AUDIO_LAYOUT_NON_INTERLEAVED;
  const gsize width = GST_AUDIO_INFO_WIDTH (info) / 8;
  const gsize n_all = buffer->size / GST_AUDIO_INFO_BPF (info);
  gsize first = buffer->first, n = buffer->end - buffer->first;
  guint64 n_measured = G_MAXUINT64;
  gdouble samples[256];

  gst_structure_get_uint64 (result, "samples", &n_measured);
  if (buffer->may_be_whole && n_measured == n_all) {
    first = 0;
    n = n_all;
  }
  fuzz_check (n_measured == n, "buffer %" G_GUINT64_FORMAT ": %"
      G_GUINT64_FORMAT " samples", buffer->id, n_measured);
  for (gint c = 0; c < info->channels; c++) {
    ReferenceStatistics expected;
    gchar name[16];

    g_snprintf (name, sizeof name, "ch%d", c);
    reference_audio_samples (GST_AUDIO_INFO_FORMAT (info),
        bytes + c * width * (is_planar ? n_all : 1)
        + first * width * (is_planar ? 1 : info->channels), n,
        is_planar ? width : width * info->channels, samples);
    reference_audio_statistics (samples, n, GST_AUDIO_INFO_FORMAT (info), 0, 0,
        0, &expected);
    compare_component (result, name, &expected, buffer);
    reference_statistics_clear (&expected);
  }
}

static void
compare_result (const GstStructure * result, const StreamBuffer * buffer)
{
  const CapsInfo *info = get_info (buffer->caps);
  guint8 *bytes = g_malloc (MAX (buffer->size, 1));

  fuzz_fill (bytes, buffer->size, buffer->id);
  if (info->is_video)
    compare_video (result, &info->video, bytes, buffer);
  else
    compare_audio (result, &info->audio, bytes, buffer);
  g_free (bytes);
}

/* The buffer holds what it held when it entered. */
static void
compare_bytes (GstBuffer * buffer, const StreamBuffer * expected)
{
  guint8 *bytes = g_malloc (MAX (expected->size, 1));

  fuzz_fill (bytes, expected->size, expected->id);
  fuzz_check (gst_buffer_get_size (buffer) == expected->size
      && gst_buffer_memcmp (buffer, 0, bytes, expected->size) == 0
      && GST_BUFFER_PTS (buffer) == expected->pts,
      "buffer %" G_GUINT64_FORMAT " has changed", expected->id);
  g_free (bytes);
}

/* ---- Items -------------------------------------------------------------------------------------- */

typedef struct
{
  guint32 event;                /* its number; 0: a buffer */
  StreamBuffer buffer;
} Item;

void
model_init (StreamModel * model)
{
  memset (model, 0, sizeof *model);
  g_mutex_init (&model->lock);
  g_cond_init (&model->changed);
}

static void
drop_all (StreamModel * model)
{
  g_queue_clear_full (&model->items, g_free);
  g_queue_clear_full (&model->messages, g_free);
}

void
model_clear (StreamModel * model)
{
  drop_all (model);
  gst_clear_caps (&model->caps);
  g_mutex_clear (&model->lock);
  g_cond_clear (&model->changed);
}

void
model_loosen (StreamModel * model)
{
  g_mutex_lock (&model->lock);
  model->is_loose = TRUE;
  g_cond_broadcast (&model->changed);
  g_mutex_unlock (&model->lock);
}

void
model_restart (StreamModel * model)
{
  g_mutex_lock (&model->lock);
  model->is_loose = FALSE;
  drop_all (model);
  g_mutex_unlock (&model->lock);
}

static void
enter (StreamModel * model, const Item * item)
{
  g_mutex_lock (&model->lock);
  g_queue_push_tail (&model->items, g_memdup2 (item, sizeof *item));
  if (item->event == 0 && item->buffer.message != RESULT_NO)
    g_queue_push_tail (&model->messages, g_memdup2 (&item->buffer,
            sizeof item->buffer));
  g_mutex_unlock (&model->lock);
}

void
model_enter_buffer (StreamModel * model, const StreamBuffer * buffer)
{
  enter (model, &(Item) {.buffer = *buffer });
}

static gboolean
is_followed (GstEvent * event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEGMENT:
    case GST_EVENT_GAP:
    case GST_EVENT_EOS:
    case GST_EVENT_CUSTOM_DOWNSTREAM:
      return TRUE;
    default:
      return FALSE;
  }
}

void
model_enter_event (StreamModel * model, GstEvent * event)
{
  if (is_followed (event))
    enter (model, &(Item) {.event = gst_event_get_seqnum (event) });
}

/* An element that posts an error of the flow ends the stream itself. Under the lock */
static gboolean
is_own_end (StreamModel * model, GstEvent * event)
{
  if (!model->is_loose || GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    return FALSE;
  for (GList * link = model->items.head; link != NULL; link = link->next) {
    if (((Item *) link->data)->event == gst_event_get_seqnum (event))
      return FALSE;
  }
  return TRUE;
}

/* The item that leaves. In a strict model it must be the first one. (transfer full). Under the lock */
static Item *
leave (StreamModel * model, guint32 event, guint64 id)
{
  Item *item;

  while ((item = g_queue_pop_head (&model->items)) != NULL) {
    if (item->event == event && (event != 0 || item->buffer.id == id))
      return item;
    if (!model->is_loose)
      break;
    g_free (item);
  }
  if (event != 0)
    fuzz_fail ("event %u leaves out of turn", event);
  fuzz_fail ("buffer %" G_GUINT64_FORMAT " leaves out of turn: %s", id,
      item == NULL ? "nothing is inside" : item->event != 0 ?
      "an event comes before it" : "another one comes before it");
}

void
model_leave_buffer (StreamModel * model, GstBuffer * buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "cudahisto");
  GstCaps *caps;
  Item *item;

  g_mutex_lock (&model->lock);
  item = leave (model, 0, GST_BUFFER_OFFSET (buffer));
  caps = gst_caps_from_string (stream_caps[item->buffer.caps]);
  fuzz_check (model->caps != NULL && gst_caps_is_equal (model->caps, caps),
      "buffer %" G_GUINT64_FORMAT " leaves with other caps", item->buffer.id);
  gst_caps_unref (caps);
  model->n_buffers++;
  model->n_results += meta != NULL;
  g_cond_broadcast (&model->changed);
  g_mutex_unlock (&model->lock);

  compare_bytes (buffer, &item->buffer);
  fuzz_check (item->buffer.result == RESULT_MAYBE
      || (item->buffer.result == RESULT_YES) == (meta != NULL),
      "buffer %" G_GUINT64_FORMAT " has %s result", item->buffer.id,
      meta != NULL ? "a" : "no");
  if (meta != NULL)
    compare_result (gst_custom_meta_get_structure (meta), &item->buffer);
  g_free (item);
}

void
model_leave_event (StreamModel * model, GstEvent * event)
{
  GstCaps *caps;

  g_mutex_lock (&model->lock);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    gst_caps_replace (&model->caps, caps);
  }
  /* A pad sends its segment again after it was linked again. */
  if (is_followed (event) && gst_event_get_seqnum (event) != model->segment
      && !is_own_end (model, event)) {
    g_free (leave (model, gst_event_get_seqnum (event), 0));
    model->n_events++;
    if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
      model->segment = gst_event_get_seqnum (event);
  }
  g_cond_broadcast (&model->changed);
  g_mutex_unlock (&model->lock);
}

/* ---- Messages ----------------------------------------------------------------------------------- */

void
model_leave_message (StreamModel * model, GstMessage * message)
{
  const GstStructure *result = gst_message_get_structure (message);
  StreamBuffer *buffer = NULL;
  guint64 timestamp = 0;
  GList *link;

  gst_structure_get_uint64 (result, "timestamp", &timestamp);
  g_mutex_lock (&model->lock);
  for (link = model->messages.head; link != NULL
      && ((StreamBuffer *) link->data)->pts != timestamp; link = link->next)
    continue;
  fuzz_check (link != NULL || model->is_loose, "a message of time %"
      G_GUINT64_FORMAT " comes that must not, or comes again", timestamp);
  while (link != NULL && buffer == NULL) {
    const gboolean is_last = model->messages.head == link;

    buffer = g_queue_pop_head (&model->messages);
    if (is_last)
      break;
    fuzz_check (model->is_loose || buffer->message == RESULT_MAYBE,
        "the message of buffer %" G_GUINT64_FORMAT " does not come",
        buffer->id);
    g_clear_pointer (&buffer, g_free);
  }
  model->n_messages++;
  g_cond_broadcast (&model->changed);
  g_mutex_unlock (&model->lock);
  if (buffer != NULL)
    compare_result (result, buffer);
  g_free (buffer);
}

/* Whether a message must still come. Under the lock */
static gboolean
misses_message (const StreamModel * model)
{
  for (const GList * link = model->messages.head; link != NULL;
      link = link->next) {
    if (((const StreamBuffer *) link->data)->message == RESULT_YES)
      return TRUE;
  }
  return FALSE;
}

void
model_check_drained (StreamModel * model, gboolean waits)
{
  g_mutex_lock (&model->lock);
  while (waits && !model->is_loose && !g_queue_is_empty (&model->items))
    g_cond_wait (&model->changed, &model->lock);
  fuzz_check (model->is_loose || g_queue_is_empty (&model->items),
      "%u items have not left", g_queue_get_length (&model->items));
  /* The publishing thread may still post. */
  while (!model->is_loose && misses_message (model))
    g_cond_wait (&model->changed, &model->lock);
  g_mutex_unlock (&model->lock);
}
