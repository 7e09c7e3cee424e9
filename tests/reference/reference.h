/* reference.h: the plain reference that the tests compare the element with.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nothing here is fast, and nothing here is shared with the plugin: every
 * format is written out from its published description, every statistic from
 * its definition in the contract. No function reads outside the samples that
 * the caps describe, keeps a pointer it was given, or has state.
 */

#pragma once

#include <gst/gst.h>
#include <gst/audio/audio.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* Exact sums of squares need them; -Wpedantic asks for the extension mark */
__extension__ typedef __int128 ReferenceInt128;
__extension__ typedef unsigned __int128 ReferenceUint128;

/**
 * ReferenceShape:
 * @n_components: how many components are measured, 1 to 4
 * @names: their names in order: `Y`, `Y U V`, `Y U V A`, `R G B` or `R G B A`;
 *   static strings
 * @depths: bits of a sample; its native value is 0 to 2^depth - 1
 * @widths: samples in a row of the component
 * @heights: rows of the component
 * @chroma_x: pixels of a row that share a sample of U and V; 1 without them
 * @chroma_y: the same for rows
 *
 * Sub-sampled sizes are rounded up, with one exception. Where GStreamer's
 * default layout has no room for the last V of a row, that V is not measured,
 * and @widths of V is one less than that of U, whatever the stride. This is so
 * for NV12_10LE32 and NV16_10LE32 when the width is 6n + 3 (GStreamer's own
 * pack functions drop that V, its unpack functions read the next row instead),
 * for NV12_10BE_8L128 when the width is 32n + 19 or 32n + 25, and for UYVP when
 * the width is 8n + 3 (its low 6 bits would share a byte with the next row).
 */
typedef struct
{
  guint n_components;
  const gchar *names[4];
  guint depths[4];
  guint widths[4];
  guint heights[4];
  guint chroma_x, chroma_y;
} ReferenceShape;

/**
 * ReferenceStatistics:
 *
 * The fields of one component, defined in the contract. @histogram has @bins
 * entries and belongs to the structure: reference_statistics_clear() frees it.
 *
 * Integer formats: min, max, count and all counters are exact; sum, mean and
 * variance are the doubles nearest to the exact rational numbers, std_dev is
 * the square root of that variance.
 */
typedef struct
{
  guint64 count;
  gdouble min, max, sum, mean, variance, std_dev;
  gdouble p1, p10, p50, p90, p99;
  gdouble mode, entropy;
  guint64 underflow, overflow, nan, inf;
  guint bins;
  gdouble range_min, range_max;
  const gdouble *edges;         /* those of reference_use_edges(); else NULL */
  guint64 *histogram;
} ReferenceStatistics;

/**
 * reference_use_edges:
 * @edges: (nullable): @bins + 1 ascending numbers, valid until the next call; NULL: bins have one width
 *
 * The statistics of video and audio that are computed after this have these bins, whatever bins and range they
 * are asked for.
 */
void reference_use_edges (const gdouble * edges, guint bins);

/**
 * reference_video_shape:
 * @format: a raw video format
 * @width: of the frame in pixels
 * @height: of the frame in pixels (of one field where buffers hold one field)
 * @shape: (out): what is measured
 *
 * RGB8P has the components R G B A, looked up in the palette; padding (the x
 * of RGBx) is no component; Y410 and Y412 have an A, though GStreamer's format
 * flags do not say so.
 *
 * Returns: FALSE when the reference does not know @format
 */
gboolean reference_video_shape (GstVideoFormat format, guint width,
    guint height, ReferenceShape * shape);

/**
 * reference_video_samples:
 * @data: first byte of each plane, as GstVideoFrame has it
 * @stride: bytes from row to row of each plane; for tiled formats the tile
 *   counts, as GST_VIDEO_TILE_MAKE_STRIDE() packs them
 * @component: index into the names of reference_video_shape()
 * @samples: (out): room for widths[component] * heights[component] values
 *
 * The native value of each sample of one component, row after row. Bits that
 * the format does not use are ignored, whatever they hold: the upper 6 bits of
 * I420_10LE, the lower 6 of P010_10LE, the upper 2 of v210's words.
 *
 * Returns: FALSE when the reference does not know @format or the component
 */
gboolean reference_video_samples (GstVideoFormat format, guint width,
    guint height, const guint8 * const data[4], const gint stride[4],
    guint component, guint32 * samples);

/**
 * reference_video_statistics:
 * @samples: @n native values of a component, each below 2^@depth
 * @n: less than 2^32
 * @depth: bits of a sample, 1 to 16
 * @bins: of the histogram; 0 = 2^@depth
 * @range_min: lower end of the bins
 * @range_max: upper end of the bins; both 0 = 0 to 2^@depth
 * @out: (out): free with reference_statistics_clear()
 *
 * Percentiles, mode and entropy come from the native values, whatever @bins
 * and the range are. With @n = 0 all doubles are NaN, but sum and entropy 0.
 */
void reference_video_statistics (const guint32 * samples, gsize n, guint depth,
    guint bins, gdouble range_min, gdouble range_max,
    ReferenceStatistics * out);

/**
 * reference_value_statistics:
 * @counts: how many samples have each value
 * @n_values: the values are 0 to @n_values - 1
 *
 * Makes the same figures of samples that were counted, maybe more than 2^32.
 */
