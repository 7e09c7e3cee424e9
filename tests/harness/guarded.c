/* Buffers next to pages that cannot be accessed; see guarded.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "guarded.h"

#include <sys/mman.h>
#include <unistd.h>

#include "frames.h"

typedef struct
{
  gpointer pages;
  gsize size;
} Mapping;

static void
free_mapping (gpointer data)
{
  Mapping *mapping = data;

  munmap (mapping->pages, mapping->size);
  g_free (mapping);
}

GstBuffer *
test_guarded_buffer_new (gsize size, Guard guard)
{
  const gsize page = sysconf (_SC_PAGESIZE);
  const gsize inner = (size + page - 1) / page * page;
  Mapping *mapping = g_new (Mapping, 1);
  guint8 *pages;
  gsize offset = guard == GUARD_AFTER ? inner - size : 0;

  mapping->size = inner + 2 * page;
  mapping->pages = pages = mmap (NULL, mapping->size, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  fail_unless (pages != MAP_FAILED);
  fail_unless (mprotect (pages, page, PROT_NONE) == 0);
  fail_unless (mprotect (pages + page + inner, page, PROT_NONE) == 0);
  return gst_buffer_new_wrapped_full (0, pages + page + offset, size, 0, size,
      mapping, free_mapping);
}

GstBuffer *
test_guarded_random_new (gsize size, Guard guard, GRand * random)
{
  GstBuffer *buffer = test_guarded_buffer_new (size, guard);

  test_fill_buffer (buffer, random);
  return buffer;
}
