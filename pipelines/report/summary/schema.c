/* The members of a summary: tables say how each is written as JSON, read and checked, and how it adds up.
 *
 * docs/report.schema.json is made from them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "summary/walk.h"

#include <math.h>
#include <string.h>

#include "summary/alerts.h"
#include "summary/answers.h"
#include "cudahisto/light.h"
#include "base/describe.h"
#include "facts/programmes.h"
#include "summary/hdr.h"
#include "summary/schema.h"
#include "summary/summary.h"

typedef ReportWalk Walk;
typedef ReportMember Member;
typedef ReportShape Shape;
typedef ReportSpecial Special;

#define MEMBERS(...) .members = (const Member[]) {__VA_ARGS__, NO_MEMBER}

/* By their numbers, as in histo_groups. */
static const gchar *const group_names[HISTO_N_GROUPS] = {
  "basic",
#define NAME(identifier, name, is_audio, description) name,
  HISTO_GROUPS (NAME)
#undef NAME
};

/* ---- Components --------------------------------------------------------------------------------- */

/* Names are printed as they are. */
static gboolean
is_component_name (const gchar * name)
{
  g_autofree gchar *clean = report_clean_text (g_strdup (name));

  return g_str_equal (clean, name) && strlen (name) <= 64;
}

/* The samples of a component are those in the histogram, those outside, and NaN. */
static gboolean
check_component (Walk * walk, gpointer owner)
{
  ReportComponent *component = owner;
  const HistoFigures figures = component->figures;
  const guint64 outside[] = { figures.underflow, figures.overflow, figures.nan };
  const guint n = G_N_ELEMENTS (outside);
  guint64 left = figures.count;

  if (!is_component_name (component->name))
    return report_walk_fail (walk, "name", "is no name of a component");
  for (guint i = 0; i < n + figures.bins; i++) {
    const guint64 count = i < n ? outside[i] : component->counts[i - n];

    if (count > left)
      return report_walk_fail (walk, "count", "is not the sum of the histogram");
    left -= count;
  }
  if (left != 0 || figures.inf > figures.count)
    return report_walk_fail (walk, "count", "is not the sum of the histogram");
  report_component_clear_figures (component);
  report_component_add_figures (component, &figures);
  return TRUE;
}

static gpointer
add_component (gpointer owner)
{
  return report_region_add_component (owner, "", HISTO_GROUP_BASIC, 0, 0, 0);
}

static const Shape component_shape = {
  .name = "merged-component",
  .text = "A component over all results.",
  .add = add_component,
  .check = check_component,
  .most = MOST_SEARCHED,
  MEMBERS (
      {"name", TEXT, AT (ReportComponent, name), NEEDED},
      {"group", NAME, AT (ReportComponent, group), NEEDED, NAMED (group_names)},
      {"", FIGURES, AT (ReportComponent, figures), .infos = histo_figures, .n = HISTO_N_FIGURES},
      {"means", RANGE, AT (ReportComponent, means), .text = "Of the means of the results."},
      {"histogram", BINS, AT (ReportComponent, counts), NEEDED, .n = G_STRUCT_OFFSET (ReportComponent, figures.bins),
          .text = "The sum of the histograms of the results."})
};

/* ---- Regions ------------------------------------------------------------------------------------ */

/* A summary that was read may have any number: one that is none is left out. */
static void
add_whole (ReportJson * json, const gchar * key, gdouble number)
{
  if (number >= 0)
    report_json_add_int (json, key, (guint64) MIN (number, (gdouble) G_MAXINT64));
}

/* Whether some result has the figure. */
static gboolean
has_figure (const ReportRegion * region, guint i)
{
  gboolean has_choice = FALSE;

  for (guint k = 0; k < REPORT_MOST_NAMES; k++)
    has_choice |= region->choices[i][k] > 0;
  return has_choice || region->figures[i].n > 0;
}

static void
write_group_figures (Walk * walk, gconstpointer owner)
{
  const ReportRegion *region = owner;

  report_json_begin_object (walk->json, "figures");
  for (guint group = 0; group < HISTO_N_GROUPS; group++) {
    gboolean is_open = FALSE;

    for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
      const HistoGroupFigureInfo *info = &histo_group_figures[i];

      if (info->group != group || !has_figure (region, i))
        continue;
      if (!is_open)
        report_json_begin_object (walk->json, histo_groups[group].name);
      is_open = TRUE;
      if (info->type == HISTO_FIGURE_CHOICE)
        report_walk_write_choices (walk, info->name, i, region->choices[i]);
      else
        report_walk_write_range (walk, info->name, &region->figures[i],
            info->type == HISTO_FIGURE_UINT ? add_whole : report_json_add_double);
    }
    if (is_open)
      report_json_end_object (walk->json);
  }
  report_json_end_object (walk->json);
}

static gboolean
read_group_figures (Walk * walk, gpointer owner)
{
  ReportRegion *region = owner;
  JsonObject *outer = report_walk_enter (walk, "figures");

  if (outer == NULL)
    return TRUE;
  for (guint i = 0; i < HISTO_N_GROUP_FIGURES; i++) {
    const HistoGroupFigureInfo *info = &histo_group_figures[i];
    JsonObject *figures = report_walk_enter (walk, histo_groups[info->group].name);

    if (figures == NULL)
      continue;
    if (info->type == HISTO_FIGURE_CHOICE ?
        !report_walk_read_choices (walk, info->name, i, region->choices[i]) :
        !report_walk_read_range (walk, info->name, &region->figures[i]))
      return FALSE;
    walk->object = figures;
  }
  walk->object = outer;
  return TRUE;
}

static const Shape group_figures_shape = { MEMBERS ({.name = "", .type = GROUP_RANGES}) };

