/* The meters of one audio stream, see meters.h, and the panel that shows them and the loudness.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/panel.h"

#include <gst/audio/audio.h>

#include <math.h>

#include "cudahisto/power.h"

/* How long the clip lamp stays lit. */
#define CLIP_TIME (2 * GST_SECOND)
/* How long a correlation stays after the end of its sound. Frames do not wait for live sound, which is often later. */
#define PAIR_TIME (300 * GST_MSECOND)
/* Sound that the loudness needs, in s. Until then the results count silence before the start, too. */
#define MOMENTARY_TIME 0.4
#define SHORT_TERM_TIME 3

/* ---- From a result to levels ------------------------------------------------------- */

static gdouble
limit (gdouble level)
{
  return level > HISTO_METER_FLOOR ? MIN (level, 100) : HISTO_METER_FLOOR;
}

static gdouble
to_decibels (gdouble share)
{
  return limit (20 * log10 (share));
}

/* Without the group `level`, the peak and the RMS follow from the figures of the component. */
static void
set_channel (HistoSoundResult * sound, const HistoResult * result, guint c)
{
  const HistoFigures *figures = &result->components[c].figures;
  gdouble scale, middle;

  if (histo_result_has_group (result, HISTO_GROUP_LEVEL)) {
    sound->channels[c].peak = limit (result->levels[c].peak);
    sound->channels[c].rms = limit (result->levels[c].rms);
    sound->channels[c].is_clipped = result->levels[c].clipped_runs > 0;
    return;
  }
  histo_power_find_scale (gst_audio_format_from_string (result->format), &scale, &middle);
  sound->channels[c].peak = to_decibels (fmax (fabs (figures->min - middle),
          fabs (figures->max - middle)) / scale);
  sound->channels[c].rms = to_decibels (sqrt (histo_figures_power (figures, middle, scale)));
  sound->channels[c].is_clipped = FALSE;
}

static void
set_pairs (HistoSoundResult * sound, const HistoResult * result)
{
  for (guint i = 0; i < result->n_pairs
      && sound->n_pairs < G_N_ELEMENTS (sound->pairs); i++) {
    const HistoPairResult *pair = &result->pairs[i];

    if (pair->first >= HISTO_MOST_METERS || pair->second >= HISTO_MOST_METERS)
      continue;
    sound->pairs[sound->n_pairs++] = (HistoPairMeter) {
      pair->first, pair->second, pair->figures.inverted != 0,
      pair->figures.correlation
    };
  }
}

static void
set_loudness (HistoSoundResult * sound, const HistoResult * result)
{
  const HistoLoudnessFigures *loudness = &result->loudness;

  sound->has_loudness = TRUE;
  sound->momentary = loudness->momentary;
  sound->short_term = loudness->short_term;
  sound->integrated = loudness->integrated;
  sound->range = loudness->range;
  sound->true_peak = -INFINITY;
  if (loudness->true_peak == NULL)
    return;
  for (guint c = 0; c < result->n_components; c++)
    sound->true_peak = fmax (sound->true_peak, loudness->true_peak[c]);
}

/**
 * histo_sound_result_set:
 * @sound: (out): everything but the times
 * @result: of audio
 * @names: (nullable): of its channels; %NULL: they get numbers
 */
void
histo_sound_result_set (HistoSoundResult * sound, const HistoResult * result,
    gchar ** names)
{
  const gboolean has_names = names != NULL
      && g_strv_length (names) == result->n_components;

  memset (sound, 0, sizeof *sound);
  sound->start = sound->end = GST_CLOCK_TIME_NONE;
  sound->n_channels = result->n_components;
  sound->n_samples = result->n_samples;
  sound->rate = result->rate;
  for (guint c = 0; c < MIN (sound->n_channels, HISTO_MOST_METERS); c++) {
    HistoChannelName *name = &sound->channels[c].name;

    set_channel (sound, result, c);
    if (has_names)
      g_strlcpy (*name, names[c], sizeof *name);
    else
      g_snprintf (*name, sizeof *name, "%u", c + 1);
  }
  set_pairs (sound, result);
  if (histo_result_has_group (result, HISTO_GROUP_LOUDNESS))
    set_loudness (sound, result);
}

/* ---- The meters -------------------------------------------------------------------- */

/* No buffer has come. */
void
histo_meters_reset (HistoMeters * meters)
{
  memset (meters, 0, sizeof *meters);
  meters->time = GST_CLOCK_TIME_NONE;
  for (guint c = 0; c < HISTO_MOST_METERS; c++) {
    HistoMeter *meter = &meters->meters[c];

    meter->bar = meter->rms = meter->mark = HISTO_METER_FLOOR;
    meter->mark_time = meter->clip_time = GST_CLOCK_TIME_NONE;
  }
}

/* Nanoseconds from @since to @time; 0 if one is unknown or time goes back. */
static guint64
elapsed (guint64 since, guint64 time)
{
  if (!GST_CLOCK_TIME_IS_VALID (since) || !GST_CLOCK_TIME_IS_VALID (time)
      || time < since)
    return 0;
  return time - since;
}

