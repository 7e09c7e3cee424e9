/* Fuzzer: caps, the geometry of buffers, and metas → the layout, packed frames, and the CPU's counts.
 *
 * What is accepted must be counted as the reference counts it. Nothing outside of the buffer may be read.
 * Samples that lie inside of the buffer must be accepted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "frames.h"

#include "media/region.h"
#include "engine/cpu/shares.h"
#include "engine/cpu/slot.h"
#include "media/pack.h"
#include "result/fill.h"

#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

__extension__ typedef __int128 Int128;

#define MOST_PIXELS 1024
#define MOST_SAMPLES 300
#define MOST_ROIS 3
/* Of all components together. Tables of more counters take most of the time. */
#define MOST_BINS_WITH_REGIONS 4096

static GstVideoFormat video_formats[200];
static GstAudioFormat audio_formats[100];
static guint n_video_formats, n_audio_formats;

/* ---- The engine --------------------------------------------------------------------------------- */

/* The CPU engine's loops of native samples. */
static HistoCpuPixels *pixels;

/* All 0 between inputs, because to clear so many takes most of the time. */
static guint32 counters[4 << 16];

/* (transfer full) (nullable): the layout, if the buffer is accepted */
static HistoLayout *
map_layout (const HistoFormat * format, GstBuffer * buffer)
{
  HistoLayout *layout = g_new (HistoLayout, 1);
  GError *error = NULL;

  if (histo_layout_map (layout, format, buffer, GST_MAP_READ, &error)) {
    fuzz_check (error == NULL, "an error");
    return layout;
  }
  fuzz_check (error != NULL && error->domain == GST_STREAM_ERROR
      && g_utf8_validate (error->message, -1, NULL), "no error");
  g_error_free (error);
  g_free (layout);
  return NULL;
}

static void
unmap_layout (HistoLayout * layout, const HistoFormat * format)
{
  histo_layout_unmap (layout, format);
  g_free (layout);
}

/* Counts the planes in two steps each. */
static void
count_planes (const HistoFormat * format, const HistoPlane * planes)
{
  for (guint p = 0; p < format->n_planes; p++) {
    const guint rows = planes[p].rows;

    if (rows == 0 || planes[p].periods == 0)
      continue;
    histo_cpu_pixels_begin (pixels, &planes[p], counters);
    if (rows > 1)
      histo_cpu_pixels_rows (pixels, 0, rows / 2);
    histo_cpu_pixels_rows (pixels, rows / 2, rows - rows / 2);
    histo_cpu_pixels_end (pixels);
  }
}

/* The counters must have the reference's samples and nothing else. They are 0 afterwards. */
static void
check_counters (const HistoFormat * format, const ReferencePicture * picture,
    const gchar * label)
{
  for (guint c = 0; c < picture->shape.n_components; c++) {
    const HistoComponent *component = &format->components[c];
    const gsize n =
        (gsize) picture->shape.widths[c] * picture->shape.heights[c];

    fuzz_check (component->n_values == 1u << picture->shape.depths[c],
        "%s has %u values", component->name, component->n_values);
    for (gsize i = 0; i < n; i++)
      fuzz_check (counters[component->first_bin + picture->samples[c][i]]-- > 0,
          "%s %ux%u, %s: too few %s are %u", histo_format_name (format),
          picture->width, picture->height, label, component->name,
          picture->samples[c][i]);
  }
  fuzz_check (counters[0] == 0 && memcmp (counters, counters + 1,
          (format->n_bins - 1) * sizeof *counters) == 0,
      "%s %ux%u, %s: too many are counted", histo_format_name (format),
      picture->width, picture->height, label);
}

/* ---- Video: the layout --------------------------------------------------------------------------- */

static void
add_crop_meta (FuzzBytes * input, FuzzContent * content)
{
  GstVideoCropMeta *meta = gst_buffer_add_video_crop_meta (content->buffer);

  meta->x = fuzz_below (input, 3);
  meta->y = fuzz_below (input, 3);
  meta->width = fuzz_edge (input);
  meta->height = fuzz_edge (input);
}

/* @edges: (out) (array fixed-size=4) */
static void
take_rectangle (FuzzBytes * input, guint * edges)
{
  for (guint i = 0; i < 4; i++)
    edges[i] = fuzz_u8 (input) < 200 ? fuzz_below (input, 64) :
        fuzz_edge (input);
}

