/* reference-motion.c: the measures of the group motion.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sources: ffmpeg's vf_scdet.c, vf_freezedetect.c and vf_psnr.c; OpenCV's
 * compareHist() (HISTCMP_BHATTACHARYYA).
 */

#include <math.h>
#include <string.h>

#include "reference-measures.h"

static void
count_differences (const ReferencePicture * current,
    const ReferencePicture * previous, guint component,
    const ReferenceRectangle * region, ReferenceComponent * difference)
{
  ReferenceRectangle samples =
      reference_picture_samples_of (current, component, region);
  gsize stride = current->shape.widths[component];
  guint x, y;

  reference_component_init (difference, current->shape.names[component],
      1u << current->shape.depths[component]);
  for (y = samples.y; y < samples.y + samples.height; y++)
    for (x = samples.x; x < samples.x + samples.width; x++) {
      gint64 now = current->samples[component][y * stride + x];
      gint64 before = previous->samples[component][y * stride + x];

      reference_component_add (difference, ABS (now - before));
    }
}

void
reference_count_motion (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceMotion * out)
{
  guint c;

  for (c = 0; c < current->shape.n_components; c++)
    count_differences (current, previous, c, region, &out->difference[c]);
}

/* Figures */

/* Σ SAD / 2^depth over Σ count */
static gdouble
mean_share (const ReferenceComponent * differences, guint n_components)
{
  long double sum = 0, n = 0;
  guint c, value;

  for (c = 0; c < n_components; c++) {
    const ReferenceComponent *d = &differences[c];

    if (d->name[0] == 'A')
      continue;
    for (value = 0; value < d->n_values; value++)
      sum += (long double) d->counts[value] * value / d->n_values;
    n += d->n;
  }
  return n > 0 ? (gdouble) (sum / n) : NAN;
}

/* From the mean of the squared differences, those of each component as shares
 * of its highest code: they are not equally deep in RGB16 */
static gdouble
psnr (const ReferenceComponent * differences, guint n_components)
{
  long double sum = 0;
  guint c, value;

  for (c = 0; c < n_components; c++) {
    const ReferenceComponent *d = &differences[c];
    const long double max = d->n_values - 1;
    ReferenceUint128 squares = 0;

    if (d->n == 0)
      return NAN;
    for (value = 0; value < d->n_values; value++)
      squares += (ReferenceUint128) d->counts[value] * value * value;
    sum += squares / (long double) d->n / (max * max);
  }
  return sum > 0 ? (gdouble) (10 * log10l (n_components / sum)) : INFINITY;
}

/* Whether nothing has changed, A included */
static gboolean
is_repeat (const ReferenceComponent * differences, guint n_components)
{
  guint c;

  for (c = 0; c < n_components; c++)
    if (differences[c].counts[0] != differences[c].n)
      return FALSE;

  return TRUE;
}

static guint
n_luma (const ReferenceColor * color)
{
  return color->family == REFERENCE_RGB ? 3 : 1;
}

void
reference_motion_figures (const ReferenceColor * color,
    ReferenceMeasures * measures)
{
  ReferenceMotion *motion = &measures->motion;

  motion->mafd = 100 * mean_share (motion->difference, n_luma (color));
  motion->freeze = mean_share (motion->difference, measures->n_native);
  motion->near_repeat = motion->freeze < 0.001;
  motion->repeat = is_repeat (motion->difference, measures->n_native);
  motion->psnr = psnr (motion->difference, n_luma (color));
  motion->scene_score = NAN;
  motion->chi2 = motion->bhattacharyya = motion->emd = NAN;
}

/* Distances of histograms */

void
reference_distances (const guint64 * now, const guint64 * before,
    guint n_values, gdouble distances[3])
{
  long double n_now = 0, n_before = 0;
  long double chi2 = 0, product = 0, cumulated = 0, emd = 0;
  guint i;

  for (i = 0; i < n_values; i++) {
    n_now += now[i];
    n_before += before[i];
  }
  for (i = 0; i < n_values; i++) {
    long double p = now[i] / n_now, q = before[i] / n_before;

    if (p + q > 0)
      chi2 += (p - q) * (p - q) / (p + q) / 2;
    product += sqrtl (p * q);
    cumulated += p - q;
    emd += fabsl (cumulated);
  }
  distances[0] = (gdouble) chi2;
  distances[1] = (gdouble) sqrtl (product < 1 ? 1 - product : 0);
  distances[2] = (gdouble) emd;
}

/* Means over the components */
static void
measure_distances (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    guint n_components, ReferenceMotion * out)
{
  gdouble sums[3] = { 0, 0, 0 };
  guint c, i;

  if (region->width == 0 || region->height == 0)
    return;
  for (c = 0; c < n_components; c++) {
    ReferenceComponent now, before;
    gdouble distances[3];

    reference_count_native (current, c, region, &now);
    reference_count_native (previous, c, region, &before);
    reference_distances (now.counts, before.counts, now.n_values, distances);
    for (i = 0; i < 3; i++)
      sums[i] += distances[i];
    g_free (now.counts);
    g_free (before.counts);
  }
  out->chi2 = sums[0] / n_components;
  out->bhattacharyya = sums[1] / n_components;
  out->emd = sums[2] / n_components;
}

static gdouble
scene_score (gdouble mafd, gdouble previous_mafd)
{
  return CLAMP (MIN (mafd, fabs (mafd - previous_mafd)), 0, 100);
}

void
reference_motion_history (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceHistory * history, ReferenceMotion * out)
{
  measure_distances (current, previous, region, n_luma (&current->color), out);
  if (isnan (out->mafd))
    return;
  out->scene_score = scene_score (out->mafd, history->mafd);
  history->mafd = out->mafd;
}
