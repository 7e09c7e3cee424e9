/* SIGINT and SIGTERM end the program within a second.
 *
 * The first one ends measuring: the main thread sees it, completes the outputs with what was measured until then, and ends the
 * program. It does not wait for threads that decode, which may take long; nothing that they use is freed, and the program
 * ends without the functions that run at an exit: report_interrupt_end(). If the main thread itself cannot go on, a timer
 * ends the program without the outputs that are not complete.
 *
 * Without a signal, what only has to end is left alone if it does not: the program goes on, and ends in the same way.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_INTERRUPT_H
#define REPORT_INTERRUPT_H

#include <glib.h>

G_BEGIN_DECLS

/* A program that a signal ends has this status and the signal's number added. */
#define REPORT_STATUS_SIGNAL 128

/* How long threads may go on after a signal, so that their last results are in the report, in µs. */
#define REPORT_PATIENCE_AFTER_SIGNAL (G_USEC_PER_SEC * 3 / 10)

void report_interrupt_install (void);
void report_interrupt_wait_for_others (void);
gint report_interrupt_signal (void);
gboolean report_interrupt_run (GThreadFunc function, gpointer data);
gboolean report_interrupt_run_ending (GThreadFunc function, gpointer data);
void report_interrupt_finish (void);
gboolean report_interrupt_must_end (void);
void report_interrupt_end (gint status) G_GNUC_NORETURN;
void report_interrupt_die (void) G_GNUC_NORETURN;
void report_interrupt_explain (GError * error);

G_END_DECLS

#endif /* REPORT_INTERRUPT_H */
