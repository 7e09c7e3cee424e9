/* Masks: which samples of a picture take part in its figures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/mask.h"

/* ---- The mask ---------------------------------------------------------------------------- */

/* @pixels: (transfer full): as in #HistoMask */
HistoMask *
histo_mask_new (guint width, guint height, guint8 * pixels)
{
  HistoMask *mask = g_new0 (HistoMask, 1);

  *mask = (HistoMask) {.ref_count = 1,.width = width,.height = height,.pixels = pixels };
  return mask;
}

HistoMask *
histo_mask_new_alpha (void)
{
  HistoMask *mask = histo_mask_new (0, 0, NULL);

  mask->is_alpha = TRUE;
  return mask;
}

HistoMask *
histo_mask_ref (HistoMask * mask)
{
  g_atomic_int_inc (&mask->ref_count);
  return mask;
}

void
histo_mask_unref (HistoMask * mask)
{
  if (!g_atomic_int_dec_and_test (&mask->ref_count))
    return;
  g_free (mask->pixels);
  g_free (mask);
}

/* Returns: whether the same pixels take part. Both are nullable */
gboolean
histo_mask_is_equal (const HistoMask * mask, const HistoMask * other)
{
  if (mask == other)
    return TRUE;
  return mask != NULL && other != NULL && mask->is_alpha == other->is_alpha
      && mask->width == other->width && mask->height == other->height
      && (mask->is_alpha || memcmp (mask->pixels, other->pixels, (gsize) mask->width * mask->height) == 0);
}

/**
 * histo_mask_of_numbers:
 * @numbers: a row of alpha or gray: numbers of 16 bits if @is_wide, else of 8
 * @pixels: (out): as in #HistoMask: a pixel takes part if its number is not 0
 */
void
histo_mask_of_numbers (gconstpointer numbers, guint n, gboolean is_wide, guint8 * pixels)
{
  const guint8 *narrow = numbers;
  const guint16 *wide = numbers;

  if (is_wide)
    for (guint i = 0; i < n; i++)
      pixels[i] = wide[i] != 0 ? HISTO_MASK_PART : 0;
  else
    for (guint i = 0; i < n; i++)
      pixels[i] = narrow[i] != 0 ? HISTO_MASK_PART : 0;
}

/* ---- Where samples are ------------------------------------------------------------------- */

static const guint8 *
row_of (const HistoMaskView * view, guint h_sub, guint row)
{
  return view->pixels + (gsize) histo_nearest_row (&view->scan, h_sub, view->height, row) * view->width;
}

/**
 * histo_mask_make_row:
 * @w_sub, @h_sub: log2 of the pixels of a row and of a column for each sample
 * @row: of samples
 * @first: the first sample
 * @out: (out): @n numbers of 16 bits if @is_wide, else of 8: all bits are set if the sample takes part, else none
 */
void
histo_mask_make_row (const HistoMaskView * view, guint w_sub, guint h_sub,
    guint row, guint first, guint n, gboolean is_wide, gpointer out)
{
  const guint8 *pixels = row_of (view, h_sub, row) + histo_mask_column (w_sub, first);
  guint8 *narrow = out;
  guint16 *wide = out;

  if (w_sub == 0 && !is_wide)
    memcpy (narrow, pixels, n);
  else if (w_sub == 0)
    for (guint i = 0; i < n; i++)
      wide[i] = pixels[i] << 8 | pixels[i];
  else if (!is_wide)
    for (guint i = 0; i < n; i++)
      narrow[i] = pixels[histo_mask_column (w_sub, i)];
  else
    for (guint i = 0; i < n; i++)
      wide[i] = pixels[histo_mask_column (w_sub, i)] << 8 | pixels[histo_mask_column (w_sub, i)];
}

/**
 * histo_mask_keep:
 * @mask: as many bytes, of histo_mask_make_row() or histo_mask_make_planes()
 * @out: (out): @samples, but 0 for those that take no part. It may be @samples, and overlaps nothing else
 */
void
histo_mask_keep (gconstpointer samples, gconstpointer mask, gpointer out,
    gsize n_bytes)
{
  const guint8 *restrict from = samples, *restrict bits = mask;
  guint8 *restrict to = out;

  if (samples == out)
    for (gsize i = 0; i < n_bytes; i++)
      to[i] &= bits[i];
  else
    for (gsize i = 0; i < n_bytes; i++)
      to[i] = from[i] & bits[i];
}

/* ---- Counts -------------------------------------------------------------------------------- */

/* So many ones fit in 32 bits, and in vectors. */
#define MOST_AT_ONCE (1u << 30)

static guint64
count_row (const guint8 * pixels, guint n, guint step)
{
  guint64 sum = 0;
  guint32 ones = 0;

  if (step > 1) {
    for (gsize i = 0; i < n; i++)
      sum += pixels[i * step] & 1;
    return sum;
  }
  for (guint begin = 0; begin < n; begin += MIN (n - begin, MOST_AT_ONCE)) {
    ones = 0;
    for (guint i = begin; i < begin + MIN (n - begin, MOST_AT_ONCE); i++)
      ones += pixels[i] & 1;
    sum += ones;
  }
  return sum;
}

/**
 * histo_mask_count:
 * @first, @n: samples of a row
 * @first_row, @n_rows: rows of samples
 *
 * Returns: how many of these samples take part; see histo_mask_make_row()
 */
