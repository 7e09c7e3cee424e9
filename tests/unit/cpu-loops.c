/* The fast loops of the CPU engine against plain loops over the reference's formulas, on random rows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"
#include "reference-color.h"

#include "engine/cpu/loops.h"
#include "kernels/formulas.h"

#include <math.h>

/* All widths up to SHORT are tested, and some up to MOST: loops divide long rows. */
#define SHORT 300
#define MOST 9000
#define N_LONG 6
/* Of the rows' type, behind the end of each output: a loop must not write there. */
#define GUARD 0x5a

/* A row of either type. */
typedef union
{
  guint8 bytes[2 * MOST + 2];
  guint16 words[MOST + 1];
} Row;

typedef struct
{
  const HistoLoops *loops;
  gboolean is_wide;
  guint depth, n;
  ReferenceColor color;         /* of limited range */
  GRand *random;
} Case;

static ReferenceColor
limited_color (guint depth)
{
  const ReferenceShape shape = {.n_components = 1,.names = {"Y"},.depths = {depth} };
  const GstVideoColorimetry colorimetry = {.range = GST_VIDEO_COLOR_RANGE_16_235 };
  ReferenceColor color;

  reference_color_init (&color, &shape, &colorimetry, 1080);
  return color;
}

static guint
get (const Case * c, const Row * row, guint i)
{
  return c->is_wide ? row->words[i] : row->bytes[i];
}

static void
set (const Case * c, Row * row, guint i, guint value)
{
  if (c->is_wide)
    row->words[i] = value;
  else
    row->bytes[i] = value;
}

/* Noise, extremes, values near each other, one value, or values of a part of the range. */
static void
fill_row (const Case * c, Row * row)
{
  const guint max = (1u << c->depth) - 1, kind = g_rand_int_range (c->random, 0, 6);
  const guint part = 1u << g_rand_int_range (c->random, 1, c->depth + 1);
  const guint start = g_rand_int (c->random) & max;

  for (guint i = 0; i < c->n; i++) {
    const guint noise = g_rand_int (c->random);

    set (c, row, i, kind == 0 ? noise & max : kind == 1 ? (noise & 1) * max
        : kind == 2 ? MIN (max, start + noise % 3) : kind == 3 ? start : MIN (max, start + noise % part));
  }
  memset (row->bytes + 2 * MOST, GUARD, 2);
}

static void
clear_row (Row * row)
{
  memset (row, GUARD, sizeof *row);
}

/* Compares one number of an output. The macros of check take too long to be called for each. */
#define CHECK(c, what, i, value, expected) \
  G_STMT_START { \
    const guint64 is = (value), should_be = (expected); \
    if (is != should_be) \
      ck_abort_msg (what " of %u, %u bits, %s: number %u is %" G_GUINT64_FORMAT \
          ", not %" G_GUINT64_FORMAT, (c)->n, (c)->depth, \
          (c)->is_wide ? "words" : "bytes", (guint) (i), is, should_be); \
  } G_STMT_END

/* Nothing was written behind the @n numbers of the row. */
static void
check_end (const Case * c, const Row * row, guint n)
{
  CHECK (c, "the end", n, get (c, row, n), c->is_wide ? GUARD << 8 | GUARD : GUARD);
}

static void
check_differences (const Case * c, const Row * a, const Row * b)
{
  gint64 sum = 0, expected_sum = 0;
  guint64 squares = 0, expected_squares = 0, distance = 0;
  Row out;

  clear_row (&out);
  c->loops->difference (a, b, &out, c->n);
  c->loops->add_changes (a, b, c->n, &sum, &squares);
  for (guint i = 0; i < c->n; i++) {
    const gint64 change = (gint64) get (c, a, i) - get (c, b, i);

    CHECK (c, "difference", i, get (c, &out, i), ABS (change));
    distance += ABS (change);
    expected_sum += change;
    expected_squares += change * change;
  }
  check_end (c, &out, c->n);
  CHECK (c, "add_changes", 0, sum, expected_sum);
  CHECK (c, "add_changes", 1, squares, expected_squares);
  CHECK (c, "is_repeated", 0, c->loops->is_repeated (a, b, c->n), distance < c->n);
}

/* Rows whose neighbours differ by about the limit. */
static void
check_steps (const Case * c, const Row * a)
{
  Row smooth;
  guint n[2] = { 0, 0 };

  clear_row (&smooth);
  for (guint i = 0; i < c->n; i++) {
    const guint next = (i > 0 ? get (c, &smooth, i - 1) : 0)
        + g_rand_int_range (c->random, 0, 4 << (c->depth - 8));

    set (c, &smooth, i, MIN (next, (1u << c->depth) - 1));
  }
  for (guint i = 1; i + 1 < c->n; i++) {
    n[0] += ABS ((gint) get (c, a, i) - (gint) get (c, a, i - 1)) > 1 << (c->depth - 8);
    n[1] += ABS ((gint) get (c, &smooth, i) - (gint) get (c, &smooth, i - 1)) > 1 << (c->depth - 8);
  }
  CHECK (c, "count_steps", 0, c->loops->count_steps (a, c->n, c->depth), n[0]);
  CHECK (c, "count_steps", 1, c->loops->count_steps (&smooth, c->n, c->depth), n[1]);
}

/* Rows that differ by a few samples, so that the sum is near the limit. */
static void
check_repeated (const Case * c, const Row * a)
{
  Row b = *a;
  guint64 distance = 0;

  for (guint i = 0; i < c->n; i++) {
    const guint value = get (c, a, i);

    if (g_rand_boolean (c->random))
      set (c, &b, i, value < 2 ? value + 2 : value - 2);
    distance += ABS ((gint) get (c, &b, i) - (gint) value);
  }
  CHECK (c, "is_repeated", 1, c->loops->is_repeated (a, &b, c->n), distance < c->n);
}

static void
check_repeat (const Case * c, const Row * a)
{
  for (guint sub = 1; sub <= 3; sub++) {
    for (guint skip = 0; skip < 1u << sub; skip++) {
      Row out;

      clear_row (&out);
      c->loops->repeat (a, skip, sub, &out, c->n);
      for (guint i = 0; i < c->n; i++)
        CHECK (c, "repeat", i, get (c, &out, i), get (c, a, (i + skip) >> sub));
      check_end (c, &out, c->n);
    }
  }
}

