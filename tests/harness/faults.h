/* Makes the mock driver fail: its N-th call, or its N-th execution, for every N.
 *
 * If test_step() is 3, only every third call fails (the first one is 1, 2 or 3 at random), and every second execution
 * (the first one is 1 or 2). Number 1 is tried if the random first one does not exist.
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

/* Returns: the number of the next call (or execution) that is to fail after number @number, or of the first one after
 * 0, which may not exist. fault_try_each() knows what to do then. */
glong fault_next (Fault fault, glong number);

/* Runs once with call (or execution) @number failing. Returns: FALSE if there were fewer */
typedef gboolean (*FaultTry) (Fault fault, glong number, gpointer user_data);

/* Calls @run with one call failing, then with a later one, and so on, until @run makes fewer calls; see fault_next().
 * At least one must fail. @title: begins the line that is printed
 * Returns: how many calls @run makes that can fail. It may be too large by up to test_step() - 1. */
glong fault_try_each (Fault fault, const gchar * title, FaultTry run, gpointer user_data);

/* @label names the fault. */
typedef void (*FaultRun) (const gchar * label, gpointer user_data);

/* As fault_try_each() with what it does around each run: the mock is reset and armed, and after the run it must hold as
 * many objects as before the first. @run must have run once already, because libgstcuda does some work only once.
 * @is_pipeline: @run plays a pipeline; see test_wait_live() */
glong fault_each (Fault fault, const gchar * title, gboolean is_pipeline,
    FaultRun run, gpointer user_data);

#endif /* TESTS_FAULTS_H */
