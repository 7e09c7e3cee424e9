/* Bayer video: which component each pixel has, and where the samples of a region lie.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/bayer.h"

#include "cudahisto/depth.h"

const gchar *const histo_bayer_components[HISTO_N_BAYER] = {
  HISTO_BAYER_NAMES             /* in the order of HISTO_BAYER_R, … */
};

/* The letters of an order, see HISTO_BAYER_ORDERS. */
#define N_LETTERS 4

static guint8
component_of (const gchar * order, guint x, guint y)
{
  const gchar letter = order[2 * y + x], neighbour = order[2 * y + 1 - x];

  if (letter == 'g')
    return neighbour == 'r' ? HISTO_BAYER_GR : HISTO_BAYER_GB;
  return letter == 'r' ? HISTO_BAYER_R : HISTO_BAYER_B;
}

/**
 * histo_bayer_find:
 * @name: (nullable): the field `format` of caps
 * @bayer: (out): set if this returns TRUE
 *
 * Returns: whether this is a format of HISTO_BAYER_CAPS
 */
gboolean
histo_bayer_find (const gchar * name, HistoBayer * bayer)
{
#define SUFFIX(suffix, depth, big_endian) { suffix, depth, big_endian },
  static const struct
  {
    const gchar *suffix;
    guint depth;
    gboolean big_endian;
  } depths[] = {
    {"", 8, FALSE}, HISTO_BAYER_WORDS (SUFFIX)
  };
#undef SUFFIX
  static const gchar orders[][N_LETTERS + 1] = { HISTO_BAYER_ORDERS };
  guint order = 0, depth = 0;

  if (name == NULL)
    return FALSE;
  while (order < G_N_ELEMENTS (orders) && !g_str_has_prefix (name, orders[order]))
    order++;
  if (order == G_N_ELEMENTS (orders))
    return FALSE;
  while (depth < G_N_ELEMENTS (depths) && !g_str_equal (name + N_LETTERS, depths[depth].suffix))
    depth++;
  if (depth == G_N_ELEMENTS (depths))
    return FALSE;
  bayer->depth = depths[depth].depth;
  bayer->big_endian = depths[depth].big_endian;
  for (guint y = 0; y < 2; y++)
    for (guint x = 0; x < 2; x++)
      bayer->components[y][x] = component_of (orders[order], x, y);
  bayer->name = g_intern_string (name);
  return TRUE;
}

/**
 * histo_bayer_fill_info:
 * @structure: of caps with this format
 * @info: (out): a gray frame with a pixel for each sample, in rows of ROUND_UP_4 (width) samples; and the frame rate.
 *   GStreamer has no GstVideoFormat of Bayer
 *
 * Returns: FALSE if the caps have no size. If rows do not fit in a stride of 31 bits, the bytes of the frame are 0
 */
gboolean
histo_bayer_fill_info (const HistoBayer * bayer, const GstStructure * structure,
    GstVideoInfo * info)
{
  gint width = 0, height = 0;
  guint64 stride;
  gboolean fits;

  gst_video_info_init (info);
  if (!gst_structure_get_int (structure, "width", &width)
      || !gst_structure_get_int (structure, "height", &height) || width <= 0
      || height <= 0)
    return FALSE;
  stride = ((guint64) width + 3) / 4 * 4 * histo_bayer_bytes (bayer);
  fits = stride <= G_MAXINT && stride <= G_MAXSIZE / (guint) height;
  /* The stride and the size that this computes are not used. */
  gst_video_info_set_format (info, histo_bayer_bytes (bayer) == 1 ?
      GST_VIDEO_FORMAT_GRAY8 : GST_VIDEO_FORMAT_GRAY16_LE, 1, 1);
  info->width = width;
  info->height = height;
  info->stride[0] = fits ? (gint) stride : 0;
  info->size = fits ? (gsize) stride * height : 0;
  gst_structure_get_fraction (structure, "framerate", &info->fps_n,
      &info->fps_d);
  return TRUE;
}

/* @pattern: (out): of the rows of plane @plane */
void
histo_bayer_pattern (const HistoBayer * bayer, guint plane,
    HistoPattern * pattern)
{
  const guint bytes = histo_bayer_bytes (bayer);

  memset (pattern, 0, sizeof *pattern);
  pattern->plane = plane;
  pattern->period_bytes = 2 * bytes;
  pattern->big_endian = bayer->big_endian;
  pattern->n_samples = 2;
  for (guint x = 0; x < 2; x++)
    pattern->samples[x] = (HistoPatternSample) {
      bayer->components[plane][x], x * bytes, bytes, 0, bayer->depth
    };
}

/* @n_columns: (out): how many columns of a picture have samples of the component
 * @n_rows: (out): how many rows */
void
histo_bayer_component_size (const HistoBayer * bayer, guint component,
    guint width, guint height, guint * n_columns, guint * n_rows)
{
  for (guint y = 0; y < 2; y++) {
    for (guint x = 0; x < 2; x++) {
      if (bayer->components[y][x] == component) {
        *n_columns = (width + 1 - x) / 2;
        *n_rows = (height + 1 - y) / 2;
      }
    }
  }
}

/**
 * histo_bayer_select_region:
 * @planes: HISTO_N_BAYER_PLANES planes of a frame, with data and strides
 * @region: inside the frame
 * @selected: (out): as many planes: the samples of the region. At odd columns a period begins with the other sample
 */
void
histo_bayer_select_region (const HistoPlane * planes,
    const HistoRegion * region, HistoPlane * selected)
{
  for (guint p = 0; p < HISTO_N_BAYER_PLANES; p++) {
    HistoPlane *plane = &selected[p];
    const guint bytes = planes[p].samples[0].bytes;
    /* The first row of this plane from the top of the region on. */
    const guint first = region->y + (region->y % 2 != p);
    const guint end = region->y + region->height;

    *plane = planes[p];
    plane->rows = end > first ? (end - first + 1) / 2 : 0;
    plane->data += (guint64) ((gint64) (first / 2) * plane->stride)
        + (guint64) region->x * bytes;
    plane->periods = (region->width + 1) / 2;
    plane->full_periods = region->width / 2;
    for (guint i = 0; i < 2; i++) {
      HistoSample *sample = &plane->samples[i];
      const guint word = (sample->offset / bytes + region->x) % 2;

      sample->offset = word * bytes;
      sample->count = (region->width + 1 - word) / 2;
      plane->word_sample[word] = i;
    }
  }
}
