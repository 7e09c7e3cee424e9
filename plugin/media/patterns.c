/* The table of sample patterns, and patterns derived from GstVideoFormatInfo.
 *
 * GstVideoFormatInfo says where the samples lie for every format that has one sample in each
 * 8- or 16-bit word. The patterns of these formats are derived from it, so the table below
 * does not repeat them. The table has the formats that the info leaves out or describes
 * wrongly: samples that are fields of longer words or cross byte boundaries, and a few
 * formats whose offsets or byte order the info does not have. Tiles and palettes have no
 * pattern at all; unpack.c reads these formats.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "media/patterns.h"

/* Bytes of the longest period that is derived: four 16-bit words. */
#define MAX_DERIVED_PERIOD 8

/* Indices of components, as GstVideoFormatInfo has them. */
enum
{ Y = 0, U = 1, V = 2, R = 0, G = 1, B = 2, A = 3 };

#define LE FALSE
#define BE TRUE

/* The chroma plane of P010, P012 and P016: U and V, each in the top bits of a 16-bit word. */
#define SEMI_PLANAR_CHROMA(format, endian, depth) \
  { GST_VIDEO_FORMAT_ ## format, 1, 4, endian, 2, { \
    {U, 0, 2, 16 - depth, depth}, {V, 2, 2, 16 - depth, depth} } }
/* Y, U, Y, V, each in the top bits of a 16-bit word. */
#define YUYV_WORDS(format, endian, depth) \
  { GST_VIDEO_FORMAT_ ## format, 0, 8, endian, 4, { \
    {Y, 0, 2, 16 - depth, depth}, {U, 2, 2, 16 - depth, depth}, \
    {Y, 4, 2, 16 - depth, depth}, {V, 6, 2, 16 - depth, depth} } }
/* U, Y, V, A, each in the top bits of a 16-bit word. */
#define UYVA_WORDS(format, endian, depth) \
  { GST_VIDEO_FORMAT_ ## format, 0, 8, endian, 4, { \
    {U, 0, 2, 16 - depth, depth}, {Y, 2, 2, 16 - depth, depth}, \
    {V, 4, 2, 16 - depth, depth}, {A, 6, 2, 16 - depth, depth} } }
/* Three fields of a 16-bit word; the first one has the top bits. */
#define RGB_WORD(format, first, second, third, green_depth) \
  { GST_VIDEO_FORMAT_ ## format, 0, 2, HOST_ENDIAN, 3, { \
    {first, 0, 2, green_depth + 5, 5}, {second, 0, 2, 5, green_depth}, \
    {third, 0, 2, 0, 5} } }
/* Three 10-bit samples in a 32-bit word, from the lowest bit up; the top two bits are unused. */
#define LUMA_10LE32(format) \
  { GST_VIDEO_FORMAT_ ## format, 0, 4, LE, 3, { \
    {Y, 0, 4, 0, 10}, {Y, 0, 4, 10, 10}, {Y, 0, 4, 20, 10} } }
#define CHROMA_10LE32(format) \
  { GST_VIDEO_FORMAT_ ## format, 1, 8, LE, 6, { \
    {U, 0, 4, 0, 10}, {V, 0, 4, 10, 10}, {U, 0, 4, 20, 10}, \
    {V, 4, 4, 0, 10}, {U, 4, 4, 10, 10}, {V, 4, 4, 20, 10} } }

/* The words of RGB16, BGR16, RGB15 and BGR15 are in the host's byte order. */
#define HOST_ENDIAN (G_BYTE_ORDER == G_BIG_ENDIAN)

