/* The memory into which decoders write frames; see frame-pool.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_FRAME_POOL_H
#define REPORT_FRAME_POOL_H

#include <gst/gst.h>

G_BEGIN_DECLS

void report_frame_pool_offer (GstElement * element, GstElement * sink);
void report_frame_pool_complete (GstElement * element);

G_END_DECLS

#endif /* REPORT_FRAME_POOL_H */
