/* SIGINT and SIGTERM; see interrupt.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/life.h"
#include "base/output.h"

/* So long after the first signal the timer ends the program, in ms. The parent of --jobs waits for its processes, which end
 * so late at worst, and then writes what they have written. */
#define PATIENCE 700
#define PATIENCE_WITH_OTHERS 2000
/* The timer looks so often, in ms. */
#define TICK 50
/* How often a signal is looked for while a function runs in another thread, in µs. */
#define PAUSE (G_USEC_PER_SEC / 20)
/* What has nothing left to do but to end is left alone after so many looks at which it stood still, or after so much
 * processor time, in ns. */
#define PATIENCE_WITH_ENDING_LOOKS 200
#define PATIENCE_WITH_ENDING (G_GINT64_CONSTANT (5) * 1000000000)

static volatile sig_atomic_t caught = 0, is_finished = FALSE, patience = PATIENCE;
static struct timespec first;
static guint64 waited_at_first;
static gboolean has_left;

/* Ends the program as the signal does, without the files that are not whole. A handler's own signal waits until it returns. */
static void
die (int number)
{
  report_output_remove_temporary_files ();
  signal (number, SIG_DFL);
  raise (number);
}

/* ---- After a signal ---------------------------------------------------------------------------- */

/* How long the main thread could run but had no processor, in ns: the second number of the file. On a machine that is busy
 * this time does not count, so that a report is not lost there. Only functions that a signal handler may call.
 *
 * Returns: 0 if it is unknown */
