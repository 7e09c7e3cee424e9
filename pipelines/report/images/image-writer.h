/* Reports of sets of images.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_IMAGE_WRITER_H
#define REPORT_IMAGE_WRITER_H

#include "base/json-text.h"

#include "images/image-set.h"
#include "writers/formats.h"

G_BEGIN_DECLS

typedef struct _ReportImageWriter ReportImageWriter;

void report_image_figures_add (ReportJson * json, const gchar * key,
    const ReportImageFigures * set);
gchar *report_image_set_tell (const ReportImageSet * set);
gboolean report_image_writer_has (const ReportFormat * format);
ReportImageWriter *report_image_writer_new (const ReportFormat * format,
    const gchar * input, GOutputStream * to);
gboolean report_image_writer_image (ReportImageWriter * writer,
    const ReportImage * image, GError ** error);
gboolean report_image_writer_end (ReportImageWriter * writer,
    const ReportImageSet * set, GError ** error);
void report_image_writer_free (ReportImageWriter * writer);

G_END_DECLS

#endif /* REPORT_IMAGE_WRITER_H */
