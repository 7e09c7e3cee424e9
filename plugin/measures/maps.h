/* What the maps of kernels/maps.h need: the matrices of the colorimetry, and the table of
 * saturation and hue.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_MAPS_H
#define HISTO_MAPS_H

#include "kernels/maps.h"
#include "media/format.h"

G_BEGIN_DECLS

void histo_maps_init (HistoMaps * maps, const HistoFormat * format);
guint32 *histo_chroma_table_new (guint depth);

G_END_DECLS

#endif /* HISTO_MAPS_H */
