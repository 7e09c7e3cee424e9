/* What a file itself says of its streams; see statements.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE             /* dl_iterate_phdr */
#include "facts/statements.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <gmodule.h>
#include <gst/pbutils/pbutils.h>
#include <gst/video/video.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"

#define MODULE_NAME "cudahisto-report-libav." G_MODULE_SUFFIX
#define LIBRARY "libavformat.so."

/* ---- The module ------------------------------------------------------------------------------- */

/* Whether another version of libavformat is in this process than the one that the module needs. */
static int
is_other_version (struct dl_phdr_info *info, size_t size, void *data)
{
  const gchar *base = strrchr (info->dlpi_name, '/');
  const gchar *name = base != NULL ? base + 1 : info->dlpi_name;
  const gsize length = strlen (LIBRARY);

  return strncmp (name, LIBRARY, length) == 0
      && atoi (name + length) != REPORT_LIBAVFORMAT;
}

/* The functions of the module; NULL: there is no module, or no plugin of GStreamer. */
typedef struct
{
  ReportReadSaid read_said;
  ReportDecodeSound decode_sound;
  ReportJoinSound join_sound;
  ReportDecodePictures decode_pictures;
  ReportDecodeImage decode_image;
  ReportReleasePlane release_plane;
} Module;

/* GStreamer's plugin is loaded first: libav writes what it has to say to the standard error until the plugin takes it. Two
 * versions of libav in one process would use each other's functions. */
static const Module *
load (void)
{
  static gsize is_loaded = 0;
  static Module functions;

  if (g_once_init_enter (&is_loaded)) {
    GstPlugin *plugin = gst_plugin_load_by_name ("libav");
    gchar *path = report_name_of_own (MODULE_NAME, "../" REPORT_MODULES_BELOW "/" MODULE_NAME,
        REPORT_MODULES "/" MODULE_NAME);
    GModule *module = plugin == NULL || path == NULL || !g_module_supported ()
        || dl_iterate_phdr (is_other_version, NULL) != 0 ? NULL :
        g_module_open (path, G_MODULE_BIND_LOCAL);

    if (module != NULL) {
      g_module_make_resident (module);
      g_module_symbol (module, REPORT_READ_SAID_NAME,
          (gpointer *) & functions.read_said);
      g_module_symbol (module, REPORT_DECODE_SOUND_NAME,
          (gpointer *) & functions.decode_sound);
      g_module_symbol (module, REPORT_JOIN_SOUND_NAME,
          (gpointer *) & functions.join_sound);
      g_module_symbol (module, REPORT_DECODE_PICTURES_NAME,
          (gpointer *) & functions.decode_pictures);
      g_module_symbol (module, REPORT_DECODE_IMAGE_NAME,
          (gpointer *) & functions.decode_image);
      g_module_symbol (module, REPORT_RELEASE_PLANE_NAME,
          (gpointer *) & functions.release_plane);
    }
    g_free (path);
    g_clear_pointer (&plugin, gst_object_unref);
    g_once_init_leave (&is_loaded, 1);
  }
  return &functions;
}

/* ---- Reading ---------------------------------------------------------------------------------- */

static void
clear_stream (gpointer data)
{
  ReportSaidStream *stream = data;

  report_said_clear (&stream->container);
  report_said_clear (&stream->bitstream);
  g_free (stream->codec);
  g_free (stream->codec_title);
  g_free (stream->profile);
}

/* @container: (nullable):
 *
 * Returns: (transfer full): without streams */
ReportStatements *
report_statements_new (const gchar * container)
{
  ReportStatements *statements = g_new0 (ReportStatements, 1);

  statements->container = g_strdup (container);
  statements->streams = g_array_new (FALSE, TRUE, sizeof (ReportSaidStream));
  g_array_set_clear_func (statements->streams, clear_stream);
  return statements;
}

