/* What is left of a pipeline: no object, as GStreamer's leaks tracer sees it; and after a
 * thousand starts and stops no memory, file or thread more than after a hundred. To be
 * run with the allocator's own stores off (see meson.build), which would hide losses.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common.h"

#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#define N_CYCLES 1000
#define N_WARM 100              /* cycles until all caches are filled */
#define N_SAMPLES 10            /* of which the smallest counts: a thread may still end */

/* The main ways through the element, with the backend for %s. */
static const gchar *const pipelines[] = {
  "videotestsrc num-buffers=10 ! video/x-raw, format=NV12, width=32, height=24 "
      "! cudahisto backend=%s ! fakesink",
  "videotestsrc num-buffers=10 is-live=true ! video/x-raw, format=I420, "
      "width=32, height=24, framerate=200/1 ! cudahisto backend=%s post-messages=true ! "
      "videoconvert ! cudahisto backend=%s ! fakesink sync=true",
  "audiotestsrc num-buffers=10 ! cudahisto backend=%s ! audioconvert ! "
      "audio/x-raw, format=F32LE ! cudahisto backend=%s bins=10 ! fakesink",
  "videotestsrc num-buffers=10 ! video/x-raw, format=GRAY8, width=32, height=24 "
      "! cudahisto backend=%s meta=false post-messages=true ! fakesink",
  "videotestsrc num-buffers=10 ! video/x-raw, width=32, height=24 ! "
      "cudahisto backend=%s meta=false histogram=false ! fakesink",
  "videotestsrc num-buffers=10 ! video/x-raw, format=NV12_4L4, width=32, "
      "height=24 ! tee name=t ! queue ! cudahisto backend=%s ! fakesink "
      "t. ! queue ! cudahisto backend=%s ! fakesink",
  "videotestsrc num-buffers=0 ! cudahisto backend=%s ! fakesink",
};

static gchar *
fill_in (const gchar * text, const gchar * backend)
{
  gchar **parts = g_strsplit (text, "%s", -1);
  gchar *filled = g_strjoinv (backend, parts);

  g_strfreev (parts);
  return filled;
}

static GstElement *
parse (guint i)
{
  gchar *launch = fill_in (pipelines[i], test_backend ());
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (launch, &error);

  fail_unless (error == NULL, "%s: %s", launch,
      error != NULL ? error->message : "");
  g_free (launch);
  return pipeline;
}

