/* Loops over rows with AVX2 or AVX-512, written by hand: those of which the compiler does not make good vectors.
 * loops.c includes this file. See HistoLoops for what they do. The names of loops of both types end in
 * those of the types.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <immintrin.h>

/* Bytes of a vector, and 16-bit words, with AVX2. */
#define VECTOR 32
#define PER_VECTOR 16

#define LOAD(p) _mm256_loadu_si256 ((const __m256i *) (p))

/* Adds up 32-bit numbers. */
static AVX2 guint64
add_up (__m256i sums)
{
  guint32 each[8];
  guint64 total = 0;

  _mm256_storeu_si256 ((__m256i *) each, sums);
  for (guint i = 0; i < G_N_ELEMENTS (each); i++)
    total += each[i];
  return total;
}

/* Adds up 16-bit numbers. */
static AVX2 guint64
add_up_words (__m256i sums)
{
  return add_up (_mm256_add_epi32 (_mm256_srli_epi32 (sums, 16),
          _mm256_and_si256 (sums, _mm256_set1_epi32 (0xffff))));
}

/* Adds up 64-bit numbers. */
static AVX2 guint64
add_up_long (__m256i sums)
{
  guint64 each[4];

  _mm256_storeu_si256 ((__m256i *) each, sums);
  return each[0] + each[1] + each[2] + each[3];
}

/* ---- Native samples ---------------------------------------------------------------------------- */

/* Bytes of a vector that split_by_avx2() uses. */
#define SHORT_VECTOR 16

static inline AVX2 void
store_short (gpointer row, guint i, __m128i bytes)
{
  if (row != NULL)
    _mm_storeu_si128 ((__m128i *) ((guint8 *) row + i), bytes);
}

/* Two vectors of two. */
static inline AVX2 void
split_twos (const guint8 * in, gpointer const out[4], guint i)
{
  const __m128i low = _mm_set1_epi16 (0xff);
  const __m128i a = _mm_loadu_si128 ((const __m128i *) in);
  const __m128i b = _mm_loadu_si128 ((const __m128i *) in + 1);

  store_short (out[0], i, _mm_packus_epi16 (_mm_and_si128 (a, low), _mm_and_si128 (b, low)));
  store_short (out[1], i, _mm_packus_epi16 (_mm_srli_epi16 (a, 8), _mm_srli_epi16 (b, 8)));
}

/* Byte k of 16 pixels of three, which are three vectors: that of pixel i is byte 3 i + k - 16 v of vector v, if that is from 0
 * to 15. */
static inline AVX2 __m128i
take_threes (const __m128i vectors[3], guint k)
{
  const __m128i threes = _mm_setr_epi8 (0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45);
  __m128i bytes = _mm_setzero_si128 ();

  for (guint v = 0; v < 3; v++) {
    const __m128i at = _mm_add_epi8 (threes, _mm_set1_epi8 (k - 16 * v));
    /* A permutation takes 0 for numbers whose highest bit is set. */
    const __m128i from = _mm_or_si128 (at, _mm_cmpgt_epi8 (at, _mm_set1_epi8 (15)));

    bytes = _mm_or_si128 (bytes, _mm_shuffle_epi8 (vectors[v], from));
  }
  return bytes;
}

static inline AVX2 void
load_threes (const guint8 * in, __m128i vectors[3])
{
  for (guint v = 0; v < 3; v++)
    vectors[v] = _mm_loadu_si128 ((const __m128i *) in + v);
}

/* The vectors are loaded before the first store, which the compiler cannot know to lie elsewhere. */
static inline AVX2 void
split_threes (const guint8 * in, gpointer const out[4], guint i)
{
  __m128i vectors[3];

  load_threes (in, vectors);
  for (guint k = 0; k < 3; k++)
    store_short (out[k], i, take_threes (vectors, k));
}

