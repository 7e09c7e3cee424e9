/* The element in a process that has few resources: little memory, few descriptors, no page-locked
 * memory, and in one that forks while it plays. All buffers have results, or an error is posted. The
 * process neither hangs nor crashes. GLib may end the process because one of its own allocations fails; it
 * says so then. With up to 6 MiB of address space GLib may have no memory for this message, and the
 * process may end by SIGSEGV: see TOO_LITTLE_FOR_MESSAGES.
 *
 *   limits             all of it
 *   limits KIND VALUE  one stream. KIND: address-space (MiB more than at the start), descriptors,
 *                      locked-memory (bytes), fork. Exit status: 0: all results are there; 3: an
 *                      error was posted; 5: a result is missing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_BUFFERS 10
#define SECONDS 60              /* for one stream */

/* ---- One stream --------------------------------------------------------------------------- */

#define CAPS "video/x-raw, format=NV12, width=640, height=480, framerate=25/1"
#define SIZE (640 * 480 * 3 / 2)

/* The element by itself: sources and sinks have threads of their own, which GStreamer does not do
 * without. */
static GstHarness *
new_harness (GstBus * bus)
{
  const gchar *backend = g_getenv ("CUDAHISTO_TEST_BACKEND");
  gchar *description = g_strdup_printf ("cudahisto backend=%s "
      "measures=signal+motion+color+detail page-lock-upstream=true",
      backend != NULL ? backend : "cpu");
  GstHarness *harness = gst_harness_new_parse (description);

  gst_element_set_bus (harness->element, bus);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  g_free (description);
  return harness;
}

static void
fork_child (void)
{
  const pid_t child = fork ();

  if (child == 0) {
    alarm (SECONDS);
    exit (0);
  }
  waitpid (child, NULL, 0);
}

static gboolean
pull_results (GstHarness * harness)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < N_BUFFERS; i++) {
    GstBuffer *buffer = gst_harness_pull (harness);

    ok = ok && buffer != NULL
        && gst_buffer_get_custom_meta (buffer, "cudahisto") != NULL;
    gst_clear_buffer (&buffer);
  }
  return ok;
}

/* @forks: whether the process forks after each buffer; the children exit */
static int
play (GstHarness * harness, GstBus * bus, GstBuffer * buffer, gboolean forks)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GstMessage *message;
  int status;

  gst_harness_push_event (harness,
      gst_event_new_caps (gst_caps_from_string (CAPS)));
  for (guint i = 0; flow == GST_FLOW_OK && i < N_BUFFERS; i++) {
    flow = gst_harness_push (harness, gst_buffer_ref (buffer));
    if (forks)
      fork_child ();
  }
  /* A worker or the task may post the error after the last buffer was accepted. */
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  if (message == NULL && flow == GST_FLOW_OK && pull_results (harness)) {
    status = 0;
  } else {
    if (message == NULL)
      message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    status = message != NULL ? 3 : 5;
  }
  gst_element_set_state (harness->element, GST_STATE_NULL);
  return status;
}

static void
set_limit (int resource, rlim_t value)
{
  struct rlimit limit = { value, value };

  if (setrlimit (resource, &limit) != 0)
    g_error ("setrlimit failed");
}

/* Bytes of address space in use. */
static rlim_t
used_address_space (void)
{
  gchar *text = NULL;
  rlim_t pages = 0;

  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    pages = g_ascii_strtoull (text, NULL, 10);
  g_free (text);
  return pages * sysconf (_SC_PAGESIZE);
}

static int
run_one (const gchar * kind, guint64 value)
{
  GstBus *bus = gst_bus_new ();
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIZE, NULL);
  GstHarness *harness;

  gst_buffer_memset (buffer, 0, 100, SIZE);
  if (g_str_equal (kind, "descriptors"))
    set_limit (RLIMIT_NOFILE, value);
  if (g_str_equal (kind, "locked-memory"))
    set_limit (RLIMIT_MEMLOCK, value);
  harness = new_harness (bus);
  if (g_str_equal (kind, "address-space"))
    set_limit (RLIMIT_AS, used_address_space () + (value << 20));
  return play (harness, bus, buffer, g_str_equal (kind, "fork"));
}

/* ---- All of them ------------------------------------------------------------------------------ */

typedef struct
{
  const gchar *kind;
  guint64 values[20];
  guint n_values;
  gboolean may_fail;            /* with the values that come first */
} Limit;

static const Limit limits[] = {
  {"locked-memory", {0}, 1, FALSE},
  {"descriptors", {4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 32}, 13, TRUE},
  {"address-space", {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128,
          256, 512, 2048}, 18, TRUE},
  {"fork", {0}, 1, FALSE},
};

/* What GLib and GStreamer say before they end the process. */
static gboolean
explains_abort (const gchar * text)
{
  static const gchar *const explanations[] = {
    "failed to allocate", "failed to create thread", "creating thread",
    "MEMORY-ERROR", "Creating pipes for GWakeup", "Too many open files",
    "Resource temporarily unavailable", "Cannot allocate memory", NULL
  };

  for (guint i = 0; explanations[i] != NULL; i++) {
    if (strstr (text, explanations[i]) != NULL)
      return TRUE;
  }
  return FALSE;
}

/* Address space, in MiB, with which GLib may have no memory for its own message about a failed allocation.
 * g_log() then calls itself until the stack is full. */
#define TOO_LITTLE_FOR_MESSAGES 6

static const gchar *
outcome (const Limit * limit, guint i, int status, const gchar * text)
{
  if (WIFEXITED (status)) {
    switch (WEXITSTATUS (status)) {
      case 0:
        return "all results";
      case 3:
        return "error message";
      default:
        return NULL;
    }
  }
  if (WTERMSIG (status) == SIGSEGV && g_str_equal (limit->kind, "address-space")
      && limit->values[i] <= TOO_LITTLE_FOR_MESSAGES)
    return "ended by GLib";
  return (WTERMSIG (status) == SIGTRAP || WTERMSIG (status) == SIGABRT)
      && explains_abort (text) ? "ended by GLib" : NULL;
}

/* Returns: whether the outcome is allowed */
static gboolean
try_value (const gchar * program, const Limit * limit, guint i)
{
  gchar *value = g_strdup_printf ("%" G_GUINT64_FORMAT, limit->values[i]);
  const gchar *argv[] = { program, limit->kind, value, NULL };
  const gchar *result = NULL;
  gchar *text = NULL;
  int status = 0;
  gboolean ok;

  if (g_spawn_sync (NULL, (gchar **) argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL,
          NULL, NULL, NULL, &text, &status, NULL))
    result = outcome (limit, i, status, text);
  ok = result != NULL && (status == 0 || (limit->may_fail
          && i + 1 < limit->n_values));
  g_print ("%s%s %s: %s\n", ok ? "" : "FAILED: ", limit->kind, value,
      result != NULL ? result : "crash, hang or missing results");
  if (!ok)
    g_print ("status 0x%x\n%s\n", status, text);
  g_free (value);
  g_free (text);
  return ok;
}

int
main (int argc, char **argv)
{
  gboolean ok = TRUE;

  if (argc > 2) {
    alarm (SECONDS);
    gst_init (NULL, NULL);
    return run_one (argv[1], g_ascii_strtoull (argv[2], NULL, 10));
  }
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++) {
    for (guint v = 0; v < limits[i].n_values; v++)
      ok = try_value (argv[0], &limits[i], v) && ok;
  }
  return ok ? 0 : 1;
}