/* Lets the bar and the mark of a meter fall until @time. */
static void
fall (HistoMeter * meter, guint64 from, guint64 time,
    const HistoOverlaySettings * settings)
{
  const gdouble rate = settings->peak_falloff / GST_SECOND;
  guint64 age;

  meter->bar = MAX (meter->bar - rate * elapsed (from, time),
      HISTO_METER_FLOOR);
  /* The time of the mark is unknown if the sound had no times. Its age counts from now. */
  if (!GST_CLOCK_TIME_IS_VALID (meter->mark_time))
    meter->mark_time = time;
  age = elapsed (meter->mark_time, time);
  if (age > settings->peak_ttl)
    meter->mark = MAX (meter->mark - rate * MIN (age - settings->peak_ttl,
            elapsed (from, time)), meter->bar);
}

/**
 * histo_meters_advance:
 * @time: running time in ns that the meters shall show; GST_CLOCK_TIME_NONE: unknown
 *
 * The bars and marks fall until then. After the end of the sound the RMS is never above its bar. If time
 * goes back, nothing changes.
 */
void
histo_meters_advance (HistoMeters * meters, guint64 time,
    const HistoOverlaySettings * settings)
{
  if (!GST_CLOCK_TIME_IS_VALID (time)
      || (GST_CLOCK_TIME_IS_VALID (meters->time) && time <= meters->time))
    return;
  for (guint c = 0; c < MIN (meters->latest.n_channels, HISTO_MOST_METERS); c++) {
    HistoMeter *meter = &meters->meters[c];

    fall (meter, meters->time, time, settings);
    if (GST_CLOCK_TIME_IS_VALID (meters->latest.end)
        && time > meters->latest.end)
      meter->rms = MIN (meter->rms, meter->bar);
  }
  meters->time = time;
}

/* The integrated loudness is infinite until the first block above the gate, and then never again, unless the loudness
 * is measured anew. */
static void
count_loudness (HistoMeters * meters, const HistoSoundResult * sound)
{
  const HistoSoundResult *before = &meters->latest;

  if (!sound->has_loudness || !before->has_loudness || sound->rate != before->rate
      || (isfinite (before->integrated) && !isfinite (sound->integrated)))
    meters->n_samples_of_loudness = 0;
  if (sound->has_loudness)
    meters->n_samples_of_loudness += MIN (sound->n_samples, G_MAXINT64 - meters->n_samples_of_loudness);
}

static void
add_channel (HistoMeter * meter, const HistoSoundResult * sound, guint c,
    guint64 time)
{
  const gdouble peak = sound->channels[c].peak;

  meter->bar = MAX (meter->bar, peak);
  meter->rms = sound->channels[c].rms;
  if (meter->bar >= meter->mark) {
    meter->mark = meter->bar;
    meter->mark_time = time;
  }
  if (sound->channels[c].is_clipped)
    meter->clip_time = time;
}

/**
 * histo_meters_add:
 * @sound: the next buffer
 *
 * If the number of channels changes, the meters begin anew.
 */
void
histo_meters_add (HistoMeters * meters, const HistoSoundResult * sound,
    const HistoOverlaySettings * settings)
{
  if (meters->latest.n_channels != sound->n_channels)
    histo_meters_reset (meters);
  histo_meters_advance (meters, sound->start, settings);
  count_loudness (meters, sound);
  meters->latest = *sound;
  if (!GST_CLOCK_TIME_IS_VALID (meters->time))
    meters->time = sound->start;
  for (guint c = 0; c < MIN (sound->n_channels, HISTO_MOST_METERS); c++)
    add_channel (&meters->meters[c], sound, c, meters->time);
}

/* Returns: NaN: there is none, or the sound has ended some time ago */
gfloat
histo_meters_get_correlation (const HistoMeters * meters, guint pair)
{
  const HistoSoundResult *latest = &meters->latest;

  if (elapsed (latest->end, meters->time) > PAIR_TIME)
    return NAN;
  /* A result comes from outside: its numbers may be any. */
  return CLAMP (latest->pairs[pair].correlation, -1, 1);
}

/* The latest result must have the loudness. */
HistoLoudnessMeter
histo_meters_get_loudness (const HistoMeters * meters)
{
  const HistoSoundResult *latest = &meters->latest;
  const gdouble time = meters->n_samples_of_loudness / (gdouble) MAX (latest->rate, 1);
  HistoLoudnessMeter loudness = {
    NAN, NAN, latest->integrated, NAN, latest->true_peak
  };

  if (time >= MOMENTARY_TIME)
    loudness.momentary = latest->momentary;
  if (time >= SHORT_TERM_TIME) {
    loudness.short_term = latest->short_term;
    /* Silence has none; the results have 0. */
    if (isfinite (latest->integrated))
      loudness.range = latest->range;
  }
  return loudness;
}

gboolean
histo_meter_is_clipped (const HistoMeters * meters, guint channel)
{
  const guint64 since = meters->meters[channel].clip_time;

  return GST_CLOCK_TIME_IS_VALID (since)
      && elapsed (since, meters->time) < CLIP_TIME;
}

