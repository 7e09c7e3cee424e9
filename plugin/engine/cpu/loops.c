/* Loops over rows of samples: for each type of samples one set that every processor runs, and
 * one with AVX2.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/loops.h"

#include <stdlib.h>

#if defined (__x86_64__) && defined (__GNUC__)
#define HAS_AVX2 1
#else
#define HAS_AVX2 0
#endif

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
#define TARGET __attribute__ ((target ("avx2")))

#define SAMPLE guint8
#define NAME(name) name##_of_bytes_avx2
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
  if (!is_plain && __builtin_cpu_supports ("avx2"))
    return is_wide ? &loops_of_words_avx2 : &loops_of_bytes_avx2;
#endif
  return is_wide ? &loops_of_words : &loops_of_bytes;
}
