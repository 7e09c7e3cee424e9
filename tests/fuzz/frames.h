/* Buffers and video frames for fuzzers: caps, memories and metas of any geometry.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FUZZ_FRAMES_H
#define TESTS_FUZZ_FRAMES_H

#include "fuzz.h"
#include "reference-measures.h"

/* ---- Buffers ------------------------------------------------------------------------------------ */

/* One buffer of an input. */
typedef struct
{
  gsize size;
  guint8 *bytes;                /* what the buffer holds */
  GstBuffer *buffer;            /* in one or several memories */
} FuzzContent;

/* Fills a new buffer of @size bytes. Each of its memories has exactly the size that it states, so
 * AddressSanitizer finds an access outside of it. */
void fuzz_content_init (FuzzContent * content, FuzzBytes * input, gsize size);
void fuzz_content_clear (FuzzContent * content);

/* A stride, or tiles, a size and an offset near the usual one or anywhere.
 * @is_other: whether the size may be another one
 * @size: of the buffer */
gint fuzz_choose_stride (FuzzBytes * input, gint usual);
gsize fuzz_choose_size (FuzzBytes * input, gsize usual, gboolean is_other);
gsize fuzz_choose_offset (FuzzBytes * input, gsize usual, gsize size);

/* ---- Video -------------------------------------------------------------------------------------- */

/* The video of one input: what the caps say, and where the buffer has it. */
typedef struct
{
  GstVideoInfo caps;
  guint width, height;          /* of the frame or field */
  gboolean has_meta;
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
  /* The metas contradict the caps. */
  gboolean is_contradiction;
} FuzzVideo;

typedef enum
{
  FUZZ_INSIDE,                  /* of the buffer */
  FUZZ_OUTSIDE,
  /* Only the format's own code knows, or the fast loops may read some bytes behind the last sample. */
  FUZZ_UNKNOWN
} FuzzPlace;

/* Caps of this format and size with other fields of any kind. (transfer full) */
GstCaps *fuzz_video_caps (FuzzBytes * input, const gchar * format, gint width,
    gint height);

/* A frame without a meta. */
void fuzz_video_init (FuzzVideo * video, const GstVideoInfo * caps);

/* Adds a video meta to the buffer of this frame, unless GStreamer refuses it. */
void fuzz_video_add_meta (FuzzVideo * video, FuzzBytes * input,
    FuzzContent * content);

/* Where the samples lie. @size: of the buffer */
FuzzPlace fuzz_video_find_place (const FuzzVideo * video, gsize size);

/* The reference's picture of a frame whose samples lie inside of these bytes.
 * @picture: (out): to be cleared, also if FALSE is returned
 * Returns: FALSE if the reference does not know the format */
gboolean fuzz_video_read (const FuzzVideo * video, const guint8 * bytes,
    ReferencePicture * picture);

#endif /* TESTS_FUZZ_FRAMES_H */
