/* What an HDR stream says of its light, beside what was measured.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_HDR_H
#define REPORT_HDR_H

#include "summary/summary.h"

G_BEGIN_DECLS

/* In cd/m². Of HLG it is the light of a display of HISTO_HLG_WHITE, and nothing is compared. */
typedef struct
{
  gboolean is_pq;               /* FALSE: HLG */
  const ReportCarried *carried;
  gdouble max_cll, max_fall, p9999;     /* measured */
  /* What is carried is too low. Nothing is compared if it changes. */
  gboolean is_cll_low, is_fall_low;
  gboolean is_above_mastering;  /* the brightest pixel is, that of the mastering display */
} ReportHdr;

gboolean report_hdr_find (const ReportStreamSummary * summary, ReportHdr * hdr);
guint64 report_hdr_round_up (gdouble light);
gchar *report_hdr_answer (const ReportStreamSummary * summary);

G_END_DECLS

#endif /* REPORT_HDR_H */
