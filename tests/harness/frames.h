/* Buffers for tests: of random bytes, and small grey frames whose results are known.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FRAMES_H
#define TESTS_FRAMES_H

#include "harness.h"

#include <gst/audio/audio.h>
#include <gst/video/video.h>

/* ---- Random bytes -------------------------------------------------------------------------- */

/* A generator whose seed is printed. CUDAHISTO_TEST_SEED in the environment sets the seed, so that
 * a run can be repeated. */
GRand *test_random (void);
void test_fill_random (GRand * random, guint8 * data, gsize size);

/* Overwrites the whole buffer, samples and padding. */
void test_fill_buffer (GstBuffer * buffer, GRand * random);
GstBuffer *test_random_buffer (gsize size, GRand * random);

/* ---- Sound --------------------------------------------------------------------------------- */

/* Writes a sample of a floating-point format to any address. The pack functions of formats make
 * subnormal numbers 0. */
void test_write_float (const GstAudioFormatInfo * info, gdouble value,
    guint8 * p);

/* ---- Small grey frames --------------------------------------------------------------------- */

#define GRAY_WIDTH 16
#define GRAY_HEIGHT 8
#define GRAY_SIZE (GRAY_WIDTH * GRAY_HEIGHT)
#define GRAY_DURATION (40 * GST_MSECOND)
#define GRAY_CAPS "video/x-raw, format=GRAY8, width=16, height=8, framerate=25/1"

/* A buffer whose bytes all have this value; it lasts 40 ms. The memory of these buffers is
 * followed: see test_check_no_buffer_left(). */
GstBuffer *test_buffer_new (gsize size, guint8 value, GstClockTime pts);

/* Fails the test if the memory of a buffer of test_buffer_new() is still allocated. A copy of the
 * buffer that shares the memory keeps it, too. */
void test_check_no_buffer_left (void);

/* Frame number n: the time is n * GRAY_DURATION, and all pixels are n modulo 256. */
GstBuffer *test_frame_new (guint n);

/* A harness whose caps are GRAY_CAPS. */
GstHarness *test_gray_harness_new (const gchar * properties);

/* Sends GRAY_CAPS to the sink pad of an element that is PAUSED. Returns whether they are accepted. */
gboolean test_send_gray_caps (GstElement * element);

/* Pushes frame n, which must be accepted. */
void test_push_frame (GstHarness * harness, guint n);

/* The buffer has the result of a grey frame whose pixels all have this value. */
void test_check_frame (GstBuffer * buffer, guint value);

/* The next buffer must be frame n with its result. */
void test_pull_frame (GstHarness * harness, guint n);

/* The same, but looks only at the time and at whether there is a result, because that takes less
 * time. */
void test_pull_frame_quickly (GstHarness * harness, guint n,
    gboolean has_result);

/* Drops all buffers that have arrived downstream. */
void test_drop_received (GstHarness * harness);

/* After a flush: pushes a segment and frame n. The frame must be the next buffer and the only
 * one. */
void test_check_flow_after_flush (GstHarness * harness, guint n);

/* ---- Masks --------------------------------------------------------------------------------- */

/* A file for the property `mask`. (transfer full): test_mask_file_free() removes it */
gchar *test_mask_file_new (guint width, guint height, const guint8 * pixels);
void test_mask_file_free (gchar * name);

/* ---- Formats ------------------------------------------------------------------------------- */

/* The names in the field `format` of caps, as an array of strings. */
GPtrArray *test_format_names (const gchar * caps);

/* Calls the function for each format of GStreamer. With CUDA for every test_step()-th one, because on the mock
 * driver a frame takes long. */
void test_each_video_format (void (*check) (GstVideoFormat format,
        GRand * random));

/* Adds a video meta with the layout of @info. */
void test_add_video_meta (GstBuffer * buffer, const GstVideoInfo * info);

/* A frame of random bytes; without a meta it has the default layout. */
GstBuffer *test_random_frame (const GstVideoInfo * info, gboolean with_meta,
    GRand * random);

/* Caps of NV12 frames at 25/1. */
GstCaps *test_nv12_caps (guint width, guint height);

/* Gives the meta functions of its own, which map its planes in @pixels, at its offsets. Like those of vaapi, they do
 * not say how many bytes they map. All such metas have the pixels of the latest call.
 * @pixels: (nullable): NULL: no plane is mapped */
void test_meta_map_own_pixels (GstVideoMeta * meta, guint8 * pixels);

/* Makes the strides of the default layout wider by so many bytes and moves the planes apart. The
 * format must not be tiled. */
void test_pad_strides (GstVideoInfo * info, gint padding);

#endif /* TESTS_FRAMES_H */
