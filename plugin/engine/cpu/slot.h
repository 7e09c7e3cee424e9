/* What the CPU engine holds for one buffer in flight.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_SLOT_H
#define HISTO_CPU_SLOT_H

#include "engine/cpu/pictures.h"
#include "engine/engine.h"

G_BEGIN_DECLS

/* Counters and tallies of one thread. */
typedef struct
{
  guint32 *counters;
  guint64 *tallies;             /* NULL if the plan has none */
} HistoCpuTable;

struct _HistoSlot
{
  HistoLayout layout;
  HistoFrameInfo info;
  HistoCpuTable *table;
  HistoTotals *totals;
  guint8 *unpacked;             /* the samples, unless `picture` has them; NULL: the format needs none */
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
HistoSlot *histo_cpu_slot_new (const HistoPlan * plan);
void histo_cpu_table_free (gpointer table);
void histo_cpu_slot_free (gpointer slot);

void histo_cpu_table_clear (HistoCpuTable * table, const HistoPlan * plan,
    const HistoFrameInfo * info);
void histo_cpu_slot_add_helped (HistoSlot * slot, const HistoPlan * plan);
void histo_cpu_slot_measure_audio (HistoSlot * slot, const HistoPlan * plan);
void histo_cpu_slot_unpack (HistoSlot * slot, const HistoPlan * plan);

G_END_DECLS

#endif /* HISTO_CPU_SLOT_H */
