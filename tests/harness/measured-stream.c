/* A stream of video whose results are compared with the reference; see measured-stream.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measured-stream.h"

#include <math.h>

#include "frames.h"

/* ---- Frames ------------------------------------------------------------------------------ */

static const gchar *const kind_names[TEST_N_FRAMES] =
    { "noise", "ramp", "rows", "near", "same" };

static void
fill_ramp (guint8 * data, gsize size, gboolean words, GRand * random)
{
  const guint shift = g_rand_int_range (random, 0, 5);

  for (gsize i = 0; i < size; i++) {
    if (words)
      data[i] = i % 2 == 0 ? g_rand_int (random) : (guint32) (i >> shift);
    else
      data[i] = (i >> shift) + g_rand_int_range (random, 0, 3);
  }
}

/* A black bar: 0, or the brightest code that is still black, or 1 more. */
static void
fill_bar (guint8 * data, gsize size, guint depth, GRand * random)
{
  const guint black = (24 * ((1u << depth) - 1) + 127) / 255;
  const guint code = g_rand_int_range (random, 0, 3) == 0 ? 0 :
      black + g_rand_int_range (random, 0, 2);

  if (depth <= 8)
    memset (data, code, size);
  else
    for (gsize i = 0; i < size; i++)
      data[i] = code >> (i % 2 * 8);
}

/* Rows of the plane, each like the one four rows above, except for a few bytes that are 1 more;
 * black bars at the ends. */
static void
fill_rows (guint8 * data, gsize size, gsize stride, guint depth,
    GRand * random)
{
  const gsize rows = g_rand_int_range (random, 0, 4);
  const gsize bar = MIN (rows * stride, size / 2);

  test_fill_random (random, data, MIN (size, 4 * stride));
  for (gsize i = 4 * stride; i < size; i++)
    data[i] = data[i - 4 * stride];
  for (gsize i = 0; i < size; i++) {
    if (g_rand_int_range (random, 0, 100) == 0)
      data[i]++;
  }
  fill_bar (data, bar, depth, random);
  fill_bar (data + size - bar, bar, depth, random);
}

static void
fill_plane (guint8 * data, gsize size, gsize stride, TestFrame kind,
    guint depth, GRand * random)
{
  switch (kind) {
    case TEST_FRAME_RAMP:
      fill_ramp (data, size, depth > 8, random);
      break;
    case TEST_FRAME_ROWS:
      fill_rows (data, size, stride, depth, random);
      break;
    default:
      test_fill_random (random, data, size);
      break;
  }
}

static void
fill_planes (const GstVideoInfo * info, guint8 * data, TestFrame kind,
    GRand * random)
{
  const guint depth = MAX (GST_VIDEO_INFO_COMP_DEPTH (info, 0), 8);
  const gboolean tiled = GST_VIDEO_FORMAT_INFO_IS_TILED (info->finfo);

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gsize end = p + 1 < GST_VIDEO_INFO_N_PLANES (info) ?
        info->offset[p + 1] : info->size;

    fill_plane (data + info->offset[p], end - info->offset[p],
        tiled ? 16 : info->stride[p], kind, depth, random);
  }
}

/* @previous: (nullable): the kinds TEST_FRAME_NEAR and TEST_FRAME_SAME need it */
static GstBuffer *
make_frame (const GstVideoInfo * info, TestFrame kind, GstBuffer * previous,
    guint n, GRand * random)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  if (kind == TEST_FRAME_NEAR || kind == TEST_FRAME_SAME)
    gst_buffer_extract (previous, 0, map.data, map.size);
  else
    fill_planes (info, map.data, kind, random);
  for (gsize i = 0; kind == TEST_FRAME_NEAR && i < map.size / 50 + 1; i++)
    map.data[g_rand_int_range (random, 0, map.size)] += 1;
  gst_buffer_unmap (buffer, &map);
  test_add_video_meta (buffer, info);
  GST_BUFFER_PTS (buffer) = n * 40 * GST_MSECOND;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  if (GST_VIDEO_INFO_INTERLACE_MODE (info) == GST_VIDEO_INTERLACE_MODE_MIXED
      && g_rand_boolean (random))
    GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
  return buffer;
}

/* Whether the frame consists of two fields. */
static gboolean
is_interlaced (const GstVideoInfo * info, GstBuffer * buffer)
{
  return GST_VIDEO_INFO_INTERLACE_MODE (info) == GST_VIDEO_INTERLACE_MODE_MIXED ?
      GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED) :
      GST_VIDEO_INFO_IS_INTERLACED (info);
}

