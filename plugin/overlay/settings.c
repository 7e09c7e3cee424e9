/* The settings of the overlay, which are its properties.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/settings.h"

#include "cudahisto/result.h"
#include "property-table.h"

#define DEFAULT_FONT "Sans"

/* ---- Values of enumerations --------------------------------------------------------- */

/* For documentation: values that came after the first release. The table has what they mean. */
/**
 * GstCudaHistoOverlayShow::vectorscope:
 *
 * Since: 1.0
 */
/**
 * GstCudaHistoOverlayShow::checks:
 *
 * Since: 1.0
 */
/**
 * GstCudaHistoOverlayShow::waveform:
 *
 * Since: 1.0
 */
static const GFlagsValue shows[] = {
#define VALUE(identifier, name, description) \
  {HISTO_SHOW_##identifier, description, name},
  HISTO_SHOWS (VALUE)
#undef VALUE
  {HISTO_SHOW_OLD_VECTORSCOPE, "The name of vectorscope in earlier versions", "vectors"},
  {0, NULL, NULL}
};

static const GEnumValue plots[] = {
  {HISTO_PLOT_AUTO, "R, G and B if they are measured, else luma", "auto"},
  {HISTO_PLOT_LUMA, "Luma; if it is not measured, R, G and B", "luma"},
  {HISTO_PLOT_PARADE, "R, G and B side by side; if they are not measured, "
        "the components of the format", "parade"},
  {0, NULL, NULL}
};

static const GEnumValue waveforms[] = {
  {HISTO_WAVEFORM_LUMA, "Luma", "luma"},
  {HISTO_WAVEFORM_PARADE, "R, G and B side by side", "parade"},
  {HISTO_WAVEFORM_OVERLAY, "R, G and B in one plot", "overlay"},
  {0, NULL, NULL}
};

static const GEnumValue scales[] = {
  {FALSE, "Heights and light are proportional to the counts", "linear"},
  {TRUE, "They are proportional to the logarithm of the counts", "logarithmic"},
  {0, NULL, NULL}
};

static const GEnumValue corners[] = {
  {HISTO_CORNER_TOP_LEFT, "From the top left corner", "top-left"},
  {HISTO_CORNER_TOP_RIGHT, "From the top right corner", "top-right"},
  {HISTO_CORNER_BOTTOM_LEFT, "From the bottom left corner", "bottom-left"},
  {HISTO_CORNER_BOTTOM_RIGHT, "From the bottom right corner",
      "bottom-right"},
  {0, NULL, NULL}
};

static const GEnumValue directions[] = {
  {FALSE, "Side by side", "row"},
  {TRUE, "One above the other", "column"},
  {0, NULL, NULL}
};

/* ---- The table --------------------------------------------------------------------- */

static const HistoOverlaySettings defaults = {
  .style.pixel_aspect = 1,
  .style.font = DEFAULT_FONT,
  .show = HISTO_SHOW_ALL,
  .mode = HISTO_PLOT_AUTO,
  .waveform_mode = HISTO_WAVEFORM_LUMA,
  .is_logarithmic = FALSE,
  .corner = HISTO_CORNER_BOTTOM_LEFT,
  .is_column = FALSE,
  .size = 0.25,
  .margin = 0.03,
  .style.opacity = 1,
  .style.color = 0xffeceff4,
  .style.background = 0xff0c0f14,
  .style.alert_color = 0xe0b3261e,
  .style.region_color = 0xff4dd0e1,
  .hold = 2 * GST_SECOND,
  .alert_hold = 2 * GST_SECOND,
  .audio_wait = GST_SECOND / 2,
  .peak_ttl = 1500 * GST_MSECOND,
  .peak_falloff = 20,
  .loudness_target = -23,
};

#define PLAYING GST_PARAM_MUTABLE_PLAYING
#define FLAGGED_ROW(type, member, name, nick, blurb, least, most, type_name, values, flags) \
  {HISTO_PROPERTY_##type, name, nick, blurb, G_STRUCT_OFFSET (HistoOverlaySettings, member), least, most, type_name, \
      values, flags}
/* GstController has no values of flags and texts. */
#define FLAGS(member, name, nick, type, values, blurb) \
  FLAGGED_ROW (FLAGS, member, name, nick, blurb, 0, 0, "GstCudaHistoOverlay" type, values, PLAYING)
#define ROW(type, member, name, nick, blurb, least, most, type_name, values) \
  FLAGGED_ROW (type, member, name, nick, blurb, least, most, type_name, values, GST_PARAM_CONTROLLABLE | PLAYING)
#define ENUM(member, name, nick, type, values, blurb) \
  ROW (ENUM, member, name, nick, blurb, 0, 0, "GstCudaHistoOverlay" type, values)
#define COLOR(member, name, nick, blurb) ROW (UINT, member, name, nick, blurb, 0, G_MAXUINT32, NULL, NULL)
#define TIME(member, name, nick, blurb) ROW (UINT64, member, name, nick, blurb, 0, 0, NULL, NULL)
#define DOUBLE(member, name, nick, least, most, blurb) ROW (DOUBLE, member, name, nick, blurb, least, most, NULL, NULL)

static const HistoProperty properties[] = {
  FLAGS (show, "show", "Show", "Show", shows, "What is drawn, if it is measured"),
  ENUM (mode, "components", "Components", "Plot", plots,
      "Which components the histogram and the levels show"),
  /**
   * GstCudaHistoOverlay:waveform-mode:
   *
   * What the waveform shows: luma, or R, G and B side by side or in one plot.
   *
   * Since: 1.0
   */
  ENUM (waveform_mode, "waveform-mode", "Waveform mode", "Waveform", waveforms,
      "What the waveform shows"),
  ENUM (is_logarithmic, "scale", "Scale", "Scale", scales,
      "Scale of the histogram's heights, and of the light of waveform and vectorscope"),
  ENUM (corner, "position", "Position", "Corner", corners,
      "Corner of the picture in which the panels begin. The alerts and the checks are at the opposite edge"),
  ENUM (is_column, "direction", "Direction", "Direction", directions,
      "Whether the panels lie in a row or in a column"),
  DOUBLE (size, "size", "Size", 0.02, 1,
      "Height of a panel as a share of the picture's height, but at least 72 pixels. Panels that "
      "do not fit into the picture are made smaller"),
  DOUBLE (margin, "margin", "Margin", 0, 0.45,
      "Distance from the edges of the picture, as a share of its height"),
  DOUBLE (style.opacity, "opacity", "Opacity", 0, 1,
      "Opacity of everything that is drawn"),
  COLOR (style.color, "color", "Color",
      "Colour of text, lines and luma, as 0xAARRGGBB"),
  COLOR (style.background, "background-color", "Background color",
      "Colour of the panels' background, as 0xAARRGGBB"),
  COLOR (style.alert_color, "alert-color", "Alert color",
      "Colour of the alerts' background, as 0xAARRGGBB"),
  COLOR (style.region_color, "region-color", "Region color",
      "Colour of the regions' frames, as 0xAARRGGBB"),
  TIME (hold, "hold", "Hold",
      "How many ns the latest result is shown while frames come without one"),
  TIME (alert_hold, "alert-hold", "Alert hold",
      "How many ns an alert is shown after its end"),
  TIME (audio_wait, "audio-wait", "Audio wait",
      "Most ns that a frame waits for its sound on the audio pads (0 = it does not wait). Frames of "
      "live sources never wait"),
  TIME (peak_ttl, "peak-ttl", "Peak TTL",
      "How many ns the peak mark of a meter stays before it falls"),
  DOUBLE (peak_falloff, "peak-falloff", "Peak falloff", 0, 1000,
      "How fast bars and peak marks of meters fall, in dB/s"),
  DOUBLE (loudness_target, "loudness-target", "Loudness target", -70, 0,
      "Target loudness, in LUFS: the mark of the loudness bar"),
};

/* The number of a property in its class is its place here and 1. */
#define PROP_FONT (G_N_ELEMENTS (properties) + 1)
#define PROP_RESULT_NAME (PROP_FONT + 1)

void
histo_overlay_properties_install (GObjectClass * class)
{
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++)
    g_object_class_install_property (class, 1 + i, histo_property_new_spec (&properties[i], &defaults));
  g_object_class_install_property (class, PROP_FONT, g_param_spec_string ("font", "Font", "Family of the font",
          DEFAULT_FONT, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | PLAYING));
  /**
   * GstCudaHistoOverlay:result-name:
   *
   * The #GstCudaHisto:result-name of the element whose results are drawn.
   *
   * Since: 1.0
   */
  g_object_class_install_property (class, PROP_RESULT_NAME, g_param_spec_string ("result-name", "Result name",
          "The result-name of the elements whose results are drawn. NULL: of those without one", NULL,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | PLAYING));
}

