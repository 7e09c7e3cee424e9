/* Small buffers of audio share a launch, and each gets the result of its own samples. Runs on a
 * GPU, or on the mock driver, which counts the launches.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "audio-stream.h"
#include "compare.h"
#include "cuda-frames.h"
#include "message-gate.h"
#include "mock.h"

#include <string.h>

#include "kernels/launch.h"

static const MockCuda *mock;    /* NULL on a GPU */

/* Checks how often a function was called since reset_counts(), on the mock driver only. */
#define CHECK_CALLS(function, n) G_STMT_START { \
  if (mock != NULL) \
    fail_unless_equals_int (mock->calls_to (function), n); \
} G_STMT_END
#define CHECK_LAUNCHES(n) CHECK_CALLS ("cuLaunchKernel", n)

/* On the mock driver: launches since reset_counts(). */
static glong
launches (void)
{
  return mock != NULL ? mock->calls_to ("cuLaunchKernel") : 0;
}

static void
open_stereo (AudioStream * stream, const gchar * properties)
{
  audio_stream_open (stream, GST_AUDIO_FORMAT_S16, 2,
      GST_AUDIO_LAYOUT_INTERLEAVED, 0, properties);
}

/* ---- Which buffers share a launch ----------------------------------------------------------- */

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
  /* The kernels need the edges of these bins. */
  {GST_AUDIO_FORMAT_S24LE, 3, GST_AUDIO_LAYOUT_INTERLEAVED, 10},
  {GST_AUDIO_FORMAT_S32BE, 5, GST_AUDIO_LAYOUT_NON_INTERLEAVED, 10},
  {GST_AUDIO_FORMAT_F64, 6, GST_AUDIO_LAYOUT_INTERLEAVED, 10},
};

/* One buffer alone is launched at once, even if no thread waits for it. The buffers that follow while
 * it is in flight are gathered, and one launch measures them all. */
TEST_LOOP (test_shared_launch, 0, G_N_ELEMENTS (kinds))
{
  AudioStream stream;

  audio_stream_open (&stream, kinds[__i__].format, kinds[__i__].channels,
      kinds[__i__].layout, kinds[__i__].bins, "max-in-flight=16");
  for (guint round = 0; round < 3; round++) {
    audio_stream_hold (&stream);
    audio_stream_push (&stream, 480);
    CHECK_LAUNCHES (1);
    audio_stream_push_lengths (&stream);
    CHECK_LAUNCHES (1);
    CHECK_CALLS ("cuEventSynchronize", 0);
    audio_stream_release (&stream);
    audio_stream_pull_all (&stream);
    CHECK_LAUNCHES (2);
    CHECK_CALLS ("cuEventSynchronize", 2);
    audio_stream_forget (&stream);
  }
  audio_stream_close (&stream);
}

/* If each buffer is waited for before the next one is pushed, each has a launch of its own, before
 * the push returns. */
TEST (test_one_launch_for_each)
{
  AudioStream stream;

  open_stereo (&stream, "max-in-flight=16");
  reset_counts ();
  for (guint i = 0; i < N_LENGTHS; i++) {
    audio_stream_push (&stream, audio_stream_lengths[i]);
    CHECK_LAUNCHES (i + 1);
    audio_stream_pull (&stream);
  }
  audio_stream_close (&stream);

  /* With one buffer in flight nothing is gathered. */
  open_stereo (&stream, "max-in-flight=1");
  audio_stream_hold (&stream);
  audio_stream_push (&stream, 100);
  CHECK_LAUNCHES (1);
  audio_stream_release (&stream);
  audio_stream_pull_all (&stream);
  audio_stream_close (&stream);
}

/* A launch that is full starts at once, even if no thread waits for its results. */
TEST (test_full_launch)
{
  AudioStream stream;

  open_stereo (&stream, "max-in-flight=40");
  audio_stream_hold (&stream);
  for (guint i = 0; i < 40; i++) {
    audio_stream_push (&stream, 100 + i);
    /* The first buffer is launched alone. */
    CHECK_LAUNCHES (1 + i / HISTO_MAX_GATHERED);
  }
  audio_stream_release (&stream);
  audio_stream_pull_all (&stream);
  CHECK_LAUNCHES (4);
  CHECK_CALLS ("cuEventSynchronize", 4);
  audio_stream_close (&stream);
}

/* A buffer that is too large to share is launched alone. The buffers that were gathered before it
 * are launched first. */