static guint64
get_waited (void)
{
  gchar text[128];
  const gint file = open ("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
  const gssize n = file >= 0 ? read (file, text, sizeof text - 1) : -1;
  const gchar *p = text;
  guint64 waited = 0;

  if (file >= 0)
    close (file);
  if (n <= 0)
    return 0;
  text[n] = '\0';
  while (*p != '\0' && *p != ' ')
    p++;
  for (p += *p == ' '; *p >= '0' && *p <= '9'; p++)
    waited = 10 * waited + (guint64) (*p - '0');
  return waited;
}

/* Since the first signal, in ms. */
static gint64
get_elapsed (void)
{
  const guint64 waited = get_waited ();
  struct timespec now;
  gint64 elapsed;

  clock_gettime (CLOCK_MONOTONIC, &now);
  elapsed = (now.tv_sec - first.tv_sec) * G_GINT64_CONSTANT (1000000000)
      + now.tv_nsec - first.tv_nsec;
  if (waited > waited_at_first)
    elapsed -= waited - waited_at_first;
  return elapsed / 1000000;
}

static void
end_late_program (int number)
{
  /* It is the parent that ends its processes; see jobs.c. */
  if (caught == 0) {
    die (number);
    return;
  }
  if (get_elapsed () < patience)
    return;
  report_output_remove_temporary_files ();
  _exit (REPORT_STATUS_SIGNAL + caught);
}

/* A terminal, timeout and Slurm send a signal to all processes of a group, and with --jobs the parent passes it on: further
 * ones change nothing. */
static void
catch_signal (int number)
{
  const struct itimerval timer = {
    {0, TICK * 1000}, {0, TICK * 1000}
  };

  if (is_finished)
    _exit (REPORT_STATUS_SIGNAL + (caught != 0 ? caught : number));
  if (caught != 0)
    return;
  clock_gettime (CLOCK_MONOTONIC, &first);
  waited_at_first = get_waited ();
  caught = number;
  setitimer (ITIMER_REAL, &timer, NULL);
}

/* ---- For the program --------------------------------------------------------------------------- */

/* Signals that end the program at once: of the terminal, of limits, and of faults in it. */
static const int deadly[] = {
  SIGHUP, SIGQUIT, SIGXCPU, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT
};

/* A write to a closed pipe, and one beyond the limit on file sizes, is an error of the write from now
 * on, not the end of the program. */
void
report_interrupt_install (void)
{
  struct sigaction action, old;

  memset (&action, 0, sizeof action);
  action.sa_handler = catch_signal;
  /* No handler interrupts another one. */
  sigaddset (&action.sa_mask, SIGINT);
  sigaddset (&action.sa_mask, SIGTERM);
  sigaddset (&action.sa_mask, SIGALRM);
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  action.sa_handler = end_late_program;
  action.sa_flags = SA_RESTART;
  sigaction (SIGALRM, &action, NULL);
  action.sa_handler = die;
  action.sa_flags = 0;
  for (guint i = 0; i < G_N_ELEMENTS (deadly); i++) {
    /* nohup ignores SIGHUP, and a sanitizer catches faults. */
    if (sigaction (deadly[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
      sigaction (deadly[i], &action, NULL);
  }
  signal (SIGPIPE, SIG_IGN);
  signal (SIGXFSZ, SIG_IGN);
}

/* The program waits for processes that end as it does. */
void
report_interrupt_wait_for_others (void)
{
  patience = PATIENCE_WITH_OTHERS;
}

/* Returns: the signal that came; 0: none */
gint
report_interrupt_signal (void)
{
  return caught;
}

/* ---- What may take long -------------------------------------------------------------------------- */

typedef struct
{
  GThreadFunc function;
  gpointer data;
  GMutex mutex;
  GCond cond;
  gboolean is_done;
} Run;

static gpointer
run_function (gpointer data)
{
  Run *run = data;

  run->function (run->data);
  g_mutex_lock (&run->mutex);
  run->is_done = TRUE;
  g_cond_signal (&run->cond);
  g_mutex_unlock (&run->mutex);
  return NULL;
}

/* Whether what ends does not come to its end. */
static gboolean
is_stuck (ReportLife * life)
{
  report_life_tick (life);
  return life->n_quiet >= PATIENCE_WITH_ENDING_LOOKS || report_life_used (life) >= PATIENCE_WITH_ENDING;
}

/* @is_ending: whether patience with it ends */
static gboolean
run_in_thread (GThreadFunc function, gpointer data, gboolean is_ending)
{
  Run *run = g_new0 (Run, 1);
  ReportLife life = { 0 };
  GThread *thread;
  gboolean is_done, is_given_up = FALSE;

  run->function = function;
  run->data = data;
  g_mutex_init (&run->mutex);
  g_cond_init (&run->cond);
  report_life_begin (&life);
  thread = g_thread_try_new ("may-take-long", run_function, run, NULL);
  /* The system gives no more threads. */
  if (thread == NULL)
    run_function (run);
  g_mutex_lock (&run->mutex);
  while (!run->is_done && caught == 0 && !is_given_up) {
    if (!g_cond_wait_until (&run->cond, &run->mutex, g_get_monotonic_time () + PAUSE))
      is_given_up = is_ending && is_stuck (&life);
  }
  is_done = run->is_done;
  g_mutex_unlock (&run->mutex);
  if (!is_done) {
    /* The thread uses it. */
    g_thread_unref (thread);
    has_left = TRUE;
    return FALSE;
  }
  if (thread != NULL)
    g_thread_join (thread);
  g_mutex_clear (&run->mutex);
  g_cond_clear (&run->cond);
  g_free (run);
  return TRUE;
}

/**
 * report_interrupt_run:
 * @function: may take long, such as one that opens a file on a network
 *
 * Calls the function in a thread of its own, and waits for its end or for a signal.
 *
 * Returns: FALSE if a signal came first, or before: then the function goes on. Nothing that it uses may be freed, and the
 * program ends by report_interrupt_end()
 */
gboolean
report_interrupt_run (GThreadFunc function, gpointer data)
{
  return run_in_thread (function, data, FALSE);
}

/**
 * report_interrupt_run_ending:
 * @function: stops decoders. One that is at work for hours, or waits for ever, does not stop
 *
 * Returns: FALSE, with the same consequences as of report_interrupt_run(), also if the end does not come soon
 */
gboolean
report_interrupt_run_ending (GThreadFunc function, gpointer data)
{
  return run_in_thread (function, data, TRUE);
}

/* All outputs are complete. Nobody looks for a signal any more: one that comes from now on ends the program at once, with the
 * status of a signal. */
void
report_interrupt_finish (void)
{
  is_finished = TRUE;
}

/* Returns: whether the program must end by report_interrupt_end(): after a signal, or because something goes on */
gboolean
report_interrupt_must_end (void)
{
  return caught != 0 || has_left;
}

/* Ends the program. The outputs are complete. Threads may still run, so nothing is freed, and no function is
 * called that others have left for the end.
 *
 * @status: unless a signal came */
void
report_interrupt_end (gint status)
{
  _exit (caught != 0 ? REPORT_STATUS_SIGNAL + caught : status);
}

/* Ends the program as the signal that came does: there is nothing that it could report. */
void
report_interrupt_die (void)
{
  die (caught);
  _exit (REPORT_STATUS_SIGNAL + caught);
}

/* A signal ends the opening of a pipe, which waits for its other end. What the system says of that is no fault.
 *
 * @error: (nullable): its text is changed
 */
void
report_interrupt_explain (GError * error)
{
  const gchar *words = g_strerror (EINTR);
  gchar *text;

  if (error == NULL || report_interrupt_signal () == 0
      || !g_str_has_suffix (error->message, words))
    return;
  text = g_strdup_printf ("%.*sinterrupted",
      (gint) (strlen (error->message) - strlen (words)), error->message);
  g_free (error->message);
  error->message = text;
}
