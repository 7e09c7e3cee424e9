/* The settings of the overlay, which are its properties.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "overlay/settings.h"

#define DEFAULT_FONT "Sans"

/* ---- Values of enumerations --------------------------------------------------------- */

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

typedef enum
{
  TYPE_FLAGS,
  TYPE_ENUM,
  TYPE_COLOR,
  TYPE_TIME,
  TYPE_DOUBLE
} Type;

typedef struct
{
  Type type;
  const gchar *name, *nick, *blurb;
  gsize offset;                 /* of the member in HistoOverlaySettings */
  gdouble preset;
  gdouble least, most;          /* of DOUBLE */
  const gchar *type_name;       /* of FLAGS and ENUM */
  gconstpointer values;         /* of the same */
} Property;

#define ROW(type, member, name, nick, blurb, preset, least, most, ...) \
  {TYPE_##type, name, nick, blurb, G_STRUCT_OFFSET (HistoOverlaySettings, member), preset, least, most, __VA_ARGS__}
#define ENUM(member, name, nick, preset, type, values, blurb) \
  ROW (ENUM, member, name, nick, blurb, preset, 0, 0, "GstCudaHistoOverlay" type, values)
#define COLOR(member, name, nick, preset, blurb) ROW (COLOR, member, name, nick, blurb, preset, 0, 0, NULL, NULL)
#define TIME(member, name, nick, preset, blurb) ROW (TIME, member, name, nick, blurb, preset, 0, 0, NULL, NULL)
#define DOUBLE(member, name, nick, preset, least, most, blurb) \
  ROW (DOUBLE, member, name, nick, blurb, preset, least, most, NULL, NULL)

static const Property properties[] = {
  ROW (FLAGS, show, "show", "Show", "What is drawn, if it is measured", HISTO_SHOW_ALL, 0, 0,
      "GstCudaHistoOverlayShow", shows),
  ENUM (mode, "components", "Components", HISTO_PLOT_AUTO, "Plot", plots,
      "Which components the histogram and the levels show"),
  ENUM (waveform_mode, "waveform-mode", "Waveform mode", HISTO_WAVEFORM_LUMA, "Waveform", waveforms,
      "What the waveform shows"),
  ENUM (is_logarithmic, "scale", "Scale", FALSE, "Scale", scales,
      "Scale of the histogram's heights, and of the light of waveform and vectorscope"),
  ENUM (corner, "position", "Position", HISTO_CORNER_BOTTOM_LEFT, "Corner", corners,
      "Corner of the picture in which the panels begin. The alerts and the checks are at the opposite edge"),
  ENUM (is_column, "direction", "Direction", FALSE, "Direction", directions,
      "Whether the panels lie in a row or in a column"),
  DOUBLE (size, "size", "Size", 0.25, 0.02, 1,
      "Height of a panel as a share of the picture's height, but at least 72 pixels. Panels that "
      "do not fit into the picture are made smaller"),
  DOUBLE (margin, "margin", "Margin", 0.03, 0, 0.45,
      "Distance from the edges of the picture, as a share of its height"),
  DOUBLE (style.opacity, "opacity", "Opacity", 1, 0, 1,
      "Opacity of everything that is drawn"),
  COLOR (style.color, "color", "Color", 0xffeceff4,
      "Colour of text, lines and luma, as 0xAARRGGBB"),
  COLOR (style.background, "background-color", "Background color", 0xff0c0f14,
      "Colour of the panels' background, as 0xAARRGGBB"),
  COLOR (style.alert_color, "alert-color", "Alert color", 0xe0b3261e,
      "Colour of the alerts' background, as 0xAARRGGBB"),
  COLOR (style.region_color, "region-color", "Region color", 0xff4dd0e1,
      "Colour of the regions' frames, as 0xAARRGGBB"),
  TIME (hold, "hold", "Hold", 2 * GST_SECOND,
      "How many ns the latest result is shown while frames come without one"),
  TIME (alert_hold, "alert-hold", "Alert hold", 2 * GST_SECOND,
      "How many ns an alert is shown after its end"),
  TIME (audio_wait, "audio-wait", "Audio wait", GST_SECOND / 2,
      "Most ns that a frame waits for its sound on the audio pads (0 = it does not wait). Frames of "
      "live sources never wait"),
  TIME (peak_ttl, "peak-ttl", "Peak TTL", 1500 * GST_MSECOND,
      "How many ns the peak mark of a meter stays before it falls"),
  DOUBLE (peak_falloff, "peak-falloff", "Peak falloff", 20, 0, 1000,
      "How fast bars and peak marks of meters fall, in dB/s"),
  DOUBLE (loudness_target, "loudness-target", "Loudness target", -23, -70, 0,
      "Target loudness, in LUFS: the mark of the loudness bar"),
};

/* The number of a property in its class is its place here and 1. */
#define PROP_FONT (G_N_ELEMENTS (properties) + 1)

#define PROPERTY_FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS \
    | GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING)

