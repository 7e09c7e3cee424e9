/* Processor time of the element's CPU engine for a frame of video.
 *
 *     cpu-frames FORMAT MEASURES CONTENT
 *
 * FORMAT: of GstVideoFormat. CONTENT: `scene`, a moving picture with some noise, or `noise`. The frames
 * are 1080p and lie in memory. Prints ms of the whole process for a frame, the least of several rounds.
 * It runs the plugin that GST_PLUGIN_PATH_1_0 names.
 *
 * With `write` as MEASURES it writes the frames to the standard output instead, for other programs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#define WIDTH 1920
#define HEIGHT 1080
/* Different frames, which are pushed in turn. */
#define N_FRAMES 4
#define N_ROUNDS 5
#define FRAMES_PER_ROUND (2 * N_FRAMES)

static guint16
sample (gdouble value)
{
  return CLAMP (value, 0, 65535);
}

/* Sums of a few random numbers, -1 to 1: nearly normal. */
static gdouble
grain (GRand * random)
{
  const guint32 bits = g_rand_int (random);

  return ((gint) (bits & 255) + (gint) (bits >> 8 & 255) + (gint) (bits >> 16 & 255)
      + (gint) (bits >> 24) - 510) / 510.0;
}

/* Writes frame @number as AYUV64. */
static void
fill (guint16 * out, guint number, gboolean is_noise, GRand * random)
{
  for (guint y = 0; y < HEIGHT; y++) {
    for (guint x = 0; x < WIDTH; x++, out += 4) {
      const gdouble u = (x + 3.0 * number) / 160, v = (y + 2.0 * number) / 120;
      const gboolean is_edge = ((guint) (u * 1.3) + (guint) (v * 1.7)) % 3 == 0;

      out[0] = 65535;
      if (is_noise) {
        for (guint i = 1; i < 4; i++)
          out[i] = g_rand_int (random);
        continue;
      }
      out[1] = sample (28000 + 14000 * sin (u) * cos (v * 1.4) + is_edge * 9000
          + 900 * grain (random));
      out[2] = sample (32768 + 7000 * sin (u * 0.4 + v * 0.2) + 300 * grain (random));
      out[3] = sample (32768 + 6000 * cos (u * 0.3 - v * 0.5) + 300 * grain (random));
    }
  }
}

/* The frames in this format. */
static void
make_frames (GstVideoInfo * info, gboolean is_noise, GstBuffer * frames[N_FRAMES])
{
  GRand *random = g_rand_new_with_seed (1);
  GstVideoInfo from;
  GstVideoConverter *converter;

  gst_video_info_set_format (&from, GST_VIDEO_FORMAT_AYUV64, WIDTH, HEIGHT);
  from.fps_n = info->fps_n;
  from.colorimetry.range = GST_VIDEO_COLOR_RANGE_16_235;
  converter = gst_video_converter_new (&from, info, NULL);
  for (guint i = 0; i < N_FRAMES; i++) {
    GstBuffer *wide = gst_buffer_new_allocate (NULL, from.size, NULL);
    GstVideoFrame in, out;

    frames[i] = gst_buffer_new_allocate (NULL, info->size, NULL);
    gst_buffer_memset (frames[i], 0, 0, info->size);
    gst_video_frame_map (&in, &from, wide, GST_MAP_READWRITE);
    gst_video_frame_map (&out, info, frames[i], GST_MAP_WRITE);
    fill (in.data[0], i, is_noise, random);
    gst_video_converter_frame (converter, &in, &out);
    gst_video_frame_unmap (&in);
    gst_video_frame_unmap (&out);
    gst_buffer_unref (wide);
  }
  gst_video_converter_free (converter);
  g_rand_free (random);
}

/* Returns: the exit status */
static gint
write_frames (GstBuffer * frames[N_FRAMES])
{
  gsize written = 0, size = 0;

  for (guint i = 0; i < N_FRAMES; i++) {
    GstMapInfo map;

    gst_buffer_map (frames[i], &map, GST_MAP_READ);
    written += fwrite (map.data, 1, map.size, stdout);
    size += map.size;
    gst_buffer_unmap (frames[i], &map);
    gst_buffer_unref (frames[i]);
  }
  return fflush (stdout) != 0 || written != size;
}

static gdouble
process_time (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
}

int
main (int argc, char **argv)
{
  GstBuffer *frames[N_FRAMES];
  GstVideoInfo info;
  GstHarness *harness;
  gchar *launch;
  guint pushed = 0;
  gdouble least = G_MAXDOUBLE;

  gst_init (&argc, &argv);
  if (argc < 4 || gst_video_format_from_string (argv[1]) == GST_VIDEO_FORMAT_UNKNOWN) {
    g_printerr ("usage: cpu-frames FORMAT MEASURES scene|noise\n");
    return 2;
  }
  gst_video_info_set_format (&info, gst_video_format_from_string (argv[1]), WIDTH, HEIGHT);
  info.fps_n = 25;
  make_frames (&info, strcmp (argv[3], "noise") == 0, frames);
  if (strcmp (argv[2], "write") == 0)
    return write_frames (frames);

  launch = g_strdup_printf ("cudahisto backend=cpu max-in-flight=1 measures=%s", argv[2]);
  harness = gst_harness_new_parse (launch);
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
  for (guint round = 0; round <= N_ROUNDS; round++) {
    const gdouble begin = process_time ();

    for (guint i = 0; i < FRAMES_PER_ROUND; i++, pushed++) {
      GstBuffer *buffer = gst_buffer_copy (frames[pushed % N_FRAMES]);

      GST_BUFFER_PTS (buffer) = pushed * GST_SECOND / 25;
      GST_BUFFER_DURATION (buffer) = GST_SECOND / 25;
      gst_harness_push (harness, buffer);
      gst_buffer_unref (gst_harness_pull (harness));
    }
    /* The first round makes the tables. */
    if (round > 0)
      least = MIN (least, (process_time () - begin) / FRAMES_PER_ROUND);
  }
  g_print ("%.3f\n", least);
  gst_harness_teardown (harness);
  g_free (launch);
  for (guint i = 0; i < N_FRAMES; i++)
    gst_buffer_unref (frames[i]);
  return 0;
}
