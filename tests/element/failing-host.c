/* The computer fails: an allocation of the plugin that may fail, or the making of a thread, the N-th
 * for every N. Either all results are right, or one error is posted, and after a flush all results
 * are right again.
 *
 * GLib and GStreamer end the process when one of their own small allocations fails; these are left
 * out. This program has functions of the names that the plugin calls, and they are found first.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE             /* RTLD_NEXT */

#include "compare.h"
#include "frames.h"

#include <dlfcn.h>
#include <errno.h>
#include <gmodule.h>
#include <pthread.h>

/* ---- Failing ------------------------------------------------------------------------------ */

typedef enum
{ ALLOCATIONS, THREADS, N_KINDS } Kind;

static const gchar *const kind_names[] = { "allocation", "thread" };

static gint n_calls[N_KINDS];   /* since arm () */
static gint fails_at[N_KINDS];  /* 0: none */
static gint fails_forever;      /* and all that follow */

static void
arm (Kind kind, gint number, gboolean forever)
{
  g_atomic_int_set (&n_calls[kind], 0);
  g_atomic_int_set (&fails_forever, forever);
  g_atomic_int_set (&fails_at[kind], number);
}

static gboolean
fails (Kind kind)
{
  const gint at = g_atomic_int_get (&fails_at[kind]);
  const gint number = g_atomic_int_add (&n_calls[kind], 1) + 1;

  return at > 0 && (number == at || (number > at
          && g_atomic_int_get (&fails_forever)));
}

/* The macros of GLib that have the same names are not used because of the parentheses. */
#define FAIL_OR(allocation) \
    (test_is_in_library (__builtin_return_address (0), "libgstcudahisto.so") \
        && fails (ALLOCATIONS)) ? NULL : (allocation)

G_MODULE_EXPORT gpointer (g_try_malloc) (gsize n) {
  return FAIL_OR (n > 0 ? malloc (n) : NULL);
}

G_MODULE_EXPORT gpointer (g_try_malloc0) (gsize n) {
  return FAIL_OR (n > 0 ? calloc (1, n) : NULL);
}

G_MODULE_EXPORT gpointer (g_try_malloc_n) (gsize n, gsize size) {
  return FAIL_OR (n > 0 && size > 0 ? reallocarray (NULL, n, size) : NULL);
}

G_MODULE_EXPORT gpointer (g_try_malloc0_n) (gsize n, gsize size) {
  return FAIL_OR (n > 0 && size > 0 ? calloc (n, size) : NULL);
}

int pthread_create (pthread_t *, const pthread_attr_t *, void *(*)(void *),
    void *);

G_MODULE_EXPORT int
pthread_create (pthread_t * thread, const pthread_attr_t * attributes,
    void *(*run) (void *), void *data)
{
  static int (*real) (pthread_t *, const pthread_attr_t *, void *(*)(void *),
      void *);

  if (real == NULL)
    *(void **) &real = dlsym (RTLD_NEXT, "pthread_create");
  return fails (THREADS) ? EAGAIN : real (thread, attributes, run, data);
}

/* ---- A stream --------------------------------------------------------------------------------- */

#define N_FRAMES 3

typedef struct
{
  const gchar *caps;
  gsize size;                   /* of a buffer */
  const gchar *properties;
  guint crop;                   /* at the left, in pixels */
} Stream;

/* All allocations of the CPU engine: counters, tallies, rows, pictures, planes that are made from
 * other formats, tables for parts of a large frame. Copies of the samples inside a crop meta. And those of
 * the results: the histograms of the previous frame, and the sums of windows. Each frame begins a window. */
