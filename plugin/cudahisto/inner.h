/* What the plugin, and the library of plugin/library, share with this library beside its installed headers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_INNER_H
#define HISTO_INNER_H

#include "cudahisto/read.h"
#include "cudahisto/rules.h"

G_BEGIN_DECLS

/**
 * histo_read_known:
 *
 * As histo_read_result(), but a figure that the structure lacks is absent: histo_result_member() has none. The results of
 * other versions have fewer figures, or more.
 */
gboolean histo_read_known (const GstStructure * structure, HistoResult * result, GError ** error);

/**
 * histo_equal_edges:
 * @edges: (out) (array): @n + 1 numbers: the edges of @n bins of one width
 */
void histo_equal_edges (gdouble min, gdouble max, guint n, gdouble * edges);

/**
 * histo_edges_are_valid:
 * @bytes: (nullable): the field `edges` of a component
 *
 * Returns: whether there are @bins + 1 finite, ascending numbers, and @bins is 1 to %HISTO_MAX_BINS
 */
gboolean histo_edges_are_valid (GBytes * bytes, guint bins);

/**
 * histo_times_clip:
 * @times: (inout): of histo_times_from_buffer(); stream time, running time and duration become those of the part of the
 *   buffer that lies in the segment
 * @duration: of the whole buffer; %GST_CLOCK_TIME_NONE: unknown
 * @segment: (nullable): that of histo_times_from_buffer()
 * @start: (out): where that part begins, as a timestamp
 * @end: (out): where it ends; %GST_CLOCK_TIME_NONE: unknown
 *
 * All of a buffer is inside if it has no timestamp, or the segment is unknown or not in time.
 *
 * Returns: whether something of the buffer is inside
 */
gboolean histo_times_clip (HistoTimes * times, guint64 duration, const GstSegment * segment, guint64 * start,
    guint64 * end);

/**
 * histo_alert_of_rule:
 *
 * Returns: the alert that a rule makes; its names are valid as long as the rules and their states
 */
HistoAlertEvent histo_alert_of_rule (const HistoRules * rules, const HistoRuleEvent * found);

G_END_DECLS

#endif /* HISTO_INNER_H */
