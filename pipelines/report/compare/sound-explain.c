/* Which changes explain the difference of two sounds; see sound-difference.h.
 *
 * A change is named if the difference without it is at least four times that with it (6 dB); a delay if it is twice.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/sound-difference.h"

#include <math.h>

#include "cudahisto/channels.h"
#include "base/describe.h"

/* The power without a change is at least so many times that with it. */
#define LEAST_GAIN 4
/* Most of the power of B must follow from A. */
#define MOST_LEFT 0.25
/* One of so many samples of a channel that was clipped is below the ceiling. */
#define LEAST_BELOW 10
/* Fewer samples at the ceiling may be a click that was mended. */
#define LEAST_AT_CEILING 3
/* Sums are rounded: a smaller share of the power is 0. In dB: -130. */
#define ROUNDING 1e-13
/* Gains, and ceilings, that differ by less, in dB, are one. */
#define SAME_GAIN 0.05
/* Steps of the coarser format that are rounding: with dither there are two. */
#define MOST_STEPS 2
/* What is added where the number of samples is one of several. */
#define REPEATS "; the sound repeats itself, so that other numbers fit as well"
/* The most power of rounding, in squares of a step: that of rounding with dither, two times. */
#define ROUNDING_POWER 0.5

const gchar *const report_sound_change_names[REPORT_N_SOUND_CHANGES + 1] = {
#define NAME(identifier, name) name,
  REPORT_SOUND_CHANGES (NAME)
#undef NAME
  NULL
};

typedef struct
{
  ReportSoundDifference *difference;
  const ReportSoundCounts *counts;
  guint n_a;                    /* channels of A without the mean of all */
  gchar **names[2];             /* of the channels; NULL: unknown */
  gint *sources;                /* of each channel of B: that of A from which it comes */
  gboolean *is_silent;          /* of each channel of B: it or that of A has no sound */
  gboolean *is_clipped;         /* of each channel of B */
  gdouble of_a, of_b;           /* power of the channels that are compared */
  gdouble floor;                /* smaller powers are rounding */
  guint used;                   /* #ReportSoundFit that explain something */
  gdouble left;                 /* the power of the difference after them */
} Work;

/* ---- Texts ---------------------------------------------------------------------------------------- */

void
report_sound_explanation_free (gpointer data)
{
  ReportSoundExplanation *explanation = data;

  g_free (explanation->text);
  g_free (explanation);
}

void
report_sound_difference_free (ReportSoundDifference * difference)
{
  g_ptr_array_unref (difference->explanations);
  g_array_unref (difference->seconds);
  g_free (difference->problem);
  g_free (difference);
}

/* @before, @after: shares of a power; NaN: unknown
 * @text: (transfer full) */
static ReportSoundExplanation *
add (Work * work, ReportSoundChange change, gdouble value, gdouble before, gdouble after, gchar * text)
{
  ReportSoundExplanation *explanation = g_new0 (ReportSoundExplanation, 1);

  explanation->change = change;
  explanation->text = text;
  explanation->start = explanation->end = GST_CLOCK_TIME_NONE;
  explanation->value = value;
  explanation->before = 10 * log10 (before);
  explanation->after = 10 * log10 (after);
  g_ptr_array_add (work->difference->explanations, explanation);
  return explanation;
}

/* Returns: the share of the power of A; NaN: A has none. What follows from sums is not known better than ROUNDING. */
static gdouble
share_of (const Work * work, gdouble power)
{
  return work->of_a > 0 ? MAX (power / work->of_a, ROUNDING) : NAN;
}

static void
append_channel (GString * text, const Work * work, guint side, guint channel)
{
  if (side == 0 && channel >= work->n_a)
    g_string_append (text, "the mean of all channels");
  else if (work->names[side] != NULL && channel < g_strv_length (work->names[side]))
    g_string_append (text, work->names[side][channel]);
  else
    g_string_append_printf (text, "channel %u", channel + 1);
}

/* Appends a channel of B to a list. */
static void
append_next_channel (GString * text, const Work * work, guint channel)
{
  g_string_append (text, text->len > 0 ? ", " : "");
  append_channel (text, work, 1, channel);
}

static gdouble
to_ms (const Work * work, guint64 n)
{
  return n * 1000.0 / work->difference->rate;
}

