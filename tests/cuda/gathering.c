/* Small buffers of audio share a launch, and each gets the result of its own samples. On a
 * GPU, or on the libcuda made for tests (tests/mock), which counts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common-cuda.h"

#include <gst/audio/audio.h>
#include <math.h>

#include "kernels/histo.h"

#define RATE 48000
#define MOST_BUFFERS 100

static const MockCuda *mock;    /* NULL on a GPU */

/* Since the last reset_counts(). */
#define CHECK_CALLS(function, n) G_STMT_START { \
  if (mock != NULL) \
    fail_unless_equals_int (mock->calls_to (function), n); \
} G_STMT_END
#define CHECK_LAUNCHES(n) CHECK_CALLS ("cuLaunchKernel", n)

static void
reset_counts (void)
{
  if (mock != NULL)
    mock->reset ();
}

static glong
launches (void)
{
  return mock != NULL ? mock->calls_to ("cuLaunchKernel") : 0;
}

/* ---- A stream whose downstream is held ----------------------------------------------------- */

typedef struct
{
  GstHarness *harness;
  GstAudioInfo info;
  guint bins;
  gboolean cancels;             /* floats whose sum is what rounding leaves */
  GRand *random;
  GstBuffer *buffers[MOST_BUFFERS];     /* as they were pushed */
  gsize n_samples[MOST_BUFFERS];
  guint n_pushed, n_pulled;

  GstPad *pad;                  /* the element's source pad */
  gulong probe;
  GMutex lock;
  GCond changed;
  gboolean is_held;
} Stream;

static GstPadProbeReturn
hold (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Stream *stream = user_data;

  g_mutex_lock (&stream->lock);
  stream->is_held = TRUE;
  g_cond_broadcast (&stream->changed);
  g_mutex_unlock (&stream->lock);
  return GST_PAD_PROBE_OK;
}

/* So that the element's own thread passes the buffers on, whatever the device: upstream's, which
 * is the test's, would stand with those that are held. */
#define SLOW_PUSH 1000          /* us */

static GstPadProbeReturn
take_time (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  g_usleep (SLOW_PUSH);
  return GST_PAD_PROBE_OK;
}

static void
stream_open (Stream * stream, GstAudioFormat format, guint channels,
    GstAudioLayout layout, guint bins, const gchar * properties)
{
  gchar *all = g_strdup_printf ("bins=%u %s", bins, properties);
  GstCaps *caps;

  memset (stream, 0, sizeof *stream);
  gst_audio_info_set_format (&stream->info, format, RATE, channels, NULL);
  stream->info.layout = layout;
  stream->bins = bins;
  stream->random = test_random ();
  g_mutex_init (&stream->lock);
  g_cond_init (&stream->changed);
  stream->harness = test_harness_new (all);
  caps = gst_audio_info_to_caps (&stream->info);
  gst_harness_set_src_caps (stream->harness, caps);
  stream->pad = gst_pad_get_peer (stream->harness->sinkpad);
  gst_pad_add_probe (stream->pad, GST_PAD_PROBE_TYPE_BUFFER, take_time, NULL,
      NULL);
  g_free (all);
}

static void
forget_pushed (Stream * stream)
{
  for (guint i = 0; i < stream->n_pushed; i++)
    gst_buffer_unref (stream->buffers[i]);
  stream->n_pushed = stream->n_pulled = 0;
}

static void
stream_close (Stream * stream)
{
  test_harness_free (stream->harness);
  gst_object_unref (stream->pad);
  forget_pushed (stream);
  g_rand_free (stream->random);
  g_mutex_clear (&stream->lock);
  g_cond_clear (&stream->changed);
}

/* Of all magnitudes, and each with its negative in the other half of its channel. */
static gfloat
cancelling_sample (Stream * stream, const gfloat * samples, gsize n, gsize i)
{
  const gboolean planar =
      stream->info.layout == GST_AUDIO_LAYOUT_NON_INTERLEAVED;
  const gsize position = planar ? i % n : i / stream->info.channels;
  const gsize step = planar ? 1 : stream->info.channels;

  if (position > n / 2)
    return -samples[i - (2 * position - n) * step];
  return ldexp (g_rand_double_range (stream->random, -1, 1),
      g_rand_int_range (stream->random, -120, 120));
}

