/* How a thread treats denormal numbers. Elements share their threads. Some leave the processor's
 * flush-to-zero on, as the loops of Orc do; then a denormal sample would count as 0.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_FLOAT_MODE_H
#define HISTO_FLOAT_MODE_H

#include <glib.h>

/* One register of SSE has all modes. fesetenv() also restores the x87 unit, which takes 100 ns. */
#ifdef __SSE__
#include <xmmintrin.h>
typedef guint HistoFloatMode;
#else
#include <fenv.h>
typedef fenv_t HistoFloatMode;
#endif

G_BEGIN_DECLS

/* Denormal numbers are numbers, from here to histo_float_mode_end().
 * Returns: the mode of the thread until now */
static inline HistoFloatMode
histo_float_mode_begin (void)
{
#ifdef __SSE__
  /* Bits 15 and 6 of MXCSR: results, and operands, are flushed to 0. */
  const HistoFloatMode mode = _mm_getcsr ();

  _mm_setcsr (mode & ~0x8040u);
#else
  HistoFloatMode mode;

  fegetenv (&mode);
  fesetenv (FE_DFL_ENV);
#endif
  return mode;
}

static inline void
histo_float_mode_end (HistoFloatMode mode)
{
#ifdef __SSE__
  _mm_setcsr (mode);
#else
  fesetenv (&mode);
#endif
}

G_END_DECLS

#endif