static void
append_samples (GString * text, const Work * work, guint64 n)
{
  const gdouble ms = to_ms (work, n);

  g_string_append_printf (text, "%" G_GUINT64_FORMAT " sample%s (%.*f ms)", n, report_plural (n), ms < 10 ? 2 :
      ms < 100 ? 1 : 0, ms);
}

/* ---- Channels, polarity, gain and offset ---------------------------------------------------------- */

/* Returns: the channel of A that is beside a channel of B after these changes; -1: none */
static gint
source_of (const Work * work, guint channel, guint changes)
{
  const gint same_place = work->counts->same_place[channel];

  return same_place >= 0 && (changes & REPORT_SOUND_FIT_CHANNELS) != 0 ? work->sources[channel] : same_place;
}

/* Fits a channel of A to one of B. */
static gdouble
fit (const Work * work, gint source, guint channel, guint changes, gdouble * gain, gdouble * offset)
{
  const ReportSoundCounts *counts = work->counts;
  const ReportSoundPair pair = (changes & REPORT_SOUND_FIT_CLIPPING) != 0 && work->is_clipped[channel] ?
      report_sound_ceiling_below (&counts->ceiling, &counts->sums, source, channel) :
      report_sound_sums_pair (&counts->sums, source, channel);

  return report_sound_pair_fit (&pair, changes, gain, offset);
}

/* Returns: the power of the difference after these changes */
static gdouble
leave (const Work * work, guint changes)
{
  gdouble left = 0;

  for (guint j = 0; j < work->counts->sums.n_b; j++) {
    const gint source = source_of (work, j, changes);
    gdouble gain, offset;

    if (source >= 0 && !work->is_silent[j])
      left += fit (work, source, j, changes, &gain, &offset);
  }
  return left;
}

/* A channel of B was clipped if A explains it without the samples at its ceiling, and would be above the ceiling at these. */
static void
find_clipping (Work * work)
{
  const ReportSoundCounts *counts = work->counts;

  for (guint j = 0; j < counts->sums.n_b; j++) {
    const gint source = work->sources[j];
    ReportSoundPair all, below;
    gdouble gain, offset, left;

    if (source < 0 || work->is_silent[j])
      continue;
    all = report_sound_sums_pair (&counts->sums, source, j);
    below = report_sound_ceiling_below (&counts->ceiling, &counts->sums, source, j);
    left = report_sound_pair_fit (&all, REPORT_SOUND_FIT_ALL, &gain, &offset);
    work->is_clipped[j] = below.n * LEAST_BELOW > all.n && all.n - below.n >= LEAST_AT_CEILING
        && left >= LEAST_GAIN * MAX (report_sound_pair_fit (&below, REPORT_SOUND_FIT_ALL, &gain, &offset), work->floor)
        && report_sound_ceiling_is_reached (&counts->ceiling, source, j, gain, offset);
  }
}

/* Leaves out the changes one by one, if little is lost. */
static void
choose_changes (Work * work)
{
  static const guint order[] = {
    REPORT_SOUND_FIT_CLIPPING, REPORT_SOUND_FIT_OFFSET, REPORT_SOUND_FIT_GAIN, REPORT_SOUND_FIT_POLARITY, REPORT_SOUND_FIT_CHANNELS
  };

  work->left = leave (work, REPORT_SOUND_FIT_ALL);
  if (leave (work, 0) <= work->floor || work->left > work->of_b * MOST_LEFT) {
    work->left = leave (work, 0);
    return;
  }
  work->used = REPORT_SOUND_FIT_ALL;
  for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
    const gdouble without = leave (work, work->used & ~order[i]);

    if (without < LEAST_GAIN * MAX (leave (work, work->used), work->floor))
      work->used &= ~order[i];
  }
  work->left = leave (work, work->used);
}

