/* Decodes and measures one image after the other: JPEG with libjpeg, all else with libav, or with GStreamer in a build without
 * libav.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_IMAGE_DECODER_H
#define REPORT_IMAGE_DECODER_H

#include "base/thumbnail.h"
#include "facts/image-formats.h"
#include "images/image.h"
#include "input/settings.h"

G_BEGIN_DECLS

typedef struct _ReportImageDecoder ReportImageDecoder;

ReportImageDecoder *report_image_decoder_new (const ReportSettings * settings,
    const gchar * before);
void report_image_decoder_free (ReportImageDecoder * decoder);
void report_image_decoder_measure (ReportImageDecoder * decoder,
    const ReportImageFormat * format, const guint8 * bytes, gsize n,
    ReportImage * image);
ReportReduced *report_image_decoder_show (ReportImageDecoder * decoder,
    const ReportImageFormat * format, const guint8 * bytes, gsize n,
    guint most);

G_END_DECLS

#endif /* REPORT_IMAGE_DECODER_H */
