/* Decodes and measures one image after the other; see image-decoder.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE             /* memmem */
#include "images/image-decoder.h"

#include <gst/tag/tag.h>
#include <math.h>
#include <string.h>

#include "images/image-count.h"
#include "images/image-elements.h"
#include "images/image-gstreamer.h"
#include "images/image-jpeg.h"
#include "input/libav-pictures.h"
#include "base/describe.h"

struct _ReportImageDecoder
{
  gint64 max_pixels;
  ReportImageCount *count;      /* NULL: elements measure all images */
  ReportImageElements *elements;
  /* Of a picture that comes in rows: */
  GstVideoInfo info;
  gboolean is_counted;          /* as the rows come */
  GstBuffer *buffer;            /* for the elements, if it is not; NULL: none */
  GstMapInfo map;               /* of it */
  guint n_filled;               /* rows of it */
  /* Of a picture that is shown, and not measured: */
  guint most;                   /* columns and rows of what is shown; 0: it is measured */
  ReportReduced *shown;
};

/* ---- What the file says ------------------------------------------------------------------------ */

/* Where EXIF is, which is a TIFF without a picture: behind a text and some bytes. Then its own header tells that it is none by
 * chance. */
static const struct
{
  const gchar *codec, *text;
  gsize n_behind;
} exif_places[] = {
  {"mjpeg", "Exif", 2},
  {"webp", "EXIF", 4},
  {"webp", "Exif", 2},
  {"png", "eXIf", 0},
  {"tiff", "", 0},
};

static gboolean
begins_tiff (const guint8 * bytes, gsize n)
{
  return n > 8 && (memcmp (bytes, "II*\0", 4) == 0 || memcmp (bytes, "MM\0*", 4) == 0);
}

/* Returns: (nullable): where it begins; it may end anywhere */
static const guint8 *
find_exif (const ReportImageFormat * format, const guint8 * bytes, gsize n)
{
  const gsize reach = report_image_format_reach (format, bytes, n);

  for (guint i = 0; i < G_N_ELEMENTS (exif_places); i++) {
    const gsize length = strlen (exif_places[i].text);
    const gsize more = length + exif_places[i].n_behind;
    const guint8 *found = !g_str_equal (format->codec, exif_places[i].codec) ? NULL :
        memmem (bytes, reach, exif_places[i].text, length);

    if (found != NULL && (gsize) (bytes + n - found) > more && begins_tiff (found + more, bytes + n - found - more))
      return found + more;
  }
  return NULL;
}

static void
read_orientation (const ReportImageFormat * format, const guint8 * bytes,
    gsize n, ReportImage * image)
{
  const guint8 *exif = find_exif (format, bytes, n);
  GstTagList *tags = NULL;

  if (exif != NULL) {
    const gsize size = bytes + n - exif;
    GstBuffer *buffer = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, (gpointer) exif, size, 0, size, NULL, NULL);

    tags = gst_tag_list_from_exif_buffer_with_tiff_header (buffer);
    gst_buffer_unref (buffer);
  }
  if (tags != NULL)
    gst_tag_list_get_string (tags, GST_TAG_IMAGE_ORIENTATION, &image->orientation);
  g_clear_pointer (&tags, gst_tag_list_unref);
}

/* Returns: (nullable): as the file says it, or as libav knows it */
static const gchar *
transfer_of (const ReportImageFormat * format, const guint8 * bytes, gsize n,
    const ReportPicture * picture)
{
  const gchar *said = report_image_format_transfer (format, bytes, n);
  const GstVideoTransferFunction known = gst_video_transfer_function_from_iso (picture->transfer);

  return said != NULL || known == GST_VIDEO_TRANSFER_UNKNOWN ? said :
      report_nick_of (GST_TYPE_VIDEO_TRANSFER_FUNCTION, known);
}

/* Takes a whole picture, which is measured by elements or shown.
 *
 * @buffer: (transfer full):
 * @caps: (transfer full): */
static void
take_picture (ReportImageDecoder * decoder, GstBuffer * buffer, GstCaps * caps, ReportImage * image)
{
  if (decoder->most == 0) {
    report_image_elements_measure (decoder->elements, buffer, caps, image);
    return;
  }
  decoder->shown = report_reduced_new (buffer, caps, decoder->most, FALSE);
  gst_buffer_unref (buffer);
  gst_caps_unref (caps);
}

/* ---- Pictures that come in rows ----------------------------------------------------------------- */

