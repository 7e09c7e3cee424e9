/* A session: the element between two pads, from its start to its end. Unlike a GstHarness it also
 * works for an element that cannot start.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_SESSION_H
#define TESTS_SESSION_H

#include "cuda-frames.h"

typedef struct
{
  GstElement *element;
  GstBus *bus;
  GstPad *src, *sink;
  GMutex lock;
  GCond changed;
  GQueue received;              /* of GstBuffer */
  gboolean is_eos, is_held;
  guint n_warnings, n_errors;
  gchar *text;                  /* of the last warning or error */
} Session;

/* Starts a cudahisto with these properties. @context: shared with the element as an application
 * does it; or NULL. Returns FALSE if the element does not start. Sets the alarm of
 * test_set_alarm(), which session_close() cancels. */
gboolean session_open (Session * session, const gchar * properties,
    GstCudaContext * context);

/* Pushes stream-start, caps and segment. */
void session_begin (Session * session, GstCaps * caps);

/* Waits until n buffers have arrived downstream. */
void session_wait (Session * session, guint n);

/* Blocks the buffers that leave the element, until session_release(). Returns the number of the
 * probe. */
gulong session_hold (Session * session);

/* Waits until a buffer is blocked or an error is posted. */
void session_wait_held (Session * session);
void session_release (Session * session, gulong probe);

/* Ends the stream, as a source does even after an error. Waits for its end, or for an error, and
 * stops the element. */
void session_end (Session * session);

void session_close (Session * session);

#endif /* TESTS_SESSION_H */
