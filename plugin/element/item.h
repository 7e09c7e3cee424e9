/* What travels through the queue: a buffer, a serialized event or a serialized query.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_ITEM_H
#define HISTO_ITEM_H

#include "element/measurement.h"

G_BEGIN_DECLS

typedef struct
{
  GstMiniObject *object;        /* an owned buffer or event, or a query, which is its sender's */
  guint generation;             /* a buffer: the queue's when it came */
  gboolean is_measured;         /* a buffer: the measurement is valid */
  gboolean loses_result;        /* a buffer that is not measured, while results are attached: the result
                                 * of an element upstream is removed */
  gboolean ends_results;        /* a buffer: no result is wanted any more, so that the open window and
                                 * the open alerts end before it */
  HistoMeasurement measurement;
  gint *answer;                 /* a query: where its sender waits for the answer */
} HistoItem;

/* The answer to a query until there is one. */
#define HISTO_NO_ANSWER (-1)

/* Whether it is an event of this type. */
gboolean histo_item_is_event (const HistoItem * item, GstEventType type);

/* Whether downstream wants buffers again after it. */
gboolean histo_item_begins_segment (const HistoItem * item);

/* Whether the item is queued even after an error: an event that describes the stream must not be
 * missing when downstream is linked again. */
gboolean histo_item_outlives_errors (const HistoItem * item);

/* @item: one that outlives errors
 * @items: of HistoItem: the items before it
 * Returns: (nullable): the one whose place it takes */
HistoItem *histo_item_find_outdated (const HistoItem * item,
    const GQueue * items);

G_END_DECLS

#endif /* HISTO_ITEM_H */
