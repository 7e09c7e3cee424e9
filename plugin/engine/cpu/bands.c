/* Pictures whose rows come in bands; see bands.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/cpu/bands.h"

#include "engine/cpu/count.h"
#include "engine/cpu/regular.h"
#include "measures/colors.h"

#define N_CHANNELS 3
/* Rows of a channel are counted in blocks of about so many bytes, whose content is judged together (pixels.c). */
#define BLOCK_BYTES (64 * 1024)
/* Rows begin at multiples of so many bytes. */
#define ROW_ALIGNMENT 64
/* A gradient reads three rows of luma. Those of a row are computed when it and its neighbours are complete, with the next but one
 * row. */
#define GRADIENT_ROWS 3
#define LUMA_ROWS (GRADIENT_ROWS + 1)

struct _HistoCpuBands
{
  HistoCpuPixels *pixels[N_CHANNELS];
  guint8 *memory;               /* of all rows */
  gsize n_memory;

  /* The picture. */
  const HistoFormat *format;
  HistoFormulas formulas;
  guint32 *counters;
  HistoCpuRegular regular;
  guint n_channels;             /* 1: gray */
  HistoPlane blocks[N_CHANNELS];        /* rows that wait until they are counted */
  guint n_waiting, most_waiting;
  gsize stride;                 /* of all rows in memory */
  guint8 *luma, *gradients;     /* the latest rows in turn, and a row that nobody reads */
  guint n_luma;                 /* rows so far */
  guint64 sum, squares;
  guint n_threes;               /* pixels of a row that loops->count_threes() counts; they are not in the blocks */
  HistoMatrix matrix;           /* for it: luma of the bytes of a pixel */
  HistoThreesCounters threes;   /* 0 between two pictures */
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

  /* Counters have 32 bits. */
  if (format->is_audio || (guint64) format->width * format->height > G_MAXUINT32 || format->colors == HISTO_COLORS_YUV || format->needs_unpack
      || histo_format_is_bayer (format) || bands->formulas.is_limited || bands->formulas.depth != 8)
    return FALSE;
  for (guint c = 0; c < bands->n_channels; c++) {
    const HistoCpuComponent *component = &bands->regular.components[c];

    if (bands->formulas.depths[c] != 8 || !(component->is_byte || component->field.period == 1))
      return FALSE;
  }
  return TRUE;
}

/* FALSE if there is none. */
static gboolean
provide_memory (HistoCpuBands * bands)
{
  gsize n, block;

  bands->stride = (bands->format->width / ROW_ALIGNMENT + 1) * ROW_ALIGNMENT;
  bands->most_waiting = MAX (BLOCK_BYTES / bands->stride, 1);
  block = bands->stride * bands->most_waiting;
  n = N_CHANNELS * block + (LUMA_ROWS + 1) * bands->stride;
  if (n > bands->n_memory) {
    g_free (bands->memory);
    bands->memory = g_try_malloc (n);
    bands->n_memory = bands->memory != NULL ? n : 0;
  }
  for (guint c = 0; c < N_CHANNELS; c++) {
    bands->blocks[c].data = (guintptr) bands->memory + c * block;
    bands->blocks[c].stride = bands->stride;
  }
  bands->luma = bands->memory + N_CHANNELS * block;
  bands->gradients = bands->luma + LUMA_ROWS * bands->stride;
  return bands->memory != NULL;
}

static void
prepare_threes (HistoCpuBands * bands)
{
  const HistoCpuComponent *components = bands->regular.components;
  const guint width = bands->format->width;
  guint64 sum = 0;

  bands->n_threes = 0;
  if (bands->n_channels != N_CHANNELS || !components[0].is_byte || components[0].field.period != 3
      || width > HISTO_MOST_THREES)
    return;
  bands->matrix = bands->formulas.luma;
  for (guint c = 0; c < N_CHANNELS; c++) {
    bands->matrix.coefficients[0][components[c].byte] = bands->formulas.luma.coefficients[0][c];
    bands->matrix.from[components[c].byte] = bands->formulas.luma.from[c];
  }
  if (bands->regular.loops->count_threes (NULL, &bands->matrix, NULL, NULL, 0, bands->threes, &sum))
    bands->n_threes = HISTO_THREES (width);
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
  histo_cpu_regular_init (&bands->regular, format);
  if (!suits (bands) || !provide_memory (bands))
    return FALSE;
  prepare_threes (bands);
  bands->counters = counters;
  for (guint c = 0; c < bands->n_channels; c++) {
    const HistoPlane memory = bands->blocks[c];

    histo_cpu_plane_init (&bands->blocks[c], &format->components[c], FALSE, format->width - bands->n_threes,
        format->height);
    bands->blocks[c].data = memory.data;
    bands->blocks[c].stride = memory.stride;
    histo_cpu_pixels_begin (bands->pixels[c], &bands->blocks[c], counters);
  }
  bands->n_luma = bands->n_waiting = 0;
  bands->sum = bands->squares = 0;
  return TRUE;
}

