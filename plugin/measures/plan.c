/* Makes plans: which groups and components a format has, and regions × components → offsets of
 * counters and of tallies.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/plan.h"

#include "measures/loudness.h"
#include "measures/masked.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

/* ---- Groups ----------------------------------------------------------------------------- */

/* Returns: those of the groups that fit the format, and the basic group */
static guint
groups_of_format (const HistoFormat * format, guint groups)
{
  guint fitting = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC);

  for (guint g = HISTO_GROUP_BASIC + 1; g < HISTO_N_GROUPS; g++) {
    if (histo_groups[g].is_audio == format->is_audio
        && !histo_format_is_bayer (format))
      fitting |= groups & HISTO_GROUP_FLAG (g);
  }
  if (format->is_audio
      && GST_AUDIO_INFO_RATE (&format->audio) < HISTO_LEAST_LOUDNESS_RATE)
    fitting &= ~HISTO_GROUP_FLAG (HISTO_GROUP_LOUDNESS);
  return fitting;
}

/* Whether a measure of these groups needs the previous frame. */
static gboolean
need_previous (guint groups)
{
  for (guint s = 0; s < HISTO_N_SOURCES; s++) {
    if (histo_components[s].needs_previous
        && (groups & HISTO_GROUP_FLAG (histo_components[s].group)) != 0)
      return TRUE;
  }
  for (guint i = 0; i < HISTO_N_TALLY_ROWS; i++) {
    if (histo_tallies[i].needs_previous
        && (groups & HISTO_GROUP_FLAG (histo_tallies[i].group)) != 0)
      return TRUE;
  }
  return FALSE;
}

/* ---- Regions -------------------------------------------------------------------------- */

static void
fill_regions (HistoPlan * plan, const HistoPlanSettings * settings)
{
  const guint width = plan->format->width, height = plan->format->height;
  const gboolean is_audio = plan->format->is_audio;

  plan->n_fixed =
      is_audio || settings->regions == NULL ? 0 : settings->regions->len;
  plan->n_rois = is_audio ? 0 : settings->n_rois;
  plan->n_regions = 1 + plan->n_fixed + plan->n_rois;
  plan->regions = g_new0 (HistoRegion, plan->n_regions);
  for (guint r = 0; r < plan->n_regions; r++) {
    plan->regions[r].width = width;
    plan->regions[r].height = height;
    if (r > 0 && r <= plan->n_fixed) {
      histo_region_resolve (&g_array_index (settings->regions,
              HistoRegionSpec, r - 1), width, height, &plan->regions[r]);
      plan->regions[r].name = g_strdup (plan->regions[r].name);
    }
  }
}

/* ---- Counters --------------------------------------------------------------------------- */

static void
add_derived (GArray * components, const HistoFormat * format,
    HistoSource source)
{
  const HistoComponentInfo *info = &histo_components[source];
  HistoComponent component = {
    .quark = g_quark_from_static_string (info->name),
    .group = info->group,
    .source = source,
    .depth = format->formula_depth,
    .n_values = 1u << format->formula_depth,
  };

  if (info->n_values > 0) {
    component.depth = g_bit_storage (info->n_values - 1);
    component.n_values = info->n_values;
  }
  component.name = g_quark_to_string (component.quark);
  g_array_append_val (components, component);
}

/* Lists the components of one region, group by group; the native ones first. */
static void
list_components (const HistoFormat * format, guint groups, GArray * components)
{
  for (guint group = 0; group < HISTO_N_GROUPS; group++) {
    if ((groups & HISTO_GROUP_FLAG (group)) == 0)
      continue;
    for (guint s = 0; s < HISTO_N_SOURCES; s++) {
      const HistoComponentInfo *info = &histo_components[s];

      if (info->group != group)
        continue;
      /* Each native component, or what is made of its samples. */
      for (guint c = 0; info->name == NULL && c < format->n_components; c++) {
        HistoComponent component = format->components[c];

        component.group = group;
        component.source = s;
        g_array_append_val (components, component);
      }
      if (info->name != NULL && (info->formats & HISTO_COLORS_FLAG (format->colors)) != 0)
        add_derived (components, format, s);
    }
  }
}

