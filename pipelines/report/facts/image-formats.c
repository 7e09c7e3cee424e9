/* The formats of images; see image-formats.h.
 *
 * A header is read before anything is decoded: a small file can state a picture that takes all memory, and minutes. Decoders
 * tell the size too late, and libav none that it takes for too large. Some decoders do not tell that a file is cut off.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE             /* memmem */
#include "facts/image-formats.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/describe.h"
#include "facts/said.h"

/* Of an input that is decoded as a film, so much is looked at. A JPEG may have a preview and a profile of colours before
 * its size. */
#define FILE_HEAD (1 << 20)

#define DPX_TRANSFER 801        /* the place of a byte */

/* Returns: FALSE: it is not in the file */
static gboolean
read_number (const guint8 * bytes, gsize n, ReportImageField field,
    guint64 * number)
{
  const guint size = ABS (field.size);
  guint64 found = 0;

  if (size == 0 || n < size || field.at > n - size)
    return FALSE;
  for (guint i = 0; i < size; i++)
    found = found << 8 | bytes[field.at + (field.size > 0 ? i : size - 1 - i)];
  found >>= field.shift;
  if (field.bits > 0)
    found &= (G_GUINT64_CONSTANT (1) << field.bits) - 1;
  *number = found + field.more;
  return TRUE;
}

/* ---- Sizes that are not in one place ------------------------------------------------------------- */

/* Segments have a marker and a length. One before the frame header may have a preview with a size of its own. Among the numbers
 * of frame headers there are those of tables and of extensions.
 *
 * Returns: where the frame header is; @n: it is not there */
static gsize
find_jpeg_frame (const guint8 * bytes, gsize n)
{
  for (gsize at = 2; n >= 9 && at <= n - 9 && bytes[at] == 0xff;) {
    const guint8 marker = bytes[at + 1];

    if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc)
      return at;
    at += marker == 0xff ? 1 : 2 + (bytes[at + 2] << 8 | bytes[at + 3]);
  }
  return n;
}

static gboolean
read_jpeg_size (const guint8 * bytes, gsize n, guint64 * width,
    guint64 * height)
{
  const gsize at = find_jpeg_frame (bytes, n);

  if (at == n)
    return FALSE;
  *height = bytes[at + 5] << 8 | bytes[at + 6];
  *width = bytes[at + 7] << 8 | bytes[at + 8];
  return TRUE;
}

/* Two numbers of a text with comments; of PAM, two words with a number each. */
static gboolean
read_pnm_size (const guint8 * bytes, gsize n, guint64 * width,
    guint64 * height)
{
  guint64 *const numbers[] = { width, height };
  gsize at = 2;

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    guint64 number = 0;

    for (gboolean is_comment = FALSE; at < n && (is_comment || !g_ascii_isdigit (bytes[at])); at++)
      is_comment = bytes[at] == '#' || (is_comment && bytes[at] != '\n');
    /* Greater numbers are only known as great. */
    for (; at < n && g_ascii_isdigit (bytes[at]); at++)
      number = MIN (10 * number + (bytes[at] - '0'), G_MAXINT);
    *numbers[i] = number;
  }
  return *height > 0;
}

/* Of the first directory. If a tag is there twice, decoders differ. */
static gboolean
read_tiff_size (const guint8 * bytes, gsize n, guint64 * width,
    guint64 * height)
{
  const gint order = bytes[0] == 'I' ? -1 : 1;
  guint64 directory, n_entries = 0;

  *width = *height = 0;
  if (read_number (bytes, n, (ReportImageField) {4, 4 * order, 0, 0, 0}, &directory) && directory < n)
    read_number (bytes, n, (ReportImageField) {directory, 2 * order, 0, 0, 0}, &n_entries);
  for (guint i = 0; i < n_entries; i++) {
    const guint entry = directory + 2 + 12 * i;
    guint64 tag, type, value;

    if (!read_number (bytes, n, (ReportImageField) {entry, 2 * order, 0, 0, 0}, &tag)
        || !read_number (bytes, n, (ReportImageField) {entry + 2, 2 * order, 0, 0, 0}, &type)
        || !read_number (bytes, n, (ReportImageField) {entry + 8, (type == 3 ? 2 : 4) * order, 0, 0, 0}, &value))
      break;
    if (tag == 256)
      *width = MAX (*width, value);
    else if (tag == 257)
      *height = MAX (*height, value);
  }
  return *width > 0 && *height > 0;
}

/* The numbers of a tag of the first directory, of 2 or 4 bytes. */
typedef struct
{
  guint64 at, count;
  gint size;                    /* as in ReportImageField */
} TiffTag;

