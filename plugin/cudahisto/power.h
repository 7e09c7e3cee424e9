/* The power of a channel of sound.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_POWER_H
#define HISTO_POWER_H

#include "figures.h"

G_BEGIN_DECLS

/* Returns: the square of the RMS as a share of full scale. @middle: the sample of silence; @scale: that of full scale, less
 * the middle */
static inline gdouble
histo_figures_power (const HistoFigures * figures, gdouble middle, gdouble scale)
{
  const gdouble mean = (figures->mean - middle) / scale;

  return figures->variance / (scale * scale) + mean * mean;
}

G_END_DECLS

#endif /* HISTO_POWER_H */