static const Special group_figures = {
  write_group_figures, read_group_figures,
  (const Member[]) {{"figures", OBJECT, .flags = NEEDED, .shape = &group_figures_shape}, NO_MEMBER}
};

static void
write_bits_used (Walk * walk, gconstpointer owner)
{
  const ReportRegion *region = owner;
  guint64 bits[HISTO_MAX_COMPONENTS];

  for (guint i = 0; i < region->n_bits_used; i++)
    bits[i] = region->bits_used[i];
  if (region->n_bits_used > 0)
    report_json_add_counts (walk->json, "bits-used", bits, region->n_bits_used);
}

static gboolean
read_bits_used (Walk * walk, gpointer owner)
{
  ReportRegion *region = owner;
  guint64 bits[HISTO_MAX_COMPONENTS];
  JsonArray *array;

  if (!json_object_has_member (walk->object, "bits-used"))
    return TRUE;
  array = report_walk_get_array (walk, "bits-used");
  if (array == NULL)
    return FALSE;
  if (json_array_get_length (array) > HISTO_MAX_COMPONENTS)
    return report_walk_fail (walk, "bits-used", "has too many");
  region->n_bits_used = json_array_get_length (array);
  if (!report_walk_get_counts (walk, "bits-used", bits, region->n_bits_used))
    return FALSE;
  for (guint i = 0; i < region->n_bits_used; i++)
    region->bits_used[i] = (guint) MIN (bits[i], 64);
  return TRUE;
}

static const Special bits_used = {
  write_bits_used, read_bits_used, (const Member[]) {{.name = "bits-used", .type = INTEGERS}, NO_MEMBER}
};

static gboolean
has_r103 (const Walk * walk, gconstpointer owner, gpointer made)
{
  return ((const ReportRegion *) owner)->figures[HISTO_GROUP_FIGURE_GAMUT_FILTER_any].n > 0;
}

static const Shape r103_shape = {
  .text = "Of the group gamut-filter. The worst frame is absent in merged summaries.",
  .find = has_r103,
  MEMBERS (
      {"frames-above", COUNT, AT (ReportR103, n_above), NEEDED},
      {"worst", NUMBER, AT (ReportR103, worst), ALWAYS},
      {"worst-frame", SIZE, AT (ReportR103, worst_frame), OF_ONE},
      {"worst-time", TIME, AT (ReportR103, worst_time), OF_ONE})
};

static gboolean
has_worst_range (const Walk * walk, gconstpointer owner, gpointer made)
{
  return walk->summary->n_inputs == 1 && ((const ReportRegion *) owner)->worst_range.frame != G_MAXUINT64;
}

static const Shape worst_range_shape = {
  .text = "The frame with the greatest share of pixels out of the limited range. Absent in merged summaries.",
  .find = has_worst_range,
  MEMBERS (
      {"value", NUMBER, AT (ReportWorst, value), ALWAYS},
      {"frame", SIZE, AT (ReportWorst, frame), NEEDED},
      {"time", TIME, AT (ReportWorst, time)})
};

/* Joint components. A page has none: they are large. */
static void
write_joints (Walk * walk, gconstpointer owner)
{
  const ReportRegion *region = owner;
  gboolean is_open = FALSE;

  for (guint j = 0; !walk->is_page && j < HISTO_N_JOINTS; j++) {
    const HistoJointInfo *info = &histo_joints[j];
    guint64 count = 0;

    if (region->joints[j] == NULL)
      continue;
    if (!is_open)
      report_json_begin_object (walk->json, histo_groups[info->group].name);
    is_open = TRUE;
    for (guint i = 0; i < HISTO_SCOPE_BINS; i++)
      count += region->joints[j][i];
    report_json_begin_object (walk->json, info->name);
    report_json_add_int (walk->json, "count", count);
    report_json_add_int (walk->json, "columns", HISTO_SCOPE_SIZE);
    report_json_add_int (walk->json, "rows", HISTO_SCOPE_SIZE);
    report_json_add_text (walk->json, "x", info->x);
    report_json_add_text (walk->json, "y", info->y);
    report_json_add_counts (walk->json, "histogram", region->joints[j], HISTO_SCOPE_BINS);
    report_json_end_object (walk->json);
  }
  if (is_open)
    report_json_end_object (walk->json);
}

static gboolean
read_joints (Walk * walk, gpointer owner)
{
  ReportRegion *region = owner;
  JsonObject *outer = report_walk_enter (walk, histo_groups[HISTO_GROUP_SCOPES].name);
  gboolean ok = TRUE;

  if (outer == NULL)
    return TRUE;
  for (guint j = 0; ok && j < HISTO_N_JOINTS; j++) {
    JsonObject *scopes = report_walk_enter (walk, histo_joints[j].name);
    guint64 count, sum = 0;

    if (scopes == NULL)
      continue;
    ok = report_walk_get_int (walk, "count", G_MAXINT64, &count)
        && report_walk_get_counts (walk, "histogram", report_region_find_joint (region, j), HISTO_SCOPE_BINS);
    /* No sum is greater than the count. */
    for (guint i = 0; ok && i < HISTO_SCOPE_BINS; i++)
      sum += MIN (region->joints[j][i], count + 1 - MIN (sum, count + 1));
    if (ok && sum != count)
      ok = report_walk_fail (walk, "count", "is not the sum of the histogram");
    walk->object = scopes;
  }
  walk->object = outer;
  return ok;
}

static const Shape joints_shape = {
  .text = "Sums of all frames, of the whole picture.",
  MEMBERS ({"", JOINTS, .n = HISTO_GROUP_SCOPES})
};

static const Special joints = {
  write_joints, read_joints, (const Member[]) {{"scopes", OBJECT, .shape = &joints_shape}, NO_MEMBER}
};

static gboolean
has_area (const Walk * walk, gconstpointer owner, gpointer made)
{
  return ((const ReportRegion *) owner)->area.width != 0;
}

