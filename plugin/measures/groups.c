/* From raw counts and tallies to the figures of the groups.
 *
 * Everything here follows from integers that both engines count alike, or from their sums over
 * a window. docs/measures.md has the sources of the definitions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/groups.h"

#include <math.h>

/* Where the counts of one region are. */
typedef struct
{
  const HistoPlan *plan;
  const HistoCounts *counts;
  const HistoComponent *components;     /* of the region */
  guint number;                 /* of the region */
  const HistoRegion *rect;
  guint64 n_pixels;             /* of all frames: those that take part */
} Region;

static void
open_histogram (const Region * region, const HistoComponent * component,
    HistoHistogram * histogram)
{
  histo_plan_open_histogram (region->plan, component, region->counts,
      histogram);
}

/* Returns: (nullable): the first component of the region whose numbers come from there */
static const HistoComponent *
find_component (const Region * region, HistoSource source)
{
  for (guint i = 0; i < region->plan->n_region_components; i++) {
    if (region->components[i].source == source)
      return &region->components[i];
  }
  return NULL;
}

static __int128
tally_of (const Region * region, guint tally)
{
  const HistoCounts *counts = region->counts;
  guint64 value;

  if (counts->wide_tallies != NULL)
    return (__int128)
        counts->wide_tallies[region->number * HISTO_N_TALLIES + tally];
  value = counts->tallies[region->plan->first_tally[region->number] + tally];
  return histo_tallies[tally].kind == HISTO_TALLY_IS_SIGNED ?
      (__int128) (gint64) value : (__int128) value;
}

/* Population standard deviation of n numbers. It is exact up to the division and the root as long
 * as n * squares fits in 128 bits. */
static gdouble
deviation (guint64 n, __int128 sum, unsigned __int128 squares)
{
  const unsigned __int128 magnitude =
      sum < 0 ? -(unsigned __int128) sum : (unsigned __int128) sum;
  const long double mean = (long double) sum / n;
  long double variance;

  if (squares <= ~(unsigned __int128) 0 / n)
    variance = (long double) (n * squares - magnitude * magnitude)
        / ((long double) n * n);
  else
    variance = (long double) squares / n - mean * mean;
  return sqrt ((gdouble) MAX (variance, 0));
}

/* ---- Shares of pixels --------------------------------------------------------------------- */

