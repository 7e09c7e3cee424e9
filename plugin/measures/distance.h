/* How far two histograms are apart.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_DISTANCE_H
#define HISTO_DISTANCE_H

#include <glib.h>

G_BEGIN_DECLS

/* p and q are the histograms, each divided by its sum. */
typedef struct
{
  gdouble chi2;                 /* ½ Σ (p - q)² / (p + q) over the bins with p + q > 0; 0 to 1 */
  gdouble bhattacharyya;        /* √(1 - Σ √(p q)); 0 to 1, as OpenCV's compareHist() */
  gdouble emd;                  /* earth mover's distance in bins: Σ |Σ_{j≤i} p_j - q_j| */
} HistoDistances;

void histo_distances_find (HistoDistances * distances, const guint32 * a,
    const guint32 * b, guint n);

G_END_DECLS

#endif /* HISTO_DISTANCE_H */
