/* The facts of a stream in the words of people who check films; see words.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "facts/words.h"

#include <gst/tag/tag.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stream.h"

static void append (GString * words, const gchar * format, ...) G_GNUC_PRINTF (2, 3);

/* Appends words behind a comma. */
static void
append (GString * words, const gchar * format, ...)
{
  va_list arguments;

  if (words->len > 0)
    g_string_append (words, ", ");
  va_start (arguments, format);
  g_string_append_vprintf (words, format, arguments);
  va_end (arguments);
}

static gdouble
ask_number (const GPtrArray * facts, HistoFact which)
{
  const gchar *value = report_facts_value (facts, which);

  return value != NULL ? report_fact_parse (value) : NAN;
}

static gboolean
is_word (const GPtrArray * facts, HistoFact which, const gchar * word)
{
  return g_strcmp0 (report_facts_value (facts, which), word) == 0;
}

/* Appends at most three digits behind the point: "25", "23.976", "59.94". */
static void
append_rate (GString * words, gdouble rate)
{
  g_string_append_printf (words, "%.10g", floor (rate * 1000 + 0.5) / 1000);
}

/* ---- Encodings -------------------------------------------------------------------------------- */

/* What people call what libav calls otherwise than in capital letters. */
static const struct
{
  const gchar *encoding;        /* or its begin, with a * */
  const gchar *words;
} encodings[] = {
  {"h264", "H.264"}, {"hevc", "H.265"}, {"vvc", "H.266"}, {"h261", "H.261"}, {"h263*", "H.263"},
  {"mpeg1video", "MPEG-1"}, {"mpeg2video", "MPEG-2"}, {"mpeg4", "MPEG-4"}, {"msmpeg4*", "MS MPEG-4"}, {"vc1", "VC-1"},
  {"prores", "ProRes"}, {"dnxhd", "DNxHD"}, {"cfhd", "CineForm"}, {"dvvideo", "DV"}, {"dirac", "Dirac"}, {"cllc", "Canopus Lossless"},
  {"jpeg2000", "JPEG 2000"}, {"mjpeg", "JPEG"}, {"ljpeg", "Lossless JPEG"}, {"jpegls", "JPEG-LS"}, {"huffyuv", "HuffYUV"},
  {"ffvhuff", "FFVHUFF"}, {"utvideo", "Ut Video"}, {"magicyuv", "MagicYUV"}, {"qtrle", "QuickTime Animation"}, {"theora", "Theora"},
  {"rawvideo", "uncompressed"}, {"v210", "uncompressed v210"}, {"v308", "uncompressed v308"}, {"v408", "uncompressed v408"},
  {"v410", "uncompressed v410"}, {"r210", "uncompressed r210"}, {"r10k", "uncompressed r10k"}, {"wrapped_avframe", "uncompressed"},
  {"pcm_f*", "PCM floats"}, {"pcm_alaw", "A-law"}, {"pcm_mulaw", "\xc2\xb5-law"}, {"pcm_*", "PCM"}, {"adpcm_*", "ADPCM"},
  {"ac3", "AC-3"}, {"eac3", "E-AC-3"}, {"dts", "DTS"}, {"mlp", "MLP"}, {"truehd", "TrueHD"}, {"opus", "Opus"},
  {"vorbis", "Vorbis"}, {"speex", "Speex"}, {"wavpack", "WavPack"}, {"ape", "Monkey's Audio"}, {"wmapro", "WMA Pro"},
  {"wmav*", "WMA"}, {"wmalossless", "WMA Lossless"}, {"s302m", "SMPTE 302M"}
};

/* Profiles that need no encoding before them, and those that have another name. */
static const struct
{
  const gchar *encoding, *profile, *words;      /* profile NULL: none of them is told */
} profiles[] = {
  {"mjpeg", NULL, "JPEG"}, {"prores", "Proxy", "ProRes 422 Proxy"}, {"prores", "LT", "ProRes 422 LT"},
  {"prores", "Standard", "ProRes 422"}, {"prores", "HQ", "ProRes 422 HQ"}, {"prores", "4444", "ProRes 4444"},
  {"prores", "XQ", "ProRes 4444 XQ"}, {"dnxhd", "DNXHD", "DNxHD"}, {"dnxhd", "DNXHR LB", "DNxHR LB"},
  {"dnxhd", "DNXHR SQ", "DNxHR SQ"}, {"dnxhd", "DNXHR HQ", "DNxHR HQ"}, {"dnxhd", "DNXHR HQX", "DNxHR HQX"},
  {"dnxhd", "DNXHR 444", "DNxHR 444"}, {"aac", "HE-AAC", "HE-AAC"}, {"aac", "HE-AACv2", "HE-AAC v2"},
  {"dts", "DTS", "DTS"}, {"dts", "DTS-ES", "DTS-ES"}, {"dts", "DTS 96/24", "DTS 96/24"},
  {"dts", "DTS-HD HRA", "DTS-HD HRA"}, {"dts", "DTS-HD MA", "DTS-HD MA"}, {"dts", "DTS Express", "DTS Express"}
};

