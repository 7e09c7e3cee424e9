/* Metas on a buffer that stand in the way of the result: another plugin's meta of the element's
 * name or API, and an earlier result that is locked.
 *
 * A meta cannot be unregistered. The tests that register one of the element's name need a process
 * of their own: they are left out if check does not fork.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"

static gboolean
init_meta (GstMeta * meta, gpointer parameters, GstBuffer * buffer)
{
  return TRUE;
}

static void
free_meta (GstMeta * meta, GstBuffer * buffer)
{
}

static gboolean
transform_meta (GstBuffer * to, GstMeta * meta, GstBuffer * from,
    GQuark type, gpointer data)
{
  return TRUE;
}

/* A meta of another plugin, which is no GstCustomMeta. */
static const GstMetaInfo *
register_foreign (GType api, const gchar * name)
{
  const GstMetaInfo *info = gst_meta_register (api, name, sizeof (GstMeta),
      init_meta, free_meta, transform_meta);

  fail_unless (info != NULL);
  return info;
}

/* Drops all messages on the bus. Counts the warnings, and the results with this mean. */
static void
count_messages (GstHarness * harness, gdouble mean, guint * n_warnings,
    guint * n_results)
{
  GstMessage *message;

  while ((message = test_pop_message (harness, GST_MESSAGE_ANY)) != NULL) {
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
    *n_warnings += GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING;
    if (gst_message_has_name (message, "cudahisto")) {
      const GstStructure *result = gst_message_get_structure (message);

      fail_unless_equals_float (test_get_double (test_component (result, "Y"),
              "mean"), mean);
      (*n_results)++;
    }
    gst_message_unref (message);
  }
}

/* Buffers pass without results, one warning is posted, and messages are posted as ever. */
static void
check_without_meta (GstBuffer * (*make) (guint n))
{
  GstHarness *harness = test_gray_harness_new ("post-messages=true");
  guint n_warnings = 0, n_results = 0;

  for (guint n = 0; n < 5; n++) {
    GstBuffer *buffer = gst_harness_push_and_pull (harness, make (n));

    fail_unless (buffer != NULL);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), n * GRAY_DURATION);
    gst_buffer_unref (buffer);
    /* The result was posted before the buffer left. */
    count_messages (harness, n, &n_warnings, &n_results);
    fail_unless_equals_int (n_results, n + 1);
  }
  fail_unless_equals_int (n_warnings, 1);
  test_harness_free (harness);
}

/* A name that a test registers stays registered in its process. */
static gboolean
has_own_process (void)
{
  return g_strcmp0 (g_getenv ("CK_FORK"), "no") != 0;
}

/* Another plugin had the name first. */
TEST_IF (test_name_is_taken, has_own_process ())
{
  static const gchar *tags[] = { NULL };

  register_foreign (gst_meta_api_type_register ("ForeignAPI", tags),
      "cudahisto");
  check_without_meta (test_frame_new);
}

/* Another plugin registered a custom meta of this name. That is the same thing. */
TEST_IF (test_name_is_custom, has_own_process ())
{
  static const gchar *tags[] = { NULL };
  GstHarness *harness;

  fail_unless (gst_meta_register_custom ("cudahisto", tags, NULL, NULL, NULL)
      != NULL);
  harness = test_gray_harness_new (NULL);
  test_push_frame (harness, 9);
  test_pull_frame (harness, 9);
  test_harness_free (harness);
}

static const GstMetaInfo *foreign;

static GstBuffer *
make_with_foreign (guint n)
{
  GstBuffer *buffer = test_frame_new (n);

  gst_buffer_add_meta (buffer, foreign, NULL);
  return buffer;
}

static GstBuffer *
make_with_locked (guint n)
{
  GstBuffer *buffer = test_frame_new (n);

  GST_META_FLAG_SET (gst_buffer_add_meta (buffer, foreign, NULL),
      GST_META_FLAG_LOCKED);
  return buffer;
}

/* Another plugin's meta of the element's API is what gst_buffer_get_custom_meta() would find. It is
 * removed, unless it is locked. */
TEST (test_foreign_meta_of_api)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GstBuffer *buffer;

  foreign = register_foreign (g_type_from_name ("cudahisto-api"), "Foreign");
  for (guint n = 0; n < 5; n++) {
    buffer = gst_harness_push_and_pull (harness, make_with_foreign (n));
    test_check_frame (buffer, n);
    gst_buffer_unref (buffer);
  }
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_WARNING),
      0);
  test_harness_free (harness);
  check_without_meta (make_with_locked);
}

static gboolean
lock_meta (GstBuffer * buffer, GstMeta ** meta, gpointer user_data)
{
  GST_META_FLAG_SET (*meta, GST_META_FLAG_LOCKED);
  return TRUE;
}

/* A buffer with an earlier result, whose pixels have changed since. */
static GstBuffer *
measured_before (GstHarness * harness, guint n, gboolean locked)
{
  GstBuffer *buffer =
      gst_harness_push_and_pull (harness, test_frame_new (100));

  buffer = gst_buffer_make_writable (buffer);
  gst_buffer_memset (buffer, 0, n, GRAY_SIZE);
  if (locked)
    gst_buffer_foreach_meta (buffer, lock_meta, NULL);
  return buffer;
}

/* The newest result is found, also where the earlier one is locked, and also if the buffer must be
 * copied for it. */
TEST (test_earlier_result)
{
  GstHarness *harness = test_gray_harness_new (NULL);

  for (guint i = 0; i < 8; i++) {
    GstBuffer *in = measured_before (harness, i, i % 2), *out;
    GstBuffer *copy = i >= 4 ? gst_buffer_ref (in) : NULL;

    out = gst_harness_push_and_pull (harness, in);
    test_check_frame (out, i);
    gst_buffer_unref (out);
    if (copy != NULL) {
      test_check_frame (copy, 100);
      gst_buffer_unref (copy);
    }
  }
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_WARNING),
      0);
  test_harness_free (harness);
}

/* ---- A video meta that maps by itself --------------------------------------------------------- */

static guint8 pixels[16 * 8 * 3 / 2];

TEST (test_own_map)
{
  GstHarness *harness = test_harness_new (NULL);
  GstCaps *caps = test_nv12_caps (16, 8);
  GRand *random = test_random ();
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, sizeof pixels, NULL);
  GstVideoMeta *meta = gst_buffer_add_video_meta (buffer,
      GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_NV12, 16, 8);

  for (guint i = 0; i < sizeof pixels; i++)
    pixels[i] = g_rand_int (random);
  test_meta_map_own_pixels (meta, pixels);
  gst_harness_set_src_caps (harness, gst_caps_ref (caps));
  fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  buffer = gst_harness_pull (harness);
  test_compare_frame (buffer, caps, test_backend ());
  gst_buffer_unref (buffer);
  test_harness_free (harness);
  gst_caps_unref (caps);
  g_rand_free (random);
}

TEST_MAIN (5)
