/* The rectangle of a frame that a GstVideoCropMeta names, as a buffer of its own; see crop.h.
 *
 * Sample (i, j) of a component of the picture is sample (floor (x / w) + i, floor (y / h) + j) of the
 * frame, where w and h are the pixels for each sample. So at odd corners the chroma of the picture
 * begins with the sample that covers the corner, as behind the element videocrop.
 *
 * Nearly always this buffer shares the memory of the frame, and a GstVideoMeta says where the planes of the
 * picture begin. The samples are copied if no plane can begin there: a period of a packed format holds
 * several pixels, or tiles.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/crop.h"

#include "media/layout.h"
#include "media/load.h"
#include "media/pack.h"

/* The size of the frame or field in the buffer: the video meta's if there is one, which may be larger than
 * the caps'. */
static void
find_frame_size (const HistoFormat * format, GstBuffer * buffer,
    guint * width, guint * height)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  *width = meta != NULL ? meta->width : format->width;
  *height = meta == NULL ? format->height :
      GST_VIDEO_INFO_INTERLACE_MODE (&format->video) ==
      GST_VIDEO_INTERLACE_MODE_ALTERNATE ? meta->height / 2 + meta->height % 2 :
      meta->height;
}

/**
 * histo_crop_find:
 * @format: what the caps describe
 * @crop: (out): the rectangle, clipped to the frame; all of the picture of the caps if there is no meta
 *
 * Returns: FALSE with a %GST_STREAM_ERROR_FORMAT if the rectangle is empty or outside of the frame
 */
gboolean
histo_crop_find (const HistoFormat * format, GstBuffer * buffer,
    HistoCrop * crop, GError ** error)
{
  const GstVideoCropMeta *meta =
      format->is_audio ? NULL : gst_buffer_get_video_crop_meta (buffer);
  guint width, height;

  *crop = (HistoCrop) { 0, 0, format->width, format->height };
  if (meta == NULL)
    return TRUE;
  find_frame_size (format, buffer, &width, &height);
  if (meta->x < width && meta->y < height && meta->width > 0
      && meta->height > 0) {
    *crop = (HistoCrop) { meta->x, meta->y, MIN (meta->width, width - meta->x),
      MIN (meta->height, height - meta->y)};
    return TRUE;
  }
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "The buffer's crop meta (%ux%u at %u,%u) leaves nothing of the frame "
      "(%ux%u)", meta->width, meta->height,
      meta->x, meta->y, width, height);
  return FALSE;
}

/* ---- In place --------------------------------------------------------------------------------- */

/* How many samples of the component a period has. */
static guint
count_in_period (const HistoPlane * plane, guint component)
{
  guint n = 0;

  for (guint i = 0; i < plane->n_samples; i++)
    n += plane->samples[i].component == component;
  return n;
}

/* In which period of a row of the plane the picture begins.
 * Returns: FALSE if it begins inside a period */
static gboolean
find_period (const HistoFormat * format, const HistoPlane * plane,
    const HistoCrop * crop, guint * period)
{
  const GstVideoFormatInfo *info = format->video.finfo;
  const guint c = plane->samples[0].component;
  const guint n = count_in_period (plane, c);

  *period = (crop->x >> info->w_sub[c]) / n;
  for (guint i = 0; i < plane->n_samples; i++) {
    const guint other = plane->samples[i].component;
    const guint n_other = count_in_period (plane, other);
    const guint first = crop->x >> info->w_sub[other];

    if (first % n_other != 0 || first / n_other != *period)
      return FALSE;
  }
  return TRUE;
}

/* Moves the begin of each plane to the picture. The sums of absurd strides wrap around: whether the planes lie in the
 * memory is checked when they are mapped.
 * Returns: FALSE if a plane has no such begin */
