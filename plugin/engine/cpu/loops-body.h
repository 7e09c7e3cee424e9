/* The loops of engine/cpu/loops.h, for one type of samples and one set of instructions.
 *
 * loops.c includes this file once for each. It defines SAMPLE, the type; VALUE, that of values of gamut, and COUNT, an
 * unsigned one of the same size; TARGET, an attribute of functions; and NAME(x), which makes the name of a function.
 * Other macros make the names of loops that
 * may be written by hand: OWN(x) for this type, BOTH(x) and FIELD(x) for both types, EXTRACT(x) for words, and SPLIT(x)
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
NAME (matrix_offset) (const gint32 * factors, const gint32 * from, guint shift)
{
  gint64 offset = (gint64) 1 << (shift - 1);

  for (guint i = 0; i < 3; i++)
    offset -= (gint64) factors[i] * from[i];
  return offset;
}

static inline TARGET __attribute__ ((always_inline)) gint32
NAME (limit) (gint32 value, gint32 max)
{
  const gint32 least = MAX (value, 0);

  return MIN (least, max);
}

/* fa a + fb b + fc c + offset without its lowest 8 bits. The upper and the lower bytes of the samples are
 * multiplied each by themselves, so that the sums fit in 32 bits. @high, @low: the offset's */
static inline TARGET __attribute__ ((always_inline)) gint32
NAME (deep_sum) (gint32 fa, gint32 fb, gint32 fc, guint a, guint b, guint c, gint32 high, gint32 low)
{
  const gint32 rest = fa * (gint32) (a & 0xff) + fb * (gint32) (b & 0xff) + fc * (gint32) (c & 0xff) + low;

  return (guint32) fa * (a >> 8) + (guint32) fb * (b >> 8) + (guint32) fc * (c >> 8)
      + (guint32) high + (guint32) (rest >> 8);
}

