/* Measures one input: passes its results to the writers and adds them up.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_MEASURE_H
#define REPORT_MEASURE_H

#include "base/progress.h"
#include "input/settings.h"
#include "input/tap.h"
#include "writers/writer.h"

G_BEGIN_DECLS

typedef enum
{
  REPORT_INPUT_DONE,            /* all of it has been measured */
  REPORT_INPUT_BAD,             /* it could not be measured, or not all of it */
  REPORT_INPUT_INTERRUPTED,     /* by a signal */
  REPORT_INPUT_UNSURE,          /* decoders that share it may have given other pictures than one does: nothing that has been
                                 * written of it counts. With ReportSettings' split of 1 it does not happen */
  REPORT_OUTPUT_FAILED          /* a writer failed */
} ReportOutcome;

ReportOutcome report_measure (const gchar * name,
    const ReportSettings * settings, GPtrArray * writers,
    const ReportTap * tap, ReportProgress * progress,
    ReportSummary ** summary, GError ** error);

G_END_DECLS

#endif /* REPORT_MEASURE_H */
