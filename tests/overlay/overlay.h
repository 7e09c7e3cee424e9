/* What the tests of the overlay share: harnesses, frames, and the pixels of rectangles.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_OVERLAY_H
#define TESTS_OVERLAY_H

#include "frames.h"
#include "harness.h"

#define FEATURE_CAPS(caps) \
  "video/x-raw(memory:SystemMemory, meta:GstVideoOverlayComposition), " caps
#define PLAIN_CAPS(caps) "video/x-raw, " caps

/* A harness around "cudahisto ! cudahistooverlay". The overlay is attached if @attaches, else
 * blended. @caps: without "video/x-raw" */
GstHarness *overlay_harness_new (const gchar * measuring,
    const gchar * drawing, const gchar * caps, gboolean attaches);

/* The overlay in such a harness. (transfer full) */
GstElement *overlay_of (GstHarness * harness);

/* Pushes a frame of one value in all bytes, and pulls it. @n: its number, at 25 frames a second */
GstBuffer *overlay_push_value (GstHarness * harness, guint n, guint8 value);
GstBuffer *overlay_push (GstHarness * harness, guint n, GstBuffer * buffer);

/* The attached overlay; NULL: none. (transfer none) */
GstVideoOverlayComposition *overlay_get (GstBuffer * buffer);
guint overlay_count (GstBuffer * buffer);

/* Rectangle @i of the overlay of a frame. */
typedef struct
{
  gint x, y, width, height;
  guint32 *pixels;              /* premultiplied ARGB, rows without padding; to be freed */
} OverlayRectangle;

void overlay_get_rectangle (GstBuffer * buffer, guint i,
    OverlayRectangle * rectangle);

/* How many pixels differ. */
guint overlay_count_differences (const OverlayRectangle * a,
    const OverlayRectangle * b);

#endif /* TESTS_OVERLAY_H */
