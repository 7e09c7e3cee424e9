/* Threads that set and ask for the element's CUDA context while it is opened: with backend=cuda when the element
 * is started, with backend=auto in upstream's thread at the first caps. Runs on the mock driver, which makes
 * contexts quickly.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cuda-frames.h"
#include "frames.h"
#include "mock.h"

#include <unistd.h>

#define N_ROUNDS 300

/* An element, and the context that the application has for it. */
typedef struct
{
  const gchar *backend;
  GstElement *element;
  GstCudaContext *own;
  GstContext *context;          /* with the own one */
  gint is_over;                 /* atomic */
  GThread *opener;              /* the thread that starts the element */
  guint n_lines;                /* that libgstcuda has logged there while it made a context */
} Fixture;

static guint
n_references (GstCudaContext * context)
{
  return g_atomic_int_get (&G_OBJECT (context)->ref_count);
}

static const gchar *const backends[] = { "cuda", "auto" };

/* @backend: a number of backends */
static void
fixture_init (Fixture * fixture, guint backend)
{
  fixture->backend = backends[backend];
  fixture->own = gst_cuda_context_new (0);
  fail_unless (fixture->own != NULL);
  fixture->context = gst_context_new_cuda_context (fixture->own);
}

static void
fixture_clear (Fixture * fixture)
{
  gst_context_unref (fixture->context);
  gst_object_unref (fixture->own);
}

static void
open_element (Fixture * fixture)
{
  fixture->element = gst_element_factory_make ("cudahisto", NULL);
  gst_object_ref_sink (fixture->element);
  gst_util_set_object_arg (G_OBJECT (fixture->element), "backend",
      fixture->backend);
}

