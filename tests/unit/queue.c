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

/* Upstream's thread, which is not in a hurry, asks whether it may push a buffer. */
static gboolean
may_push (HistoQueue * queue)
{
  return histo_queue_upstream_may_push (queue, HISTO_PACING_SHORT_REST + 1,
      histo_queue_get_generation (queue));
}

/* Downstream is quick and upstream is not in a hurry, but what came before is still on its way, or
 * downstream wants no more: upstream's thread must not push a buffer itself. Otherwise it would
 * overtake what is queued, or meet the task in a push. */
GST_START_TEST (test_upstream_does_not_overtake)
{
  GstPad *pad = gst_pad_new ("src", GST_PAD_SRC);
  HistoItem event = { NULL, }, *item;
  gboolean is_unwanted, upstream_has_ended;
  HistoQueue queue = { 0, };

  open_queue (&queue, pad);
  push_quickly (&queue, HISTO_PACING_MOST_QUICK);
  fail_unless (may_push (&queue));

  event.object = GST_MINI_OBJECT_CAST (gst_event_new_gap (0, 1));
  fail_unless_equals_int (histo_queue_push (&queue, &event), GST_FLOW_OK);
  fail_unless (!may_push (&queue), "the event is queued");
  fail_unless_equals_int (histo_queue_pop (&queue, &item, &is_unwanted),
      GST_FLOW_OK);
  fail_unless (item == &event);
  fail_unless (!may_push (&queue), "the task passes the event on");
  fail_unless_equals_int (histo_queue_end_item (&queue, GST_FLOW_OK, -1,
          &upstream_has_ended), GST_FLOW_OK);
  fail_unless (may_push (&queue));

  fail_unless (!histo_queue_upstream_may_push (&queue,
          HISTO_PACING_SHORT_REST + 1,
          histo_queue_get_generation (&queue) - 1),
      "the buffer is from before a flush");
  fail_unless (may_push (&queue));
  histo_queue_end_direct (&queue, GST_FLOW_EOS, 0);
  fail_unless (!may_push (&queue), "downstream wants no more");

  gst_mini_object_unref (event.object);
  close_queue (&queue, pad);
}

GST_END_TEST;

/* Before the source pad is started, nothing is let in: no task would pass it on, and the sender of a
 * query would wait for ever. */
GST_START_TEST (test_refuses_before_start)
{
  GstPad *pad = gst_pad_new ("src", GST_PAD_SRC);
  HistoItem event = { NULL, };
  HistoQueue queue = { 0, };

  histo_queue_init (&queue, pad, sleep_briefly, NULL);
  event.object = GST_MINI_OBJECT_CAST (gst_event_new_gap (0, 1));
  fail_unless_equals_int (histo_queue_push (&queue, &event),
      GST_FLOW_FLUSHING);
  fail_unless_equals_int (histo_queue_enter (&queue, 1,
          histo_queue_get_generation (&queue)), GST_FLOW_FLUSHING);
  fail_unless_equals_int (histo_queue_get_level (&queue), 0);
  fail_unless (histo_queue_remove (&queue) == NULL);
  gst_mini_object_unref (event.object);
  histo_queue_clear (&queue);
  gst_object_unref (pad);
}

GST_END_TEST;

/* Upstream's thread has waited for what came before. If the flow has stopped meanwhile, or if
 * downstream wants no more, upstream's thread must not push its buffer. */
GST_START_TEST (test_no_push_after_wait)
{
  static const GstFlowReturn flows[] = { GST_FLOW_EOS, GST_FLOW_NOT_LINKED,
    GST_FLOW_ERROR
  };

  for (guint i = 0; i < G_N_ELEMENTS (flows); i++) {
    GstPad *pad = gst_pad_new ("src", GST_PAD_SRC);
    HistoQueue queue = { 0, };
    guint generation;

    open_queue (&queue, pad);
    generation = histo_queue_get_generation (&queue);
    fail_unless (!histo_queue_wait_until_idle (&queue, generation),
        "downstream has taken no buffer yet");
    push_quickly (&queue, 1);
    fail_unless (histo_queue_wait_until_idle (&queue, generation));
    fail_unless (!histo_queue_wait_until_idle (&queue, generation - 1),
        "the buffer is from before a flush");
    histo_queue_end_direct (&queue, flows[i], 0);
    fail_unless (!histo_queue_wait_until_idle (&queue, generation), "%s",
        gst_flow_get_name (flows[i]));

    close_queue (&queue, pad);
  }
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
  tcase_add_test (tcase, test_refuses_before_start);
  tcase_add_test (tcase, test_relink_before_pause);
  tcase_add_test (tcase, test_fail_after_flush);
  tcase_add_test (tcase, test_upstream_does_not_overtake);
  tcase_add_test (tcase, test_no_push_after_wait);
  return suite;
}

GST_CHECK_MAIN (queue);
