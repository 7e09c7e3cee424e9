/* How inputs are measured; see settings.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input/settings.h"

#include "cudahisto/colorimetry.h"
#include "cudahisto/cudahisto.h"
#include "base/describe.h"
#include "base/names.h"
#include "policy/policy.h"

#include <gio/gio.h>
#include <string.h>

/* Sound is measured in windows of this length, so that the results do not depend on the buffers of
 * the decoder. It is the distance of the blocks of BS.1770. */
#define WINDOWS_IN_SECOND 10
#define WINDOW (GST_SECOND / WINDOWS_IN_SECOND)

/* Properties that the program itself needs. */
static const gchar *const own_properties[] = {
  "measures", "alerts", "regions", "meta", "post-messages", "message-interval", "interval",
  "histogram", "region-histograms", "bins", "range-min", "range-max", "bin-edges",
  "window", "qos", NULL
};

void
report_settings_clear (ReportSettings * settings)
{
  g_free (settings->measures);
  g_free (settings->alerts);
  g_free (settings->regions);
  g_free (settings->programme);
  g_free (settings->sequence);
  g_strfreev (settings->properties);
  g_clear_pointer (&settings->policies, g_ptr_array_unref);
}

/* Appends the properties to the text of the settings. */
void
report_settings_describe_properties (const ReportSettings * settings,
    GString * text)
{
  for (gchar ** p = settings->properties; p != NULL && *p != NULL; p++)
    g_string_append_printf (text, " %s", *p);
}

/* Returns: (transfer full): the settings as text. Equal texts measure the same. */
gchar *
report_settings_describe (const ReportSettings * settings)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "measures=%s alerts=%s",
      settings->measures != NULL ? settings->measures : "default",
      settings->alerts != NULL ? settings->alerts : "default");
  if (settings->regions != NULL)
    g_string_append_printf (text, " regions=%s", settings->regions);
  if (settings->programme != NULL)
    g_string_append_printf (text, " programme=%s", settings->programme);
  if (settings->sequence != NULL)
    g_string_append_printf (text, " sequence=%s", settings->sequence);
  report_settings_describe_properties (settings, text);
  for (guint i = 0; i < settings->policies->len; i++) {
    const ReportPolicy *policy = settings->policies->pdata[i];

    g_string_append_printf (text, " policy=%s:%s", policy->name,
        policy->checksum);
  }
  return g_string_free (text, FALSE);
}

/* ---- Checking ------------------------------------------------------------------------------- */

/* Whether a property has the value. The group basic is on with any others. */
static gboolean
has_value (GstElement * element, const GParamSpec * spec,
    const GValue * value)
{
  GValue found = G_VALUE_INIT;
  gboolean is_equal;

  g_value_init (&found, spec->value_type);
  g_object_get_property (G_OBJECT (element), spec->name, &found);
  if (G_VALUE_HOLDS_FLAGS (value))
    is_equal = (g_value_get_flags (value) & ~g_value_get_flags (&found)) == 0;
  else
    is_equal = gst_value_compare (value, &found) == GST_VALUE_EQUAL;
  g_value_unset (&found);
  return is_equal;
}

/* Reads text as a value of a property. GStreamer's own function takes -1 for a great number, and no
 * digit at all for 0. */
static gboolean
read_value (const GParamSpec * spec, const gchar * text, GValue * value)
{
  guint64 number;

  g_value_init (value, spec->value_type);
  if (G_IS_PARAM_SPEC_UINT64 (spec)) {
    if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, &number, NULL))
      return FALSE;
    g_value_set_uint64 (value, number);
  } else if (G_IS_PARAM_SPEC_UINT (spec)) {
    if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT, &number, NULL))
      return FALSE;
    g_value_set_uint (value, (guint) number);
  } else if (!gst_value_deserialize (value, text)) {
    return FALSE;
  }
  return !g_param_value_validate ((GParamSpec *) spec, value);
}

/* Sets a property from text, and fails if the element does not accept it. An element that refuses
 * a value keeps the old one. */
static gboolean
set_property (GstElement * element, const gchar * name, const gchar * text,
    GError ** error)
{
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);
  GValue value = G_VALUE_INIT;
  gboolean is_set;

  if (spec == NULL || (spec->flags & G_PARAM_WRITABLE) == 0
      || spec->owner_type != G_OBJECT_TYPE (element))
    return report_fail (error, "cudahisto has no property \"%s\" to set", name);
  if (!read_value (spec, text, &value)) {
    g_value_unset (&value);
    return report_fail (error, "\"%s\" is no value of %s", text, name);
  }
  g_object_set_property (G_OBJECT (element), name, &value);
  is_set = has_value (element, spec, &value);
  g_value_unset (&value);
  return is_set || report_fail (error, "cudahisto refuses %s=%s", name, text);
}

