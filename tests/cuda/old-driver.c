/* Drivers that cannot be used: each function of the driver is missing once, there is no device, the
 * driver has no names for its errors, and GStreamer cannot load it.
 *
 * This program has a function of the name with which the plugin looks up the driver's functions, and it
 * is found first. The mock is below.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE             /* dladdr () */

#include "frames.h"
#include "lookup.h"
#include "mock.h"

#include <dlfcn.h>
#include <gmodule.h>

/* In one thread. */
static gint n_lookups;          /* by the plugin, of the driver's functions */
static gint missing;            /* number of the lookup that finds nothing; 0: none */
static gchar *missing_name;
static gboolean gstreamer_finds_nothing;
static gboolean wraps;          /* the plugin gets the functions below */
static gint init_result;

static int
init (unsigned int flags)
{
  return init_result;
}

static int
find_no_device (int *n)
{
  *n = 0;
  return 0;
}

static int
have_no_name (int result, const char **name)
{
  *name = NULL;
  return 1;
}

static gpointer
wrapper_of (const gchar * name)
{
  if (g_str_equal (name, "cuInit"))
    return init;
  if (g_str_equal (name, "cuDeviceGetCount"))
    return find_no_device;
  return g_str_has_prefix (name, "cuGetError") ? have_no_name : NULL;
}

G_MODULE_EXPORT void *
dlsym (void *library, const char *name)
{
  gboolean is_plugin;
  Dl_info info;

  /* Also called before main(). */
  if (name[0] != 'c' || name[1] != 'u')
    return test_look_up (library, name);
  is_plugin = dladdr (__builtin_return_address (0), &info) != 0
      && strstr (info.dli_fname, "libgstcudahisto.so") != NULL;
  if (!is_plugin)
    /* GModule also asks dlerror (). */
    return test_look_up (library, gstreamer_finds_nothing ? "no such function" : name);
  if (++n_lookups == missing) {
    g_free (missing_name);
    missing_name = g_strdup (name);
    return NULL;
  }
  if (wraps && wrapper_of (name) != NULL)
    return wrapper_of (name);
  return test_look_up (library, name);
}

/* Starts an element. Returns: the text of its only error; NULL: it has started and has posted nothing.
 * (transfer full) */
static gchar *
start (const gchar * backend)
{
  GstElement *element = gst_element_factory_make ("cudahisto", NULL);
  GstBus *bus = gst_bus_new ();
  GstStateChangeReturn result;
  GstMessage *message;
  gchar *text = NULL;

  n_lookups = 0;
  gst_element_set_bus (element, bus);
  gst_util_set_object_arg (G_OBJECT (element), "backend", backend);
  result = gst_element_set_state (element, GST_STATE_PAUSED);
  /* With backend=auto these look for the device. */
  if (result != GST_STATE_CHANGE_FAILURE)
    fail_unless (test_send_gray_caps (element));
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  fail_unless_equals_int (result == GST_STATE_CHANGE_FAILURE, message != NULL);
  if (message != NULL) {
    GError *error;

    gst_message_parse_error (message, &error, NULL);
    fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
            GST_RESOURCE_ERROR_NOT_FOUND));
    text = g_strdup (error->message);
    g_error_free (error);
    gst_message_unref (message);
  }
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
  return text;
}

/* backend=cuda is an error with this text, and backend=auto is none. */
static void
check_refused (const gchar * expected)
{
  gchar *text = start ("cuda");

  fail_unless (text != NULL && strstr (text, expected) != NULL, "%s: %s",
      expected, text);
  g_free (text);
  text = start ("auto");
  fail_unless (text == NULL, "%s", text);
}

/* Each function is missing once. The error names it. When the driver has all functions, the next
 * element uses it. */
TEST (test_missing_function)
{
  GstHarness *harness;

  fail_unless (test_mock () != NULL);
  for (missing = 1; missing < 100; missing++) {
    gchar *text = start ("cuda"), *name;

    if (text == NULL)
      break;
    /* The next start frees missing_name. */
    name = g_strdup (missing_name);
    fail_unless (strstr (text, "too old") != NULL
        && strstr (text, name) != NULL, "%s", text);
    g_free (text);
    check_refused (name);
    g_free (name);
  }
  fail_unless (missing > 30 && missing < 100, "%d", missing);
  harness = test_gray_harness_new (NULL);
  gst_buffer_unref (gst_harness_push_and_pull (harness,
          test_buffer_new (GRAY_SIZE, 7, 0)));
  test_harness_free (harness);
  g_free (missing_name);
}

TEST (test_no_device)
{
  wraps = TRUE;
  check_refused ("finds no device");
  init_result = 100;
  check_refused ("cuInit: unknown error (?)");
}

TEST (test_gstreamer_cannot_load_it)
{
  gstreamer_finds_nothing = TRUE;
  check_refused ("libgstcuda cannot use this CUDA driver");
}

TEST_MAIN (20)
