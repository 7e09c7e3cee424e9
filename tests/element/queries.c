/* Queries: ALLOCATION, LATENCY, context, scheduling, and the order of serialized queries.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"
#include "probes.h"

#include <string.h>

/* ---- ALLOCATION ----------------------------------------------------------------------------- */

static GstQuery *
allocation_query (void)
{
  GstCaps *caps = gst_caps_from_string (GRAY_CAPS);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);

  gst_caps_unref (caps);
  return query;
}

static GstPadProbeReturn
answer_with_pools (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstBufferPool *pool;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  pool = gst_buffer_pool_new ();
  gst_query_add_allocation_pool (query, pool, 128, 2, 0);
  gst_query_add_allocation_pool (query, NULL, 256, 3, 8);
  gst_query_add_allocation_pool (query, pool, 512, 4, 6);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  gst_query_add_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE, NULL);
  gst_object_unref (pool);
  return GST_PAD_PROBE_HANDLED;
}

static void
check_pool (GstQuery * query, guint index, gboolean has_pool, guint size,
    guint min, guint max)
{
  GstBufferPool *pool = NULL;
  guint its_size, its_min, its_max;

  gst_query_parse_nth_allocation_pool (query, index, &pool, &its_size,
      &its_min, &its_max);
  fail_unless_equals_int (pool != NULL, has_pool);
  fail_unless_equals_int (its_size, size);
  fail_unless_equals_int (its_min, min);
  fail_unless_equals_int (its_max, max);
  gst_clear_object (&pool);
}

/* The element adds the number of buffers that it holds to the minimum of each pool of downstream. A
 * pool whose maximum is too small is replaced by no pool. The element does not offer crop metas,
 * because it measures the whole frame. */
TEST (test_allocation)
{
  GstHarness *harness = test_gray_harness_new ("max-in-flight=5");
  GstQuery *query = allocation_query ();
  gulong probe = gst_pad_add_probe (harness->sinkpad,
      GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer_with_pools, NULL, NULL);

  fail_unless (gst_pad_peer_query (harness->srcpad, query));
  fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 3);
  check_pool (query, 0, TRUE, 128, 7, 0);
  check_pool (query, 1, FALSE, 256, 8, 8);
  check_pool (query, 2, FALSE, 512, 9, 0);
  fail_if (gst_query_find_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE,
          NULL));
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE,
          NULL));
  gst_query_unref (query);
  gst_pad_remove_probe (harness->sinkpad, probe);
  test_harness_free (harness);
}

/* If downstream offers no pool, upstream is told how many buffers the element holds. The CUDA
 * engine offers a pool of its own. */
TEST (test_allocation_without_pool)
{
  GstHarness *harness = test_gray_harness_new ("max-in-flight=5");
  GstQuery *query = allocation_query ();

  fail_unless (gst_pad_peer_query (harness->srcpad, query));
  fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 1);
  check_pool (query, 0, g_str_equal (test_backend (), "cuda"), GRAY_SIZE, 5,
      0);
  gst_query_unref (query);
  test_harness_free (harness);
}

static GstPadProbeReturn
answer_with_sound_pools (GstPad * pad, GstPadProbeInfo * info,
    gpointer user_data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_pool (query, NULL, 65536, 2, 0);
  gst_query_add_allocation_pool (query, NULL, 65538, 2, 0);
  gst_query_add_allocation_pool (query, NULL, 0, 2, 0);
  return GST_PAD_PROBE_HANDLED;
}

/* On the CPU, upstream's thread measures sound of at most 32768 samples and pushes it: the element holds none of these
 * buffers. It may hold buffers of unknown size. */
