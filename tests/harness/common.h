/* What the element's tests share: a harness for the backend under test, buffers of
 * random samples, and the comparison of a result with the reference.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_COMMON_H
#define TESTS_COMMON_H

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include "reference.h"

/* "cpu" or "cuda": the environment's CUDAHISTO_TEST_BACKEND, else cpu. */
const gchar *test_backend (void);

/* A harness around a cudahisto of that backend, with these further properties in
 * gst-launch syntax, and a bus (harnesses have none). */
GstHarness *test_harness_new (const gchar * properties);
void test_harness_free (GstHarness * harness);

/* The first message of this type on the harness's bus, or NULL. */
GstMessage *test_pop_message (GstHarness * harness, GstMessageType type);

/* The same; waits for a message that may be on its way. */
GstMessage *test_wait_message (GstHarness * harness, GstMessageType type);

/* What hangs from now on ends the test, where one test has thousands of sessions; until
 * alarm (0). As long as check gives a test in most of these programs. */
void test_set_alarm (void);

/* Random bytes, repeatable: the seed is printed, and taken from CUDAHISTO_TEST_SEED. */
GRand *test_random (void);
void test_fill_random (GRand * random, guint8 * data, gsize size);

/* The result on a buffer; fails the test if there is none. */
const GstStructure *test_result (GstBuffer * buffer);
const GstStructure *test_component (const GstStructure * result,
    const gchar * name);

/* A field's value; fails the test if there is none of that type. */
gdouble test_get_double (const GstStructure * structure, const gchar * field);
guint64 test_get_uint64 (const GstStructure * structure, const gchar * field);

/* Compares every field of a component; fails the test with @label. Sums of floats and
 * what follows from them may differ by the contract's 1e-12. */
void test_compare (const GstStructure * component,
    const ReferenceStatistics * reference, gboolean is_float,
    const gchar * label);

/* Compares a result with the reference's reading of the samples themselves; the
 * strides (and tiles) are those of @info. @bins and the range as the properties. */
void test_compare_video (const GstStructure * result, const GstVideoInfo * info,
    const guint8 * const data[4], guint bins, gdouble range_min,
    gdouble range_max);
/* @data holds n_samples of each channel, in @info's layout. */
void test_compare_audio (const GstStructure * result, const GstAudioInfo * info,
    const guint8 * data, gsize n_samples, guint bins, gdouble range_min,
    gdouble range_max);

#endif /* TESTS_COMMON_H */
