/* The depth of a format of video, by its name in caps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_DEPTH_H
#define HISTO_DEPTH_H

#include <glib.h>

G_BEGIN_DECLS

/* What the names of formats of Bayer video begin with: the colors of the pixels at (0, 0), (1, 0), (0, 1) and (1, 1). */
#define HISTO_BAYER_ORDERS "bggr", "gbrg", "grbg", "rggb"

guint histo_format_depth (const gchar * format, gint component);

G_END_DECLS

#endif /* HISTO_DEPTH_H */
