/* Makes thumbnails of frames; see thumbnail.h.
 *
 * A thumbnail's pixel is the mean of the samples below it, of a few rows. The frame is read through the function with
 * which GStreamer unpacks a row of any format: no frame is converted as a whole, and nothing is scaled before it is measured.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/thumbnail.h"

#include <math.h>
#include <string.h>

#ifdef REPORT_HAS_JPEG
#include <stdio.h>
#include <jpeglib.h>
#endif

#include "cudahisto/colorimetry.h"
#include "cudahisto/light.h"

/* So many rows of a frame are read for one of a thumbnail. Two neighbours are of both fields. */
#define MOST_ROWS 4
/* Steps of the tables of light. */
#define N_LEVELS 1024
/* EBU R 103: codes of 8 bits outside of these. */
#define R103_LEAST 5
#define R103_MOST 246
/* The brightest light that is told from brighter light, in units of HDR reference white. */
#define MOST_LIGHT (1000.0 / HISTO_HDR_WHITE)

const gchar *const report_kept_names[REPORT_N_KEPT] = {
  "step", "gamut", "range", "flash", "comb", "light", "cut", "alert"
};

/* ---- Lists ------------------------------------------------------------------------------------ */

static void
thumbnail_free (gpointer data)
{
  ReportThumbnail *thumbnail = data;

  g_clear_pointer (&thumbnail->jpeg, g_bytes_unref);
  g_clear_pointer (&thumbnail->marked, g_bytes_unref);
  g_free (thumbnail);
}

/* Returns: (transfer full) (element-type ReportThumbnail): empty */
GPtrArray *
report_thumbnails_new (void)
{
  return g_ptr_array_new_with_free_func (thumbnail_free);
}

/* Returns: (transfer none) (nullable): the one whose time is nearest; NULL: none has a time */
const ReportThumbnail *
report_thumbnails_nearest (const GPtrArray * thumbnails, guint64 time)
{
  const ReportThumbnail *nearest = NULL;
  guint64 least = G_MAXUINT64;

  for (guint i = 0; i < thumbnails->len; i++) {
    const ReportThumbnail *thumbnail = thumbnails->pdata[i];
    const guint64 away = thumbnail->time > time ? thumbnail->time - time : time - thumbnail->time;

    if (!GST_CLOCK_TIME_IS_VALID (thumbnail->time) || away >= least)
      continue;
    least = away;
    nearest = thumbnail;
  }
  return nearest;
}

/* ---- Colours ---------------------------------------------------------------------------------- */

/* How the unpacked samples of a frame become colours of a screen. */
typedef struct
{
  gboolean is_rgb, is_wide;     /* wide: of 16 bits */
  gboolean is_hdr;
  gdouble offsets[3], scales[3];        /* Y, U, V or R, G, B */
  gdouble red, green, blue;     /* weights of luma */
  gdouble slack;                /* half a code, as a share of the limited range */
  guint16 least[3], most[3];    /* of the limited range, in unpacked samples */
  gfloat light[N_LEVELS + 1];   /* of a signal, in units of HDR reference white */
} Colours;

