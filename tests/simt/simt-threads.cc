// SPDX-License-Identifier: LGPL-2.1-or-later
// The shim with a thread of the host for each CUDA thread (SIMT_THREADS), in place of simt.cc and its fibers: slow, and
// made for ThreadSanitizer. Barriers and collectives order what the threads of a block do; nothing orders what blocks
// do, but a fence before an atomic operation, and an atomic operation on the same memory before a fence.
//
// Mistakes that the fibers find (divergent barriers, missing lanes) hang here.
#include "simt.h"

#include <chrono>
#include <cstdarg>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;
unsigned simt_seed;

#ifdef __SANITIZE_THREAD__
extern "C" void __tsan_acquire (void *address);
extern "C" void __tsan_release (void *address);
#else
static inline void __tsan_acquire (void *) {}
static inline void __tsan_release (void *) {}
#endif

namespace {

const size_t stack_size = 256 * 1024;

// Where n threads wait for each other, again and again.
class Meeting
{
public:
  explicit Meeting (unsigned n) : n (n) {}

  // How often all have met. It stays until the caller comes, too.
  unsigned number () const { return met.load (std::memory_order_relaxed); }

  template <typename LastOne>
  void
  wait (LastOne last_one)
  {
    const unsigned before = number ();
    if (arrived.fetch_add (1, std::memory_order_acq_rel) + 1 == n) {
      arrived.store (0, std::memory_order_relaxed);
      last_one ();
      met.store (before + 1, std::memory_order_release);
      syscall (SYS_futex, &met, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
      return;
    }
    while (met.load (std::memory_order_acquire) == before)
      syscall (SYS_futex, &met, FUTEX_WAIT_PRIVATE, before, nullptr, nullptr, 0);
  }

private:
  const unsigned n;
  std::atomic<unsigned> arrived { 0 }, met { 0 };
};

// The lanes of one mask. Values alternate, so that one round may begin while the last is still being read.
struct Group
{
  explicit Group (unsigned lanes) : lanes (lanes), meeting (static_cast<unsigned> (__builtin_popcount (lanes))) {}
  const unsigned lanes;
  Meeting meeting;
  uint64_t values[2][32];
};

struct Warp
{
  std::mutex mutex;
  std::map<unsigned, Group> groups;     // by mask
};

struct Block
{
  Block (unsigned number, unsigned n_threads, size_t dynamic_bytes)
      : number (number), n_threads (n_threads), barrier (n_threads), warps ((n_threads + 31) / 32)
  {
    // Exactly the bytes asked for, and rubbish in them.
    if (dynamic_bytes != 0 && posix_memalign (&dynamic_shared, 1024, dynamic_bytes) != 0)
      abort ();
    if (dynamic_bytes != 0)
      memset (dynamic_shared, static_cast<int> (0x81 + number), dynamic_bytes);
  }
  ~Block () { free (dynamic_shared); }
  Block (const Block &) = delete;
  Block &operator= (const Block &) = delete;

  const unsigned number, n_threads;
  Meeting barrier;
  std::atomic<unsigned> predicates[2] = { { 0 }, { 0 } };
  std::vector<Warp> warps;
  void *dynamic_shared = nullptr;
};

__thread Block *block;
__thread unsigned thread_number;

// For the fences: whether there was one, and where atomic operations were since. The last few are enough for a ticket.
const unsigned noted_atomics = 16;
__thread bool has_fenced;
__thread void *noted[noted_atomics];
__thread unsigned n_noted;

// Whose turn it is with static shared memory. ThreadSanitizer must not take this for an order of the threads within a
// block, but is told that a block comes after the one before it.
struct Turn
{
  const Block *owner;
  unsigned n_done;              // threads of the owner
  unsigned n_ended;             // turns, to wait for
  unsigned parity;              // of the turn
  char order[2];                // addresses that stand for what was done in turns of either parity
} turn;

// Runs blocks of a launch, a batch of them at a time. To make a thread takes longer than to run a block, so the same
// threads run all batches.
struct Launch
{
  Launch (const std::vector<unsigned> &order, size_t next, size_t at_once, unsigned n_threads, size_t dynamic_bytes,
      const std::function<void ()> &kernel)
      : order (order), next (next), at_once (std::min (at_once, order.size () - next)), n_threads (n_threads),
        dynamic_bytes (dynamic_bytes), kernel (kernel), all (static_cast<unsigned> (this->at_once * n_threads)),
        n_turns (turn.n_ended)
  {
  }