static void
check_matrix (const Case * c, const Row rows[3])
{
  HistoMatrix matrix = {.max = c->color.max,.shift = c->color.bits };
  ReferenceMatrix expected = {.max = c->color.max,.bits = c->color.bits };
  Row out[3], all[4];
  gpointer const pointers[4] = { &all[0], &all[1], &all[2], &all[3] };

  for (guint i = 0; i < 3; i++) {
    expected.from[i] = matrix.from[i] = g_rand_int_range (c->random, 0, c->color.mid);
    expected.to[i] = matrix.to[i] = g_rand_int_range (c->random, 0, c->color.mid);
    for (guint j = 0; j < 3; j++)
      matrix.coefficients[i][j] =
          g_rand_int_range (c->random, -(2 << matrix.shift), 2 << matrix.shift);
    /* Those of U and V may be greater than 2. */
    if (g_rand_boolean (c->random))
      matrix.coefficients[i][g_rand_int_range (c->random, 0, 3)] =
          g_rand_int_range (c->random, -(9 << matrix.shift) / 4, (9 << matrix.shift) / 4);
    for (guint j = 0; j < 3; j++)
      expected.coefficients[i][j] = matrix.coefficients[i][j];
    clear_row (&out[i]);
  }
  for (guint r = 0; r < 4; r++)
    clear_row (&all[r]);
  for (guint r = 0; r < 3; r++) {
    c->loops->matrix (&matrix, r, &rows[0], &rows[1], &rows[2], &out[r], c->n);
    check_end (c, &out[r], c->n);
  }
  c->loops->matrices (&matrix, &rows[0], &rows[1], &rows[2], pointers, c->n);
  for (guint r = 0; r < 4; r++)
    check_end (c, &all[r], c->n);
  for (guint i = 0; i < c->n; i++) {
    const gint64 values[3] = { get (c, &rows[0], i), get (c, &rows[1], i), get (c, &rows[2], i) };
    guint most = 0;

    for (guint r = 0; r < 3; r++) {
      const guint value = reference_matrix_row (&expected, r, values);

      CHECK (c, "matrix", i, get (c, &out[r], i), value);
      CHECK (c, "matrices", i, get (c, &all[r], i), value);
      most = MAX (most, value);
    }
    CHECK (c, "matrices, the greatest", i, get (c, &all[3], i), most);
  }
}

/* Only of words. */
static void
check_chroma (const Case * c, const Row * u, const Row * v)
{
  Row saturation, hue;

  clear_row (&saturation);
  clear_row (&hue);
  c->loops->chroma (u, v, &saturation, &hue, c->n, c->depth);
  for (guint i = 0; i < c->n; i++) {
    const gint64 x = (gint64) get (c, u, i) - c->color.mid, y = (gint64) get (c, v, i) - c->color.mid;

    CHECK (c, "saturation", i, saturation.words[i], reference_color_saturation (x, y));
    CHECK (c, "hue", i, hue.words[i], reference_color_hue (&c->color, x, y));
  }
  check_end (c, &saturation, c->n);
  check_end (c, &hue, c->n);
}

/* The fields of words of each size, in both orders. */
static void
check_extract (const Case * c)
{
  static const guint periods[] = { 1, 2, 4, 8 };
  const guint n = MIN (c->n, MOST / 8);

  for (guint k = 0; k < G_N_ELEMENTS (periods); k++) {
    const guint period = periods[k];
    const HistoField field = {.period = period,.swap = g_rand_boolean (c->random) && period > 1,
      .shift = g_rand_int_range (c->random, 0, 8 * period),.mask = (1u << c->depth) - 1
    };
    Row in, out;

    for (guint i = 0; i < sizeof in.bytes; i++)
      in.bytes[i] = g_rand_int (c->random);
    clear_row (&out);
    c->loops->extract (in.bytes + 1, &field, &out, n);
    for (guint i = 0; i < n; i++) {
      guint64 word = 0;

      for (guint b = 0; b < period; b++)
        word |= (guint64) in.bytes[1 + i * period + ((G_BYTE_ORDER == G_BIG_ENDIAN) != field.swap ?
                period - 1 - b : b)] << 8 * b;
      CHECK (c, "extract", i, get (c, &out, i), word >> field.shift & field.mask);
    }
    check_end (c, &out, n);
  }
}

/* Only of bytes. Some rows are not wanted. */
static void
check_split (const Case * c)
{
  const guint n = MIN (c->n, MOST / 4);

  for (guint period = 2; period <= 4; period++) {
    Row in, out[4];
    gpointer rows[4];

    for (guint i = 0; i < sizeof in.bytes; i++)
      in.bytes[i] = g_rand_int (c->random);
    for (guint k = 0; k < 4; k++) {
      clear_row (&out[k]);
      rows[k] = g_rand_int_range (c->random, 0, 4) > 0 ? &out[k] : NULL;
    }
    c->loops->split (in.bytes + 1, period, rows, n);
    for (guint k = 0; k < period; k++) {
      for (guint i = 0; i < n && rows[k] != NULL; i++)
        CHECK (c, "split", i, out[k].bytes[i], in.bytes[1 + i * period + k]);
      CHECK (c, "the end of split", n, out[k].bytes[rows[k] != NULL ? n : 0], GUARD);
    }
  }
}

static void
check_split_words (const Case * c)
{
  const guint n = MIN (c->n, MOST / 4);

  for (guint kind = 0; kind < 4; kind++) {
    const gboolean swap = kind % 2;
    const guint shift = kind < 2 ? 0 : g_rand_int_range (c->random, 1, 8);
    Row in, out[4];
    gpointer rows[4];

    for (guint i = 0; i < sizeof in.bytes; i++)
      in.bytes[i] = g_rand_int (c->random);
    for (guint k = 0; k < 4; k++) {
      clear_row (&out[k]);
      rows[k] = g_rand_int_range (c->random, 0, 4) > 0 ? &out[k] : NULL;
    }
    c->loops->split_words (in.bytes + 1, swap, shift, rows, n);
    for (guint k = 0; k < 4; k++) {
      for (guint i = 0; i < n && rows[k] != NULL; i++) {
        const guint8 *word = in.bytes + 1 + 8 * i + 2 * k;

        CHECK (c, "split_words", i, out[k].words[i], (swap != (G_BYTE_ORDER == G_BIG_ENDIAN) ? word[0] << 8 | word[1] :
            word[1] << 8 | word[0]) >> shift);
      }
      CHECK (c, "the end of split_words", n, out[k].words[rows[k] != NULL ? n : 0], GUARD << 8 | GUARD);
    }
  }
}