static const Shape area_shape = {
  .text = "The smallest box that has all active pictures.",
  .find = has_area,
  MEMBERS (
      {"x", INT, AT (ReportArea, x), NEEDED},
      {"y", INT, AT (ReportArea, y), NEEDED},
      {"width", INT, AT (ReportArea, width), NEEDED},
      {"height", INT, AT (ReportArea, height), NEEDED})
};

/* Files of earlier versions have no sides. */
static gboolean
has_sides (const Walk * walk, gconstpointer owner, gpointer made)
{
  return has_area (walk, owner, NULL) && ((const ReportRegion *) owner)->area.n > 0;
}

#define SIDE(name, side) {name, COUNTS, AT (ReportArea, near[side]), NEEDED, .n = REPORT_NEAR}
static const Shape sides_shape = {
  .text = "How constant the sides of the area are.",
  .find = has_sides,
  MEMBERS (
      {"frames", COUNT, AT (ReportArea, n), NEEDED, .text = "Results that have an active picture."},
      SIDE ("left", REPORT_LEFT),
      SIDE ("top", REPORT_TOP),
      SIDE ("right", REPORT_RIGHT),
      SIDE ("bottom", REPORT_BOTTOM))
};

/* The right and lower edges are at most G_MAXINT, too. */
static gboolean
check_region (Walk * walk, gpointer owner)
{
  ReportRegion *region = owner;
  ReportArea *area = &region->area;

  if (region->width > G_MAXINT - region->x
      || area->width > G_MAXINT - area->x)
    return report_walk_fail (walk, "width", "is out of range");
  if (region->height > G_MAXINT - region->y
      || area->height > G_MAXINT - area->y)
    return report_walk_fail (walk, "height", "is out of range");
  if (area->width == 0 || area->height == 0)
    *area = (ReportArea) { 0, };
  return TRUE;
}

static gpointer
add_region (gpointer owner)
{
  return report_part_add_region (owner, NULL);
}

static const Shape region_shape = {
  .name = "merged-region",
  .add = add_region,
  .check = check_region,
  .most = HISTO_MAX_REGIONS + 1,
  MEMBERS (
      {"name", TEXT, AT (ReportRegion, name), .text = "Absent for the whole picture."},
      {"x", INT, AT (ReportRegion, x), NEEDED | OF_PLACE},
      {"y", INT, AT (ReportRegion, y), NEEDED | OF_PLACE},
      {"width", INT, AT (ReportRegion, width), NEEDED | OF_PLACE},
      {"height", INT, AT (ReportRegion, height), NEEDED | OF_PLACE},
      {"components", OBJECTS, AT (ReportRegion, components), NEEDED, .shape = &component_shape},
      {"figures", SPECIAL, .special = &group_figures},
      {"r103", OBJECT, AT (ReportRegion, r103), .shape = &r103_shape},
      {"worst-range", OBJECT, AT (ReportRegion, worst_range), .shape = &worst_range_shape},
      {"bits-used", SPECIAL, .special = &bits_used},
      {"scopes", SPECIAL, .special = &joints},
      {"area", OBJECT, AT (ReportRegion, area), .shape = &area_shape},
      {"area-sides", OBJECT, AT (ReportRegion, area), .shape = &sides_shape})
};

/* ---- Descriptions ------------------------------------------------------------------------------- */

/* Each channel has a name, if one has. */
static gboolean
check_channel_names (Walk * walk, gpointer owner)
{
  const ReportStream *stream = owner;
  gchar **names = stream->channel_names;

  if (names == NULL)
    return TRUE;
  if (stream->channels > HISTO_MAX_CHANNELS
      || g_strv_length (names) != (guint) stream->channels)
    return report_walk_fail (walk, "channel-names", "has another size");
  for (guint c = 0; names[c] != NULL; c++) {
    if (!is_component_name (names[c]))
      return report_walk_fail (walk, "channel-names", "holds something else than names");
  }
  return TRUE;
}

static void
write_pixel_shape (Walk * walk, gconstpointer owner)
{
  const ReportStream *stream = owner;
  g_autofree gchar *ratio = NULL;

  if (stream->par_d == 0)
    return;
  ratio = g_strdup_printf ("%d:%d", stream->par_n, stream->par_d);
  report_json_add_text (walk->json, "pixel-aspect-ratio", ratio);
  report_json_add_int (walk->json, "display-width",
      report_stream_display_width (stream));
}

static gboolean
read_pixel_shape (Walk * walk, gpointer owner)
{
  ReportStream *stream = owner;
  const gchar *ratio = report_walk_get_text (walk, "pixel-aspect-ratio");
  guint64 n = 0, d = 0;
  g_auto (GStrv) parts = NULL;

  if (ratio == NULL)
    return TRUE;
  parts = g_strsplit (ratio, ":", 2);
  if (g_strv_length (parts) == 2
      && g_ascii_string_to_unsigned (parts[0], 10, 1, G_MAXINT, &n, NULL)
      && g_ascii_string_to_unsigned (parts[1], 10, 1, G_MAXINT, &d, NULL)) {
    stream->par_n = (gint) n;
    stream->par_d = (gint) d;
  }
  return d > 0 || report_walk_fail (walk, "pixel-aspect-ratio", "is no ratio");
}

static const Special pixel_shape = {
  write_pixel_shape, read_pixel_shape, (const Member[]) {
      {"pixel-aspect-ratio", RATIO, .text = "The width of a pixel to its height."},
      {.name = "display-width", .type = INT}, NO_MEMBER}
};

