/* The CPU engine's inner loops: counting planes and measuring channels.
 *
 * Counting is bound by the counters: an increment that follows another of the same
 * counter must wait for its store. So neighbouring samples count in tables of their
 * own ("slots"), folded at the end, and samples are fetched eight bytes at a time. Of
 * large planes it is told from the content which kind of table is the fastest.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/count.h"

#include <math.h>

/* The inner loops are written once, as functions of constants, and must be compiled
 * once for each of these. */
#define SPECIALISED static inline __attribute__ ((always_inline))

/* How a kind of planes is counted: rows to tables, and these to the frame's counters. */
typedef struct
{
  void (*count) (HistoCpuCounter * counter, guint first, guint n_rows);
  void (*fold) (HistoCpuCounter * counter);
} Way;

#define BYTE_SLOTS 8
#define BYTE_SLOTS_BY_THREES 6

/* Longer than it need be: where the same counters of two tables are 4096 bytes apart, loads of
 * the one wait for stores to the other. */
typedef guint32 ByteTable[256 + 16];

/* The tables are all zero but between a plane's first rows and their folding. */
struct _HistoCpuCounter
{
  const HistoPlane *plane;
  const Way *way;
  guint32 *counters;            /* the frame's */
  ByteTable bytes[BYTE_SLOTS];
  guint32 *tables;              /* of pairs, or of words */
  gsize n_entries;              /* of these tables */
  gboolean has_pairs;           /* in them */
};

/* ---- Video, any plane --------------------------------------------------------------- */

SPECIALISED guint32
load_word (const guint8 * p, guint bytes, gboolean big_endian)
{
  switch (bytes) {
    case 1:
      return p[0];
    case 2:
      return big_endian ? GST_READ_UINT16_BE (p) : GST_READ_UINT16_LE (p);
    case 3:
      return big_endian ? GST_READ_UINT24_BE (p) : GST_READ_UINT24_LE (p);
    default:
      return big_endian ? GST_READ_UINT32_BE (p) : GST_READ_UINT32_LE (p);
  }
}

SPECIALISED void
count_sample_of_row (const HistoPlane * plane, const HistoSample * sample,
    const guint8 * row, guint first, guint bytes, gboolean big_endian,
    guint32 * counters)
{
  const guint8 *p = row + sample->offset + (gsize) first * plane->period_bytes;
  guint32 *bins = counters + sample->first_bin;

  for (guint i = first; i < sample->count; i++, p += plane->period_bytes)
    bins[load_word (p, bytes, big_endian) >> sample->shift & sample->mask]++;
}

/* Counts one row from the period `first` on, sample by sample. */
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
row_of (const HistoPlane * plane, guint y)
{
  return (const guint8 *) (guintptr) plane->data + (gint64) y * plane->stride;
}

/* ---- Video, planes of bytes ----------------------------------------------------------- */

/* Groups of one 64-bit word, or of three where the period is three or six bytes, so
 * that a byte's place in its group tells its component. */
SPECIALISED void
count_byte_groups (const guint8 * p, gsize n_groups, const guint n_slots,
    ByteTable * tables)
{
  const guint n_words = n_slots == BYTE_SLOTS_BY_THREES ? 3 : 1;

  for (gsize i = 0; i < n_groups; i++) {
    for (guint w = 0; w < n_words; w++, p += 8) {
      const guint64 word = GST_READ_UINT64_LE (p);

      for (guint k = 0; k < 8; k++)
        tables[(8 * w + k) % n_slots][word >> 8 * k & 0xff]++;
    }
  }
}

static void
count_bytes (HistoCpuCounter * counter, guint first, guint n_rows)
{
  const HistoPlane *plane = counter->plane;
  const gboolean by_threes = plane->n_words % 3 == 0;
  const guint group_bytes = by_threes ? 24 : 8;
  gsize n_groups = (gsize) plane->full_periods * plane->n_words / group_bytes;
  guint counted = n_groups * group_bytes / plane->n_words;

  for (guint y = first; y < first + n_rows; y++) {
    const guint8 *row = row_of (plane, y);

    if (by_threes)
      count_byte_groups (row, n_groups, BYTE_SLOTS_BY_THREES, counter->bytes);
    else
      count_byte_groups (row, n_groups, BYTE_SLOTS, counter->bytes);
    count_row (plane, row, counted, counter->counters);
  }
}

