/* The GStreamer pipeline of one input; see pipeline.h.
 *
 *   uridecodebin ─┬─ cudahisto ─ fakesink                       for each stream of video
 *                 ├─ audiobuffersplit ─ cudahisto ─ fakesink    for each stream of audio
 *                 └─ fakesink                                   for all others
 *
 * Where GStreamer is known to lose something of a file, libav reads all of it: then sources of libav-source.h are in the
 * place of uridecodebin.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/pipeline.h"

#include <gst/pbutils/pbutils.h>
#include <string.h>

#include "cudahisto/fields.h"
#include "base/describe.h"
#include "input/cuts.h"
#include "input/frame-pool.h"
#include "input/integrity.h"
#include "input/keeper.h"
#include "input/libav-source.h"
#include "input/segment.h"
#include "input/split.h"

/* Streams of video that have thumbnails. */
#define MOST_KEEPERS 4
/* Each thread of a decoder holds a frame. */
#define MOST_DECODER_THREADS 16
/* So many buffers of a stream may come before the streams are listed; cudahisto has fewer in flight. */
#define MOST_EARLY 16

/* What caps say that results do not, and the timestamp of the first frame of which they say it. */
typedef struct
{
  guint64 timestamp;
  ReportStream said;
} CapsFacts;

/* What corrects the caps of a pad of the decoder. */
typedef struct
{
  const ReportSaidStream *said;
  GstCaps *first;               /* as the decoder gave them; NULL: none yet */
} Correction;

/* A programme whose tracks libav joins. */
typedef struct
{
  const ReportProgramme *programme;
  gboolean is_given;            /* the stream that gives it is there, or will be at once */
  gchar *id;                    /* of its streams, the one that sorts first */
} Group;

/* A stream that is measured. */
typedef struct
{
  ReportPipeline *pipeline;
  GstPad *pad;                  /* of the decoder */
  GstElement *element;          /* cudahisto, with a reference of its own; NULL: a later part, which is over */
  GstElement *splitter, *sink;  /* before and behind it; splitter NULL: none */
  const ReportSaidStream *said; /* what the file says of the stream; NULL: unknown */
  ReportLibavSource *source;    /* gives the sound in place of the pad; NULL: none */
  const Group *group;           /* whose sound it is; NULL: that of one track */
  GstCaps *caps;                /* the first ones, corrected */
  GstPad *entry;                /* the first one that takes what is measured */
  gchar *id;                    /* of the stream: sorts in the order of the container */
  gboolean is_audio;
  guint number;                 /* in the order in which the decoder adds them */
  gboolean is_removed;          /* the decoder has removed its pad: its end comes soon */
  gboolean has_posted;          /* its results and its end */
  gboolean has_begun;           /* its begin has been handled */
  gboolean is_later_part;       /* of a chained file: it began when earlier ones were removed */
  gint stream;                  /* index of its ReportStream; -1: not listed yet */
  GArray *facts;                /* (element-type CapsFacts): of video; those whose results may come */
  ReportKeeper *keeper;         /* of video: chooses thumbnails; NULL: there are none */
  GstSegment segment;           /* of the thread that gives the tap what is measured */
  GQueue tapped;                /* (element-type Tapped): that came before the streams were listed; of this thread */
} Branch;

struct _ReportPipeline
{
  GstElement *pipeline;
  GstElement *decoder;          /* NULL: there is none, or libav reads the file */
  gboolean is_by_libav;         /* it reads the file */
  const ReportStatements *statements;   /* of the file; NULL: unknown */
  const GPtrArray *programmes;  /* (element-type ReportProgramme): of its tracks */
  const ReportSettings *settings;
  const ReportTap *tap;         /* NULL: none */
  gint n_in_tap;                /* atomic: threads that the tap has now */
  ReportQueue *queue;
  ReportIntegrity *integrity;
  gint is_matroska;             /* atomic */
  gint has_told_codec;          /* atomic: that a codec is not cut */
  gint is_split;                /* atomic: several decoders share a stream */
  gint n_pads;                  /* atomic: that demuxers have now */
  gint n_raw[2];                /* atomic: pads that the decoder has added: of video, of sound */
  GMutex lock;                  /* of what follows */
  GPtrArray *branches;          /* (element-type Branch) */
  GHashTable *by_element, *by_pad;      /* GstElement and GstPad → Branch */
  Group *groups;                /* of each programme */
  GHashTable *by_track;         /* GstPad → Group */
  GPtrArray *open;              /* (element-type Branch): whose ends have not been handled, in the order of their numbers */
  GPtrArray *ended;             /* (element-type Branch): whose elements may still be in the pipeline */
  GPtrArray *unmeasured;        /* (element-type GstElement): sinks of the other streams */
  GPtrArray *gone;              /* (element-type GstElement): sinks whose streams the decoder has removed */
  gboolean has_removed;         /* the decoder has removed a stream */
  GArray *streams;              /* (element-type ReportStream); fixed once they are listed */
  GCond is_ready;               /* the streams are listed, or nothing waits for this any more */
  gboolean is_listed, is_open;
};

/* A buffer for the tap. */
typedef struct
{
  GstBuffer *buffer;
  GstCaps *caps;
  guint64 time;                 /* stream time */
} Tapped;

static void
tapped_free (gpointer data)
{
  Tapped *tapped = data;

  gst_buffer_unref (tapped->buffer);
  gst_caps_unref (tapped->caps);
  g_free (tapped);
}

static void
clear_caps_facts (gpointer data)
{
  report_stream_clear (&((CapsFacts *) data)->said);
}

static void
branch_free (gpointer data)
{
  Branch *branch = data;

  g_clear_pointer (&branch->source, report_libav_source_free);
  report_keeper_free (branch->keeper);
  gst_object_unref (branch->pad);
  gst_clear_object (&branch->element);
  gst_caps_unref (branch->caps);
  gst_clear_object (&branch->entry);
  g_array_unref (branch->facts);
  g_queue_clear_full (&branch->tapped, tapped_free);
  g_free (branch->id);
  g_free (branch);
}

/* ---- Thumbnails ------------------------------------------------------------------------------- */

/* A probe of the sink pad of cudahisto. */
static GstPadProbeReturn
keep_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Branch *branch = data;
  GstCaps *caps = gst_pad_get_current_caps (pad);

  if (caps == NULL)
    return GST_PAD_PROBE_OK;
  report_keeper_enter (branch->keeper, GST_PAD_PROBE_INFO_BUFFER (info), caps);
  gst_caps_unref (caps);
  return GST_PAD_PROBE_OK;
}

/* Looks at a result or an alert while its frame is still in memory. */
static void
choose_thumbnails (ReportPipeline * pipeline, const GstMessage * message)
{
  const GstStructure *structure = gst_message_get_structure ((GstMessage *) message);
  const Branch *branch;
  ReportKeeper *keeper;

  if (pipeline->settings->thumbnails == 0)
    return;
  g_mutex_lock (&pipeline->lock);
  branch = g_hash_table_lookup (pipeline->by_element, GST_MESSAGE_SRC (message));
  keeper = branch != NULL ? branch->keeper : NULL;
  g_mutex_unlock (&pipeline->lock);
  if (keeper == NULL)
    return;
  if (gst_structure_has_name (structure, HISTO_RESULT_NAME))
    report_keeper_take (keeper, structure);
  else if (gst_structure_has_name (structure, HISTO_ALERT_NAME))
    report_keeper_take_alert (keeper, structure);
}

/* A later part of a chained file has none. Under the lock, before the branch is linked. */
static void
add_keeper (ReportPipeline * pipeline, Branch * branch)
{
  GstPad *entry;
  guint n = 0, in_flight;

  for (guint i = 0; i < pipeline->branches->len; i++)
    n += ((const Branch *) pipeline->branches->pdata[i])->keeper != NULL;
  if (branch->is_audio || branch->is_later_part || n >= MOST_KEEPERS || pipeline->settings->thumbnails == 0)
    return;
  g_object_get (branch->element, "max-in-flight", &in_flight, NULL);
  branch->keeper = report_keeper_new (pipeline->settings->thumbnails, pipeline->settings->has_sparse_thumbnails, in_flight);
  entry = gst_element_get_static_pad (branch->element, "sink");
  gst_pad_add_probe (entry, GST_PAD_PROBE_TYPE_BUFFER, keep_buffer, branch, NULL);
  gst_object_unref (entry);
}

