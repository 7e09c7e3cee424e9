/* What the maps count and add up in each region of a frame, in passes over the region's rows.
 *
 * A pass counts one component, or several that are made together (saturation and hue; R, G, B of YUV), with
 * the tallies that need the same rows, or adds up other tallies.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_MAPS_H
#define HISTO_CPU_MAPS_H

#include "engine/cpu/count.h"
#include "engine/cpu/regular.h"
#include "measures/plan.h"

G_BEGIN_DECLS

/* A frame, and where its numbers are counted. */
typedef struct
{
  const HistoPlan *plan;
  const HistoFrameInfo *info;
  /* In host memory. If the plan has maps they are regular, one for each component. */
  guint n_planes;
  const HistoPlane *planes;
  const HistoPlane *previous;   /* (nullable): of the previous frame */
  guint32 *counters;            /* the plan's; added to, as the tallies */
  guint64 *tallies;
} HistoCpuFrame;

/* What one thread needs for the maps of a plan. */
typedef struct _HistoCpuMaps HistoCpuMaps;

HistoCpuMaps *histo_cpu_maps_new (const HistoPlan * plan,
    const HistoCpuRegular * regular);
void histo_cpu_maps_free (HistoCpuMaps * maps);

guint histo_cpu_maps_n_passes (const HistoPlan * plan);
gboolean histo_cpu_maps_count_plane (const HistoPlan * plan, guint c);

/* A pass over a region: begin, rows as often as wanted, end. */
void histo_cpu_maps_begin (HistoCpuMaps * maps, const HistoCpuFrame * frame,
    guint region, guint pass);
guint histo_cpu_maps_pass_rows (const HistoCpuMaps * maps);
void histo_cpu_maps_rows (HistoCpuMaps * maps, guint first, guint n_rows);
void histo_cpu_maps_end (HistoCpuMaps * maps);

G_END_DECLS

#endif /* HISTO_CPU_MAPS_H */
