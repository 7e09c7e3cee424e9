/* The log category `cudahistooverlay`. It is defined in a file that uses no other file, so that the
 * logging files do not depend on the element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>

GST_DEBUG_CATEGORY (cudahistooverlay_debug);
