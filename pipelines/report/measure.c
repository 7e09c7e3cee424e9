/* Measures one input; see measure.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure.h"

#include <gst/pbutils/pbutils.h>

#include "facts/image-formats.h"
#include "facts/sequence.h"
#include "input/integrity.h"
#include "base/describe.h"
#include "base/interrupt.h"
#include "base/life.h"
#include "base/names.h"
#include "input/pipeline.h"
#include "policy/policy-judge.h"
#include "summary/alerts.h"

/* After so many ticks without a message or a sign of life: is anything still running? A connection may take longer to
 * begin. */
#define PATIENCE_WITH_FILE 20
#define PATIENCE_WITH_URI 300
/* After an error it ends at once, unless something is still decoded. */
#define PATIENCE_WITH_ERROR 1
/* A file is given up in any case after so many such ticks, or if so much processor time gives no result, in ns. */
#define PATIENCE_WITH_SILENCE 600
#define PATIENCE_WITH_WORK (G_GINT64_CONSTANT (60) * 1000000000)
/* An input may be begun so often. On a busy machine one try in four was seen to fail (W64, 1.22). */
#define MOST_TRIES 6

typedef struct
{
  ReportPipeline *pipeline;
  GPtrArray *writers;
  ReportProgress *progress;
  const ReportTap *tap;         /* NULL: none */
  ReportSummary *summary;
  ReportJudge *judge;
  ReportInput input;
  ReportStream *streams;        /* those of the input */
  GQueue early;                 /* of GstMessage: alerts before the first result of their stream */
  GQueue late;                  /* of GstMessage: of parts of streams whose parts before have not ended */
  gboolean has_begun;           /* the writers have */
  gboolean has_ended;           /* all messages are in the queue */
  gboolean is_done;
  guint n_tries;
  gboolean must_begin_again;
  gboolean is_whole;            /* no decoders share it any more */
  gboolean is_unsure;           /* what they gave may be wrong */
  gboolean is_by_libav;         /* GStreamer cannot read the file */
  gboolean has_error;           /* an element has ended the input */
  gboolean is_file;             /* not on a network */
  gchar *path;                  /* of a local file; NULL: it is none */
  ReportSequence *sequence;     /* that the input is; NULL: it is a file */
  ReportStatements *statements; /* what the file says; NULL: unknown */
  GPtrArray *programmes;        /* (element-type ReportProgramme): of its tracks */
  ReportLife life;              /* since the latest message */
  gint64 end;                   /* monotonic time in µs at which measuring ends; 0: open */
  guint64 n_frames;
  guint64 least_black;          /* ns: what lasts as long is an alert, and no short fault */
  guint64 position;             /* ns of stream time; GST_CLOCK_TIME_NONE: unknown */
  HistoResult result;
} Session;

/* ---- Writers ------------------------------------------------------------------------------------ */

/* @has_ended: the stream ends; FALSE: it goes on after its end */
static gboolean
write_end (Session * session, guint stream, gboolean has_ended,
    GError ** error)
{
  for (guint i = 0; i < session->writers->len; i++) {
    if (!report_writer_set_ended (session->writers->pdata[i], stream, has_ended,
            error))
      return FALSE;
  }
  return TRUE;
}

/* ---- Times -------------------------------------------------------------------------------------- */

/* The one place where the times of a stream are changed to those from its start: writers and the summary get
 * no others. @stream_time: (inout): of the container */
static void
count_time (Session * session, gint stream, guint64 * stream_time)
{
  ReportStreamSummary *summary = session->summary->streams->pdata[stream];

  *stream_time = report_stream_summary_count (summary, *stream_time);
  if (GST_CLOCK_TIME_IS_VALID (summary->start))
    session->streams[stream].origin = summary->start;
}

/* ---- Messages ----------------------------------------------------------------------------------- */

/* Adds the result to the summary. The first one corrects what the stream
 * begins with: the writers learn this, too. */
static void
add_result (Session * session, gint stream, const GstMessage * message,
    const HistoTimes * times)
{
  ReportStreamSummary *summary = session->summary->streams->pdata[stream];
  ReportStream *described = &session->streams[stream];

  if (!session->result.is_audio)
    report_pipeline_describe_frame (session->pipeline, message,
        times->timestamp, summary->next);
  described->n_before = summary->n_results;
  report_summary_add_result (summary, &session->result, times);
  report_short_faults_add_result (&summary->short_faults, &session->result, times,
      report_stream_is_limited (summary->stream), session->least_black);
  described->width = summary->stream->width;
  described->height = summary->stream->height;
  described->par_n = summary->stream->par_n;
  described->par_d = summary->stream->par_d;
  described->frame_rate = summary->stream->frame_rate;
  described->rate = summary->stream->rate;
  if (described->channels != summary->stream->channels)
    g_clear_pointer (&described->channel_names, g_strfreev);
  described->channels = summary->stream->channels;
}

