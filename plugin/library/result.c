/* Results, read from their GstStructures when a figure is asked for.
 *
 * No table of figures is needed for this: a path names the fields from the result to the figure, so that the figures of
 * later versions are found, too. Only the items of an array have no names of their own: see find_item().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "library/cudahisto.h"

#include <math.h>
#include <string.h>

#include "cudahisto/fields.h"
#include "cudahisto/inner.h"
#include "cudahisto/visit.h"
#include "library/private.h"

#define FIELD(identifier) histo_field_names[HISTO_FIELD_##identifier]

/* No field has a longer name. */
#define MOST_NAME_BYTES 128

/* The steps of the regions in paths: as they are listed, those of old names, and the bare names. */
enum
{
  STEPS,
  OLD_STEPS,
  NAMES,
  N_NAMINGS
};

typedef struct
{
  gchar **namings[N_NAMINGS];
} RegionNames;

struct _CudahistoResult
{
  const GstStructure *structure;        /* of one of the next three */
  GstBuffer *buffer;
  GstMessage *message;
  GstStructure *own;
  HistoTimes times;
  RegionNames *names;           /* made when they are needed, by any thread */
};

G_DEFINE_BOXED_TYPE (CudahistoResult, cudahisto_result, cudahisto_result_ref, cudahisto_result_unref)
G_DEFINE_QUARK (cudahisto-error-quark, cudahisto_error)

/* ---- Fields ------------------------------------------------------------------------------- */

/* Returns: (nullable): the value of the field. Its name is not interned, because it may be any text of a program */
static const GValue *
get_field (const GstStructure * structure, const gchar * step, gsize length)
{
  gchar name[MOST_NAME_BYTES];

  if (length == 0 || length >= sizeof name)
    return NULL;
  memcpy (name, step, length);
  name[length] = '\0';
#ifdef HAVE_GST_STRUCTURE_STATIC_STR
  return gst_structure_get_value (structure, name);
#else
  const GQuark quark = g_quark_try_string (name);

  return quark != 0 ? gst_structure_id_get_value (structure, quark) : NULL;
#endif
}

static const GValue *
get_known_field (const GstStructure * structure, const gchar * name)
{
  return get_field (structure, name, strlen (name));
}

static const GstStructure *
get_structure (const GValue * value)
{
  return value != NULL && GST_VALUE_HOLDS_STRUCTURE (value) ? gst_value_get_structure (value) : NULL;
}

static const gchar *
get_text (const GValue * value)
{
  return value != NULL && G_VALUE_HOLDS_STRING (value) ? g_value_get_string (value) : NULL;
}

static const gchar *
get_text_field (const GstStructure * structure, const gchar * name)
{
  return get_text (get_known_field (structure, name));
}

/* Returns: (nullable): item @i; NULL: it is no array, or shorter */
static const GValue *
get_item (const GValue * array, guint i)
{
  return array != NULL && GST_VALUE_HOLDS_ARRAY (array) && i < gst_value_array_get_size (array) ?
      gst_value_array_get_value (array, i) : NULL;
}

/* Returns: NaN: it is no number */
static gdouble
get_number (const GValue * value)
{
  if (value == NULL)
    return NAN;
  switch (G_VALUE_TYPE (value)) {
    case G_TYPE_DOUBLE:
      return g_value_get_double (value);
    case G_TYPE_FLOAT:
      return g_value_get_float (value);
    case G_TYPE_UINT64:
      return (gdouble) g_value_get_uint64 (value);
    case G_TYPE_INT64:
      return (gdouble) g_value_get_int64 (value);
    case G_TYPE_UINT:
      return g_value_get_uint (value);
    case G_TYPE_INT:
      return g_value_get_int (value);
    case G_TYPE_BOOLEAN:
      return g_value_get_boolean (value);
    default:
      return NAN;
  }
}

guint64
cudahisto_get_time (const GstStructure * structure, const gchar * name)
{
  const GValue *value = get_known_field (structure, name);

  return value != NULL && G_VALUE_HOLDS_UINT64 (value) ? g_value_get_uint64 (value) : GST_CLOCK_TIME_NONE;
}

