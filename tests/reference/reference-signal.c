/* reference-signal.c: the measures of the groups signal and area.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sources: ffmpeg's vf_signalstats.c and vf_cropdetect.c.
 */

#include <math.h>

#include "reference-measures.h"

void
reference_picture_limited_yuv (const ReferencePicture * picture, guint x,
    guint y, gint64 yuv[3])
{
  gint64 values[3];
  guint i;

  reference_picture_pixel_of_frame (picture, x, y, values);
  if (picture->color.family == REFERENCE_RGB)
    reference_color_rgb_to_yuv (&picture->color, values, yuv);
  else
    for (i = 0; i < 3; i++)
      yuv[i] = values[i];
}

/* Saturation and hue */

static void
add_polar (const ReferencePicture * picture, const gint64 yuv[3],
    ReferenceSignal * out)
{
  gint64 du = yuv[1] - picture->color.mid;
  gint64 dv = yuv[2] - picture->color.mid;

  reference_component_add (&out->saturation,
      reference_color_saturation (du, dv));
  reference_component_add (&out->hue,
      reference_color_hue (&picture->color, du, dv));
}

/* One pair for each sample of U; RGB: for each pixel */
static void
count_polar (const ReferencePicture * picture,
    const ReferenceRectangle * region, ReferenceSignal * out)
{
  ReferenceRectangle pairs = reference_picture_samples_of (picture, 1, region);
  guint x, y;

  reference_component_init (&out->saturation, "saturation",
      picture->color.max + 1);
  reference_component_init (&out->hue, "hue", 360);

  for (y = pairs.y; y < pairs.y + pairs.height; y++)
    for (x = pairs.x; x < pairs.x + pairs.width; x++) {
      gint64 yuv[3];

      if (!reference_picture_has_sample (picture, 1, x, y))
        continue;
      reference_picture_limited_yuv (picture, x * picture->shape.chroma_x,
          y * picture->shape.chroma_y, yuv);
      add_polar (picture, yuv, out);
    }
}

/* Tallies */

static gboolean
is_out_of_range (const ReferencePicture * picture, const gint64 yuv[3])
{
  const ReferenceColor *color = &picture->color;

  return reference_color_luma_is_out (color, yuv[0])
      || (color->family != REFERENCE_GRAY
      && (reference_color_chroma_is_out (color, yuv[1])
          || reference_color_chroma_is_out (color, yuv[2])));
}

/* Y of limited Y U V, of the region's pixels alone. Counts the pixels that are out
 * of the limited range. */
static gint64 *
copy_y (const ReferencePicture * picture, const ReferenceRectangle * region,
    guint64 * n_out_of_range)
{
  gint64 *luma = g_new (gint64, (gsize) region->width * region->height + 1);
  guint x, y;

  for (y = 0; y < region->height; y++)
    for (x = 0; x < region->width; x++) {
      gint64 yuv[3];

      reference_picture_limited_yuv (picture, region->x + x, region->y + y, yuv);
      luma[(gsize) y * region->width + x] = yuv[0];
      if (is_out_of_range (picture, yuv)
          && reference_picture_has_pixel (picture, region->x + x, region->y + y))
        *n_out_of_range += 1;
    }
  return luma;
}

/* Whether the pixel and its two neighbours in the row are outliers between those
 * @distance above and below */
static gboolean
three_are_outliers (const ReferenceColor * color, const gint64 * luma,
    gsize width, guint x, guint y, guint distance)
{
  const gint64 *row = luma + y * width, *above = row - distance * width,
      *below = row + distance * width;
  guint i;

  for (i = x - 1; i <= x + 1; i++)
    if (!reference_color_is_outlier (color, above[i], row[i], below[i]))
      return FALSE;

  return TRUE;
}

static gboolean
is_temporal_outlier (const ReferenceColor * color, const gint64 * luma,
    guint width, guint height, guint x, guint y)
{
  if (x < 1 || x + 1 >= width || y < 1 || y + 1 >= height)
    return FALSE;
  if (!three_are_outliers (color, luma, width, x, y, 1))
    return FALSE;
  /* The first and the last of these rows have no row at distance 2. */
  if (y < 2 || y + 2 >= height)
    return TRUE;

  return three_are_outliers (color, luma, width, x, y, 2);
}

static gboolean
row_is_repeated (const gint64 * luma, gsize width, guint y)
{
  gint64 sum = 0;
  guint x;

  if (y < 4)
    return FALSE;
  for (x = 0; x < width; x++)
    sum += ABS (luma[y * width + x] - luma[(y - 4) * width + x]);

  return sum < (gint64) width;
}

/* A quarter of the pixels, without the row's ends, differ from their left neighbours by more than a code of 8 bits. */
static gboolean
row_has_detail (const ReferenceColor * color, const gint64 * luma, gsize width, guint y)
{
  gsize n = 0, x;

  for (x = 1; x + 1 < width; x++)
    if (ABS (luma[y * width + x] - luma[y * width + x - 1]) > (gint64) 1 << (color->depth - 8))
      n++;
  return 4 * n >= width;
}

