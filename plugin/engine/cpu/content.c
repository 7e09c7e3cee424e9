/* Judges by samples of the content how the rows of a plane of bytes are counted fastest.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/content.h"

#include "media/load.h"

/* STRETCHES stretches of STRETCH_WORDS neighbouring words are read, spread over the rows from edge
 * to edge. */
#define STRETCHES 4
#define STRETCH_WORDS 16
#define COUNTERS_PER_LINE 16
#define PAIRS_PER_WORD (HISTO_CONTENT_WORD_BYTES / 2)

typedef struct
{
  guint n_words, n_repeated, n_low;
  guint n_pairs, n_lines;
  /* A bit for each cache line of the joint histograms. */
  guint64 seen[2 * HISTO_CONTENT_PAIRS / COUNTERS_PER_LINE / 64];
} Findings;

/* Finds which cache lines of the joint histograms the pairs of a word need. */
static void
add_pairs (Findings * findings, guint64 word, guint n_joint)
{
  for (guint k = 0; k < PAIRS_PER_WORD; k++) {
    const guint line = (k % n_joint * HISTO_CONTENT_PAIRS
        + (word >> 16 * k & 0xffff)) / COUNTERS_PER_LINE;

    findings->n_lines += !(findings->seen[line / 64] >> line % 64 & 1);
    findings->seen[line / 64] |= G_GUINT64_CONSTANT (1) << line % 64;
  }
  findings->n_pairs += PAIRS_PER_WORD;
}

static void
add_stretch (Findings * findings, const guint8 * p, gsize length,
    guint n_joint)
{
  for (gsize i = 0; i < length; i++, p += HISTO_CONTENT_WORD_BYTES) {
    const guint64 word = GST_READ_UINT64_LE (p);

    if (n_joint > 0)
      add_pairs (findings, word, n_joint);
    findings->n_repeated += i > 0
        && word == GST_READ_UINT64_LE (p - HISTO_CONTENT_WORD_BYTES);
    findings->n_low += histo_content_is_low (word);
  }
  findings->n_words += length;
}

/**
 * histo_content_judge:
 * @n_words: the words of a row
 * @n_joint: the joint histograms that pairs are counted in, 1 or 2; 0: pairs are not counted
 */
HistoContent
histo_content_judge (const HistoPlane * plane, guint first, guint n_rows,
    gsize n_words, guint n_joint)
{
  const gsize length = MIN (n_words, STRETCH_WORDS);
  Findings found = { 0, };

  for (guint s = 0; s < STRETCHES; s++) {
    const guint y = first + n_rows * s / STRETCHES;
    const guint8 *row = (const guint8 *) (guintptr) plane->data
        + (gint64) y * plane->stride;

    add_stretch (&found, row + HISTO_CONTENT_WORD_BYTES
        * ((n_words - length) * s / (STRETCHES - 1)), length, n_joint);
  }
  /* One quad in four that must be counted byte by byte after all costs more than pairs. If nearly
   * all words repeat, runs are still faster. */
  if (4 * found.n_low > 3 * found.n_words
      && 8 * found.n_repeated < 7 * found.n_words)
    return HISTO_CONTENT_LOW;
  /* 256 pairs meet 223 different lines if about 900 lines are in use, which fill the first-level
   * cache. Runs are worth while if one word in eight repeats the one before: an increment right
   * after another increment of the same counter costs much more. */
  if (found.n_lines * 8 > found.n_pairs * 7 || n_joint == 0)
    return HISTO_CONTENT_NOISE;
  return 8 * found.n_repeated > found.n_words ? HISTO_CONTENT_REPEATED :
      HISTO_CONTENT_SMOOTH;
}
