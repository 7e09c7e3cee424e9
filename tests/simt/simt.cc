// SPDX-License-Identifier: LGPL-2.1-or-later
// The scheduler of the CPU shim: runs the threads of each block on fibers, and lets them meet at barriers and warp
// collectives. A thread that breaks the rules of such a meeting ends the program with a message.
#include "simt.h"
#include "simt-fiber.h"

#include <chrono>
#include <cstdarg>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;
unsigned simt_seed;

namespace {

enum class State { runnable, at_barrier, at_collective, exited };

// One CUDA thread of the running block.
struct Thread
{
  uint3 index;
  unsigned number;              // within the block, which decides warp and lane
  State state;
  SimtFiber *fiber;             // none before the first turn and after the last

  // What it waits for, if it waits.
  const char *call;
  simt_location where;
  unsigned mask;
  uint64_t value;               // what it contributes, and then what it takes away
  int argument;
  simt_result result;

  unsigned lane () const { return number % 32; }
  Thread *warp () { return this - lane (); }
};

// The running launch and its running block.
struct Launch
{
  const std::function<void ()> *kernel;
  std::minstd_rand random;
  void *dynamic_shared = nullptr;
  size_t dynamic_shared_bytes = 0;

  std::vector<Thread> threads;
  std::vector<Thread *> turn, next_turn;        // threads that can run, in this round and in the next
  size_t n_turns = 0;           // of this round, that were given
  // For each warp, the lanes that wait in a collective, and those that have exited.
  std::vector<unsigned> collective_waiting, exited_lanes;
  unsigned exited = 0;
  unsigned at_barrier = 0;
  unsigned predicates = 0, predicate_result = 0;
  Thread *first_at_barrier = nullptr;
};

Launch launch;
Thread *current;                // null between turns and outside of launches

// Finished threads give their fiber back, the next to begin takes it: threads that never wait share one warm stack.
std::vector<std::unique_ptr<SimtFiber> > fibers;
std::vector<SimtFiber *> idle_fibers;

[[noreturn]] void
fail_thread (const Thread *thread, simt_location where, const char *message)
{
  fprintf (stderr, "SIMT: %s:%d: block (%u,%u,%u) thread (%u,%u,%u): %s\n", where.file, where.line, blockIdx.x,
      blockIdx.y, blockIdx.z, thread->index.x, thread->index.y, thread->index.z, message);
  fflush (stderr);
  abort ();
}

std::string
describe (const Thread *thread)
{
  char text[512];
  const uint3 i = thread->index;
  switch (thread->state) {
    case State::exited:
      snprintf (text, sizeof text, "thread (%u,%u,%u) has exited", i.x, i.y, i.z);
      break;
    case State::runnable:
      snprintf (text, sizeof text, "thread (%u,%u,%u) is elsewhere", i.x, i.y, i.z);
      break;
    default:
      snprintf (text, sizeof text, "thread (%u,%u,%u) waits in %s at %s:%d", i.x, i.y, i.z, thread->call,
          thread->where.file, thread->where.line);
      if (thread->state == State::at_collective)
        snprintf (text + strlen (text), sizeof text - strlen (text), " with mask 0x%08x", thread->mask);
  }
  return text;
}

bool
same_place (const simt_location &a, const simt_location &b)
{
  return a.line == b.line && a.column == b.column && (a.file == b.file || strcmp (a.file, b.file) == 0);
}

bool
same_call (const Thread *a, const char *call, const simt_location &where)
{
  return same_place (a->where, where) && (a->call == call || strcmp (a->call, call) == 0);
}

// The lanes of a warp that exist: the last warp of a block may be short.
unsigned
existing_lanes (const Thread *thread)
{
  const size_t lanes = launch.threads.size () - (thread->number - thread->lane ());
  return lanes >= 32 ? 0xffffffffu : (1u << lanes) - 1;
}

Thread *
calling_thread (const char *call)
{
  if (current == nullptr) {
    fprintf (stderr, "SIMT: %s outside of a kernel\n", call);
    abort ();
  }
  return current;
}

void
wake (Thread *thread)
{
  thread->state = State::runnable;
  launch.next_turn.push_back (thread);
}

template <typename T>
void
shuffle (std::vector<T> &items)
{
  if (simt_seed != 0)
    std::shuffle (items.begin (), items.end (), launch.random);
}

SimtFiber *
take_fiber ()
{
  if (idle_fibers.empty ()) {
    fibers.emplace_back (new SimtFiber (static_cast<unsigned> (fibers.size ())));
    return fibers.back ().get ();
  }
  SimtFiber *fiber = idle_fibers.back ();
  idle_fibers.pop_back ();
  return fiber;
}

void thread_main ();

// The thread that runs next: of this round, or else of the next one. Null if no thread can run.
Thread *
next_thread ()
{
  if (launch.n_turns == launch.turn.size ()) {
    launch.turn.swap (launch.next_turn);
    launch.next_turn.clear ();
    launch.n_turns = 0;
    shuffle (launch.turn);
  }
  return launch.turn.empty () ? nullptr : launch.turn[launch.n_turns++];
}

void
begin_turn (Thread *thread)
{
  current = thread;
  threadIdx = thread->index;
  if (thread->fiber == nullptr) {
    thread->fiber = take_fiber ();
    thread->fiber->start (thread_main);
  }
}

// The next thread takes its turn. Without one the scheduler finds a deadlock.
void
wait_as (Thread *thread, State state)
{
  thread->state = state;
  Thread *next = next_thread ();
  if (next == nullptr) {
    thread->fiber->leave ();
    return;
  }
  begin_turn (next);
  thread->fiber->switch_to (next->fiber);
}

// A thread that leaves while others wait for it will never come.
void
check_exit (Thread *thread)
{
  if (launch.at_barrier != 0)
    fail_thread (launch.first_at_barrier, launch.first_at_barrier->where,
        ("barrier deadlock: waits for all threads, but " + describe (thread)).c_str ());
  unsigned waiting = launch.collective_waiting[thread->number / 32];
  for (; waiting != 0; waiting &= waiting - 1) {
    const Thread *other = thread->warp () + __builtin_ctz (waiting);
    if (other->mask >> thread->lane () & 1)
      fail_thread (other, other->where,
          (std::string ("missing lane in ") + other->call + ": " + describe (thread)).c_str ());
  }
}

// The whole life of a thread, on its fiber.
void
thread_main ()
{
  (*launch.kernel) ();
  current->state = State::exited;
  launch.exited++;
  launch.exited_lanes[current->number / 32] |= 1u << current->lane ();
  check_exit (current);
}

// Runs the thread, and then those that it and the next ones switch to.
void
give_turn (Thread *thread)
{
  begin_turn (thread);
  thread->fiber->resume ();
  if (current->state == State::exited)
    idle_fibers.push_back (current->fiber);
  current = nullptr;
}

[[noreturn]] void
fail_deadlock ()
{
  for (Thread &thread : launch.threads) {
    if (thread.state != State::at_collective)
      continue;
    for (unsigned lane = 0; lane < 32; lane++) {
      if (!(thread.mask & existing_lanes (&thread)) || !(thread.mask & existing_lanes (&thread) & 1u << lane))
        continue;
      const Thread *other = thread.warp () + lane;
      if (other->state != State::at_collective || !same_call (other, thread.call, thread.where)
          || other->mask != thread.mask) {
        char mask[64];
        snprintf (mask, sizeof mask, " (mask 0x%08x): ", thread.mask);
        fail_thread (&thread, thread.where,
            (std::string ("missing lane in ") + thread.call + mask + describe (other)).c_str ());
      }
    }
  }
  for (Thread &thread : launch.threads)
    if (thread.state == State::at_barrier)
      fail_thread (&thread, thread.where, "barrier deadlock");
  fprintf (stderr, "SIMT: deadlock\n");
  abort ();
}

// Every block finds other rubbish in its shared memory.
void
fill_dynamic_shared ()
{
  const uint64_t pattern = (static_cast<uint64_t> (launch.random ()) << 32 ^ launch.random ()) | 0x8001000080010001u;
  unsigned char *bytes = static_cast<unsigned char *> (launch.dynamic_shared);
  if (bytes == nullptr)
    return;
  size_t filled = std::min (sizeof pattern, launch.dynamic_shared_bytes);
  memcpy (bytes, &pattern, filled);
  // Each copy doubles what is filled.
  while (filled < launch.dynamic_shared_bytes) {
    const size_t more = std::min (filled, launch.dynamic_shared_bytes - filled);
    memcpy (bytes + filled, bytes, more);
    filled += more;
  }
}

void
run_block ()
{
  fill_dynamic_shared ();
  launch.exited = launch.at_barrier = launch.predicates = 0;
  std::fill (launch.exited_lanes.begin (), launch.exited_lanes.end (), 0);
  launch.turn.clear ();
  launch.n_turns = 0;
  for (Thread &thread : launch.threads) {
    thread.fiber = nullptr;
    wake (&thread);
  }
  while (Thread *thread = next_thread ())
    give_turn (thread);
  if (launch.exited != launch.threads.size ())
    fail_deadlock ();
}

void
number_threads (dim3 block)
{
  launch.threads.resize (size_t { block.x } * block.y * block.z);
  launch.collective_waiting.assign ((launch.threads.size () + 31) / 32, 0);
  launch.exited_lanes.assign (launch.collective_waiting.size (), 0);
  for (unsigned n = 0; n < launch.threads.size (); n++) {
    launch.threads[n] = Thread ();
    launch.threads[n].number = n;
    launch.threads[n].index = { n % block.x, n / block.x % block.y, n / block.x / block.y };
  }
}

void
check_launch (dim3 grid, dim3 block)
{
  const bool grid_fits = grid.x - 1 < 0x7fffffffu && grid.y - 1 < 65535 && grid.z - 1 < 65535;
  const bool block_fits = block.x - 1 < 1024 && block.y - 1 < 1024 && block.z - 1 < 64
      && size_t { block.x } * block.y * block.z <= 1024;
  if (grid_fits && block_fits && current == nullptr)
    return;
  fprintf (stderr, "SIMT: impossible launch: grid (%u,%u,%u), block (%u,%u,%u)%s\n", grid.x, grid.y, grid.z, block.x,
      block.y, block.z, current == nullptr ? "" : ", from within a kernel");
  abort ();
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
  fail_thread (calling_thread (message), here, message);
}

void *
simt_dynamic_shared_memory ()
{
  calling_thread ("SIMT_DYNAMIC_SHARED");
  return launch.dynamic_shared;
}

unsigned
simt_barrier (const char *name, bool predicate, simt_location here)
{
  Thread *self = calling_thread (name);
  self->call = name;
  self->where = here;
  if (launch.exited != 0)
    for (const Thread &thread : launch.threads)
      if (thread.state == State::exited)
        simt_fail (here, "barrier deadlock: %s waits for all threads, but %s", name, describe (&thread).c_str ());
  if (launch.at_barrier == 0)
    launch.first_at_barrier = self;
  else if (!same_call (launch.first_at_barrier, name, here))
    simt_fail (here, "divergent barrier: calls %s while %s", name, describe (launch.first_at_barrier).c_str ());

  launch.predicates += predicate;
  if (++launch.at_barrier < launch.threads.size ()) {
    wait_as (self, State::at_barrier);
    return launch.predicate_result;
  }

  // The last to come frees the others and goes on. The result stays until all have read it, because the next barrier
  // cannot be complete before.
  launch.predicate_result = launch.predicates;
  launch.at_barrier = launch.predicates = 0;
  for (Thread &thread : launch.threads)
    if (&thread != self)
      wake (&thread);
  return launch.predicate_result;
}

uint64_t
simt_collective (const char *name, unsigned mask, uint64_t value, int argument, simt_result result, simt_location here)
{
  Thread *self = calling_thread (name), *warp = self->warp ();
  unsigned &waiting = launch.collective_waiting[self->number / 32];
  const unsigned group = mask & existing_lanes (self);
  if (!(mask >> self->lane () & 1))
    simt_fail (here, "%s: the mask 0x%08x leaves out the calling lane %u", name, mask, self->lane ());

  self->call = name;
  self->where = here;
  self->mask = mask;
  self->value = value;
  self->argument = argument;
  self->result = result;

  // All the lanes that the mask names must have come, to the same call.
  const unsigned missing = group & launch.exited_lanes[self->number / 32];
  if (missing != 0)
    simt_fail (here, "missing lane in %s: %s", name, describe (warp + __builtin_ctz (missing)).c_str ());
  bool complete = ((waiting | 1u << self->lane ()) & group) == group;
  for (unsigned lanes = complete ? group : 0; complete && lanes != 0; lanes &= lanes - 1) {
    const Thread *other = warp + __builtin_ctz (lanes);
    complete = other == self || (other->mask == mask && same_call (other, name, here));
  }
  if (!complete) {
    waiting |= 1u << self->lane ();
    wait_as (self, State::at_collective);
    return self->value;
  }

  uint64_t values[32], results[32];
  for (unsigned lane = 0; lane < 32; lane++)
    values[lane] = group >> lane & 1 ? warp[lane].value : 0xdeadbeefdeadbeefu;
  for (unsigned lane = 0; lane < 32; lane++)
    results[lane] = group >> lane & 1 ? result (values, group, lane, warp[lane].argument) : 0;
  for (unsigned lanes = group; lanes != 0; lanes &= lanes - 1) {
    const int lane = __builtin_ctz (lanes);
    warp[lane].value = results[lane];
    if (warp + lane != self)
      wake (warp + lane);
  }
  waiting &= ~group;
  return self->value;
}

unsigned
__activemask ()
{
  return 1u << calling_thread ("__activemask")->lane ();
}

long long
clock64 ()
{
  return std::chrono::steady_clock::now ().time_since_epoch ().count ();
}

void
simt_launch (dim3 grid, dim3 block, size_t dynamic_shared_bytes, std::function<void ()> kernel)
{
  static std::mutex one_launch_at_a_time;
  std::lock_guard<std::mutex> lock (one_launch_at_a_time);
  check_launch (grid, block);

  gridDim = grid;
  blockDim = block;
  number_threads (block);
  launch.kernel = &kernel;
  launch.random.seed (simt_seed + 1);
  // Exactly the bytes asked for, so that AddressSanitizer sees the first one beyond.
  launch.dynamic_shared_bytes = dynamic_shared_bytes;
  launch.dynamic_shared = nullptr;
  if (dynamic_shared_bytes != 0 && posix_memalign (&launch.dynamic_shared, 1024, dynamic_shared_bytes) != 0)
    abort ();

  std::vector<unsigned> order (size_t { grid.x } * grid.y * grid.z);
  for (unsigned n = 0; n < order.size (); n++)
    order[n] = n;
  shuffle (order);
  for (unsigned n : order) {
    blockIdx = { n % grid.x, n / grid.x % grid.y, n / grid.x / grid.y };
    run_block ();
  }
  free (launch.dynamic_shared);
}
