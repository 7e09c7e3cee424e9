/* Adds summaries up, and the parts of a stream. The tables of members say how; what needs more than one member is here.
 *
 * Sums are at most G_MAXINT64, the greatest integer that JSON has here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gio/gio.h>
#include <math.h>
#include <string.h>

#include "summary/schema.h"
#include "summary/summary.h"

typedef ReportMember Member;
typedef ReportShape Shape;

/* What is added up. */
typedef struct
{
  const gchar *input;           /* the name of the input; NULL: parts of one */
  gboolean is_first;            /* nothing has been added to the sum so far */
  GError **error;
} Merging;

static gboolean
fail (const Merging * merging, const gchar * what)
{
  g_set_error (merging->error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "the sum of the %s is too large", what);
  return FALSE;
}

/* ---- Members of any table ----------------------------------------------------------------------- */

/* @all: (inout): at most %G_MAXINT64
 * @counts: (array length=n) */
static gboolean
add_counts (const Merging * merging, guint64 * all, const guint64 * counts, gsize n, const gchar * what)
{
  for (gsize i = 0; i < n; i++) {
    if (all[i] > G_MAXINT64 || counts[i] > G_MAXINT64 - all[i])
      return fail (merging, what);
    all[i] += counts[i];
  }
  return TRUE;
}

static gboolean
add_ranges (const Merging * merging, HistoRange * all, const HistoRange * ranges, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    guint64 count = all[i].n;

    if (!add_counts (merging, &count, &ranges[i].n, 1, "results"))
      return FALSE;
    histo_range_merge (&all[i], &ranges[i]);
  }
  return TRUE;
}

/* @all: (inout) (nullable): NULL: there are none so far */
static gboolean
add_blocks (const Merging * merging, HistoLoudnessBlocks ** all, const HistoLoudnessBlocks * blocks)
{
  if (blocks == NULL)
    return TRUE;
  if (*all == NULL)
    *all = histo_loudness_blocks_new ();
  for (guint bin = 0; bin < HISTO_N_LOUDNESS_BINS; bin++) {
    const guint64 count = histo_loudness_blocks_get_count (blocks, bin);

    if (count > 0 && !histo_loudness_blocks_add_count (*all, bin, count))
      return fail (merging, "blocks");
  }
  return TRUE;
}

/* A time that is unknown makes that of the sum unknown. */
static gboolean
add_time (const Merging * merging, guint64 * all, guint64 time)
{
  if (GST_CLOCK_TIME_IS_VALID (*all) && GST_CLOCK_TIME_IS_VALID (time))
    return add_counts (merging, all, &time, 1, "lengths");
  *all = GST_CLOCK_TIME_NONE;
  return TRUE;
}

static gboolean
add_member (const Merging * merging, const Member * member, gpointer all, gconstpointer one)
{
  switch (member->type) {
    case NUMBER:
      FIELD (gdouble, all, member) += FIELD (gdouble, one, member);
      return TRUE;
    case TIME:
      return add_time (merging, &FIELD (guint64, all, member), FIELD (guint64, one, member));
    case COUNT:
      return add_counts (merging, &FIELD (guint64, all, member), &FIELD (guint64, one, member), 1, member->name);
    case CHOICES:
    case SPECIAL:
      return add_counts (merging, &FIELD (guint64, all, member), &FIELD (guint64, one, member), member->n, "results");
    case RANGE:
    case RANGES:
      return add_ranges (merging, &FIELD (HistoRange, all, member), &FIELD (HistoRange, one, member),
          member->type == RANGE ? 1 : member->n);
    case BLOCKS:
      return add_blocks (merging, &FIELD (HistoLoudnessBlocks *, all, member),
          FIELD (HistoLoudnessBlocks *, one, member));
    default:
      g_assert_not_reached ();
  }
}

static void
take_greatest (const Member * member, gpointer all, gconstpointer one)
{
  if (member->type == NAME)
    FIELD (guint, all, member) = MAX (FIELD (guint, all, member), FIELD (guint, one, member));
  else if (member->type != NUMBERS)
    FIELD (guint64, all, member) = MAX (FIELD (guint64, all, member), FIELD (guint64, one, member));
  for (guint i = 0; member->type == NUMBERS && i < member->n; i++) {
    gdouble *number = &FIELD (gdouble, all, member) + i;

    *number = fmax (*number, (&FIELD (gdouble, one, member))[i]);
  }
}

