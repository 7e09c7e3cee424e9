/* Reads results and compares them with the reference.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_COMPARE_H
#define TESTS_COMPARE_H

#include "harness.h"

#include "reference.h"

/* ---- Reading ------------------------------------------------------------------------------- */

gboolean test_has_result (GstBuffer * buffer);

/* The result on a buffer. Fails the test if there is none. */
const GstStructure *test_result (GstBuffer * buffer);

/* A component of a result. Fails the test if there is none of that name. */
const GstStructure *test_component (const GstStructure * result,
    const gchar * name);

/* The value of a field. Fails the test if there is no such field of that type. */
gint test_get_int (const GstStructure * structure, const gchar * field);
guint64 test_get_uint64 (const GstStructure * structure, const gchar * field);
gdouble test_get_double (const GstStructure * structure, const gchar * field);

/* ---- Comparing ----------------------------------------------------------------------------- */

/* Compares every field of a component. @label names the component in the message of a failure.
 * Sums of floats, and the fields that follow from them, may differ by 1e-12 (relative). */
void test_compare_component (const GstStructure * component,
    const ReferenceStatistics * reference, gboolean is_float,
    const gchar * label);

/* Compares the field `depth`. @depth: 0: there is none, as of floats and of components that are not native ones */
void test_compare_depth (const GstStructure * component, guint depth,
    const gchar * label);

/* Compares a result with the reference's result for the same samples. @info has the strides (of
 * tiled formats: the tile counts). @bins, @range_min and @range_max are the element's
 * properties. */
void test_compare_video (const GstStructure * result, const GstVideoInfo * info,
    const guint8 * const data[4], guint bins, gdouble range_min,
    gdouble range_max);

/* The same for audio. @data has @n_samples samples of each channel, in the layout of @info. */
void test_compare_audio (const GstStructure * result, const GstAudioInfo * info,
    const guint8 * data, gsize n_samples, guint bins, gdouble range_min,
    gdouble range_max);

/* Compares the result on a buffer with the samples in it; @info has the strides and offsets. */
void test_compare_video_buffer (GstBuffer * buffer, const GstVideoInfo * info,
    guint bins, gdouble range_min, gdouble range_max);
void test_compare_audio_buffer (GstBuffer * buffer, const GstAudioInfo * info,
    guint bins, gdouble range_min, gdouble range_max);

/* Pushes a buffer through the element, and compares the result that arrives.
 * @buffer: (transfer full) */
void test_check_video (GstHarness * harness, GstBuffer * buffer,
    const GstVideoInfo * info, guint bins, gdouble range_min,
    gdouble range_max);

/* Compares the result on a frame with its samples, native bins. The layout is that of the video
 * meta if there is one, else that of the caps. The result must be of the engine @backend. */
void test_compare_frame (GstBuffer * buffer, GstCaps * caps,
    const gchar * backend);

#endif /* TESTS_COMPARE_H */
