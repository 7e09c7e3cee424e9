/* The loops of engine/cpu/loops.h, for one type of samples and one set of instructions.
 *
 * loops.c includes this file once for each. It defines SAMPLE, the type; TARGET, an attribute
 * of functions; and NAME(x), which makes the name of a function. Other macros make the names of loops that
 * may be written by hand: OWN(x) for this type, BOTH(x) for both types, EXTRACT(x) for words, and SPLIT(x)
 * for loops that do not depend on the type. The compiler makes vectors of the loops, so their bodies
 * have no branches, and sums are made in pieces short enough for 32 bits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* ---- Rows from rows ---------------------------------------------------------------------- */

static TARGET void
NAME (difference) (gconstpointer row_a, gconstpointer row_b, gpointer row_out,
    guint n)
{
  const SAMPLE *restrict a = row_a, *restrict b = row_b;
  SAMPLE *restrict out = row_out;

  for (guint i = 0; i < n; i++)
    out[i] = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
}

static TARGET void
NAME (repeat) (gconstpointer row_in, guint skip, guint sub, gpointer row_out,
    guint n)
{
  const SAMPLE *restrict in = row_in;
  SAMPLE *restrict out = row_out;
  guint i = 0;

  /* The rest begins at a whole sample. */
  for (; skip != 0 && skip < 1u << sub && i < n; skip++, i++)
    out[i] = in[0];
  in += i > 0;
  out += i;
  n -= i;
  if (sub == 1) {
    for (i = 0; i < n / 2; i++)
      out[2 * i] = out[2 * i + 1] = in[i];
  } else if (sub == 2) {
    for (i = 0; i < n / 4; i++)
      out[4 * i] = out[4 * i + 1] = out[4 * i + 2] = out[4 * i + 3] = in[i];
  } else {
    i = 0;
  }
  for (i <<= sub; i < n; i++)
    out[i] = in[i >> sub];
}

/* What a row of a matrix adds to the sum of its three products: rounding, and the offsets multiplied in
 * advance. */
static inline gint64
NAME (matrix_offset) (const HistoMatrix * matrix, guint row)
{
  const gint32 *factors = matrix->coefficients[row];
  gint64 offset = (gint64) 1 << (matrix->shift - 1);

  for (guint i = 0; i < 3; i++)
    offset -= (gint64) factors[i] * matrix->from[i];
  return offset;
}

static inline TARGET __attribute__ ((always_inline)) gint32
NAME (limit) (gint32 value, gint32 max)
{
  const gint32 least = MAX (value, 0);

  return MIN (least, max);
}

/* Of HISTO_MATRIX_SHIFT: all sums fit in 32 bits. Of HISTO_DEEP_MATRIX_SHIFT the upper and the lower
 * bytes of the samples are multiplied each by themselves, so that these sums do, too. */
static TARGET void
NAME (matrix) (const HistoMatrix * matrix, guint row, gconstpointer row_a,
    gconstpointer row_b, gconstpointer row_c, gpointer row_out, guint n)
{
  const SAMPLE *restrict a = row_a, *restrict b = row_b, *restrict c = row_c;
  SAMPLE *restrict out = row_out;
  const gint64 offset = NAME (matrix_offset) (matrix, row);
  const gint32 fa = matrix->coefficients[row][0];
  const gint32 fb = matrix->coefficients[row][1];
  const gint32 fc = matrix->coefficients[row][2];
  const gint32 to = matrix->to[row], max = matrix->max;

  if (matrix->shift == HISTO_MATRIX_SHIFT) {
    const gint32 narrow = offset;

    for (guint i = 0; i < n; i++)
      out[i] = NAME (limit) (((fa * a[i] + fb * b[i] + fc * c[i] + narrow)
              >> HISTO_MATRIX_SHIFT) + to, max);
  } else {
    const gint32 high = offset >> 8, low = offset & 0xff;

    for (guint i = 0; i < n; i++) {
      const gint32 rest = fa * (a[i] & 0xff) + fb * (b[i] & 0xff)
          + fc * (c[i] & 0xff) + low;
      const guint32 sum = (guint32) fa * (a[i] >> 8) + (guint32) fb * (b[i] >> 8)
          + (guint32) fc * (c[i] >> 8) + (guint32) high + (guint32) (rest >> 8);

      out[i] = NAME (limit) (((gint32) sum >> (HISTO_DEEP_MATRIX_SHIFT - 8)) + to,
          max);
    }
  }
}

