/* Frames as planes without gaps: what is uploaded, and what must first be unpacked.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_PACKING_H
#define HISTO_PACKING_H

#include "media/layout.h"

G_BEGIN_DECLS

/* How far the packing of a frame has come; all zero at first. */
typedef struct
{
  guint plane, row;             /* what comes next */
  gsize bytes;                  /* written */
} HistoPackPosition;

gsize histo_packed_size (const HistoFormat * format);
void histo_packed_locate (const HistoFormat * format, guint64 address,
    HistoPlane * planes);
void histo_pack_some (const HistoFormat * format, const HistoLayout * layout,
    guint8 * destination, HistoPackPosition * position, gsize max_bytes);
void histo_pack (const HistoFormat * format, const HistoLayout * layout,
    guint8 * destination);

G_END_DECLS

#endif /* HISTO_PACKING_H */