/* Gives each stream of the summary its thumbnails, once the pipeline has ended. */
void
report_pipeline_finish_thumbnails (ReportPipeline * pipeline, ReportSummary * summary)
{
  g_mutex_lock (&pipeline->lock);
  for (guint i = 0; i < pipeline->branches->len; i++) {
    const Branch *branch = pipeline->branches->pdata[i];
    ReportStreamSummary *stream;
    const gchar *rotation;

    if (branch->keeper == NULL || branch->stream < 0 || (guint) branch->stream >= summary->streams->len)
      continue;
    stream = summary->streams->pdata[branch->stream];
    if (!GST_CLOCK_TIME_IS_VALID (stream->start))
      continue;
    rotation = report_facts_value (stream->facts, HISTO_FACT_ROTATION);
    g_ptr_array_unref (stream->thumbnails);
    stream->thumbnails = report_keeper_finish (branch->keeper, stream->start,
        rotation != NULL ? (gint) report_fact_parse (rotation) : 0);
  }
  g_mutex_unlock (&pipeline->lock);
}

/* ---- Messages --------------------------------------------------------------------------------- */

/* Called in the threads of the pipeline. */
static GstBusSyncReply
take_message (GstBus * bus, GstMessage * message, gpointer data)
{
  ReportPipeline *pipeline = data;
  const GstStructure *structure = gst_message_get_structure (message);

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ELEMENT:
      choose_thumbnails (pipeline, message);
      if (gst_structure_has_name (structure, HISTO_RESULT_NAME)
          || gst_structure_has_name (structure, HISTO_WINDOW_NAME))
        report_queue_push (pipeline->queue, message, TRUE);
      else if (gst_structure_has_name (structure, HISTO_ALERT_NAME)
          || gst_is_missing_plugin_message (message))
        report_queue_push (pipeline->queue, message, FALSE);
      else
        gst_message_unref (message);
      break;
    case GST_MESSAGE_ERROR:
    case GST_MESSAGE_WARNING:
      if (report_integrity_take_message (pipeline->integrity, message))
        gst_message_unref (message);
      else
        report_queue_push (pipeline->queue, message, FALSE);
      break;
    case GST_MESSAGE_EOS:
      report_queue_push (pipeline->queue, message, FALSE);
      break;
    default:
      gst_message_unref (message);
  }
  return GST_BUS_DROP;
}

/* Messages of this program's own, in line with the results: a stream begins or ends. */
#define BEGIN_NAME "cudahisto-report-begin"
#define END_NAME "cudahisto-report-end"
#define TOO_MANY_NAME "cudahisto-report-too-many-streams"

static void
push_own (ReportPipeline * pipeline, GstElement * element, const gchar * name)
{
  report_queue_push (pipeline->queue,
      gst_message_new_element (GST_OBJECT (element),
          gst_structure_new_empty (name)), FALSE);
}

/* ---- Streams ---------------------------------------------------------------------------------- */

/* Data of a pad of the decoder: the pad to which it was linked. */
#define FIRST_PAD "cudahisto-report-first-pad"

static void
link_pad (GstPad * pad, GstElement * element)
{
  GstPad *sink = gst_element_get_static_pad (element, "sink");

  gst_pad_link (pad, sink);
  g_object_set_data_full (G_OBJECT (pad), FIRST_PAD, sink, gst_object_unref);
}

/* A pad probe for events. */
static GstPadProbeReturn
correct_segment (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  ReportPipeline *pipeline = ((Branch *) data)->pipeline;

  return g_atomic_int_get (&pipeline->is_matroska) ? report_segment_correct (pad, info) : GST_PAD_PROBE_OK;
}

/* A pad probe for the first buffer after caps. */
static GstPadProbeReturn
note_caps (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Branch *branch = data;
  GstCaps *caps = gst_pad_get_current_caps (pad);
  CapsFacts facts = { GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)), {0} };

  if (caps == NULL)
    return GST_PAD_PROBE_REMOVE;
  report_caps_describe (&facts.said, caps);
  gst_caps_unref (caps);
  g_mutex_lock (&branch->pipeline->lock);
  g_array_append_val (branch->facts, facts);
  g_mutex_unlock (&branch->pipeline->lock);
  return GST_PAD_PROBE_REMOVE;
}

/* A pad probe for events. */
static GstPadProbeReturn
look_at_event (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return correct_segment (pad, info, data);
  gst_event_parse_caps (event, &caps);
  if (!report_caps_are_audio (caps))
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_caps, data,
        NULL);
  return GST_PAD_PROBE_OK;
}

static void
correction_free (gpointer data)
{
  Correction *correction = data;

  gst_clear_caps (&correction->first);
  g_free (correction);
}

/* A pad probe for events, the first one of a pad of the decoder: all that looks at the stream sees corrected caps. */
static GstPadProbeReturn
correct_caps (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Correction *correction = data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info), *corrected;
  GstCaps *caps, *new_caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  new_caps = report_statements_correct (correction->said, correction->first,
      caps);
  if (correction->first == NULL)
    correction->first = gst_caps_ref (caps);
  corrected = gst_event_new_caps (new_caps);
  gst_event_set_seqnum (corrected, gst_event_get_seqnum (event));
  gst_caps_unref (new_caps);
  gst_event_unref (event);
  GST_PAD_PROBE_INFO_DATA (info) = corrected;
  return GST_PAD_PROBE_OK;
}

/* Returns: (transfer none): an end of the pipeline, in it */
static GstElement *
make_sink (const ReportPipeline * pipeline)
{
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);

  /* No clock, and no waiting for the other streams. */
  g_object_set (sink, "sync", FALSE, "async", FALSE, "enable-last-sample",
      FALSE, NULL);
  gst_bin_add (GST_BIN (pipeline->pipeline), sink);
  gst_element_sync_state_with_parent (sink);
  return sink;
}

/* Makes a pad of the decoder say what the file says.
 *
 * @said: (out) (nullable): what that is
 *
 * Returns: (transfer full): its caps, with what the file says; empty: it has none, the stream cannot be decoded */
static GstCaps *
correct_pad (const ReportPipeline * pipeline, GstPad * pad,
    const ReportSaidStream ** said)
{
  GstCaps *caps = gst_pad_get_current_caps (pad), *corrected;
  Correction *correction;
  gchar *id;

  *said = NULL;
  if (caps == NULL)
    return gst_caps_new_empty ();
  id = gst_pad_get_stream_id (pad);
  correction = g_new0 (Correction, 1);
  correction->said = report_statements_find (pipeline->statements, id,
      report_caps_are_audio (caps));
  *said = correction->said;
  corrected = report_statements_correct (correction->said, NULL, caps);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, correct_caps,
      correction, correction_free);
  g_free (id);
  gst_caps_unref (caps);
  return corrected;
}

/* What GStreamer decodes goes nowhere; its decoder tells of damage. */
static void
link_source (const Branch * branch, GstElement * element)
{
  ReportPipeline *pipeline = branch->pipeline;
  GstElement *source = report_libav_source_element (branch->source);

  if (!pipeline->is_by_libav) {
    GstElement *unused = make_sink (pipeline);

    link_pad (branch->pad, unused);
    g_mutex_lock (&pipeline->lock);
    g_ptr_array_add (pipeline->unmeasured, gst_object_ref (unused));
    g_mutex_unlock (&pipeline->lock);
  }
  gst_bin_add (GST_BIN (pipeline->pipeline), source);
  gst_element_link (source, element);
  gst_element_sync_state_with_parent (source);
}

/* Links the pad of a branch; of sound by way of a splitter, if there is one. */
static void
link_measured_pad (Branch * branch, const GstCaps * caps)
{
  ReportPipeline *pipeline = branch->pipeline;
  GstElement *element = branch->element;
  GstElement *splitter = report_settings_make_splitter (caps);
  GstPad *sink = gst_element_get_static_pad (splitter != NULL ? splitter :
      element, "sink");

  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      look_at_event, branch, NULL);
  branch->entry = sink;
  if (splitter != NULL) {
    branch->splitter = splitter;
    gst_bin_add (GST_BIN (pipeline->pipeline), splitter);
    gst_element_link (splitter, element);
    gst_element_sync_state_with_parent (splitter);
  }
  if (branch->source != NULL)
    link_source (branch, splitter != NULL ? splitter : element);
  else
    link_pad (branch->pad, splitter != NULL ? splitter : element);
}

/* Waits until the streams are listed if more than @most buffers have come before. The result of the first one may be posted
 * when later ones have passed.
 *
 * Returns: whether they are */
static gboolean
wait_for_list (Branch * branch, guint most)
{
  ReportPipeline *pipeline = branch->pipeline;
  gboolean is_listed;

  g_mutex_lock (&pipeline->lock);
  while (!pipeline->is_listed && !pipeline->is_open && branch->tapped.length > most)
    g_cond_wait (&pipeline->is_ready, &pipeline->lock);
  is_listed = pipeline->is_listed;
  g_mutex_unlock (&pipeline->lock);
  return is_listed;
}