/* Begins a ReportImageSink's picture. */
static void
begin_rows (const GstVideoInfo * info, gpointer data)
{
  ReportImageDecoder *decoder = data;
  GstCaps *caps = gst_video_info_to_caps (info);

  decoder->info = *info;
  decoder->is_counted = decoder->most == 0 && decoder->count != NULL && report_image_count_begin (decoder->count, caps);
  gst_caps_unref (caps);
  if (decoder->is_counted)
    return;
  decoder->buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (info), NULL);
  decoder->n_filled = 0;
  if (decoder->buffer != NULL && !gst_buffer_map (decoder->buffer, &decoder->map, GST_MAP_WRITE))
    gst_clear_buffer (&decoder->buffer);
}

static void
take_rows (gconstpointer rows, gint stride, guint n_rows, gpointer data)
{
  ReportImageDecoder *decoder = data;
  const gint own = GST_VIDEO_INFO_PLANE_STRIDE (&decoder->info, 0);

  if (decoder->is_counted) {
    report_image_count_rows (decoder->count, &rows, &stride, n_rows);
    return;
  }
  for (guint i = 0; i < n_rows && decoder->buffer != NULL; i++)
    memcpy (decoder->map.data + (gsize) own * decoder->n_filled++, (const guint8 *) rows + (gsize) stride * i, own);
}

/* Measures it, unless the image has a problem. */
static void
end_rows (ReportImageDecoder * decoder, ReportImage * image)
{
  GstBuffer *buffer = g_steal_pointer (&decoder->buffer);

  if (decoder->is_counted) {
    decoder->is_counted = FALSE;
    report_image_count_end (decoder->count, image->problem == NULL ? image : NULL);
    return;
  }
  if (buffer != NULL)
    gst_buffer_unmap (buffer, &decoder->map);
  if (image->problem == NULL && buffer == NULL)
    image->problem = g_strdup ("there is no memory for it");
  if (image->problem == NULL)
    take_picture (decoder, buffer, gst_video_info_to_caps (&decoder->info), image);
  else
    gst_clear_buffer (&buffer);
}

/* ---- Ways to decode --------------------------------------------------------------------------- */

static void
measure_jpeg (ReportImageDecoder * decoder, const guint8 * bytes, gsize n,
    ReportImage * image)
{
  const ReportImageSink sink = { begin_rows, take_rows, decoder };

  image->decoder = "libjpeg";
  image->problem = report_image_jpeg_decode (bytes, n, decoder->max_pixels, &sink);
  end_rows (decoder, image);
}

/* Measures a whole picture.
 *
 * @buffer: (transfer full):
 * @caps: (transfer full): */
static void
measure_picture (ReportImageDecoder * decoder, GstBuffer * buffer, GstCaps * caps, ReportImage * image)
{
  GstVideoFrame frame;
  GstVideoInfo info;

  if (decoder->most > 0 || decoder->count == NULL || !gst_video_info_from_caps (&info, caps)
      || !report_image_count_begin (decoder->count, caps)) {
    take_picture (decoder, buffer, caps, image);
    return;
  }
  if (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ)) {
    report_image_count_rows (decoder->count, (const gconstpointer *) frame.data, frame.info.stride, info.height);
    gst_video_frame_unmap (&frame);
  } else {
    image->problem = g_strdup ("its picture cannot be read");
  }
  report_image_count_end (decoder->count, image->problem == NULL ? image : NULL);
  gst_buffer_unref (buffer);
  gst_caps_unref (caps);
}

/* Images say less of their colours than films: what is not said is as in JPEG and WebP. */
static void
set_colors (GstCaps * caps, const ReportPicture * picture)
{
  const GstVideoFormatInfo *format = gst_video_format_get_info (gst_video_format_from_string (picture->format));
  const gboolean is_limited = picture->range == REPORT_RANGE_LIMITED;
  GstVideoColorMatrix matrix = gst_video_color_matrix_from_iso (picture->matrix);
  g_autofree gchar *text = NULL;

  if (!GST_VIDEO_FORMAT_INFO_IS_YUV (format))
    return;
  if (matrix == GST_VIDEO_COLOR_MATRIX_UNKNOWN)
    matrix = GST_VIDEO_COLOR_MATRIX_BT601;
  text = g_strdup_printf ("%d:%d:0:0", is_limited ? GST_VIDEO_COLOR_RANGE_16_235 : GST_VIDEO_COLOR_RANGE_0_255, matrix);
  gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, text, NULL);
}

