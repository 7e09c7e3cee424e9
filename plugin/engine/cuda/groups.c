/* What the CUDA engine has for the groups of its plan: device memory, and the launches.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/groups.h"

#define CHECK(groups, call, error) HISTO_DEVICE_CHECK ((groups)->device, call, error)

/* ---- What all slots share ------------------------------------------------------------- */

void
histo_cuda_groups_init (HistoCudaGroups * groups, const HistoDevice * device,
    const HistoCudaKernels * kernels, const HistoPlan * plan)
{
  /* The engine counts the regions of Bayer video with the kernels of whole frames. */
  if (!plan->has_groups || histo_format_is_bayer (plan->format))
    return;
  groups->is_used = TRUE;
  groups->device = device;
  groups->kernels = kernels;
  histo_cuda_plan_groups (&kernels->limits, plan, &groups->plan);
  histo_cuda_plan_log_groups (&groups->plan, device->element);
}

static gboolean
alloc_picture (HistoCudaGroups * groups, guint i, GError ** error)
{
  return groups->pictures[i] != 0 || CHECK (groups,
      cuMemAlloc (&groups->pictures[i], groups->plan.picture_bytes), error);
}

/* Whether each frame writes a picture: it is the next one's previous frame. */
static gboolean
needs_pictures (const HistoCudaGroups * groups)
{
  return groups->plan.plan->needs_previous;
}

gboolean
histo_cuda_groups_alloc (HistoCudaGroups * groups, CUstream stream, GError ** error)
{
  const HistoPlan *plan = groups->plan.plan;
  guint depth, n_pictures;

  if (!groups->is_used)
    return TRUE;
  depth = plan->formulas.depth;
  n_pictures = needs_pictures (groups) ? 2 : groups->plan.reads_buffers ? 0 : 1;
  if (!histo_device_upload (groups->device, plan->chroma_table, sizeof (guint32) << (2 * depth), &groups->chroma_table, stream, error)
      || !histo_device_upload (groups->device, plan->linear, sizeof (guint16) << depth, &groups->linear, stream, error)
      || !histo_device_upload (groups->device, plan->hlg, sizeof (guint16) * ((1u << depth) + 2 * HISTO_HLG_NUMBERS), &groups->hlg,
          stream, error))
    return FALSE;
  for (guint i = 0; i < n_pictures; i++)
    if (!alloc_picture (groups, i, error))
      return FALSE;
  /* A launch waits by this event for the one before it. */
  return CHECK (groups, cuEventCreate (&groups->end, CU_EVENT_DISABLE_TIMING), error);
}

void
histo_cuda_groups_clear (HistoCudaGroups * groups)
{
  if (!groups->is_used)
    return;
  histo_device_free (groups->device, &groups->chroma_table);
  histo_device_free (groups->device, &groups->linear);
  histo_device_free (groups->device, &groups->hlg);
  for (guint i = 0; i < G_N_ELEMENTS (groups->pictures); i++)
    histo_device_free (groups->device, &groups->pictures[i]);
  if (groups->end != NULL)
    CHECK (groups, cuEventDestroy (groups->end), NULL);
  memset (groups, 0, sizeof *groups);
}

/* ---- A slot ----------------------------------------------------------------------------- */

static gboolean
init_joints (const HistoCudaGroups * groups, HistoCudaGroupsSlot * slot, CUstream stream, GError ** error)
{
  const HistoCudaGroupsPlan *plan = &groups->plan;

  slot->joints = g_try_new (guint32, histo_plan_joint_counters (plan->plan));
  if (slot->joints == NULL) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "No memory for the counters of the joint components");
    return FALSE;
  }
  return CHECK (groups, cuMemAlloc (&slot->joint_sums, plan->joint_sums_bytes), error)
      && CHECK (groups, cuMemsetD8Async (slot->joint_sums, 0, plan->joint_sums_bytes, stream), error)
      && histo_pinned_alloc (&slot->joint_halves, groups->device->driver,
      plan->plan->n_joints * sizeof (HistoHalves), error);
}

gboolean
histo_cuda_groups_init_slot (const HistoCudaGroups * groups,
    HistoCudaGroupsSlot * slot, CUstream stream, GError ** error)
{
  const HistoCudaGroupsPlan *plan = &groups->plan;

  if (!groups->is_used)
    return TRUE;
  if (plan->plan->n_joints > 0 && !init_joints (groups, slot, stream, error))
    return FALSE;
  if (plan->packed_tables_bytes > 0
      && !CHECK (groups, cuMemAlloc (&slot->packed_tables, plan->packed_tables_bytes), error))
    return FALSE;
  return CHECK (groups, cuMemAlloc (&slot->sums, plan->sums_bytes), error)
      && CHECK (groups, cuMemsetD8Async (slot->sums, 0, plan->sums_bytes, stream),
      error)
      && CHECK (groups, cuStreamSynchronize (stream), error)
      && (plan->plan->n_tallies == 0
      || histo_pinned_alloc (&slot->tallies, groups->device->driver,
          plan->plan->n_tallies * sizeof (guint64), error));
}

