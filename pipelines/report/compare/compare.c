/* --compare; see compare.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/compare-checks.h"

#include <math.h>
#include <string.h>

#include "summary/answers.h"
#include "base/describe.h"
#include "facts/words.h"
#include "base/interrupt.h"
#include "base/names.h"
#include "compare/pictures-writer.h"

/* Ends of sound that fit better by less than this say nothing: encoders add a few ms. */
#define SOUND_MARGIN (50 * GST_MSECOND)
/* A frame rate that is higher by more than this is another one. */
#define RATE_MARGIN 0.01

/* So many missing or added frames are told one by one, and so many changes of the times. */
#define MOST_REASONS 5
/* A rectangle that is a smaller part of the picture is told. */
#define SMALL_RECTANGLE 0.25
/* Holds are frequent if one frame in so many equals the one before. */
#define LEAST_HELD 10

/* Differences that may be those of a lossy encoder: so many samples differ, but their mean by less, in code values of 8 bits,
 * and the median of the frames has a greater PSNR, in dB. */
#define LOSS_SHARE 0.05
#define LOSS_MEAN 0.7
#define LOSS_PSNR 20

/* Nobody hears a difference below this, in dBFS. */
#define LEAST_SOUND -90
/* Sound that comes later by less says nothing: it is half a frame of 25 per second. */
#define SHIFT_MARGIN (20 * (gint64) GST_MSECOND)
#define REFUSAL_JSON "a report in JSON has none"

/* Facts that change how the same samples are shown. */
#define ROTATION "rotation"
#define PIXELS "pixels"
#define COLORIMETRY "colorimetry"

/* ---- What the streams are ------------------------------------------------------------------------ */

static void
fact_free (gpointer data)
{
  ReportFactDifference *fact = data;

  g_free (fact->a);
  g_free (fact->b);
  g_free (fact);
}

/* What is known of a stream; NULL: it is unknown. */
typedef struct
{
  const gchar *name;
  gchar *text;
} Fact;

/* @text: (transfer full) (nullable) */
static void
add_fact (GArray * facts, const gchar * name, gchar * text)
{
  const Fact fact = { name, text };

  g_array_append_val (facts, fact);
}

/* A number that is 0, or NaN, is unknown. */
static void
add_number (GArray * facts, const gchar * name, gdouble number, const gchar * unit)
{
  add_fact (facts, name, number > 0 ? g_strdup_printf ("%.6g%s", number, unit) : NULL);
}

/* Returns: (transfer full) */
static gchar *
name_rotation (const ReportStreamSummary * stream)
{
  g_autofree gchar *rotation = report_facts_rotation (stream->facts);

  return g_str_equal (rotation, REPORT_NOT_ROTATED) ? g_strdup ("none") : g_strconcat (rotation, " clockwise", NULL);
}

/* Returns: (transfer full) (element-type Fact): the same ones of each stream of a medium */
static GArray *
list_facts (const ReportSummary * summary, const ReportStreamSummary * stream)
{
  const ReportStream *said = stream->stream;
  const ReportCarried *carried = &said->carried;
  const guint64 delay = report_summary_delay (summary, stream, NULL);
  GArray *facts = g_array_new (FALSE, FALSE, sizeof (Fact));
  GString *groups = g_string_new (NULL);

  add_fact (facts, "codec", g_strdup (said->codec));
  add_fact (facts, "format", report_name_format (said));
  add_fact (facts, "language", g_strdup (said->language));
  if (said->is_audio) {
    g_autofree gchar *names = said->channel_names != NULL ? g_strjoinv (" ", said->channel_names) : NULL;

    add_number (facts, "rate", said->rate, " Hz");
    add_fact (facts, "channels", names != NULL ? g_strdup_printf ("%d (%s)", said->channels, names) :
        g_strdup_printf ("%d", said->channels));
  } else {
    add_fact (facts, "size", said->width > 0 ? g_strdup_printf ("%d x %d", said->width, said->height) : NULL);
    add_fact (facts, PIXELS, said->par_d > 0 ? g_strdup_printf ("%d:%d", said->par_n, said->par_d) : NULL);
    add_number (facts, "frame-rate", said->frame_rate, " frames/s");
    add_fact (facts, COLORIMETRY, report_name_colorimetry (said));
    add_fact (facts, "field-order", g_strdup (stream->field_order));
    add_fact (facts, "measured-field-order", g_strdup (report_answers_field_order (stream)));
    add_fact (facts, ROTATION, name_rotation (stream));
    add_fact (facts, "timecode", g_strdup (stream->timecode));
    add_number (facts, "max-cll", carried->max_cll, " cd/m2");
    add_number (facts, "max-fall", carried->max_fall, " cd/m2");
    add_fact (facts, "mastering-display", carried->mastering_max > 0 ? g_strdup_printf ("%.6g to %.6g cd/m2",
            carried->mastering_min, carried->mastering_max) : NULL);
    add_number (facts, "frames", stream->n_results, "");
  }
  /* How much later than the first stream of its input it starts. */
  add_fact (facts, "starts", GST_CLOCK_TIME_IS_VALID (delay) ?
      g_strdup_printf ("%.3f s later", (gdouble) delay / GST_SECOND) : NULL);
  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
    if ((stream->groups & HISTO_GROUP_FLAG (g)) != 0)
      g_string_append_printf (groups, "%s%s", groups->len > 0 ? "+" : "", histo_groups[g].name);
  }
  add_fact (facts, "measured", g_string_free (groups, FALSE));
  return facts;
}