static void
read_picture (ReferencePicture * picture, const GstVideoInfo * info,
    GstBuffer * buffer)
{
  const guint8 *data[4] = { NULL, };
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++)
    data[p] = map.data + info->offset[p];
  fail_unless (reference_picture_init (picture, info, data));
  gst_buffer_unmap (buffer, &map);
  picture->row_step = is_interlaced (info, buffer) ? 2 : 1;
}

/* ---- Colorimetries ----------------------------------------------------------------------- */

#define COLORIMETRY(range, matrix, transfer, primaries) \
  { GST_VIDEO_COLOR_RANGE_##range, GST_VIDEO_COLOR_MATRIX_##matrix, \
    GST_VIDEO_TRANSFER_##transfer, GST_VIDEO_COLOR_PRIMARIES_##primaries }

/* The caps of RGB video have the matrix RGB; the primaries then decide. The first one is
 * replaced by GStreamer's default. */
const GstVideoColorimetry test_colorimetries[TEST_N_COLORIMETRIES] = {
  COLORIMETRY (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN),
  COLORIMETRY (16_235, BT709, BT709, BT709),
  COLORIMETRY (16_235, BT2020, SMPTE2084, BT2020),
  COLORIMETRY (0_255, BT601, BT601, SMPTE170M),
  COLORIMETRY (16_235, BT2020, ARIB_STD_B67, BT2020),
  COLORIMETRY (0_255, BT709, SRGB, BT709),
  COLORIMETRY (16_235, SMPTE240M, SMPTE240M, SMPTE240M),
  COLORIMETRY (16_235, FCC, GAMMA28, BT470M),
  COLORIMETRY (0_255, BT2020, GAMMA10, BT2020),
  COLORIMETRY (0_255, BT601, SMPTE2084, BT470BG),
  COLORIMETRY (0_255, BT709, ARIB_STD_B67, BT2020),
  /* Some parts are known, the matrix is not, or the range is not. */
  COLORIMETRY (0_255, UNKNOWN, UNKNOWN, UNKNOWN),
  COLORIMETRY (16_235, UNKNOWN, SMPTE2084, BT2020),
  COLORIMETRY (0_255, UNKNOWN, UNKNOWN, BT709),
  COLORIMETRY (UNKNOWN, BT709, BT709, BT709),
};

/* Sets the caps: a third of the colorimetries is that of interlaced pictures, and a third that of mixed ones. @info
 * gets what they say. */
static void
set_caps (GstHarness * harness, GstVideoInfo * info, GstVideoFormat format,
    gint width, gint height, guint colorimetry)
{
  GstCaps *caps;

  fail_unless (gst_video_info_set_format (info, format, width, height));
  GST_VIDEO_INFO_FPS_N (info) = 25;
  GST_VIDEO_INFO_FPS_D (info) = 1;
  GST_VIDEO_INFO_INTERLACE_MODE (info) = colorimetry % 3 == 2 ?
      GST_VIDEO_INTERLACE_MODE_INTERLEAVED : colorimetry % 3 == 1 ?
      GST_VIDEO_INTERLACE_MODE_MIXED : GST_VIDEO_INTERLACE_MODE_PROGRESSIVE;
  if (colorimetry > 0)
    info->colorimetry = test_colorimetries[colorimetry];
  if (GST_VIDEO_INFO_IS_RGB (info))
    info->colorimetry.matrix = GST_VIDEO_COLOR_MATRIX_RGB;
  caps = gst_video_info_to_caps (info);
  fail_unless (gst_video_info_from_caps (info, caps));
  /* GstVideoInfo drops what is known beside an unknown matrix. */
  if (colorimetry > 0)
    info->colorimetry = test_colorimetries[colorimetry];
  if (GST_VIDEO_INFO_IS_RGB (info))
    info->colorimetry.matrix = GST_VIDEO_COLOR_MATRIX_RGB;
  gst_harness_set_src_caps (harness, caps);
}

/* ---- Regions ----------------------------------------------------------------------------- */

typedef struct
{
  const gchar *name;
  gint x, y, width, height;
  gboolean is_percent;          /* all four */
} Region;

/* Regions that overlap, that begin at odd pixels, that are as narrow as possible, and that lie
 * partly or completely outside of some of the pictures. */
static const Region regions[TEST_N_REGIONS] = {
  {"all", 0, 0, 100, 100, TRUE},
  {"odd", 1, 1, 7, 5, FALSE},
  {"overlap", 3, 2, 40, 30, FALSE},
  {"corner", -3, -2, 5, 4, FALSE},
  {"clipped", 20, 10, 1000, 1000, FALSE},
  {"outside", 500, 500, 10, 10, FALSE},
  {"part", 25, 33, 50, 40, TRUE},
  {"column", 5, 0, 1, 60, FALSE},
  {"row", 0, 3, 130, 1, FALSE},
};

static gchar *
regions_to_string (void)
{
  GString *text = g_string_new (NULL);

  for (guint r = 0; r < TEST_N_REGIONS; r++) {
    const Region *region = &regions[r];
    const gchar *unit = region->is_percent ? "%" : "";

    g_string_append_printf (text, "%s=%d%s,%d%s,%d%s,%d%s;", region->name,
        region->x, unit, region->y, unit, region->width, unit, region->height,
        unit);
  }
  return g_string_free (text, FALSE);
}

/* One edge of a region in pixels. Percents are rounded to the nearest pixel. */
static guint
edge_of (const Region * region, gint edge, guint size)
{
  gdouble pixels = region->is_percent ? floor (edge * size / 100.0 + 0.5) :
      edge;

  return CLAMP (pixels, 0, size);
}

static ReferenceRectangle
rectangle_of (const Region * region, const GstVideoInfo * info)
{
  const guint left = edge_of (region, region->x, info->width);
  const guint right =
      edge_of (region, region->x + region->width, info->width);
  const guint top = edge_of (region, region->y, info->height);
  const guint bottom =
      edge_of (region, region->y + region->height, info->height);
  ReferenceRectangle rectangle = { left, top, right - left, bottom - top };

  return rectangle;
}

/* ---- One stream -------------------------------------------------------------------------- */

void
test_stream_open (TestStream * stream, ReferenceGroups groups, guint bins,
    gboolean has_regions, const gchar * properties)
{
  gchar *measures = test_groups_to_string (groups);
  gchar *list = has_regions ? regions_to_string () : g_strdup ("");
  gchar *all = g_strdup_printf ("measures=%s bins=%u regions=\"%s\" "
      "region-histograms=true %s",
      measures, bins, list, properties);

  memset (stream, 0, sizeof *stream);
  stream->harness = test_harness_new (all);
  stream->groups = groups;
  stream->bins = bins;
  stream->has_regions = has_regions;
  g_free (all);
  g_free (list);
  g_free (measures);
}

static void
forget_previous (TestStream * stream)
{
  if (stream->previous != NULL)
    reference_picture_clear (&stream->picture);
  gst_clear_buffer (&stream->previous);
}

void
test_stream_restart (TestStream * stream)
{
  forget_previous (stream);
  memset (stream->history, 0, sizeof stream->history);
}

void
test_stream_close (TestStream * stream)
{
  forget_previous (stream);
  g_free (stream->mask);
  test_harness_free (stream->harness);
}

void
test_stream_set_format (TestStream * stream, GstVideoFormat format,
    gint width, gint height, guint colorimetry, gint padding)
{
  test_stream_restart (stream);
  stream->n = 0;
  set_caps (stream->harness, &stream->info, format, width, height,
      colorimetry);
  if (padding > 0 && !GST_VIDEO_FORMAT_INFO_IS_TILED (stream->info.finfo))
    test_pad_strides (&stream->info, padding);
}

static guint8 *
make_mask (const GstVideoInfo * info, TestMask kind, GRand * random)
{
  const guint width = info->width, height = info->height;
  guint8 *mask = g_new0 (guint8, (gsize) width * height);

  for (guint y = 0; y < height; y++) {
    const guint whole = g_rand_int_range (random, 0, 6);
    guint8 number = 0;

    for (guint x = 0; x < width; x++) {
      if (x == 0 || g_rand_int_range (random, 0, 20) == 0)
        number = g_rand_boolean (random) ? g_rand_int_range (random, 1, 256) : 0;
      mask[(gsize) y * width + x] = kind == TEST_MASK_ALL ? (gint) (1 + x % 255) : kind == TEST_MASK_NOTHING ? 0 :
          kind == TEST_MASK_NOISE ? MAX (g_rand_int_range (random, -256, 256), 0) :
          whole == 0 ? 0 : whole == 1 ? 1 : number;
    }
  }
  return mask;
}

/* Writes the mask to a file, has the element read it, and removes it. */
static void
use_mask_file (TestStream * stream)
{
  gchar *name = test_mask_file_new (stream->info.width, stream->info.height, stream->mask), *used = NULL;

  g_object_set (stream->harness->element, "mask", name, NULL);
  g_object_get (stream->harness->element, "mask", &used, NULL);
  fail_unless_equals_string (used, name);
  test_mask_file_free (name);
  g_free (used);
}

void
test_stream_set_mask (TestStream * stream, TestMask kind, GRand * random)
{
  g_clear_pointer (&stream->mask, g_free);
  stream->mask_kind = kind;
  if (kind == TEST_MASK_NONE || kind == TEST_MASK_ALPHA) {
    g_object_set (stream->harness->element, "mask", kind == TEST_MASK_ALPHA ? "alpha" : NULL, NULL);
    return;
  }
  stream->mask = make_mask (&stream->info, kind, random);
  use_mask_file (stream);
}

/* @picture: of a frame. Returns: (transfer full) (nullable): its mask, which it has from now on */
static guint8 *
mask_picture (const TestStream * stream, ReferencePicture * picture)
{
  const guint c = picture->shape.n_components - 1;
  const gsize n = (gsize) picture->width * picture->height;
  guint8 *mask;

  if (stream->mask_kind != TEST_MASK_ALPHA) {
    picture->mask = stream->mask;
    return NULL;
  }
  fail_unless_equals_string (picture->shape.names[c], "A");
  mask = g_new (guint8, n);
  for (gsize i = 0; i < n; i++)
    mask[i] = picture->samples[c][i] != 0;
  picture->mask = mask;
  return mask;
}

/* Checks the fields of the mask. */
static void
check_mask_fields (const TestStream * stream, const GstStructure * result, const ReferencePicture * picture,
    const gchar * label)
{
  guint64 n = 0, found;

  if (stream->mask_kind == TEST_MASK_NONE) {
    fail_if (gst_structure_has_field (result, "mask") || gst_structure_has_field (result, "mask-pixels"), "%s", label);
    return;
  }
  fail_unless_equals_string (gst_structure_get_string (result, "backend"), test_backend ());
  fail_unless_equals_string (gst_structure_get_string (result, "mask"),
      stream->mask_kind == TEST_MASK_ALPHA ? "alpha" : "file");
  for (guint y = 0; y < picture->height; y++)
    for (guint x = 0; x < picture->width; x++)
      n += reference_picture_has_pixel (picture, x, y);
  fail_unless (gst_structure_get_uint64 (result, "mask-pixels", &found), "%s", label);
  fail_unless (found == n, "%s: mask-pixels is %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT, label, found, n);
}

/* Compares the metas' regions, which come after the others. */
static void
compare_rois (TestStream * stream, GstBuffer * buffer,
    const ReferencePicture * current, const gchar * label)
{
  const ReferencePicture *previous =
      stream->previous != NULL ? &stream->picture : NULL;
  guint index = stream->has_regions ? TEST_N_REGIONS : 0;
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) != NULL) {
    const GstVideoRegionOfInterestMeta *roi =
        (const GstVideoRegionOfInterestMeta *) meta;
    const Region region = { g_quark_to_string (roi->roi_type), roi->x, roi->y,
      roi->w, roi->h, FALSE
    };
    ReferenceRectangle rectangle = rectangle_of (&region, &stream->info);
    ReferenceMeasures measures;

    reference_measures (current, previous, &rectangle, stream->groups & ~REFERENCE_GROUP_SCOPES, NULL,
        &measures);
    test_compare_region (test_result (buffer), index++, region.name, &measures,
        stream->bins, label);
    reference_measures_clear (&measures);
  }
  fail_unless_equals_int (test_n_regions (test_result (buffer)), index);
}

