/* The result as applications see it: a GstStructure on the buffer and on the bus.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "result/write.h"

/* ---- Names of fields ------------------------------------------------------------------ */

/* A name in the form that a structure keeps. Looking names up by their text for each buffer
 * would take longer than computing the figures. GStreamer 1.26 brought functions that keep
 * a static string, and later versions deprecate those that take a quark. */
#ifdef HAVE_GST_STRUCTURE_STATIC_STR
typedef const gchar *FieldName;
#define FIELD_NAME(text) (text)
#define COMPONENT_NAME(component) ((component)->name)
#define new_structure gst_structure_new_static_str_empty
#define take_value gst_structure_take_value_static_str
#else
typedef GQuark FieldName;
#define FIELD_NAME(text) g_quark_from_static_string (text)
#define COMPONENT_NAME(component) ((component)->quark)
#define new_structure gst_structure_new_id_empty
#define take_value gst_structure_id_take_value
#endif

/* Constant after histo_write_init(). */
static FieldName names[HISTO_N_FIELDS];
/* Of each figure what writing needs, in few bytes: at low frame rates the table has left the
 * processor's caches. */
static struct
{
  FieldName name;
  guint16 offset;
  guint8 type;
} figure_fields[HISTO_N_FIGURES];
static const GstMetaInfo *meta_info;
/* Most fields have one of these types: copying an initialised value is quicker than
 * initialising one. */
static GValue a_double, a_uint64;

/* Makes the names known and registers the meta. To be called once, before all others here.
 *
 * The meta has no tags. Video and audio converters both keep a meta without tags; they drop
 * those that are tagged "size" or "colorspace". */
void
histo_write_init (void)
{
  static const gchar *no_tags[] = { NULL };

#define NAME(identifier, name) \
  names[HISTO_FIELD_##identifier] = FIELD_NAME (name);
  HISTO_RESULT_FIELDS (NAME)
#undef NAME
  for (guint i = 0; i < HISTO_N_FIGURES; i++) {
    figure_fields[i].name = FIELD_NAME (histo_figures[i].name);
    figure_fields[i].offset = histo_figures[i].offset;
    figure_fields[i].type = histo_figures[i].type;
  }
  if (!G_IS_VALUE (&a_double)) {
    g_value_init (&a_double, G_TYPE_DOUBLE);
    g_value_init (&a_uint64, G_TYPE_UINT64);
  }
  meta_info = gst_meta_get_info (HISTO_RESULT_NAME);
  if (meta_info == NULL)
    meta_info =
        gst_meta_register_custom (HISTO_RESULT_NAME, no_tags, NULL, NULL, NULL);
  else if (!gst_meta_info_is_custom (meta_info))
    meta_info = NULL;
}

/* ---- Values of fields ----------------------------------------------------------------- */

/* The structure takes each value as it is; gst_structure_set() would copy it. */

static void
set_uint (GstStructure * structure, FieldName name, guint number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT);
  g_value_set_uint (&value, number);
  take_value (structure, name, &value);
}

static void
set_int (GstStructure * structure, FieldName name, gint number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT);
  g_value_set_int (&value, number);
  take_value (structure, name, &value);
}

/* @text: static or interned; it is not copied */
static void
set_string (GstStructure * structure, FieldName name, const gchar * text)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_static_string (&value, text);
  take_value (structure, name, &value);
}

/* @boxed: (transfer full) */
static void
set_boxed (GstStructure * structure, FieldName name, GType type,
    gpointer boxed)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, type);
  g_value_take_boxed (&value, boxed);
  take_value (structure, name, &value);
}

static inline void
set_double (GstStructure * structure, FieldName name, gdouble number)
{
  GValue value = a_double;

  g_value_set_double (&value, number);
  take_value (structure, name, &value);
}

static inline void
set_uint64 (GstStructure * structure, FieldName name, guint64 number)
{
  GValue value = a_uint64;

  g_value_set_uint64 (&value, number);
  take_value (structure, name, &value);
}

/* ---- The result ----------------------------------------------------------------------- */

static inline void
set_figure (GstStructure * structure, guint figure,
    const HistoFigures * figures)
{
  const FieldName name = figure_fields[figure].name;
  gconstpointer member =
      G_STRUCT_MEMBER_P (figures, figure_fields[figure].offset);

  switch ((HistoFigureType) figure_fields[figure].type) {
    case HISTO_FIGURE_UINT64:
      set_uint64 (structure, name, *(const guint64 *) member);
      break;
    case HISTO_FIGURE_UINT:
      set_uint (structure, name, *(const guint *) member);
      break;
    case HISTO_FIGURE_DOUBLE:
      set_double (structure, name, *(const gdouble *) member);
      break;
  }
}