gdouble
cudahisto_get_number (const GstStructure * structure, const gchar * name)
{
  return get_number (get_known_field (structure, name));
}

const gchar *
cudahisto_get_text (const GstStructure * structure, const gchar * name)
{
  return get_text_field (structure, name);
}

/* ---- Making results ----------------------------------------------------------------------- */

static void
free_names (RegionNames * names)
{
  for (guint i = 0; i < N_NAMINGS; i++)
    g_strfreev (names->namings[i]);
  g_free (names);
}

static void
clear_result (CudahistoResult * self)
{
  g_clear_pointer (&self->buffer, gst_buffer_unref);
  g_clear_pointer (&self->message, gst_message_unref);
  g_clear_pointer (&self->own, gst_structure_free);
  g_clear_pointer (&self->names, free_names);
}

/* Whether the library can read the structure. A later schema gives fields another meaning. */
static gboolean
check_structure (const GstStructure * structure, GError ** error)
{
  const GValue *schema = structure != NULL ? get_known_field (structure, FIELD (schema)) : NULL;

  if (schema == NULL || !G_VALUE_HOLDS_UINT (schema))
    g_set_error (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_FORMAT, "Not a result of cudahisto: %s",
        structure != NULL ? "field \"schema\" is missing" : "there is no structure");
  else if (g_value_get_uint (schema) != HISTO_RESULT_SCHEMA && g_value_get_uint (schema) != HISTO_RESULT_SCHEMA_EDGES)
    g_set_error (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_FORMAT, "The result has schema %u, and this library reads %u and %u",
        g_value_get_uint (schema), HISTO_RESULT_SCHEMA, HISTO_RESULT_SCHEMA_EDGES);
  else
    return TRUE;
  return FALSE;
}

/* Returns: (nullable): a result of the structure, which is not yet kept */
static CudahistoResult *
new_result (const GstStructure * structure, GError ** error)
{
  CudahistoResult *self;

  if (!check_structure (structure, error))
    return NULL;
  self = g_atomic_rc_box_new0 (CudahistoResult);
  self->structure = structure;
  return self;
}

static void
read_times (CudahistoResult * self)
{
  self->times.timestamp = cudahisto_get_time (self->structure, FIELD (timestamp));
  self->times.stream_time = cudahisto_get_time (self->structure, FIELD (stream_time));
  self->times.running_time = cudahisto_get_time (self->structure, FIELD (running_time));
  self->times.duration = cudahisto_get_time (self->structure, FIELD (duration));
}

const GstStructure *
cudahisto_structure_of_buffer (GstBuffer * buffer, const gchar * name, GError ** error)
{
  g_autofree gchar *meta_name = name != NULL ? histo_result_meta_name (name) : NULL;
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, name != NULL ? meta_name : HISTO_RESULT_NAME);

  if (meta == NULL)
    g_set_error (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_NO_RESULT, "The buffer has no result of cudahisto%s%s%s",
        name != NULL ? " with the result-name \"" : "", name != NULL ? name : "", name != NULL ? "\"" : "");
  return meta != NULL ? gst_custom_meta_get_structure (meta) : NULL;
}

CudahistoResult *
cudahisto_result_new_from_buffer_full (GstBuffer * buffer, const GstSegment * segment, const gchar * name, GError ** error)
{
  const GstStructure *structure;
  CudahistoResult *self;

  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  structure = cudahisto_structure_of_buffer (buffer, name, error);
  self = structure != NULL ? new_result (structure, error) : NULL;
  if (self == NULL)
    return NULL;
  self->buffer = gst_buffer_ref (buffer);
  histo_times_from_buffer (&self->times, buffer, segment);
  return self;
}

CudahistoResult *
cudahisto_result_new_from_buffer (GstBuffer * buffer, GError ** error)
{
  return cudahisto_result_new_from_buffer_full (buffer, NULL, NULL, error);
}

