/* The library of the GStreamer elements cudahisto: reads their results and alerts, and checks them by rules.
 *
 *   CudahistoResult *result = cudahisto_result_new_from_buffer (buffer, &error);
 *   gdouble mean;
 *
 *   if (cudahisto_result_get_figure (result, "Y.mean", &mean))
 *     g_print ("%f\n", mean);
 *   cudahisto_result_unref (result);
 *
 * A figure has the path that rules have: "Y.mean", "regions.logo.Y.mean", "pairs.ch0+ch1.correlation",
 * "loudness.true-peak.ch0", "flash.zones.7.transitions". docs/rules.md lists them, docs/result.md defines them, and
 * docs/library.md describes this library.
 *
 * All types are opaque and have a reference count, which any thread may change.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CUDAHISTO_H
#define CUDAHISTO_H

#include <gst/gst.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* ---- Errors ------------------------------------------------------------------------------- */

/**
 * CUDAHISTO_ERROR:
 *
 * The domain of the errors of #CudahistoError.
 */
#define CUDAHISTO_ERROR (cudahisto_error_quark ())

/**
 * CudahistoError:
 * @CUDAHISTO_ERROR_NO_RESULT: the buffer was not measured, or the message is about something else
 * @CUDAHISTO_ERROR_FORMAT: the structure is no result, or no alert, that this version can read
 * @CUDAHISTO_ERROR_RULES: the text of the rules is wrong
 * @CUDAHISTO_ERROR_MEASURE: the frame cannot be measured, or there is no such group of measures
 *
 * Errors of the library. Later versions add some.
 */
typedef enum
{
  CUDAHISTO_ERROR_NO_RESULT,
  CUDAHISTO_ERROR_FORMAT,
  CUDAHISTO_ERROR_RULES,
  CUDAHISTO_ERROR_MEASURE
} CudahistoError;

/**
 * cudahisto_error_quark:
 *
 * Any thread may call this.
 *
 * Returns: the domain of the library's errors
 */
GQuark cudahisto_error_quark (void);

/* ---- Results ------------------------------------------------------------------------------ */

#define CUDAHISTO_TYPE_RESULT (cudahisto_result_get_type ())

/**
 * CudahistoResult:
 *
 * What was measured of one buffer, or of a window of time. It does not change: threads may share it.
 *
 * Figures are read when they are asked for. So the result of a buffer keeps a reference to this buffer, which upstream may
 * wait for, and which elements downstream copy to change it. Unref the result before the buffer goes on, or keep a
 * cudahisto_result_copy().
 */
typedef struct _CudahistoResult CudahistoResult;

GType cudahisto_result_get_type (void);

/**
 * cudahisto_result_new_from_buffer:
 * @buffer: that has passed cudahisto
 * @error: (nullable):
 *
 * Of the times, the result has the timestamp and the duration: see cudahisto_result_new_from_sample(). Any thread may call
 * this.
 *
 * Returns: (transfer full): the result of the buffer; %NULL with %CUDAHISTO_ERROR_NO_RESULT if it was not measured, or
 *   %CUDAHISTO_ERROR_FORMAT
 */
CudahistoResult *cudahisto_result_new_from_buffer (GstBuffer * buffer, GError ** error);

/**
 * cudahisto_result_new_from_buffer_full:
 * @buffer: that has passed cudahisto
 * @segment: (nullable): of the pad at which the buffer is; %NULL: unknown
 * @name: (nullable): the property `result-name` of the element; %NULL: it is not set
 * @error: (nullable):
 *
 * As cudahisto_result_new_from_buffer(), but the result of the element with this name, and with the segment it has the stream
 * time and the running time, too. Any thread may call this.
 *
 * Returns: (transfer full): the result of the buffer; %NULL with an error
 */
CudahistoResult *cudahisto_result_new_from_buffer_full (GstBuffer * buffer, const GstSegment * segment, const gchar * name,
    GError ** error);

/**
 * cudahisto_result_new_from_sample:
 * @sample: with a buffer that has passed cudahisto, and its segment: of an appsink, or of gst_sample_new()
 * @error: (nullable):
 *
 * As cudahisto_result_new_from_buffer(), but the result has the stream time and the running time, too. Any thread may call
 * this.
 *
 * Returns: (transfer full): the result of the sample's buffer; %NULL with an error
 */
