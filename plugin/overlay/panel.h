/* A panel: a rectangle of the overlay that shows one kind of measurement.
 *
 * Drawing has two steps, so that nothing is drawn that has not changed:
 *
 *   scene → describe → description: plain numbers, in pixels → draw → pixels
 *
 * A description that is equal to the one before gives the same pixels, so the panel is not drawn
 * again. The first part of a description, the base, says what seldom changes: the grid, the scales
 * and the labels. The base is drawn to a surface of its own, which is kept.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_PANEL_H
#define HISTO_OVERLAY_PANEL_H

#include "overlay/alerts.h"
#include "overlay/canvas.h"
#include "overlay/meters.h"
#include "overlay/plots.h"

G_BEGIN_DECLS

/* A panel is at most so wide and so high. */
#define HISTO_MOST_PANEL_PIXELS 8192
/* Audio pads whose meters are shown. */
#define HISTO_MOST_SOUNDS 8

/* What the overlay knows when a frame is to be shown. */
typedef struct
{
  const HistoOverlaySettings *settings;
  gint width, height;           /* of the picture, in pixels */
  const HistoResult *result;    /* of video; NULL: none, or too old */
  guint n_plots;                /* of the result */
  HistoPlot plots[HISTO_MOST_PLOTS];
  const HistoHistory *history;
  const HistoAlertList *alerts;
  guint n_sounds;
  const HistoMeters *sounds[HISTO_MOST_SOUNDS];
} HistoScene;

typedef struct
{
  gsize description_size;
  gsize base_size;              /* of the first part of a description */
  /* @number: of the panel, among those of its type
   * @height: of a panel, in pixels; only the panels of the alerts and the checks have another one
   * Returns: width 0: nothing is to be shown */
  HistoSize (*find_size) (const HistoScene * scene, guint number, gint height);
  /* @description: (out): all bytes are 0 */
  void (*describe) (const HistoScene * scene, guint number, HistoSize size,
      gpointer description);
  /* @canvas: with the background of a panel. NULL: there is no base */
  void (*draw_base) (HistoCanvas * canvas, gconstpointer base);
  /* @canvas: with the base */
  void (*draw) (HistoCanvas * canvas, gconstpointer description);
} HistoPanelType;

extern const HistoPanelType histo_histogram_panel;
extern const HistoPanelType histo_levels_panel;
extern const HistoPanelType histo_waveform_panel;
extern const HistoPanelType histo_vectorscope_panel;
extern const HistoPanelType histo_sound_panel;
extern const HistoPanelType histo_alerts_panel;
extern const HistoPanelType histo_checks_panel;

/* The box in which a panel of this size draws its plot number @plot of @n. */
HistoBox histo_plot_box (HistoSize size, guint plot, guint n);

/* A plot of the histogram, which has room for a scale below. */
HistoBox histo_histogram_box (HistoSize size, guint plot, guint n);

/* The right end of the text above such a plot, some distance from the label of the next one. */
gdouble histo_header_right (HistoSize size, guint plot, guint n);

/* The room that the text has beside the label of its plot, in pixels. */
gdouble histo_header_room (const HistoStyle * style, HistoSize size, guint plot, guint n,
    const gchar * label);

/* Draws the label: without its last words, if there is no room. */
void histo_header_draw_label (HistoCanvas * canvas, guint plot, guint n, guint32 color,
    const gchar * label);

/* A size of this height and this width at square pixels. */
HistoSize histo_panel_size (const HistoScene * scene, gint height,
    gdouble width);

/* Pixels from 0 to @length for a share of it; 0 for NaN. */
gint histo_share_to_pixels (gdouble share, gint length);

G_END_DECLS

#endif /* HISTO_OVERLAY_PANEL_H */