static void
compare_result (TestStream * stream, GstBuffer * buffer,
    const ReferencePicture * current, const gchar * label)
{
  const ReferencePicture *previous =
      stream->previous != NULL ? &stream->picture : NULL;
  const ReferenceRectangle whole =
      { 0, 0, stream->info.width, stream->info.height };
  ReferenceMeasures measures;

  reference_measures (current, previous, &whole, stream->groups,
      &stream->history[0], &measures);
  test_compare_measures (test_result (buffer), &measures, stream->bins, label);
  reference_measures_clear (&measures);
  for (guint r = 0; stream->has_regions && r < TEST_N_REGIONS; r++) {
    ReferenceRectangle rectangle = rectangle_of (&regions[r], &stream->info);

    reference_measures (current, previous, &rectangle, stream->groups & ~REFERENCE_GROUP_SCOPES,
        &stream->history[1 + r], &measures);
    test_compare_region (test_result (buffer), r, regions[r].name, &measures,
        stream->bins, label);
    reference_measures_clear (&measures);
  }
}

/* The element gets a copy, so that nothing keeps the frame's memory for it. */
static void
push_copy (TestStream * stream, GstBuffer * buffer)
{
  fail_unless_equals_int (gst_harness_push (stream->harness,
          gst_buffer_copy_deep (buffer)), GST_FLOW_OK);
}

