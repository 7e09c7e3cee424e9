/* Loops over rows of samples: for each type of samples one set that every processor runs, and
 * one with AVX2, some of whose loops are written by hand. Light of bytes and chroma of words have loops with AVX-512.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/loops.h"

#include <gst/gst.h>
#include <stdlib.h>
#include <string.h>

#if defined (__x86_64__) && defined (__GNUC__)
#define HAS_AVX2 1
#else
#define HAS_AVX2 0
#endif

/* A gradient's magnitude times this and 2^(16 - depth), rounded down, gives both numbers of the
 * gradient: rounded to half of it, it is histo_gradient_fixed(), because the sum with 0.5 is exact
 * there; without its lowest bits, histo_gradient(). */
#define FINER_PER_FIXED 2
#define FINER_BITS(depth) (16 - (depth) + 3)

/* max over / (219 f) of 8 bits is over + 36 over / 219. The upper 16 bits of the product with this
 * number, 2^16 * 36 / 219 rounded up, are exactly 36 over / 219 for each over. */
#define STRETCH_FACTOR 10774u

/* The root of a sum of squares of 16 bits, as a float, times this: it is too small by less than 0.1. */
#define ROOT_TOO_SMALL (1 - 1.f / (1 << 20))

#define HUE_UNSURE 0xffff
/* Columns that are examined together: only if any of them is unsure, they are looked at one by one. */
#define HUES 32

/* The hue as histo_chroma_table_new() has it up to its depth, and histo_hue() above. */
static guint
exact_hue (gint32 u, gint32 v, guint depth)
{
  /* The signs of u and v give whole degrees, whatever their size is. */
  static const guint16 of_signs[3][3] = { {45, 90, 135}, {0, 180, 180}, {315, 270, 225} };

  if (u == 0 || v == 0 || abs (u) == abs (v))
    return of_signs[(u > 0) - (u < 0) + 1][(v > 0) - (v < 0) + 1];
  return depth <= HISTO_MOST_TABLE_DEPTH ? histo_hue_of_angle (atan2f (u, v)) : histo_hue (u, v);
}

static void
split (const guint8 * in, guint period, gpointer const out[4], guint n)
{
  for (guint k = 0; k < period; k++) {
    guint8 *bytes = out[k];

    if (bytes == NULL)
      continue;
    for (guint i = 0; i < n; i++)
      bytes[i] = in[i * period + k];
  }
}

static void
split_words (const guint8 * in, gboolean swap, guint shift, gpointer const out[4], guint n)
{
  for (guint k = 0; k < 4; k++) {
    guint16 *words = out[k];

    if (words == NULL)
      continue;
    for (guint i = 0; i < n; i++) {
      guint16 word;

      memcpy (&word, in + 8 * i + 2 * k, sizeof word);
      words[i] = (swap ? GUINT16_SWAP_LE_BE (word) : word) >> shift;
    }
  }
}

static void
split_tens (const guint8 * restrict in, guint16 * restrict out, guint n)
{
  for (guint i = 0; i < n; i++) {
    const guint32 word = GST_READ_UINT32_LE (in + 4 * i);

    out[3 * i] = word & 0x3ff;
    out[3 * i + 1] = word >> 10 & 0x3ff;
    out[3 * i + 2] = word >> 20 & 0x3ff;
  }
}

/* Without vectors it would not be faster. */
static gboolean
count_threes (const guint8 * in, const HistoMatrix * matrix, guint8 * luma,
    const gconstpointer * rows, guint n, HistoThreesCounters counters, guint64 * sum)
{
  return FALSE;
}

/* Luminance and saturated red of linear light. Returns whether there is any red. */
static gboolean
make_light (const guint16 * restrict r, const guint16 * restrict g, const guint16 * restrict b,
    guint16 * restrict luminance, guint16 * restrict red, guint n)
{
  guint16 any = 0;

  for (guint i = 0; i < n; i++) {
    luminance[i] = histo_flash_luminance (r[i], g[i], b[i]);
    red[i] = histo_flash_red (r[i], g[i], b[i]);
    any |= red[i];
  }
  return any != 0;
}

