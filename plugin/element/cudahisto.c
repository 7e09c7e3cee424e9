/* The element as an object: properties, states, contexts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
/**
 * SECTION:element-cudahisto
 * @title: cudahisto
 *
 * Measures every buffer of raw video or audio: a histogram of each component, and
 * sums, extrema, percentiles and entropy. The result is attached to the buffer as a
 * #GstCustomMeta named "cudahisto", and, with `post-messages=true`, posted as an
 * element message of the same name. The samples are not changed.
 *
 * The property #GstCudaHisto:measures adds groups of measurements to the result:
 * signal quality, motion, colour, light levels, detail and the active picture of
 * video; levels and loudness of audio. #GstCudaHisto:regions and
 * #GstCudaHisto:roi-meta measure parts of the picture, too.
 *
 * With #GstCudaHisto:window the element posts a "cudahisto-window" message for each
 * span of stream time, whose buffers are measured together. With
 * #GstCudaHisto:alerts it posts a "cudahisto-alert" message when a condition begins
 * and when it ends, and with #GstCudaHisto:rules when a rule begins to be broken and
 * when it is not any more.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 -m videotestsrc num-buffers=3 ! video/x-raw,format=GRAY8 \
 *     ! cudahisto post-messages=true bins=16 ! fakesink
 * ]| Prints the figures and a histogram of 16 bins for each of three frames.
 * gst-launch-1.0 prints a histogram as base64 text, which is long if there is a bin for
 * each value.
 * |[
 * gst-launch-1.0 -m videotestsrc ! video/x-raw,format=I420,framerate=25/1 \
 *     ! cudahisto measures=signal+motion every=25 histogram=false \
 *     regions="left=0,0,50%,100%" post-messages=true ! fakesink sync=true
 * ]| Measures one frame a second, and its left half by itself.
 */
#include "element/cudahisto.h"

#include "element/properties.h"
#include "log.h"
#include "result/write.h"
#include "untrusted.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

/* The properties that are no plain settings. Their numbers in the class are first_own_property and
 * this. */
enum
{
  PROP_ACTIVE_BACKEND,
  PROP_STATS,
  PROP_REGIONS,
  PROP_RULES,
  PROP_BIN_EDGES,
  PROP_RESULT_NAME,
  PROP_MASK
};

/* Numbers below this are those of properties.h. Set with the class. */
static guint first_own_property;

G_DEFINE_TYPE (GstCudaHisto, gst_cuda_histo, GST_TYPE_ELEMENT);
GST_ELEMENT_REGISTER_DEFINE (cudahisto, "cudahisto", GST_RANK_NONE,
    GST_TYPE_CUDA_HISTO);

/* ---- Properties ------------------------------------------------------------------- */

/* Tells the neighbours what a change of the settings means for them. */
static void
note_change (GstCudaHisto * self, const HistoSettings * old,
    const HistoSettings * now)
{
  /* What the element holds has changed: ALLOCATION has another answer. */
  if (histo_settings_depth (now) != histo_settings_depth (old))
    gst_pad_push_event (self->flow.sinkpad, gst_event_new_reconfigure ());
  histo_latency_post_change (&self->flow.latency, GST_ELEMENT_CAST (self));
}

static void
set_setting (GstCudaHisto * self, guint id, const GValue * value)
{
  HistoSettings *values = histo_settings_begin_change (&self->settings);
  const HistoSettings old = *values;
  HistoSettings now;

  histo_properties_set (values, id, value);
  /* Under the lock, so that the meter ends up with the latest values. */
  histo_meter_set_page_locking (self->meter, values->page_lock_upstream,
      values->page_lock_limit);
  if (!histo_settings_end_change (&self->settings, &old, &now))
    histo_settings_warn_of_refusals (&self->settings, GST_ELEMENT_CAST (self));
  note_change (self, &old, &now);
}

static void
set_rules (GstCudaHisto * self, const gchar * text)
{
  HistoSettings old, now;

  if (!histo_settings_set_rules (&self->settings, text, &old, &now))
    histo_settings_warn_of_refusals (&self->settings, GST_ELEMENT_CAST (self));
  note_change (self, &old, &now);
}