static TARGET void
NAME (maximum) (gconstpointer row_a, gconstpointer row_b, gconstpointer row_c,
    gpointer row_out, guint n)
{
  const SAMPLE *restrict a = row_a, *restrict b = row_b, *restrict c = row_c;
  SAMPLE *restrict out = row_out;

  for (guint i = 0; i < n; i++) {
    const SAMPLE greater = MAX (a[i], b[i]);

    out[i] = MAX (greater, c[i]);
  }
}

static TARGET void
NAME (matrices) (const HistoMatrix * matrix, gconstpointer a, gconstpointer b,
    gconstpointer c, gpointer const out[4], guint n)
{
  for (guint row = 0; row < 3; row++)
    NAME (matrix) (matrix, row, a, b, c, out[row], n);
  if (out[3] != NULL)
    NAME (maximum) (out[0], out[1], out[2], out[3], n);
}

static TARGET void
NAME (look_up) (gconstpointer row_in, const guint16 * table, gpointer row_out,
    guint n)
{
  const SAMPLE *in = row_in;
  SAMPLE *out = row_out;

  for (guint i = 0; i < n; i++)
    out[i] = table[in[i]];
}

/* ---- Native samples ------------------------------------------------------------------------- */

#define FIELDS(type, order) \
  for (guint i = 0; i < n; i++) { \
    type word; \
\
    memcpy (&word, in + i * sizeof word, sizeof word); \
    out[i] = order (word) >> shift & mask; \
  }
#define KEEP(word) (word)

static TARGET void
NAME (extract) (const guint8 * restrict in, const HistoField * field,
    gpointer row_out, guint n)
{
  const guint shift = field->shift;
  const SAMPLE mask = field->mask;
  SAMPLE *restrict out = row_out;

  switch (field->period << 1 | (field->swap != FALSE)) {
    case 1 << 1:
      FIELDS (guint8, KEEP);
      break;
    case 2 << 1:
      FIELDS (guint16, KEEP);
      break;
    case 2 << 1 | 1:
      FIELDS (guint16, GUINT16_SWAP_LE_BE);
      break;
    case 4 << 1:
      FIELDS (guint32, KEEP);
      break;
    case 4 << 1 | 1:
      FIELDS (guint32, GUINT32_SWAP_LE_BE);
      break;
    case 8 << 1:
      FIELDS (guint64, KEEP);
      break;
    case 8 << 1 | 1:
      FIELDS (guint64, GUINT64_SWAP_LE_BE);
      break;
    default:
      g_assert_not_reached ();
  }
}

#undef FIELDS
#undef KEEP

/* ---- Sums ---------------------------------------------------------------------------------- */

/* Sums of at most so many samples fit in 32 bits. */
#define PIECE 4096

static TARGET gboolean
NAME (is_repeated) (gconstpointer row_a, gconstpointer row_b, guint n)
{
  const SAMPLE *a = row_a, *b = row_b;
  guint64 total = 0;

  /* Most rows differ already in the first piece. */
  for (guint first = 0; first < n; first += PIECE / 16) {
    const guint end = MIN (n, first + PIECE / 16);
    guint32 sum = 0;

    for (guint i = first; i < end; i++)
      sum += abs (a[i] - b[i]);
    total += sum;
    if (total >= n)
      return FALSE;
  }
  return total < n;
}

/* ---- Saturation and hue --------------------------------------------------------------------- */

