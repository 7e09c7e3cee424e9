/* Comparing pictures on a CUDA device; see device.h.
 *
 * One pair is in flight at a time: the kernels of a pair take less time than a decoder takes for its frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "compare/device.h"

#include "engine/cuda/compare.h"
#include "engine/cuda/page-lock.h"
#include "engine/cuda/upload.h"
#include "engine/timing.h"
#include "media/pack.h"

GST_DEBUG_CATEGORY_EXTERN (cudahistocompare_debug);
#define GST_CAT_DEFAULT cudahistocompare_debug

#define CHECK(device, call, error) HISTO_DEVICE_CHECK (&(device)->device, call, error)

/* The thread polls up to so long for the end of a pair, in us: to fall asleep and be woken takes as long as a pair. */
#define MAX_POLL 150

/* A picture on the device. Zeroed at first. */
typedef struct
{
  HistoComparedPicture picture; /* with buffer: the device has it */
  HistoUpload upload;
  HistoFormat *upload_format;   /* (nullable): for which there is room */
  HistoPlane planes[HISTO_MAX_PLANES];  /* in memory that the device reads */
  CUdeviceptr extracted;
  gsize extracted_bytes;        /* for which there is room */
  guint plan;                   /* number of the plan for which the picture has been extracted; 0: none */
} Side;

struct _HistoCompareDevice
{
  HistoDevice device;
  HistoPageLocks *page_locks;   /* off */
  HistoUploadLog upload_log;
  const HistoCudaKernels *kernels;      /* shared; NULL: not open */
  CUstream stream;
  CUevent end;                  /* of a pair, for a thread that polls */
  CUevent alarm;                /* the same, for a thread that sleeps */
  CUevent timed[2];
  CUevent produced;             /* on a stream that fills a buffer */

  Side picture, references[1 + HISTO_COMPARE_HISTORY];
  HistoFormat *formats[2];      /* of the plan; (nullable) */
  HistoCudaComparePlan plan;
  guint n_plans;                /* so far: the number of this one */
  HistoCudaCompareFrame frame;
  HistoPinned result;
  gsize result_bytes;

  HistoTiming launches;
  GMutex lock;                  /* of the rest */
  guint64 gpu_time;             /* ns */
};

HistoCompareDevice *
histo_compare_device_new (void)
{
  HistoCompareDevice *device = g_new0 (HistoCompareDevice, 1);

  device->page_locks = histo_page_locks_new ();
  histo_cuda_compare_frame_init (&device->frame);
  g_mutex_init (&device->lock);
  return device;
}

/* ---- The context ------------------------------------------------------------------------------------ */

void
histo_compare_device_set_context (HistoCompareDevice * device, GstElement * element, gint device_id,
    GstContext * context)
{
  gst_cuda_handle_set_context (element, context, device_id, &device->device.context);
}

gboolean
histo_compare_device_answer_context_query (HistoCompareDevice * device, GstElement * element, GstQuery * query)
{
  return gst_cuda_handle_context_query (element, query, device->device.context);
}

void
histo_compare_device_prefer (HistoCompareDevice * device, GstBuffer * buffer)
{
  if (histo_is_cuda_buffer (buffer))
    gst_object_replace ((GstObject **) & device->device.context, GST_OBJECT_CAST (histo_context_of (buffer, 0)));
}

static void
side_init (HistoCompareDevice * device, Side * side)
{
  side->upload.device = &device->device;
  side->upload.limits = &device->kernels->limits;
  side->upload.page_locks = device->page_locks;
  side->upload.log = &device->upload_log;
}

/* The context is current, or has failed: then the driver frees nothing. */
static void
side_clear (HistoCompareDevice * device, Side * side)
{
  histo_compared_picture_clear (&side->picture);
  if (side->upload.device != NULL)
    histo_upload_clear (&side->upload);
  g_clear_pointer (&side->upload_format, histo_format_unref);
  histo_device_free (&device->device, &side->extracted);
  memset (side, 0, sizeof *side);
}

/* All pictures: number 0 is that which is tested. */
static Side *
side_of (HistoCompareDevice * device, guint i)
{
  return i == 0 ? &device->picture : &device->references[i - 1];
}

