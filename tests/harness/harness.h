/* The element under test: how a test makes it, feeds it and reads its messages.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_HARNESS_H
#define TESTS_HARNESS_H

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

/* The engine under test: "cpu" or "cuda". From CUDAHISTO_TEST_BACKEND in the environment; "cpu"
 * if that is not set. */
const gchar *test_backend (void);
gboolean test_backend_is_cuda (void);

/* 1, or N with CUDAHISTO_TEST_STEP=N in the environment. Then a test with many similar cases may try only every N-th
 * case. The first one is random. */
guint test_step (void);

/* Whether the element was built with libebur128. */
gboolean test_has_loudness (void);

/* Whether the function at this address belongs to the library of this file name. For programs that have functions
 * of their own which a plugin calls. */
gboolean test_is_in_library (gconstpointer address, const gchar * name);

/* ---- Test programs ------------------------------------------------------------------------- */

/* A test: the head of its function. The tests of a program run in the order of its file. */
#define TEST(name) TEST_LOOP (name, 0, 1)

/* A test that runs only if this holds. */
#define TEST_IF(name, condition) TEST_LOOP (name, 0, (condition) ? 1 : 0)

/* One test for each number from @start to @end - 1. The number is `__i__`. */
#define TEST_LOOP(name, start, end) \
  static void name##_body (gint __i__); \
  GST_START_TEST (name) \
  { \
    name##_body (__i__); \
  } \
  GST_END_TEST \
  static void \
  name##_add (TCase * tcase) \
  { \
    tcase_add_loop_test (tcase, name, start, end); \
  } \
  static void __attribute__ ((constructor)) \
  name##_register (void) \
  { \
    test_register (name##_add); \
  } \
  static void \
  name##_body (gint __i__ G_GNUC_UNUSED)

/* Keeps a function that adds a test to the program's case. */
void test_register (void (*add) (TCase * tcase));

/* The program. Its tests may each take so many seconds (check multiplies them by
 * CK_TIMEOUT_MULTIPLIER). */
#define TEST_MAIN(seconds) TEST_MAIN_IF (seconds, TRUE)

/* The same, but the tests run only if this holds, which is looked at after gst_init(). */
#define TEST_MAIN_IF(seconds, condition) \
  int \
  main (int argc, char **argv) \
  { \
    gst_check_init (&argc, &argv); \
    return test_run (__FILE__, seconds, condition); \
  }

/* Runs the tests of this source file. Returns how many have failed. */
int test_run (const gchar * file, guint seconds, gboolean is_wanted);

/* ---- The element --------------------------------------------------------------------------- */

/* A harness around a cudahisto of the engine under test. @properties: more properties in
 * gst-launch syntax, or NULL. The element gets a bus, because harnesses have none. */
GstHarness *test_harness_new (const gchar * properties);

/* Frees the harness. Fails the test if a buffer of test_buffer_new() is still in memory. */
void test_harness_free (GstHarness * harness);

/* Ends the process five seconds (times CK_TIMEOUT_MULTIPLIER) from now, unless alarm (0) is
 * called first. For tests that run the element thousands of times: check's own limit is for all
 * of them. */
void test_set_alarm (void);

/* ---- Events and states --------------------------------------------------------------------- */

/* Pushes the default segment in time. */
void test_push_segment (GstHarness * harness);

/* Pushes flush-start and flush-stop. */
void test_flush (GstHarness * harness);

/* Begins a new stream after the element was stopped: a flush, stream-start and caps, but no
 * segment. A harness's pads do not notice that the element has lost its sticky events. */
void test_restart_stream (GstHarness * harness, const gchar * caps);

/* Whether an event of this type has left the element, downstream or upstream, since the last
 * call. Drops all events that have. */
gboolean test_has_sent (GstHarness * harness, GstEventType type);
gboolean test_has_sent_upstream (GstHarness * harness, GstEventType type);

/* Sets a state and waits until it is reached. Fails the test if the change fails. */
void test_set_state (GstElement * element, GstState state);

/* Ends the stream, and waits until the end has left the element. */
void test_end_stream (GstHarness * harness);

/* ---- Messages and counters ----------------------------------------------------------------- */

/* The first message of this type on the element's bus, or NULL. (transfer full) */
GstMessage *test_pop_message (GstHarness * harness, GstMessageType type);

/* The same, but waits until there is one. */
GstMessage *test_wait_message (GstHarness * harness, GstMessageType type);

/* No element message has been posted. */
void test_check_no_message (GstHarness * harness);

/* Exactly one error has been posted, with this domain and code. @label: for the message of a
 * failure */
void test_check_error (GstHarness * harness, GQuark domain, gint code,
    const gchar * label);

/* Pushes a buffer, which must be refused with one GST_STREAM_ERROR_FORMAT and must not leave the
 * element. @buffer: (transfer full) */
void test_check_refused (GstHarness * harness, GstBuffer * buffer,
    const gchar * label);

/* Drops all messages of this type and returns their number. */
guint test_count_messages (GstHarness * harness, GstMessageType type);

/* One counter of the property `stats`. */
guint64 test_get_stat (GstHarness * harness, const gchar * field);

#endif /* TESTS_HARNESS_H */