static void
take_value (const Member * member, gpointer all, gconstpointer one)
{
  if (member->type == TEXT) {
    report_member_set_text (&FIELD (gchar *, all, member), FIELD (gchar *, one, member));
  } else if (member->type == TEXTS) {
    g_strfreev (FIELD (gchar **, all, member));
    FIELD (gchar **, all, member) = g_strdupv (FIELD (gchar **, one, member));
  } else {
    FIELD (guint, all, member) = FIELD (guint, one, member);
  }
}

static gboolean
is_same (const Member * member, gconstpointer one, gconstpointer other)
{
  return member->type == TEXT ? g_strcmp0 (FIELD (gchar *, one, member), FIELD (gchar *, other, member)) == 0 :
      FIELD (guint, one, member) == FIELD (guint, other, member);
}

/* Appends copies, each with the name of its input. */
static void
join_objects (const Merging * merging, const Shape * shape, GPtrArray * all, const GPtrArray * objects, guint most)
{
  const Member *input = shape->members;

  while (!g_str_equal (input->name, "input"))
    input++;
  for (guint i = 0; i < objects->len && all->len < most; i++) {
    gpointer copy = report_objects_add_copy (all, shape, objects->pdata[i]);

    if (FIELD (gchar *, copy, input) == NULL)
      FIELD (gchar *, copy, input) = g_strdup (merging->input);
  }
}

/* @hint: where it probably is
 * @is_new: (out)
 * Returns: (transfer none): the object with the same keys, which may be a new one */
static gpointer
find_match (GPtrArray * all, const Shape * shape, gconstpointer one, guint hint, gboolean * is_new)
{
  *is_new = FALSE;
  for (guint i = 0; i < all->len; i++) {
    gpointer found = all->pdata[(hint + i) % all->len];
    gboolean is_match = TRUE;

    for (const Member * member = shape->members; member->name != NULL; member++)
      is_match &= member->merge != KEY || is_same (member, found, one);
    if (is_match)
      return found;
  }
  *is_new = TRUE;
  return report_objects_add (all, shape);
}

static gboolean
merge_members (const Merging * merging, const Member * members, gpointer all, gconstpointer one);

static gboolean
merge_objects (const Merging * merging, const Shape * shape, GPtrArray * all, const GPtrArray * objects)
{
  Merging inner = *merging;

  for (guint i = 0; i < objects->len; i++) {
    gpointer found = find_match (all, shape, objects->pdata[i], i, &inner.is_first);

    if (!merge_members (&inner, shape->members, found, objects->pdata[i]))
      return FALSE;
  }
  return TRUE;
}

static gboolean
merge_member (const Merging * merging, const Member * member, gpointer all, gconstpointer one)
{
  guint64 *sum;

  switch (member->merge) {
    case NOT:
      break;
    case SUM:
      return add_member (merging, member, all, one);
    case LIMITED:
      sum = &FIELD (guint64, all, member);
      *sum += MIN (FIELD (guint64, one, member), G_MAXINT64 - MIN (*sum, G_MAXINT64));
      break;
    case GREATEST:
      take_greatest (member, all, one);
      break;
    case ANY:
      FIELD (guint, all, member) |= FIELD (guint, one, member);
      break;
    case ALL:
      FIELD (gboolean, all, member) &= FIELD (gboolean, one, member);
      break;
    case FIRST:
    case KEY:
      if (merging->is_first)
        take_value (member, all, one);
      break;
    case LATEST:
      if (FIELD (gchar *, one, member) != NULL)
        take_value (member, all, one);
      break;
    case SAME:
      if (merging->is_first)
        take_value (member, all, one);
      else if (!is_same (member, all, one))
        g_clear_pointer (&FIELD (gchar *, all, member), g_free);
      break;
    case INSIDE:
      return merge_members (merging, member->shape->members, &FIELD (gchar, all, member),
          &FIELD (const gchar, one, member));
    case MATCHED:
      return merge_objects (merging, member->shape, FIELD (GPtrArray *, all, member),
          FIELD (GPtrArray *, one, member));
    case JOINED:
      join_objects (merging, member->shape, FIELD (GPtrArray *, all, member), FIELD (GPtrArray *, one, member),
          G_MAXUINT);
      break;
  }
  return TRUE;
}

