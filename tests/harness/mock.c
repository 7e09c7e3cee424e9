/* Finds the mock driver and reads its counters; see mock.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "mock.h"

#include <dlfcn.h>

static gpointer
find_mock (gpointer unused)
{
  void *library = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const MockCuda *(*get) (void) = NULL;

  if (library != NULL)
    *(void **) &get = dlsym (library, "mock_cuda");
  return get != NULL ? (gpointer) get () : NULL;
}

const MockCuda *
test_mock (void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once (&once, find_mock, NULL);
}

MockCudaLive
test_live (void)
{
  const MockCuda *mock = test_mock ();
  MockCudaLive live = { 0, };

  if (mock != NULL)
    mock->live (&live);
  return live;
}

glong
test_executions (void)
{
  const MockCuda *mock = test_mock ();

  return mock != NULL ? mock->executions () : 0;
}

void
test_check_live (const MockCudaLive * before, const gchar * label)
{
  const MockCudaLive now = test_live ();

  fail_unless (memcmp (before, &now, sizeof now) == 0, "%s: not released: %ld "
      "contexts, %ld device memory, %ld host memory, %ld registered memory, "
      "%ld streams, %ld events, %ld modules", label,
      now.contexts - before->contexts,
      now.device_memory - before->device_memory,
      now.host_memory - before->host_memory,
      now.registered_memory - before->registered_memory,
      now.streams - before->streams, now.events - before->events,
      now.modules - before->modules);
}

void
test_wait_live (const MockCudaLive * before, const gchar * label)
{
  MockCudaLive now = test_live ();

  for (guint i = 0; i < 30000 && memcmp (before, &now, sizeof now) != 0; i++) {
    g_usleep (1000);
    now = test_live ();
  }
  test_check_live (before, label);
}
