/* What the kernels need from their platform: a GPU, or for tests a CPU (tests/simt).
 *
 * A source compiles for both under these rules:
 * - kernels are extern "C" functions that call __device__ functions;
 * - no <<<>>> launches;
 * - dynamic shared memory only through HISTO_DYNAMIC_SHARED;
 * - inline PTX only where __CUDA_ARCH__ is defined;
 * - no block waits for another block.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* HISTO_DYNAMIC_SHARED (type, name): a pointer to the block's dynamic shared memory. */
#ifdef CUDAHISTO_SIMT
#include "simt.h"
#define HISTO_DYNAMIC_SHARED(type, name) SIMT_DYNAMIC_SHARED (type, name)
#else
/* No element type here needs an alignment above 16 bytes. The symbol has a C name, which
 * inline PTX can use. */
extern "C" __shared__ __align__ (16) unsigned char histo_dynamic_shared[];
#define HISTO_DYNAMIC_SHARED(type, name) type *const name = (type *) histo_dynamic_shared
#endif

#define HISTO_FULL_WARP 0xffffffffu
#define HISTO_WARP_SIZE 32

/* Reads a word that other threads may be changing. */
__device__ __forceinline__ uint32_t
load_now (const uint32_t *address)
{
#ifdef CUDAHISTO_SIMT
  return __atomic_load_n (address, __ATOMIC_RELAXED);
#else
  return *(const volatile uint32_t *) address;
#endif
}

/* Waits for the end of the previous launch on the stream. A kernel that calls this may be
 * launched before that end (programmatic dependent launch), and may read only afterwards
 * what the previous launch wrote. Code for devices before sm_90 does not wait, and must be
 * launched after that end. */
__device__ __forceinline__ void
wait_for_previous_launch ()
{
#ifdef CUDAHISTO_SIMT
  simt_n_waits++;
#elif defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Lets the next launch on the stream begin when all blocks of this one have called this, if it may begin early. */
__device__ __forceinline__ void
let_next_launch_begin ()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.launch_dependents;");
#endif
}

/* Loads the launch parameters into the multiprocessor's cache; each warp loads one line, and what lies
 * behind these lines is loaded when it is used.
 * Otherwise the first access to each line would stall its warp for a quarter of a
 * microsecond, and these stalls would follow one another: a good part of the time that a
 * small buffer takes. */
template <typename Launch>
__device__ __forceinline__ void
fetch_parameters (const Launch &launch)
{
#ifndef __CUDA_ARCH__
  (void) launch;
#else
  const uint32_t line_words = 16, n_words = sizeof (Launch) / 4;
  const uint32_t first = threadIdx.x / HISTO_WARP_SIZE * line_words;

  if (first < n_words) {
    const uint32_t word = ((const uint32_t *) &launch)[first];

    asm volatile ("" :: "r" (word));
  }
#endif
}
