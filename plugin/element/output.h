/* The source pad's side: passes the items of the queue on, in order.
 *
 * The source pad's task takes the oldest item off the queue. It waits for a buffer's result,
 * has it published, and pushes the buffer. Upstream's thread may do the same for a buffer that
 * was not queued.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OUTPUT_H
#define HISTO_OUTPUT_H

#include "element/errors.h"
#include "element/queue.h"
#include "element/reporter.h"
#include "element/settings.h"

G_BEGIN_DECLS

/* All of these outlive it. */
typedef struct
{
  GstPad *pad;
  HistoSharedSettings *settings;
  HistoMeter *meter;
  HistoQueue *queue;
  HistoErrors *errors;
  HistoReporter *reporter;
} HistoOutput;

void histo_output_loop (HistoOutput * output);
GstFlowReturn histo_output_push_direct (HistoOutput * output,
    HistoItem * item);
void histo_output_drop_buffer (HistoOutput * output, HistoItem * item);
void histo_output_drop_queued (HistoOutput * output, gboolean keep_sticky);

G_END_DECLS

#endif /* HISTO_OUTPUT_H */