/* ---- The panel --------------------------------------------------------------------- */

/* A meter for each channel, and the loudness.
 *
 * A meter's wide bar is the peak, the narrow one the RMS, the line the peak mark, and the lamp above
 * is lit after clipping. The scale goes from -60 dB to 0 dB of full scale. Below the meters of a pair of channels is a
 * trough of its own with a bar of their correlation: from the middle to the left end, -1, or to the right one, 1. An
 * inverted pair has a warning in its place. The loudness has a bar of the momentary loudness, 18 LU below to 9 LU above the
 * target, with a scale, and its figures with their units. Only the integrated loudness is judged by the target, and the
 * true peak by its limit. Panels lower than LEAST_HEIGHT_WITH_UNITS have no room for the units and the scale of the
 * loudness. */

#define LOWEST_LEVEL -60.0
/* Where the bars change their colour, in dB; EBU R 68: the alignment level is -18 dB. */
#define YELLOW_LEVEL -18.0
#define RED_LEVEL -6.0
#define LU_BELOW 18.0
#define LU_ABOVE 9.0
/* Around the target, in LU, in which the integrated loudness is as wanted. */
#define TOLERANCE 1.0
/* EBU R 128: the greatest true peak that is permitted, in dBTP. */
#define MOST_TRUE_PEAK -1.0

#define GREEN 0xff35c46au
#define YELLOW 0xffe8c33cu
#define RED 0xfff0503cu

/* The figures of the loudness, from above. */
enum
{
  FIGURE_MOMENTARY,
  FIGURE_SHORT_TERM,
  FIGURE_INTEGRATED,
  FIGURE_RANGE,
  FIGURE_TRUE_PEAK,
  N_FIGURES
};

/* Widths as shares of the height. */
#define SCALE_WIDTH 0.19
#define METER_WIDTH 0.12
/* Up to so many meters are wider, up to MOST_METER_WIDTH, if their longest name needs it: CHARACTER_WIDTH is that of a
 * character as a share of the font. */
#define MOST_WIDE_METERS 12
#define MOST_METER_WIDTH 0.2
#define CHARACTER_WIDTH 0.62
#define LEAST_METERS_WIDTH 0.26
#define LOUDNESS_WIDTH 0.72
#define LOUDNESS_BAR_WIDTH 0.08
#define LOUDNESS_SCALE_WIDTH 0.17
#define LOUDNESS_UNITS_WIDTH 0.19
#define PAD_WIDTH 0.05
#define LEAST_HEIGHT_WITH_UNITS 120
/* Text in a narrow place is at least so high, in pixels. */
#define LEAST_NARROW_FONT 8
/* The height of the numbers below a trough as a share of the font. Where it is less than LEAST_PAIR_FONT pixels, there are
 * none. */
#define PAIR_FONT 0.75
#define LEAST_PAIR_FONT 9

typedef struct
{
  guint n_meters;               /* 0: none are shown */
  HistoChannelName names[HISTO_MOST_METERS];
  guint longest_name;           /* characters */
  gboolean has_loudness;
  gdouble target;               /* LUFS; 0 without loudness */
  guint n_pairs;
  struct
  {
    guint8 first, second;
  } pairs[HISTO_MOST_METERS / 2];
} Base;

/* In pixels from the bottom. */
typedef struct
{
  guint16 bar, rms, mark;
  guint8 is_clipped;
} MeterPixels;

/* In pixels to the right of the middle; negative: to the left. */
typedef struct
{
  gint16 correlation;
  guint8 is_inverted, is_known;
} PairPixels;

typedef struct
{
  Base base;
  MeterPixels meters[HISTO_MOST_METERS];
  PairPixels pairs[HISTO_MOST_METERS / 2];
  guint16 momentary;            /* pixels from the bottom */
  gchar figures[N_FIGURES][16];
  guint32 colors[N_FIGURES];
} Description;

/* ---- Where everything is ----------------------------------------------------------- */

static guint
count_meters (const HistoScene * scene, guint number)
{
  return scene->settings->show & HISTO_SHOW_METERS ?
      MIN (scene->sounds[number]->latest.n_channels, HISTO_MOST_METERS) : 0;
}

static gboolean
shows_loudness (const HistoScene * scene, guint number)
{
  return (scene->settings->show & HISTO_SHOW_LOUDNESS) != 0
      && scene->sounds[number]->latest.has_loudness;
}

static guint
find_longest_name (const HistoScene * scene, guint number)
{
  const guint n = count_meters (scene, number);
  gsize longest = 0;

  for (guint c = 0; c < n; c++)
    longest = MAX (longest, strlen (scene->sounds[number]->latest.channels[c].name));
  return (guint) longest;
}

/* @height: of the panel */
static gdouble
find_meters_width (guint n, guint longest_name, gint height)
{
  const gdouble needed = (longest_name * CHARACTER_WIDTH * LEAST_NARROW_FONT + 1) / height;
  const gdouble width = n <= MOST_WIDE_METERS ? CLAMP (needed, METER_WIDTH, MOST_METER_WIDTH) : METER_WIDTH;

  return n == 0 ? 0 : MAX (n * width, LEAST_METERS_WIDTH);
}

