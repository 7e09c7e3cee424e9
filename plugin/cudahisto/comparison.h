/* The result of the element cudahistocompare in plain C: how two pictures differ.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_COMPARISON_H
#define HISTO_COMPARISON_H

#include "visit.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* The field `schema`. It grows if the meaning of a field changes. */
#define HISTO_COMPARISON_SCHEMA 1

/* Name of the custom meta, of its structure and of the element message; and of the message about a window. */
#define HISTO_COMPARISON_NAME "cudahisto-compare"
#define HISTO_COMPARISON_WINDOW_NAME "cudahisto-compare-window"

/* What is compared: MEASURE (IDENTIFIER, name, description). */
#define HISTO_COMPARISON_MEASURES(MEASURE) \
  MEASURE (DIFFERENCE, "difference", "Samples that differ, the largest difference, and the rectangle of all differences") \
  MEASURE (PSNR, "psnr", "Squared differences and PSNR, as FFmpeg's psnr") \
  MEASURE (SSIM, "ssim", "Structural similarity of windows of 8 x 8 samples, as FFmpeg's ssim") \
  MEASURE (XPSNR, "xpsnr", "PSNR weighed by how active the reference is, in space and in time, as FFmpeg's xpsnr")

typedef enum
{
#define HISTO_COMPARISON_FLAG(identifier, ...) HISTO_COMPARISON_INDEX_##identifier,
  HISTO_COMPARISON_MEASURES (HISTO_COMPARISON_FLAG)
#undef HISTO_COMPARISON_FLAG
  HISTO_N_COMPARISON_MEASURES
} HistoComparisonMeasure;

#define HISTO_COMPARES(measures, identifier) (((measures) >> HISTO_COMPARISON_INDEX_##identifier & 1) != 0)

typedef struct
{
  const gchar *name;            /* "Y"; valid as long as the comparison */
  guint64 count;                /* samples */
  guint64 different;            /* of these */
  guint max_difference;
  guint64 sse;                  /* the sum of the squared differences */
  gdouble mse, psnr;            /* dB; infinite: equal */
  gdouble ssim;                 /* NaN: the component has less than 8 columns or rows */
  gdouble xpsnr;                /* dB; infinite: equal; NaN: it has none */
} HistoComparedComponent;

/* Of the picture, or of a region. */
typedef struct
{
  gchar *name;                  /* (nullable): of the region */
  guint n_components;
  HistoComparedComponent components[HISTO_MAX_COMPONENTS];
  gdouble psnr, ssim;           /* of all components; ssim is NaN if that of a component is */
  gboolean equal;
  guint x, y, width, height;    /* the least rectangle that has all differences, in pixels of the picture; 0: equal */
} HistoComparedRegion;

typedef struct
{
  guint measures;               /* flags of HistoComparisonMeasure; figures of others are not valid */
  gchar *format;                /* of the picture, as in caps */
  guint width, height;
  guint64 reference_timestamp;  /* of the reference's buffer; GST_CLOCK_TIME_NONE: unknown, or a window's */
  guint n_regions;
  HistoComparedRegion *regions; /* [0] is the whole picture */

  /*< private > */
  gchar *own_names[HISTO_MAX_COMPONENTS];
} HistoComparison;

/**
 * histo_comparison_clear:
 * @comparison: (nullable): that is all zero, or was read
 *
 * Frees what it holds and leaves it all zero.
 */
void histo_comparison_clear (HistoComparison * comparison);

/**
 * histo_comparison_write:
 * @structure: (inout): gets the fields of docs/compare.md
 */
void histo_comparison_write (const HistoComparison * comparison, GstStructure * structure);

/**
 * histo_comparison_read:
 * @structure: (nullable): of a meta or of a message
 * @comparison: (out): all zero before; to be cleared with histo_comparison_clear()
 *
 * All is copied. Times of messages: histo_read_times(); the number of pairs of a window: histo_read_buffers().
 *
 * Returns: FALSE with a %GST_STREAM_ERROR_FORMAT, and a comparison that is all zero, if the structure is none of this
 *   schema
 */
gboolean histo_comparison_read (const GstStructure * structure, HistoComparison * comparison, GError ** error);

/**
 * histo_comparison_rows:
 * @n: (out): their number
 *
 * Returns: (transfer none) (array length=n): the figures that rules can name: "psnr", "*.psnr"; valid for ever
 */
const HistoFigureRow *histo_comparison_rows (guint * n);

/**
 * histo_comparison_find_figure:
 * @row: of histo_comparison_rows()
 * @region: (nullable): its name; %NULL: the whole picture
 * @component: (nullable): its name, of a row of components
 * @figure: (out): where it is; valid for all comparisons with the same regions and components
 *
 * Returns: whether the comparison has such a place. The figure may be absent there
 */
gboolean histo_comparison_find_figure (const HistoComparison * comparison, const HistoFigureRow * row,
    const gchar * region, const gchar * component, HistoFigureAt * figure);

/**
 * histo_comparison_get_figure:
 *
 * Returns: the value; NaN: the figure is absent
 */
gdouble histo_comparison_get_figure (const HistoComparison * comparison, const HistoFigureAt * figure);

G_END_DECLS

#endif /* HISTO_COMPARISON_H */
