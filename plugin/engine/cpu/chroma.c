/* Counts saturation and hue.
 *
 * Of 8 bits the pairs of U and V are counted first; few different ones occur in a picture, and
 * the table is then read once for each. Small regions and 10 bits read the table for each sample.
 * Above, the formulas are evaluated for each sample.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/chroma.h"

#include "media/load.h"

/* Neighbouring pairs are counted in different copies: an increment right after another one of the
 * same counter must wait for it. */
#define N_PAIRS 65536
#define COPIES 2
/* With fewer samples it takes longer to go through all pairs than to read the table. */
#define LEAST_SAMPLES_FOR_PAIRS 65536

/* Returns: FALSE if there is no memory */
gboolean
histo_cpu_chroma_init (HistoCpuChroma * chroma, const HistoPlan * plan)
{
  memset (chroma, 0, sizeof *chroma);
  chroma->plan = plan;
  if (plan->chroma_table == NULL || plan->maps.depth != 8)
    return TRUE;
  chroma->pairs = g_try_new0 (guint32, COPIES * N_PAIRS);
  return chroma->pairs != NULL;
}

void
histo_cpu_chroma_clear (HistoCpuChroma * chroma)
{
  g_clear_pointer (&chroma->pairs, g_free);
}

/* @n: how many samples the region has. The counters are complete after histo_cpu_chroma_end(). */
void
histo_cpu_chroma_begin (HistoCpuChroma * chroma, guint64 n,
    guint32 * saturation, guint32 * hue)
{
  chroma->saturation = saturation;
  chroma->hue = hue;
  chroma->counts_pairs =
      chroma->pairs != NULL && n >= LEAST_SAMPLES_FOR_PAIRS;
}

static void
count_entry (HistoCpuChroma * chroma, guint32 entry, guint32 n)
{
  chroma->saturation[HISTO_CHROMA_SATURATION (entry)] += n;
  chroma->hue[HISTO_CHROMA_HUE (entry)] += n;
}

/* ---- Pairs ---------------------------------------------------------------------------------- */

#define SAMPLES_PER_LOAD 8

/* Content whose samples are equal is counted by one addition for each load. */
static void
count_pairs (HistoCpuChroma * chroma, const guint8 * u, const guint8 * v,
    guint n)
{
  guint32 *even = chroma->pairs, *odd = chroma->pairs + N_PAIRS;
  guint i = 0;

  for (; i + SAMPLES_PER_LOAD <= n; i += SAMPLES_PER_LOAD) {
    const guint64 us = GST_READ_UINT64_LE (u + i);
    const guint64 vs = GST_READ_UINT64_LE (v + i);

    if (us == (us >> 8 | us << 56) && vs == (vs >> 8 | vs << 56)) {
      even[(us & 0xff) << 8 | (vs & 0xff)] += SAMPLES_PER_LOAD;
      continue;
    }
    for (guint k = 0; k < SAMPLES_PER_LOAD; k += 2) {
      even[(us >> 8 * k & 0xff) << 8 | (vs >> 8 * k & 0xff)]++;
      odd[(us >> 8 * (k + 1) & 0xff) << 8 | (vs >> 8 * (k + 1) & 0xff)]++;
    }
  }
  for (; i < n; i++)
    even[u[i] << 8 | v[i]]++;
}

static void
fold_pairs (HistoCpuChroma * chroma)
{
  for (guint i = 0; i < N_PAIRS; i++) {
    const guint32 n = chroma->pairs[i] + chroma->pairs[N_PAIRS + i];

    if (n > 0)
      count_entry (chroma, chroma->plan->chroma_table[i], n);
  }
  memset (chroma->pairs, 0, COPIES * N_PAIRS * sizeof *chroma->pairs);
}

/* ---- Samples -------------------------------------------------------------------------------- */

HISTO_SPECIALISED guint
sample_at (gconstpointer row, guint i, gboolean is_wide)
{
  return is_wide ? ((const guint16 *) row)[i] : ((const guint8 *) row)[i];
}

HISTO_SPECIALISED void
count_by_table (HistoCpuChroma * chroma, gconstpointer u, gconstpointer v,
    guint n, gboolean is_wide)
{
  const guint depth = chroma->plan->maps.depth;

  for (guint i = 0; i < n; i++)
    count_entry (chroma, chroma->plan->chroma_table[
            (gsize) sample_at (u, i, is_wide) << depth
            | sample_at (v, i, is_wide)], 1);
}

static void
count_by_formula (HistoCpuChroma * chroma, const guint16 * u,
    const guint16 * v, guint n)
{
  const gint mid = 1 << (chroma->plan->maps.depth - 1);
  guint32 entry = 0;

  for (guint i = 0; i < n; i++) {
    /* Neighbours are often equal. */
    if (i == 0 || u[i] != u[i - 1] || v[i] != v[i - 1])
      entry = HISTO_CHROMA_ENTRY (histo_saturation (u[i] - mid, v[i] - mid),
          histo_hue (u[i] - mid, v[i] - mid));
    count_entry (chroma, entry, 1);
  }
}

/* Counts @n pairs of samples of chroma, of the depth of the maps. */
void
histo_cpu_chroma_row (HistoCpuChroma * chroma, gconstpointer u,
    gconstpointer v, guint n, gboolean is_wide)
{
  if (chroma->counts_pairs)
    count_pairs (chroma, u, v, n);
  else if (chroma->plan->chroma_table == NULL)
    count_by_formula (chroma, u, v, n);
  else if (is_wide)
    count_by_table (chroma, u, v, n, TRUE);
  else
    count_by_table (chroma, u, v, n, FALSE);
}

void
histo_cpu_chroma_end (HistoCpuChroma * chroma)
{
  if (chroma->counts_pairs)
    fold_pairs (chroma);
}
