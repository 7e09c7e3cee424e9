/* Fuzzer: the overlay's frames: caps, the geometry of buffers, and metas → drawn rectangles.
 *
 * A frame of which samples lie outside of the buffer must be refused. If all samples lie inside, the frame
 * must be accepted, and its samples must be those that GStreamer's own function gives for a copy. The copy
 * lies between other bytes, which may not change.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"

#include "overlay/blend.h"

#define MOST_WIDTH 256
#define MOST_PIXELS 4096
#define MOST_RECTANGLES 3
/* Bytes before and after the copy: more than a tile, or a row. */
#define GUARD 4096
#define GUARD_BYTE 0x5a
/* A multiple of that of all pixels. */
#define ALIGNMENT 16

static const GstVideoFormat *formats;
static guint n_formats;

/* ---- Overlays ----------------------------------------------------------------------------------- */

/* Premultiplied: no colour exceeds its alpha. */
static GstBuffer *
make_pixels (FuzzBytes * input, guint n)
{
  guint8 *pixels = g_malloc (4 * n);

  fuzz_fill (pixels, 4 * n, fuzz_u8 (input));
  for (guint i = 0; i < n; i++) {
    guint32 pixel;
    guint alpha;

    memcpy (&pixel, pixels + 4 * i, 4);
    alpha = pixel >> 24;
    pixel = alpha << 24 | (pixel >> 16 & 255) * alpha / 255 << 16
        | (pixel >> 8 & 255) * alpha / 255 << 8 | (pixel & 255) * alpha / 255;
    memcpy (pixels + 4 * i, &pixel, 4);
  }
  return gst_buffer_new_wrapped (pixels, 4 * n);
}

static void
add_rectangle (GstVideoOverlayComposition * composition, GstBuffer * pixels,
    gint x, gint y, guint width, guint height)
{
  GstVideoOverlayRectangle *rectangle;

  gst_buffer_add_video_meta (pixels, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, width, height);
  rectangle = gst_video_overlay_rectangle_new_raw (pixels, x, y, width,
      height, GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
  gst_video_overlay_composition_add_rectangle (composition, rectangle);
  gst_video_overlay_rectangle_unref (rectangle);
  gst_buffer_unref (pixels);
}

static GstVideoOverlayComposition *
make_overlay (FuzzBytes * input, const FuzzVideo * video)
{
  GstVideoOverlayComposition *composition =
      gst_video_overlay_composition_new (NULL);

  for (guint n = 1 + fuzz_below (input, MOST_RECTANGLES); n > 0; n--) {
    const guint width = 1 + fuzz_below (input, 64);
    const guint height = 1 + fuzz_below (input, 32);
    /* Some lie outside, or in part. */
    const gint x = (gint) fuzz_below (input, video->width + 16) - 8;
    const gint y = (gint) fuzz_below (input, video->height + 16) - 8;

    add_rectangle (composition, make_pixels (input, width * height), x, y,
        width, height);
  }
  return composition;
}

/* ---- Geometry ----------------------------------------------------------------------------------- */

/* The bytes of a row of plane @p, and its number of rows.
 * Returns: FALSE: only the format's own code knows */
static gboolean
find_rows (const FuzzVideo * video, guint p, gsize * bytes, gsize * rows)
{
  const GstVideoFormatInfo *info = video->caps.finfo;

  if (GST_VIDEO_FORMAT_INFO_IS_COMPLEX (info)
      || GST_VIDEO_FORMAT_INFO_IS_TILED (info)
      || GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info))
    return FALSE;
  *bytes = *rows = 0;
  for (guint c = 0; c < info->n_components; c++) {
    if (info->plane[c] != p)
      continue;
    if (info->pixel_stride[c] <= 0)
      return FALSE;
    *bytes = MAX (*bytes, (gsize) info->pixel_stride[c] *
        GST_VIDEO_FORMAT_INFO_SCALE_WIDTH (info, c, video->width));
    *rows = MAX (*rows, (gsize) GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT (info, c,
            video->height));
  }
  return TRUE;
}

/* Whether the samples lie where the caps say. */
static gboolean
is_usual (const FuzzVideo * video)
{
  return memcmp (video->offset, video->caps.offset, sizeof video->offset) == 0
      && memcmp (video->stride, video->caps.stride, sizeof video->stride) == 0;
}

/* Whether no byte belongs to two rows: then the order in which they are drawn does not matter.
 * @video: inside of its buffer */
static gboolean
is_disjoint (const FuzzVideo * video, gsize size)
{
  guint8 *is_used = g_malloc0 (MAX (size, 1));
  gboolean ok = TRUE;

  for (guint p = 0; ok && p < GST_VIDEO_INFO_N_PLANES (&video->caps); p++) {
    gsize bytes, rows;

    ok = find_rows (video, p, &bytes, &rows);
    for (gsize y = 0; ok && y < rows; y++) {
      guint8 *row = is_used + (gssize) video->offset[p]
          + (gssize) y *video->stride[p];

      ok = bytes == 0 || memchr (row, 1, bytes) == NULL;
      if (ok)
        memset (row, 1, bytes);
    }
  }
  g_free (is_used);
  return ok;
}

