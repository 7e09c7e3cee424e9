/* The property audio-level-meta, against the element `level`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "frames.h"
#include "harness.h"

#include <gst/audio/audio.h>

#define NONE -1

typedef struct
{
  GArray *own, *others;         /* of gint: the level of each buffer behind cudahisto, and behind level */
} Levels;

static gint
level_of (GstBuffer * buffer)
{
  GstAudioLevelMeta *meta = gst_buffer_get_audio_level_meta (buffer);

  return meta != NULL ? meta->level : NONE;
}

static GstPadProbeReturn
note_level (GstPad * pad, GstPadProbeInfo * info, gpointer levels)
{
  const gint level = level_of (GST_PAD_PROBE_INFO_BUFFER (info));

  g_array_append_val (levels, level);
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement * pipeline, const gchar * name, GArray * levels)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstPad *pad = gst_element_get_static_pad (element, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_level, levels, NULL);
  gst_object_unref (pad);
  gst_object_unref (element);
}

/* Plays @source through cudahisto, and then through @others, whose last element is named "level". */
static Levels
play (const gchar * source, const gchar * settings, const gchar * others)
{
  Levels levels = { g_array_new (FALSE, FALSE, sizeof (gint)), g_array_new (FALSE, FALSE, sizeof (gint)) };
  g_autofree gchar *description = g_strdup_printf ("%s ! cudahisto name=own backend=%s %s ! %s ! fakesink", source,
      test_backend (), settings, others);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);
  GstMessage *message;

  fail_unless (error == NULL, "%s: %s", description, error != NULL ? error->message : "");
  add_probe (pipeline, "own", levels.own);
  add_probe (pipeline, "level", levels.others);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (GST_ELEMENT_BUS (pipeline), GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "%s", description);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  fail_unless (levels.own->len > 0 && levels.own->len == levels.others->len, "%s", description);
  return levels;
}

static gint
get (GArray * levels, guint n)
{
  return g_array_index (levels, gint, n);
}

static void
clear (Levels * levels)
{
  g_array_unref (levels->own);
  g_array_unref (levels->others);
}

/* The formats that level takes, and others, which are converted for it. The last volume is
 * silence. */
TEST (test_like_level)
{
  static const gchar *const formats[] = { "S8", "S16LE", "S32LE", "F32LE", "F64LE", "U8", "U16BE", "S24LE", "S24_32BE", "U32LE" };
  static const gdouble volumes[] = { 1, 0.7, 0.5, 0.1, 0.02, 0 };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    for (guint v = 0; v < G_N_ELEMENTS (volumes); v++) {
      g_autofree gchar *source = g_strdup_printf ("audiotestsrc num-buffers=5 samplesperbuffer=997 freq=321 wave=%s volume=%f "
          "! audioconvert dithering=none ! audio/x-raw,format=%s,channels=%u,rate=48000", v % 2 ? "sine" : "white-noise", volumes[v],
          formats[f], 1 + v % 3);
      Levels levels = play (source, "audio-level-meta=true meta=false",
          f < 5 ? "level name=level audio-level-meta=true" :
          "audioconvert dithering=none ! audio/x-raw,format=F64LE ! level name=level audio-level-meta=true");

      /* Up to 1.22, level lets what is below -127 dB overflow. */
      for (guint n = 0; volumes[v] > 0 && n < levels.own->len; n++)
        fail_unless (ABS (get (levels.own, n) - get (levels.others, n)) <= 1, "%s, buffer %u: %d and %d", source, n,
            get (levels.own, n), get (levels.others, n));
      fail_unless (volumes[v] > 0 || get (levels.own, 0) == 127, "%s: %d", source, get (levels.own, 0));
      fail_unless (volumes[v] < 1 || get (levels.own, 0) < 6, "%s: %d", source, get (levels.own, 0));
      clear (&levels);
    }
}

/* Without the property there is no meta, and of video there never is one. With every=2 every other buffer has one. */
TEST (test_where)
{
  Levels levels = play ("audiotestsrc num-buffers=4", "", "identity name=level");

  for (guint n = 0; n < 4; n++)
    fail_unless_equals_int (get (levels.own, n), NONE);
  clear (&levels);
  levels = play ("audiotestsrc num-buffers=4", "audio-level-meta=true every=2", "identity name=level");
  for (guint n = 0; n < 4; n++)
    fail_unless_equals_int (get (levels.own, n) != NONE, n % 2 == 0);
  clear (&levels);
  levels = play ("videotestsrc num-buffers=4 ! video/x-raw,format=GRAY8,width=16,height=16", "audio-level-meta=true",
      "identity name=level");
  for (guint n = 0; n < 4; n++)
    fail_unless_equals_int (get (levels.own, n), NONE);
  clear (&levels);
}

/* A meta that is there gets the level and keeps the voice; the buffer that others hold does not change. Messages and metas of
 * results are beside it. NaN take no part; nothing but NaN is silence, and infinities are full scale. */
TEST (test_buffers)
{
  GstHarness *harness = test_harness_new ("audio-level-meta=true post-messages=true");
  static const gfloat samples[][2] = { {0.5f, -0.5f}, {NAN, NAN}, {NAN, 0.5f}, {2.0f, -2.0f} };
  static const gint expected[] = { 6, 127, 6, 0 };

  gst_harness_set_src_caps_str (harness, "audio/x-raw, format=" GST_AUDIO_NE (F32) ", rate=8000, channels=1, layout=interleaved");
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++) {
    GstBuffer *in = gst_buffer_new_memdup (samples[i], sizeof samples[i]), *out;

    gst_buffer_add_audio_level_meta (in, 55, TRUE);
    out = gst_harness_push_and_pull (harness, gst_buffer_ref (in));
    fail_unless_equals_int (level_of (out), expected[i]);
    fail_unless (gst_buffer_get_audio_level_meta (out)->voice_activity);
    fail_unless_equals_int (gst_buffer_get_n_meta (out, GST_AUDIO_LEVEL_META_API_TYPE), 1);
    fail_unless_equals_int (level_of (in), 55);
    fail_unless (test_has_result (out));
    gst_buffer_unref (out);
    gst_buffer_unref (in);
  }
  test_harness_free (harness);
}

TEST_MAIN (60)
