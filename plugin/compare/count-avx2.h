/* Loops of compare/count.c with AVX2, written by hand: the compiler does not make good vectors of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <immintrin.h>

#define LOAD(p) _mm256_loadu_si256 ((const __m256i *) (p))

/* Bytes of a vector. */
#define VECTOR 32
/* Numbers of 8 bits can count so many vectors, and 32 bits have the squares of these. */
#define VECTORS 255

/* Adds up 32-bit numbers. */
static AVX2 guint64
add_up (__m256i numbers)
{
  guint32 each[8];
  guint64 total = 0;

  _mm256_storeu_si256 ((__m256i *) each, numbers);
  for (guint i = 0; i < 8; i++)
    total += each[i];
  return total;
}

/* Adds up bytes. */
static AVX2 guint64
add_up_bytes (__m256i bytes)
{
  return add_up (_mm256_sad_epu8 (bytes, _mm256_setzero_si256 ()));
}

/* ---- Bytes --------------------------------------------------------------------------------------- */

static void count_samples_of_bytes_avx2 (gconstpointer row_a, gconstpointer row_b, guint n, guint mask, RowCounts * counts);
static void sum_blocks_of_bytes_avx2 (const guint8 * data_a, gssize stride_a, const guint8 * data_b, gssize stride_b,
    guint n, guint mask, gpointer const sums[N_SUMS]);

static AVX2 void
count_samples_by_avx2 (gconstpointer row_a, gconstpointer row_b, guint n, guint mask, RowCounts * counts)
{
  const guint8 *a = row_a, *b = row_b;
  const __m256i zero = _mm256_setzero_si256 ();
  __m256i greatest = zero;
  guint8 each[VECTOR];
  guint i = 0;

  while (i + VECTOR <= n) {
    const guint begin = i, end = i + MIN ((n - i) / VECTOR, VECTORS) * VECTOR;
    __m256i equal = zero, squares = zero;

    for (; i < end; i += VECTOR) {
      const __m256i va = LOAD (a + i), vb = LOAD (b + i);
      const __m256i size = _mm256_or_si256 (_mm256_subs_epu8 (va, vb), _mm256_subs_epu8 (vb, va));
      const __m256i low = _mm256_unpacklo_epi8 (size, zero), high = _mm256_unpackhi_epi8 (size, zero);

      /* All bits of a byte are -1. */
      equal = _mm256_sub_epi8 (equal, _mm256_cmpeq_epi8 (size, zero));
      greatest = _mm256_max_epu8 (greatest, size);
      squares = _mm256_add_epi32 (squares, _mm256_add_epi32 (_mm256_madd_epi16 (low, low),
              _mm256_madd_epi16 (high, high)));
    }
    counts->different += end - begin - add_up_bytes (equal);
    counts->squares += add_up (squares);
  }
  _mm256_storeu_si256 ((__m256i *) each, greatest);
  for (guint k = 0; k < VECTOR; k++)
    counts->greatest = MAX (counts->greatest, each[k]);
  count_samples_of_bytes_avx2 (a + i, b + i, n - i, mask, counts);
}

/* Eight blocks: their sums are in order, because all steps add neighbours. */
static inline AVX2 __attribute__ ((always_inline)) void
sum_eight_blocks (const guint8 * a, gssize stride_a, const guint8 * b, gssize stride_b, guint i,
    gpointer const sums[N_SUMS])
{
  const __m256i zero = _mm256_setzero_si256 ();
  const __m256i ones = _mm256_set1_epi8 (1), word_ones = _mm256_set1_epi16 (1);
  __m256i of_a = zero, of_b = zero, squares_low = zero, squares_high = zero, products_low = zero, products_high = zero;

  for (guint y = 0; y < BLOCK; y++) {
    const __m256i va = LOAD (a + y * stride_a), vb = LOAD (b + y * stride_b);
    const __m256i a_low = _mm256_unpacklo_epi8 (va, zero), a_high = _mm256_unpackhi_epi8 (va, zero);
    const __m256i b_low = _mm256_unpacklo_epi8 (vb, zero), b_high = _mm256_unpackhi_epi8 (vb, zero);

    of_a = _mm256_add_epi16 (of_a, _mm256_maddubs_epi16 (va, ones));
    of_b = _mm256_add_epi16 (of_b, _mm256_maddubs_epi16 (vb, ones));
    squares_low = _mm256_add_epi32 (squares_low, _mm256_add_epi32 (_mm256_madd_epi16 (a_low, a_low),
            _mm256_madd_epi16 (b_low, b_low)));
    squares_high = _mm256_add_epi32 (squares_high, _mm256_add_epi32 (_mm256_madd_epi16 (a_high, a_high),
            _mm256_madd_epi16 (b_high, b_high)));
    products_low = _mm256_add_epi32 (products_low, _mm256_madd_epi16 (a_low, b_low));
    products_high = _mm256_add_epi32 (products_high, _mm256_madd_epi16 (a_high, b_high));
  }
  _mm256_storeu_si256 ((__m256i *) ((gint32 *) sums[SUM_A] + i), _mm256_madd_epi16 (of_a, word_ones));
  _mm256_storeu_si256 ((__m256i *) ((gint32 *) sums[SUM_B] + i), _mm256_madd_epi16 (of_b, word_ones));
  _mm256_storeu_si256 ((__m256i *) ((gint32 *) sums[SUM_SQUARES] + i), _mm256_hadd_epi32 (squares_low, squares_high));
  _mm256_storeu_si256 ((__m256i *) ((gint32 *) sums[SUM_PRODUCTS] + i),
      _mm256_hadd_epi32 (products_low, products_high));
}

