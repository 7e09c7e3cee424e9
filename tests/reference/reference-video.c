/* reference-video.c: every raw video format's samples, as plainly as C can say
 * it.
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
 * A format is a row of a table. A component is called by its letter, and an
 * order of letters says where it lies in a plane: in "BGRx" R is at place 2, in
 * "YUYV" every second sample is a Y.
 */

#include <string.h>

#include "reference.h"

/* The table of formats */

/* How the samples of a plane are stored, one after the other in the plane's
 * order */
typedef enum
{
  BYTES,
  LE16,                         /* 16 bits, least significant byte first */
  BE16,
  NATIVE16,                     /* 16 bits in the machine's order */
  LE10,                         /* a string of 10 bits, lowest bit first */
  BE10,                         /* a string of 10 bits, highest bit first */
  THREE_IN_LE32,                /* 10 bits in words of 32, first sample lowest */
  /* All samples of a pixel in one word; the plane's order begins at the lowest
   * bit, and each sample has as many bits as its depth. */
  FIELDS_NATIVE16,
  FIELDS_LE32,
  FIELDS_BE32,
  PALETTE,                      /* a byte is an index to the words of plane 1 */
  /* Tiles of 16 samples by 32 rows (16 of UV), cut into blocks of four rows: the
   * two low bits of their 64 samples in 16 bytes, then the high eight in a byte
   * each. Of the low bits a byte has those of a column (T) or of four neighbours
   * (R). */
  MT2110T,
  MT2110R
} Storage;

/* A plane is cut into tiles of so many bytes by so many rows, each of which lies
 * in one piece, row after row. @width 0: it is not */
typedef struct
{
  guint width;
  guint heights[2];             /* of plane 0 and of plane 1 */
  gboolean is_zigzag;
} Tiles;

/**
 * Format:
 * @name: GStreamer's
 * @letters: of the components
 * @depths: their bits
 * @x: one pair of U and V is for @x by @y pixels
 * @storage: of the samples
 * @planes: the order of the samples of each plane; x is padding
 * @shift: bits of a 16-bit word below the sample
 * @tiles: the tiles of a plane
 * @n_missing: a row has no room for its last V if its width modulo @n_missing
 *   is one of @missing
 */
typedef struct
{
  const gchar *name;
  const gchar *letters;
  guint8 depths[4];
  guint8 x, y;
  Storage storage;
  const gchar *planes[4];
  guint shift;
  Tiles tiles;
  guint n_missing;
  guint missing[2];
} Format;

#define BITS(depth) { depth, depth, depth, depth }

