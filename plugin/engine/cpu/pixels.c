/* Counting planes of video on the CPU.
 *
 * The counters limit the speed: an increment that follows another increment of the same
 * counter must wait for its store. So neighbouring samples are counted in different copies
 * of the counters, which are added up at the end, and samples are loaded eight bytes at a
 * time. For large planes the content decides which loop is fastest.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/count.h"

#include "kernels/families.h"
#include "media/load.h"

/* How the planes of a family are counted: rows into the thread's own counters, and these
 * into the frame's counters. */
typedef struct
{
  void (*count_rows) (HistoCpuPixels * pixels, guint first, guint n_rows);
  void (*fold) (HistoCpuPixels * pixels);
} CountLoops;

/* A group is the bytes that a loop counts in one step: one 64-bit word, or three words if
 * the period is three or six bytes. So a byte's place in the group gives its place in the
 * period. */
#define BYTES_PER_LOAD 8
/* Copies of the counters of bytes. Byte i of a group is counted in copy i modulo the
 * number. */
#define BYTE_COPIES 8
#define BYTE_COPIES_OF_THREE_LOADS 6

/* The counters of bytes, with some unused ones: if equal counters of two copies were 4096
 * bytes apart, loads from one would wait for stores to the other. */
typedef guint32 ByteCounters[256 + 16];

/* The counters of four neighbouring bytes that are all low, a *four*: byte i is digit i of the index.
 * Neighbouring fours are counted in different copies. */
#define LOW_BITS 3
#define LOW_VALUES (1 << LOW_BITS)
#define FOUR_BYTES 4
#define N_FOURS (1 << FOUR_BYTES * LOW_BITS)
#define FOUR_COPIES 4
typedef guint32 FourCounters[N_FOURS + 16];

/* All counters in here are zero, except between a plane's first rows and its end. */
struct _HistoCpuPixels
{
  const HistoPlane *plane;
  const HistoFamily *family;    /* NULL: the plane has no fast path */
  const CountLoops *loops;
  guint32 *counters;            /* the frame's */
  ByteCounters bytes[BYTE_COPIES];
  guint32 *large;               /* histograms of couples, copies of the counters of words, or small counters of these */
  gsize n_large;                /* counters allocated there */
  guint n_coupled;                /* histograms of couples that the plane is large enough for */
  gboolean has_couples;           /* whether such a histogram is in use */
  guint16 *small;               /* see count_noise(); NULL: not for this plane */
  gboolean has_small;           /* whether they are in use */
  FourCounters fours[FOUR_COPIES];
  gboolean has_fours;           /* whether they are in use */
};

/* ---- Any plane ---------------------------------------------------------------------- */

HISTO_SPECIALISED void
count_sample_of_row (const HistoPlane * plane, const HistoSample * sample,
    const guint8 * row, guint first, guint bytes, gboolean big_endian,
    guint32 * counters)
{
  const guint8 *p = row + sample->offset + (gsize) first * plane->period_bytes;
  guint32 *bins = counters + sample->first_bin;

  for (guint i = first; i < sample->count; i++, p += plane->period_bytes)
    bins[histo_load_word (p, bytes, big_endian) >> sample->shift
        & sample->mask]++;
}

/* Counts one row from period `first` on, sample by sample. */
static void
count_row (const HistoPlane * plane, const guint8 * row, guint first,
    guint32 * counters)
{
  for (guint i = 0; i < plane->n_samples; i++) {
    const HistoSample *sample = &plane->samples[i];

    if (sample->bytes == 1)
      count_sample_of_row (plane, sample, row, first, 1, FALSE, counters);
    else if (sample->bytes == 2 && plane->big_endian)
      count_sample_of_row (plane, sample, row, first, 2, TRUE, counters);
    else if (sample->bytes == 2)
      count_sample_of_row (plane, sample, row, first, 2, FALSE, counters);
    else if (plane->big_endian)
      count_sample_of_row (plane, sample, row, first, 4, TRUE, counters);
    else
      count_sample_of_row (plane, sample, row, first, 4, FALSE, counters);
  }
}

static const guint8 *
row_address (const HistoPlane * plane, guint y)
{
  return (const guint8 *) (guintptr) plane->data + (gint64) y * plane->stride;
}

static void
count_rows_by_sample (HistoCpuPixels * pixels, guint first, guint n_rows)
{
  for (guint y = first; y < first + n_rows; y++)
    count_row (pixels->plane, row_address (pixels->plane, y), 0,
        pixels->counters);
}

