/* The engine's own copies of pictures, for maps that read the previous frame.
 *
 * The engine does not hold the buffers of others: that would delay their pools, and buffers with
 * a second reference are not writable.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_PICTURES_H
#define HISTO_CPU_PICTURES_H

#include "measures/plan.h"
#include "media/layout.h"

G_BEGIN_DECLS

/* One copy. It is held by the buffer that it is made of and by the next one. */
typedef struct
{
  guint n_holders;              /* guarded by the engine's lock, as is_complete */
  gboolean is_complete;
  guint8 *data;                 /* a packed frame; see media/pack.h */
  HistoPlane planes[HISTO_MAX_PLANES];
} HistoCpuPicture;

/* All copies of an engine. All fields are 0 at first. Call the functions under the engine's lock,
 * but histo_cpu_picture_copy() without it. */
typedef struct
{
  const HistoPlan *plan;        /* NULL: no copies are needed */
  GPtrArray *free;              /* of HistoCpuPicture */
  HistoCpuPicture *latest;      /* of the latest buffer; NULL: there is none */
} HistoCpuPictures;

gboolean histo_cpu_pictures_configure (HistoCpuPictures * pictures,
    const HistoPlan * plan, guint max_in_flight);
void histo_cpu_pictures_clear (HistoCpuPictures * pictures);
HistoCpuPicture *histo_cpu_pictures_begin (HistoCpuPictures * pictures,
    gboolean continues, HistoCpuPicture ** previous);
void histo_cpu_pictures_interrupt (HistoCpuPictures * pictures);
void histo_cpu_pictures_drop (HistoCpuPictures * pictures,
    HistoCpuPicture * picture);
void histo_cpu_picture_copy (HistoCpuPicture * picture, const HistoPlan * plan,
    const HistoLayout * layout);

G_END_DECLS

#endif /* HISTO_CPU_PICTURES_H */