CudahistoResult *
cudahisto_result_new_from_sample (GstSample * sample, GError ** error)
{
  g_return_val_if_fail (GST_IS_SAMPLE (sample), NULL);
  if (gst_sample_get_buffer (sample) != NULL)
    return cudahisto_result_new_from_buffer_full (gst_sample_get_buffer (sample), gst_sample_get_segment (sample), NULL,
        error);
  g_set_error_literal (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_NO_RESULT, "The sample has no buffer");
  return NULL;
}

CudahistoResult *
cudahisto_result_new_from_message (GstMessage * message, GError ** error)
{
  CudahistoResult *self;

  g_return_val_if_fail (GST_IS_MESSAGE (message), NULL);
  if (!gst_message_has_name (message, HISTO_RESULT_NAME) && !gst_message_has_name (message, HISTO_WINDOW_NAME)) {
    g_set_error_literal (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_NO_RESULT, "The message has no result of cudahisto");
    return NULL;
  }
  self = new_result (gst_message_get_structure (message), error);
  if (self == NULL)
    return NULL;
  self->message = gst_message_ref (message);
  read_times (self);
  return self;
}

CudahistoResult *
cudahisto_result_new_from_structure (const GstStructure * structure, GError ** error)
{
  CudahistoResult *self = new_result (structure, error);

  if (self == NULL)
    return NULL;
  self->structure = self->own = gst_structure_copy (structure);
  read_times (self);
  return self;
}

CudahistoResult *
cudahisto_result_copy (const CudahistoResult * self)
{
  CudahistoResult *copy;

  g_return_val_if_fail (self != NULL, NULL);
  if (self->buffer == NULL)
    return cudahisto_result_ref ((CudahistoResult *) self);
  copy = g_atomic_rc_box_new0 (CudahistoResult);
  copy->structure = copy->own = gst_structure_copy (self->structure);
  copy->times = self->times;
  return copy;
}

CudahistoResult *
cudahisto_result_ref (CudahistoResult * self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return g_atomic_rc_box_acquire (self);
}

void
cudahisto_result_unref (CudahistoResult * self)
{
  if (self != NULL)
    g_atomic_rc_box_release_full (self, (GDestroyNotify) clear_result);
}

const GstStructure *
cudahisto_result_structure (const CudahistoResult * self)
{
  return self->structure;
}

/* ---- Looking up --------------------------------------------------------------------------- */

static RegionNames *
make_names (const CudahistoResult * self)
{
  const GValue *regions = get_known_field (self->structure, FIELD (regions));
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  RegionNames *made = g_new (RegionNames, 1);

  for (guint i = 0; get_item (regions, i) != NULL; i++) {
    const GstStructure *region = get_structure (get_item (regions, i));
    const gchar *name = region != NULL ? get_text_field (region, FIELD (name)) : NULL;

    g_ptr_array_add (names, (gpointer) (name != NULL ? name : ""));
  }
  made->namings[STEPS] = histo_region_steps ((const gchar * const *) names->pdata, names->len, FALSE);
  made->namings[OLD_STEPS] = histo_region_steps ((const gchar * const *) names->pdata, names->len, TRUE);
  g_ptr_array_add (names, NULL);
  made->namings[NAMES] = g_strdupv ((gchar **) names->pdata);
  return made;
}

/* Returns: the steps of the regions, valid as long as the result */
static const RegionNames *
get_names (const CudahistoResult * result)
{
  CudahistoResult *self = (CudahistoResult *) result;
  RegionNames *names = g_atomic_pointer_get (&self->names);

  if (names != NULL)
    return names;
  names = make_names (self);
  if (g_atomic_pointer_compare_and_exchange (&self->names, NULL, names))
    return names;
  free_names (names);           /* another thread was faster */
  return g_atomic_pointer_get (&self->names);
}

