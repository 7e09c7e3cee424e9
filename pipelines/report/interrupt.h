/* SIGINT and SIGTERM: the first one ends measuring, a second one ends the program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_INTERRUPT_H
#define REPORT_INTERRUPT_H

#include <glib.h>

G_BEGIN_DECLS

void report_interrupt_install (void);
gint report_interrupt_signal (void);

G_END_DECLS

#endif /* REPORT_INTERRUPT_H */
