/* What the kernels of the maps must count, by plain loops over pixels.
 *
 * The formulas for a pixel are those of kernels/maps.h; the walk over the pixels is written
 * again here, and the samples come from the reference for formats.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "maps-expected.h"

#include <math.h>
#include <stdlib.h>

#include "reference.h"

/* ---- Samples ---------------------------------------------------------------------------- */

void
maps_samples_init (MapsSamples * samples, const Frame * frame)
{
  const HistoFormat *format = &frame->format;
  const GstVideoFormat number = GST_VIDEO_INFO_FORMAT (&format->video);
  const guint8 *data[4] = { NULL, };
  gint stride[4] = { 0, };
  ReferenceShape shape;

  for (guint p = 0; p < format->n_planes; p++) {
    data[p] = frame->slabs[p].host + frame->slabs[p].first;
    stride[p] = frame->planes[p].stride;
  }
  reference_video_shape (number, format->width, format->height, &shape);
  for (guint c = 0; c < shape.n_components; c++) {
    samples->width[c] = shape.widths[c];
    samples->height[c] = shape.heights[c];
    samples->samples[c] =
        g_new (guint32, MAX ((gsize) shape.widths[c] * shape.heights[c], 1));
    reference_video_samples (number, format->width, format->height, data,
        stride, c, samples->samples[c]);
  }
  for (guint c = shape.n_components; c < HISTO_MAX_COMPONENTS; c++)
    samples->samples[c] = NULL;
}

void
maps_samples_clear (MapsSamples * samples)
{
  for (guint c = 0; c < HISTO_MAX_COMPONENTS; c++)
    g_free (samples->samples[c]);
}

/* ---- A pixel ------------------------------------------------------------------------------ */

/* A region of a frame, and where its counts go. */
typedef struct
{
  const HistoPlan *plan;
  const HistoMaps *maps;
  const HistoRegion *region;
  const MapsSamples *now, *before;
  guint r;
  guint32 *counters;
  guint64 *tallies;
} Walk;

static void
count (const Walk * w, HistoSource source, guint native, guint value)
{
  const HistoComponent *components =
      histo_plan_region_components (w->plan, w->r);

  for (guint i = 0; i < w->plan->n_region_components; i++) {
    if (components[i].source != source)
      continue;
    if ((source == HISTO_SOURCE_SAMPLE && i != native)
        || (source == HISTO_SOURCE_DIFFERENCE
            && components[i].native != native))
      continue;
    g_assert (value < components[i].n_values);
    w->counters[components[i].first_bin + value]++;
  }
}

static gboolean
has (const Walk * w, HistoGroup group)
{
  return histo_plan_has_group (w->plan, group);
}

static guint
sample (const MapsSamples * of, guint c, guint x, guint y)
{
  return of->samples[c][(gsize) y * of->width[c] + x];
}

/* A sample of chroma that belongs to a pixel of the picture. */
static guint
chroma (const Walk * w, guint c, guint x, guint y)
{
  return sample (w->now, c, MIN (x >> w->maps->w_sub, w->now->width[c] - 1),
      MIN (y >> w->maps->h_sub, w->now->height[c] - 1));
}

static void
read_rgb (const Walk * w, const MapsSamples * of, guint x, guint y,
    guint rgb[3])
{
  for (guint c = 0; c < 3; c++)
    rgb[c] = histo_scale_sample (sample (of, c, x, y), w->maps->depths[c],
        w->maps->depth);
}

/* Y (0), U or V of a pixel of the picture, as the group `signal` reads them. */
static guint
signal_value (const Walk * w, guint i, guint x, guint y)
{
  guint rgb[3];

  if (!w->maps->is_rgb)
    return i == 0 ? sample (w->now, 0, x, y) : chroma (w, i, x, y);
  read_rgb (w, w->now, x, y, rgb);
  return histo_matrix_row (&w->maps->matrix, i, rgb[0], rgb[1], rgb[2]);
}

static guint
luma (const Walk * w, const MapsSamples * of, guint x, guint y)
{
  guint rgb[3];

  if (!w->maps->is_rgb)
    return sample (of, 0, x, y);
  read_rgb (w, of, x, y, rgb);
  return histo_matrix_row (&w->maps->luma, 0, rgb[0], rgb[1], rgb[2]);
}

/* ---- Native components ------------------------------------------------------------------------ */