CudahistoResult *cudahisto_result_new_from_sample (GstSample * sample, GError ** error);

/**
 * cudahisto_result_new_from_message:
 * @message: from the bus
 * @error: (nullable):
 *
 * The result keeps a reference to the message. Any thread may call this.
 *
 * Returns: (transfer full): the result, of a buffer or of a window, that the message is about; %NULL with
 *   %CUDAHISTO_ERROR_NO_RESULT if it is about something else, or %CUDAHISTO_ERROR_FORMAT
 */
CudahistoResult *cudahisto_result_new_from_message (GstMessage * message, GError ** error);

/**
 * cudahisto_result_new_from_structure:
 * @structure: (nullable): of a meta or a message, or one that was stored
 * @error: (nullable):
 *
 * Copies the structure. Any thread may call this.
 *
 * Returns: (transfer full): the result; %NULL with %CUDAHISTO_ERROR_FORMAT
 */
CudahistoResult *cudahisto_result_new_from_structure (const GstStructure * structure, GError ** error);

/**
 * cudahisto_result_copy:
 * @result: a result
 *
 * For results that are kept. Any thread may call this.
 *
 * Returns: (transfer full): the same result without a reference to a buffer
 */
CudahistoResult *cudahisto_result_copy (const CudahistoResult * result);

/**
 * cudahisto_result_ref:
 * @result: a result
 *
 * Any thread may call this.
 *
 * Returns: (transfer full): @result
 */
CudahistoResult *cudahisto_result_ref (CudahistoResult * result);

/**
 * cudahisto_result_unref:
 * @result: (nullable) (transfer full): a result
 *
 * Any thread may call this.
 */
void cudahisto_result_unref (CudahistoResult * result);

/**
 * cudahisto_result_is_window:
 * @result: a result
 *
 * Any thread may call this.
 *
 * Returns: whether it is about a window of time
 */
gboolean cudahisto_result_is_window (const CudahistoResult * result);

/**
 * cudahisto_result_get_times:
 * @result: a result
 * @timestamp: (out) (optional): in ns, as all; %GST_CLOCK_TIME_NONE: unknown
 * @stream_time: (out) (optional): the position in the file
 * @running_time: (out) (optional): the time for clocks
 * @duration: (out) (optional): of the buffer or the window
 *
 * Any thread may call this.
 */
void cudahisto_result_get_times (const CudahistoResult * result, GstClockTime * timestamp, GstClockTime * stream_time,
    GstClockTime * running_time, GstClockTime * duration);

/**
 * cudahisto_result_get_figure:
 * @result: a result
 * @path: of a figure, as "Y.mean"; or of another number of the result: "width", "rate", "buffers"
 * @value: (out) (optional): whole numbers above 2^53 are rounded; NaN: the figure is absent
 *
 * Any thread may call this.
 *
 * Returns: %FALSE if the result has no such number
 */
gboolean cudahisto_result_get_figure (const CudahistoResult * result, const gchar * path, gdouble * value);

/**
 * cudahisto_result_get_word:
 * @result: a result
 * @path: of a figure that is a word, as "flash.state"; or of another text of the result: "media", "format", "backend"; of a
 *   message "result-name"
 *
 * Later versions of the element may have other words. Any thread may call this.
 *
 * Returns: (transfer none) (nullable): the word, valid as long as @result; %NULL if the result has no such word
 */
const gchar *cudahisto_result_get_word (const CudahistoResult * result, const gchar * path);

/**
 * cudahisto_result_list_components:
 * @result: a result
 *
 * Any thread may call this.
 *
 * Returns: (transfer full) (array zero-terminated=1): the names of the native components, or of the channels: "Y", "ch0"
 */
gchar **cudahisto_result_list_components (const CudahistoResult * result);

/**
 * cudahisto_result_list_paths:
 * @result: a result
 *
 * Any thread may call this.
 *
 * Returns: (transfer full) (array zero-terminated=1): the paths of all figures that the result has, in its order
 */
gchar **cudahisto_result_list_paths (const CudahistoResult * result);