static gboolean
move_planes (const HistoFormat * format, const HistoCrop * crop,
    gsize * offsets, const gint * strides)
{
  const GstVideoFormatInfo *info = format->video.finfo;

  if (crop->x == 0 && crop->y == 0)
    return TRUE;
  if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info) || histo_format_is_bayer (format)) {
    /* A pixel has a byte, or a word of Bayer. The other plane of the first is the palette. */
    offsets[0] += (gsize) strides[0] * crop->y + crop->x * (gsize) info->pixel_stride[0];
    return TRUE;
  }
  if (format->needs_unpack)
    return FALSE;
  for (guint p = 0; p < format->n_planes; p++) {
    const HistoPlane *plane = &format->planes[p];
    guint period;

    if (!find_period (format, plane, crop, &period))
      return FALSE;
    offsets[p] += (gsize) strides[p]
        * (crop->y >> info->h_sub[plane->samples[0].component])
        + (gsize) period * plane->period_bytes;
  }
  return TRUE;
}

/* ---- Copies ----------------------------------------------------------------------------------- */

static void
store_word (guint8 * p, guint bytes, gboolean big_endian, guint32 word)
{
  for (guint i = 0; i < bytes; i++)
    p[i] = word >> 8 * (big_endian ? bytes - 1 - i : i);
}

/* The places of a component in a period, in order. Returns: how many */
static guint
list_samples (const HistoPlane * plane, guint component,
    const HistoSample ** samples)
{
  guint n = 0;

  for (guint i = 0; i < plane->n_samples; i++) {
    if (plane->samples[i].component == component)
      samples[n++] = &plane->samples[i];
  }
  return n;
}

/* Copies a row of one component. @first: sample of the row of @from with which that of @to begins */
static void
copy_samples (const HistoPlane * from, const guint8 * source,
    const HistoPlane * to, guint8 * row, guint component, guint first)
{
  const HistoSample *sources[HISTO_MAX_SAMPLES], *places[HISTO_MAX_SAMPLES];
  const guint n = list_samples (from, component, sources);

  list_samples (to, component, places);
  for (guint i = 0; i < n; i++) {
    for (guint period = 0; period < places[i]->count; period++) {
      const HistoSample *place = places[i];
      const guint number = first + period * n + i;
      const HistoSample *sample = sources[number % n];
      guint8 *word = row + (gsize) period * to->period_bytes + place->offset;
      guint32 value;

      /* The last V of a row that has no room for it. */
      if (number / n >= sample->count)
        continue;
      value = histo_load_word (source + (gsize) (number / n)
          * from->period_bytes + sample->offset, sample->bytes,
          from->big_endian) >> sample->shift & sample->mask;
      store_word (word, place->bytes, to->big_endian,
          histo_load_word (word, place->bytes, to->big_endian)
          | value << place->shift);
    }
  }
}

/* @room: how the planes of the copy lie in @data, which is 0 */
static void
copy_packed (const HistoLayout * frame, const HistoFormat * picture,
    const HistoCrop * crop, const GstVideoInfo * room, guint8 * data)
{
  const GstVideoInfo *video = &picture->video;

  for (guint p = 0; p < picture->n_planes; p++) {
    const HistoPlane *to = &picture->planes[p], *from = &frame->planes[p];

    for (guint c = 0; c < picture->n_components; c++) {
      const gint64 top = crop->y >> video->finfo->h_sub[c];

      if (count_in_period (to, c) == 0)
        continue;
      for (guint y = 0; y < to->rows; y++)
        copy_samples (from, (const guint8 *) (guintptr) from->data
            + (top + y) * from->stride, to,
            data + GST_VIDEO_INFO_PLANE_OFFSET (room, p)
            + (gsize) y * GST_VIDEO_INFO_PLANE_STRIDE (room, p), c,
            crop->x >> video->finfo->w_sub[c]);
    }
  }
}

/* Sample (x, y) of a plane of histo_pack(), 16 bits wide with the sample's bits at the top. */
static guint
load_top (const HistoPlane * plane, guint x, guint y)
{
  const HistoSample *sample = &plane->samples[0];
  const guint8 *row =
      (const guint8 *) (guintptr) plane->data + (gint64) y * plane->stride;

  if (x >= sample->count)
    return 0;
  return histo_load_word (row + (gsize) x * plane->period_bytes, sample->bytes,
      plane->big_endian) << (16 - __builtin_popcount (sample->mask));
}