static void
expect_native (const Walk * w, guint c)
{
  const gboolean is_sub = !w->maps->is_rgb && w->maps->has_chroma
      && (c == 1 || c == 2);
  const guint x_sub = is_sub ? w->maps->w_sub : 0;
  const guint y_sub = is_sub ? w->maps->h_sub : 0;
  const HistoRegion *region = w->region;
  const guint right = (region->x + region->width - 1) >> x_sub;
  const guint bottom = (region->y + region->height - 1) >> y_sub;

  for (guint y = region->y >> y_sub; y <= MIN (bottom, w->now->height[c] - 1);
      y++) {
    for (guint x = region->x >> x_sub; x <= right && x < w->now->width[c]; x++) {
      const guint value = sample (w->now, c, x, y);

      count (w, HISTO_SOURCE_SAMPLE, c, value);
      if (w->before != NULL)
        count (w, HISTO_SOURCE_DIFFERENCE, c,
            abs ((gint) value - (gint) sample (w->before, c, x, y)));
    }
  }
}

/* ---- signal ------------------------------------------------------------------------------------ */

static void
expect_chroma (const Walk * w)
{
  const HistoRegion *region = w->region;
  const guint x_sub = w->maps->is_rgb ? 0 : w->maps->w_sub;
  const guint y_sub = w->maps->is_rgb ? 0 : w->maps->h_sub;
  const gint mid = 1 << (w->maps->depth - 1);

  for (guint y = region->y >> y_sub;
      y <= (region->y + region->height - 1) >> y_sub; y++) {
    for (guint x = region->x >> x_sub;
        x <= (region->x + region->width - 1) >> x_sub; x++) {
      const gint u = signal_value (w, 1, x << x_sub, y << y_sub) - mid;
      const gint v = signal_value (w, 2, x << x_sub, y << y_sub) - mid;

      count (w, HISTO_SOURCE_SATURATION, 0, histo_saturation (u, v));
      count (w, HISTO_SOURCE_HUE, 0, w->plan->chroma_table != NULL ?
          HISTO_CHROMA_HUE (w->plan->chroma_table[((u + mid) <<
                      w->maps->depth) + v + mid]) : histo_hue (u, v));
    }
  }
}

/* Whether the three pixels around x are outliers between the rows at a distance. */
static gboolean
three_outliers (const Walk * w, guint x, guint y, guint distance)
{
  for (guint i = x - 1; i <= x + 1; i++) {
    if (!histo_is_outlier (signal_value (w, 0, i, y - distance),
            signal_value (w, 0, i, y), signal_value (w, 0, i, y + distance),
            w->maps->depth))
      return FALSE;
  }
  return TRUE;
}

static gboolean
is_outlier (const Walk * w, guint column, guint row)
{
  const guint x = w->region->x + column, y = w->region->y + row;

  if (column < 1 || row < 1 || column + 1 >= w->region->width
      || row + 1 >= w->region->height)
    return FALSE;
  return three_outliers (w, x, y, 1) && (row < 2
      || row + 2 >= w->region->height || three_outliers (w, x, y, 2));
}

static void
expect_signal (const Walk * w)
{
  const HistoRegion *region = w->region;

  if (w->maps->has_chroma)
    expect_chroma (w);
  for (guint row = 0; row < region->height; row++) {
    guint64 differences = 0;

    for (guint column = 0; column < region->width; column++) {
      const guint x = region->x + column, y = region->y + row;
      const guint value = signal_value (w, 0, x, y);

      w->tallies[HISTO_TALLY_BRNG] +=
          histo_luma_is_out_of_range (value, w->maps->depth)
          || (w->maps->has_chroma
          && (histo_chroma_is_out_of_range (signal_value (w, 1, x, y),
                  w->maps->depth)
              || histo_chroma_is_out_of_range (signal_value (w, 2, x, y),
                  w->maps->depth)));
      w->tallies[HISTO_TALLY_TOUT] += is_outlier (w, column, row);
      if (row >= 4)
        differences +=
            abs ((gint) value - (gint) signal_value (w, 0, x, y - 4));
    }
    if (row >= 4 && differences < region->width)
      w->tallies[HISTO_TALLY_VREP] += region->width;
  }
}

/* ---- color and hdr --------------------------------------------------------------------------- */

static void
expect_colors (const Walk * w)
{
  const HistoRegion *region = w->region;
  const guint mid = 1u << (w->maps->depth - 1);

  for (guint y = region->y; y < region->y + region->height; y++) {
    for (guint x = region->x; x < region->x + region->width; x++) {
      guint rgb[3], greatest = 0;

      if (w->maps->is_rgb) {
        read_rgb (w, w->now, x, y, rgb);
        count (w, HISTO_SOURCE_LUMA, 0, luma (w, w->now, x, y));
      }
      for (guint i = 0; i < 3; i++) {
        guint value;

        if (w->maps->is_rgb) {
          value = w->maps->is_limited ?
              histo_stretch_rgb (rgb[i], w->maps->depth) : rgb[i];
        } else {
          value = histo_matrix_row (&w->maps->matrix, i,
              sample (w->now, 0, x, y),
              w->maps->has_chroma ? chroma (w, 1, x, y) : mid,
              w->maps->has_chroma ? chroma (w, 2, x, y) : mid);
          count (w, HISTO_SOURCE_RED + i, 0, value);
        }
        greatest = MAX (greatest, value);
      }
      count (w, HISTO_SOURCE_MAXRGB, 0, greatest);
    }
  }
}