/* @settings: (out): the defaults. Its padding is 0 */
void
histo_overlay_settings_init (HistoOverlaySettings * settings)
{
  memcpy (settings, &defaults, sizeof *settings);
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

static void
set_result_name (HistoOverlaySettings * settings, const gchar * name, gchar ** fault)
{
  *fault = histo_result_name_fault (name);
  if (*fault == NULL)
    g_strlcpy (settings->result_name, name != NULL ? name : "", sizeof settings->result_name);
}

/* @fault: (out) (transfer full) (nullable): why the value was refused and the one before is kept
 *
 * Returns: FALSE if there is no such property */
gboolean
histo_overlay_settings_set (HistoOverlaySettings * settings, guint property,
    const GValue * value, gchar ** fault)
{
  *fault = NULL;
  if (property < 1 || property > PROP_RESULT_NAME)
    return FALSE;
  if (property == PROP_FONT)
    set_font (&settings->style, g_value_get_string (value));
  else if (property == PROP_RESULT_NAME)
    set_result_name (settings, g_value_get_string (value), fault);
  else
    histo_property_set (&properties[property - 1], settings, value);
  if ((settings->show & HISTO_SHOW_OLD_VECTORSCOPE) != 0)
    settings->show = (settings->show & ~HISTO_SHOW_OLD_VECTORSCOPE) | HISTO_SHOW_VECTORSCOPE;
  return TRUE;
}

gboolean
histo_overlay_settings_get (const HistoOverlaySettings * settings,
    guint property, GValue * value)
{
  if (property < 1 || property > PROP_RESULT_NAME)
    return FALSE;
  if (property == PROP_FONT)
    g_value_set_string (value, settings->style.font);
  else if (property == PROP_RESULT_NAME)
    g_value_set_string (value, *settings->result_name != '\0' ? settings->result_name : NULL);
  else
    histo_property_get (&properties[property - 1], settings, value);
  return TRUE;
}
