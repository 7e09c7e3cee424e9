/* SIGINT and SIGTERM; see interrupt.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "interrupt.h"

#include <signal.h>
#include <string.h>
#include <time.h>

/* A signal so many seconds after the first one ends the program. An earlier one may be the same one:
 * a terminal, timeout and Slurm send it to all processes of a group, and with --jobs the parent
 * passes it on. */
#define SAME_SIGNAL 1

static volatile sig_atomic_t caught = 0;
static struct timespec first;

static void
catch_signal (int number)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  if (caught == 0) {
    first = now;
    caught = number;
  } else if (now.tv_sec - first.tv_sec > SAME_SIGNAL) {
    signal (number, SIG_DFL);
    raise (number);
  }
}

/* A write to a closed pipe is an error of the write from now on, not the end of the program. */
void
report_interrupt_install (void)
{
  struct sigaction action;

  memset (&action, 0, sizeof action);
  action.sa_handler = catch_signal;
  /* Neither handler interrupts the other one. */
  sigaddset (&action.sa_mask, SIGINT);
  sigaddset (&action.sa_mask, SIGTERM);
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  signal (SIGPIPE, SIG_IGN);
}

/* Returns: the signal that came; 0: none */
gint
report_interrupt_signal (void)
{
  return caught;
}
