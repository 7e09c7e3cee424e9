/* Reads a result from the GstStructure of a meta or a message.
 *
 * The structure may come from anywhere: each field is checked for presence and type.
 * Fields with other names are ignored, because later versions add some. Texts are interned
 * only after they are known to be one of few: interned texts are never freed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "result/read.h"

#include "result/fields.h"

/* HISTO_FIELD_schema … → "schema" … */
static const gchar *const names[HISTO_N_FIELDS] = {
#define NAME(identifier, name) name,
  HISTO_RESULT_FIELDS (NAME)
#undef NAME
};

static gboolean
fail (GError ** error, const gchar * place, const gchar * name,
    const gchar * text)
{
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "Not a result of cudahisto: field \"%s\" of \"%s\" %s", name, place,
      text);
  return FALSE;
}

/* Returns: (transfer none) (nullable): the field's value if it has this type */
static const GValue *
get_field (const GstStructure * structure, const gchar * name, GType type,
    GError ** error)
{
  const GValue *value = gst_structure_get_value (structure, name);

  if (value != NULL && G_VALUE_HOLDS (value, type))
    return value;
  fail (error, gst_structure_get_name (structure), name,
      value == NULL ? "is missing" : "has another type");
  return NULL;
}

/* @is_known: whether a text is a value of the field
 * @text: (out): interned */
static gboolean
get_string (const GstStructure * structure, const gchar * name,
    gboolean (*is_known) (const gchar * text), const gchar ** text,
    GError ** error)
{
  const GValue *value = get_field (structure, name, G_TYPE_STRING, error);

  if (value == NULL)
    return FALSE;
  if (g_value_get_string (value) == NULL
      || !is_known (g_value_get_string (value)))
    return fail (error, gst_structure_get_name (structure), name,
        "has an unknown value");
  *text = g_intern_string (g_value_get_string (value));
  return TRUE;
}

static gboolean
is_media (const gchar * text)
{
  return g_str_equal (text, HISTO_MEDIA_AUDIO)
      || g_str_equal (text, HISTO_MEDIA_VIDEO);
}

static gboolean
is_format (const gchar * text)
{
  return gst_video_format_from_string (text) != GST_VIDEO_FORMAT_UNKNOWN
      || gst_audio_format_from_string (text) != GST_AUDIO_FORMAT_UNKNOWN;
}

static gboolean
is_colorimetry (const gchar * text)
{
  GstVideoColorimetry colorimetry;

  return gst_video_colorimetry_from_string (&colorimetry, text);
}

static gboolean
is_backend (const gchar * text)
{
  return g_str_equal (text, "cuda") || g_str_equal (text, "cpu");
}

static gboolean
get_int (const GstStructure * structure, const gchar * name, gint * number,
    GError ** error)
{
  const GValue *value = get_field (structure, name, G_TYPE_INT, error);

  if (value != NULL)
    *number = g_value_get_int (value);
  return value != NULL;
}

static gboolean
get_uint64 (const GstStructure * structure, const gchar * name,
    guint64 * number, GError ** error)
{
  const GValue *value = get_field (structure, name, G_TYPE_UINT64, error);

  if (value != NULL)
    *number = g_value_get_uint64 (value);
  return value != NULL;
}

/* ---- A component ---------------------------------------------------------------------- */

static gboolean
read_figure (const GstStructure * structure, const HistoFigureInfo * info,
    HistoFigures * figures, GError ** error)
{
  gpointer member = G_STRUCT_MEMBER_P (figures, info->offset);
  const GValue *value;

  switch (info->type) {
    case HISTO_FIGURE_UINT64:
      return get_uint64 (structure, info->name, member, error);
    case HISTO_FIGURE_UINT:
      value = get_field (structure, info->name, G_TYPE_UINT, error);
      if (value != NULL)
        *(guint *) member = g_value_get_uint (value);
      return value != NULL;
    case HISTO_FIGURE_DOUBLE:
      value = get_field (structure, info->name, G_TYPE_DOUBLE, error);
      if (value != NULL)
        *(gdouble *) member = g_value_get_double (value);
      return value != NULL;
  }
  return FALSE;
}

