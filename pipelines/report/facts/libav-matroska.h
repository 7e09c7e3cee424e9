/* The numbers of the tracks of Matroska, which libavformat does not give.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_LIBAV_MATROSKA_H
#define REPORT_LIBAV_MATROSKA_H

#include "facts/said.h"

G_BEGIN_DECLS

void libav_matroska_set_numbers (gint fd, GArray * streams);

G_END_DECLS

#endif /* REPORT_LIBAV_MATROSKA_H */