/* What may change within a stream. */
#define FACT_MEMBERS \
      {"format", TEXT, AT (ReportStream, format)}, \
      {"rate", INT, AT (ReportStream, rate), OF_AUDIO}, \
      {"n-channels", INT, AT (ReportStream, channels), OF_AUDIO}, \
      {"channel-names", TEXTS, AT (ReportStream, channel_names), OF_AUDIO}, \
      {"width", INT, AT (ReportStream, width), OF_VIDEO}, \
      {"height", INT, AT (ReportStream, height), OF_VIDEO}, \
      {"pixel-aspect-ratio", SPECIAL, 0, OF_VIDEO, .special = &pixel_shape}, \
      {"colorimetry", TEXT, AT (ReportStream, colorimetry), OF_VIDEO}, \
      {"frame-rate", NUMBER, AT (ReportStream, frame_rate), OF_VIDEO}

static const Shape facts_shape = { .check = check_channel_names, MEMBERS (FACT_MEMBERS) };

static const gchar *const media_names[] = { HISTO_MEDIA_VIDEO, HISTO_MEDIA_AUDIO };

static const Shape description_shape = {
  .check = check_channel_names,
  MEMBERS (
      {"stream", INT, AT (ReportStream, index), NEEDED},
      {"media", MEDIUM, AT (ReportStream, is_audio), ALWAYS, NAMED (media_names)},
      {"title", TEXT, AT (ReportStream, title), NEEDED},
      {"codec", TEXT, AT (ReportStream, codec)},
      {"programme", TEXT, AT (ReportStream, programme), OF_AUDIO,
          .text = "The numbers of the tracks that are joined, from 1 on. Absent of one track."},
      {"programme-source", TEXT, AT (ReportStream, programme_source), OF_AUDIO, NAMED (report_programme_sources),
          .text = "Who joins them."},
      {"decoder", TEXT, AT (ReportStream, decoder),
        .text = "What decoded it in place of GStreamer, which loses some of it or cannot read it."},
      FACT_MEMBERS)
};

/* ---- Parts -------------------------------------------------------------------------------------- */

#define PART_FIGURES \
      {"regions", OBJECTS, AT (ReportPart, regions), NEEDED, .shape = &region_shape}, \
      {"channels", OBJECTS, AT (ReportPart, channels), NEEDED | OF_AUDIO, .shape = &report_channel_shape}, \
      {"pairs", OBJECTS, AT (ReportPart, pairs), OF_AUDIO, .n = 1, .shape = &report_pair_shape}

static gpointer
add_part (gpointer owner)
{
  ReportStreamSummary *stream = owner;
  const ReportStream description = {.is_audio = stream->stream->is_audio };

  return report_stream_summary_add_part (stream, &description);
}

const Shape report_part_shape = {
  .name = "part",
  .text = "A stream from one of its changes to the next one; of merged summaries all results with one description.",
  .add = add_part,
  MEMBERS (
      {"start", TIME, AT (ReportPart, start)},
      {"end", END, AT (ReportPart, end)},
      {"results", COUNT, AT (ReportPart, n_results), NEEDED, SUM},
      {"samples", COUNT, AT (ReportPart, n_samples), OF_AUDIO, SUM},
      {"", INLINE, AT (ReportPart, stream), .shape = &facts_shape},
      PART_FIGURES)
};

static const Member part_figures[] = { PART_FIGURES, NO_MEMBER };

/* A stream without changes is one part. If there are several, they have all figures, and those of the stream
 * follow from them. */
static gboolean
check_parts (Walk * walk, gpointer owner)
{
  ReportStreamSummary *stream = owner;
  guint64 results = 0, samples = 0;

  if (!json_object_has_member (walk->object, "parts")) {
    ReportPart *part = report_stream_summary_add_part (stream, stream->stream);

    part->n_results = stream->n_results;
    part->n_samples = stream->n_samples;
    return report_walk_read (walk, part_figures, part);
  }
  for (guint i = 0; i < stream->parts->len; i++) {
    const ReportPart *part = stream->parts->pdata[i];

    /* Both counts of the parts so far are at most those of the stream. */
    if (part->n_results > stream->n_results - results || part->n_samples > stream->n_samples - samples)
      return report_walk_fail (walk, "parts", "have more results than the stream");
    results += part->n_results;
    samples += part->n_samples;
  }
  return TRUE;
}

/* ---- Sound -------------------------------------------------------------------------------------- */

static gboolean
has_loudness (const Walk * walk, gconstpointer owner, gpointer made)
{
  return ((const ReportStreamSummary *) owner)->loudness[HISTO_LOUDNESS_FIGURE_integrated].n > 0;
}

/* In version 1 the greatest loudness was that of the ends of the windows. */
static gboolean
complete_loudness (Walk * walk, gpointer owner)
{
  HistoRange *loudness = ((ReportStreamSummary *) owner)->loudness;

  if (loudness[HISTO_LOUDNESS_FIGURE_momentary_max].n == 0)
    loudness[HISTO_LOUDNESS_FIGURE_momentary_max] = loudness[HISTO_LOUDNESS_FIGURE_momentary];
  if (loudness[HISTO_LOUDNESS_FIGURE_short_term_max].n == 0)
    loudness[HISTO_LOUDNESS_FIGURE_short_term_max] = loudness[HISTO_LOUDNESS_FIGURE_short_term];
  return TRUE;
}

#define BLOCKS_TEXT "Pairs: the number of a bin of 0.001 LU from -70 LUFS on, and its count."
static const Shape loudness_shape = {
  .find = has_loudness,
  .check = complete_loudness,
  MEMBERS (
      {"", RANGES, AT (ReportStreamSummary, loudness), 0, SUM,
          .infos = histo_loudness_figures, .n = HISTO_N_LOUDNESS_FIGURES},
      {"momentary-blocks", BLOCKS, AT (ReportStreamSummary, momentary), ALWAYS, SUM, .text = BLOCKS_TEXT},
      {"short-term-blocks", BLOCKS, AT (ReportStreamSummary, short_term), ALWAYS, SUM, .text = BLOCKS_TEXT})
};

