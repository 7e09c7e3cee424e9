/* Errors of the flow, as messages: one error message for each start of the flow. An upstream
 * that goes on pushing after an error does not cause more of them.
 *
 * All functions may be called in any thread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_ERRORS_H
#define HISTO_ERRORS_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;          /* not owned: the source of messages */
  gint is_posted;               /* atomic: since the last start */
  gint engine_failed;           /* atomic: since the last configuration */
} HistoErrors;

void histo_errors_init (HistoErrors * errors, GstElement * element);

/* Called when the flow starts: the next error is posted again. */
void histo_errors_restart (HistoErrors * errors);

/* Returns %TRUE once for each start: the caller then posts its error. */
gboolean histo_errors_is_first (HistoErrors * errors);

/* Posts an error unless one has been posted since the start.
 * @error: (transfer full): its domain and code become those of the message
 * @flow: an error that downstream returned, of which upstream cannot learn from a buffer any more */
void histo_errors_post (HistoErrors * errors, GError * error);
void histo_errors_post_flow (HistoErrors * errors, GstFlowReturn flow);

/* Posts an error of configuring or measuring. The engine may be half configured, or a launch may have left counts
 * behind: it must be configured again before the next buffer.
 * @error: (transfer full)
 * Returns: %GST_FLOW_ERROR */
GstFlowReturn histo_errors_fail_engine (HistoErrors * errors, GError * error);
gboolean histo_errors_engine_failed (HistoErrors * errors);

/* Called before each configuration. */
void histo_errors_clear_engine_failure (HistoErrors * errors);

G_END_DECLS

#endif /* HISTO_ERRORS_H */
