/* The plugin's entry. It makes no CUDA call: the plugin must load where there is no
 * driver, and quickly.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "compare/cudahistocompare.h"
#include "element/cudahisto.h"
#include "result/write.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);

static gboolean
plugin_init (GstPlugin * plugin)
{
  GST_DEBUG_CATEGORY_INIT (cudahisto_debug, "cudahisto", 0,
      "Histograms and statistics of video and audio");
  histo_write_init ();
  gst_cuda_histo_compare_init_meta ();
  return gst_element_register (plugin, "cudahisto", GST_RANK_NONE,
      GST_TYPE_CUDA_HISTO)
      && gst_element_register (plugin, "cudahistocompare", GST_RANK_NONE,
      GST_TYPE_CUDA_HISTO_COMPARE);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, cudahisto,
    "Histograms and statistics of raw video and audio, on the GPU or the CPU",
    plugin_init, PACKAGE_VERSION, "LGPL", "cudahisto", PACKAGE_ORIGIN)