/* Random samples; n of each channel. */
static GstBuffer *
make_buffer (Stream * stream, gsize n)
{
  GstBuffer *buffer =
      gst_buffer_new_allocate (NULL, n * stream->info.bpf, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  test_fill_random (stream->random, map.data, map.size);
  /* Random bits are mostly numbers too large for any sum. */
  for (gsize i = 0; i < n * stream->info.channels; i++) {
    gdouble sample = g_rand_double_range (stream->random, -1.25, 1.25);

    if (stream->cancels)
      sample = cancelling_sample (stream, (gfloat *) map.data, n, i);
    if (GST_AUDIO_INFO_FORMAT (&stream->info) == GST_AUDIO_FORMAT_F32)
      ((gfloat *) map.data)[i] = sample;
    else if (GST_AUDIO_INFO_FORMAT (&stream->info) == GST_AUDIO_FORMAT_F64)
      ((gdouble *) map.data)[i] = sample;
  }
  gst_buffer_unmap (buffer, &map);
  if (stream->info.layout == GST_AUDIO_LAYOUT_NON_INTERLEAVED)
    gst_buffer_add_audio_meta (buffer, &stream->info, n, NULL);
  return buffer;
}

static void
push (Stream * stream, gsize n)
{
  const guint i = stream->n_pushed++;

  stream->buffers[i] = make_buffer (stream, n);
  stream->n_samples[i] = n;
  GST_BUFFER_OFFSET (stream->buffers[i]) = i;
  fail_unless_equals_int (gst_harness_push (stream->harness,
          gst_buffer_ref (stream->buffers[i])), GST_FLOW_OK);
}

/* Has the element's thread stand with a buffer, which is measured; nothing is in flight
 * then, and the mock's counts begin. */
static void
hold_downstream (Stream * stream)
{
  stream->is_held = FALSE;
  stream->probe = gst_pad_add_probe (stream->pad,
      GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, hold, stream, NULL);
  push (stream, 10);
  g_mutex_lock (&stream->lock);
  while (!stream->is_held)
    g_cond_wait (&stream->changed, &stream->lock);
  g_mutex_unlock (&stream->lock);
  reset_counts ();
}

static void
let_go (Stream * stream)
{
  gst_pad_remove_probe (stream->pad, stream->probe);
}

static void
compare (Stream * stream, const GstStructure * result, guint i)
{
  GstMapInfo map;

  fail_unless_equals_string (gst_structure_get_string (result, "backend"),
      "cuda");
  fail_unless (gst_buffer_map (stream->buffers[i], &map, GST_MAP_READ));
  test_compare_audio (result, &stream->info, map.data, stream->n_samples[i],
      stream->bins, 0, 0);
  gst_buffer_unmap (stream->buffers[i], &map);
}

/* The next buffer is the next that was pushed, and has its own result. */
static void
pull (Stream * stream)
{
  const guint i = stream->n_pulled++;
  GstBuffer *buffer = gst_harness_pull (stream->harness);

  fail_unless (buffer != NULL);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), i);
  compare (stream, test_result (buffer), i);
  gst_buffer_unref (buffer);
}

static void
pull_all (Stream * stream)
{
  while (stream->n_pulled < stream->n_pushed)
    pull (stream);
}

/* Not 2: two floats may be so near each other that their variance is all rounding. */
static const gsize lengths[] = { 480, 0, 1, 17, 1000, 3, 0, 333, 1024, 31, 7, 64, 999 };

static void
push_lengths (Stream * stream)
{
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    push (stream, lengths[i]);
}

/* ---- Which buffers share a launch ------------------------------------------------------------ */

