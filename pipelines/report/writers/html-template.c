/* The frame of all pages; see html-template.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/html-template.h"

#include <string.h>

#include "summary/json.h"

#define RESOURCES "/cudahisto/report/"
/* What others have written, which a page shows as text. */
#define LICENCE "dygraphs-licence"

/**
 * report_template_json:
 * @json: (transfer full):
 *
 * Returns: (transfer full): the JSON. A script's text must not contain "</script" or "<!--": in JSON, "<" occurs inside
 *   strings only, where \u003c means the same
 */
gchar *
report_template_json (ReportJson * json)
{
  GString *text = report_json_finish (json);

  g_string_replace (text, "<", "\\u003c", 0);
  return g_string_free (text, FALSE);
}

static gboolean
put_bytes (GOutputStream * to, const gchar * bytes, gsize n, GError ** error)
{
  return g_output_stream_write_all (to, bytes, n, NULL, NULL, error);
}

gboolean
report_template_put (GOutputStream * to, const gchar * text, GError ** error)
{
  return put_bytes (to, text, strlen (text), error);
}

/* Writes text of any kind, for a place between tags or in quotes. */
gboolean
report_template_put_escaped (GOutputStream * to, const gchar * text,
    GError ** error)
{
  g_autofree gchar *escaped = g_markup_escape_text (text, -1);

  return report_template_put (to, escaped, error);
}

/* Returns: (transfer full) (nullable): NULL: there is none of this name */
static GBytes *
find_resource (const gchar * name)
{
  g_autofree gchar *path = g_strconcat (RESOURCES, name, NULL);

  return g_resources_lookup_data (path, 0, NULL);
}

/* Writes a resource without the comment that names a map of its source: a browser's tools would look for that file. */
static gboolean
put_resource (GOutputStream * to, GBytes * bytes, GError ** error)
{
  gsize size;
  const gchar *text = g_bytes_get_data (bytes, &size);
  const gchar *map = g_strrstr_len (text, size, "# sourceMappingURL=");

  if (map == NULL)
    return put_bytes (to, text, size, error);
  return put_bytes (to, text, map - 2 - text, error) && report_template_put (to, "\n", error);
}

static gboolean
put_place (const gchar * place, ReportTemplateFunc func, gpointer data,
    GOutputStream * to, GError ** error)
{
  g_autoptr (GBytes) bytes = find_resource (place);
  g_autofree gchar *text = NULL;

  if (bytes == NULL)
    return func (place, data, to, error);
  if (!g_str_equal (place, LICENCE))
    return put_resource (to, bytes, error);
  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  return report_template_put_escaped (to, text, error);
}

/**
 * report_template_write:
 * @name: of the template
 * @func: for the places that are no resources
 *
 * Returns: FALSE with an error if the page could not be written
 */
gboolean
report_template_write (const gchar * name, ReportTemplateFunc func,
    gpointer data, GOutputStream * to, GError ** error)
{
  g_autoptr (GBytes) bytes = find_resource (name);
  g_autofree gchar *page = g_strndup (g_bytes_get_data (bytes, NULL),
      g_bytes_get_size (bytes));
  gchar *text = page, *place, *end;

  while ((place = strstr (text, "{{")) != NULL && (end = strstr (place, "}}")) != NULL) {
    *place = *end = '\0';
    if (!report_template_put (to, text, error) || !put_place (place + 2, func, data, to, error))
      return FALSE;
    text = end + 2;
  }
  return report_template_put (to, text, error);
}
