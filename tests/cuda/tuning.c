/* The table of tuning: each column can be forced, and is then as it was.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/tuning.h"

#include "harness.h"

/* Sets the value of a column in all rows. */
static void
force (const gchar * field, guint value)
{
  fail_unless (histo_cuda_tuning_force (field, value), "%s", field);
}

#define CHECK_FIELD(name) \
  force (#name, 12345); \
  histo_cuda_tuning_get (&limits, &forced); \
  fail_unless_equals_int (forced.name, 12345); \
  /* No other column has changed. */ \
  forced.name = tuning.name; \
  fail_unless (memcmp (&forced, &tuning, sizeof tuning) == 0, #name); \
  force (#name, HISTO_CUDA_TUNING_BY_TABLE); \
  histo_cuda_tuning_get (&limits, &forced); \
  fail_unless (memcmp (&forced, &tuning, sizeof tuning) == 0, #name);

TEST (test_forced_columns)
{
  /* A device that is in the table, and one that is not. */
  static const gint capabilities[] = { 90, 1 };

  for (guint i = 0; i < G_N_ELEMENTS (capabilities); i++) {
    const HistoCudaLimits limits = {
      .compute_capability = capabilities[i],
      .threads_per_multiprocessor = 2048,
      .shared_memory_per_multiprocessor = 233472,
      .shared_memory_of_system = 1024,
    };
    HistoCudaTuning tuning, forced;

    memset (&tuning, 0, sizeof tuning);
    memset (&forced, 0, sizeof forced);
    histo_cuda_tuning_get (&limits, &tuning);
    HISTO_CUDA_TUNING_FIELDS (CHECK_FIELD)
  }
}

TEST (test_unknown_column)
{
  fail_if (histo_cuda_tuning_force ("no_such_column", 1));
}

TEST_MAIN (5)
