/* Quality of service: when downstream says that buffers come too late, they can go on without
 * a result.
 *
 * Every buffer is passed on, late or not. Upstream gets the same QOS events and may skip buffers.
 * This element can only skip the measuring. It does so only if the user asks for it (`qos`),
 * because results are missing then. For each skipped result the element adds 1 to a count and
 * posts a QoS message.
 *
 * All functions may be called in any thread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_QOS_H
#define HISTO_QOS_H

#include "cudahisto/result.h"

G_BEGIN_DECLS

typedef struct
{
  GMutex lock;                  /* of all below */
  GstClockTime earliest;        /* running time: a buffer that is not after it is late */
  gdouble proportion;           /* of the latest event */
  GstClockTime frame_duration;  /* 0: unknown */
  gboolean is_live;             /* upstream, by the latest LATENCY query */
  guint64 n_dropped;            /* results skipped */
} HistoQos;

void histo_qos_init (HistoQos * qos);
void histo_qos_clear (HistoQos * qos);

/* Forgets the latest QOS event, at a start and after a flush: it does not apply to what follows. */
void histo_qos_restart (HistoQos * qos);

/* @duration: of a frame of the caps, in ns; 0: unknown */
void histo_qos_set_frame_duration (HistoQos * qos, GstClockTime duration);

/* Whether upstream is live, for the messages. */
void histo_qos_set_live (HistoQos * qos, gboolean is_live);

/* @event: (transfer none): a QOS event of downstream */
void histo_qos_update (HistoQos * qos, GstEvent * event);

/* Whether a buffer of these times is late according to the latest QOS event. */
gboolean histo_qos_is_late (HistoQos * qos, const HistoTimes * times);

/* Counts a skipped result and posts the message, whose handler may flush or stop the element.
 * @element: the source of the message
 * @times: of a late buffer
 * @n_processed: how many buffers have been measured */
void histo_qos_drop (HistoQos * qos, GstElement * element,
    const HistoTimes * times, guint64 n_processed);

/* Results skipped since histo_qos_reset_n_dropped(). */
guint64 histo_qos_get_n_dropped (HistoQos * qos);
void histo_qos_reset_n_dropped (HistoQos * qos);

G_END_DECLS

#endif /* HISTO_QOS_H */