static void
fold_bytes (HistoCpuCounter * counter)
{
  const HistoPlane *plane = counter->plane;

  for (guint slot = 0; slot < BYTE_SLOTS; slot++) {
    guint8 sample = plane->word_sample[slot % plane->n_words];

    if (sample == HISTO_NO_SAMPLE)
      continue;
    for (guint value = 0; value < 256; value++)
      counter->counters[plane->samples[sample].first_bin + value] +=
          counter->bytes[slot][value];
  }
  memset (counter->bytes, 0, sizeof counter->bytes);
}

/* ---- Video, large planes of bytes ------------------------------------------------------ */

/* Half the increments: two neighbouring bytes count as one 16-bit value, in a table
 * that fits the second-level cache. Its rows' and columns' sums are the histograms of
 * the second and the first byte. That sum is what it costs, so planes must be large. */
#define PAIRS 65536
#define LEAST_BYTES_FOR_PAIRS (1 << 20)

SPECIALISED void
count_pair_groups (const guint8 * p, gsize n_groups, const guint n_tables,
    guint32 (*pairs)[PAIRS])
{
  for (gsize i = 0; i < n_groups; i++, p += 8) {
    const guint64 word = GST_READ_UINT64_LE (p);

    for (guint k = 0; k < 4; k++)
      pairs[k % n_tables][word >> 16 * k & 0xffff]++;
  }
}

/* The same where groups repeat: an increment for each run of them. Each alone would wait
 * for the store of the one before. */
SPECIALISED void
count_repeated_groups (const guint8 * p, gsize n_groups, const guint n_tables,
    guint32 (*pairs)[PAIRS])
{
  while (n_groups > 0) {
    const guint64 word = GST_READ_UINT64_LE (p);
    gsize run = 1;

    while (run < n_groups && GST_READ_UINT64_LE (p + 8 * run) == word)
      run++;
    for (guint k = 0; k < 4; k++)
      pairs[k % n_tables][word >> 16 * k & 0xffff] += run;
    p += 8 * run;
    n_groups -= run;
  }
}

/* What the rows' content makes the fastest way to count them. */
typedef enum
{
  CONTENT_SMOOTH,               /* neighbours are alike: few of the pairs occur */
  CONTENT_REPEATED,
  CONTENT_NOISE,                /* the pairs that occur do not fit the first-level cache */
} Content;

/* Judged for so many bytes at once, ... */
#define JUDGED_BYTES (64 * 1024)
/* ... by so many stretches of so many neighbouring groups, from edge to edge. */
#define STRETCHES 4
#define STRETCH_GROUPS 16
#define COUNTERS_PER_LINE 16

static Content
judge_rows (const HistoPlane * plane, guint first, guint n_rows,
    gsize n_groups, guint n_tables)
{
  const gsize length = MIN (n_groups, STRETCH_GROUPS);
  guint64 seen[2 * PAIRS / COUNTERS_PER_LINE / 64] = { 0, };
  guint n_pairs = 0, n_lines = 0, n_repeated = 0;

  for (guint s = 0; s < STRETCHES; s++) {
    const guint8 *p = row_of (plane, first + n_rows * s / STRETCHES)
        + 8 * ((n_groups - length) * s / (STRETCHES - 1));

    for (gsize i = 0; i < length; i++, p += 8) {
      const guint64 word = GST_READ_UINT64_LE (p);

      for (guint k = 0; k < 4; k++, n_pairs++) {
        const guint line = (k % n_tables * PAIRS + (word >> 16 * k & 0xffff))
            / COUNTERS_PER_LINE;

        n_lines += !(seen[line / 64] >> line % 64 & 1);
        seen[line / 64] |= G_GUINT64_CONSTANT (1) << line % 64;
      }
      n_repeated += i > 0 && word == GST_READ_UINT64_LE (p - 8);
    }
  }
  /* Of 256 pairs, 223 lines are seen if some 900 are in use: the first-level cache's. A few
   * runs are worth being looked for: a counter that follows itself costs much more. */
  return n_lines > n_pairs * 7 / 8 ? CONTENT_NOISE :
      8 * n_repeated > STRETCHES * length ? CONTENT_REPEATED : CONTENT_SMOOTH;
}

static guint
n_pair_tables (const HistoPlane * plane)
{
  return plane->n_words == 4 ? 2 : 1;
}

