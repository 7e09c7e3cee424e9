/* The entry of the plugin of the overlay.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "overlay/cudahistooverlay.h"

static gboolean
plugin_init (GstPlugin * plugin)
{
  return GST_ELEMENT_REGISTER (cudahistooverlay, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, cudahistooverlay,
    "Draws results of cudahisto into the picture", plugin_init,
    PACKAGE_VERSION, "LGPL", PACKAGE_NAME, PACKAGE_ORIGIN)
