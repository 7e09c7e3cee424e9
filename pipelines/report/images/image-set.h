/* The figures of a set of images.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_IMAGE_SET_H
#define REPORT_IMAGE_SET_H

#include "images/image-decoder.h"

G_BEGIN_DECLS

#define REPORT_CHANNEL_BINS 256 /* of the histograms of a set */
#define REPORT_MOST_OUTLIERS 10 /* of a kind */

/* The figure by which images are outliers. */
typedef enum
{
  REPORT_DARKEST,
  REPORT_BRIGHTEST,
  REPORT_MOST_CLIPPED,
  REPORT_LEAST_SHARP,
  REPORT_N_OUTLIERS
} ReportOutlierKind;

typedef struct
{
  const gchar *path;
  gdouble value;
} ReportOutlier;

/* What is kept of each image for a page. */
typedef struct
{
  const gchar *path;
  gfloat brightness, std;       /* the means of those of the three channels */
  guint width, height;
} ReportKeptImage;

typedef struct
{
  gdouble mean[REPORT_CHANNELS], std[REPORT_CHANNELS];
} ReportImageFigures;

typedef struct
{
  gchar *name;                  /* of the input, for people */
  gchar *settings;
  gchar *uri;                   /* NULL: there are several inputs */
  guint n_inputs;
  gboolean is_complete, was_interrupted;
  gdouble seconds;
  guint64 n_images, n_alpha, n_broken;
  guint64 n_pixels;
  guint least_width, greatest_width, least_height, greatest_height;
  GHashTable *formats, *decoders, *transfers;   /* text → guint64 *: images */
  guint64 n_turned;             /* images that a viewer turns or mirrors */
  GPtrArray *problems;          /* (element-type ReportImageProblem): the first ones */
  /* By their number of bits, because the codes of others have another scale. */
  guint64 *counts[REPORT_CHANNELS][REPORT_MOST_BITS + 1];
  GArray *kept;                 /* (element-type ReportKeptImage): all images; NULL: there is no page */
  ReportImageFigures sum;       /* of the images' figures */
  ReportOutlier outliers[REPORT_N_OUTLIERS][REPORT_MOST_OUTLIERS];
  guint n_outliers[REPORT_N_OUTLIERS];

  /* From report_image_set_finish() on. */
  ReportImageFigures pooled, per_image;
  guint64 histograms[REPORT_CHANNELS][REPORT_CHANNEL_BINS];
} ReportImageSet;

extern const gchar *const report_outlier_names[REPORT_N_OUTLIERS];

void report_image_set_init (ReportImageSet * set);
void report_image_set_add (ReportImageSet * set, const ReportImage * image);
void report_image_set_add_problem (ReportImageSet * set, const gchar * type,
    const gchar * path, const gchar * text);
void report_image_set_finish (ReportImageSet * set);
void report_image_set_clear (ReportImageSet * set);

G_END_DECLS

#endif /* REPORT_IMAGE_SET_H */