/* *INDENT-OFF* */
static const HistoPattern patterns[] = {
  { GST_VIDEO_FORMAT_v210, 0, 16, LE, 12, {
      {U, 0, 4, 0, 10}, {Y, 0, 4, 10, 10}, {V, 0, 4, 20, 10},
      {Y, 4, 4, 0, 10}, {U, 4, 4, 10, 10}, {Y, 4, 4, 20, 10},
      {V, 8, 4, 0, 10}, {Y, 8, 4, 10, 10}, {U, 8, 4, 20, 10},
      {Y, 12, 4, 0, 10}, {V, 12, 4, 10, 10}, {Y, 12, 4, 20, 10} } },
  { GST_VIDEO_FORMAT_v216, 0, 8, LE, 4, {
      {U, 0, 2, 0, 16}, {Y, 2, 2, 0, 16}, {V, 4, 2, 0, 16}, {Y, 6, 2, 0, 16} } },
  /* Four samples in 40 bits, the first one in the top bits. Each sample is read as the two
   * bytes that hold it. */
  { GST_VIDEO_FORMAT_UYVP, 0, 5, BE, 4, {
      {U, 0, 2, 6, 10}, {Y, 1, 2, 4, 10}, {V, 2, 2, 2, 10}, {Y, 3, 2, 0, 10} } },
  { GST_VIDEO_FORMAT_IYU1, 0, 6, LE, 6, {
      {U, 0, 1, 0, 8}, {Y, 1, 1, 0, 8}, {Y, 2, 1, 0, 8},
      {V, 3, 1, 0, 8}, {Y, 4, 1, 0, 8}, {Y, 5, 1, 0, 8} } },
  { GST_VIDEO_FORMAT_r210, 0, 4, BE, 3, {
      {R, 0, 4, 20, 10}, {G, 0, 4, 10, 10}, {B, 0, 4, 0, 10} } },
  { GST_VIDEO_FORMAT_Y410, 0, 4, LE, 4, {
      {U, 0, 4, 0, 10}, {Y, 0, 4, 10, 10}, {V, 0, 4, 20, 10}, {A, 0, 4, 30, 2} } },
  { GST_VIDEO_FORMAT_BGR10A2_LE, 0, 4, LE, 4, {
      {B, 0, 4, 0, 10}, {G, 0, 4, 10, 10}, {R, 0, 4, 20, 10}, {A, 0, 4, 30, 2} } },
  { GST_VIDEO_FORMAT_RGB10A2_LE, 0, 4, LE, 4, {
      {R, 0, 4, 0, 10}, {G, 0, 4, 10, 10}, {B, 0, 4, 20, 10}, {A, 0, 4, 30, 2} } },
  RGB_WORD (RGB16, R, G, B, 6),
  RGB_WORD (BGR16, B, G, R, 6),
  RGB_WORD (RGB15, R, G, B, 5),
  RGB_WORD (BGR15, B, G, R, 5),
  /* GstVideoFormatInfo has U and V exchanged. */
  { GST_VIDEO_FORMAT_VYUY, 0, 4, LE, 4, {
      {V, 0, 1, 0, 8}, {Y, 1, 1, 0, 8}, {U, 2, 1, 0, 8}, {Y, 3, 1, 0, 8} } },
  YUYV_WORDS (Y210, LE, 10),
  YUYV_WORDS (Y212_LE, LE, 12),
  YUYV_WORDS (Y212_BE, BE, 12),
  UYVA_WORDS (Y412_LE, LE, 12),
  UYVA_WORDS (Y412_BE, BE, 12),
#if GST_CHECK_VERSION (1, 26, 0)
  YUYV_WORDS (Y216_LE, LE, 16),
  YUYV_WORDS (Y216_BE, BE, 16),
  UYVA_WORDS (Y416_LE, LE, 16),
  UYVA_WORDS (Y416_BE, BE, 16),
#endif
  SEMI_PLANAR_CHROMA (P010_10LE, LE, 10),
  SEMI_PLANAR_CHROMA (P010_10BE, BE, 10),
  SEMI_PLANAR_CHROMA (P012_LE, LE, 12),
  SEMI_PLANAR_CHROMA (P012_BE, BE, 12),
  SEMI_PLANAR_CHROMA (P016_LE, LE, 16),
  SEMI_PLANAR_CHROMA (P016_BE, BE, 16),
  LUMA_10LE32 (GRAY10_LE32),
  LUMA_10LE32 (NV12_10LE32),
  CHROMA_10LE32 (NV12_10LE32),
  LUMA_10LE32 (NV16_10LE32),
  CHROMA_10LE32 (NV16_10LE32),
  /* Four samples in 40 bits, the first one in the lowest bits. Each sample is read as the
   * two bytes that hold it. */
  { GST_VIDEO_FORMAT_NV12_10LE40, 0, 5, LE, 4, {
      {Y, 0, 2, 0, 10}, {Y, 1, 2, 2, 10}, {Y, 2, 2, 4, 10}, {Y, 3, 2, 6, 10} } },
  { GST_VIDEO_FORMAT_NV12_10LE40, 1, 5, LE, 4, {
      {U, 0, 2, 0, 10}, {V, 1, 2, 2, 10}, {U, 2, 2, 4, 10}, {V, 3, 2, 6, 10} } },
};
/* *INDENT-ON* */

