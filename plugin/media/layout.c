/* Maps a buffer and tells where each component's samples lie in it.
 *
 * Strides, offsets and sizes come from outside: from a GstVideoMeta or GstAudioMeta,
 * or from the memory itself. Everything that will be read is checked against the
 * mapping here, once, so that no engine has to.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/layout.h"

#include "media/cuda-memory.h"

static gboolean
set_format_error (GError ** error, const gchar * text, guint64 needed,
    guint64 available)
{
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "%s: its caps describe %" G_GUINT64_FORMAT " bytes, it holds %"
      G_GUINT64_FORMAT, text, needed, available);
  return FALSE;
}

/* ---- Video ---------------------------------------------------------------------- */

/* Whether rows of row_bytes bytes, stride apart from data on, lie in the mapping. */
static gboolean
plane_fits (const GstMapInfo * map, const guint8 * data, gint64 stride,
    guint rows, guint64 row_bytes, GError ** error)
{
  gint64 begin = data - map->data;      /* of row 0, then of the lowest row */
  gint64 end = begin + (gint64) row_bytes;      /* of the highest row */
  gint64 across = (gint64) (rows - 1) * stride;

  if (across < 0)
    begin += across;
  else
    end += across;
  if (begin >= 0 && end <= (gint64) map->size)
    return TRUE;
  return set_format_error (error, "The buffer is too small",
      (guint64) (end - begin), map->size);
}

/* Plane p's bytes: with a GstVideoMeta each plane has its own mapping. */
static const GstMapInfo *
plane_mapping (const GstVideoFrame * frame, guint p)
{
  return frame->meta != NULL ? &frame->map[p] : &frame->map[0];
}

static gboolean
locate_planes (HistoLayout * layout, const HistoFormat * format,
    GError ** error)
{
  GstVideoFrame *frame = &layout->frame;

  layout->n_planes = format->n_planes;
  for (guint p = 0; p < format->n_planes; p++) {
    HistoPlane *plane = &layout->planes[p];

    *plane = format->planes[p];
    if (plane->rows == 0 || plane->periods == 0)
      continue;
    plane->data = (guint64) (guintptr) frame->data[p];
    plane->stride = frame->info.stride[p];
    if (!plane_fits (plane_mapping (frame, p), frame->data[p], plane->stride,
            plane->rows, histo_plane_row_bytes (plane), error))
      return FALSE;
  }
  return TRUE;
}

/* The frame that GStreamer's unpack function will read, row by row. It reads whole
 * rows of the plane (or of tiles), so the plane must hold them whole. */
static gboolean
check_unpack_source (HistoLayout * layout, const HistoFormat * format,
    GError ** error)
{
  GstVideoFrame *frame = &layout->frame;
  const GstVideoFormatInfo *info = format->video.finfo;
  const gsize palette_bytes = 256 * 4;

  for (guint p = 0; p < info->n_planes; p++) {
    const GstMapInfo *map = plane_mapping (frame, p);
    gint64 begin = (const guint8 *) frame->data[p] - map->data;
    gint stride = frame->info.stride[p];
    guint64 bytes;

    if (GST_VIDEO_FORMAT_INFO_IS_TILED (info)) {
      /* The stride of a tiled plane is its size in tiles. */
      bytes = (guint64) GST_VIDEO_TILE_X_TILES (stride) *
          GST_VIDEO_TILE_Y_TILES (stride);
      if (GST_VIDEO_TILE_X_TILES (stride) <
          GST_VIDEO_TILE_X_TILES (format->video.stride[p])
          || GST_VIDEO_TILE_Y_TILES (stride) <
          GST_VIDEO_TILE_Y_TILES (format->video.stride[p]))
        return set_format_error (error, "Too few tiles", format->video.size,
            map->size);
      /* Tiles differ in size between formats, not within one: scale the caps'. */
      bytes = bytes * (p + 1 < info->n_planes ?
          format->video.offset[p + 1] - format->video.offset[p] :
          format->video.size - format->video.offset[p])
          / ((guint64) GST_VIDEO_TILE_X_TILES (format->video.stride[p]) *
          GST_VIDEO_TILE_Y_TILES (format->video.stride[p]));
    } else if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info) && p == 1) {
      bytes = palette_bytes;
    } else {
      /* An unknown format: trust no width below the caps' own stride. */
      if (stride < format->video.stride[p])
        return set_format_error (error, "The stride is too small",
            format->video.stride[p], MAX (stride, 0));
      bytes = (guint64) stride *
          GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT (info, p, format->height);
      /* The last row need not be padded. */
      bytes -= stride - format->video.stride[p];
    }
    if (begin < 0 || begin + bytes > map->size)
      return set_format_error (error, "The buffer is too small", bytes,
          map->size);
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

/* A GstVideoMeta maps the one memory that a plane begins in. Where a plane goes on
 * in the next memory, the buffer's memories must be mapped as one. */
static gboolean
map_merged (HistoLayout * layout, GstMapFlags flags)
{
  GstVideoFrame *frame = &layout->frame;
  GstVideoMeta *meta = frame->meta;

  gst_video_frame_unmap (frame);
  frame->meta = NULL;
  layout->mapped = gst_buffer_map (layout->buffer, &frame->map[0],
      flags | GST_VIDEO_FRAME_MAP_FLAG_NO_REF);
  if (!layout->mapped)
    return FALSE;
  for (guint p = 0; p < meta->n_planes; p++) {
    frame->data[p] = frame->map[0].data + meta->offset[p];
    frame->info.stride[p] = meta->stride[p];
  }
  return TRUE;
}

