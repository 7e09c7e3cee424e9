/* Figures that depend on earlier buffers: they are the same whichever thread publishes, and however
 * few results are posted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"

#include <string.h>

#define VIDEO_CAPS "video/x-raw, format=NV12, width=64, height=48, framerate=25/1"
#define VIDEO_SIZE (64 * 48 * 3 / 2)
#define VIDEO_GROUPS "signal+motion+color+hdr+detail+area+gamut+gamut-filter+flash+field"
#define AUDIO_CAPS "audio/x-raw, format=S16LE, layout=interleaved, rate=48000, " \
    "channels=2, channel-mask=(bitmask)0x3"
#define AUDIO_SIZE (480 * 2 * sizeof (gint16))
#define DURATION (10 * GST_MSECOND)     /* of each buffer */
#define N_BUFFERS 20

/* The groups of this build, for the property `measures`. */
static const gchar *
audio_groups (void)
{
  return test_has_loudness () ? "level+loudness" : "level";
}

/* What is measured. */
typedef struct
{
  const gchar *caps, *groups;
  gsize size;                   /* of a buffer */
  guint32 seed;                 /* of the random bytes */
} Input;

/* Pushes random buffers, the same each time. Returns the structures of the metas or of the
 * messages. @properties: post-messages, meta and so on */
static GPtrArray *
measure (const Input * input, const gchar * properties)
{
  gchar *text = g_strdup_printf ("measures=%s %s", input->groups, properties);
  GstHarness *harness = test_harness_new (text);
  GPtrArray *results =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_structure_free);
  GRand *random = g_rand_new_with_seed (input->seed);
  GstMessage *message;

  gst_harness_set_src_caps_str (harness, input->caps);
  for (guint i = 0; i < N_BUFFERS; i++) {
    GstBuffer *buffer = test_random_buffer (input->size, random);

    GST_BUFFER_PTS (buffer) = i * DURATION;
    GST_BUFFER_DURATION (buffer) = DURATION;
    if (i == N_BUFFERS / 2)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
    buffer = gst_harness_pull (harness);
    if (test_has_result (buffer))
      g_ptr_array_add (results, gst_structure_copy (test_result (buffer)));
    gst_buffer_unref (buffer);
  }
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  while (results->len == 0 || gst_harness_events_received (harness) < 4) {
    message = test_pop_message (harness, GST_MESSAGE_ELEMENT);
    if (message != NULL) {
      g_ptr_array_add (results, gst_structure_copy (gst_message_get_structure
              (message)));
      gst_message_unref (message);
    } else {
      g_usleep (1000);
    }
  }
  while ((message = test_pop_message (harness, GST_MESSAGE_ELEMENT)) != NULL) {
    g_ptr_array_add (results, gst_structure_copy (gst_message_get_structure
            (message)));
    gst_message_unref (message);
  }
  g_rand_free (random);
  test_harness_free (harness);
  g_free (text);
  return results;
}

/* Structure b has every field of structure a. */
static void
check_same_fields (const GstStructure * a, const GstStructure * b)
{
  for (gint i = 0; i < gst_structure_n_fields (a); i++) {
    const gchar *name = gst_structure_nth_field_name (a, i);
    const GValue *value = gst_structure_get_value (a, name);
    const GValue *other = gst_structure_get_value (b, name);

    fail_unless (other != NULL, "%s is missing", name);
    if (GST_VALUE_HOLDS_STRUCTURE (value)) {
      check_same_fields (gst_value_get_structure (value),
          gst_value_get_structure (other));
    } else if (G_VALUE_HOLDS_DOUBLE (value)) {
      const gdouble x = g_value_get_double (value);
      const gdouble y = g_value_get_double (other);

      fail_unless (memcmp (&x, &y, sizeof x) == 0, "%s: %g, %g", name, x, y);
    } else if (!G_VALUE_HOLDS (value, G_TYPE_BYTES)) {
      fail_unless (gst_value_compare (value, other) == GST_VALUE_EQUAL,
          "%s differs", name);
    }
  }
}

/* The messages of a run must be the results of the metas that begin every @n buffers. */
static void
check_messages (GPtrArray * metas, const Input * input,
    const gchar * properties, guint n)
{
  GPtrArray *messages = measure (input, properties);

  fail_unless_equals_int (messages->len, N_BUFFERS / n);
  for (guint i = 0; i < messages->len; i++)
    check_same_fields (g_ptr_array_index (metas, i * n),
        g_ptr_array_index (messages, i));
  g_ptr_array_unref (messages);
}

/* Returns: (transfer full): the metas */
static GPtrArray *
check_routes (const Input * input)
{
  GPtrArray *metas = measure (input, "");

  fail_unless_equals_int (metas->len, N_BUFFERS);
  check_messages (metas, input, "meta=false post-messages=true", 1);
  check_messages (metas, input,
      "meta=false post-messages=true max-in-flight=1", 1);
  check_messages (metas, input,
      "meta=false post-messages=true message-interval=50000000", 5);
  return metas;
}

