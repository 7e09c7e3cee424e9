/* What the page shows of one region of a stream of video, or of one stream of audio.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_HTML_VIEW_H
#define REPORT_HTML_VIEW_H

#include "base/json-text.h"

#include "writers/html-columns.h"
#include "writers/writer.h"

G_BEGIN_DECLS

typedef struct
{
  guint stream, region;
  gboolean is_audio;
  gchar *name;                  /* of the region; NULL: the whole picture */
  guint n_channels;             /* audio: channels that have series of their own; 0: too many */
  guint n_pairs;                /* audio: pairs that have one */
  ReportColumns *columns;
  ReportHeat *heat;             /* of luma; NULL: there are no histograms */
  gsize most_text;              /* bytes of the histograms as text */
  gchar *luma;                  /* the component that the luma's charts show */
  HistoGroup luma_group;
  gdouble range_min, range_max; /* of its histogram */
  gdouble saturation_range;     /* greatest saturation of the first result that has one; 0: none yet */
  guint64 *counts;              /* a histogram of luma; n_counts of them */
  guint n_counts;
  guint64 begin;                /* of the latest result in µs */
} ReportView;

const HistoComponentResult *report_view_find_luma (const HistoResult * result,
    guint region);
ReportView *report_view_new (const ReportStream * stream,
    const HistoResult * result, guint region, guint n_views);
void report_view_free (ReportView * view);
void report_view_add (ReportView * view, const ReportStream * stream,
    const HistoResult * result, const HistoTimes * times);
gchar *report_view_finish (ReportView * view, ReportJson * json,
    gchar ** heat);

G_END_DECLS

#endif /* REPORT_HTML_VIEW_H */
