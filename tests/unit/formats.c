/* Formats of the plugin for unit tests; see formats.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats.h"

/* @caps: (transfer full) */
static HistoFormat *
format_new (GstCaps * caps)
{
  GError *error = NULL;
  HistoFormat *format = histo_format_new (caps, &error);

  fail_unless (format != NULL && error == NULL, "%" GST_PTR_FORMAT, caps);
  gst_caps_unref (caps);
  return format;
}

HistoFormat *
test_audio_format (GstAudioFormat format)
{
  GstAudioInfo info;

  gst_audio_info_set_format (&info, format, 48000, 1, NULL);
  return format_new (gst_audio_info_to_caps (&info));
}

HistoFormat *
test_video_format (GstVideoFormat format, guint width, guint height)
{
  GstVideoInfo info;

  gst_video_info_set_format (&info, format, width, height);
  return format_new (gst_video_info_to_caps (&info));
}
