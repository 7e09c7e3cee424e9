/* The group `level`; see level.h.
 *
 * A buffer is measured channel by channel, in pieces that stay in the CPU's first cache. The
 * totals of the pieces are added, and the figures follow from the sums. A window is the sum of
 * its buffers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/level.h"

#include <float.h>
#include <math.h>

#include "cudahisto/alert.h"
#include "measures/holes.h"
#include "measures/level-pairs.h"
#include "measures/level-totals.h"
#include "measures/samples.h"

/* ---- Running power and noise floor ------------------------------------------------------ */

/* They follow from a span of 50 ms which moves over the samples of a channel. */

#define NO_FLOOR G_MAXUINT

typedef struct
{
  const HistoLevelLoops *loops;
  guint length;                 /* of the span, in samples */
  gdouble factor;               /* of the average, for one sample */

  guint64 n;                    /* samples since the reset */
  gdouble average;
  gdouble min, max;             /* of the average after `length` samples */

  /* The samples are divided into blocks of `length` samples. The highest bin of a span is the
   * maximum of two: the highest bin of the end of a block, and the highest one of the begin of
   * the next block (van Herk, 1992). */
  guint16 *block;               /* the bins of this block */
  guint16 *tails;               /* of the block before: the highest bin from each place on */
  guint n_allocated;            /* of both arrays */
  guint n_in_block;
  guint highest;                /* of this block */
  guint floor;                  /* lowest of the highest bins, or NO_FLOOR */
} Envelope;

/* The default `length` of astats. */
#define SECONDS 0.05

static void
envelope_clear (Envelope * envelope)
{
  g_clear_pointer (&envelope->block, g_free);
  g_clear_pointer (&envelope->tails, g_free);
  envelope->n_allocated = 0;
}

/* Forgets all samples. */
static void
envelope_reset (Envelope * envelope)
{
  envelope->n = 0;
  envelope->average = 0;
  envelope->min = G_MAXDOUBLE;
  envelope->max = 0;
  envelope->n_in_block = 0;
  envelope->highest = 0;
  envelope->floor = NO_FLOOR;
}

static void
envelope_init (Envelope * envelope, const HistoLevelLoops * loops, guint rate)
{
  envelope->loops = loops;
  envelope->length = (guint) MAX (SECONDS * rate + 0.5, 1);
  envelope->factor = exp (-1 / SECONDS / rate);
  envelope->block = envelope->tails = NULL;
  envelope->n_allocated = 0;
  envelope_reset (envelope);
}

/* The arrays grow with the samples, because a span at a very high rate is long, and short
 * windows do not need it. */
static void
allocate (Envelope * envelope, guint n)
{
  n = MIN (n, envelope->length);
  if (n <= envelope->n_allocated)
    return;
  n = (guint) MIN ((guint64) 2 * n, envelope->length);
  envelope->block = g_renew (guint16, envelope->block, n);
  envelope->tails = g_renew (guint16, envelope->tails, n);
  envelope->n_allocated = n;
}

static void
add_to_average (Envelope * envelope, const gdouble * x, guint n)
{
  guint n_before = 0;

  if (envelope->n < envelope->length) {
    gdouble min = 0, max = 0;

    n_before = MIN (n, envelope->length - envelope->n);
    envelope->average = envelope->loops->average (x, n_before, envelope->factor,
        envelope->average, &min, &max);
  }
  envelope->average = envelope->loops->average (x + n_before, n - n_before,
      envelope->factor, envelope->average, &envelope->min, &envelope->max);
}