/* Of tags with the same number libav takes the last one. Without one, its count is 0. */
static TiffTag
find_tiff_tag (const guint8 * bytes, gsize n, guint number)
{
  const gint order = bytes[0] == 'I' ? -1 : 1;
  guint64 directory = 0, n_entries = 0;
  TiffTag found = { 0, 0, 4 * order };

  if (read_number (bytes, n, (ReportImageField) {4, 4 * order, 0, 0, 0}, &directory) && directory < n)
    read_number (bytes, n, (ReportImageField) {directory, 2 * order, 0, 0, 0}, &n_entries);
  for (guint e = 0; e < n_entries; e++) {
    const guint64 entry = directory + 2 + 12 * e;
    guint64 tag = 0, type = 0, count = 0, at = entry + 8;

    if (entry + 12 > n)
      break;
    read_number (bytes, n, (ReportImageField) {entry, 2 * order, 0, 0, 0}, &tag);
    if (tag != number)
      continue;
    read_number (bytes, n, (ReportImageField) {entry + 2, 2 * order, 0, 0, 0}, &type);
    read_number (bytes, n, (ReportImageField) {entry + 4, 4 * order, 0, 0, 0}, &count);
    if (count * (type == 3 ? 2 : 4) > 4)
      read_number (bytes, n, (ReportImageField) {entry + 8, 4 * order, 0, 0, 0}, &at);
    found = (TiffTag) { at, count, (type == 3 ? 2 : 4) * order };
  }
  return found;
}

/* Returns: the @i-th number; @other if there is none */
static guint64
read_tiff_number (const guint8 * bytes, gsize n, const TiffTag * tag, guint i,
    guint64 other)
{
  const guint64 at = tag->at + (guint64) i * ABS (tag->size);

  if (i < tag->count && at < n)
    read_number (bytes, n, (ReportImageField) {at, tag->size, 0, 0, 0}, &other);
  return other;
}

/* Returns: the bytes that zlib makes of a part of the file, at most @most and some more */
static guint64
inflated_size (const guint8 * bytes, gsize n, guint64 most)
{
  z_stream stream = {.next_in = (guint8 *) bytes,.avail_in = MIN (n, G_MAXUINT) };
  guint8 out[16384];
  guint64 total = 0;
  gint status = inflateInit (&stream);

  while (status == Z_OK && total <= most) {
    stream.next_out = out;
    stream.avail_out = sizeof out;
    status = inflate (&stream, Z_NO_FLUSH);
    total += sizeof out - stream.avail_out;
  }
  inflateEnd (&stream);
  return total;
}

/* Libav's decoder does not tell that the zlib data of a strip are shorter than its rows, and then shows memory of another image.
 *
 * Returns: FALSE: they are shorter */
static gboolean
is_tiff_filled (const guint8 * bytes, gsize n)
{
  enum { WIDTH, HEIGHT, BITS, COMPRESSION, PHOTOMETRIC, STRIPS, SAMPLES, SIZES, PLANAR, SUBSAMPLING, N_TAGS };
  static const guint numbers[N_TAGS] = { 256, 257, 258, 259, 262, 273, 277, 279, 284, 530 };
  /* Of the compression, of the colours, and of separate planes. */
  enum { DEFLATE = 8, OLD_DEFLATE = 32946, YCBCR = 6, PLANES = 2 };
  guint64 width, height, bits, samples, compression, across, down, wanted, total = 0;
  TiffTag tags[N_TAGS];

  for (guint i = 0; i < N_TAGS; i++)
    tags[i] = find_tiff_tag (bytes, n, numbers[i]);
#define NUMBER(tag, i, other) read_tiff_number (bytes, n, &tags[tag], i, other)
  compression = NUMBER (COMPRESSION, 0, 1);
  if (compression != DEFLATE && compression != OLD_DEFLATE)
    return TRUE;
  width = NUMBER (WIDTH, 0, 0);
  height = NUMBER (HEIGHT, 0, 0);
  bits = NUMBER (BITS, 0, 1);
  samples = MAX (NUMBER (SAMPLES, 0, 1), tags[BITS].count);
  across = NUMBER (SUBSAMPLING, 0, 2);
  down = NUMBER (SUBSAMPLING, 1, 2);
  if (NUMBER (PHOTOMETRIC, 0, 0) == YCBCR && across > 0 && down > 0 && across * down > 1)
    wanted = (width + across - 1) / across * ((height + down - 1) / down) * (across * down + 2);
  else if (NUMBER (PLANAR, 0, 1) == PLANES)
    wanted = samples * height * ((width * bits + 7) / 8);
  else
    wanted = height * ((width * samples * bits + 7) / 8);
  for (guint i = 0; total < wanted; i++) {
    const guint64 begin = NUMBER (STRIPS, i, n);
    const guint64 size = begin >= n ? 0 : inflated_size (bytes + begin, MIN (NUMBER (SIZES, i, 0), n - begin),
        wanted - total);

    if (size == 0)
      return FALSE;
    total += size;
  }
#undef NUMBER
  return TRUE;
}

