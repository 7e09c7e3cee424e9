/* The result as applications see it: a GstStructure on the buffer and on the bus.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/write.h"

#include "result/write-audio.h"
#include "result/write-fields.h"
#include "result/write-region.h"

/* Constant after histo_write_init(). */
static const GstMetaInfo *meta_info;

/* Makes the names known and registers the meta. To be called once, before all others here.
 *
 * The meta has no tags. Video and audio converters both keep a meta without tags; they drop
 * those that are tagged "size" or "colorspace". */
void
histo_write_init (void)
{
  static const gchar *no_tags[] = { NULL };

  histo_write_fields_init ();
  histo_write_region_init ();
  histo_write_audio_init ();
  meta_info = gst_meta_get_info (HISTO_RESULT_NAME);
  if (meta_info == NULL)
    meta_info =
        gst_meta_register_custom (HISTO_RESULT_NAME, no_tags, NULL, NULL, NULL);
  else if (!gst_meta_info_is_custom (meta_info))
    meta_info = NULL;
}

/**
 * histo_write_result:
 * @structure: empty, named "cudahisto"
 *
 * Writes all fields but the times.
 */
void
histo_write_result (const HistoResult * result, GstStructure * structure)
{
  set_uint (structure, FIELD (schema), HISTO_RESULT_SCHEMA);
  set_string (structure, FIELD (media),
      result->is_audio ? HISTO_MEDIA_AUDIO : HISTO_MEDIA_VIDEO);
  set_string (structure, FIELD (format), result->format);
  if (result->is_audio) {
    set_int (structure, FIELD (rate), result->rate);
    set_int (structure, FIELD (channels), result->channels);
    set_uint64 (structure, FIELD (samples), result->n_samples);
  } else {
    set_int (structure, FIELD (width), result->width);
    set_int (structure, FIELD (height), result->height);
  }
  set_copied_string (structure, FIELD (colorimetry), result->colorimetry);
  set_string (structure, FIELD (backend), result->backend);
  histo_write_region (result, 0, structure);
  if (result->n_regions > 1)
    histo_write_regions (result, structure);
  if (histo_result_has_group (result, HISTO_GROUP_LOUDNESS))
    histo_write_loudness (result, structure);
}

/* @buffer: a writable one
 * Returns: (transfer none) (nullable): a meta of that name that is locked, and so cannot be removed */
static GstMeta *
remove_earlier (GstBuffer * buffer)
{
  GstMeta *meta;

  while ((meta = gst_buffer_get_meta (buffer, meta_info->api)) != NULL
      && !GST_META_FLAG_IS_SET (meta, GST_META_FLAG_LOCKED))
    gst_buffer_remove_meta (buffer, meta);
  return meta;
}

/**
 * histo_write_detach:
 * @buffer: (inout) (transfer full): not mapped; becomes a copy that shares its memory if it has a
 * result, and others hold the buffer too
 *
 * Removes the results of elements upstream. One that is locked becomes empty.
 */
void
histo_write_detach (GstBuffer ** buffer)
{
  GstMeta *meta;

  if (meta_info == NULL
      || gst_buffer_get_meta (*buffer, meta_info->api) == NULL)
    return;
  *buffer = gst_buffer_make_writable (*buffer);
  meta = remove_earlier (*buffer);
  if (meta != NULL && gst_meta_info_is_custom (meta->info))
    gst_structure_remove_all_fields (gst_custom_meta_get_structure (
            (GstCustomMeta *) meta));
}

/**
 * histo_write_attach:
 * @buffer: (inout) (transfer full): not mapped; becomes a copy that shares its memory if
 * others hold the buffer too
 *
 * Adds the meta. A meta of the same name from an element upstream is removed, so that
 * gst_buffer_get_custom_meta() finds the new one. An earlier result that is locked cannot be
 * removed; its structure is emptied and used again.
 *
 * Returns: (transfer none) (nullable): the meta's structure, empty; %NULL if nobody could find
 * the result, because another plugin has registered a meta of this name, or has locked a meta
 * of this API that is no #GstCustomMeta
 */
GstStructure *
histo_write_attach (GstBuffer ** buffer)
{
  GstStructure *structure;
  GstMeta *meta;

  if (meta_info == NULL)
    return NULL;
  *buffer = gst_buffer_make_writable (*buffer);
  meta = remove_earlier (*buffer);
  /* As gst_buffer_add_custom_meta(), which looks the name up. */
  if (meta == NULL)
    meta = gst_buffer_add_meta (*buffer, meta_info, NULL);
  if (!gst_meta_info_is_custom (meta->info))
    return NULL;
  structure = gst_custom_meta_get_structure ((GstCustomMeta *) meta);
  gst_structure_remove_all_fields (structure);
  return structure;
}