static void
add_region (HistoPlan * plan, GArray * components, guint region)
{
  const guint first = components->len;

  list_components (plan->format, plan->groups, components);
  for (guint i = first; i < components->len; i++) {
    HistoComponent *component = &g_array_index (components, HistoComponent, i);

    component->region = region;
    component->first_bin = plan->n_counters;
    plan->n_counters += histo_plan_component_counters (plan, component);
  }
  plan->n_region_components = components->len - first;
  plan->n_counters += plan->n_light_bins;
}

/* Returns: the native component of this name whose samples are the numbers of an axis; -1: none */
static gint
find_axis (const HistoPlan * plan, const gchar * name)
{
  for (guint i = 0; i < plan->format->n_components; i++)
    if (g_str_equal (plan->components[i].name, name)
        && plan->components[i].n_values == HISTO_SCOPE_SIZE)
      return i;
  return -1;
}

static void
list_joints (HistoPlan * plan)
{
  guint found = 0;

  if (plan->format->is_audio)
    return;
  for (guint joint = 0; joint < HISTO_N_JOINTS; joint++) {
    const HistoJointInfo *info = &histo_joints[joint];
    const guint j = plan->n_joints;

    if (!histo_joint_is_measured (joint, plan->groups,
            HISTO_COLORS_FLAG (plan->format->colors)))
      continue;
    plan->joints[plan->n_joints++] = joint;
    plan->axes[j][HISTO_AXIS_COLUMNS] = find_axis (plan, info->x);
    plan->axes[j][HISTO_AXIS_ROWS] = find_axis (plan, info->y);
    for (guint axis = 0; axis < HISTO_N_AXES; axis++)
      if (plan->axes[j][axis] >= 0)
        found |= 1u << plan->axes[j][axis];
  }
  plan->joints_have_samples = found == (1u << plan->format->n_components) - 1;
}

/* ---- Tallies ---------------------------------------------------------------------------- */

/* If a group has one tally, regions have room for all of them. The lines are the last ones. */
static void
place_tallies (HistoPlan * plan)
{
  gboolean has_tallies = FALSE, has_lines = FALSE, has_cells = FALSE;

  for (guint i = 0; i < HISTO_N_TALLY_ROWS; i++) {
    const gboolean is_on = histo_plan_has_group (plan, histo_tallies[i].group);

    has_tallies |= is_on;
    has_lines |= is_on && histo_tallies[i].kind == HISTO_TALLY_OF_LINES;
    has_cells |= is_on && histo_tallies[i].kind == HISTO_TALLY_OF_CELLS;
  }
  plan->first_tally = g_new0 (gsize, plan->n_regions);
  if (!has_tallies)
    return;
  for (guint r = 0; r < plan->n_regions; r++) {
    plan->first_tally[r] = plan->n_tallies;
    plan->n_tallies += HISTO_N_TALLIES;
    if (has_lines)
      plan->n_tallies +=
          (gsize) plan->regions[r].height + plan->regions[r].width;
    if (has_cells && r == 0) {
      plan->first_cell = plan->n_tallies;
      plan->n_tallies += HISTO_N_CELLS_NUMBERS;
    }
  }
}

/* ---- The plan ----------------------------------------------------------------------------- */

static void
fill_light (HistoPlan * plan)
{
  const GstVideoTransferFunction transfer = plan->format->video.colorimetry.transfer;
  const gboolean is_hlg = transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67;
  const gboolean has_hdr = histo_plan_has_group (plan, HISTO_GROUP_HDR);
  const gboolean has_flash = histo_plan_has_group (plan, HISTO_GROUP_FLASH);

  if (is_hlg && (has_hdr || has_flash))
    plan->hlg = histo_hlg_tables_new (&plan->formulas);
  else if (has_flash)
    plan->linear = histo_linear_table_new (&plan->formulas, transfer);
  if (has_hdr) {
    plan->light = is_hlg ? histo_hlg_bins_new () : histo_light_table_new (plan->format);
    plan->n_light_bins = is_hlg ? HISTO_HLG_BINS : 0;
  }
}

static void
fill_mask (HistoPlan * plan, HistoMask * mask)
{
  plan->alpha = -1;
  if (mask == NULL || plan->format->is_audio)
    return;
  plan->mask = histo_mask_ref (mask);
  if (!mask->is_alpha)
    plan->mask_frames = histo_mask_frames_new ();
  for (guint c = 0; c < plan->format->n_components && mask->is_alpha; c++)
    if (g_str_equal (plan->format->components[c].name, "A"))
      plan->alpha = c;
}

