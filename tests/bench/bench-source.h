/* A source that costs nothing: it gives what it was given, over and over.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_SOURCE_H
#define BENCH_SOURCE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Buffers of @pool as they are, which is active; of the pool that downstream offers
 * where @pool is NULL; or, where there is @bytes, parts of these again and again.
 * @frames_per_second: 0: as fast as they are taken. */
GstElement *bench_source_new (GstCaps * caps, GstBufferPool * pool,
    GBytes * bytes, guint frames_per_second);

/* Gives the pool's buffers each time in another memory, as if it never came again. */
void bench_source_wrap (GstElement * source);

/* Gives copies of @frames in turn, which share their memory: many sources can have the
 * same. @first: which one comes first. */
void bench_source_set_frames (GstElement * source, GstBufferList * frames,
    guint first);

/* A source that is held gives its first buffer, and no other until it is released; it may
 * be held and released again at any time. */
void bench_source_hold (GstElement * source, gboolean held);

/* Whether downstream's pool was used, rather than memory of the source's own making. */
gboolean bench_source_has_offered_pool (GstElement * source);

G_END_DECLS

#endif /* BENCH_SOURCE_H */
