/* The formats of images: what they look like at their begin, how large the picture is that the header states, and where a file
 * says that it is whole.
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

/* A number in a file: of so many bytes, of which bits are taken. */
typedef struct
{
  guint at;
  gint size;                    /* negative: the first byte is the lowest one; 0: there is none */
  guint shift, bits;            /* bits 0: all */
  guint more;                   /* than the number says */
} ReportImageField;

typedef struct _ReportImageFormat ReportImageFormat;

struct _ReportImageFormat
{
  const gchar *name;
  const gchar *magic;           /* how a file begins, in which '?' is any byte */
  gsize n_magic;
  const gchar *codec;           /* libav's */
  const gchar *element, *caps;  /* GStreamer's decoder; NULL: none that is right, and tells what is wrong */
  gboolean is_still;            /* a file has one picture, which GStreamer does not play, or takes for something else */
  ReportImageField width, height;
  const gchar *before_size;     /* NULL: these are places in the file; else they begin behind this text, which is somewhere */
  gsize n_before_size;
  /* If there are no such places. Returns: FALSE: the file ends before, or it states no size */
  gboolean (*read_size) (const guint8 * bytes, gsize n, guint64 * width, guint64 * height);
  ReportImageField whole;       /* the size of the file */
  const gchar *end;             /* NULL: none that is known; else what must be near the end, or anywhere */
  gsize n_end, end_reach;       /* 0: anywhere */
};

const ReportImageFormat *report_image_format_find (const guint8 * head,
    gsize n);
gchar *report_image_format_check (const ReportImageFormat * format,
    const guint8 * bytes, gsize n, gint64 max_pixels, gboolean checks_end);
gsize report_image_format_reach (const ReportImageFormat * format,
    const guint8 * bytes, gsize n);
const gchar *report_image_format_transfer (const ReportImageFormat * format,
    const guint8 * bytes, gsize n);
guint8 *report_image_read (gint descriptor, gsize n, gint * error);
gchar *report_image_read_file (const gchar * path, guint8 ** bytes,
    gsize * n);
const ReportImageFormat *report_image_format_of_file (const gchar * path);
gchar *report_image_check_file (const gchar * path, gint64 max_pixels);

G_END_DECLS

#endif /* REPORT_IMAGE_FORMATS_H */
