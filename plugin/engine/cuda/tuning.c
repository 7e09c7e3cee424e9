/* The table of device generations, and values that replace the table's for benches and
 * tests.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cuda/tuning.h"

/* In descending order. */
static const HistoCudaTuning rows[] = {
  {100, 5, 16384, 5, 256, 512, 8192, 56 * 1024, 1, 256, 1024, "not measured"},
  {90, 5, 16384, 5, 256, 512, 8192, 56 * 1024, 1, 256, 1024,
        "NVIDIA H200, 2026-11-22: 8-bit planes 0.96, 16-bit words 0.92 to 0.96, "
        "65536 bins 0.70 to 0.81, audio 0.83 to 0.93 of the read-only kernel's speed"},
  {89, 5, 16384, 5, 256, 512, 8192, 56 * 1024, 1, 256, 1024, "not measured"},
  {86, 5, 16384, 5, 256, 512, 8192, 56 * 1024, 1, 256, 1024, "not measured"},
  {80, 5, 16384, 5, 256, 512, 8192, 56 * 1024, 1, 256, 1024, "not measured"},
  {0, 5, 16384, 5, 256, 512, 8192, 56 * 1024, 1, 256, 1024, "not measured"},
};

#define BY_TABLE(name) .name = HISTO_CUDA_TUNING_BY_TABLE,
static HistoCudaTuning forced = { HISTO_CUDA_TUNING_FIELDS (BY_TABLE) };
#undef BY_TABLE

/**
 * histo_cuda_tuning_get:
 * @compute_capability: 90 for 9.0
 * @tuning: (out): the row for such devices, with the forced values
 */
void
histo_cuda_tuning_get (gint compute_capability, HistoCudaTuning * tuning)
{
#define APPLY(name) \
  if (forced.name != HISTO_CUDA_TUNING_BY_TABLE) \
    tuning->name = forced.name;
  const HistoCudaTuning *row = rows;

  while (compute_capability < row->compute_capability)
    row++;
  *tuning = *row;
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
