/* The keys of ffmpeg's filters for sound: astats and ebur128; see ffmpeg-keys.h.
 *
 * astats is that with reset=1 on frames of 100 ms. Sources of the definitions: libavfilter of FFmpeg
 * 5.1.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "ffmpeg-keys.h"

#include <gst/audio/audio.h>
#include <math.h>

/* ---- The unit of ffmpeg's samples -------------------------------------------------------- */

/* ffmpeg's sample is (x - zero) · factor. It has integers of 16 and of 32 bits; other depths are
 * shifted up. */
typedef struct
{
  gboolean is_float;            /* as astats gets it */
  gdouble zero, factor;
  gdouble full_scale;           /* by which astats divides */
  gdouble our_scale;            /* by which `level` divides, in ffmpeg's unit */
} Unit;

static Unit
unit_of (const gchar * format, ReportAstats astats)
{
  const GstAudioFormatInfo *info =
      gst_audio_format_get_info (gst_audio_format_from_string (format));
  const guint depth = GST_AUDIO_FORMAT_INFO_DEPTH (info);
  const gdouble half = ldexp (1, depth - 1);
  Unit unit = { TRUE, 0, 1, 1, 1 };

  if (GST_AUDIO_FORMAT_INFO_IS_FLOAT (info))
    return unit;
  unit.zero = GST_AUDIO_FORMAT_INFO_IS_SIGNED (info) ? 0 : half;
  if (astats == REPORT_ASTATS_QCTOOLS) {
    unit.factor = 1 / half;
  } else {
    unit.is_float = FALSE;
    unit.factor = ldexp (1, (depth <= 16 ? 16 : 32) - depth);
    unit.full_scale = half * unit.factor - 1;
  }
  unit.our_scale = (half - 1) * unit.factor;
  return unit;
}

static gdouble
decibel (gdouble share)
{
  return 20 * log10 (share);
}

/* ---- astats -------------------------------------------------------------------------------- */

/* The figures of a channel, or of all: in the order of the filter. NaN of the names below: the key
 * is absent. */
typedef struct
{
  gdouble dc_offset, min, max, min_difference, max_difference;
  gdouble mean_difference, rms_difference, peak, rms, rms_peak, rms_trough;
  gdouble crest_factor, flat_factor, peak_count, noise_floor, entropy;
  gdouble bit_depth, dynamic_range, zero_crossings, zero_crossings_rate;
  gdouble nan, inf, denormals;
} Astats;

static gdouble
mean_square (const HistoFigures * figures, const Unit * unit)
{
  const gdouble mean = figures->mean - unit->zero;

  return (figures->variance + mean * mean) * unit->factor * unit->factor;
}

static void
fill_channel (Astats * astats, const HistoFigures * figures,
    const HistoLevelFigures * level, const Unit * unit)
{
  /* Between our full scale and that of astats. */
  const gdouble shift = decibel (unit->our_scale / unit->full_scale);

  astats->min = (figures->min - unit->zero) * unit->factor;
  astats->max = (figures->max - unit->zero) * unit->factor;
  astats->dc_offset = (figures->mean - unit->zero) * unit->factor
      / unit->full_scale;
  astats->min_difference = level->min_difference * unit->factor;
  astats->max_difference = level->max_difference * unit->factor;
  astats->mean_difference = level->mean_difference * unit->factor;
  astats->rms_difference = level->rms_difference * unit->factor;
  astats->peak = decibel (fmax (-astats->min, astats->max) / unit->full_scale);
  astats->rms = decibel (sqrt (mean_square (figures, unit))
      / unit->full_scale);
  astats->rms_peak = level->rms_peak + shift;
  astats->rms_trough = level->rms_trough + shift;
  astats->crest_factor = level->crest_factor;
  astats->flat_factor = level->flat_factor;
  astats->peak_count = level->peak_count;
  astats->noise_floor = level->noise_floor;
  astats->entropy = level->level_entropy;
  astats->bit_depth = level->bit_depth;
  astats->dynamic_range = level->dynamic_range;
  astats->zero_crossings = level->zero_crossings;
  astats->zero_crossings_rate = (gdouble) level->zero_crossings
      / figures->count;
  astats->nan = figures->nan;
  astats->inf = figures->inf;
  astats->denormals = level->denormals;
}

/* Σ r² of flat-factor: see HISTO_LEVEL_FIGURES. */
static gdouble
runs_of (const Astats * channel)
{
  return pow (10, channel->flat_factor / 20) * channel->peak_count;
}

