/* The formats of reports: each has an option, and a writer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_FORMATS_H
#define REPORT_FORMATS_H

#include "writers/writer.h"

G_BEGIN_DECLS

/* How the documents of several inputs become one; see parts.h. */
typedef struct
{
  const gchar *opening, *between, *closing;     /* NULL: nothing */
  /* How a line of names of a table begins. One that is like the latest one is left out. */
  const gchar *names;
  /* How a document ends. One that a process did not end is left out; NULL: it is not. */
  const gchar *ending;
} ReportJoin;

typedef struct
{
  const gchar *option;          /* "json"; NULL: the format without any option */
  const gchar *description;
  ReportWriter *(*make) (GOutputStream * to);
  gboolean is_text;             /* in the charset of the locale; else always UTF-8 */
  const gchar *suffix;          /* of a format with files of its own: ".html" */
  const ReportJoin *join;       /* NULL: the documents follow each other */
  gboolean needs_light;         /* of each frame, and the scenes */
  gboolean has_index;           /* of a format with files of its own: a folder of them gets a page about all inputs */
} ReportFormat;

/* Formats that are written to the standard output, or to the file of --output. The last row has no
 * description. */
extern const ReportFormat report_formats[];
/* Formats with a file of its own for each input, which the option names. */
extern const ReportFormat report_file_formats[];
/* How many rows a table may have. */
#define REPORT_MOST_FORMATS 11

/* How CSV names the columns of figures: the numbers of --csv-names. The first one was the default before version 1.0.0. */
typedef enum
{
  REPORT_CSV_OLD_NAMES = 1,     /* of before the paths: "logo.Y.mean", "ch0-ch1.balance", "ch0.true-peak" */
  REPORT_CSV_PATHS
} ReportCsvNames;

/* RFC 4180 */
gchar *report_csv_quote (const gchar * text);
ReportWriter *report_text_writer_new (GOutputStream * to);
ReportWriter *report_full_writer_new (GOutputStream * to);
ReportWriter *report_brief_writer_new (GOutputStream * to);
ReportWriter *report_json_writer_new (GOutputStream * to);
ReportWriter *report_json_histograms_writer_new (GOutputStream * to);
ReportWriter *report_json_summary_writer_new (GOutputStream * to);
ReportWriter *report_check_writer_new (GOutputStream * to);
ReportWriter *report_csv_writer_new (GOutputStream * to);
void report_csv_writer_set_columns (ReportWriter * writer, ReportCsvNames names,
    gboolean has_all);
ReportWriter *report_ffprobe_writer_new (GOutputStream * to);
ReportWriter *report_ffprobe_json_writer_new (GOutputStream * to);
ReportWriter *report_qctools_writer_new (GOutputStream * to);
ReportWriter *report_hdr10plus_writer_new (GOutputStream * to);
ReportWriter *report_dovi_l1_writer_new (GOutputStream * to);
ReportWriter *report_html_writer_new (GOutputStream * to);

G_END_DECLS

#endif /* REPORT_FORMATS_H */
