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

  return number == 0 ? g_random_int_range (1, step + 1) : number + step;
}

glong
fault_each (Fault fault, const gchar * title, gboolean is_pipeline,
    FaultRun run, gpointer user_data)
{
  const MockCuda *mock = test_mock ();
  const gboolean is_verbose = g_getenv ("CUDAHISTO_TEST_VERBOSE") != NULL;
  const MockCudaLive before = test_live ();
  gboolean occurred;
  glong number = 0;
  guint n_failures = 0;

  do {
    gchar *label;

    /* If there are few calls, the first one at random may not exist. */
    number = number > 1 && n_failures == 0 ? 1 : fault_next (fault, number);
    label = g_strdup_printf ("%s, %s %ld", title, fault_names[fault], number);
    mock->reset ();
    fault_arm (fault, number);
    run (label, user_data);
    occurred = fault_has_occurred (fault, number);
    n_failures += occurred;
    if (is_verbose)
      g_print ("%s: %s\n", label,
          mock->failed_call () != NULL ? mock->failed_call () : "-");
    if (is_pipeline)
      test_wait_live (&before, label);
    else
      test_check_live (&before, label);
    g_free (label);
  } while (occurred || (n_failures == 0 && number > 1));
  fail_unless (n_failures > 0);
  g_print ("%s, %s: %u failures\n", title, fault_names[fault], n_failures);
  return number - 1;
}
