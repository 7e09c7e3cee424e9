/* The property `mask`: what files it takes, what is refused, changes, windows and crops. formats/masks.c compares the figures
 * of each format with the reference.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare.h"
#include "frames.h"
#include "pipeline.h"

#include <glib/gstdio.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#define WIDTH GRAY_WIDTH
#define HEIGHT GRAY_HEIGHT

/* The left half takes part. */
static void
fill_half (guint8 * pixels)
{
  for (guint i = 0; i < WIDTH * HEIGHT; i++)
    pixels[i] = i % WIDTH < WIDTH / 2;
}

static gchar *
half_new (void)
{
  guint8 pixels[WIDTH * HEIGHT];

  fill_half (pixels);
  return test_mask_file_new (WIDTH, HEIGHT, pixels);
}

/* Pushes frame @n. Its result must be of @count pixels, under a mask if @mask is a word. */
static void
check_frame (GstHarness * harness, guint n, guint64 count, const gchar * mask)
{
  GstBuffer *buffer;
  const GstStructure *result, *y;

  test_push_frame (harness, n);
  buffer = gst_harness_pull (harness);
  result = test_result (buffer);
  y = test_component (result, "Y");
  fail_unless_equals_uint64 (test_get_uint64 (y, "count"), count);
  fail_unless_equals_string (gst_structure_get_string (result, "mask"), mask);
  if (mask != NULL)
    fail_unless_equals_uint64 (test_get_uint64 (result, "mask-pixels"), count);
  fail_unless_equals_int (!isnan (test_get_double (y, "mean")), count > 0);
  if (count > 0)
    fail_unless (test_get_double (y, "mean") == n);
  gst_buffer_unref (buffer);
}

/* ---- Files ---------------------------------------------------------------------------------------- */

/* Images of every kind that GStreamer decodes: black is no part, anything else is. The darkest gray of 16 bits and the
 * darkest blue are not black. */
TEST (test_kinds_of_files)
{
  static const struct
  {
    const gchar *format, *encoder, *suffix;
  } kinds[] = {
    {"GRAY8", "pngenc", "png"}, {"GRAY16_BE", "pngenc", "png"}, {"RGB", "pngenc", "png"}, {"RGBA", "pngenc", "png"},
    {"GRAY8", "pnmenc", "pgm"}, {"RGB", "pnmenc", "ppm"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    const gboolean is_deep = g_str_has_prefix (kinds[i].format, "GRAY16");
    gchar *folder = g_dir_make_tmp ("mask-XXXXXX", NULL), *properties;
    gchar *name = g_strdup_printf ("%s/mask.%s", folder, kinds[i].suffix);
    GstElement *pipeline = test_pipeline_new ("appsrc name=source format=time caps=video/x-raw,format=%s,width=%d,"
        "height=%d,framerate=1/1 ! %s ! filesink location=%s", kinds[i].format, WIDTH, HEIGHT, kinds[i].encoder, name);
    GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
    const guint bytes = is_deep ? 2 : g_str_has_prefix (kinds[i].format, "RGBA") ? 4 : kinds[i].format[0] == 'R' ? 3 : 1;
    GstBuffer *image = gst_buffer_new_allocate (NULL, (WIDTH * bytes + 3) / 4 * 4 * HEIGHT, NULL);
    GstFlowReturn ret;
    GstHarness *harness;

    gst_buffer_memset (image, 0, 0, -1);
    for (guint y = 0; y < HEIGHT; y++) {
      for (guint x = 0; x < WIDTH / 2; x++) {
        const guint8 one = 1;

        /* The last byte of gray, blue of RGB. */
        gst_buffer_fill (image, y * (WIDTH * bytes) + x * bytes + (bytes == 4 ? 2 : bytes - 1), &one, 1);
      }
    }
    GST_BUFFER_PTS (image) = 0;
    g_signal_emit_by_name (source, "push-buffer", image, &ret);
    g_signal_emit_by_name (source, "end-of-stream", &ret);
    gst_buffer_unref (image);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    test_wait_for (pipeline, GST_MESSAGE_EOS);
    gst_object_unref (source);
    test_pipeline_free (pipeline);

    properties = g_strdup_printf ("mask=%s", name);
    harness = test_gray_harness_new (properties);
    check_frame (harness, 7, WIDTH * HEIGHT / 2, "file");
    test_harness_free (harness);
    g_unlink (name);
    g_rmdir (folder);
    g_free (properties);
    g_free (name);
    g_free (folder);
  }
}

/* Starts an element with this file. It must refuse to start, with an error that has @text. */
static void
check_refused_file (const gchar * name, gint code, const gchar * text)
{
  GstElement *element = gst_element_factory_make ("cudahisto", NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error = NULL;

  gst_element_set_bus (element, bus);
  g_object_set (element, "mask", name, NULL);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cpu");
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "%s", name);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, code), "%s: %s", name, error->message);
  fail_unless (strstr (error->message, name) != NULL && strstr (error->message, text) != NULL, "%s: %s", name,
      error->message);
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
  g_error_free (error);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}

