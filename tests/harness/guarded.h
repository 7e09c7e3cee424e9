/* Buffers next to pages that cannot be accessed, so that each access outside of them is a crash.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_GUARDED_H
#define TESTS_GUARDED_H

#include "harness.h"

/* Where the page is: just after the last byte of the buffer, or just before the first. */
typedef enum
{ GUARD_AFTER, GUARD_BEFORE, N_GUARDS } Guard;

/* A buffer of zeros. Pages to which nobody writes take no memory, so that the buffer can be larger
 * than the memory of the machine. */
GstBuffer *test_guarded_buffer_new (gsize size, Guard guard);

/* A buffer of random bytes. */
GstBuffer *test_guarded_random_new (gsize size, Guard guard, GRand * random);

#endif /* TESTS_GUARDED_H */
