/* What the figures of a stream say, in words: field order, gamut, flashes, repeated frames, sound, timestamps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_ANSWERS_H
#define REPORT_ANSWERS_H

#include "summary/summary.h"

G_BEGIN_DECLS

/* The states of flashes. */
#define REPORT_NOT_CERTIFIED "a screening aid, not certified"

typedef struct
{
  const gchar *label;           /* "flashes" */
  gchar *text;                  /* names may have any characters if the stream was read */
  GPtrArray *spans;             /* (element-type ReportNoticeSpan): the first of them; names may have any characters, too */
  guint64 n_more;               /* spans that are not in the list */
  gboolean is_quiet;            /* it says that nothing was found */
} ReportAnswer;

/* A line about a region of a stream of @summary. */
typedef struct
{
  const gchar *label;           /* "saturation" */
  gboolean needs_scale;         /* of a stream that changes, each part may have its own */
  gboolean is_detail;           /* what is wrong with it is a notice */
  /* Returns: (transfer full) (nullable): NULL: it was not measured, or there is nothing to report */
  gchar *(*answer) (const ReportSummary * summary, const ReportStream * stream,
      const ReportRegion * region);
} ReportRegionAnswer;

#define REPORT_N_REGION_ANSWERS 5

extern const ReportRegionAnswer report_region_answers[REPORT_N_REGION_ANSWERS];

const gchar *report_answers_field_order (const ReportStreamSummary * stream);
gboolean report_answers_flashes (const ReportStreamSummary * stream,
    guint * picture, guint * zones);
gchar *report_answer_facts (const ReportStreamSummary * stream);
gchar *report_answer_field_order (const ReportStreamSummary * stream);
gchar *report_answer_programme (const ReportStreamSummary * stream);
gchar *report_answer_padding (const ReportStreamSummary * stream);
gchar *report_answer_sound (const ReportStreamSummary * stream);
gchar *report_answer_pair (const ReportPair * pair);
gboolean report_sound_span_is (const ReportSoundSpan * span,
    ReportSoundState state, const gchar * first, const gchar * second);
gchar *report_name_channels (const ReportStream * stream,
    const gchar * first, const gchar * second);
gboolean report_field_orders_agree (const gchar * declared,
    const gchar * measured);
const gchar *report_flash_state_name (guint state);
gchar *report_answer_time_fault (const ReportStreamSummary * stream,
    ReportTimeFault fault);
gchar *report_answer_repeats (const ReportStreamSummary * stream);
gchar *report_answer_cadence (const ReportStreamSummary * stream);
gboolean report_answers_is_dead (const ReportStreamSummary * stream,
    guint channel);
gboolean report_answers_know_channels (const ReportStreamSummary * stream);
gboolean report_answers_know_rate (const ReportStreamSummary * stream);
GPtrArray *report_answers_list_sound (const ReportStreamSummary * stream,
    ReportSoundState state, gboolean has_whole);
gchar *report_answers_add_up_sound (const ReportStream * stream,
    const GPtrArray * spans);
gdouble report_answers_mean_rate (const ReportStreamSummary * stream);
GPtrArray *report_answers_list_flashes (const ReportStreamSummary * stream);
GPtrArray *report_answers_list_times (const ReportStreamSummary * stream,
    ReportTimeFault fault);
GPtrArray *report_answers_find (const ReportStreamSummary * stream);

G_END_DECLS

#endif /* REPORT_ANSWERS_H */