/* GStreamer's versions since 1.22 have more and more of these formats. */
static const Format formats[] = {
  /* *INDENT-OFF* */
  /* Grey */
  { "GRAY8", "Y", BITS (8), 1, 1, BYTES, .planes = { "Y" } },
  { "GRAY10_LE16", "Y", BITS (10), 1, 1, LE16, .planes = { "Y" } },
  { "GRAY10_LE32", "Y", BITS (10), 1, 1, THREE_IN_LE32, .planes = { "Y" } },
  { "GRAY16_BE", "Y", BITS (16), 1, 1, BE16, .planes = { "Y" } },
  { "GRAY16_LE", "Y", BITS (16), 1, 1, LE16, .planes = { "Y" } },
  /* A plane for each component, a byte for each sample */
  { "I420", "YUV", BITS (8), 2, 2, BYTES, .planes = { "Y", "U", "V" } },
  { "YV12", "YUV", BITS (8), 2, 2, BYTES, .planes = { "Y", "V", "U" } },
  { "YUV9", "YUV", BITS (8), 4, 4, BYTES, .planes = { "Y", "U", "V" } },
  { "YVU9", "YUV", BITS (8), 4, 4, BYTES, .planes = { "Y", "V", "U" } },
  { "Y41B", "YUV", BITS (8), 4, 1, BYTES, .planes = { "Y", "U", "V" } },
  { "Y42B", "YUV", BITS (8), 2, 1, BYTES, .planes = { "Y", "U", "V" } },
  { "Y444", "YUV", BITS (8), 1, 1, BYTES, .planes = { "Y", "U", "V" } },
  { "A420", "YUVA", BITS (8), 2, 2, BYTES, .planes = { "Y", "U", "V", "A" } },
  { "A422", "YUVA", BITS (8), 2, 1, BYTES, .planes = { "Y", "U", "V", "A" } },
  { "A444", "YUVA", BITS (8), 1, 1, BYTES, .planes = { "Y", "U", "V", "A" } },
  { "GBR", "RGB", BITS (8), 1, 1, BYTES, .planes = { "G", "B", "R" } },
  { "GBRA", "RGBA", BITS (8), 1, 1, BYTES, .planes = { "G", "B", "R", "A" } },
  { "RGBP", "RGB", BITS (8), 1, 1, BYTES, .planes = { "R", "G", "B" } },
  { "BGRP", "RGB", BITS (8), 1, 1, BYTES, .planes = { "B", "G", "R" } },
  /* A plane for each component, a sample in the low bits of 16 */
  { "I420_10BE", "YUV", BITS (10), 2, 2, BE16, .planes = { "Y", "U", "V" } },
  { "I420_10LE", "YUV", BITS (10), 2, 2, LE16, .planes = { "Y", "U", "V" } },
  { "I422_10BE", "YUV", BITS (10), 2, 1, BE16, .planes = { "Y", "U", "V" } },
  { "I422_10LE", "YUV", BITS (10), 2, 1, LE16, .planes = { "Y", "U", "V" } },
  { "Y444_10BE", "YUV", BITS (10), 1, 1, BE16, .planes = { "Y", "U", "V" } },
  { "Y444_10LE", "YUV", BITS (10), 1, 1, LE16, .planes = { "Y", "U", "V" } },
  { "A420_10BE", "YUVA", BITS (10), 2, 2, BE16, .planes = { "Y", "U", "V", "A" } },
  { "A420_10LE", "YUVA", BITS (10), 2, 2, LE16, .planes = { "Y", "U", "V", "A" } },
  { "A422_10BE", "YUVA", BITS (10), 2, 1, BE16, .planes = { "Y", "U", "V", "A" } },
  { "A422_10LE", "YUVA", BITS (10), 2, 1, LE16, .planes = { "Y", "U", "V", "A" } },
  { "A444_10BE", "YUVA", BITS (10), 1, 1, BE16, .planes = { "Y", "U", "V", "A" } },
  { "A444_10LE", "YUVA", BITS (10), 1, 1, LE16, .planes = { "Y", "U", "V", "A" } },
  { "GBR_10BE", "RGB", BITS (10), 1, 1, BE16, .planes = { "G", "B", "R" } },
  { "GBR_10LE", "RGB", BITS (10), 1, 1, LE16, .planes = { "G", "B", "R" } },
  { "GBRA_10BE", "RGBA", BITS (10), 1, 1, BE16, .planes = { "G", "B", "R", "A" } },
  { "GBRA_10LE", "RGBA", BITS (10), 1, 1, LE16, .planes = { "G", "B", "R", "A" } },
  { "I420_12BE", "YUV", BITS (12), 2, 2, BE16, .planes = { "Y", "U", "V" } },
  { "I420_12LE", "YUV", BITS (12), 2, 2, LE16, .planes = { "Y", "U", "V" } },
  { "I422_12BE", "YUV", BITS (12), 2, 1, BE16, .planes = { "Y", "U", "V" } },
  { "I422_12LE", "YUV", BITS (12), 2, 1, LE16, .planes = { "Y", "U", "V" } },
  { "Y444_12BE", "YUV", BITS (12), 1, 1, BE16, .planes = { "Y", "U", "V" } },
  { "Y444_12LE", "YUV", BITS (12), 1, 1, LE16, .planes = { "Y", "U", "V" } },
  { "A420_12BE", "YUVA", BITS (12), 2, 2, BE16, .planes = { "Y", "U", "V", "A" } },
  { "A420_12LE", "YUVA", BITS (12), 2, 2, LE16, .planes = { "Y", "U", "V", "A" } },
  { "A422_12BE", "YUVA", BITS (12), 2, 1, BE16, .planes = { "Y", "U", "V", "A" } },
  { "A422_12LE", "YUVA", BITS (12), 2, 1, LE16, .planes = { "Y", "U", "V", "A" } },
  { "A444_12BE", "YUVA", BITS (12), 1, 1, BE16, .planes = { "Y", "U", "V", "A" } },
  { "A444_12LE", "YUVA", BITS (12), 1, 1, LE16, .planes = { "Y", "U", "V", "A" } },
  { "GBR_12BE", "RGB", BITS (12), 1, 1, BE16, .planes = { "G", "B", "R" } },
  { "GBR_12LE", "RGB", BITS (12), 1, 1, LE16, .planes = { "G", "B", "R" } },
  { "GBRA_12BE", "RGBA", BITS (12), 1, 1, BE16, .planes = { "G", "B", "R", "A" } },
  { "GBRA_12LE", "RGBA", BITS (12), 1, 1, LE16, .planes = { "G", "B", "R", "A" } },
  { "Y444_16BE", "YUV", BITS (16), 1, 1, BE16, .planes = { "Y", "U", "V" } },
  { "Y444_16LE", "YUV", BITS (16), 1, 1, LE16, .planes = { "Y", "U", "V" } },
  { "A420_16BE", "YUVA", BITS (16), 2, 2, BE16, .planes = { "Y", "U", "V", "A" } },
  { "A420_16LE", "YUVA", BITS (16), 2, 2, LE16, .planes = { "Y", "U", "V", "A" } },
  { "A422_16BE", "YUVA", BITS (16), 2, 1, BE16, .planes = { "Y", "U", "V", "A" } },
  { "A422_16LE", "YUVA", BITS (16), 2, 1, LE16, .planes = { "Y", "U", "V", "A" } },
  { "A444_16BE", "YUVA", BITS (16), 1, 1, BE16, .planes = { "Y", "U", "V", "A" } },
  { "A444_16LE", "YUVA", BITS (16), 1, 1, LE16, .planes = { "Y", "U", "V", "A" } },
  { "GBR_16BE", "RGB", BITS (16), 1, 1, BE16, .planes = { "G", "B", "R" } },
  { "GBR_16LE", "RGB", BITS (16), 1, 1, LE16, .planes = { "G", "B", "R" } },
  /* Y in plane 0; U and V in turn in plane 1; A, if any, in plane 2 */
  { "NV12", "YUV", BITS (8), 2, 2, BYTES, .planes = { "Y", "UV" } },
  { "NV21", "YUV", BITS (8), 2, 2, BYTES, .planes = { "Y", "VU" } },
  { "NV16", "YUV", BITS (8), 2, 1, BYTES, .planes = { "Y", "UV" } },
  { "NV61", "YUV", BITS (8), 2, 1, BYTES, .planes = { "Y", "VU" } },
  { "NV24", "YUV", BITS (8), 1, 1, BYTES, .planes = { "Y", "UV" } },
  { "AV12", "YUVA", BITS (8), 2, 2, BYTES, .planes = { "Y", "UV", "A" } },
  /* One sample in the high bits of 16 */
  { "P010_10BE", "YUV", BITS (10), 2, 2, BE16, .planes = { "Y", "UV" }, .shift = 6 },
  { "P010_10LE", "YUV", BITS (10), 2, 2, LE16, .planes = { "Y", "UV" }, .shift = 6 },
  { "P012_BE", "YUV", BITS (12), 2, 2, BE16, .planes = { "Y", "UV" }, .shift = 4 },
  { "P012_LE", "YUV", BITS (12), 2, 2, LE16, .planes = { "Y", "UV" }, .shift = 4 },
  { "P016_BE", "YUV", BITS (16), 2, 2, BE16, .planes = { "Y", "UV" } },
  { "P016_LE", "YUV", BITS (16), 2, 2, LE16, .planes = { "Y", "UV" } },
  /* Packed samples: (w + 2) / 3 words have no room for w + 1 samples. */
  { "NV12_10LE32", "YUV", BITS (10), 2, 2, THREE_IN_LE32, .planes = { "Y", "UV" },
    .n_missing = 6, .missing = { 3, 3 } },
  { "NV16_10LE32", "YUV", BITS (10), 2, 1, THREE_IN_LE32, .planes = { "Y", "UV" },
    .n_missing = 6, .missing = { 3, 3 } },
  { "NV12_10LE40", "YUV", BITS (10), 2, 2, LE10, .planes = { "Y", "UV" } },
  { "NV16_10LE40", "YUV", BITS (10), 2, 1, LE10, .planes = { "Y", "UV" } },
  /* A row of tiles of 64 bits that holds w samples of 10 bits may have no room for w + 1. */
  { "NV12_64Z32", "YUV", BITS (8), 2, 2, BYTES,
    .planes = { "Y", "UV" }, .tiles = { 64, { 32, 32 }, TRUE } },
  { "NV12_4L4", "YUV", BITS (8), 2, 2, BYTES, .planes = { "Y", "UV" }, .tiles = { 4, { 4, 4 }, FALSE } },
  { "NV12_32L32", "YUV", BITS (8), 2, 2, BYTES,
    .planes = { "Y", "UV" }, .tiles = { 32, { 32, 32 }, FALSE } },
  { "NV12_16L32S", "YUV", BITS (8), 2, 2, BYTES,
    .planes = { "Y", "UV" }, .tiles = { 16, { 32, 16 }, FALSE } },
  { "NV12_8L128", "YUV", BITS (8), 2, 2, BYTES,
    .planes = { "Y", "UV" }, .tiles = { 8, { 128, 128 }, FALSE } },
  { "NV12_10BE_8L128", "YUV", BITS (10), 2, 2, BE10, .planes = { "Y", "UV" },
    .tiles = { 8, { 128, 128 }, FALSE }, .n_missing = 32, .missing = { 19, 25 } },
  { "NV12_10LE40_4L4", "YUV", BITS (10), 2, 2, LE10,
    .planes = { "Y", "UV" }, .tiles = { 5, { 4, 4 }, FALSE } },
  { "MT2110T", "YUV", BITS (10), 2, 2, MT2110T, .planes = { "Y", "UV" } },
  { "MT2110R", "YUV", BITS (10), 2, 2, MT2110R, .planes = { "Y", "UV" } },
  /* Two Y, one U and one V together. The row of UYVP, 2.5 bytes a pixel rounded down and then up to
   * 4, may be a byte too short. */
  { "YUY2", "YUV", BITS (8), 2, 1, BYTES, .planes = { "YUYV" } },
  { "UYVY", "YUV", BITS (8), 2, 1, BYTES, .planes = { "UYVY" } },
  { "VYUY", "YUV", BITS (8), 2, 1, BYTES, .planes = { "VYUY" } },
  { "YVYU", "YUV", BITS (8), 2, 1, BYTES, .planes = { "YVYU" } },
  { "v210", "YUV", BITS (10), 2, 1, THREE_IN_LE32, .planes = { "UYVY" } },
  { "UYVP", "YUV", BITS (10), 2, 1, BE10,
    .planes = { "UYVY" }, .n_missing = 8, .missing = { 3, 3 } },
  { "v216", "YUV", BITS (16), 2, 1, LE16, .planes = { "UYVY" } },
  { "Y210", "YUV", BITS (10), 2, 1, LE16, .planes = { "YUYV" }, .shift = 6 },
  { "Y212_LE", "YUV", BITS (12), 2, 1, LE16, .planes = { "YUYV" }, .shift = 4 },
  { "Y212_BE", "YUV", BITS (12), 2, 1, BE16, .planes = { "YUYV" }, .shift = 4 },
  { "Y216_LE", "YUV", BITS (16), 2, 1, LE16, .planes = { "YUYV" } },
  { "Y216_BE", "YUV", BITS (16), 2, 1, BE16, .planes = { "YUYV" } },
  /* All components of a pixel together, or of four pixels */
  { "IYU1", "YUV", BITS (8), 4, 1, BYTES, .planes = { "UYYVYY" } },
  { "v308", "YUV", BITS (8), 1, 1, BYTES, .planes = { "YUV" } },
  { "IYU2", "YUV", BITS (8), 1, 1, BYTES, .planes = { "UYV" } },
  { "AYUV", "YUVA", BITS (8), 1, 1, BYTES, .planes = { "AYUV" } },
  { "VUYA", "YUVA", BITS (8), 1, 1, BYTES, .planes = { "VUYA" } },
  { "AYUV64", "YUVA", BITS (16), 1, 1, NATIVE16, .planes = { "AYUV" } },
  { "Y410", "YUVA", { 10, 10, 10, 2 }, 1, 1, FIELDS_LE32, .planes = { "UYVA" } },
  { "Y412_LE", "YUVA", BITS (12), 1, 1, LE16, .planes = { "UYVA" }, .shift = 4 },
  { "Y412_BE", "YUVA", BITS (12), 1, 1, BE16, .planes = { "UYVA" }, .shift = 4 },
  { "Y416_LE", "YUVA", BITS (16), 1, 1, LE16, .planes = { "UYVA" } },
  { "Y416_BE", "YUVA", BITS (16), 1, 1, BE16, .planes = { "UYVA" } },
  { "RGB", "RGB", BITS (8), 1, 1, BYTES, .planes = { "RGB" } },
  { "BGR", "RGB", BITS (8), 1, 1, BYTES, .planes = { "BGR" } },
  { "RGBx", "RGB", BITS (8), 1, 1, BYTES, .planes = { "RGBx" } },
  { "BGRx", "RGB", BITS (8), 1, 1, BYTES, .planes = { "BGRx" } },
  { "xRGB", "RGB", BITS (8), 1, 1, BYTES, .planes = { "xRGB" } },
  { "xBGR", "RGB", BITS (8), 1, 1, BYTES, .planes = { "xBGR" } },
  { "RGBA", "RGBA", BITS (8), 1, 1, BYTES, .planes = { "RGBA" } },
  { "BGRA", "RGBA", BITS (8), 1, 1, BYTES, .planes = { "BGRA" } },
  { "ARGB", "RGBA", BITS (8), 1, 1, BYTES, .planes = { "ARGB" } },
  { "ABGR", "RGBA", BITS (8), 1, 1, BYTES, .planes = { "ABGR" } },
  { "RBGA", "RGBA", BITS (8), 1, 1, BYTES, .planes = { "RBGA" } },
  { "ARGB64", "RGBA", BITS (16), 1, 1, NATIVE16, .planes = { "ARGB" } },
  { "ARGB64_LE", "RGBA", BITS (16), 1, 1, LE16, .planes = { "ARGB" } },
  { "ARGB64_BE", "RGBA", BITS (16), 1, 1, BE16, .planes = { "ARGB" } },
  { "RGBA64_LE", "RGBA", BITS (16), 1, 1, LE16, .planes = { "RGBA" } },
  { "RGBA64_BE", "RGBA", BITS (16), 1, 1, BE16, .planes = { "RGBA" } },
  { "BGRA64_LE", "RGBA", BITS (16), 1, 1, LE16, .planes = { "BGRA" } },
  { "BGRA64_BE", "RGBA", BITS (16), 1, 1, BE16, .planes = { "BGRA" } },
  { "ABGR64_LE", "RGBA", BITS (16), 1, 1, LE16, .planes = { "ABGR" } },
  { "ABGR64_BE", "RGBA", BITS (16), 1, 1, BE16, .planes = { "ABGR" } },
  /* All components of a pixel in one word */
  { "RGB15", "RGB", { 5, 5, 5 }, 1, 1, FIELDS_NATIVE16, .planes = { "BGR" } },
  { "BGR15", "RGB", { 5, 5, 5 }, 1, 1, FIELDS_NATIVE16, .planes = { "RGB" } },
  { "RGB16", "RGB", { 5, 6, 5 }, 1, 1, FIELDS_NATIVE16, .planes = { "BGR" } },
  { "BGR16", "RGB", { 5, 6, 5 }, 1, 1, FIELDS_NATIVE16, .planes = { "RGB" } },
  { "r210", "RGB", BITS (10), 1, 1, FIELDS_BE32, .planes = { "BGR" } },
  { "RGB10x2_LE", "RGB", BITS (10), 1, 1, FIELDS_LE32, .planes = { "RGB" } },
  { "BGR10x2_LE", "RGB", BITS (10), 1, 1, FIELDS_LE32, .planes = { "BGR" } },
  { "RGB10A2_LE", "RGBA", { 10, 10, 10, 2 }, 1, 1, FIELDS_LE32, .planes = { "RGBA" } },
  { "BGR10A2_LE", "RGBA", { 10, 10, 10, 2 }, 1, 1, FIELDS_LE32, .planes = { "BGRA" } },
  /* A byte that is an index; the order is that of the palette */
  { "RGB8P", "RGBA", BITS (8), 1, 1, PALETTE, .planes = { "BGRA" } },
  /* *INDENT-ON* */
};