/**
 * report_statements_read:
 * @path: of a local file
 * @must_stop: called now and then with @data; reading ends when it returns %TRUE
 *
 * Returns: (transfer full) (nullable): what the file says; %NULL: nobody can read it: it is no regular file,
 * libavformat does not know it, or this build has no module
 */
ReportStatements *
report_statements_read (const gchar * path, ReportMustStop must_stop,
    gpointer data)
{
  GStatBuf info;
  ReportReadSaid read_said;
  ReportStatements *statements;
  gint fd;

  if (g_stat (path, &info) != 0 || !S_ISREG (info.st_mode)
      || (read_said = load ()->read_said) == NULL
      || (fd = g_open (path, O_RDONLY | O_CLOEXEC, 0)) < 0)
    return NULL;
  statements = report_statements_new (NULL);
  statements->path = g_strdup (path);
  statements->container = read_said (fd, must_stop, data,
      statements->streams);
  g_close (fd, NULL);
  if (statements->container == NULL)
    g_clear_pointer (&statements, report_statements_free);
  return statements;
}

void
report_statements_free (ReportStatements * statements)
{
  g_array_unref (statements->streams);
  g_free (statements->container);
  g_free (statements->path);
  g_free (statements);
}

/**
 * report_statements_decode_sound:
 * @path: of a file that says something of itself
 * @index: libavformat's, of the stream
 * @must_stop: called now and then in this thread; reading ends when it returns %TRUE
 * @take_packet: (nullable): called in this thread for each packet
 * @take: called in this thread for each frame
 *
 * Decodes a stream to its end.
 */
void
report_statements_decode_sound (const gchar * path, gint index,
    ReportMustStop must_stop, ReportTakePacket take_packet,
    ReportTakeSound take, gpointer data)
{
  const gint fd = g_open (path, O_RDONLY | O_CLOEXEC, 0);

  if (fd < 0)
    return;
  load ()->decode_sound (fd, index, must_stop, take_packet, take, data);
  g_close (fd, NULL);
}

/**
 * report_statements_join_sound:
 * @path: of a file that says something of itself
 * @tracks: (inout) (array length=n_tracks): with their indices; see ReportJoinSound
 * @must_stop: called now and then in this thread; reading ends when it returns %TRUE
 * @take: called in this thread for each piece
 *
 * Decodes tracks of one channel to their ends, and joins them.
 */
void
report_statements_join_sound (const gchar * path, ReportJoined * tracks, guint n_tracks,
    guint64 channel_mask, ReportMustStop must_stop, ReportTakeSound take, gpointer data)
{
  gboolean is_open = TRUE;

  /* One after the other has its own place in the file. */
  for (guint t = 0; t < n_tracks; t++) {
    tracks[t].fd = g_open (path, O_RDONLY | O_CLOEXEC, 0);
    is_open = is_open && tracks[t].fd >= 0;
  }
  if (is_open)
    load ()->join_sound (tracks, n_tracks, channel_mask, must_stop, take, data);
  for (guint t = 0; t < n_tracks; t++) {
    if (tracks[t].fd >= 0)
      g_close (tracks[t].fd, NULL);
  }
}

/* The same of video. @n_threads: that the decoder may have */
void
report_statements_decode_pictures (const gchar * path, gint index,
    ReportMustStop must_stop, ReportTakePacket take_packet,
    ReportTakePicture take, gint n_threads, gpointer data)
{
  const gint fd = g_open (path, O_RDONLY | O_CLOEXEC, 0);

  if (fd < 0)
    return;
  load ()->decode_pictures (fd, index, must_stop, take_packet, take, n_threads,
      data);
  g_close (fd, NULL);
}

/* Whether libav decodes images. */
gboolean
report_statements_has_images (void)
{
  return load ()->decode_image != NULL;
}

