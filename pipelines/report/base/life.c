/* Signs of life; see life.h.
 *
 * A tick is no measure of time: none passes while the process is stopped, and few while it is starved. A sign of life is
 * processor time that was used since the last tick, or another thread that has work or waits for a disk.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE             /* gettid () */

#include "base/life.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The thread that looks uses less than this in a tick, in ns. */
#define OWN_TIME (2 * 1000 * 1000)

static gint64
processor_time (void)
{
  struct timespec time = { 0, 0 };

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  return (gint64) time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Whether another thread runs, waits for a processor, or for a disk. Without /proc that is unknown. */
static gboolean
others_work (void)
{
  g_autoptr (GDir) threads = g_dir_open ("/proc/self/task", 0, NULL);
  const gchar *name;
  gboolean work = FALSE;

  while (threads != NULL && !work
      && (name = g_dir_read_name (threads)) != NULL) {
    g_autofree gchar *path = NULL, *text = NULL;
    const gchar *state;

    if (atoi (name) == gettid ())
      continue;
    path = g_build_filename ("/proc/self/task", name, "stat", NULL);
    /* "NUMBER (NAME) STATE ...": the name may have brackets, too. */
    if (g_file_get_contents (path, &text, NULL, NULL)) {
      state = strrchr (text, ')');
      work = state != NULL && (g_str_has_prefix (state, ") R")
          || g_str_has_prefix (state, ") D"));
    }
  }
  return work;
}

/* There is a message. */
void
report_life_begin (ReportLife * life)
{
  life->time = life->begin = processor_time ();
  life->n_quiet = 0;
}

/* There was none for a tick. */
void
report_life_tick (ReportLife * life)
{
  const gint64 now = processor_time ();

  if (now - life->time > OWN_TIME || others_work ())
    life->n_quiet = 0;
  else
    life->n_quiet++;
  life->time = processor_time ();
}

/* Returns: the processor time that was used since the latest message, in ns */
gint64
report_life_used (const ReportLife * life)
{
  return life->time - life->begin;
}
