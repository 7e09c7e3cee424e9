/* The keys of ffmpeg's filters for sound: astats and ebur128; see ffmpeg-keys.h.
 *
 * astats is that with reset=1 on frames of 100 ms. Sources of the definitions: libavfilter of FFmpeg
 * 5.1.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writers/ffmpeg-keys.h"

#include <gst/audio/audio.h>
#include <math.h>

#include "cudahisto/power.h"

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

/* How the figure of all channels together follows from theirs. */
typedef enum
{
  EXTREME,                      /* the one that is furthest from 0 */
  LEAST, GREATEST,
  MEAN,
  ROOT,                         /* the root of the mean of the squares */
  POWER,                        /* the mean of the powers, in dB */
  RUNS                          /* see runs_of() */
} Combine;

/* Where a figure is printed. */
enum
{
  OF_CHANNEL = 1 << 0,
  OF_ALL = 1 << 1,
  OF_BINS = 1 << 2,             /* it depends on full scale by more than a factor: only of native samples */
  OF_FLOAT = 1 << 3,            /* only of floating point */
  BARE = 1 << 4                 /* of all channels: without "Overall." */
};

#define BOTH (OF_CHANNEL | OF_ALL)

/* FIGURE (identifier, name, combine, flags): in the order of the filter. */
#define ASTATS(FIGURE) \
  FIGURE (dc_offset, "DC_offset", EXTREME, BOTH) \
  FIGURE (min, "Min_level", LEAST, BOTH) \
  FIGURE (max, "Max_level", GREATEST, BOTH) \
  FIGURE (min_difference, "Min_difference", LEAST, BOTH) \
  FIGURE (max_difference, "Max_difference", GREATEST, BOTH) \
  FIGURE (mean_difference, "Mean_difference", MEAN, BOTH) \
  FIGURE (rms_difference, "RMS_difference", ROOT, BOTH) \
  FIGURE (peak, "Peak_level", GREATEST, BOTH) \
  FIGURE (rms, "RMS_level", POWER, BOTH) \
  FIGURE (rms_peak, "RMS_peak", GREATEST, BOTH) \
  FIGURE (rms_trough, "RMS_trough", LEAST, BOTH) \
  FIGURE (crest_factor, "Crest_factor", MEAN, OF_CHANNEL) \
  FIGURE (flat_factor, "Flat_factor", RUNS, BOTH) \
  FIGURE (peak_count, "Peak_count", MEAN, BOTH) \
  FIGURE (noise_floor, "Noise_floor", GREATEST, BOTH | OF_BINS) \
  FIGURE (entropy, "Entropy", MEAN, BOTH | OF_BINS) \
  FIGURE (bit_depth, "Bit_depth", GREATEST, BOTH | OF_BINS) \
  FIGURE (dynamic_range, "Dynamic_range", MEAN, OF_CHANNEL) \
  FIGURE (zero_crossings, "Zero_crossings", MEAN, OF_CHANNEL) \
  FIGURE (zero_crossings_rate, "Zero_crossings_rate", MEAN, OF_CHANNEL) \
  FIGURE (n_samples, "Number_of_samples", GREATEST, OF_ALL) \
  FIGURE (nan, "Number of NaNs", MEAN, BOTH | OF_FLOAT | BARE) \
  FIGURE (inf, "Number of Infs", MEAN, BOTH | OF_FLOAT | BARE) \
  FIGURE (denormals, "Number of denormals", MEAN, BOTH | OF_FLOAT | BARE)

/* The figures of a channel, or of all channels. */
typedef struct
{
#define FIELD(identifier, name, combine, flags) gdouble identifier;
  ASTATS (FIELD)
#undef FIELD
} Astats;

static const struct
{
  const gchar *name;
  gsize offset;
  Combine combine;
  guint flags;
} astats_figures[] = {
#define ROW(identifier, name, combine, flags) {name, G_STRUCT_OFFSET (Astats, identifier), combine, flags},
  ASTATS (ROW)
#undef ROW
};

