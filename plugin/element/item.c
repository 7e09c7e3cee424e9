/* The items of the queue; see item.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/item.h"

gboolean
histo_item_is_event (const HistoItem * item, GstEventType type)
{
  return GST_IS_EVENT (item->object)
      && GST_EVENT_TYPE (item->object) == type;
}

gboolean
histo_item_begins_segment (const HistoItem * item)
{
  return histo_item_is_event (item, GST_EVENT_SEGMENT)
      || histo_item_is_event (item, GST_EVENT_STREAM_START);
}

gboolean
histo_item_outlives_errors (const HistoItem * item)
{
  return GST_IS_EVENT (item->object) && GST_EVENT_IS_STICKY (item->object)
      && !histo_item_is_event (item, GST_EVENT_EOS);
}

/* Whether a pad that stores the new event forgets the old one. */
static gboolean
replaces (GstEvent * event, GstEvent * old)
{
  const GstStructure *structure = gst_event_get_structure (event);

  return GST_EVENT_TYPE (event) == GST_EVENT_TYPE (old)
      && ((GST_EVENT_TYPE (event) & GST_EVENT_TYPE_STICKY_MULTI) == 0
      || structure == NULL
      || gst_event_has_name (old, gst_structure_get_name (structure)));
}

/* An event takes the place of an older one only if nothing lies between them that it must not
 * overtake: a buffer, or an event that comes before it, as caps come before a segment. The numbers of
 * the types have that order. A stream-start takes no place: behind the older one lie the tags of that
 * stream, which do not belong to the new one. */
HistoItem *
histo_item_find_outdated (const HistoItem * item, const GQueue * items)
{
  GstEvent *event = GST_EVENT_CAST (item->object);

  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    return NULL;
  for (GList * link = items->tail; link != NULL; link = link->prev) {
    HistoItem *queued = link->data;
    GstEvent *old = GST_EVENT_CAST (queued->object);

    if (!histo_item_outlives_errors (queued)
        || GST_EVENT_TYPE (old) < GST_EVENT_TYPE (event))
      return NULL;
    if (replaces (event, old))
      return queued;
  }
  return NULL;
}
