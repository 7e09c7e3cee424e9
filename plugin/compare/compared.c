/* Makes the result of two pictures; see compared.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/compared.h"

#include <math.h>

void
histo_compared_clear (HistoCompared * compared)
{
  for (guint r = 1; r < compared->n_regions; r++)
    g_free ((gchar *) compared->regions[r].name);
  g_clear_pointer (&compared->format, histo_format_unref);
  g_free (compared->regions);
  g_free (compared->counts);
  memset (compared, 0, sizeof *compared);
}

/**
 * histo_compared_begin:
 * @compared: clear
 * @measures: flags of #HistoComparisonMeasure
 * @format, @reference: of both pictures
 * @regions: (nullable) (element-type HistoRegionSpec): names are copied
 */
void
histo_compared_begin (HistoCompared * compared, guint measures, HistoFormat * format, const HistoFormat * reference,
    const GArray * regions)
{
  const guint n = regions != NULL ? regions->len : 0;

  compared->measures = measures;
  compared->format = histo_format_ref (format);
  for (guint c = 0; c < format->n_components; c++) {
    HistoComponentSamples found, other;

    /* In some formats the last V of a row may be missing. */
    histo_format_find_samples (format, c, &found);
    histo_format_find_samples (reference, c, &other);
    compared->columns[c] = MIN (found.width, other.width);
  }
  compared->n_regions = n + 1;
  compared->regions = g_new0 (HistoRegion, n + 1);
  compared->counts = g_malloc0_n (n + 1, sizeof *compared->counts);
  histo_region_clip (&compared->regions[0], NULL, 0, 0, format->width, format->height, format->width, format->height);
  for (guint r = 0; r < n; r++) {
    const HistoRegionSpec *spec = &g_array_index (regions, HistoRegionSpec, r);

    histo_region_resolve (spec, format->width, format->height, &compared->regions[r + 1]);
    compared->regions[r + 1].name = g_strdup (spec->name);
  }
}

/* Returns: the samples of a component that lie in the region, as in `cudahisto`; no columns and rows: there are none */
HistoBlocksPart
histo_compared_part (const HistoCompared * compared, guint r, guint c, gboolean is_wide)
{
  const GstVideoFormatInfo *info = compared->format->video.finfo;
  const HistoRegion *region = &compared->regions[r];
  HistoBlocksPart part = {
    .x = region->x >> info->w_sub[c],
    .y = region->y >> info->h_sub[c],
    .is_wide = is_wide,
    .depth = compared->format->components[c].depth
  };

  if (region->width > 0 && region->height > 0 && part.x < compared->columns[c]) {
    part.width = MIN (((region->x + region->width - 1) >> info->w_sub[c]) + 1, compared->columns[c]) - part.x;
    part.height = ((region->y + region->height - 1) >> info->h_sub[c]) + 1 - part.y;
  }
  return part;
}

static void
count_component (HistoCompared * compared, guint r, guint c, const HistoComparedPicture * picture,
    const HistoComparedPicture * reference, HistoComparisonScratch * scratch)
{
  const HistoBlocksPart part = histo_compared_part (compared, r, c, picture->regular.is_wide);
  HistoComparisonCounts *counts = &compared->counts[r][c];

  memset (counts, 0, sizeof *counts);
  if (part.width == 0)
    return;
  if (compared->measures == 1u << HISTO_COMPARISON_INDEX_XPSNR)
    counts->count = (guint64) part.width * part.height;
  else
    histo_compare_planes (&picture->planes[c], &reference->planes[c], part.is_wide, part.depth, part.x, part.y,
        part.width, part.height, HISTO_COMPARES (compared->measures, SSIM), scratch, counts);
}

static void
count_blocks (HistoCompared * compared, guint r, const HistoComparedPicture * picture,
    const HistoComparedPicture * reference, const HistoComparedHistory * history, HistoComparisonScratch * scratch)
{
  const HistoXpsnrGrid grid = histo_compared_grid (compared, r);
  const guint leading = histo_compared_leading (compared->format);
  const guint n = MIN (compared->format->n_components, HISTO_XPSNR_COMPONENTS);
  const HistoComparedPicture *before = history->before, *before_that = history->before_that;
  g_autofree HistoXpsnrBlock *blocks = g_new0 (HistoXpsnrBlock, grid.columns * grid.rows);
  HistoBlocksPart parts[HISTO_XPSNR_COMPONENTS];

  for (guint c = 0; c < n; c++)
    parts[c] = histo_compared_part (compared, r, c, picture->regular.is_wide);
  if (parts[0].width == 0)
    return;
  for (guint row = 0; row < grid.rows; row++) {
    HistoXpsnrBlock *of_row = &blocks[row * grid.columns];

    histo_blocks_add_activity (&grid, &parts[leading], &reference->planes[leading],
        before != NULL ? &before->planes[leading] : NULL, before_that != NULL ? &before_that->planes[leading] : NULL,
        history->is_fast, row, scratch, of_row);
    for (guint c = 0; c < n; c++)
      histo_blocks_add_errors (&grid, &parts[c], &picture->planes[c], &reference->planes[c], c, row, scratch, of_row);
  }
  histo_compared_weigh (compared, r, blocks);
}

