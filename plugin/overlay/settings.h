/* The settings of the overlay, which are its properties.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_SETTINGS_H
#define HISTO_OVERLAY_SETTINGS_H

#include <gst/gst.h>

#include "cudahisto/fields.h"

G_BEGIN_DECLS

/* What can be shown: SHOW (IDENTIFIER, name, description); the flags of the property `show`. */
#define HISTO_SHOWS(SHOW) \
  SHOW (HISTOGRAM, "histogram", "Histogram of luma, or of R, G and B") \
  SHOW (LEVELS, "levels", "Percentiles of the latest frames, over time") \
  SHOW (VECTORSCOPE, "vectorscope", "Vectorscope: U and V; needs the group scopes") \
  SHOW (METERS, "meters", "Peak and RMS meters of the audio pads") \
  SHOW (LOUDNESS, "loudness", "Loudness of the audio pads; needs the group loudness") \
  SHOW (ALERTS, "alerts", "Alerts that are open, or ended less than alert-hold ago") \
  SHOW (REGIONS, "regions", "Frames around the regions, with their names") \
  SHOW (CHECKS, "checks", "Gamut, flashes, field order and repeated frames, in a few words; needs their groups") \
  SHOW (WAVEFORM, "waveform", "Waveform monitor: values by column of the picture; needs the group scopes")

enum
{
#define NUMBER(identifier, name, description) HISTO_SHOW_NUMBER_##identifier,
  HISTO_SHOWS (NUMBER)
#undef NUMBER
  HISTO_N_SHOWS
};

typedef enum
{
#define FLAG(identifier, name, description) \
  HISTO_SHOW_##identifier = 1 << HISTO_SHOW_NUMBER_##identifier,
  HISTO_SHOWS (FLAG)
#undef FLAG
  HISTO_SHOW_ALL = (1 << HISTO_N_SHOWS) - 1,
  /* The name that the vectorscope had before, "vectors". It has a flag of its own, which is never read: of two names of a
   * flag GStreamer's tools print the first one, or the last one. */
  HISTO_SHOW_OLD_VECTORSCOPE = 1 << 16
} HistoShow;

/* Which components the histogram and the levels show. */
typedef enum
{
  HISTO_PLOT_AUTO,              /* R, G and B if they are measured, else luma */
  HISTO_PLOT_LUMA,
  HISTO_PLOT_PARADE             /* R, G and B; if they are not measured, the format's own components */
} HistoPlotMode;

/* What the waveform shows. */
typedef enum
{
  HISTO_WAVEFORM_LUMA,
  HISTO_WAVEFORM_PARADE,        /* R, G and B side by side */
  HISTO_WAVEFORM_OVERLAY        /* R, G and B in one plot */
} HistoWaveformMode;

/* Where the panels are: the corner with the first panel. */
typedef enum
{
  HISTO_CORNER_TOP_LEFT,
  HISTO_CORNER_TOP_RIGHT,
  HISTO_CORNER_BOTTOM_LEFT,
  HISTO_CORNER_BOTTOM_RIGHT
} HistoCorner;

/* How a panel is drawn. All panels are drawn anew if this changes. Padding is 0. */
typedef struct
{
  /* Colours are 0xAARRGGBB, not premultiplied. */
  guint32 color, background, alert_color, region_color;
  gdouble opacity;              /* of all, 0 to 1 */
  gdouble pixel_aspect;         /* width of a pixel, divided by its height */
  gchar font[64];               /* family */
} HistoStyle;

/* Times in ns. */
typedef struct
{
  HistoStyle style;             /* pixel_aspect is that of the caps */
  guint show;                   /* flags of HistoShow */
  HistoPlotMode mode;
  HistoWaveformMode waveform_mode;
  gboolean is_logarithmic;
  HistoCorner corner;
  gboolean is_column;           /* the panels lie one above the other */
  gdouble size;                 /* height of a panel as a share of the picture's height */
  gdouble margin;               /* the same: the distance from the picture's edges */
  guint64 hold, alert_hold, audio_wait;
  guint64 peak_ttl;
  gdouble peak_falloff;         /* dB/s */
  gdouble loudness_target;      /* LUFS */
  gchar result_name[HISTO_LONGEST_RESULT_NAME + 1];     /* whose results are drawn; "": those without a name */
} HistoOverlaySettings;

void histo_overlay_properties_install (GObjectClass * class);
void histo_overlay_settings_init (HistoOverlaySettings * settings);
gboolean histo_overlay_settings_set (HistoOverlaySettings * settings,
    guint property, const GValue * value, gchar ** fault);
gboolean histo_overlay_settings_get (const HistoOverlaySettings * settings,
    guint property, GValue * value);

G_END_DECLS

#endif /* HISTO_OVERLAY_SETTINGS_H */
