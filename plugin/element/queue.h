/* The queue between upstream's thread and the source pad's task, and what both must agree on:
 *
 * - the items (buffers, events, queries) that upstream sent and the task has not passed on;
 * - how many buffers are in flight, from just before they are submitted until their results
 *   are published;
 * - the latest flow return: GST_FLOW_OK, an error that downstream returned, or
 *   GST_FLOW_FLUSHING;
 * - whether the task runs. A task whose flow return is not OK pauses, and nothing else pauses it.
 *
 * The queue has its own lock. No function here calls a function of another pad or of the
 * application while it holds the lock, except that a flush may start the task under it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_QUEUE_H
#define HISTO_QUEUE_H

#include "cudahisto/result.h"
#include "element/pacing.h"
#include "element/settings.h"
#include "engine/condition.h"
#include "result/passing.h"

G_BEGIN_DECLS

#define HISTO_N_RESTARTS (HISTO_RESTART_FLUSH + 1)

/* What travels through the queue: a buffer, a serialized event or a serialized query.
 *
 * The item of a buffer in flight has all that publishing needs: it reads no state of upstream's thread. The buffer
 * itself may leave before its result is published. */
typedef struct
{
  GstMiniObject *object;        /* owned, but a query is its sender's. NULL: the buffer has left, and nothing
                                 * reads its samples any more */
  gint *answer;                 /* a query: where its sender waits for the answer; else NULL */

  /* The rest is of a buffer. */
  guint generation;             /* the queue's when it came */
  gboolean is_measured;         /* all below is valid */
  gboolean loses_result;        /* it is not measured, while results are attached: the result of an element
                                 * upstream is removed */
  gboolean ends_results;        /* no result is wanted any more, so that the open window and the open alerts
                                 * end before it */
  HistoSubmission submission;   /* submitted to the meter, to be released */
  HistoTimes times;
  gint64 delay;                 /* how long submitting took, with the copy of a cropped frame, in us */
  gsize size;                   /* in bytes */
  guint n_restarts[HISTO_N_RESTARTS];   /* how often each reason has occurred so far. A buffer that is
                                         * dropped thus loses none. */
  HistoSettings settings;       /* when it came */
  HistoRules *rules;            /* owned; the same; NULL: none */
} HistoItem;

/* The answer to a query until there is one. */
#define HISTO_NO_ANSWER (-1)

/* @item: not in flight */
void histo_item_free (HistoItem * item);

/* Private to queue.c. */
typedef struct
{
  GstPad *pad;                  /* not owned: the source pad, whose task this is */
  GstTaskFunction function;     /* the task's, with its data */
  gpointer data;

  GMutex lock;                  /* of all below */
  HistoCondition arrived;       /* the task waits: for an item, or another flow return */
  HistoCondition progressed;    /* others wait: for places or an answer, or another flow return */
  GQueue items;                 /* of HistoItem */
  guint n_eos;                  /* EOS events among the items */
  guint n_begins;               /* events among the items after which downstream wants buffers
                                 * again: stream-start and segment */
  guint n_in_flight;
  gint awaited_level;           /* upstream waits for n_in_flight to be at most this; < 0: it
                                 * does not wait */
  gboolean awaits_idle;         /* upstream waits until everything has been passed on */
  GstFlowReturn flow;
  gboolean is_active;           /* the source pad */
  GThread *busy_task;           /* the task's thread, while it passes on an item that it popped, and posts
                                 * the error if that failed; else NULL */
  guint generation;             /* counts the begins of flushes; read atomically without the lock */
  guint item_generation;        /* the generation when the current item left the queue */
  gboolean was_relinked;        /* since the current item left the queue */
  gboolean upstream_has_ended;  /* EOS was popped, and no stream-start or segment after it */
  gboolean downstream_has_taken;        /* a push has returned since the start or a flush */
  gboolean downstream_is_eos;   /* downstream wants no more buffers of this segment */
  HistoPacing pacing;
} HistoQueue;

void histo_queue_init (HistoQueue * queue, GstPad * pad,
    GstTaskFunction function, gpointer data);
void histo_queue_clear (HistoQueue * queue);

/* Starting and stopping */
gboolean histo_queue_activate (HistoQueue * queue);
gboolean histo_queue_deactivate (HistoQueue * queue);
void histo_queue_set_flushing (HistoQueue * queue);
void histo_queue_flush (HistoQueue * queue);
gboolean histo_queue_resume (HistoQueue * queue);
gboolean histo_queue_relink (HistoQueue * queue, gboolean * has_failed);
HistoItem *histo_queue_remove (HistoQueue * queue);

/* In upstream's thread */
GstFlowReturn histo_queue_push (HistoQueue * queue, HistoItem * item);
GstFlowReturn histo_queue_wait_for_level (HistoQueue * queue, guint n);
GstFlowReturn histo_queue_enter (HistoQueue * queue, guint max_in_flight,
    guint generation);
gboolean histo_queue_is_idle (HistoQueue * queue);
gboolean histo_queue_wait_until_idle (HistoQueue * queue, guint generation);
gboolean histo_queue_upstream_may_push (HistoQueue * queue, gint64 rest,
    guint generation);
GstFlowReturn histo_queue_end_direct (HistoQueue * queue, GstFlowReturn flow,
    gint64 duration);
gboolean histo_queue_wait_for_answer (HistoQueue * queue, HistoItem * item,
    const gint * answer);

/* In the source pad's task */
GstFlowReturn histo_queue_pop (HistoQueue * queue, HistoItem ** item,
    gboolean * is_unwanted);
gboolean histo_queue_item_is_current (HistoQueue * queue);
GstFlowReturn histo_queue_end_item (HistoQueue * queue, GstFlowReturn flow,
    gint64 duration, gboolean * upstream_has_ended);
void histo_queue_rest (HistoQueue * queue);

/* In any thread */
void histo_queue_answer (HistoQueue * queue, const HistoItem * item,
    gboolean answer);
gboolean histo_queue_leave (HistoQueue * queue);
void histo_queue_fail (HistoQueue * queue, guint generation,
    GstFlowReturn flow);
guint histo_queue_get_level (HistoQueue * queue);
guint histo_queue_get_generation (HistoQueue * queue);

G_END_DECLS

#endif /* HISTO_QUEUE_H */
