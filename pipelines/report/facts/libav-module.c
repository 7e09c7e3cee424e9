/* Reads what a file says of its streams, with libavformat. This is a module of its own, which the program opens when it
 * opens a file: libavformat pulls in more than a hundred libraries, and Debian's build of it is under the GPL.
 *
 * Nothing global of libav is changed: no callback, no level of its log.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "facts/said.h"

#include <libavcodec/avcodec.h>
#include <libavutil/display.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/parseutils.h>
#include <libavutil/pixdesc.h>
#include <math.h>

#include "facts/libav-input.h"
#include "facts/libav-matroska.h"
#include "facts/libav-picture.h"

/* The code point for unspecified. */
#define UNSPECIFIED 2

/* ---- Statements ------------------------------------------------------------------------------- */

static guint
code_point (guint code)
{
  return code == UNSPECIFIED ? 0 : code;
}

static ReportFieldOrder
order_of (enum AVFieldOrder order)
{
  switch (order) {
    case AV_FIELD_PROGRESSIVE:
      return REPORT_ORDER_PROGRESSIVE;
      /* libav's comment says that the second letter is that of the field which is shown first. Its encoders and muxers, and
       * the specification of Matroska (9 and 14), mean interleaved fields of which the first letter's is shown first. */
    case AV_FIELD_TT:
    case AV_FIELD_TB:
      return REPORT_ORDER_TOP_FIRST;
    case AV_FIELD_BB:
    case AV_FIELD_BT:
      return REPORT_ORDER_BOTTOM_FIRST;
    default:
      return REPORT_ORDER_UNSAID;
  }
}

static ReportRational
rational (AVRational number)
{
  return (ReportRational) {
  number.num, number.den};
}

static const uint8_t *
side_data (const AVStream * stream, enum AVPacketSideDataType type,
    gsize least)
{
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT (60, 31, 102)
  const AVPacketSideData *data =
      av_packet_side_data_get (stream->codecpar->coded_side_data,
      stream->codecpar->nb_coded_side_data, type);

  return data != NULL && data->size >= least ? data->data : NULL;
#else
  size_t size = 0;
  const uint8_t *data = av_stream_get_side_data (stream, type, &size);

  return size >= least ? data : NULL;
#endif
}

static void
read_light (ReportSaid * said, const AVContentLightMetadata * light,
    const AVMasteringDisplayMetadata * mastering)
{
  if (light != NULL && light->MaxCLL + light->MaxFALL > 0) {
    said->has_light = TRUE;
    said->max_cll = light->MaxCLL;
    said->max_fall = light->MaxFALL;
  }
  if (mastering == NULL || !mastering->has_luminance)
    return;
  said->has_mastering = TRUE;
  said->mastering_max = rational (mastering->max_luminance);
  said->mastering_min = rational (mastering->min_luminance);
  for (guint c = 0; mastering->has_primaries && c < 3; c++) {
    for (guint i = 0; i < 2; i++)
      said->primary[c][i] = rational (mastering->display_primaries[c][i]);
  }
  for (guint i = 0; mastering->has_primaries && i < 2; i++)
    said->white[i] = rational (mastering->white_point[i]);
}

static gchar *
find_text (const AVDictionary * tags, const gchar * name)
{
  const AVDictionaryEntry *tag = av_dict_get (tags, name, NULL, 0);

  return tag != NULL && *tag->value != '\0' ? g_utf8_make_valid (tag->value,
      -1) : NULL;
}

/* A file that has a timecode has one: the track of it, or the file itself, says it for all. */
static gchar *
find_timecode (const AVFormatContext * context, const AVStream * stream)
{
  gchar *timecode = find_text (stream->metadata, "timecode");

  if (timecode == NULL)
    timecode = find_text (context->metadata, "timecode");
  for (guint s = 0; timecode == NULL && s < context->nb_streams; s++) {
    if (context->streams[s]->codecpar->codec_type == AVMEDIA_TYPE_DATA)
      timecode = find_text (context->streams[s]->metadata, "timecode");
  }
  return timecode;
}

