/* Pictures for maps that read the previous frame: copies, or buffers that are held.
 *
 * The engine holds the buffers of others only if its configuration says so: that delays their pools,
 * and buffers with a second reference are not writable.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_PICTURES_H
#define HISTO_CPU_PICTURES_H

#include "measures/plan.h"
#include "media/layout.h"

G_BEGIN_DECLS

/* One picture. It is needed by the buffer that it is made of and by the next one. */
typedef struct
{
  guint n_holders;              /* guarded by the engine's lock, as is_complete */
  gboolean is_complete;
  guint8 *data;                 /* a copy: a packed frame; see media/pack.h. NULL: a held buffer */
  const HistoFormat *format;
  HistoLayout held;             /* of the held buffer: mapped until the picture is freed */
  HistoPlane planes[HISTO_MAX_PLANES];
} HistoCpuPicture;

/* All pictures of an engine. All fields are 0 at first. Call the functions under the engine's lock,
 * but histo_cpu_picture_copy() without it if buffers are in flight. */
typedef struct
{
  const HistoPlan *plan;        /* NULL: no pictures are needed */
  gboolean holds;               /* buffers are held */
  GPtrArray *free;              /* of HistoCpuPicture: copies */
  GPtrArray *unused;            /* (nullable) of HistoCpuPicture: held buffers to be freed without the
                                 * lock, because their memory may belong to others */
  HistoCpuPicture *latest;      /* of the latest buffer; NULL: there is none */
} HistoCpuPictures;

gboolean histo_cpu_pictures_configure (HistoCpuPictures * pictures,
    const HistoPlan * plan, guint max_in_flight, gboolean hold);
void histo_cpu_pictures_clear (HistoCpuPictures * pictures);
HistoCpuPicture *histo_cpu_pictures_begin (HistoCpuPictures * pictures,
    gboolean continues, const HistoLayout * layout, HistoCpuPicture ** previous);
GPtrArray *histo_cpu_pictures_steal_unused (HistoCpuPictures * pictures);
void histo_cpu_pictures_interrupt (HistoCpuPictures * pictures);
void histo_cpu_pictures_copy_latest (HistoCpuPictures * pictures);
void histo_cpu_pictures_drop (HistoCpuPictures * pictures,
    HistoCpuPicture * picture);
void histo_cpu_picture_copy (HistoCpuPicture * picture, const HistoPlan * plan,
    const HistoLayout * layout);

/* Whether the picture keeps its buffer mapped. @picture: (nullable) */
static inline gboolean
histo_cpu_picture_is_held (const HistoCpuPicture * picture)
{
  return picture != NULL && picture->data == NULL;
}

G_END_DECLS

#endif /* HISTO_CPU_PICTURES_H */
