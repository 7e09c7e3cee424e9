/* The log category `cudahisto`, which all files of the plugin use.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "log.h"

GST_DEBUG_CATEGORY (cudahisto_debug);

/* To be called by the class of each element. A second call changes nothing. */
void
histo_log_init (void)
{
  GST_DEBUG_CATEGORY_INIT (cudahisto_debug, "cudahisto", 0,
      "Histograms and statistics of video and audio");
}
