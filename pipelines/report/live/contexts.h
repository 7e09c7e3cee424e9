/* What the pipelines of all inputs share.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_CONTEXTS_H
#define REPORT_CONTEXTS_H

#include <gst/gst.h>

G_BEGIN_DECLS

void report_contexts_take_message (GstMessage * message);

G_END_DECLS

#endif /* REPORT_CONTEXTS_H */
