/* reference-measures.h: every measure of video, from its definition.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * As in reference.h nothing here is fast, and nothing is shared with the
 * plugin. A measure that does not exist (no previous picture, no pixel, no
 * colour) has a component without a name, or the double NaN.
 */

#pragma once

#include "reference.h"
#include "reference-color.h"

G_BEGIN_DECLS

/**
 * ReferencePicture:
 * @samples: the native values of each component, row after row
 */
typedef struct
{
  guint width, height;
  ReferenceShape shape;
  ReferenceColor color;
  guint32 *samples[4];
} ReferencePicture;

typedef struct
{
  guint x, y, width, height;
} ReferenceRectangle;

/**
 * ReferenceComponent:
 * @name: NULL if there is no such component; else a static string
 * @n_values: how many values there can be: 2^depth, or 360 for the hue
 * @n: how many numbers were counted
 * @counts: how many of them have each value
 *
 * Numbers that were counted.
 */
typedef struct
{
  const gchar *name;
  guint n_values;
  guint64 n;
  guint64 *counts;
} ReferenceComponent;

/**
 * ReferenceHistory:
 *
 * What a region keeps from picture to picture. All zero at the start of a
 * stream.
 */
typedef struct
{
  gdouble mafd;
  gdouble max_cll, max_fall, max_cll_p9999, max_fall_p9999;
} ReferenceHistory;

typedef struct
{
  ReferenceComponent saturation, hue;
  gdouble hue_circular_mean;    /* degrees, 0 to below 360 */
  gdouble hue_vector;           /* 0: all angles alike; 1: one angle only */
  guint64 n_out_of_range, n_outliers, n_repeated;       /* pixels */
  gdouble brng, tout, vrep;     /* the same, as shares of all pixels */
  guint bits_used[4];
} ReferenceSignal;

typedef struct
{
  ReferenceComponent difference[4];     /* named as the native component */
  gdouble mafd, scene_score, psnr, freeze;
  gdouble chi2, bhattacharyya, emd;
} ReferenceMotion;

typedef struct
{
  ReferenceComponent maxrgb;
  gdouble max, fall, p99, p999, p9999;  /* cd/m² */
  gdouble fall_p9999;           /* fall if nothing is brighter than p9999 */
  gdouble max_cll, max_fall, max_cll_p9999, max_fall_p9999;
} ReferenceHdr;

typedef struct
{
  ReferenceComponent gradient;
  /* Of the inner pixels' gradients, with 16 - depth fractional bits */
  guint64 gradient_sum;
  ReferenceUint128 gradient_squares;
  gint64 ti_sum;
  ReferenceUint128 ti_squares;
  gdouble si, ti, sharpness;
} ReferenceDetail;

typedef struct
{
  guint64 *row_sums;            /* as many as the region has rows */
  guint64 *column_sums;
  guint x, y, width, height;    /* of the whole picture; all 0: black */
} ReferenceArea;

/* Which measures; the native components always belong to them. */
typedef enum
{
  REFERENCE_GROUP_SIGNAL = 1 << 0,
  REFERENCE_GROUP_MOTION = 1 << 1,
  REFERENCE_GROUP_COLOR = 1 << 2,
  REFERENCE_GROUP_HDR = 1 << 3,
  REFERENCE_GROUP_DETAIL = 1 << 4,
  REFERENCE_GROUP_AREA = 1 << 5,
  REFERENCE_ALL_GROUPS = (1 << 6) - 1
} ReferenceGroups;

/**
 * ReferenceMeasures:
 * @groups: which of them follow; without a previous picture there is no motion
 * @n_frames: how many pictures were counted: 1, but more in a window
 * @n_with_previous: how many of them have a previous picture
 * @native: the components of the format
 * @color: luma of RGB; R, G and B of others
 *
 * The measures of one region. Free with reference_measures_clear().
 */
typedef struct
{
  ReferenceRectangle region;
  ReferenceGroups groups;
  guint64 n_frames, n_with_previous;
  guint n_native;
  ReferenceComponent native[4];
  ReferenceSignal signal;
  ReferenceMotion motion;
  ReferenceComponent color[3];
  ReferenceHdr hdr;
  ReferenceDetail detail;
  ReferenceArea area;
} ReferenceMeasures;

