/* What is known of a stream beside its frames; see facts.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "facts/facts.h"

#include <gst/audio/audio.h>
#include <gst/video/video.h>
#include <math.h>
#include <string.h>

#include "base/describe.h"
#include "base/members.h"
#include "cudahisto/channels.h"
#include "cudahisto/depth.h"

/* ---- Statements as texts ---------------------------------------------------------------------- */

/* Returns: (transfer full) (nullable): the name; NULL: it is that of what is unknown */
static gchar *
known (const gchar * name)
{
  return g_str_equal (name, "unknown") ? NULL : g_strdup (name);
}

/* A code point that GStreamer has no name for is a number. */
static gchar *
name_code (GType type, gint value, guint code)
{
  gchar *name = code != 0 ? known (report_nick_of (type, value)) : NULL;

  return name == NULL && code != 0 ? g_strdup_printf ("%u", code) : name;
}

static gchar *
say_matrix (const ReportSaid * said)
{
  return said->is_rgb ? g_strdup ("rgb") : name_code (GST_TYPE_VIDEO_COLOR_MATRIX,
      gst_video_color_matrix_from_iso (said->matrix), said->matrix);
}

static gchar *
say_transfer (const ReportSaid * said)
{
  return name_code (GST_TYPE_VIDEO_TRANSFER_FUNCTION, gst_video_transfer_function_from_iso (said->transfer),
      said->transfer);
}

static gchar *
say_primaries (const ReportSaid * said)
{
  return name_code (GST_TYPE_VIDEO_COLOR_PRIMARIES, gst_video_color_primaries_from_iso (said->primaries),
      said->primaries);
}

static gchar *
say_range (const ReportSaid * said)
{
  static const gchar *const names[] = { NULL, "limited", "full" };

  return g_strdup (names[said->range]);
}

static gchar *
say_field_order (const ReportSaid * said)
{
  static const gchar *const names[] = { NULL, "progressive", "top-field-first", "bottom-field-first" };

  return g_strdup (names[said->field_order]);
}

static gchar *
say_positions (const ReportSaid * said)
{
  g_autoptr (GstCaps) caps = NULL;
  g_auto (GStrv) names = NULL;

  if (said->channel_mask == 0)
    return NULL;
  if (said->channel_mask == GST_AUDIO_CHANNEL_POSITION_MASK (FRONT_CENTER))
    return g_strdup ("mono");
  caps = gst_caps_new_simple ("audio/x-raw", "format", G_TYPE_STRING, "S16LE",
      "layout", G_TYPE_STRING, "interleaved", "rate", G_TYPE_INT, 48000, "channels", G_TYPE_INT,
      __builtin_popcountll (said->channel_mask), "channel-mask", GST_TYPE_BITMASK, said->channel_mask, NULL);
  names = histo_channel_names (caps);
  return names != NULL ? g_strjoinv (" ", names) : NULL;
}

static gchar *
say_rotation (const ReportSaid * said)
{
  return said->has_rotation ? g_strdup_printf ("%d", said->rotation) : NULL;
}

static gchar *
say_timecode (const ReportSaid * said)
{
  return g_strdup (said->timecode);
}

static gchar *
say_language (const ReportSaid * said)
{
  return g_strdup (said->language);
}

static gchar *
say_title (const ReportSaid * said)
{
  return g_strdup (said->title);
}

/* "30000/1001", "25": not cut */
static gchar *
say_rational (ReportRational number)
{
  gint64 divisor;

  if (number.denominator <= 0)
    return NULL;
  divisor = ABS (gst_util_greatest_common_divisor_int64 (number.numerator, number.denominator));
  return number.denominator == divisor ? g_strdup_printf ("%" G_GINT64_FORMAT, number.numerator / divisor) :
      g_strdup_printf ("%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT, number.numerator / divisor,
      number.denominator / divisor);
}

static gchar *
say_frame_rate (const ReportSaid * said)
{
  return say_rational (said->frame_rate);
}

static gchar *
say_number (guint number)
{
  return number > 0 ? g_strdup_printf ("%u", number) : NULL;
}

static gchar *
say_width (const ReportSaid * said)
{
  return say_number (said->width);
}

static gchar *
say_height (const ReportSaid * said)
{
  return say_number (said->height);
}