static void
add_rois (FuzzBytes * input, FuzzContent * content)
{
  guint edges[4];

  for (guint n = fuzz_below (input, MOST_ROIS + 1); n > 0; n--) {
    take_rectangle (input, edges);
    gst_buffer_add_video_region_of_interest_meta (content->buffer, "roi",
        edges[0], edges[1], edges[2], edges[3]);
  }
#ifdef HAVE_ANALYTICS
  for (guint n = fuzz_below (input, MOST_ROIS + 1); n > 0; n--) {
    GstAnalyticsRelationMeta *relations = gst_buffer_add_analytics_relation_meta (content->buffer);
    GstAnalyticsMtd mtd;

    take_rectangle (input, edges);
    gst_analytics_relation_meta_add_od_mtd (relations, g_quark_from_static_string ("object"), edges[0], edges[1],
        edges[2], edges[3], 0.5, &mtd);
  }
#endif
}

/* ---- Video: the counts -------------------------------------------------------------------------- */

/* Packs in steps. */
static void
pack (const HistoFormat * format, const HistoLayout * layout,
    FuzzBytes * input, guint8 * to)
{
  const gsize size = histo_packed_size (format);
  HistoPackPosition position = { 0, };

  while (position.bytes < size) {
    const gsize before = position.bytes;
    const gsize most = fuzz_below (input, 64) * 16;

    histo_pack_some (format, layout, to, &position, most);
    fuzz_check (position.bytes > before, "%s: no row was packed",
        histo_format_name (format));
  }
  fuzz_check (position.bytes == size, "%s: %" G_GSIZE_FORMAT " bytes packed",
      histo_format_name (format), position.bytes);
}

/* Where the buffer lies, and where it is packed. */
static void
check_counts (const HistoFormat * format, const HistoLayout * layout,
    const ReferencePicture * picture, FuzzBytes * input)
{
  HistoPlane planes[HISTO_MAX_PLANES];
  guint8 *packed;

  if (!format->needs_unpack) {
    count_planes (format, layout->planes);
    check_counters (format, picture, "in place");
    if (fuzz_below (input, 4) != 0)
      return;
  }
  packed = g_aligned_alloc (1, MAX (histo_pack_room (format), 1), 16);
  pack (format, layout, input, packed);
  histo_packed_locate (format, (guint64) (guintptr) packed, planes);
  count_planes (format, planes);
  check_counters (format, picture, "packed");
  g_aligned_free (packed);
}

/* ---- Video: regions ------------------------------------------------------------------------------ */

/* Counts the samples of a component in a region. @counts: (inout): of each value */
typedef void (*CountRegion) (gconstpointer picture, guint component,
    const HistoRegion * region, guint32 * counts);

/* @data: a ReferencePicture */
static void
count_reference (gconstpointer data, guint c, const HistoRegion * region,
    guint32 * counts)
{
  const ReferencePicture *picture = data;
  const ReferenceRectangle rectangle = {
    region->x, region->y, region->width, region->height
  };
  const ReferenceRectangle part =
      reference_picture_samples_of (picture, c, &rectangle);

  for (guint y = part.y; y < part.y + part.height; y++)
    for (guint x = part.x; x < part.x + part.width; x++)
      counts[picture->samples[c][(gsize) y * picture->shape.widths[c] + x]]++;
}

/* @components: those of the region */
static void
compare_region (const HistoFormat * format, const HistoComponent * components,
    const guint32 * counts, CountRegion count, gconstpointer picture,
    const HistoRegion * region, const gchar * label)
{
  for (guint c = 0; c < format->n_components; c++) {
    const HistoComponent *component = &components[c];
    guint32 *expected = g_new0 (guint32, component->n_values);

    count (picture, c, region, expected);
    fuzz_check (memcmp (expected, counts + component->first_bin,
            component->n_values * sizeof *expected) == 0,
        "%s %ux%u %s %u,%u,%u,%u: %s", histo_format_name (format),
        format->width, format->height, label, region->x, region->y,
        region->width, region->height, component->name);
    g_free (expected);
  }
}

