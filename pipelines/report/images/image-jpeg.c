/* Decodes JPEG with libjpeg-turbo; see image-jpeg.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "images/image-jpeg.h"

#ifdef REPORT_HAS_JPEG

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>
#include <jerror.h>

#include "base/describe.h"

/* A small file can have so many scans of a large picture that it takes hours. Programs write about ten. */
#define MOST_SCANS 200

/* Rows that are decoded together: those of a block of samples of which each stands for two rows. */
#define BAND_ROWS 16

/* Libjpeg writes rows that begin at a multiple of 32 bytes past the caches. Those of a band are read at once, so they begin at others. */
#define ROW_ALIGNMENT 32
#define ROW_OFFSET 16

typedef struct
{
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct jpeg_progress_mgr progress;
  jmp_buf behind;
  gchar *problem;
  guint8 *memory;               /* of a band of the picture; NULL: none */
  guint8 *rows;                 /* in it */
  gint stride;
} Decoder;

static void
fail (Decoder * decoder, gchar * problem)
{
  g_free (decoder->problem);
  decoder->problem = problem;
  longjmp (decoder->behind, 1);
}

static void
take_error (j_common_ptr jpeg)
{
  gchar text[JMSG_LENGTH_MAX];

  jpeg->err->format_message (jpeg, text);
  fail (jpeg->client_data, g_strdup_printf ("it cannot be decoded: %s", text));
}

/* Data that is missing or wrong is a warning, behind which gray or noise follows. */
static void
take_message (j_common_ptr jpeg, int level)
{
  switch (level < 0 ? jpeg->err->msg_code : JMSG_NOMESSAGE) {
    case JWRN_JPEG_EOF:
      fail (jpeg->client_data, g_strdup ("the file is cut off"));
      break;
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_ARITH_BAD_CODE:
      take_error (jpeg);
      break;
    default:
      break;
  }
}

static void
look_at_scans (j_common_ptr jpeg)
{
  if (((j_decompress_ptr) jpeg)->input_scan_number > MOST_SCANS)
    fail (jpeg->client_data, g_strdup_printf ("it has more than %d scans", MOST_SCANS));
}

static void
begin (Decoder * decoder, gint64 max_pixels, GstVideoInfo * info)
{
  j_decompress_ptr jpeg = &decoder->jpeg;
  gboolean is_gray;

  if (report_is_too_large (jpeg->image_width, jpeg->image_height, max_pixels))
    fail (decoder, report_describe_too_large (jpeg->image_width, jpeg->image_height, max_pixels));
  is_gray = jpeg->jpeg_color_space == JCS_GRAYSCALE;
  if (jpeg->num_components == 4)
    fail (decoder, g_strdup ("CMYK is not measured: R, G and B follow only from a profile of the inks"));
  if (!is_gray && jpeg->num_components != 3)
    fail (decoder, g_strdup_printf ("JPEG of %d components is not measured", jpeg->num_components));
  jpeg->out_color_space = is_gray ? JCS_GRAYSCALE : JCS_RGB;
  jpeg->dct_method = JDCT_ISLOW;
  jpeg->do_fancy_upsampling = TRUE;
  gst_video_info_set_format (info, is_gray ? GST_VIDEO_FORMAT_GRAY8 : GST_VIDEO_FORMAT_RGB, jpeg->image_width,
      jpeg->image_height);
  decoder->stride = GST_ROUND_UP_N (GST_VIDEO_INFO_PLANE_STRIDE (info, 0), ROW_ALIGNMENT);
  decoder->memory = g_malloc (BAND_ROWS * (gsize) decoder->stride + 2 * ROW_ALIGNMENT);
  decoder->rows = decoder->memory + ROW_ALIGNMENT - (guintptr) decoder->memory % ROW_ALIGNMENT + ROW_ALIGNMENT / 2;
}

/* All rows of a band are written before they are read. */
static void
decode_rows (Decoder * decoder, const ReportImageSink * sink)
{
  j_decompress_ptr jpeg = &decoder->jpeg;
  JSAMPROW rows[BAND_ROWS];
  guint n;

  for (guint i = 0; i < BAND_ROWS; i++)
    rows[i] = decoder->rows + i * decoder->stride;
  while (jpeg->output_scanline < jpeg->output_height) {
    for (n = 0; n < BAND_ROWS && jpeg->output_scanline < jpeg->output_height;)
      n += jpeg_read_scanlines (jpeg, rows + n, BAND_ROWS - n);
    sink->take_rows (decoder->rows, decoder->stride, n, sink->data);
  }
}

static void
decode (Decoder * decoder, const guint8 * bytes, gsize n, gint64 max_pixels,
    const ReportImageSink * sink)
{
  j_decompress_ptr jpeg = &decoder->jpeg;
  GstVideoInfo info;

  jpeg->err = jpeg_std_error (&decoder->errors);
  decoder->errors.error_exit = take_error;
  decoder->errors.emit_message = take_message;
  jpeg->client_data = decoder;
  if (setjmp (decoder->behind) != 0)
    return;
  jpeg_create_decompress (jpeg);
  decoder->progress.progress_monitor = look_at_scans;
  jpeg->progress = &decoder->progress;
  jpeg_mem_src (jpeg, bytes, n);
  jpeg_read_header (jpeg, TRUE);
  begin (decoder, max_pixels, &info);
  jpeg_start_decompress (jpeg);
  sink->begin (&info, sink->data);
  decode_rows (decoder, sink);
  jpeg_finish_decompress (jpeg);
}

/**
 * report_image_jpeg_decode:
 * @sink: gets the picture. It may get a part of a broken one
 *
 * Returns: (transfer full) (nullable): what is wrong; then there is no picture
 */
gchar *
report_image_jpeg_decode (const guint8 * bytes, gsize n, gint64 max_pixels,
    const ReportImageSink * sink)
{
  Decoder *decoder = g_new0 (Decoder, 1);
  gchar *problem;

  decode (decoder, bytes, n, max_pixels, sink);
  jpeg_destroy_decompress (&decoder->jpeg);
  problem = decoder->problem;
  g_free (decoder->memory);
  g_free (decoder);
  return problem;
}

gboolean
report_image_jpeg_is_built (void)
{
  return TRUE;
}

#else

gchar *
report_image_jpeg_decode (const guint8 * bytes, gsize n, gint64 max_pixels,
    const ReportImageSink * sink)
{
  return g_strdup ("this build has no libjpeg");
}

gboolean
report_image_jpeg_is_built (void)
{
  return FALSE;
}

#endif