/* Four vectors of four: the bytes of each are put in order, and then the vectors are transposed. */
static inline AVX2 void
split_fours (const guint8 * in, gpointer const out[4], guint i)
{
  const __m128i fours = _mm_setr_epi8 (0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  __m128i v[4], low, high;

  for (guint k = 0; k < 4; k++)
    v[k] = _mm_shuffle_epi8 (_mm_loadu_si128 ((const __m128i *) in + k), fours);
  low = _mm_unpacklo_epi32 (v[0], v[1]);
  high = _mm_unpacklo_epi32 (v[2], v[3]);
  store_short (out[0], i, _mm_unpacklo_epi64 (low, high));
  store_short (out[1], i, _mm_unpackhi_epi64 (low, high));
  low = _mm_unpackhi_epi32 (v[0], v[1]);
  high = _mm_unpackhi_epi32 (v[2], v[3]);
  store_short (out[2], i, _mm_unpacklo_epi64 (low, high));
  store_short (out[3], i, _mm_unpackhi_epi64 (low, high));
}

static AVX2 void
split_by_avx2 (const guint8 * in, guint period, gpointer const out[4], guint n)
{
  gpointer rest[4] = { NULL, };
  guint i = 0;

  if (period == 2)
    for (; i + SHORT_VECTOR <= n; i += SHORT_VECTOR)
      split_twos (in + 2 * i, out, i);
  else if (period == 3)
    for (; i + SHORT_VECTOR <= n; i += SHORT_VECTOR)
      split_threes (in + 3 * i, out, i);
  else
    for (; i + SHORT_VECTOR <= n; i += SHORT_VECTOR)
      split_fours (in + 4 * i, out, i);
  for (guint k = 0; k < period; k++)
    rest[k] = out[k] == NULL ? NULL : (guint8 *) out[k] + i;
  split (in + period * i, period, rest, n - i);
}

#undef SHORT_VECTOR

static AVX2 void extract_of_words_avx2 (const guint8 * in, const HistoField * field, gpointer row_out,
    guint n);

/* Extracts fields that lie in one word each. */
static AVX2 void
extract_by_avx2 (const guint8 * in, const HistoField * field, gpointer row_out, guint n)
{
  const __m256i mask = _mm256_set1_epi16 (field->mask);
  const __m128i shift = _mm_cvtsi32_si128 (field->shift);
  guint16 *out = row_out;
  guint i = 0;

  if (field->period == 2 && !field->swap)
    for (; i + PER_VECTOR <= n; i += PER_VECTOR)
      _mm256_storeu_si256 ((__m256i *) (out + i),
          _mm256_and_si256 (_mm256_srl_epi16 (LOAD (in + 2 * i), shift), mask));
  extract_of_words_avx2 (in + field->period * i, field, out + i, n - i);
}

/* ---- Four words ------------------------------------------------------------------------------- */

/* Two pixels from @near, and two from @far, whose words k follow each other in each half. */
static inline AVX2 __attribute__ ((always_inline)) __m256i
load_fours (const guint8 * near, const guint8 * far, __m256i order)
{
  return _mm256_shuffle_epi8 (_mm256_inserti128_si256 (_mm256_castsi128_si256 (_mm_loadu_si128 ((const __m128i *) near)),
          _mm_loadu_si128 ((const __m128i *) far), 1), order);
}

static AVX2 void
split_words_by_avx2 (const guint8 * in, gboolean swap, guint shift, gpointer const out[4], guint n)
{
  const __m256i order = _mm256_broadcastsi128_si256 (swap ?
      _mm_setr_epi8 (1, 0, 9, 8, 3, 2, 11, 10, 5, 4, 13, 12, 7, 6, 15, 14) :
      _mm_setr_epi8 (0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
  const __m128i by = _mm_cvtsi32_si128 (shift);
  gpointer rest[4];
  guint i = 0;

  for (; i + PER_VECTOR <= n; i += PER_VECTOR) {
    const guint8 *p = in + 8 * i;
    __m256i two[4], words[4];

    for (guint k = 0; k < 4; k++)
      two[k] = load_fours (p + 16 * k, p + 16 * k + 64, order);

    const __m256i low[2] = { _mm256_unpacklo_epi32 (two[0], two[1]), _mm256_unpacklo_epi32 (two[2], two[3]) };
    const __m256i high[2] = { _mm256_unpackhi_epi32 (two[0], two[1]), _mm256_unpackhi_epi32 (two[2], two[3]) };

    words[0] = _mm256_unpacklo_epi64 (low[0], low[1]);
    words[1] = _mm256_unpackhi_epi64 (low[0], low[1]);
    words[2] = _mm256_unpacklo_epi64 (high[0], high[1]);
    words[3] = _mm256_unpackhi_epi64 (high[0], high[1]);
    for (guint k = 0; k < 4; k++)
      if (out[k] != NULL)
        _mm256_storeu_si256 ((__m256i *) ((guint16 *) out[k] + i), _mm256_srl_epi16 (words[k], by));
  }
  for (guint k = 0; k < 4; k++)
    rest[k] = out[k] == NULL ? NULL : (guint16 *) out[k] + i;
  split_words (in + 8 * i, swap, shift, rest, n - i);
}

/* ---- Three fields of ten bits ------------------------------------------------------------------ */

/* Four words at a time: the fields at bits 0 and 10 go to the halves of a 32-bit number, that at bit 20 to another
 * one, and permutations put them in order. */
static AVX2 void
split_tens_by_avx2 (const guint8 * in, guint16 * out, guint n)
{
  const __m128i field = _mm_set1_epi32 (0x3ff);
  const __m128i first_halves = _mm_setr_epi8 (0, 1, 2, 3, -1, -1, 4, 5, 6, 7, -1, -1, 8, 9, 10, 11);
  const __m128i first_thirds = _mm_setr_epi8 (-1, -1, -1, -1, 0, 1, -1, -1, -1, -1, 4, 5, -1, -1, -1, -1);
  const __m128i last_halves = _mm_setr_epi8 (-1, -1, 12, 13, 14, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m128i last_thirds = _mm_setr_epi8 (8, 9, -1, -1, -1, -1, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
  guint i = 0;

  for (; i + 4 <= n; i += 4) {
    const __m128i words = _mm_loadu_si128 ((const __m128i *) (in + 4 * i));
    const __m128i halves = _mm_or_si128 (_mm_and_si128 (words, field),
        _mm_slli_epi32 (_mm_and_si128 (_mm_srli_epi32 (words, 10), field), 16));
    const __m128i thirds = _mm_and_si128 (_mm_srli_epi32 (words, 20), field);

    _mm_storeu_si128 ((__m128i *) (out + 3 * i),
        _mm_or_si128 (_mm_shuffle_epi8 (halves, first_halves), _mm_shuffle_epi8 (thirds, first_thirds)));
    _mm_storel_epi64 ((__m128i *) (out + 3 * i + 8),
        _mm_or_si128 (_mm_shuffle_epi8 (halves, last_halves), _mm_shuffle_epi8 (thirds, last_thirds)));
  }
  split_tens (in + 4 * i, out + 3 * i, n - i);
}

/* ---- Matrices ---------------------------------------------------------------------------------- */

/* A row of a matrix whose shift is HISTO_MATRIX_SHIFT: the factors of a and b, and those of c and x, in the
 * halves of 32-bit numbers. One factor may be too large for 16 bits: x is that sample once more, and the
 * factor is divided among the two. */
typedef struct
{
  __m256i ab, cx, offset, to;
  guint x;                      /* 0, 1, 2: a, b, c */
} MatrixVectors;

static AVX2 __m256i
two_factors (gint32 first, gint32 second)
{
  return _mm256_set1_epi32 ((gint32) ((guint16) first | (guint32) second << 16));
}

/* FALSE: the factors do not fit. */
static AVX2 gboolean
make_matrix_vectors (const HistoMatrix * matrix, guint row, MatrixVectors * vectors)
{
  gint32 factors[3], part = 0;

  vectors->x = 2;
  for (guint i = 0; i < 3; i++) {
    factors[i] = matrix->coefficients[row][i];
    if (factors[i] == (gint16) factors[i])
      continue;
    if (part != 0 || ABS (factors[i]) > 2 * G_MAXINT16)
      return FALSE;
    part = factors[i] / 2;
    factors[i] -= part;
    vectors->x = i;
  }
  vectors->ab = two_factors (factors[0], factors[1]);
  vectors->cx = two_factors (factors[2], part);
  vectors->offset = _mm256_set1_epi32 (matrix_offset_of_bytes (matrix->coefficients[row], matrix->from,
          matrix->shift));
  vectors->to = _mm256_set1_epi16 (matrix->to[row]);
  return matrix->shift == HISTO_MATRIX_SHIFT;
}

static inline AVX2 __attribute__ ((always_inline)) __m256i
load_words (gconstpointer row, guint i, gboolean is_wide)
{
  return is_wide ? LOAD ((const guint16 *) row + i) :
      _mm256_cvtepu8_epi16 (_mm_loadu_si128 ((const __m128i *) ((const guint8 *) row + i)));
}

static inline AVX2 __attribute__ ((always_inline)) void
store_words (gpointer row, guint i, __m256i words, gboolean is_wide)
{
  if (is_wide)
    _mm256_storeu_si256 ((__m256i *) ((guint16 *) row + i), words);
  else
    _mm_storeu_si128 ((__m128i *) ((guint8 *) row + i), _mm_packus_epi16
        (_mm256_castsi256_si128 (words), _mm256_extracti128_si256 (words, 1)));
}

static inline AVX2 __attribute__ ((always_inline)) __m256i
apply_matrix (const MatrixVectors * row, const __m256i samples[3], __m256i ab_low, __m256i ab_high,
    __m256i max)
{
  const __m256i x = row->x == 0 ? samples[0] : row->x == 1 ? samples[1] : samples[2];
  const __m256i low = _mm256_add_epi32 (_mm256_madd_epi16 (ab_low, row->ab),
      _mm256_madd_epi16 (_mm256_unpacklo_epi16 (samples[2], x), row->cx));
  const __m256i high = _mm256_add_epi32 (_mm256_madd_epi16 (ab_high, row->ab),
      _mm256_madd_epi16 (_mm256_unpackhi_epi16 (samples[2], x), row->cx));
  const __m256i words = _mm256_packs_epi32
      (_mm256_srai_epi32 (_mm256_add_epi32 (low, row->offset), HISTO_MATRIX_SHIFT),
      _mm256_srai_epi32 (_mm256_add_epi32 (high, row->offset), HISTO_MATRIX_SHIFT));

  return _mm256_min_epi16 (_mm256_max_epi16 (_mm256_add_epi16 (words, row->to),
          _mm256_setzero_si256 ()), max);
}

/* Whole vectors of @n_rows rows from @first on, and with @greatest the greatest of them. Returns how many
 * columns these are. */
static inline AVX2 __attribute__ ((always_inline)) guint
apply_matrix_rows (const HistoMatrix * matrix, guint first, guint n_rows, const gconstpointer in[3],
    const gpointer *out, gpointer greatest, guint n, gboolean is_wide)
{
  const __m256i max = _mm256_set1_epi16 (matrix->max);
  MatrixVectors rows[3];
  guint i = 0;

  for (guint r = 0; r < n_rows; r++)
    if (!make_matrix_vectors (matrix, first + r, &rows[r]))
      return 0;
  for (; i + PER_VECTOR <= n; i += PER_VECTOR) {
    const __m256i samples[3] = { load_words (in[0], i, is_wide), load_words (in[1], i, is_wide),
      load_words (in[2], i, is_wide)
    };
    const __m256i ab_low = _mm256_unpacklo_epi16 (samples[0], samples[1]);
    const __m256i ab_high = _mm256_unpackhi_epi16 (samples[0], samples[1]);
    __m256i most = _mm256_setzero_si256 ();

    for (guint r = 0; r < n_rows; r++) {
      const __m256i words = apply_matrix (&rows[r], samples, ab_low, ab_high, max);

      store_words (out[r], i, words, is_wide);
      most = _mm256_max_epi16 (most, words);
    }
    if (greatest != NULL)
      store_words (greatest, i, most, is_wide);
  }
  return i;
}

/* The same of a matrix whose shift is HISTO_DEEP_MATRIX_SHIFT: the bits of the factors above the lowest 8, and these alone,
 * so that the sums fit in 32 bits. Samples are made signed: 32768 less. */
typedef struct
{
  __m256i ab[2], c[2], offset[2];
} DeepMatrixVectors;

/* FALSE: the factors do not fit. */
static AVX2 gboolean
make_deep_matrix_vectors (const HistoMatrix * matrix, guint row, DeepMatrixVectors * vectors)
{
  const gint32 *factors = matrix->coefficients[row];
  gint64 offset = matrix_offset_of_words (factors, matrix->from, matrix->shift)
      + (gint64) matrix->to[row] * (1 << HISTO_DEEP_MATRIX_SHIFT);

  for (guint i = 0; i < 3; i++) {
    if (ABS (factors[i]) > G_MAXINT16 << 8)
      return FALSE;
    offset += (gint64) factors[i] * (1 << 15);
  }
  vectors->ab[0] = two_factors (factors[0] >> 8, factors[1] >> 8);
  vectors->ab[1] = two_factors (factors[0] & 0xff, factors[1] & 0xff);
  vectors->c[0] = two_factors (factors[2] >> 8, 0);
  vectors->c[1] = two_factors (factors[2] & 0xff, 0);
  vectors->offset[0] = _mm256_set1_epi32 ((gint32) (offset >> 8));
  vectors->offset[1] = _mm256_set1_epi32 ((gint32) (offset & 0xff));
  return matrix->shift == HISTO_DEEP_MATRIX_SHIFT;
}

static inline AVX2 __attribute__ ((always_inline)) __m256i
apply_deep_matrix (const DeepMatrixVectors * row, __m256i ab, __m256i c)
{
  __m256i sums[2];

  for (guint i = 0; i < 2; i++)
    sums[i] = _mm256_add_epi32 (_mm256_add_epi32 (_mm256_madd_epi16 (ab, row->ab[i]), _mm256_madd_epi16 (c, row->c[i])),
        row->offset[i]);
  return _mm256_srai_epi32 (_mm256_add_epi32 (sums[0], _mm256_srai_epi32 (sums[1], 8)), HISTO_DEEP_MATRIX_SHIFT - 8);
}

static inline AVX2 __attribute__ ((always_inline)) guint
apply_deep_matrix_rows (const HistoMatrix * matrix, guint first, guint n_rows, const gconstpointer in[3],
    const gpointer *out, gpointer greatest, guint n)
{
  const __m256i max = _mm256_set1_epi16 (matrix->max), sign = _mm256_set1_epi16 (G_MININT16);
  const __m256i zero = _mm256_setzero_si256 ();
  DeepMatrixVectors rows[3];
  guint i = 0;

  for (guint r = 0; r < n_rows; r++)
    if (!make_deep_matrix_vectors (matrix, first + r, &rows[r]))
      return 0;
  for (; i + PER_VECTOR <= n; i += PER_VECTOR) {
    const __m256i a = _mm256_xor_si256 (load_words (in[0], i, TRUE), sign);
    const __m256i b = _mm256_xor_si256 (load_words (in[1], i, TRUE), sign);
    const __m256i c = _mm256_xor_si256 (load_words (in[2], i, TRUE), sign);
    const __m256i ab[2] = { _mm256_unpacklo_epi16 (a, b), _mm256_unpackhi_epi16 (a, b) };
    const __m256i c_alone[2] = { _mm256_unpacklo_epi16 (c, zero), _mm256_unpackhi_epi16 (c, zero) };
    __m256i most = zero;

    for (guint r = 0; r < n_rows; r++) {
      const __m256i words = _mm256_min_epu16 (_mm256_packus_epi32 (apply_deep_matrix (&rows[r], ab[0], c_alone[0]),
              apply_deep_matrix (&rows[r], ab[1], c_alone[1])), max);

      store_words (out[r], i, words, TRUE);
      most = _mm256_max_epu16 (most, words);
    }
    if (greatest != NULL)
      store_words (greatest, i, most, TRUE);
  }
  return i;
}

/* The rest, and matrices whose factors do not fit, are left to the compiler's loops. */
#define AT(row, i) ((gpointer) ((const SAMPLE *) (row) + (i)))
#define MATRIX_LOOPS(type, is_wide) \
static AVX2 void matrix_##type##_avx2 (const HistoMatrix * matrix, guint row, gconstpointer row_a, \
    gconstpointer row_b, gconstpointer row_c, gpointer row_out, guint n); \
static AVX2 void matrices_##type##_avx2 (const HistoMatrix * matrix, gconstpointer a, \
    gconstpointer b, gconstpointer c, gpointer const out[4], guint n); \
\
static AVX2 void \
matrix_by_avx2_##type (const HistoMatrix * matrix, guint row, gconstpointer a, gconstpointer b, \
    gconstpointer c, gpointer out, guint n) \
{ \
  const gconstpointer in[3] = { a, b, c }; \
  const guint i = is_wide && matrix->shift == HISTO_DEEP_MATRIX_SHIFT ? \
      apply_deep_matrix_rows (matrix, row, 1, in, &out, NULL, n) : \
      apply_matrix_rows (matrix, row, 1, in, &out, NULL, n, is_wide); \
\
  matrix_##type##_avx2 (matrix, row, AT (a, i), AT (b, i), AT (c, i), AT (out, i), n - i); \
} \
\
static AVX2 void \
matrices_by_avx2_##type (const HistoMatrix * matrix, gconstpointer a, gconstpointer b, \
    gconstpointer c, gpointer const out[4], guint n) \
{ \
  const gconstpointer in[3] = { a, b, c }; \
  const guint i = is_wide && matrix->shift == HISTO_DEEP_MATRIX_SHIFT ? \
      apply_deep_matrix_rows (matrix, 0, 3, in, out, out[3], n) : \
      apply_matrix_rows (matrix, 0, 3, in, out, out[3], n, is_wide); \
  gpointer const rest[4] = { AT (out[0], i), AT (out[1], i), AT (out[2], i), \
    out[3] == NULL ? NULL : AT (out[3], i) \
  }; \
\
  matrices_##type##_avx2 (matrix, AT (a, i), AT (b, i), AT (c, i), rest, n - i); \
}

#define SAMPLE guint8
MATRIX_LOOPS (of_bytes, FALSE)
#undef SAMPLE
#define SAMPLE guint16
MATRIX_LOOPS (of_words, TRUE)
#undef SAMPLE
#undef MATRIX_LOOPS
#undef AT

/* The same with AVX-512, whose sums of products need no other additions. */
static inline AVX512 __attribute__ ((always_inline)) __m512i
load_words_of_512 (gconstpointer row, guint i, gboolean is_wide)
{
  return is_wide ? _mm512_loadu_si512 ((const guint16 *) row + i) :
      _mm512_cvtepu8_epi16 (_mm256_loadu_si256 ((const __m256i *) ((const guint8 *) row + i)));
}

static inline AVX512 __attribute__ ((always_inline)) void
store_words_of_512 (gpointer row, guint i, __m512i words, gboolean is_wide)
{
  if (is_wide)
    _mm512_storeu_si512 ((guint16 *) row + i, words);
  else
    _mm256_storeu_si256 ((__m256i *) ((guint8 *) row + i), _mm512_cvtepi16_epi8 (words));
}

/* Three rows of 32 columns at a time. Returns how many columns these are. */
static inline AVX512 __attribute__ ((always_inline)) guint
apply_matrix_of_512 (const HistoMatrix * matrix, const gconstpointer in[3], gpointer const out[4], guint n,
    gboolean is_wide)
{
  const __m512i max = _mm512_set1_epi16 (matrix->max), zero = _mm512_setzero_si512 ();
  __m512i ab[3], cx[3], offset[3], to[3];
  guint x[3], i = 0;

  for (guint r = 0; r < 3; r++) {
    MatrixVectors vectors;

    if (!make_matrix_vectors (matrix, r, &vectors))
      return 0;
    ab[r] = _mm512_broadcast_i64x4 (vectors.ab);
    cx[r] = _mm512_broadcast_i64x4 (vectors.cx);
    offset[r] = _mm512_broadcast_i64x4 (vectors.offset);
    to[r] = _mm512_broadcast_i64x4 (vectors.to);
    x[r] = vectors.x;
  }
  for (; i + 32 <= n; i += 32) {
    const __m512i a = load_words_of_512 (in[0], i, is_wide), b = load_words_of_512 (in[1], i, is_wide),
        c = load_words_of_512 (in[2], i, is_wide);
    const __m512i ab_low = _mm512_unpacklo_epi16 (a, b), ab_high = _mm512_unpackhi_epi16 (a, b);
    __m512i most = zero;

    for (guint r = 0; r < 3; r++) {
      const __m512i again = x[r] == 0 ? a : x[r] == 1 ? b : c;
      const __m512i low = _mm512_dpwssd_epi32 (_mm512_dpwssd_epi32 (offset[r], ab_low, ab[r]),
          _mm512_unpacklo_epi16 (c, again), cx[r]);
      const __m512i high = _mm512_dpwssd_epi32 (_mm512_dpwssd_epi32 (offset[r], ab_high, ab[r]),
          _mm512_unpackhi_epi16 (c, again), cx[r]);
      const __m512i words = _mm512_packs_epi32 (_mm512_srai_epi32 (low, HISTO_MATRIX_SHIFT),
          _mm512_srai_epi32 (high, HISTO_MATRIX_SHIFT));
      const __m512i limited = _mm512_min_epi16 (_mm512_max_epi16 (_mm512_add_epi16 (words, to[r]), zero), max);

      store_words_of_512 (out[r], i, limited, is_wide);
      most = _mm512_max_epi16 (most, limited);
    }
    if (out[3] != NULL)
      store_words_of_512 (out[3], i, most, is_wide);
  }
  return i;
}

#define MATRICES_LOOP(type, type_of_sample, is_wide) \
static AVX512 void \
matrices_by_avx512_##type (const HistoMatrix * matrix, gconstpointer a, gconstpointer b, gconstpointer c, \
    gpointer const out[4], guint n) \
{ \
  const gconstpointer in[3] = { a, b, c }; \
  const guint i = apply_matrix_of_512 (matrix, in, out, n, is_wide); \
  type_of_sample *const rest[4] = { out[0], out[1], out[2], out[3] }; \
  gpointer const to[4] = { rest[0] + i, rest[1] + i, rest[2] + i, rest[3] == NULL ? NULL : rest[3] + i }; \
\
  matrices_by_avx2_##type (matrix, (const type_of_sample *) a + i, (const type_of_sample *) b + i, \
      (const type_of_sample *) c + i, to, n - i); \
}

