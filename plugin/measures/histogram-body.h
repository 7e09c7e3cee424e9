/* The loops over one histogram. histogram.c includes this file once for each width of the counters,
 * and for 32 bits once more for longer vectors. There:
 *
 *   NAME (name): of a function
 *   TARGET: attribute of each function
 *   COUNTER: guint32 or guint64
 *   COUNTERS: the member of HistoHistogram
 *   MOMENT: holds the sum of index² times counter over a block
 *
 * The longer vectors do the same operations in the same order, and therefore give the same number to
 * the last bit. The most frequent case is unrolled: blocks of HISTO_BLOCK counters, which the compiler
 * knows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* ---- Blocks --------------------------------------------------------------------------- */

SPECIALISED TARGET guint64
NAME (block_sum) (const COUNTER * counters, guint n, COUNTER * any)
{
  COUNTER bits = *any;
  guint64 sum = 0;

  for (guint i = 0; i < n; i++) {
    sum += counters[i];
    bits |= counters[i];
  }
  *any = bits;
  return sum;
}

TARGET static void
NAME (sum_blocks) (HistoHistogram * histogram)
{
  const COUNTER *counters = histogram->COUNTERS;
  const guint n = histogram->n, n_whole = n / HISTO_BLOCK;
  guint64 count = 0, all;
  COUNTER any = 0;

  for (guint block = 0; block < n_whole; block++) {
    histogram->sums[block] = NAME (block_sum) (counters + block * HISTO_BLOCK,
        HISTO_BLOCK, &any);
    count += histogram->sums[block];
  }
  if (n_whole < histogram->n_blocks) {
    histogram->sums[n_whole] = NAME (block_sum) (counters + n_whole * HISTO_BLOCK,
        n % HISTO_BLOCK, &any);
    count += histogram->sums[n_whole];
  }
  histogram->count = count;
  all = any;
  histogram->is_large = all > G_MAXUINT32;
}

/* ---- Order ---------------------------------------------------------------------------- */

TARGET static void
NAME (find_ends) (const HistoHistogram * histogram, guint * first,
    guint * last)
{
  const COUNTER *counters = histogram->COUNTERS;
  guint block = 0, i;

  while (histogram->sums[block] == 0)
    block++;
  for (i = block * HISTO_BLOCK; counters[i] == 0; i++);
  *first = i;
  for (block = histogram->n_blocks - 1; histogram->sums[block] == 0; block--);
  for (i = block * HISTO_BLOCK + histo_block_length (histogram, block) - 1;
      counters[i] == 0; i--);
  *last = i;
}

/* The search goes on where the one for a smaller number ended: @block, and the @before that
 * lies before it. */
TARGET static gint64
NAME (find) (const HistoHistogram * histogram, guint64 wanted, guint * block,
    guint64 * before)
{
  const COUNTER *counters = histogram->COUNTERS;
  guint64 cumulative;
  guint i;

  while (*block < histogram->n_blocks
      && *before + histogram->sums[*block] < wanted)
    *before += histogram->sums[(*block)++];
  if (*block == histogram->n_blocks)
    return histogram->n;
  i = *block * HISTO_BLOCK;
  for (cumulative = *before + counters[i]; cumulative < wanted;)
    cumulative += counters[++i];
  return i;
}

SPECIALISED TARGET COUNTER
NAME (block_fullest) (const COUNTER * counters, guint n)
{
  COUNTER fullest = 0;

  for (guint i = 0; i < n; i++)
    fullest = MAX (fullest, counters[i]);
  return fullest;
}

TARGET static guint
NAME (find_mode) (const HistoHistogram * histogram)
{
  COUNTER fullest = 0;
  guint mode = 0;

  for (guint block = 0; block < histogram->n_blocks; block++) {
    const COUNTER *counters = histogram->COUNTERS + block * HISTO_BLOCK;
    const guint length = histo_block_length (histogram, block);
    COUNTER most;

    if (histogram->sums[block] <= fullest)
      continue;
    most = length == HISTO_BLOCK ?
        NAME (block_fullest) (counters, HISTO_BLOCK) :
        NAME (block_fullest) (counters, length);
    if (most > fullest) {
      fullest = most;
      mode = block * HISTO_BLOCK;
    }
  }
  while (histogram->COUNTERS[mode] < fullest)
    mode++;
  return mode;
}

/* ---- Moments -------------------------------------------------------------------------- */

