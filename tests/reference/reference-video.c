/* reference-video.c: every raw video format's samples, and their statistics, as
 * plainly as C can say it.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Formats: the comments of GstVideoFormat in gst/video/video-format.h;
 * GStreamer's design document "Raw Video Media Types"; Microsoft, "10-bit and
 * 16-bit YUV Video Formats" (P010, P016, Y210, Y410, Y416, v210, v216); Apple,
 * "Uncompressed Y'CbCr Video in QuickTime Files" (v210, v216, v308) and TN2300
 * (r210); the V4L2 documentation of NV12MT (64x32 tiles).
 *
 * Each family of formats has one function, which answers FALSE for a format
 * that is none of its own. A component is called by its letter, and an order
 * of letters says where it lies: in "BGRx" R is at place 2.
 */

#include <math.h>
#include <string.h>

#include "reference.h"

typedef struct
{
  GstVideoFormat format;
  const guint8 *const *data;
  const gint *stride;
} Frame;

/* Shapes */

static const gchar *
static_name (gchar letter)
{
  switch (letter) {
    case 'Y':
      return "Y";
    case 'U':
      return "U";
    case 'V':
      return "V";
    case 'R':
      return "R";
    case 'G':
      return "G";
    case 'B':
      return "B";
    default:
      return "A";
  }
}

/* One pair of U and V for @x by @y pixels */
static void
set_shape (ReferenceShape * shape, const gchar * letters, guint depth,
    guint x, guint y, guint width, guint height)
{
  guint i;

  memset (shape, 0, sizeof (*shape));
  shape->n_components = strlen (letters);
  for (i = 0; i < shape->n_components; i++) {
    gboolean is_chroma = letters[i] == 'U' || letters[i] == 'V';

    shape->names[i] = static_name (letters[i]);
    shape->depths[i] = depth;
    shape->widths[i] = is_chroma ? (width + x - 1) / x : width;
    shape->heights[i] = is_chroma ? (height + y - 1) / y : height;
  }
}

