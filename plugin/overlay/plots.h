/* Which components the histogram and the levels show.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_PLOTS_H
#define HISTO_OVERLAY_PLOTS_H

#include "cudahisto/result.h"
#include "overlay/settings.h"

G_BEGIN_DECLS

#define HISTO_MOST_PLOTS 3

/* One component that is shown. */
typedef struct
{
  const HistoComponentResult *component;
  gchar label[8];
  guint32 color;                /* 0xAARRGGBB */
  gdouble end;                  /* of its values, which begin at 0: 2^depth */
  /* The limited range of the colorimetry; both 0: all values are used. */
  gdouble black, white;
} HistoPlot;

guint64 histo_get_count (const HistoComponentResult * component, guint i);
guint histo_plots_choose (const HistoResult * result, HistoPlotMode mode,
    guint32 luma_color, HistoPlot plots[HISTO_MOST_PLOTS]);

G_END_DECLS

#endif /* HISTO_OVERLAY_PLOTS_H */
