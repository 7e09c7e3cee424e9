// SPDX-License-Identifier: LGPL-2.1-or-later
// Self test of the shim's threads under ThreadSanitizer: kernels that are right are let pass, and those with one
// barrier, fence or atomic operation too few are not.
#include "simt.h"

#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

static unsigned problems;

static const unsigned n_threads = 64;
// Numbers of blocks of a launch: few_blocks run at the same time, and many_blocks need several batches. The last batch
// has fewer blocks than the others, but at least two, because one block alone has no race with another.
static const unsigned few_blocks = 3, many_blocks = 38, batch = simt_threads_at_once / n_threads;
static_assert (few_blocks <= batch && batch < many_blocks && many_blocks % batch >= 2, "blocks of the last batch");

// ---- Kernels: each is right with `right`, and has a race without it ------------------------------------------------

// Words go round within a block.
static void
exchange (bool right, unsigned *result)
{
  SIMT_DYNAMIC_SHARED (unsigned, words);
  words[threadIdx.x] = threadIdx.x;
  if (right)
    __syncthreads ();
  result[blockIdx.x * blockDim.x + threadIdx.x] = words[(threadIdx.x + 33) % blockDim.x];
}

// The same in static shared memory, of which each block has its own.
static void
exchange_static (bool right, unsigned *result)
{
  __shared__ unsigned words[64];
  words[threadIdx.x] = blockIdx.x * 64 + threadIdx.x;
  if (right)
    __syncthreads ();
  result[blockIdx.x * blockDim.x + threadIdx.x] = words[(threadIdx.x + 33) % blockDim.x];
}

// Counters of a block, cleared before they are counted in.
static void
count (bool right, unsigned *result)
{
  SIMT_DYNAMIC_SHARED (unsigned, words);
  words[threadIdx.x] = 0;
  if (right)
    __syncthreads ();
  for (unsigned i = 0; i < 40; i++)
    atomicAdd (&words[(threadIdx.x * 7 + i) % blockDim.x], 1u);
  __syncthreads ();
  result[blockIdx.x * blockDim.x + threadIdx.x] = words[threadIdx.x];
}

// The last block adds up what the others have left, and clears the ticket. `partials` is after it.
static void
sum_with_fences (bool fence_before, bool fence_after, unsigned *result)
{
  unsigned *ticket = result, *partials = result + 1;
  if (threadIdx.x == 5)
    partials[blockIdx.x] = blockIdx.x;
  if (fence_before)
    __threadfence ();
  __syncthreads ();
  bool is_last = false;
  if (threadIdx.x == 0) {
    is_last = atomicAdd (ticket, 1u) == gridDim.x - 1;
    if (is_last && fence_after)
      __threadfence ();
  }
  if (!__syncthreads_or (is_last))
    return;
  if (threadIdx.x < gridDim.x)
    atomicAdd (partials + gridDim.x, partials[threadIdx.x]);
}

static void
sum_by_ticket (bool right, unsigned *result)
{
  sum_with_fences (right, right, result);
}

// With a race, only the last four blocks lack a fence. The same threads ran other blocks before, with a fence.
static void
sum_in_batches (bool right, unsigned *result)
{
  sum_with_fences (right || blockIdx.x + 4 < gridDim.x, true, result);
}

// All blocks in one word.
static void
add_up (bool right, unsigned *result)
{
  if (right)
    atomicAdd (result, 1u);
  else
    *result += 1;
}

// Each number counts its blocks; the last one clears it.
static void
count_blocks (bool right, unsigned *result)
{
  if (atomicAdd (result + threadIdx.x, 1u) != gridDim.x - 1)
    return;
  if (right)
    __stcg (result + threadIdx.x, 0u);
  else
    result[threadIdx.x] = 0;
}

static const struct
{
  const char *name;
  void (*kernel) (bool right, unsigned *result);
  unsigned n_blocks;
} kernels[] = {
  { "exchange", exchange, few_blocks }, { "exchange-static", exchange_static, few_blocks },
  { "count", count, few_blocks }, { "ticket", sum_by_ticket, few_blocks },
  { "ticket-in-batches", sum_in_batches, many_blocks }, { "add", add_up, few_blocks },
  { "count-blocks", count_blocks, few_blocks },
};

