/* An input that goes on: it is measured in a thread of its own, and connected again when it is lost.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_LIVE_INPUT_H
#define REPORT_LIVE_INPUT_H

#include "live/live-state.h"

G_BEGIN_DECLS

typedef struct _ReportLiveInput ReportLiveInput;

/* What all inputs share. */
typedef struct
{
  const ReportSettings *settings;
  gint n_threads;               /* of each decoder; 0: as many as it likes */
  gdouble rate;                 /* of the clock: 1, or faster for tests */
} ReportLiveSettings;

ReportLiveInput *report_live_input_new (const gchar * name, ReportLive * live, const ReportLiveSettings * settings);
void report_live_input_stop (ReportLiveInput * input);
gboolean report_live_input_has_stopped (ReportLiveInput * input);
void report_live_input_free (ReportLiveInput * input);

G_END_DECLS

#endif /* REPORT_LIVE_INPUT_H */
