/* A report that QCTools opens: `--qctools FILE.qctools.xml.gz`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_QCTOOLS_H
#define REPORT_QCTOOLS_H

#include "writer.h"

G_BEGIN_DECLS

ReportWriter *report_qctools_writer_new (GOutputStream * to);

G_END_DECLS

#endif /* REPORT_QCTOOLS_H */
