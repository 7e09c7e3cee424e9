/* The files of a set of images: those of folders, lists and sequences; see image-list.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "images/image-list.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "facts/image-formats.h"
#include "facts/numbered.h"
#include "input/inputs.h"
#include "base/interrupt.h"

/* @type: static
 * @path: (nullable): */
ReportImageProblem *
report_image_problem_new (const gchar * type, const gchar * path,
    const gchar * text)
{
  ReportImageProblem *problem = g_new (ReportImageProblem, 1);

  problem->type = type;
  problem->path = g_strdup (path);
  problem->text = g_strdup (text);
  return problem;
}

void
report_image_problem_free (gpointer data)
{
  ReportImageProblem *problem = data;

  g_free (problem->path);
  g_free (problem->text);
  g_free (problem);
}

static void
add_problem (ReportImageList * list, const gchar * type, const gchar * path,
    const gchar * text)
{
  g_ptr_array_add (list->problems, report_image_problem_new (type, path, text));
}

static void
add_file (GPtrArray * files, const gchar * path, gboolean is_named)
{
  const gsize n = strlen (path) + 1;
  ReportImageFile *file = g_malloc (sizeof *file + n);

  file->is_named = is_named;
  memcpy (file->path, path, n);
  g_ptr_array_add (files, file);
}

/* ---- Folders --------------------------------------------------------------------------------- */

/* @path: of the entry, which begins as that of the folder was written */
typedef void (*FoundFunc) (const gchar * path, GFileType type, gpointer data);

/* Calls a function for each entry of a folder that is not hidden, in any order, until the user interrupts the program.
 * Links have a type of their own. */
static void
look_into (ReportImageList * list, const gchar * path, FoundFunc found,
    gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) folder = g_file_new_for_path (path);
  g_autoptr (GFileEnumerator) entries = g_file_enumerate_children (folder,
      G_FILE_ATTRIBUTE_STANDARD_NAME "," G_FILE_ATTRIBUTE_STANDARD_TYPE ","
      G_FILE_ATTRIBUTE_STANDARD_IS_HIDDEN,
      G_FILE_QUERY_INFO_NOFOLLOW_SYMLINKS, NULL, &error);
  GFileInfo *info = NULL;
  GStatBuf status;
  gint problem = 0;

  while (entries != NULL && report_interrupt_signal () == 0
      && g_file_enumerator_iterate (entries, &info, NULL, NULL, &error)
      && info != NULL) {
    g_autofree gchar *child = g_build_filename (path, g_file_info_get_name (info), NULL);
    const GFileType type = g_file_info_get_file_type (info);

    /* A folder may be listed but not searched. Then its entries have no type. They may also have gone. */
    if (type == G_FILE_TYPE_UNKNOWN && problem == 0 && g_lstat (child, &status) != 0 && errno != ENOENT)
      problem = errno;
    if (!g_file_info_get_is_hidden (info))
      found (child, type, data);
  }
  if (problem != 0)
    add_problem (list, "unreadable", path, g_strerror (problem));
  if (error != NULL)
    add_problem (list, "unreadable", path, error->message);
}

typedef struct
{
  ReportImageList *list;
  GPtrArray *found;             /* (element-type ReportImageFile) */
} Folder;

/* A FoundFunc. */
static void
add_entry (const gchar * path, GFileType type, gpointer data)
{
  Folder *self = data;

  if (type == G_FILE_TYPE_DIRECTORY)
    look_into (self->list, path, add_entry, self);
  /* A file that is named as a picture is meant as one. */
  else if (type == G_FILE_TYPE_REGULAR)
    add_file (self->found, path, report_inputs_is_named_picture (path));
}

static gint
compare_paths (gconstpointer a, gconstpointer b)
{
  const ReportImageFile *const *one = a, *const *other = b;

  return strcmp ((*one)->path, (*other)->path);
}

static void
add_folder (ReportImageList * list, const gchar * path)
{
  Folder self = { list, g_ptr_array_new () };

  look_into (list, path, add_entry, &self);
  g_ptr_array_sort (self.found, compare_paths);
  g_ptr_array_extend_and_steal (list->files, self.found);
}

/* ---- Sequences ------------------------------------------------------------------------------- */

