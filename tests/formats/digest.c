/* Prints a digest of the results on random buffers of every format, to compare two builds
 * of the plugin.
 *
 *   GST_PLUGIN_PATH_1_0=BUILD_DIR/plugin CUDAHISTO_TEST_BACKEND=cpu|cuda digest [SEED [ROUNDS]]
 *
 * A line for each format and round: the format and the SHA-256 of the result's structure as
 * text, every field and every histogram in it. Two builds that print the same lines for the
 * same seed give identical results to the last bit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/audio/audio.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <stdlib.h>

/* Bins and ranges that take turns; none for the format's own. */
static const gchar *const settings[] = {
  "", "bins=100", "bins=7 range-max=300 range-min=3", "bins=1024 histogram=true",
};

static GstBuffer *
random_buffer (GRand * random, gsize size, gboolean is_float)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = g_rand_int (random) >> 24;
  /* Random bits are mostly huge numbers: let some lie in the range. */
  for (gsize i = 0; is_float && i + 4 <= map.size; i += 12) {
    const gfloat sample = g_rand_double_range (random, -1.1, 1.1);

    memcpy (map.data + i, &sample, sizeof sample);
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* Takes the caps and the buffer. */
static void
print_digest (const gchar * name, GstCaps * caps, GstBuffer * buffer,
    const gchar * properties)
{
  const gchar *backend = g_getenv ("CUDAHISTO_TEST_BACKEND");
  gchar *launch = g_strdup_printf ("cudahisto backend=%s %s",
      backend != NULL ? backend : "cpu", properties);
  GstHarness *harness = gst_harness_new_parse (launch);
  GstCustomMeta *meta;
  gchar *text, *digest;

  gst_harness_set_src_caps (harness, caps);
  buffer = gst_harness_push_and_pull (harness, buffer);
  meta = buffer != NULL ? gst_buffer_get_custom_meta (buffer, "cudahisto") :
      NULL;
  if (meta == NULL) {
    g_printerr ("%s: no result\n", name);
    exit (1);
  }
  text = gst_structure_to_string (gst_custom_meta_get_structure (meta));
  digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  g_print ("%s \"%s\" %s\n", name, properties, digest);
  g_free (digest);
  g_free (text);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
  g_free (launch);
}

static void
digest_video (GRand * random, GstVideoFormat format, const gchar * properties)
{
  GstVideoInfo info;
  GstBuffer *buffer;

  if (!gst_video_info_set_format (&info, format,
          g_rand_int_range (random, 1, 400), g_rand_int_range (random, 1, 100)))
    return;
  buffer = random_buffer (random, info.size, FALSE);
  print_digest (gst_video_format_to_string (format),
      gst_video_info_to_caps (&info), buffer, properties);
}

static void
digest_audio (GRand * random, GstAudioFormat format, const gchar * properties)
{
  GstAudioInfo info;
  GstBuffer *buffer;
  gsize n = g_rand_int_range (random, 1, 20000);

  gst_audio_info_set_format (&info, format, 48000,
      g_rand_int_range (random, 1, 9), NULL);
  buffer = random_buffer (random, n * GST_AUDIO_INFO_BPF (&info),
      GST_AUDIO_FORMAT_INFO_IS_FLOAT (info.finfo));
  print_digest (gst_audio_format_to_string (format),
      gst_audio_info_to_caps (&info), buffer, properties);
}

int
main (int argc, char **argv)
{
  const guint32 seed = argc > 1 ? strtoul (argv[1], NULL, 10) : 1;
  const guint n_rounds = argc > 2 ? strtoul (argv[2], NULL, 10) : 4;
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

    for (guint i = 0; i < n_video; i++)
      digest_video (random, video[i], properties);
    for (guint i = 0; i < n_audio; i++)
      digest_audio (random, audio[i], properties);
  }
  g_rand_free (random);
  return 0;
}
