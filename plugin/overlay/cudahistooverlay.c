/* The element cudahistooverlay: pads, and what is drawn when.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
/**
 * SECTION:element-cudahistooverlay
 * @title: cudahistooverlay
 *
 * Draws the results that cudahisto has attached to the frames into the picture: waveform, vectorscope,
 * histogram, levels, alerts, checks and regions. Audio pads add meters and loudness; the sound itself ends there.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc ! video/x-raw,format=I420 ! cudahisto measures=scopes \
 *     ! cudahistooverlay ! videoconvert ! autovideosink
 * ]| Shows a test picture with its waveform and its vectorscope.
 */
#include "overlay/cudahistooverlay.h"

#include "cudahisto/fields.h"
#include "cudahisto/read.h"
#include "overlay/blend.h"
#include "overlay/picture.h"
#include "overlay/sound-pads.h"
#include "refusals.h"
#include "untrusted.h"

GST_DEBUG_CATEGORY_EXTERN (cudahistooverlay_debug);
#define GST_CAT_DEFAULT cudahistooverlay_debug

struct _GstCudaHistoOverlay
{
  GstBaseTransform parent;

  HistoOverlaySettings settings;        /* under the object's lock */
  gchar *refusal;               /* (nullable): why a value was refused, of which nobody has been told */
  HistoSoundPads sounds;

  /* Only in the streaming thread of the video, or while there is none. */
  GstVideoInfo info;
  gboolean attaches;            /* the overlay; else it is blended */
  gboolean is_live, knows_live; /* upstream; asked after each segment */
  gboolean has_warned_of_result, has_warned_of_frame;
  HistoResult result;           /* the latest one */
  gboolean has_result;
  guint64 result_time;          /* running time in ns of the frame with the latest result */
  guint64 time;                 /* the same of the end of the latest frame */
  HistoHistory history;
  HistoAlertList alerts;
  GArray *events;               /* of HistoAlertEvent: of one result */
  HistoMeters *meters;          /* HISTO_MOST_SOUNDS: too large for an instance of GObject, of at most 64 KiB */
  HistoPicture picture;
  GstVideoOverlayComposition *composition;      /* not owned: of the frame in work; NULL: nothing */
};

G_DEFINE_TYPE (GstCudaHistoOverlay, gst_cuda_histo_overlay,
    GST_TYPE_BASE_TRANSFORM);
GST_ELEMENT_REGISTER_DEFINE (cudahistooverlay, "cudahistooverlay", GST_RANK_NONE,
    GST_TYPE_CUDA_HISTO_OVERLAY);

/* The format's own check comes with the caps: blending can do all formats. */
#define VIDEO_CAPS "video/x-raw(ANY)"
#define AUDIO_CAPS "audio/x-raw"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (VIDEO_CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (VIDEO_CAPS));
static GstStaticPadTemplate audio_template =
GST_STATIC_PAD_TEMPLATE ("audio_%u",
    GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS (AUDIO_CAPS));

/* Forgets what earlier frames have shown. What is drawn stays: it may be of use again. */
static void
forget (GstCudaHistoOverlay * self)
{
  self->has_result = FALSE;
  self->result_time = self->time = GST_CLOCK_TIME_NONE;
  memset (&self->history, 0, sizeof self->history);
  memset (&self->alerts, 0, sizeof self->alerts);
}

/* ---- Negotiation ------------------------------------------------------------------- */

/* The overlay is attached if the caps of the source pad have the feature
 * "meta:GstVideoOverlayComposition". They have it in two cases:
 *
 * - The caps of the sink pad have it: an element upstream attaches an overlay, too.
 * - Downstream takes caps with the feature, and its answer to the ALLOCATION query has the meta.
 *
 * In all other cases the caps of both pads are equal, and the overlay is blended into the frames. */

#define FEATURE GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION

static gboolean
has_feature (const GstCaps * caps, guint i)
{
  const GstCapsFeatures *features = gst_caps_get_features (caps, i);

  return features != NULL && !gst_caps_features_is_any (features)
      && gst_caps_features_contains (features, FEATURE);
}

