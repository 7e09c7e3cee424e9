/* From the host's memory to where the kernel reads: by DMA, or by the kernel itself.
 *
 * What lies in page-locked memory is sent from there, also what was page-locked because it
 * came again; anything else is copied to page-locked staging memory first. Small buffers
 * are not sent at all: the kernel reads them where they are.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/upload.h"

#include "media/pack.h"
#include "engine/cuda/registered.h"

HistoUploadSettings histo_upload_settings = {
  .in_place_limit = 64 * 1024,
  .piece = 2 * 1024 * 1024,
};

/* What the kernels' widest loads are aligned to. */
#define LOAD_ALIGNMENT 16

#define CHECK(upload, call, error) \
  histo_driver_check ((upload)->driver, (upload)->driver->call, #call, error)

/* Room for the padding of frames that are sent as they lie, on top of the packed size:
 * an eighth holds 1920 samples at a stride of 2048. */
static gsize
input_size (gsize size)
{
  return size + size / 8 + 2 * LOAD_ALIGNMENT;
}

/* Makes room for buffers of up to @size packed bytes. To be cleared also when this
 * fails. */
gboolean
histo_upload_resize (HistoUpload * upload, gsize size, GError ** error)
{
  histo_upload_clear (upload);
  if (!histo_pinned_alloc (&upload->staging, upload->driver, size, error)
      || !CHECK (upload, cuMemAlloc (&upload->input, input_size (size)), error))
    return FALSE;
  upload->size = size;
  return TRUE;
}

void
histo_upload_clear (HistoUpload * upload)
{
  histo_pinned_free (&upload->staging, upload->driver);
  if (upload->input != 0)
    CHECK (upload, cuMemFree (upload->input), NULL);
  upload->input = 0;
  upload->size = 0;
}

static gboolean
send (HistoUpload * upload, gsize to, const void *from, gsize size,
    CUstream stream, GError ** error)
{
  return size == 0 || CHECK (upload, cuMemcpyHtoDAsync (upload->input + to, from,
          size, stream), error);
}

/**
 * histo_upload_is_small:
 * @size: bytes from the first to the last one that the kernel reads
 *
 * Returns: TRUE if the kernel reads so many bytes of page-locked memory itself; FALSE if
 *   they are first copied to the device. Every decision between the two is made here.
 */
gboolean
histo_upload_is_small (gsize size)
{
  return size <= histo_upload_settings.in_place_limit;
}

/* ---- Frames in page-locked memory -------------------------------------------------------- */

/* Whether the frame can be sent from where it is. One so small that the kernel reads it itself
 * is not worth locking its memory. */
static gboolean
is_page_locked (HistoUpload * upload, GstBuffer * buffer, guint64 begin,
    guint64 end)
{
  return histo_is_pinned (buffer, begin, end)
      || (!histo_upload_is_small (end - begin)
      && histo_is_registered (buffer, begin, end, upload->user,
          upload->driver, upload->context));
}

static gboolean
has_samples (const HistoPlane * plane)
{
  return plane->rows > 0 && plane->periods > 0;
}

/* The plane's byte of the lowest address: a stride may be negative. */
static guint64
lowest_byte (const HistoPlane * plane)
{
  return plane->stride < 0 ?
      plane->data + (gint64) (plane->rows - 1) * plane->stride : plane->data;
}

/* [*begin, *end) holds all planes, and what lies between their rows. */
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

static gboolean
read_in_place (HistoUpload * upload, HistoLayout * layout, guint64 begin,
    GError ** error)
{
  CUdeviceptr device;

  if (!CHECK (upload, cuMemHostGetDevicePointer (&device,
              (void *) (guintptr) begin, 0), error))
    return FALSE;
  move_planes (layout, begin, device);
  return TRUE;
}

/* With the padding: one copy, and rows as well aligned as they were. */
static gboolean
send_as_it_lies (HistoUpload * upload, HistoLayout * layout, guint64 begin,
    guint64 end, CUstream stream, GError ** error)
{
  gsize to = begin % LOAD_ALIGNMENT;

  move_planes (layout, begin, upload->input + to);
  return send (upload, to, (const void *) (guintptr) begin, end - begin, stream,
      error);
}

/* Whether the device's copies by rows can read all planes. */
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

/* Without the padding. */
static gboolean
send_rows (HistoUpload * upload, const HistoFormat * format,
    HistoLayout * layout, CUstream stream, GError ** error)
{
  HistoPlane packed[HISTO_MAX_PLANES];

  histo_packed_locate (format, upload->input, packed);
  for (guint p = 0; p < layout->n_planes; p++) {
    if (has_samples (&layout->planes[p])
        && !send_plane (upload, &layout->planes[p], packed[p], stream, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- Other frames ------------------------------------------------------------------------------ */

static gboolean
stage_and_send (HistoUpload * upload, const HistoFormat * format,
    HistoLayout * layout, CUstream stream, gboolean * is_read_in_place,
    GError ** error)
{
  const gsize size = histo_packed_size (format);
  const gboolean in_place = histo_upload_is_small (size);
  const gsize piece = in_place ? G_MAXSIZE : histo_upload_settings.piece;
  HistoPackPosition position = { 0, };
  gboolean ok = TRUE;

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
  *is_read_in_place = in_place;
  return ok;
}

/**
 * histo_upload_video:
 * @layout: of @buffer, mapped for reading by the host; its planes are set to where the
 *   kernel finds them once @stream gets there. Where they are read from the buffer
 *   itself it stays mapped, and must, until then.
 * @is_read_in_place: (out): whether the kernel reads page-locked memory; FALSE if anything is
 *   copied to the device before the launch
 *
 * Makes room for histo_pack_room() bytes if there is none yet.
 */
gboolean
histo_upload_video (HistoUpload * upload, const HistoFormat * format,
    HistoLayout * layout, GstBuffer * buffer, CUstream stream,
    gboolean * is_read_in_place, GError ** error)
{
  guint64 begin, end;

  *is_read_in_place = FALSE;
  if (upload->staging.host == NULL
      && !histo_upload_resize (upload, histo_pack_room (format), error))
    return FALSE;
  if (format->needs_unpack)
    return stage_and_send (upload, format, layout, stream, is_read_in_place,
        error);

  find_extent (layout, &begin, &end);
  if (!is_page_locked (upload, buffer, begin, end))
    return stage_and_send (upload, format, layout, stream, is_read_in_place,
        error);
  *is_read_in_place = histo_upload_is_small (end - begin);
  if (*is_read_in_place)
    return begin == end || read_in_place (upload, layout, begin, error);
  if (end - begin + LOAD_ALIGNMENT <= input_size (upload->size))
    return send_as_it_lies (upload, layout, begin, end, stream, error);
  if (rows_are_apart (layout))
    return send_rows (upload, format, layout, stream, error);
  return stage_and_send (upload, format, layout, stream, is_read_in_place,
        error);
}

/* ---- Audio ----------------------------------------------------------------------------------------- */

#define AUDIO_MIN_SIZE (64 * 1024)

static gboolean
is_interleaved (const HistoFormat * format)
{
  return GST_AUDIO_INFO_LAYOUT (&format->audio) ==
      GST_AUDIO_LAYOUT_INTERLEAVED;
}

static gsize
align (gsize size)
{
  return (size + LOAD_ALIGNMENT - 1) & ~(gsize) (LOAD_ALIGNMENT - 1);
}

/* Bytes of the staging memory from one channel to the next. Where each channel is loaded
 * by vectors, its length must not decide whether it can be. */
static gsize
staged_channel_stride (const HistoFormat * format, guint64 n_samples)
{
  const gsize bytes = format->sample.bytes;

  return is_interleaved (format) ? bytes : align (bytes * n_samples);
}

/* Bytes of the staging memory that a buffer takes; another one may follow. */
gsize
histo_upload_audio_size (const HistoFormat * format, guint64 n_samples)
{
  const gsize of_channel = is_interleaved (format) ?
      n_samples * format->sample.bytes :
      staged_channel_stride (format, n_samples);

  /* Also an empty one has an address of its own. */
  return MAX (align (of_channel * format->n_components), LOAD_ALIGNMENT);
}

/* Makes room for @size bytes, if there is less; nothing on the device may be using what
 * there is. */
gboolean
histo_upload_reserve_audio (HistoUpload * upload, gsize size, GError ** error)
{
  /* Buffers of audio have no size that the caps tell; twice the size now needed and no
   * trifle, so that this happens a few times at the most. */
  return (size <= upload->size && upload->staging.host != NULL)
      || histo_upload_resize (upload, MAX (2 * size, AUDIO_MIN_SIZE), error);
}

/* Sets what of the buffer does not depend on where it is staged. */
void
histo_upload_describe_audio (const HistoFormat * format, guint64 n_samples,
    HistoAudioBuffer * buffer)
{
  buffer->n_samples = n_samples;
  buffer->channel_stride = staged_channel_stride (format, n_samples);
}

/**
 * histo_upload_stage_audio:
 * @at: a sum of histo_upload_audio_size()s; there must be room from there on
 * @layout: mapped; not needed any more when this returns
 * @buffer: described; its data is set, counted from what histo_upload_send_audio() gives
 */
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

/**
 * histo_upload_send_audio:
 * @size: bytes of the staging memory that are in use: all that was staged goes at once
 * @data: (out): where the kernel finds what was staged at 0, once @stream gets there
 */
gboolean
histo_upload_send_audio (HistoUpload * upload, gsize size, CUstream stream,
    CUdeviceptr * data, GError ** error)
{
  const gboolean in_place = histo_upload_is_small (size);

  *data = in_place ? upload->staging.device : upload->input;
  return in_place || send (upload, 0, upload->staging.host, size, stream,
      error);
}