static void
fold_nothing (HistoCpuPixels * pixels)
{
}

static const CountLoops loops_by_sample =
    { count_rows_by_sample, fold_nothing };

/* ---- Planes of bytes ---------------------------------------------------------------- */

HISTO_SPECIALISED void
count_byte_groups (const guint8 * p, gsize n_groups, const guint n_copies,
    ByteCounters * copies)
{
  const guint n_loads = n_copies == BYTE_COPIES_OF_THREE_LOADS ? 3 : 1;

  for (gsize i = 0; i < n_groups; i++) {
    for (guint w = 0; w < n_loads; w++, p += BYTES_PER_LOAD) {
      const guint64 word = GST_READ_UINT64_LE (p);

      for (guint k = 0; k < BYTES_PER_LOAD; k++)
        copies[(BYTES_PER_LOAD * w + k) % n_copies][word >> 8 * k & 0xff]++;
    }
  }
}

/* Loads of a group: as many as a unit has vectors, because both hold whole periods. */
static guint
n_group_loads (const HistoFamily * family)
{
  return family->unit_bytes / 16;
}

static void
count_rows_by_byte (HistoCpuPixels * pixels, guint first, guint n_rows)
{
  const HistoPlane *plane = pixels->plane;
  const guint n_loads = n_group_loads (pixels->family);
  const guint group_bytes = BYTES_PER_LOAD * n_loads;
  gsize n_groups = (gsize) plane->full_periods * plane->n_words / group_bytes;
  guint counted = n_groups * group_bytes / plane->n_words;

  for (guint y = first; y < first + n_rows; y++) {
    const guint8 *row = row_address (plane, y);

    if (n_loads == 3)
      count_byte_groups (row, n_groups, BYTE_COPIES_OF_THREE_LOADS,
          pixels->bytes);
    else
      count_byte_groups (row, n_groups, BYTE_COPIES, pixels->bytes);
    count_row (plane, row, counted, pixels->counters);
  }
}

/* Copy i counts word i modulo n_words of the period: 8 copies for 1, 2 or 4 words, 6 for 3
 * or 6 words. The unused two copies are zero. */
static void
fold_bytes (HistoCpuPixels * pixels)
{
  const HistoPlane *plane = pixels->plane;

  for (guint copy = 0; copy < BYTE_COPIES; copy++) {
    guint8 sample = plane->word_sample[copy % plane->n_words];

    if (sample == HISTO_NO_SAMPLE)
      continue;
    for (guint value = 0; value < 256; value++)
      pixels->counters[plane->samples[sample].first_bin + value] +=
          pixels->bytes[copy][value];
  }
  memset (pixels->bytes, 0, sizeof pixels->bytes);
}

static const CountLoops loops_by_byte = { count_rows_by_byte, fold_bytes };

/* ---- Bytes of low values ---------------------------------------------------------------- */

#define GROUPS_PER_LOW_STEP 2

/* Whether all bytes of the word are low. */
static inline gboolean
is_low (guint64 word)
{
  return (word & ~(G_MAXUINT64 / 0xff * (LOW_VALUES - 1))) == 0;
}

/* The indices of two fours: the lowest bits of each half. Other bits are not 0. */
static guint64
low_fours (guint64 word)
{
  const guint64 twos = (word | word >> (8 - LOW_BITS))
      & (G_MAXUINT64 / 0xffff * ((1 << 2 * LOW_BITS) - 1));

  return twos | twos >> (16 - 2 * LOW_BITS);
}

/* Differences and gradients are mostly low, so that four of them need only one increment. */
static void
count_low_groups (HistoCpuPixels * pixels, const guint8 * p, gsize n_groups)
{
  gsize i = 0;

  for (; i + GROUPS_PER_LOW_STEP <= n_groups;
      i += GROUPS_PER_LOW_STEP, p += GROUPS_PER_LOW_STEP * BYTES_PER_LOAD) {
    const guint64 words[GROUPS_PER_LOW_STEP] =
        { GST_READ_UINT64_LE (p), GST_READ_UINT64_LE (p + BYTES_PER_LOAD) };

    if (!is_low (words[0] | words[1])) {
      count_byte_groups (p, GROUPS_PER_LOW_STEP, BYTE_COPIES, pixels->bytes);
      continue;
    }
    for (guint k = 0; k < GROUPS_PER_LOW_STEP; k++) {
      const guint64 fours = low_fours (words[k]);

      pixels->fours[2 * k][fours & (N_FOURS - 1)]++;
      pixels->fours[2 * k + 1][fours >> 32 & (N_FOURS - 1)]++;
    }
  }
  count_byte_groups (p, n_groups - i, BYTE_COPIES, pixels->bytes);
}