/* See REPORT_DECODE_IMAGE_NAME. Libav decodes images. */
gchar *
report_statements_decode_image (const gchar * codec, const guint8 * bytes,
    gsize n, gint64 max_pixels, ReportPicture * picture)
{
  return load ()->decode_image (codec, bytes, n, max_pixels, picture);
}

/* Frees the memory of a plane of a picture. */
void
report_statements_release_plane (gpointer owner)
{
  load ()->release_plane (owner);
}

/* Whether the file has the container; libavformat has one name, or several, for each. */
gboolean
report_statements_is_container (const ReportStatements * statements,
    const gchar * name)
{
  gchar **names = g_strsplit (statements->container, ",", -1);
  const gboolean found = g_strv_contains ((const gchar * const *) names, name);

  g_strfreev (names);
  return found;
}

/* Returns: of the file, in ns, as it says; GST_CLOCK_TIME_NONE: unknown */
guint64
report_statements_duration (const ReportStatements * statements)
{
  gint64 duration = 0;

  for (guint s = 0; s < statements->streams->len; s++)
    duration = MAX (duration, g_array_index (statements->streams, ReportSaidStream, s).duration);
  return duration > 0 ? (guint64) duration : GST_CLOCK_TIME_NONE;
}

/* Whether libav can decode all streams of the file. */
gboolean
report_statements_are_decodable (const ReportStatements * statements)
{
  gboolean all = statements->streams->len > 0;

  for (guint s = 0; s < statements->streams->len; s++)
    all = all && g_array_index (statements->streams, ReportSaidStream, s).is_decodable;
  return all;
}

/* Caps of codecs of which GStreamer has names for people. */
static const struct
{
  const gchar *codec;           /* libav's name */
  const gchar *caps;            /* without the profile */
  gboolean has_profile;         /* it is in the name */
} named_codecs[] = {
  {"aac", "audio/mpeg,mpegversion=4", FALSE},
  {"ac3", "audio/x-ac3", FALSE},
  {"alac", "audio/x-alac", FALSE},
  {"av1", "video/x-av1", FALSE},
  {"cinepak", "video/x-cinepak", FALSE},
  {"dnxhd", "video/x-dnxhd", FALSE},
  {"dts", "audio/x-dts", FALSE},
  {"dvvideo", "video/x-dv,systemstream=false", FALSE},
  {"eac3", "audio/x-eac3", FALSE},
  {"ffv1", "video/x-ffv,ffvversion=1", FALSE},
  {"flac", "audio/x-flac", FALSE},
  {"h264", "video/x-h264", TRUE},
  {"hevc", "video/x-h265", TRUE},
  {"huffyuv", "video/x-huffyuv", FALSE},
  {"jpeg2000", "image/x-j2c", FALSE},
  {"mjpeg", "image/jpeg", FALSE},
  {"mp2", "audio/mpeg,mpegversion=1,layer=2", FALSE},
  {"mp3", "audio/mpeg,mpegversion=1,layer=3", FALSE},
  {"mpeg1video", "video/mpeg,mpegversion=1,systemstream=false", FALSE},
  {"mpeg2video", "video/mpeg,mpegversion=2,systemstream=false", TRUE},
  {"mpeg4", "video/mpeg,mpegversion=4,systemstream=false", TRUE},
  {"opus", "audio/x-opus", FALSE},
  {"prores", "video/x-prores", FALSE},
  {"qtrle", "video/x-rle,layout=quicktime", FALSE},
  {"theora", "video/x-theora", FALSE},
  {"truehd", "audio/x-true-hd", FALSE},
  {"tta", "audio/x-tta", FALSE},
  {"vorbis", "audio/x-vorbis", FALSE},
  {"vp8", "video/x-vp8", FALSE},
  {"vp9", "video/x-vp9", FALSE},
};

/* Returns: (transfer full): "Constrained Baseline" as caps have it: "constrained-baseline" */
static gchar *
profile_in_caps (const gchar * profile)
{
  gchar *name = g_ascii_strdown (profile, -1);

  if (g_str_has_suffix (name, " profile"))
    name[strlen (name) - strlen (" profile")] = '\0';
  return g_strdelimit (name, " ", '-');
}