/* Counts the regions that the metas of the buffer describe. @layout: not changed by this */
static void
check_regions (HistoFormat * format, HistoLayout * layout, CountRegion count,
    gconstpointer picture, GstBuffer * buffer)
{
  const guint n = histo_rois_count (buffer);
  const HistoPlanSettings settings = {
    .groups = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC),
    .n_rois = n,
  };
  const HistoCrop whole = { 0, 0, format->width, format->height };
  HistoPlan *plan = histo_plan_new (format, &settings);
  HistoFrameInfo info = {
    .n_rois = n,
    .rois = histo_rois_new (buffer, &whole, n),
  };
  const HistoCpuPictures pictures = { 0 };
  HistoCpuRegular regular;
  HistoCpuFrame frame = {.plan = plan,.info = &info };
  HistoCpuTools *tools;
  HistoSlot *slot;
  HistoShares shares;
  HistoShareWork work;

  histo_cpu_regular_init (&regular, format);
  tools = histo_cpu_tools_new (plan, &regular);
  slot = histo_cpu_slot_new (plan, &regular);
  slot->layout = *layout;
  histo_cpu_slot_prepare (slot, plan, &regular, &pictures);
  frame.n_counted = slot->n_counted;
  frame.counted = slot->counted;
  frame.planes = slot->planes;
  frame.counters = slot->table->counters;
  frame.tallies = slot->table->tallies;
  histo_cpu_table_clear (slot->table, plan, &info);
  histo_shares_choose (&shares, plan);
  histo_share_work_begin (&work, &shares, tools, &frame);
  for (guint i = 0; i < histo_shares_of_frame (&shares, plan, &info); i++)
    histo_share_work_count (&work, i);
  histo_share_work_end (&work);
  for (guint r = 1; r <= n; r++) {
    const HistoRegion *region = histo_plan_region (plan, &info, r);

    fuzz_check (region->x + region->width <= format->width
        && region->y + region->height <= format->height, "region %u", r);
    compare_region (format, histo_plan_region_components (plan, r),
        slot->table->counters, count, picture, region, "region");
  }
  histo_cpu_slot_free (slot);
  histo_cpu_tools_free (tools);
  g_free (info.rois);
  histo_plan_unref (plan);
}

/* ---- Video: caps --------------------------------------------------------------------------------- */

/* (nullable) */
static HistoFormat *
format_new (GstCaps * caps)
{
  GError *error = NULL;
  HistoFormat *format = histo_format_new (caps, &error);

  fuzz_check ((format == NULL) == (error != NULL), "no error");
  g_clear_error (&error);
  gst_caps_unref (caps);
  return format;
}

/* Frames of any size, far larger than the buffer. */
static void
check_huge (FuzzBytes * input, GstVideoFormat video)
{
  const gint width = fuzz_edge (input), height = fuzz_edge (input);
  HistoFormat *format = format_new (fuzz_video_caps (input,
          gst_video_format_to_string (video), width, height));
  Int128 size = 0;
  FuzzContent content;

  if (format == NULL)
    return;
  for (guint p = 0; p < format->n_planes; p++)
    size += ((Int128) format->planes[p].periods *
        format->planes[p].period_bytes + 15) / 16 * 16 *
        format->planes[p].rows;
  fuzz_check (histo_packed_size (format) == MIN (size, (Int128) G_MAXSIZE),
      "%s %ux%u: %" G_GSIZE_FORMAT " bytes packed", histo_format_name (format),
      format->width, format->height, histo_packed_size (format));
  fuzz_check (histo_pack_room (format) >= histo_packed_size (format),
      "%s %ux%u: room", histo_format_name (format), format->width,
      format->height);
  if (size > 65536) {
    fuzz_content_init (&content, input, fuzz_u8 (input));
    fuzz_check (map_layout (format, content.buffer) == NULL,
        "%s %ux%u in %" G_GSIZE_FORMAT " bytes", histo_format_name (format),
        format->width, format->height, content.size);
    fuzz_content_clear (&content);
  }
  histo_format_unref (format);
}

static void
check_accepted (HistoFormat * format, HistoLayout * layout,
    const FuzzVideo * video, const FuzzContent * content, FuzzBytes * input)
{
  ReferencePicture picture;

  if (fuzz_video_read (video, content->bytes, &picture)) {
    check_counts (format, layout, &picture, input);
    if (!format->needs_unpack && format->n_bins <= MOST_BINS_WITH_REGIONS
        && histo_rois_count (content->buffer) > 0)
      check_regions (format, layout, count_reference, &picture,
          content->buffer);
  }
  reference_picture_clear (&picture);
}

/* Reads all samples of the rectangle of the crop meta, if there is one. A sanitizer notices what lies
 * outside. */