static gboolean
read_histogram (const GstStructure * structure,
    HistoComponentResult * component, GError ** error)
{
  const gchar *name = names[HISTO_FIELD_histogram];
  const GValue *value;
  GBytes *bytes;

  if (!gst_structure_has_field (structure, name))
    return TRUE;
  value = get_field (structure, name, G_TYPE_BYTES, error);
  if (value == NULL)
    return FALSE;
  bytes = g_value_get_boxed (value);
  if (bytes == NULL || g_bytes_get_size (bytes) !=
      (gsize) component->figures.bins * sizeof (guint32))
    return fail (error, gst_structure_get_name (structure), name,
        "has another size than \"bins\" says");
  component->histogram = g_bytes_ref (bytes);
  return TRUE;
}

static gboolean
read_component (const GstStructure * structure, const GValue * name,
    HistoComponentResult * component, GError ** error)
{
  const GstStructure *fields;
  const GValue *value;

  if (!G_VALUE_HOLDS_STRING (name) || g_value_get_string (name) == NULL)
    return fail (error, gst_structure_get_name (structure),
        names[HISTO_FIELD_components], "holds something else than names");
  value = get_field (structure, g_value_get_string (name), GST_TYPE_STRUCTURE,
      error);
  if (value == NULL)
    return FALSE;
  component->quark = g_quark_from_string (g_value_get_string (name));
  component->name = g_quark_to_string (component->quark);
  fields = gst_value_get_structure (value);
  if (fields == NULL)
    return fail (error, gst_structure_get_name (structure), component->name,
        "is NULL");
  for (guint i = 0; i < HISTO_N_FIGURES; i++) {
    if (!read_figure (fields, &histo_figures[i], &component->figures, error))
      return FALSE;
  }
  return read_histogram (fields, component, error);
}

static gboolean
read_components (const GstStructure * structure, HistoResult * result,
    GError ** error)
{
  const GValue *array = get_field (structure, names[HISTO_FIELD_components],
      GST_TYPE_ARRAY, error);

  if (array == NULL)
    return FALSE;
  histo_result_set_n_components (result, gst_value_array_get_size (array));
  for (guint i = 0; i < result->n_components; i++) {
    if (!read_component (structure, gst_value_array_get_value (array, i),
            &result->components[i], error))
      return FALSE;
  }
  return TRUE;
}

/* ---- The result ----------------------------------------------------------------------- */

static gboolean
read_media (const GstStructure * structure, HistoResult * result,
    GError ** error)
{
  const gchar *media;

  if (!get_string (structure, names[HISTO_FIELD_media], is_media, &media,
          error))
    return FALSE;
  result->is_audio = g_str_equal (media, HISTO_MEDIA_AUDIO);
  result->colorimetry = NULL;
  if (gst_structure_has_field (structure, names[HISTO_FIELD_colorimetry])
      && !get_string (structure, names[HISTO_FIELD_colorimetry],
          is_colorimetry, &result->colorimetry, error))
    return FALSE;
  if (result->is_audio)
    return get_int (structure, names[HISTO_FIELD_rate], &result->rate, error)
        && get_int (structure, names[HISTO_FIELD_channels], &result->channels,
        error)
        && get_uint64 (structure, names[HISTO_FIELD_samples],
        &result->n_samples, error);
  return get_int (structure, names[HISTO_FIELD_width], &result->width, error)
      && get_int (structure, names[HISTO_FIELD_height], &result->height,
      error);
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

  schema = get_field (structure, names[HISTO_FIELD_schema], G_TYPE_UINT, error);
  ok = schema != NULL;
  if (ok && g_value_get_uint (schema) != HISTO_RESULT_SCHEMA)
    ok = fail (error, gst_structure_get_name (structure),
        names[HISTO_FIELD_schema], "is another version");
  ok = ok && get_string (structure, names[HISTO_FIELD_format], is_format,
      &result->format, error)
      && get_string (structure, names[HISTO_FIELD_backend], is_backend,
      &result->backend, error)
      && read_media (structure, result, error)
      && read_components (structure, result, error);
  if (!ok)
    histo_result_clear (result);
  return ok;
}

/* Reads the times of a message. Returns: FALSE if the structure has none, as that of a meta */
gboolean
histo_read_times (const GstStructure * structure, HistoTimes * times)
{
  return get_uint64 (structure, names[HISTO_FIELD_timestamp],
      &times->timestamp, NULL)
      && get_uint64 (structure, names[HISTO_FIELD_stream_time],
      &times->stream_time, NULL)
      && get_uint64 (structure, names[HISTO_FIELD_running_time],
      &times->running_time, NULL)
      && get_uint64 (structure, names[HISTO_FIELD_duration],
      &times->duration, NULL);
}