static void
fill_maps (HistoPlan * plan)
{
  if (plan->format->is_audio)
    return;
  histo_formulas_init (&plan->formulas, plan->format);
  plan->has_groups = plan->n_regions > 1 || plan->alpha >= 0
      || plan->groups != HISTO_GROUP_FLAG (HISTO_GROUP_BASIC);
  plan->needs_previous = need_previous (plan->groups);
  if (histo_plan_has_group (plan, HISTO_GROUP_SIGNAL)
      && plan->formulas.has_chroma && plan->formulas.depth <= HISTO_MOST_TABLE_DEPTH)
    plan->chroma_table = histo_chroma_table_new (plan->formulas.depth);
  fill_light (plan);
}

/* Those of native components. */
static void
init_bins (HistoBins * bins, const HistoFormat * format, guint n_values, const HistoPlanSettings * settings)
{
  if (settings->edges != NULL)
    histo_bins_init_edges (bins, format, n_values, settings->edges);
  else
    histo_bins_init (bins, format, n_values, &settings->bins);
}

/**
 * histo_plan_new:
 * @format: referenced
 * @settings: valid ones
 *
 * Returns: (transfer full): the plan for buffers of this format
 */
HistoPlan *
histo_plan_new (HistoFormat * format, const HistoPlanSettings * settings)
{
  HistoPlan *plan = g_new0 (HistoPlan, 1);
  GArray *components = g_array_new (FALSE, TRUE, sizeof (HistoComponent));

  plan->ref_count = 1;
  plan->format = histo_format_ref (format);
  plan->groups = groups_of_format (format, settings->groups);
  fill_regions (plan, settings);
  fill_mask (plan, settings->mask);
  fill_maps (plan);
  if (format->is_audio) {
    plan->n_bin_sets = 1;
    plan->bins = g_new0 (HistoBins, 1);
    init_bins (plan->bins, format, 0, settings);
  }
  for (guint region = 0; region < plan->n_regions; region++)
    add_region (plan, components, region);
  plan->n_components = components->len;
  plan->components = (HistoComponent *) g_array_free (components, FALSE);
  /* The kernels count the samples of video at the format's offsets, so the plan's must be the same. */
  for (guint i = 0; i < format->n_components && !format->is_audio; i++)
    g_assert (plan->components[i].first_bin == format->components[i].first_bin);
  list_joints (plan);
  /* The range and the edges of the settings are samples. Other numbers keep their own range. */
  if (!format->is_audio) {
    const HistoBinSettings derived = {.bins = settings->bins.bins };

    plan->n_bin_sets = plan->n_region_components;
    plan->bins = g_new0 (HistoBins, plan->n_bin_sets);
    for (guint i = 0; i < plan->n_bin_sets; i++) {
      const HistoComponent *component = &plan->components[i];

      if (component->group == HISTO_GROUP_BASIC)
        init_bins (&plan->bins[i], format, component->n_values, settings);
      else
        histo_bins_init (&plan->bins[i], format, component->n_values, &derived);
    }
  }
  place_tallies (plan);
  return plan;
}

/* The groups that a mask has a meaning for: those whose figures follow from single pixels. Of `signal` it has one for
 * saturation, hue and tallies of single pixels: the others are absent. */
static const guint mask_groups = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC) | HISTO_GROUP_FLAG (HISTO_GROUP_SIGNAL)
    | HISTO_GROUP_FLAG (HISTO_GROUP_COLOR) | HISTO_GROUP_FLAG (HISTO_GROUP_HDR) | HISTO_GROUP_FLAG (HISTO_GROUP_GAMUT);

static gboolean
check_mask (const HistoPlan * plan, GError ** error)
{
  const HistoMask *mask = plan->mask;
  g_autoptr (GString) names = g_string_new (NULL);

  if (mask == NULL)
    return TRUE;
  for (guint g = 0; g < HISTO_N_GROUPS; g++)
    if ((plan->groups & ~mask_groups & HISTO_GROUP_FLAG (g)) != 0)
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", histo_groups[g].name);
  if (names->len > 0)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The mask cannot be used: it has no meaning for %s, which measures, alerts or rules ask for", names->str);
  else if (mask->is_alpha && plan->alpha < 0)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The mask cannot be used: it is alpha, and %s has none", histo_format_name (plan->format));
  else if (!mask->is_alpha && (mask->width != plan->format->width || mask->height != plan->format->height))
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The mask cannot be used: it is an image of %ux%u, and the picture has %ux%u", mask->width, mask->height,
        plan->format->width, plan->format->height);
  else
    return TRUE;
  return FALSE;
}

