/* The element passes buffers on unchanged: bytes, times, flags, metas and memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"

#include <math.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

/* ---- Buffers are unchanged ------------------------------------------------------------------ */

/* A frame of random pixels with values in all fields that a buffer has, and two metas. */
static GstBuffer *
make_odd_buffer (GRand * random)
{
  GstBuffer *buffer = test_frame_new (1);
  guint8 data[GRAY_SIZE];
  GstCaps *caps = gst_caps_new_empty_simple ("timestamp/x-test");

  test_fill_random (random, data, sizeof data);
  gst_buffer_fill (buffer, 0, data, sizeof data);
  GST_BUFFER_PTS (buffer) = 123456789;
  GST_BUFFER_DTS (buffer) = 123456;
  GST_BUFFER_DURATION (buffer) = 77;
  GST_BUFFER_OFFSET (buffer) = 5;
  GST_BUFFER_OFFSET_END (buffer) = 6;
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT
      | GST_BUFFER_FLAG_MARKER | GST_BUFFER_FLAG_DROPPABLE
      | GST_BUFFER_FLAG_DELTA_UNIT | GST_VIDEO_BUFFER_FLAG_TFF);
  gst_buffer_add_reference_timestamp_meta (buffer, caps, 42, 43);
  gst_buffer_add_video_region_of_interest_meta (buffer, "face", 1, 2, 3, 4);
  gst_caps_unref (caps);
  return buffer;
}

static void
check_odd_buffer (GstBuffer * out, GstBuffer * in)
{
  GstVideoRegionOfInterestMeta *region =
      gst_buffer_get_video_region_of_interest_meta (out);
  GstReferenceTimestampMeta *time =
      gst_buffer_get_reference_timestamp_meta (out, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (in, &map, GST_MAP_READ));
  fail_unless_equals_int (gst_buffer_get_size (out), map.size);
  fail_unless (gst_buffer_memcmp (out, 0, map.data, map.size) == 0);
  gst_buffer_unmap (in, &map);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 123456789);
  fail_unless_equals_uint64 (GST_BUFFER_DTS (out), 123456);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), 77);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (out), 5);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (out), 6);
  fail_unless_equals_int (GST_BUFFER_FLAGS (out) & ~GST_BUFFER_FLAG_TAG_MEMORY,
      GST_BUFFER_FLAGS (in) & ~GST_BUFFER_FLAG_TAG_MEMORY);
  fail_unless (time != NULL && time->timestamp == 42 && time->duration == 43);
  fail_unless (region != NULL && region->x == 1 && region->h == 4);
}

/* The bytes, times, offsets, flags and metas that entered leave the element. */
TEST (test_transparent)
{
  GRand *random = test_random ();
  GstHarness *harness = test_gray_harness_new (NULL);
  GstBuffer *in = make_odd_buffer (random), *copy, *out;

  copy = gst_buffer_copy_deep (in);
  out = gst_harness_push_and_pull (harness, in);
  check_odd_buffer (out, copy);
  fail_unless (test_has_result (out) && !test_has_result (copy));
  gst_buffer_unref (copy);
  gst_buffer_unref (out);
  test_harness_free (harness);
  g_rand_free (random);
}

/* If somebody else holds the buffer, the result goes on a copy that shares the memory. The original
 * gets no meta. */
TEST (test_shared_buffer)
{
  GRand *random = test_random ();
  GstHarness *harness = test_gray_harness_new (NULL);
  GstBuffer *in = make_odd_buffer (random), *out;

  out = gst_harness_push_and_pull (harness, gst_buffer_ref (in));
  fail_unless (out != in);
  fail_unless (gst_buffer_peek_memory (out, 0) == gst_buffer_peek_memory (in,
          0));
  fail_unless (test_has_result (out));
  fail_unless (!test_has_result (in));
  check_odd_buffer (out, in);
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  test_harness_free (harness);
  g_rand_free (random);
}

/* If nobody else holds the buffer, it is not copied. */
TEST (test_writable_buffer)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstBuffer *in = test_frame_new (7), *out;

  out = gst_harness_push_and_pull (harness, in);
  fail_unless (out == in);
  fail_unless (gst_buffer_is_writable (out));
  test_check_frame (out, 7);
  gst_buffer_unref (out);
  test_harness_free (harness);
}

/* If two elements follow each other, the buffer carries only the result of the second one. */
TEST (test_two_in_a_row)
{
  gchar *launch = g_strdup_printf ("cudahisto backend=%s bins=3 ! "
      "cudahisto backend=%s bins=5", test_backend (), test_backend ());
  GstHarness *harness = gst_harness_new_parse (launch);
  GstMeta *meta;
  gpointer state = NULL;
  guint n_metas = 0, bins = 0;
  GstBuffer *buffer;

  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  buffer = gst_harness_push_and_pull (harness, test_frame_new (1));
  while ((meta = gst_buffer_iterate_meta (buffer, &state)) != NULL)
    n_metas += gst_meta_info_is_custom (meta->info);
  fail_unless_equals_int (n_metas, 1);
  gst_structure_get_uint (test_component (test_result (buffer), "Y"), "bins",
      &bins);
  fail_unless_equals_int (bins, 5);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
  test_check_no_buffer_left ();
  g_free (launch);
}

/* ---- Gaps and empty buffers ----------------------------------------------------------------- */