/* ISO 639: undetermined */
static gchar *
find_language (const AVStream * stream)
{
  gchar *language = find_text (stream->metadata, "language");

  if (g_strcmp0 (language, "und") == 0)
    g_clear_pointer (&language, g_free);
  return language;
}

static const gchar *
chroma_of (const AVPixFmtDescriptor * format)
{
  if (format->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL))
    return "RGB";
  return format->nb_components < 3 ? "grey" :
      report_said_chroma (format->log2_chroma_w, format->log2_chroma_h);
}

/* Bits, chroma and profile. Of sound only codecs without a loss have bits of a sample. */
static void
read_encoding (ReportSaid * said, const AVCodecParameters * codec)
{
  const AVCodecDescriptor *descriptor = avcodec_descriptor_get (codec->codec_id);
  const gboolean is_lossless = descriptor != NULL && (descriptor->props & AV_CODEC_PROP_LOSSLESS) != 0;

  said->encoding = codec->codec_id != AV_CODEC_ID_NONE ? avcodec_get_name (codec->codec_id) : NULL;
  said->profile = avcodec_profile_name (codec->codec_id, codec->profile);
  if (codec->codec_type == AVMEDIA_TYPE_AUDIO) {
    said->depth = !is_lossless ? 0 : codec->bits_per_raw_sample > 0 ?
        codec->bits_per_raw_sample : av_get_bits_per_sample (codec->codec_id);
  } else if (av_pix_fmt_desc_get (codec->format) != NULL) {
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get (codec->format);

    said->chroma = chroma_of (format);
    said->depth = format->comp[0].depth;
  }
}

static void
read_said (ReportSaid * said, const AVFormatContext * context,
    const AVStream * stream)
{
  const AVCodecParameters *codec = stream->codecpar;
  const uint8_t *matrix;

  said->language = find_language (stream);
  said->title = find_text (stream->metadata, "title");
  read_encoding (said, codec);
  if (codec->codec_type == AVMEDIA_TYPE_AUDIO) {
    said->channel_mask = libav_channel_mask (&codec->ch_layout);
    said->rate = MAX (codec->sample_rate, 0);
    said->channels = MAX (codec->ch_layout.nb_channels, 0);
    return;
  }
  said->width = MAX (codec->width, 0);
  said->height = MAX (codec->height, 0);
  said->matrix = code_point (codec->color_space);
  said->is_rgb = codec->color_space == AVCOL_SPC_RGB;
  said->transfer = code_point (codec->color_trc);
  said->primaries = code_point (codec->color_primaries);
  said->range = codec->color_range == AVCOL_RANGE_MPEG ? REPORT_RANGE_LIMITED :
      codec->color_range == AVCOL_RANGE_JPEG ? REPORT_RANGE_FULL :
      REPORT_RANGE_UNSAID;
  said->field_order = order_of (codec->field_order);
  read_light (said,
      (const AVContentLightMetadata *) side_data (stream,
          AV_PKT_DATA_CONTENT_LIGHT_LEVEL, sizeof (AVContentLightMetadata)),
      (const AVMasteringDisplayMetadata *) side_data (stream,
          AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
          sizeof (AVMasteringDisplayMetadata)));
  matrix = side_data (stream, AV_PKT_DATA_DISPLAYMATRIX, 9 * sizeof (int32_t));
  if (matrix != NULL) {
    const gdouble angle = av_display_rotation_get ((const int32_t *) matrix);

    said->has_rotation = !isnan (angle);
    said->rotation = said->has_rotation ? (gint) lround (angle) : 0;
  }
  said->timecode = find_timecode (context, stream);
  if (stream->avg_frame_rate.num > 0 && stream->avg_frame_rate.den > 0)
    said->frame_rate = rational (stream->avg_frame_rate);
}

