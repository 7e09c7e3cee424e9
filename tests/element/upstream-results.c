/* Buffers that come with the result of another cudahisto upstream. With meta=true a buffer leaves with
 * this element's result or with none; with meta=false the element leaves metas alone.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"

#define MARK "of-upstream"

static GstCustomMeta *
add_result (GstBuffer * buffer)
{
  GstCustomMeta *meta = gst_buffer_add_custom_meta (buffer, "cudahisto");

  gst_structure_set (gst_custom_meta_get_structure (meta), MARK,
      G_TYPE_BOOLEAN, TRUE, NULL);
  return meta;
}

static gboolean
has_mark (GstBuffer * buffer)
{
  return test_has_result (buffer)
      && gst_structure_has_field (test_result (buffer), MARK);
}

typedef enum
{
  KEPT, REPLACED, REMOVED
} Fate;

/* @buffer: (transfer full): pushed with a result of upstream, alone and while another one holds it.
 * The other holder's buffer keeps the result. */
static void
check_fate (GstHarness * harness, GstBuffer * buffer, Fate fate)
{
  GstBuffer *held = gst_buffer_copy (buffer), *left;
  const gsize size = gst_buffer_get_size (buffer);

  add_result (buffer);
  fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  left = gst_harness_pull (harness);
  fail_unless_equals_int (has_mark (left), fate == KEPT);
  fail_unless_equals_int (test_has_result (left), fate != REMOVED);
  fail_unless_equals_uint64 (gst_buffer_get_size (left), size);
  gst_buffer_unref (left);

  if (fate != REMOVED) {
    gst_buffer_unref (held);
    return;
  }
  add_result (held);
  fail_unless_equals_int (gst_harness_push (harness, gst_buffer_ref (held)),
      GST_FLOW_OK);
  left = gst_harness_pull (harness);
  fail_if (test_has_result (left));
  fail_unless (has_mark (held));
  fail_unless_equals_uint64 (GST_BUFFER_PTS (left), GST_BUFFER_PTS (held));
  gst_buffer_unref (left);
  gst_buffer_unref (held);
}

/* Every buffer that is not measured loses the result. */
TEST (test_not_measured)
{
  GstHarness *harness = test_gray_harness_new ("every=3");
  GstBuffer *gap = gst_buffer_new ();
  GstSegment segment;

  check_fate (harness, test_frame_new (0), REPLACED);
  check_fate (harness, test_frame_new (1), REMOVED);
  test_harness_free (harness);

  harness = test_gray_harness_new (NULL);
  GST_BUFFER_PTS (gap) = 0;
  GST_BUFFER_FLAG_SET (gap, GST_BUFFER_FLAG_GAP);
  check_fate (harness, gap, REMOVED);
  check_fate (harness, test_frame_new (1), REPLACED);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 10 * GRAY_DURATION;
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  check_fate (harness, test_frame_new (2), REMOVED);
  check_fate (harness, test_frame_new (12), REPLACED);
  test_harness_free (harness);

  harness = test_gray_harness_new ("qos=true");
  check_fate (harness, test_frame_new (0), REPLACED);
  fail_unless (gst_harness_push_upstream_event (harness,
          gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5, 10 * GRAY_DURATION,
              0)));
  check_fate (harness, test_frame_new (1), REMOVED);
  test_harness_free (harness);
}

/* The element attaches nothing: the result still is that of the element that attached it. */
TEST (test_without_meta)
{
  static const gchar *const settings[] = {
    "meta=false", "meta=false post-messages=true",
    "meta=false post-messages=true every=2"
  };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    GstHarness *harness = test_gray_harness_new (settings[i]);

    for (guint n = 0; n < 4; n++)
      check_fate (harness, test_frame_new (n), KEPT);
    test_harness_free (harness);
  }
}

/* The element with the other name leaves this element's result alone, and a message says whose it is. */
TEST (test_names)
{
  GstHarness *harness = test_gray_harness_new ("result-name=first-2 "
      "post-messages=true window=1 rules=\"low: Y.mean > 1000\"");
  GstBuffer *buffer = test_frame_new (0);
  const gchar *const kinds[] = { "cudahisto", "cudahisto-window", "cudahisto-alert" };
  guint n_kinds[G_N_ELEMENTS (kinds)] = { 0, };
  GstCustomMeta *meta;

  add_result (buffer);
  fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  buffer = gst_harness_pull (harness);
  fail_unless (has_mark (buffer));
  meta = gst_buffer_get_custom_meta (buffer, "cudahisto-first-2");
  fail_unless (meta != NULL);
  fail_unless (gst_structure_has_field (gst_custom_meta_get_structure (meta),
          "schema"));
  gst_buffer_unref (buffer);
  gst_harness_push_event (harness, gst_event_new_eos ());
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    GstMessage *message = test_wait_message (harness, GST_MESSAGE_ELEMENT);

    for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
      n_kinds[k] += gst_message_has_name (message, kinds[k]);
    fail_unless_equals_string (gst_structure_get_string
        (gst_message_get_structure (message), "result-name"), "first-2");
    gst_message_unref (message);
  }
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    fail_unless (n_kinds[k] > 0, "%s", kinds[k]);
  test_harness_free (harness);
}

/* What is no name is refused, and the name stays. So does it while the element is in use. */
TEST (test_refused_names)
{
  static const gchar *const refused[] = { "", "A", "a b", "a_b", "\303\244",
    "window", "alert", "compare", "compare-window", "stats",
    "123456789-123456789-123456789-123"
  };
  GstElement *element = gst_element_factory_make ("cudahisto", NULL);
  gchar *name;

  g_object_set (element, "result-name", "123456789-123456789-123456789-12",
      NULL);
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
    g_object_set (element, "result-name", refused[i], NULL);
    g_object_get (element, "result-name", &name, NULL);
    fail_unless_equals_string (name, "123456789-123456789-123456789-12");
    g_free (name);
  }
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  g_object_set (element, "result-name", "other", NULL);
  g_object_get (element, "result-name", &name, NULL);
  fail_unless_equals_string (name, "123456789-123456789-123456789-12");
  g_free (name);
  gst_element_set_state (element, GST_STATE_NULL);
  g_object_set (element, "result-name", NULL, NULL);
  g_object_get (element, "result-name", &name, NULL);
  fail_unless (name == NULL);
  gst_object_unref (element);
}

/* A locked meta cannot be removed. It becomes empty, which is no result. */
TEST (test_locked)
{
  GstHarness *harness = test_gray_harness_new ("every=3");
  GstBuffer *buffer, *left;

  for (guint n = 0; n < 2; n++) {
    buffer = test_frame_new (n);
    GST_META_FLAG_SET (&add_result (buffer)->meta, GST_META_FLAG_LOCKED);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
    left = gst_harness_pull (harness);
    fail_if (has_mark (left));
    fail_unless_equals_int (gst_structure_n_fields (test_result (left)) > 0,
        n == 0);
    gst_buffer_unref (left);
  }
  test_harness_free (harness);
}

TEST_MAIN (20)