static gboolean
prepare_colours (Colours * colours, const GstVideoInfo * info)
{
  const GstVideoFormat format = info->finfo->unpack_format;
  const GstVideoFormatInfo *unpacked = gst_video_format_get_info (format);
  gint offsets[GST_VIDEO_MAX_COMPONENTS], scales[GST_VIDEO_MAX_COMPONENTS];
  gint limited_offsets[GST_VIDEO_MAX_COMPONENTS], limited_scales[GST_VIDEO_MAX_COMPONENTS];
  GstVideoColorRange range;

  if (format != GST_VIDEO_FORMAT_AYUV && format != GST_VIDEO_FORMAT_ARGB && format != GST_VIDEO_FORMAT_AYUV64
      && format != GST_VIDEO_FORMAT_ARGB64)
    return FALSE;
  colours->is_rgb = GST_VIDEO_FORMAT_INFO_IS_RGB (unpacked);
  colours->is_wide = GST_VIDEO_FORMAT_INFO_BITS (unpacked) == 16;
  colours->is_hdr = histo_colorimetry_is_hdr (&info->colorimetry);
  range = histo_colorimetry_is_limited (&info->colorimetry, colours->is_rgb) ? GST_VIDEO_COLOR_RANGE_16_235 :
      GST_VIDEO_COLOR_RANGE_0_255;
  gst_video_color_range_offsets (range, unpacked, offsets, scales);
  gst_video_color_range_offsets (GST_VIDEO_COLOR_RANGE_16_235, unpacked, limited_offsets, limited_scales);
  histo_luma_weights (&info->colorimetry, GST_VIDEO_INFO_HEIGHT (info), &colours->red, &colours->blue);
  colours->green = 1 - colours->red - colours->blue;
  colours->slack = 0.5 / (219 * ldexp (1, (gint) GST_VIDEO_INFO_COMP_DEPTH (info, 0) - 8));
  /* Component 0 of the unpacked formats is alpha, in their order of bytes; that of the format's description is Y or R. */
  for (guint c = 0; c < 3; c++) {
    colours->offsets[c] = offsets[c];
    colours->scales[c] = scales[c];
    colours->least[c] = limited_offsets[0];
    colours->most[c] = c == 0 || colours->is_rgb ? limited_offsets[0] + limited_scales[0] :
        limited_offsets[0] + limited_scales[c];
  }
  for (guint i = 0; colours->is_hdr && i <= N_LEVELS; i++)
    colours->light[i] = histo_light_of_signal (info->colorimetry.transfer, (gdouble) i / N_LEVELS) / HISTO_HDR_WHITE;
  return TRUE;
}

/* Samples of a pixel become R, G, B: 0 is black, 1 is white. */
static inline void
to_rgb (const Colours * colours, gdouble a, gdouble b, gdouble c, gdouble rgb[3])
{
  a = (a - colours->offsets[0]) / colours->scales[0];
  b = (b - colours->offsets[1]) / colours->scales[1];
  c = (c - colours->offsets[2]) / colours->scales[2];
  if (colours->is_rgb) {
    rgb[0] = a;
    rgb[1] = b;
    rgb[2] = c;
    return;
  }
  rgb[0] = a + 2 * (1 - colours->red) * c;
  rgb[2] = a + 2 * (1 - colours->blue) * b;
  rgb[1] = (a - colours->red * rgb[0] - colours->blue * rgb[2]) / colours->green;
}

static gdouble
light_of (const Colours * colours, gdouble signal)
{
  return colours->light[(guint) (CLAMP (signal, 0, 1) * N_LEVELS + 0.5)];
}

/* BT.2020 becomes BT.709 (BT.2087), and light above reference white is compressed. */
static void
show_hdr (const Colours * colours, gdouble rgb[3])
{
  const gdouble r = light_of (colours, rgb[0]), g = light_of (colours, rgb[1]), b = light_of (colours, rgb[2]);
  const gdouble most = MAX (MAX (r, g), MAX (b, 1e-6));
  const gdouble factor = (1 + most / (MOST_LIGHT * MOST_LIGHT)) / (1 + most);
  const gdouble linear[3] = {
    1.6605 * r - 0.5876 * g - 0.0728 * b,
    -0.1246 * r + 1.1329 * g - 0.0083 * b,
    -0.0182 * r - 0.1006 * g + 1.1187 * b
  };

  for (guint i = 0; i < 3; i++) {
    const gdouble light = CLAMP (linear[i] * factor, 0, 1);

    rgb[i] = light <= 0.0031308 ? 12.92 * light : 1.055 * pow (light, 1 / 2.4) - 0.055;
  }
}