/* The figures of all channels together. */
static Astats
combine (const Astats * channels, guint n)
{
  Astats all = channels[0];
  gdouble runs = runs_of (&channels[0]);
  gdouble differences = pow (all.rms_difference, 2);
  gdouble squares = pow (10, all.rms / 10);

  for (guint c = 1; c < n; c++) {
    const Astats *channel = &channels[c];

    if (fabs (channel->dc_offset) > fabs (all.dc_offset))
      all.dc_offset = channel->dc_offset;
    all.min = fmin (all.min, channel->min);
    all.max = fmax (all.max, channel->max);
    all.min_difference = fmin (all.min_difference, channel->min_difference);
    all.max_difference = fmax (all.max_difference, channel->max_difference);
    all.mean_difference += channel->mean_difference;
    differences += pow (channel->rms_difference, 2);
    squares += pow (10, channel->rms / 10);
    all.peak = fmax (all.peak, channel->peak);
    all.rms_peak = fmax (all.rms_peak, channel->rms_peak);
    all.rms_trough = fmin (all.rms_trough, channel->rms_trough);
    runs += runs_of (channel);
    all.peak_count += channel->peak_count;
    all.noise_floor = fmax (all.noise_floor, channel->noise_floor);
    all.entropy += channel->entropy;
    all.bit_depth = fmax (all.bit_depth, channel->bit_depth);
    all.nan += channel->nan;
    all.inf += channel->inf;
    all.denormals += channel->denormals;
  }
  all.mean_difference /= n;
  all.rms_difference = sqrt (differences / n);
  all.rms = 10 * log10 (squares / n);
  all.flat_factor = decibel (runs / all.peak_count);
  all.peak_count /= n;
  all.entropy /= n;
  all.nan /= n;
  all.inf /= n;
  all.denormals /= n;
  return all;
}

static void
emit (const ReportKeySink * sink, const gchar * owner, const gchar * name,
    gdouble value)
{
  gchar key[64];

  g_snprintf (key, sizeof key, "astats.%s%s", owner, name);
  report_keys_emit (sink, key, "%f", value);
}

static void
emit_levels (const ReportKeySink * sink, const gchar * owner,
    const Astats * astats)
{
  emit (sink, owner, "DC_offset", astats->dc_offset);
  emit (sink, owner, "Min_level", astats->min);
  emit (sink, owner, "Max_level", astats->max);
  emit (sink, owner, "Min_difference", astats->min_difference);
  emit (sink, owner, "Max_difference", astats->max_difference);
  emit (sink, owner, "Mean_difference", astats->mean_difference);
  emit (sink, owner, "RMS_difference", astats->rms_difference);
  emit (sink, owner, "Peak_level", astats->peak);
  emit (sink, owner, "RMS_level", astats->rms);
  emit (sink, owner, "RMS_peak", astats->rms_peak);
  emit (sink, owner, "RMS_trough", astats->rms_trough);
}

static void
emit_numbers (const ReportKeySink * sink, const gchar * owner,
    const Astats * astats)
{
  emit (sink, owner, "Number of NaNs", astats->nan);
  emit (sink, owner, "Number of Infs", astats->inf);
  emit (sink, owner, "Number of denormals", astats->denormals);
}

/* @has_bins: whether the figures that depend on full scale by more than a factor are valid */
static void
emit_channel (const ReportKeySink * sink, guint c, const Astats * astats,
    const Unit * unit, gboolean has_bins)
{
  gchar owner[16];

  g_snprintf (owner, sizeof owner, "%u.", c + 1);
  emit_levels (sink, owner, astats);
  emit (sink, owner, "Crest_factor", astats->crest_factor);
  emit (sink, owner, "Flat_factor", astats->flat_factor);
  emit (sink, owner, "Peak_count", astats->peak_count);
  if (has_bins) {
    emit (sink, owner, "Noise_floor", astats->noise_floor);
    emit (sink, owner, "Entropy", astats->entropy);
    emit (sink, owner, "Bit_depth", astats->bit_depth);
  }
  emit (sink, owner, "Dynamic_range", astats->dynamic_range);
  emit (sink, owner, "Zero_crossings", astats->zero_crossings);
  emit (sink, owner, "Zero_crossings_rate", astats->zero_crossings_rate);
  if (unit->is_float)
    emit_numbers (sink, owner, astats);
}