MATRICES_LOOP (of_bytes, guint8, FALSE)
MATRICES_LOOP (of_words, guint16, TRUE)
#undef MATRICES_LOOP

/* ---- Saturation and hue --------------------------------------------------------------------------- */

/* Saturation of 16 columns. @squares: of 2^31 at most. The root by an approximation and a step of Newton's is off by less than
 * 0.1, as that of chroma_of_words(). */
static inline AVX512 __attribute__ ((always_inline)) __m512i
find_saturation (__m512i squares)
{
  const __m512 size = _mm512_max_ps (_mm512_cvtepu32_ps (squares), _mm512_set1_ps (1)), half = _mm512_set1_ps (0.5f);
  const __m512 inverse = _mm512_rsqrt14_ps (size), near = _mm512_mul_ps (size, inverse);
  const __m512 error = _mm512_fnmadd_ps (_mm512_mul_ps (near, half), inverse, half);
  const __m512i root = _mm512_cvttps_epi32 (_mm512_mul_ps (_mm512_fmadd_ps (near, error, near), _mm512_set1_ps (ROOT_TOO_SMALL)));
  const __m512i one = _mm512_set1_epi32 (1), next = _mm512_add_epi32 (root, one);
  /* See reaches_next(). */
  const __m512i exponent = _mm512_srli_epi32 (_mm512_castps_si512 (_mm512_cvtepi32_ps (_mm512_or_si512 (root, one))), 23);
  const __m512i more = _mm512_srlv_epi32 (root, _mm512_sub_epi32 (_mm512_set1_epi32 (127 + 23), exponent));
  const __mmask16 reaches = _mm512_cmpge_epu32_mask (_mm512_add_epi32 (squares, more), _mm512_mullo_epi32 (next, next));

  return _mm512_mask_mov_epi32 (root, reaches, next);
}

/* The whole degrees of the arc tangent of @less / @more, at most 45, of 16 columns; HUE_UNSURE: unsure. The polynomial is
 * that of histo_hue_degrees(). @more: at least 1 */
static inline AVX512 __attribute__ ((always_inline)) __m512i
find_arc (__m512i less, __m512i more)
{
  const __m512 a = _mm512_cvtepi32_ps (less), b = _mm512_cvtepi32_ps (more);
  const __m512 inverse = _mm512_rcp14_ps (b), near = _mm512_mul_ps (a, inverse);
  const __m512 t = _mm512_fmadd_ps (_mm512_fnmadd_ps (near, b, a), inverse, near), q = _mm512_mul_ps (t, t);
  __m512 arc = _mm512_set1_ps (-0.671575293f), rest;
  __m512i degrees;

  arc = _mm512_fmadd_ps (q, arc, _mm512_set1_ps (3.01681309f));
  arc = _mm512_fmadd_ps (q, arc, _mm512_set1_ps (-6.67111206f));
  arc = _mm512_fmadd_ps (q, arc, _mm512_set1_ps (11.0892233f));
  arc = _mm512_fmadd_ps (q, arc, _mm512_set1_ps (-19.0579211f));
  arc = _mm512_mul_ps (t, _mm512_fmadd_ps (q, arc, _mm512_set1_ps (57.29448f)));
  degrees = _mm512_cvttps_epi32 (arc);
  rest = _mm512_sub_ps (arc, _mm512_cvtepi32_ps (degrees));
  return _mm512_mask_mov_epi32 (degrees, _mm512_cmp_ps_mask (_mm512_abs_ps (_mm512_sub_ps (rest, _mm512_set1_ps (0.5f))),
          _mm512_set1_ps (0.5f - HISTO_HUE_MARGIN), _CMP_GT_OQ), _mm512_set1_epi32 (HUE_UNSURE));
}

static AVX2 void chroma_of_words_avx2 (gconstpointer u, gconstpointer v, gpointer saturation, gpointer hue, guint n,
    guint depth);

/* 32 columns at a time. What does not need 32 bits is done with words: the sizes of U and V, and where in the circle the arc
 * lies. */
static AVX512 void
chroma_of_words_by_avx512 (gconstpointer row_u, gconstpointer row_v, gpointer row_saturation, gpointer row_hue, guint n,
    guint depth)
{
  const guint16 *u = row_u, *v = row_v;
  guint16 *saturation = row_saturation, *hue = row_hue;
  const __m512i zero = _mm512_setzero_si512 (), mid = _mm512_set1_epi16 ((gint16) (1u << (depth - 1)));
  const __m512i quarter = _mm512_set1_epi16 (90), half = _mm512_set1_epi16 (180);
  guint i = 0;

  for (; i + 32 <= n; i += 32) {
    const __m512i x = _mm512_sub_epi16 (_mm512_loadu_si512 (u + i), mid), y = _mm512_sub_epi16 (_mm512_loadu_si512 (v + i), mid);
    const __m512i a = _mm512_abs_epi16 (x), b = _mm512_abs_epi16 (y);
    const __m512i less = _mm512_min_epu16 (a, b), more = _mm512_max_epu16 (_mm512_max_epu16 (a, b), _mm512_set1_epi16 (1));
    const __m512i low = _mm512_unpacklo_epi16 (x, y), high = _mm512_unpackhi_epi16 (x, y);
    const __m512i arc = _mm512_packus_epi32 (find_arc (_mm512_unpacklo_epi16 (less, zero), _mm512_unpacklo_epi16 (more, zero)),
        find_arc (_mm512_unpackhi_epi16 (less, zero), _mm512_unpackhi_epi16 (more, zero)));
    const __mmask32 is_steep = _mm512_cmpgt_epu16_mask (a, b), is_left = _mm512_movepi16_mask (y),
        is_below = _mm512_movepi16_mask (x);
    /* The arc is added to whole degrees or subtracted from them: then its whole degrees and 1 are, as it has a rest. */
    const __mmask32 is_less = is_steep ^ is_left ^ is_below;
    __m512i from = _mm512_maskz_mov_epi16 (is_steep, quarter), degrees;
    __mmask32 unsure = _mm512_cmpeq_epi16_mask (arc, _mm512_set1_epi16 ((gint16) HUE_UNSURE));

    from = _mm512_mask_sub_epi16 (from, is_left, half, from);
    from = _mm512_mask_sub_epi16 (_mm512_add_epi16 (half, from), is_below, half, from);
    degrees = _mm512_add_epi16 (from, arc);
    degrees = _mm512_mask_sub_epi16 (degrees, is_less, _mm512_sub_epi16 (from, _mm512_set1_epi16 (1)), arc);
    _mm512_storeu_si512 (hue + i, degrees);
    _mm512_storeu_si512 (saturation + i, _mm512_packus_epi32 (find_saturation (_mm512_madd_epi16 (low, low)),
            find_saturation (_mm512_madd_epi16 (high, high))));
    for (; unsure != 0; unsure &= unsure - 1) {
      const guint k = i + __builtin_ctz (unsure);

      hue[k] = exact_hue (u[k] - (1 << (depth - 1)), v[k] - (1 << (depth - 1)), depth);
    }
  }
  chroma_of_words_avx2 (u + i, v + i, saturation + i, hue + i, n - i, depth);
}

