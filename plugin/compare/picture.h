/* The picture of a buffer as planes of samples, whatever its format.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_COMPARE_PICTURE_H
#define HISTO_COMPARE_PICTURE_H

#include "engine/cpu/regular.h"

G_BEGIN_DECLS

/* Reads the pictures of a pad's buffers, one after the other. Zeroed at first. */
typedef struct
{
  GstCaps *caps;
  HistoFormat *frame;           /* what the caps describe; NULL before the first caps */
  HistoFormat *format;          /* of the picture: that of the crop meta */
  HistoCpuRegular regular;      /* of this format */
  guint8 *memory, *unpacked;

  /* The latest picture, until histo_compared_picture_unmap(). */
  HistoPlane planes[HISTO_MAX_COMPONENTS];
  HistoLayout layout;
  GstBuffer *view;
} HistoComparedPicture;

gboolean histo_compared_picture_set_caps (HistoComparedPicture * picture, GstCaps * caps, GError ** error);
void histo_compared_picture_clear (HistoComparedPicture * picture);
gboolean histo_compared_picture_map (HistoComparedPicture * picture, GstBuffer * buffer, GError ** error);
void histo_compared_picture_unmap (HistoComparedPicture * picture);
gboolean histo_compared_picture_is_like (const HistoComparedPicture * picture, const HistoComparedPicture * other,
    GError ** error);

G_END_DECLS

#endif /* HISTO_COMPARE_PICTURE_H */