SPECIALISED void
count_large_rows (HistoCpuCounter * counter, guint first, guint n_rows,
    const guint n_tables)
{
  const HistoPlane *plane = counter->plane;
  guint32 (*pairs)[PAIRS] = (guint32 (*)[PAIRS]) counter->tables;
  const gsize n_groups = (gsize) plane->full_periods * plane->n_words / 8;
  const guint counted = n_groups * 8 / plane->n_words;
  const guint judged_rows = MAX (JUDGED_BYTES / (8 * MAX (n_groups, 1)), 1);
  Content content = CONTENT_SMOOTH;

  for (guint i = 0; i < n_rows; i++) {
    const guint8 *row = row_of (plane, first + i);

    if (i % judged_rows == 0) {
      content = judge_rows (plane, first + i, MIN (judged_rows, n_rows - i),
          n_groups, n_tables);
      counter->has_pairs |= content != CONTENT_NOISE;
    }
    if (content == CONTENT_NOISE)
      count_byte_groups (row, n_groups, BYTE_SLOTS, counter->bytes);
    else if (content == CONTENT_REPEATED)
      count_repeated_groups (row, n_groups, n_tables, pairs);
    else
      count_pair_groups (row, n_groups, n_tables, pairs);
    count_row (plane, row, counted, counter->counters);
  }
}

static void
count_large_bytes (HistoCpuCounter * counter, guint first, guint n_rows)
{
  if (n_pair_tables (counter->plane) == 2)
    count_large_rows (counter, first, n_rows, 2);
  else
    count_large_rows (counter, first, n_rows, 1);
}

static void
fold_pairs (guint32 * pairs, guint32 * first, guint32 * second)
{
  for (guint row = 0; row < 256; row++) {
    guint32 sum = 0;

    for (guint column = 0; column < 256; column++) {
      first[column] += pairs[256 * row + column];
      sum += pairs[256 * row + column];
    }
    second[row] += sum;
  }
  memset (pairs, 0, PAIRS * sizeof *pairs);
}

static void
fold_large_bytes (HistoCpuCounter * counter)
{
  /* A slot's component is that of all slots a multiple of n_words from it. */
  for (guint t = 0; counter->has_pairs && t < n_pair_tables (counter->plane);
      t++)
    fold_pairs (counter->tables + t * PAIRS, counter->bytes[2 * t],
        counter->bytes[2 * t + 1]);
  counter->has_pairs = FALSE;
  fold_bytes (counter);
}

/* ---- Video, planes of 16-bit words ------------------------------------------------------ */

#define WORD_SLOTS 4

/* n_groups groups of four words; a 64-bit load in the plane's byte order gives whole
 * words, the last one first where that order is big endian. */
SPECIALISED void
count_word_groups (const guint8 * p, gsize n_groups, guint shift,
    guint32 mask, gboolean big_endian, guint32 * tables, gsize table_size)
{
  for (gsize i = 0; i < n_groups; i++, p += 8) {
    guint64 word =
        big_endian ? GST_READ_UINT64_BE (p) : GST_READ_UINT64_LE (p);

    for (guint k = 0; k < WORD_SLOTS; k++) {
      guint slot = big_endian ? WORD_SLOTS - 1 - k : k;

      tables[slot * table_size + ((guint16) word >> shift & mask)]++;
      word >>= 16;
    }
  }
}

static gsize
word_table_size (const HistoPlane * plane)
{
  return (gsize) plane->samples[0].mask + 1;
}

static void
count_words (HistoCpuCounter * counter, guint first, guint n_rows)
{
  const HistoPlane *plane = counter->plane;
  const HistoSample *sample = &plane->samples[0];
  gsize n_groups = (gsize) plane->full_periods * plane->n_words / WORD_SLOTS;
  guint counted = n_groups * WORD_SLOTS / plane->n_words;

  for (guint y = first; y < first + n_rows; y++) {
    const guint8 *row = row_of (plane, y);

    if (plane->big_endian)
      count_word_groups (row, n_groups, sample->shift, sample->mask, TRUE,
          counter->tables, word_table_size (plane));
    else
      count_word_groups (row, n_groups, sample->shift, sample->mask, FALSE,
          counter->tables, word_table_size (plane));
    count_row (plane, row, counted, counter->counters);
  }
}

