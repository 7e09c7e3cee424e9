/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Self test of the fake libcuda.so.1: streams and memory behave as on a device, mistakes are caught, and the
 * unmodified libgstcuda works on it, with every call failing in turn. */
#ifndef GST_USE_UNSTABLE_API
#define GST_USE_UNSTABLE_API
#endif
#include <gst/gst.h>
#include <gst/video/video.h>
#include <gst/cuda/cuda-gst.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>

#include "mock-cuda.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif
#ifndef ADDRESS_SANITIZER
#define ADDRESS_SANITIZER 0
#endif

#if ADDRESS_SANITIZER
/* GLib keeps tables that nothing points to; what the mock hands out is counted by the mock. */
const char *__lsan_default_suppressions (void);

const char *
__lsan_default_suppressions (void)
{
  return "leak:g_malloc\n";
}
#endif

/* The calls used here, by the names and with the types that cuda.h gives them. */
#define DRIVER_CALLS(CALL) \
  CALL (cuInit) CALL (cuCtxGetCurrent) CALL (cuCtxPushCurrent) CALL (cuCtxPopCurrent) CALL (cuCtxDestroy) \
  CALL (cuDeviceGetAttribute) CALL (cuModuleLoadData) CALL (cuModuleUnload) CALL (cuModuleGetFunction) \
  CALL (cuFuncSetAttribute) CALL (cuOccupancyMaxActiveBlocksPerMultiprocessor) CALL (cuLaunchKernel) \
  CALL (cuLaunchKernelEx) \
  CALL (cuLaunchHostFunc) CALL (cuMemAlloc) CALL (cuMemFree) CALL (cuMemHostAlloc) CALL (cuMemFreeHost) \
  CALL (cuMemHostGetDevicePointer) CALL (cuMemHostRegister) CALL (cuMemHostUnregister) CALL (cuPointerGetAttribute) \
  CALL (cuMemcpyHtoDAsync) CALL (cuMemcpyDtoHAsync) CALL (cuMemcpyDtoH) CALL (cuMemsetD32Async) CALL (cuMemsetD8) \
  CALL (cuStreamCreate) CALL (cuStreamDestroy) CALL (cuStreamSynchronize) CALL (cuStreamQuery) \
  CALL (cuStreamWaitEvent) CALL (cuEventCreate) CALL (cuEventDestroy) CALL (cuEventRecord) CALL (cuEventQuery) \
  CALL (cuEventSynchronize) CALL (cuEventElapsedTime) CALL (cuGetErrorName)

/* Expands the macro that gives a call its version. */
#define QUOTE(name) #name
#define NAME_OF(name) QUOTE (name)

#define DECLARE(name) static __typeof__ (name) *call_##name;
/* call_cuMemAlloc would become call_cuMemAlloc: the parameter of ## is not expanded, which is what we want. */
DRIVER_CALLS (DECLARE)

static CUresult (*create_context) (CUcontext * context, unsigned flags, CUdevice device);
static const MockCuda *mock;
static guint problems;

#define EXPECT(condition) do { \
    if (!(condition)) { \
      problems++; \
      g_printerr ("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
    } \
  } while (0)

#define OK(call) EXPECT ((call) == CUDA_SUCCESS)

static gboolean
load (void)
{
  const MockCuda *(*get) (void);
  void *library = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    g_printerr ("%s\n", dlerror ());
    return FALSE;
  }
  *(void **) &get = dlsym (library, "mock_cuda");
  if (get == NULL) {
    g_printerr ("libcuda.so.1 is not the mock: is its directory first on LD_LIBRARY_PATH?\n");
    return FALSE;
  }
  mock = get ();
#define LOAD(name) *(void **) &call_##name = dlsym (library, NAME_OF (name)); EXPECT (call_##name != NULL);
  DRIVER_CALLS (LOAD)
  *(void **) &create_context = dlsym (library, "cuCtxCreate_v2");
  return problems == 0;
}

static gboolean
same_live (const MockCudaLive * before)
{
  MockCudaLive now;
  mock->live (&now);
  return memcmp (before, &now, sizeof now) == 0;
}

