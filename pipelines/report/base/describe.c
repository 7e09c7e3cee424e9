/* From caps and tags to what people read about a stream; see describe.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/describe.h"

#include "cudahisto/channels.h"
#include "cudahisto/clock.h"
#include "cudahisto/colorimetry.h"
#include "cudahisto/cudahisto.h"

#include <math.h>
#include <string.h>
#include <gst/audio/audio.h>


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

/* Returns: (transfer full) (nullable): all tags of the stream, or of the input, that have come to the pad */
GstTagList *
report_pad_collect_tags (GstPad * pad, GstTagScope scope)
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
report_stream_get_colorimetry (const ReportStream * stream,
    GstVideoColorimetry * colorimetry)
{
  return histo_colorimetry_read (stream->colorimetry, is_rgb (stream->format),
      colorimetry);
}

/* Returns: PQ or HLG if the stream is HDR */
GstVideoTransferFunction
report_stream_transfer (const ReportStream * stream)
{
  GstVideoColorimetry colorimetry;

  report_stream_get_colorimetry (stream, &colorimetry);
  return colorimetry.transfer;
}

/* Returns: what the caps say of the range, which may be unknown */
GstVideoColorRange
report_stream_range (const ReportStream * stream)
{
  GstVideoColorimetry colorimetry;

  report_stream_get_colorimetry (stream, &colorimetry);
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

/* Caps have the primaries in steps of 0.00002, and the light in steps of 0.0001 cd/m². */
#define MASTERING_XY 50000.
#define MASTERING_LIGHT 10000.

static void
describe_light (ReportCarried * carried, const GstCaps * caps)
{
  GstVideoMasteringDisplayInfo mastering;
  GstVideoContentLightLevel level;

  if (gst_video_content_light_level_from_caps (&level, caps)) {
    carried->max_cll = level.max_content_light_level;
    carried->max_fall = level.max_frame_average_light_level;
  }
  if (!gst_video_mastering_display_info_from_caps (&mastering, caps))
    return;
  carried->mastering_max =
      mastering.max_display_mastering_luminance / MASTERING_LIGHT;
  carried->mastering_min =
      mastering.min_display_mastering_luminance / MASTERING_LIGHT;
  for (guint i = 0; i < 3; i++) {
    carried->primaries[2 * i] = mastering.display_primaries[i].x / MASTERING_XY;
    carried->primaries[2 * i + 1] =
        mastering.display_primaries[i].y / MASTERING_XY;
  }
  carried->white[0] = mastering.white_point.x / MASTERING_XY;
  carried->white[1] = mastering.white_point.y / MASTERING_XY;
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
  /* The results have the same form. */
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
    stream->channel_names = histo_channel_names (caps);
  else
    describe_light (&stream->carried, caps);
}

/* What the tags say of the stream. They may have anything; a line of a report has no control characters. */
static void
describe_tags (ReportStream * stream, const GstTagList * tags)
{
  gst_tag_list_get_string (tags,
      stream->is_audio ? GST_TAG_AUDIO_CODEC : GST_TAG_VIDEO_CODEC,
      &stream->codec);
  gst_tag_list_get_string (tags, GST_TAG_LANGUAGE_CODE, &stream->language);
  gst_tag_list_get_string (tags, GST_TAG_TITLE, &stream->name);
  /* ISO 639: undetermined */
  if (g_strcmp0 (stream->language, "und") == 0)
    g_clear_pointer (&stream->language, g_free);
  if (stream->codec != NULL)
    stream->codec = report_clean_text (stream->codec);
}

static gchar *
describe_title (const ReportStream * stream, const gchar * stream_name)
{
  GString *title = g_string_new (stream_name);
  const gchar *language = stream->language, *name = stream->name;

  if (stream_name == NULL)
    g_string_printf (title, "%s %u", stream->is_audio ? "audio" : "video",
        stream->index);
  if (language != NULL || name != NULL)
    g_string_append_printf (title, " (%s%s%s)",
        language != NULL ? language : "",
        language != NULL && name != NULL ? ", " : "",
        name != NULL ? name : "");
  return report_clean_text (g_string_free (title, FALSE));
}

/* Returns: (transfer full) (nullable): how GStreamer names the container, if the pad knows it */
gchar *
report_pad_find_container (GstPad * pad)
{
  g_autoptr (GstTagList) tags = report_pad_collect_tags (pad, GST_TAG_SCOPE_GLOBAL);
  gchar *container = NULL;

  if (tags != NULL)
    gst_tag_list_get_string (tags, GST_TAG_CONTAINER_FORMAT, &container);
  return container != NULL ? report_clean_text (container) : NULL;
}

/**
 * report_stream_describe:
 * @stream: (out): to be cleared with report_stream_clear()
 * @name: (nullable): "sound 3"; NULL: "audio 4", by its medium and its place
 * @tags: (nullable): of the stream
 * @caps: of the stream, empty if it has none
 */
void
report_stream_describe (ReportStream * stream, guint index,
    const gchar * name, const GstTagList * tags, const GstCaps * caps)
{
  memset (stream, 0, sizeof *stream);
  stream->index = index;
  if (!gst_caps_is_empty (caps))
    report_caps_describe (stream, caps);
  if (tags != NULL)
    describe_tags (stream, tags);
  stream->title = describe_title (stream, name);
}

/**
 * report_stream_describe_programme:
 * @stream: (inout): as report_stream_describe() describes one of its tracks
 * @name: "sound 1+2"
 * @tracks: "1+2"
 * @source: who joins them
 * @language: (nullable): of all tracks
 * @codec: (nullable): libav's, of all tracks
 */
void
report_stream_describe_programme (ReportStream * stream, const gchar * name,
    const gchar * tracks, const gchar * source, const gchar * language,
    const gchar * codec)
{
  g_free (stream->title);
  stream->title = report_clean_text (g_strdup_printf ("%s (%s%s%s)", name, language != NULL ? language : "",
          language != NULL ? ", " : "", source));
  g_free (stream->language);
  stream->language = g_strdup (language);
  g_clear_pointer (&stream->name, g_free);
  stream->programme = g_strdup (tracks);
  stream->programme_source = g_strdup (source);
  if (codec == NULL)
    g_clear_pointer (&stream->codec, g_free);
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
    g_autoptr (GstTagList) tags = report_pad_collect_tags (pad, scopes[i]);
    const gchar *text;

    if (tags == NULL)
      continue;
    for (guint k = 0; gst_tag_list_peek_string_index (tags,
            GST_TAG_EXTENDED_COMMENT, k, &text); k++) {
      if (timecode == NULL && g_str_has_prefix (text, TIMECODE_TAG))
        timecode = report_clean_text (g_strdup (text + strlen (TIMECODE_TAG)));
    }
  }
  return timecode;
}

