/* Elimination on the host: what the kernels must find, and how exact that is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LADDER_ELIMINATION_H
#define LADDER_ELIMINATION_H

#include "ladder-data.h"

/* The order of a content's matrices, or 0. */
guint ladder_order (LadderContent content);

/* Whether `result` has the triangular matrices and factors of the content's first n elements, bit by bit as a plain
 * elimination in double, and whether the solutions of the first matrices are as good as they can be: their residuals,
 * computed in double-double, are below a unit in the last place of the sum of a row's products at their largest. */
gboolean ladder_is_eliminated (LadderDevice * device, CUdeviceptr result, LadderContent content, guint n);

#endif /* LADDER_ELIMINATION_H */
