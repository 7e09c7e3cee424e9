/* What the parent of --jobs asks its workers for; see requests.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "requests.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixfdmessage.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/interrupt.h"

/* A command line has no longer argument than 128 KiB, and paths of files are shorter. */
#define MOST_BYTES (192 * 1024)

static gboolean
fail (gint code, GError ** error)
{
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), "a process for the inputs: %s", g_strerror (code));
  return FALSE;
}

/* ---- The parent --------------------------------------------------------------------------------- */

/**
 * report_requests_make:
 * @parent: (out) (transfer full): the end that report_requests_send() takes
 * @worker: (out) (transfer full): the end that becomes the standard input of the worker. What is sent while it is open waits for
 *   the worker, so that the first request is sent before the worker is started
 */
gboolean
report_requests_make (GSocket ** parent, gint * worker, GError ** error)
{
  gint ends[2];

  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return fail (errno, error);
  *parent = g_socket_new_from_fd (ends[0], error);
  *worker = ends[1];
  if (*parent != NULL)
    return TRUE;
  close (ends[0]);
  close (ends[1]);
  return FALSE;
}

static void
append (GString * text, const gchar * part)
{
  g_string_append_len (text, part != NULL ? part : "", part != NULL ? strlen (part) + 1 : 1);
}

/* Returns: FALSE with an error if the worker has ended, or if the request is too long */
gboolean
report_requests_send (GSocket * parent, const ReportRequest * request, GError ** error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GSocketControlMessage) descriptor = g_unix_fd_message_new ();
  GOutputVector vector;

  append (text, request->input);
  append (text, request->verdicts);
  append (text, request->row);
  append (text, request->name);
  if (text->len > MOST_BYTES)
    return fail (E2BIG, error);
  vector = (GOutputVector) {
  text->str, text->len};
  return g_unix_fd_message_append_fd (G_UNIX_FD_MESSAGE (descriptor), request->output, error)
      && g_socket_send_message (parent, NULL, &vector, 1, &descriptor, 1, G_SOCKET_MSG_NONE, NULL, error) >= 0;
}

/**
 * report_requests_take_answer:
 * @answer: (out):
 * @is_unread: (out): if there is none: the worker has ended before it read the latest request. The system says this once
 *
 * Returns: FALSE if there is no answer, and will be none
 */
gboolean
report_requests_take_answer (GSocket * parent, ReportAnswer * answer, gboolean * is_unread)
{
  g_autoptr (GError) error = NULL;
  const gssize length = g_socket_receive_with_blocking (parent, (gchar *) answer, sizeof *answer, FALSE, NULL, &error);

  *is_unread = g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CONNECTION_CLOSED);
  return length == sizeof *answer;
}

/* ---- The worker --------------------------------------------------------------------------------- */

/**
 * report_requests_accept:
 *
 * Takes the socket from the standard input, which has nothing from then on: an input may name it.
 *
 * Returns: (transfer full) (nullable): NULL with an error if the standard input is no socket
 */
GSocket *
report_requests_accept (GError ** error)
{
  const gint fd = fcntl (STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const gint nothing = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  GSocket *worker = NULL;

  if (fd < 0 || nothing < 0 || dup2 (nothing, STDIN_FILENO) < 0)
    fail (errno, error);
  else
    worker = g_socket_new_from_fd (fd, error);
  if (nothing >= 0)
    close (nothing);
  if (worker == NULL && fd >= 0)
    close (fd);
  return worker;
}

/* The next of the texts of a request. An empty one is none. */
static gchar *
take_text (const gchar ** p)
{
  gchar *text = **p != '\0' ? g_strdup (*p) : NULL;

  *p += strlen (*p) + 1;
  return text;
}

/* Returns: FALSE if the message is no request */
static gboolean
read_request (const gchar * bytes, gsize length, GSocketControlMessage ** messages, ReportRequest * request)
{
  guint n_texts = 0;
  g_autofree gint *fds = NULL;
  gint n_fds = 0;

  for (gsize i = 0; i < length; i++)
    n_texts += bytes[i] == '\0' ? 1 : 0;
  if (messages != NULL && messages[0] != NULL && G_IS_UNIX_FD_MESSAGE (messages[0]))
    fds = g_unix_fd_message_steal_fds (G_UNIX_FD_MESSAGE (messages[0]), &n_fds);
  if (n_texts != 4 || bytes[length - 1] != '\0' || n_fds != 1)
    return FALSE;
  request->input = take_text (&bytes);
  request->verdicts = take_text (&bytes);
  request->row = take_text (&bytes);
  request->name = take_text (&bytes);
  request->output = fds[0];
  return request->input != NULL;
}

/**
 * report_requests_wait:
 * @request: (out): to be cleared by report_requests_clear()
 *
 * If a signal comes first, the program ends as it does: there is nothing to report.
 *
 * Returns: FALSE if there are no more requests, with an error if the parent has not said so
 */
gboolean
report_requests_wait (GSocket * worker, ReportRequest * request, GError ** error)
{
  GPollFD poll = { g_socket_get_fd (worker), G_IO_IN, 0 };
  g_autofree gchar *bytes = g_malloc (MOST_BYTES);
  GInputVector vector = { bytes, MOST_BYTES };
  GSocketControlMessage **messages = NULL;
  gint n_messages = 0;
  gssize length;
  gboolean ok;

  memset (request, 0, sizeof *request);
  /* A signal interrupts it. One that came just before sets a timer, which interrupts it, too. */
  do {
    if (report_interrupt_signal () != 0)
      report_interrupt_die ();
  } while (g_poll (&poll, 1, -1) < 1);
  length = g_socket_receive_message (worker, NULL, &vector, 1, &messages, &n_messages, NULL, NULL, error);
  ok = length > 0 && read_request (bytes, length, messages, request);
  if (length > 0 && !ok)
    fail (EBADMSG, error);
  for (gint i = 0; i < n_messages; i++)
    g_object_unref (messages[i]);
  g_free (messages);
  return ok;
}

void
report_requests_answer (GSocket * worker, const ReportAnswer * answer)
{
  /* If the parent has ended, this process ends with it. */
  g_socket_send (worker, (const gchar *) answer, sizeof *answer, NULL, NULL);
}

void
report_requests_clear (ReportRequest * request)
{
  g_free (request->input);
  g_free (request->verdicts);
  g_free (request->row);
  g_free (request->name);
  memset (request, 0, sizeof *request);
}