/* Downstream may overwrite a buffer that it has received. */
static void
overwrite (GstBuffer * buffer)
{
  if (gst_buffer_is_writable (buffer)
      && gst_buffer_is_all_memory_writable (buffer))
    gst_buffer_memset (buffer, 0, 0xa5, -1);
}

/* gst_harness_pull() waits for a minute. With sanitizers the mock driver takes longer for long rows. */
static GstBuffer *
pull (GstHarness * harness)
{
  GstBuffer *buffer = NULL;

  for (guint i = 0; i < 10 && buffer == NULL; i++)
    buffer = gst_harness_pull (harness);
  return buffer;
}

/* Pulls the result of a frame and compares it. @buffer: (transfer full): the frame */
static void
pull_result (TestStream * stream, GstBuffer * buffer, const gchar * kind)
{
  gchar *label = g_strdup_printf ("%s %dx%d %s, frame %u (%s)",
      GST_VIDEO_INFO_NAME (&stream->info), stream->info.width,
      stream->info.height,
      stream->info.stride[0] % 16 == 0 ? "aligned" : "unaligned", stream->n,
      kind);
  GstBuffer *out = pull (stream->harness);
  ReferencePicture current;
  guint8 *mask;

  fail_unless (out != NULL, "%s: no buffer", label);
  read_picture (&current, &stream->info, buffer);
  mask = mask_picture (stream, &current);
  check_mask_fields (stream, test_result (out), &current, label);
  compare_result (stream, out, &current, label);
  compare_rois (stream, out, &current, label);
  current.mask = NULL;
  g_free (mask);
  overwrite (out);
  gst_buffer_unref (out);
  forget_previous (stream);
  stream->previous = buffer;
  stream->picture = current;
  stream->n++;
  g_free (label);
}