static void
fold_words (HistoCpuCounter * counter)
{
  const HistoPlane *plane = counter->plane;
  const gsize table_size = word_table_size (plane);

  for (guint slot = 0; slot < WORD_SLOTS; slot++) {
    guint8 sample = plane->word_sample[slot % plane->n_words];
    const guint32 *table = counter->tables + slot * table_size;

    if (sample == HISTO_NO_SAMPLE)
      continue;
    for (gsize value = 0; value < table_size; value++)
      counter->counters[plane->samples[sample].first_bin + value] +=
          table[value];
  }
  memset (counter->tables, 0, WORD_SLOTS * table_size *
      sizeof *counter->tables);
}

/* ---- Video, whichever plane -------------------------------------------------------------- */

static void
count_samples (HistoCpuCounter * counter, guint first, guint n_rows)
{
  for (guint y = first; y < first + n_rows; y++)
    count_row (counter->plane, row_of (counter->plane, y), 0,
        counter->counters);
}

static void
fold_nothing (HistoCpuCounter * counter)
{
}

static const Way by_samples = { count_samples, fold_nothing };
static const Way by_bytes = { count_bytes, fold_bytes };
static const Way by_pairs = { count_large_bytes, fold_large_bytes };
static const Way by_words = { count_words, fold_words };

static const Way *
choose_way (const HistoPlane * plane)
{
  const guint64 bytes =
      (guint64) plane->rows * plane->full_periods * plane->period_bytes;

  if (plane->kind == HISTO_PLANE_BYTES)
    return plane->n_words % 3 != 0 && bytes >= LEAST_BYTES_FOR_PAIRS ?
        &by_pairs : &by_bytes;
  return plane->kind == HISTO_PLANE_WORDS ? &by_words : &by_samples;
}

static gsize
n_table_entries (const HistoPlane * plane, const Way * way)
{
  return way == &by_pairs ? n_pair_tables (plane) * PAIRS :
      way == &by_words ? WORD_SLOTS * word_table_size (plane) : 0;
}

/**
 * histo_cpu_counter_new:
 *
 * Returns: what a thread needs to count planes, one at a time; it keeps its memory from one to
 * the next
 */
HistoCpuCounter *
histo_cpu_counter_new (void)
{
  return g_new0 (HistoCpuCounter, 1);
}

void
histo_cpu_counter_free (HistoCpuCounter * counter)
{
  g_free (counter->tables);
  g_free (counter);
}

/**
 * histo_cpu_counter_begin:
 * @plane: in host memory, all of it; kept until histo_cpu_counter_end()
 * @counters: of the whole frame; the plane's are added to until then
 */
void
histo_cpu_counter_begin (HistoCpuCounter * counter, const HistoPlane * plane,
    guint32 * counters)
{
  gsize n;

  counter->plane = plane;
  counter->counters = counters;
  counter->way = choose_way (plane);
  n = n_table_entries (plane, counter->way);
  if (n > counter->n_entries) {
    g_free (counter->tables);
    counter->tables = g_new0 (guint32, n);
    counter->n_entries = n;
  }
}

/* Counts @n_rows rows of the plane from @first on. */
void
histo_cpu_counter_rows (HistoCpuCounter * counter, guint first, guint n_rows)
{
  counter->way->count (counter, first, n_rows);
}

/* Only after this the counters are right. */
void
histo_cpu_counter_end (HistoCpuCounter * counter)
{
  counter->way->fold (counter);
  counter->plane = NULL;
}

/* ---- Audio --------------------------------------------------------------------------------- */

SPECIALISED void
bin_value (const HistoBinning * binning, const gdouble * edges, gdouble value,
    guint32 bin, guint32 * counters, HistoTotals * totals)
{
  if (value < binning->range_min)
    totals->underflow++;
  else if (value >= binning->range_max)
    totals->overflow++;
  else if (binning->kind == HISTO_BINNING_EDGES)
    counters[histo_bin_by_edges (binning, edges, value)]++;
  else
    counters[bin]++;
}

