/* The tables of what is measured: the figures of a component, the groups with their own
 * figures, and the sources that give the components. Results, tests, documents and tools take
 * their lists from here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_MEASURES_H
#define HISTO_MEASURES_H

#include "media/format.h"

G_BEGIN_DECLS

/* ---- Figures -------------------------------------------------------------------------- */

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

/* ---- Groups ----------------------------------------------------------------------------- */

/* What the property `measures` lists: GROUP (IDENTIFIER, name, is_audio, description). `basic`
 * is always on. Each group of video adds a structure of its name to a region's result; a group
 * of the other medium is ignored. */
#define HISTO_GROUPS(GROUP) \
  GROUP (SIGNAL, "signal", FALSE, \
      "Saturation, hue, out of range, temporal outliers, repeated lines, used bits") \
  GROUP (MOTION, "motion", FALSE, \
      "Differences from the previous frame, scene changes, freezes, PSNR") \
  GROUP (COLOR, "color", FALSE, \
      "Luma of RGB video; R, G and B of YUV video") \
  GROUP (HDR, "hdr", FALSE, \
      "Light levels in cd/m²: the greatest of R, G and B of each pixel") \
  GROUP (DETAIL, "detail", FALSE, \
      "Gradients, spatial and temporal information (ITU-T P.910), sharpness") \
  GROUP (AREA, "area", FALSE, \
      "The active picture without black bars") \
  GROUP (LEVEL, "level", TRUE, \
      "RMS, peak, decay, DC offset, clipping, differences, noise floor, bit depth") \
  GROUP (LOUDNESS, "loudness", TRUE, \
      "EBU R 128 loudness, loudness range, true peak")

/* HISTO_GROUP_SIGNAL, …: the numbers of the groups. Native components belong to BASIC. */
typedef enum
{
  HISTO_GROUP_BASIC,
#define GROUP_NUMBER(identifier, name, is_audio, description) HISTO_GROUP_##identifier,
  HISTO_GROUPS (GROUP_NUMBER)
#undef GROUP_NUMBER
  HISTO_N_GROUPS
} HistoGroup;

/* The flag of a group in a set of groups, and in the property `measures`. */
#define HISTO_GROUP_FLAG(group) (1u << (group))

typedef struct
{
  const gchar *name;
  gboolean is_audio;            /* of HISTO_GROUP_BASIC: meaningless */
  const gchar *description;
} HistoGroupInfo;

extern const HistoGroupInfo histo_groups[HISTO_N_GROUPS];

/* The figures of the groups of video, in the order of the fields of each group's structure:
 *   FIGURE (GROUP, member, name, unit, definition), a double each.
 * A NaN figure is absent from the result. Figures marked * depend on earlier results: the
 * temporal stage computes them. docs/measures.md has the sources of the definitions. */
#define HISTO_GROUP_FIGURES(FIGURE) \
  FIGURE (SIGNAL, hue_circular_mean, "hue-circular-mean", "degree", \
      "direction of the mean vector of all hues, 0 to 360") \
  FIGURE (SIGNAL, brng, "brng", "share of pixels", \
      "pixels with Y, U or V out of the limited range") \
  FIGURE (SIGNAL, tout, "tout", "share of pixels", \
      "temporal outliers: pixels unlike the rows above and below") \
  FIGURE (SIGNAL, vrep, "vrep", "share of pixels", \
      "pixels of rows that repeat the row four rows above") \
  FIGURE (MOTION, mafd, "mafd", "percent", \
      "mean absolute difference of luma, or of R, G and B, from the previous frame") \
  FIGURE (MOTION, scene_score, "scene-score", "percent", \
      "* the smaller one of mafd and its change since the previous frame, 0 to 100") \
  FIGURE (MOTION, psnr, "psnr", "dB", \
      "peak signal-to-noise ratio of luma against the previous frame; infinite if equal") \
  FIGURE (MOTION, freeze, "freeze", "share", \
      "mean absolute difference of all components, 0 to 1") \
  FIGURE (MOTION, histogram_chi2, "histogram-chi2", "", \
      "* chi-square distance to the previous histogram of luma, 0 to 1") \
  FIGURE (MOTION, histogram_bhattacharyya, "histogram-bhattacharyya", "", \
      "* Bhattacharyya distance to the previous histogram of luma, 0 to 1") \
  FIGURE (MOTION, histogram_emd, "histogram-emd", "sample", \
      "* earth mover's distance to the previous histogram of luma") \
  FIGURE (HDR, max, "max", "cd/m²", "the brightest pixel") \
  FIGURE (HDR, fall, "fall", "cd/m²", "mean of all pixels (frame-average light level)") \
  FIGURE (HDR, p99, "p99", "cd/m²", "99 % of the pixels are not brighter") \
  FIGURE (HDR, p999, "p999", "cd/m²", "99.9 % of the pixels are not brighter") \
  FIGURE (HDR, p9999, "p9999", "cd/m²", "99.99 % of the pixels are not brighter") \
  FIGURE (HDR, max_cll, "max-cll", "cd/m²", "* the greatest max so far") \
  FIGURE (HDR, max_fall, "max-fall", "cd/m²", "* the greatest fall so far") \
  FIGURE (HDR, max_cll_p9999, "max-cll-p9999", "cd/m²", "* the greatest p9999 so far") \
  FIGURE (HDR, max_fall_p9999, "max-fall-p9999", "cd/m²", \
      "* the greatest fall so far, if brighter pixels count as p9999") \
  FIGURE (DETAIL, si, "si", "sample", \
      "spatial information: standard deviation of the gradient") \
  FIGURE (DETAIL, ti, "ti", "sample", \
      "temporal information: standard deviation of the difference from the previous frame") \
  FIGURE (DETAIL, sharpness, "sharpness", "sample", "mean of the gradient")

