/* Counting under a mask.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/masked.h"

#include "media/pack.h"

/* ---- How many take part -------------------------------------------------------------------- */

/* Samples of a rectangle: those that have pixels of a region. */
typedef struct
{
  guint w_sub, h_sub;
  guint first, n, first_row, n_rows;
} Grid;

/* @length: the samples that a row of the picture has, at most */
static Grid
grid_of (const HistoRegion * region, guint w_sub, guint h_sub, guint length)
{
  const guint first = region->x >> w_sub, first_row = region->y >> h_sub;
  Grid grid = { w_sub, h_sub, first, 0, first_row, 0 };

  if (region->width == 0 || region->height == 0)
    return grid;
  grid.n = MIN (((region->x + region->width - 1) >> w_sub) + 1, MAX (length, first)) - first;
  grid.n_rows = ((region->y + region->height - 1) >> h_sub) + 1 - first_row;
  return grid;
}

/* The samples of a component in a region. */
static Grid
grid_of_component (const HistoPlan * plan, const HistoComponent * component,
    const HistoRegion * region)
{
  const HistoFormat *format = plan->format;
  HistoComponentSamples found;

  switch (component->source) {
    case HISTO_SOURCE_SAMPLE:
      histo_format_find_samples (format, component->native, &found);
      return grid_of (region, format->video.finfo->w_sub[component->native],
          format->video.finfo->h_sub[component->native], found.width);
    case HISTO_SOURCE_SATURATION:
    case HISTO_SOURCE_HUE:
      if (!plan->formulas.is_rgb)
        return grid_of (region, plan->formulas.w_sub, plan->formulas.h_sub, G_MAXUINT);
      return grid_of (region, 0, 0, G_MAXUINT);
    default:
      return grid_of (region, 0, 0, G_MAXUINT);
  }
}

static guint64
n_samples (const Grid * grid)
{
  return (guint64) grid->n * grid->n_rows;
}

/* Components of a region often have the same samples: the latest two sorts are kept. */
typedef struct
{
  Grid grids[2];
  guint64 n_parts[2];
  guint n;
} Kept;

static guint64
count_parts (const HistoMaskView * view, const Grid * grid, Kept * kept)
{
  guint64 parts;

  for (guint i = 0; i < MIN (kept->n, 2); i++)
    if (memcmp (&kept->grids[i], grid, sizeof *grid) == 0)
      return kept->n_parts[i];
  parts = histo_mask_count (view, grid->w_sub, grid->h_sub, grid->first, grid->n, grid->first_row, grid->n_rows);
  kept->grids[kept->n % 2] = *grid;
  kept->n_parts[kept->n++ % 2] = parts;
  return parts;
}

static guint64
count_bayer_out (const HistoPlan * plan, const HistoMaskView * view,
    const HistoComponent * component, const HistoRegion * region)
{
  guint64 out = 0;

  for (guint y = 0; y < 2; y++)
    for (guint x = 0; x < 2; x++) {
      const guint left = region->x + (region->x % 2 != x), top = region->y + (region->y % 2 != y);
      const guint right = region->x + region->width, below = region->y + region->height;

      if (plan->format->bayer.components[y][x] != component->native || left >= right || top >= below)
        continue;
      out += (guint64) ((right - left + 1) / 2) * ((below - top + 1) / 2)
          - histo_mask_count_bayer (view, region->x, region->y, region->width, region->height, x, y);
    }
  return out;
}

/* @n_out: (out): of each component of the region
 * Returns: the pixels of the region that take part */
static guint64
count_region (const HistoPlan * plan, const HistoMaskView * view, guint r,
    const HistoRegion * region, guint64 * n_out)
{
  const HistoComponent *components = histo_plan_region_components (plan, r);
  const Grid pixels = grid_of (region, 0, 0, G_MAXUINT);
  Kept kept = {.n = 0 };

  for (guint i = 0; i < plan->n_region_components; i++) {
    Grid grid;

    if (histo_format_is_bayer (plan->format)) {
      n_out[i] = count_bayer_out (plan, view, &components[i], region);
      continue;
    }
    grid = grid_of_component (plan, &components[i], region);
    n_out[i] = n_samples (&grid) - count_parts (view, &grid, &kept);
  }
  return count_parts (view, &pixels, &kept);
}

/* Does the same if each sample is of a pixel of its own and alpha is the mask: alpha is counted, too, and those that are 0
 * take no part. */
static guint64
count_by_alpha (const HistoPlan * plan, guint r, const HistoRegion * region,
    const guint32 * counters, guint64 * n_out)
{
  const HistoComponent *alpha = &histo_plan_region_components (plan, r)[plan->alpha];
  const guint64 n = counters[alpha->first_bin];

  for (guint i = 0; i < plan->n_region_components; i++)
    n_out[i] = n;
  return (guint64) region->width * region->height - n;
}

/* ---- Frames of a mask file ------------------------------------------------------------------- */

HistoMaskFrames *
histo_mask_frames_new (void)
{
  HistoMaskFrames *frames = g_new0 (HistoMaskFrames, 1);

  g_mutex_init (&frames->lock);
  return frames;
}

