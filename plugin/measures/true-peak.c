/* The inner loop of the true peak; see true-peak.h.
 *
 * The compiler vectorises it, as it may assume that no number is NaN or infinite. It may not change the order of additions:
 * so a sample gives the same number at each place of a buffer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measures/true-peak.h"

#include <math.h>

#define HIGHER(a, b) ((b) > (a) ? (b) : (a))

/* The taps of phases 0 and 1 of the annex: the one of sample i - k and the one of sample i - 11 + k, for k from 0 to 5. Phases
 * 3 and 2 have the same taps in reverse: with the two samples s and t of the taps p and q, one phase adds up ps + qt, the other
 * one qs + pt. These are the sum and the difference of (p + q) / 2 (s + t) and (p - q) / 2 (s - t), and the greater magnitude
 * of a sum and a difference is the sum of the magnitudes. That needs half of the products. All taps are multiples of 1/8192,
 * so halves are exact. */
#define OUTER_TAPS(TAPS) \
  TAPS (0.0017089843750f, -0.0083007812500f) \
  TAPS (0.0109863281250f, 0.0148925781250f) \
  TAPS (-0.0196533203125f, -0.0266113281250f) \
  TAPS (0.0332031250000f, 0.0476074218750f) \
  TAPS (-0.0594482421875f, -0.1022949218750f) \
  TAPS (0.1373291015625f, 0.9721679687500f)
#define INNER_TAPS(TAPS) \
  TAPS (-0.0291748046875f, -0.0189208984375f) \
  TAPS (0.0292968750000f, 0.0330810546875f) \
  TAPS (-0.0517578125000f, -0.0582275390625f) \
  TAPS (0.0891113281250f, 0.1015625000000f) \
  TAPS (-0.1665039062500f, -0.2003173828125f) \
  TAPS (0.4650878906250f, 0.7797851562500f)

#define N_TAPS ((HISTO_TRUE_PEAK_HISTORY + 1) / 2)
#define HALF_SUM(p, q) (p + q) / 2,
#define HALF_DIFFERENCE(p, q) (p - q) / 2,

static const gfloat outer_sums[N_TAPS] = { OUTER_TAPS (HALF_SUM) };
static const gfloat outer_differences[N_TAPS] = {
  OUTER_TAPS (HALF_DIFFERENCE)
};

static const gfloat inner_sums[N_TAPS] = { INNER_TAPS (HALF_SUM) };
static const gfloat inner_differences[N_TAPS] = {
  INNER_TAPS (HALF_DIFFERENCE)
};

/**
 * histo_true_peak_find:
 * @x: finite; x[-HISTO_TRUE_PEAK_HISTORY] is read, too
 *
 * Returns: the greatest magnitude of the four signals at @n samples, or @peak if that is greater. It does not depend on how
 * a signal is cut into calls
 */
gfloat
histo_true_peak_find (const gfloat * x, guint n, gfloat peak)
{
  for (guint i = 0; i < n; i++) {
    /* Phases 0 and 3; phases 1 and 2. */
    gfloat outer_sum = 0, outer_difference = 0;
    gfloat inner_sum = 0, inner_difference = 0;
    gfloat outer, inner;

    for (gint k = 0; k < N_TAPS; k++) {
      const gfloat late = (x - k)[i];
      const gfloat early = (x - HISTO_TRUE_PEAK_HISTORY + k)[i];
      const gfloat sum = late + early, difference = late - early;

      outer_sum += outer_sums[k] * sum;
      outer_difference += outer_differences[k] * difference;
      inner_sum += inner_sums[k] * sum;
      inner_difference += inner_differences[k] * difference;
    }
    outer = fabsf (outer_sum) + fabsf (outer_difference);
    inner = fabsf (inner_sum) + fabsf (inner_difference);
    outer = HIGHER (outer, inner);
    peak = HIGHER (peak, outer);
  }
  return peak;
}
