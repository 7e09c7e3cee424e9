/* Which part of a buffer lies inside of the segment: only that part is measured.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CLIP_H
#define HISTO_CLIP_H

#include "cudahisto/result.h"
#include "media/layout.h"

G_BEGIN_DECLS

gboolean histo_clip_buffer (const HistoFormat * format, GstBuffer * buffer,
    const GstSegment * segment, HistoTimes * times, HistoTrim * trim);

G_END_DECLS

#endif /* HISTO_CLIP_H */