TEST (test_allocation_of_sound)
{
  GstHarness *harness = test_harness_new ("backend=cpu max-in-flight=5");
  GstCaps *caps = gst_caps_from_string ("audio/x-raw, format=S16LE, "
      "rate=48000, channels=2, layout=interleaved");
  GstQuery *query = gst_query_new_allocation (caps, FALSE);

  gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      answer_with_sound_pools, NULL, NULL);
  gst_harness_set_src_caps (harness, caps);
  fail_unless (gst_pad_peer_query (harness->srcpad, query));
  fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 3);
  check_pool (query, 0, FALSE, 65536, 2, 0);
  check_pool (query, 1, FALSE, 65538, 7, 0);
  check_pool (query, 2, FALSE, 0, 7, 0);
  gst_query_unref (query);
  test_harness_free (harness);
}

/* ---- Order ---------------------------------------------------------------------------------- */

/* A type of query that only this test knows, and that is serialized. */
#define QUERY_TEST \
    GST_QUERY_MAKE_TYPE (777, GST_QUERY_TYPE_DOWNSTREAM \
        | GST_QUERY_TYPE_SERIALIZED)

static GstQuery *
query_of_type (GstQueryType type)
{
  if (type == GST_QUERY_ALLOCATION)
    return allocation_query ();
  return gst_query_new_custom (type, gst_structure_new_empty ("question"));
}

static GstPadProbeReturn
answer_test_query (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != QUERY_TEST)
    return GST_PAD_PROBE_OK;
  gst_structure_set (gst_query_writable_structure (query), "answer",
      G_TYPE_INT, 42, NULL);
  return GST_PAD_PROBE_HANDLED;
}

/* A serialized query overtakes no frame, and no frame overtakes it. */
TEST (test_serialized_queries)
{
  const GstQueryType types[] = { GST_QUERY_ALLOCATION, GST_QUERY_DRAIN,
    QUERY_TEST
  };
  GstHarness *harness = test_gray_harness_new ("max-in-flight=8");
  PadLog in, out;
  gulong probe;

  test_push_frame (harness, 0);
  test_pull_frame (harness, 0);
  pad_log_open (&in, harness->srcpad);
  pad_log_open (&out, harness->sinkpad);
  probe = gst_pad_add_probe (harness->sinkpad,
      GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer_test_query, NULL, NULL);
  for (guint n = 0; n < 30; n++) {
    const GstQueryType type = types[n % 3];
    GstQuery *query = query_of_type (type);
    gint answer = 0;

    test_push_frame (harness, n);
    if (n % 4 == 0) {
      fail_unless (gst_pad_peer_query (harness->srcpad, query));
      fail_unless_equals_int (gst_harness_buffers_in_queue (harness), n + 1);
      fail_unless_equals_int (gst_structure_get_int (gst_query_get_structure
              (query), "answer", &answer), type == QUERY_TEST);
    }
    gst_query_unref (query);
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  pad_log_wait (&out, "eos");
  fail_unless (strstr (out.text->str, "query-") != NULL);
  gst_pad_remove_probe (harness->sinkpad, probe);
  fail_unless_equals_string (out.text->str, in.text->str);
  pad_log_close (&in);
  pad_log_close (&out);
  test_harness_free (harness);
}

/* A query that downstream does not answer is not answered. */
TEST (test_unknown_query)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstQuery *query = gst_query_new_custom (GST_QUERY_CUSTOM,
      gst_structure_new_empty ("x"));

  fail_if (gst_pad_peer_query (harness->srcpad, query));
  fail_if (gst_pad_peer_query (harness->sinkpad, query));
  gst_query_unref (query);
  test_harness_free (harness);
}

typedef struct
{
  GstHarness *harness;
  gint has_begun;
} Asker;

static gpointer
ask (gpointer user_data)
{
  Asker *asker = user_data;
  GstQuery *query = allocation_query ();
  gboolean answer;

  g_atomic_int_set (&asker->has_begun, TRUE);
  answer = gst_pad_peer_query (asker->harness->srcpad, query);
  gst_query_unref (query);
  return GINT_TO_POINTER (answer);
}

