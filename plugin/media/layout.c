/* Where a buffer's samples lie: maps a buffer, and checks that it holds what its caps and metas
 * describe.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "media/layout.h"

#include "media/unpack.h"

#ifdef HAVE_CUDA
#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudamemory.h>
#endif

/* ---- CUDA memory ------------------------------------------------------------------------ */

/* The name that libgstcuda gives its memory type. The name is known also where libgstcuda is
 * not installed. */
#define CUDA_MEMORY_TYPE "gst.cuda.memory"

/* Whether the buffer's first memory is CUDA memory. */
gboolean
histo_is_cuda_buffer (GstBuffer * buffer)
{
  return gst_buffer_n_memory (buffer) > 0
      && gst_memory_is_type (gst_buffer_peek_memory (buffer, 0),
      CUDA_MEMORY_TYPE);
}

/* Whether a device can read the whole buffer in place: all its memories are CUDA memory, and a
 * video meta says which planes are in which memory if there are several. */
gboolean
histo_is_in_cuda_memory (GstBuffer * buffer)
{
  const guint n = gst_buffer_n_memory (buffer);

  for (guint i = 0; i < n; i++) {
    if (!gst_memory_is_type (gst_buffer_peek_memory (buffer, i),
            CUDA_MEMORY_TYPE))
      return FALSE;
  }
  return n == 1 || (n > 1 && gst_buffer_get_video_meta (buffer) != NULL);
}

/* @buffer: one without a video meta
 * @info: (inout): what the caps say; gets the strides, offsets and size with which the
 *   buffer's CUDA memory was allocated. Left as it is if the buffer has other memory.
 *
 * Returns: FALSE with a %GST_STREAM_ERROR_FORMAT if the strides cannot be known */
static gboolean
take_strides_of_cuda_memory (GstBuffer * buffer, GstVideoInfo * info,
    GError ** error)
{
#ifdef HAVE_CUDA
  const GstVideoInfo *allocated;
#endif

  if (!histo_is_cuda_buffer (buffer))
    return TRUE;
#ifdef HAVE_CUDA
  allocated = &GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (buffer, 0))->info;
  if (GST_VIDEO_INFO_FORMAT (allocated) == GST_VIDEO_INFO_FORMAT (info)
      && GST_VIDEO_INFO_WIDTH (allocated) >= GST_VIDEO_INFO_WIDTH (info)
      && GST_VIDEO_INFO_HEIGHT (allocated) >= GST_VIDEO_INFO_HEIGHT (info)) {
    memcpy (info->stride, allocated->stride, sizeof info->stride);
    memcpy (info->offset, allocated->offset, sizeof info->offset);
    info->size = allocated->size;
    return TRUE;
  }
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "The buffer's CUDA memory was allocated for %s %dx%d, its caps say %s "
      "%dx%d", GST_VIDEO_INFO_NAME (allocated),
      GST_VIDEO_INFO_WIDTH (allocated), GST_VIDEO_INFO_HEIGHT (allocated),
      GST_VIDEO_INFO_NAME (info), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info));
#else
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "CUDA memory without a video meta: built without CUDA, cudahisto cannot "
      "tell its pitch");
#endif
  return FALSE;
}

/* ---- Video ---------------------------------------------------------------------- */

/* The function by which metas map planes, unless their owner sets another one. */
static gpointer
default_map (void)
{
  static gsize function = 0;

  if (g_once_init_enter (&function)) {
    g_autoptr (GstBuffer) buffer = gst_buffer_new ();
    GstVideoMeta *meta = gst_buffer_add_video_meta (buffer,
        GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 1, 1);

    g_once_init_leave (&function, (gsize) meta->map);
  }
  return (gpointer) function;
}

/* Whether the planes are mapped by a function of the meta's own. @meta: may be NULL */
gboolean
histo_layout_has_own_map (const GstVideoMeta * meta)
{
  return meta != NULL && (gpointer) meta->map != default_map ();
}

/* Whether the mapping of plane @p holds @before bytes before, and @after bytes from, its data.
 * Nothing here overflows, whatever the numbers are. */