/* ---- Flashes, repeats and timestamps ------------------------------------------------------------ */

static gboolean
has_flash (const Walk * walk, gconstpointer owner, gpointer made)
{
  guint picture, zones;

  return report_answers_flashes (owner, &picture, &zones);
}

static const Shape flash_shape = {
  .text = "The worst states, and how many frames have which state in their worst zone.",
  .find = has_flash,
  MEMBERS (
      {"picture", CHOICE, AT (ReportStreamAnswers, picture_state), ALWAYS | ANSWER,
          .choice = HISTO_GROUP_FIGURE_FLASH_state},
      {"zones", CHOICE, AT (ReportStreamAnswers, zones_state), ALWAYS | ANSWER,
          .choice = HISTO_GROUP_FIGURE_FLASH_state},
      {"zone-frames", CHOICES, AT (ReportStreamSummary, zone_states), ALWAYS, SUM, .n = REPORT_N_FLASH_STATES,
          .choice = HISTO_GROUP_FIGURE_FLASH_state})
};

static void
write_cadences (Walk * walk, gconstpointer owner)
{
  const ReportRepeats *repeats = owner;

  report_json_begin_array (walk->json, "cadences");
  for (guint period = 1; period <= REPORT_MOST_PERIOD; period++) {
    for (guint unique = 0; unique <= period; unique++) {
      const guint64 n = repeats->cadences[period][unique];

      if (n == 0)
        continue;
      report_json_begin_object (walk->json, NULL);
      report_json_add_int (walk->json, "period", period);
      report_json_add_int (walk->json, "unique", unique);
      report_json_add_int (walk->json, "frames", n);
      report_json_end_object (walk->json);
    }
  }
  report_json_end_array (walk->json);
}

static gboolean
read_cadence (Walk * walk, gpointer repeats)
{
  guint64 period, unique, n;

  if (!report_walk_get_int (walk, "period", REPORT_MOST_PERIOD, &period)
      || !report_walk_get_int (walk, "unique", period, &unique)
      || !report_walk_get_int (walk, "frames", G_MAXINT64, &n))
    return FALSE;
  ((ReportRepeats *) repeats)->cadences[period][unique] = n;
  return TRUE;
}

static gpointer
same_owner (gpointer owner)
{
  return owner;
}

static const Shape cadence_shape = {.add = same_owner, .check = read_cadence, .members = (const Member[]) {NO_MEMBER} };

static gboolean
read_cadences (Walk * walk, gpointer owner)
{
  return report_walk_read_objects (walk, &(const Member) {"cadences", OBJECTS, .shape = &cadence_shape}, owner);
}

static const Shape cadence_looks = {
  MEMBERS ({"period", COUNT, .flags = NEEDED}, {"unique", COUNT, .flags = NEEDED}, {"frames", COUNT, .flags = NEEDED})
};

static const Special cadences = {
  write_cadences, read_cadences,
  (const Member[]) {{"cadences", LIST, .flags = NEEDED, .shape = &cadence_looks}, NO_MEMBER}
};

static gboolean
has_repeats (const Walk * walk, gconstpointer owner, gpointer made)
{
  const ReportRegion *picture = report_first_region (((const ReportStreamSummary *) owner)->regions);

  return picture != NULL && picture->figures[HISTO_GROUP_FIGURE_MOTION_repeat].n > 0;
}

static const Shape repeats_shape = {
  .text = "Frames that equal the one before.",
  .find = has_repeats,
  MEMBERS (
      {"longest-run", COUNT, AT (ReportRepeats, longest), NEEDED, GREATEST},
      {"longest-run-start", TIME, AT (ReportRepeats, longest_start)},
      {"cadences", SPECIAL, AT (ReportRepeats, cadences), 0, SUM, .special = &cadences,
          .n = sizeof ((ReportRepeats *) NULL)->cadences / sizeof (guint64)})
};

static gboolean
has_timestamps (const Walk * walk, gconstpointer owner, gpointer made)
{
  return ((const ReportStreamSummary *) owner)->timestamps.n_buffers > 0;
}

static const Shape timestamps_shape = {
  .text = "How timestamps follow each other.",
  .find = has_timestamps,
  MEMBERS (
      {"buffers", COUNT, AT (ReportTimestamps, n_buffers), NEEDED, SUM},
      {"gaps", COUNT, AT (ReportTimestamps, n[REPORT_GAP]), NEEDED, SUM},
      {"gap-length", COUNT, AT (ReportTimestamps, gap_length), NEEDED, SUM},
      {"overlaps", COUNT, AT (ReportTimestamps, n[REPORT_OVERLAP]), NEEDED, SUM},
      {"jumps-back", COUNT, AT (ReportTimestamps, n[REPORT_JUMP_BACK]), NEEDED, SUM},
      {"shifted", COUNT, AT (ReportTimestamps, n_shifted), NOT_ZERO, SUM},
      {"distances", RANGE, AT (ReportTimestamps, distances), 0, SUM},
      {"missing", COUNT, AT (ReportTimestamps, n_untimed), NEEDED, SUM},
      {"places", OBJECTS, AT (ReportTimestamps, places), NEEDED, JOINED, .shape = &report_time_place_shape})
};

/* ---- Metadata of HDR ---------------------------------------------------------------------------- */

/* What was measured, beside what a stream says. A difference to a number that is not carried is absent. */
typedef struct
{
  guint transfer;
  gdouble max_cll, p9999, max_fall;
  guint64 display;              /* of HLG; G_MAXUINT64: of PQ */
  guint64 right_cll, right_fall;
  gdouble cll_difference, fall_difference;
} Light;

static const gchar *const transfer_names[] = { "hlg", "pq" };

