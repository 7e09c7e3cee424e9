/* What the files of the library share.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CUDAHISTO_PRIVATE_H
#define CUDAHISTO_PRIVATE_H

#include "cudahisto/alert.h"
#include "library/cudahisto.h"

G_BEGIN_DECLS

/* Fields of any structure; of another type, or not there: %GST_CLOCK_TIME_NONE, NaN, NULL. */
guint64 cudahisto_get_time (const GstStructure * structure, const gchar * name);
gdouble cudahisto_get_number (const GstStructure * structure, const gchar * name);
const gchar *cudahisto_get_text (const GstStructure * structure, const gchar * name);

/* @name: (nullable): the result-name. Returns: (nullable): the structure of the buffer's meta; NULL with an error */
const GstStructure *cudahisto_structure_of_buffer (GstBuffer * buffer, const gchar * name, GError ** error);
const GstStructure *cudahisto_result_structure (const CudahistoResult * result);

CudahistoAlert *cudahisto_alert_new (const HistoAlertEvent * event);

G_END_DECLS

#endif /* CUDAHISTO_PRIVATE_H */
