/* The names of inputs; see names.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/names.h"

#include <gio/gio.h>
#include <gst/gst.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "base/stream.h"

/* So many characters of the checksum of an address distinguish inputs of one name: two of a million
 * inputs are equal with a probability of 3e-8. */
#define CHECKSUM_LENGTH 16

/* A file system takes names of 255 bytes; the rest is for a checksum and a suffix. */
#define MOST_NAME_BYTES 200

/* A file whose name looks like a URI is a file if it exists. */
static gboolean
is_uri (const gchar * name)
{
  return !g_file_test (name, G_FILE_TEST_EXISTS) && gst_uri_is_valid (name);
}

/* Returns: (transfer full): the URI of the input, whether there is such a file or not */
gchar *
report_name_address (const gchar * name)
{
  g_autoptr (GFile) file = NULL;

  if (is_uri (name))
    return g_strdup (name);
  file = g_file_new_for_path (name);
  return g_file_get_uri (file);
}

#define PROGRAM "/proc/self/exe"

/* Returns: (transfer full): how this program was started, for systems without /proc. The kernel always has it. */
static gchar *
name_of_start (void)
{
  return g_canonicalize_filename ((const gchar *) getauxval (AT_EXECFN), NULL);
}

/* Returns: (transfer full): the path of this program */
gchar *
report_name_of_program (void)
{
  gchar *program = g_file_read_link (PROGRAM, NULL);

  return program != NULL ? program : name_of_start ();
}

/**
 * report_name_of_own:
 * @beside: where it is from the folder of this program on, if that was built and not installed
 * @from_program: the same if it was installed, or moved with all that was
 * @installed: where it was installed
 *
 * Returns: (transfer full) (nullable): the first of these files or folders that exists
 */
gchar *
report_name_of_own (const gchar * beside, const gchar * from_program,
    const gchar * installed)
{
  const gchar *const places[] = { beside, from_program, installed };
  g_autofree gchar *program = report_name_of_program ();
  g_autofree gchar *folder = g_path_get_dirname (program);
  gchar *found = NULL;

  for (guint i = 0; found == NULL && i < G_N_ELEMENTS (places); i++) {
    found = g_canonicalize_filename (places[i], folder);
    if (!g_file_test (found, G_FILE_TEST_EXISTS))
      g_clear_pointer (&found, g_free);
  }
  return found;
}

/* Returns: (transfer full): what starts this program once more. It is the same one, even if its file was replaced
 * meanwhile, unless there is no /proc. */
gchar *
report_name_to_start (void)
{
  return g_file_test (PROGRAM, G_FILE_TEST_EXISTS) ? g_strdup (PROGRAM) : name_of_start ();
}

/* Returns: (transfer full) (nullable): the path of the file that is read; NULL: it is not a local one */
gchar *
report_name_to_path (const gchar * name)
{
  g_autofree gchar *protocol = NULL, *location = NULL;
  g_autoptr (GFile) file = NULL;

  if (!is_uri (name))
    return g_strdup (name);
  protocol = gst_uri_get_protocol (name);
  location = gst_uri_get_location (name);
  if (g_strcmp0 (protocol, "file") == 0) {
    file = g_file_new_for_uri (name);
    return g_file_get_path (file);
  }
  if (g_strcmp0 (protocol, "fd") == 0 && location != NULL)
    return g_strconcat ("/proc/self/fd/", location, NULL);
  /* Such as pushfile:///film.mkv. */
  return location != NULL && g_path_is_absolute (location) ? g_steal_pointer (&location) : NULL;
}

/**
 * report_name_find_version:
 * @size: (out): in bytes
 * @mtime: (out): in ns since 1970
 *
 * Finds what shows whether a file is still the same. Both are %GST_CLOCK_TIME_NONE if the input is no local
 * file: then nothing shows it.
 */
void
report_name_find_version (const gchar * name, guint64 * size, guint64 * mtime)
{
  g_autofree gchar *uri = report_name_address (name);
  g_autofree gchar *path = g_str_has_prefix (uri, "file:") ? report_name_to_path (name) :
      NULL;
  struct stat info;

  *size = *mtime = GST_CLOCK_TIME_NONE;
  if (path != NULL && stat (path, &info) == 0 && S_ISREG (info.st_mode)
      && info.st_mtim.tv_sec >= 0) {
    *size = info.st_size;
    *mtime = GST_TIMESPEC_TO_TIME (info.st_mtim);
  }
}

/**
 * report_name_shorten:
 * @base: without a folder
 *
 * Some file systems take only names in UTF-8: none is cut within a character.
 *
 * Returns: (transfer full): the beginning of the name, to which a file system lets 55 bytes be added
 */
gchar *
report_name_shorten (const gchar * base)
{
  gsize length = strlen (base);

  if (length > MOST_NAME_BYTES) {
    length = MOST_NAME_BYTES;
    if (g_utf8_validate (base, -1, NULL))
      length = g_utf8_find_prev_char (base, base + length + 1) - base;
  }
  return g_strndup (base, length);
}

/**
 * report_name_of_file:
 *
 * Returns: (transfer full): the name of a file about an input: the name of the input, a checksum of
 * its URI, and the suffix
 */
gchar *
report_name_of_file (const gchar * name, const gchar * suffix)
{
  g_autofree gchar *uri = report_name_address (name);
  g_autofree gchar *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, uri, -1);
  g_autoptr (GFile) file = g_file_new_for_uri (uri);
  g_autofree gchar *base = g_file_get_basename (file);
  g_autofree gchar *start = report_name_shorten (base != NULL ? g_strdelimit (base, "/", '_') : "input");

  return g_strdup_printf ("%s.%.*s%s", start, CHECKSUM_LENGTH, sum, suffix);
}

/**
 * report_name_to_uri:
 * @name: a file or a URI, in the encoding of file names
 *
 * Returns: (transfer full) (nullable): NULL with a %G_IO_ERROR if there is no such file, or if it
 * cannot be read
 */
gchar *
report_name_to_uri (const gchar * name, GError ** error)
{
  g_autoptr (GFile) file = NULL;
  g_autoptr (GFileInputStream) stream = NULL;

  if (is_uri (name))
    return g_strdup (name);
  file = g_file_new_for_path (name);
  /* The decoder's error would name its element, and less plainly say why. */
  stream = g_file_read (file, NULL, error);
  return stream != NULL ? g_file_get_uri (file) : NULL;
}

/* Returns: (transfer full): the name as UTF-8 on one line */
gchar *
report_name_for_people (const gchar * name)
{
  return report_clean_text (g_filename_display_name (name));
}

/* Returns: FALSE with a %G_IO_ERROR_INVALID_ARGUMENT */
gboolean
report_fail (GError ** error, const gchar * format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  if (error != NULL)
    *error = g_error_new_valist (G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        format, arguments);
  va_end (arguments);
  return FALSE;
}