/* Whether loudness is uncertain: nobody says where three or more channels stand, so that each counts as one in front. */
gboolean
report_stream_is_unplaced (const ReportStream * stream)
{
  return stream->is_audio && stream->channels > 2 && stream->channel_names == NULL;
}

/* Returns: the width of the picture in square pixels of its height; 0: unknown */
gint
report_stream_display_width (const ReportStream * stream)
{
  return stream->par_d > 0 ? (gint) MIN (gst_util_uint64_scale_round (
          MAX (stream->width, 0), stream->par_n, stream->par_d), G_MAXINT) : 0;
}

/* ---- Colorimetry ------------------------------------------------------------------------------ */

static const gchar *
name_matrix (GstVideoColorMatrix matrix)
{
  switch (matrix) {
    case GST_VIDEO_COLOR_MATRIX_FCC:
      return "FCC";
    case GST_VIDEO_COLOR_MATRIX_BT709:
      return "BT.709";
    case GST_VIDEO_COLOR_MATRIX_BT601:
      return "BT.601";
    case GST_VIDEO_COLOR_MATRIX_SMPTE240M:
      return "SMPTE 240M";
    case GST_VIDEO_COLOR_MATRIX_BT2020:
      return "BT.2020";
    default:
      return NULL;
  }
}

/* The primaries of a standard that has a matrix have its name. */
static const gchar *
name_primaries (GstVideoColorPrimaries primaries)
{
  switch (primaries) {
    case GST_VIDEO_COLOR_PRIMARIES_BT709:
      return "BT.709";
    case GST_VIDEO_COLOR_PRIMARIES_BT470M:
      return "BT.470 M";
    case GST_VIDEO_COLOR_PRIMARIES_BT470BG:
    case GST_VIDEO_COLOR_PRIMARIES_SMPTE170M:
      return "BT.601";
    case GST_VIDEO_COLOR_PRIMARIES_SMPTE240M:
      return "SMPTE 240M";
    case GST_VIDEO_COLOR_PRIMARIES_FILM:
      return "film";
    case GST_VIDEO_COLOR_PRIMARIES_BT2020:
      return "BT.2020";
    case GST_VIDEO_COLOR_PRIMARIES_ADOBERGB:
      return "Adobe RGB";
    case GST_VIDEO_COLOR_PRIMARIES_SMPTEST428:
      return "SMPTE ST 428";
    case GST_VIDEO_COLOR_PRIMARIES_SMPTERP431:
      return "DCI-P3";
    case GST_VIDEO_COLOR_PRIMARIES_SMPTEEG432:
      return "Display P3";
    case GST_VIDEO_COLOR_PRIMARIES_EBU3213:
      return "EBU 3213";
    default:
      return NULL;
  }
}

