/* The element: its instance, shared by the object's and the pads' half.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_CUDA_HISTO_H
#define GST_CUDA_HISTO_H

#include <gst/gst.h>

#include "engine/condition.h"
#include "engine/meter.h"
#include "result/result.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_HISTO (gst_cuda_histo_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaHisto, gst_cuda_histo, GST, CUDA_HISTO, GstElement)

typedef struct
{
  HistoBackend backend;
  gint device_id;
  gboolean meta;
  gboolean post_messages;
  guint64 interval;
  gboolean histogram;
  HistoBinSettings bins;
  guint max_in_flight;
  gboolean qos;
  gboolean page_lock_upstream;
  guint64 page_lock_limit;      /* bytes */
} GstCudaHistoSettings;

struct _GstCudaHisto
{
  GstElement parent;

  GstPad *sinkpad;
  GstPad *srcpad;
  HistoMeter *meter;

  /* Under the object lock. */
  GstCudaHistoSettings settings;
  HistoBinSettings rejected_bins;       /* of which nobody could be told yet */
  gboolean has_rejected_bins;
  guint64 n_frames;             /* measured */
  guint64 n_bytes;              /* in them */
  guint64 n_dropped;            /* went on without a result, being late */
  GstClockTime qos_earliest;    /* running time; what is not after it is late */
  gdouble qos_proportion;
  gboolean error_posted;        /* since the last start */

  /* The queue between the two pads' threads, under the queue lock: what upstream
   * sent, in order, until the source pad's task has passed it on. */
  GMutex queue_lock;
  HistoCondition queue_changed;
  GQueue queue;                 /* of QueueItem */
  guint n_in_flight;            /* submitted and not released, or about to be submitted */
  gint awaited_in_flight;       /* how many upstream waits for at the most; < 0: it does not */
  guint n_reports;              /* of these, left to the reporter */
  gboolean task_is_busy;        /* with an item that it has taken off the queue */
  GstFlowReturn flow;           /* what downstream last said; FLUSHING = go away */
  gboolean was_relinked;        /* since the task took its item */
  gboolean eos_seen;            /* downstream was told of the end */
  gboolean downstream_is_eos;   /* it wants no more of this segment */
  gboolean src_is_active;
  guint n_quick;                /* buffers that downstream took no time for: see note_push() */
  guint n_hurried;              /* that upstream took no time for: see note_arrival() */

  /* Upstream's thread. */
  HistoFormat *format;          /* of the caps; NULL before */
  gboolean must_configure;      /* set under the object lock */
  guint configured_in_flight;
  gint64 let_go;                /* monotonic time of the return from the last buffer, us */
  GstSegment sink_segment;      /* `segment` is that of the source pad */

  /* The source pad's task. */
  GstSegment segment;
  GThreadPool *reporter;        /* one thread; NULL until it is needed */
  GstClockTime last_message;    /* running time; the reporter's while it has reports */
  HistoResult result;           /* of the latest buffer; used by one thread at a time */
  GstClockTime frame_duration;  /* under the object lock, for LATENCY */
};

void gst_cuda_histo_pads_init (GstCudaHisto * self);
void gst_cuda_histo_pads_clear (GstCudaHisto * self);
void gst_cuda_histo_warn_of_rejected_bins (GstCudaHisto * self);
void gst_cuda_histo_post_error (GstCudaHisto * self, GError * error);
GstFlowReturn gst_cuda_histo_fail_unconfigured (GstCudaHisto * self,
    GError * error);
GstFlowReturn gst_cuda_histo_finish (GstCudaHisto * self, GstBuffer ** buffer,
    HistoJob * job);
gboolean gst_cuda_histo_report_later (GstCudaHisto * self, GstBuffer * buffer,
    const HistoJob * job);
gboolean gst_cuda_histo_wait_for_reports (GstCudaHisto * self);
void gst_cuda_histo_settle_reports (GstCudaHisto * self);
void gst_cuda_histo_stop_reports (GstCudaHisto * self);

void gst_cuda_histo_qos_reset (GstCudaHisto * self);
void gst_cuda_histo_qos_take_event (GstCudaHisto * self, GstEvent * event);
gboolean gst_cuda_histo_qos_skips (GstCudaHisto * self, GstBuffer * buffer);

GstCudaHistoSettings gst_cuda_histo_get_settings (GstCudaHisto * self);

G_END_DECLS

#endif /* GST_CUDA_HISTO_H */