static const Format *
find_format (GstVideoFormat format)
{
  const gchar *name = gst_video_format_to_string (format);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (formats); i++)
    if (g_strcmp0 (formats[i].name, name) == 0)
      return &formats[i];

  return NULL;
}

/* Shapes */

static const gchar *
static_name (gchar letter)
{
  static const gchar *const names[] = { "Y", "U", "V", "R", "G", "B", "A" };
  guint i = 0;

  while (names[i][0] != letter)
    i++;

  return names[i];
}

static gboolean
last_v_is_missing (const Format * f, guint width)
{
  return f->n_missing > 0 && (width % f->n_missing == f->missing[0]
      || width % f->n_missing == f->missing[1]);
}

gboolean
reference_video_shape (GstVideoFormat format, guint width, guint height,
    ReferenceShape * shape)
{
  const Format *f = find_format (format);
  guint i;

  memset (shape, 0, sizeof (*shape));
  if (f == NULL)
    return FALSE;

  shape->n_components = strlen (f->letters);
  shape->chroma_x = f->x;
  shape->chroma_y = f->y;
  for (i = 0; i < shape->n_components; i++) {
    gboolean is_chroma = f->letters[i] == 'U' || f->letters[i] == 'V';

    shape->names[i] = static_name (f->letters[i]);
    shape->depths[i] = f->depths[i];
    shape->widths[i] = is_chroma ? (width + f->x - 1) / f->x : width;
    shape->heights[i] = is_chroma ? (height + f->y - 1) / f->y : height;
  }
  if (last_v_is_missing (f, width))
    shape->widths[2] -= 1;

  return TRUE;
}

