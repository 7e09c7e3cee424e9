/* Frames for fuzzers; see frames.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"

__extension__ typedef __int128 Int128;

#define MOST_MEMORIES 3

/* ---- Buffers ------------------------------------------------------------------------------------ */

static GstMemory *
memory_new (const guint8 * bytes, gsize size, gsize prefix)
{
  guint8 *data = g_malloc (MAX (prefix + size, 1));

  memset (data, 0xa5, prefix);
  if (size > 0)
    memcpy (data + prefix, bytes, size);
  return gst_memory_new_wrapped (0, data, prefix + size, prefix, size, data,
      g_free);
}

void
fuzz_content_init (FuzzContent * content, FuzzBytes * input, gsize size)
{
  const guint n = 1 + fuzz_below (input, 2 * MOST_MEMORIES) % MOST_MEMORIES;
  gsize begin = 0;

  content->size = size;
  content->bytes = g_malloc (MAX (size, 1));
  fuzz_fill (content->bytes, size, fuzz_u8 (input));
  content->buffer = gst_buffer_new ();
  for (guint i = 0; i < n; i++) {
    const gsize left = size - begin;
    const gsize bytes = i + 1 == n || left == 0 ? left :
        fuzz_u16 (input) % (left + 1);

    gst_buffer_append_memory (content->buffer,
        memory_new (content->bytes + begin, bytes, fuzz_below (input, 8)));
    begin += bytes;
  }
}

void
fuzz_content_clear (FuzzContent * content)
{
  gst_buffer_unref (content->buffer);
  g_free (content->bytes);
}

/* ---- Caps ---------------------------------------------------------------------------------------- */

GstCaps *
fuzz_video_caps (FuzzBytes * input, const gchar * format, gint width,
    gint height)
{
  static const gchar *const colorimetries[] = {
    "bt601", "bt709", "bt2020-10", "bt2100-pq", "sRGB", "1:4:15:1", "9:9:99:9", ""
  };
  const guint flags = fuzz_u8 (input);
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      format, "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, NULL);

  if ((flags & 7) == 1) {
    gst_caps_set_simple (caps, "interlace-mode", G_TYPE_STRING, "alternate",
        NULL);
    gst_caps_set_features_simple (caps,
        gst_caps_features_new (GST_CAPS_FEATURE_FORMAT_INTERLACED, NULL));
  }
  if ((flags & 8) != 0)
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING,
        colorimetries[fuzz_below (input, G_N_ELEMENTS (colorimetries))], NULL);
  if ((flags & 0xf0) == 0x10)
    gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION,
        (gint) fuzz_u8 (input), 1, "chroma-site", G_TYPE_STRING, "cosited",
        "multiview-mode", G_TYPE_STRING, "side-by-side", NULL);
  if ((flags & 0xf0) == 0x20)
    gst_caps_set_simple (caps, "interlace-mode", G_TYPE_STRING, "interleaved",
        NULL);
  return caps;
}

void
fuzz_video_init (FuzzVideo * video, const GstVideoInfo * caps)
{
  memset (video, 0, sizeof *video);
  video->caps = *caps;
  video->width = GST_VIDEO_INFO_WIDTH (caps);
  video->height = GST_VIDEO_INFO_FIELD_HEIGHT (caps);
  memcpy (video->offset, caps->offset, sizeof video->offset);
  memcpy (video->stride, caps->stride, sizeof video->stride);
}

/* ---- Metas --------------------------------------------------------------------------------------- */

gint
fuzz_choose_stride (FuzzBytes * input, gint usual)
{
  switch (fuzz_below (input, 6)) {
    case 0:
      return usual + (gint8) fuzz_u8 (input);
    case 1:
      return -usual;
    case 2:
      return usual + ((gint) fuzz_u8 (input) << 16);
    case 3:
      return (gint) fuzz_edge (input);
    default:
      return usual;
  }
}

gsize
fuzz_choose_offset (FuzzBytes * input, gsize usual, gsize size)
{
  switch (fuzz_below (input, 6)) {
    case 0:
      return usual + (gint8) fuzz_u8 (input);
    case 1:
      return size - fuzz_u16 (input);
    case 2:
      return fuzz_edge (input);
    default:
      return usual;
  }
}

gsize
fuzz_choose_size (FuzzBytes * input, gsize usual, gboolean is_other)
{
  const gssize size = usual + (is_other ? (gint16) fuzz_u16 (input) / 8 : 0);

  return size > 0 ? size : 0;
}