/* 16 times a filtered value, and a fraction, is half of the row and half of the rows above and below, and 8. So all is of 16
 * bits. Half the sum of two numbers of HISTO_NARROW_GAMUT() is rounded up, so that that of the values is rounded down. */
#define NARROW_LEAST(depth) HISTO_NARROW_GAMUT (16 * (histo_gamut_greatest (depth) + 1) - 9)
#define NARROW_MOST(depth) HISTO_NARROW_GAMUT (16 * histo_gamut_least (depth) - 8)

static void
count_filtered (const guint16 * const rows[4][3], guint n, guint depth, HistoGamutCounts * counts)
{
  const guint least = NARROW_LEAST (depth), most = NARROW_MOST (depth);

  for (guint i = 0; i < n; i++) {
    gboolean any = FALSE;

    for (guint c = 0; c < 4; c++) {
      guint value;
      gboolean is_outside;

      if (rows[c][0] == NULL)
        continue;
      value = ((rows[c][0][i] + rows[c][2][i] + 1) / 2 + rows[c][1][i] + 1) / 2;
      is_outside = value < least || value > most;
      counts->outside[c] += is_outside;
      any |= is_outside;
    }
    counts->any += any;
  }
}

/* Values of gamut that are made of bytes are about -240 to 490: 64 times these, in R 103's filter, are still words. */
#define TARGET
#define SPLIT(name) name

#define SAMPLE guint8
#define VALUE gint16
#define COUNT guint16
#define NAME(name) name##_of_bytes
#include "engine/cpu/loops-body.h"
#undef NAME
#undef COUNT
#undef VALUE
#undef SAMPLE

#define SAMPLE guint16
#define VALUE gint32
#define COUNT guint32
#define NAME(name) name##_of_words
#include "engine/cpu/loops-body.h"
#undef NAME
#undef COUNT
#undef VALUE
#undef SAMPLE

#if HAS_AVX2
#undef TARGET
#define AVX2 __attribute__ ((target ("avx2,popcnt")))
#define AVX512 __attribute__ ((target ("avx512f,avx512bw,avx512vbmi,avx512vnni,popcnt")))
#define TARGET AVX2
#undef SPLIT
#define SPLIT(name) name##_by_avx2
#include "engine/cpu/loops-avx2.h"

#define SAMPLE guint8
#define VALUE gint16
#define COUNT guint16
#define NAME(name) name##_of_bytes_avx2
#define OWN(name) name##_by_avx2
#define BOTH(name) name##_by_avx2_of_bytes
#define FIELD(name) name##_of_bytes_by_avx2
#define BEST(name) name##_by_avx512_of_bytes
#define BEST_CHROMA NAME (chroma)
#include "engine/cpu/loops-body.h"
#undef NAME
#undef COUNT
#undef VALUE
#undef SAMPLE

#define SAMPLE guint16
#define VALUE gint32
#define COUNT guint32
#define NAME(name) name##_of_words_avx2
#define BOTH(name) name##_by_avx2_of_words
#define FIELD(name) name##_of_words_by_avx2
#define EXTRACT(name) name##_by_avx2
#define BEST(name) name##_by_avx512_of_words
#define BEST_CHROMA chroma_of_words_by_avx512
#include "engine/cpu/loops-body.h"
#undef NAME
#undef COUNT
#undef VALUE
#undef SAMPLE
#endif /* HAS_AVX2 */

/**
 * histo_loops_choose:
 * @is_wide: rows of guint16
 * @most: the last set of instructions that may be used
 *
 * Returns: the best loops that the processor runs
 */
const HistoLoops *
histo_loops_choose (gboolean is_wide, HistoInstructions most)
{
#if HAS_AVX2
  const gboolean has_avx2 = __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("popcnt");
  const gboolean has_avx512 = has_avx2 && __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512vbmi") && __builtin_cpu_supports ("avx512vnni");

  if (has_avx512 && most >= HISTO_LOOPS_AVX512)
    return is_wide ? &loops_by_avx512_of_words : &loops_by_avx512_of_bytes;
  if (has_avx2 && most >= HISTO_LOOPS_AVX2)
    return is_wide ? &loops_of_words_avx2 : &loops_of_bytes_avx2;
#endif
  return is_wide ? &loops_of_words : &loops_of_bytes;
}
