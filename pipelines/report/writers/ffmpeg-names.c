/* ffmpeg's names of GStreamer's formats; see ffmpeg-keys.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/ffmpeg-keys.h"

#include <gst/audio/audio.h>
#include <gst/video/video.h>

/* Formats with the same samples in both. */
static const struct
{
  const gchar *gstreamer, *ffmpeg;
} pixel_formats[] = {
  {"I420", "yuv420p"}, {"YV12", "yuv420p"}, {"Y42B", "yuv422p"},
  {"Y444", "yuv444p"}, {"Y41B", "yuv411p"}, {"YUV9", "yuv410p"},
  {"NV12", "nv12"}, {"NV21", "nv21"}, {"NV16", "nv16"}, {"NV24", "nv24"},
  {"I420_10LE", "yuv420p10le"}, {"I422_10LE", "yuv422p10le"},
  {"Y444_10LE", "yuv444p10le"}, {"I420_12LE", "yuv420p12le"},
  {"I422_12LE", "yuv422p12le"}, {"Y444_12LE", "yuv444p12le"},
  {"Y444_16LE", "yuv444p16le"}, {"P010_10LE", "p010le"},
  {"P016_LE", "p016le"}, {"A420", "yuva420p"}, {"YUY2", "yuyv422"},
  {"UYVY", "uyvy422"}, {"YVYU", "yvyu422"}, {"GRAY8", "gray"},
  {"GRAY16_LE", "gray16le"}, {"GRAY16_BE", "gray16be"}, {"RGB", "rgb24"},
  {"BGR", "bgr24"}, {"RGBA", "rgba"}, {"BGRA", "bgra"}, {"ARGB", "argb"},
  {"ABGR", "abgr"}, {"RGBx", "rgb0"}, {"BGRx", "bgr0"}, {"xRGB", "0rgb"},
  {"xBGR", "0bgr"}, {"GBR", "gbrp"}, {"GBRA", "gbrap"},
  {"GBR_10LE", "gbrp10le"}, {"GBR_12LE", "gbrp12le"}, {"RGB8P", "pal8"}
};

/* Returns: (transfer none) (nullable): the name; NULL if ffmpeg has no such format */
const gchar *
report_ffmpeg_pixel_format (const gchar * format)
{
  for (guint i = 0; i < G_N_ELEMENTS (pixel_formats); i++) {
    if (g_strcmp0 (pixel_formats[i].gstreamer, format) == 0)
      return pixel_formats[i].ffmpeg;
  }
  return NULL;
}

/* Returns: (transfer none) (nullable): the sample format to which ffmpeg decodes such samples */
const gchar *
report_ffmpeg_sample_format (const gchar * format)
{
  const GstAudioFormat number = format == NULL ? GST_AUDIO_FORMAT_UNKNOWN :
      gst_audio_format_from_string (format);
  const GstAudioFormatInfo *info;

  if (number == GST_AUDIO_FORMAT_UNKNOWN)
    return NULL;
  info = gst_audio_format_get_info (number);
  if (GST_AUDIO_FORMAT_INFO_IS_FLOAT (info))
    return GST_AUDIO_FORMAT_INFO_WIDTH (info) == 64 ? "dbl" : "flt";
  if (GST_AUDIO_FORMAT_INFO_DEPTH (info) == 8)
    return "u8";
  return GST_AUDIO_FORMAT_INFO_DEPTH (info) == 16 ? "s16" : "s32";
}

/* Returns: bits of a sample of the first component; 0: unknown */
guint
report_video_depth (const gchar * format)
{
  const GstVideoFormat number = format == NULL ? GST_VIDEO_FORMAT_UNKNOWN :
      gst_video_format_from_string (format);

  return number == GST_VIDEO_FORMAT_UNKNOWN ? 0 :
      GST_VIDEO_FORMAT_INFO_DEPTH (gst_video_format_get_info (number), 0);
}

/* Returns: the units in a second in which all times of the stream are whole numbers. The rate of sound may
 * change in mid-stream; the units do not. */
guint64
report_time_base (const ReportStream * stream)
{
  return stream->is_audio ? (guint64) MAX (stream->rate, 1) :
      REPORT_VIDEO_TIME_BASE;
}

/* Returns: when a result begins in the container, as ffprobe has it, in ns; GST_CLOCK_TIME_NONE: unknown */
guint64
report_container_time (const ReportStream * stream, const HistoTimes * times)
{
  if (!GST_CLOCK_TIME_IS_VALID (times->stream_time))
    return times->timestamp;
  return times->stream_time + MIN (stream->origin,
      GST_CLOCK_TIME_NONE - 1 - times->stream_time);
}
