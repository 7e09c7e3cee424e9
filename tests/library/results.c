/* The shared library reads stored results of earlier versions, and made-up ones of later versions, as the static library
 * reads those of its own version.
 *
 *   results FILE...
 *
 * Each line of a FILE is a structure, from tests/library/store.py.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cudahisto.h>

#include <cudahisto/cudahisto.h>
#include <cudahisto/inner.h>

#include <math.h>
#include <string.h>

#define check(condition) \
  G_STMT_START { \
    if (!(condition)) \
      g_error ("%s:%d: %s", __FILE__, __LINE__, #condition); \
  } G_STMT_END

/* ---- What both libraries find ---------------------------------------------------------------- */

/* Path → value: "3.5", or a word. */
typedef GHashTable Figures;

static Figures *
new_figures (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

/* Of a HistoVisitor. */
static void
add_old_figure (const HistoVisit * visit, gpointer figures)
{
  const HistoFigureRow *row = visit->figure.row;
  const gdouble value = visit->member != NULL ? histo_figure_read (row->type, visit->member) : NAN;
  const HistoGroupFigureInfo *info = row->group_info;

  if (isnan (value))
    return;
  g_hash_table_insert (figures, histo_visit_path (visit), info != NULL && info->type == HISTO_FIGURE_CHOICE ?
      g_strdup (histo_choice_name (info, value)) : g_strdup_printf ("%.17g", value));
}

static Figures *
list_old (const HistoResult * result)
{
  const HistoVisitor visitor = {.figure = add_old_figure };
  Figures *figures = new_figures ();

  histo_result_visit (result, 0, NULL, &visitor, figures);
  return figures;
}

static gboolean
add_new_figure (const gchar * path, gdouble value, const gchar * word, gpointer figures)
{
  check (g_hash_table_insert (figures, g_strdup (path), word != NULL ? g_strdup (word) : g_strdup_printf ("%.17g", value)));
  return TRUE;
}

/* Each figure that is visited is found by its path, and no other one is listed. */
static Figures *
list_new (const CudahistoResult * result)
{
  Figures *figures = new_figures ();
  g_auto (GStrv) paths = cudahisto_result_list_paths (result);

  cudahisto_result_visit (result, add_new_figure, figures);
  check (g_strv_length (paths) == g_hash_table_size (figures));
  for (guint i = 0; paths[i] != NULL; i++) {
    const gchar *expected = g_hash_table_lookup (figures, paths[i]);
    const gchar *word = cudahisto_result_get_word (result, paths[i]);
    g_autofree gchar *number = NULL;
    gdouble value;

    check (cudahisto_result_get_figure (result, paths[i], &value) == (word == NULL));
    number = g_strdup_printf ("%.17g", value);
    if (g_strcmp0 (expected, word != NULL ? word : number) != 0)
      g_error ("%s is %s, and was visited as %s", paths[i], word != NULL ? word : number, expected);
  }
  return figures;
}

/* Whether @more has all figures of @few, with their values. */
static gboolean
includes (Figures * more, Figures * few)
{
  GHashTableIter iter;
  gpointer path, value;

  g_hash_table_iter_init (&iter, few);
  while (g_hash_table_iter_next (&iter, &path, &value)) {
    if (g_strcmp0 (value, g_hash_table_lookup (more, path)) != 0) {
      g_printerr ("%s: %s and %s\n", (gchar *) path, (gchar *) value, (gchar *) g_hash_table_lookup (more, path));
      return FALSE;
    }
  }
  return TRUE;
}

/* ---- Without a field ------------------------------------------------------------------------- */

static void copy_value (const GValue * from, GValue * to, gint * n);

/* Returns: (transfer full): the structure without field number @n, counted through all that is inside. @n: (inout): less by
 *   as many as there are */
static GstStructure *
copy_without (const GstStructure * structure, gint * n)
{
  GstStructure *copy = gst_structure_new_empty (gst_structure_get_name (structure));

  for (gint i = 0; i < gst_structure_n_fields (structure); i++) {
    const gchar *name = gst_structure_nth_field_name (structure, i);
    GValue value = G_VALUE_INIT;

    if ((*n)-- == 0)
      continue;
    copy_value (gst_structure_get_value (structure, name), &value, n);
    gst_structure_take_value (copy, name, &value);
  }
  return copy;
}

static void
copy_value (const GValue * from, GValue * to, gint * n)
{
  g_value_init (to, G_VALUE_TYPE (from));
  if (GST_VALUE_HOLDS_STRUCTURE (from)) {
    g_value_take_boxed (to, copy_without (gst_value_get_structure (from), n));
  } else if (GST_VALUE_HOLDS_ARRAY (from)) {
    for (guint i = 0; i < gst_value_array_get_size (from); i++) {
      GValue item = G_VALUE_INIT;

      copy_value (gst_value_array_get_value (from, i), &item, n);
      gst_value_array_append_and_take_value (to, &item);
    }
  } else {
    g_value_copy (from, to);
  }
}

/* Whether the picture and each region say which fields are components. */
static gboolean
names_components (const GstStructure * structure)
{
  const GValue *regions = gst_structure_get_value (structure, "regions");

  for (guint i = 0; regions != NULL && i < gst_value_array_get_size (regions); i++) {
    if (!names_components (gst_value_get_structure (gst_value_array_get_value (regions, i))))
      return FALSE;
  }
  return gst_structure_has_field (structure, "components");
}

static gboolean
is_side (gpointer path, gpointer value, gpointer data)
{
  return g_str_has_suffix (path, ".x") || g_str_has_suffix (path, ".y") || g_str_has_suffix (path, ".width")
      || g_str_has_suffix (path, ".height");
}

/* Without each single field the other figures are as before, and rules can be checked. */
static void
check_missing (const GstStructure * structure, Figures * all)
{
  HistoResult read = { 0, };
  guint n_figures = 0;
  gint n = 0;

  for (gint i = 0; n <= 0; i++) {
    g_autoptr (GstStructure) less = NULL;
    g_autoptr (CudahistoResult) result = NULL;
    g_autoptr (GHashTable) figures = NULL, old = NULL;
    gboolean is_read;

    n = i;
    less = copy_without (structure, &n);
    if (n >= 0)
      break;
    n = 0;
    result = cudahisto_result_new_from_structure (less, NULL);
    check ((result != NULL) == gst_structure_has_field (less, "schema"));
    if (result == NULL || !names_components (less))
      continue;
    figures = list_new (result);
    if (g_hash_table_size (figures) + 1 < g_hash_table_size (all) || g_hash_table_size (figures) > g_hash_table_size (all))
      continue;                 /* a place is missing, or has another name */
    check (includes (all, figures));
    is_read = histo_read_known (less, &read, NULL);
    if (g_hash_table_size (figures) < g_hash_table_size (all))
      n_figures++;
    check (is_read || g_hash_table_size (figures) == g_hash_table_size (all));
    old = list_old (&read);
    check (!is_read || includes (figures, old));
    /* Rules know nothing of a rectangle that lacks a side. */
    g_hash_table_foreach_remove (figures, is_side, NULL);
    check (!is_read || includes (old, figures));
  }
  check (n_figures > 30);
  histo_result_clear (&read);
}

/* ---- Stored results -------------------------------------------------------------------------- */

static void
check_histogram (const CudahistoResult * result, const HistoComponentResult * component, const gchar * path)
{
  guint n = 99;
  g_autofree guint64 *counts = cudahisto_result_dup_histogram (result, path, &n);
  g_autofree guint64 *expected = g_new0 (guint64, MAX (component->figures.bins, 1));

  if (component->histogram == NULL) {
    check (counts == NULL && n == 0);
    return;
  }
  check (histo_component_add_counts (component, expected));
  check (n == component->figures.bins && memcmp (counts, expected, n * sizeof *counts) == 0);
}

static void
check_components (const CudahistoResult * result, const HistoResult * read)
{
  g_auto (GStrv) names = cudahisto_result_list_components (result);

  for (guint i = 0; i < read->n_region_components; i++) {
    const HistoComponentResult *component = &read->components[i];
    const gboolean is_native = component->group == HISTO_GROUP_BASIC;
    g_autofree gchar *path = is_native ? g_strdup (component->name) :
        g_strconcat (histo_groups[component->group].name, ".", component->name, NULL);

    if (is_native)
      check (g_strcmp0 (names[i], component->name) == 0);
    check (cudahisto_result_get_depth (result, path) == component->depth);
    check_histogram (result, component, path);
  }
}

static void
check_times (const CudahistoResult * result, const GstStructure * structure)
{
  HistoTimes times, expected;
  gdouble buffers;

  check (histo_read_times (structure, &expected));
  cudahisto_result_get_times (result, &times.timestamp, &times.stream_time, &times.running_time, &times.duration);
  check (memcmp (&times, &expected, sizeof times) == 0);
  check (cudahisto_result_is_window (result) == gst_structure_has_name (structure, "cudahisto-window"));
  check (cudahisto_result_get_figure (result, "buffers", &buffers) == cudahisto_result_is_window (result));
}

static void
check_result (const GstStructure * structure)
{
  HistoResult read = { 0, };
  GError *error = NULL;
  g_autoptr (CudahistoResult) result = cudahisto_result_new_from_structure (structure, &error);
  g_autoptr (GHashTable) figures = NULL, old = NULL;

  g_assert_no_error (error);
  check (histo_read_result (structure, &read, NULL));
  figures = list_new (result);
  old = list_old (&read);
  g_print ("%s of %s: %u figures\n", gst_structure_get_name (structure), cudahisto_result_get_word (result, "format"),
      g_hash_table_size (figures));
  check (g_hash_table_size (figures) >= 45);
  check (includes (figures, old) && includes (old, figures));
  check_components (result, &read);
  check_times (result, structure);
  check_missing (structure, figures);
  histo_result_clear (&read);
}

static void
check_alert (const GstStructure * structure)
{
  HistoAlertEvent event;
  g_autoptr (GstMessage) message = gst_message_new_element (NULL, gst_structure_copy (structure));
  g_autoptr (CudahistoAlert) alert = cudahisto_alert_new_from_message (message, NULL);

  check (histo_read_alert (structure, &event, NULL));
  g_clear_pointer (&message, gst_message_unref);
  check (g_str_equal (cudahisto_alert_get_type_name (alert), histo_alert_names[event.alert]));
  check (cudahisto_alert_is_end (alert) == event.is_end);
  check (cudahisto_alert_get_start (alert) == event.start && cudahisto_alert_get_end (alert) == event.end);
  check (cudahisto_alert_get_value (alert) == event.value && cudahisto_alert_get_threshold (alert) == event.threshold);
  check (cudahisto_alert_get_value_time (alert) == event.value_time);
  check (g_strcmp0 (cudahisto_alert_get_text (alert, "rule"), event.rule) == 0);
  check (g_strcmp0 (cudahisto_alert_get_text (alert, "component"), event.component) == 0);
  check (cudahisto_alert_get_text (alert, "nothing") == NULL);
  histo_alert_event_clear (&event);
}

static void
check_file (const gchar * path)
{
  g_autofree gchar *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint n = 0;

  check (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL && lines[i][0] != '\0'; i++, n++) {
    g_autoptr (GstStructure) structure = gst_structure_from_string (lines[i], NULL);

    check (structure != NULL);
    if (gst_structure_has_name (structure, "cudahisto-alert"))
      check_alert (structure);
    else
      check_result (structure);
  }
  check (n >= 2);
}

/* ---- Made-up results ------------------------------------------------------------------------- */

/* Of a later version: it has other figures, groups, components, arrays and words, and lacks some. */
static const gchar later[] = "cudahisto, schema=(uint)1, media=(string)video, format=(string)X999, width=(int)8, "
    "height=(int)8, backend=(string)vulkan, components=(string)< Y, Q >, taste=(double)3, "
    "Y=(structure)\"Y\\,\\ mean\\=\\(double\\)7\\,\\ p95\\=\\(double\\)9\\,\\ max\\=\\(double\\)nan\\,\\ depth\\=\\(uint\\)9\\;\", "
    "Q=(structure)\"Q\\,\\ count\\=\\(guint64\\)64\\,\\ mean\\=\\(double\\)5\\,\\ blob\\=\\(fraction\\)1/2\\;\", "
    "flash=(structure)\"flash\\,\\ state\\=\\(string\\)dazzling\\,\\ luminance\\=\\(double\\)0.5\\;\", "
    "aroma=(structure)\"aroma\\,\\ note\\=\\(string\\)smoky\\,\\ by-component\\=\\(double\\)\\<\\ 1\\,\\ 2\\ \\>\\;\"";

static void
test_later (void)
{
  static const gchar *const expected[] = { "taste", "Y.mean", "Y.p95", "Q.count", "Q.mean", "flash.state", "flash.luminance",
    "aroma.note", "aroma.by-component.Y", "aroma.by-component.Q", NULL
  };
  static const gchar *const absent[] = { "", ".", "Y", "Y.", "Y.max", "Y.p10", "Q.blob", "Y.mean.mean", "regions.logo.Y.mean",
    "aroma.by-component", "aroma.by-component.R", "aroma.by-component.0", "flash.state", "schema.x", "no such text, never interned"
  };
  g_autoptr (GstStructure) structure = gst_structure_from_string (later, NULL);
  g_autoptr (CudahistoResult) result = cudahisto_result_new_from_structure (structure, NULL);
  g_auto (GStrv) paths = cudahisto_result_list_paths (result);
  HistoResult read = { 0, };
  gdouble value = 0;

  check (g_strv_equal ((const gchar * const *) paths, expected));
  check (g_strcmp0 (cudahisto_result_get_word (result, "flash.state"), "dazzling") == 0);
  check (g_strcmp0 (cudahisto_result_get_word (result, "backend"), "vulkan") == 0);
  check (cudahisto_result_get_figure (result, "aroma.by-component.Q", &value) && value == 2);
  check (cudahisto_result_get_figure (result, "width", &value) && value == 8);
  check (cudahisto_result_get_depth (result, "Y") == 9 && cudahisto_result_get_depth (result, "Z") == 0);
  for (guint i = 0; i < G_N_ELEMENTS (absent); i++)
    check (!cudahisto_result_get_figure (result, absent[i], &value) && isnan (value));
  check (g_quark_try_string ("no such text, never interned") == 0);
  /* The static library refuses it; rules read what they know. */
  check (!histo_read_result (structure, &read, NULL));
  check (histo_read_known (structure, &read, NULL));
  histo_result_clear (&read);
}

/* Component Y of a result, with this schema and other bins and edges. */
static GstStructure *
make_with_edges (guint schema, guint bins, const gdouble * edges, guint n_edges)
{
  g_autofree gchar *words = g_strdup_printf ("cudahisto, schema=(uint)%u, media=(string)video, components=(string)<Y>, "
      "Y=(structure)\"Y, bins=(uint)%u, count=(guint64)5\";", schema, bins);
  GstStructure *structure = gst_structure_from_string (words, NULL);
  GstStructure *y;
  guint64 little[8];
  g_autoptr (GBytes) bytes = NULL;

  for (guint i = 0; i < n_edges; i++)
    GST_WRITE_DOUBLE_LE ((guint8 *) & little[i], edges[i]);
  check (gst_structure_get (structure, "Y", GST_TYPE_STRUCTURE, &y, NULL));
  bytes = g_bytes_new (little, n_edges * sizeof *little);
  gst_structure_set (y, "edges", G_TYPE_BYTES, bytes, NULL);
  gst_structure_set (structure, "Y", GST_TYPE_STRUCTURE, y, NULL);
  gst_structure_free (y);
  return structure;
}

/* Bins of any widths have edges and no range; others have the edges that follow from it. */
static void
test_edges (void)
{
  static const gdouble good[] = { -1, 0.1, 0.5, 7 }, bad[] = { 0, 2, 2, 3 }, none[] = { 0, 1, NAN, 3 };
  static const struct
  {
    guint schema, bins;
    const gdouble *edges;
    gboolean is_right;
  } all[] = {
    {2, 3, good, TRUE}, {1, 3, good, FALSE}, {2, 2, good, FALSE}, {2, 4, good, FALSE}, {2, 3, bad, FALSE},
    {2, 3, none, FALSE}, {2, 0, good, FALSE},
  };
  g_autoptr (GstStructure) equal = gst_structure_from_string ("cudahisto, schema=(uint)1, Y=(structure)\"Y, bins=(uint)4, "
      "range-min=(double)-1, range-max=(double)1\";", NULL);
  g_autoptr (CudahistoResult) result = cudahisto_result_new_from_structure (equal, NULL);
  g_autofree gdouble *edges = NULL;
  guint n = 99;

  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    g_autoptr (GstStructure) structure = make_with_edges (all[i].schema, all[i].bins, all[i].edges, 4);
    g_autoptr (CudahistoResult) with = cudahisto_result_new_from_structure (structure, NULL);
    g_auto (GStrv) paths = cudahisto_result_list_paths (with);
    g_autofree gdouble *found = cudahisto_result_dup_edges (with, "Y", &n);

    check ((found != NULL) == all[i].is_right && n == (all[i].is_right ? 4 : 0));
    check (found == NULL || memcmp (found, good, sizeof good) == 0);
    check (!cudahisto_result_get_figure (with, "Y.range-min", NULL));
    check (!cudahisto_result_get_figure (with, "Y.edges", NULL));
    check (cudahisto_result_get_figure (with, "Y.bins", NULL));
    check (!g_strv_contains ((const gchar * const *) paths, "Y.edges"));
  }
  edges = cudahisto_result_dup_edges (result, "Y", &n);
  check (n == 5 && edges[0] == -1 && edges[1] == -0.5 && edges[4] == 1);
  check (cudahisto_result_dup_edges (result, "U", &n) == NULL && n == 0);
}

