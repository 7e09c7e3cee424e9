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

/* Pushes a frame and pulls it. @n: its number, at 25 frames a second */
GstBuffer *overlay_push (GstHarness * harness, guint n, GstBuffer * buffer);

/* The same with a frame of one value in all bytes. */
GstBuffer *overlay_push_value (GstHarness * harness, guint n, guint8 value);

/* The same; the frame must have so many rectangles, and is dropped. */
void overlay_check_count (GstHarness * harness, guint n, guint8 value,
    guint n_rectangles);

/* Frame 0 from a harness of its own that attaches the overlay. */
GstBuffer *overlay_draw (const gchar * measuring, const gchar * drawing,
    const gchar * caps, guint8 value);

/* The attached overlay; NULL: none. (transfer none) */
GstVideoOverlayComposition *overlay_get (GstBuffer * buffer);
guint overlay_count (GstBuffer * buffer);

/* Rectangle @i of the overlay of a frame. */
typedef struct
{
  gint x, y, width, height;
  guint32 *pixels;              /* premultiplied ARGB, rows without padding; freed with the frame */
} OverlayRectangle;

OverlayRectangle overlay_get_rectangle (GstBuffer * buffer, guint i);

/* The rectangle must lie there. @width, @height: < 0: any */
void overlay_check_place (const OverlayRectangle * rectangle, gint x, gint y,
    gint width, gint height);

/* All rectangles must lie in a picture of this size. */
void overlay_check_inside (GstBuffer * buffer, gint width, gint height);

/* How many pixels differ. */
guint overlay_count_differences (const OverlayRectangle * a,
    const OverlayRectangle * b);

#endif /* TESTS_OVERLAY_H */
