/* Field order and repeated fields, decided as FFmpeg's idet does (libavfilter/vf_idet.c), from sums over
 * the rows of three neighbouring frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_FIELDS_OF_FRAMES_H
#define HISTO_FIELDS_OF_FRAMES_H

#include "cudahisto/figures.h"

G_BEGIN_DECLS

/* The single results that the multi-frame one follows from. */
#define HISTO_N_FIELD_RESULTS 4

/* The sums of one frame: [0] of even rows, [1] of odd ones. docs/result.md defines them. */
typedef struct
{
  gdouble previous[2], next[2], current[2], change[2];
} HistoFieldSums;

typedef struct
{
  guint single, multi;          /* HISTO_FIELD_TFF, … */
  guint repeated;               /* HISTO_REPEATED_NEITHER, … */
} HistoFieldDecision;

typedef struct
{
  gboolean has_sums;            /* there was a frame before */
  HistoFieldSums sums;          /* of that frame; next is not known yet */
  guint singles[HISTO_N_FIELD_RESULTS]; /* the newest first */
  guint multi;                  /* of the frame that was decided last */
} HistoFields;

void histo_fields_forget (HistoFields * fields);
void histo_fields_decide (HistoFields * fields, const HistoFieldSums * sums,
    HistoFieldDecision * decision);

G_END_DECLS

#endif /* HISTO_FIELDS_OF_FRAMES_H */
