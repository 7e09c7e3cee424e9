/* Which frames of two films belong together, by their content.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_ALIGN_H
#define REPORT_ALIGN_H

#include "compare/signature.h"

G_BEGIN_DECLS

/* A counterpart is looked for among so many frames. */
#define REPORT_ALIGN_MOST 64

/* The next frames of one film. */
typedef struct
{
  const ReportSignature *frames[REPORT_ALIGN_MOST];
  guint64 times[REPORT_ALIGN_MOST];     /* ns; GST_CLOCK_TIME_NONE: unknown */
  guint n;
  gboolean is_all;              /* no others will come, or none has room */
  const ReportSignature *before;        /* of the frame before the first one; NULL: there is none */
} ReportAlignSide;

typedef struct
{
  enum
  {
    REPORT_ALIGN_WAIT,          /* for @n frames of each film, or for its end */
    REPORT_ALIGN_PAIR,          /* the first frames belong together */
    REPORT_ALIGN_SKIP_A,        /* the first @n frames of A have no counterpart in B */
    REPORT_ALIGN_SKIP_B
  } what;
  guint n;
  guint n_other;                /* so many of the other film have none, either */
  gboolean is_hold;             /* the @n frames repeat the frame before, or nearly so */
} ReportAlignment;

/* How much later frames of B come. */
typedef struct
{
  gint64 latest;                /* ns: those of the latest pair */
  gint64 margin;                /* ns: less is no change; 0: unknown */
} ReportAlignTimes;

gdouble report_align_limit (gdouble usual);
ReportAlignment report_align (const ReportAlignSide * a, const ReportAlignSide * b, gdouble usual,
    const ReportAlignTimes * times);

G_END_DECLS

#endif /* REPORT_ALIGN_H */