/* A flush ends the wait for an answer. While the element is flushing, the query is not answered. */
TEST (test_query_and_flush)
{
  GstHarness *harness = test_gray_harness_new (NULL);

  for (guint round = 0; round < 10; round++) {
    Asker asker = { harness, FALSE };
    gint n_blocked = 0;
    gulong probe = test_block_buffers (harness, &n_blocked);
    GstQuery *query = allocation_query ();
    GThread *thread;

    test_push_frame (harness, 0);
    test_wait_until_set (&n_blocked);
    thread = g_thread_new ("asker", ask, &asker);
    test_wait_until_set (&asker.has_begun);
    g_usleep (round * 1000);
    gst_harness_push_event (harness, gst_event_new_flush_start ());
    fail_unless (g_thread_join (thread) == NULL);
    fail_if (gst_pad_peer_query (harness->srcpad, query));
    gst_query_unref (query);
    test_unblock_buffers (harness, probe);
    gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
    query = allocation_query ();
    fail_unless (gst_pad_peer_query (harness->srcpad, query));
    gst_query_unref (query);
    test_check_flow_after_flush (harness, 3);
  }
  test_harness_free (harness);
}

/* The element's own depth is of no use without downstream. */
TEST (test_allocation_not_linked)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstPad *pad = test_source_pad (harness);

  for (guint linked = 0; linked <= 1; linked++) {
    GstQuery *query = allocation_query ();

    if (!linked)
      gst_pad_unlink (pad, harness->sinkpad);
    else
      gst_pad_link (pad, harness->sinkpad);
    fail_unless_equals_int (gst_pad_peer_query (harness->srcpad, query),
        linked);
    gst_query_unref (query);
  }
  gst_object_unref (pad);
  test_harness_free (harness);
}

/* Nobody should ask with ANY or EMPTY, and an answer with a critical would end the program. */
TEST (test_accept_caps)
{
  GstElement *element =
      gst_object_ref_sink (gst_element_factory_make ("cudahisto", NULL));
  static const struct
  {
    const gchar *caps;
    gboolean is_accepted;
  } answers[] = {
    {GRAY_CAPS, TRUE},
    {"video/x-raw, format=no-such-format, width=8, height=8", FALSE},
    {"video/mpeg", FALSE},
    {"audio/x-raw, format=S16LE, rate=8000, channels=2, layout=interleaved",
        TRUE},
    {"audio/x-raw, format=no-such-format, rate=8000, channels=2, "
        "layout=interleaved", FALSE},
    {"audio/x-raw, format=S16LE, rate=8000, layout=no-such-layout", FALSE},
  };
  static const gchar *const questions[] = { "ANY", "EMPTY" };
  static const gchar *const names[] = { "sink", "src" };

  for (guint p = 0; p < G_N_ELEMENTS (names); p++) {
    GstPad *pad = gst_element_get_static_pad (element, names[p]);

    for (guint i = 0; i < G_N_ELEMENTS (answers); i++) {
      GstCaps *caps = gst_caps_from_string (answers[i].caps);

      fail_unless (gst_pad_query_accept_caps (pad, caps)
          == answers[i].is_accepted, "%s", answers[i].caps);
      gst_caps_unref (caps);
    }
    for (guint i = 0; i < G_N_ELEMENTS (questions); i++) {
      GstCaps *fixed = gst_caps_from_string (GRAY_CAPS);
      GstCaps *caps = gst_caps_from_string (questions[i]);
      GstQuery *query = gst_query_new_accept_caps (fixed);

      /* GStreamer makes no such query itself. */
      gst_structure_set (gst_query_writable_structure (query), "caps",
          GST_TYPE_CAPS, caps, NULL);
      /* Whatever the answer is: there is no critical, which is fatal here. */
      gst_pad_query (pad, query);
      gst_query_unref (query);
      gst_caps_unref (caps);
      gst_caps_unref (fixed);
    }
    gst_object_unref (pad);
  }
  gst_object_unref (element);
}