static void
set_edges (GstCudaHisto * self, const gchar * text)
{
  if (!histo_settings_set_edges (&self->settings, text))
    histo_settings_warn_of_refusals (&self->settings, GST_ELEMENT_CAST (self));
}

static void
set_name (GstCudaHisto * self, const gchar * name)
{
  gboolean is_in_use;

  GST_OBJECT_LOCK (self);
  is_in_use = GST_STATE (self) != GST_STATE_NULL;
  GST_OBJECT_UNLOCK (self);
  if (!histo_settings_set_name (&self->settings, name, is_in_use))
    histo_settings_warn_of_refusals (&self->settings, GST_ELEMENT_CAST (self));
}

static void
set_mask (GstCudaHisto * self, const gchar * text)
{
  gboolean is_in_use;

  GST_OBJECT_LOCK (self);
  is_in_use = GST_STATE (self) >= GST_STATE_PAUSED;
  GST_OBJECT_UNLOCK (self);
  if (!histo_settings_set_mask (&self->settings, text, is_in_use))
    histo_settings_warn_of_refusals (&self->settings, GST_ELEMENT_CAST (self));
}

static void
gst_cuda_histo_set_property (GObject * object, guint prop_id,
    const GValue * value, GParamSpec * pspec)
{
  GstCudaHisto *self = GST_CUDA_HISTO (object);

  if (prop_id < first_own_property)
    set_setting (self, prop_id, value);
  else if (prop_id == first_own_property + PROP_RULES)
    set_rules (self, g_value_get_string (value));
  else if (prop_id == first_own_property + PROP_RESULT_NAME)
    set_name (self, g_value_get_string (value));
  else if (prop_id == first_own_property + PROP_BIN_EDGES)
    set_edges (self, g_value_get_string (value));
  else if (prop_id == first_own_property + PROP_MASK)
    set_mask (self, g_value_get_string (value));
  else if (prop_id != first_own_property + PROP_REGIONS)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
  else if (!histo_settings_set_regions (&self->settings,
          g_value_get_string (value)))
    histo_settings_warn_of_refusals (&self->settings, GST_ELEMENT_CAST (self));
}

static GstStructure *
make_stats (GstCudaHisto * self)
{
  guint64 n_frames, n_bytes, n_fallbacks, cpu_time, gpu_time;

  histo_meter_get_stats (self->meter, &n_fallbacks, &cpu_time, &gpu_time);
  histo_publisher_get_counts (&self->flow.publisher, &n_frames, &n_bytes);
  return gst_structure_new ("cudahisto-stats",
      "frames", G_TYPE_UINT64, n_frames,
      "bytes", G_TYPE_UINT64, n_bytes,
      "dropped", G_TYPE_UINT64, histo_qos_get_n_dropped (&self->flow.qos),
      "fallbacks", G_TYPE_UINT64, n_fallbacks,
      "gpu-time", G_TYPE_UINT64, gpu_time,
      "cpu-time", G_TYPE_UINT64, cpu_time,
      "queue-level", G_TYPE_UINT, histo_queue_get_level (&self->flow.queue),
      NULL);
}

static void
gst_cuda_histo_get_property (GObject * object, guint prop_id, GValue * value,
    GParamSpec * pspec)
{
  GstCudaHisto *self = GST_CUDA_HISTO (object);
  HistoSettings settings;

  histo_settings_get (&self->settings, &settings);
  if (histo_properties_get (&settings, prop_id, value))
    return;
  switch (prop_id - first_own_property) {
    case PROP_ACTIVE_BACKEND:
      g_value_set_string (value, histo_meter_active_backend (self->meter));
      break;
    case PROP_STATS:
      g_value_take_boxed (value, make_stats (self));
      break;
    case PROP_REGIONS:
      g_value_take_string (value, histo_settings_dup_regions (&self->settings));
      break;
    case PROP_RULES:
      g_value_take_string (value, histo_settings_dup_rules (&self->settings));
      break;
    case PROP_BIN_EDGES:
      g_value_take_string (value, histo_settings_dup_edges (&self->settings));
      break;
    case PROP_RESULT_NAME:
      g_value_take_string (value, histo_settings_dup_name (&self->settings));
      break;
    case PROP_MASK:
      g_value_take_string (value, histo_settings_dup_mask (&self->settings));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
      break;
  }
}