static gchar *
say_rate (const ReportSaid * said)
{
  return say_number (said->rate);
}

static gchar *
say_channels (const ReportSaid * said)
{
  return say_number (said->channels);
}

static gchar *
say_stored_depth (const ReportSaid * said)
{
  return say_number (said->depth);
}

static gchar *
say_chroma (const ReportSaid * said)
{
  return g_strdup (said->chroma);
}

static gchar *
say_encoding (const ReportSaid * said)
{
  return g_strdup (said->encoding);
}

static gchar *
say_profile (const ReportSaid * said)
{
  return g_strdup (said->profile);
}

static gchar *
say_max_cll (const ReportSaid * said)
{
  return said->has_light ? g_strdup_printf ("%u", said->max_cll) : NULL;
}

static gchar *
say_max_fall (const ReportSaid * said)
{
  return said->has_light ? g_strdup_printf ("%u", said->max_fall) : NULL;
}

static gchar *
say_mastering_max (const ReportSaid * said)
{
  return said->has_mastering ? say_rational (said->mastering_max) : NULL;
}

static gchar *
say_mastering_min (const ReportSaid * said)
{
  return said->has_mastering ? say_rational (said->mastering_min) : NULL;
}

/* ---- What GStreamer says ------------------------------------------------------------------------ */

/* Nothing if it is unknown: 0, or NaN of a stream that was read. */
static gchar *
find_number (gdouble number)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  return number > 0 ? g_strdup (g_ascii_dtostr (text, sizeof text, number)) : NULL;
}

static gchar *
find_width (const ReportStream * stream)
{
  return find_number (stream->width);
}

static gchar *
find_height (const ReportStream * stream)
{
  return find_number (stream->height);
}

static gchar *
find_rate (const ReportStream * stream)
{
  return find_number (stream->rate);
}

static gchar *
find_channels (const ReportStream * stream)
{
  return find_number (stream->channels);
}

static gchar *
find_pixel_aspect (const ReportStream * stream)
{
  return stream->par_n > 0 ? say_rational ((ReportRational) {
      stream->par_n, stream->par_d}) : NULL;
}

static gchar *
find_frame_rate (const ReportStream * stream)
{
  gint numerator, denominator;

  if (!(stream->frame_rate > 0))
    return NULL;
  gst_util_double_to_fraction (stream->frame_rate, &numerator, &denominator);
  return say_rational ((ReportRational) {
      numerator, denominator});
}

static gchar *
find_format (const ReportStream * stream)
{
  return g_strdup (stream->format);
}

static gchar *
find_depth (const ReportStream * stream)
{
  const GstAudioFormat audio = stream->format != NULL && stream->is_audio ?
      gst_audio_format_from_string (stream->format) : GST_AUDIO_FORMAT_UNKNOWN;

  if (stream->format == NULL)
    return NULL;
  if (!stream->is_audio)
    return say_number (histo_format_depth (stream->format, 0));
  return audio == GST_AUDIO_FORMAT_UNKNOWN ? NULL :
      say_number (GST_AUDIO_FORMAT_INFO_DEPTH (gst_audio_format_get_info (audio)));
}

/* Of a picture as it is decoded: nobody else says it. */
static gchar *
find_stored_depth (const ReportStream * stream)
{
  return stream->is_audio ? NULL : find_depth (stream);
}

static gchar *
find_chroma (const ReportStream * stream)
{
  const GstVideoFormat format = stream->format != NULL ?
      gst_video_format_from_string (stream->format) : GST_VIDEO_FORMAT_UNKNOWN;
  const GstVideoFormatInfo *info;

  if (format == GST_VIDEO_FORMAT_UNKNOWN)
    return NULL;
  info = gst_video_format_get_info (format);
  return GST_VIDEO_FORMAT_INFO_IS_GRAY (info) ? g_strdup ("grey") :
      GST_VIDEO_FORMAT_INFO_IS_RGB (info) ? g_strdup ("RGB") :
      GST_VIDEO_FORMAT_INFO_IS_YUV (info) ?
      g_strdup (report_said_chroma (GST_VIDEO_FORMAT_INFO_W_SUB (info, 1),
          GST_VIDEO_FORMAT_INFO_H_SUB (info, 1))) : NULL;
}

static gchar *
find_codec (const ReportStream * stream)
{
  return g_strdup (stream->codec);
}

