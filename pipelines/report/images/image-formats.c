/* The formats of images; see image-formats.h.
 *
 * A header is read before anything is decoded: a small file can state a picture that takes all memory, and minutes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "images/image-formats.h"

#include <errno.h>
#include <fcntl.h>
#include <gst/gst.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/describe.h"

/* Of an input that is decoded as a film, so much is looked at. A JPEG may have a preview and a profile of colours before
 * its size. */
#define FILE_HEAD (1 << 20)

/* ---- What they look like ----------------------------------------------------------------------- */

static gboolean
is_png (const guint8 * head)
{
  return memcmp (head, "\x89PNG\r\n\x1a\n", 8) == 0;
}

static gboolean
is_jpeg (const guint8 * head)
{
  return memcmp (head, "\xff\xd8\xff", 3) == 0;
}

static gboolean
is_webp (const guint8 * head)
{
  return memcmp (head, "RIFF", 4) == 0 && memcmp (head + 8, "WEBP", 4) == 0;
}

static gboolean
is_tiff (const guint8 * head)
{
  return memcmp (head, "II*\0", 4) == 0 || memcmp (head, "MM\0*", 4) == 0;
}

/* A text may begin with BM: the size of the second header tells. */
static gboolean
is_bmp (const guint8 * head)
{
  return memcmp (head, "BM", 2) == 0 && GST_READ_UINT32_LE (head + 14) >= 12
      && GST_READ_UINT32_LE (head + 14) <= 124;
}

static gboolean
is_pnm (const guint8 * head)
{
  return head[0] == 'P' && head[1] >= '1' && head[1] <= '6'
      && g_ascii_isspace (head[2]) && (g_ascii_isdigit (head[3])
      || head[3] == '#');
}

static gboolean
is_gif (const guint8 * head)
{
  return memcmp (head, "GIF87a", 6) == 0 || memcmp (head, "GIF89a", 6) == 0;
}

static gboolean
is_dpx (const guint8 * head)
{
  return memcmp (head, "SDPX", 4) == 0 || memcmp (head, "XPDS", 4) == 0;
}

/* ---- JPEG -------------------------------------------------------------------------------------- */

static gboolean
is_scan (guint8 marker)
{
  return marker == 0xda;
}

/* A frame header. Between the numbers there are those of tables and of extensions. */
static gboolean
is_frame (guint8 marker)
{
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8
      && marker != 0xcc;
}

/* Returns: where the first such segment begins, behind its marker; 0 if there is none. Segments before it may have a
 * preview with an end of its own. */
static gsize
find_segment (const guint8 * bytes, gsize n, gboolean (*is_it) (guint8 marker))
{
  gsize at = 2;

  while (n >= 4 && at <= n - 4 && bytes[at] == 0xff) {
    const guint8 marker = bytes[at + 1];
    const gsize length = GST_READ_UINT16_BE (bytes + at + 2);

    if (marker == 0xff)
      at++;
    else if (is_it (marker))
      return at + 2;
    else
      at += 2 + length;
  }
  return 0;
}

/* In a segment: its length, the bits of a sample, the height, the width. */
static gboolean
read_jpeg_size (const guint8 * bytes, gsize n, ReportImageSize * size)
{
  const gsize at = find_segment (bytes, n, is_frame);

  if (at == 0 || n - at < 7)
    return FALSE;
  size->height = GST_READ_UINT16_BE (bytes + at + 3);
  size->width = GST_READ_UINT16_BE (bytes + at + 5);
  return TRUE;
}

/* libjpeg fills up a file that is cut off, without an error. */
static const gchar *
check_jpeg (const guint8 * bytes, gsize n)
{
  const gsize begin = find_segment (bytes, n, is_scan);

  for (gsize at = n; begin > 0 && at >= begin + 2; at--) {
    if (bytes[at - 2] == 0xff && bytes[at - 1] == 0xd9)
      return NULL;
  }
  return "the file is cut off";
}