/* Appends structure @i of @from with the feature added, or removed. */
static void
append_changed (GstCaps * to, const GstCaps * from, guint i, gboolean with)
{
  GstCapsFeatures *features =
      gst_caps_features_copy (gst_caps_get_features (from, i));

  if (gst_caps_features_is_any (features)) {
    gst_caps_features_free (features);
    return;
  }
  if (with)
    gst_caps_features_add (features, FEATURE);
  else
    gst_caps_features_remove (features, FEATURE);
  gst_caps_append_structure_full (to,
      gst_structure_copy (gst_caps_get_structure (from, i)), features);
}

/* @direction: of the pad that has @caps
 * @filter: (nullable)
 *
 * Returns: (transfer full): what the other pad can have. Caps with the feature come first */
static GstCaps *
transform_caps (GstBaseTransform * transform, GstPadDirection direction,
    GstCaps * caps, GstCaps * filter)
{
  g_autoptr (GstCaps) result = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    if (direction == GST_PAD_SINK && !has_feature (caps, i))
      append_changed (result, caps, i, TRUE);
    gst_caps_append_structure_full (result,
        gst_structure_copy (gst_caps_get_structure (caps, i)),
        gst_caps_features_copy (gst_caps_get_features (caps, i)));
    if (direction == GST_PAD_SRC && has_feature (caps, i))
      append_changed (result, caps, i, FALSE);
  }
  return filter == NULL ? g_steal_pointer (&result) :
      gst_caps_intersect_full (filter, result, GST_CAPS_INTERSECT_FIRST);
}

/* Whether downstream draws overlays of frames with these caps. They are sent before the query,
 * because elements answer it only after they have caps. If a flush ends the query, the base class
 * cannot send the other caps either, and chooses again after the flush. */
static gboolean
downstream_draws (GstBaseTransform * transform, GstCaps * caps)
{
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD (transform);
  g_autoptr (GstQuery) query = NULL;

  query = gst_query_new_allocation (caps, FALSE);
  return gst_pad_peer_query_accept_caps (pad, caps)
      && gst_pad_set_caps (pad, caps) && gst_pad_peer_query (pad, query)
      && gst_query_find_allocation_meta (query,
      GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
}

/* Returns: (transfer full) (nullable): those of @choices with or without the feature; NULL: there are
 * none */
static GstCaps *
choose (const GstCaps * choices, gboolean with)
{
  for (guint i = 0; i < gst_caps_get_size (choices); i++) {
    if (has_feature (choices, i) == with)
      return gst_caps_fixate (gst_caps_copy_nth (choices, i));
  }
  return NULL;
}

static GstCaps *
fixate_caps (GstBaseTransform * transform, GstPadDirection direction,
    GstCaps * caps, GstCaps * choices)
{
  GstCudaHistoOverlay *self = GST_CUDA_HISTO_OVERLAY (transform);
  GstCaps *with, *without;

  if (direction != GST_PAD_SINK)
    return gst_caps_fixate (choices);
  with = choose (choices, TRUE);
  without = choose (choices, FALSE);
  if (with == NULL && without == NULL)
    return choices;
  gst_caps_unref (choices);
  /* The base class does not call set_caps() if the source pad has these caps already. */
  self->attaches = with != NULL
      && (without == NULL || downstream_draws (transform, with));
  GST_INFO_OBJECT (self, "the overlay is %s",
      self->attaches ? "attached to the frames" : "blended into the frames");
  gst_clear_caps (self->attaches ? &without : &with);
  return self->attaches ? with : without;
}

static gboolean
set_caps (GstBaseTransform * transform, GstCaps * in, GstCaps * out)
{
  GstCudaHistoOverlay *self = GST_CUDA_HISTO_OVERLAY (transform);
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, in)) {
    GST_ERROR_OBJECT (self, "not caps of raw video: %" GST_PTR_FORMAT, in);
    return FALSE;
  }
  GST_DEBUG_OBJECT (self, "caps %" GST_PTR_FORMAT, in);
  if (!gst_video_info_is_equal (&info, &self->info))
    forget (self);
  self->info = info;
  self->attaches = has_feature (out, 0);
  self->has_warned_of_frame = FALSE;
  return TRUE;
}

