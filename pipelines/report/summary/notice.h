/* What a person acts on. notices/ makes the list from a summary; all writers show it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_NOTICE_H
#define REPORT_NOTICE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The kinds, in the order in which notices of one severity are listed, with what a person mostly does then. Names are added,
 * never changed. */
#define REPORT_NOTICE_KINDS(KIND) \
  KIND (INCOMPLETE, "incomplete", \
      "The text says why. If the file is damaged, copy or export it again.") \
  KIND (RULE, "rule", \
      "Change what the rule limits: the text names the rule and the value.") \
  KIND (FLASH, "flash", \
      "Soften or slow down the flashes, and have the film tested with a certified tool.") \
  KIND (CONTRADICTION, "contradiction", \
      "Write the file again so that both say the same: players differ in which one they believe.") \
  KIND (BLACK, "black", \
      "See whether the black part is meant; else cut it out, or export it again.") \
  KIND (FREEZE, "freeze", \
      "See whether the picture is meant to stand still; else export this part again.") \
  KIND (SHORT, "short", \
      "Look at these frames one by one: single frames that differ are mostly faults of editing or of tape.") \
  KIND (SILENCE, "silence", \
      "Listen whether the silence is meant; else mix or export this part again.") \
  KIND (CHANNEL, "channel", \
      "Listen to each channel alone; exchange, invert or fill what is wrong, and export again.") \
  KIND (CLIPPING, "clipping", \
      "Lower the level before the stage that clips; what is clipped cannot be restored.") \
  KIND (LOUDNESS, "loudness", \
      "Say which channel is which, or set the gain, and measure again.") \
  KIND (TRUE_PEAK, "true-peak", \
      "Lower the gain, or limit true peaks, before encoding.") \
  KIND (FIELD_ORDER, "field-order", \
      "Correct the flag of the field order, or exchange the fields; then look at moving edges.") \
  KIND (GAMUT, "gamut", \
      "Lower saturation or level where it is worst, or put a legalizer before the export.") \
  KIND (RANGE, "range", \
      "See whether the file is full range but says limited; else put the levels into the range.") \
  KIND (HDR, "hdr", \
      "Write the metadata anew from the measured light (--hdr10plus, --dovi-l1).") \
  KIND (CADENCE, "cadence", \
      "See whether the film was converted from another rate; undo the pulldown if it was.") \
  KIND (REPEAT, "repeat", \
      "See whether frames were dropped and repeated on the way; capture or convert again.") \
  KIND (TIME, "time", \
      "Align the streams, or fill what is missing, and write the file again.") \
  KIND (CHANGE, "change", \
      "Convert the parts to one format before they are joined: not every player follows the change.") \
  KIND (PROGRAMME, "programme", \
      "Say with --programme which tracks are heard together.")

#define REPORT_NOTICE_FLAG(kind) (1u << (kind))

#define REPORT_NOTICE_KIND(kind, name, hint) REPORT_NOTICE_##kind,
typedef enum
{
  REPORT_NOTICE_KINDS (REPORT_NOTICE_KIND)
  REPORT_N_NOTICE_KINDS
} ReportNoticeKind;
#undef REPORT_NOTICE_KIND

extern const gchar *const report_notice_kind_names[REPORT_N_NOTICE_KINDS];
extern const gchar *const report_notice_kind_hints[REPORT_N_NOTICE_KINDS];

/* What is looked for: the kind of its notices, and how the verdict line lists it, in this order, where it was looked for in
 * vain. NULL: it is told only if there is one. */
#define REPORT_CHECKS(CHECK) \
  CHECK (FLASHES, FLASH, "flashes") \
  CHECK (BLACK, BLACK, "black") \
  CHECK (FREEZES, FREEZE, "freezes") \
  CHECK (SHORT_FAULTS, SHORT, "short faults") \
  CHECK (HOLES, SHORT, "holes") \
  CHECK (SILENCE, SILENCE, "silence") \
  CHECK (DEAD_CHANNELS, CHANNEL, "dead channels") \
  CHECK (INVERTED_CHANNELS, CHANNEL, "inverted channels") \
  CHECK (CLIPPING, CLIPPING, "clipping") \
  CHECK (LOUDNESS, LOUDNESS, "loudness") \
  CHECK (TRUE_PEAK, TRUE_PEAK, "true peak") \
  CHECK (FIELD_ORDER, FIELD_ORDER, "field order") \
  CHECK (GAMUT, GAMUT, "gamut") \
  CHECK (RANGE, RANGE, "range") \
  CHECK (LIGHT, HDR, "light levels") \
  CHECK (MISSING_TIME, TIME, "missing time") \
  CHECK (LATE_STARTS, TIME, "late starts") \
  CHECK (EARLY_ENDS, TIME, "early ends") \
  CHECK (COMPLETENESS, INCOMPLETE, NULL) \
  CHECK (RULES, RULE, NULL) \
  CHECK (CONTRADICTIONS, CONTRADICTION, NULL) \
  CHECK (NUMBERS, CHANNEL, NULL) \
  CHECK (OFFSETS, CHANNEL, NULL) \
  CHECK (POSITIONS, LOUDNESS, NULL) \
  CHECK (PADDING, TIME, NULL) \
  CHECK (CADENCES, CADENCE, NULL) \
  CHECK (REPEATS, REPEAT, NULL) \
  CHECK (CHANGES, CHANGE, NULL) \
  CHECK (PROGRAMMES, PROGRAMME, NULL)

#define REPORT_CHECK_FLAG(check) (1u << (check))

#define REPORT_CHECK(check, kind, word) REPORT_CHECK_##check,
typedef enum
{
  REPORT_CHECKS (REPORT_CHECK)
  REPORT_N_CHECKS
} ReportCheck;
#undef REPORT_CHECK

extern const struct _ReportCheckInfo
{
  ReportNoticeKind kind;
  const gchar *word;
} report_checks[REPORT_N_CHECKS];

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
  ReportCheck check;            /* that has found it */
  ReportSeverity severity;
  gchar *text;                  /* a sentence without its full stop; names may have any characters if the summary was read */
  gchar *brief;                 /* the same in a few words, for the verdict line, which adds when it is; NULL: the text */
  gchar *behind;                /* words behind the time in the verdict line: ", 50 frames"; NULL: none */
  gboolean tells_time;          /* the brief says the time of the only span in its own words */
  guint64 n_told;               /* how many things the brief says there are; 0: it does not say it */
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
  gchar *which;                 /* tells it from others of its check, stream and region, and stays while its numbers change; NULL:
                                 * there are no others */
  guint32 zones;                /* flags; 0: it is not of zones */
} ReportNotice;

GPtrArray *report_notices_new (void);
ReportNotice *report_notices_add (GPtrArray * notices, ReportCheck check,
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