static inline guint8
marks_of (const Colours * colours, const guint samples[3])
{
  const gdouble least = (R103_LEAST - 16) / 219.0 - colours->slack, most = (R103_MOST - 16) / 219.0 + colours->slack;
  guint8 marks = 0;
  gdouble rgb[3], luma;

  to_rgb (colours, samples[0], samples[1], samples[2], rgb);
  luma = colours->red * rgb[0] + colours->green * rgb[1] + colours->blue * rgb[2];
  if (MIN (MIN (rgb[0], rgb[1]), rgb[2]) < least || MAX (MAX (rgb[0], rgb[1]), rgb[2]) >= most || luma < least || luma >= most)
    marks |= REPORT_MARK_GAMUT;
  for (guint c = 0; c < 3; c++) {
    if (samples[c] < colours->least[c] || samples[c] > colours->most[c])
      marks |= REPORT_MARK_RANGE;
  }
  return marks;
}

/* ---- A frame ---------------------------------------------------------------------------------- */

/* The picture that a player shows, of which a field may be half of the rows. */
static void
find_size (const GstVideoInfo * info, guint width, guint height, guint most, ReportReduced * reduced)
{
  const guint par_n = MAX (GST_VIDEO_INFO_PAR_N (info), 1), par_d = MAX (GST_VIDEO_INFO_PAR_D (info), 1);
  const gdouble shown = (gdouble) width * par_n / par_d;
  const gdouble factor = MIN (1, most / MAX (shown, height));

  reduced->width = CLAMP ((guint) (shown * factor + 0.5), 1, most);
  reduced->height = CLAMP ((guint) (height * factor + 0.5), 1, most);
}

/* Adds the samples of a row to those of the thumbnail's row. The first sample of four is alpha. The last two are constants:
 * there is a loop for each. */
static inline void
add_pixels (const Colours * colours, gconstpointer row, guint n_columns, guint width, guint64 (*sums)[3], guint8 * marks,
    gboolean is_wide, gboolean has_marks)
{
  for (guint x = 0; x < width; x++) {
    const guint from = (guint64) x * n_columns / width, to = MAX ((guint64) (x + 1) * n_columns / width, from + 1);
    guint64 sum[3] = { 0 };

    for (guint i = from; i < to; i++) {
      guint samples[3];

      for (guint c = 0; c < 3; c++) {
        samples[c] = is_wide ? ((const guint16 *) row)[4 * i + c + 1] : ((const guint8 *) row)[4 * i + c + 1];
        sum[c] += samples[c];
      }
      if (has_marks)
        marks[x] |= marks_of (colours, samples);
    }
    for (guint c = 0; c < 3; c++)
      sums[x][c] += sum[c] * 256 / (to - from);
  }
}

static void
add_row (const Colours * colours, gconstpointer row, guint n_columns, guint width, guint64 (*sums)[3], guint8 * marks)
{
  if (colours->is_wide && marks != NULL)
    add_pixels (colours, row, n_columns, width, sums, marks, TRUE, TRUE);
  else if (colours->is_wide)
    add_pixels (colours, row, n_columns, width, sums, NULL, TRUE, FALSE);
  else if (marks != NULL)
    add_pixels (colours, row, n_columns, width, sums, marks, FALSE, TRUE);
  else
    add_pixels (colours, row, n_columns, width, sums, NULL, FALSE, FALSE);
}

static void
finish_row (const Colours * colours, guint64 (*sums)[3], guint n_rows, const guint8 * marks, guint width, guint8 * to)
{
  const gdouble scale = 256.0 * n_rows;

  for (guint x = 0; x < width; x++, to += REPORT_REDUCED_BYTES) {
    gdouble rgb[3];

    to_rgb (colours, sums[x][0] / scale, sums[x][1] / scale, sums[x][2] / scale, rgb);
    if (colours->is_hdr)
      show_hdr (colours, rgb);
    for (guint c = 0; c < 3; c++)
      to[c] = (guint8) (CLAMP (rgb[c], 0, 1) * 255 + 0.5);
    to[3] = marks[x];
  }
}