/* Until the device is open. */
static void
start (const Fixture * fixture)
{
  const gboolean is_auto = g_str_equal (fixture->backend, "auto");

  fail_unless_equals_int (gst_element_set_state (fixture->element,
          is_auto ? GST_STATE_PAUSED : GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  if (is_auto)
    test_send_gray_caps (fixture->element);
}

static void
stop (GstElement * element)
{
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
}

/* The context that the element tells its neighbours; NULL if it tells none. The caller owns it. */
static GstCudaContext *
ask (GstElement * element)
{
  GstQuery *query = gst_query_new_context (GST_CUDA_CONTEXT_TYPE);
  GstPad *pad = gst_element_get_static_pad (element, "src");
  GstCudaContext *context = NULL;
  GstContext *answer;

  if (gst_pad_query (pad, query)) {
    gst_query_parse_context (query, &answer);
    fail_unless (gst_structure_get (gst_context_get_structure (answer),
            GST_CUDA_CONTEXT_TYPE, GST_TYPE_CUDA_CONTEXT, &context, NULL));
  }
  gst_object_unref (pad);
  gst_query_unref (query);
  return context;
}

/* ---- A race ----------------------------------------------------------------------------------- */

static gpointer
set_often (Fixture * fixture)
{
  while (!g_atomic_int_get (&fixture->is_over))
    gst_element_set_context (fixture->element, fixture->context);
  return NULL;
}

static gpointer
ask_often (Fixture * fixture)
{
  while (!g_atomic_int_get (&fixture->is_over)) {
    GstCudaContext *context = ask (fixture->element);

    gst_clear_object (&context);
  }
  return NULL;
}

/* One thread sets a context and another one asks for it, again and again, while the element is started
 * and stopped. Nothing keeps a reference of the context. */
TEST_LOOP (test_race, 0, 2)
{
  const MockCudaLive before = test_live ();
  Fixture fixture = { NULL, };
  guint n;

  fixture_init (&fixture, __i__);
  n = n_references (fixture.own);
  for (guint i = 0; i < N_ROUNDS; i++) {
    GThread *setter, *asker;

    open_element (&fixture);
    g_atomic_int_set (&fixture.is_over, FALSE);
    setter = g_thread_new ("sets", (GThreadFunc) set_often, &fixture);
    asker = g_thread_new ("asks", (GThreadFunc) ask_often, &fixture);
    for (guint start_number = 0; start_number < 2; start_number++) {
      start (&fixture);
      stop (fixture.element);
    }
    g_atomic_int_set (&fixture.is_over, TRUE);
    g_thread_join (setter);
    g_thread_join (asker);
    gst_object_unref (fixture.element);
    fail_unless (n_references (fixture.own) == n,
        "round %u: %u references, not %u", i, n_references (fixture.own), n);
  }
  fixture_clear (&fixture);
  test_check_live (&before, "a race");
}

/* ---- While a context is made ------------------------------------------------------------------ */

static gpointer
set_once (Fixture * fixture)
{
  gst_element_set_context (fixture->element, fixture->context);
  return NULL;
}

/* Libgstcuda has found no context and makes one. Now another thread sets one. */
static void
set_at_first_line (GstDebugCategory * category, GstDebugLevel level,
    const gchar * file, const gchar * function, gint line, GObject * object,
    GstDebugMessage * message, gpointer user_data)
{
  Fixture *fixture = user_data;

  if (g_thread_self () != fixture->opener
      || !g_str_equal (gst_debug_category_get_name (category), "cudacontext"))
    return;
  if (fixture->n_lines++ == 0)
    g_thread_join (g_thread_new ("sets", (GThreadFunc) set_once, fixture));
}

/* A context that is set while the element makes one of its own comes too late, and nothing keeps a
 * reference of it. */
TEST_LOOP (test_set_too_late, 0, 2)
{
  const MockCudaLive before = test_live ();
  Fixture fixture = { NULL, };
  GstCudaContext *used;
  guint n;

  test_set_alarm ();
  fixture_init (&fixture, __i__);
  n = n_references (fixture.own);
  open_element (&fixture);
  fixture.opener = g_thread_self ();
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (set_at_first_line, &fixture, NULL);
  gst_debug_set_threshold_for_name ("cudacontext", GST_LEVEL_INFO);
  start (&fixture);
  gst_debug_remove_log_function (set_at_first_line);
  fail_unless (fixture.n_lines > 0);
  used = ask (fixture.element);
  fail_unless (used != NULL && used != fixture.own);
  gst_object_unref (used);
  stop (fixture.element);
  gst_object_unref (fixture.element);
  fail_unless_equals_int (n_references (fixture.own), n);
  fixture_clear (&fixture);
  alarm (0);
  test_check_live (&before, "a context that is set too late");
}

/* ---- Handlers of messages --------------------------------------------------------------------- */

/* Another thread of the application, for which the handler waits. */
static gpointer
use_element (Fixture * fixture)
{
  GstCudaContext *context = ask (fixture->element);
  GstCudaContext *other = gst_cuda_context_new (1);
  GstContext *late = gst_context_new_cuda_context (other);
  GstStructure *stats;

  fail_unless (context == NULL);
  gst_element_set_context (fixture->element, late);
  g_object_get (fixture->element, "stats", &stats, NULL);
  gst_structure_free (stats);
  gst_context_unref (late);
  gst_object_unref (other);
  return NULL;
}

static GstBusSyncReply
answer_need_context (GstBus * bus, GstMessage * message, gpointer user_data)
{
  Fixture *fixture = user_data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_NEED_CONTEXT) {
    g_thread_join (g_thread_new ("uses", (GThreadFunc) use_element, fixture));
    gst_element_set_context (fixture->element, fixture->context);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* The handler of the message that asks for a context waits for another thread that calls the element.
 * The element uses the context that the handler sets in the message's thread. */
TEST_LOOP (test_handler_waits_for_thread, 0, 2)
{
  const MockCudaLive before = test_live ();
  GstBus *bus = gst_bus_new ();
  GstCudaContext *used;
  Fixture fixture = { NULL, };
  guint n;

  test_set_alarm ();
  fixture_init (&fixture, __i__);
  n = n_references (fixture.own);
  open_element (&fixture);
  gst_bus_set_sync_handler (bus, answer_need_context, &fixture, NULL);
  gst_element_set_bus (fixture.element, bus);
  start (&fixture);
  used = ask (fixture.element);
  fail_unless (used == fixture.own);
  gst_object_unref (used);
  stop (fixture.element);
  gst_element_set_bus (fixture.element, NULL);
  gst_object_unref (fixture.element);
  gst_object_unref (bus);
  fail_unless_equals_int (n_references (fixture.own), n);
  fixture_clear (&fixture);
  alarm (0);
  test_check_live (&before, "a handler");
}

/* ---- A handler that stops the element --------------------------------------------------------- */

typedef struct
{
  Fixture *fixture;
  GstMessageType type;          /* the message at which it acts */
  gboolean starts_again;
  guint n_acted;
} Stopper;

static GstBusSyncReply
stop_at_message (GstBus * bus, GstMessage * message, gpointer user_data)
{
  Stopper *stopper = user_data;

  if (GST_MESSAGE_TYPE (message) == stopper->type && stopper->n_acted++ == 0) {
    stop (stopper->fixture->element);
    if (stopper->starts_again)
      fail_unless_equals_int (gst_element_set_state (stopper->fixture->element,
              GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* The handler of a message that upstream's thread posts while it opens the device stops the element there, and may
 * start it again. The caps are refused. Afterwards nothing of the device is left, and the next caps open it. */
TEST_LOOP (test_handler_stops, 0, 4)
{
  const MockCudaLive before = test_live ();
  GstBus *bus = gst_bus_new ();
  Fixture fixture = { NULL, };
  Stopper stopper = {.fixture = &fixture };
  GstCudaContext *used;

  test_set_alarm ();
  stopper.type = __i__ % 2 == 0 ? GST_MESSAGE_NEED_CONTEXT :
      GST_MESSAGE_HAVE_CONTEXT;
  stopper.starts_again = __i__ >= 2;
  fixture_init (&fixture, 1);
  open_element (&fixture);
  gst_bus_set_sync_handler (bus, stop_at_message, &stopper, NULL);
  gst_element_set_bus (fixture.element, bus);
  start (&fixture);
  fail_unless (stopper.n_acted > 0);
  fail_unless (ask (fixture.element) == NULL);
  if (!stopper.starts_again)
    start (&fixture);
  else
    fail_unless (test_send_gray_caps (fixture.element));
  used = ask (fixture.element);
  fail_unless (used != NULL);
  gst_object_unref (used);
  stop (fixture.element);
  gst_element_set_bus (fixture.element, NULL);
  gst_object_unref (fixture.element);
  gst_object_unref (bus);
  fixture_clear (&fixture);
  alarm (0);
  test_check_live (&before, "a handler that stops");
}

TEST_MAIN_IF (120, test_cuda_init (TRUE))