static gboolean
find_light (const Walk * walk, gconstpointer owner, gpointer made)
{
  Light *light = made;
  ReportHdr hdr;

  if (!report_hdr_find (owner, &hdr))
    return FALSE;
  *light = (Light) {
    hdr.is_pq, hdr.max_cll, hdr.p9999, hdr.max_fall, hdr.is_pq ? G_MAXUINT64 : HISTO_HLG_WHITE,
    report_hdr_round_up (hdr.max_cll), report_hdr_round_up (hdr.max_fall), NAN, NAN
  };
  if (hdr.carried->changes == 0 && hdr.carried->max_cll > 0)
    light->cll_difference = hdr.max_cll - (gdouble) hdr.carried->max_cll;
  if (hdr.carried->changes == 0 && hdr.carried->max_fall > 0)
    light->fall_difference = hdr.max_fall - (gdouble) hdr.carried->max_fall;
  return TRUE;
}

static gboolean
is_pq (const Walk * walk, gconstpointer owner, gpointer made)
{
  return ((const Light *) owner)->display == G_MAXUINT64;
}

static gboolean
has_difference (const Walk * walk, gconstpointer owner, gpointer made)
{
  const Light *light = owner;

  return is_pq (walk, owner, made) && !(isnan (light->cll_difference) && isnan (light->fall_difference));
}

static const Shape measured_shape = {
  .text = "Of HLG for a display of so many cd/m².",
  MEMBERS (
      {"max-cll", NUMBER, AT (Light, max_cll), ALWAYS},
      {"max-cll-p9999", NUMBER, AT (Light, p9999), ALWAYS},
      {"max-fall", NUMBER, AT (Light, max_fall), ALWAYS},
      {"display", SIZE, AT (Light, display)})
};

static const Shape right_shape = {
  .text = "Of PQ: what the stream should say.",
  .find = is_pq,
  MEMBERS ({"max-cll", COUNT, AT (Light, right_cll), ALWAYS}, {"max-fall", COUNT, AT (Light, right_fall), ALWAYS})
};

static const Shape difference_shape = {
  .text = "Of PQ: measured less carried.",
  .find = has_difference,
  MEMBERS ({"max-cll", NUMBER, AT (Light, cll_difference)}, {"max-fall", NUMBER, AT (Light, fall_difference)})
};

static const Shape light_shape = {
  .size = sizeof (Light),
  .find = find_light,
  MEMBERS (
      {"transfer", NAME, AT (Light, transfer), NAMED (transfer_names)},
      {"measured", OBJECT, .shape = &measured_shape},
      {"right", OBJECT, .shape = &right_shape},
      {"difference", OBJECT, .shape = &difference_shape})
};

static gboolean
is_carried (const Walk * walk, gconstpointer owner, gpointer made)
{
  const ReportCarried *carried = &((const ReportStream *) owner)->carried;

  return carried->max_cll > 0 || carried->max_fall > 0 || carried->mastering_max > 0 || carried->changes > 0;
}

static const Shape carried_shape = {
  .text = "By the caps; what is unknown is absent. The colours are those of the mastering display.",
  .find = is_carried,
  MEMBERS (
      {"max-cll", COUNT, AT (ReportCarried, max_cll), NOT_ZERO},
      {"max-fall", COUNT, AT (ReportCarried, max_fall), NOT_ZERO},
      {"mastering-max", NUMBER, AT (ReportCarried, mastering_max), NOT_ZERO},
      {"mastering-min", NUMBER, AT (ReportCarried, mastering_min), NOT_ZERO},
      {"red-x", NUMBER, AT (ReportCarried, primaries[0]), NOT_ZERO},
      {"red-y", NUMBER, AT (ReportCarried, primaries[1]), NOT_ZERO},
      {"green-x", NUMBER, AT (ReportCarried, primaries[2]), NOT_ZERO},
      {"green-y", NUMBER, AT (ReportCarried, primaries[3]), NOT_ZERO},
      {"blue-x", NUMBER, AT (ReportCarried, primaries[4]), NOT_ZERO},
      {"blue-y", NUMBER, AT (ReportCarried, primaries[5]), NOT_ZERO},
      {"white-x", NUMBER, AT (ReportCarried, white[0]), NOT_ZERO},
      {"white-y", NUMBER, AT (ReportCarried, white[1]), NOT_ZERO},
      {"changes", COUNT, AT (ReportCarried, changes), NOT_ZERO,
          .text = "How often it changes. The others are what it says first."})
};

/* Not of several inputs. */
static gboolean
has_hdr (const Walk * walk, gconstpointer owner, gpointer made)
{
  const ReportStreamSummary *stream = owner;
  ReportHdr hdr;

  return !stream->is_merged && (report_hdr_find (stream, &hdr) || is_carried (walk, stream->stream, NULL));
}

static const Shape said_shape = {
  MEMBERS ({"carried", OBJECT, AT (ReportStream, carried), .shape = &carried_shape})
};

static const Shape hdr_shape = {
  .text = "What an HDR stream says of its light, beside what was measured. In cd/m².",
  .find = has_hdr,
  MEMBERS (
      {"", INLINE, AT (ReportStreamSummary, stream), .shape = &said_shape},
      {"", INLINE, .flags = WRITTEN, .shape = &light_shape})
};

/* ---- Streams ------------------------------------------------------------------------------------ */

