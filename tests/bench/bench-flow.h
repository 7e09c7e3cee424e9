/* A pipeline with the element in it, or without, and what it costs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_FLOW_H
#define BENCH_FLOW_H

#include <time.h>

#include "engine/cuda/driver.h"

G_BEGIN_DECLS

#define FLOW_N_BUFFERS 10       /* of a pool, and more where more are in flight */
#define FLOW_WARM_UP (G_USEC_PER_SEC / 10)

typedef enum
{
  ORDINARY,
  ORDINARY_ONCE,                /* the same, but no memory comes again */
  PAGE_LOCKED,
  OFFERED,
  CUDA
} MemoryKind;

typedef struct
{
  GstElement *pipeline, *source, *histo;
  GstBufferPool *pool;
  gint n_buffers;               /* at the sink; atomic */
  gint64 first_time;            /* monotonic time of the first one, us; valid if n_buffers > 0 */
  clockid_t upstream_clock, element_clock;      /* of these threads; -1: there is none */
} Flow;

typedef struct
{
  gdouble frames_per_second;    /* 0 where it did not play */
  gdouble cpu_us;               /* of the whole process, per frame */
  gdouble upstream_us, element_us;      /* of these threads */
} Speed;

/* Ends the program where a call of the driver's failed. */
void bench_must (CUresult result, const gchar * what);

static inline gint64
bench_now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

GstCaps *flow_caps_new (const gchar * format, guint width, guint height,
    MemoryKind kind);
/* @buffers: (out): all @n of them, with noise in them */
GstBufferPool *flow_pool_new (GstCaps * caps, guint n, MemoryKind kind,
    GstCudaContext * pool_context, GstBufferList ** buffers);
GstElement *flow_histo_new (const gchar * backend, gint device_id,
    guint max_in_flight);
/* @before: (nullable): between source and element
 * @histo: floating, or NULL for the same pipeline without it */
void flow_init (Flow * flow, GstElement * source, GstElement * before,
    GstElement * histo);
void flow_share_context (Flow * flow, GstCudaContext * shared);
/* Of raw frames, in memory of its own. */
void flow_init_raw (Flow * flow, const gchar * format, guint width,
    guint height, MemoryKind kind, guint frames_per_second,
    GstElement * histo, GstCudaContext * flow_context);
/* Prints what has. */
gboolean flow_has_failed (Flow * flow);
/* Plays, and returns when the first buffer has come; FALSE where none does. */
gboolean flow_play (Flow * flow);
void flow_clear (Flow * flow);
/* Plays, and measures after a while of warming up. */
Speed flow_measure (Flow * flow, gdouble seconds);

G_END_DECLS

#endif /* BENCH_FLOW_H */
