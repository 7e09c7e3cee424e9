/* The source pad's side: passes the items of the queue on, in order.
 *
 * The source pad's task pops the oldest item of the queue. It waits for a buffer's result,
 * has it published, and pushes the buffer. Upstream's thread may do the same for a buffer that
 * was not queued.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OUTPUT_H
#define HISTO_OUTPUT_H

#include "element/errors.h"
#include "element/publisher.h"

G_BEGIN_DECLS

/* All of these outlive it. */
typedef struct
{
  GstPad *pad;
  HistoSharedSettings *settings;
  HistoMeter *meter;
  HistoQueue *queue;
  HistoErrors *errors;
  HistoPublisher *publisher;
} HistoOutput;

/* The function of the source pad's task: passes one item on. @data: the HistoOutput */
void histo_output_loop (gpointer data);

/* In upstream's thread, after histo_queue_upstream_may_push() or histo_queue_wait_until_idle(): passes a buffer on
 * that is not queued. @item: (transfer full): a buffer in flight. Returns: what upstream is told */
GstFlowReturn histo_output_push_direct (HistoOutput * output,
    HistoItem * item);

/* With the task at rest: drops all queued items. @keep_sticky: the pad keeps the sticky events. */
void histo_output_drop_queued (HistoOutput * output, gboolean keep_sticky);

G_END_DECLS

#endif /* HISTO_OUTPUT_H */