/* Adds those in which the streams differ. */
static void
add_facts (GPtrArray * differences, const ReportSummary * const inputs[2],
    const ReportStreamSummary * const streams[2])
{
  g_autoptr (GArray) of_a = list_facts (inputs[0], streams[0]);
  g_autoptr (GArray) of_b = list_facts (inputs[1], streams[1]);

  for (guint i = 0; i < of_a->len; i++) {
    const Fact *a = &g_array_index (of_a, Fact, i), *b = &g_array_index (of_b, Fact, i);
    ReportFactDifference *difference = g_new (ReportFactDifference, 1);

    *difference = (ReportFactDifference) { a->name, a->text, b->text };
    if (g_strcmp0 (a->text, b->text) != 0)
      g_ptr_array_add (differences, difference);
    else
      fact_free (difference);
  }
}

/* Returns: (nullable): how the streams differ in a fact; NULL: they do not */
static const ReportFactDifference *
find_fact (const ReportStreamComparison * compared, const gchar * name)
{
  for (guint i = 0; i < compared->facts->len; i++) {
    const ReportFactDifference *fact = compared->facts->pdata[i];

    if (g_str_equal (fact->name, name))
      return fact;
  }
  return NULL;
}

/* ---- Notes ---------------------------------------------------------------------------------------- */

G_GNUC_PRINTF (2, 3)
static void
note (GPtrArray * notes, const gchar * format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (notes, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

/* Returns: (transfer full): the names of the native components */
static gchar *
print_components (const ReportRegion * region)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < region->components->len; i++) {
    const ReportComponent *component = region->components->pdata[i];

    if (component->group == HISTO_GROUP_BASIC)
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "",
          component->name);
  }
  return g_string_free (names, FALSE);
}

/* What is not compared, or not as it is. */
static void
add_notes (GPtrArray * notes, const ReportStreamSummary * one,
    const ReportStreamSummary * other)
{
  const ReportRegion *a = report_first_region (one->regions);
  const ReportRegion *b = report_first_region (other->regions);
  g_autofree gchar *names_a = NULL, *names_b = NULL;

  if (a == NULL || b == NULL)
    return;
  names_a = print_components (a);
  names_b = print_components (b);
  if (!g_str_equal (names_a, names_b) && *names_a != '\0' && *names_b != '\0')
    note (notes, "A has %s, and B has %s: what only one of them has is not "
        "compared", names_a, names_b);
  for (guint i = 0; i < a->components->len; i++) {
    const ReportComponent *component = a->components->pdata[i];
    const ReportComponent *same = report_region_find (b, component->group,
        component->name);

    if (component->group != HISTO_GROUP_BASIC || same == NULL
        || (component->figures.range_min == same->figures.range_min
            && component->figures.range_max == same->figures.range_max))
      continue;
    note (notes, "the samples of B have another range: they are scaled to "
        "that of A");
    break;
  }
  if (report_stream_is_limited (one->stream)
      != report_stream_is_limited (other->stream))
    note (notes, "one has limited range, the other one full range: their "
        "samples are compared as they are");
  if (one->stream->width != other->stream->width
      || one->stream->height != other->stream->height)
    note (notes, "detail, such as sharpness, depends on the size");
}

/* ---- Times ---------------------------------------------------------------------------------------- */

/* How far the ends are apart if B's stream starts so much later. */
static guint64
misfit (gint64 length_a, gint64 length_b, gint64 shift)
{
  const gint64 apart = length_b + shift - length_a;

  return apart < 0 ? -(guint64) apart : (guint64) apart;
}

/* Returns: how much later than A's stream that of B starts, in ns.
 *
 * The times of both count from their starts. If the first frames are missing in one, this is wrong. Then their ends fit
 * better with the distance of the streams from the first ones of their inputs, or with the times of the containers. */
static gint64
find_shift (const ReportSummary * const inputs[2],
    const ReportStreamSummary * const streams[2])
{
  const guint64 delay_a = report_summary_delay (inputs[0], streams[0], NULL);
  const guint64 delay_b = report_summary_delay (inputs[1], streams[1], NULL);
  const guint64 length_a = report_stream_summary_length (streams[0]);
  const guint64 length_b = report_stream_summary_length (streams[1]);
  const gdouble rate = MAX (streams[0]->mean_frame_rate,
      streams[1]->mean_frame_rate);
  const guint64 margin = rate > 0 ? (guint64) (GST_SECOND / rate / 2) :
      SOUND_MARGIN;
  gint64 shifts[2], best = 0;

  /* Delays and lengths are known if the starts are. */
  if (!GST_CLOCK_TIME_IS_VALID (delay_a) || !GST_CLOCK_TIME_IS_VALID (delay_b)
      || length_a > G_MAXINT64 / 4 || length_b > G_MAXINT64 / 4
      || MAX (streams[0]->start, streams[1]->start) > G_MAXINT64 / 4)
    return 0;
  shifts[0] = (gint64) (delay_b - delay_a);
  shifts[1] = (gint64) (streams[1]->start - streams[0]->start);
  for (guint i = 0; i < G_N_ELEMENTS (shifts); i++) {
    if (misfit (length_a, length_b, shifts[i]) + margin
        < misfit (length_a, length_b, best))
      best = shifts[i];
  }
  return best;
}