/* Gives the tap what has come. Once the streams are listed, the input does not begin again. */
static void
pass_on (Branch * branch)
{
  ReportPipeline *pipeline = branch->pipeline;
  Tapped *tapped;

  g_atomic_int_inc (&pipeline->n_in_tap);
  while (wait_for_list (branch, MOST_EARLY) && (tapped = g_queue_pop_head (&branch->tapped)) != NULL) {
    if (branch->stream >= 0)
      pipeline->tap->take (pipeline->tap->data, branch->stream, tapped->buffer, tapped->caps, tapped->time);
    tapped_free (tapped);
  }
  g_atomic_int_add (&pipeline->n_in_tap, -1);
}

/* A probe of the source pad of cudahisto. */
static GstPadProbeReturn
give_tap (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Branch *branch = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  Tapped *tapped;

  if (event != NULL) {
    gst_event_copy_segment (event, &branch->segment);
    gst_event_unref (event);
  }
  if (caps == NULL)
    return GST_PAD_PROBE_OK;
  tapped = g_new (Tapped, 1);
  *tapped = (Tapped) { gst_buffer_ref (buffer), caps, GST_CLOCK_TIME_NONE };
  if (branch->segment.format == GST_FORMAT_TIME && GST_BUFFER_PTS_IS_VALID (buffer))
    tapped->time = gst_segment_to_stream_time (&branch->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  g_queue_push_tail (&branch->tapped, tapped);
  pass_on (branch);
  return GST_PAD_PROBE_OK;
}

/* A stream ends: waits for the list, if any buffer waits. */
static void
finish_tap (Branch * branch)
{
  wait_for_list (branch, 0);
  pass_on (branch);
}

/* A probe of the source pad of cudahisto: all results have been posted. */
static GstPadProbeReturn
see_event (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Branch *branch = data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_EOS)
    return GST_PAD_PROBE_OK;
  push_own (branch->pipeline, branch->element, END_NAME);
  /* All results have been posted, so that the streams will be listed. */
  if (branch->pipeline->tap != NULL)
    finish_tap (branch);
  g_mutex_lock (&branch->pipeline->lock);
  branch->has_posted = TRUE;
  g_mutex_unlock (&branch->pipeline->lock);
  return GST_PAD_PROBE_OK;
}

/* Nothing waits for the thread that pops the messages any more, nor for the tap. */
static void
open_all (ReportPipeline * pipeline)
{
  report_queue_open (pipeline->queue);
  g_mutex_lock (&pipeline->lock);
  pipeline->is_open = TRUE;
  g_cond_broadcast (&pipeline->is_ready);
  g_mutex_unlock (&pipeline->lock);
  if (pipeline->tap != NULL)
    pipeline->tap->open (pipeline->tap->data);
}

/* A later part of a chained file continues the first stream of its medium. Under the lock.
 *
 * Returns: its index; -1: there is none, or the streams are not listed yet */
static gint
find_predecessor (ReportPipeline * pipeline, const Branch * later)
{
  for (guint s = 0; s < pipeline->streams->len; s++) {
    const ReportStream *stream =
        &g_array_index (pipeline->streams, ReportStream, s);

    if (stream->is_audio == later->is_audio)
      return stream->index;
  }
  return -1;
}

/* The pad of a track of a programme has come. The first one becomes the programme; libav reads the others with it.
 *
 * @id: (transfer full): of the stream
 * @group: (out): of the programme
 *
 * Returns: whether it is a later one */
static gboolean
is_joined (ReportPipeline * pipeline, const ReportProgramme * programme,
    GstPad * pad, gchar * id, Group ** group)
{
  gboolean is_later;
  guint i = 0;

  while (pipeline->programmes->pdata[i] != programme)
    i++;
  *group = &pipeline->groups[i];
  g_mutex_lock (&pipeline->lock);
  is_later = (*group)->is_given;
  (*group)->is_given = TRUE;
  (*group)->programme = programme;
  if ((*group)->id == NULL || g_strcmp0 (id, (*group)->id) < 0) {
    g_free ((*group)->id);
    (*group)->id = g_steal_pointer (&id);
  }
  if (pad != NULL)
    g_hash_table_insert (pipeline->by_track, pad, *group);
  g_mutex_unlock (&pipeline->lock);
  g_free (id);
  return is_later;
}

/* Whether libav gives a stream already, from its begin to its end: a later pad of the same stream has nothing new. */
static gboolean
is_given (ReportPipeline * pipeline, const ReportSaidStream * said)
{
  gboolean found = FALSE;

  g_mutex_lock (&pipeline->lock);
  for (guint i = 0; i < pipeline->branches->len; i++) {
    const Branch *branch = pipeline->branches->pdata[i];

    found = found || (branch->source != NULL && branch->said == said);
  }
  g_mutex_unlock (&pipeline->lock);
  return found;
}

/* The id of a stream of a file that libav reads. */
static gchar *
id_of_said (const ReportSaidStream * said)
{
  return g_strdup_printf ("%05d", said->index);
}

/* Measures a stream.
 *
 * @pad: of the decoder, or of the source
 * @group: (nullable): whose sound it is
 * @source: (transfer full) (nullable): gives the stream in place of the pad
 * @sink: at the end */
static void
add_branch (ReportPipeline * pipeline, GstPad * pad, GstCaps * caps,
    const ReportSaidStream * said, const Group * group,
    ReportLibavSource * source, GstElement * sink)
{
  GstPad *given = source != NULL ? report_libav_source_pad (source) : pad;
  GstPad *end;
  Branch *branch;

  branch = g_new0 (Branch, 1);
  branch->pipeline = pipeline;
  branch->facts = g_array_new (FALSE, FALSE, sizeof (CapsFacts));
  g_array_set_clear_func (branch->facts, clear_caps_facts);
  branch->pad = gst_object_ref (pad);
  branch->caps = gst_caps_ref (caps);
  branch->source = source;
  branch->group = group;
  branch->said = group != NULL ? &group->programme->said : said;
  branch->element = report_settings_make_element (pipeline->settings, caps);
  branch->sink = sink;
  branch->id = pipeline->is_by_libav ? id_of_said (said) : gst_pad_get_stream_id (pad);
  branch->is_audio = report_caps_are_audio (caps);
  gst_bin_add (GST_BIN (pipeline->pipeline), branch->element);
  gst_element_link (branch->element, sink);
  if (!branch->is_audio)
    report_frame_pool_offer (branch->element, sink);
  gst_element_sync_state_with_parent (branch->element);
  end = gst_element_get_static_pad (branch->element, "src");
  gst_pad_add_probe (end, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, see_event,
      branch, NULL);
  gst_segment_init (&branch->segment, GST_FORMAT_UNDEFINED);
  if (pipeline->tap != NULL)
    gst_pad_add_probe (end, GST_PAD_PROBE_TYPE_BUFFER, give_tap, branch, NULL);
  gst_object_unref (end);
  g_mutex_lock (&pipeline->lock);
  branch->number = pipeline->branches->len;
  branch->is_later_part = pipeline->has_removed;
  branch->stream = find_predecessor (pipeline, branch);
  add_keeper (pipeline, branch);
  g_ptr_array_add (pipeline->branches, branch);
  g_ptr_array_add (pipeline->open, branch);
  g_hash_table_insert (pipeline->by_element, branch->element, branch);
  g_hash_table_insert (pipeline->by_pad, branch->pad, branch);
  g_hash_table_insert (pipeline->by_pad, given, branch);
  g_mutex_unlock (&pipeline->lock);
  push_own (pipeline, branch->element, BEGIN_NAME);
  link_measured_pad (branch, caps);
}

/* Called in a thread of the decoder, which has no more streams to come when it unblocks them. */
static void
add_pad (GstElement * decoder, GstPad * pad, gpointer data)
{
  ReportPipeline *pipeline = data;
  const ReportSaidStream *said;
  GstCaps *caps = correct_pad (pipeline, pad, &said);
  GstElement *sink = make_sink (pipeline);
  const ReportProgramme *programme = report_programmes_of (pipeline->programmes, said);
  const gboolean is_measured = report_caps_are_measured (caps)
      && !report_integrity_refuse (pipeline->integrity, caps);
  Group *group = NULL;
  const gboolean is_known = programme == NULL ? is_given (pipeline, said) :
      is_measured && is_joined (pipeline, programme, pad, gst_pad_get_stream_id (pad), &group);
  ReportLibavSource *other = is_known || !is_measured ? NULL :
      group != NULL ? report_libav_source_new_programme (pipeline->statements->path, programme) :
      report_libav_source_is_better (pipeline->statements, said) ?
      report_libav_source_new (pipeline->statements->path, said) : NULL;

  if (report_caps_are_measured (caps))
    g_atomic_int_inc (&pipeline->n_raw[report_caps_are_audio (caps) ? 1 : 0]);
  report_integrity_watch_stream (pipeline->integrity,
      other != NULL ? report_libav_source_pad (other) : pad, pad, said,
      group != NULL && is_known);
  if (is_known || !is_measured) {
    link_pad (pad, sink);
    g_mutex_lock (&pipeline->lock);
    g_ptr_array_add (pipeline->unmeasured, gst_object_ref (sink));
    g_mutex_unlock (&pipeline->lock);
    gst_caps_unref (caps);
    return;
  }
  add_branch (pipeline, pad, caps, said, group, other, sink);
  gst_caps_unref (caps);
}

