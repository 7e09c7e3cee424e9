/* Packed frames: the planes of a frame one after the other, without padding between rows.
 *
 * The host copies a frame that lies in ordinary memory to a packed one, and the device reads
 * that. A frame that must be unpacked is packed by unpacking it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_PACK_H
#define HISTO_PACK_H

#include "media/layout.h"

G_BEGIN_DECLS

/* How much of a frame has been packed. All fields are 0 at first. */
typedef struct
{
  guint plane, row;             /* the next ones to be packed */
  gsize bytes;                  /* of the packed frame that have been written */
} HistoPackPosition;

gsize histo_packed_size (const HistoFormat * format);
gsize histo_pack_room (const HistoFormat * format);
void histo_packed_locate (const HistoFormat * format, guint64 address,
    HistoPlane * planes);
void histo_pack_some (const HistoFormat * format, const HistoLayout * layout,
    guint8 * destination, HistoPackPosition * position, gsize max_bytes);
void histo_pack (const HistoFormat * format, const HistoLayout * layout,
    guint8 * destination);

G_END_DECLS

#endif /* HISTO_PACK_H */