/* The figures of the tallies of pixels. With a mask those that need neighbours are absent. */
static void
fill_shares (const Region * region, HistoGroupFigures * figures)
{
  const gboolean is_masked = region->plan->mask != NULL;
  const gdouble n = region->n_pixels;
  const gdouble n_compared = (gdouble) region->rect->width * region->rect->height * region->counts->n_with_previous;

#define SHARE(group, tally, figure, formula, columns, above, below, previous, definition) \
  if (histo_plan_has_group (region->plan, HISTO_GROUP_##group) && (previous ? n_compared : n) > 0 \
      && !(is_masked && ((columns) != 0 || (above) != 0 || (below) != 0))) \
    figures->group##_##figure = tally_of (region, HISTO_TALLY_##tally) / (previous ? n_compared : n);
  HISTO_TALLIES (SHARE, HISTO_NO_TALLY, HISTO_NO_TALLY, HISTO_NO_TALLY, HISTO_NO_TALLY, HISTO_NO_TALLY)
#undef SHARE
}

/* ---- signal ----------------------------------------------------------------------------- */

/* Vectors shorter than this have no direction: all hues are in balance. */
#define LEAST_HUE_VECTOR 1e-9

/* Cosine and sine of each degree. Returns: constant */
static const gdouble (*
find_directions (void))[2]
{
  static gdouble directions[HISTO_N_HUES][2];
  static gsize is_filled = 0;

  if (g_once_init_enter (&is_filled)) {
    for (guint i = 0; i < HISTO_N_HUES; i++) {
      directions[i][0] = cos (i * (G_PI / 180));
      directions[i][1] = sin (i * (G_PI / 180));
    }
    g_once_init_leave (&is_filled, 1);
  }
  return (const gdouble (*)[2]) directions;
}

static gdouble
hue_circular_mean (const HistoHistogram * hues)
{
  const gdouble (*directions)[2] = find_directions ();
  gdouble x = 0, y = 0, angle;

  for (guint i = 0; i < hues->n; i++) {
    x += histo_histogram_at (hues, i) * directions[i][0];
    y += histo_histogram_at (hues, i) * directions[i][1];
  }
  if (hues->count == 0 || hypot (x, y) < LEAST_HUE_VECTOR * hues->count)
    return NAN;
  angle = atan2 (y, x) * (180 / G_PI);
  if (angle < 0)
    angle += 360;
  /* An angle just below 0 has become 360. */
  return angle < 360 ? angle : 0;
}

static void
fill_signal (const Region * region, HistoGroupFigures * figures)
{
  const HistoComponent *hue = find_component (region, HISTO_SOURCE_HUE);
  HistoHistogram histogram;

  figures->n_bits_used = region->plan->format->n_components;
  for (guint c = 0; c < figures->n_bits_used; c++) {
    open_histogram (region, &region->components[c], &histogram);
    figures->bits_used[c] =
        __builtin_popcount (histo_histogram_used_bits (&histogram));
  }
  if (hue != NULL) {
    open_histogram (region, hue, &histogram);
    figures->SIGNAL_hue_circular_mean = hue_circular_mean (&histogram);
  }
}

/* ---- motion ------------------------------------------------------------------------------ */

/* The differences of several components, each as a share of what its depth allows. */
typedef struct
{
  guint n;                      /* components */
  guint64 count;                /* of all samples */
  gdouble sum;                  /* Σ of |difference| / 2^depth */
  gdouble square;               /* Σ over components of mean (difference²) / (2^depth - 1)² */
} Differences;

static void
add_differences (const Region * region, const HistoComponent * component,
    Differences * differences)
{
  const gdouble max = component->n_values - 1;
  unsigned __int128 sum, squares;
  HistoHistogram histogram;

  open_histogram (region, component, &histogram);
  if (histogram.count == 0)
    return;
  histo_histogram_moments (&histogram, &sum, &squares);
  differences->n++;
  differences->count += histogram.count;
  differences->sum += ldexp ((gdouble) sum, -(gint) component->depth);
  differences->square += (gdouble) squares / histogram.count / (max * max);
}

/* Adds up the differences of the components that have the picture: Y, or R, G and B; and those
 * of all but A. */
static void
collect_differences (const Region * region, Differences * luma,
    Differences * all)
{
  const HistoFormat *format = region->plan->format;
  const guint n_luma = histo_format_n_luma (format);

  for (guint i = 0; i < region->plan->n_region_components; i++) {
    const HistoComponent *component = &region->components[i];

    if (component->source != HISTO_SOURCE_DIFFERENCE
        || g_str_equal (component->name, "A"))
      continue;
    add_differences (region, component, all);
    if (component->native + 1 == n_luma)
      *luma = *all;
  }
}

/* Below this mean difference freezedetect takes a frame for a repeat. */
#define NEAR_REPEAT 0.001

/* Alpha is no part of the other differences. */
static gboolean
alpha_has_changed (const Region * region)
{
  HistoHistogram histogram;

  for (guint i = 0; i < region->plan->n_region_components; i++) {
    const HistoComponent *component = &region->components[i];

    if (component->source != HISTO_SOURCE_DIFFERENCE || !g_str_equal (component->name, "A"))
      continue;
    open_histogram (region, component, &histogram);
    return histo_histogram_at (&histogram, 0) != histogram.count;
  }
  return FALSE;
}

static void
fill_motion (const Region * region, HistoGroupFigures * figures)
{
  Differences luma = { 0, }, all = { 0, };

  if (region->counts->n_with_previous == 0)
    return;
  collect_differences (region, &luma, &all);
  if (luma.count > 0) {
    figures->MOTION_mafd = 100 * (luma.sum / luma.count);
    /* Without a difference the logarithm is that of infinity. */
    figures->MOTION_psnr = 10 * log10 (luma.n / luma.square);
  }
  if (all.count > 0)
    figures->MOTION_freeze = all.sum / all.count;
  if (all.count == 0)
    return;
  figures->MOTION_near_repeat = figures->MOTION_freeze < NEAR_REPEAT;
  figures->MOTION_repeat = all.sum == 0 && !alpha_has_changed (region);
}

/* ---- hdr --------------------------------------------------------------------------------- */

/* The code of the pixel that 1 / @rest of all pixels may exceed. */
static guint
find_code (const HistoHistogram * histogram, guint rest)
{
  return histo_histogram_find (histogram,
      MAX (histogram->count - histogram->count / rest, 1));
}

/* The greatest R, G or B for @i = 0, 1, 2. */
static gdouble
find_greatest (const Region * region, guint i)
{
  const HistoPlan *plan = region->plan;
  const HistoFormulas *formulas = &plan->formulas;
  const __int128 tally = tally_of (region, HISTO_TALLY_GREATEST_RED + i);
  const HistoComponent *color = find_component (region, HISTO_SOURCE_RED + i);
  HistoHistogram histogram;
  guint first, last;

  if (plan->hlg != NULL)
    return histo_hlg_light_in_cd ((guint64) tally - 1);
  if (!formulas->is_rgb && color == NULL)
    return plan->light[(guint) tally - 1];
  open_histogram (region, formulas->is_rgb ? &region->components[i] : color, &histogram);
  histo_histogram_find_ends (&histogram, &first, &last);
  if (formulas->is_rgb)
    last = histo_scale_sample (last, formulas->depths[i], formulas->depth);
  return plan->light[formulas->is_rgb && formulas->is_limited ? histo_stretch_rgb (last, formulas->depth) : last];
}

/* The histogram of the codes of maxrgb, or of HLG of the bins of light: plan->light has the light of each. */
static void
open_light (const Region * region, HistoHistogram * histogram)
{
  const HistoPlan *plan = region->plan;
  const gsize first = plan->hlg == NULL ? 0 : histo_plan_first_light_bin (plan, region->number);

  if (plan->hlg == NULL)
    open_histogram (region, find_component (region, HISTO_SOURCE_MAXRGB), histogram);
  else if (region->counts->wide_counters != NULL)
    histo_histogram_init_wide (histogram, region->counts->wide_counters + first, plan->n_light_bins);
  else
    histo_histogram_init (histogram, region->counts->counters + first, plan->n_light_bins);
}

static void
fill_hdr (const Region * region, HistoGroupFigures * figures)
{
  const HistoPlan *plan = region->plan;
  const gdouble *light = plan->light;
  guint first, last, limit;
  HistoHistogram histogram;
  gdouble sum = 0, limited = 0;

  open_light (region, &histogram);
  if (histogram.count == 0)
    return;
  histo_histogram_find_ends (&histogram, &first, &last);
  limit = find_code (&histogram, 10000);
  for (guint code = first; code <= last; code++) {
    const gdouble n = histo_histogram_at (&histogram, code);

    sum += n * light[code];
    limited += n * light[MIN (code, limit)];
  }
  figures->HDR_r_max = find_greatest (region, 0);
  figures->HDR_g_max = find_greatest (region, 1);
  figures->HDR_b_max = find_greatest (region, 2);
  figures->HDR_max = plan->hlg != NULL ?
      MAX (MAX (figures->HDR_r_max, figures->HDR_g_max), figures->HDR_b_max) : light[last];
  /* The light of a bin of HLG may be a little more than that of the brightest pixel in it. */
  figures->HDR_fall = MIN (sum / histogram.count, figures->HDR_max);
  figures->HDR_p99 = MIN (light[find_code (&histogram, 100)], figures->HDR_max);
  figures->HDR_p999 = MIN (light[find_code (&histogram, 1000)], figures->HDR_max);
  figures->HDR_p9999 = MIN (light[limit], figures->HDR_max);
  figures->fall_p9999 = MIN (limited / histogram.count, figures->HDR_max);
}

/* ---- detail ------------------------------------------------------------------------------ */

/* One code, in the unit of HISTO_TALLY_GRADIENT_SUM. */
static gdouble
gradient_unit (guint depth)
{
  return 1 << (16 - depth);
}

/**
 * histo_mean_gradient:
 * @sum: HISTO_TALLY_GRADIENT_SUM
 * @n: gradients
 *
 * Returns: sharpness: the mean in codes
 */
gdouble
histo_mean_gradient (__int128 sum, guint64 n, guint depth)
{
  return (gdouble) sum / n / gradient_unit (depth);
}

/* Returns: how many pixels of a picture have a gradient: all but the outermost ones */
guint64
histo_n_gradients (guint width, guint height)
{
  const HistoTallyInfo *info = &histo_tallies[HISTO_TALLY_GRADIENT_SUM];
  const guint n_columns = 2 * info->columns, n_rows = info->above + info->below;

  return width <= n_columns || height <= n_rows ? 0 : (guint64) (width - n_columns) * (height - n_rows);
}

static void
fill_detail (const Region * region, HistoGroupFigures * figures)
{
  const HistoRegion *rect = region->rect;
  const guint depth = region->plan->formulas.depth;
  const __int128 sum = tally_of (region, HISTO_TALLY_GRADIENT_SUM);
  guint64 n = (guint64) rect->width * rect->height * region->counts->n_with_previous;

  if (n > 0)
    figures->DETAIL_ti =
        deviation (n, tally_of (region, HISTO_TALLY_TI_SUM),
        tally_of (region, HISTO_TALLY_TI_SQUARES));
  n = histo_n_gradients (rect->width, rect->height) * region->counts->n_frames;
  if (n == 0)
    return;
  figures->DETAIL_si = deviation (n, sum,
      tally_of (region, HISTO_TALLY_GRADIENT_SQUARES)) / gradient_unit (depth);
  figures->DETAIL_sharpness = histo_mean_gradient (sum, n, depth);
}

/* ---- area -------------------------------------------------------------------------------- */

/* Finds the rows or columns from the first one to the last one that is not black.
 *
 * @n_values: that each sum has
 * @corner: of the region in the picture
 * @begin, @length: (out): 0 and 0 if all are black */
static void
find_picture (const guint64 * sums, guint n_sums, guint64 n_values,
    guint64 limit, guint corner, gint * begin, gint * length)
{
  guint first = 0, last = n_sums;

  while (first < n_sums && sums[first] / n_values <= limit)
    first++;
  while (last > first && sums[last - 1] / n_values <= limit)
    last--;
  *length = last - first;
  *begin = *length > 0 ? corner + first : 0;
}

/* The sums of rows and those of columns are searched apart, as in cropdetect. A bright line may lift the mean of
 * its row and not those of the columns: then there is no active picture. */
static void
fill_area (const Region * region, HistoGroupFigures * figures)
{
  const HistoPlan *plan = region->plan;
  const HistoRegion *rect = region->rect;
  const guint64 limit = histo_black_limit (plan->formulas.depth);
  const guint64 n_each = region->counts->n_frames * histo_format_n_luma (plan->format);
  const guint64 *rows = region->counts->tallies
      + plan->first_tally[region->number] + HISTO_N_TALLIES;
  const guint64 *columns = rows + plan->regions[region->number].height;

  if (region->n_pixels == 0)
    return;
  find_picture (rows, rect->height, n_each * rect->width, limit, rect->y,
      &figures->area_y, &figures->area_height);
  find_picture (columns, rect->width, n_each * rect->height, limit, rect->x,
      &figures->area_x, &figures->area_width);
  if (figures->area_width == 0 || figures->area_height == 0)
    figures->area_x = figures->area_y = figures->area_width =
        figures->area_height = 0;
}

/* ---- gamut -------------------------------------------------------------------------------- */

/* An extreme in percent of limited range. @code: without bias */
static gdouble
percent_of_range (const Region * region, gint64 code)
{
  const gdouble f = 1 << (region->plan->formulas.depth - 8);

  return 100 * (code - 16 * f) / (219 * f);
}

static void
fill_gamut (const Region * region, HistoGroupFigures * figures)
{
  if (region->n_pixels == 0)
    return;
#define FILL(name, NAME) \
  figures->GAMUT_##name##_min = percent_of_range (region, \
      HISTO_GAMUT_BIAS - (gint64) tally_of (region, HISTO_TALLY_LEAST_##NAME)); \
  figures->GAMUT_##name##_max = percent_of_range (region, \
      (gint64) tally_of (region, HISTO_TALLY_GREATEST_##NAME) - HISTO_GAMUT_BIAS)
  FILL (r, R);
  FILL (g, G);
  FILL (b, B);
  FILL (y, Y);
#undef FILL
}

/* ---- flash -------------------------------------------------------------------------------- */

/* Without transitions and states, which follow from earlier frames, too. */
static void
fill_flash (const Region * region, HistoGroupFigures * figures)
{
  const gdouble n = region->n_pixels;

  if (region->n_pixels == 0)
    return;
  figures->FLASH_luminance = tally_of (region, HISTO_TALLY_LUMINANCE_SUM) / n / 65535;
  figures->FLASH_red = tally_of (region, HISTO_TALLY_RED_SUM) / n / 65535;
}

/* ---- field -------------------------------------------------------------------------------- */

/* The sums of this frame, and as `next` those of the previous one: the temporal stage joins them. */
static void
fill_field (const Region * region, HistoGroupFigures * figures)
{
  const gboolean has_previous = region->counts->n_with_previous > 0;

  if (region->n_pixels == 0)
    return;
  figures->FIELD_current_even = tally_of (region, HISTO_TALLY_CURRENT_EVEN);
  figures->FIELD_current_odd = tally_of (region, HISTO_TALLY_CURRENT_ODD);
  /* The first frame is its own previous one. */
  figures->FIELD_previous_even = has_previous ? tally_of (region, HISTO_TALLY_PREVIOUS_EVEN) : figures->FIELD_current_even;
  figures->FIELD_previous_odd = has_previous ? tally_of (region, HISTO_TALLY_PREVIOUS_ODD) : figures->FIELD_current_odd;
  figures->FIELD_change_even = has_previous ? 2 * tally_of (region, HISTO_TALLY_CHANGE_EVEN) : 0;
  figures->FIELD_change_odd = has_previous ? 2 * tally_of (region, HISTO_TALLY_CHANGE_ODD) : 0;
  if (!has_previous)
    return;
  figures->FIELD_next_even = tally_of (region, HISTO_TALLY_NEXT_EVEN);
  figures->FIELD_next_odd = tally_of (region, HISTO_TALLY_NEXT_ODD);
}

/* ---- All groups ---------------------------------------------------------------------------- */

/**
 * histo_groups_fill:
 * @figures: (out): those that the plan asks for and that do not depend on earlier results;
 *   the others are NaN
 * @counts: of one frame or of a window, of video
 * @region: its number in the plan
 * @rect: the rectangle of the region in this buffer: of the plan, or a meta's
 */
void
histo_groups_fill (HistoGroupFigures * figures, const HistoPlan * plan,
    const HistoCounts * counts, guint region, const HistoRegion * rect)
{
  const Region counted = {
    .plan = plan,
    .counts = counts,
    .components = histo_plan_region_components (plan, region),
    .number = region,
    .rect = rect,
    .n_pixels = counts->n_pixels != NULL ? counts->n_pixels[region] :
        (guint64) rect->width * rect->height * counts->n_frames,
  };

  histo_groups_clear (figures);
  fill_shares (&counted, figures);
  if (histo_plan_has_group (plan, HISTO_GROUP_SIGNAL))
    fill_signal (&counted, figures);
  if (histo_plan_has_group (plan, HISTO_GROUP_MOTION))
    fill_motion (&counted, figures);
  if (histo_plan_has_group (plan, HISTO_GROUP_HDR))
    fill_hdr (&counted, figures);
  if (histo_plan_has_group (plan, HISTO_GROUP_DETAIL))
    fill_detail (&counted, figures);
  if (histo_plan_has_group (plan, HISTO_GROUP_AREA))
    fill_area (&counted, figures);
  if (histo_plan_has_group (plan, HISTO_GROUP_GAMUT))
    fill_gamut (&counted, figures);
  if (histo_plan_has_group (plan, HISTO_GROUP_FLASH))
    fill_flash (&counted, figures);
  if (histo_plan_has_group (plan, HISTO_GROUP_FIELD))
    fill_field (&counted, figures);
}
