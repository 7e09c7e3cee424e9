/* What the CUDA engine has for the groups of its plan: device memory, and the launches.
 *
 * Without groups in the plan no function here calls the driver.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_GROUPS_H
#define HISTO_CUDA_GROUPS_H

#include "engine/cuda/driver.h"
#include "engine/cuda/launch.h"
#include "engine/cuda/page-lock.h"

G_BEGIN_DECLS

/* What all slots share. All zero at first. */
typedef struct
{
  const HistoDevice *device;    /* borrowed */
  const HistoCudaKernels *kernels;      /* borrowed */
  gboolean is_used;             /* the plan has groups; else the rest is not set */
  HistoCudaGroupsPlan plan;
  CUdeviceptr chroma_table, linear, hlg;        /* tables; 0: not needed */

  /* The pictures that frames write: one whose buffer must be extracted; if the plan needs the previous frame,
   * every one. Launches that use the pictures run one after the other, in the order of the frames, although
   * each slot has its own stream. So two pictures are enough: frame n writes picture n mod 2 and
   * reads the other one. If no picture was expected, the first frame that needs one makes it. */
  CUdeviceptr pictures[2];
  HistoScan scans[2];           /* of the frames that these are made of */
  CUevent end;                  /* of the latest launch that uses the pictures */
  gboolean has_end;             /* the event is recorded */
  guint next;                   /* the picture that the next frame writes */
  gint has_previous;            /* atomic: the other one holds the frame before */
  gint n_forgotten;             /* atomic: calls of histo_cuda_groups_forget() */
} HistoCudaGroups;

/* What a slot has for itself. All zero at first. */
typedef struct
{
  CUdeviceptr sums;             /* see HistoCudaGroupsFrame */
  HistoPinned tallies;          /* the results, which the kernel writes */
  CUdeviceptr packed_tables;
  /* Memory for joint components: see HistoCudaGroupsFrame; and room for their counters of 32 bits. */
  CUdeviceptr joint_sums;
  HistoPinned joint_halves;
  guint32 *joints;
  CUdeviceptr current;          /* the picture of the frame; 0: it has none */
  CUdeviceptr previous;         /* the picture of the frame before; 0: there is none */
  gint n_forgotten;             /* HistoCudaGroups.n_forgotten when the frame began */
} HistoCudaGroupsSlot;

/* The context must be current in all calls, apart from the last three. @stream: the
 * functions that allocate return when their work on it has ended. */

/* Allocates nothing. @plan: borrowed until histo_cuda_groups_clear() */
void histo_cuda_groups_init (HistoCudaGroups * groups, const HistoDevice * device,
    const HistoCudaKernels * kernels, const HistoPlan * plan);
/* Clear the groups also after a failure. */
gboolean histo_cuda_groups_alloc (HistoCudaGroups * groups, CUstream stream,
    GError ** error);
void histo_cuda_groups_clear (HistoCudaGroups * groups);

/* Clear the slot also after a failure. */
gboolean histo_cuda_groups_init_slot (const HistoCudaGroups * groups,
    HistoCudaGroupsSlot * slot, CUstream stream, GError ** error);
void histo_cuda_groups_clear_slot (const HistoCudaGroups * groups,
    HistoCudaGroupsSlot * slot);

/* Enqueues what a frame waits for. To be called before the launch that counts the frame's samples:
 * between that launch and the next ones there must be nothing else, so that the device can prepare
 * the next ones before that launch has ended. Frames come one after the other. */
gboolean histo_cuda_groups_begin (HistoCudaGroups * groups,
    HistoCudaGroupsSlot * slot, const HistoPlane * planes,
    const HistoFrameInfo * info, CUstream stream, GError ** error);

/**
 * histo_cuda_groups_launch:
 * @planes: of the frame, where the kernels read them
 * @info: of the frame
 * @scratch: of the launch before on @stream, which counts the samples of the same frame
 * @result: the same
 *
 * Enqueues the launches for a frame.
 */
gboolean histo_cuda_groups_launch (HistoCudaGroups * groups,
    HistoCudaGroupsSlot * slot, const HistoPlane * planes,
    const HistoFrameInfo * info, CUdeviceptr scratch, CUdeviceptr result,
    CUstream stream, GError ** error);

/* The counts of joint components of the slot, whose launch has ended. @counts: (out): only these */
void histo_cuda_groups_find_joints (const HistoCudaGroups * groups,
    const HistoCudaGroupsSlot * slot, HistoCounts * counts);

/* The next frame has no previous one: a frame was refused before it wrote its picture. Any thread
 * may call this. */
void histo_cuda_groups_interrupt (HistoCudaGroups * groups);
/* The next frame has no previous one, and frames in flight may have read a picture that was never
 * written: a launch has failed. Any thread may call this. */
void histo_cuda_groups_forget (HistoCudaGroups * groups);
/* Whether the frame of the slot, whose launch has ended, was compared with a previous frame. Not if a
 * launch has failed since it began: that may have been the previous one. Any thread may call this. */
gboolean histo_cuda_groups_had_previous (const HistoCudaGroups * groups,
    const HistoCudaGroupsSlot * slot);

G_END_DECLS

#endif /* HISTO_CUDA_GROUPS_H */
