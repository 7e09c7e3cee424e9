/* What a person acts on. notices/ makes the list from a summary; all writers show it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_NOTICE_H
#define REPORT_NOTICE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The kinds, in the order in which notices of one severity are listed. Names are added, never changed. */
#define REPORT_NOTICE_KINDS(KIND) \
  KIND (INCOMPLETE, "incomplete") \
  KIND (RULE, "rule") \
  KIND (FLASH, "flash") \
  KIND (CONTRADICTION, "contradiction") \
  KIND (BLACK, "black") \
  KIND (FREEZE, "freeze") \
  KIND (SHORT, "short") \
  KIND (SILENCE, "silence") \
  KIND (CHANNEL, "channel") \
  KIND (CLIPPING, "clipping") \
  KIND (LOUDNESS, "loudness") \
  KIND (TRUE_PEAK, "true-peak") \
  KIND (FIELD_ORDER, "field-order") \
  KIND (GAMUT, "gamut") \
  KIND (RANGE, "range") \
  KIND (HDR, "hdr") \
  KIND (CADENCE, "cadence") \
  KIND (REPEAT, "repeat") \
  KIND (TIME, "time") \
  KIND (CHANGE, "change") \
  KIND (PROGRAMME, "programme")

#define REPORT_NOTICE_FLAG(kind) (1u << (kind))

#define REPORT_NOTICE_KIND(kind, name) REPORT_NOTICE_##kind,
typedef enum
{
  REPORT_NOTICE_KINDS (REPORT_NOTICE_KIND)
  REPORT_N_NOTICE_KINDS
} ReportNoticeKind;
#undef REPORT_NOTICE_KIND

extern const gchar *const report_notice_kind_names[REPORT_N_NOTICE_KINDS];

/* The worst one first. */
typedef enum
{
  REPORT_SEVERITY_FAIL,
  REPORT_SEVERITY_WARN,
  REPORT_SEVERITY_NOTE,
  REPORT_N_SEVERITIES
} ReportSeverity;

extern const gchar *const report_severity_names[REPORT_N_SEVERITIES];

/* When something is, of a notice or of another list. */
typedef struct
{
  guint64 start, end;           /* ns from the start of the stream; GST_CLOCK_TIME_NONE: unknown */
  gboolean is_moment;           /* it has no end */
  gchar *input;                 /* of merged summaries: the name of the input; NULL: the only one */
  gchar *what;                  /* what is there then: "L and R"; NULL: it is clear */
  const gchar *word;            /* what is behind the time for people; NULL: nothing */
} ReportNoticeSpan;

/* So many spans of a notice are listed. */
#define REPORT_MOST_NOTICE_SPANS 100

typedef struct
{
  ReportNoticeKind kind;
  ReportSeverity severity;
  gchar *text;                  /* a sentence without its full stop; names may have any characters if the summary was read */
  gchar *brief;                 /* the same in a few words, for the verdict line, which adds when it is; NULL: the text */
  const gchar *hint;            /* the text without the name of the stream, if figures show it, and no other part of the report
                                 * has it; else NULL */
  gboolean is_of_policy;        /* a rule of a policy does not hold */
  GPtrArray *spans;             /* (element-type ReportNoticeSpan): the first of them */
  gdouble value, limit;         /* the worst value, and what it was compared with; NaN: there is none */
  const gchar *unit;            /* of both, as in the table of measures; of a policy; NULL: there is none */
  guint64 value_time;           /* as start */
  gint stream;                  /* index of the stream; -1: the input */
  gchar *programme;             /* the tracks that the stream joins; NULL: it is one track, or no sound */
  gchar *region;                /* NULL: the whole picture, or no picture */
  guint32 zones;                /* flags; 0: it is not of zones */
} ReportNotice;

GPtrArray *report_notices_new (void);
ReportNotice *report_notices_add (GPtrArray * notices, ReportNoticeKind kind,
    ReportSeverity severity, gint stream, gchar * text);
gboolean report_notice_is_incomplete (const ReportNotice * notice);
GPtrArray *report_notice_spans_new (void);
ReportNoticeSpan *report_notice_spans_add (GPtrArray * spans,
    const gchar * input, guint64 start, guint64 end);
gchar *report_notice_span_describe (const ReportNoticeSpan * span);
gchar *report_notice_spans_join (const gchar * lead, const GPtrArray * spans,
    guint64 n_more);

G_END_DECLS

#endif /* REPORT_NOTICE_H */