/**
 * histo_compared_count:
 * @picture, @reference: mapped, and alike
 */
void
histo_compared_count (HistoCompared * compared, const HistoComparedPicture * picture,
    const HistoComparedPicture * reference, const HistoComparedHistory * history, HistoComparisonScratch * scratch)
{
  const gboolean with_xpsnr = HISTO_COMPARES (compared->measures, XPSNR) && histo_compared_has_xpsnr (compared->format);

  compared->n_pairs = 1;
  for (guint r = 0; r < compared->n_regions; r++) {
    for (guint c = 0; c < compared->format->n_components; c++)
      count_component (compared, r, c, picture, reference, scratch);
    if (with_xpsnr)
      count_blocks (compared, r, picture, reference, history, scratch);
  }
}

/* ---- XPSNR --------------------------------------------------------------------------------------- */

/* Returns: the component whose samples give the weights of all: Y, or G */
guint
histo_compared_leading (const HistoFormat * format)
{
  return format->colors == HISTO_COLORS_RGB ? 1 : 0;
}

/* Returns: whether XPSNR is defined: the components but alpha have the same depth, of at least 8 bits */
gboolean
histo_compared_has_xpsnr (const HistoFormat * format)
{
  const guint n = MIN (format->n_components, HISTO_XPSNR_COMPONENTS);
  gboolean has = TRUE;

  for (guint c = 0; c < n; c++)
    has &= format->components[c].depth >= 8 && format->components[c].depth == format->components[0].depth;
  return has;
}

/* Returns: the blocks of a region: as if it were a picture */
HistoXpsnrGrid
histo_compared_grid (const HistoCompared * compared, guint r)
{
  return histo_xpsnr_grid (compared->regions[r].width, compared->regions[r].height);
}

/* @blocks: of the region's grid, as an engine has counted them */
void
histo_compared_weigh (HistoCompared * compared, guint r, const HistoXpsnrBlock * blocks)
{
  const HistoXpsnrGrid grid = histo_compared_grid (compared, r);
  const guint depth = compared->format->components[0].depth;
  g_autofree gdouble *weights = g_new (gdouble, grid.columns * grid.rows);

  if (grid.side > 0)
    histo_xpsnr_weigh (&grid, blocks, depth, weights);
  for (guint c = 0; c < MIN (compared->format->n_components, HISTO_XPSNR_COMPONENTS); c++)
    compared->counts[r][c].xpsnr = histo_xpsnr_distance (&grid, blocks, weights, c, depth);
}

/* ---- Sums ---------------------------------------------------------------------------------------- */

static void
add_counts (HistoComparisonCounts * sums, const HistoComparisonCounts * counts)
{
  if (counts->different > 0) {
    sums->first_x = sums->different > 0 ? MIN (sums->first_x, counts->first_x) : counts->first_x;
    sums->first_y = sums->different > 0 ? MIN (sums->first_y, counts->first_y) : counts->first_y;
    sums->after_x = MAX (sums->after_x, counts->after_x);
    sums->after_y = MAX (sums->after_y, counts->after_y);
  }
  sums->count += counts->count;
  sums->different += counts->different;
  sums->sse += counts->sse;
  sums->max_difference = MAX (sums->max_difference, counts->max_difference);
  sums->ssim += counts->ssim;
  sums->n_windows += counts->n_windows;
  sums->xpsnr += counts->xpsnr;
}

static gboolean
has_same_regions (const HistoCompared * a, const HistoCompared * b)
{
  gboolean same = a->n_regions == b->n_regions;

  for (guint r = 0; r < a->n_regions && same; r++)
    same = g_strcmp0 (a->regions[r].name, b->regions[r].name) == 0
        && a->regions[r].x == b->regions[r].x && a->regions[r].y == b->regions[r].y
        && a->regions[r].width == b->regions[r].width && a->regions[r].height == b->regions[r].height;
  return same;
}

/**
 * histo_compared_add:
 * @sums: (inout): clear, or of earlier pairs
 *
 * Returns: FALSE, and @sums as they were, if the pair is of another format or has other regions or measures
 */
