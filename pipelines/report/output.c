/* Where the report is written; see output.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixoutputstream.h>
#include <unistd.h>

#include "names.h"

/* If a standard stream is closed, the next file that is opened would get its number, and what is
 * meant for the stream would be written to that file. A file that is opened for reading takes the
 * place of the output, so that writing fails. */
void
report_output_guard_descriptors (void)
{
  for (gint i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
    if (fcntl (i, F_GETFD) == -1 && errno == EBADF)
      (void) !open ("/dev/null", O_RDONLY);
  }
}

/* Returns: (nullable): a device, a pipe or a new file; not a file that replaces a device */
static GOutputStream *
open_path (const gchar * path, GError ** error)
{
  const gint fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const gint problem = errno;
  gchar *name;

  if (fd >= 0)
    return g_unix_output_stream_new (fd, TRUE);
  name = report_name_for_people (path);
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (problem),
      "%s: %s", name, g_strerror (problem));
  g_free (name);
  return NULL;
}

/**
 * report_output_open:
 * @path: (nullable): NULL: the standard output
 * @is_text: convert UTF-8 to the charset of the locale
 *
 * Returns: (transfer full) (nullable): to be closed with report_output_close()
 */
GOutputStream *
report_output_open (const gchar * path, gboolean is_text, GError ** error)
{
  GOutputStream *base, *stream;
  const gchar *charset;

  base = path == NULL ? g_unix_output_stream_new (STDOUT_FILENO, FALSE) :
      open_path (path, error);
  if (base == NULL)
    return NULL;
  if (is_text && !g_get_charset (&charset)) {
    GCharsetConverter *converter =
        g_charset_converter_new (charset, "UTF-8", NULL);

    if (converter != NULL) {
      g_charset_converter_set_use_fallback (converter, TRUE);
      stream = g_converter_output_stream_new (base, G_CONVERTER (converter));
      g_object_unref (converter);
      g_object_unref (base);
      base = stream;
    }
  }
  stream = g_buffered_output_stream_new_sized (base, 64 * 1024);
  g_object_unref (base);
  return stream;
}

/**
 * report_output_close:
 * @stream: (transfer full):
 *
 * Returns: FALSE with an error if not all of it could be written
 */
gboolean
report_output_close (GOutputStream * stream, GError ** error)
{
  const gboolean ok = g_output_stream_close (stream, NULL, error);

  g_object_unref (stream);
  return ok;
}
