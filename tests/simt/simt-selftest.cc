// SPDX-License-Identifier: LGPL-2.1-or-later
// Self test of the CPU shim: every primitive does what CUDA says, and every mistake that the shim promises to catch is
// caught, with a message that names the place.
#include "simt-selftest-kernels.h"

#include <chrono>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
static const bool address_sanitizer = true;
#elif defined(__has_feature)
static const bool address_sanitizer = __has_feature (address_sanitizer);
#else
static const bool address_sanitizer = false;
#endif

static unsigned problems;

// ---- Kernels that must find everything as CUDA says ----------------------------------------------------------------

static void
expect_none (const char *name, const Failures &failures)
{
  if (failures.count == 0)
    return;
  problems++;
  printf ("%s, seed %u: %u failed, one at simt-selftest-kernels.h:%d\n", name, simt_seed, failures.count,
      failures.line);
}

static void
test_single_thread ()
{
  Failures failures = { 0, 0 };
  simt_launch (1, 1, 0, [&] { test_bits_and_bytes (&failures); });
  simt_launch (1, 1, 0, [&] { test_conversions (&failures); });
  simt_launch (1, 1, 0, [&] { test_arithmetic (&failures); });
  const uint4 source[3] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } };
  uint4 destination[3];
  simt_launch (1, 1, 0, [&] { test_vectors (&failures, source, destination); });
  unsigned long long words[32] = { 0 };
  simt_launch (1, 1, 0, [&] { test_atomics (&failures, words); });
  expect_none ("one thread", failures);
}

static void
test_warps_and_blocks ()
{
  Failures failures = { 0, 0 };
  for (dim3 block : { dim3 (32), dim3 (256), dim3 (8, 4), dim3 (16, 4, 16) }) {
    simt_launch (3, block, 0, [&] { test_shuffles (&failures); });
    simt_launch (3, block, 0, [&] { test_votes (&failures); });
  }
  expect_none ("warps", failures);

  for (dim3 block : { dim3 (1), dim3 (33), dim3 (1024), dim3 (7, 5, 3) }) {
    const unsigned threads = block.x * block.y * block.z;
    simt_launch (2, block, (threads + 3) * sizeof (unsigned), [&] { test_barriers (&failures, threads + 3); });
    for (dim3 grid : { dim3 (1), dim3 (17), dim3 (3, 2, 4) }) {
      std::vector<unsigned> marks (size_t { threads } * grid.x * grid.y * grid.z);
      unsigned blocks_done = 0;
      simt_launch (grid, block, 0, [&] { test_grid (&failures, marks.data (), &blocks_done); });
      for (unsigned mark : marks)
        if (mark != 1)
          failures.count++;
      if (blocks_done != 0)
        failures.count++;
    }
  }
  expect_none ("blocks", failures);
}

// A short last warp: the lanes beyond the block are passed over.
static void
test_short_warp ()
{
  Failures failures_of_all = { 0, 0 }, *failures = &failures_of_all;
  simt_launch (1, 40, 0, [&] {
    const unsigned lane = threadIdx.x % 32, lanes = threadIdx.x < 32 ? 32 : 8;
    EXPECT (__reduce_add_sync (0xffffffffu, 1u) == lanes);
    EXPECT (static_cast<unsigned> (__popc (__ballot_sync (0xffffffffu, 1))) == lanes);
    EXPECT (__shfl_down_sync (0xffffffffu, lane, 8) == (lanes == 8 ? 0xdeadbeefu : lane < 24 ? lane + 8 : lane));
  });
  expect_none ("short warp", failures_of_all);
}

// Dynamic shared memory holds rubbish at the start of each block, and never what the last block left.
static void
test_fresh_shared ()
{
  Failures failures_of_all = { 0, 0 }, *failures = &failures_of_all;
  std::vector<unsigned long long> first_words;
  simt_launch (8, 1, 1003, [&] {
    SIMT_DYNAMIC_SHARED (unsigned char, bytes);
    unsigned long long word;
    memcpy (&word, bytes + 992, sizeof word);
    EXPECT (word != 0 && bytes[1002] != 0x5a);
    first_words.push_back (word);
    memset (bytes, 0x5a, 1003);
  });
  std::sort (first_words.begin (), first_words.end ());
  EXPECT (std::unique (first_words.begin (), first_words.end ()) == first_words.end ());
  expect_none ("shared memory", failures_of_all);
}