/* Bins that fit into the block. The spans that end in this block begin in the block before. */
static void
add_to_block (Envelope * envelope, const guint16 * bins, guint n)
{
  guint16 *block = envelope->block + envelope->n_in_block;
  const guint16 *tails = envelope->tails + envelope->n_in_block + 1;
  guint highest = envelope->highest, lowest = envelope->floor;

  memcpy (block, bins, n * sizeof *bins);
  envelope->n_in_block += n;
  if (envelope->floor == NO_FLOOR) {
    for (guint i = 0; i < n; i++)
      highest = MAX (highest, bins[i]);
  } else {
    /* The span that ends with the block's last sample has no tail: see below. */
    const guint n_tails =
        envelope->n_in_block == envelope->length ? n - 1 : n;
    guint i;

    for (i = 0; i < n_tails; i++) {
      highest = MAX (highest, bins[i]);
      lowest = MIN (lowest, MAX (highest, tails[i]));
    }
    for (; i < n; i++)
      highest = MAX (highest, bins[i]);
  }
  envelope->highest = highest;
  if (envelope->n_in_block == envelope->length) {
    lowest = MIN (lowest, highest);
    /* The next block begins. */
    highest = 0;
    for (guint i = envelope->length; i-- > 0;) {
      highest = MAX (highest, envelope->block[i]);
      envelope->tails[i] = highest;
    }
    envelope->n_in_block = 0;
    envelope->highest = 0;
  }
  envelope->floor = lowest;
}

/* @x: finite samples
 * @bins: of these samples, from find_bins() */
static void
envelope_add (Envelope * envelope, const gdouble * x, const guint16 * bins,
    guint n)
{
  add_to_average (envelope, x, n);
  for (guint i = 0, part; i < n; i += part) {
    part = MIN (n - i, envelope->length - envelope->n_in_block);
    allocate (envelope, envelope->n_in_block + part);
    add_to_block (envelope, bins + i, part);
  }
  envelope->n += n;
}

/* ---- State ---------------------------------------------------------------------------- */

/* Counts below this have c log2 c in a table. */
#define N_LOGARITHMS 1024

/* See count_quiet_bins(). */
#define QUIET_BINS 128
#define N_COPIES 4

/* The element `level` adds this before a logarithm, holds a peak so long, and lets it fall so fast. */
#define LEVEL_EPSILON 1e-35f
#define DECAY_TTL (300 * GST_MSECOND)
#define DECAY_FALLOFF 10.0      /* dB/s */

/* A channel is silent below this share of full scale. */
#define SILENT_PEAK pow (10, HISTO_SILENCE_LEVEL / 20.0)

/* The peak that decays. Powers: squares of samples at full scale 1. */
typedef struct
{
  gdouble power;
  gdouble base;                 /* where it began to fall */
  GstClockTime age;             /* of the base, in ns */
} Decay;

/* All buffers since the window began. */
typedef struct
{
  HistoLevelTotals totals;
  Envelope envelope;
  guint64 *counts;              /* HISTO_LEVEL_BINS */
  HistoHolesFound holes;
} ChannelWindow;

typedef struct
{
  HistoLevelHistory history;
  HistoHoles holes;
  Decay decay;
  gboolean is_new;              /* no sample since the restart */
  ChannelWindow window;
} Channel;

struct _HistoLevel
{
  HistoFormat *format;
  const HistoLevelLoops *loops;
  HistoLevelScale scale;
  guint rate;
  guint clipping_samples;
  guint n_channels;
  Channel *channels;
  gboolean has_windows;
  HistoLevelPairs *pairs;
  gdouble logarithms[N_LOGARITHMS];

  /* The channel that is being measured. */
  HistoLevelTotals totals;
  HistoHolesFound holes;
  Envelope envelope;
  guint32 counts[HISTO_LEVEL_BINS];     /* all 0 between two channels */
  guint16 used[HISTO_LEVEL_BINS + 1];   /* the bins whose count is not 0 */
  guint n_used;
  gdouble room[1 + HISTO_LEVEL_PIECE];      /* the samples of a piece, and before them the last sample */
  guint16 bins[HISTO_LEVEL_PIECE];
};

/**
 * histo_level_new:
 * @format: of audio
 *
 * Returns: (transfer full): a state as after a restart
 */