/* Returns: (nullable): what is behind the step: "" or what is behind its point */
static const gchar *
skip (const gchar * path, const gchar * step)
{
  const gsize length = step != NULL ? strlen (step) : 0;

  if (length == 0 || strncmp (path, step, length) != 0 || (path[length] != '.' && path[length] != '\0'))
    return NULL;
  return path[length] == '.' ? path + length + 1 : path + length;
}

/* Whether an item is a pair of channels, whose names it has. */
static gboolean
is_pair (const GstStructure * item, const gchar ** first, const gchar ** second)
{
  *first = get_text_field (item, FIELD (first));
  *second = *first != NULL ? get_text_field (item, FIELD (second)) : NULL;
  return *second != NULL;
}

/* Returns: (nullable): as skip(), of the step of the pair */
static const gchar *
skip_pair (const gchar * path, const GstStructure * item)
{
  const gchar *first, *second;
  const gsize length = is_pair (item, &first, &second) ? strlen (first) : 0;

  if (length == 0 || strncmp (path, first, length) != 0 || path[length] != '+')
    return NULL;
  return skip (path + length + 1, second);
}

/* Returns: (nullable): what is behind the number at the begin of the path. @number: (out) */
static const gchar *
skip_number (const gchar * path, guint * number)
{
  gchar *end;
  const guint64 found = g_ascii_isdigit (*path) ? g_ascii_strtoull (path, &end, 10) : G_MAXUINT64;

  if (found > G_MAXINT || (path[0] == '0' && end != path + 1) || (*end != '.' && *end != '\0'))
    return NULL;
  *number = found;
  return *end == '.' ? end + 1 : end;
}

static const GValue *find_in_structure (const CudahistoResult * self, const GstStructure * structure,
    const GstStructure * around, const gchar * path);

/* Regions have their steps, pairs of channels the names of both, numbers the names of the components. All others, as the
 * zones of `flash`, have the number of the item.
 *
 * @around: of the region, or the picture, that the array is in. Returns: (nullable): the value at the path */
static const GValue *
find_item (const CudahistoResult * self, const GValue * array, gboolean is_regions, const GstStructure * around,
    const gchar * path)
{
  const GstStructure *structure;
  const gchar *first, *second;
  const GValue *components = get_known_field (around, FIELD (components)), *item;
  const gchar *rest;
  guint number;

  for (guint naming = 0; is_regions && naming < N_NAMINGS; naming++) {
    gchar **steps = get_names (self)->namings[naming];

    for (guint i = 0; steps[i] != NULL; i++) {
      const GstStructure *region = (rest = skip (path, steps[i])) != NULL ? get_structure (get_item (array, i)) : NULL;
      const GValue *found = region != NULL ? find_in_structure (self, region, region, rest) : NULL;

      if (found != NULL)
        return found;
    }
  }
  if (is_regions)
    return NULL;
  rest = skip_number (path, &number);
  structure = rest != NULL ? get_structure (get_item (array, number)) : NULL;
  if (structure != NULL && !is_pair (structure, &first, &second))
    return find_in_structure (self, structure, around, rest);
  for (guint i = 0; (item = get_item (array, i)) != NULL; i++) {
    structure = get_structure (item);
    if (structure != NULL && (rest = skip_pair (path, structure)) != NULL)
      return find_in_structure (self, structure, around, rest);
    if (structure == NULL && (rest = skip (path, get_text (get_item (components, i)))) != NULL)
      return *rest == '\0' ? item : NULL;
  }
  return NULL;
}

/* @around: as of find_item(). Returns: (nullable): the value at the path */
static const GValue *
find_in_structure (const CudahistoResult * self, const GstStructure * structure, const GstStructure * around,
    const gchar * path)
{
  const gsize length = strcspn (path, ".");
  const GValue *value = get_field (structure, path, length);
  const GstStructure *inner;

  if (value == NULL || path[length] == '\0')
    return value;
  path += length + 1;
  if ((inner = get_structure (value)) != NULL)
    return find_in_structure (self, inner, around, path);
  if (!GST_VALUE_HOLDS_ARRAY (value))
    return NULL;
  return find_item (self, value, structure == self->structure && strncmp (path - length - 1, FIELD (regions), length) == 0,
      around, path);
}

