/* Measures a set of images; see measure-images.h.
 *
 * Threads take the files in order, and decode and measure them at the same time. The results wait in a ring until all
 * earlier ones are written. So a set of any size needs the memory of a few images, and the paths of its files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure-images.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/names.h"
#include "base/output.h"
#include "facts/said.h"
#include "images/image-elements.h"
#include "images/image-list.h"
#include "images/image-page.h"
#include "images/image-writer.h"
#include "targets.h"

/* Results that wait for an earlier one. Those of 16 bits have 1.5 MB each. */
#define RING 32
/* How often signals are looked at, in µs. */
#define PAUSE (G_USEC_PER_SEC / 20)

typedef struct
{
  const ReportOptions *options;
  const GPtrArray *files;       /* (element-type ReportImageFile) */
  /* Who has it takes the next file. It is locked before the other one. */
  GMutex taking;
  gint next_file;               /* atomic */
  guint64 n_found;              /* images that were found, for --every */
  GMutex mutex;
  GCond cond;
  /* Under the mutex: */
  ReportImage *ring[RING];      /* image n is at n % RING */
  guint64 n_taken, n_written;   /* images */
  guint n_running;              /* threads */
  gboolean is_stopped;
  gint64 end;                   /* monotonic time in µs until which threads are waited for, after a signal; 0: open */
  ReportImageList list;
} Work;

/* ---- Threads --------------------------------------------------------------------------------- */

/* An image that a thread has taken. */
typedef struct
{
  guint64 number;
  const ReportImageFile *file;
  const ReportImageFormat *format;      /* NULL: it is none */
  gint descriptor;              /* -1: the file cannot be opened */
  gint error;                   /* errno; 0: none */
  gsize size;
} Taken;

/* Opens a file and looks at its begin. */
static void
open_file (Taken * taken)
{
  guint8 head[REPORT_IMAGE_HEAD];
  struct stat info;
  gssize n = -1;

  taken->format = NULL;
  taken->error = 0;
  /* Opening a pipe would wait for its other end. What replaced a file of a folder may be a link. */
  taken->descriptor = open (taken->file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK
      | (taken->file->is_named ? 0 : O_NOFOLLOW));
  if (taken->descriptor >= 0 && fstat (taken->descriptor, &info) == 0) {
    if (!S_ISREG (info.st_mode))
      errno = S_ISDIR (info.st_mode) ? EISDIR : EINVAL;
    else
      n = pread (taken->descriptor, head, sizeof head, 0);
  }
  if (n < 0) {
    taken->error = errno;
    return;
  }
  taken->size = info.st_size;
  taken->format = report_image_format_find (head, n);
}

static void
close_file (Taken * taken)
{
  if (taken->descriptor >= 0)
    close (taken->descriptor);
  taken->descriptor = -1;
}

/* Whether a file of a folder could not be read. What is no file, what has gone and links are none of the set. */
static gboolean
is_unreadable (const Taken * taken)
{
  switch (taken->error) {
    case 0:
    case EINVAL:
    case EISDIR:
    case ELOOP:
    case ENOENT:
    case ENXIO:
      return FALSE;
    default:
      return TRUE;
  }
}

/* Finds the next file that is an image, is meant as one, or cannot be read. Returns: FALSE if there is none */
static gboolean
find_next (Work * work, Taken * taken)
{
  while ((guint) work->next_file < work->files->len
      && report_interrupt_signal () == 0) {
    taken->file = work->files->pdata[g_atomic_int_add (&work->next_file, 1)];
    open_file (taken);
    if ((taken->format != NULL || taken->file->is_named || is_unreadable (taken))
        && work->n_found++ % work->options->every == 0)
      return TRUE;
    close_file (taken);
  }
  return FALSE;
}

static gboolean
take (Work * work, Taken * taken)
{
  gboolean ok;

  g_mutex_lock (&work->taking);
  g_mutex_lock (&work->mutex);
  while (!work->is_stopped && work->n_taken - work->n_written == RING)
    g_cond_wait (&work->cond, &work->mutex);
  ok = !work->is_stopped;
  g_mutex_unlock (&work->mutex);
  ok = ok && find_next (work, taken);
  if (ok) {
    g_mutex_lock (&work->mutex);
    taken->number = work->n_taken++;
    g_mutex_unlock (&work->mutex);
  }
  g_mutex_unlock (&work->taking);
  return ok;
}

static ReportImage *
measure (ReportImageDecoder * decoder, Taken * taken)
{
  ReportImage *image = g_new0 (ReportImage, 1);
  guint8 *bytes = taken->format != NULL ? 
      report_image_read (taken->descriptor, taken->size, &taken->error) : NULL;

  image->path = taken->file->path;
  if (bytes != NULL)
    report_image_decoder_measure (decoder, taken->format, bytes, taken->size,
        image);
  else if (taken->error != 0)
    image->problem = g_strdup (g_strerror (taken->error));
  else
    image->problem = report_image_format_check (NULL, NULL, taken->size, 0, FALSE);
  g_free (bytes);
  close_file (taken);
  return image;
}