static void
count_waiting (HistoCpuBands * bands)
{
  for (guint c = 0; c < bands->n_channels; c++)
    histo_cpu_pixels_rows (bands->pixels[c], 0, bands->n_waiting);
  bands->n_waiting = 0;
}

/* Makes the next row of the channels, and of luma. @rows: of the planes
 * @first: this pixel and those behind it */
static void
make_rows (const HistoCpuBands * bands, const guint8 * const *rows, guint first,
    guint8 * luma)
{
  const HistoLoops *loops = bands->regular.loops;
  const guint n = bands->format->width - first;
  gpointer channels[N_CHANNELS] = { NULL, }, split[4] = { NULL, };
  const guint8 *words = NULL;
  guint period = 0;

  for (guint c = 0; c < bands->n_channels; c++) {
    const HistoCpuComponent *component = &bands->regular.components[c];
    const guint8 *row = rows[component->found.plane];

    channels[c] = (guint8 *) (guintptr) bands->blocks[c].data + bands->n_waiting * bands->stride;
    if (!component->is_byte) {
      memcpy (channels[c], row + component->offset + first, n);
      continue;
    }
    split[component->byte] = channels[c];
    period = component->field.period;
    words = row + period * first;
  }
  if (words != NULL)
    loops->split (words, period, split, n);
  if (bands->n_channels == 1)
    memcpy (luma + first, channels[0], n);
  else
    loops->matrix (&bands->formulas.luma, 0, channels[0], channels[1], channels[2], luma + first, n);
}

/* Finds the latest rows of luma. Returns: FALSE if there are not enough */
static gboolean
find_luma (const HistoCpuBands * bands, gconstpointer rows[GRADIENT_ROWS])
{
  for (guint i = 0; i < GRADIENT_ROWS; i++)
    rows[i] = bands->luma + (bands->n_luma + i + LUMA_ROWS - GRADIENT_ROWS) % LUMA_ROWS * bands->stride;
  return bands->n_luma >= GRADIENT_ROWS;
}

/* @first: this column and those behind it */
static void
add_gradients (HistoCpuBands * bands, const gconstpointer rows[GRADIENT_ROWS],
    guint first)
{
  gconstpointer from[GRADIENT_ROWS];

  for (guint i = 0; i < GRADIENT_ROWS; i++)
    from[i] = (const guint8 *) rows[i] + first;
  bands->regular.loops->gradients (from, bands->gradients, bands->format->width - first, bands->formulas.depth,
      &bands->sum, &bands->squares);
}

/* @rows: of the planes */
static void
add_row (HistoCpuBands * bands, const guint8 * const *rows)
{
  const guint width = bands->format->width;
  guint8 *luma = bands->luma + bands->n_luma % LUMA_ROWS * bands->stride;
  gconstpointer before[GRADIENT_ROWS];
  const gboolean has_gradients = find_luma (bands, before);

  if (bands->n_threes > 0)
    bands->regular.loops->count_threes (rows[0], &bands->matrix, luma, has_gradients ? before : NULL, width,
        bands->threes, &bands->sum);
  if (has_gradients && bands->n_threes + GRADIENT_ROWS <= width)
    add_gradients (bands, before, bands->n_threes);
  bands->n_luma++;
  if (bands->n_threes == width)
    return;
  make_rows (bands, rows, bands->n_threes, luma);
  if (++bands->n_waiting == bands->most_waiting)
    count_waiting (bands);
}

/**
 * histo_cpu_bands_add:
 * @planes: where the next rows begin in each plane of the format; read before this function returns
 * @strides: bytes from row to row of each plane
 * @n_rows: any number; those of all calls are the picture's
 */
void
histo_cpu_bands_add (HistoCpuBands * bands, const gconstpointer * planes,
    const gint * strides, guint n_rows)
{
  for (guint y = 0; y < n_rows; y++) {
    const guint8 *rows[HISTO_MAX_PLANES];

    for (guint p = 0; p < bands->format->n_planes; p++)
      rows[p] = (const guint8 *) planes[p] + (gssize) y * strides[p];
    add_row (bands, rows);
  }
}

static void
fold_threes (HistoCpuBands * bands)
{
  for (guint c = 0; c < N_CHANNELS; c++)
    for (guint copy = 0; copy < HISTO_THREES_COPIES; copy++)
      for (guint i = 0; i < 1u << bands->formulas.depth; i++)
        bands->counters[bands->format->components[c].first_bin + i] +=
            bands->threes[bands->regular.components[c].byte][copy][i];
  memset (bands->threes, 0, sizeof bands->threes);
}

/* Ends the picture. Returns: the sum of its gradients, HISTO_TALLY_GRADIENT_SUM */
guint64
histo_cpu_bands_end (HistoCpuBands * bands)
{
  gconstpointer rows[GRADIENT_ROWS];

  if (find_luma (bands, rows))
    add_gradients (bands, rows, 0);
  if (bands->n_waiting > 0)
    count_waiting (bands);
  for (guint c = 0; c < bands->n_channels; c++)
    histo_cpu_pixels_end (bands->pixels[c]);
  if (bands->n_threes > 0)
    fold_threes (bands);
  return bands->sum;
}
