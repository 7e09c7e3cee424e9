/* The group `loudness`: the figures of a stream of audio.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LOUDNESS_FIGURES_H
#define HISTO_LOUDNESS_FIGURES_H

#include "figures.h"

G_BEGIN_DECLS

/* The figures of all channels together, in the order of the result's fields:
 *   FIGURE (type, member, name, unit, definition), type always DOUBLE.
 *
 * momentary and short-term are as of the last multiple of 10 ms of samples since the start, integrated and
 * range as of the last multiple of 100 ms, so that they do not depend on the lengths of the buffers. Before
 * these they are those of silence. The loudness of silence is −inf. Sources: ITU-R BS.1770-5, EBU Tech 3341
 * and 3342.
 *
 * integrated and range are computed from histograms with bins of 0.001 LU (measures/loudness-blocks.h), so that
 * a stream may have no end. */
#define HISTO_LOUDNESS_FIGURES(FIGURE) \
  FIGURE (DOUBLE, momentary, "momentary", "LUFS", \
      "loudness of the last 400 ms; samples before the start are 0") \
  FIGURE (DOUBLE, short_term, "short-term", "LUFS", \
      "loudness of the last 3 s; samples before the start are 0") \
  FIGURE (DOUBLE, integrated, "integrated", "LUFS", \
      "loudness since the start, of the blocks of 400 ms, one each 100 ms, that are above −70 LUFS and " \
      "above the relative gate of −10 LU; −inf if there is no such block") \
  FIGURE (DOUBLE, range, "range", "LU", \
      "loudness range since the start: 95th less 10th percentile of the short-term loudness, taken each " \
      "100 ms, above −70 LUFS and above the relative gate of −20 LU; 0 if there is none") \
  FIGURE (DOUBLE, momentary_max, "momentary-max", "LUFS", \
      "greatest momentary loudness since the start") \
  FIGURE (DOUBLE, short_term_max, "short-term-max", "LUFS", \
      "greatest short-term loudness since the start")

/* Arrays with one number for each channel: ARRAY (type, member, name, unit, definition). They are
 * as of the last sample. */
#define HISTO_LOUDNESS_ARRAYS(ARRAY) \
  ARRAY (DOUBLE, true_peak, "true-peak", "dBTP", \
      "highest |x| since the start, of the signal oversampled 4 times (from 96 kHz on 2 times, " \
      "from 192 kHz on not); −inf for silence") \
  ARRAY (DOUBLE, sample_peak, "sample-peak", "dBFS", \
      "highest |x| of the samples since the start; −inf for silence")

typedef struct
{
#define MEMBER(type, member, name, unit, definition) gdouble member;
  HISTO_LOUDNESS_FIGURES (MEMBER)
#undef MEMBER
#define MEMBER(type, member, name, unit, definition) const gdouble *member;
  HISTO_LOUDNESS_ARRAYS (MEMBER)
#undef MEMBER
} HistoLoudnessFigures;

#define ONE(type, member, name, unit, definition) HISTO_LOUDNESS_FIGURE_##member,
enum
{
  HISTO_LOUDNESS_FIGURES (ONE)
  HISTO_N_LOUDNESS_FIGURES
};
enum
{
  HISTO_LOUDNESS_ARRAYS (ONE)
  HISTO_N_LOUDNESS_ARRAYS
};
#undef ONE

/* Offsets are those of the members in HistoLoudnessFigures: a double, or an array's address. */
extern const HistoFigureInfo
    histo_loudness_figures[HISTO_N_LOUDNESS_FIGURES];
extern const HistoFigureInfo histo_loudness_arrays[HISTO_N_LOUDNESS_ARRAYS];

G_END_DECLS

#endif /* HISTO_LOUDNESS_FIGURES_H */
