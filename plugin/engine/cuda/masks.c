/* What the CUDA engine has for the mask of its plan.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/masks.h"

#include "media/pack.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

#define CHECK(masks, call, error) HISTO_DEVICE_CHECK ((masks)->device, call, error)

static gboolean
fail_without_memory (GError ** error)
{
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "No memory for the mask");
  return FALSE;
}

/* ---- What all slots share ------------------------------------------------------------- */

void
histo_cuda_masks_init (HistoCudaMasks * masks, const HistoDevice * device,
    const HistoCudaKernels * kernels, const HistoPlan * plan)
{
  *masks = (HistoCudaMasks) {
    .device = device,
    .kernels = kernels,
    .plan = plan->mask != NULL ? plan : NULL,
    .copies = plan->mask != NULL && histo_cuda_plan_copies_masked (plan),
  };
}

gboolean
histo_cuda_masks_alloc (HistoCudaMasks * masks, CUstream stream, GError ** error)
{
  const HistoPlan *plan = masks->plan;

  if (plan == NULL)
    return TRUE;
  GST_DEBUG_OBJECT (masks->device->element, "mask: %s", masks->copies ? "a copy of the frame is counted" :
      "the kernel `masked` counts samples and pixels");
  if (masks->copies)
    return TRUE;
  return (plan->alpha >= 0 || histo_device_upload (masks->device, plan->mask->pixels, (gsize) plan->mask->width * plan->mask->height,
          &masks->pixels, stream, error))
      && histo_device_upload (masks->device, plan->chroma_table, sizeof (guint32) << (2 * plan->formulas.depth),
      &masks->chroma_table, stream, error)
      && histo_device_upload (masks->device, plan->hlg,
      sizeof (guint16) * ((1u << plan->formulas.depth) + 2 * HISTO_HLG_NUMBERS), &masks->hlg, stream, error);
}

void
histo_cuda_masks_clear (HistoCudaMasks * masks)
{
  for (guint i = 0; i < G_N_ELEMENTS (masks->files); i++)
    histo_device_free (masks->device, &masks->files[i]);
  histo_device_free (masks->device, &masks->pixels);
  histo_device_free (masks->device, &masks->chroma_table);
  histo_device_free (masks->device, &masks->hlg);
  memset (masks, 0, sizeof *masks);
}

/* ---- A slot ----------------------------------------------------------------------------- */

gboolean
histo_cuda_masks_init_slot (const HistoCudaMasks * masks,
    HistoCudaMasksSlot * slot, GError ** error)
{
  const HistoPlan *plan = masks->plan;

  if (plan == NULL)
    return TRUE;
  slot->n_pixels = g_try_new (guint64, plan->n_regions);
  if (slot->n_pixels == NULL || (masks->copies && histo_packed_size (plan->format) > HISTO_CUDA_MOST_MASKED_BYTES))
    return fail_without_memory (error);
  if (masks->copies)
    return CHECK (masks, cuMemAlloc (&slot->copy, histo_packed_size (plan->format)), error);
  return CHECK (masks, cuMemAlloc (&slot->counters, plan->n_counters * sizeof (guint32)), error)
      && (plan->n_tallies == 0
      || (CHECK (masks, cuMemAlloc (&slot->tallies, plan->n_tallies * sizeof (guint64)), error)
          && histo_pinned_alloc (&slot->host_tallies, masks->device->driver, plan->n_tallies * sizeof (guint64), error)));
}

void
histo_cuda_masks_clear_slot (const HistoCudaMasks * masks,
    HistoCudaMasksSlot * slot)
{
  if (masks->plan == NULL)
    return;
  histo_device_free (masks->device, &slot->copy);
  histo_device_free (masks->device, &slot->counters);
  histo_device_free (masks->device, &slot->tallies);
  histo_pinned_free (&slot->host_tallies, masks->device->driver);
  g_clear_pointer (&slot->n_pixels, g_free);
}

/* ---- The first way: a copy of the frame ---------------------------------------------------- */

/* Uploads the mask for frames of a sort, of which this is the first one. */
static gboolean
upload_file (HistoCudaMasks * masks, const HistoMaskFrame * file, CUstream stream, GError ** error)
{
  const HistoFormat *format = masks->plan->format;
  const gsize n_bytes = histo_packed_size (format);
  CUdeviceptr *memory = &masks->files[file->number];
  g_autofree guint8 *bits = NULL;

  if (!histo_mask_is_of_bytes (format))
    return histo_device_upload (masks->device, file->bits, n_bytes, memory, stream, error);
  bits = g_try_malloc (n_bytes / 8);
  if (bits == NULL)
    return fail_without_memory (error);
  histo_mask_pack_bits (file->bits, n_bytes, bits);
  return histo_device_upload (masks->device, bits, n_bytes / 8, memory, stream, error);
}