void reference_value_statistics (const guint64 * counts, guint n_values,
    guint bins, gdouble range_min, gdouble range_max,
    ReferenceStatistics * out);

/**
 * reference_order_statistics:
 * @counts: of values or of bins
 * @edges: (nullable): of the bins; NULL: the index of a counter is its value
 * @below: samples below all bins
 * @n: samples below, in and above the bins
 * @out: its percentiles, mode and entropy are set
 */
void reference_order_statistics (const guint64 * counts, guint n_counts,
    const gdouble * edges, guint64 below, guint64 n,
    ReferenceStatistics * out);

/**
 * reference_audio_samples:
 * @format: a raw audio format
 * @data: the channel's first sample
 * @n_samples: how many samples the channel has
 * @stride_bytes: bytes from one sample of the channel to its next: channels *
 *   sample size when interleaved, sample size when not
 * @samples: (out): room for @n_samples values
 *
 * The value of every sample of one channel: signed formats signed, unsigned
 * ones unsigned, floats as they are. Of 24_32, 20 and 18 bit formats the low
 * 24, 20 and 18 bits count; the others are ignored.
 *
 * Returns: FALSE when the reference does not know @format
 */
gboolean reference_audio_samples (GstAudioFormat format, const guint8 * data,
    gsize n_samples, gsize stride_bytes, gdouble * samples);

/**
 * ReferenceSum:
 *
 * A sum whose rounding errors are collected: A. Neumaier, "Rundungsfehleranalyse
 * einiger Verfahren zur Summation endlicher Summen", ZAMM 54 (1974). All zero at
 * first; the sum is @sum + @correction. @magnitude is that of the absolute values.
 */
typedef struct
{
  long double sum, correction, magnitude;
} ReferenceSum;

void reference_sum_add (ReferenceSum * sum, long double x);

/**
 * ReferenceTotals:
 * @n_finite: neither NaN nor infinite
 * @histogram: free with g_free()
 * @sum: of integers
 * @squares: of integers
 * @float_sum: of the finite ones of floats
 * @float_squares: the same of their squares
 * @min: of the finite ones; NaN: there is none
 * @max: the same
 *
 * What the samples of a channel add up to.
 */
typedef struct
{
  guint64 n_finite, underflow, overflow, nan, inf;
  guint64 *histogram;
  ReferenceInt128 sum;
  ReferenceUint128 squares;
  ReferenceSum float_sum, float_squares;
  gdouble min, max;
} ReferenceTotals;

/**
 * reference_audio_totals:
 * @edges: from reference_bin_edges()
 * @out: (out):
 */
void reference_audio_totals (const gdouble * samples, gsize n,
    gboolean is_float, const gdouble * edges, guint bins,
    ReferenceTotals * out);

/**
 * reference_audio_statistics:
 * @samples: @n values of a channel
 * @n: less than 2^31
 * @format: where they come from
 * @bins: of the histogram; 0 = 256
 * @range_min: lower end of the bins
 * @range_max: upper end of the bins; both 0 = the format's range:
 *   -2^(depth-1) to 2^(depth-1) signed, 0 to 2^depth unsigned, -1 to 1 float
 * @out: (out): free with reference_statistics_clear()
 *
 * NaN and infinities take no part in min, max, sum, mean, variance. Without a
 * finite sample min, max, mean, variance and std_dev are NaN and sum is 0.
 *
 * A percentile that falls into the underflow is range_min, one that falls into
 * the overflow range_max; they are NaN when every sample is NaN or there is
 * none. mode is NaN when no sample is in a bin; entropy is then 0.
 *
 * Returns: FALSE when the reference does not know @format
 */
gboolean reference_audio_statistics (const gdouble * samples, gsize n,
    GstAudioFormat format, guint bins, gdouble range_min, gdouble range_max,
    ReferenceStatistics * out);

/**
 * reference_bin_edges:
 * @edges: (out): room for @bins + 1 values
 *
 * The edges that decide about a sample: x is in bin i when
 * edges[i] <= x < edges[i + 1]. edges[i] is range_min + i * w, computed in long
 * double and rounded to double once; the last one is range_max itself.
 */
void reference_bin_edges (gdouble range_min, gdouble range_max, guint bins,
    gdouble * edges);

/**
 * reference_set_bins:
 * @out: (inout): its bins, range and edges become those of reference_use_edges(), if there are any
 *
 * Returns: (transfer full): the edges of its bins
 */
gdouble *reference_set_bins (ReferenceStatistics * out);

/**
 * reference_bin_of:
 * @edges: from reference_bin_edges()
 * @x: a number from edges[0] to below edges[@bins]
 *
 * Returns: the bin of @x
 */
guint reference_bin_of (const gdouble * edges, guint bins, gdouble x);

/**
 * reference_ratio:
 *
 * Returns: the double nearest to @a / @b (ties to even); @b not 0, @b below
 *   2^127, the quotient below 2^64
 */
gdouble reference_ratio (ReferenceUint128 a, ReferenceUint128 b);

/**
 * reference_statistics_clear:
 *
 * Frees what @statistics owns.
 */
void reference_statistics_clear (ReferenceStatistics * statistics);

G_END_DECLS
