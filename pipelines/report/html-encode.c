/* The numbers of the page as compact text; see html-encode.h. html/data.js decodes them.
 *
 * Neighbouring numbers are alike, so each one is stored as its difference from the one before.
 * The lowest bytes of all differences come first, then the next higher bytes: the high bytes are
 * nearly all 0. Deflate then shrinks them. Base64 makes text of the bytes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "html-encode.h"

#include "html-columns.h"

#include <string.h>
#include <zlib.h>

/* 0 is a missing value. */
static inline guint32
stored (guint32 code)
{
  return code == REPORT_CODE_NONE ? 0 : code + 1;
}

/* Small numbers for small differences of either sign: 0, -1, 1, -2, 2 are 0, 1, 2, 3, 4. */
static inline guint64
zigzag (gint64 difference)
{
  return ((guint64) difference << 1) ^ (guint64) (difference >> 63);
}

/* Returns: the bytes that each difference of the codes needs: 1 to 5 */
guint
report_encode_width (const guint32 * codes, guint n)
{
  guint64 all = 0;
  gint64 previous = 0;
  guint width = 1;

  for (guint i = 0; i < n; i++) {
    all |= zigzag ((gint64) stored (codes[i]) - previous);
    previous = stored (codes[i]);
  }
  while (width < 8 && all >> (8 * width) != 0)
    width++;
  return width;
}

/* Appends n · width bytes. @width: see report_encode_width() */
void
report_encode_codes (GByteArray * bytes, const guint32 * codes, guint n,
    guint width)
{
  const guint begin = bytes->len;
  gint64 previous = 0;

  g_byte_array_set_size (bytes, begin + n * width);
  for (guint i = 0; i < n; i++) {
    const guint64 number = zigzag ((gint64) stored (codes[i]) - previous);

    for (guint b = 0; b < width; b++)
      bytes->data[begin + b * n + i] = number >> (8 * b);
    previous = stored (codes[i]);
  }
}

/* Appends the differences, modulo 256, of neighbouring cells of each row. */
void
report_encode_cells (GByteArray * bytes, const guint8 * cells, guint length,
    guint n_rows)
{
  const guint begin = bytes->len;

  g_byte_array_set_size (bytes, begin + length * n_rows);
  for (guint r = 0; r < n_rows; r++) {
    guint8 previous = 0;

    for (guint c = 0; c < length; c++) {
      const guint8 cell = cells[r * length + c];

      bytes->data[begin + r * length + c] = cell - previous;
      previous = cell;
    }
  }
}

/**
 * report_encode_text:
 *
 * Returns: (transfer full): the bytes in the zlib format (RFC 1950), in base64
 */
gchar *
report_encode_text (const GByteArray * bytes)
{
  uLongf size = compressBound (bytes->len);
  guint8 *packed = g_malloc (size);
  gchar *text;
  /* It can only fail if the room does not suffice. */
  const int status = compress2 (packed, &size, bytes->data, bytes->len, 7);

  g_assert (status == Z_OK);
  text = g_base64_encode (packed, size);
  g_free (packed);
  return text;
}
