/* Pictures whose rows come in bands; see bands.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/bands.h"

#include "engine/cpu/count.h"
#include "engine/cpu/regular.h"
#include "measures/colors.h"

#define N_CHANNELS 3
/* Rows begin at multiples of so many bytes. */
#define ROW_ALIGNMENT 64
/* The rows above that a gradient reads. */
#define ROWS_ABOVE 2

struct _HistoCpuBands
{
  HistoCpuPixels *pixels[N_CHANNELS];
  guint8 *memory;               /* of all rows */
  gsize n_memory;

  /* The picture. */
  const HistoFormat *format;
  HistoFormulas formulas;
  HistoCpuRegular regular;
  guint n_channels;             /* 1: gray */
  HistoPlane planes[N_CHANNELS];        /* of the channels in a band */
  gsize stride;                 /* of the rows in memory */
  guint n_luma;                 /* rows of luma that are kept, at most ROWS_ABOVE */
  guint8 *luma, *gradients;     /* rows: ROWS_ABOVE + HISTO_BAND_ROWS, and one that nobody reads */
  guint64 sum, squares;
};

HistoCpuBands *
histo_cpu_bands_new (void)
{
  HistoCpuBands *bands = g_new0 (HistoCpuBands, 1);

  for (guint c = 0; c < N_CHANNELS; c++)
    bands->pixels[c] = histo_cpu_pixels_new ();
  return bands;
}

void
histo_cpu_bands_free (HistoCpuBands * bands)
{
  for (guint c = 0; c < N_CHANNELS; c++)
    histo_cpu_pixels_free (bands->pixels[c]);
  g_free (bands->memory);
  g_free (bands);
}

/* Whether the formulas read the samples as they are, and these are whole bytes. */
static gboolean
suits (const HistoCpuBands * bands)
{
  const HistoFormat *format = bands->format;

  if (format->is_audio || format->colors == HISTO_COLORS_YUV || format->needs_unpack
      || histo_format_is_bayer (format) || bands->formulas.is_limited || bands->formulas.depth != 8)
    return FALSE;
  for (guint c = 0; c < bands->n_channels; c++) {
    const HistoCpuComponent *component = &bands->regular.components[c];

    if (bands->formulas.depths[c] != 8 || !(component->is_byte || component->field.period == 1))
      return FALSE;
  }
  return TRUE;
}

/* FALSE if there is no memory. */
static gboolean
provide_memory (HistoCpuBands * bands)
{
  const guint n_rows = N_CHANNELS * HISTO_BAND_ROWS + ROWS_ABOVE + HISTO_BAND_ROWS + 1;
  gsize n;

  bands->stride = (bands->format->width / ROW_ALIGNMENT + 1) * ROW_ALIGNMENT;
  n = bands->stride * n_rows;
  if (n > bands->n_memory) {
    g_free (bands->memory);
    bands->memory = g_try_malloc (n);
    bands->n_memory = bands->memory != NULL ? n : 0;
  }
  bands->luma = bands->memory + N_CHANNELS * HISTO_BAND_ROWS * bands->stride;
  bands->gradients = bands->luma + (ROWS_ABOVE + HISTO_BAND_ROWS) * bands->stride;
  return bands->memory != NULL;
}

/**
 * histo_cpu_bands_begin:
 * @format: used until histo_cpu_bands_end(), as @counters
 * @counters: (array): the format's; all 0. They are complete after histo_cpu_bands_end(). Alpha is not counted
 *
 * Returns: FALSE if pictures of the format cannot be counted in bands, or if there is no memory
 */
gboolean
histo_cpu_bands_begin (HistoCpuBands * bands, const HistoFormat * format,
    guint32 * counters)
{
  bands->format = format;
  bands->n_channels = format->colors == HISTO_COLORS_RGB ? N_CHANNELS : 1;
  histo_formulas_init (&bands->formulas, format);
  histo_cpu_regular_init (&bands->regular, format, FALSE);
  if (!suits (bands) || !provide_memory (bands))
    return FALSE;
  for (guint c = 0; c < bands->n_channels; c++) {
    histo_cpu_plane_init (&bands->planes[c], &format->components[c], FALSE, format->width, format->height);
    histo_cpu_pixels_begin (bands->pixels[c], &bands->planes[c], counters);
  }
  bands->n_luma = 0;
  bands->sum = bands->squares = 0;
  return TRUE;
}