static void
test_refused (void)
{
  static const struct
  {
    const gchar *text, *message;
  } wrong[] = {
    {"cudahisto", "schema"}, {"cudahisto, schema=(int)1", "schema"}, {"cudahisto, schema=(uint)3", "schema 3"}, {NULL, "structure"},
  };
  g_autoptr (GstMessage) other = gst_message_new_eos (NULL);
  g_autoptr (GstSample) sample = gst_sample_new (NULL, NULL, NULL, NULL);
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GstStructure) structure = wrong[i].text != NULL ? gst_structure_from_string (wrong[i].text, NULL) : NULL;

    check (cudahisto_result_new_from_structure (structure, &error) == NULL);
    check (g_error_matches (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_FORMAT));
    check (strstr (error->message, wrong[i].message) != NULL);
    g_clear_error (&error);
    check (cudahisto_alert_new_from_structure (structure, &error) == NULL);
    check (g_error_matches (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_FORMAT));
    g_clear_error (&error);
  }
  check (cudahisto_result_new_from_message (other, &error) == NULL);
  check (g_error_matches (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_NO_RESULT));
  g_clear_error (&error);
  check (cudahisto_alert_new_from_message (other, &error) == NULL);
  check (g_error_matches (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_NO_RESULT));
  g_clear_error (&error);
  check (cudahisto_result_new_from_sample (sample, &error) == NULL);
  check (g_error_matches (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_NO_RESULT));
  g_clear_error (&error);
}