/* ---- detail and area --------------------------------------------------------------------------- */

static gint
stretched (const Walk * w, const MapsSamples * of, guint x, guint y)
{
  return histo_stretch (luma (w, of, x, y), w->maps->depth,
      w->maps->is_limited);
}

static void
expect_gradient (const Walk * w, guint x, guint y)
{
  gint32 rows[3][3];
  gfloat magnitude;
  guint64 fixed;

  for (guint j = 0; j < 3; j++) {
    for (guint i = 0; i < 3; i++)
      rows[j][i] = stretched (w, w->now, x - 1 + i, y - 1 + j);
  }
  magnitude = sqrtf ((gfloat) histo_gradient_square (rows[0], rows[1],
          rows[2]));
  fixed = histo_gradient_fixed (magnitude, w->maps->depth);
  count (w, HISTO_SOURCE_GRADIENT, 0,
      histo_gradient (magnitude, w->maps->depth));
  w->tallies[HISTO_TALLY_GRADIENT_SUM] += fixed;
  w->tallies[HISTO_TALLY_GRADIENT_SQUARES] += fixed * fixed;
}

static void
expect_detail (const Walk * w)
{
  const HistoRegion *region = w->region;

  for (guint row = 0; row < region->height; row++) {
    for (guint column = 0; column < region->width; column++) {
      const guint x = region->x + column, y = region->y + row;

      if (row > 0 && column > 0 && row + 1 < region->height
          && column + 1 < region->width)
        expect_gradient (w, x, y);
      if (w->before != NULL) {
        const gint64 difference =
            (gint64) stretched (w, w->now, x, y) - stretched (w, w->before, x,
            y);

        w->tallies[HISTO_TALLY_TI_SUM] += difference;
        w->tallies[HISTO_TALLY_TI_SQUARES] += difference * difference;
      }
    }
  }
}

static void
expect_area (const Walk * w)
{
  const HistoRegion *region = w->region;
  guint64 *rows = w->tallies + HISTO_N_TALLIES;
  guint64 *columns = rows + w->plan->regions[w->r].height;

  for (guint row = 0; row < region->height; row++)
    rows[row] = 0;
  for (guint column = 0; column < region->width; column++)
    columns[column] = 0;
  for (guint row = 0; row < region->height; row++) {
    for (guint column = 0; column < region->width; column++) {
      guint rgb[3] = { 0, 0, 0 };

      if (w->maps->is_rgb)
        read_rgb (w, w->now, region->x + column, region->y + row, rgb);
      else
        rgb[0] = sample (w->now, 0, region->x + column, region->y + row);
      rows[row] += rgb[0] + rgb[1] + rgb[2];
      columns[column] += rgb[0] + rgb[1] + rgb[2];
    }
  }
}

/* ---- A region ------------------------------------------------------------------------------------ */

void
maps_expect (const HistoPlan * plan, guint r, const HistoRegion * region,
    const MapsSamples * samples, const MapsSamples * previous,
    guint32 * counters, guint64 * tallies)
{
  const Walk w = {
    .plan = plan,
    .maps = &plan->maps,
    .region = region,
    .now = samples,
    .before = previous,
    .r = r,
    .counters = counters,
    .tallies = plan->n_tallies > 0 ? tallies + plan->first_tally[r] : NULL,
  };

  for (guint i = 0; w.tallies != NULL && i < HISTO_N_TALLIES; i++)
    w.tallies[i] = 0;
  if (region->width == 0 || region->height == 0) {
    if (has (&w, HISTO_GROUP_AREA))
      expect_area (&w);
    return;
  }
  for (guint c = 0; c < plan->format->n_components; c++)
    expect_native (&w, c);
  if (has (&w, HISTO_GROUP_SIGNAL))
    expect_signal (&w);
  if (has (&w, HISTO_GROUP_COLOR) || has (&w, HISTO_GROUP_HDR))
    expect_colors (&w);
  if (has (&w, HISTO_GROUP_DETAIL))
    expect_detail (&w);
  if (has (&w, HISTO_GROUP_AREA))
    expect_area (&w);
}
