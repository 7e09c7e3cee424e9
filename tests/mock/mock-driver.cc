// SPDX-License-Identifier: LGPL-2.1-or-later
// The mock's engine: how calls begin and fail, and how queued operations get their turn; and the control interface.
#include "mock-driver.h"

#include "simt.h"

#include <chrono>
#include <cstdarg>
#include <set>
#include <unistd.h>

namespace mock {

Driver driver;
thread_local std::vector<CUcontext> context_stack;
thread_local CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

// The reset count at which cuCtxPushCurrent was last made to fail in this thread, plus 1. A caller that goes on
// regardless, as libgstcuda does when it frees memory, has a wrong context by no fault that a test should see.
static thread_local unsigned push_failed;

void
fail (const char *call, const char *format, ...)
{
  char message[512];
  va_list arguments;
  va_start (arguments, format);
  vsnprintf (message, sizeof message, format, arguments);
  va_end (arguments);
  fprintf (stderr, "mock-cuda: %s: %s\n", call, message);
  fflush (stderr);
  abort ();
}

// ---- Kernels -------------------------------------------------------------------------------------------------------

static std::map<std::string, Kernel> &
kernels ()
{
  static std::map<std::string, Kernel> by_name; // not a global: others register while globals are being made
  return by_name;
}

bool
register_kernel (Kernel kernel)
{
  return kernels ().emplace (kernel.name, kernel).second;
}

const Kernel *
find_kernel (const char *name)
{
  const auto found = kernels ().find (name);
  return found == kernels ().end () ? nullptr : &found->second;
}

// ---- Settings ------------------------------------------------------------------------------------------------------

// An H200, but with few multiprocessors, so that grids made to measure stay small.
static const std::map<int, int> h200 = {
  { CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024 },
  { CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024 },
  { CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024 },
  { CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64 },
  { CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 0x7fffffff },
  { CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535 },
  { CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535 },
  { CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152 },
  { CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448 },
  { CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472 },
  { CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024 },
  { CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536 },
  { CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32 },
  { CU_DEVICE_ATTRIBUTE_MAX_PITCH, 0x7fffffff },
  { CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536 },
  { CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536 },
  { CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000 },
  { CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512 },
  { CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32 },
  { CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 4 },
  { CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048 },
  { CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32 },
  { CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1 },
  { CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1 },
  { CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1 },
  { CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1 },
  { CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3 },
  { CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1 },
  { CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1 },
  { CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 62914560 },
  { CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9 },
  { CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0 },
};

static long
environment_number (const char *variable)
{
  const char *value = getenv (variable);
  return value ? atol (value) : 0;
}

static void
read_environment ()
{
  driver.attributes = h200;
  for (char **variable = environ; *variable != nullptr; variable++) {
    int attribute, value;
    if (sscanf (*variable, "MOCK_CUDA_ATTRIBUTE_%d=%d", &attribute, &value) == 2)
      driver.attributes[attribute] = value;
  }
  const char *use = getenv ("MOCK_CUDA_ALLOW_NULL_STREAM");
  driver.null_stream_use = use == nullptr || strcmp (use, "copies") == 0 ? MOCK_CUDA_NULL_STREAM_COPIES
      : strcmp (use, "never") == 0 ? MOCK_CUDA_NULL_STREAM_NEVER : MOCK_CUDA_NULL_STREAM_ALWAYS;
  driver.refuse_device = environment_number ("MOCK_CUDA_NO_DEVICE") != 0;
  driver.refuse_modules = environment_number ("MOCK_CUDA_REFUSE_MODULES") != 0;
  simt_seed = static_cast<unsigned> (environment_number ("MOCK_CUDA_SEED"));
}

static void
count_live (MockCudaLive *live)
{
  *live = MockCudaLive ();
  live->contexts = static_cast<long> (driver.contexts.all ().size ());
  live->streams = static_cast<long> (driver.streams.all ().size ());
  live->events = static_cast<long> (driver.events.all ().size ());
  live->modules = static_cast<long> (driver.modules.all ().size ());
  for (const auto &entry : driver.memory)
    switch (entry.second->kind) {
      case MemoryKind::device: live->device_memory++; break;
      case MemoryKind::page_locked: live->host_memory++; break;
      case MemoryKind::registered: live->registered_memory++; break;
    }
}

static void
report ()
{
  MockCudaLive live;
  count_live (&live);
  fprintf (stderr, "mock-cuda: %ld calls, failed: %s, %ld executions; alive: %ld contexts, %ld device memory, "
      "%ld host memory, %ld registered memory, %ld streams, %ld events, %ld modules\n", driver.calls,
      driver.failed_call ? driver.failed_call : "none", driver.executions, live.contexts, live.device_memory,
      live.host_memory, live.registered_memory, live.streams, live.events, live.modules);
}

Driver::Driver ()
{
  fail_at = environment_number ("MOCK_CUDA_FAIL_AT");
  if (environment_number ("MOCK_CUDA_FAIL_FOREVER"))
    how = MOCK_CUDA_FAIL_FOREVER;
  if (environment_number ("MOCK_CUDA_FAIL_STICKY"))
    how = MOCK_CUDA_FAIL_STICKY;
  fail_execution_at = environment_number ("MOCK_CUDA_FAIL_EXECUTION");
}

// After all globals are made: h200 is one of them.
static const bool environment_read = [] {
  read_environment ();
  if (environment_number ("MOCK_CUDA_REPORT"))
    atexit (report);
  return true;
} ();

// ---- The beginning of every call -----------------------------------------------------------------------------------

static void
kill_context (const std::shared_ptr<Context> &context, CUresult error)
{
  context->dead = error;
  discard (context->null_stream);
  for (const auto &entry : driver.streams.all ())
    if (entry.second->context == context)
      discard (entry.second);
}

// What a driver 580 refuses while another thread captures in the global mode; the capture is invalid then. The work
// that is queued stays queued.
static bool
ends_captures (const char *name)
{
  static const std::set<std::string> names = {
    "cuMemAlloc_v2", "cuMemFree_v2", "cuMemHostAlloc", "cuMemFreeHost", "cuMemHostRegister_v2", "cuMemHostUnregister",
    "cuStreamSynchronize", "cuStreamQuery", "cuEventSynchronize", "cuEventQuery", "cuCtxSynchronize",
  };
  return names.count (name) > 0;
}

Call::Call (const char *name, CUresult apt_error, Needs needs)
    : name (name), releases (apt_error == CUDA_SUCCESS), lock (driver.mutex)
{
  if (needs != Needs::nothing && !driver.initialised) {
    error = CUDA_ERROR_NOT_INITIALIZED;
    return;
  }
  if (!context_stack.empty ())
    context = driver.contexts.get (name, context_stack.back ());

  if (driver.capturing && capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED && ends_captures (name)) {
    driver.capture_is_valid = false;
    error = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return;
  }
  if (!releases) {
    driver.calls++;
    driver.calls_to[name]++;
    injected = driver.calls == driver.fail_at
        || (driver.how == MOCK_CUDA_FAIL_FOREVER && driver.fail_at > 0 && driver.calls > driver.fail_at);
    if (injected) {
      driver.failed_call = name;
      error = apt_error;
      if (strcmp (name, "cuCtxPushCurrent_v2") == 0)
        push_failed = driver.generation + 1;
      if (driver.how == MOCK_CUDA_FAIL_STICKY && context)
        kill_context (context, error);
      return;
    }
  }
  if (needs != Needs::context)
    return;
  if (!context && push_failed != driver.generation + 1)
    fail (name, "no context is current");
  if (!context && !releases)
    error = CUDA_ERROR_INVALID_CONTEXT;
  if (context && !releases)
    error = context->dead;
}

bool
Call::owns (const char *kind, const std::shared_ptr<Context> &owner)
{
  if (context == owner)
    return true;
  if (push_failed != driver.generation + 1)
    fail (name, "the %s belongs to context %u, but context %d is current", kind, owner->number,
        context ? static_cast<int> (context->number) : -1);
  return false;
}

bool
Call::owns (const char *role, const Allocation &memory)
{
  return (memory.portable && context) || owns (role, memory.context);
}

// ---- Streams -------------------------------------------------------------------------------------------------------

bool
Point::reached () const
{
  return !stream || stream->completed >= sequence;
}

std::shared_ptr<Stream>
find_stream (Call &call, CUstream handle, NullStream use)
{
  if (handle == nullptr || handle == CU_STREAM_LEGACY) {
    if (use == NullStream::launch)
      fail (call.name, "a kernel on the NULL stream");
    if (driver.null_stream_use == MOCK_CUDA_NULL_STREAM_NEVER
        || (driver.null_stream_use == MOCK_CUDA_NULL_STREAM_COPIES && use != NullStream::copy))
      fail (call.name, "on the NULL stream");
    return call.context ? call.context->null_stream : nullptr;
  }
  std::shared_ptr<Stream> stream = driver.streams.get (call.name, handle);
  return call.owns ("stream", stream->context) ? stream : nullptr;
}

void
submit (const std::shared_ptr<Stream> &stream, Operation operation)
{
  // The NULL stream and the blocking streams of a context take turns.
  const std::shared_ptr<Stream> &null_stream = stream->context->null_stream;
  if (stream == null_stream) {
    for (const auto &entry : driver.streams.all ())
      if (entry.second->context == stream->context && entry.second->blocking)
        operation.after.push_back ({ entry.second, entry.second->submitted });
  } else if (stream->blocking) {
    operation.after.push_back ({ null_stream, null_stream->submitted });
  }
  for (const auto &allocation : operation.memory)
    allocation->pending++;
  if (operation.module)
    operation.module->pending++;
  stream->queue.push_back (std::move (operation));
  stream->submitted++;
}

// The first operation of the queue is done, or never will be.
static void
retire_first (Stream &stream)
{
  Operation &operation = stream.queue.front ();
  for (const auto &allocation : operation.memory)
    allocation->pending--;
  if (operation.module)
    operation.module->pending--;
  stream.queue.pop_front ();
  stream.completed++;
}

void
discard (const std::shared_ptr<Stream> &stream)
{
  if (!stream->running) {
    while (!stream->queue.empty ())
      retire_first (*stream);
    return;
  }
  // The first one is running, and will be retired by who runs it, and the others after it; they are emptied here.
  for (size_t i = 1; i < stream->queue.size (); i++)
    stream->queue[i].run = nullptr;
}

// Run the first operation of the queue, whatever it waits for before it.
static void
run_next (Lock &lock, const std::shared_ptr<Stream> &stream)
{
  if (stream->running) {
    driver.progress.wait (lock);
    return;
  }
  stream->running = true;
  Operation &operation = stream->queue.front ();
  // What it waits for was queued earlier, so that this cannot go in circles.
  for (const Point &point : operation.after)
    complete_until (lock, point.stream, point.sequence);

  const std::shared_ptr<Context> context = stream->context;
  if (operation.device_work && context->dead == CUDA_SUCCESS && ++driver.executions == driver.fail_execution_at)
    kill_context (context, CUDA_ERROR_LAUNCH_FAILED);
  if (operation.run && (context->dead == CUDA_SUCCESS || !operation.device_work)) {
    if (driver.operations_running++ == 0)
      show_device_memory ();
    lock.unlock ();
    operation.run ();
    lock.lock ();
    if (--driver.operations_running == 0)
      hide_device_memory ();
  }
  retire_first (*stream);
  stream->running = false;
  if (context->dead != CUDA_SUCCESS)
    discard (stream);
  driver.progress.notify_all ();
}

void
complete_until (Lock &lock, const std::shared_ptr<Stream> &stream, uint64_t sequence)
{
  while (stream->completed < sequence)
    run_next (lock, stream);
}

void
complete_context (Lock &lock, const std::shared_ptr<Context> &context)
{
  std::vector<std::shared_ptr<Stream> > streams { context->null_stream };
  for (const auto &entry : driver.streams.all ())
    if (entry.second->context == context)
      streams.push_back (entry.second);
  for (const auto &stream : streams)
    complete_until (lock, stream, stream->submitted);
}

void
progress_one (Lock &lock, const std::shared_ptr<Stream> &stream)
{
  if (stream->running || stream->queue.empty ())
    return;
  for (const Point &point : stream->queue.front ().after)
    if (!point.reached ()) {
      progress_one (lock, point.stream);
      return;
    }
  run_next (lock, stream);
}

CUresult
perform (Call &call, const std::shared_ptr<Stream> &stream, Operation operation)
{
  if (stream) {
    submit (stream, std::move (operation));
    return CUDA_SUCCESS;
  }
  const std::shared_ptr<Stream> null_stream = call.context->null_stream;
  submit (null_stream, std::move (operation));
  complete_until (call.lock, null_stream, null_stream->submitted);
  return call.context->dead;
}

// ---- The control interface -----------------------------------------------------------------------------------------

static void
control_reset ()
{
  Lock lock (driver.mutex);
  driver.calls = driver.fail_at = driver.executions = driver.fail_execution_at = 0;
  driver.how = MOCK_CUDA_FAIL_ONCE;
  driver.calls_to.clear ();
  driver.held_device = -1;
  driver.capturing = false;
  driver.failed_call = nullptr;
  driver.generation++;
  read_environment ();
}

static void
control_fail_call (long number, MockCudaFailure how)
{
  Lock lock (driver.mutex);
  driver.fail_at = number;
  driver.how = how;
}

template <typename T, T Driver::*setting, typename Value>
static void
control_set (Value value)
{
  Lock lock (driver.mutex);
  driver.*setting = static_cast<T> (value);
}

template <typename T, T Driver::*setting>
static T
control_get ()
{
  Lock lock (driver.mutex);
  return driver.*setting;
}

static void
control_set_attribute (int attribute, int value)
{
  Lock lock (driver.mutex);
  driver.attributes[attribute] = value;
}

static void
control_set_seed (unsigned seed)
{
  Lock lock (driver.mutex);
  simt_seed = seed;
}

static void
control_hold_modules (int device)
{
  Lock lock (driver.mutex);
  driver.held_device = device;
  driver.progress.notify_all ();
}

static void
control_replace_context (void *context)
{
  Lock lock (driver.mutex);
  const CUcontext handle = static_cast<CUcontext> (context);
  const std::shared_ptr<Context> old = driver.contexts.get ("replace_context", handle);
  driver.contexts.replace (handle, new_context (old->device));
  for (auto entry = driver.modules.all ().begin (); entry != driver.modules.all ().end ();) {
    const CUmodule module = reinterpret_cast<CUmodule> (entry->first);
    const bool is_lost = entry++->second->context == old;
    if (is_lost)
      driver.modules.remove (module);
  }
  old->null_stream = nullptr;   // which refers back to the context
}

static long
control_calls_to (const char *name)
{
  Lock lock (driver.mutex);
  const auto found = driver.calls_to.find (name);
  return found != driver.calls_to.end () ? found->second : 0;
}

static long
control_streams_of (int priority)
{
  Lock lock (driver.mutex);
  long n = 0;
  for (const auto &entry : driver.streams.all ())
    n += entry.second->priority == priority;
  return n;
}

static void
control_live (MockCudaLive *live)
{
  Lock lock (driver.mutex);
  count_live (live);
}

} // namespace mock

MOCK_EXPORT const MockCuda *
mock_cuda (void)
{
  using namespace mock;
  static const MockCuda control = {
    control_reset,
    control_fail_call,
    control_set<long, &Driver::fail_execution_at, long>,
    control_set<bool, &Driver::refuse_device, int>,
    control_set<bool, &Driver::refuse_modules, int>,
    control_set<MockCudaNullStream, &Driver::null_stream_use, MockCudaNullStream>,
    control_set_attribute,
    control_set_seed,
    control_get<long, &Driver::calls>,
    control_get<long, &Driver::executions>,
    control_get<const char *, &Driver::failed_call>,
    control_live,
    control_calls_to,
    control_streams_of,
    control_hold_modules,
    control_replace_context,
  };
  return &control;
}