static void
check_crop (HistoFormat * format, GstBuffer * buffer)
{
  GstCaps *caps = gst_video_info_to_caps (&format->video);
  HistoFormat *picture = NULL;
  HistoLayout *layout = NULL;
  GstBuffer *view = NULL;
  HistoCrop crop;

  if (histo_crop_find (format, buffer, &crop, NULL))
    picture = histo_format_new_sized (caps, crop.width, crop.height, NULL);
  if (picture != NULL)
    view = histo_crop_view (format, caps, picture, buffer, &crop, NULL);
  if (view != NULL)
    layout = map_layout (picture, view);
  if (layout != NULL) {
    guint8 *packed = g_malloc (histo_pack_room (picture));

    histo_pack (picture, layout, packed);
    g_free (packed);
    unmap_layout (layout, picture);
  }
  gst_clear_buffer (&view);
  g_clear_pointer (&picture, histo_format_unref);
  gst_caps_unref (caps);
}

static void
check_frame (HistoFormat * format, FuzzBytes * input, guint flags)
{
  FuzzVideo video;
  const gsize size = GST_VIDEO_INFO_SIZE (&format->video);
  HistoLayout *layout;
  FuzzContent content;
  FuzzPlace place;

  fuzz_video_init (&video, &format->video);
  fuzz_content_init (&content, input, fuzz_choose_size (input, size,
          (flags & 0x30) == 0x30));
  if ((flags & 1) != 0)
    fuzz_video_add_meta (&video, input, &content);
  if ((flags & 0xe0) == 0x40)
    add_crop_meta (input, &content);
  if ((flags & 0xe) == 2)
    add_rois (input, &content);
  place = fuzz_video_find_place (&video, content.size);
  /* GStreamer's unpack functions read rows only if the strides are not shorter than those of the caps. */
  if (format->needs_unpack && video.has_meta && place == FUZZ_INSIDE)
    place = FUZZ_UNKNOWN;
  layout = map_layout (format, content.buffer);
  fuzz_check (place != (layout != NULL ? FUZZ_OUTSIDE : FUZZ_INSIDE),
      "%s %ux%u, stride %d at %" G_GSIZE_FORMAT ": %" G_GSIZE_FORMAT
      " bytes were %s", histo_format_name (format), format->width,
      format->height, video.stride[0], video.offset[0], content.size,
      layout != NULL ? "accepted" : "refused");
  if (layout != NULL) {
    check_accepted (format, layout, &video, &content, input);
    unmap_layout (layout, format);
  }
  if (gst_buffer_get_video_crop_meta (content.buffer) != NULL)
    check_crop (format, content.buffer);
  fuzz_content_clear (&content);
}

/* Formats of more than 8 bits are rare, and those of more than 12 are rarer: their many counters take
 * most of the time. */
static GstVideoFormat
choose_format (FuzzBytes * input)
{
  GstVideoFormat format = video_formats[fuzz_below (input, n_video_formats)];

  for (guint i = 0; i < 3; i++) {
    const guint depth =
        GST_VIDEO_FORMAT_INFO_DEPTH (gst_video_format_get_info (format), 0);

    if (depth <= 8 || fuzz_u8 (input) % (depth <= 12 ? 4 : 16) == 0)
      break;
    format = video_formats[fuzz_below (input, n_video_formats)];
  }
  return format;
}

static void
check_video (FuzzBytes * input)
{
  const GstVideoFormat number = choose_format (input);
  const guint flags = fuzz_u8 (input);
  const guint width = 1 + fuzz_u8 (input);
  HistoFormat *format;
  guint height;

  if ((flags & 0xf) == 0xf) {
    check_huge (input, number);
    return;
  }
  height = 1 + fuzz_u8 (input) % MIN (MOST_PIXELS / width, 140);
  format = format_new (fuzz_video_caps (input,
          gst_video_format_to_string (number), width, height));
  if (format != NULL) {
    check_frame (format, input, flags);
    histo_format_unref (format);
  }
}

/* ---- Bayer -------------------------------------------------------------------------------------- */

static const struct
{
  const gchar *name;
  guint depth;
  gboolean big_endian;
} bayer_words[] = {
  {"", 8, FALSE}, {"10le", 10, FALSE}, {"10be", 10, TRUE}, {"12le", 12, FALSE},
  {"12be", 12, TRUE}, {"14le", 14, FALSE}, {"14be", 14, TRUE},
  {"16le", 16, FALSE}, {"16be", 16, TRUE}
};

