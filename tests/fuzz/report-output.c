/* Checks what the report's writers wrote; see report-parts.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "report-parts.h"

#include <libxml/parser.h>
#include <string.h>
#include <zlib.h>

/* More than any file of a few frames has. */
#define MOST_BYTES (16 << 20)

JsonNode *
fuzz_parse_json (const gchar * text)
{
  GError *error = NULL;
  JsonNode *root = json_from_string (text, &error);

  fuzz_check (root != NULL, "%s: %s", error != NULL ? error->message : "empty",
      text);
  return root;
}

/* ---- Lines -------------------------------------------------------------------------------------- */

/* The text is for people: nothing in it may break a line or change a terminal. */
static void
check_text (const gchar * text)
{
  gchar **lines = g_strsplit (text, "\n", -1);

  for (gchar ** line = lines; *line != NULL; line++) {
    gchar *clean = report_clean_text (g_strdup (*line));

    fuzz_check (g_str_equal (clean, *line), "a harmful character: %s", *line);
    g_free (clean);
  }
  g_strfreev (lines);
}

static void
check_json_lines (const gchar * text)
{
  gchar **lines = g_strsplit (text, "\n", -1);

  for (gchar ** line = lines; *line != NULL; line++) {
    if (**line != '\0')
      json_node_unref (fuzz_parse_json (*line));
  }
  g_strfreev (lines);
}

/* Returns: behind the cell */
static const gchar *
skip_cell (const gchar * cell)
{
  if (*cell != '"')
    return cell + strcspn (cell, ",\r\n");
  for (cell++; *cell != '"' || cell[1] == '"'; cell++) {
    fuzz_check (*cell != '\0', "a cell has no end");
    cell += *cell == '"' ? 1 : 0;
  }
  return cell + 1;
}

/* RFC 4180: all lines have the cells of the line of names before them. */
static void
check_csv (const gchar * text)
{
  static const gchar begin[] = "input,stream,title,";
  guint n_names = 0;

  while (*text != '\0') {
    const gboolean has_names = g_str_has_prefix (text, begin);
    guint n = 1;

    for (text = skip_cell (text); *text == ','; n++)
      text = skip_cell (text + 1);
    fuzz_check (g_str_has_prefix (text, "\r\n"), "no end of a line: %s", text);
    text += 2;
    fuzz_check (n == n_names || (has_names && n > n_names),
        "%u cells for %u names", n, n_names);
    n_names = n;
  }
}

void
fuzz_check_output (const ReportFormat * format, const gchar * text)
{
  fuzz_check (g_utf8_validate (text, -1, NULL), "the output is no UTF-8");
  if (format->option == NULL)
    check_text (text);
  else if (g_str_equal (format->option, "csv"))
    check_csv (text);
  else if (g_str_equal (format->option, "ffprobe-json"))
    json_node_unref (fuzz_parse_json (text));
  else if (strstr (format->option, "json") != NULL)
    check_json_lines (text);
}

/* ---- The file of QCTools -------------------------------------------------------------------------- */

/* Returns: (transfer full): the text */
static GByteArray *
inflate_bytes (const guint8 * file, gsize size, gint window_bits)
{
  GByteArray *text = g_byte_array_new ();
  z_stream stream = {.next_in = (guint8 *) file,.avail_in = size };
  int status;

  fuzz_check (inflateInit2 (&stream, window_bits) == Z_OK, "zlib");
  do {
    const guint before = text->len;

    g_byte_array_set_size (text, before + 65536);
    stream.next_out = text->data + before;
    stream.avail_out = 65536;
    status = inflate (&stream, Z_NO_FLUSH);
    g_byte_array_set_size (text, text->len - stream.avail_out);
  } while (status == Z_OK && text->len < MOST_BYTES);
  fuzz_check (status == Z_STREAM_END && stream.avail_in == 0,
      "zlib: %d, %u bytes are left", status, stream.avail_in);
  inflateEnd (&stream);
  return text;
}

/* Returns: how many children with this name the element has */
static guint
count_children (const xmlNode * element, const gchar * name)
{
  guint n = 0;

  for (const xmlNode * child = element->children; child != NULL;
      child = child->next)
    n += g_strcmp0 ((const gchar *) child->name, name) == 0 ? 1 : 0;
  return n;
}

static const xmlNode *
find_child (const xmlNode * element, const gchar * name)
{
  const xmlNode *child = element->children;

  while (child != NULL && g_strcmp0 ((const gchar *) child->name, name) != 0)
    child = child->next;
  fuzz_check (child != NULL, "there is no element %s", name);
  return child;
}