/* The decoder has added all of its streams, and gives nothing before. What libav gives must not come earlier: the streams are
 * listed when there is a result. */
static void
start_sources (GstElement * decoder, gpointer data)
{
  ReportPipeline *pipeline = data;

  g_mutex_lock (&pipeline->lock);
  for (guint i = 0; i < pipeline->branches->len; i++) {
    const Branch *branch = pipeline->branches->pdata[i];

    if (branch->source != NULL)
      report_libav_source_start (branch->source);
  }
  g_mutex_unlock (&pipeline->lock);
}

/* A chained file: the decoder replaces its pads, and the old ones get no end. They are not linked
 * any more. If all streams so far have ended, the pipeline says so before the next ones are there;
 * see report_pipeline_has_ended(). */
static void
remove_pad (GstElement * decoder, GstPad * pad, gpointer data)
{
  GstPad *first = g_object_get_data (G_OBJECT (pad), FIRST_PAD);
  ReportPipeline *pipeline = data;
  Branch *branch;
  guint place;

  g_mutex_lock (&pipeline->lock);
  branch = g_hash_table_lookup (pipeline->by_pad, pad);
  if (branch != NULL)
    branch->is_removed = pipeline->has_removed = TRUE;
  else if (first != NULL && g_ptr_array_find (pipeline->unmeasured,
          GST_OBJECT_PARENT (first), &place))
    g_ptr_array_add (pipeline->gone,
        g_ptr_array_steal_index (pipeline->unmeasured, place));
  g_mutex_unlock (&pipeline->lock);
  if (first != NULL)
    gst_pad_send_event (first, gst_event_new_eos ());
}

/* @element: in the pipeline; all of its data has passed */
static void
remove_element (ReportPipeline * pipeline, GstElement * element)
{
  gst_object_ref (element);
  gst_bin_remove (GST_BIN (pipeline->pipeline), element);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

/* Removes the elements of the parts of a chained file that are over. It may have thousands, and each would keep its
 * threads and histograms. Called in the thread that pops the messages. */
static void
remove_parts (ReportPipeline * pipeline)
{
  GPtrArray *elements = g_ptr_array_new_with_free_func (gst_object_unref);

  g_mutex_lock (&pipeline->lock);
  for (guint i = pipeline->ended->len; i-- > 0;) {
    Branch *branch = pipeline->ended->pdata[i];

    if (!branch->is_removed)
      continue;
    if (branch->splitter != NULL)
      g_ptr_array_add (elements, gst_object_ref (branch->splitter));
    g_ptr_array_add (elements, gst_object_ref (branch->element));
    g_ptr_array_add (elements, gst_object_ref (branch->sink));
    if (branch->is_later_part) {
      g_hash_table_remove (pipeline->by_element, branch->element);
      gst_clear_object (&branch->element);
    }
    g_ptr_array_remove_index_fast (pipeline->ended, i);
  }
  g_ptr_array_extend_and_steal (elements, pipeline->gone);
  pipeline->gone = g_ptr_array_new_with_free_func (gst_object_unref);
  g_mutex_unlock (&pipeline->lock);
  for (guint i = 0; i < elements->len; i++)
    remove_element (pipeline, elements->pdata[i]);
  g_ptr_array_unref (elements);
}

/* A demuxer adds a stream. For each one the decoder makes elements and threads, so it does not learn of all too many. It is
 * connected later than this function is. */
static void
count_pad (GstElement * demuxer, GstPad * pad, gpointer data)
{
  ReportPipeline *pipeline = data;
  gint n;

  if (!GST_PAD_IS_SRC (pad))
    return;
  n = g_atomic_int_add (&pipeline->n_pads, 1);
  if (n >= REPORT_MOST_STREAMS)
    g_signal_stop_emission_by_name (demuxer, "pad-added");
  if (n == REPORT_MOST_STREAMS)
    push_own (pipeline, pipeline->pipeline, TOO_MANY_NAME);
}

static void
uncount_pad (GstElement * demuxer, GstPad * pad, gpointer data)
{
  ReportPipeline *pipeline = data;

  if (GST_PAD_IS_SRC (pad))
    g_atomic_int_add (&pipeline->n_pads, -1);
}

/* Whether the decoder looks for elements that take what a pad gives. */
static gboolean
is_continued (GstElement * decoder, GstPad * pad, GstCaps * caps, gpointer data)
{
  ReportPipeline *pipeline = data;

  return !report_integrity_refuse (pipeline->integrity, caps);
}

/* Tells a decoder in which memory cudahisto takes frames. Without this, a decoder that is not
 * linked yet chooses the memory by itself. */
static gboolean
answer_caps_query (GstElement * decoder, GstPad * pad, GstElement * element,
    GstQuery * query, gpointer data)
{
  GstCaps *caps, *template, *filter, *raw;
  gboolean is_raw;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return FALSE;
  raw = report_measured_caps ();
  template = gst_pad_get_pad_template_caps (pad);
  is_raw = !gst_caps_is_any (template) && gst_caps_can_intersect (template,
      raw);
  gst_caps_unref (template);
  if (is_raw) {
    gst_query_parse_caps (query, &filter);
    caps = filter == NULL ? gst_caps_ref (raw) :
        gst_caps_intersect_full (filter, raw, GST_CAPS_INTERSECT_FIRST);
    gst_query_set_caps_result (query, caps);
    gst_caps_unref (caps);
  }
  gst_caps_unref (raw);
  return is_raw;
}

/* ---- Several decoders -------------------------------------------------------------------------- */

#define NOT_SPLIT_NAME "cudahisto-report-not-split"

static void
tell_not_split (gpointer data, const gchar * text, gboolean is_wrong)
{
  ReportPipeline *pipeline = data;

  report_queue_push (pipeline->queue,
      gst_message_new_element (GST_OBJECT (pipeline->pipeline),
          gst_structure_new (NOT_SPLIT_NAME, "text", G_TYPE_STRING, text,
              "is-wrong", G_TYPE_BOOLEAN, is_wrong, NULL)), FALSE);
}

/* Returns: (nullable): why the film is not cut; NULL: the message does not tell this
 * @is_wrong: (out): what has been measured so far may differ from what one decoder gives */
const gchar *
report_pipeline_why_not_split (const GstMessage * message, gboolean * is_wrong)
{
  const GstStructure *structure = gst_message_get_structure ((GstMessage *) message);

  if (!gst_message_has_name ((GstMessage *) message, NOT_SPLIT_NAME))
    return NULL;
  gst_structure_get_boolean (structure, "is-wrong", is_wrong);
  return gst_structure_get_string (structure, "text");
}

/* Returns: (nullable): why no film is cut as the settings are; NULL: they may be */
static const gchar *
find_obstacle (const ReportPipeline * pipeline)
{
  if (pipeline->is_by_libav)
    return "libav reads the file, because GStreamer loses something of it";
  if (pipeline->tap != NULL)
    return "its pictures are needed, not only what is counted of them";
  return report_settings_count_alone (pipeline->settings) ? NULL :
      "--set every and --set roi-meta need all frames in one place";
}

/* Data of the thread in which the decoder looks for an element: (GstElementFactory): which one it would take. */
static GPrivate taken = G_PRIVATE_INIT (gst_object_unref);

G_GNUC_BEGIN_IGNORE_DEPRECATIONS;

/* The decoder looks for an element that takes what a pad gives: in front of its decoders stands the one that is several.
 *
 * @factories: (element-type GstElementFactory): sorted
 * Returns: (transfer full) (nullable): the same with another order; NULL: it is right */
static GValueArray *
prefer_split (GstElement * decoder, GstPad * pad, GstCaps * caps,
    GValueArray * factories, gpointer data)
{
  ReportPipeline *pipeline = data;
  GstElementFactory *factory = NULL;
  GValueArray *preferred;
  GValue value = G_VALUE_INIT;
  guint place;

  for (place = 0; place < factories->n_values && factory == NULL; place++) {
    GstElementFactory *next = g_value_get_object (g_value_array_get_nth (factories, place));

    if (gst_element_factory_list_is_type (next, GST_ELEMENT_FACTORY_TYPE_DECODER | GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO))
      factory = next;
  }
  if (factory == NULL)
    return NULL;
  /* The pictures of a page are frames, of which those behind the decoders have no samples. */
  if (pipeline->settings->thumbnails > 0) {
    if (g_atomic_int_compare_and_exchange (&pipeline->has_told_codec, FALSE, TRUE))
      tell_not_split (pipeline, "its page has pictures of it, which --thumbnails=none leaves out", FALSE);
    return NULL;
  }
  if (!report_cuts_know (caps)) {
    g_autofree gchar *codec = gst_caps_is_fixed (caps) ? gst_pb_utils_get_codec_description (caps) : NULL;
    g_autofree gchar *text = g_strdup_printf ("%s is no codec that is cut", codec != NULL ? codec : "its codec");

    /* The decoder asks again behind a parser. */
    if (g_atomic_int_compare_and_exchange (&pipeline->has_told_codec, FALSE, TRUE))
      tell_not_split (pipeline, text, FALSE);
    return NULL;
  }
  g_private_replace (&taken, gst_object_ref (factory));
  preferred = g_value_array_copy (factories);
  g_value_init (&value, GST_TYPE_ELEMENT_FACTORY);
  g_value_take_object (&value, report_split_factory ());
  g_value_array_insert (preferred, place - 1, &value);
  g_value_unset (&value);
  return preferred;
}

G_GNUC_END_IGNORE_DEPRECATIONS;

static void
set_up_split (ReportPipeline * pipeline, ReportSplit * split)
{
  const ReportSplitOptions options = {
    g_private_get (&taken), pipeline->settings, pipeline->statements, &pipeline->is_matroska, tell_not_split, pipeline
  };

  report_split_set_up (split, &options);
  g_atomic_int_set (&pipeline->is_split, TRUE);
}

/* Returns: whether several decoders share a stream */
gboolean
report_pipeline_is_split (ReportPipeline * pipeline)
{
  return g_atomic_int_get (&pipeline->is_split);
}

/* Whether decoders that share a stream may have given other pictures than one does. What one makes of damaged data may depend on
 * the number of its threads, and both decoders of a picture at a cut complain of it. */
gboolean
report_pipeline_is_unsure (ReportPipeline * pipeline)
{
  return report_pipeline_is_split (pipeline) && report_integrity_has_errors (pipeline->integrity);
}

/* Called for each element that the decoder adds.
 *
 * Decoders of libav use as many threads as there are processors. Then they wait for each other while
 * one frame is slow to decode. One more thread fills the gap; FFmpeg does the same. */
static void
set_up_decoder (GstBin * bin, GstBin * parent, GstElement * element,
    gpointer data)
{
  ReportPipeline *pipeline = data;
  GstElementFactory *factory = gst_element_get_factory (element);
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element),
      "max-threads");
  gint threads;

  if (factory != NULL
      && g_str_equal (GST_OBJECT_NAME (factory), "matroskademux"))
    g_atomic_int_set (&pipeline->is_matroska, TRUE);
  if (REPORT_IS_SPLIT (element))
    set_up_split (pipeline, REPORT_SPLIT (element));
  /* One of those that share a film is not watched, but all of them together. */
  if (REPORT_IS_SPLIT (GST_OBJECT_PARENT (element)))
    report_integrity_prepare_decoder (element);
  else
    report_integrity_watch_element (pipeline->integrity, element, REPORT_IS_SPLIT (element));
  report_settings_make_exact (element);
  if (strstr (gst_element_get_metadata (element, GST_ELEMENT_METADATA_KLASS),
          "Demuxer") != NULL) {
    g_signal_connect (element, "pad-added", G_CALLBACK (count_pad), pipeline);
    g_signal_connect (element, "pad-removed", G_CALLBACK (uncount_pad),
        pipeline);
  }
  if (spec == NULL || spec->value_type != G_TYPE_INT)
    return;
  g_object_get (element, "max-threads", &threads, NULL);
  if (threads == 0)
    g_object_set (element, "max-threads",
        MIN ((gint) g_get_num_processors () + 1, MOST_DECODER_THREADS), NULL);
}