static const struct
{
  GstAudioFormat format;
  guint channels;
  GstAudioLayout layout;
  guint bins;
} kinds[] = {
  {GST_AUDIO_FORMAT_S16, 2, GST_AUDIO_LAYOUT_INTERLEAVED, 0},
  {GST_AUDIO_FORMAT_F32, 2, GST_AUDIO_LAYOUT_INTERLEAVED, 0},
  {GST_AUDIO_FORMAT_F32, 2, GST_AUDIO_LAYOUT_NON_INTERLEAVED, 0},
  {GST_AUDIO_FORMAT_S16, 1, GST_AUDIO_LAYOUT_NON_INTERLEAVED, 0},
  {GST_AUDIO_FORMAT_U8, 1, GST_AUDIO_LAYOUT_INTERLEAVED, 0},
  /* These bins need their edges. */
  {GST_AUDIO_FORMAT_S24LE, 3, GST_AUDIO_LAYOUT_INTERLEAVED, 10},
  {GST_AUDIO_FORMAT_S32BE, 5, GST_AUDIO_LAYOUT_NON_INTERLEAVED, 10},
  {GST_AUDIO_FORMAT_F64, 6, GST_AUDIO_LAYOUT_INTERLEAVED, 10},
};

/* One buffer alone is launched at once, though nobody waits for it. Those that follow while
 * it is in flight gather, and one launch measures all of them. */
GST_START_TEST (test_shared_launch)
{
  Stream stream;

  stream_open (&stream, kinds[__i__].format, kinds[__i__].channels,
      kinds[__i__].layout, kinds[__i__].bins, "max-in-flight=16");
  for (guint round = 0; round < 3; round++) {
    hold_downstream (&stream);
    push (&stream, 480);
    CHECK_LAUNCHES (1);
    push_lengths (&stream);
    CHECK_LAUNCHES (1);
    CHECK_CALLS ("cuEventSynchronize", 0);
    let_go (&stream);
    pull_all (&stream);
    CHECK_LAUNCHES (2);
    CHECK_CALLS ("cuEventSynchronize", 2);
    forget_pushed (&stream);
  }
  stream_close (&stream);
}

GST_END_TEST;

/* Each alone, each waited for before the next comes: one launch a buffer, made before the
 * push returns. */
GST_START_TEST (test_alone)
{
  Stream stream;

  stream_open (&stream, GST_AUDIO_FORMAT_S16, 2, GST_AUDIO_LAYOUT_INTERLEAVED,
      0, "max-in-flight=16");
  reset_counts ();
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    push (&stream, lengths[i]);
    CHECK_LAUNCHES (i + 1);
    pull (&stream);
  }
  stream_close (&stream);

  /* One at a time: there is nothing to gather. */
  stream_open (&stream, GST_AUDIO_FORMAT_S16, 2, GST_AUDIO_LAYOUT_INTERLEAVED,
      0, "max-in-flight=1");
  hold_downstream (&stream);
  push (&stream, 100);
  CHECK_LAUNCHES (1);
  let_go (&stream);
  pull_all (&stream);
  stream_close (&stream);
}

GST_END_TEST;

/* A launch that can take no more does not wait for anybody. */
GST_START_TEST (test_full)
{
  Stream stream;

  stream_open (&stream, GST_AUDIO_FORMAT_S16, 2, GST_AUDIO_LAYOUT_INTERLEAVED,
      0, "max-in-flight=40");
  hold_downstream (&stream);
  for (guint i = 0; i < 40; i++) {
    push (&stream, 100 + i);
    /* The first alone. */
    CHECK_LAUNCHES (1 + i / HISTO_MAX_GATHERED);
  }
  let_go (&stream);
  pull_all (&stream);
  CHECK_LAUNCHES (4);
  CHECK_CALLS ("cuEventSynchronize", 4);
  stream_close (&stream);
}

GST_END_TEST;

/* What is larger than a launch is worth is launched by itself, and what gathered before
 * it, first. */
