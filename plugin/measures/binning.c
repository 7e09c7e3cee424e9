/* How samples are sorted into bins: from the settings to bins and their edges.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/binning.h"

#include <math.h>

/* Beyond this, neighbouring integers of a double differ by more than one. */
#define EXACT_INTEGERS 9007199254740992.0       /* 2^53 */

gboolean
histo_bin_settings_valid (const HistoBinSettings * settings)
{
  gdouble width = settings->range_max - settings->range_min;

  if (settings->bins > HISTO_MAX_BINS)
    return FALSE;
  if (settings->range_min == 0 && settings->range_max == 0)
    return TRUE;
  return isfinite (settings->range_min) && isfinite (settings->range_max)
      && isfinite (width) && width > 0;
}

/* The range of the format itself. */
static void
own_range (const HistoFormat * format, guint n_values, gdouble * min,
    gdouble * max)
{
  const guint depth = format->sample.depth;

  if (!format->is_audio) {
    *min = 0;
    *max = n_values;
  } else if (format->sample.kind == HISTO_AUDIO_UNSIGNED) {
    *min = 0;
    *max = ldexp (1, depth);
  } else if (format->sample.kind == HISTO_AUDIO_SIGNED) {
    *min = -ldexp (1, depth - 1);
    *max = ldexp (1, depth - 1);
  } else {
    *min = -1;
    *max = 1;
  }
}

/* Chooses the exact shortcut where the width of the bins is a power of two and range_min a
 * multiple of it. */
static void
choose_kind (HistoBinning * binning, gboolean is_float)
{
  gdouble width = (binning->range_max - binning->range_min) / binning->n_bins;
  gint exponent;
  gdouble on_grid;

  binning->kind = HISTO_BINNING_EDGES;
  if (frexp (width, &exponent) != 0.5
      || width * binning->n_bins != binning->range_max - binning->range_min)
    return;
  exponent--;                   /* width == 2^exponent */
  on_grid = binning->range_min / width;
  if (on_grid != floor (on_grid))
    return;

  if (is_float) {
    /* A factor below one could round the smallest values to zero. A device converts to
     * 32-bit integers and saturates at 2^31: no bin may lie there. */
    if (exponent > 0 || exponent < -1000 || fabs (on_grid) > (1 << 30))
      return;
    binning->kind = HISTO_BINNING_SCALE;
    binning->offset = (gint64) on_grid;
  } else {
    if (exponent < 0 || exponent > 32
        || fabs (binning->range_min) > EXACT_INTEGERS)
      return;
    binning->kind = HISTO_BINNING_SHIFT;
    binning->offset = (gint64) binning->range_min;
    binning->shift = exponent;
  }
}

/**
 * histo_binning_init:
 * @binning: (out): all but the address of the edges
 * @n_values: video: the component's values are 0 .. @n_values - 1; ignored for audio, all
 * channels of which have the same bins
 * @settings: valid ones
 *
 * Returns: (transfer full): n_bins + 1 edges, edges[i] = range_min + i * w rounded
 * to a double, to be freed with g_free()
 */
gdouble *
histo_binning_init (HistoBinning * binning, const HistoFormat * format,
    guint n_values, const HistoBinSettings * settings)
{
  gboolean is_float = format->is_audio
      && format->sample.kind == HISTO_AUDIO_FLOAT;
  gdouble *edges;

  memset (binning, 0, sizeof *binning);
  if (settings->bins > 0)
    binning->n_bins = settings->bins;
  else
    binning->n_bins = format->is_audio ? HISTO_DEFAULT_AUDIO_BINS :
        n_values;

  binning->range_min = settings->range_min;
  binning->range_max = settings->range_max;
  if (binning->range_min == 0 && binning->range_max == 0)
    own_range (format, n_values, &binning->range_min, &binning->range_max);
  binning->scale =
      binning->n_bins / (binning->range_max - binning->range_min);
  choose_kind (binning, is_float);

  edges = g_new (gdouble, binning->n_bins + 1);
  for (guint i = 0; i <= binning->n_bins; i++) {
    long double width = ((long double) binning->range_max -
        binning->range_min) / binning->n_bins;

    edges[i] = (gdouble) (binning->range_min + i * width);
  }
  edges[binning->n_bins] = binning->range_max;
  return edges;
}

/* Returns: the bin of an integer sample, or HISTO_BIN_UNDERFLOW or _OVERFLOW. */
guint32
histo_binning_find_integer (const HistoBinning * binning,
    const gdouble * edges, gint64 value)
{
  if (value < binning->range_min)
    return HISTO_BIN_UNDERFLOW;
  if (value >= binning->range_max)
    return HISTO_BIN_OVERFLOW;
  if (binning->kind == HISTO_BINNING_SHIFT)
    return (guint32) ((value - binning->offset) >> binning->shift);
  return histo_bin_by_edges (binning, edges, (gdouble) value);
}

/**
 * histo_bins_init:
 * @bins: (out): to be cleared with histo_bins_clear()
 * @n_values: as for histo_binning_init()
 * @settings: valid ones
 */
void
histo_bins_init (HistoBins * bins, const HistoFormat * format,
    guint n_values, const HistoBinSettings * settings)
{
  bins->edges =
      histo_binning_init (&bins->binning, format, n_values, settings);
  bins->native_bin = NULL;
  if (format->is_audio)
    return;

  if (bins->binning.n_bins == n_values && bins->binning.range_min == 0
      && bins->binning.range_max == n_values)
    return;
  bins->native_bin = g_new (guint32, n_values);
  for (guint value = 0; value < n_values; value++)
    bins->native_bin[value] =
        histo_binning_find_integer (&bins->binning, bins->edges, value);
}

void
histo_bins_clear (HistoBins * bins)
{
  g_clear_pointer (&bins->edges, g_free);
  g_clear_pointer (&bins->native_bin, g_free);
}
