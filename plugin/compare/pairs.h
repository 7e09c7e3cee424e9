/* Which frame of the reference belongs to a frame: a queue of the reference's frames. It knows no pads and no threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_COMPARE_PAIRS_H
#define HISTO_COMPARE_PAIRS_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum
{
  HISTO_PAIRING_TIME,           /* the nearest in running time */
  HISTO_PAIRING_ORDER           /* frame n with frame n */
} HistoPairing;

typedef struct
{
  GstClockTime time;            /* running time, ns; GST_CLOCK_TIME_NONE: unknown */
  GstClockTime duration;        /* ns; GST_CLOCK_TIME_NONE: unknown */
  guint64 number;               /* of the frame since the latest flush */
} HistoPairTimes;

typedef enum
{
  HISTO_PAIR_FOUND,
  HISTO_PAIR_NONE,              /* the frame has no partner */
  HISTO_PAIR_WAIT               /* a frame that comes later may be nearer */
} HistoPairDecision;

/* The reference's frames that may still get a partner, in the order in which they came. Zeroed at first. */
typedef struct
{
  GQueue frames;
  guint64 n_unpaired;           /* frames that were dropped without a partner */
} HistoPairs;

void histo_pairs_push (HistoPairs * pairs, const HistoPairTimes * times, gpointer data, GDestroyNotify free_data);
HistoPairDecision histo_pairs_decide (HistoPairs * pairs, HistoPairing pairing, const HistoPairTimes * times,
    GstClockTime reached, gboolean is_over, gpointer * partner);
void histo_pairs_drop (HistoPairs * pairs);
void histo_pairs_for_each (HistoPairs * pairs, GFunc function, gpointer user_data);

static inline guint
histo_pairs_length (const HistoPairs * pairs)
{
  return pairs->frames.length;
}

G_END_DECLS

#endif /* HISTO_COMPARE_PAIRS_H */