/* @name: of the component */
static GstStructure *
write_component (const HistoComponentResult * component, FieldName name)
{
  GstStructure *structure = new_structure (name);

  for (guint i = 0; i < HISTO_N_FIGURES; i++)
    set_figure (structure, i, &component->figures);
  if (component->histogram != NULL)
    set_boxed (structure, names[HISTO_FIELD_histogram], G_TYPE_BYTES,
        g_bytes_ref (component->histogram));
  return structure;
}

/* First the array of the names, then a structure under each name. */
static void
write_components (const HistoResult * result, GstStructure * structure)
{
  GValue array = G_VALUE_INIT;

  gst_value_array_init (&array, result->n_components);
  for (guint i = 0; i < result->n_components; i++) {
    GValue name = G_VALUE_INIT;

    g_value_init (&name, G_TYPE_STRING);
    g_value_set_static_string (&name, result->components[i].name);
    gst_value_array_append_and_take_value (&array, &name);
  }
  take_value (structure, names[HISTO_FIELD_components], &array);

  for (guint i = 0; i < result->n_components; i++) {
    const FieldName name = COMPONENT_NAME (&result->components[i]);

    set_boxed (structure, name, GST_TYPE_STRUCTURE,
        write_component (&result->components[i], name));
  }
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
  set_uint (structure, names[HISTO_FIELD_schema], HISTO_RESULT_SCHEMA);
  set_string (structure, names[HISTO_FIELD_media],
      result->is_audio ? HISTO_MEDIA_AUDIO : HISTO_MEDIA_VIDEO);
  set_string (structure, names[HISTO_FIELD_format], result->format);
  if (result->is_audio) {
    set_int (structure, names[HISTO_FIELD_rate], result->rate);
    set_int (structure, names[HISTO_FIELD_channels], result->channels);
    set_uint64 (structure, names[HISTO_FIELD_samples], result->n_samples);
  } else {
    set_int (structure, names[HISTO_FIELD_width], result->width);
    set_int (structure, names[HISTO_FIELD_height], result->height);
  }
  if (result->colorimetry != NULL)
    set_string (structure, names[HISTO_FIELD_colorimetry],
        result->colorimetry);
  set_string (structure, names[HISTO_FIELD_backend], result->backend);
  write_components (result, structure);
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
  while ((meta = gst_buffer_get_meta (*buffer, meta_info->api)) != NULL
      && !GST_META_FLAG_IS_SET (meta, GST_META_FLAG_LOCKED))
    gst_buffer_remove_meta (*buffer, meta);
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
  set_uint64 (structure, names[HISTO_FIELD_timestamp], times->timestamp);
  set_uint64 (structure, names[HISTO_FIELD_stream_time], times->stream_time);
  set_uint64 (structure, names[HISTO_FIELD_running_time],
      times->running_time);
  set_uint64 (structure, names[HISTO_FIELD_duration], times->duration);
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
  set_uint64 (structure, names[HISTO_FIELD_buffers], n_buffers);
  return gst_message_new_element (source, structure);
}

static const gchar *const alert_names[HISTO_N_ALERTS] = {
#define NAME(identifier, name, group, description) name,
  HISTO_ALERTS (NAME)
#undef NAME
};

/* @text: copied; NULL: the structure gets no such field */
static void
set_place (GstStructure * structure, FieldName name, const gchar * text)
{
  GValue value = G_VALUE_INIT;

  if (text == NULL)
    return;
  g_value_init (&value, G_TYPE_STRING);
  g_value_set_string (&value, text);
  take_value (structure, name, &value);
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

  set_string (structure, names[HISTO_FIELD_type], alert_names[event->alert]);
  set_string (structure, names[HISTO_FIELD_state],
      event->is_end ? HISTO_STATE_END : HISTO_STATE_BEGIN);
  set_place (structure, names[HISTO_FIELD_component], event->component);
  set_place (structure, names[HISTO_FIELD_channel], event->channel);
  set_place (structure, names[HISTO_FIELD_region], event->region);
  set_uint64 (structure, names[HISTO_FIELD_start], event->start);
  set_uint64 (structure, names[HISTO_FIELD_end], event->end);
  set_double (structure, names[HISTO_FIELD_value], event->value);
  set_double (structure, names[HISTO_FIELD_threshold], event->threshold);
  message_times.duration = GST_CLOCK_TIME_NONE;
  if (GST_CLOCK_TIME_IS_VALID (event->start)
      && GST_CLOCK_TIME_IS_VALID (event->end) && event->end >= event->start)
    message_times.duration = event->end - event->start;
  set_times (structure, &message_times);
  return gst_message_new_element (source, structure);
}
