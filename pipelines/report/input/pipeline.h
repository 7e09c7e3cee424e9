/* The GStreamer pipeline of one input: decodes it, and measures each stream of video and audio.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_PIPELINE_H
#define REPORT_PIPELINE_H

#include "input/queue.h"
#include "input/settings.h"
#include "input/tap.h"
#include "facts/programmes.h"
#include "base/stream.h"
#include "summary/summary.h"

G_BEGIN_DECLS

typedef struct _ReportPipeline ReportPipeline;

ReportPipeline *report_pipeline_new (const gchar * uri,
    const ReportStatements * statements, const GPtrArray * programmes,
    const ReportSettings * settings, gboolean is_by_libav, const ReportTap * tap);
void report_pipeline_free (ReportPipeline * pipeline);
gboolean report_pipeline_start (ReportPipeline * pipeline);
GstMessage *report_pipeline_pop (ReportPipeline * pipeline, gint64 timeout);
void report_pipeline_end (ReportPipeline * pipeline);
gboolean report_pipeline_has_ended (ReportPipeline * pipeline);
gboolean report_pipeline_is_moving (ReportPipeline * pipeline,
    gboolean all);
guint64 report_pipeline_duration (ReportPipeline * pipeline);
void report_pipeline_finish_thumbnails (ReportPipeline * pipeline,
    ReportSummary * summary);
gboolean report_pipeline_judge (ReportPipeline * pipeline,
    ReportSummary * summary, guint64 duration);

/* Streams. */
gboolean report_pipeline_has_streams (ReportPipeline * pipeline);
guint report_pipeline_list_streams (ReportPipeline * pipeline);
void report_pipeline_describe_stream (ReportPipeline * pipeline, guint stream);
const ReportSaidStream *report_pipeline_said (ReportPipeline * pipeline,
    guint stream);
ReportStream *report_pipeline_streams (ReportPipeline * pipeline);
void report_pipeline_describe_frame (ReportPipeline * pipeline,
    const GstMessage * message, guint64 timestamp, ReportStream * stream);
gint report_pipeline_stream_of (ReportPipeline * pipeline,
    const GstMessage * message);
gboolean report_pipeline_lacks_stream (ReportPipeline * pipeline);
gboolean report_pipeline_has_mute (ReportPipeline * pipeline);
gboolean report_pipeline_is_split (ReportPipeline * pipeline);
gboolean report_pipeline_is_unsure (ReportPipeline * pipeline);
const gchar *report_pipeline_why_not_split (const GstMessage * message,
    gboolean * is_wrong);
gboolean report_pipeline_has_too_many (const GstMessage * message);
gboolean report_pipeline_is_limit (const GstMessage * message);
gboolean report_pipeline_must_wait (ReportPipeline * pipeline,
    const GstMessage * message);
gint report_pipeline_follow_stream (ReportPipeline * pipeline,
    const GstMessage * message);
gboolean report_pipeline_is_measured (ReportPipeline * pipeline);
gboolean report_pipeline_waits_for_tap (ReportPipeline * pipeline);
gboolean report_pipeline_is_open (ReportPipeline * pipeline, guint stream);

G_END_DECLS

#endif /* REPORT_PIPELINE_H */