static gboolean
merge_members (const Merging * merging, const Member * members, gpointer all, gconstpointer one)
{
  for (const Member * member = members; member->name != NULL; member++) {
    if (!merge_member (merging, member, all, one))
      return FALSE;
  }
  return TRUE;
}

/* ---- Regions and parts -------------------------------------------------------------------------- */

/* What two parts have in common: figures that need more of it are not added up. */
typedef enum
{
  SAME_SCALE = 1,               /* a sample has the same meaning: histograms, means and bits */
  SAME_SIZE = 2                 /* a pixel has the same place: rectangles */
} Common;

static gboolean
merge_component (const Merging * merging, ReportRegion * all, const ReportComponent * component, guint hint)
{
  const HistoFigures *figures = &component->figures;
  ReportComponent *found = report_region_find_bins (all, component->name, component->group, figures, hint);
  guint64 count;

  if (found == NULL)
    found = report_region_add_component (all, component->name, component->group, figures->bins,
        figures->range_min, figures->range_max);
  /* No counter of a component is greater than its number of samples. */
  count = found->figures.count;
  if (!add_counts (merging, &count, &figures->count, 1, "samples"))
    return FALSE;
  report_component_add_figures (found, figures);
  for (guint i = 0; i < figures->bins; i++)
    found->counts[i] += component->counts[i];
  return add_ranges (merging, &found->means, &component->means, 1);
}

/* Inputs may have been measured with other regions.
 *
 * @hint: where it probably is
 * Returns: (transfer none): the region with this name, which may be a new one; NULL of the whole picture is one, too */
static ReportRegion *
find_region (const ReportPart * all, const ReportRegion * wanted, guint hint, Common common)
{
  ReportRegion *region;

  for (guint i = 0; i < all->regions->len; i++) {
    region = all->regions->pdata[(hint + i) % all->regions->len];
    if (g_strcmp0 (region->name, wanted->name) == 0)
      return region;
  }
  region = report_part_add_region ((ReportPart *) all, wanted->name);
  region->has_place = (common & SAME_SIZE) != 0 && wanted->has_place;
  if (region->has_place) {
    region->x = wanted->x;
    region->y = wanted->y;
    region->width = wanted->width;
    region->height = wanted->height;
  }
  return region;
}

static gboolean
merge_region (const Merging * merging, ReportPart * all, const ReportRegion * region, guint r, Common common)
{
  ReportRegion *found = find_region (all, region, r, common);

  /* The figures of `detail` are differences of samples; those of the other groups are shares, or light. */
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    if (((common & SAME_SCALE) != 0 || histo_group_figures[i].group != HISTO_GROUP_DETAIL)
        && !(add_ranges (merging, &found->figures[i], &region->figures[i], 1)
            && add_counts (merging, found->choices[i], region->choices[i], REPORT_MOST_NAMES, "results")))
      return FALSE;
  }
  report_r103_merge (&found->r103, &region->r103);
  report_worst_merge (&found->worst_range, &region->worst_range);
  if ((common & SAME_SIZE) != 0)
    report_area_merge (&found->area, &region->area);
  if ((common & SAME_SCALE) == 0)
    return TRUE;
  for (guint i = 0; i < region->components->len; i++) {
    if (!merge_component (merging, found, region->components->pdata[i], i))
      return FALSE;
  }
  found->n_bits_used = MAX (found->n_bits_used, region->n_bits_used);
  for (guint i = 0; i < region->n_bits_used; i++)
    found->bits_used[i] = MAX (found->bits_used[i], region->bits_used[i]);
  for (guint j = 0; j < HISTO_N_JOINTS; j++) {
    if (region->joints[j] != NULL && !add_counts (merging, report_region_find_joint (found, j), region->joints[j],
            HISTO_SCOPE_BINS, "results"))
      return FALSE;
  }
  return TRUE;
}