/* Adds them to the first copies of the counters of bytes. */
static void
fold_fours (HistoCpuPixels * pixels)
{
  if (!pixels->has_fours)
    return;
  for (guint four = 0; four < N_FOURS; four++) {
    guint32 sum = 0;

    for (guint copy = 0; copy < FOUR_COPIES; copy++)
      sum += pixels->fours[copy][four];
    if (sum == 0)
      continue;
    for (guint i = 0; i < FOUR_BYTES; i++)
      pixels->bytes[i][four >> LOW_BITS * i & (LOW_VALUES - 1)] += sum;
  }
  memset (pixels->fours, 0, sizeof pixels->fours);
  pixels->has_fours = FALSE;
}

/* ---- Large planes of bytes: couples ---------------------------------------------------- */

/* Two neighbouring bytes, a *couple*, are counted as one 16-bit value, the second byte above the
 * first. This halves the increments, and the counters fit in the second-level cache. The sums over
 * rows and columns of this histogram are the histograms of the second and the first byte. To sum it
 * takes so long that the plane must be large. */
#define N_COUPLES 65536
#define LEAST_BYTES_FOR_COUPLES (1 << 20)
#define COUPLES_PER_LOAD 4
/* Fours need less, because their histogram is small. */
#define LEAST_BYTES_FOR_FOURS (1 << 17)

HISTO_SPECIALISED void
count_couples (const guint8 * p, gsize n_groups, const guint n_coupled,
    guint32 (*couples)[N_COUPLES])
{
  for (gsize i = 0; i < n_groups; i++, p += BYTES_PER_LOAD) {
    const guint64 word = GST_READ_UINT64_LE (p);

    for (guint k = 0; k < COUPLES_PER_LOAD; k++)
      couples[k % n_coupled][word >> 16 * k & 0xffff]++;
  }
}

/* Counts couples of content whose groups repeat: a run of equal groups by one addition. Otherwise each
 * increment would wait for the store of the one before. */
HISTO_SPECIALISED void
count_runs_of_couples (const guint8 * p, gsize n_groups, const guint n_coupled,
    guint32 (*couples)[N_COUPLES])
{
  while (n_groups > 0) {
    const guint64 word = GST_READ_UINT64_LE (p);
    gsize run = 1;

    while (run < n_groups
        && GST_READ_UINT64_LE (p + BYTES_PER_LOAD * run) == word)
      run++;
    for (guint k = 0; k < COUPLES_PER_LOAD; k++)
      couples[k % n_coupled][word >> 16 * k & 0xffff] += run;
    p += BYTES_PER_LOAD * run;
    n_groups -= run;
  }
}

/* Counts couples of noise: counters of 16 bits need half the cache. One that wraps is worth 2^16 of the
 * histogram of couples. */
static void
count_noise (const guint8 * p, gsize n_groups, guint32 * couples, guint16 * small)
{
  for (gsize i = 0; i < n_groups; i++, p += BYTES_PER_LOAD) {
    const guint64 word = GST_READ_UINT64_LE (p);

    for (guint k = 0; k < COUPLES_PER_LOAD; k++) {
      const guint couple = word >> 16 * k & 0xffff;

      if (G_UNLIKELY (++small[couple] == 0))
        couples[couple] += 1 << 16;
    }
  }
}

/* ---- Large planes of bytes: which loop --------------------------------------------------- */

/* The content is judged about every so many bytes. */
#define JUDGED_BYTES (64 * 1024)

typedef enum
{
  CONTENT_SMOOTH,         /* neighbours are alike: few different couples; count couples */
  CONTENT_REPEATED,       /* words repeat; count runs of couples */
  CONTENT_LOW,            /* most bytes are low; count fours */
  CONTENT_NOISE           /* the couples do not fit the first-level cache; count bytes, or
                                 * couples in counters of 16 bits */
} Content;

/* STRETCHES stretches of STRETCH_WORDS neighbouring words are read, spread over the rows from edge
 * to edge. */
