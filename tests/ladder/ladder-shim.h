// What the steps ask of a GPU beyond what the shim has: meetings of a grid and of a cluster, stores that are late, and
// half precision.
//
// Blocks run one after another on the shim. A kernel that meets is therefore launched once for each of its phases
// (ladder-mock.cc), and a cluster's shared memory outlives the blocks.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "simt.h"
#include "mock-kernel.h"

#define LADDER_KNOWN(kernel) MOCK_KERNEL (kernel)

struct LadderShim
{
  static constexpr int n_phases = 3;    // the most that any kernel has
  int phase = 0;
  unsigned cluster = 1;                 // blocks of one
  unsigned shared_bytes = 0;            // dynamic, of a block
  std::map<unsigned, std::vector<uint32_t> > shared;    // by block, while a cluster's kernel runs
  std::map<unsigned long long *, unsigned long long> under_way; // relaxed stores that none has seen
};

extern LadderShim ladder_shim;

static inline bool in_phase (int phase) { return phase == ladder_shim.phase; }
static inline void grid_meets () {}
static inline void cluster_meets () {}
static inline uint32_t rank_in_cluster () { return blockIdx.x % ladder_shim.cluster; }

static inline uint32_t *
shared_of_rank (uint32_t rank)
{
  std::vector<uint32_t> &words = ladder_shim.shared[blockIdx.x - rank_in_cluster () + rank];
  // Rubbish at first, as all shared memory.
  words.resize (ladder_shim.shared_bytes / sizeof (uint32_t), 0xdeadbeef);
  return words.data ();
}

// A relaxed store is seen by the second load of its word, or when the launch has ended: the first comes too early, as it
// may on a GPU.
static inline void
store_relaxed (unsigned long long *address, unsigned long long word)
{
  ladder_shim.under_way[address] = word;
}

static inline unsigned long long
load_relaxed (unsigned long long *address)
{
  const unsigned long long before = *address;
  const auto late = ladder_shim.under_way.find (address);
  if (late != ladder_shim.under_way.end ()) {
    *address = late->second;
    ladder_shim.under_way.erase (late);
  }
  return before;
}

// Finite normal numbers and zero: what the ladder holds.
static inline float
half_value (uint16_t bits)
{
  const int exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
  const float magnitude = exponent == 0 ? std::ldexp (float (fraction), -24)
      : std::ldexp (float (fraction | 0x400), exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

static inline uint16_t
half_bits (float value)
{
  if (value == 0)
    return 0;
  int exponent;
  const float fraction = std::frexp (std::fabs (value), &exponent);     // [0.5, 1)
  return uint16_t ((value < 0 ? 0x8000 : 0) | (exponent + 14) << 10 | (int (fraction * 2048) & 0x3ff));
}