/* The data repeats what the container says unless it says otherwise: what is equal was said by the container. */
static void
leave_out_repeated (ReportSaid * said, const ReportSaid * before)
{
#define LEAVE_OUT(member) \
  if (said->member == before->member) \
    said->member = 0
  LEAVE_OUT (matrix);
  LEAVE_OUT (is_rgb);
  LEAVE_OUT (transfer);
  LEAVE_OUT (primaries);
  LEAVE_OUT (range);
  LEAVE_OUT (field_order);
  LEAVE_OUT (channel_mask);
  LEAVE_OUT (width);
  LEAVE_OUT (height);
  LEAVE_OUT (rate);
  LEAVE_OUT (channels);
  LEAVE_OUT (depth);
  LEAVE_OUT (chroma);
  LEAVE_OUT (encoding);
  LEAVE_OUT (profile);
  /* What the container does not say, libav works out from the times of frames. */
  said->frame_rate.denominator = 0;
  if (said->rotation == before->rotation
      && said->has_rotation == before->has_rotation)
    said->has_rotation = FALSE;
  if (before->has_light && said->max_cll == before->max_cll
      && said->max_fall == before->max_fall)
    said->has_light = FALSE;
  /* Opening and probing give one and the same side data. */
  if (before->has_mastering)
    said->has_mastering = FALSE;
#undef LEAVE_OUT
}

/* What the container cannot know is no statement if the data says otherwise. */
static void
leave_out_assumed (ReportSaid * container, const ReportSaid * data)
{
#define LEAVE_OUT(member) \
  if (data->member != 0) \
    container->member = 0
  LEAVE_OUT (rate);
  LEAVE_OUT (channels);
  LEAVE_OUT (depth);
  LEAVE_OUT (chroma);
  LEAVE_OUT (encoding);
  LEAVE_OUT (profile);
#undef LEAVE_OUT
}

/* ---- Light levels that only the frames have ----------------------------------------------------- */

/* Decodes up to the first frame, for AV1 and HEVC in containers that do not repeat the light levels: libavformat does not
 * read those of the data. */
static void
read_light_of_frame (const LibavInput * input, const AVStream * stream,
    ReportSaid * said)
{
  AVFormatContext *context = input->context;
  const AVCodec *codec = avcodec_find_decoder (stream->codecpar->codec_id);
  AVCodecContext *decoder = codec != NULL ? avcodec_alloc_context3 (codec) :
      NULL;
  AVPacket *packet = av_packet_alloc ();
  AVFrame *frame = av_frame_alloc ();
  gboolean is_found = FALSE;

  if (decoder == NULL || packet == NULL || frame == NULL)
    goto out;
  decoder->thread_count = 1;
  decoder->log_level_offset = AV_LOG_TRACE;
  if (avcodec_parameters_to_context (decoder, stream->codecpar) < 0
      || avcodec_open2 (decoder, codec, NULL) < 0)
    goto out;
  while (!is_found && !libav_input_is_over (input)
      && av_read_frame (context, packet) >= 0) {
    if (packet->stream_index == stream->index
        && avcodec_send_packet (decoder, packet) >= 0)
      is_found = avcodec_receive_frame (decoder, frame) >= 0;
    av_packet_unref (packet);
  }
  if (!is_found && !libav_input_is_over (input)
      && avcodec_send_packet (decoder, NULL) >= 0)
    is_found = avcodec_receive_frame (decoder, frame) >= 0;
  if (is_found) {
    const AVFrameSideData *light = av_frame_get_side_data (frame,
        AV_FRAME_DATA_CONTENT_LIGHT_LEVEL);
    const AVFrameSideData *mastering = av_frame_get_side_data (frame,
        AV_FRAME_DATA_MASTERING_DISPLAY_METADATA);

    read_light (said, light != NULL ? (const void *) light->data : NULL,
        mastering != NULL ? (const void *) mastering->data : NULL);
  }
out:
  av_frame_free (&frame);
  av_packet_free (&packet);
  avcodec_free_context (&decoder);
}

