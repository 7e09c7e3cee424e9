/* Colors: R, G and B of YUV, or Y, U and V of RGB, of four pixels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/strip/quads.cuh"

/* Row i of the matrix and what follows from its columns; row 3 is luma's. Bytes are computed as floating-point
 * numbers: then a value is in the lower bits, of which counters use 24, and may be 256 instead of 255. */
template <typename Quad>
struct ColorRow
{
  const HistoStripLaunch &launch;
  uint32_t i;

  /* What b and c add, and what follows from the matrix alone. */
  __device__ __forceinline__ auto
  part (const Quad &b, const Quad &c, uint32_t pixel) const
  {
    if constexpr (Quad::BYTES == 1) {
      const float *row = launch.factors.rows[i];

      return fmaf (b.number (pixel), row[1], fmaf (c.number (pixel), row[2], row[3]));
    } else if constexpr (Quad::is_deep) {
      const int32_t *row = matrix ().coefficients[i % 3];

      return row[1] * (int64_t) (int32_t) b.get (pixel) + row[2] * (int64_t) (int32_t) c.get (pixel)
          + launch.deep_rests[i];
    } else {
      const int32_t *row = matrix ().coefficients[i % 3];

      return row[1] * (int32_t) b.get (pixel) + row[2] * (int32_t) c.get (pixel) + launch.matrix_rests[i];
    }
  }

  /* Returns: the value of bytes, from 0 to 1: one of 256. */
  template <typename Part>
  __device__ __forceinline__ float
  fraction (const Quad &a, uint32_t pixel, const Part &part) const
  {
    return __saturatef (fmaf (a.number (pixel), launch.factors.rows[i][0], part));
  }

  template <typename Part>
  __device__ __forceinline__ uint32_t
  value (const Quad &a, uint32_t pixel, const Part &part) const
  {
    if constexpr (Quad::BYTES == 1) {
      return __float_as_uint (__fadd_rd (fraction (a, pixel, part), (float) HISTO_STRIP_BYTE_BIAS));
    } else if constexpr (Quad::is_deep) {
      /* histo_matrix_row (). What is shifted has 39 bits. */
      const int64_t sum = matrix ().coefficients[i % 3][0] * (int64_t) (int32_t) a.get (pixel) + part;

      return (uint32_t) min (max ((int32_t) (sum >> matrix ().shift), 0), matrix ().max);
    } else {
      const int32_t sum = matrix ().coefficients[i % 3][0] * (int32_t) a.get (pixel) + part;

      return (uint32_t) min (max (sum >> HISTO_MATRIX_SHIFT, 0), matrix ().max);
    }
  }

  /* The values of four pixels. */
  __device__ __forceinline__ Quad
  quad (const Quad &a, const Quad &b, const Quad &c) const
  {
    uint32_t values[4];

#pragma unroll
    for (uint32_t pixel = 0; pixel < 4; pixel++) {
      values[pixel] = value (a, pixel, part (b, c, pixel));
      if constexpr (Quad::BYTES == 1)
        values[pixel] = min (values[pixel], 0x470000ffu);
    }
    return Quad::of (values[0], values[1], values[2], values[3]);
  }

private:
  __device__ __forceinline__ const HistoMatrix &
  matrix () const
  {
    return i < 3 ? launch.formulas.matrix : launch.formulas.luma;
  }
};

/* ---- Codes of R, G and B ------------------------------------------------------------------------------- */

/* The code values of R, G and B of four pixels, from which tables make light: of bytes as fractions of 256 codes. */
template <typename Quad, uint32_t KNOWN>
struct Codes
{
  typedef std::conditional_t<Quad::BYTES == 1 && KNOWN != HISTO_CHECKED_RGB, float, uint32_t> Code;

  const HistoStripLaunch &launch;
  const Quad *c;

  /* Calls take (i, codes) for each pixel. */
  template <typename Take>
  __device__ __forceinline__ void
  for_each (const Take &take) const
  {
    const ColorRow<Quad> rows[3] = { { launch, 0 }, { launch, 1 }, { launch, 2 } };
    decltype (rows[0].part (c[1], c[2], 0)) parts[3];

#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      Code codes[3];

#pragma unroll
      for (uint32_t k = 0; k < 3; k++) {
        if constexpr (KNOWN == HISTO_CHECKED_RGB) {
          codes[k] = c[k].get (i);
        } else {
          /* Two pixels share chroma. */
          if (i % 2 == 0 || KNOWN > HISTO_CHECKED_HALF)
            parts[k] = rows[k].part (c[1], c[2], i);
          if constexpr (Quad::BYTES == 1)
            codes[k] = rows[k].fraction (c[0], i, parts[k]);
          else
            codes[k] = rows[k].value (c[0], i, parts[k]);
        }
      }
      take (i, codes);
    }
  }
};