/* The window of the data, as its first and its last columns and rows. */
static gboolean
read_exr_size (const guint8 * bytes, gsize n, guint64 * width,
    guint64 * height)
{
  static const gchar name[] = "dataWindow\0box2i\0\20\0\0";
  const guint8 *found = memmem (bytes, n, name, sizeof name);
  guint64 edges[4];

  for (guint i = 0; i < G_N_ELEMENTS (edges); i++) {
    if (found == NULL || !read_number (found, bytes + n - found, (ReportImageField) {sizeof name + 4 * i, -4, 0, 0, 0}, &edges[i]))
      return FALSE;
  }
  *width = (guint32) (edges[2] - edges[0]) + G_GUINT64_CONSTANT (1);
  *height = (guint32) (edges[3] - edges[1]) + G_GUINT64_CONSTANT (1);
  return TRUE;
}

/* ---- All of them -------------------------------------------------------------------------------- */

#define TEXT(text) text, sizeof (text) - 1
#define PNG_BEGIN "\x89PNG\r\n\x1a\n"
#define PNG_SIZE_AND_END {16, 4, 0, 0, 0}, {20, 4, 0, 0, 0}, .end = "IEND\xae\x42\x60\x82", .n_end = 8
#define WEBP(kind) TEXT ("RIFF????WEBP" kind), "webp", "webpdec", "image/webp", FALSE
#define WEBP_SIZE .whole = {4, -4, 0, 0, 8}
#define TIFF(begin) "TIFF", TEXT (begin), "tiff", NULL, NULL, .is_still = TRUE, .read_size = read_tiff_size
#define BMP(header) "BMP", TEXT ("BM????????????" header), "bmp", NULL, NULL, TRUE
#define BMP_SIZE .whole = {2, -4, 0, 0, 0}
#define GIF(version) "GIF", TEXT ("GIF8" version "a"), "gif", NULL, NULL, FALSE, {6, -2, 0, 0, 0}, {8, -2, 0, 0, 0}, .end = "\0;", .n_end = 2, .end_reach = 16
#define DPX(begin, order) "DPX", TEXT (begin), "dpx", NULL, NULL, TRUE, {772, order 4, 0, 0, 0}, {776, order 4, 0, 0, 0}, \
    .whole = {16, order 4, 0, 0, 0}
/* White space follows, which find() looks at. */
#define PNM(digit, codec) "PNM", TEXT ("P" digit), codec, NULL, NULL, .read_size = read_pnm_size
#define J2K_END .end = "\xff\xd9", .n_end = 2

static const ReportImageFormat formats[] = {
  /* Of 16 bits: pngdec 1.22 moves the samples of R, G and B, and makes alpha of one of them. */
  {"PNG", TEXT (PNG_BEGIN "????IHDR????????\x10"), "png", NULL, NULL, TRUE, PNG_SIZE_AND_END},
  {"PNG", TEXT (PNG_BEGIN), "png", "pngdec", "image/png", FALSE, PNG_SIZE_AND_END},
  {"JPEG", TEXT ("\xff\xd8\xff"), "mjpeg", "jpegdec", "image/jpeg",.read_size = read_jpeg_size,
      .end = "\xff\xd9",.n_end = 2},
  {"WebP", WEBP ("VP8 "), {26, -2, 0, 14, 0}, {28, -2, 0, 14, 0}, WEBP_SIZE},
  {"WebP", WEBP ("VP8L"), {21, -4, 0, 14, 1}, {21, -4, 14, 14, 1}, WEBP_SIZE},
  {"WebP", WEBP ("VP8X"), {24, -3, 0, 0, 1}, {27, -3, 0, 0, 1}, WEBP_SIZE},
  {TIFF ("II*\0")},
  {TIFF ("MM\0*")},
  /* A text may begin with BM: the size of the second header tells. That of OS/2 has 12 bytes, and sizes of 2. */
  {BMP ("\x0c\0\0\0"), {18, -2, 0, 0, 0}, {20, -2, 0, 0, 0}, BMP_SIZE},
  {BMP ("?\0\0\0"), {18, -4, 0, 0, 0}, {22, -4, 0, 0, 0}, BMP_SIZE},
  {PNM ("1", "pbm")}, {PNM ("2", "pgm")}, {PNM ("3", "ppm")}, {PNM ("4", "pbm")}, {PNM ("5", "pgm")},
  {PNM ("6", "ppm")}, {PNM ("7", "pam"),.is_still = TRUE},
  {GIF ("7")},
  {GIF ("9")},
  {DPX ("SDPX", +)},
  {DPX ("XPDS", -)},
  {"EXR", TEXT ("v/1\x01"), "exr", NULL, NULL,.read_size = read_exr_size},
  {"JPEG 2000", TEXT ("\xff\x4f\xff\x51"), "jpeg2000", NULL, NULL, TRUE, {8, 4, 0, 0, 0}, {12, 4, 0, 0, 0}, J2K_END},
  {"JPEG 2000", TEXT ("\0\0\0\x0cjP  \r\n\x87\n"), "jpeg2000", NULL, NULL, TRUE, {8, 4, 0, 0, 0}, {4, 4, 0, 0, 0},
      TEXT ("ihdr"), J2K_END},
};