/* Where the samples of a frame lie. */
typedef struct
{
  const gchar *order;           /* the colours of 2 x 2 pixels, row by row */
  guint words;                  /* of bayer_words */
  const guint8 *bytes;
  gsize offset;
  gint stride;
} Bayer;

/* The number of the component, in the order R, Gr, Gb, B, of a pixel. */
static guint
find_bayer_component (const Bayer * bayer, guint x, guint y)
{
  const gchar *row = bayer->order + 2 * (y & 1);

  if (row[x & 1] != 'g')
    return row[x & 1] == 'r' ? 0 : 3;
  return row[!(x & 1)] == 'r' ? 1 : 2;
}

/* @data: a Bayer */
static void
count_bayer (gconstpointer data, guint c, const HistoRegion * region,
    guint32 * counts)
{
  const Bayer *bayer = data;
  const guint depth = bayer_words[bayer->words].depth;

  for (guint y = region->y; y < region->y + region->height; y++) {
    const guint8 *row = bayer->bytes + bayer->offset
        + (gint64) y * bayer->stride;

    for (guint x = region->x; x < region->x + region->width; x++) {
      guint sample;

      if (find_bayer_component (bayer, x, y) != c)
        continue;
      if (depth == 8)
        sample = row[x];
      else if (bayer_words[bayer->words].big_endian)
        sample = row[2 * x] << 8 | row[2 * x + 1];
      else
        sample = row[2 * x] | row[2 * x + 1] << 8;
      counts[sample & ((1u << depth) - 1)]++;
    }
  }
}

/* A meta of a single plane tells where the rows are; others tell nothing. Returns: whether it tells */
static gboolean
add_bayer_meta (Bayer * bayer, FuzzBytes * input, FuzzContent * content,
    guint width, guint height)
{
  const guint n_planes = fuzz_below (input, 8) == 0 ? 2 : 1;
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 };
  gint stride[GST_VIDEO_MAX_PLANES] = { bayer->stride };
  GstVideoMeta *meta = gst_buffer_add_video_meta_full (content->buffer, 0,
      GST_VIDEO_FORMAT_GRAY8, width, height, n_planes, offset, stride);

  if (meta == NULL)
    return FALSE;
  meta->n_planes = n_planes;
  meta->stride[0] = fuzz_choose_stride (input, bayer->stride);
  meta->offset[0] = fuzz_choose_offset (input, 0, content->size);
  if (n_planes != 1)
    return FALSE;
  bayer->stride = meta->stride[0];
  bayer->offset = meta->offset[0];
  return TRUE;
}

/* @row: bytes of samples in a row; @periods: of whole pairs of samples, which the loops may read */
static FuzzPlace
find_bayer_place (const Bayer * bayer, guint height, gsize row, gsize periods,
    gsize size)
{
  const Int128 distance = (Int128) bayer->stride * (height - 1);
  const Int128 first = (Int128) bayer->offset + MIN (distance, 0);
  const Int128 last = (Int128) bayer->offset + MAX (distance, 0);

  if (first < 0 || last + row > size)
    return FUZZ_OUTSIDE;
  return last + periods <= size ? FUZZ_INSIDE : FUZZ_UNKNOWN;
}

static void
check_bayer_frame (HistoFormat * format, const Bayer * bayer, GstBuffer * buffer,
    HistoLayout * layout, FuzzBytes * input)
{
  const HistoRegion whole = {.width = format->width,.height = format->height };
  guint8 *packed = g_aligned_alloc (1, MAX (histo_pack_room (format), 1), 16);
  HistoPlane planes[HISTO_MAX_PLANES];

  count_planes (format, layout->planes);
  compare_region (format, format->components, counters, count_bayer, bayer,
      &whole, "in place");
  memset (counters, 0, format->n_bins * sizeof *counters);
  pack (format, layout, input, packed);
  histo_packed_locate (format, (guint64) (guintptr) packed, planes);
  count_planes (format, planes);
  compare_region (format, format->components, counters, count_bayer, bayer,
      &whole, "packed");
  memset (counters, 0, format->n_bins * sizeof *counters);
  g_aligned_free (packed);
  if (format->n_bins <= MOST_BINS_WITH_REGIONS && histo_rois_count (buffer) > 0)
    check_regions (format, layout, count_bayer, bayer, buffer);
}