/* Writes nothing. Rows of the stream have the flag ANSWER. */
static void
find_answers (Walk * walk, gconstpointer owner)
{
  const ReportStreamSummary *stream = owner;
  const ReportSummary *summary = walk->summary;
  ReportStreamAnswers *answers = &walk->answers;
  g_autoptr (GPtrArray) hints = report_summary_hints (summary, stream);
  const guint loudness = HISTO_ALERT_FLAG (HISTO_ALERT_LOUDNESS);

  g_free (answers->headline);
  g_strfreev (answers->hints);
  *answers = (ReportStreamAnswers) {
    .delay = report_summary_delay (summary, stream, NULL),
    .early_end = report_summary_early_end (summary, stream, NULL),
  };
  report_answers_flashes (stream, &answers->picture_state, &answers->zones_state);
  if (stream->stream->is_audio)
    answers->headline = report_answer_sound (stream);
  else
    answers->field_order = report_answers_field_order (stream);
  if (hints->len > 0) {
    g_ptr_array_add (hints, NULL);
    answers->hints = g_strdupv ((gchar **) hints->pdata);
  }
  if ((summary->alerts & loudness) != 0 && !report_alerts_can_check (summary, stream, HISTO_ALERT_LOUDNESS))
    answers->unchecked = loudness;
}

static const Special answers = { find_answers, NULL, (const Member[]) {NO_MEMBER} };

static const gchar *const measured_orders[] = {
  "progressive", "top-field-first", "bottom-field-first", "telecine", "undetermined"
};

static const gchar *const field_orders[] = {
  "progressive", "top-field-first", "bottom-field-first", "interlaced", "mixed", REPORT_ALTERNATE
};

const gchar *const report_backend_names[2] = { "cpu", "cuda" };

static gpointer
add_stream (gpointer owner)
{
  const ReportStream unknown = { 0 };

  return report_summary_add_stream (owner, &unknown);
}

const Shape report_stream_shape = {
  .name = "stream",
  .add = add_stream,
  .check = check_parts,
  .most = REPORT_MOST_STREAMS,
  MEMBERS (
      {"", SPECIAL, .special = &answers},
      {"", INLINE, AT (ReportStreamSummary, stream), .shape = &description_shape},
      {"groups", FLAGS, AT (ReportStreamSummary, groups), NEEDED, ANY, NAMED (group_names)},
      {"results", COUNT, AT (ReportStreamSummary, n_results), NEEDED, SUM},
      {"samples", COUNT, AT (ReportStreamSummary, n_samples), OF_AUDIO, SUM},
      {"mean-frame-rate", NUMBER, AT (ReportStreamSummary, mean_frame_rate), NOT_ZERO},
      {"field-order", TEXT, AT (ReportStreamSummary, field_order), 0, SAME, NAMED (field_orders)},
      {"measured-field-order", TEXT, AT (ReportStreamAnswers, field_order), OF_VIDEO | ANSWER, NAMED (measured_orders)},
      {"hdr-metadata", OBJECT, 0, OF_VIDEO, .shape = &hdr_shape},
      {"tracks", OBJECTS, AT (ReportStreamSummary, tracks), OF_AUDIO | OF_ONE, .n = 1, .shape = &report_track_shape,
          .text = "Of a programme, in the order of the channels."},
      {"spare", BOOLEAN, AT (ReportStreamSummary, is_spare), OF_AUDIO | NOT_ZERO,
          .text = "A mono track in no programme that is silent from begin to end, beside sound that is not silent."},
      {"facts", OBJECTS, AT (ReportStreamSummary, facts), OF_ONE, .n = 1, .shape = &report_fact_shape},
      {"timecode", TEXT, AT (ReportStreamSummary, timecode), .text = "Of the first frame."},
      {"bit-rate", NUMBER, AT (ReportStreamSummary, bit_rate), NOT_ZERO},
      {"correlation", NUMBER, AT (ReportStreamSummary, correlation), .text = "Of stereo."},
      {"start", TIME, AT (ReportStreamSummary, start)},
      {"end", END, AT (ReportStreamSummary, end)},
      {"delay", TIME, AT (ReportStreamAnswers, delay), ANSWER},
      {"early-end", TIME, AT (ReportStreamAnswers, early_end), ANSWER},
      {"backend", TEXT, AT (ReportStreamSummary, backend), 0, LATEST, NAMED (report_backend_names)},
      {"regions", OBJECTS, AT (ReportStreamSummary, regions), WRITTEN | ALWAYS, .shape = &region_shape},
      {"channels", OBJECTS, AT (ReportStreamSummary, channels), WRITTEN | OF_AUDIO, .shape = &report_channel_shape},
      {"pairs", OBJECTS, AT (ReportStreamSummary, pairs), WRITTEN | OF_AUDIO, .n = 1, .shape = &report_pair_shape},
      {"sound-spans", OBJECTS, AT (ReportStreamSummary, sound_spans.spans), OF_AUDIO, JOINED, .n = 1,
          .shape = &report_sound_span_shape},
      {"short-faults", OBJECTS, AT (ReportStreamSummary, short_faults.faults), 0, JOINED, .n = 1,
          .shape = &report_short_fault_shape},
      {"headline", TEXT, AT (ReportStreamAnswers, headline), OF_AUDIO | ANSWER,
          .text = "Channels that are silent throughout, and inverted pairs, in words."},
      {"loudness", OBJECT, 0, OF_AUDIO, INSIDE, .shape = &loudness_shape},
      {"parts", OBJECTS, AT (ReportStreamSummary, parts), .n = 2, .shape = &report_part_shape,
          .text = "Only of a stream that changes."},
      {"alerts", OBJECTS, AT (ReportStreamSummary, alerts), NEEDED, JOINED, .shape = &report_alert_shape},
      {"scenes-in-flashes", COUNT, AT (ReportStreamSummary, n_scenes_in_flashes), NOT_ZERO | OF_VIDEO, SUM,
          .text = "Scene changes that are left out of the alerts."},
      {"flash", OBJECT, 0, OF_VIDEO, INSIDE, .shape = &flash_shape},
      {"flashes", OBJECTS, AT (ReportStreamSummary, flashes), OF_VIDEO, JOINED, .n = 1,
          .shape = &report_flashes_shape, .text = "Where the state is not pass."},
      {"repeats", OBJECT, AT (ReportStreamSummary, repeats), OF_VIDEO, INSIDE, .shape = &repeats_shape},
      {"timestamps", OBJECT, AT (ReportStreamSummary, timestamps), 0, INSIDE, .shape = &timestamps_shape},
      {"hints", TEXTS, AT (ReportStreamAnswers, hints), ANSWER,
          .text = "What figures show that no alert reports."},
      {"unchecked-alerts", FLAGS, AT (ReportStreamAnswers, unchecked), OF_AUDIO | NOT_ZERO | ANSWER,
          .names = histo_alert_names, .n = HISTO_N_ALERTS,
          .text = "Alerts that were watched and could not be checked."})
};

