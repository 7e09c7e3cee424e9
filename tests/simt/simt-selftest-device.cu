// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs the kernels of the self test on a real device: what the shim is held to must be what the hardware does.
//
//   nvcc -std=c++17 -arch=native simt-selftest-device.cu -o simt-selftest-device && ./simt-selftest-device
#include "simt-selftest-kernels.h"

#include <cstdio>

static unsigned problems;

static void
expect_none (const char *name, Failures *failures)
{
  const cudaError_t error = cudaDeviceSynchronize ();
  if (error != cudaSuccess || failures->count != 0) {
    problems++;
    printf ("%s: %s, %u failed, one at simt-selftest-kernels.h:%d\n", name, cudaGetErrorString (error), failures->count,
        failures->line);
  }
  failures->count = 0;
}

int
main ()
{
  Failures *failures;
  uint4 *source, *destination;
  unsigned long long *words;
  unsigned *marks;
  cudaMallocManaged (&failures, sizeof *failures);
  cudaMallocManaged (&source, 3 * sizeof *source);
  cudaMallocManaged (&destination, 3 * sizeof *destination);
  cudaMallocManaged (&words, 32 * sizeof *words);
  cudaMallocManaged (&marks, 1 << 20);
  cudaMemset (failures, 0, sizeof *failures);
  cudaMemset (words, 0, 32 * sizeof *words);
  cudaDeviceSynchronize ();
  for (unsigned i = 0; i < 12; i++)
    reinterpret_cast<unsigned *> (source)[i] = i + 1;

  test_bits_and_bytes<<<1, 1>>> (failures);
  expect_none ("bits and bytes", failures);
  test_conversions<<<1, 1>>> (failures);
  expect_none ("conversions", failures);
  test_arithmetic<<<1, 1>>> (failures);
  expect_none ("arithmetic", failures);
  test_vectors<<<1, 1>>> (failures, source, destination);
  expect_none ("vectors", failures);
  test_atomics<<<1, 1>>> (failures, words);
  expect_none ("atomics", failures);
  for (dim3 block : { dim3 (32), dim3 (256), dim3 (8, 4), dim3 (16, 4, 16) }) {
    test_shuffles<<<3, block>>> (failures);
    expect_none ("shuffles", failures);
    test_votes<<<3, block>>> (failures);
    expect_none ("votes", failures);
  }
  for (dim3 block : { dim3 (1), dim3 (33), dim3 (1024), dim3 (7, 5, 3) }) {
    const unsigned threads = block.x * block.y * block.z;
    test_barriers<<<2, block, (threads + 3) * sizeof (unsigned)>>> (failures, threads + 3);
    expect_none ("barriers", failures);
    for (dim3 grid : { dim3 (1), dim3 (17), dim3 (3, 2, 4) }) {
      cudaMemset (marks, 0, 1 << 20);
      test_grid<<<grid, block>>> (failures, marks + 1, marks);
      expect_none ("grid", failures);
    }
  }
  printf ("%u problems\n", problems);
  return problems != 0;
}