/* ---- PNG and WebP ------------------------------------------------------------------------------- */

static gboolean
read_png_size (const guint8 * bytes, gsize n, ReportImageSize * size)
{
  if (n < 24)
    return FALSE;
  size->width = GST_READ_UINT32_BE (bytes + 16);
  size->height = GST_READ_UINT32_BE (bytes + 20);
  return TRUE;
}

/* pngdec gives the picture when its rows are there, also if they end too early. */
static const gchar *
check_png (const guint8 * bytes, gsize n)
{
  gsize at = 8;

  while (n >= 12 && at <= n - 12) {
    const gsize length = GST_READ_UINT32_BE (bytes + at);

    if (memcmp (bytes + at + 4, "IEND", 4) == 0)
      return NULL;
    if (length > n - 12 - at)
      break;
    at += 12 + length;
  }
  return "the file is cut off";
}

/* The first chunk: of one picture with losses, behind its start code; of one without losses, 14 bits each, less 1; or of a
 * canvas, 24 bits each, less 1. */
static gboolean
read_webp_size (const guint8 * bytes, gsize n, ReportImageSize * size)
{
  guint32 bits;

  if (n < 30)
    return FALSE;
  if (memcmp (bytes + 12, "VP8 ", 4) == 0) {
    size->width = GST_READ_UINT16_LE (bytes + 26) & 0x3fff;
    size->height = GST_READ_UINT16_LE (bytes + 28) & 0x3fff;
  } else if (memcmp (bytes + 12, "VP8L", 4) == 0) {
    bits = GST_READ_UINT32_LE (bytes + 21);
    size->width = (bits & 0x3fff) + 1;
    size->height = (bits >> 14 & 0x3fff) + 1;
  } else {
    size->width = GST_READ_UINT24_LE (bytes + 24) + 1;
    size->height = GST_READ_UINT24_LE (bytes + 27) + 1;
  }
  return TRUE;
}

/* ---- BMP ---------------------------------------------------------------------------------------- */

enum
{
  BMP_PLAIN,
  BMP_RUNS_8,                   /* of 8 bits a pixel */
  BMP_RUNS_4,
  BMP_MASKS
};

typedef struct
{
  guint width, height;
  guint bits, compression;
} BmpHeader;

/* Returns: FALSE: it is cut off */
static gboolean
read_bmp_header (const guint8 * bytes, gsize n, BmpHeader * header)
{
  gint32 height;

  /* The header of OS/2 is shorter, has sizes of two bytes, and no compression. */
  if (n < 26 || (GST_READ_UINT32_LE (bytes + 14) != 12 && n < 54))
    return FALSE;
  if (GST_READ_UINT32_LE (bytes + 14) == 12) {
    header->width = GST_READ_UINT16_LE (bytes + 18);
    header->height = GST_READ_UINT16_LE (bytes + 20);
    header->bits = GST_READ_UINT16_LE (bytes + 24);
    header->compression = BMP_PLAIN;
  } else {
    height = (gint32) GST_READ_UINT32_LE (bytes + 22);
    header->width = GST_READ_UINT32_LE (bytes + 18);
    /* Negative: the first row is the upper one. */
    header->height = height < 0 ? -(guint) height : (guint) height;
    header->bits = GST_READ_UINT16_LE (bytes + 28);
    header->compression = GST_READ_UINT32_LE (bytes + 30);
  }
  return TRUE;
}

static gboolean
read_bmp_size (const guint8 * bytes, gsize n, ReportImageSize * size)
{
  BmpHeader header;

  if (!read_bmp_header (bytes, n, &header))
    return FALSE;
  size->width = header.width;
  size->height = header.height;
  return TRUE;
}

/* Whether rows of a fixed size are all there. If the padding of the last one is absent, libav takes all rows for rows
 * without padding. */