/**
 * CudahistoVisitFunc:
 * @path: of the figure; valid during the call alone
 * @value: of the figure; NaN: it is a word
 * @word: (nullable): of the figure; %NULL: it is a number
 * @user_data: of cudahisto_result_visit()
 *
 * Returns: whether the visit goes on
 */
typedef gboolean (*CudahistoVisitFunc) (const gchar * path, gdouble value, const gchar * word, gpointer user_data);

/**
 * cudahisto_result_visit:
 * @result: a result
 * @func: (scope call): is called for each figure that the result has, in its order, in this thread
 * @user_data: for @func
 *
 * Any thread may call this.
 */
void cudahisto_result_visit (const CudahistoResult * result, CudahistoVisitFunc func, gpointer user_data);

/**
 * cudahisto_result_get_depth:
 * @result: a result
 * @component: a native component, or a channel: "Y", "ch0"
 *
 * Any thread may call this.
 *
 * Returns: the bits of a sample; 0: the samples are floats, or there is no such component
 */
guint cudahisto_result_get_depth (const CudahistoResult * result, const gchar * component);

/**
 * cudahisto_result_dup_histogram:
 * @result: a result
 * @component: the path of a component: "Y", "ch0", "signal.saturation", "regions.logo.Y", "scopes.waveform"
 * @n_bins: (out): their number; 0: there is no histogram
 *
 * cudahisto_result_dup_edges() has what the bins cover. Any thread may call this.
 *
 * Returns: (transfer full) (array length=n_bins) (nullable): the counts, to be freed with g_free(); %NULL: the component has
 *   no histogram, or there is no such component
 */
guint64 *cudahisto_result_dup_histogram (const CudahistoResult * result, const gchar * component, guint * n_bins);

/**
 * cudahisto_result_dup_edges:
 * @result: a result
 * @component: as of cudahisto_result_dup_histogram()
 * @n_edges: (out): their number, that of the bins and 1; 0: there are none
 *
 * Bin i begins at edge i and ends before edge i + 1. The bins have one width, unless the property `bin-edges` of the element
 * was set: then the component has no figures "range-min" and "range-max". Any thread may call this.
 *
 * Returns: (transfer full) (array length=n_edges) (nullable): the edges, to be freed with g_free(); %NULL: the component has
 *   no bins of its own values, or there is no such component
 */
gdouble *cudahisto_result_dup_edges (const CudahistoResult * result, const gchar * component, guint * n_edges);

/**
 * cudahisto_measure_frame:
 * @frame: that is mapped for reading
 * @groups: (nullable): the groups of measures of video, as the property `measures` has them: "signal+color"; %NULL: "basic"
 * @error: (nullable):
 *
 * Measures a frame without a pipeline, on the CPU. All is measured, also what a crop meta leaves out. Figures that follow
 * from earlier frames are absent. Each call starts threads: to measure many frames, an element is faster. Any thread may
 * call this.
 *
 * Returns: (transfer full): the result; %NULL with %CUDAHISTO_ERROR_MEASURE
 */
CudahistoResult *cudahisto_measure_frame (GstVideoFrame * frame, const gchar * groups, GError ** error);

/* ---- Alerts ------------------------------------------------------------------------------- */

#define CUDAHISTO_TYPE_ALERT (cudahisto_alert_get_type ())

/**
 * CudahistoAlert:
 *
 * The begin or the end of an alert, or of the time in which a rule is broken. It has its own texts and does not change:
 * threads may share it.
 */
typedef struct _CudahistoAlert CudahistoAlert;

GType cudahisto_alert_get_type (void);

/**
 * cudahisto_alert_new_from_message:
 * @message: from the bus
 * @error: (nullable):
 *
 * Any thread may call this.
 *
 * Returns: (transfer full): the alert that the message is about, of whatever type; %NULL with %CUDAHISTO_ERROR_NO_RESULT if
 *   it is about something else, or %CUDAHISTO_ERROR_FORMAT
 */
CudahistoAlert *cudahisto_alert_new_from_message (GstMessage * message, GError ** error);

/**
 * cudahisto_alert_new_from_structure:
 * @structure: (nullable): of a message about an alert, or one of the field `alerts` of a result
 * @error: (nullable):
 *
 * Any thread may call this.
 *
 * Returns: (transfer full): the alert; %NULL with %CUDAHISTO_ERROR_FORMAT
 */
