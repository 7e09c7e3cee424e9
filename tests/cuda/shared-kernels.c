/* The kernels of a context, which its elements share. Runs on the mock driver, which counts and
 * delays the loads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/kernels.h"

#include "cuda-frames.h"
#include "mock.h"

#include <sys/wait.h>
#include <unistd.h>

#define N_ELEMENTS 64
#define N_THREADS 8

static const MockCuda *mock;

static glong
n_loads (void)
{
  return mock->calls_to ("cuModuleLoadData");
}

/* ---- Elements ------------------------------------------------------------------------------- */

/* An element that will use the context. */
static GstElement *
new_element (GstCudaContext * context)
{
  GstElement *element = gst_element_factory_make ("cudahisto", NULL);
  GstContext *shared = gst_context_new_cuda_context (context);

  fail_unless (element != NULL);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
  gst_element_set_context (element, shared);
  gst_context_unref (shared);
  return element;
}

static gboolean
start (GstElement * element)
{
  return gst_element_set_state (element, GST_STATE_READY)
      == GST_STATE_CHANGE_SUCCESS;
}

static void
stop (GstElement * element)
{
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

/* Each context has one module, from the first of its elements to the last. */
TEST (test_one_module_per_context)
{
  GstElement *elements[2][N_ELEMENTS];
  GstCudaContext *contexts[2];
  const MockCudaLive before = test_live ();

  mock->reset ();
  for (guint c = 0; c < 2; c++) {
    /* Both on one device. */
    contexts[c] = gst_cuda_context_new (0);
    for (guint i = 0; i < N_ELEMENTS; i++) {
      elements[c][i] = new_element (contexts[c]);
      fail_unless (start (elements[c][i]));
      fail_unless_equals_int (n_loads (), c + 1);
    }
    fail_unless_equals_int (test_live ().modules, c + 1);
  }
  for (guint c = 0; c < 2; c++) {
    for (guint i = 0; i < N_ELEMENTS; i++) {
      fail_unless_equals_int (test_live ().modules, 2 - c);
      stop (elements[c][i]);
    }
    fail_unless_equals_int (test_live ().modules, 1 - c);
    gst_object_unref (contexts[c]);
  }
  fail_unless_equals_int (n_loads (), 2);
  test_check_live (&before, "two contexts");
}

static gpointer
start_in_thread (GstElement * element)
{
  return GINT_TO_POINTER (start (element));
}

/* Starts elements of a context in threads of their own, while the load waits. */
static void
start_in_threads (GstElement ** elements, GThread ** threads,
    GstCudaContext * context)
{
  const glong before = n_loads ();

  for (guint i = 0; i < N_THREADS; i++) {
    elements[i] = new_element (context);
    threads[i] = g_thread_new ("starts", (GThreadFunc) start_in_thread,
        elements[i]);
  }
  while (n_loads () == before)
    g_usleep (100);
  /* Time for the others to wait, or to load by mistake. */
  g_usleep (50 * 1000);
  fail_unless_equals_int (n_loads (), before + 1);
}

static void
join (GThread ** threads, gboolean expected)
{
  for (guint i = 0; i < N_THREADS; i++)
    fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (threads[i])),
        expected);
}

/* Elements wait for the load in their context, and for no other. */
TEST (test_waits_for_its_own_load)
{
  GstElement *elements[N_THREADS], *other;
  GThread *threads[N_THREADS];
  GstCudaContext *contexts[2];
  const MockCudaLive before = test_live ();

  mock->reset ();
  for (guint c = 0; c < 2; c++)
    contexts[c] = gst_cuda_context_new (c);
  mock->hold_modules (0);
  start_in_threads (elements, threads, contexts[0]);
  other = new_element (contexts[1]);
  fail_unless (start (other));
  mock->hold_modules (-1);
  join (threads, TRUE);
  fail_unless_equals_int (n_loads (), 2);
  stop (other);
  for (guint i = 0; i < N_THREADS; i++)
    stop (elements[i]);
  for (guint c = 0; c < 2; c++)
    gst_object_unref (contexts[c]);
  test_check_live (&before, "a load that takes long");
}

/* A load that fails, fails for all that waited for it. The next element tries again. */
TEST (test_failed_load)
{
  GstElement *elements[N_THREADS];
  GThread *threads[N_THREADS];
  const MockCudaLive before = test_live ();
  GstCudaContext *context = gst_cuda_context_new (0);

  mock->reset ();
  mock->hold_modules (0);
  start_in_threads (elements, threads, context);
  mock->refuse_modules (TRUE);
  mock->hold_modules (-1);
  join (threads, FALSE);
  fail_unless_equals_int (n_loads (), 1);
  for (guint i = 0; i < N_THREADS; i++) {
    stop (elements[i]);
    elements[i] = new_element (context);
  }
  fail_unless (!start (elements[0]));
  fail_unless_equals_int (n_loads (), 2);
  stop (elements[0]);

  mock->refuse_modules (FALSE);
  for (guint i = 1; i < N_THREADS; i++)
    fail_unless (start (elements[i]));
  fail_unless_equals_int (n_loads (), 3);
  for (guint i = 1; i < N_THREADS; i++)
    stop (elements[i]);
  gst_object_unref (context);
  test_check_live (&before, "a load that fails");
}

