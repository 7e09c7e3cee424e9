/* Starting a pad's task where there may be no thread for it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_TASK_H
#define HISTO_TASK_H

#include <gst/gst.h>

G_BEGIN_DECLS

gboolean histo_task_start (GstPad * pad, GstTaskFunction function,
    gpointer data);

G_END_DECLS

#endif /* HISTO_TASK_H */
