/* The temporal stage: values, windows and alerts that depend on several buffers. It lies between
 * the counts of a buffer and its publication.
 *
 * Buffers pass through the stage in stream order, one at a time. Different threads may call
 * it, but never two at the same time, so there is no lock.
 *
 * For each buffer, in this order:
 *
 * 1. histo_temporal_restart(), if there was a reason since the buffer before.
 * 2. histo_temporal_message_is_due(), if the result may be posted.
 * 3. If histo_temporal_is_needed(): the result is filled if histo_temporal_needs_result(), the buffer
 *    is mapped if histo_temporal_needs_samples(), and histo_temporal_pass() sets the figures in
 *    the result that depend on earlier buffers.
 *
 * The messages about windows and alerts are appended to a queue of the caller, who posts them
 * before the buffer's own message.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_TEMPORAL_H
#define HISTO_TEMPORAL_H

#include "result/alerts.h"
#include "result/passing.h"
#include "result/running.h"
#include "result/sound.h"
#include "result/window.h"

G_BEGIN_DECLS

/* What the stage does with a buffer. */
typedef struct
{
  guint64 window;               /* ns; 0: no windows */
  HistoHistograms histograms;   /* for the result of a window */
  const HistoAlertSettings *alerts;
  HistoRules *rules;            /* NULL: none */
} HistoTemporalSettings;

typedef struct
{
  GstClockTime last_message;    /* running time of the last result that was due */
  HistoRunning running;
  HistoSound sound;
  HistoWindow window;
  HistoHistograms histograms;   /* setting of the latest buffer in the window */
  HistoAlerts alerts;

  /* The latest buffer's. */
  HistoTimes times;
  guint64 end;                  /* stream time in ns; GST_CLOCK_TIME_NONE: unknown */

  GstObject *source;            /* not owned: of the messages */
  GArray *events;               /* of HistoAlertEvent: for one buffer; NULL before the first one */
  GArray *current;              /* of HistoAlertEvent: the alerts that the latest buffer has; NULL if events
                                 * is */
  HistoResult result;           /* of a window; empty otherwise */
} HistoTemporal;

void histo_temporal_init (HistoTemporal * temporal, GstObject * source);
void histo_temporal_clear (HistoTemporal * temporal);
void histo_temporal_forget (HistoTemporal * temporal);

void histo_temporal_restart (HistoTemporal * temporal, HistoRestart reason,
    GQueue * messages);
gboolean histo_temporal_message_is_due (HistoTemporal * temporal,
    GstClockTime running_time, GstClockTime interval);
gboolean histo_temporal_is_needed (const HistoTemporal * temporal,
    const HistoPlan * plan, const HistoTemporalSettings * settings);
gboolean histo_temporal_needs_result (const HistoTemporal * temporal,
    const HistoPlan * plan, const HistoTemporalSettings * settings);
gboolean histo_temporal_needs_samples (const HistoPlan * plan);
gboolean histo_temporal_pass (HistoTemporal * temporal,
    const HistoTemporalSettings * settings, HistoPassing * buffer,
    GQueue * messages, GError ** error);
void histo_temporal_end (HistoTemporal * temporal, GQueue * messages);

G_END_DECLS

#endif /* HISTO_TEMPORAL_H */
