/* Reads a result from the GstStructure of a meta or a message.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_READ_H
#define HISTO_READ_H

#include "alert.h"
#include "result.h"

G_BEGIN_DECLS

gboolean histo_read_result (const GstStructure * structure,
    HistoResult * result, GError ** error);
gboolean histo_read_times (const GstStructure * structure,
    HistoTimes * times);
gboolean histo_read_buffers (const GstStructure * structure,
    guint64 * n_buffers);
gboolean histo_read_alert (const GstStructure * structure,
    HistoAlertEvent * event, GError ** error);
void histo_alert_write_place (const HistoAlertEvent * event, gchar * text,
    gsize size);
gboolean histo_read_alerts (const GstStructure * structure,
    GArray * alerts, GError ** error);

G_END_DECLS

#endif /* HISTO_READ_H */