static void
check_tens (const Case * c)
{
  const guint n = MIN (c->n, MOST / 3 - 1);
  guint8 in[4 * (MOST / 3) + 1];
  Row out;

  for (guint i = 0; i < sizeof in; i++)
    in[i] = g_rand_int (c->random);
  clear_row (&out);
  c->loops->split_tens (in + 1, out.words, n);
  for (guint i = 0; i < 3 * n; i++)
    CHECK (c, "split_tens", i, out.words[i],
        GST_READ_UINT32_LE (in + 1 + i / 3 * 4) >> i % 3 * 10 & 0x3ff);
  CHECK (c, "the end of split_tens", n, out.words[3 * n], GUARD << 8 | GUARD);
}

static void
check_single_rows (const Case * c, const Row rows[3])
{
  guint16 *table = g_new (guint16, 1 << c->depth);
  Row stretched, looked_up, most;

  for (guint v = 0; v < 1u << c->depth; v++)
    table[v] = g_rand_int (c->random) & ((1 << c->depth) - 1);
  clear_row (&stretched);
  clear_row (&looked_up);
  clear_row (&most);
  c->loops->stretch (&rows[0], &stretched, c->n, c->depth);
  c->loops->look_up (&rows[0], table, &looked_up, c->n);
  c->loops->maximum (&rows[0], &rows[1], &rows[2], &most, c->n);
  for (guint i = 0; i < c->n; i++) {
    const guint value = get (c, &rows[0], i), other = get (c, &rows[1], i);

    CHECK (c, "stretch", i, get (c, &stretched, i),
        reference_color_siti (&c->color, value));
    CHECK (c, "look_up", i, get (c, &looked_up, i), table[value]);
    CHECK (c, "maximum", i, get (c, &most, i),
        MAX (MAX (value, other), get (c, &rows[2], i)));
  }
  check_end (c, &stretched, c->n);
  check_end (c, &looked_up, c->n);
  check_end (c, &most, c->n);
  g_free (table);
}

/* Whole groups of rows, and fewer, are added to what is there. */
static void
check_columns (const Case * c, const Row rows[3])
{
  for (guint n_rows = 1; n_rows <= HISTO_SUM_ROWS; n_rows++) {
    guint32 columns[MOST + 1] = { 0, };
    guint64 sums[HISTO_SUM_ROWS], expected[HISTO_SUM_ROWS];
    gconstpointer group[HISTO_SUM_ROWS];

    for (guint r = 0; r < n_rows; r++) {
      group[r] = &rows[r % 3];
      expected[r] = sums[r] = r;
    }
    for (guint i = 0; i <= c->n; i++)
      columns[i] = i;
    c->loops->add_columns (group, n_rows, columns, sums, c->n);
    for (guint i = 0; i < c->n; i++) {
      guint column = i;

      for (guint r = 0; r < n_rows; r++) {
        column += get (c, group[r], i);
        expected[r] += get (c, group[r], i);
      }
      CHECK (c, "add_columns", i, columns[i], column);
    }
    CHECK (c, "the end of add_columns", c->n, columns[c->n], c->n);
    for (guint r = 0; r < n_rows; r++)
      CHECK (c, "the sums of add_columns", r, sums[r], expected[r]);
  }
}

static void
check_range (const Case * c, const Row rows[3])
{
  guint count = 0, count_luma = 0;
  gboolean any = FALSE, found;
  Row flags;

  clear_row (&flags);
  found = c->loops->chroma_out_of_range (&rows[1], &rows[2], &flags, c->n, c->depth);
  check_end (c, &flags, c->n);
  for (guint i = 0; i < c->n; i++) {
    const gboolean luma = reference_color_luma_is_out (&c->color, get (c, &rows[0], i));
    const gboolean chroma = reference_color_chroma_is_out (&c->color, get (c, &rows[1], i))
        || reference_color_chroma_is_out (&c->color, get (c, &rows[2], i));

    CHECK (c, "chroma_out_of_range", i, get (c, &flags, i), chroma);
    any |= chroma;
    count += luma || chroma;
    count_luma += luma;
  }
  CHECK (c, "any chroma_out_of_range", 0, found != 0, any);
  CHECK (c, "count_out_of_range", 0, c->loops->count_out_of_range (&rows[0],
          &flags, c->n, c->depth), count);
  CHECK (c, "count_out_of_range", 1, c->loops->count_out_of_range (&rows[0],
          NULL, c->n, c->depth), count_luma);
}

static gboolean
is_outlier (const Case * c, const Row rows[5], guint i, guint distance)
{
  return reference_color_is_outlier (&c->color, get (c, &rows[2 - distance], i),
      get (c, &rows[2], i), get (c, &rows[2 + distance], i));
}

static void
check_outliers (const Case * c, Row rows[5])
{
  gconstpointer near[5] = { NULL, &rows[1], &rows[2], &rows[3], NULL };
  gconstpointer all[5] = { &rows[0], &rows[1], &rows[2], &rows[3], &rows[4] };
  guint n_near = 0, n_all = 0;

  /* Runs of outliers of all sizes. */
  for (guint i = 0; i < c->n; i++) {
    const guint change = g_rand_int_range (c->random, 0, 8) << (c->depth - 8);

    if (g_rand_int_range (c->random, 0, 3) > 0)
      set (c, &rows[2], i, get (c, &rows[1], i) ^ change);
  }
  for (guint i = 1; i + 1 < c->n; i++) {
    gboolean is_near = TRUE, is_far = TRUE;

    for (guint k = i - 1; k <= i + 1; k++) {
      is_near &= is_outlier (c, rows, k, 1);
      is_far &= is_outlier (c, rows, k, 2);
    }
    n_near += is_near;
    n_all += is_near && is_far;
  }
  CHECK (c, "count_outliers, near", 0,
      c->loops->count_outliers (near, c->n, c->depth), n_near);
  CHECK (c, "count_outliers", 0, c->loops->count_outliers (all, c->n, c->depth),
      n_all);
}

