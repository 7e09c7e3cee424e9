/* Reading and writing the samples of a component one by one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/maps-launch.h"
#include "kernels/portable.cuh"

__device__ __forceinline__ uint8_t *
sample_address (const HistoMapsView &view, uint32_t x, uint32_t y)
{
  return (uint8_t *) (view.data + (int64_t) y * view.stride + (uint64_t) x * view.step);
}

/* Words are read byte by byte, because they may begin at any address. */
__device__ __forceinline__ uint32_t
load_at (const HistoMapsView &view, uint32_t x, uint32_t y)
{
  const uint8_t *at = sample_address (view, x, y);
  uint32_t word = *at;

  if (view.bytes == 2)
    word |= (uint32_t) at[1] << 8;
  return word >> view.shift & view.mask;
}

/* Stores a sample in the engine's own memory, whose words are aligned. */
__device__ __forceinline__ void
store_at (const HistoMapsView &view, uint32_t x, uint32_t y, uint32_t value)
{
  uint8_t *at = sample_address (view, x, y);

  if (view.bytes == 2)
    *(uint16_t *) at = (uint16_t) (value << view.shift);
  else
    *at = (uint8_t) (value << view.shift);
}
