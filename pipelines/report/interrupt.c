/* SIGINT and SIGTERM; see interrupt.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "interrupt.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "output.h"

/* A signal so many seconds after the first one ends the program. An earlier one may be the same one:
 * a terminal, timeout and Slurm send it to all processes of a group, and with --jobs the parent
 * passes it on. */
#define SAME_SIGNAL 1

static volatile sig_atomic_t caught = 0;
static struct timespec first;

/* Ends the program as the signal does, without the files that are not whole. */
static void
die (int number)
{
  report_output_remove_temporary_files ();
  signal (number, SIG_DFL);
  raise (number);
}

static void
catch_signal (int number)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  if (caught == 0) {
    first = now;
    caught = number;
  } else if (now.tv_sec - first.tv_sec > SAME_SIGNAL) {
    die (number);
  }
}

/* Signals that end the program at once: of the terminal, of limits, and of faults in it. */
static const int deadly[] = {
  SIGHUP, SIGQUIT, SIGALRM, SIGXCPU, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT
};

/* A write to a closed pipe, and one beyond the limit on file sizes, is an error of the write from now
 * on, not the end of the program. */
void
report_interrupt_install (void)
{
  struct sigaction action, old;

  memset (&action, 0, sizeof action);
  action.sa_handler = catch_signal;
  /* Neither handler interrupts the other one. */
  sigaddset (&action.sa_mask, SIGINT);
  sigaddset (&action.sa_mask, SIGTERM);
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  action.sa_handler = die;
  for (guint i = 0; i < G_N_ELEMENTS (deadly); i++) {
    /* nohup ignores SIGHUP, and a sanitizer catches faults. */
    if (sigaction (deadly[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
      sigaction (deadly[i], &action, NULL);
  }
  signal (SIGPIPE, SIG_IGN);
  signal (SIGXFSZ, SIG_IGN);
}

/* Returns: the signal that came; 0: none */
gint
report_interrupt_signal (void)
{
  return caught;
}
