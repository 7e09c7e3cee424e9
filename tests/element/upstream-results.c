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
