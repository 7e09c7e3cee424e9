/* The shape of the launches that evaluate the groups of a frame: which planes they read, the
 * counters, and how blocks are divided among the regions.
 *
 * All functions are pure: they call no driver.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_PLAN_STRIP_H
#define HISTO_CUDA_PLAN_STRIP_H

#include "engine/cuda/plan.h"
#include "kernels/strip-launch.h"
#include "measures/plan.h"

G_BEGIN_DECLS

/* The components of a region that one launch counts. */
typedef struct
{
  guint kernel;                 /* of HISTO_REGION_KERNELS; see histo_cuda_plan_groups_frame() */
  guint flags;                  /* what it measures */
  guint first_component, end_component;
  guint32 first_bin, n_bins;
  guint copies_log2;            /* of the counters in shared memory */
} HistoCudaGroupsPart;

/* Every group, and the samples. */
#define HISTO_CUDA_MOST_PARTS 8

/* Kinds of checks, each with a launch of its own (kernels/strip/checks.cuh). */
#define HISTO_CUDA_N_CHECKS 3

/* What is the same for all frames of a plan. */
typedef struct
{
  const HistoPlan *plan;        /* borrowed */
  HistoCudaLimits limits;
  guint flags;                  /* what the launches measure */
  guint form, bytes;            /* HISTO_FORM_ROWS, …; of a word of a regular picture */
  gboolean reads_buffers;       /* a loader reads the format, if a buffer's rows are aligned */
  gsize picture_bytes;          /* device memory for a picture */
  HistoStripPlanes picture;     /* its planes: the addresses are offsets */
  gsize sums_bytes;             /* device memory for sums of tallies, zero between launches */
  gboolean counts_samples;      /* these launches count the picture's samples, too: as themselves, or in joint
                                 * components */
  gboolean has_owners;          /* blocks own the components: they have too many bins for one block */
  gboolean has_rows;            /* the counters are RowCounters */
  guint first_region;           /* of those that the strip and the checks measure. 1 if the whole picture has nothing for
                                 * them but samples, which are counted by another launch; beyond all regions if there
                                 * are joint components alone */
  gboolean counts_bytes;        /* the only part's kernel is HISTO_REGION_KERNEL_samples: it reads the buffer's planes */
  guint n_parts;
  HistoCudaGroupsPart parts[HISTO_CUDA_MOST_PARTS];
  gsize joint_sums_bytes;       /* device memory for joint components, zero between launches */
  gsize packed_tables_bytes;    /* device memory for tables of joint components, and of components that blocks own */
  /* Templates. */
  HistoExtractLaunch extract;
  HistoStripLaunch launch;
} HistoCudaGroupsPlan;

/* Where a frame's planes and the memory for its results are. */
typedef struct
{
  const HistoPlane *planes;     /* of the buffer, with data and strides */
  const HistoFrameInfo *info;
  HistoScan scan, previous_scan;        /* of the frame, and of the previous one if there is one */
  guint64 picture;              /* picture_bytes bytes; 0: none is needed */
  guint64 previous;             /* the picture of the previous frame; 0: there is none */
  guint64 scratch, result;      /* see HistoVideoLaunch */
  guint64 sums;                 /* sums_bytes bytes */
  guint64 tallies;              /* page-locked: n_tallies of the plan */
  guint64 chroma_table, linear, hlg;    /* the plan's, in device memory; 0 if the plan has none */
  guint64 packed_tables;        /* packed_tables_bytes bytes */
  /* If the plan has joint components: joint_sums_bytes bytes, and page-locked memory for HistoHalves of each. */
  guint64 joint_sums, joint_halves;
} HistoCudaGroupsFrame;

void histo_cuda_plan_regular (HistoCudaGroupsPlan * groups);
gboolean histo_cuda_plan_is_regular (const HistoCudaGroupsPlan * groups,
    const HistoPlane * planes);
void histo_cuda_plan_planes (const HistoCudaGroupsPlan * groups,
    const HistoCudaGroupsFrame * frame, HistoStripLaunch * launch);
guint histo_cuda_plan_flags (const HistoPlan * plan);
void histo_cuda_plan_groups (const HistoCudaLimits * limits,
    const HistoPlan * plan, HistoCudaGroupsPlan * groups);

gboolean histo_cuda_plan_extract_frame (const HistoCudaGroupsPlan * groups,
    const HistoCudaGroupsFrame * frame, HistoExtractLaunch * launch,
    HistoCudaGrid * grid);
guint histo_cuda_plan_groups_frame (const HistoCudaGroupsPlan * groups,
    const HistoCudaGroupsFrame * frame, guint part, guint first_region,
    HistoStripLaunch * launch, HistoCudaGrid * grid);
gboolean histo_cuda_plan_owners_frame (const HistoCudaGroupsPlan * groups,
    const HistoCudaGroupsFrame * frame, guint first_region,
    HistoStripLaunch * launch, HistoCudaGrid * grid, guint * kernel,
    HistoCudaGrid * sum);
gboolean histo_cuda_plan_check_frame (const HistoCudaGroupsPlan * groups,
    const HistoCudaGroupsFrame * frame, guint check, guint first_region,
    HistoStripLaunch * launch, HistoCudaGrid * grid, guint * kernel);
gboolean histo_cuda_plan_scopes_frame (const HistoCudaGroupsPlan * groups,
    const HistoCudaGroupsFrame * frame, HistoStripLaunch * launch,
    HistoCudaGrid * grid, guint * kernel, HistoCudaGrid * sum);

G_END_DECLS

#endif /* HISTO_CUDA_PLAN_STRIP_H */
