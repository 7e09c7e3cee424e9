/* Streams that libav reads and decodes, where GStreamer's demuxers and decoders lose some of it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_LIBAV_SOURCE_H
#define REPORT_LIBAV_SOURCE_H

#include "facts/programmes.h"
#include "input/watch.h"

G_BEGIN_DECLS

typedef struct _ReportLibavSource ReportLibavSource;

gboolean report_libav_source_is_better (const ReportStatements * statements,
    const ReportSaidStream * stream);
gboolean report_libav_source_has_file (const ReportStatements * statements);
ReportLibavSource *report_libav_source_new (const gchar * path,
    const ReportSaidStream * stream);
ReportLibavSource *report_libav_source_new_programme (const gchar * path,
    const ReportProgramme * programme);
GstElement *report_libav_source_element (const ReportLibavSource * source);
GstPad *report_libav_source_pad (const ReportLibavSource * source);
void report_libav_source_watch (ReportLibavSource * source,
    ReportDecoderWatch * watch);
void report_libav_source_begin (ReportLibavSource * source);
GstCaps *report_libav_source_wait (ReportLibavSource * source);
const gchar *report_libav_source_unknown_format (ReportLibavSource * source);
gboolean report_libav_source_has_packets (ReportLibavSource * source);
void report_libav_source_start (ReportLibavSource * source);
const ReportJoined *report_libav_source_tracks (ReportLibavSource * source);
void report_libav_source_free (ReportLibavSource * source);

G_END_DECLS

#endif /* REPORT_LIBAV_SOURCE_H */
