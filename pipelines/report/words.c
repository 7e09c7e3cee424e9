/* Words for what caps say in codes; see words.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "words.h"

#include <gst/audio/audio.h>
#include <string.h>

#include "cudahisto/colorimetry.h"
#include "cudahisto/cudahisto.h"

#include "describe.h"

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

/* Returns: (nullable): NULL: unknown, or that of television, which the matrix or the primaries tell */
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

/* Returns: (transfer full) (nullable): "PQ, BT.2020, limited range"; NULL: nothing is known. What has no words is as
 * in caps. */
gchar *
report_name_colorimetry (const ReportStream * stream)
{
  const gboolean is_limited =
      report_stream_range (stream) == GST_VIDEO_COLOR_RANGE_16_235;
  GstVideoColorimetry colorimetry;
  const gchar *matrix, *primaries;
  GString *words;

  if (!report_stream_colorimetry (stream, &colorimetry))
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
  if (words->len == 0)
    g_string_append (words, stream->colorimetry);
  return g_string_free (words, FALSE);
}

/* Returns: (transfer none): in words; what has none is as it is */
const gchar *
report_name_field_order (const gchar * order)
{
  if (g_str_equal (order, "top-field-first"))
    return "interlaced, top field first";
  if (g_str_equal (order, "bottom-field-first"))
    return "interlaced, bottom field first";
  return g_str_equal (order, "mixed") ?
      "mixed: some frames are interlaced, or their order differs" : order;
}

/* ---- Samples ---------------------------------------------------------------------------------- */

/* Returns: (transfer full) (nullable): "16-bit integer". NULL: the codec tells, or what is measured has
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

/* ---- Channels --------------------------------------------------------------------------------- */

static const struct
{
  GstAudioChannelPosition position;
  const gchar *name;
} position_names[] = {
  {GST_AUDIO_CHANNEL_POSITION_MONO, "mono"},
  {GST_AUDIO_CHANNEL_POSITION_FRONT_LEFT, "L"},
  {GST_AUDIO_CHANNEL_POSITION_FRONT_RIGHT, "R"},
  {GST_AUDIO_CHANNEL_POSITION_FRONT_CENTER, "C"},
  {GST_AUDIO_CHANNEL_POSITION_LFE1, "LFE"},
  {GST_AUDIO_CHANNEL_POSITION_LFE2, "LFE2"},
  {GST_AUDIO_CHANNEL_POSITION_REAR_LEFT, "Lb"},
  {GST_AUDIO_CHANNEL_POSITION_REAR_RIGHT, "Rb"},
  {GST_AUDIO_CHANNEL_POSITION_REAR_CENTER, "Cs"},
  {GST_AUDIO_CHANNEL_POSITION_FRONT_LEFT_OF_CENTER, "Lc"},
  {GST_AUDIO_CHANNEL_POSITION_FRONT_RIGHT_OF_CENTER, "Rc"},
  {GST_AUDIO_CHANNEL_POSITION_SIDE_LEFT, "Ls"},
  {GST_AUDIO_CHANNEL_POSITION_SIDE_RIGHT, "Rs"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_FRONT_LEFT, "Ltf"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_FRONT_RIGHT, "Rtf"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_FRONT_CENTER, "Ctf"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_CENTER, "Tc"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_REAR_LEFT, "Ltr"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_REAR_RIGHT, "Rtr"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_REAR_CENTER, "Ctr"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_SIDE_LEFT, "Lts"},
  {GST_AUDIO_CHANNEL_POSITION_TOP_SIDE_RIGHT, "Rts"},
  {GST_AUDIO_CHANNEL_POSITION_WIDE_LEFT, "Lw"},
  {GST_AUDIO_CHANNEL_POSITION_WIDE_RIGHT, "Rw"},
  {GST_AUDIO_CHANNEL_POSITION_SURROUND_LEFT, "Lss"},
  {GST_AUDIO_CHANNEL_POSITION_SURROUND_RIGHT, "Rss"},
};

/* @has_sides: there are side channels, too: else the rear ones are the surround channels of 5.1 */
static const gchar *
name_position (GstAudioChannelPosition position, gboolean has_sides)
{
  if (position == GST_AUDIO_CHANNEL_POSITION_REAR_LEFT && !has_sides)
    position = GST_AUDIO_CHANNEL_POSITION_SIDE_LEFT;
  if (position == GST_AUDIO_CHANNEL_POSITION_REAR_RIGHT && !has_sides)
    position = GST_AUDIO_CHANNEL_POSITION_SIDE_RIGHT;
  for (guint i = 0; i < G_N_ELEMENTS (position_names); i++) {
    if (position_names[i].position == position)
      return position_names[i].name;
  }
  return NULL;
}

/* Returns: (transfer full) (nullable): the names of the channels of sound; NULL if the caps do not say where they are */
gchar **
report_name_channels (const GstCaps * caps)
{
  const guint64 sides = GST_AUDIO_CHANNEL_POSITION_MASK (SIDE_LEFT)
      | GST_AUDIO_CHANNEL_POSITION_MASK (SIDE_RIGHT);
  GstAudioInfo info;
  guint64 mask = 0;
  gchar **names;

  if (!gst_audio_info_from_caps (&info, caps)
      || GST_AUDIO_INFO_IS_UNPOSITIONED (&info) || info.channels > 64)
    return NULL;
  gst_audio_channel_positions_to_mask (info.position, info.channels, FALSE,
      &mask);
  names = g_new0 (gchar *, info.channels + 1);
  for (gint c = 0; c < info.channels; c++) {
    const gchar *name = name_position (info.position[c], (mask & sides) != 0);

    if (name == NULL) {
      g_strfreev (names);
      return NULL;
    }
    names[c] = g_strdup (name);
  }
  return names;
}

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
