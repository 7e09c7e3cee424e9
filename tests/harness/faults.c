/* Makes the mock driver fail; see faults.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "faults.h"

#include "harness.h"

const gchar *const fault_names[N_FAULTS] = {
  "once", "forever", "sticky", "execution"
};

void
fault_arm (Fault fault, glong number)
{
  if (fault == FAULT_EXECUTION)
    test_mock ()->fail_execution (number);
  else
    test_mock ()->fail_call (number, (MockCudaFailure) fault);
}

gboolean
fault_has_occurred (Fault fault, glong number)
{
  if (fault == FAULT_EXECUTION)
    return test_executions () >= number;
  return test_mock ()->failed_call () != NULL;
}

glong
fault_next (Fault fault, glong number)
{
  /* There are few executions. */
  const guint step = fault == FAULT_EXECUTION ? (test_step () + 1) / 2 :
      test_step ();

  return number == 0 ? g_random_int_range (1, step + 1) : number + (glong) step;
}

glong
fault_try_each (Fault fault, const gchar * title, FaultTry run, gpointer user_data)
{
  glong number = 0;
  guint n_failures = 0;
  gboolean occurred;

  do {
    /* If there are few calls, the first one at random may not exist. */
    number = number > 1 && n_failures == 0 ? 1 : fault_next (fault, number);
    occurred = run (fault, number, user_data);
    n_failures += occurred;
  } while (occurred || (n_failures == 0 && number > 1));
  fail_unless (n_failures > 0);
  g_print ("%s, %s: %u failures\n", title, fault_names[fault], n_failures);
  return number - 1;
}

typedef struct
{
  const gchar *title;
  gboolean is_pipeline;
  MockCudaLive before;
  FaultRun run;
  gpointer user_data;
} Each;

static gboolean
try_one (Fault fault, glong number, gpointer user_data)
{
  const Each *each = user_data;
  const MockCuda *mock = test_mock ();
  gchar *label = g_strdup_printf ("%s, %s %ld", each->title, fault_names[fault], number);
  gboolean occurred;

  mock->reset ();
  fault_arm (fault, number);
  each->run (label, each->user_data);
  occurred = fault_has_occurred (fault, number);
  if (g_getenv ("CUDAHISTO_TEST_VERBOSE") != NULL)
    g_print ("%s: %s\n", label,
        mock->failed_call () != NULL ? mock->failed_call () : "-");
  if (each->is_pipeline)
    test_wait_live (&each->before, label);
  else
    test_check_live (&each->before, label);
  g_free (label);
  return occurred;
}

glong
fault_each (Fault fault, const gchar * title, gboolean is_pipeline,
    FaultRun run, gpointer user_data)
{
  Each each = { title, is_pipeline, test_live (), run, user_data };

  return fault_try_each (fault, title, try_one, &each);
}