static gpointer
run_thread (gpointer data)
{
  Work *work = data;
  ReportImageDecoder *decoder = report_image_decoder_new (
      &work->options->settings, work->options->before);
  Taken taken;

  while (take (work, &taken)) {
    ReportImage *image = measure (decoder, &taken);

    g_mutex_lock (&work->mutex);
    work->ring[taken.number % RING] = image;
    g_cond_broadcast (&work->cond);
    g_mutex_unlock (&work->mutex);
  }
  report_image_decoder_free (decoder);
  g_mutex_lock (&work->mutex);
  work->n_running--;
  g_cond_broadcast (&work->cond);
  g_mutex_unlock (&work->mutex);
  return NULL;
}

/* ---- The set --------------------------------------------------------------------------------- */

/* Returns: (transfer full) (nullable): the next image, in the order of the files; NULL: there is no other one */
static ReportImage *
next_image (Work * work, ReportProgress * progress)
{
  ReportImage **place = &work->ring[work->n_written % RING];
  ReportImage *image;

  g_mutex_lock (&work->mutex);
  while (*place == NULL && work->n_running > 0
      && (work->end == 0 || g_get_monotonic_time () < work->end)) {
    g_cond_wait_until (&work->cond, &work->mutex,
        g_get_monotonic_time () + PAUSE);
    if (report_interrupt_signal () != 0 && work->end == 0) {
      work->end = g_get_monotonic_time () + REPORT_PATIENCE_AFTER_SIGNAL;
      work->is_stopped = TRUE;
      g_cond_broadcast (&work->cond);
    }
  }
  image = g_steal_pointer (place);
  if (image != NULL) {
    work->n_written++;
    g_cond_broadcast (&work->cond);
  }
  if (report_interrupt_signal () != 0)
    work->is_stopped = TRUE;
  g_mutex_unlock (&work->mutex);
  report_progress_show_count (progress, g_atomic_int_get (&work->next_file),
      work->files->len);
  return image;
}

static void
complain (ReportProgress * progress, const gchar * path, const gchar * text)
{
  g_autofree gchar *name = report_name_for_people (path);

  report_complain (progress, name, text);
}

/* Waits for the threads. After a signal a decoder may need long. */
static gboolean
has_ended (Work * work)
{
  gboolean has_ended;

  g_mutex_lock (&work->mutex);
  while (work->n_running > 0 && report_interrupt_signal () == 0)
    g_cond_wait_until (&work->cond, &work->mutex,
        g_get_monotonic_time () + PAUSE);
  has_ended = work->n_running == 0;
  g_mutex_unlock (&work->mutex);
  return has_ended;
}

/* @has_threads: (out): threads still use @work */
static gboolean
measure_all (Work * work, ReportImageSet * set, ReportImageWriter * writer,
    ReportProgress * progress, gboolean * has_threads, GError ** error)
{
  /* More images are not held at the same time. */
  const guint n_wanted = MIN (work->options->jobs, RING);
  GThread *threads[RING];
  guint n_threads = 0;
  ReportImage *image;
  gboolean ok = TRUE;

  work->n_running = n_wanted;
  while (n_threads < n_wanted && (threads[n_threads] = g_thread_try_new ("image",
              run_thread, work, error)) != NULL)
    n_threads++;
  if (n_threads < n_wanted) {
    /* Fewer threads measure the set as well. */
    ok = n_threads > 0;
    if (ok)
      g_clear_error (error);
    g_mutex_lock (&work->mutex);
    work->n_running -= n_wanted - n_threads;
    g_mutex_unlock (&work->mutex);
  }
  while ((image = next_image (work, progress)) != NULL) {
    if (ok && image->problem != NULL)
      complain (progress, image->path, image->problem);
    report_image_set_add (set, image);
    ok = ok && report_image_writer_image (writer, image, error);
    report_image_free (image);
    if (!ok) {
      g_mutex_lock (&work->mutex);
      work->is_stopped = TRUE;
      g_mutex_unlock (&work->mutex);
    }
  }
  *has_threads = !has_ended (work);
  for (guint i = 0; i < n_threads; i++) {
    if (*has_threads)
      g_thread_unref (threads[i]);
    else
      g_thread_join (threads[i]);
  }
  report_progress_clear (progress);
  return ok;
}

static void
describe_set (ReportImageSet * set, const ReportOptions * options)
{
  const guint n = g_strv_length (options->inputs);
  g_autofree gchar *name = report_name_for_people (options->inputs[0]);
  GString *text;

  set->n_inputs = n;
  set->name = n == 1 ? g_strdup (name) :
      g_strdup_printf ("%s and %u more", name, n - 1);
  if (n == 1 && !g_str_equal (options->inputs[0], "-"))
    set->uri = report_name_address (options->inputs[0]);
  text = g_string_new (NULL);
  g_string_printf (text, "every=%d before=%s", options->every,
      options->before != NULL ? options->before : "none");
  report_settings_describe_properties (&options->settings, text);
  set->settings = g_string_free (text, FALSE);
}

