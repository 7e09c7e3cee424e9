/* What a colorimetry says: its parts, of which each may be unknown. cudahisto measures by it, cudahistooverlay and
 * cudahisto-report draw its limits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/colorimetry.h"

/**
 * histo_colorimetry_read:
 * @text: (nullable): of caps or of a result: a name, or four numbers
 * @is_rgb: whether the format is one of RGB
 * @colorimetry: (out): the parts that the text says; all others are unknown
 *
 * GstVideoInfo drops all parts of YUV's colorimetry if the matrix is unknown, for instance the range. This keeps
 * them.
 *
 * Returns: FALSE if the text says nothing
 */
gboolean
histo_colorimetry_read (const gchar * text, gboolean is_rgb,
    GstVideoColorimetry * colorimetry)
{
  static const GstVideoColorimetry unknown = { 0, };

  g_return_val_if_fail (colorimetry != NULL, FALSE);
  if (text == NULL || !gst_video_colorimetry_from_string (colorimetry, text)) {
    *colorimetry = unknown;
    return FALSE;
  }
  if (colorimetry->range != GST_VIDEO_COLOR_RANGE_0_255
      && colorimetry->range != GST_VIDEO_COLOR_RANGE_16_235)
    colorimetry->range = GST_VIDEO_COLOR_RANGE_UNKNOWN;
  if (gst_video_colorimetry_is_equal (colorimetry, &unknown))
    return FALSE;
  /* GstVideoInfo does the same: RGB has no other matrix, and YUV cannot have this one. */
  if (is_rgb)
    colorimetry->matrix = GST_VIDEO_COLOR_MATRIX_RGB;
  else if (colorimetry->matrix == GST_VIDEO_COLOR_MATRIX_RGB)
    colorimetry->matrix = GST_VIDEO_COLOR_MATRIX_UNKNOWN;
  return TRUE;
}

/* Whether black and white are 16 and 235 of 256. Where the range is unknown, that of RGB is full. */
gboolean
histo_colorimetry_is_limited (const GstVideoColorimetry * colorimetry,
    gboolean is_rgb)
{
  g_return_val_if_fail (colorimetry != NULL, !is_rgb);
  switch (colorimetry->range) {
    case GST_VIDEO_COLOR_RANGE_0_255:
      return FALSE;
    case GST_VIDEO_COLOR_RANGE_16_235:
      return TRUE;
    default:
      return !is_rgb;
  }
}

/* Whether the transfer is PQ or HLG. */
gboolean
histo_colorimetry_is_hdr (const GstVideoColorimetry * colorimetry)
{
  g_return_val_if_fail (colorimetry != NULL, FALSE);
  return colorimetry->transfer == GST_VIDEO_TRANSFER_SMPTE2084
      || colorimetry->transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67;
}

/* ---- The weights of red and blue in luma -------------------------------------------------- */

/* The matrix that belongs to the primaries, for RGB and for caps that name no matrix. For unknown and other
 * primaries the height decides, as in GStreamer's own defaults. */
static GstVideoColorMatrix
matrix_of_primaries (GstVideoColorPrimaries primaries, gint height)
{
  switch (primaries) {
    case GST_VIDEO_COLOR_PRIMARIES_BT709:
      return GST_VIDEO_COLOR_MATRIX_BT709;
    case GST_VIDEO_COLOR_PRIMARIES_BT2020:
      return GST_VIDEO_COLOR_MATRIX_BT2020;
    case GST_VIDEO_COLOR_PRIMARIES_SMPTE170M:
    case GST_VIDEO_COLOR_PRIMARIES_BT470BG:
      return GST_VIDEO_COLOR_MATRIX_BT601;
    case GST_VIDEO_COLOR_PRIMARIES_SMPTE240M:
      return GST_VIDEO_COLOR_MATRIX_SMPTE240M;
    default:
      return height > 576 ? GST_VIDEO_COLOR_MATRIX_BT709 :
          GST_VIDEO_COLOR_MATRIX_BT601;
  }
}

/**
 * histo_luma_weights:
 * @height: of the frame in rows
 * @red: (out): Kr: luma is Kr R + (1 - Kr - Kb) G + Kb B
 * @blue: (out): Kb
 */
void
histo_luma_weights (const GstVideoColorimetry * colorimetry, gint height,
    gdouble * red, gdouble * blue)
{
  g_return_if_fail (colorimetry != NULL && red != NULL && blue != NULL);
  if (colorimetry->matrix != GST_VIDEO_COLOR_MATRIX_RGB
      && gst_video_color_matrix_get_Kr_Kb (colorimetry->matrix, red, blue))
    return;
  gst_video_color_matrix_get_Kr_Kb (matrix_of_primaries
      (colorimetry->primaries, height), red, blue);
}
