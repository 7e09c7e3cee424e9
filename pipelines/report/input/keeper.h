/* Chooses the frames of a stream of video that become thumbnails, while they are decoded and measured.
 *
 * The choice depends on the times and figures of the frames, not on the order in which they come: parts of a film that are
 * measured apart give the same.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_KEEPER_H
#define REPORT_KEEPER_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _ReportKeeper ReportKeeper;

ReportKeeper *report_keeper_new (guint most, gboolean is_sparse, guint in_flight);
void report_keeper_free (ReportKeeper * keeper);
void report_keeper_enter (ReportKeeper * keeper, GstBuffer * buffer, GstCaps * caps);
void report_keeper_take (ReportKeeper * keeper, const GstStructure * result);
void report_keeper_take_alert (ReportKeeper * keeper, const GstStructure * alert);
GPtrArray *report_keeper_finish (ReportKeeper * keeper, guint64 start, gint rotation);

G_END_DECLS

#endif /* REPORT_KEEPER_H */