/* Returns: FALSE with a %GST_STREAM_ERROR_FORMAT if the sums of a frame may not fit in the tallies, or if the mask does not
 *   fit */
gboolean
histo_plan_check (const HistoPlan * plan, GError ** error)
{
  const guint64 n = (guint64) plan->format->width * plan->format->height;
  const guint64 most = G_MAXUINT64 / HISTO_MOST_GRADIENT_SQUARE;

  if (n <= most || !histo_plan_has_group (plan, HISTO_GROUP_DETAIL))
    return check_mask (plan, error);
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "The group detail can be measured in frames of up to %" G_GUINT64_FORMAT
      " pixels, not of %ux%u", most, plan->format->width, plan->format->height);
  return FALSE;
}

HistoPlan *
histo_plan_ref (HistoPlan * plan)
{
  g_atomic_int_inc (&plan->ref_count);
  return plan;
}

void
histo_plan_unref (HistoPlan * plan)
{
  if (!g_atomic_int_dec_and_test (&plan->ref_count))
    return;
  for (guint i = 0; i < plan->n_bin_sets; i++)
    histo_bins_clear (&plan->bins[i]);
  g_free (plan->bins);
  g_free (plan->chroma_table);
  g_free (plan->light);
  g_free (plan->linear);
  g_free (plan->hlg);
  g_clear_pointer (&plan->mask, histo_mask_unref);
  g_clear_pointer (&plan->mask_frames, histo_mask_frames_free);
  for (guint r = 1; r <= plan->n_fixed; r++)
    g_free ((gchar *) plan->regions[r].name);
  g_free (plan->regions);
  g_free (plan->components);
  g_free (plan->first_tally);
  histo_format_unref (plan->format);
  g_free (plan);
}

/* Whether the regions of the settings are. */
static gboolean
regions_are_equal (const HistoPlan * plan, const HistoPlan * other)
{
  if (plan->n_fixed != other->n_fixed)
    return FALSE;
  for (guint r = 1; r <= plan->n_fixed; r++) {
    const HistoRegion *a = &plan->regions[r], *b = &other->regions[r];

    if (g_strcmp0 (a->name, b->name) != 0 || a->x != b->x || a->y != b->y || a->width != b->width
        || a->height != b->height)
      return FALSE;
  }
  return TRUE;
}

/* Returns: whether both plans are for the same format, with the same fixed regions */
gboolean
histo_plan_has_same_regions (const HistoPlan * plan, const HistoPlan * other)
{
  return plan->format == other->format && regions_are_equal (plan, other);
}

/* Whether the groups, the mask and the bins are. */
static gboolean
bins_are_equal (const HistoPlan * plan, const HistoPlan * other)
{
  if (!histo_mask_is_equal (plan->mask, other->mask) || plan->groups != other->groups || plan->n_bin_sets != other->n_bin_sets)
    return FALSE;
  for (guint i = 0; i < plan->n_bin_sets; i++) {
    const HistoBinning *a = &plan->bins[i].binning;
    const HistoBinning *b = &other->bins[i].binning;

    if (a->kind != b->kind || a->n_bins != b->n_bins || a->range_min != b->range_min
        || a->range_max != b->range_max)
      return FALSE;
    if (a->kind == HISTO_BINNING_SEARCH && memcmp (plan->bins[i].edges, other->bins[i].edges,
            (a->n_bins + 1) * sizeof (gdouble)) != 0)
      return FALSE;
  }
  return TRUE;
}

/* Returns: whether both plans differ at most in the room for regions that metas describe. The
 * counters and tallies of the other regions then lie at the same offsets. */
gboolean
histo_plan_is_alike (const HistoPlan * plan, const HistoPlan * other)
{
  return histo_plan_has_same_regions (plan, other)
      && bins_are_equal (plan, other);
}

/* Returns: whether both plans count the same of the same pictures, in the same places. They may be of different elements */
gboolean
histo_plan_counts_as (const HistoPlan * plan, const HistoPlan * other)
{
  return plan->format->width == other->format->width
      && plan->format->height == other->format->height
      && gst_video_info_is_equal (&plan->format->video, &other->format->video)
      && memcmp (&plan->formulas, &other->formulas, sizeof plan->formulas) == 0
      && plan->n_counters == other->n_counters
      && plan->n_tallies == other->n_tallies
      && plan->n_joints == other->n_joints
      && plan->n_components == other->n_components
      && regions_are_equal (plan, other) && bins_are_equal (plan, other);
}