static TARGET void
NAME (chroma) (gconstpointer row_u, gconstpointer row_v, gpointer row_saturation,
    gpointer row_hue, guint n, guint depth)
{
  const SAMPLE *restrict u = row_u, *restrict v = row_v;
  guint16 *restrict saturation = row_saturation, *restrict hue = row_hue;
  const gint32 mid = 1 << (depth - 1);

  /* Up to 12 bits the sum of the squares is exact as a float. */
  if (depth <= 12)
    for (guint i = 0; i < n; i++)
      saturation[i] = (gint32) sqrtf ((u[i] - mid) * (u[i] - mid)
          + (v[i] - mid) * (v[i] - mid));
  else
    for (guint i = 0; i < n; i++) {
      const gdouble x = u[i] - mid, y = v[i] - mid;

      saturation[i] = (gint32) (gfloat) sqrt (x * x + y * y);
    }
  for (guint first = 0; first < n; first += HUES) {
    const guint end = MIN (n, first + HUES);
    guint32 any = 0;

    for (guint i = first; i < end; i++) {
      const gfloat degrees = histo_hue_degrees (u[i] - mid, v[i] - mid);
      const gboolean unsure = histo_hue_is_unsure (degrees);

      hue[i] = unsure ? HUE_UNSURE : (gint32) degrees;
      any |= unsure;
    }
    if (!any)
      continue;
    for (guint i = first; i < end; i++)
      if (hue[i] == HUE_UNSURE)
        hue[i] = exact_hue (u[i] - mid, v[i] - mid, depth);
  }
}

/* ---- Range -------------------------------------------------------------------------------- */

static TARGET gboolean
NAME (chroma_out_of_range) (gconstpointer row_a, gconstpointer row_b,
    gpointer row_out, guint n, guint depth)
{
  const SAMPLE low = 16u << (depth - 8), high = 240u << (depth - 8);
  const SAMPLE *restrict a = row_a, *restrict b = row_b;
  SAMPLE *restrict out = row_out;
  SAMPLE any = 0;

  for (guint i = 0; i < n; i++) {
    out[i] = (a[i] < low) | (a[i] > high) | (b[i] < low) | (b[i] > high);
    any |= out[i];
  }
  return any;
}

/* ---- Loops that may be written by hand ------------------------------------------------------ */

#ifndef BOTH
#define BOTH NAME
#endif

#ifndef EXTRACT
#define EXTRACT NAME
#endif

#ifndef OWN
#define OWN NAME

static inline guint8
NAME (stretch_byte) (guint8 y)
{
  const guint16 over = (y < 16 ? 16 : y > 235 ? 235 : y) - 16;

  return over + ((guint32) over * STRETCH_FACTOR >> 16);
}

/* With f = 2^(depth - 8), max over / (219 f) is (256 over - over / f) / 219, in which over / f may be
 * rounded up, because only whole numbers of 219 count. */
static TARGET void
NAME (stretch) (gconstpointer row_in, gpointer row_out, guint n, guint depth)
{
  const SAMPLE *restrict in = row_in;
  SAMPLE *restrict out = row_out;
  const guint bits = depth - 8;
  const gint32 low = 16 << bits, most = 219 << bits, up = (1 << bits) - 1;

  if (sizeof (SAMPLE) == 1)
    for (guint i = 0; i < n; i++)
      out[i] = NAME (stretch_byte) (in[i]);
  else
    for (guint i = 0; i < n; i++) {
      const gint32 above = NAME (limit) (in[i] - low, most);

      out[i] = (guint32) (256 * above - ((above + up) >> bits)) / 219;
    }
}

static TARGET void
NAME (add_changes) (gconstpointer row_a, gconstpointer row_b, guint n,
    gint64 * sum, guint64 * squares)
{
  const SAMPLE *a = row_a, *b = row_b;
  const guint piece = sizeof (SAMPLE) == 1 ? PIECE : 1;
  gint64 total = 0;
  guint64 total_squares = 0;

  if (sizeof (SAMPLE) == 1) {
    for (guint first = 0; first < n; first += piece) {
      const guint end = MIN (n, first + piece);
      gint32 part = 0, part_squares = 0;

      for (guint i = first; i < end; i++) {
        const gint16 change = a[i] - b[i];

        part += change;
        part_squares += change * change;
      }
      total += part;
      total_squares += part_squares;
    }
  } else {
    for (guint i = 0; i < n; i++) {
      const gint32 change = a[i] - b[i];
      const guint32 size = abs (change);

      total += change;
      total_squares += (guint64) size * size;
    }
  }
  *sum += total;
  *squares += total_squares;
}

static TARGET guint64
NAME (add_row) (gconstpointer row, guint32 * restrict columns, guint n)
{
  const SAMPLE *restrict p = row;
  guint64 total = 0;

  for (guint i = 0; i < n; i++)
    columns[i] += p[i];
  for (guint first = 0; first < n; first += PIECE) {
    const guint end = MIN (n, first + PIECE);
    guint32 sum = 0;

    for (guint i = first; i < end; i++)
      sum += p[i];
    total += sum;
  }
  return total;
}

