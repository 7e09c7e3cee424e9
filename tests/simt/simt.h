// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA C++ on the CPU: include this in place of the CUDA headers (CUDAHISTO_SIMT is defined then), compile the kernels
// as C++17, and simt_launch () runs them, one fiber per CUDA thread.
//
//   #ifdef CUDAHISTO_SIMT
//   #include "simt.h"
//   #endif
//
// Kernels get at their dynamic shared memory by SIMT_DYNAMIC_SHARED (type, name); for nvcc it can be defined as
// "extern __shared__ __align__ (1024) unsigned char bytes[]; type *name = reinterpret_cast<type *> (bytes)".
//
// Blocks run one after another; the threads of a block take turns at barriers and warp collectives only. With a
// nonzero simt_seed, the order of blocks and threads is shuffled, so that a missing barrier shows. Memory faults
// are AddressSanitizer's business. A kernel's mistake ends the program with abort () and one line on stderr that names
// source line, block and thread.
//
// Stricter than the hardware, because portable kernels need none of it:
// - all threads of a block must reach each __syncthreads (), also on devices where exited threads do not count;
// - the lanes that a mask names must reach the same call on the same source line, and none may have exited. Lanes
//   beyond the end of a block that is no multiple of 32 may be named; reading one yields 0xdeadbeef;
// - __activemask () answers the caller's own lane alone, the least that the hardware may answer.
// Not seen: a race between two barriers that happens to come out right in the order drawn (try several seeds); a static
// __shared__ variable that is read before it is written (it keeps the last block's value; dynamic shared memory is
// filled with a new pattern for every block).
//
// With SIMT_THREADS each CUDA thread is a thread of the host, and blocks run at the same time: slow, for
// ThreadSanitizer, which then sees the races between two barriers, and between blocks. What is ordered is written down
// in simt-threads.cc.
//
// __CUDA_ARCH__ stays undefined unless the compiler's command line defines it, so that a test can choose a kernel's
// code path for any device.
#pragma once

// The C++ library's own headers say __attribute__ ((__noinline__)), which the macro below would garble: whatever a
// kernel may want is therefore included first.
#include <algorithm>
#include <atomic>
#include <cassert>
#include <cfenv>
#include <cfloat>
#include <cinttypes>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "simt-types.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#ifdef SIMT_THREADS
// Blocks run at the same time there, and would share it: from here to the end of the scope they take turns. All threads
// of a block must come here, and there may be but one such variable.
class SimtTurn
{
public:
  SimtTurn ();
  ~SimtTurn ();
  SimtTurn (const SimtTurn &) = delete;
  SimtTurn &operator= (const SimtTurn &) = delete;

private:
  const unsigned parity;
};
#define __shared__ SimtTurn simt_turn; static
#else
#define __shared__ static
#endif
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(alignment) __attribute__ ((aligned (alignment)))
#ifdef SIMT_COVERAGE
// A branch belongs to one line then, not to each place that the line is inlined to.
#define __forceinline__ inline __attribute__ ((noinline))
#else
// The compiler may choose: so the kernels compile in a third of the time, and are not slower.
#define __forceinline__ inline
#endif
#define __noinline__ __attribute__ ((noinline))
// __restrict__ is a word of both host compilers already.

#ifdef SIMT_THREADS
extern __thread uint3 threadIdx, blockIdx;

// At most so many threads of blocks are alive at a time; a block of more threads runs alone. The ThreadSanitizer of
// gcc 12 allows about 8000 threads. Since gcc 13 it tells 255 threads apart, with the main thread. If more are alive,
// two threads can look like one, and it misses races.
#if __GNUC__ >= 13
const unsigned simt_threads_at_once = 192;
#else
const unsigned simt_threads_at_once = 2048;
#endif
#else
extern uint3 threadIdx, blockIdx;
#endif
extern dim3 blockDim, gridDim;
static constexpr int warpSize = 32;

// ---- Launching -----------------------------------------------------------------------------------------------------

// 0: blocks and threads run in order. Anything else: in an order drawn from this number.
extern unsigned simt_seed;
// Counts the threads that have waited for the launch before theirs, for who must know whether a kernel does.
inline std::atomic<unsigned long> simt_n_waits;

// Run `kernel` once per thread of the grid, and return when all have ended. The limits are those of a device: 1024
// threads a block, 1024 x 1024 x 64 each way. Threads of the host may call it at the same time: they wait their turn.
void simt_launch (dim3 grid, dim3 block, size_t dynamic_shared_bytes, std::function<void ()> kernel);

// Declare `type *name`, the block's dynamic shared memory: exactly the bytes given at the launch, aligned to 1024.
#define SIMT_DYNAMIC_SHARED(type, name) type *name = static_cast<type *> (simt_dynamic_shared_memory ())
void *simt_dynamic_shared_memory ();

// ---- Where in the kernel's source a call stands --------------------------------------------------------------------

#ifdef __clang__
#define SIMT_COLUMN __builtin_COLUMN ()
#else
#define SIMT_COLUMN 0
#endif

