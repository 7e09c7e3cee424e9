/* The log categories of the plugin.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_LOG_H
#define HISTO_LOG_H

#include <gst/gst.h>

G_BEGIN_DECLS

void histo_log_init (void);

G_END_DECLS

#endif /* HISTO_LOG_H */
