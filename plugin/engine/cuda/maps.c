/* What the CUDA engine has for the maps of its plan: device memory, and the launches.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/maps.h"

#define CHECK(maps, call, error) HISTO_DEVICE_CHECK ((maps)->device, call, error)

static void
free_memory (const HistoCudaMaps * maps, CUdeviceptr * memory)
{
  if (*memory != 0)
    CHECK (maps, cuMemFree (*memory), NULL);
  *memory = 0;
}

/* ---- What all slots share ------------------------------------------------------------- */

void
histo_cuda_maps_init (HistoCudaMaps * maps, const HistoDevice * device,
    const HistoCudaKernels * kernels, const HistoPlan * plan)
{
  if (!plan->has_maps)
    return;
  maps->is_used = TRUE;
  maps->device = device;
  maps->kernels = kernels;
  histo_cuda_plan_maps (&kernels->limits, plan, &maps->plan);
  histo_cuda_plan_log_maps (&maps->plan, device->element);
}

static gboolean
upload_chroma_table (HistoCudaMaps * maps, CUstream stream, GError ** error)
{
  const HistoPlan *plan = maps->plan.plan;
  const gsize size = sizeof (guint32) << (2 * plan->maps.depth);

  return plan->chroma_table == NULL
      || (CHECK (maps, cuMemAlloc (&maps->chroma_table, size), error)
      && CHECK (maps, cuMemcpyHtoDAsync (maps->chroma_table,
              plan->chroma_table, size, stream), error)
      && CHECK (maps, cuStreamSynchronize (stream), error));
}

static gboolean
alloc_picture (HistoCudaMaps * maps, guint i, GError ** error)
{
  return maps->pictures[i] != 0 || CHECK (maps,
      cuMemAlloc (&maps->pictures[i], maps->plan.picture_bytes), error);
}

/* Whether each frame writes a picture: it is the next one's previous frame. */
static gboolean
needs_pictures (const HistoCudaMaps * maps)
{
  return maps->plan.plan->needs_previous;
}

/* The pictures, and the event by which a launch waits for the one before it. */
static gboolean
alloc_pictures (HistoCudaMaps * maps, GError ** error)
{
  if ((needs_pictures (maps) || !maps->plan.reads_buffers)
      && !alloc_picture (maps, 0, error))
    return FALSE;
  return (!needs_pictures (maps) || alloc_picture (maps, 1, error))
      && CHECK (maps, cuEventCreate (&maps->end, CU_EVENT_DISABLE_TIMING),
      error);
}

gboolean
histo_cuda_maps_alloc (HistoCudaMaps * maps, CUstream stream, GError ** error)
{
  return !maps->is_used || (upload_chroma_table (maps, stream, error)
      && alloc_pictures (maps, error));
}

void
histo_cuda_maps_clear (HistoCudaMaps * maps)
{
  if (!maps->is_used)
    return;
  free_memory (maps, &maps->chroma_table);
  for (guint i = 0; i < G_N_ELEMENTS (maps->pictures); i++)
    free_memory (maps, &maps->pictures[i]);
  if (maps->end != NULL)
    CHECK (maps, cuEventDestroy (maps->end), NULL);
  memset (maps, 0, sizeof *maps);
}

/* ---- A slot ----------------------------------------------------------------------------- */

gboolean
histo_cuda_maps_init_slot (const HistoCudaMaps * maps,
    HistoCudaMapsSlot * slot, CUstream stream, GError ** error)
{
  const HistoCudaMapsPlan *plan = &maps->plan;

  if (!maps->is_used)
    return TRUE;
  return CHECK (maps, cuMemAlloc (&slot->sums, plan->sums_bytes), error)
      && CHECK (maps, cuMemsetD8Async (slot->sums, 0, plan->sums_bytes, stream),
      error)
      && CHECK (maps, cuStreamSynchronize (stream), error)
      && (plan->plan->n_tallies == 0
      || histo_pinned_alloc (&slot->tallies, maps->device->driver,
          plan->plan->n_tallies * sizeof (guint64), error));
}

void
histo_cuda_maps_clear_slot (const HistoCudaMaps * maps,
    HistoCudaMapsSlot * slot)
{
  if (!maps->is_used)
    return;
  free_memory (maps, &slot->sums);
  histo_pinned_free (&slot->tallies, maps->device->driver);
}

/* ---- A frame ------------------------------------------------------------------------------ */

gboolean
histo_cuda_maps_begin (HistoCudaMaps * maps, HistoCudaMapsSlot * slot,
    const HistoPlane * planes, const HistoFrameInfo * info, CUstream stream,
    GError ** error)
{
  if (!maps->is_used)
    return TRUE;
  slot->current = slot->previous = 0;
  slot->n_forgotten = g_atomic_int_get (&maps->n_forgotten);
  if (!needs_pictures (maps)
      && histo_cuda_plan_is_regular (&maps->plan, planes))
    return TRUE;
  if (!alloc_picture (maps, maps->next, error))
    return FALSE;
  /* Also without a previous frame: an earlier launch may still read the picture. */
  if (maps->has_end
      && !CHECK (maps, cuStreamWaitEvent (stream, maps->end, 0), error))
    return FALSE;
  slot->current = maps->pictures[maps->next];
  if (needs_pictures (maps) && info->continues
      && g_atomic_int_get (&maps->has_previous))
    slot->previous = maps->pictures[1 - maps->next];
  return TRUE;
}

gboolean
histo_cuda_maps_launch (HistoCudaMaps * maps, HistoCudaMapsSlot * slot,
    const HistoPlane * planes, const HistoFrameInfo * info,
    CUdeviceptr scratch, CUdeviceptr result, CUstream stream, GError ** error)
{
  const HistoCudaMapsFrame frame = {
    .planes = planes,
    .info = info,
    .picture = slot->current,
    .previous = slot->previous,
    .scratch = scratch,
    .result = result,
    .sums = slot->sums,
    .tallies = slot->tallies.device,
    .chroma_table = maps->chroma_table,
  };

  if (!maps->is_used)
    return TRUE;
  if (!histo_cuda_launch_maps (maps->kernels, &maps->plan, &frame,
          !maps->plan.counts_samples, stream, error))
    return FALSE;
  if (slot->current == 0)
    return TRUE;
  if (!CHECK (maps, cuEventRecord (maps->end, stream), error))
    return FALSE;
  maps->has_end = TRUE;
  if (!needs_pictures (maps))
    return TRUE;
  maps->next = 1 - maps->next;
  g_atomic_int_set (&maps->has_previous, TRUE);
  return TRUE;
}

void
histo_cuda_maps_interrupt (HistoCudaMaps * maps)
{
  g_atomic_int_set (&maps->has_previous, FALSE);
}

void
histo_cuda_maps_forget (HistoCudaMaps * maps)
{
  /* In this order: a frame that begins meanwhile and still sees a previous one has the old count. */
  g_atomic_int_set (&maps->has_previous, FALSE);
  g_atomic_int_inc (&maps->n_forgotten);
}

gboolean
histo_cuda_maps_had_previous (const HistoCudaMaps * maps,
    const HistoCudaMapsSlot * slot)
{
  return slot->previous != 0
      && slot->n_forgotten == g_atomic_int_get (&maps->n_forgotten);
}