/* ---- Latency, context, scheduling ----------------------------------------------------------- */

/* The latency is that of upstream: a frame leaves as soon as its result is ready. */
TEST (test_latency)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstClockTime min, max;
  gboolean is_live = FALSE;
  GstQuery *query;

  gst_harness_set_upstream_latency (harness, 10 * GST_MSECOND);
  query = gst_query_new_latency ();
  fail_unless (gst_pad_peer_query (harness->sinkpad, query));
  gst_query_parse_latency (query, &is_live, &min, &max);
  fail_unless (is_live);
  fail_unless_equals_uint64 (min, 10 * GST_MSECOND);
  fail_unless (max >= min);
  gst_query_unref (query);
  test_harness_free (harness);
}

static GstPadProbeReturn
answer_latency (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return GST_PAD_PROBE_OK;
  gst_query_set_latency (query, TRUE, 10 * GST_MSECOND, 20 * GST_MSECOND);
  return GST_PAD_PROBE_HANDLED;
}

/* What the element adds to the latency of a live upstream, minimum and maximum. */
static void
find_own_latency (GstHarness * harness, GstClockTime * min, GstClockTime * max)
{
  GstQuery *query = gst_query_new_latency ();

  fail_unless (gst_pad_peer_query (harness->sinkpad, query));
  gst_query_parse_latency (query, NULL, min, max);
  *min -= 10 * GST_MSECOND;
  *max -= 20 * GST_MSECOND;
  gst_query_unref (query);
}

/* Nothing is added to the minimum, and so many frames to the maximum. */
static void
check_depth (GstHarness * harness, guint depth)
{
  GstClockTime min, max;

  find_own_latency (harness, &min, &max);
  fail_unless_equals_uint64 (min, 0);
  fail_unless_equals_uint64 (max, depth * GRAY_DURATION);
}

/* What the element holds changes the answers to ALLOCATION and LATENCY. Upstream and the application
 * are told to ask again, but only if something has changed. */
TEST (test_depth_changes)
{
  static const struct
  {
    const gchar *property, *value;
    gboolean is_told;
    guint depth;
  } changes[] = {
    {"max-in-flight", "6", TRUE, 6},
    {"max-in-flight", "6", FALSE, 6},
    {"histogram", "false", FALSE, 6},
    {"meta", "false", TRUE, 0},
    {"meta", "false", FALSE, 0},
    {"window", "1000000000", TRUE, 6},
    {"meta", "true", FALSE, 6},
    {"max-in-flight", "2", TRUE, 2},
  };
  GstHarness *harness = test_gray_harness_new ("max-in-flight=4");

  gst_pad_add_probe (harness->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
      answer_latency, NULL, NULL);
  test_push_frame (harness, 0);
  test_pull_frame_quickly (harness, 0, TRUE);
  check_depth (harness, 4);
  test_has_sent_upstream (harness, GST_EVENT_RECONFIGURE);
  test_count_messages (harness, GST_MESSAGE_LATENCY);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    gst_util_set_object_arg (G_OBJECT (harness->element), changes[i].property,
        changes[i].value);
    fail_unless_equals_int (test_has_sent_upstream (harness,
            GST_EVENT_RECONFIGURE), changes[i].is_told);
    fail_unless_equals_int (test_count_messages (harness,
            GST_MESSAGE_LATENCY), changes[i].is_told);
    check_depth (harness, changes[i].depth);
  }
  test_harness_free (harness);
}

