/* Measures an input that goes on; see live-input.h.
 *
 * A connection is measured as a file is: the same summary, judge and notices. So that the memory stays the same for days, the summary
 * is of a *chapter* of some minutes. What lasts goes on in the next one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "live/live-input.h"

#include <math.h>
#include <string.h>

#include <gst/pbutils/pbutils.h>

#include "base/describe.h"
#include "base/names.h"
#include "base/thumbnail.h"
#include "cudahisto/alert.h"
#include "cudahisto/depth.h"
#include "cudahisto/fields.h"
#include "cudahisto/read.h"
#include "input/integrity.h"
#include "input/timing.h"
#include "notices/notices.h"
#include "policy/policy-judge.h"
#include "summary/alerts.h"

/* A chapter lasts so long, in ns of the stream. */
#define CHAPTER (600 * GST_SECOND)
/* What began before needs so long to be found again in a new chapter: silent channels take 2 s. */
#define SETTLING (3 * GST_SECOND)
/* How long the thread waits for a message, in µs. */
#define TICK (G_USEC_PER_SEC / 20)
/* So often the state is made anew: at once if an alert came, else each second. */
#define LEAST_STEP (G_USEC_PER_SEC / 10)
#define MOST_STEP G_USEC_PER_SEC
/* Without results for so long, in µs, a connection is stalled, and a stream is missing; then the connection is given up. */
#define STALLED_AFTER (3 * G_USEC_PER_SEC)
#define LOST_AFTER (30 * G_USEC_PER_SEC)
/* A pause is over so long after the first result, in µs: what waits in a decoder comes at the end of a stream, too. */
#define STEADY (G_USEC_PER_SEC / 5)
/* A stream whose buffers are long is missing after so many of them: a picture may stand for seconds. */
#define MISSING_BUFFERS 3
/* A connection takes at most so long to give its first result. */
#define PATIENCE (60 * G_USEC_PER_SEC)
/* The pause before another try, in seconds: it doubles. A connection that lasted long begins anew with the first one. */
#define FIRST_PAUSE 1
#define MOST_PAUSE 60
#define LASTED_LONG (30 * G_USEC_PER_SEC)
/* A clock of a source that is so far from the machine's is not followed, in µs. */
#define MOST_DRIFT (2 * G_USEC_PER_SEC)
/* Pixels of a picture in its longer direction. */
#define PICTURE_SIZE 256
/* A window of sound that begins so much after the end of the one before leaves a gap, in ns. */
#define LEAST_SOUND_GAP GST_MSECOND
/* Times of pictures that are shifted are right again after so many frames. */
#define MOST_SHIFTED 16
/* The rate is looked at over so many distances; it is variable if a tenth of them are others than a frame. */
#define MOST_DISTANCES 500
/* Of fewer nothing is known. */
#define LEAST_DISTANCES 10
/* A stream whose time jumps back by more than this begins anew, in ns. */
#define MOST_BACK GST_SECOND

/* A gap between pictures that may be none: a decoder may give a frame the time of another one, and a few frames on the times are right
 * again (input/timing.c). */
typedef struct
{
  guint64 start, end;           /* ns from the origin */
  gint64 ahead;                 /* frames by which the times are ahead of what they should be */
  guint n;                      /* distances since then; 0: there is none */
} Doubt;

/* What follows a stream through the results of a connection. */
typedef struct
{
  guint64 previous;             /* stream time of the container of the latest result; GST_CLOCK_TIME_NONE: none */
  guint64 previous_end;         /* of it; GST_CLOCK_TIME_NONE: unknown */
  Doubt doubt;
  guint n_distances, n_others;  /* of the latest pictures: all, and those that are not one frame */
  guint64 position;             /* ns from the origin: up to which it is measured */
  guint serial;                 /* of the caps that were read */
  gint64 latest;                /* monotonic time of the latest result; 0: none */
  gint64 length;                /* µs: of its buffer; 0: unknown */
  ReportLiveStream shown;
} Following;

struct _ReportLiveInput
{
  gchar *name;                  /* as the user wrote it */
  ReportLive *live;
  const ReportLiveSettings *settings;
  GThread *thread;
  gint must_stop, has_stopped;  /* atomic */
  GMutex lock;
  GCond is_stopping;
  gboolean had[2];              /* pictures, sound: some connection had them */

  /* Of the connection: */
  ReportPlay *play;
  gboolean is_file;
  ReportSummary *summary;       /* of the chapter; NULL: there was no connection */
  ReportJudge *judge;
  GQueue early;                 /* of GstMessage: alerts before the first result of their stream */
  Following following[REPORT_MOST_PLAYED];
  guint64 positions[REPORT_MOST_PLAYED];
  guint64 origin;               /* stream time of the first result; GST_CLOCK_TIME_NONE: none */
  gint64 anchor;                /* µs since 1970 of the origin */
  guint64 position;             /* ns from the origin: the latest of the streams */
  guint64 chapter;              /* the same at which the chapter began */
  guint64 least_black;
  gint64 latest;                /* monotonic time of the latest result; 0: none */
  gint64 running_since;         /* monotonic time: results come from then on; 0: none came */
  gboolean has_changed;         /* an alert came */
  gboolean has_ended;
  gchar *problem;               /* NULL: none */
  gint64 lost;                  /* µs since 1970 at which it was lost; 0: it is not */
  gchar *lost_text;             /* why; NULL: it is not */
  HistoResult result;
};