static void
test_unknown_alert (void)
{
  g_autoptr (GstStructure) structure = gst_structure_from_string ("cudahisto-alert, type=(string)boredom, "
      "state=(string)begin, region=(string)logo, start=(guint64)5", NULL);
  g_autoptr (CudahistoAlert) alert = cudahisto_alert_new_from_structure (structure, NULL);

  check (g_str_equal (cudahisto_alert_get_type_name (alert), "boredom"));
  check (g_str_equal (cudahisto_alert_get_text (alert, "region"), "logo"));
  check (!cudahisto_alert_is_end (alert) && cudahisto_alert_get_start (alert) == 5);
  check (cudahisto_alert_get_end (alert) == GST_CLOCK_TIME_NONE && isnan (cudahisto_alert_get_value (alert)));
}

/* ---- Buffers and rules ----------------------------------------------------------------------- */

/* Returns: (transfer full): a buffer of 1 s with a result */
static GstBuffer *
make_buffer (GstClockTime time, gdouble mean)
{
  GstBuffer *buffer = gst_buffer_new ();
  GstCustomMeta *meta = gst_buffer_add_custom_meta (buffer, "cudahisto");
  GstStructure *y = gst_structure_new ("Y", "mean", G_TYPE_DOUBLE, mean, NULL);
  GValue components = G_VALUE_INIT, name = G_VALUE_INIT;

  gst_structure_set (gst_custom_meta_get_structure (meta), "schema", G_TYPE_UINT, 1, "media", G_TYPE_STRING, "video",
      "format", G_TYPE_STRING, "GRAY8", "backend", G_TYPE_STRING, "cpu", "width", G_TYPE_INT, 8, "height", G_TYPE_INT, 8,
      "Y", GST_TYPE_STRUCTURE, y, NULL);
  gst_structure_free (y);
  g_value_init (&name, G_TYPE_STRING);
  g_value_set_static_string (&name, "Y");
  gst_value_array_init (&components, 1);
  gst_value_array_append_and_take_value (&components, &name);
  gst_structure_take_value (gst_custom_meta_get_structure (meta), "components", &components);
  GST_BUFFER_PTS (buffer) = time;
  GST_BUFFER_DURATION (buffer) = GST_SECOND;
  return buffer;
}