/* The longest distance between two samples of a component in this plane, or 0. */
static guint
find_period (const GstVideoFormatInfo * info, guint plane)
{
  gint period = 0;

  for (guint c = 0; c < info->n_components; c++) {
    if (info->plane[c] == plane)
      period = MAX (period, info->pixel_stride[c]);
  }
  return period;
}

/* Adds one component's samples to the period.
 * @used_bytes: a bit for each byte of the period that holds a sample; the component's are added
 *
 * Returns: FALSE if the info cannot mean samples of one or two whole bytes: two samples share
 *   a byte, for example */
static gboolean
add_component (const GstVideoFormatInfo * info, guint component,
    HistoPattern * pattern, guint32 * used_bytes)
{
  const guint bytes = (info->shift[component] + info->depth[component] + 7) / 8;
  const gint step = info->pixel_stride[component];

  if (step <= 0 || info->depth[component] == 0 || bytes > 2)
    return FALSE;
  for (guint offset = info->poffset[component];
      offset + bytes <= pattern->period_bytes; offset += step) {
    const guint32 mask = ((1u << bytes) - 1) << offset;

    if ((*used_bytes & mask) || pattern->n_samples == HISTO_MAX_SAMPLES)
      return FALSE;
    *used_bytes |= mask;
    pattern->samples[pattern->n_samples++] = (HistoPatternSample) {
      component, offset, bytes, info->shift[component], info->depth[component]
    };
  }
  return TRUE;
}

static gboolean
derive (const GstVideoFormatInfo * info, guint plane, HistoPattern * pattern)
{
  const guint period = find_period (info, plane);
  guint32 used_bytes = 0;

  if (period == 0 || period > MAX_DERIVED_PERIOD)
    return FALSE;
  memset (pattern, 0, sizeof *pattern);
  pattern->format = info->format;
  pattern->plane = plane;
  pattern->period_bytes = period;
  pattern->big_endian = !(info->flags & GST_VIDEO_FORMAT_FLAG_LE);
  for (guint c = 0; c < info->n_components; c++) {
    if (info->plane[c] == plane
        && !add_component (info, c, pattern, &used_bytes))
      return FALSE;
  }
  return pattern->n_samples > 0;
}

/**
 * histo_pattern_of_plane:
 * @pattern: (out):
 *
 * Looks up or derives the pattern of one plane.
 *
 * Returns: FALSE if the plane's samples do not lie in a pattern that repeats along a row, or
 *   if their places are not known. GStreamer's unpack function must then read the format.
 */
gboolean
histo_pattern_of_plane (const GstVideoFormatInfo * info, guint plane,
    HistoPattern * pattern)
{
  if (info->flags & (GST_VIDEO_FORMAT_FLAG_PALETTE |
          GST_VIDEO_FORMAT_FLAG_TILED))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (patterns); i++) {
    if (patterns[i].format == info->format && patterns[i].plane == plane) {
      *pattern = patterns[i];
      return TRUE;
    }
  }
  return !(info->flags & GST_VIDEO_FORMAT_FLAG_COMPLEX)
      && derive (info, plane, pattern);
}

/**
 * histo_pattern_of_unpacked:
 * @depth: of the component, 1 to 16
 * @pattern: (out): of a plane with the samples of this component alone, as histo_unpack()
 *   writes it: one byte a sample up to 8 bits, else a 16-bit word in the host's byte order
 */
void
histo_pattern_of_unpacked (guint component, guint depth, HistoPattern * pattern)
{
  const guint bytes = depth > 8 ? 2 : 1;

  memset (pattern, 0, sizeof *pattern);
  pattern->period_bytes = bytes;
  pattern->big_endian = G_BYTE_ORDER == G_BIG_ENDIAN;
  pattern->n_samples = 1;
  pattern->samples[0] = (HistoPatternSample) {component, 0, bytes, 0, depth};
}
