/* What the CPU engine holds for one buffer in flight: counters, tallies, and the picture that the next
 * buffer compares itself with.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_SLOT_H
#define HISTO_CPU_SLOT_H

#include "engine/cpu/regular.h"
#include "engine/cpu/rows.h"
#include "engine/engine.h"
#include "measures/masked.h"

G_BEGIN_DECLS

/* ---- Pictures ---------------------------------------------------------------------------------- */

/* Formulas read the previous frame: a regular picture (regular.h), whose planes are copies or lie in a buffer that
 * is held. The engine holds the buffers of others only if its configuration says so: that delays their
 * pools, and buffers with a second reference are not writable. */

/* One picture. It is needed by the buffer that it is made of and by the next one. */
typedef struct
{
  guint n_holders;              /* guarded by the engine's lock, as is_complete */
  gboolean is_complete;
  guint8 *data;                 /* room for the copies */
  HistoScan scan;               /* of the buffer */
  HistoLayout *held;            /* of the held buffer, mapped; NULL: all planes are copies */
  HistoPlane planes[HISTO_MAX_COMPONENTS];
  HistoCpuLight *light;         /* room for its light; NULL: not needed */
} HistoCpuPicture;

/* All pictures of an engine. All fields are 0 at first. Call the functions under the engine's lock,
 * */
typedef struct
{
  const HistoPlan *plan;        /* NULL: no pictures are needed */
  const HistoCpuRegular *regular;
  guint needed;                 /* a bit for each component that groups read in the previous frame */
  gboolean holds;               /* buffers are held if any of these is regular in place */
  GPtrArray *free;              /* of HistoCpuPicture */
  GPtrArray *unused;            /* (nullable) of HistoLayout: of held buffers, to be freed without the lock, because
                                 * their memory may belong to others */
  HistoCpuPicture *latest;      /* of the latest buffer; NULL: there is none */
} HistoCpuPictures;

gboolean histo_cpu_pictures_configure (HistoCpuPictures * pictures,
    const HistoPlan * plan, const HistoCpuRegular * regular,
    guint max_in_flight, gboolean hold);
void histo_cpu_pictures_clear (HistoCpuPictures * pictures);
HistoCpuPicture *histo_cpu_pictures_begin (HistoCpuPictures * pictures,
    const HistoFrameInfo * info, const HistoLayout * layout,
    HistoCpuPicture ** previous);
GPtrArray *histo_cpu_pictures_steal_unused (HistoCpuPictures * pictures);
void histo_cpu_pictures_interrupt (HistoCpuPictures * pictures);
void histo_cpu_pictures_copy_latest (HistoCpuPictures * pictures);
void histo_cpu_pictures_drop (HistoCpuPictures * pictures,
    HistoCpuPicture * picture);

/* Whether the picture keeps its buffer mapped. @picture: (nullable) */
static inline gboolean
histo_cpu_picture_is_held (const HistoCpuPicture * picture)
{
  return picture != NULL && picture->held != NULL;
}

/* ---- Slots ------------------------------------------------------------------------------------- */

/* Counters and tallies of one thread. */
typedef struct
{
  guint32 *counters;
  guint64 *tallies;             /* NULL if the plan has none, as `joints` */
  guint32 *joints;              /* the counters of joint components */
} HistoCpuTable;

struct _HistoSlot
{
  HistoLayout layout;
  HistoFrameInfo info;
  HistoCpuTable *table;
  HistoTotals *totals;
  guint8 *unpacked;             /* a packed frame, see media/pack.h; NULL: the format needs none */
  guint8 *regular;              /* room for a regular picture, unless `picture` has it; NULL: the plan needs none */
  /* See HistoCpuFrame. */
  guint n_counted;
  HistoPlane counted[HISTO_MAX_PLANES + HISTO_MAX_COMPONENTS];
  HistoPlane planes[HISTO_MAX_COMPONENTS];
  HistoMaskView mask;           /* without pixels: none */
  const HistoMaskFrame *mask_frame;     /* of a mask file; else NULL */
  guint8 *alpha;                /* room for the mask by alpha; NULL: there is none */
  guint64 *n_pixels;            /* with a mask: of each region, see HistoCounts; else NULL */
  gboolean is_prepared;         /* the planes are complete; guarded by the engine's lock */
  HistoCpuPicture *picture;     /* this buffer's picture, for the next one; NULL: none */
  HistoCpuPicture *previous;    /* the picture of the buffer before; NULL: none */
  guint64 n_samples;
  guint64 n_with_previous;      /* 0 or 1 */
  guint n_shares;
  guint next_share;             /* the first that no thread has begun to count */
  guint n_threads;              /* that work on the buffer; its own worker counts from the start */
  GPtrArray *helped;            /* of HistoCpuTable: the helpers' counts */
  gboolean is_measured_at_once; /* by the thread that submits the buffer */
  gboolean is_done, is_awaited;
};

/* These return NULL if there is no memory. */
HistoCpuTable *histo_cpu_table_new (const HistoPlan * plan);
HistoSlot *histo_cpu_slot_new (const HistoPlan * plan,
    const HistoCpuRegular * regular);
void histo_cpu_table_free (gpointer table);
void histo_cpu_slot_free (gpointer slot);

void histo_cpu_table_clear (HistoCpuTable * table, const HistoPlan * plan,
    const HistoFrameInfo * info);
void histo_cpu_slot_complete (HistoSlot * slot, const HistoPlan * plan);
void histo_cpu_slot_measure_audio (HistoSlot * slot, const HistoPlan * plan);
void histo_cpu_slot_prepare (HistoSlot * slot, const HistoPlan * plan,
    const HistoCpuRegular * regular, const HistoCpuPictures * pictures);

G_END_DECLS

#endif /* HISTO_CPU_SLOT_H */
