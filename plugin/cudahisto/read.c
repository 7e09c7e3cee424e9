/* Reads a result from the GstStructure of a meta or a message.
 *
 * The structure may come from anywhere: each field is checked for presence and type.
 * Fields with other names are ignored, because later versions add some. No text is interned:
 * interned texts are never freed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/read.h"

#include "cudahisto/read-audio.h"
#include "cudahisto/read-fields.h"
#include "cudahisto/read-region.h"

#include <string.h>

/* Longer texts are none of the element's, of any version. */
#define MOST_TEXT_BYTES 256

/* Any text: other versions know other formats, engines and colorimetries.
 *
 * @own: (inout): keeps the copy for the result
 * @text: (out): the same */
static gboolean
get_string (const GstStructure * structure, const gchar * name, gchar ** own,
    const gchar ** text, GError ** error)
{
  const gchar *found = histo_read_text (structure, name, error);

  if (found == NULL)
    return FALSE;
  if (strlen (found) > MOST_TEXT_BYTES || !g_utf8_validate (found, -1, NULL))
    return histo_read_fail (structure, name, "is no short UTF-8 text", error);
  if (g_strcmp0 (*own, found) != 0) {
    g_free (*own);
    *own = g_strdup (found);
  }
  *text = *own;
  return TRUE;
}

/* ---- The result ----------------------------------------------------------------------- */

/* Reads the width or the height of the picture. */
static gboolean
read_size (const GstStructure * structure, const gchar * name, gint * size,
    GError ** error)
{
  return histo_read_int (structure, name, size, error)
      && (*size >= 0 || histo_read_fail (structure, name, "is negative",
          error));
}

static gboolean
read_media (const GstStructure * structure, HistoResult * result,
    GError ** error)
{
  const gchar *media = histo_read_text (structure, FIELD (media), error);

  if (media == NULL)
    return FALSE;
  result->is_audio = g_str_equal (media, HISTO_MEDIA_AUDIO);
  if (!result->is_audio && !g_str_equal (media, HISTO_MEDIA_VIDEO))
    return histo_read_fail (structure, FIELD (media), "has an unknown value",
        error);
  result->colorimetry = NULL;
  if (gst_structure_has_field (structure, FIELD (colorimetry))
      && !get_string (structure, FIELD (colorimetry),
          &result->own_colorimetry, &result->colorimetry, error))
    return FALSE;
  if (result->is_audio)
    return histo_read_int (structure, FIELD (rate), &result->rate, error)
        && histo_read_int (structure, FIELD (channels), &result->channels,
        error)
        && histo_read_uint64 (structure, FIELD (samples),
        &result->n_samples, error);
  return read_size (structure, FIELD (width), &result->width, error)
      && read_size (structure, FIELD (height), &result->height, error);
}

/* Programs may use either number as the size of what they allocate. */
static gboolean
check_channels (const GstStructure * structure, const HistoResult * result,
    GError ** error)
{
  if (!result->is_audio || (result->channels >= 0
          && (guint) result->channels == result->n_components))
    return TRUE;
  return histo_read_fail (structure, FIELD (channels),
      "is not the number of \"components\"", error);
}

/**
 * histo_read_result:
 * @structure: of a meta or of a message
 * @result: (inout): all zero, or an earlier result; to be cleared with histo_result_clear()
 *
 * Histograms are referenced, all else is copied: the result outlives the structure.
 *
 * Returns: FALSE with a %GST_STREAM_ERROR_FORMAT that names the field, and an empty result,
 * if the structure is no result of this schema
 */
gboolean
histo_read_result (const GstStructure * structure, HistoResult * result,
    GError ** error)
{
  const GValue *schema;
  gboolean ok;

  schema = histo_read_value (structure, FIELD (schema), G_TYPE_UINT, error);
  ok = schema != NULL;
  if (ok && g_value_get_uint (schema) != HISTO_RESULT_SCHEMA)
    ok = histo_read_fail (structure, FIELD (schema), "is another version",
        error);
  ok = ok && get_string (structure, FIELD (format), &result->own_format,
      &result->format, error)
      && get_string (structure, FIELD (backend), &result->own_backend,
      &result->backend, error)
      && read_media (structure, result, error)
      && histo_read_regions (structure, result, error)
      && check_channels (structure, result, error)
      && (!result->is_audio
      || histo_read_audio_groups (structure, result, error));
  if (!ok)
    histo_result_clear (result);
  return ok;
}

