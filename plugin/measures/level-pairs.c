/* The pairs of channels of the group `level`; see level-pairs.h.
 *
 * The sums of a buffer, or of a window, are added up in pieces that stay in the CPU's first cache. The figures follow
 * from them. How long a pair is inverted, or its channels are alike, is counted in samples from buffer to buffer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/level-pairs.h"

#include <math.h>

#include "measures/level-totals.h"
#include "measures/samples.h"

/* Left and right. */
static const struct
{
  GstAudioChannelPosition first, second;
} neighbours[] = {
#define SIDES(name) {GST_AUDIO_CHANNEL_POSITION_##name##_LEFT, GST_AUDIO_CHANNEL_POSITION_##name##_RIGHT}
  SIDES (FRONT), SIDES (REAR), SIDES (SIDE),
  {GST_AUDIO_CHANNEL_POSITION_FRONT_LEFT_OF_CENTER,
      GST_AUDIO_CHANNEL_POSITION_FRONT_RIGHT_OF_CENTER},
  SIDES (TOP_FRONT), SIDES (TOP_REAR), SIDES (TOP_SIDE), SIDES (WIDE),
  SIDES (SURROUND), SIDES (BOTTOM_FRONT)
#undef SIDES
};

typedef struct
{
  guint first, second;          /* numbers of the channels */
  guint64 inverted, dual_mono;  /* samples for which this has lasted */
  HistoLevelPairSums window;
  guint window_inverted, window_dual_mono;      /* the greatest ones of its buffers */
} Pair;

struct _HistoLevelPairs
{
  HistoFormat *format;
  const HistoLevelLoops *loops;
  guint n;
  Pair *pairs;
  gdouble rooms[2][HISTO_LEVEL_PIECE];
};

/* ---- Which pairs there are ------------------------------------------------------------------ */

/* Returns: the number of the channel; -1: there is none at this position */
static gint
find_channel (const GstAudioInfo * info, GstAudioChannelPosition position)
{
  for (gint c = 0; c < GST_AUDIO_INFO_CHANNELS (info); c++) {
    if (info->position[c] == position)
      return c;
  }
  return -1;
}

static void
add_pair (HistoLevelPairs * pairs, guint first, guint second)
{
  pairs->pairs[pairs->n].first = first;
  pairs->pairs[pairs->n].second = second;
  pairs->n++;
}

/* Without positions, as more than 64 channels always are, each two neighbours are a pair. */
static void
find_pairs (HistoLevelPairs * pairs)
{
  const GstAudioInfo *info = &pairs->format->audio;
  const guint n_channels = pairs->format->n_components;

  if (GST_AUDIO_INFO_IS_UNPOSITIONED (info)) {
    for (guint c = 0; c + 2 <= n_channels; c += 2)
      add_pair (pairs, c, c + 1);
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (neighbours); i++) {
    const gint first = find_channel (info, neighbours[i].first);
    const gint second = find_channel (info, neighbours[i].second);

    if (first >= 0 && second >= 0)
      add_pair (pairs, first, second);
  }
}

/* Returns: (transfer full): those of the format, as after a restart */
HistoLevelPairs *
histo_level_pairs_new (const HistoFormat * format)
{
  HistoLevelPairs *pairs = g_new0 (HistoLevelPairs, 1);

  pairs->format = histo_format_ref ((HistoFormat *) format);
  pairs->loops = histo_level_loops_for_cpu ();
  pairs->pairs = g_new0 (Pair, format->n_components / 2);
  find_pairs (pairs);
  return pairs;
}

void
histo_level_pairs_free (HistoLevelPairs * pairs)
{
  histo_format_unref (pairs->format);
  g_free (pairs->pairs);
  g_free (pairs);
}

guint
histo_level_pairs_count (const HistoLevelPairs * pairs)
{
  return pairs->n;
}

/* The next buffer is not the continuation of the last one. A window goes on. */
void
histo_level_pairs_restart (HistoLevelPairs * pairs)
{
  for (guint i = 0; i < pairs->n; i++)
    pairs->pairs[i].inverted = pairs->pairs[i].dual_mono = 0;
}

/* ---- Sums ----------------------------------------------------------------------------------- */

/* Moves the instants at which both samples are finite to the begin. Returns their number. */
static guint
keep_finite (gdouble * x, gdouble * y, guint n)
{
  guint n_finite = 0;

  for (guint i = 0; i < n; i++) {
    if (isfinite (x[i]) && isfinite (y[i])) {
      x[n_finite] = x[i];
      y[n_finite++] = y[i];
    }
  }
  return n_finite;
}

static void
add_sums (HistoLevelPairSums * sums, const HistoLevelPairSums * next)
{
  sums->first_squares += next->first_squares;
  sums->second_squares += next->second_squares;
  sums->products += next->products;
  sums->sum_squares += next->sum_squares;
  sums->max_difference = MAX (sums->max_difference, next->max_difference);
}