HistoLevel *
histo_level_new (const HistoFormat * format)
{
  HistoLevel *level = g_new0 (HistoLevel, 1);

  level->format = histo_format_ref ((HistoFormat *) format);
  level->loops = histo_level_loops_for_cpu ();
  level->rate = GST_AUDIO_INFO_RATE (&format->audio);
  level->n_channels = format->n_components;
  level->channels = g_new0 (Channel, level->n_channels);
  level->pairs = histo_level_pairs_new (format);
  level->clipping_samples = HISTO_LEVEL_CLIPPING_SAMPLES;
  histo_level_scale_init (&level->scale, &format->sample);
  envelope_init (&level->envelope, level->loops, level->rate);
  for (guint c = 0; c < level->n_channels; c++)
    histo_holes_init (&level->channels[c].holes, level->rate, level->scale.full_scale);
  for (guint count = 1; count < N_LOGARITHMS; count++)
    level->logarithms[count] = count * log2 (count);
  histo_level_restart (level);
  return level;
}

void
histo_level_free (HistoLevel * level)
{
  if (level == NULL)
    return;
  /* Without windows, all is NULL. */
  for (guint c = 0; c < level->n_channels; c++) {
    histo_holes_clear (&level->channels[c].holes);
    envelope_clear (&level->channels[c].window.envelope);
    g_free (level->channels[c].window.counts);
  }
  envelope_clear (&level->envelope);
  histo_level_pairs_free (level->pairs);
  histo_format_unref (level->format);
  g_free (level->channels);
  g_free (level);
}

/**
 * histo_level_set_clipping_samples:
 * @samples: length of a clipped run, at least 1; %HISTO_LEVEL_CLIPPING_SAMPLES at first
 */
void
histo_level_set_clipping_samples (HistoLevel * level, guint samples)
{
  level->clipping_samples = MAX (samples, 1);
}

/**
 * histo_level_restart:
 *
 * The next buffer is not the continuation of the last one. The decaying peak, the last samples,
 * the runs, and how long pairs are inverted or alike are forgotten. A window goes on.
 */
void
histo_level_restart (HistoLevel * level)
{
  for (guint c = 0; c < level->n_channels; c++) {
    Channel *channel = &level->channels[c];

    memset (&channel->history, 0, sizeof channel->history);
    histo_holes_restart (&channel->holes);
    memset (&channel->decay, 0, sizeof channel->decay);
    channel->is_new = TRUE;
  }
  histo_level_pairs_restart (level->pairs);
}

guint
histo_level_count_pairs (const HistoLevel * level)
{
  return histo_level_pairs_count (level->pairs);
}

/* ---- Figures -------------------------------------------------------------------------- */

static gdouble
decibels (gdouble amplitude)
{
  return 20 * log10 (amplitude);
}

static void
set_undefined (HistoLevelFigures * figures)
{
  memset (figures, 0, sizeof *figures);
#define UNDEFINED_UINT64(member)
#define UNDEFINED_UINT(member)
#define UNDEFINED_DOUBLE(member) figures->member = NAN;
#define UNDEFINED(type, member, ...) UNDEFINED_##type (member)
  HISTO_LEVEL_FIGURES (UNDEFINED)
#undef UNDEFINED
#undef UNDEFINED_DOUBLE
#undef UNDEFINED_UINT
#undef UNDEFINED_UINT64
}

/* The greatest |x|. */
static gdouble
greatest_magnitude (const HistoLevelTotals * totals)
{
  return MAX (-totals->min.value, totals->max.value);
}

