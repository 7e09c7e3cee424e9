/* The messages of a pipeline, from its threads to the thread that writes the report.
 *
 * A thread that measures waits while too many results are queued, so that a slow output does not
 * fill the memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_QUEUE_H
#define REPORT_QUEUE_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _ReportQueue ReportQueue;

ReportQueue *report_queue_new (void);
void report_queue_free (ReportQueue * queue);
void report_queue_push (ReportQueue * queue, GstMessage * message,
    gboolean is_result);
GstMessage *report_queue_pop (ReportQueue * queue, gint64 timeout);
void report_queue_open (ReportQueue * queue);

G_END_DECLS

#endif /* REPORT_QUEUE_H */
