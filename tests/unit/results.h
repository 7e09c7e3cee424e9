/* Random results for unit tests, and their comparison.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_RESULTS_H
#define TESTS_RESULTS_H

#include "harness.h"

#include "cudahisto/result.h"

/* Fills @result, which is all zero, with random figures, groups and regions.
 *
 * @groups: flags of those that are among the groups */
void test_fill_result (GRand * random, gboolean is_audio, guint groups,
    HistoResult * result);

/* Fails the test if there is a difference, in any bit of a number. */
void test_check_results_equal (const HistoResult * a, const HistoResult * b);

/* Returns: (transfer full): the written result */
GstStructure *test_write_result (const HistoResult * result);

#endif /* TESTS_RESULTS_H */