#define N_SIDES (2 + HISTO_COMPARE_HISTORY)

static CUevent *
event_of (HistoCompareDevice * device, guint i)
{
  CUevent *const events[] = { &device->end, &device->alarm, &device->produced, &device->timed[0], &device->timed[1] };

  return events[i];
}

#define N_EVENTS 5

static void
clear_formats (HistoCompareDevice * device)
{
  for (guint p = 0; p < 2; p++)
    g_clear_pointer (&device->formats[p], histo_format_unref);
}

/* Frees all that the device has in its context, and gives it up. */
static void
leave_context (HistoCompareDevice * device)
{
  if (device->kernels != NULL) {
    const gboolean pushed = histo_device_push (&device->device, NULL);

    for (guint i = 0; i < N_SIDES; i++)
      side_clear (device, side_of (device, i));
    clear_formats (device);
    histo_pinned_free (&device->result, device->device.driver);
    device->result_bytes = 0;
    for (guint i = 0; i < N_EVENTS; i++)
      if (*event_of (device, i) != NULL)
        CHECK (device, cuEventDestroy (*event_of (device, i)), NULL);
    for (guint i = 0; i < N_EVENTS; i++)
      *event_of (device, i) = NULL;
    if (device->stream != NULL)
      CHECK (device, cuStreamDestroy (device->stream), NULL);
    device->stream = NULL;
    histo_cuda_kernels_release (device->kernels);
    device->kernels = NULL;
    if (pushed)
      histo_device_pop ();
  }
  gst_clear_object (&device->device.context);
}

static gboolean
create_stream (HistoCompareDevice * device, GError ** error)
{
  gint priority;

  /* Frames wait for the result. */
  return histo_device_find_priority (&device->device, TRUE, &priority, error)
      && CHECK (device, cuStreamCreateWithPriority (&device->stream, CU_STREAM_NON_BLOCKING, priority), error)
      && CHECK (device, cuEventCreate (&device->end, CU_EVENT_DISABLE_TIMING), error)
      && CHECK (device, cuEventCreate (&device->alarm, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING), error)
      && CHECK (device, cuEventCreate (&device->produced, CU_EVENT_DISABLE_TIMING), error)
      && CHECK (device, cuEventCreate (&device->timed[0], CU_EVENT_DEFAULT), error)
      && CHECK (device, cuEventCreate (&device->timed[1], CU_EVENT_DEFAULT), error);
}

/* Loads the kernels into the device's context, and makes all that is the same for all formats. */
static gboolean
enter_context (HistoCompareDevice * device, GError ** error)
{
  gboolean ok;

  if (!histo_device_push (&device->device, error))
    return FALSE;
  device->kernels = histo_cuda_kernels_share (device->device.driver, error);
  ok = device->kernels != NULL && create_stream (device, error);
  histo_device_pop ();
  if (!ok)
    leave_context (device);
  return ok;
}

gboolean
histo_compare_device_open (HistoCompareDevice * device, GstElement * element, gint device_id, GError ** error)
{
  return histo_device_open (&device->device, element, device_id, error) && enter_context (device, error);
}

gboolean
histo_compare_device_must_follow (HistoCompareDevice * device, GstBuffer * buffer)
{
  return histo_is_cuda_buffer (buffer) && (device->kernels == NULL
      || !histo_is_same_context (histo_context_of (buffer, 0), device->device.context));
}

gboolean
histo_compare_device_follow (HistoCompareDevice * device, GstBuffer * buffer, gint device_id, GError ** error)
{
  GstCudaContext *context = histo_context_of (buffer, 0);
  const guint number = histo_device_id_of (context);

  if (device_id >= 0 && number != (guint) device_id) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "The buffers lie on CUDA device %u, but cuda-device-id is %d", number, device_id);
    return FALSE;
  }
  GST_INFO_OBJECT (device->device.element, "follows the buffers from %" GST_PTR_FORMAT " to %" GST_PTR_FORMAT,
      device->device.context, context);
  leave_context (device);
  device->device.context = gst_object_ref (context);
  return enter_context (device, error);
}

