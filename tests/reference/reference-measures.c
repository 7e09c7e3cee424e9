/* reference-measures.c: all measures of a region, and those of the groups color, hdr and detail.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sources: CTA-861.3 (MaxCLL, MaxFALL), ITU-T P.910 and ffmpeg's vf_siti.c.
 */

#include <math.h>
#include <string.h>

#include "reference-measures.h"

static gsize
n_pixels (const ReferenceRectangle * region)
{
  return (gsize) region->width * region->height;
}

/* Color */

static void
measure_luma (const ReferencePicture * picture,
    const ReferenceRectangle * region, ReferenceComponent * luma)
{
  guint x, y;

  reference_component_init (luma, "luma", picture->color.depth,
      n_pixels (region));
  for (y = region->y; y < region->y + region->height; y++)
    for (x = region->x; x < region->x + region->width; x++)
      reference_component_add (luma, reference_picture_luma (picture, x, y));
}

/* R, G and B in full range */
static void
full_rgb (const ReferencePicture * picture, guint x, guint y, gint64 rgb[3])
{
  gint64 values[3];
  guint i;

  reference_picture_pixel (picture, x, y, values);
  if (picture->color.family == REFERENCE_RGB)
    for (i = 0; i < 3; i++)
      rgb[i] = reference_color_full_range (&picture->color, values[i]);
  else
    reference_color_yuv_to_rgb (&picture->color, values, rgb);
}

void
reference_measure_color (const ReferencePicture * current,
    const ReferenceRectangle * region, ReferenceComponent color[3])
{
  static const gchar *names[3] = { "R", "G", "B" };
  guint x, y, i;

  if (current->color.family == REFERENCE_RGB) {
    measure_luma (current, region, &color[0]);
    return;
  }

  for (i = 0; i < 3; i++)
    reference_component_init (&color[i], names[i], current->color.depth,
        n_pixels (region));
  for (y = region->y; y < region->y + region->height; y++)
    for (x = region->x; x < region->x + region->width; x++) {
      gint64 rgb[3];

      full_rgb (current, x, y, rgb);
      for (i = 0; i < 3; i++)
        reference_component_add (&color[i], rgb[i]);
    }
}

/* Hdr */

/* The light of the smallest code that @share of 10000 pixels do not exceed */
static gint64
code_at (const guint64 * counts, gint64 max, guint64 n, guint64 share)
{
  guint64 cumulative = 0;
  gint64 code;

  for (code = 0; code < max; code++) {
    cumulative += counts[code];
    if (10000 * cumulative >= share * n)
      break;
  }
  return code;
}

/* The mean light if no pixel is brighter than @limit */
static gdouble
mean_light (const ReferenceColor * color, const guint64 * counts, guint64 n,
    gint64 limit)
{
  long double sum = 0;
  gint64 code;

  for (code = 0; code <= color->max; code++)
    if (counts[code] > 0)
      sum += counts[code]
          * (long double) reference_color_light (color, MIN (code, limit));

  return (gdouble) (sum / n);
}

static void
measure_light (const ReferenceColor * color, const guint64 * counts,
    guint64 n, ReferenceHistory * history, ReferenceHdr * out)
{
  gint64 p9999 = code_at (counts, color->max, n, 9999);
  gdouble limited = mean_light (color, counts, n, p9999);
  gint64 highest = color->max;

  while (counts[highest] == 0)
    highest--;
  out->max = reference_color_light (color, highest);
  out->fall = mean_light (color, counts, n, color->max);
  out->p99 = reference_color_light (color,
      code_at (counts, color->max, n, 9900));
  out->p999 = reference_color_light (color,
      code_at (counts, color->max, n, 9990));
  out->p9999 = reference_color_light (color, p9999);
  if (history == NULL)
    return;

  out->max_cll = history->max_cll = MAX (history->max_cll, out->max);
  out->max_fall = history->max_fall = MAX (history->max_fall, out->fall);
  out->max_cll_p9999 = history->max_cll_p9999 =
      MAX (history->max_cll_p9999, out->p9999);
  out->max_fall_p9999 = history->max_fall_p9999 =
      MAX (history->max_fall_p9999, limited);
}

void
reference_measure_hdr (const ReferencePicture * current,
    const ReferenceRectangle * region, ReferenceHistory * history,
    ReferenceHdr * out)
{
  guint64 *counts = g_new0 (guint64, current->color.max + 1);
  guint x, y;

  reference_component_init (&out->maxrgb, "maxrgb", current->color.depth,
      n_pixels (region));
  for (y = region->y; y < region->y + region->height; y++)
    for (x = region->x; x < region->x + region->width; x++) {
      gint64 rgb[3], most;

      full_rgb (current, x, y, rgb);
      most = MAX (rgb[0], MAX (rgb[1], rgb[2]));
      reference_component_add (&out->maxrgb, most);
      counts[most]++;
    }
  out->max = out->fall = out->p99 = out->p999 = out->p9999 = NAN;
  out->max_cll = out->max_fall = NAN;
  out->max_cll_p9999 = out->max_fall_p9999 = NAN;
  if (out->maxrgb.n > 0)
    measure_light (&current->color, counts, out->maxrgb.n, history, out);
  g_free (counts);
}

/* Detail */

