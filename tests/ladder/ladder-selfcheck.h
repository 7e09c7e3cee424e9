/* Whether the primitives that the steps are made of do what they say.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LADDER_SELFCHECK_H
#define LADDER_SELFCHECK_H

#include "ladder-device.h"

/* Each prints what is wrong on stderr. */
gboolean ladder_primitives_are_right (LadderDevice * device);
gboolean ladder_percentiles_are_right (LadderDevice * device);

#endif /* LADDER_SELFCHECK_H */