void
histo_compare_device_free (HistoCompareDevice * device)
{
  if (device == NULL)
    return;
  leave_context (device);
  histo_page_locks_unref (device->page_locks);
  histo_cuda_compare_frame_clear (&device->frame);
  g_mutex_clear (&device->lock);
  g_free (device);
}

/* ---- Pictures --------------------------------------------------------------------------------------- */

void
histo_compare_device_forget (HistoCompareDevice * device)
{
  for (guint i = 0; i < N_SIDES; i++)
    histo_compared_picture_unmap (&side_of (device, i)->picture);
}

/* Puts a picture where the kernels read it, in the order of the stream. The context is current. */
static gboolean
bring (HistoCompareDevice * device, Side * side, GstBuffer * buffer, GstCaps * caps, GError ** error)
{
  HistoComparedPicture *picture = &side->picture;
  HistoLayout *layout = &picture->layout;
  gboolean is_on_device, is_in_place, ok;
  HistoFormat *format;
  GstBuffer *source;

  if (picture->buffer == buffer)
    return TRUE;
  if (side->upload.device == NULL)
    side_init (device, side);
  if (!histo_compared_picture_set_caps (picture, caps, error))
    return FALSE;
  source = histo_compared_picture_locate (picture, buffer, error);
  if (source == NULL)
    return FALSE;
  format = picture->format;
  if (side->upload_format != format) {
    histo_upload_clear (&side->upload);
    g_clear_pointer (&side->upload_format, histo_format_unref);
    side->upload_format = histo_format_ref (format);
  }
  side->plan = 0;
  is_on_device = !format->needs_unpack && histo_is_in_one_context (source)
      && histo_is_same_context (histo_context_of (source, 0), device->device.context);
  if (!histo_layout_map (layout, format, source, is_on_device ? GST_MAP_READ | GST_MAP_CUDA : GST_MAP_READ, error)) {
    gst_clear_buffer (&picture->view);
    return FALSE;
  }
  if (is_on_device)
    ok = histo_device_wait_for_producer (&device->device, source, device->stream, device->produced, error);
  else
    ok = histo_upload_video (&side->upload, format, layout, source, device->stream, &is_in_place, error);
  picture->buffer = gst_buffer_ref (buffer);
  memcpy (side->planes, layout->planes, sizeof side->planes);
  if (!ok) {
    /* The device may still read the buffer. */
    CHECK (device, cuStreamSynchronize (device->stream), NULL);
    histo_compared_picture_unmap (picture);
  }
  return ok;
}

/* Whether one of the pair's frames is in this picture. */
static gboolean
is_in_use (const Side * side, const HistoComparedPair * pair)
{
  gboolean is_one = FALSE;

  for (guint i = 0; i < 1 + HISTO_COMPARE_HISTORY && side->picture.buffer != NULL; i++)
    is_one |= side->picture.buffer == histo_compared_pair_frame (pair, i);
  return is_one;
}

/* Brings frame @i of the reference. It stays for the next pair, whose history it is.
 * Returns: (nullable): NULL with an error */
static Side *
bring_reference (HistoCompareDevice * device, const HistoComparedPair * pair, guint i, GError ** error)
{
  GstBuffer *buffer = histo_compared_pair_frame (pair, i);
  Side *side = NULL;

  for (guint k = 0; k < 1 + HISTO_COMPARE_HISTORY; k++)
    if (device->references[k].picture.buffer == buffer)
      side = &device->references[k];
  for (guint k = 0; k < 1 + HISTO_COMPARE_HISTORY && side == NULL; k++)
    if (!is_in_use (&device->references[k], pair))
      side = &device->references[k];
  return bring (device, side, buffer, pair->reference_caps, error) ? side : NULL;
}

/* Plans how pictures of both formats are compared, when one of them has changed. */
static gboolean
plan (HistoCompareDevice * device, HistoFormat * picture, HistoFormat * reference, GError ** error)
{
  HistoFormat *const formats[] = { picture, reference };

  if (device->formats[0] == picture && device->formats[1] == reference)
    return TRUE;
  clear_formats (device);
  if (!histo_cuda_compare_plan (&device->kernels->limits, picture, reference, &device->plan, error))
    return FALSE;
  device->n_plans++;
  for (guint p = 0; p < 2; p++)
    device->formats[p] = histo_format_ref (formats[p]);
  GST_DEBUG_OBJECT (device->device.element, "compares %s%s with %s%s", histo_format_name (picture),
      device->plan.is_extracted[0] ? " (extracted planes)" : "", histo_format_name (reference),
      device->plan.is_extracted[1] ? " (extracted planes)" : "");
  return TRUE;
}