/* Bytes */

typedef struct
{
  const Format *format;
  const guint8 *const *data;
  const gint *stride;
} Frame;

/* Row after row of tiles; or groups of two by two tiles, row after row of
 * groups: in a group the tiles lie as a Z (0 1 / 2 3), in every second group as
 * a flipped Z (2 3 / 0 1), and a last odd row of tiles is not in groups. */
static gsize
tile_at (const Frame * f, guint plane, guint x, guint y)
{
  guint x_tiles = GST_VIDEO_TILE_X_TILES (f->stride[plane]);
  guint y_tiles = GST_VIDEO_TILE_Y_TILES (f->stride[plane]);
  gboolean is_upper = y % 2 == 0;
  gboolean is_flipped = x / 2 % 2 == 1;

  if (!f->format->tiles.is_zigzag || (is_upper && y == y_tiles - 1))
    return (gsize) y * x_tiles + x;

  return (gsize) y / 2 * 2 * x_tiles + x / 2 * 4
      + (is_upper != is_flipped ? 0 : 2) + x % 2;
}

/* Byte @index of row @y */
static guint32
byte (const Frame * f, guint plane, guint y, guint index)
{
  const Tiles *tiles = &f->format->tiles;
  guint height = tiles->heights[plane == 0 ? 0 : 1];

  if (tiles->width == 0)
    return f->data[plane][(gssize) y * f->stride[plane] + (gssize) index];

  return f->data[plane][tile_at (f, plane, index / tiles->width, y / height)
      * tiles->width * height + y % height * tiles->width
      + index % tiles->width];
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
  return le16 (f, plane, y, 2 * index) | le16 (f, plane, y, 2 * index + 1)
      << 16;
}

