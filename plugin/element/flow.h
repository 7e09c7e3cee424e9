/* The two pads and the parts between them. Buffers, events and queries leave in the order in which
 * they came.
 *
 *   sink pad → intake → queue → output → source pad
 *              upstream's       the source pad's
 *              thread           task
 *
 * Upstream's thread starts the measuring of a buffer and queues it. The source pad's task waits
 * for the oldest buffer's result, attaches it and pushes the buffer. So a buffer leaves as soon
 * as its own result is there, and up to max-in-flight buffers are measured meanwhile.
 * Serialized events and queries go through the same queue and overtake nothing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_FLOW_H
#define HISTO_FLOW_H

#include "element/errors.h"
#include "element/latency.h"
#include "element/publisher.h"
#include "element/qos.h"
#include "element/queue.h"
#include "element/settings.h"

G_BEGIN_DECLS

typedef struct
{
  /* Not owned; all of these outlive it. */
  GstElement *element;
  GstPad *sinkpad, *srcpad;
  HistoSharedSettings *settings;
  HistoMeter *meter;

  HistoErrors errors;
  HistoQueue queue;
  HistoPublisher publisher;
  HistoQos qos;
  HistoLatency latency;

  /* The rest is of upstream's thread: with the sink pad's stream lock held, or while the sink pad is not active. */
  GstCaps *caps;                /* NULL before the first caps and after refused ones */
  HistoFormat *format;          /* NULL before the first caps */
  HistoFormat *picture;         /* what the engines are configured for: the format, or the same for the
                                 * rectangle of a crop meta; NULL before the first caps */
  gchar *stream_id;             /* NULL before the first stream */
  GstSegment segment;
  HistoSettingsCopy settings_copy;      /* of upstream's thread */
  guint configured_in_flight;   /* the engines have slots for this many buffers */
  guint configured_rois;        /* the plan has room for this many regions of a buffer's metas */
  guint n_restarts[HISTO_N_RESTARTS];   /* how often each reason has occurred */
  guint submitted_restarts[HISTO_N_RESTARTS];   /* the same, when the latest buffer was submitted */
  guint n_since_due;            /* buffers since the latest one that `every` chose, which counts, too;
                                 * 0: none has been chosen since the start or the flush */
  gboolean may_be_open;         /* a window or an alert, since the latest measured buffer */
  gboolean has_warned;          /* of the size of a buffer's counters and histograms */
  gboolean pushes;              /* the latest buffer was pushed by upstream's thread */
  gint64 returned_at;           /* monotonic time of the return from the latest buffer, us */
} HistoFlow;

/* Adds the pads to the element.
 * @flow: zeroed
 * @element: of a class with pad templates "sink" and "src"
 * @settings, @meter: outlive the flow, as does the element */
void histo_flow_init (HistoFlow * flow, GstElement * element,
    HistoSharedSettings * settings, HistoMeter * meter);

/* Both only with the pads inactive: no thread of theirs is in here any more. */
void histo_flow_clear (HistoFlow * flow);
void histo_flow_forget_stream (HistoFlow * flow);

/* ---- Upstream's side: intake.c ----------------------------------------------------------- */

/* Forgets the caps and the stream. */
void histo_intake_clear (HistoFlow * flow);

/* Called when the element is started and after a flush. */
void histo_intake_begin_stream (HistoFlow * flow);

/* @buffer, @event: (transfer full): the event is a serialized one. Both return GST_FLOW_OK, or why
 * upstream must stop. */
GstFlowReturn histo_intake_buffer (HistoFlow * flow, GstBuffer * buffer);
GstFlowReturn histo_intake_event (HistoFlow * flow, GstEvent * event);

/* Passes a serialized query on in order, and waits for its answer. In any thread. */
gboolean histo_intake_query (HistoFlow * flow, GstQuery * query);

/* ---- The source pad's side: output.c ------------------------------------------------------- */

/* The function of the source pad's task: passes one item on. @data: the HistoFlow */
void histo_output_loop (gpointer data);

/* In upstream's thread, after histo_queue_upstream_may_push() or histo_queue_wait_until_idle(): passes a buffer on
 * that is not queued. @item: (transfer full): a buffer in flight. Returns: what upstream gets */
GstFlowReturn histo_output_push_direct (HistoFlow * flow, HistoItem * item);

/* With the task at rest: drops all queued items. @keep_sticky: the pad keeps the sticky events. */
void histo_output_drop_queued (HistoFlow * flow, gboolean keep_sticky);

G_END_DECLS

#endif /* HISTO_FLOW_H */
