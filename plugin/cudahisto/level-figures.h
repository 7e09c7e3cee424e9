/* The group `level`: the figures of each channel of audio.
 *
 * Sources: `level` of GStreamer 1.22 (gst/level/gstlevel.c) for rms, peak and decay; `astats` of
 * FFmpeg 5.1 (libavfilter/af_astats.c) with reset=1 and length=0.05 for the others, except
 * clipped and clipped-runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LEVEL_FIGURES_H
#define HISTO_LEVEL_FIGURES_H

#include "figures.h"

G_BEGIN_DECLS

/* The figures of a channel, in the order of the result's fields:
 *   FIGURE (type, member, name, unit, definition), type one of UINT64, UINT, DOUBLE.
 *
 * x[i] are the finite samples of one buffer (or of the buffers of one window), n their number.
 * NaN and infinities are left out, as if the buffer did not contain them. The unit `sample` is
 * that of the caps: integers -2^(d-1) to 2^(d-1) - 1, floating point as it is. From unsigned
 * samples 2^(d-1) is subtracted. f = 2^(d-1) (floating point: 1), e = f - 1 (floating point: 1).
 * "Running power": the exponential average of astats over 50 ms, a[i] = a[i-1] c + x[i]² (1 - c),
 * c = exp (-1 / (0.05 s · rate)), a[-1] = 0 at the begin of the buffer or window.
 * t = trunc (0.05 s · rate + 0.5), at least 1. Logarithms are decimal unless said.
 * If n = 0, all doubles except decay are NaN, and all counts are 0.
 *
 * Known difference from level: it divides buffers at the end of its `interval`, and then adds the
 * whole rest of the buffer to the age of the peak for each part. Its decay is then too low. It is
 * equal if no buffer is divided.
 *
 * Known differences from astats 5.1:
 * - Formats that FFmpeg converts: it measures 8-bit samples as 16-bit ones, and 18, 20 and
 *   24-bit samples as 32-bit ones. So it divides by another e, and its differences are multiples.
 * - min-difference, max-difference, mean-difference, rms-difference also count the difference
 *   between the first sample and the last sample of the previous buffer. astats forgets that
 *   sample with reset=1.
 * - crest-factor: astats' metadata of integers lack the division by e.
 * - rms-peak and rms-trough at n = t: astats has no value and prints the root of DBL_MAX.
 * - A NaN makes astats' sums NaN, an infinity makes them infinite.
 * - A window is measured like one long buffer of astats. */
#define HISTO_LEVEL_FIGURES(FIGURE) \
  FIGURE (DOUBLE, rms, "rms", "dB", \
      "20 log (√(Σ (x/f)² / n) + 1e-35), as level") \
  FIGURE (DOUBLE, peak, "peak", "dB", \
      "10 log (max (x/f)² + 1e-35), as level") \
  FIGURE (DOUBLE, decay, "decay", "dB", \
      "peak that holds 300 ms and then falls, as level with its default settings: the power " \
      "falls by 10 dB/s as an amplitude would, so that this figure falls by 5 dB/s; goes on " \
      "from buffer to buffer; of a window: as of its last buffer") \
  FIGURE (DOUBLE, dc_offset, "dc-offset", "1", \
      "Σ (x/e) / n") \
  FIGURE (DOUBLE, crest_factor, "crest-factor", "1", \
      "max (−min x, max x) / √(Σ x² / n); 1 if all x are 0") \
  FIGURE (DOUBLE, flat_factor, "flat-factor", "dB", \
      "20 log (Σ r² / peak-count), r: the lengths of the runs of equal samples at min x and at " \
      "max x, without a run that lasts to the end; −inf if there is no such run") \
  FIGURE (UINT64, peak_count, "peak-count", "samples", \
      "number of samples equal to min x, and number of samples equal to max x, added") \
  FIGURE (UINT64, clipped, "clipped", "samples", \
      "samples at full scale: −2^(d−1) or 2^(d−1) − 1; floating point |x| ≥ 1") \
  FIGURE (UINT64, clipped_runs, "clipped-runs", "runs", \
      "runs of at least clipping-samples consecutive samples at full scale; a run that goes on " \
      "from buffer to buffer counts once, where it reaches that length") \
  FIGURE (UINT64, zero_crossings, "zero-crossings", "crossings", \
      "changes of sign from one sample to the next; samples that are 0 are left out; as in " \
      "astats, the signal is negative before the first sample of the stream") \
  FIGURE (DOUBLE, min_difference, "min-difference", "sample", \
      "min |x[i] − x[i−1]|; NaN if there is no such pair") \
  FIGURE (DOUBLE, max_difference, "max-difference", "sample", \
      "max |x[i] − x[i−1]|; NaN if there is no such pair") \
  FIGURE (DOUBLE, mean_difference, "mean-difference", "sample", \
      "Σ |x[i] − x[i−1]| / number of pairs; NaN if there is no pair") \
  FIGURE (DOUBLE, rms_difference, "rms-difference", "sample", \
      "√(Σ (x[i] − x[i−1])² / number of pairs); NaN if there is no pair") \
  FIGURE (DOUBLE, rms_peak, "rms-peak", "dB", \
      "20 log √ max a[i]/e², i ≥ t, a: the running power; 20 log √(Σ (x/e)² / n) if n ≤ t") \
  FIGURE (DOUBLE, rms_trough, "rms-trough", "dB", \
      "20 log √ min a[i]/e², i ≥ t, a: the running power; 20 log √(Σ (x/e)² / n) if n ≤ t") \
  FIGURE (DOUBLE, dynamic_range, "dynamic-range", "dB", \
      "20 log (2 max |x| / min |x|), the minimum over the x ≠ 0; −inf if all x are 0") \
  FIGURE (DOUBLE, noise_floor, "noise-floor", "dB", \
      "20 log (b / 8191), b: the lowest of the highest bins (see level-entropy) of all spans of " \
      "t samples; NaN if n < t") \
  FIGURE (UINT, bit_depth, "bit-depth", "bit", \
      "number of bits that are not the same in all samples; floating point: of rint (x 2^31), " \
      "64-bit floating point: of rint (x 2^63)") \
  FIGURE (UINT64, denormals, "denormals", "samples", \
      "floating point: subnormal samples") \
  FIGURE (DOUBLE, level_entropy, "level-entropy", "1", \
      "−Σ p log₂ p / 13, p: the shares of the 8192 bins rint (8191 min (|x/e|, 1))")

/* The figures of one channel of one buffer or window. */
typedef struct
{
#define MEMBER_UINT64 guint64
#define MEMBER_UINT guint
#define MEMBER_DOUBLE gdouble
#define MEMBER(type, member, name, unit, definition) MEMBER_##type member;
  HISTO_LEVEL_FIGURES (MEMBER)
#undef MEMBER
#undef MEMBER_DOUBLE
#undef MEMBER_UINT
#undef MEMBER_UINT64
} HistoLevelFigures;

enum
{
#define ONE_FIGURE(type, member, name, unit, definition) HISTO_LEVEL_FIGURE_##member,
  HISTO_LEVEL_FIGURES (ONE_FIGURE)
#undef ONE_FIGURE
  HISTO_N_LEVEL_FIGURES
};

/* Offsets are those of the members in HistoLevelFigures. */
extern const HistoFigureInfo histo_level_figures[HISTO_N_LEVEL_FIGURES];

G_END_DECLS

#endif /* HISTO_LEVEL_FIGURES_H */
