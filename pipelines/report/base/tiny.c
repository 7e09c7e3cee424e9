/* Tiny pictures; see tiny.h.
 *
 * A JPEG of this size is half tables. ITU-T T.81 has an abbreviated format for that: the tables alone, and the picture without
 * them. Before the end of the one and behind the begin of the other, both together are an ordinary JPEG.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/tiny.h"

#ifdef REPORT_HAS_JPEG

#include <stdio.h>
#include <stdlib.h>
#include <jpeglib.h>

/* With this one, a picture of a film has about 350 bytes, and one of a test signal 450. */
#define QUALITY 22
#define CHANNELS 3
/* The decoder makes pictures smaller by so many eighths. */
#define EIGHTHS 8

static void
prepare (struct jpeg_compress_struct *jpeg)
{
  jpeg->input_components = CHANNELS;
  jpeg->in_color_space = JCS_RGB;
  jpeg_set_defaults (jpeg);
  jpeg_set_quality (jpeg, QUALITY, TRUE);
  jpeg->write_JFIF_header = FALSE;
}

/* Returns: (transfer full): the tables of all tiny pictures */
GBytes *
report_tiny_tables (void)
{
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr errors;
  unsigned char *bytes = NULL;
  unsigned long n_bytes = 0;
  GBytes *tables;

  jpeg.err = jpeg_std_error (&errors);
  jpeg_create_compress (&jpeg);
  jpeg_mem_dest (&jpeg, &bytes, &n_bytes);
  prepare (&jpeg);
  jpeg_write_tables (&jpeg);
  tables = g_bytes_new (bytes, n_bytes);
  free (bytes);
  jpeg_destroy_compress (&jpeg);
  return tables;
}

/* Begins to decode a picture that this program made.
 *
 * Returns: (transfer none): the size of the output is known */
static void
begin_decoding (struct jpeg_decompress_struct *from, GBytes * jpeg)
{
  gsize n;
  const guint8 *bytes = g_bytes_get_data (jpeg, &n);

  jpeg_mem_src (from, bytes, n);
  jpeg_read_header (from, TRUE);
  from->out_color_space = JCS_RGB;
  from->scale_denom = EIGHTHS;
  from->scale_num = CLAMP (REPORT_TINY_SIZE * EIGHTHS / MAX (from->image_width, from->image_height), 1, EIGHTHS);
  jpeg_start_decompress (from);
}

/**
 * report_tiny_new:
 * @jpeg: a picture that this program made: of a thumbnail
 *
 * Returns: (transfer full): a tiny one, without its tables
 */
GBytes *
report_tiny_new (GBytes * jpeg)
{
  struct jpeg_decompress_struct from;
  struct jpeg_compress_struct to;
  struct jpeg_error_mgr errors;
  unsigned char *bytes = NULL;
  unsigned long n_bytes = 0;
  g_autofree guint8 *row = NULL;
  GBytes *tiny;

  from.err = to.err = jpeg_std_error (&errors);
  jpeg_create_decompress (&from);
  jpeg_create_compress (&to);
  begin_decoding (&from, jpeg);
  jpeg_mem_dest (&to, &bytes, &n_bytes);
  to.image_width = from.output_width;
  to.image_height = from.output_height;
  prepare (&to);
  jpeg_suppress_tables (&to, TRUE);
  jpeg_start_compress (&to, FALSE);
  row = g_malloc (CHANNELS * (gsize) from.output_width);
  while (from.output_scanline < from.output_height) {
    JSAMPROW rows[1] = { row };

    jpeg_read_scanlines (&from, rows, 1);
    jpeg_write_scanlines (&to, rows, 1);
  }
  jpeg_finish_compress (&to);
  jpeg_finish_decompress (&from);
  tiny = g_bytes_new (bytes, n_bytes);
  free (bytes);
  jpeg_destroy_compress (&to);
  jpeg_destroy_decompress (&from);
  return tiny;
}

#else

/* There are no thumbnails. */

GBytes *
report_tiny_tables (void)
{
  return g_bytes_new (NULL, 0);
}

GBytes *
report_tiny_new (GBytes * jpeg)
{
  g_assert_not_reached ();
}

#endif
