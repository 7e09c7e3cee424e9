/* Which tracks of a file are heard together: broadcast files hold each channel as a track of its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_PROGRAMMES_H
#define REPORT_PROGRAMMES_H

#include "facts/statements.h"

G_BEGIN_DECLS

/* Who joins the tracks of a programme. */
#define REPORT_BY_OPTION "option"
/* REPORT_BY_CONTAINER and REPORT_BY_GUESS of facts/facts.h are the others. */
extern const gchar *const report_programme_sources[3];

typedef struct
{
  gchar *name;                  /* the numbers of the tracks: "1+2" */
  const gchar *source;          /* one of the above */
  guint n_tracks;
  guint *numbers;               /* of the tracks, in the order of the channels */
  const ReportSaidStream **tracks;
  guint64 channel_mask;         /* of the channels; 0: unknown, or one channel */
  ReportSaidStream said;        /* what the file says of all tracks together */
} ReportProgramme;

gboolean report_programmes_check (const gchar * wanted, GError ** error);
GPtrArray *report_programmes_find (const ReportStatements * statements,
    const gchar * wanted, GError ** error);
guint report_programmes_number (const ReportStatements * statements,
    const ReportSaidStream * track);
const ReportProgramme *report_programmes_of (const GPtrArray * programmes,
    const ReportSaidStream * track);

G_END_DECLS

#endif /* REPORT_PROGRAMMES_H */
