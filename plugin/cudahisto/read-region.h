/* Reads what is measured of the regions: their components and their groups.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_READ_REGION_H
#define HISTO_READ_REGION_H

#include "cudahisto/result.h"

G_BEGIN_DECLS

gboolean histo_read_regions (const GstStructure * structure,
    HistoResult * result, GError ** error);

G_END_DECLS

#endif /* HISTO_READ_REGION_H */