static void
check_bayer (FuzzBytes * input)
{
  static const gchar *const orders[] = { "bggr", "gbrg", "grbg", "rggb" };
  Bayer bayer = {
    .order = orders[fuzz_below (input, G_N_ELEMENTS (orders))],
    /* The many counters of others take most of the time. */
    .words = fuzz_below (input, 3) == 0 ?
        fuzz_below (input, G_N_ELEMENTS (bayer_words)) : 0,
  };
  const guint flags = fuzz_u8 (input), width = 1 + fuzz_u8 (input);
  const guint height = 1 + fuzz_u8 (input) % MIN (MOST_PIXELS / width, 140);
  const guint bytes = bayer_words[bayer.words].depth > 8 ? 2 : 1;
  gchar *name = g_strconcat (bayer.order, bayer_words[bayer.words].name, NULL);
  HistoFormat *format = format_new (gst_caps_new_simple ("video/x-bayer",
          "format", G_TYPE_STRING, name, "width", G_TYPE_INT, (gint) width,
          "height", G_TYPE_INT, (gint) height, NULL));
  HistoLayout *layout;
  FuzzContent content;
  FuzzPlace place;
  gsize size;

  fuzz_check (format != NULL, "%s is refused", name);
  bayer.stride = (width + 3) / 4 * 4 * bytes;
  size = (gsize) bayer.stride * height;
  fuzz_content_init (&content, input, fuzz_choose_size (input, size,
          (flags & 0x30) == 0x30));
  bayer.bytes = content.bytes;
  /* Without a meta the buffer must be as large as the caps say. */
  if ((flags & 1) != 0 && add_bayer_meta (&bayer, input, &content, width,
          height))
    place = find_bayer_place (&bayer, height, (gsize) width * bytes,
        (gsize) (width + 1) / 2 * 2 * bytes, content.size);
  else
    place = content.size >= size ? FUZZ_INSIDE : FUZZ_OUTSIDE;
  if ((flags & 6) == 2)
    add_rois (input, &content);
  layout = map_layout (format, content.buffer);
  fuzz_check (place != (layout != NULL ? FUZZ_OUTSIDE : FUZZ_INSIDE),
      "%s %ux%u, stride %d at %" G_GSIZE_FORMAT ": %" G_GSIZE_FORMAT
      " bytes were %s", name, width, height, bayer.stride, bayer.offset,
      content.size, layout != NULL ? "accepted" : "refused");
  if (layout != NULL) {
    check_bayer_frame (format, &bayer, content.buffer, layout, input);
    unmap_layout (layout, format);
  }
  fuzz_content_clear (&content);
  histo_format_unref (format);
  g_free (name);
}

/* ---- Audio -------------------------------------------------------------------------------------- */

static GstCaps *
audio_caps (FuzzBytes * input, GstAudioInfo * info)
{
  const GstAudioFormat format =
      audio_formats[fuzz_below (input, n_audio_formats)];
  const guint flags = fuzz_u8 (input);
  const gint channels = flags < 250 ? 1 + flags % 6 : (gint) fuzz_u16 (input);
  GstAudioChannelPosition positions[64];
  GstCaps *caps;

  for (guint i = 0; i < G_N_ELEMENTS (positions); i++)
    positions[i] = GST_AUDIO_CHANNEL_POSITION_NONE;
  gst_audio_info_set_format (info, format, 1 + fuzz_u16 (input),
      MAX (channels, 1), channels <= 64 ? positions : NULL);
  if (flags % 2 != 0)
    info->layout = GST_AUDIO_LAYOUT_NON_INTERLEAVED;
  caps = gst_audio_info_to_caps (info);
  if (channels > 64)
    gst_caps_set_simple (caps, "channel-mask", GST_TYPE_BITMASK,
        (guint64) 0, NULL);
  return caps;
}

/* The samples of all channels, one channel after the other, or interleaved as they are. NULL: they do
 * not lie inside of the buffer. */
