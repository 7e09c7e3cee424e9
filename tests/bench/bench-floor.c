/* What no element can take away from a latency; see bench-floor.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bench-floor.h"

#include "bench-flow.h"
#include "engine/timing.h"

/* The first few find what is not yet loaded. */
#define N_WARM_UP 10

typedef struct
{
  const HistoDriver *driver;
  CUstream stream;
  CUevent event;
  CUdeviceptr memory;
} Device;

static void
do_least (Device * device, gboolean polls)
{
  const HistoDriver *driver = device->driver;
  CUresult result;

  bench_must (driver->cuMemsetD8Async (device->memory, 0, 4, device->stream),
      "memset");
  bench_must (driver->cuEventRecord (device->event, device->stream), "event");
  do
    result = polls ? driver->cuEventQuery (device->event) :
        driver->cuEventSynchronize (device->event);
  while (result == CUDA_ERROR_NOT_READY);
  bench_must (result, "memset");
}

/* Appends the us that each takes. Returns the processor's us for one. */
static gdouble
measure_least (Device * device, GArray * times, guint n, gulong pause,
    gboolean polls)
{
  guint64 cpu_time = 0;

  for (guint i = 0; i < n + N_WARM_UP; i++) {
    guint64 cpu_begin;
    gdouble begin, time;

    g_usleep (pause);
    cpu_begin = histo_thread_time ();
    begin = bench_now_ns ();
    do_least (device, polls);
    time = (bench_now_ns () - begin) * 1e-3;
    if (i < N_WARM_UP)
      continue;
    cpu_time += histo_thread_time () - cpu_begin;
    g_array_append_val (times, time);
  }
  return cpu_time * 1e-3 / n;
}

/* ---- Waking a thread ---------------------------------------------------------------------- */

typedef struct
{
  GMutex lock;
  GCond signalled, taken;
  gint64 sent;                  /* ns; 0: nothing yet; -1: no more will come */
  GArray *times;
} Waker;

static gpointer
sleep_and_wake (gpointer user_data)
{
  Waker *waker = user_data;

  g_mutex_lock (&waker->lock);
  while (TRUE) {
    gdouble time;

    while (waker->sent == 0)
      g_cond_wait (&waker->signalled, &waker->lock);
    if (waker->sent < 0)
      break;
    time = (bench_now_ns () - waker->sent) * 1e-3;
    waker->sent = 0;
    g_array_append_val (waker->times, time);
    g_cond_signal (&waker->taken);
  }
  g_mutex_unlock (&waker->lock);
  return NULL;
}

static void
send (Waker * waker, gint64 what)
{
  g_mutex_lock (&waker->lock);
  while (waker->sent > 0)
    g_cond_wait (&waker->taken, &waker->lock);
  waker->sent = what;
  g_mutex_unlock (&waker->lock);
  /* Woken, it need not wait for the lock. */
  g_cond_signal (&waker->signalled);
}

static void
measure_waking (GArray * times, guint n, gulong pause)
{
  Waker waker = {.times = times };
  GThread *thread;

  g_mutex_init (&waker.lock);
  g_cond_init (&waker.signalled);
  g_cond_init (&waker.taken);
  thread = g_thread_new ("woken", sleep_and_wake, &waker);
  for (guint i = 0; i < n; i++) {
    g_usleep (pause);
    send (&waker, bench_now_ns ());
  }
  g_usleep (pause);
  send (&waker, -1);
  g_thread_join (thread);
  g_mutex_clear (&waker.lock);
  g_cond_clear (&waker.signalled);
  g_cond_clear (&waker.taken);
}

/* ---- All of it -------------------------------------------------------------------------------- */

void
floor_measure (Floor * floor, const HistoDriver * driver,
    guint frames_per_second, gdouble seconds)
{
  const gulong pause = G_USEC_PER_SEC / frames_per_second;
  const guint n = MAX (1, (guint) (seconds * frames_per_second));
  Device device = {.driver = driver };

  floor->polled = g_array_new (FALSE, FALSE, sizeof (gdouble));
  floor->slept = g_array_new (FALSE, FALSE, sizeof (gdouble));
  floor->woken = g_array_new (FALSE, FALSE, sizeof (gdouble));
  bench_must (driver->cuStreamCreateWithPriority (&device.stream,
          CU_STREAM_NON_BLOCKING, 0), "stream");
  /* As the engine's own. */
  bench_must (driver->cuEventCreate (&device.event, CU_EVENT_BLOCKING_SYNC),
      "event");
  bench_must (driver->cuMemAlloc (&device.memory, 4), "memory");
  floor->polled_cpu_us = measure_least (&device, floor->polled, n, pause, TRUE);
  floor->slept_cpu_us = measure_least (&device, floor->slept, n, pause, FALSE);
  bench_must (driver->cuMemFree (device.memory), "memory");
  bench_must (driver->cuEventDestroy (device.event), "event");
  bench_must (driver->cuStreamDestroy (device.stream), "stream");
  measure_waking (floor->woken, n, pause);
}

void
floor_clear (Floor * floor)
{
  g_array_unref (floor->polled);
  g_array_unref (floor->slept);
  g_array_unref (floor->woken);
}