void
fuzz_video_add_meta (FuzzVideo * video, FuzzBytes * input,
    FuzzContent * content)
{
  const GstVideoInfo *caps = &video->caps;
  const guint n_planes = GST_VIDEO_INFO_N_PLANES (caps);
  GstVideoMeta *meta = gst_buffer_add_video_meta_full (content->buffer, 0,
      GST_VIDEO_INFO_FORMAT (caps), caps->width, caps->height, n_planes,
      (gsize *) caps->offset, (gint *) caps->stride);

  /* GStreamer drops metas that it thinks wrong. */
  if (meta == NULL)
    return;
  video->has_meta = TRUE;
  for (guint p = 0; p < n_planes; p++) {
    video->stride[p] = fuzz_choose_stride (input, caps->stride[p]);
    video->offset[p] =
        fuzz_choose_offset (input, caps->offset[p], content->size);
    meta->stride[p] = video->stride[p];
    meta->offset[p] = video->offset[p];
  }
  switch (fuzz_below (input, 32)) {
    case 0:
      meta->width += (gint8) fuzz_u8 (input);
      break;
    case 1:
      meta->height += (gint8) fuzz_u8 (input);
      break;
    case 2:
      meta->format = fuzz_u8 (input);
      break;
    case 3:
      meta->n_planes = fuzz_below (input, GST_VIDEO_MAX_PLANES + 1);
      break;
    default:
      break;
  }
  video->is_contradiction = meta->width < (guint) caps->width
      || meta->height < (guint) caps->height
      || meta->format != GST_VIDEO_INFO_FORMAT (caps)
      || meta->n_planes != n_planes;
}

/* ---- Where the samples lie ----------------------------------------------------------------------- */

/* Where the samples of plane @p lie. */
static FuzzPlace
find_place (const FuzzVideo * video, guint p, gsize size)
{
  const GstVideoFormatInfo *info = video->caps.finfo;
  Int128 rows = 0, samples = 0, periods = 0, first, stride = video->stride[p];

  if (GST_VIDEO_FORMAT_INFO_IS_COMPLEX (info)
      || GST_VIDEO_FORMAT_INFO_IS_TILED (info)
      || GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info))
    return FUZZ_UNKNOWN;
  for (guint c = 0; c < info->n_components; c++) {
    const Int128 width =
        GST_VIDEO_FORMAT_INFO_SCALE_WIDTH (info, c, video->width);

    if (info->plane[c] != p)
      continue;
    if (info->pixel_stride[c] <= 0)
      return FUZZ_UNKNOWN;
    rows = GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT (info, c, video->height);
    samples = MAX (samples, (width - 1) * info->pixel_stride[c]
        + info->poffset[c] + (info->depth[c] + 7) / 8);
    periods = MAX (periods, width * info->pixel_stride[c]
        + info->poffset[c] % info->pixel_stride[c]);
  }
  first = (Int128) video->offset[p] + (stride < 0 ? stride * (rows - 1) : 0);
  stride = stride < 0 ? -stride : stride;
  if (first < 0 || first + stride * (rows - 1) + samples > size)
    return FUZZ_OUTSIDE;
  return first + stride * (rows - 1) + periods <= size ? FUZZ_INSIDE :
      FUZZ_UNKNOWN;
}

FuzzPlace
fuzz_video_find_place (const FuzzVideo * video, gsize size)
{
  FuzzPlace place = FUZZ_INSIDE;

  if (video->is_contradiction)
    return FUZZ_OUTSIDE;
  if (size >= GST_VIDEO_INFO_SIZE (&video->caps)
      && memcmp (video->offset, video->caps.offset, sizeof video->offset) == 0
      && memcmp (video->stride, video->caps.stride, sizeof video->stride) == 0)
    return FUZZ_INSIDE;
  /* Without a meta the buffer must be as large as the caps say. */
  if (!video->has_meta)
    return FUZZ_OUTSIDE;
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&video->caps); p++) {
    const FuzzPlace next = find_place (video, p, size);

    if (next == FUZZ_OUTSIDE)
      return FUZZ_OUTSIDE;
    if (next == FUZZ_UNKNOWN)
      place = FUZZ_UNKNOWN;
  }
  return place;
}

gboolean
fuzz_video_read (const FuzzVideo * video, const guint8 * bytes,
    ReferencePicture * picture)
{
  const guint8 *data[GST_VIDEO_MAX_PLANES] = { NULL, };
  GstVideoInfo info = video->caps;

  info.height = video->height;
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&info); p++) {
    data[p] = bytes + video->offset[p];
    info.stride[p] = video->stride[p];
  }
  return reference_picture_init (picture, &info, data);
}
