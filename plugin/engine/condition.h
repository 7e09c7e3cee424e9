/* A condition that costs nothing while nobody waits for it: GLib's enters the kernel each
 * time that it is signalled, and what changes with every buffer is signalled often.
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
  guint n_waiting;
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

/* All of these under the lock, always the same. */

/* FALSE if the monotonic time `end` has come, unless that is negative. */
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