CudahistoAlert *cudahisto_alert_new_from_structure (const GstStructure * structure, GError ** error);

/**
 * cudahisto_alert_ref:
 * @alert: an alert
 *
 * Any thread may call this.
 *
 * Returns: (transfer full): @alert
 */
CudahistoAlert *cudahisto_alert_ref (CudahistoAlert * alert);

/**
 * cudahisto_alert_unref:
 * @alert: (nullable) (transfer full): an alert
 *
 * Any thread may call this.
 */
void cudahisto_alert_unref (CudahistoAlert * alert);

/**
 * cudahisto_alert_get_type_name:
 * @alert: an alert
 *
 * Any thread may call this.
 *
 * Returns: (transfer none): "black", "freeze", "rule" …, valid as long as @alert. Later versions of the element have more
 */
const gchar *cudahisto_alert_get_type_name (const CudahistoAlert * alert);

/**
 * cudahisto_alert_is_end:
 * @alert: an alert
 *
 * Any thread may call this.
 *
 * Returns: %FALSE if the alert begins
 */
gboolean cudahisto_alert_is_end (const CudahistoAlert * alert);

/**
 * cudahisto_alert_get_start:
 * @alert: an alert
 *
 * Any thread may call this.
 *
 * Returns: the stream time at which it began; %GST_CLOCK_TIME_NONE: unknown
 */
GstClockTime cudahisto_alert_get_start (const CudahistoAlert * alert);

/**
 * cudahisto_alert_get_end:
 * @alert: an alert
 *
 * Any thread may call this.
 *
 * Returns: the stream time at which it ended; %GST_CLOCK_TIME_NONE: unknown, or it begins
 */
GstClockTime cudahisto_alert_get_end (const CudahistoAlert * alert);

/**
 * cudahisto_alert_get_value:
 * @alert: an alert
 *
 * Any thread may call this.
 *
 * Returns: the figure that decided; NaN: there is none
 */
gdouble cudahisto_alert_get_value (const CudahistoAlert * alert);

/**
 * cudahisto_alert_get_threshold:
 * @alert: an alert
 *
 * Any thread may call this.
 *
 * Returns: what the value was compared with; NaN: there is none
 */
gdouble cudahisto_alert_get_threshold (const CudahistoAlert * alert);

/**
 * cudahisto_alert_get_value_time:
 * @alert: an alert
 *
 * Any thread may call this.
 *
 * Returns: of a rule, the stream time of the buffer with the value; %GST_CLOCK_TIME_NONE: unknown
 */
GstClockTime cudahisto_alert_get_value_time (const CudahistoAlert * alert);

/**
 * cudahisto_alert_get_text:
 * @alert: an alert
 * @name: "component", "channel", "region", "rule", "pair" or "zone"
 *
 * Any thread may call this.
 *
 * Returns: (transfer none) (nullable): where it is, or the id of the rule; valid as long as @alert. %NULL: it has none
 */
const gchar *cudahisto_alert_get_text (const CudahistoAlert * alert, const gchar * name);

/* ---- Rules -------------------------------------------------------------------------------- */

/**
 * CudahistoRulesKind:
 * @CUDAHISTO_RULES_KIND_ELEMENT: of the property `rules`: conditions on each result; ';' ends a line, too
 * @CUDAHISTO_RULES_KIND_POLICY: the whole language
 *
 * Which rules a text may have; docs/rules.md describes both.
 */
typedef enum
{
  CUDAHISTO_RULES_KIND_ELEMENT,
  CUDAHISTO_RULES_KIND_POLICY
} CudahistoRulesKind;

#define CUDAHISTO_TYPE_RULES (cudahisto_rules_get_type ())

/**
 * CudahistoRules:
 *
 * Conditions that figures must meet. They do not change: threads may share them.
 */
typedef struct _CudahistoRules CudahistoRules;

GType cudahisto_rules_get_type (void);

/**
 * cudahisto_rules_new:
 * @text: in UTF-8
 * @kind: which rules are allowed
 * @error: (nullable):
 *
 * Any thread may call this.
 *
 * Returns: (transfer full): the rules; %NULL with %CUDAHISTO_ERROR_RULES, whose text begins with "line 3, column 12: ", the
 *   first of which are 1, and says what is allowed there
 */