static gboolean
set_pair (GstElement * element, const gchar * pair, GError ** error)
{
  const gchar *equals = strchr (pair, '=');
  g_autofree gchar *name = NULL;

  if (equals == NULL)
    return report_fail (error, "--set needs NAME=VALUE, not \"%s\"", pair);
  name = g_strndup (pair, equals - pair);
  if (g_strv_contains (own_properties, name))
    return report_fail (error, "--set cannot set %s, which this program needs itself", name);
  return set_property (element, name, equals + 1, error);
}

/* Switches on what the rules of policies need beside the groups that are on. */
static gboolean
add_groups (GstElement * element, const ReportSettings * settings,
    GError ** error)
{
  const guint groups = report_policies_groups (settings->policies);
  guint before, after;

  g_object_get (element, "measures", &before, NULL);
  if ((groups & ~before) == 0)
    return TRUE;
  g_object_set (element, "measures", before | groups, NULL);
  g_object_get (element, "measures", &after, NULL);
  for (guint i = 1; i < HISTO_N_GROUPS; i++) {
    if ((groups & ~after & HISTO_GROUP_FLAG (i)) != 0)
      return report_fail (error, "--policy needs %s in --measures, which this "
          "build does not have", histo_groups[i].name);
  }
  return TRUE;
}

static gboolean
apply (GstElement * element, const ReportSettings * settings,
    const gchar * default_measures, GError ** error)
{
  const gchar *measures =
      settings->measures != NULL ? settings->measures : default_measures;
  const gchar *alerts =
      settings->alerts != NULL ? settings->alerts : REPORT_DEFAULT_ALERTS;

  if (!set_property (element, "measures", measures, error)
      || !add_groups (element, settings, error))
    return FALSE;
  if (strcmp (alerts, "none") != 0
      && !set_property (element, "alerts", alerts, error))
    return FALSE;
  if (settings->regions != NULL
      && !set_property (element, "regions", settings->regions, error))
    return FALSE;
  for (gchar ** p = settings->properties; p != NULL && *p != NULL; p++) {
    if (!set_pair (element, *p, error))
      return FALSE;
  }
  return TRUE;
}

static GstElement *
make_element (GError ** error)
{
  GstElement *element = gst_element_factory_make ("cudahisto", NULL);

  if (element == NULL) {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
        "GStreamer does not find the plugin cudahisto: install it, or set "
        "GST_PLUGIN_PATH to the folder that has libgstcudahisto.so");
    return NULL;
  }
  return gst_object_ref_sink (element);
}

/* Returns: the default groups that the build has: loudness needs a library */
static const gchar *
default_measures (gboolean is_hdr)
{
  static gsize is_known = 0;
  static gboolean has_loudness;

  if (g_once_init_enter (&is_known)) {
    g_autoptr (GstElement) element = make_element (NULL);

    has_loudness = element != NULL
        && set_property (element, "measures", "loudness", NULL);
    g_once_init_leave (&is_known, 1);
  }
  if (has_loudness)
    return is_hdr ? REPORT_DEFAULT_MEASURES "+hdr" : REPORT_DEFAULT_MEASURES;
  return is_hdr ? REPORT_MEASURES_WITHOUT_LOUDNESS "+hdr" :
      REPORT_MEASURES_WITHOUT_LOUDNESS;
}

/**
 * report_settings_check:
 *
 * Returns: FALSE with a %G_IO_ERROR if the element does not exist, or does not accept a setting
 */
gboolean
report_settings_check (const ReportSettings * settings, GError ** error)
{
  g_autoptr (GstElement) element = make_element (error);

  if (element == NULL)
    return FALSE;
  return apply (element, settings, default_measures (FALSE), error);
}

/**
 * report_settings_check_light:
 * @settings: checked
 * @option: that needs the light of each frame of PQ, and the scenes
 *
 * Returns: FALSE with a %G_IO_ERROR_INVALID_ARGUMENT if they are not measured
 */
