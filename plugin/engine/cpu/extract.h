/* Extracts one component's samples from a row of a plane.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_EXTRACT_H
#define HISTO_CPU_EXTRACT_H

#include <glib.h>

#include "kernels/planes.h"

G_BEGIN_DECLS

/* Where the samples of one place in the period lie, and where they go. */
typedef struct
{
  const guint8 *from;           /* the first sample's word */
  guint step;                   /* bytes from one word to the next */
  gpointer to;
  guint to_step;                /* samples from one to the next */
  guint n;
} HistoExtraction;

void histo_extract (const HistoExtraction * extraction,
    const HistoSample * sample, gboolean big_endian, gboolean is_wide);

G_END_DECLS

#endif /* HISTO_CPU_EXTRACT_H */
