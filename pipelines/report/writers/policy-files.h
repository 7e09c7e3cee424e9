/* Files with the verdicts and the notices of all inputs, for other programs: JUnit and SARIF.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_POLICY_FILES_H
#define REPORT_POLICY_FILES_H

#include <gio/gio.h>

#include "summary/summary.h"
#include "writers/html-index.h"

G_BEGIN_DECLS

/* What is kept of an input. */
typedef struct
{
  gchar *name;                  /* for people */
  gchar *uri;                   /* NULL: it cannot be read, or it is a sum */
  gboolean is_complete;
  gdouble seconds;              /* that measuring took; NaN: unknown */
  GPtrArray *policies;          /* (element-type ReportPolicyResult) */
  GPtrArray *notices;           /* (element-type ReportNotice) */
} ReportChecked;

/* How many inputs were checked. */
typedef struct
{
  guint n_with[REPORT_N_VERDICTS];      /* inputs with each verdict */
  guint n_added;                /* inputs of which something is known */
  guint n_measured, n_incomplete;       /* inputs of which something was measured; those of them that lack a part */
} ReportCounted;

/* The inputs that were checked. */
typedef struct
{
  gboolean keeps;               /* all of them, for files; else they are only counted */
  gboolean counts;              /* they are counted for the report; else only has_failed may be of use */
  GPtrArray *inputs;            /* (element-type ReportChecked) */
  ReportIndex *index;           /* owned; NULL: none is wanted */
  gboolean has_failed;          /* a rule of an input failed */
  ReportCounted counted;
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
void report_checks_add (ReportChecks * checks, ReportSummary * summary);
void report_checks_add_counted (ReportChecks * checks, const ReportCounted * counted);
gboolean report_checks_tell (const ReportChecks * checks, guint n_inputs,
    gboolean has_policies, GOutputStream * to, GError ** error);

void report_checks_add_unmeasured (ReportChecks * checks, const gchar * input,
    const gchar * type, const gchar * problem);

gboolean report_junit_write (const ReportChecks * checks, GOutputStream * to,
    GError ** error);
gboolean report_sarif_write (const ReportChecks * checks, GOutputStream * to,
    GError ** error);

G_END_DECLS

#endif /* REPORT_POLICY_FILES_H */