static gboolean
gray_shape (GstVideoFormat format, guint w, guint h, ReferenceShape * shape)
{
  switch (format) {
    case GST_VIDEO_FORMAT_GRAY8:
      set_shape (shape, "Y", 8, 1, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_GRAY10_LE32:
#if GST_CHECK_VERSION (1, 26, 0)
    case GST_VIDEO_FORMAT_GRAY10_LE16:
#endif
      set_shape (shape, "Y", 10, 1, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_GRAY16_BE:
    case GST_VIDEO_FORMAT_GRAY16_LE:
      set_shape (shape, "Y", 16, 1, 1, w, h);
      return TRUE;
    default:
      return FALSE;
  }
}

static gboolean
rgb_shape (GstVideoFormat format, guint w, guint h, ReferenceShape * shape)
{
  switch (format) {
    case GST_VIDEO_FORMAT_RGB15:
    case GST_VIDEO_FORMAT_BGR15:
      set_shape (shape, "RGB", 5, 1, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_RGB16:
    case GST_VIDEO_FORMAT_BGR16:
      set_shape (shape, "RGB", 5, 1, 1, w, h);
      shape->depths[1] = 6;
      return TRUE;
    case GST_VIDEO_FORMAT_RGB:
    case GST_VIDEO_FORMAT_BGR:
    case GST_VIDEO_FORMAT_RGBx:
    case GST_VIDEO_FORMAT_BGRx:
    case GST_VIDEO_FORMAT_xRGB:
    case GST_VIDEO_FORMAT_xBGR:
    case GST_VIDEO_FORMAT_GBR:
    case GST_VIDEO_FORMAT_RGBP:
    case GST_VIDEO_FORMAT_BGRP:
      set_shape (shape, "RGB", 8, 1, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_r210:
    case GST_VIDEO_FORMAT_GBR_10BE:
    case GST_VIDEO_FORMAT_GBR_10LE:
#if GST_CHECK_VERSION (1, 28, 0)
    case GST_VIDEO_FORMAT_BGR10x2_LE:
    case GST_VIDEO_FORMAT_RGB10x2_LE:
#endif
      set_shape (shape, "RGB", 10, 1, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_GBR_12BE:
    case GST_VIDEO_FORMAT_GBR_12LE:
      set_shape (shape, "RGB", 12, 1, 1, w, h);
      return TRUE;
#if GST_CHECK_VERSION (1, 24, 0)
    case GST_VIDEO_FORMAT_GBR_16BE:
    case GST_VIDEO_FORMAT_GBR_16LE:
      set_shape (shape, "RGB", 16, 1, 1, w, h);
      return TRUE;
#endif
    default:
      return FALSE;
  }
}

static gboolean
rgba_shape (GstVideoFormat format, guint w, guint h, ReferenceShape * shape)
{
  switch (format) {
    case GST_VIDEO_FORMAT_RGBA:
    case GST_VIDEO_FORMAT_BGRA:
    case GST_VIDEO_FORMAT_ARGB:
    case GST_VIDEO_FORMAT_ABGR:
    case GST_VIDEO_FORMAT_GBRA:
    case GST_VIDEO_FORMAT_RGB8P:
#if GST_CHECK_VERSION (1, 24, 0)
    case GST_VIDEO_FORMAT_RBGA:
#endif
      set_shape (shape, "RGBA", 8, 1, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_RGB10A2_LE:
    case GST_VIDEO_FORMAT_BGR10A2_LE:
      set_shape (shape, "RGBA", 10, 1, 1, w, h);
      shape->depths[3] = 2;
      return TRUE;
    case GST_VIDEO_FORMAT_GBRA_10BE:
    case GST_VIDEO_FORMAT_GBRA_10LE:
      set_shape (shape, "RGBA", 10, 1, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_GBRA_12BE:
    case GST_VIDEO_FORMAT_GBRA_12LE:
      set_shape (shape, "RGBA", 12, 1, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_ARGB64:
    case GST_VIDEO_FORMAT_ARGB64_LE:
    case GST_VIDEO_FORMAT_ARGB64_BE:
    case GST_VIDEO_FORMAT_RGBA64_LE:
    case GST_VIDEO_FORMAT_RGBA64_BE:
    case GST_VIDEO_FORMAT_BGRA64_LE:
    case GST_VIDEO_FORMAT_BGRA64_BE:
    case GST_VIDEO_FORMAT_ABGR64_LE:
    case GST_VIDEO_FORMAT_ABGR64_BE:
      set_shape (shape, "RGBA", 16, 1, 1, w, h);
      return TRUE;
    default:
      return FALSE;
  }
}

static gboolean
yuv_8bit_shape (GstVideoFormat format, guint w, guint h, ReferenceShape * shape)
{
  switch (format) {
    case GST_VIDEO_FORMAT_YUV9:
    case GST_VIDEO_FORMAT_YVU9:
      set_shape (shape, "YUV", 8, 4, 4, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_Y41B:
    case GST_VIDEO_FORMAT_IYU1:
      set_shape (shape, "YUV", 8, 4, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_I420:
    case GST_VIDEO_FORMAT_YV12:
    case GST_VIDEO_FORMAT_NV12:
    case GST_VIDEO_FORMAT_NV21:
    case GST_VIDEO_FORMAT_NV12_64Z32:
    case GST_VIDEO_FORMAT_NV12_4L4:
    case GST_VIDEO_FORMAT_NV12_32L32:
    case GST_VIDEO_FORMAT_NV12_16L32S:
    case GST_VIDEO_FORMAT_NV12_8L128:
      set_shape (shape, "YUV", 8, 2, 2, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_YUY2:
    case GST_VIDEO_FORMAT_UYVY:
    case GST_VIDEO_FORMAT_VYUY:
    case GST_VIDEO_FORMAT_YVYU:
    case GST_VIDEO_FORMAT_Y42B:
    case GST_VIDEO_FORMAT_NV16:
    case GST_VIDEO_FORMAT_NV61:
      set_shape (shape, "YUV", 8, 2, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_v308:
    case GST_VIDEO_FORMAT_IYU2:
    case GST_VIDEO_FORMAT_Y444:
    case GST_VIDEO_FORMAT_NV24:
      set_shape (shape, "YUV", 8, 1, 1, w, h);
      return TRUE;
    default:
      return FALSE;
  }
}

static gboolean
yuv_10bit_shape (GstVideoFormat format, guint w, guint h,
    ReferenceShape * shape)
{
  switch (format) {
    case GST_VIDEO_FORMAT_I420_10BE:
    case GST_VIDEO_FORMAT_I420_10LE:
    case GST_VIDEO_FORMAT_P010_10BE:
    case GST_VIDEO_FORMAT_P010_10LE:
    case GST_VIDEO_FORMAT_NV12_10LE40:
#if GST_CHECK_VERSION (1, 24, 0)
    case GST_VIDEO_FORMAT_NV12_10LE40_4L4:
    case GST_VIDEO_FORMAT_MT2110T:
    case GST_VIDEO_FORMAT_MT2110R:
#endif
      set_shape (shape, "YUV", 10, 2, 2, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_NV12_10LE32:
      set_shape (shape, "YUV", 10, 2, 2, w, h);
      /* (w + 2) / 3 words have no room for w + 1 samples */
      if (w % 6 == 3)
        shape->widths[2] -= 1;
      return TRUE;
    case GST_VIDEO_FORMAT_NV12_10BE_8L128:
      set_shape (shape, "YUV", 10, 2, 2, w, h);
      /* the tiles, of 64 bits in a row, that hold w samples of 10 bits have
       * no room for w + 1 */
      if (w % 32 == 19 || w % 32 == 25)
        shape->widths[2] -= 1;
      return TRUE;
    case GST_VIDEO_FORMAT_NV16_10LE32:
      set_shape (shape, "YUV", 10, 2, 1, w, h);
      /* as NV12_10LE32 */
      if (w % 6 == 3)
        shape->widths[2] -= 1;
      return TRUE;
    case GST_VIDEO_FORMAT_UYVP:
      set_shape (shape, "YUV", 10, 2, 1, w, h);
      /* the stride, 2.5 bytes a pixel rounded down and then up to 4, is a byte
       * too short */
      if (w % 8 == 3)
        shape->widths[2] -= 1;
      return TRUE;
    case GST_VIDEO_FORMAT_v210:
    case GST_VIDEO_FORMAT_Y210:
    case GST_VIDEO_FORMAT_I422_10BE:
    case GST_VIDEO_FORMAT_I422_10LE:
#if GST_CHECK_VERSION (1, 28, 0)
    case GST_VIDEO_FORMAT_NV16_10LE40:
#endif
      set_shape (shape, "YUV", 10, 2, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_Y444_10BE:
    case GST_VIDEO_FORMAT_Y444_10LE:
      set_shape (shape, "YUV", 10, 1, 1, w, h);
      return TRUE;
    default:
      return FALSE;
  }
}

static gboolean
yuv_deep_shape (GstVideoFormat format, guint w, guint h, ReferenceShape * shape)
{
  switch (format) {
    case GST_VIDEO_FORMAT_I420_12BE:
    case GST_VIDEO_FORMAT_I420_12LE:
    case GST_VIDEO_FORMAT_P012_BE:
    case GST_VIDEO_FORMAT_P012_LE:
      set_shape (shape, "YUV", 12, 2, 2, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_I422_12BE:
    case GST_VIDEO_FORMAT_I422_12LE:
    case GST_VIDEO_FORMAT_Y212_BE:
    case GST_VIDEO_FORMAT_Y212_LE:
      set_shape (shape, "YUV", 12, 2, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_Y444_12BE:
    case GST_VIDEO_FORMAT_Y444_12LE:
      set_shape (shape, "YUV", 12, 1, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_P016_BE:
    case GST_VIDEO_FORMAT_P016_LE:
      set_shape (shape, "YUV", 16, 2, 2, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_v216:
#if GST_CHECK_VERSION (1, 26, 0)
    case GST_VIDEO_FORMAT_Y216_LE:
    case GST_VIDEO_FORMAT_Y216_BE:
#endif
      set_shape (shape, "YUV", 16, 2, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_Y444_16BE:
    case GST_VIDEO_FORMAT_Y444_16LE:
      set_shape (shape, "YUV", 16, 1, 1, w, h);
      return TRUE;
    default:
      return FALSE;
  }
}

static gboolean
yuva_shape (GstVideoFormat format, guint w, guint h, ReferenceShape * shape)
{
  switch (format) {
    case GST_VIDEO_FORMAT_A420:
    case GST_VIDEO_FORMAT_AV12:
      set_shape (shape, "YUVA", 8, 2, 2, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_AYUV:
    case GST_VIDEO_FORMAT_VUYA:
      set_shape (shape, "YUVA", 8, 1, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_A420_10BE:
    case GST_VIDEO_FORMAT_A420_10LE:
      set_shape (shape, "YUVA", 10, 2, 2, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_A422_10BE:
    case GST_VIDEO_FORMAT_A422_10LE:
      set_shape (shape, "YUVA", 10, 2, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_A444_10BE:
    case GST_VIDEO_FORMAT_A444_10LE:
      set_shape (shape, "YUVA", 10, 1, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_Y410:
      set_shape (shape, "YUVA", 10, 1, 1, w, h);
      shape->depths[3] = 2;
      return TRUE;
    case GST_VIDEO_FORMAT_Y412_BE:
    case GST_VIDEO_FORMAT_Y412_LE:
      set_shape (shape, "YUVA", 12, 1, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_AYUV64:
#if GST_CHECK_VERSION (1, 26, 0)
    case GST_VIDEO_FORMAT_Y416_LE:
    case GST_VIDEO_FORMAT_Y416_BE:
#endif
      set_shape (shape, "YUVA", 16, 1, 1, w, h);
      return TRUE;
    default:
      return FALSE;
  }
}

#if GST_CHECK_VERSION (1, 24, 0)
static gboolean
new_yuva_shape (GstVideoFormat format, guint w, guint h, ReferenceShape * shape)
{
  switch (format) {
    case GST_VIDEO_FORMAT_A422:
      set_shape (shape, "YUVA", 8, 2, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_A444:
      set_shape (shape, "YUVA", 8, 1, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_A420_12BE:
    case GST_VIDEO_FORMAT_A420_12LE:
      set_shape (shape, "YUVA", 12, 2, 2, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_A422_12BE:
    case GST_VIDEO_FORMAT_A422_12LE:
      set_shape (shape, "YUVA", 12, 2, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_A444_12BE:
    case GST_VIDEO_FORMAT_A444_12LE:
      set_shape (shape, "YUVA", 12, 1, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_A420_16BE:
    case GST_VIDEO_FORMAT_A420_16LE:
      set_shape (shape, "YUVA", 16, 2, 2, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_A422_16BE:
    case GST_VIDEO_FORMAT_A422_16LE:
      set_shape (shape, "YUVA", 16, 2, 1, w, h);
      return TRUE;
    case GST_VIDEO_FORMAT_A444_16BE:
    case GST_VIDEO_FORMAT_A444_16LE:
      set_shape (shape, "YUVA", 16, 1, 1, w, h);
      return TRUE;
    default:
      return FALSE;
  }
}
#endif

gboolean
reference_video_shape (GstVideoFormat format, guint width, guint height,
    ReferenceShape * shape)
{
  return gray_shape (format, width, height, shape)
      || rgb_shape (format, width, height, shape)
      || rgba_shape (format, width, height, shape)
      || yuv_8bit_shape (format, width, height, shape)
      || yuv_10bit_shape (format, width, height, shape)
      || yuv_deep_shape (format, width, height, shape)
#if GST_CHECK_VERSION (1, 24, 0)
      || new_yuva_shape (format, width, height, shape)
#endif
      || yuva_shape (format, width, height, shape);
}

/* Bytes and words of a row */

static guint32
byte (const Frame * f, guint plane, guint y, guint index)
{
  return f->data[plane][(gssize) y * f->stride[plane] + (gssize) index];
}

static guint32
le16 (const Frame * f, guint plane, guint y, guint index)
{
  return byte (f, plane, y, 2 * index) | byte (f, plane, y, 2 * index + 1) << 8;
}

static guint32
be16 (const Frame * f, guint plane, guint y, guint index)
{
  return byte (f, plane, y, 2 * index) << 8 | byte (f, plane, y, 2 * index + 1);
}

static guint32
native16 (const Frame * f, guint plane, guint y, guint index)
{
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  return le16 (f, plane, y, index);
#else
  return be16 (f, plane, y, index);
#endif
}

static guint32
le32 (const Frame * f, guint plane, guint y, guint index)
{
  guint32 first = le16 (f, plane, y, 2 * index);
  guint32 second = le16 (f, plane, y, 2 * index + 1);

  return first | second << 16;
}

static guint32
be32 (const Frame * f, guint plane, guint y, guint index)
{
  guint32 first = be16 (f, plane, y, 2 * index);
  guint32 second = be16 (f, plane, y, 2 * index + 1);

  return first << 16 | second;
}

/* The @index-th 10 bits of a row, counted from its lowest bit, or of a row of
 * 32 bit words with three samples each, the first one lowest */
static guint32
le10 (const Frame * f, guint plane, guint y, guint index)
{
  guint bit = 10 * index;
  guint32 word = byte (f, plane, y, bit / 8)
      | byte (f, plane, y, bit / 8 + 1) << 8;

  return word >> (bit % 8) & 0x3ff;
}

static guint32
be10 (const Frame * f, guint plane, guint y, guint index)
{
  guint bit = 10 * index;
  guint32 word = byte (f, plane, y, bit / 8) << 8
      | byte (f, plane, y, bit / 8 + 1);

  return word >> (6 - bit % 8) & 0x3ff;
}

static guint32
three_in_le32 (const Frame * f, guint plane, guint y, guint index)
{
  return le32 (f, plane, y, index / 3) >> (10 * (index % 3)) & 0x3ff;
}

/* Where in an order of letters a component lies: "BGRx", 'R' -> 2 */
static guint
place (const gchar * order, gchar component)
{
  guint i = 0;

  /* it is asked for each sample: a loop that the compiler knows takes half as
   * long as strchr() */
  while (order[i] != component && order[i] != '\0')
    i++;

  return i;
}

/* Where in a row of 4:2:2 groups of two Y, one U and one V a sample lies:
 * "YUYV": Y0 U0 Y1 V0 Y2 U1 Y3 V1 */
static guint
place_422 (const gchar * order, gchar component, guint x)
{
  if (component == 'Y')
    return 2 * x + place (order, 'Y');
  else
    return 4 * x + place (order, component);
}

/* Samples, one function for each family. (x, y) counts the component's own
 * samples. */

/* A plane for each component, a byte for each sample */
static gboolean
planar_byte (const Frame * f, gchar c, guint x, guint y, guint32 * value)
{
  switch (f->format) {
    case GST_VIDEO_FORMAT_GRAY8:
    case GST_VIDEO_FORMAT_I420:
    case GST_VIDEO_FORMAT_YUV9:
    case GST_VIDEO_FORMAT_Y41B:
    case GST_VIDEO_FORMAT_Y42B:
    case GST_VIDEO_FORMAT_Y444:
    case GST_VIDEO_FORMAT_A420:
#if GST_CHECK_VERSION (1, 24, 0)
    case GST_VIDEO_FORMAT_A422:
    case GST_VIDEO_FORMAT_A444:
#endif
      *value = byte (f, place ("YUVA", c), y, x);
      return TRUE;
    case GST_VIDEO_FORMAT_YV12:
    case GST_VIDEO_FORMAT_YVU9:
      *value = byte (f, place ("YVU", c), y, x);
      return TRUE;
    case GST_VIDEO_FORMAT_GBR:
    case GST_VIDEO_FORMAT_GBRA:
      *value = byte (f, place ("GBRA", c), y, x);
      return TRUE;
    case GST_VIDEO_FORMAT_RGBP:
      *value = byte (f, place ("RGB", c), y, x);
      return TRUE;
    case GST_VIDEO_FORMAT_BGRP:
      *value = byte (f, place ("BGR", c), y, x);
      return TRUE;
    default:
      return FALSE;
  }
}

/* A plane for each component, a sample in the low bits of 16 */
static gboolean
planar_yuv_word (const Frame * f, gchar c, guint x, guint y, guint32 * value)
{
  guint plane = c == 'A' ? 3 : place ("YUV", c);

  switch (f->format) {
    case GST_VIDEO_FORMAT_I420_10LE:
    case GST_VIDEO_FORMAT_I422_10LE:
    case GST_VIDEO_FORMAT_Y444_10LE:
    case GST_VIDEO_FORMAT_A420_10LE:
    case GST_VIDEO_FORMAT_A422_10LE:
    case GST_VIDEO_FORMAT_A444_10LE:
#if GST_CHECK_VERSION (1, 26, 0)
    case GST_VIDEO_FORMAT_GRAY10_LE16:
#endif
      *value = le16 (f, plane, y, x) & 0x3ff;
      return TRUE;
    case GST_VIDEO_FORMAT_I420_10BE:
    case GST_VIDEO_FORMAT_I422_10BE:
    case GST_VIDEO_FORMAT_Y444_10BE:
    case GST_VIDEO_FORMAT_A420_10BE:
    case GST_VIDEO_FORMAT_A422_10BE:
    case GST_VIDEO_FORMAT_A444_10BE:
      *value = be16 (f, plane, y, x) & 0x3ff;
      return TRUE;
    case GST_VIDEO_FORMAT_I420_12LE:
    case GST_VIDEO_FORMAT_I422_12LE:
    case GST_VIDEO_FORMAT_Y444_12LE:
#if GST_CHECK_VERSION (1, 24, 0)
    case GST_VIDEO_FORMAT_A420_12LE:
    case GST_VIDEO_FORMAT_A422_12LE:
    case GST_VIDEO_FORMAT_A444_12LE:
#endif
      *value = le16 (f, plane, y, x) & 0xfff;
      return TRUE;
    case GST_VIDEO_FORMAT_I420_12BE:
    case GST_VIDEO_FORMAT_I422_12BE:
    case GST_VIDEO_FORMAT_Y444_12BE:
#if GST_CHECK_VERSION (1, 24, 0)
    case GST_VIDEO_FORMAT_A420_12BE:
    case GST_VIDEO_FORMAT_A422_12BE:
    case GST_VIDEO_FORMAT_A444_12BE:
#endif
      *value = be16 (f, plane, y, x) & 0xfff;
      return TRUE;
    case GST_VIDEO_FORMAT_GRAY16_LE:
    case GST_VIDEO_FORMAT_Y444_16LE:
#if GST_CHECK_VERSION (1, 24, 0)
    case GST_VIDEO_FORMAT_A420_16LE:
    case GST_VIDEO_FORMAT_A422_16LE:
    case GST_VIDEO_FORMAT_A444_16LE:
#endif
      *value = le16 (f, plane, y, x);
      return TRUE;
    case GST_VIDEO_FORMAT_GRAY16_BE:
    case GST_VIDEO_FORMAT_Y444_16BE:
#if GST_CHECK_VERSION (1, 24, 0)
    case GST_VIDEO_FORMAT_A420_16BE:
    case GST_VIDEO_FORMAT_A422_16BE:
    case GST_VIDEO_FORMAT_A444_16BE:
#endif
      *value = be16 (f, plane, y, x);
      return TRUE;
    default:
      return FALSE;
  }
}

static gboolean
planar_rgb_word (const Frame * f, gchar c, guint x, guint y, guint32 * value)
{
  switch (f->format) {
    case GST_VIDEO_FORMAT_GBR_10LE:
    case GST_VIDEO_FORMAT_GBRA_10LE:
      *value = le16 (f, place ("GBRA", c), y, x) & 0x3ff;
      return TRUE;
    case GST_VIDEO_FORMAT_GBR_10BE:
    case GST_VIDEO_FORMAT_GBRA_10BE:
      *value = be16 (f, place ("GBRA", c), y, x) & 0x3ff;
      return TRUE;
    case GST_VIDEO_FORMAT_GBR_12LE:
    case GST_VIDEO_FORMAT_GBRA_12LE:
      *value = le16 (f, place ("GBRA", c), y, x) & 0xfff;
      return TRUE;
    case GST_VIDEO_FORMAT_GBR_12BE:
    case GST_VIDEO_FORMAT_GBRA_12BE:
      *value = be16 (f, place ("GBRA", c), y, x) & 0xfff;
      return TRUE;
#if GST_CHECK_VERSION (1, 24, 0)
    case GST_VIDEO_FORMAT_GBR_16LE:
      *value = le16 (f, place ("GBR", c), y, x);
      return TRUE;
    case GST_VIDEO_FORMAT_GBR_16BE:
      *value = be16 (f, place ("GBR", c), y, x);
      return TRUE;
#endif
    default:
      return FALSE;
  }
}

/* Y in plane 0; U and V in turn in plane 1; A, if any, in plane 2 */
static gboolean
semi_planar (const Frame * f, gchar c, guint x, guint y, guint32 * value)
{
  guint plane = place ("YUA", c == 'V' ? 'U' : c);
  guint uv = plane == 1 ? 2 * x + place ("UV", c) : x;
  guint vu = plane == 1 ? 2 * x + place ("VU", c) : x;

  switch (f->format) {
    case GST_VIDEO_FORMAT_NV12:
    case GST_VIDEO_FORMAT_NV16:
    case GST_VIDEO_FORMAT_NV24:
    case GST_VIDEO_FORMAT_AV12:
      *value = byte (f, plane, y, uv);
      return TRUE;
    case GST_VIDEO_FORMAT_NV21:
    case GST_VIDEO_FORMAT_NV61:
      *value = byte (f, plane, y, vu);
      return TRUE;
      /* the sample in the high bits */
    case GST_VIDEO_FORMAT_P010_10LE:
      *value = le16 (f, plane, y, uv) >> 6;
      return TRUE;
    case GST_VIDEO_FORMAT_P010_10BE:
      *value = be16 (f, plane, y, uv) >> 6;
      return TRUE;
    case GST_VIDEO_FORMAT_P012_LE:
      *value = le16 (f, plane, y, uv) >> 4;
      return TRUE;
    case GST_VIDEO_FORMAT_P012_BE:
      *value = be16 (f, plane, y, uv) >> 4;
      return TRUE;
    case GST_VIDEO_FORMAT_P016_LE:
      *value = le16 (f, plane, y, uv);
      return TRUE;
    case GST_VIDEO_FORMAT_P016_BE:
      *value = be16 (f, plane, y, uv);
      return TRUE;
    case GST_VIDEO_FORMAT_GRAY10_LE32:
    case GST_VIDEO_FORMAT_NV12_10LE32:
    case GST_VIDEO_FORMAT_NV16_10LE32:
      *value = three_in_le32 (f, plane, y, uv);
      return TRUE;
    case GST_VIDEO_FORMAT_NV12_10LE40:
#if GST_CHECK_VERSION (1, 28, 0)
    case GST_VIDEO_FORMAT_NV16_10LE40:
#endif
      *value = le10 (f, plane, y, uv);
      return TRUE;
    default:
      return FALSE;
  }
}

/* Two Y, one U and one V together */
static gboolean
packed_422 (const Frame * f, gchar c, guint x, guint y, guint32 * value)
{
  switch (f->format) {
    case GST_VIDEO_FORMAT_YUY2:
      *value = byte (f, 0, y, place_422 ("YUYV", c, x));
      return TRUE;
    case GST_VIDEO_FORMAT_UYVY:
      *value = byte (f, 0, y, place_422 ("UYVY", c, x));
      return TRUE;
    case GST_VIDEO_FORMAT_VYUY:
      *value = byte (f, 0, y, place_422 ("VYUY", c, x));
      return TRUE;
    case GST_VIDEO_FORMAT_YVYU:
      *value = byte (f, 0, y, place_422 ("YVYU", c, x));
      return TRUE;
    case GST_VIDEO_FORMAT_v210:
      /* U0 Y0 V0 | Y1 U1 Y2 | V1 Y3 U2 | Y4 V2 Y5, in words of 32 bits */
      *value = three_in_le32 (f, 0, y, place_422 ("UYVY", c, x));
      return TRUE;
    case GST_VIDEO_FORMAT_UYVP:
      *value = be10 (f, 0, y, place_422 ("UYVY", c, x));
      return TRUE;
    case GST_VIDEO_FORMAT_v216:
      *value = le16 (f, 0, y, place_422 ("UYVY", c, x));
      return TRUE;
    case GST_VIDEO_FORMAT_Y210:
      *value = le16 (f, 0, y, place_422 ("YUYV", c, x)) >> 6;
      return TRUE;
    case GST_VIDEO_FORMAT_Y212_LE:
      *value = le16 (f, 0, y, place_422 ("YUYV", c, x)) >> 4;
      return TRUE;
    case GST_VIDEO_FORMAT_Y212_BE:
      *value = be16 (f, 0, y, place_422 ("YUYV", c, x)) >> 4;
      return TRUE;
#if GST_CHECK_VERSION (1, 26, 0)
    case GST_VIDEO_FORMAT_Y216_LE:
      *value = le16 (f, 0, y, place_422 ("YUYV", c, x));
      return TRUE;
    case GST_VIDEO_FORMAT_Y216_BE:
      *value = be16 (f, 0, y, place_422 ("YUYV", c, x));
      return TRUE;
#endif
    default:
      return FALSE;
  }
}

/* All components of a pixel together, or (IYU1) of four pixels */
static gboolean
packed_yuv (const Frame * f, gchar c, guint x, guint y, guint32 * value)
{
  static const guint y_in_iyu1[4] = { 1, 2, 4, 5 };

  switch (f->format) {
    case GST_VIDEO_FORMAT_IYU1:
      /* U0 Y0 Y1 V0 Y2 Y3 */
      if (c == 'Y')
        *value = byte (f, 0, y, x / 4 * 6 + y_in_iyu1[x % 4]);
      else
        *value = byte (f, 0, y, x * 6 + (c == 'U' ? 0 : 3));
      return TRUE;
    case GST_VIDEO_FORMAT_v308:
      *value = byte (f, 0, y, 3 * x + place ("YUV", c));
      return TRUE;
    case GST_VIDEO_FORMAT_IYU2:
      *value = byte (f, 0, y, 3 * x + place ("UYV", c));
      return TRUE;
    case GST_VIDEO_FORMAT_AYUV:
      *value = byte (f, 0, y, 4 * x + place ("AYUV", c));
      return TRUE;
    case GST_VIDEO_FORMAT_VUYA:
      *value = byte (f, 0, y, 4 * x + place ("VUYA", c));
      return TRUE;
    case GST_VIDEO_FORMAT_AYUV64:
      *value = native16 (f, 0, y, 4 * x + place ("AYUV", c));
      return TRUE;
    case GST_VIDEO_FORMAT_Y410:
      /* from the lowest bit: U 10, Y 10, V 10, A 2 */
      *value = le32 (f, 0, y, x) >> (10 * place ("UYVA", c));
      *value &= c == 'A' ? 0x3 : 0x3ff;
      return TRUE;
    case GST_VIDEO_FORMAT_Y412_LE:
      *value = le16 (f, 0, y, 4 * x + place ("UYVA", c)) >> 4;
      return TRUE;
    case GST_VIDEO_FORMAT_Y412_BE:
      *value = be16 (f, 0, y, 4 * x + place ("UYVA", c)) >> 4;
      return TRUE;
#if GST_CHECK_VERSION (1, 26, 0)
    case GST_VIDEO_FORMAT_Y416_LE:
      *value = le16 (f, 0, y, 4 * x + place ("UYVA", c));
      return TRUE;
    case GST_VIDEO_FORMAT_Y416_BE:
      *value = be16 (f, 0, y, 4 * x + place ("UYVA", c));
      return TRUE;
#endif
    default:
      return FALSE;
  }
}

static gboolean
packed_rgb_byte (const Frame * f, gchar c, guint x, guint y, guint32 * value)
{
  switch (f->format) {
    case GST_VIDEO_FORMAT_RGB:
      *value = byte (f, 0, y, 3 * x + place ("RGB", c));
      return TRUE;
    case GST_VIDEO_FORMAT_BGR:
      *value = byte (f, 0, y, 3 * x + place ("BGR", c));
      return TRUE;
    case GST_VIDEO_FORMAT_RGBx:
    case GST_VIDEO_FORMAT_RGBA:
      *value = byte (f, 0, y, 4 * x + place ("RGBA", c));
      return TRUE;
    case GST_VIDEO_FORMAT_BGRx:
    case GST_VIDEO_FORMAT_BGRA:
      *value = byte (f, 0, y, 4 * x + place ("BGRA", c));
      return TRUE;
    case GST_VIDEO_FORMAT_xRGB:
    case GST_VIDEO_FORMAT_ARGB:
      *value = byte (f, 0, y, 4 * x + place ("ARGB", c));
      return TRUE;
    case GST_VIDEO_FORMAT_xBGR:
    case GST_VIDEO_FORMAT_ABGR:
      *value = byte (f, 0, y, 4 * x + place ("ABGR", c));
      return TRUE;
#if GST_CHECK_VERSION (1, 24, 0)
    case GST_VIDEO_FORMAT_RBGA:
      *value = byte (f, 0, y, 4 * x + place ("RBGA", c));
      return TRUE;
#endif
    default:
      return FALSE;
  }
}

static gboolean
packed_rgb_word (const Frame * f, gchar c, guint x, guint y, guint32 * value)
{
  switch (f->format) {
    case GST_VIDEO_FORMAT_ARGB64:
      *value = native16 (f, 0, y, 4 * x + place ("ARGB", c));
      return TRUE;
    case GST_VIDEO_FORMAT_ARGB64_LE:
      *value = le16 (f, 0, y, 4 * x + place ("ARGB", c));
      return TRUE;
    case GST_VIDEO_FORMAT_ARGB64_BE:
      *value = be16 (f, 0, y, 4 * x + place ("ARGB", c));
      return TRUE;
    case GST_VIDEO_FORMAT_RGBA64_LE:
      *value = le16 (f, 0, y, 4 * x + place ("RGBA", c));
      return TRUE;
    case GST_VIDEO_FORMAT_RGBA64_BE:
      *value = be16 (f, 0, y, 4 * x + place ("RGBA", c));
      return TRUE;
    case GST_VIDEO_FORMAT_BGRA64_LE:
      *value = le16 (f, 0, y, 4 * x + place ("BGRA", c));
      return TRUE;
    case GST_VIDEO_FORMAT_BGRA64_BE:
      *value = be16 (f, 0, y, 4 * x + place ("BGRA", c));
      return TRUE;
    case GST_VIDEO_FORMAT_ABGR64_LE:
      *value = le16 (f, 0, y, 4 * x + place ("ABGR", c));
      return TRUE;
    case GST_VIDEO_FORMAT_ABGR64_BE:
      *value = be16 (f, 0, y, 4 * x + place ("ABGR", c));
      return TRUE;
    default:
      return FALSE;
  }
}

/* All components of a pixel in one word; "R highest" means red in the most
 * significant bits */
static gboolean
bits_of_a_word (const Frame * f, gchar c, guint x, guint y, guint32 * value)
{
  switch (f->format) {
    case GST_VIDEO_FORMAT_RGB16:
      /* R highest: 5, 6, 5 */
      *value = native16 (f, 0, y, x);
      *value = c == 'R' ? *value >> 11 : c == 'G' ? *value >> 5 & 0x3f
          : *value & 0x1f;
      return TRUE;
    case GST_VIDEO_FORMAT_BGR16:
      /* B highest: 5, 6, 5 */
      *value = native16 (f, 0, y, x);
      *value = c == 'B' ? *value >> 11 : c == 'G' ? *value >> 5 & 0x3f
          : *value & 0x1f;
      return TRUE;
    case GST_VIDEO_FORMAT_RGB15:
      /* a bit of padding, then R highest */
      *value = native16 (f, 0, y, x) >> (5 * place ("BGR", c)) & 0x1f;
      return TRUE;
    case GST_VIDEO_FORMAT_BGR15:
      /* a bit of padding, then B highest */
      *value = native16 (f, 0, y, x) >> (5 * place ("RGB", c)) & 0x1f;
      return TRUE;
    case GST_VIDEO_FORMAT_r210:
      /* two bits of padding, then R highest */
      *value = be32 (f, 0, y, x) >> (10 * place ("BGR", c)) & 0x3ff;
      return TRUE;
    case GST_VIDEO_FORMAT_RGB10A2_LE:
#if GST_CHECK_VERSION (1, 28, 0)
    case GST_VIDEO_FORMAT_RGB10x2_LE:
#endif
      /* R lowest */
      *value = le32 (f, 0, y, x) >> (10 * place ("RGBA", c));
      *value &= c == 'A' ? 0x3 : 0x3ff;
      return TRUE;
    case GST_VIDEO_FORMAT_BGR10A2_LE:
#if GST_CHECK_VERSION (1, 28, 0)
    case GST_VIDEO_FORMAT_BGR10x2_LE:
#endif
      /* B lowest */
      *value = le32 (f, 0, y, x) >> (10 * place ("BGRA", c));
      *value &= c == 'A' ? 0x3 : 0x3ff;
      return TRUE;
    default:
      return FALSE;
  }
}

/* Plane 1 has 256 native-endian words of 32 bits, A highest, then R, G, B */
static gboolean
paletted (const Frame * f, gchar c, guint x, guint y, guint32 * value)
{
  guint32 colour;

  if (f->format != GST_VIDEO_FORMAT_RGB8P)
    return FALSE;

  memcpy (&colour, f->data[1] + 4 * byte (f, 0, y, x), 4);
  *value = colour >> (8 * place ("BGRA", c)) & 0xff;
  return TRUE;
}

/* Tiles: a plane is cut into tiles of @tile_width bytes by @tile_height rows,
 * each of which lies in one piece, row after row. */

/* Row after row of tiles */
static guint
linear_tile (const Frame * f, guint plane, guint tile_x, guint tile_y)
{
  return tile_y * GST_VIDEO_TILE_X_TILES (f->stride[plane]) + tile_x;
}

/* Groups of two by two tiles, row after row of groups; in a group the tiles
 * lie as a Z (0 1 / 2 3), in every second group as a flipped Z (2 3 / 0 1).
 * A last odd row of tiles is linear. */
static guint
zigzag_tile (const Frame * f, guint plane, guint tile_x, guint tile_y)
{
  guint x_tiles = GST_VIDEO_TILE_X_TILES (f->stride[plane]);
  guint y_tiles = GST_VIDEO_TILE_Y_TILES (f->stride[plane]);
  gboolean is_flipped = tile_x / 2 % 2 == 1;
  gboolean is_upper = tile_y % 2 == 0;
  gboolean is_first_pair = is_upper != is_flipped;

  if (is_upper && tile_y == y_tiles - 1)
    return linear_tile (f, plane, tile_x, tile_y);

  return tile_y / 2 * 2 * x_tiles + tile_x / 2 * 4
      + (is_first_pair ? 0 : 2) + tile_x % 2;
}

typedef guint (*TileOrder) (const Frame *, guint, guint, guint);

static guint32
tiled_byte (const Frame * f, TileOrder order, guint tile_width,
    guint tile_height, guint plane, guint y, guint index)
{
  gsize tile = order (f, plane, index / tile_width, y / tile_height);

  return f->data[plane][tile * tile_width * tile_height
      + y % tile_height * tile_width + index % tile_width];
}

#if GST_CHECK_VERSION (1, 24, 0)
/* Tiles of 16 samples by 32 rows (16 of UV), cut into blocks of four rows: the two
 * low bits of their 64 samples in 16 bytes, then the high eight in a byte each.
 * Of the low bits a byte has those of a column (T) or of four neighbours (R). */
static guint32
mt2110 (const Frame * f, gboolean is_raster, guint plane, guint y, guint index)
{
  guint tile_height = plane == 0 ? 32 : 16;
  gsize tile = linear_tile (f, plane, index / 16, y / tile_height);
  const guint8 *block = f->data[plane] + tile * tile_height * 20
      + y % tile_height / 4 * 80;
  guint row = y % 4;
  guint column = index % 16;
  guint low = is_raster ? block[4 * row + column / 4] >> (2 * (column % 4))
      : block[column] >> (2 * row);

  return block[16 + 16 * row + column] << 2 | (low & 3);
}
#endif

/* Semi-planar as NV12, both planes in tiles of the same size in bytes and rows;
 * with 16L32S the tiles of the UV plane are half as high */
static gboolean
tiled (const Frame * f, gchar c, guint x, guint y, guint32 * value)
{
  guint plane = c == 'Y' ? 0 : 1;
  guint index = plane == 1 ? 2 * x + place ("UV", c) : x;
  guint bit = 10 * index;

  switch (f->format) {
    case GST_VIDEO_FORMAT_NV12_64Z32:
      *value = tiled_byte (f, zigzag_tile, 64, 32, plane, y, index);
      return TRUE;
    case GST_VIDEO_FORMAT_NV12_4L4:
      *value = tiled_byte (f, linear_tile, 4, 4, plane, y, index);
      return TRUE;
    case GST_VIDEO_FORMAT_NV12_32L32:
      *value = tiled_byte (f, linear_tile, 32, 32, plane, y, index);
      return TRUE;
    case GST_VIDEO_FORMAT_NV12_16L32S:
      *value = tiled_byte (f, linear_tile, 16, plane == 0 ? 32 : 16, plane, y,
          index);
      return TRUE;
    case GST_VIDEO_FORMAT_NV12_8L128:
      *value = tiled_byte (f, linear_tile, 8, 128, plane, y, index);
      return TRUE;
    case GST_VIDEO_FORMAT_NV12_10BE_8L128:
      /* a row is a string of 10 bit samples, highest bit first, which runs on
       * from tile to tile */
      *value = tiled_byte (f, linear_tile, 8, 128, plane, y, bit / 8) << 8
          | tiled_byte (f, linear_tile, 8, 128, plane, y, bit / 8 + 1);
      *value = *value >> (6 - bit % 8) & 0x3ff;
      return TRUE;
#if GST_CHECK_VERSION (1, 24, 0)
    case GST_VIDEO_FORMAT_NV12_10LE40_4L4:
      /* four samples of 10 bits, lowest bit first, in a row of a tile */
      *value = tiled_byte (f, linear_tile, 5, 4, plane, y, bit / 8)
          | tiled_byte (f, linear_tile, 5, 4, plane, y, bit / 8 + 1) << 8;
      *value = *value >> (bit % 8) & 0x3ff;
      return TRUE;
    case GST_VIDEO_FORMAT_MT2110T:
    case GST_VIDEO_FORMAT_MT2110R:
      *value = mt2110 (f, f->format == GST_VIDEO_FORMAT_MT2110R, plane, y,
          index);
      return TRUE;
#endif
    default:
      return FALSE;
  }
}

/* One of the functions above: FALSE for a format of another family */
typedef gboolean (*Family) (const Frame * f, gchar component, guint x, guint y,
    guint32 * value);

/* NULL for a format of none. Reads the first sample. */
static Family
find_family (const Frame * f, gchar component)
{
  static const Family families[] = {
    planar_byte, planar_yuv_word, planar_rgb_word, semi_planar, packed_422,
    packed_yuv, packed_rgb_byte, packed_rgb_word, bits_of_a_word, paletted,
    tiled
  };
  guint32 value;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (families); i++)
    if (families[i] (f, component, 0, 0, &value))
      return families[i];

  return NULL;
}

gboolean
reference_video_samples (GstVideoFormat format, guint width, guint height,
    const guint8 * const data[4], const gint stride[4], guint component,
    guint32 * samples)
{
  Frame frame = { format, data, stride };
  ReferenceShape shape;
  Family family;
  gchar letter;
  guint x, y;

  if (!reference_video_shape (format, width, height, &shape)
      || component >= shape.n_components)
    return FALSE;
  if (shape.widths[component] == 0 || shape.heights[component] == 0)
    return TRUE;

  letter = shape.names[component][0];
  family = find_family (&frame, letter);
  if (family == NULL)
    return FALSE;
  for (y = 0; y < shape.heights[component]; y++)
    for (x = 0; x < shape.widths[component]; x++)
      family (&frame, letter, x, y,
          &samples[(gsize) y * shape.widths[component] + x]);

  return TRUE;
}

/* Statistics */

/* The smallest value v such that count (samples <= v) >= percent / 100 * n */
static gdouble
percentile (const guint64 * native, guint depth, guint64 n, guint percent)
{
  guint64 cumulative = 0;
  guint value;

  for (value = 0; value < 1u << depth; value++) {
    cumulative += native[value];
    if (100 * cumulative >= percent * n)
      return value;
  }

  return NAN;
}

static gdouble
mode (const guint64 * native, guint depth)
{
  guint most = 0;
  guint value;

  for (value = 0; value < 1u << depth; value++)
    if (native[value] > native[most])
      most = value;

  return most;
}

static gdouble
entropy (const guint64 * native, guint depth, guint64 n)
{
  long double sum = 0.0L;
  guint value;

  for (value = 0; value < 1u << depth; value++) {
    long double p = (long double) native[value] / n;

    if (native[value] > 0)
      sum += p * log2l (1.0L / p);
  }

  return (gdouble) sum;
}

/* Extremes, sum; variance = (n * sum of squares - sum^2) / n^2 */
static void
moments (const guint64 * native, guint depth, guint64 n,
    ReferenceStatistics * out)
{
  ReferenceUint128 sum = 0;
  ReferenceUint128 squares = 0;
  guint value;

  for (value = 0; value < 1u << depth; value++) {
    if (native[value] == 0)
      continue;
    if (isnan (out->min))
      out->min = value;
    out->max = value;
    sum += (ReferenceUint128) native[value] * value;
    squares += (ReferenceUint128) native[value] * value * value;
  }

  out->sum = (gdouble) sum;
  out->mean = reference_ratio (sum, n);
  out->variance = reference_ratio (n * squares - sum * sum,
      (ReferenceUint128) n * n);
  out->std_dev = sqrt (out->variance);
}

/* Each value into its bin, or below or above all of them, as often as it
 * occurs */
static void
fill_bins (const guint64 * native, guint depth, ReferenceStatistics * out)
{
  gdouble *edges = g_new (gdouble, (gsize) out->bins + 1);
  guint value;

  out->histogram = g_new0 (guint32, out->bins);
  reference_bin_edges (out->range_min, out->range_max, out->bins, edges);
  for (value = 0; value < 1u << depth; value++) {
    if (native[value] == 0)
      continue;
    if (value < out->range_min)
      out->underflow += native[value];
    else if (value >= out->range_max)
      out->overflow += native[value];
    else
      out->histogram[reference_bin_of (edges, out->bins, value)] +=
          native[value];
  }
  g_free (edges);
}

void
reference_video_statistics (const guint32 * samples, gsize n, guint depth,
    guint bins, gdouble range_min, gdouble range_max, ReferenceStatistics * out)
{
  /* how many samples have each value */
  guint64 *native = g_new0 (guint64, 1u << depth);
  gsize i;

  memset (out, 0, sizeof (*out));
  out->count = n;
  out->bins = bins != 0 ? bins : 1u << depth;
  out->range_min = range_min;
  out->range_max = range_max;
  if (range_min == 0.0 && range_max == 0.0)
    out->range_max = 1u << depth;
  for (i = 0; i < n; i++)
    native[samples[i]]++;
  fill_bins (native, depth, out);

  out->min = out->max = out->mean = out->variance = out->std_dev = NAN;
  out->p1 = out->p10 = out->p50 = out->p90 = out->p99 = out->mode = NAN;
  if (n > 0) {
    moments (native, depth, n, out);
    out->p1 = percentile (native, depth, n, 1);
    out->p10 = percentile (native, depth, n, 10);
    out->p50 = percentile (native, depth, n, 50);
    out->p90 = percentile (native, depth, n, 90);
    out->p99 = percentile (native, depth, n, 99);
    out->mode = mode (native, depth);
    out->entropy = entropy (native, depth, n);
  }
  g_free (native);
}