static guint8 *
copy_samples (const GstAudioInfo * info, const FuzzContent * content,
    const GstAudioMeta * meta, gsize * n_samples)
{
  const gboolean is_planar = info->layout == GST_AUDIO_LAYOUT_NON_INTERLEAVED;
  const gsize bytes = GST_AUDIO_INFO_WIDTH (info) / 8;
  const gsize bpf = bytes * info->channels;
  const gsize samples = meta != NULL ? meta->samples : content->size / bpf;
  guint8 *copy;

  if ((meta == NULL && content->size % bpf != 0) || samples > G_MAXUINT32)
    return NULL;
  for (gint c = 0; c < info->channels; c++) {
    const Int128 first = !is_planar ? 0 :
        meta != NULL ? (Int128) meta->offsets[c] : (Int128) c * samples * bytes;

    if (samples > 0
        && first + (Int128) samples * (is_planar ? bytes : bpf) > content->size)
      return NULL;
  }
  *n_samples = samples;
  copy = g_malloc (samples * bpf + 1);
  if (!is_planar) {
    memcpy (copy, content->bytes, samples * bpf);
    return copy;
  }
  for (gint c = 0; samples > 0 && c < info->channels; c++)
    memcpy (copy + c * samples * bytes, content->bytes + (meta != NULL ?
            meta->offsets[c] : c * samples * bytes), samples * bytes);
  return copy;
}

static gboolean
same (gdouble a, gdouble b)
{
  return a == b || (a != a && b != b);
}

static void
compare_channel (const HistoComponentResult * component,
    const ReferenceStatistics * expected, const GstAudioInfo * info)
{
  const HistoFigures *figures = &component->figures;

  fuzz_check (figures->count == expected->count
      && same (figures->min, expected->min) && same (figures->max,
          expected->max) && figures->bins == expected->bins
      && figures->underflow == expected->underflow
      && figures->overflow == expected->overflow
      && figures->nan == expected->nan && figures->inf == expected->inf
      && same (figures->mode, expected->mode), "%s %s: figures differ: count %"
      G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT, GST_AUDIO_INFO_NAME (info),
      component->name, figures->count, expected->count);
  fuzz_check (GST_AUDIO_INFO_IS_FLOAT (info) || (same (figures->sum,
              expected->sum)), "%s %s: sum %.17g, not %.17g",
      GST_AUDIO_INFO_NAME (info), component->name, figures->sum,
      expected->sum);
  for (guint i = 0; i < expected->bins; i++)
    fuzz_check (GST_READ_UINT32_LE ((const guint8 *)
            g_bytes_get_data (component->histogram, NULL) + 4 * i)
        == expected->histogram[i], "%s %s: bin %u", GST_AUDIO_INFO_NAME (info),
        component->name, i);
}

static void
check_channels (HistoFormat * format, HistoLayout * layout,
    const guint8 * samples, gsize n, const HistoBinSettings * bins)
{
  const GstAudioInfo *info = &format->audio;
  const gboolean is_planar = info->layout == GST_AUDIO_LAYOUT_NON_INTERLEAVED;
  const gsize bytes = GST_AUDIO_INFO_WIDTH (info) / 8;
  const HistoPlanSettings settings = {
    .bins = *bins,
    .groups = HISTO_GROUP_FLAG (HISTO_GROUP_BASIC),
  };
  HistoPlan *plan = histo_plan_new (format, &settings);
  HistoSlot *slot = histo_cpu_slot_new (plan, NULL);
  const HistoCounts counts = {
    .counters = slot->table->counters,
    .totals = slot->totals,
    .n_frames = 1,
    .n_samples = layout->audio.n_samples,
  };
  gdouble *numbers = g_new (gdouble, n + 1);
  HistoResult result = { 0, };

  fuzz_check (counts.n_samples == n, "%" G_GUINT64_FORMAT " samples",
      counts.n_samples);
  slot->layout = *layout;
  histo_cpu_table_clear (slot->table, plan, &slot->info);
  histo_cpu_slot_measure_audio (slot, plan);
  histo_result_fill (&result, plan, &counts, &slot->info, "cpu",
      HISTO_HISTOGRAMS_ALL);
  for (guint c = 0; c < result.n_components; c++) {
    ReferenceStatistics expected;

    reference_audio_samples (GST_AUDIO_INFO_FORMAT (info),
        samples + c * bytes * (is_planar ? n : 1), n,
        is_planar ? bytes : bytes * info->channels, numbers);
    reference_audio_statistics (numbers, n, GST_AUDIO_INFO_FORMAT (info),
        bins->bins, bins->range_min, bins->range_max, &expected);
    compare_channel (&result.components[c], &expected, info);
    reference_statistics_clear (&expected);
  }
  histo_result_clear (&result);
  g_free (numbers);
  histo_cpu_slot_free (slot);
  histo_plan_unref (plan);
}

