/* A set of images as one input: each is decoded and measured, and the results are put together.
 *
 * Channels are R, G and B from 0 to 1: code / greatest code. docs/report.md defines the figures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_IMAGES_H
#define REPORT_IMAGES_H

#include "images/image-formats.h"
#include "options.h"
#include "base/progress.h"

G_BEGIN_DECLS

#define REPORT_CHANNELS 3       /* R, G, B */
#define REPORT_CHANNEL_BINS 256 /* of the histograms of a set */
#define REPORT_MOST_OUTLIERS 10 /* of a kind */
/* Components have up to 16 bits. */
#define REPORT_MOST_BITS 16

/* ---- The files ------------------------------------------------------------------------------- */

typedef struct
{
  gboolean is_named;            /* by the user or in a list: it is an image, whatever it contains */
  gchar path[];
} ReportImageFile;

/* Something that is wrong with a set. */
typedef struct
{
  const gchar *type;            /* "unreadable", "missing", "interrupted", as of other inputs */
  gchar *path;                  /* of an image or a folder, in the encoding of file names; NULL: of none */
  gchar *text;
} ReportImageProblem;

typedef struct
{
  GPtrArray *files;             /* (element-type ReportImageFile) */
  GPtrArray *problems;          /* (element-type ReportImageProblem): what could not be searched */
} ReportImageList;

ReportImageProblem *report_image_problem_new (const gchar * type,
    const gchar * path, const gchar * text);
void report_image_problem_free (gpointer problem);
gboolean report_image_list_is_image (const gchar * path);
void report_image_list_find (ReportImageList * list, gchar ** names);
void report_image_list_clear (ReportImageList * list);

/* ---- One image ------------------------------------------------------------------------------- */

typedef struct
{
  const gchar *path;
  gchar *problem;               /* NULL: it is measured, and all that follows is set */
  const gchar *format;          /* "PNG" */
  gchar *pixels;                /* as in caps: "RGB" */
  guint width, height;
  gboolean has_alpha;
  guint n_bins[REPORT_CHANNELS];
  guint64 *counts[REPORT_CHANNELS];     /* of each code */
  gdouble min[REPORT_CHANNELS], max[REPORT_CHANNELS];
  gdouble mean[REPORT_CHANNELS], std[REPORT_CHANNELS];
  gdouble brightness;           /* mean of the three means */
  gdouble clipped;              /* share of the samples that are 0 or 1 */
  gdouble sharpness;            /* mean gradient of luma, as a share of its range; NaN: it has no neighbours */
} ReportImage;

void report_image_free (gpointer image);

typedef struct _ReportImageDecoder ReportImageDecoder;

gboolean report_image_decoder_check (const ReportOptions * options,
    GError ** error);
ReportImageDecoder *report_image_decoder_new (const ReportOptions * options);
void report_image_decoder_free (ReportImageDecoder * decoder);
void report_image_decoder_measure (ReportImageDecoder * decoder,
    const ReportImageFormat * format, guint8 * bytes, gsize n,
    ReportImage * image);

/* ---- The set --------------------------------------------------------------------------------- */

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
  GHashTable *formats;          /* text → guint64 *: images */
  GPtrArray *problems;          /* (element-type ReportImageProblem): the first ones */
  /* By their number of bits, because the codes of others have another scale. */
  guint64 *counts[REPORT_CHANNELS][REPORT_MOST_BITS + 1];
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

/* ---- Reports --------------------------------------------------------------------------------- */

typedef struct _ReportImageWriter ReportImageWriter;

gboolean report_image_writer_has (const ReportFormat * format);
ReportImageWriter *report_image_writer_new (const ReportFormat * format,
    const gchar * input, GOutputStream * to);
gboolean report_image_writer_image (ReportImageWriter * writer,
    const ReportImage * image, GError ** error);
gboolean report_image_writer_end (ReportImageWriter * writer,
    const ReportImageSet * set, GError ** error);
void report_image_writer_free (ReportImageWriter * writer);

gboolean report_images_run (const ReportOptions * options,
    ReportProgress * progress, gboolean * all_done, GError ** error);

G_END_DECLS

#endif /* REPORT_IMAGES_H */
