/* Leaks: a stopped pipeline leaves no object behind, and 400 starts and stops leave no more
 * memory, files and threads behind than 100. On the mock driver the normal part of tests/run.sh has
 * 160 and 40. Run it with GLIBC_TUNABLES as in meson.build: without them the allocator keeps freed
 * memory in caches that hide leaks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "pipeline.h"

#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#define N_CYCLES 400
#define N_WARM 100              /* cycles after which all caches are full */
#define N_CYCLES_OF_STEPS 160   /* on the mock driver with test_step() > 1 */
#define N_WARM_OF_STEPS 40
#define N_SAMPLES 10            /* measurements of which the smallest is used */

/* Each kind of media, engine path and property. %s is the engine under test. */
static const gchar *const pipelines[] = {
  "videotestsrc num-buffers=10 ! video/x-raw, format=NV12, width=32, height=24 "
      "! cudahisto backend=%s measures=color ! fakesink",
  /* On the mock driver each joint component of a frame takes 25 ms, and with color there are five. */
  "videotestsrc num-buffers=2 is-live=true ! video/x-raw, format=I420, "
      "width=32, height=24, framerate=200/1 ! cudahisto backend=%s post-messages=true "
      "measures=signal+motion+hdr+detail+area+gamut+gamut-filter+flash+field+scopes regions=\"a=0,0,50%,50%;b=1,1,9,9\" "
      "window=10000000 alerts=black+freeze+scene ! "
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

/* The text with each "%s" replaced. */
static gchar *
fill_in (const gchar * text, const gchar * backend)
{
  gchar **parts = g_strsplit (text, "%s", -1);
  gchar *filled = g_strjoinv (backend, parts);

  g_strfreev (parts);
  return filled;
}

static GstElement *
pipeline_new (guint i)
{
  gchar *launch = fill_in (pipelines[i], test_backend ());
  GstElement *pipeline = test_pipeline_new ("%s", launch);

  g_free (launch);
  return pipeline;
}

/* Plays to the end of the stream, or only until the pipeline has prerolled; then stops it. */
static void
play (GstElement * pipeline, gboolean to_the_end)
{
  fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE);
  test_wait_for (pipeline,
      GST_MESSAGE_EOS | (to_the_end ? 0 : GST_MESSAGE_ASYNC_DONE));
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* ---- Objects -------------------------------------------------------------------------------- */

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

/* Adds n to the number of each object in the list. An object whose number is 0 is removed. */
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

/* Updates the table with the objects that were created (+1) and freed (-1) since the last call.
 * Objects that are older than the tracking end at -1. Returns how many objects are alive, and
 * their names in *text. */
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

/* Waits up to 30 s until no object is alive: a thread that has left the pipeline may still free its
 * GstTask. */
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
  fail_unless (n == 0, "%s: %u objects not freed: %s", label, n, text);
  g_free (text);
}

/* No pipeline leaves an object behind, whether it is played to the end or stopped early. */
TEST (test_objects)
{
  GHashTable *alive = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  GstTracer *tracer = find_leaks_tracer ();
  GstBuffer *left;
  gchar *text;

  fail_unless (tracer != NULL, "no leaks tracer is active");
  for (guint round = 0; round < 3; round++) {
    /* The first round creates the objects that types and plugins keep forever. */
    if (round == 1) {
      g_usleep (300000);
      g_signal_emit_by_name (tracer, "activity-start-tracking");
    }
    for (guint i = 0; i < G_N_ELEMENTS (pipelines); i++) {
      GstElement *pipeline = pipeline_new (i);

      play (pipeline, round % 2);
      gst_object_unref (pipeline);
      if (round > 0)
        check_alive (tracer, alive, pipelines[i]);
    }
  }
  /* The test itself: the tracer finds a buffer that is not freed. */
  left = gst_buffer_new ();
  fail_unless_equals_int (update_alive (tracer, alive, &text), 1);
  fail_unless (g_str_has_prefix (text, "GstBuffer"), "%s", text);
  g_free (text);
  gst_buffer_unref (left);
  g_signal_emit_by_name (tracer, "activity-stop-tracking");
  gst_object_unref (tracer);
  g_hash_table_unref (alive);
}

/* ---- Memory, files, threads ----------------------------------------------------------------- */

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

/* Allocated bytes of the first device; 0 if there is none. Makes a context for the question,
 * because the element has freed its own. */
