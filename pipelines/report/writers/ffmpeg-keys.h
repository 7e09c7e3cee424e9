/* The figures under the names that ffmpeg's filters give them, printed as ffmpeg 5.1 prints them.
 *
 * docs/report-formats.md lists the keys, and which ones differ.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_FFMPEG_KEYS_H
#define REPORT_FFMPEG_KEYS_H

#include "cudahisto/cudahisto.h"
#include "base/stream.h"

G_BEGIN_DECLS

/* Takes one key without "lavfi." and its value. Both are valid during the call only. */
typedef void (*ReportKeyFunc) (gpointer data, const gchar * key,
    const gchar * value);

typedef struct
{
  ReportKeyFunc func;
  gpointer data;
} ReportKeySink;

/* How astats is run: as the samples are, with its default length; or on floating-point samples, with
 * a length of 0.4 s, as QCTools runs it. */
typedef enum
{
  REPORT_ASTATS_NATIVE,
  REPORT_ASTATS_QCTOOLS
} ReportAstats;

void report_keys_emit (const ReportKeySink * sink, const gchar * key,
    const gchar * format, gdouble value);

void report_keys_signalstats (const HistoResult * result, guint64 n_before,
    const ReportKeySink * sink);
void report_keys_cropdetect (const HistoResult * result,
    const ReportKeySink * sink);
void report_keys_entropy (const HistoResult * result,
    const ReportKeySink * sink);
void report_keys_astats (const HistoResult * result, ReportAstats astats,
    const ReportKeySink * sink);
void report_keys_ebur128 (const HistoResult * result, guint64 n_before,
    const ReportKeySink * sink);

const gchar *report_ffmpeg_pixel_format (const gchar * format);
const gchar *report_ffmpeg_sample_format (const gchar * format);
guint report_video_depth (const gchar * format);

/* The times of frames are also printed as whole numbers, in units of 1 / this. */
#define REPORT_VIDEO_TIME_BASE 90000

guint64 report_time_base (const ReportStream * stream);
guint64 report_container_time (const ReportStream * stream,
    const HistoTimes * times);

G_END_DECLS

#endif /* REPORT_FFMPEG_KEYS_H */