/* ---- States and contexts ------------------------------------------------------------ */

/* Opens the engines. Closes them first if the settings that choose them have changed. */
static gboolean
open_meter (GstCudaHisto * self)
{
  HistoSettings settings;
  g_autoptr (GError) error = NULL;

  histo_settings_get (&self->settings, &settings);
  if (histo_meter_is_open_with (self->meter, settings.backend,
          settings.device_id))
    return TRUE;
  histo_meter_close (self->meter);
  /* There is no engine any more. */
  histo_meter_post_warning (self->meter);
  if (histo_meter_open (self->meter, settings.backend, settings.device_id,
          &error))
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, NOT_FOUND,
      ("backend=cuda cannot be used: %s.", error->message),
      ("%s", error->message));
  return FALSE;
}

/* Reads the file of the mask. */
static gboolean
load_mask (GstCudaHisto * self)
{
  g_autoptr (GError) error = NULL;

  if (histo_settings_load_mask (&self->settings, &error))
    return TRUE;
  gst_element_message_full (GST_ELEMENT_CAST (self), GST_MESSAGE_ERROR, error->domain, error->code,
      g_strdup (error->message), NULL, __FILE__, GST_FUNCTION, __LINE__);
  return FALSE;
}

static GstStateChangeReturn
gst_cuda_histo_change_state (GstElement * element, GstStateChange transition)
{
  GstCudaHisto *self = GST_CUDA_HISTO (element);
  GstStateChangeReturn result;

  switch (transition) {
    case GST_STATE_CHANGE_NULL_TO_READY:
      if (!open_meter (self))
        return GST_STATE_CHANGE_FAILURE;
      histo_publisher_set_name (&self->flow.publisher,
          histo_settings_dup_name (&self->settings));
      break;
    case GST_STATE_CHANGE_READY_TO_PAUSED:
      if (!load_mask (self) || !open_meter (self))
        return GST_STATE_CHANGE_FAILURE;
      histo_settings_warn_of_refusals (&self->settings, GST_ELEMENT_CAST (self));
      histo_meter_reset_stats (self->meter);
      histo_publisher_reset_counts (&self->flow.publisher);
      histo_qos_reset_n_dropped (&self->flow.qos);
      histo_latency_restart (&self->flow.latency);
      histo_settings_request_configure (&self->settings);
      break;
    default:
      break;
  }

  result = GST_ELEMENT_CLASS (gst_cuda_histo_parent_class)->change_state
      (element, transition);
  if (result == GST_STATE_CHANGE_FAILURE)
    return result;

  switch (transition) {
    case GST_STATE_CHANGE_PAUSED_TO_READY:
      histo_flow_forget_stream (&self->flow);
      histo_settings_unload_mask (&self->settings);
      break;
    case GST_STATE_CHANGE_READY_TO_NULL:
      histo_meter_close (self->meter);
      /* There is no engine any more. */
      histo_meter_post_warning (self->meter);
      break;
    default:
      break;
  }
  return result;
}

static void
gst_cuda_histo_set_context (GstElement * element, GstContext * context)
{
  GstCudaHisto *self = GST_CUDA_HISTO (element);
  HistoSettings settings;

  histo_settings_get (&self->settings, &settings);
  histo_meter_set_context (self->meter, settings.device_id, context);
  GST_ELEMENT_CLASS (gst_cuda_histo_parent_class)->set_context (element,
      context);
}

static void
gst_cuda_histo_finalize (GObject * object)
{
  GstCudaHisto *self = GST_CUDA_HISTO (object);

  histo_flow_clear (&self->flow);
  histo_meter_free (self->meter);
  histo_settings_clear (&self->settings);
  G_OBJECT_CLASS (gst_cuda_histo_parent_class)->finalize (object);
}

/* ---- Class ----------------------------------------------------------------------------- */

