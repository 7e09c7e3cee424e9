/* Makes the mock driver fail: its N-th call, or its N-th execution, for every N.
 *
 * If test_step() is 3, only every third call fails (the first one is 1, 2 or 3 at random), and every second execution
 * (the first one is 1 or 2). fault_each() tries number 1 if the random first one does not exist.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H

#include "mock.h"

typedef enum
{
  FAULT_ONCE = MOCK_CUDA_FAIL_ONCE,     /* the call fails */
  FAULT_FOREVER = MOCK_CUDA_FAIL_FOREVER,       /* and all calls after it */
  FAULT_STICKY = MOCK_CUDA_FAIL_STICKY, /* and its context cannot be used any more */
  FAULT_EXECUTION,              /* a copy, fill or kernel fails when the device executes it */
  N_FAULTS
} Fault;

extern const gchar *const fault_names[N_FAULTS];

/* Lets call (or execution) number @number fail, counted from 1 at the mock's last reset. */
void fault_arm (Fault fault, glong number);

/* Whether there was a call (or execution) with that number. */
gboolean fault_has_occurred (Fault fault, glong number);

/* @label names the fault. */
typedef void (*FaultRun) (const gchar * label, gpointer user_data);

/* Returns: the number of the next call (or execution) that is to fail after number @number, or of the first one after
 * 0 */
glong fault_next (Fault fault, glong number);

/* Calls @run with one call failing, then with a later one, and so on, until @run makes fewer calls; see
 * fault_next(). After each run the mock must hold as many objects as before the first. @run must have run
 * once already, because libgstcuda does some work only once.
 * @title: begins each label
 * @is_pipeline: @run plays a pipeline; see test_wait_live()
 * Returns: how many calls @run makes that can fail. It may be too large by up to test_step() - 1. */
glong fault_each (Fault fault, const gchar * title, gboolean is_pipeline,
    FaultRun run, gpointer user_data);

#endif /* TESTS_FAULTS_H */
