/* Images that are counted as their rows come; see image-count.h.
 *
 * The element counts the same with measures=detail. It needs the whole picture, and threads. The figures are computed by the same
 * functions from the same counts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "images/image-count.h"

#include <math.h>
#include <string.h>

#include "engine/cpu/bands.h"
#include "measures/groups.h"
#include "measures/statistics.h"

#define N_VALUES 256            /* of bytes */

struct _ReportImageCount
{
  HistoCpuBands *bands;
  HistoFormat *format;          /* of the image; NULL: none */
  guint32 counters[HISTO_MAX_COMPONENTS * N_VALUES];
};

ReportImageCount *
report_image_count_new (void)
{
  ReportImageCount *count = g_new0 (ReportImageCount, 1);

  count->bands = histo_cpu_bands_new ();
  return count;
}

void
report_image_count_free (ReportImageCount * count)
{
  histo_cpu_bands_free (count->bands);
  g_free (count);
}

/* Returns: FALSE if only the element counts such images */
gboolean
report_image_count_begin (ReportImageCount * count, const GstCaps * caps)
{
  count->format = histo_format_new (caps, NULL);
  memset (count->counters, 0, sizeof count->counters);
  if (count->format != NULL && histo_cpu_bands_begin (count->bands, count->format, count->counters))
    return TRUE;
  g_clear_pointer (&count->format, histo_format_unref);
  return FALSE;
}

/* See histo_cpu_bands_add(). */
void
report_image_count_rows (ReportImageCount * count,
    const gconstpointer * planes, const gint * strides, guint n_rows)
{
  histo_cpu_bands_add (count->bands, planes, strides, n_rows);
}

static void
fill_image (const ReportImageCount * count, guint64 gradients, ReportImage * image)
{
  const HistoFormat *format = count->format;
  const guint64 n = histo_n_gradients (format->width, format->height);
  HistoBins bins;

  histo_bins_init (&bins, format, N_VALUES, &(HistoBinSettings) { 0, });
  for (guint c = 0; c < REPORT_CHANNELS; c++) {
    const HistoComponent *component = &format->components[format->colors == HISTO_COLORS_RGB ? c : 0];
    guint64 *counts = g_new (guint64, N_VALUES);
    HistoHistogram histogram;
    HistoFigures figures;

    for (guint i = 0; i < N_VALUES; i++)
      counts[i] = count->counters[component->first_bin + i];
    histo_histogram_init_wide (&histogram, counts, N_VALUES);
    histo_statistics_from_native (&figures, &histogram, &bins, NULL);
    report_image_set_channel (image, c, &figures, counts);
  }
  histo_bins_clear (&bins);
  report_image_finish (image, histo_format_name (format), format->width, format->height,
      n == 0 ? NAN : histo_mean_gradient (gradients, n, 8));
}

/* @image: (inout) (nullable): gets its figures; %NULL: it is broken. Each image that was begun is ended */
void
report_image_count_end (ReportImageCount * count, ReportImage * image)
{
  const guint64 gradients = histo_cpu_bands_end (count->bands);

  if (image != NULL)
    fill_image (count, gradients, image);
  g_clear_pointer (&count->format, histo_format_unref);
}