TEST (test_large_between)
{
  AudioStream stream;
  glong n_large;

  open_stereo (&stream, "max-in-flight=16");
  audio_stream_hold (&stream);
  audio_stream_push (&stream, 20000);
  n_large = launches ();
  audio_stream_push (&stream, 480);
  audio_stream_push (&stream, 100);
  CHECK_LAUNCHES (n_large);
  audio_stream_push (&stream, 20000);
  CHECK_LAUNCHES (2 * n_large + 1);
  audio_stream_push (&stream, 480);
  audio_stream_push (&stream, 0);
  CHECK_LAUNCHES (2 * n_large + 1);
  audio_stream_release (&stream);
  audio_stream_pull_all (&stream);
  CHECK_LAUNCHES (2 * n_large + 2);
  audio_stream_close (&stream);
}

/* If the memory that was allocated for the first buffers is full, another launch begins. If there
 * is too much to be read from host memory, it is copied to the device at once. */
TEST (test_memory_of_a_launch)
{
  static const guint layouts[] = { GST_AUDIO_LAYOUT_INTERLEAVED,
    GST_AUDIO_LAYOUT_NON_INTERLEAVED
  };

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++) {
    AudioStream stream;

    audio_stream_open (&stream, GST_AUDIO_FORMAT_F32, 2, layouts[i], 0,
        "max-in-flight=16");
    audio_stream_hold (&stream);
    audio_stream_push (&stream, 10);
    /* At least 64 KB are allocated; these are 24 KB each. */
    audio_stream_push (&stream, 10);
    for (guint n = 0; n < 3; n++)
      audio_stream_push (&stream, 3001);
    CHECK_LAUNCHES (2);
    audio_stream_release (&stream);
    audio_stream_pull_all (&stream);
    CHECK_LAUNCHES (3);
    CHECK_CALLS ("cuMemcpyHtoDAsync_v2", 0);
    audio_stream_forget (&stream);

    audio_stream_hold (&stream);
    audio_stream_push (&stream, 3001);
    for (guint n = 0; n < 12; n++)
      audio_stream_push (&stream, 3001 - n);
    CHECK_LAUNCHES (1);
    audio_stream_release (&stream);
    audio_stream_pull_all (&stream);
    CHECK_LAUNCHES (2);
    CHECK_CALLS ("cuMemcpyHtoDAsync_v2", 1);
    audio_stream_close (&stream);
  }
}

static gdouble
get_field (const GstStructure * result, const gchar * channel,
    const gchar * field)
{
  return test_get_double (test_component (result, channel), field);
}

/* A sum of floats is the same to the last bit, whichever buffers share the launch. */
TEST_LOOP (test_same_bits, 0, 2)
{
  static const gchar *const fields[] =
      { "sum", "mean", "variance", "min", "max" };
  AudioStream stream;

  audio_stream_open (&stream, GST_AUDIO_FORMAT_F32, 2,
      __i__ ? GST_AUDIO_LAYOUT_NON_INTERLEAVED :
      GST_AUDIO_LAYOUT_INTERLEAVED, 0, "max-in-flight=16");
  stream.cancels = TRUE;
  audio_stream_hold (&stream);
  audio_stream_push (&stream, 100);
  audio_stream_push_lengths (&stream);
  audio_stream_release (&stream);
  for (guint i = 0; i < stream.n_pushed; i++) {
    GstBuffer *shared = gst_harness_pull (stream.harness);
    GstBuffer *alone;
    GstHarness *harness = test_harness_new (NULL);

    gst_harness_set_src_caps (harness, gst_audio_info_to_caps (&stream.info));
    alone = gst_harness_push_and_pull (harness,
        gst_buffer_ref (stream.buffers[i]));
    for (guint f = 0; f < G_N_ELEMENTS (fields); f++) {
      const gdouble a = get_field (test_result (shared), "ch1", fields[f]);
      const gdouble b = get_field (test_result (alone), "ch1", fields[f]);

      fail_unless (memcmp (&a, &b, sizeof a) == 0,
          "%s of buffer %u is %.17g in a shared launch, %.17g alone", fields[f],
          i, a, b);
    }
    gst_buffer_unref (shared);
    gst_buffer_unref (alone);
    test_harness_free (harness);
  }
  fail_unless_equals_int (stream.n_pushed, N_LENGTHS + 2);
  audio_stream_close (&stream);
}

