/* A buffer that passes through the temporal stage.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_PASSING_H
#define HISTO_PASSING_H

#include "cudahisto/result.h"
#include "measures/plan.h"
#include "media/layout.h"

G_BEGIN_DECLS

typedef struct
{
  const HistoPlan *plan;        /* by which the counts and the result were made */
  const HistoCounts *counts;
  const gchar *backend;         /* static string: the engine that counted */
  HistoResult *result;          /* its running values are set; NULL where none is needed: see
                                 * histo_temporal_needs_result() */
  const HistoAudioLayout *samples;      /* NULL where none are needed: see
                                         * histo_temporal_needs_samples() */
  const HistoTimes *times;

  /* Set by the stage. */
  guint64 start, end;           /* stream time in ns; estimated where the buffer has none;
                                 * GST_CLOCK_TIME_NONE: unknown */
  gboolean has_short_term;      /* the result has a short-term loudness */
} HistoPassing;

G_END_DECLS

#endif /* HISTO_PASSING_H */