/* Whether pixels of several bytes may lie at addresses that the overlay refuses. It refuses none in a
 * format whose planes have one or two components. */
static gboolean
may_be_misaligned (const FuzzVideo * video, GstBuffer * buffer)
{
  const GstVideoFormatInfo *info = video->caps.finfo;
  guint n_components[GST_VIDEO_MAX_PLANES] = { 0 }, most = 0;
  gsize bits = 0;

  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info); c++)
    most = MAX (most, ++n_components[GST_VIDEO_FORMAT_INFO_PLANE (info, c)]);
  if (most < 3)
    return FALSE;
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++)
    bits |= gst_buffer_peek_memory (buffer, i)->offset;
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&video->caps); p++)
    bits |= video->offset[p] | (gsize) video->stride[p];
  return bits % ALIGNMENT != 0;
}

/* Whether the overlay must accept the frame: FUZZ_INSIDE, or must refuse it: FUZZ_OUTSIDE. */
static FuzzPlace
find_place (const FuzzVideo * video, const FuzzContent * content)
{
  const FuzzPlace place = fuzz_video_find_place (video, content->size);

  /* GStreamer does not join the memories of a plane if there is a video meta. */
  if (place == FUZZ_INSIDE && (may_be_misaligned (video, content->buffer)
          || (video->has_meta && gst_buffer_n_memory (content->buffer) > 1)))
    return FUZZ_UNKNOWN;
  for (guint p = 0; place == FUZZ_INSIDE
      && p < GST_VIDEO_INFO_N_PLANES (&video->caps); p++) {
    gsize bytes, rows;

    /* In some of these formats GStreamer allocates too little. */
    if (!find_rows (video, p, &bytes, &rows))
      return FUZZ_UNKNOWN;
  }
  return place;
}

/* ---- Blending ----------------------------------------------------------------------------------- */

/* A copy of the content between other bytes. */
typedef struct
{
  guint8 *memory;
  guint8 *bytes;                /* of the content */
} Copy;

/* @data: plane 0 of the frame. That of the copy has the same alignment */
static void
copy_init (Copy * copy, const FuzzVideo * video, const FuzzContent * content,
    const guint8 * data)
{
  const gsize size = content->size + 2 * GUARD;
  const gsize shift = ((guintptr) data - video->offset[0]) % ALIGNMENT;

  copy->memory = g_aligned_alloc (1, size + ALIGNMENT, ALIGNMENT);
  memset (copy->memory, GUARD_BYTE, size + ALIGNMENT);
  copy->bytes = copy->memory + GUARD + shift;
  memcpy (copy->bytes, content->bytes, content->size);
}

/* Clears the bits that belong to no sample. GStreamer draws whole rows: from some formats it reads these
 * bits, too, and it writes 0. The overlay leaves more of them as they are.
 * @frame: with the height of the picture */
static void
clear_other_bits (GstVideoFrame * frame)
{
  const guint width = frame->info.width, height = frame->info.height;
  GstVideoOverlayComposition *transparent =
      gst_video_overlay_composition_new (NULL);

  add_rectangle (transparent, gst_buffer_new_wrapped (g_malloc0 (4 * width *
              height), 4 * width * height), 0, 0, width, height);
  gst_video_overlay_composition_blend (transparent, frame);
  gst_video_overlay_composition_unref (transparent);
}

/* Blends into the copy with GStreamer's own function, and checks the bytes before and after it.
 * Returns: whether GStreamer could */
static gboolean
blend_copy (Copy * copy, const FuzzVideo * video, gsize size,
    GstVideoOverlayComposition * composition)
{
  const guint8 *before = copy->bytes - GUARD, *after = copy->bytes + size;
  GstVideoFrame frame = {.info = video->caps };
  gboolean is_drawn;

  frame.info.height = video->height;
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&video->caps); p++) {
    frame.info.stride[p] = video->stride[p];
    frame.data[p] = copy->bytes + video->offset[p];
  }
  clear_other_bits (&frame);
  is_drawn = gst_video_overlay_composition_blend (composition, &frame);
  for (gsize i = 0; i < GUARD; i++)
    fuzz_check (before[i] == GUARD_BYTE && after[i] == GUARD_BYTE,
        "%s %ux%u, stride %d: a byte outside of the buffer was changed",
        GST_VIDEO_INFO_NAME (&video->caps), video->width, video->height,
        video->stride[0]);
  return is_drawn;
}

static void
compare (const FuzzVideo * video, const guint8 * bytes,
    const guint8 * expected_bytes)
{
  ReferencePicture picture, expected;

  /* GStreamer 1.22 writes the last U and V of these rows in the wrong order. */
  if (GST_VIDEO_INFO_FORMAT (&video->caps) == GST_VIDEO_FORMAT_NV61
      && video->width % 2 != 0)
    return;
  if (fuzz_video_read (video, bytes, &picture)
      & fuzz_video_read (video, expected_bytes, &expected)) {
    for (guint c = 0; c < picture.shape.n_components; c++) {
      const guint n = picture.shape.widths[c] * picture.shape.heights[c];

      for (guint i = 0; i < n; i++)
        fuzz_check (picture.samples[c][i] == expected.samples[c][i],
            "%s %ux%u: sample %u of component %u is %u, not %u",
            GST_VIDEO_INFO_NAME (&video->caps), video->width, video->height, i,
            c, picture.samples[c][i], expected.samples[c][i]);
    }
  }
  reference_picture_clear (&picture);
  reference_picture_clear (&expected);
}