static AVX2 void
sum_blocks_by_avx2 (const guint8 * data_a, gssize stride_a, const guint8 * data_b, gssize stride_b, guint n,
    guint mask, gpointer const sums[N_SUMS])
{
  gpointer rest[N_SUMS];
  guint i = 0;

  for (; i + 8 <= n; i += 8)
    sum_eight_blocks (data_a + BLOCK * i, stride_a, data_b + BLOCK * i, stride_b, i, sums);
  for (guint k = 0; k < N_SUMS; k++)
    rest[k] = (gint32 *) sums[k] + i;
  sum_blocks_of_bytes_avx2 (data_a + BLOCK * i, stride_a, data_b + BLOCK * i, stride_b, n - i, mask, rest);
}

/* ---- Words of up to 12 bits ------------------------------------------------------------------------ */

static void count_samples_of_words_avx2 (gconstpointer row_a, gconstpointer row_b, guint n, guint mask, RowCounts * counts);
static void sum_blocks_of_words_avx2 (const guint8 * data_a, gssize stride_a, const guint8 * data_b, gssize stride_b,
    guint n, guint mask, gpointer const sums[N_SUMS]);

#define WORDS 16
/* The values of words. */
#define LOAD_VALUES(p) _mm256_and_si256 (LOAD (p), mask_of_words)
/* 32 bits have the squares of so many vectors of differences of up to 12 bits. */
#define WORD_VECTORS 64

static AVX2 void
count_samples_of_words_by_avx2 (gconstpointer row_a, gconstpointer row_b, guint n, guint mask, RowCounts * counts)
{
  const guint16 *a = row_a, *b = row_b;
  const __m256i mask_of_words = _mm256_set1_epi16 ((gshort) mask);
  const __m256i zero = _mm256_setzero_si256 ();
  __m256i greatest = zero;
  guint16 each[WORDS];
  guint i = 0;

  while (i + WORDS <= n) {
    const guint begin = i, end = i + MIN ((n - i) / WORDS, WORD_VECTORS) * WORDS;
    __m256i equal = zero, squares = zero;

    for (; i < end; i += WORDS) {
      const __m256i change = _mm256_sub_epi16 (LOAD_VALUES (a + i), LOAD_VALUES (b + i));

      equal = _mm256_sub_epi8 (equal, _mm256_cmpeq_epi16 (change, zero));
      greatest = _mm256_max_epi16 (greatest, _mm256_abs_epi16 (change));
      squares = _mm256_add_epi32 (squares, _mm256_madd_epi16 (change, change));
    }
    /* Each word that is equal was counted in both of its bytes. */
    counts->different += end - begin - add_up_bytes (equal) / 2;
    counts->squares += add_up (squares);
  }
  _mm256_storeu_si256 ((__m256i *) each, greatest);
  for (guint k = 0; k < WORDS; k++)
    counts->greatest = MAX (counts->greatest, each[k]);
  count_samples_of_words_avx2 (a + i, b + i, n - i, mask, counts);
}

/* Adds neighbours of two vectors, in order, and stores them as floating-point numbers. */
static inline AVX2 __attribute__ ((always_inline)) void
store_blocks (gdouble * out, __m256i first, __m256i second)
{
  const __m256i sums = _mm256_permute4x64_epi64 (_mm256_hadd_epi32 (first, second), 0xd8);

  _mm256_storeu_pd (out, _mm256_cvtepi32_pd (_mm256_castsi256_si128 (sums)));
  _mm256_storeu_pd (out + 4, _mm256_cvtepi32_pd (_mm256_extracti128_si256 (sums, 1)));
}

static AVX2 void
sum_blocks_of_words_by_avx2 (const guint8 * data_a, gssize stride_a, const guint8 * data_b, gssize stride_b, guint n,
    guint mask, gpointer const sums[N_SUMS])
{
  const __m256i ones = _mm256_set1_epi16 (1), mask_of_words = _mm256_set1_epi16 ((gshort) mask);
  gpointer rest[N_SUMS];
  guint i = 0;

  for (; i + 8 <= n; i += 8) {
    __m256i of[N_SUMS][2];

    memset (of, 0, sizeof of);
    for (guint y = 0; y < BLOCK; y++)
      for (guint half = 0; half < 2; half++) {
        const gsize at = 2 * (BLOCK * i + WORDS * half);
        const __m256i va = LOAD_VALUES (data_a + y * stride_a + at), vb = LOAD_VALUES (data_b + y * stride_b + at);

        of[SUM_A][half] = _mm256_add_epi32 (of[SUM_A][half], _mm256_madd_epi16 (va, ones));
        of[SUM_B][half] = _mm256_add_epi32 (of[SUM_B][half], _mm256_madd_epi16 (vb, ones));
        of[SUM_SQUARES][half] = _mm256_add_epi32 (of[SUM_SQUARES][half],
            _mm256_add_epi32 (_mm256_madd_epi16 (va, va), _mm256_madd_epi16 (vb, vb)));
        of[SUM_PRODUCTS][half] = _mm256_add_epi32 (of[SUM_PRODUCTS][half], _mm256_madd_epi16 (va, vb));
      }
    for (guint k = 0; k < N_SUMS; k++)
      store_blocks ((gdouble *) sums[k] + i, of[k][0], of[k][1]);
  }
  for (guint k = 0; k < N_SUMS; k++)
    rest[k] = (gdouble *) sums[k] + i;
  sum_blocks_of_words_avx2 (data_a + 2 * BLOCK * i, stride_a, data_b + 2 * BLOCK * i, stride_b, n - i, mask, rest);
}

#undef WORD_VECTORS
#undef LOAD_VALUES
#undef WORDS
#undef VECTORS
#undef VECTOR
#undef LOAD