static TARGET void
NAME (add_columns) (const gconstpointer * rows, guint n_rows,
    guint32 * columns, guint64 * sums, guint n)
{
  for (guint i = 0; i < n_rows; i++)
    sums[i] += NAME (add_row) (rows[i], columns, n);
}

/* A sum of bytes is made of at most 255 flags in each of its parts. */
static inline TARGET __attribute__ ((always_inline)) guint
NAME (count_piece_out_of_range) (const SAMPLE * luma, const SAMPLE * flags,
    guint n, SAMPLE low, SAMPLE high)
{
  guint count = 0;

  if (flags != NULL)
    for (guint i = 0; i < n; i++)
      count += (SAMPLE) ((luma[i] < low) | (luma[i] > high) | flags[i]);
  else
    for (guint i = 0; i < n; i++)
      count += (SAMPLE) ((luma[i] < low) | (luma[i] > high));
  return count;
}

static TARGET guint
NAME (count_out_of_range) (gconstpointer luma, gconstpointer flags, guint n,
    guint depth)
{
  return NAME (count_piece_out_of_range) (luma, flags, n, 16u << (depth - 8),
      235u << (depth - 8));
}

/* Columns that are examined together: if none of them is an outlier, the rest is not computed. */
#define CHUNK 256

/* flags[i] is set to whether b[i] is an outlier between a[i] and c[i]. Returns whether any is.
 *
 * With low and high, the smaller and the greater one of a and c, r = high - low, and d the
 * distance of b from [low, high], histo_is_outlier() is (r + 2 d) / 2 - r > limit if d is not 0.
 * So an outlier has d - (r + 1) / 2 > limit, which holds for no d of 0. */
static inline TARGET __attribute__ ((always_inline)) SAMPLE
NAME (find_outliers) (const SAMPLE * restrict a, const SAMPLE * restrict b,
    const SAMPLE * restrict c, SAMPLE * restrict flags, guint n, SAMPLE limit)
{
  SAMPLE any = 0;

  for (guint i = 0; i < n; i++) {
    const SAMPLE low = MIN (a[i], c[i]), high = MAX (a[i], c[i]);
    const SAMPLE below = MAX (low, b[i]) - b[i];
    const SAMPLE above = MAX (high, b[i]) - high;
    const SAMPLE distance = below | above, r = high - low;
    const SAMPLE least = (SAMPLE) (((guint) r + 1) >> 1) + limit;
    const SAMPLE flag = distance > least ? 1 : 0;

    flags[i] = flag;
    any |= flag;
  }
  return any;
}

static inline TARGET __attribute__ ((always_inline)) guint
NAME (count_chunk_of_outliers) (const gconstpointer rows[5], guint first,
    guint n, SAMPLE limit)
{
  const SAMPLE *b = (const SAMPLE *) rows[2] + first;
  SAMPLE near[CHUNK], far[CHUNK];
  guint count = 0;

  if (!NAME (find_outliers) ((const SAMPLE *) rows[1] + first, b,
          (const SAMPLE *) rows[3] + first, near, n, limit))
    return 0;
  if (rows[0] != NULL) {
    if (!NAME (find_outliers) ((const SAMPLE *) rows[0] + first, b,
            (const SAMPLE *) rows[4] + first, far, n, limit))
      return 0;
    for (guint i = 0; i < n; i++)
      near[i] &= far[i];
  }
  for (guint i = 1; i + 1 < n; i++)
    count += (SAMPLE) (near[i - 1] & near[i] & near[i + 1]);
  return count;
}

static TARGET guint
NAME (count_outliers) (const gconstpointer rows[5], guint n, guint depth)
{
  const SAMPLE limit = 4u << (depth - 8);
  guint count = 0, first = 0;

  /* The chunks overlap by the neighbours on both sides. */
  for (; first + CHUNK <= n; first += CHUNK - 2)
    count += NAME (count_chunk_of_outliers) (rows, first, CHUNK, limit);
  if (first + 2 < n)
    count += NAME (count_chunk_of_outliers) (rows, first, n - first, limit);
  return count;
}

/* ---- Gradients ------------------------------------------------------------------------------ */

