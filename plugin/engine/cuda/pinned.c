/* Page-locked memory, which the device can copy from and read by itself.
 *
 * The engine allocates some for itself (HistoPinned). Upstream gets some through a GstAllocator.
 * Its memory outlives the element and the pool, so it keeps the CUDA context alive.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/pinned.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

#define PINNED_MEMORY_TYPE "cudahisto.pinned"

/* ---- The engine's own memory --------------------------------------------------------- */

gboolean
histo_pinned_alloc (HistoPinned * memory, const HistoDriver * driver,
    gsize size, GError ** error)
{
  return HISTO_DRIVER_CHECK (driver, cuMemHostAlloc (&memory->host, MAX (size, 1),
          CU_MEMHOSTALLOC_DEVICEMAP), error)
      && HISTO_DRIVER_CHECK (driver, cuMemHostGetDevicePointer (&memory->device,
          memory->host, 0), error);
}

void
histo_pinned_free (HistoPinned * memory, const HistoDriver * driver)
{
  if (memory->host != NULL)
    HISTO_DRIVER_CHECK (driver, cuMemFreeHost (memory->host), NULL);
  memory->host = NULL;
  memory->device = 0;
}

/* ---- The allocator ------------------------------------------------------------------- */

typedef struct
{
  GstMemory parent;
  guint8 *allocated;            /* what the driver gave; NULL for a part of another memory */
  guint8 *data;                 /* aligned; the memory's offset counts from here */
} PinnedMemory;

typedef struct
{
  GstAllocator parent;
  const HistoDriver *driver;
  GstCudaContext *context;
} HistoPinnedAllocator;

typedef struct
{
  GstAllocatorClass parent_class;
} HistoPinnedAllocatorClass;

static GType histo_pinned_allocator_get_type (void);
G_DEFINE_TYPE (HistoPinnedAllocator, histo_pinned_allocator,
    GST_TYPE_ALLOCATOR);

static guint8 *
alloc_portable (HistoPinnedAllocator * self, gsize size)
{
  GError *error = NULL;
  void *memory = NULL;

  histo_driver_enter ();
  if (!gst_cuda_context_push (self->context)) {
    histo_driver_leave ();
    return NULL;
  }
  /* Portable, because elements in other contexts may measure the frames. */
  if (!HISTO_DRIVER_CHECK (self->driver, cuMemHostAlloc (&memory, size,
              CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP), &error)) {
    GST_WARNING ("no page-locked memory: %s", error->message);
    g_clear_error (&error);
    memory = NULL;
  }
  gst_cuda_context_pop (NULL);
  histo_driver_leave ();
  return memory;
}

static GstMemory *
wrap (HistoPinnedAllocator * self, GstMemory * parent, GstMemoryFlags flags,
    guint8 * data, gsize max_size, gsize align, gsize offset, gsize size)
{
  PinnedMemory *memory = g_new0 (PinnedMemory, 1);

  gst_memory_init (GST_MEMORY_CAST (memory), flags, GST_ALLOCATOR_CAST (self),
      parent, max_size, align, offset, size);
  memory->data = data;
  return GST_MEMORY_CAST (memory);
}

static GstMemory *
alloc (GstAllocator * allocator, gsize size, GstAllocationParams * params)
{
  HistoPinnedAllocator *self = (HistoPinnedAllocator *) allocator;
  const gsize align = params->align | gst_memory_alignment;
  const gsize max_size = params->prefix + size + params->padding;
  guint8 *allocated = alloc_portable (self, max_size + align), *data;
  GstMemory *memory;

  if (allocated == NULL)
    return gst_allocator_alloc (NULL, size, params);

  data = allocated + (-(guintptr) allocated & align);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PREFIXED)
    memset (data, 0, params->prefix);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PADDED)
    memset (data + params->prefix + size, 0, params->padding);
  memory = wrap (self, NULL, params->flags, data, max_size, align,
      params->prefix, size);
  ((PinnedMemory *) memory)->allocated = allocated;
  return memory;
}

