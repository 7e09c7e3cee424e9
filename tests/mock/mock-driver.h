// SPDX-License-Identifier: LGPL-2.1-or-later
// The mock's inside: contexts, streams and what is queued on them, allocations, and the beginning of every call.
//
// One mutex guards all of it. It is let go while an operation runs, so that a host function or a long kernel stops
// nobody else.
#pragma once

#include "mock-cuda.h"
#include "mock-kernel.h"

#include <cuda.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#define MOCK_EXPORT extern "C" __attribute__ ((visibility ("default")))

namespace mock {

struct Stream;

struct Context
{
  unsigned number;
  unsigned long long id;        // never given twice
  CUdevice device;
  CUresult dead = CUDA_SUCCESS; // what every call answers once an execution failed
  std::shared_ptr<Stream> null_stream;
};

enum class MemoryKind { device, page_locked, registered };

struct Allocation
{
  char *start;
  size_t size;
  MemoryKind kind;
  std::shared_ptr<Context> context;
  bool portable = false;        // to be used in any context
  unsigned pending = 0;         // queued operations that name it
};

struct Module
{
  std::shared_ptr<Context> context;
  unsigned pending = 0;         // queued launches
  std::map<std::string, CUfunction> functions;
};

struct Function
{
  const Kernel *kernel;
  std::weak_ptr<Module> module;
  int max_dynamic_shared = 48 * 1024;
};

// The moment at which so many of a stream's operations are done.
struct Point
{
  std::shared_ptr<Stream> stream;
  uint64_t sequence = 0;
  bool reached () const;
};

struct Operation
{
  const char *name;
  std::function<void ()> run;
  bool device_work = true;      // counted, can be made to fail, and not run in a dead context
  std::vector<std::shared_ptr<Allocation> > memory;
  std::shared_ptr<Module> module;
  std::vector<Point> after;     // what must be done first
};

struct Stream
{
  unsigned number;
  std::shared_ptr<Context> context;
  bool blocking;                // waits for the NULL stream, and that for it
  int priority = 0;
  std::deque<Operation> queue;  // the first one may be running
  bool running = false;
  uint64_t submitted = 0, completed = 0;
};

// What one cuEventRecord stands for; a later record of the same event makes another.
struct Record
{
  Point point;
  double milliseconds = 0;
};

struct Event
{
  unsigned number;
  std::shared_ptr<Context> context;
  bool timing;
  std::shared_ptr<Record> record;       // null until the first
};

[[noreturn]] void fail (const char *call, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

// Objects by handle. A handle is never given twice, so that one that was released is always recognised.
template <typename Object, typename Handle>
class Table
{
public:
  Table (const char *kind, uintptr_t tag) : kind (kind), tag (tag << 32) {}

  Handle
  add (std::shared_ptr<Object> object)
  {
    const uintptr_t handle = tag | ++last;
    objects[handle] = std::move (object);
    return reinterpret_cast<Handle> (handle);
  }

  std::shared_ptr<Object>
  get (const char *call, Handle handle) const
  {
    const uintptr_t key = reinterpret_cast<uintptr_t> (handle);
    const auto found = objects.find (key);
    if (found != objects.end ())
      return found->second;
    if (key > tag && key <= (tag | last))
      fail (call, "%s %u was destroyed already", kind, static_cast<unsigned> (key - tag));
    fail (call, "%p is no %s", static_cast<void *> (handle), kind);
  }

  void replace (Handle handle, std::shared_ptr<Object> object)
  {
    objects[reinterpret_cast<uintptr_t> (handle)] = std::move (object);
  }
  void remove (Handle handle) { objects.erase (reinterpret_cast<uintptr_t> (handle)); }
  unsigned next_number () const { return static_cast<unsigned> (last + 1); }
  const std::map<uintptr_t, std::shared_ptr<Object> > &all () const { return objects; }

private:
  const char *kind;
  uintptr_t tag, last = 0;
  std::map<uintptr_t, std::shared_ptr<Object> > objects;
};

typedef std::unique_lock<std::mutex> Lock;

struct Driver
{
  Driver ();

  std::mutex mutex;
  std::condition_variable progress;     // an operation finished
  bool initialised = false;

  Table<Context, CUcontext> contexts { "context", 0xc0 };
  Table<Stream, CUstream> streams { "stream", 0xc1 };
  Table<Event, CUevent> events { "event", 0xc2 };
  Table<Module, CUmodule> modules { "module", 0xc3 };
  Table<Function, CUfunction> functions { "function", 0xc4 };
  std::map<uintptr_t, std::shared_ptr<Allocation> > memory;     // by the first byte
  unsigned operations_running = 0;

  // What the test asked for.
  std::map<int, int> attributes;
  long calls = 0, fail_at = 0;
  std::map<std::string, long> calls_to;
  MockCudaFailure how = MOCK_CUDA_FAIL_ONCE;
  const char *failed_call = nullptr;
  long executions = 0, fail_execution_at = 0;
  bool refuse_device = false, refuse_modules = false;
  int held_device = -1;         // whose modules do not load until it is another one
  bool capturing = false;       // a graph, in the global mode
  bool capture_is_valid = false;
  MockCudaNullStream null_stream_use = MOCK_CUDA_NULL_STREAM_COPIES;
  unsigned generation = 0;      // of resets
};

extern Driver driver;
std::shared_ptr<Context> new_context (CUdevice device);
const Kernel *find_kernel (const char *name);

// ---- The beginning of every call -----------------------------------------------------------------------------------

enum class Needs { nothing, driver, context };

// Takes the lock, counts the call, makes it fail if it is its turn, and finds the current context.
class Call
{
public:
  // `apt_error` is what the call answers when it is made to fail; CUDA_SUCCESS: it releases something and never is.
  Call (const char *name, CUresult apt_error, Needs needs = Needs::context);

  // The calling thread's current context must be that of `object`. Returns false where it is not, but an injected
  // failure of cuCtxPushCurrent is to blame; the call then answers wrong_context ().
  bool owns (const char *kind, const std::shared_ptr<Context> &owner);
  bool owns (const char *role, const Allocation &memory);
  CUresult wrong_context () const { return releases ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }

  const char *name;
  bool releases;
  bool injected = false;
  CUresult error = CUDA_SUCCESS;
  Lock lock;
  std::shared_ptr<Context> context;
};

#define MOCK_BEGIN(...) \
  mock::Call call (__func__, __VA_ARGS__); \
  do { \
    if (call.error != CUDA_SUCCESS) \
      return call.error; \
  } while (0)

// The calling thread's mode for captures of others.
extern thread_local CUstreamCaptureMode capture_mode;

// The calling thread's stack of contexts.
extern thread_local std::vector<CUcontext> context_stack;

// ---- Streams -------------------------------------------------------------------------------------------------------

enum class NullStream { copy, work, launch };

// The stream of a handle, which may be NULL where `use` is allowed there. Null if the context is wrong by an injected
// failure.
std::shared_ptr<Stream> find_stream (Call &call, CUstream handle, NullStream use);

void submit (const std::shared_ptr<Stream> &stream, Operation operation);
void complete_until (Lock &lock, const std::shared_ptr<Stream> &stream, uint64_t sequence);
void complete_context (Lock &lock, const std::shared_ptr<Context> &context);
void progress_one (Lock &lock, const std::shared_ptr<Stream> &stream);
void discard (const std::shared_ptr<Stream> &stream);

// Queue on `stream` and return, or, without a stream, do what a synchronous call does: queue on the NULL stream, wait.
CUresult perform (Call &call, const std::shared_ptr<Stream> &stream, Operation operation);

// ---- Memory --------------------------------------------------------------------------------------------------------

// The allocation that holds the address (or ends there), or null.
std::shared_ptr<Allocation> find_memory (uintptr_t address);

// Device memory is out of the host's reach, as far as AddressSanitizer sees, while no operation runs.
void show_device_memory ();
void hide_device_memory ();

} // namespace mock
