/* A rectangle of the picture with its own results.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_REGION_H
#define HISTO_REGION_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const gchar *name;            /* interned; NULL for the whole picture */
  guint x, y, width, height;    /* in pixels, inside the picture; of audio 0 */
} HistoRegion;

G_END_DECLS

#endif /* HISTO_REGION_H */