/* ---- Chapters --------------------------------------------------------------------------------- */

static ReportStreamSummary *
get_stream (const ReportLiveInput * input, guint stream)
{
  return input->summary->streams->pdata[stream];
}

static ReportSummary *
make_summary (ReportLiveInput * input)
{
  g_autofree gchar *text = report_name_for_people (input->name);
  ReportSummary *summary = report_summary_new (text);

  summary->settings = report_settings_describe (input->settings->settings);
  summary->alerts = report_settings_alerts (input->settings->settings);
  summary->is_complete = TRUE;
  return summary;
}

/* Takes over what goes on: the description, the times, and alerts without an end.
 *
 * @begin: from the origin; no alert begins before it */
static void
continue_stream (const ReportStreamSummary * from, ReportSummary * to, guint64 begin)
{
  ReportStreamSummary *stream = report_summary_add_stream (to, from->stream);

  report_stream_free (stream->next);
  stream->next = report_stream_copy (from->next);
  stream->start = from->start;
  stream->end = from->end;
  for (guint i = 0; i < from->alerts->len; i++) {
    const ReportAlert *alert = from->alerts->pdata[i];
    ReportAlert *copy;

    if (GST_CLOCK_TIME_IS_VALID (alert->end) || alert->alert == HISTO_ALERT_SCENE)
      continue;
    copy = report_objects_add_copy (stream->alerts, &report_alert_shape, alert);
    copy->start = MAX (copy->start, begin);
  }
}

/* @has_moved: times are others on the clock from here on: what goes on begins anew */
static void
begin_chapter (ReportLiveInput * input, gboolean has_moved)
{
  ReportSummary *summary = make_summary (input);

  for (guint i = 0; i < input->summary->streams->len; i++)
    continue_stream (get_stream (input, i), summary, has_moved && i < REPORT_MOST_PLAYED ? input->positions[i] : 0);
  for (guint i = 0; i < input->summary->problems->len; i++)
    report_summary_add_problem (summary, input->summary->problems->pdata[i]);
  summary->is_complete = input->summary->is_complete;
  report_judge_move (input->judge, summary);
  report_summary_free (input->summary);
  input->summary = summary;
  input->chapter = input->position;
}

/* Returns: µs since 1970 of a time from the origin */
static gint64
to_clock (const ReportLiveInput * input, guint64 time)
{
  return input->anchor + (gint64) (time / 1000);
}

/* Forgets the connection before. */
static void
begin_connection (ReportLiveInput * input)
{
  g_clear_pointer (&input->judge, report_judge_free);
  g_clear_pointer (&input->summary, report_summary_free);
  input->summary = make_summary (input);
  input->least_black = (guint64) (report_alerts_least (input->summary, HISTO_ALERT_BLACK) * GST_SECOND);
  input->judge = report_judge_new (input->settings->settings->policies, input->summary);
  for (guint i = 0; i < REPORT_MOST_PLAYED; i++) {
    g_free (input->following[i].shown.title);
    g_free (input->following[i].shown.facts);
    input->following[i] = (Following) {.previous = GST_CLOCK_TIME_NONE,.previous_end = GST_CLOCK_TIME_NONE };
    input->positions[i] = 0;
  }
  input->running_since = 0;
  input->origin = GST_CLOCK_TIME_NONE;
  /* Time goes on from here. */
  if (input->anchor != 0)
    input->anchor = to_clock (input, input->position);
  input->position = input->chapter = 0;
}

/* Whether a list of the chapter is full: what comes later would not be told. */
static gboolean
is_full (const ReportLiveInput * input)
{
  for (guint i = 0; i < input->summary->notices->len; i++) {
    if (((const ReportNotice *) input->summary->notices->pdata[i])->spans->len >= REPORT_MOST_NOTICE_SPANS)
      return TRUE;
  }
  for (guint i = 0; i < input->summary->streams->len; i++) {
    const ReportStreamSummary *stream = get_stream (input, i);

    if (stream->parts->len >= REPORT_MOST_NOTICE_SPANS || stream->alerts->len >= 1000 || stream->flashes->len >= 1000 || stream->flash_times->len >= 1000
        || stream->timestamps.places->len >= REPORT_MOST_TIME_PLACES || stream->sound_spans.spans->len >= 1000)
      return TRUE;
  }
  return FALSE;
}

/* ---- Results ---------------------------------------------------------------------------------- */

/* What caps say that results do not. */
static void
follow_caps (ReportLiveInput * input, guint stream)
{
  ReportStreamSummary *summary = get_stream (input, stream);
  Following *following = &input->following[stream];
  ReportStream said = { 0 };
  GstCaps *caps;
  guint serial;

  caps = report_play_caps (input->play, stream, &serial);
  if (serial != following->serial && !report_caps_are_audio (caps)) {
    report_caps_describe (&said, caps);
    summary->next->frame_rate = said.frame_rate;
    summary->next->par_n = said.par_n;
    summary->next->par_d = said.par_d;
    summary->next->carried = said.carried;
    g_free (summary->next->colorimetry);
    summary->next->colorimetry = g_steal_pointer (&said.colorimetry);
    report_stream_clear (&said);
  }
  following->serial = serial;
  gst_caps_unref (caps);
}