/* Returns: (nullable): NULL: unknown, or that of television, which the matrix or the primaries imply */
static const gchar *
name_transfer (GstVideoTransferFunction transfer)
{
  switch (transfer) {
    case GST_VIDEO_TRANSFER_GAMMA10:
      return "linear";
    case GST_VIDEO_TRANSFER_GAMMA18:
      return "gamma 1.8";
    case GST_VIDEO_TRANSFER_GAMMA20:
      return "gamma 2.0";
    case GST_VIDEO_TRANSFER_GAMMA22:
      return "gamma 2.2";
    case GST_VIDEO_TRANSFER_GAMMA28:
      return "gamma 2.8";
    case GST_VIDEO_TRANSFER_SRGB:
      return "sRGB";
    case GST_VIDEO_TRANSFER_LOG100:
    case GST_VIDEO_TRANSFER_LOG316:
      return "logarithmic";
    case GST_VIDEO_TRANSFER_ADOBERGB:
      return "Adobe RGB";
    case GST_VIDEO_TRANSFER_SMPTE2084:
      return "PQ";
    case GST_VIDEO_TRANSFER_ARIB_STD_B67:
      return "HLG";
    default:
      return NULL;
  }
}

static void
append_word (GString * words, const gchar * word)
{
  if (word == NULL)
    return;
  g_string_append_printf (words, "%s%s", words->len > 0 ? ", " : "", word);
}

/* Returns: (transfer full) (nullable): "PQ, BT.2020, limited range"; NULL: nothing is known. What this GStreamer does not know
 * is as in caps. */
gchar *
report_name_colorimetry (const ReportStream * stream)
{
  const gboolean is_limited =
      report_stream_range (stream) == GST_VIDEO_COLOR_RANGE_16_235;
  GstVideoColorimetry colorimetry;
  const gchar *matrix, *primaries;
  GString *words;

  if (!report_stream_get_colorimetry (stream, &colorimetry))
    return g_strdup (stream->colorimetry);
  words = g_string_new (NULL);
  matrix = name_matrix (colorimetry.matrix);
  primaries = name_primaries (colorimetry.primaries);
  append_word (words, name_transfer (colorimetry.transfer));
  if (matrix != NULL || primaries != NULL)
    append_word (words, matrix != NULL ? matrix : primaries);
  if (matrix != NULL && primaries != NULL && !g_str_equal (matrix, primaries)) {
    append_word (words, primaries);
    g_string_append (words, " primaries");
  }
  if (colorimetry.range != GST_VIDEO_COLOR_RANGE_UNKNOWN)
    append_word (words, is_limited ? "limited range" : "full range");
  return g_string_free (words, words->len == 0);
}

/* Returns: the name of a part of the colorimetry, as caps have it. That nothing is known is a value, too: a stream of
 * which PQ is expected does not pass without a word. */
const gchar *
report_nick_of (GType type, gint value)
{
  GEnumClass *klass = g_type_class_ref (type);
  const GEnumValue *found = g_enum_get_value (klass, value);
  const gchar *nick = found != NULL ? found->value_nick : "unknown";

  /* The names of static types stay. */
  g_type_class_unref (klass);
  return nick;
}