/* Memory that can only be read, and what it holds. */
typedef struct
{
  GstMemory *memory;            /* NULL: none */
  GBytes *bytes;
} ReadOnly;

static GBytes *
read_memory (GstMemory * memory)
{
  GstMapInfo map;
  GBytes *bytes;

  fuzz_check (gst_memory_map (memory, &map, GST_MAP_READ), "no map");
  bytes = g_bytes_new (map.data, map.size);
  gst_memory_unmap (memory, &map);
  return bytes;
}

static void
read_only_init (ReadOnly * locked, FuzzBytes * input, GstBuffer * buffer)
{
  const guint n = gst_buffer_n_memory (buffer);

  locked->memory = NULL;
  if (n == 0 || fuzz_below (input, 8) != 0)
    return;
  locked->memory = gst_buffer_get_memory (buffer, fuzz_below (input, n));
  GST_MINI_OBJECT_FLAG_SET (locked->memory, GST_MEMORY_FLAG_READONLY);
  locked->bytes = read_memory (locked->memory);
}

/* The memory must still hold the same. */
static void
read_only_clear (ReadOnly * locked)
{
  GBytes *bytes;

  if (locked->memory == NULL)
    return;
  bytes = read_memory (locked->memory);
  fuzz_check (g_bytes_equal (bytes, locked->bytes),
      "memory was changed that can only be read");
  g_bytes_unref (bytes);
  g_bytes_unref (locked->bytes);
  gst_memory_unref (locked->memory);
}

static void
draw (const FuzzVideo * video, FuzzContent * content,
    GstVideoOverlayComposition * composition)
{
  const FuzzPlace place = find_place (video, content);
  GstVideoFrame frame, picture;
  const gboolean is_accepted = histo_overlay_map_frame (&frame, &video->caps,
      content->buffer);
  gboolean is_drawn, can_be_drawn;
  guint8 *bytes;
  Copy copy;

  fuzz_check (place != (is_accepted ? FUZZ_OUTSIDE : FUZZ_INSIDE),
      "%s %ux%u, stride %d at %" G_GSIZE_FORMAT ": %" G_GSIZE_FORMAT
      " bytes were %s", GST_VIDEO_INFO_NAME (&video->caps), video->width,
      video->height, video->stride[0], video->offset[0], content->size,
      is_accepted ? "accepted" : "refused");
  if (!is_accepted)
    return;
  copy_init (&copy, video, content, frame.data[0]);
  can_be_drawn = blend_copy (&copy, video, content->size, composition);
  picture = frame;
  picture.info.height = video->height;
  clear_other_bits (&picture);
  is_drawn = histo_blend (composition, &frame);
  gst_video_frame_unmap (&frame);
  fuzz_check (is_drawn == can_be_drawn, "%s %ux%u was%s drawn",
      GST_VIDEO_INFO_NAME (&video->caps), video->width, video->height,
      is_drawn ? "" : " not");
  if (is_drawn && (is_usual (video) || is_disjoint (video, content->size))) {
    bytes = g_malloc (content->size);
    gst_buffer_extract (content->buffer, 0, bytes, content->size);
    compare (video, bytes, copy.bytes);
    g_free (bytes);
  }
  g_aligned_free (copy.memory);
}

/* ---- Inputs ------------------------------------------------------------------------------------- */

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  fuzz_init ();
  formats = gst_video_formats_raw (&n_formats);
  return 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  FuzzBytes input = { data, size };
  const GstVideoFormat format = formats[fuzz_below (&input, n_formats)];
  const guint flags = fuzz_u8 (&input);
  const guint width = 1 + fuzz_below (&input, MOST_WIDTH);
  const guint height = 1 + fuzz_u8 (&input) % (MOST_PIXELS / width);
  GstCaps *caps = fuzz_video_caps (&input, gst_video_format_to_string (format),
      width, height);
  GstVideoOverlayComposition *composition;
  GstVideoInfo info;
  FuzzVideo video;
  FuzzContent content;
  ReadOnly locked;

  if (gst_video_info_from_caps (&info, caps)) {
    fuzz_video_init (&video, &info);
    fuzz_content_init (&content, &input, fuzz_choose_size (&input, info.size,
            (flags & 6) == 6));
    if ((flags & 1) != 0)
      fuzz_video_add_meta (&video, &input, &content);
    composition = make_overlay (&input, &video);
    read_only_init (&locked, &input, content.buffer);
    draw (&video, &content, composition);
    read_only_clear (&locked);
    gst_video_overlay_composition_unref (composition);
    fuzz_content_clear (&content);
  }
  gst_caps_unref (caps);
  return 0;
}