static void
test_buffer (void)
{
  g_autoptr (GstBuffer) buffer = make_buffer (11 * GST_SECOND, 3), empty = gst_buffer_new ();
  g_autoptr (CudahistoResult) result = cudahisto_result_new_from_buffer (buffer, NULL), copy = NULL, of_sample = NULL;
  g_autoptr (GstSample) sample = NULL;
  GError *error = NULL;
  GstClockTime time, stream_time;
  GstSegment segment;
  gdouble value;

  check (cudahisto_result_new_from_buffer (empty, &error) == NULL);
  check (g_error_matches (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_NO_RESULT));
  g_clear_error (&error);
  cudahisto_result_get_times (result, &time, &stream_time, NULL, NULL);
  check (time == 11 * GST_SECOND && stream_time == GST_CLOCK_TIME_NONE);
  check (cudahisto_result_new_from_buffer_full (buffer, NULL, "source", &error) == NULL);
  check (g_error_matches (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_NO_RESULT) && strstr (error->message, "\"source\"") != NULL);
  g_clear_error (&error);
  /* The copy needs the buffer no more. */
  check (GST_MINI_OBJECT_REFCOUNT_VALUE (buffer) == 2);
  copy = cudahisto_result_copy (result);
  g_clear_pointer (&result, cudahisto_result_unref);
  check (GST_MINI_OBJECT_REFCOUNT_VALUE (buffer) == 1);
  check (cudahisto_result_get_figure (copy, "Y.mean", &value) && value == 3);
  cudahisto_result_get_times (copy, &time, NULL, NULL, NULL);
  check (time == 11 * GST_SECOND);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 10 * GST_SECOND;
  sample = gst_sample_new (buffer, NULL, &segment, NULL);
  of_sample = cudahisto_result_new_from_sample (sample, NULL);
  cudahisto_result_get_times (of_sample, NULL, &stream_time, NULL, NULL);
  check (stream_time == GST_SECOND);
}

