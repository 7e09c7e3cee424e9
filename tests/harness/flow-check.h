/* Checks the flow through an element in a pipeline: what leaves must be what entered, in the same
 * order, and each buffer must carry the result of its own bytes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FLOW_CHECK_H
#define TESTS_FLOW_CHECK_H

#include "harness.h"

typedef struct _FlowCheck FlowCheck;

/* Follows the buffers, segments, gaps, ends and custom events of the element's two pads. In formats
 * whose bytes are all samples (GRAY8 without padding, U8) the result is compared with the bytes; in
 * other formats it must exist. */
FlowCheck *flow_check_new (GstElement * element);
void flow_check_free (FlowCheck * flow);

/* Fails the test unless everything that entered has left. Returns how many buffers have left. */
guint flow_check_drained (FlowCheck * flow);

/* For an element that was stopped. Fails the test unless the items that left are the first of those
 * that entered; then starts again with no items. A flush has the same effect. */
void flow_check_stopped (FlowCheck * flow);

/* How many buffers have left since flow_check_new(). */
guint flow_check_n_left (FlowCheck * flow);

/* Waits until more than n buffers have left. */
void flow_check_wait (FlowCheck * flow, guint n);

#endif /* TESTS_FLOW_CHECK_H */
