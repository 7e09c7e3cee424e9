/* The loops of compare/count.c for each type of samples. TARGET and WITH(x) are of a set of instructions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define SAMPLE guint8
#define VALUE(sample) (sample)
#define SUM guint32
#define NUMBER gint32
#define SSIM histo_ssim_of_bytes
#define NAME(name) WITH (name##_of_bytes)
#ifdef BY_HAND
#define OWN(name) name##_by_avx2
#endif
#include "compare/count-body.h"
#undef NAME
#undef SSIM
#undef NUMBER
#undef SUM
#undef VALUE
#undef SAMPLE

#define NUMBER gdouble
#define SSIM histo_ssim
#define SAMPLE guint16
#define VALUE(sample) ((SAMPLE) ((sample) & mask))
#define SUM guint32
#define NAME(name) WITH (name##_of_words)
#ifdef BY_HAND
#define OWN(name) name##_of_words_by_avx2
#endif
#include "compare/count-body.h"
#undef NAME
#undef SUM

#define SUM guint64
#define NAME(name) WITH (name##_of_deep_words)
#include "compare/count-body.h"
#undef NAME
#undef SUM
#undef VALUE
#undef SAMPLE
#undef SSIM
#undef NUMBER
