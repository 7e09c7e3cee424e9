/* The CUDA engine's slots, and the launches that use them.
 *
 * A slot has a stream of its own and all memory that a buffer of the format needs. The memory
 * is allocated with the configuration, because to allocate or to free memory synchronises the
 * device. Nothing runs on the NULL stream. Each wait is for one event.
 *
 * A launch measures the buffers of one or several slots. It runs on the stream of the first of
 * them, and uses that slot's events and its memory for uploads. The results are in each slot's
 * own memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CUDA_SLOT_H
#define HISTO_CUDA_SLOT_H

#include "engine/condition.h"
#include "engine/cuda/driver.h"
#include "engine/cuda/launch.h"
#include "engine/cuda/maps.h"
#include "engine/cuda/shared-kernels.h"
#include "engine/cuda/upload.h"
#include "engine/engine.h"
#include "engine/timing.h"
#include "media/layout.h"

G_BEGIN_DECLS

/* Streams whose results are awaited have the highest priority. Only benches change it. */
extern gboolean histo_slots_have_priority;

/* All slots of an engine, and what they share. */
typedef struct
{
  HistoDevice device;
  HistoPageLocks *page_locks;   /* referenced */
  const HistoCudaKernels *kernels;      /* of the device's context, shared; NULL: not loaded */

  HistoPlan *plan;              /* referenced; NULL without slots */
  guint max_in_flight;
  gint priority;                /* of the slots' streams */
  CUdeviceptr edges;            /* of the bins of audio, in device memory; 0: not needed */
  HistoCudaMaps maps;
  GPtrArray *all;               /* of HistoSlot */
  HistoUploadLog upload_log;
  gint logs_next_plan;          /* atomic: the next launch writes its plan to the log */
  HistoTiming timing;           /* of launches; atomic */

  GMutex lock;                  /* guards the rest, and the slots' states */
  HistoCondition finished;      /* a launch that a thread awaited has finished */
  GQueue free;                  /* of HistoSlot */
  guint64 gpu_time;             /* ns */
  gint64 latest_us[2];          /* device time of the latest two launches that were timed */
} HistoSlots;

/* The states of a slot that is in use, in their order. Small audio buffers begin as GATHERED; all
 * others as LAUNCHED. */
typedef enum
{
  HISTO_SLOT_GATHERED,          /* its buffer is staged and will be launched with others */
  HISTO_SLOT_LAUNCHED,
  HISTO_SLOT_AWAITED,           /* a thread waits for the launch; others wait for that thread */
  HISTO_SLOT_FINISHED           /* there are counts, or an error */
} HistoSlotState;

struct _HistoSlot
{
  CUstream stream;
  CUevent end;                  /* the end of the launch, for a thread that polls */
  CUevent alarm;                /* the same, for a thread that sleeps */
  CUevent timed[2];             /* begin and end of the launch, recorded if n_timed > 0 */
  guint n_timed;                /* weight: by how much the measured time is multiplied; 0: not timed */
  CUevent produced;             /* on the stream that fills the buffer */

  HistoUpload upload;
  CUdeviceptr scratch;          /* see launch.h */
  CUdeviceptr partials;         /* audio: see launch.h */
  HistoPinned counters;         /* the results, which the kernel writes */
  HistoPinned totals;           /* audio: the same */
  HistoCudaMapsSlot maps;       /* video */

  HistoLayout layout;           /* mapped while the device may read the buffer itself */
  HistoAudioBuffer audio;       /* its data is an offset into the first slot's staging memory */

  gboolean is_read_in_place;    /* the device copies nothing before the launch */
  HistoSlotState state;
  GError *error;                /* of the launch, or of the wait for it */

  HistoSlot *first;             /* of the launch */
  /* These are valid in the first slot of a launch. */
  HistoSlot *members[HISTO_MAX_GATHERED];       /* the slots of the launch, itself included */
  guint n_members;
  gsize staged;                 /* bytes of its staging memory that are in use */
};

/* Before init, all is zero. */
void histo_slots_init (HistoSlots * slots);
/* Frees all. There must be no slots. */
void histo_slots_clear (HistoSlots * slots);

/* Allocates max_in_flight slots for the format. No slot may be in use; existing slots are freed
 * first. After a failure there are no slots. */
gboolean histo_slots_configure (HistoSlots * slots,
    const HistoEngineConfig * config, GError ** error);
/* Frees the slots. None may be in use. */
void histo_slots_unconfigure (HistoSlots * slots);

/* A free slot; NULL if there is none. */
HistoSlot *histo_slots_pop (HistoSlots * slots);
void histo_slots_push (HistoSlots * slots, HistoSlot * slot);
/* Whether all slots but one are free. Call it under the lock. */
gboolean histo_slots_one_is_used (const HistoSlots * slots);

/* Waits until the device uses nothing of the slot. When the wait fails, the stream and the work
 * on it have failed, so the device uses nothing either. */
gboolean histo_slot_settle (HistoSlots * slots, HistoSlot * slot,
    GError ** error);

/* Sets the state of all slots of the launch of @first. Each gets a copy of @error, which may be
 * NULL. @error: (transfer full) */
void histo_slot_set_state (HistoSlot * first, HistoSlotState state,
    GError * error);

/* Returns whether the plan of the launch that the caller prepares is to be logged: TRUE once for each
 * configuration. */
gboolean histo_slots_must_log_plan (HistoSlots * slots);

/* Record the events before and after the work that one launch puts on the stream of @first.
 * The context must be current. */
gboolean histo_slot_begin_launch (HistoSlots * slots, HistoSlot * first,
    GError ** error);
gboolean histo_slot_end_launch (HistoSlots * slots, HistoSlot * first,
    GError ** error);

/* Whether the launch of @first is so short that polling for its end is cheaper than sleeping.
 * Call it under the lock. */
gboolean histo_slot_is_short (const HistoSlots * slots,
    const HistoSlot * first);

/* Waits for the launch of @first, which is LAUNCHED, and finishes all of its slots. Unmaps the
 * buffer of @first, also after a failure. Call it under the lock, which is released meanwhile. */
void histo_slot_await (HistoSlots * slots, HistoSlot * first);

/* Does the same if the launch of @first, which is LAUNCHED, has ended. Does not wait. Does nothing if
 * the launch runs, or if the device cannot tell. Call it under the lock, which is released
 * meanwhile. */
void histo_slot_finish_if_ended (HistoSlots * slots, HistoSlot * first);

G_END_DECLS

#endif /* HISTO_CUDA_SLOT_H */
