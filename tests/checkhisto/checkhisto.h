/* checkhisto: random numbers, the device and the list of tests.
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
  /* The device is the mock: slow, and the test sets the order of its threads and blocks. */
  gboolean is_simulated;
  /* The device is even slower: the tests use few channels, bins and samples, and so few blocks. */
  gboolean is_slow;
} CheckDevice;

extern CheckDevice check_device;

/* An error of the device ends the program with a message: all functions below do so, except
 * check_device_open(). */
#define CHECK_CALL(call) \
  check_driver_result (check_device.driver->call, #call)
void check_driver_result (CUresult result, const gchar * what);

/* Returns FALSE, with an error, if there is no device. */
gboolean check_device_open (GError ** error);
void check_device_close (void);
void check_device_wait (void);
guint64 check_device_free_memory (void);
/* Sets the order of threads and blocks on the mock. Does nothing on a GPU. */
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

/* Returns limits for a launch: this device's, another GPU's, or invented ones, but never more than
 * this device has. Different limits lead to different copies, blocks and paths. */
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

/* The input and the output of one run of a test. */
typedef struct
{
  gconstpointer data;           /* the test's own */
  guint number;                 /* of the case, from 0 */
  guint repeats;                /* launches of the tests that repeat */
  GString *text;                /* out: the case, and the errors that were found */
} CheckCase;

typedef struct
{
  gchar *name;
  guint n_cases;
  gboolean all_cases;           /* all cases run at any effort, because they are not random */
  guint least_cases;            /* these run at any effort: each combination once, of random content */
  CheckOutcome (*run) (CheckCase * c);
  /* Optional. Prepares one large input; then launches it. */
  gpointer (*bench_new) (gconstpointer data, guint64 * bytes);
  void (*bench_launch) (gpointer bench);
  void (*bench_free) (gpointer bench);
  gconstpointer data;
} CheckTest;

void check_add_test (const CheckTest * test);

/* Appends a message such as "bin 7: 12, not 13" to the case's text. Returns FALSE. */
gboolean check_fail (CheckCase * c, const gchar * format, ...)
    G_GNUC_PRINTF (2, 3);
gboolean check_equal_counters (CheckCase * c, const gchar * what,
    const guint32 * found, const guint32 * expected, gsize n);
gboolean check_is_zero (CheckCase * c, const gchar * what, CUdeviceptr memory,
    gsize size);

void check_add_video_tests (void);
void check_add_audio_tests (void);
void check_add_groups_tests (void);
void check_add_compare_tests (void);
void check_add_mask_tests (void);
void check_add_profile_tests (void);

G_END_DECLS

#endif /* CHECKHISTO_H */