/* Copies what downstream has answered. */
static void
copy_answer (GstQuery * to, GstQuery * from)
{
  for (guint i = 0; i < gst_query_get_n_allocation_metas (from); i++) {
    const GstStructure *parameters;
    GType api = gst_query_parse_nth_allocation_meta (from, i, &parameters);

    gst_query_add_allocation_meta (to, api, parameters);
  }
  for (guint i = 0; i < gst_query_get_n_allocation_params (from); i++) {
    GstAllocationParams parameters;
    GstAllocator *allocator;

    gst_query_parse_nth_allocation_param (from, i, &allocator, &parameters);
    gst_query_add_allocation_param (to, allocator, &parameters);
    gst_clear_object (&allocator);
  }
  for (guint i = 0; i < gst_query_get_n_allocation_pools (from); i++) {
    GstBufferPool *pool;
    guint size, least, most;

    gst_query_parse_nth_allocation_pool (from, i, &pool, &size, &least, &most);
    gst_query_add_allocation_pool (to, pool, size, least, most);
    gst_clear_object (&pool);
  }
}

/* The frames go on as they are, so downstream answers upstream's query. It is asked with its own
 * caps. */
static gboolean
propose_allocation (GstBaseTransform * transform, GstQuery * decided,
    GstQuery * query)
{
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD (transform);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  gboolean need_pool, ok;
  g_autoptr (GstQuery) own = NULL;

  if (caps == NULL)
    return FALSE;
  gst_query_parse_allocation (query, NULL, &need_pool);
  own = gst_query_new_allocation (caps, need_pool);
  ok = gst_pad_peer_query (pad, own);
  if (ok)
    copy_answer (query, own);
  return ok;
}

/* ---- The scene --------------------------------------------------------------------- */

/* Reads the frame's result. Returns: FALSE if it has none; then the latest one is kept */
static gboolean
read_result (GstCudaHistoOverlay * self, const GstStructure * structure)
{
  HistoResult result = { 0 };
  g_autoptr (GError) error = NULL;

  if (histo_read_result (structure, &result, &error) && !result.is_audio) {
    histo_result_clear (&self->result);
    self->result = result;
    return TRUE;
  }
  if (!self->has_warned_of_result)
    GST_WARNING_OBJECT (self, "not a result of video: %s",
        error != NULL ? error->message : "of audio");
  self->has_warned_of_result = TRUE;
  histo_result_clear (&result);
  return FALSE;
}

/* The age of a result whose time is unknown counts from the first time that is known. */
static gboolean
is_too_old (GstCudaHistoOverlay * self, guint64 time, guint64 hold)
{
  if (!GST_CLOCK_TIME_IS_VALID (self->result_time))
    self->result_time = time;
  return GST_CLOCK_TIME_IS_VALID (time)
      && GST_CLOCK_TIME_IS_VALID (self->result_time)
      && time > self->result_time && time - self->result_time > hold;
}

/* Takes the result of the frame; drops one that is too old. @time: running time of the frame's
 * begin */
static void
update_result (GstCudaHistoOverlay * self, GstBuffer * buffer, guint64 time,
    HistoScene * scene)
{
  const HistoOverlaySettings *settings = scene->settings;
  g_autofree gchar *name = histo_result_meta_name (*settings->result_name != '\0' ? settings->result_name : NULL);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, name);
  const GstStructure *structure =
      meta != NULL ? gst_custom_meta_get_structure (meta) : NULL;
  const gboolean is_new = structure != NULL && read_result (self, structure);

  if (is_new) {
    self->has_result = TRUE;
    self->result_time = time;
    g_array_set_size (self->events, 0);
    if (histo_read_alerts (structure, self->events, NULL))
      histo_alert_list_add (&self->alerts, self->events, &self->result, time);
  } else if (self->has_result && is_too_old (self, time, settings->hold)) {
    self->has_result = FALSE;
  }
  if (!self->has_result)
    return;
  scene->result = &self->result;
  scene->n_plots = histo_plots_choose (&self->result, settings->mode,
      settings->style.color, scene->plots);
  histo_history_set_plots (&self->history, scene->plots, scene->n_plots);
  if (is_new || self->history.n == 0)
    histo_history_add (&self->history, scene->plots, scene->n_plots);
}