static void
explain_channels (Work * work, gdouble before)
{
  const guint n_b = work->counts->sums.n_b;
  GString *text = g_string_new (NULL);
  ReportSoundChange change = REPORT_SOUND_SWAPPED;

  if (n_b == 2 && work->sources[0] == work->sources[1] && work->sources[0] >= 0) {
    change = REPORT_SOUND_DUAL_MONO;
    g_string_append (text, "both channels of B are ");
    append_channel (text, work, 0, work->sources[0]);
    g_string_append (text, " of A");
  } else {
    for (guint j = 0; j < n_b; j++) {
      if (work->counts->same_place[j] < 0 || work->sources[j] == work->counts->same_place[j])
        continue;
      if (work->sources[j] >= (gint) work->n_a)
        change = REPORT_SOUND_MIX;
      g_string_append (text, text->len > 0 ? ", " : "");
      if (n_b > 1)
        append_channel (text, work, 1, j);
      g_string_append (text, n_b > 1 ? " of B is " : "B is ");
      append_channel (text, work, 0, work->sources[j]);
      g_string_append (text, " of A");
    }
  }
  add (work, change, NAN, before, share_of (work, work->left), g_string_free (text, FALSE));
}

/* Returns: whether a channel of B has a gain. @gain, @offset: (out) */
static gboolean
get_gain (const Work * work, guint channel, gdouble * gain, gdouble * offset)
{
  const gint source = source_of (work, channel, work->used);

  if (source < 0 || work->is_silent[channel])
    return FALSE;
  fit (work, source, channel, work->used, gain, offset);
  return work->counts->sums.aa[source] > 0;
}

static void
explain_polarity (Work * work, gdouble before)
{
  GString *text = g_string_new (NULL);
  gdouble gain, offset;
  gboolean are_all = TRUE;

  for (guint j = 0; j < work->counts->sums.n_b; j++) {
    if (!get_gain (work, j, &gain, &offset))
      continue;
    if (gain >= 0) {
      are_all = FALSE;
      continue;
    }
    append_next_channel (text, work, j);
  }
  if (are_all)
    g_string_assign (text, "B is inverted");
  else
    g_string_append_printf (text, " of B %s inverted", strchr (text->str, ',') != NULL ? "are" : "is");
  add (work, REPORT_SOUND_INVERTED, NAN, before, share_of (work, work->left), g_string_free (text, FALSE));
}

static void
explain_gain (Work * work, gdouble before)
{
  GString *text = g_string_new (NULL);
  gdouble gain, offset, least = INFINITY, most = -INFINITY;

  for (guint j = 0; j < work->counts->sums.n_b; j++) {
    gdouble decibels;

    if (!get_gain (work, j, &gain, &offset))
      continue;
    decibels = 20 * log10 (fabs (gain));
    least = MIN (least, decibels);
    most = MAX (most, decibels);
    append_next_channel (text, work, j);
    g_string_append_printf (text, " of B by %.2f dB", decibels);
  }
  if (most - least <= SAME_GAIN)
    g_string_printf (text, "B is %.2f dB %s than A", fabs (most), most > 0 ? "louder" : "quieter");
  else
    g_string_prepend (text, "the gains differ: ");
  add (work, REPORT_SOUND_GAIN, most - least <= SAME_GAIN ? most : NAN, before, share_of (work, work->left),
      g_string_free (text, FALSE));
}

static void
explain_offset (Work * work, gdouble before)
{
  gdouble gain, offset, most = 0;

  for (guint j = 0; j < work->counts->sums.n_b; j++) {
    if (get_gain (work, j, &gain, &offset) && fabs (offset) > fabs (most))
      most = offset;
  }
  add (work, REPORT_SOUND_OFFSET, most, before, share_of (work, work->left),
      g_strdup_printf ("the samples of B are higher by up to %.4g of full scale", most));
}

static void
explain_clipping (Work * work, gdouble before)
{
  const ReportSoundCeiling *ceiling = &work->counts->ceiling;
  GString *text = g_string_new (NULL);
  gdouble least = INFINITY, most = -INFINITY;
  gboolean are_all = TRUE;
  guint64 n = 0;

  for (guint j = 0; j < ceiling->n_b; j++) {
    const gint source = source_of (work, j, work->used);
    gdouble decibels;

    if (source < 0 || !work->is_clipped[j]) {
      are_all = FALSE;
      continue;
    }
    /* -0.00 reads as a fault. */
    decibels = 20 * log10 (ceiling->peaks[j]);
    decibels = fabs (decibels) < 0.005 ? 0 : decibels;
    least = MIN (least, decibels);
    most = MAX (most, decibels);
    n += ceiling->pairs[source * ceiling->n_b + j].n;
    append_next_channel (text, work, j);
    g_string_append_printf (text, " of B is clipped at %.2f dBFS", decibels);
  }
  if (are_all && most - least <= SAME_GAIN)
    g_string_printf (text, "B is clipped at %.2f dBFS", most);
  g_string_append_printf (text, " (%" G_GUINT64_FORMAT " samples%s)", n, strchr (text->str, ',') != NULL ? " in all" : "");
  add (work, REPORT_SOUND_CLIPPED, most - least <= SAME_GAIN ? most : NAN, before, share_of (work, work->left), g_string_free (text, FALSE));
}

