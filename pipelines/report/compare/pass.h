/* The one pass in which two inputs are measured and compared: what taps of both give goes to what compares their streams.
 *
 * The first video of A is compared with the first video of B, and so on; so is sound. Of the first video the film that is
 * ahead waits for the other one, which keeps all streams of both together. If there is none, the first sound does.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_PASS_H
#define REPORT_PASS_H

#include "compare/pictures.h"
#include "compare/sounds.h"
#include "input/tap.h"

G_BEGIN_DECLS

typedef struct _ReportPass ReportPass;

ReportPass *report_pass_new (const gchar * measures, gint64 begins);
const ReportTap *report_pass_tap (ReportPass * pass, guint side);
void report_pass_end (ReportPass * pass, guint side);
void report_pass_finish (ReportPass * pass);
const ReportPicturesResult *report_pass_pictures (const ReportPass * pass, guint place);
const ReportSoundDifference *report_pass_sound (const ReportPass * pass, guint place);
void report_pass_free (ReportPass * pass);

G_END_DECLS

#endif /* REPORT_PASS_H */