void
reference_count_signal (const ReferencePicture * current,
    const ReferenceRectangle * region, ReferenceSignal * out)
{
  ReferenceShare *brng = reference_share (&out->shares, "brng");
  ReferenceShare *tout = reference_share (&out->shares, "tout");
  ReferenceShare *vrep = reference_share (&out->shares, "vrep");
  ReferenceShare *vrep_detail = reference_share (&out->shares, "vrep-detail");
  gint64 *luma = copy_y (current, region, &brng->n);
  guint x, y;

  out->is_masked = current->mask != NULL;
  if (current->color.family != REFERENCE_GRAY)
    count_polar (current, region, out);
  for (y = 0; y < region->height; y++) {
    if (row_is_repeated (luma, region->width, y)) {
      vrep->n += region->width;
      if (row_has_detail (&current->color, luma, region->width, y))
        vrep_detail->n += region->width;
    }
    for (x = 0; x < region->width; x++)
      if (is_temporal_outlier (&current->color, luma, region->width,
              region->height, x, y))
        tout->n++;
  }
  g_free (luma);
}

/* Figures */

static void
find_circular_mean (ReferenceSignal * out)
{
  long double degree = acosl (-1.0L) / 180;
  long double sine = 0, cosine = 0, length, angle;
  guint i;

  out->hue_circular_mean = out->hue_vector = NAN;
  if (out->hue.name == NULL || out->hue.n == 0)
    return;

  for (i = 0; i < 360; i++) {
    sine += out->hue.counts[i] * sinl (i * degree);
    cosine += out->hue.counts[i] * cosl (i * degree);
  }
  length = sqrtl (sine * sine + cosine * cosine) / out->hue.n;
  out->hue_vector = (gdouble) length;
  if (length < 1e-9L)
    return;

  angle = atan2l (sine, cosine) / degree;
  if (angle < 0)
    angle += 360;
  out->hue_circular_mean = (gdouble) angle;
}

/* How many bits are 1 in at least one sample */
static guint
bits_used (const ReferenceComponent * native)
{
  guint all = 0, value, n = 0;

  for (value = 0; value < native->n_values; value++)
    if (native->counts[value] > 0)
      all |= value;
  for (; all != 0; all >>= 1)
    n += all & 1;

  return n;
}

void
reference_signal_figures (ReferenceMeasures * measures)
{
  const gdouble n = reference_n_parts (measures);
  ReferenceSignal *signal = &measures->signal;
  guint c;

  find_circular_mean (signal);
  reference_share_figures (&signal->shares, n);
  for (c = 0; c < signal->shares.n && signal->is_masked; c++)
    if (!g_str_equal (signal->shares.list[c].name, "brng"))
      signal->shares.list[c].share = NAN;
  for (c = 0; c < measures->n_native; c++)
    signal->bits_used[c] = bits_used (&measures->native[c]);
}

/* Area */

/* What cropdetect adds up: Y, or R and G and B */
static guint64
brightness (const ReferencePicture * picture, guint x, guint y)
{
  gint64 rgb[3];

  if (picture->color.family != REFERENCE_RGB)
    return reference_picture_luma (picture, x, y);

  reference_picture_pixel (picture, x, y, rgb);
  return rgb[0] + rgb[1] + rgb[2];
}

void
reference_count_area (const ReferencePicture * current,
    const ReferenceRectangle * region, ReferenceArea * out)
{
  guint x, y;

  out->row_sums = g_new0 (guint64, region->height + 1);
  out->column_sums = g_new0 (guint64, region->width + 1);
  for (y = 0; y < region->height; y++)
    for (x = 0; x < region->width; x++) {
      guint64 value = brightness (current, region->x + x, region->y + y);

      out->row_sums[y] += value;
      out->column_sums[x] += value;
    }
}

/* The first and the number of the lines whose mean over @n_pixels is not black */
static void
find_lines (const ReferenceColor * color, const guint64 * sums, guint n_lines,
    guint64 n_pixels, guint * first, guint * n)
{
  /* 24 of 255, as a share of the highest code, rounded */
  guint64 limit = (24 * color->max + 127) / 255;
  guint64 n_values = color->family == REFERENCE_RGB ? 3 * n_pixels : n_pixels;
  guint i;

  *first = *n = 0;
  for (i = 0; i < n_lines && n_pixels > 0; i++) {
    if (sums[i] / n_values <= limit)
      continue;
    if (*n == 0)
      *first = i;
    *n = i + 1 - *first;
  }
}

void
reference_area_figures (const ReferenceColor * color,
    ReferenceMeasures * measures)
{
  const ReferenceRectangle *region = &measures->region;
  ReferenceArea *area = &measures->area;

  find_lines (color, area->column_sums, region->width,
      region->height * measures->n_frames, &area->x, &area->width);
  find_lines (color, area->row_sums, region->height,
      region->width * measures->n_frames, &area->y, &area->height);
  if (area->width == 0 || area->height == 0) {
    area->x = area->y = area->width = area->height = 0;
    return;
  }
  area->x += region->x;
  area->y += region->y;
}
