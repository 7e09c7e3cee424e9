/* Blocks of sound counted by their loudness; see loudness-blocks.h.
 *
 * A bin is so narrow (0.001 LU) that a block's loudness is off by at most 0.0005 LU. All sums are made of the
 * counts in the order of the bins, so they do not depend on the order of the blocks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/loudness-blocks.h"

#include <math.h>
#include <string.h>

#define FIRST -70.0             /* LUFS: the absolute gate */
#define BINS_PER_LU 1000
/* A group of bins has its own sums: the figures are asked for after each block. */
#define GROUP BINS_PER_LU
#define N_GROUPS (HISTO_N_LOUDNESS_BINS / GROUP)

struct _HistoLoudnessBlocks
{
  guint64 counts[HISTO_N_LOUDNESS_BINS];
  guint64 n[N_GROUPS];          /* blocks of each group */
  gdouble power[N_GROUPS];      /* and the sum of their powers, relative to 0 LUFS */
};

HistoLoudnessBlocks *
histo_loudness_blocks_new (void)
{
  return g_new0 (HistoLoudnessBlocks, 1);
}

void
histo_loudness_blocks_free (HistoLoudnessBlocks * blocks)
{
  g_free (blocks);
}

/* Forgets all blocks. */
void
histo_loudness_blocks_clear (HistoLoudnessBlocks * blocks)
{
  memset (blocks, 0, sizeof *blocks);
}

/* The powers of loudnesses from 0 to 1 LU: those of the bins of a group, relative to its lower end. */
static const gdouble *
get_powers (void)
{
  static gdouble powers[GROUP];
  static gsize is_known = 0;

  if (g_once_init_enter (&is_known)) {
    for (guint i = 0; i < GROUP; i++)
      powers[i] = pow (10, (i + 0.5) / BINS_PER_LU / 10);
    g_once_init_leave (&is_known, 1);
  }
  return powers;
}

/* The sum of the powers of the blocks in a group's bins from @first on, relative to 0 LUFS. @first: in the group */
static gdouble
sum_power (const HistoLoudnessBlocks * blocks, guint group, guint first)
{
  const guint64 *counts = &blocks->counts[group * GROUP];
  const gdouble *powers = get_powers ();
  gdouble power = 0;

  for (guint i = first; i < GROUP; i++)
    power += counts[i] * powers[i];
  return power * pow (10, (FIRST + group) / 10);
}

/**
 * histo_loudness_blocks_add_count:
 * @bin: less than %HISTO_N_LOUDNESS_BINS
 *
 * Returns: FALSE if the number of all blocks would be more than %G_MAXINT64; then nothing is added
 */
gboolean
histo_loudness_blocks_add_count (HistoLoudnessBlocks * blocks, guint bin,
    guint64 count)
{
  const guint group = bin / GROUP;
  guint64 left = G_MAXINT64;

  for (guint g = 0; g < N_GROUPS; g++)
    left -= blocks->n[g];
  if (count > left)
    return FALSE;
  blocks->counts[bin] += count;
  blocks->n[group] += count;
  blocks->power[group] = sum_power (blocks, group, 0);
  return TRUE;
}

/* @loudness: of a complete block, in LUFS; NaN and what the absolute gate excludes is not counted */
void
histo_loudness_blocks_add (HistoLoudnessBlocks * blocks, gdouble loudness)
{
  if (loudness > FIRST)
    histo_loudness_blocks_add_count (blocks,
        (guint) MIN ((loudness - FIRST) * BINS_PER_LU,
            HISTO_N_LOUDNESS_BINS - 1), 1);
}

/* @bin: less than %HISTO_N_LOUDNESS_BINS */
guint64
histo_loudness_blocks_get_count (const HistoLoudnessBlocks * blocks, guint bin)
{
  return blocks->counts[bin];
}

/* The loudness of the mean power of all blocks in bins from @first on; -inf if there is none.
 * @n: (out): how many there are */
static gdouble
mean_loudness (const HistoLoudnessBlocks * blocks, guint first, guint64 * n)
{
  const guint group = first / GROUP;
  gdouble power = sum_power (blocks, group, first % GROUP);

  *n = 0;
  for (guint bin = first; bin < (group + 1) * GROUP; bin++)
    *n += blocks->counts[bin];
  for (guint g = group + 1; g < N_GROUPS; g++) {
    power += blocks->power[g];
    *n += blocks->n[g];
  }
  return *n > 0 ? 10 * log10 (power / *n) : -INFINITY;
}

/* Returns: the first bin above a gate that lies @distance LU below the mean of all blocks. A bin belongs to the
 * blocks above the gate if its middle does. */
static guint
first_above_gate (const HistoLoudnessBlocks * blocks, gdouble distance)
{
  guint64 n;
  const gdouble gate = mean_loudness (blocks, 0, &n) - distance;

  if (!(gate > FIRST))
    return 0;
  return (guint) MIN (floor ((gate - FIRST) * BINS_PER_LU + 0.5),
      HISTO_N_LOUDNESS_BINS - 1);
}

/* Returns: the integrated loudness in LUFS of blocks of 400 ms; -inf if there is none above the gates */
gdouble
histo_loudness_blocks_integrated (const HistoLoudnessBlocks * blocks)
{
  guint64 n;

  return mean_loudness (blocks, first_above_gate (blocks,
          HISTO_INTEGRATED_GATE), &n);
}

/* Returns: the loudness of block number @index, counted from 0 and from bin @first on, in order of loudness */
static gdouble
find_block (const HistoLoudnessBlocks * blocks, guint first, guint64 index)
{
  guint bin = first;

  while (bin % GROUP != 0 && blocks->counts[bin] <= index)
    index -= blocks->counts[bin++];
  if (bin % GROUP == 0) {
    while (blocks->n[bin / GROUP] <= index) {
      index -= blocks->n[bin / GROUP];
      bin += GROUP;
    }
    while (blocks->counts[bin] <= index)
      index -= blocks->counts[bin++];
  }
  /* In the middle of the bin, in LUFS. */
  return FIRST + (bin + 0.5) / BINS_PER_LU;
}

/* Returns: the loudness range in LU of blocks of 3 s, of which there is one each 100 ms; 0 if there is none above
 * the gates */
gdouble
histo_loudness_blocks_range (const HistoLoudnessBlocks * blocks)
{
  const guint first = first_above_gate (blocks, HISTO_RANGE_GATE);
  guint64 n;

  mean_loudness (blocks, first, &n);
  if (n == 0)
    return 0;
  return find_block (blocks, first, (guint64) ((n - 1) * 0.95 + 0.5))
      - find_block (blocks, first, (guint64) ((n - 1) * 0.10 + 0.5));
}