typedef struct
{
#define MEMBER(group, member, name, unit, definition) gdouble group##_##member;
  HISTO_GROUP_FIGURES (MEMBER)
#undef MEMBER
  /* Not in the table, because they are no doubles. */
  guint n_bits_used;            /* SIGNAL: of native components; 0: absent */
  guint bits_used[HISTO_MAX_COMPONENTS];
  gint area_x, area_y, area_width, area_height; /* AREA: in pixels of the picture */
  /* HDR: fall if pixels brighter than p9999 count as p9999; for the temporal stage. */
  gdouble fall_p9999;
} HistoGroupFigures;

/* One row of the table, for code that goes through all figures. */
typedef struct
{
  HistoGroup group;
  const gchar *name;
  gsize offset;                 /* of the member in HistoGroupFigures */
  const gchar *unit;
  const gchar *definition;
} HistoGroupFigureInfo;

enum
{
#define ONE_FIGURE(group, member, name, unit, definition) HISTO_GROUP_FIGURE_##group##_##member,
  HISTO_GROUP_FIGURES (ONE_FIGURE)
#undef ONE_FIGURE
  HISTO_N_GROUP_FIGURES
};

extern const HistoGroupFigureInfo histo_group_figures[HISTO_N_GROUP_FIGURES];

/* ---- Components ------------------------------------------------------------------------- */

/* Which map gives the numbers of a component. */
typedef enum
{
  HISTO_SOURCE_SAMPLE,          /* the sample itself */
  HISTO_SOURCE_DIFFERENCE,      /* |sample - sample of the previous frame| */
  HISTO_SOURCE_SATURATION,      /* of U and V; see kernels/maps.h */
  HISTO_SOURCE_HUE,
  HISTO_SOURCE_LUMA,            /* of R, G and B */
  HISTO_SOURCE_RED,             /* of Y, U and V */
  HISTO_SOURCE_GREEN,
  HISTO_SOURCE_BLUE,
  HISTO_SOURCE_MAXRGB,          /* the greatest of R, G and B */
  HISTO_SOURCE_GRADIENT,        /* of luma */
  HISTO_N_SOURCES
} HistoSource;

/* The components that are no samples and no differences, in their order:
 *   DERIVED (GROUP, SOURCE, name, colors): the formats with one of these HistoColors have it. */
#define HISTO_DERIVED_COMPONENTS(DERIVED) \
  DERIVED (SIGNAL, SATURATION, "saturation", HISTO_HAS_YUV | HISTO_HAS_RGB) \
  DERIVED (SIGNAL, HUE, "hue", HISTO_HAS_YUV | HISTO_HAS_RGB) \
  DERIVED (COLOR, LUMA, "luma", HISTO_HAS_RGB) \
  DERIVED (COLOR, RED, "R", HISTO_HAS_YUV | HISTO_HAS_GRAY) \
  DERIVED (COLOR, GREEN, "G", HISTO_HAS_YUV | HISTO_HAS_GRAY) \
  DERIVED (COLOR, BLUE, "B", HISTO_HAS_YUV | HISTO_HAS_GRAY) \
  DERIVED (HDR, MAXRGB, "maxrgb", HISTO_HAS_YUV | HISTO_HAS_RGB | HISTO_HAS_GRAY) \
  DERIVED (DETAIL, GRADIENT, "gradient", HISTO_HAS_YUV | HISTO_HAS_RGB | HISTO_HAS_GRAY)

/* Flags of HistoColors. */
#define HISTO_HAS_YUV (1u << HISTO_COLORS_YUV)
#define HISTO_HAS_RGB (1u << HISTO_COLORS_RGB)
#define HISTO_HAS_GRAY (1u << HISTO_COLORS_GRAY)

typedef struct
{
  HistoGroup group;
  HistoSource source;
  const gchar *name;
  guint colors;                 /* flags of those that have it */
} HistoDerivedInfo;

enum
{
#define ONE_COMPONENT(group, source, name, colors) HISTO_DERIVED_##source,
  HISTO_DERIVED_COMPONENTS (ONE_COMPONENT)
#undef ONE_COMPONENT
  HISTO_N_DERIVED
};

extern const HistoDerivedInfo histo_derived_components[HISTO_N_DERIVED];

guint histo_measures_groups_of_format (const HistoFormat * format,
    guint groups);
void histo_measures_list_components (const HistoFormat * format,
    guint groups, GArray * components);

G_END_DECLS

#endif /* HISTO_MEASURES_H */