/* ---- The summary -------------------------------------------------------------------------------- */

/* A summary of an earlier version has only the text of the first problem. */
static gboolean
check_problems (Walk * walk, gpointer owner)
{
  ReportSummary *summary = owner;

  if (!json_object_has_member (walk->object, "problems") && summary->problem != NULL)
    ((ReportProblem *) report_objects_add (summary->problems, &report_problem_shape))->text =
        g_strdup (summary->problem);
  report_member_set_text (&summary->problem, summary->problems->len > 0 ?
      ((ReportProblem *) summary->problems->pdata[0])->text : NULL);
  return TRUE;
}

/* The worst one of all policies. */
static void
write_verdict (Walk * walk, gconstpointer owner)
{
  const GPtrArray *policies = ((const ReportSummary *) owner)->policies;

  if (policies->len > 0)
    report_json_add_text (walk->json, "verdict", report_verdict_names[report_policy_results_verdict (policies)]);
}

static const Special verdict = {
  write_verdict, NULL, (const Member[]) {{"verdict", TEXT, NAMED (report_verdict_names)}, NO_MEMBER}
};

static const Shape notice_span_shape = {
  MEMBERS (
      {"start", TIME, AT (ReportNoticeSpan, start), NEEDED},
      {"end", END, AT (ReportNoticeSpan, end)},
      {"input", TEXT, AT (ReportNoticeSpan, input)})
};

static const Shape notice_shape = {
  .name = "notice",
  .text = "What a person acts on. Times count from the start of the stream.",
  MEMBERS (
      {"kind", NAME, AT (ReportNotice, kind), NEEDED, NAMED (report_notice_kind_names)},
      {"severity", NAME, AT (ReportNotice, severity), NEEDED, NAMED (report_severity_names)},
      {"text", TEXT, AT (ReportNotice, text), NEEDED},
      {"stream", INT, AT (ReportNotice, stream)},
      {"programme", TEXT, AT (ReportNotice, programme), .text = "The tracks that the stream joins."},
      {"region", TEXT, AT (ReportNotice, region)},
      {"zones", FLAGS, AT (ReportNotice, zones), NOT_ZERO, .n = HISTO_N_ZONES,
          .text = "Numbers of the zones of the picture."},
      {"spans", OBJECTS, AT (ReportNotice, spans), WRITTEN, .n = 1, .shape = &notice_span_shape},
      {"value", NUMBER, AT (ReportNotice, value)},
      {"limit", NUMBER, AT (ReportNotice, limit)},
      {"unit", TEXT, AT (ReportNotice, unit)},
      {"value-time", TIME, AT (ReportNotice, value_time)})
};

const Shape report_summary_shape = {
  .name = "summary",
  .text = "The summary of an input, or of several that were merged.",
  .check = check_problems,
  MEMBERS (
      {"input", TEXT, AT (ReportSummary, name), ALWAYS},
      {"uri", TEXT, AT (ReportSummary, uri)},
      {"input-size", SIZE, AT (ReportSummary, input_size), .text = "In bytes."},
      {"input-mtime", SIZE, AT (ReportSummary, input_mtime), .text = "In ns since 1970: when the file was changed."},
      {"inputs", COUNT, AT (ReportSummary, n_inputs), NEEDED, SUM},
      {"complete", BOOLEAN, AT (ReportSummary, is_complete), ALWAYS, ALL},
      {"problem", TEXT, AT (ReportSummary, problem)},
      {"problems", OBJECTS, AT (ReportSummary, problems), .n = 1, .shape = &report_problem_shape},
      {"verdict", SPECIAL, .special = &verdict},
      {"verdict-line", TEXT, AT (ReportSummary, verdict_line), WRITTEN,
          .text = "The verdict and what a person acts on, in one line for people."},
      {"policies", OBJECTS, AT (ReportSummary, policies), .n = 1, .shape = &report_policy_shape},
      {"settings", TEXT, AT (ReportSummary, settings), 0, SAME},
      {"watched-alerts", FLAGS, AT (ReportSummary, alerts), NEEDED, ANY, .names = histo_alert_names,
          .n = HISTO_N_ALERTS},
      {"duration", TIME, AT (ReportSummary, duration), 0, SUM},
      {"seconds", NUMBER, AT (ReportSummary, seconds), 0, SUM},
      {"streams", OBJECTS, AT (ReportSummary, streams), NEEDED, .shape = &report_stream_shape},
      {"notices", OBJECTS, AT (ReportSummary, notices), WRITTEN | ALWAYS, .shape = &notice_shape,
          .text = "What a person acts on, the worst first."})
};

/**
 * report_json_add_summary:
 * @json: in an object
 * @summary: finished
 * @is_page: histograms have at most 1024 bins, each the sum of its neighbours, and lists (alerts) the first
 *   5000 elements: a page stays small
 */
void
report_json_add_summary (ReportJson * json, const ReportSummary * summary,
    gboolean is_page)
{
  Walk walk = {.json = json,.summary = summary,.is_page = is_page };

  report_json_add_text (json, "type", "summary");
  report_json_add_int (json, "version", REPORT_JSON_VERSION);
  report_walk_write (&walk, report_summary_shape.members, summary);
  g_free (walk.answers.headline);
  g_strfreev (walk.answers.hints);
}
