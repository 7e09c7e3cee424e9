/* One buffer's measurement, on its way from upstream's thread, which fills this in, to the
 * thread that publishes the result.
 *
 * It has everything that publishing needs except the buffer. So publishing reads no state of
 * upstream's thread, and the buffer can be released first.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_MEASUREMENT_H
#define HISTO_MEASUREMENT_H

#include "cudahisto/result.h"
#include "engine/meter.h"
#include "result/alerts.h"
#include "result/temporal.h"

G_BEGIN_DECLS

#define HISTO_N_RESTARTS (HISTO_RESTART_FLUSH + 1)

typedef struct
{
  HistoSubmission submission;   /* submitted to the meter, to be released */
  HistoTimes times;             /* of the buffer */
  gint64 delay;                 /* how long submitting took, with the copy of a cropped frame, in us */
  gsize size;                   /* of the buffer, in bytes */
  guint n_restarts[HISTO_N_RESTARTS];   /* how often each reason has occurred so far. A
                                         * measurement that is dropped thus loses none. */

  /* The settings when the buffer came. */
  gboolean attaches, posts;
  HistoHistograms histograms;
  guint64 interval;             /* ns */
  guint64 window;               /* ns; 0: no windows */
  HistoAlertSettings alerts;
} HistoMeasurement;

G_END_DECLS

#endif /* HISTO_MEASUREMENT_H */
