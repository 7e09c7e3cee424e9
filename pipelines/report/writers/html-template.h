/* The frame of all pages: a template with places, and what is safe in them.
 *
 * A template is a resource of html/. Its places {{NAME}} are filled in: those that the page knows by its own function, the
 * others by the resource of that name, such as a style, a script or a part that several pages have.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_HTML_TEMPLATE_H
#define REPORT_HTML_TEMPLATE_H

#include <gio/gio.h>

#include "base/json-text.h"

G_BEGIN_DECLS

/* Writes what stands at a place for which there is no resource. */
typedef gboolean (*ReportTemplateFunc) (const gchar * place, gpointer data,
    GOutputStream * to, GError ** error);

gchar *report_template_json (ReportJson * json);
gboolean report_template_put (GOutputStream * to, const gchar * text,
    GError ** error);
gboolean report_template_put_escaped (GOutputStream * to, const gchar * text,
    GError ** error);
gboolean report_template_write (const gchar * name, ReportTemplateFunc func,
    gpointer data, GOutputStream * to, GError ** error);

G_END_DECLS

#endif /* REPORT_HTML_TEMPLATE_H */
