/* Short faults. Of pictures, faults of single frames: a few black or white frames, a frame that is repeated once, and one that
 * has nothing to do with its neighbours. Of sound, holes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SHORT_FAULTS_H
#define REPORT_SHORT_FAULTS_H

#include "base/objects.h"
#include "cudahisto/cudahisto.h"

G_BEGIN_DECLS

typedef enum
{
  REPORT_BLACK_FRAMES,
  REPORT_WHITE_FRAMES,
  REPORT_ODD_FRAME,             /* it is unlike both neighbours, which are alike */
  REPORT_LONE_REPEAT,           /* it equals the frame before, and no other one near it does */
  REPORT_HOLE,                  /* samples of a channel are exactly 0, and the sound around them is loud */
  REPORT_N_SHORT_FAULTS
} ReportShortFaultKind;

typedef struct
{
  ReportShortFaultKind kind;
  guint64 count;                /* of frames; 0: it is a hole */
  guint64 start, end;           /* ns from the start of the stream: of the first frame or sample, and of the one behind the last */
  gchar *channel;               /* of a hole: "ch0"; NULL: it is of pictures */
  gchar *input;                 /* of merged summaries: the name of the input; NULL: the only one */
} ReportShortFault;

/* So many are listed. */
#define REPORT_MOST_SHORT_FAULTS 1000

extern const ReportShape report_short_fault_shape;

typedef struct
{
  GPtrArray *faults;            /* (element-type ReportShortFault), in the order in which they were found */
  gpointer state;               /* private */
} ReportShortFaults;

void report_short_faults_init (ReportShortFaults * faults);
void report_short_faults_clear (ReportShortFaults * faults);
void report_short_faults_add_result (ReportShortFaults * faults,
    const HistoResult * result, const HistoTimes * times, gboolean is_limited,
    guint64 least_black);
void report_short_faults_finish (ReportShortFaults * faults);

G_END_DECLS

#endif /* REPORT_SHORT_FAULTS_H */