static gboolean
begins (const guint8 * head, gsize n, const ReportImageFormat * format)
{
  for (gsize i = 0; i < format->n_magic; i++) {
    if (i >= n || (format->magic[i] != '?' && head[i] != (guint8) format->magic[i]))
      return FALSE;
  }
  /* A text may begin with P1, too. PAM has lines. */
  return format->read_size != read_pnm_size || (n > 3 && g_ascii_isspace (head[2])
      && (g_ascii_isdigit (head[3]) || head[3] == '#' || (head[1] == '7' && head[2] == '\n' && g_ascii_isupper (head[3]))));
}

/* Returns: (nullable): the format of a file that begins so; NULL: it is no image that is known */
const ReportImageFormat *
report_image_format_find (const guint8 * head, gsize n)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (begins (head, n, &formats[i]))
      return &formats[i];
  }
  return NULL;
}

static gboolean
read_size (const ReportImageFormat * format, const guint8 * bytes, gsize n,
    guint64 * width, guint64 * height)
{
  const guint8 *from = bytes;

  if (format->read_size != NULL)
    return format->read_size (bytes, n, width, height);
  if (format->before_size != NULL)
    from = memmem (bytes, n, format->before_size, format->n_before_size);
  return from != NULL && read_number (from, bytes + n - from, format->width, width)
      && read_number (from, bytes + n - from, format->height, height);
}

/* @bytes: the file, or its begin
 *
 * Returns: (transfer full) (nullable): what is wrong if the header states more pixels; NULL: nothing is, or it states no
 * size so far */
static gchar *
check_size (const ReportImageFormat * format,
    const guint8 * bytes, gsize n, gint64 max_pixels)
{
  guint64 width, height;

  if (!read_size (format, bytes, n, &width, &height))
    return NULL;
  /* That of BMP is negative if the upper row is the first one. */
  if (format->height.size == -4)
    height = ABS ((gint64) (gint32) height);
  return report_is_too_large (width, height, max_pixels) ?
      report_describe_too_large (width, height, max_pixels) : NULL;
}

/* Whether the end is there that the file says it has. */
static gboolean
is_whole (const ReportImageFormat * format,
    const guint8 * bytes, gsize n)
{
  const gsize reach = format->end_reach > 0 ? MIN (format->end_reach, n) : n;
  guint64 size;

  /* All bits are set if nobody knows. */
  if (read_number (bytes, n, format->whole, &size) && size > n && size < G_MAXUINT32)
    return FALSE;
  if (format->read_size == read_tiff_size && !is_tiff_filled (bytes, n))
    return FALSE;
  return format->end == NULL || memmem (bytes + n - reach, reach, format->end, format->n_end) != NULL;
}

/**
 * report_image_format_check:
 * @format: (nullable): NULL: none that is known
 * @bytes: the file; not read without a format
 * @checks_end: the decoder does not tell that the end is missing
 *
 * Returns: (transfer full) (nullable): why the file is not decoded: it has no format, its header states more pixels, or it is
 * cut off; NULL: it is
 */
gchar *
report_image_format_check (const ReportImageFormat * format,
    const guint8 * bytes, gsize n, gint64 max_pixels, gboolean checks_end)
{
  gchar *problem;

  if (format == NULL)
    return g_strdup (n == 0 ? "the file is empty" : "it is no image of a format that is known");
  problem = check_size (format, bytes, n, max_pixels);
  return problem == NULL && checks_end && !is_whole (format, bytes, n) ?
      g_strdup ("the file is cut off") : problem;
}