/* Whether results are missing for longer than the tolerance. Of two frame rates, those of the higher one have no
 * counterpart, and this is no fault. */
static gboolean
are_missing (const ReportStreamComparison * compared, gdouble tolerance)
{
  for (guint i = 0; i < 2; i++) {
    const gdouble rate = compared->streams[i]->mean_frame_rate;
    const gdouble other = compared->streams[1 - i]->mean_frame_rate;

    if ((gdouble) compared->match.unmatched[i].length / GST_SECOND > tolerance
        && !(other > 0 && rate > other * (1 + RATE_MARGIN)))
      return TRUE;
  }
  return FALSE;
}

/* ---- Streams -------------------------------------------------------------------------------------- */

static void
stream_comparison_free (gpointer data)
{
  ReportStreamComparison *compared = data;

  g_ptr_array_unref (compared->facts);
  g_ptr_array_unref (compared->notes);
  g_ptr_array_unref (compared->reasons);
  g_free (compared->refusal);
  g_free (compared->shown);
  g_clear_pointer (&compared->differences, report_differences_free);
  g_free (compared);
}

/* @a, @b: (nullable) */
static ReportStreamComparison *
add_stream (ReportComparison * comparison, const ReportStreamSummary * a,
    const ReportStreamSummary * b)
{
  ReportStreamComparison *compared = g_new0 (ReportStreamComparison, 1);

  compared->streams[0] = a;
  compared->streams[1] = b;
  compared->facts = g_ptr_array_new_with_free_func (fact_free);
  compared->notes = g_ptr_array_new_with_free_func (g_free);
  compared->reasons = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (comparison->streams, compared);
  return compared;
}

/* Returns: (nullable): the stream with this place among those of its medium */
static const ReportStreamSummary *
find_stream (const ReportSummary * summary, gboolean is_audio, guint place)
{
  for (guint i = 0; i < summary->streams->len; i++) {
    const ReportStreamSummary *stream = summary->streams->pdata[i];

    if (stream->stream->is_audio == is_audio && place-- == 0)
      return stream;
  }
  return NULL;
}

/* Pairs the streams as --merge does: the first video with the first video. */
static void
pair_streams (ReportComparison * comparison)
{
  guint n_of_medium[2] = { 0, 0 };
  const ReportSummary *a = comparison->inputs[0], *b = comparison->inputs[1];

  for (guint i = 0; i < a->streams->len; i++) {
    const ReportStreamSummary *stream = a->streams->pdata[i];
    const gboolean is_audio = stream->stream->is_audio;

    add_stream (comparison, stream, find_stream (b, is_audio,
            n_of_medium[is_audio ? 1 : 0]++));
  }
  for (guint is_audio = 0; is_audio < 2; is_audio++) {
    const ReportStreamSummary *stream;

    while ((stream = find_stream (b, is_audio, n_of_medium[is_audio]++)) !=
        NULL)
      add_stream (comparison, NULL, stream);
  }
}

/* Says of which file there are only summaries. */
static void
note_absent_frames (ReportStreamComparison * compared)
{
  const gboolean lacks_a = compared->match.n_results[0] == 0
      && compared->streams[0]->n_results > 0;
  const gboolean lacks_b = compared->match.n_results[1] == 0
      && compared->streams[1]->n_results > 0;

  compared->has_frames = !lacks_a && !lacks_b;
  if (compared->has_frames)
    return;
  memset (&compared->match, 0, sizeof compared->match);
  note (compared->notes, "%s only the summary: no frames are compared",
      lacks_a && lacks_b ? "both have" : lacks_a ? "A has" : "B has");
}

/* Returns: (transfer full) (nullable) (element-type ReportMatchPair): the frames whose pictures belong together; NULL: not all of
 * them are known */
static GArray *
list_pairs (const ReportPicturesResult * pictures)
{
  g_autoptr (GArray) pairs = NULL;

  if (pictures == NULL || pictures->cut != NULL || pictures->is_limited)
    return NULL;
  pairs = g_array_new (FALSE, FALSE, sizeof (ReportMatchPair));
  for (guint i = 0; i < pictures->pairs->len; i++) {
    const ReportFramePair *pair = &g_array_index (pictures->pairs, ReportFramePair, i);
    const ReportMatchPair times = { { pair->a.time, pair->b.time } };

    if (!GST_CLOCK_TIME_IS_VALID (pair->a.time) || !GST_CLOCK_TIME_IS_VALID (pair->b.time))
      return NULL;
    g_array_append_val (pairs, times);
  }
  return g_steal_pointer (&pairs);
}

static gboolean
compare_streams (ReportComparison * comparison,
    ReportStreamComparison * compared, const ReportCompareSide sides[2], GError ** error)
{
  const ReportToleranceSettings *settings = comparison->settings;
  const ReportStreamSummary *a = compared->streams[0];
  const ReportStreamSummary *b = compared->streams[1];
  g_autoptr (GArray) pairs = list_pairs (compared->pictures);
  ReportMatchSide files[2];

  compared->shift = settings->offset != NULL ? -settings->begin :
      find_shift (comparison->inputs, compared->streams);
  for (guint i = 0; i < 2; i++) {
    files[i].name = sides[i].name;
    files[i].path = sides[i].path;
    files[i].stream = compared->streams[i]->stream->index;
    files[i].is_audio = compared->streams[i]->stream->is_audio;
    files[i].shift = i == 0 ? 0 : compared->shift;
  }
  compared->are_paired = pairs != NULL;
  compared->differences = report_differences_new (settings,
      a->stream->is_audio);
  if (!report_match (files, pairs, compared->differences, &compared->match, error))
    return FALSE;
  note_absent_frames (compared);
  report_differences_add_summaries (compared->differences, a, b,
      comparison->inputs[0]->alerts & comparison->inputs[1]->alerts);
  compared->figures = report_differences_sort (compared->differences,
      &compared->n_different);
  compared->are_results_missing = are_missing (compared,
      settings->limits[REPORT_TOLERANCE_TIME]);
  add_facts (compared->facts, comparison->inputs, compared->streams);
  add_notes (compared->notes, a, b);
  if (compared->figures->len == 0)
    note (compared->notes, "no figure could be compared");
  return TRUE;
}

