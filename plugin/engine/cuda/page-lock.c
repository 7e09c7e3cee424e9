/* Page-locked memory, which the device can copy from and read by itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/page-lock.h"

#include <gst/video/gstvideopool.h>

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

/* ---- The allocator of the pool --------------------------------------------------------- */

/* Memory of this allocator outlives the element and the pool, so it keeps the CUDA context alive. */

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

/* ---- The pool that upstream is offered --------------------------------------------------- */

/* The device copies a frame straight from page-locked memory, so that no thread has to copy it
 * first. The pool is a GstVideoBufferPool with another allocator. */
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
finalize_pool (GObject * object)
{
  /* The parent class frees the remaining buffers, each of which references the allocator. */
  gst_clear_object (&((HistoPinnedPool *) object)->allocator);
  G_OBJECT_CLASS (histo_pinned_pool_parent_class)->finalize (object);
}

static void
histo_pinned_pool_class_init (HistoPinnedPoolClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize_pool;
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
  HistoPinnedAllocator *allocator =
      g_object_new (histo_pinned_allocator_get_type (), NULL);

  allocator->driver = driver;
  allocator->context = gst_object_ref (context);
  pool->allocator = GST_ALLOCATOR_CAST (gst_object_ref_sink (allocator));
  return GST_BUFFER_POOL_CAST (gst_object_ref_sink (pool));
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

/* ---- The account of memory of others ----------------------------------------------------- */

struct _HistoPageLocks
{
  gint n_references;            /* atomic */
  gint is_on;                   /* atomic: read for each buffer; changes under the lock */
  GMutex lock;                  /* guards the rest */
  guint64 limit;                /* bytes */
  guint64 locked;               /* bytes */
};

HistoPageLocks *
histo_page_locks_new (void)
{
  HistoPageLocks *locks = g_new0 (HistoPageLocks, 1);

  locks->n_references = 1;
  g_mutex_init (&locks->lock);
  return locks;
}

HistoPageLocks *
histo_page_locks_ref (HistoPageLocks * locks)
{
  g_atomic_int_inc (&locks->n_references);
  return locks;
}

void
histo_page_locks_unref (HistoPageLocks * locks)
{
  if (!g_atomic_int_dec_and_test (&locks->n_references))
    return;
  g_mutex_clear (&locks->lock);
  g_free (locks);
}

void
histo_page_locks_set (HistoPageLocks * locks, gboolean is_on, guint64 limit)
{
  g_mutex_lock (&locks->lock);
  g_atomic_int_set (&locks->is_on, is_on);
  locks->limit = limit;
  g_mutex_unlock (&locks->lock);
}

static gboolean
are_on (HistoPageLocks * locks)
{
  return g_atomic_int_get (&locks->is_on);
}

/* Counts @size bytes as page-locked. These are the bytes of the memory; the system locks the whole
 * pages that contain them. FALSE, and nothing is counted, if page-locking is off or the sum would
 * exceed the limit. */
static gboolean
reserve (HistoPageLocks * locks, gsize size)
{
  gboolean ok;

  g_mutex_lock (&locks->lock);
  /* The limit may have been lowered below what is locked. */
  ok = g_atomic_int_get (&locks->is_on) && locks->locked <= locks->limit
      && size <= locks->limit - locks->locked;
  if (ok)
    locks->locked += size;
  g_mutex_unlock (&locks->lock);
  return ok;
}

/* @size: bytes of one successful reservation, which are not page-locked any more */
static void
release (HistoPageLocks * locks, gsize size)
{
  g_mutex_lock (&locks->lock);
  locks->locked -= size;
  g_mutex_unlock (&locks->lock);
}

/* ---- Memory of others --------------------------------------------------------------------- */

/* The host has to copy ordinary memory before the device can fetch it, and this copy takes longer
 * than all other steps. A pool's memory comes again with a later frame. Page-locking 3.1 MB once
 * takes 256 us; copying it takes 440 us for each frame. So page-locking pays from the second
 * frame on. Memory that is in no pool, or does not come again, is never page-locked: it may belong
 * to the application, or be freed with its buffer. */

typedef enum
{
  STATE_SEEN,
  STATE_BEING_REGISTERED,
  STATE_REGISTERED,             /* for good */
  STATE_REFUSED                 /* by the driver, for good */
} State;

/* Attached to the memory, for all elements and contexts of the process. */
typedef struct
{
  gint state;                   /* State; atomic, and changes under the lock */
  HistoPageLocks *owner;        /* the account of the element that saw the memory first */
  /* Valid while the memory is registered. */
  const HistoDriver *driver;
  GstCudaContext *context;      /* referenced: the memory is registered there */
  guint8 *begin;
  gsize size;                   /* bytes that the owner's account counts */
} Registration;

static GMutex lock;
static G_DEFINE_QUARK (cudahisto-registration, registration);

/* The context is referenced until here. If the device has failed, or if an application has
 * destroyed its context, the driver may refuse. The account gets the bytes back in any case,
 * because the memory is freed next. */
static void
unregister (Registration * registration)
{
  GError *error = NULL;
  gboolean pushed;

  histo_driver_enter ();
  pushed = gst_cuda_context_push (registration->context);
  if (HISTO_DRIVER_CHECK (registration->driver, cuMemHostUnregister
          (registration->begin), &error))
    GST_DEBUG ("%" G_GSIZE_FORMAT " bytes at %p are not page-locked any more",
        registration->size, registration->begin);
  else
    GST_WARNING ("%" G_GSIZE_FORMAT " bytes at %p may stay page-locked: %s",
        registration->size, registration->begin, error->message);
  g_clear_error (&error);
  if (pushed)
    gst_cuda_context_pop (NULL);
  histo_driver_leave ();
  gst_object_unref (registration->context);
  release (registration->owner, registration->size);
}

/* GStreamer calls this before it frees the memory's data or gives it back to its owner. */
static void
free_registration (gpointer data)
{
  Registration *registration = data;

  if (registration->state == STATE_REGISTERED)
    unregister (registration);
  histo_page_locks_unref (registration->owner);
  g_free (registration);
}

static Registration *
find_registration (GstMemory * memory)
{
  return gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (memory),
      registration_quark ());
}

