/* The buffer pool that upstream is offered.
 *
 * The device copies a frame straight from page-locked memory, so that no thread has to copy it
 * first. The pool is a GstVideoBufferPool with another allocator.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/pool.h"

#include <gst/video/gstvideopool.h>

#include "engine/cuda/pinned.h"

typedef struct
{
  GstVideoBufferPool parent;
  GstAllocator *allocator;
} HistoPinnedPool;

typedef struct
{
  GstVideoBufferPoolClass parent_class;
} HistoPinnedPoolClass;

static GType histo_pinned_pool_get_type (void);
G_DEFINE_TYPE (HistoPinnedPool, histo_pinned_pool,
    GST_TYPE_VIDEO_BUFFER_POOL);

/* Puts the pool's allocator into the configuration, unless upstream brings its own. The rest,
 * such as padding and the alignment of strides, stays as upstream configures it. */
static gboolean
set_config (GstBufferPool * pool, GstStructure * config)
{
  GstAllocator *allocator = NULL;
  GstAllocationParams params;

  gst_allocation_params_init (&params);
  gst_buffer_pool_config_get_allocator (config, &allocator, &params);
  if (allocator == NULL)
    gst_buffer_pool_config_set_allocator (config,
        ((HistoPinnedPool *) pool)->allocator, &params);
  return GST_BUFFER_POOL_CLASS (histo_pinned_pool_parent_class)->set_config
      (pool, config);
}

static void
finalize (GObject * object)
{
  /* The parent class frees the remaining buffers, each of which references the allocator. */
  gst_clear_object (&((HistoPinnedPool *) object)->allocator);
  G_OBJECT_CLASS (histo_pinned_pool_parent_class)->finalize (object);
}

static void
histo_pinned_pool_class_init (HistoPinnedPoolClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  GST_BUFFER_POOL_CLASS (klass)->set_config = set_config;
}

static void
histo_pinned_pool_init (HistoPinnedPool * self)
{
}

GstBufferPool *
histo_pinned_pool_new (const HistoDriver * driver, GstCudaContext * context)
{
  HistoPinnedPool *pool = g_object_new (histo_pinned_pool_get_type (), NULL);

  pool->allocator = histo_pinned_allocator_new (driver, context);
  return GST_BUFFER_POOL_CAST (gst_object_ref_sink (pool));
}
