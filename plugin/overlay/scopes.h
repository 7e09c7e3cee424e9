/* What the panels of the waveform and of the vectorscope share:
 *
 *   joint component → trace: the brightness of each cell → pixels of a box
 *
 * A cell is one counter: a column and a row. Row 0 is at the bottom of the box.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_SCOPES_H
#define HISTO_OVERLAY_SCOPES_H

#include "overlay/panel.h"

G_BEGIN_DECLS

/* Above the panels if the brightness is logarithmic. */
#define HISTO_SCOPE_LOG "log"

/* The brightness of each cell, 0 to 255; 0: nothing was counted. */
typedef struct
{
  guint8 cells[HISTO_SCOPE_SIZE][HISTO_SCOPE_SIZE];     /* [row][column] */
} HistoTrace;

/* Columns or rows that a pixel shows, from the first to before the end. */
typedef struct
{
  guint first, end;
} HistoCells;

/* Why a panel has no trace; "": it has one. */
typedef gchar HistoScopeNote[40];

const HistoComponentResult *histo_scope_find (const HistoResult * result,
    HistoJoint joint);
gboolean histo_scope_is_shown (const HistoScene * scene, HistoShow flag,
    HistoJoint joint);
void histo_scope_note (const HistoResult * result, HistoJoint joint,
    HistoScopeNote note);
void histo_scope_draw_note (HistoCanvas * canvas, const HistoScopeNote note);

void histo_trace_set (HistoTrace * trace,
    const HistoComponentResult * component, gboolean is_logarithmic);
gint histo_trace_position (guint cell, gint length);
HistoCells *histo_cells_new (gint length, gint dot);
void histo_trace_get_row (const HistoTrace * trace, HistoCells rows,
    const HistoCells * columns, gint width, guint8 * alphas);

G_END_DECLS

#endif /* HISTO_OVERLAY_SCOPES_H */
