/* The CUDA engine where it is not built: none.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/engine.h"

HistoEngine *
histo_engine_cuda_new (void)
{
  return NULL;
}
