/* Measuring channels of audio on the CPU.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/count.h"

#include <math.h>

#include "media/load.h"

/* Counts a value. `bin` is its bin, if the bins have a shortcut and the value is inside. */
HISTO_SPECIALISED void
bin_value (const HistoBinning * binning, const gdouble * edges, gdouble value,
    guint32 bin, guint32 * counters, HistoTotals * totals)
{
  if (value < binning->range_min)
    totals->underflow++;
  else if (value >= binning->range_max)
    totals->overflow++;
  else if (binning->kind == HISTO_BINNING_EDGES)
    counters[histo_bin_by_edges (binning, edges, value)]++;
  else
    counters[bin]++;
}

HISTO_SPECIALISED void
measure_integers (const guint8 * p, gsize stride, guint64 n_samples,
    const HistoAudioSample * sample, guint bytes, gboolean big_endian,
    const HistoBinning * binning, const gdouble * edges, guint32 * counters,
    HistoTotals * totals)
{
  const guint unused = 32 - sample->depth;
  const gboolean is_signed = sample->kind == HISTO_AUDIO_SIGNED;

  for (guint64 i = 0; i < n_samples; i++, p += stride) {
    guint32 word = histo_load_word (p, bytes, big_endian) << unused;
    gint64 value =
        is_signed ? (gint64) ((gint32) word >> unused) : word >> unused;
    guint64 square = (guint64) value * (guint64) value;

    totals->sum += value;
    totals->square_low += (guint32) square;
    totals->square_high += square >> 32;
    totals->min = MIN (totals->min, value);
    totals->max = MAX (totals->max, value);
    bin_value (binning, edges, (gdouble) value,
        (guint32) ((value - binning->offset) >> binning->shift), counters,
        totals);
  }
}

HISTO_SPECIALISED void
measure_floats (const guint8 * p, gsize stride, guint64 n_samples,
    guint bytes, gboolean big_endian, const HistoBinning * binning,
    const gdouble * edges, guint32 * counters, HistoTotals * totals)
{
  for (guint64 i = 0; i < n_samples; i++, p += stride) {
    gdouble value = histo_load_float (p, bytes, big_endian);
    gdouble square = value * value;
    guint32 bin = 0;

    if (isnan (value)) {
      totals->nan++;
      continue;
    }
    if (isinf (value)) {
      totals->inf++;
    } else {
      histo_add_compensated (totals->float_sum, value);
      histo_add_compensated (totals->float_square, square);
      if (bytes == 8)
        totals->float_square[1] += fma (value, value, -square);
      totals->float_min = MIN (totals->float_min, value);
      totals->float_max = MAX (totals->float_max, value);
    }
    if (binning->kind == HISTO_BINNING_SCALE && value >= binning->range_min
        && value < binning->range_max)
      bin = (guint32) ((gint64) floor (value * binning->scale) -
          binning->offset);
    bin_value (binning, edges, value, bin, counters, totals);
  }
}

/**
 * histo_cpu_audio_measure_channel:
 * @data: the channel's first sample
 * @sample_stride: bytes from one sample of the channel to the next
 * @edges: (array): the n_bins + 1 edges of @binning
 * @counters: (array): n_bins counters, to which the samples are added
 * @totals: (out): of these samples
 *
 * Measures one channel of one buffer.
 */
void
histo_cpu_audio_measure_channel (const guint8 * data, gsize sample_stride,
    guint64 n_samples, const HistoAudioSample * sample,
    const HistoBinning * binning, const gdouble * edges, guint32 * counters,
    HistoTotals * totals)
{
  memset (totals, 0, sizeof *totals);
  totals->min = G_MAXINT64;
  totals->max = G_MININT64;
  totals->float_min = INFINITY;
  totals->float_max = -INFINITY;

#define INTEGERS(bytes, big_endian) \
  measure_integers (data, sample_stride, n_samples, sample, bytes, big_endian, \
      binning, edges, counters, totals)
#define FLOATS(bytes, big_endian) \
  measure_floats (data, sample_stride, n_samples, bytes, big_endian, \
      binning, edges, counters, totals)

  switch (sample->bytes << 1 | sample->big_endian) {
    case 1 << 1:
    case 1 << 1 | 1:
      INTEGERS (1, FALSE);
      break;
    case 2 << 1:
      INTEGERS (2, FALSE);
      break;
    case 2 << 1 | 1:
      INTEGERS (2, TRUE);
      break;
    case 3 << 1:
      INTEGERS (3, FALSE);
      break;
    case 3 << 1 | 1:
      INTEGERS (3, TRUE);
      break;
    case 4 << 1:
      if (sample->kind == HISTO_AUDIO_FLOAT)
        FLOATS (4, FALSE);
      else
        INTEGERS (4, FALSE);
      break;
    case 4 << 1 | 1:
      if (sample->kind == HISTO_AUDIO_FLOAT)
        FLOATS (4, TRUE);
      else
        INTEGERS (4, TRUE);
      break;
    case 8 << 1:
      FLOATS (8, FALSE);
      break;
    case 8 << 1 | 1:
      FLOATS (8, TRUE);
      break;
    default:
      g_assert_not_reached ();
  }
#undef INTEGERS
#undef FLOATS
}
