// SPDX-License-Identifier: LGPL-2.1-or-later
// What libcuda.so.1 exports, less memory: errors, devices, contexts, modules, launches, streams and events.
#include "mock-driver.h"

#include "simt.h"

#include <algorithm>
#include <chrono>

using namespace mock;

static const int device_count = 2;
static const int highest_priority = -5; // of streams; the lowest one is 0

// ---- Errors --------------------------------------------------------------------------------------------------------

static const struct { CUresult error; const char *name; const char *text; } errors[] = {
#define ERROR(name, text) { name, #name, text }
  ERROR (CUDA_SUCCESS, "no error"),
  ERROR (CUDA_ERROR_INVALID_VALUE, "invalid argument"),
  ERROR (CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
  ERROR (CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
  ERROR (CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
  ERROR (CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
  ERROR (CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
  ERROR (CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device"),
  ERROR (CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "peer access is not supported between these two devices"),
  ERROR (CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
  ERROR (CUDA_ERROR_NOT_FOUND, "named symbol not found"),
  ERROR (CUDA_ERROR_NOT_READY, "device not ready"),
  ERROR (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"),
  ERROR (CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "part or all of the memory is already mapped"),
  ERROR (CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
  ERROR (CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
  ERROR (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing"),
  ERROR (CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "operation failed due to a previous error during capture"),
#undef ERROR
};

MOCK_EXPORT CUresult
cuGetErrorName (CUresult error, const char **name)
{
  for (const auto &known : errors)
    if (known.error == error) {
      *name = known.name;
      return CUDA_SUCCESS;
    }
  *name = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

MOCK_EXPORT CUresult
cuGetErrorString (CUresult error, const char **text)
{
  for (const auto &known : errors)
    if (known.error == error) {
      *text = known.text;
      return CUDA_SUCCESS;
    }
  *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

// ---- Devices -------------------------------------------------------------------------------------------------------

MOCK_EXPORT CUresult
cuInit (unsigned flags)
{
  MOCK_BEGIN (CUDA_ERROR_NO_DEVICE, Needs::nothing);
  if (flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (driver.refuse_device)
    return CUDA_ERROR_NO_DEVICE;
  driver.initialised = true;
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuDriverGetVersion (int *version)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE, Needs::nothing);
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuDeviceGetCount (int *count)
{
  MOCK_BEGIN (CUDA_ERROR_NO_DEVICE, Needs::driver);
  *count = device_count;
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuDeviceGet (CUdevice *device, int ordinal)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_DEVICE, Needs::driver);
  if (ordinal < 0 || ordinal >= device_count)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

// The calls that ask a device something begin alike.
#define MOCK_BEGIN_DEVICE(device) \
  MOCK_BEGIN (CUDA_ERROR_INVALID_DEVICE, Needs::driver); \
  if (device < 0 || device >= device_count) \
    return CUDA_ERROR_INVALID_DEVICE

MOCK_EXPORT CUresult
cuDeviceGetName (char *name, int length, CUdevice device)
{
  MOCK_BEGIN_DEVICE (device);
  snprintf (name, static_cast<size_t> (length), "Mock of an H200, number %d", device);
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuDeviceGetAttribute (int *value, CUdevice_attribute attribute, CUdevice device)
{
  MOCK_BEGIN_DEVICE (device);
  const auto found = driver.attributes.find (attribute);
  *value = found == driver.attributes.end () ? 0 : found->second;
  return CUDA_SUCCESS;
}

static void
fill_uuid (CUuuid *uuid, CUdevice device)
{
  memset (uuid->bytes, 0, sizeof uuid->bytes);
  memcpy (uuid->bytes, "mock", 4);
  uuid->bytes[15] = static_cast<char> (device + 1);
}

MOCK_EXPORT CUresult
cuDeviceGetUuid_v2 (CUuuid *uuid, CUdevice device)
{
  MOCK_BEGIN_DEVICE (device);
  fill_uuid (uuid, device);
  return CUDA_SUCCESS;
}

#undef cuDeviceGetUuid          // libgstcuda 1.26 asks for the older name
MOCK_EXPORT CUresult
cuDeviceGetUuid (CUuuid *uuid, CUdevice device)
{
  MOCK_BEGIN_DEVICE (device);
  fill_uuid (uuid, device);
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuDeviceTotalMem_v2 (size_t *bytes, CUdevice device)
{
  MOCK_BEGIN_DEVICE (device);
  *bytes = size_t { 1 } << 34;
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuDeviceCanAccessPeer (int *can, CUdevice device, CUdevice peer)
{
  MOCK_BEGIN_DEVICE (device);
  if (peer < 0 || peer >= device_count)
    return CUDA_ERROR_INVALID_DEVICE;
  *can = 0;
  return CUDA_SUCCESS;
}

// ---- Contexts ------------------------------------------------------------------------------------------------------

std::shared_ptr<Context>
mock::new_context (CUdevice device)
{
  static unsigned long long last_id;
  const auto context = std::make_shared<Context> ();
  context->number = driver.contexts.next_number ();
  context->id = ++last_id;
  context->device = device;
  context->null_stream = std::make_shared<Stream> ();
  context->null_stream->number = 0;
  context->null_stream->context = context;
  context->null_stream->blocking = false;       // it is what the blocking ones wait for
  return context;
}

MOCK_EXPORT CUresult
cuCtxCreate_v2 (CUcontext *handle, unsigned, CUdevice device)
{
  MOCK_BEGIN (CUDA_ERROR_OUT_OF_MEMORY, Needs::driver);
  if (device < 0 || device >= device_count)
    return CUDA_ERROR_INVALID_DEVICE;
  *handle = driver.contexts.add (new_context (device));
  context_stack.push_back (*handle);
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuCtxDestroy_v2 (CUcontext handle)
{
  MOCK_BEGIN (CUDA_SUCCESS, Needs::driver);
  const std::shared_ptr<Context> context = driver.contexts.get (call.name, handle);
  for (const auto &entry : driver.streams.all ())
    if (entry.second->context == context && !entry.second->queue.empty ())
      fail (call.name, "%zu operations are pending on stream %u", entry.second->queue.size (), entry.second->number);
  complete_until (call.lock, context->null_stream, context->null_stream->submitted);
  driver.contexts.remove (handle);
  context->null_stream = nullptr;       // which refers back to the context
  if (!context_stack.empty () && context_stack.back () == handle)
    context_stack.pop_back ();
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuCtxPushCurrent_v2 (CUcontext handle)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_CONTEXT, Needs::driver);
  driver.contexts.get (call.name, handle);
  context_stack.push_back (handle);
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuCtxPopCurrent_v2 (CUcontext *handle)
{
  MOCK_BEGIN (CUDA_SUCCESS);
  if (context_stack.empty ())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (handle != nullptr)
    *handle = context_stack.back ();
  context_stack.pop_back ();
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuCtxGetCurrent (CUcontext *handle)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_CONTEXT, Needs::driver);
  *handle = context_stack.empty () ? nullptr : context_stack.back ();
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuCtxGetDevice (CUdevice *device)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_CONTEXT);
  *device = call.context->device;
  return CUDA_SUCCESS;
}

// Of the current context, if the handle is null.
MOCK_EXPORT CUresult
cuCtxGetId (CUcontext handle, unsigned long long *id)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_CONTEXT, handle == nullptr ? Needs::context : Needs::driver);
  *id = handle == nullptr ? call.context->id : driver.contexts.get (call.name, handle)->id;
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuCtxSynchronize (void)
{
  MOCK_BEGIN (CUDA_ERROR_LAUNCH_FAILED);
  complete_context (call.lock, call.context);
  return call.context->dead;
}

// ---- Modules and launches ------------------------------------------------------------------------------------------

MOCK_EXPORT CUresult
cuModuleLoadData (CUmodule *handle, const void *image)
{
  MOCK_BEGIN (CUDA_ERROR_NO_BINARY_FOR_GPU);
  if (image == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  while (driver.held_device == call.context->device)
    driver.progress.wait (call.lock);
  if (driver.refuse_modules)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  const auto module = std::make_shared<Module> ();
  module->context = call.context;
  *handle = driver.modules.add (module);
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuModuleUnload (CUmodule handle)
{
  MOCK_BEGIN (CUDA_SUCCESS);
  const std::shared_ptr<Module> module = driver.modules.get (call.name, handle);
  call.owns ("module", module->context);
  if (module->pending != 0)
    fail (call.name, "%u launches from the module are pending", module->pending);
  for (const auto &entry : module->functions)
    driver.functions.remove (entry.second);
  driver.modules.remove (handle);
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuModuleGetFunction (CUfunction *handle, CUmodule module_handle, const char *name)
{
  MOCK_BEGIN (CUDA_ERROR_NOT_FOUND);
  const std::shared_ptr<Module> module = driver.modules.get (call.name, module_handle);
  if (!call.owns ("module", module->context))
    return call.wrong_context ();
  const Kernel *kernel = find_kernel (name);
  if (kernel == nullptr)
    return CUDA_ERROR_NOT_FOUND;
  CUfunction &known = module->functions[name];
  if (known == nullptr) {
    const auto function = std::make_shared<Function> ();
    function->kernel = kernel;
    function->module = module;
    known = driver.functions.add (function);
  }
  *handle = known;
  return CUDA_SUCCESS;
}

// The function of a handle, or null if the context is wrong by an injected failure.
static std::shared_ptr<Function>
find_function (Call &call, CUfunction handle)
{
  const std::shared_ptr<Function> function = driver.functions.get (call.name, handle);
  return call.owns ("function", function->module.lock ()->context) ? function : nullptr;
}

MOCK_EXPORT CUresult
cuFuncSetAttribute (CUfunction handle, CUfunction_attribute attribute, int value)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE);
  const std::shared_ptr<Function> function = find_function (call, handle);
  if (!function)
    return call.wrong_context ();
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      if (value < 0 || value > driver.attributes[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN])
        return CUDA_ERROR_INVALID_VALUE;
      function->max_dynamic_shared = value;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return value >= -1 && value <= 100 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

MOCK_EXPORT CUresult
cuFuncGetAttribute (int *value, CUfunction_attribute attribute, CUfunction handle)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE);
  const std::shared_ptr<Function> function = find_function (call, handle);
  if (!function)
    return call.wrong_context ();
  const int capability = driver.attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] * 10
      + driver.attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR];
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = driver.attributes[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK];
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = function->max_dynamic_shared;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = 32;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = capability;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:   // static shared memory is a matter of the host's compiler here
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = 0;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

MOCK_EXPORT CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessor (int *blocks, CUfunction handle, int block_size, size_t dynamic_shared)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE);
  const std::shared_ptr<Function> function = find_function (call, handle);
  if (!function)
    return call.wrong_context ();
  auto &attribute = driver.attributes;
  if (block_size < 1)
    return CUDA_ERROR_INVALID_VALUE;
  *blocks = 0;
  if (block_size > attribute[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK]
      || dynamic_shared > static_cast<size_t> (function->max_dynamic_shared))
    return CUDA_SUCCESS;
  const int by_threads = attribute[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR] / ((block_size + 31) / 32 * 32);
  const size_t shared_of_block = dynamic_shared
      + static_cast<size_t> (attribute[CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK]);
  const int by_shared = shared_of_block == 0 ? by_threads
      : attribute[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR] / static_cast<int> (shared_of_block);
  *blocks = std::min ({ by_threads, by_shared, attribute[CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR] });
  return CUDA_SUCCESS;
}

// All the memory that a launch's parameters point to. A pointer into memory that the device cannot reach is a mistake;
// what merely looks like an address, inside a structure, may be anything.
static std::vector<std::shared_ptr<Allocation> >
memory_of_launch (Call &call, const Kernel &kernel, void **parameters)
{
  std::vector<std::shared_ptr<Allocation> > memory;
  for (const Address &address : kernel.addresses (parameters)) {
    const std::shared_ptr<Allocation> allocation = find_memory (address.value);
    if (!allocation && address.certain)
      fail (call.name, "%s: parameter %u, 0x%zx, is in no allocation", kernel.name, address.parameter,
          static_cast<size_t> (address.value));
    if (allocation && call.owns ("memory", *allocation))
      memory.push_back (allocation);
  }
  return memory;
}

// must_wait: each thread of the kernel for the launch before.
static CUresult
launch (Call &call, CUfunction handle, const dim3 &grid, const dim3 &block, unsigned dynamic_shared,
    CUstream stream_handle, void **parameters, void **extra, bool must_wait)
{
  const std::shared_ptr<Function> function = find_function (call, handle);
  const std::shared_ptr<Stream> stream = find_stream (call, stream_handle, NullStream::launch);
  if (!function || !stream)
    return call.wrong_context ();
  const bool grid_fits = grid.x - 1 < 0x7fffffffu && grid.y - 1 < 65535 && grid.z - 1 < 65535;
  const bool block_fits = block.x - 1 < 1024 && block.y - 1 < 1024 && block.z - 1 < 64;
  const int max_threads = driver.attributes[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK];
  if (!grid_fits || !block_fits || extra != nullptr
      || block.x * block.y * block.z > static_cast<unsigned> (max_threads)
      || dynamic_shared > static_cast<unsigned> (function->max_dynamic_shared))
    return CUDA_ERROR_INVALID_VALUE;

  Operation operation;
  operation.name = function->kernel->name;
  operation.module = function->module.lock ();
  operation.memory = memory_of_launch (call, *function->kernel, parameters);
  const std::function<void ()> kernel = function->kernel->bind (parameters);
  const char *name = function->kernel->name;
  operation.run = [=] {
    const unsigned long before = simt_n_waits;
    simt_launch (grid, block, dynamic_shared, kernel);
    const unsigned long n_threads = 1ul * grid.x * grid.y * grid.z * block.x * block.y * block.z;
    if (must_wait && simt_n_waits - before < n_threads)
      fail (name, "was launched as one that waits for the launch before, and does not");
  };
  submit (stream, std::move (operation));
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuLaunchKernel (CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
    unsigned block_y, unsigned block_z, unsigned dynamic_shared, CUstream stream_handle, void **parameters,
    void **extra)
{
  MOCK_BEGIN (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  return launch (call, handle, dim3 (grid_x, grid_y, grid_z), dim3 (block_x, block_y, block_z), dynamic_shared,
      stream_handle, parameters, extra, false);
}

// The one attribute known here lets a launch begin before the one it follows has ended: the kernel itself waits then.
// Here every operation of a stream waits. Weak: a mock with kernels that need more has its own.
MOCK_EXPORT __attribute__ ((weak)) CUresult
cuLaunchKernelEx (const CUlaunchConfig *config, CUfunction handle, void **parameters, void **extra)
{
  MOCK_BEGIN (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  for (unsigned i = 0; i < config->numAttrs; i++)
    if (config->attrs[i].id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      return CUDA_ERROR_NOT_SUPPORTED;
  return launch (call, handle, dim3 (config->gridDimX, config->gridDimY, config->gridDimZ),
      dim3 (config->blockDimX, config->blockDimY, config->blockDimZ), config->sharedMemBytes, config->hStream,
      parameters, extra, config->numAttrs > 0);
}

MOCK_EXPORT CUresult
cuLaunchHostFunc (CUstream stream_handle, CUhostFn function, void *user_data)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE);
  const std::shared_ptr<Stream> stream = find_stream (call, stream_handle, NullStream::work);
  if (!stream)
    return call.wrong_context ();
  Operation operation;
  operation.name = "host function";
  operation.run = [=] { function (user_data); };
  submit (stream, std::move (operation));
  return CUDA_SUCCESS;
}

// ---- Streams -------------------------------------------------------------------------------------------------------

static CUresult
create_stream (Call &call, CUstream *handle, unsigned flags, int priority)
{
  if (flags & ~CU_STREAM_NON_BLOCKING)
    return CUDA_ERROR_INVALID_VALUE;
  const auto stream = std::make_shared<Stream> ();
  stream->number = driver.streams.next_number ();
  stream->context = call.context;
  stream->blocking = !(flags & CU_STREAM_NON_BLOCKING);
  stream->priority = priority;
  *handle = driver.streams.add (stream);
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuStreamCreate (CUstream *handle, unsigned flags)
{
  MOCK_BEGIN (CUDA_ERROR_OUT_OF_MEMORY);
  return create_stream (call, handle, flags, 0);
}

MOCK_EXPORT CUresult
cuStreamCreateWithPriority (CUstream *handle, unsigned flags, int priority)
{
  MOCK_BEGIN (CUDA_ERROR_OUT_OF_MEMORY);
  return create_stream (call, handle, flags, std::clamp (priority, highest_priority, 0));
}

MOCK_EXPORT CUresult
cuCtxGetStreamPriorityRange (int *least, int *greatest)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_CONTEXT);
  *least = 0;
  *greatest = highest_priority;
  return CUDA_SUCCESS;
}

static CUresult
destroy_stream (Call &call, CUstream handle)
{
  const std::shared_ptr<Stream> stream = driver.streams.get (call.name, handle);
  call.owns ("stream", stream->context);
  if (!stream->queue.empty ())
    fail (call.name, "%zu operations are pending on stream %u, the first is %s", stream->queue.size (), stream->number,
        stream->queue.front ().name);
  driver.streams.remove (handle);
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuStreamDestroy_v2 (CUstream handle)
{
  MOCK_BEGIN (CUDA_SUCCESS);
  return destroy_stream (call, handle);
}

#undef cuStreamDestroy          // libgstcuda 1.22 asks for the older name
MOCK_EXPORT CUresult
cuStreamDestroy (CUstream handle)
{
  MOCK_BEGIN (CUDA_SUCCESS);
  return destroy_stream (call, handle);
}

// A wait that is made to fail, does so because the work failed: what was queued is not done.
#define MOCK_BEGIN_WAIT(find) \
  mock::Call call (__func__, CUDA_ERROR_LAUNCH_FAILED); \
  const std::shared_ptr<Stream> stream = call.context ? find : nullptr; \
  if (call.injected && stream) \
    discard (stream); \
  if (call.error != CUDA_SUCCESS || !stream) \
    return call.error != CUDA_SUCCESS ? call.error : call.wrong_context ()

MOCK_EXPORT CUresult
cuStreamSynchronize (CUstream handle)
{
  mock::Call call (__func__, CUDA_ERROR_LAUNCH_FAILED);
  const bool is_null = handle == nullptr || handle == CU_STREAM_LEGACY;
  std::shared_ptr<Stream> stream = call.context ? find_stream (call, handle, NullStream::copy) : nullptr;
  // Its context could not be made current: taken for lost, and its work with it.
  const bool lost = !stream && !is_null;
  if (lost)
    stream = driver.streams.get (call.name, handle);
  if ((call.injected || lost) && stream)
    discard (stream);
  if (call.error != CUDA_SUCCESS || lost || !stream)
    return call.error != CUDA_SUCCESS ? call.error : call.wrong_context ();
  complete_until (call.lock, stream, stream->submitted);
  return stream->context->dead;
}

MOCK_EXPORT CUresult
cuStreamQuery (CUstream handle)
{
  MOCK_BEGIN_WAIT (find_stream (call, handle, NullStream::copy));
  progress_one (call.lock, stream);
  if (stream->context->dead != CUDA_SUCCESS)
    return stream->context->dead;
  return stream->queue.empty () ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

// ---- Capturing graphs ----------------------------------------------------------------------------------------------

MOCK_EXPORT CUresult
cuThreadExchangeStreamCaptureMode (CUstreamCaptureMode *mode)
{
  MOCK_BEGIN (CUDA_SUCCESS, Needs::driver);
  std::swap (capture_mode, *mode);
  return CUDA_SUCCESS;
}

// Only the effect on other threads: nothing is captured.
MOCK_EXPORT CUresult
cuStreamBeginCapture_v2 (CUstream, CUstreamCaptureMode mode)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE);
  if (mode != CU_STREAM_CAPTURE_MODE_GLOBAL || driver.capturing)
    return CUDA_ERROR_NOT_SUPPORTED;
  driver.capturing = driver.capture_is_valid = true;
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuStreamEndCapture (CUstream, CUgraph *graph)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE);
  if (!driver.capturing)
    return CUDA_ERROR_ILLEGAL_STATE;
  driver.capturing = false;
  *graph = nullptr;
  return driver.capture_is_valid ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
}

// ---- Events --------------------------------------------------------------------------------------------------------

MOCK_EXPORT CUresult
cuEventCreate (CUevent *handle, unsigned flags)
{
  MOCK_BEGIN (CUDA_ERROR_OUT_OF_MEMORY);
  if (flags & ~(CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS))
    return CUDA_ERROR_INVALID_VALUE;
  const auto event = std::make_shared<Event> ();
  event->number = driver.events.next_number ();
  event->context = call.context;
  event->timing = !(flags & CU_EVENT_DISABLE_TIMING);
  *handle = driver.events.add (event);
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuEventDestroy_v2 (CUevent handle)
{
  MOCK_BEGIN (CUDA_SUCCESS);
  const std::shared_ptr<Event> event = driver.events.get (call.name, handle);
  call.owns ("event", event->context);
  if (event->record && !event->record->point.reached ())
    fail (call.name, "event %u is not reached yet", event->number);
  driver.events.remove (handle);
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuEventRecord (CUevent handle, CUstream stream_handle)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE);
  const std::shared_ptr<Event> event = driver.events.get (call.name, handle);
  const std::shared_ptr<Stream> stream = find_stream (call, stream_handle, NullStream::work);
  if (!stream || !call.owns ("event", event->context))
    return call.wrong_context ();
  const auto record = std::make_shared<Record> ();
  record->point = { stream, stream->submitted + 1 };
  event->record = record;
  Operation operation;
  operation.name = "event record";
  operation.device_work = false;
  operation.run = [record] {
    const auto now = std::chrono::steady_clock::now ().time_since_epoch ();
    record->milliseconds = std::chrono::duration<double, std::milli> (now).count ();
  };
  submit (stream, std::move (operation));
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuStreamWaitEvent (CUstream stream_handle, CUevent handle, unsigned flags)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_VALUE);
  const std::shared_ptr<Stream> stream = find_stream (call, stream_handle, NullStream::work);
  const std::shared_ptr<Event> event = driver.events.get (call.name, handle);
  if (!stream)
    return call.wrong_context ();
  if (flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (!event->record)
    return CUDA_SUCCESS;
  Operation operation;
  operation.name = "wait for an event";
  operation.device_work = false;
  operation.after.push_back (event->record->point);     // the latest record now; later ones do not count
  submit (stream, std::move (operation));
  return CUDA_SUCCESS;
}

// The event of a handle, if it may be used under the current context and was ever recorded.
static std::shared_ptr<Event>
find_event (Call &call, CUevent handle)
{
  const std::shared_ptr<Event> event = driver.events.get (call.name, handle);
  return call.owns ("event", event->context) ? event : nullptr;
}

static std::shared_ptr<Stream>
stream_of_event (const std::shared_ptr<Event> &event)
{
  if (!event)
    return nullptr;
  return event->record ? event->record->point.stream : event->context->null_stream;
}

MOCK_EXPORT CUresult
cuEventSynchronize (CUevent handle)
{
  MOCK_BEGIN_WAIT (stream_of_event (find_event (call, handle)));
  const std::shared_ptr<Record> record = driver.events.get (call.name, handle)->record;
  if (record)
    complete_until (call.lock, stream, record->point.sequence);
  return stream->context->dead;
}

MOCK_EXPORT CUresult
cuEventQuery (CUevent handle)
{
  MOCK_BEGIN_WAIT (stream_of_event (find_event (call, handle)));
  const std::shared_ptr<Record> record = driver.events.get (call.name, handle)->record;
  if (record && !record->point.reached ())
    progress_one (call.lock, stream);
  if (stream->context->dead != CUDA_SUCCESS)
    return stream->context->dead;
  return !record || record->point.reached () ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

static CUresult
elapsed_time (Call &call, float *milliseconds, CUevent start_handle, CUevent end_handle)
{
  const std::shared_ptr<Event> start = find_event (call, start_handle), end = find_event (call, end_handle);
  if (!start || !end)
    return call.wrong_context ();
  if (!start->timing || !end->timing || !start->record || !end->record)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!start->record->point.reached () || !end->record->point.reached ())
    return CUDA_ERROR_NOT_READY;
  // A device that is so many times as fast as this one, by its own clock.
  const char *rate = getenv ("MOCK_CUDA_CLOCK_RATE");
  *milliseconds = static_cast<float> ((end->record->milliseconds - start->record->milliseconds)
      / (rate != nullptr ? atof (rate) : 1));
  return CUDA_SUCCESS;
}

MOCK_EXPORT CUresult
cuEventElapsedTime_v2 (float *milliseconds, CUevent start, CUevent end)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_HANDLE);
  return elapsed_time (call, milliseconds, start, end);
}

#undef cuEventElapsedTime       // the name before CUDA 12.8
MOCK_EXPORT CUresult
cuEventElapsedTime (float *milliseconds, CUevent start, CUevent end)
{
  MOCK_BEGIN (CUDA_ERROR_INVALID_HANDLE);
  return elapsed_time (call, milliseconds, start, end);
}