static gboolean
merge_figures (const Merging * merging, ReportPart * all, const ReportPart * part, Common common,
    gboolean has_channels)
{
  for (guint r = 0; r < part->regions->len; r++) {
    if (!merge_region (merging, all, part->regions->pdata[r], r, common))
      return FALSE;
  }
  if (!has_channels)
    return TRUE;
  report_part_set_channels (all, part->channels->len);
  for (guint c = 0; c < MIN (all->channels->len, part->channels->len); c++) {
    if (!merge_members (merging, report_channel_shape.members, all->channels->pdata[c], part->channels->pdata[c]))
      return FALSE;
  }
  return merge_objects (merging, &report_pair_shape, all->pairs, part->pairs);
}

/* Parts with one description are added up, whatever input they are of. */
static gboolean
merge_parts (const Merging * merging, ReportStreamSummary * all, const ReportStreamSummary * summary)
{
  for (guint i = 0; i < summary->parts->len; i++) {
    const ReportPart *part = summary->parts->pdata[i];
    ReportPart *found;

    /* Nothing was measured. */
    if (part->n_results == 0 && part->regions->len == 0 && part->channels->len == 0)
      continue;
    found = report_stream_summary_find_part (all, part->stream);
    if (found == NULL)
      found = report_stream_summary_add_part (all, part->stream);
    if (!merge_members (merging, report_part_shape.members, found, part)
        || !merge_figures (merging, found, part, SAME_SCALE | SAME_SIZE, TRUE))
      return FALSE;
  }
  return TRUE;
}

/* ---- Verdicts ----------------------------------------------------------------------------------- */

/* Which of two values is worse only the rule knows. That of the worse verdict is; of equal ones the first. */
static void
merge_finding (const Merging * merging, ReportFinding * all, const ReportFinding * finding)
{
  if (finding->verdict > all->verdict || (isnan (all->worst) && all->word == NULL)) {
    all->worst = finding->worst;
    all->worst_zone = finding->worst_zone;
    all->limit = finding->limit;
    report_member_set_text (&all->word, finding->word);
  }
  if (finding->verdict >= all->verdict)
    all->zones = finding->zones | (finding->verdict == all->verdict ? all->zones : 0);
  merge_members (merging, report_finding_shape.members, all, finding);
  join_objects (merging, &report_breach_shape, all->breaches, finding->breaches, REPORT_MOST_BREACHES);
}

/* @streams: (element-type ReportStreamSummary): those of the sum that the summary's are added to */
static void
merge_rule (const Merging * merging, ReportRuleResult * all, const ReportRuleResult * rule,
    const ReportSummary * summary, const GPtrArray * streams)
{
  /* Skipped in all inputs for one reason. */
  if (all->verdict != HISTO_RULE_SKIPPED)
    g_clear_pointer (&all->why, g_free);
  for (guint f = 0; f < rule->findings->len; f++) {
    const ReportFinding *finding = rule->findings->pdata[f];
    ReportFinding *found = NULL;
    gint stream = finding->stream < 0 ? -1 : finding->stream;
    const gchar *title = finding->title;
    Merging inner = *merging;

    for (guint s = streams->len; finding->stream >= 0 && s-- > 0;) {
      const ReportStream *sum = ((const ReportStreamSummary *) streams->pdata[s])->stream;

      if (((const ReportStreamSummary *) summary->streams->pdata[s])->stream->index == (guint) finding->stream) {
        stream = (gint) sum->index;
        title = sum->title;
      }
    }
    for (guint i = 0; found == NULL && i < all->findings->len; i++) {
      ReportFinding *other = all->findings->pdata[i];

      if (other->stream == stream && g_strcmp0 (other->place, finding->place) == 0
          && (other->zones == 0) == (finding->zones == 0))
        found = other;
    }
    inner.is_first = found == NULL;
    if (found == NULL) {
      found = report_objects_add (all->findings, &report_finding_shape);
      found->stream = stream;
      found->title = g_strdup (title);
    }
    merge_finding (&inner, found, finding);
  }
}