static gboolean
does_match (const gchar * pattern, const gchar * encoding)
{
  const gsize length = strcspn (pattern, "*");

  return pattern[length] == '*' ? strncmp (pattern, encoding, length) == 0 : g_str_equal (pattern, encoding);
}

/* "H.264 High 4:2:2 Intra", "ProRes 422 HQ"; without libav it is what GStreamer calls it */
static void
append_encoding (GString * words, const GPtrArray * facts, HistoFact codec)
{
  const gchar *encoding = report_facts_value (facts, HISTO_FACT_ENCODING);
  const gchar *profile = report_facts_value (facts, HISTO_FACT_PROFILE);
  g_autofree gchar *capitals = NULL;
  const gchar *name = NULL;

  if (encoding == NULL) {
    if (report_facts_value (facts, codec) != NULL)
      append (words, "%s", report_facts_value (facts, codec));
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (profiles); i++) {
    if (g_str_equal (profiles[i].encoding, encoding)
        && (profiles[i].profile == NULL || g_strcmp0 (profiles[i].profile, profile) == 0)) {
      append (words, "%s", profiles[i].words);
      return;
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS (encodings) && name == NULL; i++) {
    if (does_match (encodings[i].encoding, encoding))
      name = encodings[i].words;
  }
  if (name == NULL)
    name = capitals = g_ascii_strup (encoding, -1);
  append (words, "%s%s%s", name, profile != NULL ? " " : "", profile != NULL ? profile : "");
}

/* ---- Picture ---------------------------------------------------------------------------------- */

/* "1920x1080i50 TFF", "1280x720p59.94", "640x480 25 frames/s": nobody says how the fields follow */
static void
append_size (GString * words, const GPtrArray * facts, gboolean is_variable)
{
  static const gchar *const orders[][2] = {
    {"top-field-first", " TFF"}, {"bottom-field-first", " BFF"}, {"interlaced", " (field order unknown)"},
    {"mixed", " (mixed fields)"}, {REPORT_ALTERNATE, " (single fields)"}
  };
  const gdouble rate = ask_number (facts, HISTO_FACT_FRAME_RATE);
  const gchar *order = report_facts_value (facts, HISTO_FACT_FIELD_ORDER);
  const gboolean is_progressive = g_strcmp0 (order, "progressive") == 0;
  const gchar *width = report_facts_value (facts, HISTO_FACT_WIDTH);
  const gchar *height = report_facts_value (facts, HISTO_FACT_HEIGHT);

  if (width == NULL || height == NULL)
    return;
  append (words, "%sx%s%s", width, height, is_progressive ? "p" : order != NULL ? "i" : "");
  if (rate > 0 && !is_variable) {
    if (order == NULL)
      g_string_append_c (words, ' ');
    /* A frame has two fields. */
    append_rate (words, order != NULL && !is_progressive ? 2 * rate : rate);
    if (order == NULL)
      g_string_append (words, " frames/s");
  }
  if (is_variable)
    g_string_append (words, " variable rate");
  for (guint i = 0; i < G_N_ELEMENTS (orders); i++) {
    if (g_strcmp0 (order, orders[i][0]) == 0)
      g_string_append (words, orders[i][1]);
  }
}

/* Returns: (transfer full): how a player turns the picture: "90\xc2\xb0", clockwise, as people turn a phone. What says nothing
 * is not turned */
gchar *
report_facts_rotation (const GPtrArray * facts)
{
  const gdouble rotation = ask_number (facts, HISTO_FACT_ROTATION);

  return isnan (rotation) || fmod (rotation, 360) == 0 ? g_strdup (REPORT_NOT_ROTATED) :
      g_strdup_printf ("%g\xc2\xb0", fmod (720 - rotation, 360));
}

static void
append_picture (GString * words, const GPtrArray * facts, gboolean is_variable)
{
  const gchar *chroma = report_facts_value (facts, HISTO_FACT_CHROMA);
  const gchar *depth = report_facts_value (facts, HISTO_FACT_STORED_DEPTH);
  const gchar *timecode = report_facts_value (facts, HISTO_FACT_TIMECODE);
  const gdouble aspect = ask_number (facts, HISTO_FACT_PIXEL_ASPECT);
  g_autofree gchar *rotation = report_facts_rotation (facts);

  append_size (words, facts, is_variable);
  if (aspect > 0 && aspect != 1) {
    g_autofree gchar *ratio = g_strdelimit (g_strdup (report_facts_value (facts, HISTO_FACT_PIXEL_ASPECT)), "/", ':');

    append (words, "pixels %s%s", ratio, strchr (ratio, ':') == NULL ? ":1" : "");
  }
  if (chroma != NULL || depth != NULL)
    append (words, "%s%s%s%s", chroma != NULL ? chroma : "", chroma != NULL && depth != NULL ? " " : "",
        depth != NULL ? depth : "", depth != NULL ? " bit" : "");
  append_encoding (words, facts, HISTO_FACT_CODEC);
  if (is_word (facts, HISTO_FACT_TRANSFER, "smpte2084"))
    append (words, "PQ");
  else if (is_word (facts, HISTO_FACT_TRANSFER, "arib-std-b67"))
    append (words, "HLG");
  if (!g_str_equal (rotation, REPORT_NOT_ROTATED))
    append (words, "rotated %s", rotation);
  /* The last number of a drop-frame timecode is behind a semicolon. */
  if (timecode != NULL)
    append (words, "TC %s%s", timecode, strpbrk (timecode, ";.,") != NULL ? " drop-frame" : "");
}

/* ---- Sound ------------------------------------------------------------------------------------ */

static guint
count_words (gchar * const *names, const gchar * prefix)
{
  guint n = 0;

  for (guint i = 0; names[i] != NULL; i++)
    n += g_str_has_prefix (names[i], prefix);
  return n;
}

/* "mono", "stereo", "5.1 (L R C LFE Ls Rs)", "6 channels, positions unknown" */
static void
append_channels (GString * words, const GPtrArray * facts)
{
  const ReportFact *positions = report_facts_find (facts, HISTO_FACT_POSITIONS);
  const gdouble channels = ask_number (facts, HISTO_FACT_CHANNELS);
  const gboolean is_guess = positions != NULL && g_str_equal (positions->source, REPORT_BY_GUESS);
  g_auto (GStrv) names = positions != NULL ? g_strsplit (positions->value, " ", -1) : NULL;
  const guint n_names = names != NULL ? g_strv_length (names) : 0;
  guint n_low;

  if (channels == 1) {
    append (words, "mono");
    if (positions != NULL && !g_str_equal (positions->value, "mono"))
      g_string_append_printf (words, " (%s)", positions->value);
  } else if (is_word (facts, HISTO_FACT_POSITIONS, "L R") || (channels == 2 && positions == NULL)) {
    append (words, "stereo");
  } else if (n_names > 0) {
    n_low = count_words (names, "LFE");
    append (words, "%u.%u (%s%s)", n_names - n_low, n_low, positions->value, is_guess ? ", a guess" : "");
  } else if (channels > 0) {
    append (words, "%g channels, positions unknown", channels);
  }
}

static void
append_sound (GString * words, const GPtrArray * facts)
{
  const gdouble rate = ask_number (facts, HISTO_FACT_RATE);
  const gchar *depth = report_facts_value (facts, HISTO_FACT_STORED_DEPTH);
  const gchar *language = report_facts_value (facts, HISTO_FACT_LANGUAGE);

  if (rate > 0) {
    append_rate (words, rate / 1000);
    g_string_append (words, " kHz");
  }
  if (depth != NULL)
    g_string_append_printf (words, "%s%s bit", words->len > 0 ? " " : "", depth);
  append_channels (words, facts);
  append_encoding (words, facts, HISTO_FACT_AUDIO_CODEC);
  if (language != NULL) {
    const gchar *name = gst_tag_get_language_name (language);

    append (words, "%s", name != NULL ? name : language);
  }
}

/**
 * report_facts_words:
 * @facts: (element-type ReportFact): of a stream
 * @is_variable: its frame rate is
 *
 * Returns: (transfer full) (nullable): "1920x1080i50 TFF, 4:2:2 10 bit, DNxHR HQ, TC 10:00:00:00"; %NULL: nothing is known.
 * Names may have any characters if the stream was read.
 */
gchar *
report_facts_words (const GPtrArray * facts, gboolean is_audio,
    gboolean is_variable)
{
  GString *words = g_string_new (NULL);

  if (is_audio)
    append_sound (words, facts);
  else
    append_picture (words, facts, is_variable);
  return g_string_free (words, words->len == 0);
}