/* The element's stream is there, or one behind it. */
static void
add_streams (ReportLiveInput * input, guint stream)
{
  for (guint i = input->summary->streams->len; i <= stream; i++) {
    ReportStream described;
    ReportStreamSummary *added;

    report_play_describe (input->play, i, &described);
    added = report_summary_add_stream (input->summary, &described);
    if (GST_CLOCK_TIME_IS_VALID (input->origin))
      added->start = added->end = input->origin;
    input->following[i].shown = (ReportLiveStream) {
      .is_audio = described.is_audio,.title = g_strdup (described.title),.luma_least = NAN,.luma_mean = NAN,.luma_most = NAN,
      .momentary = NAN,.short_term = NAN,.integrated = NAN,.range = NAN
    };
    report_stream_clear (&described);
  }
}

/* All streams count their times from the first result of the connection. */
static void
set_origin (ReportLiveInput * input, guint64 stream_time)
{
  const gint64 now = g_get_real_time ();

  input->origin = stream_time;
  /* A clock that runs fast is ahead. */
  input->anchor = input->settings->rate != 1 ? MAX (now, to_clock (input, input->position)) : now;
  /* It has moved while the connection came. */
  input->position = 0;
  for (guint i = 0; i < input->summary->streams->len; i++)
    get_stream (input, i)->start = get_stream (input, i)->end = stream_time;
}

/* A place where the times of a stream do not follow each other: as the report on a file has it. */
static void
add_time_place (ReportStreamSummary * stream, ReportTimeFault fault, guint64 start, guint64 end, guint64 count)
{
  ReportTimePlace *place;

  stream->timestamps.n[fault]++;
  stream->timestamps.gap_length += fault == REPORT_GAP ? count : 0;
  if (stream->timestamps.places->len >= REPORT_MOST_TIME_PLACES)
    return;
  place = report_objects_add (stream->timestamps.places, &report_time_place_shape);
  *place = (ReportTimePlace) {.fault = fault,.start = start,.end = end,.count = MAX (count, 1),.is_fault = TRUE };
}

/* @start, @end: of the gap, from the origin; @count: of frames or samples */
static void
add_gap (ReportLiveInput * input, guint index, guint64 start, guint64 end, guint64 count)
{
  add_time_place (get_stream (input, index), REPORT_GAP, start, end, count);
  input->following[index].shown.n_gaps++;
  input->has_changed = TRUE;
}

/* A picture came @distance frames after the one before. */
static void
look_for_missing_pictures (ReportLiveInput * input, guint index, gdouble distance, guint64 start, guint64 end)
{
  Following *following = &input->following[index];
  Doubt *doubt = &following->doubt;
  const gboolean is_other = distance < 0.5 || distance > REPORT_GAP_FRAMES;
  const gint64 ahead = is_other ? (gint64) (distance + 0.5) - 1 : 0;

  if (following->n_distances >= MOST_DISTANCES) {
    following->n_distances /= 2;
    following->n_others /= 2;
  }
  following->n_distances++;
  following->n_others += is_other;
  if (doubt->n == 0 && !is_other)
    return;
  if (doubt->n == 0)
    *doubt = (Doubt) { start, end, 0, 0 };
  doubt->ahead += ahead;
  doubt->n++;
  if (doubt->ahead != 0 && doubt->n <= MOST_SHIFTED)
    return;
  if (doubt->ahead > 0 && 10 * following->n_others <= following->n_distances)
    add_gap (input, index, doubt->start, doubt->end, (guint64) doubt->ahead);
  doubt->n = 0;
}

/* @times: from the origin */
static void
look_for_gap (ReportLiveInput * input, guint index, const HistoTimes * times)
{
  Following *following = &input->following[index];
  ReportStreamSummary *stream = get_stream (input, index);
  const gboolean is_audio = stream->stream->is_audio;
  const guint64 before = is_audio ? following->previous_end : following->previous, now = times->stream_time;
  const gdouble rate = is_audio ? stream->stream->rate : stream->next->frame_rate;

  stream->timestamps.n_buffers++;
  if (!GST_CLOCK_TIME_IS_VALID (now)) {
    stream->timestamps.n_untimed++;
    return;
  }
  if (GST_CLOCK_TIME_IS_VALID (before) && rate > 0) {
    const gdouble unit = GST_SECOND / rate, distance = (gdouble) now - (gdouble) before;

    if (!is_audio)
      look_for_missing_pictures (input, index, distance / unit, before + (guint64) unit, now);
    else if (distance > LEAST_SOUND_GAP)
      add_gap (input, index, before, now, (guint64) (distance / unit + 0.5));
  }
  following->previous = now;
  following->previous_end = GST_CLOCK_TIME_IS_VALID (times->duration) ? now + times->duration : GST_CLOCK_TIME_NONE;
}

