/* What GStreamer's formats make of a frame of libav. Part of the module.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_LIBAV_PICTURE_H
#define REPORT_LIBAV_PICTURE_H

#include <libavcodec/avcodec.h>

#include "facts/said.h"

const gchar *libav_picture_format (enum AVPixelFormat format, guint bits);
guint libav_picture_bits (const AVCodecContext * decoder);
gboolean libav_picture_take (ReportPicture * picture, const AVFrame * frame,
    guint bits);
void libav_picture_release (ReportPicture * picture);

#endif /* REPORT_LIBAV_PICTURE_H */
