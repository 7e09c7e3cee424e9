/* What the groups count and add up in each region of a frame, in passes over the region's rows.
 *
 * A pass counts one component, or several that are made together (saturation and hue; R, G, B of YUV), with
 * the tallies that need the same rows, or adds up other tallies.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_GROUPS_H
#define HISTO_CPU_GROUPS_H

#include "engine/cpu/count.h"
#include "engine/cpu/regular.h"
#include "engine/cpu/rows.h"
#include "measures/plan.h"

G_BEGIN_DECLS

/* A frame, and where its numbers are counted. */
typedef struct
{
  const HistoPlan *plan;
  const HistoFrameInfo *info;
  /* In host memory. */
  guint n_counted;
  const HistoPlane *counted;    /* the picture's native samples, but for those that the groups count */
  const HistoMaskView *mask;    /* (nullable): of the picture: samples that take no part are counted as 0 */
  const HistoPlane *masks;      /* of a mask file: one for each of `counted` (media/mask.h); else NULL */
  const HistoPlane *planes;     /* for the groups: regular, one for each component */
  const HistoPlane *previous;   /* (nullable): the same of the previous frame */
  HistoScan scan, previous_scan;        /* of both frames */
  HistoCpuLight *light;         /* (nullable): room for the picture's light */
  HistoCpuLight *previous_light;        /* (nullable): that of the previous frame */
  guint32 *counters;            /* the plan's; added to, as the tallies */
  guint64 *tallies;
  guint32 *joints;              /* the counters of joint components */
} HistoCpuFrame;

/* What one thread needs for the groups of a plan. */
typedef struct _HistoCpuGroups HistoCpuGroups;

HistoCpuGroups *histo_cpu_groups_new (const HistoPlan * plan,
    const HistoCpuRegular * regular);
void histo_cpu_groups_free (HistoCpuGroups * groups);

guint histo_cpu_groups_n_passes (const HistoPlan * plan);
guint histo_cpu_groups_needed (const HistoPlan * plan);
guint histo_cpu_groups_needed_previous (const HistoPlan * plan);
guint histo_cpu_groups_count_samples (const HistoPlan * plan);

/* A pass over a region: begin, rows as often as wanted, end. */
void histo_cpu_groups_begin (HistoCpuGroups * groups, const HistoCpuFrame * frame,
    guint region, guint pass);
guint histo_cpu_groups_pass_rows (const HistoCpuGroups * groups);
void histo_cpu_groups_rows (HistoCpuGroups * groups, guint first, guint n_rows);
void histo_cpu_groups_end (HistoCpuGroups * groups);

G_END_DECLS

#endif /* HISTO_CPU_GROUPS_H */