static void
check_gradients (const Case * c, const Row rows[3])
{
  gconstpointer pointers[3] = { &rows[0], &rows[1], &rows[2] };
  guint64 sum = 0, squares = 0, expected_sum = 0, expected_squares = 0;
  Row out;

  clear_row (&out);
  c->loops->gradients (pointers, &out, c->n, c->depth, &sum, &squares);
  for (guint i = 0; i + 2 < c->n; i++) {
    gint64 near[3][3];
    guint64 fixed;

    for (guint k = 0; k < 9; k++)
      near[k / 3][k % 3] = get (c, &rows[k / 3], i + k % 3);
    CHECK (c, "gradients", i, get (c, &out, i),
        reference_color_gradient (&c->color, near, &fixed));
    expected_sum += fixed;
    expected_squares += fixed * fixed;
  }
  check_end (c, &out, MAX (c->n, 2) - 2);
  CHECK (c, "the sum of gradients", 0, sum, expected_sum);
  CHECK (c, "the squares of gradients", 0, squares, expected_squares);
}

/* Each loop by itself gives the same as all at once. */
static void
check_threes (const Case * c, const Row rows[3])
{
  const gconstpointer pointers[3] = { &rows[0], &rows[1], &rows[2] };
  const HistoMatrix matrix = {.coefficients = {{4899, 9617, 1868}},.shift = HISTO_MATRIX_SHIFT,.max = 255 };
  const guint n = HISTO_THREES (c->n), n_columns = MIN (n + 2, c->n);
  g_autofree guint8 *in = g_malloc (3 * c->n + 1);
  HistoThreesCounters counters = { 0, };
  guint expected[3][256] = { 0, };
  guint64 sum = 0, squares = 0, expected_sum = 0;
  Row luma, out;

  for (guint i = 0; i < 3 * c->n; i++)
    in[i] = i % 64 == 0 ? 255 : g_rand_int_range (c->random, 0, i % 256 + 1);
  clear_row (&luma);
  if (!c->loops->count_threes (in, &matrix, luma.bytes, pointers, c->n, counters, &sum))
    return;
  for (guint i = 0; i < n; i++) {
    CHECK (c, "luma of threes", i, luma.bytes[i], histo_matrix_row (&matrix, 0, in[3 * i], in[3 * i + 1], in[3 * i + 2]));
    for (guint k = 0; k < 3; k++)
      expected[k][in[3 * i + k]]++;
  }
  check_end (c, &luma, n);
  for (guint i = 0; i < 3 * 256; i++) {
    guint count = 0;

    for (guint copy = 0; copy < HISTO_THREES_COPIES; copy++)
      count += counters[i / 256][copy][i % 256];
    CHECK (c, "counters of threes", i, count, expected[i / 256][i % 256]);
  }
  c->loops->gradients (pointers, &out, n == 0 ? 0 : n_columns, c->depth, &expected_sum, &squares);
  CHECK (c, "the sum of gradients of threes", 0, sum, expected_sum);
  sum = 0;
  c->loops->count_threes (in, &matrix, luma.bytes, NULL, c->n, counters, &sum);
  CHECK (c, "no gradients of threes", 0, sum, 0);
}

/* ---- Gamut ---------------------------------------------------------------------------------- */

/* A row of values of gamut, with those before and behind it. Of both types. */
typedef union
{
  gint16 words[MOST + 64];
  gint32 longs[MOST + 64];
} Values;

#define FIRST_VALUE 16
/* It fits in both types, and no formula makes it of the rows. */
#define VALUE_GUARD 0x5a5a

static gpointer
values_of (const Case * c, Values * row)
{
  return c->is_wide ? (gpointer) (row->longs + FIRST_VALUE) : (gpointer) (row->words + FIRST_VALUE);
}

static gint32
get_value (const Case * c, const Values * row, gint i)
{
  return c->is_wide ? row->longs[FIRST_VALUE + i] : row->words[FIRST_VALUE + i];
}

static void
set_value (const Case * c, Values * row, gint i, gint32 value)
{
  if (c->is_wide)
    row->longs[FIRST_VALUE + i] = value;
  else
    row->words[FIRST_VALUE + i] = value;
}

static void
clear_values (const Case * c, Values rows[4])
{
  for (guint r = 0; r < 4; r++)
    for (guint i = 0; i < c->n + 1; i++)
      set_value (c, &rows[r], i, VALUE_GUARD);
}

static void
check_values_end (const Case * c, const Values rows[4])
{
  for (guint r = 0; r < 4; r++)
    CHECK (c, "the end of gamut", r, get_value (c, &rows[r], c->n), VALUE_GUARD);
}