static void
watch_source (GstElement * decoder, GstElement * source, gpointer data)
{
  ReportPipeline *pipeline = data;

  report_integrity_watch_source (pipeline->integrity, source);
}

/* Decoders of which one loses something that the other one keeps. */
static const struct
{
  const gchar *better, *worse;
} decoders[] = {
  {"avdec_opus", "opusdec"},    /* gives 16 bits only, which cut peaks (1.22) */
  {"avdec_dca", "dtsdec"},      /* is off by 0.01 dB (1.22) */
};

/* Decoders are chosen by their ranks. */
static void
prefer_decoders (void)
{
  GstRegistry *registry = gst_registry_get ();

  for (guint i = 0; i < G_N_ELEMENTS (decoders); i++) {
    GstPluginFeature *better = gst_registry_lookup_feature (registry, decoders[i].better);
    GstPluginFeature *worse = gst_registry_lookup_feature (registry, decoders[i].worse);

    if (better != NULL && worse != NULL)
      gst_plugin_feature_set_rank (better, MAX (gst_plugin_feature_get_rank (better),
              gst_plugin_feature_get_rank (worse) + 1));
    g_clear_object (&better);
    g_clear_object (&worse);
  }
}

/* ---- The pipeline ----------------------------------------------------------------------------- */

/**
 * report_pipeline_new:
 * @statements: (nullable): what the file itself says; must live as long as the pipeline
 * @programmes: (element-type ReportProgramme): of its tracks; must live as long as the pipeline
 * @settings: checked; must live as long as the pipeline
 * @is_by_libav: libav reads the file in any case, because GStreamer cannot
 * @tap: (nullable): gets what is measured; must live as long as the pipeline
 *
 * Returns: (transfer full): to be freed with report_pipeline_free()
 */
ReportPipeline *
report_pipeline_new (const gchar * uri, const ReportStatements * statements,
    const GPtrArray * programmes, const ReportSettings * settings,
    gboolean is_by_libav, const ReportTap * tap)
{
  ReportPipeline *pipeline = g_new0 (ReportPipeline, 1);
  const gchar *obstacle;
  GstBus *bus;

  pipeline->statements = statements;
  pipeline->programmes = programmes;
  pipeline->groups = g_new0 (Group, programmes->len);
  pipeline->by_track = g_hash_table_new (NULL, NULL);
  pipeline->settings = settings;
  pipeline->tap = tap;
  g_cond_init (&pipeline->is_ready);
  pipeline->queue = report_queue_new ();
  pipeline->integrity = report_integrity_new (settings->max_pixels);
  g_mutex_init (&pipeline->lock);
  pipeline->branches = g_ptr_array_new_with_free_func (branch_free);
  pipeline->by_element = g_hash_table_new (NULL, NULL);
  pipeline->by_pad = g_hash_table_new (NULL, NULL);
  pipeline->open = g_ptr_array_new ();
  pipeline->ended = g_ptr_array_new ();
  pipeline->unmeasured = g_ptr_array_new_with_free_func (gst_object_unref);
  pipeline->gone = g_ptr_array_new_with_free_func (gst_object_unref);
  pipeline->streams = g_array_new (FALSE, TRUE, sizeof (ReportStream));
  g_array_set_clear_func (pipeline->streams,
      (GDestroyNotify) report_stream_clear);
  prefer_decoders ();
  pipeline->pipeline = gst_pipeline_new (NULL);
  bus = gst_element_get_bus (pipeline->pipeline);
  gst_bus_set_sync_handler (bus, take_message, pipeline, NULL);
  gst_object_unref (bus);
  pipeline->is_by_libav = is_by_libav || report_libav_source_has_file (statements);
  obstacle = find_obstacle (pipeline);
  if (settings->split != 1 && obstacle != NULL)
    tell_not_split (pipeline, obstacle, FALSE);
  if (pipeline->is_by_libav)
    return pipeline;
  pipeline->decoder = gst_element_factory_make ("uridecodebin", NULL);
  if (pipeline->decoder == NULL)
    return pipeline;
  g_object_set (pipeline->decoder, "uri", uri, NULL);
  g_signal_connect (pipeline->decoder, "pad-added", G_CALLBACK (add_pad),
      pipeline);
  g_signal_connect (pipeline->decoder, "pad-removed", G_CALLBACK (remove_pad),
      pipeline);
  g_signal_connect (pipeline->decoder, "no-more-pads", G_CALLBACK (start_sources),
      pipeline);
  g_signal_connect (pipeline->decoder, "autoplug-continue",
      G_CALLBACK (is_continued), pipeline);
  g_signal_connect (pipeline->decoder, "autoplug-query",
      G_CALLBACK (answer_caps_query), pipeline);
  g_signal_connect (pipeline->decoder, "source-setup", G_CALLBACK (watch_source),
      pipeline);
  g_signal_connect (pipeline->decoder, "deep-element-added",
      G_CALLBACK (set_up_decoder), pipeline);
  if (settings->split != 1 && obstacle == NULL)
    g_signal_connect (pipeline->decoder, "autoplug-sort", G_CALLBACK (prefer_split), pipeline);
  gst_bin_add (GST_BIN (pipeline->pipeline), pipeline->decoder);
  return pipeline;
}

