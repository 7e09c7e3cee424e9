/* The weights of red and blue in luma. cudahisto measures with them, and cudahistooverlay places the boxes
 * of the vectors with them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/luma-weights.h"

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
  if (colorimetry->matrix != GST_VIDEO_COLOR_MATRIX_RGB
      && gst_video_color_matrix_get_Kr_Kb (colorimetry->matrix, red, blue))
    return;
  gst_video_color_matrix_get_Kr_Kb (matrix_of_primaries
      (colorimetry->primaries, height), red, blue);
}
