/* Reads a result from the GstStructure of a meta or a message.
 *
 * The structure may come from anywhere: each field is checked for presence and type. Fields with other names are
 * ignored, because later versions add some. What was read is a copy, which outlives the structure.
 *
 * Functions with an error return FALSE, with a GST_STREAM_ERROR_FORMAT that names the field, if a field is missing or
 * has another type. A structure that is NULL has no fields. Any thread may call the functions; a result and an event
 * are one thread's at a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_READ_H
#define HISTO_READ_H

#include "alert.h"
#include "result.h"

G_BEGIN_DECLS

/**
 * histo_read_result:
 * @structure: (nullable): of a meta or of a message: a result, or a window
 * @result: (inout): all zero, or an earlier result, whose memory is used again; to be cleared with histo_result_clear()
 * @error: (nullable):
 *
 * Histograms are referenced, all else is copied: the result outlives the structure.
 *
 * Returns: FALSE with an error, and an empty result, if the structure is no result of this schema
 */
gboolean histo_read_result (const GstStructure * structure,
    HistoResult * result, GError ** error);

/**
 * histo_read_times:
 * @structure: (nullable): of a message
 * @times: (out): in ns
 *
 * Returns: FALSE if the structure has no times, as that of a meta; @times is then not valid
 */
gboolean histo_read_times (const GstStructure * structure,
    HistoTimes * times);

/**
 * histo_read_buffers:
 * @structure: (nullable): of a message
 * @n_buffers: (out): how many buffers were measured in the window
 *
 * Returns: FALSE if the structure is no window's; @n_buffers is then not valid
 */
gboolean histo_read_buffers (const GstStructure * structure,
    guint64 * n_buffers);

/**
 * histo_read_alert:
 * @structure: (nullable): of a message about an alert
 * @event: (out): what it was before is not looked at; to be cleared with histo_alert_event_clear()
 * @error: (nullable):
 *
 * Returns: FALSE with an error, and an event that is all zero, if the structure is no alert
 */
gboolean histo_read_alert (const GstStructure * structure,
    HistoAlertEvent * event, GError ** error);

/**
 * histo_read_alerts:
 * @structure: (nullable): of a result
 * @alerts: (element-type HistoAlertEvent): the alerts that the buffer of the result has are appended; none if there is
 *   no such field. Each is to be cleared with histo_alert_event_clear(), for which g_array_set_clear_func() is made:
 *   g_array_set_clear_func (alerts, histo_alert_event_clear)
 * @error: (nullable):
 *
 * Returns: FALSE with an error, and nothing appended, if the field has another type, or holds something else than alerts
 */
gboolean histo_read_alerts (const GstStructure * structure,
    GArray * alerts, GError ** error);

/**
 * histo_alert_event_clear:
 * @event: (nullable): a #HistoAlertEvent that was read, or that is all zero
 *
 * Frees the texts, and leaves the event all zero. A GDestroyNotify.
 */
void histo_alert_event_clear (gpointer event);

/**
 * histo_alert_write_place:
 * @event: that was read
 * @text: (out): of @size bytes: the region, channel, pair ("ch0+ch1") or zone ("zone 7") of the alert, or else its
 *   component; empty: it has none. A text that is too long ends before the character that does not fit
 * @size: at least 1
 */
void histo_alert_write_place (const HistoAlertEvent * event, gchar * text,
    gsize size);

G_END_DECLS

#endif /* HISTO_READ_H */
