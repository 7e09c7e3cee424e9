/* No thread can be made for the source pad's task.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "probes.h"

/* ---- A pool of threads that has none ---------------------------------------------------------- */

typedef GstTaskPool EmptyPool;
typedef GstTaskPoolClass EmptyPoolClass;

GType empty_pool_get_type (void);
G_DEFINE_TYPE (EmptyPool, empty_pool, GST_TYPE_TASK_POOL);

static gpointer
fail_to_push (GstTaskPool * pool, GstTaskPoolFunction function, gpointer data,
    GError ** error)
{
  g_set_error (error, G_THREAD_ERROR, G_THREAD_ERROR_AGAIN, "no thread");
  return NULL;
}

static void
empty_pool_class_init (EmptyPoolClass * klass)
{
  klass->push = fail_to_push;
}

static void
empty_pool_init (EmptyPool * pool)
{
}

/* Gives each new task the pool. */
static GstBusSyncReply
give_empty_pool (GstBus * bus, GstMessage * message, gpointer user_data)
{
  const GValue *object;
  GstStreamStatusType type;
  GstTaskPool *pool;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_STREAM_STATUS)
    return GST_BUS_PASS;
  gst_message_parse_stream_status (message, &type, NULL);
  object = gst_message_get_stream_status_object (message);
  if (type != GST_STREAM_STATUS_TYPE_CREATE || object == NULL)
    return GST_BUS_PASS;
  pool = g_object_new (empty_pool_get_type (), NULL);
  gst_task_set_pool (GST_TASK (g_value_get_object (object)), pool);
  gst_object_unref (pool);
  return GST_BUS_PASS;
}

/* GStreamer warns of the thread that it cannot make. */
static void
expect_warning (gboolean expect)
{
  _gst_check_expecting_log = expect;
}

static void
check_error (GstBus * bus)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error = NULL;

  fail_unless (message != NULL, "no error was posted");
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_FAILED), "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_if (gst_bus_have_pending (bus)
      && gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) != NULL);
}

/* ---- Tests ------------------------------------------------------------------------------------ */

/* The change to PAUSED fails with an error message. The element can be stopped, and started later
 * when there are threads. */
TEST (test_start)
{
  GstElement *element = gst_element_factory_make ("cudahisto", NULL);
  GstBus *bus = gst_bus_new ();

  gst_util_set_object_arg (G_OBJECT (element), "backend", test_backend ());
  gst_element_set_bus (element, bus);
  for (guint round = 0; round < 3; round++) {
    gst_bus_set_sync_handler (bus, give_empty_pool, NULL, NULL);
    expect_warning (TRUE);
    fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
        GST_STATE_CHANGE_FAILURE);
    expect_warning (FALSE);
    check_error (bus);
    if (round > 0)
      test_set_state (element, GST_STATE_NULL);
    gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
    if (round > 1)
      test_set_state (element, GST_STATE_PLAYING);
  }
  test_set_state (element, GST_STATE_NULL);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}

/* A flush that finds the task gone and cannot start another: the flush-stop and all buffers after
 * it are refused, and an error is posted. The element can be stopped. */
TEST (test_after_flush)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstBus *bus = gst_element_get_bus (harness->element);
  GstPad *pad = test_source_pad (harness);

  test_push_frame (harness, 0);
  test_pull_frame (harness, 0);
  fail_unless (gst_harness_push_event (harness, gst_event_new_flush_start ()));
  fail_unless (gst_pad_stop_task (pad));
  gst_bus_set_sync_handler (bus, give_empty_pool, NULL, NULL);
  expect_warning (TRUE);
  fail_if (gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE)));
  expect_warning (FALSE);
  check_error (bus);
  test_push_segment (harness);
  for (guint n = 1; n < 10; n++)
    fail_unless_equals_int (gst_harness_push (harness, test_frame_new (n)),
        GST_FLOW_ERROR);

  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_object_unref (bus);
  gst_object_unref (pad);
  test_set_state (harness->element, GST_STATE_NULL);
  test_harness_free (harness);
}

/* The same after the source pad is linked again. */
TEST (test_after_relink)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstBus *bus = gst_element_get_bus (harness->element);
  GstPad *pad = test_source_pad (harness);

  gst_pad_unlink (pad, harness->sinkpad);
  fail_unless_equals_int (test_push_until_refused (harness),
      GST_FLOW_NOT_LINKED);
  fail_unless (gst_pad_stop_task (pad));
  gst_bus_set_sync_handler (bus, give_empty_pool, NULL, NULL);
  expect_warning (TRUE);
  fail_unless_equals_int (gst_pad_link (pad, harness->sinkpad),
      GST_PAD_LINK_OK);
  expect_warning (FALSE);
  check_error (bus);
  for (guint n = 1; n < 10; n++)
    fail_unless_equals_int (gst_harness_push (harness, test_frame_new (n)),
        GST_FLOW_ERROR);

  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_object_unref (bus);
  gst_object_unref (pad);
  test_set_state (harness->element, GST_STATE_NULL);
  test_harness_free (harness);
}

TEST_MAIN (5)