static void
add_audio_meta (const GstAudioInfo * info, FuzzBytes * input,
    FuzzContent * content, gboolean * is_contradiction)
{
  const gsize bytes = GST_AUDIO_INFO_WIDTH (info) / 8;
  GstAudioMeta *meta = gst_buffer_add_audio_meta (content->buffer, info,
      content->size / (bytes * info->channels), NULL);

  if (meta == NULL)
    return;
  if (fuzz_below (input, 3) == 0)
    meta->samples = fuzz_below (input, 2) == 0 ? fuzz_below (input, 64) :
        fuzz_edge (input);
  for (gint c = 0; meta->offsets != NULL && c < MIN (info->channels, 8); c++)
    meta->offsets[c] =
        fuzz_choose_offset (input, meta->offsets[c], content->size);
  switch (fuzz_below (input, 32)) {
    case 0:
      /* Not the number of channels: GStreamer frees as many offsets. */
      meta->info.finfo = gst_audio_format_get_info (GST_AUDIO_INFO_FORMAT
          (info) != GST_AUDIO_FORMAT_U8 ? GST_AUDIO_FORMAT_U8 :
          GST_AUDIO_FORMAT_S8);
      break;
    case 1:
      meta->info.layout = !meta->info.layout;
      break;
    default:
      return;
  }
  *is_contradiction = TRUE;
}

static void
check_audio (FuzzBytes * input)
{
  /* The default is rare: its many bins take most of the time. */
  static const HistoBinSettings settings[] = {
    {0, 0, 0}, {7, 0, 0}, {1, 0, 0}, {100, -0.3, 0.7}, {16, 0, 65536},
    {3, -1, 1}, {16, 0, 0}, {5, -0.01, 0.02}, {2, -32768, 0}, {33, 0, 0},
    {8, -2147483648., 2147483648.}, {9, 0, 1e-30}
  };
  const HistoBinSettings *bins =
      &settings[fuzz_below (input, G_N_ELEMENTS (settings))];
  const guint flags = fuzz_u8 (input);
  gboolean is_contradiction = FALSE;
  GstAudioInfo info;
  HistoFormat *format = format_new (audio_caps (input, &info));
  guint8 *samples;
  FuzzContent content;
  HistoLayout *layout;
  gsize size, n = 0;

  if (format == NULL)
    return;
  info = format->audio;
  size = fuzz_u16 (input) % MOST_SAMPLES;
  if (flags % 4 != 0)
    size = size / 4 * (GST_AUDIO_INFO_WIDTH (&info) / 8) * info.channels;
  fuzz_content_init (&content, input, MIN (size, 65536));
  if ((flags & 16) != 0)
    add_audio_meta (&info, input, &content, &is_contradiction);
  samples = is_contradiction ? NULL : copy_samples (&info, &content,
      gst_buffer_get_audio_meta (content.buffer), &n);
  layout = map_layout (format, content.buffer);
  fuzz_check ((layout != NULL) == (samples != NULL), "%s, %d channels: %"
      G_GSIZE_FORMAT " bytes were %s", GST_AUDIO_INFO_NAME (&info),
      info.channels, content.size, layout != NULL ? "accepted" : "refused");
  if (layout != NULL) {
    check_channels (format, layout, samples, n, bins);
    unmap_layout (layout, format);
  }
  g_free (samples);
  fuzz_content_clear (&content);
  histo_format_unref (format);
}

/* ---- Inputs ------------------------------------------------------------------------------------- */

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  guint n;
  const GstVideoFormat *video;
  const GstAudioFormat *audio;

  fuzz_init ();
  pixels = histo_cpu_pixels_new ();
  video = gst_video_formats_raw (&n);
  n_video_formats = MIN (n, G_N_ELEMENTS (video_formats));
  memcpy (video_formats, video, n_video_formats * sizeof *video);
  audio = gst_audio_formats_raw (&n);
  n_audio_formats = MIN (n, G_N_ELEMENTS (audio_formats));
  memcpy (audio_formats, audio, n_audio_formats * sizeof *audio);
  return 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  FuzzBytes input = { data, size };
  const guint kind = fuzz_below (&input, 32);

  if (kind % 4 == 0)
    check_audio (&input);
  else if (kind < 31)
    check_video (&input);
  else
    check_bayer (&input);
  return 0;
}
