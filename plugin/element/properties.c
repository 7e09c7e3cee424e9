/* The table of the properties that are settings; see properties.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element/properties.h"

#include "property-table.h"
#include "untrusted.h"

#define MAX_MAX_IN_FLIGHT 64

/* ---- Values of enumerations ----------------------------------------------------------- */

static const GEnumValue backends[] = {
  {HISTO_BACKEND_AUTO, "CUDA if there is a usable device; the CPU if not, and "
        "for audio of few channels", "auto"},
  {HISTO_BACKEND_CUDA, "CUDA, or an error", "cuda"},
  {HISTO_BACKEND_CPU, "The CPU", "cpu"},
  {0, NULL, NULL}
};

/* For documentation: values that came after the first release. The table has what they mean. */
/**
 * GstCudaHistoMeasures::gamut:
 *
 * Since: 1.0
 */
/**
 * GstCudaHistoMeasures::gamut-filter:
 *
 * Since: 1.0
 */
/**
 * GstCudaHistoMeasures::flash:
 *
 * Since: 1.0
 */
/**
 * GstCudaHistoMeasures::field:
 *
 * Since: 1.0
 */
/**
 * GstCudaHistoMeasures::scopes:
 *
 * Since: 1.0
 */
static const GFlagsValue groups[] = {
  {HISTO_GROUP_FLAG (HISTO_GROUP_BASIC), HISTO_BASIC_DESCRIPTION, "basic"},
#define GROUP(identifier, name, is_audio, description) \
  {HISTO_GROUP_FLAG (HISTO_GROUP_##identifier), description, name},
  HISTO_GROUPS (GROUP)
#undef GROUP
  {0, NULL, NULL}
};

static const GFlagsValue alerts[] = {
#define ALERT(identifier, name, group, description) \
  {HISTO_ALERT_FLAG (HISTO_ALERT_##identifier), description, name},
  HISTO_ALERTS (ALERT)
#undef ALERT
  {0, NULL, NULL}
};

/* ---- A number whose bounds the element checks ------------------------------------------------ */

/* GObject drops a value that is outside the bounds of its property; only a line in the log reports it.
 * `bins` has bounds that gst-inspect shows, and still lets every value reach the element, which
 * posts a warning on the bus. */
static gboolean
leave_to_element (GParamSpec * spec, GValue * value)
{
  return FALSE;
}

static void
checked_uint_class_init (gpointer klass, gpointer data)
{
  G_PARAM_SPEC_CLASS (klass)->value_validate = leave_to_element;
}

static GType
checked_uint_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    GTypeQuery parent;
    GTypeInfo info = {.class_init = checked_uint_class_init };

    g_type_query (G_TYPE_PARAM_UINT, &parent);
    info.class_size = parent.class_size;
    info.instance_size = parent.instance_size;
    g_once_init_leave (&type, g_type_register_static (G_TYPE_PARAM_UINT,
            "GstCudaHistoParamCheckedUInt", &info, 0));
  }
  return type;
}

static GParamSpec *
checked_uint_new (const HistoProperty * p, guint preset)
{
  GParamSpecUInt *spec = g_param_spec_internal (checked_uint_get_type (), p->name,
      p->nick, p->blurb, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | p->flags);

  spec->minimum = p->least;
  spec->maximum = p->most;
  spec->default_value = preset;
  return G_PARAM_SPEC (spec);
}

/* ---- The table -------------------------------------------------------------------------- */

#define READY GST_PARAM_MUTABLE_READY
#define PLAYING GST_PARAM_MUTABLE_PLAYING

#define ROW(type, member, name, nick, least, most, type_name, values, mutability, blurb) \
  {HISTO_PROPERTY_##type, name, nick, blurb, G_STRUCT_OFFSET (HistoSettings, member), \
      least, most, type_name, values, mutability},
#define BOOLEAN(member, name, nick, blurb) \
  ROW (BOOLEAN, member, name, nick, 0, 0, NULL, NULL, PLAYING, blurb)
#define UINT64(member, name, nick, blurb) \
  ROW (UINT64, member, name, nick, 0, 0, NULL, NULL, PLAYING, blurb)
#define NUMBER(type, member, name, nick, least, most, blurb) \
  ROW (type, member, name, nick, least, most, NULL, NULL, PLAYING, blurb)
#define FLAGS(member, name, nick, type_name, values, blurb) \
  ROW (FLAGS, member, name, nick, 0, 0, type_name, values, PLAYING, blurb)

/* *INDENT-OFF* */
static const HistoProperty properties[] = {
  ROW (ENUM, backend, "backend", "Backend", 0, 0, "GstCudaHistoBackend", backends, READY,
      "Engine that measures the buffers")
  ROW (INT, device_id, "cuda-device-id", "CUDA device ID", -1, G_MAXINT, NULL, NULL, READY | HISTO_PARAM_SENSITIVE,
      "CUDA device to measure on (-1 = the device of the pipeline's CUDA context)")
  BOOLEAN (meta, "meta", "Meta",
      "Attach the result to each buffer")
  /**
   * GstCudaHisto:audio-level-meta:
   *
   * Whether buffers of audio get a #GstAudioLevelMeta with the RMS of all channels together, as level does. Payloaders send it with
   * rtphdrextclientaudiolevel (RFC 6464). A meta that is there already keeps whether there is a voice.
   *
   * Since: 1.0
   */
  BOOLEAN (audio_level_meta, "audio-level-meta", "Audio level meta",
      "Attach a GstAudioLevelMeta to each buffer of audio, with the RMS of all channels "
      "together, as level does")
  BOOLEAN (post_messages, "post-messages", "Post messages",
      "Post an element message for each result")
  /**
   * GstCudaHisto:message-interval:
   *
   * Shortest running time between two messages, in ns. It leaves results out; #GstCudaHisto:window adds them up.
   *
   * Since: 1.0
   */
  UINT64 (message_interval, "message-interval", "Message interval",
      "Shortest running time between two messages, in ns (0 = each result). The "
      "results between them are skipped; window adds results up instead")
  /**
   * GstCudaHisto:interval:
   *
   * The former name of #GstCudaHisto:message-interval. The `interval` of GStreamer's level is something else: #GstCudaHisto:window.
   *
   * Deprecated: 1.0: Use #GstCudaHisto:message-interval instead.
   */
  ROW (UINT64, message_interval, "interval", "Interval", 0, 0, NULL, NULL, PLAYING | G_PARAM_DEPRECATED,
      "The former name of message-interval")
  BOOLEAN (histogram, "histogram", "Histogram",
      "Include the histogram in the result")
  /**
   * GstCudaHisto:region-histograms:
   *
   * Whether regions have histograms, too, as the whole picture has if #GstCudaHisto:histogram is set.
   *
   * Since: 1.0
   */
  BOOLEAN (region_histograms, "region-histograms", "Region histograms",
      "Include the histograms of regions, too, unless histogram is false. They may "
      "be large: 16-bit formats have 65536 bins for each component of each region")
  /* The bounds of bins and of the range are checked on setting, with a warning. */
  NUMBER (UINT, bins.bins, "bins", "Bins", 0, HISTO_MAX_BINS,
      "Bins of each component (0 = one for each value of video, 256 for audio)")
  NUMBER (DOUBLE, bins.range_min, "range-min", "Range minimum",
      -G_MAXDOUBLE, G_MAXDOUBLE,
      "Lower edge of the first bin, in sample units (range-min and range-max both "
      "0 = the range of the format)")
  NUMBER (DOUBLE, bins.range_max, "range-max", "Range maximum",
      -G_MAXDOUBLE, G_MAXDOUBLE,
      "Upper edge of the last bin, which does not contain it, in sample units "
      "(range-min and range-max both 0 = the range of the format)")
  FLAGS (measures, "measures", "Measures", "GstCudaHistoMeasures", groups,
      "Groups to measure. basic is always on. Groups of the other medium have no "
      "effect")
  BOOLEAN (roi_meta, "roi-meta", "ROI meta",
      "Measure each GstVideoRegionOfInterestMeta of a buffer, and each GstAnalyticsODMtd if built with GStreamer 1.24, as a "
      "region, too, and add its figures to it (at most 64; if their number grows, one frame may have no previous frame)")
  UINT64 (window, "window", "Window",
      "Post a cudahisto-window message for each span of stream time of this "
      "length, in ns (0 = none)")
  NUMBER (UINT, every, "every", "Every", 1, G_MAXUINT,
      "Measure one buffer in this many; the others pass without a result")
  FLAGS (alerts.alerts, "alerts", "Alerts", "GstCudaHistoAlerts", alerts,
      "Post a cudahisto-alert message when one of these conditions begins or ends")
#define DOUBLE_ROW(member, name, nick, least, most, blurb) \
  NUMBER (DOUBLE, member, name, nick, least, most, blurb)
#define UINT_ROW(member, name, nick, least, most, blurb) \
  NUMBER (UINT, member, name, nick, least, most, blurb)
#define TIME_ROW(member, name, nick, least, most, blurb) \
  UINT64 (member, name, nick, blurb)
#define ALERT_ROW(type, member, name, nick, preset, least, most, blurb) \
  type##_ROW (alerts.member, name, nick, least, most, blurb)
  HISTO_ALERT_SETTINGS (ALERT_ROW)
  NUMBER (UINT, max_in_flight, "max-in-flight", "Maximum in flight",
      1, MAX_MAX_IN_FLIGHT,
      "Most buffers that are measured at the same time")
  BOOLEAN (hold_previous, "hold-previous", "Hold previous",
      "On the CPU, hold each frame until the next one is measured, instead of "
      "copying it. For pools that can grow, if no element downstream writes to "
      "frames")
  BOOLEAN (qos, "qos", "QoS",
      "Let buffers that downstream reports as late pass without a result")
  BOOLEAN (page_lock_upstream, "page-lock-upstream", "Page-lock upstream",
      "Page-lock memory of upstream's buffer pool in place when it comes a second "
      "time, so that the device copies from it directly")
  UINT64 (page_lock_limit, "page-lock-limit", "Page-lock limit",
      "Most bytes of upstream's memory that are page-locked for this element at "
      "the same time")
};
/* *INDENT-ON* */

/* The number of a property in its class is its place here and 1. */
static const HistoProperty *
get_property (guint id)
{
  return id >= 1 && id <= G_N_ELEMENTS (properties) ?
      &properties[id - 1] : NULL;
}

/* Returns: the first number that is free for other properties of the class */
guint
histo_properties_install (GObjectClass * object_class)
{
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    const HistoProperty *p = &properties[i];

    g_object_class_install_property (object_class, 1 + i, p->offset == G_STRUCT_OFFSET (HistoSettings, bins.bins) ?
        checked_uint_new (p, histo_default_settings.bins.bins) : histo_property_new_spec (p, &histo_default_settings));
  }
  return 1 + G_N_ELEMENTS (properties);
}

/* Returns: FALSE if no property of the table has this number */
gboolean
histo_properties_set (HistoSettings * values, guint id, const GValue * value)
{
  const HistoProperty *p = get_property (id);

  if (p != NULL)
    histo_property_set (p, values, value);
  return p != NULL;
}

/* Returns: FALSE if no property of the table has this number */
gboolean
histo_properties_get (const HistoSettings * values, guint id, GValue * value)
{
  const HistoProperty *p = get_property (id);

  if (p != NULL)
    histo_property_get (p, values, value);
  return p != NULL;
}
