/* The figures of the group `level` that follow from a span of 50 ms which moves over the samples
 * of a channel: running power and noise floor.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LEVEL_ENVELOPE_H
#define HISTO_LEVEL_ENVELOPE_H

#include "measures/level-loops.h"

G_BEGIN_DECLS

#define HISTO_LEVEL_NO_FLOOR G_MAXUINT

typedef struct
{
  const HistoLevelLoops *loops;
  guint length;                 /* of the span, in samples */
  gdouble factor;               /* of the average, for one sample */

  guint64 n;                    /* samples since the reset */
  gdouble average;
  gdouble min, max;             /* of the average after `length` samples */

  /* The samples are divided into blocks of `length` samples. The highest bin of a span is the
   * maximum of two: the highest bin of the end of a block, and the highest one of the begin of
   * the next block (van Herk, 1992). */
  guint16 *block;               /* the bins of this block */
  guint16 *tails;               /* of the block before: the highest bin from each place on */
  guint n_allocated;            /* of both arrays */
  guint n_in_block;
  guint highest;                /* of this block */
  guint floor;                  /* lowest of the highest bins, or HISTO_LEVEL_NO_FLOOR */
} HistoLevelEnvelope;

void histo_level_envelope_init (HistoLevelEnvelope * envelope,
    const HistoLevelLoops * loops, guint rate);
void histo_level_envelope_clear (HistoLevelEnvelope * envelope);
void histo_level_envelope_reset (HistoLevelEnvelope * envelope);
void histo_level_envelope_add (HistoLevelEnvelope * envelope,
    const gdouble * x, const guint16 * bins, guint n);

G_END_DECLS

#endif /* HISTO_LEVEL_ENVELOPE_H */