/* Whether a panel of this height has room for units, and for the scale of the loudness. */
static gboolean
has_units (gint height)
{
  return height >= LEAST_HEIGHT_WITH_UNITS;
}

/* With the scale of the bar and the units, if these have room. */
static gdouble
find_loudness_width (gint height)
{
  return LOUDNESS_WIDTH + (has_units (height) ? LOUDNESS_SCALE_WIDTH + LOUDNESS_UNITS_WIDTH : 0);
}

/* @height: of the panel */
static gdouble
find_aspect (guint n_meters, guint longest_name, gboolean has_loudness, gint height)
{
  gdouble aspect = PAD_WIDTH;

  if (n_meters > 0)
    aspect += SCALE_WIDTH + find_meters_width (n_meters, longest_name, height) + PAD_WIDTH;
  if (has_loudness)
    aspect += find_loudness_width (height) + PAD_WIDTH;
  return aspect;
}

static HistoSize
find_size (const HistoScene * scene, guint number, gint height)
{
  const guint n = count_meters (scene, number);
  const gboolean has_loudness = shows_loudness (scene, number);
  const HistoSize nothing = { 0, 0 };

  if (n == 0 && !has_loudness)
    return nothing;
  return histo_panel_size (scene, height, height * find_aspect (n,
          find_longest_name (scene, number), has_loudness, height));
}

/* The panel's height at square pixels, in pixels of its width. */
static gdouble
find_unit (HistoSize size, const Base * base)
{
  return size.width / find_aspect (base->n_meters, base->longest_name, base->has_loudness, size.height);
}

/* @from, @width: shares of the panel's height at square pixels. Room for labels is left below. */
static HistoBox
find_box (HistoSize size, const Base * base, gdouble from, gdouble width)
{
  const gdouble unit = find_unit (size, base);
  const HistoBox plot = histo_plot_box (size, 0, 1);
  const gint labels = plot.y < histo_font_size (size.height) ? 0 :
      histo_font_size (size.height);
  const gint left = (gint) (from * unit + 0.5);
  const HistoBox box = { left, plot.y,
    MAX ((gint) ((from + width) * unit + 0.5) - left, 1),
    MAX (plot.height - labels, 1)
  };

  return box;
}

/* The height of the text below the troughs; 0: none. */
static gint
find_pair_font (HistoSize size)
{
  const gint font = (gint) (histo_font_size (size.height) * PAIR_FONT);

  return font >= LEAST_PAIR_FONT ? font : 0;
}

/* The height of the troughs of the pairs, of the gap above them, and of their scales. */
static gint
find_pair_height (HistoSize size, const Base * base)
{
  return base->n_pairs > 0 ? MAX (size.height / 12, 4) + find_pair_font (size) : 0;
}

static HistoBox
find_meters_box (HistoSize size, const Base * base)
{
  HistoBox box = find_box (size, base, PAD_WIDTH + SCALE_WIDTH,
      find_meters_width (base->n_meters, base->longest_name, size.height));

  box.height = MAX (box.height - find_pair_height (size, base), 1);
  return box;
}

static HistoBox
find_meter_box (HistoSize size, const Base * base, guint channel)
{
  const HistoBox all = find_meters_box (size, base);
  const gint n = base->n_meters, c = channel;
  const gint left = c * all.width / n, right = (c + 1) * all.width / n;
  const gint gap = right - left > 4 ? MAX ((right - left) / 6, 1) : 0;
  const HistoBox box = { all.x + left + gap / 2, all.y,
    MAX (right - left - gap, 1), all.height
  };

  return box;
}

/* Below both meters and their labels. */
static HistoBox
find_pair_box (HistoSize size, const Base * base, guint pair)
{
  const HistoBox first = find_meter_box (size, base, base->pairs[pair].first);
  const HistoBox second = find_meter_box (size, base, base->pairs[pair].second);
  const gint trough = MAX (size.height / 22, HISTO_LEAST_COLORED);
  const gint left = MIN (first.x, second.x);
  const gint right = MAX (first.x + first.width, second.x + second.width);
  const HistoBox plot = histo_plot_box (size, 0, 1);
  const HistoBox box = { left, plot.y + plot.height - find_pair_font (size) - trough - trough / 4,
    right - left, trough
  };

  return box;
}

static HistoBox
find_loudness_box (HistoSize size, const Base * base)
{
  const gdouble from = base->n_meters > 0 ?
      2 * PAD_WIDTH + SCALE_WIDTH + find_meters_width (base->n_meters, base->longest_name, size.height) :
      PAD_WIDTH;

  return find_box (size, base, from, find_loudness_width (size.height));
}

/* A share of the panel's height at square pixels, in pixels of the loudness' box. */
static gint
loudness_pixels (HistoSize size, const Base * base, gdouble share)
{
  return (gint) (share * find_unit (size, base) + 0.5);
}