/* Where the frame begins to be shown; GST_CLOCK_TIME_NONE: unknown. One that begins before the segment is shown from
 * the segment's start on. */
static guint64
find_start (GstCudaHistoOverlay * self, GstBuffer * buffer)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;

  if (segment->format != GST_FORMAT_TIME || !GST_BUFFER_PTS_IS_VALID (buffer))
    return GST_CLOCK_TIME_NONE;
  return MAX (GST_BUFFER_PTS (buffer), segment->start);
}

/* @end: (out): running time of the frame's end; GST_CLOCK_TIME_NONE: unknown
 * Returns: that of its begin. A frame without a time begins where the one before ends */
static guint64
find_times (GstCudaHistoOverlay * self, GstBuffer * buffer, guint64 * end)
{
  const guint64 start = find_start (self, buffer);
  guint64 time = GST_CLOCK_TIME_NONE, duration = GST_BUFFER_DURATION (buffer);

  if (GST_CLOCK_TIME_IS_VALID (start))
    time = gst_segment_to_running_time (&GST_BASE_TRANSFORM (self)->segment,
        GST_FORMAT_TIME, start);
  if (!GST_CLOCK_TIME_IS_VALID (time))
    time = self->time;
  if (!GST_CLOCK_TIME_IS_VALID (duration) && self->info.fps_n > 0)
    duration = gst_util_uint64_scale_int (GST_SECOND, self->info.fps_d,
        self->info.fps_n);
  if (GST_CLOCK_TIME_IS_VALID (start) && GST_CLOCK_TIME_IS_VALID (duration))
    duration -= MIN (duration, start - GST_BUFFER_PTS (buffer));
  *end = time;
  if (GST_CLOCK_TIME_IS_VALID (time) && duration < GST_CLOCK_TIME_NONE - time)
    *end = time + duration;
  return time;
}

static gboolean
is_live (GstCudaHistoOverlay * self)
{
  g_autoptr (GstQuery) query = NULL;

  if (self->knows_live)
    return self->is_live;
  query = gst_query_new_latency ();
  self->is_live = FALSE;
  self->knows_live = TRUE;
  if (gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (self), query))
    gst_query_parse_latency (query, &self->is_live, NULL, NULL);
  return self->is_live;
}

/* Returns: (transfer none) (nullable): the overlay of a frame */
static GstVideoOverlayComposition *
compose (GstCudaHistoOverlay * self, GstBuffer * buffer)
{
  const GstVideoInfo *info = &self->info;
  HistoOverlaySettings settings;
  HistoScene scene = { .settings = &settings };
  guint64 time, end;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  GST_OBJECT_UNLOCK (self);
  time = find_times (self, buffer, &end);
  /* A buffer may hold one field. */
  scene.width = GST_VIDEO_INFO_WIDTH (info);
  scene.height = GST_VIDEO_INFO_FIELD_HEIGHT (info);
  if (GST_VIDEO_INFO_PAR_N (info) > 0 && GST_VIDEO_INFO_PAR_D (info) > 0)
    settings.style.pixel_aspect = CLAMP ((gdouble) GST_VIDEO_INFO_PAR_N (info)
        / GST_VIDEO_INFO_PAR_D (info), 0.25, 4);
  update_result (self, buffer, time, &scene);
  scene.n_sounds = histo_sound_pads_collect (&self->sounds, end,
      is_live (self) ? 0 : settings.audio_wait, &settings, self->meters,
      &self->alerts);
  for (guint i = 0; i < scene.n_sounds; i++)
    scene.sounds[i] = &self->meters[i];
  histo_alert_list_expire (&self->alerts, time, settings.alert_hold);
  scene.alerts = &self->alerts;
  scene.history = &self->history;
  self->time = end;
  if (settings.style.opacity == 0)
    return NULL;
  return histo_picture_update (&self->picture, &scene);
}

