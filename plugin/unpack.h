/* Formats that only GStreamer's unpack function can read, as planes of samples.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_UNPACK_H
#define HISTO_UNPACK_H

#include "formats.h"

G_BEGIN_DECLS

gsize histo_unpack_size (const HistoFormat * format);
void histo_unpack (const HistoFormat * format, const GstVideoFrame * frame,
    guint8 * destination);
void histo_unpack_locate (const HistoFormat * format, guint64 address,
    HistoPlane * planes);

G_END_DECLS

#endif /* HISTO_UNPACK_H */
