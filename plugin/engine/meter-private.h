/* What the files of the meter share.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_METER_PRIVATE_H
#define HISTO_METER_PRIVATE_H

#include "engine/fallback.h"
#include "engine/meter.h"

G_BEGIN_DECLS

struct _HistoMeter
{
  GstElement *element;          /* the source of messages; contexts are shared in its name */
  HistoBackend backend;
  gint device_id;
  gboolean is_open;
  gboolean cuda_is_refused;     /* since the meter was opened: there is no usable device */
  HistoPageLocks *page_locks;   /* of all CUDA engines that the element has, one by one */

  /* Upstream's thread and state changes write these; the lock protects readers in other
   * threads. */
  GMutex lock;
  HistoEngine *engine;          /* measures new buffers: `cuda` or `cpu`; NULL before the first format */
  HistoEngine *cuda;            /* NULL where it is not built; may be closed */
  GThread *opener;              /* the thread that opens `cuda`, or NULL: see open_cuda() */
  gboolean cuda_is_open;
  guint n_closed;               /* how often the meter was closed */
  HistoEngine *cpu;             /* NULL until new buffers are measured on the CPU */
  HistoEngine *rescue;          /* a CPU engine that measures again what the device lost */
  gboolean is_configured;
  const gchar *told_backend;    /* the value of active-backend that was notified last */
  guint64 past_cpu_time, past_gpu_time; /* of engines that were freed, ns */
  guint64 begin_cpu_time, begin_gpu_time;       /* of all engines at the last reset, ns */

  /* Constant while a buffer is in flight. */
  HistoPlan *plan;
  HistoEngineConfig config;     /* without the plan */

  gboolean has_predecessor;     /* of upstream's thread: the engine in use has measured a buffer
                                 * since it was configured, and the stream has not ended since */
  HistoFallback fallback;
};

/* Keeps the times of an engine that is about to be freed. Under the lock. */
void histo_meter_keep_times (HistoMeter * meter, HistoEngine * engine);

G_END_DECLS

#endif /* HISTO_METER_PRIVATE_H */
