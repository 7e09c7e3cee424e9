/* Compares the pictures of two streams, while both are measured.
 *
 * The frames of both come in threads of their pipelines, and wait in two queues. A thread of its own aligns them by their
 * content (align.h), and gives pairs to the element cudahistocompare. A stream that is ahead waits for the other one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_PICTURES_H
#define REPORT_PICTURES_H

#include "compare/align.h"
#include "compare/explain.h"
#include "cudahisto/comparison.h"

G_BEGIN_DECLS

/* So many of the worst frames are kept as pictures. */
#define REPORT_PICTURES_WORST 3

/* Times are in ns from the start of the stream. */
typedef struct
{
  guint64 number;               /* of the frame, from 0 */
  guint64 time;                 /* GST_CLOCK_TIME_NONE: unknown */
} ReportPlace;

/* Frames of one film that have no counterpart in the other one. */
typedef struct
{
  guint side;                   /* that has them: 0: A, 1: B */
  ReportPlace first, last;
  guint64 n;
  guint64 end;                  /* of the last one */
  guint64 n_repeated;           /* that repeat the frame before or behind */
} ReportUnpaired;

/* From a frame on, those of B come so much later. */
typedef struct
{
  ReportPlace from;             /* in A */
  gint64 shift;                 /* ns */
} ReportTimeShift;

/* What a pair of frames that differs is: MOMENT (IDENTIFIER, word in JSON, words for people: of a film). A misfit differs far more
 * than others: after the explanation, if there is one. */
#define REPORT_MOMENTS(MOMENT) \
  MOMENT (BLACK, "black", "is black") \
  MOMENT (BLANK, "blank", "has one level of luma") \
  MOMENT (STILL, "still", "stands still") \
  MOMENT (MISFIT, "misfit", NULL)

typedef enum
{
#define IDENTIFIER(identifier, ...) REPORT_MOMENT_##identifier,
  REPORT_MOMENTS (IDENTIFIER)
#undef IDENTIFIER
  REPORT_N_MOMENTS              /* nothing of these */
} ReportMomentKind;

extern const gchar *const report_moment_names[REPORT_N_MOMENTS], *const report_moment_texts[REPORT_N_MOMENTS];

/* A pair of frames. */
typedef struct
{
  ReportPlace a, b;
  gfloat psnr, ssim;            /* of all components; psnr is infinite if they are equal; ssim is NaN if it is unknown */
  gfloat share;                 /* of the samples of a component that differ: the greatest one */
  guint x, y, width, height;    /* the rectangle of all differences, in pixels; width: 0: the frames are equal */
  ReportMomentKind moment;
  guint side;                   /* of which film it is: 0: A, 1: B */
  ReportExplained explained;
  gfloat after, peak;           /* PSNR, and the greatest difference of a cell of signatures: after the explanation, if there is one */
  gfloat moved[2];              /* the distance of the frame of each film from the one before */
} ReportFramePair;

/* Pairs that differ, follow each other, and are the same. */
typedef struct
{
  ReportMomentKind kind;
  guint side;
  ReportPlace first, last;      /* in A */
  guint64 n;
  gfloat least_psnr;            /* of misfits that after the explanation */
} ReportMoment;

/* A pair that differs. */
typedef struct
{
  ReportFramePair pair;
  guint x, y, width, height;    /* the rectangle of all differences, in pixels */
  GstBuffer *buffers[2];        /* NULL: not kept */
  GstCaps *caps[2];             /* of these */
} ReportFrameDifference;

/* Of a component, over all pairs. */
typedef struct
{
  gchar *name;
  guint64 count, different, sse;
  guint max_difference, depth;
  gdouble ssim, xpsnr;          /* sums over the pairs */
  gdouble least_psnr, least_ssim;
  guint64 n_xpsnr;
} ReportPicturesComponent;

typedef struct
{
  gchar *refusal;               /* why the pictures are not compared; NULL: they are */
  gchar *cut;                   /* why they are not from a time on; NULL: they are to the end */
  gchar *format;                /* of A */
  guint width, height;
  guint64 n_frames[2];
  GArray *pairs;                /* (element-type ReportFramePair): all */
  GArray *unpaired;             /* (element-type ReportUnpaired), in order */
  GArray *shifts;               /* (element-type ReportTimeShift): where the distance in time changes */
  guint64 n_equal;              /* of the pairs */
  guint64 n_kept;               /* of these that are not blank: of their pictures nothing is lost */
  guint64 n_held[2];            /* frames of each film that equal the one before */
  guint n_components;
  ReportPicturesComponent components[HISTO_MAX_COMPONENTS];
  ReportFrameDifference first;   /* if not all are equal */
  GArray *worst;                /* (element-type ReportFrameDifference): the worst first */
  guint x, y, width_all, height_all;    /* the rectangle of the differences of all pairs */
  GArray *moments;              /* (element-type ReportMoment), in order */
  guint64 n_rest;               /* pairs that differ and have no moment */
  gdouble usual_psnr;           /* the median of these and of misfits, after the explanation */
  guint rest_x, rest_y, rest_width, rest_height;        /* the rectangle of the differences of these */
  gboolean is_explained;
  ReportExplanation explanation;        /* of the pairs that differ */
  gdouble mean_difference;      /* of the frames that were looked at the median, of the worst component, in code values of 8 bits */
  gboolean is_limited;          /* frames did not fit, and no counterpart was found within the limits */
} ReportPicturesResult;

typedef struct _ReportPictures ReportPictures;

ReportPictures *report_pictures_new (const gchar * measures, gint64 begin, gboolean is_lead);
void report_pictures_free (ReportPictures * pictures);
void report_pictures_take (ReportPictures * pictures, guint side, GstBuffer * buffer, GstCaps * caps, guint64 time);
void report_pictures_open (ReportPictures * pictures, guint side);
void report_pictures_end (ReportPictures * pictures, guint side);
const ReportPicturesResult *report_pictures_finish (ReportPictures * pictures);
gdouble report_pictures_total_psnr (const ReportPicturesResult * result);
gdouble report_pictures_total_ssim (const ReportPicturesResult * result);
gdouble report_pictures_psnr (const ReportPicturesComponent * component);

G_END_DECLS

#endif /* REPORT_PICTURES_H */
