/* What tells frames apart without looking at all of their samples again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SIGNATURE_H
#define REPORT_SIGNATURE_H

#include "compare/picture.h"

G_BEGIN_DECLS

/* Rows and columns of the grid. */
#define REPORT_SIGNATURE_SIDE 16
#define REPORT_SIGNATURE_CELLS (REPORT_SIGNATURE_SIDE * REPORT_SIGNATURE_SIDE)

typedef struct
{
  guint64 hash;                 /* of all samples: of frames whose hashes are equal, the samples are */
  gfloat cells[REPORT_SIGNATURE_CELLS]; /* means of the first component, from 0 to 255 */
} ReportSignature;

void report_signature_make (const HistoComparedPicture * picture, ReportSignature * signature);
gdouble report_signature_distance (const ReportSignature * a, const ReportSignature * b);
gdouble report_signature_peak (const ReportSignature * a, const ReportSignature * b);

G_END_DECLS

#endif /* REPORT_SIGNATURE_H */