/**
 * reference_picture_init:
 * @picture: (out): free with reference_picture_clear()
 * @info: format, size, strides (of tiled formats the tile counts), colorimetry
 * @data: first byte of each plane
 *
 * Returns: FALSE when the reference does not know the format
 */
gboolean reference_picture_init (ReferencePicture * picture,
    const GstVideoInfo * info, const guint8 * const data[4]);

/**
 * reference_picture_init_samples:
 * @samples: of each component; copied
 *
 * The same, from samples.
 */
gboolean reference_picture_init_samples (ReferencePicture * picture,
    GstVideoFormat format, guint width, guint height,
    const GstVideoColorimetry * colorimetry, const guint32 * const samples[4]);

void reference_picture_clear (ReferencePicture * picture);

/**
 * reference_picture_samples_of:
 *
 * Returns: the columns and rows of a component that the pixels of @region use,
 *   but none that the component does not have
 */
ReferenceRectangle reference_picture_samples_of (const ReferencePicture *
    picture, guint component, const ReferenceRectangle * region);

/**
 * reference_picture_native:
 *
 * Returns: the sample of a component that the pixel uses: for chroma the
 *   nearest one to the left and above; the row's last one if that is not
 *   measured (see ReferenceShape)
 */
guint32 reference_picture_native (const ReferencePicture * picture,
    guint component, guint x, guint y);

/**
 * reference_picture_pixel:
 *
 * Y U V (grey: the chroma of grey), or R G B, in the picture's depth.
 */
void reference_picture_pixel (const ReferencePicture * picture, guint x,
    guint y, gint64 values[3]);

/**
 * reference_picture_luma:
 *
 * Returns: Y, or the luma of R G B in the same range
 */
gint64 reference_picture_luma (const ReferencePicture * picture, guint x,
    guint y);

/**
 * reference_measures:
 * @current: a picture
 * @previous: (nullable): the picture before, of the same format and size
 * @region: inside the picture; may have no pixel
 * @history: (nullable): of this region; updated. Without it there are no scene
 *   score, no distances of histograms, and no running light levels
 * @out: (out): free with reference_measures_clear()
 */
void reference_measures (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceGroups groups, ReferenceHistory * history,
    ReferenceMeasures * out);

/* The same in steps: first all that is counted and added up, */
void reference_count (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceGroups groups, ReferenceMeasures * out);

/* then what follows from it: of one picture, or of the sums of several. */
void reference_figures (const ReferenceColor * color,
    ReferenceMeasures * measures);

void reference_measures_clear (ReferenceMeasures * measures);

/* The steps of each group, which the functions above call. Figures of motion and
 * hdr that depend on the pictures before are set by the third kind. */
void reference_count_native (const ReferencePicture * picture,
    guint component, const ReferenceRectangle * region,
    ReferenceComponent * out);
void reference_count_signal (const ReferencePicture * current,
    const ReferenceRectangle * region, ReferenceSignal * out);
void reference_count_motion (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceMotion * out);
void reference_count_color (const ReferencePicture * current,
    const ReferenceRectangle * region, ReferenceComponent color[3]);
void reference_count_hdr (const ReferencePicture * current,
    const ReferenceRectangle * region, ReferenceHdr * out);
void reference_count_detail (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceDetail * out);
void reference_count_area (const ReferencePicture * current,
    const ReferenceRectangle * region, ReferenceArea * out);
void reference_signal_figures (ReferenceMeasures * measures);
void reference_motion_figures (const ReferenceColor * color,
    ReferenceMeasures * measures);
void reference_hdr_figures (const ReferenceColor * color, ReferenceHdr * hdr);
void reference_detail_figures (const ReferenceColor * color,
    ReferenceMeasures * measures);
void reference_area_figures (const ReferenceColor * color,
    ReferenceMeasures * measures);
void reference_motion_history (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceHistory * history, ReferenceMotion * out);
void reference_hdr_history (ReferenceHistory * history, ReferenceHdr * out);

/**
 * reference_distances:
 * @now: how many samples have each value
 * @before: the same of the picture before
 * @distances: (out): chi2, bhattacharyya, emd
 */
void reference_distances (const guint64 * now, const guint64 * before,
    guint n_values, gdouble distances[3]);

/* A component that has counted nothing. */
void reference_component_init (ReferenceComponent * component,
    const gchar * name, guint n_values);

/* Counts a value. */
void reference_component_add (ReferenceComponent * component, guint32 value);

G_END_DECLS