/* Computes Σ i h[i] and Σ i² h[i] of a block, i from the begin of the block, by additions
 * alone. From the last index down, `counts` is the running sum of the counters. Added to
 * `once` at each step it counts h[i] i times; `once` added to `triangle` counts it
 * 1 + 2 + ... + i times, and i² = 2 (1 + 2 + ... + i) - i. With counters of 32 bits all sums stay
 * below 2^46. */
SPECIALISED TARGET void
NAME (block_moments) (const COUNTER * counters, guint n, MOMENT * sum,
    MOMENT * squares)
{
  guint64 counts = 0;
  MOMENT once = 0, triangle = 0;

#pragma GCC unroll 8
  for (guint i = n - 1; i > 0; i--) {
    counts += counters[i];
    once += counts;
    triangle += once;
  }
  *sum = once;
  *squares = 2 * triangle - once;
}

TARGET static void
NAME (moments) (const HistoHistogram * histogram, unsigned __int128 * sum,
    unsigned __int128 * squares)
{
  MOMENT total = 0;

  *squares = 0;
  for (guint block = 0; block < histogram->n_blocks; block++) {
    const COUNTER *counters = histogram->COUNTERS + block * HISTO_BLOCK;
    const guint length = histo_block_length (histogram, block);
    const MOMENT n = histogram->sums[block], begin = block * HISTO_BLOCK;
    MOMENT part, part_squares;

    if (n == 0)
      continue;
    if (length == HISTO_BLOCK)
      NAME (block_moments) (counters, HISTO_BLOCK, &part, &part_squares);
    else
      NAME (block_moments) (counters, length, &part, &part_squares);
    /* With counters of 32 bits at most 2^32 · 2^31. */
    total += begin * n + part;
    /* (begin + i)^2; all terms but the first are below 2^60. */
    *squares += (unsigned __int128) (begin * n) * begin
        + (2 * begin * part + part_squares);
  }
  *sum = total;
}

/* ---- Entropy -------------------------------------------------------------------------- */

TARGET static gdouble
NAME (entropy_of_small_counts) (const HistoHistogram * histogram)
{
  const gdouble count = histogram->count;
  COUNTER counts[N_TERMS] = { 0, };
  gdouble terms[N_TERMS], entropy = 0;

  for (guint block = 0; block < histogram->n_blocks; block++) {
    const COUNTER *counters = histogram->COUNTERS + block * HISTO_BLOCK;
    const guint length = histo_block_length (histogram, block);

    if (histogram->sums[block] == 0)
      continue;
    for (guint i = 0; i < length; i++) {
      const COUNTER n = counters[i];
      const guint term = n % N_TERMS;

      if (n == 0)
        continue;
      if (counts[term] != n) {
        const gdouble share = n / count;

        counts[term] = n;
        terms[term] = share * log2 (share);
      }
      entropy -= terms[term];
    }
  }
  /* With a single value the sum is a negative zero. */
  return entropy + 0.0;
}

/* Adds the term of each count of a group to the sum at the same place. */
SPECIALISED TARGET void
NAME (group_add_terms) (const COUNTER counts[GROUP], gdouble count,
    gdouble sums[GROUP])
{
  for (guint i = 0; i < GROUP; i++)
    sums[i] += histo_entropy_term (counts[i], count);
}

SPECIALISED TARGET guint
NAME (block_used) (const COUNTER * counters)
{
  COUNTER used = 0;

  for (guint i = 0; i < HISTO_BLOCK; i++)
    used += counters[i] != 0;
  return used;
}

/* The counts of blocks that are at least half empty are packed together first, so that
 * there are fewer groups. */
TARGET static gdouble
NAME (entropy_of_any_counts) (const HistoHistogram * histogram)
{
  const gdouble count = histogram->count;
  gdouble sums[GROUP] = { 0, };
  COUNTER few[GROUP + HISTO_BLOCK];
  guint n_few = 0;

  for (guint block = 0; block < histogram->n_blocks; block++) {
    const COUNTER *counters = histogram->COUNTERS + block * HISTO_BLOCK;
    const guint length = histo_block_length (histogram, block);
    guint done = 0;

    if (histogram->sums[block] == 0)
      continue;
    if (length == HISTO_BLOCK
        && NAME (block_used) (counters) > HISTO_BLOCK / 2) {
      for (guint i = 0; i < HISTO_BLOCK; i += GROUP)
        NAME (group_add_terms) (counters + i, count, sums);
      continue;
    }
    for (guint i = 0; i < length; i++) {
      few[n_few] = counters[i];
      n_few += counters[i] != 0;
    }
    for (; done + GROUP <= n_few; done += GROUP)
      NAME (group_add_terms) (few + done, count, sums);
    n_few -= done;
    memmove (few, few + done, n_few * sizeof *few);
  }
  memset (few + n_few, 0, GROUP * sizeof *few);
  NAME (group_add_terms) (few, count, sums);

  for (guint n = GROUP / 2; n > 0; n /= 2) {
    for (guint i = 0; i < n; i++)
      sums[i] += sums[i + n];
  }
  return sums[0] / count;
}

