/* From the host's memory to where the kernel reads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/upload.h"

#include "media/pack.h"

HistoUploadSettings histo_upload_settings = {
  .in_place_limit = 64 * 1024,
  .piece = 2 * 1024 * 1024,
};

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

/* Bytes: the alignment of the kernels' widest loads. */
#define LOAD_ALIGNMENT 16

#define CHECK(upload, call, error) HISTO_DEVICE_CHECK ((upload)->device, call, error)

gboolean
histo_upload_is_small (gsize size)
{
  return size <= histo_upload_settings.in_place_limit;
}

/* An integrated device would copy from one place of the host's memory to another. */
gboolean
histo_upload_is_in_place (const HistoUpload * upload, gsize size)
{
  return upload->limits->is_integrated || histo_upload_is_small (size);
}

/* Bytes of device memory for a frame of @size packed bytes. A frame that is sent with its padding
 * needs more than the packed size: an eighth more holds rows of 1920 bytes at a stride of 2048. */
static gsize
input_size (gsize size)
{
  return size + size / 8 + 2 * LOAD_ALIGNMENT;
}

gboolean
histo_upload_resize (HistoUpload * upload, gsize size, GError ** error)
{
  histo_upload_clear (upload);
  if (!histo_pinned_alloc (&upload->staging, upload->device->driver, size, error)
      || (!upload->limits->is_integrated
          && !CHECK (upload, cuMemAlloc (&upload->input, input_size (size)),
              error)))
    return FALSE;
  upload->size = size;
  return TRUE;
}

void
histo_upload_clear (HistoUpload * upload)
{
  histo_pinned_free (&upload->staging, upload->device->driver);
  histo_device_free (upload->device, &upload->input);
  upload->size = 0;
}

static gboolean
send (HistoUpload * upload, gsize to, const void *from, gsize size,
    CUstream stream, GError ** error)
{
  return size == 0 || CHECK (upload, cuMemcpyHtoDAsync (upload->input + to, from,
          size, stream), error);
}

/* ---- The log ------------------------------------------------------------------------- */

/* A route that alternates would fill the log: after so many changes only level 6 reports them. */
#define MAX_LOGGED_CHANGES 100

void
histo_upload_log_route (const HistoUpload * upload, const gchar * route,
    const gchar * why)
{
  const gchar *key = why != NULL ? why : route;
  GstDebugLevel level = GST_LEVEL_LOG;

  if (g_atomic_pointer_get (&upload->log->key) == key)
    return;
  g_atomic_pointer_set (&upload->log->key, (gpointer) key);
  if (g_atomic_int_get (&upload->log->n_changes) < MAX_LOGGED_CHANGES) {
    g_atomic_int_inc (&upload->log->n_changes);
    level = GST_LEVEL_DEBUG;
  }
  GST_CAT_LEVEL_LOG (GST_CAT_DEFAULT, level, upload->device->element,
      "upload route: %s%s%s", route, why != NULL ? ", because " : "",
      why != NULL ? why : "");
}

/* ---- Frames in page-locked memory ---------------------------------------------------- */

/* Whether the device can read the frame where it is. A frame so small that the kernel would read
 * it from staging memory is not worth page-locking. @why_not: (out): if not, a static string */
static gboolean
is_page_locked (HistoUpload * upload, GstBuffer * buffer, guint64 begin,
    guint64 end, const gchar ** why_not)
{
  if (histo_is_pinned (buffer, begin, end))
    return TRUE;
  if (!histo_upload_is_small (end - begin))
    return histo_is_registered (buffer, begin, end, upload->device,
        upload->page_locks, why_not);
  *why_not = "the frame is small";
  return FALSE;
}

static gboolean
has_samples (const HistoPlane * plane)
{
  return plane->rows > 0 && plane->periods > 0;
}

/* The lowest address of the plane. Its stride may be negative. */
static guint64
lowest_byte (const HistoPlane * plane)
{
  return plane->stride < 0 ?
      plane->data + (gint64) (plane->rows - 1) * plane->stride : plane->data;
}

/* The addresses from *begin to before *end hold all planes and the padding between them. */
static void
find_extent (const HistoLayout * layout, guint64 * begin, guint64 * end)
{
  *begin = G_MAXUINT64;
  *end = 0;
  for (guint p = 0; p < layout->n_planes; p++) {
    const HistoPlane *plane = &layout->planes[p];
    guint64 first, last;

    if (!has_samples (plane))
      continue;
    first = lowest_byte (plane);
    last = first + histo_plane_extent (plane);
    *begin = MIN (*begin, first);
    *end = MAX (*end, last);
  }
  *begin = MIN (*begin, *end);
}

static void
move_planes (HistoLayout * layout, guint64 from, guint64 to)
{
  for (guint p = 0; p < layout->n_planes; p++) {
    if (has_samples (&layout->planes[p]))
      layout->planes[p].data += to - from;
  }
}

/* Whether an integrated device reads the host's memory by the host's page tables, and all of the
 * buffer is system memory. Other memory may have been mapped in a way that the device cannot
 * follow. */
