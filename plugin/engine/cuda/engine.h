/* The inside of the CUDA engine, for its own files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_ENGINE_CUDA_H
#define HISTO_ENGINE_CUDA_H

#include "engine/engine.h"

#include "engine/condition.h"
#include "engine/cuda/launch.h"
#include "media/layout.h"
#include "engine/cuda/upload.h"

G_BEGIN_DECLS

typedef struct
{
  HistoEngine parent;

  const HistoDriver *driver;
  GstCudaContext *context;
  HistoKernels kernels;

  HistoEngineConfig config;
  CUdeviceptr edges;            /* of the bins of audio */
  GPtrArray *slots;
  GMutex lock;                  /* of all below, and of what becomes of slots */
  HistoCondition finished;
  GQueue free_slots;
  HistoSlot *gathering;         /* first of the buffers that are to be launched; or NULL */
  guint64 cpu_time, gpu_time;
  gint64 timed_launches[2];     /* how long the device had the latest that were timed, us */
  HistoSampler launches, submissions, late_launches;    /* which of these are timed */
} CudaEngine;

typedef enum
{
  SLOT_GATHERED,                /* staged, to be launched */
  SLOT_LAUNCHED,
  SLOT_AWAITED,                 /* a thread waits for the launch */
  SLOT_FINISHED                 /* there are counts, or there is an error */
} SlotState;

struct _HistoSlot
{
  CUstream stream;
  CUevent end;                  /* of the launch */
  CUevent alarm;                /* the same, for a thread that sleeps until then */
  CUevent timed[2];             /* its begin and end, if n_timed > 0 */
  guint n_timed;                /* launches for which this one's time counts */
  CUevent produced;             /* on the stream of who filled the buffer */

  HistoUpload upload;
  CUdeviceptr scratch;
  CUdeviceptr partials;
  HistoPinned counters;
  HistoPinned totals;

  HistoLayout layout;           /* mapped while the device reads the buffer itself */
  HistoAudioBuffer audio;       /* data: where in the first one's staging memory */

  gboolean is_read_in_place;    /* nothing is sent to the device before the launch */
  SlotState state;
  GError *error;                /* of the launch, or of waiting for it */
  /* The slots of one launch; of the first, which comes first there, and whose stream, events
   * and memory for uploads it has. */
  HistoSlot *first;
  HistoSlot *members[HISTO_MAX_GATHERED];
  guint n_members;
  gsize staged;                 /* bytes that all of them take */
};

#define CHECK(engine, call, error) \
  histo_driver_check ((engine)->driver, (engine)->driver->call, #call, error)

gboolean histo_cuda_push_context (CudaEngine * engine, GError ** error);
void histo_cuda_pop_context (void);

gboolean histo_slot_settle (CudaEngine * engine, HistoSlot * slot,
    GError ** error);
void histo_slot_set_state (HistoSlot * first, SlotState state, GError * error);
gboolean histo_slot_begin_launch (CudaEngine * engine, HistoSlot * first,
    GError ** error);
gboolean histo_slot_end_launch (CudaEngine * engine, HistoSlot * first,
    GError ** error);

/* How long a launch is asked whether it is done, before the thread sleeps: for tests to
 * change. */
extern gint64 histo_cuda_longest_poll;

/* With the context current. */
gboolean histo_audio_start (CudaEngine * engine, HistoSlot * slot,
    GstBuffer * buffer, GError ** error);
/* Under the engine's lock. */
void histo_audio_launch_gathered (CudaEngine * engine);
void histo_audio_leave_gathered (CudaEngine * engine, HistoSlot * slot);

G_END_DECLS

#endif /* HISTO_ENGINE_CUDA_H */
