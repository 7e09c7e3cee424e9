/* From the host's memory to where the kernel reads.
 *
 * A frame in page-locked memory is sent from there: the device copies it. This includes memory
 * of upstream's own pool that page-lock.c has page-locked. A frame in other memory, and audio,
 * is copied to page-locked staging memory first, and sent from there. A small buffer is not sent:
 * the kernel reads it from the page-locked memory. On an integrated device no buffer is sent.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_UPLOAD_H
#define HISTO_UPLOAD_H

#include "engine/cuda/driver.h"
#include "engine/cuda/page-lock.h"
#include "engine/cuda/plan.h"
#include "kernels/launch.h"
#include "media/layout.h"

G_BEGIN_DECLS

/* Constants, which only programs that look for the best values change. */
typedef struct
{
  /* The kernel reads a buffer of up to this many bytes from page-locked memory, because it has
   * read them before a copy would have begun. */
  gsize in_place_limit;
  /* A frame in ordinary memory is copied to staging memory in pieces of this many bytes. Each
   * piece is sent while the next one is copied. */
  gsize piece;
} HistoUploadSettings;

extern HistoUploadSettings histo_upload_settings;

/* The upload route that the log of an engine named last. All zero at first. */
typedef struct
{
  const gchar *key;             /* atomic; a static string that stands for the route */
  gint n_changes;               /* atomic */
} HistoUploadLog;

/* One slot's memory for uploads. At first all is zero but what is borrowed. The
 * device's context must be current in all calls. */
typedef struct
{
  const HistoDevice *device;    /* borrowed */
  const HistoCudaLimits *limits;        /* borrowed */
  HistoPageLocks *page_locks;   /* borrowed */
  HistoUploadLog *log;          /* borrowed; of all slots */
  HistoPinned staging;
  CUdeviceptr input;            /* device memory; 0: the device is integrated */
  gsize size;                   /* bytes of a packed buffer for which there is room */
} HistoUpload;

/* Makes room for buffers of up to @size packed bytes. Nothing on the device may use the memory
 * that there is. Clear the upload also after a failure. */
gboolean histo_upload_resize (HistoUpload * upload, gsize size,
    GError ** error);
void histo_upload_clear (HistoUpload * upload);

/* Whether a buffer of so many bytes, counted from the first to the last one, is not worth a copy
 * on any device. */
gboolean histo_upload_is_small (gsize size);
/* Whether the kernel itself reads so many bytes of page-locked memory. Else the device copies them
 * first. Every choice between the two is made here. */
gboolean histo_upload_is_in_place (const HistoUpload * upload, gsize size);

/**
 * histo_upload_video:
 * @layout: of @buffer, mapped for reading by the host. On return its planes are where the
 *   kernel finds them once @stream gets there. If the device reads the buffer itself, the layout
 *   is still mapped, and must stay so until then.
 * @is_read_in_place: (out): whether the kernel reads the host's memory. FALSE if the device
 *   copies anything before the launch.
 *
 * Makes room for the frame if there is none yet.
 */
gboolean histo_upload_video (HistoUpload * upload, const HistoFormat * format,
    HistoLayout * layout, GstBuffer * buffer, CUstream stream,
    gboolean * is_read_in_place, GError ** error);

/* Logs the route of the buffers if it is another one than before. @route: a static string.
 * @why: (nullable): another one: the reason for this route */
void histo_upload_log_route (const HistoUpload * upload, const gchar * route,
    const gchar * why);

/* Audio: several buffers may be staged one after the other and sent at once. */

/* Bytes of staging memory for a buffer. Another buffer may follow directly. */
gsize histo_upload_audio_size (const HistoFormat * format, guint64 n_samples);

/* Makes room for @size bytes, unless there is. Nothing on the device may use the memory that
 * there is. */
gboolean histo_upload_reserve_audio (HistoUpload * upload, gsize size,
    GError ** error);

/* Sets the fields of @buffer that do not depend on where it is staged. */
void histo_upload_describe_audio (const HistoFormat * format,
    guint64 n_samples, HistoAudioBuffer * buffer);

/**
 * histo_upload_stage_audio:
 * @at: offset in the staging memory: a sum of histo_upload_audio_size()s, with room behind it
 * @layout: mapped; not needed any more on return
 * @buffer: described; on return its data is @at
 */
void histo_upload_stage_audio (HistoUpload * upload, gsize at,
    const HistoFormat * format, const HistoAudioLayout * layout,
    HistoAudioBuffer * buffer);

/**
 * histo_upload_send_audio:
 * @size: bytes of the staging memory that are in use
 * @data: (out): where the kernel finds offset 0 once @stream gets there
 */
gboolean histo_upload_send_audio (HistoUpload * upload, gsize size,
    CUstream stream, CUdeviceptr * data, GError ** error);

G_END_DECLS

#endif /* HISTO_UPLOAD_H */
