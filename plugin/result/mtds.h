/* The figures of a region as a GstAnalyticsMtd, for programs that follow the relations of a detected object.
 *
 * It is an Mtd of a type of its own, whose name is that of the result's meta. Its data is an array of HistoMtdFigure: what
 * a program needs to read it is in docs/result.md, and no header of this project.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_MTDS_H
#define HISTO_MTDS_H

#include "cudahisto/result.h"

G_BEGIN_DECLS

/* A contract with applications. */
typedef struct
{
  GQuark name;                  /* as in rules, without the region: "Y.mean" */
  gdouble value;                /* NaN: absent */
} HistoMtdFigure;

void histo_mtds_write (const HistoResult * result, const gchar * name, GstBuffer * buffer);

G_END_DECLS

#endif /* HISTO_MTDS_H */
