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

/* Where an error was met, which its message says. */
typedef struct
{
  const gchar *file, *function;
  gint line;
} HistoErrorPlace;

#define HISTO_HERE (&(const HistoErrorPlace) { __FILE__, GST_FUNCTION, __LINE__ })

void histo_errors_init (HistoErrors * errors, GstElement * element);

/* Called when the flow starts: the next error is posted again. */
void histo_errors_restart (HistoErrors * errors);

/* Returns %TRUE once for each start: the caller then posts its error. */
gboolean histo_errors_is_first (HistoErrors * errors);

/* Posts an error unless one has been posted since the start.
 * @error: (transfer full): its domain and code become those of the message
 * @flow: an error that downstream returned, of which upstream cannot learn from a buffer any more */
#define histo_errors_post(errors, error) histo_errors_post_from (errors, error, HISTO_HERE)
#define histo_errors_post_flow(errors, flow) histo_errors_post_flow_from (errors, flow, HISTO_HERE)
void histo_errors_post_from (HistoErrors * errors, GError * error, const HistoErrorPlace * place);
void histo_errors_post_flow_from (HistoErrors * errors, GstFlowReturn flow, const HistoErrorPlace * place);

/* Posts an error of configuring or measuring. The engine may be half configured, or a launch may have left counts
 * behind: it must be configured again before the next buffer.
 * @error: (transfer full)
 * Returns: %GST_FLOW_ERROR */
#define histo_errors_fail_engine(errors, error) histo_errors_fail_engine_from (errors, error, HISTO_HERE)
GstFlowReturn histo_errors_fail_engine_from (HistoErrors * errors, GError * error, const HistoErrorPlace * place);
gboolean histo_errors_engine_failed (HistoErrors * errors);

/* Called before each configuration. */
void histo_errors_clear_engine_failure (HistoErrors * errors);

G_END_DECLS

#endif /* HISTO_ERRORS_H */
