/* The element as an object: properties, states, contexts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
/**
 * SECTION:element-cudahisto
 * @title: cudahisto
 *
 * Measures every buffer of raw video or audio: a histogram of each component, and
 * the sums, extrema, percentiles and entropy that follow from it. The result is
 * attached to the buffer as a #GstCustomMeta named "cudahisto", and posted as an
 * element message of the same name if asked for. Buffers pass unchanged.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 -m videotestsrc num-buffers=3 ! cudahisto post-messages=true ! fakesink
 * ]|
 */
#include "element/cudahisto.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

enum
{
  PROP_0,
  PROP_BACKEND,
  PROP_ACTIVE_BACKEND,
  PROP_CUDA_DEVICE_ID,
  PROP_META,
  PROP_POST_MESSAGES,
  PROP_INTERVAL,
  PROP_HISTOGRAM,
  PROP_BINS,
  PROP_RANGE_MIN,
  PROP_RANGE_MAX,
  PROP_MAX_IN_FLIGHT,
  PROP_QOS,
  PROP_STATS,
  PROP_PAGE_LOCK_UPSTREAM,
  PROP_PAGE_LOCK_LIMIT
};

static const HistoSettings default_settings = {
  .backend = HISTO_BACKEND_AUTO,
  .device_id = -1,
  .meta = TRUE,
  .post_messages = FALSE,
  .interval = 0,
  .histogram = TRUE,
  .bins = {0, 0, 0},
  .max_in_flight = 4,
  .qos = FALSE,
  .page_lock_upstream = FALSE,
  .page_lock_limit = 256 * 1024 * 1024,
};

#define MAX_MAX_IN_FLIGHT 64

#define GST_TYPE_CUDA_HISTO_BACKEND (gst_cuda_histo_backend_get_type ())
static GType
gst_cuda_histo_backend_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue backends[] = {
    {HISTO_BACKEND_AUTO, "CUDA when a device answers, else the CPU", "auto"},
    {HISTO_BACKEND_CUDA, "CUDA, or an error", "cuda"},
    {HISTO_BACKEND_CPU, "The CPU", "cpu"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstCudaHistoBackend", backends));
  return type;
}

G_DEFINE_TYPE (GstCudaHisto, gst_cuda_histo, GST_TYPE_ELEMENT);

/* ---- Properties ------------------------------------------------------------------- */

/* Warns of bins that were not accepted, unless there is no bus yet: gst-launch sets properties
 * while it parses. The warning is then posted when the element is started. */
static void
warn_of_rejected_bins (GstCudaHisto * self)
{
  GstBus *bus = gst_element_get_bus (GST_ELEMENT_CAST (self));
  HistoBinSettings rejected;

  if (histo_settings_get_rejected (&self->settings, bus != NULL, &rejected))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("Impossible bins; the previous value is kept."),
        ("bins=%u range-min=%g range-max=%g: at most %u bins, range-min below "
            "range-max", rejected.bins, rejected.range_min,
            rejected.range_max, HISTO_MAX_BINS));
  gst_clear_object (&bus);
}

static void
set_value (HistoSettings * values, guint prop_id, const GValue * value)
{
  switch (prop_id) {
    case PROP_BACKEND:
      values->backend = g_value_get_enum (value);
      break;
    case PROP_CUDA_DEVICE_ID:
      values->device_id = g_value_get_int (value);
      break;
    case PROP_META:
      values->meta = g_value_get_boolean (value);
      break;
    case PROP_POST_MESSAGES:
      values->post_messages = g_value_get_boolean (value);
      break;
    case PROP_INTERVAL:
      values->interval = g_value_get_uint64 (value);
      break;
    case PROP_HISTOGRAM:
      values->histogram = g_value_get_boolean (value);
      break;
    case PROP_BINS:
      values->bins.bins = g_value_get_uint (value);
      break;
    case PROP_RANGE_MIN:
      values->bins.range_min = g_value_get_double (value);
      break;
    case PROP_RANGE_MAX:
      values->bins.range_max = g_value_get_double (value);
      break;
    case PROP_MAX_IN_FLIGHT:
      values->max_in_flight = g_value_get_uint (value);
      break;
    case PROP_QOS:
      values->qos = g_value_get_boolean (value);
      break;
    case PROP_PAGE_LOCK_UPSTREAM:
      values->page_lock_upstream = g_value_get_boolean (value);
      break;
    case PROP_PAGE_LOCK_LIMIT:
      values->page_lock_limit = g_value_get_uint64 (value);
      break;
    default:
      g_assert_not_reached ();
  }
}

