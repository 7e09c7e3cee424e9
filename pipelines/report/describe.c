/* From caps and tags to what people read about a stream; see describe.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "describe.h"

#include "cudahisto/colorimetry.h"

#include <string.h>

#include "words.h"

/* Returns: (transfer full): what cudahisto takes */
GstCaps *
report_measured_caps (void)
{
  return gst_caps_from_string ("video/x-raw; video/x-raw(memory:CUDAMemory); "
      "video/x-raw(format:Interlaced); audio/x-raw");
}

gboolean
report_caps_are_measured (const GstCaps * caps)
{
  const GstStructure *structure;

  if (gst_caps_is_empty (caps) || gst_caps_is_any (caps))
    return FALSE;
  structure = gst_caps_get_structure (caps, 0);
  return gst_structure_has_name (structure, "video/x-raw")
      || gst_structure_has_name (structure, "audio/x-raw");
}

/* @caps: measured ones */
gboolean
report_caps_are_audio (const GstCaps * caps)
{
  return gst_structure_has_name (gst_caps_get_structure (caps, 0),
      "audio/x-raw");
}

/* Returns: (transfer full) (nullable): all tags of the stream, or of the input */
static GstTagList *
collect_tags (GstPad * pad, GstTagScope scope)
{
  GstTagList *all = NULL;
  GstEvent *event;

  for (guint i = 0;
      (event = gst_pad_get_sticky_event (pad, GST_EVENT_TAG, i)) != NULL; i++) {
    GstTagList *tags, *merged;

    gst_event_parse_tag (event, &tags);
    if (gst_tag_list_get_scope (tags) == scope) {
      merged = gst_tag_list_merge (all, tags, GST_TAG_MERGE_KEEP);
      g_clear_pointer (&all, gst_tag_list_unref);
      all = merged;
    }
    gst_event_unref (event);
  }
  return all;
}

/* @format: (nullable): as in caps */
static gboolean
is_rgb (const gchar * format)
{
  const GstVideoFormat video = format != NULL ?
      gst_video_format_from_string (format) : GST_VIDEO_FORMAT_UNKNOWN;

  return video != GST_VIDEO_FORMAT_UNKNOWN
      && GST_VIDEO_FORMAT_INFO_IS_RGB (gst_video_format_get_info (video));
}

/* Returns: FALSE if the caps say nothing; all parts are then unknown */
gboolean
report_caps_get_colorimetry (const GstCaps * caps,
    GstVideoColorimetry * colorimetry)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);

  return histo_colorimetry_read (gst_structure_get_string (structure,
          "colorimetry"), is_rgb (gst_structure_get_string (structure,
              "format")), colorimetry);
}

/* Returns: FALSE if nothing is known; all parts are then unknown */
gboolean
report_stream_colorimetry (const ReportStream * stream,
    GstVideoColorimetry * colorimetry)
{
  return histo_colorimetry_read (stream->colorimetry, is_rgb (stream->format),
      colorimetry);
}

/* Returns: what the caps say of the range, which may be unknown */
GstVideoColorRange
report_stream_range (const ReportStream * stream)
{
  GstVideoColorimetry colorimetry;

  report_stream_colorimetry (stream, &colorimetry);
  return colorimetry.range;
}

/* Whether the stream was measured with black at 16 and white at 235 of 256. */
gboolean
report_stream_is_limited (const ReportStream * stream)
{
  GstVideoColorimetry colorimetry;

  if (stream->is_audio)
    return FALSE;
  histo_colorimetry_read (stream->colorimetry, is_rgb (stream->format),
      &colorimetry);
  return histo_colorimetry_is_limited (&colorimetry, is_rgb (stream->format));
}