#define STRETCHES 4
#define STRETCH_WORDS 16
#define COUNTERS_PER_LINE 16

typedef struct
{
  guint n_words, n_repeated, n_low;
  guint n_couples, n_lines;
  /* A bit for each cache line of the histograms of couples. */
  guint64 seen[2 * N_COUPLES / COUNTERS_PER_LINE / 64];
} Findings;

/* Finds which cache lines of the histograms the couples of a word need. */
static void
add_couples (Findings * findings, guint64 word, guint n_coupled)
{
  for (guint k = 0; k < COUPLES_PER_LOAD; k++) {
    const guint line = (k % n_coupled * N_COUPLES
        + (word >> 16 * k & 0xffff)) / COUNTERS_PER_LINE;

    findings->n_lines += !(findings->seen[line / 64] >> line % 64 & 1);
    findings->seen[line / 64] |= G_GUINT64_CONSTANT (1) << line % 64;
  }
  findings->n_couples += COUPLES_PER_LOAD;
}

static void
add_stretch (Findings * findings, const guint8 * p, gsize length, guint n_coupled)
{
  for (gsize i = 0; i < length; i++, p += BYTES_PER_LOAD) {
    const guint64 word = GST_READ_UINT64_LE (p);

    if (n_coupled > 0)
      add_couples (findings, word, n_coupled);
    findings->n_repeated += i > 0
        && word == GST_READ_UINT64_LE (p - BYTES_PER_LOAD);
    findings->n_low += is_low (word);
  }
  findings->n_words += length;
}

/* Judges by samples of the content how the rows are counted fastest.
 *
 * @n_words: the words of a row
 * @n_coupled: the histograms that couples are counted in, 1 or 2; 0: couples are not counted */
static Content
judge_content (const HistoPlane * plane, guint first, guint n_rows,
    gsize n_words, guint n_coupled)
{
  const gsize length = MIN (n_words, STRETCH_WORDS);
  Findings found = { 0, };

  for (guint s = 0; s < STRETCHES; s++) {
    const guint y = first + n_rows * s / STRETCHES;
    const guint8 *row = (const guint8 *) (guintptr) plane->data
        + (gint64) y * plane->stride;

    add_stretch (&found, row + BYTES_PER_LOAD
        * ((n_words - length) * s / (STRETCHES - 1)), length, n_coupled);
  }
  /* If one four in four must be counted byte by byte after all, that costs more than couples. If nearly
   * all words repeat, runs are still faster. */
  if (4 * found.n_low > 3 * found.n_words
      && 8 * found.n_repeated < 7 * found.n_words)
    return CONTENT_LOW;
  /* 256 couples meet 223 different lines if about 900 lines are in use, which fill the first-level
   * cache. Runs are worth while if one word in eight repeats the one before: an increment right
   * after another increment of the same counter costs much more. */
  if (found.n_lines * 8 > found.n_couples * 7 || n_coupled == 0)
    return CONTENT_NOISE;
  return 8 * found.n_repeated > found.n_words ? CONTENT_REPEATED :
      CONTENT_SMOOTH;
}

HISTO_SPECIALISED void
count_rows_by_their_content (HistoCpuPixels * pixels, guint first, guint n_rows,
    const guint n_coupled)
{
  const HistoPlane *plane = pixels->plane;
  guint32 (*couples)[N_COUPLES] =
      (guint32 (*)[N_COUPLES]) pixels->large;
  const gsize n_groups =
      (gsize) plane->full_periods * plane->n_words / BYTES_PER_LOAD;
  const guint counted = n_groups * BYTES_PER_LOAD / plane->n_words;
  const guint judged_rows =
      MAX (JUDGED_BYTES / (BYTES_PER_LOAD * MAX (n_groups, 1)), 1);
  Content content = CONTENT_SMOOTH;

  for (guint i = 0; i < n_rows; i++) {
    const guint8 *row = row_address (plane, first + i);

    if (i % judged_rows == 0) {
      content = judge_content (plane, first + i,
          MIN (judged_rows, n_rows - i), n_groups, n_coupled);
      pixels->has_fours |= content == CONTENT_LOW;
      pixels->has_small |= content == CONTENT_NOISE && n_coupled == 1;
      pixels->has_couples |= content == CONTENT_SMOOTH
          || content == CONTENT_REPEATED || pixels->has_small;
    }
    if (content == CONTENT_LOW)
      count_low_groups (pixels, row, n_groups);
    else if (n_coupled == 1 && content == CONTENT_NOISE)
      count_noise (row, n_groups, couples[0], pixels->small);
    else if (n_coupled == 0 || content == CONTENT_NOISE)
      count_byte_groups (row, n_groups, BYTE_COPIES, pixels->bytes);
    else if (content == CONTENT_REPEATED)
      count_runs_of_couples (row, n_groups, n_coupled, couples);
    else
      count_couples (row, n_groups, n_coupled, couples);
    count_row (plane, row, counted, pixels->counters);
  }
}