/* ---- Frames ------------------------------------------------------------------------ */

/* A frame without an overlay goes on as it is. */
static GstFlowReturn
prepare_output_buffer (GstBaseTransform * transform, GstBuffer * in,
    GstBuffer ** out)
{
  GstCudaHistoOverlay *self = GST_CUDA_HISTO_OVERLAY (transform);
  const guint64 start = find_start (self, in);
  guint64 stream_time = GST_CLOCK_TIME_NONE;

  if (GST_CLOCK_TIME_IS_VALID (start))
    stream_time = gst_segment_to_stream_time (&transform->segment,
        GST_FORMAT_TIME, start);
  if (GST_CLOCK_TIME_IS_VALID (stream_time))
    gst_object_sync_values (GST_OBJECT (self), stream_time);
  self->composition = compose (self, in);
  *out = in;
  if (self->composition != NULL && !gst_buffer_is_writable (in))
    *out = gst_buffer_copy (in);
  return GST_FLOW_OK;
}

/* Adds the overlay to one that an element upstream has attached. */
static void
attach (GstBuffer * buffer, GstVideoOverlayComposition * composition)
{
  GstVideoOverlayCompositionMeta *meta =
      gst_buffer_get_video_overlay_composition_meta (buffer);
  const guint n = gst_video_overlay_composition_n_rectangles (composition);
  GstVideoOverlayComposition *merged;

  if (meta == NULL) {
    gst_buffer_add_video_overlay_composition_meta (buffer, composition);
    return;
  }
  merged = gst_video_overlay_composition_copy (meta->overlay);
  for (guint i = 0; i < n; i++)
    gst_video_overlay_composition_add_rectangle (merged,
        gst_video_overlay_composition_get_rectangle (composition, i));
  gst_video_overlay_composition_unref (meta->overlay);
  meta->overlay = merged;
}

/* Memory that the CPU cannot map, or that does not hold the picture, goes on without an overlay. */
static void
blend (GstCudaHistoOverlay * self, GstBuffer * buffer)
{
  GstVideoFrame frame;
  gboolean ok = histo_overlay_map_frame (&frame, &self->info, buffer);

  if (ok) {
    ok = histo_blend (self->composition, &frame);
    gst_video_frame_unmap (&frame);
  }
  if (ok || self->has_warned_of_frame)
    return;
  self->has_warned_of_frame = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("The overlay cannot be drawn into these frames."),
      ("downstream does not take overlays, and the frames cannot be mapped for "
          "writing, or are smaller than their caps and metas say, or have "
          "pixels that are not aligned, or have a format that cannot be blended"));
}

static GstFlowReturn
transform_ip (GstBaseTransform * transform, GstBuffer * buffer)
{
  GstCudaHistoOverlay *self = GST_CUDA_HISTO_OVERLAY (transform);

  if (self->composition == NULL)
    return GST_FLOW_OK;
  if (self->attaches)
    attach (buffer, self->composition);
  else
    blend (self, buffer);
  self->composition = NULL;
  return GST_FLOW_OK;
}

/* ---- Events and states ------------------------------------------------------------- */

static gboolean
sink_event (GstBaseTransform * transform, GstEvent * event)
{
  GstCudaHistoOverlay *self = GST_CUDA_HISTO_OVERLAY (transform);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      histo_sound_pads_set_flushing (&self->sounds, TRUE);
      break;
    case GST_EVENT_FLUSH_STOP:
      histo_sound_pads_set_flushing (&self->sounds, FALSE);
      forget (self);
      break;
    case GST_EVENT_STREAM_START:
      forget (self);
      break;
    case GST_EVENT_SEGMENT:
      self->knows_live = FALSE;
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS
      (gst_cuda_histo_overlay_parent_class)->sink_event (transform, event);
}

static gboolean
push_to_sound (GstElement * element, GstPad * pad, gpointer event)
{
  if (pad != GST_BASE_TRANSFORM_SINK_PAD (element))
    gst_pad_push_event (pad, gst_event_ref (event));
  return TRUE;
}