static const GValue *
find (const CudahistoResult * self, const gchar * path)
{
  return find_in_structure (self, self->structure, self->structure, path);
}

gboolean
cudahisto_result_get_figure (const CudahistoResult * self, const gchar * path, gdouble * value)
{
  gdouble number = NAN;

  if (value != NULL)
    *value = NAN;
  g_return_val_if_fail (self != NULL && path != NULL, FALSE);
  number = get_number (find (self, path));
  if (value != NULL)
    *value = number;
  return !isnan (number);
}

const gchar *
cudahisto_result_get_word (const CudahistoResult * self, const gchar * path)
{
  g_return_val_if_fail (self != NULL && path != NULL, NULL);
  return get_text (find (self, path));
}

/* ---- All figures -------------------------------------------------------------------------- */

/* What the fields of a structure are. */
typedef enum
{
  OF_PICTURE,                   /* or of a region */
  OF_COMPONENT,                 /* a native one */
  OF_PAIR,
  OF_GROUP                      /* and what is in it: zones, its components */
} Fields;

typedef struct
{
  const CudahistoResult *result;
  CudahistoVisitFunc func;
  gpointer data;
  GString *path;
  const GstStructure *around;   /* as of find_item() */
  Fields fields;                /* of the structure that is visited */
  gboolean goes_on;
} Visit;

/* Fields of structures other than groups that no table of figures has. */
static gboolean
is_no_figure (const gchar * name)
{
  static gsize is_made;
  static GHashTable *names;     /* kept for ever */

  if (g_once_init_enter (&is_made)) {
    names = g_hash_table_new (g_str_hash, g_str_equal);
    for (guint i = 0; i < HISTO_N_FIELDS; i++)
      g_hash_table_add (names, (gpointer) histo_field_names[i]);
    g_once_init_leave (&is_made, 1);
  }
  return g_hash_table_contains (names, name);
}

static void visit_structure (Visit * self, const GstStructure * structure, Fields fields);

static void
add_step (Visit * self, const gchar * step)
{
  if (self->path->len > 0)
    g_string_append_c (self->path, '.');
  g_string_append (self->path, step);
}

static void
visit_value (Visit * self, const GValue * value)
{
  const gdouble number = get_number (value);
  const gchar *word = get_text (value);

  if (!isnan (number) || word != NULL)
    self->goes_on = self->func (self->path->str, number, word, self->data);
}

static void
visit_items (Visit * self, const GValue * array, gboolean is_regions)
{
  const GValue *components = get_known_field (self->around, FIELD (components)), *item;
  const GstStructure *around = self->around;
  const gsize length = self->path->len;
  gchar number[16];

  for (guint i = 0; self->goes_on && (item = get_item (array, i)) != NULL; i++) {
    const GstStructure *structure = get_structure (item);
    const gchar *step = number, *first, *second;
    g_autofree gchar *pair = NULL;
    Fields fields = OF_GROUP;

    g_snprintf (number, sizeof number, "%u", i);
    if (is_regions) {
      fields = OF_PICTURE;
      step = get_names (self->result)->namings[STEPS][i];
      self->around = structure;
    } else if (structure == NULL) {
      step = get_text (get_item (components, i));
    } else if (is_pair (structure, &first, &second)) {
      fields = OF_PAIR;
      step = pair = g_strconcat (first, "+", second, NULL);
    }
    if (step == NULL || (is_regions && structure == NULL))
      continue;
    add_step (self, step);
    if (structure != NULL)
      visit_structure (self, structure, fields);
    else
      visit_value (self, item);
    g_string_truncate (self->path, length);
  }
  self->around = around;
}

static gboolean
is_native (const GstStructure * around, const gchar * name)
{
  const GValue *components = get_known_field (around, FIELD (components)), *item;

  for (guint i = 0; (item = get_item (components, i)) != NULL; i++) {
    if (g_strcmp0 (get_text (item), name) == 0)
      return TRUE;
  }
  return FALSE;
}

