/* Thumbnails: small pictures of frames that were measured, for people. No figure is made of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_THUMBNAIL_H
#define REPORT_THUMBNAIL_H

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Columns of a thumbnail; one that is higher than wide has so many rows. */
#define REPORT_THUMBNAIL_SIZE 160
/* Of a film there are so many in even steps, unless the user says another number. */
#define REPORT_THUMBNAILS_AUTO 200
#define REPORT_MOST_THUMBNAILS 1000

/* Why a frame was kept. */
typedef enum
{
  REPORT_KEPT_STEP,             /* one of those in even steps, from the first frame on */
  /* It has the greatest figure of the stream: */
  REPORT_KEPT_GAMUT,            /* pixels outside of EBU R 103, behind its filter */
  REPORT_KEPT_RANGE,            /* pixels out of the limited range */
  REPORT_KEPT_FLASH,            /* the area that flashes */
  REPORT_KEPT_COMB,             /* combed pixels */
  REPORT_KEPT_LIGHT,            /* the brightest pixel */
  REPORT_KEPT_CUT,              /* between two cuts that are near to each other: such as a single frame of another picture */
  REPORT_KEPT_ALERT,            /* an alert has begun */
  REPORT_N_KEPT
} ReportKept;

extern const gchar *const report_kept_names[REPORT_N_KEPT];

typedef struct
{
  ReportKept why;
  guint64 time;                 /* of the frame: ns from the start of the stream; GST_CLOCK_TIME_NONE: unknown */
  gdouble value;                /* the figure; NaN: it was not kept for one */
  guint width, height;          /* as a player shows it: with the shape of its pixels, and turned */
  GBytes *jpeg;
  GBytes *marked;               /* the same in grey, with what the figure counts in magenta; NULL: it counts no pixels */
} ReportThumbnail;

GPtrArray *report_thumbnails_new (void);
const ReportThumbnail *report_thumbnails_nearest (const GPtrArray * thumbnails, guint64 time);

/* ---- From frames ------------------------------------------------------------------------------ */

/* A frame with few pixels: R, G and B of 8 bits as a screen shows them, and marks. */
typedef struct
{
  guint width, height;
  guint8 *pixels;               /* rows of REPORT_REDUCED_BYTES for each pixel: R, G, B, and flags of marks */
} ReportReduced;

#define REPORT_REDUCED_BYTES 4
#define REPORT_MARK_GAMUT 1     /* a pixel in it is outside of EBU R 103 */
#define REPORT_MARK_RANGE 2     /* a sample in it is out of the limited range */

ReportReduced *report_reduced_new (GstBuffer * buffer, const GstCaps * caps, guint most, gboolean has_marks);
void report_reduced_free (ReportReduced * reduced);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReportReduced, report_reduced_free)
ReportReduced *report_reduced_turn (const ReportReduced * reduced, gint rotation);
GBytes *report_reduced_encode (const ReportReduced * reduced, guint8 marks);
gboolean report_thumbnails_are_built (void);

G_END_DECLS

#endif /* REPORT_THUMBNAIL_H */