static gchar *
find_container (const ReportStream * stream)
{
  return g_strdup (stream->container);
}

static gchar *
find_language (const ReportStream * stream)
{
  return g_strdup (stream->language);
}

static gchar *
find_name (const ReportStream * stream)
{
  return g_strdup (stream->name);
}

static GstVideoColorimetry
colorimetry_of (const ReportStream * stream)
{
  GstVideoColorimetry colorimetry = { 0 };

  if (!stream->is_audio)
    report_stream_get_colorimetry (stream, &colorimetry);
  return colorimetry;
}

static gchar *
find_matrix (const ReportStream * stream)
{
  return known (report_nick_of (GST_TYPE_VIDEO_COLOR_MATRIX, colorimetry_of (stream).matrix));
}

static gchar *
find_transfer (const ReportStream * stream)
{
  return known (report_nick_of (GST_TYPE_VIDEO_TRANSFER_FUNCTION, colorimetry_of (stream).transfer));
}

static gchar *
find_primaries (const ReportStream * stream)
{
  return known (report_nick_of (GST_TYPE_VIDEO_COLOR_PRIMARIES, colorimetry_of (stream).primaries));
}

static gchar *
find_range (const ReportStream * stream)
{
  return known (report_name_range (colorimetry_of (stream).range));
}

static gchar *
find_positions (const ReportStream * stream)
{
  return stream->channel_names != NULL ? g_strjoinv (" ", stream->channel_names) : NULL;
}

static gchar *
find_max_cll (const ReportStream * stream)
{
  return stream->carried.max_cll > 0 ? g_strdup_printf ("%" G_GUINT64_FORMAT, stream->carried.max_cll) : NULL;
}

static gchar *
find_max_fall (const ReportStream * stream)
{
  return stream->carried.max_fall > 0 ? g_strdup_printf ("%" G_GUINT64_FORMAT, stream->carried.max_fall) : NULL;
}

static gchar *
find_mastering_max (const ReportStream * stream)
{
  return find_number (stream->carried.mastering_max);
}

static gchar *
find_mastering_min (const ReportStream * stream)
{
  return find_number (stream->carried.mastering_min);
}

/* ---- The facts -------------------------------------------------------------------------------- */

/* Beside OF_VIDEO and OF_AUDIO: in the other medium it would mean something else. */
enum
{
  OF_ANY = OF_VIDEO | OF_AUDIO,
  GUESSED = 1 << 16,            /* where the file says nothing, GStreamer takes something for granted */
  MEASURED = 1 << 17,           /* GStreamer's is what was measured, whatever the file says */
  LIGHT = 1 << 18,              /* rules find nothing if the stream says another thing later */
  ASKED = 1 << 19               /* where nobody says it, rules find the word "unknown" */
};

/* The one table of them: of all that somebody says. What is counted, or measured, is none. Both functions return
 * (transfer full) (nullable); NULL: nothing. */
