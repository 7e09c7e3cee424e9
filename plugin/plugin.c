/* The plugin's entry. It makes no CUDA call: the plugin must load where there is no
 * driver, and quickly.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "compare/cudahistocompare.h"
#include "element/cudahisto.h"

static gboolean
plugin_init (GstPlugin * plugin)
{
  return GST_ELEMENT_REGISTER (cudahisto, plugin)
      && GST_ELEMENT_REGISTER (cudahistocompare, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, cudahisto,
    "Histograms and statistics of raw video and audio, on the GPU or the CPU",
    plugin_init, PACKAGE_VERSION, "LGPL", PACKAGE_NAME, PACKAGE_ORIGIN)
