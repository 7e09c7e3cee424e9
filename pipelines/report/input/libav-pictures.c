/* Pictures that libav decodes, as buffers; see libav-pictures.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/libav-pictures.h"

/* Returns: (nullable): NULL: this version of GStreamer does not know the format */
static const GstVideoFormatInfo *
format_of (const ReportPicture * picture)
{
  const GstVideoFormat format = picture->format != NULL ?
      gst_video_format_from_string (picture->format) : GST_VIDEO_FORMAT_UNKNOWN;
  const GstVideoFormatInfo *info = gst_video_format_get_info (format);

  return format == GST_VIDEO_FORMAT_UNKNOWN
      || GST_VIDEO_FORMAT_INFO_N_PLANES (info) > picture->n_planes ? NULL : info;
}

/* Pictures of one stream may be interlaced or not, and begin with either field. */
static void
set_fields (GstStructure * caps, const ReportPicture * picture,
    const GstStructure * previous)
{
  const gchar *before = previous != NULL ?
      gst_structure_get_string (previous, "interlace-mode") : NULL;
  const gchar *order_before = previous != NULL ?
      gst_structure_get_string (previous, "field-order") : NULL;
  const gchar *mode = picture->is_interlaced ? "interleaved" : "progressive";
  const gchar *order = !picture->is_interlaced ? NULL : picture->is_top_first ?
      "top-field-first" : "bottom-field-first";

  if (before != NULL && (!g_str_equal (before, mode)
          || g_strcmp0 (order, order_before) != 0))
    mode = "mixed";
  gst_structure_set (caps, "interlace-mode", G_TYPE_STRING, mode, NULL);
  if (g_str_equal (mode, "interleaved"))
    gst_structure_set (caps, "field-order", G_TYPE_STRING, order, NULL);
}

static void
set_fraction (GstStructure * caps, const gchar * name, ReportRational number)
{
  if (number.denominator > 0 && number.numerator <= G_MAXINT
      && number.denominator <= G_MAXINT)
    gst_structure_set (caps, name, GST_TYPE_FRACTION, (gint) number.numerator,
        (gint) number.denominator, NULL);
}

/**
 * report_libav_picture_caps:
 * @previous: (nullable): those of the pictures before
 *
 * Returns: (transfer full) (nullable): without colours, which the file says; %NULL: GStreamer has no format for it
 */
GstCaps *
report_libav_picture_caps (const ReportPicture * picture,
    const GstCaps * previous)
{
  GstCaps *caps;
  GstStructure *structure;

  if (format_of (picture) == NULL)
    return NULL;
  caps = gst_caps_new_simple ("video/x-raw",
      "format", G_TYPE_STRING, picture->format,
      "width", G_TYPE_INT, picture->width, "height", G_TYPE_INT, picture->height,
      "framerate", GST_TYPE_FRACTION, 0, 1,
      "pixel-aspect-ratio", GST_TYPE_FRACTION, 1, 1, NULL);
  structure = gst_caps_get_structure (caps, 0);
  set_fraction (structure, "framerate", picture->rate);
  set_fraction (structure, "pixel-aspect-ratio", picture->pixel);
  set_fields (structure, picture,
      previous != NULL ? gst_caps_get_structure (previous, 0) : NULL);
  return caps;
}

/* Frees the planes of a picture. */
void
report_libav_picture_free (const ReportPicture * picture)
{
  for (guint p = 0; p < picture->n_planes; p++)
    report_statements_release_plane (picture->planes[p].owner);
}

/**
 * report_libav_picture_buffer:
 * @picture: its planes are (transfer full); it has caps
 *
 * Returns: (transfer full): a buffer of the same memory
 */
GstBuffer *
report_libav_picture_buffer (const ReportPicture * picture)
{
  const GstVideoFormatInfo *format = format_of (picture);
  const guint n = GST_VIDEO_FORMAT_INFO_N_PLANES (format);
  GstBuffer *buffer = gst_buffer_new ();
  gsize offsets[GST_VIDEO_MAX_PLANES] = { 0 }, offset = 0;
  gint strides[GST_VIDEO_MAX_PLANES] = { 0 };

  for (guint p = 0; p < picture->n_planes; p++) {
    const ReportPlane *plane = &picture->planes[p];

    /* An alpha for which GStreamer has no format. */
    if (p >= n) {
      report_statements_release_plane (plane->owner);
      continue;
    }
    gst_buffer_append_memory (buffer,
        gst_memory_new_wrapped (GST_MEMORY_FLAG_READONLY,
            (gpointer) plane->data, plane->n_bytes, 0, plane->n_bytes,
            plane->owner, report_statements_release_plane));
    offsets[p] = offset;
    strides[p] = plane->stride;
    offset += plane->n_bytes;
  }
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_INFO_FORMAT (format), picture->width, picture->height,
      n, offsets, strides);
  GST_BUFFER_PTS (buffer) = picture->time;
  if (picture->duration > 0)
    GST_BUFFER_DURATION (buffer) = picture->duration;
  if (picture->is_damaged)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
  if (picture->is_interlaced)
    GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
  if (picture->is_interlaced && picture->is_top_first)
    GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_TFF);
  if (picture->is_repeated)
    GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_RFF);
  return buffer;
}
