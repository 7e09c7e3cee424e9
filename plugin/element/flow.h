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
#include "element/intake.h"
#include "element/output.h"
#include "element/qos.h"
#include "element/queue.h"
#include "element/settings.h"

G_BEGIN_DECLS

typedef struct
{
  /* Not owned; all of these outlive it. */
  GstElement *element;
  GstPad *sinkpad, *srcpad;
  HistoMeter *meter;

  HistoErrors errors;
  HistoQueue queue;
  HistoPublisher publisher;
  HistoQos qos;
  HistoLatency latency;
  HistoOutput output;
  HistoIntake intake;
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

G_END_DECLS

#endif /* HISTO_FLOW_H */
