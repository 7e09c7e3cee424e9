/* From caps and tags to what people read about a stream; see describe.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "describe.h"

#include <string.h>

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

/* Returns: (transfer full) (nullable): all tags of the stream */
static GstTagList *
collect_tags (GstPad * pad)
{
  GstTagList *all = NULL;
  GstEvent *event;

  for (guint i = 0;
      (event = gst_pad_get_sticky_event (pad, GST_EVENT_TAG, i)) != NULL; i++) {
    GstTagList *tags, *merged;

    gst_event_parse_tag (event, &tags);
    if (gst_tag_list_get_scope (tags) == GST_TAG_SCOPE_STREAM) {
      merged = gst_tag_list_merge (all, tags, GST_TAG_MERGE_KEEP);
      g_clear_pointer (&all, gst_tag_list_unref);
      all = merged;
    }
    gst_event_unref (event);
  }
  return all;
}

static void
describe_caps (ReportStream * stream, const GstStructure * structure)
{
  gint numerator, denominator;

  stream->is_audio = gst_structure_has_name (structure, "audio/x-raw");
  stream->format = g_strdup (gst_structure_get_string (structure, "format"));
  stream->colorimetry =
      g_strdup (gst_structure_get_string (structure, "colorimetry"));
  gst_structure_get_int (structure, "width", &stream->width);
  gst_structure_get_int (structure, "height", &stream->height);
  gst_structure_get_int (structure, "rate", &stream->rate);
  gst_structure_get_int (structure, "channels", &stream->channels);
  if (gst_structure_get_fraction (structure, "framerate", &numerator,
          &denominator) && denominator > 0)
    stream->frame_rate = (gdouble) numerator / denominator;
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
  GstTagList *tags = collect_tags (pad);

  memset (stream, 0, sizeof *stream);
  stream->index = index;
  if (caps != NULL) {
    describe_caps (stream, gst_caps_get_structure (caps, 0));
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
