/* Tiny pictures, of which a page has thousands: JPEG without its tables, which the page has once.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_TINY_H
#define REPORT_TINY_H

#include "base/thumbnail.h"

G_BEGIN_DECLS

/* Columns and rows are at most so many. */
#define REPORT_TINY_SIZE 64

GBytes *report_tiny_tables (void);
GBytes *report_tiny_new (GBytes * jpeg);

G_END_DECLS

#endif /* REPORT_TINY_H */
