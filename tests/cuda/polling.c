/* How long a thread polls for the end of a launch.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "harness.h"

#include "engine/cuda/slot.h"

/* While frames come one after the other, a thread polls for launches that are short. */
GST_START_TEST (test_dense)
{
  fail_unless_equals_int (histo_slot_poll_time (0, 6), 150);
  fail_unless_equals_int (histo_slot_poll_time (100, 40), 150);
  fail_unless_equals_int (histo_slot_poll_time (100, 75), 150);
  fail_unless_equals_int (histo_slot_poll_time (100, 76), 0);
}

GST_END_TEST;

/* At 250 frames a second or less, it polls no longer than to sleep and to be woken takes of the processor, and not at
 * all for a launch that takes as long as that. */
GST_START_TEST (test_sparse)
{
  for (gint64 expected = 0; expected < 1000; expected++) {
    fail_unless (histo_slot_poll_time (4000, expected) <= 25);
    if (expected >= 20)
      fail_unless_equals_int (histo_slot_poll_time (4000, expected), 0);
  }
  fail_unless_equals_int (histo_slot_poll_time (4000, 6), 25);
}

GST_END_TEST;

static Suite *
polling_suite (void)
{
  Suite *suite = suite_create ("polling");
  TCase *tcase = test_add_case (suite, "general", 5);

  tcase_add_test (tcase, test_dense);
  tcase_add_test (tcase, test_sparse);
  return suite;
}

GST_CHECK_MAIN (polling);
