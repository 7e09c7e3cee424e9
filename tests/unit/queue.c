/* The queue of the element by itself: orders of its steps that threads take rarely.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "harness.h"

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
  fail_unless (histo_queue_resume (queue));
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
TEST (test_relink_before_pause)
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
TEST (test_upstream_does_not_overtake)
{
  GstPad *pad = gst_pad_new ("src", GST_PAD_SRC);
  HistoItem event = { 0, }, *item;
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

/* Before the source pad is started, nothing is let in: no task would pass it on, and the sender of a
 * query would wait for ever. */
TEST (test_refuses_before_start)
{
  GstPad *pad = gst_pad_new ("src", GST_PAD_SRC);
  HistoItem event = { 0, };
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

/* Upstream's thread has waited for what came before. If the flow has stopped meanwhile, or if
 * downstream wants no more, upstream's thread must not push its buffer. */
TEST (test_no_push_after_wait)
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

/* An error of a buffer from before a flush does not stop the flow after it. */
TEST (test_fail_after_flush)
{
  GstPad *pad = gst_pad_new ("src", GST_PAD_SRC);
  HistoQueue queue = { 0, };
  guint generation;

  open_queue (&queue, pad);
  generation = histo_queue_get_generation (&queue);
  histo_queue_flush (&queue);
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

/* An item of a kind: S: stream-start, C: caps, G: segment, T: tags of the stream, t: global tags,
 * E: end of stream, B: buffer. @number: says which one it is */
static HistoItem *
new_item (gchar kind, guint number)
{
  HistoItem *item = g_new0 (HistoItem, 1);
  GstSegment segment;
  GstTagList *tags;
  GstEvent *event;
  GstCaps *caps;

  if (kind == 'B') {
    GstBuffer *buffer = gst_buffer_new ();

    GST_BUFFER_OFFSET (buffer) = number;
    item->object = GST_MINI_OBJECT_CAST (buffer);
    return item;
  }
  switch (kind) {
    case 'S':
      event = gst_event_new_stream_start ("stream");
      break;
    case 'C':
      caps = gst_caps_new_empty_simple ("video/x-raw");
      event = gst_event_new_caps (caps);
      gst_caps_unref (caps);
      break;
    case 'G':
      gst_segment_init (&segment, GST_FORMAT_TIME);
      event = gst_event_new_segment (&segment);
      break;
    case 'E':
      event = gst_event_new_eos ();
      break;
    default:
      tags = gst_tag_list_new_empty ();
      gst_tag_list_set_scope (tags,
          kind == 't' ? GST_TAG_SCOPE_GLOBAL : GST_TAG_SCOPE_STREAM);
      event = gst_event_new_tag (tags);
      break;
  }
  gst_event_set_seqnum (event, number);
  item->object = GST_MINI_OBJECT_CAST (event);
  return item;
}

/* Appends the item as new_item() gets it. */
static void
describe (const HistoItem * item, GString * text)
{
  GstTagList *tags;
  GstEvent *event;
  gchar kind;

  if (GST_IS_BUFFER (item->object)) {
    g_string_append_printf (text, "B%u",
        (guint) GST_BUFFER_OFFSET (item->object));
    return;
  }
  event = GST_EVENT_CAST (item->object);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      kind = 'S';
      break;
    case GST_EVENT_CAPS:
      kind = 'C';
      break;
    case GST_EVENT_SEGMENT:
      kind = 'G';
      break;
    case GST_EVENT_EOS:
      kind = 'E';
      break;
    default:
      gst_event_parse_tag (event, &tags);
      kind = gst_tag_list_get_scope (tags) == GST_TAG_SCOPE_GLOBAL ? 't' : 'T';
      break;
  }
  g_string_append_printf (text, "%c%u", kind, gst_event_get_seqnum (event));
}

/* Queues the items. At "!" the source pad is found not to be linked. Then the queue must have the
 * items of @expected. */
static void
check_queued (const gchar * items, const gchar * expected)
{
  GstPad *pad = gst_pad_new ("src", GST_PAD_SRC);
  GString *text = g_string_new (NULL);
  HistoQueue queue = { 0, };
  HistoItem *item;

  open_queue (&queue, pad);
  for (const gchar * c = items; *c != '\0'; c++) {
    if (*c == '!') {
      histo_queue_fail (&queue, histo_queue_get_generation (&queue),
          GST_FLOW_NOT_LINKED);
      continue;
    }
    item = new_item (c[0], c[1] - '0');
    item->generation = histo_queue_get_generation (&queue);
    fail_unless_equals_int (histo_queue_push (&queue, item), GST_FLOW_OK);
    c++;
  }
  while ((item = histo_queue_remove (&queue)) != NULL) {
    describe (item, text);
    gst_mini_object_unref (item->object);
    g_free (item);
  }
  fail_unless_equals_string (text->str, expected);

  g_string_free (text, TRUE);
  close_queue (&queue, pad);
}

/* While nothing is passed on, a sticky event takes the place of the queued one of its kind. It
 * overtakes no buffer, no end of a stream, and no event that must come before it. */
TEST (test_outdated_events)
{
  check_queued ("S1C2G3T4G5T6", "S1C2G3T4G5T6");
  check_queued ("S1C2G3B4!T5T6T7", "S1C2G3B4T7");
  check_queued ("!S1C2G3T4S5C6G7T8", "S1C2G3T4S5C6G7T8");
  check_queued ("!T1t2T3t4T5", "T5t4");
  check_queued ("C1B2!C3C4", "C1B2C4");
  check_queued ("G1E2!G3G4", "G1E2G4");
  check_queued ("G1!S2C3G4G5T6C7S8", "G1S2C7G5T6S8");
  check_queued ("G1T2!G3", "G3T2");
}

TEST_MAIN (60)