/* Returns: "limited", "full" or "unknown" */
const gchar *
report_name_range (GstVideoColorRange range)
{
  switch (range) {
    case GST_VIDEO_COLOR_RANGE_16_235:
      return "limited";
    case GST_VIDEO_COLOR_RANGE_0_255:
      return "full";
    case GST_VIDEO_COLOR_RANGE_UNKNOWN:
      break;
  }
  return "unknown";
}

/* Returns: (transfer none): in words; what has none is as it is */
const gchar *
report_name_field_order (const gchar * order)
{
  if (g_str_equal (order, "top-field-first"))
    return "interlaced, top field first";
  if (g_str_equal (order, "bottom-field-first"))
    return "interlaced, bottom field first";
  if (g_str_equal (order, "interlaced"))
    return "interlaced, and nobody says which field comes first";
  if (g_str_equal (order, REPORT_ALTERNATE))
    return "interlaced, each buffer is one field";
  return g_str_equal (order, "mixed") ?
      "mixed: some frames are interlaced, or their order differs" : order;
}

/* ---- Samples ---------------------------------------------------------------------------------- */

/* Returns: (transfer full) (nullable): "16-bit integer". NULL: the codec says it, or what is measured has
 * another format than what is stored. */
gchar *
report_name_sample_format (const ReportStream * stream)
{
  const GstAudioFormat format = stream->format != NULL ?
      gst_audio_format_from_string (stream->format) : GST_AUDIO_FORMAT_UNKNOWN;
  const GstAudioFormatInfo *info;

  if (stream->codec != NULL)
    return NULL;
  if (format == GST_AUDIO_FORMAT_UNKNOWN)
    return g_strdup (stream->format);
  info = gst_audio_format_get_info (format);
  return g_strdup_printf ("%d-bit %s", GST_AUDIO_FORMAT_INFO_DEPTH (info),
      GST_AUDIO_FORMAT_INFO_IS_FLOAT (info) ? "float" : "integer");
}

/* Returns: (transfer full): "4:2:0": the chroma of formats of YUV */
gchar *
report_name_chroma (guint w_sub, guint h_sub)
{
  const guint columns = 4u >> w_sub;

  /* The third number is that of the samples in every other row: none, if rows share them. */
  return g_strdup_printf ("4:%u:%u", columns, h_sub > 0 ? 0 : columns);
}

/* Returns: (transfer full) (nullable): "8-bit 4:2:0 YUV (I420)", "16-bit integer (S16LE)"; NULL: unknown. What GStreamer has no
 * description of is as in caps. */
gchar *
report_name_format (const ReportStream * stream)
{
  const GstVideoFormat video = stream->format != NULL && !stream->is_audio ?
      gst_video_format_from_string (stream->format) : GST_VIDEO_FORMAT_UNKNOWN;
  const GstAudioFormat audio = stream->format != NULL && stream->is_audio ?
      gst_audio_format_from_string (stream->format) : GST_AUDIO_FORMAT_UNKNOWN;

  if (audio != GST_AUDIO_FORMAT_UNKNOWN) {
    const GstAudioFormatInfo *info = gst_audio_format_get_info (audio);

    return g_strdup_printf ("%d-bit %s (%s)", GST_AUDIO_FORMAT_INFO_DEPTH (info),
        GST_AUDIO_FORMAT_INFO_IS_FLOAT (info) ? "float" : "integer", stream->format);
  }
  if (video != GST_VIDEO_FORMAT_UNKNOWN && video != GST_VIDEO_FORMAT_ENCODED) {
    const GstVideoFormatInfo *info = gst_video_format_get_info (video);
    const gchar *alpha = GST_VIDEO_FORMAT_INFO_HAS_ALPHA (info) ? " with alpha" : "";

    if (GST_VIDEO_FORMAT_INFO_IS_YUV (info)) {
      g_autofree gchar *chroma = report_name_chroma (GST_VIDEO_FORMAT_INFO_W_SUB (info, 1), GST_VIDEO_FORMAT_INFO_H_SUB (info, 1));

      return g_strdup_printf ("%d-bit %s YUV%s (%s)", GST_VIDEO_FORMAT_INFO_DEPTH (info, 0), chroma, alpha, stream->format);
    }
    return g_strdup_printf ("%d-bit %s%s (%s)", GST_VIDEO_FORMAT_INFO_DEPTH (info, 0),
        GST_VIDEO_FORMAT_INFO_IS_GRAY (info) ? "gray" : "RGB", alpha, stream->format);
  }
  return g_strdup (stream->format);
}