/* ---- Stretching ------------------------------------------------------------------------------- */

static AVX2 void
stretch_by_avx2 (gconstpointer row, gpointer row_out, guint n, guint depth)
{
  const guint8 *in = row;
  guint8 *out = row_out;
  const __m256i low = _mm256_set1_epi8 (16), zero = _mm256_setzero_si256 ();
  const __m256i most = _mm256_set1_epi8 ((gchar) 219);
  const __m256i factor = _mm256_set1_epi16 (STRETCH_FACTOR);
  guint i = 0;

  for (; i + VECTOR <= n; i += VECTOR) {
    const __m256i over =
        _mm256_min_epu8 (_mm256_subs_epu8 (LOAD (in + i), low), most);
    const __m256i more =
        _mm256_packus_epi16 (_mm256_mulhi_epu16 (_mm256_unpacklo_epi8 (over,
                zero), factor), _mm256_mulhi_epu16 (_mm256_unpackhi_epi8 (over,
                zero), factor));

    _mm256_storeu_si256 ((__m256i *) (out + i), _mm256_add_epi8 (over, more));
  }
  stretch_of_bytes (in + i, out + i, n - i, depth);
}

/* ---- Changes ------------------------------------------------------------------------------- */

/* Sums of the squares of so many vectors fit in 32 bits. */
#define CHANGES 256

static AVX2 void
add_changes_by_avx2 (gconstpointer row_a, gconstpointer row_b, guint n,
    gint64 * sum, guint64 * squares)
{
  const guint8 *a = row_a, *b = row_b;
  const __m256i zero = _mm256_setzero_si256 ();
  guint i = 0;

  while (i + VECTOR <= n) {
    const guint end = i + MIN ((n - i) / VECTOR, CHANGES) * VECTOR;
    __m256i of_a = zero, of_b = zero, of_squares = zero;

    for (; i < end; i += VECTOR) {
      const __m256i va = LOAD (a + i), vb = LOAD (b + i);
      const __m256i size =
          _mm256_or_si256 (_mm256_subs_epu8 (va, vb), _mm256_subs_epu8 (vb, va));
      const __m256i low = _mm256_unpacklo_epi8 (size, zero);
      const __m256i high = _mm256_unpackhi_epi8 (size, zero);

      of_a = _mm256_add_epi64 (of_a, _mm256_sad_epu8 (va, zero));
      of_b = _mm256_add_epi64 (of_b, _mm256_sad_epu8 (vb, zero));
      of_squares = _mm256_add_epi32 (of_squares,
          _mm256_add_epi32 (_mm256_madd_epi16 (low, low),
              _mm256_madd_epi16 (high, high)));
    }
    *sum += (gint64) (add_up_long (of_a) - add_up_long (of_b));
    *squares += add_up (of_squares);
  }
  add_changes_of_bytes (a + i, b + i, n - i, sum, squares);
}

#undef CHANGES

/* ---- Columns ------------------------------------------------------------------------------- */

/* Adds 16 numbers of 16 bits: 0 to 7 to @columns, 8 to 15 to columns + 16. */
static inline AVX2 void
add_to_columns (guint32 * columns, __m256i words)
{
  __m256i *low = (__m256i *) columns, *high = (__m256i *) (columns + PER_VECTOR);

  _mm256_storeu_si256 (low, _mm256_add_epi32 (LOAD (low),
          _mm256_cvtepu16_epi32 (_mm256_castsi256_si128 (words))));
  _mm256_storeu_si256 (high, _mm256_add_epi32 (LOAD (high),
          _mm256_cvtepu16_epi32 (_mm256_extracti128_si256 (words, 1))));
}

/* A whole group of rows: their sums stay in registers. */
static AVX2 void
add_columns_of_rows (const gconstpointer * rows, guint32 * columns,
    guint64 * sums, guint n_vectors)
{
  const __m256i zero = _mm256_setzero_si256 ();
  __m256i of_rows[HISTO_SUM_ROWS];

  for (guint r = 0; r < HISTO_SUM_ROWS; r++)
    of_rows[r] = zero;
  for (guint i = 0; i < n_vectors * VECTOR; i += VECTOR) {
    __m256i low = zero, high = zero;

    for (guint r = 0; r < HISTO_SUM_ROWS; r++) {
      const __m256i samples = LOAD ((const guint8 *) rows[r] + i);

      of_rows[r] = _mm256_add_epi64 (of_rows[r], _mm256_sad_epu8 (samples, zero));
      low = _mm256_add_epi16 (low, _mm256_unpacklo_epi8 (samples, zero));
      high = _mm256_add_epi16 (high, _mm256_unpackhi_epi8 (samples, zero));
    }
    /* The halves of a vector are unpacked each by itself. */
    add_to_columns (columns + i, low);
    add_to_columns (columns + i + PER_VECTOR / 2, high);
  }
  for (guint r = 0; r < HISTO_SUM_ROWS; r++)
    sums[r] += add_up_long (of_rows[r]);
}

static AVX2 void
add_columns_by_avx2 (const gconstpointer * rows, guint n_rows,
    guint32 * columns, guint64 * sums, guint n)
{
  guint first = 0;

  if (n_rows == HISTO_SUM_ROWS) {
    first = n / VECTOR * VECTOR;
    add_columns_of_rows (rows, columns, sums, n / VECTOR);
  }
  for (guint r = 0; r < n_rows; r++)
    sums[r] += add_row_of_bytes ((const guint8 *) rows[r] + first,
        columns + first, n - first);
}

/* ---- Range --------------------------------------------------------------------------------- */

/* The flags of so many vectors fit in 8 bits. */
#define FLAGS 255

static AVX2 guint
count_out_of_range_by_avx2 (gconstpointer row, gconstpointer row_flags,
    guint n, guint depth)
{
  const guint8 *luma = row, *flags = row_flags;
  const __m256i low = _mm256_set1_epi8 (16);
  const __m256i high = _mm256_set1_epi8 ((gchar) 235);
  const __m256i one = _mm256_set1_epi8 (1), zero = _mm256_setzero_si256 ();
  guint i = 0, count = 0;

  while (i + VECTOR <= n) {
    const guint end = i + MIN ((n - i) / VECTOR, FLAGS) * VECTOR;
    __m256i counts = zero;

    for (; i < end; i += VECTOR) {
      const __m256i y = LOAD (luma + i);
      const __m256i over = _mm256_or_si256 (_mm256_subs_epu8 (low, y),
          _mm256_subs_epu8 (y, high));
      const __m256i any =
          flags == NULL ? over : _mm256_or_si256 (over, LOAD (flags + i));

      counts = _mm256_add_epi8 (counts, _mm256_min_epu8 (any, one));
    }
    count += add_up_long (_mm256_sad_epu8 (counts, zero));
  }
  return count + count_out_of_range_of_bytes (luma + i,
      flags == NULL ? NULL : flags + i, n - i, depth);
}

#undef FLAGS

/* ---- Outliers ------------------------------------------------------------------------------ */

/* Not 0 where b is an outlier between a and c; see find_outliers() in loops-body.h. */
static inline AVX2 __m256i
find_outliers (__m256i a, __m256i b, __m256i c)
{
  const __m256i low = _mm256_min_epu8 (a, c), high = _mm256_max_epu8 (a, c);
  const __m256i distance =
      _mm256_or_si256 (_mm256_subs_epu8 (low, b), _mm256_subs_epu8 (b, high));
  const __m256i half = _mm256_avg_epu8 (_mm256_sub_epi8 (high, low),
      _mm256_setzero_si256 ());

  return _mm256_subs_epu8 (distance,
      _mm256_add_epi8 (half, _mm256_set1_epi8 (4)));
}

/* A bit for each column of a vector that is an outlier. @rows: at its first column */
static inline AVX2 guint32
outliers_of_vector (const guint8 * const rows[5])
{
  const __m256i b = LOAD (rows[2]), zero = _mm256_setzero_si256 ();
  const __m256i near = find_outliers (LOAD (rows[1]), b, LOAD (rows[3]));
  __m256i far;

  if (_mm256_testz_si256 (near, near))
    return 0;
  far = rows[0] == NULL ? near : find_outliers (LOAD (rows[0]), b, LOAD (rows[4]));
  return ~_mm256_movemask_epi8 (_mm256_or_si256 (_mm256_cmpeq_epi8 (near, zero),
          _mm256_cmpeq_epi8 (far, zero)));
}

/* Counts the outliers of the last columns: those behind them are equal in all rows, so no outliers. */
static AVX2 guint32
outliers_of_rest (const guint8 * const rows[5], guint n)
{
  guint8 copies[5][VECTOR] = { {0,}, };
  const guint8 *pointers[5] = { NULL, };

  for (guint i = 0; i < 5; i++) {
    if (rows[i] != NULL)
      pointers[i] = memcpy (copies[i], rows[i], n);
  }
  return outliers_of_vector (pointers);
}

static AVX2 guint
count_outliers_by_avx2 (const gconstpointer rows[5], guint n, guint depth)
{
  const guint8 *at[5];
  guint32 outliers = 0, before;
  guint count = 0;

  memcpy (at, rows, sizeof at);
  for (guint first = 0; first < n; first += VECTOR) {
    before = outliers;
    outliers = first + VECTOR <= n ? outliers_of_vector (at) :
        outliers_of_rest (at, n - first);
    /* Three in a row, which end in this vector. */
    if (outliers != 0)
      count += __builtin_popcount (outliers & (outliers << 1 | before >> 31)
          & (outliers << 2 | before >> 30));
    for (guint i = 0; i < 5; i++)
      at[i] = at[i] == NULL ? NULL : at[i] + VECTOR;
  }
  return count;
}

/* ---- Gradients of bytes ---------------------------------------------------------------------- */

/* Columns that are computed together: whole vectors. Sums of their numbers fit in 16 bits for each
 * column of a vector. */
#define GRADIENTS (60 * PER_VECTOR)