/* The luma that siti measures, of the region's pixels alone */
static gint64 *
copy_siti (const ReferencePicture * picture, const ReferenceRectangle * region)
{
  gint64 *luma = g_new (gint64, n_pixels (region) + 1);
  gsize i = 0;
  guint x, y;

  for (y = region->y; y < region->y + region->height; y++)
    for (x = region->x; x < region->x + region->width; x++)
      luma[i++] = reference_color_siti (&picture->color,
          reference_picture_luma (picture, x, y));
  return luma;
}

/* The gradients that are added up have 16 bits at least */
static guint64
gradient_one (const ReferencePicture * picture)
{
  return 1u << (16 - picture->color.depth);
}

static void
measure_gradient (const ReferencePicture * picture,
    const ReferenceRectangle * region, ReferenceDetail * out)
{
  gint64 *luma = copy_siti (picture, region);
  const gsize width = region->width;
  guint x, y, i;

  reference_component_init (&out->gradient, "gradient", picture->color.depth,
      n_pixels (region));
  for (y = 1; y + 1 < region->height; y++)
    for (x = 1; x + 1 < width; x++) {
      gint64 rows[3][3];
      guint64 fixed;

      for (i = 0; i < 9; i++)
        rows[i / 3][i % 3] = luma[(y - 1 + i / 3) * width + x - 1 + i % 3];
      reference_component_add (&out->gradient,
          reference_color_gradient (&picture->color, rows, &fixed));
      out->gradient_sum += fixed;
      out->gradient_squares += fixed * fixed;
    }
  g_free (luma);
}

/* The population standard deviation of @n numbers with this sum and this sum of
 * squares, both multiplied by @unit and @unit * @unit */
static gdouble
deviation (ReferenceInt128 sum, ReferenceUint128 squares, guint64 n,
    guint64 unit)
{
  ReferenceUint128 total = squares * n - (ReferenceUint128) (sum * sum);

  return sqrt (reference_ratio (total, (ReferenceUint128) n * n))
      / unit;
}

static void
measure_change (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceDetail * out)
{
  gint64 *now = copy_siti (current, region);
  gint64 *before = copy_siti (previous, region);
  gsize n = n_pixels (region), i;

  for (i = 0; i < n; i++) {
    gint64 change = now[i] - before[i];

    out->ti_sum += change;
    out->ti_squares += change * change;
  }
  if (n > 0)
    out->ti = deviation (out->ti_sum, out->ti_squares, n, 1);
  g_free (before);
  g_free (now);
}

void
reference_measure_detail (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceDetail * out)
{
  guint64 one = gradient_one (current);
  gsize n;

  measure_gradient (current, region, out);
  out->si = out->ti = out->sharpness = NAN;
  n = out->gradient.n;
  if (n > 0) {
    out->si = deviation (out->gradient_sum, out->gradient_squares, n, one);
    out->sharpness = (gdouble) out->gradient_sum / n / one;
  }
  if (previous != NULL)
    measure_change (current, previous, region, out);
}

/* Everything */

static void
copy_native (const ReferencePicture * picture, guint component,
    const ReferenceRectangle * region, ReferenceComponent * out)
{
  ReferenceRectangle samples =
      reference_picture_samples_of (picture, component, region);
  gsize stride = picture->shape.widths[component];
  guint x, y;

  reference_component_init (out, picture->shape.names[component],
      picture->shape.depths[component], n_pixels (&samples));
  for (y = samples.y; y < samples.y + samples.height; y++)
    for (x = samples.x; x < samples.x + samples.width; x++)
      reference_component_add (out,
          picture->samples[component][y * stride + x]);
}

void
reference_measures (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceGroups groups, ReferenceHistory * history, ReferenceMeasures * out)
{
  guint c;

  memset (out, 0, sizeof (*out));
  out->region = *region;
  out->groups = previous != NULL ? groups : groups & ~REFERENCE_GROUP_MOTION;
  out->n_native = current->shape.n_components;
  for (c = 0; c < out->n_native; c++)
    copy_native (current, c, region, &out->native[c]);

  if (out->groups & REFERENCE_GROUP_SIGNAL)
    reference_measure_signal (current, region, &out->signal);
  if (out->groups & REFERENCE_GROUP_MOTION)
    reference_measure_motion (current, previous, region, history, &out->motion);
  if (out->groups & REFERENCE_GROUP_COLOR)
    reference_measure_color (current, region, out->color);
  if (out->groups & REFERENCE_GROUP_HDR)
    reference_measure_hdr (current, region, history, &out->hdr);
  if (out->groups & REFERENCE_GROUP_DETAIL)
    reference_measure_detail (current, previous, region, &out->detail);
  if (out->groups & REFERENCE_GROUP_AREA)
    reference_measure_area (current, region, &out->area);
}

void
reference_measures_clear (ReferenceMeasures * measures)
{
  guint i;

  for (i = 0; i < 4; i++) {
    g_clear_pointer (&measures->native[i].values, g_free);
    g_clear_pointer (&measures->motion.difference[i].values, g_free);
  }
  for (i = 0; i < 3; i++)
    g_clear_pointer (&measures->color[i].values, g_free);
  g_clear_pointer (&measures->signal.saturation.values, g_free);
  g_clear_pointer (&measures->signal.hue.values, g_free);
  g_clear_pointer (&measures->hdr.maxrgb.values, g_free);
  g_clear_pointer (&measures->detail.gradient.values, g_free);
  g_clear_pointer (&measures->area.row_sums, g_free);
  g_clear_pointer (&measures->area.column_sums, g_free);
}