/* New caps change the maximum. The application is told, if it has asked before. */
TEST (test_latency_of_caps)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstClockTime min, max;

  gst_pad_add_probe (harness->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
      answer_latency, NULL, NULL);
  test_push_frame (harness, 0);
  test_pull_frame_quickly (harness, 0, TRUE);
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_LATENCY), 0);
  check_depth (harness, 4);
  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY8, width=16, height=8, framerate=5/1");
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_LATENCY), 1);
  find_own_latency (harness, &min, &max);
  fail_unless_equals_uint64 (max, 800 * GST_MSECOND);
  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY8, width=8, height=16, framerate=5/1");
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_LATENCY), 0);
  /* Of the next stream nothing is known yet. */
  test_set_state (harness->element, GST_STATE_READY);
  test_set_state (harness->element, GST_STATE_PLAYING);
  find_own_latency (harness, &min, &max);
  fail_unless_equals_uint64 (max, 0);
  test_harness_free (harness);
}

#define SLOW_SIZE (1920 * 1088)
#define SLOW_DURATION (500 * GST_MSECOND)

/* The CPU holds large frames with these groups for some ms. With meta=true this is part of the minimum, also if the
 * duration of a frame is unknown. */
TEST_LOOP (test_delay_of_engine, 0, 2)
{
  static const gchar *const rates[] = { "2/1", "0/1" };
  const gboolean is_cpu = !test_backend_is_cuda (), is_known = __i__ == 0;
  GstHarness *harness =
      test_harness_new ("measures=signal+motion+color+hdr+detail+area");
  gchar *caps = g_strdup_printf ("video/x-raw, format=GRAY8, width=1920, "
      "height=1088, framerate=%s", rates[__i__]);
  GstClockTime min, max;

  gst_pad_add_probe (harness->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
      answer_latency, NULL, NULL);
  gst_harness_set_src_caps_str (harness, caps);
  find_own_latency (harness, &min, &max);
  fail_unless_equals_uint64 (min, 0);
  /* Three delays are enough; the message may come after its buffer. */
  for (guint n = 0; n < (is_cpu ? 8 : 3); n++)
    gst_buffer_unref (gst_harness_push_and_pull (harness,
            test_buffer_new (SLOW_SIZE, n, n * SLOW_DURATION)));
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_LATENCY),
      is_cpu);
  find_own_latency (harness, &min, &max);
  fail_unless_equals_uint64 (max, is_known ? 4 * SLOW_DURATION : min);
  fail_unless (is_cpu ? min >= GST_MSECOND && min <= max : min == 0);

  g_object_set (harness->element, "post-messages", TRUE, NULL);
  test_count_messages (harness, GST_MESSAGE_LATENCY);
  g_object_set (harness->element, "meta", FALSE, NULL);
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_LATENCY),
      is_cpu);
  find_own_latency (harness, &min, &max);
  fail_unless_equals_uint64 (min, 0);
  test_harness_free (harness);
  g_free (caps);
}

/* The samples of a cropped frame may have to be copied, which takes longer than counting them: this is part of the
 * delay, too. */
TEST (test_delay_of_crop)
{
  GstHarness *harness = test_harness_new (NULL);
  gint64 shortest = G_MAXINT64;
  GstClockTime min, max;
  GstVideoInfo info;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_v210, 1920, 1080);
  info.fps_n = 2;
  gst_pad_add_probe (harness->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
      answer_latency, NULL, NULL);
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
  find_own_latency (harness, &min, &max);
  for (guint n = 0; n < 4; n++) {
    GstBuffer *buffer = test_buffer_new (info.size, n, n * SLOW_DURATION);
    GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);
    gint64 begin;

    crop->x = 1;
    crop->width = 1900;
    crop->height = 1080;
    begin = g_get_monotonic_time ();
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
    shortest = MIN (shortest, g_get_monotonic_time () - begin);
    gst_buffer_unref (gst_harness_pull (harness));
  }
  find_own_latency (harness, &min, &max);
  fail_unless (test_backend_is_cuda ()
      || min >= (GstClockTime) shortest * GST_USECOND, "%" GST_TIME_FORMAT
      " of %" G_GINT64_FORMAT " us", GST_TIME_ARGS (min), shortest);
  test_harness_free (harness);
}