static HistoBox
find_momentary_box (HistoSize size, const Base * base)
{
  HistoBox box = find_loudness_box (size, base);

  if (has_units (size.height))
    box.x += loudness_pixels (size, base, LOUDNESS_SCALE_WIDTH);
  box.width = MAX (loudness_pixels (size, base, LOUDNESS_BAR_WIDTH), HISTO_LEAST_COLORED);
  return box;
}

/* ---- From levels to pixels --------------------------------------------------------- */

static gint
level_to_pixels (gdouble level, gint height)
{
  return histo_share_to_pixels ((level - LOWEST_LEVEL) / -LOWEST_LEVEL, height);
}

static void
describe_figure (gchar * text, gsize size, gdouble number)
{
  if (isnan (number))
    g_strlcpy (text, "\342\200\223", size);
  else if (isfinite (number) && fabs (number) < 1000)
    g_snprintf (text, size, "%.1f", number);
  else
    g_strlcpy (text, number > 0 ? "\342\210\236" :
        "\342\200\223\342\210\236", size);
}

static void
describe_loudness (const HistoScene * scene, const HistoMeters * meters,
    HistoSize size, Description * d)
{
  const HistoLoudnessMeter loudness = histo_meters_get_loudness (meters);
  const gdouble target = scene->settings->loudness_target;
  const gdouble figures[N_FIGURES] = {
    [FIGURE_MOMENTARY] = loudness.momentary,
    [FIGURE_SHORT_TERM] = loudness.short_term,
    [FIGURE_INTEGRATED] = loudness.integrated,
    [FIGURE_RANGE] = loudness.range,
    [FIGURE_TRUE_PEAK] = loudness.true_peak
  };

  for (guint i = 0; i < N_FIGURES; i++) {
    describe_figure (d->figures[i], sizeof d->figures[i], figures[i]);
    d->colors[i] = scene->settings->style.color;
  }
  if (isfinite (loudness.integrated))
    d->colors[FIGURE_INTEGRATED] = loudness.integrated > target + TOLERANCE ? RED :
        loudness.integrated < target - TOLERANCE ? YELLOW : GREEN;
  if (loudness.true_peak > MOST_TRUE_PEAK)
    d->colors[FIGURE_TRUE_PEAK] = RED;
  d->momentary = histo_share_to_pixels ((loudness.momentary - target + LU_BELOW)
      / (LU_BELOW + LU_ABOVE), find_momentary_box (size, &d->base).height);
}

static void
describe (const HistoScene * scene, guint number, HistoSize size,
    gpointer description)
{
  const HistoMeters *meters = scene->sounds[number];
  Description *d = description;

  d->base.n_meters = count_meters (scene, number);
  for (guint c = 0; c < d->base.n_meters; c++)
    g_strlcpy (d->base.names[c], meters->latest.channels[c].name,
        sizeof d->base.names[c]);
  d->base.longest_name = find_longest_name (scene, number);
  d->base.has_loudness = shows_loudness (scene, number);
  d->base.target = d->base.has_loudness ? scene->settings->loudness_target : 0;
  d->base.n_pairs = d->base.n_meters > 0 ? meters->latest.n_pairs : 0;
  for (guint i = 0; i < d->base.n_pairs; i++) {
    d->base.pairs[i].first = meters->latest.pairs[i].first;
    d->base.pairs[i].second = meters->latest.pairs[i].second;
  }
  for (guint i = 0; i < d->base.n_pairs; i++) {
    const gfloat correlation = histo_meters_get_correlation (meters, i);

    if (isnan (correlation))
      continue;
    d->pairs[i].is_known = TRUE;
    d->pairs[i].is_inverted = meters->latest.pairs[i].is_inverted;
    d->pairs[i].correlation = (gint16) rintf (correlation * (find_pair_box (size, &d->base, i).width / 2));
  }
  for (guint c = 0; c < d->base.n_meters; c++) {
    const gint height = find_meter_box (size, &d->base, c).height;
    const HistoMeter *meter = &meters->meters[c];

    d->meters[c].bar = level_to_pixels (meter->bar, height);
    d->meters[c].rms = level_to_pixels (meter->rms, height);
    d->meters[c].mark = level_to_pixels (meter->mark, height);
    d->meters[c].is_clipped = histo_meter_is_clipped (meters, c);
  }
  if (d->base.has_loudness)
    describe_loudness (scene, meters, size, d);
}

/* ---- The base ---------------------------------------------------------------------- */

static void
draw_scale (HistoCanvas * canvas, const Base * base)
{
  static const gint levels[] = { 0, -10, -20, -30, -40, -50, -60 };
  const HistoBox box = find_meters_box (canvas->size, base);
  const gint font = histo_font_size (canvas->size.height);
  const gint step = box.height / 6 >= font ? 1 : box.height / 3 >= font ? 2 : 3;

  for (gint i = 0; i < (gint) G_N_ELEMENTS (levels); i++) {
    const gint y = box.y + box.height - level_to_pixels (levels[i], box.height);
    const HistoBox line = { box.x, y, box.width, 1 };
    gchar text[8];

    histo_canvas_fill (canvas, line,
        histo_color_fade (canvas->style->color, 0.15));
    if (i % step != 0)
      continue;
    g_snprintf (text, sizeof text, "%d", levels[i]);
    histo_canvas_set_color (canvas, canvas->style->color, 0.7);
    histo_canvas_text (canvas, font, box.x - font / 3.0, y + font * 0.36,
        HISTO_ALIGN_RIGHT, text);
  }
}