static void
emit_overall (const ReportKeySink * sink, const Astats * astats,
    const Unit * unit, gboolean has_bins, guint64 n_samples)
{
  emit_levels (sink, "Overall.", astats);
  emit (sink, "Overall.", "Flat_factor", astats->flat_factor);
  emit (sink, "Overall.", "Peak_count", astats->peak_count);
  if (has_bins) {
    emit (sink, "Overall.", "Noise_floor", astats->noise_floor);
    emit (sink, "Overall.", "Entropy", astats->entropy);
    emit (sink, "Overall.", "Bit_depth", astats->bit_depth);
  }
  emit (sink, "Overall.", "Number_of_samples", n_samples);
  if (unit->is_float)
    emit_numbers (sink, "", astats);
}

/* Needs the group `level`; without it there are no keys. */
void
report_keys_astats (const HistoResult * result, ReportAstats astats,
    const ReportKeySink * sink)
{
  const gboolean has_bins = astats == REPORT_ASTATS_NATIVE;
  const Unit unit = unit_of (result->format, astats);
  Astats *channels, all;

  if (!histo_result_has_group (result, HISTO_GROUP_LEVEL)
      || result->levels == NULL || result->channels < 1
      || result->n_samples == 0)
    return;
  channels = g_new0 (Astats, result->channels);
  for (gint c = 0; c < result->channels; c++) {
    fill_channel (&channels[c], &result->components[c].figures,
        &result->levels[c], &unit);
    /* A window of 0.4 s is longer than the frame: the filter then takes the RMS of the frame. */
    if (astats == REPORT_ASTATS_QCTOOLS)
      channels[c].rms_peak = channels[c].rms_trough = channels[c].rms;
    emit_channel (sink, c, &channels[c], &unit, has_bins);
  }
  all = combine (channels, result->channels);
  emit_overall (sink, &all, &unit, has_bins, result->n_samples);
  g_free (channels);
}

/* ---- ebur128 ------------------------------------------------------------------------------- */

/* Windows of 100 ms that the filter needs before it prints a loudness. */
#define MOMENTARY_WINDOWS 4
#define SHORT_TERM_WINDOWS 30
/* The filter adds this to the sum of the squares. */
#define SILENT_SUM 1e-12
#define OFFSET -0.691
#define ABSOLUTE_GATE -70

/* The loudness as the filter prints it after @n windows: that of silence is a finite number. */
static gdouble
printed_loudness (gdouble loudness, guint64 n, guint n_windows, gint rate)
{
  const gdouble n_samples = n_windows * rate / 10.;
  const gdouble power = n < n_windows ? SILENT_SUM :
      pow (10, (loudness - OFFSET) / 10) + SILENT_SUM / n_samples;

  return OFFSET + 10 * log10 (power);
}

static void
emit_peaks (const ReportKeySink * sink, const gchar * name,
    const gdouble * decibels, guint n)
{
  gdouble greatest = 0;
  gchar key[64];

  for (guint c = 0; c < n; c++) {
    const gdouble peak = pow (10, decibels[c] / 20);

    greatest = fmax (greatest, peak);
    g_snprintf (key, sizeof key, "r128.%ss_ch%u", name, c);
    report_keys_emit (sink, key, "%.3f", peak);
  }
  g_snprintf (key, sizeof key, "r128.%s", name);
  report_keys_emit (sink, key, "%.3f", greatest);
}

/* What the filter prints with metadata=1:peak=true+sample. @n_before: results of the stream before
 * this one. Needs the group `loudness`; without it there are no keys. */
void
report_keys_ebur128 (const HistoResult * result, guint64 n_before,
    const ReportKeySink * sink)
{
  const HistoLoudnessFigures *loudness = &result->loudness;
  const guint64 n = n_before + 1;

  if (!histo_result_has_group (result, HISTO_GROUP_LOUDNESS)
      || loudness->true_peak == NULL || loudness->sample_peak == NULL)
    return;
  report_keys_emit (sink, "r128.M", "%.3f",
      printed_loudness (loudness->momentary, n, MOMENTARY_WINDOWS,
          result->rate));
  report_keys_emit (sink, "r128.S", "%.3f",
      printed_loudness (loudness->short_term, n, SHORT_TERM_WINDOWS,
          result->rate));
  report_keys_emit (sink, "r128.I", "%.3f",
      MAX (loudness->integrated, ABSOLUTE_GATE));
  report_keys_emit (sink, "r128.LRA", "%.3f", loudness->range);
  emit_peaks (sink, "sample_peak", loudness->sample_peak, result->channels);
  emit_peaks (sink, "true_peak", loudness->true_peak, result->channels);
}
