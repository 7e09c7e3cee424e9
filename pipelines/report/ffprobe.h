/* The figures as `ffprobe -show_frames` prints those of signalstats, astats and ebur128:
 * `--ffprobe` and `--ffprobe-json`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_FFPROBE_H
#define REPORT_FFPROBE_H

#include "writer.h"

G_BEGIN_DECLS

ReportWriter *report_ffprobe_writer_new (GOutputStream * to);
ReportWriter *report_ffprobe_json_writer_new (GOutputStream * to);

G_END_DECLS

#endif /* REPORT_FFPROBE_H */
