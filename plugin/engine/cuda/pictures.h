/* The pictures that the maps read again: the previous frame's, and the one that becomes the
 * previous frame.
 *
 * Launches that use the pictures run one after the other, in the order of the frames, although each
 * slot has its own stream. So two pictures are enough: frame n writes picture n mod 2 and reads the
 * other one.
 *
 * One thread uses the pictures at a time, apart from histo_pictures_forget() and _interrupt().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_PICTURES_H
#define HISTO_CUDA_PICTURES_H

#include "engine/cuda/driver.h"

G_BEGIN_DECLS

/* All zero at first. */
typedef struct
{
  const HistoDriver *driver;
  CUdeviceptr memory[2];
  CUevent end;                  /* of the latest launch that uses the pictures */
  gboolean has_end;             /* the event is recorded */
  guint next;                   /* the picture that the next frame writes */
  gint has_previous;            /* atomic: the other one holds the frame before */
  gint n_forgotten;             /* atomic: calls of histo_pictures_forget() */
} HistoPictures;

/* Allocates two pictures of @size bytes. Clear them also after a failure. The context must be
 * current in all calls, apart from histo_pictures_forget() and _interrupt(). */
gboolean histo_pictures_alloc (HistoPictures * pictures,
    const HistoDriver * driver, gsize size, GError ** error);
/* Nothing on the device may use the pictures. */
void histo_pictures_clear (HistoPictures * pictures);

/**
 * histo_pictures_begin:
 * @continues: the frame follows the one before
 * @picture: (out): for the frame
 * @previous: (out): the frame's before; 0: there is none
 *
 * Has @stream wait for the launches of earlier frames. The caller enqueues the launch that writes
 * the picture, and calls histo_pictures_end(). If one of them fails, it calls
 * histo_pictures_interrupt() instead.
 */
gboolean histo_pictures_begin (HistoPictures * pictures, gboolean continues,
    CUstream stream, CUdeviceptr * picture, CUdeviceptr * previous,
    GError ** error);
gboolean histo_pictures_end (HistoPictures * pictures, CUstream stream,
    GError ** error);

/* The next frame has no previous one: a frame was refused before it wrote its picture. Any thread
 * may call this. */
void histo_pictures_interrupt (HistoPictures * pictures);
/* The same, and frames in flight may have read a picture that was never written: a launch has
 * failed. Any thread may call this. */
void histo_pictures_forget (HistoPictures * pictures);

G_END_DECLS

#endif /* HISTO_CUDA_PICTURES_H */