/* Up to this depth gx² + gy² fits in 31 bits. */
#define NARROW_GRADIENT_DEPTH 12

/* Columns that are computed together. */
#define GRADIENTS 256

/* squares[i] = gx² + gy² as a float, rounded once. @INTEGER: the type for gx and gy. @EXACT: one
 * in which the sum is exact */
#define GRADIENT_SQUARES(INTEGER, EXACT) \
  for (guint i = 0; i < n; i++) { \
    const INTEGER gx = (INTEGER) (a[i + 2] - a[i]) \
        + (INTEGER) (2 * (b[i + 2] - b[i])) + (INTEGER) (c[i + 2] - c[i]); \
    const INTEGER gy = (INTEGER) (c[i] - a[i]) \
        + (INTEGER) (2 * (c[i + 1] - a[i + 1])) + (INTEGER) (c[i + 2] - a[i + 2]); \
\
    squares[i] = (gfloat) ((EXACT) gx * gx + (EXACT) gy * gy); \
  }

static inline TARGET __attribute__ ((always_inline)) void
NAME (gradient_squares) (const SAMPLE * restrict a, const SAMPLE * restrict b,
    const SAMPLE * restrict c, gfloat * restrict squares, guint n, guint depth)
{
  if (sizeof (SAMPLE) == 1)
    GRADIENT_SQUARES (gint16, gint32)
  else if (depth <= NARROW_GRADIENT_DEPTH)
    GRADIENT_SQUARES (gint32, gint32)
  else
    GRADIENT_SQUARES (gint32, gdouble)
}

static inline TARGET __attribute__ ((always_inline)) void
NAME (gradients_of_squares) (const gfloat * restrict squares,
    SAMPLE * restrict out, guint n, guint depth, guint64 * sum,
    guint64 * square_sum)
{
  const gint32 max = (1 << depth) - 1;
  const gfloat one = FINER_PER_FIXED << (16 - depth);
  guint32 fixed[GRADIENTS];
  guint32 total = 0;
  guint64 total_squares = 0;

  for (guint i = 0; i < n; i++) {
    const gint32 finer = (gint32) (sqrtf (squares[i]) * one);
    const gint32 gradient = finer >> FINER_BITS (depth);

    out[i] = MIN (gradient, max);
    fixed[i] = (finer + 1) >> 1;
    total += fixed[i];
  }
  for (guint i = 0; i < n; i++)
    total_squares += (guint64) fixed[i] * fixed[i];
  *sum += total;
  *square_sum += total_squares;
}

static TARGET void
NAME (gradients) (const gconstpointer rows[3], gpointer out, guint n,
    guint depth, guint64 * sum, guint64 * squares)
{
  for (guint first = 0; first + 2 < n; first += GRADIENTS) {
    const guint piece = MIN (n - 2 - first, GRADIENTS);
    gfloat of_piece[GRADIENTS];

    NAME (gradient_squares) ((const SAMPLE *) rows[0] + first,
        (const SAMPLE *) rows[1] + first, (const SAMPLE *) rows[2] + first,
        of_piece, piece, depth);
    NAME (gradients_of_squares) (of_piece, (SAMPLE *) out + first, piece,
        depth, sum, squares);
  }
}

#undef GRADIENT_SQUARES
#undef GRADIENTS
#undef NARROW_GRADIENT_DEPTH
#undef CHUNK
#endif /* OWN */
#undef PIECE

static const HistoLoops NAME (loops) = {
  .extract = EXTRACT (extract),
  .split = SPLIT (split),
  .split_tens = SPLIT (split_tens),
  .difference = NAME (difference),
  .repeat = NAME (repeat),
  .matrix = BOTH (matrix),
  .matrices = BOTH (matrices),
  .maximum = NAME (maximum),
  .stretch = OWN (stretch),
  .look_up = NAME (look_up),
  .add_columns = OWN (add_columns),
  .chroma = NAME (chroma),
  .chroma_out_of_range = NAME (chroma_out_of_range),
  .count_out_of_range = OWN (count_out_of_range),
  .count_outliers = OWN (count_outliers),
  .is_repeated = NAME (is_repeated),
  .gradients = OWN (gradients),
  .add_changes = OWN (add_changes),
};

#undef OWN
#undef BOTH
#undef EXTRACT