/* A rule has the worst verdict that it has in an input: `frames 14` is a limit for each input. */
static void
merge_policies (const Merging * merging, ReportSummary * all, const ReportSummary * summary,
    const GPtrArray * streams)
{
  for (guint p = 0; p < summary->policies->len; p++) {
    const ReportPolicyResult *policy = summary->policies->pdata[p];
    Merging inner = *merging;
    ReportPolicyResult *sum = find_match (all->policies, &report_policy_shape, policy, p, &inner.is_first);

    merge_members (&inner, report_policy_shape.members, sum, policy);
    report_policy_result_limit (sum, summary->is_complete);
    for (guint r = 0; r < policy->rules->len; r++) {
      const ReportRuleResult *rule = policy->rules->pdata[r];

      merge_rule (&inner, find_match (sum->rules, &report_rule_shape, rule, r, &inner.is_first), rule, summary,
          streams);
    }
  }
}

/* ---- Summaries ---------------------------------------------------------------------------------- */

static gboolean
merge_stream (const Merging * merging, ReportStreamSummary * all, const ReportStreamSummary * summary)
{
  const Merging inner = { merging->input, all->n_results == 0, merging->error };
  guint64 length = report_stream_summary_length (summary);

  all->is_merged = TRUE;
  if (g_strcmp0 (all->stream->programme, summary->stream->programme) != 0) {
    g_clear_pointer (&all->stream->programme, g_free);
    g_clear_pointer (&all->stream->programme_source, g_free);
  }
  if (!merge_members (&inner, report_stream_shape.members, all, summary))
    return FALSE;
  /* The times of several inputs: from 0 on, one after the other. */
  if (GST_CLOCK_TIME_IS_VALID (length)) {
    if (!GST_CLOCK_TIME_IS_VALID (all->start))
      all->start = all->end = 0;
    if (!add_counts (&inner, &all->end, &length, 1, "lengths"))
      return FALSE;
  }
  return merge_parts (&inner, all, summary);
}

/* Streams are matched by their place among the streams of their medium: the first video of an input with the first
 * video of the others.
 *
 * Returns: the summary of the stream with this place */
static ReportStreamSummary *
find_stream (ReportSummary * all, const ReportStreamSummary * summary,
    guint place)
{
  guint before = 0;

  for (guint i = 0; i < all->streams->len; i++) {
    ReportStreamSummary *found = all->streams->pdata[i];

    if (found->stream->is_audio == summary->stream->is_audio
        && before++ == place)
      return found;
  }
  return report_summary_add_stream (all, summary->stream);
}

/**
 * report_summary_merge:
 * @all: (inout): from report_summary_new(), and its earlier calls; to be finished at the end
 * @summary: of an input, finished; or of merged inputs
 *
 * Returns: FALSE with a %G_IO_ERROR if a sum is too large; then @all is of no use any more
 */
gboolean
report_summary_merge (ReportSummary * all, const ReportSummary * summary,
    GError ** error)
{
  const Merging merging = { summary->name, !all->is_sum, error };
  g_autoptr (GPtrArray) streams = g_ptr_array_new ();
  guint n_of_medium[2] = { 0, 0 };

  if (merging.is_first) {
    all->is_sum = all->is_complete = TRUE;
    all->n_inputs = all->duration = 0;
  }
  if (!merge_members (&merging, report_summary_shape.members, all, summary))
    return FALSE;
  for (guint i = 0; i < summary->problems->len; i++) {
    ReportProblem problem = *(ReportProblem *) summary->problems->pdata[i];
    g_autofree gchar *text = g_strdup_printf ("%s: %s", summary->name, problem.text);

    problem.text = text;
    report_summary_add_problem (all, &problem);
  }
  for (guint i = 0; i < summary->streams->len; i++) {
    const ReportStreamSummary *stream = summary->streams->pdata[i];

    g_ptr_array_add (streams, find_stream (all, stream, n_of_medium[stream->stream->is_audio ? 1 : 0]++));
    if (!merge_stream (&merging, streams->pdata[i], stream))
      return FALSE;
  }
  merge_policies (&merging, all, summary, streams);
  return TRUE;
}

/* ---- All parts of a stream together ------------------------------------------------------------- */

/* Whether all components of the samples themselves in @a are in @b, with the same bins. */
static gboolean
has_components (const ReportRegion * b, const ReportRegion * a)
{
  for (guint i = 0; i < a->components->len; i++) {
    const ReportComponent *component = a->components->pdata[i];

    if (component->group == HISTO_GROUP_BASIC
        && report_region_find_bins (b, component->name, component->group,
            &component->figures, i) == NULL)
      return FALSE;
  }
  return TRUE;
}

