/* The figures of an image; see image.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "images/image.h"

#include <math.h>

void
report_image_free (gpointer data)
{
  ReportImage *image = data;

  for (guint c = 0; c < REPORT_CHANNELS; c++)
    g_free (image->counts[c]);
  g_free (image->problem);
  g_free (image->pixels);
  g_free (image->orientation);
  g_free (image);
}

/**
 * report_image_set_channel:
 * @figures: of R, G or B, in codes
 * @counts: (transfer full): of each code
 *
 * Returns: FALSE if there is not one bin for each code
 */
gboolean
report_image_set_channel (ReportImage * image, guint c,
    const HistoFigures * figures, guint64 * counts)
{
  const guint n = figures->bins;
  const gdouble greatest = n - 1.0;

  g_free (image->counts[c]);
  image->counts[c] = counts;
  image->n_bins[c] = n;
  if (n < 2 || n > 1u << REPORT_MOST_BITS || (n & (n - 1)) != 0)
    return FALSE;
  image->min[c] = figures->min / greatest;
  image->max[c] = figures->max / greatest;
  image->mean[c] = figures->mean / greatest;
  image->std[c] = figures->std_dev / greatest;
  return TRUE;
}

/* The channels are set. @gradient: the mean of luma's, in codes; NaN: there is none */
void
report_image_finish (ReportImage * image, const gchar * pixels, guint width,
    guint height, gdouble gradient)
{
  guint64 n_clipped = 0;

  for (guint c = 0; c < REPORT_CHANNELS; c++)
    n_clipped += image->counts[c][0] + image->counts[c][image->n_bins[c] - 1];
  image->pixels = g_strdup (pixels);
  image->width = width;
  image->height = height;
  image->brightness = (image->mean[0] + image->mean[1] + image->mean[2])
      / REPORT_CHANNELS;
  image->clipped = (gdouble) n_clipped
      / ((gdouble) REPORT_CHANNELS * width * height);
  image->sharpness = gradient / (gdouble) (image->n_bins[1] - 1);
}