void
histo_cuda_groups_clear_slot (const HistoCudaGroups * groups,
    HistoCudaGroupsSlot * slot)
{
  if (!groups->is_used)
    return;
  histo_device_free (groups->device, &slot->sums);
  histo_pinned_free (&slot->tallies, groups->device->driver);
  histo_device_free (groups->device, &slot->joint_sums);
  histo_device_free (groups->device, &slot->packed_tables);
  histo_pinned_free (&slot->joint_halves, groups->device->driver);
  g_free (slot->joints);
}

/* ---- A frame ------------------------------------------------------------------------------ */

gboolean
histo_cuda_groups_begin (HistoCudaGroups * groups, HistoCudaGroupsSlot * slot,
    const HistoPlane * planes, const HistoFrameInfo * info, CUstream stream,
    GError ** error)
{
  if (!groups->is_used)
    return TRUE;
  slot->current = slot->previous = 0;
  slot->n_forgotten = g_atomic_int_get (&groups->n_forgotten);
  if (!needs_pictures (groups)
      && histo_cuda_plan_is_regular (&groups->plan, planes))
    return TRUE;
  if (!alloc_picture (groups, groups->next, error))
    return FALSE;
  /* Needed also without a previous frame: an earlier launch may still read the picture. */
  if (groups->has_end
      && !CHECK (groups, cuStreamWaitEvent (stream, groups->end, 0), error))
    return FALSE;
  slot->current = groups->pictures[groups->next];
  if (needs_pictures (groups) && info->continues
      && g_atomic_int_get (&groups->has_previous))
    slot->previous = groups->pictures[1 - groups->next];
  return TRUE;
}

gboolean
histo_cuda_groups_launch (HistoCudaGroups * groups, HistoCudaGroupsSlot * slot,
    const HistoPlane * planes, const HistoFrameInfo * info,
    CUdeviceptr scratch, CUdeviceptr result, CUstream stream, GError ** error)
{
  HistoCudaGroupsFrame frame = {
    .planes = planes,
    .info = info,
    .picture = slot->current,
    .previous = slot->previous,
    .scratch = scratch,
    .result = result,
    .sums = slot->sums,
    .tallies = slot->tallies.device,
    .chroma_table = groups->chroma_table,
    .linear = groups->linear,
    .hlg = groups->hlg,
    .joint_sums = slot->joint_sums,
    .packed_tables = slot->packed_tables,
    .joint_halves = slot->joint_halves.device,
  };

  if (!groups->is_used)
    return TRUE;
  frame.scan = histo_plan_scan (groups->plan.plan, info);
  frame.previous_scan = groups->scans[1 - groups->next];
  if (!histo_cuda_launch_groups (groups->kernels, &groups->plan, &frame,
          !groups->plan.counts_samples, stream, error))
    return FALSE;
  if (slot->current == 0)
    return TRUE;
  if (!CHECK (groups, cuEventRecord (groups->end, stream), error))
    return FALSE;
  groups->has_end = TRUE;
  if (!needs_pictures (groups))
    return TRUE;
  groups->scans[groups->next] = frame.scan;
  groups->next = 1 - groups->next;
  g_atomic_int_set (&groups->has_previous, TRUE);
  return TRUE;
}

void
histo_cuda_groups_interrupt (HistoCudaGroups * groups)
{
  g_atomic_int_set (&groups->has_previous, FALSE);
}

void
histo_cuda_groups_forget (HistoCudaGroups * groups)
{
  /* In this order: a frame that begins meanwhile and still sees a previous one has the old count. */
  g_atomic_int_set (&groups->has_previous, FALSE);
  g_atomic_int_inc (&groups->n_forgotten);
}

gboolean
histo_cuda_groups_had_previous (const HistoCudaGroups * groups,
    const HistoCudaGroupsSlot * slot)
{
  return slot->previous != 0
      && slot->n_forgotten == g_atomic_int_get (&groups->n_forgotten);
}

void
histo_cuda_groups_find_joints (const HistoCudaGroups * groups,
    const HistoCudaGroupsSlot * slot, HistoCounts * counts)
{
  if (!groups->is_used)
    return;
  counts->joints = slot->joints;
  counts->joint_halves = slot->joint_halves.host;
  for (guint j = 0; j < groups->plan.plan->n_joints; j++)
    counts->joint_halves[j].is_joined = FALSE;
}
