/* Stops the thread that posts the element's results, and keeps the results.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_MESSAGE_GATE_H
#define TESTS_MESSAGE_GATE_H

#include "harness.h"

/* A handler on the element's bus. The thread that posts result number i waits in it until more than
 * i results are allowed; at first none is. */
typedef struct
{
  GMutex lock;
  GCond changed;
  guint n_allowed, n_posted;
  GQueue results;               /* of GstStructure: those that have arrived */
} MessageGate;

void message_gate_init (MessageGate * gate, GstHarness * harness);

/* After the harness has been freed. */
void message_gate_clear (MessageGate * gate);

/* Lets the first n results pass. */
void message_gate_allow (MessageGate * gate, guint n);

/* How many results have passed. */
guint message_gate_n_posted (MessageGate * gate);

/* Waits until n results have passed, or have arrived. */
void message_gate_wait_posted (MessageGate * gate, guint n);
void message_gate_wait_arrived (MessageGate * gate, guint n);

/* Result number i, from 0, which must have arrived. (transfer none) */
const GstStructure *message_gate_result (MessageGate * gate, guint i);

#endif /* TESTS_MESSAGE_GATE_H */
