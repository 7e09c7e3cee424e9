/* Bayer video: each pixel has one sample. Which component that is follows from the pixel's place.
 *
 * The rows of a buffer are two planes: plane 0 has rows 0, 2, 4, …, plane 1 has rows 1, 3, 5, …. A period of a plane is
 * two samples, as that of U and V in NV12.
 *
 *   rggb:   R  Gr R  Gr …   row 0   plane 0
 *           Gb B  Gb B  …   row 1   plane 1
 *           R  Gr R  Gr …   row 2   plane 0
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_BAYER_H
#define HISTO_BAYER_H

#include <gst/video/video.h>

#include "cudahisto/result.h"
#include "media/patterns.h"

G_BEGIN_DECLS

#define HISTO_BAYER_MEDIA_TYPE "video/x-bayer"

/* Formats of more than 8 bits: X (after the name of the order, bits, big endian). A sample is the low bits of a
 * 16-bit word. */
#define HISTO_BAYER_WORDS(X) \
  X ("10le", 10, FALSE) X ("10be", 10, TRUE) X ("12le", 12, FALSE) X ("12be", 12, TRUE) \
  X ("14le", 14, FALSE) X ("14be", 14, TRUE) X ("16le", 16, FALSE) X ("16be", 16, TRUE)

#define HISTO_BAYER_NAME(suffix, depth, big_endian) ", bggr" suffix ", gbrg" suffix ", grbg" suffix ", rggb" suffix

#define HISTO_BAYER_CAPS \
    HISTO_BAYER_MEDIA_TYPE ", format = (string) { bggr, gbrg, grbg, rggb" \
    HISTO_BAYER_WORDS (HISTO_BAYER_NAME) " }, " \
    "width = " GST_VIDEO_SIZE_RANGE ", height = " GST_VIDEO_SIZE_RANGE ", framerate = " GST_VIDEO_FPS_RANGE

enum
{
  HISTO_BAYER_R,
  HISTO_BAYER_GR,               /* green in rows with R */
  HISTO_BAYER_GB,               /* green in rows with B */
  HISTO_BAYER_B,
  HISTO_N_BAYER
};

#define HISTO_N_BAYER_PLANES 2

typedef struct
{
  const gchar *name;            /* interned: "rggb12le" */
  guint depth;
  gboolean big_endian;          /* of words */
  guint8 components[HISTO_N_BAYER_PLANES][2];   /* of pixels: [y & 1][x & 1] */
} HistoBayer;

extern const gchar *const histo_bayer_components[HISTO_N_BAYER];

gboolean histo_bayer_find (const gchar * name, HistoBayer * bayer);
gboolean histo_bayer_fill_info (const HistoBayer * bayer,
    const GstStructure * structure, GstVideoInfo * info);
void histo_bayer_pattern (const HistoBayer * bayer, guint plane,
    HistoPattern * pattern);
void histo_bayer_component_size (const HistoBayer * bayer, guint component,
    guint width, guint height, guint * n_columns, guint * n_rows);
void histo_bayer_select_region (const HistoPlane * planes,
    const HistoRegion * region, HistoPlane * selected);

/* Bytes of a sample. */
static inline guint
histo_bayer_bytes (const HistoBayer * bayer)
{
  return bayer->depth > 8 ? 2 : 1;
}

G_END_DECLS

#endif /* HISTO_BAYER_H */