/* Text in a place of this width: smaller if it must be, and none if it would be too small.
 *
 * Returns: whether it is drawn */
static gboolean
draw_narrow_text (HistoCanvas * canvas, gdouble font, gdouble room, gdouble x,
    gdouble y, HistoAlign align, const gchar * text)
{
  const gdouble width = histo_text_width (canvas->style, font, text);
  const gdouble size = width > room ? font * room / width : font;
  const gboolean has_room = size >= MIN (font, LEAST_NARROW_FONT);

  if (has_room)
    histo_canvas_text (canvas, size, x, y, align, text);
  return has_room;
}

static void
draw_meter_base (HistoCanvas * canvas, const Base * base, guint channel)
{
  const HistoBox all = find_meters_box (canvas->size, base);
  const HistoBox box = find_meter_box (canvas->size, base, channel);
  const gint font = histo_font_size (canvas->size.height);

  histo_canvas_fill (canvas, box, histo_color_fade (canvas->style->color,
          0.08));
  if (box.y < font)
    return;
  histo_canvas_set_color (canvas, canvas->style->color, 0.8);
  draw_narrow_text (canvas, font, all.width / (gdouble) base->n_meters,
      box.x + box.width / 2.0, box.y + box.height + font * 0.95,
      HISTO_ALIGN_CENTER, base->names[channel]);
}

/* The trough, with ticks at its ends and in its middle that are higher than the bar, and with numbers below them. */
static void
draw_pair_base (HistoCanvas * canvas, const Base * base, guint pair)
{
  static const gchar *const numbers[] = { "\342\210\2221", "0", "1" };
  static const HistoAlign aligns[] = { HISTO_ALIGN_LEFT, HISTO_ALIGN_CENTER, HISTO_ALIGN_RIGHT };
  const HistoBox box = find_pair_box (canvas->size, base, pair);
  const gint font = find_pair_font (canvas->size), over = MAX (box.height / 4, 1);
  const gint width = MAX (canvas->size.height / 180, 1);

  histo_canvas_fill (canvas, box, histo_color_fade (canvas->style->color,
          0.15));
  for (gint i = 0; i < 3; i++) {
    const gint x = box.x + i * box.width / 2;
    const HistoBox tick = { x - i * width / 2, box.y - over, width, box.height + 2 * over };

    histo_canvas_fill (canvas, tick, histo_color_fade (canvas->style->color, 0.7));
    histo_canvas_set_color (canvas, canvas->style->color, 0.7);
    if (font > 0)
      draw_narrow_text (canvas, font, box.width / 2.0 - font * 0.6, x,
          box.y + box.height + over + font * 0.8, aligns[i], numbers[i]);
  }
}

/* Left of the first trough: of panels without numbers below the troughs it is the only text, and small. */
static void
draw_pair_title (HistoCanvas * canvas, const Base * base)
{
  const HistoBox meters = find_meters_box (canvas->size, base);
  const HistoBox box = find_pair_box (canvas->size, base, 0);
  const gint font = MAX (find_pair_font (canvas->size), LEAST_PAIR_FONT);

  if (meters.y < histo_font_size (canvas->size.height))
    return;
  histo_canvas_set_color (canvas, canvas->style->color, 0.7);
  draw_narrow_text (canvas, font, meters.x - font * 0.6, meters.x - font * 0.4, box.y + box.height / 2.0 + font * 0.36,
      HISTO_ALIGN_RIGHT, "corr.");
}

/* The right edge of the figures, which are before their units. */
static gint
find_figures_right (HistoSize size, const Base * base)
{
  const HistoBox box = find_loudness_box (size, base);

  return box.x + box.width - (has_units (size.height) ? loudness_pixels (size, base, LOUDNESS_UNITS_WIDTH) : 0);
}

static gdouble
figure_y (HistoBox box, guint i)
{
  return box.y + box.height * (i + 0.72) / N_FIGURES;
}

static gint
figure_size (HistoSize size)
{
  return MAX (size.height * 2 / 23, 9);
}

/* Marks of the momentary loudness, in LUFS: the ends, the target, and the middle between the target and the lower end. */
static void
draw_loudness_scale (HistoCanvas * canvas, const Base * base)
{
  static const gdouble marks[] = { LU_ABOVE, 0, -LU_BELOW / 2, -LU_BELOW };
  const HistoBox box = find_loudness_box (canvas->size, base);
  const HistoBox bar = find_momentary_box (canvas->size, base);
  const gint font = histo_font_size (canvas->size.height);

  for (guint i = 0; i < G_N_ELEMENTS (marks); i++) {
    const gint y = bar.y + bar.height - histo_share_to_pixels ((marks[i] + LU_BELOW) / (LU_BELOW + LU_ABOVE),
        bar.height);
    const HistoBox line = { bar.x - font / 4, y, bar.width + font / 4, 1 };
    gchar text[16];

    histo_canvas_fill (canvas, line, histo_color_fade (canvas->style->color, 0.3));
    g_snprintf (text, sizeof text, "%g", round (10 * (base->target + marks[i])) / 10);
    histo_canvas_set_color (canvas, canvas->style->color, 0.7);
    draw_narrow_text (canvas, font, bar.x - font / 2.0 - box.x, bar.x - font / 2.0, y + font * 0.36, HISTO_ALIGN_RIGHT,
        text);
  }
}