gboolean
report_settings_check_light (const ReportSettings * settings,
    const gchar * option, GError ** error)
{
  g_autoptr (GstElement) element = make_element (error);
  guint measures, alerts, every;

  if (element == NULL)
    return FALSE;
  apply (element, settings, default_measures (TRUE), NULL);
  g_object_get (element, "measures", &measures, "alerts", &alerts, "every",
      &every, NULL);
  if ((measures & HISTO_GROUP_FLAG (HISTO_GROUP_HDR)) == 0)
    return report_fail (error, "--%s needs hdr in --measures", option);
  if ((alerts & HISTO_ALERT_FLAG (HISTO_ALERT_SCENE)) == 0)
    return report_fail (error, "--%s needs scene in --alerts", option);
  return every == 1 || report_fail (error, "--%s needs each frame, so it takes "
      "no --set every=%u", option, every);
}

/* Returns: flags of the alerts that are watched, see HISTO_ALERT_FLAG() */
guint
report_settings_alerts (const ReportSettings * settings)
{
  g_autoptr (GstElement) element = make_element (NULL);
  guint alerts = 0;

  if (element != NULL
      && apply (element, settings, default_measures (FALSE), NULL))
    g_object_get (element, "alerts", &alerts, NULL);
  return alerts;
}

/* ---- The element of a stream ---------------------------------------------------------------- */

static gboolean
is_hdr (const GstCaps * caps)
{
  GstVideoColorimetry colorimetry;

  return report_caps_get_colorimetry (caps, &colorimetry)
      && histo_colorimetry_is_hdr (&colorimetry);
}

/**
 * report_settings_make_element:
 * @settings: checked
 * @caps: of the stream, fixed
 *
 * Returns: (transfer full): a cudahisto that posts a message for each frame, or for each window of
 * sound
 */
GstElement *
report_settings_make_element (const ReportSettings * settings,
    const GstCaps * caps)
{
  const gboolean is_audio =
      gst_structure_has_name (gst_caps_get_structure (caps, 0), "audio/x-raw");
  GstElement *element = make_element (NULL);

  /* Decoders do not wait for the frame that is held, and nothing writes to it. Figures of regions are
   * merged by their histograms. */
  g_object_set (element, "meta", FALSE, "post-messages", !is_audio,
      "hold-previous", TRUE, "region-histograms", TRUE, NULL);
  if (is_audio)
    g_object_set (element, "window", (guint64) WINDOW, NULL);
  apply (element, settings, default_measures (!is_audio && is_hdr (caps)),
      NULL);
  return element;
}

/* Returns: whether each frame is counted as it would be without those before, but the latest one */
gboolean
report_settings_count_alone (const ReportSettings * settings)
{
  g_autoptr (GstElement) element = make_element (NULL);
  gboolean has_regions;
  guint every;

  if (element == NULL)
    return FALSE;
  apply (element, settings, default_measures (FALSE), NULL);
  g_object_get (element, "every", &every, "roi-meta", &has_regions, NULL);
  return every == 1 && !has_regions;
}

/* The fast transform of jpegdec, its default, is half a code low. */
void
report_settings_make_exact (GstElement * decoder)
{
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (decoder),
          "idct-method") != NULL)
    gst_util_set_object_arg (G_OBJECT (decoder), "idct-method", "islow");
}

/* By default the element takes sound behind a hole for the sound in it, until a second has come. */
#define SPLITTER "audiobuffersplit discont-wait=0 output-buffer-duration=1/" G_STRINGIFY (WINDOWS_IN_SECOND)

/**
 * report_settings_make_splitter:
 * @caps: of the stream, fixed
 *
 * Decoders give sound in buffers of any length, and a window has whole buffers. The splitter makes
 * each buffer as long as a window, so that every window has the same number of samples. It takes
 * interleaved samples only; some decoders give planes.
 *
 * Returns: (transfer full) (nullable): the splitter; NULL for video, and if an element is missing
 */
GstElement *
report_settings_make_splitter (const GstCaps * caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  gint channels = 0;

  if (!gst_structure_has_name (structure, "audio/x-raw"))
    return NULL;
  gst_structure_get_int (structure, "channels", &channels);
  /* audioconvert of 64 channels or more ends the program (1.22). Decoders that give planes have fewer. */
  if (channels >= 64)
    return gst_parse_bin_from_description_full (SPLITTER, TRUE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, NULL);
  return gst_parse_bin_from_description_full ("audioconvert ! " SPLITTER, TRUE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, NULL);
}