/* Finds or makes the rows of the channels, and makes luma. @rows: of the planes. */
static void
make_rows (HistoCpuBands * bands, const gconstpointer * rows,
    const gint * strides, guint n_rows)
{
  const HistoLoops *loops = bands->regular.loops;
  const guint width = bands->format->width;
  gpointer split[4] = { NULL, };
  const guint8 *packed = NULL;
  guint period = 0, packed_plane = 0;

  for (guint c = 0; c < bands->n_channels; c++) {
    const HistoCpuComponent *component = &bands->regular.components[c];
    const guint p = component->found.plane;
    guint8 *own = bands->memory + c * HISTO_BAND_ROWS * bands->stride;

    if (component->is_byte) {
      packed = rows[p];
      packed_plane = p;
      period = component->field.period;
      split[component->byte] = own;
      bands->planes[c].data = (guintptr) own;
      bands->planes[c].stride = bands->stride;
    } else {
      bands->planes[c].data = (guintptr) rows[p] + component->offset;
      bands->planes[c].stride = strides[p];
    }
  }
  for (guint y = 0; y < n_rows; y++) {
    guint8 *luma = bands->luma + (bands->n_luma + y) * bands->stride;
    const guint8 *channels[N_CHANNELS];

    if (packed != NULL)
      loops->split (packed + (gssize) y * strides[packed_plane], period, split, width);
    for (guint k = 0; k < G_N_ELEMENTS (split); k++)
      split[k] = split[k] == NULL ? NULL : (guint8 *) split[k] + bands->stride;
    for (guint c = 0; c < bands->n_channels; c++)
      channels[c] = (const guint8 *) (guintptr) bands->planes[c].data + y * bands->planes[c].stride;
    if (bands->n_channels == 1)
      memcpy (luma, channels[0], width);
    else
      loops->matrix (&bands->formulas.luma, 0, channels[0], channels[1], channels[2], luma, width);
  }
}

/* Adds the gradients of the rows of luma that have one above and one below, and keeps those that the next band needs. */
static void
add_gradients (HistoCpuBands * bands, guint n_rows)
{
  const guint n = bands->n_luma + n_rows;

  for (guint y = 0; y + ROWS_ABOVE < n; y++) {
    const guint8 *row = bands->luma + y * bands->stride;
    const gconstpointer rows[3] = { row, row + bands->stride, row + 2 * bands->stride };

    bands->regular.loops->gradients (rows, bands->gradients, bands->format->width, 8, &bands->sum, &bands->squares);
  }
  bands->n_luma = MIN (n, ROWS_ABOVE);
  memmove (bands->luma, bands->luma + (n - bands->n_luma) * bands->stride, bands->n_luma * bands->stride);
}

/**
 * histo_cpu_bands_add:
 * @planes: where the next rows begin in each plane of the format; read before this function returns
 * @strides: bytes from row to row of each plane
 * @n_rows: any number; those of all bands are the picture's
 */
void
histo_cpu_bands_add (HistoCpuBands * bands, const gconstpointer * planes,
    const gint * strides, guint n_rows)
{
  for (guint first = 0; first < n_rows; first += HISTO_BAND_ROWS) {
    const guint n = MIN (n_rows - first, HISTO_BAND_ROWS);
    gconstpointer rows[HISTO_MAX_PLANES];

    for (guint p = 0; p < bands->format->n_planes; p++)
      rows[p] = (const guint8 *) planes[p] + (gssize) first * strides[p];
    make_rows (bands, rows, strides, n);
    for (guint c = 0; c < bands->n_channels; c++)
      histo_cpu_pixels_rows (bands->pixels[c], 0, n);
    add_gradients (bands, n);
  }
}

/* Ends the picture. Returns: the sum of its gradients, HISTO_TALLY_GRADIENT_SUM */
guint64
histo_cpu_bands_end (HistoCpuBands * bands)
{
  for (guint c = 0; c < bands->n_channels; c++)
    histo_cpu_pixels_end (bands->pixels[c]);
  return bands->sum;
}