/* Writes the planes of a picture that the kernels cannot read. @number: 0, or 1: of the reference */
static gboolean
extract (HistoCompareDevice * device, Side * side, guint number, GError ** error)
{
  const gsize bytes = device->plan.extracted_bytes;

  if (!device->plan.is_extracted[number] || side->plan == device->n_plans)
    return TRUE;
  if (side->extracted_bytes < bytes) {
    histo_device_free (&device->device, &side->extracted);
    side->extracted_bytes = 0;
    if (!CHECK (device, cuMemAlloc (&side->extracted, bytes), error))
      return FALSE;
    side->extracted_bytes = bytes;
  }
  if (!histo_cuda_compare_extract (device->kernels, &device->plan, number, side->planes, side->extracted,
          device->stream, error))
    return FALSE;
  side->plan = device->n_plans;
  return TRUE;
}

/* ---- A pair ----------------------------------------------------------------------------------------- */

/* Waits until the device is done with the pair. Work that failed is done, too. */
static gboolean
wait_for_end (HistoCompareDevice * device, GError ** error)
{
  const gint64 give_up = g_get_monotonic_time () + MAX_POLL;

  do {
    const CUresult result = device->device.driver->cuEventQuery (device->end);

    if (result != CUDA_ERROR_NOT_READY)
      return histo_driver_check (device->device.driver, result, "cuEventQuery", error);
  } while (g_get_monotonic_time () < give_up);
  /* The alarm interrupts the processor even if no thread waits for it. So it is recorded only now. */
  return CHECK (device, cuEventRecord (device->alarm, device->stream), error)
      && CHECK (device, cuEventSynchronize (device->alarm), error);
}

/* Makes room for what the launches leave. */
static gboolean
find_room (HistoCompareDevice * device, gsize bytes, GError ** error)
{
  if (device->result_bytes >= bytes)
    return TRUE;
  histo_pinned_free (&device->result, device->device.driver);
  device->result_bytes = 0;
  if (!histo_pinned_alloc (&device->result, device->device.driver, bytes, error))
    return FALSE;
  device->result_bytes = bytes;
  return TRUE;
}

/* What is measured of a pair. */
typedef struct
{
  HistoCompared *compared;
  HistoCompareRectangle *rectangles;    /* of each component of each region */
  Side *reference, *before[HISTO_COMPARE_HISTORY];      /* before: (nullable) */
  gboolean is_fast;             /* see HistoComparedHistory */
  gsize *blocks;                /* XPSNR: where the blocks of each region lie in the result, bytes */
} Work;

static HistoCudaPicture
picture_of (const Side * side)
{
  return side != NULL ? (HistoCudaPicture) { side->planes, side->extracted } : (HistoCudaPicture) { NULL, 0 };
}

static gboolean
has_xpsnr (const Work * work)
{
  return HISTO_COMPARES (work->compared->measures, XPSNR) && histo_compared_has_xpsnr (work->compared->format);
}

/* Whether there are samples of all components. */
static gboolean
is_empty (const Work * work, guint r)
{
  gboolean empty = FALSE;

  for (guint c = 0; c < work->compared->format->n_components; c++)
    empty |= work->rectangles[r * work->compared->format->n_components + c].width == 0;
  return empty;
}

/* Finds places for the blocks of XPSNR behind @bytes bytes. Returns: the bytes of both */
static gsize
place_blocks (const Work * work, gsize bytes)
{
  for (guint r = 0; has_xpsnr (work) && r < work->compared->n_regions; r++) {
    const HistoXpsnrGrid grid = histo_compared_grid (work->compared, r);

    work->blocks[r] = bytes;
    bytes += (gsize) grid.columns * grid.rows * sizeof (HistoXpsnrBlock);
  }
  return bytes;
}

