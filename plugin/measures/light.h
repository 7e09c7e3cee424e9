/* The light of a code value: transfer functions in cd/m².
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LIGHT_H
#define HISTO_LIGHT_H

#include "media/format.h"

G_BEGIN_DECLS

gdouble histo_light_of_signal (GstVideoTransferFunction transfer,
    gdouble signal);
gdouble *histo_light_table_new (const HistoFormat * format);

G_END_DECLS

#endif /* HISTO_LIGHT_H */