/* A gap with pixels is measured. A gap without memory passes and has no result. */
TEST (test_video_gap)
{
  GstHarness *harness = test_gray_harness_new ("post-messages=true");
  GstBuffer *buffer = test_frame_new (16), *empty = gst_buffer_new ();

  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
  buffer = gst_harness_push_and_pull (harness, buffer);
  fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP));
  test_check_frame (buffer, 16);
  gst_buffer_unref (buffer);
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_ELEMENT),
      1);

  GST_BUFFER_FLAG_SET (empty, GST_BUFFER_FLAG_GAP);
  buffer = gst_harness_push_and_pull (harness, empty);
  fail_unless (buffer == empty);
  fail_unless (!test_has_result (buffer));
  gst_buffer_unref (buffer);
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_ELEMENT),
      0);

  test_push_frame (harness, 3);
  test_pull_frame (harness, 3);
  test_harness_free (harness);
}

#define AUDIO_CAPS "audio/x-raw, format=F32LE, rate=8000, channels=2, " \
    "layout=interleaved"

/* The result of a buffer without samples has no minimum and no other value that needs a sample. The
 * silence of a gap is measured. */
TEST (test_audio_gap)
{
  static const gchar *const undefined[] = { "min", "max", "mean", "variance",
    "std-dev", "p1", "p50", "p99", "mode"
  };
  GstHarness *harness = test_harness_new (NULL);
  GstBuffer *buffer;

  gst_harness_set_src_caps_str (harness, AUDIO_CAPS);
  for (guint round = 0; round < 2; round++) {
    const GstStructure *channel;

    buffer = gst_harness_push_and_pull (harness, gst_buffer_new ());
    fail_unless_equals_uint64 (test_get_uint64 (test_result (buffer),
            "samples"), 0);
    channel = test_component (test_result (buffer), "ch1");
    fail_unless_equals_uint64 (test_get_uint64 (channel, "count"), 0);
    for (guint i = 0; i < G_N_ELEMENTS (undefined); i++)
      fail_unless (isnan (test_get_double (channel, undefined[i])), "%s",
          undefined[i]);
    fail_unless_equals_float (test_get_double (channel, "sum"), 0);
    fail_unless_equals_float (test_get_double (channel, "entropy"), 0);
    gst_buffer_unref (buffer);

    buffer = test_buffer_new (80, 0, 0);
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_GAP);
    buffer = gst_harness_push_and_pull (harness, buffer);
    channel = test_component (test_result (buffer), "ch0");
    fail_unless_equals_uint64 (test_get_uint64 (channel, "count"), 10);
    fail_unless_equals_float (test_get_double (channel, "max"), 0);
    gst_buffer_unref (buffer);
  }
  test_harness_free (harness);
}

/* An element that shares a thread may have left flush-to-zero on, upstream and in each push to downstream: see
 * findings/orc-denormals.sh. Denormal samples are measured nevertheless, and upstream's mode stays. */
#ifdef __SSE__
#define FLUSH_TO_ZERO 0x8040

static GstPadProbeReturn
flush_to_zero (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  _mm_setcsr (_mm_getcsr () | FLUSH_TO_ZERO);
  return GST_PAD_PROBE_OK;
}

TEST (test_denormals)
{
  static const gchar *const settings[] = { "measures=basic+level",
    "measures=basic+level max-in-flight=1", "measures=basic+level meta=false post-messages=true"
  };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    GstHarness *harness = test_harness_new (settings[i]);
    GstPad *pad = gst_element_get_static_pad (harness->element, "src");

    gst_harness_set_src_caps_str (harness, AUDIO_CAPS);
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, flush_to_zero, NULL, NULL);
    for (guint n = 0; n < 3; n++) {
      GstBuffer *buffer = test_buffer_new (80, 0, n * GST_MSECOND);
      const GstStructure *result, *channel;
      GstMessage *message = NULL;

      for (guint sample = 0; sample < 20; sample++)
        gst_buffer_fill (buffer, sample * sizeof (gfloat), &(gfloat) { 0x1p-140f }, sizeof (gfloat));
      _mm_setcsr (_mm_getcsr () | FLUSH_TO_ZERO);
      buffer = gst_harness_push_and_pull (harness, buffer);
      fail_unless_equals_uint64 (_mm_getcsr () & FLUSH_TO_ZERO, FLUSH_TO_ZERO);
      _mm_setcsr (_mm_getcsr () & ~FLUSH_TO_ZERO);
      if (test_has_result (buffer)) {
        result = test_result (buffer);
      } else {
        message = test_wait_message (harness, GST_MESSAGE_ELEMENT);
        result = gst_message_get_structure (message);
      }
      channel = test_component (result, "ch1");
      fail_unless (test_get_double (channel, "sum") == 10 * 0x1p-140);
      fail_unless (test_get_double (channel, "min") == 0x1p-140);
      fail_unless_equals_uint64 (test_get_uint64 (channel, "denormals"), 10);
      gst_clear_message (&message);
      gst_buffer_unref (buffer);
    }
    gst_object_unref (pad);
    test_harness_free (harness);
  }
}
#else
TEST (test_denormals)
{
}
#endif

/* A stream without a framerate is measured, and a latency query is answered. */
TEST (test_no_framerate)
{
  GstHarness *harness = test_harness_new (NULL);
  GstQuery *query = gst_query_new_latency ();

  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY8, width=16, height=8, framerate=0/1");
  test_push_frame (harness, 5);
  test_pull_frame (harness, 5);
  fail_unless (gst_pad_peer_query (harness->sinkpad, query));
  gst_query_unref (query);
  test_harness_free (harness);
}

TEST_MAIN (5)
