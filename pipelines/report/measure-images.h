/* A set of images as one input: each is decoded and measured, and the results are put together.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_MEASURE_IMAGES_H
#define REPORT_MEASURE_IMAGES_H

#include "base/progress.h"
#include "options.h"

G_BEGIN_DECLS

gboolean report_images_run (const ReportOptions * options,
    ReportProgress * progress, gboolean * all_done, GError ** error);

G_END_DECLS

#endif /* REPORT_MEASURE_IMAGES_H */
