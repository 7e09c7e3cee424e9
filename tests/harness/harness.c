/* The element under test; see harness.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE             /* dladdr () */

#include "harness.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "frames.h"
#include "compare.h"

const gchar *
test_backend (void)
{
  const gchar *backend = g_getenv ("CUDAHISTO_TEST_BACKEND");

  return backend != NULL ? backend : "cpu";
}

gboolean
test_backend_is_cuda (void)
{
  return g_str_equal (test_backend (), "cuda");
}

guint
test_step (void)
{
  const gchar *text = g_getenv ("CUDAHISTO_TEST_STEP");
  const gint64 step = text != NULL ? g_ascii_strtoll (text, NULL, 10) : 1;

  return CLAMP (step, 1, 1000);
}

gboolean
test_is_in_library (gconstpointer address, const gchar * name)
{
  Dl_info info;

  return dladdr (address, &info) != 0 && strstr (info.dli_fname, name) != NULL;
}

/* In the order of their registration, which is before main(). */
static GPtrArray *adders;

void
test_register (void (*add) (TCase * tcase))
{
  if (adders == NULL)
    adders = g_ptr_array_new ();
  g_ptr_array_add (adders, add);
}

int
test_run (const gchar * file, guint seconds, gboolean is_wanted)
{
  gchar *name = g_path_get_basename (file);
  TCase *tcase = tcase_create ("general");
  Suite *suite;
  int n_failed;

  g_strdelimit (name, ".", '\0');
  suite = suite_create (name);
  tcase_set_timeout (tcase, seconds);
  suite_add_tcase (suite, tcase);
  for (guint i = 0; i < adders->len && is_wanted; i++) {
    void (*add) (TCase *) = g_ptr_array_index (adders, i);

    add (tcase);
  }
  n_failed = gst_check_run_suite (suite, name, file);
  g_ptr_array_unref (adders);
  g_free (name);
  return n_failed;
}

gboolean
test_has_loudness (void)
{
  GstElement *element = gst_element_factory_make ("cudahisto", NULL);
  guint measures;

  gst_util_set_object_arg (G_OBJECT (element), "measures", "loudness");
  g_object_get (element, "measures", &measures, NULL);
  gst_object_unref (element);
  return measures > 1;
}

GstHarness *
test_harness_new (const gchar * properties)
{
  gchar *launch = g_strdup_printf ("cudahisto backend=%s %s", test_backend (),
      properties != NULL ? properties : "");
  GError *error = NULL;
  GstElement *bin = gst_parse_launch (launch, &error);
  GstHarness *harness;
  GstBus *bus = gst_bus_new ();

  fail_unless (bin != NULL && error == NULL, "%s: %s", launch,
      error != NULL ? error->message : "");
  gst_element_set_bus (bin, bus);
  gst_object_unref (bus);
  harness = gst_harness_new_with_element (bin, "sink", "src");
  gst_object_unref (bin);
  g_free (launch);
  return harness;
}

void
test_harness_free (GstHarness * harness)
{
  gst_element_set_bus (harness->element, NULL);
  gst_harness_teardown (harness);
  test_check_no_buffer_left ();
}

void
test_set_alarm (void)
{
  const gchar *multiplier = g_getenv ("CK_TIMEOUT_MULTIPLIER");

  alarm (5 * (multiplier != NULL ? MAX (atoi (multiplier), 1) : 1));
}

/* ---- Events and states --------------------------------------------------------------------- */

void
test_push_segment (GstHarness * harness)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (harness,
          gst_event_new_segment (&segment)));
}

void
test_flush (GstHarness * harness)
{
  fail_unless (gst_harness_push_event (harness, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (harness,
          gst_event_new_flush_stop (TRUE)));
}

void
test_restart_stream (GstHarness * harness, const gchar * caps)
{
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (harness, gst_event_new_stream_start ("again"));
  gst_harness_set_src_caps_str (harness, caps);
}

static gboolean
drop_events (GstHarness * harness, GstEvent * (*pull) (GstHarness *),
    GstEventType type)
{
  GstEvent *event;
  gboolean found = FALSE;

  while ((event = pull (harness)) != NULL) {
    found |= GST_EVENT_TYPE (event) == type;
    gst_event_unref (event);
  }
  return found;
}

gboolean
test_has_sent (GstHarness * harness, GstEventType type)
{
  return drop_events (harness, gst_harness_try_pull_event, type);
}

gboolean
test_has_sent_upstream (GstHarness * harness, GstEventType type)
{
  return drop_events (harness, gst_harness_try_pull_upstream_event, type);
}

void
test_set_state (GstElement * element, GstState state)
{
  fail_unless (gst_element_set_state (element, state)
      != GST_STATE_CHANGE_FAILURE);
  fail_unless (gst_element_get_state (element, NULL, NULL, -1)
      != GST_STATE_CHANGE_FAILURE);
}

void
test_end_stream (GstHarness * harness)
{
  GstEvent *event;
  gboolean is_eos;

  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  do {
    event = gst_harness_pull_event (harness);
    fail_unless (event != NULL);
    is_eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  } while (!is_eos);
}

/* ---- Messages and counters ----------------------------------------------------------------- */

static GstMessage *
pop_message (GstHarness * harness, GstClockTime patience, GstMessageType type)
{
  GstBus *bus = gst_element_get_bus (harness->element);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, patience, type);

  gst_object_unref (bus);
  return message;
}

GstMessage *
test_pop_message (GstHarness * harness, GstMessageType type)
{
  return pop_message (harness, 0, type);
}

GstMessage *
test_wait_message (GstHarness * harness, GstMessageType type)
{
  return pop_message (harness, GST_CLOCK_TIME_NONE, type);
}

void
test_check_no_message (GstHarness * harness)
{
  GstMessage *message = test_pop_message (harness, GST_MESSAGE_ELEMENT);

  fail_unless (message == NULL, "%" GST_PTR_FORMAT, message);
}

void
test_check_error (GstHarness * harness, GQuark domain, gint code,
    const gchar * label)
{
  GstMessage *message = test_pop_message (harness, GST_MESSAGE_ERROR);
  g_autofree gchar *debug = NULL;
  GError *error = NULL;

  fail_unless (message != NULL, "%s: no error was posted", label);
  gst_message_parse_error (message, &error, &debug);
  /* The place is that where the fault was met. */
  fail_unless (strstr (debug, "errors.c") == NULL, "%s: %s", label, debug);
  fail_unless (error->domain == domain && error->code == code,
      "%s: %s %d: %s", label, g_quark_to_string (error->domain), error->code,
      error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless (test_pop_message (harness, GST_MESSAGE_ERROR) == NULL,
      "%s: more than one error was posted", label);
}

void
test_check_refused (GstHarness * harness, GstBuffer * buffer,
    const gchar * label)
{
  fail_unless (gst_harness_push (harness, buffer) < GST_FLOW_OK,
      "%s: the buffer was accepted", label);
  test_check_error (harness, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, label);
  fail_unless (gst_harness_try_pull (harness) == NULL,
      "%s: the buffer left the element", label);
}

guint
test_count_messages (GstHarness * harness, GstMessageType type)
{
  guint n = 0;
  GstMessage *message;

  while ((message = test_pop_message (harness, type)) != NULL) {
    gst_message_unref (message);
    n++;
  }
  return n;
}

guint64
test_get_stat (GstHarness * harness, const gchar * field)
{
  GstStructure *stats = NULL;
  guint64 value;

  g_object_get (harness->element, "stats", &stats, NULL);
  value = test_get_uint64 (stats, field);
  gst_structure_free (stats);
  return value;
}
