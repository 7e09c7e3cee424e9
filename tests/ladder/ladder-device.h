/* The device that the ladder stands on: its driver, launches and their times. Whatever
 * fails here ends the program with a line on stderr.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LADDER_DEVICE_H
#define LADDER_DEVICE_H

#include "engine/cuda/driver.h"
#include "ladder.h"

/* What the plugin has no use for; in the manner of HISTO_DRIVER_FUNCTIONS. */
#define LADDER_DRIVER_FUNCTIONS(X) \
  X (cuDeviceGetName, "cuDeviceGetName") \
  X (cuDriverGetVersion, "cuDriverGetVersion") \
  X (cuOccupancyMaxActiveBlocksPerMultiprocessor, \
      "cuOccupancyMaxActiveBlocksPerMultiprocessor") \
  X (cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2") \
  X (cuLaunchKernelEx, "cuLaunchKernelEx")

typedef struct
{
  const HistoDriver *driver;
#define X(function, exported) __typeof__ (function) *function;
  LADDER_DRIVER_FUNCTIONS (X)
#undef X
  CUcontext context;
  CUstream stream;
  CUmodule module;
  CUevent begin, end;
  GHashTable *functions;        /* by name */

  gchar name[256];
  gint compute_capability;      /* 90 for 9.0 */
  gint n_multiprocessors;
  gint shared_memory_per_block; /* bytes that a block can have on request */
  gint cache_bytes;             /* of the cache that all multiprocessors share */
  gint driver_version;
} LadderDevice;

/* A launch of a kernel that takes a task. */
typedef struct
{
  const gchar *kernel;
  guint blocks, blocks_y, threads;
  guint shared_bytes;           /* dynamic */
  guint cluster;                /* blocks of one; 0: none */
  gboolean is_cooperative;
} LadderLaunch;

void ladder_device_open (LadderDevice * device);
void ladder_device_close (LadderDevice * device);

CUdeviceptr ladder_alloc (LadderDevice * device, gsize bytes);
void ladder_free (LadderDevice * device, CUdeviceptr memory);
/* Page-locked. */
gpointer ladder_alloc_host (LadderDevice * device, gsize bytes);
void ladder_free_host (LadderDevice * device, gpointer memory);
void ladder_set (LadderDevice * device, CUdeviceptr memory, guint8 value,
    gsize bytes);
/* `to` and `from` are page-locked. These wait. */
void ladder_download (LadderDevice * device, gpointer to, CUdeviceptr from,
    gsize bytes);
void ladder_upload (LadderDevice * device, CUdeviceptr to, gconstpointer from,
    gsize bytes);
void ladder_synchronize (LadderDevice * device);

/* Blocks of this launch's shape that a multiprocessor holds. */
guint ladder_occupancy (LadderDevice * device, const LadderLaunch * launch);
void ladder_launch (LadderDevice * device, const LadderLaunch * launch,
    const LadderTask * task);

/* Makes a call's launches; `number` rises by one from call to call. */
typedef void (*LadderCall) (gpointer data, guint number);
/* Microseconds of a call on the device, after one that is not counted: the median of nine
 * rounds of calls, back to back, numbered from `*number` on. */
gdouble ladder_time (LadderDevice * device, LadderCall call, gpointer data,
    guint * number);

#endif /* LADDER_DEVICE_H */
