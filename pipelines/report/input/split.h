/* A decoder of video that is several decoders, each of which decodes other parts of the film; see split.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SPLIT_H
#define REPORT_SPLIT_H

#include "facts/statements.h"
#include "input/settings.h"

G_BEGIN_DECLS

#define REPORT_TYPE_SPLIT (report_split_get_type ())
G_DECLARE_FINAL_TYPE (ReportSplit, report_split, REPORT, SPLIT, GstBin)

typedef struct
{
  GstElementFactory *factory;   /* of the decoders; referenced */
  const ReportSettings *settings;       /* what is measured; how many decoders there are */
  const ReportStatements *statements;   /* (nullable): what the file says */
  gint *is_matroska;            /* atomic: segments are those of Matroska */
  /* Something is told of the film, in a thread of the pipeline: why it is not cut; or, if @is_wrong, why what has been measured
   * may differ from what one decoder gives, so that all of it must begin again with one. */
  void (*tell) (gpointer data, const gchar * text, gboolean is_wrong);
  gpointer data;
} ReportSplitOptions;

GstElementFactory *report_split_factory (void);
void report_split_set_up (ReportSplit * split,
    const ReportSplitOptions * options);

G_END_DECLS

#endif /* REPORT_SPLIT_H */