gboolean
histo_cuda_masks_begin (HistoCudaMasks * masks, HistoCudaMasksSlot * slot,
    const HistoFrameInfo * info, CUstream stream, GError ** error)
{
  if (masks->plan == NULL)
    return TRUE;
  slot->info = *info;
  if (!masks->copies)
    return TRUE;
  slot->file = histo_masked_find_frame (masks->plan, info);
  if (slot->file == NULL)
    return masks->plan->alpha >= 0 || fail_without_memory (error);
  return masks->files[slot->file->number] != 0 || upload_file (masks, slot->file, stream, error);
}

void
histo_cuda_masks_locate (const HistoCudaMasks * masks,
    const HistoCudaMasksSlot * slot, HistoPlane * planes)
{
  if (masks->copies)
    histo_packed_locate (masks->plan->format, slot->copy, planes);
}

gboolean
histo_cuda_masks_copy (const HistoCudaMasks * masks,
    const HistoCudaMasksSlot * slot, const HistoPlane * planes,
    CUstream stream, GError ** error)
{
  HistoCudaMaskFrame frame = {.planes = planes,.copy = slot->copy };

  if (!masks->copies)
    return TRUE;
  if (slot->file != NULL)
    frame.mask = masks->files[slot->file->number];
  return histo_cuda_launch_mask (masks->kernels, masks->plan->format, masks->plan->alpha, &frame, stream, error);
}

/* ---- The second way: samples and pixels ------------------------------------------------------ */

static gboolean
copy_to_host (const HistoCudaMasks * masks, CUdeviceptr from, gpointer to, gsize size, CUstream stream, GError ** error)
{
  const CUDA_MEMCPY2D copy = {
    .srcMemoryType = CU_MEMORYTYPE_DEVICE,
    .srcDevice = from,
    .srcPitch = size,
    .dstMemoryType = CU_MEMORYTYPE_HOST,
    .dstHost = to,
    .dstPitch = size,
    .WidthInBytes = size,
    .Height = 1,
  };

  return CHECK (masks, cuMemcpy2DAsync (&copy, stream), error);
}

gboolean
histo_cuda_masks_measure (const HistoCudaMasks * masks,
    HistoCudaMasksSlot * slot, const HistoPlane * planes, guint32 * counters,
    CUstream stream, GError ** error)
{
  const HistoPlan *plan = masks->plan;
  /* Those of the regions that the frame has come first. */
  const gsize n_used = histo_plan_used_regions (plan, &slot->info);
  const gsize counters_size = plan->n_counters / plan->n_regions * n_used * sizeof (guint32);
  const gsize tallies_size = plan->n_tallies / plan->n_regions * n_used * sizeof (guint64);
  const HistoCudaMaskedFrame frame = {
    .planes = planes,
    .info = &slot->info,
    .pixels = masks->pixels,
    .chroma_table = masks->chroma_table,
    .hlg = masks->hlg,
    .counters = slot->counters,
    .tallies = slot->tallies,
  };

  return CHECK (masks, cuMemsetD8Async (slot->counters, 0, counters_size, stream), error)
      && (tallies_size == 0 || CHECK (masks, cuMemsetD8Async (slot->tallies, 0, tallies_size, stream), error))
      && histo_cuda_launch_masked (masks->kernels, plan, &frame, stream, error)
      && copy_to_host (masks, slot->counters, counters, counters_size, stream, error)
      && (tallies_size == 0 || copy_to_host (masks, slot->tallies, slot->host_tallies.host, tallies_size, stream, error));
}

/* ---- Results ---------------------------------------------------------------------------------- */

void
histo_cuda_masks_finish (const HistoCudaMasks * masks,
    HistoCudaMasksSlot * slot, HistoCounts * counts)
{
  if (masks->plan == NULL)
    return;
  if (masks->copies) {
    /* The totals of halves are of all samples. */
    histo_plan_join_halves (masks->plan, counts);
    memset (counts->halves, 0, sizeof counts->halves);
    histo_masked_finish (masks->plan, &slot->info, slot->file != NULL ? &slot->file->view : NULL, slot->file,
        slot->n_pixels, counts);
    return;
  }
  counts->tallies = slot->host_tallies.host;
  histo_masked_count_pixels (masks->plan, &slot->info, slot->n_pixels, counts);
}
