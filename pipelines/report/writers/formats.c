/* The table of the formats; see formats.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/formats.h"


/* No line of results begins like this: the second value is a number. */
static const ReportJoin table = { NULL, NULL, NULL, "input,stream,",
  NULL
};

static const ReportJoin object = { "{\"inputs\": [\n", ",\n", "]}\n", NULL,
  "\n}\n"
};

const ReportFormat report_formats[] = {
  {NULL, "A readable summary", report_text_writer_new, TRUE, NULL, NULL, FALSE, FALSE},
  {"full", "Write all that the text has: also what was looked for in vain, and more figures",
      report_full_writer_new, TRUE, NULL, NULL, FALSE, FALSE},
  {"brief", "Write a line for each input: the verdict, what is worst, when, and the name",
      report_brief_writer_new, TRUE, NULL, NULL, FALSE, FALSE},
  {"json", "Write JSON: a line for each frame, then a line with the summary",
      report_json_writer_new, FALSE, NULL, NULL, FALSE, FALSE},
  {"json-histograms", "The same with the histograms of each frame",
      report_json_histograms_writer_new, FALSE, NULL, NULL, FALSE, FALSE},
  {"json-summary", "Write JSON: only the line with the summary, for --merge",
      report_json_summary_writer_new, FALSE, NULL, NULL, FALSE, FALSE},
  {"check", "Write JSON: a line of at most 2 kB for each input, with the verdict, and the "
      "worst notices with a hint each", report_check_writer_new, FALSE, NULL, NULL, FALSE, FALSE},
  {"csv", "Write CSV: a line for each frame", report_csv_writer_new, FALSE,
      NULL, &table, FALSE, FALSE},
  {"ffprobe", "Write the keys that ffprobe prints for signalstats, astats and "
      "ebur128", report_ffprobe_writer_new, FALSE, NULL, NULL, FALSE, FALSE},
  {"ffprobe-json", "The same as ffprobe's JSON",
      report_ffprobe_json_writer_new, FALSE, NULL, &object, FALSE, FALSE},
  {NULL, NULL, NULL, FALSE, NULL, NULL, FALSE, FALSE}
};

const ReportFormat report_file_formats[] = {
#ifdef HAVE_DYGRAPHS
  {"html", "Write a page with charts; it needs no network. PATH is a file, or a "
      "folder that gets a page of each input, and index.html with a row of each",
      report_html_writer_new, FALSE, ".html", NULL, FALSE, TRUE},
#endif
  {"qctools", "Write a report that QCTools opens. PATH is a file, such as "
      "FILE.qctools.xml.gz, or a folder that gets one of each input",
      report_qctools_writer_new, FALSE, ".qctools.xml.gz",
      NULL, FALSE, FALSE},
  {"hdr10plus", "Write dynamic metadata of HDR10+ from the measured light of PQ, "
      "for hdr10plus_tool and x265. PATH is a file, or a folder",
      report_hdr10plus_writer_new, FALSE, ".hdr10plus.json", NULL, TRUE, FALSE},
  {"dovi-l1", "Write the same for level 1 of Dolby Vision, for \"dovi_tool "
      "generate\". PATH is a file, or a folder",
      report_dovi_l1_writer_new, FALSE, ".dovi-l1.json", NULL, TRUE, FALSE},
  {NULL, NULL, NULL, FALSE, NULL, NULL, FALSE, FALSE}
};
