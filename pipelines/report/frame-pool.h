/* The memory into which decoders write frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_FRAME_POOL_H
#define REPORT_FRAME_POOL_H

#include <gst/gst.h>

void report_frame_pool_offer (GstElement * element, GstElement * sink);

#endif /* REPORT_FRAME_POOL_H */