GST_START_TEST (test_large_between)
{
  Stream stream;
  glong n_large;

  stream_open (&stream, GST_AUDIO_FORMAT_S16, 2, GST_AUDIO_LAYOUT_INTERLEAVED,
      0, "max-in-flight=16");
  hold_downstream (&stream);
  push (&stream, 20000);
  n_large = launches ();
  push (&stream, 480);
  push (&stream, 100);
  CHECK_LAUNCHES (n_large);
  push (&stream, 20000);
  CHECK_LAUNCHES (2 * n_large + 1);
  push (&stream, 480);
  push (&stream, 0);
  CHECK_LAUNCHES (2 * n_large + 1);
  let_go (&stream);
  pull_all (&stream);
  CHECK_LAUNCHES (2 * n_large + 2);
  stream_close (&stream);
}

GST_END_TEST;

/* Where the room that was made for the first ones is too little, another launch begins;
 * and what is too much to be read from the host's memory is sent by one copy. */
GST_START_TEST (test_room)
{
  static const guint planar[] = { GST_AUDIO_LAYOUT_INTERLEAVED,
    GST_AUDIO_LAYOUT_NON_INTERLEAVED
  };

  for (guint i = 0; i < G_N_ELEMENTS (planar); i++) {
    Stream stream;

    stream_open (&stream, GST_AUDIO_FORMAT_F32, 2, planar[i], 0,
        "max-in-flight=16");
    hold_downstream (&stream);
    push (&stream, 10);
    /* 64 KB are the least that there is; these are 24 KB each. */
    push (&stream, 10);
    for (guint n = 0; n < 3; n++)
      push (&stream, 3001);
    CHECK_LAUNCHES (2);
    let_go (&stream);
    pull_all (&stream);
    CHECK_LAUNCHES (3);
    CHECK_CALLS ("cuMemcpyHtoDAsync_v2", 0);
    forget_pushed (&stream);

    hold_downstream (&stream);
    push (&stream, 3001);
    for (guint n = 0; n < 12; n++)
      push (&stream, 3001 - n);
    CHECK_LAUNCHES (1);
    let_go (&stream);
    pull_all (&stream);
    CHECK_LAUNCHES (2);
    CHECK_CALLS ("cuMemcpyHtoDAsync_v2", 1);
    stream_close (&stream);
  }
}

GST_END_TEST;

static gdouble
bits_of (const GstStructure * result, const gchar * channel,
    const gchar * field)
{
  return test_get_double (test_component (result, channel), field);
}

/* A sum of floats is the same to the last bit, with whatever neighbours. */
GST_START_TEST (test_same_bits)
{
  static const gchar *const fields[] = { "sum", "mean", "variance", "min", "max" };
  Stream stream;

  stream_open (&stream, GST_AUDIO_FORMAT_F32, 2,
      __i__ ? GST_AUDIO_LAYOUT_NON_INTERLEAVED :
      GST_AUDIO_LAYOUT_INTERLEAVED, 0, "max-in-flight=16");
  stream.cancels = TRUE;
  hold_downstream (&stream);
  push (&stream, 100);
  push_lengths (&stream);
  let_go (&stream);
  for (guint i = 0; i < stream.n_pushed; i++) {
    GstBuffer *gathered = gst_harness_pull (stream.harness);
    GstBuffer *alone;
    GstHarness *harness = test_harness_new (NULL);

    gst_harness_set_src_caps (harness, gst_audio_info_to_caps (&stream.info));
    alone = gst_harness_push_and_pull (harness,
        gst_buffer_ref (stream.buffers[i]));
    for (guint f = 0; f < G_N_ELEMENTS (fields); f++) {
      const gdouble a = bits_of (test_result (gathered), "ch1", fields[f]);
      const gdouble b = bits_of (test_result (alone), "ch1", fields[f]);

      fail_unless (memcmp (&a, &b, sizeof a) == 0,
          "%s of buffer %u is %.17g with others, %.17g alone", fields[f], i, a,
          b);
    }
    gst_buffer_unref (gathered);
    gst_buffer_unref (alone);
    test_harness_free (harness);
  }
  fail_unless_equals_int (stream.n_pushed, G_N_ELEMENTS (lengths) + 2);
  stream_close (&stream);
}

