/* The options of the command line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_OPTIONS_H
#define REPORT_OPTIONS_H

#include "writers/formats.h"
#include "writers/policy-files.h"
#include "input/settings.h"
#include "compare/tolerance.h"
#include "live/serve.h"

G_BEGIN_DECLS

/* What the argument of an option is. From REPORT_ARGUMENT_FILE on it names files that are written: targets.c sees to it
 * that none of them is one that is read. */
typedef enum
{
  REPORT_ARGUMENT_NONE,
  REPORT_ARGUMENT_NUMBER,
  REPORT_ARGUMENT_LARGE_NUMBER,
  REPORT_ARGUMENT_TEXT,         /* and no file */
  REPORT_ARGUMENT_TEXTS,        /* the option may be given several times */
  REPORT_ARGUMENT_INPUTS,       /* what has no option */
  REPORT_ARGUMENT_READ_FILES,   /* a file that is read, or a name of something else; may be given several times */
  REPORT_ARGUMENT_FILE,
  REPORT_ARGUMENT_FILE_OR_FOLDER,       /* a file of the one input, or a folder with a file of each */
  REPORT_ARGUMENT_RESULTS       /* a folder with a result of each input */
} ReportArgument;

/* An option that names files that are written. */
typedef struct
{
  const gchar *name;
  ReportArgument argument;
  gchar *const *path;           /* what the option was set to */
} ReportOutputOption;

typedef struct
{
  gchar **inputs;               /* in the encoding of file names; at least one, or NULL for a worker of --jobs */
  ReportSettings settings;
  const ReportFormat *format;
  ReportCsvNames csv_names;
  gboolean csv_has_all;         /* columns */
  gchar *file_paths[REPORT_MOST_FORMATS];       /* of report_file_formats; NULL: not wanted */
  gchar *check_paths[REPORT_N_CHECK_FORMATS];   /* of report_check_formats; NULL: not wanted */
  GPtrArray *outputs;           /* (element-type ReportOutputOption): all options that name files that are written */
  GPtrArray *read;              /* (element-type filename): what options name that is read, beside the inputs */
  gboolean is_worker;           /* of --jobs: it gets the inputs from its parent, and these two with each */
  gchar *verdicts;              /* the summary goes to this file, too; NULL: it does not */
  gchar *row;                   /* the row of the index goes to this file; NULL: there is none */
  gchar *show_policy;           /* of REPORT_OPTIONS_SHOW_POLICY */
  gchar *output;                /* NULL: the standard output */
  gchar *results;               /* a folder for a result file of each input; NULL: none */
  gint jobs;                    /* inputs at the same time, at least 1 */
  guint shard, n_shards;        /* only the inputs of this shard are measured */
  gboolean is_images;           /* the inputs together are a set of images */
  gint every;                   /* one image in so many is measured */
  gchar *before;                /* a bin that images pass before they are measured; NULL: none */
  gchar *thumbnails;            /* of pages: "none", a number; NULL or "auto": as many as fit */
  gboolean is_merge;            /* the inputs are files of summaries */
  ReportToleranceSettings compare;      /* the inputs are two to compare */
  gboolean is_quiet;            /* no progress line */
  ReportServeOptions serve;     /* the inputs go on, and pages about them are served */
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
    const gchar * format);
void report_options_list (void (*found) (const gchar * name,
        ReportArgument argument));
gboolean report_options_keep_verdicts (const ReportOptions * options);
void report_options_clear (ReportOptions * options);

G_END_DECLS

#endif /* REPORT_OPTIONS_H */