/* ---- Places ----------------------------------------------------------------------------------- */

/**
 * report_name_place:
 * @place: (nullable): a component, a channel or a region of @stream
 *
 * Returns: (transfer none) (nullable): what people call it: the name of a channel instead of "ch0"
 */
const gchar *
report_name_place (const ReportStream * stream, const gchar * place)
{
  guint64 c;

  if (place == NULL || !stream->is_audio || stream->channel_names == NULL
      || !g_str_has_prefix (place, "ch")
      || !g_ascii_string_to_unsigned (place + strlen ("ch"), 10, 0,
          HISTO_MAX_CHANNELS, &c, NULL)
      || c >= g_strv_length (stream->channel_names))
    return place;
  return stream->channel_names[c];
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
  /* Square pixels are listed only if they were others before. */
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
 * @before: (nullable): what the stream was before; only what differs is listed
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

/* Appends a share in per cent. One that would read as none is "less than 0.001 %". @digits: behind the point */
void
report_append_share (GString * text, gdouble share, gint digits)
{
  const gdouble unit = pow (10, -digits);
  const gdouble percent = 100 * share;

  if (percent > 0 && percent < unit / 2)
    g_string_append_printf (text, "less than %.*f %%", digits, unit);
  else
    g_string_append_printf (text, "%.*f %%", digits, percent);
}

/* Appends a time with as many digits as people write: "12.3 s", "0.04 s". */
void
report_append_seconds (GString * text, gdouble seconds)
{
  g_string_append_printf (text, seconds >= 0.095 ? "%.1f s" : "%.1g s", seconds);
}

/* Appends a number of bytes with three digits: "812 bytes", "12.3 MB". */
void
report_append_bytes (GString * text, guint64 bytes)
{
  static const gchar *const units[] = { "kB", "MB", "GB", "TB", "PB", "EB" };
  gdouble shown = bytes / 1000.;
  guint unit = 0;

  if (bytes < 10000) {
    g_string_append_printf (text, "%" G_GUINT64_FORMAT " byte%s", bytes,
        report_plural (bytes));
    return;
  }
  for (; shown >= 999.5; unit++)
    shown /= 1000;
  g_string_append_printf (text, "%.3g %s", shown, units[unit]);
}

/* Appends hours:minutes:seconds. @ns: GST_CLOCK_TIME_NONE: unknown */
void
report_append_time (GString * text, guint64 ns)
{
  gchar time[32];

  if (!GST_CLOCK_TIME_IS_VALID (ns))
    g_string_append (text, "?");
  else
    g_string_append (text, histo_clock_print (time, sizeof time, (ns + GST_MSECOND / 2) / GST_MSECOND, 3));
}

/* Appends the time to a tenth of a second, without hours that are 0: "0:04.3", "1:02:04.3". */
void
report_append_short_time (GString * text, guint64 ns)
{
  gchar time[32];
  const gchar *from = time;

  if (!GST_CLOCK_TIME_IS_VALID (ns)) {
    g_string_append (text, "?");
    return;
  }
  histo_clock_print (time, sizeof time, (ns + 50 * GST_MSECOND) / (100 * GST_MSECOND), 1);
  if (g_str_has_prefix (from, "0:"))
    from += from[2] == '0' ? 3 : 2;
  g_string_append (text, from);
}

/* ---- Pictures that are too large ------------------------------------------------------------------ */

/* @max_pixels: from 1 on */
gboolean
report_is_too_large (guint64 width, guint64 height, gint64 max_pixels)
{
  return width > 0 && height > (guint64) max_pixels / width;
}

/* Returns: (transfer full): a sentence without its begin */
gchar *
report_describe_too_large (guint64 width, guint64 height,
    gint64 max_pixels)
{
  return g_strdup_printf ("%" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT
      " pixels are more than the limit of %" G_GINT64_FORMAT " (--max-pixels)",
      width, height, max_pixels);
}