static const Stream streams[] = {
  {"video/x-raw, format=NV12, width=32, height=16, framerate=25/1", 768,
      "measures=signal+motion+color+hdr+detail+area+gamut+gamut-filter+flash+field window=40000000 "
        "regions=\"a=3,1,21,4; b=50%,0,50%,100%\" max-in-flight=2", 0},
  {"video/x-raw, format=GRAY8, width=1024, height=1024, framerate=25/1",
      1024 * 1024, "max-in-flight=2", 0},
  {"video/x-raw, format=NV12_4L4, width=32, height=16, framerate=25/1", 768,
      "measures=color max-in-flight=2", 0},
  {"audio/x-raw, format=F32LE, rate=8000, channels=2, layout=interleaved",
      8000, "measures=level max-in-flight=3", 0},
  {"video/x-raw, format=GRAY8, width=32, height=16, framerate=25/1", 512,
      "meta=false post-messages=true max-in-flight=2", 0},
  {"video/x-raw, format=v210, width=32, height=16, framerate=25/1", 2048,
      "max-in-flight=2", 1},
  {"video/x-raw, format=NV12_4L4, width=32, height=16, framerate=25/1", 768,
      "max-in-flight=2", 1},
};

typedef struct
{
  const Stream *stream;
  GstHarness *harness;
  GstBuffer *frames[N_FRAMES];
  GstStructure *expected[N_FRAMES];
  GstMessage *error;            /* that came instead of a frame */
} Session;

static gboolean
posts (const Session * session)
{
  return strstr (session->stream->properties, "meta=false") != NULL;
}

static GstFlowReturn
push_frames (Session * session)
{
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; flow == GST_FLOW_OK && i < N_FRAMES; i++)
    flow = gst_harness_push (session->harness,
        gst_buffer_copy_deep (session->frames[i]));
  return flow;
}

/* The first result of a frame is what the others are compared with. */
static void
check_result (Session * session, guint i, const GstStructure * result,
    const gchar * label)
{
  if (session->expected[i] == NULL) {
    session->expected[i] = gst_structure_copy (result);
    gst_structure_remove_fields (session->expected[i], "timestamp",
        "stream-time", "running-time", "duration", "backend", NULL);
    return;
  }
  for (gint f = 0; f < gst_structure_n_fields (session->expected[i]); f++) {
    const gchar *name = gst_structure_nth_field_name (session->expected[i], f);
    const GValue *expected = gst_structure_get_value (session->expected[i], name);
    const GValue *found = gst_structure_get_value (result, name);
    gchar *one = gst_value_serialize (expected);
    gchar *other = found != NULL ? gst_value_serialize (found) : NULL;

    fail_unless (g_strcmp0 (one, other) == 0, "%s, frame %u: %s is %s, not %s",
        label, i, name, other, one);
    g_free (one);
    g_free (other);
  }
}

/* Returns: (nullable): NULL if an error was posted instead. The thread that pushes posts it if the result
 * cannot be computed. */
static GstBuffer *
wait_for_frame (Session * session)
{
  GstBuffer *buffer;

  if (posts (session))
    return gst_harness_pull (session->harness);
  while ((buffer = gst_harness_try_pull (session->harness)) == NULL) {
    session->error = test_pop_message (session->harness, GST_MESSAGE_ERROR);
    if (session->error != NULL)
      return NULL;
    g_usleep (100);
  }
  return buffer;
}

/* Returns: FALSE if there was an error instead of a frame */
static gboolean
check_frames (Session * session, const gchar * label)
{
  for (guint i = 0; i < N_FRAMES; i++) {
    GstBuffer *buffer = wait_for_frame (session);
    GstMessage *message = NULL;

    if (session->error != NULL)
      return FALSE;
    fail_unless (buffer != NULL);
    if (posts (session))
      message = test_wait_message (session->harness, GST_MESSAGE_ELEMENT);
    check_result (session, i, message != NULL ?
        gst_message_get_structure (message) : test_result (buffer), label);
    gst_buffer_unref (buffer);
    g_clear_pointer (&message, gst_message_unref);
  }
  return TRUE;
}