guint64
histo_mask_count (const HistoMaskView * view, guint w_sub, guint h_sub,
    guint first, guint n, guint first_row, guint n_rows)
{
  guint64 sum = 0;

  for (guint row = first_row; row < first_row + n_rows; row++)
    sum += count_row (row_of (view, h_sub, row) + histo_mask_column (w_sub, first), n, 1u << w_sub);
  return sum;
}

/**
 * histo_mask_count_bayer:
 * @x, @y, @width, @height: a rectangle of the picture
 * @odd_x, @odd_y: 0 or 1: the component has the pixels of odd columns, and of odd rows
 *
 * Returns: how many samples of a component of Bayer video take part
 */
guint64
histo_mask_count_bayer (const HistoMaskView * view, guint x, guint y,
    guint width, guint height, guint odd_x, guint odd_y)
{
  const guint left = x + (x % 2 != odd_x), top = y + (y % 2 != odd_y);
  const guint right = x + width, below = y + height;
  guint64 sum = 0;

  if (left >= right)
    return 0;
  for (guint row = top; row < below; row += 2)
    sum += count_row (view->pixels + (gsize) row * view->width + left, (right - left + 1) / 2, 2);
  return sum;
}

/* ---- Planes ---------------------------------------------------------------------------------- */

/* Sets the bits of a sample in the period that begins at @period. */
static void
set_bits (guint8 * period, const HistoSample * sample, gboolean big_endian)
{
  const guint32 bits = sample->mask << sample->shift;

  for (guint i = 0; i < sample->bytes; i++)
    period[sample->offset + (big_endian ? sample->bytes - 1 - i : i)] |= bits >> 8 * i;
}

static void
set_row (const HistoPlane * plane, guint8 * row, const HistoSample * sample,
    const guint8 * pixels, guint step)
{
  for (gsize i = 0; i < sample->count; i++)
    if (pixels[i * step] != 0)
      set_bits (row + i * plane->period_bytes, sample, plane->big_endian);
}

static void
set_component (const HistoMaskView * view, const HistoFormat * format,
    const HistoPlane * planes, guint c)
{
  const GstVideoFormatInfo *info = format->video.finfo;
  HistoComponentSamples found;

  histo_format_find_samples (format, c, &found);
  for (guint y = 0; y < found.height; y++)
    for (guint k = 0; k < found.n_samples; k++) {
      const HistoPlane *plane = &planes[found.plane];

      set_row (plane, (guint8 *) (guintptr) plane->data + (gint64) y * plane->stride,
          &plane->samples[found.samples[k]], row_of (view, info->h_sub[c], y)
          + histo_mask_column (info->w_sub[c], k), histo_mask_column (info->w_sub[c], found.n_samples));
    }
}

/* The period of each plane is a pixel of an even column and its right neighbour. */
static void
set_bayer (const HistoMaskView * view, const HistoPlane * planes)
{
  for (guint p = 0; p < HISTO_N_BAYER_PLANES; p++)
    for (guint y = 0; y < planes[p].rows; y++)
      for (guint k = 0; k < planes[p].n_samples; k++) {
        const HistoSample *sample = &planes[p].samples[k];

        set_row (&planes[p], (guint8 *) (guintptr) planes[p].data + (gint64) y * planes[p].stride, sample,
            view->pixels + (gsize) (2 * y + p) * view->width + sample->offset / sample->bytes, 2);
      }
}

/**
 * histo_mask_make_planes:
 * @view: of the format's size
 * @planes: planes of the format, with data, which is all 0, and strides
 *
 * Sets all bits of the samples that take part: the bits of a frame and these are the frame with 0 for the other
 * samples.
 */
void
histo_mask_make_planes (const HistoMaskView * view,
    const HistoFormat * format, const HistoPlane * planes)
{
  if (histo_format_is_bayer (format)) {
    set_bayer (view, planes);
    return;
  }
  for (guint c = 0; c < format->n_components; c++)
    set_component (view, format, planes, c);
}

/**
 * histo_mask_is_of_bytes:
 *
 * Returns: whether each byte of the format's planes has bits of one sample at most: it takes part with this sample, or not
 */
gboolean
histo_mask_is_of_bytes (const HistoFormat * format)
{
  for (guint p = 0; p < format->n_planes; p++) {
    guint64 used = 0;           /* a bit for each byte of the period */

    for (guint i = 0; i < format->planes[p].n_samples; i++) {
      const HistoSample *sample = &format->planes[p].samples[i];
      const guint64 bytes = ((G_GUINT64_CONSTANT (1) << sample->bytes) - 1) << sample->offset;

      if ((used & bytes) != 0)
        return FALSE;
      used |= bytes;
    }
  }
  return TRUE;
}

/**
 * histo_mask_pack_bits:
 * @bytes: of histo_mask_make_planes(), for a format of which histo_mask_is_of_bytes() is true
 * @n: a multiple of 8
 * @bits: (out): n / 8 bytes: bit i % 8 of byte i / 8 is set if byte i is not 0
 */
void
histo_mask_pack_bits (const guint8 * bytes, gsize n, guint8 * bits)
{
  for (gsize i = 0; i < n; i += 8) {
    guint8 eight = 0;

    for (guint k = 0; k < 8; k++)
      eight |= (bytes[i + k] != 0) << k;
    bits[i / 8] = eight;
  }
}
