/* The settings of the overlay, which are its properties.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/settings.h"

#define DEFAULT_FONT "Sans"

/* ---- Types ------------------------------------------------------------------------- */

static GType
get_show_type (void)
{
  static const GFlagsValue values[] = {
#define VALUE(identifier, name, description) \
    {HISTO_SHOW_##identifier, description, name},
    HISTO_SHOWS (VALUE)
#undef VALUE
    {HISTO_SHOW_OLD_VECTORSCOPE, "The name of vectorscope in earlier versions", "vectors"},
    {0, NULL, NULL}
  };
  static GType type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_flags_register_static
        ("GstCudaHistoOverlayShow", values));
  return type;
}

/* @type: 0 before the first call */
static GType
get_enum_type (gsize * type, const gchar * name, const GEnumValue * values)
{
  if (g_once_init_enter (type))
    g_once_init_leave (type, g_enum_register_static (name, values));
  return *type;
}

static GType
get_plot_type (void)
{
  static const GEnumValue values[] = {
    {HISTO_PLOT_AUTO, "R, G and B if they are measured, else luma", "auto"},
    {HISTO_PLOT_LUMA, "Luma; if it is not measured, R, G and B", "luma"},
    {HISTO_PLOT_PARADE, "R, G and B side by side; if they are not measured, "
          "the components of the format", "parade"},
    {0, NULL, NULL}
  };
  static gsize type = 0;

  return get_enum_type (&type, "GstCudaHistoOverlayPlot", values);
}

static GType
get_waveform_type (void)
{
  static const GEnumValue values[] = {
    {HISTO_WAVEFORM_LUMA, "Luma", "luma"},
    {HISTO_WAVEFORM_PARADE, "R, G and B side by side", "parade"},
    {HISTO_WAVEFORM_OVERLAY, "R, G and B in one plot", "overlay"},
    {0, NULL, NULL}
  };
  static gsize type = 0;

  return get_enum_type (&type, "GstCudaHistoOverlayWaveform", values);
}

static GType
get_scale_type (void)
{
  static const GEnumValue values[] = {
    {FALSE, "Heights and light are proportional to the counts", "linear"},
    {TRUE, "They are proportional to the logarithm of the counts", "logarithmic"},
    {0, NULL, NULL}
  };
  static gsize type = 0;

  return get_enum_type (&type, "GstCudaHistoOverlayScale", values);
}

static GType
get_corner_type (void)
{
  static const GEnumValue values[] = {
    {HISTO_CORNER_TOP_LEFT, "From the top left corner", "top-left"},
    {HISTO_CORNER_TOP_RIGHT, "From the top right corner", "top-right"},
    {HISTO_CORNER_BOTTOM_LEFT, "From the bottom left corner", "bottom-left"},
    {HISTO_CORNER_BOTTOM_RIGHT, "From the bottom right corner",
        "bottom-right"},
    {0, NULL, NULL}
  };
  static gsize type = 0;

  return get_enum_type (&type, "GstCudaHistoOverlayCorner", values);
}

static GType
get_direction_type (void)
{
  static const GEnumValue values[] = {
    {FALSE, "Side by side", "row"},
    {TRUE, "One above the other", "column"},
    {0, NULL, NULL}
  };
  static gsize type = 0;

  return get_enum_type (&type, "GstCudaHistoOverlayDirection", values);
}

/* ---- The table --------------------------------------------------------------------- */

/* PROPERTY (IDENTIFIER, member, name, nick, description, default, ...): the rest depends on the macro:
 *   ENUM (…, type), FLAGS (…, type), COLOR (…), TIME (…), DOUBLE (…, least, most). */
