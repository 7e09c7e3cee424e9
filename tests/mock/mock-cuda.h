/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a test steers the fake libcuda.so.1: which call fails, what the device is, what is still alive.
 *
 *   void *libcuda = dlopen ("libcuda.so.1", RTLD_NOW);
 *   const MockCuda *(*get) (void) = (const MockCuda * (*)(void)) dlsym (libcuda, "mock_cuda");
 *   const MockCuda *mock = get ();
 *
 * A program that knows nothing of the mock is steered by environment variables, read when the library is loaded:
 *
 *   MOCK_CUDA_FAIL_AT=N            the N-th call that can fail does (the first is 1)
 *   MOCK_CUDA_FAIL_FOREVER=1       and all calls after it that can fail, too
 *   MOCK_CUDA_FAIL_STICKY=1        and its context is dead from then on
 *   MOCK_CUDA_FAIL_EXECUTION=N     the N-th copy, fill, kernel or host function fails when its turn comes; its
 *                                context is dead then
 *   MOCK_CUDA_NO_DEVICE=1          cuInit answers CUDA_ERROR_NO_DEVICE
 *   MOCK_CUDA_REFUSE_MODULES=1     cuModuleLoadData answers CUDA_ERROR_NO_BINARY_FOR_GPU
 *   MOCK_CUDA_ALLOW_NULL_STREAM=W  never, copies (the default), always: see MockCudaNullStream
 *   MOCK_CUDA_ATTRIBUTE_N=V        device attribute number N (CUdevice_attribute in cuda.h) is V
 *   MOCK_CUDA_SEED=N               the order of threads and blocks (simt_seed in simt.h)
 *   MOCK_CUDA_REPORT=1             one line on stderr at exit: calls, the failed one, what is still alive
 *
 * A mistake of the program under test (memory used under another context, freed while work that names it is pending, a
 * copy beyond an allocation, work on the NULL stream, ...) ends it with abort () and one line on stderr.
 *
 * Work on a stream is done only when somebody waits for it: cuStreamSynchronize, cuEventSynchronize, a synchronous
 * copy, cuMemFree; or one operation at a time by cuStreamQuery and cuEventQuery. A program that polls memory without
 * calling any of these waits forever.
 */
#ifndef MOCK_CUDA_H
#define MOCK_CUDA_H

#ifdef __cplusplus
extern "C" {
#endif

/* Calls that release something (cuMemFree, cuStreamDestroy, cuCtxPopCurrent, ...) never fail; all others can. */
typedef enum
{
  MOCK_CUDA_FAIL_ONCE,
  MOCK_CUDA_FAIL_FOREVER,       /* and so does every later call that can fail */
  MOCK_CUDA_FAIL_STICKY         /* and the current context is dead: all later calls in it fail */
} MockCudaFailure;

/* A kernel on the NULL stream is always a mistake. So is anything else there, except, because libgstcuda does so: */
typedef enum
{
  MOCK_CUDA_NULL_STREAM_NEVER,  /* nothing at all */
  MOCK_CUDA_NULL_STREAM_COPIES, /* cuMemcpy2DAsync, and to synchronize with the stream or to query it */
  MOCK_CUDA_NULL_STREAM_ALWAYS  /* everything */
} MockCudaNullStream;

/* Objects that were made and not released. Destroying a context releases nothing that was made in it. */
typedef struct
{
  long contexts;
  long device_memory;
  long host_memory;             /* allocated page-locked */
  long registered_memory;       /* page-locked by cuMemHostRegister */
  long streams;
  long events;
  long modules;
} MockCudaLive;

typedef struct
{
  /* Back to a healthy device, with the environment's settings but no failure, and count from 0 again. Live objects
   * stay. */
  void (*reset) (void);

  /* Let call number `number` fail, counted from 1 at the last reset; 0: none. A wait (synchronize, query) that fails
   * does so because the work failed: the work that was queued on that stream is dropped. */
  void (*fail_call) (long number, MockCudaFailure how);

  /* Let the copy, fill, kernel or host function number `number` fail when its turn comes; 0: none. Its context is
   * dead afterwards: the
   * work queued in it is dropped, and all later calls answer CUDA_ERROR_LAUNCH_FAILED; those that release something
   * release it even so. */
  void (*fail_execution) (long number);

  void (*refuse_device) (int refuse);
  void (*refuse_modules) (int refuse);
  void (*allow_null_stream) (MockCudaNullStream use);
  void (*set_attribute) (int attribute, int value);     /* attribute: a CUdevice_attribute */
  void (*set_seed) (unsigned seed);

  long (*calls) (void);         /* calls that could have failed */
  long (*executions) (void);    /* copies, fills, kernels and host functions that had their turn */
  const char *(*failed_call) (void);    /* the last call that was made to fail, NULL if none was */
  void (*live) (MockCudaLive * live);
  long (*calls_to) (const char *name);  /* of calls(), those to this one, by its exported name */

  long (*streams_of) (int priority);    /* that are alive; priority: 0, the lowest, to -5 */

  /* cuModuleLoadData in contexts of this device waits until another device is named here; -1: none does. */
  void (*hold_modules) (int device);

  /* Destroys a context with its modules, and makes a new one on the same device, which gets the same handle. */
  void (*replace_context) (void *context);       /* a CUcontext */
} MockCuda;

/* The one symbol that the library exports beside CUDA's own. */
const MockCuda *mock_cuda (void);

#ifdef __cplusplus
}
#endif
#endif
