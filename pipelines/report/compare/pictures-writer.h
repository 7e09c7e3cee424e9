/* How the comparison of pictures is written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_PICTURES_WRITER_H
#define REPORT_PICTURES_WRITER_H

#include "base/json-text.h"

#include "compare/pictures.h"

G_BEGIN_DECLS

gchar *report_moment_describe (const ReportPicturesResult * result, const ReportMoment * moment);
void report_pictures_write_text (const ReportPicturesResult * result, GString * text, const gchar * label);
void report_pictures_write_json (const ReportPicturesResult * result, ReportJson * json);

G_END_DECLS

#endif /* REPORT_PICTURES_WRITER_H */