static void
free_memory (GstAllocator * allocator, GstMemory * base)
{
  HistoPinnedAllocator *self = (HistoPinnedAllocator *) allocator;
  PinnedMemory *memory = (PinnedMemory *) base;

  if (memory->allocated != NULL) {
    gboolean pushed;

    histo_driver_enter ();
    pushed = gst_cuda_context_push (self->context);
    HISTO_DRIVER_CHECK (self->driver, cuMemFreeHost (memory->allocated), NULL);
    if (pushed)
      gst_cuda_context_pop (NULL);
    histo_driver_leave ();
  }
  g_free (memory);
}

static gpointer
map (GstMemory * memory, gsize max_size, GstMapFlags flags)
{
  return ((PinnedMemory *) memory)->data;
}

static void
unmap (GstMemory * memory)
{
}

static GstMemory *
share (GstMemory * memory, gssize offset, gssize size)
{
  /* A part of a part keeps the whole memory, too. */
  GstMemory *whole = memory->parent != NULL ? memory->parent : memory;

  if (size < 0)
    size = memory->size - offset;
  return wrap ((HistoPinnedAllocator *) memory->allocator, whole,
      GST_MINI_OBJECT_FLAGS (whole) | GST_MINI_OBJECT_FLAG_LOCK_READONLY,
      ((PinnedMemory *) memory)->data, memory->maxsize, memory->align,
      memory->offset + offset, size);
}

static gboolean
is_span (GstMemory * first, GstMemory * second, gsize * offset)
{
  if (offset != NULL)
    *offset = first->offset - first->parent->offset;
  return ((PinnedMemory *) first)->data + first->offset + first->size
      == ((PinnedMemory *) second)->data + second->offset;
}

static void
finalize (GObject * object)
{
  gst_clear_object (&((HistoPinnedAllocator *) object)->context);
  G_OBJECT_CLASS (histo_pinned_allocator_parent_class)->finalize (object);
}

static void
histo_pinned_allocator_class_init (HistoPinnedAllocatorClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  GST_ALLOCATOR_CLASS (klass)->alloc = alloc;
  GST_ALLOCATOR_CLASS (klass)->free = free_memory;
}

static void
histo_pinned_allocator_init (HistoPinnedAllocator * self)
{
  GstAllocator *allocator = GST_ALLOCATOR_CAST (self);

  allocator->mem_type = PINNED_MEMORY_TYPE;
  allocator->mem_map = map;
  allocator->mem_unmap = unmap;
  allocator->mem_share = share;
  allocator->mem_is_span = is_span;
  /* GStreamer copies such memory to ordinary system memory. Page-locking takes milliseconds,
   * which pays only for buffers that a pool keeps. */
  GST_OBJECT_FLAG_SET (allocator, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

GstAllocator *
histo_pinned_allocator_new (const HistoDriver * driver,
    GstCudaContext * context)
{
  HistoPinnedAllocator *allocator =
      g_object_new (histo_pinned_allocator_get_type (), NULL);

  allocator->driver = driver;
  allocator->context = gst_object_ref (context);
  return GST_ALLOCATOR_CAST (gst_object_ref_sink (allocator));
}

gboolean
histo_is_pinned (GstBuffer * buffer, guint64 begin, guint64 end)
{
  GstMemory *memory;
  guint64 data;

  if (gst_buffer_n_memory (buffer) != 1)
    return FALSE;
  memory = gst_buffer_peek_memory (buffer, 0);
  if (!gst_memory_is_type (memory, PINNED_MEMORY_TYPE))
    return FALSE;
  /* GStreamer maps a copy of a memory that another user has mapped for writing. */
  data = (guint64) (guintptr) ((PinnedMemory *) memory)->data;
  return begin >= data && end <= data + memory->maxsize;
}
