/* When the kernels that measure two rows at a time, `quads`, `all_quads` and `pairs`, measure the frames of
 * a plan, and what they need to know.
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

/* Whether chroma has one row for two rows, in the buffer's own planes. */
static gboolean
has_two_rows (const HistoCudaMapsPlan * maps)
{
  return !maps->extracts && maps->plan->maps.has_chroma
      && maps->plan->maps.h_sub == 1;
}

static gboolean
fits (const HistoCudaMapsPlan * maps, gsize bytes)
{
  return bytes <= histo_cuda_plan_shared_room (&maps->limits);
}

/* Whether kernel `pairs` can measure the frames: there is a table of chroma for this depth. */
static gboolean
can_use_pairs (const HistoCudaMapsPlan * maps)
{
  const HistoMapsLaunch *launch = &maps->launch;

  return launch->native[0].bytes == 2
      && maps->plan->maps.depth == HISTO_PAIRS_DEPTH
      && (launch->flags & HISTO_CUDA_MORE_GROUPS) == 0
      && fits (maps, HISTO_PAIRS_END);
}

/* Whether kernels `quads` and `all_quads` can. */
static gboolean
can_use_quads (const HistoCudaMapsPlan * maps)
{
  const HistoMapsLaunch *launch = &maps->launch;

  return launch->native[0].bytes == 1
      && fits (maps, histo_quads_layout (launch->flags).end);
}

static void
find_factors (HistoCudaMapsPlan * maps)
{
  const HistoMaps *formulas = &maps->plan->maps;

  for (guint i = 0; i < 3; i++)
    find_color_factors (&formulas->matrix, i, maps->launch.quads.colors[i]);
  find_stretch_factors (formulas, maps->launch.quads.stretch);
}

/**
 * histo_cuda_plan_use_two_rows:
 * @maps: with limits, flags and views, for frames that can be measured as strips
 *
 * Chooses one of these kernels, if it can measure the frames.
 *
 * Returns: whether it did
 */
gboolean
histo_cuda_plan_use_two_rows (HistoCudaMapsPlan * maps)
{
  HistoMapsLaunch *launch = &maps->launch;

  if (!has_two_rows (maps))
    return FALSE;
  if (can_use_pairs (maps)) {
    maps->kernel = HISTO_MAPS_pairs;
    launch->copies_log2 = HISTO_PAIRS_COPIES_LOG2;
  } else if (can_use_quads (maps)) {
    maps->kernel = (launch->flags & HISTO_CUDA_MORE_GROUPS) != 0 ?
        HISTO_MAPS_all_quads : HISTO_MAPS_quads;
    launch->copies_log2 = HISTO_QUADS_COPIES_LOG2;
    find_factors (maps);
  } else {
    return FALSE;
  }
  /* The kernels also measure strips, with their counters in the same memory. */
  g_assert (histo_cuda_plan_counters_bytes (launch->n_region_bins,
          launch->copies_log2)
      <= histo_cuda_plan_two_rows_bytes (maps));
  return TRUE;
}

/**
 * histo_cuda_plan_two_rows_bytes:
 *
 * Returns: the shared memory for the counters of a block; 0 if none of these kernels measures the frames
 */
gsize
histo_cuda_plan_two_rows_bytes (const HistoCudaMapsPlan * maps)
{
  switch (maps->kernel) {
    case HISTO_MAPS_quads:
    case HISTO_MAPS_all_quads:
      return histo_quads_layout (maps->launch.flags).end;
    case HISTO_MAPS_pairs:
      return HISTO_PAIRS_END;
    default:
      return 0;
  }
}
