/* A stream of video through the element. The result of each frame is compared with the reference's
 * measures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_MEASURED_STREAM_H
#define TESTS_MEASURED_STREAM_H

#include "compare-measures.h"
#include "harness.h"

/* ---- Frames ------------------------------------------------------------------------------ */

typedef enum
{
  TEST_FRAME_NOISE,             /* random bytes */
  TEST_FRAME_RAMP,              /* bytes or words that grow, with a little noise */
  TEST_FRAME_ROWS,              /* every fourth row is the same; black bars at the ends */
  TEST_FRAME_NEAR,              /* the frame before with a few bytes changed */
  TEST_FRAME_SAME,              /* the frame before */
  TEST_N_FRAMES
} TestFrame;

/* Both ranges, all matrices and transfer functions, and GStreamer's default (the first one). */
#define TEST_N_COLORIMETRIES 15
extern const GstVideoColorimetry test_colorimetries[TEST_N_COLORIMETRIES];

/* ---- Streams ----------------------------------------------------------------------------- */

/* How many regions a stream with regions has. */
#define TEST_N_REGIONS 9

/* Which pixels take part. */
typedef enum
{
  TEST_MASK_NONE,
  TEST_MASK_NOISE,              /* a file in which they lie anywhere */
  TEST_MASK_SHAPES,             /* a file in which neighbours are mostly alike, and some rows are all or nothing */
  TEST_MASK_NOTHING,            /* a file without any */
  TEST_MASK_ALL,                /* a file with all */
  TEST_MASK_ALPHA,              /* those whose alpha is not 0 */
  TEST_N_MASKS
} TestMask;

/* What the element was told, and what the reference keeps from frame to frame. */
typedef struct
{
  GstHarness *harness;
  ReferenceGroups groups;
  guint bins;
  gboolean has_regions;

  GstVideoInfo info;            /* with the strides and offsets of the frames */
  guint n;                      /* frames since the caps */
  GstBuffer *previous;          /* NULL if there is no previous frame */
  ReferencePicture picture;     /* of `previous` */
  ReferenceHistory history[1 + TEST_N_REGIONS];
  TestMask mask_kind;
  guint8 *mask;                 /* of a file, a number for each pixel */
} TestStream;

/* @has_regions: measure a fixed list of regions that overlap, that begin at odd pixels, that are
 *   as narrow as possible, and that lie partly or completely outside of the picture
 * @properties: more properties in gst-launch syntax */
void test_stream_open (TestStream * stream, ReferenceGroups groups, guint bins,
    gboolean has_regions, const gchar * properties);

/* New caps, after which there is no previous frame.
 * @colorimetry: index into test_colorimetries
 * @padding: bytes that are added to each stride; ignored if the format is tiled */
void test_stream_set_format (TestStream * stream, GstVideoFormat format,
    gint width, gint height, guint colorimetry, gint padding);

/* The frames from now on have this mask. The frames before must have been pulled. Before other caps the mask is
 * TEST_MASK_NONE. */
void test_stream_set_mask (TestStream * stream, TestMask kind, GRand * random);

/* The next frame has no previous frame: the stream was flushed, or the like. */
void test_stream_restart (TestStream * stream);

/* A frame with a video meta. The first frame after the caps cannot be NEAR or SAME.
 * (transfer full) */
GstBuffer *test_stream_frame (TestStream * stream, TestFrame kind,
    GRand * random);

/* Sends a copy of a frame through the element, compares the result, and overwrites the buffer that
 * left the element.
 * @buffer: (transfer full): may have metas of regions of interest, if the element measures them
 * @kind: for the message of a failure */
void test_stream_push (TestStream * stream, GstBuffer * buffer,
    const gchar * kind);

/* Pushes noise or a picture with structure, then a frame that resembles it, then any frame. */
void test_stream_push_three (TestStream * stream, GRand * random);

/* Pushes @n frames before the first result is pulled. */
void test_stream_push_at_once (TestStream * stream, guint n, GRand * random);

void test_stream_close (TestStream * stream);

#endif /* TESTS_MEASURED_STREAM_H */