static guint32
be32 (const Frame * f, guint plane, guint y, guint index)
{
  return be16 (f, plane, y, 2 * index) << 16 | be16 (f, plane, y,
      2 * index + 1);
}

static guint32
le10 (const Frame * f, guint plane, guint y, guint index)
{
  guint bit = 10 * index;
  guint32 word = byte (f, plane, y, bit / 8)
      | byte (f, plane, y, bit / 8 + 1) << 8;

  return word >> (bit % 8);
}

static guint32
be10 (const Frame * f, guint plane, guint y, guint index)
{
  guint bit = 10 * index;
  guint32 word = byte (f, plane, y, bit / 8) << 8
      | byte (f, plane, y, bit / 8 + 1);

  return word >> (6 - bit % 8);
}

static guint32
mt2110 (const Frame * f, guint plane, guint y, guint index)
{
  guint height = plane == 0 ? 32 : 16;
  const guint8 *block = f->data[plane]
      + tile_at (f, plane, index / 16, y / height) * height * 20
      + y % height / 4 * 80;
  guint row = y % 4;
  guint column = index % 16;
  guint low = f->format->storage == MT2110R ?
      block[4 * row + column / 4] >> (2 * (column % 4))
      : block[column] >> (2 * row);

  return block[16 + 16 * row + column] << 2 | (low & 3);
}

