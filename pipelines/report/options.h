/* The options of the command line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_OPTIONS_H
#define REPORT_OPTIONS_H

#include "formats.h"
#include "policy-files.h"
#include "settings.h"
#include "tolerance.h"

G_BEGIN_DECLS

/* An option that names a file. */
typedef struct
{
  const gchar *name;
  gchar *const *path;           /* what the option was set to */
} ReportOutputOption;

typedef struct
{
  gchar **inputs;               /* in the encoding of file names; at least one */
  ReportSettings settings;
  const ReportFormat *format;
  gchar *file_paths[REPORT_MOST_FORMATS];       /* of report_file_formats; NULL: not wanted */
  gchar *check_paths[REPORT_N_CHECK_FORMATS];   /* of report_check_formats; NULL: not wanted */
  GPtrArray *outputs;           /* (element-type ReportOutputOption): all other options that name a file which is
                                 * written */
  gchar *verdicts;              /* for a process of --jobs: its summary goes to this file, too; NULL: it does not */
  gchar *show_policy;           /* of REPORT_OPTIONS_SHOW_POLICY */
  gchar *output;                /* NULL: the standard output */
  gchar *results;               /* a folder for a result file of each input; NULL: none */
  gint jobs;                    /* inputs at the same time, at least 1 */
  guint shard, n_shards;        /* only the inputs of this shard are measured */
  gboolean is_images;           /* the inputs together are a set of images */
  gint every;                   /* one image in so many is measured */
  gchar *before;                /* a bin that images pass before they are measured; NULL: none */
  gboolean is_merge;            /* the inputs are files of summaries */
  ReportToleranceSettings compare;      /* the inputs are two to compare */
  gboolean is_quiet;            /* no progress line */
} ReportOptions;

typedef enum
{
  REPORT_OPTIONS_RUN,
  REPORT_OPTIONS_VERSION,       /* only print the version */
  REPORT_OPTIONS_LIST_POLICIES, /* only print the names of the presets */
  REPORT_OPTIONS_SHOW_POLICY,   /* only print a preset */
  REPORT_OPTIONS_WRONG          /* an error */
} ReportOptionsOutcome;

ReportOptionsOutcome report_options_parse (ReportOptions * options,
    gchar *** arguments, GError ** error);
GPtrArray *report_options_command (const ReportOptions * options,
    const gchar * format, const gchar * verdicts, const gchar * input);
gboolean report_options_keep_verdicts (const ReportOptions * options);
void report_options_clear (ReportOptions * options);

G_END_DECLS

#endif /* REPORT_OPTIONS_H */