gboolean
histo_compared_add (HistoCompared * sums, const HistoCompared * compared)
{
  if (sums->n_pairs == 0) {
    histo_compared_clear (sums);
    *sums = *compared;
    histo_format_ref (sums->format);
    sums->regions = g_memdup2 (compared->regions, compared->n_regions * sizeof *compared->regions);
    for (guint r = 1; r < sums->n_regions; r++)
      sums->regions[r].name = g_strdup (compared->regions[r].name);
    sums->counts = g_memdup2 (compared->counts, compared->n_regions * sizeof *compared->counts);
    return TRUE;
  }
  if (sums->measures != compared->measures || sums->format != compared->format
      || !has_same_regions (sums, compared))
    return FALSE;
  for (guint r = 0; r < sums->n_regions; r++)
    for (guint c = 0; c < sums->format->n_components; c++)
      add_counts (&sums->counts[r][c], &compared->counts[r][c]);
  sums->n_pairs += compared->n_pairs;
  return TRUE;
}

/* ---- Figures ------------------------------------------------------------------------------------- */

/* The square of the greatest sample over the mean squared error, in dB: infinite without an error, NaN without samples. */
static gdouble
psnr_of (gdouble max, gdouble mse)
{
  return 10 * log10 (max * max / mse);
}

static gdouble
max_of (const HistoComponent * component)
{
  return (gdouble) ((1u << component->depth) - 1);
}

/* Makes the rectangle of a region contain the samples that differ in a component, in pixels. */
static void
extend (HistoComparedRegion * region, const HistoComparisonCounts * counts, guint w_sub, guint h_sub,
    const HistoFormat * format)
{
  const guint x = counts->first_x << w_sub, y = counts->first_y << h_sub;
  const guint after_x = MIN (counts->after_x << w_sub, format->width);
  const guint after_y = MIN (counts->after_y << h_sub, format->height);
  const guint least_x = region->equal ? x : MIN (region->x, x), least_y = region->equal ? y : MIN (region->y, y);

  region->width = MAX (after_x, region->x + region->width) - least_x;
  region->height = MAX (after_y, region->y + region->height) - least_y;
  region->x = least_x;
  region->y = least_y;
  region->equal = FALSE;
}

/* Weights are the shares of the samples. FFmpeg's filters weigh by the sizes of the planes, which are the same. */
static void
fill_region (const HistoCompared * compared, const HistoComparisonCounts * counts, HistoComparedRegion * region)
{
  const HistoFormat *format = compared->format;
  const guint n_with_xpsnr = HISTO_COMPARES (compared->measures, XPSNR) && histo_compared_has_xpsnr (format) ?
      HISTO_XPSNR_COMPONENTS : 0;
  gdouble mse = 0, max = 0;
  guint64 total = 0;

  region->n_components = format->n_components;
  region->equal = TRUE;
  region->ssim = 0;
  for (guint c = 0; c < format->n_components; c++)
    total += counts[c].count;
  for (guint c = 0; c < format->n_components; c++) {
    const gdouble share = (gdouble) counts[c].count / (gdouble) total;

    region->components[c] = (HistoComparedComponent) {
      .name = format->components[c].name,
      .count = counts[c].count,
      .different = counts[c].different,
      .max_difference = counts[c].max_difference,
      .sse = counts[c].sse,
      .mse = (gdouble) counts[c].sse / (gdouble) counts[c].count,
      .ssim = counts[c].n_windows > 0 ? counts[c].ssim / (gdouble) counts[c].n_windows : NAN,
      .xpsnr = c < n_with_xpsnr && counts[c].count > 0 ? histo_xpsnr_of (counts[c].xpsnr, compared->n_pairs,
          counts[c].count / compared->n_pairs, format->components[c].depth) : NAN,
    };
    region->components[c].psnr = psnr_of (max_of (&format->components[c]), region->components[c].mse);
    mse += share * region->components[c].mse;
    max += share * max_of (&format->components[c]);
    region->ssim += (gdouble) counts[c].count * region->components[c].ssim;
    if (counts[c].different > 0)
      extend (region, &counts[c], format->video.finfo->w_sub[c], format->video.finfo->h_sub[c], format);
  }
  region->psnr = psnr_of (max, mse);
  region->ssim /= (gdouble) total;
}

/**
 * histo_compared_fill:
 * @compared: of at least one pair
 * @comparison: (out): to be cleared with histo_comparison_clear(). Names of components are those of the format
 */
void
histo_compared_fill (const HistoCompared * compared, HistoComparison * comparison)
{
  const HistoFormat *format = compared->format;

  memset (comparison, 0, sizeof *comparison);
  comparison->measures = compared->measures;
  comparison->format = g_strdup (histo_format_name (format));
  comparison->width = format->width;
  comparison->height = format->height;
  comparison->reference_timestamp = GST_CLOCK_TIME_NONE;
  comparison->n_regions = compared->n_regions;
  comparison->regions = g_new0 (HistoComparedRegion, compared->n_regions);
  for (guint r = 0; r < compared->n_regions; r++) {
    comparison->regions[r].name = g_strdup (compared->regions[r].name);
    fill_region (compared, compared->counts[r], &comparison->regions[r]);
  }
}