static void
set_times (GstStructure * structure, const HistoTimes * times)
{
  set_uint64 (structure, FIELD (timestamp), times->timestamp);
  set_uint64 (structure, FIELD (stream_time), times->stream_time);
  set_uint64 (structure, FIELD (running_time),
      times->running_time);
  set_uint64 (structure, FIELD (duration), times->duration);
}

/**
 * histo_write_message:
 * @structure: (transfer full): a written result; becomes the message's structure
 * @source: of the message
 *
 * Returns: (transfer full): an element message with the fields of the result and the times
 */
GstMessage *
histo_write_message (GstStructure * structure, const HistoTimes * times,
    GstObject * source)
{
  set_times (structure, times);
  return gst_message_new_element (source, structure);
}

/**
 * histo_write_window:
 * @result: of a window
 * @times: begin and duration of the window
 * @n_buffers: that were measured in the window
 * @source: of the message
 *
 * Returns: (transfer full): an element message with the fields of the result, the number of
 *   buffers, and the times
 */
GstMessage *
histo_write_window (const HistoResult * result, const HistoTimes * times,
    guint64 n_buffers, GstObject * source)
{
  GstStructure *structure = gst_structure_new_empty (HISTO_WINDOW_NAME);

  histo_write_result (result, structure);
  set_times (structure, times);
  set_uint64 (structure, FIELD (buffers), n_buffers);
  return gst_message_new_element (source, structure);
}

static const gchar *const alert_names[HISTO_N_ALERTS] = {
#define NAME(identifier, name, group, description) name,
  HISTO_ALERTS (NAME)
#undef NAME
};

/* All fields but the times. @alert: (out): empty */
static void
write_event (const HistoAlertEvent * event, GstStructure * alert)
{
  set_string (alert, FIELD (type), alert_names[event->alert]);
  set_string (alert, FIELD (state),
      event->is_end ? HISTO_STATE_END : HISTO_STATE_BEGIN);
  set_copied_string (alert, FIELD (component), event->component);
  set_copied_string (alert, FIELD (channel), event->channel);
  set_copied_string (alert, FIELD (region), event->region);
  set_uint64 (alert, FIELD (start), event->start);
  set_uint64 (alert, FIELD (end), event->end);
  set_double (alert, FIELD (value), event->value);
  set_double (alert, FIELD (threshold), event->threshold);
}

/**
 * histo_write_alerts:
 * @alerts: (element-type HistoAlertEvent) (nullable): those that the buffer of the result has
 * @structure: (inout): of a result; gets no field if there is no alert
 */
void
histo_write_alerts (const GArray * alerts, GstStructure * structure)
{
  GValue array = G_VALUE_INIT;

  if (alerts == NULL || alerts->len == 0)
    return;
  gst_value_array_init (&array, alerts->len);
  for (guint i = 0; i < alerts->len; i++) {
    GstStructure *alert = gst_structure_new_empty (HISTO_ALERT_NAME);
    GValue value = G_VALUE_INIT;

    write_event (&g_array_index (alerts, HistoAlertEvent, i), alert);
    g_value_init (&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&value, alert);
    gst_value_array_append_and_take_value (&array, &value);
  }
  take_value (structure, FIELD (alerts), &array);
}

/**
 * histo_write_alert:
 * @times: of the buffer with which the alert begins or ends; its duration is not written
 * @source: of the message
 *
 * Returns: (transfer full): an element message about the alert. `duration` is that of the alert
 */
GstMessage *
histo_write_alert (const HistoAlertEvent * event, const HistoTimes * times,
    GstObject * source)
{
  GstStructure *structure = gst_structure_new_empty (HISTO_ALERT_NAME);
  HistoTimes message_times = *times;

  write_event (event, structure);
  message_times.duration = GST_CLOCK_TIME_NONE;
  if (GST_CLOCK_TIME_IS_VALID (event->start)
      && GST_CLOCK_TIME_IS_VALID (event->end) && event->end >= event->start)
    message_times.duration = event->end - event->start;
  set_times (structure, &message_times);
  return gst_message_new_element (source, structure);
}
