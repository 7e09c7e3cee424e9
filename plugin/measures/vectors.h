/* Loops that are compiled for two kinds of vectors; the processor decides which one runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_VECTORS_H
#define HISTO_VECTORS_H

#include <glib.h>

/* Such a function is compiled into each caller, once for each kind of vectors. The longer vectors
 * do the same operations in the same order, and therefore give the same number to the last
 * bit. */
#define SPECIALISED static inline __attribute__ ((always_inline))
#ifdef __x86_64__
#define HAS_LONG_VECTORS __builtin_cpu_supports ("avx2")
#define LONG_VECTORS __attribute__ ((target ("avx2")))
#else
#define HAS_LONG_VECTORS FALSE
#define LONG_VECTORS
#endif

#endif /* HISTO_VECTORS_H */
