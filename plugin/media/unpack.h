/* Reads the formats that have no sample pattern: tiles, palettes, and formats newer than the
 * table of patterns.c. GStreamer's own unpack functions do the reading.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_UNPACK_H
#define HISTO_UNPACK_H

#include "media/format.h"

G_BEGIN_DECLS

gboolean histo_unpack_source_bytes (const GstVideoInfo * video, guint p,
    gint stride, guint64 * bytes, GError ** error);
guint64 histo_unpack_line_bytes (const HistoFormat * format);
void histo_unpack (const HistoFormat * format, const GstVideoFrame * frame,
    const HistoPlane * planes, gpointer line);

G_END_DECLS

#endif /* HISTO_UNPACK_H */