/* Reads the times of a message. Returns: FALSE if the structure has none, as that of a meta */
gboolean
histo_read_times (const GstStructure * structure, HistoTimes * times)
{
  return histo_read_uint64 (structure, FIELD (timestamp),
      &times->timestamp, NULL)
      && histo_read_uint64 (structure, FIELD (stream_time),
      &times->stream_time, NULL)
      && histo_read_uint64 (structure, FIELD (running_time),
      &times->running_time, NULL)
      && histo_read_uint64 (structure, FIELD (duration),
      &times->duration, NULL);
}

/* Reads the number of buffers of a window. Returns: FALSE if the structure is no window's */
gboolean
histo_read_buffers (const GstStructure * structure, guint64 * n_buffers)
{
  return histo_read_uint64 (structure, FIELD (buffers), n_buffers, NULL);
}

/* ---- Alerts ----------------------------------------------------------------------------- */

static gboolean
read_alert_type (const GstStructure * structure, HistoAlert * alert,
    GError ** error)
{
  static const gchar *const types[HISTO_N_ALERTS] = {
#define NAME(identifier, name, group, description) name,
    HISTO_ALERTS (NAME)
#undef NAME
  };
  const gchar *type = histo_read_text (structure, FIELD (type), error);

  if (type == NULL)
    return FALSE;
  for (guint i = 0; i < HISTO_N_ALERTS; i++) {
    if (g_str_equal (types[i], type)) {
      *alert = i;
      return TRUE;
    }
  }
  return histo_read_fail (structure, FIELD (type), "has an unknown value",
      error);
}

static gboolean
read_alert_state (const GstStructure * structure, gboolean * is_end,
    GError ** error)
{
  const gchar *state = histo_read_text (structure, FIELD (state), error);

  if (state == NULL)
    return FALSE;
  *is_end = g_str_equal (state, HISTO_STATE_END);
  if (!*is_end && !g_str_equal (state, HISTO_STATE_BEGIN))
    return histo_read_fail (structure, FIELD (state), "has an unknown value",
        error);
  return TRUE;
}

/* @text: (out): NULL if there is no such field */
static gboolean
read_place (const GstStructure * structure, const gchar * name,
    const gchar ** text, GError ** error)
{
  *text = NULL;
  if (!gst_structure_has_field (structure, name))
    return TRUE;
  *text = histo_read_text (structure, name, error);
  return *text != NULL;
}

/**
 * histo_read_alert:
 * @structure: of a message about an alert
 * @event: (out): its texts are those of the structure
 *
 * Returns: FALSE with a %GST_STREAM_ERROR_FORMAT if a field is missing or has another type
 */
gboolean
histo_read_alert (const GstStructure * structure, HistoAlertEvent * event,
    GError ** error)
{
  return read_alert_type (structure, &event->alert, error)
      && read_alert_state (structure, &event->is_end, error)
      && read_place (structure, FIELD (component), &event->component, error)
      && read_place (structure, FIELD (channel), &event->channel, error)
      && read_place (structure, FIELD (region), &event->region, error)
      && histo_read_uint64 (structure, FIELD (start), &event->start, error)
      && histo_read_uint64 (structure, FIELD (end), &event->end, error)
      && histo_read_double (structure, FIELD (value), &event->value, error)
      && histo_read_double (structure, FIELD (threshold), &event->threshold,
      error);
}

/**
 * histo_read_alerts:
 * @structure: of a result
 * @alerts: (element-type HistoAlertEvent): appended to: the alerts that the buffer of the result
 * has; none if there is no such field. Their texts are those of the structure
 *
 * Returns: FALSE with a %GST_STREAM_ERROR_FORMAT if the field has another type, or holds something
 * else than alerts
 */
gboolean
histo_read_alerts (const GstStructure * structure, GArray * alerts,
    GError ** error)
{
  const GValue *array;

  if (!gst_structure_has_field (structure, FIELD (alerts)))
    return TRUE;
  array = histo_read_value (structure, FIELD (alerts), GST_TYPE_ARRAY, error);
  if (array == NULL)
    return FALSE;
  for (guint i = 0; i < gst_value_array_get_size (array); i++) {
    const GValue *value = gst_value_array_get_value (array, i);
    HistoAlertEvent event;

    if (!GST_VALUE_HOLDS_STRUCTURE (value)
        || gst_value_get_structure (value) == NULL)
      return histo_read_fail (structure, FIELD (alerts),
          "holds something else than structures", error);
    if (!histo_read_alert (gst_value_get_structure (value), &event, error))
      return FALSE;
    g_array_append_val (alerts, event);
  }
  return TRUE;
}