static void
check_next_alert (CudahistoChecker * checker, gboolean is_end, GstClockTime start, GstClockTime end)
{
  g_autoptr (CudahistoAlert) alert = cudahisto_checker_pop_alert (checker);

  check (alert != NULL && g_str_equal (cudahisto_alert_get_type_name (alert), "rule"));
  check (g_str_equal (cudahisto_alert_get_text (alert, "rule"), "dark") && cudahisto_alert_is_end (alert) == is_end);
  check (cudahisto_alert_get_start (alert) == start && cudahisto_alert_get_end (alert) == end);
  check (cudahisto_alert_get_value (alert) == 50 && cudahisto_alert_get_threshold (alert) == 40);
}

/* The segment begins at 10 s, in the middle of the first buffer; the last one has no time. */
static void
test_checker (void)
{
  g_autoptr (CudahistoRules) rules = cudahisto_rules_new ("dark: Y.mean < 40\nnone: Y.p10 < 3\nwarn low: Y.mean > 3",
      CUDAHISTO_RULES_KIND_POLICY, NULL);
  g_autoptr (CudahistoChecker) checker = cudahisto_checker_new (rules);
  CudahistoFinding *findings[3];
  g_autoptr (GstBuffer) empty = gst_buffer_new ();
  const gdouble means[] = { 50, 50, 7, 50 };
  static const CudahistoVerdict verdicts[] = { CUDAHISTO_VERDICT_FAILED, CUDAHISTO_VERDICT_SKIPPED, CUDAHISTO_VERDICT_PASSED };
  GError *error = NULL;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 10 * GST_SECOND;
  segment.time = 100 * GST_SECOND;
  for (guint i = 0; i < G_N_ELEMENTS (means); i++) {
    g_autoptr (GstBuffer) buffer = make_buffer (i < 3 ? (9500 + 1000 * (GstClockTime) i) * GST_MSECOND : GST_CLOCK_TIME_NONE, means[i]);

    check (cudahisto_checker_push_buffer (checker, buffer, &segment, &error));
  }
  check (!cudahisto_checker_push_buffer (checker, empty, &segment, &error));
  check (g_error_matches (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_NO_RESULT));
  g_clear_error (&error);
  check_next_alert (checker, FALSE, 100 * GST_SECOND, GST_CLOCK_TIME_NONE);
  check_next_alert (checker, TRUE, 100 * GST_SECOND, 101500 * GST_MSECOND);
  check_next_alert (checker, FALSE, 102500 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  check (cudahisto_checker_pop_alert (checker) == NULL);
  check (cudahisto_checker_get_n_findings (checker) == 0);
  check (cudahisto_checker_finish (checker) == CUDAHISTO_VERDICT_FAILED);
  check_next_alert (checker, TRUE, 102500 * GST_MSECOND, 103500 * GST_MSECOND);
  check (cudahisto_checker_get_n_findings (checker) == 3 && cudahisto_rules_get_n_rules (rules) == 3);
  check (cudahisto_checker_get_finding (checker, 3) == NULL);
  for (guint i = 0; i < G_N_ELEMENTS (findings); i++)
    findings[i] = cudahisto_checker_get_finding (checker, i);
  g_clear_pointer (&checker, cudahisto_checker_unref);
  g_clear_pointer (&rules, cudahisto_rules_unref);
  for (guint i = 0; i < G_N_ELEMENTS (findings); i++) {
    check (cudahisto_finding_get_verdict (findings[i]) == verdicts[i]);
    check (cudahisto_finding_get_place (findings[i]) == NULL);
  }
  check (g_str_equal (cudahisto_finding_get_rule (findings[0]), "dark"));
  check (cudahisto_finding_get_value (findings[0]) == 50 && cudahisto_finding_get_limit (findings[0]) == 40);
  check (cudahisto_finding_get_value_time (findings[0]) == 100 * GST_SECOND);
  check (isnan (cudahisto_finding_get_value (findings[1])));
  check (cudahisto_finding_get_value_time (findings[1]) == GST_CLOCK_TIME_NONE);
  for (guint i = 0; i < G_N_ELEMENTS (findings); i++)
    cudahisto_finding_unref (findings[i]);
}

static void
test_wrong_rules (void)
{
  GError *error = NULL;

  check (cudahisto_rules_new ("a: Y.mean < 40\nb: Y.meen < 3", CUDAHISTO_RULES_KIND_POLICY, &error) == NULL);
  check (g_error_matches (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_RULES));
  check (g_str_has_prefix (error->message, "line 2, column 6: "));
  g_clear_error (&error);
}

/* ---- Measuring ------------------------------------------------------------------------------- */

static GstPadProbeReturn
keep_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer kept)
{
  gst_buffer_replace (kept, GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

/* Returns: (transfer full): the first frame that the element has measured */
static GstBuffer *
measure_by_element (const gchar * format, const gchar * groups)
{
  g_autofree gchar *text = g_strdup_printf ("videotestsrc num-buffers=1 pattern=snow ! video/x-raw,format=%s,width=66,height=50,"
      "framerate=25/1 ! cudahisto backend=cpu result-name=test measures=%s ! fakesink name=sink", format, groups);
  g_autoptr (GstElement) pipeline = gst_parse_launch (text, NULL);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  GstBuffer *kept = NULL;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, keep_buffer, &kept, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  check (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS && kept != NULL);
  return kept;
}

/* A frame that is measured alone has the figures of the element's first frame. */
static void
check_frame (GstVideoFormat format, const gchar * groups)
{
  g_autoptr (GstBuffer) buffer = measure_by_element (gst_video_format_to_string (format), groups);
  g_autoptr (CudahistoResult) by_element = cudahisto_result_new_from_buffer_full (buffer, NULL, "test", NULL), by_library = NULL;
  g_autoptr (GHashTable) expected = list_new (by_element), found = NULL;
  GError *error = NULL;
  GstVideoFrame frame;
  GstVideoInfo info;

  gst_video_info_set_format (&info, format, 66, 50);
  check (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  by_library = cudahisto_measure_frame (&frame, groups, &error);
  g_assert_no_error (error);
  gst_video_frame_unmap (&frame);
  found = list_new (by_library);
  check (g_hash_table_size (found) >= 15 && includes (expected, found) && includes (found, expected));
}

static void
test_measure (void)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL, 64 * 64, NULL);
  g_autoptr (CudahistoResult) result = NULL;
  GError *error = NULL;

  check_frame (GST_VIDEO_FORMAT_I420, "basic");
  check_frame (GST_VIDEO_FORMAT_I420, "signal+color+detail+area+gamut");
  check_frame (GST_VIDEO_FORMAT_RGBA, "scopes+color");
  check_frame (GST_VIDEO_FORMAT_v210, "signal");
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY8, 64, 64);
  check (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  check (cudahisto_measure_frame (&frame, "basic+nothing", &error) == NULL);
  check (g_error_matches (error, CUDAHISTO_ERROR, CUDAHISTO_ERROR_MEASURE) && strstr (error->message, "nothing") != NULL);
  g_clear_error (&error);
  result = cudahisto_measure_frame (&frame, NULL, NULL);
  check (g_strcmp0 (cudahisto_result_get_word (result, "format"), "GRAY8") == 0);
  gst_video_frame_unmap (&frame);
}

/* ---- NULL ------------------------------------------------------------------------------------ */

static guint n_criticals;

static void
count_critical (const gchar * domain, GLogLevelFlags level, const gchar * message, gpointer data)
{
  check (g_strcmp0 (domain, "cudahisto") == 0);
  n_criticals++;
}

#define REFUSED(call) \
  G_STMT_START { \
    n_criticals = 0; \
    (void) (call); \
    check (n_criticals == 1); \
  } G_STMT_END

#define ACCEPTED(call) \
  G_STMT_START { \
    n_criticals = 0; \
    call; \
    check (n_criticals == 0); \
  } G_STMT_END

static void
test_null (void)
{
  const guint handler = g_log_set_handler ("cudahisto", G_LOG_LEVEL_CRITICAL, count_critical, NULL);
  guint n;

  g_log_set_always_fatal (G_LOG_FATAL_MASK);
  ACCEPTED (cudahisto_result_unref (NULL));
  ACCEPTED (cudahisto_alert_unref (NULL));
  ACCEPTED (cudahisto_rules_unref (NULL));
  ACCEPTED (cudahisto_finding_unref (NULL));
  ACCEPTED (cudahisto_checker_unref (NULL));
  ACCEPTED (check (cudahisto_result_new_from_structure (NULL, NULL) == NULL));
  ACCEPTED (check (cudahisto_alert_new_from_structure (NULL, NULL) == NULL));
  REFUSED (cudahisto_result_new_from_buffer (NULL, NULL));
  REFUSED (cudahisto_result_new_from_buffer_full (NULL, NULL, NULL, NULL));
  REFUSED (cudahisto_result_new_from_sample (NULL, NULL));
  REFUSED (cudahisto_result_new_from_message (NULL, NULL));
  REFUSED (cudahisto_result_copy (NULL));
  REFUSED (cudahisto_measure_frame (NULL, NULL, NULL));
  REFUSED (cudahisto_result_ref (NULL));
  REFUSED (cudahisto_result_is_window (NULL));
  n_criticals = 0;
  cudahisto_result_get_times (NULL, NULL, NULL, NULL, NULL);
  check (n_criticals == 1);
  REFUSED (cudahisto_result_get_figure (NULL, "Y.mean", NULL));
  REFUSED (cudahisto_result_get_word (NULL, "format"));
  REFUSED (cudahisto_result_list_components (NULL));
  REFUSED (cudahisto_result_list_paths (NULL));
  n_criticals = 0;
  cudahisto_result_visit (NULL, add_new_figure, NULL);
  check (n_criticals == 1);
  REFUSED (cudahisto_result_get_depth (NULL, "Y"));
  REFUSED (cudahisto_result_dup_histogram (NULL, "Y", &n));
  REFUSED (cudahisto_result_dup_edges (NULL, "Y", &n));
  REFUSED (cudahisto_alert_new_from_message (NULL, NULL));
  REFUSED (cudahisto_alert_ref (NULL));
  REFUSED (cudahisto_alert_get_type_name (NULL));
  REFUSED (cudahisto_alert_is_end (NULL));
  REFUSED (cudahisto_alert_get_start (NULL));
  REFUSED (cudahisto_alert_get_end (NULL));
  REFUSED (cudahisto_alert_get_value (NULL));
  REFUSED (cudahisto_alert_get_threshold (NULL));
  REFUSED (cudahisto_alert_get_value_time (NULL));
  REFUSED (cudahisto_alert_get_text (NULL, "region"));
  REFUSED (cudahisto_rules_new (NULL, CUDAHISTO_RULES_KIND_POLICY, NULL));
  REFUSED (cudahisto_rules_new ("a: Y.mean < 3", (CudahistoRulesKind) 99, NULL));
  REFUSED (cudahisto_rules_ref (NULL));
  REFUSED (cudahisto_rules_get_n_rules (NULL));
  REFUSED (cudahisto_finding_ref (NULL));
  REFUSED (cudahisto_finding_get_rule (NULL));
  REFUSED (cudahisto_finding_get_place (NULL));
  REFUSED (cudahisto_finding_get_verdict (NULL));
  REFUSED (cudahisto_finding_get_value (NULL));
  REFUSED (cudahisto_finding_get_limit (NULL));
  REFUSED (cudahisto_finding_get_value_time (NULL));
  REFUSED (cudahisto_checker_new (NULL));
  REFUSED (cudahisto_checker_ref (NULL));
  REFUSED (cudahisto_checker_push_buffer (NULL, NULL, NULL, NULL));
  REFUSED (cudahisto_checker_push_result (NULL, NULL, NULL));
  REFUSED (cudahisto_checker_pop_alert (NULL));
  REFUSED (cudahisto_checker_finish (NULL));
  REFUSED (cudahisto_checker_get_n_findings (NULL));
  REFUSED (cudahisto_checker_get_finding (NULL, 0));
  g_log_remove_handler ("cudahisto", handler);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  gst_meta_register_custom ("cudahisto", (const gchar *[]) { NULL }, NULL, NULL, NULL);
  check (argc > 1);
  for (gint i = 1; i < argc; i++)
    check_file (argv[i]);
  test_later ();
  test_edges ();
  test_refused ();
  test_unknown_alert ();
  test_buffer ();
  test_checker ();
  test_wrong_rules ();
  test_measure ();
  test_null ();
  g_print ("all passed\n");
  return 0;
}
