/* Counts the bytes of upstream's memory that one element has page-locked, and limits them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/page-locks.h"

struct _HistoPageLocks
{
  gint n_references;            /* atomic */
  gint is_on;                   /* atomic: read for each buffer; changes under the lock */
  GMutex lock;                  /* guards the rest */
  guint64 limit;                /* bytes */
  guint64 locked;               /* bytes */
};

HistoPageLocks *
histo_page_locks_new (void)
{
  HistoPageLocks *locks = g_new0 (HistoPageLocks, 1);

  locks->n_references = 1;
  g_mutex_init (&locks->lock);
  return locks;
}

HistoPageLocks *
histo_page_locks_ref (HistoPageLocks * locks)
{
  g_atomic_int_inc (&locks->n_references);
  return locks;
}

void
histo_page_locks_unref (HistoPageLocks * locks)
{
  if (!g_atomic_int_dec_and_test (&locks->n_references))
    return;
  g_mutex_clear (&locks->lock);
  g_free (locks);
}

void
histo_page_locks_set (HistoPageLocks * locks, gboolean is_on, guint64 limit)
{
  g_mutex_lock (&locks->lock);
  g_atomic_int_set (&locks->is_on, is_on);
  locks->limit = limit;
  g_mutex_unlock (&locks->lock);
}

gboolean
histo_page_locks_is_on (HistoPageLocks * locks)
{
  return g_atomic_int_get (&locks->is_on);
}

gboolean
histo_page_locks_reserve (HistoPageLocks * locks, gsize size)
{
  gboolean ok;

  g_mutex_lock (&locks->lock);
  /* The limit may have been lowered below what is locked. */
  ok = g_atomic_int_get (&locks->is_on) && locks->locked <= locks->limit
      && size <= locks->limit - locks->locked;
  if (ok)
    locks->locked += size;
  g_mutex_unlock (&locks->lock);
  return ok;
}

void
histo_page_locks_release (HistoPageLocks * locks, gsize size)
{
  g_mutex_lock (&locks->lock);
  locks->locked -= size;
  g_mutex_unlock (&locks->lock);
}