static void
explain_changes (Work * work)
{
  static void (*const explain[]) (Work *, gdouble) = {
    explain_channels, explain_polarity, explain_gain, explain_offset, explain_clipping
  };

  find_clipping (work);
  choose_changes (work);
  for (guint i = 0; i < G_N_ELEMENTS (explain); i++) {
    const guint change = 1u << i;

    if ((work->used & change) != 0)
      explain[i] (work, share_of (work, leave (work, work->used & ~change)));
  }
}

/* ---- Channels that are not there ------------------------------------------------------------------ */

/* Returns: whether a side has no sound at all, while the other one has */
static gboolean
is_all_silent (const Work * work, guint side)
{
  return side == 0 ? work->of_a <= 0 && work->of_b > 0 : work->of_b <= 0 && work->of_a > 0;
}

static void
explain_silent_channels (Work * work)
{
  const ReportSoundSums *sums = &work->counts->sums;

  for (guint s = 0; s < 2; s++) {
    if (!is_all_silent (work, s))
      continue;
    add (work, REPORT_SOUND_SILENT, NAN, share_of (work, work->of_a + work->of_b), NAN,
        g_strdup_printf ("%s is silent", s == 0 ? "A" : "B"));
    return;
  }
  for (guint j = 0; j < sums->n_b; j++) {
    const gint source = work->counts->same_place[j];
    const guint side = sums->bb[j] > 0 ? 0 : 1;
    GString *text;
    gdouble power;

    if (!work->is_silent[j])
      continue;
    power = MAX (sums->aa[source], sums->bb[j]);
    if (power < (LEAST_GAIN - 1) * MAX (work->left, work->floor))
      continue;
    text = g_string_new (NULL);
    append_channel (text, work, side, side == 0 ? (guint) source : j);
    g_string_append_printf (text, " of %s is silent", side == 0 ? "A" : "B");
    add (work, REPORT_SOUND_SILENT_CHANNEL, NAN, share_of (work, work->left + power), share_of (work, work->left),
        g_string_free (text, FALSE));
  }
}

/* Channels that only one side has. */
static void
explain_channel_counts (Work * work)
{
  const ReportSoundSums *sums = &work->counts->sums;
  gint *sources = work->sources;
  GString *text;

  if (work->n_a == 1 && sums->n_b == 2 && report_sound_sums_unlike (sums, (const gint[]) {0, 0}) <= MOST_LEFT)
    add (work, REPORT_SOUND_DUAL_MONO, NAN, NAN, NAN,
        g_strdup ("both channels of B are the one channel of A"));
  for (guint i = 0; i < work->n_a; i++) {
    gboolean is_there = FALSE;

    for (guint j = 0; j < sums->n_b; j++)
      is_there |= work->counts->same_place[j] == (gint) i || ((work->used & REPORT_SOUND_FIT_CHANNELS) != 0
          && sources[j] == (gint) i);
    if (is_there)
      continue;
    text = g_string_new ("B lacks ");
    append_channel (text, work, 0, i);
    add (work, REPORT_SOUND_MISSING_CHANNEL, NAN, NAN, NAN, g_string_free (text, FALSE));
  }
  for (guint j = 0; j < sums->n_b; j++) {
    if (work->counts->same_place[j] >= 0)
      continue;
    text = g_string_new ("A lacks ");
    append_channel (text, work, 1, j);
    add (work, REPORT_SOUND_ADDED_CHANNEL, NAN, NAN, NAN, g_string_free (text, FALSE));
  }
}

