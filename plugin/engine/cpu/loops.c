/* Loops over rows of samples: for each type of samples one set that every processor runs, and
 * one with AVX2, some of whose loops are written by hand.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/loops.h"

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

#define TARGET

#define SAMPLE guint8
#define NAME(name) name##_of_bytes
#include "engine/cpu/loops-body.h"
#undef NAME
#undef SAMPLE

#define SAMPLE guint16
#define NAME(name) name##_of_words
#include "engine/cpu/loops-body.h"
#undef NAME
#undef SAMPLE

#if HAS_AVX2
#undef TARGET
#define AVX2 __attribute__ ((target ("avx2,popcnt")))
#define TARGET AVX2
#include "engine/cpu/loops-avx2.h"

#define SAMPLE guint8
#define NAME(name) name##_of_bytes_avx2
#define OWN(name) name##_by_avx2
#include "engine/cpu/loops-body.h"
#undef NAME
#undef SAMPLE

#define SAMPLE guint16
#define NAME(name) name##_of_words_avx2
#include "engine/cpu/loops-body.h"
#undef NAME
#undef SAMPLE
#endif /* HAS_AVX2 */

const HistoLoops *
histo_loops_choose (gboolean is_wide, gboolean is_plain)
{
#if HAS_AVX2
  if (!is_plain && __builtin_cpu_supports ("avx2")
      && __builtin_cpu_supports ("popcnt"))
    return is_wide ? &loops_of_words_avx2 : &loops_of_bytes_avx2;
#endif
  return is_wide ? &loops_of_words : &loops_of_bytes;
}
