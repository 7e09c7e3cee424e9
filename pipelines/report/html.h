/* A report as a page that needs no network: `--html FILE`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "writer.h"

G_BEGIN_DECLS

ReportWriter *report_html_writer_new (GOutputStream * to);

G_END_DECLS

#endif /* REPORT_HTML_H */