/* ---- Times ---------------------------------------------------------------------------------------- */

/* Returns: the share that is different after a span: 0: none of all samples is */
static gdouble
left_of (const Work * work, const ReportSoundStretch * span)
{
  if (isnan (span->after))
    return NAN;
  return work->difference->n_different == 0 ? 0 : MAX (span->after, ROUNDING);
}

static void
explain_delay (Work * work)
{
  const ReportSoundStretch *span = &work->counts->delay;
  const gint64 delay = work->difference->delay;
  GString *text;

  if (span->n == 0 || delay == 0)
    return;
  text = g_string_new ("B is ");
  append_samples (text, work, ABS (delay));
  g_string_append (text, delay > 0 ? " later than A" : " earlier than A");
  if (work->difference->is_delay_open)
    g_string_append (text, REPEATS);
  add (work, REPORT_SOUND_DELAY, delay * 1000.0 / work->difference->rate, span->before,
      left_of (work, span), g_string_free (text, FALSE));
}

static void
set_times (Work * work, ReportSoundExplanation * explanation, guint64 time, guint64 n)
{
  explanation->start = time;
  explanation->end = time + gst_util_uint64_scale_round (n, GST_SECOND, work->difference->rate);
}

static void
explain_jumps (Work * work, guint side)
{
  const GArray *spans = work->counts->jumps[side];
  const ReportSoundChange change = side == 0 ? REPORT_SOUND_MISSING : REPORT_SOUND_ADDED;
  const ReportSoundStretch *tail = &work->counts->tails[side];

  for (guint i = 0; i < spans->len; i++) {
    const ReportSoundStretch *span = &g_array_index (spans, ReportSoundStretch, i);
    GString *text = g_string_new (side == 0 ? "B lacks " : "B has ");

    append_samples (text, work, span->n);
    g_string_append (text, side == 0 ? " of A at " : " more than A at ");
    report_append_time (text, span->time);
    g_string_append (text, span->is_open ? REPEATS : "");
    set_times (work, add (work, change, to_ms (work, span->n), span->before,
            left_of (work, span), g_string_free (text, FALSE)), span->time,
        side == 0 ? span->n : 0);
  }
  if (work->counts->n_jumps[side] > spans->len)
    add (work, change, NAN, NAN, NAN, g_strdup_printf ("the same at %" G_GUINT64_FORMAT " other places",
            work->counts->n_jumps[side] - spans->len));
  if (tail->n > 0) {
    GString *text = g_string_new (side == 0 ? "A" : "B");

    g_string_append (text, " has ");
    append_samples (text, work, tail->n);
    g_string_append (text, " more at the end");
    set_times (work, add (work, change, to_ms (work, tail->n), NAN, NAN, g_string_free (text, FALSE)), tail->time,
        side == 0 ? tail->n : 0);
  }
}

/* Returns: what is left of the difference without the times in which one side is silent */
static gdouble
leave_out_silences (const Work * work, guint side)
{
  gdouble gain = 1, offset;

  /* Where B is silent, the difference is A with its gain. */
  for (guint j = 0; side == 1 && j < work->counts->sums.n_b; j++) {
    if (get_gain (work, j, &gain, &offset))
      break;
  }
  return MAX (work->left - gain * gain * work->counts->silent_power[side], 0);
}

static void
explain_silences (Work * work, guint side)
{
  const GArray *spans = work->counts->silences[side];
  const gdouble left = leave_out_silences (work, side);

  if (spans->len == 0 || is_all_silent (work, side) || work->left < LEAST_GAIN * MAX (left, work->floor))
    return;
  for (guint i = 0; i < spans->len; i++) {
    const ReportSoundStretch *span = &g_array_index (spans, ReportSoundStretch, i);
    GString *text = g_string_new (NULL);

    g_string_append_printf (text, "%s is silent from ", side == 0 ? "A" : "B");
    report_append_time (text, span->time);
    g_string_append (text, " to ");
    report_append_time (text, span->time + gst_util_uint64_scale_round (span->n, GST_SECOND, work->difference->rate));
    set_times (work, add (work, REPORT_SOUND_SILENT, to_ms (work, span->n), share_of (work, work->left), share_of (work, left),
            g_string_free (text, FALSE)), span->time, span->n);
  }
  if (work->counts->n_silences[side] > spans->len)
    add (work, REPORT_SOUND_SILENT, NAN, NAN, NAN, g_strdup_printf ("the same at %" G_GUINT64_FORMAT " other places",
            work->counts->n_silences[side] - spans->len));
  work->left = left;
}

