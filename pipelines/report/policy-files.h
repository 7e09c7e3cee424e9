/* Files with the verdicts of all inputs, for other programs: JUnit and SARIF.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_POLICY_FILES_H
#define REPORT_POLICY_FILES_H

#include <gio/gio.h>

#include "summary.h"

G_BEGIN_DECLS

/* What is kept of an input. */
typedef struct
{
  gchar *name;                  /* for people */
  gchar *uri;                   /* NULL: it cannot be read, or it is a sum */
  gboolean is_complete;
  gchar *problem;               /* NULL: none */
  gdouble seconds;              /* that measuring took; NaN: unknown */
  GPtrArray *policies;          /* (element-type ReportPolicyResult) */
} ReportChecked;

/* The inputs that were checked. */
typedef struct
{
  gboolean keeps;               /* all of them, for files; else only has_failed is set */
  GPtrArray *inputs;            /* (element-type ReportChecked) */
  gboolean has_failed;          /* a rule of an input failed */
} ReportChecks;

typedef struct
{
  const gchar *option;          /* "junit" */
  const gchar *description;
  gboolean (*write) (const ReportChecks * checks, GOutputStream * to,
      GError ** error);
} ReportCheckFormat;

/* The last row has no option. */
extern const ReportCheckFormat report_check_formats[];
#define REPORT_N_CHECK_FORMATS 2

void report_checks_init (ReportChecks * checks, gboolean keeps);
void report_checks_clear (ReportChecks * checks);
void report_checks_add (ReportChecks * checks, const ReportSummary * summary);

gboolean report_junit_write (const ReportChecks * checks, GOutputStream * to,
    GError ** error);
gboolean report_sarif_write (const ReportChecks * checks, GOutputStream * to,
    GError ** error);

G_END_DECLS

#endif /* REPORT_POLICY_FILES_H */
