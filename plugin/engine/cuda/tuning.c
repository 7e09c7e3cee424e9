/* The table of devices that were measured, the rules for others, and values that replace both for
 * benches and tests.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cuda/tuning.h"

/* In descending order of the compute capability. A row holds for this compute capability. To add one,
 * paste what `cudahisto-bench --tune-report` prints (docs/performance.md). */
static const HistoCudaTuning rows[] = {
  {90, 5, 16384, 5, 256, 512, 8192, 56 * 1024, 1, 256, 1024,
        "NVIDIA H200, 2026-11-22: 8-bit planes 0.96, 16-bit words 0.92 to 0.96, "
        "65536 bins 0.70 to 0.81, audio 0.83 to 0.93 of the read-only kernel's speed"},
};

#define BY_TABLE(name) .name = HISTO_CUDA_TUNING_BY_TABLE,
static HistoCudaTuning forced = { HISTO_CUDA_TUNING_FIELDS (BY_TABLE) };
#undef BY_TABLE

/* The row of the nearest device that was measured: the latest one that is not later, else the
 * earliest. */
static const HistoCudaTuning *
nearest_row (gint compute_capability)
{
  const HistoCudaTuning *row = rows, *last = &rows[G_N_ELEMENTS (rows) - 1];

  while (row != last && compute_capability < row->compute_capability)
    row++;
  return row;
}

/**
 * histo_cuda_tuning_derive:
 * @tuning: (out): the values by rule, whether the device was measured or not
 *
 * Attributes of the device determine some columns. The others are those of the nearest device that was
 * measured: they depend on the kernels' threads and registers, which are the same everywhere.
 */
void
histo_cuda_tuning_derive (const HistoCudaLimits * limits,
    HistoCudaTuning * tuning)
{
  guint blocks;                 /* of a multiprocessor */

  *tuning = *nearest_row (limits->compute_capability);
  tuning->compute_capability = limits->compute_capability;
  tuning->measured = NULL;
  blocks = MAX (limits->threads_per_multiprocessor / tuning->audio_threads, 1);
  tuning->audio_shared_bytes =
      MAX (limits->shared_memory_per_multiprocessor / (gint) blocks
      - limits->shared_memory_of_system, 0);
}

/**
 * histo_cuda_tuning_get:
 * @tuning: (out): the values for the device: of its row in the table, else by rule; with the forced
 *   values
 */
void
histo_cuda_tuning_get (const HistoCudaLimits * limits, HistoCudaTuning * tuning)
{
#define APPLY(name) \
  if (forced.name != HISTO_CUDA_TUNING_BY_TABLE) \
    tuning->name = forced.name;
  const HistoCudaTuning *row = nearest_row (limits->compute_capability);

  if (row->compute_capability == limits->compute_capability)
    *tuning = *row;
  else
    histo_cuda_tuning_derive (limits, tuning);
  HISTO_CUDA_TUNING_FIELDS (APPLY)
#undef APPLY
}

/**
 * histo_cuda_tuning_force:
 * @field: name of a column
 * @value: from now on the value for all devices; or %HISTO_CUDA_TUNING_BY_TABLE
 *
 * For benches and tests, before they allocate memory for launches. No thread may plan a
 * launch at the same time. The caller knows whether the value makes sense.
 *
 * Returns: whether there is such a field
 */
gboolean
histo_cuda_tuning_force (const gchar * field, guint value)
{
#define FORCE(name) \
  if (g_str_equal (field, #name)) { \
    forced.name = value; \
    return TRUE; \
  }
  HISTO_CUDA_TUNING_FIELDS (FORCE)
#undef FORCE
  return FALSE;
}