void
test_stream_push (TestStream * stream, GstBuffer * buffer, const gchar * kind)
{
  push_copy (stream, buffer);
  pull_result (stream, buffer, kind);
}

void
test_stream_push_at_once (TestStream * stream, guint n, GRand * random)
{
  GstBuffer **frames = g_new (GstBuffer *, n);
  TestFrame *kinds = g_new (TestFrame, n);

  for (guint i = 0; i < n; i++) {
    kinds[i] = g_rand_int_range (random, TEST_FRAME_NOISE,
        i == 0 ? TEST_FRAME_NEAR : TEST_N_FRAMES);
    frames[i] = make_frame (&stream->info, kinds[i],
        i == 0 ? NULL : frames[i - 1], stream->n + i, random);
    push_copy (stream, frames[i]);
  }
  for (guint i = 0; i < n; i++)
    pull_result (stream, frames[i], kind_names[kinds[i]]);
  g_free (kinds);
  g_free (frames);
}

GstBuffer *
test_stream_frame (TestStream * stream, TestFrame kind, GRand * random)
{
  return make_frame (&stream->info, kind, stream->previous, stream->n, random);
}

void
test_stream_push_three (TestStream * stream, GRand * random)
{
  const TestFrame kinds[3] = {
    g_rand_int_range (random, TEST_FRAME_NOISE, TEST_FRAME_NEAR),
    g_rand_int_range (random, TEST_FRAME_NEAR, TEST_N_FRAMES),
    g_rand_int_range (random, TEST_FRAME_NOISE, TEST_N_FRAMES)
  };

  for (guint i = 0; i < 3; i++)
    test_stream_push (stream, test_stream_frame (stream, kinds[i], random),
        kind_names[kinds[i]]);
}
