/* Upstream's side: configures the engines, starts the measuring of each buffer, and queues
 * what upstream sends.
 *
 * All functions but histo_intake_query() are called in upstream's thread, that is with the
 * sink pad's stream lock held, or while the sink pad is not active.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_INTAKE_H
#define HISTO_INTAKE_H

#include "element/errors.h"
#include "element/latency.h"
#include "element/output.h"
#include "element/qos.h"
#include "element/queue.h"
#include "element/settings.h"

G_BEGIN_DECLS

typedef struct
{
  /* Not owned; all of these outlive it. */
  GstElement *element;
  HistoSharedSettings *settings;
  HistoMeter *meter;
  HistoQueue *queue;
  HistoErrors *errors;
  HistoQos *qos;
  HistoLatency *latency;
  HistoOutput *output;

  GstCaps *caps;                /* NULL before the first caps and after refused ones */
  HistoFormat *format;          /* NULL before the first caps */
  HistoFormat *picture;         /* what the engines are configured for: the format, or the same for the
                                 * rectangle of a crop meta; NULL before the first caps */
  gboolean is_whole;            /* the latest buffer is measured as it is, not as a view of its picture */
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
} HistoIntake;

/* Forgets the caps and the stream. */
void histo_intake_clear (HistoIntake * intake);

/* Called when the element is started and after a flush. */
void histo_intake_begin_stream (HistoIntake * intake);

/* @buffer, @event: (transfer full): the event is a serialized one. Both return GST_FLOW_OK, or why
 * upstream must stop. */
GstFlowReturn histo_intake_buffer (HistoIntake * intake, GstBuffer * buffer);
GstFlowReturn histo_intake_event (HistoIntake * intake, GstEvent * event);

/* Passes a serialized query on in order, and waits for its answer. In any thread. */
gboolean histo_intake_query (HistoIntake * intake, GstQuery * query);

G_END_DECLS

#endif /* HISTO_INTAKE_H */