static void
fill_levels (HistoLevelFigures * figures, const HistoLevelTotals * totals,
    const HistoLevelScale * scale)
{
  const gdouble greatest = greatest_magnitude (totals);
  const gdouble power = totals->squares / totals->n;
  const gdouble peak = greatest / scale->full_scale;

  figures->rms = decibels (sqrt (power) / scale->full_scale + LEVEL_EPSILON);
  figures->peak = 10 * log10 (peak * peak + LEVEL_EPSILON);
  figures->dc_offset = totals->sum / totals->n / scale->highest;
  figures->crest_factor = power > 0 ? greatest / sqrt (power) : 1;
  figures->peak_count = totals->min.count + totals->max.count;
  figures->flat_factor = decibels ((totals->min.runs + totals->max.runs) /
      figures->peak_count);
  figures->dynamic_range = decibels (2 * greatest / totals->min_non_zero);
  figures->silent = peak < SILENT_PEAK ? 1 : 0;
}

static void
fill_envelope (HistoLevelFigures * figures, const HistoLevelTotals * totals,
    const Envelope * envelope, const HistoLevelScale * scale)
{
  gdouble min = totals->squares / totals->n, max = min;

  if (envelope->n > envelope->length) {
    min = envelope->min;
    max = envelope->max;
  }
  figures->rms_peak = decibels (sqrt (max) / scale->highest);
  figures->rms_trough = decibels (sqrt (min) / scale->highest);
  if (envelope->floor != NO_FLOOR)
    figures->noise_floor =
        decibels (envelope->floor / (HISTO_LEVEL_BINS - 1.0));
}

/* All but `decay`. */
static void
fill_figures (HistoLevelFigures * figures, const HistoLevel * level,
    const HistoLevelTotals * totals, const Envelope * envelope,
    gdouble logarithms)
{
  const HistoLevelDifferences *differences = &totals->differences;
  guint64 bits = totals->any_bits & ~totals->all_bits;
  gdouble entropy;

  set_undefined (figures);
  if (totals->n == 0)
    return;
  fill_levels (figures, totals, &level->scale);
  if (differences->n > 0) {
    figures->min_difference = differences->min;
    figures->max_difference = differences->max;
    figures->mean_difference = differences->sum / differences->n;
    figures->rms_difference = sqrt (differences->squares / differences->n);
  }
  if (level->scale.integer_bits < 64)
    bits &= (G_GUINT64_CONSTANT (1) << level->scale.integer_bits) - 1;
  figures->bit_depth = __builtin_popcountll (bits);
  figures->clipped = totals->clipped;
  figures->clipped_runs = totals->clipped_runs;
  figures->zero_crossings = totals->zero_crossings;
  figures->denormals = totals->denormals;
  fill_envelope (figures, totals, envelope, &level->scale);
  /* The entropy of a single bin is 0, but for rounding errors. */
  entropy = log2 (totals->n) - logarithms / totals->n;
  figures->level_entropy = entropy > 1e-12 ? entropy / log2 (HISTO_LEVEL_BINS) : 0;
}

/* @holes: the samples up to the end of the buffer or the window */
static void
fill_holes (HistoLevelFigures * figures, const HistoHoles * holes, const HistoHolesFound * found, guint rate)
{
  figures->holes = found->count;
  if (found->count == 0)
    return;
  figures->hole_length = (gdouble) found->length / rate;
  figures->hole_age = (gdouble) (holes->n - found->start) / rate;
}

/* ---- Decay ---------------------------------------------------------------------------- */

/* Does what the element `level` does with each buffer. It multiplies a power by the factor of an amplitude.
 *
 * @peak: highest power in the buffer; 0 if it has no sample */
static void
update_decay (Decay * decay, gdouble peak, guint64 n_samples, guint rate)
{
  decay->age += gst_util_uint64_scale_round (n_samples, GST_SECOND, rate);
  if (decay->age > DECAY_TTL) {
    const gdouble seconds = (gdouble) (decay->age - DECAY_TTL) / GST_SECOND;

    decay->power = decay->base * pow (10, DECAY_FALLOFF * seconds / -20);
  }
  if (peak >= decay->power) {
    decay->power = decay->base = peak;
    decay->age = 0;
  }
}

