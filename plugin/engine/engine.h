/* The interface of an engine, which counts the samples of buffers.
 *
 * The meter calls engines only through this table of functions. An engine knows no pads and
 * no events: it gets buffers and returns counts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_ENGINE_H
#define HISTO_ENGINE_H

#include "measures/plan.h"

G_BEGIN_DECLS

typedef struct _HistoEngine HistoEngine;
typedef struct _HistoEngineClass HistoEngineClass;
typedef struct _HistoSlot HistoSlot;

/* The domain of an engine's error decides what the meter does:
 * - GST_STREAM_ERROR: the buffer contradicts its caps. The stream ends with this error.
 * - GST_RESOURCE_ERROR: the device failed. With backend=auto the CPU engine takes over. */

/* What an engine is configured for. */
typedef struct
{
  HistoPlan *plan;              /* referenced by the engine until the next configure or close */
  guint max_in_flight;          /* number of slots */
  gboolean hold_previous;       /* the engine may reference a buffer that is no view, and keep it mapped for reading,
                                 * until the next one has been measured or return_buffers() is
                                 * called */
  gboolean is_awaited;          /* buffers wait for their results: measuring goes before other work */
} HistoEngineConfig;

/* When the counts of a submitted buffer will be complete. */
typedef enum
{
  HISTO_COUNTS_LATER,
  HISTO_COUNTS_SOON,            /* before another thread could be woken */
  HISTO_COUNTS_READY            /* they are complete */
} HistoPromptness;

struct _HistoEngineClass
{
  const gchar *name;

  /* Opens the device. Called once, before all functions below. May post and query contexts
   * in the name of @element. GST_RESOURCE_ERROR_NOT_FOUND if there is no usable device. */
    gboolean (*open) (HistoEngine * engine, GstElement * element,
      gint device_id, GError ** error);
  /* Allocates max_in_flight slots for buffers of this format. Called with no slot in
   * use. */
    gboolean (*configure) (HistoEngine * engine,
      const HistoEngineConfig * config, GError ** error);
  /* Starts to count a buffer. The engine may hold it back to count it in one launch with
   * later ones, until wait() is called for one of them. There must be a free slot. @buffer
   * is not referenced, unless hold_previous is set: the caller keeps it, unchanged, until wait() or
   * release(). @info is copied, but the caller keeps its rois until release(). */
  HistoSlot *(*submit) (HistoEngine * engine, GstBuffer * buffer,
      const HistoFrameInfo * info, GError ** error);
  /* Blocks until the counts are complete. They are valid until release(). Afterwards the
   * buffer is not mapped, also when this fails, unless hold_previous is set. */
    gboolean (*wait) (HistoEngine * engine, HistoSlot * slot,
      HistoCounts * counts, GError ** error);
  /* Returns when the counts will be complete. To be called right after submit(). Depends on the
   * buffer and on earlier ones, and not on how far other threads or the device are. */
    HistoPromptness (*promptness) (HistoEngine * engine, HistoSlot * slot);
  /* Optional: returns whether submit() itself measures a buffer of @size bytes, as it does those that are READY. */
    gboolean (*measures_at_once) (HistoEngine * engine, gsize size);
  /* Optional: returns whether the counts are complete. If so, wait() returns at once and does
   * not fail, and the engine does not read the buffer any more. */
    gboolean (*is_done) (HistoEngine * engine, HistoSlot * slot);
  /* Gives the slot back, after waiting if wait() was not called. Threads may call release(),
   * wait() and submit() at the same time for different slots. */
  void (*release) (HistoEngine * engine, HistoSlot * slot);
  /* Optional, for an engine that references buffers if hold_previous is set. Afterwards the engine
   * references and maps only buffers in flight, and only until they are measured.
   * @continues: the next buffer may have the latest one as its previous frame; FALSE: it does
   * not. Not called during submit(), configure() and follow(). */
  void (*return_buffers) (HistoEngine * engine, gboolean continues);
  /* Returns the time spent on measuring so far, in ns. */
  void (*times) (HistoEngine * engine, guint64 * cpu_time, guint64 * gpu_time);
  /* Frees the engine, after any failure too. */
  void (*close) (HistoEngine * engine);

  /* Optional, for an engine with a context that the pipeline shares. One thread at a time calls
   * these, open() and follow(); the thread that runs open() may call these from inside. */
  void (*set_context) (HistoEngine * engine, GstElement * element,
      gint device_id, GstContext * context);
    gboolean (*answer_context_query) (HistoEngine * engine,
      GstElement * element, GstQuery * query);
  /* Optional: returns a pool, not configured, of video buffers in the memory that the engine
   * reads fastest. */
  GstBufferPool *(*new_pool) (HistoEngine * engine);
  /* Optional: accepts() returns FALSE if the buffer lies in another context than the
   * engine's. follow() then moves the engine there; no slot may be in use. */
    gboolean (*accepts) (HistoEngine * engine, GstBuffer * buffer);
    gboolean (*follow) (HistoEngine * engine, GstBuffer * buffer,
      gint device_id, GError ** error);
};

struct _HistoEngine
{
  const HistoEngineClass *klass;
};

/* Counts the bytes of upstream's memory that are page-locked for one element, and limits them. The
 * account belongs to the element and to each such memory, because memory outlives engines and
 * elements. Any thread may call these functions. */
typedef struct _HistoPageLocks HistoPageLocks;

/* Off, with a limit of 0 bytes. NULL where CUDA is not built: nothing is page-locked there. */
HistoPageLocks *histo_page_locks_new (void);
void histo_page_locks_unref (HistoPageLocks * locks);
/* Changes what may be page-locked from now on. Memory that is page-locked stays so, even when
 * @limit (bytes) is below its size. */
void histo_page_locks_set (HistoPageLocks * locks, gboolean is_on,
    guint64 limit);

HistoEngine *histo_engine_cpu_new (void);
/* NULL where CUDA is not built. @page_locks: referenced */
HistoEngine *histo_engine_cuda_new (HistoPageLocks * page_locks);

static inline void
histo_engine_free (HistoEngine * engine)
{
  if (engine != NULL)
    engine->klass->close (engine);
}

G_END_DECLS

#endif /* HISTO_ENGINE_H */
