/* Counts U and V together.
 *
 * Of 8 bits the pairs of U and V are counted first; few different ones occur in a picture. The
 * table of saturation and hue is then read once for each, and the sums of the pairs with the same
 * U or V are the histograms of U and V. Small regions and 10 bits read the table for each
 * sample. Above, the formulas are evaluated for each sample.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/pairs.h"

#include "media/load.h"

/* Neighbouring pairs are counted in different copies: an increment right after another one of the
 * same counter must wait for it. */
#define N_PAIRS 65536
#define COPIES 2
/* From one copy to the next: if equal pairs were a multiple of 4096 bytes apart, loads from one copy
 * would wait for stores to the other. */
#define COPY_DISTANCE (N_PAIRS + 16)
/* With fewer samples it takes longer to go through all pairs than to read the table. */
#define LEAST_SAMPLES_FOR_PAIRS 65536

/* Returns: FALSE if there is no memory */
gboolean
histo_cpu_pairs_init (HistoCpuPairs * pairs, const HistoPlan * plan)
{
  memset (pairs, 0, sizeof *pairs);
  pairs->plan = plan;
  if (!histo_cpu_pairs_suit (plan, G_MAXUINT64))
    return TRUE;
  pairs->pairs = g_try_new0 (guint32, COPIES * COPY_DISTANCE);
  return pairs->pairs != NULL;
}

void
histo_cpu_pairs_clear (HistoCpuPairs * pairs)
{
  g_clear_pointer (&pairs->pairs, g_free);
}

/* Whether @n samples are counted in pairs. */
gboolean
histo_cpu_pairs_suit (const HistoPlan * plan, guint64 n)
{
  return plan->maps.has_chroma && plan->maps.depth == 8
      && n >= LEAST_SAMPLES_FOR_PAIRS;
}

/* @n: how many pairs the region has. The counters are complete after histo_cpu_pairs_end(). */
void
histo_cpu_pairs_begin (HistoCpuPairs * pairs, guint64 n,
    const HistoCpuPairTargets * targets)
{
  pairs->targets = *targets;
  pairs->counts_pairs = histo_cpu_pairs_suit (pairs->plan, n);
}

static void
count_entry (HistoCpuPairs * pairs, guint32 entry, guint32 n)
{
  pairs->targets.saturation[HISTO_CHROMA_SATURATION (entry)] += n;
  pairs->targets.hue[HISTO_CHROMA_HUE (entry)] += n;
}

/* ---- Pairs ---------------------------------------------------------------------------------- */

/* Samples that are counted together, and pairs in a load. */
#define CHUNK 512
#define PAIRS_PER_LOAD 4
#define PAIRS_PER_STEP (2 * PAIRS_PER_LOAD)

/* Whether both loads hold one pair over and over. */
static gboolean
are_equal_pairs (guint64 first, guint64 second)
{
  return first == second && first == (first >> 16 | first << 48);
}

/* Content whose samples are equal is counted by one addition for each step. */
static void
count_chunk (guint32 * even, guint32 * odd, const guint16 * chunk, guint n)
{
  guint i = 0;

  for (; i + PAIRS_PER_STEP <= n; i += PAIRS_PER_STEP) {
    guint64 words[2];

    memcpy (words, chunk + i, sizeof words);
    if (are_equal_pairs (words[0], words[1])) {
      even[words[0] & 0xffff] += PAIRS_PER_STEP;
      continue;
    }
    for (guint k = 0; k < 2; k++) {
      even[words[k] & 0xffff]++;
      odd[words[k] >> 16 & 0xffff]++;
      even[words[k] >> 32 & 0xffff]++;
      odd[words[k] >> 48]++;
    }
  }
  for (; i < n; i++)
    even[chunk[i]]++;
}

/* The compiler makes vectors of this loop. */
static void
make_chunk (const guint8 * restrict u, const guint8 * restrict v,
    guint16 * restrict chunk, guint n)
{
  for (guint i = 0; i < n; i++)
    chunk[i] = u[i] << 8 | v[i];
}