TEST (test_sound)
{
  GRand *random = test_random ();
  const Input input = { AUDIO_CAPS, audio_groups (), AUDIO_SIZE,
    g_rand_int (random)
  };
  GPtrArray *metas = check_routes (&input);

  fail_unless (gst_structure_has_field (test_component (g_ptr_array_index
              (metas, 0), "ch1"), "rms"));
  g_ptr_array_unref (metas);
  g_rand_free (random);
}

static const GstStructure *
group_of (GPtrArray * metas, guint i, const gchar * name)
{
  const GValue *value =
      gst_structure_get_value (g_ptr_array_index (metas, i), name);

  return value != NULL ? gst_value_get_structure (value) : NULL;
}

/* The first frame and the one after the discontinuity have no previous frame. The light so far never
 * falls. */
TEST (test_video)
{
  GRand *random = test_random ();
  const Input input = { VIDEO_CAPS, VIDEO_GROUPS, VIDEO_SIZE,
    g_rand_int (random)
  };
  GPtrArray *metas = check_routes (&input);
  gdouble max_fall = 0;

  for (guint i = 0; i < N_BUFFERS; i++) {
    const GstStructure *motion = group_of (metas, i, "motion");
    const GstStructure *hdr = group_of (metas, i, "hdr");

    if (i == 0 || i == N_BUFFERS / 2) {
      fail_unless (motion == NULL);
    } else {
      const gdouble mafd = test_get_double (motion, "mafd");
      const GstStructure *before = group_of (metas, i - 1, "motion");
      const gdouble previous =
          before != NULL ? test_get_double (before, "mafd") : 0;

      fail_unless_equals_float (test_get_double (motion, "scene-score"),
          MIN (mafd, ABS (mafd - previous)));
      fail_unless (test_get_double (motion, "histogram-emd") > 0);
    }
    max_fall = MAX (max_fall, test_get_double (hdr, "fall"));
    fail_unless_equals_float (test_get_double (hdr, "max-fall"), max_fall);
  }
  g_ptr_array_unref (metas);
  g_rand_free (random);
}

/* Begins a stream without a flush, as a source does that plays one file after the other. */
static void
begin_stream (GstHarness * harness, const gchar * stream_id)
{
  GstCaps *caps = gst_pad_get_current_caps (harness->srcpad);

  gst_harness_push_event (harness, gst_event_new_eos ());
  gst_harness_push_event (harness, gst_event_new_stream_start (stream_id));
  gst_harness_push_event (harness, gst_event_new_caps (caps));
  test_push_segment (harness);
  gst_caps_unref (caps);
}

/* Pushes a frame of one value. Returns the greatest light of its stream so far. */
static gdouble
push_light (GstHarness * harness, guint8 value)
{
  GstBuffer *buffer = gst_harness_push_and_pull (harness,
      test_buffer_new (GRAY_SIZE, value, 0));
  GstStructure *hdr = NULL;
  gdouble light;

  fail_unless (gst_structure_get (test_result (buffer), "hdr",
          GST_TYPE_STRUCTURE, &hdr, NULL));
  light = test_get_double (hdr, "max-cll");
  gst_structure_free (hdr);
  gst_buffer_unref (buffer);
  return light;
}

/* The figures so far begin anew with another stream, but not with the same one. */
TEST (test_another_stream)
{
  GstHarness *harness = test_gray_harness_new ("measures=hdr");
  gdouble bright;

  begin_stream (harness, "first");
  bright = push_light (harness, 250);
  begin_stream (harness, "first");
  fail_unless_equals_float (push_light (harness, 20), bright);
  begin_stream (harness, "second");
  fail_unless (push_light (harness, 20) < bright);
  test_harness_free (harness);
}

/* A buffer without samples has a result, too. */
TEST (test_empty_buffer)
{
  gchar *properties = g_strdup_printf ("measures=%s", audio_groups ());
  GstHarness *harness = test_harness_new (properties);
  GstBuffer *buffer = gst_buffer_new ();
  const GstStructure *channel;

  gst_harness_set_src_caps_str (harness, AUDIO_CAPS);
  GST_BUFFER_PTS (buffer) = 0;
  buffer = gst_harness_push_and_pull (harness, buffer);
  channel = test_component (test_result (buffer), "ch0");
  fail_unless_equals_uint64 (test_get_uint64 (channel, "count"), 0);
  fail_unless_equals_uint64 (test_get_uint64 (channel, "clipped"), 0);
  gst_buffer_unref (buffer);
  test_harness_free (harness);
  g_free (properties);
}

TEST_MAIN (20)
