/* Memory of upstream's pools that is page-locked in place, if the user asks for it.
 *
 * The host has to copy ordinary memory before the device can fetch it, and this copy takes longer
 * than all other steps. A pool's memory comes again with a later frame. Page-locking 3.1 MB once
 * takes 256 us; copying it takes 440 us for each frame. So page-locking pays from the second
 * frame on. Memory that is in no pool, or does not come again, is never page-locked: it may belong
 * to the application, or be freed with its buffer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/registered.h"

GST_DEBUG_CATEGORY_EXTERN (cudahisto_debug);
#define GST_CAT_DEFAULT cudahisto_debug

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
  histo_page_locks_release (registration->owner, registration->size);
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

/* The memory that is freed in the end: of a part of another memory, that one. */
static GstMemory *
whole_of (GstMemory * memory)
{
  while (memory->parent != NULL)
    memory = memory->parent;
  return memory;
}

static Registration *
find_registration (GstMemory * memory)
{
  return gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (memory),
      registration_quark ());
}

#define FIRST_VISIT "the element sees the memory for the first time"
#define REFUSED "the driver refuses to page-lock the memory"

/* Notes that an element has seen the memory. Returns whether that element is to page-lock it now;
 * the state is BEING_REGISTERED then. @why_not: (out): if not, why the memory is not page-locked,
 * or NULL if it is. Call it under the lock. */
static gboolean
see (GstMemory * memory, HistoPageLocks * locks, const gchar ** why_not)
{
  Registration *registration = find_registration (memory);

  *why_not = FIRST_VISIT;
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
  } else if (histo_page_locks_is_on (registration->owner)) {
    *why_not = "another element saw the memory first";
  } else {
    /* The first element will not page-lock the memory; this one may. */
    histo_page_locks_unref (registration->owner);
    registration->owner = histo_page_locks_ref (locks);
  }
  return FALSE;
}

/* Finds the address of the whole memory. FALSE if the memory cannot be mapped now, for example
 * because another user has mapped it for writing. */
static gboolean
find_address (Registration * registration, GstMemory * memory)
{
  GstMapInfo map;

  if (!gst_memory_map (memory, &map, GST_MAP_READ))
    return FALSE;
  registration->begin = map.data - memory->offset;
  registration->size = memory->maxsize;
  gst_memory_unmap (memory, &map);
  return TRUE;
}

/* Page-locks the memory, whose address is known. The context must be current. FALSE if the driver
 * refuses. */
static gboolean
call_driver (Registration * registration, const HistoDevice * device)
{
  GError *error = NULL;

  /* Portable, because other elements may measure the memory in other contexts. */
  if (!HISTO_DEVICE_CHECK (device, cuMemHostRegister (registration->begin,
              registration->size, CU_MEMHOSTREGISTER_PORTABLE |
              CU_MEMHOSTREGISTER_DEVICEMAP), &error)) {
    GST_DEBUG_OBJECT (device->element, "%" G_GSIZE_FORMAT " bytes at %p are not "
        "page-locked: %s", registration->size, registration->begin,
        error->message);
    g_clear_error (&error);
    return FALSE;
  }
  registration->driver = device->driver;
  registration->context = gst_object_ref (device->context);
  GST_DEBUG_OBJECT (device->element, "page-locked %" G_GSIZE_FORMAT
      " bytes at %p", registration->size, registration->begin);
  return TRUE;
}

/* Page-locks a memory whose bytes are reserved. Returns the memory's new state. Only a refusal by
 * cuMemHostRegister is final: after any other failure the state is SEEN, and the next visit tries
 * again. @why_not: (out): set after a failure */
static State
lock_pages (Registration * registration, GstMemory * memory,
    const HistoDevice * device, const gchar ** why_not)
{
  gboolean ok;

  if (!find_address (registration, memory)) {
    *why_not = "the memory cannot be mapped now";
    return STATE_SEEN;
  }
  if (!histo_device_push (device, NULL)) {
    *why_not = "the CUDA context cannot be made current";
    return STATE_SEEN;
  }
  ok = call_driver (registration, device);
  histo_device_pop ();
  if (!ok)
    *why_not = REFUSED;
  return ok ? STATE_REGISTERED : STATE_REFUSED;
}

/* Page-locks a memory that its owner has seen again. Returns why not, or NULL. */
static const gchar *
try_to_register (Registration * registration, GstMemory * memory,
    const HistoDevice * device)
{
  const gchar *why_not = NULL;
  State state = STATE_SEEN;

  /* The state is BEING_REGISTERED: no other thread looks at the rest. */
  if (histo_page_locks_reserve (registration->owner, memory->maxsize)) {
    state = lock_pages (registration, memory, device, &why_not);
    if (state != STATE_REGISTERED)
      histo_page_locks_release (registration->owner, memory->maxsize);
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
    const HistoDevice * device)
{
  const gchar *why_not;
  gboolean must_register;

  if (!histo_page_locks_is_on (device->page_locks))
    return "page-lock-upstream is off";
  if (buffer->pool == NULL)
    return "the buffer comes from no pool";
  if (!gst_memory_is_type (memory, GST_ALLOCATOR_SYSMEM))
    return "the memory is of another kind than system memory";
  if (memory->maxsize / 2 > size)
    return "the frame is less than half of the memory";

  g_mutex_lock (&lock);
  must_register = see (memory, device->page_locks, &why_not);
  g_mutex_unlock (&lock);
  return must_register ?
      try_to_register (find_registration (memory), memory, device) : why_not;
}

gboolean
histo_is_registered (GstBuffer * buffer, guint64 begin, guint64 end,
    const HistoDevice * device, const gchar ** why_not)
{
  Registration *registration;
  GstMemory *memory;

  if (gst_buffer_n_memory (buffer) != 1) {
    *why_not = "the buffer is in several memories";
    return FALSE;
  }
  memory = whole_of (gst_buffer_peek_memory (buffer, 0));
  registration = find_registration (memory);
  if (registration == NULL
      || g_atomic_int_get (&registration->state) != STATE_REGISTERED) {
    *why_not = ensure_registered (memory, buffer, end - begin, device);
    if (*why_not != NULL)
      return FALSE;
    registration = find_registration (memory);
  }
  /* GStreamer maps a copy of a memory that another user has mapped for writing. */
  *why_not = "another user writes to the memory";
  return begin >= (guint64) (guintptr) registration->begin
      && end <= (guint64) (guintptr) registration->begin + registration->size;
}