static gboolean
handle_result (Session * session, gint stream, const GstMessage * message,
    GError ** error)
{
  const GstStructure *structure =
      gst_message_get_structure ((GstMessage *) message);
  HistoTimes times;

  if (!histo_read_result (structure, &session->result, error))
    return FALSE;
  if (!histo_read_times (structure, &times)) {
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "A result has no times");
    return FALSE;
  }
  session->n_frames += session->result.is_audio ? 0 : 1;
  if (GST_CLOCK_TIME_IS_VALID (times.stream_time)) {
    const guint64 end = times.stream_time
        + (GST_CLOCK_TIME_IS_VALID (times.duration) ? times.duration : 0);

    if (!GST_CLOCK_TIME_IS_VALID (session->position) || end > session->position)
      session->position = end;
  }
  count_time (session, stream, &times.stream_time);
  add_result (session, stream, message, &times);
  report_judge_pass (session->judge, stream, &session->result, &times);
  for (guint i = 0; i < session->writers->len; i++) {
    if (!report_writer_frame (session->writers->pdata[i],
            &session->input.streams[stream], &session->result, &times, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
handle_alert (Session * session, gint stream, const GstStructure * structure,
    GError ** error)
{
  HistoAlertEvent event;

  if (!histo_read_alert (structure, &event, error))
    return FALSE;
  count_time (session, stream, &event.start);
  count_time (session, stream, &event.end);
  count_time (session, stream, &event.value_time);
  report_summary_add_alert (session->summary->streams->pdata[stream], &event);
  histo_alert_event_clear (&event);
  return TRUE;
}

/* Begins, with the streams that have ended without a result. */
static gboolean
begin (Session * session, GError ** error)
{
  ReportInput *input = &session->input;

  session->has_begun = TRUE;
  input->n_streams = report_pipeline_list_streams (session->pipeline);
  input->streams = session->streams =
      report_pipeline_streams (session->pipeline);
  input->duration = report_pipeline_duration (session->pipeline);
  for (guint i = 0; i < input->n_streams; i++)
    report_facts_read (report_summary_add_stream (session->summary,
            &input->streams[i])->facts, report_pipeline_said (session->pipeline,
            i), &input->streams[i]);
  report_progress_begin (session->progress, input->name, input->duration);
  for (guint i = 0; i < session->writers->len; i++) {
    if (!report_writer_begin (session->writers->pdata[i], input, error))
      return FALSE;
  }
  for (guint i = 0; i < input->n_streams; i++) {
    if (!report_pipeline_is_open (session->pipeline, i)
        && !write_end (session, i, TRUE, error))
      return FALSE;
  }
  return TRUE;
}

/* Handles the alerts that have waited, of one stream or of all (-1). */
static gboolean
handle_early (Session * session, gint stream, GError ** error)
{
  GList *next;
  gboolean ok = TRUE;

  for (GList * item = session->early.head; ok && item != NULL; item = next) {
    GstMessage *message = item->data;
    const gint own = report_pipeline_stream_of (session->pipeline, message);

    next = item->next;
    if (stream >= 0 && own != stream)
      continue;
    g_queue_delete_link (&session->early, item);
    ok = handle_alert (session, own, gst_message_get_structure (message),
        error);
    gst_message_unref (message);
  }
  return ok;
}

/* The first result of a stream. The tags, which have its language, have come before. It is the start of
 * the stream, from which the times of alerts count, too. */
static gboolean
start_stream (Session * session, gint stream, const GstStructure * structure,
    GError ** error)
{
  ReportStreamSummary *summary = session->summary->streams->pdata[stream];
  HistoTimes times;

  report_pipeline_describe_stream (session->pipeline, stream);
  report_stream_free (summary->stream);
  summary->stream = report_stream_copy (&session->streams[stream]);
  /* The streams are listed when the first one has a result: a programme may have had the caps of a track then. */
  report_facts_read (summary->facts, report_pipeline_said (session->pipeline, stream), summary->stream);
  if (histo_read_times (structure, &times))
    count_time (session, stream, &times.stream_time);
  return handle_early (session, stream, error);
}

/* What GStreamer cannot read or decode may be read by libav: then all begins again.
 *
 * Returns: FALSE: it cannot, or it is too late */
static gboolean
fall_back (Session * session)
{
  if (session->has_begun || session->is_by_libav || session->end != 0
      || session->summary->problem != NULL || session->statements == NULL
      || !report_statements_are_decodable (session->statements))
    return FALSE;
  session->is_by_libav = session->must_begin_again = session->is_done = TRUE;
  return TRUE;
}

/* Decoders share no part of the input, or may have given other pictures than one decoder. */
static void
handle_not_split (Session * session, const gchar * why, gboolean is_wrong)
{
  g_autofree gchar *text = g_strdup_printf ("not split: %s", why);

  if (session->end != 0 || session->is_whole)
    return;
  report_complain (session->progress, session->input.name, text);
  if (!is_wrong)
    return;
  session->is_done = session->is_whole = TRUE;
  session->is_unsure = session->has_begun;
  session->must_begin_again = !session->has_begun;
}

/* A result, a window or an alert. An alert may come before the result with which it begins. */
static gboolean
handle_measured (Session * session, GstMessage * message, GError ** error)
{
  const GstStructure *structure = gst_message_get_structure (message);
  const gboolean is_alert = gst_structure_has_name (structure,
      HISTO_ALERT_NAME);
  gboolean is_first;
  gint stream;

  if (!session->has_begun && report_pipeline_lacks_stream (session->pipeline)
      && fall_back (session))
    return TRUE;
  if (!session->has_begun && !begin (session, error))
    return FALSE;
  stream = report_pipeline_stream_of (session->pipeline, message);
  if (stream < 0)
    return TRUE;
  is_first = ((ReportStreamSummary *) session->summary->streams->pdata[stream])
      ->n_results == 0;
  if (is_alert && is_first) {
    g_queue_push_tail (&session->early, gst_message_ref (message));
    return TRUE;
  }
  if (is_alert)
    return handle_alert (session, stream, structure, error);
  return (!is_first || start_stream (session, stream, structure, error))
      && handle_result (session, stream, message, error);
}

/* A result, an alert, or the begin or the end of a stream. */
static gboolean
handle_in_turn (Session * session, GstMessage * message, GError ** error)
{
  gint stream;

  if (!report_pipeline_is_limit (message))
    return handle_measured (session, message, error);
  stream = report_pipeline_follow_stream (session->pipeline, message);
  return stream < 0 || write_end (session, stream,
      !report_pipeline_is_open (session->pipeline, stream), error);
}

/* Handles what has waited for the end of a part. @all: also what would wait longer */
static gboolean
handle_late (Session * session, gboolean all, GError ** error)
{
  GList *item = session->late.head;
  gboolean ok = TRUE;

  while (ok && item != NULL) {
    GstMessage *message = item->data;
    GList *next = item->next;

    if (all || !report_pipeline_must_wait (session->pipeline, message)) {
      g_queue_delete_link (&session->late, item);
      ok = handle_in_turn (session, message, error);
      /* What is earlier in the queue may have waited for it. */
      if (report_pipeline_is_limit (message))
        next = session->late.head;
      gst_message_unref (message);
    }
    item = next;
  }
  return ok;
}

static gboolean
handle_element (Session * session, GstMessage * message, GError ** error)
{
  gboolean had_begun, is_wrong = FALSE;
  const gchar *why = report_pipeline_why_not_split (message, &is_wrong);

  if (why != NULL) {
    handle_not_split (session, why, is_wrong);
    return TRUE;
  }
  if (gst_is_missing_plugin_message (message)) {
    g_autofree gchar *text = report_integrity_describe_missing_plugin (message);

    if (text != NULL && !fall_back (session))
      report_summary_complain (session->summary, REPORT_PROBLEM_UNDECODABLE, 0,
          "%s", text);
    return TRUE;
  }
  if (report_pipeline_has_too_many (message)) {
    report_summary_complain (session->summary, REPORT_PROBLEM_OTHER, 0,
        "has more than %d streams", REPORT_MOST_STREAMS);
    session->is_done = TRUE;
    return TRUE;
  }
  if (report_pipeline_must_wait (session->pipeline, message)) {
    g_queue_push_tail (&session->late, gst_message_ref (message));
    return TRUE;
  }
  had_begun = session->has_begun;
  return handle_in_turn (session, message, error)
      && ((had_begun == session->has_begun && !report_pipeline_is_limit (message))
      || handle_late (session, FALSE, error));
}

/* What has been decoded before the error still comes, and then the end. The source may add that its data was not
 * taken, which follows from the first error. */
static void
handle_error (Session * session, GstMessage * message)
{
  g_autoptr (GError) problem = NULL;

  /* What one decoder makes of it is told. */
  if (report_pipeline_is_split (session->pipeline))
    handle_not_split (session, "an element has failed", TRUE);
  if (session->must_begin_again || session->is_unsure)
    return;
  /* A branch that has ended here before its stream began fails when that comes: the input has no fault. */
  if (session->end != 0 || fall_back (session))
    return;
  gst_message_parse_error (message, &problem, NULL);
  if (!session->has_error
      || !g_error_matches (problem, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED))
    report_summary_complain (session->summary, REPORT_PROBLEM_ERROR, 0, "%s",
        problem->message);
  session->has_error = TRUE;
}

static gboolean
handle_message (Session * session, GstMessage * message, GError ** error)
{
  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ELEMENT:
      return handle_element (session, message, error);
    case GST_MESSAGE_ERROR:
      handle_error (session, message);
      return TRUE;
    case GST_MESSAGE_EOS:
      session->has_ended = session->end != 0
          || report_pipeline_has_ended (session->pipeline);
      return TRUE;
    default:
      return TRUE;
  }
}

/* ---- The input ------------------------------------------------------------------------------------ */

/* A stream is ended when its element has measured the frame that it has. */
static gpointer
end_pipeline (gpointer data)
{
  report_pipeline_end (data);
  return NULL;
}

/* After a signal the streams end here, and their last results still come. */
static void
look_at_signals (Session * session)
{
  const gint64 now = g_get_monotonic_time ();

  if (session->end == 0 && report_interrupt_signal () != 0) {
    session->end = now + REPORT_PATIENCE_AFTER_SIGNAL;
    report_interrupt_run (end_pipeline, session->pipeline);
  }
  if (session->end != 0 && now >= session->end)
    session->is_done = TRUE;
}

/* An input that gives no more messages and no end is given up. A process that is stopped, or gets no processor, does
 * not stand still, so that no clock counts here. */
static void
look_for_standstill (Session * session)
{
  gboolean is_moving, is_measured;
  guint n_quiet;

  report_life_tick (&session->life);
  n_quiet = session->life.n_quiet;
  if (report_pipeline_has_ended (session->pipeline)) {
    session->has_ended = TRUE;
    return;
  }
  /* It waits for another input. */
  if (session->has_begun && session->end == 0 && report_pipeline_waits_for_tap (session->pipeline)) {
    report_life_begin (&session->life);
    return;
  }
  is_moving = report_pipeline_is_moving (session->pipeline, TRUE);
  if (session->has_error && n_quiet >= PATIENCE_WITH_ERROR && !is_moving) {
    session->is_done = TRUE;
    return;
  }
  /* Before the first result, after an error and after all results, queues may wait for ever. */
  is_measured = session->has_begun && report_pipeline_is_measured (session->pipeline);
  if (!session->has_begun || session->has_error || is_measured)
    is_moving = report_pipeline_is_moving (session->pipeline, FALSE);
  if (session->is_file && (n_quiet >= PATIENCE_WITH_SILENCE
          || report_life_used (&session->life) >= PATIENCE_WITH_WORK))
    is_moving = FALSE;
  else if (n_quiet < (session->is_file ? PATIENCE_WITH_FILE : PATIENCE_WITH_URI))
    return;
  if (is_moving)
    return;
  if (report_pipeline_is_split (session->pipeline) && !is_measured)
    handle_not_split (session, "decoding stopped without an end", TRUE);
  session->is_done = TRUE;
  if (session->is_unsure || session->must_begin_again)
    return;
  if (session->has_error || is_measured)
    return;
  /* A parser that plays before decodebin has linked it fails, and decodebin drops its error (aiffparse 1.22). What was at
   * work all the time would be again. */
  session->must_begin_again = session->is_file && !session->has_begun
      && report_life_used (&session->life) < PATIENCE_WITH_WORK
      && session->end == 0 && g_queue_is_empty (&session->early)
      && g_queue_is_empty (&session->late)
      && session->summary->problem == NULL && session->n_tries < MOST_TRIES;
  if (session->must_begin_again)
    return;
  if (session->has_begun)
    report_summary_complain (session->summary, REPORT_PROBLEM_CUT_OFF, 0,
        "decoding stopped without an end");
  else
    report_summary_complain (session->summary, REPORT_PROBLEM_UNREADABLE, 0,
        "cannot be decoded");
}

static gboolean
run (Session * session, GError ** error)
{
  report_life_begin (&session->life);
  while (!session->is_done) {
    g_autoptr (GstMessage) message = report_pipeline_pop (session->pipeline,
        session->has_ended ? 0 : REPORT_TICK);
    gboolean ok = TRUE;

    if (message != NULL) {
      ok = handle_message (session, message, error);
      report_life_begin (&session->life);
    } else if (session->has_ended) {
      /* The end of a part may come before the results of the next one, and be handled after those are posted. */
      session->is_done = TRUE;
    } else {
      look_for_standstill (session);
    }
    if (ok && report_pipeline_is_unsure (session->pipeline))
      handle_not_split (session, "a decoder has found a fault", TRUE);
    if (!ok)
      return FALSE;
    look_at_signals (session);
    if (session->has_begun)
      report_progress_show (session->progress, session->position,
          session->n_frames);
  }
  if (session->must_begin_again) {
    g_queue_clear_full (&session->early, (GDestroyNotify) gst_message_unref);
    g_queue_clear_full (&session->late, (GDestroyNotify) gst_message_unref);
    return TRUE;
  }
  return handle_late (session, TRUE, error)
      && handle_early (session, -1, error);
}

/* Decides how it went, once the pipeline has ended. What a container says of its length, GStreamer may learn while it
 * reads: how much of that it knows with the first result is chance (the fragments of MP4). */
static ReportOutcome
judge (Session * session)
{
  if (session->end == 0) {
    const guint64 duration = report_pipeline_duration (session->pipeline);

    if (GST_CLOCK_TIME_IS_VALID (duration)
        && (!GST_CLOCK_TIME_IS_VALID (session->input.duration)
            || duration > session->input.duration))
      session->input.duration = duration;
  }
  if (session->end != 0 || !report_pipeline_judge (session->pipeline,
          session->summary, session->input.duration)) {
    report_summary_complain (session->summary, REPORT_PROBLEM_INTERRUPTED, 0,
        "interrupted");
    return REPORT_INPUT_INTERRUPTED;
  }
  if (!session->has_begun && session->summary->problem == NULL)
    report_summary_complain (session->summary, REPORT_PROBLEM_UNREADABLE, 0,
        "has neither video nor sound");
  return session->summary->problem == NULL ? REPORT_INPUT_DONE :
      REPORT_INPUT_BAD;
}

/* Writes the ends. Only some writers report an input of which nothing could be measured. */
static gboolean
end_writers (Session * session, GError ** error)
{
  for (guint i = 0; i < session->writers->len; i++) {
    ReportWriter *writer = session->writers->pdata[i];

    if (session->has_begun ?
        !report_writer_end (writer, session->summary, error) :
        writer->tells_unreadable
        && !report_writer_tell (writer, session->summary, error)) {
      g_prefix_error (error, "cannot write the report: ");
      return FALSE;
    }
  }
  return TRUE;
}

/* A file on a network, or a pipe, may take long to be opened. */
static gpointer
start_pipeline (gpointer data)
{
  /* If it does not start, then there is an error message, which comes before this end. */
  if (!report_pipeline_start (data))
    report_pipeline_end (data);
  return NULL;
}

/* A decoder stops when it has decoded the frame that it has, and a demuxer when it has read the tables that it has. */
static gpointer
free_pipeline (gpointer data)
{
  report_pipeline_free (data);
  return NULL;
}

static gboolean
is_interrupted (gpointer data)
{
  return report_interrupt_signal () != 0;
}

static gpointer
read_statements (gpointer data)
{
  Session *session = data;
  g_autofree gchar *problem = NULL;

  if (session->sequence != NULL) {
    session->statements = report_sequence_read (session->sequence, &problem);
    if (problem != NULL)
      report_summary_complain (session->summary, REPORT_PROBLEM_UNDECODABLE, 0, "%s", problem);
    return NULL;
  }
  session->statements = report_statements_read (session->path, is_interrupted,
      NULL);
  return NULL;
}

/* Its numbers are its times: what is missing is told here, by the names of the images. */
static void
judge_sequence (Session * session)
{
  g_autoptr (GPtrArray) missing = report_sequence_missing (session->sequence);
  const GPtrArray *damaged = report_sequence_damaged (session->sequence);

  for (guint i = 0; i < missing->len; i++)
    report_summary_complain (session->summary, REPORT_PROBLEM_MISSING, 0, "%s", (const gchar *) missing->pdata[i]);
  for (guint i = 0; session->end == 0 && i < damaged->len; i++)
    report_summary_complain (session->summary, REPORT_PROBLEM_DAMAGED, 0, "%s", (const gchar *) damaged->pdata[i]);
}

static ReportOutcome
measure (Session * session, const gchar * uri, const ReportSettings * settings,
    GError ** error)
{
  const gint64 start = g_get_monotonic_time ();
  ReportSettings *whole = g_memdup2 (settings, sizeof *settings);
  ReportOutcome outcome;
  gboolean ok;

  whole->split = 1;
  /* If the decoders are wrong, one begins again. */
  if (settings->split != 1 && !GST_CLOCK_TIME_IS_VALID (session->summary->input_size)) {
    handle_not_split (session, "it is no file, which can be read again", FALSE);
    session->is_whole = TRUE;
  }
  do {
    if (session->pipeline != NULL)
      report_interrupt_run_ending (free_pipeline, session->pipeline);
    session->is_done = session->must_begin_again = FALSE;
    session->has_ended = session->has_error = FALSE;
    session->n_tries++;
    session->pipeline = report_pipeline_new (uri, session->statements,
        session->programmes, session->is_whole ? whole : settings, session->is_by_libav,
        session->tap);
    report_interrupt_run (start_pipeline, session->pipeline);
    ok = run (session, error);
    if (ok && !session->must_begin_again && report_pipeline_has_mute (session->pipeline))
      fall_back (session);
  } while (session->must_begin_again);
  /* Streams without a frame are streams, too. */
  if (ok && !session->has_begun && report_pipeline_has_streams (session->pipeline))
    ok = begin (session, error);
  report_progress_clear (session->progress);
  if (session->sequence != NULL)
    judge_sequence (session);
  outcome = judge (session);
  session->summary->is_complete = outcome == REPORT_INPUT_DONE;
  session->summary->seconds =
      (gdouble) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  session->summary->duration = report_summary_length (session->summary);
  if (!GST_CLOCK_TIME_IS_VALID (session->summary->duration))
    session->summary->duration = session->input.duration;
  report_summary_finish (session->summary);
  report_pipeline_finish_thumbnails (session->pipeline, session->summary);
  report_summary_leave_out_spares (session->summary);
  report_judge_end (session->judge);
  if (session->is_unsure)
    outcome = REPORT_INPUT_UNSURE;
  if (!ok)
    g_prefix_error (error, "cannot write the report: ");
  if (!ok || (session->has_begun && !session->is_unsure && !end_writers (session, error)))
    outcome = REPORT_OUTPUT_FAILED;
  histo_result_clear (&session->result);
  g_queue_clear_full (&session->early, (GDestroyNotify) gst_message_unref);
  g_queue_clear_full (&session->late, (GDestroyNotify) gst_message_unref);
  /* After a signal its threads may still run. */
  if (report_interrupt_signal () == 0
      && report_interrupt_run_ending (free_pipeline, session->pipeline)) {
    g_free (whole);
    g_clear_pointer (&session->programmes, g_ptr_array_unref);
    g_clear_pointer (&session->statements, report_statements_free);
  }
  return outcome;
}

/* Reads what the file says, and which of its tracks are heard together.
 *
 * Returns: FALSE: the programmes that are asked for do not fit to the input */
static gboolean
look_at_file (Session * session, const ReportSettings * settings)
{
  g_autoptr (GError) problem = NULL;

  if (session->path != NULL || session->sequence != NULL)
    report_interrupt_run (read_statements, session);
  if (session->sequence != NULL && session->statements == NULL)
    return FALSE;
  /* After a signal nothing is known of the file. */
  session->programmes = report_programmes_find (session->statements,
      report_interrupt_signal () == 0 ? settings->programme : NULL, &problem);
  if (session->programmes != NULL)
    return TRUE;
  report_summary_complain (session->summary, REPORT_PROBLEM_OTHER, 0, "%s",
      problem->message);
  g_clear_pointer (&session->statements, report_statements_free);
  return FALSE;
}

/* Whether the input is a picture that is too large. Not each decoder of pictures learns the size before it decodes. */
static gboolean
is_too_large (Session * session, const ReportSettings * settings)
{
  g_autofree gchar *problem = session->path != NULL ?
      report_image_check_file (session->path, settings->max_pixels) : NULL;

  if (problem != NULL)
    report_summary_complain (session->summary, REPORT_PROBLEM_UNDECODABLE, 0,
        "%s", problem);
  return problem != NULL;
}

/* An image that GStreamer does not play is a film of one picture, which libav decodes.
 *
 * Returns: FALSE: it cannot be measured */
static gboolean
find_still (Session * session, const ReportSettings * settings)
{
  const ReportImageFormat *format = session->path != NULL ? report_image_format_of_file (session->path) : NULL;
  g_autofree gchar *problem = NULL;

  if (format == NULL || !format->is_still)
    return TRUE;
  session->sequence = report_sequence_of_image (session->path, format->name, settings->max_pixels, &problem);
  session->is_by_libav = TRUE;
  if (problem != NULL)
    report_summary_complain (session->summary, REPORT_PROBLEM_UNDECODABLE, 0, "%s", problem);
  return problem == NULL;
}

/**
 * report_measure:
 * @name: a file or a URI
 * @writers: (element-type ReportWriter): not called if there is nothing to write
 * @tap: (nullable): gets what is measured
 * @summary: (out) (transfer full): of what has been measured; its problem says what is wrong with
 * the input
 *
 * Returns: what became of it; @error is set with REPORT_OUTPUT_FAILED
 */
ReportOutcome
report_measure (const gchar * name, const ReportSettings * settings,
    GPtrArray * writers, const ReportTap * tap, ReportProgress * progress,
    ReportSummary ** summary, GError ** error)
{
  Session session = { 0 };
  ReportOutcome outcome = REPORT_INPUT_BAD;
  g_autofree gchar *text = report_name_for_people (name), *uri = NULL;
  g_autoptr (GError) problem = NULL;

  session.writers = writers;
  session.tap = tap;
  session.progress = progress;
  session.summary = *summary = report_summary_new (text);
  session.summary->settings = report_settings_describe (settings);
  session.summary->alerts = report_settings_alerts (settings);
  session.least_black = (guint64) (report_alerts_least (session.summary, HISTO_ALERT_BLACK) * GST_SECOND);
  session.judge = report_judge_new (settings->policies, session.summary);
  session.input.name = text;
  session.input.duration = session.position = GST_CLOCK_TIME_NONE;
  report_name_find_version (name, &session.summary->input_size,
      &session.summary->input_mtime);
  if (settings->sequence != NULL) {
    g_autofree gchar *wrong = NULL;

    session.sequence = report_sequence_find (name, settings->sequence, settings->max_pixels, &wrong);
    session.is_by_libav = TRUE;
    uri = report_name_address (name);
    session.summary->uri = g_strdup (uri);
    if (wrong != NULL)
      report_summary_complain (session.summary, REPORT_PROBLEM_UNREADABLE, 0, "%s", wrong);
    if (wrong != NULL || !look_at_file (&session, settings))
      report_judge_end (session.judge);
    else
      outcome = measure (&session, uri, settings, error);
  } else if ((uri = report_name_to_uri (name, &problem)) != NULL) {
    session.summary->uri = g_strdup (uri);
    session.is_file = g_str_has_prefix (uri, "file:");
    if (session.is_file)
      session.path = g_filename_from_uri (uri, NULL, NULL);
    if (is_too_large (&session, settings) || !find_still (&session, settings) || !look_at_file (&session, settings))
      report_judge_end (session.judge);
    else
      outcome = measure (&session, uri, settings, error);
  } else {
    report_interrupt_explain (problem);
    report_summary_complain (session.summary, REPORT_PROBLEM_UNREADABLE, 0,
        "%s", problem->message);
    report_judge_end (session.judge);
  }
  if (!session.has_begun && outcome == REPORT_INPUT_BAD
      && !end_writers (&session, error))
    outcome = REPORT_OUTPUT_FAILED;
  report_judge_free (session.judge);
  /* After a signal its threads may still run. */
  if (report_interrupt_signal () == 0)
    g_clear_pointer (&session.sequence, report_sequence_free);
  g_free (session.path);
  return outcome;
}
