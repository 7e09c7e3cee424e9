/* For programs that have a dlsym() of their own, which other parts of the process call instead of the C
 * library's. Link them with export_dynamic.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TEST_LOOKUP_H
#define TEST_LOOKUP_H

#include <glib.h>

G_BEGIN_DECLS

/* What the C library's dlsym() returns. */
gpointer test_look_up (gpointer library, const gchar * name);

G_END_DECLS

#endif /* TEST_LOOKUP_H */