/* ---- Streams, events and memory --------------------------------------------------------------------------------- */

/* What most tests work with. */
typedef struct
{
  CUcontext context;
  CUstream stream, other_stream;
  CUevent event;
  CUmodule module;
  CUfunction add;
  CUdeviceptr words;            /* 1000 */
  unsigned *result;             /* 1000, page-locked */
} Bench;

/* The like of this in mock-selftest-kernels.cc. */
typedef struct
{
  CUdeviceptr words;
  unsigned count;
  unsigned summand;
} Add;

static void
bench_open (Bench * bench)
{
  mock->reset ();
  OK (call_cuInit (0));
  OK (create_context (&bench->context, 0, 1));
  OK (call_cuStreamCreate (&bench->stream, CU_STREAM_NON_BLOCKING));
  OK (call_cuStreamCreate (&bench->other_stream, CU_STREAM_DEFAULT));
  OK (call_cuEventCreate (&bench->event, CU_EVENT_DEFAULT));
  OK (call_cuModuleLoadData (&bench->module, "any image"));
  OK (call_cuModuleGetFunction (&bench->add, bench->module, "mock_selftest_add"));
  OK (call_cuMemAlloc (&bench->words, 4000));
  OK (call_cuMemHostAlloc ((void **) &bench->result, 4000, 0));
}

static void
bench_close (Bench * bench)
{
  call_cuStreamSynchronize (bench->stream);
  call_cuStreamSynchronize (bench->other_stream);
  OK (call_cuMemFreeHost (bench->result));
  OK (call_cuMemFree (bench->words));
  OK (call_cuModuleUnload (bench->module));
  OK (call_cuEventDestroy (bench->event));
  OK (call_cuStreamDestroy (bench->other_stream));
  OK (call_cuStreamDestroy (bench->stream));
  OK (call_cuCtxDestroy (bench->context));
}

static CUresult
launch_add (Bench * bench, CUstream stream, unsigned summand)
{
  Add add = { bench->words, 1000, summand };
  void *parameters[] = { &add };
  const CUresult result =
      call_cuLaunchKernel (bench->add, 8, 1, 1, 128, 1, 1, 0, stream, parameters, NULL);
  memset (&add, 0xee, sizeof add);      /* the driver has its copy */
  return result;
}

static void
test_nothing_happens_before_a_wait (void)
{
  Bench bench;
  bench_open (&bench);
  EXPECT (bench.result[999] == 0xa5a5a5a5);
  OK (call_cuMemsetD32Async (bench.words, 5, 1000, bench.stream));
  OK (launch_add (&bench, bench.stream, 2));
  OK (call_cuMemcpyDtoHAsync (bench.result, bench.words, 4000, bench.stream));
  OK (call_cuEventRecord (bench.event, bench.stream));
  OK (launch_add (&bench, bench.stream, 2));
  EXPECT (bench.result[0] == 0xa5a5a5a5 && mock->executions () == 0);

  OK (call_cuEventSynchronize (bench.event));
  EXPECT (bench.result[0] == 7 && bench.result[999] == 7 && mock->executions () == 3);
  EXPECT (call_cuStreamQuery (bench.stream) == CUDA_SUCCESS && mock->executions () == 4);
  bench_close (&bench);
}

static void
test_queries_make_progress (void)
{
  Bench bench;
  bench_open (&bench);
  EXPECT (call_cuEventQuery (bench.event) == CUDA_SUCCESS);     /* never recorded */
  OK (call_cuMemsetD32Async (bench.words, 5, 1000, bench.stream));
  OK (call_cuMemcpyDtoHAsync (bench.result, bench.words, 4000, bench.stream));
  OK (call_cuEventRecord (bench.event, bench.stream));
  EXPECT (call_cuEventQuery (bench.event) == CUDA_ERROR_NOT_READY && bench.result[0] == 0xa5a5a5a5);
  EXPECT (call_cuEventQuery (bench.event) == CUDA_ERROR_NOT_READY && bench.result[0] == 5);
  EXPECT (call_cuEventQuery (bench.event) == CUDA_SUCCESS);
  bench_close (&bench);
}