static gboolean
mapping_holds (const GstVideoFrame * frame, guint p, guint64 before,
    guint64 after, GError ** error)
{
  /* A buffer with a GstVideoMeta has one mapping for each plane. */
  const GstMapInfo *map = &frame->map[frame->meta != NULL ? p : 0];
  gconstpointer data = frame->data[p];
  /* Huge if data lies before the mapping. */
  const guint64 offset = (guintptr) data - (guintptr) map->data;

  /* A function of the meta's own, like that of vaapi, does not say how many bytes it has mapped. The element that has
   * set the function is trusted: nothing can be checked. */
  if (histo_layout_has_own_map (frame->meta) && frame->map[p].data == NULL && data != NULL)
    return TRUE;
  if (offset <= map->size && before <= offset && after <= map->size - offset)
    return TRUE;
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "The buffer is too small: its caps and metas describe %" G_GUINT64_FORMAT
      " bytes of a plane from byte %" G_GINT64_FORMAT " on, it holds %"
      G_GSIZE_FORMAT, before + after, (gint64) (offset - before), map->size);
  return FALSE;
}

static gboolean
locate_planes (HistoLayout * layout, const HistoFormat * format,
    GError ** error)
{
  GstVideoFrame *frame = &layout->frame;

  layout->n_planes = format->n_planes;
  for (guint p = 0; p < format->n_planes; p++) {
    HistoPlane *plane = &layout->planes[p];
    guint64 row_bytes, above;

    *plane = format->planes[p];
    if (plane->rows == 0 || plane->periods == 0)
      continue;
    plane->data = (guint64) (guintptr) frame->data[p];
    plane->stride = frame->info.stride[p];
    /* The rows between belong to the other plane. */
    if (histo_format_is_bayer (format))
      plane->stride *= HISTO_N_BAYER_PLANES;
    row_bytes = histo_plane_row_bytes (plane);
    /* With a negative stride the other rows lie before row 0. */
    above = histo_plane_extent (plane) - row_bytes;
    if (!mapping_holds (frame, p, plane->stride < 0 ? above : 0,
            plane->stride < 0 ? row_bytes : above + row_bytes, error))
      return FALSE;
  }
  return TRUE;
}

/* Whether the buffer holds all that GStreamer's unpack function may read. */
static gboolean
check_unpack_source (HistoLayout * layout, const HistoFormat * format,
    GError ** error)
{
  const GstVideoFrame *frame = &layout->frame;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&format->video); p++) {
    guint64 bytes;

    if (!histo_unpack_source_bytes (&format->video, p, frame->info.stride[p],
            &bytes, error)
        || !mapping_holds (frame, p, 0, bytes, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
planes_fit (HistoLayout * layout, const HistoFormat * format, GError ** error)
{
  if (format->needs_unpack)
    return check_unpack_source (layout, format, error);
  return locate_planes (layout, format, error);
}

/* gst_video_frame_map() maps only the memory in which a plane begins. Where a plane continues
 * in the buffer's next memory, this maps all memories of the buffer as one instead. */
static gboolean
map_merged (HistoLayout * layout, GstMapFlags flags)
{
  GstVideoFrame *frame = &layout->frame;
  GstVideoMeta *meta = frame->meta;

  gst_video_frame_unmap (frame);
  frame->meta = NULL;
  /* If the memories cannot be merged, gst_buffer_map() returns TRUE and maps nothing. */
  layout->mapped = gst_buffer_map (layout->buffer, &frame->map[0],
      flags | GST_VIDEO_FRAME_MAP_FLAG_NO_REF)
      && frame->map[0].memory != NULL;
  if (!layout->mapped)
    return FALSE;
  for (guint p = 0; p < meta->n_planes; p++) {
    /* Integers are added: the offset is not checked yet. */
    frame->data[p] =
        (gpointer) ((guintptr) frame->map[0].data + meta->offset[p]);
    frame->info.stride[p] = meta->stride[p];
  }
  return TRUE;
}

/* Any number may stand in a meta. GStreamer's own function takes only those of formats. */
static const gchar *
name_of_format (GstVideoFormat format)
{
  GEnumClass *formats = g_type_class_ref (GST_TYPE_VIDEO_FORMAT);
  const gboolean is_known = format != GST_VIDEO_FORMAT_UNKNOWN
      && g_enum_get_value (formats, format) != NULL;

  g_type_class_unref (formats);
  return is_known ? gst_video_format_to_string (format) : "unknown";
}

/* Refuses a meta that describes another picture than the caps. @meta: may be NULL */
gboolean
histo_layout_check_metas (const GstVideoInfo * info, const GstVideoMeta * meta,
    GError ** error)
{
  if (meta == NULL || (meta->format == GST_VIDEO_INFO_FORMAT (info)
          && meta->n_planes == GST_VIDEO_INFO_N_PLANES (info)
          && meta->width >= (guint) GST_VIDEO_INFO_WIDTH (info)
          && meta->height >= (guint) GST_VIDEO_INFO_HEIGHT (info)))
    return TRUE;
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "The buffer's video meta (%s %ux%u) contradicts the caps (%s %dx%d)",
      name_of_format (meta->format), meta->width, meta->height,
      GST_VIDEO_INFO_NAME (info), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info));
  return FALSE;
}

static gboolean
has_size (GstBuffer * buffer, const GstVideoInfo * info, GError ** error)
{
  const gsize size = gst_buffer_get_size (buffer);

  if (size >= GST_VIDEO_INFO_SIZE (info))
    return TRUE;
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "The buffer is too small: its caps describe %" G_GSIZE_FORMAT
      " bytes, it holds %" G_GSIZE_FORMAT, GST_VIDEO_INFO_SIZE (info), size);
  return FALSE;
}

