/* An eye on an element in a pipeline: what leaves it must be what entered, in order, and
 * each buffer with the result of its own bytes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_WATCH_H
#define TESTS_WATCH_H

#include "common.h"

typedef struct _Watch Watch;

/* Formats of which each byte is a sample, GRAY8 without padding and U8, are compared with
 * their results; of others the result must be there. */
Watch *watch_new (GstElement * element);
void watch_free (Watch * watch);

/* All that entered has left. Returns how many buffers that were. */
guint watch_check_drained (Watch * watch);

/* What has left is the beginning of what entered, because the element was stopped; what
 * comes now begins anew. A flush does the same by itself. */
void watch_check_stopped (Watch * watch);

/* How many buffers have left since the beginning. */
guint watch_n_left (Watch * watch);
/* Waits until more than n have. */
void watch_wait (Watch * watch, guint n);

#endif /* TESTS_WATCH_H */