/* Returns: whether a pair of streams has a figure of this name */
static gboolean
has_figure (const ReportComparison * comparison, const gchar * pattern)
{
  for (guint i = 0; i < comparison->streams->len; i++) {
    const ReportStreamComparison *compared = comparison->streams->pdata[i];

    if (compared->differences != NULL
        && report_differences_have (compared->differences, pattern))
      return TRUE;
  }
  return FALSE;
}

static void
set_no_figure (const ReportComparison * comparison, const gchar * pattern,
    GError ** error)
{
  const gchar *nearest = NULL;
  /* Names that have less in common are no help. */
  guint distance = MAX (strlen (pattern) / 2, 2) + 1;

  for (guint i = 0; i < comparison->streams->len; i++) {
    const ReportStreamComparison *compared = comparison->streams->pdata[i];
    const gchar *nearer = compared->differences != NULL ?
        report_differences_nearest (compared->differences, pattern,
        &distance) : NULL;

    nearest = nearer != NULL ? nearer : nearest;
  }
  report_fail (error, "--figures: A and B have no common figure %s%s%s",
      pattern, nearest != NULL ? "; the nearest is " : "",
      nearest != NULL ? nearest : "");
}

/* A name must be that of a figure. Of patterns, some may be of streams that are not there. */
static gboolean
check_patterns (const ReportComparison * comparison, GError ** error)
{
  gchar **patterns = comparison->settings->patterns;
  const gchar *unknown = NULL;
  gboolean has_any = FALSE;

  for (; patterns != NULL && *patterns != NULL; patterns++) {
    if (has_figure (comparison, *patterns)) {
      has_any = TRUE;
    } else if (strpbrk (*patterns, "*?[") == NULL) {
      set_no_figure (comparison, *patterns, error);
      return FALSE;
    } else if (unknown == NULL) {
      unknown = *patterns;
    }
  }
  if (unknown == NULL || has_any)
    return TRUE;
  set_no_figure (comparison, unknown, error);
  return FALSE;
}

/* ---- Verdicts ------------------------------------------------------------------------------------- */

static gchar *
print_time (guint64 time)
{
  GString *text = g_string_new (NULL);

  if (GST_CLOCK_TIME_IS_VALID (time))
    report_append_time (text, time);
  else
    g_string_append (text, "an unknown time");
  return g_string_free (text, FALSE);
}

