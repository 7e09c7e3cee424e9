/* From the host's memory to where the kernel reads: by DMA, or by the kernel itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_UPLOAD_H
#define HISTO_UPLOAD_H

#include "media/layout.h"
#include "engine/cuda/pinned.h"

G_BEGIN_DECLS

/* Constants but for programs that measure what they should be. */
typedef struct
{
  /* Bytes of a buffer up to which the kernel reads page-locked memory itself: for so
   * few it is sooner done than a copy is started. */
  gsize in_place_limit;
  /* Bytes after which a part of a frame in ordinary memory is sent, while the next is
   * being copied to page-locked memory. */
  gsize piece;
} HistoUploadSettings;

extern HistoUploadSettings histo_upload_settings;

/* One slot's memory for uploads; all zero at first. Of one context, which is current
 * in all calls. */
typedef struct
{
  const HistoDriver *driver;
  GstCudaContext *context;      /* borrowed */
  gconstpointer user;           /* who has this and other slots */
  HistoPinned staging;
  CUdeviceptr input;            /* device memory */
  gsize size;                   /* that a buffer may need of either */
} HistoUpload;

gboolean histo_upload_resize (HistoUpload * upload, gsize size,
    GError ** error);
void histo_upload_clear (HistoUpload * upload);

gboolean histo_upload_is_small (gsize size);

gboolean histo_upload_video (HistoUpload * upload, const HistoFormat * format,
    HistoLayout * layout, GstBuffer * buffer, CUstream stream,
    gboolean * is_read_in_place, GError ** error);

gsize histo_upload_audio_size (const HistoFormat * format, guint64 n_samples);
gboolean histo_upload_reserve_audio (HistoUpload * upload, gsize size,
    GError ** error);
void histo_upload_describe_audio (const HistoFormat * format,
    guint64 n_samples, HistoAudioBuffer * buffer);
void histo_upload_stage_audio (HistoUpload * upload, gsize at,
    const HistoFormat * format, const HistoAudioLayout * layout,
    HistoAudioBuffer * buffer);
gboolean histo_upload_send_audio (HistoUpload * upload, gsize size,
    CUstream stream, CUdeviceptr * data, GError ** error);

G_END_DECLS

#endif /* HISTO_UPLOAD_H */