/* A word of 32 bits in the machine's order: A highest, then R, G, B */
static guint32
color_of_palette (const Frame * f, guint index)
{
  guint32 color;

  memcpy (&color, f->data[1] + 4 * index, 4);
  return color;
}

/* Samples */

/**
 * Place:
 * @period: samples of the plane's order
 * @n: how many of them are the component's
 * @at: which ones
 * @has_words: all samples of a pixel are in a word, or it is an index
 * @lowest_bit: of the component in such a word
 *
 * Where the samples of a component are.
 */
typedef struct
{
  guint plane, period, n;
  guint at[4];
  gboolean has_words;
  guint lowest_bit;
} Place;

static Place
find_place (const Format * f, gchar letter)
{
  Place place = { 0, };
  guint i;

  while (strchr (f->planes[place.plane], letter) == NULL)
    place.plane++;
  place.period = strlen (f->planes[place.plane]);
  for (i = 0; i < place.period; i++) {
    const gchar *other = strchr (f->letters, f->planes[place.plane][i]);

    if (f->planes[place.plane][i] == letter)
      place.at[place.n++] = i;
    else if (place.n == 0 && other != NULL)
      place.lowest_bit += f->depths[other - f->letters];
  }
  place.has_words = f->storage >= FIELDS_NATIVE16 && f->storage <= PALETTE;
  return place;
}