/* Checks a buffer that has no video meta, and sets the strides of @info where its memory has
 * others than the caps. */
gboolean
histo_layout_check_without_meta (GstBuffer * buffer, GstVideoInfo * info, GError ** error)
{
  return take_strides_of_cuda_memory (buffer, info, error)
      && has_size (buffer, info, error);
}

/* Finds where a buffer of Bayer video has its rows. A video meta with a single plane has it, whatever its format:
 * there is none for Bayer. Others are ignored.
 * @info: (inout): of the caps; gets offset and stride of the meta
 *
 * Returns: FALSE with a %GST_STREAM_ERROR_FORMAT if there is no meta and the buffer is smaller than the caps say */
gboolean
histo_layout_find_bayer (GstBuffer * buffer, GstVideoInfo * info, GError ** error)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  if (meta == NULL || meta->n_planes != 1)
    return has_size (buffer, info, error);
  info->offset[0] = meta->offset[0];
  info->stride[0] = meta->stride[0];
  return TRUE;
}

static gboolean
map_bayer (HistoLayout * layout, const HistoFormat * format,
    GstBuffer * buffer, GstMapFlags flags, GError ** error)
{
  GstVideoFrame *frame = &layout->frame;
  GstVideoInfo *info = &frame->info;

  *info = format->video;
  if (!histo_layout_find_bayer (buffer, info, error))
    return FALSE;
  frame->buffer = buffer;
  layout->mapped = gst_buffer_map (buffer, &frame->map[0], flags) && frame->map[0].memory != NULL;
  if (!layout->mapped) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The buffer cannot be mapped");
    return FALSE;
  }
  /* map_video() does the same. */
  frame->map[0].flags |= GST_VIDEO_FRAME_MAP_FLAG_NO_REF;
  for (guint p = 0; p < format->n_planes; p++) {
    /* Integers are added: the offset is not checked yet. */
    frame->data[p] = (gpointer) ((guintptr) frame->map[0].data + info->offset[0]
        + p * (guintptr) (gintptr) info->stride[0]);
    info->stride[p] = info->stride[0];
  }
  return locate_planes (layout, format, error);
}

