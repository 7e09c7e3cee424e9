/* The result as applications see it: a GstStructure on the buffer and on the bus. Only
 * this file and read.h know its fields.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_WRITE_H
#define HISTO_WRITE_H

#include "cudahisto/alert.h"
#include "cudahisto/fields.h"
#include "cudahisto/result.h"

G_BEGIN_DECLS

const GstMetaInfo *histo_meta_register (const gchar * name);
GstStructure *histo_meta_attach (const GstMetaInfo * info, GstBuffer ** buffer);
void histo_write_rois (const HistoResult * result, const GstStructure * written, const gchar * name, GstBuffer * buffer);
void histo_meta_detach (const GstMetaInfo * info, GstBuffer ** buffer);
void histo_write_init (void);
const GstMetaInfo *histo_write_meta (const gchar * name);
void histo_write_name (GstMessage * message, const gchar * name);
void histo_write_result (const HistoResult * result, GstStructure * structure);
void histo_write_alerts (const GArray * alerts, GstStructure * structure);
GstMessage *histo_write_message (GstStructure * structure,
    const HistoTimes * times, GstObject * source);
GstMessage *histo_write_window (const HistoResult * result,
    const HistoTimes * times, guint64 n_buffers, GstObject * source);
GstMessage *histo_write_alert (const HistoAlertEvent * event,
    const HistoTimes * times, GstObject * source);

G_END_DECLS

#endif /* HISTO_WRITE_H */
