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
count_luma (const ReferencePicture * picture,
    const ReferenceRectangle * region, ReferenceComponent * luma)
{
  guint x, y;

  reference_component_init (luma, "luma", picture->color.max + 1);
  for (y = region->y; y < region->y + region->height; y++)
    for (x = region->x; x < region->x + region->width; x++)
      if (reference_picture_has_pixel (picture, x, y))
        reference_component_add (luma, reference_picture_luma (picture, x, y));
}

void
reference_picture_full_rgb (const ReferencePicture * picture, guint x,
    guint y, gint64 rgb[3])
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
reference_count_color (const ReferencePicture * current,
    const ReferenceRectangle * region, ReferenceComponent color[3])
{
  static const gchar *names[3] = { "R", "G", "B" };
  guint x, y, i;

  if (current->color.family == REFERENCE_RGB) {
    count_luma (current, region, &color[0]);
    return;
  }

  for (i = 0; i < 3; i++)
    reference_component_init (&color[i], names[i], current->color.max + 1);
  for (y = region->y; y < region->y + region->height; y++)
    for (x = region->x; x < region->x + region->width; x++) {
      gint64 rgb[3];

      if (!reference_picture_has_pixel (current, x, y))
        continue;
      reference_picture_full_rgb (current, x, y, rgb);
      for (i = 0; i < 3; i++)
        reference_component_add (&color[i], rgb[i]);
    }
}

/* Shares */

ReferenceShare *
reference_share (ReferenceShares * shares, const gchar * name)
{
  guint i = 0;

  while (i < shares->n && !g_str_equal (shares->list[i].name, name))
    i++;
  if (i == shares->n) {
    g_assert (i < G_N_ELEMENTS (shares->list));
    shares->list[shares->n++] = (ReferenceShare) { name, 0, NAN };
  }
  return &shares->list[i];
}

void
reference_share_figures (ReferenceShares * shares, gdouble n_pixels)
{
  guint i;

  for (i = 0; i < shares->n; i++)
    shares->list[i].share = n_pixels > 0 ? shares->list[i].n / n_pixels : NAN;
}

/* Hdr */

void
reference_count_hdr (const ReferencePicture * current,
    const ReferenceRectangle * region, ReferenceHdr * out)
{
  const gboolean is_hlg =
      current->color.transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67;
  guint x, y, i;

  reference_component_init (&out->maxrgb, "maxrgb", current->color.max + 1);
  if (is_hlg)
    reference_component_init (&out->light, NULL, REFERENCE_N_LIGHT_BINS);
  for (i = 0; i < 3; i++)
    out->greatest[i] = -1;
  for (y = region->y; y < region->y + region->height; y++)
    for (x = region->x; x < region->x + region->width; x++) {
      gint64 rgb[3];

      if (!reference_picture_has_pixel (current, x, y))
        continue;
      reference_picture_full_rgb (current, x, y, rgb);
      reference_component_add (&out->maxrgb,
          MAX (rgb[0], MAX (rgb[1], rgb[2])));
      if (is_hlg) {
        gint64 scene[3];

        for (i = 0; i < 3; i++)
          scene[i] = reference_hlg_scene (&current->color, rgb[i]);
        reference_hlg_light (scene, rgb);
        reference_component_add (&out->light,
            reference_hlg_bin (MAX (rgb[0], MAX (rgb[1], rgb[2]))));
      }
      for (i = 0; i < 3; i++)
        out->greatest[i] = MAX (out->greatest[i], rgb[i]);
    }
}

/* The smallest code that @share of 10000 pixels do not exceed */
static gint64
code_at (const ReferenceComponent * levels, guint64 share)
{
  ReferenceUint128 cumulative = 0;
  guint code;

  for (code = 0; code + 1 < levels->n_values; code++) {
    cumulative += levels->counts[code];
    if (10000 * cumulative >= (ReferenceUint128) share * levels->n)
      break;
  }
  return code;
}

/* cd/m² of a code of maxrgb, or of a bin of HLG's light */
static gdouble
light_of_level (const ReferenceColor * color, gint64 code)
{
  if (color->transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67)
    return reference_light_of_pq (code / (REFERENCE_N_LIGHT_BINS - 1.0));

  return reference_color_light (color, code);
}

/* The mean light if no pixel is brighter than @limit */
static gdouble
mean_light (const ReferenceColor * color, const ReferenceComponent * levels,
    gint64 limit)
{
  long double sum = 0;
  gint64 code;

  for (code = 0; code < levels->n_values; code++)
    if (levels->counts[code] > 0)
      sum += levels->counts[code]
          * (long double) light_of_level (color, MIN (code, limit));

  return (gdouble) (sum / levels->n);
}

/* cd/m² of the greatest R, G or B */
static gdouble
light_of_greatest (const ReferenceColor * color, gint64 greatest)
{
  if (color->transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67)
    return reference_hlg_cd (greatest);

  return reference_color_light (color, greatest);
}

