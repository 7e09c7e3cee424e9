/* measures-selftest.c: checks the reference's measures on tiny pictures, whose
 * results are computed by hand.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include <math.h>

#include "measures-selftest.h"

static guint n_passed;
static guint n_failed;

static void
count (gboolean passed)
{
  if (passed)
    n_passed++;
  else
    n_failed++;
}

void
check_int (const gchar * what, gint64 found, gint64 expected)
{
  count (found == expected);
  if (found != expected)
    g_print ("FAILED %s: %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT "\n",
        what, found, expected);
}

void
check_near (const gchar * what, gdouble found, gdouble expected,
    gdouble tolerance)
{
  gboolean passed = found == expected || fabs (found - expected) <= tolerance;

  count (passed);
  if (!passed)
    g_print ("FAILED %s: %.17g, not %.17g\n", what, found, expected);
}

void
check_nan (const gchar * what, gdouble found)
{
  count (isnan (found));
  if (!isnan (found))
    g_print ("FAILED %s: %.17g, not NaN\n", what, found);
}

GstVideoColorimetry
colorimetry (GstVideoColorRange range, GstVideoColorMatrix matrix,
    GstVideoTransferFunction transfer)
{
  GstVideoColorimetry c = { range, matrix, transfer,
    GST_VIDEO_COLOR_PRIMARIES_UNKNOWN
  };

  return c;
}

/* A picture of these samples; the range is full, or limited. */
ReferencePicture
picture_of (GstVideoFormat format, guint width, guint height, gboolean full,
    const guint32 * a, const guint32 * b, const guint32 * c)
{
  const guint32 *samples[4] = { a, b, c, a };
  GstVideoColorimetry described = colorimetry (full
      ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235,
      GST_VIDEO_COLOR_MATRIX_BT709, GST_VIDEO_TRANSFER_GAMMA10);
  ReferencePicture picture;

  check_int ("the format is known", reference_picture_init_samples (&picture,
          format, width, height, &described, samples), TRUE);
  return picture;
}

ReferencePicture
gray_picture (guint width, guint height, const guint32 * samples)
{
  return picture_of (GST_VIDEO_FORMAT_GRAY8, width, height, TRUE, samples,
      NULL, NULL);
}

/* All measures of a whole picture, without a history. */
ReferenceMeasures
measures_of (const ReferencePicture * current,
    const ReferencePicture * previous)
{
  ReferenceRectangle whole = { 0, 0, current->width, current->height };
  ReferenceMeasures measures;

  reference_measures (current, previous, &whole, REFERENCE_ALL_GROUPS,
      NULL, &measures);
  return measures;
}

ReferenceMeasures
measures_of_region (const ReferencePicture * current, guint x, guint y,
    guint width, guint height)
{
  ReferenceRectangle region = { x, y, width, height };
  ReferenceMeasures measures;

  reference_measures (current, NULL, &region, REFERENCE_ALL_GROUPS,
      NULL, &measures);
  return measures;
}

void
check_values (const gchar * what, const ReferenceComponent * component,
    const guint32 * values, gsize n)
{
  gsize i, k;

  check_int (what, component->n, n);
  for (i = 0; i < n; i++) {
    guint64 count = 0;

    for (k = 0; k < n; k++)
      count += values[k] == values[i];
    check_int (what, component->counts[values[i]], count);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  check_colors ();
  check_signal ();
  check_motion ();
  check_levels ();
  check_gamut ();
  check_hlg ();
  check_flash ();
  check_field ();
  check_scopes ();
  g_print ("%u checks passed, %u failed\n", n_passed, n_failed);
  return n_failed == 0 ? 0 : 1;
}