/* Returns: a sample value in percent of the greatest one; NaN: unknown */
static gdouble
to_percent (const HistoComponentResult * component, gdouble value)
{
  return 100 * value / (component->depth > 0 ? ldexp (1, (gint) component->depth) - 1 : 1);
}

/* Notes what meters and charts show. */
static void
show_result (ReportLiveInput * input, guint index, gint64 time)
{
  const HistoResult *result = &input->result;
  ReportLiveStream *shown = &input->following[index].shown;
  gdouble values[REPORT_N_LIVE_FIGURES];

  for (guint i = 0; i < REPORT_N_LIVE_FIGURES; i++)
    values[i] = NAN;
  shown->n_results++;
  if (!result->is_audio && result->n_components > 0) {
    const HistoComponentResult *luma = &result->components[0];
    const gdouble motion = result->n_regions > 0 ? result->regions[0].figures.MOTION_scene_score : NAN;

    values[REPORT_LIVE_LUMA_LEAST] = shown->luma_least = to_percent (luma, luma->figures.min);
    values[REPORT_LIVE_LUMA_MEAN] = shown->luma_mean = to_percent (luma, luma->figures.mean);
    values[REPORT_LIVE_LUMA_MOST] = shown->luma_most = to_percent (luma, luma->figures.max);
    values[REPORT_LIVE_MOTION] = motion;
  }
  if (result->is_audio && histo_result_has_group (result, HISTO_GROUP_LEVEL) && result->levels != NULL) {
    gdouble power = 0;

    shown->n_channels = MIN (result->n_components, REPORT_MOST_METERS);
    for (guint c = 0; c < shown->n_channels; c++) {
      shown->peaks[c] = result->levels[c].peak;
      shown->rms[c] = result->levels[c].rms;
      values[REPORT_LIVE_PEAK] = fmax (values[REPORT_LIVE_PEAK], shown->peaks[c]);
      power += pow (10, shown->rms[c] / 10);
    }
    if (shown->n_channels > 0)
      values[REPORT_LIVE_RMS] = 10 * log10 (power / shown->n_channels + 1e-35);
  }
  if (result->is_audio && histo_result_has_group (result, HISTO_GROUP_LOUDNESS)) {
    shown->momentary = result->loudness.momentary;
    shown->short_term = result->loudness.short_term;
    shown->integrated = result->loudness.integrated;
    shown->range = result->loudness.range;
    if (isfinite (shown->momentary))
      values[REPORT_LIVE_MOMENTARY] = shown->momentary;
    if (isfinite (shown->short_term))
      values[REPORT_LIVE_SHORT_TERM] = shown->short_term;
  }
  /* Several streams of a medium: the charts show the first one. */
  for (guint i = 0; i < index; i++) {
    if (get_stream (input, i)->stream->is_audio == result->is_audio)
      return;
  }
  report_live_add (input->live, time, values);
}

static void
handle_alert (ReportLiveInput * input, guint index, const GstStructure * structure)
{
  ReportStreamSummary *stream = get_stream (input, index);
  HistoAlertEvent event;

  if (!histo_read_alert (structure, &event, NULL))
    return;
  event.start = report_stream_summary_count (stream, event.start);
  event.end = report_stream_summary_count (stream, event.end);
  event.value_time = report_stream_summary_count (stream, event.value_time);
  report_summary_add_alert (stream, &event);
  input->has_changed = input->has_changed || event.alert != HISTO_ALERT_SCENE;
  histo_alert_event_clear (&event);
}

/* Handles the alerts that came before the first result of their stream. */
static void
handle_early (ReportLiveInput * input, guint index)
{
  GList *next;

  for (GList * item = input->early.head; item != NULL; item = next) {
    GstMessage *message = item->data;

    next = item->next;
    if (report_play_stream_of (input->play, message) != (gint) index)
      continue;
    g_queue_delete_link (&input->early, item);
    handle_alert (input, index, gst_message_get_structure (message));
    gst_message_unref (message);
  }
}

/* The times jump back: the source has begun anew. Spans of before have ended. */
static void
begin_again (ReportLiveInput * input)
{
  g_autoptr (GPtrArray) nothing = report_notices_new ();

  g_ptr_array_unref (input->summary->notices);
  input->summary->notices = g_steal_pointer (&nothing);
  report_live_take (input->live, input->summary, &(ReportJournalTimes) { input->anchor, input->position, input->positions,
        REPORT_MOST_PLAYED, TRUE, FALSE });
  begin_connection (input);
}