static gsize
device_bytes (void)
{
  int (*create) (void **, unsigned, int) = NULL;
  int (*destroy) (void *) = NULL;
  int (*get_info) (gsize *, gsize *) = NULL;
  void *library = dlopen ("libcuda.so.1", RTLD_NOW);
  gsize available = 0, total = 0;
  void *context;

  if (library == NULL || !test_backend_is_cuda ())
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

/* The smallest of N_SAMPLES measurements, because other threads may still be freeing memory. On a
 * busy machine that takes longer: measures for up to 10 s while there are more than
 * @most_threads. */
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

/* A leak grows with each further cycle; what threads of pools keep does not. So only growth that goes on counts. */
#define MOST_TRIES 3

/* Started and stopped 400 times, with frames in flight. */
TEST (test_memory_growth)
{
  const gboolean is_short = test_backend_is_cuda () && test_step () > 1;
  const guint n_warm = is_short ? N_WARM_OF_STEPS : N_WARM;
  const guint n_more = (is_short ? N_CYCLES_OF_STEPS : N_CYCLES) - n_warm;
  GstElement *elements[3];
  Usage warm, end;

  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    elements[i] = pipeline_new (i);
  play_often (elements, G_N_ELEMENTS (elements), n_warm);
  end = measure (G_MAXUINT);
  for (guint i = 0; i < MOST_TRIES; i++) {
    warm = end;
    play_often (elements, G_N_ELEMENTS (elements), n_more);
    end = measure (warm.threads + 9);
    if (end.allocated < warm.allocated + 200 * n_more)
      break;
  }
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    gst_object_unref (elements[i]);
  g_print ("after %u and %u cycles: allocated %zu and %zu, resident %zu and "
      "%zu, on the device %zu and %zu bytes; files %u and %u, threads %u and "
      "%u\n", n_warm, n_warm + n_more, warm.allocated, end.allocated, warm.resident,
      end.resident, warm.device, end.device, warm.files, end.files,
      warm.threads, end.threads);

  fail_unless (end.files <= warm.files);
  fail_unless (end.device <= warm.device);
  /* GLib keeps threads for a while, to use them again. */
  fail_unless (end.threads < warm.threads + 10);
  /* GStreamer itself keeps 15 to 70 bytes at each start, and threads of GLib's pools keep more. One
   * leaked buffer at each start would be 300 bytes. */
  fail_unless (end.allocated < warm.allocated + 200 * n_more);
  /* The allocator takes and returns whole pages. */
  fail_unless (end.resident < warm.resident + (1 << 19));
}

/* ---- Refusals and errors -------------------------------------------------------------------- */

static void
read_properties (GstElement * element)
{
  guint n;
  GParamSpec **specs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  for (guint i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT;

    g_value_init (&value, specs[i]->value_type);
    g_object_get_property (G_OBJECT (element), specs[i]->name, &value);
    g_value_unset (&value);
  }
  g_free (specs);
}

#define TOO_MANY_CHANNELS "audio/x-raw, format=S16LE, rate=8000, " \
    "channels=10000, channel-mask=(bitmask)0, layout=interleaved"

/* Values of properties that are refused, a buffer and caps that are refused, and in between what is
 * accepted. */
static void
refuse (GstHarness * harness)
{
  g_object_set (harness->element, "bins", 65537, "regions", "a=0", NULL);
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_WARNING),
      2);
  read_properties (harness->element);
  g_object_set (harness->element, "regions", "a=0,0,50%,50%", NULL);

  fail_unless_equals_int (gst_harness_push (harness, test_buffer_new (1, 0, 0)),
      GST_FLOW_ERROR);
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_ERROR), 1);
  test_flush (harness);
  test_push_segment (harness);
  gst_harness_set_src_caps_str (harness, TOO_MANY_CHANNELS);
  fail_unless_equals_int (test_count_messages (harness, GST_MESSAGE_ERROR), 1);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  test_flush (harness);
  test_push_segment (harness);
  test_push_frame (harness, 1);
  test_pull_frame_quickly (harness, 1, TRUE);
  g_object_set (harness->element, "regions", NULL, NULL);
  while (test_has_sent (harness, GST_EVENT_CAPS));
  while (test_has_sent_upstream (harness, GST_EVENT_RECONFIGURE));
}

/* After @work was called @n times, @n more calls may leave fewer than @most bytes each. Now and then a table
 * of GLib or GStreamer doubles, so there are three tries. A leak makes all of them fail. */
static void
check_allocated (void (*work) (GstHarness * harness), GstHarness * harness,
    guint n, gsize most, const gchar * label)
{
  gsize before, after;
  guint tries = 0;

  for (guint i = 0; i < n; i++)
    work (harness);
  after = measure (G_MAXUINT).allocated;
  do {
    before = after;
    for (guint i = 0; i < n; i++)
      work (harness);
    after = measure (G_MAXUINT).allocated;
    g_print ("before and after %u %s: allocated %zu and %zu\n", n, label, before,
        after);
  } while (after >= before + most * n && ++tries < 3);
  fail_unless (tries < 3);
}

/* What is refused leaves no memory behind, not even a text: no tracer sees plain memory. A GError takes
 * 32 bytes, and its text more. Threads of GLib leave a few bytes now and then. */
TEST (test_refusals)
{
  GstHarness *harness = test_gray_harness_new (NULL);

  check_allocated (refuse, harness, 500, 40, "refusals");
  test_harness_free (harness);
}

/* Makes an element that measures a frame, and frees it. */
static void
make_and_free (GstHarness * unused)
{
  GstHarness *harness = test_gray_harness_new ("regions=a=0,0,50%,50%");

  test_push_frame (harness, 1);
  test_pull_frame_quickly (harness, 1, TRUE);
  g_object_set (harness->element, "bins", 65537, NULL);
  test_harness_free (harness);
}

/* An element leaves no memory behind, the parts that its parent classes have included. Without the end of
 * its parent class, an element leaves 230 bytes. Caches grow by up to 20 for each. */
TEST (test_elements)
{
  check_allocated (make_and_free, NULL, 300, 64, "elements");
}

int
main (int argc, char **argv)
{
  /* It traces everything that is reference counted: objects, buffers, events. */
  g_setenv ("GST_TRACERS", "leaks", FALSE);
  gst_check_init (&argc, &argv);
  return test_run (__FILE__, 120, TRUE);
}