/* @sums: (out): of the channels @first and @second of the buffer */
static void
add_up (HistoLevelPairs * pairs, const HistoAudioLayout * layout, guint first,
    guint second, HistoLevelPairSums * sums)
{
  const HistoAudioSample *sample = &pairs->format->sample;
  const gsize stride = layout->sample_stride;
  gdouble *x = pairs->rooms[0], *y = pairs->rooms[1];

  memset (sums, 0, sizeof *sums);
  for (guint64 i = 0; i < layout->n_samples; i += HISTO_LEVEL_PIECE) {
    const guint n = MIN (layout->n_samples - i, HISTO_LEVEL_PIECE);
    const guint8 *data = layout->data + i * stride;
    HistoLevelPairSums piece;

    histo_samples_read (sample, data + layout->channel_offsets[first], stride,
        n, x);
    histo_samples_read (sample, data + layout->channel_offsets[second], stride,
        n, y);
    pairs->loops->add_up_pair (x, y, n, &piece);
    /* A sample that is not finite makes a sum so. */
    if (!isfinite (piece.first_squares + piece.second_squares))
      pairs->loops->add_up_pair (x, y, keep_finite (x, y, n), &piece);
    add_sums (sums, &piece);
  }
}

/* ---- Figures -------------------------------------------------------------------------------- */

/* The product of very small or very large sums may be 0 or infinite; the product of their roots is not. */
static gdouble
find_correlation (const HistoLevelPairSums * sums)
{
  const gdouble product = sums->first_squares * sums->second_squares;
  const gdouble root = isnormal (product) ? sqrt (product) :
      sqrt (sums->first_squares) * sqrt (sums->second_squares);
  const gdouble correlation = sums->products / root;

  return isnan (correlation) ? NAN : CLAMP (correlation, -1, 1);
}

/**
 * histo_level_pair_fill:
 * @figures: (out): those that follow from the sums: all but inverted and dual_mono. 0/0 is NaN: absent
 */
void
histo_level_pair_fill (HistoPairFigures * figures,
    const HistoLevelPairSums * sums)
{
  const gdouble squares = sums->first_squares + sums->second_squares;

  figures->correlation = find_correlation (sums);
  figures->mono_loss = 10 * log10 (sums->sum_squares / (2 * squares));
  figures->balance = 10 * log10 (sums->first_squares / sums->second_squares);
}

/* @is_met: whether the buffer meets a condition
 * @is_known: whether it says something of it
 * @samples: (inout): for which the condition has lasted
 *
 * Returns: whether it has lasted long enough */
static guint
follow (gboolean is_met, gboolean is_known, const HistoAudioLayout * layout,
    guint rate, guint64 * samples)
{
  if (is_met)
    *samples += layout->n_samples;
  else if (is_known)
    *samples = 0;
  return is_met && *samples >= (guint64) HISTO_PAIR_SECONDS * rate ? 1 : 0;
}

/**
 * histo_level_pairs_measure:
 * @layout: the next buffer of the stream
 * @channels: (array): the figures of its channels
 * @results: (out) (array): of each pair
 */
void
histo_level_pairs_measure (HistoLevelPairs * pairs,
    const HistoAudioLayout * layout, const HistoLevelFigures * channels,
    HistoPairResult * results)
{
  const guint rate = GST_AUDIO_INFO_RATE (&pairs->format->audio);

  for (guint i = 0; i < pairs->n; i++) {
    Pair *pair = &pairs->pairs[i];
    HistoPairFigures *figures = &results[i].figures;
    HistoLevelPairSums sums;
    gboolean is_alike, has_sound;

    add_up (pairs, layout, pair->first, pair->second, &sums);
    results[i].first = pair->first;
    results[i].second = pair->second;
    histo_level_pair_fill (figures, &sums);
    is_alike = sums.max_difference == 0;
    has_sound = sums.first_squares + sums.second_squares > 0
        && !(channels[pair->first].silent && channels[pair->second].silent);
    figures->inverted = follow (figures->correlation <= HISTO_PAIR_INVERTED,
        !isnan (figures->correlation), layout, rate, &pair->inverted);
    figures->dual_mono = follow (is_alike && has_sound, !is_alike || has_sound,
        layout, rate, &pair->dual_mono);
    add_sums (&pair->window, &sums);
    pair->window_inverted = MAX (pair->window_inverted, figures->inverted);
    pair->window_dual_mono = MAX (pair->window_dual_mono, figures->dual_mono);
  }
}

/* ---- Windows -------------------------------------------------------------------------------- */

/* The next buffer is the first one of a window. */
void
histo_level_pairs_begin_window (HistoLevelPairs * pairs)
{
  for (guint i = 0; i < pairs->n; i++) {
    Pair *pair = &pairs->pairs[i];

    memset (&pair->window, 0, sizeof pair->window);
    pair->window_inverted = pair->window_dual_mono = 0;
  }
}

/* @results: (out) (array): of each pair, of all buffers since the window began. The window goes on. */
void
histo_level_pairs_finish_window (const HistoLevelPairs * pairs,
    HistoPairResult * results)
{
  for (guint i = 0; i < pairs->n; i++) {
    const Pair *pair = &pairs->pairs[i];

    results[i].first = pair->first;
    results[i].second = pair->second;
    histo_level_pair_fill (&results[i].figures, &pair->window);
    results[i].figures.inverted = pair->window_inverted;
    results[i].figures.dual_mono = pair->window_dual_mono;
  }
}
