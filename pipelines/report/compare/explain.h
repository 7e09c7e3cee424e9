/* Finds a change that explains how the frames of one film differ from those of the other one.
 *
 * A change fits a pair of frames if it makes the difference vanish, or most of it. It is only claimed if it fits most pairs that
 * differ. Few pairs are looked at for any change; of all others some rows are tried with the change that fits best so far.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_EXPLAIN_H
#define REPORT_EXPLAIN_H

#include "compare/picture.h"

G_BEGIN_DECLS

/* What may have happened: CHANGE (IDENTIFIER, word in JSON, words for people). Of two that explain alike, the first one is
 * claimed. docs/report.md lists them. */
#define REPORT_CHANGES(CHANGE) \
  CHANGE (MIRRORED, "mirrored", "the picture is mirrored") \
  CHANGE (FLIPPED, "flipped", "the picture is flipped upside down") \
  CHANGE (ROTATED_180, "rotated-180", "the picture is rotated by 180 degrees") \
  CHANGE (ROTATED_90, "rotated-90", "the picture is rotated by 90 degrees clockwise") \
  CHANGE (ROTATED_270, "rotated-270", "the picture is rotated by 90 degrees counterclockwise") \
  CHANGE (SWAPPED_ROWS, "swapped-fields", "the fields are swapped") \
  CHANGE (FIELD_BEFORE, "field-of-frame-before", "one field comes from the frame before") \
  CHANGE (FIELD_AFTER, "field-of-frame-after", "one field comes from the frame after") \
  CHANGE (SWAPPED_COMPONENTS, "swapped-components", "two components are swapped") \
  CHANGE (SHIFTED, "shifted", "the picture is shifted") \
  CHANGE (OFFSET, "offset", "the code values have an offset") \
  CHANGE (RANGE, "range", "the range is another one") \
  CHANGE (MATRIX, "matrix", "the matrix is another one") \
  CHANGE (GAIN, "gain", "the code values have a gain") \
  CHANGE (BLURRED, "blurred", "the picture is blurred") \
  CHANGE (SHARPENED, "sharpened", "the picture is sharpened")

typedef enum
{
#define IDENTIFIER(identifier, ...) REPORT_CHANGE_##identifier,
  REPORT_CHANGES (IDENTIFIER)
#undef IDENTIFIER
  REPORT_N_CHANGES
} ReportChange;

/* A change explains a frame if its PSNR is so much with it, in dB, or so much more than without it. */
#define REPORT_EXPLAIN_PSNR 40
#define REPORT_EXPLAIN_GAIN 10

extern const gchar *const report_change_names[REPORT_N_CHANGES];

typedef struct
{
  ReportChange change;
  gchar *text;                  /* for people, with its numbers */
  gint dx, dy;                  /* of SHIFTED: pixels to the right, and down */
  gboolean is_to_limited;       /* of RANGE: A has full range */
  gdouble before, after;        /* PSNR in dB of the frames that were looked at and are no misfits, together */
  guint n_frames;               /* these */
  guint64 n_tried, n_fit;       /* pairs with which it was tried, and those of them that are no misfits: of most of them some rows */
  guint id;                     /* of the change, among those that were tried */
  gboolean is_luma;             /* of the first component alone: luma, gray or R */
} ReportExplanation;

/* A change with a pair: what is left of the difference in the rows that were looked at. */
typedef struct
{
  guint id;                     /* of the change */
  gboolean is_look;             /* the pair was looked at for any change */
  gfloat error, error_before;   /* mean squared errors with it and without it, as shares of the square of the greatest sample */
  gfloat peak;                  /* the greatest mean difference of luma in a cell of signatures, in code values of 8 bits */
} ReportTrial;

/* The trials of a pair: a part of those of the explainer. */
typedef struct
{
  guint first, n;
} ReportExplained;

typedef struct _ReportExplainer ReportExplainer;

ReportExplainer *report_explainer_new (void);
ReportExplained report_explainer_add (ReportExplainer * explainer, const HistoComparedPicture * a,
    const HistoComparedPicture * b, const HistoComparedPicture * before, const HistoComparedPicture * after);
ReportExplained report_explainer_check (ReportExplainer * explainer, const HistoComparedPicture * a,
    const HistoComparedPicture * b, const HistoComparedPicture * before, const HistoComparedPicture * after);
gboolean report_explainer_claim (const ReportExplainer * explainer, guint64 n_excluded, ReportExplanation * explanation);
const ReportTrial *report_explainer_find (const ReportExplainer * explainer, const ReportExplained * explained, guint id);
void report_explanation_count (ReportExplanation * explanation, const GArray * trials);
gdouble report_explain_psnr (gdouble error);
gdouble report_explainer_mean_difference (const ReportExplainer * explainer);
void report_explanation_clear (ReportExplanation * explanation);
void report_explainer_free (ReportExplainer * explainer);

G_END_DECLS

#endif /* REPORT_EXPLAIN_H */