CudahistoRules *cudahisto_rules_new (const gchar * text, CudahistoRulesKind kind, GError ** error);

/**
 * cudahisto_rules_ref:
 * @rules: rules
 *
 * Any thread may call this.
 *
 * Returns: (transfer full): @rules
 */
CudahistoRules *cudahisto_rules_ref (CudahistoRules * rules);

/**
 * cudahisto_rules_unref:
 * @rules: (nullable) (transfer full): rules
 *
 * Any thread may call this.
 */
void cudahisto_rules_unref (CudahistoRules * rules);

/**
 * cudahisto_rules_get_n_rules:
 * @rules: rules
 *
 * Any thread may call this.
 *
 * Returns: their number
 */
guint cudahisto_rules_get_n_rules (const CudahistoRules * rules);

/* ---- Checking a stream --------------------------------------------------------------------- */

/**
 * CudahistoVerdict:
 * @CUDAHISTO_VERDICT_SKIPPED: there was no figure to check
 * @CUDAHISTO_VERDICT_PASSED: the rule held
 * @CUDAHISTO_VERDICT_WARNED: a rule that begins with `warn` failed
 * @CUDAHISTO_VERDICT_FAILED: a rule failed
 *
 * What rules found, from the best to the worst.
 */
typedef enum
{
  CUDAHISTO_VERDICT_SKIPPED,
  CUDAHISTO_VERDICT_PASSED,
  CUDAHISTO_VERDICT_WARNED,
  CUDAHISTO_VERDICT_FAILED
} CudahistoVerdict;

#define CUDAHISTO_TYPE_FINDING (cudahisto_finding_get_type ())

/**
 * CudahistoFinding:
 *
 * What one rule found at one place of a whole stream. It does not change: threads may share it.
 */
typedef struct _CudahistoFinding CudahistoFinding;

GType cudahisto_finding_get_type (void);

/**
 * cudahisto_finding_ref:
 * @finding: a finding
 *
 * Any thread may call this.
 *
 * Returns: (transfer full): @finding
 */
CudahistoFinding *cudahisto_finding_ref (CudahistoFinding * finding);

/**
 * cudahisto_finding_unref:
 * @finding: (nullable) (transfer full): a finding
 *
 * Any thread may call this.
 */
void cudahisto_finding_unref (CudahistoFinding * finding);

/**
 * cudahisto_finding_get_rule:
 * @finding: a finding
 *
 * Any thread may call this.
 *
 * Returns: (transfer none): the id of the rule, valid as long as @finding
 */
const gchar *cudahisto_finding_get_rule (const CudahistoFinding * finding);

/**
 * cudahisto_finding_get_place:
 * @finding: a finding
 *
 * Any thread may call this.
 *
 * Returns: (transfer none) (nullable): what the `*` of the rule stands for: "ch1", "logo"; valid as long as @finding. %NULL:
 *   the rule has no `*`
 */
const gchar *cudahisto_finding_get_place (const CudahistoFinding * finding);

/**
 * cudahisto_finding_get_verdict:
 * @finding: a finding
 *
 * Any thread may call this.
 *
 * Returns: whether the rule held
 */
CudahistoVerdict cudahisto_finding_get_verdict (const CudahistoFinding * finding);

/**
 * cudahisto_finding_get_value:
 * @finding: a finding
 *
 * Any thread may call this.
 *
 * Returns: the worst value; NaN: there is none, or it is a word
 */
gdouble cudahisto_finding_get_value (const CudahistoFinding * finding);

/**
 * cudahisto_finding_get_limit:
 * @finding: a finding
 *
 * Any thread may call this.
 *
 * Returns: what the value was compared with; NaN: there is none, or it is a word
 */
gdouble cudahisto_finding_get_limit (const CudahistoFinding * finding);

/**
 * cudahisto_finding_get_value_time:
 * @finding: a finding
 *
 * Any thread may call this.
 *
 * Returns: the stream time of the buffer with the worst value; %GST_CLOCK_TIME_NONE: unknown
 */