struct simt_location
{
  const char *file;
  int line;
  int column;                   // 0 from gcc, which cannot tell

  // As a default argument, this is the place of the call whose argument it is.
  static constexpr simt_location
  here (const char *file = __builtin_FILE (), int line = __builtin_LINE (), int column = SIMT_COLUMN)
  {
    return { file, line, column };
  }
};

// End the program with a message about the calling CUDA thread.
[[noreturn]] void simt_fail (simt_location here, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

static inline void
__trap (simt_location here = simt_location::here ())
{
  simt_fail (here, "__trap ()");
}

// ---- Barriers of a block -------------------------------------------------------------------------------------------

// Wait for all threads of the block. Returns how many of them gave a true predicate.
unsigned simt_barrier (const char *name, bool predicate, simt_location here);

static inline void
__syncthreads (simt_location here = simt_location::here ())
{
  simt_barrier ("__syncthreads", false, here);
}

static inline int
__syncthreads_count (int predicate, simt_location here = simt_location::here ())
{
  return static_cast<int> (simt_barrier ("__syncthreads_count", predicate != 0, here));
}

static inline int
__syncthreads_or (int predicate, simt_location here = simt_location::here ())
{
  return simt_barrier ("__syncthreads_or", predicate != 0, here) != 0;
}

static inline int
__syncthreads_and (int predicate, simt_location here = simt_location::here ())
{
  return simt_barrier ("__syncthreads_and", predicate != 0, here) == blockDim.x * blockDim.y * blockDim.z;
}

// ---- Collectives of a warp -----------------------------------------------------------------------------------------

// What one lane takes away: `values` has every lane's contribution, `group` the lanes that take part, `argument` is
// this lane's own.
typedef uint64_t (*simt_result) (const uint64_t values[32], unsigned group, unsigned lane, int argument);

// Wait for the lanes of `mask`, then return what `result` makes of their values for the calling lane.
uint64_t simt_collective (const char *name, unsigned mask, uint64_t value, int argument, simt_result result,
    simt_location here);

template <typename To, typename From>
static inline To
simt_bits (From from)
{
  static_assert (sizeof (To) == sizeof (From), "only the same number of bits can be reinterpreted");
  To to;
  memcpy (&to, &from, sizeof to);
  return to;
}

template <typename T>
static inline uint64_t
simt_pack (T value)
{
  static_assert (std::is_arithmetic<T>::value && (sizeof (T) == 4 || sizeof (T) == 8), "no 32- or 64-bit number");
  uint64_t packed = 0;
  memcpy (&packed, &value, sizeof value);
  return packed;
}

template <typename T>
static inline T
simt_unpack (uint64_t packed)
{
  T value;
  memcpy (&value, &packed, sizeof value);
  return value;
}

static inline void
__syncwarp (unsigned mask = 0xffffffffu, simt_location here = simt_location::here ())
{
  simt_collective ("__syncwarp", mask, 0, 0, [] (const uint64_t *, unsigned, unsigned, int) -> uint64_t { return 0; },
      here);
}

// Shuffles follow the PTX manual's definition of shfl.sync: a segment of `width` lanes has its own first and last
// lane; what lies outside is answered by the caller's own value; and the lane number or distance counts modulo 32.
// `argument` carries that number in its low bits and the width above.
template <int (*source_lane) (int lane, int first, int last, int operand, int width)>
static inline uint64_t
simt_shuffle_result (const uint64_t values[32], unsigned, unsigned lane, int argument)
{
  const int width = argument >> 5, operand = argument & 31;
  const int first = static_cast<int> (lane) & (32 - width), last = first | (width - 1);
  const int source = source_lane (static_cast<int> (lane), first, last, operand, width);
  return values[source];
}

static inline int
simt_shuffle_index (int, int first, int, int operand, int width)
{
  return first | (operand & (width - 1));
}

static inline int
simt_shuffle_up (int lane, int first, int, int operand, int)
{
  return lane - operand >= first ? lane - operand : lane;
}

static inline int
simt_shuffle_down (int lane, int, int last, int operand, int)
{
  return lane + operand <= last ? lane + operand : lane;
}

static inline int
simt_shuffle_xor (int lane, int, int last, int operand, int)
{
  return (lane ^ operand) <= last ? lane ^ operand : lane;
}

template <typename T>
static inline T
simt_shuffle (const char *name, unsigned mask, T value, int operand, int width, simt_result result, simt_location here)
{
  if (width < 1 || width > 32 || (width & (width - 1)) != 0)
    simt_fail (here, "%s: the width %d is no power of two up to 32", name, width);
  return simt_unpack<T> (simt_collective (name, mask, simt_pack (value), width << 5 | (operand & 31), result, here));
}

// Integers narrower than int are promoted, as by the overloads that CUDA has.
template <typename T>
static inline auto
__shfl_sync (unsigned mask, T value, int source, int width = warpSize,
    simt_location here = simt_location::here ())
{
  return simt_shuffle ("__shfl_sync", mask, +value, source, width, simt_shuffle_result<simt_shuffle_index>, here);
}

template <typename T>
static inline auto
__shfl_up_sync (unsigned mask, T value, unsigned delta, int width = warpSize,
    simt_location here = simt_location::here ())
{
  return simt_shuffle ("__shfl_up_sync", mask, +value, static_cast<int> (delta), width,
      simt_shuffle_result<simt_shuffle_up>, here);
}

template <typename T>
static inline auto
__shfl_down_sync (unsigned mask, T value, unsigned delta, int width = warpSize,
    simt_location here = simt_location::here ())
{
  return simt_shuffle ("__shfl_down_sync", mask, +value, static_cast<int> (delta), width,
      simt_shuffle_result<simt_shuffle_down>, here);
}

template <typename T>
static inline auto
__shfl_xor_sync (unsigned mask, T value, int lane_mask, int width = warpSize,
    simt_location here = simt_location::here ())
{
  return simt_shuffle ("__shfl_xor_sync", mask, +value, lane_mask, width, simt_shuffle_result<simt_shuffle_xor>, here);
}

// The lanes of the group whose value equals `value`, as bits.
static inline uint64_t
simt_lanes_with (const uint64_t values[32], unsigned group, uint64_t value)
{
  unsigned lanes = 0;
  for (unsigned lane = 0; lane < 32; lane++)
    lanes |= static_cast<unsigned> ((group >> lane & 1) && values[lane] == value) << lane;
  return lanes;
}

static inline uint64_t
simt_ballot_result (const uint64_t values[32], unsigned group, unsigned, int)
{
  return simt_lanes_with (values, group, 1);
}

static inline unsigned
__ballot_sync (unsigned mask, int predicate, simt_location here = simt_location::here ())
{
  return static_cast<unsigned> (simt_collective ("__ballot_sync", mask, predicate != 0, 0, simt_ballot_result, here));
}

static inline int
__any_sync (unsigned mask, int predicate, simt_location here = simt_location::here ())
{
  return simt_collective ("__any_sync", mask, predicate != 0, 0, simt_ballot_result, here) != 0;
}

static inline int
__all_sync (unsigned mask, int predicate, simt_location here = simt_location::here ())
{
  return simt_collective ("__all_sync", mask, predicate == 0, 0, simt_ballot_result, here) == 0;
}

template <typename T>
static inline unsigned
__match_any_sync (unsigned mask, T value, simt_location here = simt_location::here ())
{
  return static_cast<unsigned> (simt_collective ("__match_any_sync", mask, simt_pack (+value), 0,
          [] (const uint64_t *values, unsigned group, unsigned lane, int) {
            return simt_lanes_with (values, group, values[lane]);
          }, here));
}

// Any set of lanes that contains the caller's is a right answer; this one cannot be mistaken for "the whole warp".
unsigned __activemask ();

// Fold the values of the group's lanes with `combine`, in the order of the lanes.
template <typename T, T (*combine) (T, T)>
static inline uint64_t
simt_reduce_result (const uint64_t values[32], unsigned group, unsigned, int)
{
  unsigned lane = static_cast<unsigned> (__builtin_ctz (group));
  T result = simt_unpack<T> (values[lane]);
  while (++lane < 32)
    if (group >> lane & 1)
      result = combine (result, simt_unpack<T> (values[lane]));
  return simt_pack (result);
}

template <typename T> static inline T simt_add (T a, T b) { return static_cast<T> (unsigned (a) + unsigned (b)); }
template <typename T> static inline T simt_min (T a, T b) { return b < a ? b : a; }
template <typename T> static inline T simt_max (T a, T b) { return a < b ? b : a; }
template <typename T> static inline T simt_and (T a, T b) { return a & b; }
template <typename T> static inline T simt_or (T a, T b) { return a | b; }
template <typename T> static inline T simt_xor (T a, T b) { return a ^ b; }

#define SIMT_REDUCE(name, type, combine) \
  static inline type name (unsigned mask, type value, simt_location here = simt_location::here ()) \
  { \
    return simt_unpack<type> (simt_collective (#name, mask, simt_pack (value), 0, \
            simt_reduce_result<type, combine<type> >, here)); \
  }
SIMT_REDUCE (__reduce_add_sync, int, simt_add)
SIMT_REDUCE (__reduce_add_sync, unsigned, simt_add)
SIMT_REDUCE (__reduce_min_sync, int, simt_min)
SIMT_REDUCE (__reduce_min_sync, unsigned, simt_min)
SIMT_REDUCE (__reduce_max_sync, int, simt_max)
SIMT_REDUCE (__reduce_max_sync, unsigned, simt_max)
SIMT_REDUCE (__reduce_and_sync, unsigned, simt_and)
SIMT_REDUCE (__reduce_or_sync, unsigned, simt_or)
SIMT_REDUCE (__reduce_xor_sync, unsigned, simt_xor)
#undef SIMT_REDUCE

// ---- What one thread does by itself --------------------------------------------------------------------------------

#include "simt-atomics.h"
#include "simt-intrinsics.h"