static GType
register_type (const Property * p)
{
  const GType type = p->type == TYPE_FLAGS ? g_flags_register_static (p->type_name, p->values) :
      g_enum_register_static (p->type_name, p->values);

  gst_type_mark_as_plugin_api (type, 0);
  return type;
}

static GParamSpec *
new_spec (const Property * p)
{
  switch (p->type) {
    case TYPE_FLAGS:
      return g_param_spec_flags (p->name, p->nick, p->blurb, register_type (p), p->preset, PROPERTY_FLAGS);
    case TYPE_ENUM:
      return g_param_spec_enum (p->name, p->nick, p->blurb, register_type (p), p->preset, PROPERTY_FLAGS);
    case TYPE_COLOR:
      return g_param_spec_uint (p->name, p->nick, p->blurb, 0, G_MAXUINT32, p->preset, PROPERTY_FLAGS);
    case TYPE_TIME:
      return g_param_spec_uint64 (p->name, p->nick, p->blurb, 0, G_MAXUINT64, p->preset, PROPERTY_FLAGS);
    case TYPE_DOUBLE:
      return g_param_spec_double (p->name, p->nick, p->blurb, p->least, p->most, p->preset, PROPERTY_FLAGS);
  }
  g_return_val_if_reached (NULL);
}

void
histo_overlay_properties_install (GObjectClass * class)
{
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++)
    g_object_class_install_property (class, 1 + i, new_spec (&properties[i]));
  g_object_class_install_property (class, PROP_FONT,
      g_param_spec_string ("font", "Font", "Family of the font",
          DEFAULT_FONT, PROPERTY_FLAGS));
}

/* @settings: (out): the defaults */
void
histo_overlay_settings_init (HistoOverlaySettings * settings)
{
  memset (settings, 0, sizeof *settings);
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    const Property *p = &properties[i];

    if (p->type == TYPE_DOUBLE)
      G_STRUCT_MEMBER (gdouble, settings, p->offset) = p->preset;
    else if (p->type == TYPE_TIME)
      G_STRUCT_MEMBER (guint64, settings, p->offset) = p->preset;
    else
      G_STRUCT_MEMBER (guint, settings, p->offset) = p->preset;
  }
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
  const Property *p = &properties[property - 1];

  if (property == PROP_FONT)
    set_font (&settings->style, g_value_get_string (value));
  if (property < 1 || property >= PROP_FONT)
    return property == PROP_FONT;
  switch (p->type) {
    case TYPE_FLAGS:
      G_STRUCT_MEMBER (guint, settings, p->offset) = g_value_get_flags (value);
      break;
    case TYPE_ENUM:
      G_STRUCT_MEMBER (gint, settings, p->offset) = g_value_get_enum (value);
      break;
    case TYPE_COLOR:
      G_STRUCT_MEMBER (guint, settings, p->offset) = g_value_get_uint (value);
      break;
    case TYPE_TIME:
      G_STRUCT_MEMBER (guint64, settings, p->offset) = g_value_get_uint64 (value);
      break;
    case TYPE_DOUBLE:
      G_STRUCT_MEMBER (gdouble, settings, p->offset) = g_value_get_double (value);
      break;
  }
  if ((settings->show & HISTO_SHOW_OLD_VECTORSCOPE) != 0)
    settings->show = (settings->show & ~HISTO_SHOW_OLD_VECTORSCOPE) | HISTO_SHOW_VECTORSCOPE;
  return TRUE;
}

gboolean
histo_overlay_settings_get (const HistoOverlaySettings * settings,
    guint property, GValue * value)
{
  const Property *p = &properties[property - 1];

  if (property == PROP_FONT)
    g_value_set_string (value, settings->style.font);
  if (property < 1 || property >= PROP_FONT)
    return property == PROP_FONT;
  switch (p->type) {
    case TYPE_FLAGS:
      g_value_set_flags (value, G_STRUCT_MEMBER (guint, settings, p->offset));
      break;
    case TYPE_ENUM:
      g_value_set_enum (value, G_STRUCT_MEMBER (gint, settings, p->offset));
      break;
    case TYPE_COLOR:
      g_value_set_uint (value, G_STRUCT_MEMBER (guint, settings, p->offset));
      break;
    case TYPE_TIME:
      g_value_set_uint64 (value, G_STRUCT_MEMBER (guint64, settings, p->offset));
      break;
    case TYPE_DOUBLE:
      g_value_set_double (value, G_STRUCT_MEMBER (gdouble, settings, p->offset));
      break;
  }
  return TRUE;
}
