/* Upstream's own memory, page-locked where it lies.
 *
 * Ordinary memory must be copied by the host before the device can fetch it, and that takes
 * longer than all else. But upstream's memory mostly comes from a pool, and so comes again:
 * then page-locking it once, which takes half as long as copying it, is better. It is
 * unlocked when it is freed. What is in no pool, or does not come again, is never locked: it
 * may be an application's own, or be freed with its buffer.
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
  STATE_REGISTERED,
  STATE_REFUSED,
} State;

/* Kept with the memory, for all elements and contexts of the process. */
typedef struct
{
  State state;                  /* under the lock */
  gconstpointer first_user;     /* not followed */
  const HistoDriver *driver;
  GstCudaContext *context;      /* where it was registered */
  guint8 *begin;
} Registration;

static GMutex lock;
static G_DEFINE_QUARK (cudahisto-registration, registration);

/* The memory's own data is freed, or given back to its owner, after this. */
static void
free_registration (gpointer data)
{
  Registration *registration = data;

  if (registration->state == STATE_REGISTERED) {
    gboolean pushed = gst_cuda_context_push (registration->context);
    GError *error = NULL;

    if (!HISTO_DRIVER_CHECK (registration->driver, cuMemHostUnregister
            (registration->begin), &error))
      GST_WARNING ("memory stays page-locked: %s", error->message);
    g_clear_error (&error);
    if (pushed)
      gst_cuda_context_pop (NULL);
    gst_object_unref (registration->context);
  }
  g_free (registration);
}

/* Of a part of another memory, that one: it is what is freed. */
static GstMemory *
whole_of (GstMemory * memory)
{
  while (memory->parent != NULL)
    memory = memory->parent;
  return memory;
}

/* Under the lock. */
static Registration *
ensure_registration (GstMemory * memory, gconstpointer user,
    gboolean * is_new)
{
  Registration *registration =
      gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (memory),
      registration_quark ());

  *is_new = registration == NULL;
  if (registration == NULL) {
    registration = g_new0 (Registration, 1);
    registration->first_user = user;
    gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (memory),
        registration_quark (), registration, free_registration);
  }
  return registration;
}

/* What its state is then. */
static State
try_to_register (Registration * registration, GstMemory * memory,
    const HistoDriver * driver, GstCudaContext * context)
{
  GError *error = NULL;
  GstMapInfo map;
  gboolean ok;

  if (!gst_memory_map (memory, &map, GST_MAP_READ))
    return STATE_SEEN;
  registration->begin = map.data - memory->offset;
  gst_memory_unmap (memory, &map);
  if (!gst_cuda_context_push (context))
    return STATE_SEEN;
  /* Portable: other elements may measure it in other contexts. */
  ok = HISTO_DRIVER_CHECK (driver, cuMemHostRegister (registration->begin,
          memory->maxsize, CU_MEMHOSTREGISTER_PORTABLE |
          CU_MEMHOSTREGISTER_DEVICEMAP), &error);
  gst_cuda_context_pop (NULL);
  if (ok) {
    registration->driver = driver;
    registration->context = gst_object_ref (context);
  } else {
    GST_DEBUG ("memory of %" G_GSIZE_FORMAT " bytes stays pageable: %s",
        memory->maxsize, error->message);
    g_clear_error (&error);
  }
  return ok ? STATE_REGISTERED : STATE_REFUSED;
}

/* Whether all of the memory may be registered for the sake of this much of it: one frame must
 * not lock a file's worth. */
static gboolean
is_worth_it (GstMemory * memory, gsize size)
{
  return gst_memory_is_type (memory, GST_ALLOCATOR_SYSMEM)
      && memory->maxsize / 2 <= size;
}

/**
 * histo_is_registered:
 * @buffer: in host memory; kept by the caller while the device reads it
 * @begin: address of the first byte to be read, as @buffer is mapped
 * @end: of the one after the last
 * @user: who asks: the same buffer may pass several
 * @context: to register the memory in, if it is; kept as long as that lives
 *
 * Whether all these bytes are in a memory that the device can copy from. The first time that a
 * memory is seen it is not; when its first user sees it again, in a pool's buffer, it is
 * registered, unless it is of another kind than the system's, or the driver refuses.
 */
gboolean
histo_is_registered (GstBuffer * buffer, guint64 begin, guint64 end,
    const HistoDevice * user)
{
  Registration *registration;
  GstMemory *memory;
  gboolean is_new, is_mine;
  State state;

  if (gst_buffer_n_memory (buffer) != 1)
    return FALSE;
  memory = whole_of (gst_buffer_peek_memory (buffer, 0));
  if (!is_worth_it (memory, end - begin))
    return FALSE;

  g_mutex_lock (&lock);
  registration = ensure_registration (memory, user, &is_new);
  is_mine = !is_new && registration->state == STATE_SEEN
      && registration->first_user == user && buffer->pool != NULL;
  if (is_mine)
    registration->state = STATE_BEING_REGISTERED;
  state = registration->state;
  g_mutex_unlock (&lock);

  if (is_mine) {
    state = try_to_register (registration, memory, user->driver,
        user->context);
    g_mutex_lock (&lock);
    registration->state = state;
    g_mutex_unlock (&lock);
  }
  /* A memory that is being written to is mapped as a copy of it. */
  return state == STATE_REGISTERED
      && begin >= (guint64) (guintptr) registration->begin
      && end <= (guint64) (guintptr) registration->begin + memory->maxsize;
}
