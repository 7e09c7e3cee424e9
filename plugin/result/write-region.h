/* Writes what is measured of one region: its components and its groups.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_WRITE_REGION_H
#define HISTO_WRITE_REGION_H

#include "cudahisto/result.h"

G_BEGIN_DECLS

void histo_write_region_init (void);
void histo_write_region (const HistoResult * result, guint region,
    GstStructure * structure);
void histo_write_regions (const HistoResult * result,
    GstStructure * structure);

G_END_DECLS

#endif /* HISTO_WRITE_REGION_H */