/* Adds the second half of the terms to the first one. */
SPECIALISED TARGET void
NAME (halve_terms) (gdouble * terms, guint half)
{
  for (guint i = 0; i < half; i++)
    terms[i] += terms[i + half];
}

/* The counters are HISTO_PACKED_BINS, in the order that kernels/halves.h defines: the terms of bins k and k + 32
 * of half a block share a place. Empty bins have terms of zero, and zero changes no sum. Terms of
 * small counts, and those of blocks with few counts, are cached. */
TARGET static gdouble
NAME (entropy_in_order) (const HistoHistogram * histogram)
{
  const guint n_places = HISTO_HALVES_BLOCK / 4;
  const gboolean are_small =
      histogram->count < (guint64) HISTO_PACKED_BINS * SMALL_COUNT;
  const gdouble count = histogram->count;
  COUNTER known[N_TERMS] = { 0, };
  gdouble known_terms[N_TERMS], entropy = 0;

  for (guint first = 0; first < HISTO_PACKED_BINS; first += HISTO_HALVES_BLOCK) {
    gdouble sums[HISTO_HALVES_BLOCK / 2];
    guint n_used = 0;

    for (guint i = 0; i < HISTO_HALVES_BLOCK; i += HISTO_BLOCK) {
      const COUNTER *counters = histogram->COUNTERS + first + i;
      gdouble *terms = sums + i / (2 * n_places) * n_places;

      if (histogram->sums[(first + i) / HISTO_BLOCK] == 0)
        continue;
      /* A piece is a few vectors. The compiler would clear all at once by an instruction that takes longer than
       * the sums. */
      if (n_used++ == 0) {
        for (guint k = 0; k < G_N_ELEMENTS (sums); k += GROUP)
          memset (sums + k, 0, GROUP * sizeof *sums);
      }
      if (!are_small && NAME (block_used) (counters) > HISTO_BLOCK / 4) {
        for (guint k = 0; k < HISTO_BLOCK; k += GROUP)
          NAME (group_add_terms) (counters + k, count, terms + k);
        continue;
      }
      for (guint k = 0; k < HISTO_BLOCK; k++) {
        const COUNTER n = counters[k];
        const guint term = n % N_TERMS;

        if (n == 0)
          continue;
        if (known[term] != n) {
          known[term] = n;
          known_terms[term] = histo_entropy_term (n, count);
        }
        terms[k] += known_terms[term];
      }
    }
    if (n_used == 0)
      continue;
    for (gdouble *terms = sums; terms < sums + 2 * n_places; terms += n_places) {
      NAME (halve_terms) (terms, 16);
      NAME (halve_terms) (terms, 8);
      NAME (halve_terms) (terms, 4);
      NAME (halve_terms) (terms, 2);
      NAME (halve_terms) (terms, 1);
    }
    entropy += sums[0] + sums[n_places];
  }
  return entropy / count;
}

/* ---- Other bins ----------------------------------------------------------------------- */

TARGET static void
NAME (sort) (const HistoHistogram * histogram, const guint32 * bins,
    gpointer sorted, guint64 * underflow, guint64 * overflow)
{
  const COUNTER *counters = histogram->COUNTERS;
  COUNTER *counts = sorted;

  for (guint value = 0; value < histogram->n; value++) {
    if (bins[value] == HISTO_BIN_UNDERFLOW)
      *underflow += counters[value];
    else if (bins[value] == HISTO_BIN_OVERFLOW)
      *overflow += counters[value];
    else if (counts != NULL)
      counts[bins[value]] += counters[value];
  }
}

static const Loops NAME (loops) = {
  NAME (sum_blocks), NAME (find_ends), NAME (find), NAME (find_mode),
  NAME (moments), NAME (entropy_of_small_counts), NAME (entropy_of_any_counts),
  NAME (entropy_in_order), NAME (sort)
};

#undef NAME
#undef TARGET
#undef COUNTER
#undef COUNTERS
#undef MOMENT