/* Returns: FALSE if the name is no pattern */
static gboolean
add_sequence (ReportImageList * list, const gchar * pattern)
{
  g_autoptr (GError) error = NULL;
  ReportNumbered numbered;
  const gboolean ok = report_numbered_find (&numbered, pattern, &error);

  if (error != NULL)
    add_problem (list, "unreadable", pattern, error->message);
  for (guint i = 0; i < numbered.numbers->len; i++) {
    g_autofree gchar *path = report_numbered_path (&numbered, i);
    g_autofree gchar *gap = report_numbered_gap (&numbered, i);

    /* A number that is not there, between two that are, is a frame that is missing. */
    if (gap != NULL)
      add_problem (list, "missing", pattern, gap);
    add_file (list->files, path, TRUE);
  }
  if (ok && error == NULL && numbered.numbers->len == 0)
    add_problem (list, "unreadable", pattern, "there is no image of this sequence");
  report_numbered_clear (&numbered);
  return ok;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* @text: a path on each line, or before each NUL character
 * @folder: from which relative paths begin */
static void
add_lines (ReportImageList * list, gchar * text, gsize n, const gchar * folder)
{
  const gchar separator = memchr (text, '\0', n) != NULL ? '\0' : '\n';
  gchar *const end = text + n;

  for (gchar * line = text; line < end && report_interrupt_signal () == 0;) {
    gchar *next = memchr (line, separator, end - line);
    gchar *path;

    if (next == NULL)
      next = end;
    if (separator == '\n' && next > line && next[-1] == '\r')
      next[-1] = '\0';
    *next = '\0';
    if (*line != '\0') {
      path = g_path_is_absolute (line) || folder == NULL ? g_strdup (line) :
          g_build_filename (folder, line, NULL);
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        add_folder (list, path);
      else
        add_file (list->files, path, TRUE);
      g_free (path);
    }
    line = next + 1;
  }
}

/* Reads until the end, or until the user interrupts the program.
 * Returns: FALSE with errno */
static gboolean
read_standard_input (GByteArray * text)
{
  GPollFD input = {.fd = STDIN_FILENO,.events = G_IO_IN };
  guint8 block[4096];
  gssize n = 1;

  while (n != 0 && report_interrupt_signal () == 0) {
    /* A signal that comes just before the call does not end it. */
    if (g_poll (&input, 1, 100) <= 0)
      continue;
    n = read (STDIN_FILENO, block, sizeof block);
    if (n > 0)
      g_byte_array_append (text, block, n);
    else if (n < 0 && errno != EINTR && errno != EAGAIN)
      return FALSE;
  }
  return TRUE;
}

/* The list on the standard input. */
static void
add_standard_input (ReportImageList * list)
{
  g_autoptr (GByteArray) text = g_byte_array_new ();

  if (!read_standard_input (text))
    add_problem (list, "unreadable", "-", g_strerror (errno));
  /* The byte behind the last line. */
  g_byte_array_append (text, (const guint8 *) "", 1);
  add_lines (list, (gchar *) text->data, text->len - 1, NULL);
}

/* A text that is no image, and is not named so, is a list. */
static gboolean
is_list (const gchar * text, gsize n, const gchar * path)
{
  return !report_inputs_is_named_picture (path)
      && report_image_format_find ((const guint8 *) text, n) == NULL
      && memchr (text, '\0', n) == NULL;
}

/* Returns: whether the file begins as an image, whatever its name is */
gboolean
report_image_list_is_image (const gchar * path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) stream = g_file_read (file, NULL, NULL);
  guint8 head[REPORT_IMAGE_HEAD];
  gsize n = 0;

  return stream != NULL
      && g_input_stream_read_all (G_INPUT_STREAM (stream), head, sizeof head,
      &n, NULL, NULL) && report_image_format_find (head, n) != NULL;
}

static gboolean
add_list (ReportImageList * list, const gchar * path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) stream = NULL;
  gchar head[REPORT_IMAGE_HEAD], *text = NULL;
  g_autofree gchar *folder = g_path_get_dirname (path);
  gsize n = 0;
  gboolean ok = FALSE;

  /* Opening a pipe would wait for its other end. */
  if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
    stream = g_file_read (file, NULL, NULL);
  /* An image need not be read as a whole here. */
  if (stream != NULL
      && g_input_stream_read_all (G_INPUT_STREAM (stream), head, sizeof head,
          &n, NULL, NULL)
      && is_list (head, n, path)
      && g_file_get_contents (path, &text, &n, NULL)
      && is_list (text, n, path)) {
    add_lines (list, text, n, folder);
    ok = TRUE;
  }
  g_free (text);
  return ok;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/**
 * report_image_list_find:
 * @list: (out): to be cleared with report_image_list_clear()
 * @names: folders, lists, patterns and images, in the encoding of file names. "-": a list on the standard input
 *
 * Finds the files of a set. Those of a folder may turn out to be no images; their is_named is FALSE.
 */
void
report_image_list_find (ReportImageList * list, gchar ** names)
{
  list->files = g_ptr_array_new_with_free_func (g_free);
  list->problems = g_ptr_array_new_with_free_func (report_image_problem_free);
  for (gchar ** name = names; *name != NULL; name++) {
    g_autofree gchar *path = g_str_has_prefix (*name, "file:") ?
        g_filename_from_uri (*name, NULL, NULL) : NULL;

    if (path == NULL)
      path = g_strdup (*name);
    if (g_str_equal (path, "-"))
      add_standard_input (list);
    else if (g_file_test (path, G_FILE_TEST_IS_DIR))
      add_folder (list, path);
    else if (g_file_test (path, G_FILE_TEST_EXISTS)) {
      if (!add_list (list, path))
        add_file (list->files, path, TRUE);
    } else if (!add_sequence (list, path))
      add_file (list->files, path, TRUE);
  }
}

void
report_image_list_clear (ReportImageList * list)
{
  g_ptr_array_unref (list->files);
  g_ptr_array_unref (list->problems);
}
