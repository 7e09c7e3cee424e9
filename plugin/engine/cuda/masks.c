/* What the CUDA engine has for the mask of its plan.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/masks.h"

#include "media/pack.h"

#define CHECK(masks, call, error) HISTO_DEVICE_CHECK ((masks)->device, call, error)

/* The kernel numbers the vectors of 16 bytes of a frame with 32 bits. */
#define MOST_BYTES ((guint64) G_MAXUINT32 * 16)

/**
 * histo_cuda_masks_suit:
 *
 * Returns: whether the engine measures what the plan asks for. It counts samples; the formulas of groups would have to leave
 *   out the pixels that take no part. With a mask of alpha it counts no subsampled chroma: a sample of alpha says whether the
 *   samples of its own pixel take part
 */
gboolean
histo_cuda_masks_suit (const HistoPlan * plan)
{
  if (plan->mask == NULL)
    return TRUE;
  return plan->groups == HISTO_GROUP_FLAG (HISTO_GROUP_BASIC) && histo_packed_size (plan->format) <= MOST_BYTES
      && (plan->alpha < 0 || histo_format_has_pixel_periods (plan->format));
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
  };
}

static void
free_memory (const HistoCudaMasks * masks, CUdeviceptr * memory)
{
  if (*memory != 0)
    CHECK (masks, cuMemFree (*memory), NULL);
  *memory = 0;
}

void
histo_cuda_masks_clear (HistoCudaMasks * masks)
{
  for (guint i = 0; i < G_N_ELEMENTS (masks->files); i++)
    free_memory (masks, &masks->files[i]);
  memset (masks, 0, sizeof *masks);
}

/* ---- A slot ----------------------------------------------------------------------------- */

static gboolean
fail_without_memory (GError ** error)
{
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "No memory for the mask");
  return FALSE;
}

gboolean
histo_cuda_masks_init_slot (const HistoCudaMasks * masks,
    HistoCudaMasksSlot * slot, GError ** error)
{
  if (masks->plan == NULL)
    return TRUE;
  slot->n_pixels = g_try_new (guint64, masks->plan->n_regions);
  if (slot->n_pixels == NULL)
    return fail_without_memory (error);
  return CHECK (masks, cuMemAlloc (&slot->copy, histo_packed_size (masks->plan->format)), error);
}

void
histo_cuda_masks_clear_slot (const HistoCudaMasks * masks,
    HistoCudaMasksSlot * slot)
{
  free_memory (masks, &slot->copy);
  g_clear_pointer (&slot->n_pixels, g_free);
}

/* ---- A frame ------------------------------------------------------------------------------ */

/* Uploads the mask for frames of a sort, of which this is the first one. */
static gboolean
upload_file (HistoCudaMasks * masks, const HistoMaskFrame * file, CUstream stream, GError ** error)
{
  const HistoFormat *format = masks->plan->format;
  const gboolean is_of_bits = histo_mask_is_of_bytes (format);
  const gsize n_bytes = histo_packed_size (format), size = is_of_bits ? n_bytes / 8 : n_bytes;
  g_autofree guint8 *bits = is_of_bits ? g_try_malloc (size) : NULL;
  CUdeviceptr *memory = &masks->files[file->number];

  if (is_of_bits && bits == NULL)
    return fail_without_memory (error);
  if (is_of_bits)
    histo_mask_pack_bits (file->bits, n_bytes, bits);
  if (CHECK (masks, cuMemAlloc (memory, size), error)
      && CHECK (masks, cuMemcpyHtoDAsync (*memory, is_of_bits ? bits : file->bits, size, stream), error)
      && CHECK (masks, cuStreamSynchronize (stream), error))
    return TRUE;
  free_memory (masks, memory);
  return FALSE;
}

gboolean
histo_cuda_masks_begin (HistoCudaMasks * masks, HistoCudaMasksSlot * slot,
    const HistoFrameInfo * info, CUstream stream, GError ** error)
{
  if (masks->plan == NULL)
    return TRUE;
  slot->info = *info;
  slot->file = histo_masked_find_frame (masks->plan, info);
  if (slot->file == NULL)
    return masks->plan->alpha >= 0 || fail_without_memory (error);
  return masks->files[slot->file->number] != 0 || upload_file (masks, slot->file, stream, error);
}

void
histo_cuda_masks_locate (const HistoCudaMasks * masks,
    const HistoCudaMasksSlot * slot, HistoPlane * planes)
{
  if (masks->plan != NULL)
    histo_packed_locate (masks->plan->format, slot->copy, planes);
}

gboolean
histo_cuda_masks_launch (const HistoCudaMasks * masks,
    const HistoCudaMasksSlot * slot, const HistoPlane * planes,
    CUstream stream, GError ** error)
{
  const HistoPlan *plan = masks->plan;
  HistoCudaMaskFrame frame = {.planes = planes,.copy = slot->copy };

  if (plan == NULL)
    return TRUE;
  if (slot->file != NULL)
    frame.mask = masks->files[slot->file->number];
  return histo_cuda_launch_mask (masks->kernels, plan->format, plan->alpha, &frame, stream, error);
}

void
histo_cuda_masks_finish (const HistoCudaMasks * masks,
    HistoCudaMasksSlot * slot, HistoCounts * counts)
{
  if (masks->plan == NULL)
    return;
  /* The totals of halves are of all samples. */
  histo_plan_join_halves (masks->plan, counts);
  memset (counts->halves, 0, sizeof counts->halves);
  histo_masked_finish (masks->plan, &slot->info, slot->file != NULL ? &slot->file->view : NULL, slot->file,
      slot->n_pixels, counts);
}