static gboolean
launch_xpsnr (HistoCompareDevice * device, const Work * work, const HistoCudaPicture pictures[2], GError ** error)
{
  const HistoCompared *compared = work->compared;
  const HistoCudaPicture before[] = { picture_of (work->before[0]), picture_of (work->before[1]) };
  gboolean ok = TRUE;

  for (guint r = 0; has_xpsnr (work) && r < compared->n_regions && ok; r++) {
    const HistoXpsnrGrid grid = histo_compared_grid (compared, r);

    ok = is_empty (work, r) || histo_cuda_compare_launch_xpsnr (device->kernels, &device->plan, pictures, before,
        &work->rectangles[r * compared->format->n_components], &grid, histo_compared_leading (compared->format),
        work->is_fast, device->result.device + work->blocks[r], device->stream, error);
  }
  return ok;
}

/* Launches all kernels of a pair. */
static gboolean
launch_all (HistoCompareDevice * device, const Work * work, GError ** error)
{
  const HistoCompared *compared = work->compared;
  HistoCudaPicture pictures[2];

  if (!extract (device, &device->picture, 0, error) || !extract (device, work->reference, 1, error))
    return FALSE;
  for (guint i = 0; i < HISTO_COMPARE_HISTORY && work->before[i] != NULL; i++)
    if (!extract (device, work->before[i], 1, error))
      return FALSE;
  pictures[0] = picture_of (&device->picture);
  pictures[1] = picture_of (work->reference);
  histo_cuda_compare_plan_frame (&device->plan, pictures, work->rectangles, compared->n_regions,
      HISTO_COMPARES (compared->measures, SSIM), &device->frame);
  return find_room (device, place_blocks (work, histo_cuda_compare_result_bytes (&device->frame)), error)
      && histo_cuda_compare_launch (device->kernels, &device->plan, &device->frame, device->result.device,
      device->stream, error)
      && launch_xpsnr (device, work, pictures, error);
}

/* Launches all kernels and waits for them. */
static gboolean
launch (HistoCompareDevice * device, const Work * work, GError ** error)
{
  const guint weight = histo_timing_next (&device->launches);
  gfloat milliseconds = 0;

  if ((weight > 0 && !CHECK (device, cuEventRecord (device->timed[0], device->stream), error))
      || !launch_all (device, work, error)
      || (weight > 0 && !CHECK (device, cuEventRecord (device->timed[1], device->stream), error))
      || !CHECK (device, cuEventRecord (device->end, device->stream), error) || !wait_for_end (device, error)
      || (weight > 0 && !CHECK (device, cuEventElapsedTime (&milliseconds, device->timed[0], device->timed[1]), error)))
    return FALSE;
  g_mutex_lock (&device->lock);
  device->gpu_time += (guint64) (milliseconds * 1e6) * weight;
  g_mutex_unlock (&device->lock);
  return TRUE;
}

/* The windows of a rectangle. */
static guint64
count_windows (const HistoCompareRectangle * rectangle)
{
  const guint columns = rectangle->width / HISTO_COMPARE_BLOCK, rows = rectangle->height / HISTO_COMPARE_BLOCK;

  return columns > 1 && rows > 1 ? (guint64) (columns - 1) * (rows - 1) : 0;
}

static HistoComparisonCounts
find_counts (const HistoCompareRectangle * rectangle, const HistoCompareSums * sums, gboolean has_ssim)
{
  HistoComparisonCounts counts = {
    .count = (guint64) rectangle->width * rectangle->height,
    .different = sums->different,
    .sse = sums->sse,
    .max_difference = sums->max_difference,
  };

  if (sums->different > 0) {
    counts.first_x = rectangle->x + rectangle->width - sums->before_x;
    counts.first_y = rectangle->y + rectangle->height - sums->before_y;
    counts.after_x = rectangle->x + sums->after_x;
    counts.after_y = rectangle->y + sums->after_y;
  }
  if (has_ssim) {
    counts.ssim = (gdouble) (gint64) sums->ssim / (gdouble) (G_GUINT64_CONSTANT (1) << HISTO_COMPARE_SSIM_SHIFT);
    counts.n_windows = count_windows (rectangle);
  }
  return counts;
}