/* Y, U and V, or R, G and B, to R, G, B and Y: BT.2020 has the largest factors. */
static HistoGamut
random_gamut (const Case * c, gboolean is_rgb)
{
  const gdouble red = g_rand_boolean (c->random) ? 0.2627 : 0.2126, blue = red > 0.25 ? 0.0593 : 0.0722;
  const gdouble green = 1 - red - blue;
  const gdouble yuv[4][3] = { {1, 0, 2 * (1 - red)},
    {1, -2 * (1 - blue) * blue / green, -2 * (1 - red) * red / green}, {1, 2 * (1 - blue), 0}, {1, 0, 0}
  };
  const gdouble rgb[4][3] = { {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {red, green, blue} };
  const gint f = 1 << (c->depth - 8);
  const gdouble scale = g_rand_boolean (c->random) ? 1 : 219.0 / 255;
  HistoGamut gamut = {.black = 16 * f,.shift = c->depth <= 12 ? HISTO_GAMUT_SHIFT : HISTO_DEEP_GAMUT_SHIFT };

  for (guint j = 0; j < 3; j++) {
    gamut.from[j] = !is_rgb && j > 0 ? c->color.mid : scale == 1 ? 16 * f : 0;
    for (guint i = 0; i < 4; i++)
      gamut.coefficients[i][j] = llrint ((is_rgb ? rgb : yuv)[i][j] * scale * (1 << gamut.shift));
  }
  return gamut;
}

/* The numbers of the rows that @counts should have besides what it has. */
static void
expect_counts (const Case * c, const Values rows[4], HistoGamutCounts * counts)
{
  const gint32 low = histo_gamut_least (c->depth), high = histo_gamut_greatest (c->depth);

  for (guint i = 0; i < c->n; i++) {
    gboolean any = FALSE;

    for (guint r = 0; r < 4; r++) {
      const gint32 value = get_value (c, &rows[r], i);
      const gboolean is_outside = value < low || value > high;

      any |= is_outside;
      counts->outside[r] += is_outside;
      counts->least[r] = MIN (counts->least[r], value);
      counts->greatest[r] = MAX (counts->greatest[r], value);
    }
    counts->any += any;
  }
}

/* @counts: so far */
static void
check_gamut_counts (const Case * c, Values rows[4], HistoGamutCounts * counts)
{
  gconstpointer pointers[4];
  HistoGamutCounts expected = *counts;

  for (guint r = 0; r < 4; r++)
    pointers[r] = values_of (c, &rows[r]);
  c->loops->count_gamut (pointers, c->n, c->depth, counts);
  expect_counts (c, rows, &expected);
  for (guint r = 0; r < 4; r++) {
    CHECK (c, "outside", r, counts->outside[r], expected.outside[r]);
    CHECK (c, "least", r, counts->least[r], expected.least[r]);
    CHECK (c, "greatest", r, counts->greatest[r], expected.greatest[r]);
  }
  CHECK (c, "any outside", 0, counts->any, expected.any);
}

/* Makes the rows of gamut and continues them to both sides. */
static void
check_gamut_rows (const Case * c, const Row rows[3], gboolean is_rgb, Values out[4])
{
  const HistoGamut gamut = random_gamut (c, is_rgb);
  gpointer pointers[4];

  clear_values (c, out);
  for (guint r = 0; r < 4; r++)
    pointers[r] = values_of (c, &out[r]);
  c->loops->gamut (&gamut, is_rgb, &rows[0], &rows[1], &rows[2], pointers, c->n);
  check_values_end (c, out);
  for (guint r = 0; r < 4; r++) {
    for (guint i = 0; i < c->n; i++)
      CHECK (c, "gamut", i, get_value (c, &out[r], i), histo_gamut_row (&gamut, r, get (c, &rows[0], i),
              get (c, &rows[1], i), get (c, &rows[2], i)));
    for (gint i = 1; i <= HISTO_GAMUT_REACH; i++) {
      set_value (c, &out[r], -i, get_value (c, &out[r], 0));
      set_value (c, &out[r], c->n - 1 + i, get_value (c, &out[r], c->n - 1));
    }
  }
}

static void
check_added_gamut (const Case * c, const Row * luma, const gint16 * const chroma[3], const Values expected[4])
{
  static Values sums[4];
  gpointer pointers[4];

  for (guint r = 0; r < 4; r++)
    pointers[r] = values_of (c, &sums[r]);
  clear_values (c, sums);
  c->loops->add_gamut (luma, chroma, pointers, c->n);
  check_values_end (c, sums);
  for (guint r = 0; r < 4; r++)
    for (guint i = 0; i < c->n; i++)
      CHECK (c, "add_gamut", i, get_value (c, &sums[r], i), get_value (c, &expected[r], i));
}

/* Of YUV in limited range, @in is Y and what chroma adds to it. @rows: of Y, U, V */
/* Sums of Y and chroma, and what the filter makes of three rows, all of 16 bits. @chroma: of one row; also for the others */
static void
check_narrow_gamut (const Case * c, const Row rows[3], const gint16 * const chroma[3])
{
  static const gint weights[] = { 1, 2, 3, 4, 3, 2, 1 };
  static guint16 across[4][3][MOST + 1];
  const gint32 low = histo_gamut_least (c->depth), high = histo_gamut_greatest (c->depth);
  HistoGamutCounts counts = {.outside = {1, 2, 3, 4},.any = 5 }, expected = counts;
  const guint16 *pointers[4][3];

  for (guint k = 0; k < 4 * 3; k++) {
    const gint16 *more = k / 3 < 3 ? chroma[k / 3] : NULL;
    guint16 *out = across[k / 3][k % 3];

    out[c->n] = VALUE_GUARD;
    c->loops->gamut_across_of_sums (&rows[k % 3], more, out, c->n);
    for (guint i = 0; i < c->n; i++) {
      gint32 sum = 0;

      for (gint j = 0; j < (gint) G_N_ELEMENTS (weights); j++) {
        const gint at = CLAMP ((gint) i + j - HISTO_GAMUT_REACH, 0, (gint) c->n - 1);

        sum += weights[j] * ((gint32) get (c, &rows[k % 3], at) + (more == NULL ? 0 : more[at]));
      }
      CHECK (c, "gamut_across_of_sums", i, out[i], HISTO_NARROW_GAMUT (sum));
    }
    CHECK (c, "the end of gamut_across_of_sums", k, out[c->n], VALUE_GUARD);
  }
  for (guint r = 0; r < 4; r++) {
    const gboolean is_inside = g_rand_int_range (c->random, 0, 4) == 0;

    for (guint k = 0; k < 3; k++)
      pointers[r][k] = is_inside ? NULL : across[r][k];
  }
  c->loops->count_filtered ((const guint16 * const (*)[3]) pointers, c->n, c->depth, &counts);
  for (guint i = 0; i < c->n; i++) {
    gboolean any = FALSE;

    for (guint r = 0; r < 4; r++) {
      gint32 sum[3], value;

      for (guint k = 0; k < 3; k++)
        sum[k] = G_MAXINT16 - across[r][k][i];
      value = (gint32) floor ((sum[0] + 2 * sum[1] + sum[2] + 32) / 64.0);
      if (pointers[r][0] == NULL || (value >= low && value <= high))
        continue;
      expected.outside[r]++;
      any = TRUE;
    }
    expected.any += any;
  }
  for (guint r = 0; r < 4; r++)
    CHECK (c, "filtered outside", r, counts.outside[r], expected.outside[r]);
  CHECK (c, "any filtered outside", 0, counts.any, expected.any);
}

static void
check_gamut_of_sums (const Case * c, const Row rows[3], HistoGamutCounts * counts)
{
  HistoGamut gamut = random_gamut (c, FALSE);
  const guint sub = g_rand_int_range (c->random, 0, 3), skip = g_rand_int_range (c->random, 0, 1 << sub);
  static gint16 chroma[3][MOST + 1];
  gint16 *const out[3] = { chroma[0], chroma[1], chroma[2] };
  const gint16 *const in[3] = { chroma[0], chroma[1], chroma[2] };
  HistoGamutCounts expected = *counts;
  Values values[4];

  if (!histo_gamut_is_sum (&gamut, FALSE)) {
    CHECK (c, "a sum of 16 bits", 0, c->depth <= 12 && gamut.from[0] > 0, FALSE);
    return;
  }
  fail_if (histo_gamut_is_sum (&gamut, TRUE));
  for (guint r = 0; r < 3; r++)
    out[r][c->n] = VALUE_GUARD;
  c->loops->gamut_of_chroma (&gamut, &rows[1], &rows[2], skip, sub, out, c->n);
  for (guint r = 0; r < 4; r++) {
    for (guint i = 0; i < c->n; i++) {
      const guint at = (i + skip) >> sub;
      const gint32 y = get (c, &rows[0], i);

      set_value (c, &values[r], i, histo_gamut_row (&gamut, r, y, get (c, &rows[1], at), get (c, &rows[2], at)));
      if (r < 3)
        CHECK (c, "gamut_of_chroma", i, y + out[r][i], get_value (c, &values[r], i));
    }
    if (r < 3)
      CHECK (c, "the end of gamut_of_chroma", r, out[r][c->n], VALUE_GUARD);
  }
  check_added_gamut (c, &rows[0], in, values);
  c->loops->count_gamut_of_sums (&rows[0], in, c->n, c->depth, counts);
  expect_counts (c, values, &expected);
  for (guint r = 0; r < 4; r++) {
    CHECK (c, "sums outside", r, counts->outside[r], expected.outside[r]);
    CHECK (c, "least sum", r, counts->least[r], expected.least[r]);
    CHECK (c, "greatest sum", r, counts->greatest[r], expected.greatest[r]);
  }
  CHECK (c, "any sum outside", 0, counts->any, expected.any);
  if (c->depth <= HISTO_NARROW_GAMUT_DEPTH)
    check_narrow_gamut (c, rows, in);
}

static void
check_across (const Case * c, Values in[4], Values out[4])
{
  static const gint weights[] = { 1, 2, 3, 4, 3, 2, 1 };

  clear_values (c, out);
  for (guint r = 0; r < 4; r++) {
    c->loops->gamut_across (values_of (c, &in[r]), values_of (c, &out[r]), c->n);
    for (guint i = 0; i < c->n; i++) {
      gint32 sum = 0;

      for (gint k = 0; k < (gint) G_N_ELEMENTS (weights); k++)
        sum += weights[k] * get_value (c, &in[r], (gint) i + k - HISTO_GAMUT_REACH);
      CHECK (c, "gamut_across", i, get_value (c, &out[r], i), sum);
    }
  }
  check_values_end (c, out);
}

static void
check_filtered (const Case * c, Values across[3][4], Values out[4])
{
  clear_values (c, out);
  for (guint r = 0; r < 4; r++) {
    c->loops->gamut_filtered (values_of (c, &across[0][r]), values_of (c, &across[1][r]),
        values_of (c, &across[2][r]), values_of (c, &out[r]), c->n);
    for (guint i = 0; i < c->n; i++) {
      const gint32 sum = get_value (c, &across[0][r], i) + 2 * get_value (c, &across[1][r], i)
          + get_value (c, &across[2][r], i);

      CHECK (c, "gamut_filtered", i, get_value (c, &out[r], i), (gint32) floor ((sum + 32) / 64.0));
    }
  }
  check_values_end (c, out);
}

/* Three rows, and what the filter makes of them. */
static void
check_gamut (const Case * c, const Row rows[5])
{
  const gboolean is_rgb = g_rand_boolean (c->random);
  HistoGamutCounts counts = {.any = 1,.least = {G_MAXINT32, 5, 5, 5},.greatest = {G_MININT32, 5, 5, 5} };
  Values values[4], across[3][4], filtered[4];

  for (guint k = 0; k < 3; k++) {
    check_gamut_rows (c, &rows[k], is_rgb, values);
    check_gamut_counts (c, values, &counts);
    check_across (c, values, across[k]);
  }
  check_filtered (c, across, filtered);
  check_gamut_counts (c, filtered, &counts);
  check_gamut_of_sums (c, rows, &counts);
}

/* ---- Flashes and fields --------------------------------------------------------------------- */

/* Of the scene's light of HLG: five times the display's, but no more than 65535. Any powers will do. */
static void
make_light_of_hlg (const guint16 * powers, guint64 rgb[3])
{
  const guint16 power = powers[(17216 * rgb[0] + 44433 * rgb[1] + 3887 * rgb[2] + 32768) / 65536];

  for (guint i = 0; i < 3; i++)
    rgb[i] = MIN (power * rgb[i] / 65536 * 5, G_MAXUINT16);
}

/* Rows of light, from loops that know nothing but rows of samples and the tables. */
static void
check_light (const Case * c, const Row rows[3], guint16 * luminance, guint16 * red)
{
  static guint16 powers[G_MAXUINT16 + 1];
  guint16 *table = g_new (guint16, 1 << c->depth);
  const gboolean is_steep = g_rand_boolean (c->random), is_hlg = g_rand_boolean (c->random);
  gboolean has_red;
  guint any_red = 0;

  /* Extremes as well, so that red is often saturated. */
  for (guint v = 0; v < 1u << c->depth; v++) {
    const guint32 noise = g_rand_int (c->random);

    table[v] = is_steep ? (noise & 1) * (G_MAXUINT16 - (noise >> 30)) : noise >> 16;
  }
  for (guint y = 0; y <= G_MAXUINT16; y++)
    powers[y] = 40503 * y;
  luminance[c->n] = red[c->n] = VALUE_GUARD;
  if (is_hlg)
    has_red = c->loops->light_of_hlg (table, powers, &rows[0], &rows[1], &rows[2], luminance, red, c->n);
  else
    has_red = c->loops->light (table, &rows[0], &rows[1], &rows[2], luminance, red, c->n);
  for (guint i = 0; i < c->n; i++) {
    guint64 rgb[3], r, g, b;

    for (guint k = 0; k < 3; k++)
      rgb[k] = table[get (c, &rows[k], i)];
    if (is_hlg)
      make_light_of_hlg (powers, rgb);
    r = rgb[0], g = rgb[1], b = rgb[2];
    CHECK (c, "luminance", i, luminance[i], (13933 * r + 46871 * g + 4732 * b + 32768) / 65536);
    any_red |= red[i];
    CHECK (c, "red", i, red[i], 5 * r >= 4 * (r + g + b) ? MAX ((gint64) r - (gint64) g - (gint64) b, 0) : 0);
  }
  CHECK (c, "any red", 0, has_red, any_red != 0);
  CHECK (c, "the end of light", 0, luminance[c->n], VALUE_GUARD);
  CHECK (c, "the end of light", 1, red[c->n], VALUE_GUARD);
  g_free (table);
}

/* @before: (nullable): */
static void
check_light_counts (const Case * c, const guint16 * now, const guint16 * before, guint step, guint dark)
{
  HistoLightCounts counts = {.sum = 1,.changed = 2,.up = 3,.down = 4 }, expected = counts;

  c->loops->count_light (now, before, c->n, step, dark, &counts);
  for (guint i = 0; i < c->n; i++) {
    expected.sum += now[i];
    if (before == NULL)
      continue;
    expected.changed += now[i] != before[i];
    expected.up += now[i] >= before[i] + step && before[i] < dark;
    expected.down += before[i] >= now[i] + step && now[i] < dark;
  }
  CHECK (c, "the sum of light", 0, counts.sum, expected.sum);
  CHECK (c, "changed light", 0, counts.changed, expected.changed);
  CHECK (c, "light that goes up", 0, counts.up, expected.up);
  CHECK (c, "light that goes down", 0, counts.down, expected.down);
}

static void
check_flashes (const Case * c, const Row rows[5])
{
  guint16 luminance[2][MOST + 1], red[2][MOST + 1];

  for (guint k = 0; k < 2; k++)
    check_light (c, &rows[2 * k], luminance[k], red[k]);
  /* Changes by about a step, and none. */
  for (guint i = 0; i < c->n; i++) {
    const gint32 change = g_rand_int_range (c->random, -1, 2), step = g_rand_int_range (c->random, -1, 2);

    if (g_rand_boolean (c->random))
      luminance[1][i] = CLAMP (luminance[0][i] + step * HISTO_FLASH_STEP + change, 0, G_MAXUINT16);
    if (g_rand_boolean (c->random))
      red[1][i] = CLAMP (red[0][i] + step * HISTO_FLASH_RED_STEP + change, 0, G_MAXUINT16);
    if (g_rand_int_range (c->random, 0, 8) == 0)
      luminance[0][i] = HISTO_FLASH_DARK + change;
  }
  check_light_counts (c, luminance[0], luminance[1], HISTO_FLASH_STEP, HISTO_FLASH_DARK);
  check_light_counts (c, red[0], red[1], HISTO_FLASH_RED_STEP, G_MAXUINT16 + 1);
  check_light_counts (c, luminance[0], NULL, HISTO_FLASH_STEP, HISTO_FLASH_DARK);
}

static void
check_field_sums (const Case * c, const Row rows[3], const Row * previous)
{
  gconstpointer now[3] = { &rows[0], &rows[1], &rows[2] }, before[3];
  HistoFieldRow sums = { 1, 2, 3, 4 }, expected = sums;

  for (guint k = 0; k < 3 && previous != NULL; k++)
    before[k] = &previous[k];
  c->loops->add_field (now, previous == NULL ? NULL : before, c->n, c->depth, &sums);
  for (guint i = 0; i < c->n; i++) {
    const gint64 around = get (c, &rows[0], i) + get (c, &rows[2], i), sample = get (c, &rows[1], i);
    gint64 of_previous, around_previous;

    expected.current += ABS (around - 2 * sample);
    if (previous == NULL)
      continue;
    of_previous = get (c, &previous[1], i);
    around_previous = get (c, &previous[0], i) + get (c, &previous[2], i);
    expected.previous += ABS (around - 2 * of_previous);
    expected.next += ABS (around_previous - 2 * sample);
    expected.change += ABS (sample - of_previous);
  }
  CHECK (c, "field, current", 0, sums.current, expected.current);
  CHECK (c, "field, previous", 0, sums.previous, expected.previous);
  CHECK (c, "field, next", 0, sums.next, expected.next);
  CHECK (c, "field, change", 0, sums.change, expected.change);
}

static void
check_comb (const Case * c, const Row rows[5])
{
  const gint64 least = 9 << (c->depth - 8);
  gconstpointer pointers[5] = { &rows[0], &rows[1], &rows[2], &rows[3], &rows[4] };
  guint expected = 0;

  for (guint i = 0; i < c->n; i++) {
    const gint64 of[5] = { get (c, &rows[0], i), get (c, &rows[1], i), get (c, &rows[2], i), get (c, &rows[3], i),
      get (c, &rows[4], i)
    };

    expected += ABS (of[2] - of[1]) > least && ABS (of[2] - of[3]) > least
        && ABS (4 * of[2] - 3 * (of[1] + of[3]) + of[0] + of[4]) > 6 * least;
  }
  CHECK (c, "count_combed", 0, c->loops->count_combed (pointers, c->n, c->depth), expected);
}

/* The middle row differs by about the limits of combing. */
static void
check_fields (const Case * c, const Row rows[6])
{
  Row combed[5];

  check_field_sums (c, rows, &rows[3]);
  check_field_sums (c, rows, NULL);
  check_comb (c, rows);
  for (guint k = 0; k < 5; k++)
    combed[k] = rows[5];
  for (guint i = 0; i < c->n; i++) {
    const gint step = g_rand_int_range (c->random, 8 << (c->depth - 8), (15 << (c->depth - 8)) + 1);
    const gint value = get (c, &rows[5], i) + (g_rand_boolean (c->random) ? step : -step);

    set (c, &combed[2], i, CLAMP (value, 0, (gint) c->color.max));
  }
  check_comb (c, combed);
}

/* ---- All loops ------------------------------------------------------------------------------ */

static void
check_width (Case * c)
{
  Row rows[6];

  for (guint i = 0; i < 6; i++)
    fill_row (c, &rows[i]);
  check_differences (c, &rows[0], &rows[1]);
  check_repeated (c, &rows[0]);
  check_steps (c, &rows[0]);
  check_repeat (c, &rows[0]);
  check_extract (c);
  check_tens (c);
  if (!c->is_wide)
    check_split (c);
  else
    check_split_words (c);
  check_matrix (c, rows);
  if (c->is_wide)
    check_chroma (c, &rows[1], &rows[2]);
  check_single_rows (c, rows);
  check_columns (c, rows);
  check_range (c, rows);
  check_gradients (c, rows);
  if (!c->is_wide)
    check_threes (c, rows);
  check_gamut (c, rows);
  check_flashes (c, rows);
  check_fields (c, rows);
  /* Changes a row. */
  check_outliers (c, rows);
}

/* Each width, with the loops of every processor and with those of this one. */
static void
check_loops (gboolean is_wide, guint depth)
{
  Case c = {.is_wide = is_wide,.depth = depth,.color = limited_color (depth),
    .random = test_random ()
  };

  for (HistoInstructions most = 0; most < HISTO_N_LOOPS; most++) {
    const HistoLoops *less = c.loops;

    c.loops = histo_loops_choose (is_wide, most);
    if (c.loops == less)
      continue;
    for (c.n = 1; c.n <= SHORT; c.n++)
      check_width (&c);
    for (guint k = 0; k < N_LONG; k++) {
      c.n = g_rand_int_range (c.random, SHORT + 1, MOST + 1);
      check_width (&c);
    }
  }
  g_rand_free (c.random);
}

TEST (test_bytes)
{
  for (guint i = 0; i < 5; i++)
    check_loops (FALSE, 8);
}

TEST_LOOP (test_words, 8, 17)
{
  check_loops (TRUE, __i__);
}

/* Sums of the extremes do not leave the type. */
TEST_LOOP (test_extreme_gamut, 8, 17)
{
  Case c = {.is_wide = __i__ > 8,.depth = __i__,.color = limited_color (__i__),.random = test_random () };
  Row rows[5];

  for (guint k = 0; k < 16; k++) {
    c.loops = histo_loops_choose (c.is_wide, k % 2 == 0 ? HISTO_LOOPS_PLAIN : HISTO_LOOPS_AVX512);
    c.n = 100;
    for (guint i = 0; i < 5; i++)
      for (guint x = 0; x < c.n; x++)
        set (&c, &rows[i], x, ((k / 2 * 0x49) >> i % 3 & 1) * c.color.max);
    check_gamut (&c, rows);
  }
  g_rand_free (c.random);
}

/* Chroma near neutral, of all directions. */
TEST (test_small_chroma)
{
  static const guint depths[] = { 9, 10, 12, 16 };

  for (guint k = 0; k < 2 * G_N_ELEMENTS (depths); k++) {
    Case c = {.is_wide = TRUE,.depth = depths[k / 2],.color = limited_color (depths[k / 2]),.n = 128,
      .loops = histo_loops_choose (TRUE, k % 2 == 0 ? HISTO_LOOPS_PLAIN : HISTO_LOOPS_AVX512)
    };
    Row u, v;

    memset (&u, GUARD, sizeof u);
    memset (&v, GUARD, sizeof v);
    for (guint y = 0; y < 128; y++) {
      for (guint x = 0; x < 128; x++) {
        u.words[x] = c.color.mid - 64 + x;
        v.words[x] = c.color.mid - 64 + y;
      }
      check_chroma (&c, &u, &v);
    }
  }
}

/* Near the squares of all roots, where a root that is rounded to a float may be rounded up; from roots that are off. */
TEST (test_saturation_near)
{
  guint n_wrong = 0;

  for (guint m = 1; m <= 46341; m += 1 + m % 7) {
    for (gint k = -200; k <= 1; k++) {
      const gint64 squares = (gint64) m * m + k;
      guint expected;

      if (squares < 0 || squares > G_GINT64_CONSTANT (1) << 31)
        continue;
      expected = (guint) (gfloat) sqrt ((gdouble) squares);
      for (guint root = MAX (expected, 1) - 1; root <= expected + 1; root++)
        n_wrong += histo_saturation_near (squares, root) != expected;
    }
  }
  fail_unless_equals_int (n_wrong, 0);
}

/* The same of the loops: x x + y y is near the square of x + 1. */
TEST_LOOP (test_saturation_near_roots, 0, HISTO_N_LOOPS)
{
  Case c = {.is_wide = TRUE,.depth = 16,.color = limited_color (16),.loops = histo_loops_choose (TRUE, __i__),
    .random = test_random ()
  };
  Row u, v;

  for (gint first = 0; first < c.color.mid; first += c.n) {
    c.n = MIN (c.color.mid - first, MOST);
    for (guint i = 0; i < c.n; i++) {
      const gint x = first + i, y = (gint) sqrt (2 * x + 1) + g_rand_int_range (c.random, -1, 2);

      u.words[i] = c.color.mid + (g_rand_boolean (c.random) ? x : -x);
      v.words[i] = c.color.mid + (g_rand_boolean (c.random) ? y : -y);
    }
    check_chroma (&c, &u, &v);
  }
  g_rand_free (c.random);
}

/* Every value of 8 bits. */
TEST (test_stretched_bytes)
{
  const ReferenceColor color = limited_color (8);

  for (HistoInstructions most = 0; most < HISTO_N_LOOPS; most++) {
    guint8 in[256], out[256];

    for (guint v = 0; v < 256; v++)
      in[v] = v;
    histo_loops_choose (FALSE, most)->stretch (in, out, 256, 8);
    for (guint v = 0; v < 256; v++)
      fail_unless_equals_int (out[v], reference_color_siti (&color, v));
  }
}

TEST_MAIN (20)
