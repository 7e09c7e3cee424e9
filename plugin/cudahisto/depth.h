/* The depth of a format of video, by its name in caps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_DEPTH_H
#define HISTO_DEPTH_H

#include <glib.h>

G_BEGIN_DECLS

guint histo_format_depth (const gchar * format, gint component);

G_END_DECLS

#endif /* HISTO_DEPTH_H */
