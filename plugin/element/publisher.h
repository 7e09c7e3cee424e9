/* Publishing: from the counts of a buffer to its result, through the temporal stage, to the meta and
 * the messages.
 *
 *   counts → result → temporal stage → meta on the buffer, messages on the bus
 *
 * One thread at a time calls these functions, in stream order, so there is no lock. The messages are
 * collected, and posted when the measurement is released, because a message's handler may stop
 * the element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_PUBLISHER_H
#define HISTO_PUBLISHER_H

#include "element/measurement.h"

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;          /* not owned: the source of messages */
  HistoMeter *meter;            /* not owned */
  HistoTemporal temporal;
  HistoResult result;           /* of the buffer that is being published; empty otherwise */
  gboolean has_warned;          /* that a result cannot be attached */
  guint n_restarts[HISTO_N_RESTARTS];   /* of the latest published measurement */
  GQueue ends;                  /* of GstMessage: ends of alerts at a flush, to be posted with the next
                                 * buffer or the end of the stream */
} HistoPublisher;

/* Messages to be posted. Zeroed: none. */
typedef struct
{
  GQueue earlier;               /* of GstMessage: about windows and alerts */
  GstMessage *result;           /* NULL: none */
} HistoMessages;

void histo_publisher_init (HistoPublisher * publisher, GstElement * element,
    HistoMeter * meter);
void histo_publisher_clear (HistoPublisher * publisher);

/* The pads are inactive: what is open is dropped. */
void histo_publisher_forget (HistoPublisher * publisher);

/* At the end of a flush, with no thread in here. */
void histo_publisher_flush (HistoPublisher * publisher);

/* Whether histo_publisher_publish() reads the samples of buffers. While buffers are in flight the
 * answer does not change. */
gboolean histo_publisher_reads_samples (HistoPublisher * publisher);

/* @measured: the measured buffer; NULL only if histo_publisher_reads_samples() returns FALSE
 * @buffer: (inout) (nullable): gets the meta; NULL if there is to be none
 * @messages: (inout): appended to
 * Returns: FALSE if the stage cannot measure the samples */
gboolean histo_publisher_publish (HistoPublisher * publisher,
    const HistoMeasurement * measurement, const HistoCounts * counts,
    GstBuffer * measured, GstBuffer ** buffer, HistoMessages * messages,
    GError ** error);

/* The stream or a segment ends. @messages: (inout): appended to */
void histo_publisher_end_stream (HistoPublisher * publisher,
    HistoMessages * messages);

/* In any thread. @messages: empty afterwards */
void histo_messages_post (HistoMessages * messages, GstElement * element);

G_END_DECLS

#endif /* HISTO_PUBLISHER_H */
