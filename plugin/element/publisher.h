/* Publishing: from the counts of a buffer to its result, through the temporal stage, to the meta on the buffer and the
 * messages on the bus.
 *
 *   counts → result → temporal stage → meta, messages
 *
 * Results are published in stream order, by one thread at a time: the source pad's task, upstream's thread if it
 * pushes the buffer itself, or the publishing thread.
 *
 * The publishing thread: a buffer need not wait for a result that is only posted. Such a buffer goes downstream at
 * once, and the publishing thread posts the result when the counts are there.
 *
 * - If the counts are there when the buffer goes downstream and the temporal stage does not read the samples, the
 *   buffer is not referenced. An element downstream may write to it in place.
 * - If not, the item references the buffer until its result is there: the engine may still read it, and the CPU
 *   measures it again if the device fails. Until then an element downstream that writes must copy the buffer.
 *
 * Messages are collected, and posted when the submission is released, because a message's handler may stop the
 * element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_PUBLISHER_H
#define HISTO_PUBLISHER_H

#include "element/errors.h"
#include "element/latency.h"
#include "element/queue.h"
#include "result/temporal.h"

G_BEGIN_DECLS

typedef struct _HistoPublisherThread HistoPublisherThread;

/* Why no thread waits for the publishing thread. */
typedef enum
{
  HISTO_INTERRUPTION_FLUSH = 1 << 0,
  HISTO_INTERRUPTION_STOP = 1 << 1      /* the source pad is being deactivated: the end of a flush does not undo it */
} HistoInterruption;

typedef struct
{
  /* Not owned; all of these outlive it. */
  GstElement *element;          /* the source of messages */
  HistoMeter *meter;
  HistoQueue *queue;
  HistoErrors *errors;
  HistoLatency *latency;

  /* Constant while the element is not in the state NULL. */
  gchar *name;                  /* the result-name; NULL: none */
  const GstMetaInfo *meta_info; /* of the results; NULL: another plugin has that name */

  /* Only the thread that publishes uses these. */
  HistoTemporal temporal;
  HistoResult result;           /* of the buffer that is being published; empty otherwise */
  gboolean has_warned;          /* that a result cannot be attached */
  guint n_restarts[HISTO_N_RESTARTS];   /* of the latest published buffer */
  GQueue ends;                  /* of GstMessage: ends of alerts at a flush, to be posted with the next
                                 * buffer or the end of the stream */

  GMutex lock;                  /* of all below */
  guint64 n_frames, n_bytes;    /* measured */
  HistoPublisherThread *thread; /* NULL before it gets its first item */
  HistoCondition arrived;       /* the thread waits: for an item, or for its end */
  HistoCondition progressed;    /* others wait: for n_pending, or an interruption */
  GQueue items;                 /* of HistoItem: handed over */
  guint n_pending;              /* items that are queued or being published */
  guint interruptions;          /* flags */
  gboolean is_ending;           /* the thread ends when it has published all items */
} HistoPublisher;

void histo_publisher_init (HistoPublisher * publisher, GstElement * element,
    HistoMeter * meter, HistoQueue * queue, HistoErrors * errors,
    HistoLatency * latency);
void histo_publisher_clear (HistoPublisher * publisher);
void histo_publisher_set_name (HistoPublisher * publisher, gchar * name);

/* For each buffer in flight one of these. */
GstFlowReturn histo_publisher_publish (HistoPublisher * publisher,
    HistoItem * item);
gboolean histo_publisher_hand_over (HistoPublisher * publisher,
    HistoItem * item);
void histo_publisher_drop (HistoPublisher * publisher, HistoItem * item);

gboolean histo_publisher_wait (HistoPublisher * publisher);
gboolean histo_publisher_end_stream (HistoPublisher * publisher);

/* Flushing and stopping */
void histo_publisher_interrupt (HistoPublisher * publisher,
    HistoInterruption reason, gboolean is_on);
void histo_publisher_settle (HistoPublisher * publisher);
void histo_publisher_flush (HistoPublisher * publisher);
void histo_publisher_stop (HistoPublisher * publisher);
void histo_publisher_forget (HistoPublisher * publisher);

void histo_publisher_get_counts (HistoPublisher * publisher, guint64 * n_frames,
    guint64 * n_bytes);
void histo_publisher_reset_counts (HistoPublisher * publisher);

G_END_DECLS

#endif /* HISTO_PUBLISHER_H */
