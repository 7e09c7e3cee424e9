/* The depth of a format; see depth.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudahisto/depth.h"

#include <gst/video/video.h>
#include <string.h>

/* The colours of a palette have so many bits. */
#define PALETTE_DEPTH 8

/* The name of a Bayer format has the depth: "rggb", "rggb12le". Returns: 0: it is none */
static guint
find_bayer_depth (const gchar * format)
{
  static const gchar *const orders[] = { HISTO_BAYER_ORDERS };
  guint64 bits;

  for (guint i = 0; i < G_N_ELEMENTS (orders); i++) {
    if (!g_str_has_prefix (format, orders[i]))
      continue;
    if (format[4] == '\0')
      return 8;
    bits = g_ascii_strtoull (format + 4, NULL, 10);
    return bits <= 16 ? (guint) bits : 0;
  }
  return 0;
}

/**
 * histo_format_depth:
 * @format: (nullable): as in caps
 * @component: as GStreamer numbers it; -1: the deepest one, without alpha
 *
 * Returns: the bits of a sample; 0: unknown
 */
guint
histo_format_depth (const gchar * format, gint component)
{
  const GstVideoFormatInfo *info;
  GstVideoFormat number;
  guint depth = 0;

  if (format == NULL)
    return 0;
  number = gst_video_format_from_string (format);
  if (number == GST_VIDEO_FORMAT_UNKNOWN)
    return find_bayer_depth (format);
  info = gst_video_format_get_info (number);
  if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info))
    return PALETTE_DEPTH;
  if (component >= 0 && component < (gint) info->n_components)
    return info->depth[component];
  for (guint c = 0; c < MIN (info->n_components, 3); c++)
    depth = MAX (depth, info->depth[c]);
  return depth;
}
