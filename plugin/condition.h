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

/* Both under the lock, always the same. */
static inline void
histo_condition_wait (HistoCondition * condition, GMutex * lock)
{
  condition->n_waiting++;
  g_cond_wait (&condition->cond, lock);
  condition->n_waiting--;
}

static inline void
histo_condition_broadcast (HistoCondition * condition)
{
  if (condition->n_waiting > 0)
    g_cond_broadcast (&condition->cond);
}

G_END_DECLS

#endif /* HISTO_CONDITION_H */
