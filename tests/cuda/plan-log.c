/* Tests the log of the plan: it is written once for each configuration, not for each buffer, in the name
 * of the element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "harness.h"

/* The log's lines of the file launch.c, one after the other. */
static GString *lines;
static GMutex lines_lock;
static guint n_other_lines;     /* lines of that file that do not name a cudahisto element */

static void
keep_plan_lines (GstDebugCategory * category, GstDebugLevel level,
    const gchar * file, const gchar * function, gint line, GObject * object,
    GstDebugMessage * message, gpointer user_data)
{
  if (level != GST_LEVEL_DEBUG || !g_str_has_suffix (file, "launch.c"))
    return;
  g_mutex_lock (&lines_lock);
  g_string_append_printf (lines, "%s\n", gst_debug_message_get (message));
  if (!GST_IS_ELEMENT (object)
      || !g_str_has_prefix (GST_OBJECT_NAME (object), "cudahisto"))
    n_other_lines++;
  g_mutex_unlock (&lines_lock);
}

static GstHarness *
harness_with_log (void)
{
  GstHarness *harness = test_harness_new ("");

  lines = g_string_new (NULL);
  n_other_lines = 0;
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (keep_plan_lines, NULL, NULL);
  gst_debug_set_threshold_for_name ("cudahisto", GST_LEVEL_DEBUG);
  return harness;
}

static void
free_harness (GstHarness * harness)
{
  test_harness_free (harness);
  fail_unless_equals_int (n_other_lines, 0);
  gst_debug_remove_log_function (keep_plan_lines);
  g_string_free (lines, TRUE);
}

static void
measure_buffers (GstHarness * harness, const gchar * caps, gsize size, guint n)
{
  gst_harness_set_src_caps_str (harness, caps);
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

    gst_buffer_memset (buffer, 0, i, size);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
    gst_buffer_unref (gst_harness_pull (harness));
  }
}

static guint
n_lines (const gchar * text)
{
  guint n = 0;

  for (const gchar * p = lines->str; (p = strstr (p, text)) != NULL; p++)
    n++;
  return n;
}

#define CHECK_LINES(text, n) \
  fail_unless (n_lines (text) == n, "%u lines with \"%s\", not %u:\n%s", \
      n_lines (text), text, n, lines->str)

TEST (test_a_line_for_each_plane)
{
  GstHarness *harness = harness_with_log ();

  measure_buffers (harness,
      "video/x-raw,format=NV12,width=64,height=64,framerate=25/1",
      64 * 64 * 3 / 2, 5);
  CHECK_LINES ("plane 0, bins 0 to 255: kernel bytes, by units, 32 copies", 1);
  CHECK_LINES ("plane 1, bins 256 to 767: kernel bytes, by units, 32 copies", 1);
  CHECK_LINES ("1 blocks of 1024 threads, 65536 bytes of shared memory", 2);
  CHECK_LINES ("\n", 2);

  /* New caps: another plan. */
  measure_buffers (harness,
      "video/x-raw,format=GRAY16_LE,width=64,height=64,framerate=25/1",
      64 * 64 * 2, 5);
  CHECK_LINES ("plane 0, bins 0 to 65535: kernel packed, by units, one copy of "
      "16-bit counters", 1);
  CHECK_LINES ("second launch: ", 1);
  CHECK_LINES ("\n", 4);
  free_harness (harness);
}

TEST (test_a_line_for_audio)
{
  GstHarness *harness = harness_with_log ();

  measure_buffers (harness, "audio/x-raw,format=S16LE,rate=48000,channels=2,"
      "layout=interleaved,channel-mask=(bitmask)3", 4 * 480, 5);
  CHECK_LINES ("2 channels of 480 samples, 1 buffers: kernel "
      "short_2, 4 copies", 1);
  CHECK_LINES ("\n", 1);
  free_harness (harness);
}

TEST_MAIN (60)