#define HISTO_OVERLAY_PROPERTIES(FLAGS, ENUM, COLOR, TIME, DOUBLE) \
  FLAGS (SHOW, show, "show", "Show", \
      "What is drawn, if it is measured", HISTO_SHOW_ALL, get_show_type ()) \
  ENUM (COMPONENTS, mode, "components", "Components", \
      "Which components the histogram and the levels show", HISTO_PLOT_AUTO, get_plot_type ()) \
  ENUM (WAVEFORM_MODE, waveform_mode, "waveform-mode", "Waveform mode", \
      "What the waveform shows", HISTO_WAVEFORM_LUMA, get_waveform_type ()) \
  ENUM (SCALE, is_logarithmic, "scale", "Scale", \
      "Scale of the histogram's heights, and of the light of waveform and vectorscope", FALSE, get_scale_type ()) \
  ENUM (POSITION, corner, "position", "Position", \
      "Corner of the picture in which the panels begin. The alerts and the checks are at the opposite edge", \
      HISTO_CORNER_BOTTOM_LEFT, get_corner_type ()) \
  ENUM (DIRECTION, is_column, "direction", "Direction", \
      "Whether the panels lie in a row or in a column", FALSE, get_direction_type ()) \
  DOUBLE (SIZE, size, "size", "Size", \
      "Height of a panel as a share of the picture's height, but at least 72 pixels. Panels that " \
      "do not fit into the picture are made smaller", 0.25, 0.02, 1) \
  DOUBLE (MARGIN, margin, "margin", "Margin", \
      "Distance from the edges of the picture, as a share of its height", 0.03, 0, 0.45) \
  DOUBLE (OPACITY, style.opacity, "opacity", "Opacity", \
      "Opacity of everything that is drawn", 1, 0, 1) \
  COLOR (FOREGROUND, style.color, "color", "Color", \
      "Colour of text, lines and luma, as 0xAARRGGBB", 0xffeceff4) \
  COLOR (BACKGROUND, style.background, "background-color", "Background color", \
      "Colour of the panels' background, as 0xAARRGGBB", 0xff0c0f14) \
  COLOR (ALERT_COLOR, style.alert_color, "alert-color", "Alert color", \
      "Colour of the alerts' background, as 0xAARRGGBB", 0xe0b3261e) \
  COLOR (REGION_COLOR, style.region_color, "region-color", "Region color", \
      "Colour of the regions' frames, as 0xAARRGGBB", 0xff4dd0e1) \
  TIME (HOLD, hold, "hold", "Hold", \
      "How many ns the latest result is shown while frames come without one", 2 * GST_SECOND) \
  TIME (ALERT_HOLD, alert_hold, "alert-hold", "Alert hold", \
      "How many ns an alert is shown after its end", 2 * GST_SECOND) \
  TIME (AUDIO_WAIT, audio_wait, "audio-wait", "Audio wait", \
      "Most ns that a frame waits for its sound on the audio pads (0 = it does not wait). Frames of " \
      "live sources never wait", GST_SECOND / 2) \
  TIME (PEAK_TTL, peak_ttl, "peak-ttl", "Peak TTL", \
      "How many ns the peak mark of a meter stays before it falls", 1500 * GST_MSECOND) \
  DOUBLE (PEAK_FALLOFF, peak_falloff, "peak-falloff", "Peak falloff", \
      "How fast bars and peak marks of meters fall, in dB/s", 20, 0, 1000) \
  DOUBLE (LOUDNESS_TARGET, loudness_target, "loudness-target", "Loudness target", \
      "Target loudness, in LUFS: the mark of the loudness bar", -23, -70, 0)

enum
{
  PROP_0,
#define NUMBER(identifier, ...) PROP_##identifier,
  HISTO_OVERLAY_PROPERTIES (NUMBER, NUMBER, NUMBER, NUMBER, NUMBER)
#undef NUMBER
  PROP_FONT
};

#define PROPERTY_FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS \
    | GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING)

void
histo_overlay_properties_install (GObjectClass * class)
{
#define FLAGS(identifier, member, name, nick, text, preset, type) \
  g_object_class_install_property (class, PROP_##identifier, \
      g_param_spec_flags (name, nick, text, type, preset, PROPERTY_FLAGS));
#define ENUM(identifier, member, name, nick, text, preset, type) \
  g_object_class_install_property (class, PROP_##identifier, \
      g_param_spec_enum (name, nick, text, type, preset, PROPERTY_FLAGS));
#define COLOR(identifier, member, name, nick, text, preset) \
  g_object_class_install_property (class, PROP_##identifier, \
      g_param_spec_uint (name, nick, text, 0, G_MAXUINT32, preset, PROPERTY_FLAGS));
#define TIME(identifier, member, name, nick, text, preset) \
  g_object_class_install_property (class, PROP_##identifier, \
      g_param_spec_uint64 (name, nick, text, 0, G_MAXUINT64, preset, PROPERTY_FLAGS));
#define DOUBLE(identifier, member, name, nick, text, preset, least, most) \
  g_object_class_install_property (class, PROP_##identifier, \
      g_param_spec_double (name, nick, text, least, most, preset, PROPERTY_FLAGS));
  HISTO_OVERLAY_PROPERTIES (FLAGS, ENUM, COLOR, TIME, DOUBLE)
#undef FLAGS
#undef ENUM
#undef COLOR
#undef TIME
#undef DOUBLE
  g_object_class_install_property (class, PROP_FONT,
      g_param_spec_string ("font", "Font", "Family of the font",
          DEFAULT_FONT, PROPERTY_FLAGS));
  gst_type_mark_as_plugin_api (get_show_type (), 0);
  gst_type_mark_as_plugin_api (get_plot_type (), 0);
  gst_type_mark_as_plugin_api (get_waveform_type (), 0);
  gst_type_mark_as_plugin_api (get_scale_type (), 0);
  gst_type_mark_as_plugin_api (get_corner_type (), 0);
  gst_type_mark_as_plugin_api (get_direction_type (), 0);
}