/* Stops and frees it. */
void
report_pipeline_free (ReportPipeline * pipeline)
{
  open_all (pipeline);
  /* The decoder removes its pads when it stops. */
  if (pipeline->decoder != NULL)
    g_signal_handlers_disconnect_by_data (pipeline->decoder, pipeline);
  gst_element_set_state (pipeline->pipeline, GST_STATE_NULL);
  /* The threads of sources tell what is watched. */
  g_ptr_array_unref (pipeline->branches);
  gst_object_unref (pipeline->pipeline);
  report_queue_free (pipeline->queue);
  report_integrity_free (pipeline->integrity);
  g_ptr_array_unref (pipeline->open);
  g_ptr_array_unref (pipeline->ended);
  g_hash_table_unref (pipeline->by_element);
  g_hash_table_unref (pipeline->by_pad);
  g_hash_table_unref (pipeline->by_track);
  for (guint i = 0; i < pipeline->programmes->len; i++)
    g_free (pipeline->groups[i].id);
  g_free (pipeline->groups);
  g_ptr_array_unref (pipeline->unmeasured);
  g_ptr_array_unref (pipeline->gone);
  g_array_unref (pipeline->streams);
  g_cond_clear (&pipeline->is_ready);
  g_mutex_clear (&pipeline->lock);
  g_free (pipeline);
}

/* Makes the source of a stream, unless one that joins it with others is there.
 *
 * Returns: (transfer full) (nullable) */
static ReportLibavSource *
make_source (ReportPipeline * pipeline, const ReportSaidStream * said)
{
  const ReportProgramme *programme = report_programmes_of (pipeline->programmes, said);
  ReportLibavSource *source;
  Group *group;

  if (report_integrity_refuse_size (pipeline->integrity, said)
      || (programme != NULL && is_joined (pipeline, programme, NULL, id_of_said (said), &group)))
    return NULL;
  source = programme != NULL ? report_libav_source_new_programme (pipeline->statements->path, programme) :
      report_libav_source_new (pipeline->statements->path, said);
  /* Of tracks that are joined, nobody tells the packets. */
  report_libav_source_watch (source,
      report_integrity_watch_libav (pipeline->integrity,
          report_libav_source_pad (source), said, programme == NULL));
  report_libav_source_begin (source);
  return source;
}

/* Adds a stream that libav gives.
 *
 * @said: of the stream, or of the first track that is joined
 * @source: (transfer full): has begun */
static void
add_source (ReportPipeline * pipeline, const ReportSaidStream * said,
    ReportLibavSource * source)
{
  const ReportProgramme *programme = report_programmes_of (pipeline->programmes, said);
  GstCaps *caps = report_libav_source_wait (source);
  const Group *group = NULL;

  if (caps == NULL) {
    if (report_libav_source_has_packets (source))
      report_integrity_note_mute (pipeline->integrity, said,
          report_libav_source_unknown_format (source));
    report_libav_source_free (source);
    return;
  }
  for (guint i = 0; programme != NULL && i < pipeline->programmes->len; i++) {
    if (pipeline->programmes->pdata[i] == programme)
      group = &pipeline->groups[i];
  }
  add_branch (pipeline, report_libav_source_pad (source), caps, said, group,
      source, make_sink (pipeline));
  gst_caps_unref (caps);
}