  void begin_batch ();

  const std::vector<unsigned> &order;   // of the blocks
  size_t next;                          // in it: the first block that has not begun
  const size_t at_once;                 // blocks
  const unsigned n_threads;             // of a block
  const size_t dynamic_bytes;
  const std::function<void ()> &kernel;
  Meeting all;                          // of all threads, before each batch
  std::atomic<unsigned> n_begun { 0 };  // threads, which this numbers
  const unsigned n_turns;               // that ended before this
  std::vector<std::unique_ptr<Block> > blocks;  // of the batch; none at the end
};

// Comes after the batch before. If its blocks took turns, they only waited for each other. Then there is no next batch
// here, and the caller runs the other blocks one at a time.
void
Launch::begin_batch ()
{
  const size_t n = at_once > 1 && turn.n_ended != n_turns ? 0 : std::min (at_once, order.size () - next);
  blocks.clear ();
  for (size_t i = 0; i < n; i++)
    blocks.emplace_back (new Block (order[next++], n_threads, dynamic_bytes));
}

void *
thread_main (void *data)
{
  Launch &launch = *static_cast<Launch *> (data);
  // Relaxed, so that ThreadSanitizer does not take this for an order of the threads.
  const unsigned number = launch.n_begun.fetch_add (1, std::memory_order_relaxed);
  const unsigned n = number % launch.n_threads, place = number / launch.n_threads;

  thread_number = n;
  threadIdx = { n % blockDim.x, n / blockDim.x % blockDim.y, n / blockDim.x / blockDim.y };
  for (;;) {
    launch.all.wait ([&] { launch.begin_batch (); });
    if (launch.blocks.empty ())
      return nullptr;
    if (place >= launch.blocks.size ())
      continue;
    block = launch.blocks[place].get ();
    has_fenced = false;
    n_noted = 0;
    const unsigned b = block->number;
    blockIdx = { b % gridDim.x, b / gridDim.x % gridDim.y, b / gridDim.x / gridDim.y };
    launch.kernel ();
  }
}

// Runs all batches.
void
run_blocks (Launch &launch)
{
  std::vector<pthread_t> threads (launch.at_once * launch.n_threads);
  pthread_attr_t attributes;

  pthread_attr_init (&attributes);
  pthread_attr_setstacksize (&attributes, stack_size);
  for (pthread_t &thread : threads)
    if (pthread_create (&thread, &attributes, thread_main, &launch) != 0) {
      perror ("SIMT: no thread");
      abort ();
    }
  for (pthread_t thread : threads)
    pthread_join (thread, nullptr);
  pthread_attr_destroy (&attributes);
}

Block *
running_block (const char *call)
{
  if (block == nullptr) {
    fprintf (stderr, "SIMT: %s outside of a kernel\n", call);
    abort ();
  }
  return block;
}

__attribute__ ((no_sanitize ("thread"))) unsigned
begin_turn (const Block *self)
{
  for (;;) {
    const unsigned n_ended = __atomic_load_n (&turn.n_ended, __ATOMIC_ACQUIRE);
    const Block *owner = nullptr;
    if (__atomic_compare_exchange_n (&turn.owner, &owner, self, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
        || owner == self)
      return turn.parity;
    syscall (SYS_futex, &turn.n_ended, FUTEX_WAIT_PRIVATE, n_ended, nullptr, nullptr, 0);
  }
}

__attribute__ ((no_sanitize ("thread"))) void
end_turn (const Block *self)
{
  if (__atomic_add_fetch (&turn.n_done, 1, __ATOMIC_ACQ_REL) < self->n_threads)
    return;
  turn.n_done = 0;
  turn.parity = 1 - turn.parity;
  __atomic_store_n (&turn.owner, nullptr, __ATOMIC_RELEASE);
  __atomic_add_fetch (&turn.n_ended, 1, __ATOMIC_ACQ_REL);
  syscall (SYS_futex, &turn.n_ended, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

// The lanes of the warp that exist: the last warp of a block may be short.
unsigned
existing_lanes ()
{
  const unsigned lanes = block->n_threads - thread_number / 32 * 32;
  return lanes >= 32 ? 0xffffffffu : (1u << lanes) - 1;
}

} // namespace

void
simt_fail (simt_location here, const char *format, ...)
{
  char message[512];
  va_list arguments;
  va_start (arguments, format);
  vsnprintf (message, sizeof message, format, arguments);
  va_end (arguments);
  fprintf (stderr, "SIMT: %s:%d: block (%u,%u,%u) thread (%u,%u,%u): %s\n", here.file, here.line, blockIdx.x,
      blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, message);
  abort ();
}

void *
simt_dynamic_shared_memory ()
{
  return running_block ("SIMT_DYNAMIC_SHARED")->dynamic_shared;
}

SimtTurn::SimtTurn () : parity (begin_turn (running_block ("__shared__")))
{
  __tsan_acquire (&turn.order[1 - parity]);
}

SimtTurn::~SimtTurn ()
{
  __tsan_release (&turn.order[parity]);
  end_turn (block);
}

unsigned
simt_barrier (const char *name, bool predicate, simt_location)
{
  Block *self = running_block (name);
  const unsigned round = self->barrier.number () % 2;
  self->predicates[round].fetch_add (predicate, std::memory_order_relaxed);
  // Who comes to this barrier has read the result of the one before.
  self->barrier.wait ([=] { self->predicates[1 - round].store (0, std::memory_order_relaxed); });
  return self->predicates[round].load (std::memory_order_relaxed);
}

uint64_t
simt_collective (const char *name, unsigned mask, uint64_t value, int argument, simt_result result, simt_location here)
{
  Warp &warp = running_block (name)->warps[thread_number / 32];
  const unsigned lane = thread_number % 32;
  if (!(mask >> lane & 1))
    simt_fail (here, "%s: the mask 0x%08x leaves out the calling lane %u", name, mask, lane);

  Group *group;
  {
    std::lock_guard<std::mutex> lock (warp.mutex);
    group = &warp.groups.try_emplace (mask, mask & existing_lanes ()).first->second;
  }
  uint64_t (&values)[32] = group->values[group->meeting.number () % 2];
  values[lane] = value;
  group->meeting.wait ([] {});
  uint64_t all[32];
  for (unsigned i = 0; i < 32; i++)
    all[i] = group->lanes >> i & 1 ? values[i] : 0xdeadbeefdeadbeefu;
  return result (all, group->lanes, lane, argument);
}

unsigned
__activemask ()
{
  running_block ("__activemask");
  return 1u << thread_number % 32;
}

long long
clock64 ()
{
  return std::chrono::steady_clock::now ().time_since_epoch ().count ();
}

void
simt_before_atomic (void *address)
{
  if (has_fenced)
    __tsan_release (address);
}

void
simt_after_atomic (void *address)
{
  noted[n_noted++ % noted_atomics] = address;
}

void
simt_fence ()
{
  for (unsigned i = 0; i < n_noted && i < noted_atomics; i++)
    __tsan_acquire (noted[i]);
  n_noted = 0;
  has_fenced = true;
}

void
simt_launch (dim3 grid, dim3 block_size, size_t dynamic_shared_bytes, std::function<void ()> kernel)
{
  static std::mutex one_launch_at_a_time;
  std::lock_guard<std::mutex> lock (one_launch_at_a_time);
  gridDim = grid;
  blockDim = block_size;

  const unsigned n_threads = block_size.x * block_size.y * block_size.z;
  std::vector<unsigned> order (size_t { grid.x } * grid.y * grid.z);
  for (unsigned n = 0; n < order.size (); n++)
    order[n] = n;
  if (simt_seed != 0)
    std::shuffle (order.begin (), order.end (), std::minstd_rand (simt_seed + 1));
  size_t at_once = std::max (simt_threads_at_once / n_threads, 1u);
  for (size_t first = 0; first < order.size (); at_once = 1) {
    Launch launch (order, first, at_once, n_threads, dynamic_shared_bytes, kernel);
    run_blocks (launch);
    first = launch.next;
  }
}