/* A seek and the pipeline's latency are for the sound, too, as in elements that join streams. Other events, such as QOS, are for the
 * frames, which alone leave the element. The sound is first: what it gives after a flush waits for its frames, but frames might not
 * wait for sound that has not flushed yet. */
static gboolean
src_event (GstBaseTransform * transform, GstEvent * event)
{
  GstCudaHistoOverlay *self = GST_CUDA_HISTO_OVERLAY (transform);
  GstSeekFlags flags = GST_SEEK_FLAG_NONE;
  gboolean flushes, ok;

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    gst_event_parse_seek (event, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
  flushes = (flags & GST_SEEK_FLAG_FLUSH) != 0;
  /* Frames from before the seek must not take sound from after it. */
  if (flushes)
    histo_sound_pads_set_flushing (&self->sounds, TRUE);
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK || GST_EVENT_TYPE (event) == GST_EVENT_LATENCY) {
    GST_DEBUG_OBJECT (transform, "for the sound, too: %" GST_PTR_FORMAT, event);
    gst_element_foreach_sink_pad (GST_ELEMENT_CAST (transform), push_to_sound, event);
  }
  ok = GST_BASE_TRANSFORM_CLASS (gst_cuda_histo_overlay_parent_class)->src_event (transform, event);
  /* No flush will come to the frames. */
  if (flushes && !ok)
    histo_sound_pads_set_flushing (&self->sounds, FALSE);
  return ok;
}

static gboolean
stop (GstBaseTransform * transform)
{
  GstCudaHistoOverlay *self = GST_CUDA_HISTO_OVERLAY (transform);

  forget (self);
  histo_result_clear (&self->result);
  histo_picture_clear (&self->picture);
  gst_video_info_init (&self->info);
  self->knows_live = self->has_warned_of_result = FALSE;
  return TRUE;
}

static void
warn_of_refusal (GstCudaHistoOverlay * self)
{
  static const gchar *const text = "Impossible name of results";

  histo_post_refusals (GST_ELEMENT_CAST (self), GST_OBJECT_GET_LOCK (self), &self->refusal, &text, 1);
}

/* A frame that waits for its sound must not delay the stop. */
static GstStateChangeReturn
change_state (GstElement * element, GstStateChange transition)
{
  GstCudaHistoOverlay *self = GST_CUDA_HISTO_OVERLAY (element);

  if (transition == GST_STATE_CHANGE_NULL_TO_READY)
    warn_of_refusal (self);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    histo_sound_pads_set_stopping (&self->sounds, FALSE);
    /* A flush that had no end is over, too. */
    histo_sound_pads_set_flushing (&self->sounds, FALSE);
  } else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    histo_sound_pads_set_stopping (&self->sounds, TRUE);
  }
  return GST_ELEMENT_CLASS
      (gst_cuda_histo_overlay_parent_class)->change_state (element, transition);
}

static GstPad *
request_new_pad (GstElement * element, GstPadTemplate * template,
    const gchar * name, const GstCaps * caps)
{
  GstCudaHistoOverlay *self = GST_CUDA_HISTO_OVERLAY (element);

  return histo_sound_pads_request (&self->sounds, element, template, name);
}

static void
release_pad (GstElement * element, GstPad * pad)
{
  GstCudaHistoOverlay *self = GST_CUDA_HISTO_OVERLAY (element);

  histo_sound_pads_release (&self->sounds, element, pad);
}

/* ---- The object -------------------------------------------------------------------- */

static void
set_property (GObject * object, guint property, const GValue * value,
    GParamSpec * spec)
{
  GstCudaHistoOverlay *self = GST_CUDA_HISTO_OVERLAY (object);
  gchar *refusal;
  gboolean is_known;

  GST_OBJECT_LOCK (self);
  is_known = histo_overlay_settings_set (&self->settings, property, value, &refusal);
  /* Others may be set for each frame, by a control binding. */
  if (g_str_equal (spec->name, "result-name"))
    histo_sound_pads_set_result_name (&self->sounds, self->settings.result_name);
  if (refusal != NULL) {
    g_free (self->refusal);
    self->refusal = refusal;
  }
  GST_OBJECT_UNLOCK (self);
  warn_of_refusal (self);
  if (!is_known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property, spec);
}

