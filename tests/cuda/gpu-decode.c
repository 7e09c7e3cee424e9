/* On a GPU: the frames of a hardware decoder, measured in CUDA memory, have the same results as the
 * same frames downloaded and measured by the CPU engine.
 *
 *   gpu-decode FILE.h264
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>
#include <string.h>

#define EXIT_SKIPPED 77

/* Both elements measure every buffer: the first in CUDA memory, the second after the download. So
 * their messages come in pairs. */
static const gchar description[] =
    "filesrc location=\"%s\" ! h264parse ! nvh264dec ! "
    "video/x-raw(memory:CUDAMemory) ! "
    "cudahisto name=in-place backend=cuda post-messages=true meta=true ! "
    "cudadownload ! "
    "cudahisto name=downloaded backend=cpu post-messages=true ! fakesink";

static gboolean
component_is_equal (const GValue * a, const GValue * b)
{
  GstStructure *x = gst_structure_copy (gst_value_get_structure (a));
  GstStructure *y = gst_structure_copy (gst_value_get_structure (b));
  GBytes *p = NULL, *q = NULL;
  gboolean equal;

  gst_structure_get (x, "histogram", G_TYPE_BYTES, &p, NULL);
  gst_structure_get (y, "histogram", G_TYPE_BYTES, &q, NULL);
  gst_structure_remove_field (x, "histogram");
  gst_structure_remove_field (y, "histogram");
  equal = p != NULL && q != NULL && g_bytes_equal (p, q)
      && gst_structure_is_equal (x, y);
  g_bytes_unref (p);
  g_bytes_unref (q);
  gst_structure_free (x);
  gst_structure_free (y);
  return equal;
}

static gboolean
results_are_equal (const GstStructure * a, const GstStructure * b)
{
  const GValue *names = gst_structure_get_value (a, "components");
  guint64 s = 0, t = 1;

  gst_structure_get_uint64 (a, "timestamp", &s);
  gst_structure_get_uint64 (b, "timestamp", &t);
  if (s != t || g_strcmp0 (gst_structure_get_string (a, "backend"), "cuda") != 0
      || g_strcmp0 (gst_structure_get_string (b, "backend"), "cpu") != 0)
    return FALSE;
  for (guint i = 0; i < gst_value_array_get_size (names); i++) {
    const gchar *name =
        g_value_get_string (gst_value_array_get_value (names, i));

    if (!component_is_equal (gst_structure_get_value (a, name),
            gst_structure_get_value (b, name)))
      return FALSE;
  }
  return TRUE;
}

int
main (int argc, char **argv)
{
  GQueue waiting = G_QUEUE_INIT;
  guint n_equal = 0, n_different = 0;
  gboolean done = FALSE, failed = FALSE;
  GError *error = NULL;
  GstElement *pipeline;
  gchar *launch;
  GstBus *bus;

  gst_init (&argc, &argv);
  if (argc != 2)
    return 2;
  if (gst_registry_check_feature_version (gst_registry_get (), "nvh264dec", 1,
          22, 0) == FALSE) {
    g_print ("skipped: no nvh264dec\n");
    return EXIT_SKIPPED;
  }
  launch = g_strdup_printf (description, argv[1]);
  pipeline = gst_parse_launch (launch, &error);
  g_free (launch);
  if (pipeline == NULL) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);

  while (!done) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
        GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

    if (message == NULL || GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      if (message != NULL) {
        gst_message_parse_error (message, &error, NULL);
        g_printerr ("%s\n", error->message);
      }
      failed = done = TRUE;
    } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS) {
      done = TRUE;
    } else if (gst_message_has_name (message, "cudahisto")) {
      if (strcmp (GST_MESSAGE_SRC_NAME (message), "in-place") == 0) {
        g_queue_push_tail (&waiting, gst_message_ref (message));
      } else {
        GstMessage *first = g_queue_pop_head (&waiting);

        if (first != NULL && results_are_equal (gst_message_get_structure
                (first), gst_message_get_structure (message)))
          n_equal++;
        else
          n_different++;
        g_clear_pointer (&first, gst_message_unref);
      }
    }
    g_clear_pointer (&message, gst_message_unref);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_print ("%u frames equal, %u different\n", n_equal, n_different);
  return failed || n_equal == 0 || n_different > 0;
}