/* Returns: (transfer full): the codec, in the words of GStreamer if it has some: rules ask for them */
static gchar *
name_codec (const ReportSaidStream * stream)
{
  for (guint i = 0; i < G_N_ELEMENTS (named_codecs); i++) {
    g_autoptr (GstCaps) caps = NULL;
    gchar *name;

    if (g_strcmp0 (named_codecs[i].codec, stream->codec) != 0)
      continue;
    caps = gst_caps_from_string (named_codecs[i].caps);
    if (named_codecs[i].has_profile && stream->profile != NULL) {
      g_autofree gchar *profile = profile_in_caps (stream->profile);

      gst_caps_set_simple (caps, "profile", G_TYPE_STRING, profile, NULL);
    }
    name = gst_pb_utils_get_codec_description (caps);
    if (name != NULL)
      return name;
  }
  return g_strdup (stream->codec_title);
}

/* Returns: (transfer full): what GStreamer's demuxers and decoders would tell of a stream in tags */
GstTagList *
report_statements_tags (const ReportSaidStream * stream)
{
  g_autofree gchar *codec = name_codec (stream);
  GstTagList *tags = gst_tag_list_new_empty ();
  const gchar *const texts[] = { codec, stream->container.language, stream->container.title };
  const gchar *const names[] = { stream->is_audio ? GST_TAG_AUDIO_CODEC : GST_TAG_VIDEO_CODEC, GST_TAG_LANGUAGE_CODE,
    GST_TAG_TITLE
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    if (texts[i] != NULL)
      gst_tag_list_add (tags, GST_TAG_MERGE_REPLACE, names[i], texts[i], NULL);
  }
  return tags;
}

/* ---- Which stream it is ----------------------------------------------------------------------- */

/* Demuxers end the id of a stream with a number: of the track, of the stream, or a PID in hexadecimal digits. */
static gint64
number_of (const ReportStatements * statements, const gchar * stream_id)
{
  const gchar *slash = stream_id != NULL ? strrchr (stream_id, '/') : NULL;

  return slash == NULL || !g_ascii_isxdigit (slash[1]) ? -1 :
      (gint64) g_ascii_strtoull (slash + 1, NULL,
      report_statements_is_container (statements, "mpegts") ? 16 : 10);
}

/**
 * report_statements_find:
 * @statements: (nullable):
 * @stream_id: (nullable): GStreamer's
 *
 * Returns: (nullable): what the file says of the stream; %NULL: nothing, or of several streams nobody knows which one it is
 */
const ReportSaidStream *
report_statements_find (const ReportStatements * statements,
    const gchar * stream_id, gboolean is_audio)
{
  const ReportSaidStream *only = NULL, *numbered = NULL;
  guint n = 0, n_numbered = 0;
  gint64 number;

  if (statements == NULL)
    return NULL;
  number = number_of (statements, stream_id);
  for (guint s = 0; s < statements->streams->len; s++) {
    const ReportSaidStream *stream =
        &g_array_index (statements->streams, ReportSaidStream, s);

    if (stream->is_audio != is_audio)
      continue;
    only = stream;
    n++;
    if (number >= 0 && stream->number == number) {
      numbered = stream;
      n_numbered++;
    }
  }
  return n == 1 ? only : n_numbered == 1 ? numbered : NULL;
}

/* ---- Caps that say what the file says --------------------------------------------------------- */

static guint64
said_of (guint64 container, guint64 bitstream)
{
  return bitstream != 0 ? bitstream : container;
}

#define SAID(stream, member) said_of ((stream)->container.member, (stream)->bitstream.member)