static void
handle_result (ReportLiveInput * input, guint index, const GstStructure * structure)
{
  Following *following = &input->following[index];
  ReportStreamSummary *stream;
  HistoTimes times;

  if (!histo_read_result (structure, &input->result, NULL) || !histo_read_times (structure, &times))
    return;
  if (GST_CLOCK_TIME_IS_VALID (times.stream_time) && GST_CLOCK_TIME_IS_VALID (input->origin)
      && times.stream_time + MOST_BACK < input->origin + following->position) {
    begin_again (input);
    add_streams (input, index);
  }
  if (!GST_CLOCK_TIME_IS_VALID (input->origin) && GST_CLOCK_TIME_IS_VALID (times.stream_time))
    set_origin (input, times.stream_time);
  stream = get_stream (input, index);
  times.stream_time = report_stream_summary_count (stream, times.stream_time);
  follow_caps (input, index);
  look_for_gap (input, index, &times);
  report_summary_add_result (stream, &input->result, &times);
  report_short_faults_add_result (&stream->short_faults, &input->result, &times, report_stream_is_limited (stream->stream),
      input->least_black);
  report_judge_pass (input->judge, index, &input->result, &times);
  if (GST_CLOCK_TIME_IS_VALID (times.stream_time)) {
    following->position = times.stream_time + (GST_CLOCK_TIME_IS_VALID (times.duration) ? times.duration : 0);
    input->positions[index] = following->position;
    input->position = MAX (input->position, following->position);
  }
  input->latest = g_get_monotonic_time ();
  if (input->running_since == 0)
    input->running_since = input->latest;
  input->had[stream->stream->is_audio] = TRUE;
  show_result (input, index, to_clock (input, times.stream_time != GST_CLOCK_TIME_NONE ? times.stream_time : input->position));
  if (following->latest == 0) {
    following->shown.facts = report_stream_facts (stream->stream, NULL);
    handle_early (input, index);
  }
  following->latest = input->latest;
  following->length = GST_CLOCK_TIME_IS_VALID (times.duration) ? (gint64) (times.duration / 1000) : 0;
}

static void
handle_element (ReportLiveInput * input, GstMessage * message)
{
  const GstStructure *structure = gst_message_get_structure (message);
  const gboolean is_alert = gst_structure_has_name (structure, HISTO_ALERT_NAME);
  gint stream;

  if (gst_is_missing_plugin_message (message)) {
    g_free (input->problem);
    input->problem = report_integrity_describe_missing_plugin (message);
    return;
  }
  if (!is_alert && !gst_structure_has_name (structure, HISTO_RESULT_NAME) && !gst_structure_has_name (structure, HISTO_WINDOW_NAME))
    return;
  stream = report_play_stream_of (input->play, message);
  if (stream < 0)
    return;
  add_streams (input, (guint) stream);
  if (!is_alert)
    handle_result (input, (guint) stream, structure);
  else if (input->following[stream].latest != 0)
    handle_alert (input, (guint) stream, structure);
  else
    g_queue_push_tail (&input->early, gst_message_ref (message));
}

static void
handle_message (ReportLiveInput * input, GstMessage * message)
{
  GError *error = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ELEMENT:
      handle_element (input, message);
      break;
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, NULL);
      if (input->problem == NULL) {
        input->problem = report_clean_text (g_strdup (error->message));
        if (g_str_has_suffix (input->problem, "."))
          input->problem[strlen (input->problem) - 1] = '\0';
      }
      g_error_free (error);
      input->has_ended = TRUE;
      break;
    case GST_MESSAGE_EOS:
      input->has_ended = TRUE;
      break;
    default:
      break;
  }
}

/* ---- The state -------------------------------------------------------------------------------- */

/* Makes pictures of the frames that wait for it. */
static void
make_pictures (ReportLiveInput * input)
{
  for (guint i = 0; i < input->summary->streams->len && report_thumbnails_are_built (); i++) {
    g_autoptr (ReportReduced) reduced = NULL;
    GstBuffer *frame;
    GstCaps *caps;
    guint64 time;

    if (get_stream (input, i)->stream->is_audio)
      continue;
    frame = report_play_take_frame (input->play, i, &caps, &time);
    if (frame == NULL)
      return;
    if (GST_CLOCK_TIME_IS_VALID (input->origin) && GST_CLOCK_TIME_IS_VALID (time))
      reduced = report_reduced_new (frame, caps, PICTURE_SIZE, FALSE);
    if (reduced != NULL)
      report_live_add_picture (input->live, to_clock (input, time > input->origin ? time - input->origin : 0),
          report_reduced_encode (reduced, 0));
    gst_buffer_unref (frame);
    gst_caps_unref (caps);
    /* Only the first picture of an input is shown. */
    return;
  }
}

static void
show_streams (ReportLiveInput * input, gint64 latest)
{
  ReportLiveStream shown[REPORT_MOST_PLAYED];
  const guint n = MIN (input->summary->streams->len, REPORT_MOST_PLAYED);

  for (guint i = 0; i < n; i++) {
    if (input->play != NULL)
      report_play_count (input->play, i, &input->following[i].shown.counts);
    shown[i] = input->following[i].shown;
  }
  report_live_set_streams (input->live, shown, n, latest);
}

/* Makes the notices of the moment, and passes them on. @has_ended: the connection has */
static void
take_notices (ReportLiveInput * input, gboolean has_ended)
{
  const ReportJournalTimes times = {
    input->anchor, input->position, input->positions, REPORT_MOST_PLAYED, has_ended,
    !has_ended && input->chapter > 0 && input->position < input->chapter + SETTLING
  };

  report_summary_finish_so_far (input->summary);
  if (has_ended) {
    g_ptr_array_set_size (input->summary->policies, 0);
    report_judge_end (input->judge);
  } else {
    report_judge_look (input->judge);
  }
  report_notices_find_so_far (input->summary);
  report_live_take (input->live, input->summary, &times);
}

