/* Words for what caps say in codes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "stream.h"

G_BEGIN_DECLS

gchar *report_name_colorimetry (const ReportStream * stream);
gchar *report_name_sample_format (const ReportStream * stream);
gchar **report_name_channels (const GstCaps * caps);
const gchar *report_name_field_order (const gchar * order);
const gchar *report_name_place (const ReportStream * stream,
    const gchar * place);

G_END_DECLS

#endif /* REPORT_WORDS_H */
