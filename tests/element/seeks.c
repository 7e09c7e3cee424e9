/* Seeks and segment loops in pipelines, with and without flushes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pipeline.h"

#define VIDEO "video/x-raw, format=GRAY8, width=16, height=8, framerate=200/1"

/* ---- Every buffer that arrives has a result ------------------------------------------------- */

/* Flushing seeks, sent as fast as possible. */
TEST (test_results_after_seeks)
{
  GstElement *pipeline = test_pipeline_new ("videotestsrc ! "
      "video/x-raw, format=GRAY8, width=16, height=8 ! cudahisto backend=%s ! "
      "fakesink name=sink sync=false", test_backend ());
  ResultCounts counts;

  test_count_results (pipeline, &counts);
  test_set_state (pipeline, GST_STATE_PAUSED);
  for (guint i = 0; i < 20; i++) {
    gint n;

    if (i == 10)
      test_set_state (pipeline, GST_STATE_PLAYING);
    fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
            GST_SEEK_FLAG_FLUSH, i * GST_SECOND));
    fail_unless (gst_element_get_state (pipeline, NULL, NULL, -1)
        != GST_STATE_CHANGE_FAILURE);
    n = g_atomic_int_get (&counts.n_results);
    while (i >= 10 && g_atomic_int_get (&counts.n_results) == n)
      g_usleep (1000);
  }
  /* A streaming thread counts the result just after the buffer. */
  test_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (counts.n_buffers, counts.n_results);
  test_pipeline_free (pipeline);
}

static void
seek_segment (GstElement * pipeline, GstSeekFlags flags)
{
  fail_unless (gst_element_seek (pipeline, 1, GST_FORMAT_TIME,
          flags | GST_SEEK_FLAG_SEGMENT, GST_SEEK_TYPE_SET, 0,
          GST_SEEK_TYPE_SET, 200 * GST_MSECOND));
}

/* A segment that is played in a loop without flushes. */
TEST (test_results_in_segment_loop)
{
  GstElement *pipeline = test_pipeline_new ("videotestsrc ! "
      "video/x-raw, format=GRAY8, width=16, height=8, framerate=25/1 ! "
      "cudahisto backend=%s ! fakesink name=sink sync=false", test_backend ());
  ResultCounts counts;

  test_set_state (pipeline, GST_STATE_PAUSED);
  seek_segment (pipeline, GST_SEEK_FLAG_FLUSH);
  test_set_state (pipeline, GST_STATE_PAUSED);
  test_count_results (pipeline, &counts);
  test_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < 5; i++) {
    test_wait_for (pipeline, GST_MESSAGE_SEGMENT_DONE);
    seek_segment (pipeline, 0);
  }
  test_wait_for (pipeline, GST_MESSAGE_SEGMENT_DONE);
  /* The source posts the message while the last frames are still in the pipeline. */
  while (g_atomic_int_get (&counts.n_buffers) < 6 * 5 - 1)
    g_usleep (1000);
  test_pipeline_free (pipeline);
  fail_unless_equals_int (counts.n_buffers, counts.n_results);
}

/* ---- No buffer is lost, doubled or out of order --------------------------------------------- */

static void
seek (CheckedPipeline * checked, gdouble rate, GstSeekFlags flags,
    GstClockTime start, GstClockTime stop)
{
  fail_unless (gst_element_seek (checked->pipeline, rate, GST_FORMAT_TIME,
          flags, GST_SEEK_TYPE_SET, start, GST_SEEK_TYPE_SET, stop));
}

/* Flushing seeks in PAUSED and PLAYING, forwards and backwards. At the end the whole last segment
 * comes out. */
TEST (test_flushing_seeks)
{
  static const gdouble rates[] = { 1, 2, -1, 0.5, -3 };
  CheckedPipeline checked;

  checked_open (&checked, "videotestsrc pattern=snow ! " VIDEO
      " ! $ ! fakesink sync=false", "max-in-flight=8");
  checked_reach_state (&checked, GST_STATE_PAUSED);
  for (guint i = 0; i < 40; i++) {
    if (i % 10 == 5)
      checked_reach_state (&checked,
          i % 20 == 5 ? GST_STATE_PLAYING : GST_STATE_PAUSED);
    seek (&checked, rates[i % G_N_ELEMENTS (rates)], GST_SEEK_FLAG_FLUSH
        | (i % 2 ? GST_SEEK_FLAG_ACCURATE : GST_SEEK_FLAG_KEY_UNIT),
        i * GST_SECOND, (i + 1) * GST_SECOND);
    /* In PAUSED one frame leaves after each seek; wait for it sometimes. */
    if (i % 4 == 3)
      checked_wait_state (&checked);
  }
  checked_reach_state (&checked, GST_STATE_PAUSED);
  seek (&checked, 1, GST_SEEK_FLAG_FLUSH, 0, 100 * GST_MSECOND);
  /* Drops the messages about the ends of earlier segments. */
  gst_bus_set_flushing (checked.bus, TRUE);
  gst_bus_set_flushing (checked.bus, FALSE);
  checked_set_state (&checked, GST_STATE_PLAYING);
  test_wait_for (checked.pipeline, GST_MESSAGE_EOS);
  flow_check_drained (checked.flow);
  checked_close (&checked);
}

/* Segments in a loop, with and without a flush between them. */
TEST (test_segment_loops)
{
  for (guint flush = 0; flush < 2; flush++) {
    const GstSeekFlags flags = GST_SEEK_FLAG_SEGMENT
        | (flush ? GST_SEEK_FLAG_FLUSH : 0);
    CheckedPipeline checked;

    checked_open (&checked, "videotestsrc pattern=snow ! " VIDEO
        " ! $ ! fakesink sync=false", NULL);
    checked_reach_state (&checked, GST_STATE_PAUSED);
    seek (&checked, 1, GST_SEEK_FLAG_SEGMENT | GST_SEEK_FLAG_FLUSH, 0,
        100 * GST_MSECOND);
    checked_reach_state (&checked, GST_STATE_PLAYING);
    for (guint i = 0; i < 8; i++) {
      test_wait_for (checked.pipeline, GST_MESSAGE_SEGMENT_DONE);
      seek (&checked, 1, flags, i * GST_SECOND, i * GST_SECOND
          + 100 * GST_MSECOND);
    }
    test_wait_for (checked.pipeline, GST_MESSAGE_SEGMENT_DONE);
    /* The last one ends with EOS. */
    seek (&checked, 1, flags & ~GST_SEEK_FLAG_SEGMENT, 0, 50 * GST_MSECOND);
    test_wait_for (checked.pipeline, GST_MESSAGE_EOS);
    /* 20 frames in each 100 ms. Flushes may have dropped some. */
    if (flush)
      flow_check_drained (checked.flow);
    else
      fail_unless (flow_check_drained (checked.flow) >= 9 * 20 + 10);
    checked_close (&checked);
  }
}

TEST_MAIN (5)
