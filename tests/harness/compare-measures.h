/* Compares the groups of a result with the reference's measures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_COMPARE_MEASURES_H
#define TESTS_COMPARE_MEASURES_H

#include "compare.h"

#include "reference-measures.h"

/* The value of the property `measures` for these groups, "basic" included. (transfer full) */
gchar *test_groups_to_string (ReferenceGroups groups);

/* Compares the native components and the groups of a region that were measured; of the whole picture if @s is the
 * result itself. The other groups must be absent. Integers, histograms and what follows from them
 * are equal; doubles differ by at most 1e-9 (relative), more only where a difference of nearly
 * equal numbers makes them.
 * @bins: the property of the element
 * @label: names the frame in the message of a failure */
void test_compare_measures (const GstStructure * s,
    const ReferenceMeasures * expected, guint bins, const gchar * label);

/* How many structures the field `regions` has; 0 if there is no such field. */
guint test_n_regions (const GstStructure * result);

/* The same for structure @index of the field `regions`, which must have this name and the
 * rectangle of @expected. Only the size of an empty region is compared. */
void test_compare_region (const GstStructure * result, guint index,
    const gchar * name, const ReferenceMeasures * expected, guint bins,
    const gchar * label);

#endif /* TESTS_COMPARE_MEASURES_H */
