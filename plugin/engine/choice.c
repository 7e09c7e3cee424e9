/* Which engine measures what backend=auto leaves open; see choice.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine/choice.h"

/**
 * histo_choice_is_cpu_for_audio:
 * @channels: at least 1
 * @rate: samples of a channel in a second, at least 1
 *
 * Returns: whether the CPU engine takes less processor time for a usual buffer than a GPU does
 */
gboolean
histo_choice_is_cpu_for_audio (guint channels, guint rate)
{
  /* Both products are below 2^63: there are less than 2^32 channels, and less than 2^31 samples. */
  const guint64 samples = (guint64) channels *
      ((guint64) rate * HISTO_CHOICE_BUFFER_TIME / 1000);
  const guint64 most = (guint64) HISTO_CHOICE_GPU_TIME * 1000 /
      HISTO_CHOICE_CPU_TIME_OF_1000;

  return samples <= most;
}
