/* The figures of a component, and how tables of figures are written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_FIGURES_H
#define HISTO_FIGURES_H

#include <glib-object.h>

G_BEGIN_DECLS

/* The figures of a component, in the order of the result's fields:
 *   FIGURE (type, member, name, unit, definition), type one of UINT64, UINT, DOUBLE;
 *   PERCENTILE (percent): a DOUBLE named "p" and the percent.
 * docs/result.md has this table; a test compares them. n is the number of finite samples.
 * h[i] is the count of the i-th native value (video) or bin (audio), v[i] that value or the
 * lower edge of that bin. */
#define HISTO_FIGURES(FIGURE, PERCENTILE) \
  FIGURE (UINT64, count, "count", "samples", \
      "all samples, including NaN and infinities; padding is not counted") \
  FIGURE (DOUBLE, min, "min", "sample", \
      "smallest finite sample; NaN if n = 0") \
  FIGURE (DOUBLE, max, "max", "sample", \
      "largest finite sample; NaN if n = 0") \
  FIGURE (DOUBLE, sum, "sum", "sample", \
      "Σ x over the finite samples; 0 if n = 0") \
  FIGURE (DOUBLE, mean, "mean", "sample", \
      "Σ x / n; NaN if n = 0") \
  FIGURE (DOUBLE, variance, "variance", "sample²", \
      "population variance (n Σ x² − (Σ x)²) / n²; NaN if n = 0") \
  FIGURE (DOUBLE, std_dev, "std-dev", "sample", \
      "√ variance") \
  PERCENTILE (1) \
  PERCENTILE (10) \
  PERCENTILE (50) \
  PERCENTILE (90) \
  PERCENTILE (99) \
  FIGURE (DOUBLE, mode, "mode", "sample", \
      "v[i] of the largest h[i]; if several are equal, the lowest; NaN if all h[i] are 0") \
  FIGURE (DOUBLE, entropy, "entropy", "bit", \
      "−Σ p log₂ p, p = h[i] / Σ h; 0 if all h[i] are 0") \
  FIGURE (UINT, bins, "bins", "bins", \
      "number of bins of the histogram") \
  FIGURE (DOUBLE, range_min, "range-min", "sample", \
      "lower edge of the first bin") \
  FIGURE (DOUBLE, range_max, "range-max", "sample", \
      "upper edge of the last bin; the value itself is outside") \
  FIGURE (UINT64, underflow, "underflow", "samples", \
      "samples below range-min") \
  FIGURE (UINT64, overflow, "overflow", "samples", \
      "samples at or above range-max") \
  FIGURE (UINT64, nan, "nan", "samples", \
      "floating point: samples that are NaN") \
  FIGURE (UINT64, inf, "inf", "samples", \
      "floating point: infinite samples; each is also in underflow or overflow")

#define HISTO_NO_FIGURE(type, member, name, unit, definition)
#define HISTO_NO_PERCENTILE(percent)

/* HISTO_P1, HISTO_P10, …: the places in HistoFigures.percentiles. */
enum
{
#define PERCENTILE_PLACE(percent) HISTO_P##percent,
  HISTO_FIGURES (HISTO_NO_FIGURE, PERCENTILE_PLACE)
#undef PERCENTILE_PLACE
  HISTO_N_PERCENTILES
};

/* The figures of one component of one buffer, in sample units: 0 .. 2^depth - 1; signed
 * audio as signed; floats as they are. Without any finite sample min, max, mean, variance,
 * std-dev, percentiles and mode are NaN. */
typedef struct
{
#define MEMBER_UINT64 guint64
#define MEMBER_UINT guint
#define MEMBER_DOUBLE gdouble
#define MEMBER(type, member, name, unit, definition) MEMBER_##type member;
  HISTO_FIGURES (MEMBER, HISTO_NO_PERCENTILE)
#undef MEMBER
#undef MEMBER_DOUBLE
#undef MEMBER_UINT
#undef MEMBER_UINT64
  gdouble percentiles[HISTO_N_PERCENTILES];
} HistoFigures;

typedef enum
{
  HISTO_FIGURE_UINT64,
  HISTO_FIGURE_UINT,
  HISTO_FIGURE_DOUBLE
} HistoFigureType;

/* One row of the table, for code that goes through all figures. */
typedef struct
{
  const gchar *name;
  HistoFigureType type;
  gsize offset;                 /* of the member in HistoFigures */
  const gchar *unit;
  const gchar *definition;
} HistoFigureInfo;

enum
{
#define ONE_FIGURE(type, member, name, unit, definition) HISTO_FIGURE_NUMBER_##member,
#define ONE_PERCENTILE(percent) HISTO_FIGURE_NUMBER_p##percent,
  HISTO_FIGURES (ONE_FIGURE, ONE_PERCENTILE)
#undef ONE_PERCENTILE
#undef ONE_FIGURE
  HISTO_N_FIGURES
};

extern const HistoFigureInfo histo_figures[HISTO_N_FIGURES];

/* The percents of the percentiles, ascending: 1, 10, 50, 90, 99. */
extern const guint histo_percents[HISTO_N_PERCENTILES];

G_END_DECLS

#endif /* HISTO_FIGURES_H */