static void
check_refused_contents (const gchar * contents, gssize length, const gchar * text)
{
  gchar *name = half_new ();

  fail_unless (g_file_set_contents (name, contents, length, NULL));
  check_refused_file (name, GST_RESOURCE_ERROR_READ, text);
  test_mask_file_free (name);
}

TEST (test_refused_files)
{
  gchar *folder = g_dir_make_tmp ("mask-XXXXXX", NULL);
  gchar *missing = g_build_filename (folder, "no such file.png", NULL);
  gchar *pipe = g_build_filename (folder, "pipe.png", NULL);
  gchar *large = g_build_filename (folder, "large.pgm", NULL);

  check_refused_file (missing, GST_RESOURCE_ERROR_NOT_FOUND, "No such file");
  check_refused_file (folder, GST_RESOURCE_ERROR_OPEN_READ, "regular file");
  fail_unless_equals_int (mkfifo (pipe, 0600), 0);
  check_refused_file (pipe, GST_RESOURCE_ERROR_OPEN_READ, "regular file");
  fail_unless (g_file_set_contents (large, "P5", 2, NULL));
  fail_unless_equals_int (truncate (large, 300 << 20), 0);
  check_refused_file (large, GST_RESOURCE_ERROR_READ, "256 MiB");
  check_refused_contents ("", 0, "");
  check_refused_contents ("This is a text, and no image at all.\n", -1, "");
  /* A header of more pixels than are allowed, and an image that ends too early. */
  check_refused_contents ("P5\n# a mask that is far too large to be decoded\n32000 32000\n255\n0", -1, "268435456 pixels");
  check_refused_contents ("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x08\x08\0\0\0\0", 29, "");
  /* To play it would be to wait for the network. */
  if (gst_registry_check_feature_version (gst_registry_get (), "hlsdemux", 1, 0, 0)
      || gst_registry_check_feature_version (gst_registry_get (), "hlsdemux2", 1, 0, 0))
    check_refused_contents ("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nhttp://127.0.0.1:1/a.ts\n"
        "#EXT-X-ENDLIST\n", -1, "names what is elsewhere");
  g_unlink (pipe);
  g_unlink (large);
  g_rmdir (folder);
  g_free (missing);
  g_free (pipe);
  g_free (large);
  g_free (folder);
}

/* ---- Settings that do not fit --------------------------------------------------------------------------- */

/* Pushes two frames without a mask and then sets the properties: the next frame is refused with an error that has @text, and
 * the two leave the element. */
static void
check_refused (const gchar * caps, gsize size, const gchar * property, const gchar * value, const gchar * mask,
    const gchar * text)
{
  GstHarness *harness = test_harness_new ("max-in-flight=4");
  GstMessage *message;
  GError *error = NULL;

  gst_harness_set_src_caps_str (harness, caps);
  for (guint i = 0; i < 2; i++)
    fail_unless_equals_int (gst_harness_push (harness, test_buffer_new (size, 7, i * GRAY_DURATION)), GST_FLOW_OK);
  if (property != NULL)
    gst_util_set_object_arg (G_OBJECT (harness->element), property, value);
  g_object_set (harness->element, "mask", mask, NULL);
  fail_unless_equals_int (gst_harness_push (harness, test_buffer_new (size, 7, 2 * GRAY_DURATION)), GST_FLOW_ERROR);
  message = test_pop_message (harness, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT)
      && strstr (error->message, text) != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  for (guint i = 0; i < 2; i++) {
    GstBuffer *buffer = gst_harness_pull (harness);

    fail_unless (test_has_result (buffer));
    gst_buffer_unref (buffer);
  }
  test_harness_free (harness);
}