static gboolean
has_all_rows (const BmpHeader * header, gsize n)
{
  const guint64 row = ((guint64) header->width * header->bits + 31) / 32 * 4;

  return header->height == 0 || row <= n / header->height;
}

/* Whether runs go on to the end of the bitmap. libav fills up what is missing, without an error.
 *
 * A pair of bytes is: so many pixels of a colour; 0, 0: the end of the row; 0, 1: that of the bitmap; 0, 2: a step, of
 * two bytes more; 0 and a greater number: so many pixels, in whole pairs of bytes. */
static gboolean
has_all_runs (const BmpHeader * header, const guint8 * bytes, gsize n)
{
  const gboolean is_8 = header->compression == BMP_RUNS_8;
  guint64 x = 0, y = 0;

  for (gsize at = 0; n >= 2 && at <= n - 2;) {
    const guint count = bytes[at], value = bytes[at + 1];

    at += 2;
    if (count > 0) {
      x += count;
    } else if (value == 0) {
      x = 0;
      y++;
    } else if (value == 1) {
      return TRUE;
    } else if (value == 2) {
      if (n - at < 2)
        return FALSE;
      x += bytes[at];
      y += bytes[at + 1];
      at += 2;
    } else {
      const guint size = is_8 ? value : (value + 1) / 2;

      if (n - at < size)
        return FALSE;
      x += value;
      at += size + size % 2;
    }
  }
  /* Some programs write no end behind the last pixel. */
  return y >= header->height || (y + 1 == header->height && x >= header->width);
}

/* As of TIFF: numbers of bits that libav gives in a format of GStreamer. */
static const gchar *
check_bmp (const guint8 * bytes, gsize n)
{
  BmpHeader header;
  gsize begin;
  gboolean is_whole;

  if (!read_bmp_header (bytes, n, &header))
    return "the file is cut off";
  begin = MIN (GST_READ_UINT32_LE (bytes + 10), n);
  switch (header.compression) {
    case BMP_PLAIN:
      if (header.bits != 1 && header.bits != 4 && header.bits != 8
          && header.bits != 16 && header.bits != 24 && header.bits != 32)
        return "GStreamer does not decode this kind of BMP";
      is_whole = has_all_rows (&header, n - begin);
      break;
    case BMP_MASKS:
      if (header.bits != 32)
        return "GStreamer does not decode this kind of BMP";
      is_whole = has_all_rows (&header, n - begin);
      break;
    case BMP_RUNS_8:
    case BMP_RUNS_4:
      if (header.bits != (header.compression == BMP_RUNS_8 ? 8 : 4))
        return "GStreamer does not decode this kind of BMP";
      is_whole = has_all_runs (&header, bytes + begin, n - begin);
      break;
    default:
      return "GStreamer does not decode this kind of BMP";
  }
  return is_whole ? NULL : "the file is cut off";
}

/* ---- GIF and PNM -------------------------------------------------------------------------------- */

static gboolean
read_gif_size (const guint8 * bytes, gsize n, ReportImageSize * size)
{
  if (n < 10)
    return FALSE;
  size->width = GST_READ_UINT16_LE (bytes + 6);
  size->height = GST_READ_UINT16_LE (bytes + 8);
  return TRUE;
}

/* The size of a table of colours of GIF, whose flags are a byte. */
static gsize
colors_size (guint8 flags)
{
  return (flags & 0x80) != 0 ? 3 * (gsize) (2 << (flags & 7)) : 0;
}

/* Blocks follow each other up to the trailer: extensions (0x21) and pictures (0x2c). Their data are parts, each behind
 * its size, up to one of size 0. libav gives a picture of what is there. */
