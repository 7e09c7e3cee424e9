/* Which frame of the reference belongs to a frame; see pairs.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/pairs.h"

typedef struct
{
  HistoPairTimes times;
  gpointer data;
  GDestroyNotify free_data;
} Frame;

/**
 * histo_pairs_push:
 * @data: (transfer full): what histo_pairs_decide() gives for this frame
 */
void
histo_pairs_push (HistoPairs * pairs, const HistoPairTimes * times, gpointer data, GDestroyNotify free_data)
{
  Frame *frame = g_new (Frame, 1);

  *frame = (Frame) { *times, data, free_data };
  g_queue_push_tail (&pairs->frames, frame);
}

/* Drops a frame, which has no partner. */
static void
drop (HistoPairs * pairs, GList * link)
{
  Frame *frame = link->data;

  g_queue_delete_link (&pairs->frames, link);
  frame->free_data (frame->data);
  g_free (frame);
  pairs->n_unpaired++;
}

/* Drops all frames: a flush, or the end of the stream. */
void
histo_pairs_drop (HistoPairs * pairs)
{
  while (pairs->frames.length > 0)
    drop (pairs, pairs->frames.head);
}

/* @function: is called with the data of each frame, and @user_data */
void
histo_pairs_for_each (HistoPairs * pairs, GFunc function, gpointer user_data)
{
  for (GList * link = pairs->frames.head; link != NULL; link = link->next)
    function (((Frame *) link->data)->data, user_data);
}

static GstClockTime
distance (GstClockTime a, GstClockTime b)
{
  return a > b ? a - b : b - a;
}

/* Partners are at most so far from each other: half of the shorter duration. If one is unknown, it is that of the other;
 * if both are, only equal times are partners. */
static GstClockTime
most_distance (const HistoPairTimes * a, const HistoPairTimes * b)
{
  /* An unknown duration is the greatest number. */
  const GstClockTime shorter = MIN (a->duration, b->duration);

  return GST_CLOCK_TIME_IS_VALID (shorter) ? shorter / 2 : 0;
}

/* Takes the frame from the queue, and drops those before it. */
static HistoPairDecision
take (HistoPairs * pairs, const Frame * wanted, gpointer * partner)
{
  Frame *frame;

  while (g_queue_peek_head (&pairs->frames) != wanted)
    drop (pairs, pairs->frames.head);
  frame = g_queue_pop_head (&pairs->frames);
  *partner = frame->data;
  g_free (frame);
  return HISTO_PAIR_FOUND;
}

static HistoPairDecision
decide_by_order (HistoPairs * pairs, guint64 number, gboolean is_over, gpointer * partner)
{
  Frame *oldest;

  while ((oldest = g_queue_peek_head (&pairs->frames)) != NULL && oldest->times.number < number)
    drop (pairs, pairs->frames.head);
  if (oldest != NULL && oldest->times.number == number)
    return take (pairs, oldest, partner);
  return oldest != NULL || is_over ? HISTO_PAIR_NONE : HISTO_PAIR_WAIT;
}

/**
 * histo_pairs_decide:
 * @times: of the frame. Frames come in the order of their times
 * @reached: running time that the reference has reached without a frame, such as behind a gap; GST_CLOCK_TIME_NONE:
 *   unknown
 * @is_over: no frame of the reference comes any more, or none is awaited
 * @partner: (out) (transfer full): what was pushed, if it is found
 *
 * A frame belongs to the frame of the reference whose time is nearest, and not further away than half of the shorter one
 * lasts. Of two that are as near the earlier one is taken. Frames that no later frame can belong to are dropped.
 */
HistoPairDecision
histo_pairs_decide (HistoPairs * pairs, HistoPairing pairing, const HistoPairTimes * times,
    GstClockTime reached, gboolean is_over, gpointer * partner)
{
  const Frame *nearest = NULL;
  GList *next;

  if (pairing == HISTO_PAIRING_ORDER)
    return decide_by_order (pairs, times->number, is_over, partner);
  if (!GST_CLOCK_TIME_IS_VALID (times->time))
    return HISTO_PAIR_NONE;
  for (GList * link = pairs->frames.head; link != NULL; link = next) {
    const Frame *frame = link->data;

    next = link->next;
    if (!GST_CLOCK_TIME_IS_VALID (frame->times.time)) {
      drop (pairs, link);
      continue;
    }
    if (nearest == NULL || distance (frame->times.time, times->time) < distance (nearest->times.time, times->time))
      nearest = frame;
    is_over |= frame->times.time >= times->time;
  }
  is_over |= GST_CLOCK_TIME_IS_VALID (reached) && reached > times->time;
  if (nearest != NULL && is_over
      && distance (nearest->times.time, times->time) <= most_distance (times, &nearest->times))
    return take (pairs, nearest, partner);
  /* Of the frames before this one, only the nearest can belong to it, and none to a later frame. */
  for (GList * link = pairs->frames.head; link != NULL; link = next) {
    const Frame *frame = link->data;

    next = link->next;
    if (frame->times.time < times->time && (is_over || frame != nearest))
      drop (pairs, link);
  }
  return is_over ? HISTO_PAIR_NONE : HISTO_PAIR_WAIT;
}