static void
count_pairs (HistoCpuPairs * pairs, const guint8 * u, const guint8 * v,
    guint n)
{
  for (guint first = 0; first < n; first += CHUNK) {
    const guint length = MIN (n - first, CHUNK);
    guint16 chunk[CHUNK];

    make_chunk (u + first, v + first, chunk, length);
    count_chunk (pairs->pairs, pairs->pairs + COPY_DISTANCE, chunk, length);
  }
}

/* Most pairs do not occur. */
#define PAIRS_PER_BLOCK 16

static void
fold_block (HistoCpuPairs * pairs, guint first)
{
  const HistoCpuPairTargets *targets = &pairs->targets;
  const guint32 *even = pairs->pairs + first, *odd = even + COPY_DISTANCE;
  guint32 counts[PAIRS_PER_BLOCK], any = 0;

  for (guint i = 0; i < PAIRS_PER_BLOCK; i++) {
    counts[i] = even[i] + odd[i];
    any |= counts[i];
  }
  for (guint i = 0; any != 0 && i < PAIRS_PER_BLOCK; i++) {
    if (counts[i] == 0)
      continue;
    if (targets->first != NULL) {
      targets->first[first >> 8] += counts[i];
      targets->second[(first & 0xff) + i] += counts[i];
    }
    count_entry (pairs, pairs->plan->chroma_table[first + i], counts[i]);
  }
}

static void
fold_pairs (HistoCpuPairs * pairs)
{
  for (guint first = 0; first < N_PAIRS; first += PAIRS_PER_BLOCK)
    fold_block (pairs, first);
  memset (pairs->pairs, 0, COPIES * COPY_DISTANCE * sizeof *pairs->pairs);
}

/* ---- Samples -------------------------------------------------------------------------------- */

HISTO_SPECIALISED guint
sample_at (gconstpointer row, guint i, gboolean is_wide)
{
  return is_wide ? ((const guint16 *) row)[i] : ((const guint8 *) row)[i];
}

HISTO_SPECIALISED void
count_by_table (HistoCpuPairs * pairs, gconstpointer u, gconstpointer v,
    guint n, gboolean is_wide)
{
  const guint depth = pairs->plan->maps.depth;

  for (guint i = 0; i < n; i++)
    count_entry (pairs, pairs->plan->chroma_table[
            (gsize) sample_at (u, i, is_wide) << depth
            | sample_at (v, i, is_wide)], 1);
}

static void
count_by_formula (HistoCpuPairs * pairs, const guint16 * u,
    const guint16 * v, guint n)
{
  const gint mid = 1 << (pairs->plan->maps.depth - 1);
  guint32 entry = 0;

  for (guint i = 0; i < n; i++) {
    /* Neighbours are often equal. */
    if (i == 0 || u[i] != u[i - 1] || v[i] != v[i - 1])
      entry = HISTO_CHROMA_ENTRY (histo_saturation (u[i] - mid, v[i] - mid),
          histo_hue (u[i] - mid, v[i] - mid));
    count_entry (pairs, entry, 1);
  }
}

/* Counts @n pairs of samples, of the depth of the maps. */
void
histo_cpu_pairs_row (HistoCpuPairs * pairs, gconstpointer u,
    gconstpointer v, guint n, gboolean is_wide)
{
  if (pairs->counts_pairs)
    count_pairs (pairs, u, v, n);
  else if (pairs->plan->chroma_table == NULL)
    count_by_formula (pairs, u, v, n);
  else if (is_wide)
    count_by_table (pairs, u, v, n, TRUE);
  else
    count_by_table (pairs, u, v, n, FALSE);
}

void
histo_cpu_pairs_end (HistoCpuPairs * pairs)
{
  if (pairs->counts_pairs)
    fold_pairs (pairs);
}