static const struct
{
  HistoFact fact;
  guint flags;
  gchar *(*say) (const ReportSaid * said);      /* what the file says; NULL: it is not read */
  gchar *(*find) (const ReportStream * stream); /* what GStreamer says; NULL: nothing */
} table[] = {
  {HISTO_FACT_WIDTH, OF_VIDEO | MEASURED, say_width, find_width},
  {HISTO_FACT_HEIGHT, OF_VIDEO | MEASURED, say_height, find_height},
  {HISTO_FACT_PIXEL_ASPECT, OF_VIDEO, NULL, find_pixel_aspect},
  {HISTO_FACT_FRAME_RATE, OF_VIDEO, say_frame_rate, find_frame_rate},
  {HISTO_FACT_FORMAT, OF_VIDEO, NULL, find_format},
  {HISTO_FACT_DEPTH, OF_VIDEO, NULL, find_depth},
  {HISTO_FACT_STORED_DEPTH, OF_ANY, say_stored_depth, find_stored_depth},
  {HISTO_FACT_CHROMA, OF_VIDEO, say_chroma, find_chroma},
  {HISTO_FACT_CODEC, OF_VIDEO, NULL, find_codec},
  {HISTO_FACT_ENCODING, OF_ANY, say_encoding, NULL},
  {HISTO_FACT_PROFILE, OF_ANY, say_profile, NULL},
  {HISTO_FACT_MATRIX, OF_VIDEO | GUESSED | ASKED, say_matrix, find_matrix},
  {HISTO_FACT_TRANSFER, OF_VIDEO | GUESSED | ASKED, say_transfer, find_transfer},
  {HISTO_FACT_PRIMARIES, OF_VIDEO | GUESSED | ASKED, say_primaries, find_primaries},
  {HISTO_FACT_RANGE, OF_VIDEO | GUESSED | ASKED, say_range, find_range},
  {HISTO_FACT_FIELD_ORDER, OF_VIDEO, say_field_order, NULL},
  {HISTO_FACT_ROTATION, OF_VIDEO, say_rotation, NULL},
  {HISTO_FACT_TIMECODE, OF_VIDEO, say_timecode, NULL},
  {HISTO_FACT_MAX_CLL, OF_VIDEO | LIGHT, say_max_cll, find_max_cll},
  {HISTO_FACT_MAX_FALL, OF_VIDEO | LIGHT, say_max_fall, find_max_fall},
  {HISTO_FACT_MASTERING_MAX, OF_VIDEO | LIGHT, say_mastering_max, find_mastering_max},
  {HISTO_FACT_MASTERING_MIN, OF_VIDEO | LIGHT, say_mastering_min, find_mastering_min},
  {HISTO_FACT_CHANNELS, OF_AUDIO | MEASURED, say_channels, find_channels},
  {HISTO_FACT_POSITIONS, OF_AUDIO | GUESSED, say_positions, find_positions},
  {HISTO_FACT_RATE, OF_AUDIO | MEASURED, say_rate, find_rate},
  {HISTO_FACT_SAMPLE_FORMAT, OF_AUDIO, NULL, find_format},
  {HISTO_FACT_SAMPLE_DEPTH, OF_AUDIO, NULL, find_depth},
  {HISTO_FACT_AUDIO_CODEC, OF_AUDIO, NULL, find_codec},
  {HISTO_FACT_LANGUAGE, OF_ANY, say_language, find_language},
  {HISTO_FACT_TITLE, OF_ANY, say_title, find_name},
  {HISTO_FACT_CONTAINER, OF_ANY, NULL, find_container},
};

static const gchar *const source_names[] = {
  REPORT_BY_CONTAINER, REPORT_BY_BITSTREAM, REPORT_BY_CAPS, REPORT_BY_GUESS
};

const ReportShape report_fact_shape = {
  .name = "fact",
  .text = "What is known of a stream beside its frames. What nobody says is absent.",
  .size = sizeof (ReportFact),
  .members = (const ReportMember[]) {
      {"name", TEXT, AT (ReportFact, name), NEEDED, .text = "As in rules: fact.NAME."},
      {"value", TEXT, AT (ReportFact, value), NEEDED, .text = "What the stream was measured by."},
      {"source", TEXT, AT (ReportFact, source), NEEDED, NAMED (source_names)},
      {"container", TEXT, AT (ReportFact, container), .text = "What the container says, if the bitstream says otherwise."},
      {"bitstream", TEXT, AT (ReportFact, bitstream), .text = "What the bitstream says, if the container says otherwise."},
      NO_MEMBER},
  .most = G_N_ELEMENTS (table)
};

/* Whether a stream of the medium can have the fact. */
static gboolean
is_of (guint row, gboolean is_audio)
{
  return (table[row].flags & (is_audio ? OF_AUDIO : OF_VIDEO)) != 0;
}

/**
 * report_facts_set:
 * @source: one of the sources
 * @value: (transfer full): by which the stream was measured
 *
 * Sets a fact, or adds it. If this is what the bitstream says, and the container says otherwise, both are kept.
 */
void
report_facts_set (GPtrArray * facts, HistoFact which, const gchar * source,
    gchar * value)
{
  ReportFact *fact = (ReportFact *) report_facts_find (facts, which);
  g_autofree gchar *clean = report_clean_text (value);

  if (fact == NULL) {
    fact = report_objects_add (facts, &report_fact_shape);
    fact->name = g_strdup (histo_facts[which].name);
  } else if (g_str_equal (source, REPORT_BY_BITSTREAM) && g_str_equal (fact->source, REPORT_BY_CONTAINER)
      && !g_str_equal (fact->value, clean)) {
    fact->container = g_steal_pointer (&fact->value);
    fact->bitstream = g_strdup (clean);
  }
  g_free (fact->source);
  fact->source = g_strdup (source);
  g_free (fact->value);
  fact->value = g_steal_pointer (&clean);
}