static gboolean
lacks_light (const AVStream * stream)
{
  const AVCodecParameters *codec = stream->codecpar;

  return (codec->codec_id == AV_CODEC_ID_AV1
      || codec->codec_id == AV_CODEC_ID_HEVC)
      && (codec->color_trc == AVCOL_TRC_SMPTE2084
      || codec->color_trc == AVCOL_TRC_ARIB_STD_B67);
}

/* ---- The file --------------------------------------------------------------------------------- */

/* Whether pictures say themselves whether they are interlaced, and how: GStreamer's decoders then tell it. */
static gboolean
tells_fields (enum AVCodecID codec)
{
  switch (codec) {
    case AV_CODEC_ID_H264:
    case AV_CODEC_ID_HEVC:
    case AV_CODEC_ID_MPEG1VIDEO:
    case AV_CODEC_ID_MPEG2VIDEO:
    case AV_CODEC_ID_MPEG4:
    case AV_CODEC_ID_VC1:
    case AV_CODEC_ID_WMV3:
    case AV_CODEC_ID_DVVIDEO:
    case AV_CODEC_ID_PRORES:
    case AV_CODEC_ID_DNXHD:
    case AV_CODEC_ID_CAVS:
      return TRUE;
    default:
      return FALSE;
  }
}

/* Whether a codec has no interlaced pictures. */
static gboolean
is_always_progressive (enum AVCodecID codec)
{
  switch (codec) {
    case AV_CODEC_ID_VP8:
    case AV_CODEC_ID_VP9:
    case AV_CODEC_ID_AV1:
    case AV_CODEC_ID_THEORA:
      return TRUE;
    default:
      return FALSE;
  }
}

/* Matroska says the length of a track in a tag: "00:00:01.500000000".
 *
 * Returns: in ns; -1: unknown */
static gint64
length_of (const AVStream * stream)
{
  const AVDictionaryEntry *tag = av_dict_get (stream->metadata, "DURATION", NULL, 0);
  int64_t length;

  if (tag != NULL && av_parse_time (&length, tag->value, 1) >= 0)
    return length * 1000;
  return stream->duration <= 0 ? -1 : av_rescale_q (stream->duration, stream->time_base, (AVRational) {
      1, 1000000000});
}

/* Dispositions of sound that is another programme than what it is beside. */
#define OWN_USES (AV_DISPOSITION_COMMENT | AV_DISPOSITION_DUB | AV_DISPOSITION_ORIGINAL | AV_DISPOSITION_KARAOKE \
  | AV_DISPOSITION_HEARING_IMPAIRED | AV_DISPOSITION_VISUAL_IMPAIRED | AV_DISPOSITION_CLEAN_EFFECTS)

/* Returns: the number with which GStreamer's demuxer ends the id of a stream; -1: it has another one there, as that of Ogg */
static gint
number_of (const AVInputFormat * format, const AVStream * stream)
{
  static const gchar *const with_ids[] = { "asf", "mov", "mpegts", "mxf", NULL };
  static const gchar *const with_places[] = { "avi", "matroska", NULL };

  return libav_format_has_name (format, with_ids) ? stream->id :
      libav_format_has_name (format, with_places) ? stream->index + 1 : -1;
}

/* Whether the first packet is decoded at 0 and shown later, in a container whose index is complete: one with an edit list
 * would show it at 0, or decode it later, too. */
static gboolean
is_shifted (AVStream * stream)
{
  return stream->nb_frames > 0 && stream->start_time != AV_NOPTS_VALUE
      && stream->start_time > 0
      && avformat_index_get_entries_count (stream) > 0
      && avformat_index_get_entry (stream, 0)->timestamp == 0;
}

/* Whether the index of a container has frames that are not shown. */
static gboolean
is_cut (AVStream * stream)
{
  const gint n = avformat_index_get_entries_count (stream);
  gint flags = 0;

  for (gint i = 0; i < n; i++)
    flags |= avformat_index_get_entry (stream, i)->flags;
  return (flags & AVINDEX_DISCARD_FRAME) != 0;
}

