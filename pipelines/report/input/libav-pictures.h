/* Pictures that libav decodes, as buffers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_LIBAV_PICTURES_H
#define REPORT_LIBAV_PICTURES_H

#include <gst/video/video.h>

#include "facts/statements.h"

G_BEGIN_DECLS

GstCaps *report_libav_picture_caps (const ReportPicture * picture,
    const GstCaps * previous);
GstBuffer *report_libav_picture_buffer (const ReportPicture * picture);
void report_libav_picture_free (const ReportPicture * picture);

G_END_DECLS

#endif /* REPORT_LIBAV_PICTURES_H */