static gboolean
visit_field (Visit * self, const gchar * name, const GValue * value)
{
  const gsize length = self->path->len;
  const Fields fields = self->fields;
  const GstStructure *inner = get_structure (value);
  const gboolean is_array = GST_VALUE_HOLDS_ARRAY (value);
  const gboolean is_regions = is_array && length == 0 && strcmp (name, FIELD (regions)) == 0;

  if (is_array ? strcmp (name, FIELD (components)) == 0 || strcmp (name, FIELD (alerts)) == 0
      : inner == NULL && fields != OF_GROUP && is_no_figure (name))
    return TRUE;
  /* A joint component has a histogram and no figures. */
  if (inner != NULL && fields == OF_GROUP && get_known_field (inner, FIELD (columns)) != NULL)
    return TRUE;
  add_step (self, name);
  if (inner != NULL)
    visit_structure (self, inner, fields == OF_PICTURE && is_native (self->around, name) ? OF_COMPONENT : OF_GROUP);
  else if (is_array)
    visit_items (self, value, is_regions);
  else
    visit_value (self, value);
  g_string_truncate (self->path, length);
  self->fields = fields;
  return self->goes_on;
}

#ifdef HAVE_GST_STRUCTURE_STATIC_STR
static gboolean
visit_id_field (const GstIdStr * name, const GValue * value, gpointer data)
{
  return visit_field (data, gst_id_str_as_str (name), value);
}
#else
static gboolean
visit_quark_field (GQuark name, const GValue * value, gpointer data)
{
  return visit_field (data, g_quark_to_string (name), value);
}
#endif

static void
visit_structure (Visit * self, const GstStructure * structure, Fields fields)
{
  self->fields = fields;
#ifdef HAVE_GST_STRUCTURE_STATIC_STR
  gst_structure_foreach_id_str (structure, visit_id_field, self);
#else
  gst_structure_foreach (structure, visit_quark_field, self);
#endif
}

void
cudahisto_result_visit (const CudahistoResult * self, CudahistoVisitFunc func, gpointer user_data)
{
  Visit visit = { self, func, user_data,.goes_on = TRUE };

  g_return_if_fail (self != NULL && func != NULL);
  visit.around = self->structure;
  visit.path = g_string_sized_new (MOST_NAME_BYTES);
  visit_structure (&visit, self->structure, OF_PICTURE);
  g_string_free (visit.path, TRUE);
}

static gboolean
add_path (const gchar * path, gdouble value, const gchar * word, gpointer data)
{
  g_ptr_array_add (data, g_strdup (path));
  return TRUE;
}

gchar **
cudahisto_result_list_paths (const CudahistoResult * self)
{
  GPtrArray *paths;

  g_return_val_if_fail (self != NULL, NULL);
  paths = g_ptr_array_new ();
  cudahisto_result_visit (self, add_path, paths);
  g_ptr_array_add (paths, NULL);
  return (gchar **) g_ptr_array_free (paths, FALSE);
}

gchar **
cudahisto_result_list_components (const CudahistoResult * self)
{
  const GValue *components, *item;
  GPtrArray *names;

  g_return_val_if_fail (self != NULL, NULL);
  names = g_ptr_array_new ();
  components = get_known_field (self->structure, FIELD (components));
  for (guint i = 0; (item = get_item (components, i)) != NULL; i++) {
    if (get_text (item) != NULL)
      g_ptr_array_add (names, g_strdup (get_text (item)));
  }
  g_ptr_array_add (names, NULL);
  return (gchar **) g_ptr_array_free (names, FALSE);
}

/* ---- The rest ----------------------------------------------------------------------------- */

gboolean
cudahisto_result_is_window (const CudahistoResult * self)
{
  g_return_val_if_fail (self != NULL, FALSE);
  return gst_structure_has_name (self->structure, HISTO_WINDOW_NAME);
}

