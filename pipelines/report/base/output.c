/* Where a report is written; see output.h.
 *
 * A file gets its content through a temporary file beside it, which is new and has a random name.
 * When the report is whole, the temporary file is renamed. So a file has its old content or a whole
 * report, never a part of one. This is the only place that makes, replaces or removes files; only
 * order.c has another temporary one, which loses its name at once.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixoutputstream.h>
#include <glib/gstdio.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/names.h"
#include "base/stream.h"

/* The kernel follows as many links. */
#define MOST_LINKS 40

struct _ReportOutput
{
  gchar *path;                  /* the file that is replaced; NULL: none is */
  gchar *temporary;             /* the file that is written; NULL: none, or it has its final name */
  gchar *name;                  /* what messages call it: the user does not know temporary files */
  gboolean replaces;            /* there is an old file */
  gint fd;                      /* -1: closed, or the stream's or another owner's */
  GOutputStream *stream;        /* NULL: the descriptor was taken */
  ReportOutput *previous, *next;        /* of those with temporary files */
};

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

/* What messages call the standard output; NULL: what it is. */
static gchar *standard_name;

/* Makes a file the standard output. What was printed until then is in the file before.
 *
 * @fd: (transfer full): -1: none, so that what is printed is lost
 * @name: (nullable): what messages call it, in any encoding */
void
report_output_set_standard (gint fd, const gchar * name)
{
  if (fd < 0)
    fd = open ("/dev/null", O_WRONLY | O_CLOEXEC);
  fflush (stdout);
  dup2 (fd, STDOUT_FILENO);
  close (fd);
  g_free (standard_name);
  standard_name = name != NULL ? report_clean_text (g_utf8_make_valid (name, -1)) : NULL;
}

static gboolean
fail (const ReportOutput * output, gint code, GError ** error)
{
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), "%s: %s",
      output->name, g_strerror (code));
  return FALSE;
}

/* ---- The list of temporary files ------------------------------------------------------------- */

/* A signal that ends the program removes them. Its handler may run in any thread, at any time. */
static gint is_locked = 0;
static ReportOutput *first = NULL;

/* Returns: FALSE if another thread has the list, or the one that was interrupted */
static gboolean
try_lock (void)
{
  return g_atomic_int_compare_and_exchange (&is_locked, 0, 1);
}

/* The thread is not interrupted while it has the list. */
static void
lock (sigset_t * mask)
{
  sigset_t all;

  sigfillset (&all);
  pthread_sigmask (SIG_BLOCK, &all, mask);
  while (!try_lock ())
    g_thread_yield ();
}

static void
unlock (const sigset_t * mask)
{
  g_atomic_int_set (&is_locked, 0);
  pthread_sigmask (SIG_SETMASK, mask, NULL);
}

/* Makes the temporary file. @mode: before the umask. Returns: FALSE with errno */
static gboolean
list_add (ReportOutput * output, gint mode)
{
  sigset_t mask;
  gint code;

  lock (&mask);
  output->fd = g_mkstemp_full (output->temporary, O_WRONLY | O_CLOEXEC, mode);
  code = errno;
  if (output->fd >= 0) {
    output->next = first;
    if (first != NULL)
      first->previous = output;
    first = output;
  }
  unlock (&mask);
  errno = code;
  return output->fd >= 0;
}

static void
list_remove (ReportOutput * output)
{
  sigset_t mask;

  lock (&mask);
  if (output->previous != NULL)
    output->previous->next = output->next;
  else
    first = output->next;
  if (output->next != NULL)
    output->next->previous = output->previous;
  output->previous = output->next = NULL;
  unlock (&mask);
}