GstClockTime cudahisto_finding_get_value_time (const CudahistoFinding * finding);

#define CUDAHISTO_TYPE_CHECKER (cudahisto_checker_get_type ())

/**
 * CudahistoChecker:
 *
 * Follows the results of one stream, and tells which rules are broken and when. One thread uses it at a time, but for the
 * reference count.
 */
typedef struct _CudahistoChecker CudahistoChecker;

GType cudahisto_checker_get_type (void);

/**
 * cudahisto_checker_new:
 * @rules: of which the checker keeps a reference. Rules about facts, and about figures of all samples of a stream, are
 *   skipped: results do not have these
 *
 * Any thread may call this.
 *
 * Returns: (transfer full): a checker of a stream of which no buffer has passed
 */
CudahistoChecker *cudahisto_checker_new (CudahistoRules * rules);

/**
 * cudahisto_checker_ref:
 * @checker: a checker
 *
 * Any thread may call this.
 *
 * Returns: (transfer full): @checker
 */
CudahistoChecker *cudahisto_checker_ref (CudahistoChecker * checker);

/**
 * cudahisto_checker_unref:
 * @checker: (nullable) (transfer full): a checker
 *
 * Any thread may call this.
 */
void cudahisto_checker_unref (CudahistoChecker * checker);

/**
 * cudahisto_checker_push_buffer:
 * @checker: a checker
 * @buffer: the next one of the stream
 * @segment: (nullable): of the pad at which the buffer is; %NULL: unknown
 * @error: (nullable):
 *
 * The times are those of the part of the buffer that lies in the segment, in stream time. A buffer without a time begins
 * where the one before it ends. One thread at a time may call this.
 *
 * Returns: %FALSE with %CUDAHISTO_ERROR_NO_RESULT if the buffer was not measured, or %CUDAHISTO_ERROR_FORMAT: the rules have
 *   then not looked at it
 */
gboolean cudahisto_checker_push_buffer (CudahistoChecker * checker, GstBuffer * buffer, const GstSegment * segment,
    GError ** error);

/**
 * cudahisto_checker_push_result:
 * @checker: a checker
 * @result: the next one of the stream
 * @error: (nullable):
 *
 * As cudahisto_checker_push_buffer(), with the stream time that the result has. One thread at a time may call this.
 *
 * Returns: %FALSE with %CUDAHISTO_ERROR_FORMAT
 */
gboolean cudahisto_checker_push_result (CudahistoChecker * checker, const CudahistoResult * result, GError ** error);

/**
 * cudahisto_checker_pop_alert:
 * @checker: a checker
 *
 * Call it after each buffer, and at the end, until there is none. One thread at a time may call this.
 *
 * Returns: (transfer full) (nullable): the next begin or end of a time in which a rule is broken; %NULL: there is none yet
 */
CudahistoAlert *cudahisto_checker_pop_alert (CudahistoChecker * checker);

/**
 * cudahisto_checker_finish:
 * @checker: a checker
 *
 * Ends the stream: the alerts that are open end. No buffer may follow. One thread at a time may call this.
 *
 * Returns: the worst verdict of all rules
 */
CudahistoVerdict cudahisto_checker_finish (CudahistoChecker * checker);

/**
 * cudahisto_checker_get_n_findings:
 * @checker: a checker
 *
 * One thread at a time may call this.
 *
 * Returns: the number of findings, which cudahisto_checker_finish() makes: one for each rule and place
 */
guint cudahisto_checker_get_n_findings (const CudahistoChecker * checker);

/**
 * cudahisto_checker_get_finding:
 * @checker: a checker
 * @number: less than cudahisto_checker_get_n_findings(); they are in the order of the rules
 *
 * One thread at a time may call this.
 *
 * Returns: (transfer full) (nullable): the finding; %NULL: there is none with this number
 */
CudahistoFinding *cudahisto_checker_get_finding (const CudahistoChecker * checker, guint number);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CudahistoResult, cudahisto_result_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CudahistoAlert, cudahisto_alert_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CudahistoRules, cudahisto_rules_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CudahistoFinding, cudahisto_finding_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CudahistoChecker, cudahisto_checker_unref)

G_END_DECLS

#endif /* CUDAHISTO_H */
