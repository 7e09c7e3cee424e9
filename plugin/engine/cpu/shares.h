/* A large frame in shares, which several threads count at the same time.
 *
 * The first shares are of the picture's native samples. They have about the same number of bytes
 * and follow each other through the planes. The others are of the groups (groups.h): a small region is
 * one share; of a large region each pass is divided into bands of rows. So a thread that counts
 * several shares mostly stays in one plane, or in one pass: at the end of it the thread has to
 * fold its tables.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CPU_SHARES_H
#define HISTO_CPU_SHARES_H

#include "engine/cpu/count.h"
#include "engine/cpu/groups.h"
#include "measures/plan.h"

G_BEGIN_DECLS

/* How the frames of a plan are divided. */
typedef struct
{
  gboolean is_divisible;        /* FALSE: one thread counts all shares of a frame */
  guint n_native;               /* shares of the picture's native samples */
  guint64 band_pixels;          /* of a share of a pass, at least */
} HistoShares;

/* What one thread needs to count shares. */
typedef struct
{
  HistoCpuPixels *pixels;
  HistoCpuGroups *groups;           /* NULL: the plan has none */
  guint8 *block;                /* rows of samples that take part; NULL: the plan has no mask file */
  gsize block_bytes;
} HistoCpuTools;

/* One thread's work on one frame. */
typedef struct
{
  const HistoShares *shares;
  const HistoCpuTools *tools;
  HistoCpuFrame frame;
  gint plane;                   /* in which `pixels` is; -1: none */
  HistoPlane block;             /* with a mask file: describes the rows of the tools' block */
  gint region, pass;            /* in which `groups` is; -1: none */
} HistoShareWork;

void histo_shares_choose (HistoShares * shares, const HistoPlan * plan);
guint histo_shares_of_frame (const HistoShares * shares,
    const HistoPlan * plan, const HistoFrameInfo * info);

/* NULL if there is no memory */
HistoCpuTools *histo_cpu_tools_new (const HistoPlan * plan,
    const HistoCpuRegular * regular);
void histo_cpu_tools_free (HistoCpuTools * tools);

/* @frame: copied; what it points to must stay until the work ends */
void histo_share_work_begin (HistoShareWork * work, const HistoShares * shares,
    const HistoCpuTools * tools, const HistoCpuFrame * frame);
void histo_share_work_count (HistoShareWork * work, guint share);
/* The counters and tallies are complete only after this. */
void histo_share_work_end (HistoShareWork * work);

G_END_DECLS

#endif /* HISTO_CPU_SHARES_H */