/* A clock that runs at another rate than the machine's: times are those of the machine. Results are late while they do not come, which
 * is no drift. */
static void
follow_clock (ReportLiveInput * input)
{
  const gint64 came = g_get_real_time () - (g_get_monotonic_time () - input->latest);

  if (input->settings->rate != 1 || input->lost != 0 || ABS (came - to_clock (input, input->position)) <= MOST_DRIFT)
    return;
  /* What has been told keeps its times. */
  take_notices (input, FALSE);
  begin_chapter (input, TRUE);
  input->anchor = came - (gint64) (input->position / 1000);
}

static void
clear_problems (ReportSummary * summary)
{
  g_ptr_array_set_size (summary->problems, 0);
  g_clear_pointer (&summary->problem, g_free);
  summary->is_complete = TRUE;
}

static void
add_missing (ReportLiveInput * input, gint stream, guint64 start, const gchar * text)
{
  /* This type leaves the notices on times of the stream alone. */
  report_summary_add_problem (input->summary, &(ReportProblem) { REPORT_PROBLEM_OTHER, stream, start, GST_CLOCK_TIME_NONE, 0, (gchar *) text });
  input->summary->is_complete = FALSE;
}

/* What the stream had is no figure of now. */
static void
clear_figures (ReportLiveStream * shown)
{
  shown->luma_least = shown->luma_mean = shown->luma_most = NAN;
  shown->momentary = shown->short_term = NAN;
  for (guint c = 0; c < shown->n_channels; c++)
    shown->peaks[c] = shown->rms[c] = NAN;
}

/* For so long, in µs, a stream may give nothing. Pictures that do not follow each other at a rate may be far from each other, whatever
 * length they state: slides, or what a camera or a screen gives when something moves. */
static gint64
patience_of (const Following * following)
{
  const gboolean is_regular = following->shown.is_audio || (following->n_distances >= LEAST_DISTANCES
      && 10 * following->n_others <= following->n_distances);

  return MAX (is_regular ? STALLED_AFTER : LOST_AFTER, MISSING_BUFFERS * following->length);
}

/* A stream gives nothing while others do, or the connection has no such stream and one before had: nothing else tells of it, since a
 * gap is known when its end comes. A file has nothing that could come late: its streams may end one before the other. */