/* ---- The functions ---------------------------------------------------------------------------- */

static const HistoCudaKernels *
share (GstCudaContext * context)
{
  const HistoDriver *driver = histo_driver_get (NULL);
  const HistoCudaKernels *kernels;

  gst_cuda_context_push (context);
  kernels = histo_cuda_kernels_share (driver, NULL);
  gst_cuda_context_pop (NULL);
  return kernels;
}

static gpointer
share_in_thread (GstCudaContext * context)
{
  return (gpointer) share (context);
}

static void
release (GstCudaContext * context, const HistoCudaKernels * kernels)
{
  gst_cuda_context_push (context);
  histo_cuda_kernels_release (kernels);
  gst_cuda_context_pop (NULL);
}

/* Shares and releases the kernels again and again. The mock ends the process when a function of a
 * module that was unloaded is used. */
static gpointer
share_often (GstCudaContext ** contexts)
{
  const HistoDriver *driver = histo_driver_get (NULL);
  gint value;

  for (guint i = 0; i < 200; i++) {
    GstCudaContext *context = contexts[i / 3 % 2];
    const HistoCudaKernels *kernels = share (context);

    fail_unless (kernels != NULL);
    gst_cuda_context_push (context);
    fail_unless_equals_int (driver->cuFuncGetAttribute (&value,
            CU_FUNC_ATTRIBUTE_PTX_VERSION, kernels->sum_audio), CUDA_SUCCESS);
    gst_cuda_context_pop (NULL);
    release (context, kernels);
  }
  return NULL;
}

TEST (test_threads)
{
  GstCudaContext *contexts[2];
  GThread *threads[N_THREADS];
  const MockCudaLive before = test_live ();

  mock->reset ();
  for (guint c = 0; c < 2; c++)
    contexts[c] = gst_cuda_context_new (c);
  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("shares", (GThreadFunc) share_often, contexts);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  for (guint c = 0; c < 2; c++)
    gst_object_unref (contexts[c]);
  test_check_live (&before, "threads");
}

/* Somebody destroys the context, and the driver gives its handle to a new one. The kernels of the
 * old context are neither used nor unloaded there. */
TEST (test_destroyed_context)
{
  const HistoCudaKernels *old, *kernels;
  const MockCudaLive before = test_live ();
  GstCudaContext *context = gst_cuda_context_new (0);

  mock->reset ();
  old = share (context);
  mock->replace_context (gst_cuda_context_get_handle (context));
  kernels = share (context);
  fail_unless (kernels != NULL && kernels != old);
  fail_unless_equals_int (n_loads (), 2);
  release (context, old);
  fail_unless (share (context) == kernels);
  release (context, kernels);
  release (context, kernels);
  gst_object_unref (context);
  test_check_live (&before, "a destroyed context");
}

/* A process that is forked while a thread loads has none of the parent's kernels, and does not wait
 * for that thread, which it does not have. */
TEST (test_fork)
{
  const MockCudaLive before = test_live ();
  GstCudaContext *context = gst_cuda_context_new (0);
  const HistoCudaKernels *kernels;
  GThread *thread;
  gint status;
  pid_t child;

  mock->reset ();
  mock->hold_modules (0);
  thread = g_thread_new ("shares", (GThreadFunc) share_in_thread, context);
  while (n_loads () == 0)
    g_usleep (100);
  child = fork ();
  if (child == 0) {
    alarm (20);
    mock->hold_modules (-1);
    kernels = share (context);
    if (kernels == NULL || n_loads () != 2)
      _exit (1);
    release (context, kernels);
    _exit (test_live ().modules == before.modules ? 0 : 2);
  }
  fail_unless_equals_int (waitpid (child, &status, 0), child);
  fail_unless_equals_int (status, 0);
  mock->hold_modules (-1);
  kernels = g_thread_join (thread);
  fail_unless (kernels != NULL);
  release (context, kernels);
  gst_object_unref (context);
  test_check_live (&before, "fork");
}

static gboolean
prepare (void)
{
  mock = test_mock ();
  return test_cuda_init (TRUE);
}

TEST_MAIN_IF (10, prepare ())
