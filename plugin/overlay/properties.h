/* The properties of the overlay.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_OVERLAY_PROPERTIES_H
#define HISTO_OVERLAY_PROPERTIES_H

#include "overlay/settings.h"

G_BEGIN_DECLS

void histo_overlay_properties_install (GObjectClass * class);
void histo_overlay_settings_init (HistoOverlaySettings * settings);
gboolean histo_overlay_settings_set (HistoOverlaySettings * settings,
    guint property, const GValue * value);
gboolean histo_overlay_settings_get (const HistoOverlaySettings * settings,
    guint property, GValue * value);

G_END_DECLS

#endif /* HISTO_OVERLAY_PROPERTIES_H */
