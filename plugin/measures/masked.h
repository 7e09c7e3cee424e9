/* Counting under a mask.
 *
 * An engine counts a sample that takes no part as 0, and does not look at it any further. So each row of a component has
 * as many numbers as without a mask, and the loops that count need no cases. histo_masked_finish() takes these zeros away
 * again. Tallies, and counters that are no component's, are those of the pixels that take part. Or an engine counts the samples
 * alone that take part, and uses histo_masked_count_pixels().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_MASKED_H
#define HISTO_MASKED_H

#include "measures/plan.h"

G_BEGIN_DECLS

/* What follows from a mask file and the way in which the rows of a frame belong together. Constant once made. */
typedef struct
{
  HistoMaskView view;
  guint number;                 /* of the plan's: below HISTO_MOST_MASK_FRAMES */
  guint8 *bits;                 /* a packed frame (media/pack.h): see histo_mask_make_planes() */
  HistoPlane planes[HISTO_MAX_PLANES];  /* of the bits */
  /* Of the picture and the fixed regions, and of their components: */
  guint64 *n_pixels;            /* that take part */
  guint64 *n_out;               /* samples that take no part */
} HistoMaskFrame;

/* Rows of chroma of a picture that is interlaced belong together in as many ways as it can begin in the frame. */
#define HISTO_MOST_MASK_FRAMES 9

/* The frames of one plan, made when they are needed. */
struct _HistoMaskFrames
{
  GMutex lock;
  HistoMaskFrame *frames[HISTO_MOST_MASK_FRAMES];
};

HistoMaskFrames *histo_mask_frames_new (void);
void histo_mask_frames_free (HistoMaskFrames * frames);

const HistoMaskFrame *histo_masked_find_frame (const HistoPlan * plan,
    const HistoFrameInfo * info);
void histo_masked_finish (const HistoPlan * plan, const HistoFrameInfo * info,
    const HistoMaskView * view, const HistoMaskFrame * frame,
    guint64 * n_pixels, HistoCounts * counts);
void histo_masked_count_pixels (const HistoPlan * plan,
    const HistoFrameInfo * info, guint64 * n_pixels, HistoCounts * counts);

G_END_DECLS

#endif /* HISTO_MASKED_H */
