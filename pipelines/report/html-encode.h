/* The numbers of the page as compact text.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_HTML_ENCODE_H
#define REPORT_HTML_ENCODE_H

#include <glib.h>

G_BEGIN_DECLS

guint report_encode_width (const guint32 * codes, guint n);
void report_encode_codes (GByteArray * bytes, const guint32 * codes, guint n,
    guint width);
void report_encode_cells (GByteArray * bytes, const guint8 * cells,
    guint length, guint n_rows);
gchar *report_encode_text (const GByteArray * bytes);

G_END_DECLS

#endif /* REPORT_HTML_ENCODE_H */
