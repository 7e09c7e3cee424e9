/* Lines on the standard output; see log.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "live/log.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* So many lines may wait; what comes then is counted, and left out. */
#define MOST_LINES 10000
/* How long the end waits for the reader, in µs. */
#define PATIENCE (G_USEC_PER_SEC / 5)

struct _ReportLog
{
  GMutex lock;
  GCond changed;
  GQueue lines;                 /* of gchar * */
  guint64 n_lost;
  gboolean is_writing;
};

/* Returns: FALSE: nobody reads any more */
static gboolean
write_all (const gchar * text)
{
  gsize n = strlen (text);

  while (n > 0) {
    const gssize written = write (STDOUT_FILENO, text, n);

    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return FALSE;
    text += written;
    n -= (gsize) written;
  }
  return TRUE;
}

static gpointer
run (gpointer data)
{
  ReportLog *log = data;
  gboolean is_read = TRUE;

  g_mutex_lock (&log->lock);
  for (;;) {
    g_autofree gchar *line = NULL;

    log->is_writing = FALSE;
    g_cond_broadcast (&log->changed);
    while (log->lines.length == 0 && log->n_lost == 0)
      g_cond_wait (&log->changed, &log->lock);
    line = g_queue_pop_head (&log->lines);
    if (line == NULL) {
      line = g_strdup_printf ("{\"type\":\"lost\",\"lines\":%" G_GUINT64_FORMAT "}\n", log->n_lost);
      log->n_lost = 0;
    }
    log->is_writing = TRUE;
    g_mutex_unlock (&log->lock);
    is_read = is_read && write_all (line);
    g_mutex_lock (&log->lock);
  }
  return NULL;
}

/* Returns: (transfer none): it stays until the program ends */
ReportLog *
report_log_new (void)
{
  ReportLog *log = g_new0 (ReportLog, 1);

  g_mutex_init (&log->lock);
  g_cond_init (&log->changed);
  g_queue_init (&log->lines);
  g_thread_unref (g_thread_new ("log", run, log));
  return log;
}

/* @line: without its end. Any thread may call this. */
void
report_log_write (ReportLog * log, const gchar * line)
{
  g_mutex_lock (&log->lock);
  if (log->lines.length < MOST_LINES)
    g_queue_push_tail (&log->lines, g_strconcat (line, "\n", NULL));
  else
    log->n_lost++;
  g_cond_broadcast (&log->changed);
  g_mutex_unlock (&log->lock);
}

/* Waits a little until all is written. */
void
report_log_finish (ReportLog * log)
{
  const gint64 until = g_get_monotonic_time () + PATIENCE;

  g_mutex_lock (&log->lock);
  while ((log->lines.length > 0 || log->is_writing) && g_cond_wait_until (&log->changed, &log->lock, until));
  g_mutex_unlock (&log->lock);
}