/* Whether a field is another one than at the begin of the stream, of which the statements are. */
static gboolean
is_changed_since (const GstStructure * first, const GstStructure * caps,
    const gchar * field)
{
  return g_strcmp0 (gst_structure_get_string (first, field),
      gst_structure_get_string (caps, field)) != 0;
}

static void
correct_colorimetry (const ReportSaidStream * stream,
    const GstStructure * first, GstStructure * caps)
{
  const gboolean is_changed = is_changed_since (first, caps, "colorimetry");
  const gchar *format = gst_structure_get_string (caps, "format");
  const GstVideoFormatInfo *info =
      gst_video_format_get_info (gst_video_format_from_string (format));
  const gboolean is_rgb = GST_VIDEO_FORMAT_INFO_IS_RGB (info);
  const gchar *text = gst_structure_get_string (caps, "colorimetry");
  const ReportSaid nothing = { 0 };
  const ReportSaid *data = is_changed ? &nothing : &stream->bitstream;
  const ReportSaid *container = &stream->container;
  GstVideoColorimetry colorimetry = { 0 };
  gchar *corrected;
  ReportSaidRange range;

  /* What GStreamer guesses is left out: nobody has said it. Of a stream that has changed, GStreamer's parsers know more. */
  if ((is_rgb || is_changed) && text != NULL)
    gst_video_colorimetry_from_string (&colorimetry, text);
  if (!is_rgb && said_of (container->matrix, data->matrix) != 0)
    colorimetry.matrix = gst_video_color_matrix_from_iso (said_of (container->matrix, data->matrix));
  if (said_of (container->transfer, data->transfer) != 0)
    colorimetry.transfer = gst_video_transfer_function_from_iso (said_of (container->transfer, data->transfer));
  if (said_of (container->primaries, data->primaries) != 0)
    colorimetry.primaries = gst_video_color_primaries_from_iso (said_of (container->primaries, data->primaries));
  range = said_of (container->range, data->range);
  if (range != REPORT_RANGE_UNSAID)
    colorimetry.range = range == REPORT_RANGE_FULL ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235;
  corrected = g_strdup_printf ("%d:%d:%d:%d", colorimetry.range,
      colorimetry.matrix, colorimetry.transfer, colorimetry.primaries);
  if (g_str_equal (corrected, "0:0:0:0"))
    gst_structure_remove_field (caps, "colorimetry");
  else
    gst_structure_set (caps, "colorimetry", G_TYPE_STRING, corrected, NULL);
  g_free (corrected);
}

static void
correct_fields (const ReportSaidStream * stream, GstStructure * caps)
{
  const ReportFieldOrder order = SAID (stream, field_order);

  /* A buffer of alternate fields is a field: it stays one. */
  if (stream->tells_fields || order == REPORT_ORDER_UNSAID
      || g_strcmp0 (gst_structure_get_string (caps, "interlace-mode"),
          "alternate") == 0)
    return;
  if (order == REPORT_ORDER_PROGRESSIVE) {
    gst_structure_set (caps, "interlace-mode", G_TYPE_STRING, "progressive",
        NULL);
    gst_structure_remove_field (caps, "field-order");
    return;
  }
  gst_structure_set (caps, "interlace-mode", G_TYPE_STRING, "interleaved",
      "field-order", G_TYPE_STRING, order == REPORT_ORDER_TOP_FIRST ?
      "top-field-first" : "bottom-field-first", NULL);
}

/* Returns: in units of 1 / @scale, rounded */
static guint64
scaled (ReportRational number, guint64 scale, guint64 most)
{
  return number.denominator <= 0 || number.numerator < 0 ? 0 :
      MIN (gst_util_uint64_scale_round (number.numerator, scale,
          number.denominator), most);
}