/* What Sobel's sums have in common: across[i] is above + 2 row + below, down[i] below - above. */
static AVX2 void
add_rows_of_bytes (const guint8 * restrict above, const guint8 * restrict row,
    const guint8 * restrict below, gint16 * restrict across,
    gint16 * restrict down, guint n)
{
  for (guint i = 0; i < n; i++) {
    across[i] = above[i] + 2 * row[i] + below[i];
    down[i] = below[i] - above[i];
  }
}

/* histo_gradient_fixed() is 2^FIXED_BITS times the gradient without its limit, plus a rest of at most
 * 2^FIXED_BITS. Sums of both numbers and of their products: */
#define FIXED_BITS (16 - 8 + 2)
typedef struct
{
  __m256i whole, rest;          /* 16 bits each */
  __m256i whole_whole, whole_rest, rest_rest;   /* 32 bits each */
} GradientSums;

/* Adds the numbers of PER_VECTOR columns; see make_finer(). Returns the gradients, 16 bits each,
 * without their limit */
static inline AVX2 __attribute__ ((always_inline)) __m256i
add_gradients (const __m256i finer_numbers[2], GradientSums * sums)
{
  const __m256i low = finer_numbers[0], high = finer_numbers[1];
  const __m256i bits = _mm256_set1_epi32 ((1 << FINER_BITS (8)) - 1);
  const __m256i whole =
      _mm256_packus_epi32 (_mm256_srli_epi32 (low, FINER_BITS (8)),
      _mm256_srli_epi32 (high, FINER_BITS (8)));
  const __m256i finer = _mm256_packus_epi32 (_mm256_and_si256 (low, bits),
      _mm256_and_si256 (high, bits));
  const __m256i rest = _mm256_avg_epu16 (finer, _mm256_setzero_si256 ());

  sums->whole = _mm256_add_epi16 (sums->whole, whole);
  sums->rest = _mm256_add_epi16 (sums->rest, rest);
  sums->whole_whole = _mm256_add_epi32 (sums->whole_whole,
      _mm256_madd_epi16 (whole, whole));
  sums->whole_rest = _mm256_add_epi32 (sums->whole_rest,
      _mm256_madd_epi16 (whole, rest));
  sums->rest_rest = _mm256_add_epi32 (sums->rest_rest,
      _mm256_madd_epi16 (rest, rest));
  return whole;
}

static AVX2 void
add_gradient_sums (const GradientSums * sums, guint64 * sum, guint64 * squares)
{
  *sum += (add_up_words (sums->whole) << FIXED_BITS)
      + add_up_words (sums->rest);
  *squares += (add_up (sums->whole_whole) << 2 * FIXED_BITS)
      + (add_up (sums->whole_rest) << (FIXED_BITS + 1))
      + add_up (sums->rest_rest);
}

/* squares[] = gx² + gy² of PER_VECTOR columns. The order is that of the halves of vectors: packing
 * two vectors restores that of the columns. */
static inline AVX2 void
make_squares (const gint16 * across, const gint16 * down, __m256i squares[2])
{
  const __m256i middle = LOAD (down + 1);
  const __m256i gx = _mm256_sub_epi16 (LOAD (across + 2), LOAD (across));
  const __m256i gy = _mm256_add_epi16 (_mm256_add_epi16 (middle, middle),
      _mm256_add_epi16 (LOAD (down), LOAD (down + 2)));
  const __m256i low = _mm256_unpacklo_epi16 (gx, gy);
  const __m256i high = _mm256_unpackhi_epi16 (gx, gy);

  squares[0] = _mm256_madd_epi16 (low, low);
  squares[1] = _mm256_madd_epi16 (high, high);
}

/* From squares to finer numbers; see FINER_PER_FIXED. */
static inline AVX2 __m256i
make_finer (__m256i squares)
{
  return _mm256_cvttps_epi32 (_mm256_mul_ps (_mm256_sqrt_ps (_mm256_cvtepi32_ps
              (squares)), _mm256_set1_ps (FINER_PER_FIXED << (16 - 8))));
}

/* Stores the least of each word and 255. */
static inline AVX2 void
store_bytes (guint8 * out, __m256i words)
{
  _mm_storeu_si128 ((__m128i *) out,
      _mm_packus_epi16 (_mm256_castsi256_si128 (words),
          _mm256_extracti128_si256 (words, 1)));
}

/* Continues both rows to @end so that gx and gy of columns @n and above are 0. */
static AVX2 void
continue_rows (gint16 * across, gint16 * down, guint n, guint end)
{
  for (guint i = n; i + 2 < end; i++) {
    across[i + 2] = across[i];
    down[i + 2] = -down[i] - 2 * down[i + 1];
  }
}

/* @n: at most GRADIENTS. The roots of a vector are used one turn of the loop later, and its squares
 * are made one turn before: so no instruction waits long for another one. */
static AVX2 void
gradients_of_piece (const guint8 * above, const guint8 * row,
    const guint8 * below, guint8 * out, guint n, guint64 * sum,
    guint64 * square_sum)
{
  const guint n_vectors = (n + PER_VECTOR - 1) / PER_VECTOR;
  gint16 across[GRADIENTS + 2 * PER_VECTOR], down[GRADIENTS + 2 * PER_VECTOR];
  guint8 bytes[GRADIENTS + PER_VECTOR];
  __m256i squares[2], finer[2];
  GradientSums sums;

  memset (&sums, 0, sizeof sums);
  memset (finer, 0, sizeof finer);
  add_rows_of_bytes (above, row, below, across, down, n + 2);
  continue_rows (across, down, n, PER_VECTOR * (n_vectors + 1) + 2);
  make_squares (across, down, squares);
  for (guint i = 0; i < n_vectors; i++) {
    store_bytes (bytes + PER_VECTOR * i, add_gradients (finer, &sums));
    finer[0] = make_finer (squares[0]);
    finer[1] = make_finer (squares[1]);
    make_squares (across + PER_VECTOR * (i + 1), down + PER_VECTOR * (i + 1),
        squares);
  }
  store_bytes (bytes + PER_VECTOR * n_vectors, add_gradients (finer, &sums));
  memcpy (out, bytes + PER_VECTOR, n);
  add_gradient_sums (&sums, sum, square_sum);
}

static AVX2 void
gradients_by_avx2 (const gconstpointer rows[3], gpointer out, guint n,
    guint depth, guint64 * sum, guint64 * squares)
{
  for (guint first = 0; first + 2 < n; first += GRADIENTS)
    gradients_of_piece ((const guint8 *) rows[0] + first,
        (const guint8 *) rows[1] + first, (const guint8 *) rows[2] + first,
        (guint8 *) out + first, MIN (n - 2 - first, GRADIENTS), sum, squares);
}

#undef FIXED_BITS
#undef GRADIENTS

/* ---- Pixels of three bytes ---------------------------------------------------------------------- */

/* Counts PER_VECTOR pixels. To load each byte takes fewer instructions than to shift words. */
static inline AVX2 __attribute__ ((always_inline)) void
count_some_threes (const guint8 * in, HistoThreesCounters counters)
{
#pragma GCC unroll 16
  for (guint i = 0; i < PER_VECTOR; i++) {
#pragma GCC unroll 3
    for (guint k = 0; k < 3; k++)
      counters[k][i % HISTO_THREES_COPIES][in[3 * i + k]]++;
  }
}

/* Makes luma of PER_VECTOR pixels. */
static inline AVX2 __attribute__ ((always_inline)) void
make_luma_of_threes (const guint8 * in, const MatrixVectors * matrix, __m256i max, guint8 * luma)
{
  __m128i vectors[3];
  __m256i samples[3];

  load_threes (in, vectors);
  for (guint k = 0; k < 3; k++)
    samples[k] = _mm256_cvtepu8_epi16 (take_threes (vectors, k));
  store_words (luma, 0, apply_matrix (matrix, samples, _mm256_unpacklo_epi16 (samples[0], samples[1]),
          _mm256_unpackhi_epi16 (samples[0], samples[1]), max), FALSE);
}

/* histo_gradient_fixed() of PER_VECTOR columns, two in each number. The rows begin one column before the first.
 *
 * @mask: all bits of each column that has a gradient */
static inline AVX2 __attribute__ ((always_inline)) __m256i
make_fixed_gradients (const guint8 * above, const guint8 * row, const guint8 * below, __m256i mask)
{
  const __m256i one = _mm256_set1_epi32 (1);
  const __m256i a[3] = { load_words (above, 0, FALSE), load_words (above, 1, FALSE), load_words (above, 2, FALSE) };
  const __m256i b[3] = { load_words (below, 0, FALSE), load_words (below, 1, FALSE), load_words (below, 2, FALSE) };
  const __m256i x = _mm256_sub_epi16 (load_words (row, 2, FALSE), load_words (row, 0, FALSE));
  const __m256i y = _mm256_sub_epi16 (b[1], a[1]);
  const __m256i left = _mm256_sub_epi16 (b[0], a[0]), right = _mm256_sub_epi16 (b[2], a[2]);
  const __m256i gx = _mm256_and_si256 (mask, _mm256_add_epi16 (_mm256_add_epi16 (x, x),
          _mm256_sub_epi16 (_mm256_add_epi16 (a[2], b[2]), _mm256_add_epi16 (a[0], b[0]))));
  const __m256i gy = _mm256_and_si256 (mask, _mm256_add_epi16 (_mm256_add_epi16 (y, y),
          _mm256_add_epi16 (left, right)));
  const __m256i low = _mm256_unpacklo_epi16 (gx, gy), high = _mm256_unpackhi_epi16 (gx, gy);
  const __m256i finer[2] = { make_finer (_mm256_madd_epi16 (low, low)), make_finer (_mm256_madd_epi16 (high, high)) };

  return _mm256_add_epi32 (_mm256_srli_epi32 (_mm256_add_epi32 (finer[0], one), 1),
      _mm256_srli_epi32 (_mm256_add_epi32 (finer[1], one), 1));
}

/* The gradients of so many numbers fit in 32 bits for each column of a vector: each is less than 2^19. */
G_STATIC_ASSERT (HISTO_MOST_THREES / PER_VECTOR * 2 <= 1 << (32 - 19));

static AVX2 gboolean
count_threes_by_avx2 (const guint8 * in, const HistoMatrix * matrix, guint8 * luma,
    const gconstpointer * rows, guint n, HistoThreesCounters counters, guint64 * sum)
{
  static const gint16 masks[2 * PER_VECTOR] = { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 };
  const __m256i max = _mm256_set1_epi16 (matrix->max);
  __m256i sums = _mm256_setzero_si256 ();
  MatrixVectors vectors;

  if (!make_matrix_vectors (matrix, 0, &vectors))
    return FALSE;
  for (guint i = 0; i < HISTO_THREES (n); i += PER_VECTOR) {
    const guint n_gradients = MIN (n - i - 2, PER_VECTOR);

    make_luma_of_threes (in + 3 * i, &vectors, max, luma + i);
    if (rows != NULL)
      sums = _mm256_add_epi32 (sums, make_fixed_gradients ((const guint8 *) rows[0] + i, (const guint8 *) rows[1] + i,
              (const guint8 *) rows[2] + i, LOAD (masks + PER_VECTOR - n_gradients)));
    count_some_threes (in + 3 * i, counters);
  }
  *sum += add_up (sums);
  return TRUE;
}

