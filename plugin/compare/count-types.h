/* The loops of compare/count.c for each type of samples. TARGET and WITH(x) are of a set of instructions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define SAMPLE guint8
#define SUM guint32
#define NAME(name) WITH (name##_of_bytes)
#include "compare/count-body.h"
#undef NAME
#undef SUM
#undef SAMPLE

#define SAMPLE guint16
#define SUM guint32
#define NAME(name) WITH (name##_of_words)
#include "compare/count-body.h"
#undef NAME
#undef SUM
#undef SAMPLE

#define SAMPLE guint16
#define SUM guint64
#define NAME(name) WITH (name##_of_deep_words)
#include "compare/count-body.h"
#undef NAME
#undef SUM
#undef SAMPLE
