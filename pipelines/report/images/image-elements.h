/* Measures decoded images with elements of GStreamer: those of --before, and a cudahisto.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_IMAGE_ELEMENTS_H
#define REPORT_IMAGE_ELEMENTS_H

#include "images/image.h"
#include "input/settings.h"

G_BEGIN_DECLS

typedef struct _ReportImageElements ReportImageElements;

gboolean report_image_elements_check (const gchar * before, GError ** error);
ReportImageElements *report_image_elements_new (const ReportSettings * settings,
    const gchar * before);
void report_image_elements_free (ReportImageElements * elements);
void report_image_elements_measure (ReportImageElements * elements,
    GstBuffer * buffer, GstCaps * caps, ReportImage * image);

G_END_DECLS

#endif /* REPORT_IMAGE_ELEMENTS_H */