static gboolean
is_shared_with_device (const HistoUpload * upload, GstBuffer * buffer)
{
  if (!upload->limits->is_integrated || !upload->limits->uses_host_page_tables)
    return FALSE;
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    if (!gst_memory_is_type (gst_buffer_peek_memory (buffer, i),
            GST_ALLOCATOR_SYSMEM))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_in_place (HistoUpload * upload, HistoLayout * layout, guint64 begin,
    GError ** error)
{
  CUdeviceptr device;

  histo_upload_log_route (upload,
      "the kernel reads the buffer's page-locked memory", NULL);
  if (!CHECK (upload, cuMemHostGetDevicePointer (&device,
              (void *) (guintptr) begin, 0), error))
    return FALSE;
  move_planes (layout, begin, device);
  return TRUE;
}

/* Sends the frame with its padding: in one copy, and with the alignment that its rows have. */
static gboolean
send_as_it_lies (HistoUpload * upload, HistoLayout * layout, guint64 begin,
    guint64 end, CUstream stream, GError ** error)
{
  gsize to = begin % LOAD_ALIGNMENT;

  histo_upload_log_route (upload,
      "the device copies the buffer's page-locked memory, with its padding",
      NULL);
  move_planes (layout, begin, upload->input + to);
  return send (upload, to, (const void *) (guintptr) begin, end - begin, stream,
      error);
}

/* Whether no two rows of a plane share bytes, as a copy by rows requires. */
static gboolean
rows_are_apart (const HistoLayout * layout)
{
  for (guint p = 0; p < layout->n_planes; p++) {
    const HistoPlane *plane = &layout->planes[p];

    if (has_samples (plane) && (gsize) ABS (plane->stride)
        < histo_plane_row_bytes (plane))
      return FALSE;
  }
  return TRUE;
}

static gboolean
send_plane (HistoUpload * upload, HistoPlane * plane, HistoPlane to,
    CUstream stream, GError ** error)
{
  const CUDA_MEMCPY2D copy = {
    .srcMemoryType = CU_MEMORYTYPE_HOST,
    .srcHost = (const void *) (guintptr) lowest_byte (plane),
    .srcPitch = ABS (plane->stride),
    .dstMemoryType = CU_MEMORYTYPE_DEVICE,
    .dstDevice = to.data,
    .dstPitch = to.stride,
    .WidthInBytes = histo_plane_row_bytes (plane),
    .Height = plane->rows,
  };

  if (plane->stride < 0) {
    to.data += (to.rows - 1) * to.stride;
    to.stride = -to.stride;
  }
  *plane = to;
  return CHECK (upload, cuMemcpy2DAsync (&copy, stream), error);
}

/* Sends the frame without its padding: in one copy for each plane. */
static gboolean
send_rows (HistoUpload * upload, const HistoFormat * format,
    HistoLayout * layout, CUstream stream, GError ** error)
{
  HistoPlane packed[HISTO_MAX_PLANES];

  histo_upload_log_route (upload,
      "the device copies the rows of the buffer's page-locked memory", NULL);
  histo_packed_locate (format, upload->input, packed);
  for (guint p = 0; p < layout->n_planes; p++) {
    if (has_samples (&layout->planes[p])
        && !send_plane (upload, &layout->planes[p], packed[p], stream, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- Other frames -------------------------------------------------------------------- */

static void
log_staged (HistoUpload * upload, gboolean in_place, const gchar * why)
{
  histo_upload_log_route (upload, in_place ?
      "the host copies the buffer to page-locked memory, which the kernel reads" :
      "the host copies the buffer to page-locked memory, which the device copies",
      why);
}

/* Copies the frame to staging memory, without its padding, and sends each piece of it while the
 * next one is copied. The kernel reads a small frame from the staging memory itself.
 * @why: a static string: why the device does not read the buffer's own memory */
static gboolean
stage_and_send (HistoUpload * upload, const HistoFormat * format,
    HistoLayout * layout, const gchar * why, CUstream stream, GError ** error)
{
  const gsize size = histo_packed_size (format);
  const gboolean in_place = histo_upload_is_in_place (upload, size);
  const gsize piece = in_place ? G_MAXSIZE : histo_upload_settings.piece;
  HistoPackPosition position = { 0, };
  gboolean ok = TRUE;

  log_staged (upload, in_place, why);
  while (ok && position.bytes < size) {
    gsize begin = position.bytes;

    histo_pack_some (format, layout, upload->staging.host, &position, piece);
    if (!in_place)
      ok = send (upload, begin, (guint8 *) upload->staging.host + begin,
          position.bytes - begin, stream, error);
  }
  histo_layout_unmap (layout, format);
  layout->n_planes = format->n_planes;
  histo_packed_locate (format, in_place ? upload->staging.device :
      upload->input, layout->planes);
  return ok;
}

/* Whether the frame fits the device memory with its padding. */
static gboolean
fits_as_it_lies (const HistoUpload * upload, guint64 begin, guint64 end)
{
  return end - begin + LOAD_ALIGNMENT <= input_size (upload->size);
}

/* Whether the device can read the buffer's own memory.
 * @begin, @end: (out): the addresses from and to which it reads
 * @why_not: (out): if not, a static string */
static gboolean
can_read_buffer (HistoUpload * upload, const HistoFormat * format,
    const HistoLayout * layout, GstBuffer * buffer, guint64 * begin,
    guint64 * end, const gchar ** why_not)
{
  if (format->needs_unpack) {
    *why_not = "the host unpacks the format";
    return FALSE;
  }
  find_extent (layout, begin, end);
  if (!is_page_locked (upload, buffer, *begin, *end, why_not))
    return FALSE;
  if (histo_upload_is_in_place (upload, *end - *begin)
      || fits_as_it_lies (upload, *begin, *end) || rows_are_apart (layout))
    return TRUE;
  *why_not = "rows of the frame overlap";
  return FALSE;
}

gboolean
histo_upload_video (HistoUpload * upload, const HistoFormat * format,
    HistoLayout * layout, GstBuffer * buffer, CUstream stream,
    gboolean * is_read_in_place, GError ** error)
{
  const gchar *why_not = NULL;
  guint64 begin, end;

  *is_read_in_place = FALSE;
  if (upload->staging.host == NULL
      && !histo_upload_resize (upload, histo_pack_room (format), error))
    return FALSE;
  if (!format->needs_unpack && is_shared_with_device (upload, buffer)) {
    *is_read_in_place = TRUE;
    histo_upload_log_route (upload,
        "the kernel reads the buffer's system memory", NULL);
    return TRUE;
  }
  if (!can_read_buffer (upload, format, layout, buffer, &begin, &end,
          &why_not)) {
    *is_read_in_place =
        histo_upload_is_in_place (upload, histo_packed_size (format));
    return stage_and_send (upload, format, layout, why_not, stream, error);
  }
  *is_read_in_place = histo_upload_is_in_place (upload, end - begin);
  if (*is_read_in_place)
    return begin == end || read_in_place (upload, layout, begin, error);
  if (fits_as_it_lies (upload, begin, end))
    return send_as_it_lies (upload, layout, begin, end, stream, error);
  return send_rows (upload, format, layout, stream, error);
}

/* ---- Audio --------------------------------------------------------------------------- */

#define AUDIO_MIN_SIZE (64 * 1024)

static gboolean
is_interleaved (const HistoFormat * format)
{
  return GST_AUDIO_INFO_LAYOUT (&format->audio) == GST_AUDIO_LAYOUT_INTERLEAVED;
}

static gsize
align (gsize size)
{
  return (size + LOAD_ALIGNMENT - 1) & ~(gsize) (LOAD_ALIGNMENT - 1);
}

/* Bytes from one channel to the next in staging memory. Planar channels begin where the kernel
 * can load vectors, whatever their length. */
static gsize
staged_channel_stride (const HistoFormat * format, guint64 n_samples)
{
  const gsize bytes = format->sample.bytes;

  return is_interleaved (format) ? bytes : align (bytes * n_samples);
}

gsize
histo_upload_audio_size (const HistoFormat * format, guint64 n_samples)
{
  const gsize of_channel = is_interleaved (format) ?
      n_samples * format->sample.bytes :
      staged_channel_stride (format, n_samples);

  /* An empty buffer has an address of its own, too. */
  return MAX (align (of_channel * format->n_components), LOAD_ALIGNMENT);
}

gboolean
histo_upload_reserve_audio (HistoUpload * upload, gsize size, GError ** error)
{
  /* The caps do not give the size of audio buffers. Memory for twice the present size, and at
   * least 64 KiB, has to grow a few times at most. */
  return (size <= upload->size && upload->staging.host != NULL)
      || histo_upload_resize (upload, MAX (2 * size, AUDIO_MIN_SIZE), error);
}

void
histo_upload_describe_audio (const HistoFormat * format, guint64 n_samples,
    HistoAudioBuffer * buffer)
{
  buffer->n_samples = n_samples;
  buffer->channel_stride = staged_channel_stride (format, n_samples);
}

void
histo_upload_stage_audio (HistoUpload * upload, gsize at,
    const HistoFormat * format, const HistoAudioLayout * layout,
    HistoAudioBuffer * buffer)
{
  const gsize channel_bytes = layout->n_samples * format->sample.bytes;
  guint8 *staging = (guint8 *) upload->staging.host + at;

  buffer->data = at;
  if (channel_bytes == 0)
    return;
  if (is_interleaved (format)) {
    memcpy (staging, layout->data + layout->channel_offsets[0],
        channel_bytes * format->n_components);
    return;
  }
  for (guint c = 0; c < format->n_components; c++)
    memcpy (staging + c * buffer->channel_stride,
        layout->data + layout->channel_offsets[c], channel_bytes);
}

gboolean
histo_upload_send_audio (HistoUpload * upload, gsize size, CUstream stream,
    CUdeviceptr * data, GError ** error)
{
  const gboolean in_place = histo_upload_is_in_place (upload, size);

  log_staged (upload, in_place, histo_upload_is_small (size) ?
      "it is audio, and small" : "it is audio");
  *data = in_place ? upload->staging.device : upload->input;
  return in_place || send (upload, 0, upload->staging.host, size, stream,
      error);
}