#define REFUSED "the driver refuses to page-lock the memory"

/* Notes that an element has seen the memory. Returns whether that element is to page-lock it now;
 * the state is BEING_REGISTERED then. @why_not: (out): if not, why the memory is not page-locked,
 * or NULL if it is. Call it under the lock. */
static gboolean
see (GstMemory * memory, HistoPageLocks * locks, const gchar ** why_not)
{
  Registration *registration = find_registration (memory);

  *why_not = "the element sees the memory for the first time";
  if (registration == NULL) {
    registration = g_new0 (Registration, 1);
    registration->owner = histo_page_locks_ref (locks);
    gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (memory),
        registration_quark (), registration, free_registration);
  } else if (registration->state == STATE_BEING_REGISTERED) {
    *why_not = "another thread is page-locking the memory";
  } else if (registration->state == STATE_REGISTERED) {
    *why_not = NULL;
  } else if (registration->state == STATE_REFUSED) {
    *why_not = REFUSED;
  } else if (registration->owner == locks) {
    g_atomic_int_set (&registration->state, STATE_BEING_REGISTERED);
    return TRUE;
  } else if (are_on (registration->owner)) {
    *why_not = "another element saw the memory first";
  } else {
    /* The first element will not page-lock the memory; this one may. */
    histo_page_locks_unref (registration->owner);
    registration->owner = histo_page_locks_ref (locks);
  }
  return FALSE;
}

/* Page-locks a memory whose bytes are reserved. Returns the memory's new state. Only a refusal by
 * cuMemHostRegister is final: after any other failure the state is SEEN, and the next visit tries
 * again. @why_not: (out): set after a failure */
