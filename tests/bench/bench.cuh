// What the bench's parts share: errors, timing, contents, and the peers to compare with.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <cuda_runtime.h>

#define BENCH_CHECK(call) \
  do { \
    const cudaError_t bench_result = (call); \
    if (bench_result != cudaSuccess) { \
      fprintf (stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
          cudaGetErrorString (bench_result)); \
      exit (1); \
    } \
  } while (0)

// ---- Contents -------------------------------------------------------------------------

enum Content
{
  CONTENT_UNIFORM,
  CONTENT_PHOTO,                // smooth areas, edges and noise, as a camera's picture
  CONTENT_CONSTANT,
  CONTENT_MOD32,                // all values alike modulo 32
  N_CONTENTS
};

extern const char *const content_names[N_CONTENTS];

// n samples of 1 or 2 bytes, `bits` wide, at the top of the word if shifted.
void fill_samples (void *data, size_t n, int bytes, int bits, int shift,
    Content content, uint32_t seed, cudaStream_t stream);
// n words of 4 bytes, each with three samples of 10 bits and one of two.
void fill_fields (void *data, size_t n, Content content, uint32_t seed, cudaStream_t stream);
// Sets these bits of a word in each period: of so many bytes, from byte `offset` of the period on.
void set_bits (void *data, size_t n_periods, size_t period_bytes, uint32_t offset, uint32_t bytes, uint32_t bits,
    cudaStream_t stream);
// n float or int16 samples of noise around zero, a few beyond full scale.
void fill_audio (void *data, size_t n, bool is_float, uint32_t seed,
    cudaStream_t stream);

// ---- Peers ------------------------------------------------------------------------------

// The roofline is the fastest of some readers: kernels that only read all bytes, by 16-byte loads
// with one dp4a sum per word, or by bulk copies.
int n_readers ();
const char *reader_name (int number);
// Whether the device can run it.
bool has_reader (int number);
void read_only (int number, const void *data, size_t bytes, unsigned *sum, cudaStream_t stream);
void empty_kernel (cudaStream_t stream);
// Plain global atomics: the reference that results are compared with. Of n words of 1, 2 or
// 4 bytes the one at `position` in each period of so many words has a sample.
void reference_histogram (const void *data, size_t n, int bytes, int period,
    int position, int shift, uint32_t mask, uint32_t *counters,
    cudaStream_t stream);

// CUB, by what it has for each. Temporary memory is allocated at the first call.
void cub_histogram_8 (const void *data, size_t n, uint32_t *counters, cudaStream_t stream);
void cub_histogram_16 (const void *data, size_t n, int bins, uint32_t *counters,
    cudaStream_t stream);
void cub_histogram_multi (const void *data, size_t n_pixels, int channels,
    uint32_t *counters, cudaStream_t stream);
void cub_sum_min_max_8 (const void *data, size_t n, uint64_t *results, cudaStream_t stream);
void cub_sum_min_max_float (const void *data, size_t n, float *results, cudaStream_t stream);

// NPP's 8-bit histogram; FALSE where NPP is not installed.
bool npp_histogram_8 (const void *data, int width, int height, int *counters,
    cudaStream_t stream);