static void
test_streams_wait_for_events (void)
{
  Bench bench;
  CUevent end;
  float milliseconds = -1;
  bench_open (&bench);
  OK (call_cuEventCreate (&end, CU_EVENT_DEFAULT));
  OK (call_cuMemsetD32Async (bench.words, 5, 1000, bench.other_stream));
  OK (call_cuEventRecord (bench.event, bench.other_stream));
  OK (call_cuStreamWaitEvent (bench.stream, bench.event, 0));
  OK (launch_add (&bench, bench.stream, 1));
  OK (call_cuMemcpyDtoHAsync (bench.result, bench.words, 4000, bench.stream));
  OK (call_cuEventRecord (end, bench.stream));
  EXPECT (call_cuEventElapsedTime (&milliseconds, bench.event, end) == CUDA_ERROR_NOT_READY);
  while (call_cuStreamQuery (bench.stream) == CUDA_ERROR_NOT_READY);
  EXPECT (bench.result[3] == 6);
  OK (call_cuEventElapsedTime (&milliseconds, bench.event, end));
  EXPECT (milliseconds >= 0);
  OK (call_cuEventDestroy (end));
  bench_close (&bench);
}

/* A synchronous copy waits for the streams that block, and only for those. */
static void
test_synchronous_copies (void)
{
  Bench bench;
  unsigned word = 0;
  bench_open (&bench);
  OK (call_cuMemsetD32Async (bench.words, 5, 1000, bench.other_stream));
  OK (call_cuMemcpyDtoH (&word, bench.words, sizeof word));
  EXPECT (word == 5);
  OK (call_cuMemsetD32Async (bench.words, 6, 1000, bench.stream));
  OK (call_cuMemcpyDtoH (&word, bench.words, sizeof word));
  EXPECT (word == 5);
  bench_close (&bench);
}

static void CUDA_CB
note_call (void *data)
{
  ++*(unsigned *) data;
}

static void
test_host_memory (void)
{
  Bench bench;
  CUdeviceptr on_device = 0;
  unsigned kind = 0, pageable[4] = { 1, 2, 3, 4 }, called = 0;
  bench_open (&bench);
  OK (call_cuPointerGetAttribute (&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, bench.words + 8));
  EXPECT (kind == CU_MEMORYTYPE_DEVICE);
  OK (call_cuPointerGetAttribute (&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr) bench.result));
  EXPECT (kind == CU_MEMORYTYPE_HOST);
  EXPECT (call_cuPointerGetAttribute (&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr) pageable)
      == CUDA_ERROR_INVALID_VALUE);
  OK (call_cuMemHostRegister (pageable, sizeof pageable, 0));
  EXPECT (call_cuMemHostRegister (&pageable[1], 4, 0) == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  OK (call_cuMemHostGetDevicePointer (&on_device, pageable, 0));
  EXPECT (on_device == (CUdeviceptr) pageable);

  /* Page-locked memory is read when the copy's turn comes, pageable memory at once. */
  OK (call_cuMemcpyHtoDAsync (bench.words, pageable, sizeof pageable, bench.stream));
  OK (call_cuMemcpyHtoDAsync (bench.words + 16, &kind, sizeof kind, bench.stream));
  OK (call_cuLaunchHostFunc (bench.stream, note_call, &called));
  OK (call_cuMemcpyDtoHAsync (bench.result, bench.words, 20, bench.stream));
  pageable[0] = 10;
  kind = 99;
  EXPECT (called == 0);
  OK (call_cuStreamSynchronize (bench.stream));
  EXPECT (bench.result[0] == 10 && bench.result[4] == CU_MEMORYTYPE_HOST && called == 1);
  OK (call_cuMemHostUnregister (pageable));
  bench_close (&bench);
}

