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

/* What the differences of one component add up to */
typedef struct
{
  guint64 n;
  guint64 sum;
  ReferenceUint128 squares;
} Totals;

static void
measure_difference (const ReferencePicture * current,
    const ReferencePicture * previous, guint component,
    const ReferenceRectangle * region, ReferenceComponent * difference,
    Totals * totals)
{
  ReferenceRectangle samples =
      reference_picture_samples_of (current, component, region);
  gsize stride = current->shape.widths[component];
  guint x, y;

  reference_component_init (difference, current->shape.names[component],
      current->shape.depths[component], (gsize) samples.width * samples.height);
  memset (totals, 0, sizeof (*totals));
  for (y = samples.y; y < samples.y + samples.height; y++)
    for (x = samples.x; x < samples.x + samples.width; x++) {
      gint64 now = current->samples[component][y * stride + x];
      gint64 before = previous->samples[component][y * stride + x];
      guint64 d = ABS (now - before);

      reference_component_add (difference, d);
      totals->n++;
      totals->sum += d;
      totals->squares += d * d;
    }
}

/* Σ SAD / 2^depth over Σ count */
static gdouble
mean_share (const ReferencePicture * picture, const Totals totals[4],
    guint n_components)
{
  gdouble sum = 0, n = 0;
  guint c;

  for (c = 0; c < n_components; c++) {
    if (picture->shape.names[c][0] == 'A')
      continue;
    sum += ldexp ((gdouble) totals[c].sum, -(gint) picture->shape.depths[c]);
    n += totals[c].n;
  }
  return n > 0 ? sum / n : NAN;
}

/* From the mean of the squared differences, those of each component as shares
 * of its highest code: they are not equally deep in RGB16 */
static gdouble
psnr (const ReferencePicture * picture, const Totals totals[4],
    guint n_components)
{
  gdouble sum = 0;
  guint c;

  for (c = 0; c < n_components; c++) {
    gdouble max = (1u << picture->shape.depths[c]) - 1;

    if (totals[c].n == 0)
      return NAN;
    sum += (gdouble) totals[c].squares / totals[c].n / (max * max);
  }
  return sum > 0 ? 10 * log10 (n_components / sum) : INFINITY;
}

/* Distances of histograms */

typedef struct
{
  long double chi2, bhattacharyya, emd;
} Distances;

static void
count_samples (const ReferencePicture * picture, guint component,
    const ReferenceRectangle * region, guint64 * counts)
{
  gsize stride = picture->shape.widths[component];
  guint x, y;

  for (y = region->y; y < region->y + region->height; y++)
    for (x = region->x; x < region->x + region->width; x++)
      counts[picture->samples[component][y * stride + x]]++;
}

static void
add_distances (const ReferencePicture * current,
    const ReferencePicture * previous, guint component,
    const ReferenceRectangle * region, Distances * distances)
{
  guint n_values = 1u << current->shape.depths[component];
  guint64 *now = g_new0 (guint64, n_values);
  guint64 *before = g_new0 (guint64, n_values);
  long double n = (long double) region->width * region->height;
  long double product = 0, cumulated = 0;
  guint i;

  count_samples (current, component, region, now);
  count_samples (previous, component, region, before);
  for (i = 0; i < n_values; i++) {
    long double p = now[i] / n, q = before[i] / n;

    if (p + q > 0)
      distances->chi2 += (p - q) * (p - q) / (p + q) / 2;
    product += sqrtl (p * q);
    cumulated += p - q;
    distances->emd += fabsl (cumulated);
  }
  distances->bhattacharyya += sqrtl (product < 1 ? 1 - product : 0);
  g_free (now);
  g_free (before);
}

/* Means over the components */
static void
measure_distances (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    guint n_components, ReferenceMotion * out)
{
  Distances distances = { 0, 0, 0 };
  guint c;

  if (region->width == 0 || region->height == 0)
    return;
  for (c = 0; c < n_components; c++)
    add_distances (current, previous, c, region, &distances);
  out->chi2 = (gdouble) (distances.chi2 / n_components);
  out->bhattacharyya = (gdouble) (distances.bhattacharyya / n_components);
  out->emd = (gdouble) (distances.emd / n_components);
}

static gdouble
scene_score (gdouble mafd, gdouble previous_mafd)
{
  return CLAMP (MIN (mafd, fabs (mafd - previous_mafd)), 0, 100);
}

void
reference_measure_motion (const ReferencePicture * current,
    const ReferencePicture * previous, const ReferenceRectangle * region,
    ReferenceHistory * history, ReferenceMotion * out)
{
  guint n_luma = current->color.family == REFERENCE_RGB ? 3 : 1;
  Totals totals[4];
  guint c;

  for (c = 0; c < current->shape.n_components; c++)
    measure_difference (current, previous, c, region, &out->difference[c],
        &totals[c]);
  out->mafd = 100 * mean_share (current, totals, n_luma);
  out->freeze = mean_share (current, totals, current->shape.n_components);
  out->psnr = psnr (current, totals, n_luma);
  out->scene_score = out->chi2 = out->bhattacharyya = out->emd = NAN;
  if (history == NULL)
    return;

  measure_distances (current, previous, region, n_luma, out);
  if (isnan (out->mafd))
    return;
  out->scene_score = scene_score (out->mafd, history->mafd);
  history->mafd = out->mafd;
}
