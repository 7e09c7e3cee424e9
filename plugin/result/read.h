/* Reads a result from the GstStructure of a meta or a message.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_READ_H
#define HISTO_READ_H

#include "result/result.h"

G_BEGIN_DECLS

gboolean histo_read_result (const GstStructure * structure,
    HistoResult * result, GError ** error);
gboolean histo_read_times (const GstStructure * structure,
    HistoTimes * times);

G_END_DECLS

#endif /* HISTO_READ_H */
