/* Settings that change in several threads at once, and settings that do not change.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "compare.h"
#include "message-gate.h"

/* ---- Several threads --------------------------------------------------------------------------- */

#define N_UPDATES 200000

/* Each thread sets one property. It alone does, so what it sets is what it gets. */
typedef struct
{
  GstElement *element;
  const gchar *property;
  gboolean is_uint;
  guint least;                  /* the values are least to least + 999 */
  guint n_lost;
} Setter;

static gpointer
set_often (gpointer data)
{
  Setter *setter = data;

  for (guint i = 0; i < N_UPDATES; i++) {
    const guint wanted = setter->least + i % 1000;
    gdouble number = 0;
    guint uint = 0;

    if (setter->is_uint) {
      g_object_set (setter->element, setter->property, wanted, NULL);
      g_object_get (setter->element, setter->property, &uint, NULL);
      setter->n_lost += uint != wanted;
    } else {
      g_object_set (setter->element, setter->property, (gdouble) wanted, NULL);
      g_object_get (setter->element, setter->property, &number, NULL);
      setter->n_lost += number != wanted;
    }
  }
  return NULL;
}

/* The bins and both bounds of the range, each set in a thread of its own: no update is lost. */
TEST (test_several_threads)
{
  GstElement *element = gst_element_factory_make ("cudahisto", NULL);
  Setter setters[] = {
    {element, "bins", TRUE, 1, 0},
    {element, "range-min", FALSE, 1, 0},
    {element, "range-max", FALSE, 2000, 0},
  };
  GThread *threads[G_N_ELEMENTS (setters)];

  for (guint i = 0; i < G_N_ELEMENTS (setters); i++)
    threads[i] = g_thread_new (setters[i].property, set_often, &setters[i]);
  for (guint i = 0; i < G_N_ELEMENTS (setters); i++) {
    g_thread_join (threads[i]);
    fail_unless (setters[i].n_lost == 0, "%u of %d updates of %s were lost",
        setters[i].n_lost, N_UPDATES, setters[i].property);
  }
  gst_object_unref (element);
}

/* Sets the properties that change the plan, as often as it can. */
static gpointer
change_plan (gpointer data)
{
  static const gchar *const regions[] = { "a=0,0,1,1", "a=0,0,9,9;b=1,1,2,2", NULL };
  GstElement *element = g_object_get_data (data, "element");

  for (guint i = 0; g_object_get_data (data, "is-done") == NULL; i++) {
    gchar *text = NULL;

    g_object_set (element, "regions", regions[i % 3], "measures", i % 128,
        "alerts", i / 2 % 64, "roi-meta", i % 5 == 0, "bins", i % 7, NULL);
    g_object_get (element, "regions", &text, NULL);
    fail_unless_equals_string (text, regions[i % 3]);
    g_free (text);
    g_usleep (i % 300);
  }
  return NULL;
}

/* The plan changes in another thread while buffers with metas pass. Each has a correct result. */
TEST (test_plan_changes)
{
  GstHarness *harness = test_gray_harness_new (NULL);
  GObject *shared = g_object_new (G_TYPE_OBJECT, NULL);
  GThread *thread;

  g_object_set_data (shared, "element", harness->element);
  thread = g_thread_new ("change-plan", change_plan, shared);
  for (guint n = 0; n < 1000; n++) {
    GstBuffer *buffer = test_frame_new (n);

    for (guint k = 0; k < n % 7; k++)
      gst_buffer_add_video_region_of_interest_meta (buffer, "a", k, 0, 3, 3);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
    if (n >= 4)
      test_pull_frame (harness, n - 4);
  }
  g_object_set_data (shared, "is-done", shared);
  g_thread_join (thread);
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_WARNING),
      0);
  test_drop_received (harness);
  g_object_unref (shared);
  test_harness_free (harness);
}

/* ---- No change --------------------------------------------------------------------------------- */

static void
send_caps (GstHarness * harness, const gchar * text)
{
  GstCaps *caps = gst_caps_from_string (text);

  fail_unless (gst_harness_push_event (harness, gst_event_new_caps (caps)));
  gst_caps_unref (caps);
}

/* Caps that are sent again do not wait for the buffers in flight. */
TEST (test_equal_caps)
{
  GstHarness *harness =
      test_gray_harness_new ("meta=false post-messages=true");
  MessageGate gate;

  message_gate_init (&gate, harness);
  for (guint n = 0; n < 3; n++) {
    test_push_frame (harness, n);
    send_caps (harness, GRAY_CAPS);
  }
  fail_unless_equals_int (message_gate_n_posted (&gate), 0);
  message_gate_allow (&gate, 100);
  message_gate_wait_posted (&gate, 3);
  test_drop_received (harness);
  test_harness_free (harness);
  message_gate_clear (&gate);
}

/* Caps that differ in any field are another matter, and so are the old ones after them. */
TEST (test_other_caps)
{
  static const gchar *const caps[] = {
    GRAY_CAPS, "video/x-raw, format=GRAY8, width=8, height=16, framerate=25/1",
    GRAY_CAPS ", colorimetry=bt709", GRAY_CAPS ", colorimetry=bt709", GRAY_CAPS
  };
  GstHarness *harness = test_gray_harness_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (caps); i++) {
    const gboolean has_colorimetry = strstr (caps[i], "bt709") != NULL;
    const GstStructure *result;
    GstBuffer *buffer;

    send_caps (harness, caps[i]);
    buffer = gst_harness_push_and_pull (harness, test_frame_new (i));
    result = test_result (buffer);
    fail_unless_equals_int (test_get_int (result, "width"), i == 1 ? 8 : 16);
    fail_unless (!has_colorimetry
        || g_str_equal (gst_structure_get_string (result, "colorimetry"),
            "bt709"));
    gst_buffer_unref (buffer);
  }
  test_harness_free (harness);
}

/* Equal caps after an error configure the engine again. */
TEST (test_equal_caps_after_error)
{
  GstHarness *harness = test_gray_harness_new (NULL);

  fail_unless_equals_int (gst_harness_push (harness, test_buffer_new (1, 0,
              0)), GST_FLOW_ERROR);
  gst_message_unref (test_wait_message (harness, GST_MESSAGE_ERROR));
  test_flush (harness);
  send_caps (harness, GRAY_CAPS);
  test_check_flow_after_flush (harness, 3);
  test_harness_free (harness);
}

TEST_MAIN (10)
