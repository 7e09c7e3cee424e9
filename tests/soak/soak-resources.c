/* What the process and the device have in use; see soak-resources.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "soak-resources.h"

#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#define MIB 1048576.0

/* What remains of threads and pools that end by themselves. */
#define MORE_DESCRIPTORS 2
#define MORE_THREADS 4
/* The allocator's arenas are not empty after a random sequence. */
#define MORE_MEMORY(memory) (0.1 * (memory) + 16)
#define MORE_DEVICE_MEMORY 2.0

static guint
count_entries (const gchar * folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  g_clear_pointer (&dir, g_dir_close);
  return n;
}

static gdouble
resident_memory (void)
{
  guint64 pages = 0;
  gchar *text = NULL;

  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL)) {
    gchar **words = g_strsplit (text, " ", 3);

    pages = g_ascii_strtoull (words[1], NULL, 10);
    g_strfreev (words);
  }
  g_free (text);
  return pages * (gdouble) sysconf (_SC_PAGESIZE) / MIB;
}

/* The driver is asked in the device's primary context, which stays. */
static gdouble
device_memory (void)
{
  static void *context = NULL;
  void *libcuda = dlopen ("libcuda.so.1", RTLD_NOW);
  int (*init) (unsigned);
  int (*retain) (void **, int);
  int (*push) (void *);
  int (*pop) (void **);
  int (*get_info) (gsize *, gsize *);
  gsize n_free = 0, n_total = 0;
  void *popped;

  if (libcuda == NULL)
    return -1;
  *(void **) &init = dlsym (libcuda, "cuInit");
  *(void **) &retain = dlsym (libcuda, "cuDevicePrimaryCtxRetain");
  *(void **) &push = dlsym (libcuda, "cuCtxPushCurrent_v2");
  *(void **) &pop = dlsym (libcuda, "cuCtxPopCurrent_v2");
  *(void **) &get_info = dlsym (libcuda, "cuMemGetInfo_v2");
  if (init == NULL || retain == NULL || push == NULL || pop == NULL
      || get_info == NULL || init (0) != 0
      || (context == NULL && retain (&context, 0) != 0)
      || push (context) != 0)
    return -1;
  if (get_info (&n_free, &n_total) != 0)
    n_total = 0;
  pop (&popped);
  return n_total == 0 ? -1 : (n_total - n_free) / MIB;
}

void
soak_resources_init (void)
{
  mallopt (M_ARENA_MAX, 2);
  mallopt (M_MMAP_THRESHOLD, 1 << 18);
}

void
soak_resources_read (SoakResources * resources)
{
  g_thread_pool_set_max_unused_threads (0);
  g_thread_pool_stop_unused_threads ();
  /* An idle thread of a pool ends after half a second. */
  g_usleep (1500000);
  malloc_trim (0);
  resources->device_memory = device_memory ();
  resources->memory = resident_memory ();
  resources->n_descriptors = count_entries ("/proc/self/fd");
  resources->n_threads = count_entries ("/proc/self/task");
}

static void
print_row (const gchar * name, const SoakResources * resources)
{
  g_print ("%-8s %12.1f %12u %9u ", name, resources->memory,
      resources->n_descriptors, resources->n_threads);
  if (resources->device_memory < 0)
    g_print ("%15s\n", "-");
  else
    g_print ("%15.1f\n", resources->device_memory);
}

void
soak_resources_print (const SoakResources * begin, const SoakResources * warm,
    const SoakResources * end)
{
  g_print ("%-8s %12s %12s %9s %15s\n", "", "memory, MiB", "descriptors",
      "threads", "on device, MiB");
  print_row ("begin", begin);
  print_row ("quarter", warm);
  print_row ("end", end);
}

gboolean
soak_resources_have_grown (const SoakResources * warm,
    const SoakResources * end)
{
  return end->memory > warm->memory + MORE_MEMORY (warm->memory)
      || end->n_descriptors > warm->n_descriptors + MORE_DESCRIPTORS
      || end->n_threads > warm->n_threads + MORE_THREADS
      || end->device_memory > warm->device_memory + MORE_DEVICE_MEMORY;
}