TEST (test_what_does_not_fit)
{
  static const struct
  {
    const gchar *property, *value, *text;
  } settings[] = {
    {"measures", "signal+motion+detail", "motion, detail"},
    {"measures", "area", "area"}, {"measures", "gamut-filter", "gamut-filter"}, {"measures", "flash", "flash"},
    {"measures", "field", "field"}, {"measures", "scopes", "scopes"},
    {"alerts", "freeze", "motion"}, {"rules", "a: detail.si > 3", "detail"},
  };
  gchar *half = half_new ();

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    check_refused (GRAY_CAPS, GRAY_SIZE, settings[i].property, settings[i].value, half, settings[i].text);
  check_refused (GRAY_CAPS, GRAY_SIZE, NULL, NULL, "alpha", "GRAY8 has none");
  check_refused ("video/x-raw, format=GRAY8, width=20, height=8, framerate=25/1", 20 * 8, NULL, NULL, half,
      "an image of 16x8, and the picture has 20x8");
  check_refused ("video/x-bayer, format=bggr, width=16, height=8, framerate=25/1", 16 * 8, NULL, NULL, "alpha",
      "bggr has none");
  test_mask_file_free (half);
}

/* Groups of sound, and the groups that a mask has a meaning for, are no error; nor is a mask for sound. */
TEST (test_what_fits)
{
  gchar *half = half_new ();
  gchar *properties = g_strdup_printf ("mask=%s measures=signal+color+hdr+gamut+level alerts=range+black", half);
  GstHarness *harness = test_gray_harness_new (properties);
  GstBuffer *buffer;

  check_frame (harness, 7, WIDTH * HEIGHT / 2, "file");
  test_harness_free (harness);
  harness = test_harness_new (properties);
  gst_harness_set_src_caps_str (harness, "audio/x-raw, format=S16LE, rate=8000, channels=1, layout=interleaved");
  buffer = gst_harness_push_and_pull (harness, test_buffer_new (160, 7, 0));
  fail_unless_equals_uint64 (test_get_uint64 (test_component (test_result (buffer), "ch0"), "count"), 80);
  fail_if (gst_structure_has_field (test_result (buffer), "mask"));
  gst_buffer_unref (buffer);
  test_harness_free (harness);
  test_mask_file_free (half);
  g_free (properties);
}

/* ---- Changes ----------------------------------------------------------------------------------------------- */

/* A mask changes between two frames. One that cannot be read leaves the previous one, with a warning. */
TEST (test_changes)
{
  guint8 pixels[WIDTH * HEIGHT] = { 0, };
  gchar *half = half_new (), *nothing = test_mask_file_new (WIDTH, HEIGHT, pixels), *found = NULL;
  GstHarness *harness = test_gray_harness_new (NULL);

  check_frame (harness, 1, WIDTH * HEIGHT, NULL);
  g_object_set (harness->element, "mask", half, NULL);
  check_frame (harness, 2, WIDTH * HEIGHT / 2, "file");
  g_object_set (harness->element, "mask", "/no/such/file.png", NULL);
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_WARNING), 1);
  g_object_get (harness->element, "mask", &found, NULL);
  fail_unless_equals_string (found, half);
  check_frame (harness, 3, WIDTH * HEIGHT / 2, "file");
  g_object_set (harness->element, "mask", nothing, NULL);
  check_frame (harness, 4, 0, "file");
  g_object_set (harness->element, "mask", "", NULL);
  check_frame (harness, 5, WIDTH * HEIGHT, NULL);
  fail_unless (test_pop_message (harness, GST_MESSAGE_ERROR) == NULL);
  test_harness_free (harness);
  test_mask_file_free (half);
  test_mask_file_free (nothing);
  g_free (found);
}