/* ---- The rest ------------------------------------------------------------------------------------- */

/* Returns: bits of a sample of the coarser format; 0: both are floats */
static guint
coarser_depth (const Work * work)
{
  guint depth = 0;

  for (guint s = 0; s < 2; s++) {
    GstAudioInfo info;
    guint own;

    if (!gst_audio_info_from_caps (&info, work->counts->caps[s]) || !GST_AUDIO_INFO_IS_INTEGER (&info))
      continue;
    own = GST_AUDIO_INFO_DEPTH (&info);
    depth = depth == 0 ? own : MIN (depth, own);
  }
  return depth;
}

static void
explain_rest (Work * work)
{
  const guint depth = coarser_depth (work);
  const gdouble step = depth > 0 ? pow (2, 1 - (gdouble) depth) : 0;
  const gdouble steps = work->difference->largest / step;
  const ReportSoundCounts *counts = work->counts;

  if (work->used == 0 && counts->power > 0 && steps <= MOST_STEPS * 1.001) {
    add (work, REPORT_SOUND_ROUNDING, work->difference->largest, share_of (work, counts->power), 0,
        g_strdup_printf ("the samples differ by at most %.3g step%s of %u bits, as after rounding", steps,
            steps > 1 ? "s" : "", depth));
    return;
  }
  if (work->left <= work->floor)
    return;
  if (work->left <= step * step * ROUNDING_POWER * counts->sums.n * work->difference->n_channels) {
    add (work, REPORT_SOUND_ROUNDING, NAN, share_of (work, work->left), NAN,
        g_strdup_printf ("what is left is as small as rounding to %u bits", depth))->is_guess = TRUE;
    return;
  }
  if (work->left <= work->of_b * MOST_LEFT
      && counts->n_different_blocks * 2 > counts->n_blocks)
    add (work, REPORT_SOUND_LOSS, NAN, share_of (work, work->left), NAN,
        g_strdup ("what is left is spread over the sound, as after lossy coding or with noise"))->is_guess = TRUE;
}

/**
 * report_sound_explain:
 * @difference: all but its explanations is set
 *
 * Adds the explanations.
 */
void
report_sound_explain (ReportSoundDifference * difference, const ReportSoundCounts * counts)
{
  const ReportSoundSums *sums = &counts->sums;
  Work work = {.difference = difference,.counts = counts };
  GstAudioInfo info;

  if (difference->is_equal || !gst_audio_info_from_caps (&info, counts->caps[0]))
    return;
  work.n_a = GST_AUDIO_INFO_CHANNELS (&info);
  for (guint s = 0; s < 2; s++)
    work.names[s] = histo_channel_names (counts->caps[s]);
  work.sources = g_new (gint, sums->n_b);
  work.is_silent = g_new0 (gboolean, sums->n_b);
  work.is_clipped = g_new0 (gboolean, sums->n_b);
  report_sound_sums_match (sums, counts->same_place, work.sources);
  for (guint j = 0; j < sums->n_b; j++) {
    const gint source = counts->same_place[j];

    if (source < 0)
      continue;
    work.of_a += sums->aa[source];
    work.of_b += sums->bb[j];
    /* Another channel may have come to the place of one that is silent. */
    work.is_silent[j] = (sums->bb[j] > 0) != (sums->aa[source] > 0) && work.sources[j] == source;
  }
  work.floor = (work.of_a + work.of_b) * ROUNDING;
  explain_delay (&work);
  explain_changes (&work);
  explain_silent_channels (&work);
  explain_channel_counts (&work);
  for (guint s = 0; s < 2; s++)
    explain_jumps (&work, s);
  for (guint s = 0; s < 2; s++)
    explain_silences (&work, s);
  explain_rest (&work);
  for (guint s = 0; s < 2; s++)
    g_strfreev (work.names[s]);
  g_free (work.sources);
  g_free (work.is_silent);
  g_free (work.is_clipped);
}