static void
install_properties (GObjectClass * object_class)
{
  const GParamFlags read_only = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;
  guint first = histo_properties_install (object_class);

  first_own_property = first;
  g_object_class_install_property (object_class, first + PROP_ACTIVE_BACKEND,
      g_param_spec_string ("active-backend", "Active backend",
          "Engine in use: cuda or cpu; NULL before the first caps", NULL,
          read_only));
  g_object_class_install_property (object_class, first + PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Counters: frames, bytes, dropped, fallbacks, gpu-time and cpu-time "
          "(ns), queue-level", GST_TYPE_STRUCTURE, read_only));
  g_object_class_install_property (object_class, first + PROP_REGIONS,
      g_param_spec_string ("regions", "Regions",
          "At most 64 rectangles of the picture to measure, too, separated by ;. "
          "Each is name=x,y,width,height, in pixels or with %", NULL,
          playing));
  /**
   * GstCudaHisto:rules:
   *
   * What must hold of the figures, as "dark: Y.mean &lt; 40 for 2 s". The rules are separated by semicolons.
   *
   * Since: 1.0
   */
  g_object_class_install_property (object_class, first + PROP_RULES,
      g_param_spec_string ("rules", "Rules",
          "What must hold, separated by ; as in "
          "\"dark: Y.mean < 40 for 2 s\". While a rule is broken, a "
          "cudahisto-alert of the type rule is open. Groups of measures that the "
          "rules need are measured", NULL, playing));
  /**
   * GstCudaHisto:bin-edges:
   *
   * Edges of bins of any widths, in place of #GstCudaHisto:bins, #GstCudaHisto:range-min and #GstCudaHisto:range-max.
   *
   * Since: 1.0
   */
  g_object_class_install_property (object_class, first + PROP_BIN_EDGES,
      g_param_spec_string ("bin-edges", "Bin edges",
          "Edges of bins of any widths instead of bins, range-min and range-max: 2 to "
          "65537 ascending numbers, in sample units, separated by commas. Bin i "
          "begins at edge i and ends before edge i + 1. NULL: none", NULL,
          playing));
  /**
   * GstCudaHisto:result-name:
   *
   * Tells the results of several elements in a row apart: a buffer keeps those of each name.
   *
   * Since: 1.0
   */
  g_object_class_install_property (object_class, first + PROP_RESULT_NAME,
      g_param_spec_string ("result-name", "Result name",
          "Name of this element's results, of 1 to 32 of a-z, 0-9 and -: the meta is "
          "cudahisto-NAME, and messages have the field result-name. Set in the state "
          "NULL. NULL: none", NULL,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
  /**
   * GstCudaHisto:mask:
   *
   * File with an image that says which samples take part. It is read when the element goes to PAUSED.
   *
   * Since: 1.0
   */
  g_object_class_install_property (object_class, first + PROP_MASK,
      g_param_spec_string ("mask", "Mask",
          "File with a gray image of the picture's size, or alpha: samples whose mask is 0 "
          "take no part. For basic, color, hdr, gamut, and saturation, hue and brng of signal. NULL: none",
          NULL, playing | HISTO_PARAM_SENSITIVE));
}

static void
gst_cuda_histo_class_init (GstCudaHistoClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstCaps *caps = gst_caps_from_string (HISTO_CAPS);

  histo_log_init ();
  histo_write_init ();
  object_class->set_property = gst_cuda_histo_set_property;
  object_class->get_property = gst_cuda_histo_get_property;
  object_class->finalize = gst_cuda_histo_finalize;
  element_class->change_state = GST_DEBUG_FUNCPTR (gst_cuda_histo_change_state);
  element_class->set_context = GST_DEBUG_FUNCPTR (gst_cuda_histo_set_context);

  install_properties (object_class);
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_caps_unref (caps);
  gst_element_class_set_static_metadata (element_class,
      "Histograms and statistics", "Filter/Analyzer/Video/Audio",
      "Measures histograms, sums and extrema of every buffer on the GPU or the CPU",
      "The cudahisto authors");
  HISTO_MARK_UNTRUSTED_AWARE (element_class);
}

static void
gst_cuda_histo_init (GstCudaHisto * self)
{
  histo_settings_init (&self->settings);
  self->meter = histo_meter_new (GST_ELEMENT_CAST (self));
  histo_flow_init (&self->flow, GST_ELEMENT_CAST (self), &self->settings,
      self->meter);
  histo_meter_set_page_locking (self->meter,
      histo_default_settings.page_lock_upstream,
      histo_default_settings.page_lock_limit);
}
