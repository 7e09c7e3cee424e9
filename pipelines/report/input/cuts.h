/* Where the pictures of a film can be cut, so that a decoder that begins there gives what one does that has decoded all
 * before.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_CUTS_H
#define REPORT_CUTS_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _ReportCuts ReportCuts;

/* What a packet is to a decoder that begins at an earlier or a later one. */
typedef enum
{
  REPORT_UNIT_OTHER,
  REPORT_UNIT_KEY,              /* it may begin here, if all packets behind are shown later */
  REPORT_UNIT_OPEN_KEY,         /* and if those that are shown earlier are REPORT_UNIT_LEADING */
  REPORT_UNIT_LEADING           /* nothing that is shown later needs it */
} ReportUnit;

ReportCuts *report_cuts_new (void);
void report_cuts_free (ReportCuts * cuts);
void report_cuts_set_caps (ReportCuts * cuts, const GstCaps * caps);
ReportUnit report_cuts_look (ReportCuts * cuts, GstBuffer * packet);
gboolean report_cuts_are_in_order (const ReportCuts * cuts);
gboolean report_cuts_know (const GstCaps * caps);

G_END_DECLS

#endif /* REPORT_CUTS_H */