static void
count_rows_by_content (HistoCpuPixels * pixels, guint first, guint n_rows)
{
  if (pixels->n_coupled == 2)
    count_rows_by_their_content (pixels, first, n_rows, 2);
  else if (pixels->n_coupled == 1)
    count_rows_by_their_content (pixels, first, n_rows, 1);
  else
    count_rows_by_their_content (pixels, first, n_rows, 0);
}

/* Adds a histogram of couples to those of the first and the second byte, and clears it. */
static void
fold_couples (guint32 * couples, guint32 * first, guint32 * second)
{
  for (guint row = 0; row < 256; row++) {
    guint32 sum = 0;

    for (guint column = 0; column < 256; column++) {
      first[column] += couples[256 * row + column];
      sum += couples[256 * row + column];
    }
    second[row] += sum;
  }
  memset (couples, 0, N_COUPLES * sizeof *couples);
}

static void
fold_content (HistoCpuPixels * pixels)
{
  fold_fours (pixels);
  if (pixels->has_small) {
    for (gsize i = 0; i < N_COUPLES; i++)
      pixels->large[i] += pixels->small[i];
    memset (pixels->small, 0, N_COUPLES * sizeof *pixels->small);
  }
  pixels->has_small = FALSE;
  /* Histogram i of couples counts the same words of the period as the copies 2 i and 2 i + 1. */
  if (pixels->has_couples) {
    for (guint i = 0; i < pixels->n_coupled; i++)
      fold_couples (pixels->large + i * N_COUPLES, pixels->bytes[2 * i],
          pixels->bytes[2 * i + 1]);
  }
  pixels->has_couples = FALSE;
  fold_bytes (pixels);
}

static const CountLoops loops_by_content =
    { count_rows_by_content, fold_content };

/* ---- Planes of 16-bit words ----------------------------------------------------------- */

/* Copies of the counters: neighbouring words have each its own. More of them are faster where many neighbours are
 * alike, as long as all fit in the first-level cache. */
#define MOST_WORD_COPIES 8
#define FEW_VALUES 1024

static gsize
n_word_values (const HistoPlane * plane)
{
  return plane->n_samples == 1 ? plane->n_bins : (gsize) plane->samples[0].mask + 1;
}

/* Of many values there is one counter for each value and word of the period. */
static gboolean
has_many_values (const HistoPlane * plane)
{
  return n_word_values (plane) > 4 * FEW_VALUES;
}

static guint
n_word_copies (const HistoPlane * plane)
{
  return has_many_values (plane) ? plane->n_words :
      n_word_values (plane) <= FEW_VALUES ? MOST_WORD_COPIES : MOST_WORD_COPIES / 2;
}

/* From one copy to the next; see ByteCounters. What lies between is 0. */
static gsize
word_copy_distance (const HistoPlane * plane)
{
  return n_word_values (plane) + 32;
}

/* A group is MOST_WORD_COPIES words. @is_whole: the words are the samples */
HISTO_SPECIALISED void
count_word_groups (const guint8 * p, gsize n_groups, const HistoSample * sample,
    gboolean big_endian, gboolean is_whole, const guint n_copies,
    guint32 * copies, gsize distance)
{
  const guint shift = sample->shift, mask = sample->mask;

  for (gsize i = 0; i < n_groups; i++, p += MOST_WORD_COPIES * sizeof (guint16)) {
    for (guint k = 0; k < MOST_WORD_COPIES; k++) {
      const guint word = histo_load_word (p + k * sizeof (guint16),
          sizeof (guint16), big_endian);

      copies[k % n_copies * distance + (is_whole ? word : word >> shift & mask)]++;
    }
  }
}

