/* The parts of the fuzzer `report`, see report.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FUZZ_REPORT_PARTS_H
#define TESTS_FUZZ_REPORT_PARTS_H

#include "structures.h"

#include "writers/formats.h"
#include "summary/json.h"

/* ---- report.c ----------------------------------------------------------------------------------- */

/* (transfer full): as the report makes texts of tags */
gchar *fuzz_clean_text (FuzzBytes * bytes);

/* A summary of some results and alerts. (transfer full): finished */
ReportSummary *fuzz_summary_of_results (FuzzBytes * bytes);

/* A format that --merge and --results write. */
const ReportFormat *fuzz_choose_merge_format (FuzzBytes * bytes);

/* Writes the summary as --merge and --results do, and checks the output. */
void fuzz_write_summary (const ReportFormat * format,
    ReportSummary * summary);

/* ---- report-output.c: what the writers wrote -------------------------------------------------------- */

/* @text: of a writer of lines */
void fuzz_check_output (const ReportFormat * format, const gchar * text);

/* @n_frames: that were written
 * @file: of a writer of a file of its own */
void fuzz_check_file (const ReportFormat * format, guint n_frames,
    const guint8 * file, gsize size);

/* (transfer full): ends the process if it is no JSON */
JsonNode *fuzz_parse_json (const gchar * text);

/* ---- report-summary.c: summaries as JSON --------------------------------------------------------- */

void fuzz_summaries_init (void);

/* (transfer full) */
gchar *fuzz_summary_to_text (const ReportSummary * summary);

/* JSON of a summary, after changes that the input describes. (transfer full) */
gchar *fuzz_changed_summary (FuzzBytes * bytes);

/* Writes the summary, reads it, and writes that again. */
void fuzz_check_round_trip (const ReportSummary * summary);

/* Changes the JSON, reads it, and adds the summaries up. @summary: (nullable): NULL: one of those that
 * fuzz_summaries_init() has made */
void fuzz_check_merge (const ReportSummary * summary, FuzzBytes * bytes);

/* ---- report-command.c: the command line, and result files ------------------------------------------ */

void fuzz_commands_init (void);
void fuzz_check_options (FuzzBytes * bytes);
void fuzz_check_shards (FuzzBytes * bytes);
void fuzz_check_result_path (FuzzBytes * bytes);
/* A file of summaries that comes from anywhere. */
void fuzz_check_load (FuzzBytes * bytes);
/* Result files that --results finds. */
void fuzz_check_results (FuzzBytes * bytes);

#endif /* TESTS_FUZZ_REPORT_PARTS_H */
