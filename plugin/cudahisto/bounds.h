/* How much there may be of what results hold.
 *
 * Only numbers: the kernels' headers include this file, too.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_BOUNDS_H
#define HISTO_BOUNDS_H

/* Native components of video: Y, U, V, A. */
#define HISTO_MAX_COMPONENTS 4

/* Caps with more channels are refused. No device has as many; without a limit, the sizes that
 * are computed from the number could overflow. */
#define HISTO_MAX_CHANNELS 4096

/* The most regions of the property `regions`, and the most regions that the metas of one
 * buffer describe. */
#define HISTO_MAX_REGIONS 64

/* The most bins of a histogram: one for each value of 16 bits. */
#define HISTO_MAX_BINS 65536

#endif /* HISTO_BOUNDS_H */
