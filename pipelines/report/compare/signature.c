/* Signatures of frames; see signature.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compare/signature.h"

#include <math.h>
#include <string.h>

/* Words of 64 bits that are mixed in at the same time. */
#define LANES 4
#define PRIME G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)
/* Of so many rows of a cell, the first two are read: one of each field. */
#define ROW_STEP 4

/* The distance of frames whose cells alone are equal. */
#define LEAST 1e-6

static inline guint64
mix (guint64 hash, guint64 word)
{
  hash = (hash ^ word) * PRIME;
  return hash ^ (hash >> 29);
}

static const guint8 *
row_of (const HistoPlane * plane, guint y)
{
  return (const guint8 *) (guintptr) plane->data + (gssize) y * plane->stride;
}

/* @mask: the bits of samples in a word of the row */
static void
add_row (guint64 lanes[LANES], const guint8 * row, gsize n, guint64 mask)
{
  guint64 words[LANES];

  for (; n >= sizeof words; n -= sizeof words, row += sizeof words) {
    memcpy (words, row, sizeof words);
    for (guint i = 0; i < LANES; i++)
      lanes[i] = mix (lanes[i], words[i] & mask);
  }
  memset (words, 0, sizeof words);
  memcpy (words, row, n);
  for (guint i = 0; i < LANES; i++)
    lanes[i] = mix (lanes[i], words[i] & mask);
}

/* @bytes: of a sample; @mask: its bits, in a word */
static guint64
sum_row (const guint8 * row, guint from, guint to, guint bytes, guint mask)
{
  const guint16 *words = (const guint16 *) row;
  guint64 sum = 0;
  guint32 part = 0;

  if (bytes == 1) {
    for (guint x = from; x < to; x++)
      part += row[x];
    return part;
  }
  for (guint x = from; x < to; x++)
    sum += words[x] & mask;
  return sum;
}

static void
fill_cells (const HistoComparedPicture * picture, gfloat * cells)
{
  const HistoFormat *format = picture->format;
  const HistoPlane *plane = &picture->planes[0];
  const guint bytes = picture->regular.is_wide ? 2 : 1;
  const gdouble scale = 255. / ((1u << format->components[0].depth) - 1);

  for (guint j = 0; j < REPORT_SIGNATURE_SIDE; j++) {
    const guint first = j * format->height / REPORT_SIGNATURE_SIDE;
    const guint after = MAX ((j + 1) * format->height / REPORT_SIGNATURE_SIDE, first + 1);

    for (guint i = 0; i < REPORT_SIGNATURE_SIDE; i++) {
      const guint from = i * format->width / REPORT_SIGNATURE_SIDE;
      const guint to = MAX ((i + 1) * format->width / REPORT_SIGNATURE_SIDE, from + 1);
      guint64 sum = 0, n = 0;

      for (guint y = first; y < after; y += (y - first) % ROW_STEP == 1 ? ROW_STEP - 1 : 1, n += to - from)
        sum += sum_row (row_of (plane, y), from, to, bytes, (1u << format->components[0].depth) - 1);
      cells[j * REPORT_SIGNATURE_SIDE + i] = (gfloat) (scale * (gdouble) sum / (gdouble) n);
    }
  }
}

/* @picture: mapped */
void
report_signature_make (const HistoComparedPicture * picture, ReportSignature * signature)
{
  const HistoFormat *format = picture->format;
  const guint bytes = picture->regular.is_wide ? 2 : 1;
  guint64 lanes[LANES] = { 1, 2, 3, 4 };

  for (guint c = 0; c < format->n_components; c++) {
    const HistoPlane *plane = &picture->planes[c];
    const guint width = GST_VIDEO_SUB_SCALE (format->video.finfo->w_sub[c], format->width);
    const guint height = GST_VIDEO_SUB_SCALE (format->video.finfo->h_sub[c], format->height);
    const guint64 sample = (G_GUINT64_CONSTANT (1) << format->components[c].depth) - 1;
    const guint64 mask = bytes == 2 ? sample * G_GUINT64_CONSTANT (0x0001000100010001) : G_MAXUINT64;

    for (guint y = 0; y < height; y++)
      add_row (lanes, row_of (plane, y), (gsize) width * bytes, mask);
  }
  signature->hash = 0;
  for (guint i = 0; i < LANES; i++)
    signature->hash = mix (signature->hash, lanes[i]);
  fill_cells (picture, signature->cells);
}

/* Returns: the mean difference of the cells; 0: the frames are equal. Frames that are not equal are not 0 apart */
gdouble
report_signature_distance (const ReportSignature * a, const ReportSignature * b)
{
  gfloat sum = 0;

  if (a->hash == b->hash)
    return 0;
  for (guint i = 0; i < REPORT_SIGNATURE_CELLS; i++)
    sum += fabsf (a->cells[i] - b->cells[i]);
  return MAX (sum / REPORT_SIGNATURE_CELLS, LEAST);
}

/* Returns: the greatest difference of a cell. That of a lossy codec is small: it keeps means */
gdouble
report_signature_peak (const ReportSignature * a, const ReportSignature * b)
{
  gdouble peak = 0;

  for (guint i = 0; i < REPORT_SIGNATURE_CELLS; i++)
    peak = MAX (peak, fabs ((gdouble) a->cells[i] - b->cells[i]));
  return peak;
}