/* The order's sample number @index of row @y; bits above the sample may be set.
 * Where a pixel has one word, @index is its number. */
static guint32
word_at (const Frame * f, const Place * place, guint index, guint y)
{
  guint plane = place->plane;

  switch (f->format->storage) {
    case BYTES:
      return byte (f, plane, y, index);
    case LE16:
      return le16 (f, plane, y, index) >> f->format->shift;
    case BE16:
      return be16 (f, plane, y, index) >> f->format->shift;
    case NATIVE16:
      return native16 (f, plane, y, index);
    case LE10:
      return le10 (f, plane, y, index);
    case BE10:
      return be10 (f, plane, y, index);
    case THREE_IN_LE32:
      return le32 (f, plane, y, index / 3) >> (10 * (index % 3));
    case FIELDS_NATIVE16:
      return native16 (f, plane, y, index) >> place->lowest_bit;
    case FIELDS_LE32:
      return le32 (f, plane, y, index) >> place->lowest_bit;
    case FIELDS_BE32:
      return be32 (f, plane, y, index) >> place->lowest_bit;
    case PALETTE:
      return color_of_palette (f, byte (f, 0, y, index)) >> place->lowest_bit;
    case MT2110T:
    case MT2110R:
      return mt2110 (f, plane, y, index);
  }
  g_assert_not_reached ();
}

gboolean
reference_video_samples (GstVideoFormat format, guint width, guint height,
    const guint8 * const data[4], const gint stride[4], guint component,
    guint32 * samples)
{
  Frame frame = { find_format (format), data, stride };
  ReferenceShape shape;
  Place place;
  guint32 mask;
  guint *indices;
  guint x, y;

  if (!reference_video_shape (format, width, height, &shape)
      || component >= shape.n_components)
    return FALSE;

  place = find_place (frame.format, shape.names[component][0]);
  mask = (1u << shape.depths[component]) - 1;
  indices = g_new (guint, (gsize) shape.widths[component] + 1);
  for (x = 0; x < shape.widths[component]; x++)
    indices[x] = place.has_words ? x
        : x / place.n * place.period + place.at[x % place.n];
  for (y = 0; y < shape.heights[component]; y++)
    for (x = 0; x < shape.widths[component]; x++)
      *samples++ = word_at (&frame, &place, indices[x], y) & mask;

  g_free (indices);
  return TRUE;
}