// Launches from several threads of the host at once.
static void
test_many_hosts ()
{
  Failures failures = { 0, 0 };
  std::vector<std::thread> hosts;
  for (int i = 0; i < 4; i++)
    hosts.emplace_back ([&] {
      for (int repeat = 0; repeat < 20; repeat++)
        simt_launch (2, 256, 0, [&] { test_shuffles (&failures); });
    });
  for (std::thread &host : hosts)
    host.join ();
  expect_none ("several host threads", failures);
}

// A missing barrier must show under some seed, and a shuffled schedule must differ from the plain one.
static void
test_shuffling ()
{
  unsigned wrong = 0;
  for (simt_seed = 1; simt_seed <= 20; simt_seed++) {
    unsigned stale = 0;
    simt_launch (1, 64, 64 * sizeof (unsigned), [&] {
      SIMT_DYNAMIC_SHARED (unsigned, words);
      words[threadIdx.x] = threadIdx.x;         // and here __syncthreads () is missing
      stale += words[threadIdx.x ^ 1] != (threadIdx.x ^ 1);
    });
    wrong += stale != 0;
  }
  simt_seed = 0;
  if (wrong != 20) {
    problems++;
    printf ("a missing barrier went unnoticed under %u of 20 seeds\n", 20 - wrong);
  }
}

// ---- Mistakes that must be caught ----------------------------------------------------------------------------------

// Run `mistake` in a child process; it must end by abort () (or by AddressSanitizer) and say all of `words` on stderr.
static void
expect_death (const char *name, std::initializer_list<const char *> words, const std::function<void ()> &mistake)
{
  int ends[2];
  if (pipe (ends) != 0)
    abort ();
  fflush (stdout);
  const pid_t child = fork ();
  if (child == 0) {
    dup2 (ends[1], STDERR_FILENO);
    mistake ();
    _exit (0);
  }
  close (ends[1]);
  std::string said;
  char part[4096];
  for (ssize_t n; (n = read (ends[0], part, sizeof part)) > 0;)
    said.append (part, static_cast<size_t> (n));
  close (ends[0]);
  int status = 0;
  waitpid (child, &status, 0);

  bool caught = !(WIFEXITED (status) && WEXITSTATUS (status) == 0);
  for (const char *word : words)
    caught = caught && said.find (word) != std::string::npos;
  if (!caught) {
    problems++;
    printf ("%s: not caught as it should be; status 0x%x, said: %s\n", name, status, said.c_str ());
  }
}

static void
expect_deadlock (const char *name, std::initializer_list<const char *> words, dim3 block,
    const std::function<void ()> &kernel)
{
  expect_death (name, words, [&] { simt_launch (dim3 (2, 2), block, 64, kernel); });
}

