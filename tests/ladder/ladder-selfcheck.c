/* Whether the primitives that the steps are made of do what they say.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "ladder-selfcheck.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measures/statistics.h"

/* ---- Warps and blocks ----------------------------------------------------------- */

#define LANES 32

static gint
sum_of (const gint *values, guint n)
{
  gint sum = 0;

  for (guint i = 0; i < n; i++)
    sum += values[i];
  return sum;
}

/* What thread t of a block of n must find, given the block's values; FALSE in `counts`
 * where any answer will do. */
static void
expect_findings (const gint *values, guint n, guint t, gint *findings,
    gboolean *counts)
{
  const gint *warp = values + t / LANES * LANES;
  const guint lane = t % LANES;

  for (guint i = 0; i < LADDER_FINDINGS; i++)
    counts[i] = TRUE;
  counts[0] = lane == 0;
  counts[5] = t == 0;
  findings[0] = findings[1] = sum_of (warp, LANES);
  findings[2] = warp[5];
  findings[3] = warp[(lane + 3) % LANES];
  findings[4] = findings[7] = sum_of (warp, lane + 1);
  findings[5] = sum_of (values, n);
  findings[6] = sum_of (values, t + 1);
}

static gboolean
findings_are_right (const gint *values, const gint *found, guint n)
{
  static const gchar *const names[LADDER_FINDINGS] = { "warp_sum", "warp_sum_redux",
    "warp_broadcast", "warp_rotate", "warp_scan", "block_sum", "block_scan",
    "warp_scan of floats" };
  gboolean are_right = TRUE;

  for (guint t = 0; t < n; t++) {
    gint expected[LADDER_FINDINGS];
    gboolean counts[LADDER_FINDINGS];

    expect_findings (values, n, t, expected, counts);
    for (guint i = 0; i < LADDER_FINDINGS; i++) {
      gint actual = found[t * LADDER_FINDINGS + i];

      if (!counts[i] || actual == expected[i])
        continue;
      fprintf (stderr, "%s is wrong: block of %u, thread %u: %d, not %d\n", names[i], n,
          t, actual, expected[i]);
      are_right = FALSE;
    }
  }
  return are_right;
}

gboolean
ladder_primitives_are_right (LadderDevice *device)
{
  static const guint blocks[] = { 32, 64, 256, 1024 };
  const gsize bytes = 2 * LADDER_LARGE_BLOCK * sizeof (gint);
  gint *values = ladder_alloc_host (device, bytes);
  gint *found = ladder_alloc_host (device, bytes * LADDER_FINDINGS);
  CUdeviceptr data = ladder_alloc (device, bytes);
  CUdeviceptr result = ladder_alloc (device, bytes * LADDER_FINDINGS);
  gboolean are_right = TRUE;

  for (guint i = 0; i < 2 * LADDER_LARGE_BLOCK; i++)
    values[i] = (gint) (ladder_hash (i) % 2001) - 1000;
  ladder_upload (device, data, values, bytes);
  for (guint b = 0; b < G_N_ELEMENTS (blocks); b++) {
    const guint n = blocks[b];
    const LadderLaunch launch = { "ladder_primitives", 2, 1, n, 0, 0, FALSE };
    const LadderTask task = { .data = data, .result = result, .n = 2 * n };

    ladder_set (device, result, 0xa5, bytes * LADDER_FINDINGS);
    ladder_launch (device, &launch, &task);
    ladder_download (device, found, result, bytes * LADDER_FINDINGS);
    are_right = findings_are_right (values, found, n) && are_right;
    are_right = findings_are_right (values + n, found + n * LADDER_FINDINGS, n)
        && are_right;
  }
  ladder_free (device, data);
  ladder_free (device, result);
  ladder_free_host (device, values);
  ladder_free_host (device, found);
  return are_right;
}

/* ---- Percentiles --------------------------------------------------------------------- */

#define UNTOUCHED 0xa5a5a5a5u

/* Against the plugin's own. */
static gboolean
compare_percentiles (const guint32 *counters, const guint32 *found, const gchar *name)
{
  static const guint percents[] = LADDER_PERCENTILES;
  HistoBins bins = { 0 };
  HistoFigures statistics;
  HistoHistogram native;
  gboolean are_right = TRUE;

  G_STATIC_ASSERT (G_N_ELEMENTS (percents) == HISTO_N_PERCENTILES);
  histo_histogram_init (&native, counters, LADDER_BINS_8);
  histo_statistics_from_native (&statistics, &native, &bins, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (percents); i++) {
    gdouble expected = statistics.percentiles[i];

    if (percents[i] == histo_percents[i]
        && (isnan (expected) ? found[i] == UNTOUCHED : found[i] == expected))
      continue;
    fprintf (stderr, "p%u of %s is wrong: %u, not %g\n", percents[i], name, found[i],
        expected);
    are_right = FALSE;
  }
  return are_right;
}

typedef guint32 (*Counter) (guint bin);

static guint32 count_none (guint bin) { return 0; }
static guint32 count_one (guint bin) { return bin == 200; }
static guint32 count_ends (guint bin) { return bin == 0 || bin == 255 ? 50 : 0; }
static guint32 count_even (guint bin) { return 100; }
static guint32 count_random (guint bin) { return ladder_hash (bin) & 0xffff; }
/* More samples than 32 bits count. */
static guint32 count_many (guint bin) { return 0xf0000000 + bin; }

gboolean
ladder_percentiles_are_right (LadderDevice *device)
{
  static const struct { const gchar *name; Counter count; } cases[] = {
    { "nothing", count_none }, { "one sample", count_one }, { "both ends", count_ends },
    { "even counters", count_even }, { "random counters", count_random },
    { "large counters", count_many },
  };
  const gsize bytes = LADDER_BINS_8 * sizeof (guint32);
  const gsize found_bytes = LADDER_N_PERCENTILES * sizeof (guint32);
  guint32 *counters = ladder_alloc_host (device, bytes);
  guint32 *found = ladder_alloc_host (device, found_bytes);
  CUdeviceptr data = ladder_alloc (device, bytes);
  CUdeviceptr result = ladder_alloc (device, found_bytes);
  const LadderLaunch launch = { "ladder_percentiles", 1, 1, LADDER_BINS_8, 0, 0, FALSE };
  const LadderTask task = { .data = data, .result = result, .n = LADDER_BINS_8 };
  gboolean are_right = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    for (guint bin = 0; bin < LADDER_BINS_8; bin++)
      counters[bin] = cases[i].count (bin);
    ladder_upload (device, data, counters, bytes);
    ladder_set (device, result, UNTOUCHED & 0xff, found_bytes);
    ladder_launch (device, &launch, &task);
    ladder_download (device, found, result, found_bytes);
    are_right = compare_percentiles (counters, found, cases[i].name) && are_right;
  }
  ladder_free (device, data);
  ladder_free (device, result);
  ladder_free_host (device, counters);
  ladder_free_host (device, found);
  return are_right;
}
