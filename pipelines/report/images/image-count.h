/* Counts decoded images in the thread that decodes them, as their rows come.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_IMAGE_COUNT_H
#define REPORT_IMAGE_COUNT_H

#include "images/image.h"

G_BEGIN_DECLS

typedef struct _ReportImageCount ReportImageCount;

ReportImageCount *report_image_count_new (void);
void report_image_count_free (ReportImageCount * count);
gboolean report_image_count_begin (ReportImageCount * count,
    const GstCaps * caps);
void report_image_count_rows (ReportImageCount * count,
    const gconstpointer * planes, const gint * strides, guint n_rows);
void report_image_count_end (ReportImageCount * count, ReportImage * image);

G_END_DECLS

#endif /* REPORT_IMAGE_COUNT_H */