HISTO_SPECIALISED void
count_rows_by_words (HistoCpuPixels * pixels, guint first, guint n_rows,
    gboolean big_endian, gboolean is_whole, const guint n_copies)
{
  const HistoPlane *plane = pixels->plane;
  const gsize n_groups = (gsize) plane->full_periods * plane->n_words / MOST_WORD_COPIES;
  const guint counted = n_groups * MOST_WORD_COPIES / plane->n_words;

  for (guint y = first; y < first + n_rows; y++) {
    const guint8 *row = row_address (plane, y);

    count_word_groups (row, n_groups, &plane->samples[0], big_endian, is_whole,
        n_copies, pixels->large, word_copy_distance (plane));
    count_row (plane, row, counted, pixels->counters);
  }
}

HISTO_SPECIALISED void
count_rows_in_copies (HistoCpuPixels * pixels, guint first, guint n_rows, const guint n_copies)
{
  const HistoPlane *plane = pixels->plane;
  const HistoSample *sample = &plane->samples[0];

  if (plane->big_endian)
    count_rows_by_words (pixels, first, n_rows, TRUE, FALSE, n_copies);
  else if (sample->shift == 0 && sample->mask == G_MAXUINT16)
    count_rows_by_words (pixels, first, n_rows, FALSE, TRUE, n_copies);
  else
    count_rows_by_words (pixels, first, n_rows, FALSE, FALSE, n_copies);
}

static void
count_rows_by_word (HistoCpuPixels * pixels, guint first, guint n_rows)
{
  if (n_word_copies (pixels->plane) == MOST_WORD_COPIES)
    count_rows_in_copies (pixels, first, n_rows, MOST_WORD_COPIES);
  else
    count_rows_in_copies (pixels, first, n_rows, MOST_WORD_COPIES / 2);
}

/* The frame's counters of the samples that word @word of the period has. NULL: it has none */
static guint32 *
bins_of_word (const HistoCpuPixels * pixels, guint word)
{
  const HistoPlane *plane = pixels->plane;
  const guint8 sample = plane->word_sample[word];

  return sample == HISTO_NO_SAMPLE ? NULL : pixels->counters + plane->samples[sample].first_bin;
}

static void
fold_words (HistoCpuPixels * pixels)
{
  const HistoPlane *plane = pixels->plane;
  const gsize n_values = n_word_values (plane), distance = word_copy_distance (plane);
  const guint n_copies = n_word_copies (plane);

  for (guint copy = 0; copy < n_copies; copy++) {
    guint32 *restrict counters = pixels->large + copy * distance;
    guint32 *restrict bins = bins_of_word (pixels, copy % plane->n_words);

    for (gsize value = 0; value < n_values && bins != NULL; value++)
      bins[value] += counters[value];
    memset (counters, 0, n_values * sizeof *counters);
  }
}

static const CountLoops loops_by_word = { count_rows_by_word, fold_words };

/* ---- Planes of 16-bit words of many values --------------------------------------------- */

/* Counters of 16 bits need half the cache. One that wraps is worth 2^16 of the frame's. Each word of the period has its own
 * counters; with more words than this they are not faster. Periods that repeat are counted by one addition. */
#define MOST_SMALL_WORDS 2

#define GROUP_BYTES (MOST_WORD_COPIES * sizeof (guint16))
/* The additions of so many groups fit in 16 bits. */
#define MOST_REPEATED (G_MAXUINT16 / MOST_WORD_COPIES)

/* Whether the words of the group are those of its first period. */
static inline gboolean
repeats (const guint8 * p, const guint n_words)
{
  guint64 halves[2];

  memcpy (halves, p, sizeof halves);
  return halves[0] == halves[1] && halves[0] == (halves[0] >> 16 * n_words | halves[0] << (64 - 16 * n_words));
}

/* The number of groups from @p on that are equal, @n at most. */
static inline gsize
count_equal (const guint8 * p, gsize n)
{
  gsize i = 1;

  while (i < n && memcmp (p, p + i * GROUP_BYTES, GROUP_BYTES) == 0)
    i++;
  return i;
}

static inline void
add_small (guint16 * small, guint value, guint n, guint32 * bins)
{
  const guint16 sum = small[value] + n;

  small[value] = sum;
  if (G_UNLIKELY (sum < n) && bins != NULL)
    bins[value] += 1 << 16;
}

