/* From caps and tags to what people read about a stream.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_DESCRIBE_H
#define REPORT_DESCRIBE_H

#include "base/stream.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

/* What a word in the plural ends with. */
static inline const gchar *
report_plural (guint64 n)
{
  return n == 1 ? "" : "s";
}

GstCaps *report_measured_caps (void);
gboolean report_caps_are_measured (const GstCaps * caps);
void report_caps_describe (ReportStream * stream, const GstCaps * caps);
gboolean report_caps_are_audio (const GstCaps * caps);
gboolean report_caps_get_colorimetry (const GstCaps * caps,
    GstVideoColorimetry * colorimetry);
gboolean report_stream_get_colorimetry (const ReportStream * stream,
    GstVideoColorimetry * colorimetry);
GstVideoTransferFunction report_stream_transfer (const ReportStream * stream);
GstVideoColorRange report_stream_range (const ReportStream * stream);
gboolean report_stream_is_limited (const ReportStream * stream);
gchar *report_stream_facts (const ReportStream * stream,
    const ReportStream * before);
gchar *report_name_colorimetry (const ReportStream * stream);
gchar *report_name_sample_format (const ReportStream * stream);
gchar *report_name_chroma (guint w_sub, guint h_sub);
gchar *report_name_format (const ReportStream * stream);
const gchar *report_nick_of (GType type, gint value);
const gchar *report_name_range (GstVideoColorRange range);
const gchar *report_name_field_order (const gchar * order);
const gchar *report_name_place (const ReportStream * stream,
    const gchar * place);
void report_append_share (GString * text, gdouble share, gint digits);
void report_append_seconds (GString * text, gdouble seconds);
void report_append_bytes (GString * text, guint64 bytes);
void report_append_short_time (GString * text, guint64 ns);
void report_append_time (GString * text, guint64 ns);
gboolean report_is_too_large (guint64 width, guint64 height,
    gint64 max_pixels);
gchar *report_describe_too_large (guint64 width, guint64 height,
    gint64 max_pixels);
gboolean report_stream_is_unplaced (const ReportStream * stream);
gint report_stream_display_width (const ReportStream * stream);
gchar *report_pad_find_timecode (GstPad * pad);
gchar *report_pad_find_container (GstPad * pad);
GstTagList *report_pad_collect_tags (GstPad * pad, GstTagScope scope);
void report_stream_describe (ReportStream * stream, guint index,
    const gchar * name, const GstTagList * tags, const GstCaps * caps);
void report_stream_describe_programme (ReportStream * stream,
    const gchar * name, const gchar * tracks, const gchar * source,
    const gchar * language, const gchar * codec);

G_END_DECLS

#endif /* REPORT_DESCRIBE_H */