/* To the end, or stopped as soon as it runs. */
static void
play (GstElement * pipeline, gboolean to_the_end)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_ERROR | GST_MESSAGE_EOS
      | (to_the_end ? 0 : GST_MESSAGE_ASYNC_DONE));
  fail_unless (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* ---- Objects ------------------------------------------------------------------------------ */

static GstTracer *
find_leaks_tracer (void)
{
  GList *tracers = gst_tracing_get_active_tracers ();
  GstTracer *found = NULL;

  for (GList * link = tracers; link != NULL; link = link->next) {
    if (g_str_has_prefix (G_OBJECT_TYPE_NAME (link->data), "GstLeaksTracer"))
      found = gst_object_ref (link->data);
  }
  g_list_free_full (tracers, gst_object_unref);
  return found;
}

/* Adds n for each object of a list. */
static void
add_objects (GHashTable * alive, const GValue * list, gint n)
{
  for (guint i = 0; i < gst_value_list_get_size (list); i++) {
    const GstStructure *object =
        gst_value_get_structure (gst_value_list_get_value (list, i));
    gchar *name = g_strdup_printf ("%s at %s",
        gst_structure_get_string (object, "type-name"),
        gst_structure_get_string (object, "address"));
    gint sum = n + GPOINTER_TO_INT (g_hash_table_lookup (alive, name));

    if (sum == 0)
      g_hash_table_remove (alive, name);
    else
      g_hash_table_insert (alive, g_strdup (name), GINT_TO_POINTER (sum));
    g_free (name);
  }
}

/* Brings up to date which objects are alive of those made since the tracer began to
 * follow; of older ones that went, the number is negative. Returns how many there are,
 * and their names in *text. */
static guint
update_alive (GstTracer * tracer, GHashTable * alive, gchar ** text)
{
  GString *names = g_string_new (NULL);
  GstStructure *checkpoint = NULL;
  GHashTableIter iterator;
  gpointer name, sum;
  guint n = 0;

  g_signal_emit_by_name (tracer, "activity-get-checkpoint", &checkpoint);
  fail_unless (checkpoint != NULL);
  add_objects (alive, gst_structure_get_value (checkpoint,
          "objects-created-list"), 1);
  add_objects (alive, gst_structure_get_value (checkpoint,
          "objects-removed-list"), -1);
  gst_structure_free (checkpoint);
  g_hash_table_iter_init (&iterator, alive);
  while (g_hash_table_iter_next (&iterator, &name, &sum)) {
    if (GPOINTER_TO_INT (sum) > 0) {
      n++;
      g_string_append_printf (names, "%s, ", (gchar *) name);
    }
  }
  *text = g_string_free (names, FALSE);
  return n;
}

/* Threads that have nothing more to do with the pipeline may still drop their task. */
static void
check_alive (GstTracer * tracer, GHashTable * alive, const gchar * label)
{
  gint64 end = g_get_monotonic_time () + 30 * G_TIME_SPAN_SECOND;
  gchar *text;
  guint n;

  while ((n = update_alive (tracer, alive, &text)) > 0
      && g_get_monotonic_time () < end) {
    g_free (text);
    g_usleep (1000);
  }
  fail_unless (n == 0, "%s: %u objects left: %s", label, n, text);
  g_free (text);
}

/* Each pipeline leaves no object behind, played to the end or stopped early. */
GST_START_TEST (test_leaks)
{
  GHashTable *alive = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  GstTracer *tracer = find_leaks_tracer ();
  GstBuffer *left;
  gchar *text;

  fail_unless (tracer != NULL, "no leaks tracer is active");
  for (guint round = 0; round < 3; round++) {
    /* The first round makes what types and plugins keep for good. */
    if (round == 1) {
      g_usleep (300000);
      g_signal_emit_by_name (tracer, "activity-start-tracking");
    }
    for (guint i = 0; i < G_N_ELEMENTS (pipelines); i++) {
      GstElement *pipeline = parse (i);

      play (pipeline, round % 2);
      gst_object_unref (pipeline);
      if (round > 0)
        check_alive (tracer, alive, pipelines[i]);
    }
  }
  /* And one that is left would have been seen. */
  left = gst_buffer_new ();
  fail_unless_equals_int (update_alive (tracer, alive, &text), 1);
  fail_unless (g_str_has_prefix (text, "GstBuffer"), "%s", text);
  g_free (text);
  gst_buffer_unref (left);
  g_signal_emit_by_name (tracer, "activity-stop-tracking");
  gst_object_unref (tracer);
  g_hash_table_unref (alive);
}

GST_END_TEST;

/* ---- A thousand cycles ---------------------------------------------------------------------- */

typedef struct
{
  gsize allocated, resident, device;    /* bytes */
  guint files, threads;
} Usage;

static guint
count_entries (const gchar * path)
{
  GDir *directory = g_dir_open (path, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (directory) != NULL)
    n++;
  g_dir_close (directory);
  return n;
}

static gsize
resident_bytes (void)
{
  gulong pages = 0;
  gchar *text = NULL;

  fail_unless (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  fail_unless (sscanf (text, "%*u %lu", &pages) == 1);
  g_free (text);
  return pages * (gsize) sysconf (_SC_PAGESIZE);
}

/* Of the first device, 0 where there is none: no context is left to ask in. */
static gsize
device_bytes (void)
{
  int (*create) (void **, unsigned, int) = NULL;
  int (*destroy) (void *) = NULL;
  int (*get_info) (gsize *, gsize *) = NULL;
  void *library = dlopen ("libcuda.so.1", RTLD_NOW);
  gsize available = 0, total = 0;
  void *context;

  if (library == NULL || g_str_equal (test_backend (), "cpu"))
    return 0;
  *(void **) &create = dlsym (library, "cuCtxCreate_v2");
  *(void **) &destroy = dlsym (library, "cuCtxDestroy_v2");
  *(void **) &get_info = dlsym (library, "cuMemGetInfo_v2");
  if (create (&context, 0, 0) != 0)
    return 0;
  get_info (&available, &total);
  destroy (context);
  return total - available;
}

/* The least of some looks: what is being freed in another thread does not count. On a busy
 * machine that takes a while, for which is waited: until there are no more threads than
 * `most`, if they ever end. */
static Usage
measure (guint most_threads)
{
  const gint64 end = g_get_monotonic_time () + 10 * G_TIME_SPAN_SECOND;
  Usage least = { G_MAXSIZE, G_MAXSIZE, G_MAXSIZE, G_MAXUINT, G_MAXUINT };

  for (guint i = 0; i < N_SAMPLES || (least.threads > most_threads
          && g_get_monotonic_time () < end); i++) {
    malloc_trim (0);
    least.allocated = MIN (least.allocated, mallinfo2 ().uordblks);
    least.resident = MIN (least.resident, resident_bytes ());
    least.files = MIN (least.files, count_entries ("/proc/self/fd"));
    least.threads = MIN (least.threads, count_entries ("/proc/self/task"));
    g_usleep (1000);
  }
  least.device = device_bytes ();
  return least;
}

static void
play_often (GstElement ** elements, guint n_elements, guint n_cycles)
{
  for (guint i = 0; i < n_cycles; i++)
    play (elements[i % n_elements], FALSE);
}

/* Started and stopped a thousand times, with frames under way. */
GST_START_TEST (test_cycles)
{
  GstElement *elements[3];
  Usage warm, end;

  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    elements[i] = parse (i);
  play_often (elements, G_N_ELEMENTS (elements), N_WARM);
  warm = measure (G_MAXUINT);
  play_often (elements, G_N_ELEMENTS (elements), N_CYCLES - N_WARM);
  end = measure (warm.threads + 9);
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    gst_object_unref (elements[i]);
  g_print ("after %d and %d cycles: allocated %zu and %zu, resident %zu and "
      "%zu, on the device %zu and %zu bytes; files %u and %u, threads %u and "
      "%u\n", N_WARM, N_CYCLES, warm.allocated, end.allocated, warm.resident,
      end.resident, warm.device, end.device, warm.files, end.files,
      warm.threads, end.threads);

  fail_unless (end.files <= warm.files);
  fail_unless (end.device <= warm.device);
  /* GLib keeps some of them for a while, to use them again. */
  fail_unless (end.threads < warm.threads + 10);
  /* GStreamer itself keeps some 15 to 70 bytes of each start, and threads of GLib's pools
   * some more. A buffer left behind each time would be 300. */
  fail_unless (end.allocated < warm.allocated + 200 * (N_CYCLES - N_WARM));
  /* What the allocator keeps comes and goes in pages. */
  fail_unless (end.resident < warm.resident + (1 << 20));
}

GST_END_TEST;

static Suite *
lasting_suite (void)
{
  Suite *suite = suite_create ("lasting");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_test (tcase, test_leaks);
  tcase_add_test (tcase, test_cycles);
  return suite;
}

int
main (int argc, char **argv)
{
  Suite *suite;

  /* Of buffers, events, objects: all that is counted by references. */
  g_setenv ("GST_TRACERS", "leaks", FALSE);
  gst_check_init (&argc, &argv);
  suite = lasting_suite ();
  return gst_check_run_suite (suite, "lasting", __FILE__);
}
