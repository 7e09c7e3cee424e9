/* The queue of the element by itself: orders of its steps that threads take rarely.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>

#include "element/queue.h"

/* The source pad's task: does nothing until it is paused or stopped. The test takes its steps. */
static void
sleep_briefly (gpointer data)
{
  g_usleep (1000);
}

/* Has upstream's thread push n buffers itself, each of which downstream returns at once. */
static void
push_quickly (HistoQueue * queue, guint n)
{
  for (guint i = 0; i < n; i++)
    fail_unless_equals_int (histo_queue_end_direct (queue, GST_FLOW_OK, 0),
        GST_FLOW_OK);
}

static void
open_queue (HistoQueue * queue, GstPad * pad)
{
  histo_queue_init (queue, pad, sleep_briefly, NULL);
  fail_unless (gst_pad_set_active (pad, TRUE));
  fail_unless (histo_queue_activate (queue));
}

/* Drops the reference of the pad, too. */
static void
close_queue (HistoQueue * queue, GstPad * pad)
{
  fail_unless (histo_queue_deactivate (queue));
  gst_pad_set_active (pad, FALSE);
  histo_queue_clear (queue);
  gst_object_unref (pad);
}

/* The task finds that the source pad is not linked. Before it pauses, the pad is linked again, and
 * upstream's thread begins to push a buffer itself. What the task found does not count any more. */
GST_START_TEST (test_relink_before_pause)
{
  GstPad *pad = gst_pad_new ("src", GST_PAD_SRC);
  gboolean is_unwanted, upstream_has_ended, has_failed;
  HistoQueue queue = { 0, };
  HistoItem *item;

  open_queue (&queue, pad);
  push_quickly (&queue, HISTO_PACING_MOST_QUICK);
  histo_queue_fail (&queue, histo_queue_get_generation (&queue),
      GST_FLOW_NOT_LINKED);
  fail_unless_equals_int (histo_queue_pop (&queue, &item, &is_unwanted),
      GST_FLOW_NOT_LINKED);
  fail_unless (item == NULL);

  fail_unless (histo_queue_relink (&queue, &has_failed));
  fail_unless (!has_failed);
  fail_unless (histo_queue_upstream_may_push (&queue,
          HISTO_PACING_SHORT_REST + 1, histo_queue_get_generation (&queue)));

  fail_unless_equals_int (histo_queue_end_item (&queue, GST_FLOW_NOT_LINKED, -1,
          &upstream_has_ended), GST_FLOW_OK);
  fail_unless (!upstream_has_ended);
  fail_unless (histo_queue_is_idle (&queue));
  close_queue (&queue, pad);
}

GST_END_TEST;

/* An error of a buffer from before a flush does not stop the flow after it. */
GST_START_TEST (test_fail_after_flush)
{
  GstPad *pad = gst_pad_new ("src", GST_PAD_SRC);
  HistoQueue queue = { 0, };
  guint generation;

  open_queue (&queue, pad);
  generation = histo_queue_get_generation (&queue);
  histo_queue_pause (&queue);
  fail_unless (histo_queue_resume (&queue));
  histo_queue_fail (&queue, generation, GST_FLOW_ERROR);
  generation = histo_queue_get_generation (&queue);
  fail_unless_equals_int (histo_queue_enter (&queue, 1, generation),
      GST_FLOW_OK);
  histo_queue_leave (&queue);

  histo_queue_fail (&queue, generation, GST_FLOW_ERROR);
  fail_unless_equals_int (histo_queue_enter (&queue, 1, generation),
      GST_FLOW_ERROR);
  close_queue (&queue, pad);
}

GST_END_TEST;

static Suite *
queue_suite (void)
{
  Suite *suite = suite_create ("queue");
  TCase *tcase = tcase_create ("all");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_relink_before_pause);
  tcase_add_test (tcase, test_fail_after_flush);
  return suite;
}

GST_CHECK_MAIN (queue);