static void
test_limits (void)
{
  Bench bench;
  CUmodule module;
  CUfunction function;
  int value = 0;
  void *no_parameters[] = { &(Add) { 0, 0, 0 } };
  CUlaunchAttribute attribute = { .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION };
  CUlaunchConfig config = { .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1,
    .blockDimZ = 1, .sharedMemBytes = 232448, .attrs = &attribute, .numAttrs = 1 };
  bench_open (&bench);
  config.hStream = bench.stream;
  OK (call_cuDeviceGetAttribute (&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  EXPECT (value == 4);
  mock->set_attribute (CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132);
  OK (call_cuDeviceGetAttribute (&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  EXPECT (value == 132);

  EXPECT (call_cuLaunchKernel (bench.add, 1, 1, 1, 32, 1, 1, 48 * 1024 + 1, bench.stream, no_parameters, NULL)
      == CUDA_ERROR_INVALID_VALUE);
  OK (call_cuFuncSetAttribute (bench.add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448));
  OK (call_cuLaunchKernel (bench.add, 1, 1, 1, 32, 1, 1, 232448, bench.stream, no_parameters, NULL));
  EXPECT (call_cuFuncSetAttribute (bench.add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232449)
      == CUDA_ERROR_INVALID_VALUE);
  EXPECT (call_cuLaunchKernel (bench.add, 1, 1, 1, 1025, 1, 1, 0, bench.stream, no_parameters, NULL)
      == CUDA_ERROR_INVALID_VALUE);
  config.numAttrs = 0;
  OK (call_cuLaunchKernelEx (&config, bench.add, no_parameters, NULL));
  config.numAttrs = 1;
  config.blockDimX = 1025;
  EXPECT (call_cuLaunchKernelEx (&config, bench.add, no_parameters, NULL) == CUDA_ERROR_INVALID_VALUE);
  config.blockDimX = 32;
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  EXPECT (call_cuLaunchKernelEx (&config, bench.add, no_parameters, NULL) == CUDA_ERROR_NOT_SUPPORTED);
  OK (call_cuOccupancyMaxActiveBlocksPerMultiprocessor (&value, bench.add, 256, 32768));
  EXPECT (value == 6);
  OK (call_cuOccupancyMaxActiveBlocksPerMultiprocessor (&value, bench.add, 1024, 0));
  EXPECT (value == 2);

  EXPECT (call_cuModuleGetFunction (&function, bench.module, "no_such_kernel") == CUDA_ERROR_NOT_FOUND);
  mock->refuse_modules (TRUE);
  EXPECT (call_cuModuleLoadData (&module, "any image") == CUDA_ERROR_NO_BINARY_FOR_GPU);
  mock->refuse_device (TRUE);
  EXPECT (call_cuInit (0) == CUDA_ERROR_NO_DEVICE);
  bench_close (&bench);
}

static void
test_failed_execution (void)
{
  Bench bench;
  const char *name = NULL;
  bench_open (&bench);
  OK (call_cuMemsetD32Async (bench.words, 5, 1000, bench.stream));
  OK (launch_add (&bench, bench.stream, 2));
  OK (call_cuMemcpyDtoHAsync (bench.result, bench.words, 4000, bench.stream));
  mock->fail_execution (2);
  EXPECT (call_cuStreamSynchronize (bench.stream) == CUDA_ERROR_LAUNCH_FAILED);
  EXPECT (bench.result[0] == 0xa5a5a5a5);
  EXPECT (call_cuStreamQuery (bench.stream) == CUDA_ERROR_LAUNCH_FAILED);
  EXPECT (launch_add (&bench, bench.stream, 2) == CUDA_ERROR_LAUNCH_FAILED);
  OK (call_cuGetErrorName (CUDA_ERROR_LAUNCH_FAILED, &name));
  EXPECT (strcmp (name, "CUDA_ERROR_LAUNCH_FAILED") == 0);
  bench_close (&bench);
}

static void
test_failed_wait_drops_the_work (void)
{
  Bench bench;
  bench_open (&bench);
  OK (call_cuMemsetD32Async (bench.words, 5, 1000, bench.stream));
  OK (call_cuMemcpyDtoHAsync (bench.result, bench.words, 4000, bench.stream));
  mock->fail_call (mock->calls () + 1, MOCK_CUDA_FAIL_ONCE);
  EXPECT (call_cuStreamSynchronize (bench.stream) == CUDA_ERROR_LAUNCH_FAILED);
  EXPECT (g_strcmp0 (mock->failed_call (), "cuStreamSynchronize") == 0);
  OK (call_cuStreamSynchronize (bench.stream));
  EXPECT (bench.result[0] == 0xa5a5a5a5);
  bench_close (&bench);
}

static gpointer
work_in_a_thread (gpointer user_data)
{
  const unsigned summand = GPOINTER_TO_UINT (user_data);
  unsigned i;
  Bench bench;
  OK (create_context (&bench.context, 0, 0));
  OK (call_cuStreamCreate (&bench.stream, CU_STREAM_NON_BLOCKING));
  OK (call_cuModuleLoadData (&bench.module, "any image"));
  OK (call_cuModuleGetFunction (&bench.add, bench.module, "mock_selftest_add"));
  OK (call_cuMemAlloc (&bench.words, 4000));
  OK (call_cuMemHostAlloc ((void **) &bench.result, 4000, 0));
  OK (call_cuMemsetD32Async (bench.words, 0, 1000, bench.stream));
  for (i = 0; i < 20; i++)
    OK (launch_add (&bench, bench.stream, summand));
  OK (call_cuMemcpyDtoHAsync (bench.result, bench.words, 4000, bench.stream));
  OK (call_cuStreamSynchronize (bench.stream));
  EXPECT (bench.result[999] == 20 * summand);
  OK (call_cuMemFreeHost (bench.result));
  OK (call_cuMemFree (bench.words));
  OK (call_cuModuleUnload (bench.module));
  OK (call_cuStreamDestroy (bench.stream));
  OK (call_cuCtxDestroy (bench.context));
  return NULL;
}

static void
test_threads (void)
{
  GThread *threads[4];
  guint i;
  mock->reset ();
  OK (call_cuInit (0));
  for (i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("mock", work_in_a_thread, GUINT_TO_POINTER (i + 1));
  for (i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

/* ---- Mistakes that must be caught ------------------------------------------------------------------------------- */

/* Run `mistake` in a child; it must die saying `words`. */
static void
expect_death (const char *words, void (*mistake) (Bench * bench))
{
  int ends[2], status = 0;
  char said[8192];
  size_t length = 0;
  ssize_t n;
  pid_t child;
  if (pipe (ends) != 0)
    g_error ("no pipe");
  child = fork ();
  if (child == 0) {
    Bench bench;
    dup2 (ends[1], STDERR_FILENO);
    bench_open (&bench);
    mistake (&bench);
    _exit (0);
  }
  close (ends[1]);
  while (length < sizeof said - 1 && (n = read (ends[0], said + length, sizeof said - 1 - length)) > 0)
    length += (size_t) n;
  said[length] = '\0';
  close (ends[0]);
  waitpid (child, &status, 0);
  if ((WIFEXITED (status) && WEXITSTATUS (status) == 0) || strstr (said, words) == NULL) {
    problems++;
    g_printerr ("expected to die saying \"%s\"; status 0x%x, said: %s\n", words, status, said);
  }
}

static void mistake_null_stream_launch (Bench * b) { launch_add (b, NULL, 1); }
static void mistake_null_stream_copy (Bench * b) { call_cuMemcpyDtoHAsync (b->result, b->words, 4, NULL); }
static void mistake_null_stream_event (Bench * b) { call_cuEventRecord (b->event, NULL); }
static void mistake_copy_beyond (Bench * b) { call_cuMemcpyDtoHAsync (b->result, b->words + 4, 4000, b->stream); }
static void mistake_swapped_copy (Bench * b) { call_cuMemcpyDtoH ((void *) b->words, (CUdeviceptr) b->result, 4); }
static void mistake_pageable_source (Bench * b) { unsigned w = 0; call_cuMemcpyDtoH (b->result, (CUdeviceptr) &w, 4); }
static void mistake_free_twice (Bench * b) { call_cuMemFree (b->words); call_cuMemFree (b->words); }
static void mistake_free_as_host (Bench * b) { call_cuMemFreeHost ((void *) b->words); }
static void mistake_free_pending (Bench * b) { launch_add (b, b->stream, 1); call_cuMemFree (b->words); }
static void mistake_unload_pending (Bench * b) { launch_add (b, b->stream, 1); call_cuModuleUnload (b->module); }
static void mistake_destroy_busy_stream (Bench * b) { launch_add (b, b->stream, 1); call_cuStreamDestroy (b->stream); }
static void mistake_new_event (Bench * b) { call_cuEventRecord (b->event, b->stream); call_cuEventDestroy (b->event); }
static void mistake_destroyed_stream (Bench * b) { call_cuStreamDestroy (b->stream); call_cuStreamQuery (b->stream); }
static void mistake_no_stream (Bench * b) { call_cuStreamQuery ((CUstream) b->event); }
static void mistake_no_context (Bench * b) { call_cuCtxPopCurrent (NULL); launch_add (b, b->stream, 1); }
static void mistake_host_reads_device (Bench * b) { g_printerr ("%u\n", *(volatile unsigned *) b->words); }

static void
mistake_other_context (Bench * b)
{
  CUcontext other;
  create_context (&other, 0, 0);
  call_cuStreamSynchronize (b->stream);
}

static void
mistake_memory_of_other_context (Bench * b)
{
  CUcontext other;
  create_context (&other, 0, 0);
  call_cuMemsetD8 (b->words, 0, 1);
}

static void
mistake_pageable_parameter (Bench * b)
{
  CUfunction function;
  unsigned char plane[4] = { 0 };
  CUdeviceptr source = (CUdeviceptr) plane;
  long long stride = 2;
  int width = 2, height = 2;
  void *parameters[] = { &source, &stride, &width, &height, &b->words };
  call_cuModuleGetFunction (&function, b->module, "mock_selftest_histogram");
  call_cuLaunchKernel (function, 1, 1, 1, 32, 1, 1, 1024, b->stream, parameters, NULL);
}

/* The kernel writes one word too many; without AddressSanitizer this shows when the memory is freed. */
static void
mistake_kernel_writes_beyond (Bench * b)
{
  Add add = { b->words, 1001, 1 };
  void *parameters[] = { &add };
  call_cuLaunchKernel (b->add, 8, 1, 1, 128, 1, 1, 0, b->stream, parameters, NULL);
  call_cuStreamSynchronize (b->stream);
  call_cuMemFree (b->words);
}

static void
test_mistakes (void)
{
  expect_death ("a kernel on the NULL stream", mistake_null_stream_launch);
  expect_death ("cuMemcpyDtoHAsync_v2: on the NULL stream", mistake_null_stream_copy);
  expect_death ("cuEventRecord: on the NULL stream", mistake_null_stream_event);
  expect_death ("4000 bytes at offset 4 in an allocation of 4000 bytes", mistake_copy_beyond);
  expect_death ("said to be the host's, but is device memory", mistake_swapped_copy);
  expect_death ("is in no allocation", mistake_pageable_source);
  expect_death ("freed already", mistake_free_twice);
  expect_death ("another kind of memory", mistake_free_as_host);
  expect_death ("1 pending operations name the memory", mistake_free_pending);
  expect_death ("1 launches from the module are pending", mistake_unload_pending);
  expect_death (", the first is mock_selftest_add", mistake_destroy_busy_stream);
  expect_death ("is not reached yet", mistake_new_event);
  expect_death ("was destroyed already", mistake_destroyed_stream);
  expect_death ("is no stream", mistake_no_stream);
  expect_death ("no context is current", mistake_no_context);
  expect_death ("the stream belongs to context", mistake_other_context);
  expect_death ("the destination belongs to context", mistake_memory_of_other_context);
  expect_death ("parameter 0", mistake_pageable_parameter);
  if (ADDRESS_SANITIZER) {
    expect_death ("AddressSanitizer", mistake_kernel_writes_beyond);
    expect_death ("AddressSanitizer", mistake_host_reads_device);
  } else {
    expect_death ("beyond an allocation of 4000 bytes was overwritten", mistake_kernel_writes_beyond);
  }
}

/* ---- libgstcuda on the mock ------------------------------------------------------------------------------------- */

typedef enum { RIGHT, FAILED, WRONG } Outcome;

#define WIDTH 334
#define HEIGHT 78

static guint8
sample (guint x, guint y)
{
  return (guint8) (x * x + y);
}

static gboolean
is_histogram (const guint * bins)
{
  guint expected[256] = { 0 }, x, y;
  for (y = 0; y < HEIGHT; y++)
    for (x = 0; x < WIDTH; x++)
      expected[sample (x, y)]++;
  return memcmp (expected, bins, sizeof expected) == 0;
}

/* Measure a plane in device memory under the current context, as an element would: with its own stream, its result in
 * page-locked memory. */
static Outcome
measure (CUdeviceptr plane, long long stride)
{
  CUstream stream = NULL;
  CUevent event = NULL;
  CUmodule module = NULL;
  CUfunction function = NULL;
  guint *bins = NULL;
  CUdeviceptr bins_on_device = 0;
  int width = WIDTH, height = HEIGHT;
  void *parameters[] = { &plane, &stride, &width, &height, &bins_on_device };
  Outcome outcome = FAILED;

  if (call_cuStreamCreate (&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS
      && call_cuEventCreate (&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS
      && call_cuModuleLoadData (&module, "any image") == CUDA_SUCCESS
      && call_cuModuleGetFunction (&function, module, "mock_selftest_histogram") == CUDA_SUCCESS
      && call_cuMemHostAlloc ((void **) &bins, 1024, CU_MEMHOSTALLOC_DEVICEMAP) == CUDA_SUCCESS
      && call_cuMemHostGetDevicePointer (&bins_on_device, bins, 0) == CUDA_SUCCESS
      && call_cuMemsetD32Async (bins_on_device, 0, 256, stream) == CUDA_SUCCESS
      && call_cuLaunchKernel (function, 4, 1, 1, 128, 1, 1, 1024, stream, parameters, NULL) == CUDA_SUCCESS
      && call_cuEventRecord (event, stream) == CUDA_SUCCESS
      && call_cuEventSynchronize (event) == CUDA_SUCCESS)
    outcome = is_histogram (bins) ? RIGHT : WRONG;

  /* Whatever happened, nothing may be pending when its memory goes. */
  if (stream != NULL)
    call_cuStreamSynchronize (stream);
  if (bins != NULL)
    call_cuMemFreeHost (bins);
  if (module != NULL)
    call_cuModuleUnload (module);
  if (event != NULL)
    call_cuEventDestroy (event);
  if (stream != NULL)
    call_cuStreamDestroy (stream);
  return outcome;
}

static GstBuffer *
new_cuda_buffer (GstCudaContext * context, const GstVideoInfo * info)
{
  GstAllocator *allocator = gst_allocator_find (GST_CUDA_MEMORY_TYPE_NAME);
#if GST_CHECK_VERSION (1, 24, 0)
  GstMemory *memory = gst_cuda_allocator_alloc (GST_CUDA_ALLOCATOR_CAST (allocator), context, NULL, info);
#else
  GstMemory *memory = gst_cuda_allocator_alloc (GST_CUDA_ALLOCATOR_CAST (allocator), context, info);
#endif
  const GstVideoInfo *device_info;
  GstBuffer *buffer;
  gst_object_unref (allocator);
  if (memory == NULL)
    return NULL;
  buffer = gst_buffer_new ();
  gst_buffer_append_memory (buffer, memory);
  device_info = &GST_CUDA_MEMORY_CAST (memory)->info;
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT (info), WIDTH, HEIGHT,
      GST_VIDEO_INFO_N_PLANES (info), (gsize *) device_info->offset, (gint *) device_info->stride);
  return buffer;
}

/* Write a frame from the host, which libgstcuda uploads when it is mapped for the device, and measure it there. */
static Outcome
measure_buffer (GstCudaContext * context, GstBuffer * buffer, GstVideoInfo * info)
{
  GstVideoFrame frame;
  Outcome outcome = FAILED;
  guint x, y;
  if (!gst_video_frame_map (&frame, info, buffer, GST_MAP_WRITE))
    return FAILED;
  for (y = 0; y < HEIGHT; y++)
    for (x = 0; x < WIDTH; x++)
      GST_VIDEO_FRAME_COMP_DATA (&frame, 0)[y * (guint) GST_VIDEO_FRAME_COMP_STRIDE (&frame, 0) + x] = sample (x, y);
  gst_video_frame_unmap (&frame);

  if (!gst_video_frame_map (&frame, info, buffer, (GstMapFlags) (GST_MAP_READ | GST_MAP_CUDA)))
    return FAILED;
  if (gst_cuda_context_push (context)) {
    outcome = measure ((CUdeviceptr) GST_VIDEO_FRAME_PLANE_DATA (&frame, 0), GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0));
    gst_cuda_context_pop (NULL);
  }
  gst_video_frame_unmap (&frame);
  return outcome;
}

static Outcome
use_libgstcuda (void)
{
  GstCudaContext *context = gst_cuda_context_new (1);
  GstBuffer *buffer;
  GstVideoInfo info;
  Outcome outcome = FAILED;
  if (context == NULL)
    return FAILED;
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, WIDTH, HEIGHT);
  buffer = new_cuda_buffer (context, &info);
  if (buffer != NULL) {
    outcome = measure_buffer (context, buffer, &info);
    gst_buffer_unref (buffer);
  }
  gst_object_unref (context);
  return outcome;
}

static void
check_failure (const char *how, long number, const MockCudaLive * before)
{
  Outcome outcome = use_libgstcuda ();
#if GST_CHECK_VERSION (1, 24, 0)
  /* libgstcuda does not look at how its wait for an upload ended. */
  if (outcome == WRONG && g_strcmp0 (mock->failed_call (), "cuStreamSynchronize") == 0)
    outcome = FAILED;
#endif
  /* A failure that nobody noticed must not have done harm. */
  if (outcome == WRONG || !same_live (before)) {
    problems++;
    g_printerr ("%s %ld (%s): %s%s\n", how, number, mock->failed_call ()? mock->failed_call () : "none",
        outcome == WRONG ? "a wrong histogram" : "", same_live (before) ? "" : " a leak");
  }
}

static void
test_libgstcuda (void)
{
  MockCudaLive before;
  long calls, executions, i;
  mock->reset ();
  mock->live (&before);
  EXPECT (use_libgstcuda () == RIGHT && same_live (&before));
  mock->reset ();
  EXPECT (use_libgstcuda () == RIGHT && same_live (&before));
  calls = mock->calls ();
  executions = mock->executions ();
  EXPECT (mock->calls_to ("cuCtxPushCurrent_v2") > 0 && mock->calls_to ("cuCtxPushCurrent_v2") < calls);
  EXPECT (mock->calls_to ("cuLaunchHostFunc") == 0);

  for (i = 1; i <= calls; i++) {
    static const MockCudaFailure how[] = { MOCK_CUDA_FAIL_ONCE, MOCK_CUDA_FAIL_FOREVER, MOCK_CUDA_FAIL_STICKY };
    guint k;
    for (k = 0; k < G_N_ELEMENTS (how); k++) {
      mock->reset ();
      mock->fail_call (i, how[k]);
      check_failure (k == 0 ? "call once" : k == 1 ? "call for good" : "call, sticky", i, &before);
    }
  }
  for (i = 1; i <= executions; i++) {
    mock->reset ();
    mock->fail_execution (i);
    check_failure ("execution", i, &before);
  }
  mock->reset ();
  EXPECT (use_libgstcuda () == RIGHT && same_live (&before));
  g_print ("libgstcuda: %ld calls and %ld executions failed in turn\n", calls, executions);
}

int
main (int argc, char **argv)
{
  MockCudaLive nothing = { 0 };
  if (!load ())
    return 1;
  test_nothing_happens_before_a_wait ();
  test_queries_make_progress ();
  test_streams_wait_for_events ();
  test_synchronous_copies ();
  test_host_memory ();
  test_limits ();
  test_failed_execution ();
  test_failed_wait_drops_the_work ();
  test_threads ();
  test_mistakes ();
  EXPECT (same_live (&nothing));

  mock->reset ();
  gst_init (&argc, &argv);
  EXPECT (gst_cuda_load_library ());
  gst_cuda_memory_init_once ();
  test_libgstcuda ();

  g_print ("%u problems\n", problems);
  return problems != 0;
}
