/* A list of problems; see problems.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "problems.h"

#include "stream.h"

static const gchar *const report_problem_types[] = {
  REPORT_PROBLEM_UNREADABLE,    /* no stream could be measured */
  REPORT_PROBLEM_UNDECODABLE,   /* GStreamer cannot decode a stream */
  REPORT_PROBLEM_ERROR,         /* an element reported an error or a warning */
  REPORT_PROBLEM_MISSING,       /* frames or samples are missing */
  REPORT_PROBLEM_DAMAGED,       /* a decoder marked frames or samples as damaged */
  REPORT_PROBLEM_CUT_OFF,       /* the input is shorter than it says */
  REPORT_PROBLEM_INTERRUPTED,   /* by a signal */
  REPORT_PROBLEM_OTHER,
  NULL
};

static void
problem_free (gpointer data)
{
  ReportProblem *problem = data;

  g_free (problem->text);
  g_free (problem);
}

/* Returns: (transfer full) (element-type ReportProblem): an empty list */
GPtrArray *
report_problems_new (void)
{
  return g_ptr_array_new_with_free_func (problem_free);
}

/* @problem: is copied */
void
report_problems_add (GPtrArray * problems, const ReportProblem * problem)
{
  ReportProblem *copy = g_new (ReportProblem, 1);

  *copy = *problem;
  copy->text = g_strdup (problem->text);
  g_ptr_array_add (problems, copy);
}

/* Returns: (transfer full) (nullable): one line for all; NULL if there is none */
gchar *
report_problems_text (GPtrArray * problems)
{
  const ReportProblem *first = problems->len > 0 ? problems->pdata[0] : NULL;

  if (problems->len < 2)
    return first != NULL ? g_strdup (first->text) : NULL;
  return g_strdup_printf ("%s (and %u more problem%s; --json-summary lists all)",
      first->text,
      problems->len - 1, problems->len > 2 ? "s" : "");
}

/* Returns: (transfer full): all of them on one line */
gchar *
report_problems_join (GPtrArray * problems)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < problems->len; i++) {
    const ReportProblem *problem = problems->pdata[i];

    g_string_append_printf (text, "%s%s", i > 0 ? "; " : "", problem->text);
  }
  return report_clean_text (g_string_free (text, FALSE));
}

/* @name: (nullable): from a file
 * Returns: the type with this name; one that is not known is another one */
const gchar *
report_problem_find_type (const gchar * name)
{
  for (guint i = 0; report_problem_types[i] != NULL; i++) {
    if (g_strcmp0 (report_problem_types[i], name) == 0)
      return report_problem_types[i];
  }
  return REPORT_PROBLEM_OTHER;
}
