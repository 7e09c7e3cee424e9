/* Finds the mock driver (tests/mock) and reads its counters.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_MOCK_H
#define TESTS_MOCK_H

#include "harness.h"

#include "mock-cuda.h"

/* The mock's functions. NULL if libcuda.so.1 is a real driver or does not exist. */
const MockCuda *test_mock (void);

/* What the mock holds now. All zero without the mock. */
MockCudaLive test_live (void);

/* How many copies, fills and kernels the mock has executed since its last reset. 0 without the
 * mock. */
glong test_executions (void);

/* Fails the test with @label unless the mock holds as many objects as before. Does nothing without
 * the mock. */
void test_check_live (const MockCudaLive * before, const gchar * label);

/* The same, but first waits up to 30 s until it is so. For pipelines: the thread that takes a
 * pipeline from PAUSED to PLAYING may keep it for a moment after it has stopped. */
void test_wait_live (const MockCudaLive * before, const gchar * label);

#endif /* TESTS_MOCK_H */