/* H.264's types of what is in a packet */
#define SLICE 1
#define SLICE_OF_IDR 5

/* Finds the types of units: bit N is set if one of type N is there.
 *
 * @size_bytes: that have the size of each unit; 0: start codes are before them */
static guint32
find_units (const guint8 * data, gsize size, guint size_bytes)
{
  guint32 found = 0;
  gsize place = 0;

  while (place + size_bytes < size) {
    gsize n = 0;

    if (size_bytes == 0) {
      if (place + 3 < size && data[place] == 0 && data[place + 1] == 0
          && data[place + 2] == 1)
        found |= 1u << (data[place + 3] & 31);
      place++;
      continue;
    }
    for (guint i = 0; i < size_bytes; i++)
      n = n << 8 | data[place + i];
    place += size_bytes;
    found |= 1u << (data[place] & 31);
    place += MIN (n, size - place);
  }
  return found;
}

static gboolean
begins_open (const AVCodecParameters * codec, const AVPacket * packet)
{
  const gboolean has_sizes = codec->extradata_size > 4 && codec->extradata[0] == 1;
  const guint32 units = find_units (packet->data, packet->size,
      has_sizes ? (codec->extradata[4] & 3) + 1 : 0);

  return (units & 1u << SLICE) != 0 && (units & 1u << SLICE_OF_IDR) == 0;
}

/* Looks at the first packet of H.264. Nothing reads packets behind it. */
static void
look_at_begins (const LibavInput * input, GArray * streams)
{
  AVPacket *packet = av_packet_alloc ();
  gint wanted = -1;

  for (guint s = 0; s < streams->len && wanted < 0; s++) {
    const ReportSaidStream *said = &g_array_index (streams, ReportSaidStream, s);

    if (g_str_equal (said->codec, "h264"))
      wanted = s;
  }
  while (wanted >= 0 && packet != NULL && !libav_input_is_over (input)
      && av_read_frame (input->context, packet) >= 0) {
    ReportSaidStream *said = &g_array_index (streams, ReportSaidStream, wanted);

    if (packet->stream_index == said->index) {
      said->begins_open = begins_open (input->context->streams[said->index]->codecpar, packet);
      wanted = -1;
    }
    av_packet_unref (packet);
  }
  av_packet_free (&packet);
}

/* Whether a transport stream has programs, and the stream belongs to later ones only. */
static gboolean
is_of_other_program (const AVFormatContext * context, const AVStream * stream)
{
  const AVProgram *first = context->nb_programs > 1 ? context->programs[0] : NULL;

  for (guint i = 0; first != NULL && i < first->nb_stream_indexes; i++) {
    if (first->stream_index[i] == (guint) stream->index)
      return FALSE;
  }
  return first != NULL;
}

static void
describe_stream (ReportSaidStream * said, const AVFormatContext * context,
    AVStream * stream)
{
  const AVCodecParameters *codec = stream->codecpar;
  const AVCodecDescriptor *descriptor = avcodec_descriptor_get (codec->codec_id);
  const AVPixFmtDescriptor *format = codec->codec_type == AVMEDIA_TYPE_VIDEO ?
      av_pix_fmt_desc_get (codec->format) : NULL;

  said->codec = g_strdup (avcodec_get_name (codec->codec_id));
  said->codec_title = g_strdup (descriptor != NULL
      && descriptor->long_name != NULL ? descriptor->long_name : said->codec);
  said->profile = g_strdup (avcodec_profile_name (codec->codec_id, codec->profile));
  said->is_reordered = codec->video_delay > 0;
  said->width = codec->width;
  said->height = codec->height;
  if (format != NULL)
    said->bits = format->comp[0].depth;
  said->is_decodable = avcodec_find_decoder (codec->codec_id) != NULL
      && (codec->codec_type == AVMEDIA_TYPE_AUDIO
      || libav_picture_format (codec->format, 0) != NULL);
  said->is_of_other_program = is_of_other_program (context, stream);
  said->is_shifted = is_shifted (stream);
  said->is_cut = is_cut (stream);
  if (context->duration != AV_NOPTS_VALUE && context->duration > 0
      && context->duration_estimation_method != AVFMT_DURATION_FROM_BITRATE)
    said->duration = av_rescale (context->duration, 1000000000, AV_TIME_BASE);
}

