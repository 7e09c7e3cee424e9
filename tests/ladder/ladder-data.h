/* What the steps are given, and what must come of it, worked out on the host.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LADDER_DATA_H
#define LADDER_DATA_H

#include "ladder-device.h"

gsize ladder_element_bytes (LadderContent content);
const gchar *ladder_content_name (LadderContent content);

/* The sum and the histogram of a content's first n elements. */
typedef struct
{
  LadderContent content;
  guint n;
  gint64 sum;
  guint32 counters[LADDER_BINS_16];
} LadderExpectation;

void ladder_expect_nothing (LadderExpectation * expectation,
    LadderContent content);
/* As of n elements, no fewer than before. */
void ladder_expect (LadderExpectation * expectation, guint n);

/* TRUE if `split` has the words of n / LADDER_CHANNELS frames, channel by channel. */
gboolean ladder_is_split (LadderDevice * device, CUdeviceptr split, guint n);

/* Fills `bytes` bytes with the content's elements. */
void ladder_fill (LadderDevice * device, CUdeviceptr memory, gsize bytes,
    LadderContent content);

#endif /* LADDER_DATA_H */
