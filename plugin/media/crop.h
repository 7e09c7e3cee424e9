/* The rectangle of a frame that a GstVideoCropMeta names: the picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CROP_H
#define HISTO_CROP_H

#include "media/format.h"

G_BEGIN_DECLS

/* In pixels of the frame. */
typedef struct
{
  guint x, y, width, height;
} HistoCrop;

gboolean histo_crop_find (const HistoFormat * format, GstBuffer * buffer,
    HistoCrop * crop, GError ** error);
GstBuffer *histo_crop_view (const HistoFormat * format, const GstCaps * caps,
    const HistoFormat * picture, GstBuffer * buffer, const HistoCrop * crop,
    GError ** error);

G_END_DECLS

#endif /* HISTO_CROP_H */