static void
read_streams (const LibavInput * input, GArray * streams)
{
  AVFormatContext *context = input->context;
  GArray *containers = g_array_new (FALSE, TRUE, sizeof (ReportSaid));
  const guint n = context->nb_streams;

  g_array_set_size (containers, n);
  for (guint s = 0; s < n; s++)
    read_said (&g_array_index (containers, ReportSaid, s), context,
        context->streams[s]);
  avformat_find_stream_info (context, NULL);
  for (guint s = 0; s < context->nb_streams; s++) {
    AVStream *stream = context->streams[s];
    const AVCodecParameters *codec = stream->codecpar;
    ReportSaidStream said = { 0 };

    if ((codec->codec_type != AVMEDIA_TYPE_VIDEO
            && codec->codec_type != AVMEDIA_TYPE_AUDIO)
        || (stream->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) {
      if (s < n)
        report_said_clear (&g_array_index (containers, ReportSaid, s));
      continue;
    }
    said.is_audio = codec->codec_type == AVMEDIA_TYPE_AUDIO;
    said.number = number_of (context->iformat, stream);
    said.index = s;
    said.is_probed = codec->format >= 0;
    describe_stream (&said, context, stream);
    said.tells_fields = tells_fields (codec->codec_id);
    said.rate = codec->sample_rate;
    said.channels = codec->ch_layout.nb_channels;
    said.length = length_of (stream);
    said.has_own_use = (stream->disposition & OWN_USES) != 0;
    said.has_decoder = avcodec_find_decoder (codec->codec_id) != NULL;
    if (s < n)
      said.container = g_array_index (containers, ReportSaid, s);
    read_said (&said.bitstream, context, stream);
    if (is_always_progressive (codec->codec_id))
      said.bitstream.field_order = REPORT_ORDER_PROGRESSIVE;
    leave_out_repeated (&said.bitstream, &said.container);
    /* Tables do not say that AAC has twice the rate (SBR), or two channels instead of one (PS); and their bits, formats
     * and profiles are only those that libav takes for granted until it decodes. */
    leave_out_assumed (&said.container, &said.bitstream);
    /* Tables of transport streams are read with the data. */
    report_said_clear (&said.container);
    said.container.timecode = g_steal_pointer (&said.bitstream.timecode);
    said.container.language = g_steal_pointer (&said.bitstream.language);
    said.container.title = g_steal_pointer (&said.bitstream.title);
    if (lacks_light (stream) && !said.container.has_light
        && !said.bitstream.has_light)
      read_light_of_frame (input, stream, &said.bitstream);
    g_array_append_val (streams, said);
  }
  g_array_unref (containers);
  look_at_begins (input, streams);
}

__attribute__((visibility ("default")))
gchar *report_libav_read_said (gint fd, ReportMustStop must_stop,
    gpointer data, GArray * streams);

gchar *
report_libav_read_said (gint fd, ReportMustStop must_stop, gpointer data,
    GArray * streams)
{
  static const gchar *const matroska[] = { "matroska", NULL };
  gchar *container = NULL;
  LibavInput input;

  libav_input_open (&input, fd, must_stop, data, TRUE);
  if (input.context != NULL) {
    read_streams (&input, streams);
    if (libav_format_has_name (input.context->iformat, matroska))
      libav_matroska_set_numbers (fd, streams);
    container = g_strdup (input.context->iformat->name);
  }
  libav_input_close (&input);
  return container;
}