/* Context queries about any type, in any state, do not fail the element. */
TEST (test_context)
{
  static const gchar *const types[] = { "gst.cuda.context", "nonsense" };
  static const GstState states[] = { GST_STATE_PLAYING, GST_STATE_NULL,
    GST_STATE_READY, GST_STATE_PLAYING
  };
  GstHarness *harness = test_gray_harness_new (NULL);

  for (guint s = 0; s < G_N_ELEMENTS (states); s++) {
    test_set_state (harness->element, states[s]);
    for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
      GstQuery *query = gst_query_new_context (types[i]);
      GstContext *context = gst_context_new (types[i], TRUE);

      gst_element_query (harness->element, query);
      gst_pad_peer_query (harness->srcpad, query);
      gst_pad_peer_query (harness->sinkpad, query);
      gst_element_set_context (harness->element, context);
      gst_context_unref (context);
      gst_query_unref (query);
    }
  }
  test_harness_free (harness);
}

static GstPadProbeReturn
answer_with_context (GstPad * pad, GstPadProbeInfo * info, gpointer context)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_CONTEXT)
    return GST_PAD_PROBE_OK;
  gst_query_set_context (query, context);
  return GST_PAD_PROBE_HANDLED;
}

/* A query for a context that this element does not have goes on to the next element, in both
 * directions: elements beside this one share contexts of their own. */
TEST (test_context_of_others)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstPad *const pads[] = { harness->srcpad, harness->sinkpad };

  for (guint i = 0; i < G_N_ELEMENTS (pads); i++) {
    GstContext *context = gst_context_new ("of.others", TRUE), *answer = NULL;
    GstQuery *query = gst_query_new_context ("of.others");
    gulong probe = gst_pad_add_probe (pads[1 - i],
        GST_PAD_PROBE_TYPE_QUERY_BOTH | GST_PAD_PROBE_TYPE_PUSH,
        answer_with_context, context, NULL);

    fail_unless (gst_pad_peer_query (pads[i], query));
    gst_query_parse_context (query, &answer);
    fail_unless (answer == context);
    gst_pad_remove_probe (pads[1 - i], probe);
    gst_query_unref (query);
    gst_context_unref (context);
  }
  test_harness_free (harness);
}

static GstFlowReturn
get_range (GstPad * pad, GstObject * parent, guint64 offset, guint size,
    GstBuffer ** buffer)
{
  return GST_FLOW_EOS;
}

/* The element is push-only. A pad that is not active cannot be activated to pull, and then pushes
 * again. */
TEST (test_scheduling)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstQuery *query = gst_query_new_scheduling ();

  fail_unless (gst_pad_peer_query (harness->sinkpad, query));
  fail_unless (gst_query_has_scheduling_mode (query, GST_PAD_MODE_PUSH));
  fail_if (gst_query_has_scheduling_mode (query, GST_PAD_MODE_PULL));
  gst_query_unref (query);
  /* Upstream could be pulled from. */
  gst_pad_set_getrange_function (harness->srcpad, get_range);
  fail_unless (gst_pad_set_active (harness->srcpad, FALSE));
  for (guint i = 0; i < 2; i++) {
    GstPad *pad = gst_element_get_static_pad (harness->element,
        i == 0 ? "sink" : "src");

    fail_unless (gst_pad_set_active (pad, FALSE));
    fail_if (gst_pad_activate_mode (pad, GST_PAD_MODE_PULL, TRUE));
    fail_unless (gst_pad_set_active (pad, TRUE));
    fail_unless_equals_int (GST_PAD_MODE (pad), GST_PAD_MODE_PUSH);
    gst_object_unref (pad);
  }
  gst_pad_set_active (harness->srcpad, FALSE);
  fail_unless (gst_pad_set_active (harness->srcpad, TRUE));
  test_restart_stream (harness, GRAY_CAPS);
  test_push_frame (harness, 0);
  test_pull_frame (harness, 0);
  test_harness_free (harness);
}

TEST_MAIN (5)
