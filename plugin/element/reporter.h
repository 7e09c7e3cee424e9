/* Finishing a buffer's measurement: wait for the counts, make the result, pass it through the
 * temporal stage, publish it.
 *
 *   counts → result → temporal stage → meta on the buffer, message on the bus
 *
 * Results are published in stream order, by one thread at a time: the source pad's task,
 * upstream's thread where it pushes a buffer itself, or a thread beside the flow.
 *
 * The thread beside the flow: a buffer need not wait for a result that is only posted. Such a
 * buffer goes downstream at once, and this thread posts the result when it is there.
 *
 * Meanwhile the engine may still read the buffer, and the CPU measures it again if the device
 * fails. So the thread references the buffer until the counts are there, and releases it before
 * it makes the result. If the counts are there when the buffer goes downstream, the buffer is
 * not referenced at all, and an element downstream may write to it in place. What remains: if
 * the engine still reads the buffer at that time, an element that writes must copy it. The
 * only alternative is to wait for the engine, which this mode is there to avoid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_REPORTER_H
#define HISTO_REPORTER_H

#include "element/errors.h"
#include "element/measurement.h"
#include "element/queue.h"

G_BEGIN_DECLS

typedef struct _HistoReportThread HistoReportThread;

typedef struct
{
  GstElement *element;          /* not owned: the source of messages */
  HistoMeter *meter;            /* not owned, as are the next two */
  HistoQueue *queue;
  HistoErrors *errors;
  HistoReportThread *thread;    /* beside the flow; it runs from its first report on */

  /* Of the thread that publishes. */
  HistoTemporal temporal;
  HistoResult result;           /* of the buffer that is being published; empty otherwise */
  gboolean has_warned;          /* that a result cannot be attached */

  GMutex lock;                  /* of all below */
  guint64 n_frames, n_bytes;    /* measured */
} HistoReporter;

void histo_reporter_init (HistoReporter * reporter, GstElement * element,
    HistoMeter * meter, HistoQueue * queue, HistoErrors * errors);
void histo_reporter_clear (HistoReporter * reporter);

GstFlowReturn histo_reporter_finish (HistoReporter * reporter,
    HistoMeasurement * measurement, GstBuffer ** buffer);
gboolean histo_reporter_hand_over (HistoReporter * reporter,
    const HistoMeasurement * measurement, GstBuffer * buffer);
gboolean histo_reporter_wait (HistoReporter * reporter);

void histo_reporter_set_flushing (HistoReporter * reporter,
    gboolean is_flushing);
void histo_reporter_settle (HistoReporter * reporter);
void histo_reporter_stop (HistoReporter * reporter);

void histo_reporter_get_counts (HistoReporter * reporter, guint64 * n_frames,
    guint64 * n_bytes);
void histo_reporter_reset_counts (HistoReporter * reporter);

G_END_DECLS

#endif /* HISTO_REPORTER_H */