/* Row @y of the picture as pixels of AYUV or AYUV64 */
static void
fill_line (const HistoFormat * picture, const HistoPlane * planes,
    const HistoCrop * crop, guint y, gboolean is_wide, gpointer line)
{
  const GstVideoFormatInfo *info = picture->video.finfo;
  guint16 *wide = line;
  guint8 *narrow = line;

  for (guint c = 0; c < picture->n_components; c++) {
    const guint w_sub = info->w_sub[c], h_sub = info->h_sub[c];

    for (guint x = 0; x < picture->width; x++) {
      const guint top = load_top (&planes[c], (crop->x >> w_sub) + (x >> w_sub),
          (crop->y >> h_sub) + (y >> h_sub));

      if (is_wide)
        wide[4 * x + 1 + c] = top;
      else
        narrow[4 * x + 1 + c] = top >> 8;
    }
  }
}

/* GStreamer's functions read and write the tiles.
 * @room: how the tiles of the copy lie in @data
 * Returns: FALSE if there is no memory */
static gboolean
copy_tiles (const HistoFormat * whole, const HistoLayout * frame,
    const HistoFormat * picture, const HistoCrop * crop,
    const GstVideoInfo * room, guint8 * data)
{
  const GstVideoFormatInfo *info = room->finfo;
  const gboolean is_wide = info->depth[0] > 8;
  g_autofree guint8 *samples = g_try_malloc (histo_pack_room (whole));
  g_autofree gpointer line = NULL;
  gpointer to[GST_VIDEO_MAX_PLANES] = { NULL, };
  HistoPlane planes[HISTO_MAX_PLANES];

  if (samples == NULL)
    return FALSE;
  line = g_malloc0 (((gsize) picture->width + 64) * 8);
  histo_pack (whole, frame, samples);
  histo_packed_locate (whole, (guintptr) samples, planes);
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (room); p++)
    to[p] = data + GST_VIDEO_INFO_PLANE_OFFSET (room, p);
  for (guint y = 0; y < picture->height; y++) {
    fill_line (picture, planes, crop, y, is_wide, line);
    info->pack_func (info, GST_VIDEO_PACK_FLAG_NONE, line, 0, to, room->stride,
        GST_VIDEO_CHROMA_SITE_UNKNOWN, y, picture->width);
  }
  return TRUE;
}

/* Whether copy_tiles() can write the format. Newer ones have not been tried. */
static gboolean
has_known_tiles (const HistoFormat * format)
{
  return GST_VIDEO_INFO_FORMAT (&format->video) <=
      GST_VIDEO_FORMAT_NV12_10BE_8L128
      && format->colors == HISTO_COLORS_YUV
      && format->video.finfo->pack_func != NULL;
}

/* At some widths pack functions write one sample more than a row has room for. */
#define SPARE_PIXELS 64