static State
lock_pages (Registration * registration, GstMemory * memory,
    const HistoDevice * device, const gchar ** why_not)
{
  GError *error = NULL;
  GstMapInfo map;
  gboolean ok;

  /* For example because another user has mapped it for writing. */
  if (!gst_memory_map (memory, &map, GST_MAP_READ)) {
    *why_not = "the memory cannot be mapped now";
    return STATE_SEEN;
  }
  registration->begin = map.data - memory->offset;
  registration->size = memory->maxsize;
  gst_memory_unmap (memory, &map);
  if (!histo_device_push (device, NULL)) {
    *why_not = "the CUDA context cannot be made current";
    return STATE_SEEN;
  }
  /* Portable, because other elements may measure the memory in other contexts. */
  ok = HISTO_DEVICE_CHECK (device, cuMemHostRegister (registration->begin,
          registration->size,
          CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP), &error);
  histo_device_pop ();
  if (!ok) {
    GST_DEBUG_OBJECT (device->element, "%" G_GSIZE_FORMAT " bytes at %p are not "
        "page-locked: %s", registration->size, registration->begin,
        error->message);
    g_clear_error (&error);
    *why_not = REFUSED;
    return STATE_REFUSED;
  }
  registration->driver = device->driver;
  registration->context = gst_object_ref (device->context);
  GST_DEBUG_OBJECT (device->element, "page-locked %" G_GSIZE_FORMAT
      " bytes at %p", registration->size, registration->begin);
  return STATE_REGISTERED;
}

/* Page-locks a memory that its owner has seen again. Returns why not, or NULL. */
static const gchar *
try_to_register (Registration * registration, GstMemory * memory,
    const HistoDevice * device)
{
  const gchar *why_not = NULL;
  State state = STATE_SEEN;

  /* The state is BEING_REGISTERED: no other thread looks at the rest. */
  if (reserve (registration->owner, memory->maxsize)) {
    state = lock_pages (registration, memory, device, &why_not);
    if (state != STATE_REGISTERED)
      release (registration->owner, memory->maxsize);
  } else {
    why_not = "page-lock-limit is reached";
  }
  g_mutex_lock (&lock);
  g_atomic_int_set (&registration->state, state);
  g_mutex_unlock (&lock);
  return why_not;
}

/* Page-locks the memory if it should be. Returns why it is not page-locked, or NULL. */
static const gchar *
ensure_registered (GstMemory * memory, GstBuffer * buffer, gsize size,
    const HistoDevice * device, HistoPageLocks * locks)
{
  const gchar *why_not;
  gboolean must_register;

  if (!are_on (locks))
    return "page-lock-upstream is off";
  if (buffer->pool == NULL)
    return "the buffer comes from no pool";
  if (!gst_memory_is_type (memory, GST_ALLOCATOR_SYSMEM))
    return "the memory is of another kind than system memory";
  if (memory->maxsize / 2 > size)
    return "the frame is less than half of the memory";

  g_mutex_lock (&lock);
  must_register = see (memory, locks, &why_not);
  g_mutex_unlock (&lock);
  return must_register ?
      try_to_register (find_registration (memory), memory, device) : why_not;
}

gboolean
histo_is_registered (GstBuffer * buffer, guint64 begin, guint64 end,
    const HistoDevice * device, HistoPageLocks * locks, const gchar ** why_not)
{
  Registration *registration;
  GstMemory *memory;

  if (gst_buffer_n_memory (buffer) != 1) {
    *why_not = "the buffer is in several memories";
    return FALSE;
  }
  /* The memory that is freed in the end: of a part of another memory, that one. */
  memory = gst_buffer_peek_memory (buffer, 0);
  while (memory->parent != NULL)
    memory = memory->parent;
  registration = find_registration (memory);
  if (registration == NULL
      || g_atomic_int_get (&registration->state) != STATE_REGISTERED) {
    *why_not =
        ensure_registered (memory, buffer, end - begin, device, locks);
    if (*why_not != NULL)
      return FALSE;
    registration = find_registration (memory);
  }
  /* GStreamer maps a copy of a memory that another user has mapped for writing. */
  *why_not = "another user writes to the memory";
  return begin >= (guint64) (guintptr) registration->begin
      && end <= (guint64) (guintptr) registration->begin + registration->size;
}
