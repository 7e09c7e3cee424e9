/* When the kernels `quads` and `all_quads` measure the frames of a plan, and what they need to know.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cuda/plan-quads.h"

/* ---- Factors ---------------------------------------------------------------------------- */

/* What makes a color 1 that is 256 with the coefficients of a HistoMatrix. */
#define COLOR_SCALE (1.0 / (256 << HISTO_MATRIX_SHIFT))

/* histo_matrix_row () before it is shifted. */
static void
find_color_factors (const HistoMatrix * matrix, guint i, gfloat factors[4])
{
  const gint32 *row = matrix->coefficients[i];
  gint64 rest = ((gint64) matrix->to[i] << HISTO_MATRIX_SHIFT)
      + (1 << (HISTO_MATRIX_SHIFT - 1));

  for (guint j = 0; j < 3; j++) {
    factors[j] = (gfloat) (row[j] * COLOR_SCALE);
    rest -= (gint64) row[j] * matrix->from[j];
  }
  factors[3] = (gfloat) (rest * COLOR_SCALE);
}

/* Before it is rounded down, histo_stretch () is a multiple of 1 / 73: 255 / 219 is 85 / 73. Half of
 * that keeps the rounded product on the right side of each integer. */
#define STRETCH_MARGIN (0.5 / (255 * 73))

static void
find_stretch_factors (const HistoMaps * maps, gfloat factors[2])
{
  const gint black = maps->is_limited ? 16 : 0;

  factors[0] = 1.f / (maps->is_limited ? 219 : 255);
  factors[1] = (gfloat) (STRETCH_MARGIN
      - (HISTO_QUADS_BYTE_BIAS + black) * (gdouble) factors[0]);
}

/* ---- The plan ------------------------------------------------------------------------------ */

/* Whether the kernels can measure frames that can be measured as strips: bytes of 4:2:0 in the buffer's
 * own planes, and counters that fit in shared memory. */
static gboolean
can_use_quads (const HistoCudaMapsPlan * maps)
{
  const HistoMapsLaunch *launch = &maps->launch;

  return !maps->extracts
      && launch->native[0].bytes == 1
      && maps->plan->maps.has_chroma && maps->plan->maps.h_sub == 1
      && histo_quads_layout (launch->flags).end
      <= histo_cuda_plan_shared_room (&maps->limits);
}

/**
 * histo_cuda_plan_use_quads:
 * @maps: with limits, flags and views, for frames that can be measured as strips
 *
 * Chooses one of these kernels, if it can measure the frames. It also counts the samples of the picture:
 * the caller must then place the sources again.
 *
 * Returns: whether it did
 */
gboolean
histo_cuda_plan_use_quads (HistoCudaMapsPlan * maps)
{
  HistoMapsLaunch *launch = &maps->launch;
  const HistoMaps *formulas = &maps->plan->maps;

  if (!can_use_quads (maps))
    return FALSE;
  maps->kernel = (launch->flags & HISTO_CUDA_MORE_GROUPS) != 0 ?
      HISTO_MAPS_all_quads : HISTO_MAPS_quads;
  maps->counts_samples = TRUE;
  maps->first_region = 0;
  launch->flags |= HISTO_MAPS_SAMPLES;
  launch->n_native_bins = 0;
  launch->first_bin = 0;
  launch->n_bins = launch->n_region_bins;
  launch->copies_log2 = HISTO_QUADS_COPIES_LOG2;
  for (guint i = 0; i < 3; i++)
    find_color_factors (&formulas->matrix, i, launch->quads.colors[i]);
  find_stretch_factors (formulas, launch->quads.stretch);
  /* The kernels also measure strips, with their counters in the same memory. */
  g_assert (histo_cuda_plan_counters_bytes (launch->n_bins, launch->copies_log2)
      <= histo_quads_layout (launch->flags).end);
  return TRUE;
}

gboolean
histo_cuda_plan_uses_quads (const HistoCudaMapsPlan * maps)
{
  return maps->kernel == HISTO_MAPS_quads
      || maps->kernel == HISTO_MAPS_all_quads;
}
