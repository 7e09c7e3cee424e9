/* What the CUDA engine has for the maps of its plan: device memory, and the launches.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/maps.h"

#include "engine/cuda/plan-log.h"

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

gboolean
histo_cuda_maps_alloc (HistoCudaMaps * maps, CUstream stream, GError ** error)
{
  return !maps->is_used || (upload_chroma_table (maps, stream, error)
      && (!maps->plan.plan->needs_previous
          || histo_pictures_alloc (&maps->pictures, maps->device->driver,
              maps->plan.picture_bytes, error)));
}

void
histo_cuda_maps_clear (HistoCudaMaps * maps)
{
  if (!maps->is_used)
    return;
  free_memory (maps, &maps->chroma_table);
  if (maps->pictures.driver != NULL)
    histo_pictures_clear (&maps->pictures);
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
          plan->plan->n_tallies * sizeof (guint64), error))
      && (plan->plan->needs_previous || plan->picture_bytes == 0
      || CHECK (maps, cuMemAlloc (&slot->picture, plan->picture_bytes), error));
}

void
histo_cuda_maps_clear_slot (const HistoCudaMaps * maps,
    HistoCudaMapsSlot * slot)
{
  if (!maps->is_used)
    return;
  free_memory (maps, &slot->sums);
  free_memory (maps, &slot->picture);
  histo_pinned_free (&slot->tallies, maps->device->driver);
}

/* ---- A frame ------------------------------------------------------------------------------ */

gboolean
histo_cuda_maps_begin (HistoCudaMaps * maps, HistoCudaMapsSlot * slot,
    const HistoFrameInfo * info, CUstream stream, GError ** error)
{
  if (!maps->is_used)
    return TRUE;
  slot->current = slot->picture;
  slot->previous = 0;
  slot->n_forgotten = g_atomic_int_get (&maps->pictures.n_forgotten);
  return !maps->plan.plan->needs_previous
      || histo_pictures_begin (&maps->pictures, info->continues, stream,
      &slot->current, &slot->previous, error);
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

  return !maps->is_used || (histo_cuda_launch_maps (maps->kernels, &maps->plan,
          &frame, !maps->plan.counts_samples, stream, error)
      && (!maps->plan.plan->needs_previous
          || histo_pictures_end (&maps->pictures, stream, error)));
}

void
histo_cuda_maps_interrupt (HistoCudaMaps * maps)
{
  histo_pictures_interrupt (&maps->pictures);
}

void
histo_cuda_maps_forget (HistoCudaMaps * maps)
{
  histo_pictures_forget (&maps->pictures);
}

gboolean
histo_cuda_maps_had_previous (const HistoCudaMaps * maps,
    const HistoCudaMapsSlot * slot)
{
  return slot->previous != 0 && slot->n_forgotten
      == g_atomic_int_get (&maps->pictures.n_forgotten);
}
