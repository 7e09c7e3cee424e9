/* The kernels of each context, which all engines in the context share.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/shared-kernels.h"

#include <pthread.h>

typedef enum
{
  LOADING,                      /* one thread loads; others wait for `changed` */
  LOADED,
  FAILED
} State;

typedef struct
{
  HistoCudaKernels kernels;     /* the first field: users have its address */
  unsigned long long context;   /* the number of the context */
  guint n_users;                /* also those that wait */
  State state;
  GError *error;                /* if FAILED */
} Shared;

/* All under the lock. */
static GMutex lock;
static GCond changed;
static GSList *all;             /* of Shared */

/* ---- fork() --------------------------------------------------------------------------- */

static void
before_fork (void)
{
  g_mutex_lock (&lock);
}

static void
after_fork_in_parent (void)
{
  g_mutex_unlock (&lock);
}

/* The threads that load or wait do not exist in the child, and CUDA contexts are not inherited. */
static void
after_fork_in_child (void)
{
  g_clear_pointer (&all, g_slist_free);
  g_cond_init (&changed);
  g_mutex_unlock (&lock);
}

static void
handle_forks (void)
{
  static gsize is_done = 0;

  if (g_once_init_enter (&is_done)) {
    pthread_atfork (before_fork, after_fork_in_parent, after_fork_in_child);
    g_once_init_leave (&is_done, 1);
  }
}

/* ---- Users ---------------------------------------------------------------------------- */

static Shared *
find (unsigned long long context)
{
  for (GSList * l = all; l != NULL; l = l->next) {
    Shared *shared = l->data;

    if (shared->context == context)
      return shared;
  }
  return NULL;
}

/* Call it under the lock. Returns whether there is no user left. The caller then frees @shared. */
static gboolean
drop (Shared * shared)
{
  if (--shared->n_users > 0)
    return FALSE;
  all = g_slist_remove (all, shared);
  return TRUE;
}

static void
free_shared (Shared * shared)
{
  g_clear_error (&shared->error);
  g_free (shared);
}

/* Waits until the load has ended. Call it under the lock. */
static gboolean
wait_for_load (Shared * shared, GError ** error)
{
  while (shared->state == LOADING)
    g_cond_wait (&changed, &lock);
  if (shared->state == LOADED)
    return TRUE;
  g_propagate_error (error, g_error_copy (shared->error));
  if (drop (shared))
    free_shared (shared);
  return FALSE;
}

/* Loads the kernels without the lock, so that engines in other contexts need not wait. */
static gboolean
load (Shared * shared, const HistoDriver * driver, GError ** error)
{
  GError *failure = NULL;
  const gboolean ok = histo_cuda_kernels_load (&shared->kernels, driver,
      &failure);

  if (!ok)
    histo_cuda_kernels_unload (&shared->kernels);
  g_mutex_lock (&lock);
  shared->state = ok ? LOADED : FAILED;
  shared->error = failure;
  /* An engine that comes from now on tries again. */
  if (!ok)
    all = g_slist_remove (all, shared);
  g_cond_broadcast (&changed);
  return wait_for_load (shared, error);
}

const HistoCudaKernels *
histo_cuda_kernels_share (const HistoDriver * driver, GError ** error)
{
  unsigned long long context;
  Shared *shared;
  gboolean ok;

  handle_forks ();
  if (!HISTO_DRIVER_CHECK (driver, cuCtxGetId (NULL, &context), error))
    return NULL;
  g_mutex_lock (&lock);
  shared = find (context);
  if (shared != NULL) {
    shared->n_users++;
    ok = wait_for_load (shared, error);
  } else {
    shared = g_new0 (Shared, 1);
    shared->context = context;
    shared->n_users = 1;
    all = g_slist_prepend (all, shared);
    g_mutex_unlock (&lock);
    ok = load (shared, driver, error);
  }
  g_mutex_unlock (&lock);
  return ok ? &shared->kernels : NULL;
}

/* Whether another context than that of the kernels is current. Then theirs was destroyed, and the
 * module with it. */
static gboolean
is_elsewhere (const Shared * shared)
{
  const HistoDriver *driver = shared->kernels.driver;
  unsigned long long context;

  return driver->cuCtxGetId (NULL, &context) == CUDA_SUCCESS
      && context != shared->context;
}

void
histo_cuda_kernels_release (const HistoCudaKernels * kernels)
{
  Shared *shared = (Shared *) kernels;
  gboolean is_last;

  if (shared == NULL)
    return;
  g_mutex_lock (&lock);
  is_last = drop (shared);
  g_mutex_unlock (&lock);
  if (!is_last)
    return;
  if (!is_elsewhere (shared))
    histo_cuda_kernels_unload (&shared->kernels);
  free_shared (shared);
}