/* A buffer was refused, or has no result: one error must have been posted. */
static void
check_error (Session * session, const gchar * label)
{
  GstMessage *message = g_steal_pointer (&session->error);
  GError *error = NULL;

  if (message == NULL)
    message = test_pop_message (session->harness, GST_MESSAGE_ERROR);

  fail_unless (message != NULL, "%s: no error", label);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (error->domain == GST_RESOURCE_ERROR, "%s: %s", label,
      error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless_equals_int (test_count_messages (session->harness,
          GST_MESSAGE_ERROR), 0);
}

/* Other caps come, the N-th call fails, and then the flow starts again without a failure.
 * Returns: whether there was an N-th call */
static gboolean
run (Session * session, Kind kind, gint number, gboolean forever)
{
  gchar *label = g_strdup_printf ("%s, %s %d fails %s", session->stream->caps,
      kind_names[kind], number, forever ? "forever" : "once");
  GstCaps *caps = gst_caps_from_string (session->stream->caps);
  GstFlowReturn flow;
  gboolean was_called;

  session->harness = test_gray_harness_new (session->stream->properties);
  arm (kind, number, forever);
  gst_harness_push_event (session->harness, gst_event_new_caps (caps));
  flow = push_frames (session);
  if (flow != GST_FLOW_OK || !check_frames (session, label))
    check_error (session, label);
  was_called = g_atomic_int_get (&n_calls[kind]) >= number;
  arm (kind, 0, FALSE);

  test_flush (session->harness);
  test_drop_received (session->harness);
  test_push_segment (session->harness);
  gst_harness_push_event (session->harness, gst_event_new_caps (caps));
  test_count_messages (session->harness, GST_MESSAGE_ELEMENT);
  fail_unless (push_frames (session) == GST_FLOW_OK, "%s", label);
  fail_unless (check_frames (session, label), "%s", label);
  fail_unless_equals_int (test_count_messages (session->harness,
          GST_MESSAGE_ERROR), 0);
  test_harness_free (session->harness);
  gst_caps_unref (caps);
  g_free (label);
  return was_called && number > 0;
}

static void
session_init (Session * session, const Stream * stream)
{
  GRand *random = test_random ();

  memset (session, 0, sizeof *session);
  session->stream = stream;
  for (guint i = 0; i < N_FRAMES; i++) {
    session->frames[i] = test_random_buffer (stream->size, random);
    GST_BUFFER_PTS (session->frames[i]) = i * GRAY_DURATION;
    GST_BUFFER_DURATION (session->frames[i]) = GRAY_DURATION;
    if (stream->crop > 0) {
      GstVideoCropMeta *crop =
          gst_buffer_add_video_crop_meta (session->frames[i]);

      crop->x = stream->crop;
      crop->width = crop->height = 7;
    }
  }
  g_rand_free (random);
  run (session, ALLOCATIONS, 0, FALSE);
}

static void
session_clear (Session * session)
{
  for (guint i = 0; i < N_FRAMES; i++) {
    gst_buffer_unref (session->frames[i]);
    gst_structure_free (session->expected[i]);
  }
}

/* Returns: how many calls failed */
static gint
fail_each (const Stream * stream, Kind kind)
{
  gint number = 0, n_failed = 0;
  Session session;

  session_init (&session, stream);
  for (guint forever = 0; forever < 2; forever++) {
    for (number = 1; run (&session, kind, number, forever); number++)
      n_failed++;
  }
  session_clear (&session);
  g_print ("%s: %d %ss failed\n", stream->caps, n_failed, kind_names[kind]);
  return n_failed;
}

/* ---- Tests ------------------------------------------------------------------------------------ */

TEST_LOOP (test_each_allocation, 0, G_N_ELEMENTS (streams))
{
  fail_unless (fail_each (&streams[__i__], ALLOCATIONS) >= 2);
}

TEST_LOOP (test_each_thread, 0, G_N_ELEMENTS (streams))
{
  /* New versions of GLib keep the threads of a pool for the next one, and make no others. */
  g_thread_pool_set_max_unused_threads (0);
  fail_unless (fail_each (&streams[__i__], THREADS) >= 2);
}

TEST_MAIN (60)