static void
measure_by_libav (ReportImageDecoder * decoder,
    const ReportImageFormat * format, const guint8 * bytes, gsize n,
    ReportImage * image)
{
  const gint64 max_pixels = decoder->max_pixels;
  ReportPicture picture = {.time = 0,.duration = GST_SECOND };
  GstCaps *caps;

  image->decoder = "libav";
  image->problem = report_statements_decode_image (format->codec, bytes, n, max_pixels, &picture);
  if (picture.width > 0 && report_is_too_large (picture.width, picture.height, max_pixels)) {
    g_free (image->problem);
    image->problem = report_describe_too_large (picture.width, picture.height, max_pixels);
  }
  if (image->problem != NULL)
    return;
  caps = report_libav_picture_caps (&picture, NULL);
  if (caps == NULL) {
    image->problem = g_strdup_printf ("this GStreamer does not know pixels of the format %s", picture.format);
    report_libav_picture_free (&picture);
    return;
  }
  set_colors (caps, &picture);
  image->has_alpha = picture.has_alpha;
  image->transfer = transfer_of (format, bytes, n, &picture);
  if (picture.scale > 0 || picture.n_negative + picture.n_infinite > 0) {
    image->scale = picture.scale;
    image->negative = picture.n_negative;
    image->infinite = picture.n_infinite;
  }
  measure_picture (decoder, report_libav_picture_buffer (&picture), caps, image);
}

static void
measure_by_gstreamer (ReportImageDecoder * decoder,
    const ReportImageFormat * format, const guint8 * bytes, gsize n,
    ReportImage * image)
{
  GstBuffer *buffer;
  GstCaps *caps;
  GstVideoInfo info;

  image->decoder = REPORT_DECODER_GSTREAMER;
  image->problem = report_image_gstreamer_decode (format, bytes, n, decoder->max_pixels, &buffer, &caps);
  if (image->problem != NULL)
    return;
  image->has_alpha = gst_video_info_from_caps (&info, caps) && GST_VIDEO_INFO_HAS_ALPHA (&info);
  measure_picture (decoder, buffer, caps, image);
}

/**
 * report_image_decoder_measure:
 * @bytes: the file, and REPORT_PADDING bytes of 0 behind it
 * @image: (inout): has its path
 */
void
report_image_decoder_measure (ReportImageDecoder * decoder,
    const ReportImageFormat * format, const guint8 * bytes, gsize n,
    ReportImage * image)
{
  const gboolean is_jpeg = g_str_equal (format->codec, "mjpeg") && report_image_jpeg_is_built ();

  image->format = format->name;
  image->scale = image->negative = image->infinite = NAN;
  read_orientation (format, bytes, n, image);
  /* libjpeg itself tells that the end is missing. */
  image->problem = report_image_format_check (format, bytes, n,
      decoder->max_pixels, !is_jpeg);
  if (image->problem != NULL)
    return;
  if (is_jpeg)
    measure_jpeg (decoder, bytes, n, image);
  else if (report_statements_has_images ())
    measure_by_libav (decoder, format, bytes, n, image);
  else
    measure_by_gstreamer (decoder, format, bytes, n, image);
}

/**
 * report_image_decoder_show:
 * @bytes: as of report_image_decoder_measure()
 * @most: columns and rows
 *
 * Returns: (transfer full) (nullable): the picture as it is stored, made smaller; NULL: it cannot be decoded
 */
ReportReduced *
report_image_decoder_show (ReportImageDecoder * decoder,
    const ReportImageFormat * format, const guint8 * bytes, gsize n,
    guint most)
{
  ReportImage *image = g_new0 (ReportImage, 1);

  decoder->most = most;
  report_image_decoder_measure (decoder, format, bytes, n, image);
  decoder->most = 0;
  report_image_free (image);
  return g_steal_pointer (&decoder->shown);
}

/* @before: (nullable): --before */
ReportImageDecoder *
report_image_decoder_new (const ReportSettings * settings,
    const gchar * before)
{
  ReportImageDecoder *decoder = g_new0 (ReportImageDecoder, 1);

  decoder->max_pixels = settings->max_pixels;
  /* Properties are of the element. */
  if (before == NULL && (settings->properties == NULL || settings->properties[0] == NULL))
    decoder->count = report_image_count_new ();
  decoder->elements = report_image_elements_new (settings, before);
  return decoder;
}

void
report_image_decoder_free (ReportImageDecoder * decoder)
{
  g_clear_pointer (&decoder->count, report_image_count_free);
  report_image_elements_free (decoder->elements);
  g_free (decoder);
}