/* @stream: (inout): all zero; gets what the caps say */
void
report_caps_describe (ReportStream * stream, const GstCaps * caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  GstVideoColorimetry colorimetry;
  gint numerator, denominator;

  stream->is_audio = gst_structure_has_name (structure, "audio/x-raw");
  stream->format = g_strdup (gst_structure_get_string (structure, "format"));
  /* As the results have it. */
  if (report_caps_get_colorimetry (caps, &colorimetry))
    stream->colorimetry = gst_video_colorimetry_to_string (&colorimetry);
  if (gst_structure_get_fraction (structure, "framerate", &numerator,
          &denominator) && denominator > 0)
    stream->frame_rate = (gdouble) numerator / denominator;
  if (gst_structure_get_fraction (structure, "pixel-aspect-ratio", &numerator,
          &denominator) && numerator > 0 && denominator > 0) {
    stream->par_n = numerator;
    stream->par_d = denominator;
  }
  gst_structure_get_int (structure, "width", &stream->width);
  gst_structure_get_int (structure, "height", &stream->height);
  gst_structure_get_int (structure, "rate", &stream->rate);
  gst_structure_get_int (structure, "channels", &stream->channels);
  if (stream->is_audio)
    stream->channel_names = report_name_channels (caps);
}

/* The title of a track may have anything; a line of a report has no control characters. */
static gchar *
describe_title (const ReportStream * stream, GstTagList * tags)
{
  GString *title = g_string_new (NULL);
  gchar *language = NULL, *name = NULL;

  g_string_printf (title, "%s %u", stream->is_audio ? "audio" : "video",
      stream->index);
  if (tags != NULL) {
    gst_tag_list_get_string (tags, GST_TAG_LANGUAGE_CODE, &language);
    gst_tag_list_get_string (tags, GST_TAG_TITLE, &name);
    /* ISO 639: undetermined */
    if (g_strcmp0 (language, "und") == 0)
      g_clear_pointer (&language, g_free);
  }
  if (language != NULL || name != NULL)
    g_string_append_printf (title, " (%s%s%s)",
        language != NULL ? language : "",
        language != NULL && name != NULL ? ", " : "",
        name != NULL ? name : "");
  g_free (language);
  g_free (name);
  return report_clean_text (g_string_free (title, FALSE));
}

/**
 * report_stream_describe:
 * @stream: (out): to be cleared with report_stream_clear()
 * @pad: of the decoder
 */
void
report_stream_describe (ReportStream * stream, guint index, GstPad * pad)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstTagList *tags = collect_tags (pad, GST_TAG_SCOPE_STREAM);

  memset (stream, 0, sizeof *stream);
  stream->index = index;
  if (caps != NULL) {
    report_caps_describe (stream, caps);
    gst_caps_unref (caps);
  }
  if (tags != NULL)
    gst_tag_list_get_string (tags,
        stream->is_audio ? GST_TAG_AUDIO_CODEC : GST_TAG_VIDEO_CODEC,
        &stream->codec);
  if (stream->codec != NULL)
    stream->codec = report_clean_text (stream->codec);
  stream->title = describe_title (stream, tags);
  g_clear_pointer (&tags, gst_tag_list_unref);
}

/* How GStreamer shows a tag of Matroska that it does not know. */
#define TIMECODE_TAG "TIMECODE="

/* Returns: (transfer full) (nullable): the timecode of the first frame, if the tags have it */
gchar *
report_pad_find_timecode (GstPad * pad)
{
  const GstTagScope scopes[] = { GST_TAG_SCOPE_STREAM, GST_TAG_SCOPE_GLOBAL };
  gchar *timecode = NULL;

  for (guint i = 0; timecode == NULL && i < G_N_ELEMENTS (scopes); i++) {
    GstTagList *tags = collect_tags (pad, scopes[i]);
    const gchar *text;

    for (guint k = 0; tags != NULL && gst_tag_list_peek_string_index (tags,
            GST_TAG_EXTENDED_COMMENT, k, &text); k++) {
      if (timecode == NULL && g_str_has_prefix (text, TIMECODE_TAG))
        timecode = report_clean_text (g_strdup (text + strlen (TIMECODE_TAG)));
    }
    g_clear_pointer (&tags, gst_tag_list_unref);
  }
  return timecode;
}