/* The page has pictures, which are decoded once more. */
static gboolean
write_page (const ReportOptions * options, const ReportImageSet * set,
    GOutputStream * to, GError ** error)
{
  ReportImageDecoder *decoder = report_image_decoder_new (&options->settings, NULL);
  const gboolean ok = report_image_page_write (set, decoder, to, error);

  report_image_decoder_free (decoder);
  return ok;
}

/* @list: (transfer full): threads may use it longer
 * @page: (nullable): gets a page if there are images */
static gboolean
measure_set (const ReportOptions * options, const ReportImageList * list,
    ReportImageSet * set, ReportProgress * progress, GOutputStream * to,
    GOutputStream * page, GError ** error)
{
  const gint64 begin = g_get_monotonic_time ();
  Work *work = g_new0 (Work, 1);
  ReportImageWriter *writer;
  gboolean ok, has_threads;

  work->options = options;
  describe_set (set, options);
  work->list = *list;
  for (guint i = 0; i < work->list.problems->len; i++) {
    const ReportImageProblem *problem = work->list.problems->pdata[i];

    complain (progress, problem->path, problem->text);
    report_image_set_add_problem (set, problem->type, problem->path,
        problem->text);
  }
  work->files = work->list.files;
  g_mutex_init (&work->taking);
  g_mutex_init (&work->mutex);
  g_cond_init (&work->cond);
  writer = report_image_writer_new (options->format, set->name, to);
  ok = measure_all (work, set, writer, progress, &has_threads, error);
  if (set->n_images + set->n_broken == 0 && set->problems->len == 0
      && report_interrupt_signal () == 0) {
    complain (progress, options->inputs[0], "there is no image");
    report_image_set_add_problem (set, "unreadable", options->inputs[0],
        "there is no image");
  }
  if (report_interrupt_signal () != 0) {
    set->was_interrupted = TRUE;
    report_image_set_add_problem (set, "interrupted", NULL, "interrupted");
  }
  set->seconds = (gdouble) (g_get_monotonic_time () - begin)
      / G_USEC_PER_SEC;
  report_image_set_finish (set);
  ok = ok && report_image_writer_end (writer, set, error);
  if (page != NULL && set->n_images > 0)
    ok = ok && write_page (options, set, page, error);
  report_image_writer_free (writer);
  /* After a signal the program ends without waiting for them. */
  if (has_threads)
    return ok;
  g_mutex_clear (&work->taking);
  g_mutex_clear (&work->mutex);
  g_cond_clear (&work->cond);
  report_image_list_clear (&work->list);
  g_free (work);
  return ok;
}

/* @page: (out) (nullable): NULL: none is wanted */
static gboolean
open_page (const ReportOptions * options, ReportOutput ** page, GError ** error)
{
  for (guint i = 0; i < REPORT_MOST_FORMATS; i++) {
    /* No other format is allowed. */
    if (options->file_paths[i] == NULL)
      continue;
    *page = report_targets_open (options, i, options->inputs[0], error);
    return *page != NULL;
  }
  return TRUE;
}

/* An output is neither an input nor an image, nor another file that a list names.
 *
 * @files: (element-type ReportImageFile): what the inputs name */
static gboolean
check_outputs (const ReportOptions * options, GPtrArray * files,
    GError ** error)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();

  for (gchar ** input = options->inputs; *input != NULL; input++)
    g_ptr_array_add (inputs, *input);
  for (guint i = 0; i < files->len; i++) {
    ReportImageFile *file = files->pdata[i];

    /* Any other file of a folder may be the report of an earlier run. */
    if (file->is_named || report_image_list_is_image (file->path))
      g_ptr_array_add (inputs, file->path);
  }
  return report_targets_check (options, inputs, error);
}

/**
 * report_images_run:
 * @all_done: (out): all images were measured
 *
 * Measures the set that the inputs are, and writes its report.
 *
 * Returns: FALSE with an error if the options are wrong or the report could not be written
 */
gboolean
report_images_run (const ReportOptions * options, ReportProgress * progress,
    gboolean * all_done, GError ** error)
{
  ReportImageList list;
  ReportImageSet set;
  ReportOutput *output = NULL, *page = NULL;
  gboolean ok;

  *all_done = FALSE;
  if (!report_image_elements_check (options->before, error))
    return FALSE;
  report_image_list_find (&list, options->inputs);
  if (check_outputs (options, list.files, error))
    output = report_output_open (options->output,
        options->format->is_text ? REPORT_OUTPUT_TEXT : 0, error);
  if (output == NULL || !open_page (options, &page, error)) {
    report_output_free (output);
    report_image_list_clear (&list);
    return FALSE;
  }
  report_image_set_init (&set);
  if (page != NULL)
    set.kept = g_array_new (FALSE, FALSE, sizeof (ReportKeptImage));
  ok = measure_set (options, &list, &set, progress,
      report_output_stream (output), page != NULL ? report_output_stream (page) : NULL, error);
  /* Without an image the file of an earlier run stays. */
  if (set.n_images > 0 || options->output == NULL)
    ok = ok && report_output_commit (output, error);
  if (page != NULL && set.n_images > 0)
    ok = ok && report_output_commit (page, error);
  *all_done = set.is_complete;
  report_image_set_clear (&set);
  report_output_free (output);
  report_output_free (page);
  return ok;
}