/* Fills in what the launches have left. */
static void
fill (HistoCompareDevice * device, const Work * work)
{
  HistoCompared *compared = work->compared;
  const guint n_components = compared->format->n_components, n = compared->n_regions * n_components;
  g_autofree HistoCompareSums *sums = g_new0 (HistoCompareSums, n);

  histo_cuda_compare_join (&device->frame, device->result.host, sums);
  for (guint i = 0; i < n; i++)
    compared->counts[i / n_components][i % n_components] = find_counts (&work->rectangles[i], &sums[i],
        HISTO_COMPARES (compared->measures, SSIM));
  for (guint r = 0; has_xpsnr (work) && r < compared->n_regions; r++)
    if (!is_empty (work, r))
      histo_compared_weigh (compared, r,
          (const HistoXpsnrBlock *) ((const guint8 *) device->result.host + work->blocks[r]));
  compared->n_pairs = 1;
}

static gboolean
measure (HistoCompareDevice * device, Work * work, GError ** error)
{
  const HistoCompared *compared = work->compared;
  const guint n_components = compared->format->n_components, n = compared->n_regions * n_components;
  g_autofree HistoCompareRectangle *rectangles = g_new (HistoCompareRectangle, n);
  g_autofree gsize *blocks = g_new0 (gsize, compared->n_regions);

  for (guint i = 0; i < n; i++) {
    const HistoBlocksPart part = histo_compared_part (compared, i / n_components, i % n_components, FALSE);

    rectangles[i] = (HistoCompareRectangle) { part.x, part.y, part.width, part.height };
  }
  work->rectangles = rectangles;
  work->blocks = blocks;
  if (!launch (device, work, error))
    return FALSE;
  fill (device, work);
  return TRUE;
}

/* Brings the pictures before that of the reference. A frame that cannot be read is none, and so is one whose picture has
 * another size, because it has another crop meta. */
static void
find_history (HistoCompareDevice * device, const HistoComparedPair * pair, Work * work)
{
  const HistoComparedPicture *picture = &work->reference->picture;

  work->is_fast = histo_compared_picture_rate (picture) >= HISTO_XPSNR_HIGH_RATE;
  for (guint i = 0; i < HISTO_COMPARE_HISTORY && histo_compared_pair_frame (pair, 1 + i) != NULL; i++) {
    Side *before = bring_reference (device, pair, 1 + i, NULL);

    if (before == NULL || !histo_compared_picture_is_like (&before->picture, picture, NULL))
      break;
    work->before[i] = before;
  }
}

gboolean
histo_compare_device_count (HistoCompareDevice * device, const HistoComparedPair * pair, HistoCompared * compared,
    GError ** error)
{
  const HistoComparedPicture *picture = &device->picture.picture;
  Work work = {.compared = compared };
  gboolean ok;

  if (device->kernels == NULL) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, "The CUDA device has failed");
    return FALSE;
  }
  if (!histo_device_push (&device->device, error))
    return FALSE;
  work.reference = bring_reference (device, pair, 0, error);
  ok = work.reference != NULL && bring (device, &device->picture, pair->buffer, pair->caps, error)
      && histo_compared_picture_is_like (picture, &work.reference->picture, error)
      && plan (device, picture->format, work.reference->picture.format, error);
  if (ok) {
    histo_compared_begin (compared, pair->measures, picture->format, work.reference->picture.format, pair->regions);
    if (has_xpsnr (&work))
      find_history (device, pair, &work);
    ok = measure (device, &work, error);
    if (!ok)
      histo_compared_clear (compared);
  }
  /* The device may still read the buffers. */
  if (!ok)
    CHECK (device, cuStreamSynchronize (device->stream), NULL);
  histo_compared_picture_unmap (&device->picture.picture);
  if (!ok || !HISTO_COMPARES (pair->measures, XPSNR))
    histo_compare_device_forget (device);
  histo_device_pop ();
  return ok;
}

guint64
histo_compare_device_time (HistoCompareDevice * device)
{
  guint64 gpu_time;

  g_mutex_lock (&device->lock);
  gpu_time = device->gpu_time;
  g_mutex_unlock (&device->lock);
  return gpu_time;
}
