// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels that state what CUDA's primitives do. They must find it so on the shim (simt-selftest.cc) and on a device
// (simt-selftest-device.cu), which keeps the expectations honest.
#pragma once

#ifdef CUDAHISTO_SIMT
#include "simt.h"
#else
#include <climits>
#include <cmath>
#include <cstdint>
#define SIMT_DYNAMIC_SHARED(type, name) \
  extern __shared__ __align__ (1024) unsigned char simt_dynamic_shared[]; \
  type *name = reinterpret_cast<type *> (simt_dynamic_shared)
#endif

// Where a kernel notes what it did not find as expected.
struct Failures
{
  unsigned count;
  int line;                     // of one failed expectation
};

#define EXPECT(condition) do { \
    if (!(condition)) { \
      atomicAdd (&failures->count, 1u); \
      atomicExch (&failures->line, __LINE__); \
    } \
  } while (0)

// A value that the compiler cannot compute with, so that the intrinsic itself is put to the test.
template <typename T>
static __device__ T
opaque (T value)
{
  volatile T hidden = value;
  return hidden;
}

static __device__ unsigned
thread_number ()
{
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

// ---- One thread ----------------------------------------------------------------------------------------------------

extern "C" __global__ void
test_bits_and_bytes (Failures *failures)
{
  EXPECT (__byte_perm (opaque (0x33221100u), opaque (0x77665544u), 0x6420) == 0x66442200);
  EXPECT (__byte_perm (opaque (0x33221100u), opaque (0x77665544u), 0x0123) == 0x00112233);
  EXPECT (__byte_perm (opaque (0x000000ffu), opaque (0u), opaque (0x3210)) == 0x000000ff);
  EXPECT (__brev (opaque (0x00000001u)) == 0x80000000u && __brev (opaque (0x12345678u)) == 0x1e6a2c48u);
  EXPECT (__clz (opaque (0)) == 32 && __clz (opaque (1)) == 31 && __clz (opaque (-1)) == 0);
  EXPECT (__clzll (opaque (0ll)) == 64 && __clzll (opaque (1ll << 40)) == 23);
  EXPECT (__ffs (opaque (0)) == 0 && __ffs (opaque (8)) == 4 && __ffs (opaque (INT_MIN)) == 32);
  EXPECT (__ffsll (opaque (0ll)) == 0 && __ffsll (opaque (1ll << 40)) == 41);
  EXPECT (__popc (opaque (0xf0f0u)) == 8 && __popcll (opaque (0xffffffffffffffffull)) == 64);
  EXPECT (__funnelshift_r (opaque (0x89abcdefu), 0x01234567u, opaque (8u)) == 0x6789abcdu);
  EXPECT (__funnelshift_r (opaque (0x89abcdefu), 0x01234567u, opaque (32u)) == 0x89abcdefu);
  EXPECT (__funnelshift_l (opaque (0x89abcdefu), 0x01234567u, opaque (8u)) == 0x23456789u);
  EXPECT (__funnelshift_l (opaque (0x89abcdefu), 0x01234567u, opaque (32u)) == 0x01234567u);
  EXPECT (__dp2a_lo (0x00050003u, 0xffff0207u, 1u) == 1 + 3 * 7 + 5 * 2);
  EXPECT (__dp2a_hi (0xffff0003u, 0x80010000u, 4u) == 4 + 3 + 0xffffu * 0x80);
  EXPECT (__dp4a (opaque (0xff020304u), 0xff010101u, 10u) == 255u * 255 + 2 + 3 + 4 + 10);
  EXPECT (__dp4a (opaque (static_cast<int> (0xff020304u)), 0x02010101, -10) == -2 + 2 + 3 + 4 - 10);
  EXPECT (__dp4a (opaque (0x80808080u), 0x01010101u, opaque (0xffffffffu)) == 511);
  EXPECT (__vminu4 (opaque (0x01ff7f80u), 0x02fe807fu) == 0x01fe7f7fu);
  EXPECT (__vmaxu4 (opaque (0x01ff7f80u), 0x02fe807fu) == 0x02ff8080u);
  EXPECT (__vminu2 (opaque (0x00017fffu), 0xffff8000u) == 0x00017fffu);
  EXPECT (__vmaxu2 (opaque (0x00018000u), 0xffff7fffu) == 0xffff8000u);
  EXPECT (__vabsdiffu4 (opaque (0x00ff1005u), 0xff001007u) == 0xffff0002u);
  EXPECT (__vsadu4 (opaque (0x00ff1005u), 0xff001007u) == 255 + 255 + 0 + 2);
  EXPECT (__umulhi (opaque (0xffffffffu), 0xffffffffu) == 0xfffffffeu && __mulhi (opaque (-1), 1) == -1);
  EXPECT (__umul64hi (opaque (0xffffffffffffffffull), 0xffffffffffffffffull) == 0xfffffffffffffffeull);
}

extern "C" __global__ void
test_conversions (Failures *failures)
{
  EXPECT (__float2int_rd (opaque (-1.5f)) == -2 && __float2int_rd (opaque (1.9f)) == 1);
  EXPECT (__float2int_rn (opaque (2.5f)) == 2 && __float2int_rn (opaque (3.5f)) == 4);
  EXPECT (__float2int_ru (opaque (1.1f)) == 2 && __float2int_rz (opaque (-1.9f)) == -1);
  EXPECT (__float2int_rd (opaque (3e9f)) == INT_MAX && __float2int_rd (opaque (-3e9f)) == INT_MIN);
  EXPECT (__float2int_rn (opaque (INFINITY)) == INT_MAX && __float2int_rz (opaque (-INFINITY)) == INT_MIN);
  EXPECT (__float2int_rn (opaque (nanf (""))) == 0);
  EXPECT (__float2ll_rd (opaque (-1.5f)) == -2 && __float2ll_rz (opaque (1e30f)) == LLONG_MAX);
  EXPECT (__float2ll_rz (opaque (nanf (""))) == LLONG_MIN);
  EXPECT (__double2int_rd (opaque (-0.5)) == -1 && __double2int_rz (opaque (-0.5)) == 0);
  EXPECT (__double2int_rn (opaque (2147483646.5)) == 2147483646 && __double2int_rz (opaque (2147483648.0)) == INT_MAX);
  EXPECT (__double2int_rz (opaque (-1e300)) == INT_MIN && __double2int_rd (opaque (nan (""))) == INT_MIN);
  EXPECT (__double2ll_rd (opaque (-0.5)) == -1 && __double2ll_rd (opaque (1e300)) == LLONG_MAX);
  EXPECT (__double2ll_rd (opaque (-1e300)) == LLONG_MIN && __double2ll_rd (opaque (nan (""))) == LLONG_MIN);

  EXPECT (__int_as_float (opaque (0x3f800000)) == 1.0f && __float_as_int (opaque (-0.0f)) == INT_MIN);
  EXPECT (__uint_as_float (opaque (0x40000000u)) == 2.0f && __float_as_uint (opaque (1.0f)) == 0x3f800000u);
  EXPECT (__longlong_as_double (opaque (0x3ff0000000000000ll)) == 1.0);
  EXPECT (__double_as_longlong (opaque (-0.0)) == LLONG_MIN);
}

extern "C" __global__ void
test_arithmetic (Failures *failures)
{
  // 1 + 2^-30 squared is 1 + 2^-29 + 2^-60: the last term survives in a fused operation only.
  const double d = opaque (1.0 + 0x1p-30);
  EXPECT (__dsub_rn (__dmul_rn (d, d), 1.0 + 0x1p-29) == 0.0);
  EXPECT (__fma_rn (d, d, -(1.0 + 0x1p-29)) == 0x1p-60);
  EXPECT (__dadd_rn (opaque (1.0), 0x1p-53) == 1.0);
  const float f = opaque (1.0f + 0x1p-13f);
  EXPECT (__fadd_rn (__fmul_rn (f, f), -(1.0f + 0x1p-12f)) == 0.0f);
  EXPECT (__fmaf_rn (f, f, -(1.0f + 0x1p-12f)) == 0x1p-26f && fmaf (f, f, -(1.0f + 0x1p-12f)) == 0x1p-26f);

  EXPECT (min (opaque (-1), 1) == -1 && max (opaque (-1), 1) == 1);
  EXPECT (min (opaque (-1), 1u) == 1u && max (opaque (2u), -1) == 0xffffffffu);
  EXPECT (min (opaque (1ull << 40), 2ull) == 2 && max (opaque (-1ll), 2ll) == 2);
  EXPECT (min (opaque (1.5f), nanf ("")) == 1.5f && max (opaque (nan ("")), 2.0) == 2.0);
  EXPECT (min (opaque (1.5f), 1.25) == 1.25);
  const long long before = clock64 ();
  EXPECT (clock64 () >= before);
}

extern "C" __global__ void
test_vectors (Failures *failures, const uint4 *source, uint4 *destination)
{
  EXPECT (sizeof (uchar4) == 4 && alignof (uchar4) == 4 && sizeof (ushort4) == 8 && alignof (ushort4) == 8);
  EXPECT (sizeof (uint2) == 8 && alignof (int2) == 8 && sizeof (int4) == 16 && alignof (uint4) == 16);
  EXPECT (alignof (float2) == 8 && alignof (float4) == 16 && sizeof (uint3) == 12 && alignof (uint3) == 4);
  EXPECT (sizeof (ulonglong2) == 16 && alignof (ulonglong2) == 16 && sizeof (double2) == 16);
  EXPECT (make_uchar4 (1, 2, 3, 255).w == 255 && make_ushort4 (1, 2, 3, 4).z == 3 && make_int2 (1, -2).y == -2);
  EXPECT (make_float4 (1, 2, 3, 4).w == 4.0f && make_double2 (1, 2).y == 2.0 && make_float2 (1, 2).x == 1.0f);
  EXPECT (make_ulonglong2 (1, ~0ull).y == ~0ull && make_int4 (1, 2, 3, -4).w == -4 && make_uint2 (1, 2).y == 2);

  const uint4 a = __ldg (source), b = __ldcs (source + 1), c = __ldcg (source + 2);
  EXPECT (a.x == 1 && a.w == 4 && b.x == 5 && c.w == 12);
  EXPECT (__ldg (&source->y) == 2);
  __stcs (destination, make_uint4 (21, 22, 23, 24));
  __stcg (destination + 1, make_uint4 (25, 26, 27, 28));
  __stcg (&destination[2].x, 29u);
  __threadfence_block ();
  __threadfence ();
  __threadfence_system ();
  EXPECT (destination[0].w == 24 && destination[1].x == 25 && destination[2].x == 29);
}

// `words` has 32 zeroed words.
extern "C" __global__ void
test_atomics (Failures *failures, unsigned long long *words)
{
  unsigned *u = reinterpret_cast<unsigned *> (words);
  int *i = reinterpret_cast<int *> (words + 1);
  unsigned long long *l = words + 2;
  float *f = reinterpret_cast<float *> (words + 3);
  double *d = reinterpret_cast<double *> (words + 4);

  EXPECT (atomicAdd (u, 5u) == 0 && atomicAdd (u, 1u) == 5 && *u == 6);
  EXPECT (atomicSub (u, 7u) == 6 && *u == 0xffffffffu);
  EXPECT (atomicMin (u, 3u) == 0xffffffffu && atomicMax (u, 9u) == 3 && *u == 9);
  EXPECT (atomicAnd (u, 8u) == 9 && atomicOr (u, 3u) == 8 && *u == 11);
  EXPECT (atomicExch (u, 2u) == 11 && atomicCAS (u, 2u, 4u) == 2 && atomicCAS (u, 2u, 5u) == 4 && *u == 4);
  EXPECT (atomicInc (u, 5u) == 4 && atomicInc (u, 5u) == 5 && *u == 0);
  *u = 77;
  EXPECT (atomicInc (u, 5u) == 77 && *u == 0 && atomicDec (u, 5u) == 0 && *u == 5);

  EXPECT (atomicAdd (i, INT_MAX) == 0 && atomicAdd (i, 1) == INT_MAX && *i == INT_MIN);
  EXPECT (atomicMax (i, -1) == INT_MIN && atomicMin (i, -3) == -1 && *i == -3);
  EXPECT (atomicSub (i, 4) == -3 && atomicExch (i, 1) == -7 && atomicCAS (i, 1, -1) == 1 && *i == -1);
  EXPECT (atomicAdd (l, 1ull << 40) == 0 && atomicMax (l, 1ull << 41) == 1ull << 40 && *l == 1ull << 41);
  EXPECT (atomicMin (l, 3ull) == 1ull << 41 && atomicOr (l, 4ull) == 3 && atomicAnd (l, 6ull) == 7 && *l == 6);
  EXPECT (atomicExch (l, 9ull) == 6 && atomicCAS (l, 9ull, 8ull) == 9 && *l == 8);
  EXPECT (atomicAdd (f, 1.5f) == 0.0f && atomicAdd (f, 1.0f) == 1.5f && *f == 2.5f && atomicExch (f, 7.0f) == 2.5f);
  EXPECT (atomicAdd (d, 1.5) == 0.0 && atomicAdd (d, 1.0) == 1.5 && *d == 2.5);
}

// ---- A warp --------------------------------------------------------------------------------------------------------

// For blocks whose size is a multiple of 32.
extern "C" __global__ void
test_shuffles (Failures *failures)
{
  const unsigned full = 0xffffffffu;
  const int lane = static_cast<int> (thread_number () % 32);
  EXPECT (warpSize == 32);

  EXPECT (__shfl_sync (full, lane * 10, 7) == 70 && __shfl_sync (full, lane, 33) == 1);
  EXPECT (__shfl_sync (full, lane, lane + 1) == (lane + 1) % 32 && __shfl_sync (full, lane, -1) == 31);
  EXPECT (__shfl_sync (full, lane, 3, 8) == (lane & ~7) + 3 && __shfl_sync (full, lane, 11, 8) == (lane & ~7) + 3);
  EXPECT (__shfl_up_sync (full, lane, 1) == (lane == 0 ? 0 : lane - 1));
  EXPECT (__shfl_up_sync (full, lane, 3, 8) == (lane % 8 < 3 ? lane : lane - 3));
  EXPECT (__shfl_down_sync (full, lane, 1) == (lane == 31 ? 31 : lane + 1));
  EXPECT (__shfl_down_sync (full, lane, 3, 8) == (lane % 8 > 4 ? lane : lane + 3));
  EXPECT (__shfl_down_sync (full, lane, opaque (32u)) == lane);
  EXPECT (__shfl_xor_sync (full, lane, 16) == (lane ^ 16));
  EXPECT (__shfl_xor_sync (full, lane, 8, 8) == ((lane ^ 8) < lane ? lane ^ 8 : lane));

  EXPECT (__shfl_xor_sync (full, static_cast<unsigned> (lane), 1) == static_cast<unsigned> (lane ^ 1));
  EXPECT (__shfl_xor_sync (full, lane * 0x100000001ll, 1) == (lane ^ 1) * 0x100000001ll);
  EXPECT (__shfl_down_sync (full, lane * 0x100000001ull, 1) == (lane == 31 ? 31 : lane + 1) * 0x100000001ull);
  EXPECT (__shfl_sync (full, lane + 0.5f, 5) == 5.5f && __shfl_up_sync (full, lane + 0.25, 1, 2) == (lane & ~1) + 0.25);

  // Two halves of the warp on different ways.
  if (lane < 16)
    EXPECT (__shfl_xor_sync (0x0000ffffu, lane, 15) == 15 - lane);
  else
    EXPECT (__shfl_sync (0xffff0000u, lane, 16) == 16);
  __syncwarp ();
}

// For blocks whose size is a multiple of 32.
extern "C" __global__ void
test_votes (Failures *failures)
{
  const unsigned full = 0xffffffffu, lane = thread_number () % 32;

  EXPECT (__ballot_sync (full, lane % 3 == 0) == 0x49249249u && __ballot_sync (full, static_cast<int> (lane)) == ~1u);
  EXPECT (__any_sync (full, lane == 9) && !__any_sync (full, lane == 32));
  EXPECT (__all_sync (full, lane < 32) && !__all_sync (full, lane != 9));
  EXPECT (__match_any_sync (full, lane & 1) == (lane & 1 ? 0xaaaaaaaau : 0x55555555u));
  EXPECT (__match_any_sync (full, static_cast<unsigned long long> (lane) << 40) == 1u << lane);
  EXPECT (__activemask () >> lane & 1);
  if (lane >= 8)
    EXPECT (__ballot_sync (0xffffff00u, lane & 1) == 0xaaaaaa00u && __all_sync (0xffffff00u, lane >= 8));
  __syncwarp ();

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  const int centred = static_cast<int> (lane) - 16;
  EXPECT (__reduce_add_sync (full, lane) == 496 && __reduce_add_sync (full, centred) == -16);
  EXPECT (__reduce_min_sync (full, centred) == -16 && __reduce_max_sync (full, centred) == 15);
  EXPECT (__reduce_min_sync (full, lane + 5) == 5 && __reduce_max_sync (full, static_cast<unsigned> (centred)) == full);
  EXPECT (__reduce_or_sync (full, 1u << lane) == full && __reduce_and_sync (full, lane | 64) == 64);
  EXPECT (__reduce_xor_sync (full, 1u << lane) == full);
  if (lane & 1)
    EXPECT (__reduce_add_sync (0xaaaaaaaau, 2u) == 32);
#endif
}

// ---- A block and a grid --------------------------------------------------------------------------------------------

// Each thread reads what another wrote, round after round, through static and dynamic shared memory; the latter must
// have a word per thread and some more, which nobody writes.
extern "C" __global__ void
test_barriers (Failures *failures, unsigned dynamic_words)
{
  __shared__ unsigned in_turn[1024];
  SIMT_DYNAMIC_SHARED (unsigned, exchange);
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z, self = thread_number ();
  EXPECT (reinterpret_cast<uintptr_t> (exchange) % 16 == 0 && dynamic_words >= threads);

  for (unsigned round = 1; round < 8; round++) {
    exchange[self] = self * round;
    __syncthreads ();
    const unsigned other = (self + round) % threads;
    EXPECT (exchange[other] == other * round);
    in_turn[other] = round;
    __syncthreads ();
    EXPECT (in_turn[self] == round);
  }
  EXPECT (__syncthreads_count (self % 2 == 0) == static_cast<int> ((threads + 1) / 2));
  EXPECT (__syncthreads_or (self == threads - 1) && !__syncthreads_or (0));
  EXPECT (__syncthreads_and (1) && !__syncthreads_and (self != threads - 1));
}

// Marks each thread of the grid once; the last block to finish finds all marks of the others.
extern "C" __global__ void
test_grid (Failures *failures, unsigned *marks, unsigned *blocks_done)
{
  __shared__ unsigned ticket;
  const unsigned blocks = gridDim.x * gridDim.y * gridDim.z, threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  EXPECT (threadIdx.x < blockDim.x && threadIdx.y < blockDim.y && threadIdx.z < blockDim.z);
  atomicAdd (&marks[block * threads + thread_number ()], 1u);
  __threadfence ();
  __syncthreads ();
  if (thread_number () == 0)
    ticket = atomicInc (blocks_done, blocks - 1);
  __syncthreads ();
  if (ticket == blocks - 1)
    for (unsigned n = thread_number (); n < blocks * threads; n += threads)
      EXPECT (__ldcg (&marks[n]) == 1);
}