/* Returns: the bytes of the file that may have what it says beside the picture. In JPEG they come before that */
gsize
report_image_format_reach (const ReportImageFormat * format,
    const guint8 * bytes, gsize n)
{
  return format->read_size == read_jpeg_size ? find_jpeg_frame (bytes, n) : n;
}

/* Returns: (nullable): how light became codes, if the format has its own words for it. That of DPX is a number, of which libav
 * tells two. */
const gchar *
report_image_format_transfer (const ReportImageFormat * format,
    const guint8 * bytes, gsize n)
{
  static const gchar *const of_dpx[] = { NULL, "printing density", "linear", "logarithmic", "unspecified video",
    "SMPTE 274M", "BT.709", "BT.601 625", "BT.601 525", "NTSC", "PAL"
  };

  if (g_str_equal (format->codec, "exr"))
    return "linear";
  return g_str_equal (format->codec, "dpx") && n > DPX_TRANSFER && bytes[DPX_TRANSFER] < G_N_ELEMENTS (of_dpx) ?
      of_dpx[bytes[DPX_TRANSFER]] : NULL;
}

/**
 * report_image_read:
 * @descriptor: of a file of @n bytes, at its begin
 * @error: (out): errno, if there are no bytes. A file that became shorter is one that cannot be read
 *
 * Returns: (transfer full) (nullable): the content, and REPORT_PADDING bytes of 0 behind it
 */
guint8 *
report_image_read (gint descriptor, gsize n, gint * error)
{
  guint8 *bytes = g_try_malloc (n + REPORT_PADDING);
  gsize done = 0;

  *error = bytes == NULL ? ENOMEM : 0;
  while (*error == 0 && done < n) {
    const gssize more = read (descriptor, bytes + done, n - done);

    if (more <= 0 && (more == 0 || errno != EINTR))
      *error = more < 0 ? errno : EIO;
    done += MAX (more, 0);
  }
  if (*error != 0)
    g_clear_pointer (&bytes, g_free);
  else
    memset (bytes + n, 0, REPORT_PADDING);
  return bytes;
}

/**
 * report_image_read_file:
 * @bytes: (out) (transfer full): as report_image_read()
 *
 * Returns: (transfer full) (nullable): what is wrong; NULL: nothing
 */
gchar *
report_image_read_file (const gchar * path, guint8 ** bytes, gsize * n)
{
  /* Opening a pipe would wait for its other end. */
  const gint descriptor = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info;
  gint error = 0;

  *bytes = NULL;
  if (descriptor < 0 || fstat (descriptor, &info) != 0) {
    error = errno;
  } else if (!S_ISREG (info.st_mode)) {
    error = S_ISDIR (info.st_mode) ? EISDIR : EINVAL;
  } else {
    *n = info.st_size;
    *bytes = report_image_read (descriptor, *n, &error);
  }
  if (descriptor >= 0)
    close (descriptor);
  return error != 0 ? g_strdup (g_strerror (error)) : NULL;
}

/* Opens a file, and finds the format of the image that it is.
 *
 * @descriptor: (out): to be closed; negative: it cannot be opened
 *
 * Returns: (nullable): NULL: it is none that is known */
static const ReportImageFormat *
open_image (const gchar * path, gint * descriptor)
{
  guint8 head[REPORT_IMAGE_HEAD] = { 0 };
  struct stat info;
  gssize n = -1;

  /* Opening a pipe would wait for its other end. */
  *descriptor = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (*descriptor >= 0 && fstat (*descriptor, &info) == 0 && S_ISREG (info.st_mode))
    n = pread (*descriptor, head, sizeof head, 0);
  return n > 0 ? report_image_format_find (head, n) : NULL;
}

/* Returns: (nullable): the format of a file by its first bytes; NULL: it is no image that is known, or cannot be read */
const ReportImageFormat *
report_image_format_of_file (const gchar * path)
{
  gint descriptor;
  const ReportImageFormat *format = open_image (path, &descriptor);

  if (descriptor >= 0)
    close (descriptor);
  return format;
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
  gint descriptor;
  const ReportImageFormat *format = open_image (path, &descriptor);
  gchar *problem = NULL;

  if (format != NULL) {
    g_autofree guint8 *bytes = g_malloc (FILE_HEAD);
    const gssize n = pread (descriptor, bytes, FILE_HEAD, 0);

    if (n > 0)
      problem = check_size (format, bytes, n, max_pixels);
  }
  if (descriptor >= 0)
    close (descriptor);
  return problem;
}
