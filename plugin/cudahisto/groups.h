/* The groups of measurements, and the figures of the groups of video.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_GROUPS_H
#define HISTO_GROUPS_H

#include "bounds.h"

#include <glib-object.h>

G_BEGIN_DECLS

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

/* Which map gives the numbers of a component. */
typedef enum
{
  HISTO_SOURCE_SAMPLE,          /* the sample itself */
  HISTO_SOURCE_DIFFERENCE,      /* |sample - sample of the previous frame| */
  HISTO_SOURCE_SATURATION,      /* of U and V */
  HISTO_SOURCE_HUE,
  HISTO_SOURCE_LUMA,            /* of R, G and B */
  HISTO_SOURCE_RED,             /* of Y, U and V */
  HISTO_SOURCE_GREEN,
  HISTO_SOURCE_BLUE,
  HISTO_SOURCE_MAXRGB,          /* the greatest of R, G and B */
  HISTO_SOURCE_GRADIENT,        /* of luma */
  HISTO_N_SOURCES
} HistoSource;

void histo_groups_clear (HistoGroupFigures * figures);

G_END_DECLS

#endif /* HISTO_GROUPS_H */