static void
check_qctools (guint n_frames, const guint8 * file, gsize size)
{
  /* gzip */
  GByteArray *text = inflate_bytes (file, size, 15 + 16);
  xmlDocPtr document = xmlReadMemory ((const char *) text->data, text->len,
      NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  const xmlNode *root;

  fuzz_check (document != NULL, "no XML: %.*s", (int) text->len, text->data);
  root = xmlDocGetRootElement (document);
  fuzz_check (g_strcmp0 ((const gchar *) root->name, "ffprobe") == 0,
      "the root is %s", (const gchar *) root->name);
  fuzz_check (count_children (find_child (root, "frames"), "frame") ==
      n_frames, "there are not %u frames", n_frames);
  fuzz_check (count_children (find_child (root, "streams"), "stream") == 2,
      "there are not 2 streams");
  find_child (root, "format");
  xmlFreeDoc (document);
  g_byte_array_unref (text);
}

/* ---- The page ----------------------------------------------------------------------------------- */

/* Returns: (transfer full): the text of the page's script with this id */
static gchar *
find_script (const gchar * page, const gchar * type, const gchar * id)
{
  gchar *begin = g_strdup_printf ("<script type=\"%s\" id=\"%s\">", type, id);
  const gchar *text = strstr (page, begin);
  const gchar *end;

  fuzz_check (text != NULL, "the page has no %s", id);
  text += strlen (begin);
  g_free (begin);
  end = strstr (text, "</script>");
  fuzz_check (end != NULL, "%s has no end", id);
  return g_strndup (text, end - text);
}

/* The numbers of a view are @size bytes, packed. */
static void
check_numbers (const gchar * page, const gchar * name, guint view, guint size)
{
  gchar *id = g_strdup_printf ("%s-%u", name, view);
  gchar *text = find_script (page, "text/plain", id);
  gsize n;
  guint8 *packed = g_base64_decode (text, &n);
  GByteArray *bytes = inflate_bytes (packed, n, 15);

  fuzz_check (bytes->len == size, "%s: %u bytes, not %u", id, bytes->len,
      size);
  g_byte_array_unref (bytes);
  g_free (packed);
  g_free (text);
  g_free (id);
}

static void
check_view (const gchar * page, guint view, JsonObject * description)
{
  const guint columns = json_object_get_int_member (description, "columns");
  JsonArray *series = json_object_get_array_member (description, "series");
  guint width = json_object_get_int_member (description, "timeWidth");
  JsonObject *heat;

  for (guint i = 0; i < json_array_get_length (series); i++)
    width += json_object_get_int_member (json_array_get_object_element (series,
            i), "width");
  check_numbers (page, "figures", view, columns * width);
  if (json_object_get_null_member (description, "heat"))
    return;
  heat = json_object_get_object_member (description, "heat");
  check_numbers (page, "histograms", view,
      json_object_get_int_member (heat, "bins")
      * json_object_get_int_member (heat, "columns"));
}

static void
check_page (const guint8 * file, gsize size)
{
  gchar *page = g_strndup ((const gchar *) file, size);
  gchar *description = find_script (page, "application/json", "description");
  JsonNode *root = fuzz_parse_json (description);
  JsonArray *views =
      json_object_get_array_member (json_node_get_object (root), "views");

  fuzz_check (strlen (page) == size && g_utf8_validate (page, size, NULL),
      "the page is no UTF-8");
  fuzz_check (strchr (description, '<') == NULL, "markup: %s", description);
  for (guint i = 0; i < json_array_get_length (views); i++)
    check_view (page, i, json_array_get_object_element (views, i));
  json_node_unref (root);
  g_free (description);
  g_free (page);
}

/* ---- Metadata of HDR ----------------------------------------------------------------------------- */

/* Nothing is written of what is not PQ. */
static void
check_metadata (guint n_frames, const guint8 * file, gsize size)
{
  gchar *text = g_strndup ((const gchar *) file, size);
  JsonNode *root;
  JsonObject *object;
  guint n;

  if (size > 0) {
    root = fuzz_parse_json (text);
    object = json_node_get_object (root);
    n = json_object_has_member (object, "SceneInfo") ? json_array_get_length
        (json_object_get_array_member (object, "SceneInfo")) :
        json_object_get_int_member (object, "length");
    fuzz_check (n > 0 && n <= n_frames, "%u frames of %u", n, n_frames);
    json_node_unref (root);
  }
  g_free (text);
}

void
fuzz_check_file (const ReportFormat * format, guint n_frames,
    const guint8 * file, gsize size)
{
  if (g_str_equal (format->option, "qctools"))
    check_qctools (n_frames, file, size);
  else if (format->needs_light)
    check_metadata (n_frames, file, size);
  else
    check_page (file, size);
}
