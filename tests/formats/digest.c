/* Prints a digest of the results on random streams of every format, to compare two builds of the plugin.
 *
 *   GST_PLUGIN_PATH_1_0=BUILD_DIR/plugin CUDAHISTO_TEST_BACKEND=cpu|cuda digest [SEED [ROUNDS [PATTERN]]]
 *
 * A line for each format and round: the format, the content, the settings, and the SHA-256 of the results of three
 * buffers as text, every field and every histogram in them. Two builds that print the same lines for the same seed
 * give identical results to the last bit. With PATTERN only formats whose name it matches (as a shell matches).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/audio/audio.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <stdlib.h>

/* Settings that take turns. The first ones are for what is always measured, the others for groups. */
static const gchar *const settings[] = {
  "", "bins=100", "bins=7 range-max=300 range-min=3", "bins=1024 histogram=true",
  "measures=signal+motion+level", "measures=color+gamut+flash+field+loudness",
  "measures=signal+motion+color+hdr+detail+area+gamut+gamut-filter+flash+field+scopes+level+loudness",
  "measures=scopes+color regions=\"a=0,0,50%,50%; b=25%,0,75%,100%\"",
};

typedef enum
{ NOISE, SMOOTH, CONSTANT, N_CONTENTS } Content;

static const gchar *const content_names[N_CONTENTS] = { "noise", "smooth", "constant" };

#define N_BUFFERS 3

/* @sample_size: bytes of a sample, 1 or more: smooth content has small steps between samples of that size */
static GstBuffer *
new_buffer (GRand * random, gsize size, Content content, gsize sample_size, gboolean is_float)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  guint16 value = g_rand_int (random);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++) {
    if (content == NOISE) {
      map.data[i] = g_rand_int (random) >> 24;
    } else if (sample_size < 2) {
      map.data[i] = value >> 8;
    } else {
      map.data[i] = i % sample_size == 0 ? value : i % sample_size == sample_size - 1 ? value >> 8 : 0;
    }
    /* A step at the end of a sample, of at most 1/256 of the range; now and then an edge. */
    if (content == SMOOTH && (i + 1) % sample_size == 0)
      value += g_rand_int (random) >> 24 == 0 ? g_rand_int (random) >> 16 : (g_rand_int (random) >> 24) - 128;
  }
  /* Random bits are mostly huge numbers: let some lie in the range. */
  for (gsize i = 0; is_float && i + 4 <= map.size; i += 12) {
    const gfloat sample = g_rand_double_range (random, -1.1, 1.1);

    memcpy (map.data + i, &sample, sizeof sample);
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* Takes the caps and the buffers. */
static void
print_digest (const gchar * name, Content content, GstCaps * caps, GstBuffer ** buffers, GstClockTime duration,
    const gchar * properties)
{
  const gchar *backend = g_getenv ("CUDAHISTO_TEST_BACKEND");
  gchar *launch = g_strdup_printf ("cudahisto backend=%s %s",
      backend != NULL ? backend : "cpu", properties);
  GstHarness *harness = gst_harness_new_parse (launch);
  GChecksum *digest = g_checksum_new (G_CHECKSUM_SHA256);

  gst_harness_set_src_caps (harness, caps);
  for (guint i = 0; i < N_BUFFERS; i++) {
    GstCustomMeta *meta;
    GstBuffer *measured;
    gchar *text;

    GST_BUFFER_PTS (buffers[i]) = i * duration;
    GST_BUFFER_DURATION (buffers[i]) = duration;
    measured = gst_harness_push_and_pull (harness, buffers[i]);
    meta = measured != NULL ? gst_buffer_get_custom_meta (measured, "cudahisto") : NULL;
    if (meta == NULL) {
      g_printerr ("%s \"%s\": no result\n", name, properties);
      exit (1);
    }
    text = gst_structure_to_string (gst_custom_meta_get_structure (meta));
    if (g_getenv ("CUDAHISTO_TEST_VERBOSE") != NULL)
      g_print ("%s\n", text);
    g_checksum_update (digest, (const guchar *) text, strlen (text));
    g_free (text);
    gst_buffer_unref (measured);
  }
  g_print ("%s %s \"%s\" %s\n", name, content_names[content], properties, g_checksum_get_string (digest));
  g_checksum_free (digest);
  gst_harness_teardown (harness);
  g_free (launch);
}

static void
digest_video (GRand * random, GstVideoFormat format, Content content, const gchar * properties)
{
  GstBuffer *buffers[N_BUFFERS];
  GstVideoInfo info;

  if (!gst_video_info_set_format (&info, format,
          g_rand_int_range (random, 1, 400), g_rand_int_range (random, 1, 100)))
    return;
  GST_VIDEO_INFO_FPS_N (&info) = 25;
  GST_VIDEO_INFO_FPS_D (&info) = 1;
  for (guint i = 0; i < N_BUFFERS; i++)
    buffers[i] = new_buffer (random, info.size, content, GST_VIDEO_INFO_COMP_DEPTH (&info, 0) > 8 ? 2 : 1, FALSE);
  print_digest (gst_video_format_to_string (format), content, gst_video_info_to_caps (&info), buffers, 40 * GST_MSECOND,
      properties);
}

static void
digest_audio (GRand * random, GstAudioFormat format, Content content, const gchar * properties)
{
  GstBuffer *buffers[N_BUFFERS];
  GstAudioInfo info;
  gsize n = g_rand_int_range (random, 1, 20000);

  gst_audio_info_set_format (&info, format, 48000,
      g_rand_int_range (random, 1, 9), NULL);
  for (guint i = 0; i < N_BUFFERS; i++)
    buffers[i] = new_buffer (random, n * GST_AUDIO_INFO_BPF (&info), content, GST_AUDIO_INFO_BPS (&info),
        GST_AUDIO_FORMAT_INFO_IS_FLOAT (info.finfo));
  print_digest (gst_audio_format_to_string (format), content, gst_audio_info_to_caps (&info), buffers,
      gst_util_uint64_scale (n, GST_SECOND, 48000), properties);
}

int
main (int argc, char **argv)
{
  const guint32 seed = argc > 1 ? strtoul (argv[1], NULL, 10) : 1;
  const guint n_rounds = argc > 2 ? strtoul (argv[2], NULL, 10) : G_N_ELEMENTS (settings) * N_CONTENTS;
  const gchar *pattern = argc > 3 ? argv[3] : "*";
  GRand *random = g_rand_new_with_seed (seed);
  GstRegistry *registry;
  guint n_video, n_audio;
  const GstVideoFormat *video;
  const GstAudioFormat *audio;

  gst_init (&argc, &argv);
  video = gst_video_formats_raw (&n_video);
  audio = gst_audio_formats_raw (&n_audio);
  registry = gst_registry_get ();
  if (gst_registry_lookup_feature (registry, "cudahisto") == NULL) {
    g_printerr ("No element cudahisto: set GST_PLUGIN_PATH_1_0\n");
    return 1;
  }
  for (guint round = 0; round < n_rounds; round++) {
    const gchar *properties = settings[round % G_N_ELEMENTS (settings)];
    const Content content = round / G_N_ELEMENTS (settings) % N_CONTENTS;

    for (guint i = 0; i < n_video; i++) {
      if (g_pattern_match_simple (pattern, gst_video_format_to_string (video[i])))
        digest_video (random, video[i], content, properties);
    }
    for (guint i = 0; i < n_audio; i++) {
      if (g_pattern_match_simple (pattern, gst_audio_format_to_string (audio[i])))
        digest_audio (random, audio[i], content, properties);
    }
  }
  g_rand_free (random);
  return 0;
}