// ---- Running them --------------------------------------------------------------------------------------------------

static void
run (size_t number, bool right)
{
  const unsigned n_blocks = kernels[number].n_blocks;
  std::vector<unsigned> result (n_blocks * n_threads);
  simt_launch (n_blocks, n_threads, n_threads * sizeof (unsigned),
      [&] { kernels[number].kernel (right, result.data ()); });
}

// In a program of its own, because a report makes it exit with 66.
static int
run_alone (const char *program, size_t number, bool right)
{
  const pid_t child = fork ();
  if (child == 0) {
    if (!right && freopen ("/dev/null", "w", stderr) == nullptr)
      _exit (1);
    execl (program, program, std::to_string (number).c_str (), right ? "right" : "wrong", nullptr);
    _exit (1);
  }
  int status = 0;
  waitpid (child, &status, 0);
  return status;
}

// A race is found only where the threads meet it, which on a busy machine not each run does.
static void
expect (const char *program, size_t number, bool right)
{
  int status = run_alone (program, number, right);
  for (int i = 0; i < 20 && !right && status == 0; i++)
    status = run_alone (program, number, right);
  const bool reported = WIFEXITED (status) && WEXITSTATUS (status) == 66;
  const bool passed = WIFEXITED (status) && WEXITSTATUS (status) == 0;
  if (right ? passed : reported)
    return;
  problems++;
  printf ("%s, %s: status 0x%x\n", kernels[number].name, right ? "which is right" : "which has a race", status);
}

static void
test_results (unsigned n_blocks)
{
  std::vector<unsigned> result (n_blocks * n_threads);
  bool right = true;
  simt_launch (n_blocks, n_threads, n_threads * sizeof (unsigned), [&] { exchange (true, result.data ()); });
  for (unsigned i = 0; i < result.size (); i++)
    right = right && result[i] == (i % n_threads + 33) % n_threads;

  simt_launch (n_blocks, n_threads, 0, [&] { exchange_static (true, result.data ()); });
  for (unsigned i = 0; i < result.size (); i++)
    right = right && result[i] == i / n_threads * n_threads + (i + 33) % n_threads;

  std::fill (result.begin (), result.end (), 0);
  simt_launch (n_blocks, n_threads, n_threads * sizeof (unsigned), [&] { sum_by_ticket (true, result.data ()); });
  right = right && result[0] == n_blocks && result[1 + n_blocks] == n_blocks * (n_blocks - 1) / 2;

  unsigned wrong = 0;
  simt_launch (2, 40, 0, [&] {
    const unsigned lane = threadIdx.x % 32, lanes = threadIdx.x < 32 ? 32 : 8;
    bool ok = __reduce_add_sync (0xffffffffu, 1u) == lanes;
    ok = ok && __shfl_down_sync (0xffffffffu, lane, 8) == (lanes == 8 ? 0xdeadbeefu : lane < 24 ? lane + 8 : lane);
    ok = ok && (lane >= 8 || __shfl_xor_sync (0x000000ffu, lane, 7) == 7 - lane);
    for (unsigned i = 0; i < 10; i++) {
      ok = ok && __syncthreads_count (threadIdx.x < i) == static_cast<int> (i);
      ok = ok && __shfl_sync (0xffffffffu, lane * i, 3) == 3 * i;
    }
    if (!ok)
      atomicAdd (&wrong, 1u);
  });
  if (!right || wrong != 0) {
    problems++;
    printf ("wrong results, %u in collectives\n", wrong);
  }
}

int
main (int argc, char **argv)
{
  if (argc == 3) {
    run (strtoul (argv[1], nullptr, 10), strcmp (argv[2], "right") == 0);
    return 0;
  }
  test_results (few_blocks);
  test_results (many_blocks);
  for (size_t number = 0; number < sizeof kernels / sizeof kernels[0]; number++) {
    expect (argv[0], number, true);
    expect (argv[0], number, false);
  }
  printf ("%u problems\n", problems);
  return problems != 0;
}