static void
read_rows (const GstVideoFrame * frame, const GstVideoCropMeta * crop, guint n_columns, guint n_lines,
    const Colours * colours, gboolean has_marks, ReportReduced * reduced)
{
  const GstVideoFormatInfo *format = frame->info.finfo;
  const guint left = crop != NULL ? crop->x : 0, top = crop != NULL ? crop->y : 0;
  const GstVideoPackFlags flags = GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE
      | (GST_VIDEO_FRAME_IS_INTERLACED (frame) ? GST_VIDEO_PACK_FLAG_INTERLACED : 0);
  g_autofree guint16 *row = g_new (guint16, 4 * (gsize) (left + n_columns) + 32);
  g_autofree guint64 (*sums)[3] = g_malloc (reduced->width * sizeof *sums);
  g_autofree guint8 *marks = g_malloc (reduced->width);

  for (guint y = 0; y < reduced->height; y++) {
    const guint from = (guint64) y * n_lines / reduced->height;
    const guint to = MAX ((guint64) (y + 1) * n_lines / reduced->height, from + 1);
    const guint n = MIN (to - from, MOST_ROWS);

    memset (sums, 0, reduced->width * sizeof *sums);
    memset (marks, 0, reduced->width);
    for (guint i = 0; i < n; i++) {
      /* Pairs of neighbours, spread over the rows. */
      const guint line = n == to - from ? from + i : from + (i / 2) * ((to - from) / (MOST_ROWS / 2)) + i % 2;

      format->unpack_func (format, flags, row, frame->data, frame->info.stride, 0, (gint) (top + line), (gint) (left + n_columns));
      add_row (colours, (const guint8 *) row + (gsize) left * (colours->is_wide ? 8 : 4), n_columns, reduced->width, sums,
          has_marks ? marks : NULL);
    }
    finish_row (colours, sums, n, marks, reduced->width,
        reduced->pixels + (gsize) y * reduced->width * REPORT_REDUCED_BYTES);
  }
}

/**
 * report_reduced_new:
 * @most: columns and rows; a smaller frame keeps its size
 * @has_marks: whether pixels are marked
 *
 * Returns: (transfer full) (nullable): %NULL: the frame cannot be read
 */
ReportReduced *
report_reduced_new (GstBuffer * buffer, const GstCaps * caps, guint most, gboolean has_marks)
{
  const GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta (buffer);
  ReportReduced *reduced;
  GstVideoInfo info;
  GstVideoFrame frame;
  Colours colours;
  guint width, height, n_lines;

  if (!gst_video_info_from_caps (&info, caps) || info.finfo->unpack_func == NULL || !prepare_colours (&colours, &info)
      || !gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ))
    return NULL;
  width = GST_VIDEO_INFO_WIDTH (&info);
  height = GST_VIDEO_INFO_HEIGHT (&info);
  n_lines = GST_VIDEO_INFO_FIELD_HEIGHT (&info);
  if (crop != NULL && (guint64) crop->x + crop->width <= width && (guint64) crop->y + crop->height <= n_lines
      && crop->width > 0 && crop->height > 0 && n_lines == height) {
    width = crop->width;
    height = n_lines = crop->height;
  } else {
    crop = NULL;
  }
  reduced = g_new (ReportReduced, 1);
  find_size (&info, width, height, most, reduced);
  reduced->pixels = g_malloc ((gsize) reduced->width * reduced->height * REPORT_REDUCED_BYTES);
  read_rows (&frame, crop, width, n_lines, &colours, has_marks, reduced);
  gst_video_frame_unmap (&frame);
  return reduced;
}

void
report_reduced_free (ReportReduced * reduced)
{
  if (reduced == NULL)
    return;
  g_free (reduced->pixels);
  g_free (reduced);
}

/**
 * report_reduced_turn:
 * @rotation: counterclockwise, in degrees; only whole quarters turn it
 *
 * Returns: (transfer full): the picture as a player shows it
 */