static void
fill_channel (Astats * astats, const HistoFigures * figures,
    const HistoLevelFigures * level, const Unit * unit, guint64 n_samples)
{
  /* Between our full scale and that of astats. */
  const gdouble shift = decibel (unit->our_scale / unit->full_scale);
  const gdouble mean = figures->mean - unit->zero;

  *astats = (Astats) {
    .dc_offset = mean * unit->factor / unit->full_scale,
    .min = (figures->min - unit->zero) * unit->factor,
    .max = (figures->max - unit->zero) * unit->factor,
    .min_difference = level->min_difference * unit->factor,
    .max_difference = level->max_difference * unit->factor,
    .mean_difference = level->mean_difference * unit->factor,
    .rms_difference = level->rms_difference * unit->factor,
    .rms = decibel (sqrt (histo_figures_power (figures, unit->zero, unit->full_scale / unit->factor))),
    .rms_peak = level->rms_peak + shift,
    .rms_trough = level->rms_trough + shift,
    .crest_factor = level->crest_factor,
    .flat_factor = level->flat_factor,
    .peak_count = level->peak_count,
    .noise_floor = level->noise_floor,
    .entropy = level->level_entropy,
    .bit_depth = level->bit_depth,
    .dynamic_range = level->dynamic_range,
    .zero_crossings = level->zero_crossings,
    .zero_crossings_rate = (gdouble) level->zero_crossings / figures->count,
    .n_samples = n_samples,
    .nan = figures->nan,
    .inf = figures->inf,
    .denormals = level->denormals,
  };
  astats->peak = decibel (fmax (-astats->min, astats->max) / unit->full_scale);
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

  for (guint i = 0; i < G_N_ELEMENTS (astats_figures); i++) {
    gdouble *figure = &G_STRUCT_MEMBER (gdouble, &all,
        astats_figures[i].offset);
    gdouble sum = 0, runs = 0, peaks = 0;

    for (guint c = 0; c < n; c++) {
      const gdouble own = G_STRUCT_MEMBER (gdouble, &channels[c],
          astats_figures[i].offset);

      switch (astats_figures[i].combine) {
        case EXTREME:
          *figure = fabs (own) > fabs (*figure) ? own : *figure;
          break;
        case LEAST:
          *figure = fmin (*figure, own);
          break;
        case GREATEST:
          *figure = fmax (*figure, own);
          break;
        case MEAN:
          sum += own;
          *figure = sum / n;
          break;
        case ROOT:
          sum += pow (own, 2);
          *figure = sqrt (sum / n);
          break;
        case POWER:
          sum += pow (10, own / 10);
          *figure = 10 * log10 (sum / n);
          break;
        case RUNS:
          runs += runs_of (&channels[c]);
          peaks += channels[c].peak_count;
          *figure = decibel (runs / peaks);
          break;
      }
    }
  }
  return all;
}

/* @owner: "1.", or "Overall." @place: OF_CHANNEL or OF_ALL */
static void
emit (const ReportKeySink * sink, const gchar * owner, guint place,
    const Astats * astats, const Unit * unit, gboolean has_bins)
{
  for (guint i = 0; i < G_N_ELEMENTS (astats_figures); i++) {
    const guint flags = astats_figures[i].flags;
    const gboolean is_bare = place == OF_ALL && (flags & BARE) != 0;
    gchar key[64];

    if ((flags & place) == 0 || ((flags & OF_BINS) != 0 && !has_bins)
        || ((flags & OF_FLOAT) != 0 && !unit->is_float))
      continue;
    g_snprintf (key, sizeof key, "astats.%s%s", is_bare ? "" : owner,
        astats_figures[i].name);
    report_keys_emit (sink, key, "%f", G_STRUCT_MEMBER (gdouble, astats,
            astats_figures[i].offset));
  }
}

/* Needs the group `level`; without it there are no keys. */
void
report_keys_astats (const HistoResult * result, ReportAstats astats,
    const ReportKeySink * sink)
{
  const gboolean has_bins = astats == REPORT_ASTATS_NATIVE;
  const Unit unit = unit_of (result->format, astats);
  g_autofree Astats *channels = NULL;
  Astats all;

  if (!histo_result_has_group (result, HISTO_GROUP_LEVEL)
      || result->levels == NULL || result->channels < 1
      || result->n_samples == 0)
    return;
  channels = g_new0 (Astats, result->channels);
  for (gint c = 0; c < result->channels; c++) {
    gchar owner[16];

    fill_channel (&channels[c], &result->components[c].figures,
        &result->levels[c], &unit, result->n_samples);
    /* A window of 0.4 s is longer than the frame: the filter then takes the RMS of the frame. */
    if (astats == REPORT_ASTATS_QCTOOLS)
      channels[c].rms_peak = channels[c].rms_trough = channels[c].rms;
    g_snprintf (owner, sizeof owner, "%u.", c + 1);
    emit (sink, owner, OF_CHANNEL, &channels[c], &unit, has_bins);
  }
  all = combine (channels, result->channels);
  emit (sink, "Overall.", OF_ALL, &all, &unit, has_bins);
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