static gdouble
decay_in_decibels (const Decay * decay)
{
  return 10 * log10 (decay->power + LEVEL_EPSILON);
}

/* ---- Measuring ------------------------------------------------------------------------ */

/* Counts the bins of a piece, and notes those that were empty. */
static void
count_bins (HistoLevel * level, guint n)
{
  guint n_used = level->n_used;

  for (guint i = 0; i < n; i++) {
    const guint bin = level->bins[i];

    /* Written in any case, because a branch would take longer. */
    level->used[n_used] = bin;
    n_used += level->counts[bin]++ == 0;
  }
  level->n_used = n_used;
}

/* Counts bins which are all below QUIET_BINS. Then neighbouring samples are often in the same bin,
 * and an increment waits for the previous one of the same counter. So each bin has several
 * counters here. */
static void
count_quiet_bins (HistoLevel * level, guint n)
{
  guint32 counts[N_COPIES][QUIET_BINS] = { {0,}, };

  for (guint i = 0; i < n; i++)
    counts[i % N_COPIES][level->bins[i]]++;
  for (guint bin = 0; bin < QUIET_BINS; bin++) {
    guint32 count = 0;

    for (guint copy = 0; copy < N_COPIES; copy++)
      count += counts[copy][bin];
    if (count > 0 && level->counts[bin] == 0)
      level->used[level->n_used++] = bin;
    level->counts[bin] += count;
  }
}

static gdouble
count_times_logarithm (const HistoLevel * level, guint64 count)
{
  return count < N_LOGARITHMS ? level->logarithms[count] :
      count * log2 (count);
}

/* Returns: c log2 c, c: the count of the bin. Then the bin is empty. */
static gdouble
empty_bin (HistoLevel * level, guint bin)
{
  const guint32 count = level->counts[bin];

  level->counts[bin] = 0;
  return count_times_logarithm (level, count);
}

/* Returns: Σ c log2 c over the counts c of all bins. The bins are empty then. */
static gdouble
empty_bins (HistoLevel * level)
{
  /* Two sums, because an addition waits for the previous addition to the same sum. */
  gdouble even = 0, odd = 0;
  guint i;

  for (i = 0; i + 2 <= level->n_used; i += 2) {
    even += empty_bin (level, level->used[i]);
    odd += empty_bin (level, level->used[i + 1]);
  }
  if (i < level->n_used)
    even += empty_bin (level, level->used[i]);
  level->n_used = 0;
  return even + odd;
}

/* The samples are behind the first place of level->room. */
static void
measure_piece (HistoLevel * level, Channel * channel, guint n,
    gboolean has_envelope)
{
  gdouble *samples = level->room + 1;
  HistoLevelTotals totals;

  n = histo_level_totals_measure (&totals, samples, n, level->loops,
      &level->scale, level->clipping_samples, &channel->history);
  level->loops->find_bins (samples, n, level->scale.highest, level->bins);
  if (greatest_magnitude (&totals) * HISTO_LEVEL_BINS <
      (QUIET_BINS - 1) * level->scale.highest)
    count_quiet_bins (level, n);
  else
    count_bins (level, n);
  if (has_envelope)
    envelope_add (&level->envelope, samples, level->bins, n);
  if (level->has_windows)
    envelope_add (&channel->window.envelope, samples,
        level->bins, n);
  histo_holes_add (&channel->holes, samples, n, &level->holes);
  histo_level_totals_add (&level->totals, &totals, TRUE);
}

