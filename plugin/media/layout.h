/* Where a buffer's samples lie: a mapped buffer as planes or channels, checked.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LAYOUT_H
#define HISTO_LAYOUT_H

#include "media/format.h"

G_BEGIN_DECLS

/* Audio, in one mapping: channel c's sample i lies at
 * data + channel_offsets[c] + i * sample_stride. */
typedef struct
{
  const guint8 *data;
  guint64 n_samples;
  gsize sample_stride;
  gsize *channel_offsets;       /* one per channel */
} HistoAudioLayout;

typedef struct
{
  /* Video: a copy of the format's planes, with data and stride; when the format
   * needs unpacking these are not set and the mapped frame is what there is. */
  guint n_planes;
  HistoPlane planes[HISTO_MAX_PLANES];
  HistoAudioLayout audio;

  /*< private > */
  gboolean mapped;
  GstBuffer *buffer;
  GstVideoFrame frame;
  GstMapInfo map;
} HistoLayout;

gboolean histo_layout_map (HistoLayout * layout, const HistoFormat * format,
    GstBuffer * buffer, GstMapFlags flags, GError ** error);
void histo_layout_unmap (HistoLayout * layout, const HistoFormat * format);

G_END_DECLS

#endif /* HISTO_LAYOUT_H */