static const gchar *
check_gif (const guint8 * bytes, gsize n)
{
  gsize at = 13;

  if (n > 10)
    at += colors_size (bytes[10]);
  while (at < n) {
    const guint8 type = bytes[at];

    if (type == 0x3b)
      return NULL;
    if (type == 0x21) {
      at += 2;
    } else if (type == 0x2c) {
      if (n - at < 11)
        break;
      at += 11 + colors_size (bytes[at + 9]);
    } else {
      /* Other programs go on at the next byte. */
      at++;
      continue;
    }
    while (at < n && bytes[at] > 0)
      at += 1 + bytes[at];
    at++;
  }
  return "the file is cut off";
}

/* The next number of a header of PNM; 0 at its end. */
static guint
read_number (const guint8 * bytes, gsize n, gsize * at)
{
  guint number = 0;

  while (*at < n && !g_ascii_isdigit (bytes[*at])) {
    if (bytes[*at] == '#') {
      while (*at < n && bytes[*at] != '\n')
        ++*at;
    } else {
      ++*at;
    }
  }
  /* Greater numbers are only known as great. */
  for (; *at < n && g_ascii_isdigit (bytes[*at]); ++*at)
    number = MIN (10 * (guint64) number + (bytes[*at] - '0'), G_MAXINT);
  return number;
}

static gboolean
read_pnm_size (const guint8 * bytes, gsize n, ReportImageSize * size)
{
  gsize at = 2;

  size->width = read_number (bytes, n, &at);
  size->height = read_number (bytes, n, &at);
  return size->width > 0 && size->height > 0;
}

/* pnmdec takes other greatest codes than 255 and 65535 for these, and fails at R, G and B of 16 bits. */
static const gchar *
check_pnm (const guint8 * bytes, gsize n)
{
  const gboolean is_bitmap = bytes[1] == '1' || bytes[1] == '4';
  const gboolean is_gray = bytes[1] == '2' || bytes[1] == '5';
  gsize at = 2;
  guint greatest;

  read_number (bytes, n, &at);
  read_number (bytes, n, &at);
  greatest = is_bitmap ? 255 : read_number (bytes, n, &at);
  /* There must be something behind the header. */
  if (at + 1 >= n)
    return "the file is cut off";
  if (greatest == 255 || (greatest == 65535 && is_gray && bytes[1] == '5'))
    return NULL;
  return "pnmdec does not decode PNM with this greatest code right";
}

/* ---- TIFF and DPX ------------------------------------------------------------------------------- */

/* A number of a TIFF, of 2 or 4 bytes; 0 beyond the end of the file. */
static guint
read_tiff (const guint8 * bytes, gsize n, gsize at, guint size)
{
  const gboolean is_little = bytes[0] == 'I';

  if (at > n || n - at < size)
    return 0;
  if (size == 2)
    return is_little ? GST_READ_UINT16_LE (bytes + at) :
        GST_READ_UINT16_BE (bytes + at);
  return is_little ? GST_READ_UINT32_LE (bytes + at) :
      GST_READ_UINT32_BE (bytes + at);
}

/* The tags of a TIFF that say what its samples are, in the order of their numbers. */
static const guint tiff_tags[] = { 258, 259, 262, 277, 339 };

enum
{
  TIFF_BITS,
  TIFF_COMPRESSION,
  TIFF_COLOURS,
  TIFF_SAMPLES,                 /* of a pixel */
  TIFF_TYPE,                    /* of the samples: 1: whole numbers */
  N_TIFF_TAGS
};

#define DNG_VERSION 50706

/* Reads the tags of the first picture. All values of a tag must be the same, as in pictures that are decoded.
 *
 * @values: (inout): what a tag is if it is absent
 * @n_values: (out): 0: it is absent */
