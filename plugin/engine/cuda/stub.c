/* Stands in for the CUDA engine where it is not built.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/engine.h"

HistoEngine *
histo_engine_cuda_new (HistoPageLocks * page_locks)
{
  return NULL;
}

HistoPageLocks *
histo_page_locks_new (void)
{
  return NULL;
}

void
histo_page_locks_unref (HistoPageLocks * locks)
{
}

void
histo_page_locks_set (HistoPageLocks * locks, gboolean is_on, guint64 limit)
{
}