/* For a signal handler, before the program ends: there must be no other call of this module. */
void
report_output_remove_temporary_files (void)
{
  const struct timespec pause = { 0, 1000000 };

  for (guint i = 0; !try_lock (); i++) {
    if (i == 100)
      return;
    nanosleep (&pause, NULL);
  }
  for (const ReportOutput * output = first; output != NULL;
      output = output->next)
    unlink (output->temporary);
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Whether the path is a link of /proc, such as /dev/stdout is at last: an open file, whatever its
 * name may be. */
static gboolean
is_in_proc (const gchar * path)
{
  g_autofree gchar *folder = g_path_get_dirname (path);
  struct statfs info;

  return statfs (folder, &info) == 0
      && (guint64) info.f_type == PROC_SUPER_MAGIC;
}

/* Follows links, also one to a file that is not there yet.
 *
 * @is_open: (out): the path leads to an open file in /proc
 * Returns: (transfer full): the path of the file itself */
static gchar *
resolve (const gchar * path, gboolean * is_open)
{
  gchar *found = g_strdup (path);

  *is_open = FALSE;
  for (guint i = 0; i < MOST_LINKS; i++) {
    g_autofree gchar *link = g_file_read_link (found, NULL), *folder = NULL;
    gchar *next;

    if (link == NULL)
      break;
    if (is_in_proc (found)) {
      *is_open = TRUE;
      break;
    }
    folder = g_path_get_dirname (found);
    next = g_path_is_absolute (link) ? g_strdup (link) :
        g_build_filename (folder, link, NULL);
    g_free (found);
    found = next;
  }
  return found;
}

/* A device or a pipe is written as it is. So is a file that is open already, at the place where the
 * next byte goes: that of /dev/stdout. */
static gint
open_directly (const gchar * path, const struct stat *info)
{
  for (gint fd = STDOUT_FILENO; S_ISREG (info->st_mode) && fd <= STDERR_FILENO;
      fd++) {
    struct stat standard;

    if (fstat (fd, &standard) == 0 && standard.st_dev == info->st_dev
        && standard.st_ino == info->st_ino)
      return fcntl (fd, F_DUPFD_CLOEXEC, 0);
  }
  return open (path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
}

/* Makes the temporary file for output->path.
 *
 * @old: (nullable): of the file that is replaced
 * @mode: of a new one, before the umask */
static gboolean
open_temporary (ReportOutput * output, const struct stat *old, gint mode)
{
  g_autofree gchar *folder = g_path_get_dirname (output->path);
  g_autofree gchar *base = g_path_get_basename (output->path);
  g_autofree gchar *start = report_name_shorten (base);
  g_autofree gchar *name = g_strdup_printf (".%s.XXXXXX", start);

  output->temporary = g_build_filename (folder, name, NULL);
  if (!list_add (output, old != NULL ? 0600 : mode)) {
    const gint code = errno;

    g_clear_pointer (&output->temporary, g_free);
    errno = code;
    return FALSE;
  }
  if (old == NULL)
    return TRUE;
  /* Only root can keep the owner of another user's file. */
  (void) !fchown (output->fd, old->st_uid, old->st_gid);
  return fchmod (output->fd, old->st_mode & 0777) == 0;
}

/* Returns: FALSE with errno if it cannot be opened */
static gboolean
open_path (ReportOutput * output, const gchar * path, gboolean follows)
{
  gboolean is_open = FALSE, exists;
  gchar *resolved = follows ? resolve (path, &is_open) : g_strdup (path);
  struct stat info;

  exists = (follows ? stat (path, &info) : lstat (path, &info)) == 0;
  if (exists && follows && (is_open || (!S_ISREG (info.st_mode)
              && !S_ISDIR (info.st_mode)))) {
    output->fd = open_directly (path, &info);
    g_free (resolved);
    return output->fd >= 0;
  }
  output->path = resolved;
  output->replaces = exists;
  if (!exists && errno != ENOENT)
    return FALSE;
  if (exists && S_ISDIR (info.st_mode)) {
    errno = EISDIR;
    return FALSE;
  }
  /* A name that ends with a slash is that of a folder. */
  if (g_str_has_suffix (path, G_DIR_SEPARATOR_S)) {
    errno = ENOTDIR;
    return FALSE;
  }
  if (!exists || !S_ISREG (info.st_mode))
    return open_temporary (output, NULL, 0666);
  /* A file that must not be written must not be replaced. */
  return access (resolved, W_OK) == 0
      && open_temporary (output, &info, 0);
}

/* A stream whose errors name the file. */
#define REPORT_TYPE_NAMED_STREAM (report_named_stream_get_type ())
G_DECLARE_FINAL_TYPE (ReportNamedStream, report_named_stream, REPORT,
    NAMED_STREAM, GFilterOutputStream)

struct _ReportNamedStream
{
  GFilterOutputStream parent;
  gchar *name;
};

G_DEFINE_TYPE (ReportNamedStream, report_named_stream,
    G_TYPE_FILTER_OUTPUT_STREAM)

static gssize
write_named (GOutputStream * stream, const void *bytes, gsize length,
    GCancellable * cancellable, GError ** error)
{
  const gssize written = g_output_stream_write (
      g_filter_output_stream_get_base_stream (G_FILTER_OUTPUT_STREAM (stream)),
      bytes, length, cancellable, error);

  if (written < 0)
    g_prefix_error (error, "%s: ", REPORT_NAMED_STREAM (stream)->name);
  return written;
}

static void
named_stream_finalize (GObject * object)
{
  g_free (REPORT_NAMED_STREAM (object)->name);
  G_OBJECT_CLASS (report_named_stream_parent_class)->finalize (object);
}

static void
report_named_stream_class_init (ReportNamedStreamClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = named_stream_finalize;
  G_OUTPUT_STREAM_CLASS (klass)->write_fn = write_named;
}

static void
report_named_stream_init (ReportNamedStream * stream)
{
}

/* Returns: (transfer full): of a file, its name */
static gchar *
name_standard_output (void)
{
  g_autofree gchar *file = g_file_read_link ("/proc/self/fd/1", NULL);

  if (standard_name != NULL)
    return g_strdup (standard_name);
  return file != NULL && g_file_test (file, G_FILE_TEST_IS_REGULAR) ?
      report_name_for_people (file) : g_strdup ("the standard output");
}

/* Returns: (transfer full): of a file of the program alone: where it is */
static gchar *
name_scratch (const gchar * path)
{
  g_autofree gchar *directory = g_path_get_dirname (path);
  g_autofree gchar *folder = report_name_for_people (directory);

  return g_strdup_printf ("a temporary file in %s", folder);
}

/* Returns: (transfer full): the stream, through a converter if the locale needs one */
static GOutputStream *
make_stream (gint fd, const gchar * name, gboolean is_text)
{
  /* The descriptor is closed after the stream. */
  g_autoptr (GOutputStream) end = g_unix_output_stream_new (fd, FALSE);
  g_autoptr (GOutputStream) base = g_object_new (REPORT_TYPE_NAMED_STREAM, "base-stream", end, NULL);
  g_autoptr (GOutputStream) converted = NULL;
  g_autoptr (GCharsetConverter) converter = NULL;
  const gchar *charset;

  REPORT_NAMED_STREAM (base)->name = g_strdup (name);
  if (is_text && !g_get_charset (&charset))
    converter = g_charset_converter_new (charset, "UTF-8", NULL);
  if (converter != NULL) {
    g_charset_converter_set_use_fallback (converter, TRUE);
    converted = g_converter_output_stream_new (base, G_CONVERTER (converter));
  }
  return g_buffered_output_stream_new_sized (converted != NULL ? converted : base, 64 * 1024);
}

/**
 * report_output_identity:
 * @path: (nullable): of a file that may not exist yet; NULL: the standard output
 *
 * Returns: (transfer full) (nullable): the same text for all names of a file; NULL if it is a device,
 * which may be written many times
 */
gchar *
report_output_identity (const gchar * path)
{
  struct stat info;
  g_autofree gchar *base = NULL, *folder = NULL;
  g_autofree gchar *resolved = NULL;
  gboolean is_open;

  if (path == NULL ? fstat (STDOUT_FILENO, &info) == 0 : stat (path,
          &info) == 0)
    return S_ISCHR (info.st_mode) ? NULL :
        g_strdup_printf ("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT,
        (guint64) info.st_dev, (guint64) info.st_ino);
  if (path == NULL)
    return NULL;
  resolved = resolve (path, &is_open);
  folder = g_path_get_dirname (resolved);
  base = g_path_get_basename (resolved);
  return stat (folder, &info) == 0 ?
      g_strdup_printf ("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT "/%s",
      (guint64) info.st_dev, (guint64) info.st_ino, base) :
      g_strdup (resolved);
}

/**
 * report_output_open:
 * @path: (nullable): NULL: the standard output
 *
 * If the path is a link, the file that it leads to is replaced, and the link stays. Devices and pipes
 * are written as they are.
 *
 * Returns: (transfer full) (nullable): NULL with an error if it cannot be written
 */
ReportOutput *
report_output_open (const gchar * path, ReportOutputFlags flags,
    GError ** error)
{
  ReportOutput *output = g_new0 (ReportOutput, 1);

  output->fd = -1;
  if (path == NULL)
    output->name = name_standard_output ();
  else
    output->name = (flags & REPORT_OUTPUT_SCRATCH) != 0 ? name_scratch (path) :
        report_name_for_people (path);
  if (path != NULL && !open_path (output, path,
          (flags & REPORT_OUTPUT_OWN_NAME) == 0)) {
    fail (output, errno, error);
    report_output_free (output);
    return NULL;
  }
  output->stream = make_stream (path == NULL ? STDOUT_FILENO : output->fd,
      output->name, (flags & REPORT_OUTPUT_TEXT) != 0);
  return output;
}

/**
 * report_output_open_scratch:
 *
 * Returns: (transfer full) (nullable): a file for this user only, which is removed in the end; NULL
 * with an error
 */
ReportOutput *
report_output_open_scratch (GError ** error)
{
  ReportOutput *output = g_new0 (ReportOutput, 1);

  output->path = g_build_filename (g_get_tmp_dir (), "cudahisto-report", NULL);
  output->name = name_scratch (output->path);
  if (!open_temporary (output, NULL, 0600)) {
    fail (output, errno, error);
    report_output_free (output);
    return NULL;
  }
  output->stream = make_stream (output->fd, output->name, FALSE);
  return output;
}

/* Returns: (transfer none): what is written to it is in the file after report_output_commit() */
GOutputStream *
report_output_stream (const ReportOutput * output)
{
  return output->stream;
}

/* Returns: whether a file gets what is written, and gets it as a whole; else a device, a pipe or an open file does */
gboolean
report_output_replaces (const ReportOutput * output)
{
  return output->temporary != NULL;
}

/* Gives the descriptor of a file away, for another process. Then there is no stream.
 *
 * Returns: (transfer full) */
gint
report_output_steal_fd (ReportOutput * output)
{
  const gint fd = output->fd;

  g_clear_object (&output->stream);
  output->fd = -1;
  return fd;
}

/* Returns: (nullable): the path of the file that has now what was written */
const gchar *
report_output_place (const ReportOutput * output)
{
  return output->temporary != NULL ? output->temporary : output->path;
}

/* Returns: what messages call it */
const gchar *
report_output_name (const ReportOutput * output)
{
  return output->name;
}

/* ---- Closing --------------------------------------------------------------------------------- */

/* Closes what is open. @must_last: also after a loss of power */
static gboolean
close_file (ReportOutput * output, gboolean must_last, GError ** error)
{
  gboolean ok = output->stream == NULL
      || g_output_stream_close (output->stream, NULL, error);
  gint code = 0;

  g_clear_object (&output->stream);
  if (output->fd < 0)
    return ok;
  if (ok && must_last && fsync (output->fd) != 0)
    code = errno;
  if (close (output->fd) != 0 && code == 0)
    code = errno;
  output->fd = -1;
  if (ok && code != 0)
    ok = fail (output, code, error);
  return ok;
}

static void
remove_temporary (ReportOutput * output)
{
  g_unlink (output->temporary);
  list_remove (output);
  g_clear_pointer (&output->temporary, g_free);
}

/**
 * report_output_commit:
 *
 * Ends the output. A file gets its name. If nothing was written, the old file stays.
 *
 * Returns: FALSE with an error if not all of it could be written; then the old file stays, too
 */
gboolean
report_output_commit (ReportOutput * output, GError ** error)
{
  struct stat info;

  if (!close_file (output, output->replaces, error))
    return FALSE;
  if (output->temporary == NULL)
    return TRUE;
  if (stat (output->temporary, &info) != 0)
    return fail (output, errno, error);
  if (info.st_size == 0) {
    remove_temporary (output);
    return TRUE;
  }
  if (g_rename (output->temporary, output->path) != 0)
    return fail (output, errno, error);
  list_remove (output);
  g_clear_pointer (&output->temporary, g_free);
  return TRUE;
}

/* @output: (nullable): what was not committed is removed */
void
report_output_free (ReportOutput * output)
{
  if (output == NULL)
    return;
  close_file (output, FALSE, NULL);
  if (output->temporary != NULL)
    remove_temporary (output);
  g_free (output->path);
  g_free (output->name);
  g_free (output);
}
