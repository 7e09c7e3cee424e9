/* The formats of images: what they look like at their begin, how large the picture is that the header states, and whether
 * the file is whole.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_IMAGE_FORMATS_H
#define REPORT_IMAGE_FORMATS_H

#include <glib.h>

G_BEGIN_DECLS

/* So many bytes tell the format. */
#define REPORT_IMAGE_HEAD 64

/* A picture may have so many pixels, unless --max-pixels says otherwise: 2^28. The text of the option has the number. */
#define REPORT_MAX_PIXELS 268435456

typedef enum
{
  REPORT_IMAGE_PNG,
  REPORT_IMAGE_JPEG,
  REPORT_IMAGE_WEBP,
  REPORT_IMAGE_TIFF,
  REPORT_IMAGE_BMP,
  REPORT_IMAGE_PNM,
  REPORT_IMAGE_GIF,
  REPORT_IMAGE_DPX,
  REPORT_N_IMAGE_FORMATS
} ReportImageFormatNumber;

typedef struct
{
  guint64 width, height;
} ReportImageSize;

typedef struct
{
  ReportImageFormatNumber number;
  const gchar *name;
  gboolean (*is_it) (const guint8 * head);      /* of REPORT_IMAGE_HEAD bytes, 0 behind the end of a short file */
  const gchar *decoder, *caps;
  /* Finds the size that the header states. Returns: FALSE: the file ends before, or it states none */
  gboolean (*read_size) (const guint8 * bytes, gsize n, ReportImageSize * size);
  /* Returns: what is wrong with a file, which the decoder does not tell; NULL: nothing */
  const gchar *(*check) (const guint8 * bytes, gsize n);
} ReportImageFormat;

const ReportImageFormat *report_image_format_find (const guint8 * head,
    gsize n);
gchar *report_image_format_check_size (const ReportImageFormat * format,
    const guint8 * bytes, gsize n, gint64 max_pixels);
gchar *report_image_check_file (const gchar * path, gint64 max_pixels);

G_END_DECLS

#endif /* REPORT_IMAGE_FORMATS_H */