/* @has_channels: (out): all parts have the same number of them */
static Common
find_common (const ReportStreamSummary * summary, gboolean * has_channels)
{
  const ReportPart *first = summary->parts->pdata[0];
  const ReportRegion *one = report_first_region (first->regions);
  Common common = SAME_SCALE | SAME_SIZE;

  *has_channels = TRUE;
  for (guint i = 1; i < summary->parts->len; i++) {
    const ReportPart *part = summary->parts->pdata[i];
    const ReportRegion *other = report_first_region (part->regions);

    *has_channels &= first->channels->len == part->channels->len;
    if (first->stream->width != part->stream->width
        || first->stream->height != part->stream->height)
      common &= ~SAME_SIZE;
    if (one == NULL || other == NULL || !has_components (one, other)
        || !has_components (other, one))
      common &= ~SAME_SCALE;
  }
  return common;
}

/* Computes the figures that follow from all results of each part, and what is valid for all parts. If a sum is too
 * large, nothing is. */
static void
join_parts (ReportStreamSummary * summary)
{
  const gboolean is_audio = summary->stream->is_audio;
  ReportPart *whole, *joined = NULL;
  const Merging merging = { NULL, FALSE, NULL };
  gboolean has_channels, ok = TRUE;
  HistoPairFigures figures;
  Common common;

  for (guint i = 0; i < summary->parts->len; i++)
    report_part_finish (summary->parts->pdata[i], is_audio);
  if (summary->parts->len == 0)
    return;
  whole = summary->parts->pdata[0];
  if (summary->parts->len > 1) {
    whole = joined = report_part_new (NULL);
    common = find_common (summary, &has_channels);
    for (guint i = 0; ok && i < summary->parts->len; i++)
      ok = merge_figures (&merging, whole, summary->parts->pdata[i], common, has_channels);
    if (!ok) {
      report_part_free (whole);
      whole = joined = report_part_new (NULL);
    }
    report_part_finish (whole, is_audio);
  }
  g_ptr_array_unref (summary->regions);
  g_ptr_array_unref (summary->pairs);
  g_ptr_array_unref (summary->channels);
  summary->regions = g_ptr_array_ref (whole->regions);
  summary->channels = g_ptr_array_ref (whole->channels);
  summary->pairs = g_ptr_array_ref (whole->pairs);
  if (is_audio && summary->stream->channels == 2 && whole->pairs->len == 1) {
    report_pair_get_whole (whole->pairs->pdata[0], &figures);
    summary->correlation = figures.correlation;
  }
  g_clear_pointer (&joined, report_part_free);
}

static void
set_range (HistoRange * range, gdouble number)
{
  range->min = range->max = range->sum = range->last = number;
  range->n = 1;
}

/**
 * report_summary_finish_so_far:
 *
 * Computes the figures that follow from all results together. More results may be added, and
 * finished again.
 */
void
report_summary_finish_so_far (ReportSummary * summary)
{
  for (guint s = 0; s < summary->streams->len; s++) {
    ReportStreamSummary *stream = summary->streams->pdata[s];

    report_stream_summary_leave_out_scenes (stream);
    join_parts (stream);
    if (stream->is_merged && stream->momentary != NULL
        && (stream->groups & HISTO_GROUP_FLAG (HISTO_GROUP_LOUDNESS)) != 0) {
      /* Those of several inputs or parts follow from their blocks. */
      set_range (&stream->loudness[HISTO_LOUDNESS_FIGURE_integrated],
          histo_loudness_blocks_integrated (stream->momentary));
      set_range (&stream->loudness[HISTO_LOUDNESS_FIGURE_range],
          histo_loudness_blocks_range (stream->short_term));
    }
  }
}

/**
 * report_summary_finish:
 *
 * As report_summary_finish_so_far(), and no result follows: a frame that nothing follows is no fault of a single frame.
 */
void
report_summary_finish (ReportSummary * summary)
{
  for (guint s = 0; s < summary->streams->len; s++)
    report_short_faults_finish (&((ReportStreamSummary *) summary->streams->pdata[s])->short_faults);
  report_summary_finish_so_far (summary);
}
