/* Drawing fails: the N-th time that the overlay asks cairo for its status, or allocates pixels of a panel,
 * for every N. What has failed is not shown, all else is as without the failure, and the frame passes.
 *
 * This program has functions of the names that the plugin calls, and they are found first.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay.h"

#include <dlfcn.h>
#include <gmodule.h>

#define CAPS "format=GRAY8, width=640, height=480, framerate=25/1"
#define NO_MEMORY 1             /* CAIRO_STATUS_NO_MEMORY */

static gint n_calls, fails_at;  /* in the thread that pushes the frames */

G_MODULE_EXPORT int cairo_status (gpointer cr);

G_MODULE_EXPORT int
cairo_status (gpointer cr)
{
  static int (*real) (gpointer);

  if (real == NULL)
    *(gpointer *) & real = dlsym (dlopen ("libcairo.so.2", RTLD_LAZY),
        "cairo_status");
  return ++n_calls == fails_at ? NO_MEMORY : real (cr);
}

/* A macro of GLib that has the same name is not used because of the parentheses. */
G_MODULE_EXPORT gpointer (g_try_malloc) (gsize n) {
  if (test_is_in_library (__builtin_return_address (0),
          "libgstcudahistooverlay.so") && ++n_calls == fails_at)
    return NULL;
  return n > 0 ? malloc (n) : NULL;
}

/* A frame with two panels and the frame of a region. */
static GstBuffer *
draw (gint number, GstHarness ** harness)
{
  *harness = overlay_harness_new ("measures=signal regions=\"a=100,80,60,40\"",
      "show=histogram+levels+regions", CAPS, TRUE);
  n_calls = 0;
  fails_at = number;
  return overlay_push_value (*harness, 0, 100);
}

/* Whether a rectangle of the frame is like this one. */
static gboolean
has_rectangle (GstBuffer * frame, const OverlayRectangle * wanted)
{
  gboolean found = FALSE;

  for (guint i = 0; i < overlay_count (frame) && !found; i++) {
    const OverlayRectangle other = overlay_get_rectangle (frame, i);

    found = other.x == wanted->x && other.y == wanted->y
        && other.width == wanted->width && other.height == wanted->height
        && overlay_count_differences (&other, wanted) == 0;
  }
  return found;
}

/* How many rectangles of a frame another frame has, too. */
static guint
count_same (GstBuffer * frame, GstBuffer * other)
{
  guint n = 0;

  for (guint i = 0; i < overlay_count (frame); i++) {
    const OverlayRectangle rectangle = overlay_get_rectangle (frame, i);

    n += has_rectangle (other, &rectangle);
  }
  return n;
}

TEST (test_failing_drawing)
{
  GstHarness *harness;
  GstBuffer *complete = draw (0, &harness);
  const gint n = n_calls;

  gst_harness_teardown (harness);
  /* A panel is drawn in two steps, a rectangle of a region in one; each asks before and after. Each step of
   * a panel allocates. */
  fail_unless_equals_int (overlay_count (complete), 2 + 5);
  fail_unless_equals_int (n, 2 * 6 + 5 * 2);
  for (gint number = 1; number <= n; number++) {
    GstBuffer *frame = draw (number, &harness);

    fail_unless_equals_int (overlay_count (frame), 6);
    fail_unless_equals_int (count_same (frame, complete), 6);
    gst_buffer_unref (frame);
    /* A panel is tried again with each frame. */
    overlay_check_count (harness, 1, 100, number <= 12 ? 7 : 6);
    gst_harness_teardown (harness);
  }
  gst_buffer_unref (complete);
}

TEST_MAIN (60)
