/* What the parent of --jobs asks its workers for: one input after the other.
 *
 * A worker is this program, whose standard input is a socket. Each message of the parent is a request. The worker measures the
 * input as if it were the only one of its command line, and answers with the exit status that a process of it alone would
 * have. When the parent closes the socket, it ends. A worker that ends without an answer has crashed, or has the wrong options:
 * then its end is the answer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_REQUESTS_H
#define REPORT_REQUESTS_H

#include "writers/policy-files.h"

G_BEGIN_DECLS

typedef struct
{
  gchar *input;
  gchar *verdicts;              /* the file for its summary; NULL: the parent needs none */
  gchar *row;                   /* the file for its row of the index; NULL: there is none */
  gchar *name;                  /* what messages call the output */
  gint output;                  /* the descriptor that becomes the standard output */
} ReportRequest;

/* As it is in the memory: both processes are the same program. */
typedef struct
{
  gint status;                  /* exit status of the input */
  gboolean is_last;             /* the worker takes no more requests, and ends */
  ReportCounted counted;        /* the input, if something is known of it */
} ReportAnswer;

gboolean report_requests_make (GSocket ** parent, gint * worker, GError ** error);
gboolean report_requests_send (GSocket * parent, const ReportRequest * request, GError ** error);
gboolean report_requests_take_answer (GSocket * parent, ReportAnswer * answer, gboolean * is_unread);

GSocket *report_requests_accept (GError ** error);
gboolean report_requests_wait (GSocket * worker, ReportRequest * request, GError ** error);
void report_requests_answer (GSocket * worker, const ReportAnswer * answer);
void report_requests_clear (ReportRequest * request);

G_END_DECLS

#endif /* REPORT_REQUESTS_H */