void
reference_hdr_figures (const ReferenceColor * color, ReferenceHdr * hdr)
{
  const gboolean is_hlg = color->transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67;
  const ReferenceComponent *levels = is_hlg ? &hdr->light : &hdr->maxrgb;
  gdouble *const limited[] = {
    &hdr->fall, &hdr->fall_p9999, &hdr->p99, &hdr->p999, &hdr->p9999
  };
  guint i;

  hdr->r_max = hdr->g_max = hdr->b_max = NAN;
  hdr->max = hdr->fall = hdr->fall_p9999 = NAN;
  hdr->p99 = hdr->p999 = hdr->p9999 = NAN;
  hdr->max_cll = hdr->max_fall = NAN;
  hdr->max_cll_p9999 = hdr->max_fall_p9999 = NAN;
  if (levels->n == 0)
    return;

  hdr->r_max = light_of_greatest (color, hdr->greatest[0]);
  hdr->g_max = light_of_greatest (color, hdr->greatest[1]);
  hdr->b_max = light_of_greatest (color, hdr->greatest[2]);
  if (is_hlg)
    hdr->max = MAX (hdr->r_max, MAX (hdr->g_max, hdr->b_max));
  else
    hdr->max =
        reference_color_light (color, reference_component_highest (levels));
  hdr->fall = mean_light (color, levels, levels->n_values - 1);
  hdr->fall_p9999 = mean_light (color, levels, code_at (levels, 9999));
  hdr->p99 = light_of_level (color, code_at (levels, 9900));
  hdr->p999 = light_of_level (color, code_at (levels, 9990));
  hdr->p9999 = light_of_level (color, code_at (levels, 9999));
  /* Levels of HLG are rounded, and its greatest light is not. */
  for (i = 0; i < sizeof limited / sizeof *limited; i++)
    *limited[i] = MIN (*limited[i], hdr->max);
}

