/* Finishing a buffer's measurement: waits for the counts and has the publisher publish them, in the
 * thread that is the right one.
 *
 * Results are published in stream order, by one thread at a time: the source pad's task,
 * upstream's thread if it pushes the buffer itself, or the report thread.
 *
 * The report thread: a buffer need not wait for a result that is only posted. Such a buffer goes
 * downstream at once, and the report thread posts the result when the counts are there.
 *
 * - If the counts are there when the buffer goes downstream and the publisher does not read the
 *   samples, the buffer is not referenced. An element downstream may write to it in place.
 * - If not, the report thread references the buffer until its result is there: the engine may
 *   still read it, and the CPU measures it again if the device fails. Until then an element
 *   downstream that writes must copy the buffer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_REPORTER_H
#define HISTO_REPORTER_H

#include "element/errors.h"
#include "element/latency.h"
#include "element/publisher.h"
#include "element/queue.h"

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;          /* not owned: the source of messages */
  HistoMeter *meter;            /* not owned, as are the next three */
  HistoQueue *queue;
  HistoErrors *errors;
  HistoLatency *latency;

  HistoPublisher publisher;     /* of the thread that publishes */

  GMutex lock;                  /* of all below */
  guint64 n_frames, n_bytes;    /* measured */

  GMutex report_lock;           /* of all below */
  GThread *thread;              /* the report thread; NULL before its first report */
  gboolean *is_detached;        /* in the report thread's stack, which alone reads and writes it:
                                 * the thread has stopped the element and ends */
  HistoCondition arrived;       /* the report thread waits: for a report, or for its end */
  HistoCondition progressed;    /* others wait: for n_pending, a flush or a stop */
  GQueue reports;
  guint n_pending;              /* reports that are queued or being published */
  gboolean is_flushing, is_stopping, is_ending;
} HistoReporter;

void histo_reporter_init (HistoReporter * reporter, GstElement * element,
    HistoMeter * meter, HistoQueue * queue, HistoErrors * errors,
    HistoLatency * latency);
void histo_reporter_clear (HistoReporter * reporter);

GstFlowReturn histo_reporter_finish (HistoReporter * reporter,
    HistoMeasurement * measurement, GstBuffer ** buffer);
gboolean histo_reporter_hand_over (HistoReporter * reporter,
    const HistoMeasurement * measurement, GstBuffer * buffer,
    guint generation);
gboolean histo_reporter_wait (HistoReporter * reporter);
gboolean histo_reporter_end_stream (HistoReporter * reporter);

void histo_reporter_set_flushing (HistoReporter * reporter,
    gboolean is_flushing);
void histo_reporter_set_stopping (HistoReporter * reporter,
    gboolean is_stopping);
void histo_reporter_settle (HistoReporter * reporter);
void histo_reporter_flush (HistoReporter * reporter);
void histo_reporter_stop (HistoReporter * reporter);
void histo_reporter_forget (HistoReporter * reporter);

void histo_reporter_get_counts (HistoReporter * reporter, guint64 * n_frames,
    guint64 * n_bytes);
void histo_reporter_reset_counts (HistoReporter * reporter);

G_END_DECLS

#endif /* HISTO_REPORTER_H */