static void
draw_loudness_base (HistoCanvas * canvas, const Base * base)
{
  static const struct
  {
    const gchar *name, *unit;
  } figures[N_FIGURES] = {
    [FIGURE_MOMENTARY] = {"M", "LUFS"},
    [FIGURE_SHORT_TERM] = {"S", "LUFS"},
    [FIGURE_INTEGRATED] = {"I", "LUFS"},
    [FIGURE_RANGE] = {"LRA", "LU"},
    [FIGURE_TRUE_PEAK] = {"TP", "dBTP"}
  };
  const HistoBox box = find_loudness_box (canvas->size, base);
  const HistoBox bar = find_momentary_box (canvas->size, base);
  const HistoBox target = { bar.x - 2, bar.y + bar.height
        - histo_share_to_pixels (LU_BELOW / (LU_BELOW + LU_ABOVE), bar.height),
    bar.width + 4, MAX (canvas->size.height / 135, 1)
  };

  histo_canvas_fill (canvas, bar, histo_color_fade (canvas->style->color,
          0.08));
  if (has_units (canvas->size.height))
    draw_loudness_scale (canvas, base);
  histo_canvas_fill (canvas, target, canvas->style->color);
  histo_canvas_set_color (canvas, canvas->style->color, 0.7);
  for (guint i = 0; i < N_FIGURES; i++) {
    histo_canvas_text (canvas, figure_size (canvas->size),
        bar.x + bar.width * 1.7, figure_y (box, i), HISTO_ALIGN_LEFT,
        figures[i].name);
    if (has_units (canvas->size.height))
      histo_canvas_text (canvas, histo_small_font_size (canvas->size.height), find_figures_right (canvas->size, base)
          + histo_font_size (canvas->size.height) / 4.0, figure_y (box, i), HISTO_ALIGN_LEFT, figures[i].unit);
  }
}

static void
draw_title (HistoCanvas * canvas, HistoBox box, HistoAlign align,
    const gchar * text)
{
  const gint font = histo_font_size (canvas->size.height);

  if (box.y < font)
    return;
  histo_canvas_set_color (canvas, canvas->style->color, 0.7);
  histo_canvas_text (canvas, font, box.x, MAX (box.y - font * 0.65,
          font * 0.9), align, text);
}

static void
draw_base (HistoCanvas * canvas, gconstpointer base)
{
  const Base *b = base;

  if (b->n_meters > 0) {
    HistoBox box = find_meters_box (canvas->size, b);

    draw_scale (canvas, b);
    box.x -= histo_font_size (canvas->size.height) / 3;
    draw_title (canvas, box, HISTO_ALIGN_RIGHT,
        has_units (canvas->size.height) ? "dBFS" : "dB");
  }
  for (guint c = 0; c < b->n_meters; c++)
    draw_meter_base (canvas, b, c);
  for (guint i = 0; i < b->n_pairs; i++)
    draw_pair_base (canvas, b, i);
  if (b->n_pairs > 0)
    draw_pair_title (canvas, b);
  if (b->has_loudness) {
    HistoBox box = find_loudness_box (canvas->size, b);
    gchar target[24];

    draw_loudness_base (canvas, b);
    draw_title (canvas, box, HISTO_ALIGN_LEFT, "LUFS");
    box.x += box.width;
    g_snprintf (target, sizeof target, "target %g", b->target);
    if (box.width * canvas->style->pixel_aspect > 9 * histo_font_size (canvas->size.height))
      draw_title (canvas, box, HISTO_ALIGN_RIGHT, target);
  }
}

/* ---- The bars and figures ---------------------------------------------------------- */

/* Fills a box from the bottom, from one height to another. */
static void
fill_between (HistoCanvas * canvas, HistoBox box, gint low, gint high,
    guint32 color)
{
  const HistoBox part = { box.x, box.y + box.height - high, box.width,
    high - low
  };

  if (high > low)
    histo_canvas_fill (canvas, part, color);
}

static void
draw_bar (HistoCanvas * canvas, HistoBox box, gint height, gdouble alpha)
{
  const gint yellow = level_to_pixels (YELLOW_LEVEL, box.height);
  const gint red = level_to_pixels (RED_LEVEL, box.height);

  fill_between (canvas, box, 0, MIN (height, yellow),
      histo_color_fade (GREEN, alpha));
  fill_between (canvas, box, yellow, MIN (height, red),
      histo_color_fade (YELLOW, alpha));
  fill_between (canvas, box, red, height, histo_color_fade (RED, alpha));
}