static void
gst_cuda_histo_set_property (GObject * object, guint prop_id,
    const GValue * value, GParamSpec * pspec)
{
  GstCudaHisto *self = GST_CUDA_HISTO (object);
  HistoSettings *values = histo_settings_begin_change (&self->settings);
  const HistoSettings old = *values;
  gboolean now_wants_results;

  set_value (values, prop_id, value);
  now_wants_results = histo_settings_want_results (values);
  /* Under the lock, so that the meter ends up with the latest values. */
  histo_meter_set_page_locking (self->meter, values->page_lock_upstream,
      values->page_lock_limit);
  if (!histo_settings_end_change (&self->settings, &old))
    warn_of_rejected_bins (self);

  /* What the element holds has changed: ALLOCATION and LATENCY have other answers. */
  if (now_wants_results != histo_settings_want_results (&old)
      || prop_id == PROP_MAX_IN_FLIGHT) {
    gst_pad_push_event (self->flow.sinkpad, gst_event_new_reconfigure ());
    gst_element_post_message (GST_ELEMENT_CAST (self),
        gst_message_new_latency (GST_OBJECT_CAST (self)));
  }
}

static GstStructure *
make_stats (GstCudaHisto * self)
{
  guint64 n_frames, n_bytes, cpu_time, gpu_time;

  histo_meter_times (self->meter, &cpu_time, &gpu_time);
  histo_reporter_get_counts (&self->flow.reporter, &n_frames, &n_bytes);
  return gst_structure_new ("cudahisto-stats",
      "frames", G_TYPE_UINT64, n_frames,
      "bytes", G_TYPE_UINT64, n_bytes,
      "dropped", G_TYPE_UINT64, histo_qos_get_n_dropped (&self->flow.qos),
      "fallbacks", G_TYPE_UINT64,
      (guint64) histo_meter_fallbacks (self->meter),
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
  switch (prop_id) {
    case PROP_BACKEND:
      g_value_set_enum (value, settings.backend);
      break;
    case PROP_ACTIVE_BACKEND:
      g_value_set_string (value, histo_meter_active_backend (self->meter));
      break;
    case PROP_CUDA_DEVICE_ID:
      g_value_set_int (value, settings.device_id);
      break;
    case PROP_META:
      g_value_set_boolean (value, settings.meta);
      break;
    case PROP_POST_MESSAGES:
      g_value_set_boolean (value, settings.post_messages);
      break;
    case PROP_INTERVAL:
      g_value_set_uint64 (value, settings.interval);
      break;
    case PROP_HISTOGRAM:
      g_value_set_boolean (value, settings.histogram);
      break;
    case PROP_BINS:
      g_value_set_uint (value, settings.bins.bins);
      break;
    case PROP_RANGE_MIN:
      g_value_set_double (value, settings.bins.range_min);
      break;
    case PROP_RANGE_MAX:
      g_value_set_double (value, settings.bins.range_max);
      break;
    case PROP_MAX_IN_FLIGHT:
      g_value_set_uint (value, settings.max_in_flight);
      break;
    case PROP_QOS:
      g_value_set_boolean (value, settings.qos);
      break;
    case PROP_PAGE_LOCK_UPSTREAM:
      g_value_set_boolean (value, settings.page_lock_upstream);
      break;
    case PROP_PAGE_LOCK_LIMIT:
      g_value_set_uint64 (value, settings.page_lock_limit);
      break;
    case PROP_STATS:
      g_value_take_boxed (value, make_stats (self));
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
  GError *error = NULL;

  histo_settings_get (&self->settings, &settings);
  if (histo_meter_is_open_with (self->meter, settings.backend,
          settings.device_id))
    return TRUE;
  histo_meter_close (self->meter);
  if (histo_meter_open (self->meter, settings.backend, settings.device_id,
          &error))
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, NOT_FOUND,
      ("No usable CUDA device."), ("%s", error->message));
  g_clear_error (&error);
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
      break;
    case GST_STATE_CHANGE_READY_TO_PAUSED:
      if (!open_meter (self))
        return GST_STATE_CHANGE_FAILURE;
      warn_of_rejected_bins (self);
      histo_meter_reset_stats (self->meter);
      histo_reporter_reset_counts (&self->flow.reporter);
      histo_qos_reset_n_dropped (&self->flow.qos);
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
      histo_flow_forget_caps (&self->flow);
      break;
    case GST_STATE_CHANGE_READY_TO_NULL:
      histo_meter_close (self->meter);
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
  const HistoSettings *d = &default_settings;
  const GParamFlags read_write = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
  const GParamFlags read_only = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  const GParamFlags before_ready = read_write | GST_PARAM_MUTABLE_READY;
  const GParamFlags playing = read_write | GST_PARAM_MUTABLE_PLAYING;

  g_object_class_install_property (object_class, PROP_BACKEND,
      g_param_spec_enum ("backend", "Backend", "Engine that measures the buffers",
          GST_TYPE_CUDA_HISTO_BACKEND, d->backend, before_ready));
  g_object_class_install_property (object_class, PROP_ACTIVE_BACKEND,
      g_param_spec_string ("active-backend", "Active backend",
          "Engine in use: cuda or cpu; NULL before the first caps", NULL,
          read_only));
  g_object_class_install_property (object_class, PROP_CUDA_DEVICE_ID,
      g_param_spec_int ("cuda-device-id", "CUDA device ID",
          "Device to measure on (-1 = that of the pipeline's context)", -1,
          G_MAXINT, d->device_id, before_ready));
  g_object_class_install_property (object_class, PROP_META,
      g_param_spec_boolean ("meta", "Meta",
          "Attach the result to each buffer", d->meta, playing));
  g_object_class_install_property (object_class, PROP_POST_MESSAGES,
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post an element message per result", d->post_messages, playing));
  g_object_class_install_property (object_class, PROP_INTERVAL,
      g_param_spec_uint64 ("interval", "Interval",
          "Least running time between two messages in ns (0 = each result)", 0,
          G_MAXUINT64, d->interval, playing));
  g_object_class_install_property (object_class, PROP_HISTOGRAM,
      g_param_spec_boolean ("histogram", "Histogram",
          "Include the histogram in the result", d->histogram, playing));
  /* The bounds of bins and of the range are checked on setting, with a warning. */
  g_object_class_install_property (object_class, PROP_BINS,
      g_param_spec_uint ("bins", "Bins",
          "Bins per component, up to 65536 (0 = one per value for video, 256 for "
          "audio)", 0, G_MAXUINT, d->bins.bins, playing));
  g_object_class_install_property (object_class, PROP_RANGE_MIN,
      g_param_spec_double ("range-min", "Range minimum",
          "Lower end of what the bins cover, in sample units (both ends 0 = the "
          "format's range)", -G_MAXDOUBLE, G_MAXDOUBLE, d->bins.range_min,
          playing));
  g_object_class_install_property (object_class, PROP_RANGE_MAX,
      g_param_spec_double ("range-max", "Range maximum",
          "Upper end of what the bins cover, exclusive, in sample units (both ends "
          "0 = the format's range)", -G_MAXDOUBLE, G_MAXDOUBLE,
          d->bins.range_max, playing));
  g_object_class_install_property (object_class, PROP_MAX_IN_FLIGHT,
      g_param_spec_uint ("max-in-flight", "Maximum in flight",
          "Frames that may be measured at once (1 = one at a time)", 1,
          MAX_MAX_IN_FLIGHT, d->max_in_flight, playing));
  g_object_class_install_property (object_class, PROP_QOS,
      g_param_spec_boolean ("qos", "QoS",
          "Let buffers that downstream calls late go on without a result",
          d->qos, playing));
  g_object_class_install_property (object_class, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Counters: frames, bytes, dropped, fallbacks, gpu-time and cpu-time "
          "(ns), queue-level", GST_TYPE_STRUCTURE, read_only));
  g_object_class_install_property (object_class, PROP_PAGE_LOCK_UPSTREAM,
      g_param_spec_boolean ("page-lock-upstream", "Page-lock upstream",
          "Page-lock recurring memory of upstream's buffer pool in place, so that "
          "the device copies it directly", d->page_lock_upstream, playing));
  g_object_class_install_property (object_class, PROP_PAGE_LOCK_LIMIT,
      g_param_spec_uint64 ("page-lock-limit", "Page-lock limit",
          "Most bytes of upstream's memory that the element page-locks at a time", 0,
          G_MAXUINT64, d->page_lock_limit, playing));
}

static void
gst_cuda_histo_class_init (GstCudaHistoClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstCaps *caps = gst_caps_from_string (HISTO_CAPS);

  object_class->set_property = gst_cuda_histo_set_property;
  object_class->get_property = gst_cuda_histo_get_property;
  object_class->finalize = gst_cuda_histo_finalize;
  element_class->change_state = gst_cuda_histo_change_state;
  element_class->set_context = gst_cuda_histo_set_context;

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
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_HISTO_BACKEND, 0);
}

static void
gst_cuda_histo_init (GstCudaHisto * self)
{
  histo_settings_init (&self->settings, &default_settings);
  self->meter = histo_meter_new (GST_ELEMENT_CAST (self));
  histo_flow_init (&self->flow, GST_ELEMENT_CAST (self), &self->settings,
      self->meter);
  histo_meter_set_page_locking (self->meter,
      default_settings.page_lock_upstream, default_settings.page_lock_limit);
}