/* ---- Gamut ------------------------------------------------------------------------------------- */

/* Flags of so many vectors of words can be counted in 16 bits. */
#define FILTERED_VECTORS 4096

static AVX2 void
count_filtered_by_avx2 (const guint16 * const rows[4][3], guint n, guint depth, HistoGamutCounts * counts)
{
  const __m256i least = _mm256_set1_epi16 (NARROW_LEAST (depth)), most = _mm256_set1_epi16 (NARROW_MOST (depth));
  const __m256i zero = _mm256_setzero_si256 ();
  const guint16 *rest[4][3];
  guint used[4], n_used = 0, i = 0;

  for (guint c = 0; c < 4; c++)
    if (rows[c][0] != NULL)
      used[n_used++] = c;
  while (i + PER_VECTOR <= n) {
    const guint first = i, end = i + MIN ((n - i) / PER_VECTOR, FILTERED_VECTORS) * PER_VECTOR;
    __m256i inside[4] = { zero, zero, zero, zero }, all_inside = zero;

    for (; i < end; i += PER_VECTOR) {
      __m256i any = zero;

      for (guint k = 0; k < n_used; k++) {
        const guint16 *const *row = rows[used[k]];
        const __m256i value = _mm256_avg_epu16 (_mm256_avg_epu16 (LOAD (row[0] + i), LOAD (row[2] + i)), LOAD (row[1] + i));
        const __m256i outside = _mm256_or_si256 (_mm256_subs_epu16 (least, value), _mm256_subs_epu16 (value, most));

        inside[k] = _mm256_sub_epi16 (inside[k], _mm256_cmpeq_epi16 (outside, zero));
        any = _mm256_or_si256 (any, outside);
      }
      all_inside = _mm256_sub_epi16 (all_inside, _mm256_cmpeq_epi16 (any, zero));
    }
    for (guint k = 0; k < n_used; k++)
      counts->outside[used[k]] += end - first - add_up_words (inside[k]);
    counts->any += end - first - add_up_words (all_inside);
  }
  for (guint k = 0; k < 4 * 3; k++)
    rest[k / 3][k % 3] = rows[k / 3][0] == NULL ? NULL : rows[k / 3][k % 3] + i;
  count_filtered ((const guint16 * const (*)[3]) rest, n - i, depth, counts);
}

#undef FILTERED_VECTORS

/* ---- Flashes ----------------------------------------------------------------------------------- */

/* 65536 times the luminance of four pixels in each half, but for the offset: the weights of r, g, b of light from
 * 0 to 65535. Products of words are those of signed ones: 32768 less of each light, and the weight of g in two. */
static inline AVX2 __attribute__ ((always_inline)) __m256i
luminance_of_halves (__m256i rg, __m256i bg)
{
  const __m256i sum = _mm256_add_epi32 (_mm256_madd_epi16 (rg, two_factors (13933, 46871 / 2)),
      _mm256_madd_epi16 (bg, two_factors (4732, 46871 - 46871 / 2)));

  /* The weights add up to 65536. */
  return _mm256_srli_epi32 (_mm256_add_epi32 (sum, _mm256_set1_epi32 ((gint32) (32768u * 65536u + 32768u))), 16);
}

static AVX2 gboolean
make_light_by_avx2 (const guint16 * r, const guint16 * g, const guint16 * b, guint16 * luminance,
    guint16 * red, guint n)
{
  const __m256i half = _mm256_set1_epi16 ((gint16) 32768);
  __m256i any = _mm256_setzero_si256 ();
  guint i = 0;

  for (; i + PER_VECTOR <= n; i += PER_VECTOR) {
    const __m256i vr = LOAD (r + i), vg = LOAD (g + i), vb = LOAD (b + i);
    const __m256i others = _mm256_adds_epu16 (vg, vb);
    const __m256i sr = _mm256_xor_si256 (vr, half), sg = _mm256_xor_si256 (vg, half), sb = _mm256_xor_si256 (vb, half);
    /* r >= 4 others, where a sum that is too large is at most. */
    const __m256i quarter = _mm256_srli_epi16 (vr, 2);
    const __m256i is_red = _mm256_cmpeq_epi16 (_mm256_max_epu16 (quarter, others), quarter);

    const __m256i of_red = _mm256_and_si256 (is_red, _mm256_sub_epi16 (vr, others));

    _mm256_storeu_si256 ((__m256i *) (luminance + i), _mm256_packus_epi32
        (luminance_of_halves (_mm256_unpacklo_epi16 (sr, sg), _mm256_unpacklo_epi16 (sb, sg)),
            luminance_of_halves (_mm256_unpackhi_epi16 (sr, sg), _mm256_unpackhi_epi16 (sb, sg))));
    _mm256_storeu_si256 ((__m256i *) (red + i), of_red);
    any = _mm256_or_si256 (any, of_red);
  }
  return make_light (r + i, g + i, b + i, luminance + i, red + i, n - i) || !_mm256_testz_si256 (any, any);
}

/* The table of light in pieces: four vectors of the lower bytes of its numbers, and four of the upper ones. */
typedef struct
{
  __m512i low[4], high[4];
} LightTable;

/* Numbers of a table of bytes in four vectors. */
static inline AVX512 __attribute__ ((always_inline)) __m512i
look_up_bytes (const __m512i table[4], __m512i codes)
{
  return _mm512_mask_blend_epi8 (_mm512_movepi8_mask (codes), _mm512_permutex2var_epi8 (table[0], codes, table[1]),
      _mm512_permutex2var_epi8 (table[2], codes, table[3]));
}

/* Makes two vectors of light of 64 codes, in their order. */
static inline AVX512 __attribute__ ((always_inline)) void
look_up_light (const LightTable * table, const guint8 * row, __mmask64 columns, __m512i light[2])
{
  /* Unpacking takes the halves of each 128 bits apart. */
  const __m512i codes = _mm512_permutexvar_epi64 (_mm512_setr_epi64 (0, 4, 1, 5, 2, 6, 3, 7),
      _mm512_maskz_loadu_epi8 (columns, row));
  const __m512i low = look_up_bytes (table->low, codes), high = look_up_bytes (table->high, codes);

  light[0] = _mm512_unpacklo_epi8 (low, high);
  light[1] = _mm512_unpackhi_epi8 (low, high);
}

static inline AVX512 __attribute__ ((always_inline)) __m512i
two_factors_of_512 (gint32 first, gint32 second)
{
  return _mm512_set1_epi32 ((gint32) ((guint16) first | (guint32) second << 16));
}

/* See luminance_of_halves(). */
static inline AVX512 __attribute__ ((always_inline)) __m512i
luminance_of_512 (__m512i rg, __m512i bg)
{
  const __m512i sum = _mm512_add_epi32 (_mm512_madd_epi16 (rg, two_factors_of_512 (13933, 46871 / 2)),
      _mm512_madd_epi16 (bg, two_factors_of_512 (4732, 46871 - 46871 / 2)));

  return _mm512_srli_epi32 (_mm512_add_epi32 (sum, _mm512_set1_epi32 ((gint32) (32768u * 65536u + 32768u))), 16);
}

/* Stores the light of 32 columns. Returns the saturated red of those that are stored. */
static inline AVX512 __attribute__ ((always_inline)) __m512i
store_light (__m512i r, __m512i g, __m512i b, guint16 * luminance, guint16 * red, __mmask32 columns)
{
  const __m512i half = _mm512_set1_epi16 ((gint16) 32768), others = _mm512_adds_epu16 (g, b);
  const __m512i sr = _mm512_xor_si512 (r, half), sg = _mm512_xor_si512 (g, half), sb = _mm512_xor_si512 (b, half);
  /* r >= 4 others, where a sum that is too large is at most. */
  const __m512i of_red = _mm512_maskz_sub_epi16 (columns
      & _mm512_cmpge_epu16_mask (_mm512_srli_epi16 (r, 2), others), r, others);

  _mm512_mask_storeu_epi16 (luminance, columns, _mm512_packus_epi32
      (luminance_of_512 (_mm512_unpacklo_epi16 (sr, sg), _mm512_unpacklo_epi16 (sb, sg)),
          luminance_of_512 (_mm512_unpackhi_epi16 (sr, sg), _mm512_unpackhi_epi16 (sb, sg))));
  _mm512_mask_storeu_epi16 (red, columns, of_red);
  return of_red;
}

/* A table of 256 numbers fits in registers. */
static AVX512 gboolean
light_by_avx512_of_bytes (const guint16 * table, gconstpointer r, gconstpointer g, gconstpointer b,
    guint16 * luminance, guint16 * red, guint n)
{
  __m512i any = _mm512_setzero_si512 ();
  LightTable pieces;

  for (guint k = 0; k < 4; k++) {
    const __m512i first = _mm512_loadu_si512 (table + 64 * k), last = _mm512_loadu_si512 (table + 64 * k + 32);

    pieces.low[k] = _mm512_inserti64x4 (_mm512_castsi256_si512 (_mm512_cvtepi16_epi8 (first)),
        _mm512_cvtepi16_epi8 (last), 1);
    pieces.high[k] = _mm512_inserti64x4 (_mm512_castsi256_si512 (_mm512_cvtepi16_epi8 (_mm512_srli_epi16 (first, 8))),
        _mm512_cvtepi16_epi8 (_mm512_srli_epi16 (last, 8)), 1);
  }
  for (guint i = 0; i < n; i += 64) {
    const __mmask64 columns = n - i >= 64 ? ~(__mmask64) 0 : ((__mmask64) 1 << (n - i)) - 1;
    __m512i lights[3][2];

    look_up_light (&pieces, (const guint8 *) r + i, columns, lights[0]);
    look_up_light (&pieces, (const guint8 *) g + i, columns, lights[1]);
    look_up_light (&pieces, (const guint8 *) b + i, columns, lights[2]);
    for (guint k = 0; k < 2; k++)
      any = _mm512_or_si512 (any, store_light (lights[0][k], lights[1][k], lights[2][k], luminance + i + 32 * k,
              red + i + 32 * k, (__mmask32) (columns >> 32 * k)));
  }
  return _mm512_test_epi32_mask (any, any) != 0;
}

/* Numbers that two vectors hold. */
#define LIGHT_BLOCK 64

static AVX2 gboolean light_of_words_avx2 (const guint16 * table, gconstpointer r, gconstpointer g, gconstpointer b,
    guint16 * luminance, guint16 * red, guint n);

