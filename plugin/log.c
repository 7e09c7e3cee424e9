/* The log categories of the plugin: `cudahistocompare`, which the files of compare/ use, and `cudahisto`, which all others use.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "log.h"

GST_DEBUG_CATEGORY (cudahisto_debug);
GST_DEBUG_CATEGORY (cudahistocompare_debug);

/* To be called by the class of each element. A second call changes nothing. */
void
histo_log_init (void)
{
  GST_DEBUG_CATEGORY_INIT (cudahisto_debug, "cudahisto", 0,
      "Histograms and statistics of video and audio");
  GST_DEBUG_CATEGORY_INIT (cudahistocompare_debug, "cudahistocompare", 0,
      "Comparison of video with a reference");
}