/* Returns: the width of the picture in square pixels of its height; 0: unknown */
gint
report_stream_display_width (const ReportStream * stream)
{
  return stream->par_d > 0 ? (gint) MIN (gst_util_uint64_scale_round (
          MAX (stream->width, 0), stream->par_n, stream->par_d), G_MAXINT) : 0;
}

/* ---- Facts -------------------------------------------------------------------------------------- */

static void
append_fact (GString * facts, const gchar * fact)
{
  if (facts->len > 0)
    g_string_append (facts, ", ");
  g_string_append (facts, fact);
}

/* @text: (transfer full) (nullable): of a stream; NULL: unknown. @before: (transfer full) (nullable): the same of the
 * stream before */
static void
append_text (GString * facts, gchar * text, gboolean has_before,
    gchar * before)
{
  if (text != NULL && !(has_before && g_strcmp0 (text, before) == 0))
    append_fact (facts, text);
  g_free (text);
  g_free (before);
}

static void
append_size (GString * facts, const ReportStream * stream,
    const ReportStream * before)
{
  gchar text[64];

  if (before == NULL || stream->width != before->width
      || stream->height != before->height) {
    g_snprintf (text, sizeof text, "%d x %d", stream->width, stream->height);
    append_fact (facts, text);
  }
  /* Square pixels are told only if they were others before. */
  if (stream->par_d > 0 && (before == NULL ? stream->par_n != stream->par_d :
          stream->par_n != before->par_n || stream->par_d != before->par_d)) {
    g_snprintf (text, sizeof text, "pixels %d:%d (%d x %d)", stream->par_n,
        stream->par_d, report_stream_display_width (stream), stream->height);
    append_fact (facts, text);
  }
  if (stream->frame_rate > 0 && (before == NULL
          || stream->frame_rate != before->frame_rate)) {
    g_snprintf (text, sizeof text, "%.6g frames/s", stream->frame_rate);
    append_fact (facts, text);
  }
}

static void
append_rate (GString * facts, const ReportStream * stream,
    const ReportStream * before)
{
  gchar text[64];

  if (before == NULL || stream->rate != before->rate) {
    g_snprintf (text, sizeof text, "%d Hz", stream->rate);
    append_fact (facts, text);
  }
  if (before == NULL || stream->channels != before->channels) {
    g_snprintf (text, sizeof text, "%d channel%s", stream->channels,
        stream->channels == 1 ? "" : "s");
    append_fact (facts, text);
  }
}

/**
 * report_stream_facts:
 * @before: (nullable): what the stream was before; only what differs is told
 *
 * Returns: (transfer full): "320 x 240, 25 frames/s, I420, BT.709, limited range". Names may have any characters if the stream
 * was read.
 */
gchar *
report_stream_facts (const ReportStream * stream, const ReportStream * before)
{
  GString *facts = g_string_new (NULL);

  if (stream->is_audio)
    append_rate (facts, stream, before);
  else
    append_size (facts, stream, before);
  if (stream->is_audio) {
    append_text (facts, report_name_sample_format (stream), before != NULL,
        before != NULL ? report_name_sample_format (before) : NULL);
    return g_string_free (facts, FALSE);
  }
  append_text (facts, g_strdup (stream->format), before != NULL,
      before != NULL ? g_strdup (before->format) : NULL);
  append_text (facts, report_name_colorimetry (stream), before != NULL,
      before != NULL ? report_name_colorimetry (before) : NULL);
  return g_string_free (facts, FALSE);
}

/* Appends hours:minutes:seconds. @ns: GST_CLOCK_TIME_NONE: unknown */
void
report_append_time (GString * text, guint64 ns)
{
  const guint64 ms = (ns + GST_MSECOND / 2) / GST_MSECOND;

  if (!GST_CLOCK_TIME_IS_VALID (ns))
    g_string_append (text, "?");
  else
    g_string_append_printf (text,
        "%" G_GUINT64_FORMAT ":%02u:%02u.%03u", ms / 3600000,
        (guint) (ms / 60000 % 60), (guint) (ms / 1000 % 60),
        (guint) (ms % 1000));
}