/* Numbers of a table of two or four blocks. @n_blocks: a constant */
static inline AVX512 __attribute__ ((always_inline)) __m512i
look_up_blocks (const __m512i * table, __m512i codes, guint n_blocks)
{
  __m512i found[4];

  /* The permutation reads the lowest 6 bits of each code. */
  for (guint k = 0; k < n_blocks; k++)
    found[k] = _mm512_permutex2var_epi16 (table[2 * k], codes, table[2 * k + 1]);
  for (guint n = n_blocks, bit = LIGHT_BLOCK; n > 1; n /= 2, bit *= 2) {
    const __mmask32 upper = _mm512_test_epi16_mask (codes, _mm512_set1_epi16 (bit));

    for (guint k = 0; k < n / 2; k++)
      found[k] = _mm512_mask_mov_epi16 (found[2 * k], upper, found[2 * k + 1]);
  }
  return found[0];
}

/* Those of 64 codes, the greatest of which is @last and the least one less than all blocks away from it. */
static inline AVX512 __attribute__ ((always_inline)) void
look_up_near (const guint16 * table, const __m512i codes[2], guint last, guint16 * light, guint n_blocks)
{
  const guint most = n_blocks * LIGHT_BLOCK - 1, first = last > most ? last - most : 0;
  const __m512i base = _mm512_set1_epi16 (first);
  __m512i blocks[8];

  for (guint k = 0; k < 2 * n_blocks; k++)
    blocks[k] = _mm512_loadu_si512 (table + first + k * LIGHT_BLOCK / 2);
  for (guint k = 0; k < 2; k++)
    _mm512_storeu_si512 (light + 32 * k, look_up_blocks (blocks, _mm512_sub_epi16 (codes[k], base), n_blocks));
}

/* One number after the other, which takes less time than AVX-512's loads of scattered numbers. */
static __attribute__ ((noinline)) void
look_up_any (const guint16 * table, const guint16 * row, guint16 * light)
{
  for (guint i = 0; i < 64; i++)
    light[i] = table[row[i]];
}

/* The light of 64 codes. Mostly they are near each other, and their part of the table fits in registers. */
static inline AVX512 __attribute__ ((always_inline)) void
look_up_words (const guint16 * table, const guint16 * row, guint16 * light)
{
  const __m512i codes[2] = { _mm512_loadu_si512 (row), _mm512_loadu_si512 (row + 32) };
  const __m512i low = _mm512_min_epu16 (codes[0], codes[1]), high = _mm512_max_epu16 (codes[0], codes[1]);
  const __m256i least = _mm256_min_epu16 (_mm512_castsi512_si256 (low), _mm512_extracti64x4_epi64 (low, 1));
  const __m256i most = _mm256_max_epu16 (_mm512_castsi512_si256 (high), _mm512_extracti64x4_epi64 (high, 1));
  /* The least word of 8; that of the complements is the greatest one. */
  const guint first = _mm_cvtsi128_si32 (_mm_minpos_epu16 (_mm_min_epu16 (_mm256_castsi256_si128 (least),
              _mm256_extracti128_si256 (least, 1)))) & 0xffff;
  const guint last = ~_mm_cvtsi128_si32 (_mm_minpos_epu16 (_mm_xor_si128 (_mm_max_epu16 (_mm256_castsi256_si128 (most),
                  _mm256_extracti128_si256 (most, 1)), _mm_set1_epi16 (-1)))) & 0xffff;

  if (last - first < 2 * LIGHT_BLOCK)
    look_up_near (table, codes, last, light, 2);
  else if (last - first < 4 * LIGHT_BLOCK)
    look_up_near (table, codes, last, light, 4);
  else
    look_up_any (table, row, light);
}

/* Codes that are looked up together: what has been stored in short numbers is not loaded at once as a vector. */
#define LIGHTS 256

static AVX512 gboolean
light_by_avx512_of_words (const guint16 * table, gconstpointer r, gconstpointer g, gconstpointer b,
    guint16 * luminance, guint16 * red, guint n)
{
  const guint16 *rows[3] = { r, g, b };
  __m512i any = _mm512_setzero_si512 ();
  guint at = 0;

  while (at + 64 <= n) {
    const guint piece = MIN ((n - at) / 64 * 64, LIGHTS);
    guint16 lights[3][LIGHTS];

    for (guint c = 0; c < 3; c++)
      for (guint i = 0; i < piece; i += 64)
        look_up_words (table, rows[c] + at + i, lights[c] + i);
    for (guint i = 0; i < piece; i += 32)
      any = _mm512_or_si512 (any, store_light (_mm512_loadu_si512 (lights[0] + i), _mm512_loadu_si512 (lights[1] + i),
              _mm512_loadu_si512 (lights[2] + i), luminance + at + i, red + at + i, ~(__mmask32) 0));
    at += piece;
  }
  return light_of_words_avx2 (table, rows[0] + at, rows[1] + at, rows[2] + at, luminance + at, red + at, n - at)
      | (_mm512_test_epi32_mask (any, any) != 0);
}

#undef LIGHTS
#undef LIGHT_BLOCK

/* ---- Fields ------------------------------------------------------------------------------------ */

/* The halves of sums of two rows, rounded up and down. Σ |a + b - 2 c| is the sum of the distances of c from both. */
typedef struct
{
  __m256i up, down;
} Halves;

static inline AVX2 __attribute__ ((always_inline)) Halves
make_halves (const guint8 * a, const guint8 * b, guint i)
{
  const __m256i va = LOAD (a + i), vb = LOAD (b + i), up = _mm256_avg_epu8 (va, vb);

  return (Halves) { up, _mm256_sub_epi8 (up, _mm256_and_si256 (_mm256_xor_si256 (va, vb), _mm256_set1_epi8 (1))) };
}

static inline AVX2 __attribute__ ((always_inline)) __m256i
add_distances (__m256i sum, const Halves * halves, __m256i row)
{
  return _mm256_add_epi64 (sum, _mm256_add_epi64 (_mm256_sad_epu8 (halves->up, row),
          _mm256_sad_epu8 (halves->down, row)));
}

static void add_field_of_bytes (const gconstpointer rows[3], const gconstpointer * previous, guint n,
    guint depth, HistoFieldRow * sums);

static AVX2 void
add_field_of_bytes_by_avx2 (const gconstpointer rows[3], const gconstpointer * previous, guint n, guint depth,
    HistoFieldRow * sums)
{
  const guint8 *row = rows[1], *before = previous == NULL ? NULL : previous[1];
  const __m256i zero = _mm256_setzero_si256 ();
  __m256i current = zero, of_previous = zero, next = zero, change = zero;
  gconstpointer rest[3], rest_before[3];
  guint i = 0;

  for (; i + VECTOR <= n; i += VECTOR) {
    const Halves halves = make_halves (rows[0], rows[2], i);

    current = add_distances (current, &halves, LOAD (row + i));
    if (before != NULL) {
      const Halves halves_before = make_halves (previous[0], previous[2], i);

      of_previous = add_distances (of_previous, &halves, LOAD (before + i));
      next = add_distances (next, &halves_before, LOAD (row + i));
      change = _mm256_add_epi64 (change, _mm256_sad_epu8 (LOAD (row + i), LOAD (before + i)));
    }
  }
  sums->current += add_up_long (current);
  sums->previous += add_up_long (of_previous);
  sums->next += add_up_long (next);
  sums->change += add_up_long (change);
  for (guint k = 0; k < 3; k++) {
    rest[k] = (const guint8 *) rows[k] + i;
    rest_before[k] = before == NULL ? NULL : (const guint8 *) previous[k] + i;
  }
  add_field_of_bytes (rest, before == NULL ? NULL : rest_before, n - i, depth, sums);
}

/* Up to this depth |a + b - 2 c| fits in 15 bits. */
#define NARROW_FIELD_DEPTH 14
/* Sums of so many vectors of words fit in 32 bits. */
#define FIELD_VECTORS 4096

/* Adds |a + b - 2 c|. */
static inline AVX2 __attribute__ ((always_inline)) __m256i
add_bends (__m256i sum, __m256i a, __m256i b, __m256i c)
{
  const __m256i bend = _mm256_abs_epi16 (_mm256_sub_epi16 (_mm256_add_epi16 (a, b), _mm256_add_epi16 (c, c)));

  return _mm256_add_epi32 (sum, _mm256_madd_epi16 (bend, _mm256_set1_epi16 (1)));
}

static void add_field_of_words_avx2 (const gconstpointer rows[3], const gconstpointer * previous, guint n,
    guint depth, HistoFieldRow * sums);

static AVX2 void
add_field_of_words_by_avx2 (const gconstpointer rows[3], const gconstpointer * previous, guint n, guint depth,
    HistoFieldRow * sums)
{
  const gboolean has_previous = previous != NULL;
  const guint16 *now[3], *before[3] = { NULL, };
  gconstpointer rest[3], rest_before[3] = { NULL, };
  guint i = 0;

  for (guint k = 0; k < 3; k++) {
    now[k] = rows[k];
    before[k] = has_previous ? previous[k] : NULL;
  }
  while (depth <= NARROW_FIELD_DEPTH && i + PER_VECTOR <= n) {
    const guint end = i + MIN ((n - i) / PER_VECTOR, FIELD_VECTORS) * PER_VECTOR;
    const __m256i zero = _mm256_setzero_si256 ();
    __m256i current = zero, of_previous = zero, next = zero, change = zero;

    for (; i < end; i += PER_VECTOR) {
      const __m256i above = LOAD (now[0] + i), row = LOAD (now[1] + i), below = LOAD (now[2] + i);

      current = add_bends (current, above, below, row);
      if (has_previous) {
        const __m256i row_before = LOAD (before[1] + i);

        of_previous = add_bends (of_previous, above, below, row_before);
        next = add_bends (next, LOAD (before[0] + i), LOAD (before[2] + i), row);
        change = _mm256_add_epi32 (change, _mm256_madd_epi16
            (_mm256_abs_epi16 (_mm256_sub_epi16 (row, row_before)), _mm256_set1_epi16 (1)));
      }
    }
    sums->current += add_up (current);
    sums->previous += add_up (of_previous);
    sums->next += add_up (next);
    sums->change += add_up (change);
  }
  for (guint k = 0; k < 3; k++) {
    rest[k] = now[k] + i;
    rest_before[k] = has_previous ? before[k] + i : NULL;
  }
  add_field_of_words_avx2 (rest, has_previous ? rest_before : NULL, n - i, depth, sums);
}

/* Adds up 32-bit numbers. */
static inline AVX512 guint64
add_up_512 (__m512i sums)
{
  return add_up (_mm512_castsi512_si256 (sums)) + add_up (_mm512_extracti64x4_epi64 (sums, 1));
}

/* The same as add_field_of_bytes_by_avx2(), of 64 samples. */
typedef struct
{
  __m512i up, down;
} HalvesOf512;

static inline AVX512 __attribute__ ((always_inline)) HalvesOf512
make_halves_of_512 (const guint8 * a, const guint8 * b, __mmask64 columns)
{
  const __m512i va = _mm512_maskz_loadu_epi8 (columns, a), vb = _mm512_maskz_loadu_epi8 (columns, b);
  const __m512i up = _mm512_avg_epu8 (va, vb);

  /* (va ^ vb) & 1 */
  return (HalvesOf512) { up, _mm512_sub_epi8 (up, _mm512_ternarylogic_epi32 (va, vb, _mm512_set1_epi8 (1), 0x28)) };
}

