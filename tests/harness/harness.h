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

/* Whether the function at this address belongs to the library of this file name. For programs that have functions
 * of their own which a plugin calls. */
gboolean test_is_in_library (gconstpointer address, const gchar * name);

/* Adds a test case whose tests may each take so many seconds (check multiplies them by
 * CK_TIMEOUT_MULTIPLIER). The suite owns the case. */
TCase *test_add_case (Suite * suite, const gchar * name, guint seconds);

/* The program of a suite with one case. What follows is a function that adds the tests to @tcase:
 *   TEST_SUITE (name, 60)
 *   {
 *     tcase_add_test (tcase, test_something);
 *   }
 */
#define TEST_SUITE(name, seconds) \
  static void name##_tests (TCase * tcase); \
  static Suite * \
  name##_suite (void) \
  { \
    Suite *suite = suite_create (#name); \
\
    name##_tests (test_add_case (suite, "general", seconds)); \
    return suite; \
  } \
  GST_CHECK_MAIN (name) \
  static void \
  name##_tests (TCase * tcase)

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
