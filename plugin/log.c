/* The log category `cudahisto`, which all files of the plugin use. plugin.c initializes it. It is
 * defined in a file that uses no other file, so that the logging files do not depend on plugin.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>

GST_DEBUG_CATEGORY (cudahisto_debug);