void
histo_mask_frames_free (HistoMaskFrames * frames)
{
  for (guint i = 0; i < HISTO_MOST_MASK_FRAMES; i++) {
    if (frames->frames[i] == NULL)
      continue;
    g_free (frames->frames[i]->bits);
    g_free (frames->frames[i]->n_pixels);
    g_free (frames->frames[i]->n_out);
    g_free (frames->frames[i]);
  }
  g_mutex_clear (&frames->lock);
  g_free (frames);
}

/* NULL if there is no memory */
static HistoMaskFrame *
make_frame (const HistoPlan * plan, const HistoScan * scan, guint number)
{
  const HistoFormat *format = plan->format;
  const guint n_regions = 1 + plan->n_fixed;
  HistoMaskFrame *frame;
  guint8 *bits = g_try_malloc0 (histo_packed_size (format));

  if (bits == NULL)
    return NULL;
  frame = g_new0 (HistoMaskFrame, 1);
  frame->number = number;
  frame->bits = bits;
  frame->view = (HistoMaskView) { plan->mask->pixels, plan->mask->width, plan->mask->height, *scan };
  histo_packed_locate (format, (guint64) (guintptr) bits, frame->planes);
  histo_mask_make_planes (&frame->view, format, frame->planes);
  frame->n_pixels = g_new (guint64, n_regions);
  frame->n_out = g_new (guint64, n_regions * plan->n_region_components);
  for (guint r = 0; r < n_regions; r++)
    frame->n_pixels[r] = count_region (plan, &frame->view, r, &plan->regions[r],
        frame->n_out + r * plan->n_region_components);
  return frame;
}

/* Returns: (transfer none) (nullable): the mask file as the buffer needs it, valid as long as the plan; NULL if there is no
 *   memory, and if the plan has no mask file */
const HistoMaskFrame *
histo_masked_find_frame (const HistoPlan * plan, const HistoFrameInfo * info)
{
  const HistoScan scan = histo_plan_scan (plan, info);
  const guint number = scan.has_field_chroma ? 1 + scan.first : 0;
  HistoMaskFrames *frames = plan->mask_frames;
  const HistoMaskFrame *frame;

  if (frames == NULL)
    return NULL;
  g_assert (number < HISTO_MOST_MASK_FRAMES);
  g_mutex_lock (&frames->lock);
  if (frames->frames[number] == NULL)
    frames->frames[number] = make_frame (plan, &scan, number);
  frame = frames->frames[number];
  g_mutex_unlock (&frames->lock);
  return frame;
}

/* ---- Finishing -------------------------------------------------------------------------------- */

/**
 * histo_masked_finish:
 * @plan: with a mask
 * @info: of the buffer
 * @view: (nullable): of the buffer. NULL: the mask is alpha, and each sample is of a pixel of its own
 * @frame: (nullable): of the mask file
 * @n_pixels: (out): room for a number for each region of the plan, as long as @counts
 * @counts: (inout): of the buffer, whose samples that take no part count as 0; once. They have no halves
 *
 * Takes the samples that take no part away, and adds how many pixels take part.
 */
void
histo_masked_finish (const HistoPlan * plan, const HistoFrameInfo * info,
    const HistoMaskView * view, const HistoMaskFrame * frame,
    guint64 * n_pixels, HistoCounts * counts)
{
  const guint n = plan->n_region_components;
  g_autofree guint64 *own_out = g_new (guint64, n);
  guint32 *counters = (guint32 *) counts->counters;

  for (guint r = 0; r < histo_plan_used_regions (plan, info); r++) {
    const HistoComponent *components = histo_plan_region_components (plan, r);
    const guint64 *out = own_out;

    if (frame != NULL && r <= plan->n_fixed) {
      n_pixels[r] = frame->n_pixels[r];
      out = frame->n_out + r * n;
    } else if (view != NULL) {
      n_pixels[r] = count_region (plan, view, r, histo_plan_region (plan, info, r), own_out);
    } else {
      n_pixels[r] = count_by_alpha (plan, r, histo_plan_region (plan, info, r), counters, own_out);
    }
    for (guint i = 0; i < n; i++)
      counters[components[i].first_bin] -= out[i];
  }
  counts->n_pixels = n_pixels;
}

/**
 * histo_masked_count_pixels:
 * @n_pixels: (out): as for histo_masked_finish()
 * @counts: (inout): of the buffer, of the samples alone that take part
 *
 * Adds how many pixels take part. Component 0 has a sample for each pixel.
 */
void
histo_masked_count_pixels (const HistoPlan * plan,
    const HistoFrameInfo * info, guint64 * n_pixels, HistoCounts * counts)
{
  for (guint r = 0; r < histo_plan_used_regions (plan, info); r++) {
    const HistoComponent *component = histo_plan_region_components (plan, r);

    n_pixels[r] = 0;
    for (guint v = 0; v < component->n_values; v++)
      n_pixels[r] += counts->counters[component->first_bin + v];
  }
  counts->n_pixels = n_pixels;
}
