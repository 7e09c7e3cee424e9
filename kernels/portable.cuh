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

#include <stdint.h>

#ifdef CUDAHISTO_SIMT
#include "simt.h"
#define HISTO_DYNAMIC_SHARED(type, name) SIMT_DYNAMIC_SHARED (type, name)
#else
/* 16 bytes: no element type here needs more. By one C name, which inline PTX can use. */
extern "C" __shared__ __align__ (16) unsigned char histo_dynamic_shared[];
#define HISTO_DYNAMIC_SHARED(type, name) type *const name = (type *) histo_dynamic_shared
#endif

/* What is there now, though others may be changing it. */
__device__ __forceinline__ uint32_t
load_now (const uint32_t *address)
{
#ifdef CUDAHISTO_SIMT
  return __atomic_load_n (address, __ATOMIC_RELAXED);
#else
  return *(const volatile uint32_t *) address;
#endif
}

/* Where a launch may begin before the one that it follows has ended ("programmatic dependent
 * launch"): what that one left is there after this. Code for earlier devices has nothing here,
 * and must not be launched so. */
__device__ __forceinline__ void
wait_for_previous_launch ()
{
#ifdef CUDAHISTO_SIMT
  simt_n_waits++;
#elif defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.wait;" ::: "memory");
#endif
}

#define HISTO_FULL_WARP 0xffffffffu
#define HISTO_WARP_SIZE 32

/* Brings a kernel's parameters into the multiprocessor's cache, a line by each warp. Each
 * access to one that is not there stalls its warp for a quarter of a microsecond, and one
 * after the other these are a good part of the time that a small buffer takes. */
template <typename Task>
__device__ __forceinline__ void
fetch_parameters (const Task &task)
{
#ifndef __CUDA_ARCH__
  (void) task;
#else
  const uint32_t line_words = 16, n_words = sizeof (Task) / 4;
  const uint32_t first = threadIdx.x / HISTO_WARP_SIZE * line_words;

  if (first < n_words) {
    const uint32_t word = ((const uint32_t *) &task)[first];

    asm volatile ("" :: "r" (word));
  }
#endif
}