static void
get_property (GObject * object, guint property, GValue * value,
    GParamSpec * spec)
{
  GstCudaHistoOverlay *self = GST_CUDA_HISTO_OVERLAY (object);
  gboolean is_known;

  GST_OBJECT_LOCK (self);
  is_known = histo_overlay_settings_get (&self->settings, property, value);
  GST_OBJECT_UNLOCK (self);
  if (!is_known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property, spec);
}

static void
dispose (GObject * object)
{
  GstCudaHistoOverlay *self = GST_CUDA_HISTO_OVERLAY (object);

  /* The base class removes the pads; their functions use the list of the audio pads. */
  G_OBJECT_CLASS (gst_cuda_histo_overlay_parent_class)->dispose (object);
  g_clear_pointer (&self->events, g_array_unref);
}

static void
finalize (GObject * object)
{
  GstCudaHistoOverlay *self = GST_CUDA_HISTO_OVERLAY (object);

  histo_sound_pads_clear (&self->sounds);
  histo_result_clear (&self->result);
  g_free (self->meters);
  g_free (self->refusal);
  histo_picture_clear (&self->picture);
  G_OBJECT_CLASS (gst_cuda_histo_overlay_parent_class)->finalize (object);
}

static void
gst_cuda_histo_overlay_class_init (GstCudaHistoOverlayClass * class)
{
  GObjectClass *object_class = G_OBJECT_CLASS (class);
  GstElementClass *element_class = GST_ELEMENT_CLASS (class);
  GstBaseTransformClass *transform_class = GST_BASE_TRANSFORM_CLASS (class);

  GST_DEBUG_CATEGORY_INIT (cudahistooverlay_debug, "cudahistooverlay", 0,
      "Draws results of cudahisto");
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->dispose = dispose;
  object_class->finalize = finalize;
  histo_overlay_properties_install (object_class);

  element_class->change_state = GST_DEBUG_FUNCPTR (change_state);
  element_class->request_new_pad = GST_DEBUG_FUNCPTR (request_new_pad);
  element_class->release_pad = GST_DEBUG_FUNCPTR (release_pad);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_add_static_pad_template (element_class, &audio_template);
  gst_element_class_set_static_metadata (element_class,
      "Overlay of histograms and statistics", "Filter/Editor/Video",
      "Draws what cudahisto has measured into the picture: waveform, vectorscope, histogram, "
      "levels, audio meters, loudness, alerts, checks and regions",
      "The cudahisto authors");
  HISTO_MARK_UNTRUSTED_AWARE (element_class);

  transform_class->transform_caps = GST_DEBUG_FUNCPTR (transform_caps);
  transform_class->fixate_caps = GST_DEBUG_FUNCPTR (fixate_caps);
  transform_class->set_caps = GST_DEBUG_FUNCPTR (set_caps);
  transform_class->propose_allocation = GST_DEBUG_FUNCPTR (propose_allocation);
  transform_class->prepare_output_buffer = GST_DEBUG_FUNCPTR (prepare_output_buffer);
  transform_class->transform_ip = GST_DEBUG_FUNCPTR (transform_ip);
  transform_class->sink_event = GST_DEBUG_FUNCPTR (sink_event);
  transform_class->src_event = GST_DEBUG_FUNCPTR (src_event);
  transform_class->stop = GST_DEBUG_FUNCPTR (stop);
}

static void
gst_cuda_histo_overlay_init (GstCudaHistoOverlay * self)
{
  histo_overlay_settings_init (&self->settings);
  histo_sound_pads_init (&self->sounds);
  self->meters = g_new0 (HistoMeters, HISTO_MOST_SOUNDS);
  self->events = g_array_new (FALSE, FALSE, sizeof (HistoAlertEvent));
  g_array_set_clear_func (self->events, histo_alert_event_clear);
  gst_video_info_init (&self->info);
  forget (self);
}
