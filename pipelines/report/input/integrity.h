/* Watches the elements of a pipeline, and finds what is missing or damaged in its streams.
 *
 * An input may be damaged although no element ends with an error: demuxers skip what they do not
 * understand, and decoders drop or conceal frames. So it is watched
 *
 * - what enters decoders, what leaves them, and when: see watch.h;
 * - whether the structure of the file is whole: see structure.h;
 * - what elements report. An error of a decoder or a parser ends its own stream only.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_INTEGRITY_H
#define REPORT_INTEGRITY_H

#include "input/structure.h"
#include "summary/summary.h"
#include "input/watch.h"

G_BEGIN_DECLS

typedef struct _ReportIntegrity ReportIntegrity;

ReportIntegrity *report_integrity_new (gint64 max_pixels);
void report_integrity_free (ReportIntegrity * integrity);

/* Called in the threads of the pipeline. */
void report_integrity_watch_source (ReportIntegrity * integrity,
    GstElement * source);
gboolean report_integrity_has_errors (ReportIntegrity * integrity);
void report_integrity_prepare_decoder (GstElement * decoder);
void report_integrity_watch_element (ReportIntegrity * integrity,
    GstElement * element, gboolean is_one);
void report_integrity_watch_stream (ReportIntegrity * integrity, GstPad * pad,
    GstPad * decoded, const ReportSaidStream * said, gboolean is_part);
ReportDecoderWatch *report_integrity_watch_libav (ReportIntegrity * integrity,
    GstPad * pad, const ReportSaidStream * said, gboolean has_packets);
void report_integrity_note_mute (ReportIntegrity * integrity,
    const ReportSaidStream * said, const gchar * format);
gchar *report_integrity_describe_missing_plugin (GstMessage * message);
gboolean report_integrity_refuse (ReportIntegrity * integrity,
    const GstCaps * caps);
gboolean report_integrity_refuse_size (ReportIntegrity * integrity,
    const ReportSaidStream * said);
gboolean report_integrity_has_mute (ReportIntegrity * integrity);
gboolean report_integrity_take_message (ReportIntegrity * integrity,
    GstMessage * message);

gboolean report_integrity_read_packets (ReportIntegrity * integrity,
    const gchar * path);

/* Called when the pipeline has ended.
 * @find: returns the index of the stream that the decoder's pad gives; -1: none
 * @data: of @find */
typedef gint (*ReportFindStream) (gpointer data, GstPad * pad);
gboolean report_integrity_judge (ReportIntegrity * integrity,
    ReportSummary * summary, guint64 duration, ReportFindStream find,
    gpointer data);

/* verdict.c: judges what was watched: which frames and samples are missing or damaged, when, and how many. */
void report_verdict_add_stream (ReportSummary * summary, guint index,
    ReportStreamWatch * stream, ReportDecoderWatch * decoder,
    const ReportStructure * structure);
void report_verdict_add_structure (ReportSummary * summary,
    const ReportStructure * structure);
void report_verdict_add_end (ReportSummary * summary, GPtrArray * streams,
    const ReportStructure * structure, gboolean has_demuxer, guint64 duration);

G_END_DECLS

#endif /* REPORT_INTEGRITY_H */