static void
correct_light (const ReportSaidStream * stream, const GstStructure * first,
    GstCaps * caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const ReportSaid *light = stream->bitstream.has_light ? &stream->bitstream :
      &stream->container;
  const ReportSaid *display = stream->bitstream.has_mastering ?
      &stream->bitstream : &stream->container;
  GstVideoContentLightLevel level;
  GstVideoMasteringDisplayInfo mastering;

  if (light->has_light
      && !is_changed_since (first, structure, "content-light-level")) {
    gst_video_content_light_level_init (&level);
    level.max_content_light_level = MIN (light->max_cll, G_MAXUINT16);
    level.max_frame_average_light_level = MIN (light->max_fall, G_MAXUINT16);
    gst_video_content_light_level_add_to_caps (&level, caps);
  }
  if (!display->has_mastering
      || is_changed_since (first, structure, "mastering-display-info"))
    return;
  gst_video_mastering_display_info_init (&mastering);
  for (guint c = 0; c < 3; c++) {
    mastering.display_primaries[c].x = scaled (display->primary[c][0], 50000, G_MAXUINT16);
    mastering.display_primaries[c].y = scaled (display->primary[c][1], 50000, G_MAXUINT16);
  }
  mastering.white_point.x = scaled (display->white[0], 50000, G_MAXUINT16);
  mastering.white_point.y = scaled (display->white[1], 50000, G_MAXUINT16);
  mastering.max_display_mastering_luminance = scaled (display->mastering_max, 10000, G_MAXUINT32);
  mastering.min_display_mastering_luminance = scaled (display->mastering_min, 10000, G_MAXUINT32);
  gst_video_mastering_display_info_add_to_caps (&mastering, caps);
}

/* The channels are those of the file, in its order, if the decoder gives them no place. For PCM, which stays in its order,
 * GStreamer's place may be a guess. */
static void
correct_positions (const ReportSaidStream * stream, GstStructure * caps)
{
  const guint64 said = stream != NULL ? SAID (stream, channel_mask) : 0;
  guint64 mask = 0;
  gint channels = 0;

  gst_structure_get_int (caps, "channels", &channels);
  gst_structure_get (caps, "channel-mask", GST_TYPE_BITMASK, &mask, NULL);
  /* Demuxers leave it out where they do not even guess, and then no element takes the sound (1.22: three channels of WAV). */
  if (channels > 2 && !gst_structure_has_field (caps, "channel-mask"))
    gst_structure_set (caps, "channel-mask", GST_TYPE_BITMASK, G_GUINT64_CONSTANT (0), NULL);
  if (stream != NULL && (mask == 0 || g_str_has_prefix (stream->codec, "pcm_"))
      && channels > 2 && channels == __builtin_popcountll (said))
    gst_structure_set (caps, "channel-mask", GST_TYPE_BITMASK, said, NULL);
}

/**
 * report_statements_correct:
 * @stream: (nullable): %NULL: unknown
 * @first: (nullable): the first caps of the stream, as the decoder gave them; %NULL: these are the first
 * @caps: raw video or sound, as the decoder gives it
 *
 * What the file says of its colours, fields, light and channels takes the place of what the decoder says, which may be a
 * guess. For what changes later, the decoder knows more than the begin of the file.
 *
 * Returns: (transfer full): caps
 */
GstCaps *
report_statements_correct (const ReportSaidStream * stream,
    const GstCaps * first, const GstCaps * caps)
{
  GstCaps *corrected = gst_caps_copy (caps);
  GstStructure *structure = gst_caps_get_structure (corrected, 0);
  const GstStructure *before;

  if (!gst_caps_is_fixed (caps))
    return corrected;
  if (gst_structure_has_name (structure, "audio/x-raw"))
    correct_positions (stream, structure);
  if (stream == NULL || !gst_structure_has_name (structure, "video/x-raw"))
    return corrected;
  before = gst_caps_get_structure (first != NULL ? first : caps, 0);
  correct_fields (stream, structure);
  if (stream->is_probed)
    correct_colorimetry (stream, before, structure);
  correct_light (stream, before, corrected);
  return corrected;
}