static void
draw_meter (HistoCanvas * canvas, HistoBox box, const MeterPixels * meter)
{
  const gint thickness = MAX (canvas->size.height / 135, 1);
  const HistoBox lamp = { box.x, box.y - 3 * thickness - 1, box.width,
    2 * thickness + 1
  };
  HistoBox inner = box;

  inner.x += box.width / 4;
  inner.width = MAX (box.width - box.width / 4 * 2, 1);
  draw_bar (canvas, box, meter->bar, 0.6);
  draw_bar (canvas, inner, meter->rms, 1);
  if (meter->mark > 0)
    fill_between (canvas, box, meter->mark - thickness, meter->mark,
        canvas->style->color);
  if (meter->is_clipped)
    histo_canvas_fill (canvas, lamp, RED);
}

/* Green: in phase; yellow: more opposite than alike. Correlation 0 is a line. */
static void
draw_pair (HistoCanvas * canvas, HistoBox box, const PairPixels * pair)
{
  const gint middle = box.x + box.width / 2;
  const HistoBox part = { MIN (middle, middle + pair->correlation), box.y,
    MAX (ABS (pair->correlation), HISTO_LEAST_COLORED), box.height
  };

  if (pair->is_known)
    histo_canvas_fill (canvas, part, pair->correlation < 0 ? YELLOW : GREEN);
}

/* What lies below the meters of an inverted pair is covered, because a red bar alone is not seen from a distance. Nothing
 * is lost: the correlation of such a pair is nearly -1. The word is there, too; if it has no room, it is in the place of the
 * name of the correlation. The first pair has both places. */
static void
draw_phase_warning (HistoCanvas * canvas, const Description * d)
{
  const HistoBox meters = find_meters_box (canvas->size, &d->base), plot = histo_plot_box (canvas->size, 0, 1);
  const gint height = MIN (find_pair_height (canvas->size, &d->base), plot.height);
  const gint font = MIN (histo_font_size (canvas->size.height), height), y = plot.y + plot.height - height;
  const gboolean has_text = font >= LEAST_NARROW_FONT;
  /* What is covered shall not shine through. */
  const guint32 color = canvas->style->alert_color | 0xff000000u;
  gboolean is_homeless = FALSE;

  for (guint i = 0; i < d->base.n_pairs; i++) {
    const HistoBox trough = find_pair_box (canvas->size, &d->base, i);
    /* All that lies below both meters and their labels: the trough, the gap above it, and its scale. */
    const gint x = i == 0 ? plot.x : trough.x;
    const HistoBox strip = { x, y, trough.x + trough.width - x, height };

    if (!d->pairs[i].is_known || !d->pairs[i].is_inverted)
      continue;
    histo_canvas_fill (canvas, strip, color);
    histo_canvas_set_color (canvas, canvas->style->color, 1);
    if (has_text && !draw_narrow_text (canvas, font, strip.width - 2, strip.x + strip.width / 2.0,
            strip.y + strip.height / 2.0 + font * 0.36, HISTO_ALIGN_CENTER, "PHASE"))
      is_homeless = TRUE;
  }
  if (is_homeless && !(d->pairs[0].is_known && d->pairs[0].is_inverted)) {
    const HistoBox title = { plot.x, y, meters.x - plot.x, height };

    histo_canvas_fill (canvas, title, color);
    histo_canvas_set_color (canvas, canvas->style->color, 1);
    draw_narrow_text (canvas, font, title.width - 2, title.x + title.width / 2.0, y + height / 2.0 + font * 0.36,
        HISTO_ALIGN_CENTER, "PHASE");
  }
}

static void
draw_loudness (HistoCanvas * canvas, const Description * d)
{
  const HistoBox box = find_loudness_box (canvas->size, &d->base);
  const HistoBox bar = find_momentary_box (canvas->size, &d->base);

  /* The marks are seen through it. */
  fill_between (canvas, bar, 0, d->momentary, histo_color_fade (canvas->style->color, 0.6));
  for (guint i = 0; i < N_FIGURES; i++) {
    histo_canvas_set_color (canvas, d->colors[i], 1);
    histo_canvas_text (canvas, figure_size (canvas->size),
        find_figures_right (canvas->size, &d->base), figure_y (box, i),
        HISTO_ALIGN_RIGHT, d->figures[i]);
  }
}

static void
draw (HistoCanvas * canvas, gconstpointer description)
{
  const Description *d = description;

  for (guint c = 0; c < d->base.n_meters; c++)
    draw_meter (canvas, find_meter_box (canvas->size, &d->base, c),
        &d->meters[c]);
  for (guint i = 0; i < d->base.n_pairs; i++)
    draw_pair (canvas, find_pair_box (canvas->size, &d->base, i),
        &d->pairs[i]);
  draw_phase_warning (canvas, d);
  if (d->base.has_loudness)
    draw_loudness (canvas, d);
}

const HistoPanelType histo_sound_panel = {
  sizeof (Description), sizeof (Base), find_size, describe, draw_base, draw
};