ReportReduced *
report_reduced_turn (const ReportReduced * reduced, gint rotation)
{
  const guint quarters = (guint) ((rotation % 360 + 360) % 360) / 90, width = reduced->width, height = reduced->height;
  ReportReduced *turned = g_new (ReportReduced, 1);
  const guint32 *from = (const guint32 *) reduced->pixels;
  guint32 *to;

  *turned = (ReportReduced) { quarters % 2 == 1 ? height : width, quarters % 2 == 1 ? width : height,
    g_malloc ((gsize) width * height * REPORT_REDUCED_BYTES)
  };
  to = (guint32 *) turned->pixels;
  for (guint y = 0; y < turned->height; y++) {
    for (guint x = 0; x < turned->width; x++) {
      const guint column = quarters == 0 ? x : quarters == 1 ? width - 1 - y : quarters == 2 ? width - 1 - x : y;
      const guint row = quarters == 0 ? y : quarters == 1 ? x : quarters == 2 ? height - 1 - y : height - 1 - x;

      *to++ = from[(gsize) row * width + column];
    }
  }
  return turned;
}

/* ---- JPEG ------------------------------------------------------------------------------------- */

#ifdef REPORT_HAS_JPEG

#define QUALITY 75
#define MARKED_QUALITY 85       /* a mark may be a pixel */

/* Writes a row as R, G, B: as it is, or in dark grey with its marks. */
static void
write_row (const guint8 * pixels, guint width, guint8 marks, guint8 * to)
{
  for (guint x = 0; x < width; x++, pixels += REPORT_REDUCED_BYTES, to += 3) {
    if (marks == 0) {
      memcpy (to, pixels, 3);
    } else if ((pixels[3] & marks) != 0) {
      to[0] = to[2] = 255;
      to[1] = 0;
    } else {
      to[0] = to[1] = to[2] = 24 + (3 * pixels[0] + 6 * pixels[1] + pixels[2]) / 16;
    }
  }
}

/**
 * report_reduced_encode:
 * @marks: flags of those that are shown, in magenta on grey; 0: the picture as it is
 *
 * Returns: (transfer full): JPEG
 */
GBytes *
report_reduced_encode (const ReportReduced * reduced, guint8 marks)
{
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr errors;
  unsigned char *bytes = NULL;
  unsigned long n_bytes = 0;
  g_autofree guint8 *row = g_malloc (3 * (gsize) reduced->width);
  GBytes *encoded;

  jpeg.err = jpeg_std_error (&errors);
  jpeg_create_compress (&jpeg);
  jpeg_mem_dest (&jpeg, &bytes, &n_bytes);
  jpeg.image_width = reduced->width;
  jpeg.image_height = reduced->height;
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults (&jpeg);
  jpeg_set_quality (&jpeg, marks != 0 ? MARKED_QUALITY : QUALITY, TRUE);
  /* Tables of their own are smaller than the usual ones, which are as large as a tenth of such a picture. */
  jpeg.optimize_coding = TRUE;
  if (marks != 0)
    jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = 1;
  jpeg_start_compress (&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    JSAMPROW rows[1] = { row };

    write_row (reduced->pixels + (gsize) jpeg.next_scanline * reduced->width * REPORT_REDUCED_BYTES, reduced->width, marks, row);
    jpeg_write_scanlines (&jpeg, rows, 1);
  }
  jpeg_finish_compress (&jpeg);
  encoded = g_bytes_new (bytes, n_bytes);
  free (bytes);
  jpeg_destroy_compress (&jpeg);
  return encoded;
}

gboolean
report_thumbnails_are_built (void)
{
  return TRUE;
}

#else

GBytes *
report_reduced_encode (const ReportReduced * reduced, guint8 marks)
{
  g_assert_not_reached ();
}

gboolean
report_thumbnails_are_built (void)
{
  return FALSE;
}

#endif