/**
 * report_facts_read:
 * @facts: (element-type ReportFact): becomes those of a stream
 * @said: (nullable): what the file says; %NULL: nobody could read it
 * @stream: as its caps, corrected by that, describe it
 *
 * Of two statements that contradict each other, that of the bitstream is used.
 */
void
report_facts_read (GPtrArray * facts, const ReportSaidStream * said,
    const ReportStream * stream)
{
  g_ptr_array_set_size (facts, 0);
  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    g_autofree gchar *container =
        said != NULL && table[i].say != NULL ? table[i].say (&said->container) : NULL;
    g_autofree gchar *bitstream =
        said != NULL && table[i].say != NULL ? table[i].say (&said->bitstream) : NULL;
    g_autofree gchar *found =
        table[i].find != NULL ? table[i].find (stream) : NULL;
    const gchar *value = bitstream != NULL ? bitstream : container;
    const gchar *source = bitstream != NULL ? REPORT_BY_BITSTREAM : REPORT_BY_CONTAINER;

    if (!is_of (i, stream->is_audio))
      continue;
    if (found != NULL && (value == NULL || ((table[i].flags & MEASURED) != 0
                && !g_str_equal (value, found)))) {
      value = found;
      source = said != NULL && (table[i].flags & GUESSED) != 0 ? REPORT_BY_GUESS : REPORT_BY_CAPS;
    }
    if (value == NULL)
      continue;
    /* Where GStreamer has measured another thing than both say, they contradict it, and not each other. */
    if (container != NULL && value == bitstream)
      report_facts_set (facts, table[i].fact, REPORT_BY_CONTAINER, g_strdup (container));
    report_facts_set (facts, table[i].fact, source, g_strdup (value));
  }
}

/* Returns: (nullable): the fact; NULL: nobody says it */
const ReportFact *
report_facts_find (const GPtrArray * facts, HistoFact which)
{
  for (guint i = 0; i < facts->len; i++) {
    const ReportFact *fact = facts->pdata[i];

    if (g_strcmp0 (fact->name, histo_facts[which].name) == 0)
      return fact;
  }
  return NULL;
}

/* Returns: (nullable): what the fact says; NULL: nobody says it */
const gchar *
report_facts_value (const GPtrArray * facts, HistoFact which)
{
  const ReportFact *fact = report_facts_find (facts, which);

  return fact != NULL ? fact->value : NULL;
}

/* Returns: the number that a fact says: "25", "30000/1001" */
gdouble
report_fact_parse (const gchar * text)
{
  const gchar *slash = strchr (text, '/');

  return slash == NULL ? g_ascii_strtod (text, NULL) :
      g_ascii_strtod (text, NULL) / g_ascii_strtod (slash + 1, NULL);
}

/**
 * report_facts_ask:
 * @number: (out): NaN: the fact is a word, or unknown
 * @word: (out) (nullable): %NULL: it is a number, or unknown
 *
 * Returns: whether somebody can say the fact: else it is counted, or measured
 */
gboolean
report_facts_ask (const GPtrArray * facts, const ReportStream * stream,
    HistoFact which, gdouble * number, const gchar ** word)
{
  guint i = 0;

  *number = NAN;
  *word = NULL;
  while (i < G_N_ELEMENTS (table) && table[i].fact != which)
    i++;
  if (i == G_N_ELEMENTS (table))
    return FALSE;
  if (!is_of (i, stream->is_audio) || ((table[i].flags & LIGHT) != 0 && stream->carried.changes > 0))
    return TRUE;
  if (histo_facts[which].is_word) {
    *word = report_facts_value (facts, which);
    if (*word == NULL && (table[i].flags & ASKED) != 0)
      *word = "unknown";
  } else {
    /* Caps may have said it since the facts were read. */
    g_autofree gchar *found = table[i].find != NULL ? table[i].find (stream) : NULL;
    const gchar *value = report_facts_value (facts, which);

    if (value != NULL || found != NULL)
      *number = report_fact_parse (value != NULL ? value : found);
  }
  return TRUE;
}