static inline AVX512 __attribute__ ((always_inline)) __m512i
add_distances_of_512 (__m512i sum, const HalvesOf512 * halves, __m512i row)
{
  return _mm512_add_epi64 (sum, _mm512_add_epi64 (_mm512_sad_epu8 (halves->up, row),
          _mm512_sad_epu8 (halves->down, row)));
}

static AVX512 void
add_field_by_avx512_of_bytes (const gconstpointer rows[3], const gconstpointer * previous, guint n, guint depth,
    HistoFieldRow * sums)
{
  const guint8 *above = rows[0], *row = rows[1], *below = rows[2];
  const guint8 *before[3] = { NULL, };
  const __m512i zero = _mm512_setzero_si512 ();
  __m512i current = zero, of_previous = zero, next = zero, change = zero;

  for (guint k = 0; k < 3 && previous != NULL; k++)
    before[k] = previous[k];
  for (guint i = 0; i < n; i += 64) {
    const __mmask64 columns = n - i >= 64 ? ~(__mmask64) 0 : ((__mmask64) 1 << (n - i)) - 1;
    const HalvesOf512 halves = make_halves_of_512 (above + i, below + i, columns);
    const __m512i here = _mm512_maskz_loadu_epi8 (columns, row + i);

    current = add_distances_of_512 (current, &halves, here);
    if (previous != NULL) {
      const HalvesOf512 halves_before = make_halves_of_512 (before[0] + i, before[2] + i, columns);
      const __m512i here_before = _mm512_maskz_loadu_epi8 (columns, before[1] + i);

      of_previous = add_distances_of_512 (of_previous, &halves, here_before);
      next = add_distances_of_512 (next, &halves_before, here);
      change = _mm512_add_epi64 (change, _mm512_sad_epu8 (here, here_before));
    }
  }
  sums->current += _mm512_reduce_add_epi64 (current);
  sums->previous += _mm512_reduce_add_epi64 (of_previous);
  sums->next += _mm512_reduce_add_epi64 (next);
  sums->change += _mm512_reduce_add_epi64 (change);
}

/* Adds |a + b - 2 c|. */
static inline AVX512 __attribute__ ((always_inline)) __m512i
add_bends_of_512 (__m512i sum, __m512i a, __m512i b, __m512i c)
{
  const __m512i bend = _mm512_abs_epi16 (_mm512_sub_epi16 (_mm512_add_epi16 (a, b), _mm512_add_epi16 (c, c)));

  return _mm512_dpwssd_epi32 (sum, bend, _mm512_set1_epi16 (1));
}

static AVX512 void
add_field_by_avx512_of_words (const gconstpointer rows[3], const gconstpointer * previous, guint n, guint depth,
    HistoFieldRow * sums)
{
  const guint16 *now[3], *before[3] = { NULL, };
  gconstpointer rest[3], rest_before[3] = { NULL, };
  guint i = 0;

  for (guint k = 0; k < 3; k++) {
    now[k] = rows[k];
    before[k] = previous != NULL ? previous[k] : NULL;
  }
  while (depth <= NARROW_FIELD_DEPTH && i + 32 <= n) {
    const guint end = i + MIN ((n - i) / 32, FIELD_VECTORS) * 32;
    const __m512i zero = _mm512_setzero_si512 ();
    __m512i current = zero, of_previous = zero, next = zero, change = zero;

    for (; i < end; i += 32) {
      const __m512i above = _mm512_loadu_si512 (now[0] + i), row = _mm512_loadu_si512 (now[1] + i),
          below = _mm512_loadu_si512 (now[2] + i);

      current = add_bends_of_512 (current, above, below, row);
      if (previous != NULL) {
        const __m512i row_before = _mm512_loadu_si512 (before[1] + i);

        of_previous = add_bends_of_512 (of_previous, above, below, row_before);
        next = add_bends_of_512 (next, _mm512_loadu_si512 (before[0] + i), _mm512_loadu_si512 (before[2] + i), row);
        change = _mm512_dpwssd_epi32 (change, _mm512_abs_epi16 (_mm512_sub_epi16 (row, row_before)),
            _mm512_set1_epi16 (1));
      }
    }
    sums->current += add_up_512 (current);
    sums->previous += add_up_512 (of_previous);
    sums->next += add_up_512 (next);
    sums->change += add_up_512 (change);
  }
  for (guint k = 0; k < 3; k++) {
    rest[k] = now[k] + i;
    rest_before[k] = previous != NULL ? before[k] + i : NULL;
  }
  add_field_of_words_by_avx2 (rest, previous != NULL ? rest_before : NULL, n - i, depth, sums);
}

#undef FIELD_VECTORS
#undef NARROW_FIELD_DEPTH

static inline AVX2 __attribute__ ((always_inline)) __m256i
distance_of_bytes (__m256i a, __m256i b)
{
  return _mm256_or_si256 (_mm256_subs_epu8 (a, b), _mm256_subs_epu8 (b, a));
}

/* Not 0 where |4 c - 3 (b + d) + a + e| > 54. */
static inline AVX2 __attribute__ ((always_inline)) __m256i
find_combs (__m256i a, __m256i b, __m256i c, __m256i d, __m256i e)
{
  const __m256i near = _mm256_add_epi16 (b, d);
  const __m256i sum = _mm256_sub_epi16 (_mm256_add_epi16 (_mm256_slli_epi16 (c, 2), _mm256_add_epi16 (a, e)),
      _mm256_add_epi16 (near, _mm256_add_epi16 (near, near)));

  return _mm256_cmpgt_epi16 (_mm256_abs_epi16 (sum), _mm256_set1_epi16 (54));
}

static guint count_combed_of_bytes (const gconstpointer rows[5], guint n, guint depth);

static AVX2 guint
count_combed_by_avx2 (const gconstpointer rows[5], guint n, guint depth)
{
  const __m256i zero = _mm256_setzero_si256 ();
  gconstpointer rest[5];
  guint i = 0, count = 0;

  for (; i + VECTOR <= n; i += VECTOR) {
    __m256i v[5], low[5], high[5], far, combs;

    for (guint k = 0; k < 5; k++)
      v[k] = LOAD ((const guint8 *) rows[k] + i);
    far = _mm256_subs_epu8 (_mm256_min_epu8 (distance_of_bytes (v[2], v[1]), distance_of_bytes (v[2], v[3])),
        _mm256_set1_epi8 (9));
    if (_mm256_testz_si256 (far, far))
      continue;
    for (guint k = 0; k < 5; k++) {
      low[k] = _mm256_unpacklo_epi8 (v[k], zero);
      high[k] = _mm256_unpackhi_epi8 (v[k], zero);
    }
    combs = _mm256_packs_epi16 (find_combs (low[0], low[1], low[2], low[3], low[4]),
        find_combs (high[0], high[1], high[2], high[3], high[4]));
    count += __builtin_popcount (_mm256_movemask_epi8 (_mm256_andnot_si256 (_mm256_cmpeq_epi8 (far, zero), combs)));
  }
  for (guint k = 0; k < 5; k++)
    rest[k] = (const guint8 *) rows[k] + i;
  return count + count_combed_of_bytes (rest, n - i, depth);
}

/* The combs of 32 words, those of depth 12 at most. */
static inline AVX512 __attribute__ ((always_inline)) guint
count_combs_of_512 (__m512i a, __m512i b, __m512i c, __m512i d, __m512i e, gint least)
{
  const __m512i near = _mm512_add_epi16 (b, d);
  const __m512i nearer = _mm512_min_epi16 (_mm512_abs_epi16 (_mm512_sub_epi16 (c, b)),
      _mm512_abs_epi16 (_mm512_sub_epi16 (c, d)));
  const __mmask32 far = _mm512_cmpgt_epi16_mask (nearer, _mm512_set1_epi16 (least));
  __m512i sum;

  /* Most vectors have none. */
  if (far == 0)
    return 0;
  sum = _mm512_sub_epi16 (_mm512_add_epi16 (_mm512_slli_epi16 (c, 2), _mm512_add_epi16 (a, e)),
      _mm512_add_epi16 (near, _mm512_add_epi16 (near, near)));
  return __builtin_popcount (_mm512_mask_cmpgt_epi16_mask (far, _mm512_abs_epi16 (sum), _mm512_set1_epi16 (6 * least)));
}

static AVX512 guint
count_combed_by_avx512_of_bytes (const gconstpointer rows[5], guint n, guint depth)
{
  gconstpointer rest[5];
  guint i = 0, count = 0;

  for (; i + 64 <= n; i += 64) {
    const __m512i b = _mm512_loadu_si512 ((const guint8 *) rows[1] + i), c = _mm512_loadu_si512 ((const guint8 *) rows[2] + i),
        d = _mm512_loadu_si512 ((const guint8 *) rows[3] + i);
    const __m512i of_b = _mm512_or_si512 (_mm512_subs_epu8 (c, b), _mm512_subs_epu8 (b, c));
    const __m512i of_d = _mm512_or_si512 (_mm512_subs_epu8 (c, d), _mm512_subs_epu8 (d, c));

    if (_mm512_cmpgt_epu8_mask (_mm512_min_epu8 (of_b, of_d), _mm512_set1_epi8 (9)) == 0)
      continue;
    for (guint k = i; k < i + 64; k += 32)
      count += count_combs_of_512 (load_words_of_512 (rows[0], k, FALSE), load_words_of_512 (rows[1], k, FALSE),
          load_words_of_512 (rows[2], k, FALSE), load_words_of_512 (rows[3], k, FALSE),
          load_words_of_512 (rows[4], k, FALSE), 9);
  }
  for (guint k = 0; k < 5; k++)
    rest[k] = (const guint8 *) rows[k] + i;
  return count + count_combed_of_bytes (rest, n - i, depth);
}

static guint count_combed_of_words_avx2 (const gconstpointer rows[5], guint n, guint depth);

static AVX512 guint
count_combed_by_avx512_of_words (const gconstpointer rows[5], guint n, guint depth)
{
  gconstpointer rest[5];
  guint i = 0, count = 0;

  for (; depth <= 12 && i + 32 <= n; i += 32)
    count += count_combs_of_512 (load_words_of_512 (rows[0], i, TRUE), load_words_of_512 (rows[1], i, TRUE),
        load_words_of_512 (rows[2], i, TRUE), load_words_of_512 (rows[3], i, TRUE), load_words_of_512 (rows[4], i, TRUE),
        9 << (depth - 8));
  for (guint k = 0; k < 5; k++)
    rest[k] = (const guint16 *) rows[k] + i;
  return count + count_combed_of_words_avx2 (rest, n - i, depth);
}

#undef LOAD
#undef PER_VECTOR
#undef VECTOR
