/* Summaries as JSON, with any changes; see report-parts.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "report-parts.h"

#define N_BASES 16
/* To copy more takes most of the time. The last one has blocks of loudness, and is chosen rarely. */
#define MOST_TEXT 3000
/* Where an input for fuzz_summary_of_results() has the number of frames, if all before is 0. */
#define FRAMES_AT 13

/* The summaries to begin with. */
static JsonNode *bases[N_BASES];

/* ---- Writing and reading ------------------------------------------------------------------------ */

static void
put_node (ReportJson * json, const gchar * key, JsonNode * node)
{
  JsonObjectIter iter;
  const gchar *name;
  JsonNode *member;

  if (JSON_NODE_HOLDS_OBJECT (node)) {
    report_json_begin_object (json, key);
    json_object_iter_init_ordered (&iter, json_node_get_object (node));
    while (json_object_iter_next_ordered (&iter, &name, &member))
      put_node (json, name, member);
    report_json_end_object (json);
    return;
  }
  if (JSON_NODE_HOLDS_ARRAY (node)) {
    report_json_begin_array (json, key);
    for (guint i = 0; i < json_array_get_length (json_node_get_array (node)); i++)
      put_node (json, NULL, json_array_get_element (json_node_get_array (node), i));
    report_json_end_array (json);
    return;
  }
  if (key != NULL)
    report_json_set_key (json, key);
  if (JSON_NODE_HOLDS_NULL (node))
    report_json_put_null (json);
  else if (json_node_get_value_type (node) == G_TYPE_INT64)
    report_json_put_int (json, json_node_get_int (node));
  else if (json_node_get_value_type (node) == G_TYPE_DOUBLE)
    report_json_put_double (json, json_node_get_double (node));
  else if (json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    report_json_put_boolean (json, json_node_get_boolean (node));
  else
    report_json_put_text (json, json_node_get_string (node));
}

/* As the report writes JSON. @root: (transfer full). Returns: (transfer full) */
static gchar *
node_to_text (JsonNode * root)
{
  ReportJson *json = report_json_new (FALSE);

  put_node (json, NULL, root);
  json_node_unref (root);
  return g_string_free (report_json_finish (json), FALSE);
}

/* Returns: (transfer full) */
gchar *
fuzz_summary_to_text (const ReportSummary * summary)
{
  ReportJson *json = report_json_new (FALSE);

  report_json_begin_object (json, NULL);
  report_json_add_summary (json, summary, FALSE);
  report_json_end_object (json);
  return g_string_free (report_json_finish (json), FALSE);
}

/* (transfer full) (nullable) */
static ReportSummary *
read_node (JsonNode * root)
{
  GError *error = NULL;
  ReportSummary *summary = JSON_NODE_HOLDS_OBJECT (root) ?
      report_json_read_summary (json_node_get_object (root), &error) : NULL;

  fuzz_check (!JSON_NODE_HOLDS_OBJECT (root)
      || (summary == NULL) == (error != NULL), "no error");
  g_clear_error (&error);
  return summary;
}

void
fuzz_check_round_trip (const ReportSummary * summary)
{
  gchar *text = fuzz_summary_to_text (summary);
  JsonNode *root = fuzz_parse_json (text), *again;
  ReportSummary *read = read_node (root);
  gchar *text_again;

  fuzz_check (read != NULL, "a summary that was written is refused: %s", text);
  text_again = fuzz_summary_to_text (read);
  again = fuzz_parse_json (text_again);
  fuzz_check (json_node_equal (root, again), "%s\n\n%s", text, text_again);
  report_summary_free (read);
  json_node_unref (root);
  json_node_unref (again);
  g_free (text_again);
  g_free (text);
}

/* ---- Copies --------------------------------------------------------------------------------------- */

/* json_node_copy() does not copy what is inside. (transfer full) */
static JsonNode *
copy_node (JsonNode * node)
{
  JsonNode *copy;

  if (JSON_NODE_HOLDS_OBJECT (node)) {
    JsonObject *object = json_object_new ();
    JsonObjectIter iter;
    const gchar *name;
    JsonNode *member;

    json_object_iter_init_ordered (&iter, json_node_get_object (node));
    while (json_object_iter_next_ordered (&iter, &name, &member))
      json_object_set_member (object, name, copy_node (member));
    copy = json_node_alloc ();
    json_node_init (copy, JSON_NODE_OBJECT);
    json_node_take_object (copy, object);
  } else if (JSON_NODE_HOLDS_ARRAY (node)) {
    JsonArray *from = json_node_get_array (node), *array = json_array_new ();

    for (guint i = 0; i < json_array_get_length (from); i++)
      json_array_add_element (array,
          copy_node (json_array_get_element (from, i)));
    copy = json_node_alloc ();
    json_node_init (copy, JSON_NODE_ARRAY);
    json_node_take_array (copy, array);
  } else {
    copy = json_node_copy (node);
  }
  return copy;
}

static JsonNode *
choose_base (FuzzBytes * bytes)
{
  const guint choice = fuzz_u8 (bytes);

  /* No number that libFuzzer likes. */
  return bases[choice != 77 ? choice % (N_BASES - 1) : N_BASES - 1];
}

/* A summary of one frame that begins as structure @number, with some changes. (transfer full) */
static gchar *
new_base (guint number, guint seed, guint n_changes)
{
  guint8 data[64] = { 0, };
  FuzzBytes bytes = { data, FRAMES_AT + 2 + n_changes };
  ReportSummary *summary;
  gchar *text;

  data[FRAMES_AT] = 1;
  data[FRAMES_AT + 1] = number;
  fuzz_fill (data + FRAMES_AT + 2, n_changes, seed);
  summary = fuzz_summary_of_results (&bytes);
  text = fuzz_summary_to_text (summary);
  report_summary_free (summary);
  return text;
}

void
fuzz_summaries_init (void)
{
  gchar *text = new_base (FUZZ_STRUCTURE_WITH_LOUDNESS, 0, 0);
  guint n = 0;

  fuzz_check (strstr (text, "momentary-blocks") != NULL, "no loudness: %s",
      text);
  bases[N_BASES - 1] = fuzz_parse_json (text);
  g_free (text);
  for (guint i = 0; n < N_BASES - 1; i++) {
    text = new_base (i, i * 7919, i < N_BASES ? 0 : 6);
    if (strlen (text) <= MOST_TEXT)
      bases[n++] = fuzz_parse_json (text);
    g_free (text);
  }
}

/* ---- Changes -------------------------------------------------------------------------------------- */

/* (transfer full) */
static JsonNode *
new_json_value (FuzzBytes * bytes)
{
  JsonNode *node = json_node_alloc ();
  gchar *text;

  switch (fuzz_below (bytes, 8)) {
    case 0:
      json_node_init_int (node, fuzz_edge (bytes));
      break;
    case 1:
      json_node_init_double (node, fuzz_double (bytes));
      break;
    case 2:
      text = fuzz_clean_text (bytes);
      json_node_init_string (node, text);
      g_free (text);
      break;
    case 3:
      json_node_init_boolean (node, fuzz_below (bytes, 2));
      break;
    case 4:
      json_node_init (node, JSON_NODE_ARRAY);
      json_node_take_array (node, json_array_new ());
      break;
    case 5:
      json_node_init (node, JSON_NODE_OBJECT);
      json_node_take_object (node, json_object_new ());
      break;
    case 6:
      json_node_init_string (node, "\x1b[2J\n\xef\xbf\xbf\xc2\x9b\"");
      break;
    default:
      json_node_init_null (node);
  }
  return node;
}

static void change_object (JsonObject * object, FuzzBytes * bytes);

/* Changes one element, or appends one that is there. */
static void
change_array (JsonArray * array, FuzzBytes * bytes)
{
  const guint n = json_array_get_length (array);
  guint place;
  JsonNode *element;

  if (n == 0)
    return;
  place = fuzz_below (bytes, n);
  element = json_array_get_element (array, place);
  switch (fuzz_below (bytes, 8)) {
    case 0:
      json_array_remove_element (array, place);
      break;
    case 1:
      json_array_add_element (array, copy_node (element));
      break;
    case 2:
      json_array_add_element (array, new_json_value (bytes));
      break;
    default:
      if (JSON_NODE_HOLDS_OBJECT (element))
        change_object (json_node_get_object (element), bytes);
      else if (JSON_NODE_HOLDS_ARRAY (element))
        change_array (json_node_get_array (element), bytes);
      else {
        json_array_remove_element (array, place);
        json_array_add_element (array, new_json_value (bytes));
      }
  }
}

static void
change_object (JsonObject * object, FuzzBytes * bytes)
{
  const guint n = json_object_get_size (object);
  JsonObjectIter iter;
  JsonNode *node = NULL;
  const gchar *member = NULL;
  gchar *name;

  if (n == 0)
    return;
  json_object_iter_init_ordered (&iter, object);
  for (guint i = fuzz_below (bytes, n) + 1; i > 0; i--)
    json_object_iter_next_ordered (&iter, &member, &node);
  name = g_strdup (member);
  if (JSON_NODE_HOLDS_ARRAY (node) && fuzz_below (bytes, 8) != 0)
    change_array (json_node_get_array (node), bytes);
  else if (JSON_NODE_HOLDS_OBJECT (node) && fuzz_below (bytes, 8) != 0)
    change_object (json_node_get_object (node), bytes);
  else if (fuzz_below (bytes, 8) == 0)
    json_object_remove_member (object, name);
  else
    json_object_set_member (object, name, new_json_value (bytes));
  g_free (name);
}

gchar *
fuzz_changed_summary (FuzzBytes * bytes)
{
  JsonNode *root = copy_node (choose_base (bytes));

  for (guint c = fuzz_below (bytes, 4); c > 0; c--)
    change_object (json_node_get_object (root), bytes);
  return node_to_text (root);
}

/* ---- Sums ----------------------------------------------------------------------------------------- */

static void
write_all (ReportSummary * summary, FuzzBytes * bytes)
{
  fuzz_check_round_trip (summary);
  fuzz_write_summary (fuzz_choose_merge_format (bytes), summary);
}

/* Several are rare, because JSON takes most of the time. */
void
fuzz_check_merge (const ReportSummary * summary, FuzzBytes * bytes)
{
  const guint kind = fuzz_below (bytes, 16);
  const guint n = kind < 13 ? 1 : kind - 11;
  ReportSummary *all = report_summary_new ("all");
  gchar *text = summary != NULL ? fuzz_summary_to_text (summary) : NULL;
  gboolean is_useful = TRUE;
  guint n_read = 0;

  for (guint i = 0; i < n; i++) {
    JsonNode *root = text != NULL ? fuzz_parse_json (text) :
        copy_node (choose_base (bytes));
    ReportSummary *read;

    for (guint c = fuzz_below (bytes, 4); c > 0; c--)
      change_object (json_node_get_object (root), bytes);
    read = read_node (root);
    if (read != NULL) {
      write_all (read, bytes);
      is_useful = is_useful && report_summary_merge (all, read, NULL);
      report_summary_free (read);
      n_read++;
    }
    json_node_unref (root);
  }
  if (is_useful && n_read > 0 && kind >= 8) {
    report_summary_finish (all);
    write_all (all, bytes);
  }
  report_summary_free (all);
  g_free (text);
}
