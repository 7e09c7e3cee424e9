/* What the engines read of a plane.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_PLANE_H
#define HISTO_PLANE_H

#include <glib.h>

#include "kernels/planes.h"

G_BEGIN_DECLS

guint64 histo_plane_sample_end (const HistoPlane * plane,
    const HistoSample * sample);
guint64 histo_plane_row_bytes (const HistoPlane * plane);
guint64 histo_plane_extent (const HistoPlane * plane);
void histo_plane_select_component (const HistoPlane * plane, guint component,
    HistoPlane * part);

G_END_DECLS

#endif /* HISTO_PLANE_H */