/* @bins: of each word of the period; NULL: it has no sample */
HISTO_SPECIALISED void
count_small_groups (const guint8 * p, gsize n_groups, const HistoSample * sample, gboolean big_endian,
    gboolean is_whole, const guint n_words, guint16 * small, gsize distance, guint32 * const *bins)
{
  const guint shift = sample->shift, mask = sample->mask;

#define VALUE(k) (histo_load_word (p + (k) * sizeof (guint16), sizeof (guint16), big_endian) >> (is_whole ? 0 : shift) \
    & (is_whole ? G_MAXUINT16 : mask))
  for (gsize i = 0, n; i < n_groups; i += n, p += n * GROUP_BYTES) {
    n = 1;
    if (repeats (p, n_words)) {
      n = count_equal (p, MIN (n_groups - i, MOST_REPEATED));
      for (guint k = 0; k < n_words; k++)
        add_small (small + k * distance, VALUE (k), n * MOST_WORD_COPIES / n_words, bins[k]);
      continue;
    }
    for (guint k = 0; k < MOST_WORD_COPIES; k++)
      add_small (small + k % n_words * distance, VALUE (k), 1, bins[k % n_words]);
  }
#undef VALUE
}

HISTO_SPECIALISED void
count_rows_of_many_values (HistoCpuPixels * pixels, guint first, guint n_rows, gboolean big_endian, const guint n_words)
{
  const HistoPlane *plane = pixels->plane;
  const HistoSample *sample = &plane->samples[0];
  const gsize n_groups = (gsize) plane->full_periods * n_words / MOST_WORD_COPIES, distance = word_copy_distance (plane);
  const guint counted = n_groups * MOST_WORD_COPIES / n_words;
  guint32 *bins[MOST_SMALL_WORDS];

  for (guint k = 0; k < n_words; k++)
    bins[k] = bins_of_word (pixels, k);
  for (guint y = first; y < first + n_rows; y++) {
    const guint8 *row = row_address (plane, y);

    if (!big_endian && sample->shift == 0 && sample->mask == G_MAXUINT16)
      count_small_groups (row, n_groups, sample, FALSE, TRUE, n_words, (guint16 *) pixels->large, distance, bins);
    else
      count_small_groups (row, n_groups, sample, big_endian, FALSE, n_words, (guint16 *) pixels->large, distance, bins);
    count_row (plane, row, counted, pixels->counters);
  }
}

static void
count_rows_by_small_word (HistoCpuPixels * pixels, guint first, guint n_rows)
{
  const HistoPlane *plane = pixels->plane;

  if (plane->n_words == 1 && plane->big_endian)
    count_rows_of_many_values (pixels, first, n_rows, TRUE, 1);
  else if (plane->n_words == 1)
    count_rows_of_many_values (pixels, first, n_rows, FALSE, 1);
  else if (plane->big_endian)
    count_rows_of_many_values (pixels, first, n_rows, TRUE, MOST_SMALL_WORDS);
  else
    count_rows_of_many_values (pixels, first, n_rows, FALSE, MOST_SMALL_WORDS);
}

/* Most counters are 0. */
#define FOLDED 32

/* Adds up to FOLDED counters to @bins, and clears them. */
static void
fold_some (guint16 * small, guint32 * bins, guint n)
{
  guint16 any = 0;

  for (guint i = 0; i < FOLDED; i++)
    any |= small[i];
  if (any == 0)
    return;
  for (guint i = 0; i < n; i++) {
    bins[i] += small[i];
    small[i] = 0;
  }
}

static void
fold_small_words (HistoCpuPixels * pixels)
{
  const gsize n_values = n_word_values (pixels->plane), distance = word_copy_distance (pixels->plane);
  guint16 *small = (guint16 *) pixels->large;

  for (guint word = 0; word < pixels->plane->n_words; word++, small += distance) {
    guint32 *bins = bins_of_word (pixels, word);

    for (gsize value = 0; value < n_values && bins != NULL; value += FOLDED)
      fold_some (small + value, bins + value, MIN (FOLDED, n_values - value));
    if (bins == NULL)
      memset (small, 0, n_values * sizeof *small);
  }
}

static const CountLoops loops_by_small_word = { count_rows_by_small_word, fold_small_words };

/* ---- A plane -------------------------------------------------------------------------- */

/* The limits of these loops, see kernels/families.h. Planes of HISTO_PLANE_PACKED are counted sample
 * by sample. */
#define CHECK_BYTES(word_bytes, n_words, depth, unit_bytes, n_coupled) \
  (word_bytes == 1 && depth == 8 \
      && (unit_bytes == 16 || unit_bytes == 48) \
      && (n_coupled == 0 || (n_coupled <= 2 && unit_bytes == 16 \
              && 2 * n_coupled % n_words == 0)))
