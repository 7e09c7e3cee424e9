/* Numbered images that are a film, or one image, as a stream of pictures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SEQUENCE_H
#define REPORT_SEQUENCE_H

#include "facts/statements.h"

G_BEGIN_DECLS

gboolean report_sequence_read_rate (const gchar * text,
    ReportRational * rate);
ReportSequence *report_sequence_find (const gchar * pattern,
    const gchar * rate, gint64 max_pixels, gchar ** problem);
ReportSequence *report_sequence_of_image (const gchar * path,
    const gchar * format, gint64 max_pixels, gchar ** problem);
void report_sequence_free (ReportSequence * sequence);
ReportStatements *report_sequence_read (ReportSequence * sequence,
    gchar ** problem);
void report_sequence_decode (ReportSequence * sequence,
    ReportMustStop must_stop, ReportTakePacket take_packet,
    ReportTakePicture take, gint n_threads, gpointer data);
GPtrArray *report_sequence_missing (const ReportSequence * sequence);
GPtrArray *report_sequence_damaged (ReportSequence * sequence);

G_END_DECLS

#endif /* REPORT_SEQUENCE_H */
