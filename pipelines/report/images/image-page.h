/* A page about a set of images.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_IMAGE_PAGE_H
#define REPORT_IMAGE_PAGE_H

#include <gio/gio.h>

#include "images/image-set.h"

G_BEGIN_DECLS

gboolean report_image_page_write (const ReportImageSet * set,
    ReportImageDecoder * decoder, GOutputStream * to, GError ** error);

G_END_DECLS

#endif /* REPORT_IMAGE_PAGE_H */