SPECIALISED void
measure_integers (const guint8 * p, gsize stride, guint64 n_samples,
    const HistoAudioSample * sample, guint bytes, gboolean big_endian,
    const HistoBinning * binning, const gdouble * edges, guint32 * counters,
    HistoTotals * totals)
{
  const guint unused = 32 - sample->depth;
  const gboolean is_signed = sample->kind == HISTO_AUDIO_SIGNED;

  for (guint64 i = 0; i < n_samples; i++, p += stride) {
    guint32 word = load_word (p, bytes, big_endian) << unused;
    gint64 value =
        is_signed ? (gint64) ((gint32) word >> unused) : word >> unused;
    guint64 square = (guint64) value * (guint64) value;

    totals->sum += value;
    totals->square_low += (guint32) square;
    totals->square_high += square >> 32;
    totals->min = MIN (totals->min, value);
    totals->max = MAX (totals->max, value);
    bin_value (binning, edges, (gdouble) value,
        (guint32) ((value - binning->offset) >> binning->shift), counters,
        totals);
  }
}

SPECIALISED gdouble
load_float (const guint8 * p, guint bytes, gboolean big_endian)
{
  if (bytes == 4)
    return big_endian ? GST_READ_FLOAT_BE (p) : GST_READ_FLOAT_LE (p);
  return big_endian ? GST_READ_DOUBLE_BE (p) : GST_READ_DOUBLE_LE (p);
}

SPECIALISED void
measure_floats (const guint8 * p, gsize stride, guint64 n_samples,
    guint bytes, gboolean big_endian, const HistoBinning * binning,
    const gdouble * edges, guint32 * counters, HistoTotals * totals)
{
  for (guint64 i = 0; i < n_samples; i++, p += stride) {
    gdouble value = load_float (p, bytes, big_endian);
    gdouble square = value * value;
    guint32 bin = 0;

    if (isnan (value)) {
      totals->nan++;
      continue;
    }
    if (isinf (value)) {
      totals->inf++;
    } else {
      histo_add_compensated (totals->float_sum, value);
      histo_add_compensated (totals->float_square, square);
      if (bytes == 8)
        totals->float_square[1] += fma (value, value, -square);
      totals->float_min = MIN (totals->float_min, value);
      totals->float_max = MAX (totals->float_max, value);
    }
    if (binning->kind == HISTO_BINNING_SCALE && value >= binning->range_min
        && value < binning->range_max)
      bin = (guint32) ((gint64) floor (value * binning->scale) -
          binning->offset);
    bin_value (binning, edges, value, bin, counters, totals);
  }
}

/**
 * histo_cpu_measure_channel:
 * @data: the channel's first sample
 * @edges: (array): of @binning
 * @counters: n_bins counters, added to
 * @totals: written
 */
void
histo_cpu_measure_channel (const guint8 * data, gsize sample_stride,
    guint64 n_samples, const HistoAudioSample * sample,
    const HistoBinning * binning, const gdouble * edges, guint32 * counters,
    HistoTotals * totals)
{
  memset (totals, 0, sizeof *totals);
  totals->min = G_MAXINT64;
  totals->max = G_MININT64;
  totals->float_min = INFINITY;
  totals->float_max = -INFINITY;

#define INTEGERS(bytes, big_endian) \
  measure_integers (data, sample_stride, n_samples, sample, bytes, big_endian, \
      binning, edges, counters, totals)
#define FLOATS(bytes, big_endian) \
  measure_floats (data, sample_stride, n_samples, bytes, big_endian, \
      binning, edges, counters, totals)

  switch (sample->bytes << 1 | sample->big_endian) {
    case 1 << 1:
    case 1 << 1 | 1:
      INTEGERS (1, FALSE);
      break;
    case 2 << 1:
      INTEGERS (2, FALSE);
      break;
    case 2 << 1 | 1:
      INTEGERS (2, TRUE);
      break;
    case 3 << 1:
      INTEGERS (3, FALSE);
      break;
    case 3 << 1 | 1:
      INTEGERS (3, TRUE);
      break;
    case 4 << 1:
      if (sample->kind == HISTO_AUDIO_FLOAT)
        FLOATS (4, FALSE);
      else
        INTEGERS (4, FALSE);
      break;
    case 4 << 1 | 1:
      if (sample->kind == HISTO_AUDIO_FLOAT)
        FLOATS (4, TRUE);
      else
        INTEGERS (4, TRUE);
      break;
    case 8 << 1:
      FLOATS (8, FALSE);
      break;
    case 8 << 1 | 1:
      FLOATS (8, TRUE);
      break;
    default:
      g_assert_not_reached ();
  }
#undef INTEGERS
#undef FLOATS
}