/* Without holding downstream: any buffers share a launch. */
TEST (test_any_buffers)
{
  static const guint depths[] = { 2, 4, 16 };

  for (guint i = 0; i < G_N_ELEMENTS (depths); i++) {
    gchar *properties = g_strdup_printf ("max-in-flight=%u", depths[i]);
    AudioStream stream;

    open_stereo (&stream, properties);
    reset_counts ();
    while (stream.n_pushed < MOST_BUFFERS)
      audio_stream_push (&stream, stream.n_pushed % 41 == 40 ? 5000 :
          g_rand_int_range (stream.random, 0, 200));
    audio_stream_pull_all (&stream);
    if (mock != NULL)
      g_print ("max-in-flight=%u: %ld launches for %u buffers\n", depths[i],
          launches (), stream.n_pushed);
    audio_stream_close (&stream);
    g_free (properties);
  }
}

/* ---- Buffers that are not wanted any more --------------------------------------------------- */

static void
flush (AudioStream * stream)
{
  test_flush (stream->harness);
  test_push_segment (stream->harness);
}

/* A flush, or a stop, while buffers are gathered: they are not launched, nothing stays allocated,
 * and later buffers have the right results. */
TEST (test_flush_and_stop)
{
  const MockCudaLive before = test_live ();

  for (guint round = 0; round < 6; round++) {
    const gboolean stops = round % 2;
    AudioStream stream;

    open_stereo (&stream, round < 4 ? "max-in-flight=16" :
        "max-in-flight=16 meta=false post-messages=true");
    audio_stream_hold (&stream);
    audio_stream_push (&stream, 480);
    audio_stream_push_lengths (&stream);
    if (stops)
      gst_element_set_state (stream.harness->element, GST_STATE_NULL);
    else
      flush (&stream);
    audio_stream_release (&stream);
    if (round < 4)
      CHECK_LAUNCHES (1);
    audio_stream_forget (&stream);
    if (!stops && round < 4) {
      audio_stream_hold (&stream);
      audio_stream_push_lengths (&stream);
      audio_stream_release (&stream);
      audio_stream_pull_all (&stream);
      CHECK_LAUNCHES (2);
    }
    audio_stream_close (&stream);
  }
  test_check_live (&before, "flush and stop");
}

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

/* The first buffers of a launch are dropped, because downstream wants no more of their segment. The
 * others have the right results. */
TEST (test_first_buffers_dropped)
{
  AudioStream stream;
  guint n = 0;

  open_stereo (&stream, "max-in-flight=16");
  gst_pad_add_probe (stream.pad, GST_PAD_PROBE_TYPE_BUFFER, refuse_one, &n,
      NULL);
  audio_stream_hold (&stream);
  audio_stream_push (&stream, 480);
  audio_stream_push (&stream, 100);
  audio_stream_push (&stream, 200);
  test_push_segment (stream.harness);
  audio_stream_push_lengths (&stream);
  CHECK_LAUNCHES (1);
  audio_stream_release (&stream);
  stream.n_pulled = 4;
  audio_stream_pull_all (&stream);
  CHECK_LAUNCHES (2);
  /* Their slots can be used again. */
  audio_stream_hold (&stream);
  audio_stream_push_lengths (&stream);
  audio_stream_release (&stream);
  audio_stream_pull_all (&stream);
  audio_stream_close (&stream);
}

/* ---- Messages only -------------------------------------------------------------------------- */

/* With messages only, buffers share a launch, too, while a result is being posted. */
TEST (test_messages)
{
  MessageGate gate;
  AudioStream stream;

  open_stereo (&stream, "max-in-flight=16 meta=false post-messages=true");
  message_gate_init (&gate, stream.harness);
  reset_counts ();
  audio_stream_push (&stream, 10);
  message_gate_wait_arrived (&gate, 1);
  audio_stream_push (&stream, 480);
  audio_stream_push_lengths (&stream);
  for (guint i = 0; i < stream.n_pushed; i++)
    gst_buffer_unref (gst_harness_pull (stream.harness));
  CHECK_LAUNCHES (2);
  message_gate_allow (&gate, G_MAXUINT);
  message_gate_wait_arrived (&gate, stream.n_pushed);
  CHECK_LAUNCHES (3);
  for (guint i = 0; i < stream.n_pushed; i++)
    audio_stream_compare (&stream, message_gate_result (&gate, i), i);
  audio_stream_close (&stream);
  message_gate_clear (&gate);
}

static gboolean
prepare (void)
{
  mock = test_mock ();
  return test_cuda_init (FALSE);
}

TEST_MAIN_IF (60, prepare ())
