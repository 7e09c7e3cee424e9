/* Masks: which samples of a picture take part in its figures.
 *
 * A mask says of each pixel whether it takes part. A sample that belongs to several pixels takes part if the pixel
 * nearest to it does: that of column histo_mask_column() and row histo_nearest_row().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_MASK_H
#define HISTO_MASK_H

#include "media/format.h"

G_BEGIN_DECLS

/* What the setting says. Constant once made; shared between threads by reference counts. */
typedef struct
{
  gint ref_count;
  gboolean is_alpha;            /* a pixel takes part if its alpha is not 0; there are no pixels here */
  guint width, height;
  guint8 *pixels;               /* row by row, without padding: 0 or HISTO_MASK_PART */
} HistoMask;

/* A pixel that takes part: the bits of a sample and these are the sample. */
#define HISTO_MASK_PART 0xff

/* The words of the result's field `mask`. */
#define HISTO_MASK_FILE "file"
#define HISTO_MASK_ALPHA "alpha"

/* The mask of one picture. */
typedef struct
{
  const guint8 *pixels;         /* as in HistoMask */
  guint width, height;
  HistoScan scan;               /* of the picture */
} HistoMaskView;

HistoMask *histo_mask_new (guint width, guint height, guint8 * pixels);
HistoMask *histo_mask_new_alpha (void);
HistoMask *histo_mask_ref (HistoMask * mask);
void histo_mask_unref (HistoMask * mask);
gboolean histo_mask_is_equal (const HistoMask * mask, const HistoMask * other);

void histo_mask_of_numbers (gconstpointer numbers, guint n, gboolean is_wide, guint8 * pixels);
void histo_mask_make_row (const HistoMaskView * view, guint w_sub, guint h_sub,
    guint row, guint first, guint n, gboolean is_wide, gpointer out);
guint64 histo_mask_count (const HistoMaskView * view, guint w_sub, guint h_sub,
    guint first, guint n, guint first_row, guint n_rows);
guint64 histo_mask_count_bayer (const HistoMaskView * view, guint x, guint y,
    guint width, guint height, guint odd_x, guint odd_y);
void histo_mask_keep (gconstpointer samples, gconstpointer mask, gpointer out,
    gsize n_bytes);
void histo_mask_make_planes (const HistoMaskView * view,
    const HistoFormat * format, const HistoPlane * planes);

gboolean histo_mask_is_of_bytes (const HistoFormat * format);
void histo_mask_pack_bits (const guint8 * bytes, gsize n, guint8 * bits);

/* The column of the pixel that is nearest to sample @x of a row, which has a sample for each 2^w_sub columns. The samples
 * of subsampled chroma are taken as co-sited with the first of their columns. */
static inline guint
histo_mask_column (guint w_sub, guint x)
{
  return x << w_sub;
}

G_END_DECLS

#endif /* HISTO_MASK_H */