static void
test_mistakes ()
{
  // UndefinedBehaviorSanitizer, where it is on too, may be the first to say so.
  if (address_sanitizer) {
    expect_death ("write beyond dynamic shared memory", { "AddressSanitizer", "heap-buffer-overflow" }, [] {
      simt_launch (1, 32, 31, [] {
        SIMT_DYNAMIC_SHARED (unsigned char, bytes);
        bytes[threadIdx.x] = 1;
      });
    });
    expect_death ("write beyond static shared memory", { "simt-selftest.cc:" }, [] {
      simt_launch (1, 32, 0, [] {
        __shared__ unsigned words[31];
        static_cast<volatile unsigned *> (words)[threadIdx.x] = 1;
      });
    });
    expect_death ("write beyond a local array", { "simt-selftest.cc:" }, [] {
      simt_launch (1, 32, 0, [] {
        unsigned words[8] = { 0 };
        volatile unsigned *first = words;       // out of sight of UBSan's check of array bounds
        __syncthreads ();
        first[threadIdx.x % 9] = 1;
      });
    });
  }
  expect_deadlock ("missing lane", { "missing lane in __shfl_sync", "simt-selftest.cc:", "thread (5,0,0)" }, 32, [] {
    if (threadIdx.x != 5)
      __shfl_sync (0xffffffffu, 1, 0);
  });
  expect_deadlock ("missing lane, at a barrier", { "missing lane in __ballot_sync", "waits in __syncthreads" }, 64, [] {
    if (threadIdx.x != 33)
      __ballot_sync (0xffffffffu, 1);
    __syncthreads ();
  });
  expect_deadlock ("lanes that disagree on the mask", { "missing lane in __any_sync" }, 32, [] {
    __any_sync (threadIdx.x < 16 ? 0xffffffffu : 0xffff0000u, 1);
  });
  expect_deadlock ("lanes in different calls", { "missing lane in __any_sync", "__all_sync" }, 32, [] {
    if (threadIdx.x < 16)
      __any_sync (0xffffffffu, 1);
    else
      __all_sync (0xffffffffu, 1);
  });
  expect_deadlock ("mask without the caller", { "0x0000ffff leaves out the calling lane" }, 32, [] {
    __any_sync (0x0000ffffu, 1);
  });
  expect_deadlock ("shuffle width", { "width 12" }, 32, [] { __shfl_sync (0xffffffffu, 1, 0, 12); });
  expect_deadlock ("divergent barrier", { "divergent barrier", "block (", "simt-selftest.cc:" }, 64, [] {
    if (threadIdx.x < 32)
      __syncthreads ();
    else
      __syncthreads ();
  });
  expect_deadlock ("early exit before a barrier", { "barrier deadlock", "has exited" }, dim3 (8, 8), [] {
    if (threadIdx.y == 7)
      return;
    __syncthreads ();
  });
  expect_deadlock ("exit while others wait at a barrier", { "barrier deadlock", "(3,0,0) has exited" }, 4, [] {
    if (threadIdx.x != 3)
      __syncthreads ();
  });
  expect_deadlock ("trap", { "__trap ()", "thread (2,0,0)" }, 4, [] {
    if (threadIdx.x == 2)
      __trap ();
  });
  expect_death ("barrier outside of a kernel", { "outside of a kernel" }, [] { __syncthreads (); });
  expect_death ("too many threads", { "impossible launch" }, [] { simt_launch (1, 1025, 0, [] {}); });
  expect_death ("empty grid", { "impossible launch" }, [] { simt_launch (0, 32, 0, [] {}); });
}

// ---- Speed, for information ----------------------------------------------------------------------------------------

static double
microseconds (const std::function<void ()> &work)
{
  const auto start = std::chrono::steady_clock::now ();
  work ();
  return std::chrono::duration<double, std::micro> (std::chrono::steady_clock::now () - start).count ();
}

static void
report_speed ()
{
  const int rounds = 100;
  const double barrier = microseconds ([] {
    simt_launch (1, 1024, 0, [] {
      for (int i = 0; i < rounds; i++)
        __syncthreads ();
    });
  }) / rounds;
  const double shuffle = microseconds ([] {
    simt_launch (1, 1024, 0, [] {
      for (int i = 0; i < rounds; i++)
        __shfl_xor_sync (0xffffffffu, i, 1);
    });
  }) / rounds;
  const double block = microseconds ([] { simt_launch (rounds, 1024, 0, [] {}); }) / rounds;
  printf ("1024 threads: %.1f us a barrier, %.1f us a shuffle, %.1f us an empty block\n", barrier, shuffle, block);
}

int
main ()
{
  for (simt_seed = 0; simt_seed < 5; simt_seed++) {
    test_single_thread ();
    test_warps_and_blocks ();
    test_short_warp ();
    test_fresh_shared ();
  }
  simt_seed = 0;
  test_many_hosts ();
  test_shuffling ();
  for (simt_seed = 0; simt_seed < 2; simt_seed++)
    test_mistakes ();
  simt_seed = 0;
  report_speed ();
  printf ("%u problems\n", problems);
  return problems != 0;
}
