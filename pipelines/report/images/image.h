/* The figures of an image.
 *
 * Channels are R, G and B from 0 to 1: code / greatest code. docs/report.md defines the figures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_IMAGE_H
#define REPORT_IMAGE_H

#include "cudahisto/cudahisto.h"

G_BEGIN_DECLS

#define REPORT_CHANNELS 3       /* R, G, B */
/* Components have up to 16 bits. */
#define REPORT_MOST_BITS 16

typedef struct
{
  const gchar *path;
  gchar *problem;               /* NULL: it is measured, and all that follows is set */
  const gchar *format;          /* "PNG" */
  const gchar *decoder;         /* "libav" */
  gchar *pixels;                /* as in caps: "RGB" */
  guint width, height;
  gboolean has_alpha;
  gchar *orientation;           /* by EXIF, as GStreamer's tag image-orientation: "rotate-90"; NULL: unknown */
  const gchar *transfer;        /* what the file says: "linear"; NULL: nothing */
  /* Of floats; NaN: it has none. */
  gdouble scale;                /* the value of which 1 stands */
  gdouble negative, infinite;   /* samples that count as 0, or as 0 or 1 */
  guint n_bins[REPORT_CHANNELS];
  guint64 *counts[REPORT_CHANNELS];     /* of each code */
  gdouble min[REPORT_CHANNELS], max[REPORT_CHANNELS];
  gdouble mean[REPORT_CHANNELS], std[REPORT_CHANNELS];
  gdouble brightness;           /* mean of the three means */
  gdouble clipped;              /* share of the samples that are 0 or 1 */
  gdouble sharpness;            /* mean gradient of luma, as a share of its range; NaN: it has no neighbours */
} ReportImage;

void report_image_free (gpointer image);
gboolean report_image_set_channel (ReportImage * image, guint c,
    const HistoFigures * figures, guint64 * counts);
void report_image_finish (ReportImage * image, const gchar * pixels,
    guint width, guint height, gdouble gradient);

G_END_DECLS

#endif /* REPORT_IMAGE_H */
