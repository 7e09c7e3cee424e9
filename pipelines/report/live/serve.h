/* Measures inputs that go on, and serves pages about them, until a signal comes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SERVE_H
#define REPORT_SERVE_H

#include "input/settings.h"

G_BEGIN_DECLS

typedef struct
{
  gchar *address;               /* "[ADDRESS:]PORT"; NULL: nothing is served */
  gchar *token;                 /* a file; NULL: none */
  gboolean is_open;             /* any client may read */
  gdouble rate;                 /* of the clock of inputs: 1, or faster for tests */
} ReportServeOptions;

gboolean report_serve_parse (const gchar * text, gchar ** name, guint16 * port, GError ** error);
gboolean report_serve_check (const ReportServeOptions * options, GError ** error);
gboolean report_serve_run (const ReportServeOptions * options, const ReportSettings * settings, gchar ** inputs, GError ** error);

G_END_DECLS

#endif /* REPORT_SERVE_H */