void
reference_hdr_history (ReferenceHistory * history, ReferenceHdr * out)
{
  if (out->maxrgb.n > 0) {
    history->has_light = TRUE;
    history->max_cll = MAX (history->max_cll, out->max);
    history->max_fall = MAX (history->max_fall, out->fall);
    history->max_cll_p9999 = MAX (history->max_cll_p9999, out->p9999);
    history->max_fall_p9999 = MAX (history->max_fall_p9999, out->fall_p9999);
  }
  if (!history->has_light)
    return;

  out->max_cll = history->max_cll;
  out->max_fall = history->max_fall;
  out->max_cll_p9999 = history->max_cll_p9999;
  out->max_fall_p9999 = history->max_fall_p9999;
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
gradient_one (const ReferenceColor * color)
{
  return 1u << (16 - color->depth);
}

static void
count_gradients (const ReferencePicture * picture,
    const ReferenceRectangle * region, ReferenceDetail * out)
{
  gint64 *luma = copy_siti (picture, region);
  const gsize width = region->width;
  guint x, y, i;

  reference_component_init (&out->gradient, "gradient",
      picture->color.max + 1);
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

static void
add_changes (const ReferencePicture * current,
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
  g_free (before);
  g_free (now);
}

void
reference_count_detail (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceDetail * out)
{
  count_gradients (current, region, out);
  if (previous != NULL)
    add_changes (current, previous, region, out);
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

void
reference_detail_figures (const ReferenceColor * color,
    ReferenceMeasures * measures)
{
  const guint width = measures->region.width;
  const guint height = measures->region.height;
  const guint64 n_changes = measures->n_with_previous * width * height;
  const guint64 n_inner = width < 3 || height < 3 ? 0
      : measures->n_frames * (width - 2) * (height - 2);
  const guint64 one = gradient_one (color);
  ReferenceDetail *detail = &measures->detail;

  detail->si = detail->ti = detail->sharpness = NAN;
  if (n_inner > 0) {
    detail->si = deviation (detail->gradient_sum, detail->gradient_squares,
        n_inner, one);
    detail->sharpness = (gdouble) detail->gradient_sum / n_inner / one;
  }
  if (n_changes > 0)
    detail->ti = deviation (detail->ti_sum, detail->ti_squares, n_changes, 1);
}

/* Everything */

void
reference_count_native (const ReferencePicture * picture, guint component,
    const ReferenceRectangle * region, ReferenceComponent * out)
{
  ReferenceRectangle samples =
      reference_picture_samples_of (picture, component, region);
  gsize stride = picture->shape.widths[component];
  guint x, y;

  reference_component_init (out, picture->shape.names[component],
      1u << picture->shape.depths[component]);
  for (y = samples.y; y < samples.y + samples.height; y++)
    for (x = samples.x; x < samples.x + samples.width; x++)
      if (reference_picture_has_sample (picture, component, x, y))
        reference_component_add (out,
            picture->samples[component][y * stride + x]);
}

gdouble
reference_n_parts (const ReferenceMeasures * measures)
{
  return (gdouble) measures->region.width * measures->region.height
      * measures->n_frames - measures->n_out;
}

void
reference_count (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceGroups groups, ReferenceMeasures * out)
{
  guint x, y, c;

  memset (out, 0, sizeof (*out));
  out->region = *region;
  for (y = region->y; y < region->y + region->height; y++)
    for (x = region->x; x < region->x + region->width; x++)
      if (!reference_picture_has_pixel (current, x, y))
        out->n_out++;
  out->groups = previous != NULL ? groups : groups & ~REFERENCE_GROUP_MOTION;
  out->n_frames = 1;
  out->n_with_previous = previous != NULL ? 1 : 0;
  out->n_native = current->shape.n_components;
  for (c = 0; c < out->n_native; c++)
    reference_count_native (current, c, region, &out->native[c]);

  if (out->groups & REFERENCE_GROUP_SIGNAL)
    reference_count_signal (current, region, &out->signal);
  if (out->groups & REFERENCE_GROUP_MOTION)
    reference_count_motion (current, previous, region, &out->motion);
  if (out->groups & REFERENCE_GROUP_COLOR)
    reference_count_color (current, region, out->color);
  if (out->groups & REFERENCE_GROUP_HDR)
    reference_count_hdr (current, region, &out->hdr);
  if (out->groups & REFERENCE_GROUP_DETAIL)
    reference_count_detail (current, previous, region, &out->detail);
  if (out->groups & REFERENCE_GROUP_AREA)
    reference_count_area (current, region, &out->area);
  if (out->groups & REFERENCE_GROUP_GAMUT)
    reference_count_gamut (current, region, &out->gamut);
  if (out->groups & REFERENCE_GROUP_GAMUT_FILTER)
    reference_count_gamut_filter (current, region, &out->gamut_filter);
  if (out->groups & REFERENCE_GROUP_FLASH)
    reference_count_flash (current, previous, region, &out->flash);
  if (out->groups & REFERENCE_GROUP_FIELD)
    reference_count_field (current, previous, region, &out->field);
  if (out->groups & REFERENCE_GROUP_SCOPES)
    reference_count_scopes (current, region,
        (groups & REFERENCE_GROUP_COLOR) != 0, &out->scopes);
}

void
reference_figures (const ReferenceColor * color, ReferenceMeasures * measures)
{
  if (measures->groups & REFERENCE_GROUP_SIGNAL)
    reference_signal_figures (measures);
  if (measures->groups & REFERENCE_GROUP_MOTION)
    reference_motion_figures (color, measures);
  if (measures->groups & REFERENCE_GROUP_HDR)
    reference_hdr_figures (color, &measures->hdr);
  if (measures->groups & REFERENCE_GROUP_DETAIL)
    reference_detail_figures (color, measures);
  if (measures->groups & REFERENCE_GROUP_AREA)
    reference_area_figures (color, measures);
  if (measures->groups & REFERENCE_GROUP_GAMUT)
    reference_gamut_figures (color, measures);
  if (measures->groups & REFERENCE_GROUP_GAMUT_FILTER)
    reference_gamut_filter_figures (measures);
  if (measures->groups & REFERENCE_GROUP_FLASH)
    reference_flash_figures (measures);
  if (measures->groups & REFERENCE_GROUP_FIELD)
    reference_field_figures (measures);
}

void
reference_measures (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceGroups groups, ReferenceHistory * history, ReferenceMeasures * out)
{
  reference_count (current, previous, region, groups, out);
  reference_figures (&current->color, out);
  if (history == NULL)
    return;

  if (out->groups & REFERENCE_GROUP_MOTION)
    reference_motion_history (current, previous, region, history,
        &out->motion);
  if (out->groups & REFERENCE_GROUP_HDR)
    reference_hdr_history (history, &out->hdr);
  if (out->groups & REFERENCE_GROUP_FIELD && region->width > 0
      && region->height > 0)
    reference_field_history (&history->field, previous != NULL, &out->field);
}

void
reference_measures_clear (ReferenceMeasures * measures)
{
  guint i;

  for (i = 0; i < 4; i++) {
    g_clear_pointer (&measures->native[i].counts, g_free);
    g_clear_pointer (&measures->motion.difference[i].counts, g_free);
  }
  for (i = 0; i < 3; i++) {
    g_clear_pointer (&measures->color[i].counts, g_free);
    g_clear_pointer (&measures->scopes.parade[i].counts, g_free);
  }
  g_clear_pointer (&measures->scopes.waveform.counts, g_free);
  g_clear_pointer (&measures->scopes.vectorscope.counts, g_free);
  g_clear_pointer (&measures->signal.saturation.counts, g_free);
  g_clear_pointer (&measures->signal.hue.counts, g_free);
  g_clear_pointer (&measures->hdr.maxrgb.counts, g_free);
  g_clear_pointer (&measures->hdr.light.counts, g_free);
  g_clear_pointer (&measures->detail.gradient.counts, g_free);
  g_clear_pointer (&measures->area.row_sums, g_free);
  g_clear_pointer (&measures->area.column_sums, g_free);
}