static gboolean
map_video (HistoLayout * layout, const HistoFormat * format,
    GstBuffer * buffer, GstMapFlags flags, GError ** error)
{
  GstVideoInfo info = format->video;
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  if (!histo_layout_check_metas (&info, meta, error))
    return FALSE;
  if (meta == NULL && !histo_layout_check_without_meta (buffer, &info, error))
    return FALSE;

  /* NO_REF: the element needs a writable buffer to attach the result, and a buffer with a
   * second reference is not writable. */
  if (!gst_video_frame_map (&layout->frame, &info, buffer,
          flags | GST_VIDEO_FRAME_MAP_FLAG_NO_REF)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The buffer cannot be mapped as a %s frame",
        GST_VIDEO_INFO_NAME (&info));
    return FALSE;
  }
  layout->mapped = TRUE;
  /* gst_video_frame_unmap() looks for this flag here. A meta may have a function of its own that
   * maps, and that has not kept it. */
  layout->frame.map[0].flags |= GST_VIDEO_FRAME_MAP_FLAG_NO_REF;
  /* Only in host memory: merging copies. */
  if (meta != NULL && gst_buffer_n_memory (buffer) > 1 && flags == GST_MAP_READ
      && !planes_fit (layout, format, NULL) && !map_merged (layout, flags)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The buffer's memories cannot be mapped as one");
    return FALSE;
  }
  return planes_fit (layout, format, error);
}

/* ---- Audio ---------------------------------------------------------------------- */

static gboolean
is_interleaved (const GstAudioInfo * info)
{
  return GST_AUDIO_INFO_LAYOUT (info) == GST_AUDIO_LAYOUT_INTERLEAVED;
}

/* Refuses a meta that describes other audio than the caps. */
static gboolean
check_audio_meta (const GstAudioInfo * info, const GstAudioMeta * meta,
    GError ** error)
{
  if (GST_AUDIO_INFO_FORMAT (&meta->info) == GST_AUDIO_INFO_FORMAT (info)
      && GST_AUDIO_INFO_CHANNELS (&meta->info) ==
      GST_AUDIO_INFO_CHANNELS (info)
      && GST_AUDIO_INFO_LAYOUT (&meta->info) == GST_AUDIO_INFO_LAYOUT (info)
      && (is_interleaved (info) || meta->offsets != NULL))
    return TRUE;
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "The buffer's audio meta (%s, %d channels) contradicts the caps (%s, %d "
      "channels)", GST_AUDIO_INFO_NAME (&meta->info),
      GST_AUDIO_INFO_CHANNELS (&meta->info), GST_AUDIO_INFO_NAME (info),
      GST_AUDIO_INFO_CHANNELS (info));
  return FALSE;
}

/* Sets the number of samples of each channel. */
static gboolean
count_audio_samples (HistoAudioLayout * audio, const GstAudioInfo * info,
    const GstAudioMeta * meta, gsize size, GError ** error)
{
  if (meta == NULL && size % GST_AUDIO_INFO_BPF (info) != 0) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The buffer's %" G_GSIZE_FORMAT " bytes are no whole number of samples of "
        "%d bytes", size, GST_AUDIO_INFO_BPF (info));
    return FALSE;
  }
  audio->n_samples = meta ? meta->samples : size / GST_AUDIO_INFO_BPF (info);
  /* Counters have 32 bits. */
  if (audio->n_samples > G_MAXUINT32) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The buffer has %" G_GUINT64_FORMAT " samples of a channel; %u can be "
        "counted", audio->n_samples, G_MAXUINT32);
    return FALSE;
  }
  return TRUE;
}

/* Whether all samples of the channel at @offset lie in @size bytes. Compares by division, so
 * that no number overflows. */
static gboolean
channel_fits (const HistoAudioLayout * audio, gsize offset, gsize bytes,
    gsize size, GError ** error)
{
  if (audio->n_samples == 0 || (offset <= size && bytes <= size - offset
          && audio->n_samples - 1 <= (size - offset - bytes) /
          audio->sample_stride))
    return TRUE;
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "The buffer is too small: a channel at byte %" G_GSIZE_FORMAT " has %"
      G_GUINT64_FORMAT " samples, but the buffer has only %" G_GSIZE_FORMAT
      " bytes", offset, audio->n_samples, size);
  return FALSE;
}