static void
find_missing_streams (ReportLiveInput * input)
{
  static const gchar *const texts[] = { "no picture comes", "no sound comes" };
  const gint64 now = g_get_monotonic_time ();
  gboolean has[2] = { FALSE, FALSE };

  if (input->lost == 0)
    clear_problems (input->summary);
  for (guint i = 0; i < input->summary->streams->len; i++) {
    Following *following = &input->following[i];
    const gint64 patience = patience_of (following);
    /* After a pause of the whole input the streams come one after the other. */
    const gint64 since = MAX (following->latest, input->running_since);

    if (following->latest == 0)
      continue;
    has[following->shown.is_audio] = TRUE;
    if (now - since >= patience)
      clear_figures (&following->shown);
    /* If nothing comes at all, that is told. */
    if (input->lost != 0 || input->is_file || input->latest - since < patience)
      continue;
    /* The notice goes on with the others. */
    input->positions[i] = MAX (input->positions[i], input->position);
    add_missing (input, (gint) i, following->position, texts[following->shown.is_audio]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (has); i++) {
    if (input->lost == 0 && input->had[i] && !has[i] && input->latest - input->running_since >= STALLED_AFTER)
      add_missing (input, -1, 0, texts[i]);
  }
}

static void
look (ReportLiveInput * input)
{
  follow_clock (input);
  find_missing_streams (input);
  report_play_clean (input->play);
  make_pictures (input);
  /* Streams are shown before a notice is told: a client that reads it finds their figures. */
  show_streams (input, to_clock (input, input->position));
  take_notices (input, FALSE);
  if (input->position >= input->chapter + CHAPTER || is_full (input))
    begin_chapter (input, FALSE);
  input->has_changed = FALSE;
}

/* Sets or ends the problem of the whole input. @text: (nullable): NULL: there is none */
static void
set_problem (ReportLiveInput * input, const gchar * text)
{
  ReportSummary *summary = input->summary;

  clear_problems (summary);
  summary->is_complete = text == NULL;
  if (text != input->lost_text) {
    g_free (input->lost_text);
    input->lost_text = g_strdup (text);
  }
  if (text == NULL) {
    input->lost = 0;
    return;
  }
  if (input->lost == 0)
    input->lost = to_clock (input, input->position);
  report_summary_add_problem (summary, &(ReportProblem) {REPORT_PROBLEM_ERROR, -1, (guint64) MAX (input->lost - input->anchor, 0) * 1000,
        GST_CLOCK_TIME_NONE, 0, (gchar *) text });
}

/* Time passes while nothing comes. */
static void
pass_time (ReportLiveInput * input, gint64 since)
{
  const gint64 now = g_get_real_time ();

  if (input->anchor == 0)
    input->anchor = now;
  if (input->settings->rate != 1)
    input->position += (guint64) (since * 1000 * input->settings->rate);
  else
    input->position = MAX (input->position, (guint64) MAX (now - input->anchor, 0) * 1000);
}

/* The input was lost, and its connection gives nothing yet: the notice goes on. */
static void
wait_for_first (ReportLiveInput * input, gint64 since)
{
  pass_time (input, since);
  set_problem (input, input->lost_text);
  take_notices (input, FALSE);
}

/* ---- The thread ------------------------------------------------------------------------------- */

static gboolean
must_stop (ReportLiveInput * input)
{
  return g_atomic_int_get (&input->must_stop) != 0;
}

/* Nothing has come for a while. Returns: FALSE: the connection is given up */
static gboolean
wait_for_more (ReportLiveInput * input, gint64 begin, gboolean * is_stalled)
{
  const gint64 now = g_get_monotonic_time (), quiet = now - (input->latest != 0 ? input->latest : begin);

  if (quiet > (input->latest != 0 ? LOST_AFTER : PATIENCE)) {
    if (input->problem == NULL)
      input->problem = g_strdup_printf ("nothing came for %d s", (gint) (quiet / G_USEC_PER_SEC));
    return FALSE;
  }
  if (input->latest == 0 || quiet < STALLED_AFTER)
    return TRUE;
  if (!*is_stalled) {
    *is_stalled = TRUE;
    set_problem (input, "nothing comes");
    report_live_set_state (input->live, REPORT_LIVE_STALLED, "nothing comes", 0);
  }
  return TRUE;
}

/* Results come again after a pause, in which pass_time() has moved the position: the times of the source may have stood still. */
static void
resume (ReportLiveInput * input, gint64 now)
{
  input->position = 0;
  for (guint i = 0; i < REPORT_MOST_PLAYED; i++)
    input->position = MAX (input->position, input->following[i].position);
  input->running_since = now;
  set_problem (input, NULL);
  report_live_set_state (input->live, REPORT_LIVE_RUNNING, NULL, 0);
}

/* Follows a connection to its end. Returns: how long it gave results, in µs */
static gint64
follow (ReportLiveInput * input)
{
  const gint64 begin = g_get_monotonic_time ();
  gint64 latest_look = 0, latest_wait = begin, first = 0, fresh = 0, now;
  gboolean is_stalled = FALSE, is_given_up = FALSE;

  while (!must_stop (input) && !is_given_up) {
    g_autoptr (GstMessage) message = report_play_pop (input->play, input->has_ended ? 0 : TICK);

    if (message != NULL)
      handle_message (input, message);
    else if (input->has_ended)
      break;
    now = g_get_monotonic_time ();
    if (first == 0 && input->latest != 0) {
      first = now;
      set_problem (input, NULL);
      /* The streams are shown before the state: a client that reads it finds them. */
      look (input);
      latest_look = now;
      report_live_set_state (input->live, REPORT_LIVE_RUNNING, NULL, 0);
    }
    if (!is_stalled || now - input->latest >= STALLED_AFTER) {
      fresh = 0;
    } else if (fresh == 0) {
      fresh = now;
    } else if (now - fresh >= STEADY) {
      is_stalled = FALSE;
      resume (input, now);
    }
    if (first == 0 && input->lost != 0 && now - latest_wait >= MOST_STEP) {
      wait_for_first (input, now - latest_wait);
      latest_wait = now;
    }
    if (message == NULL)
      is_given_up = !wait_for_more (input, begin, &is_stalled);
    /* With a clock that runs fast, the step is one of its seconds, too. */
    if (first != 0 && now - latest_look >= (input->has_changed || input->settings->rate != 1 ? LEAST_STEP : MOST_STEP)) {
      if (is_stalled)
        pass_time (input, now - latest_look);
      look (input);
      latest_look = now;
    }
  }
  if (first != 0)
    look (input);
  return first != 0 ? input->latest - first : 0;
}

/* Waits, unless the input is stopped. @until: monotonic time */
static void
rest (ReportLiveInput * input, gint64 until)
{
  g_mutex_lock (&input->lock);
  while (!must_stop (input) && g_cond_wait_until (&input->is_stopping, &input->lock, until));
  g_mutex_unlock (&input->lock);
}

/* Waits for another try, while the time of the notice goes on. @seconds: of the clock of the input */
static void
wait_for_try (ReportLiveInput * input, gint64 seconds)
{
  gint64 now = g_get_monotonic_time (), until = now + (gint64) (seconds * G_USEC_PER_SEC / input->settings->rate);

  while (!must_stop (input) && now < until) {
    const gint64 before = now;

    rest (input, MIN (until, now + G_USEC_PER_SEC));
    now = g_get_monotonic_time ();
    pass_time (input, now - before);
    take_notices (input, TRUE);
  }
}

/* Returns: (transfer full) (nullable): NULL: there is no such file, which is the input's problem */
static gchar *
find_uri (ReportLiveInput * input)
{
  g_autoptr (GError) error = NULL;
  gchar *uri;

  if (g_str_equal (input->name, REPORT_TEST_INPUT))
    return g_strdup (input->name);
  uri = report_name_to_uri (input->name, &error);
  if (uri == NULL)
    input->problem = g_strdup (error->message);
  return uri;
}

/* One connection, from its begin to its end. Returns: how long it gave results, in µs */
static gint64
connect_once (ReportLiveInput * input, const gchar * uri)
{
  gint64 lasted = 0;

  input->has_ended = FALSE;
  input->is_file = g_str_has_prefix (uri, "file:");
  input->latest = 0;
  report_live_connect (input->live);
  input->play = report_play_new (uri, input->settings->settings, input->settings->n_threads, input->settings->rate);
  report_play_start (input->play);
  lasted = follow (input);
  g_queue_clear_full (&input->early, (GDestroyNotify) gst_message_unref);
  report_play_free (g_steal_pointer (&input->play));
  return lasted;
}

/* The connection is over. @text: why */
static void
end_connection (ReportLiveInput * input, ReportLiveState state, const gchar * text, gint64 pause)
{
  pass_time (input, 0);
  for (guint i = 0; i < input->summary->streams->len && state == REPORT_LIVE_WAITING; i++)
    clear_figures (&input->following[i].shown);
  set_problem (input, state == REPORT_LIVE_WAITING ? text : NULL);
  take_notices (input, TRUE);
  show_streams (input, 0);
  report_live_set_state (input->live, state, text, pause > 0 ? g_get_real_time () + pause * G_USEC_PER_SEC : 0);
}

static gpointer
run (gpointer data)
{
  ReportLiveInput *input = data;
  gint64 pause = FIRST_PAUSE;

  while (!must_stop (input)) {
    g_autofree gchar *uri = NULL;
    gint64 lasted = 0;
    gboolean is_over;

    g_clear_pointer (&input->problem, g_free);
    report_live_set_state (input->live, REPORT_LIVE_CONNECTING, NULL, 0);
    uri = find_uri (input);
    if (input->summary == NULL || uri != NULL)
      begin_connection (input);
    if (uri != NULL)
      lasted = connect_once (input, uri);
    if (must_stop (input))
      break;
    is_over = uri != NULL && input->is_file && input->problem == NULL && lasted > 0;
    if (is_over) {
      end_connection (input, REPORT_LIVE_ENDED, "the file has ended", 0);
      while (!must_stop (input))
        rest (input, g_get_monotonic_time () + G_USEC_PER_SEC);
      break;
    }
    if (lasted * input->settings->rate >= LASTED_LONG)
      pause = FIRST_PAUSE;
    end_connection (input, REPORT_LIVE_WAITING, input->problem != NULL ? input->problem : lasted > 0 ? "the connection has ended" :
        "has neither video nor sound", pause);
    wait_for_try (input, pause);
    pause = MIN (2 * pause, MOST_PAUSE);
  }
  g_atomic_int_set (&input->has_stopped, 1);
  return NULL;
}

/**
 * report_live_input_new:
 * @name: a file, a URI or REPORT_TEST_INPUT, in the encoding of file names
 * @live: what the input writes; must live as long as it
 * @settings: must live as long as the input
 *
 * Returns: (transfer full) (nullable): it runs; %NULL: the system gives no thread
 */
ReportLiveInput *
report_live_input_new (const gchar * name, ReportLive * live, const ReportLiveSettings * settings)
{
  ReportLiveInput *input = g_new0 (ReportLiveInput, 1);

  input->name = g_strdup (name);
  input->live = live;
  input->settings = settings;
  g_mutex_init (&input->lock);
  g_cond_init (&input->is_stopping);
  g_queue_init (&input->early);
  input->thread = g_thread_try_new ("live-input", run, input, NULL);
  if (input->thread == NULL) {
    report_live_input_free (input);
    return NULL;
  }
  return input;
}

/* Asks it to stop: the thread ends when it can. */
void
report_live_input_stop (ReportLiveInput * input)
{
  g_mutex_lock (&input->lock);
  g_atomic_int_set (&input->must_stop, 1);
  g_cond_broadcast (&input->is_stopping);
  g_mutex_unlock (&input->lock);
}

gboolean
report_live_input_has_stopped (ReportLiveInput * input)
{
  return g_atomic_int_get (&input->has_stopped) != 0;
}

/* Waits until it has stopped. */
void
report_live_input_free (ReportLiveInput * input)
{
  if (input->thread != NULL) {
    report_live_input_stop (input);
    g_thread_join (input->thread);
  }
  for (guint i = 0; i < REPORT_MOST_PLAYED; i++) {
    g_free (input->following[i].shown.title);
    g_free (input->following[i].shown.facts);
  }
  g_clear_pointer (&input->judge, report_judge_free);
  g_clear_pointer (&input->summary, report_summary_free);
  histo_result_clear (&input->result);
  g_free (input->problem);
  g_free (input->lost_text);
  g_free (input->name);
  g_cond_clear (&input->is_stopping);
  g_mutex_clear (&input->lock);
  g_free (input);
}