G_GNUC_PRINTF (2, 3)
static void
give_reason (ReportStreamComparison * compared, const gchar * format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (compared->reasons, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

/* Whether one film holds a frame, while the other one goes on: frames that only it has, and that repeat the one before, stand
 * in the place of as many that only the other one has. */
static gboolean
is_hold (const ReportUnpaired * one, const ReportUnpaired * other)
{
  return one->side != other->side && one->n == other->n && one->n_repeated == one->n && GST_CLOCK_TIME_IS_VALID (one->first.time)
      && GST_CLOCK_TIME_IS_VALID (other->first.time) && ABS ((gint64) (one->first.time - other->first.time)) * 2 * (gint64) one->n
      < (gint64) (one->end - one->first.time);
}

/* Frames without a counterpart. Frames that only B has, and that repeat the one before, are repeated.
 *
 * Returns: how long the longest of them lasts, in ns */
static guint64
judge_unpaired (ReportStreamComparison * compared)
{
  const GArray *all = compared->pictures->unpaired;
  guint64 longest = 0;
  guint n_told = 0;

  for (guint i = 0; i < all->len; i++) {
    const ReportUnpaired *unpaired = &g_array_index (all, ReportUnpaired, i), *next = i + 1 < all->len ? unpaired + 1 : NULL;
    g_autofree gchar *time = print_time (unpaired->first.time);
    const gchar *what = unpaired->side == 0 ? "missing" : unpaired->n_repeated == unpaired->n ? "repeated in B" : "added in B";

    if (GST_CLOCK_TIME_IS_VALID (unpaired->first.time))
      longest = MAX (longest, unpaired->end - unpaired->first.time);
    if (next != NULL && (is_hold (unpaired, next) || is_hold (next, unpaired))) {
      const ReportUnpaired *held = is_hold (unpaired, next) ? unpaired : next;

      if (n_told++ < MOST_REASONS)
        give_reason (compared, "%s holds a frame for %" G_GUINT64_FORMAT " more frame%s at %s", held->side == 0 ? "A" : "B", held->n,
            report_plural (held->n), time);
      i++;
    } else if (n_told++ < MOST_REASONS)
      give_reason (compared, "%" G_GUINT64_FORMAT " frame%s %s at %s", unpaired->n, report_plural (unpaired->n), what, time);
  }
  if (n_told > MOST_REASONS)
    give_reason (compared, "and frames missing or added at %u more place%s", n_told - MOST_REASONS, report_plural (n_told - MOST_REASONS));
  return longest;
}

/* @delays: of both streams from the first ones of their inputs; GST_CLOCK_TIME_NONE: unknown */
static void
judge_shifts (ReportStreamComparison * compared, const guint64 delays[2], gint64 margin)
{
  const GArray *all = compared->pictures->shifts;
  const gint64 begin = GST_CLOCK_TIME_IS_VALID (delays[0]) && GST_CLOCK_TIME_IS_VALID (delays[1]) ?
      (gint64) (delays[1] - delays[0]) : 0;

  for (guint i = 0; i < all->len; i++) {
    const ReportTimeShift *shift = &g_array_index (all, ReportTimeShift, i);
    const gint64 by = shift->shift + begin;
    g_autofree gchar *time = print_time (shift->from.time);

    if (i == MOST_REASONS)
      give_reason (compared, "the times of B change against those of A at %u more places", all->len - i);
    if (i >= MOST_REASONS || (ABS (by) < MAX (margin, 1) && i == 0))
      continue;
    if (i == 0 && all->len == 1)
      give_reason (compared, "B comes %.3f s %s", fabs ((gdouble) by / GST_SECOND), by > 0 ? "later" : "earlier");
    else if (ABS (by) < MAX (margin, 1))
      give_reason (compared, "from %s on B comes at the same time", time);
    else
      give_reason (compared, "from %s on B comes %.3f s %s", time, fabs ((gdouble) by / GST_SECOND),
          by > 0 ? "later" : "earlier");
  }
}

/* Whether a pair differs, and is none of those that are told by themselves. */
static gboolean
is_rest (const ReportFramePair * pair)
{
  return !isinf (pair->psnr) && pair->moment == REPORT_N_MOMENTS;
}

/* Where the pictures differ: in a rectangle, and in which frames. */
static void
judge_rectangle (ReportStreamComparison * compared)
{
  const ReportPicturesResult *pictures = compared->pictures;
  const ReportFramePair *pairs = (const ReportFramePair *) pictures->pairs->data;
  guint first = 0, last = pictures->pairs->len - 1;
  g_autofree gchar *frames = NULL;

  while (!is_rest (&pairs[first]))
    first++;
  while (!is_rest (&pairs[last]))
    last--;
  if (pictures->n_rest == pictures->pairs->len && pictures->n_rest > 1)
    frames = g_strdup ("all frames");
  else if (first == last)
    frames = g_strdup_printf ("frame %" G_GUINT64_FORMAT " only", pairs[first].a.number);
  else
    frames = g_strdup_printf ("%s %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, pictures->n_rest == last - first + 1 ? "frames" :
        "some of the frames", pairs[first].a.number, pairs[last].a.number);
  give_reason (compared, "a rectangle of %u x %u at (%u, %u), %s", pictures->rest_width, pictures->rest_height, pictures->rest_x,
      pictures->rest_y, frames);
}

/* Whether the pairs that differ look like those of a lossy codec, which loses something of each frame. */
static gboolean
is_loss (const ReportPicturesResult * pictures)
{
  gdouble share = 0;

  for (guint i = 0; i < pictures->pairs->len; i++) {
    const ReportFramePair *pair = &g_array_index (pictures->pairs, ReportFramePair, i);

    if (is_rest (pair))
      share += pair->share;
  }
  return pictures->n_kept == 0 && share > LOSS_SHARE * (gdouble) pictures->n_rest && pictures->mean_difference < LOSS_MEAN
      && pictures->usual_psnr > LOSS_PSNR;
}

/* Pairs that differ otherwise than most: blank frames, a film that stands still, frames that differ far more. */
static void
judge_moments (ReportStreamComparison * compared)
{
  const GArray *all = compared->pictures->moments;

  for (guint i = 0; i < MIN (all->len, MOST_REASONS); i++)
    g_ptr_array_add (compared->reasons, report_moment_describe (compared->pictures, &g_array_index (all, ReportMoment, i)));
  if (all->len > MOST_REASONS)
    give_reason (compared, "and frames of other kinds at %u more place%s", all->len - MOST_REASONS,
        report_plural (all->len - MOST_REASONS));
}

/* Where frames are held, several alignments fit nearly as well, and the wrong one makes pairs that differ. */
static gboolean
is_uncertain (const ReportPicturesResult * pictures)
{
  gboolean has_holds = FALSE;

  for (guint side = 0; side < 2; side++)
    has_holds = has_holds || pictures->n_held[side] * LEAST_HELD > pictures->n_frames[side];
  return has_holds && pictures->unpaired->len > 0;
}

/* Returns: of another range: whether the files say so. Then a player shows the same */
static const gchar *
mark_of (const ReportStreamComparison * compared)
{
  const GstVideoColorRange a = report_stream_range (compared->streams[0]->stream);
  const GstVideoColorRange b = report_stream_range (compared->streams[1]->stream);
  const ReportExplanation *explanation = &compared->pictures->explanation;
  const GstVideoColorRange from = explanation->is_to_limited ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235;

  if (explanation->change != REPORT_CHANGE_RANGE || a == GST_VIDEO_COLOR_RANGE_UNKNOWN || b == GST_VIDEO_COLOR_RANGE_UNKNOWN)
    return "";
  return a == b ? ", but the files say the same range" : a == from ? ", as the files say" : ", but the files say the contrary";
}

/* What explains that frames differ; if nothing does, where they do, or a guess. */
static void
judge_difference (ReportStreamComparison * compared)
{
  const ReportPicturesResult *pictures = compared->pictures;
  const ReportExplanation *explained = &pictures->explanation;
  const guint64 area = (guint64) pictures->rest_width * pictures->rest_height, n = pictures->pairs->len - pictures->n_equal;

  if (pictures->is_explained) {
    g_autofree gchar *after = isinf (explained->after) ? g_strdup ("no difference") : g_strdup_printf ("%.1f dB", explained->after);
    g_autofree gchar *in = explained->n_fit < n ? g_strdup_printf (" in %" G_GUINT64_FORMAT " of the frames", explained->n_fit) :
        g_strdup ("");

    give_reason (compared, "%s%s: %s%s after it%s", explained->text, mark_of (compared), after, explained->is_luma ? " of luma" : "", in);
  } else if (pictures->n_rest > 0 && is_uncertain (pictures)) {
    give_reason (compared, "which frames are missing or added is a guess, because many frames are held");
  } else if (pictures->n_rest > 0 && area < (guint64) pictures->width * pictures->height * SMALL_RECTANGLE) {
    judge_rectangle (compared);
  } else if (pictures->n_rest > 0 && is_loss (pictures)) {
    give_reason (compared, "probably coding loss");
  } else if (pictures->n_rest > 0) {
    give_reason (compared, "nothing explains it");
  }
  judge_moments (compared);
}

/* What makes a player show equal samples otherwise. What one of both does not say is no difference. */
static void
find_shown (ReportStreamComparison * compared)
{
  static const gchar *const names[] = { ROTATION, PIXELS, COLORIMETRY };
  const gboolean is_converted = compared->pictures->is_explained && (compared->pictures->explanation.change == REPORT_CHANGE_RANGE
      || compared->pictures->explanation.change == REPORT_CHANGE_MATRIX);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    const ReportFactDifference *fact = find_fact (compared, names[i]);

    if (fact == NULL || fact->a == NULL || fact->b == NULL || (is_converted && g_str_equal (names[i], COLORIMETRY)))
      continue;
    g_string_append_printf (text, "%s%s %s -> %s", text->len > 0 ? ", " : "", names[i], fact->a, fact->b);
  }
  compared->shown = g_string_free (text, text->len == 0);
}

/* The pictures of a pair of streams: whether they are equal, or within the tolerance. */
static void
judge_pictures (const ReportComparison * comparison, ReportStreamComparison * compared)
{
  const ReportToleranceSettings *settings = comparison->settings;
  const ReportPicturesResult *pictures = compared->pictures;
  const guint64 delays[2] = { report_summary_delay (comparison->inputs[0], compared->streams[0], NULL),
    report_summary_delay (comparison->inputs[1], compared->streams[1], NULL)
  };
  const gdouble rate = MAX (compared->streams[0]->mean_frame_rate, compared->streams[1]->mean_frame_rate);
  const gdouble longest = (gdouble) judge_unpaired (compared) / GST_SECOND;
  const guint64 n = pictures->pairs->len, n_different = n - pictures->n_equal;
  const gboolean has_moved = compared->reasons->len > 0;
  gboolean is_within = settings->tolerances != NULL && longest <= settings->limits[REPORT_TOLERANCE_TIME]
      && compared->n_different == 0 && pictures->cut == NULL;

  find_shown (compared);
  judge_shifts (compared, delays, rate > 0 ? (gint64) (GST_SECOND / rate / 2) : 0);
  if (compared->reasons->len > 0 && !has_moved)
    is_within = FALSE;
  if (pictures->cut != NULL)
    give_reason (compared, "the pictures are not compared %s", pictures->cut);
  if (n_different > 0) {
    const ReportFrameDifference *worst = &g_array_index (pictures->worst, ReportFrameDifference, 0);
    g_autofree gchar *first = print_time (pictures->first.pair.a.time), *when = print_time (worst->pair.a.time);

    for (guint i = 0; i < pictures->pairs->len; i++) {
      const ReportFramePair *pair = &g_array_index (pictures->pairs, ReportFramePair, i);

      is_within = is_within && !(pair->psnr < settings->limits[REPORT_TOLERANCE_PSNR])
          && !(pair->ssim < settings->limits[REPORT_TOLERANCE_SSIM]);
    }
    judge_difference (compared);
    give_reason (compared, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " frames differ%s, first at %s, most at %s (%.1f dB)",
        n_different, n, n_different == 1 ? "s" : "", first, when, worst->pair.psnr);
  }
  if (n == 0)
    give_reason (compared, "no frame of one has a counterpart in the other one");
  if (pictures->is_limited && n_different > 0 && has_moved)
    note (compared->notes, "frames were looked for %d frames ahead: some pairs do not fit", REPORT_ALIGN_MOST);
  compared->verdict = compared->reasons->len == 0 ? REPORT_VERDICT_SAME : is_within && n > 0 ? REPORT_VERDICT_WITHIN_TOLERANCE :
      REPORT_VERDICT_DIFFERENT;
}

/* Whether a difference of sound is within the tolerance. What is below -90 dBFS is not heard. */
static gboolean
is_sound_within (const ReportComparison * comparison, const ReportSoundDifference * sound, gint64 shift)
{
  const gdouble *limits = comparison->settings->limits;
  const gdouble longest = limits[REPORT_TOLERANCE_TIME];

  return comparison->settings->tolerances != NULL
      && (sound->relative <= limits[REPORT_TOLERANCE_SOUND] || sound->absolute <= LEAST_SOUND)
      && sound->are_all_channels && sound->n_compared > 0
      && (gdouble) MAX (sound->n_unpaired[0], sound->n_unpaired[1]) / sound->rate <= longest
      && fabs ((gdouble) shift / GST_SECOND) <= longest;
}

/* The sound of a pair of streams: whether it is equal, or within the tolerance. */
static void
judge_sound (const ReportComparison * comparison, ReportStreamComparison * compared)
{
  const ReportSoundDifference *sound = compared->sound;
  const guint64 delay_a = report_summary_delay (comparison->inputs[0], compared->streams[0], NULL);
  const guint64 delay_b = report_summary_delay (comparison->inputs[1], compared->streams[1], NULL);
  gint64 shift = (gint64) ((gdouble) sound->delay * GST_SECOND / sound->rate);

  if (GST_CLOCK_TIME_IS_VALID (delay_a) && GST_CLOCK_TIME_IS_VALID (delay_b) && comparison->settings->offset == NULL)
    shift += (gint64) (delay_b - delay_a);
  if (!sound->is_equal) {
    const guint n = MIN (sound->explanations->len, MOST_REASONS);

    for (guint i = 0; i < n; i++) {
      const ReportSoundExplanation *explanation = sound->explanations->pdata[i];

      if (!explanation->is_guess)
        give_reason (compared, "%s", explanation->text);
    }
    if (sound->n_different > 0) {
      g_autofree gchar *first = print_time (sound->first);

      give_reason (compared, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " samples differ from %s on, by %.1f dB",
          sound->n_different, sound->n_compared * sound->n_channels, first, sound->relative);
    }
    if (compared->reasons->len == 0)
      give_reason (compared, "samples have no partner");
  }
  if (ABS (shift) >= SHIFT_MARGIN && sound->delay == 0)
    give_reason (compared, "B comes %.3f s %s", fabs ((gdouble) shift / GST_SECOND), shift > 0 ? "later" : "earlier");
  if (compared->reasons->len == 0)
    compared->verdict = REPORT_VERDICT_SAME;
  else
    compared->verdict = compared->n_different == 0 && is_sound_within (comparison, sound, shift) ?
        REPORT_VERDICT_WITHIN_TOLERANCE : REPORT_VERDICT_DIFFERENT;
}

/* A pair of streams of which figures alone are compared. Pictures of another size or kind, and such sound, are not equal: figures that
 * are near are enough only for one who has allowed differences. */
static void
judge_figures (const ReportComparison * comparison, ReportStreamComparison * compared)
{
  const gboolean is_other = compared->refusal != NULL && comparison->settings->tolerances == NULL;
  const gboolean is_different = compared->n_different > 0 || compared->are_results_missing || compared->is_unknown || is_other;

  if (compared->n_different > 0)
    give_reason (compared, "%u figure%s differ%s", compared->n_different, report_plural (compared->n_different),
        compared->n_different == 1 ? "s" : "");
  if (compared->are_results_missing)
    give_reason (compared, "results are missing");
  if (compared->is_unknown)
    give_reason (compared, "no figure could be compared");
  compared->verdict = is_different ? REPORT_VERDICT_DIFFERENT : REPORT_VERDICT_EQUAL_FIGURES;
}

static void
judge (const ReportComparison * comparison, ReportStreamComparison * compared)
{
  const ReportStreamSummary *a = compared->streams[0], *b = compared->streams[1];

  if (a == NULL || b == NULL) {
    give_reason (compared, "only in %s", a != NULL ? "A" : "B");
    compared->verdict = REPORT_VERDICT_DIFFERENT;
  } else if (compared->pictures != NULL) {
    judge_pictures (comparison, compared);
  } else if (compared->sound != NULL) {
    judge_sound (comparison, compared);
  } else {
    judge_figures (comparison, compared);
  }
}

/* If some streams of a medium are compared, the others say by themselves why they are not. */
static void
give_refusals (ReportComparison * comparison, gboolean is_audio)
{
  for (guint i = 0; i < comparison->streams->len; i++) {
    ReportStreamComparison *compared = comparison->streams->pdata[i];

    if (compared->refusal != NULL && compared->streams[0]->stream->is_audio == is_audio)
      give_reason (compared, "%s", compared->refusal);
  }
}

/* Finds what the pass says of the pictures. @pass: (nullable) */
static void
find_pictures (ReportComparison * comparison, const ReportPass * pass)
{
  gboolean has_video = FALSE, is_any = FALSE;
  const gchar *refusal = REFUSAL_JSON;
  guint place = 0;

  for (guint i = 0; i < comparison->streams->len; i++) {
    ReportStreamComparison *compared = comparison->streams->pdata[i];
    const ReportPicturesResult *pictures;

    if (compared->streams[0] == NULL || compared->streams[1] == NULL || compared->streams[0]->stream->is_audio)
      continue;
    has_video = TRUE;
    pictures = pass != NULL ? report_pass_pictures (pass, place++) : NULL;
    if (pictures == NULL)
      continue;
    if (pictures->refusal != NULL) {
      refusal = pictures->refusal;
      compared->refusal = g_strdup_printf ("pictures not compared: %s", refusal);
      note (compared->notes, "%s", compared->refusal);
      continue;
    }
    compared->pictures = pictures;
    is_any = TRUE;
  }
  if (has_video && !is_any)
    comparison->refusal = g_strdup (refusal);
  else
    give_refusals (comparison, FALSE);
}

/* Finds what the pass says of the sound. @pass: (nullable) */
static void
find_sound (ReportComparison * comparison, const ReportPass * pass)
{
  gboolean has_audio = FALSE, is_any = FALSE;
  const gchar *refusal = REFUSAL_JSON;
  guint place = 0;

  for (guint i = 0; i < comparison->streams->len; i++) {
    ReportStreamComparison *compared = comparison->streams->pdata[i];
    const ReportSoundDifference *sound;

    if (compared->streams[0] == NULL || compared->streams[1] == NULL || !compared->streams[0]->stream->is_audio)
      continue;
    has_audio = TRUE;
    sound = pass != NULL ? report_pass_sound (pass, place++) : NULL;
    if (sound == NULL)
      continue;
    if (sound->problem != NULL) {
      refusal = sound->problem;
      compared->refusal = g_strdup_printf ("sound not compared: %s", refusal);
      note (compared->notes, "%s", compared->refusal);
      continue;
    }
    compared->sound = sound;
    is_any = TRUE;
  }
  if (has_audio && !is_any)
    comparison->sound_refusal = g_strdup (refusal);
  else
    give_refusals (comparison, TRUE);
}

static gboolean
compare_all (ReportComparison * comparison, const ReportCompareSide sides[2],
    const ReportPass * pass, GError ** error)
{
  pair_streams (comparison);
  find_pictures (comparison, pass);
  find_sound (comparison, pass);
  if (g_strcmp0 (comparison->inputs[0]->settings,
          comparison->inputs[1]->settings) != 0)
    note (comparison->notes, "they were measured with different settings");
  for (guint i = 0; i < comparison->streams->len; i++) {
    ReportStreamComparison *compared = comparison->streams->pdata[i];

    if (compared->streams[0] != NULL && compared->streams[1] != NULL) {
      if (!compare_streams (comparison, compared, sides, error))
        return FALSE;
      compared->is_unknown = compared->figures->len == 0
          && (comparison->settings->patterns == NULL
          || report_differences_want_any (compared->differences));
    }
    judge (comparison, compared);
    comparison->verdict = MAX (comparison->verdict, compared->verdict);
  }
  return report_interrupt_signal () != 0 || check_patterns (comparison, error);
}

/* The verdict of the comparison itself is no fault of a policy. */
static void
add_checks (ReportComparison * comparison, const ReportCompareSide sides[2], const GPtrArray * policies,
    ReportChecks * checks)
{
  gboolean has_failed;
  GPtrArray *all;

  for (guint i = 0; i < 2 && policies->len > 0; i++)
    report_checks_add (checks, (ReportSummary *) sides[i].summary);
  comparison->checked = report_comparison_check (comparison, policies);
  all = comparison->checked->policies;
  for (guint i = 0; i + 1 < all->len; i++) {
    if (((const ReportPolicyResult *) all->pdata[i])->verdict == HISTO_RULE_FAILED)
      checks->has_failed = TRUE;
  }
  has_failed = checks->has_failed;
  report_checks_add (checks, comparison->checked);
  checks->has_failed = has_failed;
}

/**
 * report_compare:
 * @policies: (element-type ReportPolicy): their rules about comparisons are checked
 * @checks: gets what they say, and what they say of both inputs
 * @page: (nullable): gets a page of HTML
 * @pass: (nullable): in which both were measured; NULL: only their reports are there
 * @is_written: (out): no signal came before it was written
 * @is_different: (out): the verdict is REPORT_VERDICT_DIFFERENT
 *
 * Compares what was measured, and writes. Nothing is written after a signal.
 *
 * Returns: FALSE with an error if a side cannot be read, or if the comparison cannot be written
 */
gboolean
report_compare (const ReportCompareSide sides[2], const ReportPass * pass,
    const ReportToleranceSettings * settings, const GPtrArray * policies, const ReportFormat * format,
    GOutputStream * to, GOutputStream * page, ReportChecks * checks, gboolean * is_written, gboolean * is_different,
    GError ** error)
{
  ReportComparison comparison = { 0 };
  gboolean ok;

  for (guint i = 0; i < 2; i++)
    comparison.inputs[i] = sides[i].summary;
  comparison.settings = settings;
  comparison.notes = g_ptr_array_new_with_free_func (g_free);
  comparison.streams = g_ptr_array_new_with_free_func (stream_comparison_free);
  ok = compare_all (&comparison, sides, pass, error);
  if (ok && report_interrupt_signal () == 0)
    add_checks (&comparison, sides, policies, checks);
  *is_written = ok && report_interrupt_signal () == 0;
  ok = ok && (!*is_written || report_comparison_write (&comparison, format, to, page, error));
  *is_different = comparison.verdict == REPORT_VERDICT_DIFFERENT;
  g_ptr_array_unref (comparison.streams);
  g_ptr_array_unref (comparison.notes);
  g_free (comparison.refusal);
  g_free (comparison.sound_refusal);
  report_summary_free (comparison.checked);
  return ok;
}