void
cudahisto_result_get_times (const CudahistoResult * self, GstClockTime * timestamp, GstClockTime * stream_time,
    GstClockTime * running_time, GstClockTime * duration)
{
  static const HistoTimes unknown = { GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE };
  const HistoTimes *times = self != NULL ? &self->times : &unknown;

  if (timestamp != NULL)
    *timestamp = times->timestamp;
  if (stream_time != NULL)
    *stream_time = times->stream_time;
  if (running_time != NULL)
    *running_time = times->running_time;
  if (duration != NULL)
    *duration = times->duration;
  g_return_if_fail (self != NULL);
}

guint
cudahisto_result_get_depth (const CudahistoResult * self, const gchar * component)
{
  const GstStructure *fields;
  const GValue *depth;

  g_return_val_if_fail (self != NULL && component != NULL, 0);
  fields = get_structure (find (self, component));
  depth = fields != NULL ? get_known_field (fields, FIELD (depth)) : NULL;
  return depth != NULL && G_VALUE_HOLDS_UINT (depth) ? g_value_get_uint (depth) : 0;
}

guint64 *
cudahisto_result_dup_histogram (const CudahistoResult * self, const gchar * component, guint * n_bins)
{
  HistoComponentResult read = { 0, };
  const GstStructure *fields;
  const GValue *histogram;
  gdouble n;
  guint64 *counts;

  if (n_bins != NULL)
    *n_bins = 0;
  g_return_val_if_fail (self != NULL && component != NULL && n_bins != NULL, NULL);
  fields = get_structure (find (self, component));
  histogram = fields != NULL ? get_known_field (fields, FIELD (histogram)) : NULL;
  if (histogram == NULL || !G_VALUE_HOLDS (histogram, G_TYPE_BYTES))
    return NULL;
  n = cudahisto_get_number (fields, histo_figures[HISTO_FIGURE_NUMBER_bins].name);
  if (isnan (n))
    n = cudahisto_get_number (fields, FIELD (columns)) * cudahisto_get_number (fields, FIELD (rows));
  if (!(n >= 1 && n <= HISTO_MAX_BINS))
    return NULL;
  read.figures.bins = n;
  read.histogram = g_value_get_boxed (histogram);
  counts = g_new0 (guint64, read.figures.bins);
  if (histo_component_add_counts (&read, counts)) {
    *n_bins = read.figures.bins;
    return counts;
  }
  g_free (counts);
  return NULL;
}

gdouble *
cudahisto_result_dup_edges (const CudahistoResult * self, const gchar * component, guint * n_edges)
{
  HistoComponentResult read = { 0, };
  const GstStructure *fields;
  const GValue *bytes = NULL;
  gdouble n;
  gdouble *edges;

  if (n_edges != NULL)
    *n_edges = 0;
  g_return_val_if_fail (self != NULL && component != NULL && n_edges != NULL, NULL);
  fields = get_structure (find (self, component));
  n = fields != NULL ? cudahisto_get_number (fields, histo_figures[HISTO_FIGURE_NUMBER_bins].name) : NAN;
  if (!(n >= 1 && n <= HISTO_MAX_BINS))
    return NULL;
  /* Of schema 1 the field would mean something else. */
  if (cudahisto_get_number (self->structure, FIELD (schema)) >= HISTO_RESULT_SCHEMA_EDGES)
    bytes = get_known_field (fields, FIELD (edges));
  read.figures.bins = n;
  read.figures.range_min = cudahisto_get_number (fields, histo_figures[HISTO_FIGURE_NUMBER_range_min].name);
  read.figures.range_max = cudahisto_get_number (fields, histo_figures[HISTO_FIGURE_NUMBER_range_max].name);
  if (bytes != NULL && G_VALUE_HOLDS (bytes, G_TYPE_BYTES))
    read.edges = g_value_get_boxed (bytes);
  edges = g_new (gdouble, read.figures.bins + 1);
  if (histo_component_get_edges (&read, edges)) {
    *n_edges = read.figures.bins + 1;
    return edges;
  }
  g_free (edges);
  return NULL;
}
