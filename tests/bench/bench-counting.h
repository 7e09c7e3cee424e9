/* Threads that do nothing but what the CPU engine's do with a frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_COUNTING_H
#define BENCH_COUNTING_H

#include <glib.h>

G_BEGIN_DECLS

/* Returns: the 4K I420 frames that n of them count in a second: what the processors have to
 * give */
gdouble bench_counting (guint n);

G_END_DECLS

#endif /* BENCH_COUNTING_H */
