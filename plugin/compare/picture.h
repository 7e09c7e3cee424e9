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
  GstBuffer *buffer;            /* (nullable): that is mapped */
  guint made;                   /* a bit for each component whose plane is valid */
  HistoPlane planes[HISTO_MAX_COMPONENTS];      /* bits of words above the depth are not defined */
  HistoLayout layout;
  GstBuffer *view;
} HistoComparedPicture;

gboolean histo_compared_picture_set_caps (HistoComparedPicture * picture, GstCaps * caps, GError ** error);
void histo_compared_picture_clear (HistoComparedPicture * picture);
GstBuffer *histo_compared_picture_locate (HistoComparedPicture * picture, GstBuffer * buffer, GError ** error);
gboolean histo_compared_picture_map (HistoComparedPicture * picture, GstBuffer * buffer, guint needed, GError ** error);
void histo_compared_picture_unmap (HistoComparedPicture * picture);
gboolean histo_compared_picture_is_like (const HistoComparedPicture * picture, const HistoComparedPicture * other,
    GError ** error);

/* Returns: whole frames a second, by the caps; 0: unknown */
static inline guint
histo_compared_picture_rate (const HistoComparedPicture * picture)
{
  const GstVideoInfo *info = &picture->frame->video;

  return info->fps_n > 0 && info->fps_d > 0 ? (guint) (info->fps_n / info->fps_d) : 0;
}

G_END_DECLS

#endif /* HISTO_COMPARE_PICTURE_H */