static gboolean
map_video (HistoLayout * layout, const HistoFormat * format,
    GstBuffer * buffer, GstMapFlags flags, GError ** error)
{
  GstVideoInfo info = format->video;
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta (buffer);

  if (crop != NULL && (crop->x != 0 || crop->y != 0)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The buffer is to be cropped at %u,%u by a crop meta, which is not "
        "supported", crop->x, crop->y);
    return FALSE;
  }
  if (meta != NULL && (meta->format != GST_VIDEO_INFO_FORMAT (&info)
          || meta->n_planes != GST_VIDEO_INFO_N_PLANES (&info)
          || meta->width < (guint) GST_VIDEO_INFO_WIDTH (&info)
          || meta->height < (guint) GST_VIDEO_INFO_HEIGHT (&info))) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The buffer's video meta (%s %ux%u) contradicts the caps (%s %dx%d)",
        meta->format != GST_VIDEO_FORMAT_UNKNOWN ?
        gst_video_format_to_string (meta->format) : "unknown", meta->width, meta->height,
        GST_VIDEO_INFO_NAME (&info), GST_VIDEO_INFO_WIDTH (&info),
        GST_VIDEO_INFO_HEIGHT (&info));
    return FALSE;
  }
  /* Without a meta, CUDA memory itself knows its pitch; the caps do not. */
  if (meta == NULL && !histo_cuda_memory_update_info (buffer, &info)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "CUDA memory without a video meta: built without CUDA, cudahisto cannot "
        "tell its pitch");
    return FALSE;
  }
  if (meta == NULL && gst_buffer_get_size (buffer) < info.size)
    return set_format_error (error, "The buffer is too small", info.size,
        gst_buffer_get_size (buffer));

  /* The buffer's own reference stays the only one: whoever adds the result to it
   * afterwards must find it writable. */
  if (!gst_video_frame_map (&layout->frame, &info, buffer,
          flags | GST_VIDEO_FRAME_MAP_FLAG_NO_REF)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The buffer cannot be mapped as a %s frame",
        GST_VIDEO_INFO_NAME (&info));
    return FALSE;
  }
  layout->mapped = TRUE;
  /* Merged memory is the host's. */
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
locate_channels (HistoLayout * layout, const HistoFormat * format,
    GError ** error)
{
  const GstAudioMeta *meta = gst_buffer_get_audio_meta (layout->buffer);
  const GstAudioInfo *info = &format->audio;
  const gsize bytes = format->sample.bytes;
  const gsize size = layout->map.size;
  gboolean interleaved =
      GST_AUDIO_INFO_LAYOUT (info) == GST_AUDIO_LAYOUT_INTERLEAVED;
  HistoAudioLayout *audio = &layout->audio;
  guint n_channels = format->n_components;

  if (meta != NULL && (GST_AUDIO_INFO_FORMAT (&meta->info) !=
          GST_AUDIO_INFO_FORMAT (info)
          || GST_AUDIO_INFO_CHANNELS (&meta->info) != (gint) n_channels
          || GST_AUDIO_INFO_LAYOUT (&meta->info) !=
          GST_AUDIO_INFO_LAYOUT (info))) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The buffer's audio meta (%s, %d channels) contradicts the caps (%s, %u "
        "channels)", GST_AUDIO_INFO_NAME (&meta->info),
        GST_AUDIO_INFO_CHANNELS (&meta->info), GST_AUDIO_INFO_NAME (info),
        n_channels);
    return FALSE;
  }
  if (meta == NULL && size % GST_AUDIO_INFO_BPF (info) != 0) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The buffer's %" G_GSIZE_FORMAT " bytes are no whole number of samples of "
        "%d bytes", size, GST_AUDIO_INFO_BPF (info));
    return FALSE;
  }

  audio->data = layout->map.data;
  audio->n_samples = meta ? meta->samples : size / GST_AUDIO_INFO_BPF (info);
  /* Counters have 32 bits. */
  if (audio->n_samples > G_MAXUINT32) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The buffer has %" G_GUINT64_FORMAT " samples of a channel; %u can be "
        "counted", (guint64) audio->n_samples, G_MAXUINT32);
    return FALSE;
  }
  audio->sample_stride = interleaved ? bytes * n_channels : bytes;
  audio->channel_offsets = g_new (gsize, n_channels);

  for (guint c = 0; c < n_channels; c++) {
    gsize offset, needed;

    if (interleaved)
      offset = c * bytes;
    else if (meta != NULL)
      offset = meta->offsets[c];
    else
      offset = c * bytes * audio->n_samples;
    audio->channel_offsets[c] = offset;
    if (audio->n_samples == 0)
      continue;
    /* Compared by division, so that no size from outside can overflow. */
    needed = offset + bytes;
    if (needed < offset || needed > size
        || audio->n_samples - 1 > (size - needed) / audio->sample_stride)
      return set_format_error (error, "The buffer is too small",
          audio->n_samples * GST_AUDIO_INFO_BPF (info), size);
  }
  return TRUE;
}

static gboolean
map_audio (HistoLayout * layout, const HistoFormat * format,
    GstBuffer * buffer, GstMapFlags flags, GError ** error)
{
  if (!gst_buffer_map (buffer, &layout->map, flags)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The buffer cannot be mapped");
    return FALSE;
  }
  layout->mapped = TRUE;
  return locate_channels (layout, format, error);
}

/**
 * histo_layout_map:
 * @layout: filled in; unmap it with histo_layout_unmap() when TRUE is returned
 * @buffer: stays mapped, and must be kept, until then
 * @flags: %GST_MAP_READ, or that and GST_MAP_CUDA for addresses in device memory
 *
 * Returns: FALSE with a %GST_STREAM_ERROR_FORMAT, and nothing mapped, when the
 * buffer does not hold what @format and its own metas promise
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
  else
    ok = map_video (layout, format, buffer, flags, error);
  if (!ok)
    histo_layout_unmap (layout, format);
  return ok;
}

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