/* Returns: (transfer full) (nullable): a copy of the rectangle in ordinary memory */
static GstBuffer *
copy_picture (const HistoFormat * format, const GstCaps * caps,
    const HistoFormat * picture, GstBuffer * buffer, const HistoCrop * crop,
    GError ** error)
{
  guint width, height;
  HistoFormat *whole;
  HistoLayout frame;
  GstVideoInfo room;
  GstBuffer *copy = NULL;

  if (picture->needs_unpack && !has_known_tiles (picture)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "Frames of %s, which consist of tiles, cannot be cropped by a crop meta",
        histo_format_name (format));
    return NULL;
  }
  find_frame_size (format, buffer, &width, &height);
  whole = histo_format_new_sized (caps, width, height, error);
  if (whole == NULL)
    return NULL;
  if (!gst_video_info_set_format (&room, GST_VIDEO_INFO_FORMAT (&format->video),
          crop->width + SPARE_PIXELS, GST_VIDEO_INFO_HEIGHT (&picture->video))) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The rectangle of the crop meta is too large: %ux%u", crop->width,
        crop->height);
  } else if (histo_layout_map (&frame, whole, buffer, GST_MAP_READ, error)) {
    guint8 *data = g_try_malloc0 (GST_VIDEO_INFO_SIZE (&room));

    if (data != NULL && !picture->needs_unpack)
      copy_packed (&frame, picture, crop, &room, data);
    else if (data != NULL && !copy_tiles (whole, &frame, picture, crop, &room, data))
      g_clear_pointer (&data, g_free);

    histo_layout_unmap (&frame, whole);
    if (data != NULL) {
      copy = gst_buffer_new_wrapped (data, GST_VIDEO_INFO_SIZE (&room));
      gst_buffer_add_video_meta_full (copy, GST_VIDEO_FRAME_FLAG_NONE,
          GST_VIDEO_INFO_FORMAT (&room), crop->width,
          GST_VIDEO_INFO_HEIGHT (&picture->video),
          GST_VIDEO_INFO_N_PLANES (&room), room.offset, room.stride);
    } else {
      g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
          "No memory for the copy of a frame with a crop meta");
    }
  }
  histo_format_unref (whole);
  return copy;
}

/* @info: (inout): of the caps; gets the offsets and strides of the frame */
static gboolean
find_planes (const HistoFormat * picture, GstBuffer * buffer,
    GstVideoInfo * info, GError ** error)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  if (!histo_layout_check_metas (&picture->video, meta, error))
    return FALSE;
  if (meta == NULL)
    return histo_layout_check_without_meta (buffer, info, error);
  memcpy (info->offset, meta->offset, sizeof info->offset);
  memcpy (info->stride, meta->stride, sizeof info->stride);
  return TRUE;
}

/**
 * histo_crop_view:
 * @format: what @caps describe
 * @picture: the same for the size of @crop
 * @buffer: the caller keeps it, unchanged, as long as the view
 * @crop: of histo_crop_find()
 *
 * Returns: (transfer full): a buffer of the picture, without a crop meta; %NULL with a
 *   %GST_STREAM_ERROR_FORMAT if the buffer contradicts its caps, or the format cannot be cropped, and with a
 *   %GST_RESOURCE_ERROR if there is no memory for a copy. Whether the memory holds the planes is checked when the
 *   view is mapped
 */
GstBuffer *
histo_crop_view (const HistoFormat * format, const GstCaps * caps,
    const HistoFormat * picture, GstBuffer * buffer, const HistoCrop * crop,
    GError ** error)
{
  /* Bayer has one plane, as in its video metas. */
  const guint n_planes = GST_VIDEO_INFO_N_PLANES (&format->video);
  GstVideoInfo info = format->video;
  GstBuffer *view;

  /* At an odd corner each component of Bayer video would have other pixels than the caps say. */
  if (histo_format_is_bayer (format) && (crop->x % 2 != 0 || crop->y % 2 != 0)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "A crop meta can crop Bayer video at even corners, not at %u,%u", crop->x, crop->y);
    return NULL;
  }
  if (histo_format_is_bayer (format) ? !histo_layout_find_bayer (buffer, &info, error) :
      !find_planes (picture, buffer, &info, error))
    return NULL;
  if ((!histo_format_is_bayer (format)
          && histo_layout_has_own_map (gst_buffer_get_video_meta (buffer)))
      || !move_planes (format, crop, info.offset, info.stride))
    return copy_picture (format, caps, picture, buffer, crop, error);
  view = gst_buffer_new ();
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++)
    gst_buffer_append_memory (view, gst_buffer_get_memory (buffer, i));
  gst_buffer_add_video_meta_full (view, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (&format->video), crop->width,
      GST_VIDEO_INFO_HEIGHT (&picture->video), n_planes, info.offset,
      info.stride);
  return view;
}
