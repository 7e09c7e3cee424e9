/* A condition variable that costs nothing to signal while no thread waits for it.
 *
 * GLib's enters the kernel each time it is signalled, and the element signals several times for
 * each buffer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CONDITION_H
#define HISTO_CONDITION_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  GCond cond;
  guint n_waiting;              /* threads */
} HistoCondition;

static inline void
histo_condition_init (HistoCondition * condition)
{
  g_cond_init (&condition->cond);
  condition->n_waiting = 0;
}

static inline void
histo_condition_clear (HistoCondition * condition)
{
  g_cond_clear (&condition->cond);
}

/* Call the following functions under the lock, which must always be the same one. */

/* Waits for a signal until the monotonic time @end in us; without end if that is negative. FALSE if
 * the time has come. */
static inline gboolean
histo_condition_wait_until (HistoCondition * condition, GMutex * lock,
    gint64 end)
{
  gboolean signalled = TRUE;

  condition->n_waiting++;
  if (end < 0)
    g_cond_wait (&condition->cond, lock);
  else
    signalled = g_cond_wait_until (&condition->cond, lock, end);
  condition->n_waiting--;
  return signalled;
}

static inline void
histo_condition_wait (HistoCondition * condition, GMutex * lock)
{
  histo_condition_wait_until (condition, lock, -1);
}

static inline void
histo_condition_broadcast (HistoCondition * condition)
{
  if (condition->n_waiting > 0)
    g_cond_broadcast (&condition->cond);
}

G_END_DECLS

#endif /* HISTO_CONDITION_H */
