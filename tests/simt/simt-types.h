// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA's vector types, with CUDA's sizes and alignments, and dim3.
#pragma once

#define SIMT_VECTOR_2(vector, scalar, alignment) \
  struct alignas (alignment) vector { scalar x, y; }; \
  static inline vector make_##vector (scalar x, scalar y) { return { x, y }; }

#define SIMT_VECTOR_3(vector, scalar) \
  struct vector { scalar x, y, z; }; \
  static inline vector make_##vector (scalar x, scalar y, scalar z) { return { x, y, z }; }

#define SIMT_VECTOR_4(vector, scalar, alignment) \
  struct alignas (alignment) vector { scalar x, y, z, w; }; \
  static inline vector make_##vector (scalar x, scalar y, scalar z, scalar w) { return { x, y, z, w }; }

SIMT_VECTOR_2 (char2, signed char, 2)
SIMT_VECTOR_2 (uchar2, unsigned char, 2)
SIMT_VECTOR_2 (short2, short, 4)
SIMT_VECTOR_2 (ushort2, unsigned short, 4)
SIMT_VECTOR_2 (int2, int, 8)
SIMT_VECTOR_2 (uint2, unsigned, 8)
SIMT_VECTOR_2 (longlong2, long long, 16)
SIMT_VECTOR_2 (ulonglong2, unsigned long long, 16)
SIMT_VECTOR_2 (float2, float, 8)
SIMT_VECTOR_2 (double2, double, 16)
SIMT_VECTOR_3 (int3, int)
SIMT_VECTOR_3 (uint3, unsigned)
SIMT_VECTOR_3 (float3, float)
SIMT_VECTOR_4 (char4, signed char, 4)
SIMT_VECTOR_4 (uchar4, unsigned char, 4)
SIMT_VECTOR_4 (short4, short, 8)
SIMT_VECTOR_4 (ushort4, unsigned short, 8)
SIMT_VECTOR_4 (int4, int, 16)
SIMT_VECTOR_4 (uint4, unsigned, 16)
SIMT_VECTOR_4 (float4, float, 16)

#undef SIMT_VECTOR_2
#undef SIMT_VECTOR_3
#undef SIMT_VECTOR_4

struct dim3
{
  unsigned x, y, z;
  constexpr dim3 (unsigned x = 1, unsigned y = 1, unsigned z = 1) : x (x), y (y), z (z) {}
  constexpr dim3 (uint3 v) : x (v.x), y (v.y), z (v.z) {}
  constexpr operator uint3 () const { return { x, y, z }; }
};
