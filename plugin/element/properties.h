/* The properties that are settings, as a table: each is one member of HistoSettings.
 *
 * The element has more properties, which are no plain values: see cudahisto.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_PROPERTIES_H
#define HISTO_PROPERTIES_H

#include "element/settings.h"

G_BEGIN_DECLS

guint histo_properties_install (GObjectClass * object_class);
gboolean histo_properties_set (HistoSettings * values, guint id,
    const GValue * value);
gboolean histo_properties_get (const HistoSettings * values, guint id,
    GValue * value);

G_END_DECLS

#endif /* HISTO_PROPERTIES_H */