/* The shift is HISTO_MATRIX_SHIFT: all sums fit in 32 bits. */
static TARGET void
NAME (matrix) (const HistoMatrix * matrix, guint row, gconstpointer row_a,
    gconstpointer row_b, gconstpointer row_c, gpointer row_out, guint n)
{
  const SAMPLE *restrict a = row_a, *restrict b = row_b, *restrict c = row_c;
  SAMPLE *restrict out = row_out;
  const gint64 offset = NAME (matrix_offset) (matrix->coefficients[row], matrix->from, matrix->shift);
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

    for (guint i = 0; i < n; i++)
      out[i] = NAME (limit) ((NAME (deep_sum) (fa, fb, fc, a[i], b[i], c[i], high, low)
              >> (HISTO_DEEP_MATRIX_SHIFT - 8)) + to, max);
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

static TARGET guint
NAME (count_steps) (gconstpointer row, guint n, guint depth)
{
  const SAMPLE *luma = row;
  const gint limit = 1 << (depth - 8);
  guint count = 0;

  for (guint first = 1; first + 1 < n; first += PIECE) {
    const guint end = MIN (n - 1, first + PIECE);
    guint16 piece = 0;

    for (guint i = first; i < end; i++)
      piece += abs (luma[i] - luma[i - 1]) > limit;
    count += piece;
  }
  return count;
}

/* ---- Saturation and hue --------------------------------------------------------------------- */

/* histo_saturation_reaches() of the next root. The exponent of a float says where the highest bit is. */
static inline TARGET __attribute__ ((always_inline)) gint32
NAME (reaches_next) (guint32 squares, gint32 root)
{
  const gfloat size = root | 1;
  guint32 bits;

  memcpy (&bits, &size, sizeof bits);
  return squares + ((guint32) root >> (127 + 23 - (bits >> 23))) >= (guint32) (root + 1) * (guint32) (root + 1);
}

static TARGET void
NAME (chroma) (gconstpointer row_u, gconstpointer row_v, gpointer row_saturation,
    gpointer row_hue, guint n, guint depth)
{
  const SAMPLE *restrict u = row_u, *restrict v = row_v;
  guint16 *restrict saturation = row_saturation, *restrict hue = row_hue;
  const gint32 mid = 1 << (depth - 1);

  /* Up to 12 bits the sum of the squares is exact as a float. Above, a root of floats that is a little too small says what
   * it is but for 1: histo_saturation_near() of such a root. */
  if (depth <= 12)
    for (guint i = 0; i < n; i++)
      saturation[i] = (gint32) sqrtf ((u[i] - mid) * (u[i] - mid)
          + (v[i] - mid) * (v[i] - mid));
  else
    for (guint i = 0; i < n; i++) {
      const gint32 x = u[i] - mid, y = v[i] - mid;
      const guint32 squares = (guint32) (x * x) + (guint32) (y * y), most = MIN (squares, (guint32) G_MAXINT32);
      const gint32 root = (gint32) (sqrtf ((gfloat) (gint32) most) * ROOT_TOO_SMALL);

      saturation[i] = root + NAME (reaches_next) (squares, root);
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

/* ---- Gamut ---------------------------------------------------------------------------------- */

/* @is_rgb, @is_deep: constants, so that products with 0 cost nothing. Of HISTO_GAMUT_SHIFT the sum fits in 32 bits, but
 * not each part of it. */
static inline TARGET __attribute__ ((always_inline)) void
NAME (gamut_rows) (const HistoGamut * gamut, const SAMPLE * restrict a, const SAMPLE * restrict b,
    const SAMPLE * restrict c, gpointer const out[4], guint n, gboolean is_rgb, gboolean is_deep)
{
  const gint32 (*of)[3] = gamut->coefficients;
  /* The weight of Y is the same in all rows. */
  const gint32 factors[4][3] = {
    {of[0][0], 0, is_rgb ? 0 : of[0][2]},
    {is_rgb ? 0 : of[0][0], of[1][1], is_rgb ? 0 : of[1][2]},
    {is_rgb ? 0 : of[0][0], is_rgb ? 0 : of[2][1], is_rgb ? of[2][2] : 0},
    {is_rgb ? of[3][0] : of[0][0], is_rgb ? of[3][1] : 0, is_rgb ? of[3][2] : 0}
  };
  VALUE *restrict red = out[0], *restrict green = out[1], *restrict blue = out[2], *restrict luma = out[3];
  const gint32 black = gamut->black;
  gint64 offsets[4];

  for (guint r = 0; r < 4; r++)
    offsets[r] = NAME (matrix_offset) (of[r], gamut->from, gamut->shift);
#define GAMUT(r) (is_deep ? \
    NAME (deep_sum) (factors[r][0], factors[r][1], factors[r][2], a[i], b[i], c[i], (gint32) (offsets[r] >> 8), \
        (gint32) (offsets[r] & 0xff)) >> (HISTO_DEEP_GAMUT_SHIFT - 8) : \
    (gint32) ((guint32) factors[r][0] * a[i] + (guint32) factors[r][1] * b[i] + (guint32) factors[r][2] * c[i] \
        + (guint32) offsets[r]) >> HISTO_GAMUT_SHIFT) + black
  for (guint i = 0; i < n; i++) {
    red[i] = GAMUT (0);
    green[i] = GAMUT (1);
    blue[i] = GAMUT (2);
    luma[i] = GAMUT (3);
  }
#undef GAMUT
}

static TARGET void
NAME (gamut) (const HistoGamut * gamut, gboolean is_rgb, gconstpointer a, gconstpointer b,
    gconstpointer c, gpointer const out[4], guint n)
{
  const gboolean is_deep = gamut->shift == HISTO_DEEP_GAMUT_SHIFT;

  if (is_rgb && is_deep)
    NAME (gamut_rows) (gamut, a, b, c, out, n, TRUE, TRUE);
  else if (is_rgb)
    NAME (gamut_rows) (gamut, a, b, c, out, n, TRUE, FALSE);
  else if (is_deep)
    NAME (gamut_rows) (gamut, a, b, c, out, n, FALSE, TRUE);
  else
    NAME (gamut_rows) (gamut, a, b, c, out, n, FALSE, FALSE);
}

static TARGET void
NAME (gamut_across) (gconstpointer row_in, gpointer row_out, guint n)
{
  const VALUE *restrict in = (const VALUE *) row_in - HISTO_GAMUT_REACH;
  VALUE *restrict out = row_out;

  /* An index that never wraps lets the compiler make vectors. */
  for (gsize i = 0; i < n; i++)
    out[i] = histo_gamut_across (in[i], in[i + 1], in[i + 2], in[i + 3], in[i + 4], in[i + 5], in[i + 6]);
}

static TARGET void
NAME (gamut_filtered) (gconstpointer row_above, gconstpointer row_in, gconstpointer row_below,
    gpointer row_out, guint n)
{
  const VALUE *restrict above = row_above, *restrict row = row_in, *restrict below = row_below;
  VALUE *restrict out = row_out;

  /* histo_gamut_filtered() in the type of the values. */
  for (guint i = 0; i < n; i++)
    out[i] = (VALUE) (above[i] + 2 * row[i] + below[i] + 32) >> 6;
}

/* At most PIECE values: the count fits in 16 bits. */
static inline TARGET __attribute__ ((always_inline)) void
NAME (count_gamut_row) (const VALUE * restrict row, guint n, VALUE low, VALUE high,
    guint * outside, gint32 * least, gint32 * greatest)
{
  VALUE min = row[0], max = row[0];
  COUNT count = 0;

  for (guint i = 0; i < n; i++) {
    min = MIN (min, row[i]);
    max = MAX (max, row[i]);
    count += (COUNT) ((row[i] < low) | (row[i] > high));
  }
  *outside += count;
  *least = MIN (*least, min);
  *greatest = MAX (*greatest, max);
}

static inline TARGET __attribute__ ((always_inline)) guint
NAME (count_any_gamut) (const VALUE * restrict r, const VALUE * restrict g,
    const VALUE * restrict b, const VALUE * restrict y, guint n, VALUE low, VALUE high)
{
  COUNT count = 0;

  for (guint i = 0; i < n; i++) {
    const VALUE least_of_two = MIN (r[i], g[i]), most_of_two = MAX (r[i], g[i]);
    const VALUE least_of_others = MIN (b[i], y[i]), most_of_others = MAX (b[i], y[i]);

    count += (COUNT) ((MIN (least_of_two, least_of_others) < low) | (MAX (most_of_two, most_of_others) > high));
  }
  return count;
}

static TARGET void
NAME (count_gamut) (const gconstpointer rows[4], guint n, guint depth, HistoGamutCounts * counts)
{
  const VALUE low = histo_gamut_least (depth), high = histo_gamut_greatest (depth);

  for (guint first = 0; first < n; first += PIECE) {
    const guint piece = MIN (n - first, PIECE);
    const VALUE *at[4];

    for (guint i = 0; i < 4; i++) {
      at[i] = (const VALUE *) rows[i] + first;
      NAME (count_gamut_row) (at[i], piece, low, high, &counts->outside[i], &counts->least[i],
          &counts->greatest[i]);
    }
    counts->any += NAME (count_any_gamut) (at[0], at[1], at[2], at[3], piece, low, high);
  }
}

/* Samples of chroma that are computed together. */
#define CHROMAS 256

static TARGET void
NAME (gamut_of_chroma) (const HistoGamut * gamut, gconstpointer row_u, gconstpointer row_v, guint skip, guint sub,
    gint16 * const out[3], guint n)
{
  const SAMPLE *u = row_u, *v = row_v;
  const gint32 (*of)[3] = gamut->coefficients;
  gint32 offsets[3];
  guint at = 0;

  for (guint r = 0; r < 3; r++)
    offsets[r] = NAME (matrix_offset) (of[r], gamut->from, gamut->shift) + (gamut->from[0] << HISTO_GAMUT_SHIFT);
  while (at < n) {
    /* The first sample alone if it has fewer pixels, so that the others begin at a whole one. */
    const guint piece = skip > 0 ? 1 : MIN (((n - at - 1) >> sub) + 1, CHROMAS);
    const guint pixels = MIN ((piece << sub) - skip, n - at);

    for (guint r = 0; r < 3; r++) {
      const gint32 fu = of[r][1], fv = of[r][2], offset = offsets[r];
      gint16 *restrict to = out[r] + at;
      gint16 sums[CHROMAS];
      guint i = 0;

      for (guint k = 0; k < piece; k++)
        sums[k] = (fu * u[k] + fv * v[k] + offset) >> HISTO_GAMUT_SHIFT;
      if (sub == 1 && skip == 0)
        for (; i < pixels / 2; i++)
          to[2 * i] = to[2 * i + 1] = sums[i];
      for (i <<= sub == 1; i < pixels; i++)
        to[i] = sums[(i + skip) >> sub];
    }
    at += pixels;
    u += piece;
    v += piece;
    skip = 0;
  }
}

#undef CHROMAS

static TARGET void
NAME (add_gamut) (gconstpointer row, const gint16 * const chroma[3], gpointer const out[4], guint n)
{
  const SAMPLE *restrict luma = row;
  VALUE *restrict y = out[3];

  for (guint r = 0; r < 3; r++) {
    const gint16 *restrict more = chroma[r];
    VALUE *restrict sum = out[r];

    for (guint i = 0; i < n; i++)
      sum[i] = luma[i] + more[i];
  }
  for (guint i = 0; i < n; i++)
    y[i] = luma[i];
}

/* Pixels that are examined together: if all are inside, the rest is not computed. */
#define SUMS 512

static inline TARGET __attribute__ ((always_inline)) gboolean
NAME (find_extremes_of_sums) (const SAMPLE * restrict luma, const gint16 * restrict red, const gint16 * restrict green,
    const gint16 * restrict blue, guint n, gint16 low, gint16 high, HistoGamutCounts * counts)
{
  gint16 least[4] = { G_MAXINT16, G_MAXINT16, G_MAXINT16, G_MAXINT16 };
  gint16 greatest[4] = { G_MININT16, G_MININT16, G_MININT16, G_MININT16 };
  gboolean is_outside = FALSE;

  for (guint i = 0; i < n; i++) {
    const gint16 y = luma[i], r = y + red[i], g = y + green[i], b = y + blue[i];

    least[0] = MIN (least[0], r);
    greatest[0] = MAX (greatest[0], r);
    least[1] = MIN (least[1], g);
    greatest[1] = MAX (greatest[1], g);
    least[2] = MIN (least[2], b);
    greatest[2] = MAX (greatest[2], b);
    least[3] = MIN (least[3], y);
    greatest[3] = MAX (greatest[3], y);
  }
  for (guint i = 0; i < 4; i++) {
    counts->least[i] = MIN (counts->least[i], least[i]);
    counts->greatest[i] = MAX (counts->greatest[i], greatest[i]);
    is_outside |= least[i] < low || greatest[i] > high;
  }
  return is_outside;
}

static inline TARGET __attribute__ ((always_inline)) void
NAME (count_sums_outside) (const SAMPLE * restrict luma, const gint16 * restrict red, const gint16 * restrict green,
    const gint16 * restrict blue, guint n, gint16 low, gint16 high, HistoGamutCounts * counts)
{
  guint16 of_red = 0, of_green = 0, of_blue = 0, of_luma = 0, any = 0;

#define IS_OUTSIDE(v) (guint16) (((v) < low) | ((v) > high))
  for (guint i = 0; i < n; i++) {
    const gint16 y = luma[i], r = y + red[i], g = y + green[i], b = y + blue[i];
    const guint16 is_r = IS_OUTSIDE (r), is_g = IS_OUTSIDE (g), is_b = IS_OUTSIDE (b), is_y = IS_OUTSIDE (y);

    of_red += is_r;
    of_green += is_g;
    of_blue += is_b;
    of_luma += is_y;
    any += is_r | is_g | is_b | is_y;
  }
#undef IS_OUTSIDE
  counts->outside[0] += of_red;
  counts->outside[1] += of_green;
  counts->outside[2] += of_blue;
  counts->outside[3] += of_luma;
  counts->any += any;
}

static TARGET void
NAME (count_gamut_of_sums) (gconstpointer row, const gint16 * const chroma[3], guint n, guint depth,
    HistoGamutCounts * counts)
{
  const gint16 low = histo_gamut_least (depth), high = histo_gamut_greatest (depth);

  for (guint first = 0; first < n; first += SUMS) {
    const SAMPLE *luma = (const SAMPLE *) row + first;
    const gint16 *red = chroma[0] + first, *green = chroma[1] + first, *blue = chroma[2] + first;
    const guint piece = MIN (n - first, SUMS);

    if (NAME (find_extremes_of_sums) (luma, red, green, blue, piece, low, high, counts))
      NAME (count_sums_outside) (luma, red, green, blue, piece, low, high, counts);
  }
}

static TARGET void
NAME (gamut_across_of_sums) (gconstpointer row, const gint16 * chroma, guint16 * restrict out, guint n)
{
  const SAMPLE *luma = row;

  for (guint first = 0; first < n; first += SUMS) {
    const guint piece = MIN (n - first, SUMS), before = MIN (first, HISTO_GAMUT_REACH);
    const guint all = MIN (n - first, piece + HISTO_GAMUT_REACH) + before;
    const SAMPLE *restrict y = luma + first - before;
    gint16 memory[SUMS + 2 * HISTO_GAMUT_REACH];
    gint16 *restrict sums = memory + HISTO_GAMUT_REACH - before;

    if (chroma != NULL)
      for (guint i = 0; i < all; i++)
        sums[i] = y[i] + (chroma + first - before)[i];
    else
      for (guint i = 0; i < all; i++)
        sums[i] = y[i];
    for (guint i = before; i < HISTO_GAMUT_REACH; i++)
      memory[i - before] = sums[0];
    for (guint i = all - before; i < piece + HISTO_GAMUT_REACH; i++)
      sums[before + i] = sums[all - 1];
    for (gsize i = 0; i < piece; i++)
      out[first + i] = HISTO_NARROW_GAMUT (histo_gamut_across (memory[i], memory[i + 1], memory[i + 2], memory[i + 3],
              memory[i + 4], memory[i + 5], memory[i + 6]));
  }
}

#undef SUMS

/* ---- Flashes -------------------------------------------------------------------------------- */

/* Pixels whose light is looked up together. */
#define LIGHTS 256

/* @powers: (nullable): of HLG */
static TARGET inline __attribute__ ((always_inline)) gboolean
NAME (make_light_of_rows) (const guint16 * table, const guint16 * powers, gconstpointer row_r, gconstpointer row_g,
    gconstpointer row_b, guint16 * restrict luminance, guint16 * restrict red, guint n)
{
  const gconstpointer rows[3] = { row_r, row_g, row_b };
  gboolean has_red = FALSE;

  for (guint first = 0; first < n; first += LIGHTS) {
    const guint piece = MIN (n - first, LIGHTS);
    guint16 light[3][LIGHTS];

    for (guint c = 0; c < 3; c++) {
      const SAMPLE *in = (const SAMPLE *) rows[c] + first;

      for (guint i = 0; i < piece; i++)
        light[c][i] = table[in[i]];
    }
    for (guint i = 0; i < piece && powers != NULL; i++) {
      guint32 lights[3];

      histo_hlg_light (light[0][i], light[1][i], light[2][i], powers, lights);
      for (guint c = 0; c < 3; c++)
        light[c][i] = histo_flash_of_hlg (lights[c]);
    }
    has_red |= SPLIT (make_light) (light[0], light[1], light[2], luminance + first, red + first, piece);
  }
  return has_red;
}

static TARGET gboolean
NAME (light) (const guint16 * table, gconstpointer r, gconstpointer g, gconstpointer b,
    guint16 * luminance, guint16 * red, guint n)
{
  return NAME (make_light_of_rows) (table, NULL, r, g, b, luminance, red, n);
}

static TARGET gboolean
NAME (light_of_hlg) (const guint16 * scene, const guint16 * powers, gconstpointer r, gconstpointer g,
    gconstpointer b, guint16 * luminance, guint16 * red, guint n)
{
  return NAME (make_light_of_rows) (scene, powers, r, g, b, luminance, red, n);
}

#undef LIGHTS

static TARGET void
NAME (count_light) (const guint16 * now, const guint16 * before, guint n, guint step,
    guint dark, HistoLightCounts * counts)
{
  const guint16 brightest = dark - 1, least = step;

  for (guint first = 0; first < n; first += PIECE) {
    const guint end = MIN (n, first + PIECE);
    guint32 sum = 0;

    for (guint i = first; i < end; i++)
      sum += now[i];
    counts->sum += sum;
  }
  for (guint first = 0; first < n && before != NULL; first += PIECE) {
    const guint end = MIN (n, first + PIECE);
    guint16 changed = 0, up = 0, down = 0, greatest = 0;

    for (guint i = first; i < end; i++) {
      const guint16 change = MAX (now[i], before[i]) - MIN (now[i], before[i]);

      changed += (guint16) (change != 0);
      greatest = MAX (greatest, change);
    }
    counts->changed += changed;
    if (greatest < least)
      continue;
    for (guint i = first; i < end; i++) {
      const guint16 more = MAX (now[i], before[i]) - before[i], less = MAX (now[i], before[i]) - now[i];

      up += (guint16) ((more >= least) & (before[i] <= brightest));
      down += (guint16) ((less >= least) & (now[i] <= brightest));
    }
    counts->up += up;
    counts->down += down;
  }
}

/* ---- Loops that may be written by hand ------------------------------------------------------ */

#ifndef BOTH
#define BOTH NAME
#endif

#ifndef EXTRACT
#define EXTRACT NAME
#endif

#ifndef FIELD
#define FIELD NAME
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

/* ---- Fields --------------------------------------------------------------------------------- */

/* Σ |above + below - 2 row| = Σ (|ceiling - row| + |floor - row|), where these are the rounded halves of
 * above + below: so numbers of the samples' type are enough. */
#define DISTANCE(a, b) (sizeof (SAMPLE) == 1 ? abs ((a) - (b)) : (SAMPLE) (MAX (a, b) - MIN (a, b)))
#define ADD_DISTANCES(sum, ceiling, floor, sample) \
  sum += DISTANCE (ceiling, sample); \
  sum += DISTANCE (floor, sample)

static TARGET void
NAME (add_field) (const gconstpointer rows[3], const gconstpointer * previous, guint n,
    guint depth, HistoFieldRow * sums)
{
  const SAMPLE *above = rows[0], *row = rows[1], *below = rows[2];

  for (guint first = 0; first < n; first += PIECE) {
    const guint end = MIN (n, first + PIECE);
    guint32 current = 0, of_previous = 0, next = 0, change = 0;

    for (guint i = first; i < end; i++) {
      const SAMPLE up = (above[i] + below[i] + 1) >> 1, down = up - ((above[i] ^ below[i]) & 1);

      ADD_DISTANCES (current, up, down, row[i]);
    }
    if (previous != NULL) {
      const SAMPLE *before = previous[1], *before_above = previous[0], *before_below = previous[2];

      for (guint i = first; i < end; i++) {
        const SAMPLE up = (above[i] + below[i] + 1) >> 1, down = up - ((above[i] ^ below[i]) & 1);

        ADD_DISTANCES (of_previous, up, down, before[i]);
        change += DISTANCE (row[i], before[i]);
      }
      for (guint i = first; i < end; i++) {
        const SAMPLE up = (before_above[i] + before_below[i] + 1) >> 1,
            down = up - ((before_above[i] ^ before_below[i]) & 1);

        ADD_DISTANCES (next, up, down, row[i]);
      }
    }
    sums->current += current;
    sums->previous += of_previous;
    sums->next += next;
    sums->change += change;
  }
}

#undef ADD_DISTANCES
#undef DISTANCE

/* @TYPE: a type in which the sums are exact. @UNSIGNED: one of the same size for the flags of a chunk. If no sample of a
 * chunk is far from both neighbours, the rest is not computed. */
#define COUNT_COMBED(TYPE, UNSIGNED) \
  for (guint first = 0; first < n; first += CHUNK) { \
    const guint end = MIN (n, first + CHUNK); \
    const TYPE least = 9 << (depth - 8), most = 6 * least; \
    TYPE farthest = 0; \
    UNSIGNED count = 0; \
\
    for (guint i = first; i < end; i++) { \
      const TYPE of_b = ABS (c[i] - b[i]), of_d = ABS (c[i] - d[i]), nearer = MIN (of_b, of_d); \
\
      farthest = MAX (farthest, nearer); \
    } \
    if (farthest <= least) \
      continue; \
    for (guint i = first; i < end; i++) { \
      const TYPE of_b = c[i] - b[i], of_d = c[i] - d[i]; \
      const TYPE sum = 4 * c[i] - 3 * (b[i] + d[i]) + a[i] + e[i]; \
\
      count += (UNSIGNED) (((of_b > least) | (of_b < -least)) & ((of_d > least) | (of_d < -least)) \
          & ((sum > most) | (sum < -most))); \
    } \
    total += count; \
  }

/* Up to this depth the sums, at most 6 max, fit in 16 bits. */
#define NARROW_COMB_DEPTH 12

static TARGET guint
NAME (count_combed) (const gconstpointer rows[5], guint n, guint depth)
{
  const SAMPLE *restrict a = rows[0], *restrict b = rows[1], *restrict c = rows[2];
  const SAMPLE *restrict d = rows[3], *restrict e = rows[4];
  guint total = 0;

  if (depth <= NARROW_COMB_DEPTH)
    COUNT_COMBED (gint16, guint16)
  else
    COUNT_COMBED (gint32, guint32)
  return total;
}

#undef NARROW_COMB_DEPTH
#undef COUNT_COMBED
#undef CHUNK
#endif /* OWN */
#undef PIECE

/* Those of the loops that may be written for more than one set of instructions are arguments. */
#define LOOPS(chroma_loop, matrices_loop, light_loop, field_loop, combs_loop) { \
  .extract = EXTRACT (extract), \
  .split = SPLIT (split), \
  .split_words = SPLIT (split_words), \
  .split_tens = SPLIT (split_tens), \
  .difference = NAME (difference), \
  .repeat = NAME (repeat), \
  .matrix = BOTH (matrix), \
  .matrices = matrices_loop, \
  .maximum = NAME (maximum), \
  .stretch = OWN (stretch), \
  .look_up = NAME (look_up), \
  .add_columns = OWN (add_columns), \
  .chroma = chroma_loop, \
  .chroma_out_of_range = NAME (chroma_out_of_range), \
  .count_out_of_range = OWN (count_out_of_range), \
  .count_outliers = OWN (count_outliers), \
  .is_repeated = NAME (is_repeated), \
  .count_steps = NAME (count_steps), \
  .gradients = OWN (gradients), \
  .count_threes = SPLIT (count_threes), \
  .add_changes = OWN (add_changes), \
  .gamut = NAME (gamut), \
  .gamut_across = NAME (gamut_across), \
  .gamut_filtered = NAME (gamut_filtered), \
  .count_gamut = NAME (count_gamut), \
  .gamut_of_chroma = NAME (gamut_of_chroma), \
  .add_gamut = NAME (add_gamut), \
  .count_gamut_of_sums = NAME (count_gamut_of_sums), \
  .gamut_across_of_sums = NAME (gamut_across_of_sums), \
  .count_filtered = SPLIT (count_filtered), \
  .light = light_loop, \
  .light_of_hlg = NAME (light_of_hlg), \
  .count_light = NAME (count_light), \
  .add_field = field_loop, \
  .count_combed = combs_loop, \
}

static const HistoLoops NAME (loops) = LOOPS (NAME (chroma), BOTH (matrices), NAME (light), FIELD (add_field),
    OWN (count_combed));

#ifdef BEST
static const HistoLoops BEST (loops) = LOOPS (BEST_CHROMA, BEST (matrices), BEST (light), BEST (add_field),
    BEST (count_combed));
#undef BEST
#undef BEST_CHROMA
#endif

#undef LOOPS
#undef OWN
#undef BOTH
#undef FIELD
#undef EXTRACT
