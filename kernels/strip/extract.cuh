/* Extraction: a regular picture of a format that no loader reads, or of a buffer whose rows are not aligned.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/strip/loaders.cuh"
#include "kernels/video/samples.cuh"

template <typename Quad>
struct Extraction
{
  const HistoExtractLaunch &launch;

  /* Sample (x, y) of native component c, as the buffer has it. */
  __device__ __forceinline__ uint32_t
  sample (uint32_t c, uint32_t x, uint32_t y) const
  {
    return load_component (launch.components[c], launch.planes, x, y);
  }

  __device__ __forceinline__ Quad
  quad (uint32_t c, uint32_t x, uint32_t y) const
  {
    return Quad::of (sample (c, x, y), sample (c, x + 1, y), sample (c, x + 2, y), sample (c, x + 3, y));
  }

  __device__ __forceinline__ void
  store (uint32_t c, uint32_t x, uint32_t y, const Quad &quad) const
  {
    quad.store (strip_address (launch.picture, c, y, x * Quad::BYTES));
  }

  /* Writes four pixels of row y. */
  __device__ __forceinline__ void
  write (uint32_t x, uint32_t y) const
  {
    const bool is_in_turn = launch.loader == HISTO_LOADER_IN_TURN;

    if (launch.loader == HISTO_LOADER_FIELDS) {
      for (uint32_t i = 0; i < 4; i++) {
        uint32_t word = 0;

        for (uint32_t c = 0; c < launch.n_components; c++)
          word |= sample (c, x + i, y) << launch.selectors[c];
        *(uint32_t *) strip_address (launch.picture, 0, y, 4 * (x + i)) = word;
      }
      return;
    }
    for (uint32_t c = 0; c < launch.n_components; c++) {
      if (!is_in_turn || c == 0 || c == 3)
        store (c, x, y, quad (c, x, y));
    }
    if (is_in_turn && (y & ((1u << launch.h_sub) - 1)) == 0) {
      const uint32_t left = x >> launch.w_sub, right = (x + 2) >> launch.w_sub, row = y >> launch.h_sub;

      store (1, x, row, Quad::of (sample (1, left, row), sample (2, left, row), sample (1, right, row),
              sample (2, right, row)));
    }
  }
};

/* The kernel's body: each thread extracts four pixels at a time. */
template <typename Quad>
__device__ __forceinline__ void
extract_quads (const HistoExtractLaunch &launch)
{
  const Extraction<Quad> extraction = { launch };
  const PlaneBlock block = { blockIdx.x, gridDim.x };
  Walk walk (block, (launch.width + 3) / 4);

  for (; walk.row < launch.height; walk.advance ())
    extraction.write (4 * walk.column, walk.row);
}
