/* What is known of a stream beside its frames; see facts.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "facts/facts.h"

#include <gst/audio/audio.h>
#include <gst/video/video.h>

#include "base/describe.h"
#include "base/members.h"
#include "cudahisto/channels.h"

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
  return name_code (GST_TYPE_VIDEO_COLOR_MATRIX, gst_video_color_matrix_from_iso (said->matrix), said->matrix);
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
  if (__builtin_popcountll (said->channel_mask) == 1)
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
find_number (gdouble number)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  return number > 0 ? g_strdup (g_ascii_formatd (text, sizeof text, "%g", number)) : NULL;
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

/* The one table of them. Both functions return (transfer full) (nullable); NULL: nothing. */
static const struct
{
  const gchar *name;
  gchar *(*say) (const ReportSaid * said);      /* what the file says */
  gchar *(*find) (const ReportStream * stream); /* what GStreamer says; NULL: it is told elsewhere, or not at all */
} table[] = {
  {"matrix", say_matrix, find_matrix},
  {"transfer", say_transfer, find_transfer},
  {"primaries", say_primaries, find_primaries},
  {"range", say_range, find_range},
  {"field-order", say_field_order, NULL},
  {"frame-rate", say_frame_rate, NULL},
  {"rotation", say_rotation, NULL},
  {"timecode", say_timecode, NULL},
  {"max-cll", say_max_cll, find_max_cll},
  {"max-fall", say_max_fall, find_max_fall},
  {"mastering-max", say_mastering_max, find_mastering_max},
  {"mastering-min", say_mastering_min, find_mastering_min},
  {"positions", say_positions, find_positions},
  {"language", say_language, NULL},
  {"title", say_title, NULL},
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

static ReportFact *
add (GPtrArray * facts, const gchar * name, const gchar * source, gchar * value)
{
  ReportFact *fact = report_objects_add (facts, &report_fact_shape);

  fact->name = g_strdup (name);
  fact->source = g_strdup (source);
  fact->value = report_clean_text (value);
  return fact;
}

/**
 * report_facts_add:
 * @facts: (element-type ReportFact): gets those of a stream
 * @said: (nullable): what the file says; %NULL: nobody could read it
 * @stream: as its caps, corrected by that, describe it
 *
 * Of two statements that contradict each other, that of the bitstream is used.
 */
void
report_facts_add (GPtrArray * facts, const ReportSaidStream * said,
    const ReportStream * stream)
{
  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    g_autofree gchar *container =
        said != NULL ? table[i].say (&said->container) : NULL;
    g_autofree gchar *bitstream =
        said != NULL ? table[i].say (&said->bitstream) : NULL;
    g_autofree gchar *found =
        table[i].find != NULL ? table[i].find (stream) : NULL;

    if (bitstream != NULL) {
      ReportFact *fact = add (facts, table[i].name, REPORT_BY_BITSTREAM, g_strdup (bitstream));

      if (container != NULL && !g_str_equal (container, bitstream)) {
        fact->container = report_clean_text (g_steal_pointer (&container));
        fact->bitstream = g_strdup (fact->value);
      }
    } else if (container != NULL) {
      add (facts, table[i].name, REPORT_BY_CONTAINER, g_steal_pointer (&container));
    } else if (found != NULL) {
      add (facts, table[i].name, said != NULL ? REPORT_BY_GUESS : REPORT_BY_CAPS,
          g_steal_pointer (&found));
    }
  }
}

/* Returns: (nullable): the fact with this name; NULL: nobody says it */
const ReportFact *
report_facts_find (const GPtrArray * facts, const gchar * name)
{
  for (guint i = 0; i < facts->len; i++) {
    const ReportFact *fact = facts->pdata[i];

    if (g_strcmp0 (fact->name, name) == 0)
      return fact;
  }
  return NULL;
}