static gboolean
locate_channels (HistoLayout * layout, const HistoFormat * format,
    GError ** error)
{
  const GstAudioMeta *meta = gst_buffer_get_audio_meta (layout->buffer);
  const GstAudioInfo *info = &format->audio;
  const gsize bytes = format->sample.bytes;
  const guint n_channels = format->n_components;
  /* An empty memory may have no address, and C does not define NULL + 0. */
  static const guint8 no_samples;
  HistoAudioLayout *audio = &layout->audio;

  if (meta != NULL && !check_audio_meta (info, meta, error))
    return FALSE;
  if (!count_audio_samples (audio, info, meta, layout->map.size, error))
    return FALSE;

  audio->data = layout->map.data != NULL ? layout->map.data : &no_samples;
  audio->sample_stride = is_interleaved (info) ? bytes * n_channels : bytes;
  audio->channel_offsets = g_new (gsize, n_channels);
  for (guint c = 0; c < n_channels; c++) {
    gsize offset = c * bytes;

    if (!is_interleaved (info))
      offset = meta != NULL ? meta->offsets[c] : offset * audio->n_samples;
    /* Without samples the meta's offset may be any number, and nothing is read. */
    audio->channel_offsets[c] = audio->n_samples > 0 ? offset : 0;
    if (!channel_fits (audio, offset, bytes, layout->map.size, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
map_audio (HistoLayout * layout, const HistoFormat * format,
    GstBuffer * buffer, GstMapFlags flags, GError ** error)
{
  /* If its memories cannot be merged, gst_buffer_map() returns TRUE and maps nothing. */
  if (!gst_buffer_map (buffer, &layout->map, flags)
      || (layout->map.memory == NULL && gst_buffer_get_size (buffer) > 0)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The buffer cannot be mapped");
    return FALSE;
  }
  layout->mapped = TRUE;
  return locate_channels (layout, format, error);
}

/**
 * histo_layout_map:
 * @layout: (out): to be unmapped with histo_layout_unmap() if this returns TRUE
 * @format: what the caps describe
 * @buffer: stays mapped until histo_layout_unmap(); the caller keeps it until then
 * @flags: %GST_MAP_READ, or %GST_MAP_READ | GST_MAP_CUDA for addresses in device memory
 *
 * Maps the buffer and locates its samples. Strides, offsets and sizes come from outside: from
 * the caps, from metas, or from the memory. All that an engine will read is checked against the
 * mapping here, so that no engine has to check it.
 *
 * Returns: FALSE with a %GST_STREAM_ERROR_FORMAT, and with nothing mapped, if the buffer does
 *   not hold what the caps and its own metas describe
 */
gboolean
histo_layout_map (HistoLayout * layout, const HistoFormat * format,
    GstBuffer * buffer, GstMapFlags flags, GError ** error)
{
  gboolean ok;

  memset (layout, 0, sizeof *layout);
  layout->buffer = buffer;
  if (format->is_audio)
    ok = map_audio (layout, format, buffer, flags, error);
  else if (histo_format_is_bayer (format))
    ok = map_bayer (layout, format, buffer, flags, error);
  else
    ok = map_video (layout, format, buffer, flags, error);
  if (!ok)
    histo_layout_unmap (layout, format);
  return ok;
}

/**
 * histo_layout_trim_audio:
 * @layout: a mapped one; it then describes the samples that are left
 * @trim: nothing is left out of video
 */
void
histo_layout_trim_audio (HistoLayout * layout, const HistoTrim * trim)
{
  HistoAudioLayout *audio = &layout->audio;
  const guint64 begin = MIN (trim->begin, audio->n_samples);

  /* Video has no such address. */
  if (begin == 0 && trim->end == 0)
    return;
  audio->data += begin * audio->sample_stride;
  audio->n_samples -= begin;
  audio->n_samples -= MIN (trim->end, audio->n_samples);
}

/* Unmaps the buffer. Does nothing if the layout is not mapped. */
void
histo_layout_unmap (HistoLayout * layout, const HistoFormat * format)
{
  g_clear_pointer (&layout->audio.channel_offsets, g_free);
  if (!layout->mapped)
    return;
  layout->mapped = FALSE;
  if (format->is_audio)
    gst_buffer_unmap (layout->buffer, &layout->map);
  else
    gst_video_frame_unmap (&layout->frame);
}
