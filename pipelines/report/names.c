/* The names of inputs; see names.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "names.h"

#include <gio/gio.h>
#include <gst/gst.h>

#include "stream.h"

/**
 * report_name_to_uri:
 * @name: a file or a URI, in the encoding of file names
 *
 * A file whose name looks like a URI is a file if it exists.
 *
 * Returns: (transfer full) (nullable): NULL with a %G_IO_ERROR if there is no such file, or if it
 * cannot be read
 */
gchar *
report_name_to_uri (const gchar * name, GError ** error)
{
  GFile *file;
  GFileInputStream *stream;
  gchar *uri = NULL;

  if (!g_file_test (name, G_FILE_TEST_EXISTS) && gst_uri_is_valid (name))
    return g_strdup (name);
  file = g_file_new_for_path (name);
  /* The decoder's error would name its element, and less plainly say why. */
  stream = g_file_read (file, NULL, error);
  if (stream != NULL) {
    g_object_unref (stream);
    uri = g_file_get_uri (file);
  }
  g_object_unref (file);
  return uri;
}

/* Returns: (transfer full): the name as UTF-8 on one line */
gchar *
report_name_for_people (const gchar * name)
{
  return report_clean_text (g_filename_display_name (name));
}