static void
measure_channel (HistoLevel * level, Channel * channel, const guint8 * data,
    gsize stride, guint64 n_samples, HistoLevelFigures * figures)
{
  const gboolean has_envelope = n_samples >= level->envelope.length;
  gdouble logarithms, peak = 0;

  histo_level_totals_clear (&level->totals);
  envelope_reset (&level->envelope);
  memset (&level->holes, 0, sizeof level->holes);
  for (guint64 i = 0; i < n_samples; i += HISTO_LEVEL_PIECE) {
    const guint n = MIN (n_samples - i, HISTO_LEVEL_PIECE);

    histo_samples_read (&level->format->sample, data + i * stride, stride, n,
        level->room + 1);
    measure_piece (level, channel, n, has_envelope);
  }
  if (level->has_windows) {
    for (guint i = 0; i < level->n_used; i++)
      channel->window.counts[level->used[i]] += level->counts[level->used[i]];
  }
  logarithms = empty_bins (level);
  fill_figures (figures, level, &level->totals, &level->envelope, logarithms);
  fill_holes (figures, &channel->holes, &level->holes, level->rate);
  if (level->totals.n > 0)
    peak = greatest_magnitude (&level->totals) / level->scale.full_scale;
  if (n_samples > 0)
    update_decay (&channel->decay, peak * peak, n_samples, level->rate);
  figures->decay = decay_in_decibels (&channel->decay);
  if (level->holes.count > 0) {
    level->holes.count += channel->window.holes.count;
    channel->window.holes = level->holes;
  }
  if (level->has_windows)
    histo_level_totals_add (&channel->window.totals, &level->totals,
        !channel->is_new);
  if (level->totals.n > 0)
    channel->is_new = FALSE;
}

/**
 * histo_level_measure:
 * @layout: the next buffer of the stream
 * @figures: (out) (array): of each channel of the buffer
 * @pairs: (out) (array): of each pair, histo_level_count_pairs()
 */
void
histo_level_measure (HistoLevel * level, const HistoAudioLayout * layout,
    HistoLevelFigures * figures, HistoPairResult * pairs)
{
  for (guint c = 0; c < level->n_channels; c++)
    measure_channel (level, &level->channels[c],
        layout->data + layout->channel_offsets[c], layout->sample_stride,
        layout->n_samples, &figures[c]);
  histo_level_pairs_measure (level->pairs, layout, figures, pairs);
}

/* ---- Windows -------------------------------------------------------------------------- */

/**
 * histo_level_begin_window:
 *
 * The next buffer is the first one of a window. Without a call, no windows are measured, which
 * takes less time.
 */
void
histo_level_begin_window (HistoLevel * level)
{
  for (guint c = 0; c < level->n_channels; c++) {
    ChannelWindow *window = &level->channels[c].window;

    if (!level->has_windows) {
      envelope_init (&window->envelope, level->loops, level->rate);
      window->counts = g_new (guint64, HISTO_LEVEL_BINS);
    }
    histo_level_totals_clear (&window->totals);
    memset (&window->holes, 0, sizeof window->holes);
    envelope_reset (&window->envelope);
    memset (window->counts, 0, HISTO_LEVEL_BINS * sizeof *window->counts);
  }
  histo_level_pairs_begin_window (level->pairs);
  level->has_windows = TRUE;
}

/**
 * histo_level_finish_window:
 * @figures: (out) (array): of each channel of all buffers since the window began
 * @pairs: (out) (array): of each pair
 *
 * histo_level_begin_window() must have been called. The window goes on.
 */
void
histo_level_finish_window (HistoLevel * level, HistoLevelFigures * figures,
    HistoPairResult * pairs)
{
  for (guint c = 0; c < level->n_channels; c++) {
    const Channel *channel = &level->channels[c];
    gdouble logarithms = 0;

    for (guint bin = 0; bin < HISTO_LEVEL_BINS; bin++)
      if (channel->window.counts[bin] > 0)
        logarithms +=
            count_times_logarithm (level, channel->window.counts[bin]);
    fill_figures (&figures[c], level, &channel->window.totals,
        &channel->window.envelope, logarithms);
    fill_holes (&figures[c], &channel->holes, &channel->window.holes, level->rate);
    figures[c].decay = decay_in_decibels (&channel->decay);
  }
  histo_level_pairs_finish_window (level->pairs, pairs);
}
