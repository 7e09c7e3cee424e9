/* The GPUs that processes can be spread over.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_GPUS_H
#define REPORT_GPUS_H

#include <glib.h>

G_BEGIN_DECLS

gchar **report_gpus_list (void);

G_END_DECLS

#endif /* REPORT_GPUS_H */
