/* One order for the texts of several streams.
 *
 * The streams of an input are measured in threads of their own, so their results come in another
 * order each time. A writer gives the text of each result to a ReportOrder, which releases all
 * texts in one order: by time, then by the number of the stream. The order within a stream is kept:
 * a text without a time, or with an earlier one, has the time of the text before it.
 *
 * A text is released when no earlier one can come any more: each other stream has a text that
 * waits, or has ended. The thread that adds a text never waits. Texts that wait take memory up to a
 * limit. Beyond it they go to a temporary file, which has no name.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_ORDER_H
#define REPORT_ORDER_H

#include <gio/gio.h>

G_BEGIN_DECLS

/* The most bytes of text in memory, besides one text of each stream. */
#define REPORT_ORDER_LIMIT (64u << 20)

typedef struct _ReportOrder ReportOrder;

/* Called with each text in its turn. Returns: FALSE with an error if it cannot be written */
typedef gboolean (*ReportOrderFunc) (gpointer data, const gchar * text,
    gsize length, GError ** error);

ReportOrder *report_order_new (guint n_streams, gsize limit,
    ReportOrderFunc release, gpointer data);
void report_order_free (ReportOrder * order);

gboolean report_order_add (ReportOrder * order, guint stream, guint64 time,
    const gchar * text, gsize length, GError ** error);
gboolean report_order_set_ended (ReportOrder * order, guint stream,
    gboolean has_ended, GError ** error);
gboolean report_order_end (ReportOrder * order, GError ** error);

G_END_DECLS

#endif /* REPORT_ORDER_H */