/* All streams of the file are there before one of them gives anything. */
static gboolean
begin_sources (ReportPipeline * pipeline)
{
  const GArray *streams = pipeline->statements->streams;
  const guint n = MIN (streams->len, REPORT_MOST_STREAMS);
  g_autofree ReportLibavSource **sources = g_new (ReportLibavSource *, n);

  for (guint s = 0; s < n; s++)
    sources[s] = make_source (pipeline, &g_array_index (streams, ReportSaidStream, s));
  for (guint s = 0; s < n; s++) {
    if (sources[s] != NULL)
      add_source (pipeline, &g_array_index (streams, ReportSaidStream, s), sources[s]);
  }
  if (gst_element_set_state (pipeline->pipeline, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_FAILURE)
    return FALSE;
  start_sources (NULL, pipeline);
  return TRUE;
}

/* Returns: FALSE if it cannot be started. If there is a reason, then an error is the next message. */
gboolean
report_pipeline_start (ReportPipeline * pipeline)
{
  if (pipeline->is_by_libav)
    return begin_sources (pipeline);
  return pipeline->decoder != NULL
      && gst_element_set_state (pipeline->pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE;
}

/**
 * report_pipeline_pop:
 * @timeout: in µs
 *
 * Returns: (transfer full) (nullable): the next message: a result, a window, an alert, the begin or
 * the end of a stream, a missing plugin, a warning, an error, the end of all streams; NULL: none
 * came in time
 */
GstMessage *
report_pipeline_pop (ReportPipeline * pipeline, gint64 timeout)
{
  return report_queue_pop (pipeline->queue, timeout);
}

/* Ends all streams as if the input ended here. What has been measured follows as messages, then
 * the end. Nothing waits for the thread that pops the messages any more. */
void
report_pipeline_end (ReportPipeline * pipeline)
{
  GPtrArray *pads = g_ptr_array_new_with_free_func (gst_object_unref);

  open_all (pipeline);
  g_mutex_lock (&pipeline->lock);
  for (guint i = 0; i < pipeline->open->len; i++) {
    const Branch *branch = pipeline->open->pdata[i];

    g_ptr_array_add (pads, gst_element_get_static_pad (branch->element,
            "sink"));
  }
  /* The pipeline ends when all of its sinks have. */
  for (guint i = 0; i < pipeline->unmeasured->len; i++)
    g_ptr_array_add (pads,
        gst_element_get_static_pad (pipeline->unmeasured->pdata[i], "sink"));
  g_mutex_unlock (&pipeline->lock);
  for (guint i = 0; i < pads->len; i++)
    gst_pad_send_event (pads->pdata[i], gst_event_new_eos ());
  if (pads->len == 0)
    gst_element_post_message (pipeline->pipeline,
        gst_message_new_eos (GST_OBJECT (pipeline->pipeline)));
  g_ptr_array_unref (pads);
}

static gboolean
has_ended (GstPad * pad)
{
  GstEvent *end = gst_pad_get_sticky_event (pad, GST_EVENT_EOS, 0);

  if (end == NULL)
    return FALSE;
  gst_event_unref (end);
  return TRUE;
}

/* Whether the input has ended, and all of its results have been posted. The end of all streams is
 * not the end of a chained file, and its pipeline may post only the first one. */
gboolean
report_pipeline_has_ended (ReportPipeline * pipeline)
{
  gboolean all = TRUE;

  /* The decoder has pads, and all of them have ended. */
  if (pipeline->decoder != NULL) {
    GST_OBJECT_LOCK (pipeline->decoder);
    for (GList * item = pipeline->decoder->srcpads; item != NULL;
        item = item->next)
      all = all && has_ended (item->data);
    all = all && pipeline->decoder->srcpads != NULL;
    GST_OBJECT_UNLOCK (pipeline->decoder);
  }
  g_mutex_lock (&pipeline->lock);
  for (guint i = 0; i < pipeline->open->len; i++)
    all = all && ((const Branch *) pipeline->open->pdata[i])->has_posted;
  /* The end of a stream comes before the tap has had all of it. */
  for (guint i = 0; i < pipeline->ended->len; i++)
    all = all && ((const Branch *) pipeline->ended->pdata[i])->has_posted;
  g_mutex_unlock (&pipeline->lock);
  return all;
}

/* Whether the task of a pad begins something by itself: that of a source, or of an element that reads from one. Those of
 * queues, of cudahisto and of some decoders wait for what others give. */
static gboolean
begins_by_itself (const GstElement * element, GstPad * pad)
{
  return GST_PAD_IS_SINK (pad) || element->numsinkpads == 0;
}

/* Whether some element still runs. If a demuxer fails while decodebin tries it, decodebin may drop
 * its error: then all threads pause, and no message comes.
 *
 * @all: also elements that run, or wait, until others give something */
gboolean
report_pipeline_is_moving (ReportPipeline * pipeline, gboolean all)
{
  GstIterator *elements =
      gst_bin_iterate_recurse (GST_BIN (pipeline->pipeline));
  GValue item = G_VALUE_INIT;
  GstIteratorResult result;
  gboolean is_moving = FALSE;

  while (!is_moving
      && (result = gst_iterator_next (elements, &item)) == GST_ITERATOR_OK) {
    GstElement *element = g_value_get_object (&item);

    GST_OBJECT_LOCK (element);
    for (GList * pad = element->pads; pad != NULL; pad = pad->next)
      is_moving = is_moving || ((all || begins_by_itself (element, pad->data))
          && gst_pad_get_task_state (pad->data) == GST_TASK_STARTED);
    GST_OBJECT_UNLOCK (element);
    g_value_reset (&item);
  }
  /* Elements come or go while they are looked at. */
  is_moving = is_moving || result == GST_ITERATOR_RESYNC;
  g_value_unset (&item);
  gst_iterator_free (elements);
  return is_moving;
}

/* Returns: in ns; GST_CLOCK_TIME_NONE: unknown */
guint64
report_pipeline_duration (ReportPipeline * pipeline)
{
  gint64 duration;

  if (pipeline->is_by_libav)
    return report_statements_duration (pipeline->statements);
  if (gst_element_query_duration (pipeline->pipeline, GST_FORMAT_TIME,
          &duration) && duration > 0)
    return duration;
  return GST_CLOCK_TIME_NONE;
}

/* ---- Listing ---------------------------------------------------------------------------------- */

static const gchar *
id_of (const Branch * branch)
{
  return branch->group != NULL ? branch->group->id : branch->id;
}

/* Later parts come last, in their order in the file. */
static gint
compare_branches (gconstpointer a, gconstpointer b)
{
  const Branch *one = *(Branch * const *) a, *other = *(Branch * const *) b;
  const gint order = one->is_later_part || other->is_later_part ?
      one->is_later_part - other->is_later_part :
      g_strcmp0 (id_of (one), id_of (other));

  return order != 0 ? order : (gint) one->number - (gint) other->number;
}

/* Returns: (transfer full) (nullable): what sound of a file with programmes is called: "sound 3" is its third track; NULL: of
 * other streams the place among all tells which one it is */
static gchar *
name_sound (const Branch * branch)
{
  const ReportPipeline *pipeline = branch->pipeline;

  return pipeline->programmes->len == 0 || branch->said == NULL || !branch->is_audio ? NULL :
      branch->group != NULL ? g_strdup_printf ("sound %s", branch->group->programme->name) :
      g_strdup_printf ("sound %u", report_programmes_number (pipeline->statements, branch->said));
}

static void
describe (const Branch * branch, guint index, ReportStream * stream)
{
  GstCaps *caps = gst_pad_get_current_caps (branch->entry);
  gchar *name = name_sound (branch);
  /* What libav decodes does not wait for the tags of GStreamer's demuxer. */
  g_autoptr (GstTagList) tags = branch->source != NULL ? report_statements_tags (branch->said) :
      report_pad_collect_tags (branch->pad, GST_TAG_SCOPE_STREAM);

  /* Those that have come, which may have changed since. */
  report_stream_describe (stream, index, name, tags, caps != NULL ? caps : branch->caps);
  if (branch->source != NULL)
    stream->decoder = g_strdup (REPORT_LIBAV);
  if (branch->group != NULL)
    report_stream_describe_programme (stream, name, branch->group->programme->name, branch->group->programme->source,
        branch->said->container.language, branch->said->codec);
  gst_clear_caps (&caps);
  g_free (name);
  g_object_get (branch->element, "measures", &stream->groups, NULL);
}

/**
 * report_pipeline_list_streams:
 *
 * Lists the streams that the decoder has found. Called once, when there is a result: the decoder adds
 * all of its streams before it gives anything. Of a short chained file it may already have added later parts.
 *
 * Returns: how many there are
 */
guint
report_pipeline_list_streams (ReportPipeline * pipeline)
{
  g_mutex_lock (&pipeline->lock);
  g_ptr_array_sort (pipeline->branches, compare_branches);
  for (guint i = 0; i < pipeline->branches->len; i++) {
    Branch *branch = pipeline->branches->pdata[i];
    ReportStream stream;

    if (branch->is_later_part) {
      branch->stream = find_predecessor (pipeline, branch);
      continue;
    }
    branch->stream = i;
    describe (branch, i, &stream);
    g_array_append_val (pipeline->streams, stream);
  }
  if (pipeline->tap != NULL)
    pipeline->tap->begin (pipeline->tap->data, (ReportStream *) pipeline->streams->data, pipeline->streams->len);
  pipeline->is_listed = TRUE;
  g_cond_broadcast (&pipeline->is_ready);
  g_mutex_unlock (&pipeline->lock);
  return pipeline->streams->len;
}

/* Describes a stream again: its tags are known when it has a result. */
void
report_pipeline_describe_stream (ReportPipeline * pipeline, guint stream)
{
  ReportStream *description =
      &g_array_index (pipeline->streams, ReportStream, stream);
  const Branch *branch;

  g_mutex_lock (&pipeline->lock);
  branch = pipeline->branches->pdata[stream];
  report_stream_clear (description);
  describe (branch, stream, description);
  g_mutex_unlock (&pipeline->lock);
}

/* Returns: (transfer none) (nullable): what the file says of a stream that is listed; NULL: nobody could read it */
const ReportSaidStream *
report_pipeline_said (ReportPipeline * pipeline, guint stream)
{
  const ReportSaidStream *said;

  g_mutex_lock (&pipeline->lock);
  said = ((const Branch *) pipeline->branches->pdata[stream])->said;
  g_mutex_unlock (&pipeline->lock);
  return said;
}

/* Returns: (transfer none): the streams that are listed; the caller may set their origins */
ReportStream *
report_pipeline_streams (ReportPipeline * pipeline)
{
  return (ReportStream *) pipeline->streams->data;
}

/* The branch whose element a message is of. Under the lock.
 *
 * Returns: (nullable) */
static Branch *
find_branch (ReportPipeline * pipeline, const GstMessage * message)
{
  return g_hash_table_lookup (pipeline->by_element, GST_MESSAGE_SRC (message));
}

/* Whether the frames of the first caps are over: the first frame of the second ones is there, or a later one. */
static gboolean
is_reached (const CapsFacts * first, const CapsFacts * second,
    guint64 timestamp)
{
  return timestamp == second->timestamp
      || (second->timestamp >= first->timestamp
      && GST_CLOCK_TIME_IS_VALID (timestamp) && timestamp > second->timestamp);
}

/**
 * report_pipeline_describe_frame:
 * @message: the next result of a stream of video
 * @timestamp: of the frame
 * @stream: (inout): what results do not say is set: its frame rate, the shape of its pixels, its colorimetry and what
 *   it says of its light
 */
void
report_pipeline_describe_frame (ReportPipeline * pipeline,
    const GstMessage * message, guint64 timestamp, ReportStream * stream)
{
  const Branch *branch;
  const ReportStream *said;

  g_mutex_lock (&pipeline->lock);
  branch = find_branch (pipeline, message);
  while (branch != NULL && branch->facts->len > 1
      && is_reached (&g_array_index (branch->facts, CapsFacts, 0),
          &g_array_index (branch->facts, CapsFacts, 1), timestamp))
    g_array_remove_index (branch->facts, 0);
  if (branch != NULL && branch->facts->len > 0) {
    said = &g_array_index (branch->facts, CapsFacts, 0).said;
    stream->frame_rate = said->frame_rate;
    stream->par_n = said->par_n;
    stream->par_d = said->par_d;
    stream->carried = said->carried;
    if (g_strcmp0 (stream->colorimetry, said->colorimetry) != 0) {
      g_free (stream->colorimetry);
      stream->colorimetry = g_strdup (said->colorimetry);
    }
  }
  g_mutex_unlock (&pipeline->lock);
}

/* Returns: the index of the stream that a result or an alert is of; -1: of none that is listed */
gint
report_pipeline_stream_of (ReportPipeline * pipeline,
    const GstMessage * message)
{
  Branch *branch;
  gint stream;

  g_mutex_lock (&pipeline->lock);
  branch = find_branch (pipeline, message);
  stream = branch != NULL ? branch->stream : -1;
  g_mutex_unlock (&pipeline->lock);
  return stream;
}

static gint
find_stream (gpointer data, GstPad * pad)
{
  ReportPipeline *pipeline = data;
  const Branch *branch;
  const Group *group;
  gint stream;

  g_mutex_lock (&pipeline->lock);
  branch = g_hash_table_lookup (pipeline->by_pad, pad);
  group = g_hash_table_lookup (pipeline->by_track, pad);
  for (guint i = 0; branch == NULL && group != NULL && i < pipeline->branches->len; i++) {
    const Branch *other = pipeline->branches->pdata[i];

    branch = other->group == group ? other : NULL;
  }
  stream = branch != NULL ? branch->stream : -1;
  g_mutex_unlock (&pipeline->lock);
  return stream;
}

/* What became of the tracks of the programmes. What is missing between two parts of a track is silence, and a fault; so is a
 * track that gives nothing. */
static void
add_tracks (ReportPipeline * pipeline, ReportSummary * summary)
{
  for (guint i = 0; i < pipeline->branches->len; i++) {
    const Branch *branch = pipeline->branches->pdata[i];
    const ReportProgramme *programme = branch->group != NULL ? branch->group->programme : NULL;
    const ReportJoined *joined = branch->source != NULL ? report_libav_source_tracks (branch->source) : NULL;
    ReportStreamSummary *stream;

    if (programme == NULL || branch->stream < 0)
      continue;
    stream = summary->streams->pdata[branch->stream];
    for (guint t = 0; t < programme->n_tracks; t++) {
      ReportTrack *track = report_objects_add (stream->tracks, &report_track_shape);
      ReportProblem problem = { REPORT_PROBLEM_MISSING, branch->stream, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, 0, NULL };

      track->number = programme->numbers[t];
      if (joined == NULL)
        continue;
      track->n_samples = joined[t].n_samples;
      track->n_before = joined[t].n_before;
      track->n_between = joined[t].n_between;
      track->n_behind = joined[t].n_behind;
      if (track->n_samples == 0 && programme->tracks[t]->length > 0) {
        problem.type = REPORT_PROBLEM_UNDECODABLE;
        problem.text = g_strdup_printf ("%s: track %u cannot be decoded", stream->stream->title, programme->numbers[t]);
      } else if (track->n_between > 0) {
        problem.count = track->n_between;
        problem.text = g_strdup_printf ("%s: %" G_GUINT64_FORMAT " samples of track %u are missing", stream->stream->title,
            track->n_between, programme->numbers[t]);
      }
      if (problem.text == NULL)
        continue;
      report_summary_add_problem (summary, &problem);
      g_free (problem.text);
    }
  }
}

/* Streams whose pictures became such that GStreamer has no format for them have ended there. */
static void
add_unknown_formats (ReportPipeline * pipeline)
{
  for (guint i = 0; i < pipeline->branches->len; i++) {
    const Branch *branch = pipeline->branches->pdata[i];
    const gchar *format = branch->source != NULL ?
        report_libav_source_unknown_format (branch->source) : NULL;

    if (format != NULL)
      report_integrity_note_mute (pipeline->integrity, branch->said, format);
  }
}

/* What the demuxer says comes to each stream when it likes to, and at the end to all. */
static void
find_containers (ReportPipeline * pipeline, ReportSummary * summary)
{
  g_mutex_lock (&pipeline->lock);
  for (guint s = 0; s < summary->streams->len; s++) {
    const Branch *branch = pipeline->branches->pdata[s];
    ReportStream *stream = ((ReportStreamSummary *) summary->streams->pdata[s])->stream;

    g_free (stream->container);
    stream->container = report_pad_find_container (branch->pad);
  }
  g_mutex_unlock (&pipeline->lock);
}

/* Adds what is wrong with the input to the problems of the summary, once the pipeline has ended.
 *
 * Returns: FALSE if a signal came before all was looked at */
gboolean
report_pipeline_judge (ReportPipeline * pipeline, ReportSummary * summary,
    guint64 duration)
{
  add_unknown_formats (pipeline);
  add_tracks (pipeline, summary);
  find_containers (pipeline, summary);
  /* GStreamer's source would have been watched while it read. */
  if (pipeline->is_by_libav
      && report_statements_is_container (pipeline->statements, "mpegts")
      && !report_integrity_read_packets (pipeline->integrity,
          pipeline->statements->path))
    return FALSE;
  return report_integrity_judge (pipeline->integrity, summary, duration, find_stream,
      pipeline);
}

/* Returns: whether the decoder has found a stream to measure */
gboolean
report_pipeline_has_streams (ReportPipeline * pipeline)
{
  gboolean has_streams;

  g_mutex_lock (&pipeline->lock);
  has_streams = pipeline->branches->len > 0;
  g_mutex_unlock (&pipeline->lock);
  return has_streams;
}

/* Returns: whether the file has a stream of which GStreamer says nothing: some demuxers leave out what they do not know. Called
 * when there is a result. The parts of a chained file are read one after the other. */
gboolean
report_pipeline_lacks_stream (ReportPipeline * pipeline)
{
  guint said[2] = { 0, 0 };     /* video, sound */

  if (pipeline->statements == NULL || pipeline->is_by_libav
      || report_statements_is_container (pipeline->statements, "ogg"))
    return FALSE;
  for (guint s = 0; s < pipeline->statements->streams->len; s++) {
    const ReportSaidStream *stream = &g_array_index (pipeline->statements->streams,
        ReportSaidStream, s);

    said[stream->is_audio ? 1 : 0] += stream->is_of_other_program ? 0 : 1;
  }
  return (guint) g_atomic_int_get (&pipeline->n_raw[0]) < said[0]
      || (guint) g_atomic_int_get (&pipeline->n_raw[1]) < said[1];
}

/* Returns: whether a decoder has given nothing of what it got */
gboolean
report_pipeline_has_mute (ReportPipeline * pipeline)
{
  return report_integrity_has_mute (pipeline->integrity);
}

/* Whether a message says that the input has more streams than are measured. */
gboolean
report_pipeline_has_too_many (const GstMessage * message)
{
  return gst_message_has_name ((GstMessage *) message, TOO_MANY_NAME);
}

/* Whether a message is the begin or the end of a stream. */
gboolean
report_pipeline_is_limit (const GstMessage * message)
{
  return gst_message_has_name ((GstMessage *) message, BEGIN_NAME)
      || gst_message_has_name ((GstMessage *) message, END_NAME);
}

/* Whether a message must wait for the ends of earlier parts, whose elements may still have results: those that its
 * stream continues; all of them as long as that is not known. */
gboolean
report_pipeline_must_wait (ReportPipeline * pipeline,
    const GstMessage * message)
{
  gboolean must_wait = FALSE;
  const Branch *own;

  g_mutex_lock (&pipeline->lock);
  own = find_branch (pipeline, message);
  for (guint i = 0; own != NULL && !must_wait && i < pipeline->open->len; i++) {
    const Branch *branch = pipeline->open->pdata[i];

    if (branch->number >= own->number)
      break;
    must_wait = branch->is_removed && (pipeline->streams->len == 0
        || branch->stream == own->stream);
  }
  g_mutex_unlock (&pipeline->lock);
  return must_wait;
}

/**
 * report_pipeline_follow_stream:
 * @message: a begin or an end
 *
 * Returns: the index of the stream that begins or ends; -1: of none that is listed
 */
gint
report_pipeline_follow_stream (ReportPipeline * pipeline,
    const GstMessage * message)
{
  Branch *branch;

  g_mutex_lock (&pipeline->lock);
  branch = find_branch (pipeline, message);
  if (branch != NULL && gst_message_has_name ((GstMessage *) message, BEGIN_NAME))
    branch->has_begun = TRUE;
  else if (branch != NULL && g_ptr_array_remove (pipeline->open, branch))
    g_ptr_array_add (pipeline->ended, branch);
  g_mutex_unlock (&pipeline->lock);
  remove_parts (pipeline);
  return report_pipeline_stream_of (pipeline, message);
}

/* Whether the tap keeps a thread: nothing comes until it goes on. */
gboolean
report_pipeline_waits_for_tap (ReportPipeline * pipeline)
{
  return g_atomic_int_get (&pipeline->n_in_tap) > 0;
}

/* Whether all streams that are measured have ended. What is left may be decoders of sound that comes from elsewhere. */
gboolean
report_pipeline_is_measured (ReportPipeline * pipeline)
{
  gboolean is_measured;

  g_mutex_lock (&pipeline->lock);
  is_measured = pipeline->branches->len > 0 && pipeline->open->len == 0;
  g_mutex_unlock (&pipeline->lock);
  return is_measured;
}

/* Whether a stream, or a part that continues it, has begun and has not ended. */
gboolean
report_pipeline_is_open (ReportPipeline * pipeline, guint stream)
{
  gboolean is_open = FALSE;

  g_mutex_lock (&pipeline->lock);
  for (guint i = 0; i < pipeline->open->len; i++) {
    const Branch *branch = pipeline->open->pdata[i];

    is_open = is_open || (branch->stream == (gint) stream && branch->has_begun);
  }
  g_mutex_unlock (&pipeline->lock);
  return is_open;
}