/* Each start reads the file again. */
TEST (test_restarts)
{
  guint8 pixels[WIDTH * HEIGHT] = { 1, 1, 1, };
  gchar *half = half_new (), *other = test_mask_file_new (WIDTH, HEIGHT, pixels);
  gchar *properties = g_strdup_printf ("mask=%s", half);
  GstHarness *harness = test_gray_harness_new (properties);

  check_frame (harness, 1, WIDTH * HEIGHT / 2, "file");
  fail_unless_equals_int (g_rename (other, half), 0);
  check_frame (harness, 2, WIDTH * HEIGHT / 2, "file");
  test_set_state (harness->element, GST_STATE_READY);
  test_set_state (harness->element, GST_STATE_PLAYING);
  test_restart_stream (harness, GRAY_CAPS);
  test_push_segment (harness);
  check_frame (harness, 3, 3, "file");
  test_harness_free (harness);
  test_mask_file_free (half);
  g_free (other);
  g_free (properties);
}

/* ---- Windows and crops ----------------------------------------------------------------------------------------- */

/* A window has the sums of its frames, and the shares of the pixels that took part in them. */
TEST (test_window)
{
  gchar *half = half_new ();
  gchar *properties = g_strdup_printf ("mask=%s window=%" G_GUINT64_FORMAT " measures=signal+gamut "
      "regions=\"right=75%%,0,25%%,100%%; left=0,0,3,3\"", half, (guint64) 3 * GRAY_DURATION);
  GstHarness *harness = test_gray_harness_new (properties);
  GstMessage *message;
  const GstStructure *window, *region;

  /* Black of full range is out of range. */
  for (guint n = 0; n < 3; n++)
    gst_buffer_unref (gst_harness_push_and_pull (harness, test_buffer_new (GRAY_SIZE, n == 0 ? 0 : 100,
                n * GRAY_DURATION)));
  test_end_stream (harness);
  message = test_wait_message (harness, GST_MESSAGE_ELEMENT);
  window = gst_message_get_structure (message);
  fail_unless (gst_structure_has_name (window, "cudahisto-window"));
  fail_unless_equals_uint64 (test_get_uint64 (test_component (window, "Y"), "count"), 3 * WIDTH * HEIGHT / 2);
  fail_unless_equals_uint64 (test_get_uint64 (window, "mask-pixels"), 3 * WIDTH * HEIGHT / 2);
  fail_unless_equals_string (gst_structure_get_string (window, "mask"), "file");
  fail_unless_equals_float (test_get_double (test_component (window, "signal"), "brng"), 1 / 3.);
  fail_if (gst_structure_has_field (test_component (window, "signal"), "tout"));
  for (guint r = 0; r < 2; r++) {
    region = gst_value_get_structure (gst_value_array_get_value (gst_structure_get_value (window, "regions"), r));
    fail_unless_equals_uint64 (test_get_uint64 (test_component (region, "Y"), "count"), r == 0 ? 0 : 27);
    fail_unless_equals_int (gst_structure_has_field (test_component (region, "gamut"), "y-min"), r == 1);
    if (r == 1)
      fail_unless (test_get_double (test_component (region, "signal"), "brng") == 1 / 3.);
  }
  gst_message_unref (message);
  test_harness_free (harness);
  test_mask_file_free (half);
  g_free (properties);
}

/* The mask is that of the picture: of the rectangle of a crop meta. */
TEST (test_crop)
{
  gchar *half = half_new ();
  gchar *properties = g_strdup_printf ("mask=%s", half);
  GstHarness *harness = test_harness_new (properties);
  GstBuffer *buffer = test_buffer_new (32 * 16, 0, 0);
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);
  const gsize offsets[GST_VIDEO_MAX_PLANES] = { 0, };
  const gint strides[GST_VIDEO_MAX_PLANES] = { 32, };

  /* As decoders have it: the caps have the size of the rectangle. */
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 32, 16, 1,
      (gsize *) offsets, (gint *) strides);
  crop->x = 5;
  crop->y = 3;
  crop->width = WIDTH;
  crop->height = HEIGHT;
  for (guint y = 3; y < 3 + HEIGHT; y++)
    gst_buffer_memset (buffer, y * 32 + 5, 9, WIDTH / 2);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  buffer = gst_harness_push_and_pull (harness, buffer);
  fail_unless_equals_uint64 (test_get_uint64 (test_component (test_result (buffer), "Y"), "count"), WIDTH * HEIGHT / 2);
  fail_unless_equals_float (test_get_double (test_component (test_result (buffer), "Y"), "min"), 9);
  gst_buffer_unref (buffer);
  test_harness_free (harness);
  test_mask_file_free (half);
  g_free (properties);
}

TEST_MAIN (120)
