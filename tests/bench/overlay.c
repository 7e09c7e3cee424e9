/* The processor time that cudahistooverlay takes for a 1080p frame: with the overlay blended, and
 * attached for a sink that draws it.
 *
 *   bench-overlay [FRAMES]
 *
 * Each frame (default: 200) has another picture and another result, which are made before. The time
 * is that of the thread that pushes the frames, so other programs hardly change it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include <math.h>
#include <time.h>

#define WIDTH 1920
#define HEIGHT 1080
#define CAPS "video/x-raw, format=I420, width=1920, height=1080, framerate=25/1"
/* Different frames; they are used again and again. */
#define N_PICTURES 16

static const gchar *const shows[] = {
  "histogram", "levels", "waveform", "waveform waveform-mode=parade", "waveform waveform-mode=overlay", "vectorscope",
  "meters+loudness", "regions", "waveform+vectorscope",
  "histogram+levels+waveform+vectorscope+meters+loudness+regions"
};

#define SOUND_CAPS "audio/x-raw, format=F32LE, layout=interleaved, rate=48000, channels=2"
#define SOUND_FRAMES (48000 / 25)

/* Moving waves, so that all values and hues are there. (transfer full) */
static GstBuffer *
make_picture (guint n)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT * 3 / 2,
      NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = 128 + ((i / 7 + n * n * 37) % 211 + i / WIDTH % 197) / 4
        - (i * (n + 3)) % 61;
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = n * 40 * GST_MSECOND;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  return buffer;
}

/* @pictures: (out): N_PICTURES frames with their results */
static void
measure_pictures (GstBuffer ** pictures)
{
  GstHarness *harness = gst_harness_new_parse ("cudahisto backend=cpu "
      "measures=scopes+color regions=\"a=0,0,50%,50%; b=60%,60%,20%,20%\"");

  gst_harness_set_src_caps_str (harness, CAPS);
  for (guint n = 0; n < N_PICTURES; n++)
    pictures[n] = gst_harness_push_and_pull (harness, make_picture (n));
  gst_harness_teardown (harness);
}

/* @sounds: (out): N_PICTURES buffers of two tones with their results, one for each frame */
static void
measure_sounds (GstBuffer ** sounds)
{
  GstHarness *harness = gst_harness_new_parse ("cudahisto backend=cpu measures=level+loudness");

  gst_harness_set_src_caps_str (harness, SOUND_CAPS);
  for (guint n = 0; n < N_PICTURES; n++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, SOUND_FRAMES * 2 * sizeof (gfloat), NULL);
    GstMapInfo map;

    gst_buffer_map (buffer, &map, GST_MAP_WRITE);
    for (guint i = 0; i < SOUND_FRAMES * 2; i++)
      ((gfloat *) map.data)[i] = (gfloat) (0.03 * (n + 1) * sin (i / 2 * (i % 2 + 1) * 0.06));
    gst_buffer_unmap (buffer, &map);
    GST_BUFFER_PTS (buffer) = n * 40 * GST_MSECOND;
    GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
    sounds[n] = gst_harness_push_and_pull (harness, buffer);
  }
  gst_harness_teardown (harness);
}

static gdouble
thread_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

/* Returns: ms of processor time for a frame */
static gdouble
run (GstBuffer ** pictures, GstBuffer ** sounds, guint n_frames, const gchar * properties,
    gboolean attaches)
{
  gchar *description = g_strdup_printf ("cudahistooverlay %s", properties);
  GstElement *overlay = gst_object_ref_sink (gst_parse_launch (description, NULL));
  GstHarness *harness = gst_harness_new_with_element (overlay, "sink", "src");
  GstHarness *audio = gst_harness_new_with_element (overlay, "audio_%u", NULL);
  gdouble time = 0;

  if (attaches)
    gst_harness_add_propose_allocation_meta (harness,
        GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str (harness, CAPS);
  gst_harness_set_src_caps_str (audio, SOUND_CAPS);
  for (guint n = 0; n < n_frames + N_PICTURES; n++) {
    GstBuffer *frame = gst_buffer_copy_deep (pictures[n % N_PICTURES]);
    GstBuffer *sound = gst_buffer_copy (sounds[n % N_PICTURES]);
    gdouble begin;

    GST_BUFFER_PTS (frame) = GST_BUFFER_PTS (sound) = n * 40 * GST_MSECOND;
    gst_harness_push (audio, sound);
    begin = thread_time ();
    gst_harness_push (harness, frame);
    /* The first frames load fonts, and fill the levels. */
    if (n >= N_PICTURES)
      time += thread_time () - begin;
    gst_buffer_unref (gst_harness_pull (harness));
  }
  gst_harness_teardown (audio);
  gst_harness_teardown (harness);
  gst_object_unref (overlay);
  g_free (description);
  return time / n_frames;
}

int
main (int argc, char **argv)
{
  GstBuffer *pictures[N_PICTURES], *sounds[N_PICTURES];
  guint64 n_frames = 200;

  gst_init (&argc, &argv);
  if (argc > 2 || (argc == 2 && !g_ascii_string_to_unsigned (argv[1], 10, 1,
              1000000, &n_frames, NULL))) {
    g_printerr ("usage: %s [FRAMES]\n", argv[0]);
    return 2;
  }
  measure_pictures (pictures);
  measure_sounds (sounds);
  g_print ("| `show` | `components` | blended | attached |\n|---|---|---|---|\n");
  for (guint i = 0; i < G_N_ELEMENTS (shows); i++) {
    for (guint parade = 0; parade < 2; parade++) {
      const gchar *components = parade ? "parade" : "luma";
      gchar *properties = g_strdup_printf ("show=%s components=%s", shows[i],
          components);

      g_print ("| `%s` | `%s` | %.2f | %.2f |\n", shows[i], components,
          run (pictures, sounds, n_frames, properties, FALSE),
          run (pictures, sounds, n_frames, properties, TRUE));
      g_free (properties);
    }
  }
  for (guint n = 0; n < N_PICTURES; n++) {
    gst_buffer_unref (pictures[n]);
    gst_buffer_unref (sounds[n]);
  }
  return 0;
}