/* @settings: (out): the defaults */
void
histo_overlay_settings_init (HistoOverlaySettings * settings)
{
  memset (settings, 0, sizeof *settings);
#define SET(identifier, member, name, nick, text, preset, ...) \
  settings->member = preset;
#define SET_LAST(identifier, member, name, nick, text, preset) \
  settings->member = preset;
  HISTO_OVERLAY_PROPERTIES (SET, SET, SET_LAST, SET_LAST, SET)
#undef SET
#undef SET_LAST
  settings->style.pixel_aspect = 1;
  g_strlcpy (settings->style.font, DEFAULT_FONT, sizeof settings->style.font);
}

/* The bytes after the text are 0, because styles are compared as bytes. */
static void
set_font (HistoStyle * style, const gchar * font)
{
  memset (style->font, 0, sizeof style->font);
  g_strlcpy (style->font, font != NULL && font[0] != '\0'
      && g_utf8_validate (font, -1, NULL) ? font : DEFAULT_FONT,
      sizeof style->font);
  /* A cut may have left a part of a character. */
  if (!g_utf8_validate (style->font, -1, NULL))
    set_font (style, DEFAULT_FONT);
}

/* Returns: FALSE if there is no such property */
gboolean
histo_overlay_settings_set (HistoOverlaySettings * settings, guint property,
    const GValue * value)
{
  switch (property) {
#define FLAGS(identifier, member, ...) \
    case PROP_##identifier: settings->member = g_value_get_flags (value); break;
#define ENUM(identifier, member, ...) \
    case PROP_##identifier: settings->member = g_value_get_enum (value); break;
#define COLOR(identifier, member, ...) \
    case PROP_##identifier: settings->member = g_value_get_uint (value); break;
#define TIME(identifier, member, ...) \
    case PROP_##identifier: settings->member = g_value_get_uint64 (value); break;
#define DOUBLE(identifier, member, ...) \
    case PROP_##identifier: settings->member = g_value_get_double (value); break;
    HISTO_OVERLAY_PROPERTIES (FLAGS, ENUM, COLOR, TIME, DOUBLE)
#undef FLAGS
#undef ENUM
#undef COLOR
#undef TIME
#undef DOUBLE
    case PROP_FONT:
      set_font (&settings->style, g_value_get_string (value));
      break;
    default:
      return FALSE;
  }
  if ((settings->show & HISTO_SHOW_OLD_VECTORSCOPE) != 0)
    settings->show = (settings->show & ~HISTO_SHOW_OLD_VECTORSCOPE) | HISTO_SHOW_VECTORSCOPE;
  return TRUE;
}

gboolean
histo_overlay_settings_get (const HistoOverlaySettings * settings,
    guint property, GValue * value)
{
  switch (property) {
#define FLAGS(identifier, member, ...) \
    case PROP_##identifier: g_value_set_flags (value, settings->member); break;
#define ENUM(identifier, member, ...) \
    case PROP_##identifier: g_value_set_enum (value, settings->member); break;
#define COLOR(identifier, member, ...) \
    case PROP_##identifier: g_value_set_uint (value, settings->member); break;
#define TIME(identifier, member, ...) \
    case PROP_##identifier: g_value_set_uint64 (value, settings->member); break;
#define DOUBLE(identifier, member, ...) \
    case PROP_##identifier: g_value_set_double (value, settings->member); break;
    HISTO_OVERLAY_PROPERTIES (FLAGS, ENUM, COLOR, TIME, DOUBLE)
#undef FLAGS
#undef ENUM
#undef COLOR
#undef TIME
#undef DOUBLE
    case PROP_FONT:
      g_value_set_string (value, settings->style.font);
      break;
    default:
      return FALSE;
  }
  return TRUE;
}