/* Makes those of counts->counters that the device has left as halves, for those that read counters
 * and not the figures of a component. Only the first call for a buffer takes time. */
void
histo_plan_join_halves (const HistoPlan * plan, const HistoCounts * counts)
{
  for (guint i = 0; i < plan->format->n_components; i++) {
    HistoHalves *halves = histo_plan_halves (plan, counts, i);

    if (halves == NULL || halves->is_joined)
      continue;
    histo_halves_join (halves,
        (guint32 *) counts->counters + plan->components[i].first_bin);
    halves->is_joined = TRUE;
  }
}

/* The counters of joint component @j, not of a window. Only the first call for a buffer takes time. */
const guint32 *
histo_plan_join_joint (const HistoCounts * counts, guint j)
{
  const guint32 *counters = counts->joints + (gsize) j * HISTO_SCOPE_BINS;
  HistoHalves *halves = counts->joint_halves == NULL ? NULL : &counts->joint_halves[j];

  if (halves != NULL && !halves->is_joined) {
    histo_halves_join (halves, (guint32 *) counters);
    halves->is_joined = TRUE;
  }
  return counters;
}

static void
add_up_rows (const guint32 * restrict joint, guint32 * restrict counters)
{
  for (guint row = 0; row < HISTO_SCOPE_SIZE; row++) {
    guint32 sum = 0;

    for (guint column = 0; column < HISTO_SCOPE_SIZE; column++)
      sum += joint[row * HISTO_SCOPE_SIZE + column];
    counters[row] = sum;
  }
}

static void
add_up_columns (const guint32 * restrict joint, guint32 * restrict counters)
{
  memset (counters, 0, HISTO_SCOPE_SIZE * sizeof *counters);
  for (guint row = 0; row < HISTO_SCOPE_SIZE; row++)
    for (guint column = 0; column < HISTO_SCOPE_SIZE; column++)
      counters[column] += joint[row * HISTO_SCOPE_SIZE + column];
}

/* If joints_have_samples: makes the counters of the picture's samples from those of the joint components. An engine calls
 * it, and does not count these samples. Not for a window */
void
histo_plan_count_axes (const HistoPlan * plan, const HistoCounts * counts)
{
  guint32 *counters = (guint32 *) counts->counters;

  if (!plan->joints_have_samples)
    return;
  for (guint j = 0; j < plan->n_joints; j++) {
    const gint columns = plan->axes[j][HISTO_AXIS_COLUMNS];
    const gint rows = plan->axes[j][HISTO_AXIS_ROWS];
    const guint32 *joint = histo_plan_join_joint (counts, j);

    if (columns >= 0)
      add_up_columns (joint, counters + plan->components[columns].first_bin);
    if (rows >= 0)
      add_up_rows (joint, counters + plan->components[rows].first_bin);
  }
}

/* Writes the regions and the components to the log, in the element's name. */
void
histo_plan_log (const HistoPlan * plan, GstElement * element)
{
  GST_DEBUG_OBJECT (element, "plan: %s, groups 0x%x, %u regions, %u components, "
      "%" G_GSIZE_FORMAT " counters, %" G_GSIZE_FORMAT " tallies, %u joint components",
      histo_format_name (plan->format), plan->groups, plan->n_regions,
      plan->n_components, plan->n_counters, plan->n_tallies, plan->n_joints);
  for (guint r = 1; r <= plan->n_fixed; r++)
    GST_DEBUG_OBJECT (element, "region %u, %s: %ux%u at %u, %u", r,
        plan->regions[r].name, plan->regions[r].width,
        plan->regions[r].height, plan->regions[r].x, plan->regions[r].y);
  for (guint i = 0; i < plan->n_components; i++)
    GST_LOG_OBJECT (element, "component %s: group %s, source %u, region %u, "
        "counters from %" G_GSIZE_FORMAT " on, %u bins",
        plan->components[i].name, histo_groups[plan->components[i].group].name,
        plan->components[i].source, plan->components[i].region,
        plan->components[i].first_bin,
        histo_plan_bins (plan, i)->binning.n_bins);
}