#define CHECK_WORDS(word_bytes, n_words, depth, unit_bytes, n_coupled) \
  (word_bytes == 2 && unit_bytes == 16 && n_coupled == 0)
#define CHECK_PACKED(word_bytes, n_words, depth, unit_bytes, n_coupled) TRUE
#define CHECK_FAMILY(kernel, kind, word_bytes, n_words, depth, gap, unit_bytes, n_coupled) \
  G_STATIC_ASSERT (n_words <= HISTO_MAX_WORDS \
      && CHECK_##kind (word_bytes, n_words, depth, unit_bytes, n_coupled));
HISTO_PLANE_FAMILIES (CHECK_FAMILY)
#undef CHECK_FAMILY
#undef CHECK_PACKED
#undef CHECK_WORDS
#undef CHECK_BYTES

/* Copies of the counters, each for one word of the period; so a multiple of n_words. */
static guint
n_copies (const HistoPlane * plane, const HistoFamily * family)
{
  if (family->kind == HISTO_PLANE_WORDS)
    return n_word_copies (plane);
  return n_group_loads (family) == 3 ? BYTE_COPIES_OF_THREE_LOADS : BYTE_COPIES;
}

static guint64
plane_bytes (const HistoPlane * plane)
{
  return (guint64) plane->rows * plane->full_periods * plane->period_bytes;
}

/* Counters that the loops use in HistoCpuPixels.large. */
static gsize
n_large_counters (const HistoCpuPixels * pixels)
{
  if (pixels->loops == &loops_by_content)
    return pixels->n_coupled * N_COUPLES
        + (pixels->n_coupled == 1 ? N_COUPLES / 2 : 0);
  if (pixels->loops == &loops_by_small_word)
    return n_word_copies (pixels->plane) * word_copy_distance (pixels->plane) / 2;
  return pixels->loops == &loops_by_word ?
      n_word_copies (pixels->plane) * word_copy_distance (pixels->plane) : 0;
}

HistoCpuPixels *
histo_cpu_pixels_new (void)
{
  return g_new0 (HistoCpuPixels, 1);
}

void
histo_cpu_pixels_free (HistoCpuPixels * pixels)
{
  g_free (pixels->large);
  g_free (pixels);
}

/**
 * histo_cpu_pixels_begin:
 * @plane: the whole plane, in host memory; used until histo_cpu_pixels_end()
 * @counters: the frame's counters, to which the plane's samples are added
 */
void
histo_cpu_pixels_begin (HistoCpuPixels * pixels, const HistoPlane * plane,
    guint32 * counters)
{
  gsize n;

  pixels->plane = plane;
  pixels->counters = counters;
  pixels->family = plane->kind == HISTO_PLANE_PACKED ? NULL :
      histo_family_of_words (plane);
  if (pixels->family == NULL || n_copies (plane, pixels->family) % pixels->family->n_words != 0)
    pixels->loops = &loops_by_sample;
  else if (pixels->family->kind == HISTO_PLANE_WORDS)
    pixels->loops = has_many_values (plane) && plane->n_words <= MOST_SMALL_WORDS ? &loops_by_small_word : &loops_by_word;
  else
    pixels->loops = pixels->family->n_coupled > 0 && plane_bytes (plane) >= LEAST_BYTES_FOR_FOURS ?
        &loops_by_content : &loops_by_byte;
  pixels->n_coupled = pixels->loops == &loops_by_content
      && plane_bytes (plane) >= LEAST_BYTES_FOR_COUPLES ?
      pixels->family->n_coupled : 0;
  n = n_large_counters (pixels);
  if (n > pixels->n_large) {
    g_free (pixels->large);
    pixels->large = g_new0 (guint32, n);
    pixels->n_large = n;
  }
  pixels->small = pixels->n_coupled != 1 ? NULL :
      (guint16 *) (pixels->large + N_COUPLES);
}

/* Counts @n_rows rows of the plane from @first on. */
void
histo_cpu_pixels_rows (HistoCpuPixels * pixels, guint first, guint n_rows)
{
  pixels->loops->count_rows (pixels, first, n_rows);
}

/* The frame's counters are complete only after this. */
void
histo_cpu_pixels_end (HistoCpuPixels * pixels)
{
  pixels->loops->fold (pixels);
  pixels->plane = NULL;
}