GST_END_TEST;

/* As it comes: whichever buffers find themselves together. */
GST_START_TEST (test_unheld)
{
  static const guint depths[] = { 2, 4, 16 };

  for (guint i = 0; i < G_N_ELEMENTS (depths); i++) {
    gchar *properties = g_strdup_printf ("max-in-flight=%u", depths[i]);
    Stream stream;

    stream_open (&stream, GST_AUDIO_FORMAT_S16, 2,
        GST_AUDIO_LAYOUT_INTERLEAVED, 0, properties);
    reset_counts ();
    while (stream.n_pushed < MOST_BUFFERS)
      push (&stream, stream.n_pushed % 41 == 40 ? 5000 :
          g_rand_int_range (stream.random, 0, 200));
    pull_all (&stream);
    if (mock != NULL)
      g_print ("max-in-flight=%u: %ld launches for %u buffers\n", depths[i],
          launches (), stream.n_pushed);
    stream_close (&stream);
    g_free (properties);
  }
}

GST_END_TEST;

/* ---- Those that are not wanted any more ------------------------------------------------------- */

static void
flush (Stream * stream)
{
  GstSegment segment;

  gst_harness_push_event (stream->harness, gst_event_new_flush_start ());
  gst_harness_push_event (stream->harness, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (stream->harness, gst_event_new_segment (&segment));
}

/* A flush, or a stop, while some gather: they are never launched, nothing is left of
 * them, and what comes then is right. */
GST_START_TEST (test_flush_and_stop)
{
  MockCudaLive before;

  if (mock != NULL)
    mock->live (&before);
  for (guint round = 0; round < 6; round++) {
    const gboolean stops = round % 2;
    Stream stream;

    stream_open (&stream, GST_AUDIO_FORMAT_S16, 2,
        GST_AUDIO_LAYOUT_INTERLEAVED, 0, round < 4 ? "max-in-flight=16" :
        "max-in-flight=16 meta=false post-messages=true");
    hold_downstream (&stream);
    push (&stream, 480);
    push_lengths (&stream);
    if (stops)
      gst_element_set_state (stream.harness->element, GST_STATE_NULL);
    else
      flush (&stream);
    let_go (&stream);
    if (round < 4)
      CHECK_LAUNCHES (1);
    forget_pushed (&stream);
    if (!stops && round < 4) {
      hold_downstream (&stream);
      push_lengths (&stream);
      let_go (&stream);
      pull_all (&stream);
      CHECK_LAUNCHES (2);
    }
    stream_close (&stream);
  }
  if (mock != NULL)
    test_check_live (&before, "flush and stop");
}

GST_END_TEST;

static GstPadProbeReturn
refuse_one (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  guint *n = user_data;

  if (*n > 0)
    return GST_PAD_PROBE_OK;
  ++*n;
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_EOS;
  return GST_PAD_PROBE_HANDLED;
}

/* The first ones of a launch are dropped, because downstream wants no more of their
 * segment; the others have what they would have had. */
GST_START_TEST (test_first_ones_dropped)
{
  GstSegment segment;
  Stream stream;
  guint n = 0;

  stream_open (&stream, GST_AUDIO_FORMAT_S16, 2, GST_AUDIO_LAYOUT_INTERLEAVED,
      0, "max-in-flight=16");
  gst_pad_add_probe (stream.pad, GST_PAD_PROBE_TYPE_BUFFER, refuse_one, &n,
      NULL);
  hold_downstream (&stream);
  push (&stream, 480);
  push (&stream, 100);
  push (&stream, 200);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (stream.harness, gst_event_new_segment (&segment));
  push_lengths (&stream);
  CHECK_LAUNCHES (1);
  let_go (&stream);
  stream.n_pulled = 4;
  pull_all (&stream);
  CHECK_LAUNCHES (2);
  /* The places of those that left are as good as before. */
  hold_downstream (&stream);
  push_lengths (&stream);
  let_go (&stream);
  pull_all (&stream);
  stream_close (&stream);
}

GST_END_TEST;

/* ---- Results beside the flow --------------------------------------------------------------------- */

typedef struct
{
  GMutex lock;
  GCond changed;
  gboolean is_open;
  GQueue results;               /* of GstStructure */
} Gate;

static GstBusSyncReply
receive_result (GstBus * bus, GstMessage * message, gpointer user_data)
{
  Gate *gate = user_data;

  if (!gst_message_has_name (message, "cudahisto"))
    return GST_BUS_PASS;
  g_mutex_lock (&gate->lock);
  g_queue_push_tail (&gate->results,
      gst_structure_copy (gst_message_get_structure (message)));
  g_cond_broadcast (&gate->changed);
  while (!gate->is_open)
    g_cond_wait (&gate->changed, &gate->lock);
  g_mutex_unlock (&gate->lock);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
wait_for_results (Gate * gate, guint n)
{
  g_mutex_lock (&gate->lock);
  while (g_queue_get_length (&gate->results) < n)
    g_cond_wait (&gate->changed, &gate->lock);
  g_mutex_unlock (&gate->lock);
}

/* Buffers that go on before their results gather as well, while a result is being posted. */
GST_START_TEST (test_messages)
{
  Gate gate = { 0, };
  Stream stream;
  GstBus *bus;

  g_mutex_init (&gate.lock);
  g_cond_init (&gate.changed);
  stream_open (&stream, GST_AUDIO_FORMAT_S16, 2, GST_AUDIO_LAYOUT_INTERLEAVED,
      0, "max-in-flight=16 meta=false post-messages=true");
  bus = gst_element_get_bus (stream.harness->element);
  gst_bus_set_sync_handler (bus, receive_result, &gate, NULL);
  reset_counts ();
  push (&stream, 10);
  wait_for_results (&gate, 1);
  push (&stream, 480);
  push_lengths (&stream);
  for (guint i = 0; i < stream.n_pushed; i++)
    gst_buffer_unref (gst_harness_pull (stream.harness));
  CHECK_LAUNCHES (2);
  g_mutex_lock (&gate.lock);
  gate.is_open = TRUE;
  g_cond_broadcast (&gate.changed);
  g_mutex_unlock (&gate.lock);
  wait_for_results (&gate, stream.n_pushed);
  CHECK_LAUNCHES (3);
  for (guint i = 0; i < stream.n_pushed; i++)
    compare (&stream, g_queue_peek_nth (&gate.results, i), i);
  stream_close (&stream);
  gst_object_unref (bus);
  g_queue_clear_full (&gate.results, (GDestroyNotify) gst_structure_free);
  g_mutex_clear (&gate.lock);
  g_cond_clear (&gate.changed);
}

GST_END_TEST;

static Suite *
gathering_suite (void)
{
  Suite *suite = suite_create ("gathering");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  mock = test_mock ();
  if (g_str_equal (test_backend (), "cpu") || !gst_cuda_load_library ()) {
    g_print ("skipped: no CUDA\n");
    return suite;
  }
  /* What libgstcuda does once only, it does now. */
  gst_cuda_memory_init_once ();
  tcase_set_timeout (tcase, 60);
  tcase_add_loop_test (tcase, test_shared_launch, 0, G_N_ELEMENTS (kinds));
  tcase_add_test (tcase, test_alone);
  tcase_add_test (tcase, test_full);
  tcase_add_test (tcase, test_large_between);
  tcase_add_test (tcase, test_room);
  tcase_add_loop_test (tcase, test_same_bits, 0, 2);
  tcase_add_test (tcase, test_unheld);
  tcase_add_test (tcase, test_flush_and_stop);
  tcase_add_test (tcase, test_first_ones_dropped);
  tcase_add_test (tcase, test_messages);
  return suite;
}

GST_CHECK_MAIN (gathering);
