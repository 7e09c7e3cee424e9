/* What is wrong with an input: a list of problems, each with a sentence for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_PROBLEMS_H
#define REPORT_PROBLEMS_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  const gchar *type;            /* one of report_problem_types */
  gint stream;                  /* index of the stream; -1: the input, or several streams */
  guint64 start, end;           /* ns from the stream's first timestamp on; GST_CLOCK_TIME_NONE: unknown */
  guint64 count;                /* frames, samples or buffers; 0: unknown */
  gchar *text;                  /* UTF-8, a sentence without its full stop */
} ReportProblem;

/* Lists of these are (element-type ReportProblem), in the order in which they are shown. */
GPtrArray *report_problems_new (void);
void report_problems_add (GPtrArray * problems, const ReportProblem * problem);
gchar *report_problems_text (GPtrArray * problems);
gchar *report_problems_join (GPtrArray * problems);
const gchar *report_problem_find_type (const gchar * name);

/* The tags of a file that tell of problems in ffprobe's formats. */
#define REPORT_TAG_COMPLETE "cudahisto.complete"
#define REPORT_TAG_PROBLEMS "cudahisto.problems"

/* Of report_problem_types. */
#define REPORT_PROBLEM_UNREADABLE "unreadable"
#define REPORT_PROBLEM_UNDECODABLE "undecodable"
#define REPORT_PROBLEM_ERROR "error"
#define REPORT_PROBLEM_MISSING "missing"
#define REPORT_PROBLEM_DAMAGED "damaged"
#define REPORT_PROBLEM_CUT_OFF "cut-off"
#define REPORT_PROBLEM_INTERRUPTED "interrupted"
#define REPORT_PROBLEM_OTHER "other"

G_END_DECLS

#endif /* REPORT_PROBLEMS_H */
