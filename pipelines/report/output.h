/* Where the report is written: the standard output or a file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_OUTPUT_H
#define REPORT_OUTPUT_H

#include "formats.h"

G_BEGIN_DECLS

void report_output_guard_descriptors (void);
GOutputStream *report_output_open (const gchar * path, gboolean is_text,
    GError ** error);
gboolean report_output_close (GOutputStream * stream, GError ** error);

G_END_DECLS

#endif /* REPORT_OUTPUT_H */
