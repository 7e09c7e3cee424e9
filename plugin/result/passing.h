/* What the parts of the temporal stage have in common: why they restart, and the buffer that passes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_PASSING_H
#define HISTO_PASSING_H

#include "cudahisto/result.h"
#include "measures/plan.h"
#include "media/layout.h"

G_BEGIN_DECLS

/* A later reason includes what the earlier ones restart, so the maximum of several reasons stands
 * for all of them. */
typedef enum
{
  HISTO_RESTART_NONE,
  HISTO_RESTART_DISCONTINUITY,  /* a DISCONT flag, or buffers that were refused or for which no result was
                                 * wanted: the previous buffer is no neighbour of this one; running time
                                 * goes on */
  HISTO_RESTART_SEGMENT,        /* a new segment: stream time may go back */
  HISTO_RESTART_CAPS,           /* another format: the results before have other components; or
                                 * another stream: they are not part of it */
  HISTO_RESTART_FLUSH           /* a flush or a start: running time begins anew */
} HistoRestart;

/* A buffer that passes through the stage. */
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
