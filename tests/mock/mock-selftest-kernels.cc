// SPDX-License-Identifier: LGPL-2.1-or-later
// Small kernels for the mock's own test.
#include "mock-kernel.h"

#include "simt.h"

// Adds the histogram of an 8-bit plane to 256 bins.
extern "C" __global__ void
mock_selftest_histogram (const uint8_t *__restrict__ plane, long long stride, int width, int height, unsigned *bins)
{
  SIMT_DYNAMIC_SHARED (unsigned, counts);       // 256
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
    counts[i] = 0;
  __syncthreads ();
  for (int y = static_cast<int> (blockIdx.x); y < height; y += static_cast<int> (gridDim.x))
    for (int x = static_cast<int> (threadIdx.x); x < width; x += static_cast<int> (blockDim.x))
      atomicAdd (&counts[plane[y * stride + x]], 1u);
  __syncthreads ();
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
    atomicAdd (&bins[i], counts[i]);
}

// The like of this in mock-selftest.c.
struct MockSelftestAdd
{
  unsigned *words;
  unsigned count;
  unsigned summand;
};

// Takes its parameters in a structure, the pointer among them.
extern "C" __global__ void
mock_selftest_add (const __grid_constant__ MockSelftestAdd add)
{
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < add.count)
    add.words[i] += add.summand;
}

MOCK_KERNEL (mock_selftest_histogram)
MOCK_KERNEL (mock_selftest_add)
