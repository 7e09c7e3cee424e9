/* checkhisto: what its files share.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CHECKHISTO_H
#define CHECKHISTO_H

#include "config.h"

#include "engine/cuda/launch.h"
#include "media/format.h"

G_BEGIN_DECLS

/* ---- Random numbers: the same for the same seed, everywhere -------------------------- */

void check_random_seed (guint32 seed, const gchar * test, guint number);
guint64 check_random64 (void);
/* 0 .. below - 1; below > 0. */
guint check_random (guint below);
/* least .. most. */
guint check_random_range (guint least, guint most);
/* TRUE once in n. */
gboolean check_chance (guint n);
void check_random_fill (guint8 * data, gsize size);

/* ---- The device ------------------------------------------------------------------------ */

typedef struct
{
  const HistoDriver *driver;
  HistoCudaKernels kernels;     /* with the limits that the device really has */
  CUstream stream;
  gchar name[128];
  /* It is the mock: slow, and told in which order to run. */
  gboolean is_simulated;
  /* Slower still: few channels, bins and samples, and so few blocks. */
  gboolean is_slow;
} CheckDevice;

extern CheckDevice check_device;

/* What an error of the device's leads to is not to be tested here: all that follow end
 * the program with a message. */
#define CHECK_CALL(call) \
  check_driver_result (check_device.driver->call, #call)
void check_driver_result (CUresult result, const gchar * what);

/* FALSE, with an error, where there is no device. */
gboolean check_device_open (GError ** error);
void check_device_close (void);
void check_device_wait (void);
guint64 check_device_free_memory (void);
/* The order of threads and blocks, where that can be told. */
void check_device_set_schedule (guint seed);

/* Device memory, freed by check_free(). A size of 0 is a size of 1. */
CUdeviceptr check_alloc (gsize size);
CUdeviceptr check_upload (gconstpointer data, gsize size);
CUdeviceptr check_alloc_zeroed (gsize size);
CUdeviceptr check_alloc_poisoned (gsize size);
void check_poison (CUdeviceptr memory, gsize size);
void check_copy_to (CUdeviceptr to, gconstpointer data, gsize size);
void check_copy_from (gpointer data, CUdeviceptr from, gsize size);
void check_free (CUdeviceptr memory);

/* Page-locked memory for results, poisoned, between guards. */
typedef struct
{
  gpointer host;
  CUdeviceptr device;
  gsize size;
  guint8 *whole;                /* as allocated */
} CheckResult;

void check_result_init (CheckResult * result, gsize size);
void check_result_poison (CheckResult * result);
gboolean check_result_intact (const CheckResult * result);
void check_result_clear (CheckResult * result);

/* Limits to launch with: now and then those of other GPUs, or of none that there is, but
 * never more than this device has. Each leads to other copies, blocks and paths. */
HistoCudaLimits check_random_limits (void);
HistoCudaLimits check_limits (gint compute_capability, gint n_multiprocessors,
    gint shared_memory);

/* ---- Tests ------------------------------------------------------------------------------- */

typedef enum
{
  CHECK_OK,
  CHECK_FAILED,
  CHECK_SKIPPED
} CheckOutcome;

/* What a test is run with. */
typedef struct
{
  gconstpointer data;           /* the test's own */
  guint number;                 /* of the case, from 0 */
  guint repeats;                /* launches of the tests that repeat */
  GString *text;                /* out: what the case was, and what was wrong */
} CheckCase;

typedef struct
{
  gchar *name;
  guint n_cases;
  gboolean all_cases;           /* whatever the effort: they are not random */
  CheckOutcome (*run) (CheckCase * c);
  /* Optional. Prepares one large input; then launches it. */
  gpointer (*bench_new) (gconstpointer data, guint64 * bytes);
  void (*bench_launch) (gpointer bench);
  void (*bench_free) (gpointer bench);
  gconstpointer data;
} CheckTest;

void check_add_test (const CheckTest * test);

/* Appends the like of "bin 7: 12, not 13" to the case's text; returns FALSE. */
gboolean check_fail (CheckCase * c, const gchar * format, ...)
    G_GNUC_PRINTF (2, 3);
gboolean check_equal_counters (CheckCase * c, const gchar * what,
    const guint32 * found, const guint32 * expected, gsize n);
gboolean check_is_zero (CheckCase * c, const gchar * what, CUdeviceptr memory,
    gsize size);

void check_add_video_tests (void);
void check_add_audio_tests (void);

G_END_DECLS

#endif /* CHECKHISTO_H */