static gboolean
read_tiff_tags (const guint8 * bytes, gsize n, guint * values,
    guint * n_values)
{
  const gsize directory = read_tiff (bytes, n, 4, 4);
  const guint n_entries = read_tiff (bytes, n, directory, 2);

  for (guint i = 0; i < n_entries; i++) {
    const gsize entry = directory + 2 + 12 * (gsize) i;
    const guint number = read_tiff (bytes, n, entry, 2);
    const guint count = read_tiff (bytes, n, entry + 4, 4);
    /* More than two numbers of two bytes are somewhere else. */
    const gsize at = count > 2 ? read_tiff (bytes, n, entry + 8, 4) : entry + 8;
    guint tag = 0;

    if (number == DNG_VERSION)
      return FALSE;
    while (tag < N_TIFF_TAGS && tiff_tags[tag] != number)
      tag++;
    if (tag == N_TIFF_TAGS)
      continue;
    /* Twice, no number of two bytes, or more samples than decoders know. */
    if (n_values[tag] != 0 || read_tiff (bytes, n, entry + 2, 2) != 3
        || count < 1 || count > 4)
      return FALSE;
    n_values[tag] = count;
    values[tag] = read_tiff (bytes, n, at, 2);
    for (guint k = 1; k < count; k++) {
      if (read_tiff (bytes, n, at + 2 * k, 2) != values[tag])
        return FALSE;
    }
  }
  return TRUE;
}

#define TIFF_WIDTH 256
#define TIFF_HEIGHT 257

/* Of the first directory. If a tag is there twice, decoders differ. */
static gboolean
read_tiff_size (const guint8 * bytes, gsize n, ReportImageSize * size)
{
  const gsize directory = read_tiff (bytes, n, 4, 4);
  const guint n_entries = read_tiff (bytes, n, directory, 2);

  size->width = size->height = 0;
  for (guint i = 0; i < n_entries; i++) {
    const gsize entry = directory + 2 + 12 * (gsize) i;
    const guint number = read_tiff (bytes, n, entry, 2);
    const gboolean is_short = read_tiff (bytes, n, entry + 2, 2) == 3;
    const guint value = read_tiff (bytes, n, entry + 8, is_short ? 2 : 4);

    if (number == TIFF_WIDTH)
      size->width = MAX (size->width, value);
    else if (number == TIFF_HEIGHT)
      size->height = MAX (size->height, value);
  }
  return size->width > 0 && size->height > 0;
}

static gboolean
read_dpx_size (const guint8 * bytes, gsize n, ReportImageSize * size)
{
  const gboolean is_big = bytes[0] == 'S';

  if (n < 780)
    return FALSE;
  size->width = is_big ? GST_READ_UINT32_BE (bytes + 772) :
      GST_READ_UINT32_LE (bytes + 772);
  size->height = is_big ? GST_READ_UINT32_BE (bytes + 776) :
      GST_READ_UINT32_LE (bytes + 776);
  return TRUE;
}

/* avdec_tiff of GStreamer 1.22 may crash if GStreamer has no format for what libav gives, such as colours of 16 bits.
 * So only what has one gets there. */
static const gchar *
check_tiff (const guint8 * bytes, gsize n)
{
  guint values[N_TIFF_TAGS] = { 1, 1, G_MAXUINT, 1, 1 };
  guint n_values[N_TIFF_TAGS] = { 0 };
  gboolean ok = read_tiff_tags (bytes, n, values, n_values);

  switch (values[TIFF_COMPRESSION]) {
    case 1:                    /* none */
    case 5:                    /* LZW */
    case 8:                    /* deflate, and its old number */
    case 32946:
    case 32773:                /* PackBits */
      break;
    default:
      ok = FALSE;
  }
  switch (values[TIFF_COLOURS]) {
    case 0:                    /* gray, white is 0; gray; palette */
    case 1:
    case 3:
      ok = ok && values[TIFF_SAMPLES] == 1 && n_values[TIFF_BITS] == 1
          && (values[TIFF_BITS] == 8 || (values[TIFF_BITS] == 16
              && values[TIFF_COLOURS] == 1));
      break;
    case 2:                    /* R, G, B, and alpha */
      ok = ok && (values[TIFF_SAMPLES] == 3 || values[TIFF_SAMPLES] == 4)
          && n_values[TIFF_BITS] == values[TIFF_SAMPLES]
          && values[TIFF_BITS] == 8;
      break;
    default:
      ok = FALSE;
  }
  return ok && values[TIFF_TYPE] == 1 ? NULL :
      "GStreamer does not decode this kind of TIFF";
}

