/* What the kernels need of their surroundings, so that the very same source runs on
 * a GPU and, for tests, on a CPU (tests/simt).
 *
 * The rules that keep it so: extern "C" kernels over __device__ functions, no <<<>>>,
 * dynamic shared memory through this one macro, no inline PTX outside of __CUDA_ARCH__,
 * and no waiting of one block for another.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#ifdef CUDAHISTO_SIMT
#include "simt.h"
#define HISTO_DYNAMIC_SHARED(type, name) SIMT_DYNAMIC_SHARED (type, name)
#else
/* 16 bytes: no element type here needs more. By one C name, which inline PTX can use. */
extern "C" __shared__ __align__ (16) unsigned char histo_dynamic_shared[];
#define HISTO_DYNAMIC_SHARED(type, name) type *const name = (type *) histo_dynamic_shared
#endif

#define HISTO_FULL_WARP 0xffffffffu
#define HISTO_WARP_SIZE 32

/* A launch that may begin before the one in front of it in the stream has ended: the
 * first says when that is worth while, the second waits until all of the first is to be
 * seen. */
__device__ __forceinline__ void
allow_next_launch ()
{
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.launch_dependents;");
#endif
}

__device__ __forceinline__ void
wait_for_previous_launch ()
{
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.wait;" ::: "memory");
#endif
}
