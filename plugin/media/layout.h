/* Where a buffer's samples lie: maps a buffer, and checks that it holds what its caps and metas
 * describe.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LAYOUT_H
#define HISTO_LAYOUT_H

#include "media/format.h"

G_BEGIN_DECLS

/* Audio: sample i of channel c lies at data + channel_offsets[c] + i * sample_stride. */
typedef struct
{
  const guint8 *data;
  guint64 n_samples;            /* of each channel */
  gsize sample_stride;
  gsize *channel_offsets;       /* one for each channel */
} HistoAudioLayout;

/* Samples of each channel that are left out at the begin and at the end of a buffer. Zeroed: none. */
typedef struct
{
  guint64 begin, end;
} HistoTrim;

typedef struct
{
  /* Video: the format's planes, with data and stride set. If the format needs unpacking, they
   * are not set; histo_unpack() then reads `frame`. */
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
gboolean histo_layout_check_metas (const GstVideoInfo * info,
    const GstVideoMeta * meta, GError ** error);
gboolean histo_layout_check_without_meta (GstBuffer * buffer,
    GstVideoInfo * info, GError ** error);
gboolean histo_layout_find_bayer (GstBuffer * buffer, GstVideoInfo * info,
    GError ** error);
gboolean histo_layout_has_own_map (const GstVideoMeta * meta);
void histo_layout_trim_audio (HistoLayout * layout, const HistoTrim * trim);
void histo_layout_unmap (HistoLayout * layout, const HistoFormat * format);

/* CUDA memory as far as mapping a buffer needs to know it, also in builds without CUDA. */
gboolean histo_is_cuda_buffer (GstBuffer * buffer);
gboolean histo_is_in_cuda_memory (GstBuffer * buffer);

G_END_DECLS

#endif /* HISTO_LAYOUT_H */
