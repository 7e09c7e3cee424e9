/* reference-measures.h: every measure of video, from its definition.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Like reference.h, nothing here is fast, and nothing is shared with the
 * plugin. A measure that does not exist (no previous picture, no pixel, no
 * colour) has a component without a name, or the double NaN.
 */

#pragma once

#include "reference.h"
#include "reference-color.h"

G_BEGIN_DECLS

/**
 * ReferencePicture:
 * @row_step: from a row to the next one of its field: 1, or 2 if both fields of
 *   an interlaced frame lie in the picture
 * @first_row: the row of the frame with which the picture begins
 * @samples: the native values of each component, row after row
 * @mask: (nullable): a number for each pixel, row after row: pixels with 0 take no part, nor do samples whose nearest pixel
 *   has 0. For native components and the groups signal (without outliers and repeated rows), color, hdr and gamut. It
 *   belongs to others
 */
typedef struct
{
  guint width, height;
  guint row_step, first_row;
  ReferenceShape shape;
  ReferenceColor color;
  guint32 *samples[4];
  const guint8 *mask;
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

typedef enum
{
  REFERENCE_FIELD_TFF,
  REFERENCE_FIELD_BFF,
  REFERENCE_FIELD_PROGRESSIVE,
  REFERENCE_FIELD_UNDETERMINED
} ReferenceFieldOrder;

typedef enum
{
  REFERENCE_REPEATED_NEITHER,
  REFERENCE_REPEATED_TOP,
  REFERENCE_REPEATED_BOTTOM
} ReferenceRepeatedField;

/**
 * ReferenceFieldSums:
 * @previous: Σ |above + below - 2 * the sample of the frame before|
 * @next: Σ |above + below - 2 * the sample of the frame after|
 * @current: Σ |above + below - 2 * the sample itself|
 * @change: Σ 2 * |the sample - that of the frame before|
 *
 * The sums of even rows are [0], those of odd rows [1], as idet has them.
 */
typedef struct
{
  guint64 previous[2], next[2], current[2], change[2];
} ReferenceFieldSums;

/**
 * ReferenceFieldHistory:
 * @sums: of the latest frame; its next frame is not known yet
 * @has_sums: whether there is one
 * @singles: the orders of the last frames, the newest first; @n_singles of them
 * @multi: what they amount to
 */
typedef struct
{
  ReferenceFieldSums sums;
  gboolean has_sums;
  ReferenceFieldOrder singles[4];
  guint n_singles;
  ReferenceFieldOrder multi;
} ReferenceFieldHistory;

/**
 * ReferenceHistory:
 *
 * What a region keeps from picture to picture. All zero at the start of a
 * stream.
 */
typedef struct
{
  gdouble mafd;
  gboolean has_light;           /* of any pixel */
  gdouble max_cll, max_fall, max_cll_p9999, max_fall_p9999;
  ReferenceFieldHistory field;
} ReferenceHistory;

/**
 * ReferenceShare:
 * @name: as in a result; static
 * @n: pixels
 * @share: the same as a share of all pixels; NAN without a pixel
 */
typedef struct
{
  const gchar *name;
  guint64 n;
  gdouble share;
} ReferenceShare;

/**
 * ReferenceShares:
 *
 * The pixels that a group counts. The functions that count make the list, with reference_share(); tests that compare
 * tallies, figures or results go through it.
 */
typedef struct
{
  ReferenceShare list[16];
  guint n;
} ReferenceShares;

typedef struct
{
  ReferenceComponent saturation, hue;
  gdouble hue_circular_mean;    /* degrees, 0 to below 360 */
  gdouble hue_vector;           /* 0: all angles alike; 1: one angle only */
  ReferenceShares shares;
  gboolean is_masked;           /* shares of pixels with neighbours do not exist */
  guint bits_used[4];
} ReferenceSignal;

typedef struct
{
  ReferenceComponent difference[4];     /* named as the native component */
  gdouble mafd, scene_score, psnr, freeze;
  guint repeat, near_repeat;    /* 0 or 1 */
  gdouble chi2, bhattacharyya, emd;
} ReferenceMotion;

/**
 * ReferenceHdr:
 * @light: of HLG, in bins; it has no name, because no result has it
 * @greatest: R, G and B, in codes of full range; of HLG their light. -1: there is no pixel
 * @r_max: their light in cd/m²
 */
typedef struct
{
  ReferenceComponent maxrgb, light;
  gint64 greatest[3];
  gdouble r_max, g_max, b_max;
  gdouble max, fall, p99, p999, p9999;  /* cd/m² */
  gdouble fall_p9999;           /* fall if nothing is brighter than p9999 */
  gdouble max_cll, max_fall, max_cll_p9999, max_fall_p9999;
} ReferenceHdr;

typedef struct
{
  ReferenceComponent gradient;
  /* The gradients of the inner pixels, with 16 - depth fractional bits */
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

enum
{
  REFERENCE_GAMUT_R,
  REFERENCE_GAMUT_G,
  REFERENCE_GAMUT_B,
  REFERENCE_GAMUT_Y,
  REFERENCE_GAMUT_ANY
};

typedef struct
{
  guint64 n_out[5];             /* pixels; of R, G, B, Y, and of any */
  gint64 least[4], greatest[4]; /* codes; 0 if there is no pixel */
  gdouble out[5];               /* shares of all pixels */
  gdouble min[4], max[4];       /* per cent */
} ReferenceGamut;

typedef struct
{
  guint64 n_out[5];
  gdouble out[5];
} ReferenceGamutFilter;

/**
 * ReferenceFlashes:
 * @sum: of all pixels, each 0 to 65535
 * @n_area: pixels that are not as they were; 0 without a previous picture
 * @n_up: pixels that have risen by a flash's step
 * @n_down: pixels that have fallen by it
 *
 * The figures of luminance, and those of saturated red.
 */
typedef struct
{
  guint64 sum, n_area, n_up, n_down;
  gdouble mean, area, up, down;
} ReferenceFlashes;

typedef struct
{
  guint64 n_pixels;
  guint64 luminance, luminance_area, red, red_area;
} ReferenceCell;

/**
 * ReferenceFlash:
 * @cells: 6 * 6 of the region, row by row
 */
typedef struct
{
  ReferenceFlashes luminance, red;
  ReferenceCell cells[36];
} ReferenceFlash;

/**
 * ReferenceField:
 * @current: of this picture
 * @previous: of this picture and the one before; 0 without it
 * @change: the same, without the factor 2
 * @next: of the picture before: its next one is this
 * @shares: of this picture
 * @has_result: whether the following exist: they are of the picture before
 */
typedef struct
{
  guint64 current[2], previous[2], change[2], next[2];
  ReferenceShares shares;
  gboolean has_result;
  ReferenceFieldSums sums;
  ReferenceFieldOrder single, multi;
  ReferenceRepeatedField repeated;
} ReferenceField;

/**
 * ReferenceScopes:
 * @waveform: numbers 256 * the 8 most significant bits of luma + column of 256
 * @vectorscope: 256 * those of V + those of U
 * @parade: as @waveform, of R, G and B
 */
typedef struct
{
  ReferenceComponent waveform, vectorscope, parade[3];
} ReferenceScopes;

/* Which measures; the native components always belong to them. */
typedef enum
{
  REFERENCE_GROUP_SIGNAL = 1 << 0,
  REFERENCE_GROUP_MOTION = 1 << 1,
  REFERENCE_GROUP_COLOR = 1 << 2,
  REFERENCE_GROUP_HDR = 1 << 3,
  REFERENCE_GROUP_DETAIL = 1 << 4,
  REFERENCE_GROUP_AREA = 1 << 5,
  REFERENCE_GROUP_GAMUT = 1 << 6,
  REFERENCE_GROUP_GAMUT_FILTER = 1 << 7,
  REFERENCE_GROUP_FLASH = 1 << 8,
  REFERENCE_GROUP_FIELD = 1 << 9,
  REFERENCE_GROUP_SCOPES = 1 << 10,
  REFERENCE_N_GROUPS = 11,
  REFERENCE_ALL_GROUPS = (1 << REFERENCE_N_GROUPS) - 1
} ReferenceGroups;

/**
 * ReferenceMeasures:
 * @groups: which of them follow; without a previous picture there is no motion
 * @n_frames: how many pictures were counted: 1, but more in a window
 * @n_out: pixels of all of them that take no part
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
  guint64 n_out;
  guint n_native;
  ReferenceComponent native[4];
  ReferenceSignal signal;
  ReferenceMotion motion;
  ReferenceComponent color[3];
  ReferenceHdr hdr;
  ReferenceDetail detail;
  ReferenceArea area;
  ReferenceGamut gamut;
  ReferenceGamutFilter gamut_filter;
  ReferenceFlash flash;
  ReferenceField field;
  ReferenceScopes scopes;
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
 * Makes the same figures of samples.
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
 * Y U V (grey: the chroma of grey), or R G B, in the picture's depth. In an
 * interlaced picture a pixel has chroma of its own field.
 */
void reference_picture_pixel (const ReferencePicture * picture, guint x,
    guint y, gint64 values[3]);

/* Reads the same picture, but in an interlaced one chroma is that of the rows of the frame. */
void reference_picture_pixel_of_frame (const ReferencePicture * picture,
    guint x, guint y, gint64 values[3]);

/* Whether the pixel takes part. */
gboolean reference_picture_has_pixel (const ReferencePicture * picture,
    guint x, guint y);

/**
 * reference_picture_has_sample:
 * @x, @y: of the samples of the component
 *
 * Returns: whether the sample takes part: whether the pixel does that is nearest to it. Chroma lies above the left of its
 *   columns, and between its rows: the upper one counts. In an interlaced picture that of the top field lies nearer to the
 *   upper ones of the rows of this field, that of the bottom field to the lower ones
 */
gboolean reference_picture_has_sample (const ReferencePicture * picture,
    guint component, guint x, guint y);

/* Returns: the pixels of the region that take part, in all of the pictures */
gdouble reference_n_parts (const ReferenceMeasures * measures);

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

/* Makes the same figures in steps: first all that is counted and added up, */
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
void reference_count_gamut (const ReferencePicture * current,
    const ReferenceRectangle * region, ReferenceGamut * out);
void reference_count_gamut_filter (const ReferencePicture * current,
    const ReferenceRectangle * region, ReferenceGamutFilter * out);
void reference_count_flash (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceFlash * out);
void reference_count_field (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceField * out);
void reference_count_scopes (const ReferencePicture * current,
    const ReferenceRectangle * region, gboolean has_color,
    ReferenceScopes * out);
void reference_signal_figures (ReferenceMeasures * measures);
void reference_motion_figures (const ReferenceColor * color,
    ReferenceMeasures * measures);
void reference_hdr_figures (const ReferenceColor * color, ReferenceHdr * hdr);
void reference_detail_figures (const ReferenceColor * color,
    ReferenceMeasures * measures);
void reference_area_figures (const ReferenceColor * color,
    ReferenceMeasures * measures);
void reference_gamut_figures (const ReferenceColor * color,
    ReferenceMeasures * measures);
void reference_gamut_filter_figures (ReferenceMeasures * measures);
void reference_flash_figures (ReferenceMeasures * measures);
void reference_field_figures (ReferenceMeasures * measures);
void reference_motion_history (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceHistory * history, ReferenceMotion * out);
void reference_hdr_history (ReferenceHistory * history, ReferenceHdr * out);
void reference_field_history (ReferenceFieldHistory * history,
    gboolean has_previous, ReferenceField * out);

/* What idet decides from the sums of a picture. */
ReferenceFieldOrder reference_field_order (const ReferenceFieldSums * sums);
ReferenceRepeatedField reference_repeated_field (const ReferenceFieldSums *
    sums);

/**
 * reference_field_add:
 *
 * Adds the order of the next picture to the history.
 *
 * Returns: the order by several pictures
 */
ReferenceFieldOrder reference_field_add (ReferenceFieldHistory * history,
    ReferenceFieldOrder single);

/* The pixel in limited Y U V */
void reference_picture_limited_yuv (const ReferencePicture * picture, guint x,
    guint y, gint64 yuv[3]);

/* R, G and B in full range */
void reference_picture_full_rgb (const ReferencePicture * picture, guint x,
    guint y, gint64 rgb[3]);

/**
 * reference_distances:
 * @now: how many samples have each value
 * @before: the same of the picture before
 * @distances: (out): chi2, bhattacharyya, emd
 */
void reference_distances (const guint64 * now, const guint64 * before,
    guint n_values, gdouble distances[3]);

/* The share with this name; if there is none, a new one of 0 pixels. */
ReferenceShare *reference_share (ReferenceShares * shares,
    const gchar * name);

/* Sets the share of each, given the number of all pixels. */
void reference_share_figures (ReferenceShares * shares, gdouble n_pixels);

/* A component that has counted nothing. */
void reference_component_init (ReferenceComponent * component,
    const gchar * name, guint n_values);

/* Counts a value. */
void reference_component_add (ReferenceComponent * component, guint32 value);

/* The highest value that was counted; there must be one. */
guint reference_component_highest (const ReferenceComponent * component);

G_END_DECLS