/* ---- All of them -------------------------------------------------------------------------------- */

static const ReportImageFormat formats[REPORT_N_IMAGE_FORMATS] = {
  {REPORT_IMAGE_PNG, "PNG", is_png, "pngdec", "image/png", read_png_size,
      check_png},
  {REPORT_IMAGE_JPEG, "JPEG", is_jpeg, "jpegdec", "image/jpeg", read_jpeg_size,
      check_jpeg},
  {REPORT_IMAGE_WEBP, "WebP", is_webp, "webpdec", "image/webp", read_webp_size,
      NULL},
  {REPORT_IMAGE_TIFF, "TIFF", is_tiff, "avdec_tiff", "image/tiff",
      read_tiff_size, check_tiff},
  {REPORT_IMAGE_BMP, "BMP", is_bmp, "avdec_bmp", "image/bmp", read_bmp_size,
      check_bmp},
  {REPORT_IMAGE_PNM, "PNM", is_pnm, "pnmdec", "image/x-portable-anymap",
      read_pnm_size, check_pnm},
  {REPORT_IMAGE_GIF, "GIF", is_gif, "avdec_gif",
      "image/gst-libav-gif, parsed=true", read_gif_size, check_gif},
  /* That of GStreamer 1.22 takes no caps. */
  {REPORT_IMAGE_DPX, "DPX", is_dpx, "avdec_dpx", "image/x-dpx", read_dpx_size,
      NULL},
};

/* Returns: (nullable): the format of a file that begins so; NULL: it is no image that is known */
const ReportImageFormat *
report_image_format_find (const guint8 * bytes, gsize n)
{
  guint8 head[REPORT_IMAGE_HEAD] = { 0 };

  memcpy (head, bytes, MIN (n, sizeof head));
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (formats[i].is_it (head))
      return &formats[i];
  }
  return NULL;
}

/* ---- Pictures that are too large ------------------------------------------------------------------ */

/**
 * report_image_format_check_size:
 * @bytes: the file, or its begin
 *
 * Returns: (transfer full) (nullable): what is wrong if the header states more pixels; NULL: nothing is, or it states no
 * size so far
 */
gchar *
report_image_format_check_size (const ReportImageFormat * format,
    const guint8 * bytes, gsize n, gint64 max_pixels)
{
  ReportImageSize size;

  if (!format->read_size (bytes, n, &size)
      || !report_is_too_large (size.width, size.height, max_pixels))
    return NULL;
  return report_describe_too_large (size.width, size.height, max_pixels);
}

/**
 * report_image_check_file:
 * @path: of any file
 *
 * Returns: (transfer full) (nullable): what is wrong if it is an image whose header states more pixels; NULL: nothing is, or
 * it is none
 */
gchar *
report_image_check_file (const gchar * path, gint64 max_pixels)
{
  /* Opening a pipe would wait for its other end. */
  const gint descriptor = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  guint8 head[REPORT_IMAGE_HEAD] = { 0 };
  const ReportImageFormat *format = NULL;
  struct stat info;
  gchar *problem = NULL;
  gssize n = -1;

  if (descriptor >= 0 && fstat (descriptor, &info) == 0
      && S_ISREG (info.st_mode))
    n = pread (descriptor, head, sizeof head, 0);
  if (n > 0)
    format = report_image_format_find (head, n);
  if (format != NULL) {
    g_autofree guint8 *bytes = g_malloc (FILE_HEAD);

    n = pread (descriptor, bytes, FILE_HEAD, 0);
    if (n > 0)
      problem = report_image_format_check_size (format, bytes, n, max_pixels);
  }
  if (descriptor >= 0)
    close (descriptor);
  return problem;
}
