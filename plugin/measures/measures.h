/* Which components a format has for the groups that are on. The tables of what is measured are in
 * cudahisto/.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_MEASURES_H
#define HISTO_MEASURES_H

#include "cudahisto/groups.h"
#include "media/format.h"

G_BEGIN_DECLS

guint histo_measures_groups_of_format (const HistoFormat * format,
    guint groups);
void histo_measures_list_components (const HistoFormat * format,
    guint groups, GArray * components);

G_END_DECLS

#endif /* HISTO_MEASURES_H */
